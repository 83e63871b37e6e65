# What a start reads of the extension's tables in any database, in whatever form rows are stored there. It sees every
# claim and every horizon. If it cannot read one, no id is made with a number that may be claimed, and the log names the
# row, the table and the database. A reload reads the same as a start, so most of this is asked by reloads.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$database = 'forms';
$node = Server->new('node');
$node->init(extra => ['--data-checksums']);
$node->append_conf('postgresql.conf',
    "shared_preload_libraries = 'snowid'\nsnowid.worker_id = 1\nmax_prepared_transactions = 5\nautovacuum = off\nfull_page_writes = off");
$node->start;
sql('CREATE ROLE tenant LOGIN; CREATE DATABASE forms OWNER tenant', 'postgres');
sql('CREATE EXTENSION snowid', 'postgres');
$node->safe_psql('forms', 'CREATE EXTENSION snowid', user => 'tenant');
my $space = PostgreSQL::Test::Utils::tempdir();
sql("CREATE TABLESPACE space LOCATION '$space'", 'postgres');

# Runs a statement without the extension's triggers: rows as an early version stored them, or as nobody should.
sql(q{CREATE FUNCTION unguarded(command text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    t record;
BEGIN
    FOR t IN SELECT tgrelid::regclass AS of_table FROM pg_trigger WHERE tgname IN ('snowid_generator_guard', 'snowid_horizon_added',
        'snowid_layout_incoming') LOOP
        EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', t.of_table);
    END LOOP;
    EXECUTE command;
    FOR t IN SELECT tgrelid::regclass AS of_table, tgname FROM pg_trigger WHERE tgenabled = 'D' LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.of_table, t.tgname);
    END LOOP;
END $$});
sub unguarded { return sql("SELECT unguarded(\$snowid\$$_[0]\$snowid\$)"); }

# What the log says about a reload that asks for the number.
sub reload_with {
    my ($number) = @_;
    my $log = -s $node->logfile;
    $node->adjust_conf('postgresql.conf', 'snowid.worker_id', $number);
    $node->reload;
    $node->wait_for_log(qr/snowid: the worker (is|stays)|snowid cannot|invalid page/, $log);
    return substr(slurp_file($node->logfile), $log);
}

sub is_claimed {
    my ($number, $name, $what) = @_;
    my $said = reload_with($number);
    like($said, qr/the worker stays 1, because generator "\Q$name\E" of database "forms" has $number\b/, "$what: the claim is seen");
    reload_with(1) if $said =~ /the worker is/;
}

my $number = 100;
my %layout = (plain => "'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12'",
    long => "'epoch=2024-01-01,tick=1ms,time=41,aaaaaaaaaaaaaaa=2,aaaaaaaaaaaaaab=2,aaaaaaaaaaaaaac=2,aaaaaaaaaaaaaad=2,aaaaaaaaaaaaaae=2,sequence=12'");

