#include "run/prompt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#ifdef WL_HAS_LIBEDIT
#include "show/library/edit.h"
#endif

struct wl_prompt {
    const char *text;
    FILE *in, *out;
    bool is_typed;
    char *line;
    size_t size;
#ifdef WL_HAS_LIBEDIT
    EditLine *edit; /* NULL: the terminal cannot */
    History *history;
#endif
};

#ifdef WL_HAS_LIBEDIT
enum { history_length = 200 };

static char *tell_prompt(EditLine *edit)
{
    struct wl_prompt *prompt = NULL;
    wl_edit.el_get(edit, EL_CLIENTDATA, &prompt);
    return (char *)(uintptr_t)prompt->text;
}

/* Where the terminal can do nothing, or libedit is not there, lines are read as they come. */
static void begin_editing(struct wl_prompt *prompt)
{
    HistEvent event;
    const char *terminal = getenv("TERM");
    if (!prompt->is_typed || !terminal || strcmp(terminal, "dumb") == 0 ||
        wl_edit_open(NULL) != WL_OK)
        return;
    prompt->edit = wl_edit.el_init("warplens", prompt->in, prompt->out, stderr);
    prompt->history = wl_edit.history_init();
    if (!prompt->edit || !prompt->history)
        return;
    wl_edit.history(prompt->history, &event, H_SETSIZE, history_length);
    wl_edit.history(prompt->history, &event, H_SETUNIQUE, 1);
    wl_edit.el_set(prompt->edit, EL_CLIENTDATA, prompt);
    wl_edit.el_set(prompt->edit, EL_PROMPT, tell_prompt);
    wl_edit.el_set(prompt->edit, EL_EDITOR, "emacs");
    wl_edit.el_set(prompt->edit, EL_SIGNAL,
                   1); /* the terminal is put right before a signal ends us */
    wl_edit.el_set(prompt->edit, EL_HIST, wl_edit.history, prompt->history);
    wl_edit.el_source(prompt->edit, NULL); /* the user's ~/.editrc */
}

static char *edit_line(struct wl_prompt *prompt)
{
    HistEvent event;
    int length = 0;
    const char *line = wl_edit.el_gets(prompt->edit, &length);
    if (!line || length <= 0)
        return NULL;
    if (strspn(line, " \t\n") < strlen(line))
        wl_edit.history(prompt->history, &event, H_ENTER, line);
    free(prompt->line);
    prompt->line = wl_string_copy(line);
    return prompt->line;
}

static void end_editing(struct wl_prompt *prompt)
{
    if (prompt->edit)
        wl_edit.el_end(prompt->edit);
    if (prompt->history)
        wl_edit.history_end(prompt->history);
}
#endif

struct wl_prompt *wl_prompt_begin(const char *text, FILE *in, FILE *out, bool is_typed)
{
    struct wl_prompt *prompt = wl_alloc_zero(1, sizeof *prompt);
    *prompt = (struct wl_prompt){.text = text, .in = in, .out = out, .is_typed = is_typed};
#ifdef WL_HAS_LIBEDIT
    begin_editing(prompt);
#endif
    return prompt;
}

char *wl_prompt_read(struct wl_prompt *prompt)
{
#ifdef WL_HAS_LIBEDIT
    if (prompt->edit && prompt->history)
        return edit_line(prompt);
#endif
    if (prompt->is_typed)
        fputs(prompt->text, prompt->out);
    fflush(prompt->out);
    ssize_t length = getline(&prompt->line, &prompt->size, prompt->in);
    if (length < 0)
        return NULL;
    if (!prompt->is_typed)
        fprintf(prompt->out, "%s%s%s", prompt->text, prompt->line,
                length > 0 && prompt->line[length - 1] == '\n' ? "" : "\n");
    return prompt->line;
}

void wl_prompt_end(struct wl_prompt *prompt)
{
    if (!prompt)
        return;
#ifdef WL_HAS_LIBEDIT
    end_editing(prompt);
#endif
    fclose(prompt->in);
    free(prompt->line);
    free(prompt);
}
