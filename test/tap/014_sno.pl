# Snos: no id twice over clocks that step back, crashes, databases, dumps and standbys; and who waits when.
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
my $per_session = usual_or_long(200_000, 1_000_000);

# Eight sessions at once, half of them by batches; returns where their ids are.
sub sessions {
    my ($node, $name, $count, $during) = @_;
    my (@runs, @files);
    for my $n (1 .. 8) {
        my $from = $n % 2 ? "SELECT sno_next() FROM generate_series(1, $count)" : "SELECT sno_next_batch($count)";
        push @files, "$folder/${name}_$n";
        push @runs, IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c', "COPY ($from) TO STDOUT" ], '>', $files[-1]);
    }
    $during->() if $during;
    $_->finish for @runs;
    return @files;
}

# on a clock that goes on
my $plain = new_server('plain', 'snowid.sno_partition = 258');
$plain->start;
$plain->safe_psql('postgres', 'CREATE EXTENSION snowid');
my @files = sessions($plain, 'plain', $per_session);
is(check_ids_of($plain, @files), 8 * $per_session, 'every session got what it asked for');
is($plain->safe_psql('postgres', 'SELECT DISTINCT sno_partition(sno_next()) FROM generate_series(1, 9)'), 258,
    'the partition is the server\'s');
$plain->append_conf('postgresql.conf', 'snowid.sno_partition = 259');
$plain->reload;
ok($plain->poll_query_until('postgres', 'SELECT sno_partition(sno_next()) = 259'), 'and follows the setting');
# whoever brings a horizon and is no superuser waits for the clock, and nobody else does
$plain->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE owned OWNER owner');
my $bring = sub {
    my ($horizon, $safe, $drifts) = @_;
    return "INSERT INTO _snowid.horizon SELECT -1, $horizon, 0, 0, $safe, $drifts FROM (SELECT (extract(epoch
        FROM clock_timestamp()) * 1e9)::bigint AS ns) AS now";
};
my @owner = (dbname => 'owned', user => 'owner');
my $as_owner = sub { return $plain->safe_psql('owned', $_[0], user => 'owner') };
$as_owner->('CREATE EXTENSION snowid');
$plain->safe_psql('postgres', 'SELECT sno_next(); SELECT snowid_stat_reset()');
my $unit = '(ns - 1262304000000000000) / 4000000';
for my $row ([ 'ns + 900000000', 0, 0 ], [ 'ns', "$unit + 225", 0 ], [ 'ns + 900000000', "$unit + 225", 4 ]) {
    $as_owner->($bring->(@$row));
    $plain->safe_psql('postgres', 'SELECT sno_next()');
    is($plain->safe_psql('postgres', q(SELECT waits FROM snowid_stat WHERE generator = 'default' AND scheme = 'sno')), 0,
        "no caller waits for: @$row");
}
fails_with($plain, $bring->('ns + 60000000000', 0, 0), '42501', qr/only a superuser.*ahead of the clock/, 'a horizon that is far ahead',
    @owner);
fails_with($plain, $bring->('-9223372036854775807', 0, 0), '22023', qr/invalid state of a generator/, 'a horizon before all time', @owner);
fails_with($plain, $bring->('ns', 0, -1), '22023', qr/invalid state of a generator/, 'less than no drifts', @owner);
$plain->stop;

sub check_ids_of { my $node = shift; return check_texts($node->name, @_); }

my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my $node = new_server('sno', 'restart_after_crash = on', 'max_connections = 40', 'wal_writer_delay = 10s', 'autovacuum = off',
    'snowid.reserve = 500ms');
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

# on a clock that steps back and forth meanwhile
@files = sessions($node, 'steps', 100_000, sub {
    for my $step (-0.5, -0.2, 0.3, -0.7, -1.5, 0.1, 0) { sleep(0.05); set_clock($clock, $step); }
});
is(check_unique('steps back meanwhile', @files), 800_000, 'every session got what it asked for');

my $session = $node->background_psql('postgres');
my $now = 0;
sub move { $now = $_[0]; set_clock($clock, $now); return }

