#include "show/page/program_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"

enum { most_kernels = 5 };

static const double least_part = 0.005; /* of the duration: what has less is not listed */

enum { listed_kernels = 30 }; /* of a page that can be looked through */

/* What the GPU does, and what the host does while it has nothing to do. */
static const struct {
    const char *of, *fact, *text;
} rows[] = {
    {NULL, "kernel_ns", "kernels"},
    {NULL, "copies_alone_ns", "copies and fills beside which no kernel runs"},
    {"gap_ns", "host", "the GPU is idle, the host does other things"},
    {"gap_ns", "synchronize", "the GPU is idle, the host waits for it or is behind it"},
    {"gap_ns", "copy", "the GPU is idle, the host is in calls that copy"},
    {"gap_ns", "allocate", "the GPU is idle, the host allocates or frees memory"},
    {"gap_ns", "launch", "the GPU is idle, the host launches"},
    {"gap_ns", "call", "the GPU is idle, the host is in other calls of CUDA"},
    {"gap_ns", "mpi", "the GPU is idle, the host is in MPI"},
    {NULL, "outside_ns", "before the GPU's first work and after its last"},
};

enum { PARTS = WL_COUNT(rows) };

struct part {
    const char *text, *kind; /* kind: its fact */
    double ns;
};

static double fact(const json_t *facts, const char *of, const char *name)
{
    return json_number_value(json_object_get(of ? json_object_get(facts, of) : facts, name));
}

static int by_time(const void *left, const void *right)
{
    const struct part *a = left, *b = right;
    return a->ns > b->ns ? -1 : a->ns < b->ns;
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

/* The subject: the program, or a step of it, of which facts have the sums of all. */
struct told {
    const json_t *facts;
    double all_ns, processes, steps;
};

static void say_part(struct wl_page_sink *sink, const char *indent, const struct told *told,
                     double ns, const char *text, const char *more)
{
    struct wl_text line = {0};
    wl_text_addf(&line, "%5.1f%%  %s, ", 100 * ns / told->all_ns, text);
    add_time(ns / told->steps, &line);
    wl_text_add(&line, more);
    wl_say_free(sink, indent, wl_text_take(&line));
}

/* ", 4 launches", and of how many of them the time is not known. */
static char *launches_text(const json_t *kernel, const struct told *told)
{
    double count = fact(kernel, NULL, "count") / told->steps;
    double unknown = fact(kernel, NULL, "unknown") / told->steps;
    struct wl_text text = {0};
    wl_text_addf(&text, ", %.*f launch%s", count == (uint64_t)count ? 0 : 1, count,
                 count == 1 ? "" : "es");
    if (unknown > 0)
        wl_text_addf(&text, ", the time of %.*f is not known", unknown == (uint64_t)unknown ? 0 : 1,
                     unknown);
    return wl_text_take(&text);
}

static void say_kernels(struct wl_page_sink *sink, const struct told *told)
{
    size_t index = 0;
    const json_t *kernel = NULL;
    json_array_foreach(json_object_get(told->facts, "kernels"), index, kernel)
    {
        const char *name = json_string_value(json_object_get(kernel, "short_name"));
        double ns = fact(kernel, NULL, "ns") / told->processes;
        if (index == most_kernels)
            break;
        char *more = launches_text(kernel, told);
        if (fact(kernel, NULL, "unknown") < fact(kernel, NULL, "count"))
            say_part(sink, "      ", told, ns, name, more);
        else
            wl_say_free(sink, "              ", wl_string_format("%s%s", name, more));
        free(more);
    }
}

/* "ATen 61%, cuBLAS 30%": of the kernels, where those who made them are known. */
static void say_families(struct wl_page_sink *sink, const struct told *told)
{
    json_t *families = json_deep_copy(json_object_get(told->facts, "families"));
    struct wl_text line = {0};
    double sum_ns = fact(told->facts, NULL, "kernel_sum_ns");
    bool is_any_known = false;
    while (json_object_size(families) > 0 && sum_ns > 0) {
        const char *name, *most = NULL;
        json_t *value;
        json_object_foreach(families, name, value)
        {
            if (!most || json_number_value(value) > fact(families, NULL, most))
                most = name;
        }
        is_any_known = is_any_known || strcmp(most, "others") != 0;
        wl_text_addf(&line, "%s%s %.0f%%", line.length ? ", " : "kernels by family: ", most,
                     100 * fact(families, NULL, most) / sum_ns);
        json_object_del(families, most);
    }
    if (is_any_known)
        wl_say(sink, "      ", line.data);
    wl_text_free(&line);
    json_decref(families);
}

/* All parts, the largest first. */
static void find_parts(const struct told *told, struct part *parts)
{
    const json_t *facts = told->facts;
    double busy_ns = fact(facts, NULL, "busy_ns"), gaps_ns = 0;
    bool has_work = fact(facts, NULL, "gpu_span_ns") > 0 || fact(facts, NULL, "kernel_count") > 0;
    for (size_t i = 0; i < PARTS; i++)
        gaps_ns += rows[i].of ? fact(facts, rows[i].of, rows[i].fact) : 0;
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = (struct part){rows[i].text, rows[i].fact, fact(facts, rows[i].of, rows[i].fact)};
        if (strcmp(rows[i].fact, "copies_alone_ns") == 0)
            parts[i].ns = busy_ns - fact(facts, NULL, "kernel_ns");
        else if (strcmp(rows[i].fact, "outside_ns") == 0)
            parts[i].ns = told->all_ns - busy_ns - gaps_ns;
        if (!has_work && strcmp(rows[i].fact, "outside_ns") == 0)
            parts[i].text = "the GPU has no work";
    }
    qsort(parts, PARTS, sizeof *parts, by_time);
}

