/* compile_lua FOLDER FILE...: writes FOLDER/NAME.compiled for each file of Lua, part of the build:
 * which Lua this is, a NUL, and the chunk as that Lua dumps it, with the lines for messages. */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int write_part(lua_State *lua, const void *part, size_t bytes, void *file)
{
    (void)lua;
    return fwrite(part, 1, bytes, file) != bytes;
}

static int compile(lua_State *lua, const char *folder, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    luaL_Buffer text;
    char part[4096];
    FILE *source = fopen(path, "rb");
    luaL_buffinit(lua, &text);
    for (size_t got; source && (got = fread(part, 1, sizeof part, source)) > 0;)
        luaL_addlstring(&text, part, got);
    if (source)
        fclose(source);
    luaL_pushresult(&text);
    size_t length = 0;
    const char *bytes = lua_tolstring(lua, -1, &length);
    const char *chunk = lua_pushfstring(lua, "=%s", name);
    if (luaL_loadbufferx(lua, bytes, length, chunk, "t") != LUA_OK) {
        fprintf(stderr, "%s\n", lua_tostring(lua, -1));
        return 1;
    }
    FILE *file = fopen(lua_pushfstring(lua, "%s/%s.compiled", folder, name), "wb");
    lua_insert(lua, -2);
    bool is_written = file && fwrite(lua_ident, 1, strlen(lua_ident) + 1, file) > 0 &&
                      lua_dump(lua, write_part, file, 0) == 0;
    if (file && fclose(file) != 0)
        is_written = false;
    if (!source || !is_written)
        perror(source ? folder : path);
    lua_settop(lua, 0);
    return !source || !is_written;
}

int main(int count, char **arguments)
{
    lua_State *lua = luaL_newstate();
    int status = !lua;
    for (int i = 2; i < count && !status; i++)
        status = compile(lua, arguments[1], arguments[i]);
    if (lua)
        lua_close(lua);
    return status;
}
