#include "analyse/metric/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/metric/blocks.h"
#include "base/count.h"
#include "base/memory.h"

enum { hook_step = 100 };

struct wl_sandbox {
    lua_State *lua;
    struct wl_sandbox_limits limits;
    struct wl_blocks blocks;
    size_t live_bytes, allocated_bytes;
    uint64_t steps;
    unsigned depth;        /* calls under way; limits are held where it is not 0 */
    struct timespec begun; /* the call, on a clock that costs nothing to read */
    struct timespec cpu;   /* the thread's CPU time once that has passed, from where it counts */
    bool is_watched, is_out_of_time;
};

const struct wl_sandbox_limits wl_sandbox_default_limits = {
    .instructions = 2000000, .cpu_ms = 2000, .live_bytes = 16 << 20, .allocated_bytes = 64 << 20};

/* What a chunk may use. Left out on purpose: all that reads files or code, what could swallow the
 * error of a limit (pcall), and C functions whose time no instruction count bounds (patterns of
 * string.find, string.rep, table.move, table.sort). The order of pairs differs from run to run, as
 * would math.random. */
static const char *const kept_functions[] = {"assert",   "error",    "ipairs", "select",
                                             "tonumber", "tostring", "type",   NULL};
static const char *const kept_string[] = {"byte",  "char", "format", "len",
                                          "lower", "sub",  "upper",  NULL};
static const char *const kept_table[] = {"concat", "insert", "pack", "remove", "unpack", NULL};
/* and what only a contained one has */
static const char *const contained_string[] = {"find", "gmatch", "gsub", "match", "rep", NULL};
static const char *const contained_table[] = {"sort", NULL};
static const char *const kept_math[] = {"abs",  "ceil", "exp", "floor", "fmod",      "huge",
                                        "log",  "max",  "min", "modf",  "tointeger", "type",
                                        "sqrt", "ult",  "pi",  NULL};

static const struct library {
    const char *name;
    lua_CFunction open;
    const char *const *kept, *const *contained; /* contained: NULL if nothing */
} libraries[] = {
    {LUA_GNAME, luaopen_base, kept_functions, NULL},
    {LUA_STRLIBNAME, luaopen_string, kept_string, contained_string},
    {LUA_TABLIBNAME, luaopen_table, kept_table, contained_table},
    {LUA_MATHLIBNAME, luaopen_math, kept_math, NULL},
};

static void *allocate(void *self, void *block, size_t old_bytes, size_t new_bytes)
{
    struct wl_sandbox *sandbox = self;
    size_t had_bytes =
        block ? old_bytes : 0; /* old_bytes tells the kind of object if block is NULL */
    if (sandbox->depth > 0 && new_bytes > had_bytes) {
        size_t more_bytes = new_bytes - had_bytes;
        if (more_bytes > sandbox->limits.live_bytes ||
            sandbox->live_bytes > sandbox->limits.live_bytes - more_bytes ||
            more_bytes > sandbox->limits.allocated_bytes ||
            sandbox->allocated_bytes > sandbox->limits.allocated_bytes - more_bytes)
            return NULL;
        sandbox->allocated_bytes += more_bytes;
    }
    void *resized = wl_blocks_resize(&sandbox->blocks, block, had_bytes, new_bytes);
    if (!resized && new_bytes > 0)
        wl_memory_fail(new_bytes);
    sandbox->live_bytes += new_bytes;
    sandbox->live_bytes -= had_bytes;
    return resized;
}

static int64_t ms_since(clockid_t clock, const struct timespec *start)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

/* CPU time, so that a busy machine ends nothing; reading it is slow, so it is read only once that
 * much wall-clock time has passed. */
static bool is_out_of_time(struct wl_sandbox *sandbox)
{
    const int64_t limit_ms = sandbox->limits.cpu_ms;
    if (!limit_ms || ms_since(CLOCK_MONOTONIC_COARSE, &sandbox->begun) <= limit_ms)
        return false;
    if (!sandbox->is_watched)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &sandbox->cpu);
    sandbox->is_watched = true;
    return ms_since(CLOCK_THREAD_CPUTIME_ID, &sandbox->cpu) > limit_ms;
}

static void count_steps(lua_State *lua, lua_Debug *debug)
{
    (void)debug;
    void *self = NULL;
    lua_getallocf(lua, &self);
    struct wl_sandbox *sandbox = self;
    sandbox->steps += hook_step;
    if (sandbox->is_out_of_time || is_out_of_time(sandbox)) {
        sandbox->is_out_of_time = true;
        luaL_where(lua, 0);
        lua_pushfstring(lua, "stopped after %d ms of CPU time", (int)sandbox->limits.cpu_ms);
        lua_concat(lua, 2);
        lua_error(lua);
    }
    if (sandbox->steps <= sandbox->limits.instructions)
        return;
    luaL_where(lua, 0);
    lua_pushfstring(lua, "stopped after %I instructions",
                    (LUAI_UACINT)sandbox->limits.instructions);
    lua_concat(lua, 2);
    lua_error(lua);
}

/* Copies names of the table at -2 to the one on top. */
static void keep(lua_State *lua, const char *const *names)
{
    for (size_t i = 0; names && names[i]; i++) {
        lua_getfield(lua, -2, names[i]);
        lua_setfield(lua, -2, names[i]);
    }
}

