/* Which short names several things have whose full names differ. */
#ifndef WL_REPORT_SHARED_NAMES_H
#define WL_REPORT_SHARED_NAMES_H

#include "base/memory.h"
#include "report/keys.h"

/* Zero-initialise; free with wl_shared_names_free. Full names must outlive it. */
struct wl_shared_names {
    struct wl_keys names;
    WL_VECTOR(const char *) full; /* of each name; NULL: several */
};

void wl_shared_names_add(struct wl_shared_names *shared, const char *name, const char *full);
bool wl_shared_names_is_shared(const struct wl_shared_names *shared, const char *name);
void wl_shared_names_free(struct wl_shared_names *shared);

#endif
