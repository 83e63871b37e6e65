# Writers of every kind and pollers beside them, for tests of the safe horizon. Table o is written with the server's own generator, n
# with the generator "orders", and c with "ranged", whose worker has fewer bits and whose sequence has a range. A poller keeps what
# it has read. When the writers have stopped, it is compared with the tables. The poller that reads what is above its last id must
# miss some rows, or the test proves nothing.
package Pollers;

use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT =
    qw(use_rig make_rig work_at move_to begin_polling catch_up begin_writing stop_all ask pause commit_prepared none_lost other_errors);

our $into = "INSERT INTO o VALUES (DEFAULT, 'x')";
our $safe = 'snowid_safe_horizon()';
our $of_orders = "snowid_safe_horizon('orders')";

my ($folder, $seed, %children, $at);
my $test = $$;
my $gid = 0;

# Called before anything else. The folder belongs to the test.
sub use_rig { ($folder, $seed) = @_; }

sub make_rig {
    my ($node, $time) = @_;
    $time //= 'tick=1ms,time=41,worker=6,sequence=16';
    my @objects = (
        'CREATE EXTENSION snowid', "SELECT snowid_generator_create('orders', worker => 900)",
        "SELECT snowid_generator_create('ranged', layout => 'epoch=2024-01-01,$time', worker => 60, sequence_min => 100,
            sequence_max => 200)",
        "CREATE TABLE c (id snowflake PRIMARY KEY DEFAULT snowflake_next('ranged'), note text)",
        'CREATE TABLE o (id snowflake PRIMARY KEY DEFAULT snowflake_next(), note text)',
            "CREATE TABLE n (id snowflake PRIMARY KEY DEFAULT snowflake_next('orders'), note text)",
        'CREATE TABLE p AS SELECT generate_series(1, 300) AS i', 'ALTER TABLE p SET (parallel_workers = 3)',
        'CREATE PROCEDURE p_commits() LANGUAGE plpgsql AS $$BEGIN INSERT INTO o VALUES (DEFAULT, \'p\'); COMMIT; PERFORM pg_sleep(0.002);
            INSERT INTO o VALUES (DEFAULT, \'p\'); COMMIT; INSERT INTO o VALUES (snowflake_next(), \'p\'); END$$',
        'CREATE TABLE d (i int)', 'CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO o VALUES (DEFAULT, \'d\');
            RETURN NULL; END$$',
        'CREATE CONSTRAINT TRIGGER late AFTER INSERT ON d DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late()',
    );
    $node->safe_psql('postgres', join(';', @objects));
    work_at($node);
}

# Children that start from here on work on this server.
sub work_at { ($at) = @_; }

# Moves the earlier children too.
sub move_to {
    my ($node) = @_;
    append_to_file("$folder/moved.new", $node->host . ' ' . $node->port);
    rename("$folder/moved.new", "$folder/moved") or die $!;
    work_at($node);
}

