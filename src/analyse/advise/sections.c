#include "analyse/advise/sections.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/metric/data_files.h"
#include "base/arena.h"
#include "base/memory.h"

struct section_list {
    WL_VECTOR_FIELDS(struct wl_section);
};

struct wl_sections {
    struct section_list list;
    struct wl_arena arena;
};

static const struct wl_data_field section_fields[] = {
    {"identifier", LUA_TSTRING},  {"name", LUA_TSTRING},
    {"description", LUA_TSTRING}, {"absent", LUA_TSTRING},
    {"order", LUA_TNUMBER},       {"sets", LUA_TTABLE},
    {"metrics", LUA_TTABLE},      {"tables", LUA_TTABLE},
    {"remarks", LUA_TTABLE},      {NULL, 0},
};
static const struct wl_data_field table_fields[] = {
    {"name", LUA_TSTRING}, {"columns", LUA_TTABLE}, {"rows", LUA_TTABLE}, {NULL, 0}};

/* What is being read, for messages. */
struct reading {
    struct wl_sections *sections;
    lua_State *lua;
    const char *file, *identifier;
    struct wl_error *error;
};

static enum wl_code refuse(const struct reading *reading, const char *what)
{
    return wl_error_set(reading->error, WL_ERR_CORRUPT, "%s: section %s: %s", reading->file,
                        reading->identifier, what);
}

/* The array of texts on top of the stack. An empty text gives NULL. */
static enum wl_code read_texts(const struct reading *reading, size_t first, const char ***texts,
                               size_t *count)
{
    lua_State *lua = reading->lua;
    size_t length = lua_rawlen(lua, -1);
    *count = length >= first ? length - first + 1 : 0;
    *texts = wl_arena_array(&reading->sections->arena, *count, sizeof **texts);
    for (size_t i = 0; i < *count; i++) {
        bool is_text = lua_rawgeti(lua, -1, (lua_Integer)(first + i)) == LUA_TSTRING;
        size_t size = 0;
        const char *text = is_text ? lua_tolstring(lua, -1, &size) : NULL;
        if (size > 0)
            (*texts)[i] = wl_arena_string(&reading->sections->arena, text, size);
        lua_pop(lua, 1);
        if (!is_text)
            return refuse(reading, "a list holds something that is not a text");
    }
    return WL_OK;
}

static enum wl_code read_text_list(const struct reading *reading, const char *field,
                                   const char ***texts, size_t *count)
{
    enum wl_code code = WL_OK;
    *count = 0;
    if (lua_getfield(reading->lua, -1, field) == LUA_TTABLE)
        code = read_texts(reading, 1, texts, count);
    lua_pop(reading->lua, 1);
    for (size_t i = 0; code == WL_OK && i < *count; i++)
        if (!(*texts)[i])
            code = refuse(reading, "a list holds an empty text");
    return code;
}

/* {"Label", "metric"} */
static enum wl_code read_metric(const struct reading *reading, struct wl_section_metric *metric)
{
    const char **texts = NULL;
    size_t count = 0;
    enum wl_code code = read_texts(reading, 1, &texts, &count);
    if (code != WL_OK)
        return code;
    if (count != 2 || !texts[0] || !texts[1])
        return refuse(reading, "a metric must be {\"Label\", \"name\"}");
    *metric = (struct wl_section_metric){texts[0], texts[1]};
    return WL_OK;
}

/* {"Label", "metric of column 1", "", ...} */
static enum wl_code read_row(const struct reading *reading, struct wl_section_table *table,
                             struct wl_section_row *row)
{
    const char **label = NULL;
    size_t count = 0;
    enum wl_code code = read_texts(reading, 1, &label, &count);
    if (code != WL_OK)
        return code;
    if (count != table->column_count + 1 || !label[0])
        return refuse(reading, "a row must have a label and a text for each column");
    *row = (struct wl_section_row){label[0], label + 1};
    return WL_OK;
}

