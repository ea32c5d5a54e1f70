#include "show/page/details_findings.h"

#include <string.h>

#include "base/memory.h"

/* "gemm.cu:87: 4-way bank conflicts. Pad the rows." */
static char *describe(const struct wl_advice *finding)
{
    struct wl_text text = {0};
    wl_advice_add_place(finding, &text);
    wl_text_addf(&text, ": %s.", finding->title);
    if (finding->todo && *finding->todo)
        wl_text_addf(&text, " %s", finding->todo);
    wl_text_addf(&text, " [%s]", finding->rule->id);
    return wl_text_take(&text);
}

static void say_details(const struct wl_advice *finding, struct wl_page_sink *sink)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        struct wl_text text = {0};
        wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[i], &text);
        wl_say(sink, "            ", text.data);
        wl_text_free(&text);
    }
    if (finding->has_gain) {
        struct wl_text text = {0};
        wl_advice_add_method(finding, &text);
        wl_say(sink, "            ", text.data);
        wl_text_free(&text);
    }
}

void wl_say_findings(const struct wl_view_advice *advice, bool has_details, const char *section,
                     struct wl_page_sink *sink)
{
    for (size_t i = 0; advice && i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        const char *of = finding->rule->section;
        if (!of || strcmp(of, section) != 0)
            continue;
        const char *prefix = finding->severity == WL_ADVICE_NOTE ? "    INF   "
                             : finding->has_gain                 ? "    OPT   "
                                                                 : "    WRN   ";
        wl_print(sink, "\n");
        if (finding->has_gain) {
            wl_say_free(sink, prefix,
                        wl_string_format("Est. Speedup: %.4g%%", 100 * finding->saved));
            prefix = "          ";
        }
        wl_say_free(sink, prefix, describe(finding));
        if (has_details)
            say_details(finding, sink);
    }
}
