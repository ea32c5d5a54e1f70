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

/* Of what its matrices are: 's' or 'd', complex 'c' or 'z', and the stream; the first failure,
 * after which nothing more is launched. */
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
    return (struct wl_solver_matrix){(void *)(uintptr_t)values, 1, ld, 0};
}

static inline struct wl_solver_matrix wl_solver_transposed(struct wl_solver_matrix a)
{
    return (struct wl_solver_matrix){a.values, a.column_step, a.row_step, a.is_conjugate};
}

static inline struct wl_solver_matrix wl_solver_conjugate(struct wl_solver_matrix a)
{
    return (struct wl_solver_matrix){a.values, a.row_step, a.column_step, !a.is_conjugate};
}

/* Conjugate transposed. */
static inline struct wl_solver_matrix wl_solver_adjoint(struct wl_solver_matrix a)
{
    return wl_solver_conjugate(wl_solver_transposed(a));
}

/* What begins at that element. */
static inline struct wl_solver_matrix wl_solver_from(const struct wl_solver_work *work,
                                                     struct wl_solver_matrix a, int row, int column)
{
    a.values = (char *)a.values +
               (row * a.row_step + column * a.column_step) * (long long)work->element_bytes;
    return a;
}

/* ---- what calls do, whichever form of the API they have; letter: 's', 'd', 'c' or 'z' ---- */

static inline bool wl_solver_is_complex(char letter)
{
    return letter == 'c' || letter == 'z';
}

static inline size_t wl_solver_bytes_of(char letter)
{
    const size_t part = letter == 's' || letter == 'c' ? sizeof(float) : sizeof(double);
    return wl_solver_is_complex(letter) ? 2 * part : part;
}

struct wl_solver_single {
    float real, imaginary;
};

struct wl_solver_twice {
    double real, imaginary;
};

struct wl_solver_pivots {
    void *values; /* NULL: rows are not exchanged */
    int is_wide;  /* 64 bits */
};

int wl_solver_potrf(void *handle, char letter, int fill, int n, void *values, int lda, int *info);
int wl_solver_potrs(void *handle, char letter, int fill, int n, int columns, const void *values,
                    int lda, void *b, int ldb, int *info);
int wl_solver_getrf(void *handle, char letter, int m, int n, void *values, int lda,
                    struct wl_solver_pivots pivots, int *info);
int wl_solver_getrs(void *handle, char letter, int op, int n, int columns, const void *values,
                    int lda, struct wl_solver_pivots pivots, void *values_b, int ldb, int *info);
int wl_solver_geqrf(void *handle, char letter, int m, int n, void *values, int lda,
                    void *all_factors, int *info);

/* How often columns are turned at most, info where that is not enough, and where it goes how often
 * they were (NULL: nowhere). */
struct wl_solver_sweeps {
    int most, failed;
    int *done;
};

/* Turns the columns of a, in one piece, until they are orthogonal to within rounding; v, if any:
 * the product of the turns. */
void wl_solver_orthogonalize(struct wl_solver_work *work, int64_t rows, int columns, void *a,
                             void *v, const struct wl_solver_sweeps *sweeps, int *info);
/* Places within the space that a program gives, one behind another. */
void *wl_solver_take(const struct wl_solver_work *work, char **space, int64_t elements);

/* The elements of space that these two take. */
int64_t wl_solver_syevd_elements(int n);
int64_t wl_solver_gesvd_elements(int m, int n);
int wl_solver_syevd(void *handle, char letter, int job, int fill, int n, void *a, int lda,
                    void *values, char *space, int64_t count, int *info);

struct wl_solver_decomposition {
    char job_u, job_v;
    int m, n, lda, ldu, ldv;
    void *a, *values, *u, *v;
};
int wl_solver_gesvd(void *handle, char letter, struct wl_solver_decomposition of, char *space,
                    int64_t count, int *info);

#endif
