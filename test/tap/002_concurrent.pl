# Eight sessions at once: no id twice, and each session's ids strictly increase.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $node = new_server('concurrent', 'max_connections = 100');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
my $folder = PostgreSQL::Test::Utils::tempdir();

# half of the sessions by batches
my $each = usual_or_long(200_000, 1_000_000);
my @runs;
for my $n (1 .. 8) {
    my $from = $n % 2 ? "SELECT snowflake_next() FROM generate_series(1, $each)" : "SELECT snowflake_next_batch($each)";
    my $out = "$folder/session_$n";
    push @runs, IPC::Run::start([ 'psql', '-XqAt', '-d', $node->connstr('postgres'), '-c', "COPY ($from) TO STDOUT" ], '>', $out);
}
$_->finish for @runs;
my $all = check_ids('eight sessions', map { "$folder/session_$_" } 1 .. 8);
is($all, 8 * $each, 'every session got what it asked for');

# overload in layouts that hold next to nothing: paced, never refused
for my $layout ('epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=1', 'epoch=2024-01-01,tick=10ms,time=39,worker=8,sequence=2',
    'epoch=2024-01-01,tick=1s,time=30,worker=8,sequence=5') {
    $node->append_conf('postgresql.conf', "snowid.layout = '$layout'");
    $node->restart;
    $node->safe_psql('postgres', 'DROP EXTENSION snowid');
    $node->safe_psql('postgres', 'CREATE EXTENSION snowid');
    open(my $script, '>', "$folder/one_id.sql") or die;
    print $script "SELECT snowflake_next();\n";
    close $script;
    command_like([ 'pgbench', '-n', '-T', '3', '-c', '40', '-j', '2', '-f', "$folder/one_id.sql", $node->connstr('postgres') ],
        qr/number of failed transactions: 0 /, "nobody is refused: 40 clients, $layout");
    my $ahead = $node->safe_psql('postgres', 'SELECT snowflake_time(snowflake_next()) - clock_timestamp() < interval \'2.2 s\'');
    is($ahead, 't', "ids are not dated far ahead: $layout");
}

done_testing();
