# Pollers that read below the safe horizon miss no row, whatever writers do and whatever happens to the server. A poller
# that reads what is above its last id runs beside them, and must miss some, or the test proves nothing.
use strict;
use warnings;
use lib 'test/tap';
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my $seconds = $ENV{SNOWID_SAFE_SECONDS} // 8;
my %clock = faked_clock("$folder/clock");

my $node = new_server('primary', 'fsync = on', 'max_prepared_transactions = 40', 'max_worker_processes = 24', 'max_parallel_workers = 16',
    'max_connections = 60', 'wal_level = logical', 'restart_after_crash = on', 'max_wal_size = 1GB', 'snowid.clock_drift = 5s');
start_again($node, %clock);
my @objects = (
    'CREATE EXTENSION snowid', "SELECT snowid_generator_create('orders', worker => 900), snowid_generator_create('range', worker => 901, sequence_min => 100, sequence_max => 200)",
    'CREATE TABLE o (id snowflake PRIMARY KEY DEFAULT snowflake_next(), note text)', "CREATE TABLE n (id snowflake PRIMARY KEY DEFAULT snowflake_next('orders'), note text)",
    'CREATE TABLE p AS SELECT generate_series(1, 300) AS i', 'ALTER TABLE p SET (parallel_workers = 3)',
    'CREATE PROCEDURE p_commits() LANGUAGE plpgsql AS $$BEGIN INSERT INTO o VALUES (DEFAULT, \'p\'); COMMIT; PERFORM pg_sleep(0.002); INSERT INTO o VALUES (DEFAULT, \'p\'); COMMIT; INSERT INTO o VALUES (snowflake_next(), \'p\'); END$$',
    'CREATE TABLE d (i int)', 'CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO o VALUES (DEFAULT, \'d\'); RETURN NULL; END$$',
    'CREATE CONSTRAINT TRIGGER late AFTER INSERT ON d DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()',
);
$node->safe_psql('postgres', join(';', @objects));
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');

# Children, each with a connection that it makes again when it is lost.
my (%children, $at);
my $test = $$;
$at = $node;
sub child {
    my ($kind, $work) = @_;
    my $pid = fork() // die $!;
    if ($pid) { $children{$pid} = $kind; return }
    srand($seed + $$);
    $SIG{TERM} = 'IGNORE';
    while (getppid() == $test && !-e "$folder/stop_$kind") {
        my $client = client($at->host, $at->port, 'postgres');
        while ($client && getppid() == $test && !-e "$folder/stop_$kind") { last unless eval { $work->($client); 1 } }
        sleep(0.01);
    }
    POSIX::_exit(0);
}
sub stop {
    my ($kind) = @_;
    append_to_file("$folder/stop_$kind", '');
    for my $pid (grep { $children{$_} eq $kind } keys %children) {
        waitpid($pid, 0);
        delete $children{$pid};
    }
    unlink "$folder/stop_$kind";
}
# Dies where the connection is lost; an error ends the transaction.
sub ask {
    my ($client, @statements) = @_;
    my $answer;
    for my $sql (@statements) {
        $answer = client_query($client, $sql) or die 'lost';
        next unless $answer->{error};
        append_to_file("$folder/errors", "$answer->{error}\n") unless $answer->{error} =~ /^57P/;
        client_query($client, 'ROLLBACK') or die 'lost';
        return;
    }
    return @{ $answer->{rows} };
}
sub pause { sleep(rand() < 0.1 ? rand(0.03) : rand(0.002)) }

