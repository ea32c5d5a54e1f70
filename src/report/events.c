#include "report/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/failure.h"
#include "report/reader.h"

enum { ID, CATEGORY, NAME, START, END, PROCESS, THREAD, CORRELATION, FLAGS, WORDS };

/* Sums have no place among events in order of time: wl_timeline_is_sum. */
#define SUMS "17, 18"
_Static_assert(WL_TIMELINE_CPU_SAMPLE == 17 && WL_TIMELINE_CPU_SWITCH == 18, "the numbers of sums");

static const char select_sql[] =
    "SELECT id, category, name_id, start_ns, end_ns, process_id, thread, correlation, flags, "
    "word_0, word_1, word_2, word_3, word_4, word_5 FROM trace_events WHERE (?1 = 0 AND category "
    "NOT IN (" SUMS ")) OR ?1 >> category & 1 ORDER BY start_ns, end_ns DESC, id";

static const char *name_of(const struct wl_report *report, sqlite3_stmt *statement, int column)
{
    int64_t id = sqlite3_column_int64(statement, column);
    return id >= 1 && id <= (int64_t)report->names.count ? report->names.items[id - 1] : NULL;
}

static bool is_name(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, "_name") == 0;
}

/* False: a number is none that can be. */
static bool read_event(const struct wl_report *report, sqlite3_stmt *row,
                       struct wl_report_event *event)
{
    int64_t category = sqlite3_column_int64(row, CATEGORY);
    int64_t process = sqlite3_column_int64(row, PROCESS);
    int64_t start = sqlite3_column_int64(row, START), end = sqlite3_column_int64(row, END);
    if (category < 1 || category >= WL_TIMELINE_CATEGORY_COUNT || process < 1 ||
        process > (int64_t)report->processes.count || start < 0 || end < start)
        return false;
    const char *name = name_of(report, row, NAME);
    *event = (struct wl_report_event){
        .id = sqlite3_column_int64(row, ID),
        .category = (enum wl_timeline_category)category,
        .name = name ? name : "",
        .start_ns = (uint64_t)start,
        .end_ns = (uint64_t)end,
        .process = (size_t)process - 1,
        .thread = (uint32_t)sqlite3_column_int64(row, THREAD),
        .correlation = (uint32_t)sqlite3_column_int64(row, CORRELATION),
        .flags = (uint32_t)sqlite3_column_int64(row, FLAGS),
    };
    for (int word = 0; word < WL_TIMELINE_WORDS; word++) {
        if (is_name(wl_timeline_categories[category].words[word]))
            event->texts[word] = name_of(report, row, WORDS + word);
        else
            event->words[word] = (uint64_t)sqlite3_column_int64(row, WORDS + word);
    }
    return true;
}

