#include "show/page/acc_notify.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/rank.h"
#include "report/events.h"
#include "show/format/format.h"

enum { DEPTH_MAX = 64 };

/* OpenACC's numbers of the events that lines are about (interface for tools), and what is printed
 * of them; ended: at the event's end. A region is told by the name of its event: "Compute
 * Construct". */
static const struct kind {
    uint8_t event;
    enum wl_acc_notify bit;
    const char *text, *ended;
    bool has_bytes;
} kinds[] = {
    {10, WL_ACC_NOTIFY_REGIONS, "Enter enter data construct", "Leave enter data construct", false},
    {12, WL_ACC_NOTIFY_REGIONS, "Enter exit data construct", "Leave exit data construct", false},
    {14, WL_ACC_NOTIFY_REGIONS, "Enter update construct", "Leave update construct", false},
    {16, WL_ACC_NOTIFY_REGIONS, "Enter compute region", "Leave compute region", false},
    {24, WL_ACC_NOTIFY_WAITS, "Wait", NULL, false},
    {6, WL_ACC_NOTIFY_MEMORY, "create CUDA data", NULL, true},
    {7, WL_ACC_NOTIFY_MEMORY, "delete CUDA data", NULL, true},
    {8, WL_ACC_NOTIFY_MEMORY, "alloc  CUDA data", NULL, true},
    {9, WL_ACC_NOTIFY_MEMORY, "free   CUDA data", NULL, true},
};

/* Where in the source something happened. */
struct place {
    const char *file, *function;
    uint64_t line;
    uint32_t device, thread;
};

struct region {
    uint64_t end_ns;
    struct place place;
    const struct kind *kind; /* NULL: its end is not told */
};

/* The regions that are open on a thread. */
struct thread {
    struct {
        uint64_t process, thread;
    } key;
    uint32_t number; /* of its process, from 1 */
    struct region open[DEPTH_MAX];
    size_t depth;
    UT_hash_handle hh;
};

/* The place of a call that caused something, until it comes. */
struct cause {
    struct {
        uint64_t process, correlation;
    } key;
    struct place place;
    UT_hash_handle hh;
};

struct telling {
    struct wl_report *report;
    const char *ranks;
    unsigned bits;
    FILE *out;
    struct thread *threads;
    struct cause *causes;
    bool has_regions;
};

/* ---- lines ---- */

static void put_place(struct telling *telling, const char *what, const struct place *place)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%s  file=%s function=%s line=%llu device=%u threadid=%u", what,
                 place->file, place->function, (unsigned long long)place->line, place->device,
                 place->thread);
    for (size_t i = 0; i < text.length; i++)
        text.data[i] = (unsigned char)text.data[i] < ' ' ? '?' : text.data[i];
    fputs(text.data, telling->out);
    wl_text_free(&text);
}

static void put_size(struct telling *telling, const char *name, const uint64_t size[3])
{
    fprintf(telling->out, " %s=%llu", name, (unsigned long long)size[0]);
    if (size[1] > 1 || size[2] > 1)
        fprintf(telling->out, "x%llu", (unsigned long long)size[1]);
    if (size[2] > 1)
        fprintf(telling->out, "x%llu", (unsigned long long)size[2]);
}

static void put_kernel(struct telling *telling, const struct wl_report_event *event,
                       const struct place *place)
{
    const uint64_t grid[3] = {event->words[1] >> 32, event->words[1] >> 16 & 0xffff,
                              event->words[1] & 0xffff};
    const uint64_t block[3] = {event->words[2] >> 48, event->words[2] >> 32 & 0xffff,
                               event->words[2] >> 16 & 0xffff};
    put_place(telling, "launch CUDA kernel", place);
    put_size(telling, "grid", grid);
    put_size(telling, "block", block);
    fputc('\n', telling->out);
}

static void put_copy(struct telling *telling, const struct wl_report_event *event,
                     const struct place *place)
{
    const char *what = event->words[2] == WL_TIMELINE_COPY_TO_DEVICE ? "upload CUDA data"
                       : event->words[2] == WL_TIMELINE_COPY_TO_HOST ? "download CUDA data"
                                                                     : NULL;
    if (!what)
        return;
    put_place(telling, what, place);
    fprintf(telling->out, " bytes=%llu\n", (unsigned long long)event->words[1]);
}

/* ---- regions ---- */

static struct thread *find_thread(struct telling *telling, const struct wl_report_event *event)
{
    struct thread wanted = {.key = {event->process, event->thread}}, *found, *other;
    HASH_FIND(hh, telling->threads, &wanted.key, sizeof wanted.key, found);
    if (found)
        return found;
    found = wl_alloc_zero(1, sizeof *found);
    found->key.process = event->process;
    found->key.thread = event->thread;
    found->number = 1;
    for (other = telling->threads; other; other = other->hh.next)
        found->number += other->key.process == event->process;
    HASH_ADD(hh, telling->threads, key, sizeof found->key, found);
    return found;
}

