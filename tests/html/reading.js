/* Addresses that are wrong, numbers that are long, tables that are wide, findings that are many, the guide. */
"use strict";
const assert = require("assert");
const { test, make, settle } = require("./browser.js");

const wait = (page) => settle(page, 80);
const text = (page) => page.run("document.getElementById('main').innerText");

async function testAddresses(browser, file) {
    const page = await browser.page(file + "#%");
    assert.match(await text(page), /There is no page “%” here/);
    assert.ok((await page.run("document.querySelectorAll('.kernel-group').length")) > 0);
    await page.go("details/%E0%A4%A");
    assert.match(await text(page), /There is no launch %E0%A4%A here/);
    for (const [address, wanted] of [
        ["details/123456", /There is no launch 123456 here/],
        ["details/7", /kernel_0/],
        ["advice/9999", /There is no finding 9999 here/],
        ["nowhere/1", /There is no page “nowhere” here/],
    ]) {
        await page.go(address);
        assert.match(await text(page), wanted, address);
    }
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

/* Every column can be reached at 1400 px, and the headings stay where they are. */
async function testTable(browser, file) {
    const page = await browser.page(file + "#launches", { width: 1400, height: 900 });
    await wait(page);
    const seen = await page.run(`(() => {
        const box = document.querySelector(".table-box"), last = [...box.querySelectorAll("th")].pop();
        const head = () => last.getBoundingClientRect(), outer = () => box.getBoundingClientRect();
        box.scrollLeft = 1e6;
        const isReached = head().right <= outer().right + 1;
        box.scrollTop = 2000;
        return { isReached, scrolled: box.scrollTop, gap: Math.abs(head().top - outer().top), page: document.documentElement.scrollWidth };
    })()`);
    assert.ok(seen.isReached, "the last column is cut");
    assert.ok(seen.scrolled > 1000 && seen.gap < 3, "headings scroll away: " + JSON.stringify(seen));
    assert.ok(seen.page <= 1400);
    await page.close();
}

async function testFindings(browser, file) {
    const page = await browser.page(file + "#advice");
    const count = () => page.run("document.querySelectorAll('details.finding').length");
    const all = await count();
    assert.ok(all > 3);
    assert.ok(
        (await page.run("Math.max(...[...document.querySelectorAll('details.finding:not([open])')].map((each) => each.offsetHeight))")) < 90,
        "a closed finding is high",
    );
    await page.run(
        "(() => { const field = document.querySelector('input[type=search]'); field.value = document.querySelector('details.finding .rule').textContent; field.dispatchEvent(new Event('input')); })()",
    );
    const some = await count();
    assert.ok(some > 0 && some < all, "the filter leaves " + some + " of " + all);
    assert.strictEqual(
        await page.run("document.querySelector('.bar [role=status]').textContent"),
        some + " of " + all + " findings, best first",
    );
    await page.go("advice/2");
    assert.ok(await page.run("document.getElementById('finding-2').open"));
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

async function testGuide(browser, file) {
    const page = await browser.page(file + "#guide");
    assert.strictEqual(await page.run("document.querySelectorAll('.step h2').length"), 5);
    assert.strictEqual(await page.run("document.querySelectorAll('pre').length"), 0);
    await page.run("document.querySelectorAll('.step')[1].querySelector('a').click()");
    await wait(page);
    assert.match(await page.run("location.hash"), /^#details\/\d+$/);
    await page.close();
}

/* A number of ten digits is shown whole. */
async function testNumbers(browser, file) {
    const page = await browser.page(file + "#source/0");
    await wait(page);
    await page.run(`(() => {
        const { data } = warplens;
        const [own] = Object.values(data("source").launches);
        own.columns.forEach((column) => { column.lines[1] = column.lines[1].map((value) => value + 1234567890); });
    })()`);
    await page.go("launches");
    await page.go("source/0");
    await wait(page);
    const cut = await page.run(
        `[...document.querySelectorAll(".amount")].filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.textContent)`,
    );
    assert.deepStrictEqual(cut, []);
    assert.ok(
        await page.run("[...document.querySelectorAll('.amount')].some((node) => /^1,234,5\\d\\d,\\d{3}$/.test(node.textContent))"),
    );
    await page.close();
}

test(async (browser, folder) => {
    const some = make("some", folder).page,
        long = make("long", folder).page;
    await testAddresses(browser, some);
    await testTable(browser, some);
    await testFindings(browser, some);
    await testGuide(browser, some);
    await testNumbers(browser, long);
});
