/* Findings at the sections and lines that they speak of, with one number on all pages; what-if switches: causes off alone and
 * together are what `warplens show --page whatif` prints, what was not simulated together is no sum, and the workbench has it
 * simulated; rows of tables in order of a column, which the address keeps; gains of a traced program are parts of it; what is
 * better in a comparison. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const { test, until, warplens, workbench } = require("./browser.js");

const source = path.join(__dirname, "../../examples/gemm/gemm.cu");

function prepare(folder) {
    const built = spawnSync(process.env.WARPLENS, ["cc", source, "-o", "gemm"], { cwd: folder, encoding: "utf8" });
    if (built.status !== 0) {
        console.log("skipped: no compiler for CUDA: " + built.stderr.split("\n")[0]);
        return null;
    }
    const report = path.join(folder, "gemm.wlr"),
        before = path.join(folder, "before.wlr");
    for (const [file, step] of [
        [report, "3"],
        [before, "1"],
    ]) {
        const run = spawnSync(process.env.WARPLENS, ["profile", "-o", file, path.join(folder, "gemm"), step, "256"], { encoding: "utf8" });
        assert.strictEqual(run.status, 0, run.stderr);
    }
    const page = path.join(folder, "gemm.html");
    warplens("export", report, "--html", page, "--baseline", before);
    return { report, page };
}

const numbers = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((node) => Number(node.textContent))`;

async function testSections(page, findings) {
    await page.go("details/0");
    for (const finding of findings) {
        assert.ok(finding.section, finding.id + " has no section");
        const note = `#section-${finding.section} [data-finding="${finding.number}"]`;
        const text = await page.run(`document.querySelector(${JSON.stringify(note)}).textContent`);
        for (const part of [finding.id, finding.title, finding.advice]) assert.ok(text.includes(part), part + " is not in: " + text);
        if (finding.gain) assert.ok(text.includes("saves " + Math.round(100 * finding.gain.saved) + "%"), text);
        assert.ok((await page.run("document.querySelector('.findings-list').textContent")).includes(finding.title));
    }
    assert.deepStrictEqual(
        await page.run(numbers(".findings-list .badge")),
        findings.map(({ number }) => number),
    );
    /* the ladder of times, from the least it needs to what it took */
    const rungs = await page.run("[...document.querySelectorAll('#section-ladder .rungs i')].map((part) => part.title)");
    assert.ok(rungs.length > 1 && rungs[0].startsWith("least work: "), rungs.join("; "));
    /* an address leads to the section */
    await page.go("details/0/" + findings[0].section);
    await until(page, `document.querySelector(".card.chosen") !== null && document.querySelector(".card.chosen").id === "section-${findings[0].section}"`);
}

async function testLines(page, findings) {
    const atLines = findings.filter(({ place }) => place && place.file);
    assert.ok(atLines.length >= 2, "the report has too few findings at lines");
    for (const { number, id, place } of atLines) {
        await page.go("source/0/" + encodeURIComponent(place.file) + "/" + place.line);
        const row = `.code [data-line="${place.line}"]`;
        await until(page, `document.querySelector('${row}.chosen .margin') !== null`, "the margin of line " + place.line);
        assert.ok((await page.run(numbers(row + " .badge"))).includes(number));
        assert.ok((await page.run(`document.querySelector('${row} .margin').dataset.text`)).includes(number + ". " + id));
        assert.ok((await page.run(numbers(".values .finding-note .badge"))).includes(number), "the chosen line tells its finding");
        const instruction = `[data-instruction="${place.instruction}"] .badge`;
        assert.ok((await page.run(numbers(instruction))).includes(number), "at instruction " + place.instruction);
    }
    const others = findings.filter((finding) => !atLines.includes(finding)).map(({ number }) => number);
    assert.deepStrictEqual(await page.run(numbers("p.badges .badge")), others);
    /* the key goes from finding to finding */
    await page.go("source/0");
    await until(page, "document.querySelector('.row.chosen') !== null");
    const seen = [];
    for (let i = 0; i < atLines.length; i++) {
        await page.press("f");
        seen.push(await page.run("Number(document.querySelector('.row.chosen[data-line]').dataset.line)"));
    }
    assert.deepStrictEqual(seen, [...new Set(atLines.map(({ place }) => place.line))].slice(0, seen.length));
}

async function testNumbers(page, findings) {
    await page.go("advice");
    assert.deepStrictEqual(
        await page.run(numbers("details.finding > summary .badge")),
        findings.map(({ number }) => number),
    );
    await page.go("program");
    for (const number of await page.run(numbers(".findings-list .badge"))) {
        const { id } = findings.find((finding) => finding.number === number);
        assert.ok(await page.run(`[...document.querySelectorAll('.findings-list li')].some((each) => each.querySelector('.badge').textContent === '${number}' && each.textContent.includes('${id}'))`));
    }
}

