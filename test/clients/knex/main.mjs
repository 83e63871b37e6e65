import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: connect
import knexFor from 'knex';

const knex = knexFor({ client: 'pg', connection: process.env.DATABASE_URL });
// end

// recipe: insert
const [{ id }] = await knex('message').insert({ body: 'from the client' }).returning('id'); // a string
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const read = await knex('message').where({ body: 'r05' }).first('id');
say('read', read.id);

// recipe: find
const found = await knex('message').where({ id: read.id }).first();
// end
say('found', found.body);

// recipe: time
const between = await knex('message')
    .whereRaw(`id >= ${scheme}_lower_bound(?) AND id < ${scheme}_lower_bound(?)`, [since, until])
    .orderBy('id');
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? 'id::snowflake' : 'id';
const cast = await knex('message').whereRaw(`${time} >= ?::timestamptz AND ${time} < ?::timestamptz`, [since, until]).orderBy('id');
say('timestamptz', ...cast.map((row) => row.body));

const first = await knex('message').orderBy('id', 'desc').limit(5);
async function next(cursor) {
    // recipe: page
    const page = await knex('message').where('id', '<', cursor).orderBy('id', 'desc').limit(5);
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

// A table that Knex makes, and one that it changes, keep the default.
// recipe: schema
await knex.schema.createTable('note', (table) => {
    table.specificType('id', kind).primary().defaultTo(knex.raw(`${scheme}_next()`));
    table.text('body');
});
// end
await knex.schema.alterTable('note', (table) => table.integer('stars'));
const [note] = await knex('note').insert({ stars: 5 }).returning('id');
assert.equal(typeof note.id, 'string');
const column = (await knex('message').columnInfo()).id;
assert.equal(column.defaultValue, `${scheme}_next()`);
await knex.destroy();
