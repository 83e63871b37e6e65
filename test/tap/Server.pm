# A server whose psql() mostly needs no psql: its statements run in a session that stays, one for each database and user, because
# starting a client and a backend costs more than what most tests ask. Each call begins with DISCARD ALL. What needs psql itself, or
# a new session, gets them: meta-commands, other options, and `fresh => 1`.
package Server;

use strict;
use warnings;
use parent 'PostgreSQL::Test::Cluster';
use Client;
use PostgreSQL::Test::Utils ();
use Test::More ();
use Time::HiRes qw(sleep time);

my %lost = (rows => [], said => [ { S => 'FATAL', C => '08006', M => 'the connection is lost' } ]);
my %usual = map { $_ => 1 } qw(stdout stderr on_error_stop on_error_die user verbose);

# user: the role; verbose: errors have their SQLSTATE.
sub psql {
    my ($self, $db, $sql, %options) = @_;
    my $fresh = delete $options{fresh};
    my $here = !$fresh && !grep { !$usual{$_} } keys %options;
    $here &&= $sql !~ /^\s*\\|\\g|\bSTDIN\b|\bBEGIN\s+ATOMIC\b/mi;
    my $is_for_new = $sql =~ /\b(?:DATABASE|ALTER\s+(?:ROLE|USER|SYSTEM)|pg_reload_conf|pg_terminate_backend)\b/i;
    $self->end_sessions if !$here || $is_for_new;
    my $session = $here && $self->session($db, $options{user});
    if (!$session) {
        my ($user, $verbose) = delete @options{qw(user verbose)};
        push @{ $options{extra_params} }, '-U', $user if defined $user;
        return $self->SUPER::psql($db, ($verbose ? "\\set VERBOSITY verbose\n" : '') . $sql, %options);
    }

    my ($out, $err, $status) = ('', '', 0);
    for my $statement (statements($sql)) {
        my $answer = client_query($session, $statement) // \%lost;
        $out .= "$_\n" for @{ $answer->{rows} };
        $err .= told($_, $options{verbose}) for @{ $answer->{said} };
        $status = 3 if $answer->{error};
        $status = 2 if grep { $_->{S} eq 'FATAL' } @{ $answer->{said} };
        last if $status == 2 || $status && ($options{on_error_stop} // 1);
    }
    die "a transaction is left behind by '$sql'" if $session->{in_transaction} && $sql !~ /\b(?:BEGIN|START)\b/i;
    $self->end_sessions if $is_for_new || $session->{in_transaction};
    # DISCARD ALL leaves it, and a session that has ended keeps it for a moment.
    client_query($session, 'SELECT pg_replication_origin_session_reset()') if $sql =~ /origin_session_setup/;
    chomp($out, $err);
    die "error running SQL: '$err'\nwith sql '$sql'" if $status && $options{on_error_die};
    ${ $options{stdout} } = $out if $options{stdout};
    ${ $options{stderr} } = $err if $options{stderr};
    return wantarray ? ($status, $out, $err) : $status;
}

# As psql says it.
sub told {
    my ($field, $verbose) = @_;
    my $text = "$field->{S}:  " . ($verbose ? "$field->{C}: " : '') . "$field->{M}\n";
    for ([ DETAIL => 'D' ], [ HINT => 'H' ], [ CONTEXT => 'W' ]) {
        my ($name, $letter) = @$_;
        $text .= "$name:  $field->{$letter}\n" if defined $field->{$letter};
    }
    return $text;
}

# A child has sessions of its own.
sub session {
    my ($self, $db, $user) = @_;
    my $kept = \$self->{_sessions}{$$}{$db}{ $user // '' };
    return $$kept if $$kept && do { my $answer = client_query($$kept, 'DISCARD ALL'); $answer && !$answer->{error} };
    return $$kept = client($self->host, $self->port, $db, $user, 'psql');
}

sub end_sessions {
    my ($self) = @_;
    my $of = delete $self->{_sessions}{$$};
    client_end($_) for grep { $_ } map { values %$_ } values %$of;
}

# psql ends a statement at each semicolon that is not in a literal, a name, a comment or parentheses.
sub statements {
    my ($text) = @_;
    my ($depth, @all) = (0, '');
    while ($text =~ /\G([eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|"[^"]*"|(\$(?:[a-zA-Z_]\w*)?\$).*?\2|--[^\n]*|\/\*.*?\*\/|\w+|.)/gs) {
        my $piece = $1;
        $depth += $piece eq '(' ? 1 : $piece eq ')' ? -1 : 0;
        if ($piece eq ';' && $depth <= 0) {
            push @all, '';
        } else {
            $all[-1] .= $piece;
        }
    }
    return grep { /\S/ } @all;
}

sub poll_query_until {
    my ($self, $db, $query, $expected) = @_;
    my $end = time() + $PostgreSQL::Test::Utils::timeout_default;
    my ($out, $err);
    do {
        (my $status, $out, $err) = $self->psql($db, $query);
        return 1 if !$status && $err eq '' && $out eq ($expected // 't');
        sleep(0.05);
    } while (time() < $end);
    Test::More::diag("waited in vain for \"$query\", and got \"$out\" and \"$err\"");
    return 0;
}

for my $change (qw(reload stop start restart promote kill9)) {
    my $super = "SUPER::$change";
    no strict 'refs';
    *$change = sub { my $self = shift; $self->end_sessions; return $self->$super(@_); };
}

1;
