# A server whose worker id nobody has set: what its log and snowid_check() say, alone, beside replication, and beside Citus,
# where it makes no ids.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $unset = qr/LOG:  snowid: snowid.worker_id is not set, so this server makes its ids with worker 0/;
my $node = Server->new('node');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'snowid'\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
my $told = "SELECT severity, finding FROM snowid_check() WHERE subject IN ('worker', 'partition')";
sub logged { return scalar(() = slurp_file($node->logfile) =~ /$unset/g) }
sub number {
    my ($line) = @_;
    $node->adjust_conf('postgresql.conf', 'snowid.worker_id', undef);
    $node->append_conf('postgresql.conf', "snowid.worker_id = $line") if defined $line;
    $node->reload;
    my $wanted = defined $line ? 'configuration file' : 'default';
    $node->poll_query_until('postgres', "SELECT source = '$wanted' FROM pg_settings WHERE name = 'snowid.worker_id'") or die;
}

# alone
is($node->safe_psql('postgres', $told), 'note|the worker id is 0 because none is set', 'alone: a note');
is(logged(), 1, 'the log says so');
$node->restart;
$node->safe_psql('postgres', 'SELECT snowflake_next()');
is(logged(), 2, 'at each start');
number(0);
is($node->safe_psql('postgres', $told), '', '0 that is written down is a number');
$node->restart;
$node->safe_psql('postgres', 'SELECT snowflake_next()');
is(logged(), 2, 'and of that the log says nothing');
number(undef);
is($node->safe_psql('postgres', $told), 'note|the worker id is 0 because none is set', 'taken away again, it is no number any more');
$node->safe_psql('postgres', 'SELECT sno_next()');
is($node->safe_psql('postgres', "$told ORDER BY finding"),
    "note|the partition of snos is 0 because none is set\nnote|the worker id is 0 because none is set",
    'the partition counts where snos are made');
$told .= " AND subject = 'worker'";

# beside replication
my %beside = (
    'a publication' => [ 'CREATE PUBLICATION p FOR TABLES IN SCHEMA public', 'DROP PUBLICATION p' ],
    'a subscription to another server' => [ "CREATE SUBSCRIPTION s CONNECTION 'dbname=nowhere' PUBLICATION p WITH (connect = false)",
        'ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s' ],
    'a server that follows this one' => [ "SELECT pg_create_physical_replication_slot('standby')",
        "SELECT pg_drop_replication_slot('standby')" ],
);
for my $what (sort keys %beside) {
    $node->safe_psql('postgres', "SET client_min_messages = error; $beside{$what}[0]");
    is($node->safe_psql('postgres', $told), "warning|the worker id is 0 because none is set, beside $what", "beside $what: a warning");
    $node->safe_psql('postgres', $beside{$what}[1]);
}
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_stat_replication') or die;
is($node->safe_psql('postgres', $told), 'warning|the worker id is 0 because none is set, beside a server that follows this one',
    'beside a standby: a warning');
is($standby->safe_psql('postgres', $told), 'warning|the worker id is 0 because none is set, beside a server that this one follows',
    'and on it');
$standby->stop;

# beside Citus, for which an extension stands that gets its name
{
    $node->safe_psql('postgres', "CREATE DATABASE sharded");
    $node->safe_psql('sharded', "CREATE EXTENSION amcheck; SET allow_system_table_mods = on;
        UPDATE pg_extension SET extname = 'citus' WHERE extname = 'amcheck'");
    $node->safe_psql('sharded', "CREATE EXTENSION snowid; SELECT snowid_generator_create('own', worker => 5);
        SELECT snowid_generator_create('servers', overlap => true); SELECT snowid_generator_create('of_snos', scheme => 'sno',
            partition => 5)");
    is($node->safe_psql('sharded', $told), 'error|the worker id is 0 because none is set, beside Citus', 'beside Citus: an error');
    for my $call ('snowflake_next()', 'count(*) FROM snowflake_next_batch(5)', "snowflake_next('servers')",
        "snowflake_at(now(), 'servers')") {
        fails_with($node, "SELECT $call", '55000',
            qr/no worker id is set, but this database is one of several.*HINT:  Set snowid.worker_id to a number/s, $call,
            dbname => 'sharded');
    }
    fails_with($node, 'SELECT sno_next()', '55000',
        qr/no partition of snos is set, but this database is one of several.*HINT:  Set snowid.sno_partition/s, 'sno_next()',
        dbname => 'sharded');
    fails_with($node, 'DO $$ BEGIN BEGIN PERFORM sno_next(); EXCEPTION WHEN OTHERS THEN NULL; END; PERFORM sno_next(); END $$', '55000',
        qr/no partition of snos is set/, 'sno_next() a second time in a transaction', dbname => 'sharded');
    is($node->safe_psql('sharded', "SELECT snowflake_worker(snowflake_next('own')), sno_partition(sno_next(0, 'of_snos'))"), '5|5',
        'a generator with a number of its own makes ids');
    cmp_ok($node->safe_psql('postgres', 'SELECT snowflake_next()'), '>', 0, 'and another database does');
    my $session = $node->background_psql('sharded', on_error_stop => 0);
    $session->query('SELECT snowflake_next()');
    like($session->{stderr}, qr/no worker id is set/, 'a session is refused');
    number(0);
    cmp_ok($session->query('SELECT snowflake_next()'), '>', 0, 'until a number is written down, were it 0');
    is($node->safe_psql('sharded', $told), '', 'of which snowid_check() says nothing');
    number(undef);
    $session->{stderr} = '';
    $session->query('SELECT snowflake_next()');
    like($session->{stderr}, qr/no worker id is set/, 'and again when it is taken away');
    $session->quit;
}
$node->stop;
done_testing();
