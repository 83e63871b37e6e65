# Every function of the extensions, with whatever somebody can hand to it: by a role without rights, and by a superuser. No call crashes the
# server, and none raises an internal error. What is called, and how, is in every_call.sql.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

# A usual run makes one call in four, others each time.
my $one_in = usual_or_long(4, 1);
my $from = seed() % $one_in;
my $node = new_server('any_call', 'log_min_messages = fatal', 'autovacuum = off', 'max_prepared_transactions = 2');
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE stranger LOGIN');
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
for my $role ('stranger', $superuser) {
    $node->safe_psql('postgres', "DROP DATABASE IF EXISTS calls");
    $node->safe_psql('postgres', "CREATE DATABASE calls");
    $node->safe_psql('calls', 'CREATE EXTENSION snowid; CREATE EXTENSION snowid_convert; CREATE EXTENSION snowid_directory');
    my ($out, $err) = ('', '');
    IPC::Run::run([ 'psql', '-XAt', '-v', "role=$role", '-v', "one_in=$one_in", '-v', "from=$from", '-d', $node->connstr('calls'),
        '-f', 'test/tap/every_call.sql' ], '>', \$out, '2>', \$err);
    is($out =~ /all was called$/ ? 'all' : $out, 'all', "$role: the server is there after all calls");
    my @bad = $err =~ /(ERROR:  XX.*\n.*STATEMENT: .{0,400}|server closed the connection.*|psql:.*syntax error.*)/g;
    is(join("\n", @bad[0 .. ($#bad < 9 ? $#bad : 9)]), '', "$role: no internal error");
    my %state;
    $state{$_}++ for $err =~ /ERROR:  (\w{5})$/mg;
    my $calls = $node->safe_psql('calls', 'SELECT count(*) FROM calls.statement' . ($role eq 'stranger' ? ' WHERE for_all IS NOT NULL' :
        ''));
    cmp_ok($calls, '>', 5000 / $one_in, "$role: $calls calls");
    # most of them must reach the function, though a third of the functions are not for everybody
    cmp_ok(($state{42501} // 0) + ($state{42883} // 0) + ($state{42601} // 0) + ($state{'25P02'} // 0), '<', $calls / 3,
        "$role: " . join(', ', map { "$_ $state{$_}" } sort keys %state));
}
# What takes internal arguments is called by PostgreSQL alone. The planner puts those of filters into plans, so whoever runs these
# executes them; but nobody can write such a call.
my @of_plans = split /\n/, $node->safe_psql('calls', q{SELECT format('SELECT %s(%s)', oid::regproc, (SELECT string_agg('NULL::' || a, ', ')
    FROM unnest(args) AS a))
    FROM calls.functions WHERE 'internal'::regtype = ANY (args) AND has_function_privilege('stranger', oid, 'EXECUTE') ORDER BY oid});
is(scalar(grep { !/_or_null\(/ } @of_plans), 0, 'what takes internal arguments cannot be executed, but for what filters imply');
my @callable = grep { ($node->psql('calls',
    "SET ROLE stranger;
        $_"))[2] !~ /cannot cast type unknown to internal|cannot accept a value of type internal|does not exist/ } map { ($_,
        s/NULL::internal/NULL/r) } @of_plans;
is("@callable", '', scalar(@of_plans) . ' of those, which nobody can call');
my $planned = $node->safe_psql('calls', slurp_file('test/tap/every_support.sql'));
cmp_ok($planned, '>', 1000, "$planned calls of functions with our support are planned");
unlike(slurp_file($node->logfile), qr/TRAP|PANIC|terminated by signal/, 'nothing in the log says otherwise');

done_testing();
