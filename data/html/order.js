/* Tables whose rows the reader orders: warplens.order(table, name) makes a button of each heading. A click orders by that
 * column (numbers: the largest first), a second one the other way round, a third as it was. The address keeps it in
 * "order", as NAME:COLUMN, with a "d" behind it where the largest stands first. */
warplens.order = (() => {
    const { h, readState, keepState } = warplens;

    function read() {
        return new Map(
            (readState().order || "")
                .split(";")
                .map((part) => /^(.+):(\d+)(d?)$/.exec(part))
                .filter(Boolean)
                .map(([, name, column, down]) => [name, { column: Number(column), isDown: down === "d" }]),
        );
    }

    function keep(name, chosen) {
        const all = read();
        all.delete(name);
        if (chosen) all.set(name, chosen);
        keepState({ order: [...all].map(([of, { column, isDown }]) => of + ":" + column + (isDown ? "d" : "")).join(";") });
    }

    /* What a cell is ordered by: its number where it has one, else its text; null where it has nothing. */
    function keyOf(cell) {
        if (!cell || cell.classList.contains("absent")) return null;
        const text = cell.textContent.trim();
        if (cell.dataset.value !== undefined) {
            const number = Number(cell.dataset.value);
            return Number.isNaN(number) ? cell.dataset.value : number;
        }
        const found = /^[+-]?[\d,]*\.?\d+(e[+-]?\d+)?/i.exec(text);
        if (cell.classList.contains("number") && found) return Number(found[0].replace(/,/g, ""));
        return text === "" || text === "n/a" ? null : text;
    }

    function compare(a, b, sign) {
        if (a === null || b === null) return (a === null) - (b === null);
        if (typeof a === "number" && typeof b === "number") return sign * (a - b);
        return sign * String(a).localeCompare(String(b), "en", { numeric: true });
    }

    class Order {
        constructor(table, name) {
            this.name = name;
            this.body = table.tBodies[0];
            this.rows = [...this.body.rows];
            this.heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
            this.heads.forEach((head, column) => {
                if (!head.textContent.trim()) return;
                head.replaceChildren(h("button", { class: "sort", onclick: () => this.turn(column) }, ...head.childNodes));
            });
            this.chosen = read().get(name) || null;
            if (this.chosen && this.chosen.column >= this.heads.length) this.chosen = null;
            this.arrange();
        }

        /* Sums stay at the end. */
        arrange() {
            const { column, isDown } = this.chosen || {};
            const isSum = (row) => /^(Total|All|Sum)\b/.test(row.cells[0].textContent);
            const rows = this.chosen
                ? this.rows
                      .map((row, at) => [isSum(row) ? 1 : 0, keyOf(row.cells[column]), at, row])
                      .sort((a, b) => a[0] - b[0] || compare(a[1], b[1], isDown ? -1 : 1) || a[2] - b[2])
                      .map((parts) => parts[3])
                : this.rows;
            this.body.replaceChildren(...rows);
            this.heads.forEach((head, i) =>
                head.setAttribute("aria-sort", this.chosen && i === column ? (isDown ? "descending" : "ascending") : "none"),
            );
        }

        turn(column) {
            const isOfNumbers = this.rows.some((row) => typeof keyOf(row.cells[column]) === "number");
            if (!this.chosen || this.chosen.column !== column) this.chosen = { column, isDown: isOfNumbers };
            else if (this.chosen.isDown === isOfNumbers) this.chosen = { column, isDown: !isOfNumbers };
            else this.chosen = null;
            keep(this.name, this.chosen);
            this.arrange();
        }
    }

    return (table, name) => {
        new Order(table, name.replace(/[:;]/g, " "));
        return table;
    };
})();
