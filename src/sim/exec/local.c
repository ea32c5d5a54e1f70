/* Loads from local memory and stores to it. */
#include "sim/exec/move.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* The offset that all active lanes access, if it is one, aligned, and within local memory, which
 * lies in rows. */
static bool find_row(const struct wl_warp *warp, const struct wl_op *op, u64 *offset)
{
    const struct wl_program *program = warp->worker->run->program;
    const u64 bytes = (u64)op->width_bytes * op->count;
    const bool is_one = access_find_one(warp, op, offset);
    *offset &= ~WL_WINDOW_MASK;
    return is_one && program->has_local_rows && !(*offset & (bytes - 1)) &&
           wl_reach_holds(0, program->local_bytes, *offset, bytes);
}

static void count(struct wl_warp *warp, const struct wl_op *op, enum wl_site_access kind,
                  u64 offset)
{
    struct access access; /* its addresses are not read */
    access.warp = warp;
    access.op = op;
    access.site = &warp->worker->sites[op->site];
    access.bytes = (u32)op->width_bytes * op->count;
    access.kind = kind;
    access.is_local = access.has_rows = true;
    WL_EXEC(count_local_row)(&access, offset);
}

/* The row of the element, which begins behind so many bits of each lane's. */
static u64 *row_of(const struct wl_warp *warp, u64 offset, u32 *shift)
{
    *shift = (u32)(offset % WL_LOCAL_ELEMENT_BYTES * 8);
    return __builtin_assume_aligned(
        warp->local + offset / WL_LOCAL_ELEMENT_BYTES * WL_LOCAL_ROW_BYTES, 64);
}

#define LOAD_ROW(source_type, value_type, register_type)                                           \
    do {                                                                                           \
        register_type *d = lane_register(warp, element_register(op, k));                           \
        const register_type mask = active;                                                         \
        WL_FOR_LANES (i) {                                                                         \
            const register_type value = (register_type)(value_type)(source_type)(row[i] >> shift); \
            d[i] = mask & (sizeof(register_type) == 8 ? lane_bits_8[i] : lane_bits_4[i]) ? value   \
                                                                                         : d[i];   \
        }                                                                                          \
    } while (0)

#define STORE_ROW(memory_type, register_type)                                  \
    do {                                                                       \
        const register_type *s = lane_register(warp, element_register(op, k)); \
        const u64 own = (u64)(memory_type) ~(memory_type)0 << shift;           \
        WL_FOR_LANES (i) {                                                     \
            const u64 value = (u64)(memory_type)s[i] << shift;                 \
            const u64 written = active & lane_bits_8[i] ? own : 0;             \
            row[i] = (row[i] & ~written) | (value & written);                  \
        }                                                                      \
    } while (0)

RUN(LOAD_LOCAL)
{
    u64 offset;
    if (!find_row(warp, op, &offset)) {
        struct access access;
        access_resolve(&access, warp, op, WL_SITE_LOAD);
        if (!WL_EXEC(access_local)(&access))
            return NULL;
        load(&access);
        return op + 1;
    }
    const u32 active = warp->active;
    warp->sm->turn_loads++;
    if (warp->worker->run->count)
        count(warp, op, WL_SITE_LOAD, offset);
    for (int k = 0; k < op->count; k++, offset += op->width_bytes) {
        u32 shift;
        const u64 *row = row_of(warp, offset, &shift);
        if (element_register(op, k) != UINT32_MAX)
            FOR_LOADED_TYPES(op, LOAD_ROW);
    }
    return op + 1;
}

RUN(STORE_LOCAL)
{
    u64 offset;
    if (!find_row(warp, op, &offset)) {
        struct access access;
        access_resolve(&access, warp, op, WL_SITE_STORE);
        if (!WL_EXEC(access_local)(&access))
            return NULL;
        store(&access);
        return op + 1;
    }
    const u64 active = warp->active;
    if (warp->worker->run->count)
        count(warp, op, WL_SITE_STORE, offset);
    for (int k = 0; k < op->count; k++, offset += op->width_bytes) {
        u32 shift;
        u64 *row = row_of(warp, offset, &shift);
        FOR_STORED_TYPES(op, STORE_ROW);
    }
    return op + 1;
}
