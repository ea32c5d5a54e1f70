/* One place for the handles that programs hold and for the numbers that things are known by.
 * Internal to device/; expects the lock (core/state.h). */
#ifndef WL_DEVICE_CORE_HANDLES_H
#define WL_DEVICE_CORE_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

/* A handle is the address of the object that stands for it. The program may pass any address, so
 * that nothing is read there before the address is found here. Who adds an object owns it. */
enum wl_device_handle_kind {
    WL_DEVICE_HANDLE_STREAM,
    WL_DEVICE_HANDLE_EVENT,
    WL_DEVICE_HANDLE_ARRAY,
    WL_DEVICE_HANDLE_GRAPH,
    WL_DEVICE_HANDLE_EXECUTABLE,
    WL_DEVICE_HANDLE_OBJECT,
    WL_DEVICE_HANDLE_COUNT
};
void wl_device_handle_add(enum wl_device_handle_kind kind, void *object);
/* Must have been added. */
void wl_device_handle_remove(enum wl_device_handle_kind kind, const void *object);
bool wl_device_handle_is(enum wl_device_handle_kind kind, const void *object);
/* All of a kind in the order in which they were added: the first after NULL; NULL after the last.
 */
void *wl_device_handle_next(enum wl_device_handle_kind kind, const void *object);

/* What gets numbers, one after another; none is reused. */
enum wl_device_number {
    WL_DEVICE_NUMBER_MODULE,
    WL_DEVICE_NUMBER_KERNEL,
    WL_DEVICE_NUMBER_LAUNCH,
    WL_DEVICE_NUMBER_ACTIVITY,
    WL_DEVICE_NUMBER_STREAM,
    WL_DEVICE_NUMBER_GRAPH,
    WL_DEVICE_NUMBER_NODE,
    WL_DEVICE_NUMBER_CAPTURE,
    WL_DEVICE_NUMBER_PHYSICAL, /* memory of virtual memory management */
    WL_DEVICE_NUMBER_ALLOCATION,
    WL_DEVICE_NUMBER_COUNT
};
uint64_t wl_device_number_next(enum wl_device_number number);

#endif
