return {
    identifier = "SchedulerStats",
    name = "Scheduler Statistics",
    description = "How often the schedulers of an SM issue, and how many warps they may choose from.",
    order = 40,
    sets = { "detailed", "full" },
    metrics = {
        { "Executed Instructions", "smsp__inst_executed.sum" },
        { "Executed Ipc Active", "sm__inst_executed.avg.per_cycle_active" },
        { "One or More Eligible", "smsp__issue_active.avg.pct_of_peak_sustained_active" },
        { "Issued Warp Per Scheduler", "smsp__issue_active.avg.per_cycle_active" },
        { "Active Warps Per Scheduler", "smsp__warps_active.avg.per_cycle_active" },
        { "Eligible Warps Per Scheduler", "smsp__warps_eligible.avg.per_cycle_active" },
    },
}
