#include "show/page/details_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/page/fields.h"

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

static bool is_of(const struct wl_advice *finding, const char *section)
{
    const char *of = finding->rule->section;
    return of && strcmp(of, section) == 0;
}

/* ncu's types of what a rule says. */
static const char *type_of(const struct wl_advice *finding)
{
    return finding->severity == WL_ADVICE_NOTE ? "INF" : finding->has_gain ? "OPT" : "WRN";
}

enum { RULE, TYPE, DESCRIPTION, SPEEDUP_TYPE, SPEEDUP };
const struct wl_column wl_finding_columns[WL_FINDING_COLUMNS] = {
    [RULE] = {.csv = "Rule Name", .json = "rule"},
    [TYPE] = {.csv = "Rule Type", .json = "type"},
    [DESCRIPTION] = {.csv = "Rule Description", .json = "text"},
    [SPEEDUP_TYPE] = {.csv = "Estimated Speedup Type"},
    [SPEEDUP] = {.csv = "Estimated Speedup", .json = "estimated_speedup_pct"},
};

void wl_put_findings(const struct wl_view_advice *advice, const char *section,
                     struct wl_page_sink *sink)
{
    const struct wl_column *columns = wl_finding_columns;
    wl_begin(sink, WL_LEVEL_LIST, "findings", 0);
    for (size_t i = 0; i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_of(finding, section))
            continue;
        char *text = describe(finding);
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
        wl_put(sink, &columns[RULE], wl_cell_text(finding->rule->id));
        wl_put(sink, &columns[TYPE], wl_cell_text(type_of(finding)));
        wl_put(sink, &columns[DESCRIPTION], wl_cell_text(text));
        if (finding->has_gain) { /* of the whole launch */
            wl_put(sink, &columns[SPEEDUP_TYPE], wl_cell_text("global"));
            wl_put(sink, &wl_metric_columns[WL_METRIC_COLUMNS - 1],
                   wl_cell_text(wl_metric_mark_name(WL_MARK_PREDICTED)));
        }
        wl_put(sink, &columns[SPEEDUP],
               finding->has_gain ? wl_cell_number(100 * finding->saved) : wl_cell_absent());
        wl_end(sink);
        free(text);
    }
    wl_end(sink);
}

void wl_say_findings(const struct wl_view_advice *advice, bool has_details, const char *section,
                     struct wl_page_sink *sink)
{
    for (size_t i = 0; advice && i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_of(finding, section))
            continue;
        char prefix_text[16];
        const char *prefix = prefix_text;
        snprintf(prefix_text, sizeof prefix_text, "    %s   ", type_of(finding));
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
