/* atom and red of halves, vectors, 16 and 128 bits. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/lower_memory.h"

struct list_row {
    const char *word;
    enum wl_ptx_type type;
    enum wl_atomic kind;
    uint8_t elements, width_bytes; /* of one unit: as many as vN says */
};

static const struct list_row list_rows[] = {
    {"add", WL_PTX_F16, WL_ATOMIC_ADD_F16, 1, 2},
    {"add", WL_PTX_BF16, WL_ATOMIC_ADD_BF16, 1, 2},
    {"add", WL_PTX_F16X2, WL_ATOMIC_ADD_F16X2, 1, 4},
    {"add", WL_PTX_BF16X2, WL_ATOMIC_ADD_BF16X2, 1, 4},
    {"add", WL_PTX_F32, WL_ATOMIC_LIST_ADD_F32, 1, 4},
    {"min", WL_PTX_F16, WL_ATOMIC_MIN_F16, 1, 2},
    {"max", WL_PTX_F16, WL_ATOMIC_MAX_F16, 1, 2},
    {"min", WL_PTX_BF16, WL_ATOMIC_MIN_BF16, 1, 2},
    {"max", WL_PTX_BF16, WL_ATOMIC_MAX_BF16, 1, 2},
    {"min", WL_PTX_F16X2, WL_ATOMIC_MIN_F16X2, 1, 4},
    {"max", WL_PTX_F16X2, WL_ATOMIC_MAX_F16X2, 1, 4},
    {"min", WL_PTX_BF16X2, WL_ATOMIC_MIN_BF16X2, 1, 4},
    {"max", WL_PTX_BF16X2, WL_ATOMIC_MAX_BF16X2, 1, 4},
    {"cas", WL_PTX_B16, WL_ATOMIC_CAS_B16, 1, 2},
    {"exch", WL_PTX_B128, WL_ATOMIC_EXCH_B128, 2, 8},
    {"cas", WL_PTX_B128, WL_ATOMIC_CAS_B128, 2, 8},
};

static int vector_length(const struct wl_ptx_instruction *instruction)
{
    static const char *const words[] = {"v2", "v4", "v8"};
    int chosen = lower_choose(instruction, words, WL_COUNT(words));
    return chosen < 0 ? 1 : 2 << chosen;
}

static const struct list_row *find_row(const struct wl_ptx_instruction *instruction)
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    for (size_t i = 0; i < WL_COUNT(list_rows); i++)
        if (list_rows[i].type == type && wl_ptx_instruction_has(instruction, list_rows[i].word))
            return &list_rows[i];
    return NULL;
}

bool lower_is_atomic_list(const struct wl_ptx_instruction *instruction)
{
    const struct list_row *row = find_row(instruction);
    return row && (row->type != WL_PTX_F32 || vector_length(instruction) > 1);
}

/* The registers of a vector, of a pair that holds 128 bits, or of one value. */
static bool add_elements(struct lowering *lowering, const struct wl_ptx_operand *operand,
                         const struct list_row *row, uint32_t count, bool is_destination,
                         uint32_t *registers, uint8_t *used)
{
    struct wl_ptx_operand halves[2], pair;
    if (row->type == WL_PTX_B128 && !lower_split_wide(lowering, operand, halves, &pair))
        return false;
    if (row->type == WL_PTX_B128)
        operand = &pair;
    uint32_t have = operand->kind == WL_PTX_OPERAND_VECTOR ? operand->item_count : 1;
    if (have != count) {
        lower_unsupported(lowering);
        return false;
    }
    enum wl_operand_class operand_class = row->width_bytes == 8 ? WL_CLASS_64 : WL_CLASS_32;
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_ptx_operand *item =
            operand->kind == WL_PTX_OPERAND_VECTOR ? &operand->items[i] : operand;
        registers[(*used)++] = is_destination
                                   ? lower_destination(lowering, item, operand_class)
                                   : lower_source(lowering, item, operand_class, row->type);
    }
    return !lowering->code;
}

