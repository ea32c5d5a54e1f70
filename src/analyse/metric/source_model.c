#include "analyse/metric/source_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"
#include "gpu/stall_names.h"

/* The columns that are more than a count as it comes, and the short list for text. */
static const struct known_column {
    const char *name, *label;
    enum wl_source_operation operation;
    const char *left, *right;
} known_columns[] = {
    {"inst_executed", "Warp Exec", WL_SOURCE_VALUE, "inst_executed", NULL},
    {"thread_inst_executed", "Thread Exec", WL_SOURCE_VALUE, "thread_inst_executed", NULL},
    {"branch_divergent", "Divergent", WL_SOURCE_VALUE, "branch_divergent", NULL},
    {"memory_l2_theoretical_sectors_global", "Sectors", WL_SOURCE_VALUE,
     "memory_l2_theoretical_sectors_global", NULL},
    {"derived__memory_l2_theoretical_sectors_global_excessive", "Excess Sectors",
     WL_SOURCE_DIFFERENCE, "memory_l2_theoretical_sectors_global",
     "memory_l2_theoretical_sectors_global_ideal"},
    {"memory_l2_theoretical_sectors_local", "Local Sectors", WL_SOURCE_VALUE,
     "memory_l2_theoretical_sectors_local", NULL},
    {"memory_l1_wavefronts_shared", "Wavefronts", WL_SOURCE_VALUE, "memory_l1_wavefronts_shared",
     NULL},
    {"derived__memory_l1_wavefronts_shared_excessive", "Excess Wavefronts", WL_SOURCE_DIFFERENCE,
     "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"},
    {"l1tex__t_sector_hit_rate.pct", "L1 Hit %", WL_SOURCE_SHARE_PCT, "l1tex__t_sectors_lookup_hit",
     "l1tex__t_sectors_lookup_miss"},
};
enum {
    known_column_count = WL_COUNT(known_columns),
    basic_column_count = 2,
};

/* ---- columns ---- */

bool wl_source_read(const struct wl_source_column *column, const double *counts, double *value)
{
    double left = counts[column->left];
    switch (column->operation) {
    case WL_SOURCE_DIFFERENCE:
        *value = left - counts[column->right];
        return true;
    case WL_SOURCE_SHARE_PCT:
        *value = 100 * left / (left + counts[column->right]);
        return left + counts[column->right] != 0;
    case WL_SOURCE_SUM:
        *value = 0;
        for (size_t i = 0; i < 64; i++)
            if (column->added >> i & 1)
                *value += counts[column->left + i];
        return true;
    default:
        *value = left;
        return true;
    }
}

bool wl_source_read_percent(const struct wl_source_model *model,
                            const struct wl_source_column *column, const double *counts,
                            double *value)
{
    double total = 0;
    if (!wl_source_read(column, counts, value))
        return false;
    if (column->operation == WL_SOURCE_SHARE_PCT)
        return true;
    if (!wl_source_read(column, model->totals, &total) || total == 0)
        return false;
    *value = 100 * *value / total;
    return true;
}

