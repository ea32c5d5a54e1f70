#include "analyse/metric/catalog.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyse/metric/data_files.h"
#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/embedded.h"
#include "base/memory.h"

/* The names a collector of ours can give, without a copy of the simulator's tables. */
static const struct wl_metric_row counter_rows[] = {
#define C(id, counter_name, counter_unit, counter_mark, text) \
    {.name = counter_name,                                    \
     .unit = counter_unit,                                    \
     .description = text,                                     \
     .kind = WL_METRIC_VALUE,                                 \
     .mark = WL_MARK_##counter_mark,                          \
     .formula = LUA_NOREF},
#include "gpu/counters.def"
#undef C
#define I(field, counter_name, counter_mark, text)               \
    {.name = counter_name,                                       \
     .unit = "",                                                 \
     .description = text,                                        \
     .kind = WL_METRIC_INSTRUCTION,                              \
     .mark = WL_MARK_##counter_mark,                             \
     .reason = "kept for each instruction: see the source page", \
     .formula = LUA_NOREF},
#include "gpu/instruction_counters.def"
#undef I
};

static const struct wl_data_field row_fields[] = {
    {"name", LUA_TSTRING},      {"unit", LUA_TSTRING},     {"description", LUA_TSTRING},
    {"mark", LUA_TSTRING},      {"alias_of", LUA_TSTRING}, {"absent", LUA_TSTRING},
    {"formula", LUA_TFUNCTION}, {"hidden", LUA_TBOOLEAN},  {NULL, 0},
};
static const struct wl_data_field suffix_fields[] = {
    {"suffix", LUA_TSTRING},
    {"unit", LUA_TSTRING},
    {"absent", LUA_TSTRING},
    {"formula", LUA_TFUNCTION},
    {NULL, 0},
};

static const struct mark_row {
    const char *name;
    char sign;
} mark_rows[] = {
    [WL_MARK_EXACT] = {"exact", '='},
    [WL_MARK_MODELLED] = {"modelled", '~'},
    [WL_MARK_PREDICTED] = {"predicted", '?'},
};

const char *wl_metric_mark_name(enum wl_mark mark)
{
    return mark_rows[mark].name;
}

char wl_metric_mark_sign(enum wl_mark mark)
{
    return mark_rows[mark].sign;
}

/* A field's text, or NULL if it is not there. */
static const char *keep_field(struct wl_metric_catalog *catalog, lua_State *lua, const char *name)
{
    return wl_data_field_text(lua, -1, name, &catalog->arena);
}

/* Takes the formula of the row on top of the stack into the registry; LUA_NOREF if it has none. */
static int keep_formula(lua_State *lua)
{
    if (lua_getfield(lua, -1, "formula") == LUA_TFUNCTION)
        return luaL_ref(lua, LUA_REGISTRYINDEX);
    lua_pop(lua, 1);
    return LUA_NOREF;
}

static bool mark_parse(const char *name, enum wl_mark *mark)
{
    for (size_t i = 0; i < WL_COUNT(mark_rows); i++) {
        if (strcmp(mark_rows[i].name, name) == 0) {
            *mark = (enum wl_mark)i;
            return true;
        }
    }
    return false;
}

/* The rows by name, while the catalog is being made and they are not sorted yet. */
struct row_place {
    const char *name;
    size_t row;
    UT_hash_handle hh;
};

struct making {
    struct wl_metric_catalog *catalog;
    struct row_place *places;
};

static struct wl_metric_row *find_row(const struct making *making, const char *name)
{
    struct row_place *place = NULL;
    HASH_FIND_STR(making->places, name, place);
    return place ? &making->catalog->rows.items[place->row] : NULL;
}

static void put_row(struct making *making, const struct wl_metric_row *row)
{
    struct row_place *place = wl_alloc_zero(1, sizeof *place);
    *place = (struct row_place){.name = row->name, .row = making->catalog->rows.count};
    WL_PUSH(&making->catalog->rows, *row);
    HASH_ADD_KEYPTR(hh, making->places, place->name, strlen(place->name), place);
}

