#include "interpose/system/call.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "base/count.h"
#include "interpose/engine.h"

static const struct wl_timeline_engine *engine;
static const char *own_from, *own_to; /* where the engine is in memory */

/* What records calls the system itself, when it puts a name away, say. */
static _Thread_local bool is_recording __attribute__((tls_model("initial-exec")));

static int find_engine(struct dl_phdr_info *info, size_t size, void *address)
{
    (void)size;
    const char *from = NULL, *to = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const char *part = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        from = !from || part < from ? part : from;
        to = part + info->dlpi_phdr[i].p_memsz > to ? part + info->dlpi_phdr[i].p_memsz : to;
    }
    if ((const char *)address < from || (const char *)address >= to)
        return 0;
    own_from = from;
    own_to = to;
    return 1;
}

/* Before that nothing is recorded, so that what loading itself calls goes straight on. */
__attribute__((constructor)) static void open_engine(void)
{
    int saved_errno = errno;
    const struct wl_timeline_engine *found = wl_interpose_engine();
    if (found)
        dl_iterate_phdr(find_engine, (void *)found);
    __atomic_store_n(&engine, found, __ATOMIC_RELEASE);
    errno = saved_errno;
}

const struct wl_timeline_engine *wl_system_engine(void)
{
    return __atomic_load_n(&engine, __ATOMIC_ACQUIRE);
}

/* Of these the C library has two, and gives the one of 2002 to those who ask without a version: its
 * condition variables are other ones. */
static void *find_newer(const char *name)
{
    static const char *const names[] = {"pthread_cond_wait", "pthread_cond_timedwait"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return NULL;
}

wl_system_function *wl_system_resolve(const char *name)
{
    wl_system_function *function = NULL;
    int saved_errno = errno;
    *(void **)&function = find_newer(name);
    if (!function) /* there never was but one, on later machines */
        *(void **)&function = dlsym(RTLD_NEXT, name);
    errno = saved_errno;
    if (!function)
        __builtin_trap();
    return function;
}

uint64_t wl_system_begin(const void *caller)
{
    const struct wl_timeline_engine *found = wl_system_engine();
    bool is_ours = (const char *)caller >= own_from && (const char *)caller < own_to;
    if (!found || is_recording || is_ours || !found->is_wanted(WL_TIMELINE_OSRT) || found->is_own())
        return 0;
    return found->now();
}

void wl_system_end(const char *name, uint32_t *name_id, uint64_t start, uint64_t result)
{
    const struct wl_timeline_engine *found = wl_system_engine();
    int saved_errno = errno;
    uint64_t end = found->now();
    is_recording = true;
    if (found->length_ns(start, end) >= found->least_call_ns) {
        if (!__atomic_load_n(name_id, __ATOMIC_RELAXED))
            __atomic_store_n(name_id, found->name(name), __ATOMIC_RELAXED);
        struct wl_timeline_record record = {.category = WL_TIMELINE_OSRT,
                                            .start = start,
                                            .end = end,
                                            .name = *name_id,
                                            .words = {result}};
        found->put(&record);
    }
    is_recording = false;
    errno = saved_errno;
}
