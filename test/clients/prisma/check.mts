// The view is read by the index of the primary key.
import assert from 'node:assert/strict';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, options: '-c TimeZone=UTC' });
const prisma = new PrismaClient({ adapter });
const since = new Date('2025-06-15T03:00:00.250Z');
const until = new Date('2025-06-15T06:00:00.250Z');
await prisma.$executeRawUnsafe(`CREATE VIEW sent AS SELECT id, ${process.env.SCHEME}_time(id) AS made, body FROM message`);
const recent = await prisma.sent.findMany({ where: { made: { gte: since, lt: until } }, orderBy: { id: 'asc' } });
assert.deepEqual(recent.map((row) => row.body), ['r03', 'r04', 'r05']);
const plan = await prisma.$transaction(async (small) => {
    await small.$executeRaw`SET LOCAL enable_seqscan = off`; // the table is small
    return small.$queryRaw<any[]>`EXPLAIN SELECT body FROM sent WHERE made >= ${since} AND made < ${until}`;
});
assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), /Index Cond: .*\bid\b.* >= /);
await prisma.$disconnect();
