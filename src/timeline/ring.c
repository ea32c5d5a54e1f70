#include "timeline/ring.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "timeline/clock.h"
#include "timeline/names.h"
#include "timeline/timeline.h"

enum { RING_RECORDS = 1 << 15, PATIENCE_MS = 200, STOP_SECONDS = 1 };

uint64_t wl_timeline_wanted;
uint64_t (*wl_timeline_simulated_now)(void);
_Thread_local struct wl_timeline_thread wl_timeline_thread;

static struct {
    struct wl_timeline_options options;
    const struct wl_timeline_sink *sink;
    struct wl_timeline_ring *_Atomic rings;
    atomic_bool is_running; /* between start and stop */
    atomic_bool has_drain;  /* the draining thread was started */
    bool is_measuring;      /* nothing that is put now is to be drained */
    _Atomic uint32_t wake;  /* a futex: somebody wants a drain */
    pthread_mutex_t drain_lock;
    pthread_key_t thread_end; /* its destructor gives the ring back */
    pthread_once_t key_once;
    struct wl_timeline_clock clock;
    uint32_t names_reported;
    uint64_t drained;
    double record_ns, tick_ns;
} trace = {.drain_lock = PTHREAD_MUTEX_INITIALIZER, .key_once = PTHREAD_ONCE_INIT};

static void wait_futex(_Atomic uint32_t *word, uint32_t value, unsigned ms)
{
    struct timespec patience = {ms / 1000, (long)(ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &patience, NULL, 0);
}

static void wake_futex(_Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 20, NULL, NULL, 0);
}

/* ---- draining ---- */

static void tell_names(void)
{
    enum { BATCH = 256 };
    const char *texts[BATCH];
    uint32_t count = wl_timeline_name_count();
    while (trace.names_reported < count) {
        uint32_t first = trace.names_reported + 1, batch = 0;
        while (batch < BATCH && trace.names_reported < count)
            texts[batch++] = wl_timeline_name_text(++trace.names_reported);
        trace.sink->put_names(trace.sink->self, first, texts, batch);
    }
}

static void convert_times(struct wl_timeline_record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!trace.options.now_ns && !(records[i].flags & WL_TIMELINE_NANOSECONDS)) {
            records[i].start = wl_timeline_clock_ns(&trace.clock, records[i].start);
            records[i].end = wl_timeline_clock_ns(&trace.clock, records[i].end);
        }
        records[i].flags &= (uint16_t)~WL_TIMELINE_NANOSECONDS;
    }
}

/* The records from drained up to written, in pieces: one that cannot be written is lost as a whole,
 * and those before it are not. */
static void drain_ring(struct wl_timeline_ring *ring, uint64_t written)
{
    enum { PIECE_RECORDS = 512 };
    uint64_t drained = atomic_load_explicit(&ring->drained, memory_order_relaxed);
    trace.drained += written - drained;
    while (drained != written) {
        uint64_t at = drained & (ring->capacity - 1), count = written - drained;
        if (count > ring->capacity - at)
            count = ring->capacity - at;
        if (count > PIECE_RECORDS)
            count = PIECE_RECORDS;
        convert_times(ring->records + at, (size_t)count);
        trace.sink->put_records(trace.sink->self, ring->records + at, (size_t)count);
        drained += count;
        atomic_store_explicit(&ring->drained, drained, memory_order_release);
    }
    wake_futex(&ring->drained_signal);
}

/* With the lock held. Names are passed on after the records were counted, so that every name a
 * record has is known. */
static void drain_all(void)
{
    enum { BATCH = 64 };
    struct wl_timeline_ring *ring = atomic_load_explicit(&trace.rings, memory_order_acquire);
    while (ring) {
        struct wl_timeline_ring *batch[BATCH];
        uint64_t written[BATCH];
        size_t count = 0;
        for (; ring && count < BATCH; ring = ring->next) {
            uint64_t now = atomic_load_explicit(&ring->written, memory_order_acquire);
            if (now == atomic_load_explicit(&ring->drained, memory_order_relaxed))
                continue;
            batch[count] = ring;
            written[count++] = now;
        }
        if (count == 0)
            break;
        wl_timeline_clock_read(&trace.clock);
        tell_names();
        for (size_t i = 0; i < count; i++)
            drain_ring(batch[i], written[i]);
    }
}

static void *drain_loop(void *unused)
{
    (void)unused;
    wl_timeline_own_thread();
    while (atomic_load(&trace.is_running)) {
        uint32_t seen = atomic_load(&trace.wake);
        pthread_mutex_lock(&trace.drain_lock);
        if (atomic_load(&trace.is_running))
            drain_all();
        pthread_mutex_unlock(&trace.drain_lock);
        wait_futex(&trace.wake, seen, trace.options.period_ms);
    }
    return NULL;
}

