<?php
declare(strict_types=1);

require '../common.php';

// recipe: connect
$db = new PDO('pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE'), getenv('PGUSER'), getenv('PGPASSWORD'));

function query(PDO $db, string $sql, array $parameters = []): array
{
    $statement = $db->prepare($sql);
    $statement->execute($parameters);
    return $statement->fetchAll(PDO::FETCH_COLUMN);
}
// end

// recipe: insert
[$id] = query($db, 'INSERT INTO message (body) VALUES (?) RETURNING id', ['from the client']);
// A bigint is an int, every other type is a string. The type snowflake is an int by (int) $id.
// end
assert(is_int($id) === ($kind === 'bigint'));
say('inserted', [$id]);

[$id] = query($db, "SELECT id FROM message WHERE body = 'r05'");
say('read', [$id]);

// recipe: find
$found = query($db, 'SELECT body FROM message WHERE id = ?', [$id]);
// end
say('found', $found);

// recipe: time
// PDO takes no dates: this is one with its zone and its microseconds.
$times = [$since->format('Y-m-d\TH:i:s.uP'), $until->format('Y-m-d\TH:i:s.uP')];
$between = query($db, "SELECT body FROM message WHERE id >= {$scheme}_lower_bound(?) AND id < {$scheme}_lower_bound(?) ORDER BY id", $times);
// end
say('lower_bound', $between);

$time = $kind === 'bigint' ? 'id::snowflake' : 'id';
say('timestamptz', query($db, "SELECT body FROM message WHERE $time >= ?::timestamptz AND $time < ?::timestamptz ORDER BY id", $times));

$page = query($db, 'SELECT id FROM message ORDER BY id DESC LIMIT 5');
while ($page) {
    say('page', $page);
    // recipe: page
    $page = query($db, 'SELECT id FROM message WHERE id < ? ORDER BY id DESC LIMIT 5', [end($page)]);
    // end
}
