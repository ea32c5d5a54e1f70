local pipes = {
    { "ALU (integer, logic)", "alu" }, { "FMA (single precision, integer multiply)", "fma" },
    { "FP16 (half precision)", "fp16" }, { "FP64 (double precision)", "fp64" },
    { "XU (transcendental, conversion)", "xu" }, { "Tensor", "tensor" }, { "LSU (load/store)", "lsu" },
    { "TEX (texture)", "tex" }, { "CBU (branch, barrier, exit)", "cbu" }, { "Constant, parameter", "const" },
}
local pipe_rows = {}
for _, pipe in ipairs(pipes) do
    local name = "ptx__inst_executed_pipe_" .. pipe[2]
    pipe_rows[#pipe_rows + 1] = { pipe[1], name .. ".sum", name .. ".pct" }
end

local operation = "ptx__thread_inst_executed_op_%s_pred_on.sum"
local arithmetic_rows = {}
for _, precision in ipairs({ { "Half (FP16)", "h", "hp" }, { "Single (FP32)", "f", "sp" }, { "Double (FP64)", "d", "dp" } }) do
    arithmetic_rows[#arithmetic_rows + 1] = {
        precision[1],
        string.format(operation, precision[2] .. "add"),
        string.format(operation, precision[2] .. "mul"),
        string.format(operation, precision[2] .. "fma"),
        "ptx__flop_count_" .. precision[3] .. ".sum",
        "ptx__nonfused_" .. precision[3] .. ".pct",
    }
end

local roofline_rows = {}
for _, precision in ipairs({ { "Half (FP16)", "hp" }, { "Single (FP32)", "sp" }, { "Double (FP64)", "dp" } }) do
    roofline_rows[#roofline_rows + 1] = {
        precision[1],
        "derived__arithmetic_intensity_dram_" .. precision[2] .. ".ratio",
        "device__roofline_ridge_dram_" .. precision[2] .. ".ratio",
        "device__peak_flops_" .. precision[2],
    }
end

return {
    identifier = "ComputeWorkloadAnalysis",
    name = "Compute Workload Analysis",
    description = "Which pipes the PTX instructions use, and the floating-point operations they do.",
    order = 20,
    sets = { "detailed", "full" },
    metrics = {
        { "PTX Instructions", "ptx__inst_executed.sum" },
        { "Busiest Pipe", "ptx__busiest_pipe" },
        { "Floating-Point Operations", "ptx__flop_count.sum" },
        { "Arithmetic Intensity, DRAM", "derived__arithmetic_intensity_dram.ratio" },
        { "Arithmetic Intensity, L2", "derived__arithmetic_intensity_l2.ratio" },
        { "Arithmetic Intensity, L1/TEX", "derived__arithmetic_intensity_l1.ratio" },
    },
    tables = {
        { name = "PTX Instructions by Pipe", columns = { "Instructions", "% of All" }, rows = pipe_rows },
        {
            name = "Floating-Point Arithmetic (threads)",
            columns = { "Add", "Multiply", "Fused Multiply-Add", "Operations", "% Not Fused" },
            rows = arithmetic_rows,
        },
        {
            name = "Roofline, Device Memory",
            columns = { "Intensity (flop/byte)", "Ridge Point (flop/byte)", "Peak" },
            rows = roofline_rows,
        },
    },
}
