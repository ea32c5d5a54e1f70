/* Reads commands: at a terminal with line editing and a history, where libedit was there when this
 * was built; else line by line. */
#ifndef WL_RUN_PROMPT_H
#define WL_RUN_PROMPT_H

#include <stdbool.h>
#include <stdio.h>

struct wl_prompt;

/* text: what asks, which must outlive it; in is closed by wl_prompt_end. is_typed: by somebody at a
 * terminal. */
struct wl_prompt *wl_prompt_begin(const char *text, FILE *in, FILE *out, bool is_typed);
/* The next line with its newline, good until the next call; NULL: there are no more. Lines that
 * are not typed are echoed behind the prompt. */
char *wl_prompt_read(struct wl_prompt *prompt);
void wl_prompt_end(struct wl_prompt *prompt);

#endif
