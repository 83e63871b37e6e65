from common import KIND, SCHEME, SINCE, UNTIL, say, say_pages

# recipe: connect
import os
import uuid
import psycopg
from psycopg.types import TypeInfo
from psycopg.types.numeric import IntLoader

db = psycopg.connect(os.environ["DATABASE_URL"])
# Without this, ids of type snowflake are read as str.
db.adapters.register_loader(TypeInfo.fetch(db, "snowflake").oid, IntLoader)
# end

# recipe: insert
[id] = db.execute("INSERT INTO message (body) VALUES (%s) RETURNING id", ["from the client"]).fetchone()
# end
assert type(id) is {"uuid": uuid.UUID, "ulid": str, "sno": str}.get(KIND, int)  # and an int for both bigint and snowflake
db.commit()
say("inserted", id)

[id] = db.execute("SELECT id FROM message WHERE body = 'r05'").fetchone()
say("read", id)

# recipe: find
[body] = db.execute("SELECT body FROM message WHERE id = %s", [id]).fetchone()
# end
say("found", body)

# recipe: time
between = db.execute(
    f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound(%s) AND id < {SCHEME}_lower_bound(%s) ORDER BY id",
    [SINCE, UNTIL],
)
# end
say("lower_bound", *(body for [body] in between))

time = "id::snowflake" if KIND == "bigint" else "id"
cast = db.execute(f"SELECT body FROM message WHERE {time} >= %s::timestamptz AND {time} < %s::timestamptz ORDER BY id", [SINCE, UNTIL])
say("timestamptz", *(body for [body] in cast))


def following(last):
    # recipe: page
    page = db.execute("SELECT id FROM message WHERE id < %s ORDER BY id DESC LIMIT 5", [last])
    # end
    return [id for [id] in page]


say_pages([id for [id] in db.execute("SELECT id FROM message ORDER BY id DESC LIMIT 5")], following)
