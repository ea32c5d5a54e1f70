/* Launches of the same kernel and shape, put together: warplens.kinds() gives {launch, id, shape, count, ns, timed, least,
 * most, mark, launches} of each, those that take most first; launch stands for the others and is a counted one where there
 * are lists of launches; wholes are then those that the page came with whole. warplens.kindOf(launch) gives the one that a
 * launch belongs to, where there are lists. */
(() => {
    const { data, value, triple } = warplens;
    const time_metric = "gpu__time_duration.sum";

    /* A table of kinds is what can be read: launches are very many, and alike. */
    warplens.kindsAreBetter = () => {
        const lists = warplens.lists();
        return lists !== null && 2 * warplens.kinds().length <= lists.ids.length;
    };

    function add(kind, ns, mark) {
        kind.count++;
        if (ns === null || ns === undefined) return;
        kind.least = kind.timed ? Math.min(kind.least, ns) : ns;
        kind.most = kind.timed ? Math.max(kind.most, ns) : ns;
        kind.ns += ns;
        kind.timed++;
        kind.mark = Math.max(kind.mark || 0, mark);
    }

    const empty = (shape) => ({ shape, count: 0, timed: 0, ns: 0, least: 0, most: 0 });

    /* Sums come with the lists; which launches are of a kind is found in them. */
    function ofLists(lists) {
        const { of_kind, mark, groups } = lists,
            { kernel, grids, blocks } = lists.own,
            found = new Map();
        const own = kernel.map((number, k) => {
            const shape = triple(grids.slice(3 * k, 3 * k + 3)) + "×" + triple(blocks.slice(3 * k, 3 * k + 3)),
                key = number + " " + shape;
            if (!found.has(key)) found.set(key, { shape, mark, positions: [], wholes: [] });
            return found.get(key);
        });
        of_kind.forEach((kind, position) => own[kind].positions.push(position));
        for (const { id } of lists.wholes) {
            const launch = lists.find(id);
            own[of_kind[launch.position]].wholes.push(launch);
        }
        return groups.launch.map((id, i) => {
            const launch = lists.find(id),
                kind = own[of_kind[launch.position]],
                timed = groups.ns[i] === null ? 0 : groups.count[i];
            Object.assign(kind, { launch, id, timed, count: groups.count[i], ns: groups.ns[i] || 0, least: groups.least[i], most: groups.most[i] });
            Object.defineProperty(kind, "launches", { get: () => kind.positions.map((at) => lists.at(at)) });
            return kind;
        });
    }

    function ofLaunches() {
        const found = new Map(),
            index = data("launches").metrics.findIndex((metric) => metric.name === time_metric);
        for (const launch of warplens.launches()) {
            const shape = triple(launch.grid_size) + "×" + triple(launch.block_size),
                key = launch.kernel_name + " " + shape,
                time = index < 0 ? {} : value(launch, index);
            if (!found.has(key)) found.set(key, { ...empty(shape), launch, id: launch.id, launches: [] });
            add(found.get(key), time.number, time.mark);
            found.get(key).launches.push(launch);
        }
        return [...found.values()];
    }

    /* The same objects each time, as long as the data are those. */
    let known = { of: null, kinds: [] };
    warplens.kinds = () => {
        const lists = warplens.lists(),
            of = lists || data("launches");
        if (known.of !== of) known = { of, kinds: lists ? ofLists(lists) : ofLaunches().sort((a, b) => b.ns - a.ns) };
        return known.kinds;
    };

    /* "kernel<8>" of "void kernel<8>(int, float*)": what tells kernels of a template from each other. */
    function withArguments(name) {
        let depth = 0,
            end = name.length - 1;
        if (name[end] !== ")") return name;
        for (; end > 0; end--) {
            if (name[end] === ")") depth++;
            else if (name[end] === "(" && --depth === 0) break;
        }
        return end > 0 ? name.slice(0, end).replace(/^void /, "") : name;
    }

    let byFunction = { of: null, names: new Map() };
    /* The short name of a launch's kernel; with its template's arguments where other kernels here have the same. */
    warplens.shortName = (launch) => {
        const kinds = warplens.kinds();
        if (byFunction.of !== kinds) {
            byFunction = { of: kinds, names: new Map() };
            for (const { launch: each } of kinds) {
                if (!byFunction.names.has(each.function)) byFunction.names.set(each.function, each.kernel_name);
                else if (byFunction.names.get(each.function) !== each.kernel_name) byFunction.names.set(each.function, null);
            }
        }
        return byFunction.names.get(launch.function) === null ? withArguments(launch.kernel_name) : launch.function;
    };

    warplens.kindOf = (launch) => {
        const shape = triple(launch.grid_size) + "×" + triple(launch.block_size);
        const ofLaunch = (kind) => kind.shape === shape && kind.launch.kernel_name === launch.kernel_name && kind.positions.includes(launch.position);
        return warplens.kinds().find(ofLaunch) || null;
    };
})();
