/* What is looked up in an open report, or read from it only when asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/failure.h"
#include "report/reader.h"

static int compare_name_with_value(const void *name, const void *value)
{
    return strcmp(name, ((const struct wl_record_value *)value)->name);
}

const struct wl_collector_facts *wl_report_collector(const struct wl_report_launch *launch)
{
    return wl_collector_facts_of(launch->process ? launch->process->record.collector : NULL);
}

bool wl_report_value(const struct wl_report_launch *launch, const char *name, double *value,
                     enum wl_mark *mark)
{
    const struct wl_record_launch *record = &launch->record;
    const struct wl_record_value *found =
        record->value_count ? bsearch(name, record->values, record->value_count,
                                      sizeof *record->values, compare_name_with_value)
                            : NULL;
    if (!found)
        return false;
    if (value)
        *value = found->value;
    if (mark)
        *mark = found->mark;
    return true;
}

static const struct wl_record_attribute *
find_attribute(const struct wl_record_attribute *attributes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (attributes[i].name[0] == name[0] && strcmp(attributes[i].name, name) == 0)
            return &attributes[i];
    return NULL;
}

const struct wl_record_attribute *wl_report_attribute(const struct wl_report_launch *launch,
                                                      const char *name)
{
    const struct wl_record_attribute *found =
        find_attribute(launch->record.attributes, launch->record.attribute_count, name);
    if (!found && launch->kernel)
        found = find_attribute(launch->kernel->record.attributes,
                               launch->kernel->record.attribute_count, name);
    if (!found && launch->device)
        found = find_attribute(launch->device->attributes, launch->device->attribute_count, name);
    return found;
}

static const char *name_of(struct wl_rows *rows, int column, const struct wl_report *report)
{
    int64_t id = wl_rows_integer(rows, column, 1, (int64_t)report->names.count);
    return rows->code == WL_OK ? report->names.items[id - 1] : "";
}

static enum wl_code load_text(struct wl_report *report, struct wl_report_kernel *kernel,
                              struct wl_error *error)
{
    struct wl_record_module *module = &report->modules.items[kernel->module.id - 1];
    struct wl_rows rows;
    if (module->text)
        return WL_OK;
    wl_rows_begin(&rows, &report->file, "SELECT text FROM modules WHERE id = ?",
                  (int64_t)module->id, error);
    if (wl_rows_next(&rows))
        module->text = wl_rows_text(&rows, 0);
    enum wl_code code = wl_rows_end(&rows);
    if (code != WL_OK)
        module->text = NULL;
    return code;
}

struct instructions {
    WL_VECTOR_FIELDS(struct wl_record_instruction);
};

static enum wl_code load_rows(struct wl_report *report, int64_t kernel_key,
                              struct instructions *instructions, struct wl_error *error)
{
    struct wl_rows rows;
    wl_rows_begin(&rows, &report->file,
                  "SELECT position, text_line, text, opcode, pipe, file_id, line, column_number, "
                  "inlined_at, function FROM instructions WHERE kernel_id = ? ORDER BY position",
                  kernel_key, error);
    while (wl_rows_next(&rows)) {
        int64_t position = (int64_t)instructions->count;
        struct wl_record_instruction instruction = {
            .index = (uint32_t)wl_rows_integer(&rows, 0, position, position),
            .text_line = wl_rows_u32(&rows, 1),
            .text = wl_rows_text(&rows, 2),
            .opcode = wl_rows_text(&rows, 3),
            .pipe = wl_rows_text(&rows, 4),
            .file = wl_rows_is_null(&rows, 5) ? "" : name_of(&rows, 5, report),
            .line = wl_rows_u32(&rows, 6),
            .column = wl_rows_u32(&rows, 7),
            .inlined_at = wl_rows_text(&rows, 8),
            .function = wl_rows_text(&rows, 9),
        };
        WL_PUSH(instructions, instruction);
    }
    return wl_rows_end(&rows);
}

enum wl_code wl_report_load_instructions(struct wl_report *report,
                                         const struct wl_report_kernel *kernel,
                                         struct wl_error *error)
{
    struct wl_error unused;
    struct instructions instructions = {0};
    size_t position = (size_t)(kernel - report->kernels.items);
    struct wl_report_kernel *own = &report->kernels.items[position];
    if (report->kernel_is_loaded[position])
        return WL_OK;
    error = error ? error : &unused;
    enum wl_code code = load_text(report, own, error);
    if (code == WL_OK)
        code = load_rows(report, own->key, &instructions, error);
    if (code != WL_OK) {
        free(instructions.items);
        return code;
    }
    own->module.text = report->modules.items[own->module.id - 1].text;
    own->record.instructions = instructions.items;
    own->record.instruction_count = instructions.count;
    report->kernel_is_loaded[position] = true;
    return WL_OK;
}

struct set_vectors {
    WL_VECTOR(const char *) names;
    WL_VECTOR(uint8_t) marks;
    WL_VECTOR(struct wl_record_instruction_value) values;
};

/* Values of instructions that the kernel does not have are left out: views index by them. */
static enum wl_code load_set(struct wl_report *report, int64_t set_id, size_t instruction_count,
                             struct set_vectors *vectors, struct wl_error *error)
{
    struct wl_rows rows;
    int64_t last_name = 0, next_position = 0;
    wl_rows_begin(&rows, &report->file,
                  "SELECT name_id, position, value, mark FROM instruction_values "
                  "WHERE set_id = ? ORDER BY name_id, position",
                  set_id, error);
    while (wl_rows_next(&rows)) {
        int64_t name = wl_rows_integer(&rows, 0, last_name, INT64_MAX);
        uint8_t mark = (uint8_t)wl_rows_integer(&rows, 3, WL_MARK_EXACT, WL_MARK_PREDICTED);
        if (name != last_name) {
            WL_PUSH(&vectors->names, name_of(&rows, 0, report));
            WL_PUSH(&vectors->marks, mark);
            next_position = 0;
        }
        last_name = name;
        int64_t position = wl_rows_integer(&rows, 1, next_position, UINT32_MAX);
        next_position = position + 1;
        struct wl_record_instruction_value value = {
            .instruction = (uint32_t)position,
            .name = (uint32_t)(vectors->names.count - 1),
            .value = wl_rows_real(&rows, 2),
        };
        if ((size_t)position < instruction_count)
            WL_PUSH(&vectors->values, value);
    }
    return wl_rows_end(&rows);
}

