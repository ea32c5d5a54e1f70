/* Texts of a hostile report stay texts, on every page; nothing is loaded and nothing of it runs. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { test, make, warplens } = require("./browser.js");

/* Drawings of the report are well-formed and hold nothing that runs; the PDF can be made. */
async function testFiles(page, report, folder) {
    const pictures = path.join(folder, "pictures"),
        pdf = path.join(folder, "hostile.pdf");
    warplens("export", report, "--svg", pictures, "--png", pictures, "--pdf", pdf);
    const files = fs.readdirSync(pictures).filter((name) => name.endsWith(".svg"));
    assert.ok(files.includes("0-source.svg") && files.includes("0-memory.svg"), files.join(" "));
    for (const name of files) {
        const text = fs.readFileSync(path.join(pictures, name), "utf8");
        const tags = await page.run(
            `[...new DOMParser().parseFromString(${JSON.stringify(text)}, "image/svg+xml").querySelectorAll("*")].map((node) => node.localName)`,
        );
        const known = [
            "svg",
            "title",
            "desc",
            "style",
            "defs",
            "marker",
            "path",
            "rect",
            "polyline",
            "circle",
            "text",
        ];
        assert.deepStrictEqual(
            tags.filter((tag) => !known.includes(tag)),
            [],
            name,
        );
    }
    assert.strictEqual(fs.readFileSync(pdf, "latin1").slice(0, 5), "%PDF-");
}

test(async (browser, folder) => {
    const { report, page: file } = make("hostile", folder);
    const bytes = fs.readFileSync(file, "utf8");
    assert.ok(!bytes.includes("<img"), "markup of a name is in the file");
    assert.ok(
        /^[\x09\x0a\x20-\x7e]*$/.test(
            bytes.slice(bytes.indexOf("<script type"), bytes.lastIndexOf("<script>")),
        ),
        "the data are not ASCII",
    );
    assert.strictEqual(bytes.match(/<script>/g).length, 1, "there is another script");
    const page = await browser.page(file);
    const ids = await page.run("warplens.shownPages().map((each) => each.id)");
    for (const id of [...ids, "details/1"]) {
        if (id !== ids[0]) await page.go(id);
        await page.run(
            "document.querySelectorAll('[data-define], [data-text]').forEach((node) => node.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))",
        );
        assert.strictEqual(
            await page.run("typeof hit"),
            "undefined",
            "a script of the report ran on page " + id,
        );
        assert.strictEqual(
            await page.run(
                "document.querySelectorAll('img, iframe, object, b, [onerror], [onload], [onclick]').length",
            ),
            0,
            "markup came through on page " + id,
        );
        const text = await page.run("document.body.innerText");
        assert.ok(
            !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/.test(text),
            "a character changes how page " + id + " looks",
        );
    }
    await testFiles(page, report, folder);
    await page.go("details/0");
    const text = await page.run("document.body.innerText");
    assert.ok(text.includes("</script><script>hit=1</script>"), "the kernel's name is not shown as it is");
    assert.ok(text.includes("\\u202eevil"), "a change of direction is not shown");
    assert.deepStrictEqual(page.problems, []);
    assert.deepStrictEqual(
        page.requests.filter((url) => !url.startsWith("file:")),
        [],
    );
});
