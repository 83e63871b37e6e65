\ir ../outbox-python/checks.sql
