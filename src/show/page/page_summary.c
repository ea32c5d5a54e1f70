/* The summary page: a row for each launch, and below it what stands out in that launch; of very
 * many launches text has a row for each kernel and shape instead. What the columns are and which
 * remarks are looked for says the section Summary (data/sections/). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"
#include "show/page/kinds.h"
#include "show/page/launch_classes.h"

enum { longest_name = 40, indent = 2, most_ids = 8, most_kernels = 3 };

static const struct wl_section empty_section;

/* What is remarked of some launches in the same words. */
struct remark {
    char *text;     /* safe for a terminal; the key */
    char *launches; /* the first launches, "0, 3, 6" */
    size_t count;
    WL_VECTOR(const struct wl_report_kernel *) kernels; /* those of the launches, each once */
    UT_hash_handle hh;
};

static const struct wl_section *summary_section(const struct wl_view_context *context)
{
    const struct wl_section *section = wl_sections_find(context->sections, "Summary");
    return section ? section : &empty_section;
}

/* A kernel's name without its parameters, cut to fit. */
static void add_short_name(const struct wl_report_launch *launch, struct wl_text *out)
{
    const char *name = launch->kernel ? launch->kernel->short_name : NULL;
    wl_format_safe(name && name[0] ? name : wl_fields_kernel(launch), out);
    wl_format_shorten_middle(out, longest_name);
}

/* The remark of this text. Frees text. */
static struct remark *find_remark(struct remark **remarks, char *text)
{
    struct wl_text safe = {0};
    struct remark *remark = NULL;
    wl_format_safe(text, &safe);
    free(text);
    HASH_FIND_STR(*remarks, safe.data, remark);
    if (!remark) {
        remark = wl_alloc_zero(1, sizeof *remark);
        remark->text = wl_text_take(&safe);
        HASH_ADD_KEYPTR(hh, *remarks, remark->text, strlen(remark->text), remark);
    }
    wl_text_free(&safe);
    return remark;
}

static void add_kernel(struct remark *remark, const struct wl_report_kernel *kernel)
{
    for (size_t i = remark->kernels.count; i-- > 0;)
        if (remark->kernels.items[i] == kernel)
            return;
    WL_PUSH(&remark->kernels, kernel);
}

static void add_launch(struct remark *remark, const struct wl_report_launch *launch)
{
    if (launch->kernel)
        add_kernel(remark, launch->kernel);
    if (remark->count++ >= most_ids)
        return;
    char *launches = wl_string_format("%s%s%" PRId64, remark->launches ? remark->launches : "",
                                      remark->launches ? ", " : "", launch->key);
    free(remark->launches);
    remark->launches = launches;
}

/* "rms_norm, k_set_rows (29 launches): " */
static void add_kernels(const struct remark *remark, struct wl_text *line)
{
    size_t count = remark->kernels.count, said = count < most_kernels ? count : most_kernels;
    for (size_t i = 0; i < said; i++) {
        const struct wl_report_kernel *kernel = remark->kernels.items[i];
        struct wl_text name = {0};
        wl_format_safe(kernel->short_name ? kernel->short_name : kernel->record.function, &name);
        wl_format_shorten_middle(&name, longest_name);
        wl_text_addf(line, "%s%s", i ? ", " : "", name.data);
        wl_text_free(&name);
    }
    if (count > said)
        wl_text_addf(line, " and %zu more", count - said);
    wl_text_addf(line, " (%zu launch%s): ", remark->count, remark->count == 1 ? "" : "es");
}

static void add_ids(const struct remark *remark, struct wl_text *line)
{
    wl_text_addf(line, "%s", remark->launches);
    if (remark->count > most_ids)
        wl_text_addf(line, " and %zu more", remark->count - most_ids);
    wl_text_add(line, ": ");
}

/* In the order in which they came up; frees them. Launches are named as the table above does. */
static void say_remarks(struct wl_page_sink *sink, struct remark **remarks, bool is_by_kind)
{
    struct remark *remark, *next;
    if (*remarks)
        wl_print(sink, is_by_kind ? "\n  What stands out, by kernel:\n"
                                  : "\n  What stands out, by ID:\n");
    HASH_ITER(hh, *remarks, remark, next)
    {
        struct wl_text line = {0};
        if (is_by_kind && remark->kernels.count)
            add_kernels(remark, &line);
        else
            add_ids(remark, &line);
        wl_text_add(&line, remark->text);
        wl_say(sink, "  ", line.data);
        wl_text_free(&line);
        HASH_DEL(*remarks, remark);
        free(remark->text);
        free(remark->launches);
        free(remark->kernels.items);
        free(remark);
    }
}

