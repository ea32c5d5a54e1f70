#include "analyse/advise/rule_state.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/data_files.h"
#include "analyse/metric/sandbox.h"
#include "base/count.h"
#include "base/embedded.h"
#include "base/memory.h"

enum { deepest_result = 6, most_findings = 256, longest_text = 2000 };

static const char prelude[] = "prelude.lua"; /* functions that all rules share: global `advice` */

static const struct wl_sandbox_limits limits = {.instructions = 50000000,
                                                .live_bytes = 128 << 20,
                                                .allocated_bytes = 512 << 20,
                                                .is_contained = true};

struct wl_rule_state {
    struct wl_sandbox *sandbox;
    int functions; /* registry: rules' ids to their functions */
    int methods;   /* registry: metatable of metrics */
    struct {
        const struct wl_report_launch *launch;
        int table; /* registry: what rules see of it */
    } current;     /* the launch seen last */
    char missing[512];
};

/* Raised where a rule asks for an absent metric; its address is all that counts. */
static char absent_signal;

/* ---- metrics ---- */

static const struct wl_metric_value *ask(lua_State *lua, struct wl_rule_state **state)
{
    struct wl_metric_set **set = lua_touserdata(lua, 1);
    *state = lua_touserdata(lua, lua_upvalueindex(1));
    if (lua_type(lua, 2) != LUA_TSTRING)
        luaL_error(lua, "metrics are asked for by name");
    return wl_metric_get(*set, lua_tostring(lua, 2));
}

static int push_value(lua_State *lua, const struct wl_metric_value *value)
{
    if (value->text)
        lua_pushstring(lua, value->text);
    else
        lua_pushnumber(lua, value->number);
    return 1;
}

/* launch.m["name"]: the value; ends the rule where it is absent. */
static int metric_index(lua_State *lua)
{
    struct wl_rule_state *state = NULL;
    const struct wl_metric_value *value = ask(lua, &state);
    if (value->is_present)
        return push_value(lua, value);
    snprintf(state->missing, sizeof state->missing, "%s", value->name);
    lua_pushlightuserdata(lua, &absent_signal);
    return lua_error(lua);
}

/* launch.m("name"): the value, or nil and why it is absent. */
static int metric_call(lua_State *lua)
{
    struct wl_rule_state *state = NULL;
    const struct wl_metric_value *value = ask(lua, &state);
    if (value->is_present)
        return push_value(lua, value);
    lua_pushnil(lua);
    lua_pushstring(lua, value->reason);
    return 2;
}

static int metric_write(lua_State *lua)
{
    return luaL_error(lua, "metrics cannot be assigned");
}

static void push_metrics(struct wl_rule_state *state, struct wl_metric_set *set)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    struct wl_metric_set **place = lua_newuserdatauv(lua, sizeof(struct wl_metric_set *), 0);
    *place = set;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, state->methods);
    lua_setmetatable(lua, -2);
}

static void create_methods(struct wl_rule_state *state)
{
    static const struct luaL_Reg methods[] = {{"__index", metric_index},
                                              {"__call", metric_call},
                                              {"__newindex", metric_write},
                                              {NULL, NULL}};
    lua_State *lua = wl_sandbox_state(state->sandbox);
    lua_newtable(lua);
    lua_pushlightuserdata(lua, state);
    luaL_setfuncs(lua, methods, 1);
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    state->methods = luaL_ref(lua, LUA_REGISTRYINDEX);
}

/* ---- a launch ---- */

static void set_text(lua_State *lua, const char *field, const char *text)
{
    lua_pushstring(lua, text ? text : "");
    lua_setfield(lua, -2, field);
}

static void set_integer(lua_State *lua, const char *field, lua_Integer number)
{
    lua_pushinteger(lua, number);
    lua_setfield(lua, -2, field);
}

