#include "interpose/mpi/board.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS = 1 << 16, PROBES = 32, BUSY = 1 };

static struct slot {
    _Atomic uint64_t key; /* 0: free; BUSY: being written */
    _Atomic uint64_t time_ns;
} * slots;
static char path[128];
static atomic_bool is_unlinked;

bool wl_mpi_board_open(const char *name)
{
    int saved_errno = errno;
    snprintf(path, sizeof path, "/warplens-%u-%.80s", (unsigned)getuid(), name);
    int file = shm_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    const size_t size_bytes = SLOTS * sizeof(struct slot);
    bool is_ours = file >= 0 && fstat(file, &status) == 0 && status.st_uid == getuid() &&
                   ftruncate(file, (off_t)size_bytes) == 0;
    void *memory =
        is_ours ? mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    slots = memory == MAP_FAILED ? NULL : memory;
    errno = saved_errno;
    return slots;
}

void wl_mpi_board_unlink(void)
{
    int saved_errno = errno;
    if (slots && !atomic_exchange(&is_unlinked, true))
        shm_unlink(path);
    errno = saved_errno;
}

/* A finaliser of 64 bits over each number in turn (splitmix64). */
uint64_t wl_mpi_board_key(const uint64_t *numbers, int count)
{
    uint64_t key = 0;
    for (int i = 0; i < count; i++) {
        key += numbers[i] + 0x9e3779b97f4a7c15u;
        key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
        key = (key ^ key >> 27) * 0x94d049bb133111ebu;
        key ^= key >> 31;
    }
    return key > BUSY ? key : key + 2;
}

void wl_mpi_board_put(uint64_t key, uint64_t time_ns)
{
    for (uint64_t i = 0; slots && i < PROBES; i++) {
        struct slot *slot = &slots[(key + i) % SLOTS];
        uint64_t free_key = 0;
        if (!atomic_compare_exchange_strong(&slot->key, &free_key, BUSY))
            continue;
        atomic_store(&slot->time_ns, time_ns);
        atomic_store(&slot->key, key);
        return;
    }
}

static struct slot *find(uint64_t key)
{
    for (uint64_t i = 0; slots && i < PROBES; i++) {
        struct slot *slot = &slots[(key + i) % SLOTS];
        if (atomic_load(&slot->key) == key)
            return slot;
    }
    return NULL;
}

uint64_t wl_mpi_board_read(uint64_t key)
{
    const struct slot *slot = find(key);
    return slot ? atomic_load(&slot->time_ns) : 0;
}

void wl_mpi_board_remove(uint64_t key)
{
    struct slot *slot = find(key);
    if (slot)
        atomic_store(&slot->key, 0);
}
