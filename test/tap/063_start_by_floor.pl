# A start goes by the floor: what would make an id twice if the floor lacked something, and what is in no start's way any more.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
$node = new_server('by_floor', 'autovacuum = off', 'max_prepared_transactions = 5', 'snowid.worker_id = 3');
start_again($node, %clock);

# With the clock that much behind. Each next one is a little further on.
sub again {
    my ($behind, @settings) = @_;
    $node->stop('immediate');
    $node->append_conf('postgresql.conf', "$_\n") for @settings;
    set_clock($clock, -($behind // 0));
    my $log = -s $node->logfile;
    start_again($node, %clock);
    accepts_connections($node);
    return $log;
}
sub ids {
    my ($db, $call, $count) = @_;
    for (1 .. 200) {
        my ($status, $out, $error) = $node->psql($db, "SELECT $call FROM generate_series(1, @{[$count // 2000]})");
        return split /\n/, $out if $status == 0;
        last if $error !~ /clock is .* behind/ && diag($error);
        sleep(0.05);
    }
    return;
}
sub go_on_above { my ($what, $last, $id) = @_; cmp_ok($id // 0, '>', $last, $what); return; }
sub reads_from { my ($log) = @_; return scalar(() = substr(slurp_file($node->logfile), $log) =~ /snowid reader/g); }
my $wide = 'epoch=2024-01-01,tick=1ms,time=41,worker=8,sequence=14';
sql('CREATE EXTENSION snowid');
ids('postgres', 'snowflake_next()');

# the number stays, and the layout of the server becomes that of a generator that has the number
sql('CREATE DATABASE wide');
sql("CREATE EXTENSION snowid; SELECT snowid_layout_change('$wide'); SELECT snowid_generator_create('g', worker => 3)", 'wide');
my $last = (ids('wide', "snowflake_next('g')"))[-1];
again(1.7, "snowid.layout = 'wide'");
go_on_above('another layout, in which a generator has the number of the server', $last, (ids('wide', 'snowflake_next()'))[0]);
again(0, "snowid.layout = 'default'");

# the same without a start: an extension that is created again has the layout of the server
my $soon = '(extract(epoch FROM clock_timestamp() + interval \'900 ms\') * 1e9)::bigint';
sql("INSERT INTO _snowid.horizon SELECT id, $soon, 0, 0, 0, 0 FROM _snowid.generator WHERE name = 'g'", 'wide');
$last = (ids('wide', "snowflake_next('g')"))[-1];
ids('postgres', 'snowflake_next()');    # so the server's own row is higher
sql('DROP EXTENSION snowid; CREATE EXTENSION snowid', 'wide');
go_on_above('an extension that is created again, with a number that a generator had in another layout', $last,
    (ids('wide', 'snowflake_next()'))[0]);

# rows that a restore has brought, and a crash before the first id
sql('CREATE DATABASE restored; CREATE DATABASE other');
sql('CREATE EXTENSION snowid', $_) for 'restored', 'other';
sub first_after { return sql("SELECT snowflake_lower_bound(to_timestamp($_[0] / 1e9))"); }
my $horizon = sql("SELECT $soon", 'restored');
sql("INSERT INTO _snowid.horizon VALUES (0, $horizon, 0, 0, 0, 0)", 'restored');
again(1.5);
go_on_above('a horizon that a restore has brought, in another database', first_after($horizon), (ids('other', 'snowflake_next()'))[0]);
$horizon = sql("SELECT $soon", 'restored');
sql("INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (50, 'r', 'snowflake', 77, false, false);
    INSERT INTO _snowid.horizon VALUES (50, $horizon, 0, 0, 0, 0)", 'restored');
again(1.5, 'snowid.worker_id = 77');
sql('DROP DATABASE restored');
go_on_above('that of a generator, whose number the server gets', first_after($horizon), (ids('other', 'snowflake_next()'))[0]);
again(0, 'snowid.worker_id = 3');

# the same where a reload has changed the number, and the floor does not know that yet: a restored generator may have the old one
ids('postgres', 'snowflake_next()');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 4');
$node->reload;
$node->poll_query_until('postgres', q(SELECT in_force = 4 FROM _snowid.numbers_of_server() WHERE scheme = 'snowflake')) or die;
$horizon = sql("SELECT $soon + 1500000000", 'other');    # above what the server has reserved
sql("INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (60, 's', 'snowflake', 3, false, false);
    INSERT INTO _snowid.horizon VALUES (60, $horizon, 0, 0, 0, 0)", 'other');
again(0, 'snowid.worker_id = 3');
go_on_above('the number that a reload has given up, and a restored generator has', first_after($horizon),
    (ids('postgres', 'snowflake_next()'))[0]);
sql("SELECT snowid_generator_drop('s')", 'other');

# a floor that was just made knows nothing, whatever its number
$last = (ids('postgres', 'snowflake_next()'))[-1];
sql("SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
again(1.5, 'snowid.worker_id = 0');
ids('postgres', 'snowflake_next()', 1);
again(0);
$last = (ids('postgres', 'snowflake_next()'))[-1];
sql("SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
again(1.5);
go_on_above('a floor that was just made has number 0, like the server', $last, (ids('postgres', 'snowflake_next()'))[0]);
is(sql("SELECT string_agg(substring(label FROM 'whole 0*(\\d)'), ',') FROM pg_shseclabel WHERE provider LIKE 'snowid %'"), '1,1',
    'once all rows were read, it covers them');
again(0);

# a database that cannot be read, and one that is locked, are in nobody's way
sql('CREATE DATABASE broken; CREATE DATABASE locked');
for my $db ('broken', 'locked') {
    sql("CREATE EXTENSION snowid; SELECT snowid_generator_create('g', worker => 90)", $db);
    ids($db, 'snowflake_next()');
}
$last = (ids('broken', "snowflake_next('g')"))[-1];
sql('ALTER TABLE _snowid.horizon RENAME TO moved', 'broken');
sql("BEGIN; LOCK TABLE _snowid.horizon, _snowid.generator; PREPARE TRANSACTION 'held'", 'locked');
sql("BEGIN; ALTER DATABASE wide RENAME TO renamed; PREPARE TRANSACTION 'renamed'");
my $log = again(1.5);
my $id = (ids('other', 'snowflake_next()'))[0];
ok(defined $id, 'a broken and a locked database, and a prepared ALTER DATABASE, stop no other one');
is(reads_from($log), 0, 'because none of them is read');
sql("ROLLBACK PREPARED 'renamed'");
sql("ROLLBACK PREPARED 'held'", 'locked');
sql('DROP DATABASE broken');
sql("SELECT snowid_generator_create('h', worker => 90)", 'other');
go_on_above('nor does it make an id twice when it is dropped', $last, (ids('other', "snowflake_next('h')"))[0]);

# the first start after that which must read waits for the broken one, and ends nobody
sql('CREATE DATABASE broken');
sql('CREATE EXTENSION snowid; ALTER TABLE _snowid.horizon RENAME TO moved', 'broken');
sql("SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
my $has_timeout = sql('SHOW server_version_num') >= 170000;
again(0, ("transaction_timeout = '2s'") x $has_timeout);    # which the worker does not heed
fails_with($node, ('SET transaction_timeout = 0; ' x $has_timeout) . 'SELECT snowflake_next()', '55000',
    qr/must read that in every database, and could not in database "broken"/,
    'a floor that is lost, and a database that cannot be read');
sql('ALTER TABLE _snowid.moved RENAME TO horizon', 'broken');
ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'it is repaired, and ids go on');

# a start that reads, after the clock was set back by more than the drift: what a generator has made that is gone
my $forget = "SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'";
sub label { return sql("SELECT substring(label FROM '$_[0] 0*(\\d+)') FROM pg_shseclabel WHERE provider = 'snowid snowflake'"); }
sql("SELECT snowid_generator_create('gone', worker => 78)", 'other');
$last = (ids('other', "snowflake_next('gone')"))[-1];
sql("SELECT snowid_generator_drop('gone')", 'other');
sql($forget);
again(2.9, 'snowid.worker_id = 78');
go_on_above('the number of a generator that was dropped', $last, (ids('other', 'snowflake_next()'))[0]);
cmp_ok(label('own'), '>=', label('named'), 'and the floor covers it');
again(0, 'snowid.worker_id = 3');

# the same of a restored generator, whose number a reload takes
$horizon = sql("SELECT (extract(epoch FROM clock_timestamp() + interval '2.9 s') * 1e9)::bigint");
sql("INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (70, 't', 'snowflake', 79, false, false);
    INSERT INTO _snowid.horizon VALUES (70, $horizon, 0, 0, 0, 0); SELECT snowid_generator_drop('t')", 'other');
# settings of a database that would make a reader wait, and an index that cannot give all rows
sql('CREATE DATABASE odd');
sql('CREATE EXTENSION snowid; CREATE INDEX ON _snowid.horizon USING brin (generator); CREATE INDEX ON _snowid.generator USING hash (id)', 'odd');
sql("ALTER DATABASE odd SET default_transaction_$_") for "isolation = 'serializable'", 'read_only = on', 'deferrable = on';
my $serializable = client($node->host, $node->port, 'other');
client_query($serializable, $_) for 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'CREATE TABLE serializable ()';
$node->append_conf('postgresql.conf', 'snowid.worker_id = 79');
$node->reload;
ok($node->poll_query_until('postgres', q(SELECT in_force = 79 FROM _snowid.numbers_of_server() WHERE scheme = 'snowflake')),
    'a database with odd settings and indexes can be read');
client_query($serializable, 'ROLLBACK');
go_on_above('a horizon that a restore has brought, whose number a reload takes', first_after($horizon),
    (ids('other', 'snowflake_next()'))[0]);
sql('DROP DATABASE odd');

# a database that is copied and dropped while a start cannot read it
sql('CREATE DATABASE copied');
sql('CREATE EXTENSION snowid', 'copied');
$last = (ids('copied', 'snowflake_next()'))[-1];
sql('ALTER TABLE _snowid.horizon RENAME TO moved', 'copied');
sql($forget);
$log = again(2.9);
$node->wait_for_log(qr/_snowid.horizon has been renamed or moved/, $log);
sql('CREATE DATABASE copy TEMPLATE copied');
sql('DROP DATABASE copied');
sql('ALTER TABLE _snowid.moved RENAME TO horizon', 'copy');
go_on_above('what the copy says', $last, (ids('other', 'snowflake_next()'))[0]);
sql('DROP DATABASE copy');
again(0);

# rows of another cluster that no trigger has seen
my $origin = Server->new('origin');
$origin->init(extra => ['--data-checksums']);    # its own initdb, and so another cluster
$origin->append_conf('postgresql.conf', "shared_preload_libraries = 'snowid'");
$origin->start;
my $given = q(SELECT snowflake_at(t, 'history') FROM (SELECT timestamptz '2024-05-01Z' + n * interval '1 min' AS t FROM generate_series(%d,
    %d) AS n OFFSET 0) AS given);
$origin->safe_psql('postgres', "CREATE EXTENSION snowid; SELECT snowid_generator_create('history', worker => 20, backfill => true)");
$origin->safe_psql('postgres', sprintf($given, 1, 100));
command_ok([ 'pg_dump', '--data-only', '--disable-triggers', '-f', "$folder/rows.sql", '-d', $origin->connstr('postgres') ], 'a dump');
my %lost = map { $_ => 1 } split /\n/, $origin->safe_psql('postgres', sprintf($given, 101, 600));
$origin->stop;
sql('CREATE DATABASE moved');
sql('CREATE EXTENSION snowid', 'moved');
command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('moved'), '-f', "$folder/rows.sql" ],
    'its restore, without triggers');
my ($status, $out, $error) = $node->psql('moved', sprintf($given, 101, 600));
is(scalar(grep { $lost{$_} } split /\n/, $out), 0, 'no given time is given again');
like($error, qr/the last ids of generator "history" may be lost/, 'because nobody knows what was lost');

# what pg_upgrade leaves behind in the new cluster
my @marks = map { $node->data_dir . "/$_" } 'snowid_unread', 'snowid_upgraded';
$node->stop;
append_to_file($_, '') for @marks;
start_again($node, %clock);
is(sql(sprintf("SELECT count(*) FROM ($given) AS ids", 101, 600), 'moved'), 500, 'after pg_upgrade, given times go on where the rows end');
is(scalar(grep { -e } @marks), 0, 'and its marks are gone');

# a restored row that no clock can have reached: each start reads it again, and believes it once the clock is near
sql('CREATE DATABASE ahead');
$horizon = sql("SELECT $soon + 30000000000");
sql("CREATE EXTENSION snowid; INSERT INTO _snowid.horizon VALUES (70, $horizon, 0, 0, 0, 0);
    INSERT INTO _snowid.generator (id, name, scheme, worker, overlap, backfill) VALUES (70, 't', 'snowflake', 80, false, false)", 'ahead');
again(0);
ids('ahead', 'snowflake_next()', 1);
is(label('whole'), 0, 'the floor does not cover the row');
again(-27, 'snowid.worker_id = 80');
go_on_above('a row that was beyond any clock at the last start', first_after($horizon), (ids('ahead', 'snowflake_next()', 1))[0]);
$node->stop;
done_testing();
