# Where and by whom the extension can be installed, and where its functions run.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

chomp(my $sharedir = `pg_config --sharedir`);
my $node = new_server('install');
$node->start;

# a database's owner who is no superuser, in a schema of their own, beside things of the same names
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN');
$node->safe_psql('postgres', 'CREATE DATABASE app OWNER owner');
my @owner = (user => 'owner');
$node->safe_psql('app', 'CREATE SCHEMA ids', @owner);
$node->safe_psql('app', 'CREATE EXTENSION snowid SCHEMA ids', @owner);
$node->safe_psql('app', <<'SQL');
CREATE TABLE public.snowid_layout (layout text, recorded timestamptz);
INSERT INTO public.snowid_layout VALUES ('nonsense', '-infinity');
CREATE FUNCTION public.snowflake_next() RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';
SQL
is($node->safe_psql('app', 'SELECT ids.snowflake_next() > 0, ids.snowflake_time(4096) > now(), (SELECT count(*) > 0
    FROM ids.snowid_layouts)', @owner),
    't|f|t', 'by the owner, in a schema of its own');
$node->safe_psql('app', 'CREATE TABLE t (id bigint PRIMARY KEY DEFAULT ids.snowflake_next(), made timestamptz GENERATED ALWAYS
    AS (ids.snowflake_time(id)) STORED)', @owner);
$node->safe_psql('app', 'INSERT INTO t SELECT FROM generate_series(1, 100)', @owner);
fails_with($node, 'ALTER EXTENSION snowid SET SCHEMA public', '0A000', qr/does not support SET SCHEMA/, 'not relocatable', dbname => 'app');
fails_with($node, "UPDATE ids.snowid_layout SET layout = ids.snowid_layout_canonical('js')", '42501', qr/permission denied/,
    'the record is not for the owner to change', dbname => 'app', @owner);

