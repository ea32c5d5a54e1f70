/* Families of matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix. Both mma and wmma keep
 * fragments as mma does (PTX ISA, "Matrix fragments for mma.m16n8k16"): a register of A holds, for
 * lane l, consecutive elements of row l / 4 of an 8-row block; B likewise with columns; the other
 * blocks of a wmma fragment follow in further registers. */
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

#define FRAGMENT_REGISTERS_MAX 8
#define WMMA_REGISTERS_MAX (4 * FRAGMENT_REGISTERS_MAX)

struct format_row {
    const char *word;
    enum wl_matrix_format format;
};

static const struct format_row format_rows[] = {
    {"f16", WL_FORMAT_F16},   {"bf16", WL_FORMAT_BF16}, {"tf32", WL_FORMAT_TF32},
    {"e4m3", WL_FORMAT_E4M3}, {"e5m2", WL_FORMAT_E5M2}, {"f32", WL_FORMAT_F32},
    {"f64", WL_FORMAT_F64},   {"s8", WL_FORMAT_S8},     {"u8", WL_FORMAT_U8},
    {"s4", WL_FORMAT_S4},     {"u4", WL_FORMAT_U4},     {"b1", WL_FORMAT_B1},
    {"s32", WL_FORMAT_S32},
};

/* What the modifiers of a matrix instruction say. */
struct matrix_words {
    uint32_t m, n, k;
    enum wl_matrix_format formats[4]; /* in the order written */
    int format_count;
    bool is_column[2]; /* of A, B, or of the matrix loaded or stored */
    int layout_count;
    int64_t flags; /* WL_MATRIX_SATURATE, WL_MATRIX_XOR, WL_MATRIX_SPARSE */
};

static const struct {
    const char *word;
    int64_t flag;
} flag_rows[] = {
    {"satfinite", WL_MATRIX_SATURATE},
    {"xor", WL_MATRIX_XOR},
    {"sp", WL_MATRIX_SPARSE},
    {"sp::ordered_metadata", WL_MATRIX_SPARSE}, /* some metadata are undefined that "sp" allows */
};

static bool read_word(const char *word, struct matrix_words *words)
{
    /* read elsewhere, or nothing to model */
    static const char *const others[] = {"sync", "aligned", "mma",    "load",        "store",
                                         "a",    "b",       "c",      "d",           "and",
                                         "popc", "rn",      "shared", "shared::cta", "global"};
    int used = 0;
    if (sscanf(word, "m%un%uk%u%n", &words->m, &words->n, &words->k, &used) == 3)
        return word[used] == '\0';
    for (size_t i = 0; i < WL_COUNT(format_rows); i++) {
        if (strcmp(word, format_rows[i].word) != 0 || words->format_count == 4)
            continue;
        words->formats[words->format_count++] = format_rows[i].format;
        return true;
    }
    bool is_column = strcmp(word, "col") == 0;
    if ((is_column || strcmp(word, "row") == 0) && words->layout_count < 2) {
        words->is_column[words->layout_count++] = is_column;
        return true;
    }
    for (size_t i = 0; i < WL_COUNT(flag_rows); i++) {
        if (strcmp(word, flag_rows[i].word) != 0)
            continue;
        words->flags |= flag_rows[i].flag;
        return true;
    }
    for (size_t i = 0; i < WL_COUNT(others); i++)
        if (strcmp(word, others[i]) == 0)
            return true;
    return false;
}

static bool read_words(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                       struct matrix_words *words)
{
    *words = (struct matrix_words){0};
    bool is_known = true;
    for (int i = 0; i < instruction->modifier_count; i++)
        is_known &= read_word(instruction->modifiers[i], words);
    is_known &= words->m && words->m <= 32 && words->m % 8 == 0 && words->n && words->n <= 32 &&
                words->n % 8 == 0 && words->k && words->k <= 256 && words->k % 4 == 0;
    if (!is_known)
        lower_unsupported(lowering);
    return is_known;
}

static void set_row(struct lowering *lowering, enum wl_pipe pipe, enum wl_class instruction_class)
{
    struct wl_program_instruction *row = &lowering->instructions.items[lowering->instruction_index];
    row->pipe = pipe;
    row->instruction_class = (uint8_t)instruction_class;
}

