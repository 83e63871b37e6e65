import os

DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"]}}
INSTALLED_APPS = ["chat"]
DEFAULT_AUTO_FIELD = "chat.fields.SnowflakeField"
USE_TZ = True
SECRET_KEY = "for a test"
