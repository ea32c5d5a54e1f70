-- What only a real GPU has: how its launches were counted, and throughputs that take few passes.
local function throughput(prefix, what)
    return {
        name = prefix .. ".avg.pct_of_peak_sustained_elapsed",
        unit = "%",
        description = "throughput of " .. what .. " of its peak, from counters that fit into few passes",
    }
end

return {
    { name = "launch__replay", description = "how counters were read: kernel, the launch was run for each pass; spread, each of like launches carried a pass; none" },
    { name = "launch__spread_launches", unit = "launch", description = "launches that carried a pass, of whose counters these are the means" },
    { name = "launch__uncounted", description = "why a launch has no counters" },
    throughput("TriageCompute.sm__throughput", "the SMs"),
    throughput("SM_A.TriageCompute.l1tex__throughput", "L1/TEX"),
    throughput("LTS.TriageCompute.lts__throughput", "L2"),
    throughput("FBSP.TriageCompute.dramc__throughput", "device memory"),
}
