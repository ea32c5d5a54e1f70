/* From the workers' counters to totals and per-instruction counts. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "sim/compiled.h"
#include "sim/group.h"
#include "sim/state.h"

const struct wl_counter_row wl_counter_rows[WL_COUNTER_COUNT] = {
#define C(id, name, unit, mark, text) {name, unit, text, WL_MARK_##mark, false},
#define J(id, name, unit, mark, text) {name, unit, text, WL_MARK_##mark, true},
#include "gpu/counters.def"
#undef C
};

const struct wl_counter_row wl_instruction_counter_rows[] = {
#define I(field, name, mark, text) {name, "", text, WL_MARK_##mark, false},
#define J(field, name, mark, text) {name, "", text, WL_MARK_##mark, true},
#include "gpu/instruction_counters.def"
#undef I
};
const size_t wl_instruction_counter_count = WL_COUNT(wl_instruction_counter_rows);

void wl_sim_counts_free(struct wl_sim_counts *counts)
{
    free(counts->instructions);
    free(counts->findings);
    free(counts->values);
    free(counts->not_predicted);
    free(counts->asserted);
    for (size_t i = 0; i < counts->child_count; i++)
        free(counts->children[i].parameters);
    free(counts->children);
    memset(counts, 0, sizeof *counts);
}

void wl_counts_gather_findings(const struct wl_sm *sm, struct wl_sim_counts *counts)
{
    struct wl_findings all = {
        counts->findings,
        counts->finding_count,
        counts->finding_count,
        counts->errors_left_out + sm->findings.errors_left_out,
        counts->warnings_left_out + sm->findings.warnings_left_out,
    };
    for (size_t i = 0; i < sm->findings.count; i++)
        wl_findings_add(&all, &sm->findings.items[i]);
    counts->findings = all.items;
    counts->finding_count = all.count;
    counts->errors_left_out = all.errors_left_out;
    counts->warnings_left_out = all.warnings_left_out;
}

/* Which totals a memory site's counts belong to, by space and access. */
struct site_totals {
    enum wl_counter instructions, requests, sectors, hits, misses;
};

