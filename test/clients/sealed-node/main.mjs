// Sealed ids in JavaScript: the vectors, and tokens that the database opens.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import assert from 'node:assert/strict';
import { seal, unseal } from '../sealed.mjs';

function rows(name) {
    const [head, ...lines] = readFileSync(`${process.env.SNOWID_VECTORS}/${name}`, 'utf8').trimEnd().split('\n').map((line) => line.split('\t'));
    return lines.map((line) => Object.fromEntries(head.map((column, i) => [column, line[i]])));
}

const valid = rows('sealed8.valid.tsv');
const keys = Object.fromEntries(valid.map((row) => [row.key_number, Buffer.from(row.root_key_hex, 'hex')]));
for (const row of valid) {
    assert.equal(seal(BigInt(row.id), row.prefix, keys[row.key_number], Number(row.key_number)), row.text);
    assert.equal(unseal(row.text, row.prefix, keys), BigInt(row.id));
}
const invalid = rows('sealed.invalid.tsv');
for (const row of invalid) assert.throws(() => unseal(JSON.parse(row.input_json_string), row.expected_prefix, keys), /invalid sealed id/);

// There is no key number 7, although 22 digits can hold most of its tokens; nor an id of more than 64 bits.
assert.throws(() => unseal('ord_xSaQxSsJSb0nrsl43SVomu', 'ord', { ...keys, 7: keys[0] }), /invalid sealed id/);
for (const number of [7, -1]) assert.throws(() => seal(1n, 'ord', keys[0], number), /no number of a key/);
for (const id of [2n ** 63n, -(2n ** 63n) - 1n]) assert.throws(() => seal(id, 'ord', keys[0]), /no bigint/);

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
const { rows: [{ number, id }] } = await client.query("SELECT snowid_seal_key_create() AS number, id FROM message WHERE body = 'r05'");
const { rows: [{ revealed, token }] } = await client.query("SELECT snowid_seal_key_reveal($1) AS revealed, id_seal($2, 'msg') AS token", [number, id]);
await client.end();
const key = Buffer.from(revealed, 'hex');
console.log(`sealed\t${seal(BigInt(id), 'msg', key, number)}`);
console.log(`opened\t${unseal(token, 'msg', { [number]: key })}`);
console.log(`vectors\t${valid.length}\t${invalid.length}`);
