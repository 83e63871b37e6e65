import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: connect
import pg from 'pg';

const db = new pg.Client(process.env.DATABASE_URL);
await db.connect();
// end

// recipe: insert
const inserted = await db.query('INSERT INTO message (body) VALUES ($1) RETURNING id', ['from the client']);
const id = inserted.rows[0].id; // a string, whatever the type of the column
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const read = await db.query('SELECT id FROM message WHERE body = $1', ['r05']);
say('read', read.rows[0].id);

// recipe: find
const found = await db.query('SELECT body FROM message WHERE id = $1', [read.rows[0].id]);
// end
say('found', found.rows[0].body);

// recipe: time
const between = await db.query(
    `SELECT body FROM message WHERE id >= ${scheme}_lower_bound($1) AND id < ${scheme}_lower_bound($2) ORDER BY id`,
    [since, until], // Dates
);
// end
say('lower_bound', ...between.rows.map((row) => row.body));

const time = kind === 'bigint' ? 'id::snowflake' : 'id';
const cast = await db.query(
    `SELECT body FROM message WHERE ${time} >= $1::timestamptz AND ${time} < $2::timestamptz ORDER BY id`,
    [since, until],
);
say('timestamptz', ...cast.rows.map((row) => row.body));

const ids = ({ rows }) => rows.map((row) => row.id);
const first = await db.query('SELECT id FROM message ORDER BY id DESC LIMIT 5');
async function next(cursor) {
    // recipe: page
    const page = await db.query('SELECT id FROM message WHERE id < $1 ORDER BY id DESC LIMIT 5', [cursor]);
    // end
    return ids(page);
}
await sayPages(ids(first), next);

// What JavaScript's numbers do to an id of 64 bits.
function numbers() {
    // recipe: numbers
    const id = '374984618803228673'; // made in a busy millisecond
    Number(id);                      // 374984618803228700
    JSON.parse(`{"id": ${id}}`);     // { id: 374984618803228700 }
    BigInt(id);                      // 374984618803228673n, which JSON.stringify refuses

    const quiet = '192503455154180096'; // made alone in its millisecond: the number is exact,
    String(Number(quiet));              // but it is written '192503455154180100'
    // end
    return [Number(id), JSON.parse(`{"id": ${id}}`).id, BigInt(id), BigInt(Number(quiet)), Number(quiet)].map(String);
}
assert.deepEqual(numbers(),
    ['374984618803228700', '374984618803228700', '374984618803228673', '192503455154180096', '192503455154180100']);
assert.throws(() => JSON.stringify({ id: 1n }), TypeError);

// What PostgreSQL writes into JSON: a bigint is a number, every other id is a string.
const json = await db.query("SELECT to_jsonb(message) AS row FROM message WHERE body = 'r05'");
assert.equal(typeof json.rows[0].row.id, kind === 'bigint' ? 'number' : 'string');
// recipe: json
const exact = await db.query("SELECT to_jsonb(message) || jsonb_build_object('id', id::text) AS row FROM message WHERE body = 'r05'");
// end
assert.equal(exact.rows[0].row.id, read.rows[0].id);

await db.end();