static void set_triple(lua_State *lua, const char *field, const uint32_t *triple)
{
    lua_createtable(lua, 3, 0);
    for (int i = 0; i < 3; i++) {
        lua_pushinteger(lua, triple[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    lua_setfield(lua, -2, field);
}

/* Leaves a metatable on the stack by which each count that the launch has is 0 in a table that does
 * not have it: most counts of most instructions. */
static void push_zeros(lua_State *lua, const struct wl_record_launch *record)
{
    lua_createtable(lua, 0, 2);
    lua_createtable(lua, 0, (int)record->instruction_value_name_count);
    for (size_t i = 0; i < record->instruction_value_name_count; i++) {
        lua_pushnumber(lua, 0);
        lua_setfield(lua, -2, record->instruction_value_names[i]);
    }
    lua_setfield(lua, -2, "__index");
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
}

/* Leaves a table of the launch's instructions on the stack: what they are, and every count under
 * its name; a count that was not kept is 0 where the launch has that name. */
static void push_instructions(lua_State *lua, const struct wl_report_launch *launch)
{
    const struct wl_record_launch *record = &launch->record;
    const struct wl_record_kernel *kernel = launch->kernel ? &launch->kernel->record : NULL;
    size_t count = kernel ? kernel->instruction_count : 0;
    push_zeros(lua, record);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        const struct wl_record_instruction *instruction = &kernel->instructions[i];
        lua_createtable(lua, 0, 8);
        set_integer(lua, "index", (lua_Integer)i + 1);
        set_integer(lua, "line", instruction->line);
        set_integer(lua, "column", instruction->column);
        set_text(lua, "text", instruction->text);
        set_text(lua, "opcode", instruction->opcode);
        set_text(lua, "pipe", instruction->pipe);
        set_text(lua, "file", instruction->file);
        lua_pushvalue(lua, -3);
        lua_setmetatable(lua, -2);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_remove(lua, -2);
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        if (value->instruction >= count || value->name >= record->instruction_value_name_count)
            continue;
        lua_rawgeti(lua, -1, (lua_Integer)value->instruction + 1);
        lua_pushnumber(lua, value->value);
        lua_setfield(lua, -2, record->instruction_value_names[value->name]);
        lua_pop(lua, 1);
    }
}

static bool is_label_character(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || strchr("_$%", character);
}

/* Length of the label that a line of PTX begins with, 0 if with none. */
static size_t label_length(const char *line)
{
    size_t length = 0;
    while (line[length] != '\0' && is_label_character(line[length]))
        length++;
    return line[length] == ':' ? length : 0;
}

/* Leaves a table on the stack: each label of the kernel, and the instruction that follows it. */
static void push_labels(lua_State *lua, const struct wl_report_launch *launch)
{
    const struct wl_report_kernel *kernel = launch->kernel;
    const char *at = kernel ? kernel->module.text : NULL;
    size_t next = 0, count = kernel ? kernel->record.instruction_count : 0;
    lua_newtable(lua);
    for (uint32_t line = 1; at && *at && next < count; line++) {
        while (next < count && kernel->record.instructions[next].text_line < line)
            next++;
        bool is_within = count > 0 && line >= kernel->record.instructions[0].text_line;
        const char *begin = at + strspn(at, " \t");
        size_t length = is_within ? label_length(begin) : 0;
        if (length > 0 && next < count) {
            lua_pushlstring(lua, begin, length);
            lua_pushinteger(lua, (lua_Integer)next + 1);
            lua_rawset(lua, -3);
        }
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
}

/* launch.instructions and launch.labels: made when first asked for. */
static int launch_index(lua_State *lua)
{
    const struct wl_report_launch *launch = lua_touserdata(lua, lua_upvalueindex(1));
    const char *field = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
    if (strcmp(field, "instructions") == 0)
        push_instructions(lua, launch);
    else if (strcmp(field, "labels") == 0)
        push_labels(lua, launch);
    else
        return 0;
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, -2);
    lua_rawset(lua, 1);
    return 1;
}

static void push_launch(struct wl_rule_state *state, const struct wl_rule_subject *subject)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    const struct wl_report_launch *launch = subject->launch;
    const struct wl_record_kernel *kernel = launch->kernel ? &launch->kernel->record : NULL;
    lua_newtable(lua);
    set_integer(lua, "id", launch->key);
    set_text(lua, "kernel", kernel ? kernel->function : "");
    set_text(lua, "demangled", kernel ? kernel->demangled : "");
    set_text(lua, "range", launch->record.range);
    set_integer(lua, "stream", launch->record.stream_id);
    lua_pushboolean(lua, launch->kernel && launch->kernel->module.is_stand_in);
    lua_setfield(lua, -2, "is_stand_in");
    lua_pushboolean(lua, launch->record.status == WL_LAUNCH_FAILED);
    lua_setfield(lua, -2, "is_failed");
    set_triple(lua, "grid", launch->record.grid);
    set_triple(lua, "block", launch->record.block);
    push_metrics(state, subject->set);
    lua_setfield(lua, -2, "m");
    lua_createtable(lua, 0, 1);
    lua_pushlightuserdata(lua, (void *)launch);
    lua_pushcclosure(lua, launch_index, 1);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
}

/* The launch's table, kept for the rules that follow. */
static void push_current(struct wl_rule_state *state, const struct wl_rule_subject *subject)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    if (state->current.launch != subject->launch) {
        luaL_unref(lua, LUA_REGISTRYINDEX, state->current.table);
        push_launch(state, subject);
        state->current.table = luaL_ref(lua, LUA_REGISTRYINDEX);
        state->current.launch = subject->launch;
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, state->current.table);
}

