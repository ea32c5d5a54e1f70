/* What a program's operations are done by: the executor's functions, those that check, and code
 * compiled for the host. */
#include "sim/check.h"
#include "sim/compiled.h"
#include "sim/executor.h"
#include "sim/group.h"
#include "sim/state.h"

/* Loads of parameters whose registers hold them anyway do nothing. */
static void pass_parameters(struct wl_program *program)
{
    const wl_op_run pass = wl_executor_table()[WL_OP_WARP_SYNC].full;
    for (uint32_t i = 0; i < program->op_count; i++) {
        struct wl_op *op = &program->ops[i];
        for (uint32_t k = 0; k < program->parameter_register_count; k++)
            if (op->code == WL_OP_LOAD_PARAM && program->parameter_registers[k].offset == op->dst &&
                program->parameter_registers[k].parameter == (uint64_t)op->imm)
                op->run[0] = op->run[1] = pass;
    }
}

/* A value that hangs on which SM the block is on, or on what that has done before. */
static bool tells_sm(enum wl_special special)
{
    switch (special) {
    case WL_SPECIAL_SMID:
    case WL_SPECIAL_CLOCK:
    case WL_SPECIAL_CLOCK64:
    case WL_SPECIAL_CLOCK_HI:
    case WL_SPECIAL_GLOBALTIMER:
    case WL_SPECIAL_GLOBALTIMER_HI:
        return true;
    default:
        return false;
    }
}

/* What a loop around it may wait by: loads that go past L1 see what other blocks wrote, and others
 * are not left out of the loop where there is a fence in it. */
static bool may_wait_by(const struct wl_op *op)
{
    return op->code == WL_OP_FENCE ||
           ((op->code == WL_OP_LOAD_GLOBAL || op->code == WL_OP_LOAD_GENERIC) &&
            op->flags & WL_OPF_BYPASS_L1);
}

#define ENGINE_SHIFT 28 /* in linked_mode, beside the checks */

void wl_run_link(struct wl_program *program, uint32_t mode, enum wl_sim_engine engine)
{
    const uint32_t linked_mode = mode | (uint32_t)engine << ENGINE_SHIFT;
    if (program->is_linked && program->linked_mode == linked_mode)
        return;
    wl_native_remove(program);
    const struct wl_executor_row *table = wl_executor_table();
    static uint64_t last_serial;
    program->serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < program->op_count; i++) {
        struct wl_op *op = &program->ops[i];
        wl_op_run checked = mode ? wl_check_handler(mode, op) : NULL;
        op->run[0] = checked ? checked : table[op->code].full;
        op->run[1] = checked ? checked : table[op->code].masked;
        program->reaches_peers |=
            (op->code >= WL_OP_MAPA_32 && op->code <= WL_OP_MAPA_64_I) ||
            (op->code == WL_OP_BARRIER_OBJECT && op->c != UINT32_MAX); /* of a multicast */
        program->tells_sm |= op->code == WL_OP_SPECIAL && tells_sm((enum wl_special)op->kind);
        program->blocks_may_wait |= program->has_loop && may_wait_by(op);
    }
    pass_parameters(program);
    if (!mode)
        wl_executor_join(program);
    /* where checks may stop between the loads of a group, all is interpreted */
    wl_groups_find(program, !(mode & ~WL_CHECK_BUDGET) || engine != WL_ENGINE_INTERPRET);
    if (engine != WL_ENGINE_INTERPRET)
        wl_native_install(program, engine, mode & ~WL_CHECK_BUDGET);
    program->is_linked = true;
    program->linked_mode = linked_mode;
    program->is_opaque = mode && wl_check_is_opaque(program);
}
