/* OpenMP regions of a runtime that the tests play. */
#include "collect/openmp_abi.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/timeline_capture.h"
#include "timeline/timeline.h"

enum { CALLBACKS_MAX = 40 };

static wl_omp_function *callbacks[CALLBACKS_MAX];

static int set_callback(int event, wl_omp_function *callback)
{
    assert_in_range(event, 1, CALLBACKS_MAX - 1);
    callbacks[event] = callback;
    return 5;
}

static wl_omp_function *look_up(const char *name)
{
    return strcmp(name, "ompt_set_callback") == 0 ? (wl_omp_function *)set_callback : NULL;
}

static wl_omp_function *know_nothing(const char *name)
{
    (void)name;
    return NULL;
}

static int start(void **state)
{
    (void)state;
    struct wl_timeline_options options = {.wanted = 1u << WL_TIMELINE_OPENMP};
    wl_timeline_start(&options, &capture_sink);
    unsetenv("WARPLENS_TRACE_ENGINE"); /* no trace: another tool's turn */
    assert_null(ompt_start_tool(201811, "tests"));
    setenv("WARPLENS_TRACE_ENGINE", "/lib/engine.so", 1);
    struct wl_omp_tool *tool = ompt_start_tool(201811, "tests");
    assert_int_equal(tool->initialize(know_nothing, 0, &tool->data), 0);
    assert_int_equal(tool->initialize(look_up, 0, &tool->data), 1);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    wl_timeline_stop();
    return 0;
}

