/* Atomics and reductions on words of 32 and 64 bits. */
#include "sim/cluster.h"
#include "sim/exec/spread.h"
#include "sim/exec/values.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

#define COMPARE_LOOP(type, expression)                                                     \
    do {                                                                                   \
        old = __atomic_load_n(cell, __ATOMIC_RELAXED);                                     \
        do {                                                                               \
            desired = (type)(expression);                                                  \
        } while (!__atomic_compare_exchange_n(cell, &old, desired, true, __ATOMIC_SEQ_CST, \
                                              __ATOMIC_RELAXED));                          \
    } while (0)

static u32 add_float_bits(u32 a, u32 b)
{
    return bits_of(float_of(a) + float_of(b));
}

static u64 add_double_bits(u64 a, u64 b)
{
    const f64 x = double_of(a), y = double_of(b);
    return bits_of_double(x != x ? x + x : x + y);
}

/* What an atomic makes of the word that is there. second: what compare-and-swap puts there. */
static inline __attribute__((always_inline)) u32 combine_32(enum wl_atomic kind, u32 old,
                                                            u32 operand, u32 second)
{
    switch (kind) {
    case WL_ATOMIC_ADD_U32:
        return old + operand;
    case WL_ATOMIC_AND_B32:
        return old & operand;
    case WL_ATOMIC_OR_B32:
        return old | operand;
    case WL_ATOMIC_XOR_B32:
        return old ^ operand;
    case WL_ATOMIC_EXCH_B32:
        return operand;
    case WL_ATOMIC_CAS_B32:
        return old == operand ? second : old;
    case WL_ATOMIC_ADD_F32:
        return add_float_bits(old, operand);
    case WL_ATOMIC_ADD_FTZ_F32:
        return add_flushed_bits(old, operand);
    case WL_ATOMIC_MIN_U32:
        return operand < old ? operand : old;
    case WL_ATOMIC_MAX_U32:
        return operand > old ? operand : old;
    case WL_ATOMIC_MIN_S32:
        return (s32)operand < (s32)old ? operand : old;
    case WL_ATOMIC_MAX_S32:
        return (s32)operand > (s32)old ? operand : old;
    case WL_ATOMIC_INC_U32:
        return old >= operand ? 0 : old + 1;
    default:
        return old == 0 || old > operand ? operand : old - 1;
    }
}

static inline __attribute__((always_inline)) u64 combine_64(enum wl_atomic kind, u64 old,
                                                            u64 operand, u64 second)
{
    switch (kind) {
    case WL_ATOMIC_ADD_U64:
        return old + operand;
    case WL_ATOMIC_AND_B64:
        return old & operand;
    case WL_ATOMIC_OR_B64:
        return old | operand;
    case WL_ATOMIC_XOR_B64:
        return old ^ operand;
    case WL_ATOMIC_EXCH_B64:
        return operand;
    case WL_ATOMIC_CAS_B64:
        return old == operand ? second : old;
    case WL_ATOMIC_MIN_U64:
        return operand < old ? operand : old;
    case WL_ATOMIC_MAX_U64:
        return operand > old ? operand : old;
    case WL_ATOMIC_MIN_S64:
        return (s64)operand < (s64)old ? operand : old;
    case WL_ATOMIC_MAX_S64:
        return (s64)operand > (s64)old ? operand : old;
    default:
        return add_double_bits(old, operand);
    }
}