# A generator whose values are SQL expressions. It has a horizon.
sub stored_generator {
    my (%of) = @_;
    ++$number;
    unguarded("INSERT INTO snowid_generator (id, name, scheme, layout, worker, overlap, backfill) SELECT $number, " .
        ($of{name} // "'g$number'") . ', ' . ($of{scheme} // "'snowflake'") . ', ' . ($of{layout} // 'NULL') .
        ", $number, false, false FROM " . ($of{from} // 'generate_series(1, 1)'));
    unguarded("INSERT INTO snowid_horizon VALUES ($number, 1700000000000000000, 0, 0, 0, 0, 0, 0)") unless $of{lost};
    return $number;
}

# values that are compressed in their rows
sql(q{CREATE TABLE wide (method text, value text, pad text); ALTER TABLE wide ALTER method SET STORAGE PLAIN, ALTER value SET STORAGE MAIN,
    ALTER pad SET STORAGE PLAIN});
my @methods = split /\n/, sql(q{SELECT unnest(enumvals) FROM pg_settings WHERE name = 'default_toast_compression'});
for my $method (@methods) {
    for my $column ('name', 'layout') {
        my $value = $column eq 'name' ? "repeat('$method', 12)" : $layout{long};
        sql("SET default_toast_compression = $method; INSERT INTO wide VALUES ('$method $column', $value, repeat('x', 3000))");
        my $name = $column eq 'name' ? $method x 12 : 'g' . ($number + 1);
        stored_generator($column => 'value', from => "wide WHERE method = '$method $column'");
        is(sql("SELECT pg_column_compression($column) FROM snowid_generator WHERE id = $number"), $method,
            "a $column that $method has compressed");
        is_claimed($number, $name, "a $column that $method has compressed");
    }
}

# values that mean nothing, or are longer than anything that could mean something
sql(q{ALTER TABLE snowid_generator ALTER name SET STORAGE EXTENDED, ALTER scheme SET STORAGE EXTENDED, ALTER layout SET STORAGE EXTENDED});
is_claimed(stored_generator(name => "repeat('long', 20)"), substr('long' x 20, 0, 63), 'a name that is too long');
my $random = q{(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 80) AS n)};
is_claimed(stored_generator(name => "'scheme'", scheme => $random), 'scheme', 'a scheme of 2560 bytes, stored elsewhere');
is_claimed(stored_generator(name => "'layout'", layout => $random), 'layout', 'a layout of 2560 bytes, stored elsewhere');
is_claimed(stored_generator(name => $random), '?', 'a name of 2560 bytes, stored elsewhere');
is_claimed(stored_generator(name => "'odd'", scheme => "'odd'"), 'odd', 'a scheme that there is not');
is(sql("SELECT snowflake_worker(snowflake_next('odd'))"), $number, 'because it makes snowflakes');
is_claimed(stored_generator(layout => "'odd'"), "g$number", 'a layout that is none');
unguarded(q{DELETE FROM snowid_generator WHERE layout !~ '^epoch'});

# a generator whose horizon is lost
my $log = -s $node->logfile;
is_claimed(stored_generator(lost => 1), "g$number", 'a generator without a horizon');
like(substr(slurp_file($node->logfile), $log),
    qr/WARNING:  snowid: the database "forms" has lost the record of how far.*\n.*DETAIL:  The table snowid_horizon has no row for 1 of its generators. The first has the number $number\./,
    'which the log says');
unguarded("DELETE FROM snowid_generator WHERE id = $number");

# rows that transactions have touched, and are touching
my @of = map { stored_generator() } 0 .. 11;
unguarded("UPDATE snowid_generator SET sequence_max = 4095 WHERE id = $of[0]");
sql("BEGIN; SELECT unguarded('UPDATE snowid_generator SET worker = 900 WHERE id = $of[1]'); ROLLBACK");
sql("BEGIN; SELECT unguarded('DELETE FROM snowid_generator WHERE id = $of[2]'); ROLLBACK");
sql("BEGIN; SAVEPOINT s; SELECT unguarded('UPDATE snowid_generator SET worker = 900 WHERE id = $of[3]'); ROLLBACK TO s; COMMIT");
sql("BEGIN; SAVEPOINT s; SELECT unguarded('UPDATE snowid_generator SET sequence_max = 4095 WHERE id = $of[4]'); RELEASE s; COMMIT");
sql("BEGIN; SELECT FROM snowid_generator WHERE id = $of[5] FOR UPDATE; PREPARE TRANSACTION 'locked'");
my @sessions = map { $node->background_psql('forms') } 0 .. 2;
$_->query_safe('BEGIN') for @sessions;
$_->query_safe("SELECT FROM snowid_generator WHERE id = $of[6] FOR KEY SHARE") for @sessions;
$sessions[0]->query_safe("SELECT FROM snowid_generator WHERE id = $of[7] FOR UPDATE");
is_claimed($of[5], "g$of[5]", 'a row that a prepared transaction has locked');
is_claimed($of[6], "g$of[6]", 'a row that three sessions have locked');
is_claimed($of[7], "g$of[7]", 'a row that a session has locked');
$_->query_safe('ROLLBACK') for @sessions;
$_->quit for @sessions;
sql("ROLLBACK PREPARED 'locked'");
sql("ALTER TABLE snowid_generator DISABLE TRIGGER USER");
sql("BEGIN; UPDATE snowid_generator SET worker = 900 WHERE id = $of[8]; PREPARE TRANSACTION 'updated'");
my $deleter = $node->background_psql('forms');
$deleter->query_safe("BEGIN; DELETE FROM snowid_generator WHERE id = $of[9]");
my %touched = (0 => 'an updated row', 1 => 'an update that was rolled back', 2 => 'a deletion that was rolled back',
    3 => 'an update that a savepoint took back', 4 => 'an update in a savepoint',
    8 => 'an update that is prepared', 9 => 'a deletion that is not committed');
is_claimed($of[$_], "g$of[$_]", $touched{$_}) for sort keys %touched;
$deleter->query_safe('ROLLBACK');
$deleter->quit;
sql("ROLLBACK PREPARED 'updated'");
unguarded("UPDATE snowid_generator SET sequence_max = NULL");
is_claimed($of[0], "g$of[0]", 'a new version of every row');

# files that were written anew
my %anew = (
    1 => 'VACUUM FREEZE snowid_generator; VACUUM FREEZE snowid_horizon',
    2 => 'VACUUM FULL snowid_generator; VACUUM FULL snowid_horizon; VACUUM FULL snowid_layout',
    3 => 'ALTER TABLE snowid_generator SET TABLESPACE space; ALTER TABLE snowid_horizon SET TABLESPACE space',
    4 => 'CLUSTER snowid_generator USING snowid_generator_id',
    5 => 'VACUUM FULL pg_class; VACUUM FULL pg_extension; VACUUM FULL pg_attribute',
    6 => 'ALTER TABLE snowid_horizon ALTER boot TYPE numeric; ALTER TABLE snowid_horizon ALTER boot TYPE bigint',
);
for my $i (sort keys %anew) {
    sql($_) for split /; /, $anew{$i};
    is_claimed($of[$i], "g$of[$i]", $anew{$i});
}

# tables that somebody has extended, and others of the same name
sql("ALTER TABLE $_ ADD remark text") for 'snowid_generator', 'snowid_horizon', 'snowid_layout';
is_claimed($of[7], "g$of[7]", 'rows from before a column was added');
is_claimed(stored_generator(), "g$number", 'a row from after it was added, in which it is NULL');
sql("SELECT snowid_generator_create('beside', worker => 950); SELECT snowid_generator_grant('beside', 'tenant'), snowflake_next('beside')");
is_claimed(950, 'beside', 'one that was made beside it');
sql("ALTER TABLE $_ DROP remark") for 'snowid_generator', 'snowid_horizon', 'snowid_layout';
is_claimed($of[8], "g$of[8]", 'and when it was dropped');
$node->safe_psql('forms', 'CREATE SCHEMA mine; CREATE UNLOGGED TABLE mine.snowid_horizon (x text);
    CREATE TABLE mine.snowid_generator (x numeric); INSERT INTO mine.snowid_generator VALUES (0.1);
    CREATE VIEW mine.snowid_layout AS SELECT 1 AS x', user => 'tenant');
is_claimed($of[9], "g$of[9]", 'beside tables of the same names in another schema');

# what cannot be read is named, and the number does not change
my $own = stored_generator(name => "repeat('x', 2500)", layout => $layout{long});
sub is_named {
    my ($what, $like, $break, $mend) = @_;
    $break->();
    my $said = reload_with(900);
    like($said, $like, "$what: the log says so");
    is(sql('SELECT snowflake_worker(snowflake_next())', 'postgres'), 1, "$what: the number stays");
    $mend->();
    ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 900'), "$what: mended, what was asked for is so");
    like(reload_with($of[0]), qr/the worker stays 900, because generator "g$of[0]"/, "$what: and claims are seen");
    reload_with(1);
}
my $row = qr/ERROR:  snowid cannot read the row \(\d+,\d+\) of the table/;
my $hint = qr/HINT:  As a superuser, correct or delete that row/;
is_named('a layout that is stored elsewhere',
    qr/$row snowid_generator in the database "forms"\n.*DETAIL:  A value is not stored in the row itself\.\n.*$hint/,
    sub {
        sql('ALTER TABLE snowid_generator SET (toast_tuple_target = 128); ALTER TABLE snowid_generator ALTER layout SET STORAGE EXTERNAL,
            ALTER name SET STORAGE PLAIN');
        stored_generator(name => "repeat('y', 2500)", layout => $layout{long});
    },
    sub { unguarded("DELETE FROM snowid_generator WHERE id = $number") });
for my $column ('horizon', 'drifts') {
    is_named("a $column that is NULL",
        qr/$row snowid_horizon in the database "forms"\n.*DETAIL:  A column is NULL that must not be\.\n.*$hint/,
        sub { sql("ALTER TABLE snowid_horizon ALTER $column DROP NOT NULL");
            unguarded("UPDATE snowid_horizon SET $column = NULL WHERE generator = $of[1]") },
        sub { unguarded("UPDATE snowid_horizon SET $column = 0 WHERE generator = $of[1]") });
}
is_named('a scheme that is NULL', qr/$row snowid_generator in the database "forms"\n.*DETAIL:  A column is NULL/,
    sub { sql("ALTER TABLE snowid_generator ALTER scheme DROP NOT NULL");
        unguarded("UPDATE snowid_generator SET scheme = NULL WHERE id = $of[1]") },
    sub { unguarded("UPDATE snowid_generator SET scheme = 'snowflake' WHERE id = $of[1]") });
is_named('a layout that is none', qr/$row snowid_layout in the database "forms"\n.*DETAIL:  It is not a layout/,
    sub { sql('ALTER TABLE snowid_layout DROP CONSTRAINT snowid_layout_layout_check');
        unguarded("INSERT INTO snowid_layout VALUES ('odd', '-infinity')") },
    sub { unguarded("DELETE FROM snowid_layout WHERE layout = 'odd'") });
my $tables = sub { qr/ERROR:  snowid cannot use the table $_[0] in the database "forms"\n.*DETAIL:  $_[1]\n.*HINT:  $_[2]/ };
is_named('a table that a crash empties', $tables->('snowid_generator', 'It is not a heap that survives a crash\.',
    'As a superuser, run in that database: ALTER TABLE snowid_generator SET LOGGED;'),
    sub { sql('ALTER TABLE snowid_generator SET UNLOGGED') }, sub { sql('ALTER TABLE snowid_generator SET LOGGED') });
is_named('no layout', $tables->('snowid_layout', 'It is empty\.', 'As a superuser, insert the layout'),
    sub { unguarded('CREATE TABLE kept AS SELECT * FROM snowid_layout; DELETE FROM snowid_layout') },
        sub { unguarded('INSERT INTO snowid_layout SELECT * FROM kept') });

# damage on the page itself
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', 1);
sub damage {
    my ($table, $change) = @_;
    my $file = $node->data_dir . '/' . sql("CHECKPOINT; SELECT pg_relation_filepath('$table')");
    $node->stop;
    my $before = slurp_file($file);
    my $after = $before;
    $change->($after);
    die 'nothing to damage' if $after eq $before;
    write_file($file, $after);
    $node->start;
    return sub { $node->stop; write_file($file, $before); $node->start; };
}
sub write_file {
    my ($file, $bytes) = @_;
    open(my $handle, '>:raw', $file) or die $!;
    print $handle $bytes;
    close $handle or die $!;
}
sub is_named_at_start {
    my ($what, $like, $mend) = @_;
    fails_with($node, 'SELECT snowflake_next()', '55000',
        qr/does not know yet how far.*could not in database "forms".*HINT:  The server's log has the error/s, $what);
    like(slurp_file($node->logfile), $like, "$what: the log says so");
    $mend->();
    ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), "$what: mended, ids go on");
}
sql('VACUUM FULL snowid_generator');
my $undamage = damage('snowid_generator', sub { substr($_[0], 8000, 1) ^= "\xff" });
sub told { return scalar(() = slurp_file($node->logfile) =~ /ERROR:  invalid page in block 0/g) }
is_named_at_start('a damaged page',
    qr/ERROR:  invalid page in block 0 of relation \S+\n.*CONTEXT:  page 0 of the table snowid_generator in the database "forms"/,
    sub {
        my $told = told();
        sleep(3);
        cmp_ok(told(), '<=', $told + 1, 'it is tried every second, and told once a minute');
        $undamage->();
    });
$node->append_conf('postgresql.conf', 'ignore_checksum_failure = on');
is_named_at_start('a value that is longer than its row',
    qr/$row snowid_generator in the database "forms"\n.*DETAIL:  A value does not lie within the row\.\n.*$hint/,
    damage('snowid_generator', sub { $_[0] =~ s/.(?=g$of[1]\0)/\xf1/s or $_[0] =~ s/.{4}(?=g$of[1])/\xf0\xff\xff\x3f/s }));
is_named_at_start('a row that is longer than its page',
    qr/$row snowid_horizon in the database "forms"\n.*DETAIL:  It does not lie within its page\./,
    damage('snowid_horizon', sub { substr($_[0], 24, 4) = pack('V', unpack('V', substr($_[0], 24, 4)) | 0x7fff << 17) }));
my $mend = damage('snowid_horizon', sub { substr($_[0], 0, 8192) = "\0" x 8192 });
$node->poll_query_until('postgres', 'SELECT snowflake_next() > 0') or die;
like(slurp_file($node->logfile),
    qr/WARNING:  snowid: the database "forms" has lost the record of how far its ids have come\n.*The first has the number 0\.\n.*HINT:  As a superuser, run in that database: SELECT snowid_horizon_advance\(now\(\)\)/,
    'an empty page: the log says what is lost');
$mend->();
$mend = damage('snowid_generator', sub { substr($_[0], 0, 8192) = "\0" x 8192 });
$node->poll_query_until('postgres', 'SELECT snowflake_next() > 0') or die;
like(slurp_file($node->logfile),
    qr/WARNING:  snowid: the database "forms" has lost the records of generators\n.*DETAIL:  The table snowid_generator has no row for \d+ of the generators of snowid_horizon\./,
    'and which generators it has lost');
$mend->();

# each horizon is seen, in whatever state it is
my $ahead = '(extract(epoch FROM clock_timestamp() + interval \'1 hour\') * 1e9)::bigint';
my $behind = sub {
    my ($what) = @_;
    fails_with($node, 'SELECT snowflake_next()', '58000', qr/the clock is .* behind/, $what);
};
my $before = sql('SELECT max(horizon) FROM snowid_horizon WHERE generator = 0');
my $to = sub { unguarded("UPDATE snowid_horizon SET horizon = $_[0] WHERE generator = 0") };
for my $anew ('', 'VACUUM FREEZE snowid_horizon', 'VACUUM FULL snowid_horizon', 'ALTER TABLE snowid_horizon ADD remark text',
    'ALTER TABLE snowid_horizon DROP remark') {
    $to->($ahead);
    sql($anew);
    $node->restart;
    $behind->("a horizon of one hour ahead, $anew");
    $to->($before);
}
unguarded("INSERT INTO snowid_horizon VALUES (0, $ahead, 0, 0, 0, 0, -5, -1)");
$node->restart;
$behind->('a horizon in a state that no generator can be in');
unguarded('DELETE FROM snowid_horizon WHERE safe = -5');

# a table that is gone
$node->restart;
sql('ALTER EXTENSION snowid DROP TABLE snowid_generator; ALTER TABLE snowid_generator RENAME TO other');
like(reload_with(900), $tables->('snowid_generator', 'It is not there\.', 'Restore that database from a backup, or drop it\.'),
    'a table that is gone');
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', 1);
$node->reload;
ok($node->poll_query_until('postgres', "SELECT current_setting('snowid.worker_id') = '1'"), 'nobody waits for that number any more');
sql('ALTER TABLE other RENAME TO snowid_generator');
like(reload_with($of[0]), qr/the worker stays 1, because generator "g$of[0]"/, 'it is back');
sql('ALTER TABLE snowid_horizon DROP safe; ALTER TABLE snowid_horizon ADD safe bigint');
like(reload_with(900), $tables->('snowid_horizon', 'It has lost a column that the extension made\.', 'Restore that database'),
    'a column that was dropped and added again');
sql('DROP DATABASE forms', 'postgres');
ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 900'),
    'the database is dropped, and the number changes');
$node->stop;
done_testing();