static bool is_result_read(const struct lowering *lowering, const struct wl_ptx_operand *operand)
{
    if (operand->kind == WL_PTX_OPERAND_REGISTER)
        return lower_is_read(lowering, operand->reg);
    for (uint32_t i = 0; i < operand->item_count; i++)
        if (is_result_read(lowering, &operand->items[i]))
            return true;
    return false;
}

/* Sums of pairs of 16 bits stay atomics with a result, though nobody reads it: an H200 counts no
 * reduction for atomicAdd of __half2 and __nv_bfloat162. */
static bool keeps_result(const struct list_row *row)
{
    return row->kind == WL_ATOMIC_ADD_F16X2 || row->kind == WL_ATOMIC_ADD_BF16X2;
}

void lower_atomic_list(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct list_row *row = find_row(instruction);
    const struct wl_ptx_operand *operands = instruction->operands;
    bool has_destination = strcmp(instruction->opcode, "atom") == 0;
    int first = has_destination ? 1 : 0;
    bool is_swap = row->kind == WL_ATOMIC_CAS_B16 || row->kind == WL_ATOMIC_CAS_B128;
    uint32_t count = row->elements * (uint32_t)vector_length(instruction), base, registers[24];
    enum wl_ptx_space space = lower_space_of(instruction);
    int64_t offset;
    uint8_t used = 0, defs = 0;
    if (instruction->operand_count < first + 2 + is_swap || count * row->width_bytes > 16 ||
        !lower_address(lowering, &operands[first], &space, &base, &offset)) {
        lower_unsupported(lowering);
        return;
    }
    bool is_used =
        has_destination && ((keeps_result(row) && operands[0].kind == WL_PTX_OPERAND_REGISTER) ||
                            is_result_read(lowering, &operands[0]));
    if (is_used && !add_elements(lowering, &operands[0], row, count, true, registers, &used))
        return;
    defs = used;
    for (int i = 0; i < 1 + is_swap; i++)
        if (!add_elements(lowering, &operands[first + 1 + i], row, count, false, registers, &used))
            return;
    enum wl_site_space site_space = lower_site_space(space);
    uint32_t site =
        lower_new_site(lowering, site_space, is_used ? WL_SITE_ATOMIC : WL_SITE_REDUCTION);
    struct wl_op *op =
        lower_emit_list(lowering, WL_OP_ATOMIC_LIST, base == NO_REGISTER ? 0 : FIELD_A, registers,
                        defs, (uint8_t)(used - defs));
    op->d = site_space;
    op->site = site;
    op->kind = (uint8_t)row->kind;
    op->spare = lower_order(instruction, true) | lower_turn(lowering);
    op->width_bytes = row->width_bytes;
    op->count = (uint8_t)count;
    op->flags = is_used ? WL_OPF_RESULT : 0;
    lower_set_address(lowering, op, base, offset);
    if (space != WL_PTX_SPACE_SHARED)
        lowering->program->blocks_communicate = true;
}

bool lower_split_wide(struct lowering *lowering, const struct wl_ptx_operand *operand,
                      struct wl_ptx_operand halves[2], struct wl_ptx_operand *pair)
{
    static const struct wl_ptx_operand none = {
        .kind = WL_PTX_OPERAND_SINK, .reg = -1, .second_reg = -1, .target = -1};
    halves[0] = halves[1] = *pair = none;
    if (operand->kind != WL_PTX_OPERAND_REGISTER && operand->kind != WL_PTX_OPERAND_SINK) {
        lower_unsupported(lowering);
        return false;
    }
    pair->kind = WL_PTX_OPERAND_VECTOR;
    pair->items = halves;
    pair->item_count = 2;
    if (operand->kind == WL_PTX_OPERAND_SINK)
        return true;
    uint32_t upper = lowering->registers.items[lower_register_of(lowering, operand->reg)].upper;
    if (upper == 0) {
        lower_fail(lowering, WL_ERR_INPUT, "operand of the wrong size in %s",
                   lowering->instructions.items[lowering->instruction_index].text);
        return false;
    }
    halves[0].kind = halves[1].kind = WL_PTX_OPERAND_REGISTER;
    halves[0].reg = operand->reg;
    halves[1].reg = (int32_t)(upper - lowering->instance->register_base);
    return true;
}
