/* A report of 1,000 launches and one of a kernel of 5,000 lines open in under 1 s: by the clock, and where
 * others keep all processors busy, by the time that the page itself takes of one. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { test, make } = require("./browser.js");

const limit_ms = 1000,
    most_tries = 8,
    most_busy_tries = 3;

const isMachineBusy = () => os.loadavg()[0] > os.cpus().length;

async function open(browser, address) {
    const page = await browser.page(address);
    await page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))");
    assert.deepStrictEqual(page.problems, []);
    await page.close();
    return page;
}

/* The best of some tries. */
async function measure(browser, address) {
    const least = { opened_ms: Infinity, busy_ms: Infinity };
    for (let i = 0; i < most_tries && least.opened_ms >= limit_ms; i++) {
        if (i >= most_busy_tries && isMachineBusy()) break;
        const page = await open(browser, address);
        least.opened_ms = Math.min(least.opened_ms, page.opened_ms);
        least.busy_ms = Math.min(least.busy_ms, page.busy_ms);
    }
    return least;
}

test(async (browser, folder) => {
    const many = make("many", folder).page,
        long = make("long", folder).page;
    for (const address of [many, many + "#details/999", many + "#source/0", long, long + "#source/0"]) {
        const { opened_ms, busy_ms } = await measure(browser, address);
        const size = (fs.statSync(address.split("#")[0]).size / 1e6).toFixed(1);
        const text =
            path.basename(address) +
            ": " +
            opened_ms.toFixed(0) +
            " ms, of a processor " +
            busy_ms.toFixed(0) +
            " ms, " +
            size +
            " MB";
        console.log(text);
        assert.ok(busy_ms > 0 && busy_ms < limit_ms, text);
        assert.ok(opened_ms < limit_ms || isMachineBusy(), text);
    }
});
