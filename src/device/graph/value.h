/* Values in memory that streams write, or wait for. */
#ifndef WL_DEVICE_GRAPH_VALUE_H
#define WL_DEVICE_GRAPH_VALUE_H

#include "base/export.h"
#include "device/core/core.h"

enum wl_device_comparison {                           /* numbers of CUstreamWaitValue_flags */
                            WL_DEVICE_VALUE_AT_LEAST, /* the difference as a signed number */
                            WL_DEVICE_VALUE_EQUAL,
                            WL_DEVICE_VALUE_HAS_BIT,
                            WL_DEVICE_VALUE_LACKS_BIT, /* ~(memory | value) is not 0 */
};

/* size_bytes: 4 or 8, of which the address is a multiple. WL_DEVICE_INVALID_VALUE where that is not
 * so, or the address is none of the device or of page-locked memory; WL_DEVICE_NOT_SUPPORTED in a
 * stream that is captured (said once on stderr). What is submitted to any stream behind a wait runs
 * when it has ended; a value that is written in a stream without such work is there at once. */
WL_EXPORT int wl_device_value_write(void *stream, void *address, uint64_t value, size_t size_bytes);
WL_EXPORT int wl_device_value_wait(void *stream, void *address, uint64_t value, size_t size_bytes,
                                   enum wl_device_comparison comparison);

#endif
