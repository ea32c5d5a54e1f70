/* A table in shared memory through which the ranks that one launcher started on a host exchange
 * their simulated times. It never blocks: a missing entry reads as unknown. Internal to
 * interpose/mpi/. */
#ifndef WL_INTERPOSE_MPI_BOARD_H
#define WL_INTERPOSE_MPI_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* False: there is no board, and the other functions do nothing. name: unique to the job. */
bool wl_mpi_board_open(const char *name);
/* Call once all ranks have opened it, or at the end: it is removed when the last rank closes it. */
void wl_mpi_board_unlink(void);

/* key is not 0; a full board drops it. */
void wl_mpi_board_put(uint64_t key, uint64_t time_ns);
/* 0: not there. */
uint64_t wl_mpi_board_read(uint64_t key);
void wl_mpi_board_remove(uint64_t key);

/* Hashes several numbers into a key. */
uint64_t wl_mpi_board_key(const uint64_t *numbers, int count);

#endif
