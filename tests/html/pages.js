/* How the page is used: sorting, searching, keys, definitions on hover and focus, drawings, dark and
 * light, narrow windows, paper. */
"use strict";
const assert = require("assert");
const path = require("path");
const { test, make, makeReport, settle, warplens } = require("./browser.js");

const ids = "[...document.querySelectorAll('.launches tbody tr')].map((row) => Number(row.dataset.id))";
const wait = (page) => settle(page, 60);

async function testTable(page, launches) {
    await page.run("document.querySelector('input[type=search]').focus()");
    await page.run(
        "(() => { const field = document.querySelector('input[type=search]'); field.value = 'kernel_3'; field.dispatchEvent(new Event('input')); })()",
    );
    await wait(page);
    assert.deepStrictEqual(
        await page.run(ids),
        launches.filter((launch) => launch.kernel_name === "kernel_3").map((launch) => launch.id),
    );
    assert.match(await page.run("document.querySelector('.count').textContent"), /^43 of 300 launches$/);
    const column = "dram__bytes.sum";
    await page.run(`document.querySelector('th button[data-define="${column}"]').click()`);
    await wait(page);
    const sorted = launches
        .filter((launch) => launch.kernel_name === "kernel_3")
        .sort((a, b) => b.metrics[column].value - a.metrics[column].value || a.id - b.id);
    assert.deepStrictEqual(
        await page.run(ids),
        sorted.map((launch) => launch.id),
    );
    assert.strictEqual(
        await page.run(
            `document.querySelector('th button[data-define="${column}"]').parentElement.getAttribute("aria-sort")`,
        ),
        "descending",
    );
    await page.press("Escape");
    await page.press("j");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.press(key);
    assert.strictEqual(await page.run("document.activeElement.dataset.id"), String(sorted[1].id));
    await page.press("Enter");
    await wait(page);
    assert.strictEqual(await page.run("location.hash"), "#details/" + sorted[1].id);
    await page.press("]");
    await wait(page);
    assert.strictEqual(await page.run("location.hash"), "#details/" + (sorted[1].id + 1));
    await page.press("?");
    assert.ok((await page.run("document.querySelector('dialog').innerText")).includes("next launch"));
    await page.run("document.querySelector('dialog').close()");
}

/* Every name that has a definition shows it when it gets the focus and when it is pointed at: of those that stand there more
 * than once as nodes of one kind, one. */
async function testDefinitions(page) {
    for (const event of ["focusin", "mouseover"]) {
        const missing = await page.run(`[...new Map([...document.querySelectorAll("[data-define]")].map((node) => [node.tagName + node.className + node.dataset.define, node])).values()].filter((node) => {
            node.dispatchEvent(new Event("${event}", {bubbles: true}));
            const bubble = document.getElementById("definition");
            return bubble.hidden || bubble.querySelector("p") === null || node.getAttribute("aria-describedby") !== "definition";
        }).map((node) => node.dataset.define)`);
        assert.deepStrictEqual(missing, []);
    }
    const unreachable = await page.run(
        `[...document.querySelectorAll("[data-define]")].filter((node) => node.tabIndex < 0 && !["rect", "polyline", "circle"].includes(node.tagName)).map((node) => node.outerHTML)`,
    );
    assert.deepStrictEqual(unreachable, []);
}

/* What drawings say of a metric is what the tables say. */
async function testDrawings(page) {
    const wrong = await page.run(`(() => {
        const { data, value, launches, findLaunch } = warplens;
        const launch = findLaunch(location.hash.split("/").slice(1));
        const shown = (name) => {
            const index = data("launches").metrics.findIndex((metric) => metric.name === name);
            const found = index < 0 ? null : value(launch, index);
            return found && found.reason === undefined ? found.shown + (found.unit ? " " + found.unit : "") + " " + data("session").marks[found.mark].sign : null;
        };
        const texts = [...document.querySelectorAll(".drawing text[data-define]")].filter((node) => /[=~?]$/.test(node.textContent));
        return { count: texts.length, wrong: texts.filter((node) => shown(node.dataset.define) && !node.textContent.endsWith(shown(node.dataset.define))).map((node) => node.outerHTML) };
    })()`);
    assert.ok(wrong.count > 20, "drawings have only " + wrong.count + " numbers");
    assert.deepStrictEqual(wrong.wrong, []);
    assert.strictEqual(await page.run("document.querySelectorAll('parsererror').length"), 0);
}

/* What was searched and sorted for stands in the address: another window shows the same. */
async function testAddress(browser, file, page) {
    await page.go("launches");
    await wait(page);
    const address = await page.run("location.hash");
    assert.match(address, /^#launches\?.*find=kernel_3.*sort=\d+/);
    const other = await browser.page(file + address);
    await wait(other);
    assert.deepStrictEqual(await other.run(ids), await page.run(ids));
    await other.close();
}

async function testNarrow(page, addresses) {
    await page.look({ width: 380, height: 700 });
    for (const address of addresses) {
        await page.go(address);
        const width = await page.run("document.documentElement.scrollWidth");
        assert.ok(width <= 380, address + " is " + width + " wide in a narrow window");
    }
    await page.look({});
}

async function testLooks(page) {
    for (const dark of [false, true]) {
        await page.look({ dark });
        const [text, paper] = await page.run(
            "(() => { const style = getComputedStyle(document.body); return [style.color, style.backgroundColor].map((color) => color.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0)); })()",
        );
        assert.ok(dark ? text > paper + 300 : paper > text + 300, "text does not stand out");
    }
    await page.look({ media: "print", dark: true });
    assert.strictEqual(await page.run("getComputedStyle(document.getElementById('pages')).display"), "none");
    assert.strictEqual(
        await page.run("getComputedStyle(document.body).backgroundColor"),
        "rgb(255, 255, 255)",
    );
    assert.strictEqual(
        await page.run("getComputedStyle(document.querySelector('.drawing text.f-text')).fill"),
        "rgb(27, 31, 36)",
    );
    await page.look({});
}

test(async (browser, folder) => {
    const { report, page: file } = make("some", folder);
    const launches = JSON.parse(warplens("show", report, "--page", "summary", "--json")).launches;
    const page = await browser.page(file + "#launches");
    await wait(page);
    await testTable(page, launches);
    await testAddress(browser, file, page);
    const pages = await page.run("warplens.shownPages().map((each) => each.id)");
    assert.deepStrictEqual(pages, ["program", "launches", "details", "advice", "guide", "session"]);
    for (const [i, id] of pages.entries()) {
        await page.press(String(i + 1));
        await wait(page);
        assert.strictEqual((await page.run("location.hash")).split("?")[0], "#" + id);
        await testDefinitions(page);
    }
    await page.go("details/7");
    await testDrawings(page);
    await testLooks(page);
    await testNarrow(page, ["program", "launches", "details/0", "advice", "guide", "session"]);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
    const base = makeReport("long", folder),
        long = path.join(folder, "long.html");
    warplens("export", base, "--html", long, "--baseline", base);
    const other = await browser.page(long + "#source/0");
    await wait(other);
    await testDefinitions(other);
    await other.go("compare");
    await testDefinitions(other);
    await testNarrow(other, ["source/0", "compare", "details/0"]);
    assert.deepStrictEqual(other.problems, []);
});
