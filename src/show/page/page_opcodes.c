/* The opcodes page: how often the warps of each launch executed which kind of instruction, and how
 * long they stood at it. */
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "report/keys.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"
#include "show/page/marks.h"

/* What of each opcode is summed. */
enum sum { WARPS, THREADS, WARP_TIME, SUMS };
static const char *const names[SUMS] = {"inst_executed", "thread_inst_executed",
                                        "smsp__pcsamp_warps_issue_stalled"};

struct opcode {
    const char *name, *pipe;
    size_t instructions; /* of the kernel's */
    double sums[SUMS];
};

struct histogram {
    struct wl_source_model model;
    const struct wl_source_column *columns[SUMS]; /* NULL: not counted */
    WL_VECTOR(struct opcode) opcodes;
    double totals[SUMS];
};

static struct opcode *find(struct histogram *histogram, struct wl_keys *keys,
                           const struct wl_record_instruction *instruction)
{
    const char *name = instruction->opcode ? instruction->opcode : "";
    const struct opcode opcode = {.name = name, .pipe = instruction->pipe};
    int64_t id;
    if (!wl_keys_intern(keys, name, strlen(name), &id))
        WL_PUSH(&histogram->opcodes, opcode);
    return &histogram->opcodes.items[id - 1];
}

/* Most executed first. */
static int compare(const void *left, const void *right)
{
    const struct opcode *a = left, *b = right;
    if (a->sums[WARPS] != b->sums[WARPS])
        return a->sums[WARPS] > b->sums[WARPS] ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void count(struct histogram *histogram)
{
    const struct wl_source_model *model = &histogram->model;
    struct wl_keys keys = {0};
    for (size_t i = 0; i < model->column_count; i++)
        for (int sum = 0; sum < SUMS; sum++)
            if (strcmp(model->columns[i].name, names[sum]) == 0)
                histogram->columns[sum] = &model->columns[i];
    for (size_t i = 0; i < model->instruction_count; i++) {
        struct opcode *opcode = find(histogram, &keys, &model->instructions[i]);
        opcode->instructions++;
        for (int sum = 0; sum < SUMS; sum++) {
            double value = 0;
            if (!histogram->columns[sum] ||
                !wl_source_read(histogram->columns[sum], model->counts[i], &value))
                continue;
            opcode->sums[sum] += value;
            histogram->totals[sum] += value;
        }
    }
    if (histogram->opcodes.count)
        qsort(histogram->opcodes.items, histogram->opcodes.count, sizeof *histogram->opcodes.items,
              compare);
    wl_keys_free(&keys);
}

/* ---- columns ---- */

enum { OPCODE, PIPE, INSTRUCTIONS, FACTS };
static const struct wl_column facts[FACTS] = {
    [OPCODE] = {"Opcode", "Opcode", "opcode", .flags = WL_COLUMN_LEFT},
    [PIPE] = {"Pipe", "Pipe", "pipe", .flags = WL_COLUMN_LEFT | WL_COLUMN_LEAVES_SECOND},
    [INSTRUCTIONS] = {"In Code", "Instructions", "instructions", .flags = WL_COLUMN_LEAVES_FIRST},
};
static const struct wl_column shown[SUMS] = {
    [WARPS] = {.text = "Warp Exec  "},
    [THREADS] = {.text = "Thread Exec  "},
    [WARP_TIME] = {.text = "Warp Time  "},
};
static const struct wl_column data[SUMS] = {
    [WARPS] = {.csv = "inst_executed", .json = "inst_executed"},
    [THREADS] = {.csv = "thread_inst_executed", .json = "thread_inst_executed"},
    [WARP_TIME] = {.csv = "smsp__pcsamp_warps_issue_stalled",
                   .json = "smsp__pcsamp_warps_issue_stalled"},
};
enum { SHARE, SHARE_OF_TIME, MARK, RESTS };
static const struct wl_column rests[RESTS] = {
    [SHARE] = {.text = "% of Exec", .csv = "inst_executed %", .json = "inst_executed_pct"},
    [SHARE_OF_TIME] = {.text = "% of Time",
                       .csv = "smsp__pcsamp_warps_issue_stalled %",
                       .json = "smsp__pcsamp_warps_issue_stalled_pct"},
    [MARK] = {.csv = "Mark"},
};
static const struct wl_column bar_column = {.text = "", .flags = WL_COLUMN_LEFT};
enum { BAR_WIDTH = 30 };

static void put_sum(struct wl_page_sink *sink, const struct histogram *histogram, int sum,
                    double value)
{
    const struct wl_source_column *column = histogram->columns[sum];
    struct wl_text text = {0};
    wl_put(sink, &data[sum], column ? wl_cell_number(value) : wl_cell_absent());
    if (!column || sink->is_hidden)
        return;
    struct wl_metric_value metric = {.is_present = true, .mark = column->mark};
    wl_format_number(value, &text);
    wl_text_addf(&text, " %s", wl_mark_text(sink->is_mark_shown, &metric));
    wl_put(sink, &shown[sum], wl_cell_text(text.data));
    wl_text_free(&text);
}

static double share_pct(const struct histogram *histogram, int sum, const struct opcode *opcode)
{
    double total = histogram->totals[sum];
    return total > 0 ? 100 * opcode->sums[sum] / total : 0;
}

static void put_share(struct wl_page_sink *sink, const struct wl_column *column,
                      const struct histogram *histogram, int sum, const struct opcode *opcode)
{
    char text[40];
    struct wl_cell cell = wl_cell_absent();
    if (histogram->totals[sum] > 0) {
        cell = wl_cell_number(share_pct(histogram, sum, opcode));
        snprintf(text, sizeof text, "%.1f", cell.number);
        cell.shown = text;
    }
    wl_put(sink, column, cell);
}

static void put_marks(struct wl_page_sink *sink, const struct histogram *histogram)
{
    struct wl_text text = {0};
    for (int sum = 0; sum < SUMS; sum++)
        if (histogram->columns[sum])
            wl_text_addf(&text, "%s%s", text.length ? " " : "",
                         wl_metric_mark_name(histogram->columns[sum]->mark));
    wl_put(sink, &rests[MARK], wl_cell_text(text.data));
    wl_text_free(&text);
}

static void put_opcode(struct wl_page_sink *sink, const struct histogram *histogram,
                       const struct opcode *opcode)
{
    char bar[BAR_WIDTH + 1];
    double most = share_pct(histogram, WARPS, &histogram->opcodes.items[0]);
    double share = share_pct(histogram, WARPS, opcode);
    size_t length = most > 0 ? (size_t)(BAR_WIDTH * share / most + 0.5) : 0;
    memset(bar, '#', length);
    bar[length] = '\0';
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_ROW | WL_LEVEL_RECORD);
    wl_put(sink, &facts[OPCODE], wl_cell_text(opcode->name));
    wl_put(sink, &facts[PIPE], wl_cell_text(opcode->pipe));
    wl_put(sink, &facts[INSTRUCTIONS], wl_cell_number((double)opcode->instructions));
    for (int sum = 0; sum < SUMS; sum++)
        put_sum(sink, histogram, sum, opcode->sums[sum]);
    put_share(sink, &rests[SHARE], histogram, WARPS, opcode);
    put_share(sink, &rests[SHARE_OF_TIME], histogram, WARP_TIME, opcode);
    put_marks(sink, histogram);
    wl_put(sink, &bar_column, wl_cell_text(bar));
    wl_end(sink);
}

