#include "show/page/acc_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"
#include "show/page/acc_findings.h"
#include "show/page/sink.h"

enum { page_width = 110 };

static const char *const region_names[] = {[WL_ACC_INIT] = "device init",
                                           [WL_ACC_DATA] = "data region",
                                           [WL_ACC_COMPUTE] = "compute region",
                                           [WL_ACC_UPDATE] = "update directive",
                                           [WL_ACC_WAIT] = "wait directive"};
static const char *const what_names[] = {[WL_ACC_REACHED] = "region",
                                         [WL_ACC_KERNEL] = "kernel",
                                         [WL_ACC_COPY_IN] = "copyin",
                                         [WL_ACC_COPY_OUT] = "copyout"};

/* ---- text ---- */

static void add_us(uint64_t time_ns, struct wl_text *out)
{
    char digits[48];
    snprintf(digits, sizeof digits, "%" PRIu64 ".%" PRIu64, time_ns / 1000, time_ns / 100 % 10);
    wl_format_grouped(digits, out);
}

static void add_spread(const char *what, const struct wl_acc_spread *spread, uint64_t count,
                       struct wl_text *out)
{
    wl_text_addf(out, "%15s%s time(us): total=", "", what);
    add_us(spread->total_ns, out);
    wl_text_add(out, " max=");
    add_us(spread->max_ns, out);
    wl_text_add(out, " min=");
    add_us(spread->min_ns, out);
    wl_text_add(out, " avg=");
    add_us(count ? spread->total_ns / count : 0, out);
    wl_text_add_char(out, '\n');
}

/* "[1024]", "[32x4]" */
static void add_sizes(const uint32_t sizes[3], struct wl_text *out)
{
    wl_text_addf(out, "[%" PRIu32, sizes[0]);
    if (sizes[1] > 1 || sizes[2] > 1)
        wl_text_addf(out, "x%" PRIu32, sizes[1]);
    if (sizes[2] > 1)
        wl_text_addf(out, "x%" PRIu32, sizes[2]);
    wl_text_add_char(out, ']');
}

static const char *times(uint64_t count)
{
    return count == 1 ? "time" : "times";
}

static void add_line_number(const struct wl_acc_row *row, int indent, struct wl_text *out)
{
    if (row->line)
        wl_text_addf(out, "%*s%" PRIu32 ": ", indent, "", row->line);
    else
        wl_text_addf(out, "%*s?: ", indent, "");
}

static void add_row(const struct wl_acc_row *row, struct wl_text *out)
{
    if (row->what == WL_ACC_REACHED) {
        add_line_number(row, 4, out);
        wl_text_addf(out, "%s reached %" PRIu64 " %s\n", region_names[row->region], row->count,
                     times(row->count));
        add_spread("elapsed", &row->elapsed, row->count, out);
        return;
    }
    add_line_number(row, 8, out);
    if (row->what == WL_ACC_KERNEL) {
        wl_text_addf(out, "kernel launched %" PRIu64 " %s: ", row->count, times(row->count));
        wl_format_safe(row->kernel, out);
        wl_text_addf(out, "\n%12sgrid: ", "");
        add_sizes(row->grid, out);
        wl_text_add(out, "  block: ");
        add_sizes(row->block, out);
        wl_text_addf(out, "%s\n", row->has_other_sizes ? "  (and others)" : "");
        add_spread("device", &row->device, row->count, out);
        add_spread("elapsed", &row->elapsed, row->count, out);
        return;
    }
    wl_text_addf(out, "data %s transfers: %" PRIu64 ", ", what_names[row->what], row->count);
    if (row->bytes < 1000)
        wl_text_addf(out, "%" PRIu64 " bytes\n", row->bytes);
    else
        wl_text_addf(out, "%.3f MB\n", (double)row->bytes / 1e6);
    add_spread("device", &row->device, row->count, out);
}

/* And on the same device. */
static bool is_same_function(const struct wl_acc_row *a, const struct wl_acc_row *b)
{
    return a->device_number == b->device_number && strcmp(a->file, b->file) == 0 &&
           strcmp(a->function, b->function) == 0;
}

/* ---- what the compiler said ---- */

/* The first line behind a row that is no part of it: that of the next region which ran in its
 * function, or which the compiler spread over gangs. */
