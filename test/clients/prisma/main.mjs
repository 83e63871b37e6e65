import { assert, kind, say, sayPages, scheme, since, until } from '../common.mjs';
// recipe: connect
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/client.js';

// The adapter sends a Date without its zone: the session must be in UTC.
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, options: '-c TimeZone=UTC' });
const prisma = new PrismaClient({ adapter });
// end

// recipe: insert
const { id } = await prisma.message.create({ data: { body: 'from the client' } }); // a BigInt, or a string
// end
assert.equal(typeof id, scheme === 'snowflake' ? 'bigint' : 'string');
say('inserted', id);

const read = await prisma.message.findFirstOrThrow({ where: { body: 'r05' } });
say('read', read.id);

// recipe: find
const found = await prisma.message.findUniqueOrThrow({ where: { id: read.id } });
// end
say('found', found.body);

const lower_bound = Prisma.raw(`${scheme}_lower_bound`);
// recipe: time
const between = await prisma.$queryRaw`
    SELECT body FROM message WHERE id >= ${lower_bound}(${since}) AND id < ${lower_bound}(${until}) ORDER BY id`;
// end
say('lower_bound', ...between.map((row) => row.body));

await prisma.$executeRawUnsafe(`CREATE VIEW sent AS SELECT id, ${scheme}_time(id) AS made, body FROM message`);
// recipe: made
const recent = await prisma.sent.findMany({ where: { made: { gte: since, lt: until } }, orderBy: { id: 'asc' } });
// end
assert.deepEqual(recent.map((row) => row.body), between.map((row) => row.body));
const plan = await prisma.$transaction(async (small) => {
    await small.$executeRaw`SET LOCAL enable_seqscan = off`; // the table is small
    return small.$queryRaw`EXPLAIN SELECT body FROM sent WHERE made >= ${since} AND made < ${until}`;
});
assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /Index Cond: .*\bid\b.* >= /);

const time = kind === 'bigint' ? Prisma.raw('id::snowflake') : Prisma.raw('id');
const cast = await prisma.$queryRaw`
    SELECT body FROM message WHERE ${time} >= ${since}::timestamptz AND ${time} < ${until}::timestamptz ORDER BY id`;
say('timestamptz', ...cast.map((row) => row.body));

const first = await prisma.message.findMany({ orderBy: { id: 'desc' }, take: 5 });
async function next(cursor) {
    // recipe: page
    const page = await prisma.message.findMany({ where: { id: { lt: cursor } }, orderBy: { id: 'desc' }, take: 5 });
    // end
    return page.map((row) => row.id);
}
await sayPages(first.map((row) => row.id), next);
await prisma.$disconnect();
