-- Which arithmetic is done, and whether less of it would do.

local function operations(m, prefix)
    local add = m["ptx__thread_inst_executed_op_" .. prefix .. "add_pred_on.sum"]
    local multiply = m["ptx__thread_inst_executed_op_" .. prefix .. "mul_pred_on.sum"]
    return add, multiply, m["ptx__thread_inst_executed_op_" .. prefix .. "fma_pred_on.sum"]
end

-- Multiplications whose product goes into an addition: the one most often executed, and all their threads.
local function find_pairs(launch, type_name)
    local best, most, total, is_taken = nil, 0, 0, {}
    for _, instruction in ipairs(launch.instructions) do
        local is_sum = advice.is(instruction, "add") or advice.is(instruction, "sub")
        if is_sum and string.find(instruction.opcode, type_name, 1, true) then
            local _, read = advice.registers(instruction)
            for _, name in ipairs(read) do
                local writer = advice.writer(launch, instruction, name)
                local threads = writer and writer["thread_inst_executed_true"] or 0
                if writer and advice.is(writer, "mul") and string.find(writer.opcode, type_name, 1, true) and
                    not is_taken[writer.index] then
                    is_taken[writer.index] = true
                    total = total + threads
                    if threads > most then
                        best, most = writer, threads
                    end
                end
            end
        end
    end
    return best, total
end

-- What floats save of the time in which the double-precision pipe works, as predicted or read: divisions and roots of
-- doubles are many instructions of machine code.
local function saved_of_pipe(launch, part)
    local m = launch.m
    if m("warplens__ladder_unit") ~= "fp64" then
        return 0
    end
    local all, own = m["gpu__time_duration.sum"], m("warplens__ladder_launch.ns") or 0
    return math.min(0.99, m["warplens__ladder_unit.ns"] * (1 - part) / math.max(1, all - own))
end

-- Doubles on a GPU that has few units for them.
local function slow_doubles(launch, found, doubles)
    local m = launch.m
    local rate32, rate64 = m["device__model_fp32_per_cycle"], m["device__model_fp64_per_cycle"]
    if rate64 <= 0 or rate32 < 8 * rate64 or advice.weight(launch, "fp64") < 0.5 then
        return nil
    end
    return {
        at = found,
        title = string.format("%s operations in double precision, of which this GPU does one where it does %.0f in single " ..
            "precision", advice.count(doubles), rate32 / rate64),
        evidence = { { metric = "ptx__flop_count_dp.sum" }, { metric = "warplens__floor_fp64.cycle" } },
        todo = "Where single precision is enough, store and compute floats; or keep doubles for what needs them (sums, residuals) " ..
            "and compute the rest in floats. Else this kernel belongs on a GPU made for doubles.",
        saved = math.max(advice.saved(launch, { fp64 = rate64 / rate32 }), saved_of_pipe(launch, rate64 / rate32)),
        how = string.format("floats: %.0f times as fast; %s", rate32 / rate64, advice.floors_text(launch)),
        confidence = "medium",
    }
end

-- Whether global memory instructions move doubles, and whether some move floats.
local function what_is_moved(launch)
    local doubles, floats = false, false
    for _, instruction in ipairs(launch.instructions) do
        if advice.is(instruction, "ld.global") or advice.is(instruction, "st.global") then
            doubles = doubles or string.find(instruction.opcode, "f64", 1, true) or
                (string.find(instruction.opcode, "64", 1, true) and not string.find(instruction.opcode, "u64", 1, true))
            floats = floats or string.find(instruction.opcode, "f32", 1, true)
        end
    end
    return doubles, floats
end

-- Conversions between floats and doubles, as warps execute them.
local function count_conversions(launch)
    return advice.sum(launch, function(instruction)
        return advice.is(instruction, "cvt") and string.find(instruction.opcode, "f64", 1, true) and
            string.find(instruction.opcode, "f32", 1, true) and (instruction["inst_executed"] or 0)
    end)
end

-- Whether what limits are conversions that go where floats stay floats.
local function is_of_conversions(launch)
    local doubles, floats = what_is_moved(launch)
    return floats and not doubles and advice.weight(launch, "xu") >= 0.5 and
        count_conversions(launch) >= 0.5 * launch.m["ptx__inst_executed_pipe_xu.sum"]
end

