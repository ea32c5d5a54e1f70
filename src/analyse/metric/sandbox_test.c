/* What data files in Lua may and may not do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "analyse/metric/sandbox.h"
#include "base/count.h"
#include "base/text.h"

static struct wl_sandbox *sandbox;

static int make(void **state)
{
    (void)state;
    sandbox = wl_sandbox_create(NULL);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    wl_sandbox_free(sandbox);
    return 0;
}

/* Runs text, which must fail with this message. */
static void fails(const char *text, const char *message)
{
    struct wl_error error = {0};
    int top = lua_gettop(wl_sandbox_state(sandbox));
    assert_int_equal(wl_sandbox_run(sandbox, "t.lua", text, strlen(text), &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, message);
    assert_string_equal(error.where, "t.lua");
    assert_int_equal(lua_gettop(wl_sandbox_state(sandbox)), top);
}

static double number_of(const char *text)
{
    struct wl_error error = {0};
    lua_State *lua = wl_sandbox_state(sandbox);
    if (wl_sandbox_run(sandbox, "t.lua", text, strlen(text), &error) != WL_OK)
        fail_msg("%s", error.message);
    double number = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    return number;
}

static void it_computes(void **state)
{
    (void)state;
    assert_true(number_of("return 6 * 7") == 42);
    assert_true(number_of("return math.sqrt(81) + #string.format('%03d', 5)") == 12);
    assert_true(number_of("local s = 0 for _, x in ipairs({1, 2, 3}) do s = s + x end return s") ==
                6);
}

static void nothing_leads_out(void **state)
{
    (void)state;
    static const char *const missing[] = {
        "io",          "os",           "debug",         "package",        "require",
        "load",        "loadstring",   "loadfile",      "dofile",         "collectgarbage",
        "pcall",       "xpcall",       "coroutine",     "setmetatable",   "getmetatable",
        "rawget",      "rawset",       "rawequal",      "print",          "warn",
        "utf8",        "_G",           "string.dump",   "string.rep",     "string.find",
        "string.gsub", "string.match", "string.gmatch", "table.move",     "table.sort",
        "math.random", "pairs",        "next",          "math.randomseed"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        char text[128];
        snprintf(text, sizeof text, "return %s == nil and 1 or 0", missing[i]);
        if (number_of(text) != 1)
            fail_msg("%s can be reached", missing[i]);
    }
    assert_true(number_of("return ('x').rep == nil and ('x').dump == nil and 1 or 0") == 1);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    fails("return 1 +", "t.lua:1: unexpected symbol near <eof>");
    fails("\nlocal x = nil\nreturn x.y", "t.lua:3: attempt to index a nil value (local 'x')");
    fails("error({})", "t.lua: raises an error that is no text");
    fails("error('no good', 0)", "t.lua: no good");
    fails("\x1bLua", "t.lua: attempt to load a binary chunk (mode is 't')");
}

static void loops_are_stopped(void **state)
{
    (void)state;
    fails("while true do end", "t.lua:1: stopped after 2000000 instructions");
    fails("local function f() return f() end return f()",
          "t.lua:1: stopped after 2000000 instructions");
    /* the next one starts afresh */
    assert_true(number_of("return 1") == 1);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    fails("local s = 'xxxxxxxx' while true do s = s .. s end",
          "t.lua: uses more memory than it may");
    fails("local t = {} while true do t[#t + 1] = {} end", "t.lua: uses more memory than it may");
    /* many short-lived strings: what they hold is small, what they ask for is not */
    fails("local s = '' for i = 1, 20000 do s = s .. 'xxxxxxxxxxxxxxxx' end",
          "t.lua: uses more memory than it may");
    fails("return table.unpack({}, 1, 1e7)", "t.lua:1: too many results to unpack");
    assert_true(number_of("return #('x' .. 'y')") == 2);
}

static void recursion_is_bounded(void **state)
{
    (void)state;
    fails("local function f() return 1 + f() end return f()",
          "t.lua: uses more memory than it may");
}

static double number_of_embedded(const char *text, const char *compiled, size_t compiled_bytes)
{
    const struct wl_embedded_file file = {"t.lua", text, strlen(text), compiled, compiled_bytes};
    struct wl_error error = {0};
    lua_State *lua = wl_sandbox_state(sandbox);
    if (wl_sandbox_run_embedded(sandbox, &file, &error) != WL_OK)
        fail_msg("%s", error.message);
    double number = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    assert_int_equal(lua_gettop(lua), 0);
    return number;
}

static int write_part(lua_State *lua, const void *part, size_t bytes, void *code)
{
    (void)lua;
    wl_text_add_bytes(code, part, bytes);
    return 0;
}

/* What was compiled runs where this Lua made it, and the text where another did, or one with other
 * numbers, or none. */
static void compiled_chunks_run_where_they_were_made(void **state)
{
    (void)state;
    struct wl_text code = {0};
    lua_State *lua = wl_sandbox_state(sandbox);
    wl_text_add_bytes(&code, lua_ident, strlen(lua_ident) + 1);
    assert_int_equal(luaL_loadbufferx(lua, "return 2", 8, "=t.lua", "t"), LUA_OK);
    assert_int_equal(lua_dump(lua, write_part, &code, 0), 0);
    lua_pop(lua, 1);
    assert_true(number_of_embedded("return 1", code.data, code.length) == 2);
    assert_true(number_of_embedded("return 1", NULL, 0) == 1);
    assert_true(number_of_embedded("return 1", code.data, 3) == 1);
    size_t format = strlen(lua_ident) + 1 + 4; /* behind ESC "Lua": the version */
    code.data[format]++;
    assert_true(number_of_embedded("return 1", code.data, code.length) == 1);
    code.data[format]--;
    code.data[14]++; /* of the name of the release */
    assert_true(number_of_embedded("return 1", code.data, code.length) == 1);
    wl_text_free(&code);
}

/* All that this program holds was compiled by the Lua that it runs with, and says the place of an
 * error as its text does. */
static void the_programs_files_are_compiled(void **state)
{
    (void)state;
    const struct wl_embedded_file *const tables[] = {wl_embedded_metrics, wl_embedded_sections,
                                                     wl_embedded_rules};
    for (size_t i = 0; i < WL_COUNT(tables); i++)
        for (const struct wl_embedded_file *file = tables[i]; file->name; file++) {
            assert_true(file->compiled_bytes > strlen(lua_ident) + 1);
            assert_string_equal(file->compiled, lua_ident);
            assert_non_null(
                memmem(file->compiled, file->compiled_bytes, file->name, strlen(file->name)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_computes, make, drop),
        cmocka_unit_test_setup_teardown(nothing_leads_out, make, drop),
        cmocka_unit_test_setup_teardown(mistakes_are_named, make, drop),
        cmocka_unit_test_setup_teardown(loops_are_stopped, make, drop),
        cmocka_unit_test_setup_teardown(memory_is_bounded, make, drop),
        cmocka_unit_test_setup_teardown(recursion_is_bounded, make, drop),
        cmocka_unit_test_setup_teardown(compiled_chunks_run_where_they_were_made, make, drop),
        cmocka_unit_test(the_programs_files_are_compiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
