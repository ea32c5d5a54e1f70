/* Hints for an unknown option or verb: the equivalent of another tool's name here, which tool has
 * it, or similar names. */
#include <string.h>

#include "base/count.h"
#include "base/near.h"
#include "cmd/foreign.h"
#include "cmd/nsys.h"
#include "cmd/profile.h"
#include "cmd/tracing.h"

/* What an option of one tool is called in the verbs that do another's work. */
static const struct {
    const char *name, *here;
    const struct wl_option_table *tables; /* of which verb */
} translations[] = {
    {"capture-range", "`--profile-from-start off` profiles between cudaProfilerStart and Stop",
     wl_profile_tables},
    {"nvtx-capture", "--nvtx-include RANGE", wl_profile_tables},
    {"output", "-o FILE", wl_profile_tables},
    {"stats", "--page summary", wl_profile_tables},
    {"trace", "`warplens trace -t NAMES` records events", wl_profile_tables},
    {"openacc-profiling", "`warplens acc-time PROGRAM`, or `warplens trace -t openacc PROGRAM`",
     wl_profile_tables},
    {"source-level-analysis", "--page source shows it by line", wl_profile_tables},
    {"analysis-metrics", "--set full counts them", wl_profile_tables},
    {"kernels", "-k NAME, --kernel-name NAME", wl_profile_tables},
    {"gpu-metrics-devices", "every launch is counted: --set full", wl_profile_tables},
    {"print-gpu-trace",
     "`warplens trace -r cuda_gpu_trace PROGRAM`, `warplens nvprof "
     "--print-gpu-trace PROGRAM`",
     wl_profile_tables},
    {"events", "--metrics NAMES knows nvprof's events too", wl_profile_tables},
    /* of ncu before 2021 and nv-nsight-cu-cli */
    {"units", "--print-units NAME", wl_profile_tables},
    {"fp", "--print-units base prints plain numbers", wl_profile_tables},
    {"summary", "--print-summary NAME", wl_profile_tables},
    {"details-all", "--print-details all", wl_profile_tables},
    {"profile-from-start",
     "`--capture-range cudaProfilerApi` records between cudaProfilerStart and "
     "Stop",
     wl_tracing_tables},
    {"metrics", "`warplens profile --metrics NAMES` counts", wl_tracing_tables},
    {"set", "`warplens profile --set NAME` counts", wl_tracing_tables},
    {"section", "`warplens profile --section NAME` counts", wl_tracing_tables},
    {"kernel-name", "`warplens profile -k NAME` counts", wl_tracing_tables},
    {"launch-count", "--kernel-count N ends the recording after N kernels", wl_tracing_tables},
    {"nvtx-include", "`--capture-range nvtx --nvtx-capture RANGE` records a range",
     wl_tracing_tables},
    {"call-stack", "--cudabacktrace kernel: table cuda_api_stack_sum", wl_tracing_tables},
    {"cudabacktrace", "--call-stack shows it with each launch", wl_profile_tables},
    {"page", "--report NAMES prints tables; `warplens show REPORT --page NAME`", wl_tracing_tables},
};

