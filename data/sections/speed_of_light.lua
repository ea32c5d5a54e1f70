return {
    identifier = "SpeedOfLight",
    name = "GPU Speed Of Light Throughput",
    description = "How long the launch takes, and how near its busiest units come to their peak.",
    order = 3,
    sets = { "basic", "detailed", "full" },
    metrics = {
        { "Duration", "gpu__time_duration.sum" },
        { "Elapsed Cycles", "gpc__cycles_elapsed.max" },
        { "SM Active Cycles", "sm__cycles_active.avg" },
        { "Compute (SM) Throughput", "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
        { "Memory Throughput", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed" },
        { "L1/TEX Cache Throughput", "l1tex__throughput.avg.pct_of_peak_sustained_active" },
        { "L2 Cache Throughput", "lts__throughput.avg.pct_of_peak_sustained_elapsed" },
        { "DRAM Throughput", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" },
        { "DRAM Bandwidth", "dram__bytes.sum.per_second" },
    },
}
