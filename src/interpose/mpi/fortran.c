/* The same for Fortran: `mpif.h` and `use mpi` call mpi_send_, `use mpi_f08` calls mpi_send_f08_,
 * and neither goes through MPI_Send. All arguments are addresses; handles are ints, and a status is
 * that of C. */
#include "interpose/mpi/board.h"
#include "interpose/mpi/call.h"
#include "interpose/mpi/clock.h"

#define EXPORT __attribute__((visibility("default")))

/* One of the two functions. error may be absent where it is optional. */
#define ONE(symbol, shown, parameters, arguments, talks, before, ...)                    \
    EXPORT void symbol parameters;                                                       \
    EXPORT void symbol parameters                                                        \
    {                                                                                    \
        static void(*twin) parameters;                                                   \
        static struct wl_mpi_call call = {.name = shown};                                \
        if (!__atomic_load_n(&twin, __ATOMIC_ACQUIRE))                                   \
            __atomic_store_n(&twin, (void(*) parameters)wl_mpi_resolve_fortran(#symbol), \
                             __ATOMIC_RELEASE);                                          \
        struct wl_mpi_facts facts = {.peer = -1, .tag = -1};                             \
        struct wl_mpi_status own;                                                        \
        int own_error = 0;                                                               \
        error = error ? error : &own_error;                                              \
        (void)own;                                                                       \
        wl_mpi_begin(&facts, talks);                                                     \
        before;                                                                          \
        twin arguments;                                                                  \
        facts.result = *error;                                                           \
        if (facts.start) {                                                               \
            __VA_ARGS__;                                                                 \
            wl_mpi_end(&call, &facts);                                                   \
        }                                                                                \
    }
#define BOTH(name, shown, parameters, arguments, talks, before, ...)             \
    ONE(mpi_##name##_, shown, parameters, arguments, talks, before, __VA_ARGS__) \
    ONE(mpi_##name##_f08_, shown, parameters, arguments, talks, before, __VA_ARGS__)

#define SENT facts.sent_bytes
#define RECEIVED facts.received_bytes
#define PEER facts.peer
#define TAG facts.tag
#define IN facts.communicator
#define READY facts.ready_ns
#define BEGUN facts.is_begun = true
#define NOTHING (void)0
#define COMM wl_mpi_communicator_of(*comm)
#define BYTES(count, type) wl_mpi_bytes(*(count), wl_mpi_type_of(*(type)))
#define RANKS ((uint64_t)wl_mpi_size(COMM))
#define IS_ROOT (wl_mpi_rank(COMM) == *root)
#define OWN_STATUS status = wl_mpi_choose_fortran_status(status, &own)
#define GOT(type) wl_mpi_received_bytes(status, wl_mpi_type_of(*(type)))
#define TELL wl_mpi_clock_send(COMM, *to, *tag, facts.start)
#define ARRIVED wl_mpi_clock_receive(COMM, wl_mpi_source(status), wl_mpi_tag(status))
#define COME struct wl_mpi_met met = wl_mpi_clock_come(COMM, facts.start)
#define MEET(meeting, root) READY = wl_mpi_clock_meet(met, COMM, meeting, root)

/* ---- point to point ---- */

#define SEND(name, shown)                                                                       \
    BOTH(name, shown,                                                                           \
         (const void *buffer, const int *count, const int *type, const int *to, const int *tag, \
          const int *comm, int *error),                                                         \
         (buffer, count, type, to, tag, comm, error), true, TELL, SENT = BYTES(count, type),    \
         PEER = *to, TAG = *tag, IN = COMM)
#define SEND_LATER(name, shown)                                                                 \
    BOTH(name, shown,                                                                           \
         (const void *buffer, const int *count, const int *type, const int *to, const int *tag, \
          const int *comm, int *request, int *error),                                           \
         (buffer, count, type, to, tag, comm, request, error), true, TELL,                      \
         SENT = BYTES(count, type), PEER = *to, TAG = *tag, IN = COMM, BEGUN)

SEND(send, "MPI_Send")
SEND(ssend, "MPI_Ssend")
SEND(bsend, "MPI_Bsend")
SEND(rsend, "MPI_Rsend")
SEND_LATER(isend, "MPI_Isend")
SEND_LATER(issend, "MPI_Issend")
BOTH(recv, "MPI_Recv",
     (void *buffer, const int *count, const int *type, const int *from, const int *tag,
      const int *comm, void *status, int *error),
     (buffer, count, type, from, tag, comm, status, error), true, OWN_STATUS, READY = ARRIVED,
     RECEIVED = GOT(type), PEER = wl_mpi_source(status), TAG = wl_mpi_tag(status), IN = COMM)
BOTH(irecv, "MPI_Irecv",
     (void *buffer, const int *count, const int *type, const int *from, const int *tag,
      const int *comm, int *request, int *error),
     (buffer, count, type, from, tag, comm, request, error), true, NOTHING,
     RECEIVED = BYTES(count, type), PEER = *from, TAG = *tag, IN = COMM, BEGUN)
BOTH(sendrecv, "MPI_Sendrecv",
     (const void *out, const int *out_count, const int *out_type, const int *to, const int *tag,
      void *in, const int *in_count, const int *in_type, const int *from, const int *in_tag,
      const int *comm, void *status, int *error),
     (out, out_count, out_type, to, tag, in, in_count, in_type, from, in_tag, comm, status, error),
     true, OWN_STATUS;
     TELL, READY = ARRIVED, SENT = BYTES(out_count, out_type), RECEIVED = GOT(in_type), PEER = *to,
     TAG = *tag, IN = COMM)
BOTH(wait, "MPI_Wait", (int *request, void *status, int *error), (request, status, error), true,
     NOTHING, NOTHING)
BOTH(waitall, "MPI_Waitall", (const int *count, int *requests, void *statuses, int *error),
     (count, requests, statuses, error), true, NOTHING, NOTHING)

/* ---- collectives ---- */

BOTH(barrier, "MPI_Barrier", (const int *comm, int *error), (comm, error), true, COME, IN = COMM,
     MEET(WL_MPI_MEET_ALL, 0))
BOTH(bcast, "MPI_Bcast",
     (void *buffer, const int *count, const int *type, const int *root, const int *comm,
      int *error),
     (buffer, count, type, root, comm, error), true, COME, PEER = *root, IN = COMM,
     *(IS_ROOT ? &SENT : &RECEIVED) = BYTES(count, type), MEET(WL_MPI_MEET_ROOT, *root))
BOTH(reduce, "MPI_Reduce",
     (const void *out, void *in, const int *count, const int *type, const int *operation,
      const int *root, const int *comm, int *error),
     (out, in, count, type, operation, root, comm, error), true, COME, PEER = *root, IN = COMM,
     SENT = BYTES(count, type), RECEIVED = IS_ROOT ? BYTES(count, type) : 0,
     MEET(WL_MPI_MEET_FOR_ROOT, *root))
BOTH(allreduce, "MPI_Allreduce",
     (const void *out, void *in, const int *count, const int *type, const int *operation,
      const int *comm, int *error),
     (out, in, count, type, operation, comm, error), true, COME, IN = COMM,
     SENT = RECEIVED = BYTES(count, type), MEET(WL_MPI_MEET_ALL, 0))
BOTH(gather, "MPI_Gather",
     (const void *out, const int *out_count, const int *out_type, void *in, const int *in_count,
      const int *in_type, const int *root, const int *comm, int *error),
     (out, out_count, out_type, in, in_count, in_type, root, comm, error), true, COME, PEER = *root,
     IN = COMM, SENT = BYTES(out_count, out_type),
     RECEIVED = IS_ROOT ? RANKS * BYTES(in_count, in_type) : 0, MEET(WL_MPI_MEET_FOR_ROOT, *root))
BOTH(scatter, "MPI_Scatter",
     (const void *out, const int *out_count, const int *out_type, void *in, const int *in_count,
      const int *in_type, const int *root, const int *comm, int *error),
     (out, out_count, out_type, in, in_count, in_type, root, comm, error), true, COME, PEER = *root,
     IN = COMM, SENT = IS_ROOT ? RANKS * BYTES(out_count, out_type) : 0,
     RECEIVED = BYTES(in_count, in_type), MEET(WL_MPI_MEET_ROOT, *root))
BOTH(allgather, "MPI_Allgather",
     (const void *out, const int *out_count, const int *out_type, void *in, const int *in_count,
      const int *in_type, const int *comm, int *error),
     (out, out_count, out_type, in, in_count, in_type, comm, error), true, COME, IN = COMM,
     SENT = BYTES(out_count, out_type), RECEIVED = RANKS * BYTES(in_count, in_type),
     MEET(WL_MPI_MEET_ALL, 0))
BOTH(alltoall, "MPI_Alltoall",
     (const void *out, const int *out_count, const int *out_type, void *in, const int *in_count,
      const int *in_type, const int *comm, int *error),
     (out, out_count, out_type, in, in_count, in_type, comm, error), true, COME, IN = COMM,
     SENT = RANKS * BYTES(out_count, out_type), RECEIVED = RANKS * BYTES(in_count, in_type),
     MEET(WL_MPI_MEET_ALL, 0))

/* ---- the library and its communicators ---- */

BOTH(init, "MPI_Init", (int *error), (error), false, NOTHING, NOTHING)
BOTH(finalize, "MPI_Finalize", (int *error), (error), true, wl_mpi_board_unlink(), NOTHING)
BOTH(comm_dup, "MPI_Comm_dup", (const int *comm, int *fresh, int *error), (comm, fresh, error),
     true, COME, IN = COMM, MEET(WL_MPI_MEET_ALL, 0),
     wl_mpi_clock_add(COMM, wl_mpi_communicator_of(*fresh), 0))
BOTH(comm_split, "MPI_Comm_split",
     (const int *comm, const int *color, const int *key, int *fresh, int *error),
     (comm, color, key, fresh, error), true, COME, IN = COMM, MEET(WL_MPI_MEET_ALL, 0),
     wl_mpi_clock_add(COMM, wl_mpi_communicator_of(*fresh), *color))
