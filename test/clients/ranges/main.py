# Numbers in ranges, taken by several threads. A fetch that fails is made again by whoever asks next.
import os
import threading

import psycopg2

from ranges import Numbers

dsn = os.environ["DATABASE_URL"]
db = psycopg2.connect(dsn)
db.autocommit = True
cursor = db.cursor()
cursor.execute("CREATE TABLE segment (name text PRIMARY KEY, next bigint NOT NULL)")
cursor.execute("INSERT INTO segment VALUES ('import', 1), ('small', 1)")

taken = []
numbers = [Numbers(dsn, "import", 100) for _ in range(2)]  # two processes would be the same
threads = [threading.Thread(target=lambda n=n: taken.extend(next(n) for _ in range(1001))) for n in numbers for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("taken", len(taken), len(set(taken)), sep="\t")
cursor.execute("SELECT next FROM segment WHERE name = 'import'")
unused = cursor.fetchone()[0] - 1 - len(taken)
print("unused", 0 <= unused <= 2 * 200, sep="\t")

one = Numbers(dsn, "small", 1)
print("one by one", *(next(one) for _ in range(5)), sep="\t")
lost = Numbers(dsn, "not there yet")
try:
    next(lost)
except TypeError:
    cursor.execute("INSERT INTO segment VALUES ('not there yet', 7)")
    print("after a failure", next(lost), sep="\t")
