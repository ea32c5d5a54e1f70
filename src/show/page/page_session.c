/* The session page: what was run, on which model, with which settings, and what was skipped or
 * failed. One list of facts feeds text, CSV and JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

enum { INDENT = 4, LEAST_VALUE = 20 }; /* columns */

struct fact {
    char *label, *key, *text; /* text NULL: number */
    double number;
    bool is_missing;
};

/* Facts of one thing: the session, a process, a device. */
struct group {
    const char *kind; /* key in JSON: an array of objects, or one object for "session" */
    char *title;
    struct fact *items;
    size_t count, capacity;
};
struct group_list {
    struct group *items;
    size_t count, capacity;
};

static void add_text(struct group *group, const char *label, const char *key, const char *text)
{
    struct fact fact = {.label = wl_string_copy(label),
                        .key = wl_string_copy(key),
                        .text = wl_string_copy(text ? text : "")};
    WL_PUSH(group, fact);
}

static void add_number(struct group *group, const char *label, const char *key, double number)
{
    struct fact fact = {
        .label = wl_string_copy(label), .key = wl_string_copy(key), .number = number};
    WL_PUSH(group, fact);
}

static void add_missing(struct group *group, const char *label, const char *key)
{
    struct fact fact = {
        .label = wl_string_copy(label), .key = wl_string_copy(key), .is_missing = true};
    WL_PUSH(group, fact);
}

static void add_attribute(struct group *group, const struct wl_record_attribute *attribute)
{
    if (attribute->text)
        add_text(group, attribute->name, attribute->name, attribute->text);
    else
        add_number(group, attribute->name, attribute->name, attribute->number);
}

static void add_time(struct group *group, const char *label, const char *key, uint64_t time_ns)
{
    time_t seconds = (time_t)(time_ns / 1000000000u);
    struct tm calendar;
    char buffer[32] = "";
    if (gmtime_r(&seconds, &calendar))
        strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &calendar);
    add_text(group, label, key, buffer);
}

static void add_process(struct group *group, const struct wl_report_process *process)
{
    const struct wl_record_process *record = &process->record;
    add_number(group, "Process ID", "process_id", (double)record->pid);
    add_number(group, "Parent Process ID", "parent_process_id", (double)record->parent_pid);
    add_text(group, "Host Name", "host_name", record->host);
    add_text(group, "Command Line", "command_line", record->command_line);
    add_text(group, "Executable", "executable", record->executable);
    add_text(group, "Executable SHA-256", "executable_sha256", record->executable_hash);
    add_time(group, "Start", "start", record->start_ns);
    add_text(group, "Warplens", "version", record->version);
    add_text(group, "Collector", "collector", record->collector);
    if (record->rank >= 0)
        add_number(group, "Rank", "rank", (double)record->rank);
    if (record->rank_count >= 0)
        add_number(group, "Ranks", "ranks", (double)record->rank_count);
    if (process->exit_code < 0)
        add_missing(group, "Exit Code", "exit_code");
    else
        add_number(group, "Exit Code", "exit_code", process->exit_code);
    add_text(group, "Recorded to Its End", "complete", process->is_torn ? "no" : "yes");
    add_number(group, "Records Dropped", "records_dropped", (double)process->dropped);
}

static void add_device(struct group *group, const struct wl_record_device *device)
{
    char *capability = wl_string_format("%" PRIu32 ".%" PRIu32, device->capability_major,
                                        device->capability_minor);
    add_number(group, "Device", "device", device->device_id);
    add_text(group, "Name", "name", device->name);
    add_text(group, "Model", "model", device->model);
    add_text(group, "CC", "cc", capability);
    for (size_t i = 0; i < device->attribute_count; i++)
        add_attribute(group, &device->attributes[i]);
    free(capability);
}

static struct group *add_group(struct group_list *list, const char *kind, char *title)
{
    struct group group = {.kind = kind, .title = title};
    WL_PUSH(list, group);
    return &list->items[list->count - 1];
}

/* Devices are told once, however many processes used them. */
static bool is_device_told(const struct wl_report_launch *launches, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        const struct wl_record_device *a = launches[i].device, *b = launches[index].device;
        if (a == b || (a && b && a->device_id == b->device_id && a->model && b->model &&
                       strcmp(a->model, b->model) == 0))
            return true;
    }
    return false;
}

