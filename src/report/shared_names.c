#include "report/shared_names.h"

#include <stdlib.h>
#include <string.h>

void wl_shared_names_add(struct wl_shared_names *shared, const char *name, const char *full)
{
    int64_t id;
    if (!wl_keys_intern(&shared->names, name, strlen(name), &id))
        WL_PUSH(&shared->full, full);
    else if (shared->full.items[id - 1] && strcmp(shared->full.items[id - 1], full) != 0)
        shared->full.items[id - 1] = NULL;
}

bool wl_shared_names_is_shared(const struct wl_shared_names *shared, const char *name)
{
    int64_t id = wl_keys_find(&shared->names, name, strlen(name));
    return id && !shared->full.items[id - 1];
}

void wl_shared_names_free(struct wl_shared_names *shared)
{
    wl_keys_free(&shared->names);
    free(shared->full.items);
}
