/* Stacks of Python as text: "FILE:LINE FUNCTION;...", outermost first, with other code behind. */
#ifndef WL_BASE_PYTHON_STACK_H
#define WL_BASE_PYTHON_STACK_H

#include <stddef.h>

/* The line that a stack is about: the innermost frame of the user's own files, else of any, as a
 * part of stack without an end of its own. A file in the folder (or NULL) has its name within.
 * NULL: there is no Python in it. */
const char *wl_python_line_of(const char *stack, const char *folder, size_t *length);

#endif
