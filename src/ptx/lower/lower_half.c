/* Arithmetic on halves, beside the plain forms of f16 that have rows of their own. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/contract.h"

struct half_row {
    const char *word;
    enum wl_half kind;
    int sources;
};

static const struct half_row half_rows[] = {
    {"add", WL_HALF_ADD, 2},   {"sub", WL_HALF_SUB, 2}, {"mul", WL_HALF_MUL, 2},
    {"fma", WL_HALF_FMA, 3},   {"min", WL_HALF_MIN, 2}, {"max", WL_HALF_MAX, 2},
    {"neg", WL_HALF_NEG, 1},   {"abs", WL_HALF_ABS, 1}, {"ex2", WL_HALF_EX2, 1},
    {"tanh", WL_HALF_TANH, 1},
};

static const struct {
    const char *word;
    int64_t flags;
} flag_rows[] = {
    {"rn", 0},
    {"approx", 0},
    {"ftz", WL_HALF_FTZ},
    {"sat", WL_HALF_SAT},
    {"relu", WL_HALF_RELU},
    {"NaN", WL_HALF_NAN},
    {"xorsign", WL_HALF_XORSIGN},
    {"abs", 0},
    {"f16", 0},
    {"f16x2", WL_HALF_PAIR},
    {"bf16", WL_HALF_BFLOAT},
    {"bf16x2", WL_HALF_BFLOAT | WL_HALF_PAIR},
};

/* False if a modifier is none of the table's. */
static bool read_flags(const struct wl_ptx_instruction *instruction, int64_t *flags)
{
    *flags = 0;
    for (int i = 0; i < instruction->modifier_count; i++) {
        size_t row = 0;
        while (row < WL_COUNT(flag_rows) &&
               strcmp(flag_rows[row].word, instruction->modifiers[i]) != 0)
            row++;
        if (row == WL_COUNT(flag_rows))
            return false;
        *flags |= flag_rows[row].flags;
    }
    return true;
}

bool lower_is_half(enum wl_ptx_type type)
{
    return type == WL_PTX_F16 || type == WL_PTX_F16X2 || type == WL_PTX_BF16 ||
           type == WL_PTX_BF16X2;
}

void lower_half(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    const struct half_row *row = NULL;
    int64_t flags;
    for (size_t i = 0; i < WL_COUNT(half_rows) && !row; i++)
        if (strcmp(half_rows[i].word, instruction->opcode) == 0)
            row = &half_rows[i];
    if (!row || !lower_is_half(type) || !read_flags(instruction, &flags) ||
        instruction->operand_count != row->sources + 1) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t sources[3];
    for (int i = 0; i < 3; i++)
        sources[i] = i < row->sources
                         ? lower_source(lowering, &instruction->operands[1 + i], WL_CLASS_32, type)
                         : sources[0];
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_HALF, dst, sources[0], sources[1], sources[2]);
    struct wl_op *op = &lowering->ops.items[lowering->ops.count - 1].op;
    op->kind = (uint8_t)row->kind;
    op->imm = flags;
}

void lower_half_fused(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                      uint32_t dst, uint32_t a, uint32_t b, uint32_t c)
{
    int64_t flags;
    if (!read_flags(instruction, &flags)) {
        lower_unsupported(lowering);
        return;
    }
    const bool is_plain = (flags & ~(int64_t)WL_HALF_PAIR) == 0;
    lower_emit_plain(lowering,
                     !is_plain ? WL_OP_HALF
                     : flags   ? WL_OP_FMA_F16X2
                               : WL_OP_FMA_F16,
                     dst, a, b, c);
    struct wl_op *op = &lowering->ops.items[lowering->ops.count - 1].op;
    op->kind = is_plain ? 0 : WL_HALF_FMA;
    op->imm = is_plain ? 0 : flags;
}
