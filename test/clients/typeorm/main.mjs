import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: entity
import { DataSource, EntitySchema, LessThan, Raw } from 'typeorm';

const Message = new EntitySchema({
    name: 'Message',
    tableName: 'message',
    columns: {
        id: { type: kind, primary: true, default: () => `${scheme}_next()` },
        body: { type: 'text' },
    },
});
const source = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [Message] });
// end
// recipe: types
// TypeORM has a list of the types that it knows.
source.driver.supportedDataTypes.push('snowflake', 'ulid');
// end
await source.initialize();
const messages = source.getRepository(Message);

// recipe: insert
const { id } = await messages.save({ body: 'from the client' }); // a string
// end
assert.equal(typeof id, 'string');
say('inserted', id);

const read = await messages.findOneByOrFail({ body: 'r05' });
say('read', read.id);

// recipe: find
const found = await messages.findOneByOrFail({ id: read.id });
// end
say('found', found.body);

// recipe: time
const between = await messages.find({
    where: { id: Raw((column) => `${column} >= ${scheme}_lower_bound(:since) AND ${column} < ${scheme}_lower_bound(:until)`, { since, until }) },
    order: { id: 'ASC' },
});
// end
say('lower_bound', ...between.map((row) => row.body));

const time = kind === 'bigint' ? 'message.id::snowflake' : 'message.id';
const cast = await messages.createQueryBuilder('message')
    .where(`${time} >= :since::timestamptz AND ${time} < :until::timestamptz`, { since, until }).orderBy('message.id').getMany();
say('timestamptz', ...cast.map((row) => row.body));

const first = await messages.find({ order: { id: 'DESC' }, take: 5 });
async function next(cursor) {
    // recipe: page
    const page = await messages.find({ where: { id: LessThan(cursor) }, order: { id: 'DESC' }, take: 5 });
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);

// TypeORM would change nothing of the table, in which it finds the type and the default as the entity has them.
const changes = await source.driver.createSchemaBuilder().log();
assert.deepEqual(changes.upQueries.map((each) => each.query), []);
await source.destroy();
