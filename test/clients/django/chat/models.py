from django.db import models


class Note(models.Model):
    # id
    body = models.TextField(unique=True)
    # later: stars = models.IntegerField(default=0)


class Reply(models.Model):
    # id
    note = models.ForeignKey(Note, on_delete=models.CASCADE)
