# What snowid_check() says of a server that is broken in its settings, its clock, its start and its standby. A member of pg_monitor sees
# each fault with its severity and a way out, and no longer sees it once it is mended. Findings that need only one database are
# in sql/check_findings.sql.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %clock = faked_clock($clock);
$node = new_server('checked', 'fsync = on', 'max_prepared_transactions = 5');
my $conf = $node->data_dir . '/postgresql.conf';
$node->append_conf('postgresql.conf', "include 'broken.conf'");
sub broken { my ($lines) = @_; open(my $file, '>', $node->data_dir . '/broken.conf') or die $!; print $file $lines; close $file; }
broken('');
start_again($node, %clock);
sql('CREATE EXTENSION snowid; CREATE ROLE watcher LOGIN; GRANT pg_monitor TO watcher; SELECT snowflake_next()');
sql('CREATE DATABASE other');
sql('CREATE EXTENSION snowid', 'other');

# The findings beyond those that are there while all is well.
my $check = 'SELECT severity, subject, finding, what_to_do FROM snowid_check() ORDER BY 1, 2, 3';
my %usual = map { $_ => 1 } split /\n/, sql($check);
sub said {
    my ($on) = @_;
    return join "\n", grep { !$usual{$_} } split /\n/, ($on // $node)->safe_psql('postgres', $check, user => 'watcher');
}
is(said(), '', 'nothing is wrong');
is(scalar(grep { !/^note\|clock\|the kernel knows no time service/ } keys %usual), 0, 'and nothing was before');

# settings: what a reload refuses, what it cannot change, and what it never got
sub reload_says {
    my ($lines, $like, $what) = @_;
    broken($lines);
    $node->reload;
    ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM snowid_check() WHERE subject IN ('settings', 'layout', 'preload')"),
        "$what: said");
    like(said(), $like, $what);
    broken('');
    $node->reload;
    ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM snowid_check() WHERE subject IN ('settings', 'layout', 'preload')"),
        "$what: mended");
}
my $place = qr/broken\.conf, line \d/;
reload_says("snowid.worker_id = 5000\n",
    qr/^error\|settings\|snowid\.worker_id = '5000' cannot be used, so '1' stays in force \(.*$place\)\. .worker. must be from 0 to 1023\.\|Correct it and reload, or the next start fails\.$/m,
        'a worker id out of range');
reload_says("snowid.sno_partition = 70000\n", qr/^error\|settings\|snowid\.sno_partition = '70000' cannot be used.*the next start fails/,
    'a partition out of range');
reload_says("snowid.layout = 'epoch=2024'\n",
    qr/^error\|settings\|snowid\.layout = 'epoch=2024' cannot be used, so 'default' stays in force .*\|Correct it and reload, or the next start fails\.$/,
        'a layout that is none');
reload_says("snowid.layout = 'twitter'\n",
    qr/^error\|layout\|from its next start on, the server has the layout twitter, not epoch=2024-01-01.*\|This database then makes no snowflakes\. Set snowid\.layout to 'epoch=2024.*again\.$/,
        'a layout for the next start');
reload_says("snowid.layout = 'js'\nsnowid.worker_id = 500\n",
    qr/^error\|layout\|.*\nerror\|settings\|snowid\.worker_id = '500' does not fit the layout of the next start .*from 0 to 31/m,
    'a worker id that does not fit the layout of the next start');
reload_says("snowid.workerid = 3\n", qr/^error\|settings\|there is no setting snowid\.workerid .*\|Correct its name/,
    'a name that is misspelled');
reload_says("snowid.worker_id = 2\nshared_bufers = 1GB\n",
    qr/^error\|settings\|there is no setting shared_bufers .*no reload takes effect/m, 'one of PostgreSQL\'s, which stops every reload');
