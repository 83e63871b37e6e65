# Applications are moved as the page on it says, while they work, and back: nothing fails, no row that was committed is lost, and what
# refers to others still does. One that is not installed is skipped.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use Time::HiRes qw(sleep time);

my $programs = 'convert/applications';
my $folder = PostgreSQL::Test::Utils::tempdir();
$ENV{HOME} = $folder;
$node = new_server('applications', "timezone = 'UTC'", 'max_connections = 60', "max_wal_size = '4GB'", 'client_min_messages = warning',
    'max_locks_per_transaction = 1000');
$node->start;
@ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, scalar getpwuid($<));

sub run_or_say {
    my ($what, @command) = @_;
    my ($out, $err) = ('', '');
    my $is_done = IPC::Run::run(\@command, '>', \$out, '2>', \$err);
    $is_done or diag("$what: " . substr($out . $err, -2000));
    return $is_done;
}

# --- Redmine and Tryton, each installed in a database of its own ----------------------------------------------------------

my %applications = (
    redmine => {
        is_installed => sub { return -d '/usr/share/redmine' && -x '/usr/bin/bundle'; },
        install => sub {
            my $own = "$folder/redmine/instances/default";
            system("cp -rL /usr/share/redmine $folder/ 2>/dev/null; cd $folder/redmine && rm -rf instances Gemfile.lock");
            append_to_file("$folder/redmine/Gemfile", "gem 'pg'\n");
            system('mkdir', '-p', map { "$own/$_" } qw(config tmp log files));
            append_to_file("$own/config/database.yml",
                "production:\n  adapter: postgresql\n  database: redmine\n  encoding: utf8\n  prepared_statements: false\n");
            append_to_file("$own/config/secret_key.txt", '0123456789abcdef' x 4);
            @ENV{qw(RAILS_ENV REDMINE_LANG BUNDLE_GEMFILE)} = ('production', 'en', "$folder/redmine/Gemfile");
            return run_or_say('Redmine is installed', 'sh', '-c',
                "cd $folder/redmine && bundle exec rake db:migrate && bundle exec rake redmine:load_default_data");
        },
        program => sub {
            return ('sh', '-c', "cd $folder/redmine && exec bundle exec rails runner \$0 \$@", "$ENV{TESTDIR}/$programs/redmine.rb", @_);
        },
        # what no foreign key says
        refers => { issues => { project_id => 'projects', author_id => 'users', root_id => 'issues', parent_id => 'issues' },
            journals => { journalized_id => 'issues', user_id => 'users' }, time_entries => { issue_id => 'issues' },
            wiki_pages => { wiki_id => 'wikis' }, wiki_contents => { page_id => 'wiki_pages', author_id => 'users' },
            issue_relations => { issue_from_id => 'issues' }, enabled_modules => { project_id => 'projects' } },
    },
    tryton => {
        is_installed => sub { return -d '/usr/lib/python3/dist-packages/trytond/modules/party'; },
        install => sub {
            append_to_file("$folder/trytond.conf", "[database]\nuri = postgresql://\npath = $folder/files\n");
            append_to_file("$folder/password", 'a password');
            $ENV{TRYTONPASSFILE} = "$folder/password";
            return run_or_say('Tryton is installed', qw(/usr/bin/python3 /usr/bin/trytond-admin -c), "$folder/trytond.conf",
                qw(-d tryton -u party --activate-dependencies --email a@example.com -l en));
        },
        program => sub { return ('/usr/bin/python3', "$programs/tryton.py", "$folder/trytond.conf", 'tryton', @_); },
        # cannot go along online
        before => 'ALTER TABLE party_category DROP CONSTRAINT party_category_name_parent_exclude',
        after => "ALTER TABLE party_category ADD CONSTRAINT party_category_name_parent_exclude
            EXCLUDE (name WITH =, COALESCE(parent, '-1'::bigint) WITH =)",
        refers => { party_party => { create_uid => 'res_user', write_uid => 'res_user' }, party_address => { create_uid => 'res_user' } },
    });

# --- programs that go on running -----------------------------------------------------------------------------------------

