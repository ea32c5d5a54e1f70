/* Where the program's time goes: kernels by name and shape with their launches below, the ladder of times of each, and what
 * would help most. */
(() => {
    const { h, data, mark, address, shownTime, ladder } = warplens;
    const most_cards = 4, /* of more kernels a table is what can be read */
        most_rows = 40;
    const shown = shownTime;

    function signOf(group) {
        return group && group.mark !== undefined ? [" ", mark(group.mark)] : null;
    }

    function linksTo(launches) {
        return launches.map((each, i) => [i ? ", " : "", h("a", { href: address("details", each.id) }, String(each.id))]).flat();
    }

    /* The launches of a group by number; of very many those that the page has whole, and a table of all. */
    function launchesOf(group) {
        const most = 40,
            title = group.count.toLocaleString("en") + (group.count === 1 ? " launch" : " launches");
        if (!warplens.kindsAreBetter())
            return h(
                "details",
                {},
                h("summary", {}, title),
                linksTo(group.launches.slice(0, most)),
                group.count > most ? " and " + (group.count - most) + " more" : "",
            );
        const whole = group.wholes.slice(0, most);
        return h(
            "p",
            { class: "links" },
            h("a", { href: address("launches", group.id) }, title),
            whole.length ? h("span", {}, "with values: ", linksTo(whole)) : null,
        );
    }

    const holds = (group, id) => (group.wholes || group.launches).some((launch) => launch.id === id);

    /* Of a kernel launched in several shapes: a finding is of that of its launch, or of all where more launches have it. */
    function isOfGroup(finding, group) {
        if (finding.kernel !== group.launch.kernel_name) return false;
        const home = warplens.kinds().find((each) => holds(each, finding.launch));
        return !home || home === group || finding.launches > home.count;
    }

    function adviceOf(group) {
        const kernels = (advice().kernels || []).filter((each) => each.kernel === group.launch.kernel_name);
        return {
            kernel: kernels.find((each) => holds(group, each.launch)) || kernels.find((each) => isOfGroup(each, group)),
            found: advice().findings.filter((finding) => isOfGroup(finding, group) && finding.severity !== "note"),
        };
    }

    function kernelCard(group, whole) {
        const { launch } = group,
            { kernel, found } = adviceOf(group);
        return h(
            "section",
            { class: "card kernel-group" },
            h(
                "h2",
                {},
                h("a", { href: address("details", launch.id) }, warplens.shortName(launch)),
                h("span", { class: "facts" }, " " + group.shape),
            ),
            launch.kernel_name === launch.function ? null : h("p", { class: "kernel" }, launch.kernel_name),
            h(
                "p",
                {},
                h(
                    "meter",
                    { min: 0, max: 1, value: whole ? group.ns / whole : 0, "aria-label": "Part of the kernels' time" },
                    "",
                ),
                whole
                    ? " " + ((100 * group.ns) / whole).toFixed(1) + " % of " + (advice().time ? "what was profiled, " : "the kernels' time, ") + shown(group.ns)
                    : " no times",
                whole ? signOf(group) : null,
                kernel && kernel.verdict ? h("strong", { class: "gain" }, " · " + kernel.verdict) : null,
            ),
            kernel ? warplens.ladder(kernel) : null,
            found.length ? h("ul", { class: "findings-list" }, found.slice(0, 3).map(warplens.findings.item)) : null,
            launchesOf(group),
        );
    }

    /* ---- of more than a few kernels ---- */

    function kernelRow(group, whole, most, hasLadders) {
        const { launch } = group,
            { kernel, found } = adviceOf(group),
            parts = kernel ? ladder.parts(kernel) : [];
        return h(
            "tr",
            { class: "kernel-group" },
            h(
                "th",
                { scope: "row", class: "kernel-name" },
                h("a", { href: address("details", launch.id), title: launch.kernel_name }, warplens.shortName(launch)),
                h("span", { class: "facts" }, " " + group.shape),
            ),
            h("td", { class: "number", "data-value": group.count }, h("a", { href: launchesAddress(group) }, group.count.toLocaleString("en"))),
            h("td", { class: "number", "data-value": group.ns }, group.timed ? [shown(group.ns), signOf(group)].flat() : "n/a"),
            h("td", { class: "bars" }, h("i", { style: "width:" + (most ? (100 * group.ns) / most : 0) + "%" })),
            h("td", { class: "number", "data-value": group.ns }, whole ? ((100 * group.ns) / whole).toFixed(1) + " %" : "n/a"),
            hasLadders ? h("td", { class: "ladder-cell" }, parts.length ? ladder.bar(parts, ladder.sum(parts)) : "") : null,
            h("td", {}, found.length ? bestOf(found[0]) : h("span", { class: "facts" }, kernel && kernel.verdict !== "go on" ? kernel.verdict : "")),
        );
    }

    /* The rungs that some of these have. */
    function legend(groups) {
        const there = new Set(groups.flatMap((group) => ladder.parts(adviceOf(group).kernel || {}).map((part) => part.title)));
        return ladder.rungs
            .filter(([, title]) => there.has(title))
            .map(([, title, ink]) => h("span", { class: "swatch" }, h("i", { style: "background:var(--" + ink + ")" }), title));
    }

    const launchesAddress = (group) =>
        warplens.kindsAreBetter() ? address("launches", group.id) : group.count === 1 ? address("details", group.launch.id) : address("launches");

    function bestOf(finding) {
        const text = warplens.findings.gainText(finding);
        return [
            warplens.findings.badge(finding),
            " ",
            h("span", { tabindex: 0, "data-text": finding.title + ". " + finding.advice }, finding.id),
            text ? [" ", text, h("span", { class: "mark mark-predicted", "aria-label": "predicted" }, " ?")] : null,
        ].flat();
    }

    function kernelTable(all, whole) {
        const shownOnes = all.slice(0, most_rows),
            hasLadders = shownOnes.some((group) => ladder.sum(ladder.parts(adviceOf(group).kernel || {})) > 0);
        const heads = ["Kernel", "Launches", "Time", "", "Share", hasLadders ? "Ladder of times" : null, "What would help"].filter((head) => head !== null);
        const number = new Set(["Launches", "Time", "Share"]);
        return h(
            "section",
            { class: "card" },
            h("h2", {}, "Kernels by name and shape"),
            h(
                "div",
                { class: "scroll" },
                warplens.order(
                    h(
                        "table",
                        { class: "metrics shares" },
                        h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col", class: number.has(text) ? "number" : null }, text)))),
                        h("tbody", {}, shownOnes.map((group) => kernelRow(group, whole, all[0].ns, hasLadders))),
                    ),
                    "kernels",
                ),
            ),
            hasLadders ? h("p", { class: "legend" }, legend(shownOnes)) : null,
            all.length > most_rows
                ? h("p", { class: "count" }, (all.length - most_rows).toLocaleString("en") + " more: ", h("a", { href: address("launches") }, "all launches"))
                : "",
        );
    }

    function advice() {
        return data("advice") || { findings: [], kernels: [] };
    }

    /* The findings that save most of the time there is here: each names its kernel, and what that is of the whole, which `of` names:
     * the program, where its time is known. Of those that save the same time the first. */
    function best(whole, of) {
        const found = advice().findings.filter((finding) => finding.gain && !finding.overlaps && finding.severity !== "note");
        if (!found.length) return "";
        const row = (finding) => {
            const ns = finding.gain.saved_ns;
            return h(
                "tr",
                {},
                h("td", {}, warplens.findings.badge(finding)),
                h("th", { scope: "row" }, warplens.findings.place(finding)),
                h("td", {}, h("a", { href: address("advice", finding.number) }, finding.id), ": " + finding.title),
                h("td", { class: "number" }, Math.round(100 * finding.gain.saved) + " % of it"),
                h(
                    "td",
                    { class: "number" },
                    ns ? shown(ns) : "",
                    ns && whole ? ", " + ((100 * ns) / whole).toFixed(1) + " %" : "",
                    h("span", { class: "mark mark-predicted", "aria-label": "predicted" }, " ?"),
                ),
            );
        };
        const heads = ["", "Where", "What", "Saves", whole ? of : "Time"];
        return h(
            "section",
            { class: "card" },
            h("h2", {}, "What would help most"),
            h(
                "div",
                { class: "scroll" },
                h(
                    "table",
                    { class: "metrics best" },
                    h("thead", {}, h("tr", {}, heads.map((text, i) => h("th", { scope: "col", class: i > 2 ? "number" : null }, text)))),
                    h("tbody", {}, found.slice(0, 5).map(row)),
                ),
            ),
            h("p", { class: "links" }, h("a", { href: address("advice") }, "All findings"), warplens.has("guide") ? h("a", { href: address("guide") }, "The guided walk") : null),
        );
    }

    /* What the rules say comes after the times: of a large report it takes a while. */
    async function show(container) {
        draw(container);
        if (!warplens.isServed || data("advice")) return;
        await warplens.need(["advice", "source"]);
        if (!container.isConnected) return;
        container.replaceChildren();
        draw(container);
    }

    function draw(container) {
        const all = warplens.has("launches") ? warplens.kinds() : [],
            whole = all.reduce((sum, group) => sum + group.ns, 0),
            { time } = advice(),
            /* of a traced program some launches are profiled, its findings are of all of them */
            told = time && time.program.ns;
        container.append(
            ...(time ? warplens.programTime(time, !all.length) : []),
            best(told || whole, told ? "Of the program" : "Of all kernels' time"),
            all.length
                ? h(
                      "p",
                      { class: "count" },
                      all.length.toLocaleString("en") + (all.length === 1 ? " kernel" : " kernels by name and shape") + (told ? " profiled" : ""),
                      whole ? [", " + shown(whole) + " in all", signOf(all[0])].flat() : null,
                  )
                : "",
            ...(all.length > most_cards ? [kernelTable(all, whole)] : all.map((group) => kernelCard(group, whole))),
        );
    }

    warplens.addPage({
        id: "program",
        title: "Program",
        order: 7,
        needs: ["launches"],
        isThere: () => warplens.has("launches") || warplens.has("timeline"),
        show,
    });
})();
