/* Texture fetches and surface accesses. */
#include "sim/exec/access.h"
#include "sim/exec/texels.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* Lanes whose texels go to L1 as one request: measured on an H200. */
#define LANES_MAX 8 /* of surfaces, and of fetches by integers from a line of one channel */
#define LANES_OF_TEXTURE 4

/* What a request of some lanes touches, as the caches see it. */
struct trace {
    struct wl_warp *warp;
    const struct wl_op *op;
    enum wl_site_access kind;
    u32 lanes, bytes, group; /* of a request, of an access; the request at hand */
    bool is_begun;
    u64 address[LANES_MAX * TEXELS_MAX];
    u32 count;
};

static void flush_trace(struct trace *trace)
{
    if (trace->count && trace->warp->worker->run->count) {
        WL_EXEC(access_texture)
        (trace->warp, trace->op, trace->kind, trace->address, trace->count, trace->bytes,
         !trace->is_begun);
        trace->is_begun = true;
    }
    trace->count = 0;
}

/* The rest, and the instruction itself where it touched nothing. */
static void end_trace(struct trace *trace)
{
    flush_trace(trace);
    trace->warp->sm->turn_loads += trace->kind == WL_SITE_LOAD;
    if (!trace->is_begun && trace->warp->worker->run->count)
        WL_EXEC(access_texture)(trace->warp, trace->op, trace->kind, NULL, 0, trace->bytes, true);
}

static void add_to_trace(struct trace *trace, u32 lane, const u64 *address, u32 count)
{
    if (lane / trace->lanes != trace->group)
        flush_trace(trace);
    trace->group = lane / trace->lanes;
    memcpy(trace->address + trace->count, address, count * sizeof *address);
    trace->count += count;
}

static const u32 *list_of(const struct wl_warp *warp, const struct wl_op *op)
{
    return warp->worker->run->program->operands + op->dst;
}

static u32 lane_word(const struct wl_warp *warp, u32 reg, u32 lane)
{
    return ((const u32 *)lane_register(warp, reg))[lane];
}

/* What handle 0 is: hardware reads zeros there. */
static const struct wl_texture no_texture = {.storage = WL_TEXTURE_BUFFER};

/* The texture or surface of a lane, whose memory must be there; NULL: the warp has faulted. */
static const struct wl_texture *find_texture(struct wl_warp *warp, const struct wl_op *op, u32 reg,
                                             u32 lane, const struct wl_texture *last)
{
    const struct wl_run *run = warp->worker->run;
    const u64 handle = ((const u64 *)lane_register(warp, reg))[lane];
    const struct wl_texture *texture =
        handle < run->launch->texture_count ? run->launch->textures[handle] : NULL;
    if (texture && texture == last)
        return texture;
    if (handle == 0 && op->code == WL_OP_TEXTURE_FETCH)
        return &no_texture;
    if (!texture) {
        warp->active = LANE_BIT(lane);
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "no texture or surface object",
                      "0x%llx is none", (unsigned long long)handle);
        return NULL;
    }
    struct wl_site_state ignored = {0};
    if (op->code == WL_OP_TEXTURE_QUERY ||
        wl_run_find_range(run, &ignored, texture->address, texture->size_bytes))
        return texture;
    warp->active = LANE_BIT(lane);
    wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                  "the memory of texture object 0x%llx was freed", (unsigned long long)handle);
    return NULL;
}

/* Of lanes that nobody counts, from one texture. False: it is no such fetch. */
static bool fetch_together(struct wl_warp *warp, const struct wl_op *op, const u32 *list)
{
    const u64 *handles = lane_register(warp, list[4]);
    const u32 first = (u32)__builtin_ctz(warp->active);
    u32 results[4][WL_LANES] __attribute__((aligned(64))), others = 0;
    const u32 *coordinates[4] = {NULL};
    const struct wl_run *run = warp->worker->run;
    const u64 handle = handles[first];
    WL_FOR_LANES (i)
        others |= handles[i] != handle ? lane_bits_4[i] : 0;
    if (run->count || op->width_bytes || others & warp->active || handle == 0 ||
        handle >= run->launch->texture_count || !run->launch->textures[handle])
        return false;
    const struct wl_texture *texture = run->launch->textures[handle];
    struct wl_site_state ignored = {0};
    for (u32 i = 0; i < wl_texture_coordinates(op->kind); i++)
        coordinates[i] = lane_register(warp, list[5 + i]);
    if (!wl_run_find_range(run, &ignored, texture->address, texture->size_bytes) ||
        !WL_EXEC(texels_fetch_lanes)(texture, op->kind, op->flags & WL_OPF_SIGNED, coordinates,
                                     results))
        return false;
    for (u32 k = 0; k < 4; k++) {
        u32 *to = lane_register(warp, list[k]);
        WL_FOR_LANES (i)
            to[i] = warp->active & lane_bits_4[i] ? results[k][i] : to[i];
    }
    warp->sm->turn_loads++;
    return true;
}

