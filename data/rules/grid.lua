-- Whether the grid fills the GPU.

-- An SM that is idle itself most of the time waits for memory or for other warps, and may go on to.
local function is_busy(launch)
    local duration, floor = launch.m("sm__cycles_elapsed.max"), launch.m("warplens__floor.cycle")
    return duration and floor and floor >= 0.5 * duration
end

-- Whether the report has the kernel's PTX, which loops are found in; of a real GPU it may have machine code, or nothing.
local function has_ptx(launch)
    local first = launch.instructions[1]
    return first and string.find(first.text, "^[@%l]") ~= nil
end

-- How many times the blocks are best, at most `most`, and the part of the work's time that remains: each block more
-- brings its own atomics, and those in one place wait for each other.
local function more_blocks(launch, most)
    local m = launch.m
    local all, cycles = m("gpu__time_duration.sum"), m("warplens__atomics.cycle")
    local work = all and all - (m("warplens__ladder_launch.ns") or 0) or 0
    local atomics = work > 0 and (cycles or 0) / m["device__model_sm_clock_hz"] * 1e9 / work or 0
    if atomics * most <= 1 / most then
        return most, 1 / most
    end
    local times = math.max(1, math.sqrt(1 / atomics))
    return times, 1 / times
end

-- How many blocks to launch of a kernel that goes on in strides of the grid, where it has work for `blocks`.
local function as_many_as(launch, blocks)
    local filled = advice.blocks_at_once(launch)
    return string.format(blocks < filled and "Launch %.0f blocks, one for each turn of the loop" or
        "Launch %.0f blocks, as many as the SMs hold at once", math.min(math.ceil(blocks), filled))
end

-- A grid of less than a warp, whose threads do all turns of a loop: each turn could be a thread.
local function alone(launch, blocks, shares)
    local threads, units = blocks * launch.m["launch__block_size"], launch.m["launch__sm_count"]
    local warp = launch.m["device__attribute_warp_size"]
    if threads >= warp or advice.chased(launch) then
        return nil
    end
    local who = threads == 1 and "one thread does" or advice.exactly(threads, "thread") .. " do"
    local times = math.min(shares, units / blocks * warp / launch.m["launch__block_size"])
    return {
        title = string.format("%s all the work, turn by turn: %d of %d SMs and %d of %d lanes of a warp have none", who, units - blocks,
            units, warp - launch.m["launch__block_size"], warp),
        evidence = { { metric = "launch__grid_size", threshold = units }, { metric = "launch__block_size", threshold = warp } },
        todo = "Let each turn of the loop be a thread of its own (i = blockIdx.x * blockDim.x + threadIdx.x), in blocks of 128 or " ..
            "256 threads, so that neighbouring threads take neighbouring elements. Where a turn needs what the one before " ..
            "computed, it is a sum or a scan, which have parallel forms (cub::DeviceReduce, cub::DeviceScan), or another algorithm.",
        saved = 1 - 1 / times,
        how = string.format("each of %s turns a thread, on %.0f times the lanes", advice.count(shares * threads), times),
        confidence = "low",
    }
end

