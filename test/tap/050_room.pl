# The tables that a start may have to read in every database have limits, for rows and for pages, however rows come in. Nobody's
# first id waits long because of what the owner of one database has written there.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(time);

my $most = 65536;
$database = 'theirs';
$node = new_server('node', 'autovacuum = off', 'max_prepared_transactions = 5', 'fsync = off');
$node->start;
sql('CREATE ROLE tenant LOGIN; CREATE EXTENSION snowid; CREATE DATABASE theirs OWNER tenant', 'postgres');
my @tenant = (dbname => 'theirs', user => 'tenant');
sub as_tenant { return $node->safe_psql('theirs', $_[0], user => 'tenant'); }
as_tenant('CREATE EXTENSION snowid');
my $too_many =
    qr/the table _snowid.generator has too many rows\n.*DETAIL:  A database can have 65536 generators and past claims.*Here they would be \d+\./;

# Rows of past claims, numbered from the first on.
sub claims {
    my ($first, $count) = @_;
    return "INSERT INTO _snowid.generator (id, scheme, worker, overlap, backfill) SELECT n, 'snowflake', 10 + n % 1000, true, false
        FROM generate_series($first, $first + $count - 1) AS n";
}
my $rows = 'SELECT count(*) FROM _snowid.generator';

# by one statement, of either kind
fails_with($node, claims(1, 70000), '54000', $too_many, 'an INSERT', @tenant);
my $file = PostgreSQL::Test::Utils::tempdir() . '/rows';
append_to_file($file, join('', map { "$_\tsnowflake\t5\tt\tf\n" } 1 .. 70000));
fails_with($node, "\\copy _snowid.generator (id, scheme, worker, overlap, backfill) FROM '$file'", '54000', $too_many, 'a COPY', @tenant);
is(as_tenant($rows), 0, 'nothing of them is left');
as_tenant('VACUUM FULL _snowid.generator');

# by several transactions at once, each of which would have room
my @sessions = map { $node->background_psql('theirs', on_error_stop => 0, extra_params => [ '-U', 'tenant' ]) } 0 .. 1;
$sessions[0]->query_safe('BEGIN; ' . claims(1, 40000));
$sessions[1]->query_until(qr/begun/, "\\echo begun\n" . claims(100000, 40000) . ";\n");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND mode = 'ShareUpdateExclusiveLock'") or die;
$sessions[0]->query_safe('COMMIT');
$sessions[1]->query('SELECT 1');
like($sessions[1]->{stderr}, qr/the table _snowid.generator has too many rows/, 'two sessions at once');
$_->quit for @sessions;
is(as_tenant($rows), 40000, 'one of them has its rows');

# by savepoints and prepared transactions
my $first = 200000;
fails_with($node, 'BEGIN; SAVEPOINT a; ' . claims($first, 20000) . '; RELEASE a; SAVEPOINT b; ' . claims($first + 20000, 20000), '54000',
    $too_many, 'savepoints', @tenant);
as_tenant('BEGIN; SAVEPOINT a; ' . claims($first, 20000) . '; ROLLBACK TO a; ' . claims($first, 20000) . '; COMMIT');
is(as_tenant($rows), 60000, 'what a savepoint takes back does not count');
as_tenant('BEGIN; ' . claims($first + 20000, $most - 60001) . "; PREPARE TRANSACTION 'p'; COMMIT PREPARED 'p'");

# one by one, up to the last
as_tenant("SELECT snowid_generator_create('last', worker => 2)");
is(as_tenant($rows), $most, 'as many as there may be');
fails_with($node, "SELECT snowid_generator_create('one_more', worker => 3)", '54000', $too_many, 'one more by the function', @tenant);
fails_with($node, "SELECT snowid_generator_alter('last', worker => 4)", '54000', $too_many, 'a claim that is given up', @tenant);
fails_with($node, claims(900000, 1), '54000', $too_many, 'one more by INSERT', @tenant);
fails_with($node, claims(900000, 1), '54000', $too_many, 'one more by a superuser', dbname => 'theirs');
fails_with($node, 'MERGE INTO _snowid.generator USING (SELECT 1) AS s ON false WHEN NOT MATCHED THEN INSERT (id, scheme, worker, overlap,
    backfill) VALUES (900000, \'snowflake\', 5, true, false)', '54000', $too_many, 'one more by MERGE', @tenant);
