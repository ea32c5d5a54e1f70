-- What holds the program as a whole back, seen on its timeline. `trace` has the facts of
-- src/analyse/advise/trace_facts.c; times are nanoseconds.

local function ms(ns)
    if ns >= 1e9 then
        return string.format("%.3g s", ns / 1e9)
    elseif ns >= 1e6 then
        return string.format("%.3g ms", ns / 1e6)
    end
    return string.format("%.3g us", ns / 1e3)
end

local function percent(part)
    return string.format("%.0f%%", part * 100)
end

local function bytes(count)
    if count >= 1e9 then
        return string.format("%.3g GB", count / 1e9)
    elseif count >= 1e6 then
        return string.format("%.3g MB", count / 1e6)
    end
    return count < 1000 and string.format("%.0f bytes", count) or string.format("%.3g kB", count / 1e3)
end

-- What the host did in the gaps, and what helps against each.
local causes = {
    { "host", "the host computes or waits for other things", "let the host prepare the next work while the GPU does the last: "
        .. "launch first, then compute; or move this work to the GPU" },
    { "synchronize", "the host waits for the GPU and launches only then", "synchronise less: streams keep the order by "
        .. "themselves, and an event waits for one thing only" },
    { "copy", "the host is in copies", "copy from page-locked memory with cudaMemcpyAsync, on a stream of its own" },
    { "allocate", "the host allocates or frees memory", "allocate once before the loop, or use cudaMallocAsync" },
    { "launch", "the host is in calls that launch", "put the launches into a CUDA graph, or more work into each" },
    { "call", "the host is in other calls of CUDA", "call them before the loop" },
    { "mpi", "the host is in MPI", "overlap communication with kernels: nonblocking calls, or parts of the domain" },
}

-- The program's time that goes if a part of the GPU's idle time does.
local function of_program(trace, ns)
    return math.min(0.95, ns / math.max(1, trace.duration_ns))
end

-- What page-locked memory saves of the copies of pageable memory: half of their time, unless they are so small that it is the
-- time of a copy of nothing.
local function pinned_saves(trace)
    local each = trace.pageable.bytes / math.max(1, trace.pageable.count)
    return each >= 65536 and 0.5 * trace.pageable.ns or 0
end

-- Whether copies are many and small: then they are what the gaps beside them are for.
local function has_small_copies(trace)
    return trace.small.count >= 100 and trace.small.count >= 0.5 * trace.copies.count
end

-- Whether a rank has much more to do than the ranks of the program on average.
local function has_imbalance(ranks)
    return ranks.count > 1 and ranks.mpi_mean_ns > 0 and ranks.imbalance_pct and ranks.imbalance_pct >= 10
end

-- Whether what ranks wait for in MPI is mostly that.
local function is_mostly_imbalance(ranks)
    return has_imbalance(ranks) and ranks.work_most_ns - ranks.work_mean_ns >= 0.5 * ranks.mpi_mean_ns
end

local function rank_name(rank)
    return string.format("rank %d%s", rank.rank, rank.host ~= "" and " on " .. rank.host or "")
end

-- A kernel's name as the command line takes it.
local function function_name(kernel)
    local plain = kernel["function"]
    return plain:find("^[%w_]+$") and plain or "'" .. plain .. "'"
end

