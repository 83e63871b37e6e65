import re

from common import KIND, SCHEME, SINCE, UNTIL, say, say_pages

import django

django.setup()
from chat.models import Message, Note
from django.db import connection
# recipe: imports
from django.db import models
from django.db.models import DateTimeField, F, Func, Value
# end

# recipe: insert
message = Message.objects.create(body="from the client")
message.id  # from the column's default
# end
say("inserted", message.id)

id = Message.objects.get(body="r05").id
say("read", id)

# recipe: find
message = Message.objects.get(pk=id)
# end
say("found", message.body)

# recipe: time
def lower_bound(time):
    return Func(Value(time), function=f"{SCHEME}_lower_bound", output_field=Message._meta.pk)

between = Message.objects.filter(id__gte=lower_bound(SINCE), id__lt=lower_bound(UNTIL)).order_by("id")
# end
say("lower_bound", *(row.body for row in between))

# recipe: made
made = Func(F("id"), function=f"{SCHEME}_time", output_field=DateTimeField())
recent = Message.objects.annotate(made=made).filter(made__gte=SINCE, made__lt=UNTIL).order_by("id")
# end
assert [row.body for row in recent] == [row.body for row in between]
connection.cursor().execute("SET enable_seqscan = off")  # the table is small
assert re.search(r"Index Cond: .*\bid\b.* >= ", recent.explain()), recent.explain()

time = "message.id::snowflake" if KIND == "bigint" else "message.id"
cast = Message.objects.extra(where=[f"{time} >= %s::timestamptz AND {time} < %s::timestamptz"], params=[SINCE, UNTIL]).order_by("id")
say("timestamptz", *(row.body for row in cast))


def following(last):
    # recipe: page
    page = Message.objects.filter(id__lt=last).order_by("-id")[:5]
    # end
    return [row.id for row in page]


say_pages([row.id for row in Message.objects.order_by("-id")[:5]], following)

# A table that migrations have made and changed.
note = Note.objects.create(body="from a migrated table")
assert Note.objects.get(pk=note.id).stars == 0
