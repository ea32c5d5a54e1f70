/* Puts compiled segments into a program, and judges at run time whether they fit. */
#include "sim/native/native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/check.h"
#include "sim/executor.h"
#include "sim/l1.h"
#include "sim/shadow_rows.h"

enum {
    OFTEN = 32,        /* executions after which a segment is compiled, or tried again */
    EAGER_OFTEN = 8,   /* the same in tests */
    SEEN_MOST = 4096,  /* after which nobody tries again */
    MISSES_MOST = 1024 /* of a compiled one that fits seldom */
};

/* Bytes of the host's vectors that code can be written for; 0: none. */
static uint32_t host_vector_bytes(void)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return 64;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 32;
#endif
    return 0;
}

static void set_run(struct wl_op *op, wl_op_run run)
{
    __atomic_store_n(&op->run[0], run, __ATOMIC_RELEASE);
}

/* Where lanes are off: what the operation is but for a loading segment that begins there. */
static void set_unpartly_run(struct wl_program *program, uint32_t at, wl_op_run run)
{
    struct wl_native_segment *before = program->native->partly[at];
    if (before)
        __atomic_store_n(&before->masked.otherwise, run, __ATOMIC_RELEASE);
    if (!before || before->masked.is_given_up)
        __atomic_store_n(&program->ops[at].run[1], run, __ATOMIC_RELEASE);
}

/* The same but for a free segment, too. */
static void set_masked_run(struct wl_program *program, uint32_t at, wl_op_run run)
{
    struct wl_native_segment *before = program->native->free[at];
    if (before)
        __atomic_store_n(&before->masked.otherwise, run, __ATOMIC_RELEASE);
    else
        set_unpartly_run(program, at, run);
}

/* ---- shared loads: what a worker has learnt of them ---- */

static const struct wl_op *first_op(const struct wl_program *program,
                                    const struct wl_native_segment *segment)
{
    return &program->ops[segment->first];
}

static bool is_access(const struct wl_op *op)
{
    const uint8_t form = wl_native_rows[op->code].form;
    return form == WL_NATIVE_SHARED || form == WL_NATIVE_GLOBAL || form == WL_NATIVE_STORE;
}

/* What a site has shown: how its lanes lie to each other, and where the first may lie. */
struct shown {
    bool is_known;
    int64_t from, to; /* of the first lane's address register */
    uint32_t phase, phase_mask;
};

static struct shown shared_shown(const struct wl_site_state *site, const struct wl_op *op,
                                 const struct wl_native_address *address)
{
    const struct wl_shared_memo *memo = &site->memo;
    const uint32_t offset = (uint32_t)op->imm;
    if (!memo->window || memcmp(memo->window->offset, address->near, sizeof address->near) != 0)
        return (struct shown){.is_known = false};
    const int64_t shift = (int64_t)(int32_t)offset + ((int64_t)memo->low - (1ll << 31));
    return (struct shown){.is_known = true,
                          .from = shift < 0 ? -shift : 0,
                          .to = (int64_t)memo->start_most - shift,
                          .phase = (memo->phase - offset) & memo->phase_mask,
                          .phase_mask = memo->phase_mask};
}

static struct shown global_shown(const struct wl_site_state *site, const struct wl_op *op,
                                 const struct wl_native_address *address)
{
    const int64_t start = (int64_t)site->range_start, end = (int64_t)site->range_end;
    if (!site->has_pattern || !site->is_regular || start < 0 || end < start ||
        (uint64_t)(end - start) < site->span ||
        memcmp(site->delta, address->far, sizeof address->far) != 0)
        return (struct shown){.is_known = false};
    const int64_t shift = op->imm + site->low; /* both less than 2^31: patterns are as compiled */
    const uint32_t mask = (uint32_t)op->width_bytes * op->count - 1u;
    return (struct shown){.is_known = true,
                          .from = start > shift ? start - shift : 0,
                          .to = end - (int64_t)site->span - shift,
                          .phase = (0u - (uint32_t)op->imm) & mask,
                          .phase_mask = mask};
}

