# A directory that fails over, or is restored, while two servers and twenty more holders take and renew: what they received
# never overlaps, also where commits were lost. A usual run takes two of the ways to lose it. `script/test at-length` takes all, and
# finds planted faults: no quiet time, and a WARNING that is taken for an answer. A directory that is two gives time twice, as the
# documents say: it is found as well.
use strict;
use warnings;
use lib 'test/tap';
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use List::Util qw(shuffle);
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $seed = seed();
my $folder = PostgreSQL::Test::Utils::tempdir();

# The connection of a holder: to the first of the directories that is no standby.
sub connect_to {
    for my $node (@_) {
        my $client = client($node->host, $node->port, 'postgres') or next;
        my $answer = client_query($client, 'SELECT pg_is_in_recovery()');
        return $client if $answer && !$answer->{error} && $answer->{rows}[0] eq 'f';
    }
    return;
}

# What a server does with its directory, in a process of its own: pieces of some tenths of a second, a clock that is up to
# 1.5 s off, renewals that come too late. Its file has every piece that it received: worker, from, until.
sub holder_start {
    my ($number, $file, $directories, %options) = @_;
    my $test = $$;
    my $pid = fork() // die $!;
    return $pid if $pid;
    $SIG{TERM} = sub { POSIX::_exit(0) };
    eval { hold($number, $file, $directories, $test, %options) };
    POSIX::_exit(1);
}

sub hold {
    my ($number, $file, $directories, $test, %options) = @_;
    srand($seed + $number);
    open(my $to, '>>', $file) or die $!;
    my $offset = rand(3) - 1.5;
    my ($client, $worker, $token, $until);
    while (getppid() == $test) {
        $client //= connect_to(@$directories) or do { sleep(0.05); next };
        my $now = int((time() + $offset) * 1e6) * 1000;
        my $lease = int(400 + rand(1600));
        my $sql = $token ? "SELECT concat_ws(' ', $worker, token, $until, until_ns) FROM snowid_directory.renew(1, $worker, '$token', $now,
            $until, $lease)"
            : "SELECT concat_ws(' ', worker, token, from_ns, until_ns) FROM snowid_directory.take(1, '$fleet_layout', $now, $lease, 1023,
                'holder$number')";
        my $answer = client_query($client, $sql);
        if (!$answer || $answer->{warning} && !$options{takes_warnings}) {
            undef $client;
            next;
        }
        if ($answer->{error}) {
            sleep(0.2);
            next;
        }
        my ($of, $new, $from, $end) = split / /, $answer->{rows}[0] // '';
        if (!defined $of) {
            undef $token;    # lost; or the directory has to be asked again
            sleep(0.02);
            next;
        }
        ($worker, $token, $until) = ($of, $new, $end);
        syswrite($to, "$worker $from $until\n") if $until > $from;
        sleep($lease / 1000 * (rand() < 0.1 ? 1.5 : 0.1 + rand(0.3)));
        undef $token if rand() < 0.03;    # a crash
    }
}

