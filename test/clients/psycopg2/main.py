from common import KIND, SCHEME, SINCE, UNTIL, say, say_pages

# recipe: connect
import os
import uuid
import psycopg2
import psycopg2.extras

db = psycopg2.connect(os.environ["DATABASE_URL"])
psycopg2.extras.register_uuid()
# end
cursor = db.cursor()
# recipe: snowflake
# Without this, ids of type snowflake are read as str.
cursor.execute("SELECT 'snowflake'::regtype::oid")
[oid] = cursor.fetchone()
snowflake = psycopg2.extensions.new_type((oid,), "snowflake", lambda text, _: int(text) if text is not None else None)
psycopg2.extensions.register_type(snowflake, db)
# end

# recipe: insert
cursor.execute("INSERT INTO message (body) VALUES (%s) RETURNING id", ["from the client"])
[id] = cursor.fetchone()  # an int, a UUID, or a str for a ulid or a sno
# end
assert type(id) is {"uuid": uuid.UUID, "ulid": str, "sno": str}.get(KIND, int)
db.commit()
say("inserted", id)

cursor.execute("SELECT id FROM message WHERE body = 'r05'")
[id] = cursor.fetchone()
say("read", id)

# recipe: find
cursor.execute("SELECT body FROM message WHERE id = %s", [id])
# end
say("found", *cursor.fetchone())

# recipe: time
cursor.execute(
    f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound(%s) AND id < {SCHEME}_lower_bound(%s) ORDER BY id",
    [SINCE, UNTIL],
)
# end
say("lower_bound", *(body for [body] in cursor))

time = "id::snowflake" if KIND == "bigint" else "id"
cursor.execute(f"SELECT body FROM message WHERE {time} >= %s::timestamptz AND {time} < %s::timestamptz ORDER BY id", [SINCE, UNTIL])
say("timestamptz", *(body for [body] in cursor))


def following(last):
    # recipe: page
    cursor.execute("SELECT id FROM message WHERE id < %s ORDER BY id DESC LIMIT 5", [last])
    # end
    return [id for [id] in cursor]


cursor.execute("SELECT id FROM message ORDER BY id DESC LIMIT 5")
say_pages([id for [id] in cursor], following)
