/* The guided walk: where the program's time goes, which kernel, what bounds it, why and on which
 * line, what next, and whether it is done; each answer with what shows it and the command that
 * shows more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/ladder.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "show/page/program_time.h"
#include "show/page/shares.h"

enum { most_kernels = 5 };

static void ask(struct wl_page_sink *sink, const char *question)
{
    wl_bold(sink, true);
    wl_print(sink, "%s\n", question);
    wl_bold(sink, false);
}

static void add_time(double time_ns, struct wl_text *out)
{
    struct wl_metric_value time = {.is_present = true, .unit = "ns", .number = time_ns};
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(&time, WL_UNITS_AUTO, &number, &unit);
    wl_text_addf(out, "%s %s", number.data, unit.data);
    wl_text_free(&number);
    wl_text_free(&unit);
}

/* "next: warplens show REPORT --page PAGE -k KERNEL", as a shell takes it; share may be NULL. */
static void say_command(struct wl_view_context *context, struct wl_page_sink *sink,
                        const char *page, const struct wl_share *share, const char *behind)
{
    const char *path = context->options->report_path;
    const char *function =
        share && share->launch->kernel ? share->launch->kernel->record.function : NULL;
    struct wl_text line = {0};
    wl_text_add(&line, "next: warplens show");
    wl_text_add_word(&line, path ? path : "REPORT");
    wl_text_addf(&line, " --page %s", page);
    if (function && *function) {
        wl_text_add(&line, " -k");
        wl_text_add_word(&line, function);
    }
    wl_text_add(&line, behind);
    wl_print(sink, "   ");
    wl_print_safe(sink, line.data); /* a command is not broken into lines */
    wl_print(sink, "\n");
    wl_text_free(&line);
}

static void say_program(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct wl_view_advice *advice, const struct wl_shares *shares)
{
    const json_t *facts = wl_advice_facts(advice->list);
    if (facts) {
        ask(sink, "0. Where does the program's time go?");
        wl_program_time_say(sink, facts);
        for (size_t i = 0; i < advice->finding_count; i++) {
            const struct wl_advice *finding = &advice->findings[i];
            struct wl_text text = {0};
            if (finding->severity != WL_ADVICE_WARNING || !finding->has_gain)
                continue;
            wl_text_add(&text, "most to gain: ");
            wl_advice_add_place(finding, &text);
            wl_text_addf(&text, ": %s: %s; ", finding->rule->id, finding->title);
            wl_advice_add_gain(finding, &text);
            wl_say_free(sink, "   ", wl_text_take(&text));
            break;
        }
        say_command(context, sink, "advice", NULL, "");
    }
    if (shares->count == 0)
        return;
    ask(sink, "1. Which kernel?");
    for (size_t i = 0; i < shares->count && i < most_kernels; i++) {
        const struct wl_share *share = &shares->items[i];
        struct wl_text text = {0};
        wl_text_addf(&text, "%3.0f%% of the time of these launches  %s, %zu launch%s, ",
                     shares->total_ns > 0 ? 100 * share->time_ns / shares->total_ns : 0,
                     wl_fields_kernel(share->launch), share->launch_count,
                     share->launch_count == 1 ? "" : "es");
        add_time(share->time_ns, &text);
        if (share->is_stand_in)
            wl_text_add(&text, " (stand-in for a library's kernel)");
        wl_say_free(sink, "   ", wl_text_take(&text));
    }
    wl_say_free(sink, "   ",
                wl_string_format("evidence: %s%s",
                                 shares->has_durations ? "gpu__time_duration.sum"
                                                       : "the least time that counts allow, as the "
                                                         "report has no durations",
                                 facts ? ""
                                       : "; what else the program does is not in this report: "
                                         "`warplens optimize` looks at it"));
    say_command(context, sink, "summary", NULL, "");
}

static bool is_about(const struct wl_advice *advice, const struct wl_share *share)
{
    return advice->launch && advice->launch->kernel == share->launch->kernel;
}

static void say_bound(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct wl_view_advice *advice, const struct wl_share *share)
{
    ask(sink, "2. What bounds it?");
    bool is_known = false;
    for (size_t i = 0; i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_about(finding, share) || strcmp(finding->rule->stage, "bound") != 0)
            continue;
        is_known = true;
        wl_say_free(sink, "   ", wl_string_copy(finding->title));
        for (size_t j = 0; j < finding->evidence_count && j < 3; j++) {
            struct wl_text text = {0};
            wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[j], &text);
            wl_say_free(sink, "   evidence: ", wl_text_take(&text));
        }
    }
    if (!is_known)
        wl_say_free(sink, "   ", wl_string_copy("this is not known: nothing was counted"));
    say_command(context, sink, "details --section SpeedOfLight", share, "");
}

