#include "show/serve/book.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/report.h"
#include "show/export/export.h"
#include "show/format/json.h"

struct run {
    char *path, *name, *note;
    struct wl_report *report;
    double time_ns; /* of all launches whose time is known; 0: of none */
    enum wl_mark mark;
};

struct wish {
    enum wl_book_wish kind;
    char *text;
    size_t number;
};

struct wl_book {
    const struct wl_view_options *view;
    pthread_mutex_t lock;    /* on all but pages */
    pthread_mutex_t reading; /* on page and on what is in reports; taken before lock, never after */
    pthread_cond_t changed;
    WL_VECTOR(struct run) runs;
    WL_VECTOR(struct wish) wishes;
    json_t *state;
    uint64_t version;
    bool is_closed;
    int descriptor;
    struct wl_export_page *page; /* opened last: of page_run with page_base */
    struct wl_export_report reports[2];
    size_t page_run, page_base;
};

struct wl_book *wl_book_create(const struct wl_view_options *view)
{
    struct wl_book *book = wl_alloc_zero(1, sizeof *book);
    pthread_condattr_t attributes;
    book->view = view;
    book->version = 1;
    book->state = json_object();
    book->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&book->lock, NULL);
    pthread_mutex_init(&book->reading, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&book->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return book;
}

void wl_book_free(struct wl_book *book)
{
    wl_export_page_close(book->page);
    for (size_t i = 0; i < book->runs.count; i++) {
        struct run *run = &book->runs.items[i];
        wl_report_close(run->report);
        free(run->path);
        free(run->name);
        free(run->note);
    }
    for (size_t i = 0; i < book->wishes.count; i++)
        free(book->wishes.items[i].text);
    free(book->wishes.items);
    free(book->runs.items);
    json_decref(book->state);
    pthread_cond_destroy(&book->changed);
    pthread_mutex_destroy(&book->lock);
    pthread_mutex_destroy(&book->reading);
    if (book->descriptor >= 0)
        close(book->descriptor);
    free(book);
}

/* ---- runs ---- */

static double sum_times(struct wl_report *report, enum wl_mark *mark)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    double sum_ns = 0, own_ns;
    enum wl_mark own;
    *mark = WL_MARK_EXACT;
    for (size_t i = 0; i < count; i++) {
        if (!wl_report_value(&launches[i], "gpu__time_duration.sum", &own_ns, &own))
            continue;
        sum_ns += own_ns;
        *mark = own > *mark ? own : *mark;
    }
    return sum_ns;
}

enum wl_code wl_book_add(struct wl_book *book, const char *path, const char *note,
                         struct wl_error *error)
{
    const char *slash = strrchr(path, '/');
    struct run run = {0};
    enum wl_code code = wl_report_open(path, &run.report, error);
    if (code)
        return code;
    run.time_ns = sum_times(run.report, &run.mark);
    run.path = wl_string_copy(path);
    run.name = wl_string_copy(slash ? slash + 1 : path);
    run.note = wl_string_copy(note);
    pthread_mutex_lock(&book->lock);
    WL_PUSH(&book->runs, run);
    pthread_mutex_unlock(&book->lock);
    return WL_OK;
}

size_t wl_book_count(struct wl_book *book)
{
    pthread_mutex_lock(&book->lock);
    size_t count = book->runs.count;
    pthread_mutex_unlock(&book->lock);
    return count;
}

/* ---- what is told ---- */

void wl_book_tell(struct wl_book *book, const json_t *state)
{
    json_t *copy = json_deep_copy(state), *runs = json_array();
    pthread_mutex_lock(&book->lock);
    for (size_t i = 0; i < book->runs.count; i++) {
        const struct run *run = &book->runs.items[i];
        json_array_append_new(runs, json_pack("{s:I, s:o, s:o, s:f, s:i}", "number",
                                              (json_int_t)i + 1, "name", wl_json_text(run->name),
                                              "note", wl_json_text(run->note), "time_ns",
                                              run->time_ns, "mark", (int)run->mark));
    }
    json_object_set_new(copy, "runs", runs);
    json_decref(book->state);
    book->state = copy;
    book->version++;
    pthread_cond_broadcast(&book->changed);
    pthread_mutex_unlock(&book->lock);
}

