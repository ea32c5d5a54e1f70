/* What was measured of a GPU of this machine, kept for each GPU and driver in
 * $XDG_CACHE_HOME/warplens or ~/.cache/warplens. */
#ifndef WL_RUN_CACHE_H
#define WL_RUN_CACHE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Where what of a device is kept; free() it. NULL: nobody knows a folder for it. */
char *wl_cache_path(const char *what, const unsigned char *uuid, uint32_t driver_version);

/* Makes the folder, too. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_cache_keep(const char *path, const struct wl_text *text, struct wl_error *error);

#endif
