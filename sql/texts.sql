-- Other texts of an id: TypeIDs, numbers in other bases, Nano IDs and Cuid2s. The vectors are in the unit tests.
\set SHOW_CONTEXT never
CREATE FUNCTION pg_temp.told(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text; message text; detail text; hint text;
BEGIN
    EXECUTE statement;
    RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', state, message, nullif(detail, ''), nullif(hint, ''));
END $$;

-- TypeIDs, by the specification's examples and both ways
SELECT typeid, typeid_uuid(typeid, typeid_prefix(typeid)) AS uuid, typeid_prefix(typeid) AS prefix,
        typeid_text(typeid_uuid(typeid, typeid_prefix(typeid)), typeid_prefix(typeid)) = typeid AS and_back
    FROM unnest(ARRAY['00000000000000000000000000', '0000000000000000000000000a', '7zzzzzzzzzzzzzzzzzzzzzzzzz', 'prefix_0123456789abcdefghjkmnpqrs',
        'prefix_01h455vb4pex5vsknk084sn02q', 'pre_fix_00000000000000000000000000', 'a__b_7za45c4115w3ef5yae0qw9dw60', repeat('x', 63) || '_00000000000000000000000001']) AS typeid;
SELECT typeid_text('01890a5d-ac96-774b-bcce-b302099a8057'), typeid_text('01890a5d-ac96-774b-bcce-b302099a8057', ''), typeid_text('01890a5d-ac96-774b-bcce-b302099a8057', prefix => 'user');
SELECT count(*) AS differ FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) AS r WHERE typeid_uuid(typeid_text(id, 'user'), 'user') <> id OR typeid_uuid(typeid_text(id), '') <> id;
SELECT count(*) AS not_in_order FROM (SELECT typeid_text(id, 'u') COLLATE "C" AS t, lag(typeid_text(id, 'u')) OVER (ORDER BY id) COLLATE "C" AS before
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) AS r) AS o WHERE t <= before;
SELECT typeid, pg_temp.told(format('SELECT typeid_prefix(%L)', typeid)) FROM unnest(ARRAY['', '_', 'user', 'user_', '_00000000000000000000000000', 'user_0000000000000000000000000',
    'user_000000000000000000000000000', 'User_00000000000000000000000000', '1_00000000000000000000000000', 'user__00000000000000000000000000', 'user_0000000000000000000000000u',
    'user_0000000000000000000000000A', 'user_80000000000000000000000000', 'é_00000000000000000000000000', repeat('x', 64) || '_00000000000000000000000000', ' user_00000000000000000000000000']) AS typeid;
