#include "report/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/demangle.h"
#include "base/kernel_name.h"
#include "base/memory.h"
#include "report/database.h"
#include "report/shared_names.h"

/* Each loader reads one table from its first row to its last; keys must be dense and ascending,
 * which also ends a table whose pages form a circle. */

static enum wl_code load_names(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file, "SELECT id, name FROM names ORDER BY id", 0, error);
    while (wl_rows_next(&rows)) {
        int64_t id = (int64_t)report->names.count + 1;
        wl_rows_integer(&rows, 0, id, id);
        WL_PUSH(&report->names, wl_rows_text(&rows, 1));
    }
    return wl_rows_end(&rows);
}

static const char *row_name(struct wl_rows *rows, int column, const struct wl_report *report)
{
    int64_t id = wl_rows_integer(rows, column, 1, (int64_t)report->names.count);
    return rows->code == WL_OK ? report->names.items[id - 1] : "";
}

static struct wl_record_attribute row_attribute(struct wl_rows *rows, const char *name, int column)
{
    struct wl_record_attribute attribute = {
        .name = name, .text = wl_rows_text_or_null(rows, column), .number = NAN};
    if (attribute.text)
        attribute.number = 0;
    else if (!wl_rows_is_null(rows, column + 1))
        attribute.number = wl_rows_real(rows, column + 1);
    return attribute;
}

static enum wl_code load_session(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    int64_t last = 0;
    wl_rows_begin(&rows, &report->file,
                  "SELECT position, name, text, number FROM session ORDER BY position", 0, error);
    while (wl_rows_next(&rows)) {
        last = wl_rows_integer(&rows, 0, last + 1, last + 1);
        WL_PUSH(&report->session, row_attribute(&rows, wl_rows_text(&rows, 1), 2));
    }
    return wl_rows_end(&rows);
}

/* Counts the row at hand, that will be item `next` of all, into its set. */
static struct wl_report_set *count_into_set(struct wl_rows *rows, struct wl_report_sets *sets,
                                            size_t next)
{
    struct wl_report_set *last = sets->count ? &sets->items[sets->count - 1] : NULL;
    int64_t id = wl_rows_integer(rows, 0, last ? last->id : 1, INT64_MAX);
    if (!last || id != last->id) {
        struct wl_report_set set = {.id = id, .first = next};
        WL_PUSH(sets, set);
        last = &sets->items[sets->count - 1];
    }
    last->count++;
    return last;
}

static enum wl_code load_attributes(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT set_id, position, name_id, text, number FROM attributes "
                  "ORDER BY set_id, position",
                  0, error);
    while (wl_rows_next(&rows)) {
        const struct wl_report_set *set =
            count_into_set(&rows, &report->attribute_sets, report->attributes.count);
        int64_t position = (int64_t)set->count - 1;
        wl_rows_integer(&rows, 1, position, position);
        WL_PUSH(&report->attributes, row_attribute(&rows, row_name(&rows, 2, report), 3));
    }
    return wl_rows_end(&rows);
}

static int compare_values(const void *left, const void *right)
{
    const struct wl_record_value *a = left, *b = right;
    return strcmp(a->name, b->name);
}

static enum wl_code load_values(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    int64_t last_name = 0;
    wl_rows_begin(&rows, &report->file,
                  "SELECT set_id, name_id, value, mark FROM metric_values ORDER BY set_id, name_id",
                  0, error);
    while (wl_rows_next(&rows)) {
        const struct wl_report_set *set =
            count_into_set(&rows, &report->value_sets, report->values.count);
        if (set->count == 1)
            last_name = 0;
        last_name = wl_rows_integer(&rows, 1, last_name + 1, INT64_MAX);
        struct wl_record_value value = {
            .name = row_name(&rows, 1, report),
            .value = wl_rows_real(&rows, 2),
            .mark = (enum wl_mark)wl_rows_integer(&rows, 3, WL_MARK_EXACT, WL_MARK_PREDICTED),
        };
        WL_PUSH(&report->values, value);
    }
    for (size_t i = 0; i < report->value_sets.count; i++) {
        const struct wl_report_set *set = &report->value_sets.items[i];
        qsort(report->values.items + set->first, set->count, sizeof *report->values.items,
              compare_values);
    }
    return wl_rows_end(&rows);
}

