/* The source page: every number of lines and instructions is the report's, hottest lines come in order,
 * lines and instructions find each other. */
"use strict";
const assert = require("assert");
const { test, make, settle, until, warplens } = require("./browser.js");

const steps = 10; // so many of the hottest lines are visited
const read = `[...document.querySelectorAll(".values [data-column]")].map((node) => [node.dataset.column, Number(node.dataset.value)])`;

test(async (browser, folder) => {
    const { report, page: file } = make("long", folder);
    const source = JSON.parse(warplens("show", report, "--page", "source", "--json")).launches[0].source;
    const page = await browser.page(file + "#source/0");
    const heat = await page.run("document.querySelector('select[aria-label=Metric]').value");
    /* all states, without those that are samples given twice */
    assert.strictEqual(heat, "smsp__pcsamp_warps_issue_stalled");
    assert.strictEqual(source.totals[heat], source.totals[heat + "_wait"] + source.totals[heat + "_barrier"]);
    const ranked = source.lines
        .filter((line) => line.values[heat])
        .sort((a, b) => b.values[heat] - a.values[heat] || a.line - b.line);
    await settle(page, 50);
    for (const line of ranked.slice(0, steps)) {
        assert.strictEqual(
            await page.run("document.querySelector('.values h2').textContent"),
            "Line " + line.line,
        );
        const wanted = Object.entries(line.values).filter(([, value]) => value);
        assert.deepStrictEqual(new Map(await page.run(read)), new Map(wanted));
        const row = await page.run(
            "[...document.querySelectorAll('.row.chosen')].map((row) => row.querySelector('.text').textContent)",
        );
        assert.strictEqual(row[0], line.text);
        assert.deepStrictEqual(
            row.slice(1),
            line.instructions.map((instruction) => instruction.text),
        );
        const shown = await page.run("document.querySelector('.row.chosen .amount').textContent");
        assert.strictEqual(Number(shown.replace(/,/g, "")), line.values[heat]);
        await page.press("n");
    }
    await page.press("p");
    assert.strictEqual(
        await page.run("document.querySelector('.values h2').textContent"),
        "Line " + ranked[steps - 1].line,
    );
    for (const line of ranked.slice(0, 2)) {
        const instruction = line.instructions[2];
        await page.run(
            `location.hash = "#source/0/" + encodeURIComponent(${JSON.stringify(line.file)}) + "/${line.line}"`,
        );
        await settle(page, 100);
        await page.run(`document.querySelector('[data-instruction="${instruction.index}"]').click()`);
        assert.deepStrictEqual(
            new Map(await page.run(read)),
            new Map(Object.entries(instruction.values).filter(([, value]) => value)),
        );
        assert.strictEqual(
            await page.run("document.querySelector('.row.chosen[data-line]').dataset.line"),
            String(line.line),
        );
    }
    /* another metric */
    const other = source.columns
        .map((column) => column.name)
        .find((name) => name !== heat && source.totals[name]);
    await page.run(
        `(() => { const select = document.querySelector("select[aria-label=Metric]"); select.value = ${JSON.stringify(other)}; select.dispatchEvent(new Event("change")); })()`,
    );
    await page.press("n");
    const first = source.lines
        .filter((line) => line.values[other])
        .sort((a, b) => b.values[other] - a.values[other] || a.line - b.line)[0];
    assert.strictEqual(
        await page.run("document.querySelector('.values h2').textContent"),
        "Line " + first.line,
    );
    /* a further column, which the address keeps as it does the line */
    await page.run(
        `(() => { const box = document.querySelector(".columns input[value='${heat}']"); box.checked = true; box.dispatchEvent(new Event("change")); })()`,
    );
    await until(page, `document.querySelector('.code [data-line="${first.line}"]') !== null`, "rows with another column");
    await page.run(`document.querySelector('.code [data-line="${first.line}"]').click()`);
    assert.strictEqual(
        Number((await page.run("document.querySelector('.row.chosen .extra').textContent")).replace(/,/g, "")),
        first.values[heat] || 0,
    );
    const kept = await page.run("location.hash");
    assert.match(kept, new RegExp("/" + first.line + "\\?.*columns=" + heat));
    const again = await browser.page(file + kept);
    await until(again, "document.querySelector('.row.chosen .extra') !== null", "the line of the address");
    assert.strictEqual(
        await again.run("document.querySelector('.values h2').textContent + document.querySelector('.row.chosen .extra').textContent"),
        await page.run("document.querySelector('.values h2').textContent + document.querySelector('.row.chosen .extra').textContent"),
    );
    assert.strictEqual(await again.run("document.querySelector('select[aria-label=Metric]').value"), other);
    await again.close();
    await page.run(
        `(() => { const box = document.querySelector(".columns input[value='${heat}']"); box.checked = false; box.dispatchEvent(new Event("change")); })()`,
    );
    await until(page, `document.querySelector('.code [data-line="${first.line}"]') !== null`, "rows without it");
    await page.run(`document.querySelector('.code [data-line="${first.line}"]').click()`);
    /* arrows in a pane, hottest instructions */
    await page.run("document.querySelector('.code').focus()");
    await page.press("ArrowDown");
    const after = source.lines[source.lines.indexOf(first) + 1];
    assert.strictEqual(
        await page.run("document.querySelector('.values h2').textContent"),
        "Line " + after.line,
    );
    await page.run("document.querySelectorAll('.code')[1].focus()");
    await page.press("ArrowUp");
    const before = after.instructions[0].index - 1;
    assert.strictEqual(await page.run("document.querySelector('.values h2').textContent"), "PTX " + before);
    await page.run(
        `(() => { const select = document.querySelector("select[aria-label=Panes]"); select.value = "code"; select.dispatchEvent(new Event("change")); })()`,
    );
    await page.run("document.activeElement.blur()");
    await page.press("n");
    const hottest = source.lines
        .flatMap((line) => line.instructions)
        .sort((a, b) => b.values[other] - a.values[other] || a.index - b.index)[0];
    assert.strictEqual(
        await page.run("document.querySelector('.values h2').textContent"),
        "PTX " + hottest.index,
    );
    /* finding text */
    await page.press("/");
    await page.run("document.activeElement.value = 'line 4321'");
    await page.press("Enter");
    assert.strictEqual(await page.run("document.querySelector('.row.chosen').dataset.line"), "4321");
    /* on paper: the hottest lines, in order of the source */
    await page.call("Emulation.setEmulatedMedia", { media: "print" });
    assert.strictEqual(await page.run("getComputedStyle(document.querySelector('.panes')).display"), "none");
    const printed = await page.run(
        "[...document.querySelectorAll('.paper .place')].map((node) => Number(node.textContent))",
    );
    const wanted = source.lines
        .filter((line) => line.values[other])
        .sort((a, b) => b.values[other] - a.values[other] || a.line - b.line)
        .slice(0, 80);
    assert.deepStrictEqual(
        printed,
        wanted.map((line) => line.line).sort((a, b) => a - b),
    );
    assert.deepStrictEqual(page.problems, []);
});
