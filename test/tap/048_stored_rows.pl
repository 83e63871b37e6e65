# What a reload sees of generators in any database, whatever somebody has done to their rows. If it cannot read them, the number stays,
# and the log says why.
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

# A generator whose values are SQL expressions. It has a horizon.
sub stored_generator {
    my (%of) = @_;
    ++$number;
    unguarded("INSERT INTO _snowid.generator (id, name, scheme, layout, worker, overlap, backfill) SELECT $number, " .
        ($of{name} // "'g$number'") . ', ' . ($of{scheme} // "'snowflake'") . ', ' . ($of{layout} // 'NULL') . ", $number, false, false");
    unguarded("INSERT INTO _snowid.horizon VALUES ($number, 1700000000000000000, 0, 0, 0, 0)") unless $of{lost};
    return $number;
}

# values that mean nothing, or are longer than anything that could mean something
sql(q{ALTER TABLE _snowid.generator ALTER name SET STORAGE EXTENDED, ALTER scheme SET STORAGE EXTENDED, ALTER layout SET STORAGE EXTENDED});
is_claimed(stored_generator(name => "repeat('long', 20)"), substr('long' x 20, 0, 63), 'a name that is too long');
my $random = q{(SELECT string_agg(md5(n::text), '') FROM generate_series(1, 80) AS n)};
is_claimed(stored_generator(name => "'scheme'", scheme => $random), 'scheme', 'a scheme of 2560 bytes, stored elsewhere');
is_claimed(stored_generator(name => "'layout'", layout => $random), 'layout', 'a layout of 2560 bytes, stored elsewhere');
is_claimed(stored_generator(name => "'odd'", scheme => "'odd'"), 'odd', 'a scheme that there is not');
is_claimed(stored_generator(lost => 1), "g$number", 'a generator without a horizon');
unguarded("DELETE FROM _snowid.generator WHERE id = $number OR layout !~ '^epoch'");
my $seen = stored_generator();

# what cannot be read
sub is_named {
    my ($what, $like, $break, $mend) = @_;
    $break->();
    my $log = -s $node->logfile;
    $node->adjust_conf('postgresql.conf', 'snowid.worker_id', 900);
    $node->reload;
    ok($node->wait_for_log($like, $log), "$what: the log says so");
    is(sql('SELECT snowflake_worker(snowflake_next())', 'postgres'), 1, "$what: the number stays");
    $mend->();
    ok($node->poll_query_until('postgres', 'SELECT snowflake_worker(snowflake_next()) = 900'), "$what: mended, what was asked for is so");
    like(reload_with($seen), qr/the worker stays 900, because generator "g$seen"/, "$what: and claims are seen");
    reload_with(1);
    return;
}
is_named('a table that is gone', qr/ERROR:  .*_snowid.generator/,
    sub { sql('ALTER EXTENSION snowid DROP TABLE _snowid.generator; ALTER TABLE _snowid.generator RENAME TO other') },
    sub { sql('ALTER TABLE _snowid.other RENAME TO generator; ALTER EXTENSION snowid ADD TABLE _snowid.generator') });
is_named('a column of another type', qr/ERROR:  the table _snowid.horizon does not have its own columns/,
    sub { sql('ALTER TABLE _snowid.horizon ALTER safe TYPE numeric') }, sub { sql('ALTER TABLE _snowid.horizon ALTER safe TYPE bigint') });

# a damaged page: also a start that must read it makes no ids, and says so once a minute
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', 1);
sql("SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'", 'postgres');
my $file = $node->data_dir . '/' . sql("VACUUM FULL _snowid.generator; CHECKPOINT; SELECT pg_relation_filepath('_snowid.generator')");
$node->stop;
my $page = slurp_file($file);
sub write_file {
    my ($bytes) = @_;
    open(my $handle, '>:raw', $file) or die $!;
    print $handle $bytes;
    close $handle or die $!;
    return;
}
write_file(substr($page, 0, 8000) . (substr($page, 8000, 1) ^ "\xff") . substr($page, 8001));
$node->start;
fails_with($node, 'SELECT snowflake_next()', '55000',
    qr/does not know yet how far.*could not in database "forms".*HINT:  The server's log has the error/s, 'a damaged page');
sub told { return scalar(() = slurp_file($node->logfile) =~ /ERROR:  invalid page in block 0/g) }
my $told = told();
sleep(3);
cmp_ok(told(), '<=', $told + 1, 'it is tried every second, and told once a minute');
write_file($page);
ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'mended, ids go on');
$node->stop;
done_testing();
