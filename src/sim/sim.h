/* Runs one launch of a decoded kernel on a model GPU and counts what hardware would count.
 * Knows warp operations (warp/program.h), never PTX. Counts do not depend on the number of worker
 * threads. Addresses in global memory are host addresses. */
#ifndef WL_SIM_SIM_H
#define WL_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/marks.h"
#include "gpu/gpu.h"
#include "sim/finding.h"
#include "sim/texture.h"
#include "warp/program.h"

enum wl_counter {
#define C(id, name, unit, mark, text) WL_COUNTER_##id,
#include "gpu/counters.def"
#undef C
    WL_COUNTER_COUNT
};

struct wl_instruction_counts {
#define I(field, name, mark, text) uint64_t field;
#include "gpu/instruction_counters.def"
#undef I
};

/* Why a launch stopped, where it did. */
enum wl_sim_fault {
    WL_SIM_FAULT_NONE,
    WL_SIM_FAULT_ILLEGAL_ADDRESS,
    WL_SIM_FAULT_MISALIGNED,
    WL_SIM_FAULT_TRAP,   /* trap, or a fault with no error of its own (stack overflow ...) */
    WL_SIM_FAULT_ASSERT, /* __assertfail */
    WL_SIM_FAULT_ILLEGAL_INSTRUCTION,
    WL_SIM_FAULT_UNSUPPORTED, /* reached something the executor cannot do */
    WL_SIM_FAULT_BUDGET,      /* ran more instructions than it was given */
};

struct wl_sim_value {
    char name[320]; /* of the metric; that of a what-if of all causes is the longest */
    double value;
};

/* A launch that a kernel made. The kernel's own end is what it waits for, at least. */
#define WL_CHILD_PARAMETER_BYTES 4096
struct wl_sim_child {
    uint64_t function; /* its kernel's address, as the program lowered has it */
    uint32_t grid[3], block[3], shared_bytes;
    uint64_t stream;     /* a number of the program's, or of CUDA's: WL_CHILD_TAIL ... */
    uint8_t *parameters; /* WL_CHILD_PARAMETER_BYTES, laid out as for its kernel */
};
/* Streams of CUDA's own (driver_types.h): after all else that the kernel launched; beside it. */
#define WL_CHILD_TAIL 3
#define WL_CHILD_FORGET 4

/* Result of one launch. Zero-initialise; free with wl_sim_counts_free. */
struct wl_sim_counts {
    enum wl_sim_fault fault; /* set whenever wl_sim_run fails because of the kernel */
    uint64_t totals[WL_COUNTER_COUNT];
    struct wl_instruction_counts *instructions; /* program->instruction_count of them */
    size_t instruction_count;
    struct wl_finding *findings; /* in order of SMs */
    size_t finding_count;
    uint64_t errors_left_out, warnings_left_out; /* see wl_findings */
    struct wl_occupancy occupancy;
    double l2_read_halves;       /* of lines, 64 bytes each */
    double l2_read_lines_missed; /* by the half of L2 that was asked */
    double dram_filled_bytes;    /* read for sectors that were written in part */
    double dram_openings;        /* reads of device memory beside which there was no other */
    double atomic_cycles;   /* for which atomics keep the slice of L2 busy that has most of them */
    double updated_sectors; /* of atomics and reductions, once for all lanes of a warp */
    /* warp instructions of all SMs, of the one that ran most, and of the longest warp; 0: not all
     * blocks were run */
    uint64_t issued, issued_most, issued_longest;
    /* sectors of L2 that blocks asked for that went on alone: all, those that device memory sent,
     * those that L2's other partition had */
    uint64_t alone_reads, alone_misses, alone_far;
    struct wl_sim_child *children; /* what the kernel launched, in that order */
    size_t child_count;
    uint64_t wall_ns; /* what the simulation took */
    /* what a model of time adds, all predicted; the caller's */
    struct wl_sim_value *values;
    size_t value_count;
    char *not_predicted;   /* why it adds nothing, or NULL */
    char *asserted;        /* what a GPU prints of a failed assertion: a line for each thread of the
                              warp that failed it first; or NULL */
    bool has_joined_loads; /* accesses of shared memory are counted as a compiler joins them */
};
void wl_sim_counts_free(struct wl_sim_counts *counts);

/* Memory a kernel may touch: [start, end). Sorted by start, not overlapping. */
struct wl_sim_range {
    uint64_t start, end;
};

struct wl_sim_launch {
    const struct wl_program *program;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic_bytes;
    /* program->parameter_bytes, laid out as program->parameters says, at a multiple of 16 */
    const uint8_t *parameters;
    const struct wl_sim_range *ranges; /* allocations */
    size_t range_count;
    /* what the GPU has mapped, sorted: an access outside the allocations is no fault there, but a
     * finding; none: such an access is a fault */
    const struct wl_sim_range *pages;
    size_t page_count;
    const struct wl_sim_range *freed; /* freed allocations, the latest last; for messages */
    size_t freed_count;
    /* texture and surface objects by their handles; NULL where there is none */
    const struct wl_texture *const *textures;
    size_t texture_count;
    struct wl_unwritten *unwritten; /* for WL_CHECK_INIT; else NULL */
    uint32_t registers_per_thread;  /* for occupancy: from a cubin, or program->register_estimate */
    int32_t carveout_pct;           /* preferred shared-memory carve-out, -1: the driver's choice */
    uint32_t cluster[3];            /* blocks of a cluster, which divide the grid; 0: no clusters */
    bool is_cooperative;
    /* what %clock64 and %globaltimer count from */
    uint64_t start_cycles, start_ns;
};

