"""What the programs in Python share."""
import os
from datetime import datetime, timezone

KIND = os.environ["KIND"]  # bigint, snowflake, uuid, ulid, sno
SCHEME = os.environ["SCHEME"]  # the prefix of its functions: snowflake, snowflake, uuidv7, ulid, sno
SINCE = datetime(2025, 6, 15, 3, 0, 0, 250000, tzinfo=timezone.utc)
UNTIL = datetime(2025, 6, 15, 6, 0, 0, 250000, tzinfo=timezone.utc)


def say(what, *values):
    print(what, " ".join(map(str, values)), sep="\t", flush=True)


def say_pages(ids, following):
    """Prints pages as lists of ids, newest first: the first one, and those that `following(cursor)` returns."""
    while ids:
        say("page", *ids)
        ids = following(ids[-1])
