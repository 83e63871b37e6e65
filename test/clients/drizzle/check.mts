// A number as the id of a row that was made in a busy millisecond: Drizzle does not find it again.
import assert from 'node:assert/strict';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

if (process.env.SCHEME === 'snowflake') {
    const db = drizzle(process.env.DATABASE_URL!);
    const rounded = pgTable('message', { id: bigint({ mode: 'number' }).primaryKey(), body: text() });
    await db.execute(sql`INSERT INTO message VALUES (374984618803228673, 'busy')`);
    const [busy] = await db.select().from(rounded).where(eq(rounded.body, 'busy'));
    assert.deepEqual(await db.select().from(rounded).where(eq(rounded.id, busy.id)), []);
    await db.execute(sql`DELETE FROM message WHERE body = 'busy'`);
    await db.$client.end();
}
