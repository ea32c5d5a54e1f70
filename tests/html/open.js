/* A report of 1,000 launches and one of a kernel of 5,000 lines open in under 1 s. It is tried several
 * times, since other tests may keep the machine busy. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const { test, make } = require("./browser.js");

const limit_ms = 1000,
    most_tries = 8;

async function best(browser, address) {
    let least = Infinity;
    for (let i = 0; i < most_tries && least >= limit_ms; i++) {
        const page = await browser.page(address);
        await page.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))");
        least = Math.min(least, page.opened_ms);
        assert.deepStrictEqual(page.problems, []);
        await page.close();
    }
    return least;
}

test(async (browser, folder) => {
    const many = make("many", folder).page,
        long = make("long", folder).page;
    for (const address of [many, many + "#details/999", many + "#source/0", long, long + "#source/0"]) {
        const opened_ms = await best(browser, address);
        const size = (fs.statSync(address.split("#")[0]).size / 1e6).toFixed(1);
        console.log(address.replace(/.*\//, "") + ": " + opened_ms.toFixed(0) + " ms, " + size + " MB");
        assert.ok(opened_ms < limit_ms, address + " took " + opened_ms + " ms");
    }
});
