# recipe: django
from django.conf import settings
from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path, register_converter

from models import Message
from sealed import seal, unseal


class SealedMessage:
    regex = "msg_[0-9A-Za-z]{22}"

    def to_python(self, token):
        return unseal(token, "msg", settings.SEAL_KEYS)  # a ValueError is a 404

    def to_url(self, id):
        return seal(id, "msg", settings.SEAL_KEYS[0])


def message(request, id):
    found = get_object_or_404(Message, pk=id)
    return JsonResponse({"id": seal(found.id, "msg", settings.SEAL_KEYS[0]), "body": found.body})


register_converter(SealedMessage, "sealed_message")
urlpatterns = [path("messages/<sealed_message:id>", message, name="message")]
# end
