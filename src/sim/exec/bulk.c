/* Copies in bulk: runs of bytes and boxes of tensors, between global memory and the shared memory
 * of the cluster's blocks. */
#include "base/count.h"
#include "sim/exec/reach.h"
#include "sim/unwritten.h"
#include "warp/tensor_map.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

enum { PIECE_BYTES = 16, TENSOR_ALIGNMENT = 128, FAULTED = -1 };
/* Of where a box begins in a row: else an H200 says illegal instruction
 * (tests/modern/modern_box.cu). */
enum { ROW_ALIGNMENT = 16 };

/* Pieces of one copy, which pass the warp's own counters and L1 by as accesses of 32: only what
 * they move between L2 and shared memory is seen. */
struct pieces {
    struct wl_warp *warp;
    struct wl_op op;
    struct wl_site_state site;
    bool is_load;
    u32 reduced_bytes; /* of an element, where memory is not written but reduced; else 0 */
    enum wl_atomic reduction;
    u32 bytes, count;
    u64 global[WL_LANES];
    uint8_t *shared[WL_LANES];
};

static void begin_pieces(struct pieces *pieces, struct wl_warp *warp, const struct wl_op *op,
                         bool is_load)
{
    memset(&pieces->site, 0, sizeof pieces->site);
    pieces->warp = warp;
    pieces->op = *op;
    pieces->op.flags |= WL_OPF_BYPASS_L1;
    pieces->is_load = is_load;
    pieces->reduced_bytes = 0;
    pieces->count = 0;
}

static void reduce_with(struct pieces *pieces, enum wl_atomic kind, u32 bytes)
{
    pieces->op.kind = (uint8_t)kind;
    pieces->reduction = kind;
    pieces->reduced_bytes = bytes;
}

static void reduce(enum wl_atomic kind, u32 element_bytes, uint8_t *to, const uint8_t *from,
                   u32 bytes)
{
    for (u32 done = 0; done < bytes; done += element_bytes) {
        u64 old = 0, operand = 0;
        memcpy(&old, to + done, element_bytes);
        memcpy(&operand, from + done, element_bytes);
        old = WL_EXEC(reduce_element)(kind, element_bytes, old, operand);
        memcpy(to + done, &old, element_bytes);
    }
}

static bool move_pieces(struct pieces *pieces)
{
    struct wl_warp *warp = pieces->warp;
    const u32 count = pieces->count, bytes = pieces->bytes;
    struct wl_unwritten *unwritten = warp->worker->run->launch->unwritten;
    u64 at[WL_LANES];
    if (!count)
        return true;
    for (u32 i = 0; i < WL_LANES; i++)
        at[i] = pieces->global[i < count ? i : 0];
    set_active(warp, count < WL_LANES ? LANE_BIT(count) - 1 : WL_FULL_MASK);
    if (!reach_memory_at(warp, &pieces->op, &pieces->site, WL_SITE_GLOBAL,
                         pieces->is_load         ? WL_SITE_COPY
                         : pieces->reduced_bytes ? WL_SITE_REDUCTION
                                                 : WL_SITE_STORE,
                         bytes, at))
        return false;
    for (u32 i = 0; i < count; i++) {
        void *global = (void *)(uintptr_t)at[i];
        if (pieces->is_load) {
            memcpy(pieces->shared[i], global, bytes);
            continue;
        }
        if (pieces->reduced_bytes) {
            reduce(pieces->reduction, pieces->reduced_bytes, global, pieces->shared[i], bytes);
            continue;
        }
        memcpy(global, pieces->shared[i], bytes);
        if (unwritten)
            wl_unwritten_remove(unwritten, at[i], bytes);
    }
    pieces->count = 0;
    return true;
}

static bool add_piece(struct pieces *pieces, u64 global, uint8_t *shared, u32 bytes)
{
    if (pieces->count && (pieces->bytes != bytes || pieces->count == WL_LANES) &&
        !move_pieces(pieces))
        return false;
    pieces->bytes = bytes;
    pieces->global[pieces->count] = global;
    pieces->shared[pieces->count++] = shared;
    return true;
}

