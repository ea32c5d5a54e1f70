/* Source and instructions side by side, with a heat map by any counted metric. */
(() => {
    const { h, data, mark, term, launches, go, address } = warplens;
    const row_px = 19, chunk = 100;
    const state = { metric: null, rank: -1, panes: "both" };

    warplens.hasSource = (launch) => Boolean(data("source") && data("source").launches[launch.id]);

    /* Values of a column by position, in an array as long as what it is counted at. */
    function expand([places, values], count) {
        const all = new Float64Array(count);
        places.forEach((place, i) => { all[place] = values[i]; });
        return all;
    }

    function number(value) {
        return Number.isInteger(value) ? value.toLocaleString("en-US") : value.toLocaleString("en-US", { maximumFractionDigits: 2 });
    }

    /* ---- rows ---- */

    /* Rows in pieces that are filled when they come into view; all of the same height. */
    function list(rows, make, label) {
        const pieces = [];
        const fill = (piece) => {
            if (piece.dataset.filled)
                return;
            piece.dataset.filled = "yes";
            const from = Number(piece.dataset.from);
            piece.replaceChildren(...rows.slice(from, from + chunk).map((row, i) => make(row, from + i)));
        };
        const observer = new IntersectionObserver((entries) => entries.forEach((entry) => entry.isIntersecting && fill(entry.target)), { rootMargin: "600px" });
        for (let from = 0; from < rows.length; from += chunk) {
            const piece = h("div", { class: "piece", "data-from": from, style: "height:" + Math.min(chunk, rows.length - from) * row_px + "px" });
            pieces.push(piece);
            observer.observe(piece);
        }
        const box = h("div", { class: "code", tabindex: 0, role: "region", "aria-label": label }, pieces);
        const at = (index) => { const piece = pieces[Math.floor(index / chunk)]; fill(piece); return piece.children[index % chunk]; };
        const reveal = (index) => { box.scrollTop = Math.max(0, index * row_px - box.clientHeight / 2); return at(index); };
        const refresh = () => pieces.forEach((piece) => { delete piece.dataset.filled; piece.replaceChildren(); observer.unobserve(piece); observer.observe(piece); });
        return { box, at, reveal, refresh };
    }

    /* ---- model ---- */

    /* All that the page shows of a launch: rows of source, instructions, columns with values. */
    function build(launch) {
        const source = data("source"), own = source.launches[launch.id], kernel = source.kernels[own.kernel];
        const columns = own.columns.map((column) => ({
            ...column,
            label: column.label.replace(/^smsp__pcsamp_warps_issue_stalled_(.*)/, (all, state) => "Warp Time, " + state.replace(/_/g, " ")),
            byLine: expand(column.lines, kernel.lines.length),
            byInlined: expand(column.inlined, kernel.lines.length),
            byInstruction: expand(column.instructions, kernel.instructions.length),
        }));
        const lineOf = new Int32Array(kernel.instructions.length).fill(-1);
        kernel.lines.forEach((line, i) => line[2].forEach((instruction) => { lineOf[instruction] = i; }));
        const rows = [], rowOf = new Int32Array(kernel.lines.length).fill(-1);
        kernel.files.forEach((position, file) => addFile(source.files[position], file, kernel, rows, rowOf));
        kernel.lines.forEach((line, i) => { if (line[1] === 0) { rowOf[i] = rows.length; rows.push({ line: i, number: "", text: "(instructions without a line)" }); } });
        return { code: own.code, heat: own.heat, kernel, columns, rows, rowOf, lineOf };
    }

    function addFile(file, index, kernel, rows, rowOf) {
        const counted = new Map(kernel.lines.map((line, i) => [line, i]).filter(([line]) => line[0] === index && line[1] > 0).map(([line, i]) => [line[1], i]));
        rows.push({ heading: file.name + (file.reason ? " — " + file.reason : "") });
        const add = (number, text) => {
            const line = counted.get(number);
            counted.delete(number);
            if (line !== undefined)
                rowOf[line] = rows.length;
            rows.push({ line: line === undefined ? -1 : line, number, text });
        };
        file.pieces.forEach((piece, i) => {
            if (i > 0)
                rows.push({ heading: "…" });
            piece.slice(1).forEach((text, j) => add(piece[0] + j, text));
        });
        [...counted.keys()].sort((a, b) => a - b).forEach((number) => add(number, ""));
    }

    function heatOf(share) {
        return share > 0 ? "heat-" + Math.min(5, 1 + Math.floor(share * 5)) : "";
    }

    /* ---- page ---- */

    function show(container, rest, keys) {
        const launch = warplens.findLaunch(rest);
        container.append(warplens.launchBar("source", launch, keys), h("p", { class: "kernel" }, launch.kernel_name),
            h("p", { class: "links" }, warplens.launchLinks(launch, "source")));
        if (!warplens.hasSource(launch)) {
            const others = launches().filter((each) => each.kernel_name === launch.kernel_name && warplens.hasSource(each));
            container.append(h("p", { class: "note" }, others.length
                ? "The page holds counts at lines of the first " + data("source").launches_of_kernel + " launches of a kernel; `warplens export -s " + launch.id + " -c 1` makes one of this launch. See "
                : "Nothing was counted at the instructions of this launch.",
                others.map((each, i) => [i ? ", " : "", h("a", { href: address("source", each.id) }, "launch " + each.id)]).flat(), others.length ? "." : null));
            return;
        }
        fill(container, launch, rest, keys);
    }

    function fill(container, launch, rest, keys) {
        const model = build(launch);
        const find = (name) => model.columns.find((column) => column.name === name);
        let column = find(state.metric) || find(model.heat) || model.columns[0];
        const values = h("div", { class: "values", "aria-live": "polite" });
        const position = h("span", { class: "count" });

        function heatCells(value, most) {
            const share = column.is_share ? value / 100 : most > 0 ? value / most : 0;
            const percent = column.is_share ? number(value) + "%" : column.total > 0 ? (100 * value / column.total).toFixed(1) + "%" : "";
            return [h("span", { class: "heat " + heatOf(share), title: value ? number(value) : null }, value ? percent : ""),
                    h("span", { class: "amount" }, value ? number(value) : "")];
        }

        let most = {};
        const measure = () => { most = { line: column.byLine.reduce((a, b) => Math.max(a, b), 0), instruction: column.byInstruction.reduce((a, b) => Math.max(a, b), 0) }; };

        const lines = list(model.rows, (row, i) => {
            if (row.heading !== undefined)
                return h("div", { class: "row heading" }, row.heading);
            const has = row.line >= 0;
            return h("div", { class: has ? "row counted" : "row", "data-row": i, "data-line": row.number, onclick: has ? () => selectLine(row.line, false) : null },
                has ? heatCells(column.byLine[row.line], most.line) : [h("span", { class: "heat" }), h("span", { class: "amount" })],
                h("span", { class: "place" }, row.number), h("span", { class: "text" }, row.text));
        }, "Source");
        const code = list(model.kernel.instructions, ([text, pipe], i) =>
            h("div", { class: "row counted", "data-instruction": i, onclick: () => selectInstruction(i) },
                heatCells(column.byInstruction[i], most.instruction), h("span", { class: "place", title: pipe }, i), h("span", { class: "text" }, text)), model.code);

        /* ---- selection ---- */

        let chosen = [];
        function choose(nodes) {
            chosen.forEach((node) => node.classList.remove("chosen"));
            chosen = nodes.filter((node) => node);
            chosen.forEach((node) => node.classList.add("chosen"));
        }

        function tell(title, read) {
            const rows = model.columns.map((each) => [each, read(each)]).filter(([, value]) => value);
            values.replaceChildren(h("h2", {}, title), h("table", { class: "metrics" }, h("tbody", {}, rows.map(([each, value]) => h("tr", {},
                h("th", { scope: "row" }, term(each.label, each.name)), h("td", { class: "number", "data-column": each.name, "data-value": value }, number(value), " ", mark(each.mark)),
                h("td", { class: "number unit" }, each.is_share || !each.total ? "" : (100 * value / each.total).toFixed(1) + "%"))))));
        }

        function selectLine(line, scroll) {
            const [file, number, instructions, inlined] = model.kernel.lines[line];
            const node = scroll ? lines.reveal(model.rowOf[line]) : lines.at(model.rowOf[line]);
            if (instructions.length)
                code.reveal(instructions[0]);
            choose([node, ...instructions.slice(0, 500).map((each) => code.at(each))]);
            tell(number ? "Line " + number : "Without a line", (each) => each.byLine[line]);
            if (inlined) {
                const parts = model.columns.map((each) => [each, each.byInlined[line]]).filter(([, value]) => value);
                values.append(h("p", { class: "facts" }, "Inlined here, counted at its own lines: " + inlined + " (" + parts.slice(0, 3).map(([each, value]) => each.label + " " + number(value)).join(", ") + ")"));
            }
        }

        function selectInstruction(index) {
            const line = model.lineOf[index];
            choose([code.at(index), line >= 0 ? lines.reveal(model.rowOf[line]) : null]);
            tell(model.code + " " + index, (each) => each.byInstruction[index]);
        }

        /* On paper, the hottest lines stand in place of panes that scroll. */
        const paper = h("div", { class: "paper" });
        function fillPaper() {
            const hottest = new Set(order.slice(0, 80));
            paper.replaceChildren(h("h2", {}, "Hottest lines by " + column.label + " (" + data("session").marks[column.mark].name + ")"),
                ...model.rows.filter((row) => hottest.has(row.line)).map((row) =>
                    h("div", { class: "row" }, heatCells(column.byLine[row.line], most.line), h("span", { class: "place" }, row.number), h("span", { class: "text" }, row.text))));
        }

        /* ---- by heat ---- */

        let order = [];
        function rank() {
            order = [...column.byLine.keys()].filter((line) => column.byLine[line] > 0).sort((a, b) => column.byLine[b] - column.byLine[a] || a - b);
            state.rank = -1;
            position.textContent = order.length + (order.length === 1 ? " line" : " lines");
        }

        function step(by) {
            if (!order.length)
                return;
            state.rank = Math.max(0, Math.min(order.length - 1, state.rank + by));
            position.textContent = (state.rank + 1) + " of " + order.length + " lines";
            selectLine(order[state.rank], true);
        }

        const select = h("select", { "aria-label": "Metric" }, model.columns.map((each) => h("option", { value: each.name, selected: each === column }, each.label)));
        select.addEventListener("change", () => { state.metric = select.value; column = find(select.value); update(); });
        const marked = h("span", {}), defined = h("span", {});
        function update() {
            measure();
            rank();
            lines.refresh();
            code.refresh();
            fillPaper();
            choose([]);
            defined.replaceChildren(term("Heat by", column.name));
            marked.replaceChildren(mark(column.mark), " total " + (column.total === null ? "n/a" : number(column.total)));
        }

        /* ---- search ---- */

        const search = h("input", { type: "search", placeholder: "Find in source and " + model.code, "aria-label": "Find in source and instructions" });
        let last = -1;
        search.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" || !search.value)
                return;
            const word = search.value.toLowerCase();
            const total = model.rows.length + model.kernel.instructions.length;
            for (let i = 1; i <= total; i++) {
                const index = (last + i) % total, isLine = index < model.rows.length;
                const text = isLine ? model.rows[index].text || "" : model.kernel.instructions[index - model.rows.length][0];
                if (text.toLowerCase().includes(word)) {
                    last = index;
                    choose([isLine ? lines.reveal(index) : code.reveal(index - model.rows.length)]);
                    return;
                }
            }
        });

        const panes = h("div", { class: "panes", "data-panes": state.panes }, lines.box, code.box);
        const layout = h("select", { "aria-label": "Panes", onchange: () => { state.panes = layout.value; panes.dataset.panes = layout.value; } },
            [["both", "source and " + model.code], ["source", "source"], ["code", model.code]].map(([value, title]) => h("option", { value, selected: value === state.panes }, title)));
        keys["n"] = ["next hottest line", () => step(1)];
        keys["p"] = ["previous hottest line", () => step(-1)];
        keys["/"] = ["find", () => search.focus()];
        container.append(h("div", { class: "bar" }, defined, select, marked,
            h("button", { onclick: () => step(-1) }, "‹ hotter"), h("button", { onclick: () => step(1) }, "next hottest ›"), position, search, layout), panes, paper, values);
        update();
        const wanted = model.kernel.lines.findIndex(([file, line]) => file >= 0 && line === Number(rest[2]) && data("source").files[model.kernel.files[file]].name === rest[1]);
        if (wanted >= 0)
            setTimeout(() => selectLine(wanted, true), 0);
        else
            setTimeout(() => step(1), 0);
    }

    warplens.addPage({ id: "source", title: "Source", order: 40, isThere: () => data("source") !== null, show });
})();
