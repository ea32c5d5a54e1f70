#include "device/predict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/demangle.h"
#include "base/memory.h"
#include "device/state.h"
#include "device/sweep.h"
#include "timing/values.h"

enum { TRACE_WORDS = 6 << 20, TRACE_WORDS_WHATIF = 1 << 20, TRACE_WORDS_LATER = 256 << 10 };
#define FREE_NS 5000000000u /* what predictions may take before they must be a small part */

size_t wl_device_trace_words(void)
{
    bool is_dear = wl_device.predicting_ns > FREE_NS + wl_device.counting_ns / 4;
    return wl_device.options.whatif ? TRACE_WORDS_WHATIF
           : is_dear                ? TRACE_WORDS_LATER
                                    : TRACE_WORDS;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct wl_timing_traffic traffic_of(const struct wl_sim_counts *counts)
{
    const uint64_t *totals = counts->totals;
    return (struct wl_timing_traffic){
        .l1_missed_sectors =
            (double)(totals[WL_COUNTER_MISS_GLOBAL_LD] + totals[WL_COUNTER_MISS_LOCAL_LD] +
                     totals[WL_COUNTER_MISS_TEXTURE]),
        .l2_read_sectors = (double)totals[WL_COUNTER_L2_READ],
        .l2_read_missed = (double)totals[WL_COUNTER_L2_READ_MISS],
        .l2_write_sectors = (double)totals[WL_COUNTER_L2_WRITE],
        .l2_requests = (double)totals[WL_COUNTER_L2_REQUESTS],
        .dram_read_bytes = (double)totals[WL_COUNTER_DRAM_READ],
        .dram_write_bytes = (double)totals[WL_COUNTER_DRAM_WRITE],
    };
}

/* The per-instruction fields are in the order of the states, behind the machine instructions. */
static void add_instructions(const struct wl_timing *timing, struct wl_sim_counts *counts)
{
    for (uint32_t i = 0; i < timing->instruction_count && i < counts->instruction_count; i++) {
        struct wl_instruction_counts *row = &counts->instructions[i];
        const double *states = timing->instruction_states + (size_t)i * WL_TIMING_STATE_COUNT;
        row->machine_executed = (uint64_t)(timing->instruction_executed[i] + 0.5);
        uint64_t *fields = &row->stalled_selected;
        for (int s = 0; s < WL_TIMING_STATE_COUNT; s++)
            fields[s] = (uint64_t)(states[s] + 0.5);
    }
}

void wl_device_add_value(struct wl_sim_counts *counts, double number, const char *format, ...)
{
    struct wl_sim_value *value = &counts->values[counts->value_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value->name, sizeof value->name, format, arguments);
    va_end(arguments);
    value->value = number;
}

enum { WHATIF_TOP = 3, WHATIF_MOST = 32 + WL_DEVICE_SWEEP_MOST };

/* The launch without each cause; then without pairs of the three that cost most. */
static void add_whatif(struct wl_timing_input *input, double duration_ns,
                       struct wl_sim_counts *counts)
{
    const struct wl_timing_cause *top[WHATIF_TOP] = {NULL};
    double saved[WHATIF_TOP] = {0};
    struct wl_timing timing;
    struct wl_error error = {0};
    for (const struct wl_timing_cause *cause = wl_timing_causes; cause->id; cause++) {
        input->changes = cause->changes;
        if (wl_timing_predict(input, &timing, &error))
            continue;
        wl_device_add_value(counts, timing.duration_ns, "whatif__%s__duration.ns", cause->id);
        double gain = duration_ns - timing.duration_ns;
        wl_timing_free(&timing);
        bool is_bound = cause->changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY);
        int place = WHATIF_TOP;
        while (place > 0 && !is_bound && gain > saved[place - 1])
            place--;
        for (int i = WHATIF_TOP - 1; i > place; i--) {
            top[i] = top[i - 1];
            saved[i] = saved[i - 1];
        }
        if (place < WHATIF_TOP && !is_bound) {
            top[place] = cause;
            saved[place] = gain;
        }
    }
    for (int a = 0; a < WHATIF_TOP; a++)
        for (int b = a + 1; b < WHATIF_TOP && top[b]; b++) {
            input->changes = top[a]->changes | top[b]->changes;
            if (wl_timing_predict(input, &timing, &error))
                continue;
            wl_device_add_value(counts, timing.duration_ns, "whatif__%s+%s__duration.ns",
                                top[a]->id, top[b]->id);
            wl_timing_free(&timing);
        }
}

/* Why block sizes are not swept, once for each kernel. */
static void say_obstacle(struct wl_device_kernel *kernel, const char *obstacle)
{
    if (kernel->is_obstacle_said)
        return;
    kernel->is_obstacle_said = true;
    char *name = wl_demangle_function(kernel->name);
    wl_device_say(0, "no-block-sweep", "", "%s is not timed in blocks of other sizes: %s", name,
                  obstacle);
    free(name);
}

uint64_t wl_device_predict(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                           const struct wl_trace *trace, struct wl_sim_counts *counts)
{
    uint64_t start_ns = now_ns();
    struct wl_timing timing;
    struct wl_timing_value values[WL_TIMING_VALUES_MOST];
    struct wl_error error = {0};
    struct wl_timing_input input = {
        .gpu = &wl_device.gpu,
        .program = launch->program,
        .trace = trace,
        .block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
        .warps_per_block = counts->occupancy.warps_per_block,
        .occupancy = counts->occupancy,
        .traffic = traffic_of(counts),
        .program_instructions = (double)counts->totals[WL_COUNTER_INST],
    };
    wl_device.counting_ns += counts->wall_ns;
    if (wl_timing_predict(&input, &timing, &error)) {
        counts->not_predicted = wl_string_copy(error.message);
        return 0;
    }
    size_t count = wl_timing_values(&input, &timing, values);
    counts->values = wl_alloc_zero(count + WHATIF_MOST, sizeof *counts->values);
    for (size_t i = 0; i < count; i++)
        wl_device_add_value(counts, values[i].value, "%s", values[i].name);
    if (wl_device.options.whatif) {
        add_whatif(&input, timing.duration_ns, counts);
        const char *obstacle = wl_device_sweep(launch, &input, counts);
        if (obstacle)
            say_obstacle(kernel, obstacle);
    }
    add_instructions(&timing, counts);
    uint64_t length_ns = (uint64_t)(timing.duration_ns + 0.5);
    wl_timing_free(&timing);
    wl_device.predicting_ns += now_ns() - start_ns;
    return length_ns;
}
