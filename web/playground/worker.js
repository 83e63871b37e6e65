// PostgreSQL runs here, so that the page stays alive while a statement runs, and can end it.
import { PGlite } from "./pglite/index.js";

const typeNames = new Map();
let database;
let asText;
let hasPgcrypto = false;

// The files are packed with gzip, under a name that no server unpacks on its own.
async function fetchPacked(name) {
    const answer = await fetch(new URL(`pglite/${name}.bin`, import.meta.url));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    const counted = new TransformStream({
        transform(chunk, stream) {
            postMessage({ loaded: chunk.length });
            stream.enqueue(chunk);
        },
    });
    return new Response(answer.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start() {
    const [server, initdb, files, plain] = await Promise.all([
        fetchPacked("pglite.wasm").then((bytes) => WebAssembly.compile(bytes)),
        fetchPacked("initdb.wasm").then((bytes) => WebAssembly.compile(bytes)),
        fetchPacked("pglite.data"),
        fetch(new URL("snowid.sql", import.meta.url)).then((answer) => answer.text()),
    ]);
    postMessage({ starts: true });
    database = await PGlite.create({ pgliteWasmModule: server, initdbWasmModule: initdb, fsBundle: new Blob([files]) });
    await database.exec(plain);
    await database.exec("SELECT snowid.snowid_set('worker_id', '7'); SET search_path = public, snowid; SET timezone = 'UTC'");
    const { rows } = await database.query("SELECT oid::text, format_type(oid, NULL) AS name FROM pg_type");
    for (const { oid, name } of rows) typeNames.set(Number(oid), name);
    asText = Object.fromEntries(rows.map(({ oid }) => [oid, String]));
}

// What only sealed ids need is fetched with the first of them.
async function addPgcrypto() {
    const tar = new Uint8Array(await fetchPacked("pgcrypto.tar"));
    const text = (from, to) => new TextDecoder().decode(tar.subarray(from, to)).replace(/\0.*/s, "");
    const { FS, WASM_PREFIX } = database.Module;
    for (let at = 0, size; tar[at]; at += 512 + 512 * Math.ceil(size / 512)) {
        size = parseInt(text(at + 124, at + 136), 8);
        FS.writeFile(`${WASM_PREFIX}/${text(at, at + 100)}`, tar.subarray(at + 512, at + 512 + size));
    }
    await database.exec("CREATE EXTENSION pgcrypto");
    hasPgcrypto = true;
}

async function run(sql) {
    const notices = [];
    const options = { rowMode: "array", parsers: asText, onNotice: (notice) => notices.push(`${notice.severity}: ${notice.message}`) };
    try {
        if (!hasPgcrypto && /seal|pgcrypto/i.test(sql)) await addPgcrypto();
        const results = await database.exec(sql, options);
        return { notices, results: results.map(({ fields, rows, affectedRows }) => ({
            fields: fields.map((field) => ({ name: field.name, type: typeNames.get(field.dataTypeID) ?? "a type of yours" })), rows, affectedRows })) };
    } catch (error) {
        await database.exec("ROLLBACK");
        return { notices, results: [], error: { code: error.code, message: error.message, detail: error.detail, hint: error.hint } };
    }
}

const started = start();
started.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error) }));
onmessage = async ({ data }) => {
    await started;
    postMessage({ answer: await run(data) });
};
