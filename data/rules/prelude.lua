-- What all rules share: the global `advice` of every rule.
local advice = {}

-- ---- texts ----

-- 1234567 gives "1.23M".
function advice.count(number)
    for _, unit in ipairs({ { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } }) do
        if number >= unit[1] then
            return string.format("%.3g%s", number / unit[1], unit[2])
        end
    end
    return string.format("%.4g", number)
end

function advice.percent(part)
    return string.format("%.0f%%", 100 * part)
end

function advice.plural(number, word)
    return string.format("%s %s%s", advice.count(number), word, number == 1 and "" or "s")
end

-- "1 thread", "1024 threads": where advice.plural would round.
function advice.exactly(number, word)
    return string.format("%d %s%s", number, word, number == 1 and "" or "s")
end

-- ---- the ladder of times (data/metrics/ladder.lua) ----

-- The part that a step of its ladder has of the launch's duration without the launch itself, of which gains by formula
-- are; nil where it has no duration.
function advice.step(launch, name)
    local own, all = launch.m("warplens__ladder_" .. name .. ".ns"), launch.m("gpu__time_duration.sum")
    local work = all and all - (launch.m("warplens__ladder_launch.ns") or 0)
    return own and work and work > 0 and own / work or nil
end

-- Whether SMs are without blocks for so much longer than a last wave that is not full would leave them that some blocks must be
-- longer than others. Where the busiest SM was counted, that tells it.
function advice.is_of_long_blocks(launch, of_last_wave)
    local idle = advice.step(launch, "idle")
    return idle and idle > of_last_wave + 0.15 and not launch.m("sm__cycles_active.max") or false
end

-- ---- floors: the least time of each unit, from counts (data/metrics/floors.lua) ----

local units = { "issue", "fma", "alu", "fp64", "xu", "fp16", "shared", "l1", "l2", "dram",
    "barrier", "blocks" }

-- The cycles of each unit; those that are not known are left out.
function advice.floors(launch)
    local floors = {}
    for _, unit in ipairs(units) do
        floors[unit] = launch.m("warplens__floor_" .. unit .. ".cycle") or 0
    end
    return floors
end

-- Units overlap, but never wholly: the time is taken as the root of the sum of squares, where shared
-- memory and the lines of L1 share one data path and pipes share the issue slots.
local function time_of(floors)
    local lsu = floors.shared + floors.l1
    local sum = lsu * lsu
    for _, unit in ipairs({ "issue", "fma", "alu", "fp64", "xu", "fp16", "l2", "dram", "barrier", "blocks" }) do
        sum = sum + floors[unit] * floors[unit]
    end
    return math.sqrt(sum)
end

-- The part of its time in which a launch could at most be busy with its floors: more than that does not go with them.
local function busy_part(launch, cycles)
    local elapsed = launch.m("gpc__cycles_elapsed.max")
    if not elapsed or elapsed <= 0 then
        return 1
    end
    return math.min(1, cycles / elapsed)
end

-- The part of the time that goes if units need only these parts of their cycles: {shared = 0.5}.
function advice.saved(launch, parts)
    local floors = advice.floors(launch)
    local before = time_of(floors)
    if before == 0 then
        return 0
    end
    -- what waits at barriers goes with them, and what waits for loads that are no longer made
    local is_awaited = (parts.barrier or parts.waits) and launch.m("warplens__ladder_wait.ns")
    local busy = is_awaited and 1 or busy_part(launch, before)
    for _, unit in ipairs(units) do
        if parts[unit] then
            floors[unit] = floors[unit] * parts[unit]
        end
    end
    return math.max(0, math.min(0.999, busy * (1 - time_of(floors) / before)))
end

-- How much of the time of all units a unit has: 1 where it is alone.
function advice.weight(launch, unit)
    local floors = advice.floors(launch)
    local time = time_of(floors)
    local own = unit == "lsu" and floors.shared + floors.l1 or floors[unit]
    return time > 0 and own / time or 0
end

