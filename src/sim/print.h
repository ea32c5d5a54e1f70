/* Device printf. Nothing that it is told to read is taken to be there: not the format, not the
 * arguments behind it, not the strings that they point to. Internal to sim/. */
#ifndef WL_SIM_PRINT_H
#define WL_SIM_PRINT_H

#include "sim/state.h"

/* What a kernel's address leads to, up to the end of the memory it lies in; left 0: nowhere. */
struct wl_print_memory {
    const uint8_t *bytes;
    uint64_t left;
};
typedef struct wl_print_memory (*wl_print_find)(const void *self, uint64_t address);

/* The text there, which need not end, and its length; `other` where there is none. */
const char *wl_print_text(struct wl_print_memory memory, const char *other);
int wl_print_length(struct wl_print_memory memory, const char *other);

/* Prints through the launch's print function. An argument that cannot be read ends what is printed;
 * a string that cannot be read prints as (null). */
void wl_print_format(const struct wl_run *run, wl_print_find find, const void *self,
                     uint64_t format, uint64_t arguments);

#endif
