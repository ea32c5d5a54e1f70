/* cuBLAS's products of groups and sums of rank k of named types against what is computed here. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "runtime.h"

typedef float complex narrow;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasDgemmGroupedBatched(void *handle, const int *op_a, const int *op_b, const int *m,
                              const int *n, const int *k, const double *alpha,
                              const double *const *a, const int *lda, const double *const *b,
                              const int *ldb, const double *beta, double *const *c, const int *ldc,
                              int count, const int *sizes);
int cublasSgemmGroupedBatched_64(void *handle, const int *op_a, const int *op_b, const int64_t *m,
                                 const int64_t *n, const int64_t *k, const float *alpha,
                                 const float *const *a, const int64_t *lda, const float *const *b,
                                 const int64_t *ldb, const float *beta, float *const *c,
                                 const int64_t *ldc, int64_t count, const int64_t *sizes);
int cublasGemmGroupedBatchedEx(void *handle, const int *op_a, const int *op_b, const int *m,
                               const int *n, const int *k, const void *alpha, const void *const *a,
                               int type_a, const int *lda, const void *const *b, int type_b,
                               const int *ldb, const void *beta, void *const *c, int type_c,
                               const int *ldc, int count, const int *sizes, int compute);
int cublasCsyrkEx(void *handle, int fill, int op, int n, int k, const narrow *alpha, const void *a,
                  int type_a, int lda, const narrow *beta, void *c, int type_c, int ldc);
typedef int herk_call(void *handle, int fill, int op, int n, int k, const float *alpha,
                      const void *a, int type_a, int lda, const float *beta, void *c, int type_c,
                      int ldc);
herk_call cublasCherkEx, cublasCherk3mEx;

typedef int vector_call(void *handle, int op, int m, int n, const float *alpha, const void *a,
                        int lda, long long stride_a, const void *x, int incx, long long stride_x,
                        const float *beta, void *y, int incy, long long stride_y, int count);
vector_call cublasHSHgemvStridedBatched, cublasHSSgemvStridedBatched, cublasTSTgemvStridedBatched,
    cublasTSSgemvStridedBatched;
int cublasTSSgemvBatched_64(void *handle, int op, int64_t m, int64_t n, const float *alpha,
                            const void *const *a, int64_t lda, const void *const *x, int64_t incx,
                            const float *beta, void *const *y, int64_t incy, int64_t count);

enum { GROUPS = 2, MATRICES = 3, SIZE = 100, INVALID = 7, NOT_SUPPORTED = 15, C32 = 4 };
static void *handle;
static double *a[MATRICES], *b[MATRICES], *c[MATRICES], was[MATRICES][SIZE];
static int op_a[] = {0, 1}, op_b[] = {1, 0}, m[] = {7, 3}, n[] = {5, 9}, k[] = {4, 6};
static int lda[] = {8, 6}, ldb[] = {5, 7}, ldc[] = {7, 4}, sizes[] = {2, 1};
static const double alpha[] = {2, -1.5}, beta[] = {0.5, 0};

static int call(void *on, int count)
{
    return cublasDgemmGroupedBatched(on, op_a, op_b, m, n, k, alpha, (const double *const *)a, lda,
                                     (const double *const *)b, ldb, beta, c, ldc, count, sizes);
}

static void multiply(void)
{
    int wrong = 0;
    EXPECT(call(handle, GROUPS), 0);
    for (int i = 0; i < MATRICES; i++) {
        const int g = i / 2;
        for (int row = 0; row < m[g]; row++)
            for (int column = 0; column < n[g]; column++) {
                double sum = 0;
                for (int j = 0; j < k[g]; j++)
                    sum += a[i][op_a[g] ? j + row * lda[g] : row + j * lda[g]] *
                           b[i][op_b[g] ? column + j * ldb[g] : j + column * ldb[g]];
                const int at = row + column * ldc[g];
                wrong += fabs(c[i][at] - alpha[g] * sum - beta[g] * was[i][at]) > 1e-12;
            }
    }
    EXPECT(wrong, 0);
}

static void refuse(void)
{
    EXPECT(call(NULL, GROUPS), 1);
    EXPECT(call(handle, 0), 0);
    EXPECT(call(handle, -1), INVALID);
    sizes[1] = -1;
    EXPECT(call(handle, GROUPS), INVALID);
    sizes[1] = 0;
    EXPECT(call(handle, GROUPS), 0);
    sizes[1] = 1, lda[1] = 2;
    EXPECT(call(handle, GROUPS), INVALID);
    lda[1] = 6, op_b[1] = 7;
    EXPECT(call(handle, GROUPS), INVALID);
    op_b[1] = 0, m[0] = -1;
    EXPECT(call(handle, GROUPS), INVALID);
    m[0] = 7;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(call(handle, GROUPS), NOT_SUPPORTED);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
    EXPECT(cublasGemmGroupedBatchedEx(handle, op_a, op_b, m, n, k, alpha, (const void *const *)a, 1,
                                      lda, (const void *const *)b, 0, ldb, beta, (void *const *)c,
                                      1, ldc, 2, sizes, 70),
           NOT_SUPPORTED);
}

/* One product of one number of each type. */
static void use_types(void)
{
    const int64_t one[] = {1}, zero_op = 0;
    const int op = (int)zero_op, unit[] = {1};
    const float two = 2, none = 0;
    float *x = (float *)a[0];
    uint16_t *half = (uint16_t *)b[0];
    x[0] = 3, x[1] = 5, x[2] = 0;
    const float *left[] = {x}, *right[] = {x + 1};
    float *to[] = {x + 2};
    EXPECT(cublasSgemmGroupedBatched_64(handle, &op, &op, one, one, one, &two, left, one, right,
                                        one, &none, to, one, 1, one),
           0);
    EXPECT(x[2] == 30, 1);
    half[0] = 0x4200, half[1] = 0x4500, half[2] = 0; /* 3, 5 */
    const void *narrow_left[] = {half}, *narrow_right[] = {half + 1};
    void *narrow_to[] = {half + 2};
    EXPECT(cublasGemmGroupedBatchedEx(handle, &op, &op, unit, unit, unit, &two, narrow_left, 2,
                                      unit, narrow_right, 2, unit, &none, narrow_to, 2, unit, 1,
                                      unit, 68),
           0);
    EXPECT(half[2], 0x4f80); /* 30 */
}

