/* Where the ranks of one host tell each other their simulated times: a table in shared memory of
 * those that one launcher started. Nobody ever waits for anybody: what is not there is not known.
 * Internal to interpose/mpi/. */
#ifndef WL_INTERPOSE_MPI_BOARD_H
#define WL_INTERPOSE_MPI_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* False: there is no board, and all else does nothing. name: of the job, unlike that of others. */
bool wl_mpi_board_open(const char *name);
/* Once everybody has it open, or is at the end: it goes away with the last who has it open. */
void wl_mpi_board_unlink(void);

/* key is not 0; a full board drops it. */
void wl_mpi_board_put(uint64_t key, uint64_t time_ns);
/* 0: not there. */
uint64_t wl_mpi_board_read(uint64_t key);
void wl_mpi_board_remove(uint64_t key);

/* A key of several numbers. */
uint64_t wl_mpi_board_key(const uint64_t *numbers, int count);

#endif