static int compare_sets(const void *left, const void *right)
{
    const struct wl_report_set *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* The set whose id stands in the column; an empty one for NULL and for an id without rows. */
static struct wl_report_set row_set(struct wl_rows *rows, int column,
                                    const struct wl_report_sets *sets)
{
    struct wl_report_set empty = {0}, wanted;
    if (wl_rows_is_null(rows, column))
        return empty;
    wanted.id = wl_rows_integer(rows, column, 1, INT64_MAX);
    const struct wl_report_set *found =
        sets->count ? bsearch(&wanted, sets->items, sets->count, sizeof wanted, compare_sets)
                    : NULL;
    return found ? *found : empty;
}

static const struct wl_record_attribute *
row_attributes(struct wl_rows *rows, int column, const struct wl_report *report, size_t *count)
{
    struct wl_report_set set = row_set(rows, column, &report->attribute_sets);
    *count = set.count;
    return set.count ? report->attributes.items + set.first : NULL;
}

static int64_t read_rank(struct wl_rows *rows, int column)
{
    return wl_rows_is_null(rows, column) ? -1 : wl_rows_integer(rows, column, 0, INT32_MAX);
}

static enum wl_code load_processes(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, stream, pid, parent_pid, host, executable, executable_hash, "
                  "command_line, start_ns, version, collector, exit_code, is_torn, dropped, rank, "
                  "rank_count FROM processes ORDER BY id",
                  0, error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->processes.count + 1;
        struct wl_report_process process = {
            .key = wl_rows_integer(&rows, 0, key, key),
            .record = {.pid = wl_rows_u64(&rows, 2),
                       .parent_pid = wl_rows_u64(&rows, 3),
                       .host = wl_rows_text(&rows, 4),
                       .executable = wl_rows_text(&rows, 5),
                       .executable_hash = wl_rows_text(&rows, 6),
                       .command_line = wl_rows_text(&rows, 7),
                       .start_ns = wl_rows_u64(&rows, 8),
                       .version = wl_rows_text(&rows, 9),
                       .collector = wl_rows_text(&rows, 10),
                       .rank = read_rank(&rows, 14),
                       .rank_count = read_rank(&rows, 15)},
            .exit_code =
                wl_rows_is_null(&rows, 11) ? -1 : (int)wl_rows_integer(&rows, 11, 0, INT32_MAX),
            .is_torn = wl_rows_integer(&rows, 12, 0, 1),
            .dropped = wl_rows_u64(&rows, 13),
        };
        WL_PUSH(&report->processes, process);
        WL_PUSH(&report->streams, wl_rows_text(&rows, 1));
    }
    return wl_rows_end(&rows);
}

static enum wl_code load_devices(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, process_id, device_id, model, name, capability_major, "
                  "capability_minor, attribute_set_id FROM devices ORDER BY id",
                  0, error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->devices.count + 1;
        wl_rows_integer(&rows, 0, key, key);
        struct wl_record_device device = {
            .device_id = wl_rows_u32(&rows, 2),
            .model = wl_rows_text(&rows, 3),
            .name = wl_rows_text(&rows, 4),
            .capability_major = wl_rows_u32(&rows, 5),
            .capability_minor = wl_rows_u32(&rows, 6),
        };
        device.attributes = row_attributes(&rows, 7, report, &device.attribute_count);
        WL_PUSH(&report->devices, device);
    }
    return wl_rows_end(&rows);
}

static enum wl_code load_modules(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, name, options, architecture, is_stand_in FROM modules ORDER BY id", 0,
                  error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->modules.count + 1;
        struct wl_record_module module = {
            .id = (uint64_t)wl_rows_integer(&rows, 0, key, key),
            .name = wl_rows_text(&rows, 1),
            .options = wl_rows_text(&rows, 2),
            .architecture = wl_rows_u32(&rows, 3),
            .is_stand_in = wl_rows_integer(&rows, 4, 0, 1),
        };
        WL_PUSH(&report->modules, module);
    }
    return wl_rows_end(&rows);
}

static const char *keep(struct wl_report *report, char *text)
{
    const char *kept = wl_arena_string(&report->arena, text, strlen(text));
    free(text);
    return kept;
}

static char *function_of(const struct wl_record_kernel *record)
{
    bool is_reported = record->function[0] && strncmp(record->function, "operator", 8) != 0;
    return is_reported ? wl_string_copy(record->function) : wl_demangle_function(record->mangled);
}

