# T_spread(): no id twice, in order within a transaction, and in order between calls that are more than 64 ms apart, whatever the
# clock does, beside callers of T_next(), and through crashes. A stretch that a session keeps does not outlive a change of its
# generator, and keeps no poller waiting.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time clock_gettime CLOCK_MONOTONIC);

my $seed = seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my %clock = faked_clock("$folder/clock");
$node = new_server('spread', 'restart_after_crash = on', 'snowid.clock_drift = 5s', 'max_connections = 60');
start_again($node, %clock);
sql('CREATE EXTENSION snowid');
sql("SELECT snowid_generator_create('orders', worker => 20)");

sub connect_to { return client($node->host, $node->port, 'postgres') }
sub ids { return @{ (client_query($_[0], $_[1]) // return)->{rows} // [] } }
sub spread { return ids($_[0], sprintf('SELECT %s FROM generate_series(1, %d)', $_[2] // 'snowflake_spread()', $_[1])) }

# Sessions that write down every id, and between which times they asked for it.
my %children;
sub session {
    my ($name, $call) = @_;
    my $test = $$;
    my $pid = fork() // die $!;
    if ($pid) { $children{$name} = $pid; return }
    srand($seed + length($call) + $$);
    my $least = $call =~ /spread/ ? 0.064 : 0;
    open(my $to, '>', "$folder/ids_$name") or POSIX::_exit(1);
    open(my $calls, '>', "$folder/calls_$name") or POSIX::_exit(1);
    while (getppid() == $test && !-e "$folder/stop") {
        my $client = connect_to() or next;
        while (getppid() == $test && !-e "$folder/stop") {
            client_query($client, 'BEGIN') or last;
            my $last = '';
            for (0 .. int(rand(3))) {
                my $from = clock_gettime(CLOCK_MONOTONIC);
                my @ids = spread($client, 1 + int(rand() ** 3 * 1000), $call) or last;
                my $until = clock_gettime(CLOCK_MONOTONIC);
                print $to "$_\n" for @ids;
                for (@ids) {
                    my $id = length($_) == 36 ? $_ : sprintf('%020d', $_);
                    print $calls "after $last in one transaction: $id\n" if $id le $last;
                    $last = $id;
                }
                my ($low, $high) = (sort @ids)[ 0, -1 ];
                printf $calls "%.6f %.6f %.3f %s %s\n", $from, $until, $least, $low, $high;
            }
            client_query($client, 'COMMIT') or last;
            sleep(rand() < 0.2 ? rand(0.1) : rand(0.01));
        }
        sleep(0.02);
    }
    close $_ for $to, $calls;
    POSIX::_exit(0);
}
sub stop_sessions {
    append_to_file("$folder/stop", '');
    waitpid($_, 0) for values %children;
    unlink "$folder/stop";
    my @names = keys %children;
    %children = ();
    return @names;
}
# Whether each call got more than all that ended as long before it as its kind says.
sub in_order {
    my ($what, @names) = @_;
    my @lines = map { split /\n/, slurp_file("$folder/calls_$_") } @names;
    is_deeply([ grep { /^after/ } @lines ], [], "$what: the ids of a transaction ascend");
    my @calls = map { [ split / / ] } grep { !/^after/ } @lines;
    my @ended = sort { $a->[1] <=> $b->[1] } @calls;
    my ($highest, @faults) = ('');
    my $next = 0;
    for my $least (0, 0.064) {
        ($highest, $next) = ('', 0);
        for my $call (sort { $a->[0] <=> $b->[0] } grep { $_->[2] == $least } @calls) {
            for (; $next < @ended && $ended[$next][1] < $call->[0] - $least; $next++) {
                $highest = $ended[$next][4] if $ended[$next][4] gt $highest;
            }
            push @faults, "@$call after $highest" if $call->[3] le $highest;
        }
    }
    is_deeply(\@faults, [], "$what: so do those of " . @calls . ' calls, of T_spread() to 64 ms');
}

my $until = time() + usual_or_long(4, 30);
session("spread_$_", 'snowflake_spread()') for 1 .. 6;
session("next_$_", 'snowflake_next()') for 1 .. 2;
while (time() < $until) {
    sleep(rand(0.3));
    set_clock("$folder/clock", rand() < 0.4 ? 0 : rand(4) - 2);
}
my @names = stop_sessions();
set_clock("$folder/clock", 0);
check_unique('clock steps', map { "$folder/ids_$_" } @names);
in_order('clock steps', @names);
cmp_ok(sql("SELECT skipped FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake'"), '>', 0, 'positions were skipped');
is(sql("SELECT skipped < issued FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake'"), 't', 'fewer than were used');

sleep(2.1);
session("uuid_$_", $_ % 3 ? 'uuidv7_spread()' : 'uuidv7_next()') for 1 .. 6;
sleep(usual_or_long(2, 10));
@names = stop_sessions();
check_unique('uuids', map { "$folder/ids_$_" } @names);
in_order('uuids', @names);

session("crash_$_", $_ % 2 ? "snowflake_spread('orders')" : 'snowflake_spread()') for 1 .. 6;
for (1 .. usual_or_long(2, 6)) {
    sleep(0.7);
    kill_backend($node);
    accepts_connections($node);
    sleep(0.7);
    kill_postmaster($node);
    start_again($node, %clock);
}
sleep(0.7);
stop_sessions();
check_unique('crashes, a named generator', map { "$folder/ids_crash_$_" } 1, 3, 5);
check_unique('crashes, the default one', map { "$folder/ids_crash_$_" } 2, 4, 6);

# A session that sleeps. What it keeps is older than the ids of another, until it is too old, by whatever clock.
sleep(1.5);
my ($sleeper, $other) = map { connect_to() } 1 .. 2;
sub keeps_a_stretch {
    my ($function, $of) = @_;
    my $deadline = time() + 60;    # none while ids are ahead of the clock
    while (time() < $deadline) {
        spread($sleeper, 1000, $function);
        my ($later) = ids($other, "SELECT snowflake_next($of)");
        my ($kept) = ids($sleeper, "SELECT $function");
        return $later if $kept < $later;
    }
    return;
}
for my $step (0, -0.1, 0.2, -2) {
    my $later = keeps_a_stretch('snowflake_spread()', '');
    ok($later, 'a session keeps a stretch');
    set_clock("$folder/clock", $step);
    sleep(0.07);
    my ($id) = ids($sleeper, 'SELECT snowflake_spread()');
    cmp_ok($id, '>', $later, "it is dropped after 64 ms, with a clock that was set by $step s");
    set_clock("$folder/clock", 0);
    sleep(2.5) if $step;
}
keeps_a_stretch('snowflake_spread()', '');
set_clock("$folder/clock", 1);
my ($now, $dated) = map { split /\|/ } ids($sleeper, "SELECT extract(epoch FROM clock_timestamp()) || '|' ||
    extract(epoch FROM snowflake_time(snowflake_spread()))");
cmp_ok($dated, '>', $now - 0.066, 'no id is dated long before the clock that was set forward');
set_clock("$folder/clock", 0);
sleep(1.5);

# Changes of a generator while a session keeps a stretch of it. It sees them at its next statement. Lower workers make lower ids of
# the same tick.
sub after_change {
    my ($what, $change, $law) = @_;
    my $later = keeps_a_stretch("snowflake_spread('orders')", "'orders'");
    ok($later, "$what: a session keeps a stretch");
    my @said = split /\n/, sql($change);
    my ($id) = ids($sleeper, "SELECT snowflake_spread('orders')");
    cmp_ok($id, '>', $later, "$what: the stretch is dropped");
    is(sql("SELECT $law FROM (SELECT ${id}::bigint AS id) s" =~ s/SAID/$said[-1]/r), 't', "$what: the id is as the record says");
}
after_change('another worker', "SELECT snowid_generator_alter('orders', worker => 18)", 'snowflake_worker(id) = 18');
sql("SELECT snowid_generator_create('former', worker => 16)");
after_change('the worker of another one',
    "SELECT max(id) AS last FROM (SELECT snowflake_next('former') AS id FROM generate_series(1, 5000)) s \\gset
    SELECT snowid_generator_drop('former'); SELECT snowid_generator_alter('orders', worker => 16); SELECT :last",
    'snowflake_worker(id) = 16 AND id > SAID');
after_change('a range of sequence numbers', "SELECT snowid_generator_alter('orders', sequence_min => 100, sequence_max => 2000)",
    'snowflake_sequence(id) BETWEEN 100 AND 2000');
after_change('a generator of that name, made anew', "SELECT snowid_generator_drop('orders');
    SELECT snowid_generator_create('orders', worker => 12)", 'snowflake_worker(id) = 12');
after_change('the horizon', "SELECT snowid_horizon_advance(clock_timestamp() + interval '0.3 s')",
    "snowflake_time(id) > clock_timestamp() - interval '10 s'");
sleep(0.5);
ok(keeps_a_stretch('snowflake_spread()', ''), 'a session keeps a stretch of the server\'s own');
$node->append_conf('postgresql.conf', 'snowid.worker_id = 33');
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT worker = 33 FROM snowid_worker'), 'a reload: the server has another worker');
is(sql("SELECT snowflake_worker($_)"), 33, 'and the session uses it') for spread($sleeper, 1);

# A poller does not wait for a session that keeps a stretch and idles, even if nobody makes ids any more.
sql('CREATE TABLE o (id bigint PRIMARY KEY DEFAULT snowflake_spread(), n int)');
ok($node->poll_query_until('postgres', "SELECT ahead = interval '0' FROM snowid_stat WHERE generator = 'default' AND scheme = 'snowflake'"),
    'ids are not ahead of the clock any more');
ids($sleeper, 'INSERT INTO o (n) SELECT generate_series(1, 3000) RETURNING id') for 1 .. 3;
sleep(0.2);
is(sql('SELECT snowid_safe_horizon(); SELECT count(*) FROM o WHERE id >= snowid_safe_horizon()') =~ s/.*\n//sr, 0,
    '200 ms after the last id every row is below the safe horizon');

# A session has room for what it keeps of four generators, and makes ids of others one at a time.
sql("SELECT snowid_generator_create('g' || i, worker => 910 + i) FROM generate_series(1, 9) AS i");
my @made = map { [ $_, spread($sleeper, 400, "snowflake_spread('g$_')") ] } 1 .. 9, 1 .. 9;
is(scalar keys %{ { map { $_ => 1 } map { @$_[ 1 .. 400 ] } @made } }, 7200, 'nine generators make no id twice');
sleep(0.2);
is(sql("SELECT $_->[-1] < snowid_safe_horizon('g$_->[0]')"), 't', "and the horizon of g$_->[0] passes them") for @made[ 9 .. 17 ];

is(sql("SELECT bool_and(id > before) FROM (SELECT id, lag(id, 1, 0::bigint) OVER (ORDER BY n) AS before FROM
    (SELECT n, CASE n % 5 WHEN 0 THEN snowflake_next() ELSE snowflake_spread() END AS id FROM generate_series(1, 5000) AS n) a
    WHERE n % 5 = 0) s"), 't', 'T_next() ascends in a transaction that spreads, too');
done_testing();
