/* The way through the workbench on reports that were not made by running a program there: one of a real GPU, as Nsight
 * Compute wrote it, and an imported trace. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { test, workbench, until, warplens } = require("./browser.js");

const given = path.join(__dirname, "../fuzz/import");

async function open(browser, folder, reports, shown) {
    const bench = workbench(folder, ...reports);
    const page = await browser.page(await bench.next());
    await until(page, `document.documentElement.dataset.shown === '${shown}'`, "the report");
    return { bench, page };
}

async function takeAway(browser, page, folder, query, wanted) {
    const html = await page.run(
        `fetch('/export${query}', { headers: { Authorization: 'Bearer ' + sessionStorage.getItem('warplens-key') } }).then((answer) => answer.text())`,
    );
    const file = path.join(folder, "away.html");
    fs.writeFileSync(file, html);
    const alone = await browser.page(file);
    const there = await alone.run("[...document.querySelectorAll('#pages a')].map((link) => link.textContent)");
    for (const title of wanted) assert.ok(there.includes(title), title + " is not among " + there.join(", "));
    assert.deepStrictEqual(alone.problems, []);
    assert.deepStrictEqual(
        alone.requests.filter((url) => !url.startsWith("file:")),
        [],
    );
    await alone.close();
}

/* The report of a real GPU twice, the first as the baseline: see where time goes, values, findings, changes, take it away. */
async function testHardware(browser, folder) {
    const report = path.join(folder, "hardware.wlr");
    warplens("import", path.join(given, "report.ncu-rep"), "-o", report);
    const wanted = JSON.parse(warplens("show", report, "--page", "details", "--json")).launches[0];
    const { bench, page } = await open(browser, folder, [report, report], "2/1");
    try {
        await page.go("program");
        await until(page, "document.querySelectorAll('.kernel-group').length > 0", "kernels");
        await page.run("document.querySelector('.kernel-group a').click()");
        await until(page, "document.querySelectorAll('td[data-metric]').length > 0", "values");
        const shown = new Map(
            await page.run("[...document.querySelectorAll('td[data-metric]')].map((cell) => [cell.dataset.metric, Number(cell.dataset.value)])"),
        );
        const numbers = wanted.sections.flatMap((section) => section.metrics).filter(({ name, value }) => typeof value === "number" && shown.has(name));
        assert.ok(numbers.length > 0);
        for (const { name, value } of numbers) assert.ok(Math.abs(shown.get(name) - value) <= 1e-9 * Math.abs(value), name);
        await page.go("advice");
        await until(page, "/finding/i.test(document.getElementById('main').textContent)", "what the rules say");
        await page.go("compare");
        await until(page, "document.querySelectorAll('.history tr').length === 2", "both reports");
        assert.match(await page.run("document.querySelector('.sentence').textContent"), /As fast as before|not known/);
        assert.deepStrictEqual(page.problems, []);
        await takeAway(browser, page, folder, "?run=2&base=1", ["Program", "Launches", "Details", "Advice", "Guide", "Compare", "Session"]);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
}

/* Where the time goes: the parts are those that `warplens guide` tells, and so they are in the guide's first step. */
async function testParts(page, report) {
    const told = warplens("guide", report).replace(/\s+/g, " ");
    const [, whole] = /The program takes ([\d.,]+ \w+)/.exec(told);
    const parts = "[...document.querySelectorAll('.program-time .parts tr')].map((row) => [...row.children].map((cell) => cell.textContent))";
    await page.go("program");
    await until(page, "document.querySelector('.program-time .rungs i') !== null", "the parts of the time");
    const shown = await page.run(parts);
    assert.ok(shown.length > 0);
    for (const [text, time, share] of shown) assert.ok(told.includes(share.replace(" ", "") + " " + text + ", " + time), text + " " + time + " " + share);
    assert.ok((await page.run("document.querySelector('.program-time').textContent")).includes(whole));
    await page.go("guide");
    await until(page, "document.querySelector('.step .rungs i') !== null", "the guide's first step");
    assert.deepStrictEqual(await page.run(parts), shown);
}

/* An imported trace: its timeline, a search that lists and jumps, sums, take it away. */
async function testTrace(browser, folder) {
    const report = path.join(folder, "trace.wlr");
    warplens("import", path.join(given, "trace.json"), "-o", report);
    const { bench, page } = await open(browser, folder, [report], "1/0");
    try {
        await page.go("timeline");
        await until(page, "warplens.timelineView && document.querySelector('.sums') !== null", "the timeline");
        const name = await page.run("(() => { const { model } = warplens.timelineView; return model.section.names[model.events.name[0]]; })()");
        await page.run(
            `(() => { const field = document.querySelector("input[type=search]"); field.value = ${JSON.stringify(name)}; field.dispatchEvent(new Event("input")); })()`,
        );
        await page.run("document.querySelector('.hits button').click()");
        await until(page, "document.querySelector('.panel .facts') !== null", "what was found");
        const found = await page.run("document.querySelector('.panel .facts').textContent");
        assert.ok(found.toLowerCase().includes(name.toLowerCase()), found + " is not " + name);
        await testParts(page, report);
        await page.go("advice");
        await until(page, "document.querySelector('#main .bar .count') !== null", "what the rules say");
        assert.deepStrictEqual(page.problems, []);
        await takeAway(browser, page, folder, "?run=1&base=0", ["Timeline", "Program", "Advice", "Guide", "Session"]);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
}

test(async (browser, folder) => {
    await testHardware(browser, folder);
    await testTrace(browser, folder);
});
