/* Calls of cuBLAS that copy, search, add matrices, solve triangles and factor batches, against what
 * is computed here. */
#include <math.h>

#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasScopy_v2(void *handle, int n, const float *x, int incx, float *y, int incy);
int cublasDswap_v2(void *handle, int n, double *x, int incx, double *y, int incy);
int cublasSasum_v2(void *handle, int n, const float *x, int incx, float *result);
int cublasIsamax_v2(void *handle, int n, const float *x, int incx, int *result);
int cublasIdamin_v2(void *handle, int n, const double *x, int incx, int *result);
int cublasSgeam(void *handle, int op_a, int op_b, int m, int n, const float *alpha, const float *a,
                int lda, const float *beta, const float *b, int ldb, float *c, int ldc);
int cublasDger_v2(void *handle, int m, int n, const double *alpha, const double *x, int incx,
                  const double *y, int incy, double *a, int lda);
int cublasDtrsm_v2(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                   const double *alpha, const double *a, int lda, double *b, int ldb);
int cublasDgetrfBatched(void *handle, int n, double *const *matrices, int lda, int *pivots,
                        int *info, int count);
int cublasDgetrsBatched(void *handle, int op, int n, int columns, const double *const *matrices,
                        int lda, const int *pivots, double *const *sides, int ldb, int *info,
                        int count);
int cublasDgetriBatched(void *handle, int n, const double *const *matrices, int lda,
                        const int *pivots, double *const *inverses, int ldc, int *info, int count);

enum { COUNT = 1000, M = 37, N = 20, LD = 40, ORDER = 6, BATCH = 3 };
static void *handle;

static int value(int i)
{
    return i * 7 % 11 - 5;
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static void use_vectors(void)
{
    float *x = managed(COUNT * sizeof *x), *y = managed(COUNT * sizeof *y), sum = 0, expected = 0;
    double *a = managed(COUNT * sizeof *a), *b = managed(COUNT * sizeof *b);
    int place = 0;
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)value(i), a[i] = 2 + i, b[i] = -i, expected += fabsf(x[i]);
    EXPECT(cublasScopy_v2(handle, COUNT, x, 1, y, -1), 0);
    EXPECT(y[0] == x[COUNT - 1] && y[COUNT - 1] == x[0], 1);
    EXPECT(cublasSasum_v2(handle, COUNT, x, 1, &sum), 0);
    EXPECT(sum == expected, 1);
    x[700] = -9, x[900] = 9;
    EXPECT(cublasIsamax_v2(handle, COUNT, x, 1, &place), 0);
    EXPECT(place, 701);
    EXPECT(cublasIdamin_v2(handle, COUNT, a, 1, &place), 0);
    EXPECT(place, 1);
    EXPECT(cublasIsamax_v2(handle, 0, x, 1, &place), 0);
    EXPECT(place, 0);
    EXPECT(cublasDswap_v2(handle, COUNT / 2, a, 2, b, 2), 0);
    EXPECT(a[2] == -2 && b[2] == 4 && a[3] == 5, 1);
}

static void add_matrices(void)
{
    float *a = managed(3 * LD * LD * sizeof *a), *b = a + LD * LD, *c = b + LD * LD;
    const float two = 2, three = 3;
    int wrong = 0;
    for (int i = 0; i < 2 * LD * LD; i++)
        a[i] = (float)value(i);
    EXPECT(cublasSgeam(handle, 0, 1, M, N, &two, a, LD, &three, b, LD, c, LD), 0);
    for (int row = 0; row < M; row++)
        for (int column = 0; column < N; column++)
            wrong += c[row + column * LD] != 2 * a[row + column * LD] + 3 * b[column + row * LD];
    EXPECT(wrong, 0);
    EXPECT(cublasSgeam(handle, 0, 0, M, N, &two, a, LD, &three, b, LD, c, M - 1), 7);
    double *x = managed(2 * LD * sizeof *x), *y = x + LD, *d = managed(LD * LD * sizeof *d);
    const double half = 0.5;
    for (int i = 0; i < 2 * LD; i++)
        x[i] = value(i);
    for (int i = 0; i < LD * LD; i++)
        d[i] = i;
    EXPECT(cublasDger_v2(handle, M, N, &half, x, 1, y, 1, d, LD), 0);
    EXPECT(d[5 + 3 * LD] == 5 + 3 * LD + 0.5 * x[5] * y[3], 1);
    EXPECT(d[M + 3 * LD] == M + 3 * LD, 1);
}

/* Element of a, or of its transposed, in a triangle. */
static double triangle(const double *a, int is_upper, int op, int row, int column)
{
    int own_row = op ? column : row, own_column = op ? row : column;
    return (is_upper ? own_row <= own_column : own_row >= own_column) ? a[own_row + own_column * LD]
                                                                      : 0;
}

