#include "analyse/advise/advice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/advice_read.h"
#include "analyse/advise/alike.h"
#include "analyse/advise/rank.h"
#include "analyse/advise/rule_process.h"
#include "analyse/advise/trace_facts.h"
#include "base/arena.h"
#include "base/memory.h"

struct wl_advice_list {
    struct wl_arena arena;
    WL_VECTOR(struct wl_advice) findings;
    WL_VECTOR(struct wl_advice_skip) skips;
    json_t *facts; /* of the trace, or NULL */
};

/* One call of wl_advise. */
struct advising {
    struct wl_advice_list *list;
    struct wl_metric_catalog *catalog;
    struct wl_rule_subject *subjects;
    double *shares;   /* of the program's time, by subject */
    double *times_ns; /* that a launch stands for: in the program, where there is a trace of it */
    size_t *stands;   /* the subject that stands for a subject */
    size_t *alike;    /* launches that a subject stands for, itself among them */
    size_t subject_count;
    bool has_durations;
    bool is_of_program; /* shares are of the program's duration */
    const struct wl_rule **chosen;
    size_t chosen_count;
};

/* ---- how much each launch weighs ---- */

/* False: it is not there, or less than zero. Raw values are looked for first: it is faster. */
static bool read_number(const struct wl_rule_subject *subject, const char *name, double *number)
{
    enum wl_mark mark;
    if (wl_report_value(subject->launch, name, number, &mark))
        return *number >= 0;
    const struct wl_metric_value *value = wl_metric_get(subject->set, name);
    bool is_known = value->is_present && !value->text && value->number >= 0;
    *number = is_known ? value->number : 0;
    return is_known;
}

/* Adds the time of like launches that were not recorded one by one. */
static double add_left_out(const struct wl_report_launch *launch, double own)
{
    double count, time;
    enum wl_mark mark;
    if (!wl_report_value(launch, "launch__left_out.sum", &count, &mark) || count < 1)
        return own;
    if (wl_report_value(launch, "launch__left_out_time.sum", &time, &mark))
        return own + time;
    return own * (1 + count);
}

/* Reads what launches take: those that have no number have that of the one that stands for them, as
 * on a GPU one launch of a kind may be timed alone. False: more than a few have none. */
static bool read_shares(struct advising *advising, const char *name, double *total)
{
    enum { few = 10 };
    size_t count = advising->subject_count, missing = 0;
    bool *is_read = wl_alloc_zero(count + 1, sizeof *is_read);
    *total = 0;
    for (size_t i = 0; i < count; i++)
        is_read[i] = read_number(&advising->subjects[i], name, &advising->shares[i]);
    for (size_t i = 0; i < count; i++) {
        size_t stands = advising->stands[i];
        if (!is_read[i] && is_read[stands])
            advising->shares[i] = advising->shares[stands];
        missing += !is_read[i] && !is_read[stands];
    }
    for (size_t i = 0; i < count; i++) {
        advising->shares[i] = add_left_out(advising->subjects[i].launch, advising->shares[i]);
        *total += advising->shares[i];
    }
    free(is_read);
    return missing * few <= count && *total > 0;
}

/* Durations where every launch has one, or all but a few, else the least time that its counts
 * allow, else all alike.
 */
static void weigh(struct advising *advising)
{
    static const char *const names[] = {"gpu__time_duration.sum", "warplens__floor.ns"};
    size_t count = advising->subject_count;
    bool is_known = false;
    double total = 0;
    for (size_t name = 0; name < 2 && !is_known; name++) {
        is_known = read_shares(advising, names[name], &total);
        advising->has_durations = is_known && name == 0;
    }
    for (size_t i = 0; i < count; i++)
        advising->times_ns[i] = advising->has_durations ? advising->shares[i] : 0;
    for (size_t i = 0; i < count; i++)
        advising->shares[i] = is_known ? advising->shares[i] / total : 1 / (double)count;
}

/* The kernel of the trace that has this name, or NULL. */
static const json_t *find_traced(const json_t *facts, const struct wl_report_launch *launch)
{
    size_t index = 0;
    const json_t *kernel = NULL;
    json_array_foreach(json_object_get(facts, "kernels"), index, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "name"));
        if (launch->kernel && name &&
            (strcmp(name, launch->kernel->record.demangled) == 0 ||
             strcmp(name, launch->kernel->record.function) == 0))
            return kernel;
    }
    return NULL;
}

struct traced_kernel {
    const struct wl_report_kernel *kernel;
    const json_t *traced; /* or NULL */
    size_t launches;
};
struct traced_kernels {
    WL_VECTOR_FIELDS(struct traced_kernel);
};