static void push_program(struct wl_rule_state *state, const struct wl_rule_subject *subjects,
                         size_t count)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    lua_createtable(lua, 0, 1);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        push_launch(state, &subjects[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "launches");
}

/* ---- results ---- */

static json_t *text_to_json(lua_State *lua, int index)
{
    size_t length = 0;
    const char *text = lua_tolstring(lua, index, &length);
    json_t *string = json_stringn(text, length < longest_text ? length : longest_text);
    return string ? string : json_string("(text that is no UTF-8)");
}

static json_t *value_to_json(lua_State *lua, int index, int depth);

/* Where a finding points to: an instruction or a line of the launch, of which the rest is not
 * wanted. */
static json_t *place_to_json(lua_State *lua, int index)
{
    static const char *const fields[] = {"file", "line", "column", "index"};
    json_t *place = json_object();
    for (size_t i = 0; i < WL_COUNT(fields); i++) {
        int type = lua_getfield(lua, index, fields[i]);
        if (type == LUA_TSTRING)
            json_object_set_new(place, fields[i], text_to_json(lua, -1));
        else if (type == LUA_TNUMBER && lua_isinteger(lua, -1))
            json_object_set_new(place, fields[i], json_integer(lua_tointeger(lua, -1)));
        lua_pop(lua, 1);
    }
    return place;
}

static json_t *table_to_json(lua_State *lua, int index, int depth)
{
    size_t length = lua_rawlen(lua, index);
    if (length > most_findings)
        length = most_findings;
    if (length > 0) {
        json_t *array = json_array();
        for (size_t i = 1; i <= length; i++) {
            lua_rawgeti(lua, index, (lua_Integer)i);
            json_array_append_new(array, value_to_json(lua, lua_gettop(lua), depth + 1));
            lua_pop(lua, 1);
        }
        return array;
    }
    json_t *object = json_object();
    lua_pushnil(lua);
    while (lua_next(lua, index) != 0) {
        if (lua_type(lua, -2) == LUA_TSTRING) {
            const char *key = lua_tostring(lua, -2);
            bool is_place = strcmp(key, "at") == 0 && lua_istable(lua, -1);
            json_object_set_new(object, key,
                                is_place ? place_to_json(lua, lua_gettop(lua))
                                         : value_to_json(lua, lua_gettop(lua), depth + 1));
        }
        lua_pop(lua, 1);
    }
    return object;
}

static json_t *value_to_json(lua_State *lua, int index, int depth)
{
    if (depth > deepest_result || !lua_checkstack(lua, 8))
        return json_string("(too deep)");
    switch (lua_type(lua, index)) {
    case LUA_TSTRING:
        return text_to_json(lua, index);
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(lua, index));
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index))
            return json_integer(lua_tointeger(lua, index));
        return isfinite(lua_tonumber(lua, index)) ? json_real(lua_tonumber(lua, index))
                                                  : json_null();
    case LUA_TTABLE:
        return table_to_json(lua, index, depth);
    default:
        return json_null();
    }
}

/* What a call left on the stack, which is taken off. */
static json_t *take_result(struct wl_rule_state *state, int status)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    json_t *result = json_object();
    if (status == LUA_OK && lua_istable(lua, -1)) {
        json_t *findings = value_to_json(lua, lua_gettop(lua), 0);
        if (!json_is_array(findings) && json_object_size(findings) > 0) { /* a single one */
            json_t *list = json_array();
            json_array_append_new(list, findings);
            findings = list;
        }
        json_object_set_new(result, "findings", findings);
    } else if (status == LUA_OK && lua_isnil(lua, -1)) {
        json_object_set_new(result, "findings", json_array());
    } else if (status == LUA_OK) {
        json_object_set_new(result, "failed",
                            json_sprintf("it returns a %s, not a table of findings",
                                         lua_typename(lua, lua_type(lua, -1))));
    } else if (lua_touserdata(lua, -1) == &absent_signal) {
        json_object_set_new(result, "needs", json_string(state->missing));
    } else if (status == LUA_ERRMEM) {
        json_object_set_new(result, "failed", json_string("it uses more memory than it may"));
    } else if (lua_type(lua, -1) == LUA_TSTRING) {
        json_object_set_new(result, "failed", text_to_json(lua, -1));
    } else {
        json_object_set_new(result, "failed", json_string("it raises an error that is no text"));
    }
    lua_pop(lua, 1);
    return result;
}

