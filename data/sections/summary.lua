-- What the summary page shows of each launch: columns, and the remarks it looks through.
return {
    identifier = "Summary",
    name = "Summary",
    description = "A row for each launch, and what stands out in it.",
    order = 5,
    metrics = {
        { "Duration", "gpu__time_duration.sum" },
        { "PTX Inst", "ptx__inst_executed.sum" },
        { "Occupancy", "sm__maximum_warps_per_active_cycle_pct" },
        { "Excess Sectors", "derived__memory_l2_theoretical_sectors_global_excessive_pct" },
        { "Excess Wavefronts", "derived__memory_l1_wavefronts_shared_excessive_pct" },
        { "L1 Hit", "l1tex__t_sector_hit_rate.pct" },
        { "L2 Hit", "lts__t_sector_hit_rate.pct" },
        { "DRAM", "dram__bytes.sum" },
    },
    remarks = {
        "warplens__remark_small_grid",
        "warplens__remark_uncoalesced",
        "warplens__remark_bank_conflicts",
        "warplens__remark_divergence",
        "warplens__remark_spills",
        "warplens__remark_occupancy",
        "warplens__remark_partial_warp",
    },
}
