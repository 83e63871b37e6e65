# What administrators do to a running server: maintenance of the table, logical replication, cancelling; and a client that
# asks for far too much.
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
my $node = new_server('maintenance', 'wal_level = logical', 'snowid.reserve = 100ms', 'max_logical_replication_workers = 8',
    'max_worker_processes = 16');
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE EXTENSION amcheck');

# maintenance of the table under writers; the short reserve makes them write to it often
my @files = map { "$folder/ids$_" } 1 .. 3;
my @writers = map { writer_start($node, $_) } @files;
ids_go_on(\@files);
my @corrupt;
my $end = time() + 8;
my $rounds = 0;
while (time() < $end) {
    my $what = ('VACUUM FULL _snowid.horizon', 'VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) _snowid.horizon', 'ANALYZE _snowid.horizon',
        'CHECKPOINT', 'VACUUM FREEZE')[ $rounds++ % 5 ];
    $node->safe_psql('postgres', $what);
    push @corrupt, $node->safe_psql('postgres', "SELECT blkno, offnum, msg FROM verify_heapam('_snowid.horizon')");
    sleep(rand(0.15));
}
is(join('', @corrupt), '', "verify_heapam finds nothing after any of $rounds rounds of maintenance");
ok(ids_go_on(\@files), 'ids go on');
is_deeply({ refusals(@files) }, {}, 'and nobody was refused one');
$node->stop('immediate');
start_again($node, %clock);
accepts_connections($node);
is($node->safe_psql('postgres', "SELECT count(*) FROM verify_heapam('_snowid.horizon')"), 0, 'nor does it after a crash');
is($node->safe_psql('postgres', 'SELECT count(*) FROM _snowid.horizon WHERE generator = 0'), 1, 'there is one row');
ok(ids_go_on(\@files), 'and ids go on');

# a subscription to all tables of a server whose horizon is higher, and of one whose horizon is lower
for my $ahead ('1 s', '-1 day') {
    my $name = $ahead =~ /-/ ? 'lower' : 'higher';
    my $publisher = new_server($name, 'wal_level = logical', 'snowid.worker_id = 2', 'max_worker_processes = 16');
    $publisher->start;
    $publisher->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE TABLE t (id bigint DEFAULT snowflake_next(), n int)');
    if ($name eq 'higher') {
        $publisher->safe_psql('postgres', "SELECT snowid_horizon_advance(clock_timestamp() + interval '$ahead')");
    } else {
        $publisher->safe_psql('postgres', "UPDATE _snowid.horizon SET horizon = extract(epoch FROM now() + interval '$ahead') * 1e9");
    }
    $publisher->safe_psql('postgres', 'CREATE PUBLICATION all_tables FOR ALL TABLES; INSERT INTO t (n) VALUES (1)');
    $node->safe_psql('postgres',
        'CREATE TABLE IF NOT EXISTS t (id bigint DEFAULT snowflake_next(), n int, made bigint DEFAULT snowflake_next())');
    my $before = $node->safe_psql('postgres', 'SELECT max(horizon) FROM _snowid.horizon');
    my $connection = $publisher->connstr . ' dbname=postgres';
    $node->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION all_tables");
    $node->wait_for_subscription_sync($publisher, $name);
    is($node->safe_psql('postgres', "SELECT finding FROM snowid_check() WHERE subject = 'replication'"),
        "subscription $name receives tables that belong to another server's generators", "$name: and that is noticed");
    $publisher->safe_psql('postgres', 'INSERT INTO t (n) SELECT generate_series(2, 100)');
    $publisher->wait_for_catchup($name);
    cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM _snowid.horizon'), '>=', 2, "$name: the publisher's row has come along");
    cmp_ok($node->safe_psql('postgres', 'SELECT max(horizon) FROM _snowid.horizon'), '>=', $before, "$name: nothing is lowered");
    ok(ids_go_on(\@files), "$name: ids go on");
    is($node->safe_psql('postgres',
        'SELECT count(DISTINCT made) = count(*) AND bool_and(snowflake_worker(made) = 1 AND snowflake_worker(id) = 2) FROM t'), 't',
        "$name: a default fires in the workers of replication, with ids of this server");
    my $copied = $node->safe_psql('postgres', 'SELECT max(horizon) FROM _snowid.horizon WHERE server <> (SELECT server FROM _snowid.horizon
        ORDER BY horizon DESC LIMIT 1)') || 0;
    cmp_ok($node->safe_psql('postgres', 'SELECT extract(epoch FROM snowflake_time(snowflake_next())) * 1e9'), '>=', $copied - 1e6,
        "$name: and they are above it");
    $node->safe_psql('postgres', "DROP SUBSCRIPTION $name; TRUNCATE t");
    $publisher->stop('immediate');
}
is_deeply({ refusals(@files) }, {}, 'nobody was refused an id');
writer_stop(@writers);

