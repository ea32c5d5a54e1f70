-- Constants, which an SM reads at one address after another.

-- A load of constants whose lanes need not agree on the address.
local function is_scattered(launch, instruction)
    if not advice.is(instruction, "ld.const") or #advice.address_registers(instruction) == 0 then
        return false
    end
    local step, parameter = advice.stride(launch, instruction)
    return not step or step ~= 0 or parameter ~= ""
end

return {
    {
        id = "constant-scattered",
        name = "Threads of a warp read constants at different addresses",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 270,
        group = "constants",
        cause = "constants",
        lowers_least = true,
        needs = { "whatif__constants__duration.ns", "gpu__time_duration.sum" },
        description = "The cache of constants answers one address at a time: where the threads of a warp index a constant " ..
            "array each by a value of its own, they are served one after another. Fires when the launch timed again with " ..
            "one address for all threads is 5% shorter.",
        advice = "Keep a table that threads index differently in shared memory (a copy for each block), load it through " ..
            "global memory (const __restrict__, __ldg), or compute what is looked up: __popc, __clz, __brev, __ffs do much of " ..
            "what tables are made for. Constant memory is for what all threads read at once.",
        apply = function(launch)
            local m = launch.m
            local without, all = m["whatif__constants__duration.ns"], m["gpu__time_duration.sum"]
            local found = advice.top(launch, function(instruction)
                return is_scattered(launch, instruction) and
                    (instruction["smsp__pcsamp_warps_issue_stalled_mio_throttle"] or 0) +
                    (instruction["smsp__pcsamp_warps_issue_stalled_short_scoreboard"] or 0) +
                    (instruction["inst_executed"] or 0)
            end)
            if not found or without > 0.95 * all then
                return nil
            end
            local executed = advice.sum(launch, function(instruction)
                return is_scattered(launch, instruction) and (instruction["inst_executed"] or 0)
            end)
            return {
                at = found,
                title = string.format("%s loads of constants by warps whose threads each have an address of their own",
                    advice.count(executed)),
                evidence = { { metric = "inst_executed", value = executed },
                    { metric = "ptx__inst_executed_pipe_const.sum" } },
                saved = 1 - without / all,
                how = "one address for all threads of a warp",
                confidence = "medium",
            }
        end,
    },
}
