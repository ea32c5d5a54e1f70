/* Ranks that work with each other, and what they wait for. Internal to api/nccl/; all but
 * wl_nccl_ask and wl_nccl_flush expects wl_nccl_lock, which comes before any lock of the device
 * layer. */
#ifndef WL_API_NCCL_CLIQUE_H
#define WL_API_NCCL_CLIQUE_H

#include <pthread.h>

#include "api/common/stand_in.h"
#include "api/nccl/reduce.h"

#define WL_NCCL_RANKS_MOST 256

enum {
    OK = 0,
    UNHANDLED_CUDA_ERROR = 1,
    INTERNAL_ERROR = 3,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5
};

enum wl_nccl_kind {
    ALL_REDUCE,
    REDUCE,
    BROADCAST,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    GATHER,
    SCATTER,
    SEND, /* from here on no collectives */
    RECEIVE
};

/* An operation of the program's own: the sum of multiples. */
struct wl_nccl_own {
    int type;          /* -1: it is gone */
    bool is_on_device; /* the factor is read when it is used */
    const void *place;
    uint64_t factor;
};

struct wl_nccl_request {
    enum wl_nccl_kind kind;
    const void *from;
    void *to;
    size_t count;
    int type, operation, root; /* root: of SEND and RECEIVE the other rank */
    struct wl_nccl_own own;    /* the operation, from WL_NCCL_FIRST_OWN on */
};

struct wl_nccl_clique;

struct wl_nccl_rank {
    uint32_t magic;
    int number, device;
    struct wl_nccl_clique *clique; /* NULL until all ranks that split another one have asked */
    pthread_t thread;              /* that last used it */
    unsigned waiters;              /* threads that wait for what it asked for */
    WL_VECTOR(struct wl_nccl_request) waiting;
    WL_VECTOR(struct wl_nccl_own) operations;
};

struct wl_nccl_split;

struct wl_nccl_clique {
    uint64_t id; /* in the first bytes of the program's ncclUniqueId */
    int count, joined;
    struct wl_nccl_rank *ranks[WL_NCCL_RANKS_MOST];
    struct wl_nccl_split *splits; /* the first begun is the first */
    struct wl_nccl_clique *next;
};

extern pthread_mutex_t wl_nccl_lock;
/* Waits until another thread changed something; after some seconds of it says so. */
void wl_nccl_wait(void);
void wl_nccl_tell_changed(void);

/* Does all that no rank is missing for. */
void wl_nccl_progress(struct wl_nccl_clique *clique);

/* Asks for it in the stream: the rank is there for it when the stream's work before it is done, in
 * a captured stream whenever the graph runs. As the stream's further work comes behind it, and as
 * work is done when it is asked for, the thread waits for the ranks of other threads; those of its
 * own it may still ask for. Within a group that is done at its end. */
int wl_nccl_ask(struct wl_nccl_rank *rank, const struct wl_nccl_request *request, void *stream);
/* The rank goes: what this thread's group holds of it goes, too. */
void wl_nccl_forget(const struct wl_nccl_rank *rank);
/* Notes an error within a group, which its end then gives. */
int wl_nccl_fail(int status);

#endif
