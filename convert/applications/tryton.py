"""Writes to Tryton until the file `stop` is there: parties with addresses, contacts, categories and notes. What is committed
is told, and what fails. A transaction that another one was in the way of is tried again, as Tryton's server does."""
import os
import sys
import time

from trytond.config import config

conf, database, told, stop = sys.argv[1:]
config.update_etc(conf)

from trytond import backend
from trytond.pool import Pool
from trytond.transaction import Transaction

Pool.start()
pool = Pool(database)
with Transaction().start(database, 0):
    pool.init()
out = open(told, "a", buffering=1)


def write(n):
    Party, Category, Attachment, Note = map(pool.get, ("party.party", "party.category", "ir.attachment", "ir.note"))
    name = f"{os.getpid()}-{n}"
    parent, = Category.create([{"name": name}])
    child, = Category.create([{"name": name, "parent": parent.id}])
    party, other = Party.create([{
        "name": f"{name}-{i}",
        "addresses": [("create", [{"street": name, "city": "city"}])],
        "contact_mechanisms": [("create", [{"type": "email", "value": f"{name}-{i}@example.com"}])],
        "categories": [("add", [child.id])],
    } for i in range(2)])
    Party.write([other], {"name": f"{name}-other", "replaced_by": party.id, "active": False})
    attachment, = Attachment.create([{"name": name, "resource": str(party), "data": b"data"}])
    note, = Note.create([{"message": name, "resource": str(party)}])
    found = Party.search([("addresses.street", "=", name)])
    if found != [party] or party.create_uid.id != 1 or party.categories != (child,):
        raise ValueError(f"{found}, {party.create_uid}, {party.categories}")
    return [parent, child, party, other, attachment, note, *party.addresses, *party.contact_mechanisms]


n = 0
while not os.path.exists(stop):
    n += 1
    for tries in reversed(range(config.getint("database", "retry") + 1)):
        try:
            with Transaction().start(database, 1, context={"active_test": True}):
                rows = [f"{row.__class__._table} {row.id}" for row in write(n)]
            out.write("".join(f"{row}\n" for row in rows))
            time.sleep(0.5)  # as users do between requests
            break
        except backend.DatabaseOperationalError as error:
            if not tries:
                out.write(f"failed {error}\n".replace("\n", " ") + "\n")
        except Exception as error:
            out.write(f"failed {type(error).__name__}: {error}".replace("\n", " ") + "\n")
            break
