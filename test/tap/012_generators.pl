# Named generators through crashes, dumps and moves: no id twice, whatever ends between two of their statements.
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
$node = new_server('generators', 'max_connections = 60', 'restart_after_crash = on', 'snowid.max_generators = 8',
    'snowid.max_generators_per_database = 8');
{
    local %ENV = (%ENV, %clock);
    $node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

sub worker_of { return sql("SELECT snowflake_worker(snowflake_next('$_[0]'))"); }
sub next_of { return sql("SELECT snowflake_next('$_[0]')"); }

# eight sessions: one generator, and its numbers given on from one to another meanwhile
sql("SELECT snowid_generator_create('shared', worker => 2)");
sql("SELECT snowid_generator_create('a', worker => 3, overlap => true)");
my @writers = map { writer_start($node, "$folder/shared_$_", query => "SELECT snowflake_next('shared') FROM generate_series(1, 200)",
    pause => 0.01) } 1 .. 6;
my @passed_on = map { writer_start($node, "$folder/passed_$_", query => "SELECT snowflake_next('a')", pause => 0.002) } 1 .. 4;
for my $round (1 .. 30) {
    my $name = "a";
    if ($round % 3 == 0) {
        sql("SELECT snowid_generator_drop('a'); SELECT snowid_generator_create('a', worker => 3)");
    } elsif ($round % 3 == 1) {
        sql("SELECT snowid_generator_alter('a', worker => 4)");
        sql("SELECT snowid_generator_create('b', worker => 3)");
        sql("COPY (SELECT snowflake_next('b') FROM generate_series(1, 300)) TO '$folder/passed_b_$round'");
        sql("SELECT snowid_generator_drop('b'); SELECT snowid_generator_alter('a', worker => 3)");
    } else {
        sql("BEGIN; SELECT snowid_generator_alter('a', worker => 5); ROLLBACK");
    }
    sleep(0.03);
}
ok(ids_go_on([ map { "$folder/passed_$_" } 1 .. 4 ]), 'who uses a generator that is dropped and made again goes on');
writer_stop(@writers, @passed_on);
check_ids('one generator in six sessions', map { "$folder/shared_$_" } 1 .. 6);
check_ids('numbers that are given on', glob("$folder/passed_?"), glob("$folder/passed_b_*"));
my %refused = refusals(map { "$folder/passed_$_" } 1 .. 4);
is_deeply([ grep { !/there is no generator "a"/ } keys %refused ], [], 'nothing was refused but what was not there');

# a crash between each two steps
for my $step ('create', 'use', 'alter', 'drop') {
    sql("SELECT snowid_generator_create('crashed', worker => 6)");
    my @before = next_of('crashed') if $step ne 'create';
    sql("SELECT snowid_generator_alter('crashed', worker => 7)") if $step =~ /alter|drop/;
    push @before, next_of('crashed') if $step =~ /alter|drop/;
    sql("SELECT snowid_generator_drop('crashed')") if $step eq 'drop';
    $node->stop('immediate');
    set_clock($clock, -0.9);  # ids of the crashed incarnation are ahead of the clock now
    start_again($node, %clock);
    if ($step eq 'drop') {
        my ($status, $out, $err) = $node->psql('postgres', "SELECT snowflake_next('crashed')");
        like($err, qr/there is no generator "crashed"/, "$step, crash: it is gone");
        sql("SELECT snowid_generator_create('crashed', worker => 6)");
    }
    push @before, next_of('crashed');
    sql("SELECT snowid_generator_alter('crashed', worker => 7)") if $step eq 'drop';
    push @before, next_of('crashed');
    is(join(',', @before), join(',', sort { $a <=> $b } @before),
        "$step, crash: ids ascend over both incarnations, and over a claim that was dropped");
    sql("SELECT snowid_generator_drop('crashed')");
    set_clock($clock, 0);
    sleep(1);
}
# a crash in the middle of a change takes it back
for my $change ("snowid_generator_create('halfway', worker => 8)", "snowid_generator_drop('shared')",
    "snowid_generator_alter('shared', worker => 9)") {
    my $session = client($node->host, $node->port, 'postgres');
    client_query($session, 'BEGIN');
    client_query($session, "SELECT $change");
    client_query($session, "SELECT snowflake_next('halfway')") if $change =~ /create/;
    my $before = next_of('shared');
    kill_backend($node, $session->{pid});
    accepts_connections($node);
    is(worker_of('shared'), 2, "crash in the middle: $change is undone");
    cmp_ok(next_of('shared'), '>', $before, 'and ids go on');
}
is(sql("SELECT count(*) FROM _snowid.generator WHERE name = 'halfway'"), 0, 'and leaves nothing');

# what a transaction gives up is in use by others until its commit
sql("SELECT snowid_generator_create('given_up', worker => 12); SELECT snowflake_next('given_up')");
my %own_claim = (
    'drop and make anew' => "SELECT snowid_generator_drop('given_up'); SELECT snowid_generator_create('taken', worker => 12)",
    'give away and make' => "SELECT snowid_generator_alter('given_up', worker => 13);
        SELECT snowid_generator_create('taken', worker => 12)",
    'give away and alter' => "SELECT snowid_generator_alter('given_up', worker => 13), snowid_generator_create('taken', worker => 14);
        SELECT snowid_generator_alter('taken', worker => 12)",
);
for my $what (sort keys %own_claim) {
    fails_with($node, "BEGIN; $own_claim{$what}; COMMIT", '55000',
        qr/could make the same ids as one that this transaction has.*HINT:  Commit/s, $what);
}
my %changed_here = (
    'another worker' => "snowid_generator_alter('given_up', worker => 13)",
    'another layout' => "snowid_layout_change('epoch=2023-01-01,tick=1ms,time=41,worker=10,sequence=12')",
);
for my $what (sort keys %changed_here) {
    fails_with($node, "BEGIN; SELECT $changed_here{$what}; SELECT snowflake_next('given_up')", '55000',
        qr/makes no ids in a transaction that changes what they are/, $what);
    ok(sql("SELECT snowflake_next('given_up')"), "$what, rolled back: ids go on");
}

# a batch whose cursor stays open while the generator becomes another
sql("SELECT snowid_generator_create('batches', worker => 14), snowid_generator_create('sno batches', 'sno', partition => 14)");
my %batch = (
    snowflake => "SELECT snowflake_worker(snowflake_next_batch(60, 'batches'))",
    sno => "SELECT sno_partition(sno_next_batch(60, 0, 'sno batches'))",
);
my %one = (
    snowflake => "SELECT snowflake_worker(snowflake_next('batches'))",
    sno => "SELECT sno_partition(sno_next(0, 'sno batches'))",
);
my %holder = map { $_ => client($node->host, $node->port, 'postgres') } keys %batch;
for my $scheme (sort keys %batch) {
    my @rest;
    # A session that stalls for longer than the reserve has no run whose rest it could return.
    for my $attempt (1 .. 5) {
        client_query($holder{$scheme}, "BEGIN; DECLARE c CURSOR FOR $batch{$scheme}; FETCH 2 FROM c");
        sql("SELECT snowid_generator_alter('batches', worker => 15), snowid_generator_alter('sno batches', partition => 15)");
        is(client_query($holder{$scheme}, $one{$scheme})->{rows}[0], 15, "the session knows the new number of ${scheme}s");
        @rest = @{ client_query($holder{$scheme}, 'FETCH 10 FROM c')->{rows} };
        client_query($holder{$scheme}, 'ROLLBACK');
        sql("SELECT snowid_generator_alter('batches', worker => 14), snowid_generator_alter('sno batches', partition => 14)");
        last if $rest[0] == 14;
    }
    is_deeply(\@rest, [ (14) x 10 ], "the rest of a run of ${scheme}s is of what it was taken by");
}
%holder = ();
sql("SELECT snowid_generator_drop(name) FROM unnest('{given_up,batches,sno batches}'::text[]) AS name");

# many crashes under writers, with the clock stepping back
my @files = map { "$folder/crashes_$_" } 1 .. 4;
my @crashing = map { writer_start($node, $_, query => "SELECT snowflake_next('shared')", pause => 0.002) } @files;
for my $round (1 .. 5) {
    ids_go_on(\@files, more => 100);
    kill_backend($node);
    accepts_connections($node);
    set_clock($clock, -0.2 * $round);
}
ok(ids_go_on(\@files), 'ids go on after crashes');
writer_stop(@crashing);
check_ids('crashes', @files, map { "$folder/shared_$_" } 1 .. 6);
set_clock($clock, 0);

# Times a minute apart are reserved an hour at a time. The first time after a kill -9 is the last one before it, and those
# that follow lie within the reserve too, so their ids move up.
my %given = (snowflake => "worker => 17", sno => "'sno', partition => 17");
for my $scheme (sort keys %given) {
    sql("SELECT snowid_generator_create('given', $given{$scheme}, backfill => true)");
    my ($first, $not_moved, @ids, @moved) = (0, 0);
    for my $round (1 .. 3) {
        my $last = $first + 150 + 17 * $round;
        my $session = client($node->host, $node->port, 'postgres');
        my $answer = client_query($session, <<"SQL");
SELECT id || ' ' || extract(epoch FROM ${scheme}_time(id) - t)
FROM (SELECT t, ${scheme}_at(t, 'given') AS id FROM generate_series($first, $last) n,
    LATERAL (SELECT timestamptz '2024-03-01Z' + n * interval '1 min' AS t) AS given OFFSET 0) AS made
SQL
        push @ids, map { (split / /)[0] } @{ $answer->{rows} };
        my @by = map { (split / /)[1] } @{ $answer->{rows} };
        push @moved, @by;
        $not_moved++ if ($round > 1) != ($by[0] > 0) || $by[-1] != 0;
        $first = $last;
        kill_backend($node, $session->{pid}) if $round == 1;
        if ($round == 2) { kill_postmaster($node); start_again($node, %clock) }
        accepts_connections($node);
    }
    is(scalar @ids, 555, "given times, ${scheme}s: none is refused after a crash");
    is(scalar(grep { $scheme eq 'sno' ? $ids[$_] le $ids[ $_ - 1 ] : $ids[$_] <= $ids[ $_ - 1 ] } 1 .. $#ids), 0,
        'each id is above the one before it');
    is($not_moved, 0, 'after a crash times move up, and the last ones are exact again');
    is(scalar(grep { $_ < 0 || $_ > 3601 } @moved), 0, 'no time moves back, or up by more than an hour');
    sql("SELECT snowid_generator_drop('given')");
}

# a dump carries generators, their numbers and how far they have come
sql("SELECT snowid_generator_create('kept', worker => 10, sequence_max => 99)");
sql("SELECT snowid_generator_create('history', worker => 11, backfill => true)");
sql("SELECT snowflake_at('2024-05-01', 'history')");
my $kept = next_of('kept');
sql('CREATE DATABASE restored');
command_ok([ 'sh', '-c', sprintf("pg_dump '%s' | psql -qX -v ON_ERROR_STOP=1 '%s'", $node->connstr('postgres'),
    $node->connstr('restored')) ], 'dumped and restored');
my $records = 'SELECT DISTINCT * FROM _snowid.generator ORDER BY id, name, worker, sequence_min';    # one past claim can stand there twice
is(sql($records, 'restored'), sql($records), 'a dump carries generators');
cmp_ok(sql("SELECT snowflake_next('kept')", 'restored'), '>', $kept, 'a restored generator goes on above');
fails_with($node, "SELECT snowflake_at('2024-05-02', 'history')", '55000', qr/the last ids of generator "history" may be lost/,
    'one of given times refuses what it may have been given after the dump', dbname => 'restored');
sql("SELECT snowid_generator_accept('history')", 'restored');
is(sql("SELECT snowflake_time(snowflake_at('2024-05-02', 'history')) = '2024-05-02'", 'restored'), 't',
    'and goes on as well when somebody says that this was nothing');
my ($status, $out, $err) = $node->psql('restored', "SELECT snowflake_at('2024-04-30', 'history')");
like($err, qr/must not go back/, 'and only forward');
sql("SELECT snowid_generator_drop('kept'); SELECT snowid_generator_create('kept', worker => 12)", 'restored');
is(sql('SELECT count(*) FROM _snowid.generator WHERE name IS NOT NULL GROUP BY id HAVING count(*) > 1', 'restored'), '',
    'no number is used again');
is(sql("SELECT array_to_string(overlapping, ',') FROM snowid_stat WHERE generator = 'history' AND database = 'restored'"),
    'postgres.history', 'overlaps with another database show');
is(sql('SELECT count(*) FROM (SELECT id FROM _snowid.generator GROUP BY id HAVING count(name) > 1) AS twice', 'restored'), '0',
    'numbers are unique');

# a dropped database, and a dropped extension, give their slots back
sub slots { return sql("SELECT count(*) FROM snowid_stat WHERE generator <> 'default'"); }
my $slots = slots();
sql("DROP DATABASE restored");
is(slots(), $slots - 1, 'a dropped database gives its slots back');
sql("CREATE DATABASE other");
sql("CREATE EXTENSION snowid; SELECT snowid_generator_create('one', worker => 20); SELECT snowflake_next('one')", 'other');
is(slots(), $slots, 'a slot for each');
sql('BEGIN; DROP EXTENSION snowid; ROLLBACK', 'other');
is(slots(), $slots, 'a rolled back drop takes none away');
sql('DROP EXTENSION snowid', 'other');
is(slots(), $slots - 1, 'a dropped extension gives its slots back');
# too many
sql("SELECT snowid_generator_create('g' || n, worker => 100 + n) FROM generate_series(1, 9) AS n");
fails_with($node, "SELECT snowflake_next('g' || n) FROM generate_series(1, 9) AS n", '53400',
    qr/too many generators.*database has room for 8.*snowid\.max_generators_per_database/s, 'too many generators');
is($node->safe_psql('postgres', "SELECT finding FROM snowid_check() WHERE subject = 'generators' AND finding ~ 'server'"),
    '8 of 8 named generators that this server has room for are in use', 'snowid_check() knows');
sql("SELECT snowid_generator_drop('g' || n) FROM generate_series(1, 9) AS n");
for my $round (1 .. 30) {
    sql("SELECT snowid_generator_create('g', worker => 100 + $round)");
    next_of('g');
    sql("SELECT snowid_generator_drop('g')");
}
pass('slots are used again');

# a logical shard moves to another server, whose clock is behind
my $target_clock = "$folder/target_clock";
my $target = new_server('target', 'snowid.worker_id = 2');
{
    local %ENV = (%ENV, faked_clock($target_clock));
    $target->start;
}
$target->safe_psql('postgres', 'CREATE EXTENSION snowid');
sql("SELECT snowid_generator_create('shard', worker => 30)");
my $shard = writer_start($node, "$folder/shard_1", query => "SELECT snowflake_next('shard')", pause => 0);
ids_go_on([ "$folder/shard_1" ], more => 500);
sql("SELECT snowid_generator_alter('shard', new_name => 'shard_that_moves')");
my $snapshot = sql("SELECT snowid_generator_snapshot('shard_that_moves')");
ok(ids_stand([ "$folder/shard_1" ]), 'a renamed generator makes no more ids');
writer_stop($shard);
set_clock($target_clock, -1.6);
$target->safe_psql('postgres', "SELECT snowid_generator_restore('$snapshot', 'shard')");
my $moved = writer_start($target, "$folder/shard_2", query => "SELECT snowflake_next('shard')", pause => 0);
ok(ids_go_on([ "$folder/shard_2" ], more => 500), 'the shard goes on where the clock is behind');
writer_stop($moved);
check_ids('a shard that moved', "$folder/shard_1", "$folder/shard_2");
cmp_ok((split /\n/, slurp_file("$folder/shard_1"))[-1], '<', (split /\n/, slurp_file("$folder/shard_2"))[0],
    'and its ids ascend over the move');
is($target->safe_psql('postgres', "SELECT snowflake_worker(snowflake_next('shard'))"), 30, 'with the worker that it had');
fails_with($target, "SELECT snowid_generator_restore('$snapshot', 'shard')", '55000',
    qr/The snapshot is of \S+ \S+, but ids up to \S+ \S+ may/, 'a snapshot behind the horizon');
($status, $out, $err) = $target->psql('postgres', "SELECT snowid_generator_drop('shard'); SELECT pg_sleep(4);
    SELECT snowid_generator_restore('$snapshot')");
like($err, qr/NOTICE:  the snapshot of generator "shard_that_moves" is \d+ m?s old/, 'a stale snapshot says how old it is');
# one of another geometry
$target->append_conf('postgresql.conf', "snowid.layout = 'sonyflake'");
$target->restart;
$target->safe_psql('postgres', 'CREATE DATABASE sony');
$target->safe_psql('sony', 'CREATE EXTENSION snowid');
fails_with($target, "SELECT snowid_generator_restore('$snapshot')", '22023', qr/has another epoch than the layout of this database/,
    'a foreign snapshot', dbname => 'sony');

# on a standby
$node->backup('backup');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
fails_with($standby, "SELECT snowflake_next('shared')", '25006', qr/during recovery/, 'a standby refuses');
my $last = next_of('shared');
$node->wait_for_catchup($standby);
$node->stop('immediate');
$standby->promote;
cmp_ok($standby->safe_psql('postgres', "SELECT snowflake_next('shared')"), '>', $last, 'promoted it goes on above');

# what has no record any more was made nevertheless, here ahead of the clock
$standby->append_conf('postgresql.conf', "snowid.clock_drift = '10s'\nsnowid.reserve = '10s'");
$standby->restart;
my $made = sub { $standby->safe_psql('postgres', $_[0] . "; SELECT snowflake_next('made') FROM generate_series(1, 300)") };
my @made = split /\n/, $made->("SELECT snowid_generator_create('made', worker => 16)");
$standby->stop('immediate');
$standby->start;
push @made, split(/\n/, $made->('SELECT 1'));
push @made, split(/\n/, $made->("DROP EXTENSION snowid; CREATE EXTENSION snowid; SELECT snowid_generator_create('made', worker => 16)"));
my @ids = grep { length > 10 } @made;
is(scalar @ids, 900, 'ids of three incarnations');
is_deeply(\@ids, [ sort { $a <=> $b } @ids ], 'an extension made anew goes on above what the one before has made');

done_testing();
