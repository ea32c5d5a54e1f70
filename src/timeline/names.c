#include "timeline/names.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "timeline/timeline.h"

/* Chains of rows, so that readers need no lock while rows are added. Beyond the limit all texts
 * have one name: a program that generates names without end must not exhaust memory. */
enum { BUCKETS = 1 << 14, PAGE_NAMES = 1 << 12, PAGES = 1 << 8, TEXT_BYTES_MAX = 4096 };
enum { CHUNK_BYTES = 1 << 18 };

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
    char *free;        /* of the last chunk */
    size_t free_bytes;
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

/* Memory for ever, zeroed; NULL where there is none. Not malloc's, nor mmap's as a program may have
 * replaced it: who names something may be called within either (UCX, of Open MPI, takes locks while
 * malloc grows its heap). */
static void *take(size_t bytes)
{
    bytes = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (bytes > names.free_bytes) {
        long address = syscall(SYS_mmap, NULL, (size_t)CHUNK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        if (address == -1)
            return NULL;
        names.free = (char *)address;
        names.free_bytes = CHUNK_BYTES;
    }
    void *taken = names.free;
    names.free += bytes;
    names.free_bytes -= bytes;
    return taken;
}

/* With the lock held. Returns 0 where there is no memory. */
static uint32_t add(const char *text, size_t length, uint32_t hash)
{
    uint32_t index = atomic_load(&names.count);
    struct row **page = atomic_load(&names.pages[index / PAGE_NAMES]);
    struct row *row = take(sizeof *row + length + 1);
    if (!page && (page = take(PAGE_NAMES * sizeof *page)))
        atomic_store(&names.pages[index / PAGE_NAMES], page);
    if (!row || !page)
        return 0;
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