static void open_libraries(lua_State *lua, bool is_contained)
{
    for (size_t i = 0; i < WL_COUNT(libraries); i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].open, 0);
        lua_newtable(lua);
        keep(lua, libraries[i].kept);
        keep(lua, is_contained ? libraries[i].contained : NULL);
        lua_remove(lua, -2);
        if (i == 0) {
            lua_rawseti(lua, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
            continue;
        }
        lua_pushglobaltable(lua);
        lua_pushvalue(lua, -2);
        lua_setfield(lua, -2, libraries[i].name);
        lua_pop(lua, 2);
    }
    /* ("x"):rep must not lead around the kept names */
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_pushglobaltable(lua);
    lua_getfield(lua, -1, LUA_STRLIBNAME);
    lua_setfield(lua, -3, "__index");
    lua_pop(lua, 3);
    /* the loaded libraries would hold the full tables */
    lua_pushnil(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}

struct wl_sandbox *wl_sandbox_create(const struct wl_sandbox_limits *limits)
{
    struct wl_sandbox *sandbox = wl_alloc_zero(1, sizeof *sandbox);
    sandbox->limits = limits ? *limits : wl_sandbox_default_limits;
    sandbox->lua = lua_newstate(allocate, sandbox);
    open_libraries(sandbox->lua, sandbox->limits.is_contained);
    lua_sethook(sandbox->lua, count_steps, LUA_MASKCOUNT, hook_step);
    return sandbox;
}

void wl_sandbox_free(struct wl_sandbox *sandbox)
{
    if (!sandbox)
        return;
    wl_blocks_free(
        &sandbox->blocks); /* of which Lua is a part: nothing in it needs an end of its own */
    free(sandbox);
}

lua_State *wl_sandbox_state(struct wl_sandbox *sandbox)
{
    return sandbox->lua;
}

int wl_sandbox_call(struct wl_sandbox *sandbox, int argument_count, int result_count)
{
    uint64_t outer_steps = sandbox->steps;
    size_t outer_bytes = sandbox->allocated_bytes;
    sandbox->steps = 0;
    sandbox->allocated_bytes = 0;
    if (sandbox->depth++ == 0) {
        clock_gettime(CLOCK_MONOTONIC_COARSE, &sandbox->begun);
        sandbox->is_watched = false;
    }
    int status = lua_pcall(sandbox->lua, argument_count, result_count, 0);
    sandbox->depth--;
    sandbox->steps = outer_steps;
    sandbox->allocated_bytes = outer_bytes;
    return status;
}

/* Runs the chunk on top of the stack; or says why there is none, if status is not LUA_OK. */
static enum wl_code run_loaded(struct wl_sandbox *sandbox, int status, const char *name,
                               struct wl_error *error)
{
    lua_State *lua = sandbox->lua;
    if (status == LUA_OK)
        status = wl_sandbox_call(sandbox, 0, 1);
    if (status == LUA_OK)
        return WL_OK;
    const char *message = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : NULL;
    if (status == LUA_ERRMEM)
        message = "uses more memory than it may";
    else if (!message)
        message = "raises an error that is no text";
    bool has_place = strncmp(message, name, strlen(name)) == 0; /* "NAME:3: ..." */
    wl_error_set(error, WL_ERR_CORRUPT, "%s%s%s", has_place ? "" : name, has_place ? "" : ": ",
                 message);
    wl_error_set_where(error, "%s", name);
    lua_pop(lua, 1);
    return WL_ERR_CORRUPT;
}

enum wl_code wl_sandbox_run(struct wl_sandbox *sandbox, const char *name, const char *text,
                            size_t length, struct wl_error *error)
{
    lua_State *lua = sandbox->lua;
    if (!lua_checkstack(lua, 8))
        return wl_error_set(error, WL_ERR_MEMORY, "out of memory for %s", name);
    lua_pushfstring(lua, "=%s", name);
    const char *chunk = lua_tostring(lua, -1);
    int status = luaL_loadbufferx(lua, text, length, chunk, "t");
    lua_remove(lua, -2);
    return run_loaded(sandbox, status, name, error);
}

/* Loads what was compiled, unless another release of Lua did, which may mean something else by the
 * same bytes. False: there is nothing on the stack. */
static bool load_compiled(lua_State *lua, const struct wl_embedded_file *file)
{
    size_t skipped = strlen(lua_ident) + 1;
    if (!file->compiled || file->compiled_bytes < skipped ||
        memcmp(file->compiled, lua_ident, skipped) != 0 || !lua_checkstack(lua, 8))
        return false;
    if (luaL_loadbufferx(lua, file->compiled + skipped, file->compiled_bytes - skipped, file->name,
                         "b") == LUA_OK)
        return true;
    lua_pop(lua, 1); /* the same release, of other types of numbers */
    return false;
}

enum wl_code wl_sandbox_run_embedded(struct wl_sandbox *sandbox,
                                     const struct wl_embedded_file *file, struct wl_error *error)
{
    return load_compiled(sandbox->lua, file)
               ? run_loaded(sandbox, LUA_OK, file->name, error)
               : wl_sandbox_run(sandbox, file->name, file->content, file->size_bytes, error);
}