static void add_rank(void)
{
    narrow *x = (narrow *)a[0], *y = (narrow *)c[0];
    const narrow factor = 2, kept = 0.5F;
    const float real = 2, real_kept = 0.5F;
    for (int call_number = 0; call_number < 3; call_number++) {
        for (int i = 0; i < 4; i++)
            x[i] = (float)(i + 1) + (float)(2 - i) * I, y[i] = 2;
        EXPECT(call_number == 0
                   ? cublasCsyrkEx(handle, 1, 0, 2, 2, &factor, x, C32, 2, &kept, y, C32, 2)
                   : (call_number == 1 ? cublasCherkEx : cublasCherk3mEx)(
                         handle, 1, 0, 2, 2, &real, x, C32, 2, &real_kept, y, C32, 2),
               0);
        const narrow right = call_number == 0 ? 2 * (x[0] * x[1] + x[2] * x[3]) + 1
                                              : 2 * (x[0] * conjf(x[1]) + x[2] * conjf(x[3])) + 1;
        EXPECT(cabsf(y[2] - right) < 1e-4F && y[1] == 2, 1);
    }
    EXPECT(cublasCherkEx(handle, 1, 0, 2, 2, &real, x, 0, 2, &real_kept, y, C32, 2), NOT_SUPPORTED);
    EXPECT(cublasCherkEx(handle, 2, 0, 2, 2, &real, x, C32, 2, &real_kept, y, C32, 2), INVALID);
    EXPECT(cublasCherkEx(NULL, 1, 0, 2, 2, &real, x, C32, 2, &real_kept, y, C32, 2), 1);
}

/* Small whole numbers, which need no rounding: their bits, and back. */
static uint16_t bits_of(int is_bfloat, int value)
{
    uint32_t bits;
    const float wide = (float)value;
    memcpy(&bits, &wide, sizeof bits);
    if (is_bfloat || value == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) | (((bits >> 23 & 255) - 112) << 10) |
                      (bits >> 13 & 1023));
}