/* ---- rows ---- */

enum { TEXT_ID, TEXT_NAME, TEXT_GRID, TEXT_BLOCK, TEXT_COUNT };
enum { STATUS, REMARKS, MARK, LAST_COUNT };

static const struct wl_column last_columns[LAST_COUNT] = {
    {.csv = "Status"}, {.csv = "Remarks"}, {.csv = "Mark"}};

struct page {
    struct wl_view_context *context;
    const struct wl_section *section;
    struct wl_column *columns; /* of text, then of the metrics */
    struct wl_kinds kinds;
    bool is_by_kind; /* text has these, and no launches */
    struct remark *remarks;
};

static void put_identity(const struct page *page, struct wl_page_sink *sink,
                         const struct wl_report_launch *launch)
{
    struct wl_text name = {0};
    add_short_name(launch, &name);
    wl_put_launch(sink, launch);
    wl_put(sink, &page->columns[TEXT_ID], wl_cell_number((double)launch->key));
    wl_put(sink, &page->columns[TEXT_NAME], wl_cell_text(name.data));
    wl_put(sink, &page->columns[TEXT_GRID], wl_cell_triple(launch->record.grid));
    wl_put(sink, &page->columns[TEXT_BLOCK], wl_cell_triple(launch->record.block));
    wl_text_free(&name);
}

static void put_metrics(const struct page *page, struct wl_page_sink *sink,
                        struct wl_metric_set *set)
{
    struct wl_text marks = {0};
    wl_begin(sink, WL_LEVEL_OBJECT, "metrics", 0);
    for (size_t i = 0; i < page->section->metric_count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, page->section->metrics[i].metric);
        wl_text_addf(&marks, "%s%s", i ? " " : "",
                     value->is_present ? wl_metric_mark_name(value->mark) : "absent");
        wl_put(sink, &page->columns[TEXT_COUNT + i], wl_cell_metric(value));
    }
    wl_end(sink);
    wl_put(sink, &last_columns[MARK], wl_cell_text(marks.data));
    wl_text_free(&marks);
}

static void add_failure(struct page *page, const struct wl_report_launch *launch)
{
    char *text = wl_string_format("failed: %s", launch->record.message);
    add_launch(find_remark(&page->remarks, text), launch);
}

static struct remark *remark_of(struct page *page, const struct wl_metric_value *value)
{
    return find_remark(&page->remarks,
                       wl_string_format("%s (%s)", value->text, wl_metric_mark_name(value->mark)));
}

/* Of a stand-in for a library's kernel nothing is remarked: who reads this cannot change it. */
static size_t remark_count(const struct page *page, const struct wl_report_launch *launch)
{
    const bool is_stand_in = launch->kernel && launch->kernel->module.is_stand_in;
    return is_stand_in ? 0 : page->section->remark_count;
}

static void put_remarks(struct page *page, struct wl_page_sink *sink,
                        const struct wl_report_launch *launch, struct wl_metric_set *set)
{
    static const struct wl_column name = {.json = "name"}, text = {.json = "text"},
                                  mark = {.json = "mark", .form = WL_FORM_MARK};
    bool is_failed = launch->record.status == WL_LAUNCH_FAILED;
    struct wl_text all = {0};
    if (is_failed)
        add_failure(page, launch);
    wl_begin(sink, WL_LEVEL_LIST, "remarks", 0);
    for (size_t i = 0; i < remark_count(page, launch); i++) {
        const struct wl_metric_value *remark = wl_metric_get(set, page->section->remarks[i]);
        if (!remark->is_present || !remark->text)
            continue;
        wl_text_addf(&all, "%s%s", all.length ? "; " : "", remark->text);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        wl_put(sink, &name, wl_cell_text(remark->name));
        wl_put(sink, &text, wl_cell_text(remark->text));
        wl_put(sink, &mark, wl_cell_metric(remark));
        wl_end(sink);
        if (!is_failed)
            add_launch(remark_of(page, remark), launch);
    }
    wl_end(sink);
    wl_put(sink, &last_columns[STATUS], wl_cell_word(is_failed ? "failed" : "done"));
    wl_put(sink, &last_columns[REMARKS], wl_cell_text(all.data));
    wl_text_free(&all);
}

