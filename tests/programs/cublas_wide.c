/* cuBLAS's calls that take sizes of 64 bits give what those of 32 bits give. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);

/* Both calls of a name; I: its sizes. */
#define BOTH(name, PARAMETERS)         \
    int cublas##name(PARAMETERS(int)); \
    int cublas##name##_64(PARAMETERS(int64_t));

typedef const void *in;
#define MOVE(I) void *handle, I n, in x, I incx, void *y, I incy
#define SWAP(I) void *handle, I n, void *x, I incx, void *y, I incy
#define ADD(I) void *handle, I n, in alpha, in x, I incx, void *y, I incy
#define SCALE(I) void *handle, I n, in alpha, void *x, I incx
#define DOT(I) void *handle, I n, in x, I incx, in y, I incy, void *result
#define DOT_EX(I)                                                                        \
    void *handle, I n, in x, int type_x, I incx, in y, int type_y, I incy, void *result, \
        int type_result, int type_execution
#define SUM(I) void *handle, I n, in x, I incx, void *result
#define GEMV(I) \
    void *handle, int op, I m, I n, in alpha, in a, I lda, in x, I incx, in beta, void *y, I incy
#define GEMV_BATCH(I)                                                                           \
    void *handle, int op, I m, I n, in alpha, in a, I lda, in x, I incx, in beta, in y, I incy, \
        I count
#define GEMV_STRIDED(I)                                                                      \
    void *handle, int op, I m, I n, in alpha, in a, I lda, long long stride_a, in x, I incx, \
        long long stride_x, in beta, void *y, I incy, long long stride_y, I count
#define GER(I) void *handle, I m, I n, in alpha, in x, I incx, in y, I incy, void *a, I lda
#define HALF_VECTOR(I) \
    void *handle, int fill, I n, in alpha, in a, I lda, in x, I incx, in beta, void *y, I incy
#define RANK_1(I) void *handle, int fill, I n, in alpha, in x, I incx, void *a, I lda
#define RANK_2(I) void *handle, int fill, I n, in alpha, in x, I incx, in y, I incy, void *a, I lda
#define TRIANGLE_VECTOR(I) \
    void *handle, int fill, int op, int diagonal, I n, in a, I lda, void *x, I incx
#define GEMM(I)                                                                                   \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, I lda, in b, I ldb, in beta, \
        void *c, I ldc
#define GEMM_BATCH(I)                                                                             \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, I lda, in b, I ldb, in beta, \
        in c, I ldc, I count
#define GEMM_STRIDED(I)                                                                         \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, I lda, long long stride_a, \
        in b, I ldb, long long stride_b, in beta, void *c, I ldc, long long stride_c, I count
#define GEMM_EX(I)                                                                            \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, int type_a, I lda, in b, \
        int type_b, I ldb, in beta, void *c, int type_c, I ldc, int compute, int algorithm
#define GEMM_BATCH_EX(I)                                                                      \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, int type_a, I lda, in b, \
        int type_b, I ldb, in beta, in c, int type_c, I ldc, I count, int compute, int algorithm
#define GEMM_STRIDED_EX(I)                                                                 \
    void *handle, int op_a, int op_b, I m, I n, I k, in alpha, in a, int type_a, I lda,    \
        long long stride_a, in b, int type_b, I ldb, long long stride_b, in beta, void *c, \
        int type_c, I ldc, long long stride_c, I count, int compute, int algorithm
#define GEAM(I)                                                                              \
    void *handle, int op_a, int op_b, I m, I n, in alpha, in a, I lda, in beta, in b, I ldb, \
        void *c, I ldc
#define DIAGONAL(I) void *handle, int side, I m, I n, in a, I lda, in x, I incx, void *c, I ldc
#define HALF(I)                                                                              \
    void *handle, int side, int fill, I m, I n, in alpha, in a, I lda, in b, I ldb, in beta, \
        void *c, I ldc
#define RANK(I) \
    void *handle, int fill, int op, I n, I k, in alpha, in a, I lda, in beta, void *c, I ldc