static void say_why(struct wl_view_context *context, struct wl_page_sink *sink,
                    const struct wl_advice *finding, const struct wl_share *share)
{
    ask(sink, "3. Why, and on which line?");
    if (!finding) {
        wl_say_free(sink, "   ", wl_string_copy("no rule found a cause that is worth a change"));
        return;
    }
    struct wl_text text = {0};
    wl_advice_add_place(finding, &text);
    wl_text_addf(&text, ": %s: %s", finding->rule->id, finding->title);
    wl_say_free(sink, "   ", wl_text_take(&text));
    char *source = wl_advice_source_line(context->report, &finding->place);
    if (source[0] != '\0')
        wl_say_free(sink, "   ", wl_string_format("%" PRIu32 " | %s", finding->place.line, source));
    free(source);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[i], &text);
        wl_say_free(sink, "   evidence: ", wl_text_take(&text));
    }
    say_command(context, sink, "source", share, "");
}

static void say_next(struct wl_view_context *context, struct wl_page_sink *sink,
                     const struct wl_view_advice *advice, const struct wl_advice *finding,
                     const struct wl_share *share)
{
    size_t others = 0;
    ask(sink, "4. What next?");
    if (finding) {
        struct wl_text text = {0};
        wl_say_free(sink, "   ", wl_string_copy(finding->todo));
        wl_advice_add_gain(finding, &text);
        wl_text_addf(&text, "%s", text.length ? ", " : "");
        wl_advice_add_method(finding, &text);
        wl_say_free(sink, "   ", wl_text_take(&text));
    } else {
        wl_say_free(sink, "   ", wl_string_copy("another kernel, or less work for this one"));
    }
    for (size_t i = 0; i < advice->finding_count; i++)
        others += is_about(&advice->findings[i], share) && &advice->findings[i] != finding &&
                  advice->findings[i].severity == WL_ADVICE_WARNING;
    char *behind = wl_string_format("  # %zu more finding%s", others, others == 1 ? "" : "s");
    say_command(context, sink, "advice", NULL, behind);
    free(behind);
}

static void say_done(struct wl_view_context *context, struct wl_page_sink *sink,
                     const struct wl_view_advice *advice, const struct wl_advice *finding,
                     const struct wl_share *share)
{
    struct wl_text text = {0};
    struct wl_ladder ladder;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, share->launch);
    bool is_known = wl_ladder_read(set, &ladder);
    const struct wl_metric_value *words = wl_metric_get(set, "warplens__verdict");
    ask(sink, "5. Is it done?");
    switch (wl_verdict_find(is_known ? &ladder : NULL, advice->findings, advice->finding_count,
                            share->launch->kernel)) {
    case WL_VERDICT_GO_ON:
        wl_text_addf(&text, "no: %s ", finding->rule->id);
        wl_advice_add_gain(finding, &text);
        wl_text_add(&text, finding->has_gain ? "" : "is open, its gain not known");
        break;
    case WL_VERDICT_STOP:
        wl_text_addf(&text,
                     "yes: nothing that was found gains %.0f%%, and %.0f%% of the time is beyond "
                     "the least: stop here",
                     100 * WL_LEAST_GAIN, 100 * wl_ladder_room(&ladder));
        break;
    case WL_VERDICT_OPEN:
        wl_text_addf(&text, "not known: nothing that was found gains %.0f%%, ",
                     100 * WL_LEAST_GAIN);
        if (is_known)
            wl_text_addf(&text, "but %.0f%% of the time is beyond the least",
                         100 * wl_ladder_room(&ladder));
        else
            wl_text_add(&text, "and how much is left at all cannot be told");
        break;
    }
    wl_say_free(sink, "   ", wl_text_take(&text));
    if (words->is_present && words->text)
        wl_say_free(sink, "   ", wl_string_format("verdict: %s", words->text));
    wl_metric_set_free(set);
}

static void say_kernel(struct wl_view_context *context, struct wl_page_sink *sink,
                       const struct wl_view_advice *advice, const struct wl_shares *shares)
{
    const struct wl_share *share = &shares->items[0];
    const struct wl_advice *finding = NULL;
    for (size_t i = 0; i < shares->count; i++) { /* a library's kernel cannot be changed */
        if (!shares->items[i].is_stand_in) {
            share = &shares->items[i];
            break;
        }
    }
    for (size_t i = 0; i < advice->finding_count && !finding; i++)
        if (is_about(&advice->findings[i], share) &&
            advice->findings[i].severity == WL_ADVICE_WARNING)
            finding = &advice->findings[i];
    wl_say_free(sink, "\n",
                wl_string_format("The rest is about %s.", wl_fields_kernel(share->launch)));
    say_bound(context, sink, advice, share);
    say_why(context, sink, finding, share);
    say_next(context, sink, advice, finding, share);
    say_done(context, sink, advice, finding, share);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    struct wl_view_advice advice;
    struct wl_shares shares;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_shares_make(context, &shares);
    say_program(context, sink, &advice, &shares);
    if (shares.count)
        say_kernel(context, sink, &advice, &shares);
    wl_mark_legend(sink);
    wl_shares_free(&shares);
    wl_view_advice_free(&advice);
    return WL_OK;
}

const struct wl_page wl_page_guide = {.name = "guide", .walk = walk, .is_only_text = true};