/* Checks beyond those of every run; they cost time. */
enum wl_sim_check {
    WL_CHECK_RACE = 1,         /* shared memory between barriers */
    WL_CHECK_INIT = 2,         /* reads of what nobody wrote */
    WL_CHECK_SYNC = 4,         /* barriers that not all threads reach */
    WL_CHECK_BOUNDS = 8,       /* shared arrays, with the gaps between them */
    WL_CHECK_RACE_GLOBAL = 16, /* global memory, between warps and between blocks */
};

struct wl_run;
struct wl_sm;
/* How far a launch has come. */
struct wl_sim_progress {
    uint64_t blocks_done, blocks_total;
    uint64_t instructions;    /* of warps, executed so far */
    const struct wl_run *run; /* for wl_sim_where; NULL: not known */
    const struct wl_sm *sms;
};
/* Where the warps are that have begun and not ended, most first: "4 warps are at FILE:LINE,
 * OPCODE", parts with "; " between. Only while progress is told. */
void wl_sim_where(const struct wl_sim_progress *progress, struct wl_text *out);

/* How operations are executed. Results and counts are the same. */
enum wl_sim_engine {
    WL_ENGINE_CHOOSE,    /* what runs often is compiled to machine code of the host, if it can be */
    WL_ENGINE_INTERPRET, /* nothing is */
    WL_ENGINE_COMPILE,   /* all that can be, at once; for tests */
    WL_ENGINE_COMPILE_256, /* the same for AVX2 where the host has AVX-512, too */
};

struct wl_sim_options {
    uint32_t checks; /* enum wl_sim_check */
    uint64_t budget; /* instructions that a warp may run, 0: any number */
    enum wl_sim_engine engine;
    bool stop_at_finding; /* the first error ends the launch, as an illegal address */
    uint32_t threads;     /* worker threads, 0: all cores */
    bool count;           /* false: results only, faster */
    bool keep_caches;     /* --cache-control none: L2 keeps its content between launches */
    bool l1_global_loads; /* whether global loads are cached in L1 */
    /* Called now and then from one thread; may be NULL. True: wl_sim_advance comes back. */
    bool (*progress)(void *self, const struct wl_sim_progress *progress);
    void *progress_self;
    /* device-side output (printf) goes here in block order of completion; NULL: stdout */
    void (*print)(void *self, const char *text, size_t length);
    void *print_self;
    uint8_t *touched; /* for each of the launch's ranges: set to 1 if the kernel looked for memory
                         there. May be NULL */
    struct wl_trace *traces; /* for the timing model: SMs to record; may be NULL */
    uint32_t trace_count;
    struct wl_trace *alone; /* the same: takes the block of the longest warp, from where it goes on
                               alone on its SM; empty if none does. May be NULL */
};

struct wl_trace; /* warp/trace.h */

struct wl_sim;
/* A simulated GPU: holds caches, worker state. gpu must outlive it. */
enum wl_code wl_sim_create(const struct wl_gpu *gpu, struct wl_sim **sim, struct wl_error *error);
void wl_sim_free(struct wl_sim *sim);

/* Runs a launch to its end. One at a time per sim (the caller locks). On a fault (illegal address,
 * misaligned access, trap, unsupported instruction reached) returns WL_ERR_PROGRAM or
 * WL_ERR_UNSUPPORTED with kernel, file and line in error->where; counts hold what was done. */
enum wl_code wl_sim_run(struct wl_sim *sim, const struct wl_sim_launch *launch,
                        const struct wl_sim_options *options, struct wl_sim_counts *counts,
                        struct wl_error *error);

/* The same in steps, which may be taken on different threads. What begin is given must stay until
 * the end; where it fails there is no work. wl_sim_advance is true once all has run; wl_sim_end
 * frees the work. */
struct wl_sim_work;
enum wl_code wl_sim_begin(struct wl_sim *sim, const struct wl_sim_launch *launch,
                          const struct wl_sim_options *options, struct wl_sim_counts *counts,
                          struct wl_sim_work **work, struct wl_error *error);
bool wl_sim_advance(struct wl_sim_work *work);
enum wl_code wl_sim_end(struct wl_sim_work *work, struct wl_error *error);

/* Calls work(self, index, worker) once for every index below count, from as many threads as
 * wl_sim_options.threads says; returns when all are done. Not while a launch runs. */
void wl_sim_share(struct wl_sim *sim, uint32_t threads, uint32_t count,
                  void (*work)(void *self, uint32_t index, uint32_t worker), void *self);

/* Name, unit, mark and meaning of a counter. */
struct wl_counter_row {
    const char *name, *unit, *meaning;
    enum wl_mark mark;
    bool hangs_on_joining; /* modelled where a compiler joins loads of shared memory */
};
extern const struct wl_counter_row wl_counter_rows[WL_COUNTER_COUNT];
/* The per-instruction fields in the order of struct wl_instruction_counts. */
extern const struct wl_counter_row wl_instruction_counter_rows[];
extern const size_t wl_instruction_counter_count;

#endif
