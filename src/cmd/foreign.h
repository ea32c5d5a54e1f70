/* Other tools' names for what Warplens does: `warplens nsys profile ...`, or a link called nsys. */
#ifndef WL_CMD_FOREIGN_H
#define WL_CMD_FOREIGN_H

#include "base/text.h"
#include "cmd/verbs.h"

/* The verb for a program of this name: of "ncu", "/opt/bin/nsys"; NULL: none. */
const struct wl_verb *wl_foreign_verb_of_program(const char *path);

/* A command of a tool, and every option that the tool has for it. */
struct wl_foreign_command {
    const char *tool;                     /* "nsys" */
    const char *words;                    /* "profile", or "" */
    const char *here;                     /* the verb that does it: "trace" */
    const struct wl_option_table *tables; /* what reads them here */
    const char *options;                  /* names without dashes, ' ' between */
};
extern const struct wl_foreign_command wl_foreign_commands[]; /* ends with one without tool */

/* Adds a table in Markdown, a row an option: what becomes of it here, and why. */
void wl_foreign_print(const struct wl_foreign_command *command, struct wl_text *out);

/* The row of a name of this length; NULL: none. */
const struct wl_option *wl_foreign_find_option(const struct wl_option_table *tables,
                                               const char *name, size_t length);

/* Of an option that these tables do not have: what does it here, or whose it is; with may_guess,
 * which option of any tool it may have meant. As wl_options_explain. */
void wl_foreign_explain_option(const struct wl_option_table *tables, const char *name,
                               bool may_guess, struct wl_text *hint);
/* Of a word that is no verb: what does here what another tool calls so, or near names. */
void wl_foreign_explain_verb(const char *word, struct wl_text *hint);

#endif
