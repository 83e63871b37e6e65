<?php
// What the programs in PHP share.
declare(strict_types=1);

[$kind, $scheme] = [getenv('KIND'), getenv('SCHEME')]; // bigint, snowflake, uuid, ulid, sno; the prefix of its functions
$since = new DateTimeImmutable('2025-06-15T03:00:00.250Z');
$until = new DateTimeImmutable('2025-06-15T06:00:00.250Z');

function say(string $what, array $values): void
{
    echo $what, "\t", implode(' ', $values), "\n";
}
