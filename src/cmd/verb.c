#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/help.h"
#include "cmd/verbs.h"

const struct wl_verb *const wl_verbs[] = {
#define WL_VERB(verb) &wl_verb_##verb,
#include "cmd/verbs.def"
    NULL,
};

/* What a verb is asked besides its work is answered here. */
static enum wl_code answer(const struct wl_verb *verb, const struct wl_verb *meant, void *options,
                           const struct wl_arguments *arguments, struct wl_console *console,
                           struct wl_error *error)
{
    const struct wl_general_options *general = options;
    if (general->wants_help) {
        wl_help_verb(verb, meant->tables);
        return WL_OK;
    }
    if (general->wants_version) {
        wl_help_version();
        return WL_OK;
    }
    if (meant->words == WL_WORDS_NONE && arguments->count)
        return wl_error_set(error, WL_ERR_USAGE, "%s takes no argument such as %s", verb->name,
                            arguments->items[0]);
    enum wl_code code = wl_console_open(console, general->log_file, error);
    return code ? code : meant->work(options, arguments, console, error);
}

/* Whether a word names a report: by what the file holds, or, where there is none, by its name. */
static bool is_report(const char *word)
{
    enum { ID_AT = 68, ID_BYTES = 4 };
    char head[ID_AT + ID_BYTES] = {0};
    size_t length = strlen(word);
    /* a FIFO that nobody writes to would block */
    int file = *word == '-' ? -1 : open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool is_read = file >= 0 && pread(file, head, sizeof head, 0) == (ssize_t)sizeof head;
    if (file >= 0)
        close(file);
    return (is_read && memcmp(head + ID_AT, "WLRP", ID_BYTES) == 0) ||
           (length > 4 && strcmp(word + length - 4, ".wlr") == 0);
}

/* Options may stand before the report, and behind it. */
static bool is_of_report(size_t word_count, char **words)
{
    return word_count && (is_report(words[0]) || is_report(words[word_count - 1]));
}

int wl_verb_run(const struct wl_verb *verb, size_t word_count, char **words)
{
    struct wl_console console;
    struct wl_arguments arguments;
    struct wl_error error = {0};
    if (verb->run)
        return verb->run(word_count, words);
    bool is_other = verb->of_report && is_of_report(word_count, words);
    const struct wl_verb *meant = is_other ? verb->of_report : verb;
    void *options = wl_alloc_zero(1, meant->options_bytes);
    const struct wl_general_options *general = options;
    wl_console_init(&console);
    if (meant->init)
        meant->init(options);
    enum wl_code code = wl_options_parse(meant->tables, options, words, word_count,
                                         meant->words == WL_WORDS_PROGRAM, &arguments, &error);
    console.is_quiet = general->is_quiet;
    if (!code)
        code = answer(verb, meant, options, &arguments, &console, &error);
    if (code)
        wl_console_fail(&console, &error);
    int status = general->found_status;
    wl_options_free(meant->tables, options);
    if (meant->release)
        meant->release(options);
    free(options);
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
