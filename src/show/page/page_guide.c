/* The guided walk: where the program's time goes, which kernel, what bounds it, why and on which
 * line, what next, and whether it is done; each answer with what shows it and the command that
 * shows more. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/ladder.h"
#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "show/page/kinds.h"
#include "show/page/program_time.h"
#include "show/page/shares.h"

enum { most_kernels = 5, most_evidence = 3 };

/* As data: each answer is a line. */
static const struct {
    struct wl_column question, kind, text, page, launch;
} columns = {{.csv = "Question", .json = "question"},
             {.csv = "Kind", .json = "kind"},
             {.csv = "Text", .json = "text"},
             {.csv = "Page", .json = "page"},
             {.csv = "Launch", .json = "launch"}};
enum { column_count = sizeof columns / sizeof(struct wl_column) };

/* Begins an answer; what is printed from here to end_answer belongs to it. */
static void ask(struct wl_page_sink *sink, const char *question)
{
    wl_bold(sink, true);
    wl_print(sink, "%s\n", question);
    wl_bold(sink, false);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &columns.question, wl_cell_text(question));
    wl_begin(sink, WL_LEVEL_LIST, "answers", 0);
}

static void end_answer(struct wl_page_sink *sink)
{
    wl_end(sink);
    wl_end(sink);
}

/* What a sentence of an answer is: its word in data, and what stands before it in text. */
enum telling { ANSWER, EVIDENCE, VERDICT };
static const struct {
    const char *kind, *prefix;
} tellings[] = {
    [ANSWER] = {"answer", "   "},
    [EVIDENCE] = {"evidence", "   evidence: "},
    [VERDICT] = {"verdict", "   verdict: "},
};

/* A sentence of the answer. Frees text. */
static void tell(struct wl_page_sink *sink, enum telling telling, char *text)
{
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
    wl_put(sink, &columns.kind, wl_cell_text(tellings[telling].kind));
    wl_put(sink, &columns.text, wl_cell_text(text));
    wl_end(sink);
    wl_say_free(sink, tellings[telling].prefix, text);
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

/* "next: warplens show REPORT --page PAGE -k KERNEL", as a shell takes it, and in data which page
 * it is, of which launch; share may be NULL. */
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
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
    wl_put(sink, &columns.kind, wl_cell_text("next"));
    wl_put(sink, &columns.text, wl_cell_text(line.data + strlen("next: ")));
    wl_put(sink, &columns.page, wl_cell_text(page));
    if (share)
        wl_put(sink, &columns.launch, wl_cell_number((double)share->launch->key));
    wl_end(sink);
    wl_print(sink, "   ");
    wl_print_safe(sink, line.data); /* a command is not broken into lines */
    wl_print(sink, "\n");
    wl_text_free(&line);
}

/* Those who made the kernels, where they are known. */
static void say_families(struct wl_view_context *context, struct wl_page_sink *sink)
{
    struct wl_kinds kinds;
    struct wl_text line = {0};
    wl_kinds_make(context, "gpu__time_duration.sum", &kinds);
    if (wl_kinds_add_families(&kinds, &line))
        tell(sink, ANSWER, wl_string_format("by family: %s", line.data));
    wl_kinds_free(&kinds);
    wl_text_free(&line);
}

/* The kernel's name, with its launch where another one is shortened to the same: instances of one
 * template often differ in their last arguments alone. */
static char *name_of(const struct wl_shares *shares, const struct wl_share *share)
{
    const char *name = wl_fields_short_kernel(share->launch);
    for (size_t i = 0; i < shares->count; i++)
        if (&shares->items[i] != share &&
            strcmp(wl_fields_short_kernel(shares->items[i].launch), name) == 0)
            return wl_string_format("%s (launch %" PRId64 ")", name, share->launch->key);
    return wl_string_copy(name);
}

/* What the times of kernels are. */
static void say_times(struct wl_page_sink *sink, const struct wl_shares *shares, bool is_traced)
{
    struct wl_text text = {0};
    if (shares->has_durations)
        wl_text_add(&text, "gpu__time_duration.sum");
    else if (shares->untimed < shares->launches)
        wl_text_addf(&text,
                     "the least time that counts allow, as %zu of %zu launches have no duration",
                     shares->untimed, shares->launches);
    else
        wl_text_add(&text, "the least time that counts allow, as the report has no durations "
                           "(--page session says why)");
    if (!is_traced)
        wl_text_add(&text, "; what else the program does is not in this report: "
                           "`warplens optimize` looks at it");
    tell(sink, EVIDENCE, wl_text_take(&text));
}

