#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/catalog.h"
#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "base/near.h"

static void add_once(struct wl_metric_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    WL_PUSH(names, wl_string_copy(name));
}

/* Calls visit with every name: the catalog's, then those that only the launches have. */
static void each_name(const struct wl_metric_catalog *catalog, struct wl_metric_set *const *sets,
                      size_t set_count, void (*visit)(void *self, const char *name), void *self)
{
    for (size_t i = 0; i < catalog->rows.count; i++)
        if (!catalog->rows.items[i].is_hidden)
            visit(self, catalog->rows.items[i].name);
    for (size_t i = 0; i < set_count; i++) {
        size_t count = 0;
        const struct wl_metric_value *const *list = wl_metric_set_list(sets[i], &count);
        for (size_t j = 0; j < count; j++)
            if (!wl_metric_find(catalog, list[j]->name))
                visit(self, list[j]->name);
    }
}

struct match {
    struct wl_metric_names *names;
    const regex_t *expression; /* NULL: names that are base and a suffix */
    const char *base;
    size_t count;
};

static void visit_match(void *self, const char *name)
{
    struct match *match = self;
    if (match->expression) {
        if (regexec(match->expression, name, 0, NULL, 0) != 0)
            return;
    } else {
        size_t length = strlen(match->base);
        if (strncmp(name, match->base, length) != 0 || name[length] != '.')
            return;
    }
    add_once(match->names, name);
    match->count++;
}

static void visit_near(void *self, const char *name)
{
    wl_near_offer(self, name);
}

struct exact {
    const char *name;
    bool is_found;
};

static void visit_exact(void *self, const char *name)
{
    struct exact *exact = self;
    exact->is_found |= strcmp(exact->name, name) == 0;
}

/* True for X.suffix where some X.* is known. */
static bool has_known_base(const struct wl_metric_catalog *catalog,
                           struct wl_metric_set *const *sets, size_t set_count, const char *name)
{
    size_t length = 0;
    if (!wl_metric_suffix_find(catalog, name, &length))
        return false;
    char *base = wl_string_copy_length(name, length);
    struct wl_metric_names found = {0};
    struct match match = {.names = &found, .base = base};
    each_name(catalog, sets, set_count, visit_match, &match);
    wl_metric_names_free(&found);
    free(base);
    return match.count > 0;
}

static enum wl_code parse_expression(const struct wl_metric_catalog *catalog,
                                     struct wl_metric_set *const *sets, size_t set_count,
                                     const char *text, struct wl_metric_names *names,
                                     struct wl_error *error)
{
    regex_t expression;
    int status = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        char reason[128];
        regerror(status, &expression, reason, sizeof reason);
        return wl_error_set(error, WL_ERR_USAGE, "bad expression '%s' for metrics: %s", text,
                            reason);
    }
    struct match match = {.names = names, .expression = &expression};
    each_name(catalog, sets, set_count, visit_match, &match);
    regfree(&expression);
    if (match.count == 0)
        return wl_error_set(error, WL_ERR_USAGE, "no metric matches '%s'", text);
    return WL_OK;
}

/* Exactly this name, or one that a suffix row computes. */
static bool is_known(const struct wl_metric_catalog *catalog, struct wl_metric_set *const *sets,
                     size_t set_count, const char *name)
{
    struct exact exact = {.name = name, .is_found = wl_metric_find(catalog, name) != NULL};
    if (!exact.is_found)
        each_name(catalog, sets, set_count, visit_exact, &exact);
    return exact.is_found || has_known_base(catalog, sets, set_count, name);
}

static enum wl_code parse_group(const struct wl_metric_catalog *catalog,
                                struct wl_metric_set *const *sets, size_t set_count,
                                const char *word, struct wl_metric_names *names,
                                struct wl_error *error)
{
    struct wl_text members = {0};
    enum wl_code code = wl_metric_group_members(catalog, word, &members, error);
    size_t before = names->count, known = 0;
    for (char *line = members.data, *next; !code && line && *line; line = next) {
        next = line + strcspn(line, "\n");
        *next++ = '\0';
        if (!is_known(catalog, sets, set_count, line))
            continue;
        add_once(names, line);
        known++;
    }
    if (!code && known == 0 && names->count == before) {
        code = wl_error_set(error, WL_ERR_USAGE, "none of the metrics of '%s' is there", word);
        wl_error_set_hint(error, "a GPU gives them where they are asked for before it measures");
    }
    wl_text_free(&members);
    return code;
}

static enum wl_code parse_name(const struct wl_metric_catalog *catalog,
                               struct wl_metric_set *const *sets, size_t set_count,
                               const char *name, struct wl_metric_names *names,
                               struct wl_error *error)
{
    static const char prefix[] = "regex:";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return parse_expression(catalog, sets, set_count, name + sizeof prefix - 1, names, error);
    if (wl_metric_is_group(name))
        return parse_group(catalog, sets, set_count, name, names, error);
    if (is_known(catalog, sets, set_count, name)) {
        add_once(names, name);
        return WL_OK;
    }
    struct match match = {.names = names, .base = name};
    each_name(catalog, sets, set_count, visit_match, &match);
    if (match.count > 0)
        return WL_OK;
    struct wl_near near = {.word = name};
    each_name(catalog, sets, set_count, visit_near, &near);
    struct wl_text hint = {0};
    wl_near_print(&near, "", &hint);
    wl_error_set(error, WL_ERR_USAGE, "unknown metric '%s'", name);
    if (hint.data)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    else
        wl_error_set_hint(error, "--query-metrics lists all names");
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

/* A plain name: an unknown one is a row without a value beside those that are known. */
static bool may_be_absent(const char *name)
{
    return !strchr(name, ':') && !wl_metric_is_group(name);
}

enum wl_code wl_metric_names_parse(const struct wl_metric_catalog *catalog,
                                   struct wl_metric_set *const *sets, size_t set_count,
                                   const char *list, struct wl_metric_names *names,
                                   struct wl_error *error)
{
    const size_t before = names->count;
    size_t unknown = 0;
    enum wl_code code = WL_OK;
    while (*list != '\0' && code == WL_OK) {
        size_t length = strcspn(list, ",");
        if (length > 0) {
            char *name = wl_string_copy_length(list, length);
            const size_t known = names->count;
            code = parse_name(catalog, sets, set_count, name, names, error);
            if (names->keeps_unknown && code == WL_ERR_USAGE && names->count == known &&
                may_be_absent(name)) {
                add_once(names, name);
                unknown++;
                code = WL_OK;
            }
            free(name);
        }
        list += length + (list[length] == ',');
    }
    if (code == WL_OK && unknown > 0 && unknown == names->count - before)
        return WL_ERR_USAGE; /* the error of the last of them stands */
    return code;
}

void wl_metric_names_free(struct wl_metric_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct wl_metric_names){0};
}
