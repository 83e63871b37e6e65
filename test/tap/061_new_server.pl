# A server takes over from another one by logical replication, as doc/operations.md says: while writers go on, with partitions that
# both servers make and drop, and with a clock that is behind.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $folder = PostgreSQL::Test::Utils::tempdir();
my @lines = ('wal_level = logical', 'max_worker_processes = 16', 'snowid.clock_drift = 5s', 'snowid.clock_jump = 3d', "timezone = 'UTC'");
my $old = new_server('old', @lines);
my $new = new_server('new', @lines, 'snowid.worker_id = 2');
start_again($_, faked_clock("$folder/" . $_->name)) for $old, $new;
sub clocks { set_clock("$folder/old", $_[0]); set_clock("$folder/new", $_[0] - 2) }
clocks(0);
$_->safe_psql('postgres', 'CREATE DATABASE mydb; CREATE ROLE clerk') for $old, $new;
$old->safe_psql('mydb', <<'SQL');
CREATE EXTENSION snowid;
SELECT snowid_generator_create('orders', worker => 50), snowid_generator_create('past', worker => 51, backfill => true),
    snowid_generator_grant('past', 'clerk'), snowid_seal_key_create(3);
CREATE SCHEMA app;
CREATE TABLE app.message (id bigint PRIMARY KEY DEFAULT snowflake_next(), other uuid DEFAULT uuidv7_next());
CREATE TABLE app.orders (id snowflake PRIMARY KEY DEFAULT snowflake_next('orders'), first bigint DEFAULT snowflake_next());
CREATE TABLE app.log (id bigint PRIMARY KEY DEFAULT snowflake_next(), line text) PARTITION BY RANGE (id);
SELECT snowid_partition('app.log', '1 day', ahead => 1, behind => 3, retain => '2 days', expired => 'drop');
INSERT INTO app.log (id) SELECT snowflake_lower_bound(now() - interval '2 days') + n FROM generate_series(1, 10) AS n;
SQL

# The commands of the page, between these servers.
sub as_the_page_says {
    my ($block) = @_;
    my ($commands) = slurp_file('doc/operations.md') =~ /^```sh \Q$block\E\n(.*?)^```$/ms or BAIL_OUT($block);
    for my $node ($old, $new) {
        my ($name, $host, $port) = ($node->name, $node->host, $node->port);
        $commands =~ s/-h $name\b/-h $host -p $port/g;
        $commands =~ s/host=$name\b/host=$host port=$port/g;
    }
    local @ENV{ 'PGHOST', 'PGPORT' } = ($new->host, $new->port);
    $commands =~ s/>(\w+\.sql)/>$folder\/$1/g;
    my ($out, $err) = run_command([ 'bash', '-e', '-o', 'pipefail', '-c', $commands =~ s/\bpsql\b/psql -XAtq -v ON_ERROR_STOP=1/gr ]);
    unlike($err, qr/error|fatal/i, "$block: no command fails");
}
my %insert = map { $_ => "INSERT INTO app.$_ DEFAULT VALUES RETURNING id" } 'message', 'orders', 'log';
my %file = map { $_ => "$folder/$_" } keys %insert;
sub writers_of {
    my ($node) = @_;
    return map { writer_start($node, $file{$_}, query => $insert{$_}, dbname => 'mydb', committed => 1) } sort keys %insert;
}
my @writers = writers_of($old);
ok(ids_go_on([ values %file ]), 'rows are written before the copy');

as_the_page_says('to the new server');
$new->wait_for_subscription_sync($old, 'upgrade', 'mydb');
clocks(2 * 86400);
$_->safe_psql('mydb', 'CALL snowid_maintain()') for $old, $new;
ok(ids_go_on([ values %file ], more => 50), 'and after it, two days later');
my $parts = 'SELECT partition, starts, ends FROM snowid_partitions(\'app.log\') ORDER BY 2';
my $record = 'SELECT * FROM _snowid.partitioned';
is($new->safe_psql('mydb', "$parts; $record; SELECT count(error) FROM snowid_maintenance"),
    $old->safe_psql('mydb', "$parts; $record; SELECT count(error) FROM snowid_maintenance"), 'both have made and dropped the same');