/* Signals are the program's business. */
static void start_drain(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (atomic_exchange(&trace.has_drain, true))
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, drain_loop, NULL) == 0) {
        pthread_setname_np(thread, "warplens-trace");
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- rings ---- */

static void give_back(void *ring)
{
    struct wl_timeline_ring *given = ring;
    wl_timeline_thread.ring = NULL;
    wl_timeline_thread.has_failed = true; /* other destructors of the thread may still call us */
    atomic_store_explicit(&given->is_owned, false, memory_order_release);
}

static void make_key(void)
{
    pthread_key_create(&trace.thread_end, give_back);
}

static struct wl_timeline_ring *take_over(void)
{
    struct wl_timeline_ring *ring = atomic_load_explicit(&trace.rings, memory_order_acquire);
    for (; ring; ring = ring->next) {
        bool expected = false;
        if (atomic_compare_exchange_strong(&ring->is_owned, &expected, true))
            return ring;
    }
    return NULL;
}

static struct wl_timeline_ring *make_ring(void)
{
    size_t records = trace.options.ring_records;
    size_t size_bytes =
        sizeof(struct wl_timeline_ring) + records * sizeof(struct wl_timeline_record);
    struct wl_timeline_ring *ring =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ring == MAP_FAILED)
        return NULL;
    ring->capacity = (uint32_t)records;
    atomic_store(&ring->is_owned, true);
    ring->next = atomic_load(&trace.rings);
    while (!atomic_compare_exchange_weak(&trace.rings, &ring->next, ring))
        continue;
    return ring;
}

struct wl_timeline_ring *wl_timeline_ring_own(void)
{
    if (wl_timeline_thread.has_failed || !atomic_load(&trace.is_running))
        return NULL;
    int saved_errno = errno;
    pthread_once(&trace.key_once, make_key);
    struct wl_timeline_ring *ring = take_over();
    if (!ring)
        ring = make_ring();
    if (ring) {
        /* records of the thread before may still wait in it: they have its number already */
        ring->thread = (uint32_t)syscall(SYS_gettid);
        pthread_setspecific(trace.thread_end, ring);
        if (!trace.is_measuring)
            start_drain();
    } else {
        wl_timeline_thread.has_failed = true;
    }
    wl_timeline_thread.ring = ring;
    errno = saved_errno;
    return ring;
}

/* ---- putting ---- */

static uint64_t count_waiting(const struct wl_timeline_ring *ring, uint64_t written)
{
    return written - atomic_load_explicit(&ring->drained, memory_order_acquire);
}

/* The ring is full: the drain gets a while to make room. */
static bool wait_for_room(struct wl_timeline_ring *ring, uint64_t written)
{
    int saved_errno = errno;
    uint64_t start = wl_timeline_ticks();
    for (unsigned waited_ms = 0; waited_ms < trace.options.patience_ms; waited_ms++) {
        uint32_t seen = atomic_load(&ring->drained_signal);
        if (count_waiting(ring, written) < ring->capacity)
            break;
        wake_futex(&trace.wake);
        wait_futex(&ring->drained_signal, seen, 1);
    }
    ring->waited_ticks += wl_timeline_ticks() - start;
    errno = saved_errno;
    return count_waiting(ring, written) < ring->capacity;
}

static void wake_drain(void)
{
    int saved_errno = errno;
    wake_futex(&trace.wake);
    errno = saved_errno;
}

void wl_timeline_put(const struct wl_timeline_record *record)
{
    if (!wl_timeline_is_wanted((enum wl_timeline_category)record->category))
        return;
    struct wl_timeline_ring *ring = wl_timeline_thread.ring;
    if (!ring && !(ring = wl_timeline_ring_own()))
        return;
    if (ring->is_busy) {
        ring->dropped++;
        ring->reentered++;
        return;
    }
    ring->is_busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t waiting = count_waiting(ring, written);
    if (waiting < ring->capacity || wait_for_room(ring, written)) {
        struct wl_timeline_record *slot = &ring->records[written & (ring->capacity - 1)];
        *slot = *record;
        if (!slot->thread)
            slot->thread = ring->thread;
        atomic_store_explicit(&ring->written, written + 1, memory_order_release);
        if (waiting == ring->capacity / 4)
            wake_drain();
    } else {
        ring->dropped++;
    }
    atomic_signal_fence(memory_order_seq_cst);
    ring->is_busy = false;
}

uint64_t wl_timeline_length_ns(uint64_t from, uint64_t to)
{
    uint64_t length = to > from ? to - from : 0;
    return trace.options.now_ns ? length : (uint64_t)((double)length * trace.tick_ns);
}

/* ---- starting and ending ---- */