static void say_program(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct wl_view_advice *advice, const struct wl_shares *shares)
{
    const json_t *facts = wl_advice_facts(advice->list);
    if (facts) {
        ask(sink, "0. Where does the program's time go?");
        wl_program_time_print(sink, facts);
        for (size_t i = 0; i < advice->finding_count; i++) {
            const struct wl_advice *finding = &advice->findings[i];
            struct wl_text text = {0};
            if (finding->severity != WL_ADVICE_WARNING || !finding->has_gain)
                continue;
            wl_text_add(&text, "most to gain: ");
            wl_advice_add_place(finding, &text);
            wl_text_addf(&text, ": %s: %s; ", finding->rule->id, finding->title);
            wl_advice_add_gain(finding, &text);
            tell(sink, ANSWER, wl_text_take(&text));
            break;
        }
        say_command(context, sink, "advice", NULL, "");
        end_answer(sink);
    }
    if (shares->count == 0)
        return;
    ask(sink, "1. Which kernel?");
    for (size_t i = 0; i < shares->count && i < most_kernels; i++) {
        const struct wl_share *share = &shares->items[i];
        struct wl_text text = {0};
        char *name = name_of(shares, share);
        wl_text_addf(&text, "%.0f%% of the time of these launches: %s, %zu launch%s, ",
                     shares->total_ns > 0 ? 100 * share->time_ns / shares->total_ns : 0, name,
                     share->launch_count, share->launch_count == 1 ? "" : "es");
        free(name);
        add_time(share->time_ns, &text);
        if (share->is_stand_in)
            wl_text_add(&text, " (stand-in for a library's kernel)");
        tell(sink, ANSWER, wl_text_take(&text));
    }
    say_families(context, sink);
    say_times(sink, shares, facts != NULL);
    say_command(context, sink, "summary", NULL, "");
    end_answer(sink);
}

static bool is_about(const struct wl_advice *advice, const struct wl_share *share)
{
    return advice->launch && advice->launch->kernel == share->launch->kernel;
}

static const struct wl_advice *find_bound(const struct wl_view_advice *advice,
                                          const struct wl_share *share)
{
    for (size_t i = 0; i < advice->finding_count; i++)
        if (is_about(&advice->findings[i], share) &&
            strcmp(advice->findings[i].rule->stage, "bound") == 0)
            return &advice->findings[i];
    return NULL;
}

static bool is_shaped_alike(const struct wl_record_launch *one,
                            const struct wl_record_launch *other)
{
    return memcmp(one->grid, other->grid, sizeof one->grid) == 0 &&
           memcmp(one->block, other->block, sizeof one->block) == 0;
}

/* A finding of launches of another shape than those that the answer before is about. */
static void say_shape(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct wl_advice *bound, const struct wl_advice *finding,
                      const struct wl_share *share)
{
    const struct wl_record_launch *launch = &finding->launch->record;
    const struct wl_record_launch *other = bound ? &bound->launch->record : launch;
    if (is_shaped_alike(launch, other))
        return;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, finding->launch);
    const struct wl_metric_value *compute =
        wl_metric_get(set, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    const struct wl_metric_value *memory =
        wl_metric_get(set, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
    struct wl_text text = {0};
    wl_text_addf(&text,
                 "in launches of another shape than above, grid (%" PRIu32 ", %" PRIu32 ", %" PRIu32
                 "), %zu of %zu",
                 launch->grid[0], launch->grid[1], launch->grid[2], finding->launch_count,
                 share->launch_count);
    if (compute->is_present && memory->is_present)
        wl_text_addf(&text, ": %.0f%% of the compute peak, %.0f%% of the memory peak",
                     compute->number, memory->number);
    tell(sink, ANSWER, wl_text_take(&text));
    wl_metric_set_free(set);
}

/* How near it is to the least that this GPU needs: the verdict of the last answer. */
static bool is_ceiling(const struct wl_advice *finding)
{
    return strcmp(finding->rule->id, "ceiling") == 0;
}

/* The evidence of a finding, most sentences at most. */
static void tell_evidence(struct wl_page_sink *sink, const struct wl_advice *finding, size_t most)
{
    for (size_t i = 0; i < finding->evidence_count && i < most; i++) {
        struct wl_text text = {0};
        wl_advice_add_evidence(sink->is_mark_shown, &finding->evidence[i], &text);
        tell(sink, EVIDENCE, wl_text_take(&text));
    }
}

/* What a verdict about a launch rests on: the finding is of the kernel's worst launch, which may be
 * another one, so its metrics are read again. */
static void tell_ceiling(struct wl_page_sink *sink, const struct wl_advice *finding,
                         struct wl_metric_set *set)
{
    for (size_t i = 0; i < finding->evidence_count && i < most_evidence; i++) {
        struct wl_advice_evidence evidence = finding->evidence[i];
        struct wl_text text = {0};
        const struct wl_metric_value *value = wl_metric_get(set, evidence.metric);
        if (!value->is_present)
            continue;
        evidence.value = value->number;
        evidence.text = value->text;
        evidence.mark = value->mark;
        wl_advice_add_evidence(sink->is_mark_shown, &evidence, &text);
        tell(sink, EVIDENCE, wl_text_take(&text));
    }
}

static void say_bound(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct wl_view_advice *advice, const struct wl_share *share)
{
    ask(sink, "2. What bounds it?");
    bool is_known = false;
    for (size_t i = 0; i < advice->finding_count; i++) {
        const struct wl_advice *finding = &advice->findings[i];
        if (!is_about(finding, share) || strcmp(finding->rule->stage, "bound") != 0 ||
            is_ceiling(finding))
            continue;
        is_known = true;
        tell(sink, ANSWER, wl_string_copy(finding->title));
        tell_evidence(sink, finding, most_evidence);
    }
    if (!is_known)
        tell(sink, ANSWER,
             wl_string_copy(wl_fields_has_library_time(share->launch)
                                ? "this is not known: its time is that of the library's own kernels"
                                : "this is not known: nothing was counted"));
    say_command(context, sink, "details --section SpeedOfLight", share, "");
    end_answer(sink);
}

/* Of a launch that was measured: how many rules could not look for want of counters. */
static size_t count_blind_rules(struct wl_view_context *context,
                                const struct wl_view_advice *advice, const struct wl_share *share)
{
    size_t count = 0;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, share->launch);
    bool is_simulated = wl_metric_get(set, "ptx__inst_executed.sum")->is_present;
    for (size_t i = 0; i < advice->skip_count && !is_simulated; i++)
        count += !advice->skips[i].is_failure;
    wl_metric_set_free(set);
    return count;
}

