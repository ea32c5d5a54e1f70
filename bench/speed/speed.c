/* How fast the simulated GPU executes and counts: G thread-instructions per second, and how many
 * times slower than the same loops in plain C, measured in one run. Rows of one core are processor
 * time, so that other load tells less. usage: speed PTX-FILE [KERNEL [ROW]] */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "sim/unwritten.h"
#include "timing/timing.h"

#define SGEMM_SIZE 512
#define STENCIL_SIZE 1024
#define REPEATS 7
#define ENOUGH_S 5
#define CHECKS_MOST 6 /* times what counting takes */

void native_sgemm(const float *a, const float *b, float *c, int n);
void native_stencil(const float *in, float *out, const float *weights, int width, int height);

struct weights {
    float value[25];
};

struct bench {
    struct wl_gpu gpu;
    struct wl_ptx_module *module;
    float *memory[3];
    float *expected;
    struct wl_sim_range ranges[4];
    const char *only; /* the kernel that is asked for; NULL: all */
    const char *row;  /* "results only", ...; NULL: all of it */
};

static bool is_wanted(const struct bench *bench, const char *kernel)
{
    return !bench->only || strcmp(bench->only, kernel) == 0;
}

static bool is_row_wanted(const struct bench *bench, const char *row)
{
    return !bench->row || strcmp(bench->row, row) == 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of all threads. */
static double busy_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const struct wl_error *error)
{
    fprintf(stderr, "speed: %s (%s)\n", error->message, error->where);
    exit(1);
}

static int by_start(const void *left, const void *right)
{
    const struct wl_sim_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

struct result {
    double best_s;
    double busy_s; /* processor time, the least */
    uint64_t thread_instructions;
    double timing_s, timed_instructions; /* the replay of what was recorded; 0: none */
};

/* Replays the blocks recorded in trace; adds the time it took and the machine instructions of warps
 * that it issued. */
static void time_replay(const struct bench *bench, const struct wl_sim_launch *launch,
                        const struct wl_trace *trace, const struct wl_sim_counts *counts,
                        struct result *result)
{
    struct wl_error error = {0};
    struct wl_timing timing;
    struct wl_timing_input input = {
        .gpu = &bench->gpu,
        .program = launch->program,
        .trace = trace,
        .block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
        .warps_per_block = counts->occupancy.warps_per_block,
        .occupancy = counts->occupancy,
        .program_instructions = (double)counts->totals[WL_COUNTER_INST],
    };
    double start = now_s();
    if (wl_timing_predict(&input, &timing, &error))
        stop(&error);
    double took_s = now_s() - start;
    if (result->timing_s == 0 || took_s < result->timing_s)
        result->timing_s = took_s;
    result->timed_instructions =
        timing.instructions * (double)trace->block_count / (double)input.block_count;
    wl_timing_free(&timing);
}

static struct result run(struct bench *bench, const char *kernel, const uint8_t *parameters,
                         const uint32_t grid[2], const uint32_t block[2],
                         const struct wl_sim_options *given, bool is_timed)
{
    struct wl_sim_options options = *given;
    struct wl_error error = {0};
    struct wl_ptx_lower_input input = {.module = bench->module,
                                       .capability = 90,
                                       .keeps_masks = given->checks,
                                       .shared_gap_bytes = given->checks ? 512 : 0};
    input.function = wl_ptx_module_find_function(bench->module, kernel);
    struct wl_program *program;
    if (wl_ptx_lower(&input, &program, &error))
        stop(&error);
    struct wl_sim_launch launch = {.program = program,
                                   .grid = {grid[0], grid[1], 1},
                                   .block = {block[0], block[1], 1},
                                   .parameters = parameters,
                                   .ranges = bench->ranges,
                                   .range_count = 3,
                                   .registers_per_thread = program->register_estimate,
                                   .carveout_pct = -1};
    struct wl_sim *sim;
    if (wl_sim_create(&bench->gpu, &sim, &error))
        stop(&error);
    struct result result = {.best_s = 1e9, .busy_s = 1e9};
    if (options.checks & WL_CHECK_INIT)
        launch.unwritten = wl_unwritten_create(bench->ranges[0].start,
                                               bench->ranges[2].end - bench->ranges[0].start);
    const double end_s = now_s() + ENOUGH_S;
    for (int i = 0; i < REPEATS && (i < 2 || now_s() < end_s); i++) {
        struct wl_sim_counts counts = {0};
        struct wl_trace trace = {.words_begin = 6 << 20, .words_most = 18 << 20};
        options.traces = is_timed ? &trace : NULL;
        options.trace_count = is_timed;
        double start = now_s(), busy = busy_now_s();
        if (wl_sim_run(sim, &launch, &options, &counts, &error))
            stop(&error);
        double took_s = now_s() - start, busy_s = busy_now_s() - busy;
        for (int k = 0; k < REPEATS && is_timed; k++)
            time_replay(bench, &launch, &trace, &counts, &result);
        wl_trace_free(&trace);
        result.best_s = took_s < result.best_s ? took_s : result.best_s;
        result.busy_s = busy_s < result.busy_s ? busy_s : result.busy_s;
        result.thread_instructions = counts.totals[WL_COUNTER_THREAD_INST];
        wl_sim_counts_free(&counts);
    }
    wl_unwritten_free(launch.unwritten);
    wl_sim_free(sim);
    wl_program_free(program);
    return result;
}

static void check(const struct bench *bench, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        float difference = bench->memory[2][i] - bench->expected[i];
        if (difference > 1e-3f || difference < -1e-3f) {
            fprintf(stderr, "speed: %s: element %zu is %g, expected %g\n", name, i,
                    (double)bench->memory[2][i], (double)bench->expected[i]);
            exit(1);
        }
    }
}

