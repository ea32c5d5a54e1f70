/* Who writes and reads each virtual register. Internal to timing/machine/. */
#ifndef WL_TIMING_MACHINE_USES_H
#define WL_TIMING_MACHINE_USES_H

#include "timing/machine/build.h"

#define WL_MACHINE_SEVERAL (UINT32_MAX - 1)

struct wl_machine_uses {
    uint32_t *writer; /* op that writes it; WL_MACHINE_NONE, WL_MACHINE_SEVERAL */
    uint32_t *block;  /* of the writer */
    uint32_t *reads;  /* how many operands read it */
    uint32_t *reader; /* the last op that does */
};

void wl_machine_uses_find(const struct wl_machine *machine, struct wl_machine_uses *uses);
void wl_machine_uses_free(struct wl_machine_uses *uses);

static inline uint32_t *wl_machine_defs(const struct wl_machine *machine,
                                        const struct wl_machine_op *op)
{
    return machine->operands.items + op->operands;
}

static inline uint32_t *wl_machine_op_uses(const struct wl_machine *machine,
                                           const struct wl_machine_op *op)
{
    return machine->operands.items + op->operands + op->def_count;
}

/* Whether it does something besides writing registers. */
bool wl_machine_has_effect(const struct wl_machine_op *op);

/* Of each register, whether it may differ between the lanes of a warp. Free it with free(). */
bool *wl_machine_find_divergent(const struct wl_machine *machine);

/* Fills is_inside, one for each block: whether it can be reached from the end of b without passing
 * join (WL_MACHINE_NONE: without end). stack: room for a number of each block. Whether b itself is
 * one of them. */
bool wl_machine_mark_inside(const struct wl_machine *machine, uint32_t b, uint32_t join,
                            bool *is_inside, uint32_t *stack);

/* Of each register, whether the uniform datapath holds it: integers that are the same in all lanes,
 * computed where the lanes of a warp are together. Free it with free(). */
bool *wl_machine_find_uniform(const struct wl_machine *machine);

/* Takes the dead ops out of the blocks. */
void wl_machine_sweep(struct wl_machine *machine);
static inline void wl_machine_kill(struct wl_machine_op *op)
{
    op->code = WL_OP_COUNT;
}
static inline bool wl_machine_is_dead(const struct wl_machine_op *op)
{
    return op->code == WL_OP_COUNT;
}

#endif
