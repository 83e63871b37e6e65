# Callers who ask for more than a tick has: counted, and told to who listens, in the database where they wait.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = new_server('overflow', 'log_min_messages = debug1');
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql($_, 'CREATE EXTENSION snowid') for 'postgres', 'other';
$node->safe_psql('postgres', q(SELECT snowid_generator_create('a "small" one', worker => 5, sequence_max => 3)));
$node->safe_psql('other', q(SELECT snowid_generator_create('snos', scheme => 'sno', partition => 5, sequence_max => 3)));

# psql says what it was notified of when a query returns.
sub heard {
    my ($listener) = @_;
    my $out = $listener->query('SELECT 1');
    return $out =~ /Asynchronous notification "snowid_overflow" with payload "(\{.*?\})" received/g;
}

sub listener {
    my ($db) = @_;
    my $listener = $node->background_psql($db);
    $listener->query_safe('LISTEN snowid_overflow');
    return $listener;
}

my $here = listener('postgres');
my $there = listener('other');
$node->safe_psql('postgres', q(SELECT count(snowflake_next('a "small" one')) FROM generate_series(1, 20)));
ok(wait_for_it($here, \my @first), 'an overflow is told');
like($first[0], qr/^\{"generator": "a \\"small\\" one", "scheme": "snowflake", "waiting": 1, "for_ms": \d+\}$/,
    'with the generator, how many wait and for how long');
is_deeply([ heard($there) ], [], 'and not in other databases');

# for as long as it lasts, once a second
my $gate = $node->background_psql('other');
$gate->query_safe('SELECT pg_advisory_lock(1)');
my @statements = ('-c', 'SELECT pg_advisory_lock_shared(1)', '-c', q(SELECT count(sno_next(0, 'snos')) FROM generate_series(1, 700)));
my @callers = map { IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('other'), @statements ], '>', \my $ignored) } 1 .. 4;
ok($node->poll_query_until('other', "SELECT count(*) = 4 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"),
    'four begin together');
my $began = time();
$gate->quit;
$_->finish for @callers;
my $lasted = time() - $began;
sleep(1.2);
my @told = heard($there);
cmp_ok(scalar(@told), '>', 1, 'told again while it lasts');
cmp_ok(scalar(@told), '<=', $lasted + 2, 'once a second');
is(scalar(grep { !/"generator": "snos", "scheme": "sno"/ } @told), 0, 'of that generator');
my ($most) = sort { $b <=> $a } map { /"waiting": (\d+)/ } @told;
is($most, 4, 'with all who wait');
my ($longest) = sort { $b <=> $a } map { /"for_ms": (\d+)/ } @told;
cmp_ok($longest, '>=', 1000 * (@told - 1), 'and since when');
is($node->safe_psql('other', q(SELECT overflows > 100 AND waits >= overflows AND wait_time > interval '1 s' FROM snowid_stat
    WHERE generator = 'snos')), 't', 'it is counted');

# who is interrupted while it waits does not count as waiting for ever
my $waiter = $node->background_psql('other', on_error_stop => 0);
$waiter->query(q(SET statement_timeout = '300ms'; SELECT count(sno_next(0, 'snos')) FROM generate_series(1, 100000)));
sleep(2.5);
heard($there);
$node->safe_psql('other', q(SELECT count(sno_next(0, 'snos')) FROM generate_series(1, 20)));
ok(wait_for_it($there, \my @after), 'told anew');
my ($waits, $for_ms) = $after[0] =~ /"waiting": (\d+), "for_ms": (\d+)\}/;
is($waits, 1, 'of those who wait now');
cmp_ok($for_ms, '<', 2500, 'since they do');

# ids that nobody has to wait for are not an overflow
my $calm = $node->safe_psql('postgres', q(SELECT overflows FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake'));
$node->safe_psql('postgres', 'SELECT count(*) FROM snowflake_next_batch(100000)');
sleep(0.5);
is_deeply([ grep { /"default"/ } heard($here) ], [], 'a batch that is paced is none');

# however many generators and databases there are, one worker at a time tells of them
my ($generators, @databases) = (40, 'postgres', 'other');
$node->safe_psql($_, "SELECT count(snowid_generator_create('many ' || n, overlap => true, worker => 5, sequence_max => 3))
    FROM generate_series(1, $generators) n") for @databases;
my $log = -s $node->logfile;
my $ask = "SELECT count(*) FROM generate_series(1, $generators) n, LATERAL (SELECT snowflake_next('many ' || n) FROM generate_series(1, 20)) ids";
my @busy = map { IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr($_), '-c', $ask ], '>', \my $ignored) } @databases;
$_->finish for @busy;
for my $listener ($here, $there) {
    my %told;
    for (1 .. 100) {
        $told{$_} = 1 for map { /"generator": "(many \d+)"/ } heard($listener);
        last if keys %told == $generators;
        sleep(0.1);
    }
    is(keys %told, $generators, 'all overflows are told');
}
my ($running, $most_running) = (0, 0);
for (slurp_file($node->logfile, $log) =~ /(starting .*"snowid notifier"|"snowid notifier" \(PID \d+\) exited)/g) {
    $running += /^starting/ ? 1 : -1;
    $most_running = $running if $running > $most_running;
}
is($most_running, 1, 'by one worker at a time');

$_->quit for $here, $there, $waiter;
$node->stop;

sub wait_for_it {
    my ($listener, $told) = @_;
    for (1 .. 100) {
        @$told = heard($listener);
        return 1 if @$told;
        sleep(0.1);
    }
    return 0;
}

done_testing();
