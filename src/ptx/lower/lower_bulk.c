/* Copies in bulk: runs of bytes and boxes of tensors. A copy is done at once; the barrier object
 * that is to know of it is told behind it. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"
#include "warp/tensor_map.h"

/* What the words of a copy say. */
struct bulk_words {
    enum wl_bulk_direction direction;
    bool tells_barrier, is_multicast;
    uint32_t rank; /* of a tensor; 0: a run of bytes */
    bool reduces;
    int reduction;         /* in reduction_words */
    enum wl_ptx_type type; /* of its elements, of a run */
};

/* In the order of enum wl_bulk_reduction. */
static const char *const reduction_words[] = {"add", "min", "max", "inc",
                                              "dec", "and", "or",  "xor"};

/* Of runs of bytes: PTX ISA, cp.reduce.async.bulk. */
static const struct {
    const char *word;
    enum wl_ptx_type type;
    enum wl_atomic kind;
} reduction_rows[] = {
    {"add", WL_PTX_U32, WL_ATOMIC_ADD_U32},   {"add", WL_PTX_S32, WL_ATOMIC_ADD_U32},
    {"add", WL_PTX_U64, WL_ATOMIC_ADD_U64},   {"add", WL_PTX_F32, WL_ATOMIC_ADD_FTZ_F32},
    {"add", WL_PTX_F64, WL_ATOMIC_ADD_F64},   {"add", WL_PTX_F16, WL_ATOMIC_ADD_F16},
    {"add", WL_PTX_BF16, WL_ATOMIC_ADD_BF16}, {"min", WL_PTX_U32, WL_ATOMIC_MIN_U32},
    {"min", WL_PTX_S32, WL_ATOMIC_MIN_S32},   {"min", WL_PTX_U64, WL_ATOMIC_MIN_U64},
    {"min", WL_PTX_S64, WL_ATOMIC_MIN_S64},   {"min", WL_PTX_F16, WL_ATOMIC_MIN_F16},
    {"min", WL_PTX_BF16, WL_ATOMIC_MIN_BF16}, {"max", WL_PTX_U32, WL_ATOMIC_MAX_U32},
    {"max", WL_PTX_S32, WL_ATOMIC_MAX_S32},   {"max", WL_PTX_U64, WL_ATOMIC_MAX_U64},
    {"max", WL_PTX_S64, WL_ATOMIC_MAX_S64},   {"max", WL_PTX_F16, WL_ATOMIC_MAX_F16},
    {"max", WL_PTX_BF16, WL_ATOMIC_MAX_BF16}, {"inc", WL_PTX_U32, WL_ATOMIC_INC_U32},
    {"dec", WL_PTX_U32, WL_ATOMIC_DEC_U32},   {"and", WL_PTX_B32, WL_ATOMIC_AND_B32},
    {"and", WL_PTX_B64, WL_ATOMIC_AND_B64},   {"or", WL_PTX_B32, WL_ATOMIC_OR_B32},
    {"or", WL_PTX_B64, WL_ATOMIC_OR_B64},     {"xor", WL_PTX_B32, WL_ATOMIC_XOR_B32},
    {"xor", WL_PTX_B64, WL_ATOMIC_XOR_B64},
};

/* The atomic and 1; 0: there is none. */
static uint16_t run_reduction(const struct bulk_words *words)
{
    for (size_t i = 0; i < WL_COUNT(reduction_rows); i++)
        if (reduction_rows[i].type == words->type && words->reduction >= 0 &&
            strcmp(reduction_rows[i].word, reduction_words[words->reduction]) == 0)
            return (uint16_t)(reduction_rows[i].kind + 1);
    return 0;
}

static bool is_shared(const char *word)
{
    return strncmp(word, "shared", 6) == 0;
}

