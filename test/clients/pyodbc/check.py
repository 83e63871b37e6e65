KIND, SCHEME = os.environ["KIND"], os.environ["SCHEME"]
assert type(id).__name__ == {"bigint": "int", "uuid": "UUID"}.get(KIND, "str"), id


def column(sql, *parameters):
    return [value for [value] in db.execute(sql, *parameters)]


if SCHEME == "snowflake":
    assert column("SELECT body FROM message WHERE id = ?", int(id)) == column("SELECT body FROM message WHERE id = ?", str(id)) == ["hello"]

# ODBC's dates have no zone, so the session's must be theirs.
utc = [datetime(2025, 6, 15, 3, 0, 0, 250000), datetime(2025, 6, 15, 6, 0, 0, 250000)]
native = f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound(?) AND id < {SCHEME}_lower_bound(?) ORDER BY id"
assert column(native, *utc) != ["r03", "r04", "r05"]
db.execute("SET TimeZone = 'UTC'")
assert column(native, *utc) == ["r03", "r04", "r05"]
assert column(f"SELECT {SCHEME}_time(id) FROM message WHERE body = 'r05'") == [datetime(2025, 6, 15, 5, 0, 0, 252000)]

# What tools find of the column.
[id] = [row for row in db.cursor().columns(table="message") if row.column_name == "id"]
assert (id.type_name.replace("int8", "bigint"), id.column_def) == (KIND, f"{SCHEME}_next()"), id
