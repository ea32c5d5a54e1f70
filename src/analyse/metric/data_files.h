/* Data files in Lua: those compiled in, then those of a folder of the user's. Each returns a table.
 */
#ifndef WL_ANALYSE_METRIC_DATA_FILES_H
#define WL_ANALYSE_METRIC_DATA_FILES_H

#include "analyse/metric/sandbox.h"
#include "base/arena.h"
#include "base/embedded.h"
#include "base/error.h"

/* Called with the table that a file returned on top of the stack; leaves the stack as it was. */
typedef enum wl_code wl_data_file_use(void *self, lua_State *lua, const char *file,
                                      struct wl_error *error);

/* Runs embedded files (ended by a NULL name), then the *.lua files of folder (may be NULL) in order
 * of name: regular files of at most 1 MiB. Errors: WL_ERR_INPUT for a folder or file that cannot be
 * read, WL_ERR_CORRUPT for one
 * that fails or returns no table, and what use returns. */
enum wl_code wl_data_files_run(struct wl_sandbox *sandbox, const struct wl_embedded_file *embedded,
                               const char *folder, wl_data_file_use *use, void *self,
                               struct wl_error *error);

/* The same; when_read (may be NULL) is called once all files are read and before the first runs. */
enum wl_code wl_data_files_run_read(struct wl_sandbox *sandbox,
                                    const struct wl_embedded_file *embedded, const char *folder,
                                    bool (*when_read)(void), wl_data_file_use *use, void *self,
                                    struct wl_error *error);

/* A field of a row, for tables that describe what rows may hold. */
struct wl_data_field {
    const char *name;
    int type; /* LUA_TSTRING, LUA_TBOOLEAN, LUA_TNUMBER, LUA_TFUNCTION or LUA_TTABLE */
};

/* Checks that the table at index holds only these fields (ended by a NULL name), of these types.
 * what names the row in the message. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_data_fields_check(lua_State *lua, int index, const struct wl_data_field *fields,
                                  const char *file, const char *what, struct wl_error *error);

/* The text of a field of the table at index, in arena; NULL if it is not there or empty. */
const char *wl_data_field_text(lua_State *lua, int index, const char *name, struct wl_arena *arena);

#endif
