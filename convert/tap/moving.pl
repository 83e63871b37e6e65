# What the pages on moving show, run as it stands there, while others insert, change, move and delete: at
# the end no row is lost, none is there twice, each refers to the row that it should, and ids have the order of their times.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $rows = usual_or_long(5_000, 1_000_000);
my $folder = PostgreSQL::Test::Utils::tempdir();
$node = new_server('moving', "timezone = 'UTC'", 'max_connections = 40', "max_wal_size = '4GB'", 'client_min_messages = warning');
$node->start;

# Each statement by itself, with what is set for it; a transaction and a body between $$ are one.
sub statements {
    my ($block) = @_;
    my ($set, @statements) = '';
    while ($block =~ /\G\s*((?:--[^\n]*\n\s*)*(?:BEGIN;.*?COMMIT;|[^;\$]*\$\$.*?\$\$;|[^;]*;)[^\n]*)/gcs) {
        my $text = $1;
        if ($text =~ /^SET /) { $set = $text; next; }
        push @statements, "$set\n$text" unless $text =~ /^RESET /;
    }
    return @statements;
}

# What met a deadlock or ran into its lock_timeout is tried again, as the pages say.
sub run_block {
    my ($block) = @_;
    for my $text ($block =~ /\\gexec/ ? $block : statements($block)) {
        my ($started, $tries, $status, $out, $err) = (time(), 0);
        do {
            ($status, $out, $err) = $node->psql($database, $text, on_error_stop => 1);
            $tries++;
        } while ($status != 0 && $err =~ /deadlock detected|lock timeout|could not lock/ && $tries < 100);
        note(sprintf('%8.3f s, %d: %s', time() - $started, $tries, $text =~ s/\s+/ /gr));
        diag("$text\n$err") if $status != 0;
        return 0 if $status != 0;
    }
    return 1;
}

# Runs the blocks of a page in a database of its own. Before and after the block that a pattern matches something is done.
sub run_page {
    my ($name, $before, $after) = @_;
    $node->safe_psql('postgres', "CREATE DATABASE $name");
    $database = $name;
    sql('CREATE EXTENSION snowid');
    my $page = slurp_file("doc/moving-from-$name.md");
    my @blocks = $page =~ /^```sql\n(.*?)^```$/msg;
    for my $block (@blocks) {
        $_->() for map { delete $before->{$_} } grep { $block =~ /$_/ } keys %$before;
        run_block($block) or return ok(0, "the steps of moving from $name run");
        $_->() for map { delete $after->{$_} } grep { $block =~ /$_/ } keys %$after;
    }
    return is_deeply([ keys %$before, keys %$after ], [], "the steps of moving from $name run, and the page has all of them");
}

my (@writers, @files);
my $writers = 0;
sub write_begin {
    for my $query (@_) {
        push @files, "$folder/writer_" . $writers++;
        push @writers, writer_start($node, $files[-1], query => $query, dbname => $database, times => 1, pause => $query =~ /^DELETE/ ?
            0.05 : 0.01);
    }
}
sub write_end {
    writer_stop(splice(@writers));
    return splice(@files);
}
sub longest_wait {
    my ($longest) = sort { $b <=> $a } map { split /\n/, slurp_file("$_.longest") } @_;
    note(sprintf('%8.3f s was the longest that a writer has waited', $longest));
}
sub told_only_deadlocks {
    my ($what, @from) = @_;
    my %told = refusals(@from);
    is_deeply([ grep { !/^40P01/ } keys %told ], [], "$what: writers were told nothing but deadlocks");
}