/* ---- what-if ---- */

const toggle = (id) => `document.querySelector('.whatif input[value="${id}"]').click()`;
const time = "(() => { const node = document.querySelector('.whatif-time'); return node.dataset.value === undefined ? null : Number(node.dataset.value); })()";

const isNear = (value, wanted) => Math.abs(value - wanted) <= 1e-6 * wanted;

async function testSwitches(browser, file, report) {
    const [wanted] = JSON.parse(warplens("show", report, "--page", "whatif", "--json")).whatif;
    const page = await browser.page(file + "#details/0");
    assert.ok(isNear(await page.run(time), wanted.duration_ns));
    for (const { cause, duration_ns } of wanted.causes) {
        await page.run(toggle(cause));
        assert.ok(isNear(await page.run(time), duration_ns), cause);
        assert.ok(isNear(await page.run(`Number(document.querySelector('[data-cause="${cause}"] td[data-value]').dataset.value)`), duration_ns), cause);
        await page.run(toggle(cause));
    }
    for (const { cause, duration_ns } of wanted.pairs.concat(wanted.sets)) {
        for (const id of cause.split("+")) await page.run(toggle(id));
        assert.ok(isNear(await page.run(time), duration_ns), cause);
        if (wanted.sets.some((set) => set.cause === cause)) {
            const other = await browser.page(file + (await page.run("location.hash")));
            assert.ok(isNear(await other.run(time), duration_ns), "the address keeps " + cause);
            await other.close();
        }
        for (const id of cause.split("+")) await page.run(toggle(id));
    }
    assert.ok(wanted.pairs.length === 3 && wanted.sets.length === 1, "three causes save most");
    /* what was not simulated together has no time, only a bound */
    const known = new Set(wanted.pairs.map(({ cause }) => cause.split("+").sort().join("+")));
    const ids = wanted.causes.map(({ cause }) => cause);
    const unknown = ids.flatMap((a, i) => ids.slice(i + 1).map((b) => [a, b])).find((pair) => !known.has([...pair].sort().join("+")));
    for (const id of unknown) await page.run(toggle(id));
    assert.strictEqual(await page.run(time), null);
    assert.match(await page.run("document.querySelector('.whatif-told').textContent"), /at most/);
    assert.match(await page.run("document.querySelector('.whatif-card').textContent"), /were not simulated together/);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
    return unknown;
}

