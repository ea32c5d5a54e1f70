#include "collect/cupti/groups.h"

#include <string.h>

struct wl_collect_group *wl_collect_group_find(struct wl_collect_groups *groups,
                                               const struct wl_collect_group_key *key)
{
    struct wl_collect_group *group = NULL;
    HASH_FIND(hh, groups->items, key, sizeof *key, group);
    if (group)
        return group;
    group = wl_alloc_zero(1, sizeof *group);
    memcpy(&group->key, key, sizeof *key); /* its padding, too */
    HASH_ADD(hh, groups->items, key, sizeof *key, group);
    return group;
}