/* Two with the same name are distinguished by their template arguments. */
static void name_kernels(struct wl_report *report)
{
    struct wl_report_kernel *items = report->kernels.items;
    struct wl_shared_names names = {0};
    for (size_t i = 0; i < report->kernels.count; i++) {
        const struct wl_record_kernel *record = &items[i].record;
        char *function = function_of(record);
        items[i].family = wl_kernel_family(record->demangled);
        items[i].short_name = keep(report, wl_kernel_short_name(record->demangled, function));
        wl_shared_names_add(&names, items[i].short_name, record->demangled);
        free(function);
    }
    for (size_t i = 0; i < report->kernels.count; i++) {
        const struct wl_record_kernel *record = &items[i].record;
        if (!wl_shared_names_is_shared(&names, items[i].short_name))
            continue;
        char *function = function_of(record);
        items[i].short_name =
            keep(report, wl_kernel_name_with_arguments(record->demangled, function));
        free(function);
    }
    wl_shared_names_free(&names);
}

static enum wl_code load_kernels(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, module_id, mangled, demangled, function, attribute_set_id "
                  "FROM kernels ORDER BY id",
                  0, error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->kernels.count + 1;
        int64_t module = wl_rows_integer(&rows, 1, 1, (int64_t)report->modules.count);
        struct wl_report_kernel kernel = {
            .key = wl_rows_integer(&rows, 0, key, key),
            .record = {.id = (uint64_t)key,
                       .module_id = (uint64_t)module,
                       .mangled = wl_rows_text(&rows, 2),
                       .demangled = wl_rows_text(&rows, 3),
                       .function = wl_rows_text(&rows, 4)},
        };
        kernel.record.attributes = row_attributes(&rows, 5, report, &kernel.record.attribute_count);
        if (rows.code == WL_OK)
            kernel.module = report->modules.items[module - 1];
        WL_PUSH(&report->kernels, kernel);
    }
    enum wl_code code = wl_rows_end(&rows);
    if (!code)
        name_kernels(report);
    return code;
}

static struct wl_record_launch row_launch(struct wl_rows *rows, const struct wl_report *report)
{
    struct wl_record_launch record = {
        .id = wl_rows_u64(rows, 2),
        .context_id = wl_rows_u32(rows, 5),
        .stream_id = wl_rows_u32(rows, 6),
        .shared_dynamic_bytes = wl_rows_u64(rows, 13),
        .start_ns = wl_rows_u64(rows, 14),
        .simulated_for_ns = wl_rows_u64(rows, 15),
        .status =
            (enum wl_launch_status)wl_rows_integer(rows, 16, WL_LAUNCH_DONE, WL_LAUNCH_FAILED),
        .message = wl_rows_text(rows, 17),
        .range = wl_rows_text(rows, 18),
    };
    for (int axis = 0; axis < 3; axis++) {
        record.grid[axis] = wl_rows_u32(rows, 7 + axis);
        record.block[axis] = wl_rows_u32(rows, 10 + axis);
    }
    record.attributes = row_attributes(rows, 19, report, &record.attribute_count);
    struct wl_report_set set = row_set(rows, 20, &report->value_sets);
    record.values = set.count ? report->values.items + set.first : NULL;
    record.value_count = set.count;
    return record;
}

static enum wl_code load_launches(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    WL_VECTOR(int64_t) sets = {0};
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, process_id, number, kernel_id, device_id, context_id, stream_id, "
                  "grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_dynamic_bytes, "
                  "start_ns, simulated_for_ns, status, message, range, attribute_set_id, "
                  "value_set_id, instruction_value_set_id FROM launches ORDER BY id",
                  0, error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->launches.count;
        int64_t process = wl_rows_integer(&rows, 1, 1, (int64_t)report->processes.count);
        int64_t kernel = wl_rows_integer(&rows, 3, 1, (int64_t)report->kernels.count);
        int64_t device = wl_rows_integer(&rows, 4, 1, (int64_t)report->devices.count);
        struct wl_report_launch launch = {
            .key = wl_rows_integer(&rows, 0, key, key),
            .record = row_launch(&rows, report),
        };
        WL_PUSH(&sets, wl_rows_is_null(&rows, 21) ? 0 : wl_rows_integer(&rows, 21, 1, INT64_MAX));
        if (rows.code == WL_OK) {
            launch.process = &report->processes.items[process - 1];
            launch.kernel = &report->kernels.items[kernel - 1];
            launch.device = &report->devices.items[device - 1];
            launch.record.kernel_id = (uint64_t)kernel;
            launch.record.device_id = launch.device->device_id;
        }
        WL_PUSH(&report->launches, launch);
    }
    report->instruction_set_ids = sets.items;
    return wl_rows_end(&rows);
}

