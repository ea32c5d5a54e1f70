#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/sections.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"

static bool is_in_set(const struct wl_section *section, const char *set)
{
    for (size_t i = 0; i < section->set_count; i++)
        if (strcmp(section->sets[i], set) == 0)
            return true;
    return false;
}

/* Marks the sections that match; false if none does. */
static bool mark_set(const struct wl_sections *sections, const char *set, bool *is_chosen)
{
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(sections, &count);
    bool is_any = false;
    for (size_t i = 0; i < count; i++) {
        if (is_in_set(&all[i], set))
            is_chosen[i] = is_any = true;
    }
    return is_any;
}

static enum wl_code refuse_set(const struct wl_sections *sections, const char *set,
                               struct wl_error *error)
{
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(sections, &count);
    struct wl_text known = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < all[i].set_count; j++) {
            const char *name = all[i].sets[j];
            size_t first = 0;
            while (!is_in_set(&all[first], name))
                first++;
            bool is_repeated = first < i;
            for (size_t k = 0; k < j; k++)
                is_repeated |= strcmp(all[i].sets[k], name) == 0;
            if (!is_repeated)
                wl_text_addf(&known, "%s%s", known.length ? ", " : "", name);
        }
    }
    wl_error_set(error, WL_ERR_USAGE, "unknown set '%s'", set);
    wl_error_set_hint(error, "the sets are: %s", known.data ? known.data : "none");
    wl_text_free(&known);
    return WL_ERR_USAGE;
}

static enum wl_code mark_expression(const struct wl_sections *sections, const char *text,
                                    bool *is_chosen, struct wl_error *error)
{
    regex_t expression;
    int status = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        char reason[128];
        regerror(status, &expression, reason, sizeof reason);
        return wl_error_set(error, WL_ERR_USAGE, "bad expression '%s' for sections: %s", text,
                            reason);
    }
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(sections, &count);
    bool is_any = false;
    for (size_t i = 0; i < count; i++) {
        if (regexec(&expression, all[i].identifier, 0, NULL, 0) == 0)
            is_chosen[i] = is_any = true;
    }
    regfree(&expression);
    return is_any ? WL_OK : wl_error_set(error, WL_ERR_USAGE, "no section matches '%s'", text);
}

static enum wl_code mark_name(const struct wl_sections *sections, const char *name, bool *is_chosen,
                              struct wl_error *error)
{
    static const char prefix[] = "regex:";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return mark_expression(sections, name + sizeof prefix - 1, is_chosen, error);
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(sections, &count);
    struct wl_near near = {.word = name};
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].identifier, name) == 0) {
            is_chosen[i] = true;
            return WL_OK;
        }
        wl_near_offer(&near, all[i].identifier);
    }
    struct wl_text hint = {0};
    if (near.names[0]) {
        wl_text_add(&hint, "did you mean ");
        wl_near_print(&near, "", &hint);
        wl_text_add_char(&hint, '?');
    } else {
        wl_text_add(&hint, "the sections are: ");
        for (size_t i = 0; i < count; i++)
            wl_text_addf(&hint, "%s%s", i ? ", " : "", all[i].identifier);
    }
    wl_error_set(error, WL_ERR_USAGE, "unknown section '%s'", name);
    wl_error_set_hint(error, "%s", hint.data);
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

enum wl_code wl_sections_choose(const struct wl_sections *sections, const char *list,
                                const char *set, const struct wl_section **chosen, size_t *count,
                                struct wl_error *error)
{
    size_t all_count = 0;
    const struct wl_section *all = wl_sections_all(sections, &all_count);
    bool *is_chosen = wl_alloc_zero(all_count, sizeof *is_chosen);
    enum wl_code code = WL_OK;
    *count = 0;
    if (set && !mark_set(sections, set, is_chosen))
        code = refuse_set(sections, set, error);
    while (list && *list != '\0' && code == WL_OK) {
        size_t length = strcspn(list, ",");
        if (length > 0) {
            char *name = wl_string_copy_length(list, length);
            code = mark_name(sections, name, is_chosen, error);
            free(name);
        }
        list += length + (list[length] == ',');
    }
    for (size_t i = 0; i < all_count && code == WL_OK; i++)
        if (is_chosen[i])
            chosen[(*count)++] = &all[i];
    free(is_chosen);
    return code;
}
