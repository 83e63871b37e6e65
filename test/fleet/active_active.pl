# Servers that all accept writes and send each other their rows, by PostgreSQL's own replication and by pglogical. With the
# former, a third server is added under load. Worker ids come from a directory; named generators have numbers of their own. All
# tables are published, including those of the extension and of a directory. No id is made twice, so nothing conflicts. The
# planted faults are generators without their trigger, and one number by hand.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Fleet;
use Snowid;
use Test::More;

my ($major) = `pg_config --version` =~ /(\d+)/;
my $has_origin = $major >= 16;
chomp(my $share = `pg_config --sharedir`);
my $has_pglogical = -e "$share/extension/pglogical.control";
plan skip_all => "PostgreSQL $major has no origin = none, and there is no pglogical" unless $has_origin || $has_pglogical;

my $folder = PostgreSQL::Test::Utils::tempdir();
my $tables = 'message, note';

sub dsn { return $_[0]->connstr . ' dbname=postgres'; }
sub all_of { my ($sql, @nodes) = @_; return join(' ', map { $_->safe_psql('postgres', $sql) } @nodes); }

# The two engines. Each can connect a server to another one, with a copy of its rows or without, wait for that, and count
# what went wrong.
my %own = (
    lines => [],
    ready => sub { $_[0]->safe_psql('postgres', 'CREATE PUBLICATION everything FOR ALL TABLES') },
    subscribe => sub {
        my ($to, $from, $copy) = @_;
        my ($name, $dsn) = ($to->name . '_from_' . $from->name, dsn($from));
        $to->safe_psql('postgres', "SET client_min_messages = error;
            CREATE SUBSCRIPTION $name CONNECTION '$dsn' PUBLICATION everything WITH (origin = none, copy_data = $copy)");
        $to->wait_for_subscription_sync($from, $name);
    },
    # a generator that is altered is an update of a row that the others do not have, which is no conflict of ids
    conflicts => sub {
        my $sql = "SELECT coalesce(sum(value::bigint), 0) FROM pg_stat_subscription_stats s, jsonb_each_text(to_jsonb(s))
            WHERE key ~ '_error_count\$|^confl_.*_exists'";
        my $sum = 0;
        $sum += $_->safe_psql('postgres', $sql) for @_;
        return $sum;
    },
);
my %pglogical = (
    lines => [ "shared_preload_libraries = 'pglogical, snowid'", 'track_commit_timestamp = on' ],
    ready => sub {
        my ($node) = @_;
        # from 15.20 on
        $node->safe_psql('postgres', "ALTER SYSTEM SET output_plugin_libraries = pgoutput, pglogical_output")
            if $node->safe_psql('postgres', "SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'");
        $node->reload;
        $node->safe_psql('postgres', sprintf("CREATE EXTENSION pglogical; SELECT pglogical.create_node('%s', '%s')", $node->name,
            dsn($node)));
        $node->safe_psql('postgres', "SELECT pglogical.replication_set_add_table('default', unnest('{message, note}'::regclass[]))");
        # it takes no others without a primary key
        $node->safe_psql('postgres', "SELECT pglogical.replication_set_add_table('default_insert_only',
            unnest('{_snowid.generator, _snowid.layout, _snowid.horizon, snowid_directory.worker, snowid_directory.fleet}'::regclass[]))");
    },
    subscribe => sub {
        my ($to, $from, $copy) = @_;
        my ($name, $dsn) = ($to->name . '_from_' . $from->name, dsn($from));
        $to->safe_psql('postgres', "SELECT pglogical.create_subscription('$name', '$dsn', forward_origins := '{}',
            synchronize_data := $copy)");
        $to->safe_psql('postgres', "SELECT pglogical.wait_for_subscription_sync_complete('$name')");
    },
    # pglogical lets the newer row win, and says so in the log
    conflicts => sub { my $all = 0; $all += () = slurp_file($_->logfile) =~ /CONFLICT: |ERROR: /g for @_; return $all; },
);

sub start_server {
    my ($name, $number, $directory, $engine) = @_;
    my $node = fleet_server($name, $directory, 'wal_level = logical', 'max_worker_processes = 32', 'max_logical_replication_workers = 16',
        'max_replication_slots = 16', 'max_wal_senders = 16', 'snowid.directory_lease = 2s', @{ $engine->{lines} });
    $node->start;
    $node->safe_psql('postgres', <<"SQL");
CREATE EXTENSION snowid;
CREATE EXTENSION snowid_directory;
SELECT snowid_generator_create('notes', worker => 900 + $number);
CREATE TABLE message (id bigint PRIMARY KEY DEFAULT snowflake_next(), server text NOT NULL DEFAULT current_setting('cluster_name'));
CREATE TABLE note (id bigint PRIMARY KEY DEFAULT snowflake_next('notes'), server text NOT NULL DEFAULT current_setting('cluster_name'));
SQL
    return $node;
}

# Inserts into both tables, and keeps what came back. Ids of notes are in no piece of the directory, so they have their own files.
my %notes;
sub inserts_on {
    my ($node) = @_;
    my $name = $node->name;
    my $file = "$folder/$name.notes" . @{ $notes{$name} //= [] };
    push @{ $notes{$name} }, $file;
    my $insert = 'SELECT FROM generate_series(1, 4) RETURNING id';
    return (writers_on($node, query => "INSERT INTO message $insert", pause => 0.004),
        writer_start($node, $file, query => "INSERT INTO note $insert", pause => 0.004));
}

my $digest = "SELECT md5(string_agg(m.id || server, ',' ORDER BY m.id)) || count(*) FROM (SELECT * FROM message UNION ALL SELECT *
    FROM note) m";
sub are_alike {
    my @nodes = @_;
    for (1 .. 600) {
        my %seen = map { $_->safe_psql('postgres', $digest) => 1 } @nodes;
        return 1 if keys %seen == 1;
        Time::HiRes::sleep(0.1);
    }
    return 0;
}

sub missing {
    my ($node, @files) = @_;
    return $node->safe_psql('postgres', 'CREATE TEMP TABLE received (id bigint); ' . join('', map { "COPY received FROM '$_';" } @files)
            . 'SELECT count(*) FROM received WHERE id NOT IN (SELECT id FROM message UNION ALL SELECT id FROM note)');
}

sub run {
    my ($what, $prefix, $engine, $is_three) = @_;
    %notes = ();
    my $directory = new_server("${prefix}_directory", "shared_preload_libraries = ''", 'max_connections = 40');
    $directory->start;
    make_directory($directory, 1, 64);
    my @nodes = map { start_server("$prefix$_", $_, $directory, $engine) } 1, 2, ($is_three ? 3 : ());
    my ($one, $two, $three) = @nodes;
    # a directory that somebody has in a database whose tables are all sent
    $one->safe_psql('postgres', "SELECT snowid_directory.add('$fleet_layout', 500, 599, now())");
    $one->safe_psql('postgres', "INSERT INTO $_ SELECT FROM generate_series(1, 2000)") for 'message', 'note';
    $engine->{ready}->($_) for @nodes;
    $engine->{subscribe}->($two, $one, 'true');
    is($two->safe_psql('postgres', 'SELECT count(*) FROM message'), 2000, "$what: the rows of one are copied");
    $engine->{subscribe}->($one, $two, 'false');
    my @writers = map { inserts_on($_) } $one, $two;
    cmp_ok(ids_together(3000, $one, $two), '>', 0, "$what: two make ids, and get each other's");

    $nodes[$_]->safe_psql('postgres', "SELECT snowid_generator_alter('notes', worker => 920 + $_), snowid_generator_create('later$_',
        worker => 930 + $_)") for 0 .. 1;
    if ($is_three) {
        # Server one must have all rows of server two before it is copied, so nothing is written to two meanwhile. One goes on.
        my $lock = $two->background_psql('postgres');
        $lock->query_safe("BEGIN; LOCK TABLE $tables IN EXCLUSIVE MODE");
        $two->wait_for_catchup($one->name . '_from_' . $two->name);
        $engine->{subscribe}->($three, $two, 'false');
        $engine->{subscribe}->($three, $one, 'true');
        $engine->{subscribe}->($_, $three, 'false') for $one, $two;
        $lock->query_safe('COMMIT');
        $lock->quit;
        push @writers, inserts_on($three);
    }
    cmp_ok(ids_together(10_000, @nodes), '>', 0, "$what: all make ids");
    writer_stop(@writers);
    ok(are_alike(@nodes), "$what: all have the same rows");
    my @files = (files_of(@nodes), map { @$_ } values %notes);
    is(missing($nodes[-1], @files), 0, "$what: each id that a client received is with the last of them");
    is($engine->{conflicts}->(@nodes), 0, "$what: nothing conflicted");
    fleet_holds($what, $directory, \@nodes);
    check_unique("$what, notes", map { @$_ } values %notes);
    is(all_of("SELECT string_agg(name || ' ' || worker, ', ' ORDER BY name) FROM _snowid.generator", @nodes),
        join(' ', 'later0 930, notes 920 later1 931, notes 921', $is_three ? 'notes 903' : ()), "$what: each has its own generators");
    is(all_of('SELECT count(*) FROM snowid_directory.worker', @nodes), join(' ', 100, map { 0 } 2 .. @nodes),
        "$what: a directory is not sent");

    # planted faults
    $two->safe_psql('postgres', $_) for map { "ALTER TABLE _snowid.generator DISABLE TRIGGER $_" } split /\n/,
        $two->safe_psql('postgres', "SELECT tgname FROM pg_trigger WHERE tgrelid = '_snowid.generator'::regclass AND NOT tgisinternal");
    $one->safe_psql('postgres', "SELECT snowid_generator_create('stray', worker => 950)");
    ok($two->poll_query_until('postgres', "SELECT count(*) = 1 FROM _snowid.generator WHERE name = 'stray'"),
        "$what: a generator without its trigger is found");
    for my $node (@nodes) {
        $node->append_conf('postgresql.conf', 'snowid.worker_id = 5');
        $node->reload;
    }
    @writers = map { inserts_on($_) } @nodes;
    my $found = 0;
    for (1 .. 300) {
        last if $found = $engine->{conflicts}->(@nodes);
        Time::HiRes::sleep(0.1);
    }
    writer_stop(@writers);
    cmp_ok($found, '>', 0, "$what: one number by hand is found: $found conflicts");
    $_->stop('immediate') for @nodes, $directory;
}

run("PostgreSQL's own", 'own', \%own, 1) if $has_origin;
run('pglogical', 'pgl', \%pglogical, 0) if $has_pglogical;
done_testing();
