# The directory of a fleet on real servers: many sessions at once, dumps, a promotion, and replication to a server that has a
# directory of its own. Planted faults show that the law finds what it is for.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $layout = 'epoch=2024-01-01,tick=1ms,time=41,worker=10,sequence=12';
my $seed = seed();
my $directory = new_server('directory', 'wal_level = logical', 'max_worker_processes = 16', 'max_connections = 40');
$directory->start;

# Holders with clocks that are off, and leases of milliseconds. A lost answer is a token that is forgotten, or an old one.
my $holders = <<'SQL';
CREATE TABLE piece (id bigserial, worker int, from_ns bigint, until_ns bigint, renewed bool);
CREATE FUNCTION clock(off_ms int) RETURNS bigint LANGUAGE sql VOLATILE
    AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 + off_ms * 1000000::bigint $$;
CREATE PROCEDURE hold(times int, layout text) LANGUAGE plpgsql AS $$
DECLARE
    off_ms int := random() * 60 - 30;
    taken record;
    old_token uuid;
    answer record;
BEGIN
    FOR i IN 1 .. times LOOP
        BEGIN
            IF random() < 0.02 THEN off_ms := random() * 60 - 30; END IF;
            IF taken IS NULL THEN
                SELECT * INTO taken FROM snowid_directory.take(1, layout, clock(off_ms), (1 + random() * 20)::int, 1023, 'holder');
                INSERT INTO piece (worker, from_ns, until_ns, renewed) SELECT taken.worker, taken.from_ns, taken.until_ns, false
                    WHERE taken.worker IS NOT NULL;
            ELSE
                SELECT * INTO answer FROM snowid_directory.renew(1, taken.worker,
                    CASE WHEN random() < 0.1 THEN old_token ELSE taken.token END, clock(off_ms), taken.until_ns, (1 + random() * 20)::int);
                INSERT INTO piece (worker, from_ns, until_ns, renewed) SELECT taken.worker, taken.until_ns, answer.until_ns, true
                    WHERE answer.until_ns > taken.until_ns;
                old_token := taken.token;
                IF answer.token IS NULL OR random() < 0.05 THEN taken := NULL;
                ELSIF random() < 0.9 THEN taken.token := answer.token; taken.until_ns := answer.until_ns;
                END IF;
            END IF;
        EXCEPTION WHEN object_not_in_prerequisite_state THEN
            taken := NULL;
        END;
        COMMIT;
        IF random() < 0.1 THEN PERFORM pg_sleep(random() * 0.02); END IF;
    END LOOP;
END $$;
SQL
my $overlaps = 'SELECT count(*) FROM piece a JOIN piece b ON a.worker = b.worker AND a.id < b.id AND a.from_ns < b.until_ns
    AND b.from_ns < a.until_ns';

