# Numbers that change hands at random, for as long as one likes: the clock steps, the server crashes and reloads, and
# generators come and go in two databases, while sessions keep every id that they are told. No id is made twice, each
# session's ids ascend, and nothing is refused for another reason than those below.
#
#     SNOWID_LONG_SECONDS=300     how long
#     SNOWID_SEED=...             the same actions again, though not at the same moments
#
# What the product does not promise is not asked for. Databases of a server that have generators with one number only
# show it, so named generators share a number with another database through the server alone. What was rolled back or
# dropped with its extension is known to the memory until the next crash: such numbers are not used after that, or the
# server's own ids have gone beyond them by then.
use strict;
use warnings;
use lib 'test/tap';
use IO::Handle;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time setitimer ITIMER_REAL);

my @expected = (
    qr/^42704 there is no generator "/,
    qr/^42710 generator "\w+" could make the same ids as /,
    qr/^55000 generator "\w+" could make the same ids as (the default generator|one that this transaction has)/,
    qr/^55000 generator "\w+" makes no ids in a transaction that /,
    qr/^58000 the clock is \S+ \w+ behind the (snowflakes|snos) /,
    qr/^57P0[123] /);
# while the extension of the database is dropped and made anew
my @expected_without_extension = (
    qr/^42883 function \w+\(.*\) does not exist/,
    qr/^42P01 relation "_snowid.generator" does not exist/,
    qr/^55000 extension "snowid" is not in this database/,
    qr/^55000 this database has (no|lost the) record/,
    qr/^XX000 (cache lookup failed for (function|type)|could not open relation with OID)/);
my $seconds = $ENV{SNOWID_LONG_SECONDS} // 300;
my $seed = seed();
my $test = $$;
my $folder = "$PostgreSQL::Test::Utils::tmp_check/claims";    # it stays after a failure
mkdir $folder or die $!;
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
my $node = new_server('claims', 'max_connections = 40', 'max_worker_processes = 16', 'restart_after_crash = on',
    'snowid.max_generators = 200',
    'log_min_error_statement = panic', 'deadlock_timeout = 1h', 'snowid.sno_partition = 500', 'snowid.worker_id = 500');

# Numbers are workers and partitions alike, and four apart, because a worker of the layout "wide" is four of the default.
my %pool = (alpha => [ 500, 4, 40, 44 ]);
my @of_server = (500, 4, 0);    # the last one is also beta's
my %wanted = ('snowid.worker_id' => 500, 'snowid.sno_partition' => 500);
my %setting = (snowflake => 'snowid.worker_id', sno => 'snowid.sno_partition');
my %short_lived = (alpha => [ 100, 200 ], beta => [ 300, 160 ]);    # from where, how many
my ($names, $extensions, $copies) = (0, 0, 0);
my (@actions, %done, @failures, %snapshots);
my $sessions = 0;