/* What a call costs that is recorded: two times and a put, measured over some that go nowhere. */
static double measure_cost(void)
{
    enum { ROUNDS = 2000 };
    struct wl_timeline_ring *ring = wl_timeline_ring_own();
    if (!ring)
        return 0;
    struct wl_timeline_call call = {"", 1, WL_TIMELINE_NONE};
    uint64_t written = atomic_load(&ring->written), start = wl_timeline_ticks();
    for (int i = 0; i < ROUNDS && i < (int)ring->capacity / 8; i++)
        wl_timeline_call_end(&call, wl_timeline_call_begin(&call), 0);
    uint64_t end = wl_timeline_ticks();
    uint64_t count = atomic_load(&ring->written) - written;
    atomic_store(&ring->written, written);
    pthread_setspecific(trace.thread_end, NULL);
    wl_timeline_thread.ring = NULL;
    wl_timeline_correlate_anew();
    atomic_store(&ring->is_owned, false);
    wl_timeline_clock_read(&trace.clock);
    uint64_t took_ns =
        wl_timeline_clock_ns(&trace.clock, end) - wl_timeline_clock_ns(&trace.clock, start);
    trace.tick_ns = end > start ? (double)took_ns / (double)(end - start) : 1;
    return count ? (double)took_ns / (double)count : 0;
}

/* Which calls go through the trampolines, besides those that are recorded. */
static uint64_t always_wanted;

static void set_wanted(uint64_t wanted)
{
    __atomic_store_n(&wl_timeline_wanted, wanted | always_wanted, __ATOMIC_RELAXED);
}

void wl_timeline_ring_watch_all(void)
{
    always_wanted = 1u << WL_TIMELINE_NONE;
    set_wanted(__atomic_load_n(&wl_timeline_wanted, __ATOMIC_RELAXED));
}

void wl_timeline_start(const struct wl_timeline_options *options,
                       const struct wl_timeline_sink *sink)
{
    trace.options = *options;
    if (!trace.options.ring_records)
        trace.options.ring_records = RING_RECORDS;
    if (!trace.options.period_ms)
        trace.options.period_ms = WL_TIMELINE_PERIOD_MS;
    trace.sink = sink;
    trace.names_reported = 0;
    trace.drained = 0;
    wl_timeline_clock_start(&trace.clock);
    pthread_mutex_lock(&trace.drain_lock); /* what is measured is not drained */
    atomic_store(&trace.is_running, true);
    set_wanted(1u << WL_TIMELINE_NONE);
    trace.is_measuring = true;
    trace.record_ns = measure_cost();
    trace.is_measuring = false;
    __atomic_store_n(&wl_timeline_simulated_now, options->now_ns, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&trace.drain_lock);
    wl_timeline_pause(options->is_paused);
}

void wl_timeline_pause(bool is_paused)
{
    if (atomic_load(&trace.is_running))
        set_wanted(is_paused ? 0 : trace.options.wanted);
}

bool wl_timeline_is_recorded(enum wl_timeline_category category)
{
    return atomic_load(&trace.is_running) && trace.options.wanted >> category & 1;
}

static bool flush_and(bool is_last)
{
    const struct timespec until = wl_clock_deadline(STOP_SECONDS);
    int saved_errno = errno;
    bool is_ours = pthread_mutex_timedlock(&trace.drain_lock, &until) == 0;
    if (is_ours) {
        drain_all();
        if (is_last)
            atomic_store(&trace.is_running, false);
        pthread_mutex_unlock(&trace.drain_lock);
    }
    errno = saved_errno;
    return is_ours;
}

bool wl_timeline_flush(void)
{
    return !atomic_load(&trace.is_running) || flush_and(false);
}

bool wl_timeline_stop(void)
{
    set_wanted(0);
    return !atomic_load(&trace.is_running) || flush_and(true);
}

void wl_timeline_forget(void)
{
    pthread_mutex_init(&trace.drain_lock, NULL);
    wl_timeline_names_unlock();
    atomic_store(&trace.has_drain, false);
    trace.names_reported = 0;
    trace.drained = 0;
    for (struct wl_timeline_ring *ring = atomic_load(&trace.rings); ring; ring = ring->next) {
        atomic_store(&ring->written, 0);
        atomic_store(&ring->drained, 0);
        ring->dropped = ring->reentered = ring->waited_ticks = 0;
        ring->is_busy = false;
        atomic_store(&ring->is_owned, ring == wl_timeline_thread.ring);
    }
    if (wl_timeline_thread.ring)
        wl_timeline_thread.ring->thread = (uint32_t)syscall(SYS_gettid);
}

void wl_timeline_statistics(struct wl_timeline_statistics *statistics)
{
    *statistics = (struct wl_timeline_statistics){.records = trace.drained,
                                                  .clock_jump_ns = trace.clock.jump_ns,
                                                  .record_ns = trace.record_ns};
    uint64_t waited_ticks = 0;
    for (struct wl_timeline_ring *ring = atomic_load(&trace.rings); ring; ring = ring->next) {
        statistics->dropped += ring->dropped;
        statistics->reentered += ring->reentered;
        waited_ticks += ring->waited_ticks;
        statistics->rings++;
        statistics->ring_bytes += sizeof *ring + ring->capacity * sizeof(struct wl_timeline_record);
    }
    if (trace.clock.count)
        statistics->waited_ns =
            wl_timeline_clock_ns(&trace.clock, trace.clock.readings[0].ticks + waited_ticks) -
            wl_timeline_clock_ns(&trace.clock, trace.clock.readings[0].ticks);
}
