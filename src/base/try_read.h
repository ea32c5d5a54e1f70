/* Memory of this process at an address that may be wrong. */
#ifndef WL_BASE_TRY_READ_H
#define WL_BASE_TRY_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Copies; false where not all of it can be read. Costs a system call (process_vm_readv); where a
 * sandbox forbids that, it is copied unchecked. */
bool wl_try_read(const void *from, void *to, size_t size_bytes);

#endif
