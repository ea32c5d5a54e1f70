return {
    identifier = "SourceCounters",
    name = "Source Counters",
    description = "Branches and memory accesses in total; the source page has them line by line.",
    order = 100,
    sets = { "detailed", "full" },
    metrics = {
        { "Branch Instructions Ratio (PTX)", "ptx__branches_per_inst_executed.pct" },
        { "Branch Instructions (PTX)", "ptx__branches_executed.sum" },
        { "Divergent Branches (PTX)", "ptx__branches_divergent.sum" },
        { "Branch Efficiency (PTX)", "ptx__branch_efficiency.pct" },
        { "L1 Tag Requests Global", "memory_l1_tag_requests_global" },
        { "L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global" },
        { "L2 Theoretical Sectors Global Excessive", "derived__memory_l2_theoretical_sectors_global_excessive" },
        { "L2 Theoretical Sectors Local", "memory_l2_theoretical_sectors_local" },
        { "L1 Wavefronts Shared", "memory_l1_wavefronts_shared" },
        { "L1 Wavefronts Shared Excessive", "derived__memory_l1_wavefronts_shared_excessive" },
    },
}