static enum wl_code read_table(const struct reading *reading, struct wl_section_table *table)
{
    lua_State *lua = reading->lua;
    enum wl_code code = wl_data_fields_check(lua, -1, table_fields, reading->file,
                                             reading->identifier, reading->error);
    if (code != WL_OK)
        return code;
    table->name = wl_data_field_text(lua, -1, "name", &reading->sections->arena);
    code = read_text_list(reading, "columns", &table->columns, &table->column_count);
    if (code != WL_OK)
        return code;
    if (!table->name || table->column_count == 0)
        return refuse(reading, "a table needs a name and columns");
    if (lua_getfield(lua, -1, "rows") == LUA_TTABLE) {
        table->row_count = lua_rawlen(lua, -1);
        table->rows =
            wl_arena_array(&reading->sections->arena, table->row_count, sizeof *table->rows);
        for (size_t i = 0; i < table->row_count && code == WL_OK; i++) {
            code = lua_rawgeti(lua, -1, (lua_Integer)(i + 1)) == LUA_TTABLE
                       ? read_row(reading, table, &table->rows[i])
                       : refuse(reading, "a row is not a table");
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
    return code;
}

static enum wl_code read_metrics(const struct reading *reading, struct wl_section *section)
{
    lua_State *lua = reading->lua;
    enum wl_code code = WL_OK;
    if (lua_getfield(lua, -1, "metrics") == LUA_TTABLE) {
        section->metric_count = lua_rawlen(lua, -1);
        section->metrics = wl_arena_array(&reading->sections->arena, section->metric_count,
                                          sizeof *section->metrics);
        for (size_t i = 0; i < section->metric_count && code == WL_OK; i++) {
            code = lua_rawgeti(lua, -1, (lua_Integer)(i + 1)) == LUA_TTABLE
                       ? read_metric(reading, &section->metrics[i])
                       : refuse(reading, "a metric must be {\"Label\", \"name\"}");
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
    return code;
}

static enum wl_code read_tables(const struct reading *reading, struct wl_section *section)
{
    lua_State *lua = reading->lua;
    enum wl_code code = WL_OK;
    if (lua_getfield(lua, -1, "tables") == LUA_TTABLE) {
        section->table_count = lua_rawlen(lua, -1);
        section->tables = wl_arena_array(&reading->sections->arena, section->table_count,
                                         sizeof *section->tables);
        for (size_t i = 0; i < section->table_count && code == WL_OK; i++) {
            code = lua_rawgeti(lua, -1, (lua_Integer)(i + 1)) == LUA_TTABLE
                       ? read_table(reading, &section->tables[i])
                       : refuse(reading, "a table of 'tables' is not a table");
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
    return code;
}

static void put_section(struct section_list *list, const struct wl_section *section)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].identifier, section->identifier) == 0) {
            list->items[i] = *section;
            return;
        }
    }
    WL_PUSH(list, *section);
}

static enum wl_code read_section(struct reading *reading)
{
    lua_State *lua = reading->lua;
    struct wl_arena *arena = &reading->sections->arena;
    enum wl_code code =
        wl_data_fields_check(lua, -1, section_fields, reading->file, "section", reading->error);
    if (code != WL_OK)
        return code;
    struct wl_section section = {
        .identifier = wl_data_field_text(lua, -1, "identifier", arena),
        .name = wl_data_field_text(lua, -1, "name", arena),
        .description = wl_data_field_text(lua, -1, "description", arena),
        .absent = wl_data_field_text(lua, -1, "absent", arena),
    };
    reading->identifier = section.identifier ? section.identifier : "";
    if (!section.identifier || !section.name)
        return refuse(reading, "needs an identifier and a name");
    section.description = section.description ? section.description : "";
    lua_getfield(lua, -1, "order");
    section.order = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    code = read_text_list(reading, "sets", &section.sets, &section.set_count);
    if (code == WL_OK)
        code = read_text_list(reading, "remarks", &section.remarks, &section.remark_count);
    if (code == WL_OK)
        code = read_metrics(reading, &section);
    if (code == WL_OK)
        code = read_tables(reading, &section);
    if (code == WL_OK)
        put_section(&reading->sections->list, &section);
    return code;
}

static enum wl_code use_file(void *self, lua_State *lua, const char *file, struct wl_error *error)
{
    struct reading reading = {.sections = self, .lua = lua, .file = file, .error = error};
    bool is_section = lua_getfield(lua, -1, "identifier") != LUA_TNIL;
    lua_pop(lua, 1);
    if (is_section)
        return read_section(&reading);
    /* a list of sections, or the rows of the catalog */
    enum wl_code code = WL_OK;
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count && code == WL_OK; i++) {
        if (lua_rawgeti(lua, -1, (lua_Integer)i) == LUA_TTABLE) {
            is_section = lua_getfield(lua, -1, "identifier") != LUA_TNIL;
            lua_pop(lua, 1);
            if (is_section)
                code = read_section(&reading);
        }
        lua_pop(lua, 1);
    }
    return code;
}

static int by_order(const void *left, const void *right)
{
    const struct wl_section *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->identifier, b->identifier);
}

/* The section's metrics, as members of a group. */
static void add_members(struct wl_metric_catalog *catalog, const struct wl_section *section,
                        const char *name)
{
    char *word = wl_string_format("group:%s", name);
    for (size_t i = 0; i < section->metric_count; i++)
        wl_metric_group_add(catalog, word, section->metrics[i].metric);
    for (size_t t = 0; t < section->table_count; t++) {
        const struct wl_section_table *table = &section->tables[t];
        for (size_t i = 0; i < table->row_count * table->column_count; i++) {
            const char *metric =
                table->rows[i / table->column_count].metrics[i % table->column_count];
            if (metric && *metric)
                wl_metric_group_add(catalog, word, metric);
        }
    }
    free(word);
}

/* A section's metrics stand under its identifier and under the sets that it is in. */
static void add_groups(struct wl_metric_catalog *catalog, const struct wl_sections *sections)
{
    for (size_t i = 0; i < sections->list.count; i++) {
        const struct wl_section *section = &sections->list.items[i];
        add_members(catalog, section, section->identifier);
        for (size_t j = 0; j < section->set_count; j++)
            add_members(catalog, section, section->sets[j]);
    }
}

enum wl_code wl_sections_load(struct wl_metric_catalog *catalog, const char *folder,
                              struct wl_sections **sections, struct wl_error *error)
{
    struct wl_sections *loaded = wl_alloc_zero(1, sizeof *loaded);
    enum wl_code code = wl_data_files_run(wl_metric_sandbox(catalog), wl_embedded_sections, folder,
                                          use_file, loaded, error);
    if (code != WL_OK) {
        wl_sections_free(loaded);
        loaded = NULL;
    } else if (loaded->list.count > 0) {
        qsort(loaded->list.items, loaded->list.count, sizeof *loaded->list.items, by_order);
        add_groups(catalog, loaded);
    }
    *sections = loaded;
    return code;
}

void wl_sections_free(struct wl_sections *sections)
{
    if (!sections)
        return;
    free(sections->list.items);
    wl_arena_free(&sections->arena);
    free(sections);
}

const struct wl_section *wl_sections_all(const struct wl_sections *sections, size_t *count)
{
    *count = sections->list.count;
    return sections->list.items;
}

const struct wl_section *wl_sections_find(const struct wl_sections *sections,
                                          const char *identifier)
{
    for (size_t i = 0; i < sections->list.count; i++)
        if (strcmp(sections->list.items[i].identifier, identifier) == 0)
            return &sections->list.items[i];
    return NULL;
}
