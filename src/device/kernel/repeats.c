/* Whether memory is the same is told by 128-bit hashes (XXH3) of pieces of all allocations that the
 * kernel touched. */
#include "device/kernel/repeats.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"
#include "warp/op.h"

enum {
    SHARED_PIECES = 8,   /* so many are worth waking other threads */
    ENTRIES_MOST = 1024, /* launches that are known; then all are forgotten */
    REST_LOG_MOST = 6 /* launches that are not looked at after one in vain: 2 to the power of it */
};
#define PIECE_BYTES ((uint64_t)256 << 10)
#define KEPT_BYTES_MOST ((uint64_t)256 << 20) /* of what launches changed, all together */
#define FIRST_BYTES_PER_NS 10.0               /* that are hashed, before any were */
#define HASH_SHARE_MOST (1.0 / 3)             /* of the time that executing the launch takes */

/* Part of an allocation. */
struct piece {
    uint64_t start, size_bytes;
    XXH128_hash_t now, before; /* of what it holds: at the latest look; before the launch */
    uint8_t *left;             /* what the launch left here; NULL: what was there */
};

struct wl_device_repeat {
    uint8_t *key;
    size_t key_bytes;
    struct wl_sim_range *ranges; /* allocations that it touched */
    size_t range_count;
    uint64_t size_bytes;  /* of them */
    uint64_t executed_ns; /* what executing it took */
    struct piece *pieces; /* of the ranges; NULL until it is looked at */
    size_t piece_count;
    bool is_refused;  /* never to be spared */
    bool has_outcome; /* before and left are of one execution */
    bool is_latest;   /* it is that of the launch before this one */
    bool is_hashed;   /* now is of the launch that is executed */
    uint32_t vain;    /* outcomes in a row that the next launch did not need */
    uint32_t rest;    /* launches that are executed without a look */
    UT_hash_handle hh;
};

/* What a launch looks like; arguments follow. */
struct appearance {
    uint64_t kernel_id, shared_dynamic_bytes;
    uint32_t grid[3], block[3], cluster[3], is_cooperative;
};

/* Whether anything but memory goes into the operation, or comes of it. */
static bool is_more_than_memory(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_SPECIAL:
        return op->kind == WL_SPECIAL_CLOCK || op->kind == WL_SPECIAL_CLOCK_HI ||
               op->kind == WL_SPECIAL_CLOCK64 || op->kind == WL_SPECIAL_GLOBALTIMER ||
               op->kind == WL_SPECIAL_GLOBALTIMER_HI || op->kind == WL_SPECIAL_GRIDID;
    case WL_OP_TEXTURE_FETCH:
    case WL_OP_TEXTURE_QUERY:
    case WL_OP_SURFACE_LOAD:
    case WL_OP_SURFACE_STORE:
    case WL_OP_SURFACE_REDUCE:
    case WL_OP_CALL_PRINT:
        return true;
    default:
        return false;
    }
}

static bool can_be_spared(const struct wl_program *program)
{
    if (program->blocks_communicate || program->uses_heap || program->uses_printf)
        return false;
    for (uint32_t i = 0; i < program->op_count; i++)
        if (is_more_than_memory(&program->ops[i]))
            return false;
    return true;
}

static void forget_pieces(struct wl_device_repeat *repeat)
{
    for (size_t i = 0; i < repeat->piece_count; i++)
        if (repeat->pieces[i].left) {
            wl_device_kernels.repeat_kept_bytes -= repeat->pieces[i].size_bytes;
            free(repeat->pieces[i].left);
        }
    free(repeat->pieces);
    repeat->pieces = NULL;
    repeat->piece_count = 0;
    repeat->has_outcome = repeat->is_hashed = false;
}

static void forget_ranges(struct wl_device_repeat *repeat)
{
    forget_pieces(repeat);
    free(repeat->ranges);
    repeat->ranges = NULL;
    repeat->range_count = 0;
}

void wl_device_repeats_free(void)
{
    struct wl_device_repeat *repeat, *next;
    HASH_ITER(hh, wl_device_kernels.repeats, repeat, next)
    {
        HASH_DEL(wl_device_kernels.repeats, repeat);
        forget_ranges(repeat);
        free(repeat->key);
        free(repeat);
    }
}

static uint8_t *key_of(const struct wl_device_request *request, const uint8_t *parameters,
                       size_t *bytes)
{
    const struct wl_program *program = request->kernel->program;
    struct appearance appearance = {.kernel_id = request->kernel->info.id,
                                    .shared_dynamic_bytes = request->shared_dynamic_bytes,
                                    .is_cooperative = request->is_cooperative};
    memcpy(appearance.grid, request->grid, sizeof appearance.grid);
    memcpy(appearance.block, request->block, sizeof appearance.block);
    memcpy(appearance.cluster, request->cluster, sizeof appearance.cluster);
    *bytes = sizeof appearance + program->parameter_bytes;
    uint8_t *key = wl_alloc_zero(*bytes, 1);
    memcpy(key, &appearance, sizeof appearance);
    if (program->parameter_bytes)
        memcpy(key + sizeof appearance, parameters, program->parameter_bytes);
    return key;
}

