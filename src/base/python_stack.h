/* Python call stacks as text: "FILE:LINE FUNCTION;...", outermost first, native frames last. */
#ifndef WL_BASE_PYTHON_STACK_H
#define WL_BASE_PYTHON_STACK_H

#include <stddef.h>

/* The frame to blame: the innermost one in the user's own files, else in any file; points into
 * stack, length bytes long. Paths below folder (may be NULL) become relative. NULL: no Python
 * frame. */
const char *wl_python_line_of(const char *stack, const char *folder, size_t *length);

#endif
