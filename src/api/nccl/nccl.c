/* NCCL for one process: ranks are simulated GPUs, which share one memory, or share one GPU. A
 * collective is done when the last rank has asked for it, by the host, in the order of the ranks.
 * Names and numbers are those of the NCCL documentation. */
#include <pthread.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "api/nccl/reduce.h"
#include "base/count.h"

#define VERSION 22800
#define MAGIC 0x776e6363u
#define RANKS_MOST 256

enum {
    OK = 0,
    UNHANDLED_CUDA_ERROR = 1,
    INTERNAL_ERROR = 3,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5
};
enum { NO_COLOR = -1 };
enum kind {
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    GATHER,
    SCATTER,
    SEND,
    RECEIVE
};

struct request {
    enum kind kind;
    const void *from;
    void *to;
    size_t count;
    int type, operation, root; /* root: of SEND and RECEIVE the other rank */
};

struct clique;

/* An operation of the program's own: the sum of multiples. */
struct own_operation {
    int type;          /* -1: it is gone */
    bool is_on_device; /* the factor is read when it is used */
    const void *place;
    uint64_t factor;
};

struct rank {
    uint32_t magic;
    int number, device;
    struct clique *clique; /* NULL until all ranks that split another one have asked */
    WL_VECTOR(struct request) waiting;
    WL_VECTOR(struct own_operation) operations;
};

/* A clique that is being split: what its ranks asked for. */
struct split {
    int joined;
    struct {
        bool has_asked;
        int color, key;
        struct rank *made; /* NULL: none was wanted */
    } each[RANKS_MOST];
    struct split *next;
};

struct clique {
    uint64_t id; /* in the first bytes of the program's ncclUniqueId */
    int count, joined;
    struct rank *ranks[RANKS_MOST];
    struct split *splits; /* the first begun is the first */
    struct clique *next;
};