static void print_row(const char *name, struct result result, double native_s)
{
    printf("| %s | %.1f | %.2f | %.1f |\n", name, result.best_s * 1e3,
           (double)result.thread_instructions / result.best_s * 1e-9, result.best_s / native_s);
    fflush(stdout);
}

#define ALL_CHECKS (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC | WL_CHECK_BOUNDS)

static void print_checks(const char *kernel, double checked_s, double counted_s)
{
    printf("| %s, all checks, as times of all counting, processor time | %.1f | %s %d | |\n",
           kernel, checked_s / counted_s,
           checked_s <= CHECKS_MOST * counted_s ? "ok, at most" : "MISS, more than", CHECKS_MOST);
}

static void measure(struct bench *bench, const char *kernel, const uint8_t *parameters,
                    const uint32_t grid[2], const uint32_t block[2], double native_s,
                    size_t elements)
{
    cpu_set_t usable; /* taskset makes them fewer */
    const uint32_t cores =
        sched_getaffinity(0, sizeof usable, &usable) == 0 ? (uint32_t)CPU_COUNT(&usable) : 1;
    double counted_s = 0; /* processor time of all counting on one core */
    const struct {
        const char *what;
        struct wl_sim_options options;
        bool is_timed;
    } rows[] = {
        {"results only", {.threads = 1}, false},
        {"all counting", {.threads = 1, .count = true}, false},
        {"all counting, recorded", {.threads = 1, .count = true}, true},
        {"all counting", {.threads = cores, .count = true}, false},
        {"all counting, all checks", {.threads = 1, .count = true, .checks = ALL_CHECKS}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_sim_options options = rows[i].options;
        if (!is_row_wanted(bench, rows[i].what))
            continue;
        options.l1_global_loads = true;
        struct result result =
            run(bench, kernel, parameters, grid, block, &options, rows[i].is_timed);
        check(bench, elements, kernel);
        char name[96];
        snprintf(name, sizeof name, "%s, %s, %u core%s", kernel, rows[i].what, options.threads,
                 options.threads == 1 ? "" : "s");
        if (options.threads == 1)
            result.best_s = result.busy_s;
        print_row(name, result, native_s);
        if (!counted_s && options.count)
            counted_s = result.busy_s;
        if (options.checks && counted_s)
            print_checks(kernel, result.busy_s, counted_s);
        if (rows[i].is_timed)
            printf(
                "| %s, replay for the prediction, 1 core | %.1f | %.0f M machine instructions of "
                "warps a second | |\n",
                kernel, result.timing_s * 1e3, result.timed_instructions / result.timing_s * 1e-6);
    }
}

static double time_native(struct bench *bench, const struct weights *weights)
{
    double best_s = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        double start = busy_now_s();
        if (weights)
            native_stencil(bench->memory[0], bench->expected, weights->value, STENCIL_SIZE,
                           STENCIL_SIZE);
        else
            native_sgemm(bench->memory[0], bench->memory[1], bench->expected, SGEMM_SIZE);
        double took_s = busy_now_s() - start;
        best_s = took_s < best_s ? took_s : best_s;
    }
    return best_s;
}