static void put_launch(struct wl_view_context *context, struct wl_page_sink *sink, size_t index,
                       const struct histogram *histogram)
{
    const struct wl_report_launch *launch = context->launches[index];
    wl_say_launch(context, sink, index ? context->launches[index - 1] : NULL, launch);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put_launch(sink, launch);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, facts, FACTS);
    for (int sum = 0; sum < SUMS; sum++)
        if (histogram->columns[sum])
            wl_table_columns(sink, &shown[sum], 1);
    wl_table_columns(sink, rests, histogram->totals[WARP_TIME] > 0 ? MARK : SHARE_OF_TIME);
    wl_table_columns(sink, &bar_column, 1);
    wl_begin(sink, WL_LEVEL_LIST, "opcodes", 0);
    for (size_t i = 0; i < histogram->opcodes.count; i++)
        put_opcode(sink, histogram, &histogram->opcodes.items[i]);
    wl_end(sink);
    wl_table_end(sink);
    wl_end(sink);
    if (!histogram->opcodes.count)
        wl_print(sink, "    No instructions of this kernel are in the report.\n");
    wl_print(sink, "\n");
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    enum wl_code code = WL_OK;
    wl_heading(sink, wl_launch_columns, WL_LAUNCH_COLUMNS);
    wl_heading(sink, facts, FACTS);
    wl_heading(sink, data, SUMS);
    wl_heading(sink, rests, RESTS);
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < context->launch_count && code == WL_OK; i++) {
        struct histogram histogram = {0};
        code =
            wl_source_build(context->report, context->launches[i], NULL, &histogram.model, error);
        if (code != WL_OK)
            break;
        count(&histogram);
        put_launch(context, sink, i, &histogram);
        free(histogram.opcodes.items);
        wl_source_free(&histogram.model);
        wl_flush(sink);
    }
    wl_end(sink);
    if (code == WL_OK)
        wl_mark_legend(sink);
    return code;
}

const struct wl_page wl_page_opcodes = {.name = "opcodes", .walk = walk};
