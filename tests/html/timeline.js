/* The timeline: a million events open in a few times what sorting a million numbers takes, a frame looks at
 * what is to be seen and not at all events, sums are those of the tables, search and arrows find what is there. */
"use strict";
const assert = require("assert");
const { test, make, settle, warplens, reference } = require("./browser.js");

const open_most = 12, // times the reference
    frame_reads_most = 400000; // a look at each event would be four million
const wait = (page) => page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))");

/* How often the busiest of some frames reads when an event begins. */
function frames(act) {
    return `(() => { const view = warplens.timelineView, { events } = warplens.timeline.load(), start = events.start;
        let reads = 0, most = 0;
        events.start = new Proxy(start, { get(target, key) { reads++; return Reflect.get(target, key); } });
        for (let i = 0; i < 12; i++) { ${act}; reads = 0; warplens.timeline.draw(view); most = Math.max(most, reads); }
        events.start = start;
        return most; })()`;
}

async function testSums(page, report) {
    const tables = JSON.parse(
        warplens("show", report, "--report", "cuda_gpu_kern_sum,cuda_api_sum,nvtx_sum", "--json"),
    ).tables;
    const all = await page.run(
        "(() => { const model = warplens.timeline.load(); return model.sums(0, model.end + 1); })()",
    );
    for (const table of tables) {
        assert.ok(table.rows.length > 0);
        for (const row of table.rows) {
            const name = (row.Name || row.Range).replace(/^:/, ""),
                sum = all.find((each) => each.name === name);
            assert.strictEqual(sum.ns, row["Total Time (ns)"], name);
            assert.strictEqual(sum.count, row.Instances || row["Num Calls"], name);
        }
    }
    /* two ranges and the 2,000 launches within them, of which one reaches in from before */
    const part = await page.run("warplens.timeline.load().sums(1000 * 2000, 3000 * 2000)");
    assert.strictEqual(part.find((sum) => sum.name === "cudaLaunchKernel").count, 2000);
    assert.strictEqual(part.find((sum) => sum.name === "step").ns, 2000 * 2000);
}

/* Ranks of MPI stand by number, whichever process began first; streams of a GPU count, they are not spelt. */
async function testRows(page) {
    const rows = [
        [0, 1, "Thread 7", false],
        [1, 0, "GPU 0, stream 10", true],
        [1, 0, "GPU 0, stream 9", true],
        [1, 0, "Thread 8", false],
    ].map(([process, rank, name, is_device]) => ({ process, rank, name, is_device }));
    assert.deepStrictEqual(await page.run(`warplens.timelineModel.rowOrder(${JSON.stringify(rows)})`), [3, 2, 1, 0]);
}

async function testFinding(page) {
    await page.run(
        "(() => { const field = document.querySelector('input[type=search]'); field.value = 'KERNEL_3'; field.dispatchEvent(new Event('input')); })()",
    );
    assert.strictEqual(await page.run("document.querySelector('.bar .count').textContent"), "1 name");
    await page.run("document.activeElement.blur()");
    await page.press("n");
    await wait(page);
    assert.match(
        await page.run("document.querySelector('.facts').textContent"),
        /^kernel_3 · kernel · 1\.50 us from 7\.50 us · GPU 0, stream 8$/,
    );
    await wait(page);
    assert.strictEqual(await page.run("warplens.timelineView.arrows"), 1);
}

/* Of a kernel that runs throughout, the whole lit: a pixel that any event of it begins in has the colour of what is found. */
async function testSearchWins(page) {
    await page.press("0");
    await wait(page);
    const { wrong, columns } = await page.run(`(() => {
        const view = warplens.timelineView, { model, canvas } = view, { events } = model;
        view.chosen = null;
        warplens.timeline.draw(view);
        const name = [...view.found.keys()][0];
        const lane = model.lanes.find((each) => each.found.length > 0), wanted = new Set();
        for (const at of lane.found) wanted.add(Math.floor(warplens.timelineDraw.x(view, events.start[lane.items[at]])));
        const probe = document.createElement("canvas").getContext("2d");
        probe.fillStyle = view.highlight;
        probe.fillRect(0, 0, 1, 1);
        const color = [...probe.getImageData(0, 0, 1, 1).data];
        const line = canvas.getContext("2d").getImageData(0, lane.y + 8, canvas.width, 1).data;
        const wrong = [...wanted].filter((x) => x < view.width && color.some((part, i) => line[4 * x + i] !== part));
        return { wrong, columns: wanted.size, name };
    })()`);
    assert.ok(columns > 1000, "the kernel is in " + columns + " columns only");
    assert.deepStrictEqual(wrong, []);
}

