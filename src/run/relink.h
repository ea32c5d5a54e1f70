/* How a program is relinked with the shared runtime. */
#ifndef WL_RUN_RELINK_H
#define WL_RUN_RELINK_H

/* The command of the build system whose files lie beside the program, or in one of the folders
 * around it; where there are none, the options for nvcc. free() it. */
char *wl_relink_command(const char *program);

#endif
