#include "collect/openacc.h"

#include <errno.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>

#include "collect/guard.h"
#include "collect/openacc_abi.h"
#include "collect/sites.h"
#include "timeline/timeline.h"

enum { REGIONS_MAX = 32, FRAMES_MAX = 48 };

/* By the number of the event that begins it. */
static const char *const region_names[WL_ACC_EVENT_COUNT] = {
    [WL_ACC_DEVICE_INIT_START] = "Device Init",
    [WL_ACC_DEVICE_SHUTDOWN_START] = "Device Shutdown",
    [WL_ACC_ENTER_DATA_START] = "Enter Data",
    [WL_ACC_EXIT_DATA_START] = "Exit Data",
    [WL_ACC_UPDATE_START] = "Update",
    [WL_ACC_COMPUTE_START] = "Compute Construct",
    [WL_ACC_LAUNCH_START] = "Enqueue Launch",
    [WL_ACC_UPLOAD_START] = "Enqueue Upload",
    [WL_ACC_DOWNLOAD_START] = "Enqueue Download",
    [WL_ACC_WAIT_START] = "Wait",
};

struct region {
    uint64_t start;
    struct wl_code_site site;
    int event;
};

/* The regions that a thread is in. */
struct regions {
    struct region items[REGIONS_MAX];
    size_t depth; /* may be more than there is room for */
};
static _Thread_local struct regions own_regions __attribute__((tls_model("initial-exec")));

static wl_openacc_find_kernel *find_kernel;

void wl_openacc_set_helpers(wl_openacc_find_kernel *find)
{
    find_kernel = find;
}

/* ---- which line of the program called ---- */

static struct wl_code_site find_site(void)
{
    void *frames[FRAMES_MAX];
    struct wl_code_site site = {0};
    int count = backtrace(frames, FRAMES_MAX);
    for (int i = 1; i < count; i++)
        if (wl_code_site_find(frames[i], &site))
            break;
    return site;
}

/* Of a region that begins: as the compiler says, as the region around it, or as the stack shows. */
static struct wl_code_site choose_site(const struct wl_acc_prof_info *info,
                                       const struct region *around)
{
    if (info->src_file && info->line_no > 0)
        return (struct wl_code_site){.file = wl_timeline_name(info->src_file),
                                     .function = wl_timeline_name(info->func_name),
                                     .line = (uint32_t)info->line_no};
    return around ? around->site : find_site();
}

/* A kernel knows its line even where the program has no debug information. */
static void learn_from_kernel(struct regions *regions, const char *kernel)
{
    const char *file;
    uint32_t line;
    struct region *launch = &regions->items[regions->depth - 1];
    if (launch->site.line || !kernel || !find_kernel || !find_kernel(kernel, &file, &line))
        return;
    for (size_t i = 0; i < regions->depth; i++) {
        struct region *region = &regions->items[i];
        if (region->site.line == 0 && region->event >= WL_ACC_COMPUTE_START) {
            region->site.file = wl_timeline_name(file);
            region->site.line = line;
        }
    }
}

/* ---- callbacks ---- */

static void begin(const struct wl_acc_prof_info *info, const struct wl_acc_event_info *event)
{
    struct regions *regions = &own_regions;
    size_t depth = regions->depth++;
    if (depth >= REGIONS_MAX)
        return;
    struct region *region = &regions->items[depth];
    *region = (struct region){.event = info->event_type};
    if (!wl_timeline_is_wanted(WL_TIMELINE_OPENACC))
        return;
    region->site = choose_site(info, depth ? &regions->items[depth - 1] : NULL);
    if (info->event_type == WL_ACC_LAUNCH_START)
        learn_from_kernel(regions, event->of.launch.kernel_name);
    region->start = wl_timeline_now();
}

static void end(const struct wl_acc_prof_info *info, const struct wl_acc_event_info *event)
{
    static uint32_t names[WL_ACC_EVENT_COUNT];
    struct regions *regions = &own_regions;
    uint64_t now = wl_timeline_now();
    if (regions->depth == 0 || --regions->depth >= REGIONS_MAX)
        return;
    const struct region *region = &regions->items[regions->depth];
    if (!region->start || region->event + 1 != info->event_type)
        return;
    int kind = region->event;
    bool is_transfer = kind == WL_ACC_UPLOAD_START || kind == WL_ACC_DOWNLOAD_START;
    struct wl_timeline_record record = {
        .category = WL_TIMELINE_OPENACC,
        .name = wl_timeline_name_once(&names[kind], region_names[kind]),
        .start = region->start,
        .end = now,
        .correlation = wl_timeline_correlation(),
        .words = {WL_TIMELINE_PACK_REGION(kind, event->parent_construct, event->implicit != 0,
                                          info->device_type, info->device_number),
                  region->site.file, region->site.line, region->site.function,
                  (uint64_t)(int64_t)info->async, is_transfer ? event->of.data.bytes : 0},
    };
    wl_timeline_put(&record);
}

void wl_openacc_event(const struct wl_acc_prof_info *info, struct wl_acc_event_info *event,
                      const void *api)
{
    (void)api;
    int saved_errno = errno;
    struct wl_guard guard;
    WL_GUARD(&guard)
    {
        if (region_names[info->event_type])
            begin(info, event);
        else
            end(info, event);
    }
    wl_guard_end(&guard);
    errno = saved_errno;
}

void acc_register_library(wl_acc_register *add, wl_acc_register *remove, void *lookup)
{
    (void)remove, (void)lookup;
    void *frame;
    int saved_errno = errno;
    backtrace(&frame, 1); /* loads the unwinder, which may not be done in a callback */
    for (int event = 1; event + 1 < WL_ACC_EVENT_COUNT; event++) {
        if (!region_names[event])
            continue;
        add(event, wl_openacc_event, 0);
        add(event + 1, wl_openacc_event, 0);
    }
    errno = saved_errno;
}
