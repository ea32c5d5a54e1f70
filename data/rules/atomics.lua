-- Atomics on global memory.

-- Whether the threads of a warp have a word each: look-ups are hardly more than the sectors that are touched.
local function is_apart(launch)
    local m = launch.m
    local lookups = (m("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum") or 0) +
        (m("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum") or 0)
    local touched = advice.sum(launch, function(instruction)
        local is_atomic = advice.is(instruction, "atom") or advice.is(instruction, "red")
        return is_atomic and instruction["memory_l2_theoretical_sectors_global"] or 0
    end)
    return lookups > 0 and touched > 0.8 * lookups
end

-- Whether most threads of a warp have an atomic at the same time, and hardly two of them in one sector.
local function is_scattered(instruction)
    local threads = instruction["thread_inst_executed_true"] or 0
    return threads >= 8 * (instruction["inst_executed"] or 0) and
        (instruction["memory_l2_theoretical_sectors_global"] or 0) >= 0.5 * threads
end

-- How the atomics of many blocks get fewer: where a block has one for a few elements, fewer blocks do more each.
local function fewer(launch)
    local blocks, fit = launch.m["launch__grid_size"], advice.blocks_at_once(launch)
    if blocks <= 2 * fit then
        return nil
    end
    return string.format("Launch %.0f blocks, as many as the SMs hold at once, in place of %.0f, which each go through the data " ..
        "in strides of the grid (for (i = global index; i < n; i += gridDim.x * blockDim.x)) and add up before the one atomic; " ..
        "or write one result a block and add these up in a second kernel.", fit, blocks)
end

