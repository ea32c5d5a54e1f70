/* Control flow: blocks, guards, divergence, barriers, exits; and exchange between lanes. */
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/memory.h"
#include "sim/cluster.h"
#include "sim/exec/lanes.h"
#include "sim/exec/values.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

static const struct wl_op *op_at(const struct wl_warp *warp, u32 index)
{
    return index == UINT32_MAX ? NULL : &warp->worker->run->program->ops[index];
}

/* Takes the next waiting path from the stack; NULL when no lane is left. */
static const struct wl_op *pop_path(struct wl_warp *warp)
{
    while (warp->stack_depth > 0) {
        struct wl_stack_entry entry = warp->stack[--warp->stack_depth];
        u32 live = entry.mask;
        if (!live)
            continue;
        warp->mask = live;
        warp->path_age = 0;
        warp->join = entry.join;
        warp->registers = entry.registers;
        warp->local_frame = entry.local_frame;
        warp->frame_base = entry.frame_base;
        set_active(warp, live);
        return entry.pc;
    }
    warp->status = WL_WARP_DONE;
    warp->mask = 0;
    return NULL;
}

static void push_path(struct wl_warp *warp, const struct wl_op *pc, const struct wl_op *join,
                      u32 mask)
{
    if (warp->stack_depth == warp->stack_capacity) {
        size_t capacity = warp->stack_capacity;
        wl_vector_grow((void **)&warp->stack, capacity, &capacity, sizeof *warp->stack);
        warp->stack_capacity = (u32)capacity;
    }
    warp->stack[warp->stack_depth++] = (struct wl_stack_entry){
        pc, join, warp->registers, mask, warp->local_frame, warp->frame_base};
}

#define PATH_AGE_MAX                                                            \
    16384 /* instructions after which lanes that wait at a join may go on alone \
           */

/* Lanes that spin may wait for what lanes parked at their join would do next. Those go on first, no
 * longer waiting; the spinning path meets the others where those meet theirs. */
static const struct wl_op *split_path(struct wl_warp *warp, const struct wl_op *pc)
{
    u32 at = warp->stack_depth;
    u32 others = warp->mask;
    warp->path_age = 0;
    while (at > warp->frame_base && warp->stack[at - 1].pc != warp->join)
        others |= warp->stack[--at].mask;
    if (at == warp->frame_base)
        return pc;
    struct wl_stack_entry *meeting = &warp->stack[at - 1];
    u32 parked = meeting->mask & ~others;
    if (!parked)
        return pc;
    const struct wl_op *outer = meeting->join, *resume = meeting->pc;
    for (u32 i = at; i < warp->stack_depth; i++)
        if (warp->stack[i].join == warp->join)
            warp->stack[i].join = outer;
    memmove(meeting, meeting + 1, (warp->stack_depth - at) * sizeof *meeting);
    warp->stack_depth--;
    push_path(warp, pc, outer, warp->mask);
    warp->mask = parked;
    warp->join = outer;
    set_active(warp, parked);
    return resume;
}

/* Counts the block and, when the warp has run long enough, lets others go on. */
static inline const struct wl_op *enter_block(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_worker *worker = warp->worker;
    worker->block_warps[op->target]++;
    worker->block_threads[op->target] += (u32)__builtin_popcount(warp->mask);
    if (__builtin_expect(warp->trace != NULL, 0))
        wl_trace_push(warp->trace, WL_TRACE_BLOCK | op->target |
                                       ((u32)__builtin_popcount(warp->mask) - 1)
                                           << WL_TRACE_BLOCK_BITS);
    warp->fuel -= (s32)op->imm;
    warp->path_age += (u32)op->imm;
    if (warp->path_age > PATH_AGE_MAX && worker->run->program->lanes_may_wait)
        return split_path(warp, op + 1);
    if (warp->fuel > 0)
        return op + 1;
    warp->pc = op + 1;
    return NULL;
}

RUN(BLOCK)
{
    return enter_block(warp, op);
}

/* Where a branch leads; a block that begins there, as the executor has it, has begun. */
static inline const struct wl_op *go_on(struct wl_warp *warp, const struct wl_op *op)
{
    return op && op->run[0] == WL_EXEC(BLOCK) ? enter_block(warp, op) : op;
}

RUN(JOIN)
{
    if (op == warp->join) {
        const struct wl_op *next = pop_path(warp);
        if (next != op || op == warp->join)
            return go_on(warp, next);
    }
    return enter_block(warp, op);
}

