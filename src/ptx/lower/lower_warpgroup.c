/* The family of wgmma: products of four warps, each of which does its part at once; who waits for
 * them waits for the others' parts. */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"

/* Scratch: four registers of A, two of B (of a sparse product four), one of zeros. */
enum { COLUMNS_MOST = 256, SUMS_MOST = 128, A_REGISTERS = 4, SCRATCH = 7, SCRATCH_SPARSE = 9 };

struct group_words {
    uint32_t n, k;
    enum wl_matrix_format formats[3]; /* of D, A, B */
    int64_t flags;
};

static bool read_words(const struct wl_ptx_instruction *instruction, struct group_words *words)
{
    static const struct {
        const char *word;
        enum wl_matrix_format format;
    } rows[] = {
        {"f16", WL_FORMAT_F16},   {"bf16", WL_FORMAT_BF16}, {"tf32", WL_FORMAT_TF32},
        {"e4m3", WL_FORMAT_E4M3}, {"e5m2", WL_FORMAT_E5M2}, {"f32", WL_FORMAT_F32},
        {"s8", WL_FORMAT_S8},     {"u8", WL_FORMAT_U8},     {"s32", WL_FORMAT_S32},
    };
    static const char *const others[] = {"mma_async", "sync", "aligned"};
    int formats = 0;
    *words = (struct group_words){0};
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        int used = 0;
        bool is_known =
            sscanf(word, "m64n%uk%u%n", &words->n, &words->k, &used) == 2 && word[used] == '\0';
        for (size_t r = 0; r < WL_COUNT(rows) && !is_known && formats < 3; r++) {
            if (strcmp(word, rows[r].word) != 0)
                continue;
            words->formats[formats++] = rows[r].format;
            is_known = true;
        }
        for (size_t o = 0; o < WL_COUNT(others); o++)
            is_known |= strcmp(word, others[o]) == 0;
        if (strcmp(word, "satfinite") == 0 || strcmp(word, "sp") == 0) {
            words->flags |= word[1] == 'p' ? WL_MATRIX_SPARSE : WL_MATRIX_SATURATE;
            is_known = true;
        }
        if (!is_known)
            return false;
    }
    return formats == 3;
}

/* PTX ISA, wgmma: 32 bytes of K, 64 of a sparse product; which sums which factors have. */
static bool is_shape_right(const struct group_words *words)
{
    const enum wl_matrix_format d = words->formats[0], a = words->formats[1], b = words->formats[2];
    const bool is_integer = a == WL_FORMAT_S8 || a == WL_FORMAT_U8;
    const bool is_byte = a == WL_FORMAT_E4M3 || a == WL_FORMAT_E5M2;
    if (!words->n || words->n % 8 || words->n > COLUMNS_MOST ||
        words->k * wl_matrix_format_bits(a) != (words->flags & WL_MATRIX_SPARSE ? 512 : 256))
        return false;
    if (is_integer)
        return d == WL_FORMAT_S32 && (b == WL_FORMAT_S8 || b == WL_FORMAT_U8);
    if (is_byte)
        return (d == WL_FORMAT_F16 || d == WL_FORMAT_F32) &&
               (b == WL_FORMAT_E4M3 || b == WL_FORMAT_E5M2);
    return a == b && a >= WL_FORMAT_F16 && a <= WL_FORMAT_TF32 &&
           (d == WL_FORMAT_F32 || (d == WL_FORMAT_F16 && a == WL_FORMAT_F16));
}

/* Where it stands whether D is added: behind the metadata of a sparse product and their selector.
 */
static int scale_at(const struct group_words *words)
{
    return words->flags & WL_MATRIX_SPARSE ? 5 : 3;
}

/* Which lanes of four hold the metadata: all do of 8-bit elements. */
static bool read_selector(const struct wl_ptx_instruction *instruction, struct group_words *words)
{
    if (!(words->flags & WL_MATRIX_SPARSE))
        return true;
    const struct wl_ptx_operand *operand = &instruction->operands[4];
    const int64_t groups = wl_matrix_format_bits(words->formats[1]) >= 16 ? 2 : 1;
    if (operand->kind != WL_PTX_OPERAND_INTEGER || operand->integer < 0 ||
        operand->integer >= groups)
        return false;
    words->flags |= WL_MATRIX_SELECTOR(operand->integer);
    return true;
}

/* The immediate numbers behind the descriptors: signs, then which factors are transposed. */
static bool read_flags(const struct wl_ptx_instruction *instruction, struct group_words *words,
                       bool has_descriptor)
{
    static const int64_t meanings[] = {WL_GROUP_NEGATED_A, WL_GROUP_NEGATED_B,
                                       WL_GROUP_TRANSPOSED_A, WL_GROUP_TRANSPOSED_B};
    int meaning = 0;
    for (int i = scale_at(words) + 1; i < instruction->operand_count; i++, meaning++) {
        const struct wl_ptx_operand *operand = &instruction->operands[i];
        if (meaning == 2 && !has_descriptor)
            meaning++; /* what is in registers is not transposed */
        if (operand->kind != WL_PTX_OPERAND_INTEGER || meaning > 3)
            return false;
        const bool is_set = meaning < 2 ? operand->integer == -1 : operand->integer == 1;
        words->flags |= is_set ? meanings[meaning] : 0;
    }
    const bool is_transposed = words->flags & (WL_GROUP_TRANSPOSED_A | WL_GROUP_TRANSPOSED_B);
    return !is_transposed || wl_matrix_format_bits(words->formats[1]) == 16;
}

