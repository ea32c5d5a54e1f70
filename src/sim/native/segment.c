/* Finds what is compiled together: operations in a row that have rows in rows.def. */
#include "sim/native/native.h"

#include <stdlib.h>
#include <string.h>

#include "sim/check.h"

static bool is_simple_parameter(const struct wl_op *op)
{
    return op->count == 1 && op->width_bytes == (op->flags & WL_OPF_DST64 ? 8 : 4);
}

/* What is added to the address must fit an instruction, wherever lanes lie to each other. */
static bool is_short_way(int64_t bytes)
{
    return bytes > -(1 << 30) && bytes < 1 << 30;
}

/* One, or two or four of 32 bits. */
static bool has_simple_elements(const struct wl_op *op)
{
    return op->count == 1 || (!(op->flags & WL_OPF_DST64) && (op->count == 2 || op->count == 4));
}

static bool is_simple_global(const struct wl_op *op)
{
    const bool is_wide = op->flags & WL_OPF_DST64;
    return !(op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS)) && has_simple_elements(op) &&
           op->width_bytes == (is_wide ? 8 : 4) && !(op->kind & WL_LOAD_KEPT) && !op->spare &&
           (op->count > 1 || op->dst != UINT32_MAX) && is_short_way(op->imm);
}

static bool is_simple_load(const struct wl_op *op)
{
    return is_short_way((int32_t)op->imm) && !(op->flags & (WL_OPF_DST64 | WL_OPF_NO_ADDRESS)) &&
           op->width_bytes == 4;
}

static bool is_simple_store(const struct wl_op *op)
{
    const bool is_wide = op->flags & WL_OPF_DST64;
    if (op->spare || op->flags & WL_OPF_NO_ADDRESS)
        return false;
    if (op->code == WL_OP_STORE_SHARED)
        return op->count == 1 && is_simple_load(op);
    return !(op->flags & WL_OPF_ADDRESS32) && has_simple_elements(op) &&
           op->width_bytes == (is_wide ? 8 : 4) && is_short_way(op->imm);
}

static bool may_access(const struct wl_program *program, const struct wl_op *op,
                       enum wl_native_takes takes)
{
    if (takes == WL_NATIVE_FREE)
        return wl_native_is_free_access(program, op);
    switch (wl_native_rows[op->code].form) {
    case WL_NATIVE_SHARED:
        return takes != WL_NATIVE_NO_LOADS && is_simple_load(op);
    case WL_NATIVE_GLOBAL:
        return takes != WL_NATIVE_NO_LOADS && is_simple_global(op);
    default:
        return takes == WL_NATIVE_ALL && is_simple_store(op);
    }
}

/* Flags of sim/exec/convert.c. */
enum { FLAG_FTZ = 2, FLAG_SATURATE = 4, FLAG_INTEGRAL = 8 };

/* Between single precision, and from there to integers of 32 bits. */
static bool is_simple_integral(const struct wl_op *op)
{
    return op->width_bytes == 4 && op->count == 4 && !(op->flags & WL_OPF_DST64) &&
           !(op->imm & ~(int64_t)(FLAG_FTZ | FLAG_SATURATE | FLAG_INTEGRAL));
}

/* AVX2 has no short way to round products of bfloat16, which may be subnormal, and a sum once. */
static bool is_simple_half(const struct wl_op *op, bool is_256)
{
    if (op->code != WL_OP_HALF)
        return true;
    return !(op->imm & ~(int64_t)(WL_HALF_PAIR | WL_HALF_BFLOAT)) && op->kind <= WL_HALF_ABS &&
           !(op->kind == WL_HALF_FMA && is_256);
}

static bool is_pair_of_floats(const struct wl_op *op)
{
    return op->width_bytes == WL_FORMAT_F32 &&
           (op->kind == WL_FORMAT_F16 || op->kind == WL_FORMAT_BF16) &&
           op->imm == (int64_t)WL_ROUND_NEAREST << WL_NARROW_ROUNDING_SHIFT;
}

/* Whether checks have nothing to do at an operation, or only what compiled code has them do. */
static bool is_unchecked(const struct wl_op *op, uint32_t checks)
{
    return !checks || !wl_check_handler(checks, op) || wl_check_is_simple_load(checks, op);
}

