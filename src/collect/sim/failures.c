#include "collect/sim/failures.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/sim/callers.h"
#include "device/core/core.h"
#include "timeline/timeline.h"

enum { FAILURES_MAX = 10000 };

static const struct row {
    int code;
    const char *name, *text;
} runtime_errors[] =
    {
#define E(number, name, text) {number, #name, text},
#include "device/errors.def"
#undef E
},
  driver_errors[] = {
#define E(number, name) {number, #name, NULL},
#include "device/driver_errors.def"
#undef E
};

static struct {
    enum wl_api_errors choice;
    void (*put)(const char *text);
    atomic_ullong told;
} failures;

/* Return values that are not errors of the call: of queries, of a context that a launch broke,
 * which is reported with the launch, and of what the simulated GPU cannot do (801), which it
 * reports itself. */
static bool is_expected(int code)
{
    static const int codes[] = {600, 700, 702, 704, 710, 714, 715, 716, 717, 718, 719, 801};
    for (size_t i = 0; i < WL_COUNT(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

static const struct row *find(const struct row *rows, size_t count, int code)
{
    static const struct row unknown = {0, "an unknown error", NULL};
    for (size_t i = 0; i < count; i++)
        if (rows[i].code == code)
            return &rows[i];
    return &unknown;
}

static void tell(const struct wl_timeline_call *call, int result)
{
    bool is_driver = call->category == WL_TIMELINE_CUDA_DRIVER;
    if (!is_driver && call->category != WL_TIMELINE_CUDA_RUNTIME)
        return;
    if (failures.choice == WL_API_ERRORS_EXPLICIT && is_expected(result))
        return;
    if (atomic_fetch_add(&failures.told, 1) >= FAILURES_MAX)
        return;
    int saved = errno;
    const struct row *runtime = find(runtime_errors, WL_COUNT(runtime_errors), result);
    const struct row *row =
        is_driver ? find(driver_errors, WL_COUNT(driver_errors), result) : runtime;
    struct wl_text text = {0};
    struct wl_callers callers;
    wl_text_addf(&text, "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.",
                 row->name, result, runtime->text ? runtime->text : runtime->name, call->name);
    wl_callers_take(&callers);
    wl_callers_print(&callers, "made", &text);
    failures.put(text.data);
    wl_text_free(&text);
    errno = saved;
}

void wl_sim_failures_watch(enum wl_api_errors choice, void (*put)(const char *text))
{
    failures.choice = choice;
    failures.put = put;
    if (choice != WL_API_ERRORS_NO)
        wl_timeline_watch_failures(tell);
}

uint64_t wl_sim_failures_left_out(void)
{
    const uint64_t told = atomic_load(&failures.told);
    return told > FAILURES_MAX ? told - FAILURES_MAX : 0;
}
