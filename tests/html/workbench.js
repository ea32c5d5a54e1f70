/* The whole way on the gemm ladder, in a browser: measure, see the finding at its line, change a copy of the source, have it
 * built and run again by the change, see what came of it against a baseline, export that as one file. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const { test, workbench, until } = require("./browser.js");

const source = path.join(__dirname, "../../examples/gemm/gemm.cu");

/* A copy of the source, and what builds it. */
function prepare(folder) {
    const file = path.join(folder, "gemm.cu");
    fs.copyFileSync(source, file);
    const command = "'" + process.env.WARPLENS + "' cc gemm.cu -o gemm.new && mv gemm.new gemm";
    const built = spawnSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
    if (built.status !== 0) {
        console.log("skipped: no compiler for CUDA: " + built.stderr.split("\n")[0]);
        return null;
    }
    return { file, command };
}

const choose = (label, value) =>
    `(() => { const field = document.querySelector('select[aria-label="${label}"]'); field.value = "${value}"; field.dispatchEvent(new Event("change")); })()`;

async function seeFinding(page) {
    await page.go("advice");
    await until(page, "document.querySelectorAll('details.finding').length > 0");
    const href = await page.run(
        "[...document.querySelectorAll('details.finding')].find((each) => each.querySelector('.rule').textContent === 'shared-bank').querySelector('strong a').getAttribute('href')",
    );
    assert.match(decodeURIComponent(href), /^#source\/0\/.*gemm\.cu\/\d+$/);
    await page.go(href.slice(1));
    await until(page, "document.querySelector('.row.chosen .place.found') !== null", "at the line of the finding");
    assert.match(await page.run("document.querySelector('.row.chosen .text').textContent"), /(part|tile)_b/);
}

/* The bank conflicts go: eight columns a piece become four, as the ladder's next step has it. */
function change({ file }) {
    const before = fs.readFileSync(file, "utf8");
    const after = before.replace("gemm_warp_tile<8>}", "gemm_warp_tile<4>}");
    assert.notStrictEqual(after, before);
    fs.writeFileSync(file, after);
}

async function seeChange(page) {
    await until(page, "document.documentElement.dataset.shown === '2/0'", "run 2, by the change of the file");
    await page.run(choose("Baseline", 1));
    await until(page, "document.documentElement.dataset.shown === '2/1'", "compared with run 1");
    await page.go("compare");
    await until(page, "document.querySelector('.sentence') !== null");
    const sentence = await page.run("document.querySelector('.sentence').textContent");
    console.log(sentence);
    assert.match(sentence, /faster/);
    assert.match(sentence, /: .*(on line \d+).* went/);
}

/* At each line the change is what the baseline had less: the sum of all is that of the totals. */
async function seeLines(page) {
    await page.go("source/0?by=memory_l1_wavefronts_shared");
    await until(page, "document.querySelector('.row.counted .since') !== null", "changes at lines");
    const found = await page.run(`(() => {
        const launch = warplens.data("source").launches[0], column = launch.columns.find((each) => each.name === "memory_l1_wavefronts_shared");
        const sum = (list) => list.reduce((all, value) => all + value, 0);
        const shown = [...document.querySelectorAll(".pane:first-child .code .since")].map((cell) => cell.textContent).filter(Boolean);
        const numbers = shown.map((text) => Number(text.replace("−", "-").replace(/,/g, "")));
        return { wanted: sum(column.lines[1]) - sum(column.base_lines[1]), told: sum(numbers), better: document.querySelectorAll(".since.better").length };
    })()`);
    console.log("wavefronts at lines: " + found.told);
    assert.ok(found.wanted < 0 && found.better > 0);
    assert.strictEqual(found.told, found.wanted);
    assert.match(await page.run("document.querySelector('.bar .facts').textContent"), /% since the baseline/);
    await page.go("compare");
}

/* A bar for each run; those after the first are faster, run 3 is what run 2 was. */
async function seeHistory(page) {
    await until(page, "document.querySelectorAll('.history tr').length === 3", "three runs");
    const changes = await page.run("[...document.querySelectorAll('.history tr')].map((row) => row.lastChild.textContent)");
    assert.strictEqual(changes[0], "baseline");
    assert.match(changes[1], /^-\d+\.\d %.*✓/);
    assert.strictEqual(changes[2], changes[1]);
}

/* What is exported is the same page, with what it needs inside. */
async function takeAway(browser, page, folder) {
    const html = await page.run(
        "fetch('/export?run=2&base=1', { headers: { Authorization: 'Bearer ' + sessionStorage.getItem('warplens-key') } }).then((answer) => answer.text())",
    );
    const file = path.join(folder, "away.html");
    fs.writeFileSync(file, html);
    const alone = await browser.page(file + "#compare");
    assert.match(await alone.run("document.querySelector('.sentence').textContent"), /faster/);
    assert.strictEqual(await alone.run("document.querySelector('.workbench')"), null);
    assert.deepStrictEqual(alone.problems, []);
    assert.deepStrictEqual(
        alone.requests.filter((url) => !url.startsWith("file:")),
        [],
    );
    await alone.close();
}

async function play(browser, folder, made) {
    const bench = workbench(folder, "--build", made.command, "--output", "runs", "--", "./gemm", "3", "256");
    try {
        const page = await browser.page(await bench.next());
        await until(page, "document.documentElement.dataset.shown === '1/0'", "run 1");
        await seeFinding(page);
        change(made);
        await seeChange(page);
        await seeLines(page);
        await takeAway(browser, page, folder);
        /* by hand, too */
        await page.run("document.activeElement.blur()");
        await page.press("r");
        await until(page, "document.documentElement.dataset.shown === '3/1'", "run 3");
        await seeHistory(page);
        /* what does not compile says so, and nothing is run */
        fs.appendFileSync(made.file, "\n#error not yet\n");
        await until(page, "document.querySelector('.message').textContent.includes('not yet')", "the compiler's message");
        assert.strictEqual(await page.run("document.querySelectorAll('select[aria-label=Run] option').length"), 3);
        if (process.env.WL_SHOT) await page.shot(process.env.WL_SHOT);
        assert.deepStrictEqual(page.problems, []);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
}

test(async (browser, folder) => {
    const made = prepare(folder);
    if (!made) {
        return 77;
    }
    await play(browser, folder, made);
    return 0;
});
