#include "analyse/advise/advice_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/ladder.h"
#include "analyse/advise/whatif.h"
#include "base/memory.h"

enum { most_evidence = 16, most_links = 8 };

static const char *const known_fields[] = {"severity", "title",      "at",    "evidence",
                                           "chain",    "todo",       "saved", "how",
                                           "group",    "confidence", "cause", NULL};

static const char *const severity_names[] = {
    [WL_ADVICE_NOTE] = "note", [WL_ADVICE_WARNING] = "warning", NULL};
static const char *const confidence_names[] = {
    [WL_ADVICE_LOW] = "low", [WL_ADVICE_MEDIUM] = "medium", [WL_ADVICE_HIGH] = "high", NULL};
static const char *const method_names[] = {
    [WL_ADVICE_FORMULA] = "formula", [WL_ADVICE_WHATIF] = "what-if", NULL};

const char *wl_advice_severity_name(enum wl_advice_severity severity)
{
    return severity_names[severity];
}

const char *wl_advice_confidence_name(enum wl_advice_confidence confidence)
{
    return confidence_names[confidence];
}

const char *wl_advice_method_name(enum wl_advice_method method)
{
    return method_names[method];
}

static bool refuse(struct wl_advice_reading *reading, const char *format, const char *what)
{
    char *text = wl_string_format(format, what); /* NOLINT: formats of this file */
    reading->refused = wl_arena_string(reading->arena, text, strlen(text));
    free(text);
    return false;
}

static const char *keep(struct wl_advice_reading *reading, const json_t *object, const char *field)
{
    const json_t *value = json_object_get(object, field);
    return json_is_string(value) ? wl_arena_string(reading->arena, json_string_value(value),
                                                   json_string_length(value))
                                 : NULL;
}

static bool read_choice(struct wl_advice_reading *reading, const json_t *finding, const char *field,
                        const char *const *names, int *choice)
{
    const json_t *value = json_object_get(finding, field);
    if (!value)
        return true;
    for (int i = 0; names[i] && json_is_string(value); i++) {
        if (strcmp(names[i], json_string_value(value)) == 0) {
            *choice = i;
            return true;
        }
    }
    return refuse(reading, "a finding's %s is none of those that there are", field);
}

/* Code of a toolkit's header, inlined: the user wants the line that calls it. */
static bool is_of_header(const char *file)
{
    return strstr(file, "/include/") != NULL;
}

/* Goes outwards, "FILE:LINE:COLUMN" by line, to the first caller that is not in a header, and keeps
 * what is around it. */
static void leave_headers(const struct wl_advice_reading *reading, const char *callers,
                          struct wl_advice_place *place)
{
    while (callers && *callers != '\0' && is_of_header(place->file)) {
        size_t length = strcspn(callers, "\n");
        char *caller = wl_arena_string(reading->arena, callers, length);
        char *column = strrchr(caller, ':');
        if (!column)
            return;
        *column = '\0';
        char *line = strrchr(caller, ':');
        if (!line)
            return;
        *line = '\0';
        place->file = caller;
        place->line = (uint32_t)strtoul(line + 1, NULL, 10);
        place->column = (uint32_t)strtoul(column + 1, NULL, 10);
        callers += length + (callers[length] == '\n');
    }
    place->inlined_at = callers && *callers != '\0' ? callers : NULL;
}

static void read_place(const struct wl_advice_reading *reading, const json_t *at,
                       struct wl_advice_place *place)
{
    *place = (struct wl_advice_place){.file = ""};
    const struct wl_report_kernel *kernel = reading->launch ? reading->launch->kernel : NULL;
    if (!json_is_object(at) || !kernel)
        return;
    const struct wl_record_kernel *record = &kernel->record;
    json_int_t index = json_integer_value(json_object_get(at, "index"));
    json_int_t line = json_integer_value(json_object_get(at, "line"));
    json_int_t column = json_integer_value(json_object_get(at, "column"));
    if (index >= 1 && (uint64_t)index <= record->instruction_count) {
        place->instruction = &record->instructions[index - 1];
        place->file = place->instruction->file;
        place->line = place->instruction->line;
        place->column = place->instruction->column;
        leave_headers(reading, place->instruction->inlined_at, place);
        return;
    }
    /* a line: its file is named as one of the instructions names it */
    const char *file = json_string_value(json_object_get(at, "file"));
    for (size_t i = 0; file && i < record->instruction_count && line > 0; i++) {
        if (strcmp(record->instructions[i].file, file) == 0) {
            place->file = record->instructions[i].file;
            place->line = (uint32_t)line;
            place->column = column > 0 ? (uint32_t)column : 0;
            return;
        }
    }
}

