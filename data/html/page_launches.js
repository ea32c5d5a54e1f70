/* The table of launches; of very many that are alike a row for each kernel and shape, and a table of the launches of each. */
(() => {
    const { h, data, value, cell, mark, shownTime, scaledTime, launches, triple, go, address } = warplens;
    const time_metric = "gpu__time_duration.sum";
    const states = new Map(); /* of each table that was shown */

    function stateOf(name) {
        if (!states.has(name)) states.set(name, { sort: null, isDown: false, search: "", current: 0 });
        return states.get(name);
    }

    /* ---- columns ---- */

    const id_column = {
        label: "ID",
        key: (launch) => launch.id,
        cell: (launch) => h("td", { class: "number" }, h("a", { href: address("details", launch.id) }, launch.id)),
    };
    const begin_column = {
        label: "Begins",
        key: (launch) => launch.start_ns,
        cell: (launch) => h("td", { class: "number", title: "after the first launch" }, shownTime(launch.start_ns)),
    };

    /* of(row): the launch whose kernel and shape they show. */
    function identity(of) {
        return [
            {
                label: "Kernel",
                isName: true,
                key: (row) => warplens.shortName(of(row)),
                cell: (row) =>
                    h(
                        "td",
                        { class: "name", title: of(row).kernel_name },
                        warplens.shortName(of(row)),
                        of(row).status === "failed" ? h("strong", { class: "failed" }, " failed") : null,
                    ),
            },
            ...[
                ["Grid", "grid_size"],
                ["Block", "block_size"],
            ].map(([label, field]) => ({
                label,
                key: (row) => of(row)[field].reduce((a, b) => a * b),
                cell: (row) => h("td", { class: "number" }, triple(of(row)[field])),
            })),
        ];
    }

    /* Whether a column has values of the rows only that were looked at: nothing to sort by. */
    function isLater(index) {
        return warplens.isServed && launches().some((launch) => !launch.values && value(launch, index).isLater);
    }

    function measures(of) {
        return data("launches").columns.map(([label, index]) => ({
            label,
            index,
            name: data("launches").metrics[index].name,
            isLater: isLater(index),
            key: (row) => {
                const found = value(of(row), index);
                return found.number === undefined ? (found.reason === undefined ? found.shown : null) : found.number;
            },
            cell: (row) => cell(of(row), index, true),
        }));
    }

    function timeCell(kind, ns) {
        if (!kind.timed) return h("td", { class: "number absent" }, "n/a");
        const [shown, unit] = scaledTime(ns);
        return h("td", { class: "number", "data-value": ns }, shown, h("span", { class: "unit" }, " " + unit), " ", mark(kind.mark));
    }

    function timeColumn(label, read) {
        return {
            label,
            key: (kind) => (kind.timed ? read(kind) : null),
            cell: (kind) => timeCell(kind, read(kind)),
        };
    }

    function kindColumns(kinds) {
        const whole_ns = kinds.reduce((sum, kind) => sum + kind.ns, 0);
        const isThere = ({ index }) => kinds.some((kind) => value(kind.launch, index).reason === undefined);
        const of = (kind) => kind.launch;
        return [
            ...identity(of),
            {
                label: "Launches",
                key: (kind) => kind.count,
                cell: (kind) => h("td", { class: "number" }, kind.count.toLocaleString("en")),
            },
            timeColumn("Total", (kind) => kind.ns),
            {
                label: "Share",
                key: (kind) => kind.ns,
                cell: (kind) => h("td", { class: "number" }, whole_ns ? ((100 * kind.ns) / whole_ns).toFixed(1) + " %" : "n/a"),
            },
            timeColumn("Mean", (kind) => kind.ns / kind.count),
            timeColumn("Least", (kind) => kind.least),
            timeColumn("Most", (kind) => kind.most),
            ...measures(of).filter((column) => column.name !== time_metric && (warplens.isServed || isThere(column))),
        ];
    }

    function textOf(launch) {
        return (
            launch.id + " " + launch.kernel_name + " " + (launch.nvtx_range || "") + " " + triple(launch.grid_size) + " " + triple(launch.block_size)
        );
    }

    /* ---- what stands out ---- */

    function remarks() {
        const found = new Map();
        const add = (text, launch) => {
            if (!found.has(text)) found.set(text, []);
            found.get(text).push(launch.id);
        };
        for (const launch of launches()) {
            if (launch.status === "failed") add("failed: " + launch.message, launch);
            for (const index of launch.status === "failed" || !launch.values ? [] : data("launches").remarks) {
                const remark = value(launch, index);
                if (remark.reason === undefined)
                    add(remark.shown + " (" + data("session").marks[remark.mark].name + ")", launch);
            }
        }
        return [...found].map(([text, ids]) =>
            h(
                "li",
                {},
                ids
                    .slice(0, 8)
                    .map((id, i) => [i ? ", " : "", h("a", { href: address("details", id) }, id)])
                    .flat(),
                ids.length > 8 ? " and " + (ids.length - 8) + " more" : "",
                ": " + text,
            ),
        );
    }

    function showRemarks(container) {
        const noted = remarks();
        const most = 20;
        if (!noted.length) return;
        container.append(
            h("h2", {}, "What stands out, by ID"),
            h("ul", { class: "remarks" }, noted.slice(0, most)),
            noted.length > most
                ? h(
                      "details",
                      {},
                      h("summary", {}, noted.length - most + " more"),
                      h("ul", { class: "remarks" }, noted.slice(most)),
                  )
                : "",
        );
    }

    /* ---- tables ---- */

    /* The values of rows that came without them, but have some. */
    async function bring(rows, table) {
        if (!warplens.isServed) return;
        const of = (row) => (row.launches ? row.launch : row);
        for (const launch of await warplens.fill(rows.map(of).filter((each) => !each.uncounted))) {
            const row = rows.find((each) => of(each) === launch);
            if (launch.values) table.renew(row);
        }
    }

    function showTable(container, keys, name, options, links, searched = "kernels, ranges, shapes") {
        const table = warplens.launchTable({ bring, state: stateOf(name), ...options });
        table.show(container, keys, "Search " + searched, links);
        table.fill();
    }

    function link(title, ...parts) {
        return h("a", { href: address("launches", ...parts) }, title);
    }

    function showKinds(container, keys) {
        const rows = warplens.kinds();
        const options = {
            rows,
            columns: kindColumns(rows),
            textOf: (kind) => textOf(kind.launch),
            open: (id) => go("launches", id),
            noun: ["kernel by name and shape", "kernels by name and shape"],
        };
        showTable(container, keys, "kinds", options, [link("All " + warplens.lists().ids.length.toLocaleString("en") + " launches", "all")]);
        const { untimed } = warplens.lists().groups;
        if (untimed)
            container.append(
                h("p", { class: "count" }, "Not timed, and taken to be as long as the others of their kind: " + untimed.toLocaleString("en") + " launches"),
            );
        showRemarks(container);
    }

    function showAll(container, keys, links) {
        const own = (launch) => launch;
        const options = {
            rows: launches(),
            columns: [id_column, ...identity(own), ...measures(own)],
            textOf,
            open: (id) => go("details", id),
            noun: ["launch", "launches"],
        };
        showTable(container, keys, "all", options, links);
        showRemarks(container);
    }

    /* Launches of the kind that one belongs to, from the lists. */
    function showKind(container, keys, launch) {
        const kind = warplens.kindOf(launch),
            own = (each) => each,
            rows = kind.launches;
        const isThere = ({ index }) => rows.some((each) => value(each, index).isLater || value(each, index).reason === undefined);
        const [time, ...others] = measures(own);
        container.append(
            h("p", { class: "kernel" }, launch.kernel_name),
            h("p", { class: "facts" }, kind.shape + (kind.timed ? ", " + scaledTime(kind.ns).join(" ") + " in all " : ""), kind.timed ? mark(kind.mark) : ""),
        );
        const options = {
            rows,
            columns: [id_column, begin_column, time, ...others.filter(isThere)],
            textOf: (each) => each.id + " " + (each.nvtx_range || ""),
            open: (id) => go("details", id),
            noun: ["launch", "launches"],
        };
        const links = [
            link("All kernels"),
            kind.wholes.slice(0, 8).map((each) => h("a", { href: address("details", each.id) }, "Values of launch " + each.id)),
        ];
        showTable(container, keys, "kind " + kind.id, options, links, "IDs, ranges");
    }

    function show(container, rest, keys) {
        const isByKind = warplens.kindsAreBetter();
        const launch = rest[0] && rest[0] !== "all" ? warplens.findLaunch(rest, container) : null;
        if (launch) showKind(container, keys, launch);
        else if (isByKind && rest[0] !== "all") showKinds(container, keys);
        else showAll(container, keys, isByKind ? [link("By kernel and shape")] : undefined);
    }

    warplens.addPage({
        id: "launches",
        title: "Launches",
        order: 10,
        isThere: () => warplens.has("launches"),
        needs: ["launches", "session"],
        show,
    });
})();
