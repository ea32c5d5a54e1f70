#include "gpu/stall_names.h"

#include <stddef.h>
#include <string.h>

#include "base/count.h"

static const struct {
    const char *column, *state, *not_issued;
} names[] = {
#define WL_STALL_NAME(column, state) {column, state, column "_not_issued"},
#include "gpu/stall_names.def"
};

const char *wl_stall_find(const char *name)
{
    static const char prefix[] = "stall_";
    const char *bare =
        strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (strcmp(names[i].column, name) == 0 || strcmp(names[i].state, bare) == 0)
            return names[i].state;
    return NULL;
}

const char *wl_stall_column(const char *state)
{
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        size_t length = strlen(names[i].state);
        if (strncmp(names[i].state, state, length) != 0)
            continue;
        if (!state[length])
            return names[i].column;
        if (strcmp(state + length, "_not_issued") == 0)
            return names[i].not_issued;
    }
    return NULL;
}
