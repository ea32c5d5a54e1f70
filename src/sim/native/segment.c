/* Finds what is compiled together: operations in a row that have rows in rows.def. */
#include "sim/native/native.h"

#include <stdlib.h>

#define MOST 512

static bool is_simple_parameter(const struct wl_op *op)
{
    return op->count == 1 && op->width_bytes == (op->flags & WL_OPF_DST64 ? 8 : 4);
}

/* What is added to the address must fit an instruction, wherever lanes lie to each other. */
static bool is_short_way(int64_t bytes)
{
    return bytes > -(1 << 30) && bytes < 1 << 30;
}

static bool is_simple_global(const struct wl_op *op)
{
    return !(op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS)) && op->count == 1 &&
           op->width_bytes == (op->flags & WL_OPF_DST64 ? 8 : 4) && !(op->kind & WL_LOAD_KEPT) &&
           !op->spare && op->dst != UINT32_MAX && is_short_way(op->imm);
}

static bool is_simple_load(const struct wl_op *op)
{
    return is_short_way((int32_t)op->imm) && op->flags & WL_OPF_ADDRESS32 &&
           !(op->flags & (WL_OPF_DST64 | WL_OPF_NO_ADDRESS)) && op->width_bytes == 4;
}

static bool may_compile(const struct wl_op *op, bool takes_loads)
{
    switch (wl_native_rows[op->code].form) {
    case WL_NATIVE_NONE:
        return false;
    case WL_NATIVE_SPECIAL:
        return op->kind <= WL_SPECIAL_LANEID && !(op->flags & WL_OPF_DST64);
    case WL_NATIVE_PARAMETER:
        return is_simple_parameter(op);
    case WL_NATIVE_SHARED:
        return takes_loads && is_simple_load(op);
    case WL_NATIVE_GLOBAL:
        return takes_loads && is_simple_global(op);
    default:
        return true;
    }
}

/* The registers that the segment has written so far, by offset. */
struct written {
    uint32_t offsets[MOST * WL_NATIVE_WRITES];
    uint32_t count;
};

static bool is_written(const struct written *written, uint32_t offset)
{
    for (uint32_t i = written->count; i-- > 0;)
        if (written->offsets[i] == offset)
            return true;
    return false;
}

/* The slot of a load's address, which must be what it was when the segment began. */
static bool take_slot(struct wl_native_segment *segment, const struct written *written,
                      const struct wl_op *op)
{
    uint32_t slot = 0;
    while (slot < segment->slot_count && segment->slots[slot].offset != op->a)
        slot++;
    if (slot == WL_NATIVE_SLOTS || is_written(written, op->a))
        return false;
    segment->slots[slot].offset = op->a;
    segment->slots[slot].is_global = op->code == WL_OP_LOAD_GLOBAL;
    segment->global_loads += op->code == WL_OP_LOAD_GLOBAL;
    segment->slot_count += slot == segment->slot_count;
    return true;
}

static bool take(struct wl_native_segment *segment, struct written *written, const struct wl_op *op,
                 bool takes_loads)
{
    if (segment->count == MOST || !may_compile(op, takes_loads))
        return false;
    const bool loads = op->code == WL_OP_LOAD_SHARED || op->code == WL_OP_LOAD_GLOBAL;
    if (loads && !take_slot(segment, written, op))
        return false;
    const struct wl_native_operands operands = wl_native_operands(op);
    for (uint32_t i = 0; i < operands.write_count; i++)
        written->offsets[written->count++] = operands.writes[i].offset;
    segment->count++;
    return true;
}

uint32_t wl_native_slot_of(const struct wl_native_segment *segment, const struct wl_op *op)
{
    uint32_t slot = 0;
    while (segment->slots[slot].offset != op->a)
        slot++;
    return slot;
}

void wl_native_find(const struct wl_program *program, uint32_t first, uint32_t end,
                    bool takes_loads, struct wl_native *native)
{
    struct written *written = wl_alloc(sizeof *written);
    for (uint32_t at = first; at < end;) {
        struct wl_native_segment segment = {.first = at, .index = UINT32_MAX};
        written->count = 0;
        while (at < end && take(&segment, written, &program->ops[at], takes_loads))
            at++;
        at += segment.count == 0;
        if (segment.count == 0)
            continue;
        segment.number = (uint32_t)native->segments.count;
        if (segment.slot_count)
            segment.index = native->plan_count++;
        struct wl_native_segment *kept = wl_alloc(sizeof *kept);
        *kept = segment;
        WL_PUSH(&native->segments, kept);
    }
    free(written);
}
