# What the page on int keys that run out shows, on a server without the library in shared_preload_libraries and without a
# number: it needs no ids of ours. PostgreSQL 15 and 16 make none there.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

$node = new_server('widen', "shared_preload_libraries = ''", 'client_min_messages = warning');
$node->adjust_conf('postgresql.conf', 'snowid.worker_id', undef);
$node->start;
sql('CREATE EXTENSION snowid');
is(sql('SHOW shared_preload_libraries'), '', 'nothing is preloaded');
like(($node->psql('postgres', 'SELECT snowflake_next()'))[2], qr/ERROR/, 'and no snowflakes are made')
    if sql('SHOW server_version_num') < 170000;
for my $block (slurp_file('doc/int-runs-out.md') =~ /^```sql\n(.*?)^```$/msg) {
    my ($status, undef, $err) = $node->psql('postgres', $block, on_error_stop => 1);
    is($status, 0, 'runs: ' . (split /\n/, $block)[0]) or diag($err);
}
is(sql("SELECT string_agg(attrelid::regclass || '.' || attname || ' ' || atttypid::regtype, ', ' ORDER BY 1) FROM (SELECT *
    FROM pg_attribute WHERE attrelid IN ('customer'::regclass, 'purchase'::regclass)
    AND attnum > 0 AND attname LIKE '%id' ORDER BY attrelid, attnum) AS a"),
        'customer.id bigint, purchase.customer_id bigint, purchase.id bigint', 'keys and what refers to them are wide');
is(sql("SELECT attidentity FROM pg_attribute WHERE attrelid = 'purchase'::regclass AND attname = 'id'"), 'a', 'an identity stays one');
is(sql('INSERT INTO purchase (customer_id, cents) SELECT max(id), 5 FROM customer RETURNING id, customer_id'), '2|3000000001',
    'numbers go on, also beyond 32 bits');
$node->stop;
done_testing();
