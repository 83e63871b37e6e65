// recipe: seal
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const mark = 0xa65959a600000008n;
const isPrefix = (prefix) => /^[a-z]([a-z_]{0,61}[a-z])?$/.test(prefix);

function aes(make, key, prefix, block) {
    const derived = hkdfSync('sha256', key, '', `snowid sealed id 1\x00\x08${prefix}`, 32);
    const cipher = make('aes-256-ecb', Buffer.from(derived), null).setAutoPadding(false);
    return BigInt(`0x${cipher.update(block.toString(16).padStart(32, '0'), 'hex', 'hex')}`);
}

export function seal(id, prefix, key, number = 0) {
    if (!isPrefix(prefix)) throw new Error('no prefix');
    if (!(number >= 0 && number <= 6)) throw new Error('no number of a key');
    if (BigInt.asIntN(64, id) !== id) throw new Error('no bigint of 64 bits');
    let n = BigInt(number) << 128n | aes(createCipheriv, key, prefix, mark << 64n | BigInt.asUintN(64, id));
    let text = '';
    for (let i = 0; i < 22; i++, n /= 62n) text = digits[n % 62n] + text;
    return `${prefix}_${text}`;
}

export function unseal(text, prefix, keys) { // keys by their numbers
    const n = isPrefix(prefix) && text.startsWith(`${prefix}_`) && /^[0-9A-Za-z]{22}$/.test(text.slice(prefix.length + 1))
        ? [...text.slice(-22)].reduce((n, c) => n * 62n + BigInt(digits.indexOf(c)), 0n) : -1n;
    const key = n < 0n || n >> 128n > 6n ? undefined : keys[n >> 128n];
    const plain = key ? aes(createDecipheriv, key, prefix, BigInt.asUintN(128, n)) : 0n;
    if (plain >> 64n !== mark) throw new Error('invalid sealed id');
    return BigInt.asIntN(64, plain);
}
// end