# Its bit, how far its time is behind the clock in ms, and how long it took.
sub next_id {
    my $began = time();
    my ($bit, $behind) = split /\|/, $session->query_safe(
        'SELECT tick_tock, round(1000 * extract(epoch FROM clock_timestamp() - d.time)) FROM sno_decode(sno_next()) AS d');
    return { bit => $bit, behind => $behind, took => time() - $began };
}

sub drifts { return $node->safe_psql('postgres', 'SELECT max(drifts) FROM _snowid.horizon WHERE generator = -1') }

move(100);
my $first = next_id();
my $drifts = drifts();
# the first step back flips the bit, and nobody waits
move(90);
my $flipped = next_id();
isnt($flipped->{bit}, $first->{bit}, 'the clock steps back by 10 s: the bit flips');
cmp_ok($flipped->{took}, '<', 9, 'before the clock has caught up');
cmp_ok(abs($flipped->{behind}), '<', 9000, 'with the time that the clock says');
is(drifts(), $drifts + 1, 'which is durable');
cmp_ok($node->safe_psql('postgres', 'SELECT clock_regressions FROM snowid_stat WHERE scheme = \'sno\''), '>', 0, 'and counted');
# the second one, into time that has both bits, waits as long as it may
sub set_drift {
    $node->append_conf('postgresql.conf', "snowid.clock_drift = '$_[0]'");
    $node->reload;
    ok($node->poll_query_until('postgres', "SELECT current_setting('snowid.clock_drift') = '$_[0]'"), "clock_drift is $_[0]");
    return;
}
my @behind =
    ('58000', qr/the clock is \S+ \w+ behind the snos that have been made.*DETAIL:  Up to 20.*HINT:  Check the server's time source/s);
for my $ids ('sno_next()', 'sno_next_batch(10)') {
    move(80);
    my $began = time();
    fails_with($node, "SELECT $ids", @behind, "a second step back by 10 s, $ids");
    cmp_ok(time() - $began, '<', 9, 'before the clock has caught up');
}
cmp_ok($node->safe_psql('postgres', "SELECT refusals FROM snowid_stat WHERE scheme = 'sno'"), '>=', 2, 'refusals are counted');
set_drift('20s');
my $waits = "wait_event_type = 'Extension' AND backend_type = 'client backend'";
my $waiter = $node->background_psql('postgres', on_error_stop => 0);
$waiter->query_until(qr/go/, "\\echo go\nSELECT sno_next();\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE $waits"),
    'it steps back once more: callers wait, and are seen to');
is($node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE $waits"), 't', 'one is cancelled');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE $waits"), 'and waits no more');
$waiter->query_until(qr/go/, "\\echo go\nSELECT sno_next();\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE $waits"), 'another waits');
move(101);
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE $waits"), 'until the clock is past that');
$waiter->quit;
set_drift('2s');
is(next_id()->{bit}, $flipped->{bit}, 'with the bit that it had');
# past the safe time the bit may flip again
move(110);
next_id();
move(105);
is(next_id()->{bit}, $first->{bit}, 'a step back to after the last flip: it flips again');

# a restart is a snapshot that is restored: a quick one waits for the horizon and keeps the bit
$drifts = drifts();
$session->quit;
for my $mode ('fast', 'immediate') {
    $node->stop($mode);
    start_again($node, %clock);
    accepts_connections($node);
    $session = $node->background_psql('postgres');
    my $id = next_id();
    is($id->{bit}, $first->{bit}, "a quick restart ($mode) keeps the bit");
    cmp_ok($id->{behind}, '>', -100, 'and does not run ahead of the clock');
    $session->quit;
}
# set back by far more than a start takes, else the clock would be past the horizon when ids are made
move(200);
next_id();
$node->stop('immediate');
move(120);
start_again($node, %clock);
accepts_connections($node);
$session = $node->background_psql('postgres');
isnt(next_id()->{bit}, $first->{bit}, 'a clock that was set back while it was down flips it');
is(drifts(), $drifts + 1, 'durably');
like(slurp_file($node->logfile), qr{LOG:  snowid: callers who want snos wait until 20}, 'that callers wait is logged');

