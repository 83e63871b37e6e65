# Faults of servers whose worker ids come from a directory: whole servers that freeze and wake up, a standby that is
# promoted beside its primary, copies that are started beside their original, clocks that are behind, a directory that is
# cut off. All of them have writers, and no id is made twice. The same faults do make ids twice if one number is set by
# hand, or if the directory forgets its fence.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
my $together = 10_000;
my $by_hand = 'snowid.worker_id = 5';

# A directory with these numbers, and a primary whose commits wait for a standby. Fewer numbers than servers are enough
# in the long run.
sub begin {
    my ($run, $numbers, $fault) = @_;
    my $directory = new_server("directory$run", "shared_preload_libraries = ''", 'max_connections = 40');
    $directory->start;
    make_directory($directory, 1, $numbers);
    plant_no_fence($directory) if $fault eq 'no fence';
    my $primary = fleet_server("primary$run", $directory, 'snowid.directory_lease = 2s', 'wal_keep_size = 128MB',
        'restart_after_crash = on');
    $primary->append_conf('postgresql.conf', $by_hand) if $fault eq 'by hand';
    return ($directory, $primary);
}
sub found {
    my ($made, $directory, @nodes) = @_;
    my $found = fleet_laws($directory, \@nodes);
    $_->stop('immediate') for @nodes, $directory;
    return { %$found, made => $made };
}
sub set_up {
    my ($primary, $fault) = @_;
    $primary->start;
    $primary->safe_psql('postgres', 'CREATE EXTENSION snowid');
    has_number($primary);
    $primary->backup('backup');
}
sub copy_of {
    my ($name, $primary, %options) = @_;
    my $node = Server->new($name);
    $node->init_from_backup($primary, 'backup', %options);
    $node->append_conf('postgresql.conf', "cluster_name = '$name'\nsynchronous_standby_names = ''\narchive_mode = off\n");
    return $node;
}

# The primary stands still while its synchronous standby, whose clock is 1.5 s behind, is promoted. Then both go on, and
# each stands still now and then, for less than its piece or for more.
sub paused_primary {
    my ($run, $numbers, $fault) = @_;
    my ($directory, $primary) = begin($run, $numbers, $fault);
    set_up($primary, $fault);
    my $standby = copy_of("standby$run", $primary, has_streaming => 1);
    start_with_clock($standby, -1.5);
    $primary->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
    $primary->reload;
    $primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication");
    my @writers = (writers_on($primary), writers_on($standby));
    sleep(1);
    pause($primary);
    $standby->promote;
    sleep(rand(0.5));
    resume($primary);
    sleep(2);    # the clock that is behind comes to times of the other one's ids
    my $made = ids_together($together, $primary, $standby);
    for (1 .. ($fault ? 0 : 4)) {
        my $one = rand() < 0.5 ? $primary : $standby;
        pause($one);
        sleep(rand(3));
        resume($one);
        sleep(rand(0.5));
    }
    $made += ids_together(200, $primary, $standby);
    writer_stop(@writers);
    return found($made, $directory, $primary, $standby);
}

# A base backup and a recovery to a point in time are opened while their original goes on; their clocks are behind.
sub copies {
    my ($run, $numbers, $fault) = @_;
    my ($directory, $primary) = begin($run, $numbers, $fault);
    $primary->{_archive} = 1;
    mkdir $primary->archive_dir;
    $primary->append_conf('postgresql.conf', "archive_mode = on\narchive_command = 'cp \"%p\" \"" . $primary->archive_dir . "/%f\"'");
    set_up($primary, $fault);
    my @writers = writers_on($primary);
    sleep(0.5);
    $primary->safe_psql('postgres', "SELECT pg_create_restore_point('target')");
    $primary->safe_psql('postgres', 'SELECT pg_switch_wal()');
    $primary->poll_query_until('postgres', 'SELECT archived_count > 1 FROM pg_stat_archiver');
    my $restored = copy_of("restored$run", $primary, has_restoring => 1, standby => 0);
    $restored->append_conf('postgresql.conf', "recovery_target_name = 'target'\nrecovery_target_action = 'promote'");
    $primary->backup('clone');
    my $clone = Server->new("clone$run");
    $clone->init_from_backup($primary, 'clone');
    $clone->append_conf('postgresql.conf', "cluster_name = 'clone$run'\narchive_mode = off");
    start_with_clock($_, -1.5) for $clone, $restored;
    push @writers, map { writers_on($_) } $clone, $restored;
    my @nodes = ($primary, $clone, $restored);
    sleep(2);
    my $made = ids_together($fault ? 1000 : $together, @nodes);
    unless ($fault) {
        kill_backend($nodes[ rand @nodes ]) for 1 .. 2;    # shared memory is lost, and its tenure
        $made += ids_together(300, @nodes);
        my $crashed = $nodes[ rand @nodes ];
        $crashed->stop('immediate');
        start_again($crashed);
        $made += ids_together(300, @nodes);
    }
    writer_stop(@writers);
    return found($made, $directory, @nodes);
}

