/* Calls out of the kernel: printf, assert, host math functions. */
#include <math.h>

#include "sim/children.h"
#include "sim/exec/lanes.h"
#include "sim/print.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

RUN(CALL_PRINT)
{
    const u64 *format = lane_register(warp, op->a), *arguments = lane_register(warp, op->b);
    s32 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        u32 i = (u32)__builtin_ctz(left);
        if (!wl_print_run(warp, op, i, format[i], arguments[i], &d[i]))
            return NULL;
    }
    return op + 1;
}

struct peeked {
    const char *text;
    int length;
};

static struct peeked peek(const struct wl_warp *warp, u32 lane, u64 address)
{
    size_t length;
    const char *text = wl_print_peek(warp, lane, address, &length);
    return text ? (struct peeked){text, (int)length} : (struct peeked){"?", 1};
}

/* What a GPU writes of a failed assertion (CUDA C++ Programming Guide, "Assertion"). */
static char *text_of_assertion(const struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_text out = {0};
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctz(left);
        const struct peeked message = peek(warp, i, ((const u64 *)lane_register(warp, op->a))[i]),
                            file = peek(warp, i, ((const u64 *)lane_register(warp, op->b))[i]),
                            function = peek(warp, i, ((const u64 *)lane_register(warp, op->d))[i]);
        const u32 *block = warp->cta->id;
        u32 thread[3];
        for (int axis = 0; axis < 3; axis++)
            thread[axis] = warp->worker->run->thread_index[warp->index][axis][i];
        wl_text_addf(&out,
                     "%.*s:%u: %.*s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%.*s` "
                     "failed.\n",
                     file.length, file.text, ((const u32 *)lane_register(warp, op->c))[i],
                     function.length, function.text, block[0], block[1], block[2], thread[0],
                     thread[1], thread[2], message.length, message.text);
    }
    return wl_text_take(&out);
}

RUN(ASSERT_FAIL)
{
    const u32 i = (u32)__builtin_ctz(warp->active);
    const struct peeked message = peek(warp, i, ((const u64 *)lane_register(warp, op->a))[i]),
                        file = peek(warp, i, ((const u64 *)lane_register(warp, op->b))[i]);
    struct wl_fault *fault = &warp->worker->fault;
    wl_warp_fault(warp, op, WL_SIM_FAULT_ASSERT, "assertion failed", "%.*s:%u: `%.*s`", file.length,
                  file.text, ((const u32 *)lane_register(warp, op->c))[i], message.length,
                  message.text);
    if (fault->kind == WL_SIM_FAULT_ASSERT && fault->order == warp->sm->index && !fault->asserted)
        fault->asserted = text_of_assertion(warp, op);
    return NULL;
}

/* For who asks what was not freed. */
static u32 place_of(const struct wl_run *run, const struct wl_op *op)
{
    struct wl_text text = {0};
    wl_finding_print_instruction(run->program, op->instruction, &text);
    const u32 place = wl_heap_place(run->heap, text.data);
    wl_text_free(&text);
    return place;
}

RUN(CALL_ALLOCATE)
{
    const struct wl_run *run = warp->worker->run;
    const u32 place = run->heap ? place_of(run, op) : 0;
    const u64 *size = lane_register(warp, op->a);
    u64 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        d[i] = run->heap ? wl_heap_allocate(run->heap, size[i], place) : 0;
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

/* ---- launches of kernels by kernels ---- */

RUN(CALL_CHILD_BEGIN)
{
    const struct wl_run *run = warp->worker->run;
    const u32 place = run->heap ? place_of(run, op) : 0;
    const u64 *function = lane_register(warp, op->a);
    u64 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        d[i] = wl_children_begin(run->children, function[i], place);
    }
    return op + 1;
}

static const struct wl_op *fault_of_launch(struct wl_warp *warp, const struct wl_op *op, u64 buffer)
{
    return wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "launch without parameters",
                         "0x%llx is no buffer of cudaGetParameterBufferV2",
                         (unsigned long long)buffer);
}

RUN(CALL_CHILD_SHAPE)
{
    const struct wl_run *run = warp->worker->run;
    const u64 *buffer = lane_register(warp, op->a);
    const u32 *index = lane_register(warp, op->b), *value = lane_register(warp, op->c);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (!wl_children_set_shape(run->children, buffer[i], index[i], value[i]))
            return fault_of_launch(warp, op, buffer[i]);
    }
    return op + 1;
}

RUN(CALL_CHILD_LAUNCH)
{
    const struct wl_run *run = warp->worker->run;
    const u64 *buffer = lane_register(warp, op->a), *stream = lane_register(warp, op->b);
    u32 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (!wl_children_launch(run->children, buffer[i], stream[i]))
            return fault_of_launch(warp, op, buffer[i]);
        d[i] = 0;
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