RUN(GUARD)
{
    u32 chosen = *predicate(warp, op->a);
    if (op->flags & WL_OPF_NEGATED)
        chosen = ~chosen;
    chosen &= warp->mask;
    if (op->site != UINT32_MAX)
        warp->worker->guard_threads[op->site] += (u32)__builtin_popcount(chosen);
    if (!chosen)
        return op_at(warp, op->target);
    set_active(warp, chosen);
    return op + 1;
}

RUN(UNGUARD)
{
    set_active(warp, warp->mask);
    return op + 1;
}

RUN(BRANCH)
{
    return go_on(warp, op_at(warp, op->target));
}

static u32 index_of(const struct wl_warp *warp, const struct wl_op *op)
{
    return (u32)(op - warp->worker->run->program->ops);
}

/* Index of the entry with which lanes wait at a join, or the stack's depth. */
static u32 find_join(const struct wl_warp *warp, const struct wl_op *join, u32 lanes)
{
    for (u32 i = warp->stack_depth; join && i-- > warp->frame_base;)
        if (warp->stack[i].pc == join && (warp->stack[i].mask & lanes) == lanes)
            return i;
    return warp->stack_depth;
}

/* Puts the join behind a loop below all that was put onto the stack within it: from entry `at` on.
 */
static void push_join_behind(struct wl_warp *warp, u32 at, const struct wl_op *join)
{
    const struct wl_op *outer = at < warp->stack_depth ? warp->stack[at].join : warp->join;
    u32 lanes = warp->mask;
    push_path(warp, join, outer, 0);
    const struct wl_stack_entry entry = warp->stack[warp->stack_depth - 1];
    memmove(&warp->stack[at + 1], &warp->stack[at],
            (warp->stack_depth - 1 - at) * sizeof *warp->stack);
    warp->stack[at] = entry;
    for (u32 i = at + 1; i < warp->stack_depth; i++) {
        lanes |= warp->stack[i].mask;
        if (warp->stack[i].join == outer)
            warp->stack[i].join = join;
    }
    warp->stack[at].mask = lanes;
    if (warp->join == outer)
        warp->join = join;
}

/* A branch out of a loop within which lanes meet: those that leave are no longer waited for there,
 * and wait behind the loop for the others, which go on later. */
static const struct wl_op *leave_loop(struct wl_warp *warp, const struct wl_op *op, u32 leaving,
                                      const struct wl_op *away, const struct wl_op *on)
{
    const struct wl_op *join = op_at(warp, op->reconverge);
    const u32 staying = warp->mask & ~leaving;
    u32 at = find_join(warp, join, leaving), within = warp->stack_depth;
    while (within > warp->frame_base &&
           index_of(warp, warp->stack[within - 1].pc) - op->b <= op->c - op->b)
        within--;
    if (at < warp->stack_depth) {
        within = at + 1;
    } else {
        if (within == warp->stack_depth && !staying)
            return go_on(warp, away);
        if (join)
            push_join_behind(warp, within++, join);
        else
            join = within < warp->stack_depth ? warp->stack[within].join : warp->join;
    }
    for (u32 i = within; i < warp->stack_depth; i++)
        warp->stack[i].mask &= ~leaving;
    if (staying)
        push_path(warp, on, warp->join, staying);
    warp->mask = leaving;
    warp->join = join;
    set_active(warp, leaving);
    return go_on(warp, away);
}

RUN(BRANCH_IF)
{
    u32 taken = *predicate(warp, op->a);
    if (op->flags & WL_OPF_NEGATED)
        taken = ~taken;
    taken &= warp->mask;
    u32 rest = warp->mask & ~taken;
    const bool is_skip = op->kind & WL_BRANCH_SKIPS;
    if (op->site != UINT32_MAX)
        warp->worker->guard_threads[op->site] += (u32)__builtin_popcount(is_skip ? rest : taken);
    const bool leaves = op->kind & WL_BRANCH_LEAVES;
    const bool falls_out = leaves && op->target - op->b <= op->c - op->b;
    const u32 leaving = falls_out ? rest : taken;
    if (leaves && leaving) {
        warp->worker->divergent[op->instruction] += taken && rest && !is_skip;
        const struct wl_op *jump = op_at(warp, op->target);
        return leave_loop(warp, op, leaving, falls_out ? op + 1 : jump, falls_out ? jump : op + 1);
    }
    if (!taken)
        return go_on(warp, op + 1);
    if (!rest)
        return go_on(warp, op_at(warp, op->target));
    warp->worker->divergent[op->instruction] += !is_skip;
    const struct wl_op *join = op_at(warp, op->reconverge);
    if (join)
        push_path(warp, join, warp->join, warp->mask);
    push_path(warp, op + 1, join ? join : warp->join, rest);
    warp->mask = taken;
    if (join)
        warp->join = join;
    set_active(warp, taken);
    return go_on(warp, op_at(warp, op->target));
}

