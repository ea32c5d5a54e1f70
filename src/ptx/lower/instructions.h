/* The rows of instructions.def, by name. */
#ifndef WL_PTX_LOWER_INSTRUCTIONS_H
#define WL_PTX_LOWER_INSTRUCTIONS_H

#include "ptx/lower/lowering.h"

struct lower_row {
    const char *name;     /* the whole name, or the first word of a family */
    lower_function lower; /* for a family, else NULL */
    uint16_t code;        /* for an instruction that is one operation */
    uint8_t pipe, instruction_class;
};

/* The row of the full name, else of the family; NULL if neither exists. */
const struct lower_row *lower_find_row(const struct wl_ptx_instruction *instruction);

/* All rows in search order: by name, a family after a full name. */
const struct lower_row *const *lower_sorted_rows(size_t *count);

#endif