static bool find_count(const struct wl_record_launch *record, const char *name, size_t *index)
{
    for (size_t i = 0; name && i < record->instruction_value_name_count; i++) {
        if (strcmp(record->instruction_value_names[i], name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static enum wl_mark count_mark(const struct wl_record_launch *record, size_t index)
{
    return record->instruction_value_marks ? (enum wl_mark)record->instruction_value_marks[index]
                                           : WL_MARK_EXACT;
}

/* All states that warps were seen in at an instruction. A real GPU gives samples once more where no
 * instruction was issued, which are among the others already. */
static void add_warp_time(struct wl_source_model *model)
{
    static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", again[] = "_not_issued";
    const struct wl_record_launch *record = &model->launch->record;
    struct wl_source_column column = {.name = "smsp__pcsamp_warps_issue_stalled",
                                      .label = "Warp Time",
                                      .operation = WL_SOURCE_SUM};
    for (size_t i = 0; i < record->instruction_value_name_count; i++) {
        const char *name = record->instruction_value_names[i];
        size_t length = strlen(name), tail = sizeof again - 1;
        if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
            (length > tail && strcmp(name + length - tail, again) == 0))
            continue;
        if (!column.added) {
            column.left = i;
            column.mark = count_mark(record, i);
        }
        if (i - column.left < 64)
            column.added |= (uint64_t)1 << (i - column.left);
    }
    if (column.added)
        model->columns[model->column_count++] = column;
}

const struct wl_source_column *wl_source_find_heat(const struct wl_source_model *model)
{
    const struct wl_source_column *found = NULL;
    for (size_t i = 0; i < model->column_count; i++) {
        const struct wl_source_column *column = &model->columns[i];
        double total = 0;
        if (!wl_source_read(column, model->totals, &total) || total <= 0)
            continue;
        if (column->operation == WL_SOURCE_SUM)
            return column;
        if (strcmp(column->name, "inst_executed") == 0)
            found = column;
    }
    return found;
}

/* States of warps are called as ncu's source page calls them: "stall_long_sb". */
static const char *label_of(const char *name)
{
    static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_";
    size_t length = sizeof prefix - 1;
    const char *label = strncmp(name, prefix, length) == 0 ? wl_stall_column(name + length) : NULL;
    return label ? label : name;
}

static void add_columns(struct wl_source_model *model)
{
    const struct wl_record_launch *record = &model->launch->record;
    model->columns =
        wl_arena_array(&model->arena, known_column_count + 1 + record->instruction_value_name_count,
                       sizeof *model->columns);
    for (size_t i = 0; i < known_column_count; i++) {
        const struct known_column *known = &known_columns[i];
        struct wl_source_column column = {
            .name = known->name, .label = known->label, .operation = known->operation};
        double total = 0;
        if (!find_count(record, known->left, &column.left) ||
            (known->right && !find_count(record, known->right, &column.right)))
            continue;
        column.mark = count_mark(record, column.left);
        if (known->right && count_mark(record, column.right) > column.mark)
            column.mark = count_mark(record, column.right);
        column.is_basic = i < basic_column_count;
        column.is_shown =
            column.is_basic || (wl_source_read(&column, model->totals, &total) &&
                                (total != 0 || column.operation == WL_SOURCE_SHARE_PCT));
        model->columns[model->column_count++] = column;
    }
    add_warp_time(model);
    for (size_t i = 0; i < record->instruction_value_name_count; i++) {
        const char *name = record->instruction_value_names[i];
        bool is_known = false;
        for (size_t j = 0; j < model->column_count; j++)
            is_known |= strcmp(model->columns[j].name, name) == 0;
        if (!is_known)
            model->columns[model->column_count++] = (struct wl_source_column){
                .name = name, .label = label_of(name), .left = i, .mark = count_mark(record, i)};
    }
}

/* ---- counts ---- */

static void add_counts(struct wl_source_model *model)
{
    const struct wl_record_launch *record = &model->launch->record;
    model->count_count = record->instruction_value_name_count;
    /* at least one, so that reading a kernel without counts stays within */
    size_t width = model->count_count ? model->count_count : 1;
    model->counts = wl_arena_array(&model->arena, model->instruction_count, sizeof *model->counts);
    model->totals = wl_arena_array(&model->arena, width, sizeof *model->totals);
    for (size_t i = 0; i < model->instruction_count; i++)
        model->counts[i] = wl_arena_array(&model->arena, width, sizeof **model->counts);
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        if (value->instruction >= model->instruction_count || value->name >= model->count_count)
            continue; /* a damaged report */
        model->counts[value->instruction][value->name] += value->value;
        model->totals[value->name] += value->value;
    }
}

/* ---- lines ---- */

struct line_list {
    WL_VECTOR_FIELDS(struct wl_source_line);
};

static struct wl_source_line *find_line(struct wl_source_model *model, struct line_list *list,
                                        const char *file, uint32_t line)
{
    for (size_t i = list->count; i-- > 0;)
        if (list->items[i].line == line && strcmp(list->items[i].file, file) == 0)
            return &list->items[i];
    struct wl_source_line created = {
        .file = file,
        .line = line,
        .counts = wl_arena_array(&model->arena, model->count_count ? model->count_count : 1,
                                 sizeof *created.counts),
    };
    WL_PUSH(list, created);
    return &list->items[list->count - 1];
}

static void add_to(double *sums, const double *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += counts[i];
}

static void add_inlined_name(struct wl_source_model *model, struct wl_source_line *line,
                             const char *name)
{
    const char *known = line->inlined_names ? line->inlined_names : "";
    char *among = wl_string_format(", %s, ", known), *sought = wl_string_format(", %s, ", name);
    if (!strstr(among, sought)) {
        char *names = wl_string_format("%s%s%s", known, *known ? ", " : "", name);
        line->inlined_names = wl_arena_string(&model->arena, names, strlen(names));
        free(names);
    }
    free(among);
    free(sought);
}

/* Adds an inlined instruction to the lines of its callers: "file:line:column", innermost first, by
 * '\n'. */
static void add_callers(struct wl_source_model *model, struct line_list *list, size_t index)
{
    const struct wl_record_instruction *instruction = &model->instructions[index];
    const char *at = instruction->inlined_at ? instruction->inlined_at : "";
    const char *function = instruction->function && instruction->function[0] != '\0'
                               ? instruction->function
                               : instruction->file;
    while (*at != '\0') {
        size_t length = strcspn(at, "\n");
        char *entry = wl_arena_string(&model->arena, at, length);
        at += length + (at[length] == '\n');
        char *column = strrchr(entry, ':');
        if (!column)
            continue;
        *column = '\0';
        char *number = strrchr(entry, ':');
        if (!number)
            continue;
        *number = '\0';
        uint32_t line_number = (uint32_t)strtoul(number + 1, NULL, 10);
        if (line_number == 0)
            continue;
        struct wl_source_line *line = find_line(model, list, entry, line_number);
        if (!line->inlined)
            line->inlined = wl_arena_array(
                &model->arena, model->count_count ? model->count_count : 1, sizeof *line->inlined);
        add_to(line->inlined, model->counts[index], model->count_count);
        add_inlined_name(model, line, function ? function : "");
    }
}

static int by_place(const void *left, const void *right)
{
    const struct wl_source_line *a = left, *b = right;
    if ((a->line == 0) != (b->line == 0))
        return a->line == 0 ? 1 : -1;
    int order = strcmp(a->file, b->file);
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void add_lines(struct wl_source_model *model)
{
    struct line_list list = {0};
    for (size_t i = 0; i < model->instruction_count; i++) {
        const struct wl_record_instruction *instruction = &model->instructions[i];
        bool has_line = instruction->file && instruction->file[0] != '\0' && instruction->line > 0;
        model->has_lines |= has_line;
        struct wl_source_line *line = find_line(model, &list, has_line ? instruction->file : "",
                                                has_line ? instruction->line : 0);
        add_to(line->counts, model->counts[i], model->count_count);
        WL_PUSH(&line->instructions, i);
        add_callers(model, &list, i);
    }
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, by_place);
    model->lines = list.items;
    model->line_count = list.count;
}

/* ---- source text ---- */

static void split_lines(struct wl_source_model *model, struct wl_source_file *file,
                        const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        file->line_count += *at == '\n' || at[1] == '\0';
    file->lines = wl_arena_array(&model->arena, file->line_count, sizeof *file->lines);
    file->lengths = wl_arena_array(&model->arena, file->line_count, sizeof *file->lengths);
    for (size_t i = 0; i < file->line_count; i++) {
        size_t length = strcspn(text, "\n");
        file->lines[i] = text;
        file->lengths[i] = length > 0 && text[length - 1] == '\r' ? length - 1 : length;
        text += length + (text[length] == '\n');
    }
}

static void add_files(struct wl_report *report, struct wl_source_model *model)
{
    model->files = wl_arena_array(&model->arena, model->line_count, sizeof *model->files);
    for (size_t i = 0; i < model->line_count; i++) {
        const char *name = model->lines[i].file;
        if (model->lines[i].line == 0 || (i > 0 && strcmp(model->lines[i - 1].file, name) == 0))
            continue;
        struct wl_source_file *file = &model->files[model->file_count++];
        file->name = name;
        const char *text = wl_report_source(report, name, &file->reason);
        if (text) {
            file->reason = NULL;
            split_lines(model, file, text);
        } else if (!file->reason) {
            file->reason = "it is not in the report";
        }
    }
}

bool wl_source_is_telling(const struct wl_source_column *column, const double *counts)
{
    double value = 0;
    if (column->operation == WL_SOURCE_SUM)
        return wl_source_read(column, counts, &value) && value != 0;
    return column->is_basic || counts[column->left] != 0 ||
           (column->operation == WL_SOURCE_SHARE_PCT && counts[column->right] != 0);
}

const struct wl_source_file *wl_source_find_file(const struct wl_source_model *model,
                                                 const char *name)
{
    for (size_t i = 0; i < model->file_count; i++)
        if (strcmp(model->files[i].name, name) == 0)
            return &model->files[i];
    return NULL;
}

const char *wl_source_line_text(struct wl_source_model *model, const char *file, uint32_t line)
{
    const struct wl_source_file *found = wl_source_find_file(model, file);
    if (!found || line == 0 || line > found->line_count)
        return "";
    return wl_arena_string(&model->arena, found->lines[line - 1], found->lengths[line - 1]);
}

enum wl_code wl_source_build(struct wl_report *report, const struct wl_report_launch *launch,
                             const char *top, struct wl_source_model *model, struct wl_error *error)
{
    *model = (struct wl_source_model){.launch = launch};
    enum wl_code code = WL_OK;
    if (launch->kernel)
        code = wl_report_load_instructions(report, launch->kernel, error);
    if (code == WL_OK)
        code = wl_report_load_launch(report, launch, error);
    if (code != WL_OK)
        return code;
    if (launch->kernel) {
        model->instructions = launch->kernel->record.instructions;
        model->instruction_count = launch->kernel->record.instruction_count;
    }
    add_counts(model);
    add_columns(model);
    add_lines(model);
    add_files(report, model);
    /* a launch without counts has no leading line, which is no mistake of the user's */
    if (top && model->column_count > 0)
        code = wl_source_find_top(model, top, error);
    if (code != WL_OK)
        wl_source_free(model);
    return code;
}

void wl_source_free(struct wl_source_model *model)
{
    for (size_t i = 0; i < model->line_count; i++)
        free(model->lines[i].instructions.items);
    free(model->lines);
    wl_arena_free(&model->arena);
    *model = (struct wl_source_model){0};
}