static bool may_compile(const struct wl_program *program, uint32_t at, enum wl_native_takes takes,
                        const struct wl_native *native)
{
    const struct wl_op *op = &program->ops[at];
    struct wl_native_shuffle shuffle;
    if (!is_unchecked(op, native->checks))
        return false;
    switch (wl_native_rows[op->code].form) {
    case WL_NATIVE_NONE:
        return false;
    case WL_NATIVE_SPECIAL:
        return op->kind <= WL_SPECIAL_LANEID && !(op->flags & WL_OPF_DST64);
    case WL_NATIVE_PARAMETER:
        return is_simple_parameter(op);
    case WL_NATIVE_INTEGRAL:
        return is_simple_integral(op);
    case WL_NATIVE_TRUNCATE:
        return op->code != WL_OP_CVT_FLOAT_TO_INT || is_simple_integral(op);
    case WL_NATIVE_FLOAT_OF_SHORT:
        return op->width_bytes <= 2 && op->count == 4 && !op->imm;
    case WL_NATIVE_HALVES:
        return is_simple_half(op, native->is_256);
    case WL_NATIVE_PAIR_OF_FLOATS:
        return is_pair_of_floats(op);
    case WL_NATIVE_SHUFFLE:
        return wl_native_find_shuffle(program, at, &shuffle);
    case WL_NATIVE_SHARED:
    case WL_NATIVE_GLOBAL:
    case WL_NATIVE_STORE:
        return may_access(program, op, takes);
    default:
        return true;
    }
}

static bool is_global_access(const struct wl_op *op)
{
    return op->code == WL_OP_LOAD_GLOBAL || op->code == WL_OP_STORE_GLOBAL;
}

uint32_t wl_native_find_writer(const struct wl_program *program,
                               const struct wl_native_segment *segment, uint32_t offset,
                               uint32_t end)
{
    for (uint32_t at = end; at-- > 0;) {
        const struct wl_native_operands all =
            wl_native_operands(&program->ops[segment->first + at]);
        for (uint32_t w = 0; w < all.write_count; w++)
            if (all.writes[w].offset == offset)
                return at;
    }
    return WL_NATIVE_UNWRITTEN;
}

/* Whether an operation can be done ahead of others without a trace: its result stays in a vector.
 */
static bool is_repeatable(const struct wl_op *op)
{
    const struct wl_native_row *row = &wl_native_rows[op->code];
    switch (row->form) {
    case WL_NATIVE_BINARY:
    case WL_NATIVE_SHIFT_WIDE:
    case WL_NATIVE_MULTIPLY_ADD:
    case WL_NATIVE_MULTIPLY_WIDE:
    case WL_NATIVE_NEGATE:
    case WL_NATIVE_MULTIPLY_64:
    case WL_NATIVE_MULTIPLY_ADD_64:
    case WL_NATIVE_ORDER_64:
    case WL_NATIVE_SHIFT_SIGNED_64:
    case WL_NATIVE_MOVE:
    case WL_NATIVE_IMMEDIATE:
    case WL_NATIVE_WIDEN:
    case WL_NATIVE_NARROW:
    case WL_NATIVE_SPECIAL:
    case WL_NATIVE_PARAMETER:
        return !(row->flags & (WL_NATIVE_FLOAT | WL_NATIVE_FLUSHES));
    default:
        return false;
    }
}

#define SLICE_MOST 24 /* operations that are done twice */

bool wl_native_find_slice(const struct wl_program *program, const struct wl_native_segment *segment,
                          uint32_t at, bool in_slice[WL_NATIVE_OPERATIONS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i <= at; i++)
        count += in_slice[i];
    count += !in_slice[at];
    in_slice[at] = true;
    for (uint32_t i = at + 1; i-- > 0;) {
        if (!in_slice[i])
            continue;
        const struct wl_op *op = &program->ops[segment->first + i];
        const struct wl_native_operands all = wl_native_operands(op);
        if (!is_repeatable(op))
            return false;
        for (uint32_t k = 0; k < all.read_count; k++) {
            const uint32_t writer = wl_native_find_writer(program, segment, all.reads[k].offset, i);
            if (writer == WL_NATIVE_UNWRITTEN || in_slice[writer])
                continue;
            in_slice[writer] = true;
            count++;
        }
    }
    return count <= SLICE_MOST;
}

/* Whether the addresses that the segment computes, and another that its operation `at` writes, can
 * be computed when it begins. */
static bool has_slice(const struct wl_program *program, const struct wl_native_segment *segment,
                      uint32_t at)
{
    bool in_slice[WL_NATIVE_OPERATIONS] = {false};
    for (uint32_t i = 0; i < segment->slot_count; i++)
        if (segment->slots[i].written_at != WL_NATIVE_UNWRITTEN)
            wl_native_find_slice(program, segment, segment->slots[i].written_at, in_slice);
    return wl_native_find_slice(program, segment, at, in_slice);
}

