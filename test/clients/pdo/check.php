
assert(is_int($id) === (getenv('KIND') === 'bigint'));

// What is no sequence's has no last value: the call fails, or returns another table's.
function lastInsertId(PDO $db): string
{
    try {
        return $db->lastInsertId();
    } catch (PDOException $error) {
        return $error->getCode();
    }
}
assert(lastInsertId($db) === '55000');
$db->exec('CREATE TABLE numbered (id bigserial); INSERT INTO numbered DEFAULT VALUES');
$insert->execute(['for a moment']);
assert(lastInsertId($db) === '1');
$db->exec("DELETE FROM message WHERE body = 'for a moment'");
