/* One MPI call that libwarplens-mpi.so interposes: it is loaded before the MPI library and forwards
 * to PMPI. It needs no mpi.h and serves both Open MPI and the MPICH family: handles (pointers in
 * the one, ints in the other) are words that are passed on unchanged. Internal to interpose/mpi/.
 */
#ifndef WL_INTERPOSE_MPI_CALL_H
#define WL_INTERPOSE_MPI_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *wl_mpi_handle; /* a communicator, data type, request, operation, window */

struct wl_mpi_call {
    const char *name;
    uint32_t name_id;
};

/* What is recorded when a call returns. Ranks and tags that do not apply are -1. */
struct wl_mpi_facts {
    uint64_t start; /* 0: it is not recorded */
    uint64_t sent_bytes, received_bytes;
    int64_t peer, tag;
    wl_mpi_handle communicator; /* NULL: none */
    int result;
    /* on a simulated clock (interpose/mpi/clock.h) */
    bool is_held;      /* the clock is held during the call */
    bool is_begun;     /* a nonblocking call, completed by a wait */
    uint64_t ready_ns; /* when the ranks it waits for arrived; 0: unknown */
};

/* The function P<name> of the MPI library, to be cast to its type; where there is none, one that
 * takes any arguments and returns 1, an error. */
void (*wl_mpi_resolve(const char *name))(void);

/* The same for a name of Fortran: "mpi_send_" gives pmpi_send_. */
void (*wl_mpi_resolve_fortran(const char *name))(void);

/* Fills start; talks: the call communicates with other ranks. */
void wl_mpi_begin(struct wl_mpi_facts *facts, bool talks);
void wl_mpi_end(struct wl_mpi_call *call, const struct wl_mpi_facts *facts);

/* ---- decoding arguments; 0 where MPI does not tell ---- */

uint64_t wl_mpi_bytes(int64_t count, wl_mpi_handle type);
int wl_mpi_size(wl_mpi_handle communicator);
int wl_mpi_rank(wl_mpi_handle communicator);
/* The sum over one count per rank of the communicator. */
uint64_t wl_mpi_bytes_of_all(const int *counts, wl_mpi_handle type, wl_mpi_handle communicator);

/* A status to pass to MPI where the program passes MPI_STATUS_IGNORE. */
struct wl_mpi_status {
    int64_t words[8];
};
void *wl_mpi_choose_status(void *status, struct wl_mpi_status *own);
uint64_t wl_mpi_received_bytes(const void *status, wl_mpi_handle type);
int64_t wl_mpi_source(const void *status);
int64_t wl_mpi_tag(const void *status);

/* Handles of Fortran. */
wl_mpi_handle wl_mpi_type_of(int type);
wl_mpi_handle wl_mpi_communicator_of(int communicator);
void *wl_mpi_choose_fortran_status(void *status, struct wl_mpi_status *own);

/* MPI_COMM_WORLD; the handle stored at an address; a handle with unused upper bits cleared. */
wl_mpi_handle wl_mpi_world(void);
wl_mpi_handle wl_mpi_handle_at(const void *place);
wl_mpi_handle wl_mpi_normal(wl_mpi_handle handle);

/* Call when its name may have changed. */
void wl_mpi_forget_name(wl_mpi_handle communicator);

#endif
