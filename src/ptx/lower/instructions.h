/* The rows of instructions.def, by name. */
#ifndef WL_PTX_LOWER_INSTRUCTIONS_H
#define WL_PTX_LOWER_INSTRUCTIONS_H

#include "ptx/lower/lowering.h"

struct lower_row {
    const char *name;     /* whole, or of a family its first word */
    lower_function lower; /* of a family, else NULL */
    uint16_t code;        /* of what is one operation */
    uint8_t pipe, instruction_class;
};

/* The row of the whole name, else of the family; NULL if there is neither. */
const struct lower_row *lower_find_row(const struct wl_ptx_instruction *instruction);

/* All rows in the order in which they are searched: by name, and of the same name a family last. */
const struct lower_row *const *lower_sorted_rows(size_t *count);

#endif