static void close_regions(struct telling *telling, struct thread *thread, uint64_t now_ns)
{
    while (thread->depth && thread->open[thread->depth - 1].end_ns <= now_ns) {
        const struct region *region = &thread->open[--thread->depth];
        if (!region->kind || !region->kind->ended || !(telling->bits & region->kind->bit))
            continue;
        put_place(telling, region->kind->ended, &region->place);
        fputc('\n', telling->out);
    }
}

static const char *text_of(const struct wl_report_event *event, int word)
{
    return event->texts[word] ? event->texts[word] : "";
}

static void take_region(struct telling *telling, struct thread *thread,
                        const struct wl_report_event *event)
{
    const struct place place = {
        .file = text_of(event, 1),
        .function = text_of(event, 3),
        .line = event->words[2],
        .device = event->words[0] >> 32 & 0xffff,
        .thread = thread->number,
    };
    const struct kind *kind = NULL;
    for (size_t i = 0; i < WL_COUNT(kinds) && !kind; i++)
        kind = kinds[i].event == (event->words[0] & 0xff) ? &kinds[i] : NULL;
    bool is_implicit = event->words[0] >> 16 & 1;
    telling->has_regions = true;
    if (kind && telling->bits & kind->bit) {
        bool is_wait = kind->bit == WL_ACC_NOTIFY_WAITS;
        put_place(telling,
                  !is_wait      ? kind->text
                  : is_implicit ? "Implicit wait"
                                : "Explicit wait",
                  &place);
        if (kind->has_bytes)
            fprintf(telling->out, " bytes=%llu", (unsigned long long)event->words[5]);
        fputc('\n', telling->out);
    }
    if (thread->depth < DEPTH_MAX)
        thread->open[thread->depth++] = (struct region){event->end_ns, place, kind};
}

/* ---- events ---- */

static void take_call(struct telling *telling, const struct thread *thread,
                      const struct wl_report_event *event)
{
    if (!thread->depth || !event->correlation)
        return;
    struct cause *cause = wl_alloc_zero(1, sizeof *cause), *twin;
    cause->key.process = event->process;
    cause->key.correlation = event->correlation;
    cause->place = thread->open[thread->depth - 1].place;
    HASH_FIND(hh, telling->causes, &cause->key, sizeof cause->key, twin);
    if (twin)
        free(cause);
    else
        HASH_ADD(hh, telling->causes, key, sizeof cause->key, cause);
}

static void take_work(struct telling *telling, const struct wl_report_event *event)
{
    struct cause wanted = {.key = {event->process, event->correlation}}, *cause;
    HASH_FIND(hh, telling->causes, &wanted.key, sizeof wanted.key, cause);
    if (!cause)
        return;
    if (event->category == WL_TIMELINE_KERNEL && telling->bits & WL_ACC_NOTIFY_LAUNCHES)
        put_kernel(telling, event, &cause->place);
    if (event->category == WL_TIMELINE_MEMCPY && telling->bits & WL_ACC_NOTIFY_COPIES)
        put_copy(telling, event, &cause->place);
}

static void take_event(void *self, const struct wl_report_event *event)
{
    struct telling *telling = self;
    size_t count;
    const struct wl_report_process *processes = wl_report_processes(telling->report, &count);
    if (!wl_rank_list_has(telling->ranks, processes[event->process].record.rank))
        return;
    for (struct thread *thread = telling->threads; thread; thread = thread->hh.next)
        if (thread->key.process == event->process)
            close_regions(telling, thread, event->start_ns);
    if (event->category == WL_TIMELINE_KERNEL || event->category == WL_TIMELINE_MEMCPY) {
        take_work(telling, event);
        return;
    }
    struct thread *thread = find_thread(telling, event);
    if (event->category == WL_TIMELINE_OPENACC)
        take_region(telling, thread, event);
    else
        take_call(telling, thread, event);
}

enum wl_code wl_view_acc_notify(struct wl_report *report, unsigned bits, const char *ranks,
                                FILE *out, struct wl_error *error)
{
    struct telling telling = {.report = report, .ranks = ranks, .bits = bits, .out = out};
    const uint64_t categories =
        UINT64_C(1) << WL_TIMELINE_OPENACC | UINT64_C(1) << WL_TIMELINE_CUDA_RUNTIME |
        UINT64_C(1) << WL_TIMELINE_CUDA_DRIVER | UINT64_C(1) << WL_TIMELINE_KERNEL |
        UINT64_C(1) << WL_TIMELINE_MEMCPY;
    enum wl_code code = wl_report_events(report, categories, take_event, &telling, error);
    struct thread *thread, *next_thread;
    struct cause *cause, *next_cause;
    HASH_ITER(hh, telling.threads, thread, next_thread)
    {
        close_regions(&telling, thread, UINT64_MAX);
        HASH_DEL(telling.threads, thread);
        free(thread);
    }
    HASH_ITER(hh, telling.causes, cause, next_cause)
    {
        HASH_DEL(telling.causes, cause);
        free(cause);
    }
    if (!code && !telling.has_regions) {
        code = wl_error_set(error, WL_ERR_NOTHING, "the report holds no OpenACC");
        wl_error_set_hint(error, "warplens trace -t cuda,openacc PROGRAM");
    }
    return code;
}
