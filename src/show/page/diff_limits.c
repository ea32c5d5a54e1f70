#include "show/page/diff_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/units.h"

static enum wl_code refuse(const char *word, struct wl_error *error)
{
    wl_error_set(error, WL_ERR_USAGE, "--fail-on takes METRIC:N%% or 'finding', not '%s'", word);
    return wl_error_set_hint(
        error, "--fail-on time:5%%,finding: longer by more than 5 %%, or a finding more; a fall: "
               "METRIC:-5%%");
}

/* One of the list; its text is cut. */
static enum wl_code read_word(char *word, struct wl_diff_limits *limits, struct wl_error *error)
{
    struct wl_diff_limit limit = {0};
    const char *unit = NULL;
    if (strcmp(word, "finding") == 0) {
        limits->findings = true;
        return WL_OK;
    }
    char *colon = strrchr(word, ':');
    if (colon == word || *word == '\0')
        return refuse(word, error);
    if (colon) {
        if (!wl_unit_read(colon + 1, &limit.change_pct, &unit) || (unit && strcmp(unit, "%") != 0))
            return refuse(word, error);
        *colon = '\0';
    }
    limit.metric = wl_string_copy(strcmp(word, "time") == 0 ? "gpu__time_duration.sum" : word);
    WL_PUSH(&limits->items, limit);
    return WL_OK;
}

enum wl_code wl_diff_limits_read(const char *text, struct wl_diff_limits *limits,
                                 struct wl_error *error)
{
    char *copy = wl_string_copy(text ? text : ""), *rest = text ? copy : NULL;
    enum wl_code code = WL_OK;
    while (rest && !code)
        code = read_word(strsep(&rest, ","), limits, error);
    free(copy);
    return code;
}

void wl_diff_limits_free(struct wl_diff_limits *limits)
{
    for (size_t i = 0; i < limits->items.count; i++)
        free(limits->items.items[i].metric);
    free(limits->items.items);
    *limits = (struct wl_diff_limits){0};
}

const struct wl_diff_limit *wl_diff_limits_broken(const struct wl_diff_limits *limits,
                                                  const char *metric, double change_pct)
{
    for (size_t i = 0; i < limits->items.count; i++) {
        const struct wl_diff_limit *limit = &limits->items.items[i];
        if (strcmp(limit->metric, metric) != 0)
            continue;
        if (limit->change_pct < 0 ? change_pct < limit->change_pct : change_pct > limit->change_pct)
            return limit;
    }
    return NULL;
}
