# A server that comes back from a backup, a dump or an upgrade does not make the ids that it made before, though its clock
# is behind.
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
my $files = 0;

# Lets clients write ids to the server for a while; returns their files.
sub ids_from {
    my ($node, $what, %options) = @_;
    my @files = map { "$folder/ids" . ++$files } 1 .. 2;
    my @writers = map { writer_start($node, $_, %options) } @files;
    ok(ids_go_on(\@files, more => 100), "$what: ids go on");
    sleep(0.5);
    writer_stop(@writers);
    return @files;
}

# Sets the clock so far behind the last id that the origin has made.
my $last_time;
sub clock_behind_last { set_clock($clock, $last_time - time() - $_[0]) }

# point-in-time recovery
my $node = new_server('origin', 'snowid.clock_drift = 2s');
$node->{_archive} = 1;
$node->append_conf('postgresql.conf', "archive_mode = on\narchive_command = 'cp \"%p\" \"" . $node->archive_dir . "/%f\"'");
mkdir $node->archive_dir;
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
$node->backup('base');
my @before = ids_from($node, 'before the target');
my $target = $node->safe_psql('postgres', 'SELECT pg_create_restore_point(\'target\')') ? 'target' : die;
my @after = ids_from($node, 'after the target');
$last_time = $node->safe_psql('postgres', 'SELECT extract(epoch FROM snowflake_time(snowflake_next()) + interval \'1 ms\')');
$node->safe_psql('postgres', 'SELECT pg_switch_wal()');
my $dump = "$folder/dump.sql";
$node->run_log([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ]);
$node->stop;

for my $way ('advance', 'another worker') {
    (my $name = $way) =~ s/\W/_/g;
    my $restored = Server->new($name);
    $restored->init_from_backup($node, 'base', has_restoring => 1, standby => 0);
    $restored->append_conf('postgresql.conf', "recovery_target_name = 'target'\nrecovery_target_action = 'promote'\narchive_mode = off");
    $restored->append_conf('postgresql.conf', 'snowid.worker_id = 2') if $way eq 'another worker';
    clock_behind_last(1);
    start_again($restored, %clock);
    $restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
    clock_behind_last(1);
    my $copies = sub { return $restored->safe_psql('postgres', q(SELECT count(*) FROM snowid_check() WHERE subject = 'copy')) };
    is($copies->(), 1, "recovered to a target, $way: the original may go on");
    $restored->safe_psql('postgres', "SELECT snowid_horizon_advance(to_timestamp($last_time))") if $way eq 'advance';
    is($copies->(), $way eq 'advance' ? 0 : 1, "recovered to a target, $way: until a superuser says that it does not matter");
    my @now = ids_from($restored, "recovered to a target, $way");
    check_ids("recovered to a target, $way", @before, @after, @now);
    $restored->stop;
    set_clock($clock, 0);
}

