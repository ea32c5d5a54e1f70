-- The ceiling: the least time that a launch could take on this GPU, by the bytes that it must move over device memory
-- and by the floating-point operations that it does. Bytes are those that were moved, or those that threads asked for
-- where that is less, at the bandwidth that a kernel of nothing but loads and stores reaches: what `warplens ceilings`
-- measured on this GPU, else the share of the data sheet's bandwidth in the GPU's file (read by bench/gpu/model),
-- 0.92 where it has none. Operations are counted at the peak of their pipe on all SMs, in whole warps, at the clock of
-- the report.

local assumed_efficiency = 0.92

local function row(name, unit, description, formula)
    return { name = name, unit = unit, description = description,
        formula = function(m)
            if m("launch__is_library_time") then -- what was counted is of another kernel
                return nil, "the time is that of the library's own kernels, whose work is not counted"
            end
            return formula(m)
        end }
end

local function bandwidth(m)
    local measured = m("device__ceiling_dram_copy") or 0
    if measured > 0 then
        return measured
    end
    local share = m("device__model_dram_efficiency") or 0
    return m["device__model_memory_bandwidth_bytes_per_s"] * (share > 0 and share or assumed_efficiency)
end

local function bytes(m)
    local asked = m("smsp__sass_data_bytes_mem_global.sum") or 0
    local moved = m("dram__bytes.sum") or m["dram__bytes_read.sum"] + m["dram__bytes_write.sum"]
    return asked > 0 and math.min(asked, moved) or moved
end

-- Integer arithmetic counts only where there is no other: PTX has more of it than machine code.
local function compute_cycles(m)
    local most = 0
    for _, pipe in ipairs({ "fma", "fp64", "fp16", "xu" }) do
        most = math.max(most, m("warplens__floor_" .. pipe .. ".cycle") or 0)
    end
    local lanes = (m("ptx__thread_inst_executed_pred_on_per_inst_executed.ratio") or 0) / m["device__attribute_warp_size"]
    local part = lanes > 0 and math.min(1, lanes) or 1
    return part * (most > 0 and most or m["warplens__floor_alu.cycle"]) * m["warplens__busy_sms"] / m["launch__sm_count"]
end

local names = { memory = "memory-bound", compute = "compute-bound" }

return {
    row("warplens__ceiling_memory.ns", "ns",
        "least time to move the bytes of device memory that are needed, at the bandwidth that this GPU reaches",
        function(m) return bytes(m) / bandwidth(m) * 1e9 end),
    row("warplens__ceiling_compute.ns", "ns", "least time to do the floating-point operations, at the peak of their pipe",
        function(m)
            if (m("ptx__inst_executed_pipe_tensor.sum") or 0) > 0 then
                return nil, "what tensor instructions take at least is not known"
            end
            return compute_cycles(m) / m["device__model_sm_clock_hz"] * 1e9
        end),
    row("warplens__ceiling.ns", "ns", "least time that this launch could take: that of its bytes or of its operations",
        function(m)
            local memory, compute = m["warplens__ceiling_memory.ns"], m("warplens__ceiling_compute.ns")
            -- what is bound by its bytes is so whatever its operations are
            if not compute and memory < 0.6 * (m("gpu__time_duration.sum") or 0) then
                return nil, "what its operations take at least is not known"
            end
            return math.max(memory, compute or 0)
        end),
    row("warplens__ceiling_unit", "", "what sets the least time: memory or compute", function(m)
        local _ = m["warplens__ceiling.ns"]
        return m["warplens__ceiling_memory.ns"] >= (m("warplens__ceiling_compute.ns") or 0) and "memory" or "compute"
    end),
    row("warplens__ceiling.pct", "%", "the least time that this launch could take as part of what it takes", function(m)
        local duration = m["gpu__time_duration.sum"]
        if duration <= 0 then
            return nil, "the launch has no duration"
        end
        return math.min(100, 100 * m["warplens__ceiling.ns"] / duration)
    end),
    row("warplens__verdict", "", "in words: how near this launch is to the least time that it could take, and what the rest is",
        function(m)
            local unit, share, rest = m["warplens__ceiling_unit"], m["warplens__ceiling.pct"], m["warplens__ladder_rest"]
            if share >= 60 then
                return string.format("%s at %.0f%% of what this GPU reaches; the rest: %s", names[unit], share, rest)
            elseif share < 1 then
                return "below 1% of what this GPU reaches by its bytes or operations; the rest: " .. rest
            end
            return string.format("at %.0f%% of what this GPU reaches by its %s; the rest: %s", share,
                unit == "memory" and "bytes" or "operations", rest)
        end),
}