# the extension is the owner's: what the owner adds to it is not taken for the extension's own
$node->safe_psql('app', 'CREATE SCHEMA other', @owner);
$node->safe_psql('app', "CREATE TABLE other.$_ (line text); INSERT INTO other.$_ VALUES ('nonsense');
    ALTER EXTENSION snowid ADD TABLE other.$_", @owner)
    for 'snowid_layout', 'snowid_horizon', 'snowid_generator';
is($node->safe_psql('app', 'SELECT ids.snowflake_next() > 0, count(*) FROM ids.snowid_generator', @owner), 't|0',
    'a table that the owner adds to the extension');
$node->safe_psql('app', "ALTER EXTENSION snowid DROP TABLE other.$_", @owner) for 'snowid_layout', 'snowid_horizon', 'snowid_generator';
$node->safe_psql('app', 'DROP SCHEMA other CASCADE', @owner);

# the owner lets others make generators, and their dump says so
$node->safe_psql('postgres', 'CREATE ROLE maker LOGIN');
$node->safe_psql('app', 'GRANT USAGE ON SCHEMA ids TO maker; GRANT INSERT, UPDATE ON ids.snowid_generator TO maker', @owner);
my @maker = (user => 'maker');
$node->safe_psql('app', "SELECT ids.snowid_generator_create('made', worker => 900)", @maker);
is($node->safe_psql('app', "SELECT ids.snowflake_worker(ids.snowflake_next('made'))", @maker), 900,
    'who was given the privilege makes a generator');
fails_with($node, "SELECT ids.snowid_generator_drop('made')", '42501', qr/permission denied/, 'and has no other', dbname => 'app', @maker);

# the schema gets another name: nothing holds the old one
$node->safe_psql('postgres', 'CREATE DATABASE renamed');
$node->safe_psql('renamed', <<'SQL');
CREATE SCHEMA first_name;
CREATE EXTENSION snowid SCHEMA first_name;
CREATE TABLE parent (id bigint DEFAULT first_name.snowflake_next()) PARTITION BY RANGE (id);
CREATE TABLE of_ulid (id first_name.ulid DEFAULT first_name.ulid_next()) PARTITION BY RANGE (id);
SELECT count(*) FROM first_name.snowid_partition('parent', '1 day');
ALTER SCHEMA first_name RENAME TO "Other ids";
SQL
is($node->safe_psql('renamed', <<'SQL'), '', 'no function, setting, view or constraint names the old schema');
SELECT proname FROM pg_proc WHERE pronamespace IN ('"Other ids"'::regnamespace, '_snowid'::regnamespace) AND concat(prosrc, proconfig,
    pg_get_function_sqlbody(oid)) ~ 'first_name'
    UNION ALL SELECT relname FROM pg_class WHERE relnamespace = '"Other ids"'::regnamespace AND relkind = 'v'
        AND pg_get_viewdef(oid) ~ 'first_name'
    UNION ALL SELECT conname FROM pg_constraint WHERE connamespace = '"Other ids"'::regnamespace
        AND pg_get_constraintdef(oid) ~ 'first_name';
SQL
is($node->safe_psql('renamed', <<'SQL'), "4\n5\n4\n0\nt\n25", 'and all works by the new one');
SET search_path = "Other ids", public;
INSERT INTO parent SELECT FROM generate_series(1, 10);
SELECT count(*) FROM "Other ids".snowid_partitions('parent') WHERE ends > starts;
SELECT count(*) FROM "Other ids".snowid_partition('parent', '1 day', ahead => 8);
SELECT count(*) FROM "Other ids".snowid_partition('of_ulid', '1 month');
SELECT count(*) FROM "Other ids".snowid_partition('parent', '1 day', ahead => 8, retain => '1 year');
INSERT INTO of_ulid DEFAULT VALUES;
SELECT count(*) = 10 FROM parent WHERE id::"Other ids".snowflake > now() - interval '1 minute';
SELECT count(*) * 25 FROM of_ulid WHERE id < now() + interval '1 minute';
SELECT "Other ids".snowid_catalog_update();
SELECT finding FROM "Other ids".snowid_check() WHERE subject = 'none';
SQL
is($node->safe_psql('renamed', 'DELETE FROM "Other ids".snowid_layout; DELETE FROM "Other ids".snowid_horizon;
    SELECT what_to_do FROM "Other ids".snowid_check() WHERE subject IN (\'layout\', \'horizon\') ORDER BY 1'),
    join("\n", 'As a superuser, insert the layout of its ids: INSERT INTO "Other ids".snowid_layout '
            . 'VALUES ("Other ids".snowid_layout_canonical(\'default\'), now());',
        ('As a superuser, run: SELECT "Other ids".snowid_horizon_advance(now());') x 2), 'what to do is said with the new one');
fails_with($node, 'SELECT "Other ids".snowflake_time(1)', '55000', qr/HINT:.*INSERT INTO "Other ids".snowid_layout/, 'and so are hints',
    dbname => 'renamed');
$node->safe_psql('renamed', q(INSERT INTO "Other ids".snowid_layout VALUES ("Other ids".snowid_layout_canonical('default'), now());
    SELECT "Other ids".snowid_horizon_advance(now());
    SELECT "Other ids".snowid_layout_change('default'); SELECT "Other ids".snowflake_next()));

# an owner's own type, functions and members of the extension are not taken for the extension's
$node->safe_psql('postgres', 'CREATE DATABASE trapped OWNER owner');
my $trap = q(LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped'; END $$);
$node->safe_psql('trapped', 'CREATE EXTENSION snowid', @owner);
$node->safe_psql('trapped', <<"SQL", @owner);
CREATE DOMAIN trap AS bigint;
CREATE FUNCTION trap_lower_bound(timestamptz) RETURNS bigint $trap;
CREATE FUNCTION trap_time(trap) RETURNS timestamptz $trap;
CREATE FUNCTION snowflake_time(snowflake) RETURNS timestamptz $trap;
ALTER EXTENSION snowid ADD DOMAIN trap;
ALTER EXTENSION snowid ADD FUNCTION trap_lower_bound(timestamptz);
CREATE TABLE by_trap (id trap) PARTITION BY RANGE (id);
CREATE TABLE by_snowflake (id snowflake) PARTITION BY RANGE (id);
SQL
fails_with($node, "SELECT $_('by_trap'" . ($_ =~ /s$/ ? '' : ", '1 day'") . ')', '42809', qr/not partitioned by the range of an id/,
    "$_ by a type of the owner's", dbname => 'trapped')
    for 'snowid_partition', 'snowid_partitions';
is($node->safe_psql('trapped', q(SELECT count(*) FROM snowid_partition('by_snowflake', '1 day');
    SELECT count(starts) FROM snowid_partitions('by_snowflake'))), "4\n4",
    'a function of the owner\'s beside the one that is meant');

# a dump takes the layout along, to a server with another setting, and can be taken and restored by the owner
$node->safe_psql('app', 'DROP FUNCTION public.snowflake_next(); DROP TABLE public.snowid_layout');
my $dump = PostgreSQL::Test::Utils::tempdir() . '/app.sql';
command_ok([ 'pg_dump', '-U', 'owner', '-h', $node->host, '-p', $node->port, '-f', $dump, 'app' ], 'the owner can dump');
my $target = new_server('target', "snowid.layout = 'wide'");
$target->start;
$target->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE maker LOGIN');
$target->safe_psql('postgres', 'CREATE DATABASE app OWNER owner');
command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-h', $target->host, '-p', $target->port, '-d', 'app', '-f', $dump ],
    'and restore');
is($target->safe_psql('app', 'SELECT count(*), bool_and(made = ids.snowflake_time(id)) FROM t'), '100|t',
    'restored ids tell the same time');
fails_with($target, 'INSERT INTO t DEFAULT VALUES', '55000', qr/does not generate snowflakes of this database's layout/,
    'a restore keeps its layout', dbname => 'app');
$target->stop;

# Overloads that an owner has planted into the schema beforehand are not called by what the extension runs and makes: its
# script runs as a superuser, and its functions as whoever calls them.
my ($version) = slurp_file("$sharedir/extension/snowid.control") =~ /default_version = '(.*)'/;
$node->safe_psql('postgres', 'CREATE DATABASE planted OWNER owner');
$node->safe_psql('planted', 'CREATE SCHEMA ids', @owner);
{
    local $ENV{SNOWID_SCRIPT} = "$sharedir/extension/snowid--$version.sql";
    command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', 'owner', '-h', $node->host, '-p', $node->port, '-d', 'planted', '-f',
        'test/tap/planted.sql' ],
        'an owner plants overloads');
}
cmp_ok($node->safe_psql('planted', "SELECT count(*) FROM pg_proc WHERE pronamespace = 'ids'::regnamespace"), '>', 1000, 'many of them');
$node->safe_psql('planted', 'CREATE EXTENSION snowid SCHEMA ids', @owner);
is($node->safe_psql('planted', slurp_file('test/tap/bound.sql')), '', 'nothing of the extension is bound to them');
is($node->safe_psql('planted', <<'SQL'), 'created', 'nor does it call them when it runs');
SET search_path = ids;
CREATE TABLE t (id bigint) PARTITION BY RANGE (id);
SELECT action FROM snowid_partition('t', '1 day', ahead => 0) UNION ALL SELECT subject FROM snowid_check() WHERE subject = 'none';
SQL
is($node->safe_psql('planted', 'SELECT count(*) FROM ids.snowid_horizon'), 2, 'nor when it is installed');
for my $path ('ids', 'ids, pg_catalog') {
    is($node->safe_psql('planted', <<"SQL"), "bigint bigint", "nor when it converts, by search_path $path");
SET client_min_messages = error;
SET search_path = $path;
CREATE TABLE c (id serial PRIMARY KEY, up int REFERENCES c);
CREATE TABLE o (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, up bigint REFERENCES o);
INSERT INTO o DEFAULT VALUES;
CALL ids.snowid_convert('c', rewrite => true);
\\o /dev/null
SELECT statement FROM ids.snowid_convert_plan('o', online => true) WHERE statement IS NOT NULL ORDER BY step \\gexec
\\o
CALL ids.snowid_convert('c', target => 'bigserial');
SET search_path = pg_catalog;
SELECT string_agg(atttypid::regtype::text, ' ') FROM pg_attribute WHERE attrelid IN ('ids.c'::regclass, 'ids.o'::regclass)
    AND attname = 'id';
DROP TABLE ids.c, ids.o;
SQL
}

# on a standby nothing is generated, and everything else works
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
fails_with($standby, 'SELECT ids.snowflake_next()', '25006', qr/cannot generate ids during recovery/, 'on a standby', dbname => 'app');
is($standby->safe_psql('app', 'SELECT count(*) FROM t WHERE made = ids.snowflake_time(id)'), '100', 'a standby reads ids');
my $session = $standby->background_psql('app', on_error_stop => 0);
$session->query('SELECT ids.snowflake_next()');
like($session->{stderr}, qr/during recovery/, 'a session is refused');
$session->{stderr} = '';
$node->stop;
$standby->promote;
cmp_ok($session->query_safe('SELECT ids.snowflake_next()'), '>', 0, 'after its promotion a session that was refused generates');
$session->quit;

$standby->safe_psql('app', 'DROP EXTENSION snowid CASCADE');
$standby->safe_psql('app', 'CREATE EXTENSION snowid');
cmp_ok($standby->safe_psql('app', 'SELECT snowflake_next()'), '>', 0, 'dropped and created again');

done_testing();
