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

static void put(struct wl_page_sink *sink, const char *key, struct wl_cell cell)
{
    const struct wl_column column = {.json = key};
    wl_put(sink, &column, cell);
}

/* Begins an answer; what is told from here on belongs to it. */
static void ask(struct wl_page_sink *sink, const char *question)
{
    wl_bold(sink, true);
    wl_print(sink, "%s\n", question);
    wl_bold(sink, false);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    put(sink, "question", wl_cell_text(question));
    wl_begin(sink, WL_LEVEL_LIST, "answers", 0);
}

static void end_answer(struct wl_page_sink *sink)
{
    wl_end(sink);
    wl_end(sink);
}

/* What a sentence of an answer is: its word in data, and what stands before it in text. */
enum telling { ANSWER, EVIDENCE, NEXT, VERDICT };
static const struct {
    const char *kind, *prefix;
} tellings[] = {
    [ANSWER] = {"answer", "   "},
    [EVIDENCE] = {"evidence", "   evidence: "},
    [NEXT] = {"next", "   next: "},
    [VERDICT] = {"verdict", "   verdict: "},
};

/* A sentence of the answer. Frees text. */
static void tell(struct wl_page_sink *sink, enum telling telling, char *text)
{
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    put(sink, "kind", wl_cell_text(tellings[telling].kind));
    put(sink, "text", wl_cell_text(text));
    wl_end(sink);
    wl_say_free(sink, tellings[telling].prefix, text);
}

/* Where the answer is shown in full: a page of the report, what is chosen there. */
static void tell_next(struct wl_page_sink *sink, const char *page,
                      const struct wl_report_launch *launch, char *command)
{
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    put(sink, "kind", wl_cell_text(tellings[NEXT].kind));
    put(sink, "text", wl_cell_text(command));
    put(sink, "page", wl_cell_text(page));
    if (launch)
        put(sink, "launch", wl_cell_number((double)launch->key));
    wl_end(sink);
    wl_say_free(sink, tellings[NEXT].prefix, command);
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

static void say_kernels(struct wl_page_sink *sink, const struct walk *walk)
{
    ask(sink, "1. Which kernel?");
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
        tell(sink, ANSWER, wl_text_take(&text));
    }
    tell(sink, EVIDENCE,
         wl_string_copy(walk->has_durations
                            ? "gpu__time_duration.sum; head-room is what is above the floor of the "
                              "busiest unit"
                            : "the least time that counts allow, as the report has no durations"));
    tell_next(sink, "summary", NULL, wl_string_copy("warplens show REPORT --page summary"));
    end_answer(sink);
}

static bool is_about(const struct wl_advice *advice, const struct share *share)
{
    return advice->launch && advice->launch->kernel == share->launch->kernel;
}

static void say_bound(struct wl_page_sink *sink, const struct wl_view_advice *advice,
                      const struct share *share)
{
    ask(sink, "2. What bounds it?");
    bool is_known = false;
    for (size_t i = 0; i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_about(finding, share) || strcmp(finding->rule->stage, "bound") != 0)
            continue;
        is_known = true;
        tell(sink, ANSWER, wl_string_copy(finding->title));
        for (size_t j = 0; j < finding->evidence_count && j < 3; j++) {
            struct wl_text text = {0};
            wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[j], &text);
            tell(sink, EVIDENCE, wl_text_take(&text));
        }
    }
    if (!is_known)
        tell(sink, ANSWER, wl_string_copy("this is not known: nothing was counted"));
    tell_next(
        sink, "details", share->launch,
        wl_string_format("warplens show REPORT --page details --section SpeedOfLight -k %s",
                         share->launch->kernel ? share->launch->kernel->record.function : ""));
    end_answer(sink);
}

static void say_cause(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct wl_advice *finding)
{
    struct wl_text text = {0};
    wl_advice_add_place(finding, &text);
    wl_text_addf(&text, ": %s: %s", finding->rule->id, finding->title);
    tell(sink, ANSWER, wl_text_take(&text));
    char *source = wl_advice_source_line(context->report, &finding->place);
    if (source[0] != '\0')
        tell(sink, ANSWER, wl_string_format("%" PRIu32 " | %s", finding->place.line, source));
    free(source);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[i], &text);
        tell(sink, EVIDENCE, wl_text_take(&text));
    }
}

static void say_why(struct wl_view_context *context, struct wl_page_sink *sink,
                    const struct wl_advice *finding, const struct share *share)
{
    ask(sink, "3. Why, and on which line?");
    if (finding) {
        say_cause(context, sink, finding);
        tell_next(
            sink, "source", finding->launch,
            wl_string_format("warplens show REPORT --page source -k %s",
                             share->launch->kernel ? share->launch->kernel->record.function : ""));
    } else {
        tell(sink, ANSWER, wl_string_copy("no rule found a cause that is worth a change"));
    }
    end_answer(sink);
}

static void say_next(struct wl_page_sink *sink, const struct wl_view_advice *advice,
                     const struct wl_advice *finding, const struct share *share)
{
    size_t others = 0;
    ask(sink, "4. What next?");
    if (finding) {
        struct wl_text text = {0};
        tell(sink, ANSWER, wl_string_copy(finding->todo));
        wl_advice_add_gain(finding, &text);
        wl_text_addf(&text, "%s", text.length ? ", " : "");
        wl_advice_add_method(finding, &text);
        tell(sink, ANSWER, wl_text_take(&text));
    } else {
        tell(sink, ANSWER, wl_string_copy("another kernel, or less work for this one"));
    }
    for (size_t i = 0; i < advice->finding_count; i++)
        others += is_about(&advice->findings[i], share) && &advice->findings[i] != finding &&
                  advice->findings[i].severity == WL_ADVICE_WARNING;
    tell_next(sink, "advice", NULL,
              wl_string_format("warplens show REPORT --page advice (%zu more finding%s)", others,
                               others == 1 ? "" : "s"));
    end_answer(sink);
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

static void say_verdict(struct wl_page_sink *sink, const struct wl_view_advice *advice,
                        const struct wl_advice *finding, const struct share *share)
{
    struct wl_text text = {0};
    const struct wl_advice *ceiling = find_note(advice, share, "ceiling");
    const struct wl_advice *bound = find_note(advice, share, "bound");
    ask(sink, "5. Is it done?");
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
    tell(sink, ANSWER, wl_text_take(&text));
    if (ceiling)
        tell(sink, VERDICT, wl_string_copy(ceiling->title));
    end_answer(sink);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    struct walk found = {0};
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    add_up(context, &found);
    wl_begin(sink, WL_LEVEL_LIST, "steps", 0);
    say_kernels(sink, &found);
    const struct share *share = &found.shares[0];
    for (size_t i = 0; i < found.count; i++) { /* a library's kernel cannot be changed */
        if (!found.shares[i].is_stand_in) {
            share = &found.shares[i];
            break;
        }
    }
    const struct wl_advice *finding = NULL;
    for (size_t i = 0; i < advice->finding_count && !finding; i++)
        if (is_about(&advice->findings[i], share) &&
            advice->findings[i].severity == WL_ADVICE_WARNING)
            finding = &advice->findings[i];
    wl_say_free(sink, "\n",
                wl_string_format("The rest is about %s.", wl_fields_kernel(share->launch)));
    say_bound(sink, advice, share);
    say_why(context, sink, finding, share);
    say_next(sink, advice, finding, share);
    say_verdict(sink, advice, finding, share);
    wl_end(sink);
    wl_mark_legend(sink);
    free(found.shares);
    return WL_OK;
}

const struct wl_page wl_page_guide = {.name = "guide", .walk = walk, .is_only_text = true};
