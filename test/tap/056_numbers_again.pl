# A number that comes to the server, or back to it, brings no id twice: whoever had it before may have come further than the
# server's own ids, or than its clock, and may be gone.
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
my $back = 0;
$node = new_server('numbers', 'snowid.sno_partition = 1', 'autovacuum = off');
start_again($node, %clock);

sub step_clock { set_clock($clock, $back += $_[0]); return; }
sub again {
    my ($worker, $by) = @_;
    $node->adjust_conf('postgresql.conf', 'snowid.worker_id', $worker);
    $node->stop('immediate');
    step_clock($by // 0);
    start_again($node, %clock);
    accepts_connections($node);
    return;
}

# A reload whose number is in force before the server makes an id with it. Returns what the log says.
sub reload_with {
    my ($worker) = @_;
    my $log = -s $node->logfile;
    $node->adjust_conf('postgresql.conf', 'snowid.worker_id', $worker);
    $node->reload;
    ok($node->wait_for_log(qr/the worker is $worker from here on/, $log), "the worker is $worker") or BAIL_OUT('no reload');
    return substr(slurp_file($node->logfile), $log);
}

# A generator of a new database.
sub make_shard {
    my ($worker, $rest) = @_;
    sql('CREATE DATABASE shards');
    sql("CREATE EXTENSION snowid; SELECT snowid_generator_create('shard', worker => $worker@{[$rest // '']})", 'shards');
    return;
}
sub make_given { make_shard($_[0], ', backfill => true, sequence_max => 3'); return; }
sub last_of_shard { return sql("SELECT max(id) FROM (SELECT snowflake_next('shard') AS id FROM generate_series(1, 5000)) AS ids", 'shards');
    }

# As far ahead of the clock as given times go.
sub last_given {
    return sql("SELECT max(id) FROM (SELECT snowflake_at(statement_timestamp() + interval '1900 ms', 'shard') AS id FROM generate_series(1,
        6000)) AS ids", 'shards');
}

# The first id, as soon as one is made.
sub first_id {
    my ($db, $generator) = @_;
    for (1 .. 200) {
        my ($status, $id, $error) = $node->psql($db // 'postgres', 'SELECT snowflake_next(' . ($generator // '') . ')');
        return $id if $status == 0;
        return diag($error) unless $error =~ /clock is .* behind/;
        sleep(0.1);
    }
    return;
}
sub goes_on_above {
    my ($last, $what) = @_;
    my $id = first_id();
    cmp_ok($id // 0, '>', $last, $what) or diag(sql("SELECT snowflake_worker($id), snowflake_time($id), snowflake_worker($last),
        snowflake_time($last), clock_timestamp()"));
    is(sql("SELECT snowflake_worker($id) = snowflake_worker($last)"), 't', 'with the number') if defined $id;
    return;
}

# a server that has never made an id of its own, and whose clock is set back
sql('CREATE EXTENSION snowid');
make_shard(5);
my $last = last_of_shard();
step_clock(-5);
sql('DROP DATABASE shards');
my $said = reload_with(5);
like($said, qr/the worker stays 1 for now, because ids with 5 have reached .*HINT:  Nothing needs to be done.*the worker is 5 from here on, and was 1/s,
    'the log says that it waits, and when it no longer does');
is(scalar(() = $said =~ /stays 1/g), 1, 'once');
goes_on_above($last, 'the clock is set back, and the number comes by a reload: it waits for what a dropped database has made');
step_clock(5);
make_shard(6);
$last = last_of_shard();
step_clock(-5);
sql("SELECT snowid_generator_drop('shard')", 'shards');
reload_with(6);
goes_on_above($last, 'the same for a dropped generator');
sql('DROP DATABASE shards');
step_clock(5);

# a number that a reload gave up, before the server has made an id with the next one
again(6);
first_id();
reload_with(7);
make_shard(6);
sleep(1.2);
$last = last_of_shard();
sql('DROP DATABASE shards');
again(6, -1.5);
goes_on_above($last, 'a number is given up by a reload, used by a generator, and comes back by a restart');
step_clock(1.5);
reload_with(7);
make_shard(6);
$last = last_of_shard();
sql('DROP DATABASE shards');
reload_with(6);
goes_on_above($last, 'or by a reload');

# given times go further ahead of the clock than others
make_given(8);
$last = last_given();
sql('DROP DATABASE shards');
again(8);
goes_on_above($last, 'given times of a database that is dropped, and a restart');
make_given(9);
$last = last_given();
again(9);
goes_on_above($last, 'of one that is still there');
sql('DROP DATABASE shards');
make_given(10);
$last = last_given();
sql('DROP DATABASE shards');
reload_with(10);
goes_on_above($last, 'of one that is dropped, and a reload');
make_given(11);
$last = last_given();
sql("SELECT snowid_generator_drop('shard')", 'shards');
reload_with(11);
goes_on_above($last, 'of a generator that is dropped, and a reload');
sql('DROP DATABASE shards');
make_given(12);
$last = last_given();
sql('DROP DATABASE shards');
make_shard(12);
cmp_ok(first_id('shards', "'shard'") // 0, '>', $last, 'another generator gets the number of one that is dropped');
sql('DROP DATABASE shards');

# times of the future keep nobody waiting
make_shard(13, ', backfill => true, future => true');
$last = sql("SELECT snowflake_at('2060-01-01', 'shard')", 'shards');
sql('DROP DATABASE shards');
reload_with(13);
cmp_ok(first_id() // $last, '<', $last, 'a number that has ids of the future is taken by a reload');
make_shard(14, ', backfill => true, future => true');
sql("SELECT snowflake_at('2060-01-01', 'shard')", 'shards');
again(14);
cmp_ok(first_id() // $last, '<', $last, 'or by a restart, although the generator is still there');
$node->stop;
done_testing();
