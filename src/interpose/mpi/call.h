/* One call of MPI on its way through libwarplens-mpi.so, which stands before the MPI library and
 * calls its PMPI functions. It needs no mpi.h and serves Open MPI and the MPICH family alike:
 * handles (pointers there, ints here) are words that are passed on as they came. Internal to
 * interpose/mpi/.
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

/* What is recorded of a call after it. Ranks and tags that do not apply are -1. */
struct wl_mpi_facts {
    uint64_t start; /* 0: it is not recorded */
    uint64_t sent_bytes, received_bytes;
    int64_t peer, tag;
    wl_mpi_handle communicator; /* NULL: none */
    int result;
    /* on a simulated clock (interpose/mpi/clock.h) */
    bool is_held;      /* it stands still meanwhile */
    bool is_begun;     /* the call only begins what a wait will end */
    uint64_t ready_ns; /* when those were there that the call waits for; 0: not known */
};

/* The function P<name> of the MPI library, to be cast to its type; where there is none, one that
 * takes anything and gives 1, an error. */
void (*wl_mpi_resolve(const char *name))(void);

/* The same for a name of Fortran: "mpi_send_" gives pmpi_send_. */
void (*wl_mpi_resolve_fortran(const char *name))(void);

/* Fills start; talks: the call communicates with other ranks. */
void wl_mpi_begin(struct wl_mpi_facts *facts, bool talks);
void wl_mpi_end(struct wl_mpi_call *call, const struct wl_mpi_facts *facts);

/* ---- what arguments mean; 0 where MPI does not tell ---- */

uint64_t wl_mpi_bytes(int64_t count, wl_mpi_handle type);
int wl_mpi_size(wl_mpi_handle communicator);
int wl_mpi_rank(wl_mpi_handle communicator);
/* Of as many counts as the communicator has ranks. */
uint64_t wl_mpi_bytes_of_all(const int *counts, wl_mpi_handle type, wl_mpi_handle communicator);

/* A status to give to MPI where the program does not want one (MPI_STATUS_IGNORE). */
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

/* MPI_COMM_WORLD; the handle that stands at a place; a handle without what is not its own. */
wl_mpi_handle wl_mpi_world(void);
wl_mpi_handle wl_mpi_handle_at(const void *place);
wl_mpi_handle wl_mpi_normal(wl_mpi_handle handle);

/* Its name may be another from now on. */
void wl_mpi_forget_name(wl_mpi_handle communicator);

#endif