uint64_t wl_book_wait(struct wl_book *book, uint64_t version, uint32_t limit_ms,
                      struct wl_text *json)
{
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += limit_ms / 1000;
    limit.tv_nsec += (long)(limit_ms % 1000) * 1000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&book->lock);
    while (!book->is_closed && book->version == version &&
           pthread_cond_timedwait(&book->changed, &book->lock, &limit) != ETIMEDOUT)
        ;
    uint64_t reached = book->is_closed ? 0 : book->version;
    char *dump = json_dumps(book->state, JSON_COMPACT | JSON_ENSURE_ASCII);
    pthread_mutex_unlock(&book->lock);
    wl_text_add(json, dump ? dump : "{}");
    free(dump);
    return reached;
}

void wl_book_close(struct wl_book *book)
{
    pthread_mutex_lock(&book->lock);
    book->is_closed = true;
    pthread_cond_broadcast(&book->changed);
    pthread_mutex_unlock(&book->lock);
}

/* ---- pages ---- */

/* Whether there is such a run; *report is filled with it. */
static bool find_run(struct wl_book *book, size_t number, struct wl_export_report *report)
{
    pthread_mutex_lock(&book->lock);
    bool is_there = number >= 1 && number <= book->runs.count;
    if (is_there)
        *report = (struct wl_export_report){book->runs.items[number - 1].name,
                                            book->runs.items[number - 1].report};
    pthread_mutex_unlock(&book->lock);
    return is_there;
}

/* With book->reading held: the page of a run with its base, opened if it is another one than last
 * time. */
static enum wl_code open_page(struct wl_book *book, size_t run, size_t base, struct wl_error *error)
{
    struct wl_export_report reports[2];
    if (book->page && book->page_run == run && book->page_base == base)
        return WL_OK;
    if (!find_run(book, run, &reports[0]) || (base && !find_run(book, base, &reports[1])))
        return wl_error_set(error, WL_ERR_INPUT, "there is no such run");
    wl_export_page_close(book->page);
    book->page = NULL;
    memcpy(book->reports, reports, sizeof reports);
    book->page_run = run;
    book->page_base = base;
    return wl_export_page_open(book->reports, base && base != run ? 2 : 1, true, book->view,
                               &book->page, error);
}

enum wl_code wl_book_section(struct wl_book *book, const char *name, size_t run, size_t base,
                             struct wl_text *json, struct wl_error *error)
{
    pthread_mutex_lock(&book->reading);
    enum wl_code code = open_page(book, run, base, error);
    if (!code)
        code = wl_export_page_section(book->page, name, json, error);
    pthread_mutex_unlock(&book->reading);
    return code;
}

enum wl_code wl_book_page(struct wl_book *book, size_t run, size_t base, struct wl_text *html,
                          struct wl_error *error)
{
    pthread_mutex_lock(&book->reading);
    enum wl_code code = open_page(book, run, base, error);
    if (!code)
        code = wl_export_page_whole(book->page, html, error);
    pthread_mutex_unlock(&book->reading);
    return code;
}

/* ---- wishes ---- */

void wl_book_ask(struct wl_book *book, enum wl_book_wish kind, const char *text, size_t number)
{
    enum { most_wishes = 16 }; /* who asks faster than they are taken is not heard */
    const uint64_t one = 1;
    pthread_mutex_lock(&book->lock);
    if (book->wishes.count < most_wishes) {
        struct wish wish = {kind, text ? wl_string_copy(text) : NULL, number};
        WL_PUSH(&book->wishes, wish);
    }
    pthread_mutex_unlock(&book->lock);
    if (write(book->descriptor, &one, sizeof one) < 0)
        return; /* it can be read already */
}

enum wl_book_wish wl_book_take(struct wl_book *book, char **text, size_t *number)
{
    enum wl_book_wish kind = WL_WISH_NONE;
    uint64_t count;
    pthread_mutex_lock(&book->lock);
    if (book->wishes.count) {
        struct wish *first = &book->wishes.items[0];
        kind = first->kind;
        *text = first->text;
        *number = first->number;
        memmove(first, first + 1, --book->wishes.count * sizeof *first);
    } else if (read(book->descriptor, &count, sizeof count) < 0) {
        kind = WL_WISH_NONE; /* nothing was there */
    }
    pthread_mutex_unlock(&book->lock);
    return kind;
}

int wl_book_descriptor(const struct wl_book *book)
{
    return book->descriptor;
}
