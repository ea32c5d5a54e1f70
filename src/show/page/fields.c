#include "show/page/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"

const char *wl_fields_kernel(const struct wl_report_launch *launch)
{
    if (!launch->kernel)
        return "(unknown kernel)";
    const struct wl_record_kernel *record = &launch->kernel->record;
    if (record->demangled && record->demangled[0] != '\0')
        return record->demangled;
    return record->mangled ? record->mangled : "";
}

const char *wl_fields_short_kernel(const struct wl_report_launch *launch)
{
    enum { long_name = 72 };
    const char *name = wl_fields_kernel(launch);
    const struct wl_report_kernel *kernel = launch->kernel;
    bool is_long = kernel && (kernel->family || strlen(name) > long_name);
    return is_long && kernel->short_name && kernel->short_name[0] ? kernel->short_name : name;
}

const char *wl_fields_program(const struct wl_report_process *process)
{
    const char *path = process && process->record.executable ? process->record.executable : "";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const struct wl_column wl_launch_columns[WL_LAUNCH_COLUMNS] = {
    {.csv = "ID", .json = "id"},
    {.csv = "Process ID", .json = "process_id"},
    {.csv = "Process Name", .json = "process_name"},
    {.csv = "Host Name", .json = "host_name"},
    {.csv = "Kernel Name", .json = "kernel_name"},
    {.csv = "Context", .json = "context"},
    {.csv = "Stream", .json = "stream"},
    {.csv = "Block Size", .json = "block_size"},
    {.csv = "Grid Size", .json = "grid_size"},
    {.csv = "Device", .json = "device"},
    {.csv = "CC", .json = "cc"},
};

static void write_capability(const struct wl_report_launch *launch, char *buffer, size_t size)
{
    snprintf(buffer, size, "%" PRIu32 ".%" PRIu32,
             launch->device ? launch->device->capability_major : 0,
             launch->device ? launch->device->capability_minor : 0);
}

void wl_put_launch(struct wl_page_sink *sink, const struct wl_report_launch *launch)
{
    static const struct wl_column status = {.json = "status"}, message = {.json = "message"},
                                  range = {.json = "nvtx_range"}, stack = {.json = "call_stack"};
    const struct wl_record_attribute *frames = wl_report_attribute(launch, "launch__call_stack");
    const struct wl_record_process *process = launch->process ? &launch->process->record : NULL;
    const struct wl_record_launch *record = &launch->record;
    char capability[32];
    write_capability(launch, capability, sizeof capability);
    const struct wl_cell cells[WL_LAUNCH_COLUMNS] = {
        wl_cell_number((double)launch->key),
        wl_cell_number(process ? (double)process->pid : 0),
        wl_cell_text(wl_fields_program(launch->process)),
        wl_cell_text(process ? process->host : NULL),
        wl_cell_text(wl_fields_kernel(launch)),
        wl_cell_number(record->context_id),
        wl_cell_number((double)record->stream_id),
        wl_cell_triple(record->block),
        wl_cell_triple(record->grid),
        wl_cell_number(record->device_id),
        wl_cell_text(capability),
    };
    for (size_t i = 0; i < WL_LAUNCH_COLUMNS; i++)
        wl_put(sink, &wl_launch_columns[i], cells[i]);
    bool is_failed = record->status == WL_LAUNCH_FAILED;
    wl_put(sink, &status, wl_cell_word(is_failed ? "failed" : "done"));
    if (is_failed)
        wl_put(sink, &message, wl_cell_text(record->message));
    if (record->range && record->range[0] != '\0')
        wl_put(sink, &range, wl_cell_text(record->range));
    if (frames && frames->text)
        wl_put(sink, &stack, wl_cell_text(frames->text));
}

/* ---- headlines and notes ---- */

static const struct severity {
    const char *text, *json;
} severities[] = {
    [WL_NOTE_INFO] = {"Note", "info"},
    [WL_NOTE_WARNING] = {"Warning", "warning"},
    [WL_NOTE_ERROR] = {"Error", "error"},
};

static void say_remark(struct wl_page_sink *sink, const char *word, const char *text,
                       const char *hint, size_t indent)
{
    char *prefix = wl_string_format("%*s%s: ", (int)indent, "", word);
    wl_say(sink, prefix, text ? text : "");
    if (hint && hint[0] != '\0') {
        char *below = wl_string_format("%*s", (int)strlen(prefix), "");
        wl_say(sink, below, hint);
        free(below);
    }
    free(prefix);
}

void wl_say_note(struct wl_page_sink *sink, const struct wl_record_note *note, size_t indent)
{
    say_remark(sink, severities[note->severity].text, note->text, note->hint, indent);
}

void wl_put_note(struct wl_page_sink *sink, const struct wl_report_note *note)
{
    static const struct wl_column columns[] = {{.json = "severity"}, {.json = "code"},
                                               {.json = "text"},     {.json = "hint"},
                                               {.json = "launch"},   {.json = "process_id"}};
    const struct wl_record_note *record = &note->record;
    const struct wl_cell cells[] = {
        wl_cell_word(severities[record->severity].json),
        wl_cell_text(record->code),
        wl_cell_text(record->text),
        wl_cell_text(record->hint),
        note->launch_key < 0 ? wl_cell_absent() : wl_cell_number((double)note->launch_key),
        note->process ? wl_cell_number((double)note->process->record.pid) : wl_cell_absent(),
    };
    for (size_t i = 0; i < WL_COUNT(cells); i++)
        wl_put(sink, &columns[i], cells[i]);
}

json_t *wl_fields_json(const struct wl_report_launch *launch)
{
    struct wl_page_sink *sink = wl_sink_json(&(struct wl_sink_setup){0});
    wl_put_launch(sink, launch);
    json_t *object = wl_sink_json_take(sink);
    sink->free(sink);
    return object;
}

json_t *wl_fields_note_json(const struct wl_report_note *note)
{
    struct wl_page_sink *sink = wl_sink_json(&(struct wl_sink_setup){0});
    wl_put_note(sink, note);
    json_t *object = wl_sink_json_take(sink);
    sink->free(sink);
    return object;
}

static void say_process(struct wl_page_sink *sink, const struct wl_report_process *process)
{
    wl_print(sink, "[%" PRIu64, process->record.pid);
    if (process->record.rank >= 0)
        wl_print(sink, ", rank %" PRId64, process->record.rank);
    wl_print(sink, "] ");
    wl_print_safe(sink, wl_fields_program(process));
    wl_print(sink, "@");
    wl_print_safe(sink, process->record.host ? process->record.host : "");
    wl_print(sink, "\n");
}

bool wl_fields_has_library_time(const struct wl_report_launch *launch)
{
    return wl_report_attribute(launch, "launch__is_library_time") != NULL;
}

/* Counts are those of the kernel that ran. */
static const char *stand_in_remark(const struct wl_report_launch *launch)
{
    return wl_fields_has_library_time(launch)
               ? "a stand-in: Warplens' own kernel in place of a library's; its time is "
                 "what the library's kernels would take, its counts are its own"
               : "a stand-in: Warplens' own kernel in place of a library's";
}

void wl_say_launch(struct wl_view_context *context, struct wl_page_sink *sink,
                   const struct wl_report_launch *before, const struct wl_report_launch *launch)
{
    const struct wl_record_launch *record = &launch->record;
    struct wl_text title = {0};
    char capability[32];
    if (launch->process && (!before || before->process != launch->process))
        say_process(sink, launch->process);
    wl_text_add(&title, wl_fields_kernel(launch));
    if (record->grid[0]) /* else a range of launches */
        wl_text_addf(&title,
                     " (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")x(%" PRIu32 ", %" PRIu32 ", %" PRIu32
                     ")",
                     record->grid[0], record->grid[1], record->grid[2], record->block[0],
                     record->block[1], record->block[2]);
    write_capability(launch, capability, sizeof capability);
    wl_text_addf(&title, ", Context %" PRIu32 ", Stream %" PRIu32 ", Device %" PRIu32 ", CC %s",
                 record->context_id, record->stream_id, record->device_id, capability);
    wl_line(sink, "  ", title.data, strlen(wl_fields_kernel(launch)));
    wl_text_free(&title);
    if (record->status == WL_LAUNCH_FAILED)
        say_remark(sink, "Error", record->message, NULL, 4);
    if (launch->kernel && launch->kernel->module.is_stand_in)
        say_remark(sink, "Note", stand_in_remark(launch), NULL, 4);
    const struct wl_record_attribute *stack = wl_report_attribute(launch, "launch__call_stack");
    if (stack && stack->text)
        say_remark(sink, "Call Stack", stack->text, NULL, 4);
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    for (size_t i = 0; i < count; i++)
        if (notes[i].launch_key == launch->key)
            wl_say_note(sink, &notes[i].record, 4);
}

/* ---- calls around inlined code ---- */

void wl_fields_add_callers(struct wl_text *text, const char *inlined_at)
{
    for (const char *at = inlined_at ? inlined_at : ""; *at != '\0'; at++)
        wl_text_add(text, *at == '\n' ? ", at " : (char[]){*at, '\0'});
}

void wl_fields_put_callers(struct wl_page_sink *sink, const char *inlined_at)
{
    static const struct wl_column caller_column = {.json = ""};
    wl_begin(sink, WL_LEVEL_LIST, "inlined_at", 0);
    for (const char *at = inlined_at ? inlined_at : ""; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char *caller = wl_string_copy_length(at, length);
        wl_put(sink, &caller_column, wl_cell_text(caller));
        free(caller);
        at += length + (at[length] == '\n');
    }
    wl_end(sink);
}

/* ---- metrics ---- */

const struct wl_column wl_metric_columns[WL_METRIC_COLUMNS] = {
    {"Metric Unit", "Metric Unit", "unit", WL_FORM_UNIT, 0},
    {"Metric Value", "Metric Value", "value", WL_FORM_VALUE, WL_COLUMN_FLOWS},
    {"", "Mark", "mark", WL_FORM_MARK, WL_COLUMN_LEFT},
};

void wl_put_metric(struct wl_page_sink *sink, const struct wl_metric_value *value,
                   const char *suffix)
{
    static const struct wl_column reason = {.json = "reason"};
    for (size_t i = 0; i < WL_METRIC_COLUMNS; i++) {
        struct wl_cell cell = wl_cell_metric(value);
        cell.suffix = i + 1 == WL_METRIC_COLUMNS ? suffix : NULL;
        wl_put(sink, &wl_metric_columns[i], cell);
    }
    if (!value->is_present)
        wl_put(sink, &reason, wl_cell_text(value->reason));
}