/* Narrows where the first lane may lie to what this load has shown. */
static bool narrow_slot(struct wl_native_slot *slot, int64_t *last, const struct shown *shown)
{
    if (!shown->is_known || (shown->phase ^ slot->phase) & shown->phase_mask & slot->phase_mask)
        return false;
    if (shown->phase_mask > slot->phase_mask) {
        slot->phase_mask = shown->phase_mask;
        slot->phase = shown->phase;
    }
    if (shown->from > (int64_t)slot->least)
        slot->least = (uint64_t)shown->from;
    *last = shown->to < *last ? shown->to : *last;
    return (int64_t)slot->least <= *last;
}

/* Fills the plan from what the worker's sites have shown. False: not all is as it was compiled. */
static bool make_plan(const struct wl_worker *worker, const struct wl_native_segment *segment,
                      struct wl_native_plan *plan)
{
    const struct wl_op *ops = first_op(worker->run->program, segment);
    int64_t last[WL_NATIVE_SLOTS];
    plan->learnt = 0;
    for (uint32_t i = 0; i < segment->slot_count; i++) {
        plan->slots[i] = (struct wl_native_slot){0};
        last[i] = segment->slots[i].is_global ? INT64_MAX : UINT32_MAX;
    }
    for (uint32_t i = 0; i < segment->count; i++) {
        if (!is_access(&ops[i]))
            continue;
        const struct wl_site_state *site = &worker->sites[ops[i].site];
        const uint32_t slot = segment->slot_of[i];
        const struct wl_native_address *address = &segment->slots[slot];
        const struct shown shown =
            (address->is_global ? global_shown : shared_shown)(site, &ops[i], address);
        if (!narrow_slot(&plan->slots[slot], &last[slot], &shown))
            return false;
    }
    for (uint32_t i = 0; i < segment->slot_count; i++)
        plan->slots[i].room = (uint64_t)last[i] - plan->slots[i].least;
    plan->learnt = worker->learnt;
    return true;
}

void wl_native_settle(struct wl_worker *worker)
{
    const struct wl_native *native = worker->run->program->native;
    for (uint32_t i = 0; native && worker->plans && i < native->plan_count; i++) {
        struct wl_native_plan *plan = &worker->plans[i];
        struct wl_native_segment *segment = native->loading[i];
        if (!plan->executions)
            continue;
        const struct wl_op *ops = first_op(worker->run->program, segment);
        for (uint32_t k = 0; k < segment->count && worker->run->count; k++)
            if (ops[k].code == WL_OP_LOAD_SHARED || ops[k].code == WL_OP_STORE_SHARED)
                worker->sites[ops[k].site].memo.repeats += plan->executions;
        __atomic_add_fetch(&segment->hits, (uint32_t)plan->executions, __ATOMIC_RELAXED);
        plan->executions = 0;
    }
}

void wl_native_relearn(struct wl_worker *worker, uint32_t site)
{
    const struct wl_native *native = worker->run->program->native;
    if (!native || !worker->plans || !native->is_loading_site[site])
        return;
    wl_native_settle(worker);
    worker->learnt++;
}

void wl_native_begin_worker(struct wl_worker *worker)
{
    const struct wl_native *native = worker->run->program->native;
    worker->learnt = 1;
    worker->plans =
        native ? wl_alloc_aligned(WL_APART, native->plan_count * sizeof *worker->plans) : NULL;
}

void wl_native_end_worker(struct wl_worker *worker)
{
    const struct wl_native *native = worker->run->program->native;
    for (uint32_t i = 0; native && worker->plans && i < native->plan_count; i++)
        __atomic_add_fetch(&native->loading[i]->masked.hits, (uint32_t)worker->plans[i].partly,
                           __ATOMIC_RELAXED);
    free(worker->plans);
    worker->plans = NULL;
}

