/* What is kept from run to run in $XDG_CACHE_HOME/warplens or ~/.cache/warplens: what was measured
 * of each GPU with each driver, disassembled functions, what ptxas said of a program's PTX, and
 * which version a clang is. */
#ifndef WL_RUN_CACHE_H
#define WL_RUN_CACHE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* The folder; free() it. NULL: there is no home folder. */
char *wl_cache_folder(void);

/* What tells this compiler from another of the same path; free() it. NULL for a script, behind
 * which the compiler may change unseen. */
char *wl_cache_describe_program(const char *path);

/* The file for a device; free() it. NULL: there is no folder for it. */
char *wl_cache_path(const char *what, const unsigned char *uuid, uint32_t driver_version);

/* Makes the folder, too. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_cache_keep(const char *path, const struct wl_text *text, struct wl_error *error);

#endif
