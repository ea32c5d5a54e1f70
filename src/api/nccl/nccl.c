/* NCCL for one process: ranks are simulated GPUs, which share one memory, or share one GPU. A
 * collective is done when the last rank has asked for it, by the host, in the order of the ranks.
 * Names and numbers are those of the NCCL documentation. */
#include <pthread.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "base/count.h"

#define VERSION 22800
#define MAGIC 0x776e6363u
#define RANKS_MOST 256

enum { OK = 0, INTERNAL_ERROR = 3, INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
enum { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE };
enum kind { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, SEND, RECEIVE };

struct request {
    enum kind kind;
    const void *from;
    void *to;
    size_t count;
    int type, operation, root; /* root: of SEND and RECEIVE the other rank */
};

struct clique;

struct rank {
    uint32_t magic;
    int number, device;
    struct clique *clique;
    WL_VECTOR(struct request) waiting;
};

struct clique {
    uint64_t id; /* in the first bytes of the program's ncclUniqueId */
    int count, joined;
    struct rank *ranks[RANKS_MOST];
    struct clique *next;
};

struct unique_id {
    char bytes[128];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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

int ncclCommDestroy(struct rank *rank)
{
    if (!wl_stand_in_check(rank, MAGIC))
        return INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    rank->clique->ranks[rank->number] = NULL;
    if (--rank->clique->joined == 0)
        drop(rank->clique);
    free(rank->waiting.items);
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

#define QUESTION(name, answer)                          \
    int name(struct rank *rank, int *result)            \
    {                                                   \
        if (!wl_stand_in_check(rank, MAGIC) || !result) \
            return INVALID_ARGUMENT;                    \
        *result = answer;                               \
        return OK;                                      \
    }
QUESTION(ncclCommCount, rank->clique->count)
QUESTION(ncclCommCuDevice, rank->device)
QUESTION(ncclCommUserRank, rank->number)

/* ---- arithmetic ---- */

static const uint8_t type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

#define COMBINE(type)                                                   \
    for (size_t i = 0; i < count; i++) {                                \
        type *sum = (type *)to + i;                                     \
        const type value = ((const type *)from)[i];                     \
        if (operation == PRODUCT)                                       \
            *sum = (type)(*sum * value);                                \
        else if (operation == MAXIMUM)                                  \
            *sum = value > *sum ? value : *sum;                         \
        else if (operation == MINIMUM)                                  \
            *sum = value < *sum ? value : *sum;                         \
        else                                                            \
            *sum = (type)(*sum + value);                                \
    }                                                                   \
    for (size_t i = 0; i < count && ranks && operation == AVERAGE; i++) \
        ((type *)to)[i] = (type)(((type *)to)[i] / (type)ranks);        \
    return true

/* to = to and from; ranks: their number behind the last of them, for the mean, else 0. False: not
 * for that type. */
static bool combine(int type, int operation, void *to, const void *from, size_t count, int ranks)
{
    switch (type) {
    case 0:
        COMBINE(int8_t);
    case 1:
        COMBINE(uint8_t);
    case 2:
        COMBINE(int32_t);
    case 3:
        COMBINE(uint32_t);
    case 4:
        COMBINE(int64_t);
    case 5:
        COMBINE(uint64_t);
    case 7:
        COMBINE(float);
    case 8:
        COMBINE(double);
    default:
        return false;
    }
}

static bool can_combine(int type)
{
    return type >= 0 && type <= 8 && type != 6;
}

/* ---- collectives ---- */

/* The reduction of elements [first, first + count) of all ranks' sources. */
static void reduce(const struct clique *clique, const struct request *each, size_t first,
                   size_t count, char *to)
{
    const size_t bytes = type_bytes[each->type];
    memcpy(to, (const char *)each[0].from + first * bytes, count * bytes);
    for (int i = 1; i < clique->count; i++)
        combine(each->type, each->operation, to, (const char *)each[i].from + first * bytes, count,
                i == clique->count - 1 ? clique->count : 0);
}

static void run(const struct clique *clique, const struct request *each)
{
    const size_t count = each->count, bytes = count * type_bytes[each->type];
    const size_t total = each->kind == REDUCE_SCATTER ? count * (size_t)clique->count : count;
    char *result = wl_alloc_zero(total + 1, type_bytes[each->type]);
    if (each->kind == ALL_REDUCE || each->kind == REDUCE || each->kind == REDUCE_SCATTER)
        reduce(clique, each, 0, total, result);
    if (each->kind == BROADCAST)
        memcpy(result, each[each->root].from, bytes);
    for (int i = 0; i < clique->count; i++) {
        if (each->kind == ALL_GATHER)
            for (int k = 0; k < clique->count; k++)
                memmove((char *)each[k].to + (size_t)i * bytes, each[i].from, bytes);
        else if (each->kind == REDUCE_SCATTER)
            memcpy(each[i].to, result + (size_t)i * bytes, bytes);
        else if (each->kind != REDUCE || i == each->root)
            memcpy(each[i].to, result, bytes);
    }
    free(result);
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
            memmove(receive->to, send->from, send->count * type_bytes[send->type]);
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

static int ask(struct rank *rank, struct request request)
{
    if (!wl_stand_in_check(rank, MAGIC) || (unsigned)request.type >= WL_COUNT(type_bytes) ||
        request.root < 0 || request.root >= rank->clique->count)
        return INVALID_ARGUMENT;
    const bool is_sum =
        request.kind == ALL_REDUCE || request.kind == REDUCE || request.kind == REDUCE_SCATTER;
    if (is_sum &&
        (!can_combine(request.type) || request.operation < 0 || request.operation > AVERAGE)) {
        wl_device_refuse("a reduction (NCCL) of halves or with an operation of the program's own");
        return INVALID_USAGE;
    }
    pthread_mutex_lock(&lock);
    WL_PUSH(&rank->waiting, request);
    while (run_collective(rank->clique) || pass_message(rank->clique))
        ;
    pthread_mutex_unlock(&lock);
    return OK;
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
