# A session finds the extension's tables where another one has found them, and none uses a table that is not the extension's any more, or
# of another database: whatever was done, new sessions read the recorded layout and have their ids below the horizon.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

seed();
$node = new_server('places', 'autovacuum = off', "snowid.reserve = '10ms'", 'allow_system_table_mods = on');
$node->start;
$database = 'used';
my ($oid, $schema) = (70000);

# The first new session may find places that are out of date, the second one those that the first one has found.
sub follows {
    my ($what) = @_;
    for my $session ('a new session', 'the next one') {
        my $recorded = "(SELECT layout FROM $schema.snowid_layout ORDER BY recorded LIMIT 1)";
        my ($read, $meant) = map { "$schema.snowflake_time(1e17::bigint$_)" } '', ", $recorded";
        is(sql("SELECT $read = $meant"), 't', "$what: $session reads the layout");
        next if sql("SELECT $recorded <> $schema.snowid_layout_canonical('default')") eq 't';
        sleep(0.02);
        my $id = sql("SELECT $schema.snowflake_next()");
        my $is_below = "max(horizon) > 1e9 * extract(epoch FROM $schema.snowflake_time($id))";
        is(sql("SELECT $is_below FROM $schema.snowid_horizon WHERE generator = 0"), 't', "$what: its id is below the horizon");
    }
}

sub create_extension {
    $schema = 's' . int(rand(1e6));
    sql("CREATE SCHEMA $schema; CREATE EXTENSION snowid SCHEMA $schema");
}

sub create_database {
    sql("CREATE DATABASE used OID $oid", 'postgres');
    create_extension();
}

sub record {
    my ($layout) = @_;
    sql("UPDATE $schema.snowid_layout SET layout = $schema.snowid_layout_canonical('$layout')");
}

# Another table takes the name, the rows and the membership of one of ours.
sub replace_table {
    my ($name, $change) = @_;
    my $was = "$schema.was_" . int(rand(1e9));
    sql("BEGIN; ALTER TABLE $schema.$name RENAME TO " . $was =~ s/.*\.//r . "; CREATE TABLE $schema.$name (LIKE $was INCLUDING ALL);
        INSERT INTO $schema.$name TABLE $was; $change;
        ALTER EXTENSION snowid DROP TABLE $was; ALTER EXTENSION snowid ADD TABLE $schema.$name; COMMIT");
}

my %deeds = (
    'the extension is created again' => sub { sql("DROP EXTENSION snowid CASCADE"); create_extension() },
    'it is created again where the old tables stay' => sub {
        my $was = $schema;
        sql(join('; ', map { "ALTER EXTENSION snowid DROP TABLE $was.$_" } qw(snowid_layout snowid_horizon)));
        sql("DROP EXTENSION snowid CASCADE");
        create_extension();
        sql("UPDATE $was.snowid_layout SET layout = 'epoch=2020-01-01'");
    },
    'its creation is rolled back' => sub {
        sql("BEGIN; DROP EXTENSION snowid CASCADE; CREATE SCHEMA other; CREATE EXTENSION snowid SCHEMA other; SELECT other.snowflake_time(1); ROLLBACK");
    },
    'its schema has another name' => sub { sql("ALTER SCHEMA $schema RENAME TO r$schema"); $schema = "r$schema" },
    'catalogues are rewritten' => sub { sql("VACUUM FULL $_") for qw(pg_class pg_depend pg_extension) },
    'tables are rewritten' => sub { sql("VACUUM FULL $schema.$_") for qw(snowid_layout snowid_horizon) },
    'rows of catalogues have moved' => sub {
        sql("UPDATE pg_extension SET extname = extname; UPDATE pg_depend SET deptype = deptype WHERE deptype = 'e';
            UPDATE pg_class SET relname = relname WHERE relname ~ '^snowid_' OR oid IN ('pg_depend'::regclass, 'pg_extension'::regclass)");
    },
    'another layout is recorded' => sub { record(rand() < 0.5 ? 'twitter' : 'default') },
    'an older record is added' => sub {
        sql("INSERT INTO $schema.snowid_layout VALUES ($schema.snowid_layout_canonical('twitter'), '1999-01-01')");
    },
    'the table of the layout is another one' =>
        sub { replace_table('snowid_layout', "UPDATE $schema.snowid_layout SET layout = $schema.snowid_layout_canonical('twitter')") },
    'the table of horizons is another one' => sub { replace_table('snowid_horizon', 'SELECT 1') },
    'the database is another one with its OID' => sub { sql('DROP DATABASE used', 'postgres'); create_database(); },
    'the database is another one with its remainder' => sub { sql('DROP DATABASE used', 'postgres'); $oid += 256; create_database(); },
);

create_database();
follows('at first');
my @order = map { sort { rand() <=> 0.5 } sort keys %deeds } 1 .. 2;
for my $deed (@order) {
    $deeds{$deed}->();
    follows($deed);
    record('default');
    sql("DELETE FROM $schema.snowid_layout WHERE recorded < '2000-01-01'");
    follows("after that, $deed");
}

# A table that is the extension's no more is missed.
sql("ALTER EXTENSION snowid DROP TABLE $schema.snowid_horizon");
fails_with($node, "SELECT $schema.snowflake_next()", '55000', qr/has lost its table "snowid_horizon"/, 'a table that is no member',
    dbname => $database);
sql("ALTER EXTENSION snowid ADD TABLE $schema.snowid_horizon");
follows('it is a member again');
done_testing();
