/* node docs/pictures/workbench.js: makes docs/pictures/workbench.png, the workbench at a step of the gemm ladder. WARPLENS
 * names the program; it needs chromium, nodejs and a compiler for CUDA. */
"use strict";
const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { test, workbench, until } = require("../../tests/html/browser.js");

const source = path.join(__dirname, "../../examples/gemm/gemm.cu");

test(async (browser, folder) => {
    fs.copyFileSync(source, path.join(folder, "gemm.cu"));
    const built = spawnSync(process.env.WARPLENS, ["cc", "gemm.cu", "-o", "gemm"], { cwd: folder, encoding: "utf8" });
    if (built.status !== 0) throw new Error(built.stderr);
    const bench = workbench(folder, "--", "./gemm", "3", "512");
    const page = await browser.page(await bench.next(), { width: 1200, height: 780 });
    await until(page, "document.documentElement.dataset.shown === '1/0'");
    await page.go("source/0");
    await until(page, "document.querySelector('.row.chosen') !== null");
    const { data } = await page.call("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(path.join(__dirname, "workbench.png"), Buffer.from(data, "base64"));
    await bench.stop();
});
