/* Families of asynchronous instructions: cp.async and mbarrier. A copy is done at once, which its
 * program cannot tell from one that is done when it waits for it. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

static void set_row(struct lowering *lowering, enum wl_pipe pipe, enum wl_class instruction_class)
{
    struct wl_program_instruction *row = &lowering->instructions.items[lowering->instruction_index];
    row->pipe = pipe;
    row->instruction_class = (uint8_t)instruction_class;
}

/* True if all modifiers are among the words or are hints to a cache. */
static bool has_only(const struct wl_ptx_instruction *instruction, const char *const *words,
                     size_t count)
{
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        bool is_known = strncmp(word, "L2::", 4) == 0;
        for (size_t k = 0; k < count; k++)
            is_known |= strcmp(word, words[k]) == 0;
        if (!is_known)
            return false;
    }
    return true;
}

/* How many bytes are read where the fourth operand says so: NO_REGISTER if all. */
static uint32_t copy_size(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                          uint32_t width_bytes)
{
    if (instruction->operand_count < 4)
        return NO_REGISTER;
    const struct wl_ptx_operand *operand = &instruction->operands[3];
    enum wl_operand_class operand_class = WL_CLASS_32;
    if (operand->kind == WL_PTX_OPERAND_REGISTER)
        operand_class = lower_register_class(lowering, lower_register_of(lowering, operand->reg));
    if (operand_class == WL_CLASS_64) /* a cache policy */
        return NO_REGISTER;
    if (operand_class == WL_CLASS_32)
        return lower_source(lowering, operand, WL_CLASS_32, WL_PTX_U32);
    uint32_t ignored = lower_predicate(lowering, operand);
    uint32_t none = lower_constant(lowering, WL_CLASS_32, 0);
    uint32_t all = lower_constant(lowering, WL_CLASS_32, width_bytes);
    uint32_t size = lower_new_register(lowering, WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_SELECT_32, size, none, all, ignored);
    if (operand->negated)
        lowering->ops.items[lowering->ops.count - 1].op.flags = WL_OPF_NEGATED;
    return size;
}

uint32_t lower_address_register(struct lowering *lowering, const struct wl_ptx_operand *operand,
                                enum wl_ptx_space space)
{
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, operand, &space, &base, &offset))
        return lower_new_register(lowering, WL_CLASS_64);
    if (base == NO_REGISTER)
        return lower_constant(lowering, WL_CLASS_64, (uint64_t)offset);
    if (lower_register_class(lowering, base) != WL_CLASS_64) {
        lower_unsupported(lowering);
        return base;
    }
    if (offset == 0)
        return base;
    uint32_t sum = lower_new_register(lowering, WL_CLASS_64);
    struct wl_op *op = lower_emit(lowering, WL_OP_ADD_I64_I, FIELD_DST, FIELD_A);
    op->dst = sum;
    op->a = base;
    op->imm = offset;
    return sum;
}