static bool read_evidence(struct wl_advice_reading *reading, const json_t *item,
                          struct wl_advice_evidence *evidence)
{
    evidence->metric = keep(reading, item, "metric");
    if (!evidence->metric)
        return refuse(reading, "evidence needs a %s", "metric");
    const json_t *value = json_object_get(item, "value");
    const json_t *threshold = json_object_get(item, "threshold");
    const struct wl_metric_row *row = wl_metric_find(reading->catalog, evidence->metric);
    const struct wl_metric_value *of_launch =
        reading->set && row ? wl_metric_get(reading->set, evidence->metric) : NULL;
    evidence->unit = row ? row->unit : "";
    if (row) {
        /* what a line has of it is as sure as what the launch has */
        evidence->mark = of_launch && of_launch->is_present ? of_launch->mark : row->mark;
        evidence->has_mark = true;
    }
    if (json_is_number(value)) {
        evidence->value = json_number_value(value);
    } else if (json_is_string(value)) {
        evidence->text = keep(reading, item, "value");
    } else if (reading->set) {
        const struct wl_metric_value *metric = wl_metric_get(reading->set, evidence->metric);
        if (!metric->is_present)
            return refuse(reading, "its evidence %s has no value", evidence->metric);
        evidence->value = metric->number;
        evidence->text = metric->text
                             ? wl_arena_string(reading->arena, metric->text, strlen(metric->text))
                             : NULL;
        evidence->mark = metric->mark;
        evidence->has_mark = true;
    } else {
        return refuse(reading, "its evidence %s has no value", evidence->metric);
    }
    const char *unit = keep(reading, item, "unit");
    if (unit)
        evidence->unit = unit;
    evidence->has_threshold = json_is_number(threshold);
    evidence->threshold = json_number_value(threshold);
    return true;
}

static bool read_lists(struct wl_advice_reading *reading, const json_t *finding,
                       struct wl_advice *advice)
{
    const json_t *evidence = json_object_get(finding, "evidence");
    const json_t *chain = json_object_get(finding, "chain");
    size_t count = json_array_size(evidence);
    advice->evidence_count = count < most_evidence ? count : most_evidence;
    advice->evidence =
        wl_arena_array(reading->arena, advice->evidence_count, sizeof *advice->evidence);
    for (size_t i = 0; i < advice->evidence_count; i++)
        if (!read_evidence(reading, json_array_get(evidence, i), &advice->evidence[i]))
            return false;
    count = json_array_size(chain);
    advice->chain_count = count < most_links ? count : most_links;
    advice->chain = wl_arena_array(reading->arena, advice->chain_count, sizeof *advice->chain);
    for (size_t i = 0; i < advice->chain_count; i++) {
        const json_t *link = json_array_get(chain, i);
        read_place(reading, json_object_get(link, "at"), &advice->chain[i].place);
        advice->chain[i].text = keep(reading, link, "text");
        if (!advice->chain[i].text)
            return refuse(reading, "a link of its chain needs a %s", "text");
    }
    return true;
}

/* What the timing says goes before what the rule's formula says. */
static void use_whatif(const struct wl_advice_reading *reading, const json_t *finding,
                       struct wl_advice *advice)
{
    struct wl_whatif whatif;
    const char *cause = json_string_value(json_object_get(finding, "cause"));
    if (!cause)
        cause = reading->rule->cause;
    if (!reading->set || !wl_whatif_find(reading->set, cause, &whatif))
        return;
    double saved = 1 - whatif.without_ns / whatif.duration_ns;
    advice->has_gain = true;
    advice->saved = saved;
    advice->method = WL_ADVICE_WHATIF;
    char *how = wl_string_format("timed again without %s: %.0f ns instead of %.0f ns", cause,
                                 whatif.without_ns, whatif.duration_ns);
    advice->how = wl_arena_string(reading->arena, how, strlen(how));
    free(how);
}