/* The bytes at an address of shared memory of the cluster; NULL: the lane has faulted. */
static uint8_t *place_of(struct wl_warp *warp, const struct wl_op *op, u32 lane, u32 address,
                         u32 bytes, u32 alignment)
{
    set_active(warp, LANE_BIT(lane));
    if (address % alignment) {
        wl_warp_fault(warp, op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                      "shared offset %u is not a multiple of %u", address & WL_PEER_OFFSET_MASK,
                      alignment);
        return NULL;
    }
    struct access access = {.warp = warp, .op = op, .bytes = bytes};
    return WL_EXEC(shared_place)(&access, lane, address);
}

/* ---- runs of bytes ---- */

static bool copy_run(struct wl_warp *warp, const struct wl_op *op, u32 lane, u64 global,
                     uint8_t *shared, u32 bytes)
{
    struct pieces pieces;
    begin_pieces(&pieces, warp, op, op->kind == WL_BULK_TO_SHARED);
    const u32 piece = op->spare ? op->width_bytes : PIECE_BYTES; /* each element's sector counts */
    if (op->spare)
        reduce_with(&pieces, (enum wl_atomic)(op->spare - 1), op->width_bytes);
    if (global % PIECE_BYTES) {
        set_active(warp, LANE_BIT(lane));
        wl_warp_fault(warp, op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                      "0x%llx is not a multiple of %d", (unsigned long long)global, PIECE_BYTES);
        return false;
    }
    for (u32 done = 0; done < bytes; done += piece)
        if (!add_piece(&pieces, global + done, shared + done, piece))
            return false;
    return move_pieces(&pieces);
}

/* Puts what one block of the cluster got into the same place of those that the mask names. */
static bool multicast(struct wl_warp *warp, const struct wl_op *op, u32 lane, u32 mask, u32 address,
                      const uint8_t *from, u32 bytes)
{
    for (u32 left = mask & 0xffff; left; left &= left - 1) {
        const u32 rank = (u32)__builtin_ctz(left);
        uint8_t *to =
            place_of(warp, op, lane, (address & WL_PEER_OFFSET_MASK) | (rank + 1) << WL_PEER_SHIFT,
                     bytes, 1);
        if (!to)
            return false;
        if (to != from)
            memcpy(to, from, bytes);
    }
    return true;
}

/* The address where a load of one lane first goes: its own, or that of the first block of a
 * multicast. */
static u32 first_of_mask(u32 address, u32 mask)
{
    mask &= 0xffff;
    return mask ? (address & WL_PEER_OFFSET_MASK) | ((u32)__builtin_ctz(mask) + 1) << WL_PEER_SHIFT
                : address;
}

static s64 copy_bulk(struct wl_warp *warp, const struct wl_op *op, u32 lane)
{
    const u32 bytes = ((const u32 *)lane_register(warp, op->c))[lane];
    const u32 address = (u32)reach_base(warp, op, lane);
    const bool is_multicast = op->d != UINT32_MAX;
    const u32 mask = is_multicast ? ((const u32 *)lane_register(warp, op->d))[lane] : 0;
    if (bytes % PIECE_BYTES) {
        set_active(warp, LANE_BIT(lane));
        wl_warp_fault(warp, op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                      "a bulk copy of %u bytes, which is no multiple of %d", bytes, PIECE_BYTES);
        return FAULTED;
    }
    if (!bytes || (is_multicast && !(mask & 0xffff)))
        return 0;
    const u32 first = is_multicast ? first_of_mask(address, mask) : address;
    uint8_t *shared = place_of(warp, op, lane, first, bytes, PIECE_BYTES);
    if (!shared)
        return FAULTED;
    if (op->kind == WL_BULK_TO_PEER) {
        const u32 there = ((const u32 *)lane_register(warp, op->b))[lane];
        uint8_t *to = place_of(warp, op, lane, there, bytes, PIECE_BYTES);
        if (to && op->spare)
            reduce((enum wl_atomic)(op->spare - 1), op->width_bytes, to, shared, bytes);
        else if (to)
            memmove(to, shared, bytes);
        return to ? (s64)bytes : FAULTED;
    }
    const u64 global = ((const u64 *)lane_register(warp, op->b))[lane];
    return copy_run(warp, op, lane, global, shared, bytes) &&
                   (!is_multicast || multicast(warp, op, lane, mask, address, shared, bytes))
               ? (s64)bytes
               : FAULTED;
}

