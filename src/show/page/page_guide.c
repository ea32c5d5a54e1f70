/* The guided walk: which kernel, what bounds it, why and on which line, what next, and whether it
 * is done; each answer with what shows it and the command that shows more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"

enum { most_kernels = 5 };

static const double least_saved = 0.05; /* what gains less does not keep a kernel from being done */

/* The launches of one kernel. */
struct share {
    const struct wl_report_launch *launch; /* the heaviest */
    double time_ns, heaviest_ns, floor_ns;
    size_t launch_count;
    bool is_stand_in;
};

struct walk {
    struct share *shares;
    size_t count;
    double total_ns;
    bool has_durations; /* else the times are floors by counts */
};

static bool read_number(struct wl_metric_set *set, const char *name, double *number)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    if (!value->is_present || value->text)
        return false;
    *number = value->number;
    return true;
}

static struct share *find_share(struct walk *walk, const struct wl_report_launch *launch)
{
    for (size_t i = 0; i < walk->count; i++)
        if (walk->shares[i].launch->kernel == launch->kernel)
            return &walk->shares[i];
    walk->shares[walk->count] = (struct share){.launch = launch, .heaviest_ns = -1};
    return &walk->shares[walk->count++];
}

static int by_time(const void *left, const void *right)
{
    const struct share *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return a->launch->key < b->launch->key ? -1 : 1;
}

static void add_up(struct wl_view_context *context, struct walk *walk)
{
    walk->shares = wl_alloc_zero(context->launch_count, sizeof *walk->shares);
    walk->has_durations = true;
    for (int pass = 0; pass < 2; pass++) {
        walk->count = 0;
        walk->total_ns = 0;
        for (size_t i = 0; i < context->launch_count; i++) {
            const struct wl_report_launch *launch = context->launches[i];
            struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
            double floor_ns = 0, time_ns = 0;
            read_number(set, "warplens__floor.ns", &floor_ns);
            bool is_timed = read_number(set, "gpu__time_duration.sum", &time_ns);
            if (pass == 0)
                walk->has_durations &= is_timed;
            time_ns = walk->has_durations ? time_ns : floor_ns;
            struct share *share = find_share(walk, launch);
            if (time_ns > share->heaviest_ns) {
                share->heaviest_ns = time_ns;
                share->launch = launch;
            }
            share->time_ns += time_ns;
            share->floor_ns += floor_ns;
            share->launch_count++;
            share->is_stand_in = launch->kernel && launch->kernel->module.is_stand_in;
            walk->total_ns += time_ns;
            wl_metric_set_free(set);
        }
        if (walk->has_durations)
            break;
    }
    qsort(walk->shares, walk->count, sizeof *walk->shares, by_time);
}

/* A line of an answer, wrapped; it need not be safe. Frees text. */
static void say(struct wl_view_context *context, const char *prefix, char *text)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    wl_format_wrap(prefix, safe.data ? safe.data : "", context->width, &context->text);
    wl_text_free(&safe);
    free(text);
}

static void ask(struct wl_view_context *context, const char *question)
{
    wl_fields_bold(context, true);
    wl_text_addf(&context->text, "%s\n", question);
    wl_fields_bold(context, false);
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

static void say_kernels(struct wl_view_context *context, const struct walk *walk)
{
    ask(context, "1. Which kernel?");
    for (size_t i = 0; i < walk->count && i < most_kernels; i++) {
        const struct share *share = &walk->shares[i];
        struct wl_text text = {0};
        wl_text_addf(&text, "%3.0f%% of the time  %s, %zu launch%s, ",
                     walk->total_ns > 0 ? 100 * share->time_ns / walk->total_ns : 0,
                     wl_fields_kernel(share->launch), share->launch_count,
                     share->launch_count == 1 ? "" : "es");
        add_time(share->time_ns, &text);
        if (walk->has_durations && share->time_ns > 0)
            wl_text_addf(
                &text, ", head-room %.0f%%",
                100 * (1 -
                       (share->floor_ns < share->time_ns ? share->floor_ns / share->time_ns : 1)));
        if (share->is_stand_in)
            wl_text_add(&text, " (stand-in for a library's kernel)");
        say(context, "   ", wl_text_take(&text));
    }
    say(context, "   ",
        wl_string_format("evidence: %s; next: warplens show REPORT --page summary",
                         walk->has_durations
                             ? "gpu__time_duration.sum; head-room is what is above "
                               "the floor of the busiest unit"
                             : "the least time that counts allow, as the report has no durations"));
}

static bool is_about(const struct wl_advice *advice, const struct share *share)
{
    return advice->launch && advice->launch->kernel == share->launch->kernel;
}

static void say_bound(struct wl_view_context *context, const struct wl_view_advice *advice,
                      const struct share *share)
{
    ask(context, "2. What bounds it?");
    bool is_known = false;
    for (size_t i = 0; i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_about(finding, share) || strcmp(finding->rule->stage, "bound") != 0)
            continue;
        is_known = true;
        say(context, "   ", wl_string_copy(finding->title));
        for (size_t j = 0; j < finding->evidence_count && j < 3; j++) {
            struct wl_text text = {0};
            wl_advice_add_evidence(context, &finding->evidence[j], &text);
            say(context, "   evidence: ", wl_text_take(&text));
        }
    }
    if (!is_known)
        say(context, "   ", wl_string_copy("this is not known: nothing was counted"));
    say(context, "   ",
        wl_string_format("next: warplens show REPORT --page details --section SpeedOfLight -k %s",
                         share->launch->kernel ? share->launch->kernel->record.function : ""));
}