static void sleep_us(long us)
{
    struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

#define CALL(event, type, ...)                   \
    do {                                         \
        errno = 77;                              \
        ((type *)callbacks[event])(__VA_ARGS__); \
        assert_int_equal(errno, 77);             \
    } while (0)
#define PARALLEL_BEGIN(region) \
    CALL(WL_OMP_PARALLEL_BEGIN, wl_omp_parallel_begin, NULL, NULL, region, 4, 0, NULL)
#define PARALLEL_END(region) CALL(WL_OMP_PARALLEL_END, wl_omp_parallel_end, region, NULL, 0, NULL)
#define WORK(kind, endpoint) CALL(WL_OMP_WORK, wl_omp_work, kind, endpoint, NULL, NULL, 0, NULL)
#define SYNC(kind, endpoint, region) \
    CALL(WL_OMP_SYNC_REGION, wl_omp_sync_region, kind, endpoint, region, NULL, NULL)

static void assert_name(const struct wl_timeline_record *record, const char *name)
{
    assert_string_equal(captured.names[record->name], name);
    assert_true(record->end >= record->start);
}

static void regions_within_regions(void **state)
{
    (void)state;
    union wl_omp_data region = {0};
    PARALLEL_BEGIN(&region);
    assert_true(region.value > 0);
    WORK(1, WL_OMP_BEGIN);
    WORK(1, WL_OMP_END);
    WORK(13, WL_OMP_BEGIN);
    WORK(13, WL_OMP_END);
    WORK(99, WL_OMP_BEGIN); /* of a later OpenMP */
    WORK(99, WL_OMP_END);
    CALL(WL_OMP_TARGET, wl_omp_target, 12, WL_OMP_BEGIN, 0, NULL, 1, NULL);
    CALL(WL_OMP_TARGET, wl_omp_target, 12, WL_OMP_END, 0, NULL, 1, NULL);
    PARALLEL_END(&region);
    const struct wl_timeline_record *records = take(5);
    assert_name(&records[0], "Loop");
    assert_int_equal(records[0].words[0], WL_OMP_WORK << 8 | 1);
    assert_name(&records[1], "Loop");
    assert_name(&records[2], "Work");
    assert_name(&records[3], "Target Update");
    assert_name(&records[4], "Parallel");
    assert_true(records[4].start <= records[0].start && records[4].end >= records[2].end);
}

/* The runtime tells a thread only when the next region begins. */
static void a_barrier_ends_with_its_region(void **state)
{
    (void)state;
    union wl_omp_data region = {0}, other = {0};
    PARALLEL_BEGIN(&region);
    SYNC(2, WL_OMP_BEGIN, &region);
    PARALLEL_END(&region);
    const struct wl_timeline_record *parallel = take(1);
    sleep_us(5000);
    PARALLEL_BEGIN(&other);
    SYNC(2, WL_OMP_BEGIN, &other); /* goes on: its region does */
    sleep_us(2000);
    SYNC(2, WL_OMP_END, NULL);
    PARALLEL_END(&other);
    const struct wl_timeline_record *records = take(2);
    assert_name(&records[0], "Barrier (implicit)");
    assert_true(records[0].end - records[0].start >= 1500000);
    assert_name(parallel, "Parallel");
}

static sem_t has_begun, may_end;

static void *work_along(void *region)
{
    SYNC(2, WL_OMP_BEGIN, region);
    sem_post(&has_begun);
    sem_wait(&may_end);
    SYNC(2, WL_OMP_END, NULL);
    return NULL;
}

static void a_worker_waits_no_longer_than_its_region(void **state)
{
    (void)state;
    pthread_t worker;
    union wl_omp_data region = {0};
    sem_init(&has_begun, 0, 0);
    sem_init(&may_end, 0, 0);
    PARALLEL_BEGIN(&region);
    assert_int_equal(pthread_create(&worker, NULL, work_along, &region), 0);
    sem_wait(&has_begun);
    PARALLEL_END(&region);
    sleep_us(2000);
    sem_post(&may_end);
    pthread_join(worker, NULL);
    const struct wl_timeline_record *records = take(2);
    assert_int_equal(records[0].end, records[1].end);
}

static void only_long_waits_for_mutexes(void **state)
{
    (void)state;
    enum { SHORT = 100 };
    for (int i = 0; i <= SHORT; i++) {
        CALL(WL_OMP_MUTEX_ACQUIRE, wl_omp_mutex_acquire, 5, 0, 0, 1, NULL);
        if (i == SHORT)
            sleep_us(1000);
        CALL(WL_OMP_MUTEX_ACQUIRED, wl_omp_mutex_acquired, 5, 1, NULL);
    }
    CALL(WL_OMP_MUTEX_ACQUIRED, wl_omp_mutex_acquired, 5, 1, NULL); /* nobody asked for it */
    assert_true(wl_timeline_flush());
    /* a thread may lose its processor now and then */
    assert_in_range(captured.count - captured.taken, 1, SHORT / 2);
    captured.taken = captured.count;
    const struct wl_timeline_record *last = &captured.records[captured.count - 1];
    assert_name(last, "Wait for Critical");
    assert_true(last->end - last->start >= 1000000);
}

static void tasks_run_in_pieces(void **state)
{
    (void)state;
    union wl_omp_data implicit = {0}, task = {0};
    CALL(WL_OMP_TASK_CREATE, wl_omp_task_create, NULL, NULL, &task, WL_OMP_TASK_EXPLICIT, 0, NULL);
    CALL(WL_OMP_TASK_SCHEDULE, wl_omp_task_schedule, &implicit, 7, &task);
    CALL(WL_OMP_TASK_SCHEDULE, wl_omp_task_schedule, &task, 2, &implicit);
    CALL(WL_OMP_TASK_SCHEDULE, wl_omp_task_schedule, &implicit, 7, &task);
    CALL(WL_OMP_TASK_SCHEDULE, wl_omp_task_schedule, &task, WL_OMP_TASK_COMPLETE, &implicit);
    CALL(WL_OMP_TASK_SCHEDULE, wl_omp_task_schedule, NULL, WL_OMP_TASK_COMPLETE, NULL);
    const struct wl_timeline_record *records = take(2);
    assert_name(&records[0], "Task");
    assert_name(&records[1], "Task");
    assert_int_equal(task.value, 0);
}

static void deeper_than_there_is_room_for(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        WORK(2, WL_OMP_BEGIN);
    for (int i = 0; i < 100; i++)
        WORK(2, WL_OMP_END);
    WORK(2, WL_OMP_END); /* of nothing */
    assert_name(take(64), "Sections");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_within_regions),
        cmocka_unit_test(a_barrier_ends_with_its_region),
        cmocka_unit_test(a_worker_waits_no_longer_than_its_region),
        cmocka_unit_test(only_long_waits_for_mutexes),
        cmocka_unit_test(tasks_run_in_pieces),
        cmocka_unit_test(deeper_than_there_is_room_for),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
