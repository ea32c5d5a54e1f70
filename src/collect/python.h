/* The Python functions that led to a call, read from the interpreter's memory by the thread that
 * runs in it: nothing of Python is called but what gives a thread's state, and no lock is taken. A
 * thread's own frames stand still while it is in a call, with the GIL or without. */
#ifndef WL_COLLECT_PYTHON_H
#define WL_COLLECT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a function of Python is; what it points to is Python's, for as long as the call lasts. */
struct wl_python_frame {
    const uint8_t *code;
    size_t offset_bytes; /* of the instruction, in its code */
    uint64_t identity;   /* of both, and of what tells code at the same address apart later */
};

/* Whether this process runs Python. */
enum wl_python_state {
    WL_PYTHON_UNTRIED,
    WL_PYTHON_ABSENT, /* none yet: libpython may be loaded later */
    WL_PYTHON_READ,
    WL_PYTHON_UNKNOWN, /* one whose frames are not understood */
};

/* The calling thread's frames, innermost first; how many. Looks for Python when first called, and
 * again where there was none. */
size_t wl_python_frames(struct wl_python_frame *frames, size_t frames_max);
enum wl_python_state wl_python_state(void);
/* "3.12"; "" where there is none. */
const char *wl_python_version(void);
/* "/home/me/train.py:12 main"; free() it. */
char *wl_python_frame_label(const struct wl_python_frame *frame);

#endif
