#include "collect/sim/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/kernel_name.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/sim/callers.h"
#include "collect/sim/facts.h"
#include "collect/sites.h"
#include "record/nvtx_expression.h"
#include "record/stream/stream.h"
#include "timeline/names.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

/* Kernels that could not be made have no number of the device layer; they are numbered from here.
 */
#define MISSING_KERNEL_ID (UINT64_C(1) << 62)

/* What a kernel is called, kept as demangling is slow. */
struct name {
    char *mangled, *demangled, *function;
    uint64_t missing_id;   /* as a kernel that could not be made, or 0 */
    bool is_not_predicted; /* that was noted */
    bool is_left_out;      /* told */
    bool has_alias;        /* it was looked for */
    char *alias;           /* nvc's name, or NULL */
    UT_hash_handle hh;
};

/* Notes of findings in one process: a program that launches faulty kernels for hours gets a message
 * now and then, not each time. */
#define FINDING_NOTES_MAX 1000
/* Kernels that are told to have been left out. */
#define LEFT_OUT_MAX 20

/* A launch that is to be recorded and has not ended yet. */
struct pending {
    uint64_t launch_id;
    char *range;
    uint32_t stack; /* a name, or 0 */
};

/* Numbers of what was sent already; they are dense. */
struct sent {
    WL_VECTOR_FIELDS(bool);
};

struct sim_collector {
    struct wl_collector_input input;
    struct wl_device_observer observer;
    struct wl_gpu gpu;
    bool is_device_sent;
    struct sent modules, kernels;
    struct name *names;
    uint64_t missing_count, finding_count, left_out_count;
    WL_VECTOR(struct pending) pending;
    /* of the launch being sent; kept for the next */
    struct wl_value_list values;
    struct wl_attribute_list attributes;
    WL_VECTOR(struct wl_record_instruction_value) instruction_values;
};

/* True the first time for each number. */
static bool mark_sent(struct sent *sent, uint64_t number)
{
    while (sent->count <= number)
        WL_PUSH(sent, false);
    bool is_new = !sent->items[number];
    sent->items[number] = true;
    return is_new;
}

static struct name *find_name(struct sim_collector *collector, const char *mangled)
{
    struct name *name = NULL;
    HASH_FIND_STR(collector->names, mangled, name);
    if (name)
        return name;
    name = wl_alloc_zero(1, sizeof *name);
    name->mangled = wl_string_copy(mangled);
    name->demangled = wl_demangle(mangled);
    name->function = wl_demangle_function(mangled);
    HASH_ADD_KEYPTR(hh, collector->names, name->mangled, strlen(name->mangled), name);
    return name;
}

/* ---- device, modules, kernels: once each ---- */

static void send_device(struct sim_collector *collector)
{
    const struct wl_sink *sink = collector->input.sink;
    if (collector->is_device_sent)
        return;
    collector->is_device_sent = true;
    wl_facts_put_device(sink, 0, &collector->gpu, NULL);
}

void wl_sim_collector_put_device(void *self)
{
    send_device(self);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* module may be NULL: a kernel that no module has. Returns the module's number in the report. */
static uint64_t send_module(struct sim_collector *collector,
                            const struct wl_device_module_info *module)
{
    const struct wl_sink *sink = collector->input.sink;
    uint64_t id = module ? module->id : 0;
    if (!mark_sent(&collector->modules, id))
        return id;
    struct wl_record_module record = {.id = id, .name = "", .text = "", .options = ""};
    if (module) {
        record.name = or_empty(module->name);
        record.options = or_empty(module->options);
        record.is_stand_in = module->is_stand_in;
    }
    if (module && module->ptx) {
        record.text = or_empty(module->ptx->text);
        record.architecture = module->ptx->target_sm;
    }
    if (sink->put_module)
        sink->put_module(sink->self, &record);
    return id;
}

/* free() the result. */
static struct wl_record_instruction *make_instructions(struct sim_collector *collector,
                                                       const struct wl_program *program)
{
    struct wl_record_instruction *records =
        wl_alloc_zero(program->instruction_count, sizeof *records);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct wl_program_instruction *from = &program->instructions[i];
        records[i] = (struct wl_record_instruction){
            .index = i,
            .text_line = from->text_line,
            .text = or_empty(from->text),
            .opcode = or_empty(from->opcode),
            .pipe = wl_pipe_name(from->pipe),
            .file = or_empty(from->file),
            .line = from->line,
            .column = from->column,
            .inlined_at = or_empty(from->inlined_at),
            .function = from->function ? find_name(collector, from->function)->function : "",
        };
    }
    return records;
}

