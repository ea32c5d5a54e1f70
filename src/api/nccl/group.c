/* Asking: in streams, in groups, and waiting for ranks of other threads. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "api/nccl/clique.h"
#include "device/graph/graph.h"
#include "device/graph/objects.h"

#define SECONDS_TILL_TOLD 10

pthread_mutex_t wl_nccl_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void wl_nccl_tell_changed(void)
{
    pthread_cond_broadcast(&changed);
}

void wl_nccl_wait(void)
{
    static bool is_told;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS_TILL_TOLD;
    if (pthread_cond_timedwait(&changed, &wl_nccl_lock, &end) != ETIMEDOUT || is_told)
        return;
    is_told = true;
    wl_device_note(WL_NOTE_WARNING, "nccl-waits", "ranks in other processes are not simulated",
                   "a thread waits for other ranks of NCCL that did not come for %d seconds",
                   SECONDS_TILL_TOLD);
}

/* ---- in streams ---- */

struct arrival {
    struct wl_nccl_rank *rank;
    struct wl_nccl_request request;
    bool is_kept; /* by a graph, which runs it any number of times */
};

/* Bytes that the rank gets. */
static size_t bytes_got(const struct wl_nccl_rank *rank, const struct wl_nccl_request *request)
{
    const bool is_of_all =
        request->kind == ALL_GATHER || request->kind == ALL_TO_ALL || request->kind == GATHER;
    return request->count * wl_nccl_type_bytes(request->type) *
           (is_of_all ? (size_t)rank->clique->count : 1);
}

/* The stream's host function: the rank is there. */
static void arrive(void *self)
{
    struct arrival *arrival = self;
    struct wl_nccl_rank *rank = arrival->rank;
    if (arrival->request.to)
        wl_device_memory_tell_written(arrival->request.to, bytes_got(rank, &arrival->request));
    pthread_mutex_lock(&wl_nccl_lock);
    WL_PUSH(&rank->waiting, arrival->request);
    wl_nccl_progress(rank->clique);
    pthread_mutex_unlock(&wl_nccl_lock);
    if (!arrival->is_kept)
        free(arrival);
}

static int submit(struct wl_nccl_rank *rank, const struct wl_nccl_request *request, void *stream)
{
    struct wl_device_capture_info capture;
    struct wl_device_object *object;
    if (wl_device_capture_query(stream, &capture))
        return UNHANDLED_CUDA_ERROR;
    struct arrival *arrival = wl_alloc_zero(1, sizeof *arrival);
    *arrival = (struct arrival){rank, *request, capture.status != WL_DEVICE_CAPTURE_NONE};
    const bool is_kept = arrival->is_kept;
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_HOST,
        .host = {.function = arrive, .data = arrival, .takes_no_time = true}};
    int code = wl_device_submit(&operation, stream);
    if (code)
        free(arrival);
    else if (is_kept && !wl_device_object_create(arrival, free, 1, 1, &object))
        wl_device_graph_retain_object(capture.graph, object, 1, 1);
    return code ? UNHANDLED_CUDA_ERROR : OK;
}

/* Whether a rank that is missing for the request is one of this thread's. */
static bool is_own_missing(const struct wl_nccl_clique *clique,
                           const struct wl_nccl_request *request)
{
    for (int i = 0; i < clique->count; i++) {
        const struct wl_nccl_rank *rank = clique->ranks[i];
        if (!rank || !pthread_equal(rank->thread, pthread_self()) ||
            (request->kind >= SEND && i != request->root))
            continue;
        bool is_there = false;
        for (size_t k = 0; k < rank->waiting.count && request->kind < SEND; k++)
            is_there |= rank->waiting.items[k].kind < SEND;
        if (!is_there)
            return true;
    }
    return false;
}

static bool waits_for_others(const struct wl_nccl_rank *rank)
{
    for (size_t i = 0; i < rank->waiting.count; i++)
        if (is_own_missing(rank->clique, &rank->waiting.items[i]))
            return false;
    return rank->waiting.count > 0;
}

static void wait_for_others(struct wl_nccl_rank *rank)
{
    pthread_mutex_lock(&wl_nccl_lock);
    rank->waiters++;
    while (waits_for_others(rank))
        wl_nccl_wait();
    rank->waiters--;
    wl_nccl_tell_changed();
    pthread_mutex_unlock(&wl_nccl_lock);
}

/* ---- groups of this thread ---- */

struct asked {
    struct wl_nccl_rank *rank;
    struct wl_nccl_request request;
    void *stream;
};

static _Thread_local struct {
    unsigned depth;
    int status; /* the first error */
    WL_VECTOR(struct asked) asked;
} group;

int wl_nccl_fail(int status)
{
    if (group.depth && !group.status)
        group.status = status;
    return status;
}

int wl_nccl_ask(struct wl_nccl_rank *rank, const struct wl_nccl_request *request, void *stream)
{
    if (group.depth) {
        WL_PUSH(&group.asked, ((struct asked){rank, *request, stream}));
        return OK;
    }
    int status = submit(rank, request, stream);
    if (!status)
        wait_for_others(rank);
    return status;
}

void wl_nccl_forget(const struct wl_nccl_rank *rank)
{
    size_t kept = 0;
    for (size_t i = 0; i < group.asked.count; i++)
        if (group.asked.items[i].rank != rank)
            group.asked.items[kept++] = group.asked.items[i];
    group.asked.count = kept;
}

int ncclGroupStart(void)
{
    group.depth++;
    return OK;
}

int ncclGroupEnd(void)
{
    if (!group.depth)
        return INVALID_USAGE;
    if (--group.depth)
        return OK;
    int status = group.status;
    for (size_t i = 0; i < group.asked.count && !status; i++) {
        const struct asked *asked = &group.asked.items[i];
        status = submit(asked->rank, &asked->request, asked->stream);
    }
    for (size_t i = 0; i < group.asked.count && !status; i++)
        wait_for_others(group.asked.items[i].rank);
    free(group.asked.items);
    memset(&group, 0, sizeof group);
    return status;
}
