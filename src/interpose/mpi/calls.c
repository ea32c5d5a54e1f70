/* The functions of MPI that are recorded, each over its PMPI twin: a row is its parameters, how
 * they are passed on, and what is recorded of the call. Sizes are only queried where it is
 * recorded.
 */
#include "interpose/mpi/board.h"
#include "interpose/mpi/call.h"
#include "interpose/mpi/clock.h"

#define EXPORT __attribute__((visibility("default")))
#define H wl_mpi_handle

/* CALL(function, parameters, the same as arguments, whether it talks to other ranks, statements
 * before it, what is recorded of it) */
#define CALL(function, parameters, arguments, talks, before, ...)                 \
    EXPORT int function parameters;                                               \
    EXPORT int function parameters                                                \
    {                                                                             \
        static int(*twin) parameters;                                             \
        static struct wl_mpi_call call = {.name = #function};                     \
        if (!__atomic_load_n(&twin, __ATOMIC_ACQUIRE))                            \
            __atomic_store_n(&twin, (int(*) parameters)wl_mpi_resolve(#function), \
                             __ATOMIC_RELEASE);                                   \
        struct wl_mpi_facts facts = {.peer = -1, .tag = -1};                      \
        struct wl_mpi_status own;                                                 \
        (void)own;                                                                \
        wl_mpi_begin(&facts, talks);                                              \
        before;                                                                   \
        facts.result = twin arguments;                                            \
        if (facts.start) {                                                        \
            __VA_ARGS__;                                                          \
            wl_mpi_end(&call, &facts);                                            \
        }                                                                         \
        return facts.result;                                                      \
    }

#define SENT facts.sent_bytes
#define RECEIVED facts.received_bytes
#define PEER facts.peer
#define TAG facts.tag
#define IN facts.communicator
#define NOTHING (void)0
#define READY facts.ready_ns
#define BEGUN facts.is_begun = true
#define TELL wl_mpi_clock_send(comm, to, tag, facts.start)
#define ARRIVED wl_mpi_clock_receive(comm, wl_mpi_source(status), wl_mpi_tag(status))
#define OWN_STATUS status = wl_mpi_choose_status(status, &own)
#define BYTES(count, type) wl_mpi_bytes(count, type)
#define ALL(counts, type) wl_mpi_bytes_of_all(counts, type, comm)
#define RANKS ((uint64_t)wl_mpi_size(comm))
#define IS_ROOT (wl_mpi_rank(comm) == root)

/* ---- point to point ---- */

#define SEND_FACTS SENT = BYTES(count, type), PEER = to, TAG = tag, IN = comm
#define SEND(name)                                                               \
    CALL(name, (const void *buffer, int count, H type, int to, int tag, H comm), \
         (buffer, count, type, to, tag, comm), true, TELL, SEND_FACTS)
#define SEND_LATER(name)                                                                        \
    CALL(name, (const void *buffer, int count, H type, int to, int tag, H comm, void *request), \
         (buffer, count, type, to, tag, comm, request), true, TELL, SEND_FACTS, BEGUN)

SEND(MPI_Send)
SEND(MPI_Bsend)
SEND(MPI_Ssend)
SEND(MPI_Rsend)
SEND_LATER(MPI_Isend)
SEND_LATER(MPI_Ibsend)
SEND_LATER(MPI_Issend)
SEND_LATER(MPI_Irsend)
CALL(MPI_Recv, (void *buffer, int count, H type, int from, int tag, H comm, void *status),
     (buffer, count, type, from, tag, comm, status), true, OWN_STATUS, READY = ARRIVED,
     RECEIVED = wl_mpi_received_bytes(status, type), PEER = wl_mpi_source(status),
     TAG = wl_mpi_tag(status), IN = comm)
/* as many bytes as there is room for: what came is known when it is waited for */
CALL(MPI_Irecv, (void *buffer, int count, H type, int from, int tag, H comm, void *request),
     (buffer, count, type, from, tag, comm, request), true, NOTHING, RECEIVED = BYTES(count, type),
     PEER = from, TAG = tag, IN = comm, BEGUN, wl_mpi_clock_expect(request, comm))
CALL(MPI_Sendrecv,
     (const void *out, int out_count, H out_type, int to, int tag, void *in, int in_count,
      H in_type, int from, int in_tag, H comm, void *status),
     (out, out_count, out_type, to, tag, in, in_count, in_type, from, in_tag, comm, status), true,
     OWN_STATUS;
     TELL, READY = ARRIVED, SENT = BYTES(out_count, out_type),
     RECEIVED = wl_mpi_received_bytes(status, in_type), PEER = to, TAG = tag, IN = comm)
CALL(MPI_Sendrecv_replace,
     (void *buffer, int count, H type, int to, int tag, int from, int in_tag, H comm, void *status),
     (buffer, count, type, to, tag, from, in_tag, comm, status), true, OWN_STATUS;
     TELL, READY = ARRIVED, SENT = BYTES(count, type),
     RECEIVED = wl_mpi_received_bytes(status, type), PEER = to, TAG = tag, IN = comm)
CALL(MPI_Probe, (int from, int tag, H comm, void *status), (from, tag, comm, status), true,
     OWN_STATUS, PEER = wl_mpi_source(status), TAG = wl_mpi_tag(status), IN = comm)

/* ---- waiting for what was begun ---- */

#define WAITING(count, requests)   \
    struct wl_mpi_waiting waiting; \
    wl_mpi_clock_wait_for(&waiting, count, requests)

CALL(MPI_Wait, (void *request, void *status), (request, status), true, WAITING(1, request);
     OWN_STATUS, READY = wl_mpi_clock_waited(&waiting, status))
CALL(MPI_Waitall, (int count, void *requests, void *statuses), (count, requests, statuses), true,
     WAITING(count, requests);
     struct wl_mpi_status own_statuses[64];
     if (waiting.count) statuses = wl_mpi_choose_status(statuses, own_statuses),
     READY = wl_mpi_clock_waited(&waiting, statuses))
CALL(MPI_Waitany, (int count, void *requests, int *index, void *status),
     (count, requests, index, status), true, NOTHING, NOTHING)
CALL(MPI_Waitsome, (int count, void *requests, int *done, int *indices, void *statuses),
     (count, requests, done, indices, statuses), true, NOTHING, NOTHING)
CALL(MPI_Start, (void *request), (request), true, NOTHING, NOTHING)
CALL(MPI_Startall, (int count, void *requests), (count, requests), true, NOTHING, NOTHING)

/* ---- collectives ---- */

/* The one that waits and the one that does not, which has a request behind the same parameters.
 * meeting and root: who waits for whom. */
#define COLLECTIVE(name, later, meeting, parameters, arguments, ...)                           \
    CALL(name, (PARAMETERS parameters), (PARAMETERS arguments), true, COME(comm), __VA_ARGS__, \
         IN = comm, READY = wl_mpi_clock_meet(met, comm, meeting))                             \
    CALL(later, (PARAMETERS parameters, void *request), (PARAMETERS arguments, request), true, \
         NOTHING, __VA_ARGS__, IN = comm, BEGUN)
#define COME(comm) struct wl_mpi_met met = wl_mpi_clock_come(comm, facts.start)
#define ALL_MEET WL_MPI_MEET_ALL, 0
#define MEET_ROOT WL_MPI_MEET_ROOT, root
#define MEET_FOR_ROOT WL_MPI_MEET_FOR_ROOT, root
#define MEET_BEFORE WL_MPI_MEET_BEFORE, 0
#define PARAMETERS(...) __VA_ARGS__

COLLECTIVE(MPI_Barrier, MPI_Ibarrier, ALL_MEET, (H comm), (comm), NOTHING)
COLLECTIVE(MPI_Bcast, MPI_Ibcast, MEET_ROOT, (void *buffer, int count, H type, int root, H comm),
           (buffer, count, type, root, comm), PEER = root,
           *(IS_ROOT ? &SENT : &RECEIVED) = BYTES(count, type))
COLLECTIVE(MPI_Gather, MPI_Igather, MEET_FOR_ROOT,
           (const void *out, int out_count, H out_type, void *in, int in_count, H in_type, int root,
            H comm),
           (out, out_count, out_type, in, in_count, in_type, root, comm), PEER = root,
           SENT = BYTES(out_count, out_type),
           RECEIVED = IS_ROOT ? RANKS * BYTES(in_count, in_type) : 0)
COLLECTIVE(MPI_Gatherv, MPI_Igatherv, MEET_FOR_ROOT,
           (const void *out, int out_count, H out_type, void *in, const int *in_counts,
            const int *places, H in_type, int root, H comm),
           (out, out_count, out_type, in, in_counts, places, in_type, root, comm), PEER = root,
           SENT = BYTES(out_count, out_type), RECEIVED = IS_ROOT ? ALL(in_counts, in_type) : 0)
COLLECTIVE(MPI_Scatter, MPI_Iscatter, MEET_ROOT,
           (const void *out, int out_count, H out_type, void *in, int in_count, H in_type, int root,
            H comm),
           (out, out_count, out_type, in, in_count, in_type, root, comm), PEER = root,
           SENT = IS_ROOT ? RANKS * BYTES(out_count, out_type) : 0,
           RECEIVED = BYTES(in_count, in_type))
COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, MEET_ROOT,
           (const void *out, const int *out_counts, const int *places, H out_type, void *in,
            int in_count, H in_type, int root, H comm),
           (out, out_counts, places, out_type, in, in_count, in_type, root, comm), PEER = root,
           SENT = IS_ROOT ? ALL(out_counts, out_type) : 0, RECEIVED = BYTES(in_count, in_type))
COLLECTIVE(MPI_Allgather, MPI_Iallgather, ALL_MEET,
           (const void *out, int out_count, H out_type, void *in, int in_count, H in_type, H comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           SENT = BYTES(out_count, out_type), RECEIVED = RANKS * BYTES(in_count, in_type))
COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, ALL_MEET,
           (const void *out, int out_count, H out_type, void *in, const int *in_counts,
            const int *places, H in_type, H comm),
           (out, out_count, out_type, in, in_counts, places, in_type, comm),
           SENT = BYTES(out_count, out_type), RECEIVED = ALL(in_counts, in_type))
COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, ALL_MEET,
           (const void *out, int out_count, H out_type, void *in, int in_count, H in_type, H comm),
           (out, out_count, out_type, in, in_count, in_type, comm),
           SENT = RANKS * BYTES(out_count, out_type), RECEIVED = RANKS * BYTES(in_count, in_type))
COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv, ALL_MEET,
           (const void *out, const int *out_counts, const int *out_places, H out_type, void *in,
            const int *in_counts, const int *in_places, H in_type, H comm),
           (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type, comm),
           SENT = ALL(out_counts, out_type), RECEIVED = ALL(in_counts, in_type))
COLLECTIVE(MPI_Reduce, MPI_Ireduce, MEET_FOR_ROOT,
           (const void *out, void *in, int count, H type, H operation, int root, H comm),
           (out, in, count, type, operation, root, comm), PEER = root, SENT = BYTES(count, type),
           RECEIVED = IS_ROOT ? BYTES(count, type) : 0)
COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, ALL_MEET,
           (const void *out, void *in, int count, H type, H operation, H comm),
           (out, in, count, type, operation, comm), SENT = RECEIVED = BYTES(count, type))
COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter, ALL_MEET,
           (const void *out, void *in, const int *counts, H type, H operation, H comm),
           (out, in, counts, type, operation, comm), SENT = ALL(counts, type),
           RECEIVED = BYTES(counts ? counts[wl_mpi_rank(comm)] : 0, type))
COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, ALL_MEET,
           (const void *out, void *in, int count, H type, H operation, H comm),
           (out, in, count, type, operation, comm), SENT = RANKS * BYTES(count, type),
           RECEIVED = BYTES(count, type))
