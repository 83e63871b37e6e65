from common import KIND, SCHEME, SINCE, UNTIL, say, say_pages

import os
# recipe: imports
from sqlalchemy import BigInteger, Column, DateTime, Text, cast, create_engine, func, select, text
from sqlalchemy.dialects.postgresql import UUID, base
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.types import UserDefinedType
# end


# recipe: types
class Snowflake(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **_):
        return "snowflake"

    def result_processor(self, dialect, coltype):
        return lambda value: value if value is None else int(value)


class Ulid(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **_):
        return "ulid"


class Sno(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **_):
        return "sno"


# So that reflection, and Alembic, know them.
base.ischema_names.update(snowflake=Snowflake, ulid=Ulid, sno=Sno)
# end
id_type = {"bigint": BigInteger(), "snowflake": Snowflake(), "uuid": UUID(as_uuid=True), "ulid": Ulid(), "sno": Sno()}[KIND]
Base = declarative_base()


# recipe: table
class Message(Base):
    __tablename__ = "message"
    id = Column(id_type, primary_key=True, autoincrement=False, server_default=text(f"{SCHEME}_next()"))
    body = Column(Text, nullable=False)


# end
engine = create_engine(os.environ["DATABASE_URL"])
session = Session(engine)

# recipe: insert
message = Message(body="from the client")
session.add(message)
session.commit()
id = message.id  # INSERT … RETURNING has brought it
# end
say("inserted", id)

[id] = session.execute(select(Message.id).where(Message.body == "r05")).one()
say("read", id)

# recipe: find
message = session.get(Message, id)
# end
say("found", message.body)

lower_bound = getattr(func, f"{SCHEME}_lower_bound")
# recipe: time
between = select(Message).where(Message.id >= lower_bound(SINCE), Message.id < lower_bound(UNTIL)).order_by(Message.id)
# end
say("lower_bound", *(row.body for row in session.scalars(between)))

time = cast(Message.id, Snowflake) if KIND == "bigint" else Message.id
times = DateTime(timezone=True)
casts = select(Message).where(time >= cast(SINCE, times), time < cast(UNTIL, times)).order_by(Message.id)
say("timestamptz", *(row.body for row in session.scalars(casts)))


def following(last):
    # recipe: page
    page = select(Message).where(Message.id < last).order_by(Message.id.desc()).limit(5)
    # end
    return [row.id for row in session.scalars(page)]


say_pages([row.id for row in session.scalars(select(Message).order_by(Message.id.desc()).limit(5))], following)

# Alembic finds nothing to do.
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext


# recipe: alembic
def include_name(name, type_, parent_names):
    return not (type_ == "table" and name.startswith("snowid_"))  # what the extension owns


options = {"compare_type": True, "compare_server_default": True, "include_name": include_name}
# end
changes = compare_metadata(MigrationContext.configure(engine.connect(), opts=options), Base.metadata)
assert changes == [], changes
