/* Defines the lowering of a family of instructions: FAMILY(mov) { ... } lowers each instruction
 * whose row of instructions.def names that family. */
#ifndef WL_PTX_LOWER_FAMILY_H
#define WL_PTX_LOWER_FAMILY_H

#include "ptx/lower/lowering.h"

#define FAMILY(name)                                                                            \
    void lower_##name(struct lowering *lowering, const struct wl_ptx_instruction *instruction); \
    void lower_##name(struct lowering *lowering, const struct wl_ptx_instruction *instruction)

#endif
