"""What Django does to keys: the database makes all of them, and fixtures keep theirs."""
import os
import re

import django

django.setup()
from chat.models import Note, Reply
from django.core.management import call_command
from django.db import connection
from django.db.models import DateTimeField, F, Func

KIND, SCHEME = os.environ["KIND"], os.environ["SCHEME"]


def one(sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]


for table in "chat_note", "chat_reply":
    columns = one("SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), nullif(attidentity, ''), pg_get_expr(adbin, adrelid)), ', ' ORDER BY attnum)"
                  " FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)"
                  " WHERE attrelid = %s::regclass AND attnum > 0 AND attname LIKE '%%id'", table)
    default = f" {SCHEME}_next()" if SCHEME == "snowflake" else ""
    assert columns == f"id {KIND}{default}" + (f", note_id {KIND}" if table == "chat_reply" else ""), columns

notes = Note.objects.bulk_create(Note(body=f"note {i}") for i in range(1000))
assert len({note.pk for note in notes}) == 1000
assert [note.body for note in Note.objects.order_by("pk")] == [note.body for note in notes]
assert Note.objects.in_bulk([notes[7].pk])[notes[7].pk] == notes[7]

new, created = Note.objects.get_or_create(body="new")
assert created and new.pk > notes[-1].pk and new.stars == 0
assert Note.objects.get_or_create(body="new") == (new, False)
assert Note.objects.update_or_create(pk=new.pk, defaults={"body": "newer"})[1] is False
assert Note.objects.get(pk=str(new.pk)).body == "newer"
reply = Reply.objects.create(note=new)
assert list(Reply.objects.filter(note__body="newer")) == [reply] == list(new.reply_set.all())
new.body = "newest"
new.save()
assert Note.objects.count() == 1001

# Fixtures, and after them the ids go on.
call_command("dumpdata", "chat", output="chat.json")
before = list(Note.objects.order_by("pk").values()), list(Reply.objects.values())
Note.objects.all().delete()
call_command("loaddata", "chat.json", verbosity=0)
assert before == (list(Note.objects.order_by("pk").values()), list(Reply.objects.values()))
assert Note.objects.create(body="after a fixture").pk > new.pk

connection.cursor().execute("SET enable_seqscan = off")  # the table is small
made = Func(F("id"), function=f"{SCHEME}_time", output_field=DateTimeField())
recent = Note.objects.annotate(made=made).filter(made__gte=Note.objects.annotate(made=made).get(pk=new.pk).made)
assert re.search(r"Index Cond: .*\bid\b.* >= ", recent.explain()), recent.explain()