/* Registers that a fragment needs; 0 where the shape does not fit the format. */
static uint32_t fragment_registers(const struct matrix_words *words, enum wl_matrix_role role,
                                   enum wl_matrix_format format)
{
    uint32_t bits = wl_matrix_format_bits(format);
    if (role == WL_MATRIX_C)
        return words->m / 8 * (words->n / 8) * 2 / (format == WL_FORMAT_F16 ? 2 : 1);
    uint32_t blocks = (role == WL_MATRIX_A ? words->m : words->n) / 8;
    uint32_t columns = 4 * (bits >= 32 ? 1 : 32 / bits); /* of the block that a register covers */
    uint32_t k = role == WL_MATRIX_A && words->flags & WL_MATRIX_SPARSE ? words->k / 2 : words->k;
    return k % columns ? 0 : blocks * (k / columns);
}

static enum wl_operand_class format_class(enum wl_matrix_format format)
{
    return format == WL_FORMAT_F64 ? WL_CLASS_64 : WL_CLASS_32;
}

static uint32_t operand_items(const struct wl_ptx_operand *operand)
{
    return operand->kind == WL_PTX_OPERAND_VECTOR ? operand->item_count : 1;
}

/* Appends the first count registers of a vector operand, which may have more. */
static bool add_registers(struct lowering *lowering, const struct wl_ptx_operand *operand,
                          uint32_t count, enum wl_matrix_format format, bool is_destination,
                          uint32_t *registers, uint8_t *used)
{
    if (count == 0 || operand_items(operand) < count || *used + count > WMMA_REGISTERS_MAX) {
        lower_unsupported(lowering);
        return false;
    }
    enum wl_operand_class operand_class = format_class(format);
    enum wl_ptx_type type = operand_class == WL_CLASS_64 ? WL_PTX_F64
                            : format == WL_FORMAT_F32    ? WL_PTX_F32
                                                         : WL_PTX_B32;
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_ptx_operand *item =
            operand->kind == WL_PTX_OPERAND_VECTOR ? &operand->items[i] : operand;
        registers[(*used)++] = is_destination ? lower_destination(lowering, item, operand_class)
                                              : lower_source(lowering, item, operand_class, type);
    }
    return !lowering->code;
}

static bool is_pair_supported(const enum wl_matrix_format *formats)
{
    enum wl_matrix_format d = formats[0], a = formats[1], b = formats[2], c = formats[3];
    bool is_integer = a >= WL_FORMAT_S8 && a <= WL_FORMAT_B1;
    if (wl_matrix_format_bits(a) != wl_matrix_format_bits(b))
        return false;
    if (is_integer)
        return b >= WL_FORMAT_S8 && b <= WL_FORMAT_B1 && d == WL_FORMAT_S32 && c == WL_FORMAT_S32;
    if (a == WL_FORMAT_F64)
        return b == a && c == a && d == a;
    bool is_half_sum = c == WL_FORMAT_F16 || d == WL_FORMAT_F16;
    bool is_float_pair = (a == b && a >= WL_FORMAT_F16 && a <= WL_FORMAT_TF32) ||
                         (wl_matrix_format_bits(a) == 8 && !is_integer && b <= WL_FORMAT_E5M2);
    return is_float_pair && (c == WL_FORMAT_F16 || c == WL_FORMAT_F32) &&
           (d == WL_FORMAT_F16 || d == WL_FORMAT_F32) &&
           (!is_half_sum || a == WL_FORMAT_F16 || wl_matrix_format_bits(a) == 8);
}

static void multiply(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                     const struct matrix_words *words, const enum wl_matrix_format *formats)
{
    static const enum wl_matrix_role roles[] = {WL_MATRIX_C, WL_MATRIX_A, WL_MATRIX_B, WL_MATRIX_C};
    const bool is_sparse = words->flags & WL_MATRIX_SPARSE;
    uint32_t registers[WMMA_REGISTERS_MAX];
    uint8_t used = 0, defs = 0;
    if (instruction->operand_count != (is_sparse ? 6 : 4) || !is_pair_supported(formats)) {
        lower_unsupported(lowering);
        return;
    }
    for (int i = 0; i < 4; i++) {
        uint32_t count = fragment_registers(words, roles[i], formats[i]);
        if (!add_registers(lowering, &instruction->operands[i], count, formats[i], i == 0,
                           registers, &used))
            return;
        defs = i == 0 ? used : defs;
        if (i == 1 && is_sparse && /* the metadata follow what they are of */
            !add_registers(lowering, &instruction->operands[4], 1, WL_FORMAT_S32, false, registers,
                           &used))
            return;
    }
    struct wl_op *op = lower_emit_list(lowering, WL_OP_MATRIX_MULTIPLY, 0, registers, defs,
                                       (uint8_t)(used - defs));
    op->kind = (uint8_t)formats[1];
    op->width_bytes = (uint8_t)formats[2];
    op->count = (uint8_t)formats[0];
    op->spare = (uint16_t)formats[3];
    op->imm = (int64_t)WL_MATRIX_SHAPE(words->m, words->n, words->k) | words->flags;
}