#define NO_COUNTER WL_COUNTER_COUNT
static const struct site_totals global_totals[] = {
    [WL_SITE_LOAD] = {WL_COUNTER_INST_GLOBAL_LD, WL_COUNTER_REQ_GLOBAL_LD, WL_COUNTER_SEC_GLOBAL_LD,
                      WL_COUNTER_HIT_GLOBAL_LD, WL_COUNTER_MISS_GLOBAL_LD},
    [WL_SITE_STORE] = {WL_COUNTER_INST_GLOBAL_ST, WL_COUNTER_REQ_GLOBAL_ST,
                       WL_COUNTER_SEC_GLOBAL_ST, WL_COUNTER_HIT_GLOBAL_ST,
                       WL_COUNTER_MISS_GLOBAL_ST},
    [WL_SITE_ATOMIC] = {WL_COUNTER_INST_GLOBAL_ATOM, WL_COUNTER_REQ_GLOBAL_ATOM,
                        WL_COUNTER_SEC_GLOBAL_ATOM, NO_COUNTER, NO_COUNTER},
    [WL_SITE_REDUCTION] = {WL_COUNTER_INST_GLOBAL_RED, WL_COUNTER_REQ_GLOBAL_RED,
                           WL_COUNTER_SEC_GLOBAL_RED, NO_COUNTER, NO_COUNTER},
    [WL_SITE_COPY] = {WL_COUNTER_INST_LDGSTS, WL_COUNTER_REQ_GLOBAL_LD, WL_COUNTER_SEC_GLOBAL_LD,
                      WL_COUNTER_HIT_GLOBAL_LD, WL_COUNTER_MISS_GLOBAL_LD},
};
static const struct site_totals local_totals[] = {
    [WL_SITE_LOAD] = {WL_COUNTER_INST_LOCAL_LD, WL_COUNTER_REQ_LOCAL_LD, WL_COUNTER_SEC_LOCAL_LD,
                      WL_COUNTER_HIT_LOCAL_LD, WL_COUNTER_MISS_LOCAL_LD},
    [WL_SITE_STORE] = {WL_COUNTER_INST_LOCAL_ST, WL_COUNTER_REQ_LOCAL_ST, WL_COUNTER_SEC_LOCAL_ST,
                       WL_COUNTER_HIT_LOCAL_ST, WL_COUNTER_MISS_LOCAL_ST},
    [WL_SITE_ATOMIC] = {WL_COUNTER_INST_LOCAL_ST, WL_COUNTER_REQ_LOCAL_ST, WL_COUNTER_SEC_LOCAL_ST,
                        WL_COUNTER_HIT_LOCAL_ST, WL_COUNTER_MISS_LOCAL_ST},
    [WL_SITE_REDUCTION] = {WL_COUNTER_INST_LOCAL_ST, WL_COUNTER_REQ_LOCAL_ST,
                           WL_COUNTER_SEC_LOCAL_ST, WL_COUNTER_HIT_LOCAL_ST,
                           WL_COUNTER_MISS_LOCAL_ST},
    [WL_SITE_COPY] = {WL_COUNTER_INST_LOCAL_LD, WL_COUNTER_REQ_LOCAL_LD, WL_COUNTER_SEC_LOCAL_LD,
                      WL_COUNTER_HIT_LOCAL_LD, WL_COUNTER_MISS_LOCAL_LD},
};
static const struct {
    enum wl_counter instructions, wavefronts, conflicts;
} shared_totals[] = {
    [WL_SITE_LOAD] = {WL_COUNTER_INST_SHARED_LD, WL_COUNTER_WAVE_SHARED_LD, WL_COUNTER_CONFLICT_LD},
    [WL_SITE_STORE] = {WL_COUNTER_INST_SHARED_ST, WL_COUNTER_WAVE_SHARED_ST,
                       WL_COUNTER_CONFLICT_ST},
    [WL_SITE_COPY] = {NO_COUNTER, NO_COUNTER, NO_COUNTER}, /* an H200 counts no store */
    [WL_SITE_ATOMIC] = {WL_COUNTER_INST_SHARED_ATOM, WL_COUNTER_WAVE_SHARED_ATOM,
                        WL_COUNTER_CONFLICT_ATOM},
    [WL_SITE_REDUCTION] = {WL_COUNTER_INST_SHARED_ATOM, WL_COUNTER_WAVE_SHARED_ATOM,
                           WL_COUNTER_CONFLICT_ATOM},
};

static const struct site_totals texture_totals = {WL_COUNTER_INST_TEXTURE, WL_COUNTER_REQ_TEXTURE,
                                                  WL_COUNTER_SEC_TEXTURE, WL_COUNTER_HIT_TEXTURE,
                                                  WL_COUNTER_MISS_TEXTURE};
static const struct site_totals surface_totals[] = {
    [WL_SITE_LOAD] = {WL_COUNTER_INST_SURFACE_LD, WL_COUNTER_REQ_SURFACE_LD,
                      WL_COUNTER_SEC_SURFACE_LD, WL_COUNTER_HIT_SURFACE_LD,
                      WL_COUNTER_MISS_SURFACE_LD},
    [WL_SITE_STORE] = {WL_COUNTER_INST_SURFACE_ST, WL_COUNTER_REQ_SURFACE_ST,
                       WL_COUNTER_SEC_SURFACE_ST, NO_COUNTER, NO_COUNTER},
    [WL_SITE_REDUCTION] = {WL_COUNTER_INST_SURFACE_RED, WL_COUNTER_REQ_SURFACE_RED,
                           WL_COUNTER_SEC_SURFACE_RED, NO_COUNTER, NO_COUNTER},
};

static void add(struct wl_sim_counts *counts, enum wl_counter counter, uint64_t value)
{
    if (counter < WL_COUNTER_COUNT)
        counts->totals[counter] += value;
}

static void add_texture_site(const struct wl_site *site, const struct wl_site_state *state,
                             struct wl_sim_counts *counts)
{
    const struct site_totals *totals =
        site->space == WL_SITE_TEXTURE ? &texture_totals : &surface_totals[site->access];
    struct wl_instruction_counts *instruction = &counts->instructions[site->instruction];
    const uint64_t requests = state->tags; /* several an instruction */
    add(counts, totals->instructions, state->requests[WL_SITE_GLOBAL]);
    add(counts, totals->requests, requests);
    add(counts, totals->sectors, state->sectors);
    add(counts, totals->hits, state->hits);
    add(counts, totals->misses, state->misses);
    instruction->requests += requests;
    instruction->l1_hits += state->hits;
    instruction->l1_misses += state->misses;
}

