/* A table that is sorted by any column, searched and walked with the keyboard: warplens.launchTable({columns, rows, matches,
 * open, noun, state}). columns: {label, key(row), cell(row)} with isName, name of the metric, isLater where they have that;
 * rows have ids; open is called with an id; state keeps {sort, isDown, search, current} for the next time. */
warplens.launchTable = (() => {
    const { h } = warplens;
    const chunk = 200, /* rows that are put into the document at once */
        most_at_once = 2000; /* of more the others come when one scrolls there */

    class Table {
        constructor(options) {
            Object.assign(this, options);
            this.all = options.rows;
            this.body = h("tbody", {});
            this.count = h("span", { class: "count", role: "status" });
            this.heads = this.columns.map((column, i) => this.head(column, i));
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
            return h(
                "th",
                { scope: "col", class: column.isName ? "name" : "number" },
                h(
                    "button",
                    {
                        class: "sort",
                        onclick: () => this.sortBy(i),
                        "data-define": column.name,
                        "aria-disabled": column.isLater ? "true" : null,
                    },
                    column.label,
                ),
            );
        }

        row(row) {
            const open = (event) => event.target.closest("a") || this.open(row.id);
            return h(
                "tr",
                { tabindex: -1, "data-id": row.id, onclick: open },
                this.columns.map((column) => column.cell(row)),
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
            this.state.current = [...all].indexOf(row);
            row.setAttribute("tabindex", 0);
            if (takesFocus) row.focus();
        }

        step(by) {
            const hasFocus = document.activeElement.closest("tbody tr") !== null;
            this.select(this.state.current + (hasFocus || by < 0 ? by : 0), true);
        }

        onKey(event) {
            const row = event.target.closest("tr");
            const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 };
            if (event.key in moves)
                this.select([...this.body.children].indexOf(row) + moves[event.key], true);
            else if (event.key === "Enter") this.open(Number(row.dataset.id));
            else return;
            event.preventDefault();
            event.stopPropagation();
        }

        /* Puts some rows in and comes again for the next. */
        fillMore(ticket) {
            if (ticket !== this.filling) return;
            const from = this.body.children.length;
            const rows = this.rows.slice(from, from + chunk);
            this.body.append(...rows.map((row) => this.row(row)));
            if (this.bring) this.bring(rows, this);
            if (this.body.children.length >= this.rows.length) return;
            if (this.rows.length <= most_at_once) setTimeout(() => this.fillMore(ticket), 0);
            else this.end.observe(this.body.lastChild);
        }

        /* Rewrites a row. */
        renew(row) {
            const node = this.body.querySelector('tr[data-id="' + row.id + '"]');
            if (node) node.replaceChildren(...this.columns.map((column) => column.cell(row)));
        }

        /* Absent values stand last, whichever way the column is sorted. */
        sorted(list) {
            const column = this.columns[this.state.sort];
            if (!column) return list;
            const sign = this.state.isDown ? -1 : 1;
            return list
                .map((row) => [column.key(row), row])
                .sort(([a, x], [b, y]) => {
                    if (a === null || b === null) return (a === null) - (b === null) || x.id - y.id;
                    return (a < b ? -sign : a > b ? sign : 0) || x.id - y.id;
                })
                .map((pair) => pair[1]);
        }

        fill() {
            const { state, all } = this,
                [one, many] = this.noun;
            this.end.disconnect();
            const words = state.search.toLowerCase().split(/\s+/);
            const matches = (row) => {
                const text = this.textOf(row).toLowerCase();
                return words.every((word) => text.includes(word));
            };
            this.rows = this.sorted(state.search ? all.filter(matches) : all);
            this.body.replaceChildren();
            this.fillMore(++this.filling);
            this.count.textContent =
                (this.rows.length === all.length ? "" : this.rows.length + " of ") + all.length + " " + (all.length === 1 ? one : many);
            this.select(0, false);
            warplens.keepState({ find: state.search, sort: state.sort, down: state.isDown ? 1 : "" });
            const order = state.isDown ? "descending" : "ascending";
            this.heads.forEach((head, i) => head.setAttribute("aria-sort", state.sort === i ? order : "none"));
        }

        /* Numbers begin with the largest. */
        sortBy(index) {
            const { state } = this;
            if (this.columns[index].isLater) return;
            const name = this.columns.findIndex((column) => column.isName);
            state.isDown = state.sort === index ? !state.isDown : index > Math.max(name, 0);
            state.sort = index;
            this.fill();
        }

        /* Puts the table and what searches it into container. before: nodes that stand before the count. */
        show(container, keys, label, before = []) {
            const { state } = this,
                chosen = warplens.readState();
            if ("find" in chosen) state.search = chosen.find;
            if (this.columns[chosen.sort]) Object.assign(state, { sort: Number(chosen.sort), isDown: chosen.down === "1" });
            const search = h("input", { type: "search", placeholder: label, "aria-label": "Search " + this.noun[1], value: state.search });
            search.addEventListener("input", () => {
                state.search = search.value.trim();
                this.fill();
            });
            keys["/"] = ["search", () => search.focus()];
            keys["j"] = ["next " + this.noun[0], () => this.step(1)];
            keys["k"] = ["previous " + this.noun[0], () => this.step(-1)];
            const head = h("thead", {}, h("tr", {}, this.heads));
            container.append(
                h("div", { class: "bar" }, search, this.count, before),
                h("div", { class: "scroll table-box" }, h("table", { class: "launches" }, head, this.body)),
            );
        }
    }

    return (options) => new Table(options);
})();
