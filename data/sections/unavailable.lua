-- Sections of Nsight Compute that counting alone cannot fill. In no set of sections that can be filled; asked for by
-- name, or by a set of theirs, they say why.
local function section(identifier, name, order, reason, set)
    return { identifier = identifier, name = name, order = order, absent = reason, sets = { set } }
end

return {
    section("PmSampling", "PM Sampling", 15, "sampling needs time: not available from counting", "pmsampling"),
    section("NumaAffinity", "NUMA Affinity", 63, "the model has one GPU"),
    section("Nvlink", "NVLink", 61, "the model has one GPU", "nvlink"),
    section("Nvlink_Tables", "NVLink Tables", 62, "the model has one GPU", "nvlink"),
    section("Nvlink_Topology", "NVLink Topology", 60, "the model has one GPU", "nvlink"),
}
