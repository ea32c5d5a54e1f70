/* Whether an instruction is always executed before another. */
#ifndef WL_PTX_LOWER_DOMINATES_H
#define WL_PTX_LOWER_DOMINATES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "ptx/parse/ptx.h"

/* Kept from one question about a function to the next; all zero at first. */
struct lower_domination {
    uint32_t *seen; /* of instructions: the question that they were met for */
    uint32_t question;
    WL_VECTOR(uint32_t) starts; /* from which is gone on */
};

/* Whether no way from the function's beginning to `later` leaves `first` out. Where a way cannot be
 * told (brx), there may be one. */
bool lower_dominates(struct lower_domination *self, const struct wl_ptx_function *function,
                     uint32_t first, uint32_t later);
void lower_domination_free(struct lower_domination *self);

#endif