static enum wl_code load_notes(struct wl_report *report, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT id, process_id, launch_id, launch_number, severity, code, text, hint "
                  "FROM notes ORDER BY id",
                  0, error);
    while (wl_rows_next(&rows)) {
        int64_t key = (int64_t)report->notes.count + 1;
        wl_rows_integer(&rows, 0, key, key);
        int64_t process = wl_rows_integer(&rows, 1, 1, (int64_t)report->processes.count);
        struct wl_report_note note = {
            .launch_key = wl_rows_is_null(&rows, 2)
                              ? -1
                              : wl_rows_integer(&rows, 2, 0, (int64_t)report->launches.count - 1),
            .record = {.launch_id =
                           wl_rows_is_null(&rows, 3) ? -1 : wl_rows_integer(&rows, 3, 0, INT64_MAX),
                       .severity = (enum wl_note_severity)wl_rows_integer(&rows, 4, WL_NOTE_INFO,
                                                                          WL_NOTE_ERROR),
                       .code = wl_rows_text(&rows, 5),
                       .text = wl_rows_text(&rows, 6),
                       .hint = wl_rows_text(&rows, 7)},
        };
        if (rows.code == WL_OK)
            note.process = &report->processes.items[process - 1];
        WL_PUSH(&report->notes, note);
    }
    return wl_rows_end(&rows);
}

enum wl_code wl_report_open_file(const char *path, struct wl_report **report,
                                 struct wl_error *error)
{
    static enum wl_code (*const loaders[])(struct wl_report *, struct wl_error *) = {
        load_names,   load_session, load_attributes, load_values,   load_processes,
        load_devices, load_modules, load_kernels,    load_launches, load_notes,
    };
    struct wl_report *opened = wl_alloc_zero(1, sizeof *opened);
    opened->path = wl_string_copy(path);
    opened->file = (struct wl_rows_file){.path = opened->path, .arena = &opened->arena};
    enum wl_code code =
        wl_database_open(path, &opened->file.database, &opened->file.text_left_bytes, error);
    for (size_t i = 0; code == WL_OK && i < WL_COUNT(loaders); i++)
        code = loaders[i](opened, error);
    if (code != WL_OK) {
        wl_report_close(opened);
        return code;
    }
    opened->kernel_is_loaded = wl_alloc_zero(opened->kernels.count, sizeof(bool));
    opened->launch_is_loaded = wl_alloc_zero(opened->launches.count, sizeof(bool));
    *report = opened;
    return WL_OK;
}

void wl_report_close(struct wl_report *report)
{
    if (!report)
        return;
    sqlite3_close(report->file.database);
    for (size_t i = 0; i < report->instruction_sets.count; i++) {
        free(report->instruction_sets.items[i].names);
        free(report->instruction_sets.items[i].marks);
        free(report->instruction_sets.items[i].values);
    }
    for (size_t i = 0; i < report->kernels.count; i++)
        free((void *)report->kernels.items[i].record.instructions);
    void *const blocks[] = {
        report->names.items,          report->names_sorted,        report->sources,
        report->session.items,        report->attributes.items,    report->values.items,
        report->attribute_sets.items, report->value_sets.items,    report->processes.items,
        report->devices.items,        report->modules.items,       report->kernels.items,
        report->launches.items,       report->notes.items,         report->streams.items,
        report->short_names.items,    report->instruction_set_ids, report->instruction_sets.items,
        report->kernel_is_loaded,     report->launch_is_loaded,    report->path,
    };
    for (size_t i = 0; i < WL_COUNT(blocks); i++)
        free(blocks[i]);
    wl_keys_free(&report->instruction_set_keys);
    wl_keys_free(&report->demangled);
    wl_arena_free(&report->arena);
    free(report);
}

const struct wl_report_process *wl_report_processes(struct wl_report *report, size_t *count)
{
    *count = report->processes.count;
    return report->processes.items;
}

const struct wl_report_launch *wl_report_launches(struct wl_report *report, size_t *count)
{
    *count = report->launches.count;
    return report->launches.items;
}

const struct wl_report_note *wl_report_notes(struct wl_report *report, size_t *count)
{
    *count = report->notes.count;
    return report->notes.items;
}

const char *wl_report_device_name(const struct wl_report *report, uint32_t device_id)
{
    const char *name = NULL;
    for (size_t i = 0; i < report->devices.count; i++) {
        const struct wl_record_device *device = &report->devices.items[i];
        if (device->device_id != device_id || !device->name || !*device->name)
            continue;
        if (name && strcmp(name, device->name) != 0)
            return NULL;
        name = device->name;
    }
    return name;
}

const struct wl_record_attribute *wl_report_session(struct wl_report *report, size_t *count)
{
    *count = report->session.count;
    return report->session.items;
}