struct unique_id {
    char bytes[128];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct clique *cliques;
static uint64_t last_id;

int ncclGetVersion(int *version)
{
    if (!version)
        return INVALID_ARGUMENT;
    *version = VERSION;
    return OK;
}

const char *ncclGetErrorString(int code)
{
    static const char *const texts[] = {
        "no error",       "unhandled cuda error", "unhandled system error",
        "internal error", "invalid argument",     "invalid usage"};
    return (unsigned)code < WL_COUNT(texts) ? texts[code] : "unknown result code";
}

const char *ncclGetLastError(void *rank)
{
    (void)rank;
    return "";
}

int ncclGetUniqueId(struct unique_id *id)
{
    if (!id)
        return INVALID_ARGUMENT;
    uint64_t number = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    memset(id, 0, sizeof *id);
    memcpy(id->bytes, &number, sizeof number);
    return OK;
}

static struct clique *find_clique(uint64_t id, int count)
{
    struct clique *clique = cliques;
    while (clique && clique->id != id)
        clique = clique->next;
    if (clique)
        return clique;
    clique = wl_alloc_zero(1, sizeof *clique);
    *clique = (struct clique){.id = id, .count = count, .next = cliques};
    cliques = clique;
    return clique;
}

static int join(struct rank **made, uint64_t id, int count, int number, int device)
{
    if (!made || count < 1 || count > RANKS_MOST || number < 0 || number >= count)
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    struct clique *clique = find_clique(id, count);
    int status = clique->count == count && !clique->ranks[number] ? OK : INVALID_USAGE;
    if (!status) {
        *made = wl_stand_in_create(MAGIC, sizeof **made);
        (*made)->number = number;
        (*made)->device = device;
        (*made)->clique = clique;
        clique->ranks[number] = *made;
        clique->joined++;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int ncclCommInitRank(struct rank **made, int count, struct unique_id id, int number)
{
    uint64_t id_number;
    memcpy(&id_number, id.bytes, sizeof id_number);
    return join(made, id_number, count, number, wl_device_current());
}

/* What a configuration says (blocking, how much of a GPU) changes nothing here. */
int ncclCommInitRankConfig(struct rank **made, int count, struct unique_id id, int number,
                           const void *configuration)
{
    (void)configuration;
    return ncclCommInitRank(made, count, id, number);
}

int ncclCommInitRankScalable(struct rank **made, int count, int number, int ids,
                             const struct unique_id *all, const void *configuration)
{
    (void)configuration;
    return ids > 0 && all ? ncclCommInitRank(made, count, all[0], number) : INVALID_ARGUMENT;
}

int ncclCommInitAll(struct rank **made, int count, const int *devices)
{
    uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    int status = made ? OK : INVALID_ARGUMENT;
    for (int i = 0; i < count && !status; i++) {
        int device = devices ? devices[i] : i;
        status = device >= 0 && device < wl_device_count() ? join(&made[i], id, count, i, device)
                                                           : INVALID_ARGUMENT;
    }
    return status;
}

static void drop(struct clique *gone)
{
    struct clique **place = &cliques;
    while (*place != gone)
        place = &(*place)->next;
    *place = gone->next;
    free(gone);
}

/* False: it is no rank. Waits until it is in its clique. */
static bool is_ready(struct rank *rank)
{
    if (!wl_stand_in_check(rank, MAGIC))
        return false;
    pthread_mutex_lock(&lock);
    while (!rank->clique)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return true;
}

/* ---- splitting ---- */

/* The new number of a rank among those of its color: by their keys, then by their old numbers. */
static int number_in(const struct split *split, int count, int rank)
{
    int number = 0;
    for (int i = 0; i < count; i++)
        number += split->each[i].color == split->each[rank].color &&
                  (split->each[i].key < split->each[rank].key ||
                   (split->each[i].key == split->each[rank].key && i < rank));
    return number;
}

/* All have asked: makes a clique for each color. */
static void finish_split(const struct split *split, int count)
{
    for (int first = 0; first < count; first++) {
        const int color = split->each[first].color;
        if (!split->each[first].made || split->each[first].made->clique)
            continue;
        struct clique *clique = wl_alloc_zero(1, sizeof *clique);
        clique->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
        clique->next = cliques;
        cliques = clique;
        for (int i = first; i < count; i++) {
            if (split->each[i].color != color)
                continue;
            struct rank *made = split->each[i].made;
            made->number = number_in(split, count, i);
            made->clique = clique;
            clique->ranks[made->number] = made;
            clique->count = ++clique->joined;
        }
    }
    pthread_cond_broadcast(&changed);
}

/* The first that the rank has not asked in yet. */
static struct split *find_split(struct clique *clique, int rank)
{
    struct split **place = &clique->splits;
    while (*place && (*place)->each[rank].has_asked)
        place = &(*place)->next;
    if (!*place)
        *place = wl_alloc_zero(1, sizeof **place);
    return *place;
}

int ncclCommSplit(struct rank *rank, int color, int key, struct rank **made,
                  const void *configuration)
{
    (void)configuration;
    if (!is_ready(rank) || !made || (color < 0 && color != NO_COLOR))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    struct clique *clique = rank->clique;
    struct split *split = find_split(clique, rank->number);
    *made = NULL;
    if (color != NO_COLOR) {
        *made = wl_stand_in_create(MAGIC, sizeof **made);
        (*made)->device = rank->device;
    }
    split->each[rank->number].has_asked = true;
    split->each[rank->number].color = color;
    split->each[rank->number].key = key;
    split->each[rank->number].made = *made;
    if (++split->joined == clique->count) {
        finish_split(split, clique->count);
        clique->splits = split->next;
        free(split);
    }
    pthread_mutex_unlock(&lock);
    return OK;
}

int ncclCommDestroy(struct rank *rank)
{
    if (!is_ready(rank))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    rank->clique->ranks[rank->number] = NULL;
    if (--rank->clique->joined == 0)
        drop(rank->clique);
    free(rank->waiting.items);
    free(rank->operations.items);
    wl_stand_in_destroy(rank, MAGIC);
    pthread_mutex_unlock(&lock);
    return OK;
}

int ncclCommFinalize(struct rank *rank)
{
    return wl_stand_in_check(rank, MAGIC) ? OK : INVALID_ARGUMENT;
}

int ncclCommAbort(struct rank *rank)
{
    return ncclCommDestroy(rank);
}

int ncclCommGetAsyncError(struct rank *rank, int *error)
{
    if (!wl_stand_in_check(rank, MAGIC) || !error)
        return INVALID_ARGUMENT;
    *error = OK;
    return OK;
}

#define QUESTION(name, answer)               \
    int name(struct rank *rank, int *result) \
    {                                        \
        if (!is_ready(rank) || !result)      \
            return INVALID_ARGUMENT;         \
        *result = answer;                    \
        return OK;                           \
    }
QUESTION(ncclCommCount, rank->clique->count)
QUESTION(ncclCommCuDevice, rank->device)
QUESTION(ncclCommUserRank, rank->number)

/* ---- operations of the program's own ---- */

int ncclRedOpCreatePreMulSum(int *operation, void *factor, int type, int residence,
                             struct rank *rank)
{
    enum { ON_DEVICE, ON_HOST };
    if (!is_ready(rank) || !operation || !factor || !wl_nccl_can_reduce(type) ||
        (residence != ON_DEVICE && residence != ON_HOST))
        return INVALID_ARGUMENT;
    struct own_operation made = {
        .type = type, .is_on_device = residence == ON_DEVICE, .place = factor};
    if (residence == ON_HOST)
        memcpy(&made.factor, factor, wl_nccl_type_bytes(type));
    pthread_mutex_lock(&lock);
    *operation = WL_NCCL_FIRST_OWN + (int)rank->operations.count;
    WL_PUSH(&rank->operations, made);
    pthread_mutex_unlock(&lock);
    return OK;
}

/* NULL: the rank has no such operation. Expects the lock. */
static struct own_operation *find_operation(struct rank *rank, int operation)
{
    const size_t at = (size_t)operation - WL_NCCL_FIRST_OWN;
    if (operation < WL_NCCL_FIRST_OWN || at >= rank->operations.count ||
        rank->operations.items[at].type < 0)
        return NULL;
    return &rank->operations.items[at];
}

/* What was asked for with it and is not done yet keeps it. */
int ncclRedOpDestroy(int operation, struct rank *rank)
{
    if (!is_ready(rank))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    struct own_operation *found = find_operation(rank, operation);
    if (found)
        found->type = -1;
    pthread_mutex_unlock(&lock);
    return found ? OK : INVALID_ARGUMENT;
}

/* ---- memory ---- */

int ncclMemAlloc(void **address, size_t bytes)
{
    if (!address || !bytes)
        return INVALID_ARGUMENT;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, address)
               ? UNHANDLED_CUDA_ERROR
               : OK;
}

int ncclMemFree(void *address)
{
    return wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address) ? UNHANDLED_CUDA_ERROR : OK;
}

/* All memory can be sent from and received in as it is. */
int ncclCommRegister(struct rank *rank, void *address, size_t bytes, void **handle)
{
    if (!is_ready(rank) || !address || !bytes || !handle)
        return INVALID_ARGUMENT;
    *handle = address;
    return OK;
}

int ncclCommDeregister(struct rank *rank, void *handle)
{
    return is_ready(rank) && handle ? OK : INVALID_ARGUMENT;
}

/* ---- collectives ---- */

/* A rank's elements, as its operation takes them: in place. */
static void prepare(const struct rank *rank, const struct request *request, void *elements)
{
    const size_t at = (size_t)request->operation - WL_NCCL_FIRST_OWN;
    if (request->operation < WL_NCCL_FIRST_OWN)
        return;
    const struct own_operation *own = &rank->operations.items[at];
    wl_nccl_multiply(request->type, elements, own->is_on_device ? own->place : &own->factor,
                     request->count);
}

/* The reduction of all ranks' sources, of count elements each. */
static void reduce(const struct clique *clique, const struct request *each, size_t count, char *to)
{
    const size_t bytes = wl_nccl_type_bytes(each->type) * count;
    char *next = wl_alloc_zero(bytes + 1, 1);
    for (int i = 0; i < clique->count; i++) {
        struct request whole = each[i];
        whole.count = count;
        memcpy(i ? next : to, each[i].from, bytes);
        prepare(clique->ranks[i], &whole, i ? next : to);
        if (i)
            wl_nccl_combine(each->type, each->operation, to, next, count);
    }
    if (each->operation == WL_NCCL_AVERAGE)
        wl_nccl_divide(each->type, to, clique->count, count);
    free(next);
}

/* What each kind of collective moves: of how many parts (of count elements) the common data is, and
 * whether a rank gets all of it, or its part. */
static const struct {
    bool is_reduced, is_from_all, is_from_root; /* where the data is from */
    bool is_in_parts, gets_all, gets_only_root;
} rows[] = {
    [ALL_REDUCE] = {.is_reduced = true, .gets_all = true},
    [REDUCE] = {.is_reduced = true, .gets_all = true, .gets_only_root = true},
    [BROADCAST] = {.is_from_root = true, .gets_all = true},
    [ALL_GATHER] = {.is_from_all = true, .is_in_parts = true, .gets_all = true},
    [REDUCE_SCATTER] = {.is_reduced = true, .is_in_parts = true},
    [GATHER] = {.is_from_all = true, .is_in_parts = true, .gets_all = true, .gets_only_root = true},
    [SCATTER] = {.is_from_root = true, .is_in_parts = true},
    [ALL_TO_ALL] = {.is_in_parts = true},
};

static void run_all_to_all(const struct clique *clique, const struct request *each)
{
    const size_t part = each->count * wl_nccl_type_bytes(each->type);
    const size_t ranks = (size_t)clique->count;
    char *all = wl_alloc_zero(part * ranks * ranks + 1, 1);
    for (size_t i = 0; i < ranks; i++)
        memcpy(all + i * part * ranks, each[i].from, part * ranks);
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; k < ranks; k++)
            memcpy((char *)each[k].to + i * part, all + (i * ranks + k) * part, part);
    free(all);
}

