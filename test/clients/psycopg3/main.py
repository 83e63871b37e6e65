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


# recipe: outbox
def poll(db, last):
    """Takes over what is new in the outbox, and returns from where to go on."""
    news = db.execute(
        "SELECT id, body FROM outbox WHERE id > %s::bigint AND id < snowid_safe_horizon() ORDER BY id LIMIT 1000", [last]
    ).fetchall()
    for id, body in news:
        db.execute("INSERT INTO inbox VALUES (%s, %s) ON CONFLICT (id) DO NOTHING", [id, body])
    last = news[-1][0] if news else last
    db.execute("UPDATE place SET last = %s", [last])
    db.commit()
    return last
# end


def poll_until(count, last):
    for _ in range(1000):  # the tick of the last id has to end
        last = poll(db, last)
        [known] = db.execute("SELECT count(*) FROM inbox").fetchone()
        if known >= count:
            break
    db.commit()
    assert known == count, known
    return last


db.execute(
    "CREATE TABLE outbox (id snowflake PRIMARY KEY DEFAULT snowflake_next(), body text NOT NULL);"
    "CREATE TABLE inbox (id bigint PRIMARY KEY, body text NOT NULL);"
    "CREATE TABLE place AS SELECT 0::bigint AS last"
)
db.commit()
with psycopg.connect(os.environ["DATABASE_URL"]) as writer:
    writer.execute("INSERT INTO outbox (body) VALUES ('early')")
    db.execute("INSERT INTO outbox (body) VALUES ('late')")
    db.commit()
    assert db.execute("SELECT body FROM outbox WHERE id > 0::bigint ORDER BY id").fetchall() == [("late",)]  # and 'early' would be lost
    db.commit()
    assert poll(db, 0) == 0
    writer.commit()
last = poll_until(2, 0)
assert [body for [body] in db.execute("SELECT body FROM inbox ORDER BY id")] == ["early", "late"]
db.commit()
poll_until(2, 0)  # a place that was not stored
assert poll(db, last) == last
