// The page: what is typed goes to the core (inspect_wasm.cpp), and its answers are shown. Nothing goes anywhere else.
"use strict";

const WASM = "WASM_BASE64"; // gzip
const MOST_IDS = 500;
const by = (id) => document.getElementById(id);
let core;
let presets; // the text of each by its name
let formats; // those that have ranges

// An element with a class, and what stands in it: texts and elements.
function element(tag, name, ...inside) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
}

// Calls a function of the core with texts, whose lengths it gets, and perhaps a number. Returns JSON.
function ask(name, texts, ...numbers) {
    const bytes = texts.map((text) => new TextEncoder().encode(text));
    const room = new Uint8Array(core.memory.buffer, core.in(), 128 * 1024);
    if (bytes.reduce((sum, b) => sum + b.length, 0) > room.length) return '{"error": "That is too long."}';
    let at = 0;
    for (const b of bytes) {
        room.set(b, at);
        at += b.length;
    }
    const size = core[name](...bytes.map((b) => b.length), ...numbers);
    return new TextDecoder().decode(new Uint8Array(core.memory.buffer, core.out(), size));
}

// A layout that has been chosen for the ids leads.
const isChosen = (layout) => Number(layout !== presets.default && layout !== "default");
const inspect = (id, layout) => ask("inspect", [id, layout], Date.now(), isChosen(layout));

const layouts = new Map();
const layoutOf = (text) => {
    if (!layouts.has(text)) layouts.set(text, JSON.parse(ask("layout", [text])));
    return layouts.get(text);
};

// The fields of a layout, each with its bits and its value in the number. The numbers have up to 64 bits.
function fieldsOf(layout, number) {
    const all = Object.entries(layoutOf(layout).fields);
    let shift = all.reduce((sum, [, bits]) => sum + bits, 0);
    const unused = 64 - shift;
    const fields = all.map(([name, bits]) => {
        shift -= bits;
        return { name, bits, shift, value: (number >> BigInt(shift)) & ((1n << BigInt(bits)) - 1n) };
    });
    return { fields, unused };
}

function bar({ fields, unused }) {
    const made = element("div", "bar");
    const add = (name, bits, title) => {
        const part = element("span", name);
        part.style.flexGrow = bits;
        part.style.flexBasis = 0;
        part.title = title;
        made.append(part);
    };
    if (unused) add("none", unused, `${unused} bits unused`);
    fields.forEach((field, i) => add(`f${i % 6}`, field.bits, `${field.name}: ${field.bits} bits`));
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", fields.map((f) => `${f.name} ${f.bits} bits`).join(", "));
    return made;
}

function bitsOf(layout, number) {
    const split = fieldsOf(layout, number);
    const rows = split.fields.map((f, i) => {
        const binary = f.value.toString(2).padStart(f.bits, "0");
        const from = f.bits === 1 ? `bit ${f.shift}` : `bits ${f.shift + f.bits - 1} to ${f.shift}`;
        return element("tr", "", element("th", "", f.name), element("td", "", from), element("td", "", element("code", "", String(f.value))),
            element("td", "", element("code", `f${i % 6}`, binary)));
    });
    return element("div", "", bar(split), element("table", "", ...rows));
}

// The parts of a snowflake, which open to show its bits.
function snowflakeOf(finding, layout) {
    const preset = finding.format.split("/")[1];
    const of = preset ? presets[preset] : layout;
    const number = BigInt.asUintN(64, BigInt(finding.canonical));
    const parts = fieldsOf(of, number).fields.slice(1).map((f) => `${f.name} ${f.value}`).join(" · ");
    const details = element("details", "", element("summary", "parts", parts));
    details.addEventListener("toggle", () => details.childElementCount > 1 || details.append(bitsOf(of, number)));
    details.open = !preset;
    return details;
}

function partsOf(finding) {
    const parts = Object.entries(finding.fields).map(([name, value]) => `${name} ${value}`).join(" · ");
    return element("div", "parts", parts);
}

function findingOf(finding, id, layout) {
    const item = element("li", "", element("span", "format", finding.format));
    if (finding.format === "snowflake") item.append(` by ${by("preset").value || "the layout below"}`);
    item.append(" ", element("span", `confidence ${finding.confidence}`, finding.confidence), " ");
    if (finding.time) item.append(element("time", "", finding.time));
    if (finding.canonical !== id) item.append(element("div", "", "canonical: ", element("code", "", finding.canonical)));
    item.append(/^snowflake($|[ /])/.test(finding.format) ? snowflakeOf(finding, layout) : partsOf(finding));
    return item;
}

function nothing(id) {
    return id === id.trim() ? "Not an id that snowid knows." : "Not an id that snowid knows; there is white space around it.";
}

