#include "record/stream/running.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/memory.h"

enum { SLOTS = 32, SLOT_BYTES = 4096, TROUBLE_BYTES = 256, WHERE_BYTES = 1024 };

struct slot {
    _Atomic int32_t pid; /* 0: free */
    _Atomic uint32_t is_active;
    uint64_t launch, unrecorded;
    char trouble[TROUBLE_BYTES];
    char where[WHERE_BYTES];
    char
        kernel[SLOT_BYTES - TROUBLE_BYTES - WHERE_BYTES - 24]; /* mangled; cut where it is longer */
};
_Static_assert(sizeof(struct slot) == SLOT_BYTES, "the size of a slot");

enum { FILE_BYTES = SLOTS * SLOT_BYTES };

static bool make_path(const char *folder, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, WL_RUNNING_FILE);
    return length > 0 && length < PATH_MAX;
}

/* ---- who starts the program ---- */

/* A hole in the file would end a process that writes into it while the disk is full. */
bool wl_running_create(const char *folder)
{
    char path[PATH_MAX];
    if (!make_path(folder, path))
        return false;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0)
        return false;
    bool is_good = posix_fallocate(file, 0, FILE_BYTES) == 0;
    close(file);
    if (!is_good)
        unlink(path);
    return is_good;
}

static bool is_wanted(const struct slot *slot, pid_t pid, bool is_active)
{
    if (slot->pid <= 0 || (pid && slot->pid != pid))
        return false;
    return is_active ? slot->is_active : pid || slot->trouble[0];
}

static void copy_slot(const struct slot *slot, struct wl_running *running)
{
    char *mangled = wl_string_copy_length(slot->kernel, strnlen(slot->kernel, sizeof slot->kernel));
    *running = (struct wl_running){
        .is_active = slot->is_active,
        .launch = slot->launch,
        .kernel = wl_demangle_function(mangled),
        .where = wl_string_copy_length(slot->where, strnlen(slot->where, WHERE_BYTES)),
        .unrecorded = slot->unrecorded,
        .trouble = wl_string_copy_length(slot->trouble, strnlen(slot->trouble, TROUBLE_BYTES)),
    };
    free(mangled);
}

bool wl_running_read(const char *folder, pid_t pid, struct wl_running *running)
{
    char path[PATH_MAX];
    *running = (struct wl_running){0};
    int file =
        make_path(folder, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file < 0)
        return false;
    struct slot *slots = wl_alloc_zero(SLOTS, sizeof *slots);
    bool is_found = read(file, slots, FILE_BYTES) == FILE_BYTES;
    close(file);
    for (int active = 1; is_found && active >= 0 && !running->kernel; active--)
        for (int i = 0; i < SLOTS && !running->kernel; i++)
            if (is_wanted(&slots[i], pid, active))
                copy_slot(&slots[i], running);
    free(slots);
    return running->kernel != NULL;
}

void wl_running_free(struct wl_running *running)
{
    free(running->kernel);
    free(running->where);
    free(running->trouble);
    *running = (struct wl_running){0};
}

/* ---- a watched process ---- */

static struct slot *slots; /* NULL: there is no file */
static struct slot *own;   /* NULL: none taken */

static bool is_whole(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= FILE_BYTES;
}

void wl_running_open(const char *folder)
{
    char path[PATH_MAX];
    int saved_errno = errno;
    int file =
        make_path(folder, path) ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file >= 0 && is_whole(file)) {
        void *map = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        slots = map == MAP_FAILED ? NULL : map;
    }
    if (file >= 0)
        close(file);
    errno = saved_errno;
}

static void take_slot(void)
{
    for (int i = 0; i < SLOTS && !own; i++) {
        int32_t free_pid = 0;
        if (atomic_compare_exchange_strong(&slots[i].pid, &free_pid, (int32_t)getpid()))
            own = &slots[i];
    }
    if (!own)
        slots = NULL; /* all are taken, for good or for long */
}

void wl_running_begin(uint64_t launch, const char *mangled)
{
    if (slots && !own)
        take_slot();
    if (!slots)
        return;
    size_t length = strnlen(mangled, sizeof own->kernel - 1);
    memcpy(own->kernel, mangled, length);
    own->kernel[length] = '\0';
    own->launch = launch;
    own->where[0] = '\0';
    atomic_store_explicit(&own->is_active, 1, memory_order_release);
}

void wl_running_where(const char *text)
{
    if (!own)
        return;
    const size_t length = strnlen(text, WHERE_BYTES - 1);
    memcpy(own->where, text, length);
    own->where[length] = '\0';
}

void wl_running_end(void)
{
    if (own)
        atomic_store_explicit(&own->is_active, 0, memory_order_release);
}

void wl_running_trouble(const char *why)
{
    if (slots && !own)
        take_slot();
    if (!own)
        return;
    own->unrecorded += own->is_active;
    if (why && !own->trouble[0])
        memcpy(own->trouble, why, strnlen(why, TROUBLE_BYTES - 1));
}

void wl_running_after_fork(void)
{
    own = NULL;
}

void wl_running_close(void)
{
    if (!own || own->is_active || own->trouble[0])
        return;
    struct slot *left = own;
    own = NULL;
    atomic_store(&left->pid, 0);
}
