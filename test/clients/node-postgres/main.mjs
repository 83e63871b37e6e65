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
await db.end();
