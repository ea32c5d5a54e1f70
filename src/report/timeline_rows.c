#include "report/timeline_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

static bool is_name(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, "_name") == 0;
}

/* Bits of the words of a category that are names. */
static unsigned words_that_are_names(const struct wl_timeline_category_info *info)
{
    unsigned words = 0;
    for (int word = 0; word < WL_TIMELINE_WORDS; word++)
        words |= (unsigned)is_name(info->words[word]) << word;
    return words;
}

static void put_categories(struct wl_timeline_rows *rows)
{
    static const char *const sides[] = {"none", "host", "device"};
    if (rows->has_categories)
        return;
    rows->has_categories = true;
    for (int i = 1; i < WL_TIMELINE_CATEGORY_COUNT; i++) {
        const struct wl_timeline_category_info *info = &wl_timeline_categories[i];
        rows->name_words[i] = words_that_are_names(info);
        WL_INSERT(rows->inserter, WL_TABLE_TRACE_CATEGORIES, WL_INTEGER(i), WL_TEXT(info->name),
                  WL_TEXT(sides[info->side]), WL_TEXT(info->words[0]), WL_TEXT(info->words[1]),
                  WL_TEXT(info->words[2]), WL_TEXT(info->words[3]), WL_TEXT(info->words[4]),
                  WL_TEXT(info->words[5]));
    }
}

/* Names come in order; one that a damaged stream lacks is empty. */
void wl_timeline_rows_put_names(struct wl_timeline_rows *rows,
                                const struct wl_record_trace_names *record)
{
    if (record->first_id != rows->names.count + 1)
        return;
    for (size_t i = 0; i < record->count; i++)
        WL_PUSH(&rows->names, rows->name_id(rows->self, record->names[i]));
}

static int64_t name_row(const struct wl_timeline_rows *rows, uint64_t id)
{
    return id > 0 && id <= rows->names.count ? rows->names.items[id - 1] : 0;
}

struct events {
    const struct wl_timeline_rows *rows;
    int64_t process_id;
    const struct wl_timeline_record *records;
};

static void fill_event(void *self, size_t row, struct wl_cell cells[WL_BULK_COLUMNS])
{
    const struct events *events = self;
    const struct wl_timeline_rows *rows = events->rows;
    const struct wl_timeline_record *event = &events->records[row];
    unsigned names = rows->name_words[event->category];
    cells[0] = WL_INTEGER(events->process_id);
    cells[1] = WL_INTEGER(event->category);
    cells[2] = WL_ID_OR_NULL(name_row(rows, event->name));
    cells[3] = WL_INTEGER(event->start);
    cells[4] = WL_INTEGER(event->end);
    cells[5] = WL_INTEGER(event->thread);
    cells[6] = WL_INTEGER(event->correlation);
    cells[7] = WL_INTEGER(event->flags);
    for (int word = 0; word < WL_TIMELINE_WORDS; word++)
        cells[8 + word] = names >> word & 1 ? WL_ID_OR_NULL(name_row(rows, event->words[word]))
                                            : WL_INTEGER(event->words[word]);
}
_Static_assert(8 + WL_TIMELINE_WORDS == WL_BULK_COLUMNS, "an event is a row");

void wl_timeline_rows_put_events(struct wl_timeline_rows *rows, int64_t process_id,
                                 const struct wl_record_trace *record)
{
    struct events events = {rows, process_id, record->records};
    put_categories(rows);
    rows->has_events = true;
    wl_inserter_add_events(rows->inserter, record->count, fill_event, &events);
}

void wl_timeline_rows_put_end(struct wl_timeline_rows *rows,
                              const struct wl_record_trace_end *record)
{
    rows->has_end = true;
    rows->end = *record;
}

void wl_timeline_rows_end_stream(struct wl_timeline_rows *rows, int64_t process_id)
{
    const struct wl_record_trace_end *end = &rows->end;
    if (rows->has_end)
        WL_INSERT(rows->inserter, WL_TABLE_TRACE_RECORDINGS, WL_INTEGER(process_id),
                  WL_INTEGER(end->records), WL_INTEGER(end->dropped), WL_INTEGER(end->waited_ns),
                  WL_INTEGER(end->ring_bytes), WL_REAL(end->record_ns),
                  WL_INTEGER(end->clock_jump_ns), WL_INTEGER(end->is_simulated));
    rows->names.count = 0;
    rows->has_events = rows->has_end = false;
}

void wl_timeline_rows_free(struct wl_timeline_rows *rows)
{
    free(rows->names.items);
}
