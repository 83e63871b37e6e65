# A number begins above whatever any generator of this cluster can have made with the same bits: however it was given up, in
# whichever database, and by whichever layout.
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
my $offset = 0;
$node = new_server('numbers_begin', 'autovacuum = off', 'snowid.clock_jump = 1h');
start_again($node, %clock);
sub step_clock { set_clock($clock, $offset += $_[0]); return; }
sub crash {
    $node->stop('immediate');
    step_clock($_[0] // 0);
    start_again($node, %clock);
    accepts_connections($node);
    return;
}

my ($default, $wide) = map { "epoch=2024-01-01,tick=1ms,time=41,$_" } 'worker=10,sequence=12', 'worker=8,sequence=14';
my %longer = (
    '10 ms' => 'epoch=2024-01-01,tick=10ms,time=37,worker=10,sequence=16',
    '1 s' => 'epoch=2024-01-01,tick=1s,time=31,worker=10,sequence=22',
    '10 s' => 'epoch=2024-01-01,tick=10s,time=27,worker=10,sequence=26',
);

# A database with that layout, and a generator in it.
sub make {
    my ($db, $worker, $layout, $name) = @_;
    sql("CREATE DATABASE $db");
    sql('CREATE EXTENSION snowid', $db);
    sql("SELECT snowid_layout_change('$layout')", $db) if $layout && $layout ne $default;
    sql("SELECT snowid_generator_create('@{[$name // 'g']}', worker => $worker)", $db) if defined $worker;
    return;
}

# Ids, as soon as they are made.
sub ids {
    my ($db, $count, $name) = @_;
    for (1 .. 300) {
        my ($status, $out, $error) =
            $node->psql($db, "SELECT snowflake_next('@{[$name // 'g']}') FROM generate_series(1, @{[$count // 3000]})");
        return split /\n/, $out if $status == 0;
        last if $error !~ /clock is .* behind/ && diag($error);
        sleep(0.1);
    }
    return;
}
sub go_on_above {
    my ($what, $before, @after) = @_;
    cmp_ok($after[0] // 0, '>', $before->[-1], "$what: ids go on above all before");
    return;
}
sub drop { sql("DROP DATABASE $_") for @_; return; }

# a number that another one has replaced
make('a', 5);
my @ids = ids('a');
crash(-5);
push @ids, ids('a');
sql("SELECT snowid_generator_alter('g', worker => 6)", 'a');
make('b', 5);
go_on_above('a number that was given up by snowid_generator_alter, after a crash', \@ids, ids('b'));
step_clock(5);
drop('a', 'b');

# ticks that are not the server's
my $worker = 10;
for my $ticks (sort keys %longer) {
    for my $way ('a drop', 'a crash and a drop') {
        make('a', ++$worker, $longer{$ticks});
        @ids = ids('a', 10_000);
        $way eq 'a drop' ? step_clock(-3) : crash(-3);
        drop('a');
        make('b', $worker, $longer{$ticks});
        step_clock(10) if $ticks eq '10 s';    # else its next tick would be long in coming
        go_on_above("ticks of $ticks, the clock is set back, $way", \@ids, ids('b', 10_000));
        step_clock($ticks eq '10 s' ? -7 : 3);
        drop('b');
    }
}

# a restored generator, in a database whose horizon a superuser has advanced
make('a', 40);
ids('a', 10);
$node->command_ok([ 'pg_dump', '-f', "$folder/a.sql", '-d', $node->connstr('a') ], 'a dump');
step_clock(10);
@ids = ids('a');
drop('a');
crash(-5);
sql('CREATE DATABASE b');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('b'), '-f', "$folder/a.sql" ], 'a restore');
sql('SELECT snowid_horizon_advance(now())', 'b');
go_on_above('a restored generator after snowid_horizon_advance', \@ids, ids('b'));
drop('b');
step_clock(15);    # above all that was made by the clock that was ahead

