/* Baselines and findings: the page's numbers are those of `warplens diff` and of the page advice. */
"use strict";
const assert = require("assert");
const path = require("path");
const { test, makeReport, warplens } = require("./browser.js");

const prefixes = { K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const times = { us: 1e3, ms: 1e6, s: 1e9 };

/* "9.73 Kbyte" as a number; digits: how far it may be rounded. */
function read(text, wanted, where) {
    const [number, unit] = text.trim().split(" ");
    const shown = Number(number.replace(/,/g, ""));
    const scales = [1, prefixes[(unit || "x")[0]] || 1, times[unit] || 1];
    assert.ok(
        scales.some(
            (scale) =>
                Math.abs(shown - wanted / scale) <=
                Math.max(0.00501, 1e-2 * Math.abs(wanted / scale) * (Math.abs(wanted / scale) < 0.005)),
        ),
        where + ": " + wanted + " is shown as " + text,
    );
}

async function testCompare(page, comparison) {
    const rows = await page.run(
        "[...document.querySelectorAll('.compare')].map((table) => [...table.querySelectorAll('tbody tr')].map((row) => [row.dataset.metric, ...[...row.children].map((cell) => cell.firstChild ? cell.firstChild.textContent : '')]))",
    );
    assert.strictEqual(rows.length, comparison.kernels.length);
    comparison.kernels.forEach((kernel, i) => {
        assert.strictEqual(rows[i].length, kernel.changes.length);
        kernel.changes.forEach((change) => {
            const { metric } = change;
            const [, name, base, now, percent] = rows[i].find(([own]) => own === metric);
            assert.ok(name !== "", metric + " has no name");
            read(base, change.base.mean, metric);
            read(now, change.new.mean, metric);
            if (typeof change.change_pct === "number")
                assert.ok(
                    Math.abs(parseFloat(percent) - change.change_pct) <= 0.0501,
                    metric + ": " + percent,
                );
        });
    });
}

/* No number reaches into the next cell, in a narrow window either. */
async function testNarrow(page) {
    for (const width of [1300, 800]) {
        await page.look({ width });
        const wide = await page.run("[...document.querySelectorAll('.compare td')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)");
        assert.deepStrictEqual(wide, [], "at " + width);
    }
    await page.look({});
}

async function testSince(page, before, after, index) {
    await page.go("details/" + index);
    const cells = await page.run(
        "[...document.querySelectorAll('.since')].map((cell) => [cell.previousSibling.dataset.metric, cell.textContent])",
    );
    assert.ok(cells.length > 20);
    const numbers = (report) => {
        const one = ["-s", String(index), "-c", "1"];
        const [launch] = JSON.parse(warplens("show", report, "--page", "details", "--json", ...one)).launches;
        return new Map(launch.sections.flatMap((section) => section.metrics.map((metric) => [metric.name, metric.value])));
    };
    const old = numbers(before),
        now = numbers(after);
    for (const [metric, text] of cells) {
        if (old.get(metric) === now.get(metric)) assert.strictEqual(text, "same", metric);
        else if (old.get(metric))
            assert.ok(
                Math.abs(parseFloat(text) - 100 * (now.get(metric) / old.get(metric) - 1)) <= 0.0501,
                metric + ": " + text,
            );
    }
}

async function testAdvice(page, advice) {
    await page.go("advice");
    const shown =
        await page.run(`[...document.querySelectorAll(".finding")].map((card) => ({ title: card.querySelector(".title").textContent, todo: card.querySelector(".todo").textContent,
        gain: card.querySelector(".gain").textContent, evidence: [...card.querySelectorAll(".evidence li")].map((item) => item.textContent) }))`);
    assert.ok(advice.findings.length > 0);
    assert.deepStrictEqual(
        shown.map((card) => card.title),
        advice.findings.map((finding) => finding.title),
    );
    advice.findings.forEach((finding, i) => {
        assert.strictEqual(shown[i].todo, finding.advice);
        if (finding.gain)
            assert.ok(
                shown[i].gain.startsWith(
                    "saves " +
                        Math.round(100 * finding.gain.saved) +
                        "% (" +
                        finding.gain.factor.toFixed(2) +
                        "×)",
                ),
                shown[i].gain,
            );
        assert.strictEqual(shown[i].evidence.length, finding.evidence.length);
        finding.evidence.forEach((evidence, j) => {
            const [metric, rest] = shown[i].evidence[j].split(" = ");
            assert.strictEqual(metric, evidence.metric);
            if (typeof evidence.value === "number") read(rest, evidence.value, metric);
        });
    });
}

/* The details of a launch list what the rules found in it. */
async function testFindings(page, advice) {
    const launch = advice.findings.find((finding) => finding.launch !== null).launch;
    await page.go("details/" + launch);
    const linked = await page.run(
        "[...document.querySelectorAll('.findings-list a.badge')].map((link) => Number(link.hash.slice(8)))",
    );
    const { kernel_name: kernel } = await page.run(
        `warplens.launches().find((each) => each.id === ${launch})`,
    );
    const wanted = advice.findings.filter(
        (finding) => finding.launch === launch || (finding.launches > 1 && finding.kernel === kernel),
    );
    assert.deepStrictEqual(
        linked,
        wanted.map((finding) => finding.number),
    );
}

test(async (browser, folder) => {
    const base = makeReport("more", folder),
        report = makeReport("some", folder),
        file = path.join(folder, "some.html");
    warplens("export", report, "--html", file, "--baseline", base);
    const page = await browser.page(file + "#compare");
    await testNarrow(page);
    await testCompare(page, JSON.parse(warplens("diff", base, report, "--json")).comparisons[0]);
    await testSince(page, base, report, 145);
    const advice = JSON.parse(warplens("show", report, "--page", "advice", "--json"));
    await testAdvice(page, advice);
    await testFindings(page, advice);
    assert.deepStrictEqual(page.problems, []);
});
