/* The what-if page: what a launch would take without each of its causes of delay, as the timing
 * model re-timed it; the causes that save most first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"
#include "timing/timing.h"

/* Counts whose greatest line carries a cause: the first less the second. */
static const struct {
    const char *cause, *metric, *less;
} line_rows[] = {
    {"shared-conflicts", "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"},
    {"uncoalesced", "memory_l2_theoretical_sectors_global",
     "memory_l2_theoretical_sectors_global_ideal"},
    {"l1-misses", "l1tex__t_sectors_lookup_miss", NULL},
    {"l2-misses", "l1tex__t_sectors_lookup_miss", NULL},
    {"memory-latency", "smsp__pcsamp_warps_issue_stalled_long_scoreboard", NULL},
    {"memory-bandwidth", "l1tex__t_sectors_lookup_miss", NULL},
    {"barriers", "smsp__pcsamp_warps_issue_stalled_barrier", NULL},
    {"divergence", "branch_divergent", NULL},
    {"latency", "smsp__pcsamp_warps_issue_stalled_wait", NULL},
    {"special-functions", "smsp__pcsamp_warps_issue_stalled_short_scoreboard", NULL},
};

struct row {
    const char *id, *text;
    double duration_ns;
    double step;  /* the duration in parts of the launch's, rounded; 0 where that does not matter */
    size_t order; /* among causes that save the same */
    char *line;   /* "file:line", or "" */
};

struct whatif {
    double duration_ns;
    WL_VECTOR(struct row)
    causes, bounds, pairs, sets, sizes; /* sets: of more than two causes; sizes: of blocks */
};

static void add_counts(const struct wl_record_launch *launch, const char *name, double sign,
                       double *counts)
{
    for (size_t i = 0; i < launch->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &launch->instruction_values[i];
        if (strcmp(launch->instruction_value_names[value->name], name) == 0)
            counts[value->instruction] += sign * value->value;
    }
}

/* Instructions of one line stand together, in their order in the kernel. */
static int by_line(const void *left, const void *right)
{
    const struct wl_record_instruction *a = *(struct wl_record_instruction *const *)left,
                                       *b = *(struct wl_record_instruction *const *)right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    int order = strcmp(a->file, b->file);
    return order ? order : (a > b) - (a < b);
}

/* The first instruction of the line whose instructions have the most together; NULL: none has any.
 */
static const struct wl_record_instruction *line_of_most(const struct wl_record_kernel *kernel,
                                                        const double *counts)
{
    const struct wl_record_instruction *best = NULL;
    WL_VECTOR(const struct wl_record_instruction *) placed = {0};
    double most = 0;
    for (size_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].line && kernel->instructions[i].file)
            WL_PUSH(&placed, &kernel->instructions[i]);
    if (placed.count)
        qsort(placed.items, placed.count, sizeof *placed.items, by_line);
    for (size_t first = 0, last; first < placed.count; first = last) {
        const struct wl_record_instruction *at = placed.items[first];
        double sum = 0;
        for (last = first; last < placed.count && placed.items[last]->line == at->line &&
                           strcmp(placed.items[last]->file, at->file) == 0;
             last++)
            sum += counts[placed.items[last] - kernel->instructions];
        if (sum > most || (best && sum == most && at < best)) {
            most = sum;
            best = at;
        }
    }
    free(placed.items);
    return best;
}

/* The source line with the most of the cause; "" if none is known. */
static char *find_line(struct wl_view_context *context, const struct wl_report_launch *launch,
                       const char *cause)
{
    struct wl_error error = {0};
    size_t row = 0, row_count = WL_COUNT(line_rows);
    while (row < row_count && strcmp(line_rows[row].cause, cause) != 0)
        row++;
    if (row == row_count || !launch->kernel ||
        wl_report_load_instructions(context->report, launch->kernel, &error) ||
        wl_report_load_launch(context->report, launch, &error))
        return wl_string_copy("");
    const struct wl_record_kernel *kernel = &launch->kernel->record;
    double *counts = wl_alloc_zero(kernel->instruction_count, sizeof *counts);
    add_counts(&launch->record, line_rows[row].metric, 1, counts);
    if (line_rows[row].less)
        add_counts(&launch->record, line_rows[row].less, -1, counts);
    const struct wl_record_instruction *best = line_of_most(kernel, counts);
    free(counts);
    if (!best)
        return wl_string_copy("");
    const char *slash = strrchr(best->file, '/');
    return wl_string_format("%s:%u", slash ? slash + 1 : best->file, best->line);
}