static bool read_words(const struct wl_ptx_instruction *instruction, struct bulk_words *words)
{
    static const char *const known[] = {"async",  "bulk",        "tensor",
                                        "tile",   "global",      "bulk_group",
                                        "shared", "shared::cta", "shared::cluster"};
    static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
    const char *places[2] = {NULL, NULL};
    *words = (struct bulk_words){
        .rank = (uint32_t)lower_choose(instruction, ranks, 5) + 1,
        .reduces = wl_ptx_instruction_has(instruction, "reduce"),
        .reduction = lower_choose(instruction, reduction_words, WL_COUNT(reduction_words)),
        .type = lower_type(instruction, 0)};
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        bool is_known = strncmp(word, "L2::", 4) == 0;
        for (size_t k = 0; k < WL_COUNT(known); k++)
            is_known |= strcmp(word, known[k]) == 0;
        is_known |= words->rank && strcmp(word, ranks[words->rank - 1]) == 0;
        is_known |=
            words->reduces &&
            (strcmp(word, "reduce") == 0 || strcmp(word, "noftz") == 0 ||
             wl_ptx_type_from_name(word) != WL_PTX_TYPE_NONE ||
             (words->reduction >= 0 && strcmp(word, reduction_words[words->reduction]) == 0));
        if (strcmp(word, "mbarrier::complete_tx::bytes") == 0)
            is_known = words->tells_barrier = true;
        if (strcmp(word, "multicast::cluster") == 0)
            is_known = words->is_multicast = true;
        if (is_shared(word) || strcmp(word, "global") == 0)
            places[places[0] != NULL] = word;
        if (!is_known)
            return false;
    }
    if (!places[0] || !places[1])
        return false;
    words->direction = !is_shared(places[0])  ? WL_BULK_TO_GLOBAL
                       : is_shared(places[1]) ? WL_BULK_TO_PEER
                                              : WL_BULK_TO_SHARED;
    const bool is_store = words->direction == WL_BULK_TO_GLOBAL;
    if (words->reduces && (words->direction == WL_BULK_TO_SHARED || words->reduction < 0 ||
                           (!words->rank && !run_reduction(words))))
        return false;
    return words->tells_barrier != is_store && !(is_store && is_shared(places[0])) &&
           !(words->rank && words->direction == WL_BULK_TO_PEER) &&
           !(words->is_multicast && words->direction != WL_BULK_TO_SHARED);
}

/* An address of shared memory in a register of 32 bits. */
static uint32_t shared_register(struct lowering *lowering, const struct wl_ptx_operand *operand)
{
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, operand, &space, &base, &offset))
        return lower_new_register(lowering, WL_CLASS_32);
    if (base == NO_REGISTER)
        return lower_constant(lowering, WL_CLASS_32, (uint64_t)offset);
    if (lower_register_class(lowering, base) == WL_CLASS_64) {
        uint32_t low = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_CVT_B32_B64, low, base, NO_REGISTER, NO_REGISTER);
        base = low;
    }
    uint32_t sum = lower_new_register(lowering, WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_ADD_I32, sum, base,
                     lower_constant(lowering, WL_CLASS_32, (uint64_t)offset), NO_REGISTER);
    return sum;
}

/* The barrier object that gets the bytes, of each block of the mask where there is one. */
static void tell(struct lowering *lowering, const struct wl_ptx_operand *object, uint32_t bytes,
                 uint32_t mask)
{
    lower_act_on_barrier(lowering, object, WL_BARRIER_COMPLETE, bytes, NO_REGISTER);
    struct lowered *last = &lowering->ops.items[lowering->ops.count - 1];
    last->op.flags |= WL_OPF_BYPASS_L1;
    last->op.c = mask;
    last->uses |= mask == NO_REGISTER ? 0 : FIELD_C;
}

static uint32_t mask_of(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                        const struct bulk_words *words, int at)
{
    return words->is_multicast
               ? lower_source(lowering, &instruction->operands[at], WL_CLASS_32, WL_PTX_U16)
               : NO_REGISTER;
}

static uint32_t new_site(struct lowering *lowering, const struct bulk_words *words)
{
    return lower_new_site(lowering, WL_SITE_GLOBAL,
                          words->direction == WL_BULK_TO_SHARED ? WL_SITE_COPY : WL_SITE_STORE);
}