/* The slot of an access's address, which is known when the segment begins, or can be computed then.
 */
static bool take_slot(const struct wl_program *program, struct wl_native_segment *segment,
                      const struct wl_op *op, enum wl_native_takes takes)
{
    const uint32_t writer = wl_native_find_writer(program, segment, op->a, segment->count);
    const bool is_global = is_global_access(op);
    uint32_t slot = 0;
    while (slot < segment->slot_count &&
           (segment->slots[slot].offset != op->a || segment->slots[slot].written_at != writer ||
            segment->slots[slot].is_global != is_global))
        slot++;
    segment->slot_of[segment->count] = (uint8_t)slot;
    if (slot < segment->slot_count)
        return true;
    const bool is_derived = writer != WL_NATIVE_UNWRITTEN;
    if (slot == WL_NATIVE_SLOTS ||
        (is_derived && (takes < WL_NATIVE_CHECKED || !has_slice(program, segment, writer))))
        return false;
    segment->slots[slot].offset = op->a;
    segment->slots[slot].written_at = writer;
    segment->slots[slot].is_global = is_global;
    segment->slots[slot].is_wide = !(op->flags & WL_OPF_ADDRESS32);
    segment->slot_count++;
    segment->is_derived |= is_derived;
    return true;
}

/* A load behind a store to the same memory, or a store too many, is another segment's. */
static bool take(const struct wl_program *program, struct wl_native_segment *segment,
                 enum wl_native_takes takes, const struct wl_native *native)
{
    const uint32_t at = segment->first + segment->count;
    const struct wl_op *op = &program->ops[at];
    if (segment->count == WL_NATIVE_OPERATIONS || !may_compile(program, at, takes, native))
        return false;
    const uint8_t form = wl_native_rows[op->code].form;
    const bool loads = form == WL_NATIVE_SHARED || form == WL_NATIVE_GLOBAL;
    const bool stores = form == WL_NATIVE_STORE, is_global = is_global_access(op);
    if (takes == WL_NATIVE_FREE) {
        segment->is_free |= loads || stores;
        segment->count++;
        return true;
    }
    if ((loads && (is_global ? segment->stores_global : segment->stores_shared)) ||
        (stores && segment->store_count == WL_NATIVE_STORES) ||
        ((loads || stores) && !take_slot(program, segment, op, takes)))
        return false;
    segment->global_loads += loads && is_global;
    if (stores) {
        segment->stores[segment->store_count++] = segment->count;
        segment->stores_global |= is_global;
        segment->stores_shared |= !is_global;
    }
    segment->count++;
    return true;
}

/* The longest segment that begins there. */
static void find_one(const struct wl_program *program, uint32_t at, uint32_t end,
                     enum wl_native_takes takes, const struct wl_native *native,
                     struct wl_native_segment *segment)
{
    uint8_t *slot_of = segment->slot_of;
    *segment = (struct wl_native_segment){.first = at, .index = UINT32_MAX, .slot_of = slot_of};
    while (segment->first + segment->count < end && take(program, segment, takes, native))
        ;
}

static void keep(const struct wl_program *program, struct wl_native *native,
                 const struct wl_native_segment *segment)
{
    struct wl_native_segment *kept = wl_alloc(sizeof *kept);
    *kept = *segment;
    kept->number = (uint32_t)native->segments.count;
    kept->slot_of = wl_alloc(segment->count);
    memcpy(kept->slot_of, segment->slot_of, segment->count);
    kept->globals = wl_alloc(segment->count * sizeof *kept->globals);
    for (uint32_t i = 0; i < segment->count; i++)
        if (is_global_access(&program->ops[segment->first + i]))
            kept->globals[kept->global_count++] = (uint16_t)i;
    if (kept->slot_count)
        kept->index = native->plan_count++;
    WL_PUSH(&native->segments, kept);
}

void wl_native_find(const struct wl_program *program, uint32_t first, uint32_t end,
                    enum wl_native_takes takes, struct wl_native *native)
{
    uint8_t slot_of[WL_NATIVE_OPERATIONS] = {0};
    for (uint32_t at = first; at < end;) {
        struct wl_native_segment segment = {.slot_of = slot_of};
        find_one(program, at, end, takes, native, &segment);
        if (segment.slot_count && !wl_native_has_bases(program, &segment))
            find_one(program, at, end, WL_NATIVE_LOADS, native, &segment);
        if (segment.count && (takes != WL_NATIVE_FREE || segment.is_free))
            keep(program, native, &segment);
        at += segment.count ? segment.count : 1;
    }
}