struct wl_device_repeat *wl_device_repeat_find(const struct wl_device_request *request,
                                               const uint8_t *parameters)
{
    struct wl_device_kernel *kernel = request->kernel;
    struct wl_device_repeat *repeat = NULL;
    size_t bytes;
    if (kernel->sparing == WL_DEVICE_SPARING_UNKNOWN)
        kernel->sparing =
            can_be_spared(kernel->program) ? WL_DEVICE_SPARING_MAY_BE : WL_DEVICE_SPARING_NEVER;
    if (kernel->sparing == WL_DEVICE_SPARING_NEVER)
        return NULL;
    uint8_t *key = key_of(request, parameters, &bytes);
    HASH_FIND(hh, wl_device_kernels.repeats, key, bytes, repeat);
    if (repeat) {
        free(key);
        return repeat->is_refused ? NULL : repeat;
    }
    if (HASH_COUNT(wl_device_kernels.repeats) >= ENTRIES_MOST)
        wl_device_repeats_free();
    repeat = wl_alloc_zero(1, sizeof *repeat);
    repeat->key = key;
    repeat->key_bytes = bytes;
    HASH_ADD_KEYPTR(hh, wl_device_kernels.repeats, repeat->key, bytes, repeat);
    return repeat;
}

/* Whether the allocations that it touched are still there. */
static bool has_ranges(const struct wl_device_repeat *repeat, const struct wl_sim_launch *launch)
{
    size_t at = 0;
    for (size_t i = 0; i < repeat->range_count; i++) {
        while (at < launch->range_count && launch->ranges[at].start < repeat->ranges[i].start)
            at++;
        if (at == launch->range_count || launch->ranges[at].start != repeat->ranges[i].start ||
            launch->ranges[at].end != repeat->ranges[i].end)
            return false;
    }
    return true;
}

/* Whether looking at its memory takes little of the time that executing it does, by what looking
 * took so far. */
static bool is_worth_it(const struct wl_device_repeat *repeat)
{
    const double hashed_ns = wl_device_kernels.hashed_ns, hashed = wl_device_kernels.hashed_bytes;
    const double bytes_per_ns =
        hashed > 0 && hashed_ns > 0 ? hashed / hashed_ns : FIRST_BYTES_PER_NS;
    return wl_device_kernels.spares_any || (double)repeat->size_bytes / bytes_per_ns <=
                                               HASH_SHARE_MOST * (double)repeat->executed_ns;
}

static XXH128_hash_t hash_of(const struct piece *piece)
{
    return XXH3_128bits((const void *)(uintptr_t)piece->start, (size_t)piece->size_bytes);
}

static void hash_now(void *self, uint32_t index, uint32_t worker)
{
    struct piece *pieces = self;
    (void)worker;
    pieces[index].now = hash_of(&pieces[index]);
}

static void hash_pieces(struct wl_device_repeat *repeat)
{
    if (repeat->piece_count < SHARED_PIECES) {
        for (size_t i = 0; i < repeat->piece_count; i++)
            hash_now(repeat->pieces, (uint32_t)i, 0);
        return;
    }
    const uint64_t begin_ns = wl_clock_monotonic_ns();
    wl_sim_share(wl_device_kernels.sim, wl_device.options.threads, (uint32_t)repeat->piece_count,
                 hash_now, repeat->pieces);
    wl_device_kernels.hashed_ns += (double)(wl_clock_monotonic_ns() - begin_ns);
    wl_device_kernels.hashed_bytes += (double)repeat->size_bytes;
}

static bool is_as_before(const struct wl_device_repeat *repeat)
{
    for (size_t i = 0; i < repeat->piece_count; i++)
        if (!XXH128_isEqual(repeat->pieces[i].now, repeat->pieces[i].before))
            return false;
    return true;
}

static void write_outcome(const struct wl_device_repeat *repeat)
{
    for (size_t i = 0; i < repeat->piece_count; i++)
        if (repeat->pieces[i].left)
            memcpy((void *)(uintptr_t)repeat->pieces[i].start, repeat->pieces[i].left,
                   (size_t)repeat->pieces[i].size_bytes);
}

static void cut_pieces(struct wl_device_repeat *repeat)
{
    size_t count = 0;
    for (size_t i = 0; i < repeat->range_count; i++)
        count += (repeat->ranges[i].end - repeat->ranges[i].start + PIECE_BYTES - 1) / PIECE_BYTES;
    repeat->pieces = wl_alloc_zero(count + 1, sizeof *repeat->pieces);
    for (size_t i = 0; i < repeat->range_count; i++)
        for (uint64_t at = repeat->ranges[i].start, left; at < repeat->ranges[i].end; at += left) {
            left = repeat->ranges[i].end - at;
            left = left < PIECE_BYTES ? left : PIECE_BYTES;
            repeat->pieces[repeat->piece_count++] = (struct piece){.start = at, .size_bytes = left};
        }
}

