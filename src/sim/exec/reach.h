/* Accesses of operations that make several, each with addresses of its own. */
#ifndef WL_SIM_EXEC_REACH_H
#define WL_SIM_EXEC_REACH_H

#include "sim/exec/access.h"

/* A lane's address by the operation's address register and offset. */
static inline u64 reach_base(const struct wl_warp *warp, const struct wl_op *op, u32 lane)
{
    if (op->flags & WL_OPF_NO_ADDRESS)
        return (u64)op->imm;
    if (op->flags & WL_OPF_ADDRESS32)
        return (u32)(((const u32 *)lane_register(warp, op->a))[lane] + (u32)op->imm);
    return ((const u64 *)lane_register(warp, op->a))[lane] + (u64)op->imm;
}

/* Checks and counts at that site one access of bytes a lane; address[] become pointers. All active
 * lanes must be in one space. False: the warp has faulted. */
static inline bool reach_memory_at(struct wl_warp *warp, const struct wl_op *op,
                                   struct wl_site_state *site, enum wl_site_space space,
                                   enum wl_site_access kind, u32 bytes, u64 *address)
{
    struct wl_op part = *op;
    part.width_bytes = (uint8_t)bytes;
    part.count = 1;
    part.flags |= WL_OPF_DST64; /* pointers are wanted, not a window */
    struct access access;       /* its addresses are written below */
    access.warp = warp;
    access.op = &part;
    access.site = site;
    access.bytes = bytes;
    access.kind = kind;
    access.is_local = access.has_rows = false;
    access.dropped = 0;
    access.shape = WL_SHAPE_SCATTERED;
    const u64 first = address[__builtin_ctz(warp->active)], active = warp->active;
    const u64 window = first & WL_WINDOW_MASK;
    WL_FOR_LANES (i)
        access.address[i] = active & lane_bits_8[i] ? address[i] : first;
    bool is_shared = space == WL_SITE_SHARED || window == WL_SHARED_WINDOW;
    if (window == WL_SHARED_WINDOW)
        access_leave_window(access.address, bytes);
    bool is_local = space == WL_SITE_LOCAL || window == WL_LOCAL_WINDOW;
    bool is_good = is_shared  ? WL_EXEC(access_shared)(&access)
                   : is_local ? WL_EXEC(access_local)(&access)
                              : WL_EXEC(access_global)(&access);
    memcpy(address, access.address, sizeof access.address);
    return is_good;
}

/* The same at the operation's own site. */
static inline bool reach_memory(struct wl_warp *warp, const struct wl_op *op,
                                enum wl_site_space space, enum wl_site_access kind, u32 bytes,
                                u64 *address)
{
    return reach_memory_at(warp, op, &warp->worker->sites[op->site], space, kind, bytes, address);
}

#endif
