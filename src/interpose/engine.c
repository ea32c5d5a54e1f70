#include "interpose/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

void *wl_interpose_find(const char *function)
{
    int saved_errno = errno;
    const char *path = getenv("WARPLENS_TRACE_ENGINE");
    void *file = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
    void *found = file ? dlsym(file, function) : NULL;
    errno = saved_errno;
    return found;
}

const struct wl_timeline_engine *wl_interpose_engine(void)
{
    const struct wl_timeline_engine *(*get)(void) = NULL;
    *(void **)&get = wl_interpose_find("wl_timeline_engine");
    const struct wl_timeline_engine *engine = get ? get() : NULL;
    return engine && engine->version == WL_TIMELINE_ENGINE_VERSION ? engine : NULL;
}
