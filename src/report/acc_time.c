#include "report/acc_time.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/rank.h"
#include "report/reader.h"
#include "timeline/record.h"

enum { DEPTH_MAX = 64, DEVICE_TYPE_HOST = 2 };

/* Numbers of OpenACC events that begin regions, and what they are parts of. */
static const struct kind {
    uint8_t event;
    enum wl_acc_region region;
    bool is_reached; /* not only a part of another region */
} kinds[] = {
    {1, WL_ACC_INIT, true},      {10, WL_ACC_DATA, true},     {12, WL_ACC_DATA, false},
    {14, WL_ACC_UPDATE, true},   {16, WL_ACC_COMPUTE, true},  {18, WL_ACC_COMPUTE, false},
    {20, WL_ACC_COMPUTE, false}, {22, WL_ACC_COMPUTE, false}, {24, WL_ACC_WAIT, true},
};

/* A region that is open at some time of a thread. */
struct open_region {
    uint64_t end_ns;
    struct wl_acc_row place; /* what is the same for all rows of it */
};

/* A call within a region, by process and correlation. */
struct cause {
    struct {
        int64_t process, correlation;
    } key;
    uint64_t start_ns;
    struct wl_acc_row place;
    UT_hash_handle hh;
};

struct summing {
    struct wl_report *report;
    const char *ranks;
    struct wl_acc_time *time;
    struct cause *causes;
    struct open_region open[DEPTH_MAX];
    size_t depth;
    int64_t process, thread; /* whose regions are open */
    struct wl_error *error;
};

static const struct kind *find_kind(uint64_t event)
{
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if (kinds[i].event == event)
            return &kinds[i];
    return NULL;
}

/* ---- rows ---- */

static int compare_places(const struct wl_acc_row *a, const struct wl_acc_row *b)
{
    int order = strcmp(a->file, b->file);
    if (!order)
        order = strcmp(a->function, b->function);
    if (!order)
        order = (a->device_number > b->device_number) - (a->device_number < b->device_number);
    if (!order)
        order = (a->line > b->line) - (a->line < b->line);
    if (!order)
        order = (int)a->region - (int)b->region;
    if (!order)
        order = (int)a->is_host - (int)b->is_host;
    return order;
}

static int compare_rows(const void *left, const void *right)
{
    const struct wl_acc_row *a = left, *b = right;
    int order = compare_places(a, b);
    if (!order)
        order = (int)a->what - (int)b->what;
    return order ? order : strcmp(a->kernel, b->kernel);
}

static struct wl_acc_row *find_row(struct wl_acc_time *time, const struct wl_acc_row *place,
                                   enum wl_acc_what what, const char *kernel)
{
    struct wl_acc_row wanted = *place;
    wanted.what = what;
    wanted.kernel = kernel;
    for (size_t i = 0; i < time->count; i++)
        if (compare_rows(&time->items[i], &wanted) == 0)
            return &time->items[i];
    WL_PUSH(time, wanted);
    return &time->items[time->count - 1];
}

static void widen(struct wl_acc_spread *spread, uint64_t length_ns, bool is_first)
{
    spread->total_ns += length_ns;
    if (is_first || length_ns > spread->max_ns)
        spread->max_ns = length_ns;
    if (is_first || length_ns < spread->min_ns)
        spread->min_ns = length_ns;
}

/* ---- regions and calls, in order of time within each thread ---- */

static const char *name_at(struct wl_report *report, int64_t id)
{
    bool is_known = id > 0 && (uint64_t)id <= report->names.count;
    return is_known ? report->names.items[id - 1] : "";
}

static void close_regions(struct summing *summing, uint64_t now_ns)
{
    while (summing->depth && summing->open[summing->depth - 1].end_ns <= now_ns)
        summing->depth--;
}

/* What a part of another region is is a matter of that: a copy for a kernel is the kernel's. */
static struct wl_acc_row place_of(const struct summing *summing, const struct wl_acc_row *own,
                                  bool is_implicit)
{
    return is_implicit && summing->depth ? summing->open[summing->depth - 1].place : *own;
}

