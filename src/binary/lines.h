/* Source lines of machine code: the line table that nvcc -lineinfo puts into a cubin (DWARF 2 to 4
 * with NVIDIA's opcode for inlined calls). */
#ifndef WL_BINARY_LINES_H
#define WL_BINARY_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* From offset on, up to the next row's. */
struct wl_cubin_line {
    uint32_t offset; /* in the function's code */
    uint32_t line, column;
    const char *file;     /* with its folder, as the compiler saw it */
    const char *function; /* mangled name of the inlined function, or "" */
    uint32_t caller;      /* index + 1 of the row of the call it is inlined at, 0: it is not */
};

struct wl_cubin_lines {
    WL_VECTOR_FIELDS(struct wl_cubin_line); /* in the order of the table; offsets ascend */
    WL_VECTOR(char *) texts;                /* what the rows point to */
};

/* Appends the rows of a function, by its mangled name; none where there are none. lines starts as
 * {0}; free it with wl_cubin_lines_free, also after an error. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_cubin_lines_read(const void *data, size_t length, const char *function,
                                 struct wl_cubin_lines *lines, struct wl_error *error);
void wl_cubin_lines_free(struct wl_cubin_lines *lines);

/* The index of the row that an offset belongs to: the last that is not behind it; count if none. */
size_t wl_cubin_lines_find(const struct wl_cubin_lines *lines, uint32_t offset);

#endif
