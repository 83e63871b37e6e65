// The page: statements go to the worker (worker.js), and its answers are shown. Nothing goes anywhere else.
const KEPT = "snowid playground";
const MOST_ROWS = 200;
const EPOCH = 1704067200000n; // 2024-01-01, as in the layout "default"
const PARTS = [["time", 41n, 22n], ["worker", 10n, 12n], ["sequence", 12n, 0n]];
const by = (id) => document.getElementById(id);
let worker;
let answers = 0;

// An element with a class, and what stands in it: texts and elements.
function element(tag, name, ...inside) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    made.append(...inside);
    return made;
}

// What a browser keeps for this page, if it keeps anything.
function keep(text) {
    try { localStorage.setItem(KEPT, text); } catch { /* the browser refuses */ }
}

function kept() {
    try { return localStorage.getItem(KEPT); } catch { return null; }
}

function partOf(name, number, bits, shift) {
    const value = (number >> shift) & ((1n << bits) - 1n);
    const meaning = name === "time" ? new Date(Number(value + EPOCH)).toISOString() : String(value);
    return element("div", `part ${name}`, element("strong", "", meaning), element("span", "", `${name}, ${bits} bits`),
        element("code", "", value.toString(2).padStart(Number(bits), "0")));
}

function draw(id) {
    const number = BigInt(id);
    const inspect = element("a", "", "What else it could be");
    inspect.href = `inspect.html#id=${id}`;
    by("drawn").replaceChildren(element("figcaption", "", element("code", "", id)),
        element("div", "parts", ...PARTS.map(([name, bits, shift]) => partOf(name, number, bits, shift))), element("p", "", inspect));
    by("drawn").hidden = false;
}

const isId = (type, value) => type === "bigint" && /^[1-9]\d{15,18}$/.test(value ?? "");

function cell({ type }, value) {
    if (value === null) return element("td", "null", "NULL");
    if (!isId(type, value)) return element("td", "", value);
    const button = element("button", "id", value);
    button.title = "Draw its bits";
    button.addEventListener("click", () => draw(value));
    return element("td", "", button);
}

const counted = (rows) => `${rows} ${rows === 1 ? "row" : "rows"}`;

function tableOf({ fields, rows, affectedRows }) {
    if (!fields.length) return element("p", "result", affectedRows ? `Done, ${counted(affectedRows)}.` : "Done.");
    const head = element("tr", "", ...fields.map(({ name, type }) => element("th", "", element("span", "name", name), " ", element("span", "type", type))));
    const plan = fields[0].name === "QUERY PLAN" ? "plan" : "";
    const shown = rows.slice(0, MOST_ROWS).map((row) => element("tr", "", ...row.map((value, i) => cell(fields[i], value))));
    const table = element("table", plan, element("thead", "", head), element("tbody", "", ...shown));
    const scrolled = element("div", "scrolled", table);
    scrolled.tabIndex = 0;
    const count = `${counted(rows.length)}${rows.length > MOST_ROWS ? `, of which these are the first ${MOST_ROWS}` : ""}`;
    const made = element("div", "result", scrolled, element("p", "count", count));
    made.dataset.rows = rows.length;
    return made;
}

function errorOf({ code, message, detail, hint }) {
    const made = element("div", "bad", element("p", "", `ERROR ${code ?? ""}: ${message}`));
    made.dataset.code = code ?? "";
    if (detail) made.append(element("p", "", detail));
    if (hint) made.append(element("p", "", hint));
    if (code === "42883" || code === "42704") {
        const missing = element("a", "", "what this page lacks");
        missing.href = "#differs";
        made.append(element("p", "note", "If it is the extension’s, it is part of ", missing, "."));
    }
    return made;
}

function show({ results, notices, error }) {
    by("answer").replaceChildren(...notices.map((notice) => element("p", "notice", notice)), ...results.map(tableOf), ...(error ? [errorOf(error)] : []));
    for (const { fields, rows } of results) {
        const column = fields.findIndex(({ type }, i) => rows.some((row) => isId(type, row[i])));
        if (column >= 0) draw(rows.find((row) => isId(fields[column].type, row[column]))[column]);
    }
    document.body.dataset.answers = ++answers;
}

// One of: off, loading, ready, busy.
function become(state, says) {
    document.body.dataset.state = state;
    by("says").textContent = says;
    by("start").hidden = state !== "off";
    by("loading").hidden = state !== "loading";
    by("stop").disabled = state !== "busy";
    // While one runs they stay as they are, or the keyboard would lose its place.
    for (const button of document.querySelectorAll(".runs")) button.disabled = state === "off" || state === "loading";
}

function end(says) {
    worker?.terminate();
    become("off", says);
}

function start() {
    const progress = by("loading");
    progress.value = 0;
    become("loading", "Fetching PostgreSQL …");
    worker = new Worker("playground/worker.js", { type: "module" });
    worker.addEventListener("error", () => end("This browser cannot run the page."));
    worker.addEventListener("message", ({ data }) => {
        if (data.loaded) progress.value += data.loaded;
        if (data.starts) by("says").textContent = "Starting PostgreSQL …";
        if (data.failed) end(`PostgreSQL could not start: ${data.failed}`);
        if (data.ready) {
            become("ready", "PostgreSQL runs in this page.");
            by("sql").focus();
        }
        if (data.answer) {
            become("ready", "PostgreSQL runs in this page.");
            show(data.answer);
        }
    });
}

function run(sql) {
    if (document.body.dataset.state !== "ready" || !sql.trim()) return;
    become("busy", "Running …");
    worker.postMessage(sql);
}

function take(sql) {
    if (document.body.dataset.state !== "ready") return;
    by("sql").value = sql;
    // On a phone the answer is below.
    if (by("own-title").getBoundingClientRect().top > innerHeight / 2) by("own-title").scrollIntoView();
    keep(sql);
    run(sql);
}

by("sql").value = kept() ?? by("sql").value;
by("sql").addEventListener("input", () => keep(by("sql").value));
by("sql").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run(by("sql").value);
});
by("start").addEventListener("click", start);
by("stop").addEventListener("click", () => end("Stopped. The tables are gone."));
by("run").addEventListener("click", () => run(by("sql").value));
by("explain").addEventListener("click", () => run(by("sql").value.replace(/^(?!\s*explain\b)/i, "EXPLAIN (COSTS off) ")));
for (const button of document.querySelectorAll(".statement")) button.addEventListener("click", () => take(button.textContent));
become("off", "");
