/* Addresses and spaces of memory instructions, for all files that lower such. */
#ifndef WL_PTX_LOWER_MEMORY_H
#define WL_PTX_LOWER_MEMORY_H

#include "ptx/lowering.h"

/* The space an instruction names, NONE for a generic address. */
enum wl_ptx_space lower_space_of(const struct wl_ptx_instruction *instruction);
enum wl_site_space lower_site_space(enum wl_ptx_space space);
/* Base register (or NO_REGISTER) and offset of an address operand; a variable's name may tell the
 * space. False after a failure. */
bool lower_address(struct lowering *lowering, const struct wl_ptx_operand *operand,
                   enum wl_ptx_space *space, uint32_t *base, int64_t *offset);
/* Sets the address fields of an operation, which uses FIELD_A where there is a base register. */
void lower_set_address(struct lowering *lowering, struct wl_op *op, uint32_t base, int64_t offset);

#endif