struct event {
    int64_t process, thread, category, correlation;
    uint64_t start_ns, end_ns, words[4]; /* the first words */
};

static void add_region(struct summing *summing, const struct event *event)
{
    const struct kind *kind = find_kind(event->words[0] & 0xff);
    if (!kind || summing->depth == DEPTH_MAX)
        return;
    bool is_implicit = event->words[0] >> 16 & 1;
    struct wl_acc_row own = {
        .file = name_at(summing->report, (int64_t)event->words[1]),
        .function = name_at(summing->report, (int64_t)event->words[3]),
        .line = (uint32_t)event->words[2],
        .region = kind->region,
        .is_host = (event->words[0] >> 24 & 0xff) == DEVICE_TYPE_HOST,
        .device_number = event->words[0] >> 32 & 0xffff,
        .kernel = "",
    };
    struct wl_acc_row place = place_of(summing, &own, is_implicit);
    bool is_reached = kind->is_reached && (!is_implicit || !summing->depth);
    struct open_region region = {event->end_ns, place};
    if (is_reached) {
        struct wl_acc_row *row = find_row(summing->time, &place, WL_ACC_REACHED, "");
        widen(&row->elapsed, event->end_ns - event->start_ns, row->count == 0);
        row->count++;
    }
    summing->open[summing->depth++] = region;
}

static void add_call(struct summing *summing, const struct event *event)
{
    if (!event->correlation || !summing->depth)
        return;
    struct cause *cause = wl_alloc_zero(1, sizeof *cause);
    cause->key.process = event->process;
    cause->key.correlation = event->correlation;
    cause->start_ns = event->start_ns;
    cause->place = summing->open[summing->depth - 1].place;
    struct cause *twin;
    HASH_FIND(hh, summing->causes, &cause->key, sizeof cause->key, twin);
    if (twin)
        free(cause);
    else
        HASH_ADD(hh, summing->causes, key, sizeof cause->key, cause);
}

static bool is_chosen(const struct summing *summing, int64_t process)
{
    size_t count;
    const struct wl_report_process *processes = wl_report_processes(summing->report, &count);
    return process >= 1 && (size_t)process <= count &&
           wl_rank_list_has(summing->ranks, processes[process - 1].record.rank);
}

static void read_event(struct wl_rows *rows, struct event *event)
{
    *event = (struct event){
        .process = wl_rows_integer(rows, 0, 0, INT64_MAX),
        .thread = wl_rows_integer(rows, 1, 0, INT64_MAX),
        .category = wl_rows_integer(rows, 2, 0, INT64_MAX),
        .correlation = wl_rows_integer(rows, 3, 0, INT64_MAX),
        .start_ns = wl_rows_u64(rows, 4),
        .end_ns = wl_rows_u64(rows, 5),
    };
    for (int word = 0; word < 4; word++)
        event->words[word] = wl_rows_is_null(rows, 6 + word) ? 0 : wl_rows_u64(rows, 6 + word);
    if (event->end_ns < event->start_ns)
        event->end_ns = event->start_ns;
}

#define EVENT_COLUMNS                                                                       \
    "process_id, thread, category, correlation, start_ns, end_ns, word_0, word_1, word_2, " \
    "word_3"

static enum wl_code read_host(struct summing *summing)
{
    struct wl_rows rows;
    struct event event;
    wl_rows_begin(&rows, &summing->report->file,
                  "SELECT " EVENT_COLUMNS " FROM trace_events WHERE category IN (1, 2, 13) "
                  "ORDER BY process_id, thread, start_ns, end_ns DESC, category DESC",
                  0, summing->error);
    while (wl_rows_next(&rows)) {
        read_event(&rows, &event);
        if (!is_chosen(summing, event.process))
            continue;
        if (event.process != summing->process || event.thread != summing->thread)
            summing->depth = 0;
        summing->process = event.process;
        summing->thread = event.thread;
        close_regions(summing, event.start_ns);
        if (event.category == WL_TIMELINE_OPENACC)
            add_region(summing, &event);
        else
            add_call(summing, &event);
    }
    return wl_rows_end(&rows);
}