/* Operands: to, from, size, the barrier, the mask, a cache policy that changes nothing here. */
static void copy_run(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                     const struct bulk_words *words)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    const bool is_load = words->direction == WL_BULK_TO_SHARED;
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, &operands[is_load ? 0 : 1], &space, &base, &offset))
        return;
    uint32_t other =
        words->direction == WL_BULK_TO_PEER
            ? shared_register(lowering, &operands[0])
            : lower_address_register(lowering, &operands[is_load ? 1 : 0], WL_PTX_SPACE_GLOBAL);
    uint32_t size = lower_source(lowering, &operands[2], WL_CLASS_32, WL_PTX_U32);
    uint32_t mask = mask_of(lowering, instruction, words, 4);
    uint32_t site = new_site(lowering, words);
    struct wl_op *op =
        lower_emit(lowering, WL_OP_COPY_BULK, 0,
                   (uint8_t)(FIELD_B | FIELD_C | (base == NO_REGISTER ? 0 : FIELD_A) |
                             (mask == NO_REGISTER ? 0 : FIELD_D)));
    op->b = other;
    op->c = size;
    op->d = mask;
    op->site = site;
    op->kind = (uint8_t)words->direction;
    op->spare = words->reduces ? run_reduction(words) : 0;
    op->width_bytes = words->reduces ? (uint8_t)wl_ptx_type_bytes(words->type) : 0;
    lower_set_address(lowering, op, base, offset);
    lowering->program->blocks_communicate |= words->reduces;
    if (words->tells_barrier)
        tell(lowering, &operands[3], size, mask);
}

/* `[map, {coordinates}]`: the map's address, and the coordinates behind the first of the list. */
static bool read_place(struct lowering *lowering, const struct wl_ptx_operand *operand,
                       uint32_t rank, uint32_t *map, uint32_t *list)
{
    if (operand->kind != WL_PTX_OPERAND_VECTOR || operand->item_count != 2)
        return false;
    const struct wl_ptx_operand *vector = &operand->items[1];
    const bool is_vector = vector->kind == WL_PTX_OPERAND_VECTOR;
    if ((is_vector ? vector->item_count : 1) != rank)
        return false;
    *map = lower_address_register(lowering, &operand->items[0], WL_PTX_SPACE_NONE);
    for (uint32_t i = 0; i < rank; i++)
        list[1 + i] =
            lower_source(lowering, is_vector ? &vector->items[i] : vector, WL_CLASS_32, WL_PTX_S32);
    return true;
}

/* Operands: to, from, the barrier, the mask; a place in the tensor for one of the first two. */
static void copy_tensor(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                        const struct bulk_words *words)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    const bool is_load = words->direction == WL_BULK_TO_SHARED;
    uint32_t list[1 + WL_TENSOR_RANK_MOST], map, base;
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    int64_t offset;
    list[0] = lower_new_register(lowering, WL_CLASS_32);
    if (!read_place(lowering, &operands[is_load ? 1 : 0], words->rank, &map, list) ||
        !lower_address(lowering, &operands[is_load ? 0 : 1], &space, &base, &offset)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t mask = mask_of(lowering, instruction, words, 3);
    uint32_t site = new_site(lowering, words);
    struct wl_op *op = lower_emit_list(lowering, WL_OP_COPY_TENSOR,
                                       (uint8_t)(FIELD_B | (base == NO_REGISTER ? 0 : FIELD_A) |
                                                 (mask == NO_REGISTER ? 0 : FIELD_C)),
                                       list, 1, (uint8_t)words->rank);
    op->b = map;
    op->c = mask;
    op->count = (uint8_t)words->rank;
    op->spare = words->reduces ? (uint16_t)(WL_BULK_ADD + words->reduction) : 0;
    lowering->program->blocks_communicate |= words->reduces;
    op->site = site;
    op->kind = (uint8_t)words->direction;
    lower_set_address(lowering, op, base, offset);
    if (words->tells_barrier)
        tell(lowering, &operands[2], list[0], mask);
}

void lower_bulk(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    struct bulk_words words;
    if (wl_ptx_instruction_has(instruction, "prefetch")) {
        lower_emit(lowering, WL_OP_WARP_SYNC, 0, 0);
        return;
    }
    const bool is_known = read_words(instruction, &words);
    const int least = (words.rank ? 2 : 3) + words.tells_barrier + words.is_multicast;
    if (!is_known || instruction->operand_count < least)
        lower_unsupported(lowering);
    else if (words.rank)
        copy_tensor(lowering, instruction, &words);
    else
        copy_run(lowering, instruction, &words);
}
