/* The video instructions: arithmetic on bytes, halves or words of 32-bit registers, with a second
 * operation behind (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions"). */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lowering.h"

static const char *const operation_words[] = {
    [WL_VIDEO_ADD] = "vadd",      [WL_VIDEO_SUB] = "vsub", [WL_VIDEO_DIFFERENCE] = "vabsdiff",
    [WL_VIDEO_MIN] = "vmin",      [WL_VIDEO_MAX] = "vmax", [WL_VIDEO_SHL] = "vshl",
    [WL_VIDEO_SHR] = "vshr",      [WL_VIDEO_MAD] = "vmad", [WL_VIDEO_SET] = "vset",
    [WL_VIDEO_AVERAGE] = "vavrg",
};

static const struct {
    const char *word;
    struct wl_video video; /* what the word adds */
} word_rows[] = {
    {"sat", {.saturates = true}}, {"wrap", {.wraps = true}}, {"clamp", {0}},
    {"add", {.second = 1}},       {"min", {.second = 2}},    {"max", {.second = 3}},
    {"eq", {.compare = 0}},       {"ne", {.compare = 1}},    {"lt", {.compare = 2}},
    {"le", {.compare = 3}},       {"gt", {.compare = 4}},    {"ge", {.compare = 5}},
    {"po", {.adds_one = true}},   {"shr7", {.scale = 7}},    {"shr15", {.scale = 15}},
};

/* "vadd4" is an addition of four lanes. False if the word is no video instruction. */
static bool read_operation(const char *opcode, struct wl_video *video)
{
    for (size_t i = 0; i < WL_COUNT(operation_words); i++) {
        size_t length = strlen(operation_words[i]);
        if (strncmp(opcode, operation_words[i], length) != 0)
            continue;
        video->operation = (enum wl_video_operation)i;
        video->lanes = opcode[length] == '2' ? 2 : opcode[length] == '4' ? 4 : 1;
        return true;
    }
    return false;
}

/* Types in the order written: destination, a, b; vset has no destination type. */
static bool read_modifiers(const struct wl_ptx_instruction *instruction, struct wl_video *video)
{
    bool is_signed[3] = {false, false, false};
    int types = video->operation == WL_VIDEO_SET ? 1 : 0;
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        enum wl_ptx_type type = wl_ptx_type_from_name(word);
        bool is_known = (type == WL_PTX_U32 || type == WL_PTX_S32) && types < 3;
        if (is_known)
            is_signed[types++] = type == WL_PTX_S32;
        for (size_t k = 0; k < WL_COUNT(word_rows) && !is_known; k++) {
            if (strcmp(word, word_rows[k].word) != 0)
                continue;
            const struct wl_video *more = &word_rows[k].video;
            video->saturates |= more->saturates;
            video->wraps |= more->wraps;
            video->adds_one |= more->adds_one;
            video->second |= more->second;
            video->compare |= more->compare;
            video->scale |= more->scale;
            is_known = true;
        }
        if (!is_known)
            return false;
    }
    video->d_signed = is_signed[0];
    video->a_signed = is_signed[1];
    video->b_signed = is_signed[2];
    const bool is_shift = video->operation == WL_VIDEO_SHL || video->operation == WL_VIDEO_SHR;
    return types == 3 && !(is_shift && video->b_signed); /* how far is .u32 */
}

/* Which part of a register: 0 all, 1 to 4 a byte, 5 and 6 a half. False for other components. */
static bool read_part(const struct wl_ptx_operand *operand, uint8_t *part)
{
    *part = operand->component ? (uint8_t)(operand->component - 4) : 0;
    return operand->component == 0 || (operand->component >= 5 && operand->component <= 10);
}

FAMILY(video)
{
    struct wl_video video = {0};
    const struct wl_ptx_operand *operands = instruction->operands;
    int count = instruction->operand_count;
    bool is_known =
        read_operation(instruction->opcode, &video) && read_modifiers(instruction, &video) &&
        (count == 3 || count == 4) && read_part(&operands[0], &video.d_part) &&
        read_part(&operands[1], &video.a_part) && read_part(&operands[2], &video.b_part);
    bool has_parts = video.d_part || video.a_part || video.b_part;
    bool is_mad = video.operation == WL_VIDEO_MAD;
    if (!is_known || (has_parts && video.lanes > 1) || (is_mad && (count != 4 || video.d_part)) ||
        (count == 3 && (video.second || video.d_part || video.lanes > 1))) {
        lower_unsupported(lowering);
        return;
    }
    video.negates_product = is_mad && operands[1].negated != operands[2].negated;
    video.negates_addend = is_mad && operands[3].negated;
    uint32_t a = lower_source(lowering, &operands[1], WL_CLASS_32, WL_PTX_B32);
    uint32_t b = lower_source(lowering, &operands[2], WL_CLASS_32, WL_PTX_B32);
    uint32_t c = count == 4 ? lower_source(lowering, &operands[3], WL_CLASS_32, WL_PTX_B32) : a;
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_VIDEO, dst, a, b, c);
    lowering->ops.items[lowering->ops.count - 1].op.imm = wl_video_pack(video);
}
