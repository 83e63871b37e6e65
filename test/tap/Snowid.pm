# What the TAP tests share: servers with the extension, a clock that can be moved, and writers that keep what they got.
package Snowid;

use strict;
use warnings;
use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(new_server faked_clock set_clock fails_with writer_start writer_stop check_ids check_texts seed);

# An initialised server with the library preloaded; further lines go into its configuration.
sub new_server {
    my ($name, @lines) = @_;
    my $node = PostgreSQL::Test::Cluster->new($name);
    $node->init(allows_streaming => 1);
    $node->append_conf('postgresql.conf', join("\n", "shared_preload_libraries = 'snowid'", 'snowid.worker_id = 1', @lines) . "\n");
    return $node;
}

# The environment in which a server reads its wall clock from libfaketime. Elapsed time stays true.
sub faked_clock {
    my ($file) = @_;
    my ($library) = glob('/usr/lib/*/faketime/libfaketime.so.1');
    BAIL_OUT('libfaketime is not installed') unless $library;
    set_clock($file, 0);
    return (LD_PRELOAD => $library, FAKETIME_TIMESTAMP_FILE => $file, FAKETIME_DONT_FAKE_MONOTONIC => 1, FAKETIME_NO_CACHE => 1);
}

# Every backend of the server sees the new offset, in seconds, at its next look at the clock.
sub set_clock {
    my ($file, $offset) = @_;
    open(my $handle, '>', "$file.new") or die $!;
    printf $handle "%+.6f\n", $offset;
    close $handle;
    rename("$file.new", $file) or die $!;
}

# The statement fails with this SQLSTATE, and says this.
sub fails_with {
    my ($node, $sql, $state, $like, $what, %options) = @_;
    my ($status, $out, $err) = $node->psql($options{dbname} // 'postgres', "\\set VERBOSITY verbose\n$sql", %options);
    like($err, qr/ERROR:  $state: /, "$what: SQLSTATE $state");
    like($err, $like, "$what: says why");
}

# A session that asks for ids until it is stopped, each in a statement of its own, and writes them to a file.
sub writer_start {
    my ($node, $file, %options) = @_;
    my $query = $options{query} // 'SELECT snowflake_next()';
    my $db = $options{dbname} // 'postgres';
    my $out = '';
    my $script = <<'PERL';
my ($command, $query, $file) = @ARGV;
open(my $psql, '|-', "$command -XqAt -v ON_ERROR_STOP=0 >> $file 2>> $file.errors") or die;
$SIG{PIPE} = 'DEFAULT';
$| = 1; select($psql); $| = 1;
while (1) { print $psql "$query;\n" x 20 or last; select(undef, undef, undef, 0.002); }
PERL
    my $command = "psql -h '" . $node->host . "' -p " . $node->port . " -d $db";
    my $pid = fork();
    if ($pid == 0) {
        setpgrp(0, 0);
        exec('perl', '-e', $script, $command, $query, $file) or die;
    }
    return $pid;
}

sub writer_stop {
    for my $pid (@_) {
        kill('KILL', -$pid);
        waitpid($pid, 0);
    }
}

# No id stands twice in the files, and each file ascends: a session's ids do. Ids are numbers, or texts of one size.
sub check_ids { return check_sorted('-n', @_); }
sub check_texts { return check_sorted('', @_); }

sub check_sorted {
    my ($order, $what, @files) = @_;
    my $unordered = grep { system("LC_ALL=C sort -c $order -u '$_' 2>/dev/null") != 0 } @files;
    is($unordered, 0, "$what: the ids of every session ascend");
    my $list = join(' ', map { "'$_'" } @files);
    chomp(my $all = `cat $list | wc -l`);
    chomp(my $distinct = `LC_ALL=C sort $order -m -u $list | wc -l`);
    cmp_ok($all, '>', 0, "$what: there are ids");
    is($distinct, $all, "$what: none of $all ids is there twice");
    return $all;
}

sub seed {
    my $seed = $ENV{SNOWID_SEED} // int(rand(2**31));
    srand($seed);
    diag("SNOWID_SEED=$seed");
    return $seed;
}

1;
