/* Reads memory of this process at an address that may be invalid. */
#ifndef WL_BASE_TRY_READ_H
#define WL_BASE_TRY_READ_H

#include <stdbool.h>
#include <stddef.h>

/* Copies size_bytes; false if any of it is unreadable. Costs a system call (process_vm_readv);
 * where a sandbox forbids that, it is copied unchecked. */
bool wl_try_read(const void *from, void *to, size_t size_bytes);

#endif
