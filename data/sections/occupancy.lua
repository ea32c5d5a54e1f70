return {
    identifier = "Occupancy",
    name = "Occupancy",
    description = "How many warps of this kernel an SM can hold, and what limits that.",
    order = 50,
    sets = { "triage", "basic", "detailed", "full" },
    metrics = {
        { "Block Limit Barriers", "launch__occupancy_limit_barriers" },
        { "Block Limit SM", "launch__occupancy_limit_blocks" },
        { "Block Limit Registers", "launch__occupancy_limit_registers" },
        { "Block Limit Shared Mem", "launch__occupancy_limit_shared_mem" },
        { "Block Limit Warps", "launch__occupancy_limit_warps" },
        { "Limited By", "launch__occupancy_limiter" },
        { "Theoretical Active Warps per SM", "sm__maximum_warps_avg_per_active_cycle" },
        { "Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct" },
        { "Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active" },
        { "Achieved Active Warps Per SM", "sm__warps_active.avg.per_cycle_active" },
    },
}
