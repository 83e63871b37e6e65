# Servers whose worker ids come from a directory: no number is held twice, no id lies outside its piece, and a server
# without a number says why. The directory records every piece that it gives out.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $coarse = 'epoch=2024-01-01,tick=100ms,time=35,worker=10,sequence=18';  # each change of a number falls into a tick

# what a start refuses
my $refused = 0;
sub refuses_to_start {
    my ($like, $what, @lines) = @_;
    my $node = new_server('refused' . ++$refused, 'snowid.worker_id = directory', @lines);
    is($node->start(fail_ok => 1), 0, "$what: the server does not start");
    my $log = slurp_file($node->logfile);
    like($log, $like, "$what: it says why");
    unlike($log, qr/sesame/, "$what: and nothing else");
}
refuses_to_start(qr/FATAL:  snowid.worker_id is directory, but snowid.directory is empty/, 'no directory');
refuses_to_start(qr/FATAL:  snowid.directory must not have a password/, 'a password', "snowid.directory = 'host=a password=sesame'");
refuses_to_start(qr/FATAL:  snowid.directory must not have a password/, 'a password in a URI',
    "snowid.directory = 'postgresql://u:sesame\@h/d'");
refuses_to_start(qr/FATAL:  snowid.sno_partition must not be set if snowid.worker_id is directory/, 'a partition',
    "snowid.directory = 'host=a'", 'snowid.sno_partition = 1');

# a directory in the only server
my $one = fleet_server('one', undef, 'restart_after_crash = on');
$one->start;
$one->safe_psql('postgres', 'CREATE EXTENSION snowid');
fails_with($one, 'SELECT snowflake_next()', '55000',
    qr/this server has no worker id.*Schema "snowid_directory" does not exist.*HINT:.*snowid_worker/s, 'before there is a directory');
$one->safe_psql('postgres', 'CREATE EXTENSION snowid_directory');
$one->poll_query_until('postgres', "SELECT last_error LIKE '%none to give out.' FROM snowid_worker");
fails_with($one, "SET statement_timeout = '4s'; SELECT snowflake_next()", '55000',
    qr/this server has no worker id\nDETAIL:  The directory has none to give out\.\nHINT:  .*snowid_directory\.add/s,
    'before there are numbers, at once, because it is the same outage');
is($one->safe_psql('postgres', "SELECT state, worker IS NULL, last_error FROM snowid_worker"),
    'none|t|this server has no worker id: The directory has none to give out.', 'the view says so');
like($one->safe_psql('postgres', 'SELECT * FROM snowid_check()'), qr/^directory\|this server has no worker id.*\|error$/m,
    'the check, too');
$one->safe_psql('postgres', 'DROP EXTENSION snowid_directory');
make_directory($one, 1, 8);
ok(has_number($one), 'numbers are added, and it has one');
ok($one->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) BETWEEN 1 AND 8'), 'and makes ids by it');
is($one->safe_psql('postgres', 'SELECT sno_partition(sno_next()) = snowflake_worker(snowflake_next())'), 't', 'snos have the same number');
my $errors = () = slurp_file($one->logfile) =~ /snowid: the directory gives this server no time/g;
cmp_ok($errors, '<=', 5, 'the log tells each error once');

# named generators
fails_with($one, "SELECT snowid_generator_create('mine', worker => 7)", '55000',
    qr/only the directory can give out worker 7\b.*from 1 to 8/s, 'a generator with a number of the directory');
fails_with($one, "SELECT snowid_generator_create('mine', 'sno', partition => 7)", '55000', qr/only the directory can give out partition 7/,
    'of snos as well');
fails_with($one, "SELECT snowid_generator_create('past', backfill => true)", '55000', qr/generator "past" needs a worker of its own/,
    'a backfill generator by the server\'s number');
$one->safe_psql('postgres', "SELECT snowid_generator_create('other', worker => 17), snowid_generator_create('same', sequence_min => 0,
    sequence_max => 1023, overlap => true)");
