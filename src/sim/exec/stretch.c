/* Stretches: operations in a row that all lanes do and that are so common that they are executed in
 * one go, without a call for each. The first of them does them all; who enters in the middle does
 * them one by one. */
#include "sim/exec/values.h"
#include "sim/exec/window.h"

#define STRETCH_LEAST 2
#define STRETCH_MOST 1024
#define SLOTS 4 /* address registers of a stretch */

enum step { STEP_NONE, STEP_LOAD_SHARED, STEP_FMA_F32, STEP_ADD_F32, STEP_MUL_F32 };

/* What an address register of the stretch holds, once an access has shown it. */
struct slot {
    const struct wl_shared_pattern *pattern; /* NULL: not known */
    u32 first;
};

static __attribute__((noinline)) bool load_by_call(struct wl_warp *warp, const struct wl_op *op)
{
    return WL_EXEC(LOAD_SHARED)(warp, op) != NULL;
}

/* Whether the address register follows the memo's pattern; if so, the slot knows. */
static inline bool check_slot(struct slot *slot, const u32 *base, const struct wl_shared_memo *memo)
{
    if (slot->pattern == memo->window && slot->pattern)
        return true;
    if (!memo->window || differs_from_known(base, memo->window->offset))
        return false;
    *slot = (struct slot){memo->window, base[0]};
    return true;
}

#define LANES_OF(name) const f32 *name##_lanes = lane_register(warp, op->name)

static const struct wl_op *run_stretch(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_op *end = op + op->stretch;
    struct slot slots[SLOTS] = {{NULL, 0}};
    for (; op < end; op++) {
        f32 *d = lane_register(warp, op->dst);
        switch (op->step) {
        case STEP_LOAD_SHARED: {
            struct wl_shared_memo *memo = &warp->worker->sites[op->site].memo;
            struct slot *slot = &slots[op->slot];
            u64 start;
            if (!check_slot(slot, lane_register(warp, op->a), memo) ||
                !memo_holds(memo, slot->first + (u32)op->imm, &start)) {
                if (!load_by_call(warp, op))
                    return NULL;
                slot->pattern = NULL; /* a site may have changed its own */
                break;
            }
            count_window(warp, op, memo);
            permute_window((u32 *)d, warp->shared + start, memo->window->index, 0,
                           memo->window_vectors);
            break;
        }
        case STEP_FMA_F32: {
            LANES_OF(a);
            LANES_OF(b);
            LANES_OF(c);
            WL_FOR_LANES (i)
                d[i] = canonical_f32(__builtin_fmaf(a_lanes[i], b_lanes[i], c_lanes[i]));
            break;
        }
        case STEP_ADD_F32: {
            LANES_OF(a);
            LANES_OF(b);
            WL_FOR_LANES (i)
                d[i] = canonical_f32(a_lanes[i] + b_lanes[i]);
            break;
        }
        default: {
            LANES_OF(a);
            LANES_OF(b);
            WL_FOR_LANES (i)
                d[i] = canonical_f32(a_lanes[i] * b_lanes[i]);
            break;
        }
        }
    }
    return end;
}

static enum step step_of(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_LOAD_SHARED:
        return may_have_window(op) && op->count == 1 ? STEP_LOAD_SHARED : STEP_NONE;
    case WL_OP_FMA_F32:
        return STEP_FMA_F32;
    case WL_OP_ADD_F32:
        return STEP_ADD_F32;
    case WL_OP_MUL_F32:
        return STEP_MUL_F32;
    default:
        return STEP_NONE;
    }
}

/* The address registers of a stretch; none of them is written in it. */
struct addresses {
    u32 registers[SLOTS];
    u32 count;
};

static bool has_address(const struct addresses *addresses, u32 offset)
{
    for (u32 i = 0; i < addresses->count; i++)
        if (addresses->registers[i] == offset)
            return true;
    return false;
}

/* Takes the operation into the stretch; false where it does not belong to it. */
static bool take_step(struct wl_op *op, struct addresses *addresses)
{
    const enum step step = step_of(op);
    if (step == STEP_NONE || has_address(addresses, op->dst) ||
        (step == STEP_LOAD_SHARED && op->dst == op->a))
        return false;
    if (step == STEP_LOAD_SHARED) {
        u32 slot = 0;
        while (slot < addresses->count && addresses->registers[slot] != op->a)
            slot++;
        if (slot == SLOTS)
            return false;
        addresses->registers[slot] = op->a;
        addresses->count += slot == addresses->count;
        op->slot = (uint8_t)slot;
    }
    op->step = (uint8_t)step;
    return true;
}

void WL_EXEC(join)(struct wl_program *program);
void WL_EXEC(join)(struct wl_program *program)
{
    for (u32 i = 0; i < program->op_count;) {
        struct addresses addresses = {.count = 0};
        u32 end = i;
        while (end < program->op_count && end - i < STRETCH_MOST &&
               take_step(&program->ops[end], &addresses))
            end++;
        if (end - i >= STRETCH_LEAST) {
            program->ops[i].stretch = (uint16_t)(end - i);
            program->ops[i].run[0] = run_stretch;
        }
        i = end > i ? end : i + 1;
    }
}
