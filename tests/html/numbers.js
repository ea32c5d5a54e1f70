/* Every number of the page is the report's: all cells of launches and details are compared with what
 * `warplens show --json` says, in each of some launches. */
"use strict";
const assert = require("assert");
const { test, make, details, warplens } = require("./browser.js");

const prefixes = { K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
const times = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

/* What is shown is the number, rounded to what its digits say. */
function isShownAs(cell, unit) {
    if (typeof cell.number !== "number") return cell.shown === String(cell.number);
    const shown = Number(cell.shown.replace(/,/g, ""));
    let scale = 1;
    if (cell.unit && cell.unit !== unit) scale = unit === "ns" ? times[cell.unit] : prefixes[cell.unit[0]];
    const scaled = cell.number / scale;
    return (
        Math.abs(shown - scaled) <= Math.max(0.00501, Math.abs(scaled) * 1e-2 * (Math.abs(scaled) < 0.005))
    );
}

const collect = `[...document.querySelectorAll("[data-metric]")].map((node) => ({
    name: node.dataset.metric, value: node.dataset.value, mark: node.querySelector(".mark").getAttribute("aria-label"),
    shown: node.firstChild.textContent, unit: (node.querySelector(".unit") || {textContent: ""}).textContent.trim()}))`;

function compare(cells, wanted, where) {
    for (const cell of cells) {
        const want = wanted.get(cell.name);
        assert.ok(want, where + ": the report has no " + cell.name);
        cell.number = typeof want.value === "number" ? Number(cell.value) : cell.value;
        assert.strictEqual(cell.number, want.value, where + ": " + cell.name);
        assert.strictEqual(cell.mark, want.mark, where + ": mark of " + cell.name);
        assert.ok(
            isShownAs(cell, want.unit),
            where + ": " + cell.name + " = " + cell.value + " is shown as " + cell.shown + " " + cell.unit,
        );
    }
}

function detailValues(launch) {
    const values = new Map();
    for (const section of launch.sections) {
        section.metrics.forEach((metric) => values.set(metric.name, metric));
        section.tables.forEach((table) =>
            table.rows.forEach((row) => row.cells.forEach((cell) => cell && values.set(cell.name, cell))),
        );
    }
    return values;
}

/* A time is one text on all pages: each of these kernels has one launch. */
async function testDurations(page) {
    const read = "document.querySelector('[data-metric=\"gpu__time_duration.sum\"]').textContent.replace(/\\s+/g, ' ').trim()";
    await page.go("program");
    const rows = await page.run("[...document.querySelectorAll('.shares .kernel-group')].slice(0, 5).map((row) => [row.querySelector('a').getAttribute('href'), row.children[2].textContent.replace(/\\s+/g, ' ').trim()])");
    assert.strictEqual(rows.length, 5);
    for (const [href, time] of rows) {
        await page.go(href.slice(1));
        assert.strictEqual(await page.run(read), time, href);
        assert.ok(time.startsWith(await page.run("document.querySelector('.key-facts strong').textContent")), "the first numbers of " + href);
    }
}

test(async (browser, folder) => {
    const { report, page: file } = make("some", folder);
    const whole = details(report);
    const summary = JSON.parse(warplens("show", report, "--page", "summary", "--json"));
    const page = await browser.page(file);
    await page.go("launches");
    await page.run(
        "new Promise((done) => { const look = () => document.querySelectorAll('.launches tbody tr').length >= 300 ? done() : setTimeout(look, 5); look(); })",
    );
    const rows = await page.run(
        "[...document.querySelectorAll('.launches tbody tr')].map((row) => row.dataset.id)",
    );
    assert.deepStrictEqual(
        rows.map(Number),
        summary.launches.map((launch) => launch.id),
    );
    for (const launch of summary.launches) {
        const cells = await page.run(
            collect.replace("document.", `document.querySelector('tr[data-id="${launch.id}"]').`),
        );
        const there = Object.entries(launch.metrics).filter(([, metric]) => metric.value !== null);
        assert.strictEqual(cells.length, there.length);
        compare(cells, detailValues(whole.launches[launch.id]), "launch " + launch.id);
        compare(cells, new Map(Object.entries(launch.metrics)), "summary of launch " + launch.id);
    }
    for (const launch of whole.launches.filter((each) => each.id % 29 === 0)) {
        await page.go("details/" + launch.id);
        const wanted = detailValues(launch);
        const cells = await page.run(collect);
        const names = new Set(cells.map((cell) => cell.name));
        for (const [name, metric] of wanted)
            assert.strictEqual(names.has(name), metric.value !== null, name + " of launch " + launch.id);
        compare(cells, wanted, "details of launch " + launch.id);
    }
    await testDurations(page);
    assert.deepStrictEqual(page.problems, []);
});