my @holds = ([ 'a paused primary, 64 numbers', \&paused_primary, 64 ], [ 'a paused primary, 3 numbers', \&paused_primary, 3 ],
    [ 'copies', \&copies, 64 ]);
my @breaks = ([ 'by hand', \&paused_primary, 64 ], [ 'no fence', \&copies, 1 ]);
my $run = 0;
my @found = side_by_side(3, map { my ($fault, $faults, $numbers) = @$_; my $n = ++$run;
    sub { $faults->($n, $numbers, $fault) } } (map { [ '', @$_[1, 2] ] } @holds), @breaks);
for my $what (map { $_->[0] } @holds) {
    my $found = shift @found;
    cmp_ok($found->{made}, '>', $together, "$what: $found->{made} ids were made while all were alive together");
    fleet_holds($what, $found);
}
for my $fault (map { $_->[0] } @breaks) {
    my $found = fleet_breaks("the planted fault $fault", shift @found);
    cmp_ok($found->{outside}, '>', 0, 'and ids lie where they must not') if $fault eq 'by hand';
    cmp_ok($found->{overlaps}, '>', 0, 'and pieces overlap') if $fault eq 'no fence';
}

# There is only one number, and the standby gets it when the paused primary's piece is over.
my ($directory, $primary) = begin('_one', 1, '');
set_up($primary, '');
my $next = copy_of('next', $primary, has_streaming => 1);
start_with_clock($next, -1.5);
$next->promote;
my @writers = (writers_on($primary), writers_on($next));
sleep(0.5);
pause($primary);
ok(has_number($next), 'one number: the new primary gets it while the old one stands still');
resume($primary);
ok($primary->poll_query_until('postgres', "SELECT state = 'none' FROM snowid_worker"), 'which notices when it wakes up');
fails_with($primary, 'SELECT snowflake_next()', '55000', qr/this server could use its worker id only until /, 'and is refused');
pause($next);
sleep(2.5);
ok(has_number($primary), 'it has the number again when the new one stands still for long');
resume($next);
sleep(0.5);
writer_stop(@writers);
$_->stop('immediate') for $primary, $next;
fleet_holds('one number', $directory, [ $primary, $next ]);
$directory->stop('immediate');

# The directory is cut off from one server, behind a proxy, and stays in reach of another.
($directory, $primary) = begin('_cut', 3, '');
my $far = $primary;
my $cut = "$folder/cut";
my ($proxy, $port) = proxy_start($directory, $cut);
my $user = getpwuid($>);
$far->append_conf('postgresql.conf', "snowid.directory = 'host=127.0.0.1 port=$port dbname=postgres user=$user'");
set_up($far, '');
my $near = fleet_server('near', $directory, 'snowid.directory_lease = 2s');
set_up($near, '');
@writers = (writers_on($far), writers_on($near));
my @both = ($far, $near);
cmp_ok(ids_together($together, @both), '>', 0, 'two servers make ids');
for my $way ('closed', 'silent', 'deaf') {
    my $before = all_ids($near);
    proxy_do($cut, $way);
    ok($far->poll_query_until('postgres', "SELECT until < now() FROM snowid_worker"),
        "$way: a server that is cut off comes to the end of its piece");
    my ($count, $beside) = (all_ids($far), all_ids($near));
    sleep(1);
    is(all_ids($far), $count, "$way: it makes no id after that");
    cmp_ok(all_ids($near), '>', $beside, "$way: the other one does");
    proxy_do($cut, 'open');
    ok(ids_together(400, @both), "$way: ids go on when the directory is in reach again");
}
# shorter than a piece: nobody notices
for my $way ('closed', 'silent', 'deaf') {
    proxy_do($cut, $way);
    sleep(0.1 + rand(0.4));
    proxy_do($cut, 'open');
    ok(ids_together(200, @both), "$way for a moment: ids go on");
}

# another lease, by a reload, under writers
for my $lease ('30s', '1d', '2s') {
    $_->append_conf('postgresql.conf', "snowid.directory_lease = $lease") for @both;
    $_->reload for @both;
    sleep(1);    # two renewals of the shortest one
    ok(ids_together(400, @both), "a reload to a lease of $lease: ids go on");
}
writer_stop(@writers);
$_->stop('immediate') for @both;
kill('TERM', $proxy);
waitpid($proxy, 0);
fleet_holds('a directory that is cut off', $directory, \@both);
$directory->stop('immediate');

done_testing();