/* Runs a copy of each active lane, which returns its bytes, or a negative number after a fault;
 * they are recorded as one. */
static const struct wl_op *copy_by_lane(struct wl_warp *warp, const struct wl_op *op,
                                        s64 (*copy)(struct wl_warp *warp, const struct wl_op *op,
                                                    u32 lane))
{
    const u32 active = warp->active;
    struct wl_trace_warp *trace = warp->trace;
    s64 total = 0, bytes = 0;
    warp->trace = NULL;
    for (u32 left = active; left && bytes >= 0; left &= left - 1) {
        bytes = copy(warp, op, (u32)__builtin_ctz(left));
        total += bytes;
    }
    warp->trace = trace;
    if (bytes < 0)
        return NULL;
    set_active(warp, active);
    if (trace && !(op->site >> WL_TRACE_SITE_BITS)) {
        wl_trace_push(trace, op->site);
        wl_trace_push(trace, wl_trace_pack_bulk((u64)total, (u32)__builtin_popcount(active),
                                                op->kind == WL_BULK_TO_GLOBAL));
    }
    return op + 1;
}

RUN(COPY_BULK)
{
    const u32 active = warp->active;
    if (op->count) /* the warp's, not each lane's */
        set_active(warp, active & -active);
    const struct wl_op *next = copy_by_lane(warp, op, copy_bulk);
    if (next)
        set_active(warp, active);
    return next;
}

/* ---- boxes of tensors ---- */

/* The map at a generic address: parameters, constants or global memory. NULL: a fault. */
static const struct wl_tensor_map *map_at(struct wl_warp *warp, const struct wl_op *op, u32 lane,
                                          u64 address)
{
    const struct wl_run *run = warp->worker->run;
    const u64 parameters = (u64)(uintptr_t)run->launch->parameters;
    const u32 bytes = sizeof(struct wl_tensor_map);
    struct wl_site_state ignored = {0};
    const bool is_parameter =
        wl_reach_holds(parameters, parameters + run->program->parameter_bytes, address, bytes);
    set_active(warp, LANE_BIT(lane));
    if (!is_parameter && !wl_run_find_range(run, &ignored, address, bytes)) {
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                      "a tensor map at 0x%llx", (unsigned long long)address);
        return NULL;
    }
    if ((is_parameter ? address - parameters : address) % WL_TENSOR_MAP_ALIGNMENT) {
        wl_warp_fault(warp, op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                      "a tensor map at 0x%llx, which is no multiple of 64",
                      (unsigned long long)address);
        return NULL;
    }
    const struct wl_tensor_map *map = (const struct wl_tensor_map *)(uintptr_t)address;
    if (map->magic == WL_TENSOR_MAP_MAGIC && map->rank == op->count)
        return map;
    wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_INSTRUCTION, "illegal instruction",
                  map->magic == WL_TENSOR_MAP_MAGIC
                      ? "a tensor map of %u dimensions for a copy of %u"
                      : "what is no tensor map: cuTensorMapEncodeTiled makes them",
                  map->rank, op->count);
    return NULL;
}

/* A box while it is copied. */
struct box {
    const struct wl_tensor_map *map;
    uint8_t *memory;             /* offset 0 of the block's shared memory */
    u32 start;                   /* the box's offset there */
    s32 at[WL_TENSOR_RANK_MOST]; /* its first element in the tensor */
    struct pieces pieces;
};

static uint8_t *spot(const struct box *box, u32 offset)
{
    return box->memory + wl_tensor_swizzle(box->start + offset, box->map->swizzle_bytes);
}

static void fill(const struct box *box, u32 offset, u32 bytes)
{
    const u32 step = box->map->element_bytes;
    for (u32 done = 0; box->pieces.is_load && done < bytes; done += step)
        memcpy(spot(box, offset + done), &box->map->out_of_bounds, step);
}

