import datetime
import uuid

from common import KIND, SCHEME, SINCE, UNTIL, say, say_pages

# recipe: connect
import os
import pyodbc

pyodbc.native_uuid = True  # without this, a UUID is read as a str in upper case
db = pyodbc.connect(
    "Driver={{PostgreSQL Unicode}};Server={PGHOST};Port={PGPORT};Database={PGDATABASE};Uid={PGUSER};Pwd={PGPASSWORD}".format(**os.environ)
)
# end


def column(sql, *parameters):
    return [value for [value] in db.execute(sql, *parameters)]


# recipe: insert
id = db.execute("INSERT INTO message (body) VALUES (?) RETURNING id", "from the client").fetchval()
# an int for a bigint, a UUID, or a str: a snowflake is one by int(id)
# end
assert type(id) is {"bigint": int, "uuid": uuid.UUID}.get(KIND, str)
db.commit()
say("inserted", id)

[id] = column("SELECT id FROM message WHERE body = 'r05'")
say("read", id)
if SCHEME == "snowflake":
    assert column("SELECT body FROM message WHERE id = ?", int(id)) == column("SELECT body FROM message WHERE id = ?", str(id)) == ["r05"]

# recipe: find
found = db.execute("SELECT body FROM message WHERE id = ?", id).fetchval()
# end
say("found", found)

# recipe: time
# A datetime would lose its zone on the way.
between = db.execute(
    f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound(?) AND id < {SCHEME}_lower_bound(?) ORDER BY id",
    SINCE.isoformat(), UNTIL.isoformat(),
).fetchall()
# end
say("lower_bound", *(body for [body] in between))

time = "id::snowflake" if KIND == "bigint" else "id"
say("timestamptz", *column(f"SELECT body FROM message WHERE {time} >= ?::timestamptz AND {time} < ?::timestamptz ORDER BY id",
    SINCE.isoformat(), UNTIL.isoformat()))


def following(last):
    # recipe: page
    page = db.execute("SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT 5", last).fetchall()
    # end
    return [id for [id] in page]


say_pages(column("SELECT id FROM message ORDER BY id DESC LIMIT 5"), following)

# ODBC's dates have no zone, so the session's must be theirs.
utc = [date.astimezone(datetime.timezone.utc).replace(tzinfo=None) for date in (SINCE, UNTIL)]
native = f"SELECT body FROM message WHERE id >= {SCHEME}_lower_bound(?) AND id < {SCHEME}_lower_bound(?) ORDER BY id"
assert column(native, *utc) != ["r03", "r04", "r05"]
# recipe: utc
db.execute("SET TimeZone = 'UTC'")
# end
assert column(native, *utc) == ["r03", "r04", "r05"]
assert column(f"SELECT {SCHEME}_time(id) FROM message WHERE body = 'r05'") == [datetime.datetime(2025, 6, 15, 5, 0, 0, 252000)]

# What tools find of the column.
[id] = [row for row in db.cursor().columns(table="message") if row.column_name == "id"]
assert (id.type_name.replace("int8", "bigint"), id.column_def) == (KIND, f"{SCHEME}_next()"), id
