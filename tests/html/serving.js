/* Who may ask the workbench: other names for this machine, other pages, wrong tokens, paths that lead out, clients that are
 * slow, and a hundred streams. */
"use strict";
const assert = require("assert");
const http = require("http");
const net = require("net");
const { spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { workbench } = require("./browser.js");

const streams = 100;

/* {status, body} of a request; headers may lie. */
function ask(port, method, url, headers = {}, body = "") {
    return new Promise((resolve, reject) => {
        const request = http.request({ host: "127.0.0.1", port, method, path: url, headers, agent: false }, (answer) => {
            let text = "";
            answer.setEncoding("utf8").on("data", (data) => (text += data));
            answer.on("end", () => resolve({ status: answer.statusCode, body: text, headers: answer.headers }));
        });
        request.on("error", reject);
        request.end(body);
    });
}

async function testNames(port, key) {
    const own = { Authorization: "Bearer " + key };
    for (const host of ["evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port, "localhost.evil.example"]) {
        for (const url of ["/", "/state", "/data/session?run=1"])
            assert.strictEqual((await ask(port, "GET", url, { ...own, Host: host })).status, 403, host + url);
        assert.strictEqual((await ask(port, "POST", "/do/run", { ...own, Host: host })).status, 403);
    }
    for (const host of ["localhost:" + port, "localhost:9", "127.0.0.1"])
        assert.strictEqual((await ask(port, "GET", "/state", { ...own, Host: host })).status, 200, host);
}

async function testOrigins(port, key) {
    const own = { Authorization: "Bearer " + key, Host: "127.0.0.1:" + port };
    for (const Origin of ["http://evil.example", "null", "https://127.0.0.1:" + port, "http://127.0.0.1:1"])
        for (const [method, url] of [["GET", "/state"], ["POST", "/do/run"], ["POST", "/session"]])
            assert.strictEqual((await ask(port, method, url, { ...own, Origin })).status, 403, Origin + url);
    assert.strictEqual((await ask(port, "GET", "/state", { ...own, "Sec-Fetch-Site": "cross-site" })).status, 403);
    const same = await ask(port, "GET", "/state", { ...own, Origin: "http://127.0.0.1:" + port });
    assert.strictEqual(same.status, 200);
    assert.strictEqual(same.headers["access-control-allow-origin"], undefined);
    const before = await ask(port, "OPTIONS", "/state", { ...own, Origin: "http://127.0.0.1:" + port });
    assert.strictEqual(before.status, 404);
}

async function testSecrets(port, key, used) {
    for (const body of [used, "", "0".repeat(32), "x".repeat(3000)])
        assert.strictEqual((await ask(port, "POST", "/session", {}, body)).status, 403, body);
    assert.strictEqual((await ask(port, "POST", "/session", {}, "x".repeat(100000))).status, 413);
    for (const Authorization of ["", "Bearer", "Bearer " + "0".repeat(32), "Basic " + key, "Bearer " + key + "0"])
        for (const url of ["/state", "/events", "/data/session?run=1", "/export?run=1"])
            assert.strictEqual((await ask(port, "GET", url, { Authorization })).status, 403, url);
    const shell = await ask(port, "GET", "/");
    assert.ok(!shell.body.includes(key) && shell.body.includes("data-served"));
}

async function testPaths(port, key) {
    const own = { Authorization: "Bearer " + key };
    for (const url of [
        "/../../etc/passwd",
        "/data/../../etc/passwd?run=1",
        "/data/%2e%2e%2fetc%2fpasswd?run=1",
        "/data//etc/passwd?run=1",
        "/data/session%00?run=2",
        "/data/nothing?run=1",
        "/data/session?run=99",
        "/data/session?run=-1",
        "/data/session",
        "/do/run",
        "/favicon.ico",
    ]) {
        const answer = await ask(port, "GET", url, own);
        assert.strictEqual(answer.status, 404, url);
        assert.ok(!answer.body.includes("root:"), url);
    }
    for (const url of ["/do/shell", "/do/", "/data/session?run=1", "/"])
        assert.strictEqual((await ask(port, "POST", url, own)).status, 404, url);
}

/* Clients that send half a request, or take nothing, keep nobody else from an answer. */
async function testSlow(port, key) {
    const slow = [];
    for (let i = 0; i < 40; i++) {
        const socket = net.connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(i % 2 ? "GET /state HTTP/1.1\r\nHost: local" : "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        if (i % 2 === 0) socket.pause();
        slow.push(socket);
    }
    const answer = await ask(port, "GET", "/state", { Authorization: "Bearer " + key });
    assert.strictEqual(answer.status, 200);
    slow.forEach((socket) => socket.destroy());
}

/* All get what is told; the hundred-and-first request is answered. */
async function testStreams(port, key) {
    const own = { Authorization: "Bearer " + key };
    const open = [];
    const first = Array.from(
        { length: streams },
        () =>
            new Promise((resolve, reject) => {
                const request = http.get({ host: "127.0.0.1", port, path: "/events", headers: own, agent: false }, (answer) => {
                    assert.strictEqual(answer.headers["content-type"], "text/event-stream");
                    const told = [];
                    answer.setEncoding("utf8").on("data", (data) => {
                        told.push(data);
                        resolve(told);
                    });
                });
                request.on("error", (failure) => (open.isOver ? null : reject(failure)));
                open.push(request);
            }),
    );
    const told = await Promise.all(first);
    assert.strictEqual((await ask(port, "POST", "/do/baseline?run=1", own)).status, 200);
    for (let i = 0; i < 5000 && !told.every((each) => each.join("").includes('"baseline":1')); i++)
        await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(told.every((each) => each.join("").includes('"baseline":1')));
    open.isOver = true;
    open.forEach((request) => request.destroy());
}

/* Only the program of the command line can be run; of a report alone none. */
async function testRuns(port, key) {
    const own = { Authorization: "Bearer " + key };
    await ask(port, "POST", "/do/run", own, '["-c", "touch hacked"]');
    await ask(port, "POST", "/do/run?program=sh", own, '["x"]');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const state = JSON.parse((await ask(port, "GET", "/state", own)).body);
    assert.strictEqual(state.phase, "idle");
    assert.strictEqual(state.runs.length, 1);
}

(async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wl-serving-"));
    const made = spawnSync(process.env.MAKE_REPORTS, ["long", folder], { encoding: "utf8" });
    assert.strictEqual(made.status, 0, made.stderr);
    const bench = workbench(folder, "long.wlr");
    try {
        const address = new URL(await bench.next()),
            port = Number(address.port),
            token = address.hash.slice("#token=".length);
        assert.strictEqual(address.hostname, "127.0.0.1");
        const entered = await ask(port, "POST", "/session", {}, token);
        assert.strictEqual(entered.status, 200);
        const key = entered.body;
        assert.notStrictEqual(new URL(await bench.next()).hash, address.hash, "the next window gets the same token");
        await testNames(port, key);
        await testOrigins(port, key);
        await testSecrets(port, key, token);
        await testPaths(port, key);
        await testSlow(port, key);
        await testStreams(port, key);
        await testRuns(port, key);
    } catch (failure) {
        console.log(failure.stack);
        process.exitCode = 1;
    }
    const status = await bench.stop();
    if (status !== 0) {
        console.log("it ends with " + status + ": " + bench.text());
        process.exitCode = 1;
    }
    fs.rmSync(folder, { recursive: true, force: true });
})();