SELECT pg_temp.told(format('SELECT typeid_prefix(%L)', repeat('é', 100000))) ~ '^22P02 \| invalid TypeID: "é{32}\.\.\." \|' AS a_long_one_is_cut;
SELECT pg_temp.told('SELECT typeid_uuid(''user_01h455vb4pex5vsknk084sn02q'', ''cus'')');
SELECT pg_temp.told('SELECT typeid_uuid(''user_01h455vb4pex5vsknk084sn02q'', '''')');
SELECT pg_temp.told('SELECT typeid_uuid(''01h455vb4pex5vsknk084sn02q'', ''user'')');
SELECT pg_temp.told('SELECT typeid_uuid(''user_01h455vb4pex5vsknk084sn02q'', ''User'')');
SELECT prefix, pg_temp.told(format('SELECT typeid_text(gen_random_uuid(), %L)', prefix)) FROM unnest(ARRAY['a', 'a_', '_a', 'A', 'a1', 'ä', repeat('x', 63), repeat('x', 64)]) AS prefix;
SELECT typeid_text(NULL), typeid_text(gen_random_uuid(), NULL), typeid_uuid(NULL, 'a'), typeid_uuid('a', NULL), typeid_prefix(NULL);

-- as a generated column, an index and a constraint
CREATE TABLE typed (id uuid PRIMARY KEY DEFAULT uuidv7_next(), shown text GENERATED ALWAYS AS (typeid_text(id, 'user')) STORED,
    friend text CHECK (typeid_prefix(friend) = 'user'));
INSERT INTO typed (friend) SELECT typeid_text(uuidv7_next(), 'user') FROM generate_series(1, 100);
CREATE INDEX ON typed (typeid_uuid(friend, 'user'));
SELECT count(*) FROM typed WHERE typeid_uuid(shown, 'user') = id;
SELECT left(pg_temp.told(format('INSERT INTO typed (friend) VALUES (%L)', friend)), 40) FROM unnest(ARRAY['cus_01h455vb4pex5vsknk084sn02q', 'nobody']) AS friend;
DROP TABLE typed;

-- numbers: all alphabets, both ways
SELECT a AS alphabet, id_text(1593572310593806338, a), id_text(0, a), id_text(-1, a), id_text('-9223372036854775808', a) FROM unnest('{base36,base58,base62,crockford32,flickr58,zbase32}'::text[]) AS a;
SELECT count(*) AS differ FROM unnest('{base36,base58,base62,crockford32,flickr58,zbase32}'::text[]) AS a,
    (SELECT (random() * 9e18)::bigint >> (n % 64) AS id FROM generate_series(1, 2000) AS n UNION ALL SELECT unnest(ARRAY[0, 1, -1, 9223372036854775807, '-9223372036854775808'])) AS r (id)
    WHERE id_number(id_text(id, a), a) <> id OR id_number(id_text(~id, a), a) <> ~id;
SELECT id_text(3844), id_number('100'), id_number('1c7c1jb4df802', 'crockford32') = id_number('1C7C1JB4DF802', alphabet => 'crockford32') AS folded;
SELECT told FROM (VALUES ('', 'base62'), ('-1', 'base62'), ('01', 'base62'), ('00', 'base62'), (' 1', 'base62'), ('1 ', 'base62'), ('é', 'base62'), ('A', 'base36'), ('0', 'base58'),
        ('l', 'base58'), ('U', 'crockford32'), ('I', 'crockford32'), ('1-1', 'crockford32'), ('v', 'zbase32'), ('LygHa16AHYF', 'base62'), ('LygHa16AHYG', 'base62'), ('zzzzzzzzzzzzzzz', 'base36'),
        ('G000000000000', 'crockford32'), ('1', 'base64'), ('1', ''), ('1', 'BASE62')) AS r (number, alphabet),
    LATERAL pg_temp.told(format('SELECT id_number(%L, %L)', number, alphabet)) AS told;
SELECT pg_temp.told('SELECT id_text(1, ''no such alphabet'')');
SELECT left(pg_temp.told(format('SELECT id_number(%L)', repeat('z', 1000000))), 90);
SELECT id_text(NULL), id_text(1, NULL), id_number(NULL), id_number('1', NULL);
CREATE TABLE numbered (id bigint PRIMARY KEY, shown text GENERATED ALWAYS AS (id_text(id)) STORED);
CREATE UNIQUE INDEX ON numbered (id_text(id, 'base36'));
INSERT INTO numbered SELECT n * 1000 FROM generate_series(1, 100) AS n;
SELECT count(*) FROM numbered WHERE id = id_number(shown);
DROP TABLE numbered;

-- random texts: form, size, and none there twice
SELECT count(*), count(DISTINCT id), bool_and(id ~ '^[A-Za-z0-9_-]{21}$') AS of_the_form FROM (SELECT nanoid_next() AS id FROM generate_series(1, 20000)) AS made;
SELECT count(*), count(DISTINCT id), bool_and(id ~ '^[a-z][0-9a-z]{23}$') AS of_the_form FROM (SELECT cuid2_next() AS id FROM generate_series(1, 20000)) AS made;
SELECT bool_and(length(nanoid_next(size)) = size) AS sizes FROM generate_series(2, 64) AS size;
SELECT bool_and(cuid2_next(length) ~ format('^[a-z][0-9a-z]{%s}$', length - 1)) AS sizes FROM generate_series(2, 32) AS length;
SELECT bool_and(nanoid_next(64, left('0123456789abcdefghijklmnopqrstuvwxyz', count)) ~ format('^[%s]{64}$', left('0123456789abcdefghijklmnopqrstuvwxyz', count))) AS alphabets FROM generate_series(2, 36) AS count;
SELECT bool_and(nanoid_next(20, alphabet) ~ format('^[%s]{20}$', alphabet)) AS of_each_row FROM (SELECT CASE n % 2 WHEN 0 THEN 'ab' ELSE 'xyz' END AS alphabet FROM generate_series(1, 1000) AS n) AS r;
SELECT length(nanoid_next(30, (SELECT string_agg(chr(n), '') FROM generate_series(1, 127) AS n)));
SELECT pg_temp.told(format('SELECT nanoid_next(%s)', size)) FROM unnest(ARRAY[-1, 0, 1, 65, 2147483647]) AS size;
SELECT pg_temp.told(format('SELECT cuid2_next(%s)', size)) FROM unnest(ARRAY[-2147483648, 1, 33]) AS size;
SELECT pg_temp.told(format('SELECT nanoid_next(21, %L)', alphabet)) FROM unnest(ARRAY['', 'a', 'aa', 'abca', 'äb']) AS alphabet;
SELECT nanoid_next(NULL), nanoid_next(21, NULL), cuid2_next(NULL);
