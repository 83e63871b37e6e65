# A table on another server, by postgres_fdw: the types go there and back, and a filter by id or by time is the other
# server's work where the foreign server has OPTIONS (extensions 'snowid'). Without it the answers are the same.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my @lines = ("timezone = 'UTC'", 'client_min_messages = warning');
my $far = new_server('far', @lines);
my $near = new_server('near', @lines, 'snowid.worker_id = 2');
$_->start for $far, $near;
$_->safe_psql('postgres', 'CREATE EXTENSION snowid') for $far, $near;

my %wide = wide_types();
my %scheme = ((map { $_ => $_ } snowflake => keys %wide), bigint => 'snowflake', uuid => 'uuidv7');
my $from = "timestamptz '2026-03-01 06:00Z'";
my $to = "timestamptz '2026-03-02 06:00Z'";
# An id an hour: 25 of 100 are in the day from 6 to 6 o'clock, at both of which there is one.
$far->safe_psql('postgres', join("\n", map { qq(
    CREATE TABLE t_$_ (id $_ PRIMARY KEY DEFAULT $scheme{$_}_next(), n int);
    INSERT INTO t_$_ SELECT $scheme{$_}_lower_bound('2026-03-01 00:00Z'::timestamptz + n * interval '1 hour'), n FROM generate_series(1,
        100) AS n;
    ANALYZE t_$_;) } sort keys %scheme));
my ($host, $port) = ($far->host, $far->port);
$near->safe_psql('postgres', qq(
    CREATE EXTENSION postgres_fdw;
    CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
    CREATE SERVER shipping FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'postgres', extensions 'snowid');
    CREATE USER MAPPING FOR CURRENT_USER SERVER plain;
    CREATE USER MAPPING FOR CURRENT_USER SERVER shipping;
    CREATE SCHEMA plain;
    CREATE SCHEMA shipping;
    CREATE SCHEMA default_here;
    IMPORT FOREIGN SCHEMA public FROM SERVER plain INTO plain;
    IMPORT FOREIGN SCHEMA public FROM SERVER shipping INTO shipping;
    IMPORT FOREIGN SCHEMA public FROM SERVER shipping INTO default_here OPTIONS (import_default 'true');));

# Each filter finds the same rows by either foreign server, and is shipped whole by the one that may; but arrays of a type
# belong to its extension from PostgreSQL 18 on only.
for my $type (sort keys %scheme) {
    my $scheme = $scheme{$type};
    my $timed = $type eq 'bigint' ? 'id::snowflake' : 'id';
    my %filter = (
        'id = a constant' => ["id = ${scheme}_lower_bound($from)", 1],
        'id = ANY' => ["id = ANY (ARRAY[${scheme}_lower_bound($from), ${scheme}_lower_bound($to)]::$type\[])", 2, 'here'],
        'id < a bound' => ["id < ${scheme}_lower_bound($to)", 29],
        'id >= a bound of a time that is asked for first' => ["id >= ${scheme}_lower_bound((SELECT $from))", 95],
        'times as constants' => ["$timed >= $from AND $timed <= $to", 25],
        'a time that is asked for first' => ["$timed > (SELECT $from)", 94],
        'a range of times' => ["$timed <@ tstzrange('2026-03-01 06:00Z', '2026-03-02 06:00Z')", 24],
        'the time itself' => ["${scheme}_time(id) < $from", 5],
    );
    my @wrong;
    for my $what (sort keys %filter) {
        my ($where, $rows, $here) = @{ $filter{$what} };
        my ($plain, $shipped) = map { $near->safe_psql('postgres', "SELECT count(*) FROM $_.t_$type WHERE $where") } 'plain', 'shipping';
        my $plan = $near->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS off) SELECT n FROM shipping.t_$type WHERE $where");
        push @wrong, "$what: $plain and $shipped rows, not $rows" unless $plain == $rows && $shipped == $rows;
        push @wrong, "$what:\n$plan" unless $here || $plan !~ /Filter:/ && $plan =~ /Remote SQL: .* WHERE /;
    }
    is(join("\n", @wrong), '', "filters of $type");

    my $newest = "SELECT string_agg(n::text, ' ') FROM (SELECT n FROM shipping.t_$type ORDER BY id DESC LIMIT 3) AS newest";
    is($near->safe_psql('postgres', $newest), '100 99 98', "the newest of $type");
    like($near->safe_psql('postgres', "EXPLAIN (VERBOSE, COSTS off) $newest"), qr/Remote SQL: .* ORDER BY id DESC .*LIMIT 3/,
        "the newest of $type are sorted there");

    my $id = $near->safe_psql('postgres', "INSERT INTO default_here.t_$type (n) VALUES (101) RETURNING id");
    is($far->safe_psql('postgres', "SELECT id FROM t_$type WHERE n = 101"), $id, "an id of $type is made here and is the same there");
    is($near->safe_psql('postgres', "UPDATE shipping.t_$type SET n = 102 WHERE id = '$id' RETURNING n"), '102', "its row is found by it");
    is($near->safe_psql('postgres', "DELETE FROM shipping.t_$type WHERE $timed > now() - interval '1 minute' RETURNING n"), '102',
        "and by its time");
}

# How now() is written decides it.
like($near->safe_psql('postgres', q(EXPLAIN (VERBOSE, COSTS off) SELECT n FROM shipping.t_ulid WHERE id > now() - interval '1 hour')),
    qr/Filter: /, 'now() itself is no work for the other server');
unlike($near->safe_psql('postgres', q(EXPLAIN (VERBOSE, COSTS off) SELECT n FROM shipping.t_ulid
    WHERE id > (SELECT now() - interval '1 hour'))),
    qr/Filter: /, 'a time that is asked for first is');

done_testing();