static struct traced_kernel *find_traced_kernel(struct traced_kernels *kernels, const json_t *facts,
                                                const struct wl_report_launch *launch)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->items[i].kernel == launch->kernel)
            return &kernels->items[i];
    struct traced_kernel made = {launch->kernel, find_traced(facts, launch), 0};
    WL_PUSH(kernels, made);
    return &kernels->items[kernels->count - 1];
}

/* Where the report has a trace, a launch stands for an equal part of its kernel's launches there,
 * and weighs what they have of the program's duration. Kernels of which the trace knows nothing
 * weigh nothing beside them; if it knows of none, launches are weighed among themselves. */
static void weigh_by_trace(struct advising *advising, const json_t *facts)
{
    double duration_ns = json_number_value(json_object_get(facts, "duration_ns"));
    double processes = json_number_value(json_object_get(facts, "gpu_processes"));
    size_t count = advising->subject_count, traced = 0;
    struct traced_kernels kernels = {0};
    for (size_t i = 0; i < count; i++)
        find_traced_kernel(&kernels, facts, advising->subjects[i].launch)->launches++;
    for (size_t i = 0; i < kernels.count; i++)
        traced += kernels.items[i].traced != NULL;
    for (size_t i = 0; i < count && duration_ns > 0 && traced; i++) {
        const struct traced_kernel *kernel =
            find_traced_kernel(&kernels, facts, advising->subjects[i].launch);
        double ns = json_number_value(json_object_get(kernel->traced, "ns"));
        advising->times_ns[i] = ns / (double)kernel->launches / (processes > 1 ? processes : 1);
        advising->shares[i] = advising->times_ns[i] / duration_ns;
        advising->shares[i] = advising->shares[i] < 1 ? advising->shares[i] : 1;
    }
    free(kernels.items);
    advising->is_of_program = advising->is_of_program || (duration_ns > 0 && traced);
}

/* What others weigh goes to the launch that stands for them. */
static void gather(struct advising *advising)
{
    for (size_t i = 0; i < advising->subject_count; i++) {
        size_t stands = advising->stands[i];
        advising->alike[stands]++;
        if (stands == i)
            continue;
        advising->shares[stands] += advising->shares[i];
        advising->times_ns[stands] += advising->times_ns[i];
        advising->shares[i] = advising->times_ns[i] = 0;
    }
}

/* ---- taking findings ---- */

static void add_skip(struct advising *advising, const struct wl_rule *rule, bool is_failure,
                     const char *text, size_t launch_count)
{
    struct wl_advice_list *list = advising->list;
    for (size_t i = 0; i < list->skips.count; i++) {
        struct wl_advice_skip *skip = &list->skips.items[i];
        if (skip->rule == rule && skip->is_failure == is_failure && strcmp(skip->text, text) == 0) {
            skip->launch_count += launch_count;
            return;
        }
    }
    struct wl_advice_skip skip = {.rule = rule,
                                  .is_failure = is_failure,
                                  .text = wl_arena_string(&list->arena, text, strlen(text)),
                                  .launch_count = launch_count};
    WL_PUSH(&list->skips, skip);
}

static bool is_same_place(const struct wl_advice_place *a, const struct wl_advice_place *b)
{
    return a->instruction == b->instruction && a->line == b->line && a->column == b->column &&
           strcmp(a->file, b->file) == 0;
}

static bool is_same_kernel(const struct wl_report_launch *a, const struct wl_report_launch *b)
{
    return a == b || (a && b && a->kernel == b->kernel && a->kernel);
}

/* The same of an earlier launch of the kernel, or NULL. */
static struct wl_advice *find_same(struct wl_advice_list *list, const struct wl_advice *advice)
{
    for (size_t i = 0; i < list->findings.count; i++) {
        struct wl_advice *other = &list->findings.items[i];
        if (other->rule == advice->rule && other->launch != advice->launch &&
            is_same_kernel(other->launch, advice->launch) &&
            is_same_place(&other->place, &advice->place))
            return other;
    }
    return NULL;
}

/* The launch that weighs most speaks for all, but none without a time for one that has it: what its
 * time leaves of a gain is not known. Shares are compared through scores. */
static bool speaks_for(const struct wl_advice *advice, const struct wl_advice *other)
{
    if (advice->is_timed != other->is_timed)
        return advice->is_timed;
    return advice->score / (double)advice->launch_count >
           other->score / (double)other->launch_count * (1 + 1e-9);
}

