# An outbox beside transactions that are open, a writer that commits late, and a poller whose program was killed.
import os
import psycopg


# recipe: poll


def connect():
    return psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)


def write(db, body):
    db.execute("INSERT INTO outbox (body) VALUES (%s)", [body])


def poll_until(db, count):
    """The tick of the last id has to end."""
    while len(delivered) < count:
        poll(db, deliver)


delivered = []
def deliver(id, body): delivered.append(body)
db, late, busy, killed = (connect() for _ in range(4))
for other in late, busy, killed:
    other.autocommit = False
busy.execute("SELECT snowflake_next()")  # a transaction that has an id of another generator
write(late, "early")
write(db, "second")
assert poll(db, deliver) == 0  # and 'early' would be lost
late.commit()
poll_until(db, 2)

# The program is killed, and PostgreSQL has not noticed: the session still holds the place, and may commit.
write(db, "third")
killed.execute("SELECT")  # begins, so that poll does not commit
while len(delivered) < 3:
    assert poll(killed, deliver) <= 1
write(db, "fourth")
db.execute("SET lock_timeout = '1s'")
try:
    poll(db, deliver)
    raise AssertionError("two pollers have one place")
except psycopg.errors.LockNotAvailable:
    pass
killed.commit()
poll_until(db, 4)


def refuse(id, body):
    raise ConnectionError


write(db, "fifth")
try:
    while poll(db, refuse) == 0:
        pass
except ConnectionError:  # it is delivered by the next poll
    poll_until(db, 5)
print("delivered", " ".join(delivered), sep="\t")
print("place", "t", sep="\t")
