# recipe: fields
from django.db import models
from django.db.models.fields import AutoFieldMixin


class DefaultIdMixin(AutoFieldMixin):
    """A primary key that INSERT leaves out, and RETURNING brings back. A migration sets the column's default."""

    def db_type(self, connection):
        return self.sql_type


class SnowflakeField(DefaultIdMixin, models.BigIntegerField):
    sql_type = "bigint"  # or "snowflake"

    def from_db_value(self, value, expression, connection):
        return value if value is None else int(value)  # psycopg2 reads the type snowflake as a str


class Uuid7Field(DefaultIdMixin, models.UUIDField):
    sql_type = "uuid"


class UlidField(DefaultIdMixin, models.TextField):
    sql_type = "ulid"
    empty_strings_allowed = False


class SnoField(UlidField):
    sql_type = "sno"
# end