/* Times closer than that part of the launch's are the same: two causes that each leave what a third
 * one takes, say. Of those the program's own come first, as in timing/causes.def. */
#define SAME_PART 0.01

static int by_duration(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->duration_ns != b->duration_ns)
        return a->duration_ns < b->duration_ns ? -1 : 1;
    return strcmp(a->id, b->id);
}

/* False: the launch was not timed again. */
static bool collect(struct wl_view_context *context, const struct wl_report_launch *launch,
                    struct whatif *whatif)
{
    static const char begin[] = "whatif__", sizes[] = "whatif__block-", end[] = "__duration.ns";
    enum wl_mark mark;
    *whatif = (struct whatif){0};
    if (!wl_report_value(launch, "gpu__time_duration.sum", &whatif->duration_ns, &mark))
        whatif->duration_ns = 0;
    for (const struct wl_timing_cause *cause = wl_timing_causes; cause->id; cause++) {
        char *name = wl_string_format("%s%s%s", begin, cause->id, end);
        struct row row = {.id = cause->id, .text = cause->text};
        bool is_known = wl_report_value(launch, name, &row.duration_ns, &mark);
        free(name);
        if (!is_known)
            continue;
        bool is_bound = cause->changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY);
        if (whatif->duration_ns > 0)
            row.step = round(row.duration_ns / (SAME_PART * whatif->duration_ns));
        row.order = (size_t)(cause - wl_timing_causes);
        row.line = find_line(context, launch, cause->id);
        if (is_bound)
            WL_PUSH(&whatif->bounds, row);
        else
            WL_PUSH(&whatif->causes, row);
    }
    for (size_t i = 0; i < launch->record.value_count; i++) {
        const struct wl_record_value *value = &launch->record.values[i];
        size_t length = strlen(value->name);
        bool is_size = strncmp(value->name, sizes, sizeof sizes - 1) == 0;
        if (strncmp(value->name, begin, sizeof begin - 1) != 0 ||
            !(is_size || strchr(value->name, '+')) || length <= sizeof begin + sizeof end)
            continue;
        struct row row = {.duration_ns = value->value, .line = wl_string_copy("")};
        row.text = row.id = wl_string_copy_length(value->name + sizeof begin - 1,
                                                  length - (sizeof begin - 1) - (sizeof end - 1));
        if (is_size) {
            row.text = wl_string_format("%s threads", row.id + strlen("block-"));
            WL_PUSH(&whatif->sizes, row);
        } else if (strchr(row.id, '+') == strrchr(row.id, '+')) {
            WL_PUSH(&whatif->pairs, row);
        } else {
            WL_PUSH(&whatif->sets, row);
        }
    }
    if (whatif->causes.count)
        qsort(whatif->causes.items, whatif->causes.count, sizeof *whatif->causes.items,
              by_duration);
    if (whatif->sizes.count)
        qsort(whatif->sizes.items, whatif->sizes.count, sizeof *whatif->sizes.items, by_duration);
    if (whatif->pairs.count)
        qsort(whatif->pairs.items, whatif->pairs.count, sizeof *whatif->pairs.items, by_duration);
    if (whatif->sets.count)
        qsort(whatif->sets.items, whatif->sets.count, sizeof *whatif->sets.items, by_duration);
    return whatif->causes.count && whatif->duration_ns > 0;
}