/* The selector says which lanes of four hold the metadata: where not all of them do. */
static bool read_selector(const struct wl_ptx_instruction *instruction, struct matrix_words *words)
{
    const struct wl_ptx_operand *operand = &instruction->operands[5];
    const uint32_t bits = wl_matrix_format_bits(words->formats[1]);
    const bool is_short = words->k * bits == 256;
    const int64_t groups = (is_short ? 2 : 1) * (bits >= 16 ? 2 : 1);
    if (instruction->operand_count != 6 || operand->kind != WL_PTX_OPERAND_INTEGER ||
        operand->integer < 0 || operand->integer >= groups)
        return false;
    words->flags |= WL_MATRIX_SELECTOR(operand->integer);
    return true;
}

/* PTX ISA, "Matrix multiply-accumulate operation using mma.sp instruction". */
static bool is_sparse_shape(const struct matrix_words *words)
{
    const enum wl_matrix_format a = words->formats[1];
    const uint32_t row_bits = words->k * wl_matrix_format_bits(a);
    const bool is_narrow_float = a == WL_FORMAT_E4M3 || a == WL_FORMAT_E5M2;
    if (a == WL_FORMAT_F64 || a == WL_FORMAT_B1 || words->formats[0] != words->formats[3] ||
        (is_narrow_float && words->formats[0] != WL_FORMAT_F32))
        return false;
    return words->m == 16 && (row_bits == 512 || (row_bits == 256 && !is_narrow_float));
}

/* mma.m8n8k4 of halves works on quarters of a warp, as Volta had them: no other shape does. */
static bool is_quarter_shape(const struct matrix_words *words)
{
    return words->k == 4 && words->formats[1] == WL_FORMAT_F16;
}

FAMILY(mma)
{
    struct matrix_words words;
    if (!read_words(lowering, instruction, &words))
        return;
    bool is_row_column = words.layout_count == 2 && !words.is_column[0] && words.is_column[1];
    const bool is_sparse = words.flags & WL_MATRIX_SPARSE;
    if (words.format_count != 4 || !is_row_column || words.n != 8 || is_quarter_shape(&words) ||
        (is_sparse && (!is_sparse_shape(&words) || !read_selector(instruction, &words)))) {
        lower_unsupported(lowering);
        return;
    }
    multiply(lowering, instruction, &words, words.formats);
}

static void wmma_multiply(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                          const struct matrix_words *words)
{
    /* .dtype.ctype alone: the factors are halves */
    enum wl_matrix_format formats[4] = {words->formats[0], WL_FORMAT_F16, WL_FORMAT_F16,
                                        words->formats[1]};
    if (words->format_count == 4)
        memcpy(formats, words->formats, sizeof formats);
    if ((words->format_count != 2 && words->format_count != 4) || words->flags & WL_MATRIX_SPARSE)
        lower_unsupported(lowering);
    else
        multiply(lowering, instruction, words, formats);
}

