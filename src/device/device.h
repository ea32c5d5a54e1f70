/* The simulated GPU as the API libraries (cudart, cuda, cublas) see it: all of it but textures
 * (texture/texture.h), virtual memory management (memory/virtual.h) and graphs (graph/graph.h). */
#ifndef WL_DEVICE_DEVICE_H
#define WL_DEVICE_DEVICE_H

#include "device/core/core.h"
#include "device/graph/submit.h"
#include "device/kernel/direct.h"
#include "device/kernel/launch.h"
#include "device/kernel/library.h"
#include "device/memory/memory.h"
#include "device/stream/stream.h"

/* cudaDeviceReset: frees the program's allocations, streams and events, forgets a sticky error and
 * sets module variables back to their initial values. Modules stay. */
WL_EXPORT int wl_device_reset(void);

#endif