static void whatif_free(struct whatif *whatif)
{
    for (size_t i = 0; i < whatif->causes.count; i++)
        free(whatif->causes.items[i].line);
    for (size_t i = 0; i < whatif->bounds.count; i++)
        free(whatif->bounds.items[i].line);
    for (size_t i = 0; i < whatif->pairs.count; i++) {
        free(whatif->pairs.items[i].line);
        free((char *)(uintptr_t)whatif->pairs.items[i].text);
    }
    for (size_t i = 0; i < whatif->sets.count; i++) {
        free(whatif->sets.items[i].line);
        free((char *)(uintptr_t)whatif->sets.items[i].text);
    }
    free(whatif->sets.items);
    for (size_t i = 0; i < whatif->sizes.count; i++) {
        free(whatif->sizes.items[i].line);
        free((char *)(uintptr_t)whatif->sizes.items[i].text);
        free((char *)(uintptr_t)whatif->sizes.items[i].id);
    }
    free(whatif->sizes.items);
    free(whatif->causes.items);
    free(whatif->bounds.items);
    free(whatif->pairs.items);
}

static char *time_text(double duration_ns)
{
    static const struct {
        double least_ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    size_t i = 0;
    while (duration_ns < units[i].least_ns)
        i++;
    return wl_string_format("%.4g %s", duration_ns / (units[i].least_ns ? units[i].least_ns : 1),
                            units[i].unit);
}

enum { ID, KERNEL, LAUNCH_COLUMNS };
static const struct wl_column launch_columns[LAUNCH_COLUMNS] = {
    [ID] = {.csv = "ID", .json = "id"},
    [KERNEL] = {.csv = "Kernel Name", .json = "kernel"},
};
enum { CAUSE, DURATION, LINE, COLUMNS };
static const struct wl_column columns[COLUMNS] = {
    [CAUSE] = {.csv = "Without", .json = "cause"},
    [DURATION] = {.csv = "Duration (ns)", .json = "duration_ns", .flags = WL_COLUMN_REAL},
    [LINE] = {.csv = "Line", .json = "line"},
};
enum { TEXT_CAUSE, TEXT_DURATION, TEXT_SAVED, TEXT_FACTOR, TEXT_LINE, TEXT_COLUMNS };

static void put_row(struct wl_page_sink *sink, const struct wl_column *shown, const struct row *row,
                    double duration_ns)
{
    char *time = time_text(row->duration_ns);
    double saved = 100 * (1 - row->duration_ns / duration_ns);
    char *percent = wl_string_format("%.1f%%", fabs(saved) < 0.05 ? 0.0 : saved);
    char *factor = row->duration_ns > 0 ? wl_string_format("%.2fx", duration_ns / row->duration_ns)
                                        : wl_string_copy("-");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
    wl_put(sink, &columns[CAUSE], wl_cell_text(row->id));
    wl_put(sink, &columns[DURATION], wl_cell_number(row->duration_ns));
    wl_put(sink, &columns[LINE], wl_cell_text(row->line));
    wl_put(sink, &shown[TEXT_CAUSE], wl_cell_text(row->text));
    wl_put(sink, &shown[TEXT_DURATION], wl_cell_text(time));
    wl_put(sink, &shown[TEXT_SAVED], wl_cell_text(percent));
    wl_put(sink, &shown[TEXT_FACTOR], wl_cell_text(factor));
    wl_put(sink, &shown[TEXT_LINE], wl_cell_text(row->line));
    wl_end(sink);
    free(time);
    free(percent);
    free(factor);
}

static void put_rows(struct wl_page_sink *sink, const char *key, const char *heading,
                     const struct row *rows, size_t count, double duration_ns)
{
    const struct wl_column shown[TEXT_COLUMNS] = {
        {.text = heading, .flags = WL_COLUMN_LEFT | WL_COLUMN_FLOWS},
        {.text = "Predicted"},
        {.text = "Saved"},
        {.text = "Factor"},
        {.text = "Line", .flags = WL_COLUMN_LEFT},
    };
    wl_begin(sink, WL_LEVEL_LIST, key, 0);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, shown, TEXT_COLUMNS);
    for (size_t i = 0; i < count; i++)
        put_row(sink, shown, &rows[i], duration_ns);
    wl_table_end(sink);
    wl_end(sink);
}

