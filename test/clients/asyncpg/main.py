from common import KIND, SCHEME, SINCE, UNTIL, say

import asyncio
import os
import uuid
import asyncpg


async def main():
    # recipe: connect
    db = await asyncpg.connect(os.environ["DATABASE_URL"])
    # Without this, asyncpg takes and returns ids of type snowflake as str, and refuses an int.
    await db.set_type_codec("snowflake", encoder=str, decoder=int, schema="public")
    # end

    # recipe: insert
    id = await db.fetchval("INSERT INTO message (body) VALUES ($1) RETURNING id", "from the client")
    # end
    assert isinstance(id, {"uuid": uuid.UUID, "ulid": str, "sno": str}.get(KIND, int))
    say("inserted", id)

    id = await db.fetchval("SELECT id FROM message WHERE body = 'r05'")
    say("read", id)

    # recipe: find
    body = await db.fetchval("SELECT body FROM message WHERE id = $1", id)
    # end
    say("found", body)

    # recipe: time
    between = await db.fetch(
        f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound($1) AND id < {SCHEME}_lower_bound($2) ORDER BY id",
        SINCE, UNTIL,
    )
    # end
    say("lower_bound", *(row["body"] for row in between))

    time = "id::snowflake" if KIND == "bigint" else "id"
    cast = await db.fetch(
        f"SELECT body FROM message WHERE {time} >= $1::timestamptz AND {time} < $2::timestamptz ORDER BY id", SINCE, UNTIL)
    say("timestamptz", *(row["body"] for row in cast))

    page = await db.fetch("SELECT id FROM message ORDER BY id DESC LIMIT 5")
    while page:
        say("page", *(row["id"] for row in page))
        last = page[-1]["id"]
        # recipe: page
        page = await db.fetch("SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5", last)
        # end
    await db.close()


asyncio.run(main())
