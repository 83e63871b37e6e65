# What doc/generators.md shows over two servers, run as it stands there: one partition on both, and a logical shard that
# moves to a server whose clock is behind, under writers who go on until they cannot and begin again as soon as they can.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %server = (first => new_server('first', 'snowid.worker_id = 1'), second => new_server('second', 'snowid.worker_id = 2'));
$server{first}->start;
{
    local %ENV = (%ENV, faked_clock($clock));
    set_clock($clock, -1);
    $server{second}->start;
}
for my $node (values %server) { $node->safe_psql('postgres', 'CREATE EXTENSION snowid'); }


sub on { return $server{ $_[0] }->safe_psql('postgres', $_[1]); }
sub received { return map { split /\n/, slurp_file($_) } @_; }
sub files { return map { "$folder/$_[0]_$_" } 1, 2; }
sub writers {
    my ($where, $name, $query) = @_;
    return map { writer_start($server{$where}, $_, query => $query, pause => 0) } files($name);
}
sub insert { return "INSERT INTO shard_$_[0].orders (item) VALUES ('an item') RETURNING id"; }

# The page's commands for a shell.
sub in_shell {
    my ($text) = @_;
    local %ENV = (%ENV, map { uc($_) => $server{$_}->connstr('postgres') } keys %server);
    command_ok([ 'sh', '-euc', "cd '$folder'\n$text" ], 'in the shell: ' . (split /\n/, $text)[0]);
}

# Before its first id the second server has a clock that is 1 s behind the last one of the first, however long it took to
# move the rows, and to ask.
sub keep_clock_behind {
    my ($last) = sort { $b <=> $a } received(files('from'));
    my $last_time = on('first', "SELECT extract(epoch FROM snowflake_time($last))");
    my $behind = 0;
    for (1 .. 20) {
        set_clock($clock, $last_time - 1 - time());
        $behind = on('second', "SELECT extract(epoch FROM clock_timestamp()) < $last_time - 0.7") eq 't';
        last if $behind;
    }
    ok($behind, 'the clock of the second server is behind');
}

my (@shared, @stays, @moves);
my %before = (
    'CREATE SCHEMA' => sub {
        push @shared, writers($_, "shared_$_", "SELECT sno_next(0, 'shared')") for 'first', 'second';
        sleep(2);
        ok(ids_go_on([ map { files("shared_$_") } 'first', 'second' ]), 'both servers make ids of one partition');
        writer_stop(@shared);
    },
    'LOCK TABLE' => sub {
        push @moves, writer_start($server{first}, "$folder/from_slowly", query => insert(2) . ', pg_sleep(3)');
        $server{first}->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    },
    'generator_restore' => \&keep_clock_behind,
    'generator_drop' => sub { ok(ids_go_on([ files('to') ], more => 300), 'the shard goes on where it has moved'); },
);
my %after = (
    'CREATE SCHEMA' => sub {
        @stays = writers('first', 'stays', insert(1));
        @moves = (writers('first', 'from', insert(2)), writers('second', 'to', insert(2)));
        ok(ids_go_on([ files('stays'), files('from') ], more => 300), 'both shards are written on the first server');
    },
    'LOCK TABLE' => sub { ok(ids_stand([ files('from') ]), 'its writers are stopped'); },
);

my $page = slurp_file('doc/generators.md');
while ($page =~ /^```(?:sql on the (first|second) server|sh)\n(.*?)^```$/msg) {
    my ($where, $text) = ($1, $2);
    my $at = pos($page);
    $_->() for map { delete $before{$_} } grep { $text =~ /$_/ && $before{$_} } keys %before;
    $where ? on($where, $text) : in_shell($text);
    $_->() for map { delete $after{$_} } grep { $text =~ /$_/ && $after{$_} } keys %after;
    pos($page) = $at;
}
is_deeply([ keys %before, keys %after ], [], 'the page has all steps');
ok(ids_go_on([ files('stays'), files('to') ]), 'both shards go on');
writer_stop(@stays, @moves);

check_texts('one partition on two servers', map { files("shared_$_") } 'first', 'second');
check_ids('a shard that stays, and one that moves', "$folder/from_slowly", map { files($_) } 'stays', 'from', 'to');
my ($last, $first) = ((sort { $b <=> $a } received(files('from')))[0], (sort { $a <=> $b } received(files('to')))[0]);
cmp_ok($last, '<', $first, 'ids ascend over the move');
is(on('second', 'SELECT DISTINCT snowflake_worker(id) FROM shard_2.orders'), 102, 'the number of the shard moves along');
my $all = join(',', received(files('from'), "$folder/from_slowly", files('to')));
is(on('second', "SELECT count(*) FROM unnest('{$all}'::bigint[]) AS id WHERE id NOT IN (SELECT id FROM shard_2.orders)"), 0,
    'and every row does');
my %refused = refusals(files('from'), "$folder/from_slowly", files('to'));
is_deeply([ grep { !/does not exist|there is no generator "shard_2"/ } keys %refused ], [],
    'writers were told nothing but that the shard is not there');

done_testing();
