# What doc/numbers.md says of sequences with steps, of ranges and of series without gaps, tried with crashes and rollbacks.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep);

seed();
my $folder = PostgreSQL::Test::Utils::tempdir();
$node = new_server('numbers', 'restart_after_crash = on');
$node->start;
sub numbers { return map { split /\n/, slurp_file($_) } @_; }
sub twice { my %seen; return scalar grep { $seen{$_}++ == 1 } @_; }

# two servers, each with a sequence of its own and the same step; then a third one comes
sql("CREATE SEQUENCE odd INCREMENT 2 START 1; CREATE SEQUENCE even INCREMENT 2 START 2");
my @two = map { split /\n/, sql("SELECT nextval('$_') FROM generate_series(1, 1000)") } 'odd', 'even';
is(twice(@two), 0, 'two sequences with INCREMENT 2 have no number in common');
sql("CREATE SEQUENCE third INCREMENT 3 START 2001; ALTER SEQUENCE odd INCREMENT 3");
my @three = map { split /\n/, sql("SELECT nextval('$_') FROM generate_series(1, 1000)") } 'odd', 'even', 'third';
cmp_ok(twice(@two, @three), '>', 0, 'a third one, while another still goes by 2: they have');
sql("ALTER SEQUENCE odd INCREMENT 3 RESTART 9001; ALTER SEQUENCE even INCREMENT 3 RESTART 9002; ALTER SEQUENCE third RESTART 9003");
my @stopped = map { split /\n/, sql("SELECT nextval('$_') FROM generate_series(1, 1000)") } 'odd', 'even', 'third';
is(twice(@two, @three, @stopped), twice(@two, @three), 'all three stopped and set above the highest: none any more');

# ranges
sql("CREATE TABLE segment (name text PRIMARY KEY, next bigint NOT NULL); INSERT INTO segment VALUES ('import', 1)");
my $range = "UPDATE segment SET next = next + 100 WHERE name = 'import' RETURNING next - 100";
my @files = map { "$folder/ranges$_" } 1 .. 4;
my @writers = map { writer_start($node, $_, query => $range) } @files;
for my $crash (1 .. 4) {
    ok(ids_go_on(\@files), "crash $crash: ranges are taken");
    $crash % 2 ? kill_backend($node) : do { kill_postmaster($node); start_again($node) };
    accepts_connections($node);
}
ids_go_on(\@files);
writer_stop(@writers);
my @ranges = numbers(@files);
is(twice(@ranges), 0, 'none of ' . @ranges . ' ranges was given out twice');
cmp_ok(sql("SELECT (next - 1) / 100 FROM segment"), '>=', scalar @ranges, 'those whose answer was lost are gaps');
my $rolled_back = $node->safe_psql('postgres', "BEGIN; $range; ROLLBACK; $range");
like($rolled_back, qr/^(\d+)\n\1$/, 'in a transaction that is rolled back a range is given out again: hence its own transaction');

# a series without gaps
sql(<<'SQL');
CREATE TABLE series (name text PRIMARY KEY, last bigint NOT NULL);
CREATE TABLE invoice (number bigint PRIMARY KEY, made xid8 DEFAULT pg_current_xact_id());
CREATE FUNCTION series_next(name text) RETURNS bigint LANGUAGE sql AS $$
    INSERT INTO series VALUES (name, 1) ON CONFLICT (name) DO UPDATE SET last = series.last + 1 RETURNING last
$$;
SQL
my $invoice = "SET lock_timeout = '10s'; INSERT INTO invoice VALUES (series_next('2026')) RETURNING number;
    SELECT 1 / (random() < 0.7)::int";
@files = map { "$folder/invoices$_" } 1 .. 8;
@writers = map { writer_start($node, $_, query => $invoice) } @files;
ids_go_on(\@files);
kill_backend($node);
accepts_connections($node);
ids_go_on(\@files);
kill_postmaster($node);
start_again($node);
ok(ids_go_on(\@files), 'eight clients write invoices, of which some are rolled back, through two crashes');
writer_stop(@writers);
my %refused = refusals(@files);
ok((grep { /division by zero/ } keys %refused), 'some were rolled back');
is(sql('SELECT count(*) = max(number) AND min(number) = 1 FROM invoice'), 't',
    'and there is no gap among ' . sql('SELECT count(*) FROM invoice'));

# one that waits for another's end gives up after lock_timeout
my $first = client($node->host, $node->port, 'postgres');
client_query($first, "BEGIN; SELECT series_next('2026')");
fails_with($node, "SET lock_timeout = '50ms'; SELECT series_next('2026')", '55P03', qr/canceling statement due to lock timeout/,
    'a series waits for whoever has taken the last number');
$node->stop;
done_testing();
