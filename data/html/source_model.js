/* What the source page shows of a launch: warplens.sourceModel(launch) gives {code (what instructions are), heat (the metric it
 * begins with), kernel, columns, stalls, rows, rowOf, lineOf, base}. Values of a column stand by position: byLine, byInlined,
 * byInstruction. */
(() => {
    const { data } = warplens;

    /* Values of a column by position, in an array as long as what it is counted at. */
    function expand([places, values], count) {
        const all = new Float64Array(count);
        places.forEach((place, i) => (all[place] = values[i]));
        return all;
    }

    /* base: what the baseline's launch had at the same lines, where there is one. */
    function expandColumn(column, kernel) {
        const state = /^smsp__pcsamp_warps_issue_stalled_(.*)/.exec(column.name);
        return {
            ...column,
            label: state ? "Warp Time, " + state[1].replace(/_/g, " ") : column.label,
            base: column.base_lines ? expand(column.base_lines, kernel.lines.length) : null,
            byLine: expand(column.lines, kernel.lines.length),
            byInlined: expand(column.inlined, kernel.lines.length),
            byInstruction: expand(column.instructions, kernel.instructions.length),
        };
    }

    /* Registers alive, of which a line has the most that one of its instructions has; null where they are not known. */
    function liveColumn(kernel) {
        if (!kernel.live_registers) return null;
        const byInstruction = Float64Array.from(kernel.live_registers);
        return {
            name: "live_registers",
            label: "Registers alive",
            meaning: "32-bit registers of PTX that are written here or read later; ptxas allocates them again. A line has the most of its instructions.",
            mark: data("session").marks.findIndex(({ name }) => name === "modelled"),
            is_share: false,
            isMost: true,
            total: null,
            base: null,
            byLine: Float64Array.from(kernel.lines, ([, , own]) => own.reduce((most, at) => Math.max(most, byInstruction[at]), 0)),
            byInlined: new Float64Array(kernel.lines.length),
            byInstruction,
        };
    }

    /* Rows of a file: {heading}, or {line (position in kernel.lines, -1: none), number, text}. */
    function addFile(file, index, kernel, rows, rowOf) {
        const counted = new Map();
        kernel.lines.forEach(([of, number], i) => of === index && number > 0 && counted.set(number, i));
        rows.push({ heading: file.name + (file.reason ? " — " + file.reason : "") });
        const add = (number, text) => {
            const line = counted.has(number) ? counted.get(number) : -1;
            counted.delete(number);
            if (line >= 0) rowOf[line] = rows.length;
            rows.push({ line, number, text });
        };
        file.pieces.forEach(([first, ...texts], i) => {
            if (i > 0) rows.push({ heading: "…" });
            texts.forEach((text, j) => add(first + j, text));
        });
        [...counted.keys()].sort((a, b) => a - b).forEach((number) => add(number, ""));
    }

    warplens.sourceModel = (launch) => {
        const source = data("source"),
            own = source.launches[launch.id],
            kernel = source.kernels[own.kernel];
        const lineOf = new Int32Array(kernel.instructions.length).fill(-1);
        kernel.lines.forEach((line, i) => line[2].forEach((instruction) => (lineOf[instruction] = i)));
        const rows = [],
            rowOf = new Int32Array(kernel.lines.length).fill(-1);
        kernel.files.forEach((at, file) => addFile(source.files[at], file, kernel, rows, rowOf));
        kernel.lines.forEach(([, number], i) => {
            if (number > 0) return;
            rowOf[i] = rows.length;
            rows.push({ line: i, number: "", text: "(instructions without a line)" });
        });
        const columns = own.columns.map((column) => expandColumn(column, kernel)).concat(liveColumn(kernel) || []);
        const stalls = columns
            .filter((column) => /^smsp__pcsamp_warps_issue_stalled_(?!.*_not_issued)/.test(column.name))
            .sort((a, b) => b.total - a.total);
        const base = own.base ? { ...own.base, isThere: new Set(own.base.lines) } : null;
        return { code: own.code, heat: own.heat, kernel, columns, stalls, rows, rowOf, lineOf, base };
    };
})();
