#include "show/page/advice_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/fields.h"
#include "show/page/longest.h"

enum { longest_line = 120 };

static struct wl_advice_options options_of(const struct wl_view_context *context,
                                           const struct wl_report_launch *const *launches,
                                           size_t launch_count)
{
    return (struct wl_advice_options){
        .folder = context->options->section_folder,
        .rules = context->options->rules,
        .launches = launches,
        .launch_count = launch_count,
    };
}

void wl_view_advice_set(struct wl_view_advice *advice, struct wl_advice_list *list)
{
    advice->list = list;
    advice->findings = wl_advice_all(list, &advice->finding_count);
    advice->skips = wl_advice_skips(list, &advice->skip_count);
}

static enum wl_code advise_on(struct wl_view_context *context,
                              const struct wl_report_launch *const *launches, size_t launch_count,
                              struct wl_view_advice *advice, struct wl_error *error)
{
    const struct wl_advice_options options = options_of(context, launches, launch_count);
    struct wl_advice_list *list = NULL;
    enum wl_code code =
        wl_advise(context->report, context->catalog, advice->rules, &options, &list, error);
    if (code == WL_OK)
        wl_view_advice_set(advice, list);
    return code;
}

enum wl_code wl_view_advise_each(struct wl_view_context *context, const struct wl_rules *rules,
                                 const struct wl_report_launch *const *launches,
                                 size_t launch_count, struct wl_advice_list **lists,
                                 struct wl_error *error)
{
    const struct wl_advice_options options = options_of(context, launches, launch_count);
    return wl_advise_each(context->report, context->catalog, rules, &options, lists, error);
}

enum wl_code wl_view_advise(struct wl_view_context *context, const struct wl_view_advice **advice,
                            struct wl_error *error)
{
    *advice = context->advice;
    if (context->advice)
        return WL_OK;
    struct wl_view_advice *own = wl_alloc_zero(1, sizeof *own);
    enum wl_code code =
        wl_rules_load(context->catalog, context->options->section_folder, &own->rules, error);
    if (code == WL_OK && wl_longest_stand_for_all(context)) {
        struct wl_longest longest = wl_longest_choose(context);
        own->looked_at = longest.count;
        code = advise_on(context, longest.launches, longest.count, own, error);
        free(longest.launches);
    } else if (code == WL_OK) {
        code = advise_on(context, context->launches, context->launch_count, own, error);
    }
    if (code == WL_OK) {
        *advice = context->advice = own;
        return WL_OK;
    }
    wl_view_advice_release(own);
    free(own);
    return code;
}

void wl_view_advice_say_looked_at(const struct wl_view_context *context,
                                  const struct wl_view_advice *advice, struct wl_page_sink *sink)
{
    const struct wl_column column = {.json = "looked_at"};
    if (!advice->looked_at)
        return;
    wl_put(sink, &column, wl_cell_number((double)advice->looked_at));
    wl_say_free(sink, "",
                wl_string_format("The rules looked at the longest launches of each kernel, %zu of "
                                 "%zu; of fewer (-k, -s, -c) they look at all.",
                                 advice->looked_at, context->launch_count));
    wl_print(sink, "\n");
}

void wl_view_advice_release(struct wl_view_advice *advice)
{
    wl_advice_free(advice->list);
    wl_rules_free(advice->rules);
    *advice = (struct wl_view_advice){0};
}

void wl_advice_add_place(const struct wl_advice *advice, struct wl_text *out)
{
    const struct wl_advice_place *place = &advice->place;
    if (place->line > 0) {
        wl_text_addf(out, "%s:%" PRIu32, place->file, place->line);
        if (place->column > 0)
            wl_text_addf(out, ":%" PRIu32, place->column);
    } else if (advice->launch) {
        const struct wl_report_kernel *kernel = advice->launch->kernel;
        const char *name = kernel ? kernel->short_name : NULL;
        wl_text_add(out, name && name[0] ? name : wl_fields_kernel(advice->launch));
    } else {
        wl_text_add(out, "program");
    }
}