/* Launches of the same kernel with the same values share them. */
static enum wl_code find_set(struct wl_report *report, int64_t set_id,
                             const struct wl_report_kernel *kernel,
                             const struct wl_report_instruction_set **found, struct wl_error *error)
{
    const int64_t key[2] = {set_id, kernel->key};
    struct set_vectors vectors = {0};
    int64_t id = wl_keys_find(&report->instruction_set_keys, key, sizeof key);
    if (id) {
        *found = &report->instruction_sets.items[id - 1];
        return WL_OK;
    }
    enum wl_code code = load_set(report, set_id, kernel->record.instruction_count, &vectors, error);
    if (code != WL_OK) {
        free(vectors.names.items);
        free(vectors.marks.items);
        free(vectors.values.items);
        return code;
    }
    struct wl_report_instruction_set set = {
        .names = vectors.names.items,
        .marks = vectors.marks.items,
        .name_count = vectors.names.count,
        .values = vectors.values.items,
        .value_count = vectors.values.count,
    };
    WL_PUSH(&report->instruction_sets, set);
    wl_keys_intern(&report->instruction_set_keys, key, sizeof key, &id);
    *found = &report->instruction_sets.items[id - 1];
    return WL_OK;
}

enum wl_code wl_report_load_launch(struct wl_report *report, const struct wl_report_launch *launch,
                                   struct wl_error *error)
{
    struct wl_error unused;
    const struct wl_report_instruction_set *set = NULL;
    size_t position = (size_t)(launch - report->launches.items);
    struct wl_report_launch *own = &report->launches.items[position];
    int64_t set_id = report->instruction_set_ids[position];
    if (report->launch_is_loaded[position])
        return WL_OK;
    error = error ? error : &unused;
    enum wl_code code = wl_report_load_instructions(report, own->kernel, error);
    if (code == WL_OK && set_id)
        code = find_set(report, set_id, own->kernel, &set, error);
    if (code != WL_OK)
        return code;
    if (set) {
        own->record.instruction_value_names = set->names;
        own->record.instruction_value_marks = set->marks;
        own->record.instruction_value_name_count = set->name_count;
        own->record.instruction_values = set->values;
        own->record.instruction_value_count = set->value_count;
    }
    report->launch_is_loaded[position] = true;
    return WL_OK;
}

/* ---- sources ---- */

static int compare_names(const void *left, const void *right, void *names)
{
    const char *const *texts = names;
    return strcmp(texts[*(const int64_t *)left - 1], texts[*(const int64_t *)right - 1]);
}

static void sort_names(struct wl_report *report)
{
    size_t count = report->names.count;
    report->sources = wl_alloc_zero(count, sizeof *report->sources);
    report->names_sorted = wl_alloc_zero(count, sizeof *report->names_sorted);
    for (size_t i = 0; i < count; i++)
        report->names_sorted[i] = (int64_t)i + 1;
    qsort_r(report->names_sorted, count, sizeof *report->names_sorted, compare_names,
            (void *)report->names.items);
}

/* 0 if there is no such name. */
static int64_t find_name(const struct wl_report *report, const char *name)
{
    size_t low = 0, high = report->names.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t id = report->names_sorted[middle];
        int order = strcmp(name, report->names.items[id - 1]);
        if (order == 0)
            return id;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static void load_source(struct wl_report *report, int64_t id, struct wl_report_source_text *source)
{
    struct wl_rows rows;
    struct wl_error unused;
    bool found = false;
    wl_rows_begin(&rows, &report->file, "SELECT text, reason FROM sources WHERE file_id = ?", id,
                  &unused);
    if (wl_rows_next(&rows)) {
        found = true;
        source->text = wl_rows_text_or_null(&rows, 0);
        source->reason = wl_rows_text_or_null(&rows, 1);
    }
    if (wl_rows_end(&rows) != WL_OK)
        *source = (struct wl_report_source_text){.reason = "the report is damaged here"};
    else if (!found)
        source->reason = "not a source file of this report";
    else if (!source->text && !source->reason)
        source->reason = "not stored";
    source->is_loaded = true;
}

const char *wl_report_source(struct wl_report *report, const char *file, const char **reason)
{
    struct wl_report_source_text source = {.reason = "not a source file of this report"};
    if (!report->sources)
        sort_names(report);
    int64_t id = find_name(report, file);
    if (id) {
        if (!report->sources[id - 1].is_loaded)
            load_source(report, id, &report->sources[id - 1]);
        source = report->sources[id - 1];
    }
    if (reason)
        *reason = source.text ? NULL : source.reason;
    return source.text;
}