reload_says("snowid.worker_id = 2\nthis is no setting\n",
    qr/^error\|settings\|the configuration has an error: .*\($place|^error\|settings\|the configuration has an error: /m,
    'a line that is none');
reload_says("snowid.clock_drift = 2h\n",
    qr/^error\|settings\|snowid\.clock_drift = '2h' cannot be used, .*the next start takes the default/, 'another setting out of range');
reload_says("snowid.max_generators = 5\n", qr/^note\|settings\|snowid\.max_generators = 5 takes effect only at the next start/,
    'a setting that needs a start');
reload_says("shared_preload_libraries = 'auto_explain'\n",
    $node->pg_version < 17 ?
        qr/^error\|preload\|from its next start on, the server does not load the library.*\|Set shared_preload_libraries = 'auto_explain,snowid'\.$/ :
            qr/^note\|preload/, 'a library that is gone at the next start');
reload_says("fsync = off\n", qr/^warning\|settings\|fsync is off, so a crash of the machine can lose .*\|Set fsync = on, and reload\.$/,
    'fsync');
reload_says("full_page_writes = off\n", qr/^warning\|settings\|full_page_writes is off/, 'full_page_writes');
reload_says("snowid.worker_id = 1\nsnowid.worker_id = 3\n",
    qr/^warning\|settings\|snowid\.worker_id = '1' has no effect \(.*\): '3' does \(/m, 'a setting that is there twice');
sql("ALTER SYSTEM SET snowid.worker_id = 4");
like(said(), qr/^warning\|settings\|snowid\.worker_id is '4' in the file, but '1' in the server .*pg_reload_conf/m,
    'a change that nobody has reloaded');
like(said(), qr/^warning\|settings\|snowid\.worker_id = '1' has no effect .*: '4' does .*ALTER SYSTEM RESET snowid\.worker_id/m,
    'ALTER SYSTEM beside it');
sql('ALTER SYSTEM RESET snowid.worker_id');
is(said(), '', 'all of that is mended');

# sessions cannot change a setting of the server, and are told so
fails_with($node, "$_ snowid.worker_id = 5", '55P02',
    qr/parameter "snowid\.worker_id" cannot be changed now\nDETAIL:  The parameter applies to the whole server\.\nHINT:  .*ALTER SYSTEM SET snowid\.worker_id/,
        $_)
    for 'SET', 'SET LOCAL', 'ALTER ROLE watcher SET', 'ALTER DATABASE other SET';
fails_with($node, 'SET snowid.workerid = 5', '42602', qr/invalid configuration parameter name "snowid\.workerid"/,
    'a setting that there is not');
sql('SET work_mem = 5000');
fails_with($node, $_->[0], '42501', $_->[1], $_->[0], user => 'watcher')
    for [ "SELECT snowid_generator_create('mine')",
        qr/HINT:  A role that can grant privileges on the table can run: GRANT INSERT ON _snowid.generator TO watcher;/ ],
    [ "SELECT snowid_generator_drop('mine')", qr/GRANT DELETE ON/ ], [ "SELECT snowid_generator_alter('mine')", qr/GRANT UPDATE ON/ ];

# locks
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; LOCK TABLE _snowid.horizon IN EXCLUSIVE MODE');
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM snowid_check() WHERE subject = 'tables'"),
    'a lock that ids wait for is found');
like(said(),
    qr/^error\|tables\|process \d+ holds a lock on _snowid.horizon, so ids wait\|If it does not end soon, run: SELECT pg_terminate_backend\(\d+\);$/,
        'a session with a lock');
$holder->quit;
sql("BEGIN; LOCK TABLE _snowid.horizon IN SHARE MODE; PREPARE TRANSACTION 'it''s kept'");
like(said(),
    qr/^error\|tables\|a prepared transaction holds a lock on _snowid.horizon, so ids wait\|In this database, run: ROLLBACK PREPARED 'it''s kept';$/,
        'a prepared transaction with a lock');
sql("ROLLBACK PREPARED 'it''s kept'");
is(said(), '', 'without it');

# a lock on somebody's own table stops nobody's check, wherever an expression of the table is looked at
sql('CREATE TABLE theirs (id int DEFAULT snowflake_next()::bigint); CREATE TABLE their_parts (id bigint DEFAULT snowflake_next())
    PARTITION BY RANGE (id)');
sql("SELECT snowid_partition('their_parts', '1 month')");
sql('ALTER TABLE theirs ADD other uuid DEFAULT uuidv7()') if $node->pg_version >= 18;
sub unblocked { return $node->safe_psql('postgres',
    "SET lock_timeout = '1min'; SELECT subject, finding FROM snowid_check() WHERE finding ~ 'their' ORDER BY 1, 2"); }
my $theirs = unblocked();
like($theirs, qr/^default\|column id of theirs is of type integer/, 'a fault of somebody\'s table');
sql("BEGIN; LOCK TABLE theirs, their_parts IN ACCESS EXCLUSIVE MODE; PREPARE TRANSACTION 'theirs'");
is(unblocked(), $theirs, 'a lock on it is not waited for');
sql("ROLLBACK PREPARED 'theirs'");
sql('DROP TABLE theirs, their_parts');
is(said(), '', 'without it');

# who holds the safe horizon, once that is a minute
my $forgetful = $node->background_psql('postgres');
$forgetful->query_safe("BEGIN; SELECT snowid_generator_create('of one', worker => 50)");
$forgetful->query_safe("COMMIT; BEGIN; SELECT snowflake_next('of one')");
sql("BEGIN; SELECT snowflake_next(); PREPARE TRANSACTION 'it''s an orphan'");
is(said(), '', 'a transaction that pollers wait for is nothing yet');
set_clock($clock, 90);
my ($session, $prepared) = split(/\n/, said());
like($session, qr/^warning\|safe horizon\|process \d+, which is idle in transaction, has held the safe horizon of generator of one for /,
    'a session that holds it');
like($session, qr/ s, so pollers get no new rows\|If it does not end soon, run: SELECT pg_terminate_backend\(\d+\);$/,
    'what to do about it');
like($prepared, qr/^warning\|safe horizon\|the prepared transaction 'it''s an orphan' has held the safe horizon of generator default for /,
    'a prepared transaction that holds it');
like($prepared, qr/\|In this database, run COMMIT PREPARED 'it''s an orphan'; or ROLLBACK PREPARED 'it''s an orphan'; as its coordinator says\.$/,
    'what to do about that');
set_clock($clock, 0);
$forgetful->query_safe("COMMIT; SELECT snowid_generator_drop('of one')");
$forgetful->quit;
sql("ROLLBACK PREPARED 'it''s an orphan'");
is(said(), '', 'without them');

# the clock
sub drift {
    my ($lines, $shown) = @_;
    broken($lines);
    $node->reload;
    $node->poll_query_until('postgres', "SELECT current_setting('snowid.clock_drift') = '$shown'") or die;
}
drift("snowid.clock_drift = 60s\n", '1min');
set_clock($clock, -45);
sql('SELECT snowflake_next()');
like(said(),
    qr/^warning\|clock\|ids of generator default are dated .* ahead of the clock\|.*\nwarning\|clock\|the clock has stepped back 1 time, by/,
    'a clock that was set back: ids are ahead of it');
drift('', '2s');
set_clock($clock, -3600);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/clock/, 'a clock of an hour ago');
like(said(),
    qr/^error\|clock\|ids of generator default are dated .* ahead of the clock, and refused until the clock gets there\|.*\nerror\|horizon\|.*\nerror\|refusals\|/,
        'a clock of an hour ago');
set_clock($clock, 86400);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/clock/, 'a clock of tomorrow');
like(said(),
    qr/^error\|clock\|the clock has leapt forward by .* and nobody has accepted that, so ids are refused\|If the clock is right, run as a superuser: SELECT snowid_clock_accept\(\); if not, correct it\.$/m,
        'a clock of tomorrow');