static void multiply_vectors(int is_bfloat, int is_wide, int op, vector_call *gemv)
{
    enum { ROWS = 3, COLUMNS = 2, INCX = 2, INCY = 3 };
    const float factor = 2, kept = 3;
    uint16_t *matrix = (uint16_t *)a[0], *x = (uint16_t *)b[0], *y = (uint16_t *)c[0];
    float *wide = (float *)c[0];
    int wrong = 0;
    for (int i = 0; i < 40; i++) {
        matrix[i] = bits_of(is_bfloat, i % 5 - 2), x[i] = bits_of(is_bfloat, i % 3 - 1);
        if (is_wide)
            wide[i] = 1;
        else
            y[i] = bits_of(is_bfloat, 1);
    }
    EXPECT(
        gemv(handle, op, ROWS, COLUMNS, &factor, matrix, 4, 8, x, INCX, 6, &kept, y, INCY, 10, 2),
        0);
    for (int i = 0; i < 20; i++) {
        const int at = i % 10 / INCY, rows = op ? COLUMNS : ROWS, terms = op ? ROWS : COLUMNS;
        int sum = 1;
        if (i % 10 % INCY == 0 && at < rows)
            for (int k = 0; k < terms; k++) {
                const int place = i / 10 * 8 + (op ? k + at * 4 : at + k * 4);
                sum += 2 * (place % 5 - 2) * ((i / 10 * 6 + k * INCX) % 3 - 1) + (k ? 0 : 2);
            }
        wrong += is_wide ? wide[i] != (float)sum : y[i] != bits_of(is_bfloat, sum);
    }
    EXPECT(wrong, 0);
    EXPECT(gemv(NULL, op, 3, 2, &factor, x, 4, 8, x, 1, 6, &kept, y, 1, 10, 2), 1);
    EXPECT(gemv(handle, 3, 3, 2, &factor, x, 4, 8, x, 1, 6, &kept, y, 1, 10, 2), INVALID);
    EXPECT(gemv(handle, op, 3, 2, &factor, x, 2, 8, x, 1, 6, &kept, y, 1, 10, 2), INVALID);
    EXPECT(gemv(handle, op, 3, 2, &factor, x, 4, 8, x, 1, 6, &kept, y, 1, 10, -1), INVALID);
    EXPECT(gemv(handle, op, 3, 2, NULL, x, 4, 8, x, 1, 6, &kept, y, 1, 10, 2), INVALID);
    EXPECT(gemv(handle, op, 3, 0, &factor, x, 4, 8, x, 1, 6, &kept, y, 1, 10, 2), 0);
}

static void use_vectors(void)
{
    const float factor = 2, kept = 0;
    for (int op = 0; op < 2; op++) {
        multiply_vectors(0, 0, op, cublasHSHgemvStridedBatched);
        multiply_vectors(0, 1, op, cublasHSSgemvStridedBatched);
        multiply_vectors(1, 0, op, cublasTSTgemvStridedBatched);
        multiply_vectors(1, 1, op, cublasTSSgemvStridedBatched);
    }
    ((uint16_t *)a[0])[0] = bits_of(1, 3), ((uint16_t *)b[0])[0] = bits_of(1, 5);
    const void *left[] = {a[0]}, *right[] = {b[0]};
    void *to[] = {c[0]};
    EXPECT(cublasTSSgemvBatched_64(handle, 0, 1, 1, &factor, left, 1, right, 1, &kept, to, 1, 1),
           0);
    EXPECT(((float *)c[0])[0] == 30, 1);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    for (int i = 0; i < MATRICES; i++) {
        EXPECT(cudaMallocManaged((void **)&a[i], SIZE * sizeof(double), 1), 0);
        EXPECT(cudaMallocManaged((void **)&b[i], SIZE * sizeof(double), 1), 0);
        EXPECT(cudaMallocManaged((void **)&c[i], SIZE * sizeof(double), 1), 0);
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = (j * 7 + i) % 23 - 11, b[i][j] = (j * 5 + i) % 19 - 9;
            c[i][j] = was[i][j] = j % 4;
        }
    }
    multiply();
    refuse();
    use_types();
    add_rank();
    use_vectors();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