#define RANKS(I)                                                                           \
    void *handle, int fill, int op, I n, I k, in alpha, in a, I lda, in b, I ldb, in beta, \
        void *c, I ldc
#define TRIANGLE(I)                                                                                \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, in alpha, in a, I lda, in b, \
        I ldb, void *c, I ldc
#define SOLVE(I)                                                                             \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, in alpha, in a, I lda, \
        void *b, I ldb
#define SOLVE_BATCH(I)                                                                             \
    void *handle, int side, int fill, int op, int diagonal, I m, I n, in alpha, in a, I lda, in b, \
        I ldb, I count
#define VECTOR_COPY(I) I n, I element_bytes, in x, I incx, void *y, I incy
#define MATRIX_COPY(I) I rows, I columns, I element_bytes, in a, I lda, void *b, I ldb

BOTH(Dcopy_v2, MOVE)
BOTH(Zswap_v2, SWAP)
BOTH(Daxpy_v2, ADD)
BOTH(Zscal_v2, SCALE)
BOTH(Zdscal_v2, SCALE)
BOTH(Ddot_v2, DOT)
BOTH(Zdotc_v2, DOT)
BOTH(DotEx, DOT_EX)
BOTH(Dasum_v2, SUM)
BOTH(Dznrm2_v2, SUM)
BOTH(Idamax_v2, SUM)
BOTH(Izamin_v2, SUM)
BOTH(Dgemv_v2, GEMV)
BOTH(ZgemvBatched, GEMV_BATCH)
BOTH(DgemvStridedBatched, GEMV_STRIDED)
BOTH(Dger_v2, GER)
BOTH(Zgerc_v2, GER)
BOTH(Zhemv_v2, HALF_VECTOR)
BOTH(Zher_v2, RANK_1)
BOTH(Dsyr2_v2, RANK_2)
BOTH(Dtrmv_v2, TRIANGLE_VECTOR)
BOTH(Ztrsv_v2, TRIANGLE_VECTOR)
BOTH(Sgemm_v2, GEMM)
BOTH(Dgemm_v2, GEMM)
BOTH(Zgemm3m, GEMM)
BOTH(Hgemm, GEMM)
BOTH(DgemmBatched, GEMM_BATCH)
BOTH(ZgemmStridedBatched, GEMM_STRIDED)
BOTH(GemmEx, GEMM_EX)
BOTH(GemmBatchedEx, GEMM_BATCH_EX)
BOTH(GemmStridedBatchedEx, GEMM_STRIDED_EX)
BOTH(Dgeam, GEAM)
BOTH(Zdgmm, DIAGONAL)
BOTH(Zhemm_v2, HALF)
BOTH(Zherk_v2, RANK)
BOTH(Zherkx, RANKS)
BOTH(Dsyr2k_v2, RANKS)
BOTH(Ztrmm_v2, TRIANGLE)
BOTH(Dtrsm_v2, SOLVE)
BOTH(ZtrsmBatched, SOLVE_BATCH)
BOTH(SetVector, VECTOR_COPY)
BOTH(GetVector, VECTOR_COPY)
BOTH(SetMatrix, MATRIX_COPY)
BOTH(GetMatrix, MATRIX_COPY)

enum { M = 6, N = 5, K = 4, LD = 7, SIZE = 256, NOT_SUPPORTED = 15, DOUBLES = 1, COMPUTE = 70 };
static const int64_t huge = (int64_t)INT_MAX + 1;
static const double alpha[2] = {2, -1}, beta[2] = {0.5, 0.25};
static void *handle;
/* What calls read and write, as they find it. */
static struct values {
    double a[SIZE], b[SIZE], c[SIZE], result[2];
    const double *as[2], *bs[2], *cs[2];
} * values, before, kept;

static void begin(void)
{
    memcpy(values, &before, sizeof before);
}

static void keep(void)
{
    memcpy(&kept, values, sizeof kept);
    begin();
}