static void add_finding(struct advising *advising, struct wl_advice *advice, double share)
{
    struct wl_advice_list *list = advising->list;
    advice->score = advice->saved * share;
    struct wl_advice *same = find_same(list, advice);
    if (!same) {
        WL_PUSH(&list->findings, *advice);
        return;
    }
    double score = same->score + advice->score, saved_ns = same->saved_ns + advice->saved_ns;
    double saved_program = same->saved_program + advice->saved_program;
    size_t count = same->launch_count + advice->launch_count;
    if (speaks_for(advice, same))
        *same = *advice;
    same->score = score;
    same->saved_ns = saved_ns;
    same->saved_program = saved_program;
    same->launch_count = count;
}

static void take(void *self, const struct wl_rule *rule, const struct wl_rule_subject *subject,
                 const json_t *result)
{
    struct advising *advising = self;
    const char *failed = json_string_value(json_object_get(result, "failed"));
    const char *needs = json_string_value(json_object_get(result, "needs"));
    size_t alike = subject ? advising->alike[subject - advising->subjects] : 1;
    if (failed || needs) {
        add_skip(advising, rule, failed != NULL, failed ? failed : needs, alike);
        return;
    }
    double share = 1;
    struct wl_advice_reading reading = {
        .arena = &advising->list->arena, .rule = rule, .catalog = advising->catalog};
    if (subject) {
        reading.launch = subject->launch;
        reading.set = subject->set;
        share = advising->shares[subject - advising->subjects];
    }
    size_t index = 0;
    const json_t *finding = NULL;
    json_array_foreach(json_object_get(result, "findings"), index, finding)
    {
        struct wl_advice advice;
        if (!wl_advice_read(&reading, finding, &advice)) {
            add_skip(advising, rule, true, reading.refused, alike);
            return;
        }
        double duration_ns;
        advice.launch_count = alike;
        advice.is_timed = !subject || read_number(subject, "gpu__time_duration.sum", &duration_ns);
        if (subject)
            advice.saved_ns = advice.saved * advising->times_ns[subject - advising->subjects];
        else if (rule->is_of_trace)
            advice.saved_ns =
                advice.saved *
                json_number_value(json_object_get(advising->list->facts, "duration_ns"));
        if (rule->is_of_trace || (subject && advising->is_of_program))
            advice.saved_program = advice.saved * share;
        add_finding(advising, &advice, share);
    }
}

/* ---- ranking ---- */

static int compare_numbers(double left, double right)
{
    return left < right ? -1 : left > right;
}

static int by_rule(const void *left, const void *right)
{
    const struct wl_advice_skip *a = left, *b = right;
    if (a->is_failure != b->is_failure)
        return a->is_failure ? -1 : 1;
    int order = compare_numbers(a->rule->order, b->rule->order);
    if (order == 0)
        order = strcmp(a->rule->id, b->rule->id);
    return order ? order : strcmp(a->text, b->text);
}

static void rank(struct advising *advising)
{
    struct wl_advice_list *list = advising->list;
    size_t count = advising->subject_count;
    const struct wl_report_launch **launches = wl_alloc((count + 1) * sizeof *launches);
    for (size_t i = 0; i < count; i++)
        launches[i] = advising->subjects[i].launch;
    wl_advice_rank(list->findings.items, list->findings.count, launches, advising->shares, count);
    free(launches);
    if (list->skips.count > 1)
        qsort(list->skips.items, list->skips.count, sizeof *list->skips.items, by_rule);
}

/* ---- the whole ---- */

static enum wl_code choose_rules(struct advising *advising, const struct wl_rules *rules,
                                 const char *list, struct wl_error *error)
{
    size_t count = 0;
    const struct wl_rule *all = wl_rules_all(rules, &count);
    advising->chosen = wl_alloc_zero(count + 1, sizeof *advising->chosen);
    for (size_t i = 0; i < count && !list; i++)
        advising->chosen[advising->chosen_count++] = &all[i];
    enum wl_code code = wl_rules_check(rules, list, error);
    while (!code && list && *list) {
        size_t length = strcspn(list, ",");
        char *id = wl_string_copy_length(list, length);
        const struct wl_rule *rule = wl_rules_find(rules, id);
        bool is_new = rule != NULL;
        for (size_t i = 0; i < advising->chosen_count; i++)
            is_new = is_new && advising->chosen[i] != rule;
        if (is_new)
            advising->chosen[advising->chosen_count++] = rule;
        free(id);
        list += length + (list[length] == ',');
    }
    return code;
}

