SELECT 'typeids', 500;
SELECT 'nanoids', 1000;
SELECT 'cuids', 1000;
