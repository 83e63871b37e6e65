"""What is compared: every way to make an id, and every type of key."""
from dataclasses import dataclass

import psycopg2


@dataclass
class Generator:
    name: str
    sql: str
    ours: bool = False
    yardstick: bool = False
    before: str = ""  # SQL that it needs once


GENERATORS = [
    Generator("empty C function", "bench_empty()", yardstick=True),
    Generator("empty C function, 16 bytes", "bench_empty16()", yardstick=True),
    Generator("clock_gettime alone", "bench_clock()", yardstick=True),
    Generator("compare-and-swap alone", "bench_swap()", yardstick=True),
    Generator("snowflake_next()", "snowflake_next()", ours=True),
    Generator("snowflake_next('g0')", "snowflake_next('g0')", ours=True,
              before="SELECT snowid_generator_create('g' || i, worker => i) FROM generate_series(0, 6) i"),
    Generator("sno_next()", "sno_next(0)", ours=True),
    Generator("uuidv7_next()", "uuidv7_next()", ours=True),
    Generator("ulid_next()", "ulid_next()", ours=True),
    Generator("ksuid_next()", "ksuid_next()", ours=True),
    Generator("objectid_next()", "objectid_next()", ours=True),
    Generator("rsxid_next()", "rsxid_next()", ours=True),
    Generator("sandflake_next()", "sandflake_next()", ours=True),
    Generator("nextval()", "nextval('bench_seq_1')"),
    Generator("nextval(), cache 32", "nextval('bench_seq_32')"),
    Generator("nextval(), cache 1000", "nextval('bench_seq_1000')"),
    Generator("gen_random_uuid()", "gen_random_uuid()"),
    Generator("uuidv7() of PostgreSQL", "pg_catalog.uuidv7()"),
    Generator("Instagram's PL/pgSQL", "insta5.next_id()"),
]


@dataclass
class Key:
    name: str
    type: str
    default: str


KEYS = [
    Key("bigserial", "bigint", "nextval('bench_seq_1')"),
    Key("snowflake", "bigint", "snowflake_next()"),
    Key("uuid v4", "uuid", "gen_random_uuid()"),
    Key("uuid v7", "uuid", "uuidv7_next()"),
    Key("ulid", "ulid", "ulid_next()"),
    Key("sno", "sno", "sno_next(0)"),
]


def available(session, things, note, sql=lambda thing: f"SELECT {thing.sql}"):
    """Those that this server has. A missing one is a line in the report."""
    there = []
    for thing in things:
        try:
            if getattr(thing, "before", ""):
                session.run(thing.before)
            session.run(sql(thing))
            there.append(thing)
        except (psycopg2.errors.UndefinedFunction, psycopg2.errors.UndefinedObject) as error:
            note(f"{thing.name}: left out, this server does not have it ({str(error).splitlines()[0]})")
    return there


def columns(session, note):
    return available(session, KEYS, note, lambda key: f"SELECT {key.default}::{key.type}")
