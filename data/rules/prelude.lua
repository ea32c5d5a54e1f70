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

-- ---- floors: the least time of each unit, from counts (data/metrics/floors.lua) ----

local units = { "issue", "fma", "alu", "fp64", "xu", "fp16", "shared", "l1", "l2", "dram" }

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
    for _, unit in ipairs({ "issue", "fma", "alu", "fp64", "xu", "fp16", "l2", "dram" }) do
        sum = sum + floors[unit] * floors[unit]
    end
    return math.sqrt(sum)
end

-- The part of the time that goes if units need only these parts of their cycles: {shared = 0.5}.
function advice.saved(launch, parts)
    local floors = advice.floors(launch)
    local before = time_of(floors)
    if before == 0 then
        return 0
    end
    for _, unit in ipairs(units) do
        if parts[unit] then
            floors[unit] = floors[unit] * parts[unit]
        end
    end
    return math.max(0, math.min(0.999, 1 - time_of(floors) / before))
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

-- The instruction for which value(instruction) is largest and above 0, or nil; the first of equals.
function advice.top(launch, value)
    local best, most = nil, 0
    for _, instruction in ipairs(launch.instructions) do
        local own = value(instruction)
        if own and own > most then
            best, most = instruction, own
        end
    end
    return best, most
end

-- The sum over all instructions.
function advice.sum(launch, value)
    local total = 0
    for _, instruction in ipairs(launch.instructions) do
        total = total + (value(instruction) or 0)
    end
    return total
end

-- Begins with: "ld.global.f32", "ld.global".
function advice.is(instruction, opcode)
    return string.sub(instruction.opcode, 1, #opcode) == opcode
end

-- "ld.global.v4.f32" gives 16: the bytes that a thread moves.
function advice.width(instruction)
    local bits = string.match(instruction.opcode, "%.[bsuf](%d+)$") or string.match(instruction.opcode, "%.[bsuf](%d+)%.")
    local lanes = string.match(instruction.opcode, "%.v(%d)")
    return (tonumber(bits) or 32) / 8 * (tonumber(lanes) or 1)
end

-- The registers that an instruction writes and reads: "%f1" and so on.
function advice.registers(instruction)
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
    return written, read
end

-- Which instructions write each register, in order.
local function writers(launch)
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
    local list = writers(launch)[name]
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
            for _, writer in ipairs(writers(launch)[name] or {}) do
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

-- The registers in the brackets of a memory instruction.
function advice.address_registers(instruction)
    local names = {}
    for name in string.gmatch(string.match(instruction.text, "%[(.-)%]") or "", "%%[%a_][%w_%.]*") do
        names[#names + 1] = name
    end
    return names
end

return advice
