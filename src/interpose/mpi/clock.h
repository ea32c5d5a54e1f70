/* The simulated clocks of ranks. A rank's clock is held during an MPI call, so that the time other
 * ranks need for simulating does not count; on return it is advanced to when the call would have
 * completed: after the ranks that it waits for have arrived, plus the cost of the messages. Does
 * nothing where times come from a real clock. Internal to interpose/mpi/. */
#ifndef WL_INTERPOSE_MPI_CLOCK_H
#define WL_INTERPOSE_MPI_CLOCK_H

#include "interpose/mpi/call.h"

struct wl_timeline_engine;

/* Call if the engine has a simulated clock. */
void wl_mpi_clock_start(const struct wl_timeline_engine *engine, bool is_open_mpi);
bool wl_mpi_clock_is_simulated(void);

/* Around a call that communicates: to is when it would have ended. */
void wl_mpi_clock_hold(void);
void wl_mpi_clock_release(uint64_t to_ns);

/* Point to point: publishes the send time of a message; the send time of a received one. */
void wl_mpi_clock_send(wl_mpi_handle comm, int to, int tag, uint64_t now_ns);
uint64_t wl_mpi_clock_receive(wl_mpi_handle comm, int64_t from, int64_t tag);
/* Nonblocking receives: remembers a request, then finds those that a wait has completed. */
void wl_mpi_clock_expect(const void *request, wl_mpi_handle comm);
struct wl_mpi_waiting {
    const void *requests[64]; /* as they are before the wait */
    int count;
};
void wl_mpi_clock_wait_for(struct wl_mpi_waiting *waiting, int count, const void *requests);
/* statuses: as many, each status_bytes long. */
uint64_t wl_mpi_clock_waited(const struct wl_mpi_waiting *waiting, const void *statuses);

/* Collectives: each rank publishes its arrival; gives when the ranks that this one waits for
 * arrived. */
enum wl_mpi_meeting {
    WL_MPI_MEET_ALL,      /* all wait for all */
    WL_MPI_MEET_ROOT,     /* all wait for the root */
    WL_MPI_MEET_FOR_ROOT, /* the root waits for all */
    WL_MPI_MEET_BEFORE,   /* each waits for the lower ranks */
};
struct wl_mpi_met {
    uint64_t communicator, number; /* which meeting; communicator 0: not known */
};
struct wl_mpi_met wl_mpi_clock_come(wl_mpi_handle comm, uint64_t now_ns);
uint64_t wl_mpi_clock_meet(struct wl_mpi_met met, wl_mpi_handle comm, enum wl_mpi_meeting meeting,
                           int root);

/* A communicator made of another: all its members call this alike. color: what tells apart those
 * that were made at the same time. */
void wl_mpi_clock_add(wl_mpi_handle parent, wl_mpi_handle made, int color);

#endif
