# The keys of sealed ids: sessions see each change of them when it commits, standbys and pg_upgrade have them, each database has
# its own, no dump has any, and a key stands in nothing that the server writes but its table and the WAL.
use strict;
use warnings;
use lib 'test/tap';
use File::Find;
use MIME::Base64;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my @loud = ('log_statement = all', 'log_min_duration_statement = 0', 'log_min_messages = debug5', 'log_error_verbosity = verbose',
    'debug_print_plan = on',
    "shared_preload_libraries = 'snowid, auto_explain, pg_stat_statements'", 'auto_explain.log_min_duration = 0',
        'auto_explain.log_analyze = on',
    'auto_explain.log_verbose = on', 'auto_explain.log_nested_statements = on', 'pg_stat_statements.track = all',
        'log_parameter_max_length_on_error = -1',
    'wal_level = logical', 'max_wal_senders = 10', 'track_activity_query_size = 10000');
my $node = new_server('sealed', @loud);
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid; CREATE EXTENSION pg_stat_statements');
my $seals = q(SELECT id_seal(42, 'ord'));
my $token_by = sub { my ($answer) = @_; $answer->{error} // substr($answer->{rows}[0], 0, 4) };

# A token begins with its key's number: 22 digits are 7.957 * 2^128, so the first one tells it within 1/8.
my $number_of = sub {
    my ($token) = @_;
    my %value; @value{ 0 .. 9, 'A' .. 'Z', 'a' .. 'z' } = 0 .. 61;
    my @digits = map { $value{$_} } split //, substr($token, -22);
    my $first = ($digits[0] * 62 + $digits[1]) * 62 + $digits[2];
    return POSIX::floor($first * 7.95752 / 62**3);
};

# sessions, one of them in a transaction, while keys are made, used and dropped
my @sessions = map { client($node->host, $node->port, 'postgres') } 1 .. 3;
client_query($sessions[0], 'BEGIN');
like(client_query($sessions[$_], $seals)->{error}, qr/^55000 this database has no key/, "session $_: no key") for 1, 2;
is($node->safe_psql('postgres', 'SELECT snowid_seal_key_create()'), 0, 'the first key is number 0');
my $by_first = client_query($sessions[1], $seals)->{rows}[0];
is($number_of->($by_first), 0, 'and current');
my @tokens = ($by_first);
for my $number (1 .. 6) {
    my $writer = client($node->host, $node->port, 'postgres');
    client_query($writer, $_) for 'BEGIN', "SELECT snowid_seal_key_create($number)", "SELECT snowid_seal_key_use($number)";
    is($number_of->(client_query($writer, $seals)->{rows}[0]), $number, "key $number: the session that uses it seals by it");
    is($number_of->(client_query($_, $seals)->{rows}[0]), $number - 1, "key $number: others do not, before the commit") for @sessions;
    client_query($writer, 'COMMIT');
    is($number_of->(client_query($_, $seals)->{rows}[0]), $number, "key $number: and do at once after it") for @sessions;
    push @tokens, client_query($writer, $seals)->{rows}[0];
    is(client_query($_, "SELECT id_unseal('$tokens[$number - 1]', 'ord')")->{rows}[0], 42,
        "key $number: what the last one has sealed is open") for @sessions;
    client_query($writer, $_) for 'BEGIN', 'SELECT snowid_seal_key_drop(' . ($number - 1) . ')';
    is(client_query($_, "SELECT id_unseal('$tokens[$number - 1]', 'ord')")->{rows}[0], 42,
        "key $number: also while that is dropped") for @sessions;
    client_query($writer, 'COMMIT');
    like(client_query($sessions[$_], "SELECT id_unseal('$tokens[$number - 1]', 'ord')")->{error}, qr/^22P02/,
        "key $number: and not after it") for 1, 2;
    like(client_query($sessions[$_], "SELECT id_seal(1, 'ord', @{[$number - 1]})")->{error}, qr/^22023/,
        "key $number: nobody seals by the one that is dropped") for 1, 2;
}
# within one statement that goes on
my $goes_on = client($node->host, $node->port, 'postgres');
syswrite($goes_on->{socket}, 'Q' . pack('N', 5 + length $_) . "$_\0")
    for "SELECT id_seal(n, 'ord') FROM (SELECT n, pg_sleep(0.1) FROM generate_series(1, 40) AS n OFFSET 0) AS slow";
$node->safe_psql('postgres', 'SELECT pg_sleep(0.3); SELECT snowid_seal_key_create(0); SELECT snowid_seal_key_use(0)');
$node->safe_psql('postgres', 'SELECT snowid_seal_key_drop(6)');
my @by = map { $number_of->($_) } @{ Snowid::client_answer($goes_on)->{rows} };
is("@by[0, -1]", '6 0', 'a statement that goes on seals by the new key when the old one is gone');
is(join('', @by) =~ /^6+0+$/, 1, 'and by the old one before');
client_query($sessions[0], 'ROLLBACK');

# two writers at once: the second waits, and sees what the first has done
my @writers = map { client($node->host, $node->port, 'postgres') } 1, 2;
client_query($writers[0], $_) for 'BEGIN', 'SELECT snowid_seal_key_create()';
syswrite($writers[1]{socket}, 'Q' . pack('N', 5 + length $_) . "$_\0") for 'SELECT snowid_seal_key_create()';
ok($node->poll_query_until('postgres', q(SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
    AND query ~ 'key_create')), 'a second writer waits');
client_query($writers[0], 'COMMIT');
is(Snowid::client_answer($writers[1])->{rows}[0], 2, 'and takes the next number');

# a standby has the key at once, and makes none
$node->backup('copy');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
my $on_standby = client($standby->host, $standby->port, 'postgres');
is(client_query($on_standby, $seals)->{rows}[0], $node->safe_psql('postgres', $seals), 'a standby seals as its primary does');
$node->safe_psql('postgres', 'SELECT snowid_seal_key_use(1); SELECT snowid_seal_key_drop(0)');
$node->wait_for_catchup($standby);
is(client_query($on_standby, $seals)->{rows}[0], $node->safe_psql('postgres', $seals), 'also after a change, in the same session');
fails_with($standby, "SELECT snowid_seal_key_$_", '25006', qr/cannot execute snowid_seal_key/, "standby: $_") for 'create()', 'use(2)',
    'drop(2)';
is($standby->safe_psql('postgres', 'SELECT snowid_seal_key_reveal(1)'), $node->safe_psql('postgres', 'SELECT snowid_seal_key_reveal(1)'),
    'it reveals one');
$standby->stop;

# each database has its own
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid');
fails_with($node, $seals, '55000', qr/has no key/, 'another database', dbname => 'other');
is($node->safe_psql('other', 'SELECT snowid_seal_key_create(1)'), 1, 'it gets a key of the same number');
my $token = $node->safe_psql('postgres', $seals);
fails_with($node, "SELECT id_unseal('$token', 'ord')", '22P02', qr/was not made by this database's keys/, 'a token of the first one there',
    dbname => 'other');
isnt($node->safe_psql('other', $seals), $token, 'the same id has another token');

# pipes and folders are no files of keys
POSIX::mkfifo($node->data_dir . '/pipe', 0600) or die $!;
fails_with($node, "SELECT snowid_seal_key_create(from_file => '$_')", '22023', qr/does not hold a key/, "a key from $_") for 'pipe', 'base',
    '/dev/zero';

# where keys are: in no log and no statistics; in the table's file and in the WAL
my $all_keys = sub { my ($in, $db) = @_; split /\n/, $in->safe_psql($db, 'SELECT snowid_seal_key_reveal(number) FROM snowid_seal_keys') };
my @keys = map { $all_keys->($node, $_) } 'postgres', 'other';
is(scalar(@keys), 3, 'the keys are known to this test');
my $forms = join('|', map {
    my $raw = pack('H*', $_);
    my $escaped = join('', map { sprintf '\\%03o', ord } split //, $raw);
    ("(?i:$_)", quotemeta $raw, map({ quotemeta substr($_, 2, 36) } encode_base64($raw, ''), encode_base64("x$raw", ''),
        encode_base64("xx$raw", '')), quotemeta $escaped)
} @keys);
$node->safe_psql('postgres', "SELECT count(id_unseal(id_seal(n, 'ord'), 'ord')) FROM generate_series(1, 10) AS n;
    EXPLAIN (ANALYZE, VERBOSE) SELECT id_seal(1, 'ord'), id_unseal('$token', 'ord')");
$node->psql('postgres', "SELECT id_unseal('$_', 'ord')") for 'x', "ord_$token", $tokens[0];
$node->safe_psql('postgres', 'ANALYZE; VACUUM FULL _snowid.seal_key; ANALYZE _snowid.seal_key; CHECKPOINT');
unlike(slurp_file($node->logfile), qr/$forms/, 'no key is in the log at its loudest');
like(slurp_file($node->logfile), qr/snowid_seal_key_reveal\(number\)/, 'which has the statements');
for my $what ('pg_stat_statements', 'pg_stats', 'pg_stat_activity', 'pg_statistic', 'pg_prepared_statements', 'pg_settings') {
    unlike($node->safe_psql('postgres', "SELECT t::text FROM $what AS t"), qr/$forms/, "nor in $what");
}
$node->stop;
my %in;
find({ no_chdir => 1, wanted => sub { -f $_ && !/pipe$/ && slurp_file($_) =~ /$forms/ &&
    $in{ $File::Find::name =~ s|.*pgdata/||r =~ s|pg_wal/.*|pg_wal|r }++ } }, $node->data_dir);
$node->start;
my %of_tables = map { $_ => 1 } map { $node->safe_psql($_, q(SELECT pg_relation_filepath('_snowid.seal_key'))) } 'postgres', 'other';
delete $in{pg_wal};
is(join(' ', sort keys %in), join(' ', sort keys %of_tables), 'in the data directory only the tables and the WAL have keys');

# no dump has a key; a restore without it says so, and opens the old tokens with it
my $folder = PostgreSQL::Test::Utils::tempdir();
my @to = ('-h', $node->host, '-p', $node->port);
command_ok([ 'pg_dump', @to, '-Fp', '-f', "$folder/plain", 'postgres' ], 'a plain dump');
command_ok([ 'pg_dump', @to, '-Fc', '-Z0', '-f', "$folder/custom", 'postgres' ], 'a custom dump');
command_ok([ 'pg_dumpall', @to, '-f', "$folder/all" ], 'a dump of all');
unlike(slurp_file("$folder/$_"), qr/$forms/, "no key is in the dump $_") for 'plain', 'custom', 'all';
command_ok([ 'pg_dump', @to, '-t', '_snowid.seal_key', '-f', "$folder/table", 'postgres' ], 'a dump of the table by name');
unlike(slurp_file("$folder/table"), qr/$forms/, 'has none either');
like($node->safe_psql('postgres', 'COPY _snowid.seal_key TO STDOUT'), qr/$forms/, 'COPY by a superuser has them: the page says so');
$node->safe_psql('postgres', 'CREATE ROLE app; GRANT EXECUTE ON FUNCTION id_seal(bigint, text, int), id_unseal(text, text) TO app');
command_ok([ 'pg_dump', @to, '-Fp', '-f', "$folder/granted", 'postgres' ], 'a dump with grants');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('restored', "\\i $folder/granted");
fails_with($node, "SELECT id_unseal('$token', 'ord')", '55000', qr/has no key.*A dump contains no keys/s, 'after a restore',
    dbname => 'restored');
like($node->safe_psql('restored', q(SELECT finding FROM snowid_check() WHERE subject = 'seal')), qr/id_seal.* and id_unseal.*has no key/,
    'snowid_check() tells of it');
append_to_file("$folder/key", $node->safe_psql('postgres', 'SELECT snowid_seal_key_reveal(1)') . "\r\n");
chmod 0400, "$folder/key";
is($node->safe_psql('restored', "SELECT snowid_seal_key_create(1, '$folder/key'); SELECT id_unseal('$token', 'ord')"), "1\n42",
    'with the key from a file the old token opens');

# logical replication: a publication of all tables has the table, which is told; changes of keys are decoded without the key
$node->safe_psql('postgres', q(SELECT pg_create_logical_replication_slot('decoded', 'test_decoding')));
my ($status, $out, $err) = $node->psql('postgres', 'CREATE PUBLICATION everything FOR ALL TABLES; SELECT snowid_seal_key_create(4);
    SELECT snowid_seal_key_use(4); SELECT snowid_seal_key_drop(1)');
my $warnings = () = $err =~ /WARNING:  the keys of sealed ids are in a table that is published: everything/g;
is($warnings, 2, 'making and using a key warn of the publication');
is($node->safe_psql('postgres', q(SELECT count(*) FROM snowid_check() WHERE subject = 'seal' AND finding ~ 'publication everything')), 1,
    'snowid_check() does so too');
my $decoded = $node->safe_psql('postgres', q(SELECT string_agg(data, E'\n') FROM pg_logical_slot_get_changes('decoded', NULL, NULL)));
my $new_key = $node->safe_psql('postgres', 'SELECT snowid_seal_key_reveal(4)');
unlike($decoded, qr/$forms|$new_key/, 'what is decoded has no key');
like($decoded, qr/_snowid.seal_current: UPDATE.*_snowid.seal_key: DELETE: number\[smallint\]:1$/ms, 'but the other changes');
$node->safe_psql('postgres', q(DROP PUBLICATION everything; SELECT pg_drop_replication_slot('decoded'); CREATE SCHEMA own;
    CREATE TABLE own.t (); CREATE PUBLICATION of_own FOR TABLE own.t));
($status, $out, $err) = $node->psql('postgres', 'SELECT snowid_seal_key_create(5)');
unlike($err, qr/WARNING/, 'no warning of a publication of other tables');

# what logical replication brings of another server's keys is dropped, and what it takes away too
$node->safe_psql('postgres', q(SELECT pg_replication_origin_create('of_another')));
my $session = q(SET client_min_messages = error; SELECT pg_replication_origin_session_setup('of_another'););
my $before = $node->safe_psql('postgres', 'SELECT * FROM snowid_seal_keys');
$node->safe_psql('postgres', "$session $_") for q(INSERT INTO _snowid.seal_key VALUES (0, decode(repeat('00', 32), 'hex'), now())),
    'DELETE FROM _snowid.seal_key', 'UPDATE _snowid.seal_current SET number = 0', 'DELETE FROM _snowid.seal_current';
is($node->safe_psql('postgres', 'SELECT * FROM snowid_seal_keys'), $before, 'an origin changes no key');

# a crash keeps what was committed; DROP EXTENSION destroys keys, also for a session that has them
$token = $node->safe_psql('postgres', 'SELECT snowid_seal_key_use(5)' . ";$seals") =~ s/^\n//r;
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', "SELECT id_unseal('$token', 'ord')"), 42, 'a key survives a crash');
my $open = client($node->host, $node->port, 'other');
like(client_query($open, $seals)->{rows}[0], qr/^ord_/, 'a session has a key');
$node->safe_psql('other', 'DROP EXTENSION snowid; CREATE EXTENSION snowid');
like(client_query($open, $seals)->{error}, qr/^55000 this database has no key/, 'and not after DROP EXTENSION');
$node->safe_psql('other', 'DROP EXTENSION snowid');
like(client_query($open, $seals)->{error}, qr/^42883/, 'nor the function');

# pg_upgrade takes the keys along
$node->safe_psql('postgres', 'DROP DATABASE restored; DROP DATABASE other WITH (FORCE)');
$node->stop;
my $new = new_server('upgraded', @loud);
unlink $node->data_dir . '/pipe';
my $bin = $node->config_data('--bindir');
chdir($folder) or die $!;
command_ok([ 'pg_upgrade', '--no-sync', '-d', $node->data_dir, '-D', $new->data_dir, '-b', $bin, '-B', $bin, '-s', $new->host, '-p',
    $node->port, '-P', $new->port ], 'pg_upgrade');
$new->start;
is($new->safe_psql('postgres', "SELECT id_unseal('$token', 'ord')"), 42, 'after pg_upgrade the token opens');
is($new->safe_psql('postgres', q(SELECT count(*), bool_and(relrowsecurity) FROM pg_class WHERE relname IN ('seal_key',
    'seal_current'))), '2|t', 'and the tables are guarded');

done_testing();
