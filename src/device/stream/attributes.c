#include "device/stream/attributes.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/count.h"
#include "base/memory.h"
#include "device/stream/state.h"

enum { WINDOW = 1, WAITING = 3, PRIORITY = 8, DOMAINS = 9, DOMAIN = 10 };

/* Which a stream has, and how many bytes of the value mean something. */
static const struct {
    int number;
    size_t size_bytes;
} rows[] = {
    {WINDOW, 32}, /* of an access policy */
    {WAITING, 4}, /* how the host waits; -1: as the device says */
    {PRIORITY, 4},
    {DOMAINS, 2}, /* of memory order: what the default and the remote one are called */
    {DOMAIN, 4},
};

struct attributes {
    void *stream;
    char values[WL_COUNT(rows)][32];
    UT_hash_handle hh;
};
static struct attributes *all_attributes;

/* WL_COUNT(rows) where there is none. */
static size_t row_of(int attribute)
{
    size_t i = 0;
    while (i < WL_COUNT(rows) && rows[i].number != attribute)
        i++;
    return i;
}

/* Expects the lock. The default stream has two names. */
static struct attributes *attributes_of(void *stream)
{
    const int unset = -1;
    struct attributes *found;
    stream = (uintptr_t)stream == 1 ? NULL : stream;
    HASH_FIND_PTR(all_attributes, &stream, found);
    if (!found) {
        found = wl_alloc_zero(1, sizeof *found);
        found->stream = stream;
        found->values[row_of(DOMAINS)][1] = 1;
        memcpy(found->values[row_of(WAITING)], &unset, sizeof unset);
        HASH_ADD_PTR(all_attributes, stream, found);
    }
    return found;
}

static int check(void *stream, size_t row, const void *value, struct wl_device_stream_info *info)
{
    int code = wl_device_stream_query(stream, info);
    return code || (value && row < WL_COUNT(rows)) ? code : WL_DEVICE_INVALID_VALUE;
}

/* As an H200 has them; priorities are brought within their bounds. */
static bool is_value(int attribute, const void *value)
{
    enum { POLICIES = 4, DOMAIN_COUNT = 4, DOMAIN_KINDS = 2 };
    int number;
    unsigned char domains[2];
    memcpy(&number, value, sizeof number);
    memcpy(domains, value, sizeof domains);
    switch (attribute) {
    case WAITING:
        return number >= 1 && number <= POLICIES;
    case DOMAINS:
        return domains[0] < DOMAIN_COUNT && domains[1] < DOMAIN_COUNT;
    case DOMAIN:
        return number >= 0 && number < DOMAIN_KINDS;
    default:
        return true;
    }
}

int wl_device_stream_set_attribute(void *stream, int attribute, const void *value)
{
    const size_t row = row_of(attribute);
    int priority, code = check(stream, row, value, NULL);
    if (code == WL_DEVICE_OK && !is_value(attribute, value))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    memcpy(&priority, value, sizeof priority);
    wl_device_enter_beside();
    if (attribute == PRIORITY)
        wl_device_stream_set_priority(stream, priority);
    else
        memcpy(attributes_of(stream)->values[row], value, rows[row].size_bytes);
    wl_device_leave();
    return WL_DEVICE_OK;
}

int wl_device_stream_get_attribute(void *stream, int attribute, void *value)
{
    const size_t row = row_of(attribute);
    struct wl_device_stream_info info;
    int code = check(stream, row, value, &info);
    if (code)
        return code;
    wl_device_enter_beside();
    memcpy(value,
           attribute == PRIORITY ? (void *)&info.priority : attributes_of(stream)->values[row],
           rows[row].size_bytes);
    wl_device_leave();
    return WL_DEVICE_OK;
}

int wl_device_stream_copy_attributes(void *to, void *from)
{
    struct wl_device_stream_info info;
    int code = wl_device_stream_query(to, NULL);
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_query(from, &info);
    if (code)
        return code;
    wl_device_enter_beside();
    const struct attributes *source = attributes_of(from);
    memcpy(attributes_of(to)->values, source->values, sizeof source->values);
    wl_device_stream_set_priority(to, info.priority);
    wl_device_leave();
    return WL_DEVICE_OK;
}

static void drop(struct attributes *attributes)
{
    HASH_DEL(all_attributes, attributes);
    free(attributes);
}

void wl_device_stream_forget_attributes(void *stream)
{
    struct attributes *found;
    HASH_FIND_PTR(all_attributes, &stream, found);
    if (found)
        drop(found);
}

void wl_device_stream_forget_all_attributes(void)
{
    struct attributes *found, *next;
    HASH_ITER(hh, all_attributes, found, next)
    {
        drop(found);
    }
}
