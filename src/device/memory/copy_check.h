/* Whether what a copy brings to the host was ever written. Internal to device/memory; expects the
 * lock. */
#ifndef WL_DEVICE_MEMORY_COPY_CHECK_H
#define WL_DEVICE_MEMORY_COPY_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct wl_copy_check {
    bool is_to_host;
    uint64_t bytes, unwritten_bytes; /* of all rows; runs shorter than 16 bytes are padding */
    uint64_t first;                  /* address of the first byte that nobody wrote */
};

void wl_copy_check_row(struct wl_copy_check *check, uint64_t from, uint64_t bytes);
/* An error where no byte was written, a warning where some were; the first time for each
 * allocation. */
void wl_copy_check_report(const struct wl_copy_check *check);

#endif
