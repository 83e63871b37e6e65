import os

DATABASES = {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"]}}
ROOT_URLCONF = "urls"
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
SECRET_KEY = "for a test"
SEAL_KEYS = {}  # main.py gets it from the database
