/* OpenMP regions as events of a trace, through OMPT: the runtime (LLVM's; GCC's has no OMPT) finds
 * ompt_start_tool in the library that OMP_TOOL_LIBRARIES names. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "collect/guard.h"
#include "collect/openmp_abi.h"
#include "collect/sites.h"
#include "timeline/timeline.h"

/* What is shorter did not wait, as for calls of the system. */
enum { OPEN_MAX = 64, REGIONS = 1 << 10, KINDS = 16, LEAST_WAIT_NS = 1000 };

/* What a thread is in. */
struct open {
    int event, kind;
    uint64_t start, region; /* region: of a barrier, the parallel region that it ends */
    struct wl_code_site site;
};
struct opens {
    struct open items[OPEN_MAX];
    size_t depth; /* may be more than there is room for */
    uint64_t acquire_start;
};
/* Of the thread; not a variable of it, as there is little room for those where we are loaded late.
 */
static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

/* Parallel regions by number, and when they ended: their threads learn of the end of the barrier
 * that ends a region only when the next one begins. */
static struct {
    _Atomic uint64_t id, end;
} regions[REGIONS];
static _Atomic uint64_t last_region;

static const char *const parallel_names[KINDS] = {"Parallel"};
static const char *const target_names[KINDS] = {"Target", "Target", "Target Enter Data",
                                                "Target Exit Data", "Target Update"};
static const char *const work_names[KINDS] = {
    "Work",      "Loop",       "Sections", "Single", "Single (others)",
    "Workshare", "Distribute", "Taskloop", "Scope",  [10] = "Loop",
    "Loop",      "Loop",       "Loop", /* static, dynamic, guided, other: from LLVM 19 on */
};
static const char *const sync_names[KINDS] = {
    "Synchronization",    "Barrier",         "Barrier (implicit)",
    "Barrier (explicit)", "Barrier",         "Taskwait",
    "Taskgroup",          "Reduction",       "Barrier (work)",
    "Barrier (parallel)", "Barrier (teams)",
};
static const char *const mutex_names[KINDS] = {
    "Wait for Mutex",       "Wait for Lock",     "Wait for Lock",   "Wait for Nested Lock",
    "Wait for Nested Lock", "Wait for Critical", "Wait for Atomic", "Wait for Ordered",
};
static const char *const task_names[KINDS] = {"Task"};

static void make_key(void)
{
    pthread_key_create(&own_key, free);
}

static struct opens *own(void)
{
    pthread_once(&own_once, make_key);
    struct opens *opens = pthread_getspecific(own_key);
    if (!opens) {
        opens = wl_alloc_zero(1, sizeof *opens);
        pthread_setspecific(own_key, opens);
    }
    return opens;
}

/* ---- recording ---- */

static void put(int event, const char *const *names, int kind, uint64_t start, uint64_t end,
                const struct wl_code_site *site)
{
    size_t index = kind > 0 && kind < KINDS && names[kind] ? (size_t)kind : 0;
    struct wl_timeline_record record = {
        .category = WL_TIMELINE_OPENMP,
        .name = wl_timeline_name(names[index]),
        .start = start,
        .end = end > start ? end : start,
        .words = {(uint64_t)event << 8 | ((uint64_t)kind & 0xff), site->file, site->line,
                  site->function},
    };
    wl_timeline_put(&record);
}

static struct open *begin(int event, int kind, const void *code)
{
    struct opens *opens = own();
    size_t depth = opens->depth++;
    if (depth >= OPEN_MAX)
        return NULL;
    struct open *open = &opens->items[depth];
    *open = (struct open){.event = event, .kind = kind};
    if (!wl_timeline_is_wanted(WL_TIMELINE_OPENMP))
        return open;
    if (code)
        wl_code_site_find(code, &open->site);
    else if (depth)
        open->site = opens->items[depth - 1].site;
    open->start = wl_timeline_now();
    return open;
}