async function testSimulating(browser, folder, unknown) {
    const bench = workbench(folder, "--no-watch", "--output", "runs", "--", "./gemm", "3", "256");
    try {
        const page = await browser.page(await bench.next());
        await until(page, "document.documentElement.dataset.shown === '1/0'", "run 1");
        await page.go("details/0");
        await until(page, "document.querySelector('.whatif input') !== null", "switches");
        for (const id of unknown) await page.run(toggle(id));
        await page.run("document.querySelector('.whatif-card p button').click()");
        await until(page, "document.documentElement.dataset.shown === '2/0'", "run 2");
        await until(page, `${time} !== null`, "the time of both together");
        const [row] = JSON.parse(warplens("show", path.join(folder, "runs/run-2.wlr"), "--page", "whatif", "--json")).whatif;
        const set = row.pairs.find(({ cause }) => cause.split("+").sort().join("+") === [...unknown].sort().join("+"));
        assert.ok(isNear(await page.run(time), set.duration_ns));
        /* what is no cause runs nothing */
        await page.run("fetch('/do/whatif', { method: 'POST', body: 'a+b', headers: { Authorization: 'Bearer ' + sessionStorage.getItem('warplens-key') } })");
        await until(page, "document.querySelector('.message').textContent.includes('no cause of delay')", "the message");
        assert.strictEqual(await page.run("document.querySelectorAll('select[aria-label=Run] option').length"), 2);
        assert.deepStrictEqual(page.problems, []);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
}

/* ---- order ---- */

const column = (table, at) => `[...document.querySelector(${JSON.stringify(table)}).tBodies[0].rows].map((row) => { const cell = row.cells[${at}]; return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value); })`;

async function testOrder(browser, file) {
    const page = await browser.page(file + "#compare");
    const table = ".compare table[data-group='Memory Workload Analysis']",
        click = (at) => page.run(`document.querySelector("${table}").tHead.rows[0].cells[${at}].querySelector("button").click()`);
    const asItWas = await page.run(column(table, 0));
    await click(3);
    const down = (await page.run(column(table, 3))).filter((value) => typeof value === "number");
    assert.ok(down.length > 2);
    assert.deepStrictEqual(
        down,
        [...down].sort((a, b) => b - a),
    );
    const other = await browser.page(file + (await page.run("location.hash")));
    assert.deepStrictEqual(await other.run(column(table, 0)), await page.run(column(table, 0)));
    assert.strictEqual(await other.run(`document.querySelector("${table} th[aria-sort=descending]").textContent`), "Change");
    await other.close();
    await click(3);
    const up = (await page.run(column(table, 3))).filter((value) => typeof value === "number");
    assert.deepStrictEqual(up, [...down].reverse());
    await click(3);
    assert.deepStrictEqual(await page.run(column(table, 0)), asItWas);
    await click(0);
    assert.deepStrictEqual(
        await page.run(column(table, 0)),
        [...asItWas].sort((a, b) => a.localeCompare(b, "en", { numeric: true })),
    );
    /* sums stay last */
    await page.go("details/0");
    const last = await page.run(`[...document.querySelectorAll("table.metrics")].filter((table) => table.tHead && [...table.tBodies[0].rows].some((row) => row.cells[0].textContent === "Total")).map((table) => {
        table.tHead.rows[0].cells[1].querySelector("button").click();
        return [...table.tBodies[0].rows].pop().cells[0].textContent;
    })`);
    assert.ok(last.length >= 2 && last.every((text) => text === "Total"), last.join());
    const plain = await page.run("[...document.querySelectorAll('table')].filter((table) => table.tHead && ![...table.tHead.querySelectorAll('th')].every((head) => !head.textContent.trim() || head.querySelector('button'))).length");
    assert.strictEqual(plain, 0, "tables without buttons");
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

/* What helps a traced program is told in parts of its time, not of that of the launches that were profiled. */
async function testProgram(browser, folder) {
    const report = path.join(folder, "program.wlr"),
        file = path.join(folder, "program.html");
    warplens("optimize", "-q", "-o", report, path.join(folder, "gemm"), "0", "128");
    warplens("export", report, "--html", file);
    const page = await browser.page(file + "#program");
    const best = await page.run(`[...document.querySelectorAll("table.best tbody tr")].map((row) => row.cells[4].textContent)`);
    const parts = best.map((text) => Number(/, ([0-9.]+) %/.exec(text)[1]));
    assert.ok(parts.length > 0);
    assert.ok(
        parts.every((part) => part <= 100),
        best.join("; "),
    );
    assert.strictEqual(await page.run(`document.querySelector("table.best").tHead.rows[0].cells[4].textContent`), "Of the program");
    assert.ok(await page.run(`document.querySelector("p.count").textContent.includes("kernel profiled, ")`));
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

/* More active lanes are better. */
async function testLanes(browser, folder) {
    const code = path.join(folder, "lanes.cu"),
        file = path.join(folder, "lanes.html");
    fs.writeFileSync(
        code,
        `__global__ void part(float *x) { if (threadIdx.x % STEP == 0) for (int i = 0; i < 64; i++) x[threadIdx.x] += x[i]; }
        int main() { float *x; cudaMalloc(&x, 4096); part<<<1, 256>>>(x); return cudaDeviceSynchronize(); }`,
    );
    const reports = [4, 1].map((step) => {
        warplens("cc", "-DSTEP=" + step, code, "-o", path.join(folder, "lanes" + step));
        warplens("profile", "-q", "-o", path.join(folder, "lanes" + step + ".wlr"), path.join(folder, "lanes" + step));
        return path.join(folder, "lanes" + step + ".wlr");
    });
    warplens("export", reports[1], "--html", file, "--baseline", reports[0]);
    const page = await browser.page(file + "#compare");
    const sign = `document.querySelector("[data-metric='ptx__thread_inst_executed_per_inst_executed.ratio'] .sign").getAttribute("aria-label")`;
    assert.strictEqual(await page.run(sign), "better");
    assert.deepStrictEqual(page.problems, []);
    await page.close();
}

test(async (browser, folder) => {
    const made = prepare(folder);
    if (!made) return 77;
    const { findings } = JSON.parse(warplens("show", made.report, "--page", "advice", "--json"));
    const page = await browser.page(made.page + "#details/0");
    await testSections(page, findings);
    await testLines(page, findings);
    await testNumbers(page, findings);
    assert.deepStrictEqual(page.problems, []);
    await page.close();
    const unknown = await testSwitches(browser, made.page, made.report);
    await testSimulating(browser, folder, unknown);
    await testOrder(browser, made.page);
    await testProgram(browser, folder);
    await testLanes(browser, folder);
});
