#include "run/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/samples.h"

enum { PAGES_MOST = 64, PAGES_LEAST = 2, DRAIN_NS = 10000000, RECORD_MAX = 1 << 16 };

/* The events of one processor. */
struct buffer {
    int descriptor;
    struct perf_event_mmap_page *page;
    size_t bytes; /* of the ring behind it */
};

/* A record that waits for its turn: those of different processors are put into order by their time.
 */
struct waiting {
    uint64_t time_ns;
    size_t at; /* in bytes */
};

struct wl_sampling {
    struct wl_sampling_options options;
    struct wl_samples *samples;
    WL_VECTOR(struct buffer) buffers;
    WL_VECTOR(struct waiting) waiting;
    struct wl_text bytes;
    pthread_t thread;
    atomic_bool is_over;
    bool is_stopped;
};

/* ---- opening ---- */

static struct perf_event_attr describe(const struct wl_sampling_options *options)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = options->samples ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY,
        .freq = 1,
        .sample_freq = options->frequency_hz,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .enable_on_exec = 1,
        .sample_id_all = 1,
        .context_switch = options->switches,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static int open_event(struct perf_event_attr *attributes, int processor)
{
    return (int)syscall(SYS_perf_event_open, attributes, 0, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static int read_paranoia(void)
{
    int level = -1;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file && fscanf(file, "%d", &level) != 1)
        level = -1;
    if (file)
        fclose(file);
    return level;
}

static enum wl_code refuse(int failure, struct wl_error *error)
{
    int level = read_paranoia();
    if ((failure == EACCES || failure == EPERM) && level > 2) {
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "the processor cannot be sampled: /proc/sys/kernel/perf_event_paranoid is %d",
                     level);
        return wl_error_set_hint(error, "sudo sysctl kernel.perf_event_paranoid=2");
    }
    wl_error_set(error, WL_ERR_UNSUPPORTED,
                 "the processor cannot be sampled: perf_event_open is refused here: %s",
                 strerror(failure));
    return wl_error_set_hint(error, failure == EPERM || failure == EACCES || failure == ENOSYS
                                        ? "containers forbid it unless they are started with "
                                          "--cap-add PERFMON or a seccomp profile that allows it"
                                        : NULL);
}

/* 0 or an errno. A ring that is too large for what the user may lock is made smaller. */
static int map_ring(struct buffer *buffer)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t pages = PAGES_MOST; pages >= PAGES_LEAST; pages /= 2) {
        void *memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
                            buffer->descriptor, 0);
        if (memory != MAP_FAILED) {
            buffer->page = memory;
            buffer->bytes = pages * page;
            return 0;
        }
    }
    return errno;
}

static enum wl_code open_buffers(struct wl_sampling *sampling, struct wl_error *error)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    int failure = ENODEV;
    for (int processor = 0; processor < processors; processor++) {
        struct perf_event_attr attributes = describe(&sampling->options);
        struct buffer buffer = {.descriptor = open_event(&attributes, processor)};
        if (buffer.descriptor < 0) {
            failure = errno;
            if (failure == ENODEV) /* it is switched off */
                continue;
            return refuse(failure, error);
        }
        failure = map_ring(&buffer);
        WL_PUSH(&sampling->buffers, buffer);
        if (failure)
            return refuse(failure, error);
    }
    return sampling->buffers.count ? WL_OK : refuse(failure, error);
}

/* ---- reading ---- */

/* The fixed parts of records, as linux/perf_event.h describes them. */
struct sample_record {
    struct perf_event_header header;
    uint64_t address;
    uint32_t pid, thread;
    uint64_t time_ns, frame_count, frames[];
};
struct map_record {
    struct perf_event_header header;
    uint32_t pid, thread;
    uint64_t start, length, offset, of_file[3];
    uint32_t protection, flags;
    char file[];
};
struct exec_record {
    struct perf_event_header header;
    uint32_t pid, thread;
    char name[];
};
struct fork_record {
    struct perf_event_header header;
    uint32_t pid, parent, thread, parent_thread;
    uint64_t time_ns;
};
struct lost_record {
    struct perf_event_header header;
    uint64_t id, count;
};
/* The end of all records but samples. */
struct tail {
    uint32_t pid, thread;
    uint64_t time_ns;
};

