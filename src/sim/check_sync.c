/* Checks of what threads do together: masks of lanes, barriers. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/barrier_object.h"
#include "sim/check.h"
#include "sim/check_part.h"
#include "sim/found.h"
#include "sim/owed.h"
#include "sim/reach.h"
#include "sim/shadow.h"

/* ---- lanes that name each other ---- */

/* Whether lanes that go on here end without doing anything. */
static bool leads_to_exit(const struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_program *program = warp->worker->run->program;
    for (int step = 0; step < 8; step++) {
        switch (op->code) {
        case WL_OP_EXIT:
            return true;
        case WL_OP_BLOCK:
        case WL_OP_JOIN:
        case WL_OP_UNGUARD:
            op++;
            break;
        case WL_OP_BRANCH:
            op = &program->ops[op->target];
            break;
        default:
            return false;
        }
    }
    return false;
}

/* Whether who goes on at `from` may still come to an operation like this one: then it is waited
 * for. Each operation is looked at once. */
static bool can_reach(const struct wl_program *program, const struct wl_op *from,
                      const struct wl_op *wanted)
{
    uint8_t *seen = wl_alloc_zero(program->op_count, sizeof *seen);
    uint32_t *left = wl_alloc_zero(program->op_count + 1, sizeof *left), count = 0;
    bool is_found = false;
    left[count++] = (uint32_t)(from - program->ops);
    seen[left[0]] = 1;
    while (count && !is_found) {
        const struct wl_op *op = &program->ops[left[--count]];
        uint32_t next[2] = {(uint32_t)(op - program->ops) + 1, UINT32_MAX};
        is_found = op->code == wanted->code || op->code == WL_OP_CALL ||
                   op->code == WL_OP_CALL_INDIRECT || op->code == WL_OP_BRANCH_INDEX ||
                   op->code == WL_OP_RETURN;
        if (op->code == WL_OP_BRANCH)
            next[0] = op->target;
        if (op->code == WL_OP_BRANCH_IF || op->code == WL_OP_EXIT || op->code == WL_OP_GUARD)
            next[1] = op->target;
        if (op->code == WL_OP_EXIT)
            next[0] = UINT32_MAX; /* those that it is not for go on at its target */
        for (int i = 0; i < 2; i++)
            if (next[i] < program->op_count && !seen[next[i]]) {
                seen[next[i]] = 1;
                left[count++] = next[i];
            }
    }
    free(seen);
    free(left);
    return is_found;
}

/* Lanes that are not here and have not returned: those of them that will not come; those that are
 * about to return; those that may come. */
static uint32_t lanes_lost(const struct wl_warp *warp, const struct wl_op *op, uint32_t *leaving,
                           uint32_t *waiting)
{
    uint32_t known = warp->mask, lost = 0;
    *leaving = *waiting = 0;
    for (uint32_t i = warp->stack_depth; i-- > 0;) {
        uint32_t lanes = warp->stack[i].mask & ~known;
        known |= lanes;
        if (!lanes)
            continue;
        if (leads_to_exit(warp, warp->stack[i].pc))
            *leaving |= lanes;
        else if (!can_reach(warp->worker->run->program, warp->stack[i].pc, op))
            lost |= lanes;
        else
            *waiting |= lanes;
    }
    /* a guard leaves lanes of the path out */
    return lost | (warp->mask & ~warp->active);
}

static void report_mask(struct wl_warp *warp, const struct wl_op *op, enum wl_finding_kind kind,
                        uint32_t lane, uint32_t mask)
{
    struct wl_finding finding = {.kind = kind, .number = mask, .wanted = warp->active};
    wl_found(warp, op, lane, &finding);
}

static uint32_t mask_of(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    if (op->code == WL_OP_WARP_SYNC && op->kind == WL_WARP_SYNC_MASK)
        return ((const uint32_t *)wl_check_lanes_of(warp, op->a))[lane];
    if (op->code == WL_OP_WARP_SYNC || op->code == WL_OP_SHUFFLE)
        return (uint32_t)op->imm;
    return op->b == UINT32_MAX ? WL_FULL_MASK
                               : ((const uint32_t *)wl_check_lanes_of(warp, op->b))[lane];
}

