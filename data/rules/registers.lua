-- What could stay in registers and goes through global memory.

-- How often warps load or store at addresses that stay the same while they do, beyond once each, and the instruction that
-- does so most often. The register of such an address is written far less often than it is used.
local function look_at_kept_addresses(launch)
    local uses, in_order, all = {}, {}, 0
    for _, instruction in ipairs(launch.instructions) do
        local executed = instruction["inst_executed"] or 0
        if executed > 0 and (advice.is(instruction, "bar") or advice.is(instruction, "atom") or
            advice.is(instruction, "membar") or advice.is(instruction, "fence") or
            string.find(instruction.opcode, "volatile", 1, true) or string.find(instruction.opcode, "acquire", 1, true)) then
            return nil -- others may look at it meanwhile
        end
        local is_load, is_store = advice.is(instruction, "ld.global"), advice.is(instruction, "st.global")
        local place = executed > 0 and (is_load or is_store) and string.match(instruction.text, "%[(.-)%]")
        if place then
            all = all + executed
            local use = uses[place]
            if not use then
                use = { count = 0, stores = 0, most = 0 }
                uses[place], in_order[#in_order + 1] = use, use
            end
            use.count, use.stores = use.count + executed, use.stores + (is_store and executed or 0)
            if executed > use.most or is_store and executed == use.most then
                use.most, use.at = executed, instruction
            end
        end
    end
    local spared, found, most = 0, nil, 0
    for _, use in ipairs(in_order) do
        local name = advice.address_registers(use.at)[1]
        local written = name and advice.times_written(launch, name) or use.count
        if use.count >= 4 * written then -- also what is only loaded: the stores between make it be loaded anew
            spared = spared + use.count - math.min(use.count, (use.stores > 0 and 2 or 1) * written)
        end
        if use.stores >= 4 * written then
            if use.count > most then
                found, most = use.at, use.count
            end
        end
    end
    return found, spared, all
end

return {
    {
        id = "global-accumulator",
        name = "A value that is changed in global memory again and again",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 115,
        group = "accumulator",
        needs = { "warplens__ladder_wait.ns" },
        description = "A loop adds to an element of global memory, which stays the same from turn to turn: each turn stores it, and " ..
            "mostly loads it again, as the compiler cannot know that no other pointer leads there. Fires where such accesses beyond one " ..
            "load and one store are a quarter of those to global memory, in kernels without barriers and atomics.",
        advice = "Add up in a variable of the thread, which is a register, and store it once after the loop; pointers that are " ..
            "__restrict__ let the compiler do so where nothing else stands in its way.",
        apply = function(launch)
            local m = launch.m
            local found, spared, all = look_at_kept_addresses(launch)
            if not found or spared < 0.25 * all then
                return nil
            end
            local waits = m("warplens__ladder_wait_kind") == "memory" and advice.step(launch, "wait") or 0
            local share = spared / all
            return {
                at = found,
                title = string.format("this element is loaded and stored again at the same place: %s of the accesses to global memory",
                    advice.percent(share)),
                evidence = { { metric = "inst_executed", value = spared }, { metric = "warplens__ladder_wait.ns" } },
                saved = (advice.step(launch, "excess") + waits) * share,
                how = string.format("%s of the accesses go, and as much of what is beyond the least: work %s, waiting %s",
                    advice.percent(share), advice.percent(advice.step(launch, "excess")), advice.percent(waits)),
                confidence = "medium",
            }
        end,
    },
}
