# Every combination of what a move can be asked for, on tables whose keys are int, bigint and uuid: it is refused with a reason, or its
# statements run to their end. Then nothing is left to do, each row refers to the row that it did, and new rows get ids.
use strict;
use warnings;
use lib 'test/tap';
use List::Util qw(shuffle);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

seed();
$node = new_server('combinations', 'autovacuum = off', 'fsync = off', 'client_min_messages = error', 'jit = off');
$node->start;
sql('CREATE EXTENSION snowid; CREATE EXTENSION snowid_convert');

my @every = ('');
for my $values ([ 'int', 'bigint', 'uuid' ], [ 'snowflake', 'uuidv7', 'bigserial' ], [ 'at once', 'online' ], [ 'table', 'schema' ],
    [ '', 'also' ], [ '', 'keep' ], [ '', 'time_col' ]) {
    @every = map { my $before = $_; map { "$before,$_" } @$values } @every;
}
my @plain = grep { /,,,$/ } @every;
my @other = shuffle(grep { !/,,,$/ } @every);
my $n = 0;
my %count;
for my $one (@plain, @other[0 .. usual_or_long(30, scalar(@other)) - 1]) {
    my (undef, $type, $target, $online, $by, $also, $keep, $time_col) = split /,/, $one, -1;
    my $schema = 's' . ++$n;
    my $made = $type eq 'uuid' ? 'uuid DEFAULT gen_random_uuid()' : $type eq 'int' ? 'serial' : 'bigserial';
    sql(<<"SQL");
CREATE SCHEMA $schema;
CREATE TABLE $schema.team (id $made PRIMARY KEY, name text, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE $schema.person (id $made PRIMARY KEY, team_id $type NOT NULL REFERENCES $schema.team, boss $type REFERENCES $schema.person,
    name text, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE $schema.note (team_id $type, text text);
INSERT INTO $schema.team (name, created_at) SELECT 't' || n, now() - n * interval '1 day' FROM generate_series(1, 5) AS n;
INSERT INTO $schema.person (team_id, name) SELECT id, 'p of ' || name FROM $schema.team;
UPDATE $schema.person SET boss = (SELECT id FROM $schema.person WHERE name = 'p of t1');
INSERT INTO $schema.note SELECT id, 'n of ' || name FROM $schema.team;
SQL
    my $rows = "SELECT string_agg(concat_ws(' ', t.name, p.name, b.name, n.text), ', ' ORDER BY t.name) FROM $schema.team AS t
        JOIN $schema.person AS p ON p.team_id = t.id JOIN $schema.person AS b ON b.id = p.boss"
        . ($also ? " JOIN $schema.note AS n ON n.team_id = t.id" : " JOIN $schema.note AS n ON n.text = 'n of ' || t.name");
    my $before = sql($rows);
    my $arguments = join(', ', $by eq 'table' ? "'$schema.team'" : "schema => '$schema'", "target => '$target'",
        $also ? "also => '{note.team_id}'" : 'strict => false');
    my $plan = 'snowid_convert_plan(' . $arguments . ($online eq 'online' ? ', online => true' : '') . ($keep ? ', keep => true' : '')
        . ($time_col ? ", time_col => 'created_at'" : '') . ')';
    my ($status, $out, $err) = (0, '', '');
    my $rounds = 0;
    if ($online eq 'online') {
        do {
            ($status, $out, $err) = $node->psql($database, "SELECT statement FROM $plan WHERE statement IS NOT NULL ORDER BY step \\gexec",
                on_error_stop => 1);
        } while ($status == 0 && ++$rounds < 5 && sql("SELECT count(statement) FROM $plan") > 0);
    }
    else {
        ($status, $out, $err) = $node->psql($database, "SELECT count(*) FROM $plan", on_error_stop => 1);
        ($status, $out, $err) = $node->psql($database, "CALL snowid_convert($arguments, rewrite => true)", on_error_stop => 1)
            if $status == 0;
    }
    my $what = join(' ', grep { $_ ne '' } $type, 'to', $target, $online, $by, $also, $keep, $time_col);
    if ($status != 0) {
        $count{refused}++;
        like($err, qr/only online|cannot be converted to|cannot be combined|keep is for|time_col is only|cannot be taken along/,
            "$what is refused with a reason");
    }
    else {
        $count{moved}++;
        cmp_ok($rounds, '<', 5, "$what: nothing is left to do");
        my $moved = sql("SELECT string_agg(DISTINCT atttypid::regtype::text, ' ') FROM pg_attribute
            WHERE attrelid = '$schema.team'::regclass AND attname = 'id'
                OR attrelid = '$schema.person'::regclass AND attname = 'team_id'");
        my $stays = $by eq 'schema' ? ($type eq 'uuid') != ($target eq 'uuidv7') : $type eq 'uuid' && $target eq 'bigserial';
        is($moved, $stays || $type eq 'uuid' && $target eq 'uuidv7' ? $type =~ s/^int$/integer/r : 'bigint',
            "$what: the type of its columns");
        is(sql($rows), $before, 'and refer to the rows that they did');
    }
    is(sql("INSERT INTO $schema.team (name) VALUES ('new'); SELECT count(*) FROM $schema.team WHERE id IS NOT NULL"), 6, 'a new row gets an id');
    sql("DROP SCHEMA $schema CASCADE");
}
note("$count{moved} moves, $count{refused} refused");

done_testing();
