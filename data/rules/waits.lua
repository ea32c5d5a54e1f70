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

-- The one or two loads of a loop that has no barrier, shuffle or atomic, the turns that a warp makes in it, and the warps
-- times turns.
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
    local turns = most / math.max(1, launch.m["ptx__warps_launched.sum"])
    return loads >= 1 and loads <= 2 and turns >= 16 and at or nil, most, loads
end

return {
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
            "16 turns and more that have one or two loads of at most 8 bytes, and no barrier.",
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
            local inside, found, most, each = 0, nil, 0, 0
            for _, loop in ipairs(innermost(launch)) do
                local at, executed, loads = loads_of(launch, loop)
                if at then
                    inside = inside + executed * loads
                    if executed > most then
                        found, most, each = at, executed, loads
                    end
                end
            end
            if not found or inside < 0.5 * all then
                return nil
            end
            local turns = most / m["ptx__warps_launched.sum"]
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
            "schedulers issue in fewer than 80% of cycles. Only a real GPU tells: the model of time has no such cache.",
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
            return {
                at = loop and launch.instructions[loop.first] or nil,
                title = string.format("a warp spends %s of its time waiting for instructions to be fetched%s",
                    advice.percent(share), longest >= 1000 and string.format("; its longest loop has %s instructions of PTX",
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
