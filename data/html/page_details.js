/* The details of one launch: its sections as tables. */
(() => {
    const { h, data, value, cell, term, drawing, launches, launchTitle, go, address } = warplens;
    const time_metric = "gpu__time_duration.sum",
        most_absent = 6; /* values that a drawing may lack and still be worth its place */
    /* What is read first of a launch. */
    const key_facts = [
        ["Duration", time_metric],
        ["Compute", "sm__throughput.avg.pct_of_peak_sustained_elapsed"],
        ["Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"],
        ["Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"],
        ["Theoretical", "sm__maximum_warps_per_active_cycle_pct"],
        ["Registers", "launch__registers_per_thread"],
        ["DRAM", "dram__bytes.sum"],
        ["Waves", "launch__waves_per_multiprocessor"],
    ];

    function isEmpty(section, launch) {
        const all = section.metrics
            .map((pair) => pair[1])
            .concat(section.tables.flatMap((table) => table.rows.flatMap((row) => row.cells)));
        return (
            !section.absent &&
            all.every((index) => index === null || value(launch, index).reason !== undefined)
        );
    }

    /* Reasons why metrics are absent, each once with the labels it is true of. */
    function absent(section, launch) {
        const reasons = new Map();
        for (const [label, index] of section.metrics) {
            const { reason } = value(launch, index);
            if (reason !== undefined) reasons.set(reason, (reasons.get(reason) || []).concat(label));
        }
        return [...reasons].map(([reason, labels]) =>
            h("p", { class: "absent" }, labels.join(", ") + ": " + reason),
        );
    }

    /* Change since the same launch of the first baseline. */
    function changeCell(launch, base, index) {
        const now = value(launch, index),
            before = value(base, index);
        if (now.number === undefined || before.number === undefined)
            return h(
                "td",
                { class: "number absent" },
                before.reason === undefined && before.shown !== now.shown ? "was " + before.shown : "",
            );
        const percent = before.number ? 100 * (now.number / before.number - 1) : null;
        const text =
            now.number === before.number
                ? "same"
                : percent === null
                  ? "new"
                  : (percent > 0 ? "+" : "") + percent.toFixed(1) + " %";
        return h(
            "td",
            {
                class: "number since",
                tabindex: 0,
                "data-value": percent,
                "data-text": data("launches").reports[1].name + ": " + before.shown + " " + before.unit,
            },
            text,
        );
    }

    /* The launch of the first baseline that this one is compared with: the same invocation of the same kernel; null
     * where there is none. */
    function baseOf(launch) {
        if (!data("launches").reports[1]) return null;
        const base = { launches: launches(1) };
        for (const key of ["kernel_name", "function"]) {
            const same = (each) => each[key] === launch[key];
            const found = base.launches.filter(same)[launches().filter(same).indexOf(launch)];
            if (found) return found;
        }
        return base.launches.length === launches().length ? base.launches[launches().indexOf(launch)] : null;
    }

    function metricTable(section, launch, base) {
        const there = section.metrics.filter(([, index]) => value(launch, index).reason === undefined);
        if (!there.length) return null;
        const made = h(
            "table",
            { class: "metrics" },
            base ? h("thead", {}, h("tr", {}, ["Metric", "Value", "Change"].map((title, i) => h("th", { scope: "col", class: i ? "number" : null }, title)))) : null,
            h(
                "tbody",
                {},
                there.map(([label, index]) =>
                    h(
                        "tr",
                        {},
                        h("th", { scope: "row" }, term(label, data("launches").metrics[index].name)),
                        cell(launch, index, true),
                        base ? changeCell(launch, base, index) : null,
                    ),
                ),
            ),
        );
        return base ? warplens.order(made, section.identifier) : made;
    }

    /* Of a table without a value only why. */
    function otherTable(table, launch) {
        const indices = table.rows.flatMap((row) => row.cells).filter((index) => index !== null),
            reasons = new Set(indices.map((index) => value(launch, index).reason));
        if (indices.length && !reasons.has(undefined)) return h("p", { class: "absent" }, table.name + ": " + [...reasons].join("; "));
        const made = h(
                "table",
                { class: "metrics" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        h("th", { scope: "col" }, table.name),
                        table.columns.map((column) => h("th", { scope: "col", class: "number" }, column)),
                    ),
                ),
                h(
                    "tbody",
                    {},
                    table.rows.map((row) =>
                        h(
                            "tr",
                            {},
                            h("th", { scope: "row" }, row.label),
                            row.cells.map((index) =>
                                index === null ? h("td", {}) : definedCell(launch, index),
                            ),
                        ),
                    ),
                ),
            );
        return h("div", { class: "scroll" }, warplens.order(made, table.name));
    }

    function definedCell(launch, index) {
        const node = cell(launch, index, false);
        node.setAttribute("data-define", data("launches").metrics[index].name);
        node.setAttribute("tabindex", 0);
        return node;
    }

    /* A served page brings the drawings of one launch, a file has those of all. */
    const drawingsName = (launch) => (warplens.isServed ? "drawings:" + launch.id : "drawings");

    function drawingsOf(launch) {
        const section = data(drawingsName(launch));
        return { section, own: section.launches[warplens.isServed ? 0 : warplens.wholes().findIndex(({ id }) => id === launch.id)] };
    }

    /* Numbers of findings that a drawing is about. */
    function badges(list) {
        if (!list.length) return null;
        return h(
            "p",
            { class: "facts badges" },
            list.map((finding) => [warplens.findings.badge(finding), " " + finding.id + " "]),
        );
    }

    /* All drawings of the launch, and below why there are no others. */
    function drawings(launch, found) {
        const { section: drawn, own } = drawingsOf(launch);
        const { charts } = drawn;
        const there = charts.filter(({ name }) => typeof own[name] === "number");
        const body = (name, section) => {
            const node = drawing(own[name], section, drawn),
                list = badges(found.filter((finding) => finding.section === section));
            const absent = [...node.querySelectorAll("text")].filter((text) => text.textContent === "n/a").length;
            if (absent < most_absent) return [node, list];
            const title = node.querySelector("figcaption").textContent;
            return [h("details", {}, h("summary", {}, title + ": most of it was not measured"), node), list];
        };
        const missing = charts.filter(({ name }) => typeof own[name] !== "number");
        return h(
            "div",
            { class: "drawings" },
            there.map(({ name, section }) =>
                h(
                    "section",
                    { class: "card drawing-" + name, id: "section-drawing-" + name },
                    body(name, section),
                ),
            ),
            missing.length
                ? h(
                      "p",
                      { class: "absent" },
                      "Not drawn: " + missing.map(({ name }) => name + " (" + own[name] + ")").join(", "),
                  )
                : null,
        );
    }

    function card(section, launch, base, found) {
        return h(
            "section",
            { class: "card", id: "section-" + section.identifier },
            h("h2", {}, term(section.name, section.identifier)),
            section.absent ? h("p", { class: "absent" }, section.absent) : null,
            metricTable(section, launch, base),
            section.tables.map((table) => otherTable(table, launch)),
            absent(section, launch),
            found.filter((finding) => finding.section === section.identifier).map(warplens.findings.note),
        );
    }

    /* All findings of the launch; each leads to its section, those without one stand here whole. */
    function findings(all, sections, launch) {
        if (!all.length) return "";
        const titles = new Map(sections.map((section) => [section.identifier, section.name]));
        const whole = all.filter((finding) => !titles.has(finding.section));
        const item = (finding) => {
            const node = warplens.findings.item(finding);
            if (!titles.has(finding.section)) return node;
            node.append(
                " ",
                h("a", { class: "facts", href: address("details", launch.id, finding.section) }, "↓ " + titles.get(finding.section)),
            );
            return node;
        };
        return h(
            "section",
            { class: "card", id: "section-findings" },
            h("h2", {}, "Findings"),
            h("ul", { class: "findings-list" }, all.map(item)),
            whole.map(warplens.findings.note),
        );
    }

    /* Which launch, and the ones before and after it. Shared with other pages of one launch. */
    warplens.launchBar = (page, launch, keys) => {
        const all = launches();
        const position = all.indexOf(launch);
        const step = (by) => {
            const next = all[position + by];
            if (next) go(page, next.id);
        };
        const most = 1000; /* those around it, where a list of all would be too long */
        const from = Math.max(0, Math.min(position - most / 2, all.length - most));
        const select = h(
            "select",
            { "aria-label": "Launch", onchange: () => go(page, select.value) },
            all
                .slice(from, from + most)
                .map((each) => h("option", { value: each.id, selected: each === launch }, launchTitle(each))),
        );
        keys["["] = ["previous launch", () => step(-1)];
        keys["]"] = ["next launch", () => step(1)];
        const button = (by, sign, name) => h("button", { onclick: () => step(by), disabled: !all[position + by], "aria-label": name }, sign);
        return h(
            "div",
            { class: "bar" },
            h("span", { class: "chooser" }, button(-1, "‹", "Previous launch"), select, button(1, "›", "Next launch")),
        );
    };

    /* To the other pages of the launch. */
    warplens.launchLinks = (launch, own) =>
        [
            ["details", "Details"],
            ["source", "Source"],
        ]
            .filter(([page]) => page !== own)
            .filter(([page]) => page !== "source" || warplens.hasSource(launch))
            .map(([page, title]) => h("a", { href: address(page, launch.id) }, title + " of this launch"));

    /* The launch of an address, the first where it names none (of very many, one of those that take most); of an unknown one it says so and gives null. */
    warplens.findLaunch = (rest, container) => {
        if (rest[0] === undefined || rest[0] === "") return warplens.kindsAreBetter() ? warplens.kinds()[0].launch : launches()[0];
        const named = warplens.launch(Number(rest[0])),
            found = named && String(named.id) === rest[0] ? named : null;
        if (!found && container)
            container.append(
                h(
                    "p",
                    { class: "note" },
                    "There is no launch " + rest[0] + " here; ",
                    h("a", { href: address("launches") }, "all launches"),
                    ".",
                ),
            );
        return found;
    };

    function notes(launch) {
        const list = launch.notes.map((note) =>
            h("p", { class: "note note-" + note.severity }, note.text + (note.hint ? " — " + note.hint : "")),
        );
        if (launch.status === "failed")
            list.unshift(h("p", { class: "note note-error" }, "Failed: " + launch.message));
        if (launch.is_stand_in)
            list.push(h("p", { class: "note" }, "A stand-in: Warplens' own kernel in place of a library's."));
        return list;
    }

    /* A served page brings the what-if of one launch, a file has that of all. */
    const whatifName = (launch) => (warplens.isServed ? "whatif:" + launch.id : "whatif");

    /* The first numbers of a launch, with the change where there is a baseline. */
    function keyFacts(launch, base) {
        const { metrics } = data("launches");
        const fact = ([label, name]) => {
            const index = metrics.findIndex((metric) => metric.name === name);
            if (index < 0 || value(launch, index).reason !== undefined) return null;
            const { shown, unit, mark, number } = value(launch, index),
                was = base ? value(base, index).number : undefined,
                percent = was && number !== undefined && number !== was ? 100 * (number / was - 1) : null;
            return h(
                "div",
                {},
                h("dt", {}, term(label, name)),
                h(
                    "dd",
                    {},
                    h("strong", {}, shown),
                    h("span", { class: "unit" }, /^(register|%)/.test(unit) ? (unit === "%" ? " %" : "") : " " + unit),
                    " ",
                    warplens.mark(mark),
                    percent === null ? null : h("span", { class: "facts" }, " " + (percent > 0 ? "+" : "") + percent.toFixed(1) + " %"),
                ),
            );
        };
        return h("dl", { class: "key-facts" }, key_facts.map(fact));
    }

    function place(launch) {
        return h(
            "p",
            { class: "facts" },
            "Process " +
                launch.process_id +
                ", context " +
                launch.context +
                ", stream " +
                launch.stream +
                ", device " +
                launch.device +
                (launch.nvtx_range ? ", range " + launch.nvtx_range : ""),
        );
    }

    /* Of a launch whose values a file does not have: what is known of it, and which launches like it are there whole. */
    function showTime(container, launch, keys) {
        const kind = warplens.kindOf(launch),
            time = data("launches").metrics.findIndex((metric) => metric.name === time_metric);
        container.append(
            warplens.launchBar("details", launch, keys),
            h("p", { class: "kernel" }, launch.kernel_name),
            place(launch),
            ...notes(launch),
            h(
                "div",
                { class: "cards" },
                h(
                    "section",
                    { class: "card" },
                    h(
                        "table",
                        { class: "metrics" },
                        h(
                            "tbody",
                            {},
                            h("tr", {}, h("th", { scope: "row" }, "Begins after the first launch"), h("td", { class: "number" }, warplens.shownTime(launch.start_ns))),
                            h("tr", {}, h("th", { scope: "row" }, term("Duration", time_metric)), cell(launch, time, true)),
                        ),
                    ),
                ),
            ),
            h("p", { class: "note" }, warplens.reasonOf(launch).replace(/^t/, "T") + "."),
            h(
                "p",
                { class: "links" },
                kind.wholes.slice(0, 40).map((each) => h("a", { href: address("details", each.id) }, "Launch " + each.id + " of this kernel and shape, with values")),
                h("a", { href: address("launches", kind.id) }, "All " + kind.count.toLocaleString("en") + " launches of this kernel and shape"),
            ),
        );
    }

    /* Where its time goes, from what cannot be avoided to what can; of another launch of the kernel where only that is known. */
    function ladderCard(launch) {
        const kernels = ((data("advice") || {}).kernels || []).filter((each) => each.kernel === launch.kernel_name),
            kernel = kernels.find((each) => each.launch === launch.id) || kernels[0],
            picture = kernel ? warplens.ladder(kernel) : null;
        if (!picture) return "";
        return h(
            "section",
            { class: "card", id: "section-ladder" },
            h(
                "h2",
                {},
                "Ladder of times",
                h("span", { class: "facts" }, kernel.launch === launch.id ? "" : " of launch " + kernel.launch),
                kernel.verdict && kernel.verdict !== "go on" ? h("strong", { class: "gain" }, " · " + kernel.verdict) : null,
            ),
            picture,
        );
    }

    /* ---- what is on the page ---- */

    /* Brings a part of the page to sight, and puts it into the address. */
    function reveal(launch, id) {
        const node = document.getElementById("section-" + id);
        if (!node) return;
        document.querySelectorAll(".card.chosen").forEach((card) => card.classList.remove("chosen"));
        node.classList.add("chosen");
        node.scrollIntoView({ block: "start" });
        const query = location.hash.split("?")[1];
        history.replaceState(null, "", address("details", launch.id, id) + (query ? "?" + query : ""));
    }

    /* The parts in their order, with the numbers of the findings that stand there. */
    function contents(content, launch, found) {
        const titleOf = (card) => (card.querySelector("h2, figcaption, summary") || card).textContent.split(" · ")[0];
        const item = (card) => {
            const id = card.id.replace("section-", ""),
                own = found.filter((finding) => finding.section === id && finding.severity !== "note");
            const link = h(
                "a",
                {
                    href: address("details", launch.id, id),
                    onclick: (event) => {
                        event.preventDefault();
                        reveal(launch, id);
                    },
                },
                titleOf(card),
            );
            return h("li", {}, link, own.map((finding) => [" ", warplens.findings.badge(finding)]));
        };
        return h("nav", { class: "contents", "aria-label": "On this page" }, h("ul", {}, [...content.querySelectorAll(".card[id]")].map(item)));
    }

    async function show(container, rest, keys) {
        const launch = warplens.findLaunch(rest, container);
        if (!launch) return;
        if (!warplens.isServed && !launch.values) return showTime(container, launch, keys);
        if (warplens.isServed) {
            await Promise.all([warplens.fill([launch]), warplens.need([drawingsName(launch), whatifName(launch)])]);
            if (!container.isConnected || !launch.values) return;
        }
        const found = baseOf(launch),
            base = found && found.values ? found : null;
        const ownFindings = warplens.findings.of(launch);
        const sections = data("launches").sections.filter(
            (section) => launch.status !== "failed" || !isEmpty(section, launch),
        );
        const bar = warplens.launchBar("details", launch, keys);
        bar.append(...warplens.launchLinks(launch, "details"));
        const content = h(
            "div",
            { class: "content" },
            keyFacts(launch, base),
            base
                ? h(
                      "p",
                      { class: "facts" },
                      "Changes are since launch " +
                          base.id +
                          " of " +
                          data("launches").reports[1].name +
                          ": " +
                          base.kernel_name,
                  )
                : "",
            ladderCard(launch),
            findings(ownFindings, sections, launch),
            warplens.causes(data(whatifName(launch)), launch) || "",
            drawings(launch, ownFindings),
            h(
                "div",
                { class: "cards" },
                sections.map((section) => card(section, launch, base, ownFindings)),
            ),
        );
        container.append(
            bar,
            h("p", { class: "kernel" }, launch.kernel_name),
            place(launch),
            ...notes(launch),
            h("div", { class: "with-contents" }, contents(content, launch, ownFindings), content),
        );
        if (rest[1]) setTimeout(() => reveal(launch, rest[1]), 0);
    }

    warplens.addPage({
        id: "details",
        title: "Details",
        order: 20,
        isThere: () => warplens.has("launches"),
        needs: ["launches", "advice", "source"],
        show,
    });
})();
