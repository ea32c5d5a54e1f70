#include "show/page/program_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"

enum { most_kernels = 5 };

static const double least_part = 0.005; /* of the duration: what has less is not listed */

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

struct part {
    const char *text;
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

static void say_part(struct wl_page_sink *sink, const char *indent, double ns, double all_ns,
                     const char *text, const char *more)
{
    struct wl_text line = {0};
    wl_text_addf(&line, "%5.1f%%  %s, ", 100 * ns / all_ns, text);
    add_time(ns, &line);
    wl_text_add(&line, more);
    wl_say_free(sink, indent, wl_text_take(&line));
}

static void say_kernels(struct wl_page_sink *sink, const json_t *facts, double processes,
                        double all_ns)
{
    size_t index = 0;
    const json_t *kernel = NULL;
    json_array_foreach(json_object_get(facts, "kernels"), index, kernel)
    {
        double ns = fact(kernel, NULL, "ns") / processes, count = fact(kernel, NULL, "count");
        if (index == most_kernels)
            break;
        char *more = wl_string_format(", %.0f launch%s", count, count == 1 ? "" : "es");
        say_part(sink, "      ", ns, all_ns,
                 json_string_value(json_object_get(kernel, "short_name")), more);
        free(more);
    }
}

void wl_program_time_say(struct wl_page_sink *sink, const json_t *facts)
{
    enum { PARTS = sizeof rows / sizeof *rows };
    struct part parts[PARTS];
    double all_ns = fact(facts, NULL, "duration_ns"), busy_ns = fact(facts, NULL, "busy_ns");
    double processes = fact(facts, NULL, "gpu_processes"), gaps_ns = 0;
    struct wl_text line = {0};
    if (all_ns <= 0)
        return;
    processes = processes > 1 ? processes : 1;
    for (size_t i = 0; i < PARTS; i++)
        gaps_ns += rows[i].of ? fact(facts, rows[i].of, rows[i].fact) : 0;
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] = (struct part){rows[i].text, fact(facts, rows[i].of, rows[i].fact)};
        if (strcmp(rows[i].fact, "copies_alone_ns") == 0)
            parts[i].ns = busy_ns - fact(facts, NULL, "kernel_ns");
        else if (strcmp(rows[i].fact, "outside_ns") == 0)
            parts[i].ns = all_ns - busy_ns - gaps_ns;
    }
    qsort(parts, PARTS, sizeof *parts, by_time);
    wl_text_add(&line, "The program takes ");
    add_time(all_ns, &line);
    wl_text_addf(&line, "%s%s. Of that:",
                 json_is_true(json_object_get(facts, "is_simulated"))
                     ? " (the GPU's part is predicted)"
                     : "",
                 processes > 1 ? "; parts are those of a process on average" : "");
    wl_say_free(sink, "   ", wl_text_take(&line));
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].ns < least_part * all_ns)
            continue;
        say_part(sink, "   ", parts[i].ns, all_ns, parts[i].text, "");
        if (parts[i].text == rows[0].text)
            say_kernels(sink, facts, processes, all_ns);
    }
}