static uint32_t end_of(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                       const struct wl_acc_row *row)
{
    uint32_t end = UINT32_MAX;
    const struct wl_acc_row *last = time->items + time->count;
    for (const struct wl_acc_row *next = row + 1; next < last && is_same_function(row, next);
         next++)
        if (next->line > row->line && next->line < end)
            end = next->line;
    for (size_t i = 0; i < log->count; i++) {
        const struct wl_compiler_message *message = &log->items[i];
        bool is_region = !message->function[0] && strstr(message->text, "gang");
        if (is_region && message->line > row->line && message->line < end &&
            wl_compiler_message_is_at(message, row->file, row->function, message->line))
            end = message->line;
    }
    return end;
}

/* Of the lines from the row's on to the next region's, in order; behind the last row of a line. */
static void add_messages(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                         const struct wl_acc_row *row, struct wl_text *out)
{
    if (!log || !row->line)
        return;
    uint32_t end = end_of(time, log, row);
    for (uint32_t line = row->line, next; line < end; line = next) {
        next = end;
        for (size_t i = 0; i < log->count; i++) {
            const struct wl_compiler_message *message = &log->items[i];
            if (!wl_compiler_message_is_at(message, row->file, row->function, message->line))
                continue;
            if (message->line > line && message->line < next)
                next = message->line;
            if (message->line != line)
                continue;
            wl_text_addf(out, "%8s%" PRIu32 ", ", "", line);
            wl_format_safe(message->text, out);
            wl_text_add_char(out, '\n');
        }
    }
}

static void add_headlines(const struct wl_acc_time *time, size_t index, struct wl_text *out)
{
    const struct wl_acc_row *row = &time->items[index], *before = index ? row - 1 : NULL;
    uint64_t total_ns = 0;
    bool is_host = false;
    if (before && is_same_function(before, row))
        return;
    if (!before || strcmp(before->file, row->file) != 0) {
        wl_format_safe(row->file[0] ? row->file : "(file not known: compile with -g)", out);
        wl_text_add_char(out, '\n');
    }
    for (size_t i = index; i < time->count && is_same_function(row, &time->items[i]); i++) {
        total_ns += time->items[i].device.total_ns;
        is_host |= time->items[i].is_host;
    }
    wl_text_add(out, "  ");
    wl_format_safe(row->function[0] ? row->function : "?", out);
    if (is_host)
        wl_text_add(out, "  HOST\n");
    else
        wl_text_addf(out, "  NVIDIA  devicenum=%" PRIu32 "\n", row->device_number);
    if (!is_host) {
        wl_text_add(out, "    time(us): ");
        add_us(total_ns, out);
        wl_text_add_char(out, '\n');
    }
}

/* ---- rows ---- */

enum { FILE_NAME, FUNCTION, LINE, REGION, WHAT, DEVICE, COUNT, KERNEL, GRID, BLOCK, BYTES };
static const struct wl_column row_columns[] = {
    [FILE_NAME] = {NULL, "File", "file", 0, WL_COLUMN_BARE},
    [FUNCTION] = {NULL, "Function", "function", 0, WL_COLUMN_BARE},
    [LINE] = {NULL, "Line", "line", 0, WL_COLUMN_BARE},
    [REGION] = {NULL, "Region", "region", 0, WL_COLUMN_BARE},
    [WHAT] = {NULL, "What", "what", 0, WL_COLUMN_BARE},
    [DEVICE] = {NULL, "Device", "device", 0, WL_COLUMN_BARE},
    [COUNT] = {NULL, NULL, "count", 0, 0},
    [KERNEL] = {NULL, NULL, "kernel", 0, 0},
    [GRID] = {NULL, NULL, "grid", 0, 0},
    [BLOCK] = {NULL, NULL, "block", 0, 0},
    [BYTES] = {NULL, NULL, "bytes", 0, 0},
};

