#include "collect/sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "binary/place.h"
#include "timeline/names.h"
#include "timeline/timeline.h"

enum { KNOWN_MAX = 1 << 12 };

/* By address: open addressing. Only grows, up to three quarters. */
static struct {
    pthread_mutex_t lock;
    struct known {
        const void *address;
        bool is_program;
        struct wl_code_site site;
        uint32_t label; /* in stacks; 0: none */
    } items[KNOWN_MAX];
    size_t count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void (*hold_clock)(bool is_held);

void wl_code_sites_set_hold(void (*hold)(bool is_held))
{
    hold_clock = hold;
}

/* Runtimes with their plugins, and all that they call on their way to us. */
bool wl_code_is_runtime(const void *address)
{
    static const char *const names[] = {"libgomp", "libacc",       "libcuda", "libomp",
                                        "libiomp", "libwarplens-", "libnv"};
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static struct wl_code_site read_site(const void *address)
{
    struct wl_source_place place;
    struct wl_code_site site = {0};
    /* the address is that behind the call */
    if (wl_source_place_find((uintptr_t)address - 1, &place)) {
        site.file = wl_timeline_name(place.file);
        site.function = wl_timeline_name(place.function);
        site.line = place.line;
        wl_source_place_free(&place);
    }
    return site;
}

/* The function, or where in which file it is; nothing for what calls main or a thread's function.
 */
static uint32_t choose_label(const void *address, const struct wl_code_site *site)
{
    static const char *const quiet[] = {"libc.so", "ld-linux", "libpthread", "libm.so"};
    Dl_info info;
    bool is_there = dladdr(address, &info) && info.dli_fname;
    const char *slash = is_there ? strrchr(info.dli_fname, '/') : NULL;
    const char *file = slash ? slash + 1 : is_there ? info.dli_fname : "?";
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (strncmp(file, quiet[i], strlen(quiet[i])) == 0)
            return 0;
    if (site->function)
        return strcmp(wl_timeline_name_text(site->function), "_start") == 0 ? 0 : site->function;
    char *text = wl_string_format(
        "%s+0x%tx", file, is_there ? (const char *)address - (const char *)info.dli_fbase : 0);
    uint32_t label = wl_timeline_name(text);
    free(text);
    return label;
}

/* With the lock. */
static const struct known *look_up(const void *address)
{
    size_t at = (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KNOWN_MAX;
    while (known.items[at].address && known.items[at].address != address)
        at = (at + 1) % KNOWN_MAX;
    if (known.items[at].address)
        return &known.items[at];
    if (known.count == KNOWN_MAX / 4 * 3)
        return NULL;
    struct known fresh = {.address = address, .is_program = !wl_code_is_runtime(address)};
    if (fresh.is_program) {
        fresh.site = read_site(address);
        fresh.label = choose_label(address, &fresh.site);
    }
    known.count++;
    known.items[at] = fresh;
    return &known.items[at];
}

bool wl_code_site_find(const void *address, struct wl_code_site *site)
{
    *site = (struct wl_code_site){0};
    if (hold_clock)
        hold_clock(true);
    pthread_mutex_lock(&known.lock);
    const struct known *found = look_up(address);
    bool is_program = found && found->is_program;
    if (is_program)
        *site = found->site;
    pthread_mutex_unlock(&known.lock);
    if (hold_clock)
        hold_clock(false);
    return is_program;
}

/* ---- stacks ---- */

enum { FRAMES_MAX = 64, STACKS_MAX = 1 << 13 };

static struct {
    atomic_int wanted;
    struct stack {
        uint64_t hash; /* of its addresses, never 0 */
        uint32_t name;
    } items[STACKS_MAX]; /* by hash; with the lock of what is known */
    size_t count;
} stacks;

static bool is_wanted(const char *function)
{
    static const char *const parts[] = {[WL_STACKS_KERNEL] = "Launch",
                                        [WL_STACKS_MEMORY] = "Mem",
                                        [WL_STACKS_SYNC] = "Synchronize"};
    int wanted = atomic_load_explicit(&stacks.wanted, memory_order_relaxed);
    return wanted == WL_STACKS_ALL || (wanted && strstr(function, parts[wanted]));
}

/* With the lock. Outermost first. */
static uint32_t name_stack(void *const *frames, int count)
{
    struct wl_text text = {0};
    for (int i = count; i-- > 0;) {
        const struct known *frame = look_up(frames[i]);
        if (frame && frame->label)
            wl_text_addf(&text, "%s%s", text.length ? ";" : "",
                         wl_timeline_name_text(frame->label));
    }
    uint32_t name = text.length ? wl_timeline_name(text.data) : 0;
    wl_text_free(&text);
    return name;
}

/* With the lock. */
static uint32_t find_stack(void *const *frames, int count)
{
    uint64_t hash = 1;
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash |= 1;
    size_t at = (size_t)(hash >> 40) % STACKS_MAX;
    while (stacks.items[at].hash && stacks.items[at].hash != hash)
        at = (at + 1) % STACKS_MAX;
    if (!stacks.items[at].hash) {
        if (stacks.count == STACKS_MAX / 4 * 3)
            return 0;
        stacks.count++;
        stacks.items[at] = (struct stack){hash, name_stack(frames, count)};
    }
    return stacks.items[at].name;
}

uint32_t wl_code_stack(const char *function)
{
    void *frames[FRAMES_MAX];
    if (!is_wanted(function))
        return 0;
    if (hold_clock)
        hold_clock(true);
    int count = backtrace(frames, FRAMES_MAX);
    pthread_mutex_lock(&known.lock);
    uint32_t name = find_stack(frames, count);
    pthread_mutex_unlock(&known.lock);
    if (hold_clock)
        hold_clock(false);
    return name;
}

void wl_code_stacks_start(enum wl_stacks wanted)
{
    void *frame;
    atomic_store(&stacks.wanted, (int)wanted);
    if (!wanted)
        return;
    backtrace(&frame, 1); /* loads the unwinder, which may not be done in a callback */
    wl_timeline_set_stacks(wl_code_stack);
}
