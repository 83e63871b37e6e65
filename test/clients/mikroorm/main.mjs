import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: entity
import { BigIntType, EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql';

const Message = new EntitySchema({
    name: 'Message',
    tableName: 'message',
    properties: {
        id: {
            type: kind === 'bigint' ? new BigIntType('string') : 'string',
            columnType: kind,
            primary: true,
            autoincrement: false, // or MikroORM wants to make a sequence for a bigint
            defaultRaw: `${scheme}_next()`,
        },
        body: { type: 'text' },
    },
});
const orm = await MikroORM.init({
    clientUrl: process.env.DATABASE_URL,
    entities: [Message],
    schemaGenerator: { skipTables: [/^snowid_/] }, // or MikroORM wants to drop what the extension owns
});
// end

let em = orm.em.fork();
// recipe: insert
const message = em.create('Message', { body: 'from the client' });
await em.flush(); // message.id is a string
// end
assert.equal(typeof message.id, 'string');
say('inserted', message.id);

em = orm.em.fork();
const read = await em.findOneOrFail('Message', { body: 'r05' });
assert.equal(typeof read.id, 'string');
say('read', read.id);

em = orm.em.fork();
// recipe: find
const found = await em.findOneOrFail('Message', read.id);
// end
say('found', found.body);

// recipe: time
const lowerBound = (time) => raw(`${scheme}_lower_bound(?)`, [time]);
const between = await em.find('Message', { id: { $gte: lowerBound(since), $lt: lowerBound(until) } }, { orderBy: { id: 'asc' } });
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? 'id::snowflake' : 'id';
const cast = await em.execute(`SELECT body FROM message WHERE ${time} >= ?::timestamptz AND ${time} < ?::timestamptz ORDER BY id`, [since, until]);
say('timestamptz', ...cast.map((row) => row.body));

const first = await em.find('Message', {}, { orderBy: { id: 'desc' }, limit: 5 });
async function next(cursor) {
    // recipe: page
    const page = await em.find('Message', { id: { $lt: cursor } }, { orderBy: { id: 'desc' }, limit: 5 });
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

// A schema that is compared is the same, and one that is made has the default.
assert.equal(await orm.schema.getUpdateSchemaSQL({ wrap: false }), '');
assert.ok((await orm.schema.getCreateSchemaSQL()).includes(`"id" ${kind} not null default ${scheme}_next()`));
await orm.close();
