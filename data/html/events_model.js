/* The events of a trace as the timeline draws them: decoded, in lanes, with sums by which a pixel that many events
 * share knows what takes most of it. */
warplens.timelineModel = (() => {
    const fields = ["start", "length", "name", "category", "row", "depth", "correlation", "amount"];
    const natural = new Intl.Collator("en", { numeric: true }).compare;

    /* ---- data ---- */

    /* Bytes of a text in base64, inflated. */
    async function inflate(text) {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    /* Each field stands by itself, one number an event; starts and correlations are what they add to the one before. */
    function decode(bytes, count) {
        const events = {
            start: new Float64Array(count),
            length: new Float64Array(count),
            name: new Uint32Array(count),
            category: new Uint8Array(count),
            row: new Uint16Array(count),
            depth: new Uint8Array(count),
            correlation: new Uint32Array(count),
            amount: new Float64Array(count),
        };
        let at = 0;
        for (const field of fields) {
            const values = events[field];
            let sum = 0;
            for (let i = 0; i < count; i++) {
                let value = bytes[at++];
                if (value > 127) {
                    value -= 128;
                    let scale = 128,
                        byte;
                    do {
                        byte = bytes[at++];
                        value += (byte & 127) * scale;
                        scale *= 128;
                    } while (byte > 127);
                }
                if (field === "start") value = sum += value;
                else if (field === "correlation")
                    value = sum += value % 2 ? -(value + 1) / 2 : value / 2;
                values[i] = value;
            }
        }
        return events;
    }

    /* ---- lanes ---- */

    /* Ranks of MPI in their order, which is not that in which processes began. */
    function rowOrder(rows) {
        const rank = (row) => (rows[row].rank === undefined ? Infinity : rows[row].rank);
        const byRank = (a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b));
        return rows
            .map((row, index) => index)
            .sort(
                (a, b) =>
                    byRank(a, b) ||
                    rows[a].process - rows[b].process ||
                    rows[a].is_device - rows[b].is_device ||
                    natural(rows[a].name, rows[b].name) ||
                    a - b,
            );
    }

    /* Sums over the events of a lane before each, for each category that it has. */
    function addSums(lane, events) {
        const { items } = lane;
        lane.sums = new Map();
        for (const i of items)
            if (!lane.sums.has(events.category[i]))
                lane.sums.set(events.category[i], new Float64Array(items.length + 1));
        for (const [category, sums] of lane.sums)
            for (let at = 0; at < items.length; at++)
                sums[at + 1] =
                    sums[at] + (events.category[items[at]] === category ? events.length[items[at]] : 0);
    }

    /* A lane is a depth of a row: its events follow each other without overlap. Gives the lanes of each row. */
    function makeLanes(events, rows) {
        const counts = new Map(),
            byKey = new Map(),
            byRow = rows.map(() => []);
        const count = events.start.length;
        for (let i = 0; i < count; i++) {
            const key = events.row[i] * 256 + events.depth[i];
            counts.set(key, (counts.get(key) || 0) + 1);
        }
        for (const key of [...counts.keys()].sort((a, b) => a - b)) {
            const lane = { row: key >> 8, items: new Uint32Array(counts.get(key)), used: 0, y: -1 };
            byKey.set(key, lane);
            byRow[lane.row].push(lane);
        }
        for (let i = 0; i < count; i++) {
            const lane = byKey.get(events.row[i] * 256 + events.depth[i]);
            lane.items[lane.used++] = i;
        }
        for (const lane of byKey.values()) addSums(lane, events);
        return byRow;
    }

    /* When at least one event of some rows runs: starts and ends of such times, and their sum before each. */
    function unite(events, isWanted) {
        const starts = [],
            ends = [],
            sums = [0];
        for (let i = 0; i < events.start.length; i++) {
            if (!isWanted(i)) continue;
            const end = events.start[i] + events.length[i],
                last = starts.length - 1;
            if (last >= 0 && events.start[i] <= ends[last]) ends[last] = Math.max(ends[last], end);
            else {
                starts.push(events.start[i]);
                ends.push(end);
            }
        }
        for (let i = 0; i < starts.length; i++) sums.push(sums[i] + ends[i] - starts[i]);
        const before = (time) => {
            let low = 0,
                high = starts.length;
            while (low < high) {
                const middle = (low + high) >> 1;
                if (starts[middle] < time) low = middle + 1;
                else high = middle;
            }
            return low ? sums[low - 1] + Math.min(ends[low - 1], time) - starts[low - 1] : 0;
        };
        return { share: (from, to) => (before(to) - before(from)) / (to - from), total: sums[sums.length - 1] };
    }

    /* Shares of the time in which GPUs run kernels, and copy. */
    function makeUses(events, section) {
        const of = (...names) => {
            const numbers = new Set(names.map((name) => section.categories.indexOf(name)));
            return unite(events, (i) => numbers.has(events.category[i]));
        };
        return [
            { label: "Kernels run", category: section.categories.indexOf("kernel"), ...of("kernel") },
            { label: "Copies run", category: section.categories.indexOf("memcpy"), ...of("memcpy", "memset") },
            memoryUse(events, section),
            bandwidth(events, section),
        ].filter((use) => use.total > 0);
    }

    /* The first place of an ascending list whose value is not below a number. */
    function lowerBound(list, number) {
        let low = 0,
            high = list.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (list[middle] < number) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    function shownBytes(bytes) {
        const units = ["byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte"];
        let unit = 0;
        for (; bytes >= 1000 && unit + 1 < units.length; unit++) bytes /= 1000;
        return (unit ? bytes.toPrecision(3) : bytes) + " " + units[unit];
    }

    /* Memory of the device in use, as each allocation and each free left it. */
    function memoryUse(events, section) {
        const category = section.categories.indexOf("memory"),
            times = [],
            amounts = [];
        let most = 0;
        for (let i = 0; i < events.start.length; i++) {
            if (events.category[i] !== category || !events.amount[i]) continue;
            times.push(events.start[i] + events.length[i]);
            amounts.push(events.amount[i] - 1);
            most = Math.max(most, events.amount[i] - 1);
        }
        return {
            label: "Memory, up to " + shownBytes(most),
            category,
            total: most,
            share: (from, to) => {
                const end = lowerBound(times, to);
                let own = 0;
                for (let at = Math.max(0, lowerBound(times, from) - 1); at < end; at++) own = Math.max(own, amounts[at]);
                return own / most;
            },
        };
    }

    /* Bytes that copies move, spread over the time of each; the full height is the fastest copy. */
    function bandwidth(events, section) {
        const category = section.categories.indexOf("memcpy"),
            times = [],
            ends = [],
            sums = [0];
        let most = 0,
            longest = 0;
        for (let i = 0; i < events.start.length; i++) {
            if (events.category[i] !== category || !(events.length[i] > 0)) continue;
            times.push(events.start[i]);
            ends.push(events.start[i] + events.length[i]);
            sums.push(sums[sums.length - 1] + events.amount[i]);
            longest = Math.max(longest, events.length[i]);
            most = Math.max(most, events.amount[i] / events.length[i]);
        }
        const bytes = (at) => sums[at + 1] - sums[at];
        return {
            label: "Copies, up to " + shownBytes(most * 1e9) + "/s",
            category,
            total: most,
            /* those wholly within by their sum, those at its borders by their part */
            share: (from, to) => {
                const begin = lowerBound(times, from - longest),
                    inner = lowerBound(times, from),
                    end = lowerBound(times, to);
                let moved = 0;
                for (let at = begin; at < inner; at++)
                    if (ends[at] > from) moved += (bytes(at) * (Math.min(to, ends[at]) - from)) / (ends[at] - times[at]);
                const outer = Math.max(inner, lowerBound(times, to - longest));
                moved += sums[outer] - sums[inner];
                for (let at = outer; at < end; at++) moved += (bytes(at) * (Math.min(to, ends[at]) - times[at])) / (ends[at] - times[at]);
                return Math.min(1, moved / (to - from) / most);
            },
        };
    }

    class Model {
        constructor(section, events) {
            this.section = section;
            this.events = events;
            this.byRow = makeLanes(events, section.rows);
            this.order = rowOrder(section.rows);
            this.uses = makeUses(events, section);
            let end = 0;
            for (let i = 0; i < events.start.length; i++)
                end = Math.max(end, events.start[i] + events.length[i]);
            this.end = end || 1;
            this.from = 0;
            this.to = this.end;
            this.lanes = this.byRow.flat(); /* those that are shown, in their order: layout */
        }

        /* From the GPUs' first kernel or copy to the end of their last; all where they do nothing. */
        workSpan() {
            const { events, section } = this,
                own = new Set(["kernel", "memcpy", "memset"].map((name) => section.categories.indexOf(name)));
            if (this.work) return this.work;
            let from = this.end,
                to = 0;
            for (let i = 0; i < events.start.length; i++) {
                if (!own.has(events.category[i])) continue;
                from = Math.min(from, events.start[i]);
                to = Math.max(to, events.start[i] + events.length[i]);
            }
            return (this.work = to > from ? [from, to] : [0, this.end]);
        }

        /* The first place in a lane whose event ends behind time. */
        firstAfter(lane, time) {
            const { events } = this;
            let low = 0,
                high = lane.items.length;
            while (low < high) {
                const middle = (low + high) >> 1,
                    i = lane.items[middle];
                if (events.start[i] + events.length[i] <= time) low = middle + 1;
                else high = middle;
            }
            return low;
        }

        /* The first place from at on whose event starts at time or later. */
        firstFrom(lane, time, at) {
            const { start } = this.events;
            let step = 1,
                low = at,
                high = at;
            while (high < lane.items.length && start[lane.items[high]] < time) {
                low = high + 1;
                high += step;
                step *= 2;
            }
            high = Math.min(high, lane.items.length);
            while (low < high) {
                const middle = (low + high) >> 1;
                if (start[lane.items[middle]] < time) low = middle + 1;
                else high = middle;
            }
            return low;
        }

        /* Whether its time is known: a kernel that was not predicted takes none on the timeline. */
        isTimed(i) {
            const { events, section } = this;
            return events.length[i] > 0 || section.categories[events.category[i]] !== "kernel";
        }

        /* How often and how long each name is there between two times, the longest first. */
        sums(from, to) {
            const { events, section } = this,
                found = new Map();
            for (const lane of this.byRow.flat()) {
                for (let at = this.firstAfter(lane, from); at < lane.items.length; at++) {
                    const i = lane.items[at];
                    if (events.start[i] >= to) break;
                    let sum = found.get(events.name[i]);
                    if (!sum) {
                        sum = {
                            name: section.names[events.name[i]],
                            category: section.categories[events.category[i]],
                            count: 0,
                            unknown: 0,
                            ns: 0,
                        };
                        found.set(events.name[i], sum);
                    }
                    sum.count++;
                    sum.unknown += this.isTimed(i) ? 0 : 1;
                    sum.ns +=
                        Math.min(to, events.start[i] + events.length[i]) - Math.max(from, events.start[i]);
                }
            }
            return [...found.values()].sort((a, b) => b.ns - a.ns || natural(a.name, b.name));
        }

        /* The names that hold a text, each with its events; sets the places of found events in each lane. */
        find(text) {
            const wanted = text.toLowerCase(),
                { events, section } = this;
            const names = new Map();
            section.names.forEach(
                (name, i) => wanted && name.toLowerCase().includes(wanted) && names.set(i, { name, count: 0, ns: 0 }),
            );
            for (const lane of this.byRow.flat()) {
                const places = [];
                if (names.size)
                    lane.items.forEach((i, at) => {
                        const sum = names.get(events.name[i]);
                        if (!sum) return;
                        places.push(at);
                        if (!sum.count++) sum.first = i;
                        sum.first = Math.min(sum.first, i);
                        sum.ns += events.length[i];
                    });
                lane.found = wanted ? Uint32Array.from(places) : null;
            }
            return wanted ? names : null;
        }

        process(row) {
            const { process, pid, rank, host } = this.section.rows[row];
            const place = host ? " on " + host : "";
            return {
                process,
                label: rank === undefined ? "Process " + pid + place : "Rank " + rank + place + " (" + pid + ")",
            };
        }
    }

    let model = null;

    async function load() {
        const section = warplens.data("timeline");
        if (!model) model = new Model(section, decode(await inflate(section.events), section.count));
        return model;
    }

    function forget() {
        model = null;
    }

    return { load, forget, current: () => model, natural, shownBytes, rowOrder };
})();
