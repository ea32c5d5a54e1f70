/* Loads and stores of shared memory. */
#include "sim/exec/spread.h"
#include "sim/exec/window.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* Lane by lane; apart from the short way, which needs no room on the stack. */
static __attribute__((noinline)) const struct wl_op *load_slowly(struct wl_warp *warp,
                                                                 const struct wl_op *op)
{
    struct access access;
    if (reach_spread(&access, warp, op, WL_SITE_LOAD)) {
        load_spread(&access);
        return op + 1;
    }
    access_resolve(&access, warp, op, WL_SITE_LOAD);
    if (!WL_EXEC(access_shared)(&access))
        return NULL;
    load(&access);
    return op + 1;
}

static __attribute__((noinline)) const struct wl_op *store_slowly(struct wl_warp *warp,
                                                                  const struct wl_op *op)
{
    struct access access;
    if (reach_spread(&access, warp, op, WL_SITE_STORE)) {
        store_spread(&access);
        return op + 1;
    }
    access_resolve(&access, warp, op, WL_SITE_STORE);
    if (!WL_EXEC(access_shared)(&access))
        return NULL;
    store(&access);
    return op + 1;
}

RUN(LOAD_SHARED)
{
    const void *window = may_have_window(op) ? repeat_window(warp, op) : NULL;
    if (!window)
        return load_slowly(warp, op);
    load_window(warp, op, window, &warp->worker->sites[op->site].memo);
    return op + 1;
}

RUN(STORE_SHARED)
{
    void *window = may_have_window(op) ? repeat_window(warp, op) : NULL;
    if (!window)
        return store_slowly(warp, op);
    store_window(warp, op, window, &warp->worker->sites[op->site].memo);
    return op + 1;
}
