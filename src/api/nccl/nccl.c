/* NCCL for one process: ranks are simulated GPUs, which share one memory, or share one GPU. Names
 * and numbers are those of the NCCL documentation. */
#include <string.h>
#include <unistd.h>

#include "api/nccl/clique.h"
#include "base/count.h"

#define VERSION 22800
#define MAGIC 0x776e6363u

enum { NO_COLOR = -1 };

/* A clique that is being split: what its ranks asked for. */
struct wl_nccl_split {
    int joined;
    struct {
        bool has_asked;
        int color, key;
        struct wl_nccl_rank *made; /* NULL: none was wanted */
    } each[WL_NCCL_RANKS_MOST];
    struct wl_nccl_split *next;
};

union unique_id {
    char bytes[128];
    struct {
        uint64_t number, process; /* where it was made */
    };
};

static struct wl_nccl_clique *cliques;
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

int ncclGetUniqueId(union unique_id *id)
{
    if (!id)
        return INVALID_ARGUMENT;
    memset(id, 0, sizeof *id);
    id->number = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    id->process = (uint64_t)getpid();
    return OK;
}

static struct wl_nccl_clique *find_clique(uint64_t id, int count)
{
    struct wl_nccl_clique *clique = cliques;
    while (clique && clique->id != id)
        clique = clique->next;
    if (clique)
        return clique;
    clique = wl_alloc_zero(1, sizeof *clique);
    *clique = (struct wl_nccl_clique){.id = id, .count = count, .next = cliques};
    cliques = clique;
    return clique;
}

static int join(struct wl_nccl_rank **made, uint64_t id, int count, int number, int device)
{
    if (!made || count < 1 || count > WL_NCCL_RANKS_MOST || number < 0 || number >= count)
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&wl_nccl_lock);
    struct wl_nccl_clique *clique = find_clique(id, count);
    int status = clique->count == count && !clique->ranks[number] ? OK : INVALID_USAGE;
    if (!status) {
        *made = wl_stand_in_create(MAGIC, sizeof **made);
        (*made)->number = number;
        (*made)->device = device;
        (*made)->clique = clique;
        (*made)->thread = pthread_self();
        clique->ranks[number] = *made;
        clique->joined++;
    }
    pthread_mutex_unlock(&wl_nccl_lock);
    return status;
}

int ncclCommInitRank(struct wl_nccl_rank **made, int count, union unique_id id, int number)
{
    if (id.process != (uint64_t)getpid()) {
        wl_device_refuse("a clique of several processes (NCCL)");
        return wl_nccl_fail(INVALID_USAGE);
    }
    return wl_nccl_fail(join(made, id.number, count, number, wl_device_current()));
}

/* What a configuration says (blocking, how much of a GPU) changes nothing here. */
int ncclCommInitRankConfig(struct wl_nccl_rank **made, int count, union unique_id id, int number,
                           const void *configuration)
{
    (void)configuration;
    return ncclCommInitRank(made, count, id, number);
}

int ncclCommInitRankScalable(struct wl_nccl_rank **made, int count, int number, int ids,
                             const union unique_id *all, const void *configuration)
{
    (void)configuration;
    return ids > 0 && all ? ncclCommInitRank(made, count, all[0], number) : INVALID_ARGUMENT;
}

static void drop(struct wl_nccl_clique *gone)
{
    struct wl_nccl_clique **place = &cliques;
    while (*place != gone)
        place = &(*place)->next;
    *place = gone->next;
    for (struct wl_nccl_split *split; (split = gone->splits) != NULL; free(split))
        gone->splits = split->next;
    free(gone);
}

/* False: it is no rank. Waits until it is in its clique. */
static bool is_ready(struct wl_nccl_rank *rank)
{
    if (!wl_stand_in_check(rank, MAGIC))
        return false;
    pthread_mutex_lock(&wl_nccl_lock);
    while (!rank->clique)
        wl_nccl_wait();
    pthread_mutex_unlock(&wl_nccl_lock);
    return true;
}

/* ---- splitting ---- */

