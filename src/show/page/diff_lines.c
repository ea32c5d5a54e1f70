/* Lines of two reports beside each other. The same line may have moved, so that lines are matched
 * by their text, and by number where no source is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
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
enum { count_count = WL_COUNT(counts), rows_shown = 12, text_shown = 60 };

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

enum { LINE, COUNT, BASE, OTHER, CHANGE, COLUMNS };
static const struct wl_column columns[COLUMNS] = {
    [LINE] = {.text = "Line", .json = "text", .flags = WL_COLUMN_LEFT | WL_COLUMN_CODE},
    [COUNT] = {.text = "Count", .json = "metric", .flags = WL_COLUMN_LEFT},
    [BASE] = {.text = "Base", .form = WL_FORM_AMOUNT},
    [OTHER] = {.text = "New", .form = WL_FORM_AMOUNT},
    [CHANGE] = {.text = "Change"},
};

static void put_value(struct wl_page_sink *sink, const struct wl_column *shown, const char *key,
                      double number)
{
    const struct wl_metric_value value = {.is_present = true, .unit = "", .number = number};
    const struct wl_column column = {.json = key, .flags = WL_COLUMN_REAL};
    wl_put(sink, shown, wl_cell_metric(&value));
    wl_put(sink, &column, wl_cell_number(number));
}

static void put_row(const struct row *row, struct wl_page_sink *sink)
{
    static const struct wl_column file = {.json = "file"}, number = {.json = "line"};
    const struct line *line = row->line;
    double before = line->values[0][row->count], after = line->values[1][row->count];
    struct wl_cell text = wl_cell_text(line->key);
    char *shown = wl_string_copy_length(line->key, strnlen(line->key, text_shown));
    char *change = before > 0 && after > 0 ? wl_string_format("%+.0f%%", 100 * (after / before - 1))
                                           : wl_string_copy(before > 0 ? "gone" : "new");
    text.shown = shown;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_ROW);
    wl_put(sink, &columns[LINE], text);
    wl_put(sink, &file, wl_cell_text(line->file));
    wl_put(sink, &number, wl_cell_number(line->number));
    wl_put(sink, &columns[COUNT], wl_cell_word(counts[row->count]));
    put_value(sink, &columns[BASE], "base", before);
    put_value(sink, &columns[OTHER], "new", after);
    wl_put(sink, &columns[CHANGE], wl_cell_text(change));
    wl_end(sink);
    free(shown);
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
                   struct wl_page_sink *sink)
{
    struct lines lines = {0};
    size_t row_count = 0;
    add_side(&lines, 0, base);
    add_side(&lines, 1, other);
    struct row *rows = list_rows(&lines, &row_count);
    wl_begin(sink, WL_LEVEL_LIST, "lines", 0);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, columns, COLUMNS);
    for (size_t i = 0; i < row_count; i++) {
        wl_hide(sink, i >= rows_shown);
        put_row(&rows[i], sink);
    }
    wl_hide(sink, false);
    wl_table_end(sink);
    wl_end(sink);
    if (row_count > rows_shown)
        wl_print(sink, "    and %zu more counts of lines: --json\n", row_count - rows_shown);
    free(rows);
    free_lines(&lines);
}
