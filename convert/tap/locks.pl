# A plan waits for nobody's lock but on its own tables. A conversion plans without locks, and under them reads only whether
# the plan still holds: each kind of change in between is noticed, and what is read grows with the tables that change.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('locks', 'autovacuum = off', "statement_timeout = '300s'", 'fsync = off', 'client_min_messages = warning',
    'max_prepared_transactions = 1');
$node->start;

sql(<<'SQL');
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_convert;
CREATE ROLE other;
CREATE DOMAIN part_of AS int CHECK (VALUE > -10);
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TABLE orders (id serial PRIMARY KEY, item text, n part_of, CHECK (id > 0));
CREATE TABLE line (id serial PRIMARY KEY, order_id int REFERENCES orders, price int);
CREATE INDEX line_order ON line (order_id) WHERE price > 0;
CREATE VIEW shown AS SELECT id, item FROM orders;
CREATE VIEW shown_again AS SELECT id FROM shown;
CREATE TRIGGER touch BEFORE UPDATE ON line FOR EACH ROW EXECUTE FUNCTION nothing();
CREATE POLICY few ON line USING (price > 0);
CREATE RULE no_delete AS ON DELETE TO line WHERE OLD.price = 1 DO INSTEAD NOTHING;
CREATE STATISTICS line_stat ON order_id, price FROM line;
INSERT INTO orders (item) VALUES ('tea');
INSERT INTO line (order_id, price) VALUES (1, 5);
-- somebody else's, with all that has expressions
CREATE TABLE strange (id serial PRIMARY KEY, order_id int DEFAULT 1 + 1 CHECK (order_id > 0), double int GENERATED ALWAYS
    AS (price * 2) STORED, price int);
