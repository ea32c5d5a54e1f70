/* Source locations of addresses of code, as names of the trace. Answers are cached. */
#ifndef WL_COLLECT_SITES_H
#define WL_COLLECT_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "record/settings.h"

/* All 0: not known. */
struct wl_code_site {
    uint32_t file, function, line;
};

/* Where a call goes back to; the site is that of the call. The first time takes milliseconds, in
 * which the clock of the trace stands (wl_code_sites_set_hold). False: the address is none of the
 * program but of a runtime library, or there are too many to keep. */
bool wl_code_site_find(const void *address, struct wl_code_site *site);

/* Whether the code is that of a runtime library or of ours. */
bool wl_code_is_runtime(const void *address);

/* Whether the function is what nvcc writes between a launch and who made it. */
bool wl_code_is_of_launch(const char *function);

/* Has the stacks of calls of CUDA recorded from now on, of Python's functions and of others. */
void wl_code_stacks_start(enum wl_stacks wanted, enum wl_python_stacks wanted_python);
/* Whether they are recorded of calls of this function. */
bool wl_code_stack_is_wanted(const char *function);
/* The stack that called this function, as the id of a name: "main;solve;step", without frames of
 * runtime libraries and ours; Python's functions, "/home/me/train.py:12 main", come first. 0: it is
 * not wanted, or there are too many to keep. */
uint32_t wl_code_stack(const char *function);
/* The stack of who launches, whether or not stacks of launches are wanted. */
uint32_t wl_code_launch_stack(void);
/* Python's part of it alone, wherever it is called. */
uint32_t wl_code_python_stack(void);

/* hold(true) stops the clock of the trace until hold(false); NULL: nothing does. */
void wl_code_sites_set_hold(void (*hold)(bool is_held));

#endif
