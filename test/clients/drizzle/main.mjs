import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
import { execFileSync } from 'node:child_process';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { db, message } from './schema.mjs';
// recipe: imports
import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm';
// end

// recipe: insert
const [{ id }] = await db.insert(message).values({ body: 'from the client' }).returning({ id: message.id });
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const [read] = await db.select().from(message).where(eq(message.body, 'r05'));
say('read', read.id);

// recipe: find
const [found] = await db.select().from(message).where(eq(message.id, read.id));
// end
say('found', found.body);

const lowerBound = (time) => sql`${sql.raw(scheme)}_lower_bound(${time})`;
// recipe: time
const between = await db.select().from(message)
    .where(and(gte(message.id, lowerBound(since)), lt(message.id, lowerBound(until))))
    .orderBy(asc(message.id));
// end
say('lower_bound', ...between.map((row) => row.body));

// recipe: made
const made = sql`${sql.raw(scheme)}_time(${message.id})`.mapWith((time) => new Date(time));
const recent = db.select({ body: message.body, made }).from(message)
    .where(and(gte(made, since), lt(made, until))).orderBy(asc(message.id));
// end
assert.deepEqual((await recent).map((row) => row.body), between.map((row) => row.body));
await db.transaction(async (small) => {
    await small.execute(sql`SET LOCAL enable_seqscan = off`); // the table is small
    const plan = await small.execute(sql`EXPLAIN ${recent}`);
    assert.match(plan.rows.map((row) => row['QUERY PLAN']).join('\n'), /Index Cond: .*\bid\b.* >= /);
});

const time = kind === 'bigint' ? sql`${message.id}::snowflake` : message.id;
const cast = await db.select().from(message)
    .where(sql`${time} >= ${since}::timestamptz AND ${time} < ${until}::timestamptz`).orderBy(asc(message.id));
say('timestamptz', ...cast.map((row) => row.body));

const first = await db.select().from(message).orderBy(desc(message.id)).limit(5);
async function next(cursor) {
    // recipe: page
    const page = await db.select().from(message).where(lt(message.id, cursor)).orderBy(desc(message.id)).limit(5);
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

// drizzle-kit finds nothing to do.
const push = execFileSync('../../node_modules/.bin/drizzle-kit', ['push', '--config=drizzle.config.mjs', '--strict', '--verbose'], { encoding: 'utf8' });
assert.match(push, /No changes detected/, push);

// A number as the id of a row that was made in a busy millisecond: Drizzle does not find it again.
if (scheme === 'snowflake') {
    const rounded = pgTable('message', { id: bigint({ mode: 'number' }).primaryKey(), body: text() });
    await db.execute(sql`INSERT INTO message VALUES (374984618803228673, 'busy')`);
    const [busy] = await db.select().from(rounded).where(eq(rounded.body, 'busy'));
    assert.deepEqual(await db.select().from(rounded).where(eq(rounded.id, busy.id)), []);
    await db.execute(sql`DELETE FROM message WHERE body = 'busy'`);
}
await db.$client.end();
