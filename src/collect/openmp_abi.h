/* OMPT, the tools interface of OpenMP 5.0 to 5.2 (chapter 4), as far as it is used: numbers and the
 * layout of what callbacks get. */
#ifndef WL_COLLECT_OPENMP_ABI_H
#define WL_COLLECT_OPENMP_ABI_H

#include <stdint.h>

#include "base/export.h"

enum wl_omp_event {
    WL_OMP_PARALLEL_BEGIN = 3,
    WL_OMP_PARALLEL_END = 4,
    WL_OMP_TASK_CREATE = 5,
    WL_OMP_TASK_SCHEDULE = 6,
    WL_OMP_TARGET = 8,
    WL_OMP_WORK = 20,
    WL_OMP_SYNC_REGION = 23,
    WL_OMP_MUTEX_ACQUIRE = 26,
    WL_OMP_MUTEX_ACQUIRED = 27,
};

enum wl_omp_endpoint { WL_OMP_BEGIN = 1, WL_OMP_END = 2 };
enum { WL_OMP_TASK_COMPLETE = 1, WL_OMP_TASK_EXPLICIT = 4 };

/* Tool data that the runtime stores with each region or task. */
union wl_omp_data {
    uint64_t value;
    void *pointer;
};

typedef void wl_omp_function(void);
typedef wl_omp_function *wl_omp_lookup(const char *name);
typedef int wl_omp_set_callback(int event, wl_omp_function *callback);

typedef void wl_omp_parallel_begin(union wl_omp_data *task, const void *frame,
                                   union wl_omp_data *parallel, unsigned threads, int flags,
                                   const void *code);
typedef void wl_omp_parallel_end(union wl_omp_data *parallel, union wl_omp_data *task, int flags,
                                 const void *code);
typedef void wl_omp_task_create(union wl_omp_data *task, const void *frame,
                                union wl_omp_data *created, int flags, int has_dependences,
                                const void *code);
typedef void wl_omp_task_schedule(union wl_omp_data *before, int status, union wl_omp_data *next);
typedef void wl_omp_target(int kind, int endpoint, int device, union wl_omp_data *task,
                           uint64_t target, const void *code);
typedef void wl_omp_work(int kind, int endpoint, union wl_omp_data *parallel,
                         union wl_omp_data *task, uint64_t count, const void *code);
typedef void wl_omp_sync_region(int kind, int endpoint, union wl_omp_data *parallel,
                                union wl_omp_data *task, const void *code);
typedef void wl_omp_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t wait,
                                  const void *code);
typedef void wl_omp_mutex_acquired(int kind, uint64_t wait, const void *code);

struct wl_omp_tool {
    int (*initialize)(wl_omp_lookup *lookup, int device, union wl_omp_data *tool);
    void (*finalize)(union wl_omp_data *tool);
    union wl_omp_data data;
};

/* What the OpenMP runtime calls in the library that OMP_TOOL_LIBRARIES names; NULL: no trace is
 * being recorded. */
WL_EXPORT struct wl_omp_tool *ompt_start_tool(unsigned omp_version, const char *runtime_version);

#endif
