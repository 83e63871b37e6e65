# What is this id? SQL and the program snowid give the same answers, those of the table of examples and those to every
# vector; and what the program generates and bounds, the types read.
use strict;
use warnings;
use lib 'test/tap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Snowid;
use Test::More;
use JSON::PP qw(decode_json);

seed();
my $program = "$ENV{TESTDIR}/snowid";
my $vectors = "$ENV{TESTDIR}/test/vectors";
my $folder = PostgreSQL::Test::Utils::tempdir();

sub lines {
    my ($file) = @_;
    my @lines = split /\n/, slurp_file($file), -1;
    pop @lines;
    return @lines;
}

# The rows of a file of vectors, as hashes.
sub rows {
    my ($name) = @_;
    my ($head, @rows) = lines("$vectors/$name");
    my @columns = split /\t/, $head;
    return map { my %row; @row{@columns} = split /\t/, $_, -1; \%row } @rows;
}

# What the program prints, what it says to standard error, and its status.
sub run_program {
    my ($input, @words) = @_;
    my ($out, $err) = ('', '');
    IPC::Run::run([$program, @words], '<', \$input, '>', \$out, '2>', \$err);
    return ($out, $err, $? >> 8);
}

# The program knows no worker of a server, so the server has one that no id of the vectors is by.
$node = new_server('inspect', 'snowid.worker_id = 517');
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION snowid');

