#include "analyse/advise/rules.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/metric/data_files.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"

struct wl_rules {
    WL_VECTOR(struct wl_rule) list;
    struct wl_arena arena;
};

static const struct wl_data_field rule_fields[] = {
    {"id", LUA_TSTRING},          {"name", LUA_TSTRING},
    {"section", LUA_TSTRING},     {"stage", LUA_TSTRING},
    {"order", LUA_TNUMBER},       {"scope", LUA_TSTRING},
    {"description", LUA_TSTRING}, {"advice", LUA_TSTRING},
    {"group", LUA_TSTRING},       {"cause", LUA_TSTRING},
    {"needs", LUA_TTABLE},        {"lowers_least", LUA_TBOOLEAN},
    {"apply", LUA_TFUNCTION},     {NULL, 0},
};

static enum wl_code refuse(struct wl_error *error, const char *file, const char *id,
                           const char *what)
{
    return wl_error_set(error, WL_ERR_CORRUPT, "%s: rule %s: %s", file, id ? id : "(no id)", what);
}

static const char *text_or_empty(struct wl_rules *rules, lua_State *lua, const char *field)
{
    const char *text = wl_data_field_text(lua, -1, field, &rules->arena);
    return text ? text : "";
}

static bool read_needs(struct wl_rules *rules, lua_State *lua, struct wl_rule *rule)
{
    bool is_right = true;
    if (lua_getfield(lua, -1, "needs") == LUA_TTABLE) {
        rule->need_count = lua_rawlen(lua, -1);
        rule->needs = wl_arena_array(&rules->arena, rule->need_count, sizeof *rule->needs);
        for (size_t i = 0; i < rule->need_count; i++) {
            size_t length = 0;
            bool is_text = lua_rawgeti(lua, -1, (lua_Integer)(i + 1)) == LUA_TSTRING;
            const char *text = is_text ? lua_tolstring(lua, -1, &length) : "";
            rule->needs[i] = wl_arena_string(&rules->arena, text, length);
            is_right &= is_text;
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
    return is_right;
}

/* Identifiers stand in texts for people and in formats of other programs. */
static bool is_plain_name(const char *name)
{
    return name && name[0] != '\0' &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static void put_rule(struct wl_rules *rules, const struct wl_rule *rule)
{
    for (size_t i = 0; i < rules->list.count; i++) {
        if (strcmp(rules->list.items[i].id, rule->id) == 0) {
            rules->list.items[i] = *rule;
            return;
        }
    }
    WL_PUSH(&rules->list, *rule);
}

/* The rule on top of the stack. */
static enum wl_code read_rule(struct wl_rules *rules, lua_State *lua, const char *file,
                              struct wl_error *error)
{
    enum wl_code code = wl_data_fields_check(lua, -1, rule_fields, file, "rule", error);
    if (code != WL_OK)
        return code;
    struct wl_rule rule = {
        .id = wl_data_field_text(lua, -1, "id", &rules->arena),
        .name = wl_data_field_text(lua, -1, "name", &rules->arena),
        .section = text_or_empty(rules, lua, "section"),
        .stage = text_or_empty(rules, lua, "stage"),
        .description = text_or_empty(rules, lua, "description"),
        .advice = text_or_empty(rules, lua, "advice"),
        .group = text_or_empty(rules, lua, "group"),
        .cause = text_or_empty(rules, lua, "cause"),
    };
    if (!is_plain_name(rule.id))
        return refuse(error, file, rule.id, "needs an id of lower-case letters, digits and '-'");
    if (!rule.name || !rule.description[0])
        return refuse(error, file, rule.id, "needs a name and a description");
    const char *scope = text_or_empty(rules, lua, "scope");
    rule.is_of_program = strcmp(scope, "program") == 0;
    rule.is_of_trace = strcmp(scope, "trace") == 0;
    if (scope[0] && !rule.is_of_program && !rule.is_of_trace && strcmp(scope, "launch") != 0)
        return refuse(error, file, rule.id, "its scope must be 'launch', 'program' or 'trace'");
    if (!read_needs(rules, lua, &rule))
        return refuse(error, file, rule.id, "'needs' holds something that is not a text");
    if (!rule.group[0])
        rule.group = rule.id;
    lua_getfield(lua, -1, "order");
    rule.order = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    lua_getfield(lua, -1, "lowers_least");
    rule.lowers_least = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    put_rule(rules, &rule);
    return WL_OK;
}

/* Whether what is on top of the stack is a rule. */
static bool is_rule(lua_State *lua)
{
    if (!lua_istable(lua, -1))
        return false;
    bool is_there = lua_getfield(lua, -1, "apply") != LUA_TNIL;
    lua_pop(lua, 1);
    return is_there;
}

static enum wl_code use_file(void *self, lua_State *lua, const char *file, struct wl_error *error)
{
    struct wl_rules *rules = self;
    enum wl_code code = WL_OK;
    if (is_rule(lua))
        return read_rule(rules, lua, file, error);
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count && code == WL_OK; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        if (is_rule(lua))
            code = read_rule(rules, lua, file, error);
        lua_pop(lua, 1);
    }
    return code;
}

static int by_order(const void *left, const void *right)
{
    const struct wl_rule *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->id, b->id);
}

enum wl_code wl_rules_load(struct wl_metric_catalog *catalog, const char *folder,
                           struct wl_rules **rules, struct wl_error *error)
{
    struct wl_rules *loaded = wl_alloc_zero(1, sizeof *loaded);
    enum wl_code code = wl_data_files_run(wl_metric_sandbox(catalog), wl_embedded_rules, folder,
                                          use_file, loaded, error);
    if (code != WL_OK) {
        wl_rules_free(loaded);
        loaded = NULL;
    } else if (loaded->list.count > 0) {
        qsort(loaded->list.items, loaded->list.count, sizeof *loaded->list.items, by_order);
    }
    *rules = loaded;
    return code;
}

void wl_rules_free(struct wl_rules *rules)
{
    if (!rules)
        return;
    free(rules->list.items);
    wl_arena_free(&rules->arena);
    free(rules);
}

const struct wl_rule *wl_rules_all(const struct wl_rules *rules, size_t *count)
{
    *count = rules->list.count;
    return rules->list.items;
}

const struct wl_rule *wl_rules_find(const struct wl_rules *rules, const char *id)
{
    for (size_t i = 0; i < rules->list.count; i++)
        if (strcmp(rules->list.items[i].id, id) == 0)
            return &rules->list.items[i];
    return NULL;
}

static enum wl_code refuse_unknown(const struct wl_rules *rules, const char *id,
                                   struct wl_error *error)
{
    struct wl_near near = {.word = id};
    struct wl_text names = {0};
    for (size_t i = 0; i < rules->list.count; i++)
        wl_near_offer(&near, rules->list.items[i].id);
    wl_near_print(&near, "", &names);
    wl_error_set(error, WL_ERR_USAGE, "there is no rule %s", id);
    wl_error_set_hint(error, names.length ? "did you mean %s?" : "see --list-rules%s",
                      names.length ? names.data : "");
    wl_text_free(&names);
    return WL_ERR_USAGE;
}

enum wl_code wl_rules_check(const struct wl_rules *rules, const char *list, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    while (!code && list && *list) {
        size_t length = strcspn(list, ",");
        char *id = wl_string_copy_length(list, length);
        if (length > 0 && !wl_rules_find(rules, id))
            code = refuse_unknown(rules, id, error);
        free(id);
        list += length + (list[length] == ',');
    }
    return code;
}
