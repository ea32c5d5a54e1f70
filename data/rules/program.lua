-- What shows only over all launches of a program, and the plain statement of what bounds each.

-- From a launch to the start of its kernel some microseconds pass; a GPU that gets no work in that time is idle.
local launch_ns = 2500

local words = {
    issue = "issuing instructions", fma = "the FMA pipe", alu = "the integer pipe", fp64 = "the double-precision pipe",
    xu = "the pipe of special functions", fp16 = "the half-precision pipe", lsu = "the load/store path of L1", l2 = "L2",
    dram = "device memory", barrier = "barriers", blocks = "starting blocks", tensor = "the tensor pipe",
    adu = "the unit of barriers, constants by address and block numbers (ADU)", sm = "a unit of the SMs", memory = "a unit of memory",
}

-- What the unit has to do, by counts: its floor, and those of the units that are most often next to it.
local function evidence_of(m, unit)
    local evidence = {}
    if m("warplens__ladder_unit.pct") then
        evidence[1] = { metric = "warplens__ladder_unit.pct", threshold = 20 }
    end
    for place, name in ipairs({ unit, "issue", "lsu", "l2", "dram" }) do
        local metric = "warplens__floor_" .. name .. ".cycle"
        if m(metric) and (place == 1 or name ~= unit) then
            evidence[#evidence + 1] = { metric = metric }
        end
    end
    return evidence
end

-- Whether a load goes through a pointer of an earlier loop, and both or neither by the number of the block: what one
-- phase loaded or stored the next one needs again.
local function is_needed_again(launch, loop, load)
    local pointers = advice.pointers(launch, load)
    local is_of_block = advice.depends_on(launch, advice.address_registers(load), "%ctaid")
    for index = loop.first, loop.last do
        local instruction = launch.instructions[index]
        if advice.is(instruction, "ld.global") or advice.is(instruction, "st.global") then
            for name in string.gmatch(advice.pointers(launch, instruction), "%S+") do
                if string.find(pointers, name, 1, true) and
                    advice.depends_on(launch, advice.address_registers(instruction), "%ctaid") == is_of_block then
                    return true
                end
            end
        end
    end
    return false
end

return {
    {
        id = "bound",
        name = "What bounds the kernel",
        section = "SpeedOfLight",
        stage = "bound",
        order = 900,
        description = "The unit that works for the longest part of the launch, as read or predicted; without a duration " ..
            "the one that needs most time at its peak rate for what was counted. At 90% there is nothing left to gain " ..
            "but by doing less, below 60% waiting holds it back, too, and below 20% no unit bounds it: warps wait.",
        advice = "Look for findings about this unit first. If there are none, only less work or another algorithm makes " ..
            "the kernel faster.",
        apply = function(launch)
            local m = launch.m
            local unit, share = m("warplens__ladder_unit"), m("warplens__ladder_unit.pct")
            local stand_in = launch.is_stand_in and "stand-in for a library: " or ""
            if not unit or not share then
                unit = m("warplens__floor_unit")
                return unit and {
                    severity = "note",
                    title = string.format("%sbound by %s by counts (%s of the time of all units)", stand_in, words[unit],
                        advice.percent(advice.weight(launch, unit))),
                    evidence = evidence_of(m, unit),
                }
            elseif share < 20 then
                return {
                    severity = "note",
                    title = string.format("%sno unit bounds it: the busiest, %s, works for %.0f%% of the time", stand_in,
                        words[unit], share),
                    evidence = evidence_of(m, unit),
                    todo = "Give the SMs more to do at once: more blocks or warps, loads that do not wait for each other, " ..
                        "or fewer and larger launches.",
                }
            end
            return {
                severity = "note",
                title = string.format(share < 60 and "%sbusiest is %s, which works for %.0f%% of the time" or
                    "%sbound by %s, which works for %.0f%% of the time", stand_in, words[unit], share),
                evidence = evidence_of(m, unit),
            }
        end,
    },
    {
        id = "ceiling",
        name = "How near the kernel is to what this GPU can do",
        section = "SpeedOfLight",
        stage = "bound",
        order = 910,
        needs = { "warplens__ceiling.pct" },
        description = "Compares the duration with the least time that the launch's bytes and floating-point operations " ..
            "need on this GPU (warplens__ceiling.ns), and names what the rest is. Where little is left, only fewer bytes or " ..
            "fewer operations make it faster.",
        advice = "Where little is left stop, or find a way that needs fewer bytes or operations. Else look what the rest of " ..
            "the time is: the findings above.",
        apply = function(launch)
            return {
                severity = "note",
                title = launch.m["warplens__verdict"],
                evidence = { { metric = "warplens__ceiling.pct", threshold = 80 },
                    { metric = "warplens__ceiling_memory.ns" }, { metric = "warplens__ceiling_compute.ns" } },
            }
        end,
    },
    {
        id = "launch-bound",
        name = "Many kernels that are shorter than a launch",
        section = "LaunchStats",
        stage = "program",
        order = 5,
        scope = "program",
        group = "launches",
        description = "Launching a kernel takes some microseconds. A program of many kernels that do less than that leaves " ..
            "the GPU idle between them. Fires from 20 launches on, half of which take less than 2.5 microseconds (or, without a time, " ..
            "have floors below), besides what the launch itself takes.",
        advice = "Do more in one kernel (fuse them, or loop inside), or record the sequence once as a CUDA graph.",
        apply = function(program)
            local short, all_ns, work_ns, known = 0, 0, 0, 0
            for _, launch in ipairs(program.launches) do
                local own = launch.m("gpu__time_duration.sum")
                local work = own and own - (launch.m("warplens__ladder_launch.ns") or 0) or launch.m("warplens__floor.ns")
                if work then
                    known = known + 1
                    all_ns, work_ns = all_ns + (own or work), work_ns + work
                    short = short + (work < launch_ns and 1 or 0)
                end
            end
            if known < 20 or short < 0.5 * known then
                return nil
            end
            return {
                title = string.format("%d of %d launches have less than %.1f us of work", short, known, launch_ns / 1000),
                evidence = { { metric = "launches", value = known, threshold = 20 },
                    { metric = "work of a launch", value = work_ns / known, unit = "ns", threshold = launch_ns } },
                saved = math.min(0.95, short * launch_ns / (known * launch_ns + all_ns)),
                how = string.format("%.1f us before a launch that a graph or a larger kernel saves, of %.1f us with it",
                    launch_ns / 1000, (launch_ns + all_ns / known) / 1000),
                confidence = "low",
            }
        end,
    },
    {
        id = "phases",
        name = "Phases in one kernel that should be two",
        section = "SourceCounters",
        stage = "memory",
        order = 700,
        group = "phases",
        description = "The kernel has loops one after the other that do different things: one grid, one block size and one " ..
            "set of registers must serve all. Fires when two outermost loops have a fifth of the instructions or of the " ..
            "sectors each, both load from global memory, not the same data again, and a barrier stands between them.",
        advice = "Make a kernel of each phase: each gets the grid that suits it, and can be looked at, or replaced by a " ..
            "library, on its own.",
        apply = function(launch)
            local all = launch.m["ptx__inst_executed.sum"]
            local all_sectors = math.max(1, launch.m["memory_l2_theoretical_sectors_global"])
            local phases = {}
            for _, loop in ipairs(advice.loops(launch)) do
                local count, loads, sectors, heaviest = 0, 0, 0, nil
                for index = loop.first, loop.last do
                    local instruction = launch.instructions[index]
                    local own = instruction["inst_executed"] or 0
                    count = count + own
                    if advice.is(instruction, "ld.global") and own > 0 then
                        loads = loads + own
                        sectors = sectors + (instruction["memory_l2_theoretical_sectors_global"] or 0)
                        heaviest = heaviest or instruction
                    end
                end
                if loads > 0 and (count >= 0.2 * all or sectors >= 0.2 * all_sectors) then
                    phases[#phases + 1] = { loop = loop, share = count / all, part = sectors / all_sectors, at = heaviest }
                end
            end
            if #phases < 2 then
                return nil
            end
            local has_barrier = false
            for index = phases[1].loop.last, phases[2].loop.first do
                has_barrier = has_barrier or advice.is(launch.instructions[index], "bar")
            end
            if not has_barrier or is_needed_again(launch, phases[1].loop, phases[2].at) then
                return nil
            end
            return {
                at = phases[2].at,
                title = string.format("two phases with a barrier between them: %s and %s of the instructions, %s and %s " ..
                    "of the sectors", advice.percent(phases[1].share), advice.percent(phases[2].share),
                    advice.percent(phases[1].part), advice.percent(phases[2].part)),
                chain = { { at = phases[1].at, text = "the first phase loads here" },
                    { at = phases[2].at, text = "the second phase loads here" } },
                evidence = { { metric = "inst_executed", value = phases[1].share * all },
                    { metric = "inst_executed", value = phases[2].share * all } },
                confidence = "low",
            }
        end,
    },
    {
        id = "matrix-vector",
        name = "Matrix times vector in every block",
        section = "SourceCounters",
        stage = "memory",
        order = 690,
        group = "phases",
        lowers_least = true,
        description = "Every block loads the same matrix and sums up its products with a vector of its own. All blocks " ..
            "together do the product of two matrices, in the slowest way. Fires when a load in a loop, whose address does " ..
            "not depend on the block, is multiplied and summed up by shuffles or barriers in that loop, and it is a fifth " ..
            "of what L2 moves.",
        advice = "Write the vectors of all blocks into one matrix and multiply once: cublasSgemm, or a kernel of its own " ..
            "that keeps tiles of both.",
        apply = function(launch)
            local m = launch.m
            local blocks = m["launch__grid_size"]
            if blocks < 2 then
                return nil
            end
            local best, most, vector = nil, 0, nil
            for _, loop in ipairs(advice.loops(launch)) do
                local sums = false
                for index = loop.first, loop.last do
                    local instruction = launch.instructions[index]
                    sums = sums or advice.is(instruction, "shfl") or advice.is(instruction, "bar")
                end
                for index = loop.first, sums and loop.last or loop.first - 1 do
                    local instruction = launch.instructions[index]
                    local sectors = instruction["memory_l2_theoretical_sectors_global"] or 0
                    if advice.is(instruction, "ld.global") and sectors > most and
                        not advice.depends_on(launch, advice.address_registers(instruction), "%ctaid") then
                        local written = advice.registers(instruction)[1]
                        for next_index = index + 1, loop.last do
                            local user = launch.instructions[next_index]
                            local _, read = advice.registers(user)
                            for _, name in ipairs(read) do
                                if name == written and (advice.is(user, "mul") or advice.is(user, "fma")) then
                                    best, most, vector = instruction, sectors, user
                                end
                            end
                        end
                    end
                end
            end
            local all = m["memory_l2_theoretical_sectors_global"]
            if not best or most < 0.2 * all then
                return nil
            end
            local share = most / all
            return {
                at = best,
                title = string.format("every one of %d blocks loads this matrix: %s of all global sectors", blocks,
                    advice.percent(share)),
                evidence = { { metric = "memory_l2_theoretical_sectors_global", value = most },
                    { metric = "launch__grid_size" } },
                chain = { { at = vector, text = "where it is multiplied" } },
                saved = advice.saved(launch, { l1 = 1 - share, l2 = 1 - share, issue = 1 - share, waits = true }),
                how = string.format("%s of the global traffic goes to one product of matrices; %s", advice.percent(share),
                    advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
}
