#include "timeline/timeline.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "timeline/clock.h"

/* Keeps what is drained. The last put_records waits as long as is_held is set. */
struct kept {
    WL_VECTOR(struct wl_timeline_record) records;
    char names[64][64];
    uint32_t name_count;
    bool is_held;
};

/* assert_… of cmocka cannot fail in a child. */
#define DEMAND(truth)                                                           \
    do {                                                                        \
        if (!(truth)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #truth); \
            _exit(1);                                                           \
        }                                                                       \
    } while (0)

static void keep_names(void *self, uint32_t first_id, const char *const *names, size_t count)
{
    struct kept *kept = self;
    DEMAND(first_id == kept->name_count + 1);
    for (size_t i = 0; i < count; i++)
        snprintf(kept->names[kept->name_count++], sizeof kept->names[0], "%.60s", names[i]);
}

static void keep_records(void *self, struct wl_timeline_record *records, size_t count)
{
    struct kept *kept = self;
    while (__atomic_load_n(&kept->is_held, __ATOMIC_ACQUIRE))
        usleep(1000);
    for (size_t i = 0; i < count; i++)
        WL_PUSH(&kept->records, records[i]);
}

/* Each test runs in a child: recording begins once in a process. */
static void in_child(void (*test)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        test();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define IN_CHILD(name)               \
    static void name(void **state)   \
    {                                \
        (void)state;                 \
        in_child(name##_of_a_child); \
    }

static struct kept kept;
static const struct wl_timeline_sink sink = {&kept, keep_names, keep_records};

static void start(size_t ring_records, unsigned patience_ms)
{
    struct wl_timeline_options options = {
        .wanted = 1u << WL_TIMELINE_MPI, .ring_records = ring_records, .patience_ms = patience_ms};
    wl_timeline_start(&options, &sink);
}

static void put(uint64_t number)
{
    struct wl_timeline_record record = {
        .start = wl_timeline_now(), .category = WL_TIMELINE_MPI, .words = {number}};
    static uint32_t name;
    record.end = wl_timeline_now();
    record.name = wl_timeline_name_once(&name, "MPI_Send");
    wl_timeline_put(&record);
}

static void all_in_order_of_a_child(void)
{
    start(1024, 1000);
    for (uint64_t i = 0; i < 100000; i++)
        put(i);
    DEMAND(wl_timeline_stop());
    DEMAND(kept.records.count == 100000);
    uint64_t before_ns = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        const struct wl_timeline_record *record = &kept.records.items[i];
        DEMAND(record->words[0] == i && record->category == WL_TIMELINE_MPI);
        DEMAND(record->start >= before_ns && record->end >= record->start);
        DEMAND(record->thread == (uint32_t)getpid());
        DEMAND(strcmp(kept.names[record->name - 1], "MPI_Send") == 0);
        before_ns = record->start;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    DEMAND(now_ns >= before_ns && now_ns - before_ns < 3600000000000u);
    struct wl_timeline_statistics statistics;
    wl_timeline_statistics(&statistics);
    DEMAND(statistics.records == 100000 && statistics.dropped == 0 && statistics.rings == 1);
    DEMAND(statistics.ring_bytes < 1024 * 100 && statistics.record_ns > 0);
}
IN_CHILD(all_in_order)

static void overflow_is_counted_of_a_child(void)
{
    start(64, 0);
    kept.is_held = true;
    for (uint64_t i = 0; i < 1000; i++)
        put(i);
    __atomic_store_n(&kept.is_held, false, __ATOMIC_RELEASE);
    DEMAND(wl_timeline_stop());
    struct wl_timeline_statistics statistics;
    wl_timeline_statistics(&statistics);
    DEMAND(statistics.dropped > 0 && statistics.records == kept.records.count);
    DEMAND(statistics.records + statistics.dropped == 1000);
    for (uint64_t i = 0; i < 64; i++)
        DEMAND(kept.records.items[i].words[0] == i);
}
IN_CHILD(overflow_is_counted)

static void full_ring_waits_of_a_child(void)
{
    start(64, 1000);
    for (uint64_t i = 0; i < 5000; i++)
        put(i);
    DEMAND(wl_timeline_stop());
    struct wl_timeline_statistics statistics;
    wl_timeline_statistics(&statistics);
    DEMAND(statistics.dropped == 0 && kept.records.count == 5000);
}
IN_CHILD(full_ring_waits)

static void nothing_unwanted_of_a_child(void)
{
    put(1); /* before the start */
    start(64, 0);
    struct wl_timeline_record other = {.category = WL_TIMELINE_OSRT};
    wl_timeline_put(&other);
    wl_timeline_pause(true);
    put(2);
    wl_timeline_pause(false);
    put(3);
    DEMAND(wl_timeline_stop());
    put(4);
    DEMAND(kept.records.count == 1 && kept.records.items[0].words[0] == 3);
}
IN_CHILD(nothing_unwanted)

static void *put_ten(void *number)
{
    for (uint64_t i = 0; i < 10; i++)
        put(*(uint64_t *)number * 10 + i);
    return NULL;
}

static void threads_leave_their_rings_of_a_child(void)
{
    start(64, 1000);
    for (uint64_t i = 0; i < 20; i++) {
        pthread_t thread;
        DEMAND(pthread_create(&thread, NULL, put_ten, &i) == 0);
        pthread_join(thread, NULL);
    }
    DEMAND(wl_timeline_stop());
    struct wl_timeline_statistics statistics;
    wl_timeline_statistics(&statistics);
    DEMAND(kept.records.count == 200 && statistics.rings == 1);
    for (uint64_t i = 0; i < 200; i++)
        DEMAND(kept.records.items[i].words[0] == i);
    DEMAND(kept.records.items[0].thread != kept.records.items[10].thread);
}
IN_CHILD(threads_leave_their_rings)

static void forks_begin_anew_of_a_child(void)
{
    start(64, 1000);
    kept.is_held = true;
    put(1);
    pid_t child = fork();
    if (child == 0) {
        kept = (struct kept){0};
        wl_timeline_forget();
        put(2);
        DEMAND(wl_timeline_stop());
        DEMAND(kept.records.count == 1 && kept.records.items[0].words[0] == 2);
        DEMAND(kept.records.items[0].thread == (uint32_t)getpid());
        _exit(0);
    }
    int status = 1;
    __atomic_store_n(&kept.is_held, false, __ATOMIC_RELEASE);
    DEMAND(waitpid(child, &status, 0) == child && status == 0);
    DEMAND(wl_timeline_stop() && kept.records.count == 1);
}
IN_CHILD(forks_begin_anew)

static void calls_have_results_of_a_child(void)
{
    struct wl_timeline_options options = {.wanted = 1u << WL_TIMELINE_CUDA_RUNTIME |
                                                    1u << WL_TIMELINE_CUDA_DRIVER};
    struct wl_timeline_call outer = {"cudaMalloc", 0, WL_TIMELINE_CUDA_RUNTIME};
    struct wl_timeline_call inner = {"cuMemAlloc", 0, WL_TIMELINE_CUDA_DRIVER};
    wl_timeline_start(&options, &sink);
    for (uint64_t i = 0; i < 2; i++) {
        uint64_t begun = wl_timeline_call_begin(&outer);
        uint32_t correlation = wl_timeline_correlation();
        DEMAND(correlation != 0);
        wl_timeline_call_end(&inner, wl_timeline_call_begin(&inner), 0);
        wl_timeline_call_end(&outer, begun, 0x500000000 + i * 2);
        DEMAND(wl_timeline_correlation() == 0);
    }
    DEMAND(wl_timeline_stop() && kept.records.count == 2);
    const struct wl_timeline_record *records = kept.records.items;
    DEMAND(records[0].words[0] == 0 && !(records[0].flags & WL_TIMELINE_FAILED));
    DEMAND(records[1].words[0] == 2 && (records[1].flags & WL_TIMELINE_FAILED));
    DEMAND(records[0].correlation && records[1].correlation == records[0].correlation + 1);
    DEMAND(strcmp(kept.names[records[0].name - 1], "cudaMalloc") == 0);
}
IN_CHILD(calls_have_results)

static struct {
    int count, result;
    const char *name;
    bool is_own;
} told;

/* Fails in a call of its own, which is not told. */
static void keep_failure(const struct wl_timeline_call *call, int result)
{
    struct wl_timeline_call own = {"cudaGetLastError", 0, WL_TIMELINE_CUDA_RUNTIME};
    told.count++;
    told.result = result;
    told.name = call->name;
    told.is_own = wl_timeline_is_own();
    wl_timeline_call_end(&own, wl_timeline_call_begin(&own), 3);
}

static void failures_are_told_of_a_child(void)
{
    struct wl_timeline_call outer = {"cudaMalloc", 0, WL_TIMELINE_CUDA_RUNTIME};
    struct wl_timeline_call inner = {"cuMemAlloc", 0, WL_TIMELINE_CUDA_DRIVER};
    struct wl_timeline_call unlisted = {"ours", 0, WL_TIMELINE_NONE};
    wl_timeline_call_end(&outer, wl_timeline_call_begin(&outer), 2);
    DEMAND(told.count == 0);
    wl_timeline_watch_failures(keep_failure);
    DEMAND(wl_timeline_is_wanted(WL_TIMELINE_NONE)); /* though nothing is recorded */
    DEMAND(!wl_timeline_is_wanted(WL_TIMELINE_CUDA_RUNTIME));
    wl_timeline_call_end(&outer, wl_timeline_call_begin(&outer), 0);
    DEMAND(told.count == 0);
    uint64_t begun = wl_timeline_call_begin(&outer);
    wl_timeline_call_end(&inner, wl_timeline_call_begin(&inner), 1);
    DEMAND(told.count == 0);
    wl_timeline_call_end(&outer, begun, 0x500000002);
    DEMAND(told.count == 1 && told.result == 2 && strcmp(told.name, "cudaMalloc") == 0);
    DEMAND(told.is_own && !wl_timeline_is_own());
    wl_timeline_call_end(&unlisted, wl_timeline_call_begin(&unlisted), 1);
    DEMAND(told.count == 1);
    wl_timeline_watch_failures(NULL);
    wl_timeline_call_end(&outer, wl_timeline_call_begin(&outer), 2);
    DEMAND(told.count == 1);
}
IN_CHILD(failures_are_told)

static void names_are_there_once(void **state)
{
    (void)state;
    char text[] = "solve";
    uint32_t id = wl_timeline_name(text);
    text[0] = 'S';
    assert_int_equal(wl_timeline_name("solve"), id);
    assert_int_not_equal(wl_timeline_name("Solve"), id);
    assert_int_not_equal(wl_timeline_name("solv"), id);
    assert_int_not_equal(wl_timeline_name(""), 0);
    assert_int_equal(wl_timeline_name(NULL), 0);
}

/* Two ticks a nanosecond, then one: what lies between is on the line between. */
static void time_is_even_between_readings(void **state)
{
    (void)state;
    static struct wl_timeline_clock clock = {.epoch_ns = 1000000};
    assert_int_equal(wl_timeline_clock_ns(&clock, 5), 1000000);
    wl_timeline_clock_add(&clock, (struct wl_timeline_reading){2000, 1000});
    wl_timeline_clock_add(&clock, (struct wl_timeline_reading){4000, 2000});
    wl_timeline_clock_add(&clock,
                          (struct wl_timeline_reading){3000, 9000}); /* not after the last */
    wl_timeline_clock_add(&clock, (struct wl_timeline_reading){5000, 3000});
    assert_int_equal(wl_timeline_clock_ns(&clock, 3000), 1001500);
    assert_int_equal(wl_timeline_clock_ns(&clock, 4500), 1002500);
    assert_int_equal(wl_timeline_clock_ns(&clock, 1000), 1000500); /* before the first */
    assert_int_equal(wl_timeline_clock_ns(&clock, 6000), 1004000); /* behind the last */
}

static void many_readings_are_thinned(void **state)
{
    (void)state;
    static struct wl_timeline_clock clock;
    for (uint64_t i = 1; i <= 10 * WL_TIMELINE_READINGS_MAX; i++)
        wl_timeline_clock_add(&clock, (struct wl_timeline_reading){i * 1000, i * 500});
    assert_true(clock.count <= WL_TIMELINE_READINGS_MAX);
    for (uint64_t i = 1; i <= 10 * WL_TIMELINE_READINGS_MAX; i += 97)
        assert_int_equal(wl_timeline_clock_ns(&clock, i * 1000 + 10), i * 500 + 5);
}

static void categories_are_described(void **state)
{
    (void)state;
    for (int i = 1; i < WL_TIMELINE_CATEGORY_COUNT; i++) {
        assert_non_null(wl_timeline_categories[i].name);
        for (int word = 0; word < WL_TIMELINE_WORDS; word++)
            assert_non_null(wl_timeline_categories[i].words[word]);
    }
    assert_true(WL_TIMELINE_CATEGORY_COUNT <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_in_order),
        cmocka_unit_test(overflow_is_counted),
        cmocka_unit_test(full_ring_waits),
        cmocka_unit_test(nothing_unwanted),
        cmocka_unit_test(threads_leave_their_rings),
        cmocka_unit_test(forks_begin_anew),
        cmocka_unit_test(calls_have_results),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(names_are_there_once),
        cmocka_unit_test(time_is_even_between_readings),
        cmocka_unit_test(many_readings_are_thinned),
        cmocka_unit_test(categories_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
