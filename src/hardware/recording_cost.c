#include "hardware/recording_cost.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/embedded.h"
#include "hardware/activity.h"
#include "hardware/driver.h"

extern const struct wl_embedded_file wl_embedded_ceilings[];

/* Odd, for the median; the first of each kind is to warm up. */
enum { batches = 9, launches = 3000 };

struct answer {
    const char *cupti_library;
    bool is_measured;
    double launch_ns;
};

struct trial {
    struct wl_cuda cuda;
    struct wl_cupti cupti;
    struct wl_cuda_context *context;
    struct wl_cuda_module *module;
    struct wl_cuda_function *kernel;
    uint64_t records;
};

static bool prepare(struct trial *trial, const char *cupti_library)
{
    struct wl_cuda *cuda = &trial->cuda;
    int device = 0;
    if (wl_cuda_open(cuda, NULL) != WL_OK ||
        wl_cupti_open(cupti_library, &trial->cupti, NULL) != WL_OK)
        return false;
    wl_cupti_activity_enlarge(&trial->cupti); /* as a trace does */
    if (cuda->init(0) != WL_CUDA_SUCCESS || cuda->device_get(&device, 0) != WL_CUDA_SUCCESS)
        return false;
    return cuda->module_load && cuda->module_function && cuda->launch &&
           cuda->context_retain(&trial->context, device) == WL_CUDA_SUCCESS &&
           cuda->context_set(trial->context) == WL_CUDA_SUCCESS &&
           cuda->module_load(&trial->module, wl_embedded_ceilings[0].content) == WL_CUDA_SUCCESS &&
           cuda->module_function(&trial->kernel, trial->module, "empty") == WL_CUDA_SUCCESS;
}

/* Nanoseconds of a launch; 0 where it failed. */
static double run_batch(const struct trial *trial)
{
    uint64_t nothing = 0;
    void *parameters[] = {&nothing, &nothing, &nothing};
    double start = (double)wl_clock_monotonic_ns();
    for (int i = 0; i < launches; i++)
        if (trial->cuda.launch(trial->kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL) !=
            WL_CUDA_SUCCESS)
            return 0;
    if (trial->cuda.context_synchronize() != WL_CUDA_SUCCESS)
        return 0;
    return ((double)wl_clock_monotonic_ns() - start) / launches;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double run_batches(const struct trial *trial)
{
    double times[batches];
    run_batch(trial);
    for (int i = 0; i < batches; i++)
        times[i] = run_batch(trial);
    qsort(times, batches, sizeof *times, compare);
    return times[0] > 0 ? times[batches / 2] : 0;
}

static void count(void *self, const struct wl_cupti_activity *record)
{
    struct trial *trial = self;
    trial->records += record->kind == WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL;
}

/* Once CUPTI has recorded in a process, launches are never again as they were: that comes last. */
static void measure(void *to)
{
    struct answer *answer = to;
    struct trial trial = {0};
    const uint64_t kinds = UINT64_C(1) << WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL |
                           UINT64_C(1) << WL_CUPTI_ACTIVITY_DRIVER;
    if (!prepare(&trial, answer->cupti_library))
        return;
    double bare_ns = run_batches(&trial);
    if (wl_cupti_activity_start(&trial.cupti, kinds, count, &trial, NULL) != WL_OK)
        return;
    double recorded_ns = run_batches(&trial);
    wl_cupti_activity_flush(true);
    answer->is_measured = bare_ns > 0 && recorded_ns > 0 && trial.records;
    answer->launch_ns = recorded_ns > bare_ns ? recorded_ns - bare_ns : 0;
}

bool wl_cupti_measure_recording(const char *cupti_library, double *launch_ns)
{
    struct answer answer = {.cupti_library = cupti_library};
    *launch_ns = 0;
    if (!wl_cuda_ask_child(measure, &answer, sizeof answer) || !answer.is_measured)
        return false;
    *launch_ns = answer.launch_ns;
    return true;
}