enum wl_code wl_report_events(struct wl_report *report, uint64_t categories,
                              void (*take)(void *self, const struct wl_report_event *event),
                              void *self, struct wl_error *error)
{
    sqlite3_stmt *statement = NULL;
    struct wl_report_event event;
    int status = sqlite3_prepare_v2(report->file.database, select_sql, -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_bind_int64(statement, 1, (int64_t)categories);
    bool is_good = status == SQLITE_OK;
    while (is_good && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        is_good = read_event(report, statement, &event);
        if (is_good)
            take(self, &event);
    }
    enum wl_code code = WL_OK;
    if (status != SQLITE_DONE)
        code = wl_report_fail(error, WL_ERR_CORRUPT, report->path, "the report is damaged: %s",
                              is_good ? sqlite3_errmsg(report->file.database)
                                      : "an event of the trace is not one");
    sqlite3_finalize(statement);
    return code;
}

/* ---- all at once ---- */

enum {
    SPAN_CATEGORY,
    SPAN_NAME,
    SPAN_START,
    SPAN_END,
    SPAN_PROCESS,
    SPAN_THREAD,
    SPAN_CORRELATION,
    SPAN_WHERE,
    SPAN_FLAGS,
    SPAN_WORD_1,
    SPAN_WORD_2,
    SPAN_WORD_3,
    SPAN_WORD_4,
    SPAN_WORD_5,
};

static const char spans_sql[] =
    "SELECT category, name_id, start_ns, end_ns, process_id, thread, correlation, word_0, flags, "
    "word_1, word_2, word_3, word_4, word_5 FROM trace_events WHERE category NOT IN (" SUMS
    ") ORDER BY id";

uint32_t wl_report_event_names(const struct wl_report *report)
{
    return (uint32_t)report->names.count;
}

const char *wl_report_event_name(const struct wl_report *report, uint32_t name)
{
    return name >= 1 && name <= report->names.count && report->names.items[name - 1]
               ? report->names.items[name - 1]
               : "";
}

static uint64_t read_amount(sqlite3_stmt *row, int64_t category)
{
    switch (category) {
    case WL_TIMELINE_MEMCPY:
    case WL_TIMELINE_MEMSET:
    case WL_TIMELINE_UNIFIED_MEMORY:
        return (uint64_t)sqlite3_column_int64(row, SPAN_WORD_1);
    case WL_TIMELINE_MEMORY:
        return sqlite3_column_int64(row, SPAN_WORD_3) == WL_TIMELINE_MEMORY_DEVICE
                   ? (uint64_t)sqlite3_column_int64(row, SPAN_WORD_5) + 1
                   : 0;
    default:
        return 0;
    }
}

static uint8_t read_kind(sqlite3_stmt *row, int column)
{
    int64_t kind = sqlite3_column_int64(row, column);
    return kind >= 0 && kind < UINT8_MAX ? (uint8_t)kind : UINT8_MAX;
}

static void read_details(sqlite3_stmt *row, struct wl_report_span *span)
{
    span->is_of_graph =
        span->category == WL_TIMELINE_KERNEL && sqlite3_column_int64(row, SPAN_WORD_4) != 0;
    if (span->category != WL_TIMELINE_MEMCPY)
        return;
    span->copy_kind = read_kind(row, SPAN_WORD_2);
    span->source = read_kind(row, SPAN_WORD_3);
    span->destination = read_kind(row, SPAN_WORD_4);
}

static bool read_span(const struct wl_report *report, sqlite3_stmt *row,
                      struct wl_report_span *span)
{
    int64_t category = sqlite3_column_int64(row, SPAN_CATEGORY);
    int64_t process = sqlite3_column_int64(row, SPAN_PROCESS);
    int64_t start = sqlite3_column_int64(row, SPAN_START);
    int64_t end = sqlite3_column_int64(row, SPAN_END);
    if (category < 1 || category >= WL_TIMELINE_CATEGORY_COUNT || process < 1 ||
        process > (int64_t)report->processes.count || start < 0 || end < start)
        return false;
    int64_t name = sqlite3_column_int64(row, SPAN_NAME);
    *span = (struct wl_report_span){
        .start_ns = (uint64_t)start,
        .end_ns = (uint64_t)end,
        .where = (uint64_t)sqlite3_column_int64(row, SPAN_WHERE),
        .amount = read_amount(row, category),
        .name = name >= 1 && name <= (int64_t)report->names.count ? (uint32_t)name : 0,
        .process = (uint32_t)process - 1,
        .thread = (uint32_t)sqlite3_column_int64(row, SPAN_THREAD),
        .correlation = (uint32_t)sqlite3_column_int64(row, SPAN_CORRELATION),
        .category = (uint16_t)category,
        .flags = (uint16_t)sqlite3_column_int64(row, SPAN_FLAGS),
    };
    read_details(row, span);
    return true;
}

/* A span's start after the first of all, and where the span is. */
struct place {
    uint64_t since_ns, index;
};

/* Of spans that start together: the longer first, then as they were recorded. */
static int by_end(const void *left, const void *right, void *items)
{
    const struct place *a = left, *b = right;
    const struct wl_report_span *spans = items;
    uint64_t a_end = spans[a->index].end_ns, b_end = spans[b->index].end_ns;
    if (a_end != b_end)
        return a_end > b_end ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

/* Puts the places in order of their starts, digit by digit from the last; room is as large. Returns
 * whichever of the two they are in by then. */
static struct place *sort_places(struct place *places, struct place *room, size_t count,
                                 uint64_t longest_ns)
{
    enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };
    for (unsigned shift = 0; shift < 64 && longest_ns >> shift; shift += DIGIT_BITS) {
        size_t begins[DIGITS + 1] = {0};
        for (size_t i = 0; i < count; i++)
            begins[(places[i].since_ns >> shift) % DIGITS + 1]++;
        for (size_t digit = 0; digit < DIGITS; digit++)
            begins[digit + 1] += begins[digit];
        for (size_t i = 0; i < count; i++)
            room[begins[(places[i].since_ns >> shift) % DIGITS]++] = places[i];
        struct place *sorted = room;
        room = places;
        places = sorted;
    }
    return places;
}

/* Frees items. */
static struct wl_report_span *sort_spans(struct wl_report_span *items, size_t count)
{
    struct place *places = wl_alloc(count * sizeof *places), *room = wl_alloc(count * sizeof *room);
    struct wl_report_span *sorted = wl_alloc(count * sizeof *sorted);
    uint64_t first_ns = UINT64_MAX, last_ns = 0;
    for (size_t i = 0; i < count; i++) {
        first_ns = items[i].start_ns < first_ns ? items[i].start_ns : first_ns;
        last_ns = items[i].start_ns > last_ns ? items[i].start_ns : last_ns;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){items[i].start_ns - first_ns, i};
    struct place *in_order = sort_places(places, room, count, last_ns - first_ns);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && in_order[end].since_ns == in_order[from].since_ns;)
            end++;
        if (end - from > 1)
            qsort_r(in_order + from, end - from, sizeof *in_order, by_end, items);
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = items[in_order[i].index];
    free(places);
    free(room);
    free(items);
    return sorted;
}

enum wl_code wl_report_spans(struct wl_report *report, struct wl_report_span **spans, size_t *count,
                             struct wl_error *error)
{
    WL_VECTOR(struct wl_report_span) all = {0};
    struct wl_report_span span;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(report->file.database, spans_sql, -1, &statement, NULL);
    bool is_good = status == SQLITE_OK;
    while (is_good && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        is_good = read_span(report, statement, &span);
        if (is_good)
            WL_PUSH(&all, span);
    }
    enum wl_code code = WL_OK;
    if (status != SQLITE_DONE)
        code = wl_report_fail(error, WL_ERR_CORRUPT, report->path, "the report is damaged: %s",
                              is_good ? sqlite3_errmsg(report->file.database)
                                      : "an event of the trace is not one");
    sqlite3_finalize(statement);
    *spans = all.count ? sort_spans(all.items, all.count) : NULL;
    *count = all.count;
    return code;
}
