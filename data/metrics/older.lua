-- What older versions of ncu call waits of warps, where nvprof's names are not the same (src/gpu/stall_names.def).

local rows = {}
for _, name in ipairs({
    { "stall_branch_resolving", "branch_resolving" },
    { "stall_dispatch", "dispatch_stall" },
    { "stall_gmma", "gmma" },
    { "stall_imc", "imc_miss" },
    { "stall_lg", "lg_throttle" },
    { "stall_long_sb", "long_scoreboard" },
    { "stall_math", "math_pipe_throttle" },
    { "stall_mio", "mio_throttle" },
    { "stall_no_inst", "no_instruction" },
    { "stall_short_sb", "short_scoreboard" },
    { "stall_sleep", "sleeping" },
    { "stall_tex", "tex_throttle" },
}) do
    rows[#rows + 1] = {
        name = name[1], alias_of = "smsp__average_warps_issue_stalled_" .. name[2] .. "_per_issue_active.ratio",
        description = "older name of ncu",
    }
end
return rows