static void put_launches(struct page *page, struct wl_page_sink *sink)
{
    struct wl_view_context *context = page->context;
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL,
                 page->is_by_kind ? WL_LEVEL_RECORD : WL_LEVEL_RECORD | WL_LEVEL_ROW);
        put_identity(page, sink, launch);
        put_metrics(page, sink, set);
        put_remarks(page, sink, launch, set);
        wl_end(sink);
        wl_metric_set_free(set);
    }
    wl_end(sink);
}

/* ---- remarks alone, where text has no rows of launches ---- */

/* Remarks of a class of launches. */
struct remarked {
    struct remark **items;
    size_t count;
    bool is_known;
};

/* Whether they are true of all launches of its class: no formula has asked for the time. */
static bool find_remarks(struct page *page, const struct wl_report_launch *launch,
                         struct remarked *found)
{
    struct wl_metric_set *set = wl_metric_set_create(page->context->catalog, launch);
    found->items = wl_alloc_zero(page->section->remark_count + 1, sizeof(struct remark *));
    for (size_t i = 0; i < remark_count(page, launch); i++) {
        const struct wl_metric_value *value = wl_metric_get(set, page->section->remarks[i]);
        if (value->is_present && value->text)
            found->items[found->count++] = remark_of(page, value);
    }
    bool is_of_all = !wl_metric_was_requested(set, "gpu__time_duration.sum");
    wl_metric_set_free(set);
    return is_of_all;
}

static void gather_remarks(struct page *page)
{
    const struct wl_view_context *context = page->context;
    struct wl_launch_classes classes = {0};
    struct remarked *of_class = wl_alloc_zero(context->launch_count + 1, sizeof *of_class);
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        if (launch->record.status == WL_LAUNCH_FAILED) {
            add_failure(page, launch);
            continue;
        }
        struct remarked *found = &of_class[wl_launch_class(&classes, launch)];
        if (!found->is_known) {
            free(found->items);
            *found = (struct remarked){0};
            found->is_known = find_remarks(page, launch, found);
        }
        for (size_t j = 0; j < found->count; j++)
            add_launch(found->items[j], launch);
    }
    for (size_t i = 0; i < context->launch_count; i++)
        free(of_class[i].items);
    free(of_class);
    wl_launch_classes_free(&classes);
}

/* ---- kinds: in text alone ---- */

enum {
    KIND_NAME,
    KIND_GRID,
    KIND_BLOCK,
    KIND_LAUNCHES,
    KIND_TOTAL,
    KIND_SHARE,
    KIND_MEAN,
    KIND_SPREAD,
    KIND_COUNT
};

static const struct wl_column kind_columns[KIND_COUNT] = {
    {.text = "Kernel", .flags = WL_COLUMN_LEFT},
    {.text = "Grid", .flags = WL_COLUMN_LEAVES_SECOND},
    {.text = "Block", .flags = WL_COLUMN_LEAVES_FIRST},
    {.text = "Launches", .form = WL_FORM_PLAIN},
    {.text = "Total"},
    {.text = "Share"},
    {.text = "Mean"},
    {.text = "Least to most"},
};

/* "12.3 us" */
static struct wl_cell time_cell(double ns, struct wl_text *text)
{
    struct wl_metric_value time = {.is_present = true, .unit = "ns", .number = ns};
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(&time, WL_UNITS_AUTO, &number, &unit);
    wl_text_addf(text, "%s %s", number.data, unit.data);
    wl_text_free(&number);
    wl_text_free(&unit);
    return wl_cell_text(text->data);
}

static void put_kind(const struct page *page, struct wl_page_sink *sink, const struct wl_kind *kind)
{
    struct wl_text name = {0}, total = {0}, mean = {0}, range = {0};
    char *share = wl_string_format(
        "%.1f%%", page->kinds.total_ns > 0 ? 100 * kind->total_ns / page->kinds.total_ns : 0);
    add_short_name(kind->launch, &name);
    wl_begin(sink, WL_LEVEL_NONE, NULL, WL_LEVEL_ROW);
    wl_put(sink, &kind_columns[KIND_NAME], wl_cell_text(name.data));
    wl_put(sink, &kind_columns[KIND_GRID], wl_cell_triple(kind->launch->record.grid));
    wl_put(sink, &kind_columns[KIND_BLOCK], wl_cell_triple(kind->launch->record.block));
    wl_put(sink, &kind_columns[KIND_LAUNCHES], wl_cell_number((double)kind->launches));
    if (kind->timed) {
        wl_put(sink, &kind_columns[KIND_TOTAL], time_cell(kind->total_ns, &total));
        wl_put(sink, &kind_columns[KIND_SHARE], wl_cell_text(share));
        wl_put(sink, &kind_columns[KIND_MEAN], time_cell(kind->mean_ns, &mean));
        time_cell(kind->least_ns, &range);
        wl_text_add(&range, " to ");
        wl_put(sink, &kind_columns[KIND_SPREAD], time_cell(kind->most_ns, &range));
    } else {
        for (int column = KIND_TOTAL; column < KIND_COUNT; column++)
            wl_put(sink, &kind_columns[column], wl_cell_text("n/a"));
    }
    wl_end(sink);
    wl_text_free(&name);
    wl_text_free(&total);
    wl_text_free(&mean);
    wl_text_free(&range);
    free(share);
}

