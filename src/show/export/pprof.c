#include "show/export/pprof.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/safe.h"
#include "show/export/protobuf_writer.h"

/* Fields of github.com/google/pprof/proto/profile.proto. */
enum { SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, STRING_TABLE = 6 };
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1, LINE_LINE = 2 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4 };

/* The number of a string; "" is 0. */
static uint64_t string_of(struct wl_pprof *profile, const char *string)
{
    struct wl_text valid = {0};
    int64_t id = 0;
    wl_safe_add_valid(string ? string : "", &valid);
    if (valid.length)
        wl_keys_intern(&profile->strings, valid.data, valid.length, &id);
    wl_text_free(&valid);
    return (uint64_t)id;
}

void wl_pprof_type(struct wl_pprof *profile, const char *type, const char *unit)
{
    struct wl_text message = {0};
    wl_protobuf_add_number(TYPE_TYPE, string_of(profile, type), &message);
    wl_protobuf_add_number(TYPE_UNIT, string_of(profile, unit), &message);
    wl_protobuf_add_bytes(SAMPLE_TYPE, message.data, message.length, &profile->body);
    wl_text_free(&message);
}

static uint64_t function_of(struct wl_pprof *profile, const char *name, const char *file)
{
    const uint64_t key[] = {string_of(profile, name), string_of(profile, file)};
    int64_t id;
    if (wl_keys_intern(&profile->functions, key, sizeof key, &id))
        return (uint64_t)id;
    struct wl_text message = {0};
    wl_protobuf_add_number(FUNCTION_ID, (uint64_t)id, &message);
    wl_protobuf_add_number(FUNCTION_NAME, key[0], &message);
    wl_protobuf_add_number(FUNCTION_SYSTEM_NAME, key[0], &message);
    wl_protobuf_add_number(FUNCTION_FILE, key[1], &message);
    wl_protobuf_add_bytes(FUNCTION, message.data, message.length, &profile->body);
    wl_text_free(&message);
    return (uint64_t)id;
}

uint64_t wl_pprof_location(struct wl_pprof *profile, const char *function, const char *file,
                           uint32_t line)
{
    const uint64_t key[] = {function_of(profile, function, file), line};
    int64_t id;
    if (wl_keys_intern(&profile->locations, key, sizeof key, &id))
        return (uint64_t)id;
    struct wl_text message = {0}, place = {0};
    wl_protobuf_add_number(LINE_FUNCTION, key[0], &place);
    wl_protobuf_add_number(LINE_LINE, line, &place);
    wl_protobuf_add_number(LOCATION_ID, (uint64_t)id, &message);
    wl_protobuf_add_bytes(LOCATION_LINE, place.data, place.length, &message);
    wl_protobuf_add_bytes(LOCATION, message.data, message.length, &profile->body);
    wl_text_free(&place);
    wl_text_free(&message);
    return (uint64_t)id;
}

static void add_packed(int field, const uint64_t *numbers, size_t count, struct wl_text *out)
{
    struct wl_text packed = {0};
    for (size_t i = 0; i < count; i++)
        wl_protobuf_add_varint(numbers[i], &packed);
    wl_protobuf_add_bytes(field, packed.data, packed.length, out);
    wl_text_free(&packed);
}

void wl_pprof_sample(struct wl_pprof *profile, const uint64_t *locations, size_t location_count,
                     const uint64_t *values, size_t value_count)
{
    struct wl_text message = {0};
    add_packed(SAMPLE_LOCATIONS, locations, location_count, &message);
    add_packed(SAMPLE_VALUES, values, value_count, &message);
    wl_protobuf_add_bytes(SAMPLE, message.data, message.length, &profile->body);
    wl_text_free(&message);
}

static enum wl_code pack(const struct wl_text *bytes, struct wl_text *out, struct wl_error *error)
{
    enum { WITH_GZIP_HEADER = 16 + MAX_WBITS, MEMORY_LEVEL = 8 };
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_GZIP_HEADER, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return wl_error_set(error, WL_ERR_MEMORY, "out of memory");
    uLong most = deflateBound(&stream, bytes->length);
    unsigned char *packed = wl_alloc(most);
    stream.next_in = (unsigned char *)bytes->data;
    stream.avail_in = (uInt)bytes->length;
    stream.next_out = packed;
    stream.avail_out = (uInt)most;
    bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    if (is_whole)
        wl_text_add_bytes(out, (const char *)packed, stream.total_out);
    deflateEnd(&stream);
    free(packed);
    return is_whole ? WL_OK : wl_error_set(error, WL_ERR_INTERNAL, "the profile was not packed");
}

enum wl_code wl_pprof_finish(struct wl_pprof *profile, struct wl_text *out, struct wl_error *error)
{
    const char **strings = wl_alloc_zero(profile->strings.count + 1, sizeof *strings);
    wl_keys_list(&profile->strings, strings);
    wl_protobuf_add_bytes(STRING_TABLE, "", 0, &profile->body);
    for (size_t i = 1; i <= profile->strings.count; i++)
        wl_protobuf_add_bytes(STRING_TABLE, strings[i], strlen(strings[i]), &profile->body);
    enum wl_code code = pack(&profile->body, out, error);
    free(strings);
    wl_keys_free(&profile->strings);
    wl_keys_free(&profile->functions);
    wl_keys_free(&profile->locations);
    wl_text_free(&profile->body);
    return code;
}