# who waits can be cancelled, by hand and by the clock
$node->append_conf('postgresql.conf', "snowid.clock_wait = '30s'\nsnowid.clock_drift = '100ms'");
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('snowid.clock_wait') = '30s'") or die;
set_clock($clock, -20);
my $asked = time();
fails_with($node, "SET statement_timeout = '300ms'; SELECT snowflake_next()", '57014', qr/statement timeout/,
    'statement_timeout ends a wait');
cmp_ok(time() - $asked, '<', 18, 'before the clock has caught up');
my $waiter = client($node->host, $node->port, 'postgres');
if ((my $child = fork()) == 0) {
    $node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $waiter->{pid}");
    $node->psql('postgres', "SELECT pg_cancel_backend($waiter->{pid})");
    POSIX::_exit(0);
}
my $answer = client_query($waiter, 'SELECT snowflake_next()');
like($answer->{error}, qr/^57014 /, 'a wait can be cancelled');
wait();
set_clock($clock, 0);
like(client_query($waiter, 'SELECT snowflake_next()')->{rows}[0], qr/^\d+$/, 'and the session goes on');
$node->append_conf('postgresql.conf', "snowid.clock_wait = '5ms'\nsnowid.clock_drift = '2s'");
$node->stop;

# a client that asks for two billion ids, on a clock that nothing slows down; at first, and right after a crash
$node->start;
for my $when ('at first', 'right after a crash') {
    if ($when ne 'at first') {
        $node->append_conf('postgresql.conf', "snowid.reserve = '1s'");
        $node->reload;
        sleep(1.2);
        $node->safe_psql('postgres', 'SELECT snowflake_next()');
        $node->stop('immediate');
        $node->start;
        accepts_connections($node);
    }
    my $greedy_pid;
    my $greedy = client($node->host, $node->port, 'postgres');
    $greedy->{on_row} = sub { };
    if (($greedy_pid = fork()) == 0) {
        client_query($greedy, 'SELECT count(*) FROM (SELECT snowflake_next_batch(2000000000)) s');
        POSIX::_exit(0);
    }
    my @modest = map { "$folder/modest$_" . ($when eq 'at first') } 1 .. 3;
    @writers = map { writer_start($node, $_, times => 1) } @modest;
    ok(ids_go_on(\@modest, more => 50), "$when: others get ids");
    my $furthest = 0;
    for (1 .. 100) {
        my $ahead = $node->safe_psql('postgres',
            'SELECT extract(epoch FROM snowflake_time(snowflake_next()) - clock_timestamp())') if $_ % 10 == 1;
        $furthest = $ahead if defined $ahead && $ahead > $furthest;
        sleep(0.02);
    }
    cmp_ok($furthest, '<', 1.1, "$when: none is dated into the future");
    ok(ids_go_on(\@modest, more => 50), "$when: others still get ids");
    is_deeply({ refusals(@modest) }, {}, "$when: and none is refused");
    my @longest = sort { $a <=> $b } map { split /\n/, slurp_file("$_.longest") } @modest;
    diag(sprintf('%s: beside two billion ids a statement takes %.1f ms (median), %.1f ms (99 %%), %.1f ms (longest); at most %.3f s ahead',
            $when, map({ 1000 * $longest[ $#longest * $_ ] } 0.5, 0.99, 1), $furthest));
    is($node->safe_psql('postgres', "SELECT pg_cancel_backend($greedy->{pid})"), 't', "$when: the batch is cancelled");
    ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $greedy->{pid} AND state = 'active'"),
        "$when: and ends");
    waitpid($greedy_pid, 0);
    writer_stop(@writers);
    push @files, @modest;
}
check_ids('maintenance', @files);
$node->stop;
done_testing();
