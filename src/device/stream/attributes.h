/* Attributes of streams: the priority, and hints about caches and waiting that are kept for those
 * who ask. By the numbers and in the form that launches have them in (cudaLaunchAttributeID,
 * cudaLaunchAttributeValue). */
#ifndef WL_DEVICE_STREAM_ATTRIBUTES_H
#define WL_DEVICE_STREAM_ATTRIBUTES_H

#include "device/stream/stream.h"

WL_EXPORT int wl_device_stream_set_attribute(void *stream, int attribute, const void *value);
WL_EXPORT int wl_device_stream_get_attribute(void *stream, int attribute, void *value);
WL_EXPORT int wl_device_stream_copy_attributes(void *to, void *from);

#endif
