#include "analyse/metric/data_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { MOST_FILE_BYTES = 1 << 20 };

/* What the file left on the stack, unless running it ended with an error. */
static enum wl_code use_result(struct wl_sandbox *sandbox, enum wl_code code, const char *name,
                               wl_data_file_use *use, void *self, struct wl_error *error)
{
    lua_State *lua = wl_sandbox_state(sandbox);
    if (code != WL_OK)
        return code;
    if (!lua_istable(lua, -1)) {
        wl_error_set(error, WL_ERR_CORRUPT, "%s: the file must return a table, not %s", name,
                     lua_typename(lua, lua_type(lua, -1)));
        code = wl_error_set_where(error, "%s", name);
    } else {
        code = use(self, lua, name, error);
    }
    lua_pop(lua, 1);
    return code == WL_OK ? WL_OK : WL_ERR_CORRUPT;
}

static int is_lua_file(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 && strcmp(entry->d_name + length - 4, ".lua") == 0;
}

/* By bytes, so that the order does not depend on the locale. */
static int by_name(const struct dirent **left, const struct dirent **right)
{
    return strcmp((*left)->d_name, (*right)->d_name);
}

struct data_file {
    char *path;
    struct wl_text content;
};

struct data_files {
    WL_VECTOR_FIELDS(struct data_file);
};

static void free_files(struct data_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        wl_text_free(&files->items[i].content);
        free(files->items[i].path);
    }
    free(files->items);
}

static enum wl_code read_folder(const char *folder, struct data_files *files,
                                struct wl_error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_lua_file, by_name);
    if (count < 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot read the folder %s: %s", folder,
                            strerror(errno));
    enum wl_code code = WL_OK;
    for (int i = 0; i < count; i++) {
        struct data_file file = {.path = wl_string_format("%s/%s", folder, entries[i]->d_name)};
        if (code == WL_OK)
            code = wl_file_read_regular(file.path, MOST_FILE_BYTES, &file.content, error);
        WL_PUSH(files, file);
        free(entries[i]);
    }
    free(entries);
    return code;
}

enum wl_code wl_data_files_run_read(struct wl_sandbox *sandbox,
                                    const struct wl_embedded_file *embedded, const char *folder,
                                    bool (*when_read)(void), wl_data_file_use *use, void *self,
                                    struct wl_error *error)
{
    struct data_files files = {0};
    enum wl_code code = folder ? read_folder(folder, &files, error) : WL_OK;
    if (code == WL_OK && when_read)
        when_read();
    for (const struct wl_embedded_file *file = embedded; code == WL_OK && file->name; file++) {
        code = wl_sandbox_run_embedded(sandbox, file, error);
        code = use_result(sandbox, code, file->name, use, self, error);
    }
    for (size_t i = 0; i < files.count && code == WL_OK; i++) {
        const struct wl_text *content = &files.items[i].content;
        const char *path = files.items[i].path;
        code = wl_sandbox_run(sandbox, path, content->data ? content->data : "", content->length,
                              error);
        code = use_result(sandbox, code, path, use, self, error);
    }
    free_files(&files);
    return code;
}

enum wl_code wl_data_files_run(struct wl_sandbox *sandbox, const struct wl_embedded_file *embedded,
                               const char *folder, wl_data_file_use *use, void *self,
                               struct wl_error *error)
{
    return wl_data_files_run_read(sandbox, embedded, folder, NULL, use, self, error);
}

enum wl_code wl_data_fields_check(lua_State *lua, int index, const struct wl_data_field *fields,
                                  const char *file, const char *what, struct wl_error *error)
{
    index = lua_absindex(lua, index);
    enum wl_code code = WL_OK;
    lua_pushnil(lua);
    while (lua_next(lua, index) != 0) {
        const char *key = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : NULL;
        const struct wl_data_field *field = fields;
        while (key && field->name && strcmp(field->name, key) != 0)
            field++;
        if (!key || !field->name)
            code = wl_error_set(error, WL_ERR_CORRUPT, "%s: %s: unknown field '%s'", file, what,
                                key ? key : "(a number)");
        else if (field->type != lua_type(lua, -1))
            code = wl_error_set(error, WL_ERR_CORRUPT, "%s: %s: field '%s' must be a %s", file,
                                what, key, lua_typename(lua, field->type));
        if (code != WL_OK) {
            lua_pop(lua, 2);
            wl_error_set_where(error, "%s", file);
            return WL_ERR_CORRUPT;
        }
        lua_pop(lua, 1);
    }
    return WL_OK;
}

const char *wl_data_field_text(lua_State *lua, int index, const char *name, struct wl_arena *arena)
{
    const char *kept = NULL;
    if (lua_getfield(lua, index, name) == LUA_TSTRING) {
        size_t length = 0;
        const char *text = lua_tolstring(lua, -1, &length);
        kept = length > 0 ? wl_arena_string(arena, text, length) : NULL;
    }
    lua_pop(lua, 1);
    return kept;
}
