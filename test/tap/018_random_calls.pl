# Every function of the extension, called with random arguments: extremes, NULLs, text of other types, bytes of any
# length. Whatever they are told, the server stays up, and none of its errors is an internal one.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(time);

my $seconds = $ENV{SNOWID_RANDOM_SECONDS} // 20;
seed();
my $node = new_server('random_calls', "log_min_messages = warning", "max_connections = 20");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

# What stands for an argument of a type: texts that its input takes, and some that it does not.
my %values = (
    integer => [ 0, 1, -1, 1023, 1024, 65535, 65536, 2147483647, -2147483648 ],
    bigint => [ 0, 1, -1, '9223372036854775807', '-9223372036854775808', '382458686519406592', '4611686018427387904' ],
    smallint => [ 0, 1, -1, 32767, -32768 ],
    boolean => [ 'true', 'false' ],
    float8 => [ 0, 1, -1, 'NaN', 'Infinity', '-Infinity', '1e308', '1e-308' ],
    timestamptz => [ 'now', '-infinity', 'infinity', '1970-01-01Z', '4714-11-24 00:00:00Z BC', '294276-12-31 23:59:59.999999Z',
        '2024-01-01Z',
        '2010-01-01Z', '2100-01-01Z', '2262-04-12Z', '10889-08-02 05:31:50.656Z', '1900-01-01Z' ],
    interval => [ '0', '1 us', '-1 us', '1 day', '1 month', '-1 month', '178000000 years', '-178000000 years', '1 ms', '9 hours' ],
    tstzrange => [ 'empty', '(,)', '[2024-01-01,2024-02-01)', '[-infinity,infinity]', '(,2024-01-01]', '[2024-01-01,)' ],
    text => [ '', 'default', 'twitter', 'wide', 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12',
        'epoch=1900-01-01,tick=1us,time=63,sequence=1',
        'pg_class', '1 month', 'snowflake', 'sno', 'UTC', 'x' x 300, '%s%n', "\x{e4}" ],
    uuid => [ '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '018cc251-f400-7000-8000-000000000000' ],
    jsonb => [ '{}', '[]', 'null', '1', '{"a": {"b": [1, "x"]}}', '{"time": 1, "worker": -1}' ],
    regclass => [ 'pg_class', '_snowid.layout', 'snowid_stat', '0', 'parts', 'things' ],
    oid => [ 0, 1, 23, 20, 4294967295 ],
    name => [ 'x', 'public' ],
);
my %same = (int4 => 'integer', int8 => 'bigint', 'timestamp with time zone' => 'timestamptz', 'double precision' => 'float8',
    cstring => 'text');
my @of_any = map { @$_ } values %values;

sub one_of { return $_[int(rand(@_))] }
sub quoted { my ($text) = @_; $text =~ s/'/''/g; return "'$text'" }
sub random_bytes { my ($size) = @_; return join('', map { chr(int(rand(256))) } 1 .. $size) }

# A value made at random, of a size that the type may have, or nearly.
sub random_value {
    my ($type) = @_;
    return "'\\x" . unpack('H*', random_bytes(one_of(0, 1, 3, 4, 5, 7, 8, 10, 12, 16, 20, 21, 64))) . "'::bytea" if $type eq 'bytea';
    return int(rand(2) * 2**31 - 2**31) if $type eq 'integer';
    return sprintf("'%d'", (int(rand(2**32)) - 2**31) * 2**32 + int(rand(2**32))) if $type eq 'bigint';
    return sprintf("to_timestamp(%.6f)", rand(2e10) - 2e9) if $type eq 'timestamptz';
    return quoted(join('', map { chr(33 + int(rand(90))) } 1 .. int(rand(40)))) if $type eq 'text';
    return "'" . unpack('H*', random_bytes(16)) . "'" if $type eq 'uuid';
    return;
}

# A third of the texts is changed in a place or two.
sub mutated {
    my ($literal) = @_;
    return $literal unless $literal =~ /^'(.+)'$/ && rand() < 0.3;
    my $text = $1;
    substr($text, int(rand(length $text)), int(rand(3)), one_of('', '0', '9', 'z', ',', '-', '(', '"', 'Z',
        '99999999999')) for 0 .. int(rand(2));
    return quoted($text =~ s/'//gr);
}

sub argument {
    my ($type, $own) = @_;
    return 'NULL' if $type eq 'internal' || rand() < 0.06;
    my $kind = $same{$type} // $type;
    my $value = rand() < 0.4 ? random_value($kind) : undef;
    # an id that a generator made, or that is made of random bytes
    if (!defined $value && $own->{$type}) {
        my $ids = $own->{$type};
        $value = rand() < 0.7 || $type =~ /generator/ ? mutated(one_of(@$ids)) : random_value('bytea');
    }
    if ($kind =~ /^(.*)\[\]$/) {
        my $of = $1;
        return 'ARRAY[' . join(', ', map { argument($of, $own) } 1 .. int(rand(4))) . "]::$kind";
    }
    return random_value('bytea') if !defined $value && $kind eq 'bytea';
    $value //= mutated(quoted(rand() < 0.05 || !$values{$kind} ? one_of(@of_any) : one_of(@{ $values{$kind} })));
    return $type eq 'any' || $type =~ /^any/ ? $value : "$value\:\:$type";
}

# Every function, with the types of its arguments; for each type of ours two ids.
my @functions = map { my ($name, $kind, $types, $everybody, $set) = split /\|/, $_,
    -1; { name => $name, kind => $kind, types => [ split /;/, $types ], everybody => $everybody eq 't', set => $set eq 't' } }
    split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT p.oid::regproc, prokind, (SELECT string_agg(format_type(t, NULL), ';' ORDER BY n) FROM unnest(proargtypes) WITH ORDINALITY AS a (t,
    n)),
    has_function_privilege('public', p.oid, 'execute'), proretset
    FROM pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e' JOIN pg_extension e
        ON refobjid = e.oid
    WHERE extname = 'snowid' ORDER BY p.oid
SQL
cmp_ok(scalar @functions, '>', 200, 'there are functions');
my %own;
for (split /\n/, $node->safe_psql('postgres',
    "SELECT format_type(t.oid, NULL), typname FROM pg_type t JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = t.oid
    AND deptype = 'e' JOIN pg_extension e ON refobjid = e.oid
    WHERE extname = 'snowid' AND typtype = 'b' AND typelem = 0 AND typnamespace <> '_snowid'::regnamespace")) {
    my ($type, $name) = split /\|/;
    my $made = $node->safe_psql('postgres', "SELECT quote_literal(${name}_lower_bound(now() - n * interval '1 day')) FROM generate_series(0,
        1) AS n");
    $own{$type} = [ split /\n/, $made ];
}
cmp_ok(scalar keys %own, '>=', 7, 'and types');

# Things to point at; what a call changes is mostly undone.
my @set_up = (
    "CREATE TABLE things (id bigint PRIMARY KEY, made timestamptz)",
    "CREATE TABLE parts (id ulid) PARTITION BY RANGE (id)",
    "SELECT snowid_generator_create('snowflake', overlap => true)",
    "SELECT snowid_generator_create('sno', overlap => true, backfill => true)");
$node->safe_psql('postgres', $_) for @set_up;
for (split /\n/, $node->safe_psql('postgres', "SELECT pg_typeof(s), quote_literal(s) FROM unnest(ARRAY['snowflake', 'sno']) AS name,
    snowid_generator_snapshot(name) AS s")) {
    my ($type, $text) = split /\|/, $_, 2;
    push @{ $own{$type} }, $text;
}

my ($calls, %states, %called, @bad) = (0);
my ($client, $database, $role) = (undef, 'postgres');

sub send_sql {
    my ($sql) = @_;
    if (!$client) {
        $client = client($node->host, $node->port, $database) or return;
        client_query($client, "SET statement_timeout = '100ms'");
        client_query($client, "SET SESSION AUTHORIZATION $role") if $role;
    }
    my $answer = client_query($client, $sql);
    if (!$answer) {
        push @bad, "connection lost: $sql";
        undef $client;
        return accepts_connections($node);
    }
    return 1 unless $answer->{error};
    my ($state) = $answer->{error} =~ /^(\w{5})/;
    $states{$state}++;
    push @bad, "$answer->{error}: $sql" if $state =~ /^XX/;
    undef $client if $state =~ /^57P/;
    return 1;
}

sub random_call {
    my ($function) = @_;
    $called{ $function->{name} }++;
    my @types = @{ $function->{types} };
    return "SELECT $function->{name}(x) FROM unnest(ARRAY[" . join(', ', map { argument($types[0], \%own) } 0 .. int(rand(4))) .
        "]::$types[0]\[]) AS x"
        if $function->{kind} eq 'a';
    pop @types while @types && rand() < 0.1;
    my $call = "$function->{name}(" . join(', ', map { argument($_, \%own) } @types) . ')';
    return $function->{set} && rand() < 0.7 ? "SELECT count(*) FROM (SELECT * FROM $call LIMIT 1000) AS rows" : "SELECT $call";
}

# The wire's form of an id, of any length.
sub random_copy {
    my $type = one_of(grep { !/generator/ } keys %own);
    my $bytes = random_bytes(one_of(0, 1, 8, 10, 12, 16, 20, 24));
    my $file = $node->basedir . '/copy';
    open(my $out, '>:raw', $file) or die $!;
    print $out "PGCOPY\n\xff\r\n\0", pack('N2 n N', 0, 0, 1, length $bytes), $bytes, pack('n', 65535);
    close $out;
    return "CREATE TEMP TABLE IF NOT EXISTS \"copy of $type\" (id $type); COPY \"copy of $type\" FROM " . quoted($file) .
        " (FORMAT binary)";
}

sub calls_for {
    my ($for, @of) = @_;
    my $end = time() + $for;
    while (time() < $end) {
        my $sql = rand() < 0.02 ? random_copy() : random_call(one_of(@of));
        $sql = "BEGIN; $sql; ROLLBACK" if $sql !~ /COPY/ && rand() < 0.2;
        $calls++;
        send_sql($sql) or last;
        send_sql('ROLLBACK') if $sql =~ /^BEGIN/;
    }
}

# as the owner of a database, while ids of another one are watched
$node->safe_psql('postgres', 'CREATE ROLE tenant LOGIN; CREATE DATABASE tenant OWNER tenant; CREATE DATABASE watched');
$node->safe_psql('watched', "CREATE EXTENSION snowid; SELECT snowid_generator_create('named', worker => 900)");
my %watched = (
    default => 'SELECT snowflake_next()',
    named => "SELECT snowflake_next('named')",
    sno => 'SELECT sno_next(1)',
);
my $ids = PostgreSQL::Test::Utils::tempdir();
my @writers = map { writer_start($node, "$ids/$_", query => $watched{$_}, dbname => 'watched') } keys %watched;
ok(ids_go_on([ map { "$ids/$_" } keys %watched ]), 'ids are watched');
($database, $role) = ('tenant', 'tenant');
$node->safe_psql('tenant', 'CREATE EXTENSION snowid', user => 'tenant');
$node->safe_psql('tenant', $_, user => 'tenant') for @set_up;
calls_for($seconds * 0.4, @functions);
ok(ids_go_on([ map { "$ids/$_" } keys %watched ]), 'ids of another database go on');
writer_stop(@writers);
is_deeply({ refusals(map { "$ids/$_" } keys %watched) }, {}, 'none was refused');
check_ids('none twice', map { "$ids/$_" } 'default', 'named');
check_texts('none twice', "$ids/sno");
undef $client;
($database, $role) = ('postgres', undef);

# each once; then what everybody may call; then also what can spoil the generators of this server
send_sql(random_call($_)) for @functions;
calls_for($seconds * 0.5, grep { $_->{everybody} } @functions);
calls_for($seconds * 0.2, @functions);

is(scalar @bad, 0, "$calls random calls: no crash, no internal error") or
    diag(join("\n", map { substr($_, 0, 1000) } @bad[0 .. ($#bad < 9 ? $#bad : 9)]));
is(scalar(grep { !$called{ $_->{name} } } @functions), 0, 'every function was called');
note(join(', ', map { "$_ $states{$_}" } sort keys %states));
my $log = slurp_file($node->logfile);
unlike($log, qr/TRAP|PANIC|terminated by signal|runtime error:/, 'nothing in the log says otherwise');
$node->safe_psql('postgres', 'CREATE DATABASE after');
$node->safe_psql('after', 'CREATE EXTENSION snowid');
is($node->safe_psql('after', 'SELECT count(DISTINCT ulid_next()) FROM generate_series(1, 1000)'), 1000, 'and ids are made after it');

done_testing();