function answer(id, layout) {
    const made = element("article", "", element("h3", "", element("code", "", id)));
    if (new TextEncoder().encode(id).length > 200) {
        made.append(element("p", "", "It is too long for an id."));
        return made;
    }
    const { findings, error } = JSON.parse(inspect(id, layout));
    if (error) made.append(element("p", "bad", `The layout: ${error}`));
    else if (findings.length) made.append(element("ol", "", ...findings.map((f) => findingOf(f, id, layout))));
    else made.append(element("p", "", nothing(id)));
    return made;
}

// What the ids are as a column.
function together(ids, layout) {
    const { findings, error } = JSON.parse(ask("together", [ids.join("\n"), layout], Date.now(), isChosen(layout)));
    if (error || !findings.length) return [];
    const names = ["together", "", "ids", "first", "last"];
    const head = element("tr", "", ...names.map((name) => element("th", "", name)));
    const rows = findings.map((f) => element("tr", "", ...[f.format, f.confidence, f.fits, f.first ?? "", f.last ?? ""].map((text) => element("td", "", String(text)))));
    return [element("section", "together", element("table", "", head, ...rows))];
}

function showAnswers() {
    const ids = by("ids").value.split("\n").filter((id) => id !== "");
    const joint = ids.length > 1 ? together(ids.slice(0, MOST_IDS), by("layout").value) : [];
    by("answers").replaceChildren(...joint, ...ids.slice(0, MOST_IDS).map((id) => answer(id, by("layout").value)));
    if (ids.length > MOST_IDS) by("answers").append(element("p", "bad", `These are the first ${MOST_IDS} of ${ids.length}.`));
    const carried = new URLSearchParams();
    for (const id of ids) carried.append("id", id);
    if (by("preset").value !== "default") carried.set("layout", by("preset").value || by("layout").value);
    by("link").href = `#${carried}`;
    by("link").parentElement.hidden = ids.length === 0;
}

function showLayout() {
    const layout = layoutOf(by("layout").value);
    const says = by("layout-says");
    if (layout.error) return says.replaceChildren(element("p", "bad", layout.error));
    const split = fieldsOf(by("layout").value, 0n);
    const rows = split.fields.map((f, i) => element("tr", "", element("th", "", element("code", `f${i % 6}`, f.name)), element("td", "", `${f.bits} bits`),
        element("td", "", i === 0 ? `${layout.from} until ${layout.until}` : `0 to ${(1n << BigInt(f.bits)) - 1n}`)));
    says.replaceChildren(bar(split), element("table", "", ...rows));
}

function showRange() {
    const rows = [];
    for (const format of formats) {
        const range = JSON.parse(ask("range", [format, by("layout").value, by("from").value, by("until").value]));
        if (range.error) return by("range").replaceChildren(element("p", "bad", range.error));
        const end = (text) => element("td", "", element("code", "", text ?? "none"));
        rows.push(element("tr", "", element("th", "", format), end(range.first), end(range.last)));
    }
    const head = element("tr", "", element("th", ""), element("th", "", "first"), element("th", "", "last"));
    by("range").replaceChildren(element("table", "", head, ...rows));
}

function showAll() {
    showLayout();
    showAnswers();
    showRange();
}

function readFragment() {
    const carried = new URLSearchParams(location.hash.slice(1));
    const layout = carried.get("layout") ?? "default";
    if (carried.has("id")) by("ids").value = carried.getAll("id").join("\n");
    by("preset").value = Object.hasOwn(presets, layout) ? layout : "";
    by("layout").value = Object.hasOwn(presets, layout) ? presets[layout] : layout;
    showAll();
}

async function start() {
    const packed = Uint8Array.from(atob(WASM), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer());
    core = instance.exports;
    core._initialize();
    presets = JSON.parse(ask("layouts", []));
    formats = JSON.parse(ask("formats", []));
    by("preset").append(...Object.keys(presets).map((name) => new Option(name)), new Option("another", ""));
    const day = (after) => new Date(Date.now() + after * 86400000).toISOString().slice(0, 10);
    by("from").value = day(0);
    by("until").value = day(1);
    by("home").hidden = location.protocol === "file:";
    by("ids").addEventListener("input", showAnswers);
    by("preset").addEventListener("change", () => {
        if (by("preset").value) by("layout").value = presets[by("preset").value];
        showAll();
    });
    by("layout").addEventListener("input", () => {
        by("preset").value = Object.keys(presets).find((name) => presets[name] === by("layout").value) ?? "";
        showAll();
    });
    for (const end of ["from", "until"]) by(end).addEventListener("input", showRange);
    addEventListener("hashchange", readFragment);
    readFragment();
    document.body.dataset.ready = "yes";
}

start().catch((error) => by("answers").replaceChildren(element("p", "bad", `This browser cannot run the page: ${error}`)));
