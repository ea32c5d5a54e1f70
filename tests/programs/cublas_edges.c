/* Calls of cuBLAS at the edges of what they document, with the answers of an H200: NaN in searches,
 * lengths whose squares overflow, sums of matrices in place, options that are none. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef float complex single;
typedef double complex twice;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetMathMode(void *handle, int mode);
int cublasGetMathMode(void *handle, int *mode);
int cublasSetAtomicsMode(void *handle, int mode);
#define SETTINGS(X)                                 \
    X(EmulationStrategy, 0, 2, 3)                   \
    X(EmulationSpecialValuesSupport, 0xFFFF, 1, -1) \
    X(FixedPointEmulationMantissaControl, 0, 1, 2)  \
    X(FixedPointEmulationMaxMantissaBitCount, 0, 55, -1)
#define DECLARE(name, usual, other, wrong)        \
    int cublasSet##name(void *handle, int value); \
    int cublasGet##name(void *handle, int *value);
SETTINGS(DECLARE)
int cublasSetFixedPointEmulationMantissaBitOffset(void *handle, int value);
int cublasSetFixedPointEmulationMantissaBitCountPointer(void *handle, int *place);
int cublasGetFixedPointEmulationMantissaBitCountPointer(void *handle, int **place);
int cublasIsamax_v2(void *handle, int n, const float *x, int incx, int *result);
int cublasIsamin_v2(void *handle, int n, const float *x, int incx, int *result);
int cublasIcamax_v2(void *handle, int n, const single *x, int incx, int *result);
int cublasIcamin_v2(void *handle, int n, const single *x, int incx, int *result);
int cublasIamaxEx(void *handle, int n, const void *x, int type, int incx, int *result);
int cublasDnrm2_v2(void *handle, int n, const double *x, int incx, double *result);
int cublasDznrm2_v2(void *handle, int n, const twice *x, int incx, double *result);
int cublasScnrm2_v2(void *handle, int n, const single *x, int incx, float *result);
int cublasNrm2Ex(void *handle, int n, const void *x, int type_x, int incx, void *result,
                 int type_result, int execution);
int cublasStrsm_v2(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                   const float *alpha, const float *a, int lda, float *b, int ldb);
int cublasSgemv_v2(void *handle, int op, int m, int n, const float *alpha, const float *a, int lda,
                   const float *x, int incx, const float *beta, float *y, int incy);
int cublasSgeam(void *handle, int op_a, int op_b, int m, int n, const float *alpha, const float *a,
                int lda, const float *beta, const float *b, int ldb, float *c, int ldc);
int cublasCgeam(void *handle, int op_a, int op_b, int m, int n, const single *alpha,
                const single *a, int lda, const single *beta, const single *b, int ldb, single *c,
                int ldc);
int cublasCsyrk_v2(void *handle, int fill, int op, int n, int k, const single *alpha,
                   const single *a, int lda, const single *beta, single *c, int ldc);
int cublasCherk_v2(void *handle, int fill, int op, int n, int k, const float *alpha,
                   const single *a, int lda, const float *beta, single *c, int ldc);

int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc);
int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);
int cublasCgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const single *alpha,
                   const single *a, int lda, const single *b, int ldb, const single *beta,
                   single *c, int ldc);
int cublasCgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                              const single *alpha, const single *a, int lda, long long stride_a,
                              const single *b, int ldb, long long stride_b, const single *beta,
                              single *c, int ldc, long long stride_c, int count);
int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);
int cublasSgemvStridedBatched(void *handle, int op, int m, int n, const float *alpha,
                              const float *a, int lda, long long stride_a, const float *x, int incx,
                              long long stride_x, const float *beta, float *y, int incy,
                              long long stride_y, int count);
int cublasStrsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                       const float *alpha, const float *const *a, int lda, float *const *b, int ldb,
                       int count);
int cublasCtrsv_v2(void *handle, int fill, int op, int diagonal, int n, const single *a, int lda,
                   single *x, int incx);
int cublasCtpsv_v2(void *handle, int fill, int op, int diagonal, int n, const single *a, single *x,
                   int incx);
int cublasZtrsv_v2(void *handle, int fill, int op, int diagonal, int n, const twice *a, int lda,
                   twice *x, int incx);
int cublasCmatinvBatched(void *handle, int n, const single *const *a, int lda,
                         single *const *inverses, int ldi, int *info, int count);
int cublasCtrsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                       const single *alpha, const single *const *a, int lda, single *const *b,
                       int ldb, int count);

enum { INVALID = 7, N = 2, SIZE = N * N, COUNT = 600 };

static void *handle;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    memset(made, 0, bytes);
    return made;
}

static void use_modes(void)
{
    int mode = -1;
    EXPECT(cublasSetPointerMode_v2(handle, 2), INVALID);
    EXPECT(cublasSetAtomicsMode(handle, 7), INVALID);
    EXPECT(cublasSetMathMode(handle, 99), INVALID);
    EXPECT(cublasSetMathMode(handle, -1), INVALID);
    EXPECT(cublasSetMathMode(handle, 16 | 3), 0);
    EXPECT(cublasGetMathMode(handle, &mode), 0);
    EXPECT(mode, 16 | 3);
    EXPECT(cublasSetMathMode(handle, 0), 0);
}

/* Products that may be emulated are computed in double precision. */
static void use_emulation(void)
{
    enum { F64 = 1, COMPUTE_F64_EMULATED = 79, NOT_SUPPORTED = 15, NOT_INITIALIZED = 1 };
    double *a = managed(SIZE * sizeof *a), *c = managed(SIZE * sizeof *c);
    const double one = 1, zero = 0;
    int value = -1, *place = &value;
#define USE(name, usual, other, wrong)               \
    EXPECT(cublasGet##name(handle, &value), 0);      \
    EXPECT(value, usual);                            \
    EXPECT(cublasSet##name(handle, wrong), INVALID); \
    EXPECT(cublasSet##name(handle, other), 0);       \
    EXPECT(cublasGet##name(handle, &value), 0);      \
    EXPECT(value, other);                            \
    EXPECT(cublasSet##name(NULL, other), NOT_INITIALIZED);
    SETTINGS(USE)
    EXPECT(cublasSetFixedPointEmulationMantissaBitOffset(handle, -3), 0);
    capture_stderr();
    EXPECT(cublasSetFixedPointEmulationMantissaBitCountPointer(handle, &value), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "MantissaBitCountPointer") != NULL, 1);
    EXPECT(cublasSetFixedPointEmulationMantissaBitCountPointer(handle, NULL), 0);
    EXPECT(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &place), 0);
    EXPECT(place == NULL, 1);
    for (int i = 0; i < SIZE; i++)
        a[i] = i + 0x1p-40;
    EXPECT(cublasGemmEx(handle, 0, 0, N, N, N, &one, a, F64, N, a, F64, N, &zero, c, F64, N,
                        COMPUTE_F64_EMULATED, -1),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(c[i] == a[i % N] * a[i / N * N] + a[N + i % N] * a[i / N * N + 1], 1);
}

static void search(float first, float second, float third, int most, int least)
{
    enum { BFLOAT = 14 };
    float *x = managed(COUNT * sizeof *x);
    single *y = managed(COUNT * sizeof *y);
    uint16_t *narrow = managed(COUNT * sizeof *narrow);
    const float values[] = {first, second, third};
    int found[5];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i < 3 ? values[i] : i < COUNT / 2 ? 4 : NAN;
        ((float *)&y[i])[1] = x[i];
        memcpy(&narrow[i], (char *)&x[i] + 2, sizeof narrow[i]);
    }
    EXPECT(cublasIsamax_v2(handle, COUNT, x, 1, &found[0]), 0);
    EXPECT(cublasIsamin_v2(handle, COUNT, x, 1, &found[1]), 0);
    EXPECT(cublasIcamax_v2(handle, COUNT, y, 1, &found[2]), 0);
    EXPECT(cublasIcamin_v2(handle, COUNT, y, 1, &found[3]), 0);
    EXPECT(cublasIamaxEx(handle, COUNT, narrow, BFLOAT, 1, &found[4]), 0);
    for (int i = 0; i < 5; i++)
        EXPECT(found[i], i % 2 ? least : most);
    EXPECT(cudaFree(narrow), 0);
    EXPECT(cudaFree(y), 0);
    EXPECT(cudaFree(x), 0);
}

/* NaN is passed over. */
static void use_searches(void)
{
    search(NAN, 1, 9, 3, 2);
    search(1, NAN, -9, 3, 1);
    search(-INFINITY, INFINITY, .5f, 1, 3);
    search(NAN, NAN, NAN, 4, 4);
    float *none = managed(2 * sizeof *none);
    int found = -1;
    none[0] = none[1] = NAN;
    EXPECT(cublasIsamin_v2(handle, 2, none, 1, &found), 0);
    EXPECT(found, 1);
    EXPECT(cudaFree(none), 0);
}

static void use_lengths(void)
{
    enum { BFLOAT = 14, F32 = 0, LARGE = 0x7e00, LARGER = 0x7f35 };
    double *x = managed(2 * sizeof(twice)), length;
    single *y = managed(N * sizeof *y);
    uint16_t *narrow = managed(N * sizeof *narrow), wide;
    float narrower;
    const double scales[] = {0x1p600, 0x1p-600, 1};
    for (int i = 0; i < 3; i++) {
        x[0] = 3 * scales[i], x[1] = x[2] = 0, x[3] = -4 * scales[i];
        EXPECT(cublasDnrm2_v2(handle, 4, x, 1, &length), 0);
        EXPECT(length / scales[i], 5);
        EXPECT(cublasDznrm2_v2(handle, N, (twice *)x, 1, &length), 0);
        EXPECT(length / scales[i], 5);
    }
    x[0] = INFINITY;
    EXPECT(cublasDnrm2_v2(handle, 4, x, 1, &length), 0);
    EXPECT(length == INFINITY, 1);
    y[0] = 0x3p100f, y[1] = 0x4p100f * I;
    EXPECT(cublasScnrm2_v2(handle, N, y, 1, &narrower), 0);
    EXPECT(narrower == 0x5p100f, 1);
    narrow[0] = narrow[1] = LARGE; /* 2^125: times the root of 2 */
    EXPECT(cublasNrm2Ex(handle, N, narrow, BFLOAT, 1, &wide, BFLOAT, F32), 0);
    EXPECT(wide, LARGE + 0x35);
    EXPECT(cudaFree(narrow), 0);
    EXPECT(cudaFree(y), 0);
    EXPECT(cudaFree(x), 0);
}

static void use_options(void)
{
    float *a = managed(8 * SIZE * sizeof *a), *b = a + 2 * SIZE, *c = b + 2 * SIZE;
    const float two = 2, three = 3, zero = 0;
    const single factors[] = {2, 3};
    for (int i = 0; i < SIZE; i++)
        a[i] = (float)(i + 1), b[i] = (float)(i + 2), c[i] = (float)(SIZE - i);
    EXPECT(cublasStrsm_v2(handle, 0, 1, 0, 2, N, N, &two, a, N, b, N), INVALID);
    EXPECT(cublasSgeam(handle, 0, 1, N, N, &two, a, N, &three, c, N, c, N), INVALID);
    EXPECT(cublasSgeam(handle, 1, 0, N, N, &two, c, N, &three, b, N, c, N), INVALID);
    EXPECT(cublasSgeam(handle, 0, 0, N, N, &two, c, N + 1, &three, b, N, c, N), INVALID);
    EXPECT(cublasSgeam(handle, 0, 0, N, N, &two, a, 1, &three, b, N, c, N), INVALID);
    EXPECT(cublasSgeam(handle, 0, 0, N, N, &two, a, N, &zero, NULL, 0, c, N), INVALID);
    EXPECT(cublasSgeam(handle, 3, 0, N, N, &two, a, N, &three, b, N, c, N), INVALID);
    EXPECT(cublasCgeam(handle, 0, 1, N, N, &factors[0], (single *)a, N, &factors[1], (single *)c, N,
                       (single *)c, N),
           INVALID);
    EXPECT(cublasGemmEx(handle, 0, 0, N, N, N, &two, a, 0, N, b, 0, N, &three, c, 0, N, 68, 77),
           INVALID);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(c[i], SIZE - i);
    EXPECT(cublasSgeam(handle, 0, 0, N, N, &two, c, N, &three, b, N, c, N), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(c[i], 2 * (SIZE - i) + 3 * (i + 2));
    /* a step of 0 takes the first element again and again */
    EXPECT(cublasSgemv_v2(handle, 0, N, N, &two, a, N, b, 0, &zero, c, 1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(c[0], 2 * 2 * (1 + 3));
    EXPECT(c[1], 2 * 2 * (2 + 4));
    EXPECT(cudaFree(a), 0);
}

/* Of symmetric sums the conjugate transposed is the transposed, of Hermitian ones the other way. */
static void use_sums(void)
{
    single *a = managed(SIZE * sizeof *a), *c = managed(SIZE * sizeof *c);
    const single one = 1, none = 0;
    const float real = 1, nothing = 0;
    for (int i = 0; i < SIZE; i++)
        a[i] = (float)(i + 1) + (float)(i % 3) * I;
    EXPECT(cublasCsyrk_v2(handle, 1, 2, N, N, &one, a, N, &none, c, N), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(c[2] == a[0] * a[2] + a[1] * a[3], 1);
    EXPECT(cublasCherk_v2(handle, 1, 1, N, N, &real, a, N, &nothing, c, N), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(c[2] == conjf(a[0]) * a[2] + conjf(a[1]) * a[3], 1);
    EXPECT(cublasCsyrk_v2(handle, 1, 3, N, N, &one, a, N, &none, c, N), INVALID);
    EXPECT(cudaFree(c), 0);
    EXPECT(cudaFree(a), 0);
}

/* Quotients by numbers whose squares overflow or vanish: 2 s / (s + s i) is 1 - i. */
static void use_quotients(void)
{
    single *a = managed(sizeof *a), *x = managed(sizeof *x), **list = managed(2 * sizeof *list);
    twice *b = managed(sizeof *b), *y = managed(sizeof *y);
    int *info = managed(sizeof *info);
    list[0] = a, list[1] = x;
    for (int i = 0; i < 2; i++) {
        const float scale = i ? 0x1p100f : 0x1p-100f;
        *a = scale + scale * I;
        *x = 2 * scale;
        EXPECT(cublasCtrsv_v2(handle, 0, 0, 0, 1, a, 1, x, 1), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
        EXPECT(*x == 1 - I, 1);
        *x = 2 * scale;
        EXPECT(cublasCtpsv_v2(handle, 0, 0, 0, 1, a, x, 1), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
        EXPECT(*x == 1 - I, 1);
        EXPECT(
            cublasCmatinvBatched(handle, 1, (const single *const *)list, 1, list + 1, 1, info, 1),
            0);
        EXPECT(cudaDeviceSynchronize(), 0);
        EXPECT(*x * (2 * scale) == 1 - I, 1);
        *b = (i ? 0x1p700 : 0x1p-700) * (1 + I);
        *y = i ? 0x1p701 : 0x1p-699;
        EXPECT(cublasZtrsv_v2(handle, 0, 0, 0, 1, b, 1, y, 1), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
        EXPECT(*y == 1 - I, 1);
    }
    EXPECT(cudaFree(info), 0);
    EXPECT(cudaFree(y), 0);
    EXPECT(cudaFree(b), 0);
    EXPECT(cudaFree(list), 0);
    EXPECT(cudaFree(x), 0);
    EXPECT(cudaFree(a), 0);
}

/* More columns and batches than a grid has blocks for: the last one is there. */
static void use_columns(void)
{
    enum { MANY = 65535 * 64 + 3, FEWER = 65535 * 16 + 3 };
    double *b = managed(MANY * sizeof *b), *c = managed(MANY * sizeof *c), two = 2, none = 0;
    float *narrow = (float *)b, *result = (float *)c;
    const float narrow_two = 2, narrow_none = 0;
    const single complex_two = 2, complex_none = 0;
    double *const a = managed(sizeof *a);
    b[MANY - 1] = 7, b[0] = 5, *a = 3;
    EXPECT(cublasDgemm_v2(handle, 0, 0, 1, MANY, 1, &two, a, 1, b, 1, &none, c, 1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(c[0], 2 * 3 * 5);
    EXPECT(c[MANY - 1], 2 * 3 * 7);
    *(single *)a = 3, narrow[2 * MANY - 1] = 13, ((single *)b)[FEWER - 1] = 11 + 13 * I;
    EXPECT(cublasSgemm_v2(handle, 0, 1, 1, MANY, 1, &narrow_two, (float *)a, 1, narrow + MANY, MANY,
                          &narrow_none, result, 1),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(result[MANY - 1], 2 * 3 * 13);
    EXPECT(cublasCgemm_v2(handle, 0, 0, 1, FEWER, 1, &complex_two, (single *)a, 1, (single *)b, 1,
                          &complex_none, (single *)c, 1),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(((single *)c)[FEWER - 1] == 2 * 3 * (11 + 13 * I), 1);
    EXPECT(cudaFree(a), 0);
    EXPECT(cudaFree(c), 0);
    EXPECT(cudaFree(b), 0);
}

static void use_batches(void)
{
    enum { MANY = 65535 + 2, F16 = 2, HALF_TWO = 0x4000, HALF_THREE = 0x4200, HALF_SIX = 0x4600 };
    single *a = managed(MANY * sizeof *a), *b = managed(MANY * sizeof *b);
    const float one = 1, none = 0;
    const single complex_one = 1, complex_none = 0;
    uint16_t *narrow = (uint16_t *)a, *result = (uint16_t *)b;
    void **as = managed(MANY * sizeof *as), **bs = managed(MANY * sizeof *bs);
    float *const x = (float *)a, *const y = (float *)b;
    for (int i = 0; i < MANY; i++)
        a[i] = (float)(i + 1), as[i] = &a[i], bs[i] = &b[i];
    EXPECT(cublasCgemmStridedBatched(handle, 0, 0, 1, 1, 1, &complex_one, a, 1, 1, a + 1, 1, 0,
                                     &complex_none, b, 1, 1, MANY),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(b[MANY - 1] == 2 * MANY, 1);
    EXPECT(cublasCtrsmBatched(handle, 0, 0, 0, 0, 1, 1, &complex_one, (const single *const *)as, 1,
                              (single *const *)bs, 1, MANY),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(b[MANY - 1] == 2, 1);
    y[2 * (MANY - 1)] = 4 * MANY;
    EXPECT(cublasStrsmBatched(handle, 0, 0, 0, 0, 1, 1, &one, (const float *const *)as, 1,
                              (float *const *)bs, 1, MANY),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(y[2 * (MANY - 1)], 4);
    EXPECT(cublasSgemvStridedBatched(handle, 0, 1, 1, &one, x, 1, 2, x + 2, 1, 0, &none, y, 1, 1,
                                     MANY),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(y[MANY - 1], 2 * MANY);
    for (int i = 0; i < MANY; i++)
        narrow[i] = HALF_THREE, result[i] = 0;
    narrow[MANY - 1] = HALF_TWO;
    EXPECT(cublasGemmStridedBatchedEx(handle, 0, 0, 1, 1, 1, &one, narrow, F16, 1, 1, narrow, F16,
                                      1, 0, &none, result, F16, 1, 1, MANY, 68, -1),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(result[MANY - 1], HALF_SIX);
    EXPECT(cudaFree(bs), 0);
    EXPECT(cudaFree(as), 0);
    EXPECT(cudaFree(b), 0);
    EXPECT(cudaFree(a), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    use_modes();
    use_emulation();
    use_searches();
    use_lengths();
    use_options();
    use_sums();
    use_quotients();
    use_columns();
    use_batches();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