RUN(BRANCH_INDEX)
{
    const u32 *index = lane_register(warp, op->a);
    const u32 *targets = warp->worker->run->program->branch_targets + op->imm;
    const struct wl_op *join = op_at(warp, op->reconverge);
    u32 left = warp->mask;
    u32 paths = 0;
    while (left) {
        u32 wanted = index[__builtin_ctz(left)], group = 0;
        if (wanted >= op->b)
            return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "branch index out of range",
                                 "index %u of %u", wanted, op->b);
        for (int i = 0; i < WL_LANES; i++)
            if (left >> i & 1 && index[i] < op->b && targets[index[i]] == targets[wanted])
                group |= LANE_BIT(i);
        left &= ~group;
        if (!left && !paths)
            return op_at(warp, targets[wanted]);
        if (!paths++ && join)
            push_path(warp, join, warp->join, warp->mask);
        push_path(warp, op_at(warp, targets[wanted]), join ? join : warp->join, group);
    }
    warp->worker->divergent[op->instruction]++;
    return pop_path(warp);
}

RUN(YIELD)
{
    warp->pc = op + 1;
    return NULL;
}

/* Lanes that end leave every path that waits on the stack too. */
RUN(EXIT)
{
    u32 ended = warp->active;
    for (u32 i = 0; i < warp->stack_depth; i++)
        warp->stack[i].mask &= ~ended;
    warp->mask &= ~ended;
    if (!warp->mask)
        return pop_path(warp);
    set_active(warp, warp->mask);
    return op_at(warp, op->target);
}

/* The callee's frame lies behind the caller's; lanes that return wait for the others of the call.
 */
static const struct wl_op *call(struct wl_warp *warp, const struct wl_op *op, u32 lanes,
                                const struct wl_function *function)
{
    const struct wl_program *program = warp->worker->run->program;
    push_path(warp, op + 1, warp->join, lanes);
    uint8_t *registers = warp->registers + op->b;
    if (registers + function->register_bytes > warp->registers_end ||
        warp->local_frame + op->c + function->local_bytes > program->local_bytes)
        return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "stack overflow",
                             "calls are nested too deeply");
    warp->frame_base = warp->stack_depth;
    warp->registers = registers;
    warp->local_frame += op->c;
    warp->join = NULL;
    warp->mask = lanes;
    set_active(warp, lanes);
    return op_at(warp, function->op);
}

RUN(CALL)
{
    return call(warp, op, warp->mask, &warp->worker->run->program->functions[op->imm]);
}

/* Lanes may call different functions: one after the other. */
RUN(CALL_INDIRECT)
{
    const struct wl_program *program = warp->worker->run->program;
    const u64 *address = lane_register(warp, op->a);
    const u64 wanted = address[__builtin_ctz(warp->mask)];
    u32 lanes = 0;
    for (int i = 0; i < WL_LANES; i++)
        lanes |= warp->mask >> i & 1 && address[i] == wanted ? LANE_BIT(i) : 0;
    for (u32 i = 1; i < program->function_count; i++) {
        if (program->functions[i].address != wanted)
            continue;
        if (lanes != warp->mask) {
            push_path(warp, op + 1, warp->join, warp->mask);
            push_path(warp, op, op + 1, warp->mask & ~lanes);
            warp->join = op + 1;
        }
        return call(warp, op, lanes, &program->functions[i]);
    }
    return wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "call of no function", "0x%llx",
                         (unsigned long long)wanted);
}

RUN(RETURN)
{
    u32 ended = warp->active;
    for (u32 i = warp->frame_base; i < warp->stack_depth; i++)
        warp->stack[i].mask &= ~ended;
    warp->mask &= ~ended;
    if (!warp->mask)
        return pop_path(warp);
    set_active(warp, warp->mask);
    return op_at(warp, op->target);
}

