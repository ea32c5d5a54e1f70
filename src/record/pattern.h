/* A name as the user gave it: literal, or a POSIX extended regular expression looked for anywhere
 * in the text. */
#ifndef WL_RECORD_PATTERN_H
#define WL_RECORD_PATTERN_H

#include <regex.h>
#include <stdbool.h>

#include "base/error.h"

struct wl_pattern {
    char *literal; /* NULL for a regular expression */
    regex_t regex;
    bool is_set; /* false (zero-initialised): matches everything */
};

/* option: for messages ("--kernel-name"). Errors: WL_ERR_USAGE. */
enum wl_code wl_pattern_create(const char *option, const char *text, bool is_regex,
                               struct wl_pattern *pattern, struct wl_error *error);
/* The same for "name" or "regex:expression". */
enum wl_code wl_pattern_parse(const char *option, const char *text, struct wl_pattern *pattern,
                              struct wl_error *error);
void wl_pattern_free(struct wl_pattern *pattern);
bool wl_pattern_matches(const struct wl_pattern *pattern, const char *text);
/* The same, but a regular expression must cover the whole text. */
bool wl_pattern_matches_all(const struct wl_pattern *pattern, const char *text);

#endif
