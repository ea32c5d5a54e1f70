#include "show/page/acc_time.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"
#include "show/page/acc_findings.h"
#include "warplens/version.h"

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

static void add_findings(const struct wl_acc_findings *findings, struct wl_text *out)
{
    if (findings->count)
        wl_text_add(out, "\nWhat stands out:\n");
    for (size_t i = 0; i < findings->count; i++) {
        const struct wl_acc_finding *found = &findings->items[i];
        struct wl_text place = {0};
        const char *slash = strrchr(found->file, '/');
        wl_text_addf(&place, "%s:%" PRIu32 ": ", slash ? slash + 1 : found->file, found->line);
        wl_text_add(&place, found->text);
        wl_format_wrap("  ", place.data, 110, out);
        wl_format_wrap("    do: ", found->advice, 110, out);
        wl_text_free(&place);
    }
}

static void print_text(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                       const struct wl_acc_findings *findings, struct wl_text *out)
{
    wl_text_add(out, "\nAccelerator Kernel Timing data\n");
    for (size_t i = 0; i < time->count; i++) {
        const struct wl_acc_row *row = &time->items[i];
        const struct wl_acc_row *next = i + 1 < time->count ? row + 1 : NULL;
        add_headlines(time, i, out);
        add_row(row, out);
        bool is_last_of_line = !next || next->line != row->line || !is_same_function(row, next);
        if (is_last_of_line)
            add_messages(time, log, row, out);
    }
    if (time->is_predicted)
        wl_text_add(
            out,
            "\n  Device times are predicted: those of the simulated GPU. Elapsed times are on the "
            "simulated clock.\n");
    add_findings(findings, out);
}

/* ---- CSV ---- */

static void print_csv(const struct wl_acc_time *time, struct wl_text *out)
{
    wl_text_add(out, "File,Function,Line,Region,What,Device,Kernel,Grid,Block,Count,Bytes,"
                     "Device Total (ns),Device Max (ns),Device Min (ns),"
                     "Elapsed Total (ns),Elapsed Max (ns),Elapsed Min (ns),Mark\n");
    for (size_t i = 0; i < time->count; i++) {
        const struct wl_acc_row *row = &time->items[i];
        struct wl_text sizes = {0};
        const char *const texts[] = {row->file, row->function};
        for (size_t k = 0; k < 2; k++) {
            wl_format_csv(texts[k], out);
            wl_text_add_char(out, ',');
        }
        wl_text_addf(out, "%" PRIu32 ",%s,%s,%s,", row->line, region_names[row->region],
                     what_names[row->what], row->is_host ? "host" : "nvidia");
        wl_format_csv(row->kernel, out);
        if (row->what == WL_ACC_KERNEL) {
            add_sizes(row->grid, &sizes);
            wl_text_add_char(&sizes, ',');
            add_sizes(row->block, &sizes);
        }
        wl_text_addf(out, ",%s,%" PRIu64 ",%" PRIu64, sizes.length ? sizes.data : ",", row->count,
                     row->bytes);
        wl_text_free(&sizes);
        const struct wl_acc_spread *const spreads[] = {&row->device, &row->elapsed};
        for (size_t k = 0; k < 2; k++)
            wl_text_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, spreads[k]->total_ns,
                         spreads[k]->max_ns, spreads[k]->min_ns);
        wl_text_addf(out, ",%s\n", time->is_predicted ? "predicted" : "exact");
    }
}

/* ---- JSON ---- */

static json_t *safe_string(const char *text)
{
    struct wl_text out = {0};
    wl_format_utf8(text, &out);
    json_t *string = json_string(out.data ? out.data : "");
    wl_text_free(&out);
    return string;
}

static json_t *json_spread(const struct wl_acc_spread *spread)
{
    return json_pack("{s:I, s:I, s:I}", "total_ns", (json_int_t)spread->total_ns, "max_ns",
                     (json_int_t)spread->max_ns, "min_ns", (json_int_t)spread->min_ns);
}

static json_t *json_row(const struct wl_acc_row *row)
{
    json_t *object =
        json_pack("{s:o, s:o, s:I, s:s, s:s, s:s, s:I}", "file", safe_string(row->file), "function",
                  safe_string(row->function), "line", (json_int_t)row->line, "region",
                  region_names[row->region], "what", what_names[row->what], "device",
                  row->is_host ? "host" : "nvidia", "count", (json_int_t)row->count);
    if (row->what == WL_ACC_KERNEL) {
        json_object_set_new(object, "kernel", safe_string(row->kernel));
        json_object_set_new(object, "grid",
                            json_pack("[i,i,i]", row->grid[0], row->grid[1], row->grid[2]));
        json_object_set_new(object, "block",
                            json_pack("[i,i,i]", row->block[0], row->block[1], row->block[2]));
    } else if (row->what != WL_ACC_REACHED) {
        json_object_set_new(object, "bytes", json_integer((json_int_t)row->bytes));
    }
    if (row->what != WL_ACC_REACHED)
        json_object_set_new(object, "device_time", json_spread(&row->device));
    if (row->what == WL_ACC_REACHED || row->what == WL_ACC_KERNEL)
        json_object_set_new(object, "elapsed_time", json_spread(&row->elapsed));
    return object;
}

static void print_json(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                       const struct wl_acc_findings *findings, struct wl_text *out)
{
    json_t *rows = json_array(), *messages = json_array(), *found = json_array();
    for (size_t i = 0; i < time->count; i++)
        json_array_append_new(rows, json_row(&time->items[i]));
    for (size_t i = 0; log && i < log->count; i++)
        json_array_append_new(messages, json_pack("{s:o, s:o, s:I, s:o}", "file",
                                                  safe_string(log->items[i].file), "function",
                                                  safe_string(log->items[i].function), "line",
                                                  (json_int_t)log->items[i].line, "text",
                                                  safe_string(log->items[i].text)));
    for (size_t i = 0; i < findings->count; i++)
        json_array_append_new(found, json_pack("{s:s, s:o, s:I, s:o, s:o}", "rule",
                                               findings->items[i].rule, "file",
                                               safe_string(findings->items[i].file), "line",
                                               (json_int_t)findings->items[i].line, "text",
                                               safe_string(findings->items[i].text), "advice",
                                               safe_string(findings->items[i].advice)));
    json_t *root = json_pack("{s:s, s:s, s:{s:s, s:s}, s:s, s:o, s:o, s:o}", "schema", "warplens/1",
                             "page", "acc-time", "generator", "name", "warplens", "version",
                             WL_VERSION_STRING, "mark", time->is_predicted ? "predicted" : "exact",
                             "rows", rows, "messages", messages, "findings", found);
    char *dump = json_dumps(root, JSON_INDENT(2));
    wl_text_addf(out, "%s\n", dump);
    free(dump);
    json_decref(root);
}

enum wl_code wl_view_acc_time(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                              enum wl_view_format format, FILE *out, struct wl_error *error)
{
    struct wl_text text = {0};
    struct wl_acc_findings findings;
    if (format > WL_FORMAT_JSON)
        return wl_error_set(error, WL_ERR_USAGE, "acc-time cannot be printed in this format");
    wl_acc_findings_find(time, log, &findings);
    if (format == WL_FORMAT_CSV)
        print_csv(time, &text);
    else if (format == WL_FORMAT_JSON)
        print_json(time, log, &findings, &text);
    else
        print_text(time, log, &findings, &text);
    fwrite(text.data, 1, text.length, out);
    wl_text_free(&text);
    wl_acc_findings_free(&findings);
    if (fflush(out) != 0 || ferror(out))
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the times: %s", strerror(errno));
    return WL_OK;
}