/* Whether the lane reads a value that no lane gives; see SHUFFLE. */
static bool reads_absent(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                         uint32_t absent)
{
    const uint32_t control = ((const uint32_t *)wl_check_lanes_of(warp, op->c))[lane];
    const uint32_t amount = ((const uint32_t *)wl_check_lanes_of(warp, op->b))[lane] & 31;
    const uint32_t segment = control >> 8 & 31, clamp = control & 31;
    const int top = (int)((lane & segment) | (clamp & ~segment));
    int from = op->kind == WL_SHUFFLE_UP     ? (int)lane - (int)amount
               : op->kind == WL_SHUFFLE_DOWN ? (int)(lane + amount)
               : op->kind == WL_SHUFFLE_XOR  ? (int)(lane ^ amount)
                                             : (int)((lane & segment) | (amount & ~segment));
    bool is_inside = op->kind == WL_SHUFFLE_UP ? from >= top : from <= top;
    return is_inside && absent >> (from & 31) & 1;
}

/* The operation whose lanes a mask names. */
static const struct wl_op *op_of_mask(const struct wl_op *op)
{
    bool is_before = op->code == WL_OP_WARP_SYNC && op->kind == WL_WARP_SYNC_MASK &&
                     op[1].code == WL_OP_SHUFFLE && op[1].instruction == op->instruction;
    return is_before ? op + 1 : op;
}

/* The lanes that are to meet, one mask after another. */
static void meet_lanes(struct wl_warp *warp, const struct wl_op *op, uint32_t waiting)
{
    for (uint32_t left = warp->active; left;) {
        const uint32_t mask = mask_of(warp, op, (uint32_t)__builtin_ctz(left));
        uint32_t lanes = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            lanes |= (uint32_t)(mask_of(warp, op, lane) == mask) << lane;
        }
        left &= ~lanes;
        if (lanes & mask)
            wl_owed_meet(warp, op_of_mask(op), lanes & mask, mask, waiting);
    }
}

static void check_mask(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_op *named = op_of_mask(op);
    uint32_t leaving = 0, missing = ~warp->active, lost = 0, waiting = 0;
    bool is_known = false, is_lost = false;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), mask = mask_of(warp, op, lane);
        if (!mask)
            return; /* not known, or wrong in a way of its own */
        if (!(mask >> lane & 1)) {
            report_mask(warp, op, WL_FINDING_MASK_CALLER, lane, mask);
            continue;
        }
        if (!(mask & missing))
            continue;
        if (!is_known)
            lost = lanes_lost(warp, named, &leaving, &waiting);
        is_known = true;
        const uint32_t partners = wl_owed_partners(warp, named, lane, mask);
        is_lost |= mask & lost & ~partners;
        if (mask & lost & ~partners)
            report_mask(warp, op, WL_FINDING_MASK_ABSENT, lane, mask);
        else if (named->code == WL_OP_SHUFFLE &&
                 reads_absent(warp, named, lane, leaving & ~partners))
            report_mask(warp, op, WL_FINDING_SHUFFLE_ABSENT, lane, mask);
    }
    if (!is_lost && (waiting || wl_owed_any(warp)))
        meet_lanes(warp, op, waiting);
}

/* Forms without .sync name nobody. */
static bool is_collective(const struct wl_warp *warp, const struct wl_op *op)
{
    if (op->code == WL_OP_WARP_SYNC)
        return op->kind == WL_WARP_SYNC_LANES || op->kind == WL_WARP_SYNC_MASK;
    const char *opcode = warp->worker->run->program->instructions[op->instruction].opcode;
    return strstr(opcode, ".sync") != NULL;
}

const struct wl_op *wl_check_lanes(struct wl_warp *warp, const struct wl_op *op)
{
    if (is_collective(warp, op)) {
        if (warp->worker->run->options->checks & WL_CHECK_SYNC)
            check_mask(warp, op);
        if (warp->cta->shadow)
            wl_shadow_sync_lanes(warp);
    } else if (op->code == WL_OP_WARP_SYNC && warp->cta->shadow) {
        if (op->kind == WL_WARP_SYNC_COMMIT)
            wl_shadow_commit(warp);
        else if (op->kind == WL_WARP_SYNC_TELL)
            wl_shadow_await_copies(warp);
    }
    return wl_check_run_plain(warp, op);
}

