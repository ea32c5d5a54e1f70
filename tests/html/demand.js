/* Of a report of very many launches a window of the workbench has their times at once, and the values of those that are
 * looked at when they are: the same as `warplens show` prints. */
"use strict";
const assert = require("assert");
const path = require("path");
const { test, workbench, until, warplens, makeReport } = require("./browser.js");

const column = "dram__bytes.sum";

async function testRows(page) {
    assert.strictEqual(await page.run("warplens.launches().length"), 3000);
    await until(page, "document.querySelectorAll('.launches tbody tr').length >= 200", "rows");
    await until(page, `document.querySelector('.launches tbody tr td[data-metric="${column}"]') !== null`, "values of rows");
    assert.ok((await page.run("warplens.launches().filter((launch) => launch.values).length")) < 1000, "not all are brought");
    /* by time, the longest first; what has no values yet cannot be sorted by */
    await page.run("[...document.querySelectorAll('th button')].find((each) => each.textContent === 'Duration').click()");
    const times = await page.run("[...document.querySelectorAll('.launches tbody tr')].map((row) => warplens.launches().find((each) => String(each.id) === row.dataset.id).duration_ns)");
    assert.deepStrictEqual(
        times,
        [...times].sort((a, b) => b - a),
    );
    assert.strictEqual(await page.run("[...document.querySelectorAll('th button')].find((each) => each.dataset.define === '" + column + "').getAttribute('aria-disabled')"), "true");
}

async function testDetails(page, report) {
    const wanted = JSON.parse(warplens("show", report, "--page", "details", "--json", "-s", "2987", "-c", "1")).launches[0];
    await page.go("details/2987");
    await until(page, "document.querySelectorAll('td[data-metric]').length > 20", "the values of launch 2987");
    const shown = new Map(
        await page.run("[...document.querySelectorAll('td[data-metric]')].map((cell) => [cell.dataset.metric, Number(cell.dataset.value)])"),
    );
    let count = 0;
    for (const { name, value } of wanted.sections.flatMap((section) => section.metrics))
        if (typeof value === "number" && shown.has(name)) {
            assert.ok(Math.abs(shown.get(name) - value) <= 1e-9 * Math.abs(value), name);
            count++;
        }
    assert.ok(count > 20, "only " + count);
    assert.ok((await page.run("document.querySelectorAll('.drawings svg').length")) > 1);
}

test(async (browser, folder) => {
    const report = makeReport("plenty", folder);
    const bench = workbench(folder, report);
    try {
        const page = await browser.page((await bench.next()) + "");
        await until(page, "document.documentElement.dataset.shown === '1/0'", "the report");
        await page.go("launches");
        await testRows(page);
        await testDetails(page, report);
        await page.go("advice");
        await until(page, "document.querySelectorAll('details.finding').length > 0", "findings");
        assert.match(await page.run("document.getElementById('main').textContent"), /longest of 3,000 launches/);
        assert.match(warplens("guide", report).replace(/\s+/g, " "), /looked at the longest launches of each kernel, 28 of 3000;/);
        assert.deepStrictEqual(page.problems, []);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
});