RUN(LOCAL_ADDRESS)
{
    u32 active = warp->active;
    u64 value = warp->local_frame + (u64)op->imm;
    for (int i = 0; i < WL_LANES; i++) {
        if (!(active >> i & 1))
            continue;
        if (op->flags & WL_OPF_DST64)
            ((u64 *)lane_register(warp, op->dst))[i] = value;
        else
            ((u32 *)lane_register(warp, op->dst))[i] = (u32)value;
    }
    return op + 1;
}

RUN(TRAP)
{
    return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "trap",
                         "the kernel executed a trap instruction");
}

RUN(UNSUPPORTED)
{
    const struct wl_program *program = warp->worker->run->program;
    return wl_warp_fault(warp, op, WL_SIM_FAULT_UNSUPPORTED, "unsupported instruction", "%s",
                         program->instructions[op->instruction].opcode);
}

RUN(FENCE)
{
    (void)warp;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return op + 1;
}

/* Parks the present path at op and takes up the last that was parked. */
static const struct wl_op *swap_path(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_stack_entry *top = &warp->stack[warp->stack_depth - 1];
    const struct wl_stack_entry other = *top;
    *top = (struct wl_stack_entry){op,         warp->join,        warp->registers,
                                   warp->mask, warp->local_frame, warp->frame_base};
    warp->mask = other.mask;
    warp->join = other.join;
    warp->registers = other.registers;
    warp->local_frame = other.local_frame;
    warp->frame_base = other.frame_base;
    warp->path_age = 0;
    set_active(warp, other.mask);
    return other.pc;
}

/* A barrier counts threads: lanes of a warp that went apart arrive together. Takes in those that
 * wait at this barrier already; where others are still on their way, lets them run first and
 * returns their place. NULL: all are here. */
static const struct wl_op *gather_lanes(struct wl_warp *warp, const struct wl_op *op)
{
    u32 kept = warp->frame_base;
    for (u32 i = warp->frame_base; i < warp->stack_depth; i++) {
        if (warp->stack[i].pc == op && warp->stack[i].join == warp->join)
            warp->mask |= warp->stack[i].mask;
        else
            warp->stack[kept++] = warp->stack[i];
    }
    warp->stack_depth = kept;
    set_active(warp, warp->mask);
    struct wl_stack_entry *top = kept ? &warp->stack[kept - 1] : NULL;
    if (!top || !top->mask || top->mask & warp->mask || top->pc->code == WL_OP_BARRIER)
        return NULL;
    return swap_path(warp, op);
}

/* Arrives at a block barrier; sm.c lets the warps go on when all have. kind: 0 sync, 1 arrive, 2
 * popc, 3 and, 4 or. Barrier number: imm, or register a (RESULT flag); warps expected: b or all
 * (0). */
RUN(BARRIER)
{
    if (warp->stack_depth && warp->worker->run->program->lanes_may_wait) {
        const struct wl_op *others = gather_lanes(warp, op);
        if (others)
            return others;
    }
    u32 number = op->flags & WL_OPF_RESULT
                     ? ((const u32 *)lane_register(warp, op->a))[__builtin_ctz(warp->active)]
                     : (u32)op->imm;
    if (number >= WL_BARRIERS)
        return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "invalid barrier", "barrier %u", number);
    warp->barrier = number;
    warp->barrier_op = op;
    warp->barrier_value = op->kind >= 2 ? *predicate(warp, op->c) : 0;
    if (op->flags & WL_OPF_NEGATED)
        warp->barrier_value = ~warp->barrier_value;
    warp->worker->barriers++;
    warp->status = WL_WARP_AT_BARRIER;
    warp->pc = op + 1;
    return NULL;
}

RUN(CLUSTER_ARRIVE)
{
    wl_cluster_arrive(warp);
    return op + 1;
}

/* Lanes that wait for others of their warp let them go first. */
RUN(CLUSTER_WAIT)
{
    const bool is_counted = wl_cluster_has_arrived(warp);
    if (!(warp->arrived_lanes & warp->active))
        return op + 1;
    const u32 parked = warp->stack_depth ? warp->stack[warp->stack_depth - 1].mask : 0;
    if (!is_counted && parked & ~warp->mask)
        return parked & warp->mask ? split_path(warp, op) : swap_path(warp, op);
    warp->worker->barriers++;
    warp->barrier_op = op;
    warp->pc = op + 1;
    warp->status = WL_WARP_AT_CLUSTER;
    return NULL;
}

