# Random tables, records, clocks and layouts, and an oracle that knows which rows may be gone: each row has the time at which it was
# inserted, and none that is younger than its table's retain by the true time is ever gone.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

seed();
my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
$node = new_server('oracle', "timezone = 'UTC'", 'fsync = off', "snowid.clock_jump = '1h'");
my %faked = faked_clock($clock);
start_again($node, %faked);
sub try { my ($status) = $node->psql('postgres', $_[0]); return !$status; }
sub any { return $_[rand @_]; }
sql('CREATE EXTENSION snowid; CREATE TABLE truth (tbl text, row bigint, at timestamptz); CREATE SEQUENCE rows');

my @layouts = map { "epoch=$_,tick=1ms,time=41,worker=10,sequence=12" } '2010-01-01', '2024-01-01', '2026-06-01';
my @tables;
my ($day, $wrong, $gone, $made) = (0, 0, 0, 0);
my %type = (snowflake => 'bigint', uuidv7 => 'uuid', ulid => 'ulid', sno => 'sno', ksuid => 'ksuid', objectid => 'objectid');
my @zones = ('', '', 'UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia');

sub make_table {
    my $name = 't' . @tables;
    my $scheme = any('snowflake', 'snowflake', 'snowflake', keys %type);
    my $type = $type{$scheme};
    my $listed = rand() < 0.4;
    sql($listed ? "CREATE TABLE $name (id $type, tenant int, row bigint) PARTITION BY LIST (tenant);
            CREATE TABLE ${name}_0 PARTITION OF $name FOR VALUES IN (0) PARTITION BY RANGE (id);
                CREATE TABLE ${name}_1 PARTITION OF $name FOR VALUES IN (1) PARTITION BY RANGE (id)"
        : "CREATE TABLE $name (id $type, tenant int, row bigint) PARTITION BY RANGE (id)");
    push @tables, { name => $name, scheme => $scheme, records => {}, zones => {}, leaves => $listed ? [ "${name}_0", "${name}_1" ] :
        [$name] };
    sql("CREATE TABLE ${_}_rest PARTITION OF $_ DEFAULT") for grep { rand() < 0.5 } @{ $tables[-1]{leaves} };
}

# What is told becomes the law for a leaf: that of the nearest record.
sub record_it {
    my ($table) = @_;
    my $on = any($table->{name}, @{ $table->{leaves} });
    my $days = any(2, 5, 20);
    my $expired = any('detach', 'drop', 'drop');
    my $zone = $table->{records}{$on} ? '' : any(@zones);
    return unless try("SELECT snowid_partition('$on', '1 day', ahead => 2, retain => '$days days', expired => '$expired'" .
        ($zone && ", zone => '$zone'") . ')');
    $table->{zones}{$on} //= $zone || 'UTC';
    $table->{records}{$on} =
        "(truth_now() AT TIME ZONE '$table->{zones}{$on}' - interval '$days days') AT TIME ZONE '$table->{zones}{$on}'";
}
sub keeps { my ($table, $leaf) = @_; return $table->{records}{$leaf} // $table->{records}{ $table->{name} }; }

# Rows that the oracle still expects, by leaf: a detached partition counts, wherever it is.
sub judge {
    for my $table (@tables) {
        for my $leaf (0 .. $#{ $table->{leaves} }) {
            my $name = $table->{leaves}[$leaf];
            my $since = keeps($table, $name);
            my $young = defined $since ? "at > $since" : 'true';
            my $there = sql("SELECT string_agg(format('SELECT row FROM %s', c.oid::regclass), ' UNION ALL ') FROM pg_class c
                WHERE relkind = 'r' AND relname LIKE '$name\\_%'") || 'SELECT 0';
            my $lost = sql("SELECT count(*) FROM truth WHERE tbl = '$name' AND $young AND row NOT IN ($there)");
            $wrong += $lost;
            diag("day $day: $lost rows of $name are gone, which keeps " . ($since // 'all')) if $lost;
            # what is gone by today's record is gone, whatever a later one keeps
            $gone += sql("WITH gone AS (DELETE FROM truth WHERE tbl = '$name' AND row NOT IN ($there) RETURNING row) SELECT count(*)
                FROM gone");
        }
    }
}
my $start = sql('SELECT date_trunc(\'second\', clock_timestamp())');
make_table() for 1 .. 5;
record_it($_) for @tables, @tables;
for my $step (1 .. ($ENV{SNOWID_STEPS} // 40)) {
    # the true time goes on; what the server's clock says can be years off for a while
    $day += 1 + int rand 3;
    my $leap = rand() < 0.2 ? any(400, 3000, -30) : 0;
    set_clock($clock, 86400 * $day);
    sql('SELECT snowid_clock_accept()');
    sql("CREATE OR REPLACE FUNCTION truth_now() RETURNS timestamptz LANGUAGE sql
        AS \$\$SELECT timestamptz '$start' + interval '$day days'\$\$");
    for my $table (@tables) {
        for my $leaf (0 .. $#{ $table->{leaves} }) {
            my $id = "$table->{scheme}_next()";
            $made++ if try("WITH made AS (INSERT INTO $table->{name} VALUES ($id, $leaf, nextval('rows')) RETURNING row) INSERT INTO truth
                SELECT '$table->{leaves}[$leaf]', row, truth_now() FROM made");
        }
        record_it($table) if rand() < 0.1;
    }
    # somebody detaches a partition and attaches it again, or another one of an odd length
    if (rand() < 0.3) {
        my $table = any(@tables);
        my $leaf = any(@{ $table->{leaves} });
        my $part = sql("SELECT partition FROM snowid_partitions('$leaf') WHERE state = 'attached' AND isfinite(starts)
            ORDER BY random() LIMIT 1");
        my $bound = "$table->{scheme}_first";
        try("SELECT format('BEGIN; ALTER TABLE $leaf DETACH PARTITION %1\$s; ALTER TABLE $leaf ATTACH PARTITION %1\$s FOR VALUES FROM (%2\$L) TO (%3\$L); COMMIT', partition, $bound(starts, '>='), $bound(ends + interval '1 day' * (random() < 0.5)::int, '>='))
            FROM snowid_partitions('$leaf') WHERE partition = '$part'::regclass \\gexec") if $part;
    }
    try("SELECT snowid_layout_change('" . any(@layouts) . "')") if rand() < 0.15;
    set_clock($clock, 86400 * ($day + $leap)) if $leap;
    try('CALL snowid_maintain()');
    set_clock($clock, 86400 * $day) if $leap;
    try("SELECT snowid_clock_accept()") if $leap;
    try("CALL snowid_partition_settle('" . any(@tables)->{name} . "')") if rand() < 0.2;
    try('CALL snowid_maintain()');
    judge();
}
is($wrong, 0, "of $made rows none is gone that its table keeps");
cmp_ok($gone, '>', 0, 'and rows are gone that are old enough');
$node->stop;
done_testing();
