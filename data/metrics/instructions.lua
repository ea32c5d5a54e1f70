-- PTX instructions: mix, divergence, floating-point operations.

local function ratio(a, b, why)
    if b == 0 then
        return nil, why
    end
    return a / b
end

local none = "no instruction was executed"
local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = name, unit = unit, description = description, formula = formula }
end

row("ptx__thread_inst_executed_per_inst_executed.ratio", "thread",
    "threads active in a PTX instruction of a warp, on average",
    function(m) return ratio(m["ptx__thread_inst_executed.sum"], m["ptx__inst_executed.sum"], none) end)
row("ptx__thread_inst_executed_pred_on_per_inst_executed.ratio", "thread",
    "threads active and not predicated off in a PTX instruction of a warp, on average",
    function(m) return ratio(m["ptx__thread_inst_executed_pred_on.sum"], m["ptx__inst_executed.sum"], none) end)
row("ptx__branches_per_inst_executed.pct", "%", "branches, of all PTX instructions",
    function(m) return ratio(100 * m["ptx__branches_executed.sum"], m["ptx__inst_executed.sum"], none) end)
row("ptx__branch_efficiency.pct", "%", "branches of PTX whose active threads all went the same way", function(m)
    local branches = m["ptx__branches_executed.sum"]
    return ratio(100 * (branches - m["ptx__branches_divergent.sum"]), branches, "no branch was executed")
end)
row("ptx__inst_executed_per_warp.ratio", "inst/warp", "PTX instructions of a warp, on average",
    function(m) return ratio(m["ptx__inst_executed.sum"], m["ptx__warps_launched.sum"], "no warp ran") end)

local pipes = {
    { "alu", "integer and logic" }, { "fma", "single-precision and integer-multiply" }, { "fp16", "half-precision" },
    { "fp64", "double-precision" }, { "xu", "transcendental and conversion" }, { "tensor", "tensor" },
    { "lsu", "load/store" }, { "tex", "texture" }, { "cbu", "branch, barrier and exit" },
    { "const", "constant, parameter and special-register" },
}
for _, pipe in ipairs(pipes) do
    row("ptx__inst_executed_pipe_" .. pipe[1] .. ".pct", "%", "PTX instructions of the " .. pipe[2] .. " pipe, of all",
        function(m)
            return ratio(100 * m["ptx__inst_executed_pipe_" .. pipe[1] .. ".sum"], m["ptx__inst_executed.sum"], none)
        end)
end
row("ptx__busiest_pipe", "", "pipe with most PTX instructions", function(m)
    local name, most = nil, 0
    for _, pipe in ipairs(pipes) do
        local count = m("ptx__inst_executed_pipe_" .. pipe[1] .. ".sum") or 0
        if count > most then
            name, most = pipe[1], count
        end
    end
    return name, none
end)

local operation = "ptx__thread_inst_executed_op_%s_pred_on.sum"
for _, precision in ipairs({ { "h", "hp", "half" }, { "f", "sp", "single" }, { "d", "dp", "double" } }) do
    row("ptx__flop_count_" .. precision[2] .. ".sum", "flop",
        precision[3] .. "-precision operations: additions, multiplications, and fused multiply-adds twice; " ..
        "division and the like are other instructions and not in it",
        function(m)
            return m[string.format(operation, precision[1] .. "add")] +
                m[string.format(operation, precision[1] .. "mul")] +
                2 * m[string.format(operation, precision[1] .. "fma")]
        end)
    row("ptx__nonfused_" .. precision[2] .. ".pct", "%",
        precision[3] .. "-precision additions and multiplications, of all such instructions: what fusing could halve",
        function(m)
            local single = m[string.format(operation, precision[1] .. "add")] +
                m[string.format(operation, precision[1] .. "mul")]
            return ratio(100 * single, single + m[string.format(operation, precision[1] .. "fma")],
                "the launch has no " .. precision[3] .. "-precision arithmetic")
        end)
end
row("ptx__flop_count.sum", "flop", "floating-point operations of all precisions", function(m)
    return m["ptx__flop_count_hp.sum"] + m["ptx__flop_count_sp.sum"] + m["ptx__flop_count_dp.sum"]
end)

row("ptx__thread_inst_executed_op_fp_pred_on.sum", "inst",
    "floating-point additions, multiplications and fused multiply-adds, per thread, and per half where packed",
    function(m)
        local sum = 0
        for _, precision in ipairs({ "h", "f", "d" }) do
            for _, kind in ipairs({ "add", "mul", "fma" }) do
                sum = sum + m[string.format(operation, precision .. kind)]
            end
        end
        return sum
    end)

-- Roofline without time: operations per byte at each level, and where the roof of this device bends.
for _, level in ipairs({
    { "dram", "dram__bytes.sum", "device memory" },
    { "l2", "lts__t_bytes_srcunit_tex.sum", "L2" },
    { "l1", "l1tex__t_bytes_pipe_lsu.sum", "L1" },
}) do
    row("derived__arithmetic_intensity_" .. level[1] .. ".ratio", "flop/byte",
        "floating-point operations of all precisions per byte of traffic with " .. level[3],
        function(m) return ratio(m["derived__flop_count.sum"], m[level[2]], "no byte came from or went to " .. level[3]) end)
end
-- A half-precision instruction has two results in each lane.
for _, precision in ipairs({ { "hp", "fp16", "half", 4 }, { "sp", "fp32", "single", 2 }, { "dp", "fp64", "double", 2 } }) do
    local peak = "device__peak_flops_" .. precision[1]
    row("derived__arithmetic_intensity_dram_" .. precision[1] .. ".ratio", "flop/byte",
        precision[3] .. "-precision operations per byte of traffic with device memory",
        function(m)
            return ratio(m["derived__flop_count_" .. precision[1] .. ".sum"], m["dram__bytes.sum"],
                "no byte came from or went to device memory")
        end)
    row(peak, "flop/s", "peak of " .. precision[3] .. "-precision operations outside tensor cores", function(m)
        local lanes = m["device__model_" .. precision[2] .. "_per_cycle"]
        if lanes == 0 then
            return nil, "the device has no " .. precision[3] .. "-precision arithmetic"
        end
        return precision[4] * lanes * m["device__attribute_multiprocessor_count"] * m["device__model_sm_clock_hz"]
    end)
    row("device__roofline_ridge_dram_" .. precision[1] .. ".ratio", "flop/byte",
        "intensity from which on " .. precision[3] .. "-precision arithmetic limits, not device memory",
        function(m)
            return ratio(m[peak], m["device__model_memory_bandwidth_bytes_per_s"], "the bandwidth is not known")
        end)
end

return rows