/* Leaves a value of JSON on the stack. */
static void push_json(lua_State *lua, const json_t *value)
{
    const char *key;
    json_t *member;
    size_t index;
    luaL_checkstack(lua, 4, "facts");
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        lua_newtable(lua);
        json_object_foreach((json_t *)value, key, member)
        {
            push_json(lua, member);
            lua_setfield(lua, -2, key);
        }
        break;
    case JSON_ARRAY:
        lua_newtable(lua);
        json_array_foreach(value, index, member)
        {
            push_json(lua, member);
            lua_rawseti(lua, -2, (lua_Integer)index + 1);
        }
        break;
    case JSON_STRING:
        lua_pushstring(lua, json_string_value(value));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        lua_pushnumber(lua, json_number_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        lua_pushboolean(lua, json_is_true(value));
        break;
    }
}

json_t *wl_rule_state_apply(struct wl_rule_state *state, const struct wl_rule *rule,
                            const struct wl_rule_subject *subjects, size_t count,
                            const json_t *trace)
{
    lua_State *lua = wl_sandbox_state(state->sandbox);
    bool is_of_all = rule->is_of_program || rule->is_of_trace;
    for (size_t i = 0; i < rule->need_count && !is_of_all; i++)
        if (!wl_metric_get(subjects[0].set, rule->needs[i])->is_present)
            return json_pack("{s:s}", "needs", rule->needs[i]);
    /* of a library's kernel only what bounds it is said, as the user cannot change it; nothing
     * where the time is that of another kernel than what was counted */
    bool is_fixed =
        !is_of_all && subjects[0].launch->kernel && subjects[0].launch->kernel->module.is_stand_in;
    const bool is_library_time =
        is_fixed && wl_report_attribute(subjects[0].launch, "launch__is_library_time") != NULL;
    if (is_fixed && (is_library_time || strcmp(rule->stage, "bound") != 0))
        return json_pack("{s:[]}", "findings");
    lua_rawgeti(lua, LUA_REGISTRYINDEX, state->functions);
    lua_getfield(lua, -1, rule->id);
    lua_remove(lua, -2);
    if (rule->is_of_trace)
        push_json(lua, trace);
    else if (rule->is_of_program)
        push_program(state, subjects, count);
    else
        push_current(state, &subjects[0]);
    return take_result(state, wl_sandbox_call(state->sandbox, 1, 1));
}

/* ---- loading ---- */

/* Keeps the function of the rule on top of the stack, if it is one. */
static void keep_function(struct wl_rule_state *state, lua_State *lua)
{
    if (!lua_istable(lua, -1))
        return;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, state->functions);
    bool is_rule = lua_getfield(lua, -2, "id") == LUA_TSTRING;
    is_rule &= lua_getfield(lua, -3, "apply") == LUA_TFUNCTION;
    if (is_rule)
        lua_rawset(lua, -3);
    else
        lua_pop(lua, 2);
    lua_pop(lua, 1);
}

static enum wl_code use_file(void *self, lua_State *lua, const char *file, struct wl_error *error)
{
    (void)error;
    struct wl_rule_state *state = self;
    if (strcmp(file, prelude) == 0) {
        lua_pushvalue(lua, -1);
        lua_setglobal(lua, "advice");
        return WL_OK;
    }
    keep_function(state, lua);
    size_t count = lua_rawlen(lua, -1);
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(lua, -1, (lua_Integer)i);
        keep_function(state, lua);
        lua_pop(lua, 1);
    }
    return WL_OK;
}

enum wl_code wl_rule_state_create(const char *folder, bool (*when_read)(void),
                                  struct wl_rule_state **state, struct wl_error *error)
{
    struct wl_rule_state *created = wl_alloc_zero(1, sizeof *created);
    created->sandbox = wl_sandbox_create(&limits);
    lua_State *lua = wl_sandbox_state(created->sandbox);
    created->current.table = LUA_NOREF;
    lua_newtable(lua);
    created->functions = luaL_ref(lua, LUA_REGISTRYINDEX);
    create_methods(created);
    enum wl_code code = wl_data_files_run_read(created->sandbox, wl_embedded_rules, folder,
                                               when_read, use_file, created, error);
    if (code != WL_OK) {
        wl_rule_state_free(created);
        created = NULL;
    }
    *state = created;
    return code;
}

void wl_rule_state_free(struct wl_rule_state *state)
{
    if (!state)
        return;
    wl_sandbox_free(state->sandbox);
    free(state);
}
