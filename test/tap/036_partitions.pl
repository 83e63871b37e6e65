# Partitions that are always there: three tables and a clock that runs through four months, under jobs that overlap and are
# killed; an owner who is hostile; a layout that ends; a live table that becomes partitioned; dumps.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
$node = new_server('partitions', "timezone = 'UTC'", 'fsync = off', 'deadlock_timeout = 100ms', "snowid.clock_jump = '1d'");
my %faked = faked_clock($clock);
start_again($node, %faked);
sub maintained {
    my ($columns, $arguments) = @_;
    $node->psql('postgres', 'CALL snowid_maintain(' . ($arguments // '') . ')');
    return sql("SELECT $columns FROM snowid_maintenance");
}
sql(q{CREATE EXTENSION snowid; CREATE ROLE alice LOGIN; CREATE ROLE mallory LOGIN; CREATE SCHEMA alice AUTHORIZATION alice;
    CREATE SCHEMA mallory AUTHORIZATION mallory;});

# A live table becomes partitioned, as doc/partitions.md says, while others write to it.
my ($page) = slurp_file('doc/partitions.md') =~ /^(SELECT snowflake_lower_bound.* AS until \\gset\n.*?)^```$/ms;
sql(q{SELECT snowid_generator_create('past', worker => 9, backfill => true);
    CREATE TABLE reading (id bigint PRIMARY KEY DEFAULT snowflake_next(), value text);
    INSERT INTO reading SELECT snowflake_at(now() - interval '400 days' + n * interval '1 hour', 'past') FROM generate_series(1, 9000) n});
my @lives = map { "$folder/live$_" } 1 .. 3;
my @writers = map { writer_start($node, $_, query => "INSERT INTO reading (value) VALUES ('x') RETURNING id") } @lives;
ok(ids_go_on(\@lives), 'writers write');
my ($status, $out, $err) = $node->psql('postgres', $page, on_error_stop => 1);
is($status, 0, 'what the page says runs on a live table') or diag($err);
ok(ids_go_on(\@lives), 'writers go on');
writer_stop(@writers);
my %refused = refusals(@lives);
is(join(', ', %refused), '', 'no writer was refused anything');
my $received = check_unique('a live table', @lives);
my $ids = join(',', map { split /\n/, slurp_file($_) } @lives);
is(sql("SELECT count(*) FILTER (WHERE id = ANY ('{$ids}')), count(*) FILTER (WHERE snowflake_worker(id) = 9) FROM reading"),
    "$received|9000", 'every row is there');
is(sql("SELECT count(*) - (SELECT count(*) FROM reading) FROM reading JOIN snowid_partitions('reading') p ON tableoid = partition
    AND snowflake_time(id) >= starts AND snowflake_time(id) < ends"), 0, 'in the partition of its time');
is(sql("SELECT every, count(*) FILTER (WHERE state = 'attached') FROM _snowid.partitioned, snowid_partitions('reading')
    WHERE parent = 'reading'::regclass GROUP BY every"), '1 mon|3', 'and has partitions ahead');
sql('DROP TABLE reading');

# Three tables of three owners. What mallory can do to a superuser's job: functions in expressions that PostgreSQL evaluates, names,
# settings of her role. A careless event trigger lets her function run in the middle of it.
sql(<<'SQL');
CREATE TABLE month (id bigint PRIMARY KEY, line text) PARTITION BY RANGE (id);
CREATE TABLE alice.day (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
ALTER TABLE alice.day OWNER TO alice;
CREATE TABLE seen (who name, tag text);
GRANT INSERT ON seen TO PUBLIC;
CREATE TABLE hostile (on_command boolean, in_index text);
INSERT INTO hostile VALUES (true, '');
GRANT SELECT ON hostile TO PUBLIC;
CREATE FUNCTION witness() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.seen VALUES (current_user, tg_tag);
    IF EXISTS (SELECT FROM pg_proc WHERE proname = 'attack') AND (SELECT on_command FROM public.hostile)
        AND current_user = 'mallory' THEN PERFORM mallory.attack(); END IF;
END $$;
SQL
sub as_owner { my ($who, $sql) = @_; return $node->safe_psql('postgres', $sql, user => $who); }
as_owner('mallory', <<'SQL');
CREATE FUNCTION mallory.attack() RETURNS text LANGUAGE plpgsql AS $$
DECLARE command text;
BEGIN
    FOREACH command IN ARRAY ARRAY['ALTER ROLE mallory SUPERUSER', 'SET ROLE NONE', 'RESET ROLE', 'RESET SESSION AUTHORIZATION',
        'SET ROLE alice',
        'CREATE TEMP TABLE pg_class (oid oid, relowner oid)', 'ALTER TABLE alice.day OWNER TO mallory',
            $i$INSERT INTO _snowid.partitioned VALUES ('alice.day', '1 s', 1, 1, '0', 'drop')$i$] LOOP
        BEGIN
            EXECUTE command;
            IF session_user <> 'mallory' THEN INSERT INTO public.seen VALUES (current_user, 'DONE: ' || command); END IF;
            IF current_user <> 'mallory' THEN ALTER ROLE mallory SUPERUSER; END IF;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END LOOP;
    SET lock_timeout = 0;
    SET search_path = mallory;
    RETURN '';
END $$;
CREATE FUNCTION mallory.in_index() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE state text := (SELECT in_index FROM public.hostile);
BEGIN
    EXECUTE 'SELECT mallory.attack()';
    IF state <> '' THEN RAISE 'a hostile error' USING ERRCODE = state; END IF;
    RETURN '';
END $$;
CREATE FUNCTION mallory.snowid_partitions(regclass) RETURNS text LANGUAGE sql AS 'SELECT mallory.attack()';
CREATE TABLE mallory."week'); ALTER ROLE mallory SUPERUSER; --" (id ulid, line text DEFAULT mallory.attack(),
    CHECK (mallory.in_index() = '')) PARTITION BY RANGE (id);
CREATE INDEX ON mallory."week'); ALTER ROLE mallory SUPERUSER; --" ((line || mallory.in_index()));
ALTER ROLE mallory SET search_path = mallory, pg_catalog;
SELECT public.snowid_partition(oid, '1 week', ahead => 1) FROM pg_class WHERE relname LIKE 'week%' AND relkind = 'p';
SQL
as_owner('alice', "SELECT snowid_partition('alice.day', '1 day', retain => '10 days', expired => 'drop')");
sql(<<'SQL');
CREATE EVENT TRIGGER witness ON ddl_command_end EXECUTE FUNCTION witness();
SELECT count(*) FROM snowid_partition('month', '1 month', ahead => 1, retain => '2 months');
TRUNCATE seen;
SQL
my $week = q{(SELECT oid::regclass FROM pg_class WHERE relname LIKE 'week%' AND relkind = 'p')};
$node->safe_psql('postgres', 'CREATE DATABASE ends');
# its last id is in 49 days or so
$node->safe_psql('ends', q{CREATE EXTENSION snowid;
    UPDATE _snowid.layout SET layout = snowid_layout_canonical(to_char(now() AT TIME ZONE 'UTC',
    '"epoch="YYYY-MM-DD",tick=1ms,time=32,worker=6,sequence=16"')); CREATE TABLE ending (id bigint) PARTITION BY RANGE (id);
        SELECT snowid_partition('ending', '1 week', ahead => 2)});

# Jobs go on all the time, and die; a row of each table arrives every two days, before any job knows of them.
my @jobs = map { "$folder/job$_" } 1 .. 2;
my @workers = map { writer_start($node, $_, query => 'CALL snowid_maintain()', pause => 0.3) } @jobs;
my ($missing, $crashes, $late) = (0, 0, 0);
my %insert = (month => 'INSERT INTO month VALUES (snowflake_lower_bound(clock_timestamp()))',
    alice => 'INSERT INTO alice.day VALUES (uuidv7_at(clock_timestamp()))',
    mallory => "SELECT format('INSERT INTO %s (id, line) VALUES (public.ulid_at(clock_timestamp()), \$\$\$\$)', $week) \\gexec");
for my $step (1 .. 61) {
    my $day = 2 * $step;
    set_clock($clock, 86400 * $day);
    sql('SELECT snowid_clock_accept()');
    for my $who (keys %insert) {
        my ($status, $out, $err) = $node->psql('postgres', $insert{$who}, on_error_stop => 1,
            $who eq 'month' ? () : (user => $who));
        $missing++, diag("day $day: $err") if $status;
    }
    sql(q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'snowid_writer'
        AND random() < 0.5}) if rand() < 0.3;
    if ($step % 20 == 0) {
        kill_postmaster($node);
        start_again($node, %faked);
        sql('SELECT snowid_clock_accept()');
        $crashes++;
    }
    # daily, somebody looks whether all was done; jobs that overlap may be in the way of this one, too
    my $done;
    # another job can just have been refused by the clock, or be at work
    for (1 .. 20) {
        $done = maintained("count(*) FILTER (WHERE covered_until > now() + interval '1 day' AND coalesce(sqlstate, '55P03') = '55P03')");
        last if $done == 3;
        sleep(0.1);
    }
    $late++, diag("day $day: $done") if $done != 3;
    my ($end_status, undef, $end_err) = $node->psql('ends', 'CALL snowid_maintain()') if $step % 4 == 0;
    $late++, diag("day $day, ends: $end_err") if $end_status;
}
writer_stop(@workers);
is($missing, 0, 'no midnight found a partition missing');
is($late, 0, 'each day all is done');
is($crashes, 3, 'the server crashed meanwhile');
my %told = refusals(@jobs);
delete $told{$_} for grep { /^40P01|^57014|^XX000.*concurrently|^55000 . of 3 tables could not be maintained/ } keys %told;
is(join(', ', %told), '', 'jobs that overlap are told nothing but that they are killed');
sql('CALL snowid_maintain()');
is(sql("SELECT state, count(*), min(starts) = min(starts) FILTER (WHERE starts = snowid_period(starts, '1 month')),
    count(*) = count(DISTINCT starts) FROM snowid_partitions('month') GROUP BY state ORDER BY state") =~ s/\|t\|t//gr,
    "attached|4\ndetached|" . (sql("SELECT count(*) FROM snowid_partitions('month')") - 4),
        'the months: the present one, one ahead, two that are retained; the others are detached');
is(sql("SELECT sum((xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM %s', partition), false, true, '')))[1]::text::int)
    FROM snowid_partitions('month')"), 61, 'with all their rows');
is(sql("SELECT count(*), max(upper(r) - lower(r)) FROM unnest((SELECT range_agg(tstzrange(starts, ends))
    FROM snowid_partitions('alice.day'))) r"), '1|14 days', 'the days: ten, the present one and three ahead, without a gap');
is(sql("SELECT count(*) FROM pg_class WHERE relnamespace = 'alice'::regnamespace AND relname LIKE 'day_2%' AND relkind = 'r'"), 14,
    'the others are dropped');
is(sql("SELECT string_agg(DISTINCT every::text, ',') FROM (SELECT ends - starts AS every FROM snowid_partitions($week)) p"), '7 days',
    'all weeks are weeks');

# the layout that ends
is($node->safe_psql('ends', "SELECT max(ends), count(*) = count(DISTINCT starts), (SELECT covered_until FROM snowid_maintenance)
    FROM snowid_partitions('ending')"), 'infinity|t|infinity', 'a layout that ended has its last partition, and the jobs go on');

# the owner who is hostile
is(sql('SELECT string_agg(rolname, \',\') FROM pg_roles WHERE rolsuper'), sql('SELECT rolname FROM pg_roles WHERE oid = 10'),
    'nobody has become a superuser');
is(sql(q{SELECT string_agg(DISTINCT tag, ',') FROM seen WHERE tag LIKE 'DONE%'}), '', 'nothing that was tried was done');
is(sql(q{SELECT count(*) > 0 FROM seen WHERE who = 'mallory'}), 't', 'though it was tried');
is(sql("SELECT string_agg(DISTINCT pg_get_userbyid(relowner), ',') FROM pg_class JOIN pg_inherits ON oid = inhrelid
    WHERE inhparent = $week"), 'mallory', 'what is made for her is hers');
is(sql(q{SELECT string_agg(DISTINCT who, ',' ORDER BY who) FROM seen WHERE tag = 'CREATE TABLE'}),
    'alice,mallory,' . sql('SELECT rolname FROM pg_roles WHERE oid = 10'), 'each table is made by its owner');
for my $state ('57014', 'P0004', '40001', '22023') {
    sql("UPDATE hostile SET in_index = '$state'");
    sql("DO \$\$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT max(partition::text) FROM snowid_partitions($week) WHERE starts > now()));
        EXECUTE format('DROP TABLE %s', (SELECT max(partition::text) FROM snowid_partitions('month') WHERE starts > now())); END \$\$");
    is(maintained("string_agg(format('%s %s', made, sqlstate), ', ' ORDER BY parent::text = 'month', made) FILTER (WHERE parent::text <> 'alice.day')"),
        "0 $state, 1 ", "her error $state is hers alone");
    sql("UPDATE hostile SET in_index = ''");
    sql('CALL snowid_maintain()');
}
# one who locks her table, and a cancelled job; timers need a clock that is true
$node->stop;
start_again($node);
sql('CALL snowid_maintain()');
sql("UPDATE _snowid.partitioned SET ahead = ahead + 50 WHERE parent = $week");
my $locker = $node->background_psql('postgres');
$locker->query_safe("SELECT format('BEGIN; LOCK TABLE %s', $week) \\gexec");
is(maintained("string_agg(sqlstate, ',')", "lock_timeout => '200 ms'"), '55P03', 'a lock is not waited for');
($status, $out, $err) = $node->psql('postgres', "SET statement_timeout = '300ms'; CALL snowid_maintain(lock_timeout => '1 min');
    RESET statement_timeout; SELECT 'goes on'", on_error_stop => 0);
like($err, qr/canceling statement due to statement timeout/, 'a cancelled job ends');
is($out, 'goes on', 'with its transaction: the session goes on');
$locker->quit;
sql("UPDATE _snowid.partitioned SET ahead = ahead - 50 WHERE parent = $week");

# Dumps: names follow, and what is gone is left out. PostgreSQL runs her code as the superuser who restores it, so it is gone by now.
as_owner('mallory', "CREATE OR REPLACE FUNCTION mallory.$_() RETURNS text LANGUAGE sql IMMUTABLE AS \$\$SELECT ''\$\$") for 'attack',
    'in_index';
sql('ALTER TABLE month RENAME TO "Month of"; CREATE TABLE gone (id bigint) PARTITION BY RANGE (id);
    SELECT snowid_partition(\'gone\', \'1 day\'); DROP TABLE gone; DROP EVENT TRIGGER witness');
my $all = "SELECT * FROM _snowid.partitioned WHERE EXISTS (SELECT FROM pg_class WHERE oid = parent) ORDER BY parent::text;
    SELECT * FROM _snowid.partition_times WHERE EXISTS (SELECT FROM pg_class WHERE oid = partition) ORDER BY partition::text;
    SELECT * FROM snowid_partitions('\"Month of\"')";
my $before = sql($all);
like($before, qr/"Month of"/, 'the record has the new name');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok(['pg_dump', '-Fc', '-f', "$folder/dump", $node->connstr('postgres')], 'pg_dump');
command_ok(['pg_restore', '-e', '-d', $node->connstr('restored'), "$folder/dump"], 'pg_restore');
is($node->safe_psql('restored', $all), $before, 'a restored database has the records');
is($node->safe_psql('restored', 'CALL snowid_maintain(); SELECT sum(made + cardinality(detached || dropped)), count(error), count(*)
    FROM snowid_maintenance'), '0|0|3', 'and nothing is due there');
command_ok(['pg_restore', '-e', '-a', '-n', '_snowid', '-t', 'partitioned', '-t', 'partition_times', '-d', $node->connstr('restored'),
    "$folder/dump"], 'once more');
is($node->safe_psql('restored', $all), $before, 'rows that are there are skipped');

done_testing();
