# A minimal connection of our own. It tells a lost connection from a refusal, shows which ids arrived, and costs no process.
package Client;

use strict;
use warnings;
use Exporter 'import';
use IO::Socket::UNIX;

our @EXPORT = qw(client client_query client_answer client_end);

# Returns nothing if the server does not accept us.
sub client {
    my ($host, $port, $db, $user, $name) = @_;
    my $socket = IO::Socket::UNIX->new(Peer => "$host/.s.PGSQL.$port") or return;
    my $self = { socket => $socket, buffer => '' };
    my $start = pack('N', 196608) . join('', map { "$_\0" } 'user', $user // scalar getpwuid($>), 'database', $db, 'application_name',
        $name // 'snowid_writer') . "\0";
    syswrite($socket, pack('N', 4 + length $start) . $start);
    my $answer = client_answer($self) or return;
    return $answer->{error} ? undef : $self;
}

# Runs one statement. Returns { rows => [...], error => undef or "SQLSTATE message", warning => undef or a message, said => [fields of
# notices and errors] }, or nothing if the connection is lost. A row's values are separated as psql -A does it.
sub client_query {
    my ($self, $sql) = @_;
    local $SIG{PIPE} = 'IGNORE';
    syswrite($self->{socket}, 'Q' . pack('N', 5 + length $sql) . "$sql\0") or return;
    return client_answer($self);
}

sub client_answer {
    my ($self) = @_;
    my $answer = { rows => [], said => [] };
    while (1) {
        while (length $self->{buffer} >= 5) {
            my ($type, $size) = unpack('a N', $self->{buffer});
            last if length $self->{buffer} < 1 + $size;
            my $message = substr($self->{buffer}, 5, $size - 4);
            substr($self->{buffer}, 0, 1 + $size, '');
            if ($type eq 'D') {
                my ($at, @values) = (2);
                for (1 .. unpack('n', $message)) {
                    my $length = unpack('l>', substr($message, $at, 4));
                    push @values, $length < 0 ? '' : substr($message, $at + 4, $length);
                    $at += 4 + ($length < 0 ? 0 : $length);
                }
                push @{ $answer->{rows} }, join('|', @values);
                $self->{on_row}->($values[0]) if $self->{on_row};
            } elsif ($type eq 'd') {
                push @{ $answer->{rows} }, $message =~ s/\n\z//r;
            } elsif ($type eq 'E' || $type eq 'N') {
                my %field = map { substr($_, 0, 1) => substr($_, 1) } grep { length } split /\0/, $message;
                push @{ $answer->{said} }, \%field;
                if ($type eq 'N') {
                    $answer->{warning} = $field{M} if $field{S} eq 'WARNING';
                    next;
                }
                $answer->{error} = "$field{C} $field{M}";
                return $answer if $field{S} eq 'FATAL' || $field{S} eq 'PANIC';
            } elsif ($type eq 'K') {
                $self->{pid} = unpack('N', $message);
            } elsif ($type eq 'Z') {
                $self->{in_transaction} = $message ne 'I';
                return $answer;
            }
        }
        my $size = sysread($self->{socket}, $self->{buffer}, 65536, length $self->{buffer});
        return unless $size || !defined $size && $!{EINTR};    # interrupted, for example by the end of a child
    }
}

# Ends the session even if a child of ours has its socket too.
sub client_end {
    my ($self) = @_;
    local $SIG{PIPE} = 'IGNORE';
    syswrite($self->{socket}, 'X' . pack('N', 4));
    close($self->{socket});
}

1;