RUN(WARP_SYNC)
{
    (void)warp;
    return op + 1;
}

RUN(ACTIVEMASK)
{
    u32 *d = lane_register(warp, op->dst);
    u32 active = warp->active;
    for (int i = 0; i < WL_LANES; i++)
        if (active >> i & 1)
            d[i] = active;
    return op + 1;
}

RUN(ELECT)
{
    u32 leader = (u32)__builtin_ctz(warp->active);
    if (op->dst != UINT32_MAX) {
        u32 *d = lane_register(warp, op->dst);
        for (int i = 0; i < WL_LANES; i++)
            if (warp->active >> i & 1)
                d[i] = leader;
    }
    set_predicate(warp, op->d, LANE_BIT(leader));
    return op + 1;
}

/* Lanes that named the same members, one such group after another: *group of those in *left is
 * taken out of it. Returns the members that are here. The mask stands in register b; without one
 * all lanes are members. */
static u32 take_group(const struct wl_warp *warp, const struct wl_op *op, u32 *left, u32 *group)
{
    if (op->b == UINT32_MAX) {
        *group = *left;
        *left = 0;
        return warp->active;
    }
    const u32 *masks = lane_register(warp, op->b);
    const u32 mask = masks[__builtin_ctz(*left)];
    u32 same = 0;
    WL_FOR_LANES (i)
        same |= masks[i] == mask ? lane_bits_4[i] : 0;
    *group = same & *left;
    *left &= ~same;
    return warp->active & mask;
}

static void set_lanes(u32 *d, u32 lanes, u32 value)
{
    WL_FOR_LANES (i)
        d[i] = lanes & lane_bits_4[i] ? value : d[i];
}

RUN(VOTE)
{
    u32 asked = *predicate(warp, op->a), yes = 0;
    if (op->flags & WL_OPF_NEGATED)
        asked = ~asked;
    for (u32 left = warp->active, group; left;) {
        u32 members = take_group(warp, op, &left, &group), chosen = asked & members;
        if (op->kind == WL_VOTE_BALLOT) {
            set_lanes(lane_register(warp, op->dst), group, chosen);
            continue;
        }
        bool result = op->kind == WL_VOTE_ALL   ? chosen == members
                      : op->kind == WL_VOTE_ANY ? chosen != 0
                                                : chosen == members || chosen == 0;
        yes |= result ? group : 0;
    }
    if (op->kind != WL_VOTE_BALLOT)
        set_predicate(warp, op->dst, yes);
    return op + 1;
}

/* The lanes that have the value, of 32 bits and of 64. */
#if defined(__AVX512F__)
static inline u32 find_equal_32(const u32 *a, u32 value)
{
    const __m512i wanted = _mm512_set1_epi32((s32)value);
    const u32 low = _mm512_cmpeq_epi32_mask(_mm512_load_si512(a), wanted);
    return low | (u32)_mm512_cmpeq_epi32_mask(_mm512_load_si512(a + 16), wanted) << 16;
}

static inline u32 find_equal_64(const u64 *a, u64 value)
{
    const __m512i wanted = _mm512_set1_epi64((s64)value);
    u32 equal = 0;
    for (int i = 0; i < WL_LANES; i += 8)
        equal |= (u32)_mm512_cmpeq_epi64_mask(_mm512_load_si512(a + i), wanted) << i;
    return equal;
}
#elif defined(__AVX2__)
static inline u32 find_equal_32(const u32 *a, u32 value)
{
    const __m256i wanted = _mm256_set1_epi32((s32)value);
    u32 equal = 0;
    for (int i = 0; i < WL_LANES; i += 8) {
        const __m256i found = _mm256_cmpeq_epi32(*(const __m256i *)(const void *)(a + i), wanted);
        equal |= (u32)_mm256_movemask_ps((__m256)found) << i;
    }
    return equal;
}

static inline u32 find_equal_64(const u64 *a, u64 value)
{
    const __m256i wanted = _mm256_set1_epi64x((s64)value);
    u32 equal = 0;
    for (int i = 0; i < WL_LANES; i += 4) {
        const __m256i found = _mm256_cmpeq_epi64(*(const __m256i *)(const void *)(a + i), wanted);
        equal |= (u32)_mm256_movemask_pd((__m256d)found) << i;
    }
    return equal;
}
#else
static inline u32 find_equal_32(const u32 *a, u32 value)
{
    u32 equal = 0;
    WL_FOR_LANES (i)
        equal |= a[i] == value ? lane_bits_4[i] : 0;
    return equal;
}