/* wmma.load, wmma.store */
static void move_fragment(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                          const struct matrix_words *words, enum wl_matrix_role role, bool is_load)
{
    if (words->format_count != 1 || words->layout_count != 1 || instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    const struct wl_ptx_operand *vector = &operands[is_load ? 0 : 1],
                                *address = &operands[is_load ? 1 : 0];
    enum wl_matrix_format format = words->formats[0];
    uint32_t needed = fragment_registers(words, role, format), registers[WMMA_REGISTERS_MAX];
    uint32_t base, rows = role == WL_MATRIX_B ? words->n : words->m,
                   columns = role == WL_MATRIX_C ? words->n : words->k;
    uint8_t used = 0;
    int64_t offset;
    enum wl_ptx_space space = lower_space_of(instruction);
    uint32_t count = operand_items(vector);
    bool is_column = words->is_column[0];
    /* B counts as n rows of k: its column-major order is the row-major one of A */
    bool is_transposed = role == WL_MATRIX_B ? !is_column : is_column;
    bool is_split = wl_matrix_format_bits(format) < 8 && is_transposed;
    if (needed == 0 || count % needed || is_split ||
        !lower_address(lowering, address, &space, &base, &offset) ||
        !add_registers(lowering, vector, count, format, is_load, registers, &used)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t dimension =
        instruction->operand_count > 2
            ? lower_source(lowering, &operands[2], WL_CLASS_32, WL_PTX_U32)
            : lower_constant(lowering, WL_CLASS_32, is_transposed ? rows : columns);
    enum wl_site_space site_space = lower_site_space(space);
    uint32_t site = lower_new_site(lowering, site_space, is_load ? WL_SITE_LOAD : WL_SITE_STORE);
    uint8_t uses = (uint8_t)(FIELD_B | (base == NO_REGISTER ? 0 : FIELD_A));
    struct wl_op *op =
        lower_emit_list(lowering, is_load ? WL_OP_FRAGMENT_LOAD : WL_OP_FRAGMENT_STORE, uses,
                        registers, is_load ? used : 0, is_load ? 0 : used);
    op->b = dimension;
    op->d = WL_FRAGMENT(rows, columns, role, is_transposed, site_space);
    op->kind = (uint8_t)format;
    op->count = (uint8_t)count;
    op->site = site;
    lower_set_address(lowering, op, base, offset);
    set_row(lowering, WL_PIPE_LSU, WL_CLASS_MEMORY);
}

FAMILY(wmma)
{
    static const char *const actions[] = {"mma", "load", "store"};
    static const char *const roles[] = {"a", "b", "c", "d"};
    struct matrix_words words;
    if (!read_words(lowering, instruction, &words))
        return;
    int action = lower_choose(instruction, actions, WL_COUNT(actions));
    int role = lower_choose(instruction, roles, WL_COUNT(roles));
    if (action == 0)
        wmma_multiply(lowering, instruction, &words);
    else if (action > 0 && role >= 0)
        move_fragment(lowering, instruction, &words,
                      role > WL_MATRIX_C ? WL_MATRIX_C : (enum wl_matrix_role)role, action == 1);
    else
        lower_unsupported(lowering);
}

/* ---- 8x8 tiles ---- */

static void move_tiles(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                       bool is_load)
{
    static const char *const counts[] = {"x1", "x2", "x4"};
    const struct wl_ptx_operand *operands = instruction->operands;
    int chosen = lower_choose(instruction, counts, WL_COUNT(counts));
    uint32_t registers[WMMA_REGISTERS_MAX], base, count = chosen < 0 ? 0 : 1u << chosen;
    uint8_t used = 0;
    int64_t offset;
    enum wl_ptx_space space = lower_space_of(instruction);
    bool is_known = count && instruction->operand_count == 2 &&
                    wl_ptx_instruction_has(instruction, "m8n8") &&
                    wl_ptx_instruction_has(instruction, "b16");
    if (!is_known || !lower_address(lowering, &operands[is_load ? 1 : 0], &space, &base, &offset) ||
        !add_registers(lowering, &operands[is_load ? 0 : 1], count, WL_FORMAT_F16, is_load,
                       registers, &used)) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_site_space site_space = lower_site_space(space);
    uint32_t site = lower_new_site(lowering, site_space, is_load ? WL_SITE_LOAD : WL_SITE_STORE);
    struct wl_op *op = lower_emit_list(lowering, is_load ? WL_OP_TILE_LOAD : WL_OP_TILE_STORE,
                                       base == NO_REGISTER ? 0 : FIELD_A, registers,
                                       is_load ? used : 0, is_load ? 0 : used);
    op->d = site_space;
    op->count = (uint8_t)count;
    op->kind = wl_ptx_instruction_has(instruction, "trans");
    op->site = site;
    lower_set_address(lowering, op, base, offset);
}

FAMILY(ldmatrix)
{
    move_tiles(lowering, instruction, true);
}

FAMILY(stmatrix)
{
    move_tiles(lowering, instruction, false);
}

FAMILY(movmatrix)
{
    if (instruction->operand_count != 2) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t a = lower_source(lowering, &instruction->operands[1], WL_CLASS_32, WL_PTX_B32);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_TILE_TRANSPOSE, dst, a, NO_REGISTER, NO_REGISTER);
}
