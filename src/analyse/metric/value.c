#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "analyse/metric/catalog.h"
#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/memory.h"

struct entry {
    struct wl_metric_value value; /* its strings are the entry's, the catalog's or the report's */
    char *name, *text, *reason;   /* owned; NULL where not needed */
    bool is_computing;
    UT_hash_handle hh;
};

/* A formula under way: what it has asked for so far. */
struct frame {
    enum wl_mark mark;
    char missing[512]; /* why a metric that it asked for is absent */
    struct frame *outer;
};

struct wl_metric_set {
    struct wl_metric_catalog *catalog;
    const struct wl_report_launch *launch;
    struct entry *entries;
    struct frame *frame;
    WL_VECTOR(const struct wl_metric_value *) list;
    bool is_listed;
};

/* Raised where a formula asks for an absent metric; its address is all that counts. */
static char absent_signal;

/* ---- facts that every launch record has ---- */

static double grid_size(const struct wl_record_launch *launch)
{
    return (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
}
static double block_size(const struct wl_record_launch *launch)
{
    return (double)launch->block[0] * launch->block[1] * launch->block[2];
}
static double thread_count(const struct wl_record_launch *launch)
{
    return grid_size(launch) * block_size(launch);
}
static double shared_dynamic(const struct wl_record_launch *launch)
{
    return (double)launch->shared_dynamic_bytes;
}

#define FACT(function, expression)                                \
    static double function(const struct wl_record_launch *launch) \
    {                                                             \
        return expression;                                        \
    }
FACT(grid_x, launch->grid[0])
FACT(grid_y, launch->grid[1])
FACT(grid_z, launch->grid[2])
FACT(block_x, launch->block[0])
FACT(block_y, launch->block[1])
FACT(block_z, launch->block[2])
FACT(context_id, launch->context_id)
FACT(stream_id, launch->stream_id)
FACT(device_id, launch->device_id)
#undef FACT

static const struct fact {
    const char *name;
    double (*read)(const struct wl_record_launch *launch);
    bool is_of_shape; /* of one launch */
} facts[] = {
    {"launch__block_dim_x", block_x, true},
    {"launch__block_dim_y", block_y, true},
    {"launch__block_dim_z", block_z, true},
    {"launch__block_size", block_size, true},
    {"launch__context_id", context_id, false},
    {"launch__device_id", device_id, false},
    {"launch__grid_dim_x", grid_x, true},
    {"launch__grid_dim_y", grid_y, true},
    {"launch__grid_dim_z", grid_z, true},
    {"launch__grid_size", grid_size, true},
    {"launch__shared_mem_per_block_dynamic", shared_dynamic, true},
    {"launch__stream_id", stream_id, true},
    {"launch__thread_count", thread_count, true},
};
enum { fact_count = WL_COUNT(facts) };

/* ---- one value ---- */

static void set_absent(struct entry *entry, char *reason)
{
    free(entry->reason);
    entry->reason = reason;
    entry->value.is_present = false;
    entry->value.reason = reason;
}

static void set_number(struct entry *entry, double number, enum wl_mark mark)
{
    if (!isfinite(number)) {
        set_absent(entry, wl_string_copy("the result is no finite number"));
        return;
    }
    entry->value.is_present = true;
    entry->value.number = number;
    entry->value.mark = mark;
}

/* What the launch record holds under this name, without any formula. */
static bool read_record(struct wl_metric_set *set, struct entry *entry,
                        const struct wl_metric_row *row)
{
    double number = 0;
    enum wl_mark mark = WL_MARK_EXACT;
    if (wl_report_value(set->launch, entry->name, &number, &mark)) {
        set_number(entry, number, mark);
        return true;
    }
    enum wl_mark fact_mark = row && row->kind == WL_METRIC_VALUE ? row->mark : WL_MARK_EXACT;
    const struct wl_record_attribute *attribute = wl_report_attribute(set->launch, entry->name);
    if (attribute && attribute->text) {
        entry->value.is_present = true;
        entry->value.text = attribute->text;
        entry->value.mark = fact_mark;
        return true;
    }
    if (attribute) {
        set_number(entry, attribute->number, fact_mark);
        return true;
    }
    bool is_range = set->launch->record.grid[0] == 0; /* of many launches */
    bool may_be_fact = strncmp(entry->name, "launch__", strlen("launch__")) == 0;
    for (size_t i = 0; i < fact_count && may_be_fact; i++) {
        if (strcmp(facts[i].name, entry->name) == 0 && !(is_range && facts[i].is_of_shape)) {
            set_number(entry, facts[i].read(&set->launch->record), WL_MARK_EXACT);
            return true;
        }
    }
    return false;
}

/* Why a name that counting PTX cannot give is absent: what the collector's row says, else reason.
 */
static char *absent_reason(const struct wl_report_launch *launch, const char *reason)
{
    const struct wl_collector_facts *facts = wl_report_collector(launch);
    bool is_asked = facts->absent[0] && launch->record.status != WL_LAUNCH_FAILED;
    return wl_string_copy(is_asked ? facts->absent : reason);
}

static char *not_given_reason(const struct wl_report_launch *launch)
{
    if (launch->record.status == WL_LAUNCH_FAILED)
        return wl_string_copy("the launch failed");
    const char *collector = launch->process ? launch->process->record.collector : NULL;
    return wl_string_format("not given by the collector%s%s", collector ? " " : "",
                            collector ? collector : "");
}

/* Reads what a formula left on the stack: a result, and why it is nil. */
static void take_result(lua_State *lua, struct entry *entry, enum wl_mark mark)
{
    if (lua_type(lua, -2) == LUA_TNUMBER) {
        set_number(entry, lua_tonumber(lua, -2), mark);
    } else if (lua_type(lua, -2) == LUA_TSTRING) {
        entry->text = wl_string_copy(lua_tostring(lua, -2));
        entry->value.is_present = true;
        entry->value.text = entry->text;
        entry->value.mark = mark;
    } else if (lua_isnil(lua, -2)) {
        const char *reason = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
        set_absent(entry, wl_string_copy(reason ? reason : "its formula gives nothing here"));
    } else {
        set_absent(entry, wl_string_format("its formula gives a %s, not a number",
                                           lua_typename(lua, lua_type(lua, -2))));
    }
}

static void run_formula(struct wl_metric_set *set, struct entry *entry, int formula,
                        enum wl_mark least, const char *base)
{
    struct wl_metric_catalog *catalog = set->catalog;
    lua_State *lua = wl_sandbox_state(catalog->sandbox);
    if (!lua_checkstack(lua, 8)) {
        set_absent(entry, wl_string_copy("formulas are nested too deeply"));
        return;
    }
    struct frame frame = {.mark = least, .outer = set->frame};
    struct wl_metric_set *outer = catalog->current;
    set->frame = &frame;
    catalog->current = set;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, formula);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, catalog->proxy);
    if (base)
        lua_pushstring(lua, base);
    int status = wl_sandbox_call(catalog->sandbox, base ? 2 : 1, 2);
    catalog->current = outer;
    set->frame = frame.outer;
    if (status == LUA_OK) {
        take_result(lua, entry, frame.mark);
        lua_pop(lua, 2);
        return;
    }
    if (lua_touserdata(lua, -1) == &absent_signal)
        set_absent(entry, wl_string_copy(frame.missing));
    else if (status == LUA_ERRMEM)
        set_absent(entry, wl_string_copy("its formula uses more memory than it may"));
    else
        set_absent(entry,
                   wl_string_format("its formula failed: %s", lua_type(lua, -1) == LUA_TSTRING
                                                                  ? lua_tostring(lua, -1)
                                                                  : "an error that is no text"));
    lua_pop(lua, 1);
}