/* Has the checks look at the loads of a segment that fits. */
static void check_loads(struct wl_warp *warp, const struct wl_native_segment *segment,
                        const struct wl_native_plan *plan)
{
    const struct wl_op *ops = first_op(warp->worker->run->program, segment);
    uint32_t base[WL_NATIVE_SLOTS];
    for (uint32_t i = 0; i < segment->slot_count; i++)
        base[i] = (uint32_t)plan->slots[i].lanes[0];
    const bool is_done =
        segment->reads && wl_check_shared_at_once(warp, segment->reads, base, segment->slot_count);
    for (uint32_t i = 0; i < segment->count && !(is_done && !segment->global_loads); i++) {
        const uint32_t slot = segment->slot_of[i];
        const struct wl_native_address *address = &segment->slots[slot];
        if (ops[i].code == WL_OP_LOAD_SHARED && !is_done)
            wl_check_shared_load(warp, &ops[i], address->near, base[slot]);
        else if (ops[i].code == WL_OP_LOAD_GLOBAL)
            wl_check_global_load(warp, &ops[i], address->far, plan->slots[slot].lanes[0]);
    }
}

/* Counts the global accesses of a segment that fits, and has its loads checked. Called by its code.
 */
static void count_accesses(struct wl_warp *warp, const struct wl_native_segment *segment)
{
    const struct wl_native_plan *plan = &warp->worker->plans[segment->index];
    uint64_t addresses[WL_NATIVE_SLOTS];
    if (warp->worker->run->program->native->checks)
        check_loads(warp, segment, plan);
    if (!warp->worker->run->count || !segment->global_count)
        return;
    for (uint32_t i = 0; i < segment->slot_count; i++)
        addresses[i] = plan->slots[i].lanes[0];
    const struct wl_counted counted = {first_op(warp->worker->run->program, segment),
                                       segment->globals, segment->global_count, segment->slot_of,
                                       addresses};
    wl_executor_count_accesses()(warp, &counted);
}

/* ---- compiling ---- */

static const struct wl_op *run_anyway(struct wl_warp *warp, const struct wl_op *op,
                                      struct wl_native_segment *segment);
static const struct wl_op *run_bound(struct wl_warp *warp, const struct wl_op *op,
                                     struct wl_native_segment *segment);
static const struct wl_op *run_astray(struct wl_warp *warp, const struct wl_op *op,
                                      struct wl_native_segment *segment);

/* Writes the segment's code into memory of its own, which then may be executed and not written.
 * NULL: it cannot be. */
static wl_op_run write_code(const struct wl_program *program,
                            const struct wl_native_segment *segment, bool is_masked, void **written,
                            size_t *written_bytes)
{
    struct wl_assembly code = {.is_256 = program->native->is_256};
    wl_op_run run = NULL;
    const uintptr_t miss = segment->is_free ? (uintptr_t)run_bound
                           : is_masked      ? (uintptr_t)run_astray
                                            : (uintptr_t)run_anyway;
    bool is_good =
        wl_native_emit(program, segment, is_masked, miss, (uintptr_t)count_accesses, &code);
    const size_t bytes = wl_assembly_size(&code);
    void *memory = MAP_FAILED;
    if (is_good)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    is_good = memory != MAP_FAILED;
    if (is_good) {
        wl_assembly_write(&code, memory);
        is_good = mprotect(memory, bytes, PROT_READ | PROT_EXEC) == 0;
        if (!is_good)
            munmap(memory, bytes);
    }
    if (is_good) {
        *written = memory;
        *written_bytes = bytes;
        const uintptr_t entry = (uintptr_t)memory;
        memcpy(&run, &entry, sizeof run);
    }
    wl_assembly_free(&code);
    return run;
}

static bool compile(const struct wl_program *program, struct wl_native_segment *segment)
{
    segment->code = write_code(program, segment, false, &segment->memory, &segment->memory_bytes);
    return segment->code != NULL;
}

