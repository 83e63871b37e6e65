# `id op t` means `T_time(id) op t`: for every type and layout, every operator, each way round, beside constants,
# parameters and columns, in every place of a query, and by every way to read a table.
use strict;
use warnings;
use lib 'test/tap';
use List::Util qw(shuffle);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $seed = seed();
my $node = new_server('filters', 'jit = off', "timezone = 'UTC'", 'client_min_messages = warning', 'max_parallel_workers_per_gather = 0');
$node->start;

my @operators = ('<', '<=', '>', '>=');
my %scheme = (uuid => 'uuidv7', bigint => 'snowflake');
my @wide = split /\n/, do {
    $node->safe_psql('postgres', 'CREATE EXTENSION snowid');
    $node->safe_psql('postgres', q(
        SELECT typname FROM pg_type t JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e'
        JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
        WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace AND NOT typbyval));
};
cmp_ok(scalar(@wide), '>=', 5, 'there are wide types');

# A filter is known by its support function, and its type by the id: in this database the functions have other names.
$node->safe_psql('postgres', q(
    SELECT format('ALTER FUNCTION %s RENAME TO internal_%s', oid::regprocedure, oid) FROM pg_proc
    WHERE prosupport IN (SELECT oid FROM pg_proc WHERE prosrc ~ '^snowid_time_.._support$') \\gexec));
is($node->safe_psql('postgres', q(SELECT count(*) FROM pg_proc WHERE proname ~ '_time_..$')), 0,
    'the functions of operators have other names');

sub pick { return $_[ int(rand(@_)) ] }
sub either_way { my ($id, $op, $t) = @_; return pick(0, 1) ? "$id $op $t" : "$t " . ($op =~ tr/<>/></r) . " $id" }

