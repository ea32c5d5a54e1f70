#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/count.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cmd/console.h"
#include "cmd/foreign.h"
#include "cmd/help.h"
#include "cmd/verbs.h"

/* ncu's and everybody's spelling of a verb. */
static const struct {
    const char *word, *verb;
} aliases[] = {
    {"--help", "help"},   {"-h", "help"}, {"--version", "version"},       {"-v", "version"},
    {"--import", "show"}, {"-i", "show"}, {"--query-metrics", "metrics"}, {"--list-gpus", "gpus"},
};

static const struct wl_verb *find_verb(const char *word)
{
    for (size_t i = 0; i < WL_COUNT(aliases); i++)
        if (strcmp(word, aliases[i].word) == 0)
            word = aliases[i].verb;
    return wl_verb_find(word);
}

static int fail_unknown(const char *word)
{
    struct wl_console console;
    struct wl_error error = {0};
    struct wl_text hint = {0};
    wl_console_init(&console);
    wl_foreign_explain_verb(word, &hint);
    wl_error_set(&error, WL_ERR_USAGE, "there is no verb %s", word);
    wl_error_set_hint(&error, "%s", hint.data);
    wl_text_free(&hint);
    return wl_console_fail(&console, &error);
}

int main(int argument_count, char **arguments)
{
    wl_options_explain = wl_foreign_explain_option;
    wl_subprocess_outlive_file_limit();
    if (argument_count < 2) {
        wl_help_overview(stdout);
        return WL_ERR_USAGE;
    }
    const struct wl_verb *of_program = wl_foreign_verb_of_program(arguments[0]);
    if (of_program)
        return wl_verb_run(of_program, (size_t)argument_count - 1, arguments + 1);
    const struct wl_verb *verb = find_verb(arguments[1]);
    if (!verb && arguments[1][0] == '-') /* as ncu has it */
        return wl_verb_run(&wl_verb_profile, (size_t)argument_count - 1, arguments + 1);
    if (!verb)
        return fail_unknown(arguments[1]);
    return wl_verb_run(verb, (size_t)argument_count - 2, arguments + 2);
}
