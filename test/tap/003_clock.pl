# The clock policy on a running server, under a clock that is moved.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $clock = PostgreSQL::Test::Utils::tempdir() . '/clock';
my $node = new_server('clock', 'snowid.reserve = 500ms');
{
    local %ENV = (%ENV, faked_clock($clock));
    $node->start;
}
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');
my $session = $node->background_psql('postgres');
my $last = 0;

# The next id is greater than every one before, whatever the clock does. Returns how far it is ahead of the clock, in ms.
sub next_is_greater {
    my ($what) = @_;
    my ($id, $ahead) = split /\|/, $session->query_safe(
        'SELECT id, round(1000 * extract(epoch FROM snowflake_time(id) - clock_timestamp())) FROM snowflake_next() AS id');
    cmp_ok($id, '>', $last, "$what: the id is greater");
    $last = $id;
    return $ahead;
}

cmp_ok(abs(next_is_greater('at first')), '<', 5000, 'ids are of now');
my $before = time();
set_clock($clock, -0.003);
cmp_ok(next_is_greater('3 ms back'), '<=', 0, '3 ms back: waits for the clock');
set_clock($clock, -1);
my $ahead = next_is_greater('1 s back');
cmp_ok($ahead, '>', 900 - 1000 * (time() - $before), '1 s back: logical time goes on');
set_clock($clock, -3600);
fails_with($node, 'SELECT snowflake_next()', '58000',
    qr/ERROR:  58000: the clock is (?:1 h|59 min) behind the snowflakes that have been made.*DETAIL:.*HINT:/s, '1 h back');
fails_with($node, 'SELECT count(*) FROM (SELECT snowflake_next_batch(100)) s', '58000', qr/the clock is (?:1 h|59 min) behind/,
    '1 h back, batch');
set_clock($clock, 0);
cmp_ok(next_is_greater('back to the truth'), '<=', 0, 'the clock is right again: so are ids, and what was refused has taken nothing');
# a leap is not believed until somebody says that it is right
set_clock($clock, 86400);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/the clock has leapt forward by 2[34](?:\.\d)? h.*HINT:.*snowid_clock_accept/s,
    '1 day ahead');
set_clock($clock, 0);
cmp_ok(next_is_greater('the leap is undone'), '<=', 100, 'a leap that is undone has burnt no time');
set_clock($clock, 86400);
$node->safe_psql('postgres', 'SELECT snowid_clock_accept()');
# a reload with another worker reads the rows of all databases, which know only the clock from before
$node->append_conf('postgresql.conf', 'snowid.worker_id = 5');
$node->reload;
$node->poll_query_until('postgres', "SELECT worker = 5 FROM snowid_stat WHERE scheme = 'snowflake'") or die;
cmp_ok(abs(next_is_greater('1 day ahead')), '<', 5000, 'ids follow a clock that was accepted');
set_clock($clock, 86400 + 300);
cmp_ok(abs(next_is_greater('5 minutes ahead')), '<', 5000, 'ids follow a clock that is set forward by less');
set_clock($clock, 86400);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/the clock is \S+ (?:s|min|h) behind/, 'and back by that');
set_clock($clock, 86400 + 300);
set_clock($clock, 0);
fails_with($node, 'SELECT snowflake_next()', '58000', qr/the clock is 2\d(?:\.\d)? h behind/, 'and 1 day back');
set_clock($clock, 86400 + 300);
next_is_greater('ahead again');
my ($regressions, $longest, $refusals) = split /\|/,
    $node->safe_psql('postgres', 'SELECT clock_regressions, max_regression > interval \'23 hours\', refusals FROM snowid_stat
    WHERE scheme = \'snowflake\'');
cmp_ok($regressions, '>=', 4, 'steps back are counted');
is($longest, 't', 'and measured');
cmp_ok($refusals, '>=', 5, 'refusals are counted');
my $log = slurp_file($node->logfile);
like($log, qr/LOG:  snowid: the clock went back by/, 'a step back is logged');
is(() = $log =~ /snowid: the clock went back by/g, 1, 'but not over and over');
like($log, qr/snowid: the clock leapt forward by/, 'a leap is logged');
like($log, qr/snowid: ids are refused, because the clock is behind/, 'refusals are logged');

my $waits = "wait_event_type = 'Extension' AND backend_type = 'client backend'";

