-- Kernels that go through their data in strides of the grid: functions of `advice` for rules of several files.

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

return {}