static struct tail tail_of(const struct perf_event_header *header)
{
    struct tail tail = {0};
    if (header->size >= sizeof *header + sizeof tail)
        memcpy(&tail, (const char *)header + header->size - sizeof tail, sizeof tail);
    return tail;
}

static uint64_t time_of(const struct perf_event_header *header)
{
    if (header->type == PERF_RECORD_SAMPLE)
        return header->size >= sizeof(struct sample_record)
                   ? ((const struct sample_record *)header)->time_ns
                   : 0;
    return tail_of(header).time_ns;
}

static void take_sample(struct wl_samples *samples, const struct sample_record *record)
{
    uint64_t stack[WL_SAMPLE_FRAMES];
    size_t count = 0, room = (record->header.size - sizeof *record) / sizeof *record->frames;
    stack[count++] = record->address;
    for (uint64_t i = 0; i < record->frame_count && i < room && count < WL_SAMPLE_FRAMES; i++) {
        uint64_t frame = record->frames[i];
        bool is_mark = frame >= (uint64_t)PERF_CONTEXT_MAX; /* where the kernel's frames end */
        if (!is_mark && !(count == 1 && frame == record->address))
            stack[count++] = frame;
    }
    wl_samples_add(samples, record->pid, record->thread, stack, count);
}

static void take_record(struct wl_samples *samples, const struct perf_event_header *header)
{
    const void *record = header;
    struct tail tail = tail_of(header);
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        if (header->size >= sizeof(struct sample_record))
            take_sample(samples, record);
        break;
    case PERF_RECORD_MMAP2:
        if (header->size > sizeof(struct map_record)) {
            const struct map_record *map = record;
            wl_samples_map(samples, map->pid, map->start, map->length, map->offset, map->file);
        }
        break;
    case PERF_RECORD_COMM:
        if (header->size > sizeof(struct exec_record) &&
            header->misc & PERF_RECORD_MISC_COMM_EXEC) {
            const struct exec_record *executed = record;
            wl_samples_exec(samples, executed->pid, executed->name);
        }
        break;
    case PERF_RECORD_FORK:
        if (header->size >= sizeof(struct fork_record)) {
            const struct fork_record *fork = record;
            if (fork->pid != fork->parent)
                wl_samples_fork(samples, fork->pid, fork->parent);
        }
        break;
    case PERF_RECORD_LOST:
        if (header->size >= sizeof(struct lost_record))
            wl_samples_lose(samples, ((const struct lost_record *)record)->count);
        break;
    case PERF_RECORD_SWITCH:
        wl_samples_switch(samples, tail.pid, tail.thread, tail.time_ns,
                          header->misc & PERF_RECORD_MISC_SWITCH_OUT,
                          header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
        break;
    default:
        break;
    }
}

