/* For this room only. A module is a library of ours that does nothing but hold a table of the
 * functions of another library, which the loader brings in with it: so the start of warplens does
 * not load that, and a package still depends on it by its ELF file. */
#ifndef WL_SHOW_LIBRARY_MODULE_H
#define WL_SHOW_LIBRARY_MODULE_H

#include <stddef.h>

#include "base/error.h"

/* Loads a module, for good, and copies its table. file: "libwarplens-cairo.so"; symbol: the table
 * within. Errors: WL_ERR_INPUT where it, or what it needs, is not there. */
enum wl_code wl_module_open(const char *file, const char *symbol, void *table, size_t size,
                            struct wl_error *error);

#endif