static bool compile_masked(const struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_native_masked *masked = &segment->masked;
    masked->code = write_code(program, segment, true, &masked->memory, &masked->memory_bytes);
    return masked->code != NULL;
}

/* The program of a warp that runs: compiling changes its operations' functions, nothing else. */
static struct wl_program *program_of(const struct wl_warp *warp)
{
    return (struct wl_program *)(uintptr_t)warp->worker->run->program;
}

static const struct wl_op *learn(struct wl_warp *warp, const struct wl_op *op);

/* The segment begins with learn() from now on. */
static void begin_learning(struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_op *op = &program->ops[segment->first];
    segment->otherwise = op->run[0];
    op->segment = segment->number;
    set_run(op, learn);
}

/* The loads are the executor's from now on, what stands between them is compiled without them. */
static void give_up(struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_native *native = program->native;
    pthread_mutex_lock(&native->lock);
    if (!segment->is_given_up) {
        segment->is_given_up = true;
        set_run(&program->ops[segment->first], segment->otherwise);
        for (uint32_t i = 0; i < segment->part_count; i++)
            begin_learning(program, native->segments.items[segment->parts + i]);
    }
    pthread_mutex_unlock(&native->lock);
}

/* Copies how the lanes of a load lie to each other. False: that is not known. */
static bool copy_pattern(const struct wl_site_state *site, struct wl_native_address *address)
{
    if (!address->is_global) {
        if (site->memo.window)
            memcpy(address->near, site->memo.window->offset, sizeof address->near);
        return site->memo.window != NULL;
    }
    memcpy(address->far, site->delta, sizeof address->far);
    return site->has_pattern && site->is_regular;
}

/* The patterns of the segment's addresses, as the worker's sites have them; all loads of an address
 * must agree. */
static bool copy_patterns(const struct wl_worker *worker, struct wl_native_segment *segment)
{
    const struct wl_op *ops = first_op(worker->run->program, segment);
    bool is_known[WL_NATIVE_SLOTS] = {false};
    for (uint32_t i = 0; i < segment->count; i++) {
        if (!is_access(&ops[i]))
            continue;
        const uint32_t slot = segment->slot_of[i];
        struct wl_native_address *address = &segment->slots[slot], before = *address;
        if (!copy_pattern(&worker->sites[ops[i].site], address) ||
            (is_known[slot] && (memcmp(before.near, address->near, sizeof before.near) != 0 ||
                                memcmp(before.far, address->far, sizeof before.far) != 0)))
            return false;
        is_known[slot] = true;
    }
    return true;
}

/* For the checks, the segment's loads of shared memory. */
static void find_reads(const struct wl_program *program, struct wl_native_segment *segment)
{
    const struct wl_op *ops = first_op(program, segment);
    struct wl_shadow_reads *reads = wl_shadow_reads_create();
    for (uint32_t i = 0; i < segment->count; i++) {
        const uint32_t elements[] = {ops[i].dst, ops[i].b, ops[i].c, ops[i].d};
        const uint32_t slot = segment->slot_of[i];
        for (uint32_t k = 0; ops[i].code == WL_OP_LOAD_SHARED && k < ops[i].count; k++)
            if (elements[k] != UINT32_MAX)
                wl_shadow_reads_add(reads, slot, &ops[i], (int32_t)(ops[i].imm + 4 * k),
                                    segment->slots[slot].near);
    }
    wl_shadow_reads_free(segment->reads);
    segment->reads = wl_shadow_reads_finish(reads) ? reads : NULL;
    if (!segment->reads)
        wl_shadow_reads_free(reads);
}

/* Compiles a segment that has run often, unless another thread has. False: it cannot be. */
static bool compile_known(struct wl_warp *warp, struct wl_native_segment *segment)
{
    struct wl_program *program = program_of(warp);
    bool is_good = true;
    pthread_mutex_lock(&program->native->lock);
    if (!segment->code && !segment->is_given_up && copy_patterns(warp->worker, segment)) {
        if (program->native->checks)
            find_reads(program, segment);
        is_good = compile(program, segment);
        if (is_good)
            set_run(&program->ops[segment->first], segment->code);
    }
    pthread_mutex_unlock(&program->native->lock);
    return is_good;
}

