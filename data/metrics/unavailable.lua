-- Names that Nsight Compute knows and that counting PTX cannot give. A collector that has one gives it,
-- and then its value is shown.

local time = "needs a predicted or measured time of this kernel, which this launch has not"
local machine = "counts machine instructions: not available from PTX"
local rows = {}
local function absent(reason, unit, description, names)
    for _, name in ipairs(names) do
        rows[#rows + 1] = { name = name, unit = unit, description = description, absent = reason }
    end
end

absent(time, "ns", "duration of the kernel", { "gpu__time_duration.sum", "gpu__time_active.sum" })
absent(time, "cycle", "clock cycles", {
    "gpc__cycles_elapsed.max", "gpc__cycles_elapsed.avg", "sm__cycles_active.avg", "lts__cycles_active.avg",
    "lts__cycles_elapsed.sum", "dram__cycles_active.avg", "dram__cycles_elapsed.sum",
    "smsp__average_warp_latency_per_inst_issued.ratio", "smsp__average_warps_active_per_inst_executed.ratio",
})
local one = "one SM of the model stands for all: how they differ is not known"
absent(one, "cycle", "clock cycles in which the least or the most busy unit worked", {
    "sm__cycles_active.min", "sm__cycles_active.max", "smsp__cycles_active.min", "smsp__cycles_active.max",
    "l1tex__cycles_active.min", "l1tex__cycles_active.max", "lts__cycles_active.min", "lts__cycles_active.max",
    "dram__cycles_active.min", "dram__cycles_active.max",
})
absent(time, "hz", "clock rate", { "gpc__cycles_elapsed.avg.per_second", "dram__cycles_elapsed.avg.per_second" })
absent(time, "%", "throughput, of the peak", {
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_active", "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed", "sm__memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__inst_issued.avg.pct_of_peak_sustained_elapsed", "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "smsp__issue_inst0.avg.pct_of_peak_sustained_active", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed",
})
absent(time, "byte/s", "bytes of device memory per second", {
    "dram__bytes.sum.per_second", "dram__bytes_read.sum.per_second", "dram__bytes_write.sum.per_second",
})
absent(time, "inst/cycle", "instructions per cycle", {
    "sm__inst_executed.avg.per_cycle_active", "sm__inst_executed.avg.per_cycle_elapsed",
    "sm__inst_issued.avg.per_cycle_active", "smsp__issue_active.avg.per_cycle_active",
})
absent(time, "%", "achieved occupancy", { "sm__warps_active.avg.pct_of_peak_sustained_active" })
absent(time, "warp", "warps per cycle", {
    "sm__warps_active.avg.per_cycle_active", "smsp__warps_active.avg.per_cycle_active",
    "smsp__warps_eligible.avg.per_cycle_active",
})
local stalls = {
    "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard",
    "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
    "short_scoreboard", "sleeping", "tex_throttle", "wait",
}
-- What no rule tells of: no kernel was found in which they lead.
local meanings = {
    gmma = ": they wait for a matrix instruction of a warp group",
    misc = ": a reason that the hardware does not tell",
    selected = ": none, they issue",
}
for _, stall in ipairs(stalls) do
    local meaning = meanings[stall] or ""
    absent(time, "inst", "warps stalled for the reason " .. stall .. ", per issue" .. meaning, {
        "smsp__average_warps_issue_stalled_" .. stall .. "_per_issue_active.ratio",
    })
    absent(time, "", "samples of warps stalled for the reason " .. stall, {
        "smsp__pcsamp_warps_issue_stalled_" .. stall,
    })
end
absent("kept for each instruction: see the source page", "",
    "where warps spend their time: all states together in which they were seen at an instruction", {
        "smsp__pcsamp_warps_issue_stalled",
    })
absent(machine .. "; see ptx__inst_executed.sum", "inst", "machine instructions executed", {
    "smsp__inst_executed.sum", "smsp__inst_executed.avg", "sm__inst_executed.sum", "sm__inst_executed.avg",
    "smsp__sass_inst_executed.sum",
})
absent(machine, "inst", "machine instructions issued", { "smsp__inst_issued.sum", "smsp__inst_issued.avg" })
absent(machine .. "; see ptx__thread_inst_executed.sum", "inst", "machine instructions executed, per thread", {
    "smsp__thread_inst_executed.sum", "smsp__sass_thread_inst_executed.sum",
})
absent(machine .. "; see ptx__thread_inst_executed_pred_on.sum", "inst", "machine instructions executed, per thread with true predicate", {
    "smsp__thread_inst_executed_pred_on.sum", "smsp__sass_thread_inst_executed_pred_on.sum",
})
absent(machine .. "; see ptx__thread_inst_executed_per_inst_executed.ratio", "", "active threads per machine instruction", {
    "smsp__thread_inst_executed_per_inst_executed.ratio",
})
absent(machine .. "; see ptx__thread_inst_executed_pred_on_per_inst_executed.ratio", "",
    "active threads with true predicate per machine instruction",
    { "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio" })
absent(machine .. "; see ptx__branches_executed.sum", "inst", "branches of machine code", {
    "smsp__inst_executed_op_branch.sum",
})
absent(machine .. "; see ptx__branches_divergent.sum", "branches", "divergent branches of machine code", {
    "smsp__sass_branch_targets_threads_divergent.sum", "smsp__sass_branch_targets_threads_divergent.avg",
})
absent(machine .. "; see ptx__branch_efficiency.pct", "%", "branches of machine code that do not diverge", {
    "smsp__sass_average_branch_targets_threads_uniform.pct",
})
for _, pipe in ipairs({ "alu", "cbu", "fma", "fp16", "fp64", "lsu", "tex", "xu" }) do
    absent(machine .. "; see ptx__inst_executed_pipe_" .. pipe .. ".sum", "inst",
        "machine instructions of the pipe " .. pipe, { "sm__inst_executed_pipe_" .. pipe .. ".sum",
            "smsp__inst_executed_pipe_" .. pipe .. ".sum" })
end
for _, operation in ipairs({ "fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma" }) do
    absent(machine .. "; see ptx__thread_inst_executed_op_" .. operation .. "_pred_on.sum", "inst",
        "machine instructions " .. operation .. " per thread",
        { "smsp__sass_thread_inst_executed_op_" .. operation .. "_pred_on.sum",
            "sm__sass_thread_inst_executed_op_" .. operation .. "_pred_on.sum" })
end
for _, pipe in ipairs({ "tensor", "tensor_op_dmma", "tensor_op_hmma", "tensor_op_imma" }) do
    absent(machine .. "; see ptx__inst_executed_pipe_tensor.sum", "inst", "machine instructions of the tensor cores",
        { "sm__inst_executed_pipe_" .. pipe .. ".sum", "smsp__inst_executed_pipe_" .. pipe .. ".sum" })
    absent(machine, "%", "cycles in which the tensor cores worked",
        { "sm__pipe_" .. pipe .. "_cycles_active.avg.pct_of_peak_sustained_active",
            "sm__pipe_" .. pipe .. "_cycles_active.avg.pct_of_peak_sustained_elapsed" })
end
absent(machine, "inst", "machine instructions by opcode", {
    "sass__inst_executed_per_opcode", "sass__inst_executed_shared_loads", "sass__inst_executed_shared_stores",
})
absent("bytes of shared accesses are not counted; see derived__memory_l1_wavefronts_shared_excessive_pct", "%",
    "bytes that threads used of each wavefront of shared accesses",
    { "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct" })
absent("compression in L2 is not modelled", "sector", "sectors offered to the compression of L2",
    { "lts__gcomp_input_sectors.sum" })
return rows