# a caller that waits can be cancelled, is seen to wait, and waits no longer when the clock is set back meanwhile
$node->append_conf('postgresql.conf', "snowid.clock_wait = '20s'\nsnowid.clock_drift = '500ms'");
$node->reload;
$node->poll_query_until('postgres', "SELECT current_setting('snowid.clock_wait') = '20s'") or die;
set_clock($clock, 86400 + 290);
my $waiter = $node->background_psql('postgres', on_error_stop => 0);
$waiter->query_until(qr/go/, "\\echo go\nSELECT snowflake_next();\n");
ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE $waits"),
    'a caller that waits is seen in pg_stat_activity');
is($node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE $waits"), 't', 'cancelled');
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE $waits"), 'it waits no more');
$waiter->quit;
set_clock($clock, 86400 + 298);
my $started = Time::HiRes::time();
$waiter = $node->background_psql('postgres');
$waiter->query_until(qr/go/, "\\echo go\nSELECT snowflake_next();\n");
sleep(0.3);
set_clock($clock, 0);
ok($node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE $waits"),
    'a clock set back by a day holds nobody who waits');
$waiter->quit;

$session->quit;
# a clock that was accepted is known after a crash, though no id has been made by it, and another database made the last one
set_clock($clock, 86400 + 400);
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION snowid; SELECT snowflake_next()');
set_clock($clock, 2 * 86400);
$node->safe_psql('postgres', 'SELECT snowid_clock_accept()');
$node->stop('immediate');
{
    local %ENV = (%ENV, faked_clock($clock));
    set_clock($clock, 2 * 86400);
    $node->start;
}
is($node->safe_psql('postgres', 'SELECT snowflake_time(snowflake_next()) > clock_timestamp() - interval \'5 s\''), 't',
    'an accepted clock stays accepted');

# a machine that has started without its time: what exists is read, and nothing is made before the clock is right
set_clock($clock, 2 * 86400 + 400);
my $of_before = $node->safe_psql('postgres', 'SELECT snowflake_next()');
my $time_of_it = $node->safe_psql('postgres', "SELECT snowflake_time($of_before)");
my $read = "SELECT snowflake_time($of_before) = '$time_of_it', $of_before\::snowflake > now(), snowflake_time(1,
    'twitter') = '2010-11-04 01:42:54.657Z', count(*) FROM snowid_layouts";
$node->stop;
my $log_before = -s $node->logfile;
{
    local %ENV = (%ENV, faked_clock($clock));
    set_clock($clock, 86400 - time);
    $node->start;
}
is($node->safe_psql('postgres', 'SELECT extract(year FROM now())'), '1970', 'a server in 1970');
is($node->safe_psql('postgres', "SELECT DISTINCT extract(year FROM backend_start) FROM pg_stat_activity"), '1970',
    'and so are all of its processes');
is($node->safe_psql('postgres', $read), 't|t|t|10', 'ids are decoded, compared with times and read in other layouts');
my $before_epoch = qr/the clock is before the epoch of the snowflake layout.*DETAIL:.*1970.*HINT:/s;
fails_with($node, 'SELECT snowflake_next()', '58000', $before_epoch, 'a snowflake in 1970');
fails_with($node, 'SELECT snowflake_next_batch(10)', '58000', $before_epoch, 'a batch of them');
fails_with($node, "SET statement_timeout = '10s'; SELECT sno_next(1)", '22008', qr/the clock is outside the range of snos/, 'a sno');
fails_with($node, 'SELECT ksuid_next()', '22008', qr/out of range for ksuid/, 'a ksuid');
fails_with($node, "SELECT snowid_generator_create('early', layout => 'default')", '22023', qr/The epoch 2024-01-01 is in the future/,
    'a generator');
$node->safe_psql('postgres', 'CREATE DATABASE young');
fails_with($node, 'CREATE EXTENSION snowid', '22023', qr/The epoch 2024-01-01 is in the future/, 'the record of a layout',
    dbname => 'young');
$node->safe_psql('postgres', "SELECT snowid_generator_create('unused', worker => 9)");
fails_with($node, "SELECT snowflake_next('unused')", '58000', $before_epoch, 'a generator that has made nothing yet');
$node->reload;
$node->safe_psql('postgres', 'SELECT pg_sleep(0.2)');
unlike(substr(slurp_file($node->logfile), $log_before), qr/invalid value for parameter/, 'the setting of the layout stands');
set_clock($clock, 2 * 86400 + 400);
cmp_ok($node->safe_psql('postgres', 'SELECT snowflake_next()'), '>', $of_before, 'the clock is set right: ids go on above the last');

$node->stop;
done_testing();
