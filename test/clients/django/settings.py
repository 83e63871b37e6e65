import os

DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"]}}
INSTALLED_APPS = ["chat"]
USE_TZ = True
SECRET_KEY = "for a test"