static void copy_bytes(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    uint64_t width_bytes = 0;
    bool is_good = instruction->operand_count >= 3 &&
                   lower_literal(&operands[2], WL_PTX_U32, &width_bytes) &&
                   (width_bytes == 4 || width_bytes == 8 || width_bytes == 16);
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    uint32_t base;
    int64_t offset;
    if (!is_good || !lower_address(lowering, &operands[0], &space, &base, &offset)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t source = lower_address_register(lowering, &operands[1], WL_PTX_SPACE_GLOBAL);
    uint32_t size = copy_size(lowering, instruction, (uint32_t)width_bytes);
    uint32_t site = lower_new_site(lowering, WL_SITE_GLOBAL, WL_SITE_COPY);
    struct wl_op *op = lower_emit(lowering, WL_OP_COPY_ASYNC, 0,
                                  (uint8_t)(FIELD_B | (base == NO_REGISTER ? 0 : FIELD_A) |
                                            (size == NO_REGISTER ? 0 : FIELD_C)));
    op->b = source;
    op->c = size;
    op->site = site;
    op->width_bytes = (uint8_t)width_bytes;
    op->count = 1;
    op->flags = wl_ptx_instruction_has(instruction, "cg") ? WL_OPF_BYPASS_L1 : 0;
    lower_set_address(lowering, op, base, offset);
}

void lower_act_on_barrier(struct lowering *lowering, const struct wl_ptx_operand *address,
                          enum wl_barrier_action action, uint32_t b, uint32_t dst)
{
    enum wl_ptx_space space = WL_PTX_SPACE_SHARED;
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, address, &space, &base, &offset))
        return;
    bool is_store = action <= WL_BARRIER_INVALIDATE, is_load = action >= WL_BARRIER_TEST;
    uint32_t site = lower_new_site(lowering, WL_SITE_SHARED,
                                   is_store  ? WL_SITE_STORE
                                   : is_load ? WL_SITE_LOAD
                                             : WL_SITE_ATOMIC);
    lowering->sites.items[site].is_object = true;
    struct wl_op *op =
        lower_emit(lowering, WL_OP_BARRIER_OBJECT, dst == NO_REGISTER ? 0 : FIELD_DST,
                   (uint8_t)(FIELD_B | (base == NO_REGISTER ? 0 : FIELD_A)));
    op->dst = dst;
    op->b = b;
    op->kind = (uint8_t)action;
    op->site = site;
    op->flags = dst == NO_REGISTER ? 0 : WL_OPF_RESULT;
    lower_set_address(lowering, op, base, offset);
}

/* Bulk copies have groups of their own, which nothing here looks at. */
static void await_copies(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    uint64_t groups = 0;
    bool is_bulk = wl_ptx_instruction_has(instruction, "bulk");
    bool is_all = wl_ptx_instruction_has(instruction, "wait_all");
    if (wl_ptx_instruction_has(instruction, "commit_group")) {
        lower_emit(lowering, WL_OP_WARP_SYNC, 0, 0)->kind =
            is_bulk ? WL_WARP_SYNC_NONE : WL_WARP_SYNC_COMMIT;
        return;
    }
    if (instruction->operand_count > 0)
        lower_literal(&instruction->operands[0], WL_PTX_U32, &groups);
    struct wl_op *op = lower_emit(lowering, WL_OP_YIELD, 0, 0);
    op->kind = is_bulk ? WL_AWAIT_NONE : is_all ? WL_AWAIT_COPIES : WL_AWAIT_GROUPS;
    op->imm = is_all ? -1 : (int64_t)groups;
}

FAMILY(copy)
{
    static const char *const words[] = {
        "async",      "bulk",     "ca",       "cg",    "shared",         "shared::cta",
        "global",     "mbarrier", "arrive",   "noinc", "bulk_group",     "commit_group",
        "wait_group", "read",     "wait_all", "b64",   "shared::cluster"};
    const bool is_wait = wl_ptx_instruction_has(instruction, "commit_group") ||
                         wl_ptx_instruction_has(instruction, "wait_group");
    if (wl_ptx_instruction_has(instruction, "bulk") && !is_wait) {
        lower_bulk(lowering, instruction);
    } else if (!has_only(instruction, words, WL_COUNT(words))) {
        lower_unsupported(lowering);
    } else if (wl_ptx_instruction_has(instruction, "mbarrier")) {
        /* without noinc, it counts up the arrivals that the phase waits for, then arrives */
        if (wl_ptx_instruction_has(instruction, "noinc") && instruction->operand_count == 1)
            lower_act_on_barrier(lowering, &instruction->operands[0], WL_BARRIER_ARRIVE,
                                 lower_constant(lowering, WL_CLASS_32, 1), NO_REGISTER);
        else
            lower_emit(lowering, WL_OP_WARP_SYNC, 0, 0)->kind = WL_WARP_SYNC_TELL;
    } else if (wl_ptx_instruction_has(instruction, "global")) {
        copy_bytes(lowering, instruction);
    } else {
        await_copies(lowering, instruction);
        set_row(lowering, WL_PIPE_CBU, WL_CLASS_OTHER);
    }
}

