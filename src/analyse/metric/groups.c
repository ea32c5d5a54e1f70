/* Names for several metrics, as ncu has them: "group:NAME", "breakdown:METRIC". */
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/catalog.h"
#include "analyse/metric/data_files.h"
#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "base/near.h"

static const char group_prefix[] = "group:", breakdown_prefix[] = "breakdown:";
static const char usual_suffix[] = ".avg.pct_of_peak_sustained_elapsed"; /* of a throughput */

static const struct wl_data_field group_fields[] = {
    {"group", LUA_TSTRING},
    {"breakdown", LUA_TSTRING},
    {"members", LUA_TTABLE},
    {NULL, 0},
};

static bool begins(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

bool wl_metric_is_group(const char *word)
{
    return begins(word, group_prefix) || begins(word, breakdown_prefix);
}

static struct wl_metric_group *find(const struct wl_metric_catalog *catalog, const char *word,
                                    size_t length)
{
    for (size_t i = 0; i < catalog->groups.count; i++) {
        struct wl_metric_group *group = &catalog->groups.items[i];
        if (strncmp(group->word, word, length) == 0 && group->word[length] == '\0')
            return group;
    }
    return NULL;
}

void wl_metric_group_add(struct wl_metric_catalog *catalog, const char *word, const char *member)
{
    struct wl_metric_group *group = find(catalog, word, strlen(word));
    if (!group) {
        struct wl_metric_group made = {.word =
                                           wl_arena_string(&catalog->arena, word, strlen(word))};
        WL_PUSH(&catalog->groups, made);
        group = &catalog->groups.items[catalog->groups.count - 1];
    }
    for (size_t i = 0; i < group->members.count; i++)
        if (strcmp(group->members.items[i], member) == 0)
            return;
    const char *kept = wl_arena_string(&catalog->arena, member, strlen(member));
    WL_PUSH(&group->members, kept);
}

void wl_metric_groups_free(struct wl_metric_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free(groups->items[i].members.items);
    free(groups->items);
    *groups = (struct wl_metric_groups){0};
}

enum wl_code wl_metric_group_read(struct wl_metric_catalog *catalog, lua_State *lua,
                                  const char *file, const char *what, struct wl_error *error)
{
    enum wl_code code = wl_data_fields_check(lua, -1, group_fields, file, what, error);
    if (code)
        return code;
    const char *group = wl_data_field_text(lua, -1, "group", &catalog->arena);
    const char *breakdown = wl_data_field_text(lua, -1, "breakdown", &catalog->arena);
    if (lua_getfield(lua, -1, "members") != LUA_TTABLE || (group && breakdown) ||
        (!group && !breakdown)) {
        lua_pop(lua, 1);
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "%s: %s: a row of members needs either 'group' or 'breakdown'", file,
                            what);
    }
    char *word = wl_string_format("%s%s", group ? group_prefix : breakdown_prefix,
                                  group ? group : breakdown);
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count && !code; i++) {
        if (lua_rawgeti(lua, -1, (lua_Integer)i) == LUA_TSTRING)
            wl_metric_group_add(catalog, word, lua_tostring(lua, -1));
        else
            code = wl_error_set(error, WL_ERR_CORRUPT, "%s: %s: member %zu is not a name", file,
                                what, i);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    free(word);
    return code;
}

static enum wl_code refuse(const struct wl_metric_catalog *catalog, const char *word,
                           struct wl_error *error)
{
    bool is_breakdown = begins(word, breakdown_prefix);
    const char *prefix = is_breakdown ? breakdown_prefix : group_prefix;
    const char *name = word + strlen(prefix);
    struct wl_near near = {.word = name};
    struct wl_text hint = {0};
    for (size_t i = 0; i < catalog->groups.count; i++)
        if (begins(catalog->groups.items[i].word, prefix))
            wl_near_offer(&near, catalog->groups.items[i].word + strlen(prefix));
    wl_near_print(&near, prefix, &hint);
    if (is_breakdown)
        wl_error_set(error, WL_ERR_USAGE,
                     "'%s' has no breakdown: it is no throughput that is known", name);
    else
        wl_error_set(error, WL_ERR_USAGE, "unknown group of metrics '%s'", name);
    if (hint.length)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    else if (is_breakdown)
        wl_error_set_hint(error, "as in breakdown:sm__throughput%s", usual_suffix);
    else
        wl_error_set_hint(error, "groups are sections and sets: --list-sections, --list-sets");
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

/* Parts that are throughputs themselves are followed by theirs. */
static void add_breakdown(const struct wl_metric_catalog *catalog,
                          const struct wl_metric_group *group, const char *suffix, int depth,
                          struct wl_text *members)
{
    enum { deepest = 8 };
    for (size_t i = 0; i < group->members.count; i++) {
        const char *member = group->members.items[i];
        char *word = wl_string_format("%s%s", breakdown_prefix, member);
        const struct wl_metric_group *part = find(catalog, word, strlen(word));
        wl_text_addf(members, "%s%s\n", member, suffix);
        if (part && depth < deepest)
            add_breakdown(catalog, part, suffix, depth + 1, members);
        free(word);
    }
}

enum wl_code wl_metric_group_members(const struct wl_metric_catalog *catalog, const char *word,
                                     struct wl_text *members, struct wl_error *error)
{
    const struct wl_metric_group *group = find(catalog, word, strlen(word));
    if (group && begins(word, group_prefix)) {
        for (size_t i = 0; i < group->members.count; i++)
            wl_text_addf(members, "%s\n", group->members.items[i]);
        return WL_OK;
    }
    if (!begins(word, breakdown_prefix))
        return refuse(catalog, word, error);
    /* names of units may have dots: the base is the longest that has a breakdown */
    size_t length = strlen(word);
    while (!group && length > sizeof breakdown_prefix) {
        do
            length--;
        while (length && word[length] != '.');
        group = find(catalog, word, length);
    }
    if (!group)
        return refuse(catalog, word, error);
    const char *suffix = word[length] ? word + length : usual_suffix;
    wl_text_addf(members, "%.*s%s\n", (int)(length - sizeof breakdown_prefix + 1),
                 word + sizeof breakdown_prefix - 1, suffix);
    add_breakdown(catalog, group, suffix, 0, members);
    return WL_OK;
}
