// What the programs in JavaScript share.
import assert from 'node:assert/strict';

export const kind = process.env.KIND;      // bigint, snowflake, uuid, ulid, sno
export const scheme = process.env.SCHEME;  // the prefix of its functions: snowflake, snowflake, uuidv7, ulid, sno
export const since = new Date('2025-06-15T03:00:00.250Z');
export const until = new Date('2025-06-15T06:00:00.250Z');

export function say(what, ...values) {
    console.log([what, values.join(' ')].join('\t'));
}

// Prints pages as lists of ids, newest first: the first one, and those that `next(cursor)` returns.
export async function sayPages(ids, next) {
    for (; ids.length > 0; ids = await next(ids.at(-1))) say('page', ...ids);
}

export { assert };