static bool is_base_known(struct wl_metric_set *set, const char *base)
{
    static const char *const totals[] = {".sum", ".ratio", ".pct", ".avg", ""};
    for (size_t i = 0; i < WL_COUNT(totals); i++) {
        char *name = wl_string_format("%s%s", base, totals[i]);
        bool is_known = wl_metric_find(set->catalog, name) ||
                        wl_report_value(set->launch, name, &(double){0}, &(enum wl_mark){0});
        free(name);
        if (is_known)
            return true;
    }
    return false;
}

static void compute_suffix(struct wl_metric_set *set, struct entry *entry)
{
    size_t length = 0;
    const struct wl_metric_suffix *suffix =
        wl_metric_suffix_find(set->catalog, entry->name, &length);
    char *base = wl_string_copy_length(entry->name, length);
    if (!suffix || !is_base_known(set, base)) {
        set_absent(entry, wl_string_copy("unknown metric"));
    } else if (suffix->formula == LUA_NOREF) {
        set_absent(entry, absent_reason(set->launch, suffix->reason));
    } else {
        char *total = wl_string_format("%s.sum", base);
        const struct wl_metric_row *row = wl_metric_find(set->catalog, total);
        entry->value.unit = suffix->unit ? suffix->unit : row ? row->unit : "";
        entry->value.description = row ? row->description : "";
        free(total);
        run_formula(set, entry, suffix->formula, WL_MARK_EXACT, base);
    }
    free(base);
}