/* A line of CSV has every column, an object of JSON what its kind of row has. */
enum {
    CSV_KERNEL,
    CSV_GRID,
    CSV_BLOCK,
    CSV_COUNT,
    CSV_BYTES,
    CSV_DEVICE,
    CSV_ELAPSED = CSV_DEVICE + 3
};
static const struct wl_column csv_columns[] = {
    [CSV_KERNEL] = {NULL, "Kernel", NULL, 0, WL_COLUMN_BARE},
    [CSV_GRID] = {NULL, "Grid", NULL, 0, WL_COLUMN_BARE},
    [CSV_BLOCK] = {NULL, "Block", NULL, 0, WL_COLUMN_BARE},
    [CSV_COUNT] = {NULL, "Count", NULL, 0, WL_COLUMN_BARE},
    [CSV_BYTES] = {NULL, "Bytes", NULL, 0, WL_COLUMN_BARE},
    [CSV_DEVICE] = {NULL, "Device Total (ns)", NULL, 0, WL_COLUMN_BARE},
    {NULL, "Device Max (ns)", NULL, 0, WL_COLUMN_BARE},
    {NULL, "Device Min (ns)", NULL, 0, WL_COLUMN_BARE},
    [CSV_ELAPSED] = {NULL, "Elapsed Total (ns)", NULL, 0, WL_COLUMN_BARE},
    {NULL, "Elapsed Max (ns)", NULL, 0, WL_COLUMN_BARE},
    {NULL, "Elapsed Min (ns)", NULL, 0, WL_COLUMN_BARE},
};
static const struct wl_column spread_columns[] = {
    {NULL, NULL, "total_ns", 0, 0},
    {NULL, NULL, "max_ns", 0, 0},
    {NULL, NULL, "min_ns", 0, 0},
};
static const struct wl_column mark_column = {NULL, "Mark", "mark", 0, WL_COLUMN_BARE};

static void put_spread(const struct wl_acc_spread *spread, const struct wl_column *columns,
                       struct wl_page_sink *sink)
{
    wl_put(sink, &columns[0], wl_cell_number((double)spread->total_ns));
    wl_put(sink, &columns[1], wl_cell_number((double)spread->max_ns));
    wl_put(sink, &columns[2], wl_cell_number((double)spread->min_ns));
}

static void put_nested(const struct wl_acc_spread *spread, const char *key,
                       struct wl_page_sink *sink)
{
    wl_begin(sink, WL_LEVEL_OBJECT, key, 0);
    put_spread(spread, spread_columns, sink);
    wl_end(sink);
}

static void put_sizes(const uint32_t sizes[3], const struct wl_column *triple,
                      const struct wl_column *word, struct wl_page_sink *sink)
{
    struct wl_text text = {0};
    add_sizes(sizes, &text);
    wl_put(sink, triple, wl_cell_triple(sizes));
    wl_put(sink, word, wl_cell_word(text.data));
    wl_text_free(&text);
}

static void put_row(const struct wl_acc_row *row, struct wl_page_sink *sink)
{
    bool is_kernel = row->what == WL_ACC_KERNEL, is_region = row->what == WL_ACC_REACHED;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
    wl_put(sink, &row_columns[FILE_NAME], wl_cell_text(row->file));
    wl_put(sink, &row_columns[FUNCTION], wl_cell_text(row->function));
    wl_put(sink, &row_columns[LINE], wl_cell_number(row->line));
    wl_put(sink, &row_columns[REGION], wl_cell_word(region_names[row->region]));
    wl_put(sink, &row_columns[WHAT], wl_cell_word(what_names[row->what]));
    wl_put(sink, &row_columns[DEVICE], wl_cell_word(row->is_host ? "host" : "nvidia"));
    wl_put(sink, &row_columns[COUNT], wl_cell_number((double)row->count));
    wl_put(sink, &csv_columns[CSV_KERNEL], wl_cell_text(row->kernel));
    wl_put(sink, &csv_columns[CSV_COUNT], wl_cell_number((double)row->count));
    wl_put(sink, &csv_columns[CSV_BYTES], wl_cell_number((double)row->bytes));
    put_spread(&row->device, &csv_columns[CSV_DEVICE], sink);
    put_spread(&row->elapsed, &csv_columns[CSV_ELAPSED], sink);
    if (is_kernel) {
        wl_put(sink, &row_columns[KERNEL], wl_cell_text(row->kernel));
        put_sizes(row->grid, &row_columns[GRID], &csv_columns[CSV_GRID], sink);
        put_sizes(row->block, &row_columns[BLOCK], &csv_columns[CSV_BLOCK], sink);
    } else if (!is_region) {
        wl_put(sink, &row_columns[BYTES], wl_cell_number((double)row->bytes));
    }
    if (!is_region)
        put_nested(&row->device, "device_time", sink);
    if (is_region || is_kernel)
        put_nested(&row->elapsed, "elapsed_time", sink);
    wl_end(sink);
}

/* ---- messages and findings ---- */

enum { RULE, PLACE_FILE, PLACE_FUNCTION, PLACE_LINE, PLACE_TEXT, ADVICE };
static const struct wl_column place_columns[] = {
    [RULE] = {NULL, NULL, "rule", 0, 0},
    [PLACE_FILE] = {NULL, NULL, "file", 0, 0},
    [PLACE_FUNCTION] = {NULL, NULL, "function", 0, 0},
    [PLACE_LINE] = {NULL, NULL, "line", 0, 0},
    [PLACE_TEXT] = {NULL, NULL, "text", 0, 0},
    [ADVICE] = {NULL, NULL, "advice", 0, 0},
};

