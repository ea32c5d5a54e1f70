/* Products of groups of matrices, each group with sizes of its own, and sums of rank k of named
 * types. */
#include <limits.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"
#include "base/count.h"

typedef struct wl_complex_single single;

enum { TYPE_F32 = 0, TYPE_F64 = 1, TYPE_F16 = 2, TYPE_C32 = 4, TYPE_BF16 = 14 }; /* cudaDataType */
enum { COMPUTE_F32 = 68, COMPUTE_F32_PEDANTIC = 69, COMPUTE_F64 = 70, COMPUTE_TF32 = 77 };

int cublasGemmBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                        const void *const a[], int type_a, int lda, const void *const b[],
                        int type_b, int ldb, const void *beta, void *const c[], int type_c, int ldc,
                        int count, int compute, int algorithm);

enum { M, N, K, LDA, LDB, LDC, SIZE, NUMBERS };

/* Of each group; numbers: of 64 bits if is_wide. The matrices of all groups follow each other. */
struct groups {
    const int *op_a, *op_b;
    const void *numbers[NUMBERS];
    bool is_wide;
    const void *alpha, *beta;
    const void *const *a, *const *b;
    void *const *c;
    int type, compute;
    int64_t count;
};

static int64_t number_of(const struct groups *of, int64_t group, int which)
{
    return of->is_wide ? ((const int64_t *)of->numbers[which])[group]
                       : ((const int *)of->numbers[which])[group];
}

static bool is_leading(int64_t leading, int64_t rows)
{
    return leading >= (rows > 1 ? rows : 1);
}

static bool is_group(const struct groups *of, int64_t group)
{
    int64_t numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        numbers[i] = number_of(of, group, i);
    return (unsigned)of->op_a[group] <= 2 && (unsigned)of->op_b[group] <= 2 && numbers[M] >= 0 &&
           numbers[N] >= 0 && numbers[K] >= 0 && numbers[SIZE] >= 0 &&
           is_leading(numbers[LDA], of->op_a[group] ? numbers[K] : numbers[M]) &&
           is_leading(numbers[LDB], of->op_b[group] ? numbers[N] : numbers[K]) &&
           is_leading(numbers[LDC], numbers[M]);
}

static bool fits(const struct groups *of, int64_t group)
{
    for (int i = 0; i < NUMBERS; i++)
        if (number_of(of, group, i) > INT_MAX) {
            wl_device_refuse("cublasGemmGroupedBatched of more than 2147483647");
            return false;
        }
    return true;
}

static bool is_type(const struct groups *of, int type_b, int type_c)
{
    static const int rows[][2] = {{TYPE_F16, COMPUTE_F32},  {TYPE_BF16, COMPUTE_F32},
                                  {TYPE_F32, COMPUTE_F32},  {TYPE_F32, COMPUTE_F32_PEDANTIC},
                                  {TYPE_F32, COMPUTE_TF32}, {TYPE_F64, COMPUTE_F64}};
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i][0] == of->type && rows[i][1] == of->compute)
            return type_b == of->type && type_c == of->type;
    return false;
}

static bool is_whole(const struct groups *of)
{
    bool is_there = of->op_a && of->op_b && of->alpha && of->beta && of->a && of->b && of->c;
    for (int i = 0; i < NUMBERS; i++)
        is_there = is_there && of->numbers[i];
    return is_there;
}

/* All groups are looked at before the first is computed. */
static int check(const struct wl_cublas_handle *handle, const struct groups *of, int type_b,
                 int type_c)
{
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (handle->pointer_mode != 0 || !is_type(of, type_b, type_c)) /* scalars are the host's */
        return WL_CUBLAS_NOT_SUPPORTED;
    if (of->count < 0 || (of->count > 0 && !is_whole(of)))
        return WL_CUBLAS_INVALID_VALUE;
    for (int64_t i = 0; i < of->count; i++)
        if (!is_group(of, i))
            return WL_CUBLAS_INVALID_VALUE;
    for (int64_t i = 0; i < of->count; i++)
        if (!fits(of, i))
            return WL_CUBLAS_NOT_SUPPORTED;
    return WL_CUBLAS_OK;
}