void wl_advice_add_gain(const struct wl_advice *advice, struct wl_text *out)
{
    if (!advice->has_gain)
        return;
    if (advice->saved < 0.005)
        wl_text_add(out, "saves less than 1%");
    else if (advice->saved >= 0.995)
        wl_text_addf(out, "saves more than 99%% (%.2fx)", advice->factor);
    else
        wl_text_addf(out, "saves %.0f%% (%.2fx)", 100 * advice->saved, advice->factor);
    if (advice->saved_ns > 0) {
        struct wl_metric_value time = {
            .is_present = true, .unit = "ns", .number = advice->saved_ns};
        struct wl_text number = {0}, unit = {0};
        wl_format_metric(&time, WL_UNITS_AUTO, &number, &unit);
        wl_text_addf(out, ", %s %s", number.data, unit.data);
        wl_text_free(&number);
        wl_text_free(&unit);
    }
    if (advice->saved_program > 0 && advice->launch)
        wl_text_addf(out, ", %.2g%% of the program", 100 * advice->saved_program);
}

void wl_advice_add_evidence(bool is_mark_shown[3], const struct wl_advice_evidence *evidence,
                            struct wl_text *out)
{
    wl_text_addf(out, "%s = ", evidence->metric);
    if (evidence->text)
        wl_text_add(out, evidence->text);
    else
        wl_format_number(evidence->value, out);
    if (evidence->unit[0] && !evidence->text)
        wl_text_addf(out, " %s", evidence->unit);
    if (evidence->has_mark) {
        struct wl_metric_value value = {.is_present = true, .mark = evidence->mark};
        wl_text_addf(out, " %s", wl_mark_text(is_mark_shown, &value));
    }
    if (evidence->has_threshold) {
        wl_text_add(out, " (threshold ");
        wl_format_number(evidence->threshold, out);
        wl_text_add_char(out, ')');
    }
}

void wl_advice_add_method(const struct wl_advice *advice, struct wl_text *out)
{
    if (advice->has_gain) {
        wl_text_addf(out, "by %s: %s; confidence %s", wl_advice_method_name(advice->method),
                     advice->how, wl_advice_confidence_name(advice->confidence));
        if (advice->overlaps > 0)
            wl_text_addf(out, "; the same time as finding %zu, do not add them", advice->overlaps);
    } else {
        wl_text_add(out, "not known: neither a formula nor a what-if tells it");
    }
}

static bool is_same_skip(const struct wl_advice_skip *a, const struct wl_advice_skip *b)
{
    return a->is_failure == b->is_failure && strcmp(a->text, b->text) == 0;
}

bool wl_advice_add_skip(const struct wl_view_advice *advice, size_t index, struct wl_text *out)
{
    const struct wl_advice_skip *skip = &advice->skips[index];
    for (size_t i = 0; i < index; i++)
        if (is_same_skip(&advice->skips[i], skip))
            return false;
    for (size_t i = index; i < advice->skip_count; i++)
        if (is_same_skip(&advice->skips[i], skip))
            wl_text_addf(out, "%s%s", i == index ? "" : ", ", advice->skips[i].rule->id);
    wl_text_addf(
        out, skip->is_failure ? ": the rule failed: %s" : ": needs metric %s, not in this report",
        skip->text);
    return true;
}

char *wl_advice_source_line(struct wl_report *report, const struct wl_advice_place *place)
{
    const char *reason = NULL, *text = NULL;
    if (place->line == 0) {
        const char *ptx = place->instruction ? place->instruction->text : "";
        return wl_string_copy_length(ptx, strnlen(ptx, longest_line));
    }
    text = wl_report_source(report, place->file, &reason);
    for (uint32_t line = 1; text && line < place->line; line++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text)
        return wl_string_copy("");
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\r\n");
    return wl_string_copy_length(text, length < longest_line ? length : longest_line);
}