return {
    {
        id = "gpu-idle",
        name = "GPU idle",
        scope = "trace",
        order = 1,
        group = "trace-idle",
        description = "Fires where the GPU has nothing to do for more than a fifth of the time between its first and its last "
            .. "work, and says what the host did meanwhile.",
        advice = "Give the GPU its next work before it has done the last.",
        apply = function(trace)
            local idle = trace.gpu_span_ns - trace.busy_ns
            if trace.gpu_span_ns == 0 or idle < 0.2 * trace.gpu_span_ns then
                return nil
            end
            local findings, all = {}, 0
            for _, cause in ipairs(causes) do
                all = all + trace.gap_ns[cause[1]]
            end
            for _, cause in ipairs(causes) do
                local ns = trace.gap_ns[cause[1]]
                local is_said = cause[1] == "copy" and has_small_copies(trace)
                local is_wait = cause[1] == "mpi" and is_mostly_imbalance(trace.ranks)
                if ns >= 0.1 * trace.gpu_span_ns and not is_said then
                    findings[#findings + 1] = {
                        title = string.format("the GPU is idle for %s of %s; for %s of that %s",
                            percent(idle / trace.gpu_span_ns), ms(trace.gpu_span_ns), percent(ns / math.max(1, all)), cause[2]),
                        evidence = {
                            { metric = "gpu idle", value = 100 * idle / trace.gpu_span_ns, unit = "%", threshold = 20 },
                            { metric = "gaps", value = trace.gaps },
                            { metric = "idle: " .. cause[1], value = ns, unit = "ns" },
                        },
                        todo = is_wait and "first give the ranks as much work each (finding rank-work); what is left: " .. cause[3]
                            or cause[3],
                        saved = of_program(trace, ns),
                        how = string.format("%s of the program's %s go if these gaps do", ms(ns), ms(trace.duration_ns)),
                        confidence = "low",
                        group = is_wait and "trace-imbalance" or "trace-idle-" .. cause[1],
                    }
                end
            end
            return findings
        end,
    },
    {
        id = "copies-exposed",
        name = "Copies beside which no kernel runs",
        scope = "trace",
        order = 2,
        group = "trace-copies",
        description = "Fires where copies take more than a tenth of the GPU's time and less than half of that is beside kernels.",
        advice = "Copy on another stream than the kernels, from page-locked memory, in pieces.",
        apply = function(trace)
            local exposed = trace.copy_ns - trace.overlap_ns
            if trace.copies.count == 0 or exposed < 0.1 * trace.gpu_span_ns or trace.overlap_ns > 0.5 * trace.copy_ns then
                return nil
            end
            local hidden = math.min(exposed, math.max(0, trace.kernel_ns - trace.overlap_ns))
            local beside = trace.overlap_ns / math.max(1, trace.copy_ns)
            return {
                title = string.format("copies take %s, %s beside kernels", ms(trace.copy_ns), beside < 0.005 and "none of it" or
                    "only " .. percent(beside) .. " of it"),
                evidence = {
                    { metric = "copies without kernels", value = exposed, unit = "ns" },
                    { metric = "to the device", value = trace.to_device.bytes, unit = "byte" },
                    { metric = "to the host", value = trace.to_host.bytes, unit = "byte" },
                },
                todo = "copy with cudaMemcpyAsync on another stream than the kernels, in pieces, so that one piece is copied "
                    .. "while the one before is computed; keep on the device what it needs again",
                saved = of_program(trace, hidden),
                how = string.format("%s of copies fit beside %s of kernels", ms(hidden), ms(trace.kernel_ns)),
                confidence = "low",
            }
        end,
    },
    {
        id = "copies-pageable",
        name = "Copies of pageable memory",
        scope = "trace",
        order = 3,
        group = "trace-copies",
        description = "Fires where copies of pageable host memory take more than 5% of the GPU's time.",
        advice = "Allocate the host's side with cudaMallocHost, or register it with cudaHostRegister.",
        apply = function(trace)
            if trace.pageable.ns < 0.05 * trace.gpu_span_ns or trace.pageable.count == 0 then
                return nil
            end
            return {
                title = string.format("%d of %d copies are of pageable memory: %s in %s", trace.pageable.count,
                    trace.copies.count, bytes(trace.pageable.bytes), ms(trace.pageable.ns)),
                evidence = {
                    { metric = "pageable copies", value = trace.pageable.ns, unit = "ns" },
                    { metric = "bandwidth", value = trace.pageable.bytes / math.max(1, trace.pageable.ns), unit = "Gbyte/s" },
                },
                todo = "allocate the host's side with cudaMallocHost or cudaHostAlloc, or register it: such copies are faster, "
                    .. "and only they run beside the host and kernels",
                saved = of_program(trace, pinned_saves(trace)),
                how = string.format("page-locked memory is copied twice as fast or more, and these copies take %s%s",
                    ms(trace.pageable.ns), pinned_saves(trace) == 0 and "; so small ones take as long" or ""),
                confidence = "low",
            }
        end,
    },
    {
        id = "copies-small",
        name = "Many small copies",
        scope = "trace",
        order = 4,
        group = "trace-copies",
        description = "Fires from 100 copies of less than 64 KiB on, if they are more than half of all copies.",
        advice = "Put what is copied together into one buffer.",
        apply = function(trace)
            if not has_small_copies(trace) then
                return nil
            end
            local mean = trace.small.bytes / trace.small.count
            local gaps = trace.gap_ns.copy * trace.small.count / trace.copies.count
            return {
                title = string.format("%d of %d copies are small: %s each, %s in all", trace.small.count, trace.copies.count,
                    bytes(mean), ms(trace.small.ns)),
                evidence = {
                    { metric = "small copies", value = trace.small.count, threshold = 100 },
                    { metric = "bytes of each", value = mean, unit = "byte", threshold = 65536 },
                },
                todo = "put what is copied together into one buffer; results that the host only looks at (a sum, a flag) can stay "
                    .. "on the device or in mapped memory",
                saved = of_program(trace, (trace.small.ns + gaps) * 0.8),
                how = string.format("one copy in place of five saves four latencies, and as many of the gaps of %s in which the " ..
                    "host is in copies and the GPU idle", ms(gaps)),
                confidence = "low",
            }
        end,
    },
    {
        id = "synchronize-often",
        name = "The whole device is waited for again and again",
        scope = "trace",
        order = 5,
        group = "trace-idle-synchronize",
        description = "Fires from 10 calls on that wait for the whole device, if there is one for every two kernels.",
        advice = "Streams keep the order of their work by themselves.",
        apply = function(trace)
            if trace.device_synchronize < 10 or trace.device_synchronize < 0.5 * trace.kernel_count then
                return nil
            end
            return {
                title = string.format("%d calls wait for the whole device, for %d kernels", trace.device_synchronize,
                    trace.kernel_count),
                evidence = {
                    { metric = "cudaDeviceSynchronize", value = trace.device_synchronize, threshold = 10 },
                    { metric = "time in waiting calls", value = trace.call_ns.synchronize, unit = "ns" },
                },
                todo = "leave out cudaDeviceSynchronize between kernels: a stream keeps their order; before the host reads a "
                    .. "result wait for its stream or an event only",
                saved = of_program(trace, trace.gap_ns.synchronize),
                how = string.format("the GPU is idle for %s while the host waits for it", ms(trace.gap_ns.synchronize)),
                confidence = "low",
            }
        end,
    },
    {
        id = "tiny-launches",
        name = "Too many tiny kernels",
        scope = "trace",
        order = 6,
        group = "trace-idle-launch",
        description = "Fires from 100 kernels on that last less than 5 us on average and are not launched by graphs, if the GPU is "
            .. "idle for more than a tenth of its time.",
        advice = "A graph launches many kernels with one call; fusing them saves their memory traffic, too.",
        apply = function(trace)
            local alone = trace.kernel_count - trace.graph_kernels
            if alone < 100 or trace.kernel_sum_ns / trace.kernel_count >= 5000 or
                trace.gpu_span_ns - trace.busy_ns < 0.1 * trace.gpu_span_ns then
                return nil
            end
            local mean = trace.kernel_sum_ns / trace.kernel_count
            local call = trace.call_ns.launch / math.max(1, trace.call_count.launch)
            return {
                title = string.format("%d kernels of %s each%s: launching takes the host %s for each", trace.kernel_count, ms(mean),
                    trace.graph_kernels > 0 and string.format(", %d of them not in graphs", alone) or "", ms(call)),
                evidence = {
                    { metric = "kernels", value = trace.kernel_count, threshold = 100 },
                    { metric = "a kernel", value = mean, unit = "ns", threshold = 5000 },
                    { metric = "a launch", value = call, unit = "ns" },
                },
                todo = "capture the loop into a CUDA graph (cudaStreamBeginCapture, cudaGraphLaunch), fuse kernels that follow each "
                    .. "other, or give each more to do",
                saved = of_program(trace, trace.gap_ns.launch),
                how = string.format("the GPU is idle for %s while the host launches", ms(trace.gap_ns.launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "streams-serial",
        name = "Streams that never run side by side",
        scope = "trace",
        order = 7,
        group = "trace-streams",
        description = "Fires where kernels are on several streams and less than 1% of their time is side by side.",
        advice = "The legacy default stream waits for all others, and they for it.",
        apply = function(trace)
            if trace.streams < 2 or trace.kernel_count < 4 or trace.concurrent_ns > 0.01 * trace.kernel_ns then
                return nil
            end
            local finding = {
                severity = "note",
                title = string.format("kernels are on %d streams, but none runs beside another", trace.streams),
                evidence = {
                    { metric = "kernels side by side", value = trace.concurrent_ns, unit = "ns" },
                    { metric = "kernels on the default stream", value = trace.default_stream_kernels },
                },
                todo = "see whether each fills the GPU by itself: then nothing is lost; else look for what they wait for",
                confidence = "low",
            }
            if trace.default_stream_kernels > 0 then
                finding.todo = "work on the default stream waits for all other streams and they for it: use only streams of your "
                    .. "own, or compile with --default-stream per-thread"
            end
            return finding
        end,
    },
    {
        id = "allocations-late",
        name = "Memory is allocated while kernels run",
        scope = "trace",
        order = 8,
        group = "trace-idle-allocate",
        description = "Fires where allocating and freeing after the GPU's first work takes more than 5% of the program.",
        advice = "Allocate once, or from a pool.",
        apply = function(trace)
            if trace.allocations_later < 4 or trace.allocation_later_ns < 0.05 * trace.duration_ns then
                return nil
            end
            return {
                title = string.format("%d allocations and frees after the first work of the GPU take %s",
                    trace.allocations_later, ms(trace.allocation_later_ns)),
                evidence = { { metric = "allocating", value = trace.allocation_later_ns, unit = "ns" } },
                todo = "allocate before the loop and use the memory again; cudaMallocAsync takes it from a pool without waiting",
                saved = of_program(trace, trace.allocation_later_ns),
                how = string.format("%s of %s", ms(trace.allocation_later_ns), ms(trace.duration_ns)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "managed-memory",
        name = "Managed memory whose moves are not simulated",
        scope = "trace",
        order = 9,
        group = "trace-managed",
        description = "Fires where a program allocates managed memory and the GPU is simulated: there its pages move between host " ..
            "and GPU when they are touched, here they do not.",
        advice = "Move managed memory before it is touched (cudaMemPrefetchAsync), or copy.",
        apply = function(trace)
            if not trace.is_simulated or trace.managed_allocations == 0 then
                return nil
            end
            return {
                severity = "note",
                title = string.format("%d allocation%s of managed memory: what moving %s pages takes is in no time here",
                    trace.managed_allocations, trace.managed_allocations == 1 and "" or "s",
                    trace.managed_allocations == 1 and "its" or "their"),
                evidence = { { metric = "managed allocations", value = trace.managed_allocations } },
                todo = "on a GPU a kernel stops at each page that the host touched last, and the host at each that a kernel did: " ..
                    "call cudaMemPrefetchAsync before the launch, and before the host reads; or allocate with cudaMalloc and copy",
                confidence = "high",
            }
        end,
    },
    {
        id = "first-call",
        name = "The first call of CUDA takes long",
        scope = "trace",
        order = 9,
        group = "trace-first",
        description = "Fires where the longest call before the first launch takes more than a fifth of the program.",
        advice = "Creating the context and loading modules is paid once; a longer run does not see it.",
        apply = function(trace)
            if trace.first_call_ns < 0.2 * trace.duration_ns or trace.first_call_ns < 1e6 then
                return nil
            end
            return {
                severity = "note",
                title = string.format("one call before the first launch takes %s of %s", ms(trace.first_call_ns),
                    ms(trace.duration_ns)),
                evidence = { { metric = "first call", value = trace.first_call_ns, unit = "ns" } },
                todo = "this is paid once: judge the program by a longer run, or begin the trace later (--delay, --capture-range)",
                confidence = "medium",
            }
        end,
    },
    {
        id = "rank-imbalance",
        name = "Processes whose GPUs have more to do than others",
        scope = "trace",
        order = 9,
        group = "trace-imbalance",
        description = "Fires where several processes give a GPU work, and the busiest GPU works for 10% longer than the mean: " ..
            "the others wait for it.",
        advice = "Divide the work so that each process has as much of it.",
        apply = function(trace)
            local most, mean = trace.busy_most_ns, trace.busy_ns
            if trace.gpu_processes < 2 or most < 1.1 * mean then
                return nil
            end
            return {
                title = string.format("the busiest of %d GPUs works for %s, one on average for %s, the idlest for %s",
                    trace.gpu_processes, ms(most), ms(mean), ms(trace.busy_least_ns)),
                evidence = {
                    { metric = "busiest over mean", value = most / math.max(1, mean), threshold = 1.1 },
                    { metric = "processes", value = trace.gpu_processes },
                },
                saved = of_program(trace, most - mean),
                how = string.format("the busiest GPU works for %s less of the program's %s", ms(most - mean),
                    ms(trace.duration_ns)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "rank-work",
        name = "Ranks that have more to do than others",
        scope = "trace",
        order = 9,
        group = "trace-imbalance",
        description = "Fires where one rank of an MPI program works for 10% longer outside MPI than the ranks do on average: the " ..
            "others wait for it. The figures are those of the tables rank_sum and rank_imbalance_sum; starting and ending MPI is " ..
            "neither work nor MPI.",
        advice = "Divide the work so that each rank has as much of it.",
        apply = function(trace)
            local ranks = trace.ranks
            if not has_imbalance(ranks) then
                return nil
            end
            local most, least, more = ranks.most, ranks.least, ranks.work_most_ns - ranks.work_mean_ns
            local waits = least.mpi_ns >= 0.5 * more and string.format(" and waits: it is in MPI for %s", ms(least.mpi_ns)) or ""
            local on_gpu = math.max(0, most.gpu_ns - ranks.gpu_mean_ns)
            local where = on_gpu >= 0.5 * more and "what its GPU does is most of that" or "most of it is the host's"
            return {
                title = string.format("%s works for %s outside MPI, a rank on average for %s, %s for %s%s", rank_name(most),
                    ms(ranks.work_most_ns), ms(ranks.work_mean_ns), rank_name(least), ms(ranks.work_least_ns), waits),
                evidence = {
                    { metric = "work: most over mean", value = ranks.imbalance_pct, unit = "%", threshold = 10 },
                    { metric = "ranks", value = ranks.count },
                    { metric = string.format("work of rank %d", most.rank), value = ranks.work_most_ns, unit = "ns" },
                    { metric = "work of a rank, mean", value = ranks.work_mean_ns, unit = "ns" },
                    { metric = string.format("MPI of rank %d", least.rank), value = least.mpi_ns, unit = "ns" },
                },
                todo = string.format("give rank %d less and the others more of the work (%s); warplens show REPORT --report "
                    .. "rank_sum has all ranks", most.rank, where),
                saved = of_program(trace, more),
                how = string.format("%s works for %s less of the program's %s if all have as much", rank_name(most), ms(more),
                    ms(trace.duration_ns)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "profile-next",
        name = "The kernel to profile next",
        scope = "trace",
        order = 10,
        group = "trace-next",
        description = "Names the kernel that takes the most of the GPU's time of those of which the report has no profile, and " ..
            "the command that profiles it. Fires where it takes 5% of the time of all kernels.",
        advice = "The longest kernel has the most to gain, if it is far from what the GPU can do.",
        apply = function(trace)
            local first
            for _, kernel in ipairs(trace.kernels) do
                first = first or (not kernel.is_profiled and kernel) or nil
            end
            if not first or first.ns == 0 or first.ns < 0.05 * trace.kernel_sum_ns then
                return nil
            end
            local name = function_name(first)
            return {
                severity = "note",
                title = string.format("%s takes %s of the time of all kernels (%d launch%s, %s)", first.short_name,
                    percent(first.ns / trace.kernel_sum_ns), first.count, first.count == 1 and "" or "es", ms(first.ns)),
                evidence = {
                    { metric = "share of kernels", value = 100 * first.ns / trace.kernel_sum_ns, unit = "%" },
                    { metric = "share of the program", unit = "%",
                        value = 100 * first.ns / math.max(1, trace.gpu_processes) / math.max(1, trace.duration_ns) },
                },
                todo = string.format("warplens profile -k %s -c 1 %s", name, trace.command),
                confidence = "high",
            }
        end,
    },
}