static struct group_list list_groups(struct wl_view_context *context)
{
    struct group_list list = {0};
    size_t count = 0;
    const struct wl_record_attribute *settings = wl_report_session(context->report, &count);
    struct group *group = add_group(&list, "session", wl_string_copy("Session"));
    for (size_t i = 0; i < count; i++)
        add_attribute(group, &settings[i]);
    size_t launch_count = 0, failed = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &launch_count);
    for (size_t i = 0; i < launch_count; i++)
        failed += launches[i].record.status == WL_LAUNCH_FAILED;
    add_number(group, "Launches", "launches", (double)launch_count);
    add_number(group, "Launches Failed", "launches_failed", (double)failed);
    const struct wl_report_process *processes = wl_report_processes(context->report, &count);
    for (size_t i = 0; i < count; i++) {
        group = add_group(&list, "processes",
                          wl_string_format("Process %" PRIu64, processes[i].record.pid));
        add_process(group, &processes[i]);
    }
    for (size_t i = 0; i < launch_count; i++) {
        if (!launches[i].device || is_device_told(launches, i))
            continue;
        group = add_group(&list, "devices",
                          wl_string_format("Device %" PRIu32, launches[i].device->device_id));
        add_device(group, launches[i].device);
    }
    return list;
}

static void free_groups(struct group_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct group *group = &list->items[i];
        for (size_t j = 0; j < group->count; j++) {
            free(group->items[j].label);
            free(group->items[j].key);
            free(group->items[j].text);
        }
        free(group->items);
        free(group->title);
    }
    free(list->items);
}

/* ---- text ---- */

/* What 0 means of a setting. */
static const struct {
    const char *key, *meaning;
} meanings[] = {
    {"threads", "0 (all cores)"},
    {"launch_count", "0 (all)"},
};

static void write_number(const struct fact *fact, struct wl_text *value)
{
    for (size_t i = 0; fact->number == 0 && i < sizeof meanings / sizeof *meanings; i++) {
        if (strcmp(fact->key, meanings[i].key) == 0) {
            wl_text_add(value, meanings[i].meaning);
            return;
        }
    }
    wl_format_plain(fact->number, value);
}

static void write_value(const struct fact *fact, struct wl_text *value)
{
    if (fact->is_missing)
        wl_text_add(value, "unknown");
    else if (fact->text)
        wl_format_safe(fact->text, value);
    else
        write_number(fact, value);
}

/* A row for each line of a value that is broken at spaces to be no wider than width. */
static void add_rows(struct wl_table *table, const char *label, const char *value, size_t width)
{
    struct wl_text lines = {0};
    wl_format_wrap("", value, width, &lines);
    for (char *line = lines.data; *line;) {
        size_t length = strcspn(line, "\n");
        line[length] = '\0';
        wl_table_add_cell(table, line == lines.data ? label : "");
        wl_table_add_cell(table, line);
        line += length + 1;
    }
    wl_text_free(&lines);
}

static void print_group(struct wl_view_context *context, const struct group *group)
{
    struct wl_table table = {0};
    wl_text_add(&context->text, "  ");
    wl_format_safe(group->title, &context->text);
    wl_text_add_char(&context->text, '\n');
    wl_table_add_column(&table, "Name", true);
    wl_table_add_column(&table, "Value", true);
    size_t label_width = wl_format_width("Name");
    for (size_t i = 0; i < group->count; i++)
        if (wl_format_width(group->items[i].label) > label_width)
            label_width = wl_format_width(group->items[i].label);
    size_t left = INDENT + label_width + 1;
    size_t width = context->width > left + LEAST_VALUE ? context->width - left : LEAST_VALUE;
    for (size_t i = 0; i < group->count; i++) {
        struct wl_text label = {0}, value = {0};
        wl_format_safe(group->items[i].label, &label);
        write_value(&group->items[i], &value);
        add_rows(&table, label.data ? label.data : "", value.data ? value.data : "", width);
        wl_text_free(&label);
        wl_text_free(&value);
    }
    wl_table_print(&table, INDENT, &context->text);
    wl_text_add_char(&context->text, '\n');
    wl_table_free(&table);
}

