-- Threads that wait for others of their warp, or have nothing to do.

local function lost(launch, warp)
    return function(instruction)
        return (instruction["inst_executed"] or 0) * warp - (instruction["thread_inst_executed_true"] or 0)
    end
end

-- The global load or store that most threads execute, where these meet at barriers; the load, if there is one.
local function load_before_barriers(launch)
    local has_barrier, most, found = false, 0, nil
    for _, instruction in ipairs(launch.instructions) do
        local is_load = advice.is(instruction, "ld.global")
        local count = instruction["thread_inst_executed_true"] or 0
        has_barrier = has_barrier or (advice.is(instruction, "bar") and count > 0)
        if is_load or advice.is(instruction, "st.global") then
            most = math.max(most, count)
            found = is_load and count > 0 and (not found or count > found["thread_inst_executed_true"]) and instruction or found
        end
    end
    return has_barrier and found or nil, most
end

return {
    {
        id = "divergence",
        name = "Threads of a warp go different ways",
        section = "WarpStateStats",
        stage = "compute",
        order = 300,
        group = "threads",
        cause = "divergence",
        description = "An instruction of a warp is executed for all its threads at once; those that went another way wait. " ..
            "Fires when fewer than 24 of 32 threads are active in an instruction on average, and branches that diverge " ..
            "are the reason.",
        advice = "Let the condition be the same for the threads of a warp (by warp instead of by thread), sort the work by " ..
            "kind, or replace short branches by arithmetic.",
        apply = function(launch)
            local m = launch.m
            local warp = m["device__attribute_warp_size"]
            local active = m["ptx__thread_inst_executed_pred_on_per_inst_executed.ratio"]
            local divergent = m["ptx__branches_divergent.sum"]
            if active >= 0.75 * warp or divergent == 0 then
                return nil
            end
            local branch, _, times = advice.top(launch, function(instruction) return instruction["branch_divergent"] or 0 end)
            local worst = advice.top(launch, lost(launch, warp))
            local part = active / warp
            return {
                at = branch or worst,
                title = string.format("only %.1f of %d threads are active in an instruction; this branch diverges %s",
                    active, warp, advice.plural(times, "time")),
                evidence = {
                    { metric = "ptx__thread_inst_executed_pred_on_per_inst_executed.ratio", threshold = 0.75 * warp },
                    { metric = "ptx__branches_divergent.sum" },
                },
                chain = worst and branch and worst.line ~= branch.line and
                    { { at = worst, text = "most idle threads are here" } } or nil,
                saved = advice.saved(launch, { issue = part, fma = part, alu = part, fp64 = part, xu = part }),
                how = string.format("full warps: %.1f / %d of the issue slots; %s", active, warp,
                    advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "short-rows",
        name = "More threads for a row than it has elements",
        section = "SourceCounters",
        stage = "compute",
        order = 310,
        group = "threads",
        description = "Each block (or warp) takes a piece of data that is shorter than its number of threads: the others " ..
            "only wait for the reduction. Fires when fewer than half of all threads execute the global load that most " ..
            "threads execute in the loops of the kernel, or, where none is in a loop and warps meet at barriers, anywhere, and " ..
            "no more of them store.",
        advice = "Take fewer threads for a row: a warp (vector_length(32)) or part of one, and several rows a block.",
        apply = function(launch)
            local m = launch.m
            local threads = m["ptx__threads_launched.sum"]
            local warps = m["ptx__warps_launched.sum"]
            local inside = {}
            for _, loop in ipairs(advice.loops(launch)) do
                for index = loop.first, loop.last do
                    inside[index] = true
                end
            end
            local found, most = advice.top(launch, function(instruction)
                return inside[instruction.index] and advice.is(instruction, "ld.global") and
                    (instruction["thread_inst_executed_true"] or 0)
            end)
            local is_looped = found ~= nil
            if not is_looped then
                found, most = load_before_barriers(launch)
            end
            if not found or most >= 0.5 * threads then
                return nil
            end
            local block = m["launch__block_size"]
            local share, warp_share = most / threads, found["inst_executed"] / warps
            local part = math.max(warp_share, 0.05)
            -- what the busiest unit of the SMs does beyond the least is done by all warps alike, and so is half of the waiting
            local unit = m("warplens__ladder_unit")
            local by_warps = not is_looped and unit and unit ~= "dram" and unit ~= "l2" and
                (1 - part) * (advice.step(launch, "excess") + 0.5 * advice.step(launch, "wait"))
            return {
                at = found,
                title = string.format("%.0f of the %d threads of a block take part: the rows are shorter than the block",
                    share * block, block),
                evidence = {
                    { metric = "thread_inst_executed_true", value = most },
                    { metric = "ptx__threads_launched.sum", threshold = math.floor(2 * most) },
                },
                saved = by_warps or advice.saved(launch, { issue = part, alu = part, shared = part, fp64 = part, fma = part, xu = part,
                    barrier = part }),
                how = by_warps and string.format("%s of the warps have work: that part remains of the work of the busiest unit, and " ..
                    "of half of the waiting", advice.percent(warp_share)) or string.format("only warps with work, %s of them, in as many blocks; %s", advice.percent(warp_share),
                    advice.floors_text(launch)),
                confidence = warp_share < 0.6 and "medium" or "low",
            }
        end,
    },
}
