# A filter on what is computed from an id finds the same rows with snowid.infer as without, in random queries: of every
# type and some layouts, in random zones, on tables, views, partitions, joins and UNION ALL, beside constants and
# parameters. The index is forced, so that a bound that is too narrow by one tick loses rows. And conditions with every
# operator that PostgreSQL has are planned, with the extension and without.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $seed = seed();
my $rounds = usual_or_long(80, 400);
my $node = new_server('implied', 'jit = off', "timezone = 'UTC'", 'client_min_messages = warning', 'max_parallel_workers_per_gather = 0',
    'enable_seqscan = off', 'fsync = off');
$node->start;

my %scheme = (uuid => 'uuidv7', bigint => 'snowflake', snowflake => 'snowflake');
my %size = (uuid => 16, bigint => 8, snowflake => 8, wide_types());
# What has a digit and is no name of a file, PostgreSQL reads as an offset, however it is spelled.
my @spelled = ('Etc/GMT-40', 'a/b+99', '<a/b>-100', '<+40>-40', 'X+167', 'X-150Y+150,J1,J300', 'Europe/Berlin-20', 'EST5EDT', 'Etc/GMT+12',
    'GMT-13');
my @zones = ('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Atlantic/Azores', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe',
    'America/Juneau', 'America/St_Johns', 'Pacific/Kiritimati', @spelled);
my @units = qw(microseconds millisecond second minute hour day week month quarter year decade century millennium);

sub pick { return $_[ int(rand(@_)) ] }