static bool is_list(const struct wl_ptx_operand *operand, uint32_t count)
{
    return operand->kind == WL_PTX_OPERAND_VECTOR && operand->item_count == count;
}

/* The registers of WARPGROUP_MULTIPLY's list; *defs: those that are written. */
static void collect(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                    const struct group_words *words, uint32_t *registers, uint32_t *defs,
                    uint32_t *count)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    const bool is_sparse = words->flags & WL_MATRIX_SPARSE;
    const uint32_t sums = words->n / (words->formats[0] == WL_FORMAT_F16 ? 4 : 2);
    const enum wl_ptx_type type = words->formats[0] == WL_FORMAT_F32 ? WL_PTX_F32 : WL_PTX_B32;
    for (uint32_t i = 0; i < sums; i++)
        registers[i] = lower_destination(lowering, &operands[0].items[i], WL_CLASS_32);
    *defs = sums + (is_sparse ? SCRATCH_SPARSE : SCRATCH);
    for (uint32_t i = sums; i < *defs; i++)
        registers[i] = lower_new_register(lowering, WL_CLASS_32);
    *count = *defs;
    for (uint32_t i = 0; i < sums; i++)
        registers[(*count)++] = lower_source(lowering, &operands[0].items[i], WL_CLASS_32, type);
    for (uint32_t i = 0; operands[1].kind == WL_PTX_OPERAND_VECTOR && i < A_REGISTERS; i++)
        registers[(*count)++] =
            lower_source(lowering, &operands[1].items[i], WL_CLASS_32, WL_PTX_B32);
    if (is_sparse)
        registers[(*count)++] = lower_source(lowering, &operands[3], WL_CLASS_32, WL_PTX_B32);
}

static void multiply(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                     const struct group_words *words)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    const struct wl_ptx_operand *scale = &operands[scale_at(words)];
    const bool has_descriptor = operands[1].kind != WL_PTX_OPERAND_VECTOR;
    uint32_t registers[2 * SUMS_MOST + SCRATCH_SPARSE + A_REGISTERS + 1], defs = 0, count = 0;
    uint32_t a = NO_REGISTER;
    if (has_descriptor)
        a = lower_source(lowering, &operands[1], WL_CLASS_64, WL_PTX_B64);
    uint32_t b = lower_source(lowering, &operands[2], WL_CLASS_64, WL_PTX_B64);
    uint32_t adds = lower_predicate(lowering, scale);
    collect(lowering, instruction, words, registers, &defs, &count);
    if (lowering->code)
        return;
    struct wl_op *op =
        lower_emit_list(lowering, WL_OP_WARPGROUP_MULTIPLY,
                        (uint8_t)(FIELD_B | FIELD_C | (has_descriptor ? FIELD_A : 0)), registers,
                        (uint8_t)defs, (uint8_t)(count - defs));
    op->a = a;
    op->b = b;
    op->c = adds;
    op->kind = (uint8_t)words->formats[1];
    op->width_bytes = (uint8_t)words->formats[2];
    op->count = (uint8_t)words->formats[0];
    op->imm = (int64_t)WL_MATRIX_SHAPE(128, words->n / 8, words->k) | words->flags;
    op->flags = scale->negated ? WL_OPF_NEGATED : 0;
}

FAMILY(wgmma)
{
    static const char *const waits[] = {"fence", "commit_group", "wait_group"};
    struct group_words words;
    const int waits_for = lower_choose(instruction, waits, WL_COUNT(waits));
    if (waits_for >= 0) {
        static const enum wl_opcode codes[] = {WL_OP_WARP_SYNC, WL_OP_WARPGROUP_COMMIT,
                                               WL_OP_WARPGROUP_WAIT};
        struct wl_op *op = lower_emit(lowering, codes[waits_for], 0, 0);
        if (instruction->operand_count)
            op->imm = instruction->operands[0].integer;
        return;
    }
    const bool is_known = read_words(instruction, &words) && is_shape_right(&words) &&
                          instruction->operand_count > scale_at(&words) &&
                          read_selector(instruction, &words);
    const struct wl_ptx_operand *operands = instruction->operands;
    const bool has_list =
        is_known && is_list(&operands[0], words.n / (words.formats[0] == WL_FORMAT_F16 ? 4 : 2));
    const bool has_descriptor = is_known && operands[1].kind != WL_PTX_OPERAND_VECTOR;
    if (!has_list || (!has_descriptor && !is_list(&operands[1], A_REGISTERS)) ||
        !read_flags(instruction, &words, has_descriptor))
        lower_unsupported(lowering);
    else
        multiply(lowering, instruction, &words);
}
