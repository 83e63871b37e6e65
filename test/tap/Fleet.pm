# What the tests of a fleet share: a directory that records every answer that gives time, servers that get their numbers
# from it, writers that keep what they received, a proxy that can be cut, and the laws that must hold for all of it.
package Fleet;

use strict;
use warnings;
use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use JSON::PP qw(decode_json encode_json);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

our @EXPORT =
    qw($fleet_layout directory_of fleet_server make_directory add_numbers plant plant_no_fence has_number worker_of start_with_clock pause
    resume writers_on files_of all_ids ids_together longest_gap side_by_side fleet_laws fleet_holds fleet_breaks proxy_start proxy_do);

our $fleet_layout = 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12';

my $folder;
my %files;    # by a node's name

# a server that gets its number from the directory at $of; further lines go into its configuration
sub directory_of {
    my ($of) = @_;
    return sprintf("snowid.directory = 'host=%s port=%d dbname=postgres'", $of->host, $of->port);
}

sub fleet_server {
    my ($name, $of, @lines) = @_;
    my $node = new_server($name, "cluster_name = '$name'", @lines);
    $node->append_conf('postgresql.conf', "snowid.worker_id = directory\n" . directory_of($of // $node) . "\n");
    return $node;
}

# Changes the text of one of the directory's functions, to plant a fault.
sub plant {
    my ($node, $function, @fault) = @_;
    my $text = $node->safe_psql('postgres', "SELECT pg_get_functiondef('$function'::regproc)");
    my $pattern = join('\s+', map { quotemeta } split / /, $fault[0]);
    $text =~ s/$pattern/$fault[1]/ or BAIL_OUT("$function has no $fault[0]");
    $node->safe_psql('postgres', $text);
}

# Makes the directory give out numbers that others still hold, with time from the request on.
sub plant_no_fence {
    my ($node) = @_;
    plant($node, 'itself.take', 'AND w.expires <= clock_timestamp() AND greatest(w.until_ns, fleet.floor_ns) <= clock_ns', '');
    plant($node, 'itself.take', 'greatest(w.until_ns, fleet.floor_ns) INTO', 'clock_ns - 2000000000 INTO');
    plant($node, 'itself.renew', 'AND w.token = renew.token', '');
}

# The recording functions note what is answered, not what should be. The piece of a renewal begins where the last piece
# ended.
sub make_directory {
    my ($node, $first, $last, $layout) = @_;
    my $out = 'OUT now_ns bigint, OUT first int, OUT last int, OUT free int';
    $node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION snowid_directory;
CREATE TABLE piece (n bigserial, worker int, from_ns bigint, until_ns bigint, holder text, is_taken bool, token uuid);
CREATE TABLE id (holder text, id bigint);
CREATE SCHEMA itself;
ALTER FUNCTION snowid_directory.take SET SCHEMA itself;
ALTER FUNCTION snowid_directory.renew SET SCHEMA itself;
CREATE FUNCTION snowid_directory.take(int, text, bigint, int, int, text, OUT worker int, OUT token uuid, OUT from_ns bigint,
    OUT until_ns bigint, $out) RETURNS SETOF record LANGUAGE sql AS \$\$
    WITH told AS MATERIALIZED (SELECT * FROM itself.take(\$1, \$2, \$3, \$4, \$5, \$6)),
        noted AS (INSERT INTO public.piece (worker, from_ns, until_ns, holder, is_taken, token) SELECT worker, from_ns, until_ns, \$6, true,
            token FROM told)
    SELECT * FROM told \$\$;
CREATE FUNCTION snowid_directory.renew(int, worker int, INOUT token uuid, bigint, held_until_ns bigint, int, OUT until_ns bigint,
    $out) RETURNS SETOF record LANGUAGE sql AS \$\$
    WITH told AS MATERIALIZED (SELECT * FROM itself.renew(\$1, \$2, \$3, \$4, \$5, \$6)),
        noted AS (INSERT INTO public.piece (worker, from_ns, until_ns, holder, is_taken, token)
            SELECT \$2, \$5, t.until_ns, w.holder, false, t.token FROM told t, snowid_directory.worker w WHERE w.worker = \$2)
    SELECT * FROM told \$\$;
SQL
    add_numbers($node, $first, $last, $layout);
}

sub add_numbers {
    my ($node, $first, $last, $layout) = @_;
    $node->safe_psql('postgres', sprintf("SELECT snowid_directory.add('%s', %d, %d, now())", $layout // $fleet_layout, $first, $last));
}

sub has_number { return $_[0]->poll_query_until('postgres', "SELECT state = 'held' AND worker IS NOT NULL FROM snowid_worker"); }
sub worker_of { return $_[0]->safe_psql('postgres', 'SELECT worker FROM snowid_worker'); }

# Starts a server whose clock is off by that much.
sub start_with_clock {
    my ($node, $offset) = @_;
    $folder //= PostgreSQL::Test::Utils::tempdir();
    my $file = "$folder/clock_" . $node->name;
    my %clock = faked_clock($file);
    set_clock($file, $offset);
    start_again($node, %clock);
}

# Sends SIGSTOP to every process of the server. SIGCONT resumes them.
sub pause {
    my ($node) = @_;
    my ($postmaster) = processes($node);
    kill('STOP', $postmaster);
    kill('STOP', processes($node));
}
sub resume { kill('CONT', processes($_[0])); }

# Writers on a server. Its name finds their files.
sub writers_on {
    my ($node, %options) = @_;
    my $name = $node->name;
    $folder //= PostgreSQL::Test::Utils::tempdir();
    my @new = map { "$folder/$name." . (@{ $files{$name} // [] } + $_) } 1 .. $options{count} // 2;
    push @{ $files{$name} }, @new;
    return map { writer_start($node, $_, query => 'SELECT snowflake_next() FROM generate_series(1, 16)', %options) } @new;
}
sub files_of { return map { @{ $files{$_} // [] } } map { $_->name } @_; }
sub all_ids { my $ids = 0; $ids += (-s $_) // 0 for files_of(@_); return int($ids / 19); }

# The longest time, in seconds, for which a server has made no id, up to the end. Each id has the time at which it was
# made.
sub longest_gap {
    my ($node, $end) = @_;
    my %made = map { ($_ >> 22) => 1 } map { split /\n/, slurp_file($_) } files_of($node);
    my ($gap, $last) = (0);
    for ((sort { $a <=> $b } keys %made), int(1000 * ($end - 1704067200))) {
        $gap = $_ - $last if defined $last && $_ - $last > $gap;
        $last = $_;
    }
    return $gap / 1000;
}

# Waits until every server has made ids, and all of them together at least this many. Returns how many, or 0.
sub ids_together {
    my ($least, @nodes) = @_;
    my @before = map { all_ids($_) } @nodes;
    for (1 .. 2000) {
        my @made = map { all_ids($nodes[$_]) - $before[$_] } 0 .. $#nodes;
        my $sum = 0;
        $sum += $_ for @made;
        return $sum if $sum >= $least && !grep { $_ == 0 } @made;
        sleep(0.01);
    }
    return 0;
}

# What is wrong: ids made twice, ids outside of what their server was given, pieces that overlap. A server's ids are found
# by its cluster_name, which is its node's name. Ids received through a name that leads now to one server and now to another
# may be any server's.
sub fleet_laws {
    my ($directory, $nodes, %layout) = @_;
    my ($shift, $tick) = ($layout{sequence} // 12, $layout{tick_ms} // 1);
    $directory->safe_psql('postgres', 'TRUNCATE id');
    for my $node (@$nodes, @{ $layout{names} // [] }) {
        my $name = (grep { $_ == $node } @$nodes) ? "'" . $node->name . "'" : 'NULL';
        $directory->safe_psql('postgres', "CREATE TEMP TABLE new (id bigint); " . join('', map { "COPY new FROM '$_';" } files_of($node)) .
            "INSERT INTO id SELECT $name, id FROM new");
    }
    my ($ids, $twice, $outside, $overlaps, $pieces) = split /\|/, $directory->safe_psql('postgres', <<"SQL");
SELECT count(*), count(*) - count(DISTINCT id),
    (SELECT count(*) FROM (SELECT holder, (id >> $shift) & 1023 AS worker, ((id >> ($shift + 10)) * $tick + 1704067200000) * 1000000 AS ns
        FROM id) i
        WHERE NOT EXISTS (SELECT FROM piece p WHERE p.worker = i.worker AND (p.holder = i.holder OR i.holder IS NULL) AND i.ns >= p.from_ns
            AND i.ns < p.until_ns)),
    (SELECT count(*) FROM piece a JOIN piece b ON a.worker = b.worker AND a.n < b.n AND a.from_ns < b.until_ns AND b.from_ns < a.until_ns),
    (SELECT count(*) FROM piece) FROM id
SQL
    return { ids => $ids, twice => $twice, outside => $outside, overlaps => $overlaps, pieces => $pieces };
}

# Runs each of the calls in its own process, several at a time, because they wait a lot. Returns a hash of what each has
# returned. The calls must not contain tests. A server that they leave running is stopped.
sub side_by_side {
    my ($most, @calls) = @_;
    $folder //= PostgreSQL::Test::Utils::tempdir();
    my $running = 0;
    for my $i (0 .. $#calls) {
        if ($running++ == $most) { wait(); $running--; }
        my $pid = fork() // die $!;
        next if $pid;
        my $found = encode_json($calls[$i]->());
        open(my $to, '>', "$folder/found$i") or die $!;
        print $to $found;
        close $to;
        exit 0;
    }
    1 while wait() > 0;
    return map { -e "$folder/found$_" ? decode_json(slurp_file("$folder/found$_")) : BAIL_OUT("call $_ has failed") } 0 .. $#calls;
}

# Checks that the laws hold, or that fleet_laws() found that they do.
sub fleet_holds {
    my ($what, @of) = @_;
    my $found = @of == 1 ? $of[0] : fleet_laws(@of);
    cmp_ok($found->{pieces}, '>', 0, "$what: the directory gave $found->{pieces} pieces");
    is($found->{twice}, 0, "$what: none of $found->{ids} ids is there twice");
    is($found->{outside}, 0, "$what: each lies in a piece of its server");
    is($found->{overlaps}, 0, "$what: no two pieces overlap");
}

# The fault shows as ids made twice, or as overlapping pieces, which show up much sooner.
sub fleet_breaks {
    my ($what, @of) = @_;
    my $found = @of == 1 ? $of[0] : fleet_laws(@of);
    cmp_ok($found->{twice} + $found->{overlaps}, '>', 0,
        "$what is found: $found->{twice} of $found->{ids} ids twice, $found->{outside} in no piece of their server, $found->{overlaps} pieces overlap");
    return $found;
}

# A proxy from a port of 127.0.0.1 to the server's socket. It does what its file says: open; closed, which ends every
# connection; silent, which holds back whatever comes from either side until it is open again; or deaf, which passes
# questions on and keeps the answers. With a short queue, whoever connects while it is silent soon gets no answer at all,
# as from a host that drops packets.
sub proxy_start {
    my ($node, $file, %options) = @_;
    proxy_do($file, 'open');
    my $listener = IO::Socket::INET->new(Listen => $options{queue} // 64, LocalAddr => '127.0.0.1', LocalPort => $options{port},
        ReuseAddr => 1) or die $!;
    my $port = $listener->sockport;
    my $to = $node->host . '/.s.PGSQL.' . $node->port;
    my $test = $$;
    my $pid = fork() // die $!;
    return ($pid, $port) if $pid;
    $SIG{TERM} = sub { POSIX::_exit(0) };
    $SIG{PIPE} = 'IGNORE';
    eval { proxy_run($listener, $to, $file, $test) };
    POSIX::_exit(0);
}

sub proxy_run {
    my ($listener, $to, $file, $test) = @_;
    my $poll = IO::Select->new($listener);
    my (%peer, %asks);
    my $end = sub {
        my $other = delete $peer{ $_[0] } or return;
        delete $peer{$other};
        for my $socket ($_[0], $other) { $poll->remove($socket); $socket->close; }
    };
    while (getppid() == $test) {
        my $mode = slurp_file($file);
        if ($mode eq 'silent') { sleep(0.01); next; }
        if ($mode eq 'closed') { $end->($_) for $poll->handles; }
        for my $from ($poll->can_read(0.01)) {
            if ($from == $listener) {
                my $client = $listener->accept or next;
                my $server = $mode ne 'closed' && IO::Socket::UNIX->new(Peer => $to) or next;
                @peer{ $client, $server } = ($server, $client);
                $asks{$client} = 1;
                $poll->add($client, $server);
            } elsif (my $other = $peer{$from}) {
                my $size = sysread($from, my $data, 65536);
                if (!$size) { $end->($from); next; }
                syswrite($other, $data) unless $mode eq 'deaf' && !$asks{$from};
            }
        }
    }
}

sub proxy_do {
    my ($file, $mode) = @_;
    open(my $handle, '>', "$file.new") or die $!;
    print $handle $mode;
    close $handle;
    rename("$file.new", $file) or die $!;
}

1;