/* A formula is about the work of the SMs: what a launch costs besides stays. */
static void leave_overhead(const struct wl_advice_reading *reading, struct wl_advice *advice)
{
    static const double worth_saying = 0.05;
    if (!reading->set || !advice->saved)
        return;
    const struct wl_metric_value *duration = wl_metric_get(reading->set, "gpu__time_duration.sum");
    const struct wl_metric_value *overhead =
        wl_metric_get(reading->set, "device__model_launch_overhead_ns");
    if (!duration->is_present || !overhead->is_present || duration->number <= 0)
        return;
    double part = overhead->number / duration->number;
    part = part < 1 ? part : 1;
    advice->saved *= 1 - part;
    if (part < worth_saying)
        return;
    char *how = wl_string_format("%s; of the time without the %.0f%% of launch overhead",
                                 advice->how, 100 * part);
    advice->how = wl_arena_string(reading->arena, how, strlen(how));
    free(how);
}

/* No change gains more than what is beyond the least that the launch's bytes and operations need,
 * unless it is about having fewer of them. */
static void hold_against_ladder(const struct wl_advice_reading *reading, struct wl_advice *advice)
{
    struct wl_ladder ladder;
    if (!reading->set || reading->rule->lowers_least || !wl_ladder_read(reading->set, &ladder))
        return;
    double room = wl_ladder_room(&ladder);
    if (advice->saved <= room)
        return;
    char *how = wl_string_format("%s; no more than the %.0f%% that are beyond the least time",
                                 advice->how, 100 * room);
    advice->saved = room;
    advice->how = wl_arena_string(reading->arena, how, strlen(how));
    free(how);
}

static bool read_gain(struct wl_advice_reading *reading, const json_t *finding,
                      struct wl_advice *advice)
{
    const json_t *saved = json_object_get(finding, "saved");
    advice->how = keep(reading, finding, "how");
    if (saved && !json_is_number(saved))
        return refuse(reading, "a finding's %s must be a number", "saved");
    if (saved) {
        double part = json_number_value(saved);
        if (!(part >= 0 && part < 1))
            return refuse(reading, "a finding's %s must be from 0 to less than 1", "saved");
        if (!advice->how)
            return refuse(reading, "a finding with %s must say how it was obtained", "saved");
        advice->has_gain = true;
        advice->saved = part;
        leave_overhead(reading, advice);
    }
    use_whatif(reading, finding, advice);
    if (advice->has_gain)
        hold_against_ladder(reading, advice);
    if (advice->has_gain && advice->saved < WL_LEAST_GAIN)
        advice->severity = WL_ADVICE_NOTE;
    advice->how = advice->how ? advice->how : "";
    advice->factor = advice->saved < 1 ? 1 / (1 - advice->saved) : INFINITY;
    return true;
}

bool wl_advice_read(struct wl_advice_reading *reading, const json_t *finding,
                    struct wl_advice *advice)
{
    const char *name = NULL;
    json_t *value = NULL;
    *advice = (struct wl_advice){.rule = reading->rule,
                                 .severity = WL_ADVICE_WARNING,
                                 .launch = reading->launch,
                                 .launch_count = 1,
                                 .confidence = WL_ADVICE_MEDIUM};
    if (!json_is_object(finding))
        return refuse(reading, "a finding is not a %s", "table");
    json_object_foreach((json_t *)finding, name, value)
    {
        size_t i = 0;
        while (known_fields[i] && strcmp(known_fields[i], name) != 0)
            i++;
        if (!known_fields[i])
            return refuse(reading, "a finding has the unknown field '%s'", name);
    }
    advice->title = keep(reading, finding, "title");
    if (!advice->title)
        return refuse(reading, "a finding needs a %s", "title");
    advice->todo = keep(reading, finding, "todo");
    if (!advice->todo)
        advice->todo = reading->rule->advice;
    advice->group = keep(reading, finding, "group");
    if (!advice->group)
        advice->group = reading->rule->group;
    int severity = (int)advice->severity, confidence = (int)advice->confidence;
    if (!read_choice(reading, finding, "severity", severity_names, &severity) ||
        !read_choice(reading, finding, "confidence", confidence_names, &confidence))
        return false;
    advice->severity = (enum wl_advice_severity)severity;
    advice->confidence = (enum wl_advice_confidence)confidence;
    read_place(reading, json_object_get(finding, "at"), &advice->place);
    return read_lists(reading, finding, advice) && read_gain(reading, finding, advice);
}
