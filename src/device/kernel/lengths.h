/* Lengths of launches that were predicted, for launches that are not but look the same. Internal to
 * device/kernel/; expects the lock. */
#ifndef WL_DEVICE_KERNEL_LENGTHS_H
#define WL_DEVICE_KERNEL_LENGTHS_H

#include "device/kernel/launch.h"

/* The length of an earlier launch that looks the same, 0: none was predicted. Two launches look the
 * same if kernel, grid, block, shared memory and arguments are the same; of pointers, what they
 * point to must be as long. Where 16 that differ in arguments alone were predicted, arguments do
 * not matter any more. */
uint64_t wl_device_length_find(const struct wl_device_request *request, const uint8_t *parameters);
void wl_device_length_keep(const struct wl_device_request *request, const uint8_t *parameters,
                           uint64_t length_ns);
void wl_device_lengths_free(void);

#endif