/* The new number of a rank among those of its color: by their keys, then by their old numbers. */
static int number_in(const struct wl_nccl_split *split, int count, int rank)
{
    int number = 0;
    for (int i = 0; i < count; i++)
        number += split->each[i].color == split->each[rank].color &&
                  (split->each[i].key < split->each[rank].key ||
                   (split->each[i].key == split->each[rank].key && i < rank));
    return number;
}

/* All have asked: makes a clique for each color. */
static void finish_split(const struct wl_nccl_split *split, int count)
{
    for (int first = 0; first < count; first++) {
        const int color = split->each[first].color;
        if (!split->each[first].made || split->each[first].made->clique)
            continue;
        struct wl_nccl_clique *clique = wl_alloc_zero(1, sizeof *clique);
        clique->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
        clique->next = cliques;
        cliques = clique;
        for (int i = first; i < count; i++) {
            if (split->each[i].color != color)
                continue;
            struct wl_nccl_rank *made = split->each[i].made;
            made->number = number_in(split, count, i);
            made->clique = clique;
            clique->ranks[made->number] = made;
            clique->count = ++clique->joined;
        }
    }
    wl_nccl_tell_changed();
}

/* The first that the rank has not asked in yet. */
static struct wl_nccl_split *find_split(struct wl_nccl_clique *clique, int rank)
{
    struct wl_nccl_split **place = &clique->splits;
    while (*place && (*place)->each[rank].has_asked)
        place = &(*place)->next;
    if (!*place)
        *place = wl_alloc_zero(1, sizeof **place);
    return *place;
}

int ncclCommSplit(struct wl_nccl_rank *rank, int color, int key, struct wl_nccl_rank **made,
                  const void *configuration)
{
    (void)configuration;
    if (!is_ready(rank) || !made || (color < 0 && color != NO_COLOR))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&wl_nccl_lock);
    struct wl_nccl_clique *clique = rank->clique;
    struct wl_nccl_split *split = find_split(clique, rank->number);
    *made = NULL;
    if (color != NO_COLOR) {
        *made = wl_stand_in_create(MAGIC, sizeof **made);
        (*made)->device = rank->device;
        (*made)->thread = pthread_self();
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
    pthread_mutex_unlock(&wl_nccl_lock);
    return OK;
}

int ncclCommDestroy(struct wl_nccl_rank *rank)
{
    if (!is_ready(rank))
        return INVALID_ARGUMENT;
    wl_nccl_forget(rank);
    pthread_mutex_lock(&wl_nccl_lock);
    rank->waiting.count = 0;
    wl_nccl_tell_changed();
    while (rank->waiters)
        wl_nccl_wait();
    rank->clique->ranks[rank->number] = NULL;
    if (--rank->clique->joined == 0)
        drop(rank->clique);
    free(rank->waiting.items);
    free(rank->operations.items);
    wl_stand_in_destroy(rank, MAGIC);
    pthread_mutex_unlock(&wl_nccl_lock);
    return OK;
}

int ncclCommInitAll(struct wl_nccl_rank **made, int count, const int *devices)
{
    uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    int status = made && count >= 0 ? OK : INVALID_ARGUMENT;
    for (int i = 0; i < count && !status; i++) {
        int device = devices ? devices[i] : i;
        status = device >= 0 && device < wl_device_count() ? join(&made[i], id, count, i, device)
                                                           : INVALID_ARGUMENT;
        for (int k = 0; k < i && status; k++)
            ncclCommDestroy(made[k]);
    }
    return wl_nccl_fail(status);
}

int ncclCommFinalize(struct wl_nccl_rank *rank)
{
    return wl_stand_in_check(rank, MAGIC) ? OK : INVALID_ARGUMENT;
}

int ncclCommAbort(struct wl_nccl_rank *rank)
{
    return ncclCommDestroy(rank);
}

int ncclCommGetAsyncError(struct wl_nccl_rank *rank, int *error)
{
    if (!wl_stand_in_check(rank, MAGIC) || !error)
        return INVALID_ARGUMENT;
    *error = OK;
    return OK;
}

#define QUESTION(name, answer)                       \
    int name(struct wl_nccl_rank *rank, int *result) \
    {                                                \
        if (!is_ready(rank) || !result)              \
            return INVALID_ARGUMENT;                 \
        *result = answer;                            \
        return OK;                                   \
    }
