// An outbox beside transactions that are open, a writer that commits late, and a poller whose program was killed.
import assert from 'node:assert/strict';
import pg from 'pg';

// recipe: poll

async function connect() {
    const db = new pg.Client(process.env.DATABASE_URL);
    await db.connect();
    return db;
}
const write = (db, body) => db.query('INSERT INTO outbox (body) VALUES ($1)', [body]);
const delivered = [];
async function deliver(id, body) { delivered.push(body); }
// The tick of the last id has to end.
async function pollUntil(db, count) { while (delivered.length < count) await poll(db, deliver); }

const [db, late, busy] = [await connect(), await connect(), await connect()];
await busy.query('BEGIN');
await busy.query('SELECT snowflake_next()'); // a transaction that has an id of another generator
await late.query('BEGIN');
await write(late, 'early');
await write(db, 'second');
assert.equal(await poll(db, deliver), 0); // and 'early' would be lost
await late.query('COMMIT');
await pollUntil(db, 2);

// The program is killed, and PostgreSQL has not noticed: the session still holds the place, and may commit.
const killed = await connect();
let commit;
const stuck = new Promise((resolve) => { commit = resolve; });
await write(db, 'third');
const first = (async () => {
    while (delivered.length < 3) await poll(killed, async (id, body) => { deliver(id, body); await stuck; });
})();
while (delivered.length < 3) await new Promise((resolve) => { setTimeout(resolve, 10); });
await write(db, 'fourth');
await db.query("SET lock_timeout = '1s'");
await assert.rejects(poll(db, deliver), { code: '55P03' });
commit();
await first;
await pollUntil(db, 4);

await write(db, 'fifth');
await assert.rejects(async () => { while (await poll(db, () => { throw new Error('refused'); }) === 0); }, /refused/);
await pollUntil(db, 5); // it is delivered by the next poll
console.log(['delivered', delivered.join(' ')].join('\t'));
console.log('place\tt');
for (const each of [db, late, busy, killed]) await each.end();
