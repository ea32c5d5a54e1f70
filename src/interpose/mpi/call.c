#include "interpose/mpi/call.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/count.h"
#include "interpose/engine.h"
#include "interpose/mpi/clock.h"

enum { MPICH_WORLD = 0x44000000 }; /* in its ABI of 2013 */

/* What a message costs a rank on the simulated clock: that of ranks on one host, roughly. */
enum { LATENCY_NS = 1000, BYTES_PER_NS = 10 };

enum { NAMES_MAX = 64, NAME_BYTES = 256 /* MPI_MAX_OBJECT_NAME is 64 or 128 */ };

static struct {
    pthread_once_t once;
    const struct wl_timeline_engine *engine;
    bool is_open_mpi;
    wl_mpi_handle world;
} library = {.once = PTHREAD_ONCE_INIT};

/* Names of communicators, as ids of the trace. */
static struct {
    pthread_mutex_t lock;
    struct {
        wl_mpi_handle communicator;
        uint32_t name;
    } items[NAMES_MAX];
    size_t next;
} names = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the MPI library ---- */

static int fail(void)
{
    return 1;
}

/* It may have been loaded out of our sight, by Python, say. */
static void *find_symbol(const char *name)
{
    static const char *const files[] = {"libmpi.so.40", "libmpi.so.12", "libmpi.so", "libmpich.so"};
    void *symbol = dlsym(RTLD_NEXT, name);
    for (size_t i = 0; !symbol && i < WL_COUNT(files); i++) {
        void *file = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
        symbol = file ? dlsym(file, name) : NULL;
    }
    return symbol;
}

static void (*resolve(const char *prefix, const char *name))(void)
{
    char symbol_name[64];
    void (*function)(void) = (void (*)(void))fail;
    int saved_errno = errno;
    snprintf(symbol_name, sizeof symbol_name, "%s%s", prefix, name);
    void *symbol = find_symbol(symbol_name);
    if (symbol)
        *(void **)&function = symbol;
    errno = saved_errno;
    return function;
}

void (*wl_mpi_resolve(const char *name))(void)
{
    return resolve("P", name);
}

void (*wl_mpi_resolve_fortran(const char *name))(void)
{
    return resolve("p", name);
}

/* In a block of its own: twin is the PMPI function of that name and type. */
#define TWIN(name, parameters)                     \
    static int(*twin) parameters;                  \
    if (!__atomic_load_n(&twin, __ATOMIC_ACQUIRE)) \
        __atomic_store_n(&twin, (int(*) parameters)wl_mpi_resolve(name), __ATOMIC_RELEASE);

static void open_library(void)
{
    int saved_errno = errno;
    library.engine = wl_interpose_engine();
    /* a program may have a copy of it, which all then use */
    library.world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
    if (!library.world)
        library.world = find_symbol("ompi_mpi_comm_world");
    library.is_open_mpi = library.world != NULL;
    if (!library.is_open_mpi)
        library.world = (wl_mpi_handle)(uintptr_t)MPICH_WORLD;
    if (library.engine)
        wl_mpi_clock_start(library.engine, library.is_open_mpi);
    errno = saved_errno;
}

/* ---- recording ---- */

void wl_mpi_begin(struct wl_mpi_facts *facts, bool talks)
{
    pthread_once(&library.once, open_library);
    bool is_wanted = library.engine && library.engine->is_wanted(WL_TIMELINE_MPI);
    if (!is_wanted)
        return;
    facts->is_held = talks && wl_mpi_clock_is_simulated();
    if (facts->is_held)
        wl_mpi_clock_hold();
    facts->start = library.engine->now();
}

/* When the call would have ended. */
static uint64_t end_of(const struct wl_mpi_facts *facts)
{
    uint64_t bytes = facts->is_begun ? 0 : facts->sent_bytes + facts->received_bytes;
    uint64_t from_ns = facts->ready_ns > facts->start ? facts->ready_ns : facts->start;
    return from_ns + LATENCY_NS + bytes / BYTES_PER_NS;
}

wl_mpi_handle wl_mpi_world(void)
{
    return library.world;
}

wl_mpi_handle wl_mpi_handle_at(const void *place)
{
    return library.is_open_mpi ? *(const wl_mpi_handle *)place
                               : (wl_mpi_handle)(uintptr_t) * (const unsigned *)place;
}

static uint32_t read_name(wl_mpi_handle communicator)
{
    char text[NAME_BYTES] = "";
    int length = 0;
    TWIN("MPI_Comm_get_name", (wl_mpi_handle, char *, int *))
    if (twin(communicator, text, &length) != 0 || !text[0])
        snprintf(text, sizeof text, "communicator of %d", wl_mpi_size(communicator));
    return library.engine->name(text);
}

/* Not of ints' upper halves, which are anything. */
wl_mpi_handle wl_mpi_normal(wl_mpi_handle handle)
{
    return library.is_open_mpi ? handle : (wl_mpi_handle)((uintptr_t)handle & UINT32_MAX);
}

static uint32_t name_of(wl_mpi_handle communicator)
{
    uint32_t name = 0;
    communicator = wl_mpi_normal(communicator);
    if (!communicator)
        return 0;
    pthread_mutex_lock(&names.lock);
    for (size_t i = 0; !name && i < NAMES_MAX; i++)
        if (names.items[i].communicator == communicator)
            name = names.items[i].name;
    if (!name) {
        name = read_name(communicator);
        names.items[names.next].communicator = communicator;
        names.items[names.next].name = name;
        names.next = (names.next + 1) % NAMES_MAX;
    }
    pthread_mutex_unlock(&names.lock);
    return name;
}

