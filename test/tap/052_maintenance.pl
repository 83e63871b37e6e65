# snowid_maintain as a job: it commits after each table, says what it did, and goes on where it was stopped; what is dropped
# is in the log; rows in a default partition stop their own period, and are settled while others write.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
$node = new_server('maintenance', "timezone = 'UTC'", 'fsync = off', 'wal_level = replica', 'max_wal_senders = 4');
$node->start unless -e $node->data_dir . '/postmaster.pid';
sub log_of { return slurp_file($node->logfile); }
sql('CREATE EXTENSION snowid');

# Each drop is a line of the log, with what went; and none if it was rolled back.
sql(q{CREATE TABLE gone (id bigint, line text) PARTITION BY RANGE (id); SELECT snowid_partition('gone', '1 day', behind => 5);
    INSERT INTO gone SELECT snowflake_lower_bound(now() - interval '5 days') + n, 'x' FROM generate_series(1, 1000) n; ANALYZE gone});
my $begin = sql("SELECT snowid_partition('gone', '1 day', behind => 0, retain => '20 days', expired => 'drop');
    SELECT count(*) FROM snowid_partitions('gone')");
$node->safe_psql('postgres', "BEGIN; SELECT count(*) FROM snowid_partition('gone', '1 day', retain => '1 day'); ROLLBACK");
$node->safe_psql('postgres', "BEGIN; SAVEPOINT s; SELECT count(*) FROM snowid_partition('gone', '1 day', retain => '1 day'); ROLLBACK TO s;
    COMMIT");
unlike(log_of(), qr/LOG:  snowid dropped/, 'what is rolled back is not in the log');
is(sql("SELECT count(*) FROM gone"), 1000, 'and not gone');
sql("BEGIN; SAVEPOINT s; SELECT count(*) FROM snowid_partition('gone', '1 day', retain => '1 day'); RELEASE s; COMMIT");
is(() = log_of() =~ /LOG:  snowid dropped/g, 4, 'each partition that is dropped has a line');
like(log_of(),
    qr/LOG:  snowid dropped public\.gone_\d{8} of public\.gone: ids from \d+ to \d+, times from \S+ \S+ to \S+ \S+, about 1000 rows/,
    'with its bounds and rows');

# A table that fails ends the call with an error; what was done for the others stays.
sql(q{CREATE TABLE ok_1 (id bigint) PARTITION BY RANGE (id); CREATE TABLE ok_2 (id uuid) PARTITION BY RANGE (id);
    CREATE TABLE bad (id bigint) PARTITION BY RANGE (id);
    SELECT snowid_partition(t, '1 day', ahead => 2) FROM unnest('{ok_1,bad,ok_2}'::regclass[]) t;
    SELECT snowid_partition('bad', '1 day', ahead => 2, behind => 5);
    DO $$ DECLARE t regclass; BEGIN FOREACH t IN ARRAY '{ok_1,bad,ok_2}'::regclass[] LOOP EXECUTE 'DROP TABLE ' || (SELECT
        max(partition::text) FROM snowid_partitions(t)); END LOOP; END $$;
    UPDATE _snowid.partitioned SET behind = 0, retain = '3 days' WHERE parent = 'bad'::regclass});
my $locker = $node->background_psql('postgres');
$locker->query_safe('BEGIN; LOCK TABLE ONLY bad IN SHARE UPDATE EXCLUSIVE MODE');
fails_with($node, "CALL snowid_maintain(lock_timeout => '200 ms')", '55000',
    qr/1 of 4 tables could not be maintained.*public\.bad: canceling statement due to lock timeout/s, 'a table that fails');
is(sql("SELECT string_agg(format('%s %s %s', parent, made, sqlstate), ', ' ORDER BY parent::text) FROM snowid_maintenance
    WHERE ended IS NOT NULL"), 'bad 0 55P03, gone 0 , ok_1 1 , ok_2 1 ', 'the others are done, and the table says so');
is(() = log_of() =~ /WARNING:  bad is not maintained/g, 1, 'one warning, though nothing could be made and nothing could go');
like(sql("SELECT string_agg(concat_ws('|', severity, finding), E'\\n') FROM snowid_check() WHERE subject = 'partitions'"),
    qr/warning\|the last snowid_maintain did not maintain bad: canceling statement/, 'the check says it');

# Others see where a run is; a cancel in the middle keeps what was committed; the next one goes on.
sql('DROP TABLE gone');
my $pid_sql = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'CALL snowid_maintain%' AND pid <> pg_backend_pid()";
my $job = $node->background_psql('postgres', on_error_stop => 0);
$job->query_until(qr/started/, "\\echo started\nCALL snowid_maintain(lock_timeout => '10 min');\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM snowid_maintenance WHERE parent = 'bad'::regclass AND ended IS NULL"),
    'a run that waits is seen by others');
sql("SELECT pg_cancel_backend(pid) FROM ($pid_sql) AS job");
ok($node->poll_query_until('postgres', "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'CALL snowid_maintain%'
    AND state = 'active')"), 'it is cancelled');
$job->quit;
is(sql("SELECT ended IS NULL FROM snowid_maintenance WHERE parent = 'bad'::regclass"), 't', 'what was cancelled has no end');
$locker->query_safe('ROLLBACK');
$locker->quit;
sql('CALL snowid_maintain()');
is(sql("SELECT made, ended IS NOT NULL, sqlstate FROM snowid_maintenance WHERE parent = 'bad'::regclass"), '1|t|',
    'the next run does what is left');

# A table that gets another owner meanwhile is told, and the others go on; no error makes a line about another table.
sql(q{CREATE ROLE keeper LOGIN; CREATE ROLE taker; GRANT CREATE ON SCHEMA public TO keeper, taker; SET ROLE keeper;
    CREATE TABLE kept_1 (id bigint) PARTITION BY RANGE (id); CREATE TABLE kept_2 (id bigint) PARTITION BY RANGE (id);
    CREATE TABLE kept_3 (id bigint) PARTITION BY RANGE (id); CREATE TABLE kept_4 (id bigint) PARTITION BY RANGE (id);
    SELECT snowid_partition(t, '1 day', ahead => 2) FROM unnest('{kept_1,kept_2,kept_3,kept_4}'::regclass[]) t;
    DO $$ DECLARE t regclass; BEGIN FOREACH t IN ARRAY '{kept_1,kept_2,kept_3,kept_4}'::regclass[] LOOP EXECUTE 'DROP TABLE ' || (SELECT
        max(partition::text) FROM snowid_partitions(t)); END LOOP; END $$; RESET ROLE;
    CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN IF session_user = 'keeper' AND current_query() ~ 'maintain'
        AND EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ 'kept_[24]') THEN
        RAISE E'refused\nkept_3: forged'; END IF; END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_end EXECUTE FUNCTION refuse()});
fails_with($node, "SET SESSION AUTHORIZATION keeper; CALL snowid_maintain('kept_2')", '55000', qr/1 of 1 tables/, 'one that failed before');
$locker = $node->background_psql('postgres');
$locker->query_safe('BEGIN; LOCK TABLE ONLY kept_1 IN SHARE UPDATE EXCLUSIVE MODE');
my $keeper = $node->background_psql('postgres', on_error_stop => 0);
$keeper->query_until(qr/started/, "\\echo started\nSET SESSION AUTHORIZATION keeper;\nCALL snowid_maintain(lock_timeout => '10 min');\n\\echo ended\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE relation = 'kept_1'::regclass AND NOT granted"), 'it waits');
sql('ALTER TABLE kept_2 OWNER TO taker');
$locker->query_safe('ROLLBACK');
$locker->quit;
$keeper->query_until(qr/ended/, '');
like($keeper->{stderr}, qr/WARNING:  kept_2 is not maintained: another role owns it/, 'a table that has another owner is told');
like($keeper->{stderr}, qr/ERROR:  2 of 4 tables could not be maintained\nDETAIL:  public\.kept_2: another role owns it\n.*kept_4: refused kept_3/,
    'and fails the job');
is(sql("SELECT string_agg(format('%s %s', parent, made), ', ' ORDER BY parent::text) FROM snowid_maintenance WHERE parent::text ~ '^kept'
    AND ended IS NOT NULL"), 'kept_1 1, kept_2 0, kept_3 1, kept_4 0', 'which goes on with the others');
fails_with($node, "SET ROLE keeper; CALL snowid_maintain('kept_2')", '42501', qr/must be owner of table public.kept_2/, 'nor names it');
$keeper->quit;
sql('DROP EVENT TRIGGER refuse; DROP TABLE kept_1, kept_2, kept_3, kept_4');

# A table whose code ends each call, as a timeout does, comes last in the next one.
sql(q{CREATE FUNCTION stop(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
        AS 'BEGIN PERFORM pg_cancel_backend(pg_backend_pid()), pg_sleep(1000); RETURN true; END';
    CREATE TABLE stops (id bigint) PARTITION BY RANGE (id); CREATE TABLE waits (id bigint) PARTITION BY RANGE (id);
    SELECT snowid_partition(t, '1 day') FROM unnest('{stops,waits}'::regclass[]) t;
    DO $$ DECLARE t regclass; BEGIN FOREACH t IN ARRAY '{stops,waits}'::regclass[] LOOP EXECUTE 'DROP TABLE ' || (SELECT
        max(partition::text) FROM snowid_partitions(t)); END LOOP; END $$;
    ALTER TABLE stops ADD CHECK (stop(1)) NOT VALID});
fails_with($node, 'CALL snowid_maintain()', '57014', qr/canceling statement/, "a table that ends the $_ call") for 'first', 'second';
is(sql("SELECT made FROM snowid_maintenance WHERE parent = 'waits'::regclass"), 1, 'does not stop the others for good');
sql('DROP TABLE stops, waits');

# Nor does one whose code catches the cancel: that ends the session, and the other tables of its owner come last as well.
sql(q{CREATE ROLE tenant LOGIN; CREATE SCHEMA of_tenant AUTHORIZATION tenant});
$node->safe_psql('postgres', q{CREATE FUNCTION of_tenant.hold(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
        AS 'BEGIN LOOP BEGIN PERFORM pg_sleep(1000); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END';
    CREATE TABLE of_tenant.one (id bigint) PARTITION BY RANGE (id); CREATE TABLE of_tenant.two (id bigint) PARTITION BY RANGE (id);
    SELECT snowid_partition(t, '1 day') FROM unnest('{of_tenant.one,of_tenant.two}'::regclass[]) t}, user => 'tenant');
sql(q{CREATE TABLE waits (id bigint) PARTITION BY RANGE (id); SELECT snowid_partition('waits', '1 day');
    DO $$ DECLARE t regclass; BEGIN FOREACH t IN ARRAY '{of_tenant.one,of_tenant.two,waits}'::regclass[] LOOP EXECUTE 'DROP TABLE '
        || (SELECT max(partition::text) FROM snowid_partitions(t)); END LOOP; END $$;
    ALTER TABLE of_tenant.one ADD CHECK (of_tenant.hold(1)) NOT VALID; ALTER TABLE of_tenant.two ADD CHECK (of_tenant.hold(1)) NOT VALID});
for my $call ('first', 'second') {
    my $held = 0;
    my (undef, undef, $said) = $node->psql('postgres', "SET statement_timeout = '2s'; CALL snowid_maintain()", fresh => 1, timeout => 120,
        timed_out => \$held);
    sql("SELECT pg_terminate_backend(pid) FROM ($pid_sql) AS job") if $held;
    like($said, qr/FATAL:  terminating connection/, "code that catches the end of the $call call");
}
is(sql("SELECT made FROM snowid_maintenance WHERE parent = 'waits'::regclass"), 1, 'does not stop the others either');
sql('DROP SCHEMA of_tenant CASCADE; DROP TABLE waits; DROP ROLE tenant');

# Where nothing is due it waits for nobody.
$locker = $node->background_psql('postgres');
$locker->query_safe('BEGIN; LOCK TABLE bad');
sql("CALL snowid_maintain('bad', lock_timeout => '1 ms')");
is(sql("SELECT ended IS NOT NULL, sqlstate, covered_until > now() FROM snowid_maintenance WHERE parent = 'bad'::regclass"), 't||t',
    'a table of which nothing is due is not locked');
$locker->query_safe('ROLLBACK');
$locker->quit;

# Two jobs at once, and sessions of any time zone: the same partitions.
my @zones = ('America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
for my $zone (@zones) {
    my $name = lc($zone =~ s/\W/_/gr);
    sql("SET timezone = '$zone'; CREATE TABLE in_$name (id bigint) PARTITION BY RANGE (id);
        SELECT snowid_partition('in_$name', '1 month', ahead => 20, behind => 20); CALL snowid_maintain('in_$name')");
}
is(sql("SELECT count(DISTINCT bounds), count(*) FROM _snowid.partition_times WHERE parent::text LIKE 'in\\_%'"), '41|164',
    'months and DST of a session make no difference');

# A standby that is promoted has what was committed, and goes on.
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
sql("CREATE TABLE moved (id uuid) PARTITION BY RANGE (id); SELECT snowid_partition('moved', '1 day', behind => 30, retain => '40 days',
    expired => 'drop'); UPDATE _snowid.partitioned SET retain = '10 days', behind = 0 WHERE parent = 'moved'::regclass");
my $held = $node->background_psql('postgres');
$held->query_safe('BEGIN; SELECT count(*) FROM moved');
my ($status) = $node->psql('postgres', "CALL snowid_maintain('moved', lock_timeout => '100 ms')");
$held->quit;
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
$node->stop('immediate');
$standby->promote;
$standby->safe_psql('postgres', "CALL snowid_maintain('moved')");
is($standby->safe_psql('postgres', "SELECT cardinality(dropped), error FROM snowid_maintenance WHERE parent = 'moved'::regclass;
    SELECT count(*) FROM snowid_partitions('moved')"), "20|\n14", 'a promoted standby does the rest');
$standby->stop;
$node->start;

# Rows in DEFAULT are moved while others write; no row is lost or twice, and no writer is refused.
sql(q{CREATE TABLE late (id bigint DEFAULT snowflake_next(), line text) PARTITION BY RANGE (id);
    CREATE TABLE late_rest PARTITION OF late DEFAULT;
    SELECT snowid_partition('late', '1 day', ahead => 0, retain => '100 days');
    INSERT INTO late SELECT snowflake_lower_bound(now() + d * interval '1 day') + n, 'late' FROM unnest('{-200,-9,-8,3,7}'::int[]) d,
        generate_series(1, 2000) n});
my @lives = map { "$folder/live$_" } 1 .. 2;
my @writers = map { writer_start($node, $_, query => "INSERT INTO late (line) VALUES ('x') RETURNING id") } @lives;
ok(ids_go_on(\@lives), 'writers write');
sql('SET client_min_messages = error; CALL snowid_partition_settle(\'late\')');
ok(ids_go_on(\@lives), 'writers go on');
writer_stop(@writers);
my %refused = refusals(@lives);
is(join(', ', %refused), '', 'no writer was refused anything');
my $received = check_unique('while rows are settled', @lives);
is(sql("SELECT count(*) FILTER (WHERE line = 'late'), count(DISTINCT id) FILTER (WHERE line = 'late') FROM late"), '10000|10000',
    'no row is lost');
cmp_ok(sql("SELECT count(*) FROM late WHERE line = 'x'"), '>=', $received, 'nor one of the writers');
is(sql("SELECT tableoid::regclass, count(*) FROM late WHERE line = 'late' GROUP BY 1
    ORDER BY tableoid::regclass = 'late_rest'::regclass DESC LIMIT 1"), 'late_rest|2000',
    'what is older than retain stays, so that it does not expire');
sql('CALL snowid_maintain()');
is(sql("SELECT count(*) FROM late WHERE line = 'late'"), 10000, 'and it does not');

# A row moves by DELETE and INSERT. What would take that for a deletion is in the way, on whichever table it is.
sql(q{CREATE TABLE kept (id bigint PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE kept_rest PARTITION OF kept DEFAULT;
    SELECT snowid_partition('kept', '1 day');
    INSERT INTO kept SELECT snowflake_lower_bound(now() - interval '9 days') + n FROM generate_series(1, 10) n;
        CREATE TABLE of_kept AS SELECT id FROM kept;
    CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN DELETE FROM public.of_kept USING old_rows WHERE of_kept.id = old_rows.id; RETURN NULL; END'});
for ([ 'the foreign key of_kept_id_fkey of public.of_kept refers to it',
    'ALTER TABLE of_kept ADD FOREIGN KEY (id) REFERENCES kept_rest ON DELETE CASCADE',
    'ALTER TABLE of_kept DROP CONSTRAINT of_kept_id_fkey' ],
    [ 'the trigger forget of public.kept fires',
        'CREATE TRIGGER forget AFTER DELETE ON kept REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION forget()',
        'DROP TRIGGER forget ON kept' ]) {
    my ($way, $make, $drop) = @$_;
    sql($make);
    fails_with($node, "CALL snowid_partition_settle('kept')", 55000,
        qr/the rows in the default partition of public\.kept cannot be moved: $way/, $way);
    is(sql('SELECT count(*) FROM of_kept'), 10, 'and nothing is deleted');
    sql($drop);
}
sql("SET client_min_messages = error; CALL snowid_partition_settle('kept')");
is(sql('SELECT (SELECT count(*) FROM kept_rest), (SELECT count(*) FROM kept)'), '0|10', 'without them the rows move');

# An empty sub-table of a recorded table: the check names the call that is right for it.
sql(q{CREATE TABLE tenants (tenant int, id bigint DEFAULT snowflake_next()) PARTITION BY LIST (tenant);
    CREATE TABLE tenants_1 PARTITION OF tenants FOR VALUES IN (1) PARTITION BY RANGE (id);
    SELECT snowid_partition('tenants', '1 day'); CREATE TABLE tenants_2 PARTITION OF tenants FOR VALUES IN (2) PARTITION BY RANGE (id);
        ALTER TABLE tenants_2 ALTER id SET DEFAULT snowflake_next();
    CREATE TABLE nobodys (id ulid) PARTITION BY RANGE (id); SELECT snowid_partition('nobodys', '1 day');
        SELECT snowid_partition_forget('nobodys')});
my $findings = sql("SELECT string_agg(concat_ws('|', severity, finding, what_to_do), E'\\n') FROM snowid_check()
    WHERE subject = 'partitions'");
like($findings,
    qr/error\|no partition of tenants_2 takes current ids, so they are refused\|As the owner of the table run CALL snowid_maintain\('tenants'\)/,
        'a sub-table of a recorded table');
like($findings, qr/warning\|nobodys is partitioned by time, and snowid_maintain knows nothing of it/, 'a table that nobody maintains');
sql("CALL snowid_maintain('tenants')");
unlike(sql("SELECT string_agg(finding, E'\\n') FROM snowid_check() WHERE subject = 'partitions'"), qr/tenants_2/,
    'which does what it says');
$node->stop;
done_testing();
