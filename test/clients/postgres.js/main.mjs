import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: connect
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL);
// end

// recipe: insert
const [{ id }] = await sql`INSERT INTO message (body) VALUES (${'from the client'}) RETURNING id`; // a string
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const [read] = await sql`SELECT id FROM message WHERE body = ${'r05'}`;
say('read', read.id);

// recipe: find
const [found] = await sql`SELECT body FROM message WHERE id = ${read.id}`;
// end
say('found', found.body);

const lower_bound = sql(`${scheme}_lower_bound`);
// recipe: time
const between = await sql`
    SELECT body FROM message WHERE id >= ${lower_bound}(${since}) AND id < ${lower_bound}(${until}) ORDER BY id`;
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? sql`id::snowflake` : sql`id`;
const cast = await sql`
    SELECT body FROM message WHERE ${time} >= ${since}::timestamptz AND ${time} < ${until}::timestamptz ORDER BY id`;
say('timestamptz', ...cast.map((row) => row.body));

const first = await sql`SELECT id FROM message ORDER BY id DESC LIMIT 5`;
async function next(cursor) {
    // recipe: page
    const page = await sql`SELECT id FROM message WHERE id < ${cursor} ORDER BY id DESC LIMIT 5`;
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);
await sql.end();
