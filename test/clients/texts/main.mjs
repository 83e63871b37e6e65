// TypeIDs, Nano IDs and Cuid2s of the database, by those who know them: the libraries of JavaScript.
import assert from 'node:assert/strict';
import { isCuid } from '@paralleldrive/cuid2';
import { nanoid, urlAlphabet } from 'nanoid';
import pg from 'pg';
import { TypeID, typeid } from 'typeid-js';

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
const ask = async (sql, ...values) => (await client.query(sql, values)).rows;

const typeids = await ask(`SELECT id::text, prefix, typeid_text(id, prefix) AS typeid, typeid_prefix(typeid_text(id, prefix)) AS read
    FROM (SELECT CASE n % 2 WHEN 0 THEN gen_random_uuid() ELSE uuidv7_next() END AS id, (ARRAY['', 'user', 'a_b', repeat('x', 63)])[1 + n % 4] AS prefix
        FROM generate_series(1, 500) AS n) AS made`);
for (const row of typeids) {
    const read = TypeID.fromString(row.typeid);
    assert.equal(read.toUUID(), row.id);
    assert.equal(read.getType(), row.prefix);
    assert.equal(row.read, row.prefix);
    assert.equal(TypeID.fromUUID(row.prefix, row.id).toString(), row.typeid);
}
for (let i = 0; i < 100; i++) {
    const made = typeid(['', 'user'][i % 2]);
    const [{ uuid }] = await ask('SELECT typeid_uuid($1, $2) AS uuid', made.toString(), made.getType());
    assert.equal(uuid, made.toUUID());
}
console.log(`typeids\t${typeids.length}`);

const nanoids = await ask('SELECT nanoid_next() AS id FROM generate_series(1, 1000)');
for (const { id } of nanoids) assert(id.length === nanoid().length && [...id].every((c) => urlAlphabet.includes(c)), id);
assert.equal(new Set(nanoids.flatMap(({ id }) => [...id])).size, urlAlphabet.length, 'all of its characters occur');
console.log(`nanoids\t${nanoids.length}`);

const cuids = await ask('SELECT cuid2_next() AS id FROM generate_series(1, 500) UNION ALL SELECT cuid2_next(2 + n % 31) FROM generate_series(1, 500) AS n');
for (const { id } of cuids) assert(isCuid(id), id);
console.log(`cuids\t${cuids.length}`);
await client.end();
