/* Where in its source the running program is: addresses of code to files and lines, by the debug
 * information (DWARF) that its files themselves hold. */
#ifndef WL_BINARY_PLACE_H
#define WL_BINARY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct wl_source_place {
    char *file;     /* as the compiler saw it; NULL: not known, line is 0 then */
    char *function; /* demangled; NULL: not known */
    uint32_t line;
};

/* The place of an address of this process; takes milliseconds. For the line of a call give an
 * address within the call, its return address less one. False where nothing is known. Free with
 * wl_source_place_free. */
bool wl_source_place_find(uintptr_t address, struct wl_source_place *place);
void wl_source_place_free(struct wl_source_place *place);

#endif
