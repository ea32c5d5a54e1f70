/* Folders, whole files and paths. */
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

/* Writes a whole file. It replaces the old one by renaming, so that a failed write leaves that
 * intact. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_file_write(const char *path, const char *bytes, size_t length,
                           struct wl_error *error);

/* Folder of a path: "a/b" gives "a", "b" gives "."; free() it. */
char *wl_path_folder(const char *path);

/* Relative path between two folders, given as absolute paths without "." and "..": from "/a/b" to
 * "/a/c/d" it is "../c/d", to itself "."; free() it. */
char *wl_path_relative(const char *from, const char *to);

/* Folder of the running executable; free() it. NULL where the system does not tell.
 */
char *wl_path_own_folder(void);

/* Folder of our libraries that holds a file, whether the running executable is installed
 * (../lib/warplens) or lies in a build folder (lib) or a folder of that; free() it. NULL where it
 * is not there. */
char *wl_path_library_folder(const char *file);

#endif