static void say_parts(struct wl_page_sink *sink, const struct told *told)
{
    struct part parts[PARTS];
    find_parts(told, parts);
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].ns < least_part * told->all_ns)
            continue;
        say_part(sink, "   ", told, parts[i].ns, parts[i].text, "");
        if (parts[i].text != rows[0].text)
            continue;
        say_families(sink, told);
        say_kernels(sink, told);
    }
}

/* Times that are missing are not the GPU's: what it does is less than it would be. */
static void say_unknown(struct wl_page_sink *sink, const json_t *facts)
{
    double unknown = fact(facts, NULL, "unknown_lengths");
    if (unknown > 0)
        wl_say_free(
            sink, "   ",
            wl_string_format("The time of %.0f launch%s is not known: it is in none of these "
                             "parts, and the GPU is idle for less.",
                             unknown, unknown == 1 ? "" : "es"));
}

static const char *simulated(const json_t *facts)
{
    return json_is_true(json_object_get(facts, "is_simulated")) ? " (the GPU's part is predicted)"
                                                                : "";
}

static struct told of_steps(const json_t *steps)
{
    return (struct told){steps, fact(steps, NULL, "duration_ns"), 1, fact(steps, NULL, "count")};
}

static struct told of_program(const json_t *facts)
{
    double processes = fact(facts, NULL, "gpu_processes");
    return (struct told){facts, fact(facts, NULL, "duration_ns"), processes > 1 ? processes : 1, 1};
}

static bool are_steps(const struct told *told)
{
    return told->all_ns > 0 && told->steps >= 1;
}

static void say_steps(struct wl_page_sink *sink, const json_t *steps)
{
    struct told told = of_steps(steps);
    struct wl_text line = {0};
    if (!are_steps(&told))
        return;
    wl_text_add(&line, "A step takes ");
    add_time(told.all_ns / told.steps, &line);
    wl_text_addf(&line,
                 "%s: %.0f steps are alike, of %.0f kernels each. Of that:", simulated(steps),
                 told.steps, fact(steps, NULL, "kernels_each"));
    wl_say_free(sink, "   ", wl_text_take(&line));
    say_parts(sink, &told);
}

void wl_program_time_print(struct wl_page_sink *sink, const json_t *facts)
{
    struct told told = of_program(facts);
    struct wl_text line = {0};
    if (told.all_ns <= 0)
        return;
    say_steps(sink, json_object_get(facts, "steps"));
    wl_text_add(&line, "The program takes ");
    add_time(told.all_ns, &line);
    wl_text_addf(&line, "%s%s. Of that:", simulated(facts),
                 told.processes > 1 ? "; parts are those of a process on average" : "");
    wl_say_free(sink, "   ", wl_text_take(&line));
    say_parts(sink, &told);
    say_unknown(sink, facts);
}

/* ---- as data ---- */

static json_t *kernels_json(const struct told *told)
{
    json_t *list = json_array();
    size_t index = 0;
    const json_t *kernel = NULL;
    json_array_foreach(json_object_get(told->facts, "kernels"), index, kernel)
    {
        if (index == listed_kernels)
            break;
        json_array_append_new(list,
                              json_pack("{s:O?, s:O?, s:f, s:f, s:f}", "short_name",
                                        json_object_get(kernel, "short_name"), "name",
                                        json_object_get(kernel, "name"), "count",
                                        fact(kernel, NULL, "count") / told->steps, "unknown",
                                        fact(kernel, NULL, "unknown") / told->steps, "ns",
                                        fact(kernel, NULL, "ns") / told->processes / told->steps));
    }
    return list;
}

static json_t *told_json(const struct told *told)
{
    struct part parts[PARTS];
    json_t *list = json_array();
    find_parts(told, parts);
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].ns >= least_part * told->all_ns)
            json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "kind", parts[i].kind, "text",
                                                  parts[i].text, "ns", parts[i].ns / told->steps));
    return json_pack("{s:f, s:f, s:f, s:o, s:o, s:I}", "ns", told->all_ns / told->steps, "steps",
                     told->steps, "processes", told->processes, "parts", list, "kernels",
                     kernels_json(told), "kernel_names",
                     (json_int_t)json_array_size(json_object_get(told->facts, "kernels")));
}

json_t *wl_program_time_json(const json_t *facts)
{
    const json_t *steps = json_object_get(facts, "steps");
    struct told told = of_program(facts), step = of_steps(steps);
    if (told.all_ns <= 0)
        return NULL;
    json_t *object = json_pack(
        "{s:b, s:f, s:o}", "is_simulated", json_is_true(json_object_get(facts, "is_simulated")),
        "unknown_lengths", fact(facts, NULL, "unknown_lengths"), "program", told_json(&told));
    if (are_steps(&step)) {
        json_t *own = told_json(&step);
        json_object_set_new(own, "kernels_each", json_real(fact(steps, NULL, "kernels_each")));
        json_object_set_new(object, "step", own);
    }
    return object;
}