# the layout of a database decides which generators meet
my $same_ids = qr/ERROR:  \w+: generator "\w" could make the same ids as generator "\w"/;
sub refused { my ($what, $db, $statement) = @_; fails_with($node, $statement, $_[3] // '23505', $same_ids, $what, dbname => $db); return; }
make('a', 5);
sql("SELECT snowid_generator_create('h', layout => '$default', worker => 20)", 'a');
refused('a change of the layout by which two generators meet', 'a', "SELECT snowid_layout_change('$wide')", '42710');
@ids = ids('a', 3000, 'h');
sql("SELECT snowid_generator_drop('h')", 'a');
sql("SELECT snowid_layout_change('$wide')", 'a');
go_on_above('the change after one of them is dropped', \@ids, ids('a'));
sub added {
    my ($id, $name, $layout, $worker) = @_;
    return "INSERT INTO _snowid.generator (id, name, scheme, layout, worker, overlap, backfill)
        VALUES ($id, '$name', 'snowflake', @{[ $layout ? qq('$layout') : 'NULL' ]}, $worker, false, false);
        INSERT INTO _snowid.horizon VALUES ($id, 0, 0, 0, 0, 0);";
}
refused('a restored record is judged by the layout of its database', 'a', added(70, 'r', $default, 21));
step_clock(1);
sql("SELECT snowid_generator_create('p', layout => '$default', worker => 44)", 'a');
@ids = ids('a', 3000, 'p');
sql("SELECT snowid_generator_drop('p')", 'a');
sql(added(71, 'q', undef, 11), 'a');
go_on_above('so are the claims that were given up', \@ids, ids('a', 3000, 'q'));
drop('a');
make('a');
sql(added(1, 'g', undef, 5) . added(2, 'h', $default, 20), 'a');
refused('a restore brings the layout last', 'a', "INSERT INTO _snowid.layout VALUES ('$wide', '2024-01-01')", '42710');
drop('a');

# who has the number, by what an error and the log say, and whose place in memory is of no generator any more
make('a');
fails_with($node, 'BEGIN; ' . added(1, 'g', undef, 1) . "SELECT snowflake_next('g')", '55000', qr/DETAIL:  The server has worker 1 now/,
    'a restored generator with the number of the server', dbname => 'a');
fails_with($node, 'BEGIN; ' . added(1, 'w', $wide, 0) . "SELECT snowflake_next('w')", '55000', qr/DETAIL:  The server has worker 1 now/,
    'or, by another layout, with its bits', dbname => 'a');
sql('BEGIN; ' . added(1, 'g', undef, 80) . "SELECT snowflake_next('g'); ROLLBACK", 'a');
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', 80);
$node->reload;
my $in_force = 'SELECT in_force FROM _snowid.numbers_of_server() LIMIT 1';
for (1 .. 100) { last if sql($in_force, 'a') == 80; sleep(0.1) }
is(sql($in_force, 'a'), 80, 'an INSERT that was rolled back has no number');

# a generator that names the layout of its database goes on from its snapshot
sql("SELECT snowid_generator_create('named', layout => '$default', worker => 81)", 'a');
ids('a', 10, 'named');
sql("SELECT snowid_generator_restore(snowid_generator_snapshot('named'))", 'a');
is(sql("SELECT layout FROM _snowid.generator WHERE name = 'named'", 'a'), $default, 'a generator that names the layout of its database goes on from its own snapshot');
drop('a');

# given times: what was made after a dump is not made again by the generator that a migration has made before the restore
for my $db ('a', 'b') {
    make($db);
    sql("SELECT snowid_generator_create('history', worker => 90, backfill => true)", $db);
}
sub given {
    my ($db, $first, $last) = @_;
    my $session = client($node->host, $node->port, $db);
    my $answer = client_query($session, "SELECT snowflake_at(t, 'history')
        FROM (SELECT timestamptz '2024-05-01Z' + n * interval '1 min' AS t FROM generate_series($first, $last) AS n OFFSET 0) AS given");
    return ($answer->{rows}, $answer->{error} // '');
}
given('a', 1, 100);
given('b', 1, 1);
$node->command_ok([ 'pg_dump', '--data-only', '-f', "$folder/a.sql", '-d', $node->connstr('a') ], 'a dump of the data');
my ($lost) = given('a', 101, 600);
my $session = client($node->host, $node->port, 'b');
client_query($session, "SELECT snowflake_at('2024-05-01 00:02Z', 'history')");
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('b'), '-f', "$folder/a.sql" ], 'its restore');
my ($again, $error) = given('b', 101, 600);
my %lost = map { $_ => 1 } @$lost;
is(scalar(@$lost) . '/' . scalar(grep { $lost{$_} } @$again), '500/0', 'no given time after a dump is given again');
like($error, qr/^55000 the last ids of generator "history" may be lost/, 'because it was lost');
like(client_query($session, "SELECT snowflake_at('2024-05-01 02:00Z', 'history')")->{error}, qr/^55000/,
    'also in a session that has used it');
like(sql('SELECT string_agg(finding, chr(10)) FROM snowid_check()', 'b'), qr/generator history/, 'snowid_check() says so');
$node->stop;
done_testing();
