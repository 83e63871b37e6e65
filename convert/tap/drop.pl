# The extension goes when moves are done, and not in the middle of one, unless a session has not loaded the library: then the move
# goes on unharmed, and the extension can be created again. snowid and this extension are in two schemas here.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

# The statements of a plan, as psql's \gexec runs them; without its swap, if so asked.
sub plan {
    my ($arguments, $rest) = (@_, '');
    return "SET client_min_messages = error; SET search_path = public, ids, moves;\n"
        . "SELECT statement FROM snowid_convert_plan($arguments) WHERE statement IS NOT NULL $rest ORDER BY step \\gexec\n";
}
my $unswapped = "AND coalesce(note, '') !~ '^(the|after the) swap'";

$node = new_server('drop', 'client_min_messages = warning');
$node->start;
sql('CREATE ROLE owner LOGIN; CREATE DATABASE app OWNER owner');
$database = 'app';
sql('CREATE SCHEMA ids AUTHORIZATION owner; CREATE SCHEMA moves AUTHORIZATION owner; ALTER SCHEMA public OWNER TO owner');
my @owner = (user => 'owner');
$node->safe_psql('app', 'CREATE EXTENSION snowid SCHEMA ids; CREATE EXTENSION snowid_convert SCHEMA moves', @owner);
is(sql("SELECT string_agg(relnamespace::regnamespace || '.' || relname, ' ' ORDER BY 1)
    FROM pg_class JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'
        JOIN pg_extension AS e ON refobjid = e.oid AND extname = 'snowid_convert' WHERE relkind IN ('r', 'v')"),
    '_snowid_convert.progress moves.snowid_conversions', 'the schema of CREATE EXTENSION has no table of it');
$node->safe_psql('app', <<'SQL', @owner);
CREATE TABLE part (id serial PRIMARY KEY, up int REFERENCES part);
CREATE TABLE guest (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE stay (guest uuid REFERENCES guest);
INSERT INTO part (up) VALUES (1), (1), (2);
INSERT INTO guest SELECT FROM generate_series(1, 10);
INSERT INTO stay SELECT id FROM guest;
SQL

# each way to drop it
fails_with($node, "CALL moves.snowid_convert('part')", '55000', qr/SELECT \* FROM moves\.snowid_convert_plan\('public.part', col => 'id'/,
    'a hint names the schema that it has', dbname => 'app', @owner);
my $refused = qr/cannot be dropped while columns are being converted\nDETAIL:  Second columns are in part\.\nHINT:  .*snowid_convert_plan.*A trigger "~snowid_convert" that is of no conversion can be dropped/;
$node->safe_psql('app', plan("'part', online => true", $unswapped), @owner);
for my $drop ('EXTENSION snowid_convert', 'EXTENSION snowid_convert CASCADE', 'EXTENSION snowid CASCADE', 'SCHEMA moves CASCADE',
    'SCHEMA ids CASCADE', 'EXTENSION plpgsql CASCADE') {
    fails_with($node, "DROP $drop", '55006', $refused, "DROP $drop", dbname => 'app');
}
fails_with($node, 'DO $$ BEGIN DROP EXTENSION snowid_convert; END $$', '55006', $refused, 'in a function', dbname => 'app');
sql('GRANT owner TO CURRENT_USER');
fails_with($node, 'DROP OWNED BY owner CASCADE', '55006', $refused, 'DROP OWNED', dbname => 'app');
sql('CREATE DATABASE like_it TEMPLATE app', 'postgres');
sql('DROP DATABASE like_it', 'postgres');
pass('DROP DATABASE is no matter of it');

# who may not name what it calls drops other things as ever
for my $change ('REVOKE USAGE ON SCHEMA _snowid_convert FROM PUBLIC', 'ALTER SCHEMA _snowid_convert RENAME TO another') {
    sql("CREATE SCHEMA gone AUTHORIZATION owner; $change");
    is(($node->psql('app', 'DROP SCHEMA gone', @owner))[2], '', "DROP SCHEMA after $change");
    fails_with($node, 'DROP EXTENSION snowid_convert', '55006', $refused, "and DROP EXTENSION", dbname => 'app') if $change =~ /REVOKE/;
}
sql('ALTER SCHEMA another RENAME TO _snowid_convert; GRANT USAGE ON SCHEMA _snowid_convert TO PUBLIC');

# in the middle of a statement that was planned before
sql('CREATE DATABASE meanwhile OWNER owner', 'postgres');
$node->safe_psql('meanwhile', 'CREATE EXTENSION snowid; CREATE EXTENSION snowid_convert; CREATE SCHEMA own CREATE TABLE t (id int);
    SELECT FROM snowid_conversions', @owner);
my ($holder, $caller) = map { $node->background_psql('meanwhile', on_error_stop => 0) } 1 .. 2;
$holder->query_safe('SELECT pg_advisory_lock(1)');
$caller->query_until(qr/go/, "\\echo go\nSELECT pg_advisory_lock(1), _snowid_convert.progressed('own.t', 1, 1, 1, now());\n");
$node->poll_query_until('meanwhile', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") or die;
$node->safe_psql('meanwhile', 'DROP EXTENSION snowid_convert', @owner);
$holder->quit;
$caller->quit;
is($node->safe_psql('meanwhile', 'SELECT count(*) FROM own.t'), 0, 'a call that was planned before ends with an error');
unlike(slurp_file($node->logfile), qr/terminated by signal/, 'and nothing else ends');

# when a move is done, also with its old ids beside it; and what is begun again is refused again
$node->safe_psql('app', plan("'part', online => true"), @owner);
$node->safe_psql('app', plan("'guest', online => true, keep => true") x 2, @owner);
is($node->safe_psql('app', "SELECT count(*) FROM moves.snowid_convert_plan('guest', online => true, keep => true)"), 0, 'all is in step');
my $triggers = sql("SELECT string_agg(tgrelid::regclass::text, ' ') FROM pg_trigger WHERE tgname = '~snowid_convert'");
is($triggers, 'stay', 'a trigger keeps old ids');
is(sql("SELECT phase FROM moves.snowid_conversions WHERE \"table\" = 'stay'::regclass"), 'old ids are in step',
    'and snowid_conversions says so');
like(($node->psql('app', 'SET client_min_messages = notice; DROP EXTENSION snowid_convert', @owner))[2],
    qr/^\S*NOTICE:  old ids are still kept beside the new ones of (public\.)?guest\nHINT:  snowid_convert_undo .* again/, 'so does who drops the extension');
is(sql("SELECT count(*) FROM pg_namespace WHERE nspname = '_snowid_convert'"), 0, 'the extension goes when the moves are done');
is(sql(<<'SQL'), "t\nt", 'defaults and the trigger go on without it');
SET search_path = public, ids;
INSERT INTO part DEFAULT VALUES RETURNING id > 1000000;
INSERT INTO guest DEFAULT VALUES;
INSERT INTO stay SELECT id FROM guest ORDER BY id DESC LIMIT 1
    RETURNING snowid_guest = (SELECT uuid FROM guest ORDER BY id DESC LIMIT 1);
SQL
$node->safe_psql('app', 'CREATE EXTENSION snowid_convert SCHEMA moves', @owner);
$node->safe_psql('app', "SET client_min_messages = error; CALL moves.snowid_convert_undo('guest')", @owner);
is(sql("SELECT atttypid::regtype, (SELECT count(*) FROM stay JOIN guest ON guest.id = stay.guest) FROM pg_attribute
    WHERE attrelid = 'guest'::regclass AND attname = 'id'"), 'uuid|11', 'created again, it undoes what the comment of the key says');
$node->stop;

# a session without the library
$node = new_server('not_loaded', "shared_preload_libraries = ''", 'client_min_messages = warning');
$node->start;
$database = 'postgres';
sql('CREATE SCHEMA ids; CREATE SCHEMA moves; CREATE EXTENSION snowid SCHEMA ids; CREATE EXTENSION snowid_convert SCHEMA moves;
    CREATE TABLE part (id serial PRIMARY KEY, up int REFERENCES part); INSERT INTO part (up) VALUES (1), (1)');
my $widen = "'part', target => 'bigserial', online => true";
$node->safe_psql('postgres', plan($widen, "AND note ~ '^second columns'"));
my $step = sql("SET search_path = public, ids, moves; SELECT statement FROM snowid_convert_plan($widen) WHERE note ~ '^the swap'");
$node->safe_psql('postgres', 'DROP EXTENSION snowid_convert', fresh => 1);
sql('INSERT INTO part (up) VALUES (2); UPDATE part SET up = 3 WHERE id = 1');
is(sql('SELECT string_agg(concat_ws(\' \', snowid_id, snowid_up), \',\' ORDER BY id) FROM part'), '1 3,,3 2', 'the move goes on unharmed');
fails_with($node, $step, '3F000', qr/schema "_snowid_convert" does not exist/, 'and its next step says what is missing');
sql('CREATE EXTENSION snowid_convert SCHEMA moves');
$node->safe_psql('postgres', plan($widen));
is(sql("SELECT atttypid::regtype, (SELECT string_agg(concat_ws(' ', id, up), ',' ORDER BY id) FROM part) FROM pg_attribute
    WHERE attrelid = 'part'::regclass AND attname = 'id'"), 'bigint|1 3,2 1,3 2', 'with the extension it goes on');

done_testing();
