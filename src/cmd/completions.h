/* Completions of the shells, made of the verbs' tables. */
#ifndef WL_CMD_COMPLETIONS_H
#define WL_CMD_COMPLETIONS_H

#include "base/text.h"

/* The order of WL_SHELL_WORDS. */
enum wl_shell { WL_SHELL_BASH, WL_SHELL_ZSH, WL_SHELL_FISH };
#define WL_SHELL_WORDS "bash|zsh|fish"

/* A script that the shell reads, for warplens in PATH. */
void wl_completions_print(enum wl_shell shell, struct wl_text *out);

#endif
