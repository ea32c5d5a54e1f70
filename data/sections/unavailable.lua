-- Sections of Nsight Compute that counting alone cannot fill. In no set; asked for by name they say why.
local function section(identifier, name, order, reason)
    return { identifier = identifier, name = name, order = order, absent = reason }
end

return {
    section("PmSampling", "PM Sampling", 15, "sampling needs time: not available from counting"),
    section("NumaAffinity", "NUMA Affinity", 63, "the model has one GPU"),
    section("Nvlink", "NVLink", 61, "the model has one GPU"),
    section("Nvlink_Tables", "NVLink Tables", 62, "the model has one GPU"),
    section("Nvlink_Topology", "NVLink Topology", 60, "the model has one GPU"),
}