set_clock($clock, 0);
sql('SELECT snowid_stat_reset()');
is(said(), '', 'the right clock');

# a start that waits, and one that has failed
sql("BEGIN; LOCK TABLE _snowid.horizon; PREPARE TRANSACTION 'kept'", 'other');
sql("SET allow_system_table_mods = on; DELETE FROM pg_shseclabel WHERE provider LIKE 'snowid %'");
$node->stop;
start_again($node, %clock);
like(said(), qr/^warning\|start\|this server is still reading how far ids had come before it started/m, 'a start that waits');
ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM snowid_check() WHERE severity = 'error'"), 'a start that has failed');
like(said(),
    qr/^error\|start\|this server makes no snowflakes or snos, because how far they had come cannot be read in database other\|The server's log has the error/m,
        'it names the database');
sql("ROLLBACK PREPARED 'kept'", 'other');
ok($node->poll_query_until('postgres', 'SELECT snowflake_next() > 0'), 'ids go on');
is(said(), '', 'and all is well');

# a reload that waits for a database
my $blocker = client($node->host, $node->port, 'other');
client_query($blocker, 'BEGIN; DROP EXTENSION snowid CASCADE');
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', 9);
$node->reload;
ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM snowid_check() WHERE subject = 'worker'"), 'a reload that waits');
ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM snowid_check()
    WHERE finding = 'the worker stays 1 until all databases are read for 9, and database other cannot be'"), 'it names the database');
client_query($blocker, 'ROLLBACK');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM snowid_check() WHERE subject = 'worker'"), 'which is said no longer');

# a standby, and the command line
$node->backup('base');
my $standby = Server->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
is(said($standby), '', 'a standby');
$standby->adjust_conf('postgresql.conf', 'snowid.worker_id', 5000);
$standby->reload;
ok($standby->poll_query_until('postgres', "SELECT count(*) = 1 FROM snowid_check() WHERE subject = 'settings'"), 'a bad setting on it');
$standby->adjust_conf('postgresql.conf', 'snowid.worker_id', 6);
$standby->stop;
system_or_bail('pg_ctl', '-w', '-D', $standby->data_dir, '-l', $standby->logfile, '-o', '-c snowid.worker_id=8 --cluster-name=standby',
    'start');
like(said($standby), qr/^warning\|settings\|snowid\.worker_id = '6' has no effect .*: the command line says '8'\|Remove one of the two\.$/m,
    'a command line that hides the file');
system_or_bail('pg_ctl', '-w', '-m', 'immediate', '-D', $standby->data_dir, 'stop');
$node->stop;
# A machine that gets its id after its server is no other machine.
my $machine = PostgreSQL::Test::Utils::tempdir() . '/machine-id';
my $was_moved = "SELECT count(*) FROM snowid_check() WHERE subject = 'copy'";
my %machine = (faked_clock(PostgreSQL::Test::Utils::tempdir() . '/clock'), SNOWID_MACHINE_ID => $machine);
$node = new_server('machine');
for my $is (['no id', '', 0], ['an id', '1' x 32, 0], ['another id', '2' x 32, 1]) {
    my ($what, $id, $expected) = @$is;
    open(my $file, '>', $machine) or die;
    print $file $id;
    close $file;
    start_again($node, %machine);
    sql('CREATE EXTENSION IF NOT EXISTS snowid; SELECT snowflake_next()');
    is(sql($was_moved), $expected, "a machine that has $what: a finding, or none");
    $node->stop;
}
done_testing();
