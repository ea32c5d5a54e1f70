/* Source and instructions side by side, with a heat map by any counted metric. */
(() => {
    const { h, data, mark, term, launches, address, list } = warplens;
    /* What the reader chose, kept from launch to launch. */
    const choice = { metric: null, panes: "both", extra: [] };
    const printed_lines = 80,
        chosen_instructions = 500,
        most_stalls = 7; /* with a colour of their own */

    warplens.hasSource = (launch) => Boolean(data("source") && data("source").launches[launch.id]);

    function format(value) {
        return value.toLocaleString("en-US", { maximumFractionDigits: Number.isInteger(value) ? 0 : 2 });
    }

    /* Positions of what is not zero, the largest first. */
    function byHeat(values) {
        return [...values.keys()]
            .filter((at) => values[at] > 0)
            .sort((a, b) => values[b] - values[a] || a - b);
    }

    /* How many letters the longest tenth of some texts has at least. */
    function usualWidth(texts) {
        const lengths = texts.map((text) => text.length).filter(Boolean).sort((a, b) => a - b);
        return lengths.length ? lengths[Math.floor(0.9 * (lengths.length - 1))] : 0;
    }

    /* ---- page ---- */

    class View {
        constructor(launch) {
            this.launch = launch;
            this.model = warplens.sourceModel(launch);
            this.column = this.find(choice.metric) || this.find(this.model.heat) || this.model.columns[0];
            this.rank = -1;
            this.found = -1;
            this.chosen = [];
            this.row = 0; /* chosen last, of source */
            this.instruction = 0;
            this.findings = warplens.findings.of(launch);
            this.lines = list(this.model.rows, (row, i) => this.lineRow(row, i), "Source");
            this.code = list(
                this.model.kernel.instructions,
                (instruction, i) => this.codeRow(instruction, i),
                this.model.code,
            );
            this.lines.box.addEventListener("keydown", (event) =>
                this.onKey(event, (by) => this.moveRow(by)),
            );
            this.code.box.addEventListener("keydown", (event) =>
                this.onKey(event, (by) => this.moveInstruction(by)),
            );
            this.values = h("div", { class: "values", "aria-live": "polite" });
            this.paper = h("div", { class: "paper" });
            this.position = h("span", { class: "count" });
            this.total = h("span", {});
            this.label = h("span", {});
            this.code.pane.classList.add("of-code");
            this.panes = h("div", { class: "panes", "data-panes": choice.panes });
            this.panes.append(this.lines.pane, this.border(), this.code.pane);
        }

        /* Between the panes, which at first have room in the proportion of what stands in them. */
        border() {
            const { rows, kernel } = this.model,
                columns = 28; /* letters' room of what stands before the text */
            const left = columns + usualWidth(rows.map(({ text }) => text || "")),
                right = columns + usualWidth(kernel.instructions.map(([text]) => text));
            const start = Math.max(40, Math.min(68, (100 * left) / (left + right)));
            return warplens.splitter(this.panes, "split", { label: "Source and " + this.model.code, isUpright: true, start });
        }

        find(name) {
            return this.model.columns.find((column) => column.name === name);
        }

        /* ---- rows ---- */

        heatCells(value, most) {
            const { is_share: isShare, total } = this.column;
            const share = isShare ? value / 100 : most > 0 ? value / most : 0;
            const heat = share > 0 ? " heat-" + Math.min(5, 1 + Math.floor(share * 5)) : "";
            const percent = isShare ? value : total > 0 ? (100 * value) / total : null;
            const text = value && percent !== null && percent >= 0.05 ? percent.toFixed(1) + "%" : "";
            return [
                h("span", { class: "heat" + heat, title: value ? format(value) : null }, text),
                h("span", { class: "amount" }, value ? format(value) : ""),
            ];
        }

        /* ---- change since the baseline ---- */

        /* {text, way} of what a line has more or less of than the same line of the baseline; null where nothing changed. */
        changeAt(column, line) {
            const { base } = this.model,
                now = column.byLine[line];
            if (!base || !column.base || line < 0) return null;
            if (!base.isThere.has(line)) return now ? { text: "new", way: "" } : null;
            const by = now - column.base[line];
            if (Math.abs(by) < 0.005) return null;
            const isBetter = by < 0 !== /hit_rate|efficiency/.test(column.name);
            return { text: (by > 0 ? "+" : "−") + format(Math.abs(by)), way: isBetter ? "better" : "worse", was: column.base[line] };
        }

        changeCell(line) {
            if (!this.model.base) return null;
            const change = this.changeAt(this.column, line);
            return h(
                "span",
                {
                    class: "amount since " + (change ? change.way : ""),
                    title: change && change.was !== undefined ? "was " + format(change.was) : null,
                },
                change ? change.text : "",
            );
        }

        totalChange() {
            const { base_total: was, total } = this.column;
            if (!this.model.base || !was || total === null) return "";
            const percent = 100 * (total / was - 1);
            return h("span", { class: "facts" }, " (" + (percent > 0 ? "+" : "") + percent.toFixed(1) + " % since the baseline)");
        }

        /* ---- columns ---- */

        /* The columns that the reader added, in their order. */
        extras() {
            return choice.extra.map((name) => this.find(name)).filter((column) => column && column !== this.column);
        }

        extraCells(read) {
            return this.extras().map((column) => {
                const number = read(column);
                return h("span", { class: "amount extra", "data-column": column.name, title: column.label }, number ? format(number) : "");
            });
        }

        /* What stands above the columns of a pane. */
        fillHead(head, place, title, hasChange) {
            const { label } = this.column,
                cell = (kind, text) => h("span", { class: kind, title: text }, text);
            head.replaceChildren(
                cell("heat", this.column.isMost ? "" : "Part"),
                cell("amount", label),
                hasChange && this.model.base ? h("span", { class: "amount since", title: "change since " + data("launches").reports[1].name }, "Change") : "",
                ...this.extras().map((column) => cell("amount extra", column.label)),
                this.model.stalls.length ? cell("stalls", "Waits") : "",
                cell("place", place),
                h("span", { class: "text", title }, title),
            );
        }

        extraField() {
            const box = (column) =>
                h(
                    "label",
                    {},
                    h("input", {
                        type: "checkbox",
                        checked: choice.extra.includes(column.name),
                        value: column.name,
                        onchange: (event) => {
                            choice.extra = event.target.checked
                                ? [...choice.extra, column.name]
                                : choice.extra.filter((name) => name !== column.name);
                            this.update();
                        },
                    }),
                    " " + column.label,
                );
            return h(
                "details",
                { class: "columns" },
                h("summary", {}, "Columns"),
                h("div", { class: "choices" }, this.model.columns.map(box)),
            );
        }

        /* Findings at a line of kernel.lines. */
        findingsAt(line) {
            const { files, lines } = this.model.kernel;
            const [file, number] = lines[line];
            if (file < 0) return [];
            const name = data("source").files[files[file]].name;
            return this.findings.filter(({ place }) => place && place.file === name && place.line === number);
        }

        stallLegend() {
            const { stalls } = this.model;
            const name = (column, i) => (i < most_stalls ? column.label.replace("Warp Time, ", "") : "others");
            return h(
                "div",
                { class: "legend" },
                stalls.length ? h("span", { class: "count" }, "Waits:") : null,
                stalls
                    .slice(0, most_stalls + 1)
                    .map((column, i) => h("span", { class: "swatch" }, h("i", { class: "stall-" + i }), name(column, i))),
                this.others(),
            );
        }

        /* Shares of what warps wait for at a place, as one bar; each state has its place in the order of columns. */
        stallCell(read) {
            const { stalls } = this.model;
            if (!stalls.length) return null;
            const parts = stalls.map((column, i) => [column, read(column), i]).filter(([, value]) => value > 0);
            const sum = parts.reduce((all, [, value]) => all + value, 0);
            const title = parts
                .sort((a, b) => b[1] - a[1])
                .slice(0, 6)
                .map(([column, value]) => column.label + " " + ((100 * value) / sum).toFixed(0) + "%")
                .join("; ");
            return h(
                "span",
                { class: "stalls", title: title || null },
                parts.map(([, value, i]) =>
                    h("i", { class: "stall-" + Math.min(i, most_stalls), style: "flex-grow:" + (value / (sum || 1)).toFixed(3) }),
                ),
            );
        }

        /* Findings at an instruction, where it is one of this listing. */
        findingsIn(index) {
            const [text] = this.model.kernel.instructions[index];
            return this.findings.filter(({ place }) => place && place.instruction === index && place.ptx === text);
        }

        placeCell(found, number) {
            return h("span", { class: found.length ? "place found" : "place" }, (found.length ? "● " : "") + number);
        }

        lineRow({ heading, line, number, text }, index) {
            if (heading !== undefined) return h("div", { class: "row heading" }, heading);
            const isCounted = line >= 0,
                found = isCounted ? this.findingsAt(line) : [];
            return h(
                "div",
                {
                    class: isCounted ? "row counted" : "row",
                    "data-row": index,
                    "data-line": number,
                    onclick: () => isCounted && this.selectLine(line, false),
                },
                this.heatCells(isCounted ? this.column.byLine[line] : 0, this.mostOfLine),
                this.changeCell(isCounted ? line : -1),
                this.extraCells((column) => (isCounted ? column.byLine[line] : 0)),
                this.stallCell((column) => (isCounted ? column.byLine[line] : 0)),
                this.placeCell(found, number),
                h("span", { class: "text" }, warplens.colored(text, "source")),
                warplens.findings.margin(found, text.length),
            );
        }

        codeRow([text, pipe], index) {
            return h(
                "div",
                {
                    class: "row counted",
                    "data-instruction": index,
                    onclick: () => this.selectInstruction(index),
                },
                this.heatCells(this.column.byInstruction[index], this.mostOfInstruction),
                this.extraCells((column) => column.byInstruction[index]),
                this.stallCell((column) => column.byInstruction[index]),
                h("span", { class: "place", title: pipe }, index),
                h("span", { class: "text" }, warplens.colored(text, "code")),
                warplens.findings.margin(this.findingsIn(index)),
            );
        }

        /* ---- selection ---- */

        choose(nodes) {
            this.chosen.forEach((node) => node.classList.remove("chosen"));
            this.chosen = nodes.filter((node) => node);
            this.chosen.forEach((node) => node.classList.add("chosen"));
        }

        /* The counts of what was chosen. */
        tell(title, text, read, line = -1) {
            const there = this.model.columns.map((column) => [column, read(column)]).filter(([, n]) => n);
            const since = (column) => this.changeAt(column, line) || { text: "", way: "" };
            const row = ([column, value]) =>
                h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, term(column.label, column.name)),
                    h(
                        "td",
                        { class: "number", "data-column": column.name, "data-value": value },
                        format(value),
                        " ",
                        mark(column.mark),
                    ),
                    h(
                        "td",
                        { class: "number unit" },
                        column.is_share || !column.total
                            ? ""
                            : ((100 * value) / column.total).toFixed(1) + "%",
                    ),
                    line >= 0 && this.model.base ? h("td", { class: "number " + since(column).way }, since(column).text) : null,
                );
            const heads = ["Count", "Value", "Share"].concat(line >= 0 && this.model.base ? ["Change"] : []).map((head, i) =>
                h("th", { scope: "col", class: i ? "number" : null }, head),
            );
            const table = h("table", { class: "metrics" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, there.map(row)));
            this.notes = h("div", { class: "notes" });
            this.values.replaceChildren(
                h("div", { class: "told" }, h("h2", {}, title), h("code", { title: text }, text.trim())),
                h("div", { class: "counts" }, this.notes, h("div", { class: "flow" }, warplens.order(table, "counts"))),
            );
        }

        /* Arrows choose the next counted row of the pane that has the focus. */
        onKey(event, move) {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
            move(by);
            event.preventDefault();
        }

        moveRow(by) {
            const { rows } = this.model;
            let row = this.row + by;
            while (row >= 0 && row < rows.length && !(rows[row].line >= 0)) row += by;
            if (row >= 0 && row < rows.length) this.selectLine(rows[row].line, true);
        }

        moveInstruction(by) {
            const index = this.instruction + by;
            if (index < 0 || index >= this.model.kernel.instructions.length) return;
            this.code.reveal(index);
            this.selectInstruction(index);
        }

        selectLine(line, scrolls) {
            const { kernel, rowOf } = this.model;
            this.row = rowOf[line];
            this.keepLine(line);
            const [, number, instructions, inlined] = kernel.lines[line];
            const node = scrolls ? this.lines.reveal(rowOf[line]) : this.lines.at(rowOf[line]);
            if (instructions.length) {
                this.instruction = instructions[0];
                this.code.reveal(instructions[0]);
            }
            this.choose([
                node,
                ...instructions.slice(0, chosen_instructions).map((each) => this.code.at(each)),
            ]);
            this.tell(number ? "Line " + number : "Without a line", this.model.rows[rowOf[line]].text, (column) => column.byLine[line], line);
            this.notes.append(...this.findingsAt(line).map(warplens.findings.note));
            if (inlined) this.tellInlined(line, inlined);
        }

        tellInlined(line, names) {
            const parts = this.model.columns
                .filter((column) => column.byInlined[line])
                .slice(0, 3)
                .map((column) => column.label + " " + format(column.byInlined[line]));
            const text = "Inlined here, counted at its own lines: " + names + " (" + parts.join(", ") + ")";
            this.notes.append(h("p", { class: "facts" }, text));
        }

        selectInstruction(index) {
            const line = this.model.lineOf[index];
            this.instruction = index;
            if (line >= 0) this.row = this.model.rowOf[line];
            this.choose([this.code.at(index), line >= 0 ? this.lines.reveal(this.model.rowOf[line]) : null]);
            const [text] = this.model.kernel.instructions[index];
            this.tell(this.model.code + " " + index, text, (column) => column.byInstruction[index]);
        }

        /* ---- by heat ---- */

        /* Takes another metric. */
        update() {
            const { byLine, byInstruction, name, mark: sign, total } = this.column;
            this.mostOfLine = byLine.reduce((a, b) => Math.max(a, b), 0);
            this.mostOfInstruction = byInstruction.reduce((a, b) => Math.max(a, b), 0);
            const longest = Math.max(4, format(Math.max(this.mostOfLine, this.mostOfInstruction)).length);
            this.panes.style.setProperty("--amount", longest + 1 + "ch");
            const changes = this.model.base ? [...byLine.keys()].map((line) => (this.changeAt(this.column, line) || { text: "" }).text.length) : [];
            this.panes.style.setProperty("--since", Math.max(4, ...changes) + 1 + "ch");
            const extras = this.extras().map(({ byLine, byInstruction }) =>
                Math.max(4, format([...byLine, ...byInstruction].reduce((a, b) => Math.max(a, b), 0)).length),
            );
            this.panes.style.setProperty("--extra", Math.max(4, ...extras) + 1 + "ch");
            this.fillHead(this.lines.head, "Line", "Source", true);
            this.fillHead(this.code.head, "", this.model.code, false);
            this.order = byHeat(byLine);
            this.codeOrder = byHeat(byInstruction);
            this.rank = -1;
            this.tellRank();
            this.lines.refresh();
            this.code.refresh();
            this.lines.heat(
                this.model.rows.map(({ line }) => (line >= 0 ? byLine[line] / (this.mostOfLine || 1) : 0)),
            );
            this.code.heat([...byInstruction].map((value) => value / (this.mostOfInstruction || 1)));
            this.choose([]);
            this.fillPaper();
            const { meaning } = this.column;
            this.label.replaceChildren(meaning ? h("span", { class: "term", tabindex: 0, "data-text": meaning }, "Heat by") : term("Heat by", name));
            const sum = this.column.isMost ? " most " + format(this.mostOfInstruction) : " total " + (total === null ? "n/a" : format(total));
            this.total.replaceChildren(mark(sign), sum, this.totalChange());
            this.keep();
        }

        keep() {
            warplens.keepState({
                by: choice.metric,
                panes: choice.panes === "both" ? "" : choice.panes,
                columns: choice.extra.join(" "),
            });
        }

        /* The line stands in the address, too, so that it can be handed on. */
        keepLine(line) {
            const { files, lines } = this.model.kernel,
                [file, number] = lines[line];
            if (file < 0 || !number) return;
            const query = location.hash.split("?")[1];
            const own = address("source", this.launch.id, data("source").files[files[file]].name, number);
            history.replaceState(null, "", own + (query ? "?" + query : ""));
        }

        /* On paper, the hottest lines stand in place of panes that scroll. */
        fillPaper() {
            const hottest = new Set(this.order.slice(0, printed_lines));
            const sign = data("session").marks[this.column.mark].name;
            const row = ({ line, number, text }) =>
                h(
                    "div",
                    { class: "row" },
                    this.heatCells(this.column.byLine[line], this.mostOfLine),
                    h("span", { class: "place" }, number),
                    h("span", { class: "text" }, text),
                );
            this.paper.replaceChildren(
                h("h2", {}, "Hottest lines by " + this.column.label + " (" + sign + ")"),
                ...this.model.rows.filter(({ line }) => hottest.has(line)).map(row),
            );
        }

        /* To the next hottest line, or instruction where only those are shown. */
        step(by) {
            const isCode = choice.panes === "code",
                order = isCode ? this.codeOrder : this.order;
            if (!order.length) return;
            this.rank = Math.max(0, Math.min(order.length - 1, this.rank + by));
            this.tellRank();
            if (isCode) {
                this.code.reveal(order[this.rank]);
                this.selectInstruction(order[this.rank]);
            } else {
                this.selectLine(order[this.rank], true);
            }
        }

        tellRank() {
            const isCode = choice.panes === "code",
                count = (isCode ? this.codeOrder : this.order).length;
            const what = (isCode ? " instruction" : " line") + (count === 1 ? "" : "s");
            this.position.textContent = (this.rank < 0 ? "" : "hottest: " + (this.rank + 1) + " of ") + count + what;
        }

        /* ---- by finding ---- */

        /* Lines with findings, in order of the findings' numbers. */
        findingLines() {
            const { lines } = this.model.kernel;
            const number = (line) => Math.min(...this.findingsAt(line).map((finding) => finding.number));
            return [...lines.keys()].filter((line) => this.findingsAt(line).length).sort((a, b) => number(a) - number(b));
        }

        stepFinding() {
            const lines = this.findingLines();
            if (!lines.length) return;
            const at = lines.findIndex((line) => this.model.rowOf[line] === this.row);
            this.selectLine(lines[(at + 1) % lines.length], true);
        }

        /* ---- by change ---- */

        /* Lines that changed since the baseline, the largest change first. */
        changedLines() {
            const { base, kernel } = this.model,
                { byLine, base: before } = this.column;
            if (!base || !before) return [];
            const by = (line) => Math.abs(byLine[line] - before[line]);
            return [...kernel.lines.keys()].filter((line) => this.changeAt(this.column, line)).sort((a, b) => by(b) - by(a));
        }

        stepChange() {
            const lines = this.changedLines();
            if (!lines.length) return;
            const at = lines.findIndex((line) => this.model.rowOf[line] === this.row);
            this.selectLine(lines[(at + 1) % lines.length], true);
        }

        /* Findings of the launch that speak of no line of it. */
        others() {
            const { lines } = this.model.kernel,
                atLines = new Set([...lines.keys()].flatMap((line) => this.findingsAt(line))),
                list = this.findings.filter((finding) => !atLines.has(finding));
            if (!list.length) return "";
            return h(
                "p",
                { class: "badges" },
                "Of the whole launch: ",
                list.map((finding) => {
                    const gain = warplens.findings.gainText(finding);
                    return h(
                        "span",
                        { tabindex: 0, "data-text": finding.title + ". " + finding.advice },
                        warplens.findings.badge(finding),
                        " " + finding.id + (gain ? " (" + gain + " ?)" : "") + " ",
                    );
                }),
            );
        }

        /* ---- finding text ---- */

        findNext(word) {
            const { rows, kernel } = this.model;
            const total = rows.length + kernel.instructions.length;
            for (let i = 1; i <= total; i++) {
                const index = (this.found + i) % total,
                    code = index - rows.length;
                const text = code < 0 ? rows[index].text || "" : kernel.instructions[code][0];
                if (!text.toLowerCase().includes(word.toLowerCase())) continue;
                this.found = index;
                this.choose([code < 0 ? this.lines.reveal(index) : this.code.reveal(code)]);
                return;
            }
        }

        searchField() {
            const field = h("input", {
                type: "search",
                class: "find",
                placeholder: "Find in source and " + this.model.code,
                "aria-label": "Find in source and instructions",
            });
            field.addEventListener("keydown", (event) => {
                if (event.key === "Enter" && field.value) this.findNext(field.value);
            });
            return field;
        }

        /* ---- controls ---- */

        metricField() {
            const field = h(
                "select",
                { "aria-label": "Metric" },
                this.model.columns.map((column) =>
                    h("option", { value: column.name, selected: column === this.column }, column.label),
                ),
            );
            field.addEventListener("change", () => {
                choice.metric = field.value;
                this.column = this.find(field.value);
                this.update();
            });
            return field;
        }

        panesField() {
            const { code } = this.model;
            const options = [
                ["both", "source and " + code],
                ["source", "source"],
                ["code", code],
            ];
            const field = h(
                "select",
                { "aria-label": "Panes" },
                options.map(([value, title]) =>
                    h("option", { value, selected: value === choice.panes }, title),
                ),
            );
            field.addEventListener("change", () => {
                choice.panes = this.panes.dataset.panes = field.value;
                this.keep();
                this.rank = -1;
                this.tellRank();
            });
            return field;
        }

        /* bar: where the page's controls stand. */
        show(container, bar, keys) {
            const search = this.searchField();
            keys["n"] = ["next hottest line, or instruction", () => this.step(1)];
            keys["p"] = ["previous hottest line, or instruction", () => this.step(-1)];
            keys["f"] = ["line of the next finding", () => this.stepFinding()];
            if (this.model.base) keys["c"] = ["line of the next change since the baseline", () => this.stepChange()];
            keys["↑ ↓"] = ["line or instruction before, after, in the pane that has the focus", () => {}];
            keys["/"] = ["find", () => search.focus()];
            bar.append(
                h(
                    "div",
                    { class: "bar" },
                    this.label,
                    this.metricField(),
                    this.total,
                    h(
                        "span",
                        { class: "chooser" },
                        h("button", { onclick: () => this.step(-1), "aria-label": "Hotter", title: "p: hotter" }, "‹"),
                        this.position,
                        h("button", { onclick: () => this.step(1), "aria-label": "Next hottest", title: "n: next hottest" }, "›"),
                    ),
                    this.findingLines().length ? h("button", { onclick: () => this.stepFinding(), title: "f" }, "finding ›") : null,
                    this.model.base ? h("button", { onclick: () => this.stepChange(), title: "c" }, "change ›") : null,
                    search,
                    this.panesField(),
                    this.extraField(),
                ),
            );
            bar.classList.add("all-controls");
            container.append(this.stallLegend(), this.panes, this.paper);
            container.append(warplens.splitter(container, "dock", { label: "Counts below", isUpright: false, start: 23, least: 4, most: 70, isFromEnd: true }), this.values);
            this.update();
        }

        /* The line of an address, or -1. */
        lineAt(file, number) {
            const { files, lines } = this.model.kernel;
            return lines.findIndex(
                ([of, line]) =>
                    of >= 0 && line === Number(number) && data("source").files[files[of]].name === file,
            );
        }
    }

    /* Why there is nothing of this launch, and where there is. */
    function explain(launch) {
        const others = launches().filter(
            (each) => warplens.hasSource(each) && each.kernel_name === launch.kernel_name,
        );
        if (!others.length)
            return h("p", { class: "note" }, "Nothing was counted at the instructions of this launch.");
        return h(
            "p",
            { class: "note" },
            "The page holds counts at lines of the first " + data("source").launches_of_kernel,
            " launches of a kernel; `warplens export -s " +
                launch.id +
                " -c 1` makes one of this launch. See ",
            others.map((each, i) => [
                i ? ", " : "",
                h("a", { href: address("source", each.id) }, "launch " + each.id),
            ]),
            ".",
        );
    }

    /* What the address chooses. */
    function takeChoice() {
        const { by, panes, columns } = warplens.readState();
        if (by) choice.metric = by;
        if (["both", "source", "code"].includes(panes)) choice.panes = panes;
        if (columns !== undefined) choice.extra = columns.split(" ").filter(Boolean);
    }

    function show(container, rest, keys) {
        const launch = warplens.findLaunch(rest, container);
        if (!launch) return;
        takeChoice();
        const bar = warplens.launchBar("source", launch, keys);
        bar.append(...warplens.launchLinks(launch, "source"));
        bar.append(h("span", { class: "kernel", tabindex: 0, "data-text": launch.kernel_name }, launch.kernel_name));
        container.append(bar);
        if (!warplens.hasSource(launch)) {
            container.append(explain(launch));
            return;
        }
        const view = new View(launch);
        view.show(container, bar, keys);
        const wanted = view.lineAt(rest[1], rest[2]);
        setTimeout(() => (wanted >= 0 ? view.selectLine(wanted, true) : view.step(1)), 0);
    }

    warplens.addPage({
        id: "source",
        title: "Source",
        order: 40,
        needs: ["source", "launches", "advice"],
        isThere: () => warplens.has("source"),
        show,
    });
})();