static bool is_stand_in(const struct wl_report_launch *launch)
{
    return launch->kernel && launch->kernel->module.is_stand_in;
}

/* Of launches that failed there is no time; of a report made without what-if there is none at all:
 * WL_ERR_NOTHING. */
static enum wl_code need_any(struct wl_view_context *context, struct wl_error *error)
{
    bool has_any = context->launch_count == 0;
    for (size_t i = 0; i < context->launch_count && !has_any; i++) {
        struct whatif whatif;
        has_any = collect(context, context->launches[i], &whatif);
        whatif_free(&whatif);
    }
    if (has_any)
        return WL_OK;
    wl_error_set(error, WL_ERR_NOTHING, "the report has no what-if of %s",
                 wl_fields_kernel(context->launches[0]));
    if (wl_fields_has_library_time(context->launches[0]))
        return wl_error_set_hint(error,
                                 "its time is that of a library's own kernels, which are not "
                                 "known here: choose kernels of the program with -k");
    return wl_error_set_hint(error, "run the program again: warplens whatif ./app");
}

static void put_launch(struct wl_page_sink *sink, const struct wl_report_launch *launch,
                       const struct whatif *whatif)
{
    static const struct wl_column duration = {.json = "duration_ns", .flags = WL_COLUMN_REAL},
                                  mark = {.json = "mark"}, stand_in = {.json = "is_stand_in"};
    const struct {
        const char *key, *heading;
        const struct row *rows;
        size_t count;
    } parts[] = {
        {"causes", "Without the", whatif->causes.items, whatif->causes.count},
        {"bounds", "Bounds: without the", whatif->bounds.items, whatif->bounds.count},
        {"pairs", "Without both", whatif->pairs.items, whatif->pairs.count},
        {"sets", "Without all of", whatif->sets.items, whatif->sets.count},
        {"sizes", "In blocks of", whatif->sizes.items, whatif->sizes.count},
    };
    char *time = time_text(whatif->duration_ns);
    wl_print(sink, "    takes %s (predicted%s)\n", time,
             is_stand_in(launch) ? "; a stand-in, not the library's kernel" : "");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &launch_columns[ID], wl_cell_number((double)launch->key));
    wl_put(sink, &launch_columns[KERNEL], wl_cell_text(wl_fields_kernel(launch)));
    wl_put(sink, &duration, wl_cell_number(whatif->duration_ns));
    wl_put(sink, &mark, wl_cell_word("predicted"));
    wl_put(sink, &stand_in, wl_cell_flag(is_stand_in(launch)));
    for (size_t i = 0; i < WL_COUNT(parts); i++)
        put_rows(sink, parts[i].key, parts[i].heading, parts[i].rows, parts[i].count,
                 whatif->duration_ns);
    wl_end(sink);
    free(time);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    enum wl_code code = need_any(context, error);
    if (code)
        return code;
    wl_heading(sink, launch_columns, LAUNCH_COLUMNS);
    wl_heading(sink, columns, COLUMNS);
    wl_begin(sink, WL_LEVEL_LIST, "whatif", 0);
    for (size_t i = 0; i < context->launch_count; i++) {
        struct whatif whatif;
        const struct wl_report_launch *launch = context->launches[i];
        wl_print(sink, "  %lld: ", (long long)launch->key);
        wl_print_safe(sink, wl_fields_kernel(launch));
        wl_print(sink, "\n");
        if (collect(context, launch, &whatif))
            put_launch(sink, launch, &whatif);
        else
            wl_print(sink, "    was not timed again: no time could be predicted for it\n");
        wl_print(sink, "\n");
        whatif_free(&whatif);
    }
    wl_end(sink);
    wl_print(sink, "  Each row is the launch timed again with that one cause taken away "
                   "(predicted).\n  Savings do not add up: see the rows of several.\n");
    return WL_OK;
}

const struct wl_page wl_page_whatif = {.name = "whatif", .walk = walk};
