/* The session page: what was run, on which model, with which settings, and what was skipped or
 * failed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"

struct fact {
    char *label, *key, *text; /* text NULL: number */
    double number;
    bool is_missing;
};

/* Facts of one thing: the session, a process, a device. */
struct group {
    const char *kind; /* key in JSON: an array of objects, or one object for "session" */
    char *title;
    WL_VECTOR_FIELDS(struct fact);
};
struct group_list {
    WL_VECTOR_FIELDS(struct group);
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

/* Devices are listed once, however many processes used them. */
static bool is_device_reported(const struct wl_report_launch *launches, size_t index)
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
        if (!launches[i].device || is_device_reported(launches, i))
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

/* ---- rows ---- */

/* What 0 means of a setting. */
static const struct {
    const char *key, *meaning;
} meanings[] = {
    {"threads", "0 (all cores)"},
    {"launch_count", "0 (all)"},
};

/* NULL: it means what it is. */
static const char *meaning_of(const struct fact *fact)
{
    for (size_t i = 0; !fact->text && fact->number == 0 && i < WL_COUNT(meanings); i++)
        if (strcmp(fact->key, meanings[i].key) == 0)
            return meanings[i].meaning;
    return NULL;
}

enum { GROUP, NAME, VALUE, COLUMNS };
static const struct wl_column columns[COLUMNS] = {
    [GROUP] = {.csv = "Group"},
    [NAME] = {.text = "Name", .csv = "Name", .flags = WL_COLUMN_LEFT},
    [VALUE] = {.text = "Value", .csv = "Value", .flags = WL_COLUMN_LEFT | WL_COLUMN_WRAPS},
};

/* A row, and a field of the group's object. */
static void put_fact(struct wl_page_sink *sink, const struct fact *fact)
{
    const struct wl_column field = {.json = fact->key};
    struct wl_cell value = fact->is_missing ? wl_cell_absent()
                           : fact->text     ? wl_cell_text(fact->text)
                                            : wl_cell_number(fact->number);
    value.shown = fact->is_missing ? "unknown" : meaning_of(fact);
    wl_begin(sink, WL_LEVEL_NONE, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
    wl_put(sink, &columns[NAME], wl_cell_text(fact->label));
    wl_put(sink, &columns[VALUE], value);
    wl_put(sink, &field, value);
    wl_end(sink);
}

static void put_group(struct wl_page_sink *sink, const struct group *group, const char *key)
{
    wl_begin(sink, WL_LEVEL_OBJECT, key, 0);
    wl_put(sink, &columns[GROUP], wl_cell_text(group->title));
    wl_print(sink, "  ");
    wl_print_safe(sink, group->title);
    wl_print(sink, "\n");
    wl_table_begin(sink, 4);
    wl_table_columns(sink, columns, COLUMNS);
    for (size_t i = 0; i < group->count; i++)
        put_fact(sink, &group->items[i]);
    wl_table_end(sink);
    wl_print(sink, "\n");
    wl_end(sink);
}

static void put_groups(struct wl_page_sink *sink, const struct group_list *list)
{
    static const char *const kinds[] = {"processes", "devices"};
    put_group(sink, &list->items[0], list->items[0].kind); /* the session */
    for (size_t k = 0; k < WL_COUNT(kinds); k++) {
        wl_begin(sink, WL_LEVEL_LIST, kinds[k], 0);
        for (size_t i = 1; i < list->count; i++)
            if (strcmp(list->items[i].kind, kinds[k]) == 0)
                put_group(sink, &list->items[i], NULL);
        wl_end(sink);
    }
}

/* What failed a launch is printed with that launch, and not repeated: the message of a
 * failed launch, up to the place in parentheses, stands in the note. */
static bool is_reported(struct wl_view_context *context, const struct wl_record_note *note)
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

static bool say_failures(struct wl_view_context *context, struct wl_page_sink *sink)
{
    size_t count = 0;
    bool has_any = false;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    for (size_t i = 0; i < count; i++) {
        if (launches[i].record.status != WL_LAUNCH_FAILED)
            continue;
        char *text = wl_string_format("launch %" PRId64 ", %s: %s", launches[i].key,
                                      wl_fields_kernel(&launches[i]), launches[i].record.message);
        struct wl_record_note note = {.severity = WL_NOTE_ERROR, .text = text};
        wl_say_note(sink, &note, 4);
        has_any = true;
        free(text);
    }
    return has_any;
}

static void put_notes(struct wl_view_context *context, struct wl_page_sink *sink)
{
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(context->report, &count);
    wl_print(sink, "  Skipped, failed, noted\n");
    bool has_any = say_failures(context, sink);
    wl_begin(sink, WL_LEVEL_LIST, "notes", 0);
    for (size_t i = 0; i < count; i++) {
        bool is_shown = !is_reported(context, &notes[i].record);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
        wl_put(sink, &columns[GROUP], wl_cell_text("Note"));
        wl_put(sink, &columns[NAME], wl_cell_text(notes[i].record.code));
        wl_put(sink, &columns[VALUE], wl_cell_text(notes[i].record.text));
        wl_put_note(sink, &notes[i]);
        wl_end(sink);
        if (is_shown)
            wl_say_note(sink, &notes[i].record, 4);
        has_any |= is_shown;
    }
    wl_end(sink);
    if (!has_any)
        wl_print(sink, "    nothing\n");
}

static void put_failures(struct wl_view_context *context, struct wl_page_sink *sink)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    wl_begin(sink, WL_LEVEL_LIST, "failures", 0);
    for (size_t i = 0; i < count; i++) {
        if (launches[i].record.status != WL_LAUNCH_FAILED)
            continue;
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        wl_put_launch(sink, &launches[i]);
        wl_end(sink);
    }
    wl_end(sink);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    (void)error;
    struct group_list list = list_groups(context);
    wl_heading(sink, columns, COLUMNS);
    put_groups(sink, &list);
    free_groups(&list);
    put_notes(context, sink);
    put_failures(context, sink);
    return WL_OK;
}

const struct wl_page wl_page_session = {.name = "session", .walk = walk};