/* The atomic for elements of the tensor's type; false: there is none. */
static bool find_reduction(const struct wl_tensor_map *map, enum wl_bulk_reduction reduction,
                           enum wl_atomic *kind)
{
    enum { U32 = 2, S32, U64, S64, F16, F32, F64, BF16 };
    static const struct {
        uint16_t reduction;
        uint8_t type, kind;
    } rows[] = {
        {WL_BULK_ADD, U32, WL_ATOMIC_ADD_U32}, {WL_BULK_ADD, S32, WL_ATOMIC_ADD_U32},
        {WL_BULK_ADD, U64, WL_ATOMIC_ADD_U64}, {WL_BULK_ADD, F32, WL_ATOMIC_ADD_FTZ_F32},
        {WL_BULK_ADD, F16, WL_ATOMIC_ADD_F16}, {WL_BULK_ADD, BF16, WL_ATOMIC_ADD_BF16},
        {WL_BULK_MIN, U32, WL_ATOMIC_MIN_U32}, {WL_BULK_MIN, S32, WL_ATOMIC_MIN_S32},
        {WL_BULK_MIN, U64, WL_ATOMIC_MIN_U64}, {WL_BULK_MIN, S64, WL_ATOMIC_MIN_S64},
        {WL_BULK_MIN, F16, WL_ATOMIC_MIN_F16}, {WL_BULK_MIN, BF16, WL_ATOMIC_MIN_BF16},
        {WL_BULK_MAX, U32, WL_ATOMIC_MAX_U32}, {WL_BULK_MAX, S32, WL_ATOMIC_MAX_S32},
        {WL_BULK_MAX, U64, WL_ATOMIC_MAX_U64}, {WL_BULK_MAX, S64, WL_ATOMIC_MAX_S64},
        {WL_BULK_MAX, F16, WL_ATOMIC_MAX_F16}, {WL_BULK_MAX, BF16, WL_ATOMIC_MAX_BF16},
        {WL_BULK_INC, U32, WL_ATOMIC_INC_U32}, {WL_BULK_DEC, U32, WL_ATOMIC_DEC_U32},
        {WL_BULK_AND, U32, WL_ATOMIC_AND_B32}, {WL_BULK_AND, S32, WL_ATOMIC_AND_B32},
        {WL_BULK_AND, U64, WL_ATOMIC_AND_B64}, {WL_BULK_AND, S64, WL_ATOMIC_AND_B64},
        {WL_BULK_OR, U32, WL_ATOMIC_OR_B32},   {WL_BULK_OR, S32, WL_ATOMIC_OR_B32},
        {WL_BULK_OR, U64, WL_ATOMIC_OR_B64},   {WL_BULK_OR, S64, WL_ATOMIC_OR_B64},
        {WL_BULK_XOR, U32, WL_ATOMIC_XOR_B32}, {WL_BULK_XOR, S32, WL_ATOMIC_XOR_B32},
        {WL_BULK_XOR, U64, WL_ATOMIC_XOR_B64}, {WL_BULK_XOR, S64, WL_ATOMIC_XOR_B64},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].reduction == reduction && rows[i].type == map->type) {
            *kind = (enum wl_atomic)rows[i].kind;
            return true;
        }
    return false;
}

/* Bytes from global on, in pieces that are aligned on both sides. */
static bool copy_inside(struct box *box, u64 global, u32 offset, u32 bytes)
{
    const u32 most = box->pieces.reduced_bytes ? box->pieces.reduced_bytes : PIECE_BYTES;
    const u32 all = (u32)global | offset | bytes | most;
    const u32 piece = all & -all;
    for (u32 done = 0; done < bytes; done += piece)
        if (!add_piece(&box->pieces, global + done, spot(box, offset + done), piece))
            return false;
    return true;
}

/* One row of the box: what lies outside of the tensor is filled, or not written. */
static bool copy_row(struct box *box, u64 row, bool is_inside, u32 offset)
{
    const struct wl_tensor_map *map = box->map;
    const u32 step = map->element_bytes;
    const s64 count = map->box[0], first = box->at[0];
    s64 begin = first < 0 ? -first : 0, end = (s64)wl_tensor_last(map, 0) + 1 - first;
    end = end < count ? end : count;
    if (!is_inside || begin >= end)
        begin = end = count;
    fill(box, offset, (u32)begin * step);
    fill(box, offset + (u32)end * step, (u32)(count - end) * step);
    return begin == end || copy_inside(box, row + (u64)((first + begin) * step),
                                       offset + (u32)begin * step, (u32)(end - begin) * step);
}

