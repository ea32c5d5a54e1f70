/* The program to be profiled: found, looked at, and refused early with the line that helps. */
#ifndef WL_RUN_PROGRAM_H
#define WL_RUN_PROGRAM_H

#include "binary/binary.h"
#include "run/messages.h"

/* Path of a program as a shell finds it: with a '/' as it is, else through PATH; free() it.
 * Errors: WL_ERR_INPUT. */
enum wl_code wl_program_find(const char *name, char **path, struct wl_error *error);

/* Inspects it, refuses what cannot be simulated (WL_ERR_UNSUPPORTED, WL_ERR_INPUT, WL_ERR_CORRUPT)
 * and warns of what will not work. */
enum wl_code wl_program_check(const char *path, const struct wl_messages *messages,
                              struct wl_program_info *info, struct wl_error *error);

/* After a run in which no kernel was seen: says what may be the reason. */
void wl_program_explain_nothing(const char *path, const struct wl_program_info *info,
                                const struct wl_messages *messages);

#endif
