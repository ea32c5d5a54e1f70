-- Shared memory: bank conflicts, and kernels that live from it.

local function wavefronts(instruction)
    return instruction["memory_l1_wavefronts_shared"] or 0
end
local function excess(instruction)
    return wavefronts(instruction) - (instruction["memory_l1_wavefronts_shared_ideal"] or 0)
end

-- Whether what these registers hold is the same for all threads of a block, as is known when it is compiled: it comes
-- neither from the number of the thread nor out of memory.
local function is_uniform(launch, names)
    local seen, queue = {}, {}
    for _, name in ipairs(names) do
        queue[#queue + 1] = name
    end
    while #queue > 0 do
        local name = table.remove(queue)
        if string.find(name, "^%%tid") or string.find(name, "^%%laneid") then
            return false
        end
        for _, writer in ipairs(not seen[name] and advice.writers(launch)[name] or {}) do
            local is_loaded = advice.is(writer, "ld.") and not advice.is(writer, "ld.param")
            if is_loaded or advice.is(writer, "atom") or advice.is(writer, "shfl") or advice.is(writer, "tex") then
                return false
            end
            local _, read = advice.registers(writer)
            for _, other in ipairs(read) do
                queue[#queue + 1] = other
            end
        end
        seen[name] = true
    end
    return true
end

-- The sum of value(instruction) over the instructions of the same source line that do the same.
local function of_line(launch, found, value)
    local sum = 0
    local kind = string.match(found.opcode, "^%a+%.?%a*")
    for _, instruction in ipairs(launch.instructions) do
        if instruction.index == found.index or (found.line > 0 and instruction.line == found.line and
            instruction.file == found.file and string.match(instruction.opcode, "^%a+%.?%a*") == kind) then
            sum = sum + (value(instruction) or 0)
        end
    end
    return sum
end

-- Integer atomics that lanes have at one word, as is known when they are compiled, become one of the whole warp in machine
-- code: a vote and a count, or a reduction over the warp.
local kinds = { add = true, min = true, max = true, ["and"] = true, ["or"] = true, xor = true }
local function is_merged(launch, instruction)
    local kind = string.match(instruction.opcode, "^%a+%.shared%.(%a+)%.[usb]32$")
    return kind and kinds[kind] and is_uniform(launch, advice.address_registers(instruction)) or false
end

local function greatest_divisor(a, b)
    while b ~= 0 do
        a, b = b, a % b
    end
    return a
end

-- What makes the conflicts go, where the distance of neighbouring threads is known.
local function remedy(launch, instruction)
    local step, parameter = advice.stride(launch, instruction)
    local width = math.tointeger(advice.width(instruction)) or 4
    if width == 4 and advice.is(instruction, "ld") then -- a compiler may make a wider one of neighbouring loads
        local each = (instruction["memory_l1_wavefronts_shared_ideal"] or 0) / math.max(1, instruction["inst_executed"] or 0)
        width = 4 * math.max(1, math.floor(each + 0.5))
    end
    if not step or step == 0 or parameter ~= "" then
        return nil
    end
    step = math.tointeger(math.abs(step))
    if not step or step % 4 ~= 0 then
        return nil
    end
    if width <= 4 then
        local way = greatest_divisor(step // 4, 32)
        if way == 1 then
            return nil
        end
        if step < 128 then -- a thread's own piece of a row
            return string.format("Neighbouring threads are %d bytes apart within a row, so that %d of them meet in a bank: " ..
                "let neighbouring threads take neighbouring words (thread t the words t, t + 32, ...)", step, way)
        end
        local is_wide = false
        for _, other in ipairs(launch.instructions) do
            is_wide = is_wide or (string.find(other.opcode, ".shared", 1, true) and advice.width(other) > 8)
        end
        local pad = is_wide and 16 or 4
        return string.format("Neighbouring threads are %d bytes apart, so that %d of them meet in a bank: pad the row by " ..
            "%s (%d bytes instead of %d)", step, way, is_wide and "four elements, as loads of 16 bytes need" or
            "one element", step + pad, step)
    elseif step > width then
        return string.format("Neighbouring threads are %d bytes apart and take %d: let them be %d bytes apart, each " ..
            "thread taking several pieces of %d elements of 4 bytes instead of one of %d", step, width, width, width // 4,
            step // 4)
    end
    return nil
end

-- Whether what one instruction writes may be what the other reads: it stands before it, or in a loop with it.
local function reaches(loops, writer, reader)
    for _, loop in ipairs(loops) do
        if loop.first <= reader.index and reader.index <= loop.last and loop.first <= writer.index and
            writer.index <= loop.last then
            return true
        end
    end
    return writer.index < reader.index
end

-- Whether what a store reads comes out of shared memory.
local function comes_of_shared(launch, loops, store)
    local queue, seen = { store }, {}
    while #queue > 0 do
        local reader = table.remove(queue)
        local _, read = advice.registers(reader)
        for _, name in ipairs(read) do
            for _, writer in ipairs(advice.writers(launch)[name] or {}) do
                local is_new = not seen[writer.index] and reaches(loops, writer, reader)
                if is_new and advice.is(writer, "ld.shared") then
                    return true
                elseif is_new and not advice.is(writer, "ld.") then
                    seen[writer.index] = true
                    queue[#queue + 1] = writer
                end
            end
        end
    end
    return false
end

-- Whether a value that is stored in shared memory was computed from one loaded from it: a tile that only passes through
-- shared memory has no steps.
local function goes_step_by_step(launch)
    local loops = advice.loops(launch)
    for _, instruction in ipairs(launch.instructions) do
        if advice.is(instruction, "st.shared") and (instruction["inst_executed"] or 0) > 0 and
            comes_of_shared(launch, loops, instruction) then
            return true
        end
    end
    return false
end

-- Of the whole block: a barrier with a number or a count of threads may be between warps that write and warps that read.
local function is_barrier(instruction)
    return (advice.is(instruction, "bar.sync") or advice.is(instruction, "barrier.sync") or
        advice.is(instruction, "barrier.cta.sync")) and string.find(instruction.text, "%s0;?%s*$") ~= nil
end

-- What others may see: writes, also those that go on beside the thread, and loads that look for others' writes.
local writing = { "st.", "atom", "red", "cp.", "call", "mbarrier", "stmatrix", "wmma.store", "wgmma", "tcgen05", "sust",
    "ld.volatile", "ld.relaxed", "ld.acquire", "membar", "fence" }
local function writes(instruction)
    for _, opcode in ipairs(writing) do
        if advice.is(instruction, opcode) then
            return not advice.is(instruction, "st.local") and not advice.is(instruction, "st.param")
        end
    end
    return false
end

local function reads(instruction)
    return advice.is(instruction, "tex") or advice.is(instruction, "wmma.load") or (string.find(instruction.opcode, "^ld") and
        not advice.is(instruction, "ld.param") and not advice.is(instruction, "ld.const") and not advice.is(instruction, "ld.local"))
end

-- Barriers one behind another, in code without a way in or out, between which nothing is written: {barriers, reads}.
local function find_runs(launch)
    local runs, is_target, run = {}, {}, nil
    for _, instruction in ipairs(launch.instructions) do
        local target = string.match(instruction.text, "bra[%w%.]*%s+([%w_$]+)")
        if target and launch.labels[target] then
            is_target[launch.labels[target]] = true
        end
    end
    for _, instruction in ipairs(launch.instructions) do
        if is_target[instruction.index] or writes(instruction) or advice.is(instruction, "bra") then
            run = nil
        end
        if run and reads(instruction) then
            run.is_read = true
        elseif is_barrier(instruction) then
            if not run then
                run = { barriers = {}, reads = false }
                runs[#runs + 1] = run
            end
            run.reads, run.is_read = run.reads or run.is_read, false
            run.barriers[#run.barriers + 1] = instruction
        end
    end
    return runs
end

-- The barriers of loops that write nothing; none where another loop of barriers writes, whose warps these may meet there.
local function find_read_only(launch)
    local barriers = {}
    for _, loop in ipairs(advice.loops(launch)) do
        local own, does_write = {}, false
        for index = loop.first, loop.last do
            local instruction = launch.instructions[index]
            does_write = does_write or writes(instruction)
            own[#own + 1] = is_barrier(instruction) and instruction or nil
        end
        if does_write and #own > 0 then
            return {}
        end
        for _, barrier in ipairs(own) do
            barriers[#barriers + 1] = barrier
        end
    end
    return barriers
end

-- How many barriers warps go through between which nothing is written, and the one most often gone through. Of a run the
-- first is needed, and the last where something was read before it.
local function find_needless(launch)
    local needless, most, found, is_counted = 0, 0, nil, {}
    local function take(instruction)
        local executed = instruction["inst_executed"] or 0
        needless = needless + (is_counted[instruction.index] and 0 or executed)
        is_counted[instruction.index] = true
        if executed > most then
            most, found = executed, instruction
        end
    end
    for _, barrier in ipairs(find_read_only(launch)) do
        take(barrier)
    end
    for _, run in ipairs(find_runs(launch)) do
        for place = 2, #run.barriers - (run.reads and 1 or 0) do
            take(run.barriers[place])
        end
    end
    return needless, found
end

return {
    {
        id = "shared-bank",
        name = "Bank conflicts in shared memory",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 90, -- one element more in a row: the cheapest change there is
        group = "shared",
        cause = "shared-conflicts",
        description = "Shared memory has 32 banks of 4 bytes. Threads of a warp that ask for different words of one bank " ..
            "are served one after another, in a wavefront each. Fires when 10% of all wavefronts of shared accesses are " ..
            "beyond those that conflict-free ones need.",
        advice = "Pad rows of shared arrays by one element ([32][33]), exchange indices so that neighbouring threads take " ..
            "neighbouring words, or change the width of the tile that a thread takes.",
        apply = function(launch)
            local m = launch.m
            local all = m["memory_l1_wavefronts_shared"]
            if all == 0 then
                return nil
            end
            local function is_other(instruction) -- atomics meet in words rather than in banks: shared-atomics
                return advice.is(instruction, "atom") or advice.is(instruction, "red")
            end
            local merged = advice.sum(launch, function(instruction)
                return excess(instruction) > 0 and is_other(instruction) and excess(instruction)
            end)
            local share = m["derived__memory_l1_wavefronts_shared_excessive_pct"] - 100 * merged / all
            local found = advice.top(launch, function(instruction)
                return excess(instruction) > 0 and not is_other(instruction) and excess(instruction)
            end)
            if share < 10 or not found then
                return nil
            end
            local ideal = of_line(launch, found, function(instruction)
                return instruction["memory_l1_wavefronts_shared_ideal"]
            end)
            local all_of_line = of_line(launch, found, wavefronts)
            local saved = advice.saved(launch, { shared = 1 - share / 100 })
            local kind = advice.is(found, "st") and "store" or advice.is(found, "ld") and "load" or "access"
            return {
                at = found,
                title = string.format("%.2g-way bank conflict of this shared %s: %s of %s wavefronts are excess",
                    all_of_line / math.max(ideal, 1), kind, advice.count(all_of_line - ideal),
                    advice.count(all_of_line)),
                evidence = {
                    { metric = "derived__memory_l1_wavefronts_shared_excessive_pct", threshold = 10 },
                    { metric = "memory_l1_wavefronts_shared", value = all_of_line },
                    { metric = "memory_l1_wavefronts_shared_ideal", value = ideal },
                },
                todo = remedy(launch, found),
                saved = saved,
                how = string.format("shared wavefronts fall by %.0f%%; %s", share, advice.floors_text(launch)),
            }
        end,
    },
    {
        id = "shared-pressure",
        name = "Shared memory limits, without conflicts",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 210,
        group = "shared-use",
        description = "The kernel reads shared memory for nearly every operation: its data path is busier than any other " ..
            "unit. Fires when wavefronts of shared memory have half of the time by floors, few of them are conflicts, " ..
            "and no reduction by barriers causes them.",
        advice = "Keep what is used more than once in registers: a thread that computes 4 x 4 results loads 8 values for " ..
            "16 operations instead of 2 for one. Wider loads (float4) need fewer instructions.",
        apply = function(launch)
            local m = launch.m
            local all = m["memory_l1_wavefronts_shared"]
            local instructions = m("smsp__sass_inst_executed_op_shared.sum") or 0
            local weight = advice.weight(launch, "shared")
            if all == 0 or weight < 0.5 or m["derived__memory_l1_wavefronts_shared_excessive_pct"] >= 25 or
                (m("ptx__barriers_executed.sum") or 0) > 0.15 * instructions then
                return nil
            end
            local found = advice.top(launch, wavefronts)
            local function issue_left(left)
                return 1 - (1 - left) * instructions / math.max(1, m["ptx__inst_executed.sum"])
            end
            local tile = advice.tile_of_thread(launch, function(left)
                return advice.saved(launch, { shared = left, issue = issue_left(left) })
            end)
            local results = tile.rows * tile.columns
            return {
                at = found,
                title = string.format("%s wavefronts of shared memory for %s operations of floating point",
                    advice.count(all), advice.count(m("ptx__flop_count.sum") or 0)),
                evidence = { { metric = "memory_l1_wavefronts_shared" }, { metric = "ptx__flop_count.sum" } },
                todo = results > 1 and results < 16 and string.format("Keep what is used more than once in registers: a thread that " ..
                    "computes %d x %d results loads %d values for %d operations instead of 2 for one. With more results a thread " ..
                    "this launch would have too few threads for all SMs.", tile.rows, tile.columns, tile.rows + tile.columns,
                    results) or nil,
                saved = tile.saved,
                how = string.format("%d x %d results a thread: %s of the loads, %s of the instructions; %s", tile.rows, tile.columns,
                    advice.percent(tile.left), advice.percent(issue_left(tile.left)), advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "shared-reduction",
        name = "Reduction through shared memory and barriers",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 220,
        group = "shared-use",
        description = "Values are summed up or scanned in shared memory step by step, with a barrier between the steps. Fires when " ..
            "warps execute a barrier for every 7 shared accesses or fewer, barriers are 1% of all instructions, " ..
            "warps store 8 values each or more, and what they store was computed from what they loaded from shared memory.",
        advice = "Sum up within a warp by shuffles (__shfl_down_sync, __reduce_add_sync; __shfl_up_sync for a scan), and " ..
            "only one value a warp in shared memory: two barriers instead of one for each step. A sort exchanges by " ..
            "__shfl_xor_sync where the partner is in the same warp, and needs barriers for the other steps alone.",
        apply = function(launch)
            local m = launch.m
            local barriers = m["ptx__barriers_executed.sum"]
            local shared = m("smsp__sass_inst_executed_op_shared.sum") or 0
            local all = m["ptx__inst_executed.sum"]
            if shared == 0 or barriers <= 0.15 * shared or barriers < 0.01 * all or
                m["smsp__inst_executed_op_shared_atom.sum"] > 0 then
                return nil
            end
            -- a few values of each warp through shared memory are what remains after shuffles
            local stored = advice.sum(launch, function(instruction)
                return advice.is(instruction, "st.shared") and instruction["thread_inst_executed_true"] or 0
            end)
            if stored < 8 * m["ptx__warps_launched.sum"] then
                return nil
            end
            if not goes_step_by_step(launch) then
                return nil
            end
            local found = advice.top(launch, wavefronts)
            -- a step is a barrier, a comparison, a branch and some work; then it is a shuffle and an addition
            local part = math.max(0.2, 1 - 1.5 * barriers / all)
            local parts = { shared = 0.1, barrier = 0.2, issue = part, alu = part }
            return {
                at = found,
                title = string.format("%s barriers and %s shared accesses: a reduction, scan or sort step by step",
                    advice.count(barriers), advice.count(shared)),
                evidence = {
                    { metric = "ptx__barriers_executed.sum" }, { metric = "smsp__sass_inst_executed_op_shared.sum" },
                    { metric = "memory_l1_wavefronts_shared" },
                },
                saved = advice.saved(launch, parts),
                how = string.format("shuffles: a tenth of the wavefronts, a fifth of the barriers, instructions fall to %s; %s",
                    advice.percent(parts.issue), advice.floors_text(launch)),
            }
        end,
    },
    {
        id = "needless-barriers",
        name = "Barriers that order nothing",
        section = "WarpStateStats",
        stage = "stalls",
        order = 225,
        group = "barriers",
        cause = "barriers",
        needs = { "warplens__ladder_wait.ns" },
        description = "A barrier orders what threads of a block write with what others read. Fires where a loop of barriers writes " ..
            "nothing, or barriers stand one behind another with nothing written between them, warps go through four of these " ..
            "or more, and barriers take 5% of the time.",
        advice = "Leave out the barriers between which nothing is written: one is needed behind writing what others read, and one " ..
            "before it is written again. What a loop only reads needs one before the loop.",
        apply = function(launch)
            local m = launch.m
            local needless, found = find_needless(launch)
            local all, duration = m["ptx__barriers_executed.sum"], m["gpu__time_duration.sum"]
            if not found or needless < 4 * m["ptx__warps_launched.sum"] then
                return nil
            end
            local part, without = math.min(1, needless / all), m("whatif__barriers__duration.ns")
            local own = duration - (m("warplens__ladder_launch.ns") or 0)
            local saved = without and part * math.max(0, duration - without) / math.max(1, own) or
                advice.saved(launch, { barrier = 1 - part })
            if saved < 0.05 then
                return nil
            end
            return {
                at = found,
                title = string.format("%s of %s barriers order nothing: no thread writes anything between them", advice.count(needless),
                    advice.count(all)),
                evidence = { { metric = "inst_executed", value = needless }, { metric = "ptx__barriers_executed.sum" } },
                cause = part < 0.95 and "" or nil,
                saved = saved,
                how = without and string.format("%s of what the launch takes less without barriers, timed again", advice.percent(part)) or
                    "fewer barriers: " .. advice.floors_text(launch),
                confidence = "medium",
            }
        end,
    },
    {
        id = "shared-atomics",
        name = "Atomics that meet in shared memory",
        section = "MemoryWorkloadAnalysis_Tables",
        stage = "memory",
        order = 230,
        group = "atomics",
        cause = "shared-conflicts",
        description = "Threads of a warp update the same words of shared memory, one after another. Fires when a shared " ..
            "atomic needs 4 wavefronts or more on average.",
        advice = "Give each warp, or each few lanes, a copy of the words of their own and add these up at the end; or add " ..
            "up equal targets within the warp first (__match_any_sync, __reduce_add_sync).",
        apply = function(launch)
            local m = launch.m
            local atomics = m["smsp__inst_executed_op_shared_atom.sum"]
            if atomics == 0 then
                return nil
            end
            local function is_meant(instruction)
                return (advice.is(instruction, "atom") or advice.is(instruction, "red")) and wavefronts(instruction) > 0 and
                    not is_merged(launch, instruction)
            end
            local merged = advice.sum(launch, function(instruction)
                return is_merged(launch, instruction) and wavefronts(instruction) - (instruction["inst_executed"] or 0)
            end)
            local all = m["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"] - math.max(0, merged)
            local each = all / atomics
            local found = advice.top(launch, function(instruction)
                return is_meant(instruction) and wavefronts(instruction)
            end)
            if not found or each < 4 then
                return nil
            end
            return {
                at = found,
                title = string.format("a shared atomic of a warp needs %.0f wavefronts", each),
                evidence = {
                    { metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum" },
                    { metric = "smsp__inst_executed_op_shared_atom.sum" },
                },
                saved = advice.saved(launch, { shared = math.max(0, 1 - (all - atomics) /
                    math.max(1, m["memory_l1_wavefronts_shared"])) }),
                how = "one wavefront an atomic; " .. advice.floors_text(launch),
                confidence = "low",
            }
        end,
    },
}
