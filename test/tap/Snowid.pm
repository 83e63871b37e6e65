# What the TAP tests share: servers with the extension, a clock that can be moved, and writers that keep what they
# received.
package Snowid;

use strict;
use warnings;
use Client;
use Exporter 'import';
use Fcntl qw(O_CREAT O_WRONLY);
use IO::Handle;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Server;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT =
    qw($node $database sql new_server faked_clock set_clock fails_with client client_query client_answer writer_start writer_stop refusals
    longest_to_first ids_go_on ids_stand check_ids check_texts check_unique processes kill_backend kill_postmaster start_again
    accepts_connections seed usual_or_long wide_types);

# Runs statements on the test's server, in its database unless another is named.
our ($node, $database) = (undef, 'postgres');
sub sql {
    my ($statements, $in) = @_;
    return $node->safe_psql($in // $database, $statements);
}

# The types of fixed bytes, with their length.
sub wide_types {
    my ($types) = slurp_file('Makefile') =~ /^WIDE_TYPES += (.*)/m;
    return map { split /:/ } split ' ', $types;
}

# An initialised server that preloads the library. Further lines go into its configuration.
sub new_server {
    my ($name, @lines) = @_;
    my $node = Server->new($name);
    $node->init(allows_streaming => 1);
    $node->append_conf('postgresql.conf', join("\n", "shared_preload_libraries = 'snowid'", 'snowid.worker_id = 1', 'log_statement = none',
        @lines) . "\n");
    return $node;
}

# The environment in which a server has a clock that can be set (test/clock/clock.c). Elapsed time stays true.
sub faked_clock {
    my ($file) = @_;
    set_clock($file, 0);
    return (LD_PRELOAD => "$ENV{TESTDIR}/clock.so", SNOWID_CLOCK => $file);
}

# Every backend of the server sees the new offset, in seconds, the next time it looks at the clock: each millisecond.
sub set_clock {
    my ($file, $offset) = @_;
    sysopen(my $handle, $file, O_WRONLY | O_CREAT) or die $!;
    syswrite($handle, pack('q', 1e9 * $offset)) == 8 or die $!;  # in place, for processes that have opened it
    close $handle;
    sleep(0.002);
}

# Checks that the statement fails with this SQLSTATE and this message.
sub fails_with {
    my ($node, $sql, $state, $like, $what, %options) = @_;
    my ($status, $out, $err) = $node->psql(delete $options{dbname} // 'postgres', $sql, verbose => 1, %options);
    like($err, qr/ERROR:  $state: /, "$what: SQLSTATE $state");
    like($err, $like, "$what: says why");
}

# A client that asks for ids until it is stopped, and connects again whenever it must. Its files: the ids that it has
# received, one per line, or with `committed` only those whose transaction has committed; .errors with the errors it got
# instead; .first with the seconds from each connection to its first id; and with `times` the longest time that a
# statement took.
sub writer_start {
    my ($node, $file, %options) = @_;
    my $query = $options{query} // 'SELECT snowflake_next()';
    my ($host, $port, $db) = ($node->host, $node->port, $options{dbname} // 'postgres');
    my $pause = $options{pause} // 0.003;
    my $test = $$;
    my $pid = fork() // die $!;
    return $pid if $pid;

    $SIG{TERM} = sub { POSIX::_exit(0) };
    $SIG{PIPE} = 'IGNORE';
    my %to;
    for my $name ('', '.errors', '.first', '.longest') {
        open($to{$name}, '>>', "$file$name") or POSIX::_exit(1);
        $to{$name}->autoflush(1);
    }
    while (getppid() == $test) {
        my $client = client($host, $port, $db);
        my $connected = time();
        my $first = 1;
        while ($client) {
            my $asked = time();
            my $keep = sub {
                syswrite($to{''}, "$_[0]\n");
                syswrite($to{'.first'}, sprintf("%.4f\n", time() - $connected)) if $first;
                $first = 0;
            };
            $client->{on_row} = $keep unless $options{committed};
            my $answer = client_query($client, $query);
            last unless $answer;
            if ($options{committed} && !$answer->{error}) { $keep->($_) for @{ $answer->{rows} } }
            syswrite($to{'.errors'}, "$answer->{error}\n") if $answer->{error};
            syswrite($to{'.longest'}, sprintf("%.4f\n", time() - $asked)) if $options{times};
            last if $answer->{error} && $answer->{error} =~ /^57P/;
            sleep($answer->{error} ? 0.01 : $pause);
        }
        sleep(0.03);    # each attempt costs the server a process
    }
    POSIX::_exit(0);
}

sub writer_stop {
    for my $pid (@_) {
        kill('TERM', $pid);
        waitpid($pid, 0);
    }
}

# The SQLSTATEs and messages that writers got, and how often. Numbers in them become #. The consequences of a crash do not
# count: the end of the session, and a server that is not there yet.
sub refusals {
    my %seen;
    for my $file (@_) {
        for (split /\n/, slurp_file("$file.errors")) {
            next if /^(57P|08|25006 )/;
            s/\d+ (ms|s)\b/# $1/;
            $seen{$_}++;
        }
    }
    return %seen;
}

sub longest_to_first {
    my @all = sort { $a <=> $b } map { split /\n/, slurp_file("$_.first") } @_;
    return $all[-1] // -1;
}

# Waits until each of the files has that many more ids. Returns true if that happened in time.
sub ids_go_on {
    my ($files, %options) = @_;
    my $more = ($options{more} // 5) * 19;
    my %size = map { $_ => (-s $_) // 0 } @$files;
    my $deadline = time() + ($options{within} // 180);
    while (grep { ((-s $_) // 0) < $size{$_} + $more } @$files) {
        return 0 if time() > $deadline;
        sleep(0.01);
    }
    return 1;
}

# True once none of the files grows for half a second. A row that was answered before may be written late.
sub ids_stand {
    my ($files) = @_;
    for (1 .. 20) {
        my %size = map { $_ => (-s $_) // 0 } @$files;
        sleep(0.5);
        return 1 if !grep { ((-s $_) // 0) > $size{$_} } @$files;
    }
    return 0;
}

# No id is in the files twice, and each file ascends: the ids of a session do, and so do those of successive sessions of
# one client. Ids are numbers, or texts of the same length.
sub check_ids { return check_sorted('-n', @_); }
sub check_texts { return check_sorted('', @_); }

sub check_sorted {
    my ($order, $what, @files) = @_;
    my $unordered = grep { system("LC_ALL=C sort -c $order -u '$_' 2>/dev/null") != 0 } @files;
    is($unordered, 0, "$what: the ids of every session ascend");
    my $list = join(' ', map { "'$_'" } @files);
    my $merge = $unordered ? '' : '-m';
    return check_distinct($what, $list, "$order $merge");
}

# The same for ids whose order goes back with the clock.
sub check_unique {
    my ($what, @files) = @_;
    return check_distinct($what, join(' ', map { "'$_'" } @files), '');
}

sub check_distinct {
    my ($what, $list, $sort) = @_;
    chomp(my $all = `cat $list | wc -l`);
    chomp(my $distinct = `LC_ALL=C sort $sort -u $list | wc -l`);
    cmp_ok($all, '>', 0, "$what: there are ids");
    is($distinct, $all, "$what: none of $all ids is there twice");
    return $all;
}

sub processes {
    my ($node) = @_;
    my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
    return ($postmaster, grep { /^\d+$/ } split /\s+/, `ps -o pid= --ppid $postmaster`);
}

# Sends kill -9 to a backend that serves a client, any backend or the given one. Returns false if there is none at the
# moment. The server has noticed once it has ended the other sessions too.
sub kill_backend {
    my ($node, @backends) = @_;
    my $witness = client($node->host, $node->port, 'postgres') or return 0;
    my ($postmaster) = processes($node);
    @backends = grep { $_ != $witness->{pid} } map { /^\s*(\d+) postgres: .*\[local\]/ ? $1 : () } split /\n/,
        `ps -o pid=,args= --ppid $postmaster`
        unless @backends;
    return 0 unless @backends && kill('KILL', $backends[int(rand(@backends))]);
    sleep(0.002) while client_query($witness, 'SELECT 1');
    return 1;
}

# A process may end at any time, even while this looks at it. A zombie has ended.
sub runs {
    my ($pid) = @_;
    open(my $stat, '<', "/proc/$pid/stat") or return 0;
    return (<$stat> // ') Z') !~ /\) Z/;
}

# Sends kill -9 to the postmaster. Its backends notice.
sub kill_postmaster {
    my ($node) = @_;
    my @all = processes($node);
    $node->kill9;
    for (1 .. 36000) {
        return unless grep { runs($_) } @all;
        sleep(0.005);
    }
}

# Starts a server that was killed.
sub start_again {
    my ($node, %clock) = @_;
    local %ENV = (%ENV, %clock);
    for (1 .. 100) {
        return if $node->start(fail_ok => 1);
        $node->{_pid} = undef;
        sleep(0.05);
    }
    BAIL_OUT('the server does not start');
}

sub accepts_connections {
    my ($node) = @_;
    for (1 .. 3600) {
        return 1 if client($node->host, $node->port, 'postgres');
        sleep(0.05);
    }
    return 0;
}

# How much a usual run does of what gets better with repetition, and how much `script/test at-length`.
sub usual_or_long { return $_[ $ENV{SNOWID_LONG} ? 1 : 0 ]; }

sub seed {
    my $seed = $ENV{SNOWID_SEED} // int(rand(2**31));
    srand($seed);
    diag("SNOWID_SEED=$seed");
    return $seed;
}

1;