/* Whether the last two calls left the same, and something. */
static int are_same(void)
{
    return !memcmp(values, &kept, sizeof kept) && memcmp(&before, &kept, sizeof kept);
}

#define SAME(name, ...)                            \
    do {                                           \
        begin();                                   \
        EXPECT(cublas##name(__VA_ARGS__), 0);      \
        keep();                                    \
        EXPECT(cublas##name##_64(__VA_ARGS__), 0); \
        EXPECT(are_same(), 1);                     \
    } while (0)

static void use_vectors(void)
{
    double *const a = values->a, *const b = values->b, *const c = values->c,
                  *const result = values->result;
    SAME(Dcopy_v2, handle, N, a, 2, b, -3);
    SAME(Zswap_v2, handle, N, a, 2, b, -3);
    SAME(Daxpy_v2, handle, N, alpha, a, -2, b, 3);
    SAME(Zscal_v2, handle, N, alpha, a, 2);
    SAME(Zdscal_v2, handle, N, alpha, a, 2);
    SAME(Ddot_v2, handle, N, a, 2, b, -3, result);
    SAME(Zdotc_v2, handle, N, a, 2, b, -3, result);
    SAME(DotEx, handle, N, a, DOUBLES, 2, b, DOUBLES, -3, result, DOUBLES, DOUBLES);
    SAME(Dasum_v2, handle, N, a, 2, result);
    SAME(Dznrm2_v2, handle, N, a, 2, result);
    SAME(Dgemv_v2, handle, 1, M, N, alpha, a, LD, b, 2, beta, c, -3);
    SAME(ZgemvBatched, handle, 2, M, N, alpha, values->as, LD, values->bs, 2, beta, values->cs, -3,
         2);
    SAME(DgemvStridedBatched, handle, 1, M, N, alpha, a, LD, 50, b, 2, 40, beta, c, -3, 30, 2);
    SAME(Dger_v2, handle, M, N, alpha, a, 2, b, -3, c, LD);
    SAME(Zgerc_v2, handle, M, N, alpha, a, 2, b, -3, c, LD);
    SAME(Zhemv_v2, handle, 1, N, alpha, a, LD, b, 2, beta, c, -3);
    SAME(Zher_v2, handle, 1, N, alpha, a, 2, c, LD);
    SAME(Dsyr2_v2, handle, 1, N, alpha, a, 2, b, -3, c, LD);
    SAME(Dtrmv_v2, handle, 1, 1, 0, N, a, LD, b, 2);
    SAME(Ztrsv_v2, handle, 1, 1, 1, N, a, LD, b, 2);
}

static void use_matrices(void)
{
    double *const a = values->a, *const b = values->b, *const c = values->c;
    const double *const *const as = values->as, *const *const bs = values->bs;
    SAME(Sgemm_v2, handle, 0, 1, M, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Dgemm_v2, handle, 0, 1, M, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Hgemm, handle, 0, 1, M, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Zgemm3m, handle, 0, 1, M, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(DgemmBatched, handle, 0, 1, M, N, K, alpha, as, LD, bs, 8, beta, values->cs, 9, 2);
    SAME(ZgemmStridedBatched, handle, 0, 1, M, N, K, alpha, a, LD, 50, b, 8, 40, beta, c, 9, 60, 2);
    SAME(GemmEx, handle, 0, 1, M, N, K, alpha, a, DOUBLES, LD, b, DOUBLES, 8, beta, c, DOUBLES, 9,
         COMPUTE, -1);
    SAME(GemmBatchedEx, handle, 0, 1, M, N, K, alpha, as, DOUBLES, LD, bs, DOUBLES, 8, beta,
         values->cs, DOUBLES, 9, 2, COMPUTE, -1);
    SAME(GemmStridedBatchedEx, handle, 0, 1, M, N, K, alpha, a, DOUBLES, LD, 50, b, DOUBLES, 8, 40,
         beta, c, DOUBLES, 9, 60, 2, COMPUTE, -1);
    SAME(Dgeam, handle, 0, 1, M, N, alpha, a, LD, beta, b, 8, c, 9);
    SAME(Zdgmm, handle, 1, M, N, a, LD, b, -2, c, 9);
    SAME(Zhemm_v2, handle, 1, 0, M, N, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Zherk_v2, handle, 1, 0, N, K, alpha, a, LD, beta, c, 9);
    SAME(Zherkx, handle, 1, 0, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Dsyr2k_v2, handle, 1, 0, N, K, alpha, a, LD, b, 8, beta, c, 9);
    SAME(Ztrmm_v2, handle, 0, 1, 1, 0, M, N, alpha, a, LD, b, 8, c, 9);
    SAME(Dtrsm_v2, handle, 0, 1, 1, 1, M, N, alpha, a, LD, b, 8);
    SAME(ZtrsmBatched, handle, 0, 1, 1, 1, M, N, alpha, as, LD, bs, 8, 2);
    SAME(SetVector, N, 8, a, 2, b, 3);
    SAME(GetVector, N, 8, a, 2, b, 3);
    SAME(SetMatrix, M, N, 8, a, LD, b, 9);
    SAME(GetMatrix, M, N, 8, a, LD, b, 9);
}

/* The place is of 64 bits, too. */
static void find_places(void)
{
    int narrow = 0;
    int64_t wide = -1;
    begin();
    EXPECT(cublasIdamax_v2(handle, SIZE, values->a, 1, &narrow), 0);
    EXPECT(cublasIdamax_v2_64(handle, SIZE, values->a, 1, &wide), 0);
    EXPECT(wide == narrow && narrow > 0, 1);
    wide = -1;
    EXPECT(cublasIzamin_v2(handle, SIZE / 2, values->b, 1, &narrow), 0);
    EXPECT(cublasIzamin_v2_64(handle, SIZE / 2, values->b, 1, &wide), 0);
    EXPECT(wide == narrow && narrow > 0, 1);
    EXPECT(cublasIdamax_v2_64(handle, SIZE, values->a, 1, NULL), 7);
    EXPECT(cublasIdamax_v2_64(handle, SIZE, values->a, huge, &wide), NOT_SUPPORTED);
}

static void refuse(void)
{
    capture_stderr();
    const int status = cublasDcopy_v2_64(handle, huge, values->a, 1, values->b, 1);
    EXPECT_TEXT(captured_stderr(),
                "warplens: cublasDcopy_v2_64 of more than 2147483647 is not supported by the "
                "simulated GPU and returned an error\n");
    EXPECT(status, NOT_SUPPORTED);
    EXPECT(cublasDgemm_v2_64(handle, 0, 0, M, N, K, alpha, values->a, huge, values->b, LD, beta,
                             values->c, LD),
           NOT_SUPPORTED);
    EXPECT(cublasDcopy_v2_64(handle, N, values->a, -huge - 1, values->b, 1), NOT_SUPPORTED);
    EXPECT(cublasDgemm_v2_64(handle, 0, 0, M, N, K, alpha, values->a, M - 1, values->b, LD, beta,
                             values->c, LD),
           7);
    EXPECT(cublasDcopy_v2_64(NULL, N, values->a, 1, values->b, 1), 1);
}

int main(void)
{
    void *made = NULL;
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaMallocManaged(&made, sizeof *values, 1), 0);
    values = made;
    for (int i = 0; i < SIZE; i++) {
        before.a[i] = i % (LD + 1) ? (i * 7 % 23 - 11) / 4.0 : 9;
        before.b[i] = (i * 5 % 19 - 9.5) / 8.0;
        before.c[i] = (i * 11 % 29 - 14) / 16.0;
    }
    for (int i = 0; i < 2; i++) {
        before.as[i] = values->a + 100 * i;
        before.bs[i] = values->b + 100 * i;
        before.cs[i] = values->c + 120 * i;
    }
    use_vectors();
    use_matrices();
    find_places();
    refuse();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