static void forget_places(struct making *making)
{
    struct row_place *place, *next;
    HASH_ITER(hh, making->places, place, next)
    {
        HASH_DEL(making->places, place);
        free(place);
    }
}

static enum wl_code add_suffix(struct wl_metric_catalog *catalog, lua_State *lua, const char *file,
                               const char *what, struct wl_error *error)
{
    enum wl_code code = wl_data_fields_check(lua, -1, suffix_fields, file, what, error);
    if (code != WL_OK)
        return code;
    struct wl_metric_suffix suffix = {
        .suffix = keep_field(catalog, lua, "suffix"),
        .unit = keep_field(catalog, lua, "unit"),
        .reason = keep_field(catalog, lua, "absent"),
        .formula = keep_formula(lua),
    };
    if (!suffix.suffix || suffix.suffix[0] != '.' ||
        (suffix.formula == LUA_NOREF) == (suffix.reason == NULL))
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "%s: %s: a suffix row needs a suffix that begins with '.' and either "
                            "'formula' or 'absent'",
                            file, what);
    WL_PUSH(&catalog->suffixes, suffix);
    return WL_OK;
}

static enum wl_code add_row(struct making *making, lua_State *lua, const char *file,
                            const char *what, struct wl_error *error)
{
    struct wl_metric_catalog *catalog = making->catalog;
    enum wl_code code = wl_data_fields_check(lua, -1, row_fields, file, what, error);
    if (code != WL_OK)
        return code;
    struct wl_metric_row row = {
        .name = keep_field(catalog, lua, "name"),
        .unit = keep_field(catalog, lua, "unit"),
        .description = keep_field(catalog, lua, "description"),
        .alias_of = keep_field(catalog, lua, "alias_of"),
        .reason = keep_field(catalog, lua, "absent"),
        .formula = keep_formula(lua),
    };
    const char *mark = keep_field(catalog, lua, "mark");
    lua_getfield(lua, -1, "hidden");
    row.is_hidden = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    if (!row.name)
        return wl_error_set(error, WL_ERR_CORRUPT, "%s: %s: the row has no name", file, what);
    if (mark && !mark_parse(mark, &row.mark))
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "%s: %s: mark '%s' is none of exact, modelled, predicted", file,
                            row.name, mark);
    if ((row.formula != LUA_NOREF) + (row.alias_of != NULL) + (row.reason != NULL) > 1)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "%s: %s: only one of formula, alias_of and absent can be", file,
                            row.name);
    row.kind = row.formula != LUA_NOREF ? WL_METRIC_FORMULA
               : row.alias_of           ? WL_METRIC_ALIAS
               : row.reason             ? WL_METRIC_ABSENT
                                        : WL_METRIC_VALUE;
    row.unit = row.unit ? row.unit : "";
    row.description = row.description ? row.description : "";
    struct wl_metric_row *present = find_row(making, row.name);
    if (present)
        *present = row;
    else
        put_row(making, &row);
    return WL_OK;
}

/* True where the table on top of the stack has this field. */
static bool has_field(lua_State *lua, const char *name)
{
    bool is_there = lua_getfield(lua, -1, name) != LUA_TNIL;
    lua_pop(lua, 1);
    return is_there;
}

/* A section or a rule: rules have groups, too, which are not those of metrics. */
static bool is_of_others(lua_State *lua)
{
    return has_field(lua, "identifier") || has_field(lua, "apply");
}

static enum wl_code use_file(void *self, lua_State *lua, const char *file, struct wl_error *error)
{
    struct making *making = self;
    enum wl_code code = WL_OK;
    if (is_of_others(lua))
        return WL_OK;
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count && code == WL_OK; i++) {
        char what[64];
        snprintf(what, sizeof what, "row %zu", i);
        if (lua_rawgeti(lua, -1, (lua_Integer)i) != LUA_TTABLE)
            code = wl_error_set(error, WL_ERR_CORRUPT, "%s: %s is not a table", file, what);
        else if (is_of_others(lua))
            code = WL_OK;
        else if (has_field(lua, "suffix"))
            code = add_suffix(making->catalog, lua, file, what, error);
        else if (has_field(lua, "group") || has_field(lua, "breakdown"))
            code = wl_metric_group_read(making->catalog, lua, file, what, error);
        else
            code = add_row(making, lua, file, what, error);
        lua_pop(lua, 1);
    }
    if (code != WL_OK)
        wl_error_set_where(error, "%s", file);
    return code;
}