/* Stands for a segment until it has run often enough to be compiled; one that loads, until its
 * loads have shown how lanes lie to each other. */
static const struct wl_op *learn(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_program *program = program_of(warp);
    struct wl_native_segment *segment = program->native->segments.items[op->segment];
    const uint32_t seen = warp->trace ? 1 : __atomic_add_fetch(&segment->seen, 1, __ATOMIC_RELAXED);
    const uint32_t often = program->native->is_eager ? EAGER_OFTEN : OFTEN;
    if (seen >= SEEN_MOST || (seen % often == 0 && !compile_known(warp, segment)))
        give_up(program, segment);
    return segment->otherwise(warp, op);
}

/* Stands for a segment that lanes are off at until that was so often enough. */
static const struct wl_op *learn_masked(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_program *program = program_of(warp);
    struct wl_native_segment *segment = program->native->masked[op - program->ops];
    struct wl_native_masked *masked = &segment->masked;
    if (__atomic_add_fetch(&masked->seen, 1, __ATOMIC_RELAXED) == OFTEN) {
        pthread_mutex_lock(&program->native->lock);
        const bool is_good = compile_masked(program, segment);
        set_masked_run(program, segment->first, is_good ? masked->code : masked->otherwise);
        pthread_mutex_unlock(&program->native->lock);
    }
    return masked->otherwise(warp, op);
}

static void begin_learning_masked(struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_op *op = &program->ops[segment->first];
    segment->masked.otherwise = op->run[1];
    program->native->masked[segment->first] = segment;
    const bool is_compiled = program->native->is_eager && compile_masked(program, segment);
    set_masked_run(program, segment->first, is_compiled ? segment->masked.code : learn_masked);
}

/* ---- free segments ---- */

static wl_op_run otherwise_of(const struct wl_native_segment *segment)
{
    return __atomic_load_n(&segment->masked.otherwise, __ATOMIC_ACQUIRE);
}

/* Where a free segment goes whose accesses somebody looks at, or whose first is not as it should
 * be. */
static const struct wl_op *run_bound(struct wl_warp *warp, const struct wl_op *op,
                                     struct wl_native_segment *segment)
{
    return otherwise_of(segment)(warp, op);
}

/* Stands for one that cannot be compiled. */
static const struct wl_op *run_unfree(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_program *program = warp->worker->run->program;
    return run_bound(warp, op, program->native->free[op - program->ops]);
}

/* Stands for a free segment until it would have been of use often enough. */
static const struct wl_op *learn_free(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_program *program = program_of(warp);
    struct wl_native_segment *segment = program->native->free[op - program->ops];
    struct wl_native_masked *masked = &segment->masked;
    const bool is_use = !warp->worker->run->count && !warp->trace;
    if (is_use && __atomic_add_fetch(&masked->seen, 1, __ATOMIC_RELAXED) == OFTEN) {
        pthread_mutex_lock(&program->native->lock);
        const bool is_good = compile_masked(program, segment);
        set_unpartly_run(program, segment->first, is_good ? masked->code : run_unfree);
        pthread_mutex_unlock(&program->native->lock);
    }
    return otherwise_of(segment)(warp, op);
}

/* The segments are those from first_free on; they begin with learn_free. */
static void begin_free(struct wl_program *program)
{
    struct wl_native *native = program->native;
    for (size_t i = native->first_free; i < native->segments.count; i++) {
        struct wl_native_segment *segment = native->segments.items[i];
        struct wl_op *op = &program->ops[segment->first];
        segment->masked.otherwise = op->run[1];
        native->free[segment->first] = segment;
        const bool is_compiled = native->is_eager && compile_masked(program, segment);
        __atomic_store_n(&op->run[1], is_compiled ? segment->masked.code : learn_free,
                         __ATOMIC_RELEASE);
    }
}

