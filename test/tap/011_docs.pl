# The SQL in the README and the docs runs: every page in a database of its own, its blocks from top to bottom. What a block
# marked as refused shows below its statements is what they are told.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $node = new_server('docs', "timezone = 'UTC'", 'client_min_messages = warning');
$node->start;

my $blocks = 0;
for my $page (sort(glob('README.md doc/*.md doc/*/*.md'))) {
    my ($told, @sql) = ('');
    my $text = slurp_file($page);
    while ($text =~ /^```sql( refused)?\n(.*?)^```$/msg) {
        my ($refused, $block) = ($1, $2);
        my $answer = join('', $block =~ /^((?:ERROR|DETAIL|HINT):  .*\n)/mg);
        $told .= $answer;
        $block =~ s/^(ERROR|DETAIL|HINT):  .*\n//mg;
        push @sql, $refused ? "\\set ON_ERROR_STOP 0\n$block\\set ON_ERROR_STOP 1\n" : $block;
    }
    next unless @sql;
    $blocks += @sql;
    (my $database = $page) =~ s/\W/_/g;
    $node->safe_psql('postgres', "CREATE DATABASE \"$database\"");
    $text = join("\n", @sql);
    $text = "CREATE EXTENSION snowid;\n$text" unless $text =~ /^CREATE EXTENSION snowid/m;
    my ($status, $out, $err) = $node->psql($database, $text, on_error_stop => 1);
    $err =~ s/^psql:<stdin>:\d+: //mg;
    chomp($err, $told);
    is($err, $told, "$page runs");
}
cmp_ok($blocks, '>', 0, 'there are examples');

done_testing();
