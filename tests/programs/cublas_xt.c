/* cublasXt's products of matrices in memory of the host and of the device against what is computed
 * here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef double complex number;

int cublasXtCreate(void **made);
int cublasXtDestroy(void *xt);
int cublasXtDeviceSelect(void *xt, int count, const int *devices);
int cublasXtSetBlockDim(void *xt, int value);
int cublasXtGetBlockDim(void *xt, int *value);
int cublasXtSetPinningMemMode(void *xt, int value);
int cublasXtGetPinningMemMode(void *xt, int *value);
int cublasXtMaxBoards(int *count);
int cublasXtGetNumBoards(int device_count, const int *devices, int *count);
int cublasXtSetCpuRatio(void *xt, int operation, int type, float ratio);
int cublasXtSetCpuRoutine(void *xt, int operation, int type, void *function);

enum { M = 7, N = 5, K = 6, LD = 9, SIZE = LD * LD, INVALID = 7 };
static void *xt;
static int places; /* bit i: matrix i lies in the device's memory */

static number value(int i)
{
    return (i * 7 % 23 - 11) / 8.0 + (i * 5 % 19 - 9) / 8.0 * I;
}

static number turned(const number *a, int op, int row, int column)
{
    const number found = op ? a[column + row * LD] : a[row + column * LD];
    return op == 2 ? conj(found) : found;
}

/* An upper half: 0: triangular, 1: symmetric, 2: Hermitian. */
static number half(const number *a, int kind, int row, int column)
{
    if (row > column)
        return kind ? (kind == 2 ? conj(a[column + row * LD]) : a[column + row * LD]) : 0;
    return row == column && kind == 2 ? creal(a[row + column * LD]) : a[row + column * LD];
}

static void *place(int i, void *own, size_t bytes)
{
    void *made = NULL;
    if (!(places >> i & 1))
        return own;
    EXPECT(cudaMalloc(&made, bytes), 0);
    EXPECT(cudaMemcpy(made, own, bytes, HOST_TO_DEVICE), 0);
    return made;
}

static void take(void *own, void *place, size_t bytes)
{
    if (own == place)
        return;
    EXPECT(cudaMemcpy(own, place, bytes, DEVICE_TO_HOST), 0);
    EXPECT(cudaFree(place), 0);
}