COLLECTIVE(MPI_Scan, MPI_Iscan, MEET_BEFORE,
           (const void *out, void *in, int count, H type, H operation, H comm),
           (out, in, count, type, operation, comm), SENT = RECEIVED = BYTES(count, type))
COLLECTIVE(MPI_Exscan, MPI_Iexscan, MEET_BEFORE,
           (const void *out, void *in, int count, H type, H operation, H comm),
           (out, in, count, type, operation, comm), SENT = RECEIVED = BYTES(count, type))

/* ---- one-sided ---- */

CALL(MPI_Put,
     (const void *buffer, int count, H type, int to, intptr_t place, int its_count, H its_type,
      H window),
     (buffer, count, type, to, place, its_count, its_type, window), true, NOTHING,
     SENT = BYTES(count, type), PEER = to)
CALL(MPI_Get,
     (void *buffer, int count, H type, int from, intptr_t place, int its_count, H its_type,
      H window),
     (buffer, count, type, from, place, its_count, its_type, window), true, NOTHING,
     RECEIVED = BYTES(count, type), PEER = from)
CALL(MPI_Accumulate,
     (const void *buffer, int count, H type, int to, intptr_t place, int its_count, H its_type,
      H operation, H window),
     (buffer, count, type, to, place, its_count, its_type, operation, window), true, NOTHING,
     SENT = BYTES(count, type), PEER = to)
CALL(MPI_Win_fence, (int hints, H window), (hints, window), true, NOTHING, NOTHING)
CALL(MPI_Win_lock, (int kind, int rank, int hints, H window), (kind, rank, hints, window), true,
     NOTHING, PEER = rank)
CALL(MPI_Win_unlock, (int rank, H window), (rank, window), true, NOTHING, PEER = rank)
CALL(MPI_Win_flush, (int rank, H window), (rank, window), true, NOTHING, PEER = rank)

/* ---- the library and its communicators ---- */

#define MEET_ALL(comm) READY = wl_mpi_clock_meet(met, comm, WL_MPI_MEET_ALL, 0)
#define MADE(color) wl_mpi_clock_add(comm, wl_mpi_handle_at(fresh), color)

CALL(MPI_Init, (int *count, char ***words), (count, words), false, NOTHING, NOTHING)
CALL(MPI_Init_thread, (int *count, char ***words, int asked, int *given),
     (count, words, asked, given), false, NOTHING, NOTHING)
CALL(MPI_Finalize, (void), (), true, wl_mpi_board_unlink(), NOTHING)
CALL(MPI_Comm_dup, (H comm, void *fresh), (comm, fresh), true, COME(comm), IN = comm,
     MEET_ALL(comm), MADE(0))
CALL(MPI_Comm_split, (H comm, int color, int key, void *fresh), (comm, color, key, fresh), true,
     COME(comm), IN = comm, MEET_ALL(comm), MADE(color))
CALL(MPI_Comm_create, (H comm, H group, void *fresh), (comm, group, fresh), true, COME(comm),
     IN = comm, MEET_ALL(comm), MADE(0))
CALL(MPI_Comm_set_name, (H comm, const char *name), (comm, name), false, wl_mpi_forget_name(comm),
     NOTHING)
/* the handle is overwritten: int in the MPICH family, which is the lower half on these machines */
CALL(MPI_Comm_free, (H * comm), (comm), false, wl_mpi_forget_name(*comm), NOTHING)