static void add_shared(const struct wl_site *site, const struct wl_site_state *state,
                       struct wl_instruction_counts *instruction, struct wl_sim_counts *counts)
{
    add(counts, shared_totals[site->access].instructions, state->requests[WL_SITE_SHARED]);
    add(counts, shared_totals[site->access].wavefronts, state->wavefronts_pipe);
    add(counts, shared_totals[site->access].conflicts, state->conflicts);
    add(counts, WL_COUNTER_INST_SHARED_LD, state->rounds); /* each reads what it adds to */
    add(counts, WL_COUNTER_WAVE_SHARED_LD, state->rounds);
    add(counts, WL_COUNTER_WAVE_SHARED, state->wavefronts + state->rounds);
    add(counts, WL_COUNTER_WAVE_SHARED_IDEAL, state->wavefronts_ideal + state->rounds);
    instruction->wavefronts += state->wavefronts;
    instruction->wavefronts_ideal += state->wavefronts_ideal;
}

static void add_site(const struct wl_site *site, const struct wl_site_state *state,
                     struct wl_sim_counts *counts)
{
    struct wl_instruction_counts *instruction = &counts->instructions[site->instruction];
    uint64_t global_requests = state->requests[WL_SITE_GLOBAL];
    uint64_t local_requests = state->requests[WL_SITE_LOCAL];
    const bool is_shared = !site->is_joined && !site->is_object;
    uint64_t shared_requests = is_shared ? state->requests[WL_SITE_SHARED] : 0;
    const struct site_totals *totals = &global_totals[site->access];
    const struct site_totals *local = &local_totals[site->access];
    bool is_local = local_requests > 0 && global_requests == 0;
    add(counts, totals->instructions, global_requests);
    add(counts, totals->requests, global_requests);
    add(counts, totals->sectors, state->sectors + state->sectors_repeated);
    add(counts, local->instructions, local_requests);
    add(counts, local->requests, state->words_local);
    add(counts, local->sectors, state->sectors_local);
    add(counts, is_local ? local->hits : totals->hits, state->hits);
    add(counts, is_local ? local->misses : totals->misses, state->misses);
    add(counts, WL_COUNTER_TAG_GLOBAL, state->tags);
    add(counts, WL_COUNTER_L2_THEORETICAL, state->sectors);
    add(counts, WL_COUNTER_L2_IDEAL, state->sectors_ideal);
    add(counts, WL_COUNTER_L2_LOCAL, state->sectors_local);
    if (site->access == WL_SITE_LOAD || site->access == WL_SITE_COPY)
        add(counts, WL_COUNTER_BYTES_GLOBAL_LD, state->bytes);
    else if (site->access == WL_SITE_STORE)
        add(counts, WL_COUNTER_BYTES_GLOBAL_ST, state->bytes);
    if (is_shared)
        add_shared(site, state, instruction, counts);
    instruction->requests += global_requests + state->words_local + shared_requests;
    instruction->tags += state->tags;
    instruction->sectors += state->sectors;
    instruction->sectors_ideal += state->sectors_ideal;
    instruction->sectors_local += state->sectors_local;
    instruction->bytes += state->bytes;
    instruction->l1_hits += state->hits;
    instruction->l1_misses += state->misses;
}

static const enum wl_counter pipe_counters[WL_PIPE_COUNT] = {
    [WL_PIPE_ALU] = WL_COUNTER_PIPE_ALU,   [WL_PIPE_FMA] = WL_COUNTER_PIPE_FMA,
    [WL_PIPE_FP16] = WL_COUNTER_PIPE_FP16, [WL_PIPE_FP64] = WL_COUNTER_PIPE_FP64,
    [WL_PIPE_XU] = WL_COUNTER_PIPE_XU,     [WL_PIPE_TENSOR] = WL_COUNTER_PIPE_TENSOR,
    [WL_PIPE_LSU] = WL_COUNTER_PIPE_LSU,   [WL_PIPE_TEX] = WL_COUNTER_PIPE_TEX,
    [WL_PIPE_CBU] = WL_COUNTER_PIPE_CBU,   [WL_PIPE_CONST] = WL_COUNTER_PIPE_CONST,
};

