-- What stands out in a launch, one sentence each; absent where there is nothing to say. The summary page
-- shows them in the order of data/sections/summary.lua.

local function remark(name, description, formula)
    return { name = "warplens__remark_" .. name, description = description, formula = formula, hidden = true }
end

return {
    remark("small_grid", "grid too small for the device", function(m)
        local blocks, units = m["launch__grid_size"], m["launch__sm_count"]
        if blocks >= units then
            return nil, "every SM has a block"
        end
        return string.format("only %d of %d SMs %s a block", blocks, units, blocks == 1 and "has" or "have")
    end),
    remark("partial_warp", "block size no multiple of a warp", function(m)
        local threads, warp = m["launch__block_size"], m["device__attribute_warp_size"]
        if threads % warp == 0 then
            return nil, "blocks are whole warps"
        end
        return string.format("blocks of %d threads leave %d of %d lanes of the last warp idle", threads,
            warp - threads % warp, warp)
    end),
    remark("uncoalesced", "global accesses that are not contiguous", function(m)
        local excess = m["derived__memory_l2_theoretical_sectors_global_excessive_pct"]
        if excess < 10 then
            return nil, "global accesses are nearly contiguous"
        end
        return string.format("%.0f%% of global sectors are excess: accesses of a warp are not contiguous", excess)
    end),
    remark("bank_conflicts", "bank conflicts in shared memory", function(m)
        local excess = m["derived__memory_l1_wavefronts_shared_excessive_pct"]
        if excess < 10 then
            return nil, "shared accesses have few conflicts"
        end
        local all = m("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") or 0
        local of_atomics = m("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum") or 0
        return string.format("%.0f%% of shared wavefronts are excess: %s", excess,
            of_atomics > 0.5 * all and "atomics of a warp that meet" or "bank conflicts")
    end),
    remark("divergence", "threads that wait for others of their warp", function(m)
        local threads, warp = m["ptx__thread_inst_executed_per_inst_executed.ratio"], m["device__attribute_warp_size"]
        if threads >= 0.75 * warp then
            return nil, "warps are nearly full"
        end
        return string.format("only %.1f of %d threads are active in an instruction, on average", threads, warp)
    end),
    remark("occupancy", "few warps per SM", function(m)
        local occupancy = m["sm__maximum_warps_per_active_cycle_pct"]
        if occupancy >= 50 then
            return nil, "occupancy is at least 50%"
        end
        local limiter = m("launch__occupancy_limiter")
        return string.format("theoretical occupancy %.0f%%%s", occupancy,
            limiter and (", limited by " .. limiter) or "")
    end),
    remark("spills", "local memory traffic", function(m)
        local share = m["derived__local_spilling_requests_pct"]
        if share < 5 then
            return nil, "local memory is hardly used"
        end
        return string.format("%.0f%% of memory requests go to local memory: spills or arrays on the stack", share)
    end),
}