my $into = "INSERT INTO o VALUES (DEFAULT, 'x')";
my $gid = 0;
my @writers = (
    sub { ask($_[0], 'BEGIN', $into); pause(); ask($_[0], $into, 'COMMIT') },
    sub { ask($_[0], 'BEGIN'); my ($id) = ask($_[0], 'SELECT snowflake_next()'); pause(); ask($_[0], "INSERT INTO o VALUES ($id)", 'COMMIT') if $id },
    sub { ask($_[0], 'BEGIN', $into, "PREPARE TRANSACTION 'g$$." . ++$gid . "'", $into); pause(); ask($_[0], (rand() < 0.8 ? 'COMMIT' : 'ROLLBACK') . " PREPARED 'g$$.$gid'") },
    sub {
        ask($_[0], 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0', 'SET parallel_leader_participation = ' . (rand() < 0.5 ? 'on' : 'off'), 'BEGIN');
        my ($ids) = ask($_[0], "SELECT string_agg(id::text, ',') FROM (SELECT snowflake_next() AS id FROM p) s");
        pause();
        ask($_[0], "INSERT INTO o SELECT unnest('{$ids}'::bigint[])", 'COMMIT') if $ids;
    },
    sub { ask($_[0], 'BEGIN', $into, 'SAVEPOINT a', $into, 'SAVEPOINT b', $into); pause(); ask($_[0], 'ROLLBACK TO a', $into, rand() < 0.8 ? 'COMMIT' : 'ROLLBACK') },
    sub { ask($_[0], 'BEGIN', "INSERT INTO n VALUES (DEFAULT, 'x')"); pause(); ask($_[0], "INSERT INTO n VALUES (snowflake_next('orders'))", 'COMMIT') },
    sub { ask($_[0], 'BEGIN', "INSERT INTO o SELECT snowflake_next_batch(100), 'b'"); pause(); ask($_[0], "COPY o (note) FROM PROGRAM 'seq 20'", 'COMMIT') },
    sub { ask($_[0], 'CALL p_commits()') },
    sub { ask($_[0], 'BEGIN', 'INSERT INTO d VALUES (1), (2)'); pause(); ask($_[0], 'COMMIT') },
    sub { ask($_[0], $into) },
    sub { ask($_[0], 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'SELECT count(*) FROM d', $into); pause(); ask($_[0], 'COMMIT') },
);

# A poller keeps what it has got in a file, and its place here.
sub poller {
    my ($name, $table, $horizon, $poll) = @_;
    my ($last, $file) = (0, "$folder/got_$name");
    child(pollers => sub {
        my ($client) = @_;
        my $got = '';
        my ($next, @ids) = $poll->($client, $table, $horizon, $last);
        return sleep(0.01) unless defined $next;
        append_to_file($file, join('', map { "$_\n" } @ids)) if @ids;
        $last = $next;
    });
}
sub one_statement {
    my ($client, $table, $horizon, $last) = @_;
    my @ids = ask($client, "SELECT id FROM $table WHERE id > $last AND id < $horizon ORDER BY id LIMIT 1000");
    return (@ids ? $ids[-1] : $last, @ids);
}
sub slowly { my @found = one_statement(@_); sleep(0.02); return @found }
sub two_statements {
    my ($client, $table, $horizon, $last) = @_;
    my ($to) = ask($client, "SELECT $horizon");
    return unless defined $to && $to > $last;
    return ($to, ask($client, "SELECT id FROM $table WHERE id >= $last AND id < $to ORDER BY id"));
}
sub repeatable {
    my ($client, $table, $horizon, $last) = @_;
    my ($to) = ask($client, "SELECT $horizon");
    return unless defined $to && $to > $last;
    my ($own) = ask($client, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SELECT $horizon");
    my @ids = ask($client, "SELECT id FROM $table WHERE id >= $last AND id < $to ORDER BY id");
    ask($client, 'COMMIT');
    return ($to, @ids);
}
my $safe = 'snowid_safe_horizon()';
my $of_orders = "snowid_safe_horizon('orders')";
my %pollers = (fast => [ 'o', $safe, \&one_statement ], slow => [ 'o', $safe, \&slowly ], two => [ 'o', $safe, \&two_statements ], repeatable => [ 'o', $safe, \&repeatable ],
    orders => [ 'n', $of_orders, \&one_statement ]);

sub begin_polling {
    unlink glob("$folder/got_*");
    poller($_, @{ $pollers{$_} }) for keys %pollers;
    poller('naive', 'o', '9223372036854775807', \&one_statement);
}
sub begin_writing { child(writers => $_) for @writers }
sub commit_prepared {
    my ($to) = @_;
    for (split /\n/, $to->safe_psql('postgres', "SELECT gid FROM pg_prepared_xacts WHERE database = 'postgres'")) { $to->safe_psql('postgres', "COMMIT PREPARED '$_'") }
}

# After the writers have stopped, what a poller has got is what there is.
sub lost {
    my ($to, $name, $table) = @_;
    my $file = "$folder/got_$name";
    append_to_file($file, '');
    my $all = "$folder/all_$table";
    PostgreSQL::Test::Utils::run_log([ 'psql', '-XAtq', '-d', $to->connstr('postgres'), '-c', "SELECT id FROM $table", '-o', $all ]);
    chomp(my $lost = `LC_ALL=C sort '$file' >'$file.sorted'; LC_ALL=C sort '$all' | LC_ALL=C comm -23 - '$file.sorted' | wc -l`);
    chomp(my $twice = `uniq -d '$file.sorted' | wc -l`);
    chomp(my $rows = `wc -l <'$all'`);
    return ($lost, $twice, $rows);
}
sub none_lost {
    my ($to, $what) = @_;
    commit_prepared($to);
    my $deadline = time() + 90;    # a poller may have much to catch up with
    for my $name (sort keys %pollers) {
        my ($table) = @{ $pollers{$name} };
        my ($lost, $twice, $rows) = lost($to, $name, $table);
        while ($lost && time() < $deadline) {
            sleep(0.3);
            ($lost, $twice, $rows) = lost($to, $name, $table);
        }
        is("$lost lost, $twice twice", '0 lost, 0 twice', "$what: the poller '$name' got each of $rows rows");
    }
    my ($lost, undef, $rows) = lost($to, 'naive', 'o');
    cmp_ok($lost, '>', 0, "$what: without the horizon $lost of $rows rows are lost");
}

begin_polling();
begin_writing();
my $until = time() + $seconds;
my $worker = 0;
while (time() < $until) {    # the worker changes four times a second, and the clock steps
    $node->append_conf('postgresql.conf', 'snowid.worker_id = ' . (1 + $worker++ % 7));
    $node->reload;
    sleep(0.25);
    set_clock("$folder/clock", $worker % 8 < 4 ? 0 : rand() - 0.5) if $worker % 4 == 0;
}
stop('writers');
set_clock("$folder/clock", 0);
none_lost($node, 'workers and clock');

# Sessions are ended by force, and the server crashes.
begin_writing();
for (1 .. 3) {
    sleep(0.7);
    $node->safe_psql('postgres', q(SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM snowid_holders WHERE pid IS NOT NULL ORDER BY random() LIMIT 3) s));
    $node->safe_psql('postgres', q(SELECT count(pg_terminate_backend(leader_pid)) FROM pg_stat_activity WHERE leader_pid IS NOT NULL));
    sleep(0.7);
    kill_backend($node);
    accepts_connections($node);
}
sleep(0.5);
kill_postmaster($node);
start_again($node, %clock);
sleep(1);
stop('writers');
none_lost($node, 'sessions killed, crashes');

# What was prepared before a start: nothing is promised until it is committed, and then everything again.
my $id = $node->safe_psql('postgres', "BEGIN; INSERT INTO o VALUES (DEFAULT, 'kept') RETURNING id; PREPARE TRANSACTION 'kept'");
is($node->safe_psql('postgres', "SELECT generator, gid, first_id <= $id, pid IS NULL FROM snowid_holders"), 'default|kept|t|t', 'a prepared transaction holds the horizon');
kill_postmaster($node);
start_again($node, %clock);
is($node->safe_psql('postgres', "SELECT $safe, $of_orders"), '0|0', 'after a restart nobody knows what it has');
is($node->safe_psql('postgres', 'SELECT generator IS NULL, gid, first_id FROM snowid_holders'), 't|kept|0', 'snowid_holders says so');
is($node->safe_psql('postgres', "SELECT safe_horizon_lag > interval '0' FROM snowid_stat WHERE scheme = 'snowflake' AND generator = 'default'"), 't', 'and snowid_stat');
$node->safe_psql('postgres', "BEGIN; SELECT 1; INSERT INTO d SELECT 1 WHERE false; CREATE TABLE e (); PREPARE TRANSACTION 'without ids'");
$node->safe_psql('postgres', "COMMIT PREPARED 'kept'; SELECT pg_sleep(0.01)");
is($node->safe_psql('postgres', "SELECT $safe > $id, (SELECT count(*) FROM snowid_holders)"), 't|0', 'it is committed: the horizon goes on; one without ids holds nothing');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'without ids'");
none_lost($node, 'prepared over a crash');

# Another database holds nothing here; a generator holds nothing of another, beside the ninth of a transaction.
sub session { my $c = client($node->host, $node->port, $_[0]); ask($c, $_) for @_[ 1 .. $#_ ]; return $c }
sub passes {    # whether the horizon passes what is taken now
    my ($horizon, $take) = @_;
    my $new = $node->safe_psql('postgres', "SELECT $take");
    return $node->poll_query_until('postgres', "SELECT pg_sleep(0.003) IS NOT NULL AND $horizon > $new", 't') if @_ < 3;
    sleep(0.05);
    return $node->safe_psql('postgres', "SELECT $horizon > $new") eq 't';
}
my $elsewhere = session('other', 'BEGIN', 'SELECT snowflake_next()');
ok(passes($safe, 'snowflake_next()'), 'a transaction of another database holds nothing here');
my $orders = session('postgres', 'BEGIN', "SELECT snowflake_next('orders')");
ok(passes($safe, 'snowflake_next()'), 'one that uses another generator holds nothing of the server\'s');
ok(!passes($of_orders, "snowflake_next('orders')", 1), 'but its own');
ask($orders, 'COMMIT');
ok(passes($of_orders, "snowflake_next('orders')"), 'until it ends');
$node->safe_psql('postgres', "SELECT snowid_generator_create('g' || i, worker => 910 + i) FROM generate_series(1, 9) AS i");
my $many = session('postgres', 'BEGIN', map { "SELECT snowflake_next('g$_')" } 1 .. 9);
ok(!passes("snowid_safe_horizon('g9')", "snowflake_next('g9')", 1), 'the ninth generator of a transaction is held');
ok(!passes($safe, 'snowflake_next()', 1), 'and with it all others');
is($node->safe_psql('postgres', 'SELECT count(*), count(generator) FROM snowid_holders'), '9|8', 'snowid_holders shows it without a name');
ask($many, 'ROLLBACK');
ok(passes($safe, 'snowflake_next()'), 'until the end');

# A generator that is dropped, renamed or made anew while ids of it wait for their commit.
my $waiting = session('postgres', 'BEGIN');
my ($old) = ask($waiting, "SELECT snowflake_next('orders')");
ask($waiting, "INSERT INTO n VALUES ($old)");
$node->safe_psql('postgres', "SELECT snowid_generator_alter('orders', new_name => 'renamed')");
cmp_ok($node->safe_psql('postgres', "SELECT snowid_safe_horizon('renamed')"), '<=', $old, 'a generator with another name is held');
$node->safe_psql('postgres', "SELECT snowid_generator_alter('renamed', new_name => 'orders'); SELECT snowid_generator_drop('orders'); SELECT snowid_generator_create('orders', worker => 900)");
cmp_ok($node->safe_psql('postgres', "SELECT $of_orders"), '<=', $old, 'and one that was dropped and made anew');
ok(passes("snowid_safe_horizon('g1')", "snowflake_next('g1')", 1) == 0, 'what is dropped holds every named generator');
ok(passes($safe, 'snowflake_next()'), 'and not the server\'s own');
ask($waiting, 'COMMIT');
ok(passes($of_orders, "snowflake_next('orders')"), 'until it is committed');

# Workers alone have ids, and the leader's row is cleared.
is($node->safe_psql('postgres', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off; SELECT count(*) FROM (SELECT snowflake_next() FROM p) s'), 300, 'ids of workers alone');
is($node->safe_psql('postgres', 'SELECT count(*) FROM snowid_holders'), 0, 'nobody holds them');
ask($elsewhere, 'COMMIT');

# A cursor has one answer, whatever is asked between its fetches; so has a transaction that repeats its reads.
my $cursor = session('postgres', 'BEGIN', "DECLARE c CURSOR FOR SELECT $safe FROM generate_series(1, 40)");
my ($first) = ask($cursor, 'FETCH c');
my $same = 1;
for (1 .. 30) {
    $node->safe_psql('postgres', 'INSERT INTO o DEFAULT VALUES') if $_ % 3 == 0;
    ask($cursor, "SELECT $safe");
    my ($again) = ask($cursor, 'FETCH c');
    $same &&= $again eq $first || $again eq '0';
}
ok($same, 'one snapshot has one answer');
ask($cursor, 'COMMIT');

fails_with($node, "SELECT snowid_safe_horizon('none')", '42704', qr/there is no generator "none"/, 'an unknown generator');
$node->safe_psql('postgres', "SELECT snowid_generator_create('snos', 'sno', partition => 77), snowid_generator_create('past', worker => 950, backfill => true)");
fails_with($node, "SELECT snowid_safe_horizon('snos')", '42809', qr/sno/, 'a generator of snos');
fails_with($node, "SELECT snowid_safe_horizon('past')", '55000', qr/given times/, 'a generator of given times');
$node->safe_psql('postgres', "CREATE ROLE poller LOGIN; GRANT SELECT ON o TO poller; SELECT snowid_generator_revoke('orders', 'public')");
is($node->safe_psql('postgres', "SET ROLE poller; SELECT $of_orders > 0"), 't', 'who may not use a generator may ask for its horizon');
fails_with($node, "SET ROLE poller; SELECT $of_orders; SELECT snowflake_next('orders')", '42501', qr/orders/, 'and gets no id by that');
fails_with($node, 'SET ROLE poller; SELECT * FROM snowid_holders', '42501', qr/snowid_holders/, 'nor sees who holds it');

# A standby that is waited for: rows are not visible yet, and the horizon stays below them. Then it is promoted.
stop('pollers');
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
start_again($standby, %clock);
$node->wait_for_catchup($standby, 'replay');
begin_polling();
begin_writing();
fails_with($standby, "SELECT $safe", '25006', qr/standby/, 'a standby');
$node->append_conf('postgresql.conf', "synchronous_standby_names = 'standby'");
$node->reload;
sleep(1.5);
$standby->stop;
sleep(1);
my $before = $node->safe_psql('postgres', "SELECT pg_sleep(0.05); SELECT $safe");
sleep(1);
my ($after, $seen) = split /\|/, $node->safe_psql('postgres', "SELECT pg_sleep(0.05); SELECT $safe, (SELECT max(id) FROM o)") =~ s/^\n//r;
cmp_ok($node->safe_psql('postgres', q(SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep')), '>', 0, 'commits wait for the standby');
is($after =~ s/^\s+//r, $before =~ s/^\s+//r, 'the horizon waits with them');
start_again($standby, %clock);
sleep(1);
stop('writers');
none_lost($node, 'a synchronous standby');

begin_writing();
sleep(1.5);
kill_postmaster($node);
stop('writers');
stop('pollers');
$standby->promote;
accepts_connections($standby);
$at = $standby;
is($standby->safe_psql('postgres', "SELECT $safe"), '0', 'after a promotion prepared transactions are held') if $standby->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts') > 0;
begin_polling();
sleep(3);    # until they have got what is there
begin_writing();
sleep(3);
stop('writers');
none_lost($standby, 'a promotion');
stop('pollers');

# What arrives by logical replication and gets its id here.
my $source = new_server('source', 'wal_level = logical', 'snowid.worker_id = 9');
$source->start;
$source->safe_psql('postgres', 'CREATE TABLE o (note text); CREATE PUBLICATION s FOR TABLE o');
$standby->safe_psql('postgres', 'TRUNCATE o; ALTER TABLE o REPLICA IDENTITY FULL');
$standby->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s dbname=postgres' PUBLICATION s", $source->connstr));
$standby->wait_for_subscription_sync($source, 's');
$at = $standby;
begin_polling();
@writers = (sub { ask($_[0], 'BEGIN', $into); pause(); ask($_[0], $into, 'COMMIT') }) x 3;
begin_writing();
$at = $source;
@writers = (sub { ask($_[0], 'BEGIN', "INSERT INTO o SELECT 'far' FROM generate_series(1, 30)"); pause(); ask($_[0], 'COMMIT') }) x 2;
begin_writing();
sleep(4);
stop('writers');
$source->wait_for_catchup('s');
cmp_ok($standby->safe_psql('postgres', q(SELECT count(*) FROM o WHERE note = 'far')), '>', 0, 'rows have arrived from the other server');
none_lost($standby, 'logical replication');
stop('pollers');

my %errors;
$errors{ s/\d+/#/gr }++ for grep { !/^(08|38|57|25P02|40001|42704)/ } split /\n/, -e "$folder/errors" ? slurp_file("$folder/errors") : '';
is_deeply(\%errors, {}, 'no other errors');
done_testing();