static void note_unmodelled_math(const struct sim_collector *collector, const char *kernel)
{
    const struct wl_sink *sink = collector->input.sink;
    char *text = wl_string_format("%s calls mathematical functions that the host computes: their "
                                  "instructions are not counted",
                                  kernel);
    struct wl_record_note record = {WL_NOTE_INFO, "unmodelled-math", text,
                                    "compile with nvcc to have them as PTX", -1};
    if (sink->put_note)
        sink->put_note(sink->self, &record);
    free(text);
}

static uint64_t send_kernel(struct sim_collector *collector,
                            const struct wl_device_kernel_info *kernel)
{
    const struct wl_sink *sink = collector->input.sink;
    uint64_t module_id = send_module(collector, kernel->module);
    if (!mark_sent(&collector->kernels, kernel->id) || !sink->put_kernel)
        return kernel->id;
    const struct name *name = find_name(collector, kernel->mangled);
    struct wl_attribute_list *attributes = &collector->attributes;
    attributes->count = 0;
    wl_sim_facts_of_kernel(kernel, attributes);
    struct wl_record_instruction *instructions =
        kernel->program ? make_instructions(collector, kernel->program) : NULL;
    struct wl_record_kernel record = {
        .id = kernel->id,
        .module_id = module_id,
        .mangled = name->mangled,
        .demangled = name->demangled,
        .function = name->function,
        .instructions = instructions,
        .instruction_count = kernel->program ? kernel->program->instruction_count : 0,
        .attributes = attributes->items,
        .attribute_count = attributes->count,
    };
    sink->put_kernel(sink->self, &record);
    free(instructions);
    if (kernel->program && kernel->program->uses_unmodelled_math)
        note_unmodelled_math(collector, name->demangled);
    return kernel->id;
}

/* A kernel that could not be made still has a name that its failed launch is shown under. */
static uint64_t send_missing_kernel(struct sim_collector *collector,
                                    const struct wl_device_launch *launch)
{
    const struct wl_sink *sink = collector->input.sink;
    struct name *name = find_name(collector, launch->mangled);
    if (name->missing_id)
        return name->missing_id;
    name->missing_id = MISSING_KERNEL_ID + collector->missing_count++;
    struct wl_record_kernel record = {
        .id = name->missing_id,
        .module_id = send_module(collector, launch->module),
        .mangled = name->mangled,
        .demangled = name->demangled,
        .function = name->function,
    };
    if (sink->put_kernel)
        sink->put_kernel(sink->self, &record);
    return name->missing_id;
}

/* ---- launches ---- */

/* What nvc calls a kernel of GCC's, by the line of its construct: the first of the kernel's. */
static const char *find_alias(struct name *name, const struct wl_device_kernel_info *kernel)
{
    const struct wl_program *program = kernel ? kernel->program : NULL;
    uint32_t line = 0;
    if (name->has_alias || !program)
        return name->alias;
    for (size_t i = 0; i < program->instruction_count; i++) {
        const struct wl_program_instruction *instruction = &program->instructions[i];
        bool is_own = instruction->line && !instruction->inlined_at;
        if (is_own && (!line || instruction->line < line))
            line = instruction->line;
    }
    name->has_alias = true;
    return name->alias = wl_kernel_nvc_name(name->function, line);
}

/* Which kernels there are besides those that were asked for: a name may have been mistyped. */
static void tell_left_out(struct sim_collector *collector, struct name *name)
{
    const struct wl_sink *sink = collector->input.sink;
    if (name->is_left_out || !sink->put_note || collector->left_out_count >= LEFT_OUT_MAX)
        return;
    name->is_left_out = true;
    collector->left_out_count++;
    char *text = wl_string_format("launches of %s were not chosen", name->function);
    sink->put_note(sink->self, &(struct wl_record_note){WL_NOTE_INFO, "left-out", text, "", -1});
    free(text);
}

