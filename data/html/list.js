/* A long list of rows, all of the same height, that are made when they come into view:
 * warplens.list(rows, make, label) gives {pane, box, head, at(index), reveal(index), refresh(), heat(shares)}. at makes a row
 * if it must be made and gives its node; reveal scrolls to it, too; refresh rebuilds everything; heat paints a share (0 to 1)
 * for each row beside the scroll bar. box is what scrolls, head what stays above it, pane what holds all of it. */
warplens.list = (() => {
    const { h } = warplens;
    const row_px = 19,
        rows_of_piece = 100,
        margin_px = 600,
        narrow_px = 620;

    class List {
        constructor(rows, make, label) {
            this.rows = rows;
            this.make = make;
            this.pieces = [];
            for (let from = 0; from < rows.length; from += rows_of_piece) {
                const height = Math.min(rows_of_piece, rows.length - from) * row_px;
                this.pieces.push(
                    h("div", { class: "piece", "data-from": from, style: "height:" + height + "px" }),
                );
            }
            this.box = h(
                "div",
                { class: "code", tabindex: 0, role: "region", "aria-label": label },
                this.pieces,
            );
            this.head = h("div", { class: "row heads" });
            this.box.addEventListener("scroll", () => (this.head.scrollLeft = this.box.scrollLeft), { passive: true });
            this.strip = h("canvas", { class: "heat-strip", width: 10, height: 400, "aria-hidden": "true" });
            this.strip.addEventListener("click", (event) => {
                const part = event.offsetY / this.strip.clientHeight;
                this.box.scrollTop = part * this.box.scrollHeight - this.box.clientHeight / 2;
            });
            this.pane = h("div", { class: "pane" }, this.head, h("div", { class: "pane-body" }, this.box, this.strip));
            new ResizeObserver(([{ contentRect }]) => {
                this.pane.classList.toggle("narrow", contentRect.width < narrow_px);
                this.pane.style.setProperty("--pane", contentRect.width + "px");
            }).observe(this.pane);
            this.observer = new IntersectionObserver(
                (entries) => entries.forEach((entry) => entry.isIntersecting && this.fill(entry.target)),
                { root: this.box, rootMargin: margin_px + "px" },
            );
            this.pieces.forEach((piece) => this.observer.observe(piece));
        }

        fill(piece) {
            if (piece.dataset.filled) return;
            piece.dataset.filled = "yes";
            const from = Number(piece.dataset.from);
            const rows = this.rows.slice(from, from + rows_of_piece);
            piece.replaceChildren(...rows.map((row, i) => this.make(row, from + i)));
        }

        at(index) {
            const piece = this.pieces[Math.floor(index / rows_of_piece)];
            this.fill(piece);
            return piece.children[index % rows_of_piece];
        }

        heat(shares) {
            const context = this.strip.getContext("2d"),
                { width, height } = this.strip,
                most = new Float64Array(height);
            shares.forEach((share, i) => {
                const y = Math.floor((i / shares.length) * height);
                most[y] = Math.max(most[y], share);
            });
            context.clearRect(0, 0, width, height);
            most.forEach((share, y) => {
                if (share <= 0) return;
                context.fillStyle = "rgba(217, 95, 2, " + (0.15 + 0.85 * share) + ")";
                context.fillRect(0, y, width, Math.max(2, height / shares.length));
            });
        }

        reveal(index) {
            this.box.scrollTop = Math.max(0, index * row_px - this.box.clientHeight / 2);
            return this.at(index);
        }

        refresh() {
            for (const piece of this.pieces) {
                delete piece.dataset.filled;
                piece.replaceChildren();
                this.observer.unobserve(piece);
                this.observer.observe(piece);
            }
        }
    }

    return (rows, make, label) => new List(rows, make, label);
})();