-- "floors of issue 12k, l1 340k, dram 55k cycles"
function advice.floors_text(launch)
    local floors, parts = advice.floors(launch), {}
    for _, unit in ipairs(units) do
        if floors[unit] > 0 and floors[unit] >= 0.05 * time_of(floors) then
            parts[#parts + 1] = unit .. " " .. advice.count(floors[unit])
        end
    end
    return "floors by counts: " .. table.concat(parts, ", ") .. " cycles"
end

-- ---- instructions ----

-- On the source line where the sum of value(instruction) is largest, the instruction for which it is largest
-- itself, that value, and the sum, which an unrolled loop spreads over several copies of the instruction; nil where
-- it is nowhere above 0. The first of equals.
function advice.top(launch, value)
    local sums, best_line, most = {}, nil, 0
    for _, instruction in ipairs(launch.instructions) do
        local own = value(instruction)
        if own and own > 0 then
            local line = instruction.line > 0 and instruction.file .. ":" .. instruction.line or
                ":" .. instruction.index
            sums[line] = (sums[line] or 0) + own
            if sums[line] > most then
                most = sums[line]
            end
        end
    end
    local best, largest = nil, 0
    for _, instruction in ipairs(launch.instructions) do
        local own = value(instruction)
        if own and own > largest then
            local line = instruction.line > 0 and instruction.file .. ":" .. instruction.line or
                ":" .. instruction.index
            best_line = best_line or (sums[line] == most and line or nil)
            if line == best_line then
                best, largest = instruction, own
            end
        end
    end
    return best, largest, most
end

-- The sum over all instructions.
function advice.sum(launch, value)
    local total = 0
    for _, instruction in ipairs(launch.instructions) do
        total = total + (value(instruction) or 0)
    end
    return total
end

-- Begins with: "ld.global.f32", "ld.global". Rules ask the same few of each instruction, again and again.
local beginnings = {}
function advice.is(instruction, opcode)
    local own, answers = instruction.opcode, beginnings[opcode]
    local answer = answers and answers[own]
    if answer ~= nil then
        return answer
    end
    beginnings[opcode] = answers or {}
    beginnings[opcode][own] = string.sub(own, 1, #opcode) == opcode
    return beginnings[opcode][own]
end

-- "ld.global.v4.f32" gives 16: the bytes that a thread moves.
function advice.width(instruction)
    local bits = string.match(instruction.opcode, "%.[bsuf](%d+)$") or string.match(instruction.opcode, "%.[bsuf](%d+)%.")
    local lanes = string.match(instruction.opcode, "%.v(%d)")
    return (tonumber(bits) or 32) / 8 * (tonumber(lanes) or 1)
end

local function find_registers(instruction)
    local text = string.gsub(instruction.text, "^@!?%%p%d+%s*", "")
    local operands = string.match(text, "^%S+%s+(.*)$") or ""
    local written, read, is_first = {}, {}, true
    local guard = string.match(instruction.text, "^@!?(%%p%d+)")
    if guard then
        read[#read + 1] = guard
    end
    local writes = not (advice.is(instruction, "st.") or advice.is(instruction, "red.") or
        advice.is(instruction, "bra") or advice.is(instruction, "bar"))
    -- the first operand is one register, or a list in braces
    local first, rest = string.match(operands, "^(%b{})(.*)$")
    if not first then
        first, rest = string.match(operands, "^([^,;]*)(.*)$")
    end
    for name in string.gmatch(first or "", "%%[%a_][%w_%.]*") do
        if writes then
            written[#written + 1] = name
        else
            read[#read + 1] = name
        end
    end
    for name in string.gmatch(rest or "", "%%[%a_][%w_%.]*") do
        read[#read + 1] = name
    end
    return { written, read }
end

-- What was found in texts: they repeat from rule to rule, and from launch to launch of a kernel.
local found_registers, found_count, most_found = {}, 0, 20000

-- The registers that an instruction writes and reads, "%f1" and so on; the lists stay as they are.
function advice.registers(instruction)
    local lists = found_registers[instruction.text]
    if not lists then
        if found_count == most_found then
            found_registers, found_count = {}, 0
        end
        lists = find_registers(instruction)
        found_registers[instruction.text], found_count = lists, found_count + 1
    end
    return lists[1], lists[2]
end

-- Which instructions write each register, in order.
function advice.writers(launch)
    if launch.writers then
        return launch.writers
    end
    local by_name = {}
    for _, instruction in ipairs(launch.instructions) do
        local written = advice.registers(instruction)
        for _, name in ipairs(written) do
            by_name[name] = by_name[name] or {}
            table.insert(by_name[name], instruction)
        end
    end
    launch.writers = by_name
    return by_name
end

-- The instruction that last wrote a register before this one; else, in a loop, the last that writes it.
function advice.writer(launch, instruction, name)
    local list = advice.writers(launch)[name]
    if not list then
        return nil
    end
    local found = list[#list]
    for _, writer in ipairs(list) do
        if writer.index < instruction.index then
            found = writer
        end
    end
    return found
end

-- How often warps write a register: a pointer that a loop moves on, in each turn.
function advice.times_written(launch, name)
    local times = 0
    for _, writer in ipairs(advice.writers(launch)[name] or {}) do
        times = times + (writer["inst_executed"] or 0)
    end
    return times
end

-- Whether any register in the backward slice of these names is one of the special ones given
-- ("%ctaid"). Values that come out of memory end the slice.
function advice.depends_on(launch, names, special)
    local seen, queue = {}, {}
    for _, name in ipairs(names) do
        queue[#queue + 1] = name
    end
    while #queue > 0 do
        local name = table.remove(queue)
        if string.sub(name, 1, #special) == special then
            return true
        end
        if not seen[name] then
            seen[name] = true
            for _, writer in ipairs(advice.writers(launch)[name] or {}) do
                if not advice.is(writer, "ld.global") and not advice.is(writer, "ld.shared") then
                    local _, read = advice.registers(writer)
                    for _, other in ipairs(read) do
                        queue[#queue + 1] = other
                    end
                end
            end
        end
    end
    return false
end

-- The pointers among the parameters of the kernel that the address of a memory instruction comes from: "[f_param_0] ".
function advice.pointers(launch, instruction)
    local seen, queue, pointers = {}, advice.address_registers(instruction), ""
    while #queue > 0 do
        local name = table.remove(queue)
        if not seen[name] then
            seen[name] = true
            for _, writer in ipairs(advice.writers(launch)[name] or {}) do
                local _, read = advice.registers(writer)
                if advice.is(writer, "ld.param.u64") or advice.is(writer, "ld.param.b64") then
                    pointers = pointers .. (string.match(writer.text, "%b[]") or "") .. " "
                end
                for _, other in ipairs(advice.is(writer, "ld.") and {} or read) do
                    queue[#queue + 1] = other
                end
            end
        end
    end
    return pointers
end

local function find_indirect(launch, instruction)
    local queue, seen = advice.address_registers(instruction), {}
    while #queue > 0 do
        local name = table.remove(queue)
        local list = advice.writers(launch)[name] or {}
        if not seen[name] and #list == 1 then
            seen[name] = true
            if advice.is(list[1], "ld.global") then
                return true
            end
            local _, read = advice.registers(list[1])
            for _, other in ipairs(read) do
                queue[#queue + 1] = other
            end
        end
    end
    return false
end

-- Whether the address of a memory instruction comes, without a loop's counter between, out of global memory: a gather
-- or scatter through a list of indices.
function advice.is_indirect(launch, instruction)
    launch.indirect = launch.indirect or {}
    if launch.indirect[instruction.index] == nil then
        launch.indirect[instruction.index] = find_indirect(launch, instruction)
    end
    return launch.indirect[instruction.index]
end

-- Whether a load needs, turn by turn, what it loaded the turn before: lists, trees, searches by halves.
function advice.is_chased(launch, instruction)
    local queue, seen = advice.address_registers(instruction), {}
    while #queue > 0 do
        local name = table.remove(queue)
        for _, writer in ipairs(not seen[name] and advice.writers(launch)[name] or {}) do
            if writer.index == instruction.index then
                return true
            end
            local _, read = advice.registers(writer)
            for _, other in ipairs(read) do
                queue[#queue + 1] = other
            end
        end
        seen[name] = true
    end
    return false
end

-- The load that most of all goes from one value to the next where such loads are half of the global ones, else nil; and how
-- often warps execute such loads.
function advice.chased(launch)
    local all, own, found = 0, 0, nil
    for _, instruction in ipairs(launch.instructions) do
        local count = advice.is(instruction, "ld.global") and instruction["inst_executed"] or 0
        all = all + count
        if count > 0 and advice.is_chased(launch, instruction) then
            own, found = own + count, instruction
        end
    end
    return own >= 0.5 * all and found or nil, own
end

-- The registers that hold something out of memory, or computed from it.
function advice.data_registers(launch)
    if launch.data_registers then
        return launch.data_registers
    end
    local is_data, changed = {}, true
    while changed do
        changed = false
        for _, instruction in ipairs(launch.instructions) do
            local written, read = advice.registers(instruction)
            local loads = advice.is(instruction, "ld.") and not advice.is(instruction, "ld.param")
            for _, name in ipairs(read) do
                loads = loads or is_data[name]
            end
            for _, name in ipairs(loads and written or {}) do
                changed = changed or not is_data[name]
                is_data[name] = true
            end
        end
    end
    launch.data_registers = is_data
    return is_data
end

-- All registers that those in these lists are computed from, and these themselves; memory ends the way.
function advice.sources(launch, queue)
    local seen = {}
    while #queue > 0 do
        local name = table.remove(queue)
        for _, writer in ipairs(not seen[name] and advice.writers(launch)[name] or {}) do
            local _, read = advice.registers(writer)
            for _, other in ipairs(advice.is(writer, "ld.") and {} or read) do
                queue[#queue + 1] = other
            end
        end
        seen[name] = true
    end
    return seen
end

-- Whether a register is computed from the number of blocks, and not from another one.
local function is_of_grid(launch, name, other)
    local from = advice.sources(launch, { name })
    for _, instruction in ipairs(from[other] and {} or launch.instructions) do
        local written = advice.registers(instruction)
        if written[1] and from[written[1]] and string.find(instruction.text, "%%nctaid") then
            return true
        end
    end
    return false
end

local function is_within(instruction, loop)
    return instruction.index >= loop.first and instruction.index <= loop.last
end

-- The registers that a loop takes from one round to the next: what each is moved from, too.
local function carried(launch, loop)
    local moved = {}
    for _, instruction in ipairs(launch.instructions) do
        local written, read = advice.registers(instruction)
        if is_within(instruction, loop) and advice.is(instruction, "mov.") and #written == 1 and #read == 1 then
            moved[read[1]] = written[1]
        end
    end
    return moved
end

-- Whether the kernel goes through its data in strides of the grid: a loop goes on by what comes from the number of
-- blocks. Indices of blocks in several dimensions come from it, too, but are no steps.
function advice.is_grid_stride(launch)
    for _, loop in ipairs(advice.loops(launch)) do
        local moved = carried(launch, loop)
        for _, instruction in ipairs(launch.instructions) do
            local written, read = advice.registers(instruction)
            local is_sum = is_within(instruction, loop) and (advice.is(instruction, "add.") or advice.is(instruction, "mad."))
            for _, own in ipairs(is_sum and (instruction["inst_executed"] or 0) > 0 and read or {}) do
                for _, step in ipairs(written[1] and (written[1] == own or moved[written[1]] == own) and read or {}) do
                    if step ~= own and is_of_grid(launch, step, own) then
                        return true
                    end
                end
            end
        end
    end
    return false
end

-- What to do where more blocks are wanted, in `launched` words, of a kernel that goes through its data in strides of the
-- grid.
function advice.by_strides(launch, launched)
    local loops, is_last = advice.loops(launch), false
    for _, instruction in ipairs(launch.instructions) do
        is_last = is_last or instruction.index > loops[#loops].last and advice.is(instruction, "st.global") and
            (instruction["inst_executed"] or 0) > 0
    end
    return launched .. ": the kernel goes through its data in strides of the grid" .. (is_last and
        ". What a block writes behind its loop then needs a place for each of them, and a step that brings them together." or
        ", so that nothing else changes.")
end

-- The one global load of threads that each load once and then add up what their block has: with barriers, and no loop
-- around it. nil where they do other things.
function advice.single_load(launch)
    local m, found, loads, barriers = launch.m, nil, 0, 0
    for _, instruction in ipairs(launch.instructions) do
        local count = instruction["inst_executed"] or 0
        if count > 0 and advice.is(instruction, "ld.global") then
            found, loads = instruction, loads + 1
            if count > 1.01 * m["ptx__warps_launched.sum"] then
                return nil
            end
        elseif count > 0 and advice.is(instruction, "bar") then
            barriers = barriers + 1
        end
    end
    local stored = advice.sum(launch, function(instruction)
        return advice.is(instruction, "st.global") and instruction["thread_inst_executed_true"] or 0
    end)
    local is_sum = stored <= 0.1 * m["ptx__threads_launched.sum"]
    return loads == 1 and barriers > 0 and is_sum and found or nil
end

-- The part of the time that such threads lose for each block anew, beyond the least: starting it, its instructions and shared
-- accesses, and waiting for the load and for each other. Blocks that go on in strides of the grid have three quarters of
-- it only once; what remains is waiting turn by turn.
function advice.saved_by_strides(launch)
    local unit = launch.m("warplens__ladder_unit")
    local is_of_memory = unit == "dram" or unit == "l2" or unit == "memory"
    return 0.75 * ((advice.step(launch, "starts") or 0) + (advice.step(launch, "wait") or 0) +
        (is_of_memory and 0 or advice.step(launch, "excess") or 0))
end

-- How a kernel whose threads each go through a loop, neighbouring threads on neighbouring elements, gets more threads: any
-- other way of dividing would scatter its loads. nil where they are no such threads.
function advice.split_loop(launch)
    local inside, loads, contiguous = {}, 0, 0
    for _, loop in ipairs(advice.loops(launch)) do
        for index = loop.first, loop.last do
            inside[index] = true
        end
    end
    for _, instruction in ipairs(launch.instructions) do
        local count = instruction["inst_executed"] or 0
        if count > 0 and (advice.is(instruction, "bar") or advice.is(instruction, "shfl")) then
            return nil
        elseif inside[instruction.index] and advice.is(instruction, "ld.global") then
            local touched = instruction["memory_l2_theoretical_sectors_global"] or 0
            loads = loads + touched
            contiguous = contiguous + (advice.is_indirect(launch, instruction) and 0 or
                math.min(touched, instruction["memory_l2_theoretical_sectors_global_ideal"] or touched))
        end
    end
    if loads == 0 or contiguous < 0.75 * loads then
        return nil
    end
    return "Neighbouring threads read neighbouring elements: keep that, and divide the loop instead: a part of its turns for each " ..
        "of several blocks (gridDim.y) or rows of a block. What a thread adds up is put together by an atomicAdd of each part, " ..
        "or by a second kernel."
end

-- How many blocks of this launch the SMs hold at once.
function advice.blocks_at_once(launch)
    return math.max(1, launch.m["launch__occupancy_blocks_per_multiprocessor"]) * launch.m["launch__sm_count"]
end

-- How many results a thread should compute, so that values in registers serve several: {rows, columns, left, saved}, where left
-- of the loads are left and saved(left) is what that brings. Fewer threads must still fill the SMs.
function advice.tile_of_thread(launch, saved)
    local threads, sms = launch.m["ptx__threads_launched.sum"], launch.m["launch__sm_count"]
    local most, wait = 32 * launch.m["device__attribute_max_warps_per_multiprocessor"], advice.step(launch, "wait") or 0
    local best = { rows = 1, columns = 1, left = 1, saved = 0 }
    for _, tile in ipairs({ { 4, 4 }, { 4, 2 }, { 2, 2 }, { 2, 1 } }) do
        local rows, columns = tile[1], tile[2]
        local left = (rows + columns) / (2 * rows * columns)
        local each = threads / sms
        local busy = math.min(1, each / (rows * columns) / 256) -- blocks of 256 threads, one for each SM
        -- fewer warps on an SM hide less of what they wait for
        local fewer = math.min(most, each) / math.min(most, each / (rows * columns))
        local gain = 1 - (1 - saved(left)) / math.max(busy, 1e-3) - wait * (fewer ^ 0.75 - 1)
        if gain > best.saved + 0.01 then
            best = { rows = rows, columns = columns, left = left, saved = gain }
        end
    end
    return best
end

-- The registers in the brackets of a memory instruction.
function advice.address_registers(instruction)
    local names = {}
    for name in string.gmatch(string.match(instruction.text, "%[(.-)%]") or "", "%%[%a_][%w_%.]*") do
        names[#names + 1] = name
    end
    return names
end

-- ---- how addresses change from one lane to the next ----

-- A value is {step = S, constant = N, parameter = P}: step is what it gains from a lane to the next one, as
-- {number, parameter} meaning number * parameter ("" for none), false where it is not known; constant is its
-- value, parameter the kernel parameter that it is, where it is one.
local evaluate

local function no_step()
    return { number = 0, parameter = "" }
end

local function add_steps(a, b, sign)
    if not a or not b then
        return false
    elseif b.number == 0 then
        return a
    elseif a.number == 0 then
        return { number = sign * b.number, parameter = b.parameter }
    elseif a.parameter ~= b.parameter then
        return false
    end
    return { number = a.number + sign * b.number, parameter = a.parameter }
end

local function multiply(a, b)
    if a.open or b.open then
        return { step = false }
    elseif a.constant and b.constant then
        return { step = no_step(), constant = a.constant * b.constant }
    elseif a.step and a.step.number == 0 and b.step and b.step.number == 0 then
        return { step = no_step() }
    end
    local varying, uniform = a, b
    if a.step and a.step.number == 0 and not (b.step and b.step.number == 0) then
        varying, uniform = b, a
    end
    if not varying.step or not uniform.step or uniform.step.number ~= 0 then
        return { step = false }
    elseif uniform.constant then
        return { step = { number = varying.step.number * uniform.constant, parameter = varying.step.parameter } }
    elseif uniform.parameter and varying.step.parameter == "" then
        return { step = { number = varying.step.number, parameter = uniform.parameter } }
    end
    return { step = false }
end

local function add(a, b, sign)
    if a.open or b.open then -- a value of the loop before and what is added in it
        local other = a.open and b or a
        return not other.open and other.step and other.step.number == 0 and { open = true } or { step = false }
    end
    local constant = a.constant and b.constant and a.constant + sign * b.constant or nil
    return { step = add_steps(a.step, b.step, sign), constant = constant }
end

local function first(a)
    return a
end

-- The lower bits of neighbouring lanes differ as they did; a shift to the right takes such steps away.
local by_opcode = {
    { "mov", first }, { "cvta", first }, { "cvt", first },
    { "add", function(a, b) return add(a, b, 1) end },
    { "sub", function(a, b) return add(a, b, -1) end },
    { "mul", multiply },
    { "mad", function(a, b, c) return add(multiply(a, b), c, 1) end },
    { "shl", function(a, b)
        return not a.open and b.constant and multiply(a, { step = no_step(), constant = 1 << math.min(62, b.constant) }) or { step = false }
    end },
    { "or", function(a, b) return add({ step = a.step, open = a.open }, { step = b.step, open = b.open }, 1) end },
    { "and", function(a, b)
        if a.open or b.open then
            return { step = false }
        elseif b.constant and a.step and a.step.number ~= 0 and b.constant & math.tointeger(a.step.number) == 0 then
            return { step = no_step() }
        end
        return { step = a.step }
    end },
    { "shr", function(a, b)
        local uniform = not a.open and a.step and (a.step.number == 0 or (b.constant and a.step.parameter == "" and
            math.abs(a.step.number) < 1 << math.min(62, b.constant)))
        return { step = uniform and no_step() }
    end },
}

local function evaluate_writer(launch, writer, memo)
    if advice.is(writer, "ld.param") then
        return { step = no_step(), parameter = string.match(writer.text, "param_(%d+)%]") }
    elseif advice.is(writer, "ld.const") then
        return { step = no_step() }
    end
    local operands = string.match(writer.text, "^@?!?%%?p?%d*%s*%S+%s+(.*)$") or ""
    local values, is_first = {}, true
    for operand in string.gmatch(operands, "[^,;]+") do
        if is_first then
            is_first = false
        else
            values[#values + 1] = evaluate(launch, string.match(operand, "^%s*(.-)%s*$"), memo)
        end
    end
    for _, row in ipairs(by_opcode) do
        if string.match(writer.opcode, "^" .. row[1] .. "%f[^%w]") and #values > 0 then
            return row[2](values[1], values[2] or { step = no_step() }, values[3] or { step = no_step() })
        end
    end
    for _, value in ipairs(values) do
        if value.open or not value.step or value.step.number ~= 0 then
            return { step = false }
        end
    end
    return { step = #values > 0 and no_step() }
end

local special = { ["%tid.x"] = 1, ["%laneid"] = 1 }

evaluate = function(launch, name, memo)
    local number = math.tointeger(tonumber(name))
    if number then
        return { step = no_step(), constant = number }
    elseif special[name] then
        return { step = { number = special[name], parameter = "" } }
    elseif name == "%ntid.x" then
        return { step = no_step(), constant = launch.block[1] }
    elseif string.sub(name, 1, 1) ~= "%" or string.find(name, "^%%ctaid") or string.find(name, "^%%n") or
        string.find(name, "^%%tid") then
        return { step = no_step() }
    elseif memo[name] then
        return memo[name] ~= "open" and memo[name] or { open = true }
    end
    memo[name] = "open"
    local result, is_open = nil, false
    for _, writer in ipairs(advice.writers(launch)[name] or {}) do
        local value = { step = false }
        if not advice.is(writer, "ld.global") and not advice.is(writer, "ld.shared") and
            not advice.is(writer, "shfl") and not advice.is(writer, "atom") then
            value = evaluate_writer(launch, writer, memo)
        end
        if value.open then
            is_open = true
        elseif not result then
            result = value
        elseif not value.step or not result.step or value.step.number ~= result.step.number or
            value.step.parameter ~= result.step.parameter then
            result = { step = false }
        else
            result = { step = result.step }
        end
    end
    if not result and is_open then -- known only to what asks for it
        memo[name] = nil
        return { open = true }
    elseif result and is_open then -- it changes from turn to turn: neither a constant nor a parameter
        result = { step = result.step }
    end
    memo[name] = result or { step = false }
    return memo[name]
end

-- By how many bytes the address of a memory instruction grows from a lane to the next one, and the number of
-- the kernel parameter that this is to be multiplied with ("" for none); nil where that cannot be told.
function advice.stride(launch, instruction)
    launch.steps = launch.steps or {}
    local name = advice.address_registers(instruction)[1]
    if not name then
        return nil
    end
    local value = evaluate(launch, name, launch.steps)
    if not value.step then
        return nil
    end
    return value.step.number, value.step.parameter
end

-- A thread that takes a few neighbours loads each of them at such a stride; what one load leaves of a sector
-- the next one finds in L1. Stores go on to L2, each by itself.
function advice.is_by_pieces(launch, instruction)
    local step, parameter = advice.stride(launch, instruction)
    local width = advice.width(instruction)
    local hits = launch.m("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct") or 0
    return step and parameter == "" and step > width and step <= 16 and hits >= 50 and advice.is(instruction, "ld")
end

-- ---- loops ----

-- The loops of the kernel: {first, last} instruction, outermost ones only, in order.
function advice.loops(launch)
    local loops = {}
    for _, instruction in ipairs(launch.instructions) do
        local target = string.match(instruction.text, "bra[%w%.]*%s+([%w_$]+)")
        local first_index = target and launch.labels[target]
        if first_index and first_index <= instruction.index then
            local merged = { first = first_index, last = instruction.index }
            local kept = {}
            for _, loop in ipairs(loops) do
                if loop.last < merged.first or loop.first > merged.last then
                    kept[#kept + 1] = loop
                else
                    merged.first = math.min(merged.first, loop.first)
                    merged.last = math.max(merged.last, loop.last)
                end
            end
            kept[#kept + 1] = merged
            loops = kept
        end
    end
    table.sort(loops, function(a, b) return a.first < b.first end)
    return loops
end

-- How often a warp goes through a loop of the kernel, on average: 0 without loops, infinite where that was not counted. Of a
-- loop that was unrolled the loads of the same array are turns.
function advice.turns(launch)
    local most, warps = 0, launch.m("ptx__warps_launched.sum")
    for _, loop in ipairs(advice.loops(launch)) do
        local count, loads = nil, {}
        for index = loop.first, loop.last do
            local instruction = launch.instructions[index]
            local own = instruction["inst_executed"]
            if own and own > 0 and advice.is(instruction, "ld.global") then
                local array = advice.pointers(launch, instruction)
                loads[array] = (loads[array] or 0) + own
                own = loads[array]
            end
            count = own and math.max(count or 0, own) or count
        end
        most = math.max(most, warps and count and count / warps or math.huge)
    end
    return most
end

return advice