return {
    {
        id = "nonfused",
        name = "Additions and multiplications that are not fused",
        section = "InstructionStats",
        stage = "compute",
        order = 500,
        group = "arithmetic",
        lowers_least = true,
        cause = "nonfused",
        description = "A multiplication whose product is added needs one instruction where it is fused (FMA), two where " ..
            "not. Fires when a tenth of the instructions of one precision could go that way, and they are 5% of all.",
        advice = "Compile without -fmad=false, write a * b + c in one expression, or use fmaf(a, b, c).",
        apply = function(launch)
            local m, result = launch.m, {}
            for _, case in ipairs({ { "f", "single", "f32", "fma" }, { "d", "double", "f64", "fp64" } }) do
                local add, multiply, fused = operations(m, case[1])
                local all = add + multiply + fused
                local weight = all / math.max(1, m["ptx__thread_inst_executed_pred_on.sum"])
                local found, threads = nil, 0
                if math.min(add, multiply) >= 0.1 * all and weight >= 0.05 then
                    found, threads = find_pairs(launch, case[3])
                end
                local share = all > 0 and threads / all or 0
                if found and share >= 0.1 then
                    result[#result + 1] = {
                        at = found,
                        title = string.format("%s of %s %s-precision additions and multiplications could be fused",
                            advice.count(2 * threads), advice.count(all), case[2]),
                        evidence = {
                            { metric = "ptx__nonfused_" .. (case[1] == "f" and "sp" or "dp") .. ".pct", threshold = 20 },
                            { metric = "thread_inst_executed_true", value = threads },
                        },
                        saved = advice.saved(launch, { [case[4]] = 1 - share, issue = 1 - share * weight }),
                        how = string.format("%s of these instructions go; %s", advice.percent(share),
                            advice.floors_text(launch)),
                    }
                end
            end
            return result
        end,
    },
    {
        id = "double",
        name = "Double precision where data is single",
        section = "InstructionStats",
        stage = "compute",
        order = 510,
        group = "arithmetic",
        lowers_least = true,
        description = "The kernel computes in double precision, but loads and stores no doubles: often a constant without " ..
            "f (0.5 instead of 0.5f), or a function of the wrong kind (sin instead of sinf). Fires when there is " ..
            "double-precision arithmetic and no global memory instruction moves doubles, but some move floats; and, where doubles " ..
            "are moved, on GPUs that have an eighth of the units for them or fewer, when these have half of the time by floors.",
        advice = "Write constants with f and call functions of floats (sinf, sqrtf), if single precision is enough.",
        apply = function(launch)
            local m = launch.m
            local add, multiply, fused = operations(m, "d")
            local doubles = add + multiply + fused
            if doubles == 0 then
                return nil
            end
            local moves_doubles, moves_floats = what_is_moved(launch)
            local found = advice.top(launch, function(instruction)
                return instruction.pipe == "fp64" and (instruction["inst_executed"] or 0)
            end)
            if moves_doubles then
                return slow_doubles(launch, found, doubles)
            elseif not moves_floats then
                return nil
            end
            local special, converted = m("ptx__inst_executed_pipe_xu.sum") or 0, count_conversions(launch)
            local all = math.max(1, m["ptx__inst_executed.sum"])
            local rate32, rate64 = m["device__model_fp32_per_cycle"], m["device__model_fp64_per_cycle"]
            return {
                at = found,
                title = string.format("%s operations in double precision on data in single precision",
                    advice.count(doubles)),
                evidence = { { metric = "ptx__flop_count_dp.sum" }, { metric = "ptx__flop_count_sp.sum" } },
                cause = is_of_conversions(launch) and "special-functions" or nil,
                saved = advice.saved(launch, { fp64 = rate32 > 0 and rate64 / rate32 or 1,
                    xu = special > 0 and math.max(0, 1 - converted / special) or 1,
                    issue = math.min(0.9, 1 - converted / all) }),
                how = string.format("single precision is %.0f times as fast%s; %s", rate32 / math.max(rate64, 1e-9),
                    converted > 0 and string.format(", and %s conversions go", advice.count(converted)) or "",
                    advice.floors_text(launch)),
            }
        end,
    },
    {
        id = "special-functions",
        name = "Special functions and conversions limit",
        section = "ComputeWorkloadAnalysis",
        stage = "compute",
        order = 520,
        group = "arithmetic",
        lowers_least = true,
        cause = "special-functions",
        description = "Square roots, reciprocals, sines, exponentials and conversions share one slow pipe. Fires when that " ..
            "pipe has half of the time by floors, but for conversions of floats to doubles and back, which rule double finds.",
        advice = "Compute such values once and keep them, divide once and multiply by the reciprocal where several quotients have " ..
            "one divisor, avoid conversions between types, and compute some of these functions by a polynomial, which the FMA " ..
            "pipe does meanwhile (sinf does for small arguments, __sinf does not).",
        apply = function(launch)
            local weight = advice.weight(launch, "xu")
            if weight < 0.5 or is_of_conversions(launch) then
                return nil
            end
            -- conversions between integers are hardly ever left in machine code
            local function own(instruction)
                local is_integer = advice.is(instruction, "cvt") and not string.find(instruction.opcode, "%.b?f%d")
                return instruction.pipe == "xu" and not is_integer and (instruction["inst_executed"] or 0)
            end
            local found = advice.top(launch, own)
            if advice.sum(launch, own) < 0.5 * launch.m["ptx__inst_executed_pipe_xu.sum"] then
                return nil
            end
            return {
                at = found,
                title = string.format("the pipe of special functions and conversions has %s of the time by floors",
                    advice.percent(weight)),
                evidence = { { metric = "ptx__inst_executed_pipe_xu.sum" }, { metric = "ptx__inst_executed_pipe_xu.pct" } },
                saved = advice.saved(launch, { xu = 0.5 }),
                how = "half of them: " .. advice.floors_text(launch),
                confidence = "low",
            }
        end,
    },
    {
        id = "integer-division",
        name = "Integer divisions by what is not known when it is compiled",
        section = "ComputeWorkloadAnalysis",
        stage = "compute",
        order = 515,
        group = "arithmetic",
        description = "GPUs have no instruction that divides integers: a quotient or a remainder takes about 20 instructions, of 64 " ..
            "bits more than 50, four of them special functions. Fires where these are a third of the instructions of machine code, " ..
            "and issuing, integers or special functions have half of the time by floors.",
        advice = "Take quotient and remainder from one division (r = a - q * b), make the divisor a constant (a template " ..
            "parameter) or a power of two (shift and mask), use 32 bits, walk with the block's indices instead of dividing a flat " ..
            "index, or multiply by a reciprocal that the host computed (__umulhi).",
        apply = function(launch)
            local m = launch.m
            local all, divided, found, most = 0, 0, nil, 0
            for _, instruction in ipairs(launch.instructions) do
                local kind, bits = string.match(instruction.opcode, "^(%a+)%.[usb](%d+)$")
                local is_division = kind == "div" or kind == "rem"
                local cost = (instruction["inst_executed"] or 0) * (not is_division and 1 or bits == "64" and 60 or 20)
                all = all + cost
                divided = divided + (is_division and cost or 0)
                if is_division and cost > most then
                    found, most = instruction, cost
                end
            end
            local share = all > 0 and divided / all or 0
            local weight = math.max(advice.weight(launch, "issue"), advice.weight(launch, "alu"), advice.weight(launch, "xu"))
            local step = advice.step(launch, "excess")
            if not found or share < 0.33 or weight < 0.5 then
                return nil
            end
            local threads = advice.sum(launch, function(instruction)
                local kind = string.match(instruction.opcode, "^(%a+)%.[usb]%d+$")
                return (kind == "div" or kind == "rem") and instruction["thread_inst_executed_true"] or 0
            end)
            return {
                at = found,
                title = string.format("%s integer divisions, about %s of the instructions of machine code", advice.count(threads),
                    advice.percent(share)),
                evidence = { { metric = "thread_inst_executed_true", value = threads },
                    { metric = "ptx__inst_executed_pipe_xu.sum" } },
                saved = (step or weight) * share * 0.75,
                how = string.format("a quarter of their %s of the work remains: a multiplication and a few additions each",
                    advice.percent(share)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "index-arithmetic",
        name = "Mostly integer arithmetic in a floating-point kernel",
        section = "InstructionStats",
        stage = "compute",
        order = 530,
        group = "arithmetic",
        description = "Computing indices takes more instructions than computing results, and issuing instructions is what " ..
            "limits. Fires when the integer pipe and issuing have half of the time by floors, integer instructions are " ..
            "half of all, and there is floating-point arithmetic.",
        advice = "Move what does not change out of the loop, count a pointer up instead of recomputing the index, use " ..
            "32-bit indices, powers of two as row lengths, and unroll loops.",
        apply = function(launch)
            local m = launch.m
            local all = m["ptx__thread_inst_executed_pred_on.sum"]
            local integer = m["ptx__thread_inst_executed_op_integer_pred_on.sum"]
            local float = m["ptx__thread_inst_executed_op_fp_pred_on.sum"]
            local weight = math.max(advice.weight(launch, "alu"), advice.weight(launch, "issue"))
            if all == 0 or float == 0 or integer < 0.5 * all or weight < 0.5 then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return instruction.pipe == "alu" and (instruction["inst_executed"] or 0)
            end)
            return {
                at = found,
                title = string.format("%s of the instructions compute integers, %s floating-point numbers",
                    advice.percent(integer / all), advice.percent(float / all)),
                evidence = {
                    { metric = "ptx__thread_inst_executed_op_integer_pred_on.sum" },
                    { metric = "ptx__thread_inst_executed_op_fp_pred_on.sum" },
                },
                saved = advice.saved(launch, { alu = 0.5, issue = 1 - 0.5 * integer / all }),
                how = "half of the integer instructions: " .. advice.floors_text(launch),
                confidence = "low",
            }
        end,
    },
}
