from django.db import models


class Message(models.Model):
    id = models.BigIntegerField(primary_key=True)
    body = models.TextField()

    class Meta:
        app_label = "messages"
        db_table = "message"
        managed = False