# Tables of which one refers to the other: each row gets a tag, how often it was changed, and the tag of what it refers to.
# What happened to it is kept in `told`.
sub fill {
    my ($parent, $child, $refers) = @_;
    my $made = "timestamptz '2024-03-01' + random() * (timestamptz '2026-01-01' - timestamptz '2024-03-01')";
    sql(<<"END");
ALTER TABLE $parent ADD tag text DEFAULT gen_random_uuid(), ADD changes int NOT NULL DEFAULT 0;
ALTER TABLE $child ADD tag text DEFAULT gen_random_uuid(), ADD changes int NOT NULL DEFAULT 0, ADD refers_to text;
UPDATE $child SET refers_to = $parent.tag FROM $parent WHERE $parent.id = $refers;
INSERT INTO $parent (name, created_at) SELECT 'of old', $made FROM generate_series(1, $rows / 10);
CREATE TEMPORARY TABLE targets AS SELECT row_number() OVER () AS n, id, tag FROM $parent;
INSERT INTO $child ($refers, refers_to) SELECT id, tag FROM generate_series(1, $rows) AS g JOIN targets ON n = g % ($rows / 10) + 1;
DO \$\$ BEGIN
    UPDATE $child SET created_at = $made;
EXCEPTION WHEN undefined_column THEN NULL;
END \$\$;
ALTER TABLE $parent ADD old_id text;
ALTER TABLE $child ADD old_id text;
UPDATE $parent SET old_id = id;
UPDATE $child SET old_id = id;
CREATE TABLE told (tag text, there int, changes int);
INSERT INTO told SELECT tag, 1, changes FROM $parent UNION ALL SELECT tag, 1, changes FROM $child;
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
    IF TG_OP <> 'INSERT' THEN INSERT INTO told VALUES (OLD.tag, -1, -OLD.changes); END IF;
    IF TG_OP <> 'DELETE' THEN INSERT INTO told VALUES (NEW.tag, 1, NEW.changes); END IF;
    RETURN NULL;
END \$\$;
CREATE TRIGGER tell_change AFTER UPDATE OF changes ON $parent FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER tell_change AFTER UPDATE OF changes ON $child FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER tell AFTER INSERT OR DELETE ON $parent FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TRIGGER tell AFTER INSERT OR DELETE ON $child FOR EACH ROW EXECUTE FUNCTION tell();
VACUUM ANALYZE;
END
}

sub a_row { return "(SELECT id FROM $_[0] TABLESAMPLE SYSTEM (" . 30000 / $rows . ') LIMIT 1)'; }

sub write_to {
    my ($parent, $child, $refers) = @_;
    my $target = "(SELECT id, tag FROM $parent WHERE id = " . a_row($parent) . ' FOR KEY SHARE)';
    write_begin(
        "INSERT INTO $parent (name) VALUES ('new') RETURNING tag",
        "INSERT INTO $child ($refers, refers_to) SELECT id, tag FROM $target AS target RETURNING tag",
        "UPDATE $child SET changes = changes + 1 WHERE id = " . a_row($child) . ' RETURNING tag',
        "WITH target AS $target UPDATE $child SET $refers = target.id, refers_to = target.tag FROM target WHERE $child.id = "
            . a_row($child) . " RETURNING $child.tag",
        "UPDATE $parent SET changes = changes + 1 WHERE id = " . a_row($parent) . ' RETURNING tag',
        "DELETE FROM $child WHERE id = " . a_row($child) . ' RETURNING tag',
        "DELETE FROM $parent WHERE id = " . a_row($parent) . ' RETURNING tag');
    ok(ids_go_on([@files]), "$parent and $child are written");
}