/* ---- loading segments of lanes of which some are off ---- */

static void set_partly_run(struct wl_program *program, uint32_t at, wl_op_run run)
{
    __atomic_store_n(&program->ops[at].run[1], run, __ATOMIC_RELEASE);
}

/* Where lanes are off it is of no use. Under the lock. */
static void give_up_partly(struct wl_program *program, struct wl_native_segment *segment)
{
    segment->masked.is_given_up = true;
    set_partly_run(program, segment->first, otherwise_of(segment));
}

/* Where one goes that does not fit. */
static const struct wl_op *run_astray(struct wl_warp *warp, const struct wl_op *op,
                                      struct wl_native_segment *segment)
{
    struct wl_native_plan *plan = &warp->worker->plans[segment->index];
    if (++plan->strays % MISSES_MOST == 0 && plan->partly / 2 < plan->strays) {
        struct wl_program *program = program_of(warp);
        pthread_mutex_lock(&program->native->lock);
        give_up_partly(program, segment);
        pthread_mutex_unlock(&program->native->lock);
    }
    return run_bound(warp, op, segment);
}

/* Stands for one until lanes were off there often enough, and all lanes have shown how they lie. */
static const struct wl_op *learn_partly(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_program *program = program_of(warp);
    struct wl_native_segment *segment = program->native->partly[op - program->ops];
    struct wl_native_masked *masked = &segment->masked;
    const uint32_t seen = __atomic_add_fetch(&masked->seen, 1, __ATOMIC_RELAXED);
    const uint32_t often = program->native->is_eager ? EAGER_OFTEN : OFTEN;
    if (seen % often == 0) {
        pthread_mutex_lock(&program->native->lock);
        const bool is_done = masked->code || masked->is_given_up;
        const bool is_new = segment->code && !segment->is_given_up && !is_done;
        if (is_new && compile_masked(program, segment))
            set_partly_run(program, segment->first, masked->code);
        else if (is_new || (seen >= SEEN_MOST && !is_done))
            give_up_partly(program, segment);
        pthread_mutex_unlock(&program->native->lock);
    }
    return run_bound(warp, op, segment);
}

static void begin_partly(struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_op *op = &program->ops[segment->first];
    segment->masked.otherwise = op->run[1];
    program->native->partly[segment->first] = segment;
    set_partly_run(program, segment->first, learn_partly);
}

/* Where a compiled segment goes that does not fit as it is. */
static const struct wl_op *run_anyway(struct wl_warp *warp, const struct wl_op *op,
                                      struct wl_native_segment *segment)
{
    struct wl_worker *worker = warp->worker;
    struct wl_native_plan *plan = &worker->plans[segment->index];
    if (warp->trace)
        return segment->otherwise(warp, op);
    if (!plan->sample)
        plan->sample = warp;
    if (!plan->is_tried && make_plan(worker, segment, plan)) {
        plan->is_tried = true;
        const struct wl_op *next = segment->code(warp, op);
        plan->is_tried = false;
        return next;
    }
    const uint32_t misses = __atomic_add_fetch(&segment->misses, 1, __ATOMIC_RELAXED);
    if (misses % MISSES_MOST == 0) {
        wl_native_settle(worker);
        if (__atomic_load_n(&segment->hits, __ATOMIC_RELAXED) / 2 < misses)
            give_up(program_of(warp), segment);
    }
    return segment->otherwise(warp, op);
}

static void free_native(struct wl_native *native)
{
    for (size_t i = 0; i < native->segments.count; i++) {
        struct wl_native_segment *segment = native->segments.items[i];
        if (segment->memory)
            munmap(segment->memory, segment->memory_bytes);
        if (segment->masked.memory)
            munmap(segment->masked.memory, segment->masked.memory_bytes);
        wl_shadow_reads_free(segment->reads);
        free(segment->slot_of);
        free(segment->globals);
        free(segment);
    }
    free(native->segments.items);
    free(native->loading);
    free(native->masked);
    free(native->free);
    free(native->partly);
    free(native->is_loading_site);
    pthread_mutex_destroy(&native->lock);
    free(native);
}