static void measure_sgemm(struct bench *bench)
{
    struct {
        const float *a, *b;
        float *c;
        int n;
    } sgemm = {bench->memory[0], bench->memory[1], bench->memory[2], SGEMM_SIZE};
    double native_s = time_native(bench, NULL);
    printf("| sgemm %d^3, native C, 1 core | %.2f | | 1.0 |\n", SGEMM_SIZE, native_s * 1e3);
    measure(bench, "sgemm", (const uint8_t *)&sgemm, (const uint32_t[]){32, 32},
            (const uint32_t[]){16, 16}, native_s, SGEMM_SIZE * SGEMM_SIZE);
}

static void measure_stencil(struct bench *bench)
{
    const size_t elements = STENCIL_SIZE * STENCIL_SIZE;
    struct {
        const float *in;
        float *out;
        struct weights weights;
        int width, height;
    } stencil = {bench->memory[0], bench->memory[2], {{0}}, STENCIL_SIZE, STENCIL_SIZE};
    for (int i = 0; i < 25; i++)
        stencil.weights.value[i] = (float)(i % 5 + 1) / 64.0f;
    memset(bench->memory[2], 0, elements * sizeof(float));
    memset(bench->expected, 0, elements * sizeof(float));
    double native_s = time_native(bench, &stencil.weights);
    printf("| stencil 5x5 %d^2, native C, 1 core | %.2f | | 1.0 |\n", STENCIL_SIZE, native_s * 1e3);
    measure(bench, "stencil", (const uint8_t *)&stencil, (const uint32_t[]){32, 128},
            (const uint32_t[]){32, 8}, native_s, elements);
}

#define SCATTERED_MOST 4 /* times what the launch takes that is not counted */
#define HALVES_STEPS 64
#define FUNCTION_STEPS 512
#define HALVES_GRID 64
#define HALVES_GOAL 30 /* G multiply-adds a second on two cores */

/* The processor time of a launch with nothing, with all counting, and with all checks beside. */
static void measure_modes(struct bench *bench, const char *kernel, const uint8_t *parameters,
                          const uint32_t grid[2], const uint32_t block[2], double busy_s[3])
{
    static const struct {
        const char *what;
        struct wl_sim_options options;
    } modes[] = {
        {"results only", {.threads = 1, .l1_global_loads = true}},
        {"all counting", {.threads = 1, .l1_global_loads = true, .count = true}},
        {"all counting, all checks",
         {.threads = 1, .l1_global_loads = true, .count = true, .checks = ALL_CHECKS}},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct result result =
            run(bench, kernel, parameters, grid, block, &modes[i].options, false);
        printf("| %s, %s, 1 core | %.1f | %.2f | |\n", kernel, modes[i].what, result.busy_s * 1e3,
               (double)result.thread_instructions / result.busy_s * 1e-9);
        fflush(stdout);
        busy_s[i] = result.busy_s;
    }
    print_checks(kernel, busy_s[2], busy_s[1]);
}

/* What counting costs where lanes lie far apart. */
static void measure_scattered(struct bench *bench, const char *kernel, const uint8_t *parameters,
                              const uint32_t grid[2], const uint32_t block[2])
{
    double busy_s[3];
    if (!is_wanted(bench, kernel))
        return;
    measure_modes(bench, kernel, parameters, grid, block, busy_s);
    printf("| %s, all counting, as times of results only, processor time | %.1f | %s %d | |\n",
           kernel, busy_s[1] / busy_s[0],
           busy_s[1] <= SCATTERED_MOST * busy_s[0] ? "ok, at most" : "MISS, more than",
           SCATTERED_MOST);
    fflush(stdout);
}

