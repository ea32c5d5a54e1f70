#include "device/memory/advice.h"

#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "device/memory/state.h"

enum subject { READ_MOSTLY, PREFERRED, PREFETCHED, ACCESSED_BY }; /* then one for each device */
#define ACCESSED_BY_HOST (ACCESSED_BY + WL_DEVICES_MAX)
#define NOWHERE (-2)
#define HOST (-1)

/* What was said of a range, the newest last; what is said anew of all of a range is dropped. */
struct saying {
    uint64_t start, end;
    unsigned subject;
    struct wl_device_location location; /* type 0: no more */
};
static WL_VECTOR(struct saying) sayings;

static void say(uint64_t start, uint64_t end, unsigned subject, struct wl_device_location location)
{
    size_t kept = 0;
    for (size_t i = 0; i < sayings.count; i++) {
        const struct saying *old = &sayings.items[i];
        if (old->subject != subject || old->start < start || old->end > end)
            sayings.items[kept++] = *old;
    }
    sayings.count = kept;
    WL_PUSH(&sayings, ((struct saying){start, end, subject, location}));
}

/* What holds at an address, and up to where (at most end) nothing else does. */
static struct wl_device_location look(uint64_t address, uint64_t *end, unsigned subject)
{
    struct wl_device_location found = {0};
    for (size_t i = 0; i < sayings.count; i++) {
        const struct saying *saying = &sayings.items[i];
        if (saying->subject != subject || saying->end <= address)
            continue;
        if (saying->start <= address) {
            found = saying->location;
            if (saying->end < *end)
                *end = saying->end;
        } else if (saying->start < *end) {
            *end = saying->start;
        }
    }
    return found;
}

/* What holds all over the range: type 0 where that is not one thing. */
static struct wl_device_location look_all(uint64_t start, uint64_t end, unsigned subject)
{
    struct wl_device_location all = {0};
    for (uint64_t at = start, next; at < end; at = next) {
        next = end;
        struct wl_device_location here = look(at, &next, subject);
        if (!here.type || (at > start && (here.type != all.type || here.id != all.id)))
            return (struct wl_device_location){0};
        all = here;
    }
    return all;
}

static bool is_managed(const void *address, size_t size_bytes)
{
    const uint64_t start = (uint64_t)(uintptr_t)address;
    struct wl_device_allocation found;
    if (!size_bytes || !wl_device_memory_look(start, &found))
        return false;
    return (found.kind == WL_DEVICE_MEMORY_MANAGED || found.kind == WL_DEVICE_MEMORY_MODULE) &&
           size_bytes <= found.start + found.size_bytes - start;
}

static int check_location(struct wl_device_location location)
{
    if (location.type == WL_DEVICE_LOCATION_DEVICE)
        return location.id >= 0 && location.id < wl_device_count() ? WL_DEVICE_OK
                                                                   : WL_DEVICE_INVALID_DEVICE;
    return location.type >= WL_DEVICE_LOCATION_HOST &&
                   location.type <= WL_DEVICE_LOCATION_HOST_NUMA_CURRENT
               ? WL_DEVICE_OK
               : WL_DEVICE_INVALID_VALUE;
}

static int say_checked(const void *address, size_t size_bytes, unsigned subject,
                       struct wl_device_location location)
{
    const uint64_t start = (uint64_t)(uintptr_t)address;
    wl_device_enter_beside();
    int code = is_managed(address, size_bytes) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        say(start, start + size_bytes, subject, location);
    wl_device_leave();
    return code;
}

