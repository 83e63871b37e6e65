# The SQL in the README and the docs runs: every page in a database of its own, its blocks from top to bottom.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $node = new_server('docs');
$node->start;

my $blocks = 0;
for my $page (sort(glob('README.md doc/*.md doc/*/*.md'))) {
    my @sql = slurp_file($page) =~ /^```sql\n(.*?)^```$/msg or next;
    $blocks += @sql;
    (my $database = $page) =~ s/\W/_/g;
    $node->safe_psql('postgres', "CREATE DATABASE \"$database\"");
    my $text = join("\n", @sql);
    $text = "CREATE EXTENSION snowid;\n$text" unless $text =~ /^CREATE EXTENSION snowid/m;
    my ($status, $out, $err) = $node->psql($database, $text, on_error_stop => 1);
    is($err, '', "$page runs");
}
cmp_ok($blocks, '>', 0, 'there are examples');

done_testing();