static void run(const struct clique *clique, const struct request *each)
{
    const size_t part = each->count * wl_nccl_type_bytes(each->type);
    const size_t parts = rows[each->kind].is_in_parts ? (size_t)clique->count : 1;
    if (each->kind == ALL_TO_ALL) {
        run_all_to_all(clique, each);
        return;
    }
    char *data = wl_alloc_zero(part * parts + 1, 1);
    if (rows[each->kind].is_reduced)
        reduce(clique, each, each->count * parts, data);
    if (rows[each->kind].is_from_root)
        memcpy(data, each[each->root].from, part * parts);
    for (size_t i = 0; rows[each->kind].is_from_all && i < parts; i++)
        memcpy(data + i * part, each[i].from, part);
    for (int i = 0; i < clique->count; i++) {
        if (rows[each->kind].gets_only_root && i != each->root)
            continue;
        if (rows[each->kind].gets_all)
            memcpy(each[i].to, data, part * parts);
        else
            memcpy(each[i].to, data + (size_t)i * part, part);
    }
    free(data);
}

static void take_out(struct rank *rank, size_t at)
{
    rank->waiting.count--;
    memmove(rank->waiting.items + at, rank->waiting.items + at + 1,
            (rank->waiting.count - at) * sizeof *rank->waiting.items);
}

