/* Appends the bytes in base64 (RFC 4648, padded with '='). */
#ifndef WL_BASE_BASE64_H
#define WL_BASE_BASE64_H

#include <stddef.h>

#include "base/text.h"

void wl_base64_add(const unsigned char *bytes, size_t count, struct wl_text *out);

#endif
