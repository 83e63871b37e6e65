use strict;
use warnings;
# recipe: connect
use DBI;
use DateTime;

my $db = DBI->connect('dbi:Pg:', undef, undef, { RaiseError => 1 });    # PGHOST, PGDATABASE, …
# end
my ($kind, $scheme) = @ENV{qw(KIND SCHEME)};

sub say_line { print shift, "\t@_\n"; }

# recipe: insert
my ($id) = $db->selectrow_array('INSERT INTO message (body) VALUES (?) RETURNING id', undef, 'from the client');
# end
say_line('inserted', $id);

($id) = $db->selectrow_array(q(SELECT id FROM message WHERE body = 'r05'));
say_line('read', $id);

# recipe: find
my ($body) = $db->selectrow_array('SELECT body FROM message WHERE id = ?', undef, $id);
# end
say_line('found', $body);

# recipe: time
# A DateTime with its zone and its microseconds; its rfc3339() and iso8601() would cut the fraction off.
my $since = DateTime->new(year => 2025, month => 6, day => 15, hour => 3, nanosecond => 250_000_000, time_zone => 'UTC');
my $until = $since->clone->add(hours => 3);
my $between = $db->selectcol_arrayref(
    "SELECT body FROM message WHERE id >= ${scheme}_lower_bound(?) AND id < ${scheme}_lower_bound(?) ORDER BY id",
    undef, map { $_->strftime('%FT%T.%6N%z') } $since, $until);
# end
say_line('lower_bound', @$between);

my $time = $kind eq 'bigint' ? 'id::snowflake' : 'id';
my $cast = $db->selectcol_arrayref("SELECT body FROM message WHERE $time >= ?::timestamptz AND $time < ?::timestamptz ORDER BY id",
    undef, map { $_->strftime('%FT%T.%6N%z') } $since, $until);
say_line('timestamptz', @$cast);

my $page = $db->selectcol_arrayref('SELECT id FROM message ORDER BY id DESC LIMIT 5');
while (@$page) {
    say_line('page', @$page);
    # recipe: page
    $page = $db->selectcol_arrayref('SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT 5', undef, $page->[-1]);
    # end
}
$db->disconnect;