is($old->safe_psql('mydb', "SELECT count(*) FROM app.log WHERE id < snowflake_lower_bound(now() - interval '3 days')"), 0, 'old rows are gone');
writer_stop(@writers);
$old->wait_for_catchup('upgrade');
my $rows = join('; ', map { "SELECT count(*), count(DISTINCT id), sum(id::bigint) FROM app.$_" } sort keys %insert);
is($new->safe_psql('mydb', $rows), $old->safe_psql('mydb', $rows), 'all rows are there, with their ids');

as_the_page_says('and over to it');
my ($key, $token) = map { $old->safe_psql('mydb', $_) } 'SELECT snowid_seal_key_reveal(3)', "SELECT id_seal(42, 'ord')";
append_to_file("$folder/key", "$key\n");
is($new->safe_psql('mydb', "SELECT snowid_seal_key_create(3, '$folder/key'); SELECT id_unseal('$token', 'ord'), id_seal(42, 'ord') = '$token'"),
    "3\n42|t", 'links open, and are made as before');
$old->stop;
@writers = writers_of($new);
ok(ids_go_on([ values %file ], more => 50), 'rows are written to the new server');
writer_stop(@writers);
check_ids("the table $_", $file{$_}) for sort keys %file;
check_unique('both generators', values %file);
is($new->safe_psql('mydb', "SELECT snowflake_worker(snowflake_next('orders')), snowflake_worker(snowflake_next()), (SELECT count(*)
    FROM _snowid.granted WHERE role = 'clerk')"), '50|2|1', 'the named generator goes on with its number, for whom it was granted');
fails_with($new, "SELECT snowflake_at('2024-05-01Z', 'past')", '55000', qr/last ids of generator "past" may be lost/, 'given times wait',
    dbname => 'mydb');
is($new->safe_psql('mydb', "SELECT snowid_generator_accept('past'); SELECT snowflake_worker(snowflake_at('2024-05-01Z', 'past'))"), "\n51",
    'until somebody says that nothing was lost');
is($new->safe_psql('mydb', "CALL snowid_maintain(); SELECT count(error) FROM snowid_maintenance; SELECT severity, finding
    FROM snowid_check()
    WHERE severity <> 'note' AND subject NOT IN ('clock', 'settings')"), '0', 'nothing is left to do');

# a database of a role that is no superuser, in a service that has no snowid
$new->safe_psql('postgres', 'CREATE ROLE master LOGIN; CREATE DATABASE service OWNER master');
my ($there) = slurp_file('doc/operations.md') =~ /^```sql where there is no snowid\n(.*?)^```$/ms or BAIL_OUT('no block');
$new->safe_psql('service', $there, user => 'master');
$new->safe_psql('mydb', 'ALTER TABLE app.orders ALTER id TYPE bigint');
as_the_page_says('without snowid');
$new->safe_psql('service', slurp_file("$folder/mydb.sql"), user => 'master');
my $last_ids = join(', ', map { "(SELECT max(id) FROM app.$_)" } keys %insert);
my $last = $new->safe_psql('mydb', "SELECT snowflake_time(greatest($last_ids)) + interval '1 ms'");
$new->safe_psql('service', "SELECT snowid.snowid_horizon_advance('$last')", user => 'master');
is($new->safe_psql('service', $rows), $new->safe_psql('mydb', $rows), 'all rows are there');
is($new->safe_psql('service', "WITH last AS (SELECT max(id) AS id FROM app.$_), new AS ($insert{$_}) SELECT new.id > last.id FROM new, last"),
    't', "the default of $_ makes ids above what there is") for sort keys %insert;
is($new->safe_psql('service', 'SELECT count(*) - count(DISTINCT other) FROM app.message'), 0, 'uuids, too');
$new->stop;
done_testing();
