/* The family of tensormap: fields of a tensor map, as warp/tensor_map.h has it, are replaced by
 * stores, and what is made in shared memory is copied by the warp's first lane. */
#include <stddef.h>
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"
#include "warp/tensor_map.h"

/* The fields that can be replaced here: PTX ISA, tensormap.replace. */
static const struct field {
    const char *word;
    size_t offset_bytes, item_bytes;
    uint32_t count; /* 0: it has no ordinal */
} fields[] = {
    {"global_address", offsetof(struct wl_tensor_map, address), 8, 0},
    {"global_dim", offsetof(struct wl_tensor_map, size), 4, WL_TENSOR_RANK_MOST},
    {"global_stride", offsetof(struct wl_tensor_map, stride_bytes), 8, WL_TENSOR_RANK_MOST - 1},
};

static const struct field *find_field(const struct wl_ptx_instruction *instruction)
{
    for (size_t i = 0; i < WL_COUNT(fields); i++)
        if (wl_ptx_instruction_has(instruction, fields[i].word))
            return &fields[i];
    return NULL;
}

/* `replace.tile.FIELD{.SPACE}.b1024.TYPE [map], ordinal, value`: a store of that type. Before
 * PTX 8.5 strides were in units of 16 bytes. */
static bool replace(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct field *field = find_field(instruction);
    const struct wl_ptx_module *module = lowering->instance->module;
    const uint32_t version = module->version_major * 100 + module->version_minor;
    const int value = field && field->count ? 2 : 1;
    if (!field || instruction->operand_count != value + 1 || instruction->modifier_count < 5 ||
        instruction->operands[0].kind != WL_PTX_OPERAND_ADDRESS ||
        (strcmp(field->word, "global_stride") == 0 && version < 805))
        return false;
    const int64_t ordinal = field->count ? instruction->operands[1].integer : 0;
    if (ordinal < 0 || (field->count && ordinal >= field->count))
        return false;
    struct wl_ptx_operand operands[2] = {instruction->operands[0], instruction->operands[value]};
    operands[0].integer += (int64_t)field->offset_bytes + ordinal * (int64_t)field->item_bytes;
    struct wl_ptx_instruction store = *instruction;
    store.modifier_count = 0;
    if (strcmp(instruction->modifiers[3], "b1024") !=
        0) /* without a space the address is generic */
        store.modifiers[store.modifier_count++] = instruction->modifiers[3];
    store.modifiers[store.modifier_count++] =
        instruction->modifiers[instruction->modifier_count - 1];
    store.operands = operands;
    store.operand_count = 2;
    lower_store(lowering, &store);
    return true;
}

/* `cp_fenceproxy.global.shared::cta.... [to], [from], 128`. */
static bool copy(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    uint32_t base;
    int64_t offset;
    if (instruction->operand_count != 3 ||
        operands[2].integer != (int64_t)sizeof(struct wl_tensor_map) ||
        !lower_address(lowering, &operands[1], &space, &base, &offset))
        return false;
    const uint32_t to = lower_address_register(lowering, &operands[0], WL_PTX_SPACE_GLOBAL);
    const uint32_t size = lower_source(lowering, &operands[2], WL_CLASS_32, WL_PTX_U32);
    const uint32_t site = lower_new_site(lowering, WL_SITE_GLOBAL, WL_SITE_STORE);
    struct wl_op *op =
        lower_emit(lowering, WL_OP_COPY_BULK, 0,
                   (uint8_t)(FIELD_B | FIELD_C | (base == NO_REGISTER ? 0 : FIELD_A)));
    op->b = to;
    op->c = size;
    op->d = NO_REGISTER;
    op->site = site;
    op->kind = WL_BULK_TO_GLOBAL;
    op->count = 1;
    lower_set_address(lowering, op, base, offset);
    return true;
}

FAMILY(tensormap)
{
    const bool is_known =
        wl_ptx_instruction_has(instruction, "replace")
            ? replace(lowering, instruction)
            : wl_ptx_instruction_has(instruction, "cp_fenceproxy") && copy(lowering, instruction);
    if (!is_known)
        lower_unsupported(lowering);
}
