# Ids of given times are not made again after a restore or a failover that loses some of them, although their callers give
# the same times again. If nothing was lost, a person can say so. Nor are they dated before a time that a superuser names.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my %type = (history => 'snowflake', seconds => 'snowflake', few => 'snowflake', future => 'snowflake', snos => 'sno');
sub at { my ($name) = @_; return "$type{$name}_at(t, '$name')" }

# The ids of so many times, or of those up to the first that is refused; and the error.
sub ids_at {
    my ($node, $name, $begin, $step, $count) = @_;
    my $session = client($node->host, $node->port, 'postgres');
    my $answer = client_query($session, "SELECT @{[at($name)]} FROM (SELECT timestamptz '$begin' + n * interval '$step' AS t
        FROM generate_series(1, $count) AS n OFFSET 0) AS given");
    return ($answer->{rows}, $answer->{error} // '');
}
sub common {
    my ($a, $b) = @_;
    my %seen = map { $_ => 1 } @$a;
    return scalar grep { $seen{$_} } @$b;
}
sub named_by_check {
    my ($node) = @_;
    return $node->safe_psql('postgres', q(SELECT coalesce(string_agg(substring(finding FROM 'generator (\S+)'), ',' ORDER BY finding), '')
        FROM snowid_check() WHERE what_to_do ~ 'snowid_generator_accept'));
}
sub create {
    my ($node) = @_;
    $node->safe_psql('postgres', q(CREATE EXTENSION snowid; CREATE ROLE clerk;
        SELECT snowid_generator_create('history', worker => 20, backfill => true), snowid_generator_create('seconds', worker => 21,
            backfill => true),
            snowid_generator_create('few', worker => 22, backfill => true, sequence_max => 3),
            snowid_generator_create('future', worker => 23, backfill => true, future => true),
            snowid_generator_create('snos', 'sno', partition => 20, backfill => true)));
}

# point-in-time recovery: all generators are there before the target, and first used after it
my $node = new_server('origin', 'archive_mode = on');
$node->append_conf('postgresql.conf', "archive_command = 'cp \"%p\" \"" . $node->archive_dir . "/%f\"'");
mkdir $node->archive_dir;
$node->start;
create($node);
$node->backup('base');
$node->safe_psql('postgres', "SELECT pg_create_restore_point('target')");
my $lately = $node->safe_psql('postgres', "SELECT now() - interval '2 s'");
my %lost = map { $_->[0] => (ids_at($node, @$_))[0] }
    [ 'history', '2024-05-01Z', '1 min', 500 ], [ 'snos', '2024-05-01Z', '1 min', 500 ], [ 'future', '2060-05-01Z', '1 min', 500 ],
        [ 'seconds', $lately, '1 ms', 500 ];
is(join(',', map { scalar @{ $lost{$_} } } sort keys %lost), '500,500,500,500', 'ids after the target');

# as many as a tick has room for, again and again, do not run away from the clock
my $soon = $node->safe_psql('postgres', "SELECT now() + interval '1.5 s'");
my ($few) = ids_at($node, 'few', $soon, '0', 20_000);
cmp_ok($node->safe_psql('postgres', "SELECT snowflake_time($few->[-1]) - clock_timestamp() < interval '4.05 s'"), 'eq', 't',
    'many ids of one time near the clock stay near it');
$node->safe_psql('postgres', 'SELECT pg_switch_wal()');
is(named_by_check($node), '', 'snowid_check() has nothing to say');
$node->stop;

my $restored;
sub again {
    my ($what, @names) = @_;
    for my $name (@names) {
        my ($ids, $error) = ids_at($restored, $name, ($name eq 'future' ? '2060' : '2024') . '-05-01Z', '1 min', 500);
        is(common($lost{$name}, $ids), 0, "$what: no id of $name is made again");
        like($error, qr/^55000 the last ids of generator "$name" may be lost/, "$what: $name says why");
    }
}

# WAL is lost on the same timeline: a recovery ends without a promotion, or a base backup is started without a recovery, also where
# the first start has no worker
for my $way ('shutdown', 'no_recovery', 'single_user', 'no_worker') {
    $restored = Server->new($way);
    $restored->init_from_backup($node, 'base', $way eq 'shutdown' ? (has_restoring => 1, standby => 0) : ());
    $restored->append_conf('postgresql.conf', "recovery_target_name = 'target'\nrecovery_target_action = 'shutdown'\narchive_mode = off");
    if ($way eq 'shutdown') {
        $restored->run_log([ 'postgres', '-D', $restored->data_dir ]);
        unlink($restored->data_dir . '/recovery.signal') or die $!;
    }
    $restored->run_log([ 'postgres', '--single', '-D', $restored->data_dir, 'postgres' ], '<', \'') or die if $way eq 'single_user';
    if ($way eq 'no_worker') {
        $restored->append_conf('postgresql.conf', 'max_worker_processes = 0');
        $restored->start;
        $restored->stop;
        $restored->append_conf('postgresql.conf', 'max_worker_processes = 8');
    }
    $restored->start;
    again($way, 'history', 'snos', 'future');
    is(named_by_check($restored), 'few,future,history,seconds,snos', "$way: snowid_check() names them all");
    $restored->stop('immediate');
    $restored->start;
    again("$way, and after a crash", 'history', 'snos', 'future');
    $restored->safe_psql('postgres', "SELECT snowid_generator_accept('history')");
    $restored->restart;
    is(named_by_check($restored), 'few,future,seconds,snos', "$way: what somebody has accepted stays so");
    $restored->stop;
}

$restored = Server->new('restored');
$restored->init_from_backup($node, 'base', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', "recovery_target_name = 'target'\nrecovery_target_action = 'promote'\narchive_mode = off");
my $mark = $restored->data_dir . '/snowid_lost_wal';
append_to_file($mark, '');
$restored->start;
ok(!-e $mark, 'a recovery forgets a start without one');
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die;
again('restored', 'history', 'snos', 'future');
is(named_by_check($restored), 'few,future,history,seconds,snos', 'snowid_check() names them all');
fails_with($restored, "SELECT snowflake_at('2024-05-01 12:00Z', 'history')", '55000',
    qr/DETAIL:  After a restore or a failover, this server knows none of them\. It makes ids of times from .* on\.\nHINT:  Make another.*snowid_generator_accept/s,
        'an old time');
$restored->stop('immediate');
$restored->start;
again('and after a crash', 'history', 'snos', 'future');

# times of now go on, above all that was made; then the generator has a row of its own again
my ($seconds, $error) = ids_at($restored, 'seconds', $lately, '1 ms', 500);
is(scalar(@$seconds) . $error, 500, 'times of the last hour are given again');
is(common($lost{seconds}, $seconds), 0, 'and their ids are new');
my ($few_again) = ids_at($restored, 'few', $soon, '0', 3_000);
is(scalar(@$few_again) . '/' . common($few, $few_again), '3000/0', 'also of those that had come far ahead of the clock');
is(named_by_check($restored), 'future,history,snos', 'they are no longer named');
$restored->stop('immediate');
$restored->start;
($seconds) = ids_at($restored, 'seconds', $lately, '1 ms', 500);
is(common($lost{seconds}, $seconds), 0, 'nor are they after another crash');

# what was said before does not undo it
$restored->safe_psql('postgres', "SELECT snowid_horizon_advance('2024-02-01Z')");
again('a superuser names an early time', 'history', 'snos', 'future');
for my $name ('history', 'future') {
    fails_with($restored, "SELECT $_", '55000', qr/the last ids of generator "$name" may be lost/,
        $_) for "snowid_generator_snapshot('$name')", "snowid_generator_rewind('$name', '2024-03-01Z')";
}
$restored->safe_psql('postgres', "SELECT snowid_generator_drop('history'); SELECT snowid_generator_drop('future')");
my ($status, $out, $err) = $restored->psql('postgres', "SELECT snowid_generator_create('history', worker => 20, backfill => true)");
like($err, qr/NOTICE:  this server was restored or has failed over.*generator with the same worker was lost/s,
    'a new generator may have the number of one that is lost');
my ($ids) = ids_at($restored, 'history', '2024-05-01Z', '1 min', 500);
is(common($lost{history}, $ids), 0, 'the next one with the number does not make them either');
fails_with($restored, "SELECT snowid_generator_create('any', worker => 23)", '55000',
    qr/could make the same ids as one whose last ids may be lost.*DETAIL:  That one had worker 23 too/s,
    'nobody gets the number of one of the future');
$restored->safe_psql('postgres', "SELECT snowid_generator_create('other', worker => 24, backfill => true)");
$type{other} = 'snowflake';
($ids, $error) = ids_at($restored, 'other', '2024-05-01Z', '1 min', 500);
is(scalar(@$ids) . $error . '/' . common($lost{history}, $ids), '500/0', 'one with another number makes ids of these times');
$restored->stop;

# a failover with lag, then a planned switchover, and one more
my $a = new_server('a', 'wal_keep_size = 256MB', 'snowid.clock_drift = 2s');
$a->start;
create($a);
my %before = map { $_->[0] => (ids_at($a, @$_))[0] } [ 'history', '2024-05-01Z', '1 min', 100 ], [ 'snos', '2024-05-01Z', '1 min', 100 ],
    [ 'future', '2060-05-01Z', '1 min', 100 ];
sub standby_of {
    my ($primary, $name) = @_;
    $primary->backup($name);
    my $standby = Server->new($name);
    $standby->init_from_backup($primary, $name, has_streaming => 1);
    $standby->start;
    $primary->wait_for_catchup($standby, 'replay');
    is(named_by_check($standby), '', 'a standby names none');
    return $standby;
}
my $b = standby_of($a, 'b');
$b->safe_psql('postgres', q(ALTER SYSTEM SET primary_conninfo = ''));
$b->reload;
$b->poll_query_until('postgres', 'SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)') or die;
$lately = $a->safe_psql('postgres', "SELECT now() - interval '300 ms'");
%lost = map { $_->[0] => (ids_at($a, @$_))[0] } [ 'seconds', $lately, '1 ms', 600 ], [ 'history', '2024-06-01Z', '1 min', 600 ],
    [ 'snos', '2024-06-01Z', '1 min', 600 ],
    [ 'future', '2060-06-01Z', '1 min', 600 ];
is(join(',', map { scalar @{ $lost{$_} } } sort keys %lost), '600,600,600,600', 'ids that the standby does not know');
$a->stop('immediate');
$b->promote;
$b->safe_psql('postgres', 'ALTER SYSTEM RESET primary_conninfo');
is(named_by_check($b), 'few,future,history,seconds,snos', 'a failover: snowid_check() names them');
for my $name ('history', 'snos', 'future') {
    my ($made, $why) = ids_at($b, $name, ($name eq 'future' ? '2060' : '2024') . '-06-01Z', '1 min', 600);
    is(common($lost{$name}, $made) . substr($why, 0, 5), '055000', "a failover with lag: no id of $name is made again");
}
($seconds, $error) = ids_at($b, 'seconds', $lately, '1 ms', 600);
is(common($lost{seconds}, $seconds), 0, 'nor of times of now') or diag($error);
is(scalar @$seconds, 600, 'which go on');

# a person who says that nothing was lost is believed
fails_with($b, "SET ROLE clerk; SELECT snowid_generator_accept('history')", '42501', qr/permission denied for table _snowid.generator/,
    'not everybody may say so');
$b->safe_psql('postgres', q(SELECT snowid_generator_accept(name) FROM _snowid.generator WHERE backfill AND name IN ('history', 'snos',
    'future')));
is(named_by_check($b), 'few', 'none of those that were accepted is named');
for my $name ('history', 'snos', 'future') {
    my ($made, $why) = ids_at($b, $name, ($name eq 'future' ? '2060' : '2024') . '-06-01Z', '1 min', 600);
    is(scalar(@$made) . $why . '/' . common($before{$name}, $made), '600/0', "accepted: $name goes on where its record ends");
}
my $c = standby_of($b, 'c');
$b->stop('fast');
$c->promote;
is(named_by_check($c), 'few,future,history,seconds,snos', 'a planned switchover: they wait, because a server cannot know that');
my $session = client($c->host, $c->port, 'postgres');
like(client_query($session, "SELECT snowflake_at('2024-08-01Z', 'history')")->{error}, qr/^55000/, 'a session that was refused');
$c->safe_psql('postgres', q(SELECT snowid_generator_accept(name) FROM _snowid.generator WHERE backfill));
is($c->safe_psql('postgres', "SELECT snowflake_time(snowflake_at('2024-08-01Z', 'history')) = '2024-08-01Z',
    snowflake_time(snowflake_at('2060-08-01Z', 'future')) = '2060-08-01Z', sno_time(sno_at('2024-08-01Z', 'snos')) = '2024-08-01Z'"),
    't|t|t', 'accepted: times are exact');
is(client_query($session, "SELECT snowflake_time(snowflake_at('2024-08-01 01:00Z', 'history')) = '2024-08-01 01:00Z'")->{rows}[0], 't',
    'that session goes on');
($status, $out, $err) = $c->psql('postgres', "SELECT snowid_generator_accept('history')");
like($err, qr/NOTICE:  generator "history" lost nothing, or has made ids since/, 'there is nothing more to accept');
is(named_by_check($c), '', 'snowid_check() has nothing to say');

# a restart on the same timeline changes nothing
$c->stop('immediate');
$c->start;
is(named_by_check($c) . $c->safe_psql('postgres', "SELECT snowflake_at('2024-09-01Z', 'history') > 0"), 't', 'a crash is not a restore');

# no id is dated before the time that a superuser names
$session = client($c->host, $c->port, 'postgres');
client_query($session, "SELECT snowflake_at('2024-10-01Z', 'history'), sno_at('2024-10-01Z', 'snos')");
$c->safe_psql('postgres', "SELECT snowid_horizon_advance('2025-06-01Z')");
for my $of ('history', 'snos') {
    like(client_query($session, "SELECT $type{$of}_at('2024-11-01Z', '$of')")->{error},
        qr/^22023 the times given to generator "$of" must not go back/, "$of: earlier times are refused");
    my $made = "$type{$of}_time($type{$of}_at('2025-05-31 23:59:59Z', '$of'))";
    is(client_query($session, "SELECT $made >= '2025-06-01Z' AND $made < '2025-06-01 00:00:02Z'")->{rows}[0], 't',
        "$of: times up to an hour before move up to it");
    is(client_query($session, "SELECT $type{$of}_time($type{$of}_at('2025-07-01Z', '$of')) = '2025-07-01Z'")->{rows}[0], 't',
        "$of: later ones are exact");
}
$c->stop('immediate');
$c->start;
like((ids_at($c, 'history', '2024-11-01Z', '1 s', 1))[1], qr/^22023/, 'also after a crash');

# the row of a generator of the future is lost: nobody knows what it was given
my ($of_future) = ids_at($c, 'future', '2061-05-01Z', '1 min', 500);
is(scalar @$of_future, 500, 'ids of the future');
$c->safe_psql('postgres', "SET session_replication_role = replica; DELETE FROM _snowid.horizon WHERE generator = (SELECT id
    FROM _snowid.generator WHERE name = 'future')");
$c->stop('immediate');
$c->start;
like((ids_at($c, 'future', '2061-05-01Z', '1 min', 1))[1], qr/^55000/, 'its row is lost: it makes no ids');
$c->safe_psql('postgres', 'SELECT snowid_horizon_advance(now())');
my ($again, $refused) = ids_at($c, 'future', '2061-05-01Z', '1 min', 500);
is(common($of_future, $again), 0, 'nor does it make them again when a superuser has given it a row');
like($refused, qr/^55000 the last ids of generator "future" may be lost/, 'which knows nothing of them');

# pg_resetwal -f after a crash: nothing shows what it has lost, so a superuser names the time before anybody connects
my @made = @{ (ids_at($c, 'history', '2025-08-01Z', '1 s', 3000))[0] };
my @now = split /\n/, $c->safe_psql('postgres', 'SELECT snowflake_next() FROM generate_series(1, 3000)');
$c->stop('immediate');
command_ok([ 'pg_resetwal', '-f', $c->data_dir ], 'pg_resetwal -f');
$c->start;
$c->safe_psql('postgres', "SELECT snowid_horizon_advance(now() + interval '1 s')");
my ($after, $why) = ids_at($c, 'history', '2025-08-01Z', '1 s', 3000);
my @now_again = split /\n/, $c->safe_psql('postgres', 'SELECT snowflake_next() FROM generate_series(1, 3000)');
is(common(\@made, $after) . '/' . common(\@now, \@now_again), '0/0', 'no id is made again');
like($why, qr/^22023/, 'and given times before it are refused');
$c->stop;
done_testing();