/* One lane's atomic on memory where other worker threads may be at the same word. */
static inline __attribute__((always_inline)) u32 atomic_32(enum wl_atomic kind, u32 *cell,
                                                           u32 operand, u32 second)
{
    u32 old, desired;
    switch (kind) {
    case WL_ATOMIC_ADD_U32:
        return __atomic_fetch_add(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_AND_B32:
        return __atomic_fetch_and(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_OR_B32:
        return __atomic_fetch_or(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_XOR_B32:
        return __atomic_fetch_xor(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_EXCH_B32:
        return __atomic_exchange_n(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_CAS_B32:
        old = operand;
        __atomic_compare_exchange_n(cell, &old, second, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    default:
        COMPARE_LOOP(u32, combine_32(kind, old, operand, second));
        return old;
    }
}

static inline __attribute__((always_inline)) u64 atomic_64(enum wl_atomic kind, u64 *cell,
                                                           u64 operand, u64 second)
{
    u64 old, desired;
    switch (kind) {
    case WL_ATOMIC_ADD_U64:
        return __atomic_fetch_add(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_AND_B64:
        return __atomic_fetch_and(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_OR_B64:
        return __atomic_fetch_or(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_XOR_B64:
        return __atomic_fetch_xor(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_EXCH_B64:
        return __atomic_exchange_n(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_CAS_B64:
        old = operand;
        __atomic_compare_exchange_n(cell, &old, second, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    default:
        COMPARE_LOOP(u64, combine_64(kind, old, operand, second));
        return old;
    }
}

u64 WL_EXEC(reduce_plain)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand)
{
    return bytes == 8 ? combine_64(kind, old, operand, 0)
                      : combine_32(kind, (u32)old, (u32)operand, 0);
}

void WL_EXEC(add_kept)(const struct wl_kept *kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const u64 address = kept[i].place & ~(u64)1;
        if (kept[i].place & 1)
            *POINTER(u64, address) = add_double_bits(*POINTER(u64, address), kept[i].operand);
        else
            *POINTER(u32, address) = add_flushed_bits(*POINTER(u32, address), (u32)kept[i].operand);
    }
}

/* Whether these are sums in global memory that nobody sees. */
static bool is_kept(const struct access *access, enum wl_atomic kind)
{
    const struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    const u64 place = access->address[__builtin_ctz(warp->active)];
    const u64 local_bytes = (u64)run->program->local_bytes * WL_LANES;
    return (run->turns || run->orders_sums) &&
           (kind == WL_ATOMIC_ADD_FTZ_F32 || kind == WL_ATOMIC_ADD_F64) &&
           !(access->op->flags & WL_OPF_RESULT) && !(access->op->spare & WL_ORDER_TURN) &&
           place - (u64)(uintptr_t)warp->local >= local_bytes;
}

/* Sums that come later, in an order that does not hang on the host's threads. */
static void keep_sums(const struct access *access)
{
    const struct wl_warp *warp = access->warp;
    const u32 *b32 = lane_register(warp, access->op->b);
    const u64 *b64 = lane_register(warp, access->op->b);
    const bool is_double = access->op->width_bytes == 8;
    for (u32 left = warp->active; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        WL_PUSH(&warp->sm->kept,
                ((struct wl_kept){access->address[i] + is_double, is_double ? b64[i] : b32[i],
                                  warp->cta->linear}));
    }
}

/* What a compare-and-swap counts for in the age of its path: locks are made of it, and who waits
 * for one may be waiting for a lane that is parked. */
#define SPIN_AGE 256

/* Lane after lane, whose operands are b, and for compare-and-swap c; dst gets the old values where
 * RESULT is set. is_own: one thread of the host runs all that may access the memory. */
#define CHANGE(name, type, atomic, combine)                                                  \
    static inline __attribute__((always_inline)) void name(const struct access *access,      \
                                                           enum wl_atomic kind, bool is_own) \
    {                                                                                        \
        const struct wl_op *op = access->op;                                                 \
        const type *b = lane_register(access->warp, op->b);                                  \
        const type *c = lane_register(access->warp, op->c);                                  \
        type *d = op->flags & WL_OPF_RESULT ? lane_register(access->warp, op->dst) : NULL;   \
        for (u32 left = access->warp->active; left; left &= left - 1) {                      \
            const int i = __builtin_ctz(left);                                               \
            type *cell = POINTER(type, access->address[i]);                                  \
            const type old = is_own ? *cell : atomic(kind, cell, b[i], c[i]);                \
            if (is_own)                                                                      \
                *cell = combine(kind, old, b[i], c[i]);                                      \
            if (d)                                                                           \
                d[i] = old;                                                                  \
        }                                                                                    \
    }
CHANGE(change_words, u32, atomic_32, combine_32)
CHANGE(change_doubles, u64, atomic_64, combine_64)

#define CASE(change, name)                                                                         \
    case WL_ATOMIC_##name:                                                                         \
        is_own ? change(access, WL_ATOMIC_##name, true) : change(access, WL_ATOMIC_##name, false); \
        break

/* Each kind has a loop of its own. */
static void change_memory(const struct access *access, enum wl_atomic kind, bool is_own)
{
    switch (kind) {
        CASE(change_words, ADD_U32);
        CASE(change_words, AND_B32);
        CASE(change_words, OR_B32);
        CASE(change_words, XOR_B32);
        CASE(change_words, EXCH_B32);
        CASE(change_words, CAS_B32);
        CASE(change_words, ADD_F32);
        CASE(change_words, ADD_FTZ_F32);
        CASE(change_words, MIN_U32);
        CASE(change_words, MAX_U32);
        CASE(change_words, MIN_S32);
        CASE(change_words, MAX_S32);
        CASE(change_words, INC_U32);
        CASE(change_words, DEC_U32);
        CASE(change_doubles, ADD_U64);
        CASE(change_doubles, AND_B64);
        CASE(change_doubles, OR_B64);
        CASE(change_doubles, XOR_B64);
        CASE(change_doubles, EXCH_B64);
        CASE(change_doubles, CAS_B64);
        CASE(change_doubles, MIN_U64);
        CASE(change_doubles, MAX_U64);
        CASE(change_doubles, MIN_S64);
        CASE(change_doubles, MAX_S64);
        CASE(change_doubles, ADD_F64);
    default: /* those of ATOMIC_LIST */
        break;
    }
}

/* Whether the place is in the shared memory of the warp's block, or of another of its cluster,
 * which the same thread of the host runs. */
static bool is_in_shared(const struct wl_warp *warp, u64 place)
{
    const struct wl_run *run = warp->worker->run;
    bool is_in = place - (u64)(uintptr_t)warp->shared < run->shared_bytes;
    for (u32 rank = 0; run->reaches_peers && !is_in && rank < run->cluster_size; rank++) {
        const u64 start = (u64)(uintptr_t)wl_cluster_block(warp->cta, rank)->shared;
        is_in = place - start < run->shared_bytes;
    }
    return is_in;
}

static void move_atomic(struct access *access)
{
    if (access->shape == WL_SHAPE_WINDOW)
        for (int i = 0; i < WL_LANES; i++)
            access->address[i] = access->window + 4ull * access->site->memo.pattern->index[i];
    else if (access->shape == WL_SHAPE_CONTIGUOUS)
        for (int i = 0; i < WL_LANES; i++)
            access->address[i] = access->window + (u64)(u32)i * access->bytes;
    struct wl_warp *warp = access->warp;
    const struct wl_op *op = access->op;
    /* single-precision sums flush subnormals in global memory, not in shared (PTX ISA, atom) */
    const bool is_shared = is_in_shared(warp, access->address[__builtin_ctz(warp->active)]);
    enum wl_atomic kind = op->kind;
    if (kind == WL_ATOMIC_CAS_B32 || kind == WL_ATOMIC_CAS_B64)
        warp->path_age += SPIN_AGE;
    if (kind == WL_ATOMIC_ADD_F32 && !is_shared)
        kind = WL_ATOMIC_ADD_FTZ_F32;
    if (!is_shared && is_kept(access, kind)) {
        keep_sums(access);
        return;
    }
    if (!is_shared) /* each waits for its own line; none for that of another lane */
        for (int i = 0; i < WL_LANES; i++)
            __builtin_prefetch(POINTER(void, access->address[i]), 1);
    change_memory(access, kind, is_shared);
}

static enum wl_site_access atomic_access(const struct wl_op *op)
{
    return op->flags & WL_OPF_RESULT ? WL_SITE_ATOMIC : WL_SITE_REDUCTION;
}

RUN(ATOMIC_GLOBAL)
{
    struct access access;
    wait_for_turn(warp, op);
    access_resolve(&access, warp, op, atomic_access(op));
    if (!WL_EXEC(access_global)(&access))
        return NULL;
    move_atomic(&access);
    return op + 1;
}

RUN(ATOMIC_SHARED)
{
    struct access access;
    if (!reach_spread(&access, warp, op, atomic_access(op))) {
        access_resolve(&access, warp, op, atomic_access(op));
        if (!WL_EXEC(access_shared)(&access))
            return NULL;
    }
    move_atomic(&access);
    return op + 1;
}

RUN(ATOMIC_GENERIC)
{
    const u64 window = WL_EXEC(access_window)(warp, op);
    if (window == WL_SHARED_WINDOW)
        return WL_EXEC(ATOMIC_SHARED)(warp, op);
    if (window == 0)
        return WL_EXEC(ATOMIC_GLOBAL)(warp, op);
    wait_for_turn(warp, op);
    return WL_EXEC(access_generic)(warp, op, atomic_access(op), move_atomic);
}