static void say_why(struct wl_view_context *context, struct wl_page_sink *sink,
                    const struct wl_view_advice *advice, const struct wl_advice *finding,
                    const struct wl_share *share)
{
    ask(sink, "3. Why, and on which line?");
    if (!finding) {
        size_t blind = count_blind_rules(context, advice, share);
        tell(sink, ANSWER, wl_string_copy("no rule found a cause that is worth a change"));
        if (blind) {
            tell(sink, ANSWER,
                 wl_string_format(
                     "%zu rule%s could not look: what %s is not in this report. More is "
                     "measured by --set full --instruction-counts, or counted by "
                     "--collector sim",
                     blind, blind == 1 ? "" : "s", blind == 1 ? "it needs" : "they need"));
            say_command(context, sink, "advice", NULL, "");
        }
        end_answer(sink);
        return;
    }
    struct wl_text text = {0};
    wl_advice_add_place(finding, &text);
    wl_text_addf(&text, ": %s: %s", finding->rule->id, finding->title);
    tell(sink, ANSWER, wl_text_take(&text));
    say_shape(context, sink, find_bound(advice, share), finding, share);
    char *source = wl_advice_source_line(context->report, &finding->place);
    if (source[0] != '\0' && finding->place.line)
        tell(sink, ANSWER, wl_string_format("%" PRIu32 " | %s", finding->place.line, source));
    else if (source[0] != '\0')
        tell(sink, ANSWER, wl_string_format("PTX | %s", source));
    free(source);
    tell_evidence(sink, finding, finding->evidence_count);
    say_command(context, sink, "source", share, "");
    end_answer(sink);
}

/* Whether launching takes a third of the kernel's time: as much as any change of the kernel gains.
 */
static bool is_mostly_launch(struct wl_view_context *context, const struct wl_share *share)
{
    struct wl_ladder ladder;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, share->launch);
    bool is_launch =
        wl_ladder_read(set, &ladder) && 3 * ladder.steps_ns[WL_LADDER_LAUNCH] >= ladder.duration_ns;
    wl_metric_set_free(set);
    return is_launch;
}

/* What to look at where no rule found a cause: by the step of the ladder that has most. */
static const struct {
    enum wl_ladder_step step;
    const char *name, *todo;
} ways_on[] = {
    {WL_LADDER_EXCESS, "work beyond the least", "the source page says which lines have most of it"},
    {WL_LADDER_STARTS, "starting blocks", "have fewer that do more each"},
    {WL_LADDER_ATOMICS, "atomics in one place", "have fewer of them"},
    {WL_LADDER_IDLE, "SMs without a block", "have more blocks, or blocks of equal length"},
    {WL_LADDER_WAIT, "waiting of all warps",
     "have more warps on an SM, or ask for values before they are needed"},
};