static bool launch_begin(void *self, const struct wl_device_launch *launch)
{
    struct sim_collector *collector = self;
    struct name *name = find_name(collector, launch->mangled);
    struct wl_filter_launch asked = {
        .mangled = name->mangled,
        .demangled = name->demangled,
        .function = name->function,
        .context_id = launch->context_id,
        .stream_id = launch->stream_id,
        .grid = launch->grid,
        .block = launch->block,
        .alias = find_alias(name, launch->kernel),
    };
    send_device(collector);
    if (collector->input.open_ranges)
        asked.range_count = collector->input.open_ranges(&asked.ranges);
    if (!wl_filter_accept(collector->input.filter, &asked)) {
        tell_left_out(collector, name);
        return false;
    }
    struct pending pending = {launch->id, wl_nvtx_ranges_join(asked.ranges, asked.range_count),
                              collector->input.settings->call_stacks ? wl_code_launch_stack() : 0};
    WL_PUSH(&collector->pending, pending);
    return true;
}

/* Takes the launch off the pending ones; its range is then the caller's. False: not to be recorded.
 */
static bool take_pending(struct sim_collector *collector, uint64_t launch_id, struct pending *taken)
{
    for (size_t i = 0; i < collector->pending.count; i++) {
        if (collector->pending.items[i].launch_id != launch_id)
            continue;
        *taken = collector->pending.items[i];
        collector->pending.items[i] = collector->pending.items[--collector->pending.count];
        return true;
    }
    return false;
}

static enum wl_mark mark_of(const struct wl_counter_row *row, bool has_joined_loads)
{
    return has_joined_loads && row->hangs_on_joining ? WL_MARK_MODELLED : row->mark;
}

/* All rows: a count of zero is a count. */
static void add_totals(struct wl_value_list *values, const struct wl_sim_counts *counts)
{
    for (size_t i = 0; i < WL_COUNTER_COUNT; i++) {
        struct wl_record_value value = {wl_counter_rows[i].name, (double)counts->totals[i],
                                        mark_of(&wl_counter_rows[i], counts->has_joined_loads)};
        WL_PUSH(values, value);
    }
    for (size_t i = 0; i < counts->value_count; i++) {
        struct wl_record_value value = {counts->values[i].name, counts->values[i].value,
                                        WL_MARK_PREDICTED};
        WL_PUSH(values, value);
    }
}

static void add_instruction_values(struct sim_collector *collector,
                                   const struct wl_sim_counts *counts)
{
    for (size_t i = 0; i < counts->instruction_count; i++) {
        const unsigned char *fields = (const unsigned char *)&counts->instructions[i];
        for (size_t name = 0; name < wl_instruction_counter_count; name++) {
            uint64_t count;
            memcpy(&count, fields + name * sizeof count, sizeof count);
            if (count == 0)
                continue;
            struct wl_record_instruction_value value = {(uint32_t)i, (uint32_t)name, (double)count};
            WL_PUSH(&collector->instruction_values, value);
        }
    }
}

/* Names and marks of all per-instruction counts. */
struct instruction_names {
    const char *names[sizeof(struct wl_instruction_counts) / sizeof(uint64_t)];
    uint8_t marks[sizeof(struct wl_instruction_counts) / sizeof(uint64_t)];
};

static void fill_instruction_names(struct instruction_names *names, bool has_joined_loads)
{
    for (size_t i = 0; i < wl_instruction_counter_count; i++) {
        names->names[i] = wl_instruction_counter_rows[i].name;
        names->marks[i] = (uint8_t)mark_of(&wl_instruction_counter_rows[i], has_joined_loads);
    }
}

/* "" if it did not fail; free() it. */
static char *describe_failure(const struct wl_error *error)
{
    if (!error || error->code == WL_OK)
        return wl_string_copy("");
    if (error->message[0] == '\0')
        return wl_string_copy("the launch failed");
    if (error->where[0] == '\0')
        return wl_string_copy(error->message);
    return wl_string_format("%s (%s)", error->message, error->where);
}

