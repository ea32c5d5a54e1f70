/* pprof's profiles: of a trace its stacks with the time that the innermost took itself; of profiled
 * launches their source lines with the launch's time by the share of the line. */
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "show/export/pprof.h"
#include "show/export/timeline_writer.h"

/* ---- of a trace ---- */

/* A path of frames, and what is innermost where it has a line; or NULL. */
static void add_stack(struct wl_pprof *profile, const char *path,
                      const struct wl_timeline_sample *innermost, uint64_t own_ns)
{
    char *copy = wl_string_copy(path), *rest = copy;
    WL_VECTOR(uint64_t) stack = {0};
    for (char *frame; (frame = strsep(&rest, ";"));)
        if (*frame)
            WL_PUSH(&stack, wl_pprof_location(profile, frame, "", 0));
    if (innermost)
        WL_PUSH(&stack,
                wl_pprof_location(profile, innermost->function, innermost->file, innermost->line));
    for (size_t i = 0; i < stack.count / 2; i++) { /* innermost first */
        uint64_t outer = stack.items[i];
        stack.items[i] = stack.items[stack.count - 1 - i];
        stack.items[stack.count - 1 - i] = outer;
    }
    wl_pprof_sample(profile, stack.items, stack.count, &own_ns, 1);
    free(stack.items);
    free(copy);
}

static void take_stack(void *self, const char *path, uint64_t own_ns)
{
    add_stack(self, path, NULL, own_ns);
}

static void take_sample(void *self, const struct wl_timeline_sample *sample)
{
    char *path = wl_string_format("%s;%s", sample->track, sample->callers);
    add_stack(self, path, sample, sample->sampled_ns);
    free(path);
}

static void end(struct wl_timeline_writer *writer)
{
    struct wl_pprof profile = {0};
    struct wl_text packed = {0};
    struct wl_error ignored = {0}; /* then the file is empty, which no reader takes for a profile */
    wl_pprof_type(&profile, "time", "nanoseconds");
    wl_timeline_samples_take(writer, take_sample, &profile, &ignored);
    wl_timeline_stacks_take(writer, take_stack, &profile);
    if (!wl_pprof_finish(&profile, &packed, &ignored))
        fwrite(packed.data, 1, packed.length, writer->out);
    wl_text_free(&packed);
}

const struct wl_timeline_form_functions wl_timeline_pprof = {.begin = wl_timeline_stacks_begin,
                                                             .track = wl_timeline_stacks_track,
                                                             .open = wl_timeline_stacks_open,
                                                             .close = wl_timeline_stacks_close,
                                                             .end = end};

/* ---- of launches ---- */

/* A sample for each instruction that anything was counted of: its line within the kernel. */
static void add_instructions(struct wl_pprof *profile, const struct wl_source_model *model,
                             double duration_ns)
{
    const struct wl_source_column *heat = wl_source_find_heat(model);
    const struct wl_report_kernel *kernel = model->launch->kernel;
    double total = 0, count = 0;
    if (!heat || !wl_source_read(heat, model->totals, &total) || total <= 0)
        return;
    const char *name = kernel->record.demangled && *kernel->record.demangled
                           ? kernel->record.demangled
                           : kernel->record.mangled;
    for (size_t i = 0; i < model->instruction_count; i++) {
        const struct wl_record_instruction *at = &model->instructions[i];
        if (!wl_source_read(heat, model->counts[i], &count) || count <= 0)
            continue;
        bool is_inlined = at->function && *at->function;
        uint64_t stack[2],
            values[] = {(uint64_t)(duration_ns * count / total + 0.5), (uint64_t)count};
        size_t depth = 0;
        stack[depth++] =
            wl_pprof_location(profile, is_inlined ? at->function : name, at->file, at->line);
        if (is_inlined)
            stack[depth++] = wl_pprof_location(profile, name, at->file, 0);
        wl_pprof_sample(profile, stack, depth, values, 2);
    }
}

static enum wl_code add_launch(struct wl_pprof *profile, struct wl_report *report,
                               const struct wl_report_launch *launch, struct wl_error *error)
{
    struct wl_source_model model;
    double duration_ns = 0;
    enum wl_mark mark;
    if (!launch->kernel)
        return WL_OK;
    enum wl_code code = wl_source_build(report, launch, NULL, &model, error);
    if (code)
        return code;
    wl_report_value(launch, "gpu__time_duration.sum", &duration_ns, &mark);
    add_instructions(profile, &model, duration_ns);
    wl_source_free(&model);
    return WL_OK;
}

enum wl_code wl_timeline_write_launches(struct wl_report *report, FILE *out, struct wl_error *error)
{
    struct wl_pprof profile = {0};
    struct wl_text packed = {0};
    struct wl_error trouble = {0};
    size_t count = 0;
    enum wl_code code = WL_OK;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    wl_pprof_type(&profile, "time", "nanoseconds");
    wl_pprof_type(&profile, "samples", "count");
    for (size_t i = 0; i < count && !code; i++)
        code = add_launch(&profile, report, &launches[i], error);
    enum wl_code packing = wl_pprof_finish(&profile, &packed, &trouble);
    if (!code && packing) {
        code = packing;
        *error = trouble;
    }
    if (!code)
        fwrite(packed.data, 1, packed.length, out);
    wl_text_free(&packed);
    return code;
}
