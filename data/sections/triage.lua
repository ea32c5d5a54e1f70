-- What a real GPU tells in as few passes as it can: where the time of a kernel goes.
local elapsed = ".avg.pct_of_peak_sustained_elapsed"
return {
    identifier = "Triage",
    name = "Triage",
    description = "How busy the parts of the GPU were, from few hardware counters: what limits the kernel.",
    order = 5,
    sets = { "triage" },
    metrics = {
        { "Duration", "gpu__time_duration.sum" },
        { "SM Throughput", "TriageCompute.sm__throughput" .. elapsed },
        { "L1/TEX Throughput", "SM_A.TriageCompute.l1tex__throughput" .. elapsed },
        { "L2 Throughput", "LTS.TriageCompute.lts__throughput" .. elapsed },
        { "DRAM Throughput", "FBSP.TriageCompute.dramc__throughput" .. elapsed },
        { "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active" },
        { "Executed Instructions", "smsp__inst_executed.sum" },
        { "Issued per Scheduler and Cycle", "smsp__issue_active.avg.per_cycle_active" },
        { "DRAM Bytes Read", "dram__bytes_read.sum" },
        { "DRAM Bytes Written", "dram__bytes_write.sum" },
        { "SM Active Cycles", "sm__cycles_active.avg" },
        { "Replay", "launch__replay" },
    },
}