static void send_launch(struct sim_collector *collector, const struct wl_device_launch *launch,
                        const struct wl_sim_counts *counts, const char *message,
                        const struct pending *pending)
{
    const struct wl_sink *sink = collector->input.sink;
    const struct wl_occupancy *occupancy = counts ? &counts->occupancy : NULL;
    struct wl_launch_facts facts = wl_sim_launch_facts(launch);
    struct instruction_names names;
    struct wl_record_launch record = {
        .id = launch->id,
        .kernel_id = launch->kernel ? send_kernel(collector, launch->kernel)
                                    : send_missing_kernel(collector, launch),
        .device_id = launch->device_id,
        .context_id = launch->context_id,
        .stream_id = launch->stream_id,
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .start_ns = launch->start_ns,
        .simulated_for_ns = counts ? counts->wall_ns : 0,
        .status = message[0] ? WL_LAUNCH_FAILED : WL_LAUNCH_DONE,
        .message = message,
        .range = pending->range,
    };
    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    collector->values.count = collector->attributes.count = 0;
    collector->instruction_values.count = 0;
    wl_sim_facts_of_launch(launch, collector->input.settings, occupancy, &collector->attributes);
    wl_facts_add_stack(pending->stack ? wl_timeline_name_text(pending->stack) : NULL,
                       &collector->attributes);
    wl_facts_add_values(&facts, &collector->gpu, occupancy, &collector->values);
    if (counts) {
        add_totals(&collector->values, counts);
        add_instruction_values(collector, counts);
        fill_instruction_names(&names, counts->has_joined_loads);
        record.instruction_value_names = names.names;
        record.instruction_value_marks = names.marks;
        record.instruction_value_name_count = wl_instruction_counter_count;
    }
    record.values = collector->values.items;
    record.value_count = collector->values.count;
    record.attributes = collector->attributes.items;
    record.attribute_count = collector->attributes.count;
    record.instruction_values = collector->instruction_values.items;
    record.instruction_value_count = collector->instruction_values.count;
    if (sink->put_launch)
        sink->put_launch(sink->self, &record);
}

static void note(void *self, enum wl_note_severity severity, const char *code, const char *text,
                 const char *hint)
{
    const struct sim_collector *collector = self;
    const struct wl_sink *sink = collector->input.sink;
    struct wl_record_note record = {severity, code, text, or_empty(hint), -1};
    if (sink->put_note)
        sink->put_note(sink->self, &record);
}

/* What a launch did wrong at more instructions than are listed. */
static void send_left_out(const struct sim_collector *collector,
                          const struct wl_device_launch *launch, uint64_t times, bool is_error)
{
    const struct wl_sink *sink = collector->input.sink;
    if (!times)
        return;
    char *text = wl_string_format("%s found %llu times more, at other instructions than the %d "
                                  "listed of this launch",
                                  is_error ? "Errors" : "Warnings", (unsigned long long)times,
                                  WL_FINDINGS_MAX);
    struct wl_record_note record = {is_error ? WL_NOTE_ERROR : WL_NOTE_WARNING, "findings-left-out",
                                    text, "fix those listed and run again", (int64_t)launch->id};
    sink->put_note(sink->self, &record);
    free(text);
}

/* A note for each finding of the launch. */
static void send_findings(struct sim_collector *collector, const struct wl_device_launch *launch,
                          const struct wl_sim_counts *counts)
{
    const struct wl_sink *sink = collector->input.sink;
    for (size_t i = 0; counts && i < counts->finding_count && sink->put_note; i++) {
        const struct wl_finding *finding = &counts->findings[i];
        const struct wl_finding_row *row = &wl_finding_rows[finding->kind];
        struct wl_text text = {0};
        if (collector->finding_count++ == FINDING_NOTES_MAX)
            note(collector, WL_NOTE_ERROR, "findings-left-out",
                 "This program's kernels have more errors than are listed",
                 "fix what is listed and run again");
        if (collector->finding_count > FINDING_NOTES_MAX)
            return;
        wl_finding_print(launch->kernel->program, finding, &text);
        if (finding->space == WL_SITE_GLOBAL && finding->place.where != WL_PLACE_NONE &&
            !finding->place.is_in_heap && !finding->place.variable)
            wl_origins_print(finding->place.start, finding->place.where == WL_PLACE_FREED, &text);
        struct wl_record_note record = {row->is_error ? WL_NOTE_ERROR : WL_NOTE_WARNING, row->code,
                                        text.data, row->hint, (int64_t)launch->id};
        sink->put_note(sink->self, &record);
        wl_text_free(&text);
    }
    if (!counts || !sink->put_note)
        return;
    send_left_out(collector, launch, counts->errors_left_out, true);
    send_left_out(collector, launch, counts->warnings_left_out, false);
}

