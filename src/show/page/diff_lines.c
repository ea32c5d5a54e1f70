/* Lines of two reports beside each other. The same line may have moved, so that lines are matched
 * by their text, and by number where no source is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/advice_text.h"
#include "show/page/diff_parts.h"
#include "show/page/fields.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes)
#include <uthash.h>

/* What is compared at lines, and how much of the kernel's total must differ. */
static const char *const counts[] = {
    "inst_executed",
    "memory_l2_theoretical_sectors_global",
    "memory_l1_wavefronts_shared",
    "smsp__pcsamp_sample_count",
};
enum { count_count = sizeof counts / sizeof *counts, rows_shown = 12, text_shown = 60 };

static const double least_share = 0.01;

struct line {
    char *key;
    const char *file; /* of the side that has it, the new one first */
    uint32_t number;
    double values[2][count_count];
    UT_hash_handle hh;
};

struct lines {
    struct line *by_key;
    double totals[2][count_count];
};

/* One difference. */
struct row {
    const struct line *line;
    size_t count;
    double share; /* of the larger total */
};

static size_t find_count(const char *name)
{
    size_t i = 0;
    while (i < count_count && strcmp(counts[i], name) != 0)
        i++;
    return i;
}

static struct line *find_line(struct lines *lines, struct wl_report *report,
                              const struct wl_record_instruction *instruction)
{
    struct wl_advice_place place = {.file = instruction->file, .line = instruction->line};
    char *text = wl_advice_source_line(report, &place);
    const char *slash = strrchr(instruction->file, '/');
    char *key = text[0] ? wl_string_copy(text)
                        : wl_string_format("%s:%u", slash ? slash + 1 : instruction->file,
                                           instruction->line);
    struct line *line = NULL;
    free(text);
    HASH_FIND_STR(lines->by_key, key, line);
    if (!line) {
        line = wl_alloc_zero(1, sizeof *line);
        line->key = key;
        HASH_ADD_KEYPTR(hh, lines->by_key, line->key, strlen(line->key), line);
    } else {
        free(key);
    }
    line->file = instruction->file;
    line->number = instruction->line;
    return line;
}

static void add_launch(struct lines *lines, struct wl_report *report, int side,
                       const struct wl_report_launch *launch, double weight)
{
    const struct wl_record_launch *record = &launch->record;
    if (!launch->kernel || launch->kernel->record.instruction_count == 0)
        return;
    const struct wl_record_kernel *kernel = &launch->kernel->record;
    struct line **by_instruction = wl_alloc_zero(kernel->instruction_count, sizeof(struct line *));
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        size_t count = find_count(record->instruction_value_names[value->name]);
        if (count == count_count || value->instruction >= kernel->instruction_count)
            continue;
        const struct wl_record_instruction *at = &kernel->instructions[value->instruction];
        if (!at->line || !at->file)
            continue;
        struct line **line = &by_instruction[value->instruction];
        if (!*line)
            *line = find_line(lines, report, at);
        (*line)->values[side][count] += weight * value->value;
        lines->totals[side][count] += weight * value->value;
    }
    free(by_instruction);
}

static void add_side(struct lines *lines, int side, const struct wl_diff_launches *launches)
{
    for (size_t i = 0; i < launches->count; i++)
        add_launch(lines, launches->report, side, launches->items[i], 1 / (double)launches->count);
}

static int by_share(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    int order = strcmp(a->line->key, b->line->key);
    return order ? order : (int)a->count - (int)b->count;
}

static struct row *list_rows(const struct lines *lines, size_t *row_count)
{
    struct row *rows =
        wl_alloc_zero((size_t)HASH_COUNT(lines->by_key) * count_count + 1, sizeof *rows);
    *row_count = 0;
    for (const struct line *line = lines->by_key; line; line = line->hh.next) {
        for (size_t i = 0; i < count_count; i++) {
            double most = fmax(lines->totals[0][i], lines->totals[1][i]);
            double share = most > 0 ? fabs(line->values[1][i] - line->values[0][i]) / most : 0;
            if (share >= least_share)
                rows[(*row_count)++] = (struct row){line, i, share};
        }
    }
    qsort(rows, *row_count, sizeof *rows, by_share);
    return rows;
}

static void add_number(struct wl_table *table, double number)
{
    struct wl_metric_value value = {.is_present = true, .unit = "", .number = number};
    struct wl_text text = {0}, unit = {0};
    wl_format_metric(&value, WL_UNITS_AUTO, &text, &unit);
    wl_table_add_cell(table, text.data);
    wl_text_free(&text);
    wl_text_free(&unit);
}

static void add_row(struct wl_table *table, const struct row *row)
{
    double before = row->line->values[0][row->count], after = row->line->values[1][row->count];
    struct wl_text safe = {0};
    char *text = wl_string_copy_length(row->line->key, strnlen(row->line->key, text_shown));
    char *change = before > 0 && after > 0 ? wl_string_format("%+.0f%%", 100 * (after / before - 1))
                                           : wl_string_copy(before > 0 ? "gone" : "new");
    wl_format_safe(text, &safe);
    wl_table_add_cell(table, safe.data);
    wl_table_add_cell(table, counts[row->count]);
    add_number(table, before);
    add_number(table, after);
    wl_table_add_cell(table, change);
    wl_text_free(&safe);
    free(text);
    free(change);
}

static void free_lines(struct lines *lines)
{
    struct line *line, *next;
    HASH_ITER(hh, lines->by_key, line, next)
    {
        HASH_DEL(lines->by_key, line);
        free(line->key);
        free(line);
    }
}

void wl_diff_lines(const struct wl_diff_launches *base, const struct wl_diff_launches *other,
                   struct wl_text *out, json_t *kernel)
{
    struct lines lines = {0};
    struct wl_table table = {0};
    size_t row_count = 0;
    json_t *list = json_array();
    add_side(&lines, 0, base);
    add_side(&lines, 1, other);
    struct row *rows = list_rows(&lines, &row_count);
    wl_table_add_column(&table, "Line", true);
    wl_table_add_column(&table, "Count", true);
    wl_table_add_column(&table, "Base", false);
    wl_table_add_column(&table, "New", false);
    wl_table_add_column(&table, "Change", false);
    for (size_t i = 0; i < row_count; i++) {
        const struct line *line = rows[i].line;
        if (i < rows_shown)
            add_row(&table, &rows[i]);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:s, s:f, s:f}", "text", wl_json_text(line->key),
                            "file", wl_json_text(line->file), "line", (json_int_t)line->number,
                            "metric", counts[rows[i].count], "base", line->values[0][rows[i].count],
                            "new", line->values[1][rows[i].count]));
    }
    if (row_count > 0)
        wl_table_print(&table, 4, out);
    if (row_count > rows_shown)
        wl_text_addf(out, "    and %zu more counts of lines: --json\n", row_count - rows_shown);
    json_object_set_new(kernel, "lines", list);
    wl_table_free(&table);
    free(rows);
    free_lines(&lines);
}
