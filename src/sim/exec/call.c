/* Calls out of the kernel: printf, assert, host math functions. */
#include <math.h>
#include <stdio.h>

#include "sim/exec/lanes.h"
#include "sim/print.h"
#include "sim/reach.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* A lane, whose addresses are those that a text and its arguments are at. */
struct reader {
    const struct wl_warp *warp;
    int lane;
};

/* What lies at a generic address, up to the end of the memory that it lies in. */
static struct wl_print_memory find_memory(const void *self, u64 address)
{
    const struct reader *reader = self;
    const struct wl_run *run = reader->warp->worker->run;
    const u64 window = address & WL_WINDOW_MASK, offset = address & ~WL_WINDOW_MASK;
    const u64 local_bytes = run->program->local_bytes;
    const u64 parameters = (u64)(uintptr_t)run->launch->parameters;
    struct wl_site_state site = {0};
    if (window == WL_LOCAL_WINDOW)
        return (struct wl_print_memory){reader->warp->local + (u64)(u32)reader->lane * local_bytes +
                                            (offset < local_bytes ? offset : 0),
                                        wl_reach_left(0, local_bytes, offset)};
    if (window == WL_SHARED_WINDOW)
        return (struct wl_print_memory){reader->warp->shared +
                                            (offset < run->shared_bytes ? offset : 0),
                                        wl_reach_left(0, run->shared_bytes, offset)};
    const uint8_t *bytes = (const uint8_t *)(uintptr_t)address;
    if (wl_run_find_range(run, &site, address, 1))
        return (struct wl_print_memory){bytes,
                                        wl_reach_left(site.range_start, site.range_end, address)};
    return (struct wl_print_memory){
        bytes, wl_reach_left(parameters, parameters + run->program->parameter_bytes, address)};
}

RUN(CALL_PRINT)
{
    const u64 *format = lane_register(warp, op->a), *arguments = lane_register(warp, op->b);
    u32 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        const struct reader reader = {warp, i};
        wl_print_format(warp->worker->run, find_memory, &reader, format[i], arguments[i]);
        d[i] = 0;
    }
    return op + 1;
}

RUN(ASSERT_FAIL)
{
    const u64 *message = lane_register(warp, op->a), *file = lane_register(warp, op->b);
    const u32 *line = lane_register(warp, op->c);
    int i = __builtin_ctz(warp->active);
    const struct reader reader = {warp, i};
    const struct wl_print_memory text = find_memory(&reader, message[i]);
    const struct wl_print_memory name = find_memory(&reader, file[i]);
    return wl_warp_fault(warp, op, WL_SIM_FAULT_ASSERT, "assertion failed", "%.*s:%u: `%.*s`",
                         wl_print_length(name, "?"), wl_print_text(name, "?"), line[i],
                         wl_print_length(text, "?"), wl_print_text(text, "?"));
}

RUN(CALL_ALLOCATE)
{
    const struct wl_run *run = warp->worker->run;
    const u64 *size = lane_register(warp, op->a);
    u64 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        d[i] = run->heap ? wl_heap_allocate(run->heap, size[i]) : 0;
    }
    return op + 1;
}

RUN(CALL_RELEASE)
{
    const struct wl_run *run = warp->worker->run;
    const u64 *address = lane_register(warp, op->a);
    wl_worker_forget_ranges(warp->worker);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (run->heap && !wl_heap_release(run->heap, address[i]))
            return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "free of no allocation",
                                 "0x%llx was not allocated by malloc in a kernel",
                                 (unsigned long long)address[i]);
    }
    return op + 1;
}

typedef f32 (*function_f32)(f32);
typedef f32 (*function2_f32)(f32, f32);
typedef f64 (*function_f64)(f64);
typedef f64 (*function2_f64)(f64, f64);

struct math_function {
    function_f32 one_f32;
    function2_f32 two_f32;
    function_f64 one_f64;
    function2_f64 two_f64;
};

static const struct math_function math_functions[] = {
#define M1(name, type) {.one_##type = name},
#define M2(name, type) {.two_##type = name},
#include "warp/math.def"
};

RUN(CALL_MATH)
{
    const struct math_function *function = &math_functions[op->kind];
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (function->one_f32 || function->two_f32) {
            const f32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
            f32 *d = lane_register(warp, op->dst);
            d[i] = function->one_f32 ? function->one_f32(a[i]) : function->two_f32(a[i], b[i]);
        } else {
            const f64 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
            f64 *d = lane_register(warp, op->dst);
            d[i] = function->one_f64 ? function->one_f64(a[i]) : function->two_f64(a[i], b[i]);
        }
    }
    return op + 1;
}
