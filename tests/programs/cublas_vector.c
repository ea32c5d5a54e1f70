/* The calls of cuBLAS on vectors and in double precision, against sums made here. */
#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasDaxpy_v2(void *handle, int n, const double *alpha, const double *x, int incx, double *y,
                   int incy);
int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int incx);
int cublasSdot_v2(void *handle, int n, const float *x, int incx, const float *y, int incy,
                  float *result);
int cublasSnrm2_v2(void *handle, int n, const float *x, int incx, float *result);
int cublasDnrm2_v2(void *handle, int n, const double *x, int incx, double *result);
int cublasDgemv_v2(void *handle, int operation, int m, int n, const double *alpha, const double *a,
                   int lda, const double *x, int incx, const double *beta, double *y, int incy);
int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);

enum { COUNT = 1000, M = 37, N = 20, K = 50, LD = 64 };
static void *handle;

/* Small whole numbers: all sums are exact in any order. */
static int value(int i)
{
    return i * 7 % 11 - 5;
}

static void use_floats(void)
{
    float *x, two = 2, result = 0, expected = 0;
    EXPECT(cudaMallocManaged((void **)&x, COUNT * sizeof *x, 1), 0);
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)value(i);
    EXPECT(cublasSscal_v2(handle, COUNT / 2, &two, x, 2), 0);
    for (int i = 0; i < COUNT; i++)
        EXPECT(x[i], value(i) * (i % 2 ? 1 : 2));
    for (int i = 0; i < COUNT; i++)
        expected += x[i] * x[COUNT - 1 - i];
    EXPECT(cublasSdot_v2(handle, COUNT, x, 1, x, -1, &result), 0);
    EXPECT(result, expected);
    EXPECT(cudaFree(x), 0);
}

/* Sums of many floats keep their digits, and squares that overflow do not show. */
static void use_many_floats(void)
{
    enum { MANY = 1 << 22 };
    float *x, result = 0;
    EXPECT(cudaMallocManaged((void **)&x, MANY * sizeof *x, 1), 0);
    for (int i = 0; i < MANY; i++)
        x[i] = 0.1f;
    EXPECT(cublasSdot_v2(handle, MANY, x, 1, x, 1, &result), 0);
    EXPECT(result > 41943.04f * 0.99999f && result < 41943.04f * 1.00001f, 1);
    x[0] = 3e30f, x[1] = -4e30f;
    EXPECT(cublasSnrm2_v2(handle, 2, x, 1, &result), 0);
    EXPECT(result == 5e30f, 1);
    EXPECT(cudaFree(x), 0);
}

static void use_doubles(void)
{
    double *x, *y, three = 3, norm = 0;
    EXPECT(cudaMallocManaged((void **)&x, COUNT * sizeof *x, 1), 0);
    EXPECT(cudaMallocManaged((void **)&y, COUNT * sizeof *y, 1), 0);
    for (int i = 0; i < COUNT; i++)
        x[i] = value(i), y[i] = i;
    EXPECT(cublasDaxpy_v2(handle, COUNT, &three, x, 1, y, 1), 0);
    for (int i = 0; i < COUNT; i++)
        EXPECT(y[i], i + 3 * value(i));
    x[0] = 3, x[1] = -4;
    EXPECT(cublasDnrm2_v2(handle, 2, x, 1, &norm), 0);
    EXPECT(norm, 5);
    EXPECT(cublasDnrm2_v2(NULL, 2, x, 1, &norm), 1);
    EXPECT(cudaFree(x), 0);
    EXPECT(cudaFree(y), 0);
}

static double element(const double *x, int transpose, int row, int column)
{
    return transpose ? x[column + row * LD] : x[row + column * LD];
}

static void multiply(int op_a, int op_b)
{
    double *a, *b, *c, two = 2, half = 0.5;
    EXPECT(cudaMallocManaged((void **)&a, 3 * LD * LD * sizeof *a, 1), 0);
    b = a + LD * LD, c = b + LD * LD;
    for (int i = 0; i < 2 * LD * LD; i++)
        a[i] = value(i);
    for (int i = 0; i < LD * LD; i++)
        c[i] = 4 * i;
    EXPECT(cublasDgemm_v2(handle, op_a, op_b, M, N, K, &two, a, LD, b, LD, &half, c, LD), 0);
    int wrong = 0;
    for (int i = 0; i < LD * LD; i++) {
        double sum = 0;
        int row = i % LD, column = i / LD;
        for (int k = 0; k < K; k++)
            sum += element(a, op_a, row, k) * element(b, op_b, k, column);
        wrong += c[i] != (row < M && column < N ? 2 * sum + 2 * i : 4 * i);
    }
    EXPECT(wrong, 0);
    for (int i = 0; i < M; i++)
        c[i] = 0;
    EXPECT(cublasDgemv_v2(handle, op_a, M, M, &two, a, LD, b, 1, &half, c, 1), 0);
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int k = 0; k < M; k++)
            sum += element(a, op_a, i, k) * b[k];
        EXPECT(c[i], 2 * sum);
    }
    EXPECT(cublasDgemm_v2(handle, 0, 0, M, N, K, &two, a, M - 1, b, LD, &half, c, LD), 7);
    EXPECT(cudaFree(a), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    use_floats();
    use_many_floats();
    use_doubles();
    multiply(0, 0);
    multiply(0, 1);
    multiply(1, 0);
    multiply(1, 1);
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
