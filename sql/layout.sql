-- Layouts: their text, the presets, and reading ids with a given layout.
\getenv source PG_ABS_SRCDIR
\set common :source '/sql/common/begin.sql'
\i :common
SELECT name, layout, workers, tick, capacity, ids_per_second FROM snowid_layouts;
SELECT name, ends_at FROM snowid_layouts;

-- canonical texts
SELECT snowid_layout_canonical('default');
SELECT snowid_layout_canonical(' tick = 1000us , time=41, epoch=2024-01-01 00:00Z ,region=3,dc=3,node=4, sequence=12');
SELECT snowid_layout_canonical('epoch=2010-11-04T01:42:54.6571Z,tick=60s,time=20,sequence=8,machine=16');

-- ids from other systems
SELECT * FROM snowflake_decode(1593572310593806338, 'twitter');
SELECT * FROM snowflake_decode(175928847299117063, 'discord');
SELECT * FROM snowflake_decode(1671372309237077023, layout => 'instagram');
SELECT * FROM snowflake_decode(9223372036854775807, 'sonyflake');
SELECT * FROM snowflake_decode(-1, 'discord');  -- all 64 bits are used: read as unsigned
SELECT * FROM snowflake_decode(9007199254740991, 'js'), snowflake_time(9007199254740992, 'js') AS outside;
SELECT snowflake_encode('2022-11-18 11:50:20.644Z', 382, 2, 'twitter'),
       snowflake_encode('2154-05-15 07:35:11.103Z', 1023, 4095, 'discord') AS the_last_of_discord;
SELECT snowflake_lower_bound('2022-11-18 11:50:20.644Z', 'twitter'),
       snowflake_lower_bound('2100-01-01Z', 'discord') AS negative_as_a_bigint;
SELECT count(DISTINCT snowflake_time(0, layout)) FROM snowid_layouts;
SELECT snowflake_encode('infinity', 0, 0, 'epoch=1900-01-01,tick=1us,time=19,sequence=9');

-- errors in a layout, with hints
SELECT state, message, detail FROM unnest(ARRAY['', 'twiter', 'TWITTER', 'epoch=2024-01-01', 'epoch', 'epoch=2024-01-01,',
        'epoch=2024-01-01,tick=1ms,time=41,,sequence=12',
        'tick=1ms,time=41,worker=10,sequence=12', 'epoch=2024-01-01,time=41,worker=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,worker=10,sequence=12', 'epoch=2024-01-01,tick=1ms,time=41,worker=10',
        'epoch=2024-01-01,tick=1ms,time=41,worker=10,worker=5,sequence=12',
        'epoch=2024-01-01,epoch=2024-01-01,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=1ms,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,Worker=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,a_name_that_is_too_long=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,w o=10,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=0,sequence=12', 'epoch=2024-01-01,tick=1ms,time=41,worker=-1,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=ten,sequence=12', 'epoch=2024-01-01,tick=1ms,time=64,sequence=12',
        'epoch=2024-01-01,tick=1ms,time=41,worker=12,sequence=12', 'epoch=2024-01-01,tick=1ms,time=20,worker=5,sequence=32',
        'epoch=2024-01-01,tick=1ms,time=20,worker=32,sequence=5',
        'epoch=2024-01-01,tick=1ms,time=9,a=1,b=1,c=1,d=1,e=1,f=1,g=1,sequence=5',
        'epoch=2024-01-01,tick=1ms,worker=10,time=41,sequence=12', 'epoch=2024-01-01,tick=1ms,time=54,sequence=2',
        'epoch=2024-02-30,tick=1ms,time=41,sequence=12', 'epoch=yesterday,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01T25:00,tick=1ms,time=41,sequence=12', 'epoch=2024-01-01T00:00+02,tick=1ms,time=41,sequence=12',
        'epoch=1899-12-31,tick=1ms,time=41,sequence=12',
        'epoch=2024-01-01,tick=0ms,time=41,sequence=12', 'epoch=2024-01-01,tick=1,time=41,sequence=12',
        'epoch=2024-01-01,tick=1h,time=41,sequence=12', 'epoch=2024-01-01,tick=9999s,time=41,sequence=12',
        repeat('x', 300), 'epoch=2024-01-01,' || repeat('y', 300) || '=1']) AS bad,
    LATERAL pg_temp.error_of(format('SELECT snowflake_time(5, %L)', bad));
-- ids may have an epoch in the future, but nobody may choose it for new ids
SELECT snowflake_time(0, 'epoch=2999-01-01,tick=1ms,time=41,sequence=12') AT TIME ZONE 'UTC' AS time;
SELECT snowid_layout_canonical('epoch=2999-01-01,tick=1ms,time=41,sequence=12');
SELECT snowflake_time(5, 'twiter');
SELECT snowflake_time(5, NULL) IS NULL AS null_in;

-- the recorded layout of this database's ids
SELECT layout FROM _snowid.layout;
BEGIN;
INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('js'), '-infinity');  -- older than the one made here
SELECT snowflake_time(4096);
ROLLBACK;
SELECT snowflake_time(4096);
INSERT INTO _snowid.layout VALUES ('js', '2026-01-01Z');  -- not its canonical text
BEGIN;
DELETE FROM _snowid.layout;
SAVEPOINT empty;
SELECT snowflake_time(4096);
ROLLBACK TO empty;
INSERT INTO _snowid.layout VALUES (public.snowid_layout_canonical('default'), now());  -- what the hint says
SELECT snowflake_time(4096);
ROLLBACK;
SELECT snowflake_time(4096);