/* ---- what the device did ---- */

static void set_sizes(struct wl_acc_row *row, const struct event *event)
{
    uint64_t grid = event->words[1], block = event->words[2];
    uint32_t sizes[6] = {(uint32_t)(grid >> 32),  grid >> 16 & 0xffff,  grid & 0xffff,
                         (uint32_t)(block >> 48), block >> 32 & 0xffff, block >> 16 & 0xffff};
    if (row->count == 0) {
        memcpy(row->grid, sizes, sizeof row->grid);
        memcpy(row->block, sizes + 3, sizeof row->block);
    } else if (memcmp(row->grid, sizes, sizeof row->grid) != 0 ||
               memcmp(row->block, sizes + 3, sizeof row->block) != 0) {
        row->has_other_sizes = true;
    }
}

static void add_work(struct summing *summing, const struct event *event, const char *name)
{
    struct {
        int64_t process, correlation;
    } key = {event->process, event->correlation};
    struct cause *cause;
    HASH_FIND(hh, summing->causes, &key, sizeof key, cause);
    bool is_kernel = event->category == WL_TIMELINE_KERNEL;
    bool is_in = event->words[2] == WL_TIMELINE_COPY_TO_DEVICE;
    if (!cause || (!is_kernel && !is_in && event->words[2] != WL_TIMELINE_COPY_TO_HOST))
        return;
    enum wl_acc_what what = is_kernel ? WL_ACC_KERNEL : is_in ? WL_ACC_COPY_IN : WL_ACC_COPY_OUT;
    struct wl_acc_row *row = find_row(summing->time, &cause->place, what, is_kernel ? name : "");
    widen(&row->device, event->end_ns - event->start_ns, row->count == 0);
    if (is_kernel) {
        widen(&row->elapsed, event->end_ns - cause->start_ns, row->count == 0);
        set_sizes(row, event);
    } else {
        row->bytes += event->words[1];
    }
    row->count++;
}

static enum wl_code read_device(struct summing *summing)
{
    struct wl_rows rows;
    struct event event;
    wl_rows_begin(&rows, &summing->report->file,
                  "SELECT " EVENT_COLUMNS ", coalesce(name_id, 0), flags FROM trace_events "
                  "WHERE category IN (4, 5) AND correlation ORDER BY id",
                  0, summing->error);
    while (wl_rows_next(&rows)) {
        read_event(&rows, &event);
        int64_t name = wl_rows_integer(&rows, 10, 0, INT64_MAX);
        summing->time->is_predicted |=
            wl_rows_integer(&rows, 11, 0, INT64_MAX) & WL_TIMELINE_PREDICTED;
        add_work(summing, &event, name_at(summing->report, name));
    }
    return wl_rows_end(&rows);
}

enum wl_code wl_report_acc_time(struct wl_report *report, const char *ranks,
                                struct wl_acc_time *time, struct wl_error *error)
{
    struct summing summing = {.report = report, .ranks = ranks, .time = time, .error = error};
    *time = (struct wl_acc_time){0};
    enum wl_code code = read_host(&summing);
    if (!code)
        code = read_device(&summing);
    struct cause *cause, *next;
    HASH_ITER(hh, summing.causes, cause, next)
    {
        HASH_DEL(summing.causes, cause);
        free(cause);
    }
    if (!code && !time->count) {
        wl_error_set(error, WL_ERR_NOTHING, "the report holds no OpenACC");
        code =
            wl_error_set_hint(error, "`warplens acc-time PROGRAM` runs a program and records it");
    }
    if (code)
        wl_report_acc_time_free(time);
    else
        qsort(time->items, time->count, sizeof *time->items, compare_rows);
    return code;
}

void wl_report_acc_time_free(struct wl_acc_time *time)
{
    free(time->items);
    *time = (struct wl_acc_time){0};
}