# Ids at random, beside each other, at the ends of the range and near the clock changes of zones.
sub make_tables {
    my ($type, $scheme) = @_;
    my $size = $size{$type};
    my $of_bytes = $type eq 'uuid' ? "encode(b, 'hex')::uuid" : $size > 8 ? "b::$type" :
        "('x' || encode(b, 'hex'))::bit(64)::bigint::$type";
    my $extremes = join(', ', map { "('\\x$_'::bytea)" } '00' x $size, 'ff' x $size, '7f' . 'ff' x ($size - 1), '80' . '00' x ($size - 1));
    my $cut = $type =~ /^(bigint|snowflake|uuid|ulid)$/ ? '& 1' : '& 127';
    return qq(
        SELECT setseed(@{[ rand() ]});
        CREATE TEMP TABLE bytes AS SELECT substr(sha256((random()::text || g)::bytea), 1, $size) AS b FROM generate_series(1, 60) AS g;
        INSERT INTO bytes SELECT set_byte(b, 0, get_byte(b, 0) $cut) FROM bytes LIMIT 30;
        @{[ $type eq 'uuid' ?
            'INSERT INTO bytes SELECT set_byte(set_byte(b, 6, 112 + get_byte(b, 6) % 16), 8, 128 + get_byte(b, 8) % 64) FROM bytes;' : '' ]}
        INSERT INTO bytes VALUES $extremes, (NULL);
        CREATE TABLE ids (id $type, n serial);
        INSERT INTO ids (id) SELECT $of_bytes FROM bytes;
        DROP TABLE bytes;
        INSERT INTO ids (id) SELECT CASE WHEN g % 2 = 0 THEN ${scheme}_first(t, '>=') ELSE ${scheme}_last(t, '<') END::$type FROM
            (VALUES ('2025-03-30 01:00'::timestamptz), ('2024-10-27 01:00'), ('2024-12-31 23:00'), ('2017-10-15 03:00'),
                ('2018-02-18 02:00'),
                ('2011-12-30 10:00'), ('2025-04-05 15:00'), ('2025-06-30 22:00'), ('2025-01-01')) AS v (t), generate_series(0, 1) AS g;
        INSERT INTO ids (id) SELECT ${scheme}_first(t + sign * apart, '>=')::$type
            FROM (VALUES ('2025-03-30 01:00'::timestamptz), ('2025-01-01')) AS v (t),
            unnest('{1us,1s,1h,12h,17h,25h,39h,99h,149h,166h,299h,30d,100d,400d}'::interval[]) AS apart, (VALUES (1), (-1)) AS s (sign);
        CREATE TABLE times AS SELECT DISTINCT t FROM (SELECT ${scheme}_time(id) AS t FROM ids WHERE id IS NOT NULL
            UNION ALL SELECT '2025-01-01'::timestamptz + g * interval '13 h' FROM generate_series(-20, 20) AS g
            UNION ALL VALUES ('-infinity'::timestamptz), ('infinity'), ('4000-01-01 BC'), ('294276-12-31 23:59:59'), ('1970-01-01')) AS s
                WHERE t IS NOT NULL;
        CREATE INDEX ON ids (id);
        CREATE VIEW seen AS SELECT id, n, ${scheme}_time(id) AS made FROM ids;
        CREATE VIEW barrier WITH (security_barrier) AS SELECT id, n, ${scheme}_time(id) AS made FROM ids WHERE n % 2 = 0;
        CREATE TABLE parts (id $type, n int) PARTITION BY RANGE (id);
        CREATE TABLE part_rest PARTITION OF parts DEFAULT;
        SELECT format('CREATE TABLE part_%s PARTITION OF parts FOR VALUES FROM (%L) TO (%L)', n, id, next) FROM (
            SELECT row_number() OVER () AS n, id, lead(id) OVER (ORDER BY id) AS next FROM (SELECT DISTINCT id FROM (
                SELECT id FROM ids WHERE id IS NOT NULL ORDER BY random() LIMIT 5) i ORDER BY id) d) s WHERE next IS NOT NULL \\gexec
        INSERT INTO parts SELECT id, n FROM ids;
        CREATE VIEW united AS SELECT id, n, ${scheme}_time(id) AS made FROM ids UNION ALL SELECT id, -n, ${scheme}_time(id) FROM parts;
        CREATE VIEW outside AS SELECT m.n, i.id, i.made FROM generate_series(1, 60) AS m (n) LEFT JOIN seen AS i ON i.n = m.n;
        CREATE TABLE heir (id $type, n int);
        CREATE TABLE heir_1 (PRIMARY KEY (n)) INHERITS (heir);
        INSERT INTO heir_1 SELECT id, n FROM ids;
        CREATE INDEX ON heir_1 (id);
        CREATE FUNCTION same(query text, of_params text) RETURNS text LANGUAGE plpgsql AS \$\$
        DECLARE
            line text; found boolean := false; state text; rows text[];
        BEGIN
            FOREACH state IN ARRAY ARRAY['on', 'off'] LOOP
                PERFORM set_config('snowid.infer', state, false);
                EXECUTE 'PREPARE q' || coalesce('(' || split_part(of_params, '|', 1) || ')', '') || ' AS ' || query;
                line := 'EXECUTE q' || coalesce('(' || split_part(of_params, '|', 2) || ')', '');
                BEGIN
                    EXECUTE 'CREATE TEMP TABLE got AS ' || line;
                    rows := rows || (SELECT count(*) || coalesce(md5(string_agg(g::text, chr(10) ORDER BY g::text)), '') FROM got AS g);
                    DROP TABLE got;
                    IF state = 'on' THEN
                        FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || line LOOP
                            found := found OR line ~ '(Index|Recheck) Cond: .*\\mid\\M';
                        END LOOP;
                    END IF;
                EXCEPTION WHEN data_exception OR invalid_text_representation THEN
                    rows := rows || 'error'::text;
                END;
                DEALLOCATE q;
            END LOOP;
            RETURN CASE WHEN rows[2] <> 'error' AND rows[1] <> rows[2] THEN 'differs' WHEN rows[1] LIKE '0%' THEN 'empty' WHEN found THEN
                'found' ELSE 'same' END;
        END \$\$;
    );
}

# What is made of a time, and the type of that.
sub form {
    my $unit = pick(@units);
    my $zone = pick(@zones);
    return pick(['%s', 'timestamptz'], ['%s', 'timestamptz'], ['%s', 'timestamptz'], ["date_trunc('$unit', %s)", 'timestamptz'],
        ["date_trunc('$unit', %s, '$zone')", 'timestamptz'],
        ["date_bin('" . pick('7 min', '3 days', '90 s') . "', %s, '2001-02-03')", 'timestamptz'], ['(%s)::date', 'date'],
            ['(%s)::timestamp', 'timestamp'],
        ["(%s AT TIME ZONE '$zone')", 'timestamp'], ["date_trunc('$unit', %s AT TIME ZONE '$zone')", 'timestamp'],
            ["date_trunc('$unit', %s)::date", 'date'],
        ["(%s AT TIME ZONE '$zone')::date", 'date']);
}

