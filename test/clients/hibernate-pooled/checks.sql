-- What psql says of an application with pooled-lo: each nextval() is the first of 50 numbers, and SQL may take one as well.
SELECT 'inserted', 210, 210;
SELECT 'first', 1, 50, 101;
SELECT 'rows', 211, 211;
