/* The section whatif: what launches would take without causes of delay, alone and together, as they
 * were timed again. Launches of a kernel share the parts of their times that are left, which stand
 * in the page once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/export/html.h"
#include "show/format/json.h"
#include "timing/timing.h"

static const char begin[] = "whatif__", end[] = "__duration.ns", block[] = "block-";

/* {"cause": part, "cause+cause": part} of a launch's time; NULL where it was not timed again. */
static json_t *parts_json(const struct wl_report_launch *launch, double duration_ns)
{
    const double digits = 1e9; /* parts of launches whose times differ stay alike */
    const size_t frame = sizeof begin - 1 + sizeof end - 1;
    json_t *parts = json_object();
    for (size_t i = 0; i < launch->record.value_count; i++) {
        const struct wl_record_value *value = &launch->record.values[i];
        size_t length = strlen(value->name);
        if (length <= frame || !wl_text_starts(value->name, begin) ||
            strcmp(value->name + length - (sizeof end - 1), end) != 0)
            continue;
        char *cause = wl_string_copy_length(value->name + sizeof begin - 1, length - frame);
        if (!wl_text_starts(cause, block))
            json_object_set_new(
                parts, cause, wl_json_number(round(digits * value->value / duration_ns) / digits));
        free(cause);
    }
    if (json_object_size(parts))
        return parts;
    json_decref(parts);
    return NULL;
}

static json_t *causes_json(void)
{
    json_t *causes = json_array();
    for (const struct wl_timing_cause *cause = wl_timing_causes; cause->id; cause++) {
        bool is_bound = cause->changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY);
        json_array_append_new(causes, json_pack("{s:s, s:s, s:b}", "id", cause->id, "text",
                                                cause->text, "is_bound", is_bound));
    }
    return causes;
}

enum wl_code wl_html_whatif(struct wl_html *html, json_t *section, struct wl_error *error)
{
    const struct wl_view_context *context = &html->contexts[0];
    struct wl_html_table parts = {0};
    json_t *launches = json_object();
    (void)error;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        double duration_ns;
        enum wl_mark mark;
        if (!wl_html_is_wanted(html, 0, launch) ||
            !wl_report_value(launch, "gpu__time_duration.sum", &duration_ns, &mark) ||
            duration_ns <= 0)
            continue;
        json_t *own = parts_json(launch, duration_ns);
        if (!own)
            continue;
        char *id = wl_string_format("%lld", (long long)launch->key);
        json_object_set_new(launches, id,
                            json_pack("{s:f, s:I}", "duration_ns", duration_ns, "parts",
                                      wl_html_intern(&parts, own)));
        free(id);
    }
    if (json_object_size(launches) > 0) {
        json_object_set_new(section, "causes", causes_json());
        json_object_set(section, "launches", launches);
        json_object_set_new(section, "parts", wl_html_table_take(&parts));
    }
    json_decref(launches);
    return WL_OK;
}