static const char *todo_of(size_t way, struct wl_metric_set *set)
{
    const struct wl_metric_value *is_full = wl_metric_get(set, "warplens__ladder_is_full");
    if (ways_on[way].step == WL_LADDER_WAIT && is_full->is_present && is_full->number > 0)
        return "the SMs have all warps that they can hold: ask for values before they are needed, "
               "and for several at once";
    return ways_on[way].todo;
}

/* What to do next with a kernel of which no rule found a cause. */
static char *find_way_on(struct wl_view_context *context, const struct wl_view_advice *advice,
                         const struct wl_share *share)
{
    struct wl_ladder ladder;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, share->launch);
    bool is_known = wl_ladder_read(set, &ladder);
    char *text = NULL;
    if (is_known && 3 * ladder.steps_ns[WL_LADDER_LAUNCH] >= ladder.duration_ns) {
        text = wl_string_copy("fewer launches: more work in each, several kernels as one, or a "
                              "CUDA graph");
    } else if (share->is_stand_in) {
        text = wl_string_copy("this stands in for a library's kernel, which works otherwise: what "
                              "can be changed is how it is called (fewer calls with more work in "
                              "each, shapes, types, layout), or which call does the work");
    } else if (is_known && wl_verdict_find(&ladder, advice->findings, advice->finding_count,
                                           share->launch->kernel) == WL_VERDICT_OPEN) {
        size_t most = 0;
        for (size_t i = 1; i < WL_COUNT(ways_on); i++)
            if (ladder.steps_ns[ways_on[i].step] > ladder.steps_ns[ways_on[most].step])
                most = i;
        double part = 100 * ladder.steps_ns[ways_on[most].step] / ladder.duration_ns;
        if (ladder.open && ladder.open_part >= WL_LEAST_GAIN)
            text =
                wl_string_format("see where %s take time: without them it would take %.0f%% less "
                                 "(--page whatif)",
                                 ladder.open, 100 * ladder.open_part);
        else
            text = wl_string_format("%s: %.0f%% of the time; %s", ways_on[most].name, part,
                                    todo_of(most, set));
    }
    wl_metric_set_free(set);
    return text ? text : wl_string_copy("another kernel, or less work for this one");
}

static void say_next(struct wl_view_context *context, struct wl_page_sink *sink,
                     const struct wl_view_advice *advice, const struct wl_advice *finding,
                     const struct wl_share *share)
{
    size_t others = 0;
    ask(sink, "4. What next?");
    if (finding) {
        struct wl_text text = {0};
        tell(sink, ANSWER, wl_string_copy(finding->todo));
        wl_advice_add_gain(finding, &text);
        wl_text_add(&text, text.length ? ", " : "gain: ");
        wl_advice_add_method(finding, &text);
        tell(sink, ANSWER, wl_text_take(&text));
        if (share->launch->kernel->family)
            tell(sink, ANSWER,
                 wl_string_format("this is code of %s: without its source what can be changed is "
                                  "how it is called (shapes, types, layout), or which kernel does "
                                  "the work",
                                  share->launch->kernel->family));
    } else {
        tell(sink, ANSWER, find_way_on(context, advice, share));
    }
    for (size_t i = 0; i < advice->finding_count; i++)
        others +=
            &advice->findings[i] != finding && advice->findings[i].severity == WL_ADVICE_WARNING;
    char *behind =
        others ? wl_string_format("  # %zu more finding%s", others, others == 1 ? "" : "s") : NULL;
    say_command(context, sink, "advice", NULL, behind ? behind : "");
    free(behind);
    end_answer(sink);
}

static void add_stop(struct wl_text *text, const struct wl_ladder *ladder, bool is_mostly_launch)
{
    wl_text_addf(text, "yes: %.0f%% of the time is beyond the least", 100 * wl_ladder_room(ladder));
    if (wl_ladder_room(ladder) > WL_LEAST_GAIN)
        wl_text_addf(text, ", and nothing is known that would take %.0f%% away",
                     100 * WL_LEAST_GAIN);
    wl_text_add(text, ": stop here");
    if (is_mostly_launch)
        wl_text_addf(text, "; the launch itself, %.0f%% of it, goes with fewer launches alone",
                     100 * ladder->steps_ns[WL_LADDER_LAUNCH] / ladder->duration_ns);
}

