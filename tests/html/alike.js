/* Of very many launches that are alike the page has lists, and few whole: what it holds a launch, how many there are with
 * values, and that the sums are those of the report. A file and a window of the workbench show the same. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const { test, make, workbench, until, warplens } = require("./browser.js");

const launches = 6000,
    kinds = 6,
    most_bytes = 40, /* a launch, of the section's lists */
    reason = "the page has only the time of this launch: launches like it are counted";
const time = (launch) => launch.metrics["gpu__time_duration.sum"].value;
const rows = "[...document.querySelectorAll('.launches tbody tr')]";

/* Launches of the report by kernel and shape: what the table of kinds must say. */
function expected(report) {
    const found = new Map();
    for (const launch of JSON.parse(warplens("show", report, "--page", "summary", "--json")).launches) {
        const key = launch.kernel_name + " (" + launch.grid_size.join(", ") + ")";
        found.set(key, (found.get(key) || []).concat(launch));
    }
    return found;
}

async function testKinds(page, wanted) {
    assert.strictEqual(wanted.size, kinds);
    await page.go("launches");
    await until(page, rows + ".length === " + kinds, "a row for each kernel and shape");
    const shown = await page.run(
        rows + `.map((row) => [row.cells[0].textContent + " " + row.cells[1].textContent, row.cells[3].textContent, row.cells[4].dataset.value, row.cells[6].dataset.value, row.cells[7].dataset.value, row.cells[8].dataset.value].map(String))`,
    );
    for (const [key, count, total, mean, least, most] of shown) {
        const times = wanted.get(key).map(time),
            sum = times.reduce((a, b) => a + b, 0);
        assert.strictEqual(Number(count.replace(",", "")), times.length, key);
        assert.strictEqual(Number(total), sum, key);
        assert.ok(Math.abs(Number(mean) - sum / times.length) < 1e-9 * sum, key);
        assert.strictEqual(Number(least), Math.min(...times), key);
        assert.strictEqual(Number(most), Math.max(...times), key);
    }
    assert.deepStrictEqual(
        shown.map((row) => Number(row[2])),
        shown.map((row) => Number(row[2])).sort((a, b) => b - a),
    );
}

/* The table of one kind, made from the lists when it is asked for. */
async function testKind(page, wanted) {
    const own = [...wanted.values()].find((all) => all[0].id === 1);
    await page.go("launches/1");
    await until(page, rows + ".length >= 200", "launches of a kind");
    const times = await page.run("warplens.kindOf(warplens.launch(1)).launches.map((launch) => [launch.id, launch.duration_ns])");
    assert.deepStrictEqual(
        times,
        own.map((launch) => [launch.id, time(launch)]),
    );
    await page.run("[...document.querySelectorAll('th button')].find((each) => each.textContent === 'Duration').click()");
    const longest = [...own].sort((a, b) => time(b) - time(a) || a.id - b.id)[0];
    assert.strictEqual(await page.run(rows + "[0].dataset.id"), String(longest.id));
}

async function testFile(browser, folder) {
    const { report, page: file } = make("alike", folder);
    const section = /id="data-launches">(.*?)<\/script>/s.exec(fs.readFileSync(file, "utf8"))[1],
        data = JSON.parse(section);
    assert.strictEqual(data.reports[0].launches.length, kinds, "launches that are whole");
    const lists = JSON.stringify(data.reports[0].bare).length;
    assert.ok(lists / launches < most_bytes, lists / launches + " bytes a launch");
    const wanted = expected(report),
        page = await browser.page(file);
    assert.strictEqual(await page.run("warplens.lists().views.filter(Boolean).length < 100"), true, "few are made unasked");
    await testKinds(page, wanted);
    await testKind(page, wanted);
    assert.strictEqual(await page.run("warplens.launches().filter((launch) => launch.values).length"), kinds);
    await page.go("details/1");
    assert.ok((await page.run("document.querySelectorAll('td[data-metric]').length")) > 20, "a counted launch has its values");
    await page.go("details/" + (launches - 1));
    assert.match(await page.run("document.getElementById('main').textContent.toLowerCase()"), new RegExp(reason));
    assert.strictEqual(await page.run("document.querySelectorAll('td[data-metric]').length"), 1);
    const links = await page.run("[...document.querySelectorAll('.links a')].map((link) => link.getAttribute('href'))");
    const own = (launches - 1) % kinds; // the first, counted, launch of its kind
    assert.deepStrictEqual(links, ["#details/" + own, "#launches/" + own]);
    await page.go("launches/" + launches);
    assert.match(await page.run("document.getElementById('main').textContent"), /There is no launch 6000 here/);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
    return { report, wanted };
}

test(async (browser, folder) => {
    const { report, wanted } = await testFile(browser, folder);
    const bench = workbench(folder, report);
    try {
        const page = await browser.page((await bench.next()) + "");
        await until(page, "document.documentElement.dataset.shown === '1/0'", "the report");
        await testKinds(page, wanted);
        await testKind(page, wanted);
        assert.ok((await page.run("warplens.launches().filter((launch) => launch.values).length")) <= kinds, "counted ones are brought");
        await page.go("details/" + (launches - 1));
        await until(page, "document.querySelectorAll('td[data-metric]').length > 1", "facts of an uncounted launch");
        assert.deepStrictEqual(page.problems, []);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
});
