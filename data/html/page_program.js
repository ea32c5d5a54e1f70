/* Where the program's time goes: kernels by name and shape with their launches below, the ladder of times of each, and what
 * would help most. */
(() => {
    const { h, data, mark, address } = warplens;
    /* Rungs of the ladder, from what cannot be avoided to what can. */
    const rungs = [
        ["ideal", "least work", "exact"],
        ["launch", "the launch itself", "dim"],
        ["excess", "work in excess", "bad"],
        ["atomics", "atomics", "modelled"],
        ["starts", "blocks that start", "modelled"],
        ["idle", "SMs without work", "predicted"],
        ["wait", "warps wait", "link"],
    ];

    function shown(ns) {
        return warplens.timelineDraw.shownTime(ns);
    }

    function signOf(group) {
        return group && group.mark !== undefined ? [" ", mark(group.mark)] : null;
    }

    /* One bar from the least to the time it took; each part says what it is. */
    function ladder(kernel) {
        const parts = rungs
            .map(([key, title, ink]) => ({ title, ink, ns: (kernel.ladder_ns || {})[key] || 0 }))
            .filter((part) => part.ns > 0);
        const whole = parts.reduce((sum, part) => sum + part.ns, 0);
        if (!whole) return null;
        return h(
            "figure",
            { class: "ladder" },
            h(
                "div",
                { class: "rungs", role: "img", "aria-label": parts.map((part) => part.title + " " + shown(part.ns)).join(", ") },
                parts.map((part) =>
                    h("i", {
                        style: "flex-grow:" + part.ns / whole + ";background:var(--" + part.ink + ")",
                        title: part.title + ": " + shown(part.ns),
                    }),
                ),
            ),
            h(
                "figcaption",
                {},
                parts.map((part) =>
                    h(
                        "span",
                        { class: "swatch" },
                        h("i", { style: "background:var(--" + part.ink + ")" }),
                        part.title + " " + shown(part.ns) + " (" + Math.round((100 * part.ns) / whole) + " %) ",
                        mark(2),
                    ),
                ),
            ),
        );
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

    function kernelCard(group, whole) {
        const { launch } = group;
        const kernel = (advice().kernels || []).find((each) => each.launch === launch.id || each.kernel === launch.kernel_name);
        const found = advice().findings.filter(
            (finding) => finding.kernel === launch.kernel_name && finding.severity !== "note",
        );
        return h(
            "section",
            { class: "card kernel-group" },
            h(
                "h2",
                {},
                h("a", { href: address("details", launch.id) }, launch.function),
                h("span", { class: "facts" }, " " + group.shape),
            ),
            h("p", { class: "kernel" }, launch.kernel_name),
            h(
                "p",
                {},
                h(
                    "meter",
                    { min: 0, max: 1, value: whole ? group.ns / whole : 0, "aria-label": "Part of the kernels' time" },
                    "",
                ),
                whole
                    ? " " + ((100 * group.ns) / whole).toFixed(1) + " % of the kernels' time, " + shown(group.ns)
                    : " no times",
                whole ? signOf(group) : null,
                kernel && kernel.verdict ? h("strong", { class: "gain" }, " · " + kernel.verdict) : null,
            ),
            kernel ? ladder(kernel) : null,
            found.length ? h("ul", { class: "findings-list" }, found.slice(0, 3).map(warplens.findings.item)) : null,
            launchesOf(group),
        );
    }

    function advice() {
        return data("advice") || { findings: [], kernels: [] };
    }

    function best() {
        const found = advice().findings.filter((finding) => finding.gain && finding.severity !== "note");
        if (!found.length) return "";
        return h(
            "section",
            { class: "card" },
            h("h2", {}, "What would help most"),
            h("ul", { class: "findings-list" }, found.slice(0, 5).map(warplens.findings.item)),
            h("p", { class: "links" }, h("a", { href: address("advice") }, "All findings"), h("a", { href: address("guide") }, "The guided walk")),
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
        const all = warplens.kinds(),
            whole = all.reduce((sum, group) => sum + group.ns, 0),
            most = 30;
        container.append(
            best(),
            h(
                "p",
                { class: "count" },
                all.length + (all.length === 1 ? " kernel" : " kernels by name and shape"),
                whole ? [", " + shown(whole) + " in all", signOf(all[0])].flat() : null,
            ),
            ...all.slice(0, most).map((group) => kernelCard(group, whole)),
            all.length > most
                ? h("p", { class: "count" }, all.length - most + " more: ", h("a", { href: address("launches") }, "all launches"))
                : "",
        );
    }

    warplens.addPage({
        id: "program",
        title: "Program",
        order: 7,
        needs: ["launches"],
        isThere: () => warplens.has("launches"),
        show,
    });
})();