CREATE INDEX ON strange ((price + 1)) WHERE price > 1;
CREATE VIEW of_strange AS SELECT price FROM strange WHERE price > 2;
CREATE FUNCTION strange_price(order_id int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT price FROM strange WHERE id = order_id; END;
CREATE TRIGGER touch BEFORE UPDATE ON strange FOR EACH ROW WHEN (NEW.price > 3) EXECUTE FUNCTION nothing();
CREATE POLICY few ON strange USING (price > 4);
CREATE PUBLICATION everything FOR ALL TABLES;
SQL

# --- the locks of others -----------------------------------------------------------------------------------------------

my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK TABLE strange, of_strange IN ACCESS EXCLUSIVE MODE');
for my $arguments ("'orders'", "'orders', online => true", "'line'", "'orders', target => 'bigserial'") {
    is($node->psql('postgres', "SET lock_timeout = '2s'; SELECT count(*) FROM snowid_convert_plan($arguments)"), 0,
        "a plan of $arguments waits for nobody");
}
is($node->psql('postgres', "SET lock_timeout = '2s'; SELECT count(*) FROM snowid_convert_candidates('orders')"), 0,
    'nor does a list of candidates');
$holder->query_safe('COMMIT');
$holder->quit;
sql('DROP PUBLICATION everything');

# --- what a plan is made from --------------------------------------------------------------------------------------------

# In one transaction, so that nothing stays: a row that it has written has its number.
my @changes = (
    'ALTER TABLE orders ADD more int', 'ALTER TABLE line ADD more int', 'ALTER TABLE line DROP price CASCADE',
        'ALTER TABLE orders RENAME item TO thing', 'ALTER TABLE line RENAME TO lines',
    'ALTER TABLE orders ALTER item SET NOT NULL', "ALTER TABLE orders ALTER item SET DEFAULT 'x'",
        'ALTER TABLE orders ALTER id DROP DEFAULT', 'ALTER TABLE orders ALTER n TYPE bigint',
    'ALTER TABLE line ALTER price SET STATISTICS 5', 'ALTER TABLE orders OWNER TO other', 'GRANT SELECT ON orders TO other',
        'GRANT SELECT (order_id) ON line TO other', 'ALTER TABLE line ENABLE ROW LEVEL SECURITY',
    'ALTER TABLE line REPLICA IDENTITY FULL', 'ALTER TABLE line SET SCHEMA pg_temp', 'ALTER TABLE line CLUSTER ON line_pkey',
    'CREATE INDEX ON line (price)', 'DROP INDEX line_order', 'ALTER INDEX line_order RENAME TO lines_order',
    'ALTER TABLE line ADD CHECK (price > 0)', 'ALTER TABLE line DROP CONSTRAINT line_order_id_fkey',
        'CREATE TABLE third (order_id int REFERENCES orders)', 'ALTER TABLE orders ADD CONSTRAINT one UNIQUE (item)',
    'ALTER TABLE strange ADD FOREIGN KEY (order_id) REFERENCES orders', 'CREATE TABLE child () INHERITS (orders)',
    'CREATE TRIGGER later AFTER INSERT ON line FOR EACH ROW EXECUTE FUNCTION nothing()', 'ALTER TABLE line DISABLE TRIGGER touch',
        'DROP TRIGGER touch ON line', 'CREATE OR REPLACE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN OLD; END$$',
    'CREATE RULE no_update AS ON UPDATE TO line DO INSTEAD NOTHING', 'DROP RULE no_delete ON line',
        'CREATE POLICY more ON line USING (true)', 'ALTER POLICY few ON line USING (price > 1)',
    'CREATE VIEW third AS SELECT order_id FROM line', 'CREATE OR REPLACE VIEW shown AS SELECT id, item, n FROM orders',
        'DROP VIEW shown_again', 'GRANT SELECT ON shown TO other', "COMMENT ON VIEW shown IS 'x'",
        'CREATE VIEW third AS SELECT id FROM shown_again',
    'CREATE MATERIALIZED VIEW third AS SELECT id FROM orders', 'CREATE STATISTICS more ON id, item FROM orders',
        'DROP STATISTICS line_stat', 'ALTER STATISTICS line_stat SET STATISTICS 5',
    "COMMENT ON COLUMN orders.id IS 'x'", "COMMENT ON CONSTRAINT line_order_id_fkey ON line IS 'x'", "COMMENT ON INDEX line_order IS 'x'",
    'ALTER SEQUENCE orders_id_seq INCREMENT BY 2', 'ALTER SEQUENCE orders_id_seq OWNED BY NONE',
        "ALTER TABLE strange ALTER id SET DEFAULT nextval('orders_id_seq')", 'ALTER DOMAIN part_of ADD CHECK (VALUE < 10)',
    'CREATE FUNCTION third() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT order_id FROM line; END',
        'CREATE PUBLICATION third FOR TABLE line', 'CREATE PUBLICATION third FOR ALL TABLES',
        'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO other', 'ALTER SCHEMA public RENAME TO was_public');
my $print = "SELECT _snowid_convert.fingerprint('{orders,line}'::regclass[]::oid[])";
is(sql($print), sql($print), 'nothing has changed');
sql('VACUUM ANALYZE orders, line; SELECT nextval(\'orders_id_seq\')');
my $before = sql($print);
is(sql("VACUUM ANALYZE orders, line; INSERT INTO line (price) VALUES (2); UPDATE orders SET item = item; $print"), $before,
    'nor do rows and statistics change anything');
is(sql("ALTER TABLE strange ADD more int; CREATE INDEX ON strange (more); $print"), $before, 'nor do the tables of others');
for my $change (@changes) {
    $change =~ s/SET SCHEMA pg_temp/SET SCHEMA elsewhere/ and sql('CREATE SCHEMA IF NOT EXISTS elsewhere');
    my $tables = sql("SELECT '{' || 'orders'::regclass::oid || ',' || 'line'::regclass::oid || '}'");
    my $after = sql("BEGIN; $change; SELECT _snowid_convert.fingerprint('$tables'); ROLLBACK");
    isnt($after, $before, "noticed: $change");
}

# --- a change between the plan and its locks -------------------------------------------------------------------------------

# The one who changes something holds a lock that lets plans through, so the conversion waits with its plan made.
sub changed_meanwhile {
    my ($change, $call) = @_;
    my $changer = $node->background_psql('postgres');
    $changer->query_safe('BEGIN; LOCK TABLE orders, line IN SHARE MODE');
    my $converter = $node->background_psql('postgres', on_error_stop => 0);
    $converter->query_until(qr/begins/, "\\echo begins\nSET client_min_messages = notice;\n$call;\n\\echo ended\n");
    ok($node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock')"),
        "$change: the conversion waits");
    $changer->query_safe("$change; COMMIT");
    $changer->quit;
    $converter->query_until(qr/done/, "\\echo done\n");
    my $told = $converter->{stderr};
    $converter->quit;
    return $told;
}
sql('DROP VIEW shown CASCADE');  # one that others use is in the way
my $call = "CALL snowid_convert('orders', rewrite => true, lock_timeout => '30 s')";
like(changed_meanwhile('CREATE TABLE return (order_id int REFERENCES orders); CREATE VIEW returned AS SELECT order_id FROM return', $call),
    qr/NOTICE:  the definition of (public\.)?orders or of a table .* has changed, planning again/, 'it plans again');
is(sql("SELECT string_agg(atttypid::regtype::text, ',') FROM pg_attribute WHERE (attrelid, attname) IN (('orders'::regclass, 'id'),
    ('line'::regclass, 'order_id'), ('return'::regclass, 'order_id'), ('returned'::regclass, 'order_id'))"),
    'bigint,bigint,bigint,bigint', 'and converts what has come too');
sql("CALL snowid_convert('orders', target => 'bigserial')");
unlike(changed_meanwhile('UPDATE orders SET item = item', 'CALL snowid_convert(\'orders\', lock_timeout => \'30 s\')'), qr/planning again/,
    'writers do not disturb it');

# No session holds what a prepared transaction does.
sql("BEGIN; SELECT FROM line; PREPARE TRANSACTION 'it''s forgotten'");
like(($node->psql('postgres', "CALL snowid_convert('line', lock_timeout => '50 ms', rewrite => true)"))[2],
    qr/DETAIL:  Prepared transaction 'it''s forgotten' holds AccessShareLock on (public\.)?line/, 'a prepared transaction is named');
sql("ROLLBACK PREPARED 'it''s forgotten'");

# Who reads a view holds it, and waits for its table. A conversion stops before it drops the view, until a reader waits too.
sql(<<'SQL');
CREATE FUNCTION stop() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('application_name') = 'converter' THEN
        PERFORM pg_advisory_lock(1), pg_advisory_unlock(1);
    END IF;
END $$;
CREATE EVENT TRIGGER stop ON ddl_command_start WHEN TAG IN ('DROP VIEW') EXECUTE FUNCTION stop();
SQL
for my $way ('at once', 'online') {
    sql('CREATE TABLE viewed (id serial PRIMARY KEY); CREATE VIEW read AS SELECT id FROM viewed');
    my $call = "CALL snowid_convert('viewed', rewrite => true)";
    if ($way eq 'online') {
        my $plan = "FROM snowid_convert_plan('viewed', online => true) WHERE statement IS NOT NULL";
        $node->psql('postgres', "SELECT statement $plan AND coalesce(note, '') !~ '^(the|after the) swap' ORDER BY step \\gexec");
        $call = sql("SELECT statement $plan AND note ~ '^the swap'");
    }
    my ($stopper, $converter, $reader) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 3;
    $stopper->query_safe('SELECT pg_advisory_lock(1)');
    $converter->query_until(qr/begins/, "\\echo begins\nSET application_name = 'converter'; SET client_min_messages = notice;\n$call;\n"
            . "\\echo ended\n");
    my $waiting = 'SELECT count(*) FROM pg_locks WHERE NOT granted';
    ok($node->poll_query_until('postgres', "SELECT ($waiting) = 1"), "$way: the conversion stops");
    $reader->query_until(qr/begins/, "\\echo begins\nSELECT count(*) FROM read;\n\\echo ended\n");
    ok($node->poll_query_until('postgres', "SELECT ($waiting) = 2"), 'a reader waits');
    $stopper->query_safe('SELECT pg_advisory_unlock(1)');
    $_->query_until(qr/ended/, '') for $converter, $reader;
    unlike($converter->{stderr} . $reader->{stderr}, qr/deadlock|could not lock/, 'neither is in the way of the other');
    is(sql("SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'read'::regclass"), 'bigint', 'it has gone through');
    $_->quit for $stopper, $converter, $reader;
    sql('DROP TABLE viewed CASCADE');
}
sql('DROP EVENT TRIGGER stop');

# Nor is a writer who takes them in another order: who asks the sequence first, writes a row before the one that refers to it, or
# reads a partition before its table.
sql('CREATE SCHEMA app; CREATE TABLE app.a (id bigserial PRIMARY KEY);
    CREATE TABLE app.b (id bigserial PRIMARY KEY, a bigint REFERENCES app.a);
    CREATE SCHEMA parts; CREATE TABLE parts.p (id bigserial PRIMARY KEY) PARTITION BY RANGE (id);
    CREATE TABLE parts.p1 PARTITION OF parts.p DEFAULT');
for my $order ([ 'a_id_seq', "SELECT nextval('app.a_id_seq')", 'INSERT INTO app.a VALUES (1)' ],
    [ 'a', 'INSERT INTO app.a VALUES (2)', 'INSERT INTO app.b VALUES (2, 2)' ],
    [ 'p1', 'SELECT count(*) FROM parts.p1', 'SELECT count(*) FROM parts.p', 'parts' ]) {
    my ($relation, $first, $then, $schema) = (@$order, 'app');
    my ($writer, $converter) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
    $writer->query_safe("SET deadlock_timeout = '3 s'; BEGIN; $first");
    $converter->query_until(qr/begins/, "\\echo begins\nSET deadlock_timeout = '5 s';\nBEGIN; CALL snowid_convert(schema => '$schema',"
            . " lock_timeout => '30 s'); ROLLBACK;\n\\echo ended\n");
    ok($node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = '$schema.$relation'::regclass)"),
        "$first: the conversion waits for it");
    ok($writer->query_safe("$then; COMMIT; SELECT 'done'") =~ /done/, 'and not the writer for the conversion');
    $converter->query_until(qr/ended/, '');
    unlike($converter->{stderr}, qr/ERROR/, 'which goes through then');
    $_->quit for $writer, $converter;
}

# --- what is read under the locks ------------------------------------------------------------------------------------------

# Tables that refer to one key, in a database with many others. The counters are of what the session has not
# reported yet, which it does at most once a second unless it is told to.
sub rows_read {
    my ($n) = @_;
    my $tables = "(SELECT array_agg(oid) FROM pg_class WHERE relkind = 'r' AND relname IN ('hub', " . join(', ',
        map { "'spoke_$_'" } 1 .. $n) . '))';
    my $count = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_sys_tables
        WHERE schemaname = 'pg_catalog'";
    my ($with, $without) = map { sql("SELECT pg_stat_force_next_flush(); BEGIN; CREATE TEMPORARY TABLE asked
        ON COMMIT DROP AS SELECT $tables AS tables; $_; $count; COMMIT") =~ /(\d+)\s*$/ }
        'SELECT length(_snowid_convert.fingerprint(tables)) FROM asked', 'SELECT length(tables::text) FROM asked';
    return $with - $without;
}
sql('CREATE TABLE hub (id serial PRIMARY KEY); ' . join('; ',
    map { "CREATE TABLE spoke_$_ (id serial PRIMARY KEY, hub_id int REFERENCES hub, note text CHECK (note <> ''))" } 1 .. 40));
sql('CREATE SCHEMA many; ' . join('; ', map { "CREATE TABLE many.t$_ (id serial PRIMARY KEY, n int CHECK (n > 0))" } 1 .. 200) .
    '; VACUUM ANALYZE');
my (undef, $ten, $twenty, $forty) = map { rows_read($_) } 1, 10, 20, 40;  # the first fills the session's caches
note("rows of the catalogue that are read: $ten for 10 tables, $twenty for 20, $forty for 40");
cmp_ok($forty - $twenty, '<', 2.2 * ($twenty - $ten), 'what is read under the locks grows with the tables');
sql('CREATE SCHEMA more; ' . join('; ', map { "CREATE TABLE more.t$_ (id serial PRIMARY KEY, n int CHECK (n > 0))" } 1 .. 200) .
    '; VACUUM ANALYZE');
cmp_ok(rows_read(20), '<', 1.1 * $twenty + 50, 'and not with the database');

# --- online: steps that need a lock ----------------------------------------------------------------------------------------

# Each statement of the plan but the swap, and what others see of it then.
sql('CREATE TABLE moved (id serial PRIMARY KEY, up int REFERENCES moved, n int); INSERT INTO moved (n) SELECT generate_series(1, 100);
    ANALYZE moved');
my $plan = "FROM snowid_convert_plan('moved', online => true) WHERE statement IS NOT NULL";
my $to_the_swap = "$plan AND coalesce(note, '') !~ '^(the|after the) swap'";
my $statements = sql("SELECT string_agg(statement, E'\\x01' ORDER BY step) $to_the_swap");
my @seen;
my $busy = $node->background_psql('postgres');
$busy->query_safe("SET application_name = 'busy'; BEGIN; SELECT count(*) FROM moved");
for my $statement (split /\x01/, $statements) {
    next if $statement =~ /^SET/;
    my $mover = $node->background_psql('postgres', on_error_stop => 0);
    # what is told at once would be taken for what came before
    $mover->query_until($busy ? qr/begins/ : qr/ended/, "\\echo begins\nSET client_min_messages = notice;\n$statement;\n\\echo ended\n");
    if ($busy) {
        ok($node->poll_query_until('postgres',
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'CALL _snowid_convert.step%')"),
            'it waits to try again');
        $busy->query_safe('COMMIT');
        $busy->quit;
        $busy = undef;
        $mover->query_until(qr/ended/, '');
        like($mover->{stderr},
            qr/NOTICE:  could not lock public.moved, trying again in [\d.]+ s\nDETAIL:  Process \d+ \(\w+, busy, idle in transaction\) holds AccessShareLock on public.moved/,
            'and says who is in the way');
    }
    $mover->quit;
    push @seen, sql("SET ROLE other; SELECT concat_ws(' ', columns, phase, rows_done, rows_to_do) FROM snowid_conversions
        WHERE \"table\" = 'moved'::regclass");
}
my %seen;
is_deeply([ grep { !$seen{$_}++ } @seen ], [ '{id,up} is to be filled 0 100', '{id,up} is to be validated 100 0',
    '{id,up} lacks 1 indexes 100 0', '{id,up} lacks 1 foreign keys 100 0', '{id,up} ready for the swap 100 0' ],
    'everybody sees how far it is');
is(sql("SELECT count(*) FROM (SELECT strpos(statement, 'convert.ready') AS ready, strpos(statement, 'LOCK TABLE') AS locked,
    strpos(statement, 'convert.still_ready') AS still $plan AND note LIKE 'the swap%') AS s WHERE ready < locked AND locked < still"),
    '1', 'the swap is planned without locks');
like(($node->psql('postgres', "SET client_min_messages = notice; SELECT _snowid_convert.told('moved', 50, 200, 1000, now() - interval '1 h', now())",
    fresh => 1))[2], qr/^$/, 'a fill tells nothing at once');
like(($node->psql('postgres', "SET client_min_messages = notice; SELECT _snowid_convert.told('moved', 50, 200, 1000, now() - interval '1 h',
    now() - interval '1 min')"))[2], qr/NOTICE:  public\.moved: 25 percent, 1000 rows filled, 0 a second, about 0[23]:[0-5]\d:\d\d left/,
    'but then how far it is and how long it will take');
is(sql('SELECT count(percent), count(time_left) FROM snowid_conversions WHERE percent BETWEEN 0 AND 100'), '1|0',
    'so does snowid_conversions, while it fills');
fails_with($node, "SET ROLE other; SELECT _snowid_convert.progressed('moved', 1, 1, 1, now())", 42501, qr/must be owner of table/,
    'nobody tells of the tables of others');
for my $statement ('INSERT INTO _snowid_convert.progress SELECT FROM generate_series(1, 9)', 'BEGIN; LOCK TABLE _snowid_convert.progress',
    'SELECT FROM _snowid_convert.progress FOR SHARE') {
    fails_with($node, "SET ROLE other; $statement", 42501, qr/permission denied for table/, "nor stops them: $statement");
}

# A change while it waits is noticed; without one it goes through.
for my $change ('GRANT SELECT (up) ON moved TO other', '') {
    my $swap = sql("SELECT statement $plan AND note LIKE 'the swap%'");
    my $holder = $node->background_psql('postgres');
    $holder->query_safe('BEGIN; LOCK TABLE moved IN SHARE MODE');
    my $mover = $node->background_psql('postgres', on_error_stop => 0);
    $mover->query_until(qr/begins/, "\\echo begins\n$swap;\n\\echo ended\n");
    ok($node->poll_query_until('postgres',
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'CALL _snowid_convert.step%')"),
        'the swap waits');
    $holder->query_safe("$change; COMMIT");
    $holder->quit;
    $mover->query_until(qr/ended/, '');
    like($mover->{stderr}, qr/the tables of the swap (of public.moved.id have changed since it was planned|have changed while it waited)/, 'a change is noticed')
        if $change;
    $mover->quit;
    is(sql("SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'moved'::regclass AND attname = 'up'"),
        $change ? 'integer' : 'bigint', $change ? 'and nothing is swapped' : 'then it is swapped');
}

# A driver that sends a statement in parts gets that too, and in a transaction nobody waits, because all locks would stay.
my $step = "CALL _snowid_convert.step('{hub}', 'SET LOCAL lock_timeout = ''50 ms''; LOCK TABLE hub IN ACCESS EXCLUSIVE MODE');";
my $holder_of_hub = $node->background_psql('postgres');
$holder_of_hub->query_safe('BEGIN; LOCK TABLE hub IN SHARE MODE');
fails_with($node, "BEGIN; $step", '55P03', qr/due to lock timeout/, 'in a transaction at once');
append_to_file($node->basedir . '/step.sql', $step);
my $driver = IPC::Run::start([ 'pgbench', '-n', '-t', '1', '-M', 'extended', '-f', $node->basedir . '/step.sql',
    $node->connstr('postgres') ], '>', \my $out, '2>', \my $err);
ok($node->poll_query_until('postgres',
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'CALL _snowid_convert.step%')"),
    'a statement in parts waits to try again');
$holder_of_hub->query_safe('COMMIT');
$holder_of_hub->quit;
ok($driver->finish, 'and gets its lock') or diag($err);

# --- a schema is swapped in groups that have no table in common ----------------------------------------------------------------

# The law: a reader sees each table whole, and the rows that it would have seen, whatever has been swapped meanwhile.
sql(<<'SQL');
CREATE SCHEMA two;
CREATE TABLE two.a (id serial PRIMARY KEY, up int REFERENCES two.a);
CREATE TABLE two.of_a (id serial PRIMARY KEY, a int NOT NULL REFERENCES two.a);
CREATE TABLE two.b (id serial PRIMARY KEY, a_too int);
INSERT INTO two.a (up) VALUES (1), (1), (2);
INSERT INTO two.of_a (a) VALUES (1), (2), (3);
INSERT INTO two.b (a_too) VALUES (1), (2), (3);
SQL
my $two = "FROM snowid_convert_plan(schema => 'two', target => 'bigserial', online => true) WHERE statement IS NOT NULL";
is($node->psql('postgres', "SET client_min_messages = error; SELECT statement $two AND coalesce(note, '') !~ '^(the|after the) swap'
    ORDER BY step \\gexec", on_error_stop => 1), 0, 'all but the swaps');
my @swaps = split /\x01/, sql("SELECT string_agg(statement, E'\x01' ORDER BY step) $two AND note ~ '^the swap'");
is(join(' ', map { /^CALL \S+\('\{(.*?)\}/ } @swaps), 'two.a,two.of_a two.b', 'two groups');
my $seen = "SELECT string_agg(concat_ws(' ', a.id, a.up, o.id, o.a, b.id, b.a_too), ',' ORDER BY a.id)
    FROM two.a JOIN two.of_a AS o ON o.a = a.id JOIN two.b ON b.a_too = a.id";
my $rows = sql($seen);
my $types = "SELECT string_agg(DISTINCT concat_ws(' ', attrelid::regclass, atttypid::regtype), ',') FROM pg_attribute
    WHERE attrelid IN ('two.a'::regclass, 'two.of_a'::regclass, 'two.b'::regclass) AND attname IN ('id', 'up', 'a')";
my ($snapshot, $late) = map { $node->background_psql('postgres') } 1 .. 2;
$_->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class') for $snapshot, $late;
sql($swaps[0]);
is(sql($types), 'two.a bigint,two.b integer,two.of_a bigint', 'between the swaps each table is of one kind');
is(sql($seen), $rows, 'a reader of both groups sees all rows then');
is($snapshot->query_safe($seen), $rows, 'so does one whose snapshot is older');
fails_with($node, "BEGIN; $swaps[1]", '55P03', qr/lock timeout/, 'the next swap waits for what has read its tables');
$snapshot->quit;
sql("INSERT INTO two.of_a (a) SELECT id FROM two.a WHERE up = 2; INSERT INTO two.b (a_too) VALUES (3)");
sql($swaps[1]);
is(sql($types), 'two.a bigint,two.b bigint,two.of_a bigint', 'and then goes through');
is($late->query_safe($seen), $rows, 'a snapshot that is older than both swaps has the rows that it had');
$late->quit;

done_testing();
