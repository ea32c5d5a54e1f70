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

-- Instructions of machine code for a division, a root or a reciprocal that rounds as IEEE asks, and for what may take its place:
-- the multiplication with a reciprocal that is there already, or the fast form.
local slow = {
    { code = "div.rn.f32", cost = 9, fast = 5 }, { code = "sqrt.rn.f32", cost = 8, fast = 4 }, { code = "rcp.rn.f32", cost = 7, fast = 3 },
    { code = "div.rn.f64", cost = 14 }, { code = "sqrt.rn.f64", cost = 13 }, { code = "rcp.rn.f64", cost = 9 },
}
local function slow_of(instruction)
    for _, kind in ipairs(slow) do
        if advice.is(instruction, kind.code) then
            return kind
        end
    end
    return nil
end

-- How often each register divides, by name.
local function count_divisors(launch)
    local counts = {}
    for _, instruction in ipairs(launch.instructions) do
        local _, read = advice.registers(instruction)
        if advice.is(instruction, "div.rn") and read[#read] then
            counts[read[#read]] = (counts[read[#read]] or 0) + (instruction["inst_executed"] or 0)
        end
    end
    return counts
end

-- Whether what divides here stays the same for many divisions: a number, or a register that is written far less often.
local function is_kept(launch, instruction, counts)
    if not string.find(instruction.text, ",[^,]*%%[^,]*;?%s*$") then
        return true
    end
    local _, read = advice.registers(instruction)
    local name = read[#read]
    local writer = name and advice.writer(launch, instruction, name)
    return writer ~= nil and writer.index ~= instruction.index and counts[name] >= 2 * (writer["inst_executed"] or 0)
end

-- Whether a reciprocal is that of a square root: one instruction does both.
local function is_of_root(launch, instruction)
    local _, read = advice.registers(instruction)
    local is_reciprocal = advice.is(instruction, "rcp.rn") or string.find(instruction.text, ", 0[fd]3[fF][fF80]0*, ")
    local writer = is_reciprocal and read[#read] and advice.writer(launch, instruction, read[#read])
    return writer and advice.is(writer, "sqrt.rn") or false
end

-- What the divisions of a launch cost, and would cost: {all, own, left, at, way, loads}, in instructions of machine code, the one that
-- costs most and what is to be done with it.
local function look_at_divisions(launch)
    local counts, result = count_divisors(launch), { all = 0, own = 0, left = 0, most = 0, threads = 0,
        executed = 0, loads = 0 }
    for _, instruction in ipairs(launch.instructions) do
        local executed, kind = instruction["inst_executed"] or 0, slow_of(instruction)
        result.all = result.all + executed * (kind and kind.cost or 1)
        result.loads = result.loads + (advice.is(instruction, "ld.global") and executed or 0)
        if kind then
            local is_root = string.find(kind.code, "sqrt", 1, true) ~= nil
            local way, cost = "fast", kind.fast or kind.cost
            if not is_root and is_of_root(launch, instruction) then
                way, cost = "root", 0 -- the root itself becomes the reciprocal
            elseif advice.is(instruction, "div") and is_kept(launch, instruction, counts) then
                way, cost = "kept", 1
            end
            local saved = executed * (kind.cost - cost)
            result.executed = result.executed + executed
            result.own, result.left = result.own + executed * kind.cost, result.left + executed * cost
            result.threads = result.threads + (instruction["thread_inst_executed_true"] or 0)
            if saved > result.most then
                result.most, result.at, result.way = saved, instruction, way
            end
        end
    end
    return result.at and result or nil
end

local ways = {
    kept = "What divides stays the same: compute its reciprocal once, before the loop or on the host, and multiply (the last place " ..
        "may round differently; the compiler does not do so by itself).",
    root = "Take rsqrtf(x) in place of 1 / sqrtf(x): one instruction and a few, not two functions.",
    fast = "Divide once and multiply by the reciprocal where several quotients have one divisor; where an error of some units in " ..
        "the last places is no harm take __fdividef, __frsqrt_rn and __frcp_rn's fast forms (-prec-div=false -prec-sqrt=false), which take a " ..
        "few instructions.",
}

-- How much of the time goes with the instructions of a pipe other than special functions, which fast forms need, too: that
-- in which one of them works beyond what memory takes anyway, and what is waited for: of results of arithmetic half, as
-- waiting for memory takes its place. Loads that a branch of each division keeps apart wait one after another.
local function share_of_work(launch, is_special, holds_loads)
    local m = launch.m
    local unit, kind = m("warplens__ladder_unit"), m("warplens__ladder_wait_kind")
    local is_pipe = unit == "issue" or unit == "fma" or unit == "alu" or unit == "fp64" or unit == "sm" or (unit == "xu" and is_special)
    local is_of_memory = (m("warplens__ceiling_memory.ns") or 0) >= (m("warplens__ceiling_compute.ns") or 0)
    local busy = is_pipe and (advice.step(launch, "excess") or 0) + (is_of_memory and 0 or advice.step(launch, "ideal") or 0) or 0
    local waits = (kind == "results of arithmetic" or holds_loads and kind == "memory") and advice.step(launch, "wait") or 0
    return busy + 0.5 * waits
end

-- Functions that are right to the last places, by what their code has and nothing else: instructions of each such part, and what
-- is left of it in the fast form. Sines and cosines bring their argument near 0 first, which both of one argument share.
local accurate = {
    { name = "sines and cosines", fast = "__sinf, __cosf or __sincosf", parts = {
        { code = "mul%.f32.*, 0f3F22F983", own = 10, left = 1 }, { code = "selp%.f32.*0fBEFFFFFF", own = 14, left = 1 } } },
    { name = "logarithms", fast = "__logf", parts = { { code = "add%.s32.*, %-1059760811", own = 25, left = 3 } } },
    { name = "exponentials", fast = "__expf", parts = { { code = "add%.f32.*, 0fCB40007F", own = 10, left = 3 } } },
}

-- What such functions of one kind execute, what would be left, how many of them threads call, and where most of them are.
local function look_at_accurate(launch, kind)
    local result = { own = 0, left = 0, most = 0, threads = 0 }
    for _, instruction in ipairs(launch.instructions) do
        local executed = instruction["inst_executed"] or 0
        for number, part in ipairs(executed > 0 and kind.parts or {}) do
            if string.find(instruction.text, part.code) then
                result.own, result.left = result.own + executed * part.own, result.left + executed * part.left
                if number == #kind.parts then
                    result.threads = result.threads + (instruction["thread_inst_executed_true"] or 0)
                end
                if executed > result.most then
                    result.most, result.at = executed, instruction
                end
            end
        end
    end
    return result
end

return {
    {
        id = "accurate-functions",
        name = "Mathematical functions that are right to the last places",
        section = "InstructionStats",
        stage = "compute",
        order = 514,
        group = "arithmetic",
        lowers_least = true,
        needs = { "warplens__ladder_unit" },
        description = "sinf and cosf take some 24 instructions, logf 25, expf 10, where their fast forms take one or two and a special " ..
            "function. Fires where those of a kind have a fifth of the instructions, and arithmetic takes the time.",
        advice = "Take the fast forms (__sinf, __cosf, __logf, __expf, or -use_fast_math for all) where their error is no harm.",
        apply = function(launch)
            local all = math.max(1, launch.m["ptx__inst_executed.sum"])
            local part, findings = share_of_work(launch, false, false), {}
            for _, kind in ipairs(accurate) do
                local calls = look_at_accurate(launch, kind)
                local share = math.min(1, (calls.own - calls.left) / all)
                if calls.at and share >= 0.2 and share * part >= 0.03 then
                    findings[#findings + 1] = {
                        at = calls.at,
                        title = string.format("%s %s have about %s of the instructions", advice.count(calls.threads), kind.name,
                            advice.percent(math.min(1, calls.own / all))),
                        evidence = { { metric = "thread_inst_executed_true", value = calls.threads }, { metric = "ptx__inst_executed.sum" } },
                        todo = string.format("Where an error of some units in the last places, or of 2^-21 and more for large arguments, is no " ..
                            "harm take %s (-use_fast_math for all functions); %s", kind.fast, kind.name == "sines and cosines" and
                            "where both of one argument are needed sincosf, and sinpif(x) for the sine of pi times x." or
                            "or the function fewer times: of what does not change from turn to turn before the loop."),
                        saved = share * part,
                        how = string.format("of %s instructions for them %s remain, in the %s of the time in which arithmetic works or is " ..
                            "waited for", advice.count(calls.own), advice.count(calls.left), advice.percent(part)),
                        confidence = "low",
                    }
                end
            end
            return findings
        end,
    },
    {
        id = "float-division",
        name = "Divisions and roots of floating-point numbers",
        section = "ComputeWorkloadAnalysis",
        stage = "compute",
        order = 512,
        group = "arithmetic",
        lowers_least = true,
        needs = { "warplens__ladder_unit" },
        description = "A division takes about nine instructions where a multiplication takes one, a square root about eight. Fires " ..
            "where they have a fifth of the instructions of machine code, and would be far fewer with a reciprocal that is " ..
            "computed once, by rsqrtf, or in their fast forms.",
        advice = "Multiply by a reciprocal that is computed once, take rsqrtf(x) for 1 / sqrtf(x), or the fast forms where their error is no harm.",
        apply = function(launch)
            local calls = look_at_divisions(launch)
            local share = calls and (calls.own - calls.left) / calls.all or 0
            local part = calls and share_of_work(launch, calls.way ~= "fast", calls.loads >= 0.5 * calls.executed) or 0
            if share < 0.2 or share * part < 0.03 then
                return nil
            end
            return {
                at = calls.at,
                title = string.format("%s divisions, roots and reciprocals have about %s of the instructions of machine code%s",
                    advice.count(calls.threads), advice.percent(calls.own / calls.all), calls.way == "kept" and
                    ", and here the divisor stays the same" or ""),
                evidence = { { metric = "thread_inst_executed_true", value = calls.threads },
                    { metric = "ptx__inst_executed_pipe_xu.sum" } },
                todo = ways[calls.way],
                saved = share * part,
                how = string.format("of %s instructions for them %s remain, in the %s of the time in which arithmetic works or is waited for",
                    advice.count(calls.own), advice.count(calls.left), advice.percent(part)),
                confidence = calls.way == "fast" and "low" or "medium",
            }
        end,
    },
    {
        id = "bit-loop",
        name = "Bits that are counted one by one",
        section = "InstructionStats",
        stage = "compute",
        order = 513,
        group = "arithmetic",
        needs = { "warplens__ladder_unit" },
        description = "A thread takes each bit of a word by itself and adds it up, or removes one after another, which one " ..
            "instruction does. Fires where that is a third of the instructions of warps, and eight of each.",
        advice = "Use __popc (__popcll for 64 bits) to count bits; __clz, __ffs and __brev find the first, the last, and turn words around.",
        apply = function(launch)
            local found, counted = nil, 0
            local is_added = {}
            for _, instruction in ipairs(launch.instructions) do
                local _, read = advice.registers(instruction)
                for _, name in ipairs(advice.is(instruction, "add") and read or {}) do
                    is_added[name] = true
                end
            end
            for _, instruction in ipairs(launch.instructions) do
                local written, read = advice.registers(instruction)
                local is_bit = (advice.is(instruction, "and.b") and string.find(instruction.text, ", 1;?%s*$") or
                    advice.is(instruction, "bfe") and string.find(instruction.text, ", 1;?%s*$")) and is_added[written[1]]
                for place, name in ipairs(advice.is(instruction, "and.b") and read or {}) do -- x & (x - 1)
                    local writer = advice.writer(launch, instruction, name)
                    is_bit = is_bit or writer and advice.is(writer, "add") and string.find(writer.text, ", %-1;?%s*$") and
                        string.find(writer.text, (read[3 - place] or "-") .. ",", 1, true)
                end
                if is_bit then
                    counted = counted + (instruction["inst_executed"] or 0)
                    found = found and (found["inst_executed"] or 0) >= (instruction["inst_executed"] or 0) and found or instruction
                end
            end
            local m = launch.m
            local all = m["ptx__inst_executed.sum"]
            local share = math.min(1, 3 * counted / math.max(1, all))
            local part = share_of_work(launch, true, false)
            if not found or share < 0.33 or counted < 8 * m["ptx__warps_launched.sum"] or share * part < 0.03 then
                return nil
            end
            return {
                at = found,
                title = string.format("single bits are taken and added up %.0f times a thread: %s of the instructions",
                    counted / m["ptx__warps_launched.sum"], advice.percent(share)),
                evidence = { { metric = "inst_executed", value = counted }, { metric = "ptx__inst_executed.sum" } },
                saved = share * part,
                how = string.format("one instruction does it, in the %s of the time in which arithmetic works or is waited for",
                    advice.percent(part)),
                confidence = "medium",
            }
        end,
    },
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