static bool has_option(const struct wl_foreign_command *command, const char *name)
{
    for (const char *at = command->options; *at;) {
        size_t length = strcspn(at, " ");
        if (strlen(name) == length && strncmp(at, name, length) == 0)
            return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

static bool is_unsupported(const struct wl_option *row)
{
    return row->kind == WL_OPTION_REFUSED || row->kind == WL_OPTION_ACCEPTED ||
           row->kind == WL_OPTION_ONLY || row->kind == WL_OPTION_ALWAYS;
}

/* "`nsys profile`'s --gpu-metrics-devices" and what becomes of it here. */
static void explain_owner(const struct wl_foreign_command *command, const char *name,
                          struct wl_text *hint)
{
    const struct wl_option *row = wl_foreign_find_option(command->tables, name, strlen(name));
    wl_text_addf(hint, "it is of `%s%s%s`, ", command->tool, *command->words ? " " : "",
                 command->words);
    if (row && row->kind == WL_OPTION_REFUSED)
        wl_text_addf(hint, "and not here: %s", row->help);
    else
        wl_text_addf(hint, "which is `warplens %s` here: warplens %s --help", command->here,
                     command->here);
}

/* Verbs that know the option: "`warplens show --csv`, `warplens stats --csv`". */
static void tell_verbs(const struct wl_option_table *tables, const char *name, struct wl_text *hint)
{
    enum { most = 4 };
    int count = 0;
    for (const struct wl_verb *const *verb = wl_verbs; *verb && count < most; verb++) {
        if (!(*verb)->tables || (*verb)->tables == tables || *verb == &wl_verb_ncu)
            continue;
        const struct wl_option *row = wl_foreign_find_option((*verb)->tables, name, strlen(name));
        if (!row || is_unsupported(row))
            continue;
        wl_text_addf(hint, "%s`warplens %s`", count ? ", " : "it is an option of ", (*verb)->name);
        count++;
    }
}

/* "`warplens trace -t` is --trace, ..." */
static void tell_letters(const struct wl_option_table *tables, char letter, struct wl_text *hint)
{
    enum { most = 3 };
    int count = 0;
    for (const struct wl_verb *const *verb = wl_verbs; *verb && count < most; verb++) {
        if (!(*verb)->tables || (*verb)->tables == tables || *verb == &wl_verb_ncu)
            continue;
        for (struct wl_option_cursor at = wl_options_first((*verb)->tables); at.row;
             wl_options_next(&at)) {
            if (at.row->kind == WL_OPTION_HEADING || at.row->letter != letter)
                continue;
            wl_text_addf(hint, "%s`warplens %s -%c` is --%s", count ? ", " : "", (*verb)->name,
                         letter, at.row->name);
            count++;
            break;
        }
    }
}

static void guess(const struct wl_option_table *tables, const char *name, struct wl_text *hint)
{
    for (const struct wl_foreign_command *command = wl_foreign_commands; command->tool; command++) {
        struct wl_near near = {.word = name};
        for (struct wl_option_cursor at = wl_options_first(command->tables); at.row;
             wl_options_next(&at))
            if (at.row->kind != WL_OPTION_HEADING && has_option(command, at.row->name))
                wl_near_offer(&near, at.row->name);
        if (!near.names[0])
            continue;
        struct wl_text told = {0};
        wl_foreign_explain_option(tables, near.names[0], false, &told);
        wl_text_addf(hint, "did you mean --%s? %s", near.names[0], told.length ? told.data : "");
        wl_text_free(&told);
        return;
    }
}

void wl_foreign_explain_option(const struct wl_option_table *tables, const char *name,
                               bool may_guess, struct wl_text *hint)
{
    if (may_guess) {
        guess(tables, name, hint);
        return;
    }
    for (size_t i = 0; i < WL_COUNT(translations); i++)
        if (translations[i].tables == tables && strcmp(translations[i].name, name) == 0) {
            wl_text_addf(hint, "here: %s", translations[i].here);
            return;
        }
    if (name[0] && !name[1]) {
        tell_letters(tables, name[0], hint);
        return;
    }
    for (const struct wl_foreign_command *command = wl_foreign_commands; command->tool; command++)
        if (command->tables != tables && has_option(command, name)) {
            explain_owner(command, name, hint);
            return;
        }
    tell_verbs(tables, name, hint);
}

/* ---- verbs ---- */

/* Commands and programs of other tools by what does it here; nsys's are its own verb's. */
static const struct {
    const char *word, *here;
} verb_names[] = {
    {"compute-sanitizer", "check-memory"},
    {"cuda-memcheck", "check-memory"},
    {"memcheck", "check-memory"},
    {"racecheck", "check-memory"},
    {"initcheck", "check-memory"},
    {"synccheck", "check-memory"},
    {"sanitize", "check-memory"},
    {"nvcc", "cc"},
    {"record", "trace"},
    {"run", "profile"},
    {"report", "show"},
    {"view", "show"},
    {"open", "ui"},
    {"nsys-ui", "ui"},
    {"ncu-ui", "ui"},
    {"nvvp", "ui"},
    {"nvidia-smi", "gpus"},
    {"compare", "diff"},
    {"nsight-sys", "nsys"},
    {"rocprof", "trace"},
    {"rocprofv3", "trace"},
    {"advise", "guide"},
};

void wl_foreign_explain_verb(const char *word, struct wl_text *hint)
{
    struct wl_near near = {.word = word};
    bool is_done = false;
    const char *command = wl_nsys_command(word, &is_done);
    if (command) {
        wl_text_addf(hint, is_done ? "here: warplens nsys %s, which is %s" : "nsys's %s: %s", word,
                     command);
        return;
    }
    for (size_t i = 0; i < WL_COUNT(verb_names); i++)
        if (strcmp(verb_names[i].word, word) == 0) {
            wl_text_addf(hint, "here: warplens %s", verb_names[i].here);
            return;
        }
    for (const struct wl_verb *const *verb = wl_verbs; *verb; verb++)
        wl_near_offer(&near, (*verb)->name);
    if (near.names[0]) {
        wl_text_add(hint, "did you mean ");
        wl_near_print(&near, "warplens ", hint);
        wl_text_add_char(hint, '?');
        return;
    }
    for (size_t i = 0; i < WL_COUNT(verb_names); i++)
        wl_near_offer(&near, verb_names[i].word);
    wl_nsys_offer(&near);
    if (near.names[0]) {
        struct wl_text told = {0};
        wl_foreign_explain_verb(near.names[0], &told);
        wl_text_addf(hint, "did you mean %s? %s", near.names[0], told.data);
        wl_text_free(&told);
    } else {
        wl_text_addf(hint, "to run a program: warplens profile %s", word);
    }
}