/* The first send or receive of a rank to another one. */
static size_t find_message(const struct rank *rank, enum kind kind, int other)
{
    size_t i = 0;
    while (i < rank->waiting.count &&
           (rank->waiting.items[i].kind != kind || rank->waiting.items[i].root != other))
        i++;
    return i;
}

static bool pass_message(struct clique *clique)
{
    for (int a = 0; a < clique->count; a++) {
        for (int b = 0; b < clique->count; b++) {
            struct rank *from = clique->ranks[a], *to = clique->ranks[b];
            size_t sent = from ? find_message(from, SEND, b) : 0;
            size_t got = to ? find_message(to, RECEIVE, a) : 0;
            if (!from || !to || sent == from->waiting.count || got == to->waiting.count)
                continue;
            const struct request *send = &from->waiting.items[sent],
                                 *receive = &to->waiting.items[got];
            memmove(receive->to, send->from, send->count * wl_nccl_type_bytes(send->type));
            take_out(from, sent);
            if (from == to && got > sent)
                got--;
            take_out(to, got);
            return true;
        }
    }
    return false;
}

/* Does the collective that all ranks wait for; false: there is none. */
static bool run_collective(struct clique *clique)
{
    struct request each[RANKS_MOST];
    for (int i = 0; i < clique->count; i++) {
        struct rank *rank = clique->ranks[i];
        if (!rank || !rank->waiting.count || rank->waiting.items[0].kind >= SEND)
            return false;
        each[i] = rank->waiting.items[0];
    }
    run(clique, each);
    for (int i = 0; i < clique->count; i++)
        take_out(clique->ranks[i], 0);
    return true;
}

