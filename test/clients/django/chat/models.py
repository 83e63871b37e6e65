from common import KIND
from django.db import models
from chat.fields import SnoField, SnowflakeField, UlidField, Uuid7Field


class TypedSnowflakeField(SnowflakeField):
    sql_type = "snowflake"


Id = {"bigint": SnowflakeField, "snowflake": TypedSnowflakeField, "uuid": Uuid7Field, "ulid": UlidField, "sno": SnoField}[KIND]


# recipe: model
class Message(models.Model):
    id = Id(primary_key=True)
    body = models.TextField()

    class Meta:
        db_table = "message"
# end
        managed = False  # schema.sql has made it


class Note(models.Model):
    id = Id(primary_key=True)
    body = models.TextField()
    stars = models.IntegerField(default=0)

    class Meta:
        db_table = "note"
