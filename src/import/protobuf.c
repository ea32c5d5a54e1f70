#include "import/protobuf.h"

#include <string.h>

static uint64_t read_varint(struct wl_protobuf *message)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (message->next >= message->end)
            break;
        unsigned char byte = *message->next++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    message->is_bad = true;
    return 0;
}

static uint64_t read_fixed(struct wl_protobuf *message, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(message->end - message->next) < size) {
        message->is_bad = true;
        return 0;
    }
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)message->next[i] << (8 * i);
    message->next += size;
    return value;
}

bool wl_protobuf_next(struct wl_protobuf *message, struct wl_protobuf_field *field)
{
    if (message->is_bad || message->next >= message->end)
        return false;
    uint64_t key = read_varint(message);
    *field = (struct wl_protobuf_field){.number = (uint32_t)(key >> 3), .wire = key & 7};
    switch (field->wire) {
    case 0:
        field->value = read_varint(message);
        break;
    case 1:
        field->value = read_fixed(message, 8);
        break;
    case 2:
        field->value = read_varint(message);
        if (field->value > (size_t)(message->end - message->next))
            message->is_bad = true;
        field->bytes = message->next;
        field->length = message->is_bad ? 0 : (size_t)field->value;
        message->next += field->length;
        break;
    case 5:
        field->value = read_fixed(message, 4);
        break;
    default: /* groups are not used any more */
        message->is_bad = true;
        break;
    }
    if (!field->number)
        message->is_bad = true;
    return !message->is_bad;
}

struct wl_protobuf wl_protobuf_within(const struct wl_protobuf_field *field)
{
    const unsigned char *bytes = field->wire == 2 ? field->bytes : (const unsigned char *)"";
    return (struct wl_protobuf){bytes, bytes + (field->wire == 2 ? field->length : 0), false};
}

double wl_protobuf_double(const struct wl_protobuf_field *field)
{
    double number = 0;
    float half = 0;
    uint32_t bits = (uint32_t)field->value;
    if (field->wire == 1) {
        memcpy(&number, &field->value, sizeof number);
        return number;
    }
    memcpy(&half, &bits, sizeof half);
    return half;
}
