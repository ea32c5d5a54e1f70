/* For this room only: the wire format of protocol buffers, written. */
#ifndef WL_SHOW_EXPORT_PROTOBUF_WRITER_H
#define WL_SHOW_EXPORT_PROTOBUF_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Each adds to out; field: its number in the message. */
void wl_protobuf_add_varint(uint64_t value, struct wl_text *out);
void wl_protobuf_add_number(int field, uint64_t value, struct wl_text *out);
void wl_protobuf_add_fixed(int field, uint64_t value, struct wl_text *out);
void wl_protobuf_add_bytes(int field, const char *bytes, size_t length, struct wl_text *out);

#endif
