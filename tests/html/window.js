/* How the page uses its window: headings stay, source and timeline fill it and its parts scroll by themselves, borders are moved
 * by keys and kept in the address, a long page has its contents beside it, rows are pinned with the mouse, names tell kernels
 * of a template from each other. */
"use strict";
const assert = require("assert");
const path = require("path");
const { test, make, until, warplens } = require("./browser.js");

/* The source page needs no scrolling: header, headings of columns, rows and counts are in the window, at any width, whether it
 * opens at that width or comes to it. */
async function testSource(browser, file) {
    let page = undefined;
    for (const [width, height] of [
        [1440, 900],
        [1200, 780],
        [1024, 768],
        [390, 844],
    ]) {
        if (page && width > 900) await page.look({ width, height });
        else {
            if (page) await page.close();
            page = await browser.page(file + "#source/0", { width, height });
        }
        await until(page, "document.querySelector('.row.chosen') !== null", "a line is chosen");
        const seen = await page.run(`(() => {
            const of = (selector) => document.querySelector(selector).getBoundingClientRect();
            const box = of(".pane .code"), values = of(".values");
            return { page: [document.documentElement.scrollWidth, document.documentElement.scrollHeight], rows: box.height / 19,
                first: of(".pane .code").top, values: values.top, titles: [...document.querySelectorAll(".pane:first-child .heads span")].map((node) => node.textContent),
                text: of(".row.chosen .text").left - box.left };
        })()`);
        const where = width + "x" + height + ": " + JSON.stringify(seen);
        assert.ok(seen.page[0] <= width && seen.page[1] <= height, where);
        assert.ok(seen.values < height - 60, "counts are out of sight at " + where);
        assert.ok(seen.rows >= (width < 900 ? 10 : 17), "few rows at " + where);
        for (const title of ["Part", "Waits", "Line", "Source"]) assert.ok(seen.titles.includes(title), title + " is no heading at " + where);
        assert.ok(seen.text < 300, "columns take the text's room at " + where);
        if (width > 900) assert.ok(seen.first < 200, "too much stands above the rows at " + where);
        /* a state of warps has its own colour, whatever comes first in this launch */
        const swatches = await page.run("[...document.querySelectorAll('.legend .swatch')].map((node) => [node.firstChild.className, node.textContent])");
        assert.ok(swatches.length > 0);
        for (const [name, state] of swatches) assert.strictEqual(name, "stall-" + state.replace(/ /g, "_"));
        assert.deepStrictEqual(page.problems, []);
    }
    await page.close();
}

const part = `Number(document.querySelector(".splitter.upright").getAttribute("aria-valuenow"))`;

async function testBorders(browser, file) {
    const page = await browser.page(file + "#source/0");
    await until(page, "document.querySelector('.row.chosen') !== null");
    const width = () => page.run("document.querySelector('.pane').getBoundingClientRect().width");
    const before = [await page.run(part), await width()];
    await page.run("document.querySelector('.splitter.upright').focus()");
    await page.press("ArrowLeft");
    await page.press("ArrowLeft");
    assert.ok(Math.abs((await page.run(part)) - (before[0] - 4)) < 0.2);
    assert.ok((await width()) < before[1] - 30);
    const address = await page.run("location.hash");
    assert.match(address, /split=\d/);
    const other = await browser.page(file + address);
    await until(other, "document.querySelector('.splitter.upright') !== null");
    assert.strictEqual(await other.run(part), await page.run(part));
    await other.close();
    await page.run("document.querySelector('.splitter.upright').dispatchEvent(new MouseEvent('dblclick'))");
    assert.strictEqual(await page.run(part), before[0]);
    assert.doesNotMatch(await page.run("location.hash"), /split=/);
    await page.run("document.querySelector('.splitter.level').focus()");
    const height = () => page.run("document.querySelector('.values').getBoundingClientRect().height");
    const low = await height();
    await page.press("ArrowUp");
    assert.ok((await height()) > low + 5, "the counts get more room");
    await page.close();
}

