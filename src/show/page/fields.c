#include "show/page/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"

/* A field's value: a text, a whole number, or three. */
struct cell {
    const char *text;
    uint64_t number;
    const uint32_t *triple;
    char buffer[32];
};

const char *wl_fields_kernel(const struct wl_report_launch *launch)
{
    if (!launch->kernel)
        return "(unknown kernel)";
    const struct wl_record_kernel *record = &launch->kernel->record;
    if (record->demangled && record->demangled[0] != '\0')
        return record->demangled;
    return record->mangled ? record->mangled : "";
}

const char *wl_fields_program(const struct wl_report_process *process)
{
    const char *path = process && process->record.executable ? process->record.executable : "";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void read_id(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->number = (uint64_t)launch->key;
}
static void read_pid(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->number = launch->process ? launch->process->record.pid : 0;
}
static void read_program(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->text = wl_fields_program(launch->process);
}
static void read_host(const struct wl_report_launch *launch, struct cell *cell)
{
    const char *host = launch->process ? launch->process->record.host : NULL;
    cell->text = host ? host : "";
}
static void read_kernel(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->text = wl_fields_kernel(launch);
}
static void read_context(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->number = launch->record.context_id;
}
static void read_stream(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->number = launch->record.stream_id;
}
static void read_block(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->triple = launch->record.block;
}
static void read_grid(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->triple = launch->record.grid;
}
static void read_device(const struct wl_report_launch *launch, struct cell *cell)
{
    cell->number = launch->record.device_id;
}
static void read_capability(const struct wl_report_launch *launch, struct cell *cell)
{
    snprintf(cell->buffer, sizeof cell->buffer, "%" PRIu32 ".%" PRIu32,
             launch->device ? launch->device->capability_major : 0,
             launch->device ? launch->device->capability_minor : 0);
    cell->text = cell->buffer;
}

static const struct field {
    const char *csv, *json;
    void (*read)(const struct wl_report_launch *launch, struct cell *cell);
} fields[] = {
    {"ID", "id", read_id},
    {"Process ID", "process_id", read_pid},
    {"Process Name", "process_name", read_program},
    {"Host Name", "host_name", read_host},
    {"Kernel Name", "kernel_name", read_kernel},
    {"Context", "context", read_context},
    {"Stream", "stream", read_stream},
    {"Block Size", "block_size", read_block},
    {"Grid Size", "grid_size", read_grid},
    {"Device", "device", read_device},
    {"CC", "cc", read_capability},
};
enum { field_count = sizeof fields / sizeof *fields };

void wl_fields_csv_names(struct wl_text *out)
{
    for (size_t i = 0; i < field_count; i++)
        wl_text_addf(out, "%s\"%s\"", i ? "," : "", fields[i].csv);
}

void wl_fields_csv(const struct wl_report_launch *launch, struct wl_text *out)
{
    for (size_t i = 0; i < field_count; i++) {
        struct cell cell = {0};
        fields[i].read(launch, &cell);
        wl_text_add(out, i ? "," : "");
        if (cell.text)
            wl_format_csv(cell.text, out);
        else if (cell.triple)
            wl_text_addf(out, "\"(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\"", cell.triple[0],
                         cell.triple[1], cell.triple[2]);
        else
            wl_text_addf(out, "\"%" PRIu64 "\"", cell.number);
    }
}

json_t *wl_fields_json(const struct wl_report_launch *launch)
{
    json_t *object = json_object();
    for (size_t i = 0; i < field_count; i++) {
        struct cell cell = {0};
        fields[i].read(launch, &cell);
        json_t *value = cell.text ? wl_json_text(cell.text)
                        : cell.triple
                            ? json_pack("[I,I,I]", (json_int_t)cell.triple[0],
                                        (json_int_t)cell.triple[1], (json_int_t)cell.triple[2])
                            : json_integer((json_int_t)cell.number);
        json_object_set_new(object, fields[i].json, value);
    }
    bool is_failed = launch->record.status == WL_LAUNCH_FAILED;
    json_object_set_new(object, "status", json_string(is_failed ? "failed" : "done"));
    if (is_failed)
        json_object_set_new(object, "message", wl_json_text(launch->record.message));
    if (launch->record.range && launch->record.range[0] != '\0')
        json_object_set_new(object, "nvtx_range", wl_json_text(launch->record.range));
    return object;
}

/* ---- headlines and notes ---- */

static const struct severity {
    const char *text, *json;
} severities[] = {
    [WL_NOTE_INFO] = {"Note", "info"},
    [WL_NOTE_WARNING] = {"Warning", "warning"},
    [WL_NOTE_ERROR] = {"Error", "error"},
};

static void add_remark(const char *word, const char *text, const char *hint, size_t indent,
                       size_t width, struct wl_text *out)
{
    struct wl_text safe = {0};
    char *prefix = wl_string_format("%*s%s: ", (int)indent, "", word);
    wl_format_safe(text ? text : "", &safe);
    wl_format_wrap(prefix, safe.data, width, out);
    if (hint && hint[0] != '\0') {
        char *below = wl_string_format("%*s", (int)strlen(prefix), "");
        safe.length = 0;
        wl_format_safe(hint, &safe);
        wl_format_wrap(below, safe.data, width, out);
        free(below);
    }
    free(prefix);
    wl_text_free(&safe);
}

void wl_fields_note(const struct wl_record_note *note, size_t indent, size_t width,
                    struct wl_text *out)
{
    add_remark(severities[note->severity].text, note->text, note->hint, indent, width, out);
}

json_t *wl_fields_note_json(const struct wl_report_note *note)
{
    const struct wl_record_note *record = &note->record;
    json_t *object = json_object();
    json_object_set_new(object, "severity", json_string(severities[record->severity].json));
    json_object_set_new(object, "code", wl_json_text(record->code));
    json_object_set_new(object, "text", wl_json_text(record->text));
    json_object_set_new(object, "hint", wl_json_text(record->hint));
    json_object_set_new(object, "launch",
                        note->launch_key < 0 ? json_null() : json_integer(note->launch_key));
    json_object_set_new(object, "process_id",
                        note->process ? json_integer((json_int_t)note->process->record.pid)
                                      : json_null());
    return object;
}

void wl_fields_bold(struct wl_view_context *context, bool is_on)
{
    if (context->options->color)
        wl_text_add(&context->text, is_on ? "\x1b[1m" : "\x1b[0m");
}

void wl_fields_headline(struct wl_view_context *context, const struct wl_report_launch *before,
                        const struct wl_report_launch *launch)
{
    struct wl_text *out = &context->text;
    const struct wl_record_launch *record = &launch->record;
    if (launch->process && (!before || before->process != launch->process)) {
        wl_text_addf(out, "[%" PRIu64, launch->process->record.pid);
        if (launch->process->record.rank >= 0)
            wl_text_addf(out, ", rank %" PRId64, launch->process->record.rank);
        wl_text_add(out, "] ");
        wl_format_safe(wl_fields_program(launch->process), out);
        wl_text_add_char(out, '@');
        wl_format_safe(launch->process->record.host ? launch->process->record.host : "", out);
        wl_text_add_char(out, '\n');
    }
    wl_text_add(out, "  ");
    wl_fields_bold(context, true);
    wl_format_safe(wl_fields_kernel(launch), out);
    wl_fields_bold(context, false);
    if (record->grid[0]) { /* else a range of launches */
        wl_text_addf(out, " (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", record->grid[0],
                     record->grid[1], record->grid[2]);
        wl_text_addf(out, "x(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", record->block[0],
                     record->block[1], record->block[2]);
    }
    struct cell capability = {0};
    read_capability(launch, &capability);
    wl_text_addf(out, ", Context %" PRIu32 ", Stream %" PRIu32 ", Device %" PRIu32 ", CC %s\n",
                 record->context_id, record->stream_id, record->device_id, capability.text);
    if (record->status == WL_LAUNCH_FAILED)
        add_remark("Error", record->message, NULL, 4, context->width, out);
    if (launch->kernel && launch->kernel->module.is_stand_in)
        add_remark("Note", "a stand-in: Warplens' own kernel in place of a library's", NULL, 4,
                   context->width, out);
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    for (size_t i = 0; i < count; i++)
        if (notes[i].launch_key == launch->key)
            wl_fields_note(&notes[i].record, 4, context->width, out);
}

/* ---- values ---- */

json_t *wl_json_text(const char *text)
{
    struct wl_text clean = {0};
    wl_format_utf8(text ? text : "", &clean);
    json_t *string = json_stringn(clean.data, clean.length);
    wl_text_free(&clean);
    return string;
}

json_t *wl_json_number(double number)
{
    if (number == floor(number) && fabs(number) < 9007199254740992.0)
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *wl_json_metric(const struct wl_metric_value *value, bool with_name)
{
    json_t *object = json_object();
    if (with_name)
        json_object_set_new(object, "name", wl_json_text(value->name));
    json_object_set_new(object, "unit", wl_json_text(value->unit));
    json_object_set_new(object, "value",
                        !value->is_present ? json_null()
                        : value->text      ? wl_json_text(value->text)
                                           : wl_json_number(value->number));
    json_object_set_new(object, "mark",
                        value->is_present ? json_string(wl_metric_mark_name(value->mark))
                                          : json_null());
    if (!value->is_present)
        json_object_set_new(object, "reason", wl_json_text(value->reason));
    return object;
}

void wl_csv_add(struct wl_text *out, const char *text)
{
    wl_text_add_char(out, ',');
    wl_format_csv(text, out);
}

void wl_csv_metric(struct wl_text *out, const struct wl_metric_value *value)
{
    struct wl_text number = {0};
    wl_csv_add(out, value->unit);
    if (!value->is_present) {
        char *mark = wl_string_format("absent: %s", value->reason);
        wl_csv_add(out, "");
        wl_csv_add(out, mark);
        free(mark);
        return;
    }
    if (value->text)
        wl_text_add(&number, value->text);
    else
        wl_format_plain(value->number, &number);
    wl_csv_add(out, number.data ? number.data : "");
    wl_csv_add(out, wl_metric_mark_name(value->mark));
    wl_text_free(&number);
}

const char *wl_mark_text(struct wl_view_context *context, const struct wl_metric_value *value)
{
    static char signs[3][2];
    if (!value->is_present)
        return "";
    context->is_mark_shown[value->mark] = true;
    signs[value->mark][0] = wl_metric_mark_sign(value->mark);
    return signs[value->mark];
}

const char *wl_mark_meaning(enum wl_mark mark)
{
    static const char *const meanings[] = {
        [WL_MARK_EXACT] = "follows from the program and its addresses",
        [WL_MARK_MODELLED] = "caches, device memory",
        [WL_MARK_PREDICTED] = "time, machine code",
    };
    return meanings[mark];
}

void wl_mark_legend(struct wl_view_context *context)
{
    struct wl_text line = {0};
    for (int mark = WL_MARK_EXACT; mark <= WL_MARK_PREDICTED; mark++)
        if (context->is_mark_shown[mark])
            wl_text_addf(&line, "%s%c %s (%s)", line.length ? ", " : "",
                         wl_metric_mark_sign((enum wl_mark)mark),
                         wl_metric_mark_name((enum wl_mark)mark),
                         wl_mark_meaning((enum wl_mark)mark));
    if (line.length)
        wl_format_wrap("  Marks: ", line.data, context->width, &context->text);
    wl_text_free(&line);
}
