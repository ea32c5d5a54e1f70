/* The arguments panel: other arguments are shown word by word before they run, only after that, and only as arguments of the
 * program of the command line. */
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const { test, workbench, until } = require("./browser.js");

/* Writes what it was given, a line each, and adds one number on the GPU. */
const program = `#include <cstdio>
__global__ void add(int *number) { *number += 1; }
int main(int count, char **words)
{
    FILE *file = fopen("words.txt", "w");
    for (int i = 0; i < count; i++) fprintf(file, "[%s]\\n", words[i]);
    fclose(file);
    int *number;
    cudaMalloc(&number, sizeof *number);
    add<<<1, 1>>>(number);
    return cudaDeviceSynchronize();
}
`;

const write = (text) =>
    `(() => { const field = document.querySelector("dialog.arguments textarea"); field.value = ${JSON.stringify(text)}; field.dispatchEvent(new Event("input")); })()`;
const words = "[...document.querySelectorAll('dialog.arguments .words li')].map((each) => each.textContent)";
const press = (text) => `[...document.querySelectorAll("dialog.arguments button")].find((each) => each.textContent === "${text}").click()`;
const isOver = "document.querySelector('dialog.arguments') === null";

async function open(page) {
    await page.run("document.activeElement.blur()");
    await page.press("a");
    await until(page, "document.querySelector('dialog.arguments[open]') !== null", "the panel");
}

async function play(browser, folder) {
    const given = () => fs.readFileSync(path.join(folder, "words.txt"), "utf8").split("\n").slice(1, -1);
    const bench = workbench(folder, "--no-watch", "--output", "runs", "--", "./app", "first", "two words");
    try {
        const page = await browser.page(await bench.next());
        await until(page, "document.documentElement.dataset.shown === '1/0'", "run 1");
        assert.deepStrictEqual(given(), ["[first]", "[two words]"]);
        assert.strictEqual(await page.run("document.querySelector('button.arguments').textContent"), "./app first 'two words' …");
        await open(page);
        assert.deepStrictEqual(await page.run(words), ["first", "two words"]);
        /* a quote that is not closed cannot be run, Cancel runs nothing */
        await page.run(write("first 'two"));
        assert.ok(await page.run("document.querySelector('dialog.arguments .run').disabled"));
        await page.run(write("never"));
        await page.run(press("Cancel"));
        await until(page, isOver);
        /* words as a shell would split them, which no shell sees */
        await open(page);
        await page.run(write(`1 "a b" '' c\\ d 'it'\\''s' $HOME * ; touch hacked "x\\"y"`));
        assert.deepStrictEqual(await page.run(words), ["1", "a b", "(empty)", "c d", "it's", "$HOME", "*", ";", "touch", "hacked", 'x"y']);
        await page.run(press("Run this"));
        await until(page, "document.documentElement.dataset.shown === '2/0'", "run 2");
        const wanted = ["[1]", "[a b]", "[]", "[c d]", "[it's]", "[$HOME]", "[*]", "[;]", "[touch]", "[hacked]", '[x"y]'];
        assert.deepStrictEqual(given(), wanted);
        assert.ok(!fs.existsSync(path.join(folder, "hacked")));
        assert.match(await page.run("document.querySelector('select[aria-label=Run]').selectedOptions[0].textContent"), /arguments 1 a b/);
        /* they stay for the next run */
        await page.run("document.activeElement.blur()");
        await page.press("r");
        await until(page, "document.documentElement.dataset.shown === '3/0'", "run 3");
        assert.deepStrictEqual(given(), wanted);
        /* what is no list of texts runs nothing */
        for (const body of ['{"0": "x"}', "[1]", "sh", '["x", null]']) {
            await page.run(`fetch("/do/run", { method: "POST", body: ${JSON.stringify(body)}, headers: { Authorization: "Bearer " + sessionStorage.getItem("warplens-key") } })`);
            await until(page, "document.querySelector('.message').textContent.includes('JSON array')", "a refusal of " + body);
        }
        assert.strictEqual(await page.run("document.querySelectorAll('select[aria-label=Run] option').length"), 3);
        if (process.env.WL_SHOT) {
            await open(page);
            await page.shot(process.env.WL_SHOT);
        }
        assert.deepStrictEqual(page.problems, []);
    } finally {
        assert.strictEqual(await bench.stop(), 0, bench.text());
    }
}

test(async (browser, folder) => {
    fs.writeFileSync(path.join(folder, "app.cu"), program);
    const built = spawnSync(process.env.WARPLENS, ["cc", "app.cu", "-o", "app"], { cwd: folder, encoding: "utf8" });
    if (built.status !== 0) {
        console.log("skipped: no compiler for CUDA: " + built.stderr.split("\n")[0]);
        return 77;
    }
    await play(browser, folder);
    return 0;
});
