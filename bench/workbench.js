/* node bench/workbench.js: what the page costs, all measured in one run. WARPLENS and MAKE_REPORTS name the programs.
 *
 * 1. The exported page of 1,000,000 events: bytes an event, its first picture, frames while it is panned and zoomed.
 * 2. The same events in Chrome's trace format, which Perfetto reads: what JSON.parse alone takes of them in the page.
 * 3. `warplens ui` with a report of 1,000,000 events and 100,000 launches: until its timeline stands.
 * 4. The page of 1,000 launches, and that of the demo's five kernels (where there is a compiler for CUDA): their first picture.
 *
 * Times are of a processor where nothing else is said, so that what else runs does not count; beside them, what this browser takes
 * here and now to sort a million numbers. The share of a frame is what its script, layout and painting take of the page's main
 * thread, from one to the next. */
"use strict";
const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { test, make, makeReport, reference, workbench, until, warplens } = require("../tests/html/browser.js");

const frames = 200,
    good_ms = 16;

/* One step of a way that moves and zooms, and the frame that shows it. */
const step = (i) => `(() => {
    const view = warplens.timelineView;
    ${i === 0 ? "warplens.timeline.zoom(view, 0.2);" : ""}
    warplens.timeline.pan(view, ${i % 20 < 10 ? 0.05 : -0.05});
    ${i % 25 === 24 ? `warplens.timeline.zoom(view, ${i % 50 === 24 ? 3 : 0.4});` : ""}
    clearTimeout(view.settling); /* sums follow when it stands still */
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
})()`;

/* What each frame takes of a processor, ascending. */
async function pan(page) {
    const times = [];
    for (let i = 0; i < frames; i++) {
        const before = await page.busy();
        await page.run(step(i));
        times.push((await page.busy()) - before);
    }
    return times.sort((a, b) => a - b);
}

/* When the first picture stood, in milliseconds; a page that is done may not have been painted yet. */
const paint = `(async () => {
    for (;;) {
        const entry = performance.getEntriesByName("first-contentful-paint")[0];
        if (entry) return entry.startTime;
        await new Promise(requestAnimationFrame);
    }
})()`;

/* What all threads of a process and of its ended children took, in milliseconds. */
function usedBy(pid) {
    const fields = fs.readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1].split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + 10 * Number(ticks), 0);
}

async function measureFile(browser, folder) {
    const { report, page: file } = make("events", folder);
    console.log("1,000,000 events: " + (fs.statSync(file).size / 1e6).toFixed(2) + " bytes an event");
    const page = await browser.page(file + "#timeline");
    console.log("  first paint " + (await page.run(paint)) + " ms of time, whole page " + page.busy_ms.toFixed(0) + " ms");
    const times = await pan(page);
    const good = times.filter((time) => time < good_ms).length;
    console.log("  frames: " + (100 * good) / frames + " % under " + good_ms + " ms, 95 % below " + times[0.95 * frames - 1].toFixed(1) + " ms");
    await page.close();
    return { report, page_ms: page.busy_ms };
}

/* The text stands in a page of its own, which does nothing but parse it. */
async function measureChrome(browser, folder, { report, page_ms }) {
    const trace = path.join(folder, "trace.json"),
        file = path.join(folder, "trace.html");
    warplens("export", report, "--chrome", trace);
    const text = fs.readFileSync(trace, "utf8").replace(/</g, "\\u003c");
    fs.writeFileSync(file, '<!DOCTYPE html><html data-ready=yes><title>t</title><script type="application/json" id="t">' + text + "</script></html>");
    const page = await browser.page(file);
    const before = await page.busy();
    const count = await page.run("JSON.parse(document.getElementById('t').textContent).traceEvents.length");
    const parse_ms = (await page.busy()) - before;
    console.log(
        "Chrome's format: " +
            (text.length / 1e6).toFixed(0) +
            " bytes an event, JSON.parse alone " +
            parse_ms.toFixed(0) +
            " ms for " +
            count.toLocaleString("en") +
            " records; our page takes " +
            (page_ms / parse_ms).toFixed(2) +
            " of that",
    );
    await page.close();
}

async function measureServed(browser, folder) {
    const bench = workbench(folder, makeReport("vast", folder));
    const address = await bench.next();
    const before = usedBy(bench.child.pid);
    const page = await browser.page(address);
    await until(page, "warplens.timelineView !== undefined", "the timeline");
    const busy = await page.busy();
    console.log(
        "ui, 1,000,000 events and 100,000 launches: page " +
            busy.toFixed(0) +
            " ms, server " +
            (usedBy(bench.child.pid) - before) +
            " ms (opening the report before: " +
            before +
            " ms), first paint " +
            (await page.run(paint)).toFixed(0) +
            " ms of time",
    );
    await page.close();
    await bench.stop();
}

async function measureFirst(browser, file, what) {
    const page = await browser.page(file);
    console.log(what + ": first paint " + (await page.run(paint)) + " ms of time, whole page " + page.busy_ms.toFixed(0) + " ms");
    await page.close();
}

/* The page of `make demo`, of smaller matrices. */
async function measureDemo(browser, folder) {
    const gemm = path.join(folder, "gemm"),
        report = path.join(folder, "demo.wlr"),
        file = path.join(folder, "demo.html");
    if (spawnSync(process.env.WARPLENS, ["cc", path.join(__dirname, "../examples/gemm/gemm.cu"), "-o", gemm]).status !== 0) return;
    warplens("profile", "--gpu", "k620", "-o", report, "sh", "-c", "for step in 0 1 2 3 4; do '" + gemm + "' $step 128; done");
    warplens("export", report, "--html", file);
    await measureFirst(browser, file, "demo");
}

test(async (browser, folder) => {
    console.log(os.cpus().length + " cores, load " + os.loadavg()[0].toFixed(1));
    console.log("sorting a million numbers: " + (await reference(browser)).toFixed(0) + " ms");
    await measureChrome(browser, folder, await measureFile(browser, folder));
    await measureServed(browser, folder);
    await measureFirst(browser, make("many", folder).page, "1,000 launches");
    await measureDemo(browser, folder);
});
