/* The border between two parts of a page, to drag or to move with arrow keys: warplens.splitter(box, name, {label, isUpright,
 * start, least, most, isFromEnd}) gives its node. What stands before it (isFromEnd: behind it) takes the percentage of the
 * box that is in the box's style as --NAME; the address keeps it as NAME, a double click goes back to start. */
warplens.splitter = (() => {
    const { h, readState, keepState } = warplens;
    const step = 2;

    return (box, name, { label, isUpright, start, least = 10, most = 90, isFromEnd = false }) => {
        const node = h("div", {
            class: "splitter " + (isUpright ? "upright" : "level"),
            role: "separator",
            tabindex: 0,
            "aria-label": label,
            title: label + ": drag, or arrow keys; double click: as it was",
            "aria-orientation": isUpright ? "vertical" : "horizontal",
            "aria-valuemin": least,
            "aria-valuemax": most,
        });
        const put = (percent) => {
            const now = Math.round(10 * Math.max(least, Math.min(most, percent))) / 10;
            box.style.setProperty("--" + name, now + "%");
            node.setAttribute("aria-valuenow", now);
            return now;
        };
        const chosen = Number(readState()[name]);
        let now = put(chosen > 0 ? chosen : start);
        const keep = (percent) => {
            now = put(percent);
            keepState({ [name]: now === Math.round(10 * start) / 10 ? "" : now });
        };
        const partAt = (event) => {
            const place = box.getBoundingClientRect();
            const part = isUpright ? (event.clientX - place.left) / place.width : (event.clientY - place.top) / place.height;
            return 100 * (isFromEnd ? 1 - part : part);
        };
        node.addEventListener("pointerdown", (event) => {
            node.setPointerCapture(event.pointerId);
            event.preventDefault();
            node.focus();
        });
        node.addEventListener("pointermove", (event) => node.hasPointerCapture(event.pointerId) && keep(partAt(event)));
        node.addEventListener("dblclick", () => keep(start));
        node.addEventListener("keydown", (event) => {
            const by = { ArrowLeft: isUpright ? -step : 0, ArrowRight: isUpright ? step : 0, ArrowUp: isUpright ? 0 : -step, ArrowDown: isUpright ? 0 : step }[event.key];
            if (!by) return;
            keep(now + (isFromEnd ? -by : by));
            event.preventDefault();
            event.stopPropagation();
        });
        return node;
    };
})();