# a dump into a server whose clock is behind, as psql reads it
my $into = new_server('into');
clock_behind_last(0.5);
start_again($into, %clock);
$into->safe_psql('postgres', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
$into->safe_psql('postgres', "CREATE DATABASE restored");
my $session = $into->background_psql('postgres');
$session->query_safe('SELECT snowflake_next()');    # what this server makes before the dump is in, nothing guards
$into->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-q', '-d', $into->connstr('restored'), '-f', $dump ], 'the dump goes in');
is($into->safe_psql('restored', 'SELECT count(*) FROM _snowid.horizon'), 2, 'with its horizons');
clock_behind_last(0.5);
my @into = ids_from($into, 'restored from a dump', dbname => 'restored');
my @beside = ids_from($into, 'the database beside it');
push @beside, "$folder/session";
append_to_file("$folder/session", $session->query_safe('SELECT snowflake_next()') . "\n");
$session->quit;
check_ids('restored from a dump', @before, @after, @into, @beside);
$into->stop('immediate');
clock_behind_last(0.7);
start_again($into, %clock);
my @again = ids_from($into, 'after a crash of that', dbname => 'restored');
check_ids('after a crash of that', @before, @after, @into, @beside, @again);

# a database made from that one
$into->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE restored');
my @copied = ids_from($into, 'a copied database', dbname => 'copied');
$into->stop('immediate');
clock_behind_last(0.7);
start_again($into, %clock);
my @copied_again = ids_from($into, 'another database after a crash', dbname => 'postgres');
check_ids('copied', @before, @after, @into, @beside, @again, @copied, @copied_again);
$into->stop;
set_clock($clock, 0);

# a dump that a database's owner, who is no superuser, restores
my $owned = new_server('owned');
start_again($owned, %clock);
$owned->safe_psql('postgres', 'CREATE ROLE owner LOGIN CREATEDB; CREATE DATABASE owned OWNER owner');
my ($status, $out, $err) = $owned->psql('owned', slurp_file($dump), user => 'owner', on_error_stop => 0);
unlike($err, qr/ERROR.*snowid/, 'the owner of a database restores a dump');
ids_from($owned, 'restored by an owner', dbname => 'owned');
$owned->safe_psql('postgres', 'CREATE DATABASE ahead');
set_clock($clock, -3600);
($status, $out, $err) = $owned->psql('ahead', slurp_file($dump), on_error_stop => 0);
like($err, qr/WARNING:  the restored horizon is ahead of the clock.*HINT:  If the dump/s,
    'a superuser is told that ids stop for everybody');
$owned->stop;
set_clock($clock, 0);

# pg_upgrade
my $old = new_server('old');
start_again($old, %clock);
$old->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE TABLE t (id bigint PRIMARY KEY DEFAULT snowflake_next(),
    at snowflake DEFAULT snowflake_next(), n int); INSERT INTO t (n) SELECT generate_series(1, 1000)');
$old->safe_psql('postgres', 'CREATE DATABASE second');
$old->safe_psql('second', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
# a promotion, after which the server is on its second timeline: what was lost in it, if anything, is settled
$old->safe_psql('postgres', q(SELECT snowid_generator_create('past', worker => 20, backfill => true), snowid_generator_create('future',
    worker => 21, backfill => true, future => true),
    snowid_generator_create('idle', worker => 22, backfill => true); SELECT snowflake_at('2024-05-01Z', 'past')));
sub promote_alone {
    my ($node) = @_;
    $node->stop;
    $node->set_standby_mode;
    start_again($node, %clock);
    $node->promote;
}
promote_alone($old);
$old->safe_psql('postgres', q(SELECT snowid_generator_accept('past'), snowid_generator_accept('future'), snowid_generator_accept('idle')));
my @old = ids_from($old, 'before the upgrade');
my $sum = $old->safe_psql('postgres', 'SELECT count(*), sum(id), sum(at::bigint) FROM t');
$old->safe_psql('postgres', q{CREATE TABLE log (id bigint) PARTITION BY RANGE (id); SELECT snowid_partition('log', '1 week', behind => 1);
    SELECT snowid_partition('log', '1 week', behind => 0, retain => '0')});
my $partitions = $old->safe_psql('postgres', "SELECT * FROM snowid_partitions('log')");
my $horizon = $old->safe_psql('postgres', 'SELECT max(horizon) FROM _snowid.horizon');
$last_time = $old->safe_psql('postgres', 'SELECT extract(epoch FROM snowflake_time(snowflake_next()))');
$old->stop;
my $new = do {
    local $ENV{SNOWID_CLUSTER} = '';    # an upgrade is known by the cluster's own identifier
    new_server('new', 'snowid.clock_drift = 5s');
};
chomp(my $bin = `pg_config --bindir`);
{
    chdir $folder or die $!;
    command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin, '-s', $new->host,
            '-p', $old->port, '-P', $new->port ], 'pg_upgrade');
}
clock_behind_last(3);
start_again($new, %clock);
is($new->safe_psql('postgres', "SELECT snowflake_time(snowflake_next()) > to_timestamp($last_time)"), 't',
    'the first id is above the last one');
is($new->safe_psql('postgres', 'SELECT count(*), sum(id), sum(at::bigint) FROM t'), $sum, 'the ids are there');
my @exact = map { "SELECT snowflake_time(snowflake_at(t, 'past')) = t AND snowflake_time(snowflake_at(t, 'future')) = t
    FROM (SELECT timestamptz '2024-0$_-01Z' AS t) AS given" } 6 .. 8;
is($new->safe_psql('postgres', $exact[0]), 't', 'backfill generators go on where they were: an upgrade loses nothing');
cmp_ok($new->safe_psql('postgres', 'SELECT max(horizon) FROM _snowid.horizon'), '>=', $horizon, 'and the horizon');
is($new->safe_psql('postgres', "SELECT * FROM snowid_partitions('log')"), $partitions, 'the partitions, and the one that is detached');
is($new->safe_psql('postgres', 'CALL snowid_maintain(); SELECT parent, made + cardinality(detached), error FROM snowid_maintenance'),
    'log|0|', 'and their record');
my @new = ids_from($new, 'after the upgrade');
my @second = ids_from($new, 'after the upgrade, the other database', dbname => 'second');
check_ids('pg_upgrade', @old, @new, @second);
is($new->safe_psql('postgres', $exact[1]), 't', 'and on');
# The new server's second timeline has the number that the old server's last one had.
promote_alone($new);
fails_with($new, "SELECT snowflake_at('2024-08-01Z', '$_')", '55000', qr/may be lost/, "after a promotion $_ waits") for 'past', 'future',
    'idle';
$new->stop;
done_testing();
