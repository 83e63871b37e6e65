# The SQL in the README and the docs runs: every page in a database of its own, its blocks from top to bottom. Errors that a
# block marked as refused shows below its statements are those that it gets. A block marked as output shows what psql shows
# for the block above it; only digits may differ. The tables of the reference are what the catalogue says: tools/reference
# writes them.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $node = new_server('docs', "timezone = 'UTC'", 'client_min_messages = warning', 'fsync = on');
$node->start;

# A time's fraction has no trailing zeroes, so widths differ too.
sub shape {
    my ($output) = @_;
    $output =~ s/\d+(\.\d+)?/0/g;
    $output =~ s/([- ])\1+/$1/g;
    return join("\n", map { s/^ | $//gr } grep { $_ ne '' } split(/\n/, $output));
}

my $blocks = 0;
for my $page (sort(glob('README.md doc/*.md doc/*/*.md'))) {
    my ($told, @sql, @shown) = ('');
    my $text = slurp_file($page);
    # A shell that is typed into may have no comments, as zsh has none, and would run what stands behind a ; there.
    my @comments = map { /^(?:.* )?#.*/mg } $text =~ /^```sh\b[^\n]*\n(.*?)^```/msg;
    is("@comments", '', "$page, no comments for a shell");
    while ($text =~ /^```sql( refused)?\n(.*?)^```\n(?:\n```output\n(.*?)^```\n)?/msg) {
        my ($refused, $block, $output) = ($1, $2, $3);
        push @shown, $output // '';
        $block = "\\t off\n\\pset format aligned\n$block\\t on\n\\pset format unaligned\n" if defined $output;
        my $answer = join('', $block =~ /^((?:ERROR|DETAIL|HINT):  .*\n)/mg);
        $told .= $answer;
        $block =~ s/^(ERROR|DETAIL|HINT):  .*\n//mg;
        $block .= "\\qecho end of a block\n";
        push @sql, $refused ? "\\set ON_ERROR_STOP 0\n$block\\set ON_ERROR_STOP 1\n" : $block;
    }
    next unless @sql;
    $blocks += @sql;
    (my $database = $page) =~ s/\W/_/g;
    $node->safe_psql('postgres', "CREATE DATABASE \"$database\"");
    $text = join("\n", @sql);
    $text = "CREATE EXTENSION snowid;\n$text" unless $text =~ /^CREATE EXTENSION snowid\b/m;
    $text = "SET client_min_messages = error;  -- the server's worker id does not count\n\\i plain/snowid.sql\nRESET client_min_messages;\n$text"
        if $page eq 'doc/plain.md';
    my ($status, $out, $err) = $node->psql($database, $text, on_error_stop => 1);
    $err =~ s/^psql:<stdin>:\d+: //mg;
    $err =~ s/^LINE \d+: .*\n *\^\n?|^CONTEXT:  .*(?:\n(?:SQL statement|PL\/pgSQL function) .*)*(?:\n|\z)//mg;
    chomp($err, $told);
    is($err, $told, "$page runs");
    my @was = split(/^end of a block$/m, $out);
    is(shape($was[$_] // ''), shape($shown[$_]), "$page, output " . ($_ + 1)) for grep { $shown[$_] ne '' } 0 .. $#shown;
}
cmp_ok($blocks, '>', 0, 'there are examples');

$node->safe_psql('postgres', 'CREATE DATABASE reference');
$node->safe_psql('reference', 'CREATE EXTENSION snowid');
my $reference = join('', map { slurp_file($_) } glob('doc/reference*.md'));
my $catalogue = slurp_file('doc/reference.sql');
my %tables = map { /^\s*([^\x1f]+)\x1f(.*?)\s*$/s ? ($1, $2) : () }
    split /\x1e/, $node->safe_psql('reference', "\\pset fieldsep \x1f\n\\pset recordsep \x1e\n$catalogue");
cmp_ok(scalar(keys %tables), '>', 20, 'the catalogue has tables for the reference');
while ($reference =~ /^<!-- generated: (.+?) -->\n\|.*\n\|.*\n((?:\|.*\n)*)/mg) {
    my ($table, $rows) = ($1, $2);
    chomp $rows;
    is($rows, delete $tables{$table}, "the reference, $table");
}
is(join(', ', sort keys %tables), '', 'the reference has all of them');
my @names = split /\n/, $node->safe_psql('reference',
    q{SELECT DISTINCT proname FROM pg_depend JOIN pg_proc p ON classid = 'pg_proc'::regclass
    AND objid = p.oid AND pronamespace::regnamespace::text !~ '^_snowid' WHERE refclassid = 'pg_extension'::regclass
        AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('snowid', 'snowid_convert'))});
is(join(', ', grep { $reference !~ /`\Q$_\E[`(]/ } @names), '', 'each of ' . @names . ' functions is found by its name');

done_testing();
