/* Shared by the files of the stand-in for cuSOLVER. */
#ifndef WL_API_CUSOLVER_H
#define WL_API_CUSOLVER_H

#include "api/common/stand_in.h"
#include "api/cusolver/solver.h"

enum wl_solver_status {
    WL_SOLVER_OK = 0,
    WL_SOLVER_NOT_INITIALIZED = 1,
    WL_SOLVER_ALLOC_FAILED = 2,
    WL_SOLVER_INVALID_VALUE = 3,
    WL_SOLVER_EXECUTION_FAILED = 6,
    WL_SOLVER_NOT_SUPPORTED = 9,
};

enum { WL_SOLVER_LOWER = 0, WL_SOLVER_UPPER = 1 }; /* how a triangle is filled */

#define WL_SOLVER_MAGIC 0x7763736fu

struct wl_solver_handle {
    uint32_t magic;
    void *stream;
};

/* NULL if it is no handle. */
static inline struct wl_solver_handle *wl_solver_check(void *pointer)
{
    return wl_stand_in_check(pointer, WL_SOLVER_MAGIC);
}

/* ---- work of a call ---- */

/* Of what its matrices are: 's' or 'd', and the stream; the first failure, after which nothing more
 * is launched. */
struct wl_solver_work {
    char letter;
    size_t element_bytes;
    void *stream;
    int status;
};

/* Begins a call's work: its status is that of the handle, and of whether its arguments are valid.
 * info becomes 0. */
struct wl_solver_work wl_solver_begin(void *handle, char letter, bool are_valid, int *info);
/* A kernel of solver.cu; none where there are no blocks. */
void wl_solver_launch(struct wl_solver_work *work, const char *name, int64_t blocks,
                      int64_t blocks_y, void **parameters);
/* A thread for each of count elements, at most so many blocks. */
void wl_solver_launch_over(struct wl_solver_work *work, const char *name, int64_t count,
                           void **parameters);
/* Whether a matrix of that many rows can have them ld apart. */
bool wl_solver_is_valid(int rows, int columns, int ld);
/* The size of space that a program gives; never 0, as it may be allocated. */
int wl_solver_give_size(void *handle, bool are_valid, int64_t elements, int *count);

static inline struct wl_solver_matrix wl_solver_matrix_of(const void *values, int ld)
{
    return (struct wl_solver_matrix){(void *)(uintptr_t)values, 1, ld};
}

static inline struct wl_solver_matrix wl_solver_transposed(struct wl_solver_matrix a)
{
    return (struct wl_solver_matrix){a.values, a.column_step, a.row_step};
}

/* What begins at that element. */
static inline struct wl_solver_matrix wl_solver_from(const struct wl_solver_work *work,
                                                     struct wl_solver_matrix a, int row, int column)
{
    a.values = (char *)a.values +
               (row * a.row_step + column * a.column_step) * (long long)work->element_bytes;
    return a;
}

#endif
