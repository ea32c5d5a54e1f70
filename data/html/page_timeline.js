/* Calls, kernels, copies and ranges of a trace over time: rows are threads and streams, in a tree by process. */
(() => {
    const { h, data, address, shownTime } = warplens;
    const { draw, time, left, lane_px, head_px, pin_px } = warplens.timelineDraw;
    const hint =
        "wheel, w and s zoom · drag, a and d move · shift and drag choose a range · a click on a call shows what it caused, on a name folds, on its pin pins · ? all keys";
    const settled_ms = 120; /* after the last move, sums and address follow */
    const choice = { foldedProcesses: new Set(), foldedRows: new Set(), pinned: [], text: "" };

    function redraw(view) {
        clearTimeout(view.settling);
        view.settling = setTimeout(() => settle(view), settled_ms);
        if (view.isWaiting) return;
        view.isWaiting = true;
        requestAnimationFrame(() => {
            view.isWaiting = false;
            if (view.canvas.isConnected) draw(view);
        });
    }

    /* What stands beside the picture follows it, and so does the address. */
    function settle(view) {
        if (!view.canvas.isConnected) return;
        const { model } = view;
        showSums(view);
        const isWhole = model.from === 0 && model.to === model.end;
        const parts = isWhole && !choice.text && firstShown(model).every((time, i) => time === [0, model.end][i]) ? [] : [Math.round(model.from), Math.round(model.to), choice.text];
        history.replaceState(null, "", address("timeline", ...parts));
        warplens.keepState({
            pin: choice.pinned.join("."),
            fold: [...choice.foldedRows].join("."),
            foldp: [...choice.foldedProcesses].join("."),
            event: view.chosen,
        });
    }

    /* ---- moving ---- */

    function showTimes(view, from, to) {
        const { model } = view;
        const length = Math.min(model.end, Math.max(10, to - from));
        model.from = Math.max(0, Math.min(from, model.end - length));
        model.to = model.from + length;
        redraw(view);
    }

    function zoom(view, factor, around) {
        const { model } = view;
        const middle = around === undefined ? (model.from + model.to) / 2 : around;
        const from = middle - (middle - model.from) * factor,
            to = middle + (model.to - middle) * factor;
        if (to - from < 10) return;
        model.from = Math.max(0, from);
        model.to = Math.min(model.end, to);
        redraw(view);
    }

    function pan(view, part) {
        const length = view.model.to - view.model.from;
        showTimes(view, view.model.from + part * length, view.model.from + part * length + length);
    }

    function eventAt(view, positionX, positionY) {
        const { model } = view;
        const lane = model.lanes.find((each) => positionY >= each.y && positionY < each.y + lane_px);
        if (!lane || positionX < left(view)) return null;
        const slack = (model.to - model.from) / (view.width - left(view));
        const at = model.firstAfter(lane, time(view, positionX) - slack);
        return at < lane.items.length && model.events.start[lane.items[at]] <= time(view, positionX) + slack
            ? lane.items[at]
            : null;
    }

    /* ---- what is said beside it ---- */

    function eventTime(model, i) {
        return model.isTimed(i) ? shownTime(model.events.length[i]) : "not known";
    }

    function describe(view, i) {
        const { events, section } = view.model;
        return (
            section.names[events.name[i]] +
            " · " +
            section.categories[events.category[i]] +
            " · " +
            (view.model.isTimed(i) ? "" : "time ") +
            eventTime(view.model, i) +
            " from " +
            shownTime(events.start[i]) +
            " · " +
            section.rows[events.row[i]].name
        );
    }

    /* The launch that a kernel on the timeline is: the same run of the same kernel, where all of them are known. */
    function launchOf(view, i) {
        const { events, section } = view.model;
        if (section.categories[events.category[i]] !== "kernel") return null;
        const name = section.names[events.name[i]];
        const own = warplens
            .launches()
            .filter((launch) => launch.kernel_name === name || launch.function === name);
        let count = 0,
            before = 0;
        for (let j = 0; j < events.start.length; j++) {
            if (events.name[j] !== events.name[i] || events.category[j] !== events.category[i]) continue;
            count++;
            before += j < i ? 1 : 0;
        }
        return own.length === count ? own[before] : own.length ? own[0] : null;
    }

    /* To the nanosecond: "4.21 s (4,207,123,456 ns)". */
    function exactTime(ns) {
        return shownTime(ns) + (ns >= 1000 ? " (" + Math.round(ns).toLocaleString("en") + " ns)" : "");
    }

    /* What is known of the bytes of a copy, a fill, or an allocation. */
    function amountFacts(events, i, category) {
        const { shownBytes } = warplens.timelineModel,
            amount = events.amount[i];
        if (category === "memory") return amount ? [["In use after it", shownBytes(amount - 1)]] : [];
        if (!amount) return [];
        const rate = events.length[i] > 0 ? ", " + shownBytes((amount / events.length[i]) * 1e9) + "/s" : "";
        return [["Bytes", amount.toLocaleString("en") + rate]];
    }

    /* A kernel's launch is known when the launches are there: of a served page, a moment later. */
    async function bringLaunches(view, chosen) {
        if (!warplens.has("launches") || warplens.launches().length) return;
        await warplens.need(["launches"]);
        if (view.chosen === chosen && view.canvas.isConnected) tell(view);
    }

    function tell(view) {
        const { chosen, model } = view;
        if (chosen !== null && warplens.isServed) bringLaunches(view, chosen);
        if (chosen === null) {
            view.panel.replaceChildren();
            return;
        }
        const { events, section } = model,
            launch = launchOf(view, chosen),
            row = section.rows[events.row[chosen]];
        const [family] = warplens.timelineColors.family(section.categories[events.category[chosen]]);
        const facts = [
            ["Kind", section.categories[events.category[chosen]] + " (" + family + ")"],
            ["Time", eventTime(model, chosen)],
            ["From", exactTime(events.start[chosen])],
            ["To", model.isTimed(chosen) ? exactTime(events.start[chosen] + events.length[chosen]) : "not known"],
            ["Row", model.process(events.row[chosen]).label + ", " + row.name],
            ["Correlation", events.correlation[chosen] || "none"],
            ...amountFacts(events, chosen, section.categories[events.category[chosen]]),
        ];
        view.panel.replaceChildren(
            h("p", { class: "facts", "aria-live": "polite" }, describe(view, chosen)),
            h(
                "table",
                { class: "metrics event" },
                h(
                    "tbody",
                    {},
                    facts.map(([name, fact]) =>
                        h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(fact))),
                    ),
                ),
            ),
            launch
                ? h(
                      "p",
                      {},
                      h("a", { href: address("details", launch.id) }, "Profile of this kernel: launch " + launch.id),
                  )
                : "",
        );
    }

    function showSums(view) {
        const { model } = view;
        const [from, to] = view.range || [model.from, model.to];
        const all = model.sums(from, to),
            most = 30;
        const headings = ["Name", "Kind", "Count", "Time", "Part"];
        const sumTime = ({ ns, count, unknown }) =>
            unknown === count ? "not known" : shownTime(ns) + (unknown ? ", " + unknown + " not known" : "");
        const row = (sum) =>
            h(
                "tr",
                { "data-ns": sum.ns, "data-count": sum.count },
                h("td", {}, h("div", { class: "clamped", title: sum.name }, sum.name)),
                h("td", { class: "kind" }, sum.category.replace(/_/g, " ")),
                h("td", { class: "number" }, sum.count.toLocaleString("en")),
                h("td", { class: "number" }, sumTime(sum)),
                h("td", { class: "number" }, ((100 * sum.ns) / (to - from)).toFixed(1) + " %"),
            );
        view.table.replaceChildren(
            h(
                "p",
                { class: "count sums" },
                (view.range ? "Chosen: " : "Shown: ") +
                    shownTime(to - from) +
                    " from " +
                    exactTime(from) +
                    (to - from < model.end ? ", of " + shownTime(model.end) + " in all" : ""),
            ),
            h(
                "table",
                { class: "metrics sums-table" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        headings.map((title, i) =>
                            h("th", { scope: "col", class: i > 1 ? "number" : null }, title),
                        ),
                    ),
                ),
                h("tbody", {}, all.slice(0, most).map(row)),
            ),
            all.length > most ? h("p", { class: "count" }, all.length - most + " more") : "",
        );
    }

    /* ---- search ---- */

    function search(view, text) {
        const most = 12;
        choice.text = text;
        view.found = view.model.find(text);
        const names = view.found ? [...view.found.values()].filter((each) => each.count) : [];
        names.sort((a, b) => b.ns - a.ns || warplens.timelineModel.natural(a.name, b.name));
        view.count.textContent = view.found ? names.length + (names.length === 1 ? " name" : " names") : "";
        view.hits.replaceChildren(
            ...names
                .slice(0, most)
                .map((each) =>
                    h(
                        "li",
                        {},
                        h("button", { class: "link", onclick: () => choose(view, each.first, true) }, each.name),
                        " " + each.count.toLocaleString("en") + " times, " + shownTime(each.ns),
                    ),
                ),
            ...(names.length > most ? [h("li", { class: "count" }, names.length - most + " more names")] : []),
        );
        redraw(view);
    }

    /* The next or previous event whose name is found. */
    function step(view, direction) {
        const { events } = view.model,
            count = events.start.length;
        if (!view.found || !view.found.size) return;
        let i = view.chosen === null ? (direction > 0 ? -1 : count) : view.chosen;
        do i += direction;
        while (i >= 0 && i < count && !view.found.has(events.name[i]));
        if (i >= 0 && i < count) choose(view, i, true);
    }

    function choose(view, i, isToBeShown) {
        const { model } = view;
        view.chosen = i;
        tell(view);
        if (i !== null && isToBeShown) {
            const start = model.events.start[i],
                own = model.events.length[i];
            const isTooSmall = own < (model.to - model.from) / 300;
            const length = isTooSmall ? Math.max(1000, own * 30) : model.to - model.from;
            if (isTooSmall || start < model.from || start > model.to)
                showTimes(view, start - length / 2, start + length / 2);
        }
        redraw(view);
    }

    /* ---- pointer ---- */

    function listenToWheel(view) {
        view.canvas.addEventListener(
            "wheel",
            (event) => {
                if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
                    pan(view, (event.deltaX || event.deltaY) / 800);
                else if (event.ctrlKey || event.altKey) return;
                else zoom(view, event.deltaY > 0 ? 1.25 : 0.8, time(view, event.offsetX));
                event.preventDefault();
            },
            { passive: false },
        );
    }

    /* One pointer moves or chooses a range, two zoom. */
    function listenToPointers(view) {
        const { canvas } = view,
            down = new Map();
        let drag = null;
        canvas.addEventListener("pointerdown", (event) => {
            down.set(event.pointerId, event.offsetX);
            canvas.setPointerCapture(event.pointerId);
            drag = {
                x: event.offsetX,
                from: view.model.from,
                to: view.model.to,
                isRange: event.shiftKey,
                time: time(view, event.offsetX),
                hasMoved: down.size > 1,
            };
        });
        canvas.addEventListener("pointermove", (event) => {
            if (!drag) {
                const i = eventAt(view, event.offsetX, event.offsetY);
                canvas.title = i === null ? "" : describe(view, i);
                return;
            }
            const other = [...down].find(([id]) => id !== event.pointerId);
            const before = down.get(event.pointerId);
            down.set(event.pointerId, event.offsetX);
            if (other) {
                const was = Math.abs(before - other[1]),
                    is = Math.abs(event.offsetX - other[1]);
                if (was > 8 && is > 8) zoom(view, was / is, time(view, (event.offsetX + other[1]) / 2));
                return;
            }
            drag.hasMoved = drag.hasMoved || Math.abs(event.offsetX - drag.x) > 3;
            if (drag.isRange) {
                view.range = [drag.time, time(view, event.offsetX)].sort((a, b) => a - b);
                redraw(view);
            } else if (drag.hasMoved) {
                const by = ((drag.x - event.offsetX) / (view.width - left(view))) * (drag.to - drag.from);
                showTimes(view, drag.from + by, drag.to + by);
            }
        });
        const end = (event) => {
            down.delete(event.pointerId);
            if (!drag || down.size) return;
            const { hasMoved } = drag;
            drag = null;
            if (hasMoved) return redraw(view);
            view.range = null;
            if (event.type === "pointerup") click(view, event.offsetX, event.offsetY);
        };
        canvas.addEventListener("pointerup", end);
        canvas.addEventListener("pointercancel", end);
    }

    /* On a name: folds it; on its pin: pins it; on an event: chooses it. */
    function click(view, positionX, positionY) {
        const { heads, places } = view.model.layout;
        const isAt = (y, height) => positionY >= y && positionY < y + height;
        if (positionX >= left(view)) return choose(view, eventAt(view, positionX, positionY), false);
        const head = heads.find(({ y }) => isAt(y, head_px));
        const row = [...places].find(([, y]) => isAt(y, lane_px));
        if (row && positionX >= left(view) - pin_px) pin(view, row[0]);
        else if (head) fold(view, choice.foldedProcesses, head.process);
        else if (row) fold(view, choice.foldedRows, row[0]);
    }

    /* Pinned rows stand first, in the order in which they were pinned. */
    function pin(view, row) {
        choice.pinned = choice.pinned.includes(row) ? choice.pinned.filter((each) => each !== row) : [...choice.pinned, row];
        view.rows.replaceChildren(rowList(view));
        redraw(view);
    }

    function fold(view, set, which) {
        if (!set.delete(which)) set.add(which);
        view.rows.replaceChildren(rowList(view));
        redraw(view);
    }

    function listenToStrip(view) {
        const { strip, model } = view;
        const move = (event) => {
            if (event.buttons !== 1) return;
            const middle = (event.offsetX / strip.clientWidth) * model.end,
                half = (model.to - model.from) / 2;
            showTimes(view, middle - half, middle + half);
        };
        strip.addEventListener("pointerdown", move);
        strip.addEventListener("pointermove", move);
    }

    /* ---- rows, for keyboard and screen readers, and to pin them ---- */

    function rowList(view) {
        const { model } = view,
            { rows } = model.section;
        const item = (row) =>
            h(
                "li",
                {},
                h(
                    "button",
                    { "aria-pressed": String(choice.pinned.includes(row)), onclick: () => pin(view, row) },
                    "pin",
                ),
                h(
                    "button",
                    {
                        "aria-pressed": String(choice.foldedRows.has(row)),
                        onclick: () => fold(view, choice.foldedRows, row),
                    },
                    "fold",
                ),
                " " + model.process(row).label + ", " + rows[row].name,
            );
        return h("ul", { class: "rows" }, model.order.map(item));
    }

    function legend(view) {
        const { section, events } = view.model,
            shown = new Map();
        for (const category of new Set(events.category)) {
            const name = section.categories[category],
                [family] = warplens.timelineColors.family(name);
            if (!shown.has(family)) shown.set(family, name);
        }
        const paper = getComputedStyle(view.canvas).backgroundColor;
        return [...shown].map(([family, name]) =>
            h(
                "span",
                { class: "swatch" },
                h("i", { style: "background:" + warplens.timelineColors.of(name, "", paper) }),
                family,
            ),
        );
    }

    /* ---- the page ---- */

    function controls(view, field, acts) {
        const button = ([title, label, act]) => h("button", { title, onclick: act }, label);
        const { section } = view.model,
            simulated = section.is_simulated ? ", times of the GPU are predicted" : "";
        return h(
            "div",
            { class: "bar" },
            field,
            view.count,
            acts.map(button),
            h("details", { class: "columns" }, h("summary", {}, "Rows"), h("div", { class: "choices" }, view.rows)),
            h("span", { class: "count of-all" }, section.count.toLocaleString("en") + " events" + simulated),
        );
    }

    function bind(view, field, keys) {
        const all = () => {
            view.range = null;
            showTimes(view, 0, view.model.end);
        };
        const toRange = () => {
            if (!view.range) return;
            const [from, to] = view.range;
            view.range = null;
            showTimes(view, from, to);
        };
        const toWork = () => {
            const [from, to] = view.model.workSpan();
            view.range = null;
            showTimes(view, from, to);
        };
        const acts = {
            "/": ["search", () => field.focus()],
            "+": ["zoom in", () => zoom(view, 0.5)],
            "-": ["zoom out", () => zoom(view, 2)],
            w: ["zoom in", () => zoom(view, 0.7)],
            s: ["zoom out", () => zoom(view, 1.4)],
            a: ["earlier", () => pan(view, -0.2)],
            d: ["later", () => pan(view, 0.2)],
            ArrowLeft: ["earlier", () => pan(view, -0.2)],
            ArrowRight: ["later", () => pan(view, 0.2)],
            0: ["everything", all],
            g: ["the time from the GPU's first work to its last", toWork],
            n: ["next found", () => step(view, 1)],
            p: ["previous found", () => step(view, -1)],
            z: ["zoom to the chosen range", toRange],
        };
        Object.assign(keys, acts);
        return [
            ["previous found", "◀", acts.p[1]],
            ["next found", "▶", acts.n[1]],
            ["zoom in", "+", acts["+"][1]],
            ["zoom out", "−", acts["-"][1]],
            ["everything", "All", all],
            ["from the GPU's first work to its last", "GPU", toWork],
            ["the chosen range", "Range", toRange],
        ];
    }

    function makeView(model) {
        const { section } = model;
        return {
            model,
            choice,
            canvas: h("canvas", {
                class: "timeline",
                role: "img",
                tabindex: 0,
                "aria-label": section.count + " events on " + section.rows.length + " rows; sums stand below",
            }),
            strip: h("canvas", { class: "strip", role: "img", "aria-label": "The whole, and what is shown of it" }),
            panel: h("div", { class: "panel" }),
            hits: h("ul", { class: "hits" }),
            legend: h("p", { class: "legend" }),
            rows: h("div", {}),
            table: h("div", { class: "scroll" }),
            count: h("span", { class: "count" }),
            found: null,
            chosen: null,
            range: null,
            arrows: 0,
        };
    }

    /* What the address chooses of rows; gives its event, or null. */
    function takeChoice(model) {
        const { pin, fold, foldp, event } = warplens.readState();
        const numbers = (text, limit) => (text || "").split(".").filter(Boolean).map(Number).filter((number) => number >= 0 && number < limit);
        const rows = model.section.rows.length;
        if (pin !== undefined) choice.pinned = numbers(pin, rows);
        if (fold !== undefined) choice.foldedRows = new Set(numbers(fold, rows));
        if (foldp !== undefined) choice.foldedProcesses = new Set(numbers(foldp, 1e9));
        return event !== undefined && Number(event) < model.events.start.length ? Number(event) : null;
    }

    /* Where the GPU works for a small part of a program that starts up and ends, that part; else all of it. */
    function firstShown(model) {
        const [from, to] = model.workSpan(),
            margin = 0.02 * (to - from);
        if (to - from > 0.5 * model.end) return [0, model.end];
        return [Math.max(0, from - margin), Math.min(model.end, to + margin)];
    }

    async function show(container, rest, keys) {
        const model = warplens.timelineModel.current() || (await warplens.timelineModel.load());
        const view = makeView(model);
        const wanted = takeChoice(model);
        const field = h("input", {
            type: "search",
            placeholder: "Search names",
            "aria-label": "Search names",
            value: rest[2] || "",
            oninput: () => search(view, field.value),
        });
        const acts = bind(view, field, keys);
        container.append(
            controls(view, field, acts),
            view.hits,
            view.strip,
            h("div", { class: "timeline-box" }, view.canvas),
            view.legend,
            h("div", { class: "timeline-dock" }, view.panel, view.table),
        );
        view.rows.append(rowList(view));
        view.legend.append(...legend(view), h("span", { class: "count hint" }, hint));
        listenToWheel(view);
        listenToPointers(view);
        listenToStrip(view);
        new ResizeObserver(() => redraw(view)).observe(view.canvas);
        [model.from, model.to] = firstShown(model);
        if (rest[1] > 0 && Number(rest[0]) < Number(rest[1])) showTimes(view, Number(rest[0]), Number(rest[1]));
        model.find("");
        if (rest[2]) search(view, rest[2]);
        if (wanted !== null) choose(view, wanted, false);
        draw(view);
        showSums(view);
        warplens.timelineView = view; /* for tests */
    }

    warplens.timeline = { load: warplens.timelineModel.current, zoom, pan, draw };
    warplens.addPage({
        id: "timeline",
        title: "Timeline",
        order: 5,
        needs: ["timeline"],
        isThere: () => warplens.has("timeline"),
        show,
    });
})();