my ($runs, @running, @told) = (0);
sub programs_start {
    my ($name) = @_;
    for (1 .. 2) {
        $runs++;
        push @told, "$folder/told.$runs";
        my @program = $applications{$name}{program}->("$folder/told.$runs", "$folder/stop");
        push @running, IPC::Run::start(\@program, '>', "$folder/log.$runs", '2>&1');
    }
}
sub programs_end {
    append_to_file("$folder/stop", '');
    $_->finish for splice(@running);
    unlink("$folder/stop");
}
sub told { return map { -e ? split /\n/, slurp_file($_) : () } @told; }
sub they_go_on {
    my ($what) = @_;
    my ($from, $deadline) = (scalar(told()), time() + 600);
    sleep(0.2) while told() < $from + 100 && time() < $deadline && grep { $_->pumpable } @running;
    ok(told() >= $from + 100, $what) or diag(map { slurp_file("$folder/log.$_") =~ s/.*(?=.{2000})//sr } $runs - 1, $runs);
}

# As psql runs it; what did not get its locks is tried again.
sub as_the_page_says {
    my ($what, $text) = @_;
    my ($started, $tries, $status, $out, $err) = (time(), 0);
    do {
        ($status, $out, $err) = $node->psql($database, $text, on_error_stop => 1, fresh => 1);
    } while ($status != 0 && $err =~ /deadlock detected|lock timeout|could not lock/ && $tries++ < 50);
    is($status, 0, $what) or diag($err);
    note(sprintf('%s: %.1f s, %d tries again', $what, time() - $started, $tries));
}

for my $name (sort keys %applications) {
    my $application = $applications{$name};
  SKIP: {
        skip "$name is not installed" unless $application->{is_installed}->();
        $node->safe_psql('postgres', "CREATE DATABASE $name");
        $database = $name;
        ok($application->{install}->(), "$name is installed") or next;
        sql('CREATE EXTENSION snowid; CREATE EXTENSION snowid_convert; ANALYZE');
        @told = ();
        programs_start($name);
        they_go_on("$name works");

        sql($application->{before}) if $application->{before};
        # It keeps the types of columns, so its keys become wider first. The plan says what goes along.
        my $also = sql("SELECT substring(note FROM '{[^}]*}') FROM snowid_convert_plan(schema => 'public', target => 'bigserial')
            WHERE note LIKE 'also =>%'");
        as_the_page_says("$name: the keys become wider", "SELECT statement FROM snowid_convert_plan(schema => 'public',
            target => 'bigserial', online => true, also => '$also') WHERE statement IS NOT NULL ORDER BY step \\gexec");
        is(sql("SELECT count(*) FROM _snowid_convert.schema_keys('public') WHERE base = 'int'::regtype AND has_default"), 0,
            "$name: all keys are wide");
        they_go_on("$name goes on");
        programs_end();
        programs_start($name);
        they_go_on("$name is started again");
        as_the_page_says("$name: one call", "CALL snowid_convert(schema => 'public')");
        they_go_on("$name goes on with snowflakes");
        is(sql("SELECT count(statement) FROM snowid_convert_plan(schema => 'public')"), 0, "$name: nothing is left to do");
        as_the_page_says("$name: and back", "CALL snowid_convert(schema => 'public', target => 'bigserial')");
        they_go_on("$name goes on with numbers");
        sql($application->{after}) if $application->{after};
        programs_end();

        my @failed = grep { /^failed/ } told();
        is_deeply([ splice(@failed, 0, 5) ], [], "$name: nothing has failed");
        my %rows;
        /^(\w+) (\d+)$/ and push @{ $rows{$1} }, $2 for told();
        my $lost = 0;
        $lost += sql("SELECT count(*) FROM unnest('{" . join(',', @{ $rows{$_} }) . "}'::bigint[]) AS told
            WHERE NOT EXISTS (SELECT FROM $_ WHERE id = told)") for keys %rows;
        is($lost, 0, "$name: no row is lost");
        for my $table (sort keys %{ $application->{refers} }) {
            my $refers = $application->{refers}{$table};
            is(sql("SELECT count(*) FROM $table WHERE $_ IS NOT NULL
                AND NOT EXISTS (SELECT FROM $refers->{$_} AS other WHERE other.id = $table.$_)"), 0,
                "$name: $table.$_ refers to $refers->{$_}") for sort keys %$refers;
        }
        note(sprintf('%s: %d rows were committed, with %d keys', $name, scalar(grep { !/^failed/ } told()),
            sql("SELECT count(*) FROM _snowid_convert.schema_keys('public') WHERE has_default")));
    }
}
$node->stop;
done_testing();
