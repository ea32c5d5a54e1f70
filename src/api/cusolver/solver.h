/* Arguments that the stand-in for cuSOLVER passes to its kernels (solver.cu); same layout on host
 * and device. */
#ifndef WL_API_CUSOLVER_SOLVER_H
#define WL_API_CUSOLVER_SOLVER_H

enum { WL_SOLVER_THREADS = 256, WL_SOLVER_TILE = 32 };

/* Element (row, column) is values[row * row_step + column * column_step], or its conjugate: a
 * transposed matrix has its steps exchanged. */
struct wl_solver_matrix {
    void *values;
    long long row_step, column_step;
    int is_conjugate;
};

/* Bunch and Kaufman's pivots, of 32 or 64 bits; NULL: rows stay where they are. is_upper: of a
 * matrix that is taken from its end. */
struct wl_solver_pivot_list {
    void *values;
    int is_wide, is_upper;
};

#endif
