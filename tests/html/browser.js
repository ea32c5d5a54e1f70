/* Chromium without a window, spoken to over a pipe (--remote-debugging-pipe): no package is needed.
 *
 *   const browser = await open();
 *   const page = await browser.page(path + "#launches");   // waits until it is ready
 *   await page.run("document.title");
 *   await page.look({ dark: true });                       // the options of browser.page(), for the page that is open
 *   page.problems                                          // errors of the console, exceptions
 *   page.opened_ms, page.busy_ms                           // until it was ready; time of a processor that its
 *                                                          // main thread took for that
 *   await reference(browser)                               // such a time for a fixed piece of work, to compare with
 *   await browser.close();
 */
"use strict";
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { pathToFileURL } = require("url");

const skipped = 77;
/* The first has no window to draw, and takes a third of a processor's time to start. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const patience_ms = Number(process.env.WL_PATIENCE_MS) || 60000;

function find() {
    for (const name of names)
        for (const folder of (process.env.PATH || "").split(":"))
            if (fs.existsSync(path.join(folder, name))) return name;
    console.log("skipped: there is no chromium (Debian package chromium-headless-shell or chromium)");
    process.exit(skipped);
}

async function open() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wl-browser-"));
    const name = find();
    const child = spawn(
        name,
        [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-extensions",
            // processes take longer to start and to talk to than pages to open: the shell needs none but its own
            ...(name === names[0] ? ["--single-process", "--no-zygote"] : ["--renderer-process-limit=1"]),
            "--remote-debugging-pipe",
            "--user-data-dir=" + folder,
            "about:blank",
        ],
        { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
    );
    /* Debian's is a shell script that starts the browser: the group that they lead is killed, not its first alone. */
    const kill = () => {
        try {
            process.kill(-child.pid, "SIGKILL");
        } catch {
            /* it has ended by itself */
        }
    };
    const waiting = new Map(),
        listeners = [];
    let number = 0,
        rest = "";
    const giveUp = (what) => {
        console.log(what);
        kill();
        process.exit(1);
    };
    const send = (method, params = {}, sessionId = undefined) =>
        new Promise((resolve, reject) => {
            const limit = setTimeout(() => giveUp("the browser does not answer " + method), patience_ms);
            waiting.set(++number, { resolve, reject, method, limit });
            child.stdio[3].write(JSON.stringify({ id: number, method, params, sessionId }) + "\0");
        });
    child.stdio[4].setEncoding("utf8");
    child.stdio[4].on("data", (data) => {
        const messages = (rest + data).split("\0");
        rest = messages.pop();
        for (const message of messages.map((text) => JSON.parse(text))) {
            const call = waiting.get(message.id);
            waiting.delete(message.id);
            if (call) clearTimeout(call.limit);
            if (!call) listeners.forEach((listener) => listener(message));
            else if (message.error) call.reject(new Error(call.method + ": " + message.error.message));
            else call.resolve(message.result);
        }
    });

    /* options: {width, height, dark, media}. Waits until the page says that it is ready. */
    async function page(file, options = {}) {
        const { targetId } = await send("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
        const problems = [],
            requests = [];
        listeners.push((message) => {
            if (message.sessionId !== sessionId) return;
            const { method, params } = message;
            if (method === "Runtime.exceptionThrown")
                problems.push(
                    params.exceptionDetails.exception
                        ? params.exceptionDetails.exception.description
                        : params.exceptionDetails.text,
                );
            if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
                problems.push(params.args.map((each) => each.value || each.description).join(" "));
            if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
                problems.push(params.entry.text);
            if (method === "Network.requestWillBeSent") requests.push(params.request.url);
        });
        const call = (method, params) => send(method, params, sessionId);
        const run = async (expression) => {
            const answer = await call("Runtime.evaluate", {
                expression,
                returnByValue: true,
                awaitPromise: true,
            });
            if (answer.exceptionDetails)
                throw new Error(
                    answer.exceptionDetails.exception
                        ? answer.exceptionDetails.exception.description
                        : answer.exceptionDetails.text,
                );
            return answer.result.value;
        };
        for (const domain of ["Runtime", "Log", "Network", "Page"]) await call(domain + ".enable");
        await call("Performance.enable", { timeDomain: "threadTicks" });
        /* The window and what the page is told to look like, before it opens or later; options that are not there are the usual. */
        const look = async (options) => {
            await call("Emulation.setDeviceMetricsOverride", {
                width: options.width || 1300,
                height: options.height || 900,
                deviceScaleFactor: 1,
                mobile: false,
            });
            await call("Emulation.setEmulatedMedia", {
                media: options.media || "",
                features: [{ name: "prefers-color-scheme", value: options.dark ? "dark" : "light" }],
            });
        };
        await look(options);
        const [name, hash] = file.split("#");
        const url = name.startsWith("http:") ? name : pathToFileURL(name).href;
        const begun = process.hrtime.bigint();
        await call("Page.navigate", { url: url + (hash ? "#" + hash : "") });
        while (
            !(await run(
                "document.readyState === 'complete' && document.documentElement.dataset.ready === 'yes'",
            ))
        ) {
            if (process.hrtime.bigint() - begun > BigInt(patience_ms) * 1000000n) giveUp("a page is never ready: " + problems.join("; "));
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
        const opened_ms = Number(process.hrtime.bigint() - begun) / 1e6;
        const busy = async () => {
            const { metrics } = await call("Performance.getMetrics");
            return 1000 * metrics.find((each) => each.name === "TaskDuration").value;
        };
        const busy_ms = await busy();
        const go = (address) =>
            run(
                "new Promise((done) => { if (location.hash === " +
                    JSON.stringify("#" + address) +
                    ") return done();" +
                    " addEventListener('hashchange', () => requestAnimationFrame(() => done()), {once: true});" +
                    " location.hash = " +
                    JSON.stringify("#" + address) +
                    "; })",
            );
        const press = async (key) => {
            const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
            await call("Input.dispatchKeyEvent", { type: "keyDown", key, text });
            await call("Input.dispatchKeyEvent", { type: "keyUp", key });
        };
        const shot = async (file) =>
            fs.writeFileSync(
                file,
                Buffer.from(
                    (await call("Page.captureScreenshot", { captureBeyondViewport: true })).data,
                    "base64",
                ),
            );
        const close = () => send("Target.closeTarget", { targetId });
        return { run, go, look, press, shot, call, close, busy, problems, requests, opened_ms, busy_ms };
    }

    /* Killed, not asked to go: nothing of it is kept, and a browser of one process can hang while it takes itself down. */
    async function close() {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        waiting.forEach((call) => clearTimeout(call.limit));
        kill();
        if (child.exitCode === null && child.signalCode === null) await gone;
        fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }

    return { page, close };
}

/* Runs `warplens ...`; gives what it printed on stdout. */
function warplens(...words) {
    const result = spawnSync(process.env.WARPLENS, words, { encoding: "utf8", maxBuffer: 1 << 30 });
    if (result.status !== 0) throw new Error("warplens " + words.join(" ") + ": " + result.stderr);
    return result.stdout;
}

/* Runs one test program: body gets an open browser and a folder that is removed afterwards. */
async function test(body) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wl-html-"));
    const browser = await open();
    let status = 0;
    try {
        status = (await body(browser, folder)) || 0;
    } catch (failure) {
        console.log(failure.stack);
        status = 1;
    }
    await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
    process.exitCode = status;
}