static void put_message(const struct wl_compiler_message *message, struct wl_page_sink *sink)
{
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &place_columns[PLACE_FILE], wl_cell_text(message->file));
    wl_put(sink, &place_columns[PLACE_FUNCTION], wl_cell_text(message->function));
    wl_put(sink, &place_columns[PLACE_LINE], wl_cell_number(message->line));
    wl_put(sink, &place_columns[PLACE_TEXT], wl_cell_text(message->text));
    wl_end(sink);
}

static void put_finding(const struct wl_acc_finding *found, struct wl_page_sink *sink)
{
    const char *slash = strrchr(found->file, '/');
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &place_columns[RULE], wl_cell_word(found->rule));
    wl_put(sink, &place_columns[PLACE_FILE], wl_cell_text(found->file));
    wl_put(sink, &place_columns[PLACE_LINE], wl_cell_number(found->line));
    wl_put(sink, &place_columns[PLACE_TEXT], wl_cell_text(found->text));
    wl_put(sink, &place_columns[ADVICE], wl_cell_text(found->advice));
    wl_say_free(sink, "  ",
                wl_string_format("%s:%" PRIu32 ": %s", slash ? slash + 1 : found->file, found->line,
                                 found->text));
    wl_say(sink, "    do: ", found->advice);
    wl_end(sink);
}

/* ---- the whole ---- */

struct page {
    const struct wl_acc_time *time;
    const struct wl_compiler_log *log; /* NULL: none */
    struct wl_acc_findings findings;
};

static void walk_rows(const struct page *page, struct wl_page_sink *sink)
{
    const struct wl_acc_time *time = page->time;
    wl_print(sink, "\nAccelerator Kernel Timing data\n");
    wl_begin(sink, WL_LEVEL_LIST, "rows", 0);
    for (size_t i = 0; i < time->count; i++) {
        const struct wl_acc_row *row = &time->items[i];
        const struct wl_acc_row *next = i + 1 < time->count ? row + 1 : NULL;
        struct wl_text lines = {0};
        add_headlines(time, i, &lines);
        add_row(row, &lines);
        bool is_last_of_line = !next || next->line != row->line || !is_same_function(row, next);
        if (is_last_of_line)
            add_messages(time, page->log, row, &lines);
        wl_print(sink, "%s", lines.data);
        put_row(row, sink);
        wl_text_free(&lines);
    }
    wl_end(sink);
    if (time->is_predicted)
        wl_print(sink, "\n  Device times are predicted: those of the simulated GPU. Elapsed times "
                       "are on the simulated clock.\n");
}

static enum wl_code walk(void *self, struct wl_page_sink *sink, struct wl_error *error)
{
    const struct page *page = self;
    (void)error;
    wl_heading(sink, row_columns, WL_COUNT(row_columns));
    wl_heading(sink, csv_columns, WL_COUNT(csv_columns));
    wl_heading(sink, &mark_column, 1);
    wl_put(sink, &mark_column, wl_cell_word(page->time->is_predicted ? "predicted" : "exact"));
    walk_rows(page, sink);
    wl_begin(sink, WL_LEVEL_LIST, "messages", 0);
    for (size_t i = 0; page->log && i < page->log->count; i++)
        put_message(&page->log->items[i], sink);
    wl_end(sink);
    if (page->findings.count)
        wl_print(sink, "\nWhat stands out:\n");
    wl_begin(sink, WL_LEVEL_LIST, "findings", 0);
    for (size_t i = 0; i < page->findings.count; i++)
        put_finding(&page->findings.items[i], sink);
    wl_end(sink);
    return WL_OK;
}

enum wl_code wl_view_acc_time(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                              enum wl_view_format format, FILE *out, struct wl_error *error)
{
    const struct wl_sink_setup setup = {.out = out, .page = "acc-time", .width = page_width};
    struct page page = {.time = time, .log = log};
    if (format > WL_FORMAT_JSON)
        return wl_error_set(error, WL_ERR_USAGE, "acc-time cannot be printed in this format");
    wl_acc_findings_find(time, log, &page.findings);
    enum wl_code code = wl_sink_run(format, &setup, walk, &page, error);
    wl_acc_findings_free(&page.findings);
    return code;
}