static int multiply(void *handle, const struct groups *of, int type_b, int type_c)
{
    const size_t bytes = of->type == TYPE_F64 ? sizeof(double) : sizeof(float);
    int status = check(wl_cublas_check(handle), of, type_b, type_c);
    int64_t first = 0;
    for (int64_t i = 0; status == WL_CUBLAS_OK && i < of->count; i++) {
        int numbers[NUMBERS];
        for (int j = 0; j < NUMBERS; j++)
            numbers[j] = (int)number_of(of, i, j);
        status = cublasGemmBatchedEx(
            handle, of->op_a[i], of->op_b[i], numbers[M], numbers[N], numbers[K],
            (const char *)of->alpha + (size_t)i * bytes, of->a + first, of->type, numbers[LDA],
            of->b + first, of->type, numbers[LDB], (const char *)of->beta + (size_t)i * bytes,
            of->c + first, of->type, numbers[LDC], numbers[SIZE], of->compute, 0);
        first += numbers[SIZE];
    }
    return status;
}

#define GROUPS(I, as_type, as_compute)                                  \
    (&(const struct groups){.op_a = op_a,                               \
                            .op_b = op_b,                               \
                            .numbers = {m, n, k, lda, ldb, ldc, sizes}, \
                            .is_wide = sizeof(I) == sizeof(int64_t),    \
                            .alpha = alpha,                             \
                            .beta = beta,                               \
                            .a = (const void *const *)a,                \
                            .b = (const void *const *)b,                \
                            .c = (void *const *)c,                      \
                            .type = as_type,                            \
                            .compute = as_compute,                      \
                            .count = count})

#define GROUPED(name, I, T, type, compute)                                                      \
    int cublas##name(void *handle, const int *op_a, const int *op_b, const I *m, const I *n,    \
                     const I *k, const T *alpha, const T *const *a, const I *lda,               \
                     const T *const *b, const I *ldb, const T *beta, T *const *c, const I *ldc, \
                     I count, const I *sizes)                                                   \
    {                                                                                           \
        return multiply(handle, GROUPS(I, type, compute), type, type);                          \
    }
#define GROUPED_EX(name, I)                                                                  \
    int cublas##name(void *handle, const int *op_a, const int *op_b, const I *m, const I *n, \
                     const I *k, const void *alpha, const void *const *a, int type_a,        \
                     const I *lda, const void *const *b, int type_b, const I *ldb,           \
                     const void *beta, void *const *c, int type_c, const I *ldc, I count,    \
                     const I *sizes, int compute)                                            \
    {                                                                                        \
        return multiply(handle, GROUPS(I, type_a, compute), type_b, type_c);                 \
    }

GROUPED(SgemmGroupedBatched, int, float, TYPE_F32, COMPUTE_F32)
GROUPED(SgemmGroupedBatched_64, int64_t, float, TYPE_F32, COMPUTE_F32)
GROUPED(DgemmGroupedBatched, int, double, TYPE_F64, COMPUTE_F64)
GROUPED(DgemmGroupedBatched_64, int64_t, double, TYPE_F64, COMPUTE_F64)
GROUPED_EX(GemmGroupedBatchedEx, int)
GROUPED_EX(GemmGroupedBatchedEx_64, int64_t)

/* ---- sums of rank k, of complex numbers in single precision; F: the factors' type ---- */

#define RANK_EX(name, over, F)                                                                    \
    int cublas##over(void *handle, int fill, int op, int n, int k, const F *alpha,                \
                     const single *a, int lda, const F *beta, single *c, int ldc);                \
    int cublas##name(void *handle, int fill, int op, int n, int k, const F *alpha, const void *a, \
                     int type_a, int lda, const F *beta, void *c, int type_c, int ldc)            \
    {                                                                                             \
        if (wl_cublas_check(handle) && (type_a != TYPE_C32 || type_c != TYPE_C32))                \
            return WL_CUBLAS_NOT_SUPPORTED;                                                       \
        return cublas##over(handle, fill, op, n, k, alpha, a, lda, beta, c, ldc);                 \
    }
RANK_EX(CsyrkEx, Csyrk_v2, single)
RANK_EX(Csyrk3mEx, Csyrk_v2, single)
RANK_EX(CherkEx, Cherk_v2, float)
RANK_EX(Cherk3mEx, Cherk_v2, float)
