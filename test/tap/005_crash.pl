# Crashes at random moments under writers, and a clock that is set while the server is down or running. Whatever happens,
# no id is there twice, each client's ids ascend, and ids go on wherever the clock policy lets them.
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
# Nothing but snowid itself flushes WAL here.
my $node = new_server('crash', 'restart_after_crash = on', 'max_connections = 30', 'wal_writer_delay = 10s', 'autovacuum = off');
start_again($node, %clock);
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

my @files = map { "$folder/ids$_" } 1 .. 4;
my @writers = map { writer_start($node, $_) } @files;
ok(ids_go_on(\@files), 'four clients write');

my %crash = (
    backend => sub { kill_backend($node) },
    postmaster => sub { kill_postmaster($node); start_again($node, %clock) },
    immediate => sub { $node->stop('immediate'); start_again($node, %clock) },
    checkpoint => sub { $node->safe_psql('postgres', 'CHECKPOINT'); $node->stop('immediate'); start_again($node, %clock) },
);
my @kinds = sort keys %crash;
my $crashes = 0;

sub crash {
    my ($kind) = @_;
    $crashes++;
    accepts_connections($node);
    $crash{$kind}->();
}

# at random moments
my $stuck = 0;
my $rounds = usual_or_long(8, 20);
for my $round (1 .. $rounds) {
    sleep(rand(0.3));
    crash($kinds[$round % @kinds]);
    $stuck++ unless ids_go_on(\@files, more => 1);
}
is($stuck, 0, "ids go on after each of $rounds crashes");
is_deeply({ refusals(@files) }, {}, 'and nobody was refused one');
diag(sprintf('the longest from a connection to its first id: %.3f s', longest_to_first(@files)));

# the clock set back while the server is down, and while it runs
for my $back (0.01, 1) {
    for my $kind ('immediate', 'postmaster', 'checkpoint') {
        accepts_connections($node);
        $crashes++;
        $node->safe_psql('postgres', 'CHECKPOINT') if $kind eq 'checkpoint';
        if ($kind eq 'postmaster') { kill_postmaster($node) } else { $node->stop('immediate') }
        set_clock($clock, -$back);
        start_again($node, %clock);
        ok(ids_go_on(\@files), "ids go on after a crash ($kind), the clock set back by $back s while down");
        set_clock($clock, 0);
        ok(ids_go_on(\@files, more => 50), 'and when the clock is right again');
    }
    set_clock($clock, -$back);
    ok(ids_go_on(\@files), "ids go on when the clock goes back by $back s");
    crash('backend');
    ok(ids_go_on(\@files), 'and after a crash of that');
    set_clock($clock, 0);
    ok(ids_go_on(\@files, more => 50), 'and when the clock is right again');
}
is_deeply({ refusals(@files) }, {}, 'up to 1 s nobody is refused');

for my $back (3600, 86400) {
    accepts_connections($node);
    $crashes++;
    $node->stop('immediate');
    set_clock($clock, -$back);
    start_again($node, %clock);
    accepts_connections($node);
    ok(ids_stand(\@files), "no ids after a crash, the clock set back by $back s while down");
    set_clock($clock, 0);
    ok(ids_go_on(\@files), 'they go on when the clock is right again');

    set_clock($clock, -$back);
    ok(ids_stand(\@files), "no ids while the clock is back by $back s");
    crash($kinds[int(rand(@kinds))]);
    accepts_connections($node);
    ok(ids_stand(\@files), 'nor after a crash of that');
    set_clock($clock, 0);
    ok(ids_go_on(\@files, more => 50), 'they go on when the clock is right again');
}
my %told = refusals(@files);
is(join(', ', grep { !/^58000 the clock is [#\d.]+ (?:s|min|h) behind the snowflakes that have been made$/ } keys %told), '',
    'clients are told why');

# a day ahead is not believed; back from it nothing is lost
set_clock($clock, 86400);
sleep(1.2);
ok(ids_stand(\@files), 'no ids a day ahead');
crash('immediate');
accepts_connections($node);
ok(ids_stand(\@files), 'nor after a crash of that: the machine has not been started again');
set_clock($clock, 0);
ok(ids_go_on(\@files), 'they go on when the clock is right again');

# a server that stands still, and a clock that is slewed
my @all = processes($node);
kill('STOP', @all);
sleep(5);
kill('CONT', reverse @all);
ok(ids_go_on(\@files, more => 50), 'ids go on after the server has stood still for 5 s');
my $offset = 0;
for my $step (1 .. 150) {
    $offset += (rand() < 0.5 ? -1 : 1) * rand(0.004) - 0.001;
    set_clock($clock, $offset);
    sleep(0.01);
}
ok(ids_go_on(\@files), 'ids go on under a clock that is slewed');

# crashes while the clock moves at random
for my $round (1 .. usual_or_long(3, 6)) {
    set_clock($clock, rand(1.5) - 1);
    sleep(rand(0.2));
    crash($kinds[int(rand(@kinds))]);
    ok(ids_go_on(\@files, more => 1), "ids go on after crash $round while the clock moves");
}

# a day ahead that is accepted: what came then is guarded when the clock is back
set_clock($clock, 86400);
accepts_connections($node);
$node->safe_psql('postgres', 'SELECT snowid_clock_accept()');
ok(ids_go_on(\@files, more => 50), 'ids go on a day ahead that was accepted');
set_clock($clock, 0);
crash('immediate');
accepts_connections($node);
ok(ids_stand(\@files), 'none with the clock back from there');
set_clock($clock, 86400);
ok(ids_go_on(\@files), 'and again a day ahead');

writer_stop(@writers);
my $ids = check_ids("$crashes crashes", @files);
diag("$ids ids, $crashes crashes");
$node->stop;

# crashes in a row do not carry the ids away from the clock
my $row = new_server('row', 'restart_after_crash = on');
$row->start;
$row->safe_psql('postgres', 'CREATE EXTENSION snowid');
my @row_files = map { "$folder/row$_" } 1 .. 3;
@writers = map { writer_start($row, $_) } @row_files;
ids_go_on(\@row_files);
my $end = time() + usual_or_long(6, 20);
my $in_a_row = 0;
while (time() < $end) {
    my $next = time() + 0.3;
    $in_a_row += kill_backend($row);
    sleep(0.01) while time() < $next;
}
accepts_connections($row);
ok(ids_go_on(\@row_files), 'ids go on after crashes in a row');
is_deeply({ refusals(@row_files) }, {}, 'and nobody was refused one');
writer_stop(@writers);
my $ahead = $row->safe_psql('postgres', 'SELECT extract(epoch FROM snowflake_time(snowflake_next()) - clock_timestamp())');
cmp_ok($ahead, '<', 1.5, 'they are no further ahead than one crash makes them');
$ids = check_ids('crashes in a row', @row_files);
diag(sprintf('%d ids, %d crashes; the longest from a connection to its first id: %.3f s', $ids, $in_a_row, longest_to_first(@row_files)));
$row->stop;
done_testing();
