/* node bench/workbench.js: what the page costs. WARPLENS and MAKE_REPORTS name the programs. Prints for a trace of 1,000,000
 * events: bytes of the exported page an event, milliseconds to the first picture, and of frames while it is panned and
 * zoomed the 50th and 95th of a hundred; for a report of 1,000 launches the first picture of its page. Beside them, what
 * this browser takes here and now to sort a million numbers. */
"use strict";
const fs = require("fs");
const { test, make, reference } = require("../tests/html/browser.js");

const frames = 100;

/* Milliseconds that each frame's drawing takes, while the picture moves. */
const pan = `(() => {
    const view = warplens.timelineView, times = [];
    warplens.timeline.zoom(view, 0.2);
    for (let i = 0; i < ${frames}; i++) {
        warplens.timeline.pan(view, i % 20 < 10 ? 0.05 : -0.05);
        if (i % 25 === 24) warplens.timeline.zoom(view, i % 50 === 24 ? 3 : 0.4);
        const begun = performance.now();
        warplens.timeline.draw(view);
        times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
})()`;

/* When the first picture was painted, and when the page was ready. */
const paints =
    "({ paint: performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0] })";

test(async (browser, folder) => {
    const { page: file } = make("events", folder);
    console.log("sorting a million numbers: " + (await reference(browser)).toFixed(0) + " ms of a processor");
    console.log("1,000,000 events: " + (fs.statSync(file).size / 1e6).toFixed(2) + " bytes an event");
    const page = await browser.page(file + "#timeline");
    console.log("first paint " + (await page.run(paints)).paint + " ms, ready after " + page.opened_ms.toFixed(0) + " ms");
    const times = await page.run(pan);
    console.log("frames: 50 % below " + times[frames / 2].toFixed(1) + " ms, 95 % below " + times[0.95 * frames].toFixed(1) + " ms");
    const many = await browser.page(make("many", folder).page);
    console.log("1,000 launches: first paint " + (await many.run(paints)).paint + " ms, ready after " + many.opened_ms.toFixed(0) + " ms");
});
