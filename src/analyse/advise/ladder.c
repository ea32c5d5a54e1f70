#include "analyse/advise/ladder.h"

#include <stdlib.h>

#include "base/memory.h"

static const char *const step_names[WL_LADDER_STEPS] = {
#define S(id, name) name,
#include "analyse/advise/ladder_steps.def"
#undef S
};

static const char *const verdict_names[] = {
    [WL_VERDICT_GO_ON] = "go on", [WL_VERDICT_STOP] = "stop", [WL_VERDICT_OPEN] = "open"};

const char *wl_ladder_step_name(enum wl_ladder_step step)
{
    return step_names[step];
}

const char *wl_verdict_name(enum wl_verdict verdict)
{
    return verdict_names[verdict];
}

static bool read_number(struct wl_metric_set *set, const char *name, double *number)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    *number = value->is_present && !value->text ? value->number : 0;
    return value->is_present && !value->text;
}

static const char *read_text(struct wl_metric_set *set, const char *name)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    return value->is_present ? value->text : NULL;
}

bool wl_ladder_read(struct wl_metric_set *set, struct wl_ladder *ladder)
{
    *ladder = (struct wl_ladder){0};
    if (!read_number(set, "gpu__time_duration.sum", &ladder->duration_ns) ||
        ladder->duration_ns <= 0)
        return false;
    for (int i = 0; i < WL_LADDER_STEPS; i++) {
        char *name = wl_string_format("warplens__ladder_%s.ns", step_names[i]);
        bool is_known = read_number(set, name, &ladder->steps_ns[i]);
        free(name);
        if (!is_known)
            return false;
    }
    ladder->unit = read_text(set, "warplens__ladder_unit");
    ladder->unit_words = read_text(set, "warplens__ladder_unit_words");
    read_number(set, "warplens__ladder_unit.pct", &ladder->unit_part);
    ladder->unit_part /= 100;
    ladder->rest = read_text(set, "warplens__ladder_rest");
    ladder->open = read_text(set, "warplens__ladder_open");
    read_number(set, "warplens__ladder_open.ns", &ladder->open_part);
    ladder->open_part /= ladder->duration_ns;
    return true;
}

double wl_ladder_least_ns(const struct wl_ladder *ladder)
{
    return ladder->steps_ns[WL_LADDER_LAUNCH] + ladder->steps_ns[WL_LADDER_IDEAL];
}

double wl_ladder_room(const struct wl_ladder *ladder)
{
    double room = 1 - wl_ladder_least_ns(ladder) / ladder->duration_ns;
    return room > 0 ? room : 0;
}

enum wl_verdict wl_verdict_find(const struct wl_ladder *ladder, const struct wl_advice *findings,
                                size_t count, const struct wl_report_kernel *kernel)
{
    for (size_t i = 0; i < count; i++) {
        const struct wl_advice *finding = &findings[i];
        if (finding->launch && finding->launch->kernel == kernel &&
            finding->severity == WL_ADVICE_WARNING &&
            (!finding->has_gain || finding->saved >= WL_LEAST_GAIN))
            return WL_VERDICT_GO_ON;
    }
    if (!ladder || wl_ladder_room(ladder) > WL_MOST_LEFT)
        return WL_VERDICT_OPEN;
    return ladder->open_part < WL_LEAST_GAIN ? WL_VERDICT_STOP : WL_VERDICT_OPEN;
}
