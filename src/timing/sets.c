/* Sets of causes of delay, as they are named on a command line. */
#include <string.h>

#include "timing/timing.h"

static const struct wl_timing_cause *find(const char *name, size_t length)
{
    const struct wl_timing_cause *cause = wl_timing_causes;
    while (cause->id && (strlen(cause->id) != length || memcmp(cause->id, name, length) != 0))
        cause++;
    return cause->id && !(cause->changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY)) ? cause
                                                                                          : NULL;
}

static enum wl_code read_set(struct wl_timing_set *set, struct wl_error *error)
{
    for (const char *at = set->name; at <= set->name + set->length;) {
        size_t length = strcspn(at, "+,");
        const struct wl_timing_cause *cause = find(at, length);
        if (!cause) {
            wl_error_set(error, WL_ERR_USAGE, "there is no cause of delay \"%.*s\"", (int)length,
                         at);
            return wl_error_set_hint(error, "`warplens whatif ./app --json` names them: "
                                            "shared-conflicts+l1-misses, say");
        }
        set->changes |= cause->changes;
        at += length + 1;
    }
    return WL_OK;
}

enum wl_code wl_timing_sets_read(const char *text, struct wl_timing_set *sets, size_t *count,
                                 struct wl_error *error)
{
    enum wl_code code = WL_OK;
    *count = 0;
    for (const char *at = text; *at && !code;) {
        if (*count == WL_TIMING_SETS_MOST)
            return wl_error_set(error, WL_ERR_USAGE, "more than %d sets of causes",
                                WL_TIMING_SETS_MOST);
        struct wl_timing_set *set = &sets[(*count)++];
        *set = (struct wl_timing_set){.name = at, .length = strcspn(at, ",")};
        code = read_set(set, error);
        at += set->length;
        at += *at == ',';
    }
    return code;
}
