-- What psql says of a client that takes numbers in ranges: none twice, and at most two ranges of each left over.
SELECT 'taken', 8008, 8008;
SELECT 'unused', 'True';
SELECT 'one by one', 1, 2, 3, 4, 5;
SELECT 'after a failure', 7;