return {
    {
        id = "small-grid",
        name = "Grid too small for the GPU",
        section = "LaunchStats",
        stage = "grid",
        order = 10,
        group = "grid",
        description = "The grid has fewer blocks than the GPU has multiprocessors: the others have nothing to do. " ..
            "Fires when launch__grid_size is below launch__sm_count.",
        advice = "Give the kernel more blocks: a block for each independent part of the work, smaller blocks, or " ..
            "several such kernels at once in different streams.",
        apply = function(launch)
            local blocks, units = launch.m["launch__grid_size"], launch.m["launch__sm_count"]
            if blocks >= units then
                return nil
            end
            local busy = is_busy(launch)
            local waits = launch.m("sm__cycles_elapsed.max") and not busy
            local shares = advice.turns(launch)
            local does_one_thing = has_ptx(launch) and shares <= 1
            if waits and (does_one_thing or advice.chased(launch)) and launch.m["launch__block_size"] <= 256 then
                return nil -- and no fewer threads would do it: their way is as long on all SMs
            end
            local how = string.format(busy and "the same work on all SMs: 1 - %d / %d" or
                "the same work on all SMs, no more than 1 - %d / %d: those that have a block mostly wait", blocks, units)
            local lone = shares > 1 and alone(launch, blocks, shares)
            if lone then
                return lone
            end
            local strides = shares > 1 and advice.is_grid_stride(launch)
            local todo = strides and advice.by_strides(launch, as_many_as(launch, shares * blocks)) or
                shares > 1 and advice.split_loop(launch) or waits and "Divide the work among more threads, in more blocks: a " ..
                "block for each independent part of it, or several such kernels at once in different streams. The same threads " ..
                "in smaller blocks would wait as long." or nil
            local most = strides and math.min(shares, units / blocks) or units / blocks
            if most < units / blocks then
                how = string.format("the work of a block on %.3g SMs, one for each turn of the loop", most)
            end
            -- a block of more threads can be divided, but what each thread waits for is as long
            local duration, own = launch.m("gpu__time_duration.sum"), 1
            if waits and does_one_thing and duration then
                local work = duration - (launch.m("warplens__ladder_launch.ns") or 0)
                own = launch.m("warplens__floor.ns") / math.max(1, work)
                how = "what the SMs with a block work for, on all SMs: each thread does one thing, and waits for it as long"
            end
            local times, left = more_blocks(launch, most)
            if times < most then
                if times < 1.1 then
                    return nil -- what more blocks save, their atomics take
                end
                how = string.format("%.1f times the blocks: with more, their atomics in one place take longer than the rest", times)
                todo = string.format("Launch %.0f blocks, no more: each brings its own atomics, and those in one place wait for " ..
                    "each other. Add up within the block first, so that it does one; then as many blocks as the GPU has SMs.",
                    math.floor(times * blocks))
            end
            return {
                title = string.format("the grid of %s leaves %d of %d SMs without work", advice.plural(blocks, "block"),
                    units - blocks, units),
                evidence = { { metric = "launch__grid_size", threshold = units }, { metric = "launch__sm_count" } },
                saved = math.min(1 - left, own, advice.step(launch, "idle") or 1),
                how = how,
                todo = todo,
                confidence = busy and "high" or "low",
            }
        end,
    },
    {
        id = "tail-wave",
        name = "Partial last wave",
        section = "LaunchStats",
        stage = "grid",
        order = 20,
        group = "grid",
        cause = "tail-wave",
        description = "The blocks do not fill the GPU a whole number of times: in the last wave SMs stand idle while " ..
            "the others finish. Fires when at least one wave is full and that idle part is 10% of the time or more, and SMs " ..
            "are not idle for longer.",
        advice = "Choose the block size or the work of a block so that the grid is a multiple of a wave, make blocks " ..
            "smaller, or let as many blocks as fit loop over the work (a grid-stride loop).",
        apply = function(launch)
            local waves = launch.m["launch__waves_per_multiprocessor"]
            local all = math.ceil(waves)
            local idle = 1 - waves / all
            local blocks, units = launch.m["launch__grid_size"], launch.m["launch__sm_count"]
            local step = advice.step(launch, "idle")
            if waves < 1 and blocks > units and step and step >= 0.1 then
                local most = math.ceil(blocks / units)
                local uneven = 1 - blocks / units / most
                return uneven >= 0.1 and {
                    title = string.format("%d blocks on %d SMs: some have %d at once, others %d", blocks, units, most, most - 1),
                    evidence = { { metric = "launch__grid_size" }, { metric = "launch__sm_count" },
                        { metric = "warplens__ladder_idle.ns" } },
                    todo = string.format("Let the grid be a multiple of the SMs: %d or %d blocks, each with so much less or more " ..
                        "to do.", most * units, math.max(1, most - 1) * units),
                    saved = math.min(uneven, step),
                    how = string.format("blocks of equal length: 1 - %.2f / %d on each SM", blocks / units, most),
                    confidence = "low",
                } or nil
            end
            if waves < 1 or idle < 0.1 or advice.is_of_long_blocks(launch, idle) then
                return nil
            end
            return {
                title = string.format("%.2f waves of blocks: the last one is %s empty", waves,
                    advice.percent(all - waves)),
                evidence = { { metric = "launch__waves_per_multiprocessor" }, { metric = "launch__grid_size" } },
                saved = math.min(idle, advice.step(launch, "idle") or 1),
                how = string.format("blocks of equal length: 1 - %.2f / %d waves", waves, all),
                confidence = "low",
            }
        end,
    },
    {
        id = "partial-warp",
        name = "Block size is no multiple of a warp",
        section = "LaunchStats",
        stage = "grid",
        order = 30,
        group = "threads",
        description = "A block is run in whole warps; the lanes of the last one that have no thread do nothing. Fires " ..
            "when the block size is no multiple of the warp.",
        advice = "Round the block size up to a multiple of 32 and let the threads beyond the data return.",
        apply = function(launch)
            local threads, warp = launch.m["launch__block_size"], launch.m["device__attribute_warp_size"]
            local lanes = math.ceil(threads / warp) * warp
            local waves = launch.m("launch__waves_per_multiprocessor")
            if lanes == threads or waves and waves <= 1 and not is_busy(launch) then
                return nil -- all blocks run at once and wait: fewer warps would be done no sooner
            end
            return {
                title = string.format("blocks of %s leave %d of %d lanes of %s warp idle", advice.exactly(threads, "thread"), lanes - threads,
                    warp, threads < warp and "their" or "the last"),
                todo = threads < warp and "Let a block have 128 or 256 threads, each with an element of its own (i = blockIdx.x * " ..
                    "blockDim.x + threadIdx.x), and the grid as many fewer blocks." or nil,
                evidence = { { metric = "launch__block_size" } },
                saved = 1 - threads / lanes,
                how = string.format("lanes without a thread: 1 - %d / %d", threads, lanes),
                confidence = lanes > threads * 1.3 and "medium" or "low",
            }
        end,
    },
}
