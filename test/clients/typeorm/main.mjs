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
source.driver.supportedDataTypes.push('snowflake', 'ulid', 'sno');
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

// What `synchronize`, or a generated migration, would do.
async function changes(dataSource) {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map((each) => each.query).join('\n');
}
assert.equal(await changes(source), '');
await source.destroy();

// What it would do if the entity said another type, or that TypeORM makes the ids.
async function changesBy(column) {
    const other = new EntitySchema({ name: 'Other', tableName: 'message', columns: { id: column, body: { type: 'text' } } });
    const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [other] });
    await dataSource.initialize();
    const found = await changes(dataSource);
    await dataSource.destroy();
    return found;
}
if (kind === 'snowflake') {
    assert.match(await changesBy({ type: 'bigint', primary: true, default: () => 'snowflake_next()' }), /DROP COLUMN "id"/);
    await assert.rejects(changesBy({ type: kind, primary: true }), /Data type "snowflake" in "Other.id" is not supported/);
}
if (kind === 'bigint') assert.match(await changesBy({ type: kind, primary: true, generated: 'increment' }), /SET DEFAULT nextval/);