/* OK, or why the rank cannot reduce so. Expects the lock. */
static int check_operation(struct rank *rank, const struct request *request)
{
    const struct own_operation *own = find_operation(rank, request->operation);
    if (!wl_nccl_can_reduce(request->type)) {
        wl_device_refuse("a reduction (NCCL) of floats of 8 bits");
        return INVALID_USAGE;
    }
    if (request->operation >= WL_NCCL_FIRST_OWN)
        return own && own->type == request->type ? OK : INVALID_ARGUMENT;
    return request->operation >= 0 ? OK : INVALID_ARGUMENT;
}

static int ask(struct rank *rank, struct request request)
{
    if (!is_ready(rank) || !wl_nccl_type_bytes(request.type) || request.root < 0 ||
        request.root >= rank->clique->count)
        return INVALID_ARGUMENT;
    const bool is_sum =
        request.kind == ALL_REDUCE || request.kind == REDUCE || request.kind == REDUCE_SCATTER;
    pthread_mutex_lock(&lock);
    int status = is_sum ? check_operation(rank, &request) : OK;
    if (!status) {
        WL_PUSH(&rank->waiting, request);
        while (run_collective(rank->clique) || pass_message(rank->clique))
            ;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* What a group holds is done as soon as all ranks have asked for it, within the group too. */
int ncclGroupStart(void)
{
    return OK;
}

int ncclGroupEnd(void)
{
    return OK;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation,
                  struct rank *rank, void *stream)
{
    (void)stream;
    return ask(rank, (struct request){ALL_REDUCE, from, to, count, type, operation, 0});
}

int ncclReduce(const void *from, void *to, size_t count, int type, int operation, int root,
               struct rank *rank, void *stream)
{
    (void)stream;
    return ask(rank, (struct request){REDUCE, from, to, count, type, operation, root});
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, struct rank *rank,
                  void *stream)
{
    (void)stream;
    return ask(rank, (struct request){BROADCAST, from, to, count, type, 0, root});
}

int ncclBcast(void *both, size_t count, int type, int root, struct rank *rank, void *stream)
{
    return ncclBroadcast(both, both, count, type, root, rank, stream);
}

int ncclAllGather(const void *from, void *to, size_t count, int type, struct rank *rank,
                  void *stream)
{
    (void)stream;
    return ask(rank, (struct request){ALL_GATHER, from, to, count, type, 0, 0});
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation,
                      struct rank *rank, void *stream)
{
    (void)stream;
    return ask(rank, (struct request){REDUCE_SCATTER, from, to, count, type, operation, 0});
}

int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct rank *rank,
                 void *stream)
{
    (void)stream;
    return ask(rank, (struct request){ALL_TO_ALL, from, to, count, type, 0, 0});
}

int ncclGather(const void *from, void *to, size_t count, int type, int root, struct rank *rank,
               void *stream)
{
    (void)stream;
    return ask(rank, (struct request){GATHER, from, to, count, type, 0, root});
}

int ncclScatter(const void *from, void *to, size_t count, int type, int root, struct rank *rank,
                void *stream)
{
    (void)stream;
    return ask(rank, (struct request){SCATTER, from, to, count, type, 0, root});
}

int ncclSend(const void *from, size_t count, int type, int other, struct rank *rank, void *stream)
{
    (void)stream;
    return ask(rank, (struct request){SEND, from, NULL, count, type, 0, other});
}

int ncclRecv(void *to, size_t count, int type, int other, struct rank *rank, void *stream)
{
    (void)stream;
    return ask(rank, (struct request){RECEIVE, NULL, to, count, type, 0, other});
}

/* ---- what is not there ---- */

#define U(name)                            \
    int name(void);                        \
    int name(void)                         \
    {                                      \
        wl_device_refuse(#name " (NCCL)"); \
        return INVALID_USAGE;              \
    }
#include "api/nccl/unsupported.def"
#undef U