# Ids all over the range, close to each other, at the ends of ticks, and the extremes; and times at and around them.
sub make_tables {
    my ($type, $scheme, $size) = @_;
    my $of_bytes = $type eq 'uuid' ? "encode(b, 'hex')::uuid" : $size > 8 ? "b::$type" :
        "('x' || encode(b, 'hex'))::bit(64)::bigint::$type";
    my $extremes = join(', ', map { "('\\x$_'::bytea)" } '00' x $size, 'ff' x $size, '7f' . 'ff' x ($size - 1), '00' x ($size - 1) . '01',
        '80' . '00' x ($size - 2) . '01');
    return qq(
        DROP TABLE IF EXISTS ids, times, blocks, parts;
        SELECT setseed(@{[ rand() ]});
        CREATE TEMP TABLE bytes AS SELECT substr(sha256((random()::text || g)::bytea), 1, $size) AS b FROM generate_series(1, 60) AS g;
        INSERT INTO bytes SELECT set_byte(b, $size - 1, get_byte(b, $size - 1) # 1) FROM bytes LIMIT 15;
        INSERT INTO bytes SELECT set_byte(b, 0, get_byte(b, 0) & 3) FROM bytes LIMIT 15;
        @{[ $type eq 'uuid' ?
            'INSERT INTO bytes SELECT set_byte(set_byte(b, 6, 112 + get_byte(b, 6) % 16), 8, 128 + get_byte(b, 8) % 64) FROM bytes;' : '' ]}
        INSERT INTO bytes VALUES $extremes, (NULL);
        CREATE TABLE ids (id $type);
        INSERT INTO ids SELECT $of_bytes FROM bytes;
        INSERT INTO ids SELECT ${scheme}_first(now() - g * interval '1 day', '>=') FROM generate_series(0, 15) AS g;
        DROP TABLE bytes;
        CREATE TABLE times AS SELECT DISTINCT t FROM (
            SELECT ${scheme}_time(id) + s * interval '1 us' FROM ids, generate_series(-1, 1) AS s WHERE isfinite(${scheme}_time(id))
            UNION ALL VALUES ('-infinity'::timestamptz), ('infinity'), ('4000-01-01 BC'), ('1969-12-31 23:59:59.999999'), ('1970-01-01'),
                ('2023-12-31 23:59:59.999999'), ('2024-01-01'), ('2079-09-07 15:47:35.548001'), ('20000-01-01'), ('294270-01-01')) AS s (t);
        CREATE INDEX ON ids (id);
        CREATE TABLE blocks AS TABLE ids;
        CREATE INDEX ON blocks USING brin (id) WITH (pages_per_range = 1);
        CREATE TABLE parts (id $type) PARTITION BY RANGE (id);
        CREATE TABLE part_rest PARTITION OF parts DEFAULT;
        SELECT format('CREATE TABLE part_%s PARTITION OF parts FOR VALUES FROM (%L) TO (%L)', n, id, next) FROM (
            SELECT row_number() OVER () AS n, id, lead(id) OVER (ORDER BY id) AS next FROM (SELECT DISTINCT id FROM (
                SELECT id FROM ids WHERE id IS NOT NULL ORDER BY random() LIMIT 5) i ORDER BY id) d) s WHERE next IS NOT NULL \\gexec
        INSERT INTO parts TABLE ids;
        ANALYZE ids, blocks, parts;
    );
}

# Every pair of queries must give the same. Those with the same settings run in one statement, where now() is one time; what
# the oracle says to one question is asked once. The session counts the pairs and shows those that differ.
sub check_pairs {
    my ($what, $db, @pairs) = @_;
    my $script = q(
        SET plan_cache_mode = force_generic_plan;
        CREATE TEMP TABLE pair (n serial, query text, oracle text, type text, parameter text);
        CREATE TEMP TABLE differ (query text, gives text, wanted text);
        CREATE FUNCTION pg_temp.says(query text) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE said text;
        BEGIN
            EXECUTE query INTO said;
            RETURN said;
        END $$;
        CREATE FUNCTION pg_temp.oracle_says(query text) RETURNS text LANGUAGE sql
            SET enable_indexscan = off SET enable_bitmapscan = off SET enable_indexonlyscan = off AS 'SELECT pg_temp.says(query)';
        CREATE FUNCTION pg_temp.compare() RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE
            pair record;
            got text;
            wanted text;
            asked text = '';
            compared bigint = 0;
        BEGIN
            FOR pair IN TABLE pair ORDER BY n LOOP
                IF pair.parameter IS NULL THEN
                    got := pg_temp.says(pair.query);
                ELSE
                    EXECUTE format('PREPARE q(%s) AS %s', pair.type, pair.query);
                    got := pg_temp.says(format('EXECUTE q(%s)', pair.parameter));
                    DEALLOCATE q;
                END IF;
                IF pair.oracle <> asked THEN
                    wanted := pg_temp.oracle_says(pair.oracle);
                    asked := pair.oracle;
                END IF;
                IF got IS DISTINCT FROM wanted THEN
                    INSERT INTO differ VALUES (concat_ws(' of ', pair.query, pair.parameter), got, wanted);
                END IF;
                compared := compared + 1;
            END LOOP;
            DELETE FROM pair;
            RETURN compared;
        END $$;
    );
    my %by_settings;
    for my $pair (@pairs) {
        my ($query, $oracle, %options) = @$pair;
        push @{ $by_settings{ $options{set} // '' } }, join("\t", $query, $oracle, $options{type} // '\N',
            $options{parameter} // '\N') . "\n";
    }
    for my $set (sort keys %by_settings) {
        $script .= "$set\nCOPY pair (query, oracle, type, parameter) FROM STDIN;\n" . join('', @{ $by_settings{$set} }) .
            "\\.\nSELECT 'compared: ' || pg_temp.compare();\nRESET ALL;\nSET plan_cache_mode = force_generic_plan;\n";
    }
    $script .= q(SELECT 'differs: ' || query || ' gives ' || gives || ', not ' || wanted FROM differ LIMIT 5;);
    my ($status, $out, $err) = $node->psql($db, $script, on_error_stop => 1);
    is($status, 0, "$what: the queries run") or diag($err);
    my @differ = $out =~ /^differs: .*/mg;
    is(scalar(@differ), 0, "$what: filters give what the oracle gives") or diag(join("\n", @differ));
    my $compared = 0;
    $compared += $_ for $out =~ /^compared: (\d+)$/mg;
    is($compared, scalar(@pairs), "$what: all " . scalar(@pairs));
}

my %ways = ('by no index' => ['ids', 'SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off; '],
    'by a btree' => ['ids', 'SET enable_seqscan = off; SET enable_bitmapscan = off; '],
        'by a bitmap' => ['ids', 'SET enable_seqscan = off; SET enable_indexscan = off; SET enable_indexonlyscan = off; '],
    'by BRIN' => ['blocks', 'SET enable_seqscan = off; '], 'in partitions' => ['parts', '']);

sub check_type {
    my ($what, $db, $type, $size) = @_;
    my $scheme = $scheme{$type} // $type;
    my $id = $type eq 'bigint' ? 'id::snowflake' : 'id';
    my $setup = make_tables($type, $scheme, $size);
    $node->safe_psql($db, $setup);
    my @times = split /\n/, $node->safe_psql($db, 'SELECT t FROM times');
    my $rows = "count(*) || ' ' || coalesce(md5(string_agg(id::text, ',' ORDER BY id::text)), '')";
    my @pairs;

    for my $op (@operators) {
        # beside columns: what a filter says of each row, and the rows that a join finds
        for my $text ("$id $op t", 't ' . ($op =~ tr/<>/></r) . " $id") {
            my $oracle = "${scheme}_time(id) $op t";
            push @pairs, ["SELECT count(*) FROM ids, times WHERE ($text) IS DISTINCT FROM ($oracle)", 'SELECT 0'],
                ["SELECT count(*) FROM times JOIN ids ON $text", "SELECT count(*) FROM times, ids WHERE $oracle",
                    set => 'SET enable_seqscan = off; SET enable_material = off; '],
                ["SELECT count(*) FROM times LEFT JOIN ids ON NOT ($text)", "SELECT count(*) FROM times LEFT JOIN ids ON NOT ($oracle)"];
        }
        for my $way (sort keys %ways) {
            my ($table, $set) = @{ $ways{$way} };
            for my $t ((shuffle('-infinity', 'infinity', map { pick(@times) } 1 .. 3))[ 0 .. usual_or_long(1, 4) ]) {
                my $constant = "timestamptz '$t'";
                my %form = (
                    'a constant' => [sub { either_way($id, $op, $_[0]) }, "${scheme}_time(id) $op $constant"],
                    'NOT' => [sub { 'NOT (' . either_way($id, $op, $_[0]) . ')' }, "NOT (${scheme}_time(id) $op $constant)"],
                    'a case' => [sub { 'CASE WHEN ' . either_way($id, $op, $_[0]) . ' THEN false ELSE true END' },
                        "CASE WHEN ${scheme}_time(id) $op $constant THEN false ELSE true END"],
                    'both' => [sub { "id IS NOT NULL AND $id >= timestamptz '2000-01-01' AND ($id < timestamptz '2090-01-01' OR " .
                        either_way($id, $op, $_[0]) . ')' },
                        "${scheme}_time(id) >= timestamptz '2000-01-01' AND (${scheme}_time(id) < timestamptz '2090-01-01' OR ${scheme}_time(id) $op $constant)"]);
                for my $form (sort keys %form) {
                    my ($filter, $oracle) = @{ $form{$form} };
                    my $wanted = "SELECT $rows FROM ids WHERE $oracle";
                    push @pairs, ["SELECT $rows FROM $table WHERE " . $filter->($constant), $wanted, set => $set],
                        ["SELECT $rows FROM $table WHERE " . $filter->("(SELECT $constant)"), $wanted, set => $set],
                        ["SELECT $rows FROM $table WHERE " . $filter->('$1'), $wanted, set => $set, type => 'timestamptz',
                            parameter => $constant];
                }
            }
        }
    }
    # beside now(), near it and where few types or none have an id
    for my $op (@operators) {
        for my $way (sort keys %ways) {
            my ($table, $set) = @{ $ways{$way} };
            for my $time ('now()', "now() - interval '36 hours'", "now() + interval '1 day'", "current_timestamp - interval '4000 years'",
                "now() + interval '9500 years'") {
                my ($filter, $oracle) = (either_way($id, $op, $time), "${scheme}_time(id) $op $time");
                push @pairs, ["SELECT $rows FROM $table WHERE $filter", "SELECT $rows FROM ids WHERE $oracle", set => $set],
                    ["SELECT $rows FROM $table WHERE NOT ($filter)", "SELECT $rows FROM ids WHERE NOT ($oracle)", set => $set],
                    ["SELECT $rows FROM $table WHERE $filter AND (id IS NULL OR NOT ($filter))", 'SELECT \'0 \'', set => $set];
            }
        }
        push @pairs, ["SELECT count(*) FROM ids WHERE ($id $op now()) IS DISTINCT FROM (${scheme}_time(id) $op now())", 'SELECT 0'],
            ["SELECT count(*) FROM ids a LEFT JOIN ids b ON a.id = b.id AND NOT (b.$id $op now() + interval '9500 years')",
             "SELECT count(*) FROM ids a LEFT JOIN ids b ON a.id = b.id AND NOT (${scheme}_time(b.id) $op now() + interval '9500 years')"];
    }
    for my $way (sort keys %ways) {
        my ($table, $set) = @{ $ways{$way} };
        for (1 .. usual_or_long(2, 6)) {
            my ($from, $to) = map { pick('NULL', map { "'$_'" } @times) } 1, 2;
            my $ends = pick('[]', '[)', '(]', '()');
            my $range = $node->safe_psql($db, "SELECT coalesce((SELECT tstzrange(least(a, b), greatest(a, b), '$ends')
                FROM (SELECT ${from}::timestamptz AS a, ${to}::timestamptz AS b) s), 'empty')");
            for my $r ($range, 'empty', '(,)') {
                my $constant = "tstzrange '$r'";
                # PostgreSQL 17 and later take NULL for an element of a constant range without ends.
                my $wanted = "SELECT $rows FROM ids WHERE ${scheme}_time(id) <@ (SELECT $constant)";
                push @pairs, ["SELECT $rows FROM $table WHERE $id <@ $constant", $wanted, set => $set],
                    ["SELECT $rows FROM $table WHERE NOT (NOT ($constant @> $id))", $wanted, set => $set],
                    ["SELECT $rows FROM $table WHERE $id <@ (SELECT $constant)", $wanted, set => $set],
                    ["SELECT $rows FROM $table WHERE \$1 @> $id", $wanted, set => $set, type => 'tstzrange', parameter => $constant];
            }
        }
    }
    check_pairs(join(" ", grep { $_ } $what, $type), $db, @pairs);
}

check_type("", "postgres", "uuid", 16);
for my $type (@wide) {
    check_type('', 'postgres', $type, $node->safe_psql('postgres', "SELECT typlen FROM pg_type WHERE typname = '$type'"));
}
my $databases = 0;
for my $layout ('default', 'wide', 'js', 'discord', 'mastodon', 'sonyflake', 'epoch=1960-01-01,tick=1us,time=63,sequence=1',
    'epoch=2020-01-01T00:00:00.000Z,tick=7us,time=5,worker=1,sequence=1') {
    my $db = "layout_" . ++$databases;
    $node->safe_psql('postgres', "CREATE DATABASE $db");
    $node->safe_psql($db, "CREATE EXTENSION snowid; INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('$layout'), '2000-01-01')");
    check_type($layout, $db, $_, 8) for 'bigint', 'snowflake';
}

# The smallest bigint is before all times, beside constants too.
is($node->safe_psql('postgres', "SELECT id::snowflake >= timestamptz '-infinity', id::snowflake < timestamptz '-infinity',
    id::snowflake <= timestamptz '-infinity',
    snowflake_time(id) FROM (SELECT (-9223372036854775808)::bigint AS id OFFSET 0) s"), 't|f|t|-infinity',
        'the smallest bigint is of -infinity');

$node->stop;
done_testing();