/* The innermost of that event; what was begun within and did not end is forgotten. NULL: none. */
static const struct open *end(int event)
{
    struct opens *opens = own();
    size_t depth = opens->depth;
    if (depth > OPEN_MAX) {
        opens->depth--;
        return NULL;
    }
    while (depth > 0 && opens->items[depth - 1].event != event)
        depth--;
    if (depth == 0)
        return NULL;
    opens->depth = depth - 1;
    return &opens->items[depth - 1];
}

static void begin_or_end(int event, int endpoint, const char *const *names, int kind,
                         const void *code)
{
    const struct open *open;
    if (endpoint == WL_OMP_BEGIN)
        begin(event, kind, code);
    else if (endpoint == WL_OMP_END && (open = end(event)) && open->start)
        put(event, names, open->kind, open->start, wl_timeline_now(), &open->site);
}

/* ---- callbacks: each keeps errno, and whatever goes wrong in it ends there ---- */

#define CALLBACK(...)                                       \
    do {                                                    \
        int saved_errno = errno;                            \
        struct wl_guard guard;                              \
        WL_GUARD(&guard){__VA_ARGS__} wl_guard_end(&guard); \
        errno = saved_errno;                                \
    } while (0)

static void on_parallel_begin(union wl_omp_data *task, const void *frame,
                              union wl_omp_data *parallel, unsigned threads, int flags,
                              const void *code)
{
    (void)task, (void)frame, (void)threads, (void)flags;
    uint64_t id = atomic_fetch_add(&last_region, 1) + 1;
    parallel->value = id;
    atomic_store(&regions[id % REGIONS].end, 0);
    atomic_store(&regions[id % REGIONS].id, id);
    CALLBACK(begin(WL_OMP_PARALLEL_BEGIN, 0, code););
}

static void on_parallel_end(union wl_omp_data *parallel, union wl_omp_data *task, int flags,
                            const void *code)
{
    (void)task, (void)flags, (void)code;
    uint64_t now = wl_timeline_now(), id = parallel->value;
    if (atomic_load(&regions[id % REGIONS].id) == id)
        atomic_store(&regions[id % REGIONS].end, now);
    CALLBACK({
        const struct open *open = end(WL_OMP_PARALLEL_BEGIN);
        if (open && open->start)
            put(WL_OMP_PARALLEL_BEGIN, parallel_names, 0, open->start, now, &open->site);
    });
}

static void on_work(int kind, int endpoint, union wl_omp_data *parallel, union wl_omp_data *task,
                    uint64_t count, const void *code)
{
    (void)parallel, (void)task, (void)count;
    CALLBACK(begin_or_end(WL_OMP_WORK, endpoint, work_names, kind, code););
}

static void on_target(int kind, int endpoint, int device, union wl_omp_data *task, uint64_t target,
                      const void *code)
{
    (void)device, (void)task, (void)target;
    /* those that do not wait are numbered 8 higher */
    CALLBACK(
        begin_or_end(WL_OMP_TARGET, endpoint, target_names, kind > 8 ? kind - 8 : kind, code););
}

static void end_sync_region(void)
{
    const struct open *open = end(WL_OMP_SYNC_REGION);
    if (!open || !open->start)
        return;
    uint64_t now = wl_timeline_now(), region_end = 0;
    if (open->region && atomic_load(&regions[open->region % REGIONS].id) == open->region)
        region_end = atomic_load(&regions[open->region % REGIONS].end);
    put(WL_OMP_SYNC_REGION, sync_names, open->kind, open->start,
        region_end && region_end < now ? region_end : now, &open->site);
}

static void on_sync_region(int kind, int endpoint, union wl_omp_data *parallel,
                           union wl_omp_data *task, const void *code)
{
    (void)task;
    CALLBACK({
        struct open *open = NULL;
        if (endpoint == WL_OMP_BEGIN)
            open = begin(WL_OMP_SYNC_REGION, kind, code);
        else if (endpoint == WL_OMP_END)
            end_sync_region();
        if (open && parallel)
            open->region = parallel->value;
    });
}