/* ---- barriers ---- */

static void report_barrier(struct wl_warp *warp, const struct wl_op *op, enum wl_finding_kind kind,
                           uint32_t arrived, uint32_t wanted)
{
    struct wl_finding finding = {
        .kind = kind, .number = warp->barrier, .bytes = arrived, .wanted = wanted};
    wl_found(warp, op, (uint32_t)__builtin_ctz(warp->active), &finding);
}

/* bar.sync means all threads of the warp; barrier.sync without .aligned does not. */
static bool is_aligned(const struct wl_warp *warp, const struct wl_op *op)
{
    const char *opcode = warp->worker->run->program->instructions[op->instruction].opcode;
    return strncmp(opcode, "barrier", strlen("barrier")) != 0 || strstr(opcode, ".aligned");
}

/* Lanes that are still to do something, and not at the barrier. */
static uint32_t lanes_elsewhere(const struct wl_warp *warp)
{
    uint32_t known = warp->mask, elsewhere = 0;
    for (uint32_t i = warp->stack_depth; i-- > 0;) {
        uint32_t lanes = warp->stack[i].mask & ~known;
        known |= lanes;
        if (lanes && !leads_to_exit(warp, warp->stack[i].pc))
            elsewhere |= lanes;
    }
    return elsewhere;
}

/* Of the lanes that are elsewhere, whether any may still come to a barrier. */
static bool may_come(const struct wl_warp *warp, const struct wl_op *op)
{
    uint32_t known = warp->mask;
    for (uint32_t i = warp->stack_depth; i-- > 0;) {
        const uint32_t lanes = warp->stack[i].mask & ~known;
        known |= lanes;
        if (lanes && can_reach(warp->worker->run->program, warp->stack[i].pc, op))
            return true;
    }
    return false;
}

static void check_lanes_of_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    const uint32_t threads = warp->worker->run->threads_per_block - warp->index * WL_LANES;
    const uint32_t count = threads < WL_LANES ? threads : WL_LANES;
    const uint32_t here = (uint32_t)__builtin_popcount(warp->mask);
    if (lanes_elsewhere(warp) && is_aligned(warp, op))
        report_barrier(warp, op, WL_FINDING_BARRIER_DIVERGED, here, count);
    else if (lanes_elsewhere(warp) && !may_come(warp, op))
        report_barrier(warp, op, WL_FINDING_BARRIER_ABSENT, here, count);
    else if (here < count && !lanes_elsewhere(warp))
        report_barrier(warp, op, WL_FINDING_BARRIER_EXITED, here, count);
}

static void check_count_of_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    if (op->b == UINT32_MAX)
        return;
    uint32_t threads = op->b;
    if (op->flags & WL_OPF_DST64)
        threads = ((const uint32_t *)wl_check_lanes_of(warp, op->b))[__builtin_ctz(warp->active)];
    const uint32_t warps = (threads + WL_LANES - 1) / WL_LANES;
    const uint32_t expected = warp->cta->barriers[warp->barrier].expected;
    bool is_different = warp->cta->barriers[warp->barrier].arrived && expected != warps;
    if (threads % WL_LANES || warps > warp->cta->warp_count || is_different)
        report_barrier(warp, op, WL_FINDING_BARRIER_COUNT, 0, threads);
}

/* What the lanes, one after another, would do to the object at the offset. */
static uint32_t count_arrivals(const struct wl_warp *warp, const struct wl_op *op, uint32_t lanes)
{
    const bool has_count = op->kind == WL_BARRIER_ARRIVE || op->kind == WL_BARRIER_DROP;
    const uint32_t *count = wl_check_lanes_of(warp, op->b);
    uint32_t arrivals = 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        arrivals += has_count ? count[__builtin_ctz(left)] : 1;
    return arrivals;
}

