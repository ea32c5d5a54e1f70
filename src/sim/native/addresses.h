/* The addresses of a segment that accesses memory, before anything is done there.
 * Internal to sim/native. */
#ifndef WL_SIM_NATIVE_ADDRESSES_H
#define WL_SIM_NATIVE_ADDRESSES_H

#include "sim/native/emitter.h"

/* From the worker's plans, in rdx, to a field of the segment's, and of one of its slots. */
#define NATIVE_PLAN(segment, field)                              \
    (int32_t)((segment)->index * sizeof(struct wl_native_plan) + \
              offsetof(struct wl_native_plan, field))
#define NATIVE_PLAN_SLOT(segment, slot, field) \
    (NATIVE_PLAN(segment, slots) +             \
     (int32_t)((slot) * sizeof(struct wl_native_slot) + offsetof(struct wl_native_slot, field)))

/* rdx: the worker's plans; rax: the worker. */
void native_emit_plans(struct native_emitter *e);
/* Jumps to the label of misses unless the accesses by addresses in registers are as the code and
 * the worker's plan expect; where lanes are off, those of the others. */
void native_emit_checks(struct native_emitter *e);
/* Computes the addresses that the segment's own operations write, and checks them: to the label of
 * late misses. rdx: the worker's plans. */
void native_emit_slices(struct native_emitter *e);

#endif
