# What can happen between the moment at which a partition is found old and the moment at which it goes: each attack would take rows that
# their record keeps. And periods of every time zone, ids of every type, and what is told in between.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

seed();
$node = new_server('attack', "timezone = 'UTC'", 'fsync = off', 'deadlock_timeout = 100ms', 'max_locks_per_transaction = 256');
$node->start unless -e $node->data_dir . '/postmaster.pid';
sub maintain { return $node->psql('postgres', 'CALL snowid_maintain(' . ($_[0] // '') . ')'); }
sub waits { return $node->poll_query_until('postgres',
    "SELECT count(*) >= 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '$_[0]%'"); }
sub background { my ($sql) = @_; my $session = $node->background_psql('postgres', on_error_stop => 0);
    $session->query_until(qr/begun/, "\\echo begun\n$sql;\n\\echo done\n"); return $session; }
sub ended { my ($session) = @_; $session->query_until(qr/done/, ''); $session->quit; return; }
sql('CREATE EXTENSION snowid');

# A table by days with rows of the last ten, of which retain keeps the younger ones. The days are partitions t_01 (yesterday), t_02...
my $tables = 0;
sub make {
    my (%of) = @_;
    my $name = $of{name} // 't' . ++$tables;
    my $leaf = $of{listed} ? "${name}_x" : $name;
    sql($of{listed} ? "CREATE TABLE $name (id bigint, tenant text) PARTITION BY LIST (tenant);
        CREATE TABLE $leaf PARTITION OF $name FOR VALUES IN ('x') PARTITION BY RANGE (id)"
        : "CREATE TABLE $name (id bigint, tenant text) PARTITION BY RANGE (id)");
    my $told = $of{told} // "retain => '5 days', expired => 'drop'";
    sql("SELECT snowid_partition('$name', '1 day', behind => 10);
        INSERT INTO $name SELECT snowflake_lower_bound(now() - d * interval '1 day') + 1, 'x' FROM generate_series(0, 9) d");
    sql("DO \$\$ DECLARE p record; BEGIN FOR p IN SELECT * FROM snowid_partitions('$leaf') WHERE starts <= now() LOOP
        EXECUTE format('ALTER TABLE %s RENAME TO ${leaf}_%s', p.partition, to_char(now()::date - p.starts::date, 'FM00')); END LOOP;
            END \$\$");
    sql("UPDATE _snowid.partitioned SET behind = 0, retain = '5 days', expired = 'drop' WHERE parent = '$name'::regclass") unless $of{told};
    return wantarray ? ($name, $leaf) : $name;
}
sub attach {
    my ($leaf, $partition, $day) = @_;
    my ($from, $to) = map { sql("SELECT snowflake_lower_bound(now()::date - interval '$_ days')") } $day, $day - 1;
    return "ALTER TABLE $leaf ATTACH PARTITION $partition FOR VALUES FROM ($from) TO ($to)";
}
# Of the days 0 to 9 those from 0 to 5 are younger than retain.
sub young { my ($name) = @_; return sql("SELECT count(*) FROM $name WHERE id >= snowflake_lower_bound(now()::date - interval '5 days')"); }

# Names are exchanged while the expiry waits for its lock.
{
    my $name = make();
    my $reader = $node->background_psql('postgres');
    $reader->query_safe("BEGIN; SELECT count(*) FROM ONLY $name");
    my $job = background("CALL snowid_maintain('$name', lock_timeout => '1 min')");
    ok(waits('CALL snowid_maintain'), 'the expiry waits');
    sql("ALTER TABLE ${name}_10 RENAME TO ${name}_old; ALTER TABLE ${name}_01 RENAME TO ${name}_10");
    my $table = sql("SELECT count(*) FROM pg_locks WHERE relation = '$name'::regclass AND NOT granted");
    is($table, 1, 'for the whole table');
    $reader->query_safe('ROLLBACK');
    ended($job);
    is(young($name), 6, 'another partition that took the name of an old one does not go');
    like(sql("SELECT coalesce(error, '') FROM snowid_maintenance WHERE parent = '$name'::regclass"),
        qr/somebody changed the partitions of public\.$name meanwhile|^$/, 'it is told');
    maintain("'$name'");
    is(sql("SELECT count(*) FROM $name"), 6, 'and the next run takes what is old');
    $reader->quit;
}

# A partition of a table under a recorded one is detached and attached with other bounds, while the expiry waits.
{
    my ($name, $leaf) = make(listed => 1);
    my $other = $node->background_psql('postgres');
    $other->query_safe("BEGIN; ALTER TABLE $leaf DETACH PARTITION ${leaf}_09; DELETE FROM ${leaf}_09;
        INSERT INTO ${leaf}_09 TABLE ${leaf}_02; DROP TABLE ${leaf}_02");
    $other->query_safe(attach($leaf, "${leaf}_09", 2));
    my $job = background("CALL snowid_maintain('$name', lock_timeout => '1 min')");
    ok(waits('CALL snowid_maintain'), 'the expiry waits for the table below');
    $other->query_safe('COMMIT');
    ended($job);
    is(young($name), 6, 'a partition with other bounds than before does not go');
    $other->quit;
}

# A transaction that began before sees tables and records as they were.
for my $level ('REPEATABLE READ', 'SERIALIZABLE') {
    my $name = make();
    my $old = $node->background_psql('postgres', on_error_stop => 0);
    $old->query_safe("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM pg_class");
    sql("BEGIN; ALTER TABLE $name DETACH PARTITION ${name}_09; DELETE FROM ${name}_09; INSERT INTO ${name}_09 TABLE ${name}_02;
        DROP TABLE ${name}_02; " . attach($name, "${name}_09", 2) . '; COMMIT');
    $old->query("SELECT count(*) FROM snowid_partition('$name', '1 day'); COMMIT");
    $old->quit;
    is(young($name), 6, "$level: what was attached since does not go");
    fails_with($node, "BEGIN ISOLATION LEVEL $level; SELECT snowid_partition('$name', '1 day')", '25001',
        qr/nothing of public\.$name expires in a transaction that is/, "$level: a call");
    $node->safe_psql('postgres', "SET default_transaction_isolation = '$level'; CALL snowid_maintain('$name')");
    is(sql("SELECT count(*) FROM $name"), 6, "$level as the default: a job does its work");
}

# A record that keeps more is told while the expiry waits; when the call has returned, it counts.
for my $of ([ 'of the table', 0, sub { "SELECT snowid_partition('$_[0]', '1 day', retain => '1 year')" } ],
    [ 'of the table below', 1, sub { "SELECT snowid_partition('$_[1]', '1 day', retain => '1 year')" } ],
    [ 'taken back', 0, sub { "SELECT snowid_partition_forget('$_[0]')" } ]) {
    my ($what, $listed, $statement) = @$of;
    my ($name, $leaf) = make(listed => $listed);
    my $reader = $node->background_psql('postgres');
    $reader->query_safe("BEGIN; SELECT count(*) FROM ONLY $leaf");
    my $job = background("CALL snowid_maintain('$name', lock_timeout => '1 min')");
    ok(waits('CALL snowid_maintain'), "$what: the expiry waits");
    my $teller = background('SET client_min_messages = error; ' . $statement->($name, $leaf) . ";
        CREATE TABLE seen_$name AS SELECT count(*) FROM $name");
    ok(waits('SELECT snowid_partition'), "$what: and a call for its end");
    $reader->query_safe('ROLLBACK');
    $reader->quit;
    ended($_) for $job, $teller;
    is(sql("SELECT count(*) FROM $name"), sql("TABLE seen_$name"), "$what: nothing goes when the call has returned");
    is(young($name), 6, "$what: nor what was younger");
}

# The table below gets it between the step that makes partitions and the one that expires.
my $expire = "SELECT error FROM _snowid.maintain_table('%s', 'expire', 60000, 50)";
{
    my ($name, $leaf) = make(listed => 1);
    my $teller = $node->background_psql('postgres');
    $teller->query_safe("SET client_min_messages = error; BEGIN; SELECT count(*) FROM snowid_partition('$leaf', '1 day',
        retain => '1 year')");
    my $job = background(sprintf $expire, $name);
    ok(waits('SELECT error FROM'), 'the expiry waits for the table below');
    $teller->query_safe('COMMIT');
    $teller->quit;
    ended($job);
    is(sql("SELECT count(*) FROM $name"), 10, 'a record of its own counts for it');
}

# A table below an old partition gets a record of its own meanwhile.
{
    my $name = make();
    sql("ALTER TABLE $name DETACH PARTITION ${name}_09; DROP TABLE ${name}_09; CREATE TABLE ${name}_09 (LIKE $name) PARTITION BY RANGE (id);
        " . attach($name, "${name}_09", 9) . ";
        CREATE TABLE ${name}_09_all PARTITION OF ${name}_09 DEFAULT;
            INSERT INTO $name VALUES (snowflake_lower_bound(now()::date - interval '9 days') + 5, 'x')");
    my $teller = $node->background_psql('postgres');
    $teller->query_safe("SET client_min_messages = error; BEGIN; SELECT count(*) FROM snowid_partition('${name}_09', '1 day', ahead => 0,
        retain => '1 year')");
    my $job = background(sprintf $expire, $name);
    ok(waits('SELECT error FROM'), 'the expiry waits for the partition');
    $teller->query_safe('COMMIT');
    $teller->quit;
    ended($job);
    is(sql("SELECT count(*) FROM $name WHERE id = snowflake_lower_bound(now()::date - interval '9 days') + 5"), 1,
        'a record of its own keeps a partition');
}

# The rule of a zone changes: what was made expires by its own times, whatever the periods are now.
{
    sql(q{CREATE TABLE moved (id bigint, tenant text) PARTITION BY RANGE (id); SELECT snowid_partition('moved', '1 day', behind => 9,
        zone => 'Asia/Tokyo');
        INSERT INTO moved SELECT snowflake_lower_bound(now() - n * interval '1 hour') FROM generate_series(0, 200) n;
            CREATE TABLE made AS SELECT partition, starts, ends FROM _snowid.partition_times WHERE parent = 'moved'::regclass});
    for my $zone ('Asia/Kathmandu', 'Pacific/Kiritimati', 'America/Los_Angeles') {
        sql("UPDATE _snowid.partitioned SET zone = '$zone', behind = 0, retain = '4 days', expired = 'drop'
            WHERE parent = 'moved'::regclass");
        maintain("'moved'");
        is(sql("SELECT count(*) FROM moved WHERE snowflake_time(id) > (now() AT TIME ZONE '$zone' - interval '4 days') AT TIME ZONE
            '$zone'"), 96, "$zone: no row that is younger goes");
        is(sql("SELECT count(*) FROM made JOIN pg_class ON oid = made.partition WHERE ends <= _snowid.partition_horizon(now(), '4 days',
            '1 day', '$zone')"), 0, "$zone: and each that is old by its recorded times");
    }
}

# Who detaches a partition by hand wants to keep it: one that is half detached is completed, and not dropped.
{
    my $name = make();
    my $reader = $node->background_psql('postgres');
    $reader->query_safe("BEGIN; SELECT count(*) FROM $name");
    my $hand = $node->background_psql('postgres', on_error_stop => 0);
    $hand->query_until(qr/begun/, "\\echo begun\nALTER TABLE $name DETACH PARTITION ${name}_09 CONCURRENTLY;\n");
    $node->poll_query_until('postgres', "SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = '${name}_09'::regclass");
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'ALTER TABLE $name DETACH%' AND pid <> pg_backend_pid()");
    eval { $hand->quit };
    $reader->query_safe('ROLLBACK');
    $reader->quit;
    maintain("'$name'");
    is(sql("SELECT count(*) FROM ${name}_09"), 1, 'the rows of a partition that somebody was detaching are there');
    is(sql("SELECT state FROM snowid_partitions('$name') WHERE partition = '${name}_09'::regclass"), 'detached', 'and it is detached');
}
# Rows move as they are, whatever columns the table has; where they cannot, none is lost. Each day has an odd row, which the policy hides.
{
    sql(q{CREATE TABLE settled (gone int, number int GENERATED ALWAYS AS IDENTITY, id ulid, "a ""b%s" text DEFAULT 'default',
        twice text GENERATED ALWAYS AS ("a ""b%s" || "a ""b%s") STORED, nothing int) PARTITION BY RANGE (id);
        ALTER TABLE settled DROP COLUMN gone; CREATE TABLE settled_rest PARTITION OF settled DEFAULT; CREATE UNIQUE INDEX ON settled (id);
        SELECT snowid_partition('settled', '1 day', ahead => 1);
        INSERT INTO settled (id, "a ""b%s") SELECT ulid_at(now() - d * interval '1 day'), nullif(d::text, '3')
            FROM unnest('{-9,2,3,3,5}'::int[]) d;
        INSERT INTO settled (id) VALUES (NULL); ALTER TABLE settled ADD COLUMN later int DEFAULT 7});
    my $rows = "SELECT count(*), md5(string_agg(s::text, ',' ORDER BY number)) FROM settled s";
    my $before = sql($rows);
    sql("SET client_min_messages = error; CALL snowid_partition_settle('settled')");
    is(sql($rows), $before, 'rows with identities, generated and dropped columns are as they were');
    is(sql('SELECT count(*), count(id) FROM settled_rest'), '1|0', 'and a row without an id stays');
    for my $way (['a policy', 'ALTER TABLE %s ENABLE ROW LEVEL SECURITY; ALTER TABLE %s FORCE ROW LEVEL SECURITY;
        CREATE POLICY even ON %s USING (number % 2 = 0)'],
        ['a rule', 'CREATE RULE keep AS ON DELETE TO %s DO INSTEAD NOTHING'],
            ['a check', 'ALTER TABLE %s ADD CHECK (clock_timestamp() < now() OR later <> 7) NOT VALID'],
        ['a foreign table', q{CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
            ALTER TABLE %s DETACH PARTITION %s_rest;
            CREATE FOREIGN TABLE away PARTITION OF %s DEFAULT SERVER files OPTIONS (filename '/dev/null')}]) {
        my ($what, $sql) = @$way;
        my $name = 'held_' . ($what =~ s/\W/_/gr);
        sql("CREATE ROLE $name; CREATE TABLE $name (id bigint, number int, later int DEFAULT 7) PARTITION BY RANGE (id);
            CREATE TABLE ${name}_rest PARTITION OF $name DEFAULT; SELECT snowid_partition('$name', '1 day', ahead => 1);
            INSERT INTO $name SELECT snowflake_lower_bound(now() - n * interval '1 hour') + n, n FROM generate_series(29, 91) n;
                " . ($sql =~ s/%s/$name/gr) . "; ALTER TABLE $name OWNER TO $name; GRANT ALL ON SCHEMA public TO $name");
        sql("ALTER TABLE $_ OWNER TO $name") for split /\n/,
            sql("SELECT inhrelid::regclass FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = '$name'::regclass
            AND relkind = 'r'");
        my ($status) = $node->psql('postgres', "CALL snowid_partition_settle('$name')");
        isnt($status, 0, "$what: the rows do not move");
        is(sql("SELECT count(*) FROM ${name}_rest"), 63, "$what: and none is lost");
    }
}
$node->stop;
done_testing();