/* Why launches of the kernel have no time, said once for each kernel. */
static void send_not_predicted(struct sim_collector *collector,
                               const struct wl_device_launch *launch, const char *reason)
{
    struct name *name = find_name(collector, launch->mangled);
    if (name->is_not_predicted)
        return;
    name->is_not_predicted = true;
    char *text =
        wl_string_format("%s: counted, its time is not predicted: %s", name->demangled, reason);
    note(collector, WL_NOTE_INFO, "not-predicted", text, "");
    free(text);
}

static void launch_end(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    struct sim_collector *collector = self;
    struct pending pending;
    if (!take_pending(collector, launch->id, &pending))
        return;
    char *message = describe_failure(error);
    send_device(collector);
    send_launch(collector, launch, counts, message, &pending);
    send_findings(collector, launch, counts);
    if (counts && counts->not_predicted)
        send_not_predicted(collector, launch, counts->not_predicted);
    free(message);
    free(pending.range);
    if (collector->input.settings->kill && !collector->pending.count &&
        wl_filter_is_finished(collector->input.filter))
        wl_stream_complete(collector->input.settings->stream_folder);
}

static void profiler_switch(void *self, bool active)
{
    struct sim_collector *collector = self;
    wl_filter_set_active(collector->input.filter, active);
}

/* ---- the collector ---- */

static enum wl_code start(const struct wl_collector_input *input, void **self,
                          struct wl_error *error)
{
    struct sim_collector *collector = wl_alloc_zero(1, sizeof *collector);
    const char *folder = input->settings->gpu_folder;
    enum wl_code code =
        wl_gpu_load(input->settings->gpu, folder[0] ? folder : NULL, &collector->gpu, error);
    *self = NULL;
    if (code != WL_OK) {
        free(collector);
        return code;
    }
    if (input->settings->call_stacks)
        wl_code_stacks_start(WL_STACKS_KERNEL, WL_PYTHON_STACKS_NONE);
    collector->input = *input;
    collector->observer = (struct wl_device_observer){
        .self = collector,
        .launch_begin = launch_begin,
        .launch_end = launch_end,
        .profiler_switch = profiler_switch,
        .note = note,
    };
    *self = collector;
    return WL_OK;
}

static void forget(void *self)
{
    struct sim_collector *collector = self;
    collector->is_device_sent = false;
    collector->modules.count = collector->kernels.count = 0;
    for (struct name *name = collector->names; name; name = name->hh.next)
        name->missing_id = 0;
}

static void stop(void *self)
{
    struct sim_collector *collector = self;
    struct name *name, *next;
    HASH_ITER(hh, collector->names, name, next)
    {
        HASH_DEL(collector->names, name);
        free(name->mangled);
        free(name->demangled);
        free(name->function);
        free(name->alias);
        free(name);
    }
    for (size_t i = 0; i < collector->pending.count; i++)
        free(collector->pending.items[i].range);
    free(collector->pending.items);
    free(collector->modules.items);
    free(collector->kernels.items);
    free(collector->values.items);
    free(collector->attributes.items);
    free(collector->instruction_values.items);
    wl_gpu_free(&collector->gpu);
    free(collector);
}

const struct wl_collector wl_sim_collector = {
    .name = "sim",
    .start = start,
    .forget = forget,
    .stop = stop,
};

const struct wl_device_observer *wl_sim_collector_observer(void *self)
{
    const struct sim_collector *collector = self;
    return &collector->observer;
}
