# recipe: ranges
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg2


class Numbers:
    """Numbers from a row of the table segment. The next range is fetched when half of one is used."""

    def __init__(self, dsn, name, size=1000):
        self.dsn, self.name, self.size = dsn, name, size
        self.lock, self.fetcher = threading.Lock(), ThreadPoolExecutor(1)
        self.numbers, self.coming = range(0), None

    def fetch(self):
        db = psycopg2.connect(self.dsn)
        try:
            with db, db.cursor() as cursor:  # commits: the range is ours, whatever becomes of the rows
                cursor.execute("SET LOCAL synchronous_commit = on")
                cursor.execute("UPDATE segment SET next = next + %s WHERE name = %s RETURNING next", (self.size, self.name))
                [past] = cursor.fetchone()
            return range(past - self.size, past)
        finally:
            db.close()

    def __next__(self):
        with self.lock:
            if not self.numbers:
                coming, self.coming = self.coming or self.fetcher.submit(self.fetch), None
                self.numbers = coming.result()
            number, self.numbers = self.numbers[0], self.numbers[1:]
            if self.coming is None and len(self.numbers) <= self.size // 2:
                self.coming = self.fetcher.submit(self.fetch)
            return number
# end