QUESTION(ncclCommCount, rank->clique->count)
QUESTION(ncclCommCuDevice, rank->device)
QUESTION(ncclCommUserRank, rank->number)

/* ---- operations of the program's own ---- */

int ncclRedOpCreatePreMulSum(int *operation, void *factor, int type, int residence,
                             struct wl_nccl_rank *rank)
{
    enum { ON_DEVICE, ON_HOST };
    if (!is_ready(rank) || !operation || !factor || !wl_nccl_can_reduce(type) ||
        (residence != ON_DEVICE && residence != ON_HOST))
        return INVALID_ARGUMENT;
    struct wl_nccl_own made = {
        .type = type, .is_on_device = residence == ON_DEVICE, .place = factor};
    if (residence == ON_HOST)
        memcpy(&made.factor, factor, wl_nccl_type_bytes(type));
    pthread_mutex_lock(&wl_nccl_lock);
    size_t at = 0;
    while (at < rank->operations.count && rank->operations.items[at].type >= 0)
        at++;
    if (at == rank->operations.count)
        WL_PUSH(&rank->operations, made);
    rank->operations.items[at] = made;
    *operation = WL_NCCL_FIRST_OWN + (int)at;
    pthread_mutex_unlock(&wl_nccl_lock);
    return OK;
}

/* NULL: the rank has no such operation. Expects the lock. */
static struct wl_nccl_own *find_operation(struct wl_nccl_rank *rank, int operation)
{
    const size_t at = (size_t)operation - WL_NCCL_FIRST_OWN;
    if (operation < WL_NCCL_FIRST_OWN || at >= rank->operations.count ||
        rank->operations.items[at].type < 0)
        return NULL;
    return &rank->operations.items[at];
}

/* What was asked for with it and is not done yet keeps it. */
int ncclRedOpDestroy(int operation, struct wl_nccl_rank *rank)
{
    if (!is_ready(rank))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&wl_nccl_lock);
    struct wl_nccl_own *found = find_operation(rank, operation);
    if (found)
        found->type = -1;
    pthread_mutex_unlock(&wl_nccl_lock);
    return found ? OK : INVALID_ARGUMENT;
}

/* ---- memory ---- */

int ncclMemAlloc(void **address, size_t bytes)
{
    if (!address || !bytes)
        return INVALID_ARGUMENT;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, (uint32_t)wl_device_current(),
                                     address)
               ? UNHANDLED_CUDA_ERROR
               : OK;
}

int ncclMemFree(void *address)
{
    return wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address) ? UNHANDLED_CUDA_ERROR : OK;
}

/* All memory can be sent from and received in as it is. */
int ncclCommRegister(struct wl_nccl_rank *rank, void *address, size_t bytes, void **handle)
{
    if (!is_ready(rank) || !address || !bytes || !handle)
        return INVALID_ARGUMENT;
    *handle = address;
    return OK;
}

int ncclCommDeregister(struct wl_nccl_rank *rank, void *handle)
{
    return is_ready(rank) && handle ? OK : INVALID_ARGUMENT;
}

/* ---- collectives ---- */

/* OK, or why the rank cannot reduce so; keeps its own operation in the request. */
static int check_operation(struct wl_nccl_rank *rank, struct wl_nccl_request *request)
{
    int status = OK;
    if (!wl_nccl_can_reduce(request->type)) {
        wl_device_refuse("a reduction (NCCL) of floats of 8 bits");
        return INVALID_USAGE;
    }
    if (request->operation < WL_NCCL_FIRST_OWN)
        return request->operation >= 0 ? OK : INVALID_ARGUMENT;
    pthread_mutex_lock(&wl_nccl_lock);
    const struct wl_nccl_own *own = find_operation(rank, request->operation);
    if (own && own->type == request->type)
        request->own = *own;
    else
        status = INVALID_ARGUMENT;
    pthread_mutex_unlock(&wl_nccl_lock);
    return status;
}