return {
    {
        id = "global-atomics",
        name = "Atomics that meet in one place of global memory",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 240,
        group = "atomics",
        cause = "atomics",
        description = "Many threads of a warp update the same few words by atomics, which L2 does one after another. " ..
            "Fires when an atomic of a warp has 8 threads or more for each sector that it touches, and a fifth of " ..
            "the look-ups of L1 for atomics come from threads that meet in a word.",
        advice = "Add up within the warp (__reduce_add_sync) or the block (shared memory) first, so that one thread does " ..
            "one atomic for all; or spread the targets over several copies.",
        apply = function(launch)
            local m = launch.m
            local requests = m["l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"] +
                m["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"]
            if requests == 0 then
                return nil
            end
            if is_apart(launch) then
                return nil
            end
            local function crowd(instruction)
                local sectors = instruction["memory_l2_theoretical_sectors_global"] or 0
                local is_atomic = advice.is(instruction, "atom") or advice.is(instruction, "red")
                return is_atomic and sectors > 0 and instruction["thread_inst_executed_true"] / sectors or 0
            end
            local found, _, of_line = advice.top(launch, function(instruction)
                return crowd(instruction) >= 8 and (instruction["thread_inst_executed_true"] or 0)
            end)
            if not found then
                return nil
            end
            -- L2 does one atomic on a word a cycle; a slice has 32 bytes, eight words, at once
            local before = of_line / 2
            local floor = m["warplens__floor.cycle"]
            local saved = before / (before + floor)
            return {
                at = found,
                title = string.format("%s atomics, %.0f of a warp on each sector", advice.count(of_line), crowd(found)),
                evidence = {
                    { metric = "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum" },
                    { metric = "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum" },
                    { metric = "thread_inst_executed_true", value = of_line },
                },
                saved = math.min(0.9, saved * (1 - 1 / crowd(found))),
                how = string.format("one atomic a warp instead of %.0f, two a cycle where all hit one sector; other " ..
                    "floors %s cycles", crowd(found), advice.count(floor)),
                confidence = "low",
            }
        end,
    },
    {
        id = "atomics-one-place",
        name = "Atomics of many blocks that meet in one place",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 245,
        group = "atomics",
        cause = "atomics",
        needs = { "warplens__atomics.cycle", "gpu__time_duration.sum" },
        description = "L2 performs atomics on one sector one after another, whoever asks for them. Fires where the slice of " ..
            "L2 that has most of them works for a quarter of the time of the launch, and no warp has them from many " ..
            "threads at once.",
        advice = "Let fewer blocks each add up more before their atomic (a grid-stride loop), write one result a block and add " ..
            "these up in a second kernel, or spread the target over several copies.",
        apply = function(launch)
            local m = launch.m
            local work = m["gpu__time_duration.sum"] - (m("warplens__ladder_launch.ns") or 0)
            local busy = m["warplens__atomics.cycle"] / m["device__model_sm_clock_hz"] * 1e9
            local found, threads, of_line = advice.top(launch, function(instruction)
                return (advice.is(instruction, "atom") or advice.is(instruction, "red")) and
                    not string.find(instruction.opcode, "shared", 1, true) and
                    (instruction["thread_inst_executed_true"] or 0)
            end)
            if not found or work <= 0 or busy < 0.25 * work then
                return nil
            end
            local sectors = found["memory_l2_theoretical_sectors_global"] or 0
            if sectors > 0 and threads / sectors >= 8 and not is_apart(launch) then
                return nil -- global-atomics: threads of a warp meet
            end
            local floor = m["warplens__floor.cycle"] / m["device__model_sm_clock_hz"] * 1e9
            local todo, without = fewer(launch), m("whatif__atomics__duration.ns")
            if without and without > 0.4 * m["gpu__time_duration.sum"] and is_scattered(found) then
                return nil -- places that few share: atomics-scattered
            end
            -- fewer blocks start, wait and add up less often, too, which the launch timed again still does
            local starts = advice.single_load(launch) and advice.saved_by_strides(launch) or advice.step(launch, "starts") or 0
            local is_both = todo and without and starts >= 0.05
            local apart = is_both and (m["gpu__time_duration.sum"] - without) / work or 0
            return {
                at = found,
                todo = todo,
                cause = is_both and "" or nil,
                title = string.format("%s atomics, most of them in one place of L2, which performs them for %s of the time of " ..
                    "the SMs", advice.count(of_line), advice.percent(math.min(1, busy / work))),
                evidence = { { metric = "warplens__atomics.cycle" }, { metric = "thread_inst_executed_true", value = of_line } },
                saved = is_both and math.min(0.95, apart + starts) or math.max(0, math.min(0.95, (busy - floor) / work)),
                how = is_both and string.format("%s of the time of the SMs by the launch timed again without atomics that meet, and " ..
                    "%s for what each block does anew", advice.percent(apart), advice.percent(starts)) or string.format("atomics that meet nowhere: the next floor is %s cycles, theirs %s",
                    advice.count(m["warplens__floor.cycle"]), advice.count(m["warplens__atomics.cycle"])),
                confidence = "medium",
            }
        end,
    },
    {
        id = "atomics-scattered",
        name = "Atomics at many places that keep L2 busy",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 248,
        group = "atomics",
        needs = { "warplens__atomics.cycle", "gpu__time_duration.sum", "whatif__atomics__duration.ns" },
        description = "Each thread of a warp updates a place of its own by an atomic, and L2 performs one on a sector after another. " ..
            "Fires where its slices work on them for 40% of the time of the launch, and the launch timed again with atomics that meet " ..
            "nowhere is less than 60% shorter.",
        advice = "Turn the loop around: let a thread take a target and gather what belongs to it (sorted by target once, in lists " ..
            "like CSR), so that it stores once and needs no atomic; or sort what is added, and add up runs of one target first; or " ..
            "count in shared memory, a range of targets for each block.",
        apply = function(launch)
            local m = launch.m
            local all = m["gpu__time_duration.sum"]
            local work = all - (m("warplens__ladder_launch.ns") or 0)
            local busy = math.min(1, m["warplens__atomics.cycle"] / m["device__model_sm_clock_hz"] * 1e9 / math.max(1, work))
            local found, _, of_line = advice.top(launch, function(instruction)
                return (advice.is(instruction, "atom") or advice.is(instruction, "red")) and
                    not string.find(instruction.opcode, "shared", 1, true) and (instruction["thread_inst_executed_true"] or 0)
            end)
            if not found or busy < 0.4 or m["whatif__atomics__duration.ns"] <= 0.4 * all or not is_scattered(found) then
                return nil
            end
            return {
                at = found,
                title = string.format("%s atomics, each thread at a place of its own: L2 works on them for %s of the time of the SMs",
                    advice.count(of_line), advice.percent(busy)),
                evidence = { { metric = "warplens__atomics.cycle" }, { metric = "thread_inst_executed_true", value = of_line } },
                saved = 0.6 * busy,
                how = "loads take two fifths of the time that atomics do: what is added is gathered instead",
                confidence = "low",
            }
        end,
    },
}