as_tenant("SELECT snowid_generator_alter('last', new_name => 'renamed'); SELECT snowid_generator_revoke('renamed', 'public');
    SELECT snowid_generator_grant('renamed', 'pg_monitor'); SELECT snowflake_next('renamed')");
is(as_tenant($rows), $most, 'what is here can be renamed, granted and used');
my $first_id = sub {
    my ($what) = @_;
    $node->restart;
    my $began = time();
    sql('SELECT snowflake_next()', 'postgres');
    my $took = time() - $began;
    cmp_ok($took, '<', 20, sprintf('%s: another database has its first id after %.2f s', $what, $took));
};
$first_id->('a full table');
command_ok([ 'sh', '-c', sprintf("createdb -h '%s' -p %d -O tenant restored && pg_dump '%s' | psql -qX -U tenant -v ON_ERROR_STOP=1 '%s'",
    $node->host, $node->port, $node->connstr('theirs'), $node->connstr('restored')) ], 'it can be dumped and restored');
is(sql($rows, 'restored'), $most, 'as it was');
is(sql("SELECT restricted, (SELECT string_agg(role, ' ' ORDER BY role COLLATE \"C\") FROM _snowid.granted WHERE generator = name)
    FROM _snowid.generator WHERE name = 'renamed'", 'restored'), 't|pg_monitor tenant', 'with its grants');
as_tenant("SELECT snowid_generator_drop('renamed')");
is(as_tenant($rows), $most, 'what is here can be dropped');
sql('DROP DATABASE restored', 'postgres');

# dead rows: pages count
my $pages = sub { return sql("SELECT pg_relation_size('$_[0]') / 8192") };
my $full = sub {
    my ($table, $has) = @_;
    return qr/the table $table is full\n.*DETAIL:  It has \d+ pages, and it may have $has, because reloads and some starts read all of them\.\n.*HINT:  If rows were changed or rolled back in it, run: VACUUM FULL $table;/;
};
sql('DROP EXTENSION snowid');
as_tenant('CREATE EXTENSION snowid');
sql('ALTER TABLE _snowid.generator ALTER layout SET STORAGE PLAIN');    # so that rows are as large as they look
my $bloat = sub {
    my ($rows) = @_;
    sql("ALTER TABLE _snowid.generator DISABLE TRIGGER USER; BEGIN; INSERT INTO _snowid.generator (id, scheme, layout, worker, overlap,
        backfill) SELECT n, 'snowflake', repeat('x', 2500), 5, true, false FROM generate_series(1, $rows) AS n; ROLLBACK");
    sql(join(';', map { "ALTER TABLE _snowid.generator ENABLE ALWAYS TRIGGER $_" } 'snowid_record_changed', 'snowid_generator_guard',
        'snowid_drop_replicated', 'snowid_generator_added'));
};
$bloat->(11700);
cmp_ok($pages->('_snowid.generator'), '<', 4096, 'dead rows');
as_tenant('BEGIN; ' . claims(1, 1000) . '; ROLLBACK');
fails_with($node, claims(1, 60000), '54000', $full->('_snowid.generator', 4096), 'more of them than pages', @tenant);
my $size = $pages->('_snowid.generator');
fails_with($node, $_, '54000', $full->('_snowid.generator', 4096), 'even one', @tenant) for claims(1, 1),
    "SELECT snowid_generator_create('x', worker => 2)";
is($pages->('_snowid.generator'), $size, 'the table does not grow any more');
$first_id->('dead rows');
as_tenant('VACUUM FULL _snowid.generator');
as_tenant("SELECT snowid_generator_create('x', worker => 2)");
for my $change ("SELECT snowid_generator_alter('x', new_name => 'y')", "SELECT snowid_generator_alter('x', worker => 3)") {
    $bloat->(12400);
    fails_with($node, $change, '54000', $full->('_snowid.generator', 4096), $change, @tenant);
    as_tenant('VACUUM FULL _snowid.generator');
}

# the other tables
sql('ALTER TABLE _snowid.horizon DISABLE TRIGGER USER; BEGIN; INSERT INTO _snowid.horizon SELECT 10, 0, 0, 0, 0, 0
    FROM generate_series(1, 220000); ROLLBACK');
sql(join(';', map { "ALTER TABLE _snowid.horizon ENABLE ALWAYS TRIGGER $_" } 'snowid_horizon_incoming', 'snowid_horizon_added',
    'snowid_record_changed'));
fails_with($node, 'INSERT INTO _snowid.horizon VALUES (11, 0, 0, 0, 0, 0)', '54000', $full->('_snowid.horizon', 2048), 'horizons',
    @tenant);
fails_with($node, 'INSERT INTO _snowid.horizon VALUES (11, 0, 0, 0, 0, 0)', '54000', $full->('_snowid.horizon', 2048),
    'horizons of a superuser', dbname => 'theirs');
fails_with($node, "SELECT snowid_generator_create('z', worker => 9)", '54000', $full->('_snowid.horizon', 2048),
    'horizons of new generators', @tenant);
as_tenant('SELECT snowflake_next()');
fails_with($node, q{INSERT INTO _snowid.layout SELECT layout, now() FROM _snowid.layout, generate_series(1, 2000)}, '54000',
    $full->('_snowid.layout', 16), 'layouts', @tenant);
fails_with($node, 'INSERT INTO _snowid.layout SELECT layout, now() FROM _snowid.layout', '54000', $full->('_snowid.layout', 16),
    'one more', @tenant);
as_tenant("VACUUM FULL $_") for '_snowid.horizon', '_snowid.layout';
as_tenant("INSERT INTO _snowid.layout SELECT layout, now() FROM _snowid.layout; SELECT snowid_generator_create('z', worker => 9)");

$node->stop;
done_testing();
