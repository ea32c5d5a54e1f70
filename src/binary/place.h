/* Where in its source the running program is: addresses of code to files and lines, by the debug
 * information (DWARF) that its files themselves hold. */
#ifndef WL_BINARY_PLACE_H
#define WL_BINARY_PLACE_H

#include <stdbool.h>
#include <stddef.h>
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

/* Code of a file that another process has, or had, in its memory. */
struct wl_source_map {
    uint64_t start, length, offset; /* of the file, in bytes */
    const char *file;
};
struct wl_source_maps;
/* Opens the files that can be; free with wl_source_maps_free. maps must outlive it. */
struct wl_source_maps *wl_source_maps_open(const struct wl_source_map *maps, size_t count);
void wl_source_maps_free(struct wl_source_maps *maps);
/* wl_source_place_find of an address of that process. */
bool wl_source_maps_find(struct wl_source_maps *maps, uint64_t address,
                         struct wl_source_place *place);

#endif