# a leap forward is not believed
move(120 + 86400);
fails_with($node, 'SELECT sno_next()', '58000', qr/the clock has leapt forward by 2[34](?:\.\d)? h.*HINT:.*snowid_clock_accept/s,
    '1 day ahead');
move(210);
next_id();

# everything before an instant is used, whatever the bit
$node->safe_psql('postgres', q(SELECT snowid_horizon_advance(clock_timestamp() + interval '30 s')));
fails_with($node, 'SELECT sno_next()', '58000', qr/the clock is \S+ \w+ behind the snos/,
    'snowid_horizon_advance: no flip leads to a time before it');
move(250);
cmp_ok(next_id()->{behind}, '<', 1000, 'and from then on ids go on');
# a clock that stands still is not waited for without end
$node->safe_psql('postgres', q(SELECT snowid_horizon_advance(clock_timestamp() + interval '1.5 s')));
my $began = time();
$waiter = IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c', 'SELECT sno_next()' ], '>', \my $waited, '2>',
    \my $refused);
while ($waiter->pumpable && time() - $began < 60) {
    $waiter->pump_nb;
    move(250 - (time() - $began));
    sleep(0.02);
}
$waiter->finish;
like($refused, qr/the clock is \S+ \w+ behind the snos/, 'a clock that stands still: refused');
cmp_ok(time() - $began, '<', 50, 'after a while');
move(250);

# crashes at random moments, a clock that steps, and two databases that share the timeline
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');
$session->quit;
@files = map { "$folder/crash_$_" } 1 .. 4;
my @writers = map { writer_start($node, $files[$_ - 1], query => 'SELECT sno_next()', dbname => $_ % 2 ? 'other' : 'postgres') } 1 .. 4;
ok(ids_go_on(\@files, more => 5), 'writers in two databases');
my $stuck = 0;
for my $round (1 .. 20) {
    sleep(rand(0.2));
    move($now + (rand() < 0.5 ? -rand(0.4) : rand(2)));
    sleep(rand(0.1));
    if ($round % 3 == 0) { kill_backend($node) }
    elsif ($round % 3 == 1) { kill_postmaster($node); move($now - rand(0.3)); start_again($node, %clock) }
    else { $node->stop('immediate'); start_again($node, %clock) }
    accepts_connections($node);
    move($now + 2);
    $stuck++ unless ids_go_on(\@files, more => 1);
}
is($stuck, 0, 'ids go on after each of 20 crashes');
writer_stop(@writers);
is_deeply({ refusals(@files) }, {}, 'and nobody was refused one');
check_unique('crashes and steps', @files);
cmp_ok(drifts(), '>', $drifts + 3, 'the bit has flipped meanwhile');

# a dump says what is used, and none of it is issued by whoever restores it, though that clock is behind. The bit is the
# server's own
my $other_clock = "$folder/other_clock";
my $copy = new_server('copy');
start_again($copy, faked_clock($other_clock));
$session = $node->background_psql('postgres');
next_id();
my $last = $session->query_safe('SELECT sno_with(sno_next(), metabyte => 255)');
my $dump = "$folder/dump.sql";
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $dump ], 'a dump');
set_clock($other_clock, $now - 0.2);
$copy->safe_psql('postgres', 'CREATE DATABASE restored');
command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $copy->connstr('restored'), '-f', $dump ], 'is restored');
is($copy->safe_psql('restored', "SELECT sno_next() > '$last'"), 't', 'and ids go on above');

# a standby refuses, and goes on above when it is promoted
$node->backup('backup');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
my $standby_clock = "$folder/standby_clock";
start_again($standby, faked_clock($standby_clock));
set_clock($standby_clock, $now);
fails_with($standby, 'SELECT sno_next()', '25006', qr/cannot make ids during recovery/, 'a standby');
$last = $session->query_safe('SELECT sno_next()');
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
$session->quit;
$node->stop('immediate');
set_clock($standby_clock, $now - 0.1);
$standby->promote;
is($standby->safe_psql('postgres', "SELECT sno_next() > '$last'"), 't', 'promoted it goes on above, though its clock is behind');
$standby->stop;
$copy->stop;

done_testing();