static const enum wl_counter class_counters[] = {
    [WL_CLASS_OTHER] = NO_COUNTER,           [WL_CLASS_FADD] = WL_COUNTER_FADD,
    [WL_CLASS_FMUL] = WL_COUNTER_FMUL,       [WL_CLASS_FFMA] = WL_COUNTER_FFMA,
    [WL_CLASS_DADD] = WL_COUNTER_DADD,       [WL_CLASS_DMUL] = WL_COUNTER_DMUL,
    [WL_CLASS_DFMA] = WL_COUNTER_DFMA,       [WL_CLASS_HADD] = WL_COUNTER_HADD,
    [WL_CLASS_HMUL] = WL_COUNTER_HMUL,       [WL_CLASS_HFMA] = WL_COUNTER_HFMA,
    [WL_CLASS_INTEGER] = WL_COUNTER_INTEGER, [WL_CLASS_CONVERSION] = WL_COUNTER_CONVERSION,
    [WL_CLASS_CONTROL] = WL_COUNTER_CONTROL, [WL_CLASS_MEMORY] = WL_COUNTER_MEMORY,
};

static void add_instruction(const struct wl_program_instruction *instruction,
                            const struct wl_instruction_counts *count, struct wl_sim_counts *counts)
{
    add(counts, WL_COUNTER_INST, count->warps);
    add(counts, WL_COUNTER_THREAD_INST, count->threads);
    add(counts, WL_COUNTER_THREAD_INST_ON, count->threads_on);
    if (!instruction->is_absorbed)
        add(counts, pipe_counters[instruction->pipe], count->warps);
    add(counts, class_counters[instruction->instruction_class],
        count->threads_on * instruction->class_weight);
    if (instruction->is_branch)
        add(counts, WL_COUNTER_BRANCHES, count->warps);
    add(counts, WL_COUNTER_BRANCHES_DIVERGENT, count->divergent);
    add(counts, WL_COUNTER_EXCHANGES, count->warps * instruction->exchanges);
}

void wl_counts_gather(const struct wl_run *run, struct wl_worker *workers, uint32_t worker_count,
                      struct wl_sim_counts *counts)
{
    const struct wl_program *program = run->program;
    counts->instruction_count = program->instruction_count;
    counts->instructions = wl_alloc_zero(program->instruction_count, sizeof *counts->instructions);
    for (uint32_t w = 0; w < worker_count; w++) {
        const struct wl_worker *worker = &workers[w];
        wl_native_settle(&workers[w]);
        wl_groups_end(&workers[w]);
        for (uint32_t i = 0; i < program->instruction_count; i++) {
            const struct wl_program_instruction *instruction = &program->instructions[i];
            struct wl_instruction_counts *count = &counts->instructions[i];
            if (instruction->block == UINT32_MAX)
                continue;
            uint64_t threads = worker->block_threads[instruction->block];
            count->warps += worker->block_warps[instruction->block];
            count->threads += threads;
            count->threads_on += instruction->guard == UINT32_MAX
                                     ? threads
                                     : worker->guard_threads[instruction->guard];
            count->divergent += worker->divergent[i];
        }
        for (uint32_t s = 0; s < program->site_count; s++) {
            if (run->count)
                wl_site_add_repeats(&worker->sites[s]);
            bool is_texture = program->sites[s].space >= WL_SITE_TEXTURE;
            (is_texture ? add_texture_site : add_site)(&program->sites[s], &worker->sites[s],
                                                       counts);
        }
        add(counts, WL_COUNTER_BLOCKS, worker->blocks_done);
        add(counts, WL_COUNTER_WARPS, worker->warps_done);
        add(counts, WL_COUNTER_BARRIERS, worker->barriers);
    }
    add(counts, WL_COUNTER_THREADS, counts->totals[WL_COUNTER_BLOCKS] * run->threads_per_block);
    counts->has_joined_loads = program->has_joined_loads;
    for (uint32_t i = 0; i < program->instruction_count; i++)
        add_instruction(&program->instructions[i], &counts->instructions[i], counts);
}