/* Whether its memory is that of the launch whose outcome is known. Where launches change what they
 * read, every second look is in vain: the more are, the fewer are made. */
static bool is_known(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch)
{
    if (repeat->range_count && !has_ranges(repeat, launch))
        forget_ranges(repeat);
    if (!repeat->range_count || !is_worth_it(repeat))
        return false;
    const bool is_latest = repeat->is_latest;
    repeat->is_latest = false;
    if (repeat->rest) {
        repeat->rest--;
        return false;
    }
    if (!repeat->pieces)
        cut_pieces(repeat);
    hash_pieces(repeat);
    if (repeat->has_outcome && is_as_before(repeat))
        return true;
    repeat->is_hashed = !is_latest;
    if (is_latest) {
        repeat->vain += repeat->vain < REST_LOG_MOST;
        repeat->rest = (uint32_t)1 << repeat->vain;
    }
    return false;
}

bool wl_device_repeat_spare(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch,
                            struct wl_sim_options *options)
{
    options->touched = NULL;
    if (is_known(repeat, launch)) {
        write_outcome(repeat);
        repeat->vain = 0;
        repeat->is_hashed = false;
        wl_device_kernels.spared++;
        return true;
    }
    if (repeat->is_hashed || !repeat->range_count)
        options->touched = wl_alloc_zero(launch->range_count + 1, 1);
    return false;
}

static bool is_of_the_program(const struct wl_sim_range *range)
{
    const struct wl_device_blocks *registered = &wl_device_memory.registered;
    for (size_t i = 0; i < registered->count; i++)
        if (registered->items[i].start < range->end && range->start < registered->items[i].end)
            return true;
    return false;
}

/* False: memory of the program's own is among it, which it may take away. */
static bool take_ranges(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch,
                        const uint8_t *touched)
{
    size_t capacity = 0;
    bool is_ours = true;
    forget_ranges(repeat);
    repeat->size_bytes = 0;
    for (size_t i = 0; i < launch->range_count; i++) {
        if (!touched[i])
            continue;
        if (repeat->range_count == capacity)
            wl_vector_grow((void **)&repeat->ranges, capacity, &capacity, sizeof *repeat->ranges);
        repeat->ranges[repeat->range_count++] = launch->ranges[i];
        repeat->size_bytes += launch->ranges[i].end - launch->ranges[i].start;
        is_ours &= !is_of_the_program(&launch->ranges[i]);
    }
    return is_ours;
}

static bool touched_the_same(const struct wl_device_repeat *repeat,
                             const struct wl_sim_launch *launch, const uint8_t *touched)
{
    size_t at = 0;
    for (size_t i = 0; i < launch->range_count; i++) {
        if (!touched[i])
            continue;
        if (at == repeat->range_count || repeat->ranges[at].start != launch->ranges[i].start)
            return false;
        at++;
    }
    return at == repeat->range_count;
}

/* Keeps what the piece holds, where the launch changed it; false: too much is kept. */
static bool keep_left(struct piece *piece)
{
    if (piece->left) {
        wl_device_kernels.repeat_kept_bytes -= piece->size_bytes;
        free(piece->left);
        piece->left = NULL;
    }
    if (XXH128_isEqual(piece->before, piece->now))
        return true;
    if (wl_device_kernels.repeat_kept_bytes + piece->size_bytes > KEPT_BYTES_MOST)
        return false;
    piece->left = wl_alloc((size_t)piece->size_bytes);
    memcpy(piece->left, (const void *)(uintptr_t)piece->start, (size_t)piece->size_bytes);
    wl_device_kernels.repeat_kept_bytes += piece->size_bytes;
    return true;
}

static void keep_outcome(struct wl_device_repeat *repeat)
{
    for (size_t i = 0; i < repeat->piece_count; i++)
        repeat->pieces[i].before = repeat->pieces[i].now;
    hash_pieces(repeat);
    repeat->has_outcome = repeat->is_latest = true;
    for (size_t i = 0; i < repeat->piece_count; i++)
        repeat->has_outcome &= keep_left(&repeat->pieces[i]);
}

void wl_device_repeat_note(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch,
                           const struct wl_sim_options *options, bool is_clean, uint64_t wall_ns)
{
    uint8_t *touched = options->touched;
    const bool was_hashed = repeat->is_hashed;
    repeat->is_hashed = false;
    if (!touched)
        return;
    repeat->executed_ns = wall_ns;
    if (!is_clean) {
        repeat->is_refused = true;
        forget_ranges(repeat);
    } else if (was_hashed && touched_the_same(repeat, launch, touched)) {
        keep_outcome(repeat);
    } else if (!take_ranges(repeat, launch, touched)) {
        repeat->is_refused = true;
        forget_ranges(repeat);
    }
    free(touched);
}