int wl_device_memory_advise(const void *address, size_t size_bytes, int advice,
                            struct wl_device_location location)
{
    const struct wl_device_location no_more = {0};
    const struct {
        unsigned subject;
        bool is_set, takes_location;
    } rows[] = {{READ_MOSTLY, true, false}, {READ_MOSTLY, false, false},
                {PREFERRED, true, true},    {PREFERRED, false, false},
                {ACCESSED_BY, true, true},  {ACCESSED_BY, false, true}};
    int code = wl_device_check();
    if (code == WL_DEVICE_OK && (advice < 1 || advice > (int)WL_COUNT(rows)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    unsigned subject = rows[advice - 1].subject;
    if (rows[advice - 1].takes_location)
        code = check_location(location);
    if (subject == ACCESSED_BY)
        subject = location.type == WL_DEVICE_LOCATION_DEVICE ? ACCESSED_BY + (unsigned)location.id
                                                             : ACCESSED_BY_HOST;
    if (code == WL_DEVICE_OK && !rows[advice - 1].takes_location)
        location = (struct wl_device_location){WL_DEVICE_LOCATION_DEVICE, 0};
    return code ? code
                : say_checked(address, size_bytes, subject,
                              rows[advice - 1].is_set ? location : no_more);
}

int wl_device_memory_prefetch(const void *address, size_t size_bytes,
                              struct wl_device_location location)
{
    int code = wl_device_check();
    if (code == WL_DEVICE_OK)
        code = check_location(location);
    return code ? code : say_checked(address, size_bytes, PREFETCHED, location);
}

static int number_of(struct wl_device_location location)
{
    return !location.type                               ? NOWHERE
           : location.type == WL_DEVICE_LOCATION_DEVICE ? location.id
                                                        : HOST;
}

/* The devices that access all of the range, then none to the end. */
static void list_accessing(int *devices, size_t count, uint64_t start, uint64_t end)
{
    size_t listed = 0;
    for (int i = 0; i < wl_device_count() && listed < count; i++)
        if (look_all(start, end, ACCESSED_BY + (unsigned)i).type)
            devices[listed++] = i;
    if (listed < count && look_all(start, end, ACCESSED_BY_HOST).type)
        devices[listed++] = HOST;
    while (listed < count)
        devices[listed++] = NOWHERE;
}

int wl_device_memory_range_attribute(void *value, size_t value_bytes, int attribute,
                                     const void *address, size_t size_bytes)
{
    enum {
        IS_READ_MOSTLY = 1,
        PREFERRED_DEVICE,
        ACCESSING,
        PREFETCHED_DEVICE,
        PREFERRED_TYPE,
        PREFERRED_ID,
        PREFETCHED_TYPE,
        PREFETCHED_ID
    };
    int code = wl_device_check();
    const bool is_list = attribute == ACCESSING;
    if (code == WL_DEVICE_OK &&
        (!value || attribute < IS_READ_MOSTLY || attribute > PREFETCHED_ID ||
         (is_list ? !value_bytes || value_bytes % sizeof(int) : value_bytes != sizeof(int))))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    const uint64_t start = (uint64_t)(uintptr_t)address, end = start + size_bytes;
    wl_device_enter_beside();
    code = is_managed(address, size_bytes) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && is_list) {
        list_accessing(value, value_bytes / sizeof(int), start, end);
    } else if (code == WL_DEVICE_OK) {
        const unsigned subject = attribute == IS_READ_MOSTLY ? READ_MOSTLY
                                 : attribute == PREFETCHED_DEVICE || attribute >= PREFETCHED_TYPE
                                     ? PREFETCHED
                                     : PREFERRED;
        const struct wl_device_location all = look_all(start, end, subject);
        const int device = number_of(all);
        const int answers[] = {0,        all.type != 0, device,   0,     device,
                               all.type, device,        all.type, device};
        memcpy(value, &answers[attribute], sizeof(int));
    }
    wl_device_leave();
    return code;
}

void wl_device_memory_forget_advice(uint64_t start, uint64_t size_bytes)
{
    const uint64_t end = start + size_bytes;
    size_t kept = 0;
    for (size_t i = 0; i < sayings.count; i++)
        if (sayings.items[i].end <= start || sayings.items[i].start >= end)
            sayings.items[kept++] = sayings.items[i];
    sayings.count = kept;
}

void wl_device_memory_forget_all_advice(void)
{
    sayings.count = 0;
}