static void say_why(struct wl_view_context *context, const struct wl_advice *finding,
                    const struct share *share)
{
    ask(context, "3. Why, and on which line?");
    if (!finding) {
        say(context, "   ", wl_string_copy("no rule found a cause that is worth a change"));
        return;
    }
    struct wl_text text = {0};
    wl_advice_add_place(finding, &text);
    wl_text_addf(&text, ": %s: %s", finding->rule->id, finding->title);
    say(context, "   ", wl_text_take(&text));
    char *source = wl_advice_source_line(context->report, &finding->place);
    if (source[0] != '\0')
        say(context, "   ", wl_string_format("%" PRIu32 " | %s", finding->place.line, source));
    free(source);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        wl_advice_add_evidence(context, &finding->evidence[i], &text);
        say(context, "   evidence: ", wl_text_take(&text));
    }
    say(context, "   ",
        wl_string_format("next: warplens show REPORT --page source -k %s",
                         share->launch->kernel ? share->launch->kernel->record.function : ""));
}

static void say_next(struct wl_view_context *context, const struct wl_view_advice *advice,
                     const struct wl_advice *finding, const struct share *share)
{
    size_t others = 0;
    ask(context, "4. What next?");
    if (finding) {
        struct wl_text text = {0};
        say(context, "   ", wl_string_copy(finding->todo));
        wl_advice_add_gain(finding, &text);
        wl_text_addf(&text, "%s", text.length ? ", " : "");
        wl_advice_add_method(finding, &text);
        say(context, "   ", wl_text_take(&text));
    } else {
        say(context, "   ", wl_string_copy("another kernel, or less work for this one"));
    }
    for (size_t i = 0; i < advice->finding_count; i++)
        others += is_about(&advice->findings[i], share) && &advice->findings[i] != finding &&
                  advice->findings[i].severity == WL_ADVICE_WARNING;
    say(context, "   ",
        wl_string_format("next: warplens show REPORT --page advice (%zu more finding%s)", others,
                         others == 1 ? "" : "s"));
}

/* What a rule of this id says of the kernel, or NULL. */
static const struct wl_advice *find_note(const struct wl_view_advice *advice,
                                         const struct share *share, const char *rule)
{
    for (size_t i = 0; i < advice->finding_count; i++)
        if (is_about(&advice->findings[i], share) &&
            strcmp(advice->findings[i].rule->id, rule) == 0)
            return &advice->findings[i];
    return NULL;
}

static void say_verdict(struct wl_view_context *context, const struct wl_view_advice *advice,
                        const struct wl_advice *finding, const struct share *share)
{
    struct wl_text text = {0};
    const struct wl_advice *ceiling = find_note(advice, share, "ceiling");
    const struct wl_advice *bound = find_note(advice, share, "bound");
    ask(context, "5. Is it done?");
    if (finding && (!finding->has_gain || finding->saved >= least_saved)) {
        wl_text_addf(&text, "no: %s ", finding->rule->id);
        wl_advice_add_gain(finding, &text);
        wl_text_add(&text, finding->has_gain ? "" : "is open, its gain not known");
    } else {
        wl_text_add(&text, "yes: ");
        if (bound)
            wl_text_addf(&text, "%s; ", bound->title);
        wl_text_addf(&text, "nothing that was found gains %.0f%%: stop here", 100 * least_saved);
    }
    say(context, "   ", wl_text_take(&text));
    if (ceiling)
        say(context, "   ", wl_string_format("verdict: %s", ceiling->title));
}

enum wl_code wl_page_guide_text(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_view_advice advice;
    struct walk walk = {0};
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    add_up(context, &walk);
    say_kernels(context, &walk);
    const struct share *share = &walk.shares[0];
    for (size_t i = 0; i < walk.count; i++) { /* a library's kernel cannot be changed */
        if (!walk.shares[i].is_stand_in) {
            share = &walk.shares[i];
            break;
        }
    }
    const struct wl_advice *finding = NULL;
    for (size_t i = 0; i < advice.finding_count && !finding; i++)
        if (is_about(&advice.findings[i], share) &&
            advice.findings[i].severity == WL_ADVICE_WARNING)
            finding = &advice.findings[i];
    say(context, "\n", wl_string_format("The rest is about %s.", wl_fields_kernel(share->launch)));
    say_bound(context, &advice, share);
    say_why(context, finding, share);
    say_next(context, &advice, finding, share);
    say_verdict(context, &advice, finding, share);
    wl_mark_legend(context);
    free(walk.shares);
    wl_view_advice_free(&advice);
    return WL_OK;
}