static void put_kinds(const struct page *page, struct wl_page_sink *sink)
{
    wl_table_begin(sink, indent);
    wl_table_columns(sink, kind_columns, KIND_COUNT);
    for (size_t i = 0; i < page->kinds.count; i++)
        put_kind(page, sink, &page->kinds.items[i]);
    wl_table_end(sink);
    struct wl_text line = {0};
    if (wl_kinds_add_families(&page->kinds, &line))
        wl_say(sink, "\n  Time by family: ", line.data);
    wl_text_free(&line);
    if (!page->kinds.untimed)
        return;
    wl_text_addf(&line, "%zu of %zu launches", page->kinds.untimed, page->kinds.launches);
    wl_say(sink, "\n  Not timed, and taken to be as long as the others of their kind: ", line.data);
    wl_text_free(&line);
}

/* Whose times those of kernels are that a library's would have. */
static void say_stand_ins(const struct wl_view_context *context, struct wl_page_sink *sink)
{
    size_t count = 0, timed = 0;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        count += launch->kernel && launch->kernel->module.is_stand_in;
        timed += wl_fields_has_library_time(launch);
    }
    if (!count)
        return;
    char *line = wl_string_format(
        "the times of %zu of %zu launches are what the library's own kernels take", timed, count);
    wl_say(sink, "\n  Stand-ins for libraries (warplens_...): ", line);
    free(line);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    static const struct wl_column text_columns[TEXT_COUNT] = {
        {.text = "ID"},
        {.text = "Kernel", .flags = WL_COLUMN_LEFT},
        {.text = "Grid", .flags = WL_COLUMN_LEAVES_SECOND},
        {.text = "Block", .flags = WL_COLUMN_LEAVES_FIRST},
    };
    struct page page = {.context = context, .section = summary_section(context)};
    size_t metric_count = page.section->metric_count, count = TEXT_COUNT + metric_count;
    (void)error;
    wl_kinds_make(context, "gpu__time_duration.sum", &page.kinds);
    page.is_by_kind = wl_kinds_are_better(context, &page.kinds);
    page.columns = wl_alloc_zero(count, sizeof *page.columns);
    memcpy(page.columns, text_columns, sizeof text_columns);
    for (size_t i = 0; i < metric_count; i++) {
        const struct wl_section_metric *metric = &page.section->metrics[i];
        page.columns[TEXT_COUNT + i] =
            (struct wl_column){wl_string_format("%s  ", metric->label), metric->metric,
                               metric->metric, WL_FORM_SHORT, 0};
    }
    wl_heading(sink, wl_launch_columns, WL_LAUNCH_COLUMNS);
    wl_heading(sink, page.columns, count);
    wl_heading(sink, last_columns, LAST_COUNT);
    if (page.is_by_kind)
        put_kinds(&page, sink);
    else {
        wl_table_begin(sink, indent);
        wl_table_columns(sink, page.columns, count);
    }
    if (page.is_by_kind && sink->is_for_people)
        gather_remarks(&page);
    else
        put_launches(&page, sink);
    if (!page.is_by_kind)
        wl_table_end(sink);
    wl_kinds_free(&page.kinds);
    say_stand_ins(context, sink);
    say_remarks(sink, &page.remarks, page.is_by_kind);
    wl_print(sink, "\n");
    wl_mark_legend(sink);
    for (size_t i = TEXT_COUNT; i < count; i++)
        free((char *)(uintptr_t)page.columns[i].text);
    free(page.columns);
    return WL_OK;
}

const struct wl_page wl_page_summary = {.name = "summary", .walk = walk};
