-- What only a real GPU has: how its launches were counted, and throughputs that take few passes.
local function throughput(prefix, what)
    return {
        name = prefix .. ".avg.pct_of_peak_sustained_elapsed",
        unit = "%",
        description = "throughput of " .. what .. " of its peak, from counters that fit into few passes",
    }
end

local rows = {
    { name = "launch__replay", description = "how counters were read: kernel, the launch was replayed for each pass; spread, each of like launches carried a pass; application, each run of the program; range and app-range, the same for ranges of launches; none" },
    { name = "launch__spread_launches", unit = "launch", description = "launches that carried a pass, of whose counters these are the means" },
    { name = "launch__left_out.sum", unit = "launch", description = "launches like this one that are not recorded one by one" },
    { name = "launch__left_out_time.sum", unit = "ns", description = "what the launches took that are like this one and not recorded one by one" },
    { name = "range__launches", unit = "launch", description = "launches of a range that is counted as one" },
    { name = "range__kernels", description = "what was launched in a range that is counted as one" },
    { name = "launch__python_line", description = "the line of Python that launched: of the program's own files, else of a library's (--python-backtrace cuda)" },
    { name = "launch__python_stack", description = "the functions of Python that led to a launch, outermost first" },
    { name = "launch__uncounted", description = "why a launch has no counters" },
    { name = "smsp__pcsamp_sample_count", description = "warp samples taken" },
    throughput("TriageCompute.sm__throughput", "the SMs"),
    throughput("SM_A.TriageCompute.l1tex__throughput", "L1/TEX"),
    throughput("LTS.TriageCompute.lts__throughput", "L2"),
    throughput("FBSP.TriageCompute.dramc__throughput", "device memory"),
}

-- What `warplens ceilings` measured on this GPU, with this driver.
for _, ceiling in ipairs({
    { "host_to_device", "byte/s", "copies from page-locked host memory" },
    { "device_to_host", "byte/s", "copies to page-locked host memory" },
    { "pageable_to_device", "byte/s", "copies from pageable host memory" },
    { "device_to_pageable", "byte/s", "copies to pageable host memory" },
    { "dram_copy", "byte/s", "bytes read and written by a copy within device memory" },
    { "dram_read", "byte/s", "reading device memory" },
    { "l2_read", "byte/s", "reading L2" },
    { "l1_read", "byte/s", "reading L1" },
    { "shared_read", "byte/s", "reading shared memory" },
    { "fp32", "flop/s", "single-precision multiply-adds" },
    { "fp64", "flop/s", "double-precision multiply-adds" },
    { "fp16", "flop/s", "half-precision multiply-adds in pairs" },
    { "tensor_fp16", "flop/s", "tensor cores, half precision into single" },
    { "launch_interval", "ns", "launches of an empty kernel, one after another" },
    { "launch_latency", "ns", "an empty kernel from its launch until its end is known" },
}) do
    rows[#rows + 1] = {
        name = "device__ceiling_" .. ceiling[1],
        unit = ceiling[2],
        description = "measured ceiling of this GPU: " .. ceiling[3],
    }
end

local function of_ceiling(name, description, ceiling, amount)
    rows[#rows + 1] = {
        name = name,
        unit = "%",
        description = description,
        formula = function(m)
            local most = m[ceiling]
            return 100 * amount(m) / (m["gpu__time_duration.sum"] * 1e-9) / most
        end,
    }
end
of_ceiling("derived__dram_of_ceiling.pct", "bytes from and to device memory, of what a copy reaches on this GPU",
    "device__ceiling_dram_copy", function(m) return m["dram__bytes_read.sum"] + m["dram__bytes_write.sum"] end)
of_ceiling("derived__fp32_of_ceiling.pct", "single-precision arithmetic, of what multiply-adds reach on this GPU",
    "device__ceiling_fp32", function(m)
        return 2 * m["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"] +
            m["smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"] +
            m["smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"]
    end)

return rows