RUN(TEXTURE_FETCH)
{
    const u32 *list = list_of(warp, op);
    const enum wl_texture_geometry geometry = op->kind;
    const u32 coordinates = wl_texture_coordinates(geometry);
    const struct wl_texture *texture = NULL;
    const bool is_line = geometry == WL_TEXTURE_1D && op->flags & WL_OPF_SIGNED;
    struct trace trace = {
        .warp = warp, .op = op, .kind = WL_SITE_LOAD, .lanes = LANES_OF_TEXTURE, .bytes = 4};
    if (fetch_together(warp, op, list))
        return op + 1;
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        texture = find_texture(warp, op, list[4], lane, texture);
        if (!texture)
            return NULL;
        if (is_line && texture->channels == 1)
            trace.lanes = LANES_MAX;
        struct texel_request request = {.geometry = geometry,
                                        .is_integer = op->flags & WL_OPF_SIGNED,
                                        .is_counted = warp->worker->run->count,
                                        .gather = op->width_bytes};
        struct texels texels;
        for (u32 i = 0; i < coordinates; i++)
            request.coordinates[i] = lane_word(warp, list[5 + i], lane);
        WL_EXEC(texels_fetch)(texture, &request, &texels);
        for (u32 i = 0; i < 4; i++)
            ((u32 *)lane_register(warp, list[i]))[lane] = texels.result[i];
        add_to_trace(&trace, lane, texels.addresses, texels.count);
    }
    end_trace(&trace);
    return op + 1;
}

/* Where each lane's access of a surface goes; 0: nowhere. False: the warp has faulted. */
static bool reach_surface(struct wl_warp *warp, const struct wl_op *op, const u32 *list,
                          enum wl_site_access kind, u64 address[WL_LANES],
                          const struct wl_texture *textures[WL_LANES])
{
    const enum wl_surface_edge edge = op->imm & WL_SURFACE_EDGE_MASK;
    const enum wl_texture_geometry geometry = op->kind;
    const u32 bytes = (u32)op->width_bytes * op->count;
    const bool is_formatted = op->imm & WL_SURFACE_FORMATTED;
    const struct wl_texture *surface = NULL;
    struct trace trace = {.warp = warp, .op = op, .kind = kind, .lanes = LANES_MAX, .bytes = bytes};
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        s32 at[4];
        surface = find_texture(warp, op, list[0], lane, surface);
        if (!surface)
            return false;
        for (u32 i = 0; i < wl_texture_coordinates(geometry); i++)
            at[i] = (s32)lane_word(warp, list[1 + i], lane);
        /* formatted stores move what the surface's elements have */
        const u32 moved =
            is_formatted && kind == WL_SITE_STORE ? wl_texture_element_bytes(surface) : bytes;
        u64 cached;
        textures[lane] = surface;
        address[lane] = 0;
        if (WL_EXEC(texels_locate)(surface, geometry, at, moved, is_formatted,
                                   edge == WL_SURFACE_CLAMP, &address[lane], &cached)) {
            if ((!is_formatted || kind == WL_SITE_REDUCTION) && address[lane] % bytes) {
                warp->active = LANE_BIT(lane);
                wl_warp_fault(warp, op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                              "byte %d of a surface is not a multiple of %u", at[0], bytes);
                return false;
            }
            add_to_trace(&trace, lane, &cached, 1);
            continue;
        }
        address[lane] = 0;
        if (edge != WL_SURFACE_TRAP)
            continue;
        warp->active = LANE_BIT(lane);
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "surface access out of bounds",
                      "the surface has %u x %u x %u elements of %u bytes", surface->width,
                      surface->height ? surface->height : 1, surface->depth ? surface->depth : 1,
                      wl_texture_element_bytes(surface));
        return false;
    }
    end_trace(&trace);
    return true;
}