# the table of examples
sub same_as_example {
    my ($row, $who, @findings) = @_;
    my %found = map { $_->{format} => $_ } @findings;
    return is(scalar @findings, 0, "$who: $row->{input}: nothing") if $row->{formats} eq 'nothing';
    my @wanted = grep { !/:no$/ } split /,/, $row->{formats};
    my %wanted = map { $_ => 1 } @wanted;
    is_deeply([grep { $wanted{$_} } map { "$_->{format}:$_->{confidence}" } @findings], \@wanted, "$who: $row->{input}: @wanted");
    ok(!$found{$_}, "$who: $row->{input}: not $_") for map { /(.*):no$/ } split /,/, $row->{formats};
    my ($time) = $row->{time} =~ /^(\S+)/ or return;
    $time =~ s/(?<!\.\d{3})Z/.000Z/;
    is($found{ $wanted[0] =~ s/:.*//r }{time}, $time, "$who: $row->{input}: its time");
}
for my $row (rows('inspect.examples.tsv')) {
    my ($said, undef, $status) = run_program('', 'inspect', '--json', $row->{input});
    is($status, $row->{formats} eq 'nothing' ? 1 : 0, "$row->{input}: the status");
    same_as_example($row, 'program', @{ decode_json($said)->{findings} });
    my $answer = sql(qq[SELECT jsonb_agg(jsonb_build_object('format', format, 'confidence', confidence,
        'time', to_char("time" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY n)
            FROM snowid_inspect('$row->{input}') WITH ORDINALITY AS i(format, confidence, "time", canonical, fields, n)]);
    same_as_example($row, 'SQL', @{ decode_json($answer || '[]') });
}

# Real ids: each is what it is or one of several, never of the future; a column of them is what it is.
my @real = rows('inspect.real.tsv');
is(sql('SELECT count(*) FROM (VALUES ' . join(', ', map { "('$_->{id}', '$_->{layout}')" } @real) . q{) AS r (id, layout),
    LATERAL (SELECT * FROM snowid_inspect(id) LIMIT 1) AS i WHERE format ~ ('(one of .*)?snowflake/' || layout)
        AND ("time" < now()) IS NOT FALSE}), scalar @real, 'real ids');
for my $layout ('twitter', 'discord', 'instagram', 'mastodon') {
    my @ids = map { $_->{id} } grep { $_->{layout} eq $layout } @real;
    is(sql("SELECT format, confidence, fits FROM snowid_inspect(ARRAY[" . join(', ', map { "'$_'" } @ids) . ']) LIMIT 1'),
        "snowflake/$layout|likely|" . @ids, "a column of $layout");
}

# Every text of every vector, right and wrong, that a line and a parameter can hold.
my %texts;
for my $file (glob("$vectors/*.tsv")) {
    for my $row (rows($file =~ s{.*/}{}r)) {
        for my $column (grep { /^(input_json_string|text|hex|id|cuid|typeid|input|canonical|ulid|uuid|hash)$/ } keys %$row) {
            my $text = $column eq 'input_json_string' ? JSON::PP->new->allow_nonref->decode($row->{$column}) : $row->{$column};
            utf8::encode($text) if $column eq 'input_json_string';
            $texts{$text} = 1 if length $text && length $text <= 200 && $text !~ /[\0\r\n]/;
        }
    }
}
my @texts = sort keys %texts;
sub write_file { my ($file, @lines) = @_; open(my $out, '>', "$folder/$file") or die $!; print $out map { "$_\n" } @lines; close $out; }
sub copied { return map { s/\\/\\\\/gr =~ s/\t/\\t/gr } @_; }
write_file('texts', copied(@texts));
for my $layout ('default', 'discord') {
    my ($said) = run_program(join("\n", @texts), 'inspect', '--json', '--layout', $layout);
    write_file('answers', copied(split /\n/, $said));
    if ($layout ne 'default') {
        $node->append_conf('postgresql.conf', "snowid.layout = '$layout'");
        $node->safe_psql('postgres', 'DROP EXTENSION snowid');
        $node->restart;
        $node->safe_psql('postgres', 'CREATE EXTENSION snowid');
    }
    is(sql(<<"SQL"), scalar(@texts) . '|', "$layout: SQL and the program agree on every text");
SET client_min_messages = error; SET timezone = 'UTC';
DROP TABLE IF EXISTS given, said;
CREATE TABLE given (n int GENERATED ALWAYS AS IDENTITY, id text); CREATE TABLE said (n int GENERATED ALWAYS AS IDENTITY, answer jsonb);
COPY given (id) FROM '$folder/texts'; COPY said (answer) FROM '$folder/answers';
WITH by_sql AS (SELECT g.n, i.* FROM given g, snowid_inspect(id) WITH ORDINALITY AS i(format, confidence, "time", canonical, fields,
    place)),
    by_program AS (SELECT s.n, f.value ->> 'format', f.value ->> 'confidence', (f.value ->> 'time')::timestamptz, f.value ->> 'canonical',
        f.value -> 'fields', f.place
        FROM said s, jsonb_array_elements(answer -> 'findings') WITH ORDINALITY AS f(value, place)),
    differ AS ((TABLE by_sql EXCEPT TABLE by_program) UNION ALL (TABLE by_program EXCEPT TABLE by_sql))
SELECT (SELECT count(*) FROM said), (SELECT string_agg(DISTINCT id, ' ') FROM differ JOIN given USING (n));
SQL
}

# what is wrong
for my $case (
    [['inspect', ''], qr/an empty text is not an id/], [['inspect', '1' x 201], qr/it has 201 bytes, but an id has at most 200/],
    [['inspect', '--layout', 'twiter', '1'], qr/There is no layout named "twiter"/],
        [['inspect', '--json=1', '1'], qr/--json takes no value/],
    [['inspect', '--all', '1'], qr/there is no option "--all"/], [['generate'], qr/the format is missing/],
    [['generate', 'snowflake'], qr/without a server nothing keeps two programs from making the same/],
        [['generate', 'cuid'], qr/is not a format that is made here/],
    [['generate', 'ulid', '-n', '-1'], qr/-n must be a whole number/], [['generate', 'ulid', '--metabyte', '1'], qr/only a sno/],
    [['generate', 'sno', '--metabyte', '256'], qr/the metabyte must be a whole number from 0 to 255/],
        [['generate', 'sno', '--partition', '65536'], qr/from 0 to 65535/],
    [['generate', 'ulid', '--time', '1960-01-01'], qr/no ulid can have the time 1960-01-01/],
        [['generate', 'ulid', '--time', 'soon'], qr/is not a UTC time/],
    [['generate', 'ulid', 'ksuid'], qr/one format/], [['generate', 'sno', '-n'], qr/-n needs a value/],
    [['generate', 'sno', '-n', '65537', '--partition', '1', '--time', '2024-01-01'], qr/are used up/],
    [['bound', 'ulid'], qr/the time is missing/], [['bound', 'nanoid', '2024-01-01'], qr/there is no format "nanoid"/],
    [['bound', 'ksuid', '2200-01-01'], qr/every ksuid has an earlier time/], [['bound', 'ulid', '2024-01-01', '--layout', 'js'],
        qr/only a snowflake/],
    [['layout', 'epoch=2024-01-01,tick=1ms,time=41'], qr/"sequence" is missing/], [['layout', "a\e[31m=1"], qr/\\x1b\[31m/],
        [['layouts', 'x'], qr/takes no text/],
    [['nothing'], qr/there is no command "nothing"/], [[], qr/snowid inspect/]) {
    my ($words, $like) = @$case;
    my ($out, $err, $status) = run_program('', @$words);
    is($status, 2, "@$words: the status") and like($err, $like, "@$words: why");
}
is((run_program("9m4e2mr0ui3e8a215n4g\r\n\n86Rf07", 'inspect'))[2], 1, 'one of two is not known');
is((run_program("9m4e2mr0ui3e8a215n4g\r\n\n", 'inspect'))[2], 0, 'an empty line is no id, and a line may end as on Windows');
like((run_program("a\0b\e[0m\n", 'inspect'))[0], qr/^a\\x00b\\x1b\[0m\n  nothing known$/m, 'nothing is sent to the terminal that moves it');
like((run_program('', 'inspect', ' x'))[0], qr/white space around it/, 'white space is told');
like((run_program('', 'inspect', q( '0x054ec2a3', )))[0], qr/^  number .* canonical=89047715$/m,
    'what is pasted around an id is read over');
like((run_program('', 'inspect', '--', '-1StGXR8_Z5jdHi6B-myT'))[0], qr/nanoid/, 'an id may begin with a hyphen');
like((run_program('', 'version'))[0], qr/^snowid \d+\.\d+\.\d+$/, 'the version');
is((run_program('', 'help'))[2], 0, 'help');

like((run_program('', 'inspect', 'brpk4q72xwf2m63l'))[0],
    qr/metabyte=255 partition=39434 sequence=4147 tick_tock=false  bytes=4e6f2160a0ff9a0a1033$/m,
    'a sno, with its bytes as in the reference');

# what is generated
for my $format ('uuidv7', 'ulid', 'ksuid', 'sno') {
    my $type = $format eq 'uuidv7' ? 'uuid' : $format;
    my ($now) = run_program('', 'generate', $format, '-n', '70000', $format eq 'sno' ? ('--metabyte=7', '--partition', '9') : ());
    my ($then) = run_program('', 'generate', $format, '-n', '1000', '--time', '2024-05-06T07:08:09.012Z');
    my @now = split /\n/, $now;
    is(scalar @now, 70000, "$format: so many");
    is_deeply([sort @now], \@now, "$format: they ascend");
    is(keys %{ { map { $_ => 1 } @now } }, 70000, "$format: and differ");
    write_file('ids', @now[0 .. 999]);
    write_file('dated', split /\n/, $then);
    my $time = $format eq 'uuidv7' ? 'uuidv7_time' : "${format}_time";
    is(sql("CREATE TABLE ids_$format (id $type); COPY ids_$format FROM '$folder/ids';
        SELECT bool_and($time(id) BETWEEN now() - interval '1 minute' AND now() + interval '1 minute') FROM ids_$format"), 't',
        "$format: of now");
    is(sql("TRUNCATE ids_$format; COPY ids_$format FROM '$folder/dated'; SELECT count(DISTINCT id), min($time(id)) = max($time(id)),
        min($time(id)) BETWEEN '2024-05-06 07:08:09Z' AND '2024-05-06 07:08:09.012Z' FROM ids_$format"), '1000|t|t', "$format: of a time");
    is(sql("COPY ids_sno FROM '$folder/ids'; SELECT count(*) FROM ids_sno WHERE sno_metabyte(id) = 7 AND sno_partition(id) = 9"), '1000',
        'sno: metabyte and partition') if $format eq 'sno';
}
my (undef, $at_random) = run_program('', 'generate', 'sno');
like($at_random, qr/^snowid: the partition is \d+, at random; --partition sets it\.$/, 'a random partition is told');
isnt((run_program('', 'generate', 'sno'))[1], (run_program('', 'generate', 'sno', '-n', '2'))[1], 'and differs, but for one time in 65536');
is((run_program('', 'generate', 'ulid', '-n', '0'))[0], '', 'no ids');

# bounds and layouts
my %wide = wide_types();
my @formats = (qw(snowflake uuidv7), sort keys %wide);
for my $i (1 .. 20) {
    my $time = sql("SELECT to_char(timestamp '2016-01-01' + random() * interval '10 years', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')");
    my $wanted = sql("SELECT concat_ws(' ', " . join(', ', map { "${_}_lower_bound('$time')" } @formats) . ')');
    my @bounds = map { (run_program('', 'bound', $_, $time, $_ eq 'snowflake' ? ('--layout', 'discord') :
        ()))[0] =~ s/\n//r } @formats;
    is("@bounds", $wanted, "the bounds of $time");
}
is((run_program('', 'layouts'))[0] =~ s/ +/|/gr, sql('SELECT * FROM (SELECT name, layout FROM snowid_layouts) AS l') . "\n", 'the layouts');
like((run_program('', 'layout', 'twitter'))[0], qr/^epoch=2010-11-04T01:42:54\.657Z.*^datacenter +5 bits from bit 17: 0 to 31$/ms,
    'a layout');
done_testing();
