/* Shared by the calls on sparse matrices. */
#ifndef WL_API_CUSOLVER_SPARSE_H
#define WL_API_CUSOLVER_SPARSE_H

#include "api/cusolver/band.h"

/* A matrix's description, which cuSPARSE makes: as its stand-in lays it out. */
#define WL_SOLVER_DESCRIPTION_MAGIC 0x77637371u
struct wl_solver_description {
    uint32_t magic;
    int type, fill, diagonal, base;
};

/* The status of a call on a general matrix that is described so, once the stream's work is done and
 * the host may read what is in device memory; a->base becomes the description's. */
int wl_solver_check_csr(void *handle, const void *description, struct wl_csr *a);

/* to[i] = from[order[i]], or to[order[i]] = from[i] (is_back); NULL: as they are. */
void wl_solver_permute(const wl_number *from, const int *order, bool is_back, int count,
                       wl_number *to);
/* How many eigenvalues are in the rectangle between two of its corners; -1: not all are found. */
int wl_solver_count_within(const struct wl_csr *a, wl_number lowest, wl_number highest);
void wl_solver_read(char letter, const void *values, int count, wl_number *to);
void wl_solver_write(char letter, const wl_number *values, int count, void *to);

#endif
