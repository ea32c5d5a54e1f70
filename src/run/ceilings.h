/* What the GPU of this machine reaches, as `warplens ceilings` measured it, kept (run/cache.h). */
#ifndef WL_RUN_CEILINGS_H
#define WL_RUN_CEILINGS_H

#include "hardware/ceilings.h"

/* Where those of a device are kept; free() it. NULL: nobody knows a folder for them. */
char *wl_ceilings_path(const unsigned char *uuid, uint32_t driver_version);

/* False: they were not measured yet. */
bool wl_ceilings_read(const char *path, struct wl_ceilings *ceilings);

/* Errors: WL_ERR_OUTPUT. */
enum wl_code wl_ceilings_keep(const char *path, const struct wl_ceilings *ceilings,
                              struct wl_error *error);

/* Those of the first GPU as a value of the settings (wl_ceilings_parse); "" where none are kept.
 * free() it. */
char *wl_ceilings_setting(const struct wl_cuda_machine *machine);

#endif
