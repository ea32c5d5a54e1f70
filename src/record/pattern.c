#include "record/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum wl_code wl_pattern_create(const char *option, const char *text, bool is_regex,
                               struct wl_pattern *pattern, struct wl_error *error)
{
    *pattern = (struct wl_pattern){0};
    if (!is_regex) {
        pattern->literal = wl_string_copy(text);
        pattern->is_set = true;
        return WL_OK;
    }
    if (*text == '\0')
        return wl_error_set(error, WL_ERR_USAGE, "%s: empty regular expression", option);
    int status = regcomp(&pattern->regex, text, REG_EXTENDED);
    if (status != 0) {
        char reason[128];
        regerror(status, &pattern->regex, reason, sizeof reason);
        wl_error_set(error, WL_ERR_USAGE, "%s: bad regular expression '%s': %s", option, text,
                     reason);
        wl_error_set_hint(error, "POSIX extended syntax is understood (no look-ahead)");
        return WL_ERR_USAGE;
    }
    pattern->is_set = true;
    return WL_OK;
}

enum wl_code wl_pattern_parse(const char *option, const char *text, struct wl_pattern *pattern,
                              struct wl_error *error)
{
    static const char prefix[] = "regex:";
    bool is_regex = strncmp(text, prefix, sizeof prefix - 1) == 0;
    return wl_pattern_create(option, is_regex ? text + sizeof prefix - 1 : text, is_regex, pattern,
                             error);
}

void wl_pattern_free(struct wl_pattern *pattern)
{
    if (pattern->is_set && !pattern->literal)
        regfree(&pattern->regex);
    free(pattern->literal);
    *pattern = (struct wl_pattern){0};
}

bool wl_pattern_matches(const struct wl_pattern *pattern, const char *text)
{
    if (!pattern->is_set)
        return true;
    if (pattern->literal)
        return strcmp(pattern->literal, text) == 0;
    return regexec(&pattern->regex, text, 0, NULL, 0) == 0;
}

bool wl_pattern_matches_all(const struct wl_pattern *pattern, const char *text)
{
    if (!pattern->is_set || pattern->literal)
        return wl_pattern_matches(pattern, text);
    regmatch_t match;
    /* POSIX: the longest of the leftmost matches, so that one from 0 to the end is found */
    return regexec(&pattern->regex, text, 1, &match, 0) == 0 && match.rm_so == 0 &&
           (size_t)match.rm_eo == strlen(text);
}