/* All that rules read, before their process begins: it must not use the report's file. */
static enum wl_code load(struct wl_report *report, const struct wl_advice_options *options,
                         struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < options->launch_count && code == WL_OK; i++) {
        const struct wl_report_launch *launch = options->launches[i];
        if (launch->kernel)
            code = wl_report_load_instructions(report, launch->kernel, error);
        if (code == WL_OK)
            code = wl_report_load_launch(report, launch, error);
    }
    return code;
}

/* Those that rules of launches are applied to come first; how many. */
static size_t choose_subjects(struct advising *advising, const struct wl_advice_options *options)
{
    size_t count = options->launch_count, each = 0, next = 0;
    size_t *stands = wl_alike_find(options->launches, count);
    size_t *places = wl_alloc((count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++)
        each += stands[i] == i;
    for (size_t i = 0, other = each; i < count; i++)
        places[i] = stands[i] == i ? next++ : other++;
    for (size_t i = 0; i < count; i++) {
        struct wl_rule_subject *subject = &advising->subjects[places[i]];
        subject->launch = options->launches[i];
        subject->set = wl_metric_set_create(advising->catalog, subject->launch);
        advising->stands[places[i]] = places[stands[i]];
    }
    free(places);
    free(stands);
    return each;
}

enum wl_code wl_advise(struct wl_report *report, struct wl_metric_catalog *catalog,
                       const struct wl_rules *rules, const struct wl_advice_options *options,
                       struct wl_advice_list **list, struct wl_error *error)
{
    size_t count = options->launch_count;
    struct advising advising = {
        .list = wl_alloc_zero(1, sizeof *advising.list),
        .catalog = catalog,
        .subjects = wl_alloc_zero(count + 1, sizeof *advising.subjects),
        .shares = wl_alloc_zero(count + 1, sizeof *advising.shares),
        .times_ns = wl_alloc_zero(count + 1, sizeof *advising.times_ns),
        .alike = wl_alloc_zero(count + 1, sizeof *advising.alike),
        .stands = wl_alloc_zero(count + 1, sizeof *advising.stands),
        .subject_count = count,
    };
    *list = NULL;
    enum wl_code code = choose_rules(&advising, rules, options->rules, error);
    if (code == WL_OK)
        code = load(report, options, error);
    if (code == WL_OK)
        code = wl_timeline_facts(report, &advising.list->facts, error);
    size_t each_count = choose_subjects(&advising, options);
    if (code == WL_OK) {
        weigh(&advising);
        if (advising.list->facts)
            weigh_by_trace(&advising, advising.list->facts);
        gather(&advising);
        struct wl_rule_run run = {.folder = options->folder,
                                  .rules = advising.chosen,
                                  .rule_count = advising.chosen_count,
                                  .subjects = advising.subjects,
                                  .subject_count = count,
                                  .each_count = each_count,
                                  .trace = advising.list->facts,
                                  .take = take,
                                  .self = &advising};
        code = wl_rules_run(&run, error);
    }
    if (code == WL_OK)
        rank(&advising);
    for (size_t i = 0; i < count; i++)
        wl_metric_set_free(advising.subjects[i].set);
    free(advising.subjects);
    free(advising.shares);
    free(advising.times_ns);
    free(advising.alike);
    free(advising.stands);
    free(advising.chosen);
    if (code != WL_OK) {
        wl_advice_free(advising.list);
        return code;
    }
    *list = advising.list;
    return WL_OK;
}

/* ---- each launch by itself ---- */

/* One call of wl_advise_each. */
struct each {
    struct advising *alone; /* by launch, of one subject each */
    struct wl_rule_subject *subjects;
    double *shares, *times_ns;
    size_t *stands, *alike;
    size_t count;
    struct wl_rule_subject *asked; /* one of each that are equal */
    size_t *first;                 /* by asked: its launch */
    size_t *next;                  /* by launch: the next of its equals, or count */
    size_t asked_count;
};

static void take_alone(void *self, const struct wl_rule *rule,
                       const struct wl_rule_subject *subject, const json_t *result)
{
    const struct each *each = self;
    bool is_of_all = rule->is_of_program || rule->is_of_trace;
    for (size_t i = each->first[subject - each->asked]; i < each->count; i = each->next[i])
        take(&each->alone[i], rule, is_of_all ? NULL : &each->subjects[i], result);
}

/* What rules say of a launch they say of its equals. */
static void choose_asked(struct each *each, const struct wl_advice_options *options)
{
    size_t *equals = wl_alike_equals(options->launches, each->count);
    size_t *last =
        wl_alloc_zero(each->count + 1, sizeof *last); /* by first: of its equals so far */
    each->asked = wl_alloc_zero(each->count + 1, sizeof *each->asked);
    each->first = wl_alloc_zero(each->count + 1, sizeof *each->first);
    each->next = wl_alloc_zero(each->count + 1, sizeof *each->next);
    for (size_t i = 0; i < each->count; i++) {
        each->next[i] = each->count;
        if (equals[i] == i) {
            each->asked[each->asked_count] = each->subjects[i];
            each->first[each->asked_count++] = i;
        } else {
            each->next[last[equals[i]]] = i;
        }
        last[equals[i]] = i;
    }
    free(last);
    free(equals);
}

/* facts: NULL where there is no trace. */
static void begin_each(struct each *each, struct wl_metric_catalog *catalog,
                       const struct wl_advice_options *options, json_t *facts)
{
    size_t count = each->count = options->launch_count;
    each->alone = wl_alloc_zero(count + 1, sizeof *each->alone);
    each->subjects = wl_alloc_zero(count + 1, sizeof *each->subjects);
    each->shares = wl_alloc_zero(count + 1, sizeof *each->shares);
    each->times_ns = wl_alloc_zero(count + 1, sizeof *each->times_ns);
    each->stands = wl_alloc_zero(count + 1, sizeof *each->stands);
    each->alike = wl_alloc_zero(count + 1, sizeof *each->alike);
    for (size_t i = 0; i < count; i++) {
        struct advising *alone = &each->alone[i];
        *alone = (struct advising){.list = wl_alloc_zero(1, sizeof *alone->list),
                                   .catalog = catalog,
                                   .subjects = &each->subjects[i],
                                   .shares = &each->shares[i],
                                   .times_ns = &each->times_ns[i],
                                   .stands = &each->stands[i],
                                   .alike = &each->alike[i],
                                   .subject_count = 1};
        alone->list->facts = json_incref(facts);
        each->subjects[i].launch = options->launches[i];
        each->subjects[i].set = wl_metric_set_create(catalog, options->launches[i]);
        weigh(alone);
        if (facts)
            weigh_by_trace(alone, facts);
        gather(alone);
    }
    choose_asked(each, options);
}

static void end_each(struct each *each)
{
    for (size_t i = 0; i < each->count; i++)
        wl_metric_set_free(each->subjects[i].set);
    free(each->alone);
    free(each->subjects);
    free(each->shares);
    free(each->times_ns);
    free(each->stands);
    free(each->alike);
    free(each->asked);
    free(each->first);
    free(each->next);
}

enum wl_code wl_advise_each(struct wl_report *report, struct wl_metric_catalog *catalog,
                            const struct wl_rules *rules, const struct wl_advice_options *options,
                            struct wl_advice_list **lists, struct wl_error *error)
{
    struct advising choosing = {0};
    struct each each = {0};
    json_t *facts = NULL;
    enum wl_code code = choose_rules(&choosing, rules, options->rules, error);
    if (code == WL_OK)
        code = load(report, options, error);
    if (code == WL_OK)
        code = wl_timeline_facts(report, &facts, error);
    if (code == WL_OK) {
        begin_each(&each, catalog, options, facts);
        struct wl_rule_run run = {.folder = options->folder,
                                  .rules = choosing.chosen,
                                  .rule_count = choosing.chosen_count,
                                  .subjects = each.asked,
                                  .subject_count = each.asked_count,
                                  .is_each_alone = true,
                                  .trace = facts,
                                  .take = take_alone,
                                  .self = &each};
        code = wl_rules_run(&run, error);
    }
    for (size_t i = 0; i < each.count; i++) {
        if (code == WL_OK)
            rank(&each.alone[i]);
        else
            wl_advice_free(each.alone[i].list);
        lists[i] = code == WL_OK ? each.alone[i].list : NULL;
    }
    end_each(&each);
    free(choosing.chosen);
    json_decref(facts);
    return code;
}

void wl_advice_free(struct wl_advice_list *list)
{
    if (!list)
        return;
    free(list->findings.items);
    free(list->skips.items);
    wl_arena_free(&list->arena);
    json_decref(list->facts);
    free(list);
}

const json_t *wl_advice_facts(const struct wl_advice_list *list)
{
    return list->facts;
}

const struct wl_advice *wl_advice_all(const struct wl_advice_list *list, size_t *count)
{
    *count = list->findings.count;
    return list->findings.items;
}

const struct wl_advice_skip *wl_advice_skips(const struct wl_advice_list *list, size_t *count)
{
    *count = list->skips.count;
    return list->skips.items;
}
