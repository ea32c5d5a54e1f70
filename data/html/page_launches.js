/* The table of launches: sorted by any column, searched, walked with the keyboard. */
(() => {
    const { h, data, value, cell, term, launches, triple, go, address } = warplens;
    const chunk = 200; /* rows that are put into the document at once */
    const state = { sort: null, isDown: false, search: "", current: 0 };

    function columns() {
        const own = [
            { label: "ID", key: (launch) => launch.id, cell: (launch) => h("td", { class: "number" }, h("a", { href: address("details", launch.id) }, launch.id)) },
            { label: "Kernel", key: (launch) => launch.function, cell: (launch) => h("td", { class: "name", title: launch.kernel_name }, launch.function,
                launch.status === "failed" ? h("strong", { class: "failed" }, " failed") : null) },
            { label: "Grid", key: (launch) => launch.grid_size.reduce((a, b) => a * b), cell: (launch) => h("td", { class: "number" }, triple(launch.grid_size)) },
            { label: "Block", key: (launch) => launch.block_size.reduce((a, b) => a * b), cell: (launch) => h("td", { class: "number" }, triple(launch.block_size)) },
        ];
        return own.concat(data("launches").columns.map(([label, index]) => ({
            label, index,
            key: (launch) => { const found = value(launch, index); return found.number === undefined ? found.reason === undefined ? found.shown : null : found.number; },
            cell: (launch) => cell(launch, index, true),
        })));
    }

    function matches(launch) {
        const text = (launch.id + " " + launch.kernel_name + " " + (launch.nvtx_range || "") + " " + triple(launch.grid_size) + " " + triple(launch.block_size)).toLowerCase();
        return state.search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
    }

    /* Absent values stand last, whichever way the column is sorted. */
    function sorted(list, column) {
        if (!column)
            return list;
        const sign = state.isDown ? -1 : 1;
        return list.map((launch) => [column.key(launch), launch]).sort(([a, x], [b, y]) => {
            if (a === null || b === null)
                return (a === null) - (b === null) || x.id - y.id;
            return (a < b ? -sign : a > b ? sign : 0) || x.id - y.id;
        }).map((pair) => pair[1]);
    }

    function remarks() {
        const found = new Map();
        const add = (text, launch) => found.set(text, (found.get(text) || []).concat(launch.id));
        for (const launch of launches()) {
            if (launch.status === "failed")
                add("failed: " + launch.message, launch);
            for (const index of launch.status === "failed" ? [] : data("launches").remarks) {
                const remark = value(launch, index);
                if (remark.reason === undefined)
                    add(remark.shown + " (" + data("session").marks[remark.mark].name + ")", launch);
            }
        }
        return [...found].map(([text, ids]) => h("li", {},
            ids.slice(0, 8).map((id, i) => [i ? ", " : "", h("a", { href: address("details", id) }, id)]).flat(),
            ids.length > 8 ? " and " + (ids.length - 8) + " more" : "", ": " + text));
    }

    function show(container, rest, keys) {
        const all = columns();
        const body = h("tbody", {}), count = h("span", { class: "count", role: "status" });
        const search = h("input", { type: "search", placeholder: "Search kernels, ranges, shapes", "aria-label": "Search launches", value: state.search });
        let rows = [], filling = 0;

        function select(position, focus) {
            const row = body.children[Math.max(0, Math.min(position, body.children.length - 1))];
            body.querySelectorAll("tr[tabindex='0']").forEach((each) => each.setAttribute("tabindex", -1));
            if (!row)
                return;
            state.current = [...body.children].indexOf(row);
            row.setAttribute("tabindex", 0);
            if (focus)
                row.focus();
        }

        function fill(ticket) {
            if (ticket !== filling)
                return;
            const from = body.children.length;
            body.append(...rows.slice(from, from + chunk).map((launch) =>
                h("tr", { tabindex: -1, "data-id": launch.id, onclick: (event) => event.target.closest("a") || go("details", launch.id) },
                    all.map((column) => column.cell(launch)))));
            if (body.children.length < rows.length)
                setTimeout(fill, 0, ticket);
        }

        function fillTable() {
            rows = sorted(launches().filter(matches), all[state.sort]);
            body.replaceChildren();
            fill(++filling);
            count.textContent = rows.length === launches().length ? rows.length + (rows.length === 1 ? " launch" : " launches") : rows.length + " of " + launches().length + " launches";
            select(0, false);
            heads.forEach((head, i) => head.setAttribute("aria-sort", state.sort !== i ? "none" : state.isDown ? "descending" : "ascending"));
        }

        function sortBy(index) {
            const isNumber = index !== 1;
            state.isDown = state.sort === index ? !state.isDown : isNumber && index !== 0;
            state.sort = index;
            fillTable();
        }

        const heads = all.map((column, i) => h("th", { scope: "col", class: i === 1 ? "name" : "number" },
            h("button", { class: "sort", onclick: () => sortBy(i),
                          "data-define": column.index === undefined ? null : data("launches").metrics[column.index].name }, column.label)));
        search.addEventListener("input", () => { state.search = search.value.trim(); fillTable(); });
        body.addEventListener("keydown", (event) => {
            const row = event.target.closest("tr");
            const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
            if (event.key in moves)
                select([...body.children].indexOf(row) + moves[event.key], true);
            else if (event.key === "Enter")
                go("details", row.dataset.id);
            else
                return;
            event.preventDefault();
            event.stopPropagation();
        });
        keys["/"] = ["search", () => search.focus()];
        keys["j"] = ["next launch", () => select(document.activeElement.closest("tbody tr") ? state.current + 1 : state.current, true)];
        keys["k"] = ["previous launch", () => select(state.current - 1, true)];
        container.append(h("div", { class: "bar" }, search, count),
            h("div", { class: "scroll" }, h("table", { class: "launches" }, h("thead", {}, h("tr", {}, heads)), body)));
        const noted = remarks();
        if (noted.length)
            container.append(h("h2", {}, "What stands out, by ID"), h("ul", { class: "remarks" }, noted));
        fillTable();
    }

    warplens.addPage({ id: "launches", title: "Launches", order: 10, show });
})();