RUN(SURFACE_LOAD)
{
    const u32 *list = list_of(warp, op);
    u64 address[WL_LANES];
    const struct wl_texture *textures[WL_LANES];
    if (!reach_surface(warp, op, list + op->count, WL_SITE_LOAD, address, textures))
        return NULL;
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        for (u32 i = 0; i < op->count; i++) {
            u64 value = 0;
            if (address[lane])
                memcpy(&value, (const uint8_t *)(uintptr_t)address[lane] + i * op->width_bytes,
                       op->width_bytes);
            if (op->flags & WL_OPF_DST64)
                ((u64 *)lane_register(warp, list[i]))[lane] = value;
            else
                ((u32 *)lane_register(warp, list[i]))[lane] = (u32)value;
        }
    }
    return op + 1;
}

static void store_lane(struct wl_warp *warp, const struct wl_op *op, const u32 *values, u32 lane,
                       const struct wl_texture *surface, u64 address)
{
    if (op->imm & WL_SURFACE_FORMATTED) {
        u32 words[4] = {0};
        for (u32 i = 0; i < op->count; i++)
            words[i] = lane_word(warp, values[i], lane);
        WL_EXEC(texels_store)(surface, address, words);
        return;
    }
    for (u32 i = 0; i < op->count; i++) {
        const void *value = op->flags & WL_OPF_DST64
                                ? (const void *)((const u64 *)lane_register(warp, values[i]) + lane)
                                : (const u32 *)lane_register(warp, values[i]) + lane;
        memcpy((uint8_t *)(uintptr_t)address + i * op->width_bytes, value, op->width_bytes);
    }
}

RUN(SURFACE_STORE)
{
    const u32 *list = list_of(warp, op);
    const u32 *values = list + 1 + wl_texture_coordinates((enum wl_texture_geometry)op->kind);
    u64 address[WL_LANES];
    const struct wl_texture *textures[WL_LANES];
    if (!reach_surface(warp, op, list, WL_SITE_STORE, address, textures))
        return NULL;
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        if (address[lane])
            store_lane(warp, op, values, lane, textures[lane], address[lane]);
    }
    return op + 1;
}

static u64 reduced(enum wl_atomic kind, u64 old, u64 operand)
{
    switch (kind) {
    case WL_ATOMIC_ADD_U32:
        return (u32)(old + operand);
    case WL_ATOMIC_ADD_U64:
        return old + operand;
    case WL_ATOMIC_MIN_U32:
        return (u32)old < (u32)operand ? old : operand;
    case WL_ATOMIC_MAX_U32:
        return (u32)old > (u32)operand ? old : operand;
    case WL_ATOMIC_MIN_S32:
        return (s32)old < (s32)operand ? old : operand;
    case WL_ATOMIC_MAX_S32:
        return (s32)old > (s32)operand ? old : operand;
    case WL_ATOMIC_AND_B32:
        return old & operand;
    default:
        return old | operand;
    }
}

RUN(SURFACE_REDUCE)
{
    const u32 *list = list_of(warp, op);
    const u32 value = list[1 + wl_texture_coordinates((enum wl_texture_geometry)op->kind)];
    u64 address[WL_LANES];
    const struct wl_texture *textures[WL_LANES];
    if (!reach_surface(warp, op, list, WL_SITE_REDUCTION, address, textures))
        return NULL;
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        const enum wl_atomic kind = op->spare;
        if (!address[lane])
            continue;
        if (op->width_bytes == 8) {
            u64 *cell = (u64 *)(uintptr_t)address[lane],
                old = __atomic_load_n(cell, __ATOMIC_RELAXED);
            u64 operand = ((const u64 *)lane_register(warp, value))[lane];
            while (!__atomic_compare_exchange_n(cell, &old, reduced(kind, old, operand), true,
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
                ;
        } else {
            u32 *cell = (u32 *)(uintptr_t)address[lane],
                old = __atomic_load_n(cell, __ATOMIC_RELAXED);
            u32 operand = lane_word(warp, value, lane);
            while (!__atomic_compare_exchange_n(cell, &old, (u32)reduced(kind, old, operand), true,
                                                __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
                ;
        }
    }
    return op + 1;
}

RUN(TEXTURE_QUERY)
{
    u32 *d = lane_register(warp, op->dst);
    const struct wl_texture *texture = NULL;
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        texture = find_texture(warp, op, op->a, lane, texture);
        if (!texture)
            return NULL;
        d[lane] = WL_EXEC(texels_query)(texture, (enum wl_texture_property)op->kind);
    }
    return op + 1;
}
