/* The wire format of protocol buffers: fields of a message, one by one. */
#ifndef WL_IMPORT_PROTOBUF_H
#define WL_IMPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_protobuf {
    const unsigned char *next, *end;
    bool is_bad; /* cut off, or no message */
};

struct wl_protobuf_field {
    uint32_t number;
    unsigned wire; /* 0 number, 1 eight bytes, 2 bytes, 5 four bytes */
    uint64_t value;
    const unsigned char *bytes; /* of wire 2 */
    size_t length;
};

/* The next field; false at the end, or where it is_bad. */
bool wl_protobuf_next(struct wl_protobuf *message, struct wl_protobuf_field *field);
/* A field of bytes as a message. */
struct wl_protobuf wl_protobuf_within(const struct wl_protobuf_field *field);
/* Of wire 1 and 5. */
double wl_protobuf_double(const struct wl_protobuf_field *field);

#endif
