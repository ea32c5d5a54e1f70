/* cvt to and from formats narrower than single precision that come in pairs or are no type of
 * registers: f16x2, bf16x2, tf32, e4m3x2, e5m2x2. */
#include "ptx/lower/lower_narrow.h"
#include "base/count.h"

#include <string.h>

struct format_row {
    const char *word;
    enum wl_matrix_format format;
    int elements;
};

static const struct format_row format_rows[] = {
    {"f32", WL_FORMAT_F32, 1},     {"f16", WL_FORMAT_F16, 1},     {"bf16", WL_FORMAT_BF16, 1},
    {"tf32", WL_FORMAT_TF32, 1},   {"f16x2", WL_FORMAT_F16, 2},   {"bf16x2", WL_FORMAT_BF16, 2},
    {"e4m3x2", WL_FORMAT_E4M3, 2}, {"e5m2x2", WL_FORMAT_E5M2, 2},
};

static const struct {
    const char *word;
    int64_t flags;
} flag_rows[] = {
    {"rn", WL_ROUND_NEAREST << WL_NARROW_ROUNDING_SHIFT},
    {"rz", WL_ROUND_ZERO << WL_NARROW_ROUNDING_SHIFT},
    {"rna", WL_NARROW_AWAY << WL_NARROW_ROUNDING_SHIFT},
    {"relu", WL_NARROW_RELU},
    {"satfinite", WL_NARROW_FINITE},
};

/* Formats in the order written: destination, source. False if a word is unknown. */
static bool read_words(const struct wl_ptx_instruction *instruction,
                       const struct format_row *formats[2], int64_t *flags)
{
    int found = 0;
    *flags = 0;
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        bool is_known = false;
        for (size_t k = 0; k < WL_COUNT(format_rows); k++) {
            if (strcmp(word, format_rows[k].word) != 0 || found == 2)
                continue;
            formats[found++] = &format_rows[k];
            is_known = true;
        }
        for (size_t k = 0; k < WL_COUNT(flag_rows); k++) {
            if (strcmp(word, flag_rows[k].word) != 0)
                continue;
            *flags |= flag_rows[k].flags;
            is_known = true;
        }
        if (!is_known)
            return false;
    }
    return found == 2;
}

bool lower_cvt_is_narrow(const struct wl_ptx_instruction *instruction)
{
    const struct format_row *formats[2];
    int64_t flags;
    if (!read_words(instruction, formats, &flags))
        return false;
    bool is_packed = formats[0]->elements == 2 || formats[1]->elements == 2;
    return is_packed || formats[0]->format == WL_FORMAT_TF32 || flags & WL_NARROW_FINITE;
}

void lower_cvt_narrow(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct format_row *formats[2];
    int64_t flags;
    const struct wl_ptx_operand *operands = instruction->operands;
    if (!read_words(instruction, formats, &flags)) {
        lower_unsupported(lowering);
        return;
    }
    const struct format_row *to = formats[0], *from = formats[1];
    bool is_joined = to->elements == 2 && from->elements == 1; /* two sources, the high one first */
    bool is_possible =
        to->elements >= from->elements && (!is_joined || from->format == WL_FORMAT_F32);
    if (!is_possible || instruction->operand_count != 2 + is_joined) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_ptx_type type = from->format == WL_FORMAT_F32 ? WL_PTX_F32 : WL_PTX_B32;
    uint32_t a = lower_source(lowering, &operands[1], WL_CLASS_32, type);
    uint32_t b = is_joined ? lower_source(lowering, &operands[2], WL_CLASS_32, type) : NO_REGISTER;
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_CVT_NARROW, dst, a, b, NO_REGISTER);
    struct wl_op *op = &lowering->ops.items[lowering->ops.count - 1].op;
    op->kind = (uint8_t)to->format;
    op->width_bytes = (uint8_t)from->format;
    op->count = (uint8_t)to->elements;
    op->imm = flags;
}
