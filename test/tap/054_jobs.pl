# The jobs of doc/partitions.md, as the page has them: pg_cron, with both of its ways to run a job, and a systemd timer.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my $page = slurp_file('doc/partitions.md');
my $folder = PostgreSQL::Test::Utils::tempdir();
my $clock = "$folder/clock";
my %faked = faked_clock($clock);
my ($library) = map { chomp; "$_/pg_cron.so" } `$ENV{PG_CONFIG} --pkglibdir`;

# A table of which partitions are missing, and one that cannot be maintained while $bad is true.
sub make_tables {
    my ($node) = @_;
    $node->safe_psql('postgres', q{CREATE EXTENSION snowid; CREATE TABLE log (id uuid, day int) PARTITION BY RANGE (id);
        SELECT snowid_partition('log', '1 day', ahead => 0);
        UPDATE _snowid.partitioned SET ahead = 5});
    return;
}
my $made = "SELECT made FROM snowid_maintenance WHERE ended IS NOT NULL AND sqlstate IS NULL";

SKIP: {
    skip 'there is no pg_cron', 1 unless -e $library;
    my ($schedule) = $page =~ /^    (SELECT cron\.schedule\(.*\);)$/m;
    my ($at, $hour) = $schedule =~ /'(\d+) (\d+) \* \* \*'/;
    my $until = sub { my ($seconds) = @_; return (3600 * $hour + 60 * $at - $seconds - time) % 86400; };
    for my $workers ('off', 'on') {
        set_clock($clock, $until->(300));
        my $node = new_server("cron_$workers", "timezone = 'UTC'", 'fsync = off', "shared_preload_libraries = 'pg_cron, snowid'",
            "cron.use_background_workers = $workers", "cron.database_name = 'postgres'");
        $node->append_conf('postgresql.conf', "cron.host = '" . $node->host . "'");
        start_again($node, %faked);
        make_tables($node);
        $node->safe_psql('postgres', "CREATE EXTENSION pg_cron; $schedule");
        set_clock($clock, $until->(5));
        my $run = 'SELECT status, return_message FROM cron.job_run_details ORDER BY runid DESC LIMIT 1';
        ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM cron.job_run_details WHERE end_time IS NOT NULL"),
            "use_background_workers = $workers: the job runs at its time");
        like($node->safe_psql('postgres', $run), qr/^succeeded\|/, 'it succeeds');
        is($node->safe_psql('postgres', $made), 5, 'and makes what is missing');
        # on the next day nothing can be done, because the clock has leapt
        set_clock($clock, 86400 + $until->(5));
        ok($node->poll_query_until('postgres', "SELECT count(*) = 2 FROM cron.job_run_details WHERE end_time IS NOT NULL"),
            'it runs again on the next day');
        like($node->safe_psql('postgres', $run), qr/^failed\|.*1 of 1 tables could not be maintained/,
            'a table that fails makes the job fail');
        $node->stop;
    }
}

# The units, and the command of the service.
my %unit;
my %text = $page =~ m{^[^\n]*`/etc/systemd/system/([\w.-]+)`:\n\n((?:(?:    [^\n]*)?\n)+)}mg;
$unit{$_} = $text{$_} =~ s/^    //gmr for keys %text;
is(join(' ', sort keys %unit), 'snowid-maintain.service snowid-maintain.timer', 'the page has both units');
append_to_file("$folder/$_", $unit{$_}) for keys %unit;
SKIP: {
    my $analyze = '/usr/bin/systemd-analyze';
    skip 'there is no systemd-analyze', 1 unless -x $analyze && -x '/usr/bin/psql';
    my $said = `$analyze verify $folder/snowid-maintain.service $folder/snowid-maintain.timer 2>&1`;
    is(join("\n", grep { /snowid-maintain/ } split /\n/, $said), '', 'systemd has nothing to say against them');
}
set_clock($clock, 0);
my $node = new_server('timer', "timezone = 'UTC'", 'fsync = off');
start_again($node, %faked);
make_tables($node);
my ($start) = $unit{'snowid-maintain.service'} =~ /^ExecStart=(.*)$/m;
my ($options) = $unit{'snowid-maintain.service'} =~ /^Environment=PGOPTIONS=(.*)$/m;
$node->safe_psql('postgres', 'CREATE DATABASE app TEMPLATE postgres');
sub run_service {
    my $command = $start =~ s{^/usr/bin/psql}{psql}r;
    local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'postgres', PGOPTIONS => $options);
    return system("$command 2>>$folder/said") >> 8;
}
is(run_service(), 0, 'the service succeeds');
is($node->safe_psql('app', $made), 5, 'and makes what is missing');
set_clock($clock, 86400);
isnt(run_service(), 0, 'a table that fails makes the service fail');
like(slurp_file("$folder/said"), qr/1 of 1 tables could not be maintained/, 'and say why');
$node->stop;
done_testing();
