# The library of the newest release is put back under databases that have been updated and others that have not, and then today's
# again, as doc/operations.md says. No id is made twice, and what has not been updated goes on all the time.
use strict;
use warnings;
use lib 'test/tap';
use File::Copy;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;

my ($install, $old) = @ENV{ 'SNOWID_INSTALL', 'SNOWID_OLD_LIBRARY' };  # a copy of PostgreSQL that is ours, and the old library
my ($version) = $old =~ /snowid-([\d.]+)-\d+\.so$/;
my ($library) = glob("$install/lib/snowid.so") or BAIL_OUT('there is no library');
my $new = PostgreSQL::Test::Utils::tempdir() . '/snowid.so';
copy($library, $new) or die $!;

my $node = Server->new('server', install_path => $install);
$node->init;
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'snowid'\nsnowid.worker_id = 3\n");
sub start_with {
    my ($file) = @_;
    $node->stop if -e $node->data_dir . '/postmaster.pid';
    unlink $library;
    copy($file, $library) or die $!;
    $node->start;
}
my %query = (own => 'SELECT snowflake_next()', orders => "SELECT snowflake_next('orders')");
my ($files, %all) = 0;
my $folder = PostgreSQL::Test::Utils::tempdir();

# Ids of these databases, by the server's own generator and by a named one.
sub ids_from {
    my ($what, @databases) = @_;
    my (@files, @writers);
    for my $database (@databases) {
        for my $kind (keys %query) {
            push @files, "$folder/ids" . ++$files;
            push @{ $all{ $kind eq 'own' ? 'own' : $database } }, $files[-1];
            push @writers, writer_start($node, $files[-1], query => $query{$kind}, dbname => $database);
        }
    }
    ok(ids_go_on(\@files, more => 50), "$what: ids go on in @databases");
    writer_stop(@writers);
    is_deeply({ refusals(@files) }, {}, "$what: none is refused");
}

start_with($old);
for ([ 'stays', 20 ], [ 'moves', 30 ]) {
    my ($database, $number) = @$_;
    $node->safe_psql('postgres', "CREATE DATABASE $database");
    $node->safe_psql($database, "CREATE EXTENSION snowid VERSION '$version'; SELECT snowid_generator_create('orders', worker => $number),
        snowid_generator_create('past', worker => $number + 1, backfill => true)");
}
ids_from("$version", 'stays', 'moves');
start_with($new);
ids_from('the new library', 'stays', 'moves');
start_with($old);
ids_from("back to $version before an update", 'stays', 'moves');
start_with($new);
$node->safe_psql('moves', "ALTER EXTENSION snowid UPDATE; SELECT snowid_generator_create('later', worker => 40, backfill => true)");
ids_from('the new library, one database updated', 'stays', 'moves');
start_with($old);
ids_from("back to $version after an update of another database", 'stays');
fails_with($node, $query{own}, '42883', qr/could not find function/, 'the updated one', dbname => 'moves');
start_with($new);
ids_from('the new library again', 'stays', 'moves');
check_ids($_, @{ $all{$_} }) for sort keys %all;
$node->stop;
done_testing();