/* In words, and what they rest on; finding is what the answers before are about, or NULL. */
static void tell_verdict(struct wl_page_sink *sink, const struct wl_view_advice *advice,
                         const struct wl_advice *finding, const struct wl_share *share,
                         struct wl_metric_set *set)
{
    const struct wl_metric_value *words = wl_metric_get(set, "warplens__verdict");
    const struct wl_record_launch *launch = &share->launch->record;
    if (words->is_present && words->text) {
        if (finding && !is_shaped_alike(&finding->launch->record, launch))
            tell(sink, ANSWER,
                 wl_string_format("the verdict is about the longest launch, of grid (%" PRIu32
                                  ", %" PRIu32 ", %" PRIu32 ")",
                                  launch->grid[0], launch->grid[1], launch->grid[2]));
        tell(sink, VERDICT, wl_string_copy(words->text));
    }
    for (size_t i = 0; i < advice->finding_count; i++) {
        if (is_about(&advice->findings[i], share) && is_ceiling(&advice->findings[i])) {
            tell_ceiling(sink, &advice->findings[i], set);
            break;
        }
    }
}

static void say_done(struct wl_view_context *context, struct wl_page_sink *sink,
                     const struct wl_view_advice *advice, const struct wl_advice *finding,
                     const struct wl_share *share)
{
    struct wl_text text = {0};
    struct wl_ladder ladder;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, share->launch);
    bool is_known = wl_ladder_read(set, &ladder);
    ask(sink, "5. Is it done?");
    switch (wl_verdict_find(is_known ? &ladder : NULL, advice->findings, advice->finding_count,
                            share->launch->kernel)) {
    case WL_VERDICT_GO_ON:
        wl_text_addf(&text, "no: %s ", finding->rule->id);
        wl_advice_add_gain(finding, &text);
        if (is_known && finding->has_gain && finding->saved > wl_ladder_room(&ladder) &&
            is_shaped_alike(&finding->launch->record, &share->launch->record))
            wl_text_addf(&text, ", as it needs fewer bytes or operations than were counted");
        wl_text_add(&text, finding->has_gain ? "" : "is open, its gain not known");
        break;
    case WL_VERDICT_STOP:
        add_stop(&text, &ladder, is_mostly_launch(context, share));
        break;
    case WL_VERDICT_OPEN:
        if (is_known && is_mostly_launch(context, share)) {
            wl_text_addf(&text,
                         "perhaps not: no rule found what gains %.0f%%, and the launch itself is "
                         "%.0f%% of the time: fewer launches first",
                         100 * WL_LEAST_GAIN,
                         100 * ladder.steps_ns[WL_LADDER_LAUNCH] / ladder.duration_ns);
            break;
        }
        is_known = is_known && !share->is_stand_in;
        wl_text_addf(&text, "%s: no rule found what gains %.0f%%, ",
                     is_known ? "perhaps not" : "not known", 100 * WL_LEAST_GAIN);
        if (!is_known)
            wl_text_add(&text, "and how much is left at all cannot be told");
        else if (ladder.open && ladder.open_part >= WL_LEAST_GAIN)
            wl_text_addf(&text, "but without %s it would take %.0f%% less", ladder.open,
                         100 * ladder.open_part);
        else
            wl_text_addf(&text, "but %.0f%% of the time is beyond the least",
                         100 * wl_ladder_room(&ladder));
        break;
    }
    tell(sink, ANSWER, wl_text_take(&text));
    if (!share->is_stand_in)
        tell_verdict(sink, advice, finding, share, set);
    end_answer(sink);
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
    const struct wl_record_attribute *line =
        wl_report_attribute(share->launch, "launch__python_line");
    char *name = name_of(shares, share);
    wl_say_free(sink, "\n",
                wl_string_format("The rest is about %s%s%s.", name, line ? ", launched from " : "",
                                 line ? line->text : ""));
    free(name);
    say_bound(context, sink, advice, share);
    say_why(context, sink, advice, finding, share);
    say_next(context, sink, advice, finding, share);
    say_done(context, sink, advice, finding, share);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    struct wl_shares shares;
    enum wl_code code = wl_view_advise(context, &advice, error);
    if (code != WL_OK)
        return code;
    wl_shares_make(context, &shares);
    wl_view_advice_say_looked_at(context, advice, sink);
    wl_heading(sink, &columns.question, column_count);
    wl_begin(sink, WL_LEVEL_LIST, "steps", 0);
    say_program(context, sink, advice, &shares);
    if (shares.count)
        say_kernel(context, sink, advice, &shares);
    wl_end(sink);
    wl_mark_legend(sink);
    wl_shares_free(&shares);
    return WL_OK;
}

const struct wl_page wl_page_guide = {.name = "guide", .walk = walk};
