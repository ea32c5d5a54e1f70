/* The names that PyTorch's emit_nvtx gives its ranges: "aten::addmm, seq = 7, op_id = 12, sizes =
 * [...], input_op_ids = ...". */
#ifndef WL_COLLECT_OPERATOR_NAME_H
#define WL_COLLECT_OPERATOR_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Whether it is such a name; then only the operator and the sizes are left in it, and sequence is
 * its number and one: 0 where it has none. An operator of a backward pass has the number of that
 * which it is the derivative of. */
bool wl_operator_name_split(char *name, uint64_t *sequence);

#endif
