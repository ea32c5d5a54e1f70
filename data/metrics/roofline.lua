-- The roofline at each level of the memory and for each precision, and instructions per byte beside what the GPU could
-- issue while it moves a byte.

local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = name, unit = unit, description = description, formula = formula }
end

local function ratio(a, b, why)
    if b == 0 then
        return nil, why
    end
    return a / b
end

row("device__peak_bandwidth_l1", "byte/s", "what the L1 caches of all SMs could give: a line each cycle", function(m)
    return m["device__model_l1_line_bytes"] * m["device__attribute_multiprocessor_count"] * m["device__model_sm_clock_hz"]
end)
row("device__peak_bandwidth_l2", "byte/s",
    "what L2 could give: 64 bytes a slice and cycle, 32 before compute capability 8.0", function(m)
        local slices = m["device__attribute_l2_slices"]
        if slices == 0 then
            return nil, "the number of slices of L2 is not known"
        end
        local bytes = m["device__attribute_compute_capability_major"] >= 8 and 64 or 32
        return slices * bytes * m["device__model_sm_clock_hz"]
    end)

row("device__peak_flops_tensor", "flop/s", "peak of tensor cores for operands of 16 bits", function(m)
    local rate = m["device__model_tensor_per_cycle"]
    if rate == 0 then
        return nil, "the rate of the tensor cores is not known"
    end
    return 2 * rate * m["device__attribute_multiprocessor_count"] * m["device__model_sm_clock_hz"]
end)

-- Counted in PTX by the simulated GPU, in machine code by a real one, which has no such count for half precision.
local precisions = { { "hp", "half" }, { "sp", "single", "f" }, { "dp", "double", "d" } }
for _, precision in ipairs(precisions) do
    row("derived__flop_count_" .. precision[1] .. ".sum", "flop",
        precision[2] .. "-precision operations, of PTX where that was counted, else of machine code", function(m)
            local name = "ptx__flop_count_" .. precision[1] .. ".sum"
            local operation = "smsp__sass_thread_inst_executed_op_" .. (precision[3] or "h") .. "%s_pred_on.sum"
            if m(name) or not precision[3] or not m(string.format(operation, "fma")) then
                return m[name]
            end
            return m[string.format(operation, "add")] + m[string.format(operation, "mul")] +
                2 * m[string.format(operation, "fma")]
        end)
end
row("derived__flop_count.sum", "flop", "floating-point operations of all precisions that are counted", function(m)
    return (m("derived__flop_count_hp.sum") or 0) + m["derived__flop_count_sp.sum"] + m["derived__flop_count_dp.sum"]
end)

local levels = {
    { "l2", "lts__t_bytes_srcunit_tex.sum", "L2", "device__peak_bandwidth_l2" },
    { "l1", "l1tex__t_bytes_pipe_lsu.sum", "L1", "device__peak_bandwidth_l1" },
    { "dram", "dram__bytes.sum", "device memory", "device__model_memory_bandwidth_bytes_per_s" },
}
for _, precision in ipairs(precisions) do
    local count = "derived__flop_count_" .. precision[1] .. ".sum"
    for _, level in ipairs(levels) do
        if level[1] ~= "dram" then -- that one is in instructions.lua
            row("derived__arithmetic_intensity_" .. level[1] .. "_" .. precision[1] .. ".ratio", "flop/byte",
                precision[2] .. "-precision operations per byte of traffic with " .. level[3],
                function(m) return ratio(m[count], m[level[2]], "no byte came from or went to " .. level[3]) end)
        end
    end
    row("derived__flops_" .. precision[1] .. ".per_second", "flop/s", precision[2] .. "-precision operations in a second",
        function(m) return ratio(m[count], m["gpu__time_duration.sum"] * 1e-9, "the launch took no time") end)
end

for _, level in ipairs(levels) do
    row("derived__inst_per_byte_" .. level[1] .. ".ratio", "inst/byte",
        "PTX instructions, counted for each lane of a warp, per byte of traffic with " .. level[3],
        function(m)
            return ratio(m["ptx__inst_executed.sum"] * m["device__attribute_warp_size"], m[level[2]],
                "no byte came from or went to " .. level[3])
        end)
    row("device__inst_per_byte_" .. level[1] .. ".ratio", "inst/byte",
        "the balance of the GPU: instructions, counted for each lane, that its schedulers issue while a byte comes from " ..
        level[3] .. "; a kernel with fewer waits for bytes, one with more for instructions",
        function(m)
            local issued = m["device__attribute_multiprocessor_count"] * m["device__attribute_schedulers_per_multiprocessor"] *
                m["device__attribute_warp_size"] * m["device__model_sm_clock_hz"]
            return ratio(issued, m[level[4]], "the bandwidth is not known")
        end)
end

return rows
