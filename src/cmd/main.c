#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/text.h"
#include "cmd/console.h"
#include "cmd/verbs.h"

const struct wl_verb wl_verbs[] = {
    {"profile", wl_verb_profile, "profile [options] PROGRAM [ARGUMENTS]",
     "run a CUDA program, on the GPU or a simulated one, and report on its kernels"},
    {"trace", wl_verb_trace, "trace [options] PROGRAM [ARGUMENTS]",
     "run a program and record calls, kernels, copies and ranges on a timeline"},
    {"optimize", wl_verb_optimize, "optimize [options] PROGRAM [ARGUMENTS]",
     "trace a program, profile the kernels that take the most time, and say what to do"},
    {"check-memory", wl_verb_check_memory, "check-memory [options] PROGRAM [ARGUMENTS]",
     "run a CUDA program and look for wrong memory accesses, races and barriers"},
    {"whatif", wl_verb_whatif, "whatif [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
     "predict what kernels would take without each of their causes of delay"},
    {"predict", wl_verb_predict, "predict --gpu NAMES [options] PROGRAM [ARGUMENTS]",
     "predict what a CUDA program's kernels would take on several GPUs"},
    {"show", wl_verb_show, "show [options] REPORT", "print pages of a report"},
    {"cc", wl_verb_cc, "cc [options] FILES",
     "compile CUDA C++ with clang, without NVIDIA's toolkit"},
    {"gpus", wl_verb_gpus, "gpus [--verbose]", "list the GPU models that can be simulated"},
    {"ceilings", wl_verb_ceilings, "ceilings [--gpu NAME]",
     "measure what this machine's GPU reaches at most"},
    {"doctor", wl_verb_doctor, "doctor",
     "say what can be measured on this machine, and why not more"},
    {"guide", wl_verb_guide, "guide [options] REPORT",
     "walk through a report: which kernel, what bounds it, why, what next, is it done"},
    {"diff", wl_verb_diff, "diff BASE NEW [MORE]", "compare reports with a base"},
    {"export", wl_verb_export, "export --html FILE [options] REPORT",
     "write a report as one HTML page or PDF, and its drawings as SVG or PNG"},
    {"acc-time", wl_verb_acc_time, "acc-time [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
     "tell where the time of an OpenACC program goes, by source line"},
    {"merge", wl_verb_merge, "merge -o FILE REPORTS",
     "put the reports of several ranks of a parallel program into one"},
    {"check", wl_verb_check, "check REPORT --budget FILE",
     "compare a report with limits; exit status 11 if one is not kept"},
    {"explain", wl_verb_explain, "explain NAMES", "say what a metric, stall, rule or section is"},
    {"metrics", wl_verb_metrics, "metrics [NAMES]", "list metrics and what they mean"},
    {"help", wl_verb_help, "help [VERB]", "say how to use a verb"},
    {"version", wl_verb_version, "version", "print the version"},
    {.name = NULL},
};

/* ncu's and everybody's spelling of a verb. */
static const struct {
    const char *word, *verb;
} aliases[] = {
    {"--help", "help"},   {"-h", "help"}, {"--version", "version"},       {"-v", "version"},
    {"--import", "show"}, {"-i", "show"}, {"--query-metrics", "metrics"}, {"--list-gpus", "gpus"},
};

static const struct wl_verb *find_verb(const char *word)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(word, aliases[i].word) == 0)
            word = aliases[i].verb;
    for (const struct wl_verb *verb = wl_verbs; verb->name; verb++)
        if (strcmp(word, verb->name) == 0)
            return verb;
    return NULL;
}

static int fail_unknown(const char *word)
{
    struct wl_console console;
    struct wl_error error = {0};
    struct wl_near near = {.word = word};
    struct wl_text names = {0};
    wl_console_init(&console);
    for (const struct wl_verb *verb = wl_verbs; verb->name; verb++)
        wl_near_offer(&near, verb->name);
    wl_near_print(&near, "warplens ", &names);
    wl_error_set(&error, WL_ERR_USAGE, "there is no verb %s", word);
    if (names.length)
        wl_error_set_hint(&error, "did you mean %s?", names.data);
    else
        wl_error_set_hint(&error, "to run a program: warplens profile %s", word);
    wl_text_free(&names);
    return wl_console_fail(&console, &error);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2) {
        wl_verb_help(0, NULL);
        return WL_ERR_USAGE;
    }
    const struct wl_verb *verb = find_verb(arguments[1]);
    if (!verb)
        return fail_unknown(arguments[1]);
    return verb->run((size_t)argument_count - 2, arguments + 2);
}
