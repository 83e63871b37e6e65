# What a renewal costs does not grow with the numbers that a directory has: 1000 holders of 2000 numbers and of 65535, in
# turns. Renewals read no other row, but one each minute. Where each counts what is free, that is found.
#
#     SNOWID_TURNS=7     how often
use strict;
use warnings;
use lib 'test/tap';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;

seed();
my $turns = $ENV{SNOWID_TURNS} // 7;
my $layout = 'epoch=2024-01-01,tick=1ms,time=41,worker=16,sequence=6';
my $node = new_server('directory', "shared_preload_libraries = ''", 'max_connections = 40', 'shared_buffers = 256MB');
$node->start;

# Sessions that have 100 holders each, which renew in turn.
my $holders = <<'SQL';
CREATE FUNCTION clock() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT (extract(epoch
    FROM clock_timestamp()) * 1000000)::bigint * 1000 $$;
CREATE TABLE holder (session int, n int, worker int, token uuid, until_ns bigint);
CREATE TABLE renewed (turn int, renewals int, seconds float);
CREATE PROCEDURE take(session int, layout text) LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1 .. 100 LOOP
        INSERT INTO holder SELECT session, n, worker, token, until_ns FROM snowid_directory.take(1, layout, clock(), 86400000, 65535,
            'holder');
        COMMIT;
    END LOOP;
END $$;
CREATE PROCEDURE renew(session int, turn int, seconds float) LANGUAGE plpgsql AS $$
DECLARE
    workers int[]; tokens uuid[]; untils bigint[];
    began timestamptz := clock_timestamp();
    n int := 0; i int; answer record;
BEGIN
    SELECT array_agg(worker ORDER BY h.n), array_agg(token ORDER BY h.n), array_agg(until_ns ORDER BY h.n) INTO workers, tokens, untils
        FROM holder h WHERE h.session = renew.session;
    WHILE clock_timestamp() < began + seconds * interval '1 s' LOOP
        i := n % 100 + 1;
        SELECT * INTO STRICT answer FROM snowid_directory.renew(1, workers[i], tokens[i], clock(), untils[i], 86400000);
        tokens[i] := answer.token;
        untils[i] := answer.until_ns;
        n := n + 1;
        COMMIT;
    END LOOP;
    UPDATE holder h SET token = tokens[h.n], until_ns = untils[h.n] WHERE h.session = renew.session;
    INSERT INTO renewed VALUES (turn, n, extract(epoch FROM clock_timestamp() - began));
END $$;
SQL

sub all_sessions {
    my ($db, $call) = @_;
    my @sessions = map { IPC::Run::start([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($db), '-c',
        sprintf($call, $_) ]) } 1 .. 10;
    $_->finish or BAIL_OUT("$db: a session has failed") for @sessions;
}
sub begin {
    my ($db, $numbers) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $db");
    $node->safe_psql($db, "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$layout', 1, $numbers,
        now() - interval '1 hour'); VACUUM ANALYZE; $holders");
    all_sessions($db, "CALL take(%d, '$layout')");
    is($node->safe_psql($db, "SELECT count(*) FROM snowid_directory.workers WHERE state = 'held'"), 1000,
        "$db: 1000 of $numbers numbers are held");
    $node->safe_psql($db, 'VACUUM ANALYZE');
}
# renewals in a second
sub renewals {
    my ($db, $turn) = @_;
    all_sessions($db, "CALL renew(%d, $turn, 3)");
    return $node->safe_psql($db, "SELECT sum(renewals / seconds) FROM renewed WHERE turn = $turn");
}
sub rows_read { return $node->safe_psql($_[0],
    "SELECT pg_stat_force_next_flush(); SELECT seq_tup_read FROM pg_stat_user_tables
    WHERE relid = 'snowid_directory.worker'::regclass") =~ s/^\n//r; }
sub median { return (sort { $a <=> $b } @_)[ $#_ / 2 ]; }

my %numbers = (few => 2000, many => 65535);
begin($_, $numbers{$_}) for sort keys %numbers;
my ($before, $began) = (rows_read('many'), time());
my (%rate, @ratios);
for my $turn (1 .. $turns) {
    my %now = map { ($_ => renewals($_, $turn)) } $turn % 2 ? ('few', 'many') : ('many', 'few');
    push @{ $rate{$_} }, $now{$_} for keys %now;
    push @ratios, $now{many} / $now{few};
}
my $scans = (rows_read('many') - $before) / $numbers{many};
cmp_ok($scans, '<', $turns + 3 + (time() - $began) / 60, 'what is free is counted once in a minute, and not by each renewal');
cmp_ok(median(@ratios), '>=', 0.9, sprintf('renewals in a second: %.0f of 2000 numbers, %.0f of 65535, %.2f of that',
    median(@{ $rate{few} }), median(@{ $rate{many} }), median(@ratios)));

my $text = $node->safe_psql('many', "SELECT pg_get_functiondef('snowid_directory.renew'::regproc)");
$text =~ s/coalesce\(f.free, 0\) INTO/snowid_directory._count_free(clock_ns) INTO/ or BAIL_OUT('renew has no free');
$node->safe_psql('many', $text);
my $slow = renewals('many', $turns + 1);
cmp_ok((rows_read('many') - $before) / $numbers{many}, '>', $scans + 10,
    sprintf('the planted fault, counting what is free, is found: %.0f renewals in a second', $slow));
$node->stop('fast');

done_testing();