/* rank: of her2k, the type of alpha otherwise; R: of factors of Hermitian sums. */
#define TYPE_TEST(L, T, R, symm, kind, syrk, syr2k, syrkx, limit)                                  \
    int cublasXt##L##gemm(void *, int, int, size_t, size_t, size_t, const T *, const T *, size_t,  \
                          const T *, size_t, const T *, T *, size_t);                              \
    int cublasXt##L##symm(void *, int, int, size_t, size_t, const T *, const T *, size_t,          \
                          const T *, size_t, const T *, T *, size_t);                              \
    int cublasXt##L##syrk(void *, int, int, size_t, size_t, const R *, const T *, size_t,          \
                          const R *, T *, size_t);                                                 \
    int cublasXt##L##syr2k(void *, int, int, size_t, size_t, const T *, const T *, size_t,         \
                           const T *, size_t, const R *, T *, size_t);                             \
    int cublasXt##L##syrkx(void *, int, int, size_t, size_t, const T *, const T *, size_t,         \
                           const T *, size_t, const R *, T *, size_t);                             \
    int cublasXt##L##trmm(void *, int, int, int, int, size_t, size_t, const T *, const T *,        \
                          size_t, const T *, size_t, T *, size_t);                                 \
    int cublasXt##L##trsm(void *, int, int, int, int, size_t, size_t, const T *, const T *,        \
                          size_t, T *, size_t);                                                    \
    static void run_##L##symm(int call)                                                            \
    {                                                                                              \
        static T own_a[SIZE], own_b[SIZE], own_c[SIZE];                                            \
        static number as[SIZE], bs[SIZE], cs[SIZE];                                                \
        const T alpha = (T)value(3), one = 1;                                                      \
        const R real = (R)value(3), beta = (R)value(8);                                            \
        const T wide_beta = beta;                                                                  \
        for (int i = 0; i < SIZE; i++) {                                                           \
            own_a[i] = (T)(value(i + 1) + (i % (LD + 1) ? 0 : 6)), own_b[i] = (T)value(i + 40);    \
            own_c[i] = (T)(i % (LD + 1) ? value(i + 17) : 1);                                      \
            as[i] = own_a[i], bs[i] = own_b[i], cs[i] = own_c[i];                                  \
        }                                                                                          \
        T *a = place(0, own_a, sizeof own_a), *b = place(1, own_b, sizeof own_b),                  \
          *c = place(2, own_c, sizeof own_c);                                                      \
        const int is_sum = call >= 2 && call <= 4, op = kind == 2 ? 2 : 1;                         \
        if (call == 0)                                                                             \
            EXPECT(cublasXt##L##gemm(xt, 2, 0, M, N, K, &alpha, a, LD, b, LD, &wide_beta, c, LD),  \
                   0);                                                                             \
        if (call == 1)                                                                             \
            EXPECT(cublasXt##L##symm(xt, 0, 1, M, N, &alpha, a, LD, b, LD, &wide_beta, c, LD), 0); \
        if (call == 2)                                                                             \
            EXPECT(cublasXt##L##syrk(xt, 1, 0, N, K, &real, a, LD, &beta, c, LD), 0);              \
        if (call == 3)                                                                             \
            EXPECT(cublasXt##L##syr2k(xt, 1, 0, N, K, &alpha, a, LD, b, LD, &beta, c, LD), 0);     \
        if (call == 4)                                                                             \
            EXPECT(cublasXt##L##syrkx(xt, 1, 0, N, K, &one, a, LD, a, LD, &beta, c, LD), 0);       \
        if (call == 5)                                                                             \
            EXPECT(cublasXt##L##trmm(xt, 0, 1, 0, 0, M, N, &alpha, a, LD, b, LD, c, LD), 0);       \
        if (call == 6) { /* the right side, and back */                                            \
            EXPECT(cublasXt##L##trmm(xt, 1, 1, 2, 1, N, M, &one, a, LD, c, LD, c, LD), 0);         \
            EXPECT(cublasXt##L##trsm(xt, 1, 1, 2, 1, N, M, &alpha, a, LD, c, LD), 0);              \
        }                                                                                          \
        take(own_a, a, sizeof own_a), take(own_b, b, sizeof own_b), take(own_c, c, sizeof own_c);  \
        int wrong = 0;                                                                             \
        for (int i = 0; i < SIZE; i++) {                                                           \
            const int row = i % LD, column = i / LD;                                               \
            const int is_in =                                                                      \
                call == 6 ? row < N && column < M : row < (is_sum ? N : M) && column < N;          \
            number sum = 0, scaled = call == 6 ? alpha * cs[i] : call == 5 ? 0 : beta * cs[i];     \
            for (int k = 0; k < (call == 1 || call == 5 ? M : call == 6 ? 0 : K); k++)             \
                sum += call == 0   ? alpha * turned(as, 2, row, k) * bs[k + column * LD]           \
                       : call == 1 ? alpha * half(as, kind, row, k) * bs[k + column * LD]          \
                       : call == 5 ? alpha * half(as, 0, row, k) * bs[k + column * LD]             \
                       : call == 3 ? alpha * as[row + k * LD] * turned(bs, op, k, column) +        \
                                         (op == 2 ? conj(alpha) : alpha) * bs[row + k * LD] *      \
                                             turned(as, op, k, column)                             \
                                   : (call == 2 ? real : 1) * as[row + k * LD] *                   \
                                         turned(as, op, k, column);                                \
            const number should = is_in && (!is_sum || row <= column) ? sum + scaled : cs[i];      \
            wrong += !(cabs(own_c[i] - should) <= limit * (1 + cabs(should)));                     \
            wrong += own_a[i] != as[i] || own_b[i] != bs[i];                                       \
        }                                                                                          \
        EXPECT(wrong, 0);                                                                          \
    }
TYPE_TEST(S, float, float, symm, 1, syrk, syr2k, syrkx, 2e-4)
TYPE_TEST(D, double, double, symm, 1, syrk, syr2k, syrkx, 1e-11)
TYPE_TEST(C, float complex, float complex, symm, 1, syrk, syr2k, syrkx, 2e-4)
TYPE_TEST(Z, number, number, symm, 1, syrk, syr2k, syrkx, 1e-11)
TYPE_TEST(C, float complex, float, hemm, 2, herk, her2k, herkx, 2e-4)
TYPE_TEST(Z, number, double, hemm, 2, herk, her2k, herkx, 1e-11)

static void settings(void)
{
    const int device = 0;
    int got = -1;
    double a[4] = {1, 2, 3, 4}, one = 1;
    EXPECT(cublasXtCreate(NULL), INVALID);
    EXPECT(cublasXtCreate(&xt), 0);
    EXPECT(cublasXtDgemm(xt, 0, 0, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2), 1);
    EXPECT(cublasXtDeviceSelect(xt, 0, &device), INVALID);
    EXPECT(cublasXtDeviceSelect(xt, 1, NULL), INVALID);
    EXPECT(cublasXtDeviceSelect(NULL, 1, &device), INVALID);
    EXPECT(cublasXtDeviceSelect(xt, 1, &device), 0);
    EXPECT(cublasXtGetBlockDim(xt, &got), 0);
    EXPECT(got, 1024);
    EXPECT(cublasXtSetBlockDim(xt, 0), INVALID);
    EXPECT(cublasXtSetBlockDim(xt, 64), 0);
    EXPECT(cublasXtGetBlockDim(xt, &got), 0);
    EXPECT(got, 64);
    EXPECT(cublasXtSetPinningMemMode(xt, 5), INVALID);
    EXPECT(cublasXtSetPinningMemMode(xt, 1), 0);
    EXPECT(cublasXtGetPinningMemMode(xt, &got), 0);
    EXPECT(got, 1);
    EXPECT(cublasXtMaxBoards(&got), 0);
    EXPECT(cublasXtGetNumBoards(1, &device, &got), 0);
    EXPECT(got, 1);
    EXPECT(cublasXtSetCpuRatio(xt, 0, 0, 0.5F), 0);
    EXPECT(cublasXtSetCpuRoutine(xt, 0, 0, NULL), 0);
    EXPECT(cublasXtDgemm(xt, 0, 1, 0, 2, 2, &one, a, 2, a, 2, &one, a, 2), 0);
    EXPECT(cublasXtDgemm(xt, 0, 1, 2, 2, 2, &one, a, 1, a, 2, &one, a, 2), INVALID);
    EXPECT(cublasXtDgemm(xt, 5, 1, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2), INVALID);
    EXPECT(cublasXtDgemm(NULL, 0, 1, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2), 1);
    EXPECT(cublasXtDgemm(xt, 0, 1, 2, 2, 2, NULL, a, 2, a, 2, &one, a, 2), INVALID);
}

int main(void)
{
    settings();
    for (places = 0; places < 8; places++)
        for (int call = 0; call < 7; call++) {
            run_Ssymm(call), run_Dsymm(call), run_Csymm(call), run_Zsymm(call);
            run_Chemm(call), run_Zhemm(call);
        }
    EXPECT(cublasXtDestroy(xt), 0);
    EXPECT(cublasXtDestroy(NULL), INVALID);
    return failures != 0;
}