# Starts a child. It has its own connection, and connects again when that is lost.
sub child {
    my ($kind, $work) = @_;
    my $pid = fork() // die $!;
    if ($pid) { $children{$pid} = $kind; return }
    srand($seed + $$);
    $SIG{TERM} = 'IGNORE';
    while (getppid() == $test && !-e "$folder/stop_$kind") {
        my $client = client(-e "$folder/moved" ? split(/ /, slurp_file("$folder/moved")) : ($at->host, $at->port), 'postgres');
        while ($client && getppid() == $test && !-e "$folder/stop_$kind") { last unless eval { $work->($client); 1 } }
        sleep(0.01);
    }
    POSIX::_exit(0);
}
sub stop_all {
    my ($kind) = @_;
    append_to_file("$folder/stop_$kind", '');
    for my $pid (grep { $children{$_} eq $kind } keys %children) {
        waitpid($pid, 0);
        delete $children{$pid};
    }
    unlink "$folder/stop_$kind";
}
# Dies if the connection is lost. An error ends the transaction.
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
sub other_errors {
    my %errors;
    $errors{ s/\d+/#/gr }++ for grep { !/^(08|38|57|25P02|40001|42704)/ } split /\n/, -e "$folder/errors" ? slurp_file("$folder/errors") :
        '';
    return \%errors;
}

my @writers = (
    sub { ask($_[0], 'BEGIN', $into); pause(); ask($_[0], $into, 'COMMIT') },
    sub { ask($_[0], 'BEGIN'); my ($id) = ask($_[0], 'SELECT snowflake_next()'); pause();
        ask($_[0], "INSERT INTO o VALUES ($id)", 'COMMIT') if $id },
    sub { ask($_[0], 'BEGIN', $into, "PREPARE TRANSACTION 'g$$." . ++$gid . "'", $into); pause();
        ask($_[0], (rand() < 0.8 ? 'COMMIT' : 'ROLLBACK') . " PREPARED 'g$$.$gid'") },
    sub {
        ask($_[0], 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0', 'SET min_parallel_table_scan_size = 0',
            'SET parallel_leader_participation = ' . (rand() < 0.5 ? 'on' : 'off'), 'BEGIN');
        my ($ids) = ask($_[0], "SELECT string_agg(id::text, ',') FROM (SELECT snowflake_next() AS id FROM p) s");
        pause();
        ask($_[0], "INSERT INTO o SELECT unnest('{$ids}'::bigint[])", 'COMMIT') if $ids;
    },
    sub { ask($_[0], 'BEGIN', $into, 'SAVEPOINT a', $into, 'SAVEPOINT b', $into); pause();
        ask($_[0], 'ROLLBACK TO a', $into, rand() < 0.8 ? 'COMMIT' : 'ROLLBACK') },
    sub { ask($_[0], 'BEGIN', "INSERT INTO n VALUES (DEFAULT, 'x')"); pause(); ask($_[0], "INSERT INTO n VALUES (snowflake_next('orders'))",
        'COMMIT') },
    sub { ask($_[0], 'BEGIN', "INSERT INTO c VALUES (DEFAULT, 'x')"); pause();
        ask($_[0], "INSERT INTO c SELECT snowflake_next_batch(5, 'ranged'), 'b'", 'COMMIT') },
    sub { ask($_[0], 'BEGIN', "INSERT INTO o SELECT snowflake_next_batch(100), 'b'"); pause();
        ask($_[0], "COPY o (note) FROM PROGRAM 'seq 20'", 'COMMIT') },
    sub { ask($_[0], 'CALL p_commits()') },
    sub { ask($_[0], 'BEGIN', 'INSERT INTO d VALUES (1), (2)'); pause(); ask($_[0], 'COMMIT') },
    sub { ask($_[0], $into) },
    (sub {    # keeps ids for later transactions, and idles before them
        ask($_[0], 'BEGIN', "INSERT INTO o SELECT snowflake_spread(), 's' FROM generate_series(1, " . int(rand(300)) . ')'); pause();
        ask($_[0], rand() < 0.3 ? $into : "INSERT INTO o VALUES (snowflake_spread(), 's')", 'COMMIT'); sleep(rand() ** 3 * 0.2);
        ask($_[0], 'BEGIN'); ask($_[0], 'SELECT snowflake_next()') if rand() < 0.3;
        my ($id) = ask($_[0], 'SELECT snowflake_spread()'); pause();
        ask($_[0], "INSERT INTO o VALUES ($id)", rand() < 0.8 ? 'COMMIT' : "PREPARE TRANSACTION 's$$." . ++$gid . "'") if $id;
    }) x 2,
    sub {
        my $generator = rand() < 0.5 ? 'orders' : 'ranged';
        my $to = $generator eq 'orders' ? 'n' : 'c';
        ask($_[0], 'BEGIN', "INSERT INTO $to SELECT snowflake_spread('$generator'), 's' FROM generate_series(1, " . int(rand(300)) . ')');
        pause(); ask($_[0], 'COMMIT'); sleep(rand() ** 3 * 0.2);
        ask($_[0], 'BEGIN', map { "INSERT INTO $to VALUES (snowflake_spread('$generator'), 's')" } 1 .. 3); pause(); ask($_[0], 'COMMIT');
    },
    sub { ask($_[0], 'BEGIN ISOLATION LEVEL SERIALIZABLE', 'SELECT count(*) FROM d', $into); pause(); ask($_[0], 'COMMIT') },
);
# As after each poll, a rest after each transaction leaves processors to the others, and to other tests.
sub begin_writing {
    for my $write (@_ ? @_ : @writers) { child(writers => sub { $write->(@_); sleep(0.01) }) }
}

# A poller keeps what it has read in a file, and its place here.
sub poller {
    my ($name, $table, $horizon, $poll) = @_;
    my ($last, $file) = (0, "$folder/got_$name");
    child(pollers => sub {
        my ($client) = @_;
        my ($next, @ids) = $poll->($client, $table, $horizon, $last);
        return sleep(0.01) unless defined $next;
        append_to_file($file, join('', map { "$_\n" } @ids)) if @ids;
        $last = $next;
        sleep(0.01);
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
    ask($client, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SELECT $horizon");
    my @ids = ask($client, "SELECT id FROM $table WHERE id >= $last AND id < $to ORDER BY id");
    ask($client, 'COMMIT');
    return ($to, @ids);
}
my %pollers = (fast => [ 'o', $safe, \&one_statement ], slow => [ 'o', $safe, \&slowly ], two => [ 'o', $safe, \&two_statements ],
    repeatable => [ 'o', $safe, \&repeatable ],
    orders => [ 'n', $of_orders, \&one_statement ], ranged => [ 'c', "snowid_safe_horizon('ranged')", \&one_statement ]);
sub begin_polling {
    unlink glob("$folder/got_*");
    poller($_, @{ $pollers{$_} }) for keys %pollers;
    poller('naive', 'o', '9223372036854775807', \&one_statement);
}
sub commit_prepared {
    my ($to) = @_;
    for (split /\n/, $to->safe_psql('postgres',
        "SELECT gid FROM pg_prepared_xacts WHERE database = 'postgres'")) { $to->safe_psql('postgres', "COMMIT PREPARED '$_'") }
}

# Called after the writers have stopped.
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
# Gives the naive poller time to read what is there, so that rows it is only late to read do not count as missed.
sub catch_up {
    my ($to) = @_;
    my $deadline = time() + 60;
    sleep(0.3) while (lost($to, 'naive', 'o'))[0] && time() < $deadline;
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

1;