static uint32_t offset_of_object(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    const uint32_t imm = (uint32_t)op->imm;
    if (op->flags & WL_OPF_NO_ADDRESS)
        return imm;
    if (op->flags & WL_OPF_ADDRESS32)
        return ((const uint32_t *)wl_check_lanes_of(warp, op->a))[lane] + imm;
    return (uint32_t)((const uint64_t *)wl_check_lanes_of(warp, op->a))[lane] + imm;
}

/* Threads of one warp that arrive together are meant to meet in one phase. */
void wl_check_arrivals(struct wl_warp *warp, const struct wl_op *op)
{
    const uint32_t shared_bytes = warp->worker->run->shared_bytes;
    if (op->kind < WL_BARRIER_ARRIVE || op->kind >= WL_BARRIER_TEST)
        return;
    for (uint32_t left = warp->active; left;) {
        const uint32_t first = (uint32_t)__builtin_ctz(left);
        const uint32_t offset = offset_of_object(warp, op, first);
        uint32_t lanes = 0;
        uint64_t object;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(rest);
            lanes |= (uint32_t)(offset_of_object(warp, op, lane) == offset) << lane;
        }
        left &= ~lanes;
        if (offset % sizeof object || !wl_reach_holds(0, shared_bytes, offset, sizeof object))
            continue; /* a fault of its own */
        memcpy(&object, warp->shared + offset, sizeof object);
        const struct wl_barrier_object barrier = wl_barrier_object_unpack(object);
        const uint32_t arrivals = count_arrivals(warp, op, lanes);
        struct wl_finding finding = {.kind = WL_FINDING_OBJECT_COUNT,
                                     .address = offset,
                                     .number = arrivals,
                                     .bytes = barrier.pending,
                                     .wanted = barrier.expected};
        if (barrier.expected && arrivals > barrier.pending)
            wl_found(warp, op, first, &finding);
    }
}

/* PTX ISA, exit: threads that end release barriers that wait for all threads, not those with a
 * count of their own. Here such a barrier lets go, so that the launch ends and can be told about.
 */
void wl_check_short_barrier(struct wl_cta *cta, uint32_t number)
{
    const uint32_t expected = cta->barriers[number].expected;
    const uint32_t arrived = cta->barriers[number].arrived;
    if (expected <= arrived || expected >= cta->warp_count)
        return;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct wl_warp *warp = &cta->warps[i];
        if (warp->status != WL_WARP_AT_BARRIER || warp->barrier != number)
            continue;
        if (warp->worker->run->options->checks & WL_CHECK_SYNC)
            report_barrier(warp, warp->barrier_op, WL_FINDING_BARRIER_SHORT, arrived * WL_LANES,
                           expected * WL_LANES);
        return;
    }
}

/* Who arrived and did not wait, at a barrier where nobody waited after that: the block is over. */
void wl_check_lonely_arrivals(struct wl_cta *cta)
{
    for (uint32_t number = 0; cta->lonely && number < WL_BARRIERS; number++) {
        struct wl_warp *warp = cta->lonely[number].warp;
        cta->lonely[number].warp = NULL;
        if (!warp || !(warp->worker->run->options->checks & WL_CHECK_SYNC))
            continue;
        struct wl_finding finding = {.kind = WL_FINDING_BARRIER_LONELY, .number = number};
        wl_found(warp, cta->lonely[number].op, cta->lonely[number].lane, &finding);
    }
}

const struct wl_op *wl_check_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    const uint32_t checks = warp->worker->run->options->checks;
    const struct wl_op *next = wl_check_run_plain(warp, op);
    if (warp->status != WL_WARP_AT_BARRIER)
        return next;
    if (checks & WL_CHECK_SYNC) {
        check_lanes_of_barrier(warp, op);
        check_count_of_barrier(warp, op);
        if (op->kind != 1) /* who only arrives does not wait */
            wl_owed_settle(warp, warp->active);
    }
    if (warp->cta->shadow)
        wl_shadow_arrive(warp, warp->barrier);
    return next;
}

const struct wl_op *wl_check_exit(struct wl_warp *warp, const struct wl_op *op)
{
    wl_owed_settle(warp, warp->active);
    return warp->status == WL_WARP_FAULT ? NULL : wl_check_run_plain(warp, op);
}
