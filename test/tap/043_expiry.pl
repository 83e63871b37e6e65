# Nothing expires by a clock that ids refuse, nor by a layout that is not the one of the table's record: whatever snowid drops in these
# states was not old.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
$node = new_server('expiry', "timezone = 'UTC'", 'fsync = off', "snowid.clock_jump = '1h'");
my %faked = faked_clock($clock);
start_again($node, %faked);
sub quiet { return sql("SET client_min_messages = error; $_[0]"); }

# Each has the days of the last week and a row in each of them.
my %time_of = (by_id => 'snowflake_lower_bound', by_uuid => 'uuidv7_at', by_tenant => 'snowflake_lower_bound');
sub make_tables {
    sql(q{CREATE TABLE by_id (id bigint, line text) PARTITION BY RANGE (id);
        CREATE TABLE by_uuid (id uuid, line text) PARTITION BY RANGE (id);
        CREATE TABLE by_tenant (id bigint, line text) PARTITION BY LIST (line); CREATE TABLE of_x PARTITION OF by_tenant FOR VALUES IN ('x')
            PARTITION BY RANGE (id)});
    for my $table (sort keys %time_of) {
        sql("SELECT snowid_partition('$table', '1 day', behind => 7, retain => '10 days', expired => 'drop')");
        sql("INSERT INTO $table SELECT $time_of{$table}(clock_timestamp() - n * interval '1 day'), 'x' FROM generate_series(0, 6) n,
            generate_series(1, 10)");
    }
}
sub rows { return join(',', map { sql("SELECT count(*) FROM $_") } sort keys %time_of); }
my $all = '70,70,70';
my $maintained = "SELECT string_agg(format('%s %s %s', parent, cardinality(detached || dropped), sqlstate), ', ' ORDER BY parent::text)
    FROM snowid_maintenance";
sub maintained {
    my ($query, $database) = @_;
    $node->psql($database // 'postgres', 'CALL snowid_maintain()');
    return $node->safe_psql($database // 'postgres', $query);
}
sub each_table { my ($state) = @_; return join(', ', map { "$_ 0 $state" } sort keys %time_of); }
# A job does nothing, says why, and says so without an empty field; and so does the call of an owner.
sub does_nothing {
    my ($what, $like) = @_;
    my $partitions = sql("SELECT count(*) FROM pg_inherits");
    is(maintained($maintained), each_table('58000'), "$what: no table is maintained");
    like(sql('SELECT error, detail, hint FROM snowid_maintenance'), $like, "$what: the error is that of ids");
    fails_with($node, "SELECT snowid_partition('$_', '1 day', retain => '1 day')", '58000', $like,
        "$what: an owner's call for $_") for sort keys %time_of;
    is(quiet(q{SELECT count(*) FROM snowid_maintenance WHERE error = '' OR detail = '' OR hint = '' OR detail IS NULL}), 0,
        "$what: with a DETAIL");
    is(rows(), $all, "$what: all rows are there");
    is(sql("SELECT count(*) FROM pg_inherits"), $partitions, "$what: and no partition more or less");
}
# Long enough for all to expire, and short enough for PostgreSQL's assertions, which allow the clock to go back by 24 days while it runs.
my $far = 86400 * 24;
my $leap = qr/the clock has leapt forward by/;

sql('CREATE EXTENSION snowid; SELECT snowflake_next()');
make_tables();
is(maintained($maintained), each_table(''), 'at first nothing is due');

for my $of (["24 days ahead", $far], ["two hours ahead", 7200]) {
    set_clock($clock, $of->[1]);
    fails_with($node, 'SELECT snowflake_next()', '58000', $leap, "$of->[0]: an id");
    does_nothing(@$of[0], $leap);
}
# in a session that has never asked for an id, after a restart, and in a database without snowflakes
set_clock($clock, $far);
$node->stop;
start_again($node, %faked);
does_nothing('24 days ahead, after a restart', $leap);
set_clock($clock, 0);
sql('SELECT snowflake_next()');
is(maintained($maintained), each_table(''), 'the clock is right again: nothing is due');

# Small leaps add up only as far as each is believed.
set_clock($clock, 1800);
maintained($maintained);
set_clock($clock, 3600 + 1700);
is(maintained($maintained), each_table(''), 'half an hour, and almost an hour more, are believed');
sql('SELECT snowflake_next()');
set_clock($clock, -86400 * 10);
my $behind = qr/the clock is \S+ \w+ behind the snowflakes that have been made/;
fails_with($node, 'SELECT snowflake_next()', '58000', $behind, '10 days back: an id');
does_nothing('10 days back', $behind);
set_clock($clock, 3600 + 1700);
sql('SELECT snowflake_next()');

# A leap that is accepted is none.
set_clock($clock, $far);
sql('SELECT snowid_clock_accept()');
sql('CALL snowid_maintain()');
is(rows(), '0,0,0', 'a clock that was accepted expires what is old');
is(sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'by_id'::regclass"), 3 + 1 + 7, 'and makes what is due by it');
sql('DROP TABLE by_id, by_uuid, by_tenant');

# The layout: by an epoch of 2010 the ids of today are 14 years older.
set_clock($clock, $far + 60);
make_tables();
my $change = "SELECT to_rebuild FROM snowid_layout_change('epoch=2010-01-01,tick=1ms,time=41,worker=10,sequence=12')";
is(quiet("$change ORDER BY 1"), "what expires of table by_id\nwhat expires of table by_tenant",
    'the change lists the tables whose retention it concerns');
my $other = qr/nothing of public.by_id expires, because the layout of this database is not the one that was recorded for it.*2010-01-01.*2024-01-01/s;
is(maintained("SELECT string_agg(format('%s %s', parent, sqlstate), ', ' ORDER BY parent::text) FROM snowid_maintenance"),
    'by_id 55000, by_tenant 55000, by_uuid ', 'snowflakes do not expire, and UUIDs are maintained');
is(rows(), $all, 'all rows are there');
like(sql("SELECT error, detail, hint FROM snowid_maintenance WHERE parent = 'by_id'::regclass"), $other, 'the row says why');
is(sql("SELECT covered_until > now() + interval '2 days' FROM snowid_maintenance WHERE parent = 'by_id'::regclass"), 't',
    'ids of the new layout have their partitions');
fails_with($node, "SELECT snowid_partition('by_id', '1 day')", '55000', $other, 'a call that does not say what expires');
fails_with($node, "SELECT snowid_partition('by_id', '1 day', retain => '30 days')", '55000', $other, 'nor what becomes of it');
is(rows(), $all, 'all rows are there');
my $findings = sql("SELECT string_agg(concat_ws(' | ', finding, what_to_do), E'\\n' ORDER BY finding) FROM snowid_check()
    WHERE subject = 'partitions'");
like($findings, qr/nothing of by_id expires.*nothing of by_tenant expires/s, 'the check says it');
unlike($findings, qr/snowid_maintain/, 'and does not advise to maintain');
unlike($findings, qr/by_uuid/, 'of UUIDs it says nothing');

# a dump keeps the layout of the record
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump.sql';
command_ok(['pg_dump', '-f', $dump, $node->connstr('postgres')], 'pg_dump');
sql('CREATE DATABASE restored');
command_ok(['psql', '-Xqv', 'ON_ERROR_STOP=1', '-d', $node->connstr('restored'), '-o', '/dev/null', '-f', $dump],
    'restored: psql');
is($node->safe_psql('restored', 'SELECT count(*), count(layout) FROM _snowid.partitioned'), '3|2', 'restored: the records');
is(maintained($maintained, 'restored'), 'by_id 0 55000, by_tenant 0 55000, by_uuid 0 ', 'restored: nothing expires');
is($node->safe_psql('restored', 'SELECT (SELECT count(*) FROM by_id), (SELECT count(*) FROM by_tenant)'), '70|70',
    'restored: all rows are there');

# who says what expires gets it
is(sql("SELECT count(*) FROM snowid_partition('by_id', '1 day', retain => '100 years', expired => 'drop') WHERE action <> 'created'"), 0,
    'a longer retention keeps what seems older');
is(rows(), $all, 'all rows are there');
is(sql("SELECT count(*) FROM snowid_partition('by_id', '1 day', retain => '30 days') WHERE action = 'dropped'"), 0,
    'what was made by the old layout expires by its times, though it seems older by the new one');
is(sql("SELECT count(*) FROM by_id"), 70, 'all rows are there');
sql("SELECT snowid_partition_forget('by_tenant'); SELECT snowid_partition('by_tenant', '1 day')");
is(maintained("SELECT count(*) FROM snowid_maintenance WHERE sqlstate IS NOT NULL OR cardinality(dropped || detached) > 0"), 0,
    'what was forgotten has no retention');
is(rows(), $all, 'all rows are there');
is(sql("SELECT count(*) FROM snowid_check() WHERE subject = 'partitions'"), 0, 'nothing is left to do');

# A change of the layout waits for a transaction that expires.
my $session = $node->background_psql('postgres');
$session->query_safe("BEGIN; SELECT snowid_partition('by_id', '1 day')");
fails_with($node, 'BEGIN; LOCK TABLE _snowid.layout IN EXCLUSIVE MODE NOWAIT', '55P03', qr/could not obtain lock/,
    'a change of the layout meanwhile');
$session->query_safe('ROLLBACK');
$session->quit;

$node->stop;

# A server that makes no snowflakes or snos has no row that was raised for an id. It remembers the clock by which something could expire.
set_clock($clock, 0);
my $silent = new_server('silent', "timezone = 'UTC'", 'fsync = off');
start_again($silent, %faked);
$silent->safe_psql('postgres', q{CREATE EXTENSION snowid; CREATE TABLE by_ulid (id ulid) PARTITION BY RANGE (id);
    SELECT snowid_partition('by_ulid', '1 day', behind => 7, retain => '10 days', expired => 'drop');
    INSERT INTO by_ulid SELECT ulid_at(clock_timestamp() - n * interval '1 day') FROM generate_series(0, 6) n});
$silent->psql('postgres', 'CALL snowid_maintain()');
is($silent->safe_psql('postgres', 'SELECT horizon < 1e9 * extract(epoch FROM now()) FROM _snowid.horizon WHERE generator = 0'), 't',
    'its horizon stays where it was');
for my $stop ('fast', 'immediate') {
    $silent->stop($stop);
    set_clock($clock, $far);
    start_again($silent, %faked);
    fails_with($silent, 'CALL snowid_maintain()', '55000', $leap, "no ids, and 24 days ahead after a stop that is $stop");
    is($silent->safe_psql('postgres', 'SELECT count(*) FROM by_ulid'), 7, 'no row is lost');
    set_clock($clock, 0);
    is($silent->safe_psql('postgres', 'CALL snowid_maintain(); SELECT count(*) FROM snowid_maintenance WHERE sqlstate IS NOT NULL'), 0,
        'the clock is right again');
}
$silent->stop;
done_testing();