sub condition_on_time {
    my ($made, $times, $params) = @_;
    my ($form, $type) = @{ form() };
    my $time = pick(@$times);
    if ($form eq '%s' && rand() < 0.15) {
        my $range = sprintf("tstzrange(least(t, '%s'), greatest(t, '%s'), '%s')", $time, $time, pick('[]', '[)', '(]', '()'));
        $range = "(SELECT $range FROM (VALUES (timestamptz '" . pick(@$times) . "')) AS v (t))";
        return rand() < 0.5 ? "$made <\@ $range" : "$range @> $made";
    }
    # Other types than that of the form are compared in the session's zone.
    $type = pick('timestamptz', 'timestamp', 'date') if rand() < 0.2;
    my $other = "timestamptz '$time'";
    $other = sprintf($form, "($other)") . "::$type" if $time !~ /infinity|BC|294/;
    $other .= "::$type" if $time =~ /infinity|BC|294/;
    $other .= pick('', '', " + interval '1 us'", " - interval '1 us'") if $type ne 'date' && $time !~ /infinity|BC|294/;
    if (@$params == 0 && rand() < 0.4) { push @$params, $type, $other; $other = '$1' }
    my $left = sprintf($form, $made);
    my $op = pick('<', '<=', '=', '>=', '>');
    return "$left BETWEEN $other AND $other" if rand() < 0.05;
    return rand() < 0.5 ? "$left $op $other" : "$other $op $left";
}

sub condition_on_text {
    my ($type, $id, $ids, $params) = @_;
    my $call = $type =~ /bigint|snowflake/ ? pick("id_seal(ID, 'ord')", 'id_text(ID)', "id_text(ID, 'zbase32')") : $type eq 'uuid' ?
        pick("typeid_text(ID, 'user')", 'typeid_text(ID)') : 'ID::text';
    my $text = sub {
        my $value = "'" . pick(@$ids) . "'::$type";
        my $text = "(" . ($call =~ s/ID/$value/r) . ")";
        return rand() < 0.15 ? "upper($text)" : rand() < 0.1 ? "'nothing'" : $text;
    };
    my $left = $call =~ s/ID/$id/r;
    my $any = rand() < 0.3;
    my $other = $any ? 'ARRAY[' . join(', ', map { $text->() } 1 .. 3) . ', NULL]' : $text->();
    if (@$params == 0 && rand() < 0.4) { push @$params, $any ? 'text[]' : 'text', $other; $other = '$1' }
    return $any ? "$left = ANY ($other)" : rand() < 0.5 ? "$left = $other" : "$other = $left";
}

sub random_query {
    my ($type, $scheme, $times, $ids) = @_;
    my @params;
    my ($from, $alias) = @{ pick(['ids AS a', 'a'], ['seen AS a', 'a'], ['barrier AS a', 'a'], ['parts AS a', 'a'], ['united AS a', 'a'],
        ['outside AS a', 'a'], ['heir AS a', 'a'],
        ['(SELECT * FROM ids UNION ALL SELECT * FROM parts) AS a', 'a']) };
    my $layout = $scheme eq 'snowflake' && rand() < 0.2 ? pick(", 'twitter'",
        ", 'epoch=1960-01-01,tick=1ms,time=42,worker=10,sequence=12'") : '';
    my $cast = $type eq 'snowflake' ? '::bigint' : '';
    my $made = $from =~ /seen|barrier|united|outside/ && $layout eq '' && rand() < 0.7 ? "$alias.made" :
        "${scheme}_time($alias.id$cast$layout)";
    my $conditions = join(pick(' AND ', ' AND ', ' AND ', ' OR '),
        map { rand() < 0.75 ? condition_on_time($made, $times, \@params) : condition_on_text($type, "$alias.id", $ids,
        \@params) } 1 .. pick(1, 1, 2));
    $conditions = "NOT ($conditions)" if rand() < 0.05;
    my $query = pick("SELECT a.id, a.n FROM $from WHERE $conditions", "SELECT a.id, a.n FROM $from WHERE $conditions",
        "SELECT a.id, b.n FROM times AS b (n) LEFT JOIN $from ON $conditions",
        "SELECT a.id, b.n FROM generate_series(1, 3) AS b (n) JOIN $from ON $conditions",
        "SELECT a.id, b.t FROM $from JOIN times AS b ON $made " . pick('=', '<') . " b.t WHERE $conditions",
        "SELECT a.id, b.n FROM $from FULL JOIN ids AS b ON a.n = b.n WHERE $conditions",
            "SELECT a.id, b.n FROM $from FULL JOIN ids AS b ON a.n = b.n AND ($conditions)",
        "SELECT n FROM ids WHERE n IN (SELECT a.n FROM $from WHERE $conditions)");
    return ($query, @params ? "$params[0]|$params[1]" : undef);
}

