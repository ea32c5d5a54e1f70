/* The page as a window of the workbench (`warplens ui`): it brings its data from the server, follows what happens there,
 * and asks for runs. Without a server nothing of it is used. */
warplens.workbench = (() => {
    const { h } = warplens;
    const stored = "warplens-key";
    const shown = { run: 0, base: 0, isFollowing: true };
    let key = null,
        state = { runs: [] },
        begin = null,
        bar = null;

    /* ---- the server ---- */

    function headers() {
        return { Authorization: "Bearer " + key };
    }

    async function ask(path, options = {}) {
        const answer = await fetch(path, { ...options, headers: headers(), cache: "no-store" });
        if (!answer.ok) throw new Error(await answer.text());
        return answer;
    }

    function query() {
        return "?run=" + shown.run + "&base=" + (shown.base === shown.run ? 0 : shown.base);
    }

    async function section(name) {
        try {
            return await (await ask("/data/" + name + query())).json();
        } catch (failure) {
            say(failure.message);
            return { data: null, definitions: {} };
        }
    }

    async function wish(name, body, run) {
        await ask("/do/" + name + (run === undefined ? "" : "?run=" + run), { method: "POST", body });
    }

    /* The token of the address is good once, for a key that this window keeps. */
    async function enter() {
        const token = /^#token=([0-9a-f]+)/.exec(location.hash);
        if (token) {
            history.replaceState(null, "", location.pathname);
            const answer = await fetch("/session", { method: "POST", body: token[1] });
            if (answer.ok) sessionStorage.setItem(stored, await answer.text());
        }
        key = sessionStorage.getItem(stored);
        if (!key || !(await fetch("/state", { headers: headers() })).ok) {
            document
                .getElementById("main")
                .replaceChildren(
                    h(
                        "p",
                        { class: "note" },
                        "This window has no key: open the address that `warplens ui` printed last on its terminal.",
                    ),
                );
            document.documentElement.dataset.ready = "yes";
            return false;
        }
        return true;
    }

    /* Events of the server, from a stream that may be cut anywhere. */
    async function follow() {
        for (;;) {
            try {
                const reader = (await ask("/events")).body.pipeThrough(new TextDecoderStream()).getReader();
                let rest = "";
                for (;;) {
                    const { value, done } = await reader.read();
                    if (done) break;
                    const events = (rest + value).split("\n\n");
                    rest = events.pop();
                    const last = events.filter((event) => event.startsWith("data: ")).pop();
                    if (last) await take(JSON.parse(last.slice(6)));
                }
            } catch (failure) {
                say("The workbench does not answer: " + failure.message);
            }
            await new Promise((done) => setTimeout(done, 1000));
        }
    }

    /* ---- what it shows ---- */

    function say(text) {
        if (bar) bar.message.textContent = text || "";
    }

    function amount(number) {
        return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(number);
    }

    function tellPhase() {
        const { progress, phase } = state;
        if (phase === "idle") return "";
        if (!progress) return phase + " …";
        const { kernel, done, total, instructions, instructions_total, rate, left_s } = progress;
        return (
            kernel +
            ": " +
            Math.round((100 * done) / total) +
            " %, " +
            amount(instructions) +
            (instructions_total > 0 ? " of about " + amount(instructions_total) : "") +
            " instructions" +
            (rate > 0 ? ", " + amount(rate) + " a second" : "") +
            (rate > 0 && instructions_total > 0 ? ", " + left_s.toFixed(0) + " s left" : "")
        );
    }

    function options(select, own, empty) {
        select.replaceChildren(
            ...(empty ? [h("option", { value: 0, selected: own === 0 }, empty)] : []),
            ...state.runs.map((run) =>
                h(
                    "option",
                    { value: run.number, selected: run.number === own },
                    run.number + ": " + run.name + (run.note === "opened" ? "" : " (" + run.note + ")"),
                ),
            ),
        );
    }

    function update() {
        const isIdle = state.phase === "idle";
        options(bar.runs, shown.run);
        options(bar.bases, shown.base, "no baseline");
        bar.run.hidden = !state.program;
        bar.run.disabled = !isIdle;
        bar.arguments.hidden = !state.program;
        bar.arguments.disabled = !isIdle;
        bar.arguments.textContent = state.program ? warplens.runArguments.join(state.program) + " …" : "";
        bar.cancel.hidden = isIdle;
        bar.exporting.disabled = !shown.run;
        bar.phase.textContent = tellPhase();
        say(state.message);
    }

    /* Shows the chosen run again. */
    async function reload() {
        warplens.forget();
        warplens.timelineModel.forget();
        document.documentElement.dataset.run = shown.run;
        document.documentElement.dataset.ready = "no";
        await begin();
        document.documentElement.dataset.shown = shown.run + "/" + shown.base;
    }

    async function take(next) {
        const before = state.runs.length,
            baseBefore = state.baseline;
        state = next;
        const isNew = state.runs.length !== before && (shown.isFollowing || !shown.run);
        const isOther = state.baseline !== undefined && state.baseline !== baseBefore;
        if (isNew) shown.run = state.runs.length;
        if (isOther) shown.base = state.baseline;
        update();
        if (shown.run && (isNew || isOther)) await reload();
        else if (!shown.run && state.phase === "idle" && !state.message) say("Nothing was run yet: press r.");
    }

    /* ---- what can be done ---- */

    async function chooseRun(number) {
        shown.run = number;
        shown.isFollowing = number === state.runs.length;
        await reload();
    }

    function runAgain() {
        if (state.program && state.phase === "idle") wish("run");
    }

    function canRun() {
        return Boolean(state.program);
    }

    /* The program once more, with a what-if of these causes together. */
    function simulate(ids) {
        if (state.program && state.phase === "idle") wish("whatif", ids);
    }

    /* Other arguments, after they were read once more. */
    function editArguments() {
        if (!state.program || state.phase !== "idle") return;
        const [program, ...words] = state.program;
        warplens.runArguments.edit(program, words, (next) => wish("run", JSON.stringify(next)));
    }

    async function exportPage() {
        const run = state.runs[shown.run - 1];
        say("Exporting …");
        const bytes = await (await ask("/export" + query())).blob();
        const link = h("a", {
            href: URL.createObjectURL(bytes),
            download: run.name.replace(/\.wlr$/, "") + ".html",
        });
        link.click();
        say("");
    }

    function makeBar() {
        const parts = {
            run: h("button", { class: "run", onclick: runAgain, title: "r" }, "Run again"),
            arguments: h("button", { class: "arguments", onclick: editArguments, title: "a: other arguments", "aria-label": "Other arguments", hidden: true }),
            cancel: h("button", { class: "cancel", onclick: () => wish("cancel"), hidden: true }, "Cancel"),
            runs: h("select", { "aria-label": "Run", onchange: () => chooseRun(Number(parts.runs.value)) }),
            bases: h("select", {
                "aria-label": "Baseline",
                onchange: () => wish("baseline", undefined, Number(parts.bases.value)),
            }),
            exporting: h("button", { onclick: exportPage, title: "x" }, "Export"),
            phase: h("span", { class: "count phase", role: "status" }),
            message: h("pre", { class: "message", role: "alert" }),
        };
        bar = parts;
        document
            .querySelector("header")
            .append(
                h(
                    "div",
                    { class: "bar workbench" },
                    parts.run,
                    parts.arguments,
                    parts.cancel,
                    h("label", {}, "Run ", parts.runs),
                    h("label", {}, "against ", parts.bases),
                    parts.exporting,
                    parts.phase,
                    parts.message,
                ),
            );
    }

    const keys = {
        r: ["run again", runAgain],
        a: ["run with other arguments", editArguments],
        b: ["this run is the baseline", () => wish("baseline", undefined, shown.run)],
        x: ["export this page", () => shown.run && exportPage()],
    };

    async function start(show) {
        begin = show;
        if (!(await enter())) return;
        makeBar();
        state = { runs: [], phase: "idle" };
        document.documentElement.dataset.entered = "yes";
        follow();
    }

    return { start, section, shown, canRun, simulate, runs: () => state.runs, keys: warplens.isServed ? keys : {} };
})();
