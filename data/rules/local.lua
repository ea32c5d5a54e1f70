-- Local memory: what threads could not keep in registers.

local function is_local(instruction)
    return (string.find(instruction.opcode, "local", 1, true) or (instruction["memory_l2_theoretical_sectors_local"] or 0) > 0) and
        (instruction["memory_l2_theoretical_sectors_local"] or 0)
end

-- Whether the place in the array is known only when the kernel runs.
local function is_by_data(launch, instruction)
    local is_data = advice.data_registers(launch)
    for _, name in ipairs(advice.address_registers(instruction)) do
        if is_data[name] then
            return true
        end
    end
    return false
end

-- The part of what L1 looks up that is local. Lanes that are at one place of their arrays need four sectors of a line; those
-- at places of their own a line for two sectors or fewer.
local function part_of_lookups(launch)
    local m = launch.m
    local own = advice.sum(launch, function(instruction)
        local sectors, requests = is_local(instruction) or 0, instruction["inst_executed"] or 0
        return sectors and sectors / 4 + 0.45 * math.max(0, sectors - 4 * requests)
    end)
    local others = m["memory_l1_tag_requests_global"] + (m("memory_l1_wavefronts_shared") or 0)
    return own > 0 and own / (own + others) or 0
end

-- What goes with local accesses where the launch could not be timed again without them: as much of L1's work and of waiting
-- for it as is theirs, where that is what takes the time.
local function saved_by_ladder(launch)
    local m = launch.m
    local unit = m("warplens__ladder_unit")
    if unit ~= "lsu" and unit ~= "l1" then
        return nil
    end
    local waits = m("warplens__ladder_wait_kind") == "memory" and advice.step(launch, "wait") or 0
    return math.min(0.95, (advice.step(launch, "excess") + waits) * part_of_lookups(launch))
end

-- Such an array belongs to shared memory, as long as that leaves an SM its warps.
local function by_data(m)
    local each, threads = m("launch__local_mem_per_thread") or 0, m["launch__block_size"]
    local most, blocks = m("device__attribute_max_shared_memory_per_multiprocessor") or 0,
        m["launch__occupancy_blocks_per_multiprocessor"]
    local fit = each > 0 and most // (each * threads + 1024) or 0
    if most == 0 or each == 0 then
        return "The place in the array is computed from data, so that no unrolling makes registers of it: make the array smaller " ..
            "(a narrower type), or put it into shared memory, an element of each thread beside those of its neighbours " ..
            "([element][thread])."
    end
    return string.format("The place in the array is computed from data, so that no unrolling makes registers of it. In shared " ..
        "memory, [element][thread], %d bytes a thread leave an SM %.0f blocks of this size where it holds %.0f now%s.", each, fit,
        blocks, fit >= 0.75 * blocks and "" or
        ": it gains less than is said, or nothing; make the array smaller (a narrower type) first")
end

return {
    {
        id = "register-spills",
        name = "Registers are spilled",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 250,
        group = "local",
        description = "The compiler had more values than registers and keeps some of them in local memory, which is slow. " ..
            "Fires when ptxas tells of spills; below 3% of the instructions of the kernel that is a note.",
        advice = "Raise the limit of registers (__launch_bounds__, -maxrregcount), keep fewer values alive at a time, or " ..
            "unroll less.",
        apply = function(launch)
            local m = launch.m
            local stores, loads = m["kernel__spill_store_bytes"], m["kernel__spill_load_bytes"]
            if stores + loads == 0 then
                return nil
            end
            local registers = m["launch__registers_per_thread"]
            local is_predicted = m("ptx__inst_executed.sum") and (m["l1tex__t_requests_pipe_lsu_mem_local.sum"] or 0) == 0
            -- each is an instruction of 4 bytes in the code
            local share = (stores + loads) / 4 / math.max(1, #launch.instructions)
            return {
                severity = share < 0.03 and "note" or nil,
                title = string.format("%d bytes of registers are spilled, %d loaded again, at %d registers a thread%s",
                    stores, loads, registers, is_predicted and "; the predicted time has none of this" or ""),
                evidence = {
                    { metric = "kernel__spill_store_bytes", threshold = 0 },
                    { metric = "kernel__spill_load_bytes", threshold = 0 },
                    { metric = "launch__registers_per_thread" },
                },
                confidence = "medium",
            }
        end,
    },
    {
        id = "local-memory",
        name = "Arrays in local memory",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 260,
        group = "local",
        cause = "local-memory",
        description = "Arrays of a thread that are indexed by a variable, and large structures, live in local memory: in " ..
            "truth global memory behind L1. Fires when 5% of the requests to L1 are local.",
        advice = "Unroll the loops that index the array, so that its elements become registers; make it smaller; or put " ..
            "it into shared memory.",
        apply = function(launch)
            local m = launch.m
            if m["l1tex__t_requests_pipe_lsu_mem_local.sum"] == 0 then
                return nil
            end
            local share = m["derived__local_spilling_requests_pct"]
            if share < 5 then
                return nil
            end
            local found = advice.top(launch, is_local)
            local floors = advice.floors(launch)
            local sectors = m["memory_l2_theoretical_sectors_local"]
            local own = sectors / 4
            local tags = own + m["memory_l1_tag_requests_global"]
            -- an array that is indexed by what comes out of memory, or is computed from it, cannot be registers
            local indices = advice.sum(launch, function(instruction)
                return is_local(instruction) and is_by_data(launch, instruction) and is_local(instruction)
            end)
            local todo = indices >= 0.3 * sectors and by_data(m) or nil
            local by_ladder = saved_by_ladder(launch)
            return {
                todo = todo,
                at = found,
                title = string.format("%.0f%% of the requests to L1 are for local memory", share),
                evidence = {
                    { metric = "derived__local_spilling_requests_pct", threshold = 5 },
                    { metric = "launch__local_mem_per_thread" },
                },
                saved = by_ladder or floors.l1 > 0 and advice.saved(launch, { l1 = tags > 0 and 1 - own / tags or 1 }) or 0,
                how = by_ladder and string.format("no local accesses, which are %s of what L1 looks up, and as much of its work and of " ..
                    "waiting for memory", advice.percent(part_of_lookups(launch))) or "no local accesses: " .. advice.floors_text(launch),
            }
        end,
    },
}