# Every piece that a holder received: { worker => [[from, until], ...] }, and how many of them overlap.
sub received {
    my (%pieces, $all);
    for (map { split /\n/, slurp_file($_) } grep { -e } @_) {
        my ($worker, $from, $until) = split / /;
        push @{ $pieces{$worker} }, [ $from, $until ];
        $all++;
    }
    my $overlaps = 0;
    for my $of (values %pieces) {
        my $end = 0;
        for (sort { $a->[0] <=> $b->[0] } @$of) {
            $overlaps++ if $_->[0] < $end;
            $end = $_->[1] if $_->[1] > $end;
        }
    }
    return ($all // 0, $overlaps, \%pieces);
}

# What the old directory has noted, and the new one has not. It is started aside, where no server asks it.
sub merge_pieces {
    my ($old, $new) = @_;
    $old->start;
    my $file = "$folder/pieces." . $old->name;
    $old->safe_psql('postgres', "COPY piece TO '$file'");
    $new->safe_psql('postgres', "CREATE TABLE old (LIKE piece); COPY old FROM '$file';
        INSERT INTO piece SELECT * FROM old WHERE token NOT IN (SELECT token FROM piece)");
    $old->stop('immediate');
}

sub has_new_pieces {
    my ($directory, $within) = @_;
    my $deadline = time() + $within;
    while (time() < $deadline) {
        return 1 if $directory->safe_psql('postgres',
            "SELECT count(*) > 10 FROM snowid_directory.worker WHERE since > (SELECT started FROM mark)") eq 't';
        sleep(0.1);
    }
    return 0;
}

# One way to lose a directory. Its standby, or what was restored, has its name afterwards: servers and holders know both.
# Where a fault is looked for there are holders only: they find it.
sub run {
    my ($run, $way, $fault) = @_;
    my $directory = new_server("directory$run", "shared_preload_libraries = ''", 'max_connections = 60', 'wal_keep_size = 128MB');
    $directory->start;
    make_directory($directory, 1, 28);    # few, so that a number is wanted again as soon as it is free
    $directory->safe_psql('postgres', 'UPDATE snowid_directory.fleet SET lead_ns = 2000000000');    # no lease is longer here
    $directory->safe_psql('postgres', 'CREATE TABLE mark (started timestamptz)');
    plant($directory, 'snowid_directory._begin_quiet', 'now + lead + snowid_directory._longest_lease()',
        'now') if $fault eq 'no quiet time';
    # The first holder to renew would tell the directory that it has lost something, which guards a second time.
    plant($directory, 'snowid_directory._examine', 'PERFORM snowid_directory._begin_quiet(held_until_ns)', 'NULL') if $fault eq 'warnings';
    $directory->backup('backup');
    my $link = "$folder/link$run";
    my ($proxy, $port) = proxy_start($directory, $link);
    my $standby = Server->new("standby$run");
    my @both = ($directory, $standby);

    # a server reaches either directory, and the second one has a clock that is behind
    my @names = map { "server$run$_" } $fault ? () : ('a', 'b');
    my @servers = map { new_server($_, "cluster_name = '$_'", 'snowid.directory_lease = 2s', 'snowid.worker_id = directory') } @names;
    for my $i (0 .. $#servers) {
        $servers[$i]->append_conf('postgresql.conf', sprintf("snowid.directory = 'host=%s port=%s dbname=postgres'",
            join(',', map { $_->host } @both), join(',', map { $_->port } @both)));
        start_with_clock($servers[$i], $i * -1.5);
        $servers[$i]->safe_psql('postgres', 'CREATE EXTENSION snowid');
    }
    if ($way ne 'restored') {
        $standby->init_from_backup($directory, 'backup');
        $standby->append_conf('postgresql.conf', "primary_conninfo = 'host=127.0.0.1 port=$port application_name=standby'");
        $standby->set_standby_mode;
        $standby->start;
    }
    if ($way eq 'synchronous' || $way eq 'cancelled') {
        $directory->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
        $directory->reload;
        $directory->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'") or die;
    }
    my @files = map { "$folder/held$run.$_" } 1 .. 20;
    my @holders = map { holder_start($_, $files[ $_ - 1 ], $way eq 'split' ? [ $both[ $_ % 2 ] ] : \@both,
        takes_warnings => $fault eq 'warnings') } 1 .. 20;
    my @writers = map { writers_on($_, pause => 0.005) } @servers;
    my $is_behind = $fault || $servers[1]->poll_query_until('postgres', "SELECT clock_difference < '-1 s' FROM snowid_worker");
    my $made = $fault ? 0 : ids_together(10_000, @servers);
    sleep(1);
    if ($way eq 'restored') {
        $directory->backup('later');
        $standby->init_from_backup($directory, 'later');
        $standby->set_standby_mode;
    }
    sleep(1.5);

    # what is committed from here on is lost, or is not answered
    proxy_do($link, 'silent');
    for (1 .. ($way eq 'synchronous' || $way eq 'restored' ? 1 : 10)) {
        sleep(0.1);
        $directory->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity
            WHERE wait_event = 'SyncRep'") if $way eq 'cancelled';
    }
    $directory->stop('immediate') unless $way eq 'split';
    proxy_do($link, 'closed');
    $standby->start if $way eq 'restored';
    $standby->promote;
    $standby->safe_psql('postgres', "INSERT INTO mark VALUES (now())");
    $standby->safe_psql('postgres', 'SELECT snowid_directory.trust()') if $way eq 'cancelled';
    my $goes_on = has_new_pieces($standby, 30);
    my $ids = $fault || ids_together(200, @servers);
    sleep(1);
    writer_stop(@writers);
    kill('TERM', $_) for @holders, $proxy;
    waitpid($_, 0) for @holders, $proxy;
    $_->stop('immediate') for @servers, $way eq 'split' ? $directory : ();
    my ($pieces, $overlaps, $of) = received(@files);
    merge_pieces($directory, $standby) unless $fault;
    my $found = $fault ? {} : fleet_laws($standby, \@servers);
    $standby->stop('immediate');
    return { %$found, received => $pieces, between => $overlaps, made => $made, is_behind => $is_behind, goes_on => $goes_on && $ids,
        foreign => foreign_ids($of, @servers) };
}

# ids of the servers in what a holder was given
sub foreign_ids {
    my ($of, @servers) = @_;
    my $foreign = 0;
    for my $id (map { split /\n/, slurp_file($_) } files_of(@servers)) {
        my $ns = (($id >> 22) + 1704067200000) * 1000000;
        $foreign++ if grep { $ns >= $_->[0] && $ns < $_->[1] } @{ $of->{ ($id >> 12) & 1023 } // [] };
    }
    return $foreign;
}

# A fault may need several tries.
sub tries {
    my ($run, $way, $fault) = @_;
    for my $try (1 .. 10) {
        my $found = run("$run.$try", $way, $fault);
        return $found if !$fault || $found->{between} || $try == 10;
    }
}

my @ways = (shuffle('synchronous', 'asynchronous', 'restored', 'cancelled'))[ 0 .. usual_or_long(1, 3) ];
my @faults = usual_or_long([], [ [ 'asynchronous', 'no quiet time' ], [ 'cancelled', 'warnings' ], [ 'split', 'there are two' ] ])->@*;
my @runs = ((map { [ $_, '' ] } @ways), @faults);
my @found = side_by_side(3, map { my $run = $_; sub { tries($run, @{ $runs[$run] }) } } 0 .. $#runs);
for my $way (@ways) {
    my $found = shift @found;
    ok($found->{is_behind}, "$way: a clock is behind");
    cmp_ok($found->{made}, '>=', 10_000, "$way: two servers made $found->{made} ids together before");
    ok($found->{goes_on}, "$way: numbers are given out again, and ids go on");
    is($found->{between}, 0, "$way: none of $found->{received} pieces that 20 holders received overlap");
    is($found->{foreign}, 0, "$way: and no id of a server lies in one");
    is($found->{twice}, 0, "$way: none of $found->{ids} ids of two servers is there twice");
    is($found->{outside}, 0, "$way: each lies in a piece of its server");
}
for my $fault (map { $_->[1] } @faults) {
    my $found = shift @found;
    cmp_ok($found->{between}, '>', 0, "the planted fault $fault is found: $found->{between} of $found->{received} pieces overlap");
}

done_testing();