static int row_compare(const void *left, const void *right)
{
    return strcmp(((const struct wl_metric_row *)left)->name,
                  ((const struct wl_metric_row *)right)->name);
}

/* Every alias must lead to a row that is not itself an alias. */
static enum wl_code check_aliases(const struct wl_metric_catalog *catalog, struct wl_error *error)
{
    for (size_t i = 0; i < catalog->rows.count; i++) {
        const struct wl_metric_row *row = &catalog->rows.items[i];
        if (row->kind != WL_METRIC_ALIAS)
            continue;
        const struct wl_metric_row *target = wl_metric_find(catalog, row->alias_of);
        if (!target || target->kind == WL_METRIC_ALIAS)
            return wl_error_set(error, WL_ERR_CORRUPT, "metric %s stands for %s, which is %s",
                                row->name, row->alias_of, target ? "an alias too" : "unknown");
    }
    return WL_OK;
}

enum wl_code wl_metric_catalog_create(const char *folder, struct wl_metric_catalog **catalog,
                                      struct wl_error *error)
{
    struct wl_metric_catalog *created = wl_alloc_zero(1, sizeof *created);
    created->sandbox = wl_sandbox_create(NULL);
    struct making making = {.catalog = created};
    wl_metric_proxy_create(created);
    /* a count that is also kept for each instruction is first of all one of the launch */
    for (size_t i = 0; i < WL_COUNT(counter_rows); i++)
        if (!find_row(&making, counter_rows[i].name))
            put_row(&making, &counter_rows[i]);
    enum wl_code code =
        wl_data_files_run(created->sandbox, wl_embedded_metrics, folder, use_file, &making, error);
    forget_places(&making);
    if (code == WL_OK) {
        qsort(created->rows.items, created->rows.count, sizeof *created->rows.items, row_compare);
        code = check_aliases(created, error);
    }
    if (code != WL_OK) {
        wl_metric_catalog_free(created);
        created = NULL;
    }
    *catalog = created;
    return code;
}

void wl_metric_catalog_free(struct wl_metric_catalog *catalog)
{
    if (!catalog)
        return;
    wl_sandbox_free(catalog->sandbox);
    wl_metric_groups_free(&catalog->groups);
    wl_arena_free(&catalog->arena);
    free(catalog->rows.items);
    free(catalog->suffixes.items);
    free(catalog);
}

const struct wl_metric_row *wl_metric_list(const struct wl_metric_catalog *catalog, size_t *count)
{
    *count = catalog->rows.count;
    return catalog->rows.items;
}

const struct wl_metric_row *wl_metric_find(const struct wl_metric_catalog *catalog,
                                           const char *name)
{
    struct wl_metric_row key = {.name = name};
    return bsearch(&key, catalog->rows.items, catalog->rows.count, sizeof key, row_compare);
}

struct wl_sandbox *wl_metric_sandbox(struct wl_metric_catalog *catalog)
{
    return catalog->sandbox;
}

const struct wl_metric_suffix *wl_metric_suffix_find(const struct wl_metric_catalog *catalog,
                                                     const char *name, size_t *base_length)
{
    const struct wl_metric_suffix *best = NULL;
    size_t length = strlen(name), best_length = 0;
    for (size_t i = 0; i < catalog->suffixes.count; i++) {
        const struct wl_metric_suffix *suffix = &catalog->suffixes.items[i];
        size_t suffix_length = strlen(suffix->suffix);
        if (suffix_length < length && suffix_length > best_length &&
            strcmp(name + length - suffix_length, suffix->suffix) == 0) {
            best = suffix;
            best_length = suffix_length;
        }
    }
    *base_length = length - best_length;
    return best;
}