/* Tensor instructions alone. */
static void measure_halves(struct bench *bench)
{
    const struct {
        float *out;
        int steps;
    } parameters = {bench->memory[2], HALVES_STEPS};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        const struct wl_sim_options options = {.threads = threads, .l1_global_loads = true};
        struct result result =
            run(bench, "multiply_halves", (const uint8_t *)&parameters,
                (const uint32_t[]){HALVES_GRID, 1}, (const uint32_t[]){128, 1}, &options, false);
        const double products = HALVES_GRID * 4.0 * HALVES_STEPS * 4 * 16 * 8 * 16;
        printf("| multiply_halves, results only, %u core%s | %.1f | %.2f G multiply-adds a second "
               "(goal on 2 cores: %d), %.2f a second of processor time | |\n",
               threads, threads == 1 ? "" : "s", result.best_s * 1e3,
               products / result.best_s * 1e-9, HALVES_GOAL, products / result.busy_s * 1e-9);
        fflush(stdout);
    }
    double busy_s[3];
    measure_modes(bench, "multiply_halves", (const uint8_t *)&parameters,
                  (const uint32_t[]){HALVES_GRID, 1}, (const uint32_t[]){128, 1}, busy_s);
}

static void measure_patterns(struct bench *bench)
{
    const struct {
        float *out;
        int n;
    } scatter = {bench->memory[2], STENCIL_SIZE};
    measure_scattered(bench, "scatter", (const uint8_t *)&scatter, (const uint32_t[]){8, 1},
                      (const uint32_t[]){128, 1});
    const struct {
        const float *a, *b;
        float *c;
        int n;
    } gemm = {bench->memory[0], bench->memory[1], bench->memory[2], SGEMM_SIZE};
    measure_scattered(bench, "gemm_by_rows", (const uint8_t *)&gemm, (const uint32_t[]){16, 16},
                      (const uint32_t[]){32, 32});
    if (is_wanted(bench, "multiply_halves"))
        measure_halves(bench);
}

/* Functions, conversions, halves and long integers on registers alone; arrays of threads, a
 * histogram. */
static void measure_functions(struct bench *bench)
{
    static const char *const kernels[] = {"functions",     "conversions",  "pairs_of_halves",
                                          "long_integers", "local_arrays", "histogram"};
    const struct {
        float *out;
        int steps;
    } parameters = {bench->memory[2], FUNCTION_STEPS};
    double busy_s[3];
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (is_wanted(bench, kernels[i]))
            measure_modes(bench, kernels[i], (const uint8_t *)&parameters,
                          (const uint32_t[]){64, 1}, (const uint32_t[]){128, 1}, busy_s);
}

int main(int count, char **arguments)
{
    struct bench bench = {0};
    struct wl_error error = {0};
    struct wl_text text = {0};
    if (count < 2 || count > 4) {
        fprintf(stderr, "usage: speed PTX-FILE [KERNEL [ROW]]\n");
        return 2;
    }
    bench.only = count > 2 ? arguments[2] : NULL;
    bench.row = count > 3 ? arguments[3] : NULL;
    if (wl_gpu_load("h200", NULL, &bench.gpu, &error) ||
        wl_file_read(arguments[1], &text, &error) ||
        wl_ptx_module_parse(text.data, text.length, arguments[1], &bench.module, &error))
        stop(&error);
    size_t elements = STENCIL_SIZE * STENCIL_SIZE;
    bench.expected = wl_alloc_zero(elements, sizeof(float));
    for (int i = 0; i < 3; i++) {
        bench.memory[i] = wl_alloc_aligned(4096, elements * sizeof(float));
        bench.ranges[i].start = (uint64_t)(uintptr_t)bench.memory[i];
        bench.ranges[i].end = bench.ranges[i].start + elements * sizeof(float);
        for (size_t k = 0; k < elements; k++)
            bench.memory[i][k] = (float)((k * 2654435761u >> 9) % 17) / 16.0f;
    }
    qsort(bench.ranges, 3, sizeof *bench.ranges, by_start);
    printf("| kernel | ms | G thread-instr/s | times native |\n|---|---|---|---|\n");
    if (is_wanted(&bench, "sgemm"))
        measure_sgemm(&bench);
    if (is_wanted(&bench, "stencil"))
        measure_stencil(&bench);
    measure_patterns(&bench);
    measure_functions(&bench);
    wl_ptx_module_free(bench.module);
    wl_text_free(&text);
    return 0;
}