static void compute(struct wl_metric_set *set, struct entry *entry)
{
    const struct wl_metric_row *row = wl_metric_find(set->catalog, entry->name);
    entry->value.name = entry->name;
    entry->value.unit = row ? row->unit : "";
    entry->value.description = row ? row->description : "";
    if (row && row->kind == WL_METRIC_ALIAS) {
        entry->value = *wl_metric_get(set, row->alias_of);
        entry->value.name = entry->name;
        return;
    }
    if (read_record(set, entry, row))
        return;
    if (!row)
        compute_suffix(set, entry);
    else if (row->kind == WL_METRIC_FORMULA)
        run_formula(set, entry, row->formula, row->mark, NULL);
    else if (row->reason)
        set_absent(entry, absent_reason(set->launch, row->reason));
    else
        set_absent(entry, not_given_reason(set->launch));
}

const struct wl_metric_value *wl_metric_get(struct wl_metric_set *set, const char *name)
{
    struct entry *entry = NULL;
    HASH_FIND_STR(set->entries, name, entry);
    if (entry) {
        if (entry->is_computing)
            set_absent(entry, wl_string_format("the formula of %s needs itself", name));
        return &entry->value;
    }
    entry = wl_alloc_zero(1, sizeof *entry);
    entry->name = wl_string_copy(name);
    HASH_ADD_KEYPTR(hh, set->entries, entry->name, strlen(entry->name), entry);
    entry->is_computing = true;
    compute(set, entry);
    entry->is_computing = false;
    return &entry->value;
}

bool wl_metric_was_requested(const struct wl_metric_set *set, const char *name)
{
    const struct entry *entry = NULL;
    HASH_FIND_STR(set->entries, name, entry);
    return entry != NULL;
}

/* ---- what formulas see ---- */

static void push_value(lua_State *lua, const struct wl_metric_value *value)
{
    if (value->text)
        lua_pushstring(lua, value->text);
    else
        lua_pushnumber(lua, value->number);
}

static const struct wl_metric_value *ask(lua_State *lua, struct wl_metric_set **set)
{
    const struct wl_metric_catalog *catalog = lua_touserdata(lua, lua_upvalueindex(1));
    if (lua_type(lua, 2) != LUA_TSTRING)
        luaL_error(lua, "metrics are asked for by name");
    if (!catalog->current)
        luaL_error(lua, "metrics can be asked for only within a formula");
    *set = catalog->current;
    const struct wl_metric_value *value = wl_metric_get(*set, lua_tostring(lua, 2));
    if (value->is_present && value->mark > (*set)->frame->mark)
        (*set)->frame->mark = value->mark;
    return value;
}

/* m["name"]: the value; ends the formula where it is absent. */
static int proxy_index(lua_State *lua)
{
    struct wl_metric_set *set = NULL;
    const struct wl_metric_value *value = ask(lua, &set);
    if (!value->is_present) {
        bool is_inner = strncmp(value->reason, "needs ", 6) == 0;
        snprintf(set->frame->missing, sizeof set->frame->missing, "%s%s%s%s",
                 is_inner ? "" : "needs ", is_inner ? "" : value->name, is_inner ? "" : ": ",
                 value->reason);
        lua_pushlightuserdata(lua, &absent_signal);
        return lua_error(lua);
    }
    push_value(lua, value);
    return 1;
}