sub one_of { return $_[int(rand(@_))] }
sub quoted { return "'" . ($_[0] =~ s/'/''/gr) . "'" }
sub failure { push @failures, [ time(), $_[0] ]; }

# The statement that makes ids and shows each with its generator and its tick-tock bit. The generator is the server's
# own, or a name, or the column of the query that precedes. Instead of the bit there is a p for what comes in no order: ids of parallel
# workers, and of snowflake_spread() between transactions.
sub ids {
    my ($scheme, $count, $generator, $from) = @_;
    my $batch = rand() < 0.3;
    my $spread = $scheme eq 'snowflake' && !$batch && rand() < 0.3;
    my $call = $scheme . ($batch ? '_next_batch' : $spread ? '_spread' : '_next') . '('
        . join(', ', $batch ? $count : (), $scheme eq 'sno' ? 7 : (), $generator // ()) . ')';
    my $bit = $scheme eq 'sno' ? 'sno_tick_tock(id)::int' : $spread ? "'p'" : 0;
    return "SELECT concat_ws(' ', id, " . ($generator // "'default'") . ", $bit) FROM " . ($from ? "$from, LATERAL " : '')
        . ($batch ? "$call AS id" : "(SELECT $call AS id FROM generate_series(1, $count)) AS ids");
}

# A generator's name begins with what it is: g and t make snowflakes, w those of the layout "wide", s and u snos; t and
# u are short-lived.
sub scheme_of { return $_[0] =~ /^[su]/ ? 'sno' : 'snowflake' }
sub any_generator {
    my ($like) = @_;
    return "(SELECT name FROM _snowid.generator WHERE name ~ '^[$like]\\d' ORDER BY random() LIMIT 1) AS any_generator";
}

sub claim {
    my ($kind, $number) = @_;
    return "partition => $number" if scheme_of($kind) eq 'sno';
    return 'worker => ' . ($kind eq 'w' ? $number >> 2 : $number);
}

sub creation {
    my ($name, $number, $sequences) = @_;
    my $kind = substr($name, 0, 1);
    my $layout = $kind eq 'w' ? ", layout => 'wide'" : '';
    return "SELECT snowid_generator_create('$name', '" . scheme_of($kind) . "', " . claim($kind, $number) . "$layout$sequences)";
}

sub some_sequences { return one_of('', '', ', sequence_min => 0, sequence_max => 2047', ', sequence_min => 2048, sequence_max => 4095') }

# Asks, and keeps all ids that have arrived, whatever happens then. It cancels what takes too long.
my %to;

sub keep_in {
    my ($session) = @_;
    for my $group (qw(snowflake sno log errors)) {
        mkdir "$folder/$group";
        open($to{$group}, '>', "$folder/$group/$session") or die $!;
        $to{$group}->autoflush(1);
    }
}

sub ask {
    my ($client, $db, $sql, $limit) = @_;
    my (@rows, %lines);
    my $began = time();
    $client->{on_row} = sub { push @rows, $_[0] };
    local $SIG{ALRM} = sub { local $!; kill('INT', $client->{pid}) };
    setitimer(ITIMER_REAL, $limit, $limit);
    my $answer = client_query($client, $sql);
    setitimer(ITIMER_REAL, 0);
    for (@rows) {
        my ($id, $generator) = /^(\S+) (\w+) \w$/ or next;
        push @{ $lines{ $generator eq 'log' ? 'log' : $id =~ /^\d{17,19}$/ ? 'snowflake' : 'sno' } }, $_;
    }
    print { $to{$_} } sprintf("@%.3f %.3f\n", $began, time()), map { "$_\n" } @{ $lines{$_} } for keys %lines;
    print { $to{errors} } join("\t", time(), $db, $answer->{error}, $sql =~ s/\s+/ /gr) . "\n" if $answer && $answer->{error};
    return $answer;
}

# Sessions

# The same number for all sessions between two crashes, and never again.
sub incarnation {
    my ($client) = @_;
    my $process = "pg_stat_activity WHERE backend_type = 'checkpointer'";
    my $answer = client_query($client, "INSERT INTO incarnation SELECT pid || ' ' || backend_start, (SELECT count(*) FROM incarnation)
        FROM $process"
        . " ON CONFLICT DO NOTHING; SELECT number FROM incarnation WHERE process = (SELECT pid || ' ' || backend_start FROM $process)");
    return $answer && $answer->{rows}[0];
}

sub statement {
    my ($db, $incarnation) = @_;
    my $kind = one_of('g', 'g', 'w', 's', 's');
    my $scheme = scheme_of($kind);
    my $count = rand() < 0.05 ? 3000 : 1 + int(rand(200));
    my $way = rand();
    return ids($scheme, $count) if $way < 0.35;
    return ids($scheme, $count, 'name', any_generator($scheme eq 'sno' ? 'su' : 'gwt')) if $way < 0.7;
    return ids('snowflake', $count, "'log'") if $way < 0.75 && $db eq 'alpha';
    if ($way < 0.82) {
        my $leader = one_of('on', 'off');
        my ($id, $name) = rand() < 0.5 ? ("${scheme}_next(" . ($scheme eq 'sno' ? 7 : '') . ')', "'default'") :
            ($scheme eq 'sno' ? 'sno_next(7, name)' : 'snowflake_next(name)', 'name');
        my $from = $name eq 'name' ? any_generator($scheme eq 'sno' ? 'su' : 'gwt') . ', rows' : 'rows';
        return "BEGIN; SET LOCAL parallel_leader_participation = $leader; SET LOCAL parallel_setup_cost = 0;
            SET LOCAL parallel_tuple_cost = 0;"
            . " SET LOCAL min_parallel_table_scan_size = 0; SELECT concat_ws(' ', $id, $name, 'p') FROM $from; COMMIT";
    }
    my $name = ($scheme eq 'sno' ? 'u' : 't') . "${$}0" . ++$names;
    my ($first, $size) = @{ $short_lived{$db} };
    my $create = creation($name, $first + (2 * $incarnation + int(rand(2))) % $size, some_sequences());
    my $use = ids($scheme, $count, "'$name'");
    return one_of("BEGIN; $create; $use; ROLLBACK", "BEGIN; SAVEPOINT s; $create; $use; ROLLBACK TO s; COMMIT",
        "BEGIN; SAVEPOINT s; $create; RELEASE s; $use; COMMIT; $use; SELECT snowid_generator_drop('$name')");
}

sub session {
    my ($db, $session) = @_;
    my $pid = fork() // die $!;
    return $pid if $pid;
    my $stopped = 0;
    $SIG{TERM} = sub { $stopped = 1 };
    srand($seed + $session);
    keep_in($session);
    while (!$stopped && getppid() == $test) {
        my $client = client($node->host, $node->port, $db);
        my $incarnation = $client && incarnation($client);
        while (defined $incarnation && !$stopped) {
            my $sql = statement($db, $incarnation);
            my $answer = ask($client, $db, $sql, 1) or last;
            last if ($answer->{error} // '') =~ /^57P/;
            client_query($client, 'ROLLBACK') if $sql =~ /^BEGIN/;
            ask($client, $db, $1, 1) if $answer->{error} && $sql =~ /(SELECT snowid_generator_drop\('\w+'\))$/;
            sleep($answer->{error} ? 0.02 : 0.004);
        }
        sleep(0.01);
    }
    POSIX::_exit(0);
}

# Actions

sub act {
    my ($db, $sql, $limit) = @_;
    my $action = [ time(), "$db: $sql" ];
    push @actions, $action;
    my $client = client($node->host, $node->port, $db);
    my $answer = $client && ask($client, $db, $sql, $limit // 30);
    failure("the connection is lost: $sql") unless $answer;
    $answer //= { rows => [], error => 'the connection is lost' };
    $action->[1] .= ": $answer->{error}" if $answer->{error};
    $done{ $answer->{error} ? 'statements that were refused' : 'statements' }++;
    return $answer;
}

sub name_in {
    my ($db, $like) = @_;
    return act($db, 'SELECT name FROM ' . any_generator($like))->{rows}[0];
}

sub new_name { return $_[0] . ++$names }

my $offset = 0;

sub step_clock {
    ($offset) = @_;
    push @actions, [ time(), sprintf('the clock is at %+.3f s', $offset) ];
    set_clock($clock, $offset);
    $done{steps}++;
}

sub step_back { step_clock($offset > -4 ? $offset - rand(2) : $offset) }
sub any_step {
    my $to = rand() < 0.7 ? $offset + rand(2) - 1 : rand(12) - 6;
    step_clock($to < -6 ? -6 : $to > 6 ? 6 : $to);
}

sub reload {
    my ($scheme, $number) = @_;
    push @actions, [ time(), "$setting{$scheme} = $number" ];
    $node->append_conf('postgresql.conf', "$setting{$scheme} = $number");
    $node->reload;
    $wanted{ $setting{$scheme} } = $number;
    $done{reloads}++;
}

sub crash {
    my $way = $_[0] // one_of('immediate', 'immediate', 'postmaster', 'backend', 'backend', 'process');
    push @actions, [ time(), "crash: $way" ];
    if ($way =~ /immediate|postmaster/) {
        if ($way eq 'immediate') { $node->stop('immediate') }
        else { kill_postmaster($node) }
        any_step() if rand() < 0.5;
        start_again($node, %clock);
    } else {
        my ($postmaster, @processes) = processes($node);
        $way = 'none was there' unless kill_backend($node, $way eq 'process' ? @processes : ());
    }
    $done{"crashes ($way)"}++;
    accepts_connections($node) or failure('the server is not there again');
    push @actions, [ time(), 'the server is there again' ];
}

# The server's own ids in alpha go beyond all that the server has made.
sub cover {
    for my $attempt (1 .. 80) {
        return unless grep { act('alpha', ids($_, 1), 1)->{error} } qw(snowflake sno);
        step_clock(6) if $attempt == 1;
        sleep(0.25);
    }
    failure('no ids for 20 s');
}

sub create {
    my ($db) = @_;
    my $name = new_name(one_of('g', 'g', 'w', 's', 's'));
    my $created = act($db, creation($name, one_of(@{ $pool{$db} }), some_sequences()));
    act($db, ids(scheme_of($name), 50, "'$name'"), 1) unless $created->{error};
}

sub alter {
    my ($db) = @_;
    my $name = name_in($db, 'gws') or return;
    my $claim = claim(substr($name, 0, 1), one_of(@{ $pool{$db} })) . some_sequences();
    act($db, "SELECT snowid_generator_alter('$name', $claim)");
}

sub rename_one {
    my ($db) = @_;
    my $name = name_in($db, 'gws') or return;
    act($db, "SELECT snowid_generator_alter('$name', new_name => '" . new_name(substr($name, 0, 1)) . "')");
}

sub drop {
    my ($db) = @_;
    my $name = name_in($db, 'gwstu') or return;
    act($db, "SELECT snowid_generator_drop('$name')");
}

sub take_back {
    my ($db) = @_;
    my $name = name_in($db, 'gws') or return;
    my $number = one_of(@{ $pool{$db} });
    my $change = one_of("snowid_generator_drop('$name')", "snowid_generator_alter('$name', " . claim(substr($name, 0, 1), $number) . ')');
    act($db, one_of("BEGIN; SELECT $change; SELECT pg_sleep(0.1); ROLLBACK", "BEGIN; SAVEPOINT s; SELECT $change; ROLLBACK TO s; COMMIT"));
}

# A generator moves to another name; or comes again as it was some time ago, if nobody has its number.
sub restore {
    my ($db) = @_;
    my $name = name_in($db, 'gws') or return;
    my $snapshot = act($db, "SELECT snowid_generator_snapshot('$name')")->{rows}[0] or return;
    push @{ $snapshots{$db} }, [ substr($name, 0, 1), $snapshot ];
    act($db, "SELECT snowid_generator_drop('$name')") if rand() < 0.8;
    crash() if rand() < 0.2;
    my ($kind, $text) = @{ rand() < 0.6 ? $snapshots{$db}[-1] : one_of(@{ $snapshots{$db} }) };
    act($db, 'SELECT snowid_generator_restore(' . quoted($text) . ", '" . new_name($kind) . "')");
}

# A generator makes ids, also those after a crash, which are ahead of the clock. Then the server has its number.
sub hand_to_server {
    my $name = new_name(one_of('g', 'g', 's'));
    my $number = one_of(grep { $_ != $wanted{ $setting{ scheme_of($name) } } } @of_server[0, 1]);
    my $ids = ids(scheme_of($name), 500, "'$name'");
    return if act('alpha', creation($name, $number, ', sequence_min => 0, sequence_max => ' . one_of(3, 3, 2047, 4095)))->{error};
    act('alpha', $ids, 1);
    crash() if rand() < 0.7;
    step_back() if rand() < 0.7;
    act('alpha', $ids, 1);
    act('alpha', "SELECT snowid_generator_drop('$name')");
    reload(scheme_of($name), $number);
    $done{'numbers that were handed to the server'}++;
}

# The server starts with the number of a generator, gives it up, and the generator goes on.
sub start_with_number_of_generator {
    my $name = new_name(one_of('g', 'g', 's'));
    my $scheme = scheme_of($name);
    my ($number, $other) = rand() < 0.5 ? @of_server[0, 1] : @of_server[1, 0];
    reload($scheme, $other);
    sleep(0.2);
    return if act('alpha', creation($name, $number, ', sequence_min => 0, sequence_max => ' . one_of(3, 3, 2047, 4095)))->{error};
    my $ids = ids($scheme, 500, "'$name'");
    act('alpha', $ids, 1);
    reload($scheme, $number);
    sleep(0.1);
    crash('immediate');
    sleep(rand(2));
    reload($scheme, $other);
    step_back() if rand() < 0.7;
    for (1 .. 3) {
        sleep(rand(0.3));
        act('alpha', $ids, 1);
    }
    $done{'starts with the number of a generator that goes on'}++;
}

# What a transaction made before its ROLLBACK, then the server with the same number.
sub take_back_and_hand_to_server {
    my $name = new_name(one_of('g', 's'));
    my $scheme = scheme_of($name);
    my $number = one_of(@of_server[0, 1]);
    return unless grep { / / } @{ act('alpha', 'BEGIN; ' . creation($name, $number, '') . '; ' . ids($scheme, 500, "'$name'") .
        '; ROLLBACK', 1)->{rows} };
    $done{'numbers that were handed to the server'}++;
    reload($scheme, $number);
    my $in_force = $node->poll_query_until('alpha',
        "SELECT worker = $number FROM snowid_stat WHERE generator = 'default' AND scheme = '$scheme'");
    failure("$setting{$scheme} = $number does not come into force") unless $in_force;
    cover();
}

# Beta begins anew, with numbers that it has never had.
sub new_extension {
    for my $scheme (sort keys %setting) { reload($scheme, one_of(@of_server[0, 1])) if $of_server[2] == $wanted{ $setting{$scheme} } }
    act('beta', 'DROP EXTENSION snowid') if $extensions;
    sleep(rand(0.5));
    my $number = 600 + 8 * ($extensions++ % 35);
    $pool{beta} = [ $number, $number + 4 ];
    $of_server[2] = $number;
    $snapshots{beta} = [];
    act('beta', 'CREATE EXTENSION snowid');
    $done{extensions}++;
    cover();
}

# A copy of a database, whose generators make ids only when they have other numbers.
sub copy_database {
    my $db = one_of('alpha', 'beta');
    push @actions, [ time(), "a copy of $db" ];
    act('postgres', 'CREATE DATABASE copy TEMPLATE template0');
    for my $command ([ 'pg_dump', '-Fc', '-f', "$folder/dump", '-d', $node->connstr($db) ],
        [ 'pg_restore', '--exit-on-error', '-d', $node->connstr('copy'), "$folder/dump" ]) {
        my ($out, $err) = ('', '');
        IPC::Run::run($command, '>', \$out, '2>', \$err) or failure("$command->[0]: $err");
    }
    crash() if rand() < 0.3;
    act('copy', ids($_, 100), 1) for qw(snowflake sno);
    if (my $name = name_in('copy', 'gws')) {
        my $altered = act('copy', "SELECT snowid_generator_alter('$name', " . claim(substr($name, 0, 1), 920 + 4 * ($copies++ % 25)) . ')');
        act('copy', ids(scheme_of($name), 100, "'$name'"), 1) unless $altered->{error};
    }
    act('postgres', 'DROP DATABASE copy WITH (FORCE)');
    cover();
    $done{copies}++;
}

sub any_database { return one_of('alpha', 'alpha', 'beta') }
my @choices = (
    (\&any_step) x 6, (sub { crash() }) x 3, (sub { reload(one_of('snowflake', 'sno'), one_of(@of_server)) }) x 6,
    (sub { create(any_database()) }) x 7, (sub { alter(any_database()) }) x 4, (sub { drop(any_database()) }) x 5,
        (sub { rename_one(any_database()) }) x 2,
    (sub { take_back(any_database()) }) x 3, (sub { restore(any_database()) }) x 3, (\&hand_to_server) x 6,
        (\&start_with_number_of_generator) x 4, (\&take_back_and_hand_to_server) x 2, \&new_extension, \&copy_database);

# Checks

# What was done in the half minute before, at most 30 actions.
sub actions_before {
    my ($time) = @_;
    my @before = grep { $_->[0] <= $time } @actions;
    splice(@before, 0, -30);
    return map { sprintf("    %.3f %s", $_->[0], substr($_->[1], 0, 300)) } @before;
}

# Calls with each id of the group, its generator, its bit, when its statement ended, and where all that stands.
sub each_id {
    my ($group, $see) = @_;
    for my $session (0 .. $sessions) {
        my ($statement, $end) = ('', 0);
        open(my $lines, '<', "$folder/$group/$session") or die $!;
        while (my $line = <$lines>) {
            chomp $line;
            if ($line =~ /^@(\S+ (\S+))/) { ($statement, $end) = ($1, $2); next }
            my ($id, $generator, $bit) = split / /, $line;
            $see->($id, "$session $generator", $bit, $end, "$generator, session $session, line $., statement $statement");
        }
    }
}

sub complaint { return join("\n", @_[0 .. ($#_ < 4 ? $#_ : 4)]) }

sub check_distinct_ids {
    my ($group) = @_;
    chomp(my @twice = `cat $folder/$group/* | grep -v '^\@' | cut -d ' ' -f 1 | LC_ALL=C sort -S 20% | uniq -d`);
    chomp(my $all = `cat $folder/$group/* | grep -vc '^\@'`);
    is(scalar @twice, 0, "$group: none of $all ids is there twice") or do {
        my (%places, $last);
        $places{$_} = '' for @twice;
        each_id($group, sub {
            my ($id, $of, $bit, $end, $place) = @_;
            return unless exists $places{$id};
            $places{$id} .= "\n    $place";
            $last = $end if $id eq $twice[0] && $end > ($last // 0);
        });
        diag(complaint(map { "$_$places{$_}" } @twice));
        diag(join("\n", 'before the first of these came again:', actions_before($last)));
    };
    cmp_ok($all, '>', 100 * $seconds, "$group: there are ids") if $group ne 'log';
    return $all;
}

# Ids of one session from one generator. Parallel workers take theirs side by side.
sub check_order {
    my ($group) = @_;
    my (%last, @wrong);
    each_id($group, sub {
        my ($id, $of, $bit, $end, $place) = @_;
        return if $bit eq 'p';
        my $last = \$last{"$of $bit"};
        push @wrong, [ $end, "$id after $$last: $place" ] if defined $$last && ($group eq 'sno' ? $id le $$last : $id <= $$last);
        $$last = $id;
    });
    is(scalar @wrong, 0, "$group: the ids of every session ascend")
        or diag(complaint(map { $_->[1] } @wrong), "\n", join("\n", 'before the first of these:', actions_before($wrong[0][0])));
}

sub check_errors {
    my (%seen, @unexpected);
    for my $session (0 .. $sessions) {
        for (split /\n/, slurp_file("$folder/errors/$session")) {
            my ($time, $db, $error, $sql) = split /\t/;
            my @also = $db eq 'beta' ? @expected_without_extension : ();
            push @also, qr/^57014 canceling statement due to user request/ if $session || $sql =~ /_(next|spread)/;
            my $is_expected = grep { $error =~ $_ } @expected, @also;
            $seen{ $error =~ s/function \w+\(.*\)/function .../r =~ s/"\w+"/"..."/gr =~ s/\d+ (ms|s)\b/# $1/gr }++;
            push @unexpected, [ $time, "$db: $error: $sql" ] unless $is_expected;
        }
    }
    diag("$seen{$_} times $_") for sort keys %seen;
    return @unexpected;
}

start_again($node, %clock);
keep_in(0);
for my $db (qw(alpha beta)) {
    $node->safe_psql('postgres', "CREATE DATABASE $db");
    $node->safe_psql($db, 'CREATE TABLE incarnation (process text PRIMARY KEY, number int);
        CREATE TABLE rows AS SELECT generate_series(1, 2000) AS n; ANALYZE rows');
}
$node->safe_psql('alpha', "CREATE EXTENSION snowid; SELECT snowid_generator_create('log', overlap => true)");
new_extension();
my @sessions = map { session($_, ++$sessions) } qw(alpha alpha alpha alpha beta beta beta);
my $end = time() + $seconds;
while (time() < $end && !@failures) {
    one_of(@choices)->();
    sleep(rand(0.1));
}
writer_stop(@sessions);
$node->stop('fast');

my $log = slurp_file($node->logfile);
$done{'numbers of the server that came into force'} = () = $log =~ /snowid: the (worker|partition) is \d+ from here on/g;
$done{'numbers of the server that were refused'} = () = $log =~ /snowid: the (worker|partition) stays/g;
$done{'starts with a number that a generator has'} = () = $log =~ /makes no ids, because it has the server's own/g;
$done{"ids ($_)"} = check_distinct_ids($_) for qw(snowflake sno log);
check_order($_) for qw(snowflake sno log);
push @failures, check_errors();
@failures = sort { $a->[0] <=> $b->[0] } @failures;
is(scalar @failures, 0, 'nothing happened that must not')
    or diag(complaint(map { sprintf('%.3f %s', $_->[0], substr($_->[1], 0, 500)) } @failures), "\n",
        join("\n", 'before the first of these:', actions_before($failures[0][0])));
unlike($log, qr/TRAP|PANIC|terminated by signal (?!9\b|15\b)/, 'the server has not crashed by itself');
diag(join("\n", map { "$done{$_} $_" } sort keys %done));

done_testing();
