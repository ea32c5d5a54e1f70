#include "inject/sites.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "binary/place.h"
#include "trace/trace.h"

enum { KNOWN_MAX = 1 << 12 };

/* By address: open addressing. Only grows, up to three quarters. */
static struct {
    pthread_mutex_t lock;
    struct known {
        const void *address;
        bool is_program;
        struct wl_code_site site;
    } items[KNOWN_MAX];
    size_t count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void (*hold_clock)(bool is_held);

void wl_code_sites_set_hold(void (*hold)(bool is_held))
{
    hold_clock = hold;
}

/* Runtimes with their plugins, and all that they call on their way to us. */
static bool is_runtime(const void *address)
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
        site.file = wl_trace_name(place.file);
        site.function = wl_trace_name(place.function);
        site.line = place.line;
        wl_source_place_free(&place);
    }
    return site;
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
    struct known fresh = {.address = address, .is_program = !is_runtime(address)};
    if (fresh.is_program)
        fresh.site = read_site(address);
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
