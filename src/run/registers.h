/* Registers and spills are ptxas's decision: where there is a ptxas, it is asked before the program
 * runs. */
#ifndef WL_RUN_REGISTERS_H
#define WL_RUN_REGISTERS_H

#include <stdint.h>

#include "binary/binary.h"
#include "record/settings.h"

/* Compiles the PTX that a GPU of this capability would run, where the program, or one that its
 * words name (a shell's or launcher's command), has no machine code for it, and writes what ptxas
 * says (struct wl_compiled) into the folder. Returns the file's path,
 * "" where there is no ptxas or nothing to ask; free() it. Never fails: what cannot be compiled in
 * time becomes a note. */
char *wl_registers_query(const char *program_path, const struct wl_arguments *words,
                         const struct wl_settings *settings, uint32_t capability,
                         const char *folder);

#endif