static inline u32 find_equal_64(const u64 *a, u64 value)
{
    u32 equal = 0;
    WL_FOR_LANES (i)
        equal |= a[i] == value ? lane_bits_4[i] : 0;
    return equal;
}
#endif

/* The lanes that have the value of lane i. */
static inline u32 find_equal(const struct wl_warp *warp, const struct wl_op *op, u32 i)
{
    const u32 *a32 = lane_register(warp, op->a);
    const u64 *a64 = lane_register(warp, op->a);
    return op->width_bytes == 8 ? find_equal_64(a64, a64[i]) : find_equal_32(a32, a32[i]);
}

/* The values of so many are looked for one after the other, each in the lanes that have none of
 * those before; then each lane's own, which does not wait for that of another lane. */
enum { FEW_VALUES = 4 };

/* result: the lanes of `group` get those of the members that have their value, or, asks_all, all or
 * none. The lanes whose value all members have. */
static u32 match_group(const struct wl_warp *warp, const struct wl_op *op, u32 group, u32 members,
                       u32 *result)
{
    const bool asks_all = op->kind;
    u32 all_equal = 0, rest = group;
    for (u32 n = 0, alike; n < FEW_VALUES && rest; n++, rest &= ~alike) {
        alike = find_equal(warp, op, (u32)__builtin_ctz(rest));
        const bool are_all = (alike & members) == members;
        set_lanes(result, alike & rest, asks_all && !are_all ? 0 : alike & members);
        all_equal |= are_all ? alike & rest : 0;
    }
    for (; rest; rest &= rest - 1) {
        const u32 lane = (u32)__builtin_ctz(rest), alike = find_equal(warp, op, lane) & members;
        result[lane] = asks_all && alike != members ? 0 : alike;
        all_equal |= alike == members ? LANE_BIT(lane) : 0;
    }
    return all_equal;
}

RUN(MATCH)
{
    u32 result[WL_LANES] __attribute__((aligned(64))) = {0}, all_equal = 0;
    u32 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active, group; left;) {
        const u32 members = take_group(warp, op, &left, &group);
        all_equal |= match_group(warp, op, group, members, result);
    }
    const u32 active = warp->active;
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? result[i] : d[i];
    if (op->kind && op->d != UINT32_MAX)
        set_predicate(warp, op->d, all_equal);
    return op + 1;
}

/* What the members have, combined; others do not count. */
#define COMBINE(T, start, expression)                                    \
    do {                                                                 \
        T value = (T)(start);                                            \
        WL_FOR_LANES (i) {                                               \
            const T x = members & lane_bits_4[i] ? (T)a[i] : (T)(start); \
            value = (expression);                                        \
        }                                                                \
        return (u32)value;                                               \
    } while (0)

static u32 combine(uint8_t kind, const u32 *a, u32 members)
{
    switch (kind) {
    case 0:
        COMBINE(u32, 0, value + x);
    case 1:
        COMBINE(u32, ~0u, x < value ? x : value);
    case 2:
        COMBINE(u32, 0, x > value ? x : value);
    case 3:
        COMBINE(s32, INT32_MAX, x < value ? x : value);
    case 4:
        COMBINE(s32, INT32_MIN, x > value ? x : value);
    case 5:
        COMBINE(u32, ~0u, value & x);
    case 6:
        COMBINE(u32, 0, value | x);
    default:
        COMBINE(u32, 0, value ^ x);
    }
}

/* kind: 0 add, 1 min.u, 2 max.u, 3 min.s, 4 max.s, 5 and, 6 or, 7 xor */
RUN(REDUX)
{
    const u32 *a = lane_register(warp, op->a), active = warp->active;
    u32 result[WL_LANES] = {0}, *d = lane_register(warp, op->dst);
    for (u32 left = active, group; left;) {
        u32 members = take_group(warp, op, &left, &group);
        if (!members) /* lanes that named none of those that are here; undefined */
            members = group;
        set_lanes(result, group, combine(op->kind, a, members));
    }
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? result[i] : d[i];
    return op + 1;
}
