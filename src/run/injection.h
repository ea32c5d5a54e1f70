/* How the simulated GPU gets into the user's program: through its environment, nothing else. */
#ifndef WL_RUN_INJECTION_H
#define WL_RUN_INJECTION_H

#include "base/subprocess.h"
#include "binary/binary.h"

/* Where libcudart.so.13 and the others lie: lib/ beside the program (build folder), or
 * ../lib/warplens (installed); free() it. Errors: WL_ERR_INPUT. */
enum wl_code wl_injection_find(char **folder, struct wl_error *error);

/* Adds what makes the program of this kind load our libraries, and tells them the settings file.
 * Errors: WL_ERR_UNSUPPORTED for a folder whose name the dynamic loader cannot take. */
enum wl_code wl_injection_prepare(const char *folder, const struct wl_program_info *info,
                                  const char *settings_path, struct wl_environment *environment,
                                  struct wl_error *error);

/* Has Python name what PyTorch does (--pytorch; folder: as wl_injection_find gives it). Nothing
 * where the folder's name has a ':', at which PYTHONPATH is split. */
void wl_injection_add_pytorch(const char *folder, const char *wanted,
                              struct wl_environment *environment);
/* Has calls of MPI and of the system and waits of OpenACC recorded, too: libraries of ours stand
 * before the program's, and record into engine, the file of folder that records the rest. */
void wl_injection_add_calls(const char *folder, const char *engine,
                            struct wl_environment *environment);

#endif
