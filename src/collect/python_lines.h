/* The line tables of Python's code objects. */
#ifndef WL_COLLECT_PYTHON_LINES_H
#define WL_COLLECT_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

enum wl_python_lines {
    WL_PYTHON_LINES_PAIRS,     /* 3.9: Objects/lnotab_notes.txt */
    WL_PYTHON_LINES_RANGES,    /* 3.10: PEP 626 */
    WL_PYTHON_LINES_LOCATIONS, /* 3.11 and later: Objects/locations.md, InternalDocs/code_objects.md
                                */
};

/* The line of the instruction at offset_bytes into the code, whose first line is given; that first
 * line where the table is broken or says that there is none. */
int wl_python_line(enum wl_python_lines form, const uint8_t *table, size_t size_bytes,
                   int first_line, size_t offset_bytes);

#endif
