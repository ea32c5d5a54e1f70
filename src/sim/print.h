/* Texts of kernels: printf, and what an assert says. Internal to sim/. */
#ifndef WL_SIM_PRINT_H
#define WL_SIM_PRINT_H

#include "sim/state.h"

/* vprintf of one lane: prints through the launch's print function. Format and texts are device
 * addresses and are read as loads of a byte would be: outside of all memory the warp faults
 * (false), in a page that is mapped it is a finding and reads as the text's end. *result: arguments
 * that were taken; -1 without a format. */
bool wl_print_run(struct wl_warp *warp, const struct wl_op *op, uint32_t lane, uint64_t format,
                  uint64_t arguments, int32_t *result);

/* A text of the lane for a message, *length characters without a NUL; NULL if it lies nowhere. */
const char *wl_print_peek(const struct wl_warp *warp, uint32_t lane, uint64_t address,
                          size_t *length);

#endif