/* Milliseconds of a processor that this browser takes here and now to sort a million numbers: what the time of
 * a page is compared with, so that neither the machine nor what else runs on it matters. */
async function reference(browser) {
    const file = path.join(os.tmpdir(), "wl-reference-" + process.pid + ".html");
    fs.writeFileSync(file, "<!DOCTYPE html><html data-ready=yes><title>reference</title></html>");
    const page = await browser.page(file);
    fs.rmSync(file);
    const before = await page.busy();
    await page.run(
        "(() => { let seed = 1; const numbers = new Float64Array(1000000);" +
            " for (let i = 0; i < numbers.length; i++) numbers[i] = seed = (seed * 16807) % 2147483647;" +
            " return numbers.sort()[0]; })()",
    );
    const taken = (await page.busy()) - before;
    await page.close();
    return taken;
}

/* What reports.sh has made once for all tests, if it is among that; undefined else. */
function ready(name) {
    const file = path.join(process.env.REPORTS || "", name);
    return process.env.REPORTS && fs.existsSync(file) ? file : undefined;
}

/* Makes a report by tests/html/make_reports.c, if it is not there already; gives its path. */
function makeReport(kind, folder) {
    if (ready(kind + ".wlr")) return ready(kind + ".wlr");
    const made = spawnSync(process.env.MAKE_REPORTS, [kind, folder], { encoding: "utf8" });
    if (made.status !== 0) throw new Error("make_reports " + kind + ": " + made.stderr);
    return path.join(folder, kind + ".wlr");
}

/* The same, and its page; gives their paths. */
function make(kind, folder, ...options) {
    const report = makeReport(kind, folder),
        page = path.join(folder, kind + ".html");
    if (!options.length && ready(kind + ".html")) return { report, page: ready(kind + ".html") };
    warplens("export", report, "--html", page, ...options);
    return { report, page };
}

/* The details of a report as JSON. */
function details(report) {
    const file = ready(path.basename(report, ".wlr") + ".details.json");
    return JSON.parse(file ? fs.readFileSync(file, "utf8") : warplens("show", report, "--page", "details", "--json"));
}

/* Starts `warplens ui ...` in a folder; gives its child process, next(): its next address, and text(): all that it said. */
function workbench(folder, ...words) {
    const child = spawn(process.env.WARPLENS, ["ui", "--no-open", ...words], { cwd: folder });
    let said = "",
        taken = 0;
    child.stderr.setEncoding("utf8").on("data", (data) => (said += data));
    child.stdout.resume();
    const next = async () => {
        for (let waited = 0; waited < patience_ms; waited += 20) {
            const all = said.match(/http:\/\/\S+/g) || [];
            if (all.length > taken) return all[taken++];
            if (child.exitCode !== null) break;
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        throw new Error("the workbench says no address: " + said);
    };
    const stop = () =>
        new Promise((resolve) => {
            if (child.exitCode !== null) return resolve(child.exitCode);
            child.once("exit", resolve);
            child.kill("SIGTERM");
        });
    return { child, next, stop, text: () => said };
}

/* Waits until timers of up to delay_ms that the page has set are over, and then until it has drawn twice: after that also on
 * a busy machine nothing is left to be done, as a page's timers run in their order. */
function settle(page, delay_ms) {
    return page.run(`new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))), ${delay_ms}))`);
}

/* Waits until the expression is true in the page. */
async function until(page, expression, what) {
    const begun = Date.now();
    while (!(await page.run(expression))) {
        if (Date.now() - begun > patience_ms)
            throw new Error("never " + (what || expression) + "; the page says: " + (await page.run("document.body.innerText.slice(0, 2000)")));
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

module.exports = { workbench, settle, until, open, test, make, makeReport, details, warplens, reference };