/* Bytes from row to row of a box in shared memory: rows that are narrower than what is swizzled
 * stand so far apart (an H200, rows of 32 bytes in swizzles of 64 and 128). */
static u32 pitch_of(const struct wl_tensor_map *map)
{
    const u32 row_bytes = map->box[0] * map->element_bytes;
    return row_bytes < map->swizzle_bytes ? map->swizzle_bytes : row_bytes;
}

static bool copy_box(struct box *box)
{
    const struct wl_tensor_map *map = box->map;
    const u32 pitch = pitch_of(map);
    u32 index[WL_TENSOR_RANK_MOST] = {0}, offset = 0, axis = 0;
    while (axis < map->rank) {
        u64 row = map->address;
        bool is_inside = true;
        for (axis = 1; axis < map->rank; axis++) {
            const s64 at = (s64)box->at[axis] + (s64)index[axis] * map->element_step[axis];
            is_inside &= at >= 0 && at <= (s64)wl_tensor_last(map, axis);
            row += (u64)at * map->stride_bytes[axis - 1];
        }
        if (!copy_row(box, row, is_inside, offset))
            return false;
        offset += pitch;
        for (axis = 1; axis < map->rank && ++index[axis] == wl_tensor_box(map, axis); axis++)
            index[axis] = 0;
    }
    return move_pieces(&box->pieces);
}

/* The list: the bytes that it brings; coordinates. */
static s64 copy_tensor(struct wl_warp *warp, const struct wl_op *op, u32 lane)
{
    const u32 *list = warp->worker->run->program->operands + op->dst;
    const u64 address = ((const u64 *)lane_register(warp, op->b))[lane];
    const u32 shared = (u32)reach_base(warp, op, lane);
    const bool is_multicast = op->c != UINT32_MAX;
    const u32 mask = is_multicast ? ((const u32 *)lane_register(warp, op->c))[lane] : 0;
    struct box box = {.map = map_at(warp, op, lane, address)};
    if (!box.map)
        return FAULTED;
    const u32 bytes = wl_tensor_bytes(box.map);
    ((u32 *)lane_register(warp, list[0]))[lane] = bytes;
    if (is_multicast && !(mask & 0xffff))
        return 0;
    const u32 first = is_multicast ? first_of_mask(shared, mask) : shared;
    const u32 span = bytes / (box.map->box[0] * box.map->element_bytes) * pitch_of(box.map);
    uint8_t *place = place_of(warp, op, lane, first, span, TENSOR_ALIGNMENT);
    if (!place)
        return FAULTED;
    box.start = first & WL_PEER_OFFSET_MASK;
    box.memory = place - box.start;
    for (u32 axis = 0; axis < box.map->rank; axis++)
        box.at[axis] = ((const s32 *)lane_register(warp, list[1 + axis]))[lane];
    if ((u32)box.at[0] * box.map->element_bytes % ROW_ALIGNMENT) {
        wl_warp_fault(
            warp, op, WL_SIM_FAULT_ILLEGAL_INSTRUCTION, "illegal instruction",
            "a box that begins at element %d of %u bytes, which is no multiple of 16 bytes",
            (int)box.at[0], box.map->element_bytes);
        return FAULTED;
    }
    begin_pieces(&box.pieces, warp, op, op->kind == WL_BULK_TO_SHARED);
    enum wl_atomic kind = WL_ATOMIC_ADD_U32;
    if (op->spare && !find_reduction(box.map, (enum wl_bulk_reduction)op->spare, &kind)) {
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_INSTRUCTION, "illegal instruction",
                      "tensors of this type have no such reduction");
        return FAULTED;
    }
    if (op->spare)
        reduce_with(&box.pieces, kind, box.map->element_bytes);
    return copy_box(&box) && (!is_multicast || multicast(warp, op, lane, mask, shared, place, span))
               ? (s64)bytes
               : FAULTED;
}

RUN(COPY_TENSOR)
{
    return copy_by_lane(warp, op, copy_tensor);
}