static void on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait,
                             const void *code)
{
    (void)kind, (void)hint, (void)implementation, (void)wait, (void)code;
    CALLBACK(own()->acquire_start =
                 wl_timeline_is_wanted(WL_TIMELINE_OPENMP) ? wl_timeline_now() : 0;);
}

static void put_long_wait(int kind, const void *code)
{
    struct opens *opens = own();
    uint64_t start = opens->acquire_start, now = start ? wl_timeline_now() : 0;
    struct wl_code_site site = {0};
    opens->acquire_start = 0;
    if (!start || wl_timeline_length_ns(start, now) < LEAST_WAIT_NS)
        return;
    if (code)
        wl_code_site_find(code, &site);
    put(WL_OMP_MUTEX_ACQUIRE, mutex_names, kind, start, now, &site);
}

static void on_mutex_acquired(int kind, uint64_t wait, const void *code)
{
    (void)wait;
    CALLBACK(put_long_wait(kind, code););
}

/* A task's value: 0 of one that is not explicit, else 1 until it runs, then since when. */
static void on_task_create(union wl_omp_data *task, const void *frame, union wl_omp_data *created,
                           int flags, int has_dependences, const void *code)
{
    (void)task, (void)frame, (void)has_dependences, (void)code;
    created->value = flags & WL_OMP_TASK_EXPLICIT ? 1 : 0;
}

static void on_task_schedule(union wl_omp_data *before, int status, union wl_omp_data *next)
{
    static const struct wl_code_site nowhere;
    uint64_t now = wl_timeline_now();
    if (before && before->value > 1 && wl_timeline_is_wanted(WL_TIMELINE_OPENMP))
        CALLBACK(put(WL_OMP_TASK_SCHEDULE, task_names, 0, before->value, now, &nowhere););
    if (before && before->value)
        before->value = status == WL_OMP_TASK_COMPLETE ? 0 : 1;
    if (next && next->value)
        next->value = now;
}

/* ---- beginning ---- */

static int initialize(wl_omp_lookup *lookup, int device, union wl_omp_data *tool)
{
    (void)device, (void)tool;
    static const struct {
        int event;
        wl_omp_function *callback;
    } rows[] = {
        {WL_OMP_PARALLEL_BEGIN, (wl_omp_function *)on_parallel_begin},
        {WL_OMP_PARALLEL_END, (wl_omp_function *)on_parallel_end},
        {WL_OMP_TASK_CREATE, (wl_omp_function *)on_task_create},
        {WL_OMP_TASK_SCHEDULE, (wl_omp_function *)on_task_schedule},
        {WL_OMP_TARGET, (wl_omp_function *)on_target},
        {WL_OMP_WORK, (wl_omp_function *)on_work},
        {WL_OMP_SYNC_REGION, (wl_omp_function *)on_sync_region},
        {WL_OMP_MUTEX_ACQUIRE, (wl_omp_function *)on_mutex_acquire},
        {WL_OMP_MUTEX_ACQUIRED, (wl_omp_function *)on_mutex_acquired},
    };
    wl_omp_set_callback *set = (wl_omp_set_callback *)lookup("ompt_set_callback");
    for (size_t i = 0; set && i < WL_COUNT(rows); i++)
        set(rows[i].event, rows[i].callback);
    return set != NULL; /* 0: it goes on without us */
}

static void finalize(union wl_omp_data *tool)
{
    (void)tool;
}

struct wl_omp_tool *ompt_start_tool(unsigned omp_version, const char *runtime_version)
{
    static struct wl_omp_tool tool = {.initialize = initialize, .finalize = finalize};
    (void)omp_version, (void)runtime_version;
    /* the runtime takes but one tool: another of the program's where nothing is traced */
    return getenv("WARPLENS_TRACE_ENGINE") ? &tool : NULL;
}
