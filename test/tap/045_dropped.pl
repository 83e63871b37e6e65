# What a database has made is not made again once it is gone, with its rows: it is dropped, or the extension is, in any way,
# and then the server starts again while its clock is behind. The position of the server outlives every database.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my $back = 0;
$node = new_server('dropped', 'restart_after_crash = on', 'max_prepared_transactions = 5', 'autovacuum = off', 'snowid.sno_partition = 7');
start_again($node, %clock);

sub configure { $node->append_conf('postgresql.conf', "$_[0] = $_[1]"); }

# A restart whose clock is behind by so many seconds more. By 1.5 s, ids go on at once above those that were made before.
sub again {
    my ($mode, $by) = @_;
    $mode eq 'kill' ? kill_postmaster($node) : $node->stop($mode);
    set_clock($clock, $back -= $by // 1.5);
    start_again($node, %clock);
    accepts_connections($node);
    return;
}

# Lets the clock catch up with what was made.
sub catch_up { set_clock($clock, $back += 2); sleep(0.1); return; }

# Where ids are used up with either tick-tock bit, snos wait for a clock that is nearly there.
sub nearer { set_clock($clock, $back += 1); return; }

sub last_of {
    my ($db, $generator) = @_;
    $generator = $generator ? "'$generator'" : '';
    return sql("SELECT max(id) FROM (SELECT snowflake_next($generator) AS id FROM generate_series(1, 5000)) AS ids", $db);
}
sub first_of {
    my ($db, $generator) = @_;
    return sql('SELECT snowflake_next(' . ($generator ? "'$generator'" : '') . ')', $db);
}

# The floor of snowflakes covers the id. Without a restart, that is how to see it.
sub covers {
    my ($id, $what) = @_;
    my ($own) = sql("SELECT label FROM pg_seclabels WHERE provider = 'snowid snowflake'") =~ / own (\d+)/;
    cmp_ok($own // 0, '>', sql("SELECT (extract(epoch FROM snowflake_time($id)) * 1e9)::bigint", 'reader'), $what);
    return $id;
}

sub make_database {
    my ($db) = @_;
    sql("CREATE DATABASE $db");
    sql('CREATE EXTENSION snowid', $db);
    return;
}

# ids of every kind of transaction: parallel workers first, because they do not see the clock step
make_database('reader');
sql('CREATE EXTENSION snowid');
my $some = 'max(snowflake_next()) FROM generate_series(1, 5000)';
my $workers = 'SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
    SET min_parallel_table_scan_size = 0';
for my $what ('in parallel workers', 'read only', 'rolled back') {
    make_database('busy');
    sql('CREATE TABLE src AS SELECT generate_series(1, 20000) AS n', 'busy');
    my $last = sql({
        'in parallel workers' => "$workers; SELECT max(id) FROM (SELECT snowflake_next() AS id, n FROM src OFFSET 0) AS ids",
        'read only' => "BEGIN READ ONLY; SELECT $some; COMMIT",
        'rolled back' => "BEGIN; SELECT $some; ROLLBACK" }->{$what}, 'busy');
    sql('DROP DATABASE busy');
    covers($last, "ids that were made $what count when their database is gone");
}

# a busy database is dropped, and an idle one goes on
sql('SELECT snowflake_next(), sno_next(1)');
make_database('busy');
sleep(1.2);
my $last = last_of('busy');
sql('DROP DATABASE busy');
again('fast');
cmp_ok(first_of(), '>', $last, 'DROP DATABASE and a restart with the clock behind: another database goes on above');
catch_up();
make_database('busy');
$last = last_of('busy');
sql('DROP DATABASE busy');
again('immediate', 6);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/the clock is \S+ \w+ behind/, 'a clock that is further behind: ids are refused');
set_clock($clock, $back += 4);
cmp_ok(first_of(), '>', $last, 'until it is near');
catch_up();

# its snos are not made again either
make_database('busy');
my $snos = 'SELECT sno_next(1) FROM generate_series(1, 20000)';
my @snos = split /\n/, sql("$snos; SELECT pg_sleep(0.3); $snos", 'busy');
sql('DROP DATABASE busy');
again('immediate', 0.6);
push @snos, split /\n/, sql("$snos; SELECT pg_sleep(0.3); $snos");
my %seen;
is(scalar(grep { /^\w{16}$/ && $seen{$_}++ } @snos), 0, 'no sno is made twice');
catch_up();

# the only database is dropped and made again
sql('DROP EXTENSION snowid; DROP DATABASE reader');
make_database('sole');
$last = last_of('sole');
sql('DROP DATABASE sole');
again('kill');
make_database('sole');
cmp_ok(first_of('sole'), '>', $last, 'the only database is dropped and made again: it goes on above');
sql('DROP DATABASE sole');
catch_up();

# the extension is dropped in the only database that has it
my %ways = (
    'DROP EXTENSION' => 'DROP EXTENSION snowid',
    'DROP SCHEMA' => 'DROP SCHEMA s CASCADE',
    'DROP OWNED' => 'DROP OWNED BY tenant CASCADE',
    'a table that is taken out and dropped' => 'ALTER EXTENSION snowid DROP TABLE _snowid.horizon; DROP TABLE _snowid.horizon CASCADE',
);
make_database('reader');
sql('CREATE ROLE tenant');
for my $way (sort keys %ways) {
    sql('DROP SCHEMA IF EXISTS s CASCADE; GRANT CREATE ON DATABASE postgres TO tenant; SET ROLE tenant; CREATE SCHEMA s;
        CREATE EXTENSION snowid SCHEMA s');
    $last = sql('SELECT max(id) FROM (SELECT s.snowflake_next() AS id FROM generate_series(1, 5000)) AS ids');
    sql($ways{$way});
    covers($last, "$way: what the extension has made counts");
}
again('immediate');
sql('CREATE EXTENSION snowid');
cmp_ok(first_of(), '>', $last, 'the extension starts above when it is created again');
sql('DROP EXTENSION snowid');
catch_up();
my @rolled_back = $node->psql('postgres', 'BEGIN; CREATE EXTENSION snowid; SELECT snowflake_next() FROM generate_series(1, 5000);
    ROLLBACK');
($last) = $rolled_back[1] =~ /(\d+)\s*\z/;
again('immediate');
sql('CREATE EXTENSION snowid');
cmp_ok(first_of(), '>', $last, 'CREATE EXTENSION that was rolled back, with ids');
catch_up();

# the server is killed somewhere in DROP DATABASE
for my $round (1 .. 5) {
    make_database('busy');
    $last = last_of('busy');
    my $drop = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c', 'DROP DATABASE busy' ], '2>', \my $errors);
    sleep(rand(0.06));
    again('kill');
    $drop->finish;
    cmp_ok(first_of(), '>', $last, "kill -9 in DROP DATABASE, round $round");
    sql('DROP DATABASE IF EXISTS busy');
    catch_up();
}
# the longest such moment: the files are gone, and the database is marked as invalid
make_database('busy');
my $files = $node->data_dir . '/base/' . sql("SELECT oid FROM pg_database WHERE datname = 'busy'");
$last = last_of('busy');
sql("UPDATE pg_database SET datconnlimit = -2 WHERE datname = 'busy'");
$node->stop;
rename($files, "$files.away") or die $!;
set_clock($clock, $back -= 1.5);
start_again($node, %clock);
cmp_ok(first_of(), '>', $last, 'an invalid database without files: ids go on above it');
rename("$files.away", $files) or die $!;
sql('DROP DATABASE busy');
catch_up();

# numbers: a generator of a database that is gone had the one that another gets now
sub make_shard {
    make_database('shards');
    sql("SELECT snowid_generator_create('shard', worker => $_[0]); SELECT snowid_generator_create('parts', 'sno', partition => $_[0])",
        'shards');
    sleep(1.2);
    return (last_of('shards', 'shard'), sql("SELECT max(sno_time(sno_next(1, 'parts'))) FROM generate_series(1, 5000)", 'shards'));
}
sub drop_shards { sql('DROP DATABASE shards'); again($_[0] // 'immediate', $_[1]); return; }
my ($shard, $part) = make_shard(5);
drop_shards();
sql("SELECT snowid_generator_create('shard', worker => 5); SELECT snowid_generator_create('parts', 'sno', partition => 5)");
cmp_ok(first_of('postgres', 'shard'), '>', $shard, 'a generator that gets the number of one in a dropped database begins above it');
nearer();
is(sql("SELECT sno_time(sno_next(1, 'parts')) > '$part'"), 't', 'so does one of snos');
sql("SELECT snowid_generator_drop('shard'), snowid_generator_drop('parts')");
catch_up();

($shard, $part) = make_shard(6);
sql('DROP DATABASE shards');
configure('snowid.worker_id', 6);
configure('snowid.sno_partition', 6);
again('immediate');
cmp_ok(first_of(), '>', $shard, 'a start with that number begins above it');
nearer();
is(sql('SELECT sno_partition(sno_next(1))'), 6, 'with that partition');
is(sql("SELECT sno_time(sno_next(1)) > '$part'"), 't', 'too');
catch_up();

($shard) = make_shard(8);
drop_shards();
configure('snowid.worker_id', 8);
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 8'), 'a reload takes that number');
cmp_ok(first_of(), '>', $shard, 'and begins above it');
catch_up();

($shard) = make_shard(9);
my $dump = "$folder/shards.sql";
command_ok([ 'pg_dump', '-d', $node->connstr('shards'), '-f', $dump ], 'a dump');
$shard = last_of('shards', 'shard');
drop_shards();
sql('CREATE DATABASE shards');
command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('shards'), '-f', $dump ],
    'is restored after the database was dropped');
cmp_ok(first_of('shards', 'shard'), '>', $shard, 'its generators begin above what they made after the dump');
sql('DROP DATABASE shards');
catch_up();

my $made = $node->safe_psql('postgres', "BEGIN; SELECT snowid_generator_create('gone', worker => 11);
    SELECT max(id) FROM (SELECT snowflake_next('gone') AS id FROM generate_series(1, 5000)) AS ids; ROLLBACK");
$made =~ s/^\s+//;
again('kill');
sql("SELECT snowid_generator_create('next', worker => 11)");
cmp_ok(first_of('postgres', 'next'), '>', $made, 'a generator whose creation was rolled back, and a crash');
sql("SELECT snowid_generator_drop('next')");
catch_up();

# the same number goes on with its bit when the clock is further behind, although named generators were used
sql("SELECT snowid_generator_create('parts', 'sno', partition => 12); SELECT sno_next(1, 'parts')");
sql('SELECT sno_next(1)');
again('immediate', 8);
is(sql('SELECT count(sno_next(1))'), 1, 'snos flip their bit at a start whose clock is behind, whatever named generators have made');
set_clock($clock, $back += 6.5);
catch_up();

# a row that a restore has brought goes with its database
make_database('wrong');
like($node->psql('wrong', "INSERT INTO _snowid.horizon SELECT 0, (extract(epoch FROM clock_timestamp() + interval '1 day') * 1e9)::bigint,
    0, 0, 0, 0", on_error_stop => 0) . '', qr/0/, 'a restored row is a day ahead');
fails_with($node, 'SELECT snowflake_next()', '58000', qr/behind/, 'no ids are made');
again('fast', 0);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/behind/, 'not after a restart either');
sql('DROP DATABASE wrong');
again('fast', 0);
ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'its database is dropped, and after a restart ids go on');

# a wrong clock that was believed and taken back: what it made in a database that was dropped keeps nothing waiting
make_database('wrong');
set_clock($clock, $back + 86400);
$node->safe_psql('wrong', "SELECT snowid_clock_accept(); SELECT snowflake_next(), sno_next(1)");
sql('DROP DATABASE wrong');
set_clock($clock, $back);
again('immediate', 0);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/behind/, 'a day of ids that was dropped still counts after a restart');
sql("SELECT snowid_horizon_rewind(clock_timestamp())");
cmp_ok(first_of(), '>', 0, 'until it is rewound');
again('immediate', 0);
cmp_ok(first_of(), '>', 0, 'which lasts');
is(sql("SELECT snowid_generator_create('shard', worker => 13)"), '', 'a new generator');
cmp_ok(sql("SELECT snowflake_time(snowflake_next('shard')) < clock_timestamp() + interval '2 s'"), 'eq', 't', 'begins at the clock');

# the row
is(sql("SELECT count(*) FROM pg_seclabels WHERE objtype = 'tablespace' AND objname = 'pg_global' AND provider IN ('snowid snowflake',
    'snowid sno')"), 2, 'there is one row for each scheme');
fails_with($node, q(SECURITY LABEL FOR "snowid sno" ON TABLESPACE pg_global IS NULL), '22023', qr/is not loaded/, 'SQL cannot label');
my ($status, $all) = run_command([ 'pg_dumpall', '-h', $node->host, '-p', $node->port ]);
unlike($all, qr/SECURITY LABEL/, 'pg_dumpall does not dump it');
sql('VACUUM FULL pg_shseclabel');
$last = last_of();
again('immediate', 0.5);
cmp_ok(first_of(), '>', $last, 'VACUUM FULL moves it');
sql("UPDATE pg_shseclabel SET label = 'x' || label WHERE provider = 'snowid snowflake'");
sleep(1.1);
fails_with($node, 'SELECT snowflake_next() FROM generate_series(1, 100000000)', 'XX001',
    qr/cannot read how far this server's ids have come.*DETAIL:  The security label of the provider "snowid snowflake" on the tablespace pg_global says "x1 own/s,
        'a label that cannot be read');
again('fast', 0);
fails_with($node, 'SELECT snowflake_next()', 'XX001', qr/cannot read how far/, 'and at a start');
sql("UPDATE pg_shseclabel SET label = rpad(label, 600) WHERE provider = 'snowid snowflake'");
fails_with($node, 'SELECT snowflake_next()', 'XX001',
    qr/cannot read how far.*DETAIL:  The row of the provider "snowid snowflake" in pg_shseclabel is damaged, or longer/s,
    'so does a row that is not a floor\'s');
sql("DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'it is deleted, and the start makes a new one');
ok($node->log_contains('LOG:  snowid: the server keeps a record of how far its ids have come from now on'), 'as the log says');
sql("DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
fails_with($node, 'SELECT snowflake_next() FROM generate_series(1, 100000000)', '55000',
    qr/has lost the record of how far its ids have come.*HINT:.*restart the server/s, 'it is deleted while ids are made');
again('fast', 0);
cmp_ok(first_of(), '>', 0, 'a restart makes one');
$node->stop;

# a standby takes over after the drop
my $primary = new_server('primary');
start_again($primary, %clock);
set_clock($clock, $back = 0);
$primary->safe_psql('postgres', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
$primary->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
start_again($standby, %clock);
$node = $primary;
make_database('busy');
$last = last_of('busy');
sql('DROP DATABASE busy');
$primary->wait_for_catchup($standby);
$primary->stop('immediate');
set_clock($clock, -1.5);
$standby->promote;
$node = $standby;
cmp_ok(first_of(), '>', $last, 'a standby that is promoted goes on above');
$standby->stop;

done_testing();
