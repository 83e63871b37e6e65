# A Django application whose addresses and answers have sealed ids, and no others.
import django
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse

django.setup()
with connection.cursor() as cursor:
    cursor.execute("SELECT snowid_seal_key_create()")
    cursor.execute("SELECT snowid_seal_key_reveal(0), id, id_seal(id, 'msg') FROM message WHERE body = 'r05'")
    [revealed, id, token] = cursor.fetchone()
settings.SEAL_KEYS[0] = bytes.fromhex(revealed)

address = reverse("message", args=[id])
answer = Client().get(f"/messages/{token}")
assert address == f"/messages/{token}" and str(id) not in answer.content.decode()
print("sealed", answer.json()["id"], sep="\t")
print("found", answer.json()["body"], sep="\t")
print("status", *(Client().get(f"/messages/{wrong}").status_code for wrong in (
    token[:-1] + ("0" if token[-1] != "0" else "1"), str(id), "ord" + token[3:], token + "x")), sep="\t")
