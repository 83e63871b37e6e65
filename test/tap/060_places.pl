# A session finds the extension's tables where another one has found them, and none uses a table that is not the extension's any more, or
# of another database: whatever was done, new sessions read the recorded layout, have their ids below the horizon, and make those of a named
# generator with its number.
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
my ($oid, $worker, $schema) = (70000, 100);

# The first new session may find places that are out of date, the second one those that the first one has found.
sub follows {
    my ($what) = @_;
    my $recorded = "(SELECT layout FROM $schema.snowid_layout ORDER BY recorded LIMIT 1)";
    my ($read, $meant) = map { "$schema.snowflake_time(1e17::bigint$_)" } '', ", $recorded";
    for my $session ('a new session', 'the next one') {
        sleep(0.02);
        my $said = sql(<<"END");
SELECT 'its layout: ' || ($read = $meant);
SELECT $recorded = $schema.snowid_layout_canonical('default') AS is_default \\gset
\\if :is_default
SELECT $schema.snowflake_next() AS id, $schema.snowflake_next('named') AS named \\gset
SELECT 'below the horizon: ' || (max(horizon) > 1e9 * extract(epoch FROM $schema.snowflake_time(:id)))
FROM $schema.snowid_horizon WHERE generator = 0;
SELECT 'the generator''s number: ' || ($schema.snowflake_worker(:named) = worker) FROM $schema.snowid_generator WHERE name = 'named';
\\endif
END
        like($said, qr/^its layout: true(\nbelow the horizon: true\nthe generator's number: true)?$/, "$what: $session follows");
    }
    return;
}

sub create_named { sql("SELECT $schema.snowid_generator_create('named', worker => " . ++$worker . ')'); return; }

sub create_extension {
    $schema = 's' . int(rand(1e6));
    sql("CREATE SCHEMA $schema; CREATE EXTENSION snowid SCHEMA $schema");
    my $others = rand() < 0.5 ? 150 : 0;    # so that its row is not in the table's first page
    sql("SELECT count($schema.snowid_generator_create('other' || i, worker => 1, overlap => true)) FROM generate_series(1, $others) i");
    create_named();
    return;
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
    'tables are rewritten' => sub { sql("VACUUM FULL $schema.$_") for qw(snowid_layout snowid_horizon snowid_generator) },
    'the generator is another one' => sub { sql("SELECT $schema.snowid_generator_drop('named')"); create_named() },
    'the generator of that name is another one' => sub {
        sql("SELECT $schema.snowid_generator_alter('named', new_name => 'was_$worker')");
        create_named();
    },
    'the creation of another one is rolled back' => sub {
        sql("BEGIN; SELECT $schema.snowid_generator_drop('named'); SELECT $schema.snowid_generator_create('named', worker => 7); ROLLBACK");
    },
    'rows of catalogues have moved' => sub {
        sql("UPDATE pg_extension SET extname = extname; UPDATE pg_depend SET deptype = deptype WHERE deptype = 'e';
            UPDATE pg_class SET relname = relname WHERE relname ~ '^snowid_' OR oid IN ('pg_depend'::regclass, 'pg_extension'::regclass)");
    },
    'another layout is recorded' => sub { record(rand() < 0.5 ? 'twitter' : 'default') },
    'an older record is added' => sub {
        sql("INSERT INTO $schema.snowid_layout VALUES ($schema.snowid_layout_canonical('twitter'), '1999-01-01')");
    },
    'a newer record is added' => sub {
        sql("INSERT INTO $schema.snowid_layout VALUES ($schema.snowid_layout_canonical('twitter'), '2999-01-01')");
    },
    'the table of the layout is another one' =>
        sub { replace_table('snowid_layout', "UPDATE $schema.snowid_layout SET layout = $schema.snowid_layout_canonical('twitter')") },
    'the table of horizons is another one' => sub { replace_table('snowid_horizon', 'SELECT 1') },
    'the table of generators is another one' =>
        sub { replace_table('snowid_generator', "UPDATE $schema.snowid_generator SET worker = 1023 - worker") },
    'the database is another one with its OID' => sub { sql('DROP DATABASE used', 'postgres'); create_database(); },
    'the database is a copy of it with its remainder' => sub {
        sql('ALTER DATABASE used RENAME TO was', 'postgres');
        $oid += 256;
        sql("CREATE DATABASE used TEMPLATE was OID $oid", 'postgres');
        sql('DROP DATABASE was', 'postgres');
        record('twitter');
    },
    'the database is another one with its remainder' => sub { sql('DROP DATABASE used', 'postgres'); $oid += 256; create_database(); },
);

create_database();
follows('at first');
my @order = map { sort { rand() <=> 0.5 } sort keys %deeds } 1 .. 2;
for my $deed (@order) {
    $deeds{$deed}->();
    follows($deed);
    record('default');
    sql("DELETE FROM $schema.snowid_layout WHERE NOT recorded BETWEEN '2000-01-01' AND '2900-01-01'");
    follows("after that, $deed");
}

# What a session has found is somebody else's row now. A row takes a place that was freed for it only if there is some more room there.
sub row_of { my ($table) = @_; return "SELECT ctid FROM pg_class WHERE oid = '$schema.$table'::regclass" }

sub membership_of {
    my ($table) = @_;
    return "SELECT ctid FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_class'::regclass AND objid = '$schema.$table'::regclass";
}

# Frees the place, and writes the other row again and again until it is there.
sub reuse {
    my ($catalogue, $row, $free, $write, $other, $undo) = @_;
    sql("VACUUM FULL $catalogue");
    follows("$catalogue is rewritten");
    my $place = sql($row);
    sql($free);
    sql("VACUUM (INDEX_CLEANUP on) $catalogue");
    sql("DO \$\$ BEGIN FOR n IN 1..500 LOOP $write; EXIT WHEN ($other) = '$place'; $undo; END LOOP; END \$\$");
    is(sql($other), $place, "a place in $catalogue is another row's");
    return;
}

sub misses {
    my ($table, $what) = @_;
    fails_with($node, "SELECT $schema.snowflake_next()", '55000', qr/has lost its table "$table"/, $what, dbname => $database);
    return;
}

my $some = 'pg_monitor, pg_read_all_data, pg_write_all_data, pg_read_all_settings, pg_read_all_stats, pg_signal_backend';
sql("CREATE TABLE $schema.other ()");
for my $table (qw(snowid_layout snowid_horizon)) {
    my ($ours, $alter) = ("$schema.$table", "ALTER EXTENSION snowid");
    my $free = "REVOKE ALL ON $ours FROM $some; ALTER TABLE $ours RENAME TO was";

    sql("GRANT SELECT ON $ours TO $some");
    reuse('pg_class', row_of($table), $free, "CREATE TABLE $ours ()", row_of($table), "DROP TABLE $ours");
    misses($table, "another table at the place of $table");
    sql("DROP TABLE $ours; ALTER TABLE $schema.was RENAME TO $table; GRANT SELECT ON $ours TO $some");

    my $table_oid = sql("SELECT '$ours'::regclass::oid");
    reuse('pg_class', row_of($table), $free, "EXECUTE format('ALTER TABLE %s RENAME TO was_%s', $table_oid\:\:regclass, n)",
        "SELECT ctid FROM pg_class WHERE oid = $table_oid", 'NULL');
    misses($table, "$table at its place, with another name");
    sql("SELECT format('ALTER TABLE %s RENAME TO %s', $table_oid\:\:regclass, '$table') \\gexec\n$alter DROP TABLE $ours; $alter ADD TABLE $ours; $alter ADD TABLE $schema.other");

    reuse('pg_depend', membership_of($table), "$alter DROP TABLE $ours; $alter DROP TABLE $schema.other",
        "$alter ADD TABLE $schema.other", membership_of('other'), "$alter DROP TABLE $schema.other");
    misses($table, "the membership of another table at the place of that of $table");
    sql("$alter DROP TABLE $schema.other; $alter ADD TABLE $ours");
    follows('it is a member again');
}

# A record that cannot be read at its place has the error of those who read the table.
sql("ALTER TABLE $schema.$_ DISABLE TRIGGER ALL") for qw(snowid_generator snowid_horizon);
sql("INSERT INTO $schema.snowid_generator (id, name, scheme, layout, worker, overlap, backfill)
    VALUES (1e6, 'odd', 'snowflake', 'odd', 90, false, false);
    INSERT INTO $schema.snowid_horizon SELECT 1e6, horizon, clock_offset, boot, server, timeline, safe, drifts
    FROM $schema.snowid_horizon WHERE generator = 0");
fails_with($node, "SELECT $schema.snowflake_next('odd')", '22023', qr/invalid snowflake layout "odd"/, 'a record without a layout',
    dbname => $database);
done_testing();