static void solve_triangles(void)
{
    double *a = managed(LD * LD * sizeof *a), *b = managed(LD * LD * sizeof *b);
    const double two = 2;
    for (int i = 0; i < LD * LD; i++)
        a[i] = i % (LD + 1) ? value(i) / 16.0 : 4;
    for (int kind = 0; kind < 8; kind++) {
        int side = kind & 1, is_upper = kind >> 1 & 1, op = kind >> 2;
        double worst = 0;
        for (int i = 0; i < LD * LD; i++)
            b[i] = value(i + kind);
        EXPECT(cublasDtrsm_v2(handle, side, is_upper, op, 0, 12, 12, &two, a, LD, b, LD), 0);
        for (int row = 0; row < 12; row++)
            for (int column = 0; column < 12; column++) {
                double sum = 0;
                for (int k = 0; k < 12; k++)
                    sum += side ? b[row + k * LD] * triangle(a, is_upper, op, k, column)
                                : triangle(a, is_upper, op, row, k) * b[k + column * LD];
                worst = fmax(worst, fabs(sum - 2 * value(row + column * LD + kind)));
            }
        EXPECT(worst < 1e-9, 1);
    }
}

/* a x = b and a's inverse, of matrices whose first elements are 0: without pivots there is no way.
 */
static void factor_batches(void)
{
    double **a = managed(BATCH * sizeof *a), **b = managed(BATCH * sizeof *b);
    double **inverse = managed(BATCH * sizeof *inverse), kept[BATCH][ORDER * ORDER], worst = 0;
    int *pivots = managed(BATCH * ORDER * sizeof *pivots), *info = managed(BATCH * sizeof *info);
    int failed = 1;
    for (int m = 0; m < BATCH; m++) {
        a[m] = managed(ORDER * ORDER * sizeof **a);
        b[m] = managed(ORDER * sizeof **b);
        inverse[m] = managed(ORDER * ORDER * sizeof **inverse);
        for (int i = 0; i < ORDER * ORDER; i++)
            kept[m][i] = a[m][i] = i ? value(i * (m + 3)) + 0.25 * (i % 5) : 0;
        for (int i = 0; i < ORDER; i++)
            b[m][i] = i + 1;
    }
    EXPECT(cublasDgetrfBatched(handle, ORDER, a, ORDER, pivots, info, BATCH), 0);
    EXPECT(cublasDgetrsBatched(handle, 0, ORDER, 1, (const double *const *)a, ORDER, pivots, b,
                               ORDER, &failed, BATCH),
           0);
    EXPECT(failed, 0);
    EXPECT(cublasDgetriBatched(handle, ORDER, (const double *const *)a, ORDER, pivots, inverse,
                               ORDER, info, BATCH),
           0);
    for (int m = 0; m < BATCH; m++)
        for (int row = 0; row < ORDER; row++) {
            double sum = 0, diagonal = 0;
            for (int k = 0; k < ORDER; k++) {
                sum += kept[m][row + k * ORDER] * b[m][k];
                diagonal += kept[m][row + k * ORDER] * inverse[m][k + row * ORDER];
            }
            worst = fmax(worst, fmax(fabs(sum - row - 1), fabs(diagonal - 1)));
        }
    EXPECT(worst < 1e-9, 1);
    EXPECT(info[0] + info[1] + info[2], 0);
    for (int i = 0; i < ORDER * ORDER; i++)
        a[1][i] = 0;
    EXPECT(cublasDgetrfBatched(handle, ORDER, a, ORDER, pivots, info, BATCH), 0);
    EXPECT(info[1], 1);
}

static float *on_device(int count)
{
    void *made = NULL;
    EXPECT(cudaMalloc(&made, (size_t)count * sizeof(float)), 0);
    return made;
}

/* What is only written holds nothing before: check-memory runs this, too. */
/* More than there are blocks of other calls: each has its own. */
static void factor_many(void)
{
    enum { MANY = 3000 };
    double *numbers = managed(MANY * sizeof *numbers), **a = managed(MANY * sizeof *a);
    int *info = managed(MANY * sizeof *info), wrong = 0;
    for (int m = 0; m < MANY; m++) {
        a[m] = &numbers[m];
        numbers[m] = m % 7;
        info[m] = -1;
    }
    EXPECT(cublasDgetrfBatched(handle, 1, a, 1, NULL, info, MANY), 0);
    for (int m = 0; m < MANY; m++)
        wrong += info[m] != (m % 7 == 0) || numbers[m] != m % 7;
    EXPECT(wrong, 0);
}

static void write_outputs(void)
{
    float *x = on_device(COUNT), *y = on_device(COUNT), *c = on_device(COUNT), first[2];
    const float one = 1, zero = 0;
    EXPECT(cudaMemset(x, 0x3f, COUNT * sizeof *x), 0);
    EXPECT(cublasScopy_v2(handle, COUNT, x, 1, y, 1), 0);
    EXPECT(cudaMemcpy(&first[0], y, sizeof *first, 2), 0);
    EXPECT(cublasSgeam(handle, 0, 0, 10, 10, &one, y, 10, &zero, c, 10, c, 10), 0);
    EXPECT(cudaMemcpy(&first[1], c, sizeof *first, 2), 0);
    EXPECT(first[0] > 0.74F && first[0] < 0.75F && first[1] == first[0], 1);
    EXPECT(cudaFree(x), 0);
    EXPECT(cudaFree(y), 0);
    EXPECT(cudaFree(c), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    use_vectors();
    add_matrices();
    solve_triangles();
    factor_batches();
    factor_many();
    write_outputs();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