static void print_failures(struct wl_view_context *context)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    for (size_t i = 0; i < count; i++) {
        if (launches[i].record.status != WL_LAUNCH_FAILED)
            continue;
        char *text = wl_string_format("launch %" PRId64 ", %s: %s", launches[i].key,
                                      wl_fields_kernel(&launches[i]), launches[i].record.message);
        struct wl_record_note note = {.severity = WL_NOTE_ERROR, .text = text};
        wl_fields_note(&note, 4, context->width, &context->text);
        free(text);
    }
}

/* What failed a launch is told with that launch, and need not be told again: the message of a
 * failed launch, up to the place in parentheses, stands in the note. */
static bool is_told(struct wl_view_context *context, const struct wl_record_note *note)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    for (size_t i = 0; i < count; i++) {
        const char *message = launches[i].record.message;
        if (launches[i].record.status != WL_LAUNCH_FAILED || !message || !message[0])
            continue;
        const char *place = strrchr(message, '(');
        size_t length =
            place && place > message + 1 ? (size_t)(place - message) - 1 : strlen(message);
        char *told = wl_string_copy_length(message, length);
        bool is_same = note->text && strstr(note->text, told);
        free(told);
        if (is_same)
            return true;
    }
    return false;
}

enum wl_code wl_page_session_text(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct group_list list = list_groups(context);
    for (size_t i = 0; i < list.count; i++)
        print_group(context, &list.items[i]);
    free_groups(&list);
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    wl_text_add(&context->text, "  Skipped, failed, noted\n");
    size_t before = context->text.length;
    print_failures(context);
    for (size_t i = 0; i < count; i++)
        if (!is_told(context, &notes[i].record))
            wl_fields_note(&notes[i].record, 4, context->width, &context->text);
    if (context->text.length == before)
        wl_text_add(&context->text, "    nothing\n");
    return WL_OK;
}

/* ---- CSV and JSON ---- */

enum wl_code wl_page_session_csv(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct group_list list = list_groups(context);
    wl_text_add(&context->text, "\"Group\",\"Name\",\"Value\"\n");
    for (size_t i = 0; i < list.count; i++) {
        for (size_t j = 0; j < list.items[i].count; j++) {
            const struct fact *fact = &list.items[i].items[j];
            struct wl_text number = {0};
            wl_format_plain(fact->number, &number);
            wl_format_csv(list.items[i].title, &context->text);
            wl_csv_add(&context->text, fact->label);
            wl_csv_add(&context->text, fact->is_missing ? ""
                                       : fact->text     ? fact->text
                                                        : number.data);
            wl_text_add_char(&context->text, '\n');
            wl_text_free(&number);
        }
    }
    free_groups(&list);
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    for (size_t i = 0; i < count; i++) {
        wl_format_csv("Note", &context->text);
        wl_csv_add(&context->text, notes[i].record.code);
        wl_csv_add(&context->text, notes[i].record.text);
        wl_text_add_char(&context->text, '\n');
    }
    return WL_OK;
}

enum wl_code wl_page_session_json(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct group_list list = list_groups(context);
    json_object_set_new(context->root, "session", json_object());
    json_object_set_new(context->root, "processes", json_array());
    json_object_set_new(context->root, "devices", json_array());
    for (size_t i = 0; i < list.count; i++) {
        const struct group *group = &list.items[i];
        json_t *place = json_object_get(context->root, group->kind);
        json_t *object = json_is_array(place) ? json_object() : json_incref(place);
        for (size_t j = 0; j < group->count; j++) {
            const struct fact *fact = &group->items[j];
            json_object_set_new(object, fact->key,
                                fact->is_missing ? json_null()
                                : fact->text     ? wl_json_text(fact->text)
                                                 : wl_json_number(fact->number));
        }
        if (json_is_array(place))
            json_array_append_new(place, object);
        else
            json_decref(object);
    }
    free_groups(&list);
    size_t count = 0;
    json_t *array = json_array();
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, wl_fields_note_json(&notes[i]));
    json_object_set_new(context->root, "notes", array);
    json_t *failures = json_array();
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    for (size_t i = 0; i < count; i++)
        if (launches[i].record.status == WL_LAUNCH_FAILED)
            json_array_append_new(failures, wl_fields_json(&launches[i]));
    json_object_set_new(context->root, "failures", failures);
    return WL_OK;
}
