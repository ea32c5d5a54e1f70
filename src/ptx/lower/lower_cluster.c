/* Families of instructions for clusters of blocks: their barrier, and addresses in each other's
 * shared memory. */
#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

void lower_cluster_barrier(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    static const char *const kinds[] = {"arrive", "wait"};
    const int kind = lower_choose(instruction, kinds, WL_COUNT(kinds));
    if (kind < 0) {
        lower_unsupported(lowering);
        return;
    }
    lower_emit(lowering, kind ? WL_OP_CLUSTER_WAIT : WL_OP_CLUSTER_ARRIVE, 0, 0);
}

/* Both are of shared addresses of 32 or 64 bits, or of generic ones: the rank is in the same bits
 * of all. */
FAMILY(mapa)
{
    if (!lower_expect(lowering, 3))
        return;
    const bool is_wide = wl_ptx_type_bytes(lower_type(instruction, 0)) == 8;
    const enum wl_operand_class address = is_wide ? WL_CLASS_64 : WL_CLASS_32;
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], address, is_wide ? WL_PTX_U64 : WL_PTX_U32);
    uint32_t rank = lower_source(lowering, &operands[2], WL_CLASS_32, WL_PTX_U32);
    uint32_t dst = lower_destination(lowering, &operands[0], address);
    lower_emit_plain(lowering, is_wide ? WL_OP_MAPA_64 : WL_OP_MAPA_32, dst, a, rank, NO_REGISTER);
}

FAMILY(ctarank)
{
    if (!lower_expect(lowering, 2))
        return;
    const bool is_wide = wl_ptx_type_bytes(lower_type(instruction, 0)) == 8;
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], is_wide ? WL_CLASS_64 : WL_CLASS_32,
                              is_wide ? WL_PTX_U64 : WL_PTX_U32);
    uint32_t own = lower_new_register(lowering, WL_CLASS_32);
    struct wl_op *op = lower_emit(lowering, WL_OP_SPECIAL, FIELD_DST, 0);
    op->dst = own;
    op->kind = WL_SPECIAL_CLUSTER_CTARANK;
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, is_wide ? WL_OP_CTARANK_64 : WL_OP_CTARANK_32, dst, a, own,
                     NO_REGISTER);
}
