import { kind, scheme } from '../common.mjs';
// recipe: schema
import { drizzle } from 'drizzle-orm/node-postgres';
import { customType, pgTable, text } from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';

// An id of any type, as the string that PostgreSQL writes. `bigint({ mode: 'number' })` would round it.
const idOf = (type) => customType({ dataType: () => type })();

export const message = pgTable('message', {
    id: idOf(kind).primaryKey().default(sql.raw(`${scheme}_next()`)),
    body: text().notNull(),
});
export const db = drizzle(process.env.DATABASE_URL);
// end
