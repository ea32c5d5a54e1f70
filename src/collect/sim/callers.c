#include "collect/sim/callers.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/count.h"
#include "base/memory.h"
#include "collect/sites.h"
#include "device/device.h"
#include "timeline/names.h"

enum { FRAMES_MAX = 48, ORIGINS_MAX = 1 << 16, CALLERS_PRINTED = 3 };

void wl_callers_prepare(void)
{
    void *frame;
    backtrace(&frame, 1);
}

void wl_callers_take(struct wl_callers *callers)
{
    void *frames[FRAMES_MAX];
    int count = backtrace(frames, FRAMES_MAX), i = 0;
    callers->count = 0;
    while (i < count && wl_code_is_runtime(frames[i]))
        i++;
    for (; i < count && callers->count < (int)WL_COUNT(callers->frames); i++)
        if (!wl_code_is_runtime(frames[i]))
            callers->frames[callers->count++] = frames[i];
}

/* "FILE:LINE (FUNCTION)", or what is known of it; nothing of the toolkit's headers. */
static bool print_caller(const void *address, const char *before, struct wl_text *out)
{
    struct wl_code_site site;
    if (!wl_code_site_find(address, &site))
        return false;
    const char *file = site.file ? wl_timeline_name_text(site.file) : NULL;
    const char *function = site.function ? wl_timeline_name_text(site.function) : NULL;
    if ((file && wl_finding_is_toolkit(file, strlen(file))) ||
        (function && wl_code_is_of_launch(function)))
        return false;
    if (file && site.line && function)
        wl_text_addf(out, "%s at %s:%u (%s)", before, file, (unsigned)site.line, function);
    else if (file && site.line)
        wl_text_addf(out, "%s at %s:%u", before, file, (unsigned)site.line);
    else if (function && strncmp(function, "cuda", 4) != 0) /* the toolkit's, of C++ */
        wl_text_addf(out, "%s in %s", before, function);
    else
        return false;
    return true;
}

static bool is_outermost(const void *address)
{
    struct wl_code_site site;
    return !wl_code_site_find(address, &site) || !site.function ||
           strcmp(wl_timeline_name_text(site.function), "main") == 0;
}

void wl_callers_print(const struct wl_callers *callers, const char *verb, struct wl_text *out)
{
    char *before = wl_string_format("; %s", verb);
    int printed = 0;
    for (int i = 0; i < callers->count && printed < CALLERS_PRINTED; i++) {
        printed += print_caller(callers->frames[i], printed ? ", called" : before, out);
        if (is_outermost(callers->frames[i]))
            break;
    }
    free(before);
}

/* ---- where memory came from ---- */

struct origin {
    uint64_t start;
    struct wl_callers allocated, freed;
    UT_hash_handle hh;
};

static struct {
    pthread_mutex_t lock;
    struct origin *all; /* the latest that began at each address */
} origins = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wl_origins_add(const struct wl_device_memory_change *change)
{
    struct wl_callers callers;
    struct origin *origin;
    wl_callers_take(&callers);
    pthread_mutex_lock(&origins.lock);
    HASH_FIND(hh, origins.all, &change->start, sizeof change->start, origin);
    if (!origin && !change->is_free && HASH_COUNT(origins.all) < ORIGINS_MAX) {
        origin = wl_alloc_zero(1, sizeof *origin);
        origin->start = change->start;
        HASH_ADD(hh, origins.all, start, sizeof origin->start, origin);
    }
    if (origin && change->is_free) {
        origin->freed = callers;
    } else if (origin) {
        origin->allocated = callers;
        origin->freed.count = 0;
    }
    pthread_mutex_unlock(&origins.lock);
}

void wl_origins_print(uint64_t start, bool is_freed, struct wl_text *out)
{
    struct origin *found, origin = {0};
    pthread_mutex_lock(&origins.lock);
    HASH_FIND(hh, origins.all, &start, sizeof start, found);
    if (found)
        origin = *found;
    pthread_mutex_unlock(&origins.lock);
    wl_callers_print(&origin.allocated, "allocated", out);
    if (is_freed)
        wl_callers_print(&origin.freed, "freed", out);
}
