# A standby takes over, the old primary comes back by pg_rewind and takes over in turn; and a copy that is started beside
# its original.
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
my (%clock, @files, @writers);
sub start_at {
    my ($node, $offset) = @_;
    my $name = $node->name;
    $clock{$name} //= { faked_clock("$folder/clock_$name") };
    set_clock("$folder/clock_$name", $offset);
    start_again($node, %{ $clock{$name} });
}
sub write_to {
    my ($node) = @_;
    my @new = map { "$folder/ids" . (@files + $_) } 1 .. 4;
    push @files, @new;
    @writers = map { writer_start($node, $_) } @new;
    ok(ids_go_on(\@new, more => 20), 'ids go on at ' . $node->name);
    return @new;
}

my $a = new_server('a', 'wal_log_hints = on', 'hot_standby = on', 'snowid.reserve = 2s', 'wal_keep_size = 256MB', 'max_wal_size = 1GB');
start_at($a, 0);
$a->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE DATABASE other');
$a->safe_psql('other', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
$a->backup('base');

my $b = Server->new('b');
$b->init_from_backup($a, 'base', has_streaming => 1);
start_at($b, -1);
fails_with($b, 'SELECT snowflake_next()', '25006', qr/during recovery/, 'a standby makes no ids');
is($b->safe_psql('postgres', 'SELECT count(*) FROM snowid_stat'), 2, 'but shows what it knows');

my ($from, $to) = ($a, $b);
for my $round (1 .. 4) {
    my @old = write_to($from);
    sleep(1 + rand(0.6));
    $from->wait_for_catchup($to, 'replay');
    $round % 2 ? kill_postmaster($from) : $from->stop('immediate');
    writer_stop(@writers);
    $to->promote;
    my @new = write_to($to);
    is_deeply({ refusals(@new) }, {}, "takeover $round: nobody is refused, though the clock of the new one is behind");
    writer_stop(@writers);

    # the old one follows the new one
    start_again($from, %{ $clock{ $from->name } });
    $from->stop;
    $to->safe_psql('postgres', 'CHECKPOINT');
    command_ok([ 'pg_rewind', '--target-pgdata', $from->data_dir, '--source-server', $to->connstr('postgres'), '--no-sync' ],
        "takeover $round: pg_rewind of the old one");
    my ($port, $name) = ($from->port, $from->name);
    $from->append_conf('postgresql.conf', "port = $port\nunix_socket_directories = '" . $from->host . "'");
    $from->append_conf('postgresql.auto.conf', "primary_conninfo = '" . $to->connstr . " application_name=$name'");
    $from->set_standby_mode();
    # each next one is a second behind the one that it takes over from
    start_at($from, -1 - $round);
    $to->wait_for_catchup($from, 'replay');
    ($from, $to) = ($to, $from);
}
check_ids('4 takeovers', @files);

# A standby that lags by less than half of the reserve. Nothing but snowid itself flushes WAL here.
for ($from, $to) {
    $_->append_conf('postgresql.conf', "snowid.reserve = 60s\nsnowid.clock_drift = 60s");
    $_->reload;
}
my $session = client($from->host, $from->port, 'postgres') or BAIL_OUT('no connection');
my $began;
sub id_after {
    my ($seconds) = @_;
    set_clock("$folder/clock_" . $from->name, $began + $seconds);
    my $answer = client_query($session, 'SELECT snowflake_next()');
    is($answer->{error}, undef, "an id after $seconds s");
    return $answer->{rows}[0];
}
$began = -5;
id_after(0);
id_after(33);
$from->wait_for_catchup($to, 'replay', $from->lsn('flush'));
$to->stop;
id_after(48);
my $last = id_after(61);
$from->stop('immediate');
start_at($to, $began + 40);
$to->promote;
cmp_ok($to->safe_psql('postgres', 'SELECT snowflake_next()'), '>', $last, 'a standby that lags by 28 s goes on above what it has not seen');
unlike(slurp_file($_->logfile), qr/were copied or moved/, 'a takeover is no reason for a warning: ' . $_->name) for $a, $b;
$_->stop for $to, $from;

# a copy that is started as a server of its own, on the same timeline
my $original = new_server('original');
$original->start;
$original->safe_psql('postgres', 'CREATE EXTENSION snowid; SELECT snowflake_next(); CREATE DATABASE idle');
$original->safe_psql('idle', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
$original->safe_psql('idle', "SELECT snowid_generator_create('orders', worker => 20),
    snowid_generator_create('snos', scheme => 'sno', partition => 20), snowid_generator_create('old', worker => 21, backfill => true)");
$original->safe_psql('idle', "SELECT snowflake_at('2024-05-01Z', 'old')");
$original->safe_psql('idle', 'SELECT snowid_seal_key_create(5); SELECT snowid_seal_key_create(6); SELECT snowid_seal_key_use(6)');
my $token = $original->safe_psql('idle', "SELECT id_seal(42, 'ord')");
my @original = write_to($original);
$original->backup('copy');
my $copy = Server->new('copy');
$copy->init_from_backup($original, 'copy');
my ($before) = slurp_file('doc/several-servers.md') =~ /^## A copy\n.*?^```sh\n(.*?)^```$/ms;
my ($after) = slurp_file('doc/several-servers.md') =~ /^```sql on the copy\n(.*?)^```$/ms;
{
    local $ENV{PGDATA} = $copy->data_dir;
    system_or_bail('sh', '-c', $before);
}
$copy->start;
my @copy_writers = @writers;
my @copied = write_to($copy);
writer_stop(@writers, @copy_writers);
like(slurp_file($copy->logfile), qr/WARNING:  snowid: this server's data were copied or moved\n.*DETAIL:.*\n.*HINT:.*worker_id/,
    'a copy warns');
my $told = "SELECT severity, what_to_do ~ 'snowid_horizon_advance' FROM snowid_check() WHERE subject = 'copy'";
sub warnings_of { return scalar(() = slurp_file($_[0]->logfile) =~ /were copied or moved/g) }
is($copy->safe_psql('postgres', $told), 'warning|t', 'and snowid_check() says so');
for my $start (2 .. 4) {
    $start % 2 ? $copy->restart : do { $copy->stop('immediate'); $copy->start };
    $copy->safe_psql($_, 'SELECT snowflake_next(), sno_next()') for 'postgres', 'idle';
    is($copy->safe_psql('postgres', $told), 'warning|t', "start $start: it still is one, though it has made ids");
    is(warnings_of($copy), $start, "start $start: the log says so again");
}
$copy->safe_psql('postgres', 'CREATE DATABASE new');
$copy->safe_psql('new', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
$copy->restart;
is($copy->safe_psql('new', $told), 'warning|t', 'an extension that is new in the copy changes nothing');
$copy->set_standby_mode;
$copy->restart;
$copy->promote;
$copy->poll_query_until('postgres', 'SELECT snowflake_next() > 0') or die;
is($copy->safe_psql('postgres', $told), 'warning|t', 'nor does a promotion');

# a dump of it into another server brings rows that say where they were written, and makes no copy of that server
my $dump = "$folder/dump.sql";
command_ok([ 'pg_dump', '-h', $copy->host, '-p', $copy->port, '-f', $dump, 'postgres' ], 'a dump of it');
my $other = new_server('other');
$other->start;
$other->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', $other->host, '-p', $other->port, '-d', 'restored', '-f', $dump ],
    'is restored elsewhere');
$other->restart;
$other->safe_psql('restored', 'SELECT snowflake_next()');
is($other->safe_psql('restored', $told) . warnings_of($other), 0, 'which is no copy');

# a dump for tests has no key, and needs only the first statement
my ($numbers) = $after =~ /^(SELECT snowid_generator_alter.*?;)$/ms or BAIL_OUT('no statement');
$other->safe_psql('postgres', 'CREATE DATABASE idle');
command_ok([ 'pg_dump', '-h', $copy->host, '-p', $copy->port, '-f', $dump, 'idle' ], 'a dump with generators and keys');
$other->safe_psql('idle', slurp_file($dump));
$other->safe_psql('idle', $numbers);
is($other->safe_psql('idle', "SELECT snowflake_worker(snowflake_next('orders')), (SELECT count(*) FROM snowid_seal_keys),
    (SELECT count(*) FROM _snowid.generator WHERE name IS NOT NULL AND coalesce(worker, partition) <= 500)"), '501|0|0',
    'makes no id of the original, and opens none');
$other->stop;

$copy->safe_psql($_, $after) for 'postgres', 'idle';
is($copy->safe_psql('postgres', $told), '', 'a superuser says that it is settled');
is($copy->safe_psql('idle', 'SELECT count(*), count(DISTINCT coalesce(worker, partition)) FROM _snowid.generator
    WHERE name IS NOT NULL AND coalesce(worker, partition) > 500'), '3|3',
    'named generators have other numbers');
is($copy->safe_psql('idle', "SELECT snowflake_worker(snowflake_next('orders'))"), 501, 'which make ids');
is($copy->safe_psql('idle', "SELECT count(*) FROM snowid_check() WHERE finding ~ 'may be lost'"), 0, 'also of given times');
my $opens = "SELECT id_try_unseal('$token', 'ord'), id_unseal(id_seal(42, 'ord'), 'ord')";
is($original->safe_psql('idle', $opens), '42|42', 'the original opens what it has sealed');
is($copy->safe_psql('idle', $opens), '|42', 'and the copy does not');
is($copy->safe_psql('postgres', 'SELECT count(*) FROM snowid_seal_keys'), 0, 'where there was no key, there is none');
my $warned = warnings_of($copy);
for my $start (1 .. 2) {
    $copy->restart;
    $copy->safe_psql($_, 'SELECT snowflake_next()') for 'postgres', 'idle';
    is($copy->safe_psql('postgres', $told) . warnings_of($copy), $warned, "settled, start $start: nothing is said any more");
}
$original->restart;
$original->safe_psql('postgres', 'SELECT snowflake_next()');
unlike(slurp_file($original->logfile), qr/were copied or moved/, 'the original does not');
check_ids('a copy with another worker id', @original, @copied);
$_->stop for $original, $copy;
done_testing();
