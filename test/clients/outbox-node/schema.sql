\ir ../outbox.sql
