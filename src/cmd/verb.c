#include <string.h>

#include "cmd/help.h"
#include "cmd/verbs.h"

/* What a verb is asked besides its work is answered here. */
static enum wl_code answer(const struct wl_verb *verb, struct wl_command *command,
                           const struct wl_arguments *arguments, struct wl_console *console,
                           struct wl_error *error)
{
    if (command->wants_version) {
        wl_help_version();
        return WL_OK;
    }
    if (verb->words == WL_WORDS_NONE && arguments->count)
        return wl_error_set(error, WL_ERR_USAGE, "%s takes no argument such as %s", verb->name,
                            arguments->items[0]);
    enum wl_code code = wl_console_open(console, command->log_file, error);
    return code ? code : verb->work(command, arguments, console, error);
}

int wl_verb_run(const struct wl_verb *verb, size_t word_count, char **words)
{
    struct wl_command command;
    struct wl_console console;
    struct wl_arguments arguments;
    struct wl_error error = {0};
    const struct wl_verb *meant = verb->choose ? verb->choose(word_count, words) : verb;
    if (meant->run)
        return meant->run(word_count, words);
    wl_command_init(&command);
    wl_console_init(&console);
    if (meant->prepare)
        meant->prepare(&command);
    enum wl_code code = wl_command_parse(&command, meant->tables, words, word_count,
                                         meant->words == WL_WORDS_PROGRAM, &arguments, &error);
    console.is_quiet = command.is_quiet;
    if (!code && command.wants_help)
        wl_help_verb(verb, meant->tables);
    else if (!code)
        code = answer(meant, &command, &arguments, &console, &error);
    if (code)
        wl_console_fail(&console, &error);
    int status = command.found_status;
    wl_command_free(&command);
    code = wl_console_end(&console, code);
    return code ? (int)code : status;
}

const struct wl_verb *wl_verb_find(const char *name)
{
    for (const struct wl_verb *const *verb = wl_verbs; *verb; verb++)
        if (strcmp((*verb)->name, name) == 0)
            return *verb;
    return NULL;
}

enum wl_code wl_verb_need_program(const struct wl_arguments *program, const char *example,
                                  struct wl_error *error)
{
    if (program->count)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "which program?");
    return wl_error_set_hint(error, "%s", example);
}

bool wl_verb_is_of_report(size_t word_count, char **words)
{
    const char *last = word_count ? words[word_count - 1] : "";
    size_t length = strlen(last);
    return length > 4 && strcmp(last + length - 4, ".wlr") == 0;
}
