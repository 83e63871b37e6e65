# Sealed ids in Python: the vectors, and tokens that the database opens.
import csv
import json
import os

import psycopg2

from sealed import seal, unseal


def rows(name):
    with open(f"{os.environ['SNOWID_VECTORS']}/{name}", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


valid = rows("sealed8.valid.tsv")
keys = {int(row["key_number"]): bytes.fromhex(row["root_key_hex"]) for row in valid}
for row in valid:
    number = int(row["key_number"])
    assert seal(int(row["id"]), row["prefix"], keys[number], number) == row["text"], row
    assert unseal(row["text"], row["prefix"], keys) == int(row["id"]), row
invalid = rows("sealed.invalid.tsv")
for row in invalid:
    try:
        unseal(json.loads(row["input_json_string"]), row["expected_prefix"], keys)
        raise AssertionError(row)
    except ValueError:
        pass

# There is no key number 7, although 22 digits can hold most of its tokens; nor an id of more than 64 bits.
keys[7] = keys[0]
for wrong in (
    lambda: unseal("ord_xSaQxSsJSb0nrsl43SVomu", "ord", keys),
    lambda: seal(1, "ord", keys[0], 7),
    lambda: seal(1, "ord", keys[0], -1),
    lambda: seal(2**63, "ord", keys[0]),
):
    try:
        wrong()
    except (ValueError, OverflowError):
        continue
    raise AssertionError(wrong)

db = psycopg2.connect(os.environ["DATABASE_URL"])
cursor = db.cursor()
cursor.execute("SELECT snowid_seal_key_create(), id FROM message WHERE body = 'r05'")
[number, id] = cursor.fetchone()
cursor.execute("SELECT snowid_seal_key_reveal(%s), id_seal(%s, 'msg')", [number, id])
[revealed, token] = cursor.fetchone()
db.commit()
key = bytes.fromhex(revealed)
print("sealed", seal(id, "msg", key, number), sep="\t")
print("opened", unseal(token, "msg", {number: key}), sep="\t")
print("vectors", len(valid), len(invalid), sep="\t")
