# Citus: a coordinator, two workers and a standby of one. The directory is a database of the coordinator. Every node makes ids,
# wherever a statement arrives, while nodes join, leave and fail over and shards move. No id is made twice; with one number by
# hand some are. Then what Citus does with statements, filters, partitions and named generators, and what snowid_check() on the
# coordinator says of the nodes. Debian has no Citus.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;

chomp(my $share = `pg_config --sharedir`);
chomp(my $config = `which pg_config`);
plan skip_all => "the server has no extension citus: build Citus with PG_CONFIG=$config, install it, and run this part again"
    unless -e "$share/extension/citus.control";

# The nodes reach each other by TCP, and the directory by its socket.
sub citus_server {
    my ($name, $of, @lines) = @_;
    my $node = fleet_server($name, $of, "shared_preload_libraries = 'citus, snowid'", "listen_addresses = '127.0.0.1'",
        'wal_level = logical',
        'max_connections = 150', 'max_prepared_transactions = 150', 'max_worker_processes = 24', 'max_wal_senders = 16',
            'max_replication_slots = 16',
        'snowid.directory_lease = 5s', "timezone = 'UTC'", "citus.local_hostname = '127.0.0.1'", "citus.node_conninfo = 'sslmode=disable'",
            'citus.enable_statistics_collection = off', @lines);
    $node->start;
    $node->safe_psql('postgres', 'CREATE DATABASE app');
    app($node, 'CREATE EXTENSION citus');
    return $node;
}
sub app { my ($node, @sql) = @_; return $node->safe_psql('app', "SET client_min_messages = error; @sql"); }
sub joins { my ($to, $node) = @_; return app($to, sprintf("SELECT citus_add_node('127.0.0.1', %d)", $node->port)); }
sub conf { my ($line, @nodes) = @_; for (@nodes) { $_->append_conf('postgresql.conf', $line); $_->reload; } }
sub number_of { my ($node) = @_; return app($node, "SELECT worker FROM snowid_worker WHERE state = 'held'"); }
sub gets_number { my ($node) = @_; return $node->poll_query_until('app', "SELECT count(*) = 1 FROM snowid_worker WHERE state = 'held'"); }
sub makers { my ($node, $table, $where) = @_;
    return app($node, "SELECT string_agg(DISTINCT snowflake_worker(id)::text, ' ' ORDER BY snowflake_worker(id)::text) FROM $table WHERE " .
    ($where // 'true')); }
sub words { return join(' ', sort @_); }
sub all_differ { my ($node, $table, $what) = @_; is(app($node, "SELECT count(*) - count(DISTINCT id) FROM $table"), 0,
    "$what: no id of $table is there twice"); }

sub said { my ($node, $what) = @_; my $port = $node->port; return qr/^error\|node 127\.0\.0\.1:$port$what/m; }

# Rows of one tenant, and rows of several, some of which lie on each worker.
my @writes = (
    "INSERT INTO message (tenant) VALUES ((random() * 50)::int) RETURNING id",
    "INSERT INTO message (tenant) SELECT (random() * 50)::int FROM generate_series(1, 8) RETURNING id",
);
sub write_on { return map { my $node = $_;
    map { writers_on($node, count => 1, dbname => 'app', query => $_, committed => 1, pause => 0.01) } @writes } @_; }

# nodes that join before CREATE EXTENSION, and after
my $coordinator = citus_server('coordinator');
make_directory($coordinator, 1, 64);
my $one = citus_server('one', $coordinator);
my $two = citus_server('two', $coordinator);
app($coordinator, sprintf("SELECT citus_set_coordinator_host('127.0.0.1', %d)", $coordinator->port));
joins($coordinator, $one);
app($coordinator, 'CREATE EXTENSION snowid');
my $has_it = "SELECT count(*) FROM pg_extension WHERE extname = 'snowid'";
is(app($one, $has_it), 1, 'CREATE EXTENSION on the coordinator makes it on the node that is there');
app($coordinator, <<'SQL');
CREATE TABLE message (tenant int NOT NULL, id bigint NOT NULL DEFAULT snowflake_next(), body text, PRIMARY KEY (tenant, id));
SELECT create_distributed_table('message', 'tenant', shard_count => 6);
CREATE TABLE by_id (id bigint PRIMARY KEY DEFAULT snowflake_next(), n bigint);
SELECT create_distributed_table('by_id', 'id', shard_count => 6, colocate_with => 'none');
CREATE TABLE country (id bigint PRIMARY KEY DEFAULT snowflake_next(), name text);
SELECT create_reference_table('country');
SQL
joins($coordinator, $two);
is(app($two, $has_it), 1, 'and a node that joins later gets it');
my @nodes = ($coordinator, $one, $two);
ok(gets_number($_), $_->name . ' has a number') for @nodes;
is(scalar(keys %{ { map { number_of($_) => 1 } @nodes } }), 3, 'each its own');

# The standby is synchronous, so no row is lost that a client knows of.
$two->backup('backup');
my $heir = Server->new('heir');
$heir->init_from_backup($two, 'backup', has_streaming => 1);
$heir->append_conf('postgresql.conf', "cluster_name = 'heir'");
$heir->start;
$two->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
$two->reload;

my %writers = map { $_->name => [ write_on($_) ] } @nodes;
cmp_ok(ids_together(300, @nodes), '>', 0, 'rows are written on the coordinator and, as the workers know all tables, on workers');
app($coordinator, "SELECT rebalance_table_shards(shard_transfer_mode => 'auto')");
cmp_ok(app($coordinator, sprintf("SELECT count(*) FROM citus_shards WHERE nodeport = %d AND table_name = 'message'::regclass", $two->port)),
    '>', 0, 'shards move to the new node under writers');
cmp_ok(ids_together(300, @nodes), '>', 0, 'all go on');

$two->stop('immediate');
writer_stop(@{ delete $writers{two} });
$heir->promote;
app($coordinator, sprintf("SELECT citus_update_node(nodeid, '127.0.0.1', %d) FROM pg_dist_node WHERE nodeport = %d", $heir->port,
    $two->port));
ok(gets_number($heir), 'the standby that takes over has a number');
$writers{heir} = [ write_on($heir) ];
cmp_ok(ids_together(300, $coordinator, $one, $heir), '>', 0, 'a worker fails over to its standby, and all go on');
app($coordinator, 'SELECT recover_prepared_transactions()');

writer_stop(@{ delete $writers{one} });
app($coordinator, sprintf("SELECT citus_drain_node('127.0.0.1', %d)", $one->port));
app($coordinator, sprintf("SELECT citus_remove_node('127.0.0.1', %d)", $one->port));
cmp_ok(ids_together(300, $coordinator, $heir), '>', 0, 'a node is drained and removed under writers');
my $removed = number_of($one);
is(app($one, "INSERT INTO message (tenant) VALUES (1) RETURNING snowflake_worker(id)"), $removed,
    'which still knows all shards, so it keeps its own number');
writer_stop(map { @$_ } values %writers);
app($coordinator, 'SELECT recover_prepared_transactions()');
my @of_writers = ($coordinator, $one, $two, $heir);
fleet_holds('Citus', $coordinator, [], names => \@of_writers);
all_differ($coordinator, 'message', 'all this');
my $copies = join('', map { "COPY received FROM '$_';" } files_of(@of_writers));
is(app($coordinator, "CREATE TEMP TABLE received (id bigint); $copies SELECT count(*) FROM received WHERE id NOT IN (SELECT id
    FROM message)"), 0, 'each id that a client received is there');

# statements: who makes their ids
my $third = citus_server('third', $coordinator);
joins($coordinator, $third);
ok(gets_number($third), 'another node joins');
app($coordinator, "SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')");
@nodes = ($coordinator, $heir, $third);
my ($own, @workers) = map { number_of($_) } @nodes;
app($coordinator, 'TRUNCATE message, by_id, country');
app($coordinator, "INSERT INTO message (tenant) SELECT n FROM generate_series(1, 2000) AS n;
    COPY message (tenant, body) FROM PROGRAM 'seq -f %g,copied 500' CSV");
is(makers($coordinator, 'message'), $own, 'VALUES, COPY and rows of a function: where they arrive');
app($heir, "COPY message (tenant, body) FROM PROGRAM 'seq -f %g,mx 500' CSV");
is(makers($coordinator, 'message', "body = 'mx'"), $workers[0], 'a worker, if they arrive there');
my $methods = sub { return $1 if app($coordinator, "EXPLAIN (COSTS off) $_[0]") =~ /INSERT\/SELECT method: (.*)/; return 'pushdown' };
my %select = (
    'repartition' => 'INSERT INTO by_id (n) SELECT tenant FROM message',
    'pull to coordinator' => 'INSERT INTO by_id (n) SELECT tenant FROM message ORDER BY id LIMIT 1000',
    'pushdown' => "INSERT INTO message (tenant, id, body) SELECT tenant, id, 'again' FROM message WHERE body = 'mx' ON CONFLICT (tenant,
        id) DO UPDATE SET body = excluded.body",
);
is($methods->($select{$_}), $_, "INSERT … SELECT, $_") for sort keys %select;
app($coordinator, $select{repartition});
is(makers($coordinator, 'by_id'), words(@workers), 'repartition: workers make the ids');
app($coordinator, $select{'pull to coordinator'});
is(makers($coordinator, 'by_id'), words(@workers), 'pull to coordinator: workers do, too');
app($coordinator, $select{pushdown});
is(app($coordinator, "SELECT count(*) FROM message WHERE body = 'again'"), 500, 'pushdown, which has the ids: an upsert');
all_differ($coordinator, $_, 'INSERT … SELECT') for 'message', 'by_id';
app($coordinator, "INSERT INTO country (name) VALUES ('a'), ('b'); INSERT INTO country (name) SELECT 'c' FROM message LIMIT 10");
is(app($coordinator, "SELECT count(*) || ' ' || count(DISTINCT id) FROM country"), '12 12', 'a reference table');
is(app($coordinator, "SELECT count(DISTINCT result)
    FROM run_command_on_all_nodes('SELECT string_agg(id::text, '','' ORDER BY id) FROM country')"), 1, 'is the same on all nodes');
is(app($coordinator, "INSERT INTO message (tenant, body) VALUES (1, 'x') ON CONFLICT (tenant,
    id) DO UPDATE SET body = 'y' RETURNING snowflake_worker(id)"), $own, 'an upsert');
my $merge = 'MERGE INTO message USING (SELECT tenant%s FROM message LIMIT 10) AS s ON message.tenant = s.tenant
    AND message.id = %s WHEN NOT MATCHED THEN INSERT';
fails_with($coordinator, sprintf($merge, '', 0) . ' (tenant) VALUES (s.tenant)', 'XX000',
    qr/non-IMMUTABLE functions are not yet supported in MERGE/, 'MERGE with a default', dbname => 'app');
app($coordinator, "CREATE TABLE staged (tenant int, id bigint DEFAULT snowflake_next()); SELECT create_distributed_table('staged', 'tenant',
    colocate_with => 'message'); INSERT INTO staged (tenant) VALUES (1), (2);
    MERGE INTO message USING staged AS s ON message.tenant = s.tenant AND message.id = s.id WHEN NOT MATCHED THEN INSERT (tenant, id, body)
        VALUES (s.tenant, s.id, 'merged')");
is(makers($coordinator, 'message', "body = 'merged'"), $own, 'MERGE of rows that have their ids');

# filters
my $recent = "snowflake_time(id) > now() - interval '1 hour'";
my $plan = app($coordinator, "SET enable_seqscan = off; SET citus.explain_all_tasks = on; SET citus.propagate_set_commands = 'local'; BEGIN;
    SET LOCAL enable_seqscan = off; EXPLAIN (COSTS off) SELECT count(*) FROM by_id WHERE $recent; COMMIT");
is(scalar(() = $plan =~ /Index Cond: \(\(?id >= snowflake_first/g), 6, 'a filter by time uses the index of each shard') or diag($plan);
$plan = app($coordinator, "EXPLAIN (COSTS off) SELECT count(*) FROM message WHERE tenant = 7 AND $recent");
like($plan, qr/Task Count: 1\n/, 'with the distribution column it asks one shard');

# schema-based sharding
app($coordinator, 'SET citus.enable_schema_based_sharding = on; CREATE SCHEMA tenant_a; CREATE SCHEMA tenant_b');
app($coordinator, "CREATE TABLE $_.note (id bigint PRIMARY KEY DEFAULT snowflake_next(), t text);
    INSERT INTO $_.note (t) VALUES ('a'), ('b'); INSERT INTO $_.note (t) SELECT t FROM $_.note") for 'tenant_a', 'tenant_b';
is(makers($coordinator, '(TABLE tenant_a.note UNION ALL TABLE tenant_b.note) AS n'), words($own, @workers),
    'tenants by schema: all nodes make ids');
is(app($coordinator, 'SELECT count(*) - count(DISTINCT id) FROM (TABLE tenant_a.note UNION ALL TABLE tenant_b.note) AS n'), 0,
    'none twice');

# time partitions
app($coordinator, <<'SQL');
CREATE TABLE log (tenant int NOT NULL, id bigint NOT NULL DEFAULT snowflake_next(), line text, PRIMARY KEY (tenant, id))
    PARTITION BY RANGE (id);
SELECT create_distributed_table('log', 'tenant', shard_count => 4, colocate_with => 'none');
SQL
is(app($coordinator, "SELECT count(*) FROM snowid_partition('log', every => '1 day', ahead => 2, behind => 2)"), 5,
    'partitions of a distributed table are made');
app($coordinator, "INSERT INTO log (tenant, line) SELECT n, 'a line' FROM generate_series(1, 100) AS n;
    CREATE TABLE log_rest PARTITION OF log DEFAULT");
app($coordinator, "INSERT INTO log (tenant, id) SELECT n, snowflake_lower_bound(now() + interval '3 days') + n FROM generate_series(1, 100)
    AS n");
is(app($coordinator, "SELECT string_agg(action, ' ' ORDER BY starts) FROM snowid_partition('log', every => '1 day', ahead => 4,
    retain => '0', expired => 'drop')"), 'dropped dropped blocked created', 'made, dropped, and found in the default partition');
app($coordinator, "CALL snowid_partition_settle('log')");
app($coordinator, 'CALL snowid_maintain()');
is(app($coordinator, 'SELECT count(*) FROM log_rest') . app($coordinator, 'SELECT count(*) FROM log'), '0200',
    'from where they are settled');
$plan = app($coordinator, "EXPLAIN (COSTS off) SELECT count(*) FROM log WHERE tenant = 7 AND $recent AND snowflake_time(id) < now()");
like($plan, qr/Subplans Removed: [1-9]/, 'a filter by time prunes them');
my $worker = $third;
fails_with($worker, "SELECT snowid_partition('log', every => '1 day')", '55000',
    qr/log is a table of Citus, and this node does not maintain it\nHINT:  Call it for the distributed table, on the coordinator/,
    'on a worker', dbname => 'app');
is(app($worker, "SELECT string_agg(finding, '; ') FROM snowid_check() WHERE subject = 'partitions'"), '',
    'and snowid_check() there has nothing to say of them');

# named generators, one by the recipe and one on the coordinator alone
my $nodes_say = "SELECT severity, finding FROM snowid_check() WHERE subject = 'nodes' ORDER BY 1, 2";
is(app($coordinator, $nodes_say), '', 'nothing is wrong with the nodes');
is(app($coordinator, q{SELECT bool_and(success) FROM run_command_on_all_nodes($$SELECT snowid_generator_create('events',
    worker => 900 + groupid) FROM pg_dist_local_group$$)}), 't', 'a generator on every node');
app($coordinator, "SELECT snowid_generator_create('here', worker => 800)");
app($coordinator, "CREATE TABLE $_ (id bigint PRIMARY KEY DEFAULT snowflake_next('$_'), n bigint);
    SELECT create_distributed_table('$_', 'id', shard_count => 4, colocate_with => 'none'); INSERT INTO $_ (n) VALUES (1)") for 'events',
    'here';
app($coordinator, 'INSERT INTO events (n) SELECT tenant FROM message');
is(makers($coordinator, 'events'), words(map { 900 + app($_, 'SELECT groupid FROM pg_dist_local_group') } @nodes),
    'each node makes ids with the generator that has its number');
all_differ($coordinator, 'events', 'generators');
fails_with($coordinator, 'INSERT INTO here (n) SELECT tenant FROM message', '42704', qr/there is no generator "here"/,
    'a generator of the coordinator alone', dbname => 'app');
is(app($coordinator, $nodes_say), join("\n",
    map { sprintf('warning|node 127.0.0.1:%d has no generator here', $_) } sort map { $_->port } $heir, $third),
    'and snowid_check() says where it is missing');
app($coordinator, "DROP TABLE here; SELECT snowid_generator_drop('here')");
app($third, "SELECT snowid_generator_alter('events', worker => 900)");
is(app($coordinator, $nodes_say),
    sprintf('error|generator events of node 127.0.0.1:%d and generator events of this node can make the same ids: they have the worker id 900', $third->port),
        'two generators with one number are found');
app($third, "SELECT snowid_generator_alter('events', worker => 900 + groupid) FROM pg_dist_local_group");

# the page's own statements
app($coordinator, q{DROP TABLE log, events; SELECT run_command_on_all_nodes('SELECT snowid_generator_drop(''events'')')});
my $page = join('', slurp_file('doc/citus.md') =~ /^```sql citus\n(.*?)^```\n/msg);
like($page, qr/run_command_on_all_nodes/, 'the page has statements');
app($coordinator, $page);
is(app($coordinator, "SELECT string_agg(result, ' ' ORDER BY result)
    FROM run_command_on_all_nodes('SELECT worker FROM _snowid.generator WHERE name = ''events''')"),
    join(' ', sort map { 900 + app($_, 'SELECT groupid FROM pg_dist_local_group') } @nodes), 'they make a generator on each node');
is(app($coordinator, "SELECT string_agg(item, ' ' ORDER BY tenant, item) FROM orders"), 'milk tea tea salt',
    'and the rows that they should');

# a node without a number
$third->adjust_conf('postgresql.conf', 'snowid.worker_id', undef);
$third->reload;
ok($third->poll_query_until('app', "SELECT source = 'default' FROM pg_settings WHERE name = 'snowid.worker_id'"), 'a node has no number');
fails_with($coordinator, $select{repartition}, '55000',
    qr/no worker id is set, but this database is one of several.*HINT:  Set snowid\.worker_id to a number that no other server has/s,
    'makes no ids', dbname => 'app');
like(app($coordinator, $nodes_say), said($third, ': the worker id is 0 because none is set, beside Citus'), 'and snowid_check() says so');

# planted fault: one number by hand
conf('snowid.worker_id = 5', @nodes);
ok($_->poll_query_until('app', "SELECT worker = 5 FROM snowid_worker"), $_->name . ' has number 5') for @nodes;
like(app($coordinator, $nodes_say),
    qr/^error\|node 127.0.0.1:\d+ and node 127.0.0.1:\d+ and this node can make the same ids: they have the worker id 5$/m,
    'one number by hand: snowid_check() says so');
my $found = 0;    # the workers make the ids, and their rows meet in the shards
for (1 .. 20) {
    $coordinator->psql('app', $select{repartition}, stderr => \my $error);
    last if $found = $error =~ /duplicate key value violates unique constraint "by_id_pkey/;
}
ok($found, 'some ids are made twice');
conf('snowid.worker_id = directory', @nodes);

# a node with another layout, without the library, and without the extension
my $odd = citus_server('odd', $coordinator, "snowid.layout = 'twitter'");
conf('snowid.worker_id = 9', $odd);
joins($coordinator, $odd);
like(app($coordinator, $nodes_say), said($odd, ' has the layout \S+, and this node epoch=2024'), 'another layout');
$odd->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'");
$odd->restart;
like(app($coordinator, $nodes_say), said($odd, ': snowflakes and snos cannot be generated, because the library is not loaded'),
    'no library') if $odd->pg_version < 17;
app($odd, 'SET citus.enable_ddl_propagation = off; DROP EXTENSION snowid CASCADE');
like(app($coordinator, $nodes_say), said($odd, ' cannot be asked: ERROR:  schema "_snowid" does not exist'), 'no extension');
$odd->stop('immediate');
like(app($coordinator, $nodes_say), said($odd, ' cannot be asked: failed to connect'), 'no server');
$_->stop('immediate') for @nodes, $one;
done_testing();
