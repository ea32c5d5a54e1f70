/* Folders and paths of files. */
#ifndef WL_BASE_FOLDER_H
#define WL_BASE_FOLDER_H

#include "base/error.h"
#include "base/text.h"

/* Makes a new empty folder "PREFIX-xxxxxx" in TMPDIR or /tmp; free() *path. Errors: WL_ERR_OUTPUT.
 */
enum wl_code wl_folder_create_temporary(const char *prefix, char **path, struct wl_error *error);

/* Removes a folder and all in it; links are removed, not followed. Missing is no error.
 * Errors: WL_ERR_OUTPUT. */
enum wl_code wl_folder_remove(const char *path, struct wl_error *error);

/* Writes a whole file, replacing what was there, which stays where that fails. Errors:
 * WL_ERR_OUTPUT. */
enum wl_code wl_file_write(const char *path, const char *bytes, size_t length,
                           struct wl_error *error);

/* Folder of a path: "a/b" gives "a", "b" gives "."; free() it. */
char *wl_path_folder(const char *path);

/* The way from one folder to another, both as absolute paths without "." and "..": from "/a/b" to
 * "/a/c/d" it is "../c/d", to itself "."; free() it. */
char *wl_path_relative(const char *from, const char *to);

/* Where the running program's file is: its folder; free() it. NULL where the system does not tell.
 */
char *wl_path_own_folder(void);

#endif