# The pieces that many sessions got, and how many overlap. A fault is a text of a function, and what stands in its place.
sub race {
    my ($db, $function, @fault) = @_;
    $directory->safe_psql('postgres', "CREATE DATABASE $db");
    $directory->safe_psql($db, "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$layout', 1, 6, now() - interval '1 hour');
        $holders");
    if ($function) {
        my $text = $directory->safe_psql($db, "SELECT pg_get_functiondef('snowid_directory.$function'::regproc)");
        $text =~ s/\Q$fault[0]\E/$fault[1]/ or BAIL_OUT("$function has no $fault[0]");
        $directory->safe_psql($db, $text);
    }
    my @sessions = map { IPC::Run::start([ 'psql', '-XAtq', '-d', $directory->connstr($db), '-c',
        "SELECT setseed(${seed}::float8 / 2147483648 - $_ / 100.0)", '-c', "CALL hold(600, '$layout')" ], '>', '/dev/null') } 1 .. 12;
    $_->finish for @sessions;
    return split /\|/, $directory->safe_psql($db, "SELECT count(*), count(*) FILTER (WHERE renewed), ($overlaps) FROM piece");
}

my ($pieces, $renewed, $overlap) = race('race');
cmp_ok($pieces, '>', 500, "12 sessions got $pieces pieces of 6 worker ids");
cmp_ok($renewed, '>', 100, "$renewed by renewing");
is($overlap, 0, 'no two of one worker id overlap');
is($directory->safe_psql('race', "SELECT count(*) FROM snowid_directory.worker w JOIN piece p USING (worker)
    WHERE p.until_ns > w.until_ns"), 0, 'the directory knows all of them');

for ([ 'unlocked', 'take', 'FOR UPDATE SKIP LOCKED', '' ], [ 'no_fence', 'take', 'AND greatest(w.until_ns, fleet.floor_ns) <= clock_ns',
    '' ],
    [ 'no_from', 'take', 'SELECT w.worker, greatest(w.until_ns, fleet.floor_ns)', 'SELECT w.worker, clock_ns - 60000000000' ],
        [ 'no_token', 'renew', 'AND w.token = renew.token', '' ]) {
    my ($name, @fault) = @$_;
    my $found = 0;
    for (my $try = 1; !$found && $try <= 8; $try++) { $found = (race("${name}_$try", @fault))[2] }
    cmp_ok($found, '>', 0, "the planted fault $name is found");
}

# a dump
$directory->safe_psql('postgres', "CREATE EXTENSION snowid_directory;
    SELECT snowid_directory.add('$layout', 1, 9, now() - interval '1 hour')");
my $now = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000';
my $take = "snowid_directory.take(1, '$layout', $now, 60000, 1023, 'taker')";
my $rows = 'SELECT * FROM snowid_directory.worker ORDER BY 1; SELECT layout, floor_ns, quiet_until, lead_ns, lowest, highest, secret
    FROM snowid_directory.fleet';
$directory->safe_psql('postgres', "SELECT worker FROM $take");
my $other = new_server('other', 'max_worker_processes = 16');
$other->start;
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';
command_ok([ 'pg_dump', '-d', $directory->connstr('postgres'), '-f', $dump ], 'it can be dumped');
for my $role ('origin', 'replica') {
    local $ENV{PGOPTIONS} = "-c session_replication_role=$role";
    for ($directory, $other) {
        $_->safe_psql('postgres', "CREATE DATABASE restored_$role");
        command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $_->connstr("restored_$role"), '-f', $dump ], "and restored as $role");
        is($_->safe_psql("restored_$role", $rows), $directory->safe_psql('postgres', $rows), 'with its rows');
    }
}
is($directory->safe_psql('restored_origin', "SELECT worker FROM $take"), '',
    'a restored one is another incarnation, also in the same cluster');
cmp_ok($directory->safe_psql('restored_origin', 'SELECT extract(epoch FROM quiet_until - clock_timestamp()) FROM snowid_directory.fleet'),
    '>', 170, 'which knows little of its fleet');
is($other->safe_psql('restored_origin', "SELECT worker FROM $take"), '', 'and in another one');
cmp_ok($other->safe_psql('restored_origin', 'SELECT extract(epoch FROM quiet_until - clock_timestamp()) FROM snowid_directory.fleet'), '>',
    170, 'which knows little of its fleet');
fails_with($other, "SELECT * FROM $take", '55000',
    qr/this server has no worker id\nDETAIL:  The directory gives out none before .*: it has been restored or promoted\./, 'quiet time',
    dbname => 'restored_origin');

# copies in the same cluster have the same tables, by their OIDs, too; a database that is renamed goes on
$directory->safe_psql('postgres', 'CREATE DATABASE settled');
$directory->safe_psql('settled', "CREATE EXTENSION snowid_directory;
    SELECT snowid_directory.add('$layout', 1, 9, now() - interval '1 hour')");
$directory->safe_psql('settled', "SELECT worker FROM $take");
$directory->safe_psql('postgres', "CREATE DATABASE twin TEMPLATE settled; ALTER DATABASE settled RENAME TO moved;
    ALTER DATABASE twin RENAME TO settled");
is($directory->safe_psql('settled', "SELECT worker FROM $take"), '', 'a copy of the database that has taken its name gives out none');
cmp_ok($directory->safe_psql('settled', 'SELECT extract(epoch FROM quiet_until - clock_timestamp()) FROM snowid_directory.fleet'), '>', 170,
    'because it knows little of its fleet');
isnt($directory->safe_psql('moved', "SELECT worker FROM $take"), '', 'the database that was renamed goes on');

# rows that are put back past the triggers tell nothing, so a person does
my $put_back = "$dump.rows";
command_ok([ 'pg_dump', '-Fc', '-d', $directory->connstr('moved'), '-f', $put_back ], 'a dump');
$directory->safe_psql('moved', 'DELETE FROM snowid_directory.worker; DELETE FROM snowid_directory.fleet');
command_ok([ 'pg_restore', '--data-only', '--disable-triggers', '-d', $directory->connstr('moved'), $put_back ], 'whose rows are put back');
$directory->safe_psql('moved', "UPDATE snowid_directory.fleet SET incarnation = 'restored'");
is($directory->safe_psql('moved', "SELECT worker FROM $take"), '', 'what the page says begins quiet time');
cmp_ok($directory->safe_psql('moved', 'SELECT extract(epoch FROM quiet_until - clock_timestamp()) FROM snowid_directory.fleet'), '>', 170,
    'as after a restore');
# rows that are put back, in the same tables
$directory->safe_psql('postgres', "CREATE DATABASE data; ");
$directory->safe_psql('data', "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$layout', 1, 9, now() - interval '1 hour');
    SELECT worker FROM $take");
command_ok([ 'pg_dump', '-a', '-d', $directory->connstr('data'), '-f', $dump ], 'its data can be dumped alone');
my ($first, $its_token, $its_until) = split /\|/, $directory->safe_psql('data', "SELECT worker, token, until_ns FROM $take");
for my $way ('TRUNCATE', 'DELETE FROM') {
    $directory->safe_psql('data', "$way snowid_directory.worker; $way snowid_directory.fleet");
    command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $directory->connstr('data'), '-f', $dump ],
        "they are put back after $way");
    is($directory->safe_psql('data', "SELECT worker FROM $take"), '', 'which is noticed');
    fails_with($directory, "SELECT * FROM $take", '55000', qr/restored or promoted/, 'quiet time', dbname => 'data');
}
# and if nothing noticed that: what is out twice is told to one of the two, and to people
$directory->safe_psql('data', 'SELECT snowid_directory.trust()');
is($directory->safe_psql('data', "SELECT worker FROM $take"), $first, 'a number is taken by a second one');
is($directory->safe_psql('data', "SELECT token IS NULL FROM snowid_directory.renew(1, $first, '$its_token', $now, $its_until, 60000)"), 't',
    'the first one is told');
like(slurp_file($directory->logfile), qr/WARNING:  snowid: worker id $first is out twice/, 'the log says so');
like($directory->safe_psql('data', 'SELECT * FROM snowid_directory.check()'), qr/worker id $first is out twice.*\|error$/m,
    'and the check');
fails_with($directory, "SELECT * FROM $take", '55000', qr/restored or promoted/, 'quiet time', dbname => 'data');

# a renewal that hangs in its commit: the next one of the same number does not
$directory->safe_psql('postgres', "SELECT snowid_directory.add('$layout', 40, 42, now() - interval '1 hour')");
my ($hung, $hung_token, $hung_until) = split /\|/, $directory->safe_psql('postgres', "SELECT worker, token, until_ns FROM $take");
my $renewal = "SELECT worker FROM snowid_directory.renew(1, $hung, '$hung_token', $now, $hung_until, 60000), (VALUES ($hung)) w (worker)";
my $hanging = client($directory->host, $directory->port, 'postgres');
client_query($hanging, "BEGIN; $renewal");
fails_with($directory, $renewal, '55P03', qr/an earlier renewal of worker id $hung has not ended/, 'a second renewal meanwhile');
like($directory->safe_psql('postgres', "SELECT worker FROM $take"), qr/^\d+$/, 'others take');
client_query($hanging, 'ROLLBACK');
is($directory->safe_psql('postgres', $renewal), $hung, 'and when it has ended, it is tried again');

# nor does a member's open transaction stop another one: by tokens that it invents, or by being the first to notice a promotion
sub renew_meanwhile {
    my ($what) = @_;
    my $held = $directory->safe_psql('postgres', "SELECT token, until_ns FROM snowid_directory.worker WHERE worker = $hung");
    my ($held_token, $held_until) = split /\|/, $held;
    is($directory->safe_psql('postgres', "SET lock_timeout = '10s'; SELECT token IS NOT NULL
        FROM snowid_directory.renew(1, $hung, '$held_token', $now, $held_until, 60000)"), 't', "$what: another server renews");
    client_query($hanging, 'ROLLBACK');
}
client_query($hanging, "BEGIN; SELECT snowid_directory.renew(1, n, gen_random_uuid(), $now, 0, 60000) FROM generate_series(1, 42) n");
renew_meanwhile('invented tokens');
$directory->safe_psql('postgres', "UPDATE snowid_directory.fleet SET incarnation = 'elsewhere'");
client_query($hanging, "BEGIN; SELECT * FROM $take");
renew_meanwhile('a promotion that one has noticed');
is($directory->safe_psql('postgres', "SELECT worker FROM $take"), '', 'and nobody takes a number before it is noticed for good');
$directory->safe_psql('postgres', 'SELECT snowid_directory.trust()');

# a server that has a directory of its own gets the rows of this one
$other->safe_psql('postgres', "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$layout', 5, 20, now() - interval '1 hour');
    SELECT worker FROM $take; CREATE TABLE arrived (n int)");
my $own = $other->safe_psql('postgres', $rows);
$directory->safe_psql('postgres', 'CREATE TABLE arrived (n int); CREATE PUBLICATION everything FOR ALL TABLES');
$other->safe_psql('postgres', sprintf("CREATE SUBSCRIPTION s CONNECTION '%s dbname=postgres' PUBLICATION everything", $directory->connstr));
$other->wait_for_subscription_sync($directory, 's');
is($other->safe_psql('postgres', $rows), $own, 'the first copy brings no worker id');
$directory->safe_psql('postgres', "SELECT worker FROM $take; SELECT snowid_directory.add('$layout', 30, 31);
    SELECT snowid_directory.close(7, 9); DELETE FROM snowid_directory.worker WHERE worker = 6; INSERT INTO arrived VALUES (1)");
ok($other->poll_query_until('postgres', 'SELECT count(*) = 1 FROM arrived'), 'replication goes on');
is($other->safe_psql('postgres', $rows), $own, 'and brings none either');
is($other->safe_psql('postgres', "SELECT worker FROM $take"), 6, 'its own directory gives out its own');
$other->safe_psql('postgres', "SELECT pg_replication_origin_create('o')");
$other->safe_psql('postgres', "SELECT pg_replication_origin_session_setup('o'); DELETE FROM snowid_directory.worker");
is($other->safe_psql('postgres', "SELECT pg_replication_origin_session_setup('o'); SELECT worker FROM $take"), '',
    'a session with an origin is given nothing');
is($other->safe_psql('postgres', 'SELECT count(*) FROM snowid_directory.worker'), 16, 'and deletes nothing');
unlike(slurp_file($other->logfile), qr/logical replication.*(?:ERROR|exited with)/, 'no worker of the subscription has failed');
$other->safe_psql('postgres', 'DROP SUBSCRIPTION s');

# who may not ask for origins owns a directory, too
$other->safe_psql('postgres', 'CREATE ROLE plain LOGIN; CREATE DATABASE plain OWNER plain');
my ($status, $out, $err) = $other->psql('plain',
    "CREATE EXTENSION snowid_directory; SELECT snowid_directory.add('$layout', 1, 2, now() - interval '1 hour'); SELECT worker FROM $take",
    user => 'plain');
is("$out|$err", "\n1|", 'a role that is no superuser owns one');

# a standby, and its promotion
$directory->safe_psql('postgres', 'SELECT snowid_directory.trust()');
$directory->backup('backup');
my $standby = Server->new('standby');
$standby->init_from_backup($directory, 'backup', has_streaming => 1);
$standby->start;
fails_with($standby, "SELECT * FROM $take", '25006', qr/the directory is a standby/, 'a standby');
my $worker = $directory->safe_psql('postgres', "SELECT worker, token, until_ns FROM $take");
my ($number, $token, $until) = split /\|/, $worker;
$directory->wait_for_catchup($standby);
my $lost = $directory->safe_psql('postgres', "SELECT worker FROM $take");
$directory->stop('immediate');
$standby->promote;
is($standby->safe_psql('postgres', "SELECT worker FROM $take"), '', 'the first question after a promotion begins quiet time');
fails_with($standby, "SELECT * FROM $take", '55000', qr/restored or promoted/, 'quiet time after a promotion');
is($standby->safe_psql('postgres', "SELECT count(*) FROM snowid_directory.renew(1, $number, '$token', $now, $until, 60000)"), 1,
    'who has a number keeps it');
$standby->safe_psql('postgres', 'SELECT snowid_directory.trust()');
like($standby->safe_psql('postgres', "SELECT worker FROM $take"), qr/^\d+$/, 'the owner can end it');

done_testing();