/* Whether the rank has a place for what it gives and for what it gets. */
static bool has_places(const struct wl_nccl_rank *rank, const struct wl_nccl_request *request)
{
    const enum wl_nccl_kind kind = request->kind;
    const bool is_root = rank->number == request->root;
    const bool gives = kind != RECEIVE && ((kind != BROADCAST && kind != SCATTER) || is_root);
    const bool gets = kind != SEND && ((kind != REDUCE && kind != GATHER) || is_root);
    return !request->count || ((!gives || request->from) && (!gets || request->to));
}

static int check(struct wl_nccl_rank *rank, struct wl_nccl_request *request)
{
    if (!is_ready(rank) || !wl_nccl_type_bytes(request->type) || request->root < 0 ||
        request->root >= rank->clique->count || !has_places(rank, request))
        return INVALID_ARGUMENT;
    const bool is_sum =
        request->kind == ALL_REDUCE || request->kind == REDUCE || request->kind == REDUCE_SCATTER;
    return is_sum ? check_operation(rank, request) : OK;
}

/* Of nothing there is no collective. */
static int ask(struct wl_nccl_rank *rank, struct wl_nccl_request request, void *stream)
{
    int status = check(rank, &request);
    if (status || (!request.count && request.kind < SEND))
        return wl_nccl_fail(status);
    pthread_mutex_lock(&wl_nccl_lock);
    rank->thread = pthread_self();
    pthread_mutex_unlock(&wl_nccl_lock);
    return wl_nccl_ask(rank, &request, stream);
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation,
                  struct wl_nccl_rank *rank, void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){.kind = ALL_REDUCE,
                                        .from = from,
                                        .to = to,
                                        .count = count,
                                        .type = type,
                                        .operation = operation},
               stream);
}

int ncclReduce(const void *from, void *to, size_t count, int type, int operation, int root,
               struct wl_nccl_rank *rank, void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){.kind = REDUCE,
                                        .from = from,
                                        .to = to,
                                        .count = count,
                                        .type = type,
                                        .operation = operation,
                                        .root = root},
               stream);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                  struct wl_nccl_rank *rank, void *stream)
{
    return ask(
        rank,
        (struct wl_nccl_request){
            .kind = BROADCAST, .from = from, .to = to, .count = count, .type = type, .root = root},
        stream);
}

int ncclBcast(void *both, size_t count, int type, int root, struct wl_nccl_rank *rank, void *stream)
{
    return ncclBroadcast(both, both, count, type, root, rank, stream);
}

int ncclAllGather(const void *from, void *to, size_t count, int type, struct wl_nccl_rank *rank,
                  void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){
                   .kind = ALL_GATHER, .from = from, .to = to, .count = count, .type = type},
               stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int operation,
                      struct wl_nccl_rank *rank, void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){.kind = REDUCE_SCATTER,
                                        .from = from,
                                        .to = to,
                                        .count = count,
                                        .type = type,
                                        .operation = operation},
               stream);
}

int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct wl_nccl_rank *rank,
                 void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){
                   .kind = ALL_TO_ALL, .from = from, .to = to, .count = count, .type = type},
               stream);
}

int ncclGather(const void *from, void *to, size_t count, int type, int root,
               struct wl_nccl_rank *rank, void *stream)
{
    return ask(
        rank,
        (struct wl_nccl_request){
            .kind = GATHER, .from = from, .to = to, .count = count, .type = type, .root = root},
        stream);
}

int ncclScatter(const void *from, void *to, size_t count, int type, int root,
                struct wl_nccl_rank *rank, void *stream)
{
    return ask(
        rank,
        (struct wl_nccl_request){
            .kind = SCATTER, .from = from, .to = to, .count = count, .type = type, .root = root},
        stream);
}

int ncclSend(const void *from, size_t count, int type, int other, struct wl_nccl_rank *rank,
             void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){
                   .kind = SEND, .from = from, .count = count, .type = type, .root = other},
               stream);
}

int ncclRecv(void *to, size_t count, int type, int other, struct wl_nccl_rank *rank, void *stream)
{
    return ask(rank,
               (struct wl_nccl_request){
                   .kind = RECEIVE, .to = to, .count = count, .type = type, .root = other},
               stream);
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
