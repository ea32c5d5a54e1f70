#include "timeline/names.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/timeline.h"

/* Chains of rows, so that readers need no lock while rows are added. Beyond the limit all texts
 * have one name: a program that makes up names for ever must not eat the machine's memory. */
enum { BUCKETS = 1 << 14, PAGE_NAMES = 1 << 12, PAGES = 1 << 8, TEXT_BYTES_MAX = 4096 };

struct row {
    struct row *next;
    uint32_t hash, id;
    char text[];
};

static struct {
    pthread_mutex_t lock;
    struct row *_Atomic buckets[BUCKETS];
    struct row **_Atomic pages[PAGES]; /* by id */
    _Atomic uint32_t count;
    uint32_t overflow; /* the name of all that are too many */
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static const struct row *find(const char *text, size_t length, uint32_t hash)
{
    const struct row *row =
        atomic_load_explicit(&names.buckets[hash % BUCKETS], memory_order_acquire);
    while (row && (row->hash != hash || strncmp(row->text, text, length) || row->text[length]))
        row = row->next;
    return row;
}

/* With the lock held. Returns 0 where there is no memory. */
static uint32_t add(const char *text, size_t length, uint32_t hash)
{
    uint32_t index = atomic_load(&names.count);
    struct row **page = atomic_load(&names.pages[index / PAGE_NAMES]);
    struct row *row = malloc(sizeof *row + length + 1);
    if (!page && (page = calloc(PAGE_NAMES, sizeof *page)))
        atomic_store(&names.pages[index / PAGE_NAMES], page);
    if (!row || !page) {
        free(row);
        return 0;
    }
    memcpy(row->text, text, length);
    row->text[length] = '\0';
    row->hash = hash;
    row->id = index + 1;
    row->next = atomic_load(&names.buckets[hash % BUCKETS]);
    page[index % PAGE_NAMES] = row;
    atomic_store_explicit(&names.buckets[hash % BUCKETS], row, memory_order_release);
    atomic_store_explicit(&names.count, index + 1, memory_order_release);
    return row->id;
}

static uint32_t add_or_overflow(const char *text, size_t length, uint32_t hash)
{
    static const char too_many[] = "(too many names)";
    if (atomic_load(&names.count) < (uint32_t)PAGES * PAGE_NAMES - 1)
        return add(text, length, hash);
    if (!names.overflow)
        names.overflow = add(too_many, strlen(too_many), hash_text(too_many, strlen(too_many)));
    return names.overflow;
}

uint32_t wl_timeline_name(const char *text)
{
    if (!text)
        return 0;
    int saved_errno = errno;
    size_t length = strnlen(text, TEXT_BYTES_MAX);
    uint32_t hash = hash_text(text, length);
    const struct row *row = find(text, length, hash);
    uint32_t id = row ? row->id : 0;
    if (!id) {
        pthread_mutex_lock(&names.lock);
        row = find(text, length, hash);
        id = row ? row->id : add_or_overflow(text, length, hash);
        pthread_mutex_unlock(&names.lock);
    }
    errno = saved_errno;
    return id;
}

uint32_t wl_timeline_name_count(void)
{
    return atomic_load_explicit(&names.count, memory_order_acquire);
}

const char *wl_timeline_name_text(uint32_t id)
{
    return atomic_load(&names.pages[(id - 1) / PAGE_NAMES])[(id - 1) % PAGE_NAMES]->text;
}

void wl_timeline_names_unlock(void)
{
    pthread_mutex_init(&names.lock, NULL);
}
