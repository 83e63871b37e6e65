import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: connect
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';

// In TypeScript: interface Message { id: Generated<string>; body: string }
const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) }) });
// end

// recipe: insert
const { id } = await db.insertInto('message').values({ body: 'from the client' }).returning('id').executeTakeFirstOrThrow();
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const read = await db.selectFrom('message').select('id').where('body', '=', 'r05').executeTakeFirstOrThrow();
say('read', read.id);

// recipe: find
const found = await db.selectFrom('message').selectAll().where('id', '=', read.id).executeTakeFirstOrThrow();
// end
say('found', found.body);

// recipe: time
const between = await db.selectFrom('message').selectAll()
    .where('id', '>=', (e) => e.fn(`${scheme}_lower_bound`, [e.val(since)]))
    .where('id', '<', (e) => e.fn(`${scheme}_lower_bound`, [e.val(until)]))
    .orderBy('id').execute();
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? sql`id::snowflake` : sql.ref('id');
const cast = await db.selectFrom('message').selectAll()
    .where(time, '>=', sql`${since}::timestamptz`).where(time, '<', sql`${until}::timestamptz`)
    .orderBy('id').execute();
say('timestamptz', ...cast.map((row) => row.body));

const first = await db.selectFrom('message').select('id').orderBy('id', 'desc').limit(5).execute();
async function next(cursor) {
    // recipe: page
    const page = await db.selectFrom('message').select('id').where('id', '<', cursor).orderBy('id', 'desc').limit(5).execute();
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

// A table that Kysely makes, and what it says of one that it finds.
// recipe: schema
await db.schema.createTable('note')
    .addColumn('id', sql.raw(kind), (column) => column.primaryKey().defaultTo(sql.raw(`${scheme}_next()`)))
    .addColumn('body', 'text')
    .execute();
// end
await db.schema.alterTable('note').addColumn('stars', 'integer').execute();
assert.equal(typeof (await db.insertInto('note').values({ stars: 5 }).returning('id').executeTakeFirstOrThrow()).id, 'string');
const tables = await db.introspection.getTables();
const column = tables.find((table) => table.name === 'message').columns.find((each) => each.name === 'id');
assert.deepEqual([column.dataType, column.hasDefaultValue], [kind === 'bigint' ? 'int8' : kind, true]);
await db.destroy();