/* Copies what is in the ring behind what waits; records may go round its end. */
static void empty_ring(struct wl_sampling *sampling, struct buffer *buffer)
{
    const char *ring = (const char *)buffer->page + sysconf(_SC_PAGESIZE);
    uint64_t head = __atomic_load_n(&buffer->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = buffer->page->data_tail;
    while (tail < head) {
        struct perf_event_header header;
        size_t at = (size_t)(tail % buffer->bytes);
        memcpy(&header, ring + at, sizeof header); /* records are aligned to 8 bytes, as it is */
        if (header.size < sizeof header || header.size > head - tail)
            break;
        size_t first = buffer->bytes - at < header.size ? buffer->bytes - at : header.size;
        struct waiting waiting = {.at = sampling->bytes.length};
        wl_text_add_bytes(&sampling->bytes, ring + at, first);
        wl_text_add_bytes(&sampling->bytes, ring, header.size - first);
        WL_PUSH(&sampling->waiting, waiting);
        tail += header.size;
    }
    __atomic_store_n(&buffer->page->data_tail, tail, __ATOMIC_RELEASE);
}

static int by_time(const void *left, const void *right)
{
    const struct waiting *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void drain(struct wl_sampling *sampling)
{
    sampling->bytes.length = 0;
    sampling->waiting.count = 0;
    for (size_t i = 0; i < sampling->buffers.count; i++)
        if (sampling->buffers.items[i].page)
            empty_ring(sampling, &sampling->buffers.items[i]);
    struct waiting *waiting = sampling->waiting.items;
    for (size_t i = 0; i < sampling->waiting.count; i++)
        waiting[i].time_ns = time_of((const void *)(sampling->bytes.data + waiting[i].at));
    if (sampling->waiting.count)
        qsort(waiting, sampling->waiting.count, sizeof *waiting, by_time);
    for (size_t i = 0; i < sampling->waiting.count; i++)
        take_record(sampling->samples, (const void *)(sampling->bytes.data + waiting[i].at));
}

static void *drain_always(void *argument)
{
    struct wl_sampling *sampling = argument;
    const struct timespec pause = {.tv_nsec = DRAIN_NS};
    while (!atomic_load(&sampling->is_over)) {
        drain(sampling);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Signals are for the thread that waits for the program. */
static int start_thread(struct wl_sampling *sampling)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failure = pthread_create(&sampling->thread, NULL, drain_always, sampling);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return failure;
}

/* ---- all of it ---- */

static void close_buffers(struct wl_sampling *sampling)
{
    for (size_t i = 0; i < sampling->buffers.count; i++) {
        struct buffer *buffer = &sampling->buffers.items[i];
        if (buffer->page)
            munmap(buffer->page, buffer->bytes + (size_t)sysconf(_SC_PAGESIZE));
        close(buffer->descriptor);
    }
    sampling->buffers.count = 0;
}

enum wl_code wl_sampling_begin(const struct wl_sampling_options *options,
                               struct wl_sampling **sampling, struct wl_error *error)
{
    struct wl_sampling *made = wl_alloc_zero(1, sizeof *made);
    made->options = *options;
    made->samples = wl_samples_create();
    *sampling = NULL;
    enum wl_code code = open_buffers(made, error);
    int failure = code ? 0 : start_thread(made);
    if (failure)
        code = refuse(failure, error);
    if (code) {
        made->is_stopped = true;
        wl_sampling_free(made);
        return code;
    }
    *sampling = made;
    return WL_OK;
}

void wl_sampling_stop(struct wl_sampling *sampling)
{
    if (!sampling || sampling->is_stopped)
        return;
    for (size_t i = 0; i < sampling->buffers.count; i++)
        ioctl(sampling->buffers.items[i].descriptor, PERF_EVENT_IOC_DISABLE, 0);
    atomic_store(&sampling->is_over, true);
    pthread_join(sampling->thread, NULL);
    drain(sampling);
    sampling->is_stopped = true;
}

enum wl_code wl_sampling_write(struct wl_sampling *sampling, const char *folder,
                               const char *library_folder, struct wl_error *error)
{
    const struct wl_samples_writing writing = {.folder = folder,
                                               .library_folder = library_folder,
                                               .frequency_hz = sampling->options.frequency_hz,
                                               .has_stacks = sampling->options.stacks};
    wl_sampling_stop(sampling);
    return wl_samples_write(sampling->samples, &writing, error);
}

void wl_sampling_free(struct wl_sampling *sampling)
{
    if (!sampling)
        return;
    wl_sampling_stop(sampling);
    close_buffers(sampling);
    wl_samples_free(sampling->samples);
    free(sampling->buffers.items);
    free(sampling->waiting.items);
    wl_text_free(&sampling->bytes);
    free(sampling);
}