struct action_row {
    const char *word;
    enum wl_barrier_action action, with_bytes, with_parity;
    bool has_result;
};

static const struct action_row action_rows[] = {
    {"init", WL_BARRIER_INIT, WL_BARRIER_INIT, WL_BARRIER_INIT, false},
    {"inval", WL_BARRIER_INVALIDATE, WL_BARRIER_INVALIDATE, WL_BARRIER_INVALIDATE, false},
    {"arrive", WL_BARRIER_ARRIVE, WL_BARRIER_ARRIVE_EXPECT, WL_BARRIER_ARRIVE, true},
    {"arrive_drop", WL_BARRIER_DROP, WL_BARRIER_DROP_EXPECT, WL_BARRIER_DROP, true},
    {"test_wait", WL_BARRIER_TEST, WL_BARRIER_TEST, WL_BARRIER_TEST_PARITY, true},
    {"try_wait", WL_BARRIER_TRY, WL_BARRIER_TRY, WL_BARRIER_TRY_PARITY, true},
    {"expect_tx", WL_BARRIER_EXPECT, WL_BARRIER_EXPECT, WL_BARRIER_EXPECT, false},
    {"complete_tx", WL_BARRIER_COMPLETE, WL_BARRIER_COMPLETE, WL_BARRIER_COMPLETE, false},
};

static void pending_count(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    if (instruction->operand_count != 2) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t token = lower_source(lowering, &instruction->operands[1], WL_CLASS_64, WL_PTX_B64);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_BARRIER_PENDING, dst, token, NO_REGISTER, NO_REGISTER);
    set_row(lowering, WL_PIPE_ALU, WL_CLASS_INTEGER);
}

/* The operand after the address: a count, a token or a parity. */
static uint32_t barrier_value(struct lowering *lowering,
                              const struct wl_ptx_instruction *instruction, int at,
                              enum wl_barrier_action action)
{
    bool is_token = action == WL_BARRIER_TEST || action == WL_BARRIER_TRY;
    if (at < instruction->operand_count)
        return lower_source(lowering, &instruction->operands[at],
                            is_token ? WL_CLASS_64 : WL_CLASS_32,
                            is_token ? WL_PTX_B64 : WL_PTX_U32);
    bool has_default =
        action == WL_BARRIER_INVALIDATE || action == WL_BARRIER_ARRIVE || action == WL_BARRIER_DROP;
    if (!has_default)
        lower_unsupported(lowering);
    return lower_constant(lowering, WL_CLASS_32, 1);
}

FAMILY(mbarrier)
{
    static const char *const words[] = {
        "init",     "inval",       "arrive",          "arrive_drop", "test_wait",
        "try_wait", "expect_tx",   "complete_tx",     "noComplete",  "parity",
        "shared",   "shared::cta", "shared::cluster", "release",     "acquire",
        "relaxed",  "cta",         "cluster",         "b64",         "pending_count"};
    const struct action_row *row = NULL;
    for (size_t i = 0; i < WL_COUNT(action_rows) && !row; i++)
        row = wl_ptx_instruction_has(instruction, action_rows[i].word) ? &action_rows[i] : NULL;
    bool is_known = has_only(instruction, words, WL_COUNT(words));
    if (is_known && wl_ptx_instruction_has(instruction, "pending_count")) {
        pending_count(lowering, instruction);
        return;
    }
    if (!is_known || !row || instruction->operand_count < 1 + row->has_result) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_barrier_action action =
        wl_ptx_instruction_has(instruction, "expect_tx") ? row->with_bytes
        : wl_ptx_instruction_has(instruction, "parity")  ? row->with_parity
                                                         : row->action;
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t value = barrier_value(lowering, instruction, row->has_result + 1, action);
    uint32_t dst = NO_REGISTER;
    if (row->has_result && operands[0].kind != WL_PTX_OPERAND_SINK)
        dst = lower_destination(lowering, &operands[0],
                                action >= WL_BARRIER_TEST ? WL_CLASS_PREDICATE : WL_CLASS_64);
    lower_act_on_barrier(lowering, &operands[row->has_result], action, value, dst);
}
