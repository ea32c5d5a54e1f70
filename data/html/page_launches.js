/* The table of launches: sorted by any column, searched, walked with the keyboard. */
(() => {
    const { h, data, value, cell, term, launches, triple, go, address } = warplens;
    const chunk = 200, /* rows that are put into the document at once */
        most_at_once = 2000; /* of more the others come when one scrolls there */
    const state = { sort: null, isDown: false, search: "", current: 0 };

    function columns() {
        const own = [
            {
                label: "ID",
                key: (launch) => launch.id,
                cell: (launch) =>
                    h("td", { class: "number" }, h("a", { href: address("details", launch.id) }, launch.id)),
            },
            {
                label: "Kernel",
                key: (launch) => launch.function,
                cell: (launch) =>
                    h(
                        "td",
                        { class: "name", title: launch.kernel_name },
                        launch.function,
                        launch.status === "failed" ? h("strong", { class: "failed" }, " failed") : null,
                    ),
            },
            {
                label: "Grid",
                key: (launch) => launch.grid_size.reduce((a, b) => a * b),
                cell: (launch) => h("td", { class: "number" }, triple(launch.grid_size)),
            },
            {
                label: "Block",
                key: (launch) => launch.block_size.reduce((a, b) => a * b),
                cell: (launch) => h("td", { class: "number" }, triple(launch.block_size)),
            },
        ];
        return own.concat(
            data("launches").columns.map(([label, index]) => ({
                label,
                index,
                key: (launch) => {
                    const found = value(launch, index);
                    return found.number === undefined
                        ? found.reason === undefined
                            ? found.shown
                            : null
                        : found.number;
                },
                cell: (launch) => cell(launch, index, true),
            })),
        );
    }

    /* Whether a column has values of the rows only that were looked at: nothing to sort by. */
    function isLater(column) {
        return column.index !== undefined && launches().some((launch) => !launch.values && value(launch, column.index).isLater);
    }

    function matches(launch) {
        const text = (
            launch.id +
            " " +
            launch.kernel_name +
            " " +
            (launch.nvtx_range || "") +
            " " +
            triple(launch.grid_size) +
            " " +
            triple(launch.block_size)
        ).toLowerCase();
        return state.search
            .toLowerCase()
            .split(/\s+/)
            .every((word) => text.includes(word));
    }

    /* Absent values stand last, whichever way the column is sorted. */
    function sorted(list, column) {
        if (!column) return list;
        const sign = state.isDown ? -1 : 1;
        return list
            .map((launch) => [column.key(launch), launch])
            .sort(([a, x], [b, y]) => {
                if (a === null || b === null) return (a === null) - (b === null) || x.id - y.id;
                return (a < b ? -sign : a > b ? sign : 0) || x.id - y.id;
            })
            .map((pair) => pair[1]);
    }

    function remarks() {
        const found = new Map();
        const add = (text, launch) => found.set(text, (found.get(text) || []).concat(launch.id));
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

    class Table {
        constructor() {
            this.columns = columns();
            this.body = h("tbody", {});
            this.count = h("span", { class: "count", role: "status" });
            this.heads = this.columns.map((column, i) => this.head(column, i));
            this.rows = [];
            this.filling = 0; /* number of the latest filling: an older one stops */
            this.body.addEventListener("keydown", (event) => this.onKey(event));
            /* more rows when the last one comes near */
            this.end = new IntersectionObserver(
                (entries) => {
                    if (!entries.some((entry) => entry.isIntersecting)) return;
                    this.end.disconnect();
                    this.fillMore(this.filling);
                },
                { rootMargin: "800px" },
            );
        }

        head(column, i) {
            const { metrics } = data("launches");
            const name = column.index === undefined ? null : metrics[column.index].name;
            return h(
                "th",
                { scope: "col", class: i === 1 ? "name" : "number" },
                h(
                    "button",
                    {
                        class: "sort",
                        onclick: () => this.sortBy(i),
                        "data-define": name,
                        "aria-disabled": isLater(column) ? "true" : null,
                    },
                    column.label,
                ),
            );
        }

        row(launch) {
            const open = (event) => event.target.closest("a") || go("details", launch.id);
            return h(
                "tr",
                { tabindex: -1, "data-id": launch.id, onclick: open },
                this.columns.map((column) => column.cell(launch)),
            );
        }

        /* The row that has the focus, or would get it. */
        select(position, takesFocus) {
            const all = this.body.children;
            const row = all[Math.max(0, Math.min(position, all.length - 1))];
            this.body
                .querySelectorAll("tr[tabindex='0']")
                .forEach((each) => each.setAttribute("tabindex", -1));
            if (!row) return;
            state.current = [...all].indexOf(row);
            row.setAttribute("tabindex", 0);
            if (takesFocus) row.focus();
        }

        onKey(event) {
            const row = event.target.closest("tr");
            const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
            if (event.key in moves)
                this.select([...this.body.children].indexOf(row) + moves[event.key], true);
            else if (event.key === "Enter") go("details", row.dataset.id);
            else return;
            event.preventDefault();
            event.stopPropagation();
        }

        /* Puts some rows in and comes again for the next. */
        fillMore(ticket) {
            if (ticket !== this.filling) return;
            const from = this.body.children.length;
            const rows = this.rows.slice(from, from + chunk);
            this.body.append(...rows.map((launch) => this.row(launch)));
            this.bring(rows);
            if (this.body.children.length >= this.rows.length) return;
            if (this.rows.length <= most_at_once) setTimeout(() => this.fillMore(ticket), 0);
            else this.end.observe(this.body.lastChild);
        }

        /* The values of rows that came without them. */
        async bring(rows) {
            if (!warplens.isServed) return;
            for (const launch of await warplens.fill(rows)) {
                const row = this.body.querySelector('tr[data-id="' + launch.id + '"]');
                if (row && launch.values) row.replaceChildren(...this.columns.map((column) => column.cell(launch)));
            }
        }

        fill() {
            const all = launches().length;
            this.end.disconnect();
            this.rows = sorted(state.search ? launches().filter(matches) : launches(), this.columns[state.sort]);
            this.body.replaceChildren();
            this.fillMore(++this.filling);
            this.count.textContent =
                (this.rows.length === all ? "" : this.rows.length + " of ") +
                all +
                (all === 1 ? " launch" : " launches");
            this.select(0, false);
            warplens.keepState({ find: state.search, sort: state.sort, down: state.isDown ? 1 : "" });
            const order = state.isDown ? "descending" : "ascending";
            this.heads.forEach((head, i) =>
                head.setAttribute("aria-sort", state.sort === i ? order : "none"),
            );
        }

        /* Numbers begin with the largest. */
        sortBy(index) {
            if (isLater(this.columns[index])) return;
            state.isDown = state.sort === index ? !state.isDown : index > 1;
            state.sort = index;
            this.fill();
        }
    }

    function show(container, rest, keys) {
        const chosen = warplens.readState();
        if ("find" in chosen) state.search = chosen.find;
        if (columns()[chosen.sort]) Object.assign(state, { sort: Number(chosen.sort), isDown: chosen.down === "1" });
        const table = new Table();
        const search = h("input", {
            type: "search",
            placeholder: "Search kernels, ranges, shapes",
            "aria-label": "Search launches",
            value: state.search,
        });
        search.addEventListener("input", () => {
            state.search = search.value.trim();
            table.fill();
        });
        const hasFocus = () => document.activeElement.closest("tbody tr") !== null;
        keys["/"] = ["search", () => search.focus()];
        keys["j"] = ["next launch", () => table.select(state.current + (hasFocus() ? 1 : 0), true)];
        keys["k"] = ["previous launch", () => table.select(state.current - 1, true)];
        const head = h("thead", {}, h("tr", {}, table.heads));
        container.append(
            h("div", { class: "bar" }, search, table.count),
            h("div", { class: "scroll table-box" }, h("table", { class: "launches" }, head, table.body)),
        );
        const noted = remarks();
        const most = 20;
        if (noted.length)
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
        table.fill();
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
