// A Prisma client whose rows have a sealed id, and no bigint.
import { PrismaPg } from '@prisma/adapter-pg';
import assert from 'node:assert/strict';
import { PrismaClient } from './generated/client.js';
import { seal, unseal } from '../sealed.mjs';

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });
const plain = new PrismaClient({ adapter });
await plain.$queryRaw`SELECT snowid_seal_key_create()`;
const [{ revealed, id, token }] = await plain.$queryRaw`
    SELECT snowid_seal_key_reveal(0) AS revealed, id, id_seal(id, 'msg') AS token FROM message WHERE body = 'r05'`;
const keys = { 0: Buffer.from(revealed, 'hex') };

// recipe: prisma

const found = await prisma.message.findByToken(token);
assert.deepEqual(Object.keys(found).sort(), ['body', 'token']);
assert.throws(() => prisma.message.findByToken(token.replace('msg', 'ord')), /invalid sealed id/);
console.log(`sealed\t${found.token}`);
console.log(`found\t${found.body}`);
const made = await prisma.message.create({ data: { body: 'by prisma' } });
console.log(`made\t${made.token}`);
assert(!('id' in made) && id > 0n);
await prisma.$disconnect();
await plain.$disconnect();
