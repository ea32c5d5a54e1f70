-- Mathematical functions that cost far more than what the program needs of them.

-- What tells of a part of a call, and what that executes in each pipe (nvcc 12's PTX). powf takes a logarithm, which two
-- powers of one base share, multiplies it with the exponent and takes the exponential.
local functions = {
    { name = "powf", called = "powf", fast = "__powf", parts = {
        { code = "add%.s32.*, %-1060439283", issue = 55, alu = 27, fma = 22, xu = 2 },
        { code = "add%.s32.*, 2130706432", issue = 45, alu = 22, fma = 18, xu = 2, has_exponent = true } } },
    { name = "pow", called = "pow", parts = {
        { code = "call.*, __internal_accurate_pow,", issue = 190, alu = 86, fp64 = 90, xu = 1, has_exponent = true } } },
}
local pipes = { "issue", "alu", "fma", "fp64", "xu" }

-- The part of a call that an instruction tells of.
local function part_of(instruction, kind)
    for _, part in ipairs(kind.parts) do
        if string.find(instruction.text, part.code) then
            return part
        end
    end
    return string.find(instruction.text, "^call.*, " .. kind.called .. "%f[^%w_]") and kind.parts[#kind.parts] or nil
end

-- "0f3FC00000" gives 1.5, "0d4000000000000000" gives 2; nil for registers, and for what is no normal number.
local function constant_of(text)
    local kind, digits = string.match(text or "", "0([fFdD])(%x+)")
    local is_single = kind == "f" or kind == "F"
    local bits = digits and #digits == (is_single and 8 or 16) and math.tointeger(tonumber("0x" .. digits))
    if not bits then
        return nil
    end
    local width, bias = is_single and 23 or 52, is_single and 127 or 1023
    local power, fraction = bits >> width & 2 * bias + 1, bits & (1 << width) - 1
    local sign = bits >> (is_single and 31 or 63) & 1 == 1 and -1 or 1
    return power > 0 and power <= 2 * bias and sign * (1 + fraction / (1 << width)) * 2.0 ^ (power - bias) or nil
end

-- What a register or an immediate operand holds, where that is a constant.
local function value_of(launch, at, operand)
    local writer = operand and string.sub(operand, 1, 1) == "%" and advice.writer(launch, at, operand)
    return constant_of(writer and advice.is(writer, "mov") and writer.text or operand)
end

-- The exponent: the second argument of a call; of powf in place, what the logarithm is multiplied with. Also whether it was
-- converted from an integer.
local function exponent_of(launch, call)
    local pattern = advice.is(call, "call") and "^st%.param[%w.]* %[param1[^%]]*%], ([^;%s]+)" or
        "^mul%.rn%.f32 [^,]+, [^,]+, ([^;%s]+)"
    for index = call.index - 1, math.max(1, call.index - 40), -1 do
        local instruction = launch.instructions[index]
        local operand = instruction and string.match(instruction.text, pattern)
        if operand then
            local writer = advice.writer(launch, instruction, operand)
            return value_of(launch, instruction, operand), writer and string.find(writer.opcode, "^cvt.*%.s32$")
        end
    end
    return nil
end

-- What to write instead, the part of the work that this takes away, and how sure that is; nil where nothing is known.
local function instead(kind, exponent, is_integer)
    local twice = exponent and 2 * exponent
    if exponent and exponent % 1 == 0 and math.abs(exponent) <= 16 then
        return string.format("Its exponent is %.0f: multiply (x * x is x to the power of 2) instead.", exponent), 0.95, "high"
    elseif twice and twice % 1 == 0 and math.abs(exponent) <= 8 then
        return string.format("Its exponent is %g: take a square root and multiply instead.", exponent), 0.8, "medium"
    elseif is_integer then
        return "Its exponent is an integer: multiply in a loop, by squares, instead.", 0.8, "medium"
    elseif kind.fast then
        return "Where the base is positive and an error of some units in the last places is no harm, take " .. kind.fast ..
            " or exp2f(y * __log2f(x)); multiply where the exponent is a small whole number.", 0.9, "low"
    end
    return nil, 0
end

-- All calls of a kind that one piece of advice fits: what each pipe executes for them that would go, and the call that is
-- executed most often.
local function look(launch, kind)
    local found = { most = 0 }
    for _, pipe in ipairs(pipes) do
        found[pipe] = 0
    end
    local taken, todo, confidence = 0, nil, nil
    for _, instruction in ipairs(launch.instructions) do
        local count = instruction["inst_executed"] or 0
        local part = count > 0 and part_of(instruction, kind)
        if part and part.has_exponent then
            todo, taken, confidence = instead(kind, exponent_of(launch, instruction))
            if todo and count > found.most then
                found.most, found.at, found.todo, found.confidence = count, instruction, todo, confidence
            end
        end
        for _, pipe in ipairs(part and pipes or {}) do
            found[pipe] = found[pipe] + count * (part[pipe] or 0) * (part.has_exponent and taken or 0.9)
        end
    end
    return found.at and found or nil
end

return {
    {
        id = "power-function",
        name = "Powers by a function that multiplications would do",
        section = "InstructionStats",
        stage = "compute",
        order = 505,
        group = "arithmetic",
        lowers_least = true,
        description = "powf takes some 100 instructions, pow some 190, half of them in double precision, whatever the exponent. " ..
            "Fires where they have a fifth of the instructions of the kernel, and the exponent is a small whole number, a multiple " ..
            "of a half, an integer, or single precision.",
        advice = "Write x * x for pow(x, 2), sqrtf(x) for powf(x, 0.5f), and __powf where its error is no harm.",
        apply = function(launch)
            local m, result = launch.m, {}
            for _, kind in ipairs(functions) do
                local calls = look(launch, kind)
                local all = m["ptx__inst_executed.sum"]
                local share = calls and math.min(1, calls.issue / math.max(1, all)) or 0
                if share >= 0.2 then
                    local parts = {}
                    for _, pipe in ipairs(pipes) do
                        local of_pipe = pipe == "issue" and all or m("ptx__inst_executed_pipe_" .. pipe .. ".sum") or 0
                        parts[pipe] = of_pipe > 0 and math.max(0, 1 - calls[pipe] / of_pipe) or 1
                    end
                    result[#result + 1] = {
                        at = calls.at,
                        title = string.format("%s takes about %s of the instructions", kind.name, advice.percent(share)),
                        evidence = { { metric = "ptx__inst_executed.sum" }, { metric = "inst_executed", value = calls.most } },
                        todo = calls.todo,
                        saved = advice.saved(launch, parts),
                        how = string.format("%s instructions go; %s", advice.count(calls.issue), advice.floors_text(launch)),
                        confidence = calls.confidence,
                    }
                end
            end
            return result
        end,
    },
}
