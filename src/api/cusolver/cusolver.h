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
    WL_SOLVER_INTERNAL_ERROR = 7,
    WL_SOLVER_NOT_SUPPORTED = 9,
};

enum { WL_SOLVER_LOWER = 0, WL_SOLVER_UPPER = 1 }; /* how a triangle is filled */

#define WL_SOLVER_MAGIC 0x7763736fu

struct wl_solver_handle {
    uint32_t magic;
    void *stream;
    int deterministic_mode, math_mode, emulation_strategy; /* from 0, see modes.c */
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
    void *stream, *own_space;
    int status;
    bool is_told, has_begun; /* wl_solver_tell; and the kernel that has the time was launched */
    struct wl_library_work library;
};

/* Begins a call's work: its status is that of the handle, and of whether its arguments are valid.
 * info becomes 0. */
struct wl_solver_work wl_solver_begin(void *handle, char letter, bool are_valid, int *info);
/* The same of a call that is told below: what is launched before takes no time of its own. */
struct wl_solver_work wl_solver_begin_told(void *handle, char letter, bool are_valid, int *info);
/* The space that a program gives, or, where it says that there are fewer elements than are wanted,
 * space of ours until wl_solver_end: cuSOLVER's calls do not ask how much there is. */
char *wl_solver_space(struct wl_solver_work *work, void *given, int64_t count, int64_t wanted);
/* The status of the work. */
int wl_solver_end(struct wl_solver_work *work);
/* The kernels that follow take together what cuSOLVER's own take for this; count: right-hand sides,
 * or matrices. */
void wl_solver_tell(struct wl_solver_work *work, enum wl_library_steps steps, int64_t rows,
                    int64_t columns, int64_t count);
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

/* What was launched is done; the host may read what it left. */
void wl_solver_wait(struct wl_solver_work *work);
/* b = the triangle's inverse times b; is_backwards: the triangle as it is given here is an upper
 * one. */
void wl_solver_solve(struct wl_solver_work *work, int rows, struct wl_solver_matrix a,
                     int is_backwards, int is_unit, struct wl_solver_matrix b, int columns);
/* c = H c of reflections below a's diagonal, the last one first, or of their adjoints, the first
 * one first; factors lie `step` apart. */
void wl_solver_multiply(struct wl_solver_work *work, int64_t rows, int count, int is_backwards,
                        struct wl_solver_matrix a, const void *factors, int step,
                        struct wl_solver_matrix c, int64_t columns);
/* to = from, or the identity where from.values is NULL. */
void wl_solver_place(struct wl_solver_work *work, int64_t rows, int64_t columns,
                     struct wl_solver_matrix from, struct wl_solver_matrix to);

/* to = a b, or to - a b; a is full or a triangle, of which nothing else is read. */
enum { WL_SOLVER_FULL = 0, WL_SOLVER_BELOW = 1, WL_SOLVER_ABOVE = 2 };
struct wl_solver_product {
    int64_t rows, columns, depth;
    struct wl_solver_matrix a;
    int kind, is_unit;
    struct wl_solver_matrix b, to;
    int is_less;
};
void wl_solver_product(struct wl_solver_work *work, const struct wl_solver_product *of);

/* ---- calls that are told types and sizes of 64 bits ---- */

/* CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F */
enum { WL_SOLVER_FLOATS = 0, WL_SOLVER_DOUBLES = 1, WL_SOLVER_SINGLES = 4, WL_SOLVER_TWICES = 5 };

/* -1, which no call takes for a size, of what is too large for the kernels. */
int wl_solver_narrow(int64_t value);
/* Of a matrix's type, if what belongs to it is of the type that it must be: 's', 'd', 'c' or 'z'.
 * 0: they are others. */
char wl_solver_letter_of(const char *call, int type, int other, int must_be);
/* Of a call that takes so many elements in device memory; none take host memory. */
int wl_solver_give_sizes(void *handle, char letter, bool are_valid, int64_t elements,
                         size_t *device, size_t *host);

#define WL_SOLVER_LETTER(call, type, other)                                                   \
    wl_solver_letter_of(                                                                      \
        #call                                                                                 \
        " (cuSOLVER) of other types than floats and doubles, real or complex, or of several", \
        type, other, type)
/* Of a call whose values are real. */
#define WL_SOLVER_LETTER_OF_REAL(call, type, other)                                           \
    wl_solver_letter_of(                                                                      \
        #call                                                                                 \
        " (cuSOLVER) of other types than floats and doubles, real or complex, or of several", \
        type, other,                                                                          \
        type == WL_SOLVER_SINGLES  ? WL_SOLVER_FLOATS                                         \
        : type == WL_SOLVER_TWICES ? WL_SOLVER_DOUBLES                                        \
                                   : type)

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

/* Of what eigenvalues and singular values are. */
static inline size_t wl_solver_real_bytes_of(char letter)
{
    return letter == 's' || letter == 'c' ? sizeof(float) : sizeof(double);
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
/* batch: of how many matrices it has the time; 0: another of them has it. */
int wl_solver_potrf_of(void *handle, char letter, int fill, int n, void *values, int lda, int *info,
                       int batch);
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

/* The same by syevj, with what a program says of it, which is_turns tells of other pointers. */
bool wl_solver_is_turns(void *params);
int64_t wl_solver_syevj_elements(int n);
int wl_solver_syevj(void *handle, char letter, int job, int fill, int n, void *a, int lda,
                    void *values, char *space, int64_t count, void *params, int *info);

struct wl_solver_decomposition {
    char job_u, job_v;
    int m, n, lda, ldu, ldv;
    void *a, *values, *u, *v;
};
/* As gesvdj: of any shape, with right vectors as columns; is_economic: as many vectors as values.
 */
struct wl_solver_usv {
    int job, is_economic, m, n, lda, ldu, ldv;
    void *a, *values, *u, *v;
};
int64_t wl_solver_usv_elements(int m, int n);
int wl_solver_usv(void *handle, char letter, const struct wl_solver_usv *of, char *space,
                  int64_t count, int *info);

int wl_solver_gesvd(void *handle, char letter, struct wl_solver_decomposition of, char *space,
                    int64_t count, int *info);

#endif
