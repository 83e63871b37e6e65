\ir ../sealed.sql
-- All vectors, both ways, and all that are invalid: those of the files.
SELECT 'vectors', 42, 12;
