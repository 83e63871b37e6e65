import assert from 'node:assert/strict';
import pg from 'pg';

// What JavaScript's numbers do to an id of 64 bits.
function numbers() {
    // recipe: numbers
    return [Number(id), JSON.parse(`{"id": ${id}}`).id, BigInt(id), BigInt(Number(quiet)), Number(quiet)].map(String);
}
assert.deepEqual(numbers(),
    ['374984618803228700', '374984618803228700', '374984618803228673', '192503455154180096', '192503455154180100']);
assert.throws(() => JSON.stringify({ id: 1n }), TypeError);

// What PostgreSQL writes into JSON: a bigint is a number, every other id is a string.
const db = new pg.Client();
await db.connect();
const { rows: [row] } = await db.query(
    `SELECT id, to_jsonb(message) AS row, to_jsonb(message) || jsonb_build_object('id', id::text) AS exact FROM message WHERE body = 'r05'`);
assert.equal(typeof row.row.id, process.env.KIND === 'bigint' ? 'number' : 'string');
assert.equal(row.exact.id, row.id);
await db.end();
