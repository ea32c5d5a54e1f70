/* Multiplications that become part of the additions that use them, as ptxas makes them. */
#ifndef WL_PTX_LOWER_CONTRACT_H
#define WL_PTX_LOWER_CONTRACT_H

#include "ptx/lower/lowering.h"

/* What contraction makes of an instruction. */
struct lower_contraction {
    uint32_t product; /* of an addition: the multiplication that is part of it, instruction + 1 */
    uint8_t addend;   /* its other operand, 1 or 2 */
    bool is_negated;  /* the product's negative is meant */
    bool is_absorbed; /* a multiplication, or what hands it on, that is part of its uses alone */
};

/* For each instruction what contraction makes of it, or NULL if it changes none; the caller frees
 * it. labels: as an instance has them. */
struct lower_contraction *lower_find_contractions(const struct wl_ptx_function *function,
                                                  const uint32_t *labels);
/* The addition with its product, as one operation. */
void lower_fused(struct lowering *lowering, const struct wl_ptx_instruction *addition,
                 const struct lower_contraction *contraction);
/* dst = a * b + c on halves, with the flags that the instruction has. */
void lower_half_fused(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                      uint32_t dst, uint32_t a, uint32_t b, uint32_t c);

#endif