sub check_type {
    my ($db, $what, $type) = @_;
    my $scheme = $scheme{$type} // $type;
    $node->safe_psql($db, make_tables($type, $scheme));
    my @times = split /\n/, $node->safe_psql($db, 'SELECT t FROM times');
    my @ids = split /\n/, $node->safe_psql($db, 'SELECT id FROM ids WHERE id IS NOT NULL');
    my $script = "SET plan_cache_mode = force_generic_plan;\n";
    for (1 .. $rounds) {
        my ($query, $params) = random_query($type, $scheme, \@times, \@ids);
        $script .= sprintf("SET timezone = '%s';\n", pick(@zones)) if rand() < 0.3;
        $script .= sprintf("SELECT same(\$q\$%s\$q\$, %s) || ': ' || \$q\$%s\$q\$ || ' in ' || current_setting('timezone');\n", $query,
            defined $params ? "\$q\$$params\$q\$" : 'NULL',
            $query . (defined $params ? " with $params" : ''));
    }
    my ($status, $out, $err) = $node->psql($db, $script, on_error_stop => 1, timeout => 300);
    is($status, 0, "$what$type: the queries run") or diag(substr($err, 0, 2000));
    my @differ = $out =~ /^differs: .*/mg;
    is(scalar(@differ), 0, "$what$type: the same rows") or diag(join("\n", @differ[ 0 .. ($#differ < 2 ? $#differ : 2) ]));
    my $found = () = $out =~ /^found: /mg;
    cmp_ok($found, '>', $rounds / 10, "$what$type: $found of $rounds queries find rows by the id's index");
    $node->safe_psql($db, 'DROP TABLE ids, parts, heir, times CASCADE; DROP FUNCTION same');
}

$node->safe_psql('postgres', "CREATE EXTENSION snowid; SELECT snowid_seal_key_create()");
check_type('postgres', '', $_) for sort keys %size;
my $databases = 0;
for my $layout ('epoch=2024-01-01,tick=1ms,time=42,worker=10,sequence=12', 'epoch=1900-01-01,tick=1us,time=63,sequence=1') {
    my $db = 'layout_' . ++$databases;
    $node->safe_psql('postgres', "CREATE DATABASE $db");
    $node->safe_psql($db, "CREATE EXTENSION snowid; INSERT INTO _snowid.layout VALUES (snowid_layout_canonical('$layout'), '2000-01-01');
        SELECT snowid_seal_key_create()");
    check_type($db, "$layout, ", 'bigint');
}

# An operator may have one argument, whose list has nothing behind it.
$node->safe_psql('postgres', 'CREATE DATABASE without');
for my $db ('without', 'postgres') {
    my ($ran, @differ) = split /\n/, $node->safe_psql($db, slurp_file('test/tap/every_operator.sql'));
    cmp_ok($ran, '>', 1000, "$db: $ran conditions with every operator run");
    is(scalar(@differ), 0, "$db: the same rows") or diag(join("\n", @differ[ 0 .. ($#differ < 9 ? $#differ : 9) ]));
}

# Sessions that know that there is no extension hear of one.
like($node->safe_psql('without', q(BEGIN; CREATE EXTENSION snowid; SET LOCAL enable_seqscan = off;
    EXPLAIN SELECT FROM rows_of WHERE snowflake_time(id) = '2025-01-01'; ROLLBACK)), qr/Index Cond: .*id >=/,
    'a session implies as soon as there is an extension');

# Nor does an index have to exist.
SKIP: {
    skip 'HypoPG is not there', 1
        if !$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'hypopg'");
    like($node->safe_psql('postgres', q(CREATE EXTENSION hypopg;
        CREATE TABLE guessed AS SELECT snowflake_next() AS id FROM generate_series(1, 1000);
        ANALYZE guessed; SELECT count(*) FROM hypopg_create_index('CREATE INDEX ON guessed (id)');
        EXPLAIN SELECT FROM guessed WHERE snowflake_time(id) = '2025-01-01')), qr/btree_guessed_id.*\n.*Index Cond: .*id >=/,
        'a hypothetical index has conditions that are implied');
}

$node->stop;
done_testing();