void wl_mpi_forget_name(wl_mpi_handle communicator)
{
    communicator = wl_mpi_normal(communicator);
    pthread_mutex_lock(&names.lock);
    for (size_t i = 0; i < NAMES_MAX; i++)
        if (names.items[i].communicator == communicator)
            names.items[i].communicator = NULL;
    pthread_mutex_unlock(&names.lock);
}

void wl_mpi_end(struct wl_mpi_call *call, const struct wl_mpi_facts *facts)
{
    const struct wl_timeline_engine *engine = library.engine;
    if (facts->is_held)
        wl_mpi_clock_release(end_of(facts));
    uint64_t now = facts->is_held ? end_of(facts) : engine->now();
    int saved_errno = errno;
    uint32_t name = __atomic_load_n(&call->name_id, __ATOMIC_RELAXED);
    if (!name) {
        name = engine->name(call->name);
        __atomic_store_n(&call->name_id, name, __ATOMIC_RELAXED);
    }
    struct wl_timeline_record record = {
        .category = WL_TIMELINE_MPI,
        .name = name,
        .flags =
            (facts->result ? WL_TIMELINE_FAILED : 0) | (facts->is_held ? WL_TIMELINE_PREDICTED : 0),
        .start = facts->start,
        .end = now,
        .words = {facts->sent_bytes, facts->received_bytes, (uint64_t)facts->peer,
                  (uint64_t)facts->tag, facts->communicator ? name_of(facts->communicator) : 0,
                  (uint64_t)facts->result},
    };
    engine->put(&record);
    errno = saved_errno;
}

/* ---- what arguments mean ---- */

uint64_t wl_mpi_bytes(int64_t count, wl_mpi_handle type)
{
    int size_bytes = 0;
    TWIN("MPI_Type_size", (wl_mpi_handle, int *))
    if (count <= 0 || twin(type, &size_bytes) != 0 || size_bytes <= 0)
        return 0;
    return (uint64_t)count * (uint64_t)size_bytes;
}

int wl_mpi_size(wl_mpi_handle communicator)
{
    int size = 0;
    TWIN("MPI_Comm_size", (wl_mpi_handle, int *))
    return twin(communicator, &size) == 0 ? size : 0;
}

int wl_mpi_rank(wl_mpi_handle communicator)
{
    int rank = -1;
    TWIN("MPI_Comm_rank", (wl_mpi_handle, int *))
    return twin(communicator, &rank) == 0 ? rank : -1;
}

uint64_t wl_mpi_bytes_of_all(const int *counts, wl_mpi_handle type, wl_mpi_handle communicator)
{
    int64_t sum = 0;
    int size = wl_mpi_size(communicator);
    for (int i = 0; counts && i < size; i++)
        sum += counts[i];
    return wl_mpi_bytes(sum, type);
}

/* MPI_STATUS_IGNORE is NULL in Open MPI and 1 in the MPICH family. */
void *wl_mpi_choose_status(void *status, struct wl_mpi_status *own)
{
    return (uintptr_t)status <= 1 ? own : status;
}

uint64_t wl_mpi_received_bytes(const void *status, wl_mpi_handle type)
{
    int count = 0;
    TWIN("MPI_Get_count", (const void *, wl_mpi_handle, int *))
    return twin(status, type, &count) == 0 ? wl_mpi_bytes(count, type) : 0;
}

/* Open MPI's status begins with source and tag; in that of the MPICH family they are third and
 * fourth (its ABI of 2013). */
static int64_t status_field(const void *status, size_t field)
{
    return ((const int *)status)[library.is_open_mpi ? field : field + 2];
}

int64_t wl_mpi_source(const void *status)
{
    return status_field(status, 0);
}

int64_t wl_mpi_tag(const void *status)
{
    return status_field(status, 1);
}

/* ---- Fortran ---- */

/* The handles of the MPICH family are the same ints. */
wl_mpi_handle wl_mpi_type_of(int type)
{
    static wl_mpi_handle (*convert)(int);
    if (!library.is_open_mpi)
        return (wl_mpi_handle)(uintptr_t)(unsigned)type;
    if (!__atomic_load_n(&convert, __ATOMIC_ACQUIRE))
        __atomic_store_n(&convert, (wl_mpi_handle(*)(int))wl_mpi_resolve("MPI_Type_f2c"),
                         __ATOMIC_RELEASE);
    return convert(type);
}

wl_mpi_handle wl_mpi_communicator_of(int communicator)
{
    static wl_mpi_handle (*convert)(int);
    if (!library.is_open_mpi)
        return (wl_mpi_handle)(uintptr_t)(unsigned)communicator;
    if (!__atomic_load_n(&convert, __ATOMIC_ACQUIRE))
        __atomic_store_n(&convert, (wl_mpi_handle(*)(int))wl_mpi_resolve("MPI_Comm_f2c"),
                         __ATOMIC_RELEASE);
    return convert(communicator);
}

/* MPI_STATUS_IGNORE is a variable of the library there. */
void *wl_mpi_choose_fortran_status(void *status, struct wl_mpi_status *own)
{
    static const char *const names[] = {"mpi_fortran_status_ignore_",
                                        "MPIR_F08_MPI_STATUS_IGNORE_OBJ"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (status == dlsym(RTLD_DEFAULT, names[i]))
            return own;
    return status ? status : own;
}