void wl_native_remove(struct wl_program *program)
{
    if (program->native)
        free_native(program->native);
    program->native = NULL;
}

static void note_loads(struct wl_program *program, struct wl_native_segment *segment)
{
    struct wl_native *native = program->native;
    if (segment->index == UINT32_MAX)
        return;
    native->loading[segment->index] = segment;
    const struct wl_op *ops = first_op(program, segment);
    for (uint32_t k = 0; k < segment->count; k++)
        if (is_access(&ops[k]))
            native->is_loading_site[ops[k].site] = 1;
}

/* What a segment is in parts, for when its loads do not fit: without stores and addresses that it
 * computes itself, or without loads. Who has lanes off runs the last of these. */
static void find_parts(struct wl_program *program, const struct wl_native_segment *of)
{
    struct wl_native *native = program->native;
    const uint32_t number = of->number, first = (uint32_t)native->segments.count;
    wl_native_find(program, of->first, of->first + of->count,
                   of->is_derived || of->store_count ? WL_NATIVE_LOADS : WL_NATIVE_NO_LOADS,
                   native);
    struct wl_native_segment *segment = native->segments.items[number];
    segment->parts = first;
    segment->part_count = (uint32_t)native->segments.count - first;
    for (uint32_t i = 0; i < segment->part_count; i++)
        if (native->segments.items[first + i]->index != UINT32_MAX)
            find_parts(program, native->segments.items[first + i]);
}

void wl_native_install(struct wl_program *program, enum wl_sim_engine engine, uint32_t checks)
{
    const uint32_t vector_bytes = host_vector_bytes();
    const bool at_once = engine != WL_ENGINE_CHOOSE;
    if (!vector_bytes)
        return;
    struct wl_native *native = wl_alloc_zero(1, sizeof *native);
    program->native = native;
    program->free_native = free_native;
    native->is_256 = vector_bytes == 32 || engine == WL_ENGINE_COMPILE_256;
    native->is_eager = at_once;
    native->checks = checks;
    pthread_mutex_init(&native->lock, NULL);
    wl_native_find(program, 0, program->op_count, checks ? WL_NATIVE_CHECKED : WL_NATIVE_ALL,
                   native);
    const size_t count = native->segments.count;
    for (size_t i = 0; i < count; i++)
        if (native->segments.items[i]->index != UINT32_MAX)
            find_parts(program, native->segments.items[i]);
    native->first_free = native->segments.count;
    if (!checks)
        wl_native_find(program, 0, program->op_count, WL_NATIVE_FREE, native);
    native->loading = wl_alloc_zero(native->plan_count, sizeof(struct wl_native_segment *));
    native->is_loading_site = wl_alloc_zero(program->site_count, 1);
    native->masked = wl_alloc_zero(program->op_count, sizeof(struct wl_native_segment *));
    native->free = wl_alloc_zero(program->op_count, sizeof(struct wl_native_segment *));
    native->partly = wl_alloc_zero(program->op_count, sizeof(struct wl_native_segment *));
    for (size_t i = 0; i < native->first_free; i++) {
        struct wl_native_segment *segment = native->segments.items[i];
        note_loads(program, segment);
        if (i < count)
            begin_learning(program, segment);
        if (i < count && at_once && segment->index == UINT32_MAX && compile(program, segment))
            set_run(&program->ops[segment->first], segment->code);
        if (segment->index == UINT32_MAX)
            begin_learning_masked(program, segment);
    }
    begin_free(program);
    for (size_t i = 0; i < count && !checks; i++)
        if (native->segments.items[i]->index != UINT32_MAX)
            begin_partly(program, native->segments.items[i]);
}
