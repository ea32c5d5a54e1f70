/* Launches without their values, for reports of so many that a window of the workbench asks for
 * those that it shows: one list for each field. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/keys.h"
#include "show/export/html.h"
#include "show/format/json.h"
#include "show/page/fields.h"

enum { most_whole = 2000 };

bool wl_html_is_bare(const struct wl_html *html)
{
    return html->is_served && !html->only && html->contexts[0].launch_count > most_whole;
}

bool wl_html_is_wanted(const struct wl_html *html, const struct wl_report_launch *launch)
{
    for (const char *at = html->only; at && *at;) {
        char *end = NULL;
        long long id = strtoll(at, &end, 10);
        if (end == at)
            return false;
        if (id == launch->key)
            return true;
        at = *end == ',' ? end + 1 : end;
    }
    return !html->only;
}

static json_t *kernel_json(const struct wl_report_launch *launch)
{
    const struct wl_record_kernel *kernel = launch->kernel ? &launch->kernel->record : NULL;
    bool has_function = kernel && kernel->function && kernel->function[0] != '\0';
    return json_pack("{s:o, s:o, s:b}", "kernel_name", wl_json_text(wl_fields_kernel(launch)),
                     "function",
                     wl_json_text(has_function ? kernel->function : wl_fields_kernel(launch)),
                     "is_stand_in", launch->kernel && launch->kernel->module.is_stand_in);
}

static void add_triple(json_t *list, const uint32_t *triple)
{
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, json_integer(triple[i]));
}

json_t *wl_html_bare_launches(const struct wl_view_context *context)
{
    struct wl_keys known = {0};
    json_t *kernels = json_array(), *ids = json_array(), *of = json_array(), *grids = json_array(),
           *blocks = json_array(), *failed = json_array(), *times = json_array();
    enum wl_mark mark = WL_MARK_EXACT;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        const void *kernel = launch->kernel;
        int64_t number;
        double duration_ns;
        if (!wl_keys_intern(&known, &kernel, sizeof kernel, &number))
            json_array_append_new(kernels, kernel_json(launch));
        json_array_append_new(ids, json_integer(launch->key));
        json_array_append_new(of, json_integer(number - 1));
        add_triple(grids, launch->record.grid);
        add_triple(blocks, launch->record.block);
        if (launch->record.status == WL_LAUNCH_FAILED)
            json_array_append_new(failed, json_integer((json_int_t)i));
        bool is_timed = wl_report_value(launch, "gpu__time_duration.sum", &duration_ns, &mark);
        json_array_append_new(times, is_timed ? wl_json_number(duration_ns) : json_null());
    }
    wl_keys_free(&known);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "kernels", kernels, "ids", ids,
                     "of_kernel", of, "grids", grids, "blocks", blocks, "failed", failed,
                     "duration_ns", times, "mark", (int)mark);
}
