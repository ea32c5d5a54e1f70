/* Calls, kernels, copies and ranges of a trace over time: rows are threads and streams. */
(() => {
    const { h, data } = warplens;
    const lane_height = 17,
        row_gap = 7,
        left = 150,
        top = 24;
    let timeline = null;

    /* ---- data ---- */

    function decode(section) {
        const bytes = atob(section.events),
            count = section.count;
        const events = {
            start: new Float64Array(count),
            length: new Float64Array(count),
            name: new Uint32Array(count),
            category: new Uint8Array(count),
            row: new Uint16Array(count),
            depth: new Uint8Array(count),
            correlation: new Uint32Array(count),
        };
        let at = 0;
        const varint = () => {
            let value = 0,
                scale = 1;
            for (;;) {
                const byte = bytes.charCodeAt(at++);
                if (byte < 128) return value + byte * scale;
                value += (byte & 127) * scale;
                scale *= 128;
            }
        };
        let time = 0,
            correlation = 0;
        for (let i = 0; i < count; i++) {
            time += varint();
            events.start[i] = time;
            events.length[i] = varint();
            events.name[i] = varint();
            events.category[i] = varint();
            events.row[i] = varint();
            events.depth[i] = varint();
            const folded = varint();
            correlation += folded % 2 ? -(folded + 1) / 2 : folded / 2;
            events.correlation[i] = correlation;
        }
        return events;
    }

    /* A lane is a depth of a row: its events follow each other without overlap. */
    function makeLanes(events, rows) {
        const counts = new Map();
        const key = (i) => events.row[i] * 256 + events.depth[i];
        for (let i = 0; i < events.start.length; i++) counts.set(key(i), (counts.get(key(i)) || 0) + 1);
        const order = rows
            .map((row, index) => index)
            .sort(
                (a, b) =>
                    rows[a].process - rows[b].process ||
                    rows[a].is_device - rows[b].is_device ||
                    (rows[a].name < rows[b].name ? -1 : 1),
            );
        const lanes = [],
            byKey = new Map();
        let y = top;
        for (const row of order) {
            rows[row].y = y;
            for (const each of [...counts.keys()]
                .filter((other) => Math.floor(other / 256) === row)
                .sort((a, b) => a - b)) {
                const lane = { row, y, items: new Uint32Array(counts.get(each)), used: 0 };
                lanes.push(lane);
                byKey.set(each, lane);
                y += lane_height;
            }
            y += row_gap;
        }
        for (let i = 0; i < events.start.length; i++) {
            const lane = byKey.get(key(i));
            lane.items[lane.used++] = i;
        }
        return { lanes, height: y };
    }

    function load() {
        if (timeline) return timeline;
        const section = data("timeline"),
            events = decode(section);
        const { lanes, height } = makeLanes(events, section.rows);
        let end = 0;
        for (let i = 0; i < events.start.length; i++) end = Math.max(end, events.start[i] + events.length[i]);
        timeline = { section, events, lanes, height, end: end || 1, from: 0, to: end || 1 };
        return timeline;
    }

    /* The first item of a lane that ends behind time; items are in order. */
    function firstAfter(lane, time) {
        const { events } = timeline;
        let low = 0,
            high = lane.items.length;
        while (low < high) {
            const middle = (low + high) >> 1,
                i = lane.items[middle];
            if (events.start[i] + events.length[i] <= time) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    function shownTime(ns) {
        for (const [limit, unit] of [
            [1e9, "s"],
            [1e6, "ms"],
            [1e3, "µs"],
        ])
            if (Math.abs(ns) >= limit)
                return (ns / limit).toLocaleString("en", { maximumFractionDigits: 3 }) + " " + unit;
        return Math.round(ns) + " ns";
    }

    /* ---- drawing ---- */

    const hues = new Map();
    function color(name, isFaint) {
        if (!hues.has(name)) {
            let hash = 0;
            for (const character of timeline.section.names[name])
                hash = (hash * 31 + character.codePointAt(0)) >>> 0;
            hues.set(name, hash % 360);
        }
        return "hsl(" + hues.get(name) + (isFaint ? " 12% 60% / 45%)" : " 55% 55%)");
    }

    function x(view, time) {
        return left + ((time - timeline.from) / (timeline.to - timeline.from)) * (view.width - left);
    }

    function time(view, position) {
        return timeline.from + ((position - left) / (view.width - left)) * (timeline.to - timeline.from);
    }

    /* Of what falls into one pixel only the first is drawn: a lane costs as much as the window is wide. */
    function drawLane(view, lane) {
        const { context, found } = view,
            { events, section, from, to } = timeline;
        const perPixel = (to - from) / (view.width - left);
        for (let at = firstAfter(lane, from); at < lane.items.length;) {
            const i = lane.items[at];
            if (events.start[i] >= to) break;
            const begin = Math.max(left, x(view, events.start[i])),
                end = Math.min(view.width, x(view, events.start[i] + events.length[i]));
            const width = Math.max(1, end - begin);
            context.fillStyle = color(events.name[i], found && !found.has(events.name[i]));
            context.fillRect(begin, lane.y, width, lane_height - 2);
            if (width > 40) {
                context.fillStyle = "#fff";
                context.save();
                context.beginPath();
                context.rect(begin, lane.y, width - 2, lane_height);
                context.clip();
                context.fillText(section.names[events.name[i]], begin + 3, lane.y + lane_height - 6);
                context.restore();
            }
            at =
                width > 1.5
                    ? at + 1
                    : Math.max(at + 1, firstAfter(lane, events.start[i] + events.length[i] + perPixel / 2));
        }
    }

    function drawAxis(view) {
        const { context, ink } = view,
            { from, to } = timeline;
        const least = (to - from) / ((view.width - left) / 90),
            power = 10 ** Math.floor(Math.log10(least));
        const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
        context.fillStyle = context.strokeStyle = ink;
        context.globalAlpha = 0.6;
        for (let at = Math.ceil(from / step) * step; at < to; at += step) {
            context.fillText(shownTime(at), x(view, at) + 3, 14);
            context.fillRect(x(view, at), 4, 1, top - 6);
        }
        context.globalAlpha = 1;
    }

    /* From the chosen event to all with its correlation: a call and what it caused. */
    function drawArrows(view) {
        const { context, chosen, ink } = view,
            { events, section } = timeline;
        if (chosen === null || !events.correlation[chosen]) return;
        context.strokeStyle = ink;
        context.lineWidth = 1.5;
        view.arrows = 0;
        const process = section.rows[events.row[chosen]].process;
        const place = (i) => [
            x(view, events.start[i]),
            section.rows[events.row[i]].y + events.depth[i] * lane_height + lane_height / 2,
        ];
        for (let i = 0; i < events.start.length; i++) {
            if (
                i === chosen ||
                events.correlation[i] !== events.correlation[chosen] ||
                section.rows[events.row[i]].process !== process
            )
                continue;
            const [fromX, fromY] = place(chosen),
                [toX, toY] = place(i);
            context.beginPath();
            context.moveTo(fromX, fromY);
            context.bezierCurveTo(fromX, (fromY + toY) / 2, toX, (fromY + toY) / 2, toX, toY);
            context.stroke();
            view.arrows++;
        }
    }

    function drawNames(view) {
        const { context, ink, paper } = view,
            { section } = timeline;
        context.fillStyle = paper;
        context.fillRect(0, 0, left - 2, view.height);
        context.fillStyle = ink;
        const many = section.rows.some((row) => row.process !== section.rows[0].process);
        section.rows.forEach((row) =>
            context.fillText(
                (many ? (row.rank === undefined ? row.pid : "rank " + row.rank) + ": " : "") + row.name,
                2,
                row.y + lane_height - 5,
                left - 8,
            ),
        );
    }

    function draw(view) {
        const { context, canvas } = view,
            style = getComputedStyle(document.body);
        const scale = devicePixelRatio || 1;
        view.width = canvas.clientWidth;
        view.height = timeline.height;
        canvas.width = view.width * scale;
        canvas.height = view.height * scale;
        canvas.style.height = view.height + "px";
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.font = "11px system-ui, sans-serif";
        view.ink = style.color;
        view.paper = getComputedStyle(canvas).backgroundColor;
        context.clearRect(0, 0, view.width, view.height);
        drawAxis(view);
        timeline.lanes.forEach((lane) => drawLane(view, lane));
        if (view.range) {
            context.fillStyle = view.ink;
            context.globalAlpha = 0.12;
            context.fillRect(
                x(view, view.range[0]),
                0,
                x(view, view.range[1]) - x(view, view.range[0]),
                view.height,
            );
            context.globalAlpha = 1;
        }
        drawArrows(view);
        drawNames(view);
    }

    function redraw(view) {
        if (view.isWaiting) return;
        view.isWaiting = true;
        requestAnimationFrame(() => {
            view.isWaiting = false;
            if (view.canvas.isConnected) draw(view);
        });
    }

    /* ---- moving ---- */

    function zoom(view, factor, around) {
        const middle = around === undefined ? (timeline.from + timeline.to) / 2 : around;
        const from = middle - (middle - timeline.from) * factor,
            to = middle + (timeline.to - middle) * factor;
        if (to - from < 10) return;
        timeline.from = Math.max(0, from);
        timeline.to = Math.min(timeline.end, to);
        redraw(view);
    }

    function pan(view, part) {
        const length = timeline.to - timeline.from;
        timeline.from = Math.min(Math.max(0, timeline.from + part * length), timeline.end - length);
        timeline.to = timeline.from + length;
        redraw(view);
    }

    function eventAt(view, positionX, positionY) {
        const lane = timeline.lanes.find((each) => positionY >= each.y && positionY < each.y + lane_height);
        if (!lane || positionX < left) return null;
        const slack = (timeline.to - timeline.from) / (view.width - left);
        const at = firstAfter(lane, time(view, positionX) - slack);
        return at < lane.items.length &&
            timeline.events.start[lane.items[at]] <= time(view, positionX) + slack
            ? lane.items[at]
            : null;
    }

    /* ---- what is said beside it ---- */

    function describe(i) {
        const { events, section } = timeline;
        return (
            section.names[events.name[i]] +
            " · " +
            section.categories[events.category[i]] +
            " · " +
            shownTime(events.length[i]) +
            " from " +
            shownTime(events.start[i]) +
            " · " +
            section.rows[events.row[i]].name
        );
    }

    /* How often and how long each name is there between two times, the longest first. */
    function sums(from, to) {
        const { events, section, lanes } = timeline,
            found = new Map();
        for (const lane of lanes) {
            for (let at = firstAfter(lane, from); at < lane.items.length; at++) {
                const i = lane.items[at];
                if (events.start[i] >= to) break;
                const sum = found.get(events.name[i]) || {
                    name: section.names[events.name[i]],
                    category: section.categories[events.category[i]],
                    count: 0,
                    ns: 0,
                };
                sum.count++;
                sum.ns += Math.min(to, events.start[i] + events.length[i]) - Math.max(from, events.start[i]);
                found.set(events.name[i], sum);
            }
        }
        return [...found.values()].sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1));
    }

    function showSums(view) {
        const [from, to] = view.range || [timeline.from, timeline.to];
        const all = sums(from, to),
            most = 30;
        view.table.replaceChildren(
            h(
                "p",
                { class: "count" },
                (view.range ? "Chosen: " : "Shown: ") + shownTime(to - from) + " from " + shownTime(from),
            ),
            h(
                "table",
                { class: "metrics" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["Name", "Kind", "Count", "Time", "Part"].map((title, i) =>
                            h("th", { class: i > 1 ? "number" : null }, title),
                        ),
                    ),
                ),
                h(
                    "tbody",
                    {},
                    all
                        .slice(0, most)
                        .map((sum) =>
                            h(
                                "tr",
                                { "data-ns": sum.ns, "data-count": sum.count },
                                h("td", {}, sum.name),
                                h("td", {}, sum.category),
                                h("td", { class: "number" }, String(sum.count)),
                                h("td", { class: "number" }, shownTime(sum.ns)),
                                h(
                                    "td",
                                    { class: "number" },
                                    ((100 * sum.ns) / (to - from)).toFixed(1) + " %",
                                ),
                            ),
                        ),
                ),
            ),
            all.length > most ? h("p", { class: "count" }, all.length - most + " more") : "",
        );
    }

    function search(view, text) {
        const wanted = text.toLowerCase();
        view.found = wanted
            ? new Set(
                  timeline.section.names
                      .map((name, i) => (name.toLowerCase().includes(wanted) ? i : -1))
                      .filter((i) => i >= 0),
              )
            : null;
        view.count.textContent = view.found
            ? view.found.size + (view.found.size === 1 ? " name" : " names")
            : "";
        redraw(view);
    }

    /* The next or previous event whose name is found. */
    function step(view, direction) {
        const { events } = timeline,
            count = events.start.length;
        if (!view.found || !view.found.size) return;
        let i = view.chosen === null ? (direction > 0 ? -1 : count) : view.chosen;
        do i += direction;
        while (i >= 0 && i < count && !view.found.has(events.name[i]));
        if (i >= 0 && i < count) choose(view, i, true);
    }

    function choose(view, i, isToBeShown) {
        view.chosen = i;
        view.line.textContent = i === null ? "" : describe(i);
        if (i !== null && isToBeShown) {
            const start = timeline.events.start[i],
                own = timeline.events.length[i];
            const isTooSmall = own < (timeline.to - timeline.from) / 300;
            const length = isTooSmall
                ? Math.min(timeline.end, Math.max(1000, own * 30))
                : timeline.to - timeline.from;
            if (isTooSmall || start < timeline.from || start > timeline.to) {
                timeline.from = Math.max(0, Math.min(start - length / 2, timeline.end - length));
                timeline.to = timeline.from + length;
            }
        }
        redraw(view);
    }

    /* ---- the page ---- */

    function listen(view) {
        const { canvas } = view;
        let drag = null;
        canvas.addEventListener(
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
        canvas.addEventListener("mousedown", (event) => {
            drag = {
                x: event.offsetX,
                from: timeline.from,
                isRange: event.shiftKey,
                time: time(view, event.offsetX),
                hasMoved: false,
            };
        });
        canvas.addEventListener("mousemove", (event) => {
            if (!drag) {
                const i = eventAt(view, event.offsetX, event.offsetY);
                canvas.title = i === null ? "" : describe(i);
                return;
            }
            drag.hasMoved = drag.hasMoved || Math.abs(event.offsetX - drag.x) > 3;
            if (drag.isRange) view.range = [drag.time, time(view, event.offsetX)].sort((a, b) => a - b);
            else
                pan(
                    view,
                    (drag.from -
                        timeline.from -
                        ((event.offsetX - drag.x) / (view.width - left)) * (timeline.to - timeline.from)) /
                        (timeline.to - timeline.from),
                );
            redraw(view);
        });
        addEventListener("mouseup", (event) => {
            if (!drag || !canvas.isConnected) return;
            if (!drag.hasMoved) {
                view.range = null;
                choose(
                    view,
                    event.target === canvas ? eventAt(view, event.offsetX, event.offsetY) : null,
                    false,
                );
            }
            drag = null;
            showSums(view);
        });
        new ResizeObserver(() => redraw(view)).observe(canvas);
    }

    function show(container, rest, keys) {
        const { section } = load();
        const view = {
            canvas: h("canvas", {
                class: "timeline",
                role: "img",
                tabindex: 0,
                "aria-label": section.count + " events on " + section.rows.length + " rows; sums stand below",
            }),
            line: h("p", { class: "facts", "aria-live": "polite" }),
            table: h("div", { class: "scroll" }),
            count: h("span", { class: "count" }),
            found: null,
            chosen: null,
            range: null,
            arrows: 0,
        };
        const field = h("input", {
            type: "search",
            placeholder: "Search names",
            "aria-label": "Search names",
            oninput: () => search(view, field.value),
        });
        const button = (title, label, act) =>
            h(
                "button",
                {
                    title,
                    onclick: () => {
                        act();
                        showSums(view);
                    },
                },
                label,
            );
        view.context = view.canvas.getContext("2d");
        const all = () => {
            timeline.from = 0;
            timeline.to = timeline.end;
            view.range = null;
            redraw(view);
        };
        const toRange = () => {
            if (view.range) {
                [timeline.from, timeline.to] = view.range;
                view.range = null;
                redraw(view);
            }
        };
        container.append(
            h(
                "div",
                { class: "bar" },
                field,
                view.count,
                button("previous found", "◀", () => step(view, -1)),
                button("next found", "▶", () => step(view, 1)),
                button("zoom in", "+", () => zoom(view, 0.5)),
                button("zoom out", "−", () => zoom(view, 2)),
                button("everything", "All", all),
                button("the chosen range", "Range", toRange),
            ),
            h(
                "p",
                { class: "count" },
                section.count.toLocaleString("en") +
                    " events. Wheel: zoom; drag: move; shift and drag: choose a range; click: what a call caused." +
                    (section.is_simulated ? " Times of the GPU are predicted." : ""),
            ),
            h("div", { class: "timeline-box" }, view.canvas),
            view.line,
            view.table,
        );
        Object.assign(keys, {
            "/": ["search", () => field.focus()],
            "+": ["zoom in", () => zoom(view, 0.5)],
            "-": ["zoom out", () => zoom(view, 2)],
            ArrowLeft: ["earlier", () => pan(view, -0.2)],
            ArrowRight: ["later", () => pan(view, 0.2)],
            0: ["everything", all],
            n: ["next found", () => step(view, 1)],
            p: ["previous found", () => step(view, -1)],
            z: ["zoom to the chosen range", toRange],
            s: ["sums of what is shown", () => showSums(view)],
        });
        listen(view);
        draw(view);
        showSums(view);
        warplens.timelineView = view; /* for tests */
    }

    warplens.timeline = { load, sums, zoom, pan, draw };
    warplens.addPage({
        id: "timeline",
        title: "Timeline",
        order: 5,
        isThere: () => data("timeline") !== null,
        show,
    });
})();
