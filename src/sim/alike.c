#include "sim/alike.h"

#include <stddef.h>

#include "base/count.h"
#include "warp/op.h"

enum { TRACED_WAVES = 8 };

/* Operations that know their lanes' registers and their place in the block, and change nothing
 * else. What is no special form (arithmetic, logic, comparisons) is so by itself. */
static const uint16_t private_codes[] = {
    WL_OP_PRED_LOGIC,
    WL_OP_PRED_CONST,
    WL_OP_SELECT_32,
    WL_OP_SELECT_64,
    WL_OP_PRED_TO_B32,
    WL_OP_LOP3_B32,
    WL_OP_ADDC_32,
    WL_OP_SUBC_32,
    WL_OP_MADC_32,
    WL_OP_MADC_64,
    WL_OP_ADDC_64,
    WL_OP_SUBC_64,
    WL_OP_BFI_B32,
    WL_OP_BFI_B64,
    WL_OP_ROUNDED_F32,
    WL_OP_ROUNDED_F64,
    WL_OP_CVT_INT_TO_FLOAT,
    WL_OP_CVT_FLOAT_TO_INT,
    WL_OP_CVT_FLOAT_TO_FLOAT,
    WL_OP_CVT_NARROW,
    WL_OP_CVT_SATURATE,
    WL_OP_HALF,
    WL_OP_TESTP,
    WL_OP_VIDEO,
    WL_OP_PACK_64,
    WL_OP_UNPACK_64,
    WL_OP_PACK_32,
    WL_OP_UNPACK_32,
    WL_OP_MOV_IMM_32,
    WL_OP_MOV_IMM_64,
    WL_OP_LOAD_PARAM,
    WL_OP_FENCE,
    WL_OP_SHUFFLE,
    WL_OP_VOTE,
    WL_OP_MATCH,
    WL_OP_REDUX,
    WL_OP_ACTIVEMASK,
    WL_OP_ELECT,
    WL_OP_WARP_SYNC,
    WL_OP_BLOCK,
    WL_OP_JOIN,
    WL_OP_GUARD,
    WL_OP_UNGUARD,
    WL_OP_BRANCH,
    WL_OP_BRANCH_IF,
    WL_OP_BRANCH_INDEX,
    WL_OP_YIELD,
    WL_OP_EXIT,
    WL_OP_CALL,
    WL_OP_CALL_INDIRECT,
    WL_OP_RETURN,
    WL_OP_CALL_MATH,
};

/* Special registers that hold the same in every block at any time. */
static bool is_same_everywhere(uint8_t special)
{
    switch (special) {
    case WL_SPECIAL_CTAID_X:
    case WL_SPECIAL_CTAID_Y:
    case WL_SPECIAL_CTAID_Z:
    case WL_SPECIAL_SMID:
    case WL_SPECIAL_GRIDID:
    case WL_SPECIAL_CLOCK:
    case WL_SPECIAL_CLOCK_HI:
    case WL_SPECIAL_CLOCK64:
    case WL_SPECIAL_GLOBALTIMER:
    case WL_SPECIAL_GLOBALTIMER_HI:
    case WL_SPECIAL_WORKSPACE_LOW:
    case WL_SPECIAL_WORKSPACE_HIGH:
    case WL_SPECIAL_CLUSTERID_X:
    case WL_SPECIAL_CLUSTERID_Y:
    case WL_SPECIAL_CLUSTERID_Z:
    case WL_SPECIAL_CLUSTER_CTAID_X:
    case WL_SPECIAL_CLUSTER_CTAID_Y:
    case WL_SPECIAL_CLUSTER_CTAID_Z:
    case WL_SPECIAL_CLUSTER_CTARANK:
        return false;
    default:
        return special < WL_SPECIAL_COUNT;
    }
}

static bool is_private(const struct wl_op *op)
{
    if (op->code == WL_OP_SPECIAL)
        return is_same_everywhere(op->kind);
    if (wl_op_rows[op->code].form != WL_FORM_SPECIAL)
        return true;
    for (size_t i = 0; i < WL_COUNT(private_codes); i++)
        if (private_codes[i] == op->code)
            return true;
    return false;
}

bool wl_blocks_are_alike(const struct wl_program *program, uint32_t checks)
{
    if (program->blocks_communicate || program->uses_heap || program->uses_printf)
        return false;
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct wl_op *op = &program->ops[i];
        bool is_barrier = op->code == WL_OP_BARRIER && !checks; /* of which checks tell */
        if (!is_barrier && !is_private(op))
            return false;
    }
    return true;
}

uint64_t wl_alike_wanted(uint64_t block_count, uint64_t resident, bool is_traced)
{
    const uint64_t wanted = is_traced ? TRACED_WAVES * resident : 1;
    return wanted < block_count ? wanted : block_count;
}

void wl_counts_extend(struct wl_sim_counts *counts, uint64_t blocks_run, uint64_t block_count)
{
    for (size_t i = 0; i < WL_COUNTER_COUNT; i++)
        counts->totals[i] = counts->totals[i] / blocks_run * block_count;
    const double factor = (double)block_count / (double)blocks_run;
    counts->dram_filled_bytes *= factor;
    counts->dram_openings *= factor;
    counts->l2_read_halves *= factor;
    counts->l2_read_lines_missed *= factor;
    /* struct wl_instruction_counts has nothing but 64-bit counts */
    uint64_t *numbers = (uint64_t *)counts->instructions;
    size_t number_count =
        counts->instruction_count * sizeof *counts->instructions / sizeof *numbers;
    for (size_t i = 0; i < number_count; i++)
        numbers[i] = numbers[i] / blocks_run * block_count;
}
