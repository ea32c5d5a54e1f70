-- What the Visual Profiler's tables of memory and occupancy hold beside what has a name already.

local rows = {}

local function add(name, unit, description, formula)
    rows[#rows + 1] = { name = "nvvp__" .. name, unit = unit, hidden = true, description = description, formula = formula }
end

-- What the device allows; a collector gives it.
for _, limit in ipairs({
    { "max_blocks_per_multiprocessor", "blocks that an SM may hold" },
    { "max_threads_per_multiprocessor", "threads that an SM may hold" },
    { "max_threads_per_block", "threads that a block may have" },
    { "max_registers_per_thread", "registers that a thread may have" },
    { "max_shared_memory_per_block_optin", "shared memory that a block may ask for" },
}) do
    rows[#rows + 1] = { name = "device__attribute_" .. limit[1], description = limit[2], hidden = true }
end

-- Bytes in a second of what is counted in units of that many bytes.
local function rate(name, unit_bytes, counted, description)
    add(name, "byte/s", description, function(m)
        local duration = m["gpu__time_duration.sum"]
        if duration == 0 then
            return nil, "the launch took no time"
        end
        return m[counted] * unit_bytes * 1e9 / duration
    end)
end
rate("shared_throughput", 128, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefronts of shared memory, of 128 bytes")
rate("l1_throughput", 32, "l1tex__t_sectors_pipe_lsu.sum", "sectors of global and local memory in L1")
rate("l2_throughput", 32, "lts__t_sectors_srcunit_tex.sum", "sectors between L1 and L2")

-- Check bits that lie in the memory itself: neighbours of data share a sector of them, so that contiguous accesses
-- move no more than this.
local function of_check_bits(unit, whole)
    return function(m)
        local share = m["device__model_dram_ecc_share"]
        if share == 0 then
            return nil, "the model of this GPU has no check bits among its data: HBM has bits of its own, or it is not known whether " ..
                "ECC is on"
        end
        return whole and math.ceil(m[unit] * share - 1e-3) or m[unit] * share
    end
end
rows[#rows + 1] = {
    name = "ecc_transactions", unit = "sector", formula = of_check_bits("dram__sectors.sum", true),
    description = "nvprof's name: sectors of check bits between L2 and device memory, at the least: where neighbours share them",
}
rows[#rows + 1] = {
    name = "ecc_throughput", unit = "byte/s", formula = of_check_bits("dram__bytes.sum.per_second"),
    description = "nvprof's name: check bits between L2 and device memory in a second, at the least",
}

local function warps_of(threads)
    return math.ceil(threads / 32)
end
add("warps_per_block", "warp", "warps of a block", function(m) return warps_of(m["launch__block_size"]) end)
add("max_warps_per_block", "warp", "warps that a block may have", function(m)
    return warps_of(m["device__attribute_max_threads_per_block"])
end)
for _, kind in ipairs({
    { "achieved", "sm__warps_active.avg.per_cycle_active", "that were active, on average" },
    { "theoretical", "sm__maximum_warps_avg_per_active_cycle", "that fit, by what the kernel needs" },
}) do
    add("blocks_" .. kind[1], "block", "blocks of an SM " .. kind[3], function(m)
        local warps = warps_of(m["launch__block_size"])
        if warps == 0 then
            return nil, "the launch has no blocks of its own"
        end
        return m[kind[2]] / warps
    end)
    add("threads_" .. kind[1], "thread", "threads of an SM, with all lanes of its warps, " .. kind[3], function(m)
        return 32 * m[kind[2]]
    end)
end

return rows
