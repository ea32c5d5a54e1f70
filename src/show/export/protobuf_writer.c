#include "show/export/protobuf_writer.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2 };

void wl_protobuf_add_varint(uint64_t value, struct wl_text *out)
{
    for (; value >= 128; value >>= 7)
        wl_text_add_char(out, (char)(value | 128));
    wl_text_add_char(out, (char)value);
}

void wl_protobuf_add_number(int field, uint64_t value, struct wl_text *out)
{
    wl_protobuf_add_varint((uint64_t)field << 3 | VARINT, out);
    wl_protobuf_add_varint(value, out);
}

void wl_protobuf_add_fixed(int field, uint64_t value, struct wl_text *out)
{
    wl_protobuf_add_varint((uint64_t)field << 3 | FIXED64, out);
    for (int i = 0; i < 8; i++)
        wl_text_add_char(out, (char)(value >> 8 * i));
}

void wl_protobuf_add_bytes(int field, const char *bytes, size_t length, struct wl_text *out)
{
    wl_protobuf_add_varint((uint64_t)field << 3 | BYTES, out);
    wl_protobuf_add_varint(length, out);
    wl_text_add_bytes(out, bytes ? bytes : "", length);
}