/* Sums are those of what is seen, however one came there. */
async function testSumsFollow(page) {
    const shown = () => page.run("document.querySelector('.sums').textContent");
        let before = await shown();
    for (const act of [
        "document.querySelector('canvas.timeline').dispatchEvent(new WheelEvent('wheel', {deltaY: -100, bubbles: true, cancelable: true}))",
        "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'd', bubbles: true}))",
    ]) {
        await page.run(act.replace("document.dispatchEvent", "document.body.dispatchEvent"));
        await settle(page, 400);
        const after = await shown();
        assert.notStrictEqual(after, before, act);
        before = after;
    }
    assert.match(await page.run("location.hash"), /^#timeline\/\d+\/\d+/);
}

/* Contrast as WCAG 2 has it, of each colour that an event can have against the paper, whose colour its letters have. */
async function testColors(browser, file) {
    for (const dark of [false, true]) {
        const page = await browser.page(file + "#timeline", { dark });
        await wait(page);
        const low = await page.run(`(() => {
            const light = (text) => {
                const [r, g, b] = text.match(/[\\d.]+/g).map((part) => { const c = part / 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const paper = warplens.timelineView.paper, low = [];
            for (const category of warplens.data("timeline").categories)
                for (const name of ["a", "b", "c", "", "cudaMemcpy", "kernel_1"]) {
                    const color = warplens.timelineColors.of(category, name, paper);
                    const [x, y] = [light(color), light(paper)].sort((a, b) => b - a);
                    if ((x + 0.05) / (y + 0.05) < 4.5) low.push([category, name, color, (x + 0.05) / (y + 0.05)]);
                }
            return low;
        })()`);
        assert.deepStrictEqual(low, []);
        const families = await page.run(
            "['kernel', 'memcpy', 'cuda_runtime', 'synchronization'].map((name) => warplens.timelineColors.of(name, '', warplens.timelineView.paper))",
        );
        assert.strictEqual(new Set(families).size, families.length);
        await page.close();
    }
}

async function testMoving(page) {
    for (const act of [
        "warplens.timeline.zoom(view, 0.6)",
        "warplens.timeline.pan(view, 0.3)",
        "warplens.timeline.zoom(view, 1.9)",
        "warplens.timeline.pan(view, -0.4)",
    ]) {
        const most = await page.run(frames(act));
        console.log(act + ": " + most + " reads a frame");
        assert.ok(most > 0 && most < frame_reads_most, act + " takes " + most + " reads a frame");
    }
}

test(async (browser, folder) => {
    const { report, page: file } = make("events", folder);
    let page = null,
        least = Infinity;
    for (let i = 0; i < 3 && least >= open_most; i++) {
        if (page) await page.close();
        const sort_ms = await reference(browser);
        page = await browser.page(file + "#timeline");
        await wait(page);
        least = Math.min(least, page.busy_ms / sort_ms);
        console.log("1,000,000 events: " + page.busy_ms.toFixed(0) + " ms, sorting " + sort_ms.toFixed(0) + " ms");
    }
    assert.ok(least < open_most, "it took " + least + " times as long as sorting a million numbers");
    assert.deepStrictEqual(
        await page.run("[...document.querySelectorAll('#pages a')].map((link) => link.textContent)"),
        ["Timeline", "Program", "Advice", "Guide", "Session"],
    );
    assert.strictEqual(await page.run("warplens.timeline.load().events.start.length"), 1000000);
    await testSums(page, report);
    await testRows(page);
    await testMoving(page);
    await page.press("0");
    await testFinding(page);
    await testSearchWins(page);
    await testSumsFollow(page);
    await testColors(browser, file);
    assert.deepStrictEqual(
        await page.run(
            "['GPU 0, stream 10', 'GPU 0, stream 9', 'GPU 0, stream 100'].sort(warplens.timelineModel.natural)",
        ),
        ["GPU 0, stream 9", "GPU 0, stream 10", "GPU 0, stream 100"],
    );
    const { size } = require("fs").statSync(file);
    assert.ok(size < 3 * 1000000, "the page has " + size + " bytes for a million events");
    assert.deepStrictEqual(page.problems, []);
    assert.deepStrictEqual(
        page.requests.filter((url) => !url.startsWith("file:")),
        [],
    );
    if (process.env.WL_SHOT) await page.shot(process.env.WL_SHOT);
});
