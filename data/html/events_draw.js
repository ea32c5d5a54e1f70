/* Paints the timeline: where rows stand, axis, uses of the GPU, lanes, arrows, the strip of the whole. */
warplens.timelineDraw = (() => {
    const lane_px = 17,
        gap_px = 7,
        head_px = 20,
        axis_px = 24,
        use_px = 26,
        pin_px = 16,
        strip_px = 34;
    const colors = warplens.timelineColors;

    /* A place of the axis, with as many digits as tell it from the next one. */
    function tickTime(ns, step) {
        for (const [limit, unit] of [
            [1e9, "s"],
            [1e6, "ms"],
            [1e3, "us"],
        ])
            if (ns >= limit) {
                const digits = Math.max(0, Math.ceil(Math.log10(limit / step) - 1e-9));
                return (ns / limit).toLocaleString("en", { maximumFractionDigits: digits }) + " " + unit;
            }
        return Math.round(ns) + " ns";
    }

    /* ---- where things stand ---- */

    /* Pinned rows first, then processes with their rows; folded ones keep one line. */
    function layout(model, choice) {
        const { rows } = model.section,
            heads = [],
            places = new Map();
        const lanes = [];
        let y = axis_px;
        const uses = model.uses.map((use) => {
            const place = { use, y };
            y += use_px + gap_px;
            return place;
        });
        const put = (row) => {
            const isFolded = choice.foldedRows.has(row);
            places.set(row, y);
            model.byRow[row].forEach((lane, depth) => {
                lane.y = isFolded && depth > 0 ? -1 : y;
                if (lane.y < 0) return;
                lanes.push(lane);
                y += lane_px;
            });
            y += gap_px;
        };
        model.lanes.forEach((lane) => (lane.y = -1));
        choice.pinned.forEach(put);
        let process = null;
        for (const row of model.order) {
            if (choice.pinned.includes(row)) continue;
            if (rows[row].process !== process) {
                process = rows[row].process;
                heads.push({ y, ...model.process(row), isFolded: choice.foldedProcesses.has(process) });
                y += head_px;
            }
            if (!choice.foldedProcesses.has(process)) put(row);
        }
        model.lanes = lanes;
        model.layout = { height: y, heads, places, uses };
    }

    function left(view) {
        return view.width < 600 ? 84 : 170;
    }

    function x(view, time) {
        const { model } = view;
        return left(view) + ((time - model.from) / (model.to - model.from)) * (view.width - left(view));
    }

    function time(view, position) {
        const { model } = view;
        return model.from + ((position - left(view)) / (view.width - left(view))) * (model.to - model.from);
    }

    /* ---- lanes ---- */

    function colorOf(view, i) {
        const { events, section } = view.model;
        return colors.of(section.categories[events.category[i]], section.names[events.name[i]], view.paper);
    }

    function label(view, i, begin, width, y) {
        const { context } = view;
        context.fillStyle = view.paper;
        context.save();
        context.beginPath();
        context.rect(begin, y, width - 2, lane_px);
        context.clip();
        context.fillText(view.model.section.names[view.model.events.name[i]], begin + 3, y + lane_px - 6);
        context.restore();
    }

    /* The category that takes most of the events from one place of a lane to another, and their sum. */
    function strongest(lane, from, to) {
        let best = 0,
            most = -1,
            sum = 0;
        for (const [category, sums] of lane.sums) {
            const own = sums[to] - sums[from];
            sum += own;
            if (own > most) [best, most] = [category, own];
        }
        return [best, sum];
    }

    function hasFound(lane, from, to) {
        const { found } = lane;
        let low = 0,
            high = found.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (found[middle] < from) low = middle + 1;
            else high = middle;
        }
        return low < found.length && found[low] < to;
    }

    /* Many events in one pixel: it has the colour of what takes most of them, or of what is searched for, and is as high as
     * the part of its time that they take. */
    function drawCrowd(view, lane, from, to, position, perPixel) {
        const { context, model } = view;
        const [category, sum] = strongest(lane, from, to);
        const isFound = lane.found && hasFound(lane, from, to);
        const height = isFound ? lane_px - 2 : Math.max(4, Math.min(1, sum / perPixel) * (lane_px - 2));
        context.globalAlpha = lane.found && !isFound ? 0.18 : 1;
        context.fillStyle = isFound
            ? view.highlight
            : colors.of(model.section.categories[category], "", view.paper);
        context.fillRect(position, lane.y + lane_px - 2 - height, 1, height);
        context.globalAlpha = 1;
    }

    function drawEvent(view, lane, at, begin, width) {
        const { context } = view,
            i = lane.items[at];
        const isFound = lane.found && hasFound(lane, at, at + 1);
        context.globalAlpha = lane.found && !isFound ? 0.18 : 1;
        context.fillStyle = colorOf(view, i);
        context.fillRect(begin, lane.y, width, lane_px - 2);
        context.globalAlpha = 1;
        if (isFound) {
            context.fillStyle = view.highlight;
            context.fillRect(begin, lane.y + lane_px - 4, width, 3);
        }
        if (width > 40 && !(lane.found && !isFound)) label(view, i, begin, width, lane.y);
    }

    /* What is narrower than a pixel and a half shares its pixel with what follows: a lane costs as much as the window is
     * wide. */
    function drawLane(view, lane) {
        const { model } = view,
            { start, length } = model.events,
            { from, to } = model;
        const edge = left(view),
            perPixel = (to - from) / (view.width - edge);
        for (let at = model.firstAfter(lane, from); at < lane.items.length; ) {
            const begins = start[lane.items[at]],
                ends = begins + length[lane.items[at]];
            if (begins >= to) break;
            const begin = Math.max(edge, x(view, begins)),
                width = Math.min(view.width, x(view, ends)) - begin;
            if (width >= 1.5) {
                drawEvent(view, lane, at++, begin, width);
                continue;
            }
            const position = Math.floor(begin);
            let next = Math.max(at + 1, model.firstFrom(lane, time(view, position + 1), at + 1));
            if (next > at + 1 && length[lane.items[next - 1]] >= 1.5 * perPixel) next--;
            drawCrowd(view, lane, at, next, position, perPixel);
            at = next;
        }
    }

    /* ---- what stands around them ---- */

    function drawAxis(view) {
        const { context, ink, model } = view,
            { from, to } = model;
        const least = (to - from) / ((view.width - left(view)) / 90),
            power = 10 ** Math.floor(Math.log10(least));
        const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
        context.fillStyle = ink;
        context.globalAlpha = 0.75;
        for (let at = Math.ceil(from / step) * step; at < to; at += step) {
            context.fillText(tickTime(at, step), x(view, at) + 3, 14);
            context.fillRect(x(view, at), 4, 1, axis_px - 6);
        }
        context.globalAlpha = 1;
    }

    /* The share of the time of each pixel. */
    function drawUse(view, context, use, y, height, from, to, begin) {
        const per = (to - from) / (view.width - begin);
        context.fillStyle = colors.of(view.model.section.categories[use.category], "", view.paper);
        for (let position = begin; position < view.width; position++) {
            const at = from + (position - begin) * per,
                part = use.share(at, at + per) * height;
            if (part > 0) context.fillRect(position, y + height - part, 1, part);
        }
    }

    /* From the chosen event to all with its correlation: a call and what it caused. */
    function drawArrows(view) {
        const { context, chosen, ink, model } = view,
            { events, section } = model;
        view.arrows = 0;
        if (chosen === null || !events.correlation[chosen]) return;
        context.strokeStyle = ink;
        context.lineWidth = 1.5;
        const process = section.rows[events.row[chosen]].process;
        const place = (i) => {
            const lane = model.byRow[events.row[i]].find((each) => each.items.length && events.depth[each.items[0]] === events.depth[i]);
            return lane && lane.y >= 0 ? [x(view, events.start[i]), lane.y + lane_px / 2] : null;
        };
        const from = place(chosen);
        for (let i = 0; from && i < events.start.length; i++) {
            if (
                i === chosen ||
                events.correlation[i] !== events.correlation[chosen] ||
                section.rows[events.row[i]].process !== process
            )
                continue;
            const to = place(i);
            if (!to) continue;
            const middle = (from[1] + to[1]) / 2;
            context.beginPath();
            context.moveTo(...from);
            context.bezierCurveTo(from[0], middle, to[0], middle, ...to);
            context.stroke();
            view.arrows++;
        }
    }

    function drawChosen(view) {
        const { context, chosen, model, ink } = view;
        if (chosen === null) return;
        const { events } = model;
        const lane = model.byRow[events.row[chosen]].find((each) => events.depth[each.items[0]] === events.depth[chosen]);
        if (!lane || lane.y < 0) return;
        const begin = x(view, events.start[chosen]);
        context.strokeStyle = ink;
        context.lineWidth = 2;
        context.strokeRect(begin, lane.y, Math.max(2, x(view, events.start[chosen] + events.length[chosen]) - begin), lane_px - 2);
    }

    /* A text cut in its middle where it is too wide. */
    function fitted(context, text, width) {
        if (context.measureText(text).width <= width) return text;
        let length = text.length - 1;
        const cut = () => text.slice(0, Math.ceil(length / 2)) + "…" + text.slice(text.length - Math.floor(length / 2));
        while (length > 2 && context.measureText(cut()).width > width) length--;
        return cut();
    }

    function drawPin(context, begin, y, isFull) {
        context.beginPath();
        context.arc(begin + 5, y + 4, 3, 0, 2 * Math.PI);
        if (isFull) context.fill();
        else {
            context.strokeStyle = context.fillStyle;
            context.lineWidth = 1;
            context.stroke();
        }
        context.fillRect(begin + 4.5, y + 7, 1, 5);
    }

    function drawNames(view) {
        const { context, ink, paper, model } = view,
            edge = left(view);
        context.fillStyle = paper;
        context.fillRect(0, 0, edge - 2, view.height);
        context.fillStyle = ink;
        const { heads, places, uses } = model.layout;
        heads.forEach((head) => {
            context.fillText((head.isFolded ? "▸ " : "▾ ") + fitted(context, head.label, edge - 20), 2, head.y + 14);
            context.globalAlpha = 0.25;
            context.fillRect(0, head.y, view.width, 1);
            context.globalAlpha = 1;
        });
        uses.forEach(({ use, y }) => context.fillText(fitted(context, use.label, edge - 8), 2, y + use_px / 2 + 4));
        for (const [row, y] of places) {
            const { name } = model.section.rows[row];
            const sign = model.byRow[row].length > 1 ? (view.choice.foldedRows.has(row) ? "▸ " : "▾ ") : "   ";
            const isPinned = view.choice.pinned.includes(row);
            context.fillText(sign + fitted(context, name, edge - 14 - pin_px - 12), 8, y + lane_px - 5);
            context.globalAlpha = isPinned ? 1 : 0.3;
            drawPin(context, edge - pin_px, y + 3, isPinned);
            context.globalAlpha = 1;
        }
    }

    function prepare(view, canvas, height) {
        const scale = devicePixelRatio || 1,
            context = canvas.getContext("2d");
        const width = canvas.clientWidth;
        if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
            canvas.width = Math.round(width * scale);
            canvas.height = Math.round(height * scale);
            canvas.style.height = height + "px";
        }
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.font = "11px system-ui, sans-serif";
        context.clearRect(0, 0, width, height);
        return context;
    }

    function draw(view) {
        const { model, canvas } = view;
        const style = getComputedStyle(canvas);
        layout(model, view.choice);
        view.width = canvas.clientWidth;
        view.height = model.layout.height;
        view.ink = style.color;
        view.paper = style.backgroundColor;
        view.highlight = style.accentColor;
        view.context = prepare(view, canvas, view.height);
        drawAxis(view);
        model.layout.uses.forEach(({ use, y }) =>
            drawUse(view, view.context, use, y, use_px, model.from, model.to, left(view)),
        );
        model.lanes.forEach((lane) => drawLane(view, lane));
        if (view.range) {
            view.context.fillStyle = view.ink;
            view.context.globalAlpha = 0.12;
            const begin = x(view, view.range[0]);
            view.context.fillRect(begin, 0, x(view, view.range[1]) - begin, view.height);
            view.context.globalAlpha = 1;
        }
        drawArrows(view);
        drawChosen(view);
        drawNames(view);
        drawStrip(view);
    }

    /* The whole, with a frame around what is shown. */
    function drawStrip(view) {
        const { model, strip } = view;
        if (!strip.clientWidth) return;
        const context = prepare(view, strip, strip_px),
            width = strip.clientWidth,
            own = { ...view, width };
        const [use] = model.uses;
        if (use) drawUse(own, context, use, 2, strip_px - 4, 0, model.end, 0);
        const begin = (model.from / model.end) * width,
            part = Math.max(3, ((model.to - model.from) / model.end) * width);
        context.fillStyle = view.ink;
        context.globalAlpha = 0.1;
        context.fillRect(begin, 0, part, strip_px);
        context.globalAlpha = 1;
        context.strokeStyle = view.ink;
        context.strokeRect(begin + 0.5, 0.5, part - 1, strip_px - 1);
    }

    return { draw, x, time, left, lane_px, head_px, pin_px, layout };
})();