sub check_moved {
    my ($parent, $child, $refers) = @_;
    ok(ids_go_on([@files]), "$parent and $child are still written");
    my @written = write_end();
    longest_wait(@written);
    told_only_deadlocks("$parent and $child", @written);
    is(sql(<<"END"), '0', 'no row is lost, and no change');
SELECT count(*) FROM (SELECT tag, sum(there) AS there, sum(changes) AS changes FROM told GROUP BY tag HAVING sum(there) <> 0) AS told
    FULL JOIN (SELECT tag, changes FROM $parent UNION ALL SELECT tag, changes FROM $child) AS found USING (tag)
    WHERE there IS DISTINCT FROM 1 OR told.changes IS DISTINCT FROM found.changes
END
    is(sql("SELECT count(*) - count(DISTINCT id) FROM $parent"), '0', "no id of $parent is there twice");
    is(sql("SELECT count(*) - count(DISTINCT id) FROM $child"), '0', "no id of $child is there twice");
    is(sql("SELECT count(*) FROM $child LEFT JOIN $parent ON $parent.id = $refers WHERE refers_to IS DISTINCT FROM $parent.tag"),
        '0', 'each row refers to the one that it should');
    is(sql(<<"END"), "f:true\np:true\np:true", 'keys are as they were');
SELECT contype::text || ':' || convalidated FROM pg_constraint WHERE contype IN ('f', 'p') AND conrelid IN ('$parent'::regclass,
    '$child'::regclass) ORDER BY 1
END
    is(sql("SELECT string_agg(atttypid::regtype || ' ' || attnotnull, ', ') FROM pg_attribute WHERE (attrelid, attname)
        IN (('$parent'::regclass, 'id'), ('$child'::regclass, 'id'), ('$child'::regclass, '$refers'))"),
        'bigint true, bigint true, bigint true', 'and are bigints');
    is(sql("SELECT count(*) FROM pg_attribute WHERE attrelid IN ('$parent'::regclass, '$child'::regclass)
        AND (attname LIKE '%new' OR attname LIKE 'snowid%') AND NOT attisdropped"), '0',
        'nothing is left behind');
}

# --- from bigserial -----------------------------------------------------------------------------------------------------

my @from_sequence;
run_page('bigserial', {
    'snowid_convert_plan..orders' => sub {
        sql("INSERT INTO orders (item) SELECT 'an item' FROM generate_series(1, $rows)");
        write_begin(("INSERT INTO orders (item) VALUES ('an item') RETURNING id") x 2);
        write_begin("INSERT INTO invoice (order_id, cents) VALUES (1, 1) RETURNING id");
        ok(ids_go_on([@files]), 'orders and invoices are written');
    },
    'CREATE TABLE account' => sub { ok(ids_go_on([@files]), 'they go on by the sequences'); push @from_sequence, write_end(); },
}, {
    'CALL snowid_convert..orders..;' => sub {
        ok(ids_go_on([@files]), 'they go on with snowflakes');
        my @switched = write_end();
        check_ids("the switch of $_", $_) for @switched;
        told_only_deadlocks('the switch', @switched);
        longest_wait(@switched);
        is(sql('SELECT count(*) FROM orders WHERE id > 1000000000000000') > 0, 1, 'there are snowflakes among them');
        write_begin("INSERT INTO orders (item) VALUES ('an item') RETURNING id",
            'INSERT INTO invoice (order_id, cents) VALUES (1, 1) RETURNING id');
        @from_sequence = @switched;
    },
});
told_only_deadlocks('orders and invoices', @from_sequence);
check_unique('orders, there and back', @from_sequence[0, 1, 3]);
check_unique('invoices, there and back', @from_sequence[2, 4]);

# --- an int column, while others work, killed again and again -------------------------------------------------------------

sql(<<'END');
CREATE TABLE holder (id serial PRIMARY KEY, name text, friend int REFERENCES holder ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE transfer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, holder_id int NOT NULL REFERENCES holder ON DELETE CASCADE
    ON UPDATE CASCADE, cents int, CHECK (holder_id > 0));
CREATE INDEX ON transfer (holder_id);
CREATE INDEX ON holder (friend);
INSERT INTO holder (name) VALUES ('Ada');
INSERT INTO transfer (holder_id, cents) VALUES (1, 350);
END
fill('holder', 'transfer', 'holder_id');
sql('UPDATE holder SET friend = 1 WHERE id % 7 = 0');
write_to('holder', 'transfer', 'holder_id');
write_begin('UPDATE holder SET friend = (SELECT id FROM holder WHERE id = ' . a_row('holder') . ' FOR KEY SHARE) WHERE id = ' .
    a_row('holder') . ' RETURNING tag');

# Runs the plan in psql, as the page shows it, and gives the server no time to end when it is killed.
sub plan_start {
    my ($table) = @_;
    my $pid = fork() // die $!;
    return $pid if $pid;
    open(STDOUT, '>>', "$folder/plan") and open(STDERR, '>&', \*STDOUT) or POSIX::_exit(1);
    exec('psql', '-X', '-h', $node->host, '-p', $node->port, '-d', $database, '-v', 'ON_ERROR_STOP=1', '-c',
        "SET application_name = 'mover'", '-f', "$folder/plan.sql") or POSIX::_exit(1);
}
sub left_to_do { my ($table, $how) = @_; return sql("SELECT count(statement) FROM snowid_convert_plan('$table', online => true$how)"); }

my $kills = usual_or_long(4, 20);
seed();
sub move_under_kills {
    my ($table, $how) = (@_, '');
    my ($file, $tries) = ("$folder/plan.sql", 0);
    open(my $handle, '>', $file) or die $!;
    print $handle "\\timing on\nSELECT statement FROM snowid_convert_plan('$table', online => true$how) WHERE statement IS NOT NULL ORDER BY step \\gexec\n";
    close $handle;
    for my $kill (1 .. $kills / 2) {
        last unless left_to_do($table, $how);
        my $pid = plan_start($table);
        sleep(rand(1 + $rows / 100000));
        my $mover = sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'mover' AND backend_type = 'client backend'");
        if ($kill % 3 == 0) {
            kill_postmaster($node);
            start_again($node);
            accepts_connections($node);
        } elsif ($mover) {
            sql("SELECT pg_terminate_backend($mover)");
        }
        waitpid($pid, 0);
        note('killed; ' . left_to_do($table, $how) . " statements are left for $table");
    }
    while (left_to_do($table, $how) && $tries++ < 200) {
        waitpid(plan_start($table), 0);
    }
    is(left_to_do($table, $how), 0, "$table has moved") or diag(slurp_file("$folder/plan"));
    note(slurp_file("$folder/plan"));
    unlink("$folder/plan");
}
for my $table ('holder', 'transfer') {
    move_under_kills($table);
    is(sql("SELECT count(*) FROM $table WHERE old_id <> id::text"), '0', 'old rows keep their ids');
}
ok(ids_go_on([@files], more => 20), 'they are written after the swap');
is(sql("SELECT count(*) > 0 FROM holder WHERE id::snowflake > now() - interval '1 hour'"), 't', 'new ones have snowflakes');
is(sql("SELECT count(*) FROM pg_constraint WHERE conrelid = 'holder'::regclass AND contype = 'f' AND convalidated"), '1',
    'the foreign key to itself is there');
sql("ALTER TABLE holder DROP CONSTRAINT holder_friend_fkey");
check_moved('holder', 'transfer', 'holder_id');

# --- int keys that run out: they keep their numbers, and are killed again and again ------------------------------------------

sql(<<'END');
DROP TABLE told;
DROP FUNCTION tell CASCADE;
CREATE TABLE tenant (id serial PRIMARY KEY, name text, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE deposit (id int GENERATED ALWAYS AS IDENTITY (CACHE 3) PRIMARY KEY, tenant_id int NOT NULL REFERENCES tenant
    ON DELETE CASCADE);
CREATE INDEX ON deposit (tenant_id);
END
fill('tenant', 'deposit', 'tenant_id');
write_to('tenant', 'deposit', 'tenant_id');
move_under_kills($_, ", target => 'bigserial'") for 'deposit', 'tenant';
is(sql("SELECT string_agg(seqtypid::regtype::text, ',') FROM pg_sequence WHERE seqrelid IN ('tenant_id_seq'::regclass,
    'deposit_id_seq'::regclass)"), 'bigint,bigint', 'their sequences go beyond 32 bits');
is(sql("SELECT attidentity FROM pg_attribute WHERE attrelid = 'deposit'::regclass AND attname = 'id'"), 'a', 'an identity is one');
is(sql("SELECT max(id) < 100000000 FROM $_"), 't', "new ids of $_ are the next numbers") for 'tenant', 'deposit';
is(sql("SELECT count(*) FROM $_ WHERE old_id <> id::text"), '0', "old rows of $_ keep their ids") for 'tenant', 'deposit';
sql("SELECT setval('tenant_id_seq', 5000000000), setval('deposit_id_seq', 5000000000)");
ok(ids_go_on([@files], more => 20), 'they are written with larger numbers');
is(sql("SELECT max(id) > 5000000000 FROM $_"), 't', "of $_") for 'tenant', 'deposit';

# Then they get snowflakes, with the old numbers kept in step, and these back in a moment.
move_under_kills('tenant', ', keep => true');
ok(ids_go_on([@files], more => 20), 'they are written with snowflakes');
is(sql("SELECT count(*) > 0 FROM tenant WHERE id > 1000000000000000 AND old_id_2 < 6000000000"), 't', 'and the next numbers');
my ($undone, $undo_tries) = (1, 0);
while ($undone != 0 && $undo_tries++ < 100) { ($undone) = $node->psql($database, "CALL snowid_convert_undo('tenant')"); }
is($undone, 0, 'the swap is undone');
is(sql("SELECT count(*) FROM tenant WHERE id > 6000000000"), '0', 'all have numbers, new ones too');
check_moved('tenant', 'deposit', 'tenant_id');

# --- from UUIDs ---------------------------------------------------------------------------------------------------------

sub check_bigints {
    check_moved('customer', 'purchase', 'customer_id');
    for my $table ('customer', 'purchase') {
        is(sql(<<"END"), "0|0|0", "the ids of $table have the times of their rows, and their order");
SELECT count(*) FILTER (WHERE old AND snowflake_time(id) <> made), count(*) FILTER (WHERE NOT old AND abs(extract(epoch
    FROM snowflake_time(id) - made)) > 10), count(*) FILTER (WHERE made < before)
    FROM (SELECT id, made, old, CASE WHEN old THEN max(made) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) END
        AS before
        FROM (SELECT id, date_trunc('milliseconds', created_at) AS made, snowflake_worker(id) = 1023 AS old FROM $table) AS t) AS ordered
END
        is(sql("SELECT count(*) FROM $table WHERE old_id <> uuid::text OR old_id IS NOT NULL AND snowflake_worker(id) <> 1023"), '0',
            "every old row of $table has an id of old, and its UUID");
        is(sql("SELECT count(*) > 0 FROM $table WHERE snowflake_worker(id) = 1"), 't', 'and new ones are of now');
    }
}

run_page('uuid', {
    'snowid_convert_plan..customer.*gexec' => sub {
        move_under_kills($_) for 'purchase', 'customer';
        ok(ids_go_on([@files], more => 20), 'they are written after the swaps');
    },
    'uuidv7.*gexec' => sub { check_bigints(); },
}, {
    'CREATE TABLE purchase' => sub {
        fill('customer', 'purchase', 'customer_id');
        write_to('customer', 'purchase', 'customer_id');
    },
});
is(sql('SELECT count(*) FROM customer WHERE old_id <> id::text'), '0', 'customers have their UUIDs again');
is(sql('SELECT count(*) FROM purchase LEFT JOIN customer ON customer.id = customer_id WHERE refers_to IS DISTINCT FROM customer.tag'), '0',
    'and purchases refer to them by these');

$node->stop;

# --- from others --------------------------------------------------------------------------------------------------------

# A service makes ids of another layout, with a clock that is ahead, until the server does.
$node = new_server('others', "snowid.layout = 'twitter'", "snowid.worker_id = 'datacenter=31,worker=31'", "timezone = 'UTC'");
$node->start;
$database = 'postgres';
sql('CREATE EXTENSION snowid; CREATE TABLE tweet (id bigint PRIMARY KEY, text text); CREATE TABLE photo (LIKE tweet INCLUDING ALL)');
for my $table ('tweet', 'photo') {
    sql("INSERT INTO $table SELECT snowflake_encode(clock_timestamp() - interval '1 s' + n * interval '1 ms', 993, 5)
        FROM generate_series(1, 2500) AS n");
}
my $others = slurp_file('doc/moving-from-others.md');
my @there = $others =~ /^```sql on a server with this layout\n(.*?)^```$/msg;
is(scalar(@there), 3, 'the page has all steps');
for my $block (@there) {
    my ($table) = $block =~ /(tweet|photo)/;
    ok(run_block($block), "a step with $table");
    next unless $block =~ /horizon_advance/;
    my $last = sql("SELECT max(id) FROM $table WHERE snowflake_worker(id) = 993");
    is(sql("INSERT INTO $table (text) VALUES ('new') RETURNING id > $last AND snowflake_worker(id) = 1023"), 't',
        "new ids of $table are above the old ones");
    is(sql("SELECT count(*) FROM $table WHERE id::snowflake > now() - interval '1 min'"), sql("SELECT count(*) FROM $table"),
        'old and new rows have their times');
}
$node->safe_psql('postgres', 'CREATE DATABASE ulids');
$database = 'ulids';
sql("CREATE DOMAIN ulid AS text; CREATE TABLE person (id ulid PRIMARY KEY, name text);
    INSERT INTO person VALUES ('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'Ada')");
fails_with($node, 'CREATE EXTENSION snowid', '42710', qr/type "ulid" already exists/, 'beside another ulid', dbname => $database);
ok(run_block($others =~ /^```sql where there is another ulid\n(.*?)^```$/ms), 'both ulids are there');
is(sql("INSERT INTO person (name) VALUES ('Grace'); SELECT name FROM person ORDER BY id"), "Ada\nGrace", 'ids of both are in order');

done_testing();