is($one->safe_psql('postgres', "SELECT snowflake_worker(snowflake_next('other')),
    snowflake_worker(snowflake_next('same')) = snowflake_worker(snowflake_next())"), '17|t', 'others make ids');
fails_with($one, "SELECT snowid_generator_alter('other', worker => 8)", '55000', qr/only the directory can give out worker 8/,
    'altered to a number of the directory');
my $session = client($one->host, $one->port, 'postgres');
is(client_query($session, "SELECT snowflake_worker(snowflake_next('other'))")->{rows}[0], 17, 'a session uses the generator');
$one->safe_psql('postgres', "SELECT snowid_directory.add('$fleet_layout', 17, 20, now())");
ok($one->poll_query_until('postgres', 'SELECT free_numbers > 8 FROM snowid_worker'), 'the directory has more numbers');
like(client_query($session, "SELECT snowflake_next('other')")->{error}, qr/only the directory can give out worker 17/,
    'and the session is refused from then on');
$one->safe_psql('postgres', 'SELECT snowid_directory.close(17, 20)');

# crashes in a row: short pieces leave numbers for all of them
my $crashes = 0;
for (1 .. 8) {
    $one->stop('immediate');
    start_again($one);
    $crashes++ if has_number($one);
}
is($crashes, 8, 'after each of 8 crashes there is a number');

# a number that nobody is said to have used, but a generator of this server has, ahead of its clock
$one->safe_psql('postgres', "SELECT snowid_generator_create('ahead', worker => 30);
    INSERT INTO _snowid.horizon SELECT id, (extract(epoch FROM clock_timestamp()) + 1.8) * 1e9, 0, 0, 0, 0
        FROM _snowid.generator WHERE name = 'ahead'");
my $ahead = $one->safe_psql('postgres', "SELECT snowflake_next('ahead')");
$one->safe_psql('postgres', "SELECT snowid_directory.close(1, 8), snowid_directory.add('$fleet_layout', 30, 30, now())");
$one->stop('immediate');
start_again($one);
ok(has_number($one), 'the directory gives out the number of a generator');
cmp_ok($one->safe_psql('postgres', 'SELECT snowflake_next()'), '>', $ahead, 'and ids with it begin above those of the generator');
$one->safe_psql('postgres', "SELECT snowid_directory.add('$fleet_layout', 1, 8, now())");

# a database that cannot be read delays ids, and does not hold them back
$one->safe_psql('postgres', 'CREATE DATABASE other');
$one->safe_psql('other', 'CREATE EXTENSION snowid');
$one->append_conf('postgresql.conf', 'max_prepared_transactions = 2');
$one->restart;
$one->safe_psql('other', "BEGIN; LOCK TABLE _snowid.horizon; PREPARE TRANSACTION 'p'");
$one->safe_psql('postgres', "SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
$one->restart;
my ($status, $out, $err) = $one->psql('postgres', 'SELECT snowflake_next() > 0');
is($out, 't', 'a start must read a database that is locked: ids are made');
like($err, qr/WARNING:  ids may be less than those from before the last start of the server\nDETAIL:  .*database "other"/,
    'with a warning that names it');
$one->safe_psql('other', "ROLLBACK PREPARED 'p'");
ok($one->poll_query_until('postgres', "SELECT count(*) = 0 FROM snowid_check() WHERE subject = 'start'"), 'it is read when it can be');
$one->stop;

# servers beside their directory
my $directory = new_server('directory', "listen_addresses = ''");
$directory->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$directory->start;
make_directory($directory, 1, 6, $coarse);
my @servers = map { fleet_server("server$_", $directory, 'snowid.directory_lease = 2s', "snowid.layout = '$coarse'") } 1, 2;
for my $server (@servers) {
    $server->start;
    $server->safe_psql('postgres', 'CREATE EXTENSION snowid');
    has_number($server);
}
isnt(worker_of($servers[0]), worker_of($servers[1]), 'two servers have two numbers');
is($directory->safe_psql('postgres', "SELECT string_agg(holder || ' ' || state, ', ' ORDER BY holder) FROM snowid_directory.workers
    WHERE state = 'held'"), 'server1 held, server2 held', 'the directory shows who has them');

# the number changes under writers: the ids of each session ascend
my @writers = writers_on($servers[0], query => 'SELECT snowflake_next()');
my $files = [ files_of($servers[0]) ];
ids_go_on($files);
my ($changes, $tries) = (0, 0);
while ($changes < 20 && $tries++ < 400) {
    my $worker = worker_of($servers[0]);
    $directory->safe_psql('postgres', "SELECT snowid_directory.close($worker, $worker)");
    $servers[0]->poll_query_until('postgres', "SELECT worker <> $worker FROM snowid_worker") or last;
    $directory->safe_psql('postgres', "SELECT snowid_directory.add('$coarse', $worker, $worker, now())");
    $changes++;
}
is($changes, 20, 'the number changes 20 times');

# the directory is gone for longer than a lease, and comes back
$directory->stop('immediate');
ok($servers[0]->poll_query_until('postgres', "SELECT state = 'none' FROM snowid_worker"), 'without its directory a tenure ends');
my @refused = $servers[0]->psql('postgres', 'SELECT snowflake_next()', extra_params => [ '-v', 'VERBOSITY=verbose' ]);
like($refused[2],
    qr/ERROR:  55000: this server could use its worker id only until [^\n]*\nDETAIL:  The directory has given it no more time since .* The directory does not answer.*HINT:  Ids resume when it answers/s,
        'and ids are refused');
my @at_once = map { ($servers[0]->psql('postgres', "SET statement_timeout = '4s'; SELECT snowflake_next()"))[2] } 1 .. 10;
is(scalar(grep { /could use its worker id only until/ } @at_once), 10,
    'after one has waited in vain, the next calls are refused at once, and with the same error');
$directory->start;
ok(ids_go_on($files), 'ids go on by themselves when it answers');
writer_stop(@writers);
check_ids('changes of the number', @$files);
fleet_holds('changes of the number', $directory, [ $servers[0] ], sequence => 18, tick_ms => 100);

# a reload from the directory to a number, and back
$servers[1]->append_conf('postgresql.conf', 'snowid.worker_id = 900');
$servers[1]->reload;
ok($servers[1]->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 900'), 'a reload to a number puts it in force');
is($servers[1]->safe_psql('postgres', 'SELECT source, worker, state, until IS NULL FROM snowid_worker'), 'setting|900|held|t',
    'which the view shows');
$servers[1]->append_conf('postgresql.conf', 'snowid.worker_id = directory');
$servers[1]->reload;
ok($servers[1]->poll_query_until('postgres', "SELECT source = 'directory' AND state = 'held' AND snowflake_worker(snowflake_next()) <= 6
    FROM snowid_worker"), 'and back to the directory');
$servers[1]->append_conf('postgresql.conf', "snowid.directory = ''\nsnowid.sno_partition = 5");
$servers[1]->reload;
ok($servers[1]->wait_for_log(qr/WARNING:  snowid.worker_id is directory, but snowid.directory is empty/),
    'a reload that takes the directory away has a warning');
ok($servers[1]->poll_query_until('postgres', "SELECT last_error ~ 'snowid.directory is empty' FROM snowid_worker"), 'and the view says so');
like($servers[1]->safe_psql('postgres', 'SELECT * FROM snowid_check()'),
    qr/^directory\|snowid.sno_partition is set beside snowid.worker_id = directory/m, 'a partition beside it is found');
$servers[1]->append_conf('postgresql.conf', directory_of($directory));
my $before = -s $servers[1]->logfile;
$servers[1]->reload;
ok($servers[1]->wait_for_log(qr/snowid: the directory gives this server time again/, $before), 'the log says that it is there again');
$servers[1]->append_conf('postgresql.conf', "snowid.directory = 'host=a password=sesame'");
$servers[1]->reload;
ok($servers[1]->wait_for_log(qr/snowid.directory must not have a password/), 'a password is refused at a reload');
unlike(slurp_file($servers[1]->logfile), qr/sesame/, 'and is not in the log');

# a number that is out twice
$servers[1]->append_conf('postgresql.conf', directory_of($directory));
$servers[1]->safe_psql('postgres', 'ALTER SYSTEM RESET snowid.sno_partition');
$servers[1]->adjust_conf('postgresql.conf', 'snowid.sno_partition', undef);
$servers[1]->reload;
has_number($servers[1]);
my $twice = worker_of($servers[1]);
$directory->safe_psql('postgres', "UPDATE snowid_directory.worker SET token = gen_random_uuid() WHERE worker = $twice");
ok($servers[1]->wait_for_log(qr/WARNING:  snowid: another server has the worker id $twice of this server, too/),
    'a number that is out twice: the server is told');
ok($servers[1]->poll_query_until('postgres',
    "SELECT count(*) = 1 FROM snowid_check() WHERE finding LIKE 'another server had the worker id $twice of this server%'
    AND severity = 'error'"), 'and says so');
like(slurp_file($directory->logfile), qr/WARNING:  snowid: worker id $twice is out twice/, 'and so does the directory');
isnt($servers[1]->safe_psql('postgres', 'SELECT worker FROM snowid_worker'), $twice, 'it ends at once');
$directory->safe_psql('postgres', 'SELECT snowid_directory.trust()');
has_number($servers[1]);
like($servers[1]->safe_psql('postgres', 'SELECT snowflake_next()'), qr/^\d+$/, 'with another number it goes on');
$servers[1]->safe_psql('postgres', 'SELECT snowid_stat_reset()');
is($servers[1]->safe_psql('postgres', "SELECT count(*) FROM snowid_check() WHERE finding LIKE 'another server had%'"), 0,
    'and the message can be ended');

# of two hosts one does not answer
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5) or die $!;
$servers[1]->append_conf('postgresql.conf', sprintf("snowid.directory = 'host=127.0.0.1,%s port=%d,%d dbname=postgres user=postgres'",
    $directory->host, $silent->sockport, $directory->port));
my $seen = -s $servers[1]->logfile;
$servers[1]->restart;
ok(has_number($servers[1]), 'of two hosts the first does not answer: there is a number');
unlike(slurp_file($servers[1]->logfile, $seen), qr/does not answer/, 'and nothing waits for that host');
$silent->close;

# to a number and back while a database is locked: the number that comes into force last is the directory's, fenced
$servers[1]->append_conf('postgresql.conf', directory_of($directory) . "\nsnowid.worker_id = directory");
$servers[1]->safe_psql('postgres', 'ALTER SYSTEM RESET snowid.sno_partition');
$servers[1]->adjust_conf('postgresql.conf', 'snowid.sno_partition', undef);
$servers[1]->reload;
has_number($servers[1]);
for my $pause (0.3, 3) {
    $servers[1]->safe_psql('postgres', 'CREATE DATABASE locked' . int($pause));
    $servers[1]->safe_psql('locked' . int($pause), 'CREATE EXTENSION snowid');
    my $locker = client($servers[1]->host, $servers[1]->port, 'locked' . int($pause));
    client_query($locker, 'BEGIN; LOCK TABLE _snowid.horizon');
    $servers[1]->append_conf('postgresql.conf', 'snowid.worker_id = 901');
    $servers[1]->reload;
    sleep($pause);
    $servers[1]->append_conf('postgresql.conf', 'snowid.worker_id = directory');
    $servers[1]->reload;
    sleep(0.3);
    client_query($locker, 'ROLLBACK');
    ok($servers[1]->poll_query_until('postgres',
        "SELECT state = 'held' AND until IS NOT NULL AND snowflake_worker(snowflake_next()) = worker AND worker <= 6 FROM snowid_worker"),
        "to a number and back in $pause s, with a locked database: the tenure is in force");
}

# before the directory has answered once, a generator with a number of its own makes no ids
$servers[1]->safe_psql('postgres', "SELECT snowid_generator_create('by_hand', worker => 1000)");
is($servers[1]->safe_psql('postgres', "SELECT snowflake_worker(snowflake_next('by_hand'))"), 1000, 'a generator by hand');
$servers[1]->append_conf('postgresql.conf', "snowid.directory = 'host=/nowhere'");
$servers[1]->restart;
fails_with($servers[1], "SELECT snowflake_next('by_hand')", '55000',
    qr/it is not known yet whether the directory gives out the number of generator "by_hand"/,
    'is refused until it is known whose the number is');
$servers[1]->append_conf('postgresql.conf', directory_of($directory));
$servers[1]->reload;
ok($servers[1]->poll_query_until('postgres', "SELECT snowflake_worker(snowflake_next('by_hand')) = 1000"),
    'and goes on when the directory has answered');

# a standby has a number of its own, and goes on with it when it is promoted
$servers[0]->backup('backup');
my $standby = Server->new('standby');
$standby->init_from_backup($servers[0], 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "cluster_name = 'standby'");
$standby->start;
ok(has_number($standby), 'a standby has a number');
isnt(worker_of($standby), worker_of($servers[0]), 'of its own');
fails_with($standby, 'SELECT snowflake_next()', '25006', qr/./, 'and makes no ids');
my $worker = worker_of($standby);
$standby->promote;
is($standby->safe_psql('postgres', 'SELECT snowflake_worker(snowflake_next())'), $worker, 'promoted, it goes on with its number');
is($servers[0]->safe_psql('postgres', 'SELECT snowflake_worker(snowflake_next())'), worker_of($servers[0]),
    'beside the other one, which never stopped');

$_->stop for $standby, @servers, $directory;
done_testing();