/* m("name"): the value, or nil where it is absent. */
static int proxy_call(lua_State *lua)
{
    struct wl_metric_set *set = NULL;
    const struct wl_metric_value *value = ask(lua, &set);
    if (!value->is_present)
        return 0;
    push_value(lua, value);
    return 1;
}

static int proxy_write(lua_State *lua)
{
    return luaL_error(lua, "metrics cannot be assigned");
}

void wl_metric_proxy_create(struct wl_metric_catalog *catalog)
{
    static const struct luaL_Reg methods[] = {{"__index", proxy_index},
                                              {"__call", proxy_call},
                                              {"__newindex", proxy_write},
                                              {NULL, NULL}};
    lua_State *lua = wl_sandbox_state(catalog->sandbox);
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushlightuserdata(lua, catalog);
    luaL_setfuncs(lua, methods, 1);
    lua_setmetatable(lua, -2);
    catalog->proxy = luaL_ref(lua, LUA_REGISTRYINDEX);
}

/* ---- sets ---- */

struct wl_metric_set *wl_metric_set_create(struct wl_metric_catalog *catalog,
                                           const struct wl_report_launch *launch)
{
    struct wl_metric_set *set = wl_alloc_zero(1, sizeof *set);
    set->catalog = catalog;
    set->launch = launch;
    return set;
}

void wl_metric_set_free(struct wl_metric_set *set)
{
    if (!set)
        return;
    struct entry *entry, *next;
    HASH_ITER(hh, set->entries, entry, next)
    {
        HASH_DEL(set->entries, entry);
        free(entry->name);
        free(entry->text);
        free(entry->reason);
        free(entry);
    }
    free(set->list.items);
    free(set);
}

static void list_name(struct wl_metric_set *set, const char *name)
{
    const struct wl_metric_row *row = wl_metric_find(set->catalog, name);
    if (!row || !row->is_hidden)
        WL_PUSH(&set->list, wl_metric_get(set, name));
}

static void list_attributes(struct wl_metric_set *set, const struct wl_record_attribute *attributes,
                            size_t count)
{
    for (size_t i = 0; i < count; i++)
        list_name(set, attributes[i].name);
}

static int list_compare(const void *left, const void *right)
{
    const struct wl_metric_value *a = *(const struct wl_metric_value *const *)left;
    const struct wl_metric_value *b = *(const struct wl_metric_value *const *)right;
    if (a->is_present != b->is_present)
        return a->is_present ? -1 : 1;
    return strcmp(a->name, b->name);
}

const struct wl_metric_value *const *wl_metric_set_list(struct wl_metric_set *set, size_t *count)
{
    if (!set->is_listed) {
        set->is_listed = true;
        const struct wl_report_launch *launch = set->launch;
        for (size_t i = 0; i < launch->record.value_count; i++)
            list_name(set, launch->record.values[i].name);
        list_attributes(set, launch->record.attributes, launch->record.attribute_count);
        if (launch->kernel)
            list_attributes(set, launch->kernel->record.attributes,
                            launch->kernel->record.attribute_count);
        if (launch->device)
            list_attributes(set, launch->device->attributes, launch->device->attribute_count);
        for (size_t i = 0; i < fact_count; i++)
            list_name(set, facts[i].name);
        for (size_t i = 0; i < set->catalog->rows.count; i++)
            if (set->catalog->rows.items[i].kind == WL_METRIC_FORMULA)
                list_name(set, set->catalog->rows.items[i].name);
        if (set->list.count > 0)
            qsort(set->list.items, set->list.count, sizeof *set->list.items, list_compare);
        size_t kept = 0;
        for (size_t i = 0; i < set->list.count; i++)
            if (kept == 0 || set->list.items[kept - 1] != set->list.items[i])
                set->list.items[kept++] = set->list.items[i];
        set->list.count = kept;
    }
    *count = set->list.count;
    return set->list.items;
}
