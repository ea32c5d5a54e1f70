/* One run at a time for one report: the process that records into the folder of streams holds a
 * lock on it until it ends or releases it. Where the file system has no locks, nothing is held. */
#ifndef WL_RUN_LOCK_H
#define WL_RUN_LOCK_H

#include <stdbool.h>

#include "base/error.h"

struct wl_folder_lock {
    bool is_held;
    int descriptor;
};

/* Makes the folder, which must not be there, and locks it. If replace is true, one that is there
 * and that nobody holds is removed with all in it first. Errors: WL_ERR_OUTPUT, also where another
 * process holds it. */
enum wl_code wl_folder_make_locked(const char *path, bool replace, struct wl_folder_lock *lock,
                                   struct wl_error *error);
/* Whether another process holds it; false where it is not there. */
bool wl_folder_is_locked(const char *path);
void wl_folder_unlock(struct wl_folder_lock *lock);

#endif
