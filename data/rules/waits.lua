-- What warps wait for that the code could ask for earlier, seen on the ladder of times (data/metrics/ladder.lua): these
-- rules need a duration.

-- Innermost loops: {first, last} instruction.
local function innermost(launch)
    local loops = {}
    for _, instruction in ipairs(launch.instructions) do
        local target = string.match(instruction.text, "bra[%w%.]*%s+([%w_$]+)")
        local first = target and launch.labels[target]
        if first and first <= instruction.index then
            local holds_another = false
            for _, loop in ipairs(loops) do
                holds_another = holds_another or (loop.first >= first and loop.last <= instruction.index)
            end
            if not holds_another then
                loops[#loops + 1] = { first = first, last = instruction.index }
            end
        end
    end
    return loops
end

-- How often warps come to a loop from before it.
local function entries(launch, loop)
    local before = launch.instructions[loop.first - 1]
    return math.max(1, launch.m["ptx__warps_launched.sum"], before and before["inst_executed"] or 0)
end

-- The one or two loads of a loop of 8 turns and more that has no barrier, shuffle or atomic: the one most often executed,
-- how often warps do so, how many loads there are, and the turns.
local function loads_of(launch, loop)
    local loads, most, at = 0, 0, nil
    for index = loop.first, loop.last do
        local instruction = launch.instructions[index]
        local executed = instruction["inst_executed"] or 0
        if executed > 0 and (advice.is(instruction, "bar") or advice.is(instruction, "shfl") or
            advice.is(instruction, "atom") or advice.is(instruction, "red") or advice.is(instruction, "call")) then
            return nil
        elseif executed > 0 and advice.is(instruction, "ld.global") then
            if advice.is_indirect(launch, instruction) or advice.width(instruction) > 8 then
                return nil
            end
            loads = loads + 1
            if executed > most then
                most, at = executed, instruction
            end
        end
    end
    local turns = most / entries(launch, loop)
    return loads >= 1 and loads <= 2 and turns >= 8 and at or nil, most, loads, turns
end

-- The first load of a loop whose value goes to shared memory before anything is read from there: the tile is waited for
-- where it is loaded. Only where a barrier of the loop separates that from what is done with the tile.
local function find_tile(launch, loop)
    local barriers, reads = 0, 0
    for index = loop.first, loop.last do
        local instruction = launch.instructions[index]
        barriers = barriers + (advice.is(instruction, "bar") and 1 or 0)
        reads = reads + (advice.is(instruction, "ld.shared") and 1 or 0)
        if advice.is(instruction, "cp.async") then
            return nil
        end
    end
    local last_read = 0
    for index = loop.first, barriers > 0 and reads > 0 and loop.last or loop.first - 1 do
        local instruction = launch.instructions[index]
        if advice.is(instruction, "ld.shared") then
            last_read = instruction.index
        elseif advice.is(instruction, "st.shared") and (instruction["inst_executed"] or 0) > 0 then
            local _, read = advice.registers(instruction)
            for _, name in ipairs(read) do
                local writer = advice.writer(launch, instruction, name)
                if writer and advice.is(writer, "ld.global") and writer.index >= loop.first and
                    writer.index > last_read and writer.index < instruction.index then
                    return writer
                end
            end
        end
    end
    return nil
end

return {
    {
        id = "tile-prefetch",
        name = "Tiles that are waited for where they are loaded",
        section = "WarpStateStats",
        stage = "memory",
        order = 165,
        group = "latency",
        needs = { "warplens__ladder_wait.ns", "warplens__ladder_unit.pct" },
        description = "A loop loads a tile from global to shared memory, waits for it at a barrier, and computes with it: no " ..
            "load is on its way meanwhile. Fires where waiting, most of it for memory, takes 30% of the time, and no unit " ..
            "works for 60% of it.",
        advice = "Load the next tile before computing with this one: into registers, which are stored to shared memory after " ..
            "the barrier, or with cp.async (cuda::memcpy_async) into a second buffer (double buffering). Two or more blocks " ..
            "on an SM do the same, if registers and shared memory let them.",
        apply = function(launch)
            local m = launch.m
            local wait = advice.step(launch, "wait")
            if wait < 0.3 or m["warplens__ladder_unit.pct"] >= 60 or m("warplens__ladder_wait_kind") ~= "memory" then
                return nil
            end
            -- buffers take registers and shared memory, and the barriers stay
            local all, without = m["gpu__time_duration.sum"], m("whatif__memory-latency__duration.ns")
            local hidden = without and math.max(0, 1 - without / all)
            for _, loop in ipairs(advice.loops(launch)) do
                local found = find_tile(launch, loop)
                if found then
                    return {
                        at = found,
                        title = string.format("this tile is stored to shared memory as soon as it comes, and nothing is " ..
                            "computed meanwhile: warps wait for %s of the time of the SMs", advice.percent(wait)),
                        evidence = { { metric = "warplens__ladder_wait.ns" },
                            { metric = "warplens__ladder_unit.pct", threshold = 60 } },
                        saved = hidden and hidden * all / (all - (m("warplens__ladder_launch.ns") or 0)) * 0.5 or wait * 0.5,
                        how = hidden and string.format("half of the %s that the latency of device memory costs, timed again " ..
                            "without it", advice.percent(hidden)) or "half of the waiting behind arithmetic",
                        confidence = "low",
                    }
                end
            end
            return nil
        end,
    },
    {
        id = "loads-in-turn",
        name = "One load after another in a loop",
        section = "WarpStateStats",
        stage = "memory",
        order = 160,
        group = "latency",
        cause = "memory-latency",
        needs = { "warplens__ladder_wait.ns" },
        description = "A turn of a loop loads a value or two and uses them at once: a warp waits for memory turn by turn, with " ..
            "little on its way. Fires where waiting for memory takes 15% of the time, and most global loads are in loops of " ..
            "8 turns and more that have one or two loads of at most 8 bytes, and no barrier.",
        advice = "Load for several turns before the first value is used: unroll by 4 or 8 into an array in registers " ..
            "(#pragma unroll; where the number of turns is not known when it is compiled, by hand, with the rest apart), or " ..
            "float4 where rows are aligned. Pointers that are not __restrict__ keep the compiler from doing so.",
        apply = function(launch)
            local m = launch.m
            local wait = advice.step(launch, "wait")
            if wait < 0.15 or m("warplens__ladder_wait_kind") ~= "memory" or
                (m["derived__memory_l2_theoretical_sectors_global_excessive_pct"] or 0) >= 25 then
                return nil
            end
            local all = advice.sum(launch, function(instruction)
                return advice.is(instruction, "ld.global") and (instruction["inst_executed"] or 0)
            end)
            local inside, found, most, each, turns = 0, nil, 0, 0, 0
            for _, loop in ipairs(innermost(launch)) do
                local at, executed, loads, own_turns = loads_of(launch, loop)
                if at then
                    inside = inside + executed * loads
                    if executed > most then
                        found, most, each, turns = at, executed, loads, own_turns
                    end
                end
            end
            if not found or inside < 0.5 * all then
                return nil
            end
            return {
                at = found,
                title = string.format("%s a turn, %.0f turns one after another: warps wait for memory for %s of the time of " ..
                    "the SMs", advice.plural(each, "load"), turns, advice.percent(wait)),
                evidence = { { metric = "inst_executed", value = most }, { metric = "warplens__ladder_wait.ns" },
                    { metric = "ptx__warps_launched.sum" } },
                saved = wait * 0.75,
                how = "four turns wait as long as one",
                confidence = "low",
            }
        end,
    },
    {
        id = "chased-loads",
        name = "Loads whose address comes from the load before",
        section = "WarpStateStats",
        stage = "memory",
        order = 162,
        group = "latency",
        needs = { "warplens__ladder_wait.ns", "warplens__ladder_unit.pct" },
        description = "A loop loads, turn by turn, what it needs to know where to load next (lists, trees, searches by halves): no " ..
            "two of these loads of a thread overlap. Fires where half of the global loads are such, of eight turns and more, " ..
            "waiting is for memory, and no unit works for 20% of the time.",
        advice = "Only fewer steps, or nearer ones, make a chain shorter: more keys in a node, an array in place of a list, the upper " ..
            "levels in shared memory, data that fits L2. More chains at once take no longer: several a thread, more threads.",
        apply = function(launch)
            local m = launch.m
            local found, executed = advice.chased(launch)
            local turns = executed / math.max(1, m["ptx__warps_launched.sum"])
            if not found or turns < 8 or m["warplens__ladder_unit.pct"] >= 20 or m("warplens__ladder_wait_kind") ~= "memory" then
                return nil
            end
            local work = m["gpu__time_duration.sum"] - (m("warplens__ladder_launch.ns") or 0)
            return {
                at = found,
                title = string.format("each of %.0f loads of a thread waits for the one before, for %.0f ns", turns, work / turns),
                evidence = { { metric = "inst_executed", value = executed }, { metric = "ptx__warps_launched.sum" },
                    { metric = "warplens__ladder_unit.pct", threshold = 20 } },
                confidence = "medium",
            }
        end,
    },
    {
        id = "dependent-arithmetic",
        name = "Results of arithmetic that are waited for",
        section = "WarpStateStats",
        stage = "stalls",
        order = 170,
        group = "latency",
        cause = "latency",
        needs = { "warplens__ladder_wait.ns", "warplens__ladder_unit.pct", "whatif__latency__duration.ns" },
        description = "Each instruction needs the result of the one before, and there are too few warps to work meanwhile. Fires " ..
            "where waiting, most of it for results of arithmetic, takes 25% of the time, no unit works for 60% of it, and the launch " ..
            "timed again without that latency is 10% shorter.",
        advice = "Let a thread work on two to four independent results at a time (several sums that are added up at the end, " ..
            "several elements a thread), or have more warps.",
        apply = function(launch)
            local m = launch.m
            local wait, all = advice.step(launch, "wait"), m["gpu__time_duration.sum"]
            local saved = 1 - m["whatif__latency__duration.ns"] / all
            if wait < 0.25 or m["warplens__ladder_unit.pct"] >= 60 or saved < 0.1 or
                m("warplens__ladder_wait_kind") ~= "results of arithmetic" then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return instruction["smsp__pcsamp_warps_issue_stalled_wait"] or instruction["warp_cycles_stalled_wait"]
            end)
            local waves = m["launch__waves_per_multiprocessor"]
            return {
                at = found,
                title = string.format("warps wait for results of arithmetic for %s of the time of the SMs", advice.percent(wait)),
                evidence = { { metric = "warplens__ladder_wait.ns" }, { metric = "warplens__ladder_unit.pct", threshold = 60 } },
                todo = waves < 0.5 and "Divide the work among more threads, of which the SMs could hold " ..
                    string.format("%.0f times as many", 1 / waves) .. "; where that cannot be, let a thread work on two to four " ..
                    "independent results at a time (several sums that are added up at the end)." or nil,
                saved = saved,
                how = "results of arithmetic that are there at once",
                confidence = "low",
            }
        end,
    },
    {
        id = "instruction-cache",
        name = "Code that does not fit the instruction cache",
        section = "WarpStateStats",
        stage = "stalls",
        order = 320,
        group = "instruction-cache",
        needs = { "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
            "smsp__average_warp_latency_per_inst_issued.ratio", "smsp__issue_active.avg.pct_of_peak_sustained_active" },
        description = "Warps wait for their next instructions to be fetched: the body of a loop, or the paths that warps go at " ..
            "the same time, are longer than the caches of instructions. Fires when a warp spends 20% of its time so while " ..
            "schedulers issue in fewer than 80% of cycles. Where a kernel has no more than 2048 instructions (32 KiB), and warps " ..
            "execute no more, it is the first pass of each launch through its code: a note.",
        advice = "Unroll less (#pragma unroll 1 or 4 in place of all turns), call large functions instead of inlining them " ..
            "in many places (__noinline__), and let the warps of a block go through the same code at the same time.",
        apply = function(launch)
            local m = launch.m
            local own = m["smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"]
            local all = m["smsp__average_warp_latency_per_inst_issued.ratio"]
            local issue = m["smsp__issue_active.avg.pct_of_peak_sustained_active"] / 100
            local share = all > 0 and own / all or 0
            if share < 0.2 or issue >= 0.8 then
                return nil
            end
            local longest, loop = 0, nil
            for _, each in ipairs(advice.loops(launch)) do
                if each.last - each.first > longest then
                    longest, loop = each.last - each.first, each
                end
            end
            local executed, warps = m("ptx__inst_executed.sum"), m("ptx__warps_launched.sum")
            local is_first = executed and warps and executed <= warps * #launch.instructions and #launch.instructions <= 2048
            return {
                at = loop and not is_first and launch.instructions[loop.first] or nil,
                severity = is_first and "note" or nil,
                todo = is_first and "Code is fetched anew by each launch: let a launch do more with it (several elements for each " ..
                    "thread, several such kernels as one), or let the way that most warps go through it be shorter." or nil,
                title = string.format("a warp spends %s of its time waiting for instructions to be fetched%s",
                    advice.percent(share), is_first and " the first time" or longest >= 1000 and string.format("; its longest loop has %s instructions of PTX",
                        advice.count(longest)) or ""),
                evidence = {
                    { metric = "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio",
                        threshold = 0.2 * all },
                    { metric = "smsp__issue_active.avg.pct_of_peak_sustained_active", threshold = 80 },
                },
                saved = share * (1 - issue),
                how = string.format("instructions that are there at once, in the %s of cycles in which nothing is issued",
                    advice.percent(1 - issue)),
                confidence = "low",
            }
        end,
    },
}
