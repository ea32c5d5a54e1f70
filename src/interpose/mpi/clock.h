/* The simulated clocks of ranks. While a rank is within MPI its clock stands still, so that what
 * other ranks' simulation takes is not on it; behind the call it goes on to when the call would
 * have ended: not before those were there that it waits for, and with what the messages cost. Does
 * nothing where times are those of a real clock. Internal to interpose/mpi/. */
#ifndef WL_INTERPOSE_MPI_CLOCK_H
#define WL_INTERPOSE_MPI_CLOCK_H

#include "interpose/mpi/call.h"

struct wl_timeline_engine;

/* Where engine has a simulated clock. */
void wl_mpi_clock_start(const struct wl_timeline_engine *engine, bool is_open_mpi);
bool wl_mpi_clock_is_simulated(void);

/* Around a call that communicates: to is when it would have ended. */
void wl_mpi_clock_hold(void);
void wl_mpi_clock_release(uint64_t to_ns);

/* Point to point: now_ns goes along with a message; when what was received was sent. */
void wl_mpi_clock_send(wl_mpi_handle comm, int to, int tag, uint64_t now_ns);
uint64_t wl_mpi_clock_receive(wl_mpi_handle comm, int64_t from, int64_t tag);
/* Of receives that are only begun: which request they are, then of those a wait has ended. */
void wl_mpi_clock_expect(const void *request, wl_mpi_handle comm);
struct wl_mpi_waiting {
    const void *requests[64]; /* as they are before the wait */
    int count;
};
void wl_mpi_clock_wait_for(struct wl_mpi_waiting *waiting, int count, const void *requests);
/* statuses: as many, each status_bytes long. */
uint64_t wl_mpi_clock_waited(const struct wl_mpi_waiting *waiting, const void *statuses);

/* Collectives: each rank tells when it came; when those were there that this rank waits for. */
enum wl_mpi_meeting {
    WL_MPI_MEET_ALL,      /* everybody waits for everybody */
    WL_MPI_MEET_ROOT,     /* everybody waits for the root */
    WL_MPI_MEET_FOR_ROOT, /* the root waits for everybody */
    WL_MPI_MEET_BEFORE,   /* everybody waits for those of lower rank */
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