/* Beside a long page its contents: they stay, and lead to each part, which the address keeps. */
async function testContents(browser, file) {
    const page = await browser.page(file + "#details/7");
    const links = "[...document.querySelectorAll('.contents li > a:first-child')]";
    const titles = await page.run(links + ".map((link) => link.textContent)");
    for (const title of ["Findings", "Memory chart", "Occupancy"])
        assert.ok(titles.includes(title), title + " is not among " + titles.join(", "));
    await page.run(links + ".find((link) => link.textContent === 'Occupancy').click()");
    await until(page, "document.querySelector('.card.chosen') !== null && scrollY > 500", "the part is shown");
    const seen = await page.run(`(() => { const top = (selector) => document.querySelector(selector).getBoundingClientRect().top;
        return { header: top("header"), contents: top(".contents"), card: top(".card.chosen"), id: document.querySelector(".card.chosen").id, y: scrollY }; })()`);
    assert.strictEqual(seen.id, "section-Occupancy");
    assert.ok(seen.y > 500 && seen.header === 0 && seen.contents > 0 && seen.contents < 120, "headings scroll away: " + JSON.stringify(seen));
    assert.ok(seen.card >= 30 && seen.card < 700, JSON.stringify(seen));
    assert.match(await page.run("location.hash"), /^#details\/7\/Occupancy/);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

/* Each kernel has its best finding beside it, and the name that tells it from the others. */
async function testKernels(browser, file) {
    const page = await browser.page(file + "#session");
    await page.run(`warplens.launches().forEach((launch) => {
        const number = launch.function.replace(/\\D+/g, "");
        if (Number(number) < 2) Object.assign(launch, { function: "tile", short_name: "tile<" + number + ">" });
    })`);
    await page.go("program");
    const names = await page.run("[...document.querySelectorAll('.kernel-group .kernel-name a')].map((link) => link.textContent)");
    assert.ok(names.includes("tile<0>") && names.includes("tile<1>") && names.includes("kernel_3"), names.join("; "));
    assert.ok(await page.run("[...document.querySelectorAll('.kernel-group')].some((row) => row.lastChild.querySelector('.badge') !== null)"), "no kernel has a finding");
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

/* A row's pin, and the parts of the timeline's page. */
async function testTimeline(browser, folder) {
    const report = path.join(folder, "trace.wlr"),
        file = path.join(folder, "trace.html");
    warplens("import", path.join(__dirname, "../fuzz/import/trace.json"), "-o", report);
    warplens("export", report, "--html", file);
    const page = await browser.page(file + "#timeline");
    await until(page, "warplens.timelineView?.model.layout?.places.size > 0", "rows are laid out");
    const rows = await page.run("warplens.timelineView.model.section.rows.length");
    const click = (row) => `(() => {
        const view = warplens.timelineView, { canvas } = view, place = canvas.getBoundingClientRect();
        const at = { clientX: place.left + warplens.timelineDraw.left(view) - 8, clientY: place.top + view.model.layout.places.get(${row}) + 6, pointerId: 1, bubbles: true };
        canvas.setPointerCapture = () => {};
        for (const kind of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(kind, at));
    })()`;
    const last = await page.run("warplens.timelineView.model.order.at(-1)");
    await page.run(click(last));
    await until(page, "warplens.timelineView.choice.pinned.length > 0 && location.hash.includes('pin=')", "the row is pinned");
    assert.deepStrictEqual(await page.run("warplens.timelineView.choice.pinned"), [last]);
    assert.strictEqual(await page.run("[...warplens.timelineView.model.layout.places.keys()][0]"), last);
    assert.match(await page.run("location.hash"), new RegExp("pin=" + last));
    await page.run(click(last));
    assert.deepStrictEqual(await page.run("warplens.timelineView.choice.pinned"), []);
    assert.ok(rows > 0);
    const size = await page.run("[document.documentElement.scrollHeight, document.querySelector('.timeline-dock').getBoundingClientRect().top]");
    assert.ok(size[0] <= 900 && size[1] < 800, "the sums are out of sight: " + size);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

test(async (browser, folder) => {
    const some = make("some", folder).page,
        long = make("long", folder).page;
    await testSource(browser, long);
    await testBorders(browser, long);
    await testContents(browser, some);
    await testKernels(browser, some);
    await testTimeline(browser, folder);
});
