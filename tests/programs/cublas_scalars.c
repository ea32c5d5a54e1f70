/* Factors of cuBLAS: where they are 0, which leaves what they multiply unread, and in memory of the
 * device, from which a captured call takes them when its graph runs. Results that the host waits
 * for, which captures do not allow. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef float complex single;
typedef double complex twice;

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *executable, void *stream);
int cudaGraphExecDestroy(void *executable);
int cudaGraphDestroy(void *graph);

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetVectorAsync(int count, int element_bytes, const void *from, int from_step, void *to,
                         int to_step, void *stream);

enum { N = 3, SIZE = N * N, NOT_SUPPORTED = 15, INTERNAL = 14, ILLEGAL_ADDRESS = 700 };

static void *handle, *stream;

#define CALLS(Letter, T)                                                                         \
    int cublas##Letter##axpy_v2(void *handle, int n, const T *alpha, const T *x, int incx, T *y, \
                                int incy);                                                       \
    int cublas##Letter##scal_v2(void *handle, int n, const T *alpha, T *x, int incx);            \
    int cublas##Letter##gemv_v2(void *handle, int op, int m, int n, const T *alpha, const T *a,  \
                                int lda, const T *x, int incx, const T *beta, T *y, int incy);   \
    int cublas##Letter##gemvStridedBatched(void *handle, int op, int m, int n, const T *alpha,   \
                                           const T *a, int lda, long long stride_a, const T *x,  \
                                           int incx, long long stride_x, const T *beta, T *y,    \
                                           int incy, long long stride_y, int count);             \
    int cublas##Letter##syr2_v2(void *handle, int fill, int n, const T *alpha, const T *x,       \
                                int incx, const T *y, int incy, T *a, int lda);                  \
    int cublas##Letter##syr_v2(void *handle, int fill, int n, const T *alpha, const T *x,        \
                               int incx, T *a, int lda);                                         \
    int cublas##Letter##gemm_v2(void *handle, int op_a, int op_b, int m, int n, int k,           \
                                const T *alpha, const T *a, int lda, const T *b, int ldb,        \
                                const T *beta, T *c, int ldc);                                   \
    int cublas##Letter##symm_v2(void *handle, int side, int fill, int m, int n, const T *alpha,  \
                                const T *a, int lda, const T *b, int ldb, const T *beta, T *c,   \
                                int ldc);
CALLS(S, float)
CALLS(D, double)
CALLS(C, single)
CALLS(Z, twice)
#define OUTER(Letter, name, T)                                                            \
    int cublas##Letter##name##_v2(void *handle, int m, int n, const T *alpha, const T *x, \
                                  int incx, const T *y, int incy, T *a, int lda);
OUTER(S, ger, float)
OUTER(D, ger, double)
OUTER(C, geru, single)
OUTER(Z, geru, twice)
int cublasCscal_v2(void *handle, int n, const single *alpha, single *x, int incx);
int cublasCsscal_v2(void *handle, int n, const float *alpha, single *x, int incx);
int cublasSdot_v2(void *handle, int n, const float *x, int incx, const float *y, int incy,
                  float *result);
int cublasIsamax_v2(void *handle, int n, const float *x, int incx, int *result);
int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
int cublasAxpyEx(void *handle, int n, const void *alpha, int type_alpha, const void *x, int type_x,
                 int incx, void *y, int type_y, int incy, int execution);

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    memset(made, 0, bytes);
    return made;
}

/* ---- 0 ---- */

/* All of them have alpha 0 and beta 2; what alpha multiplies is NaN. Those that look at it, as the
 * library does, leave NaN. */
#define ZERO(Letter, outer, T)                                                                     \
    static int run_##Letter(int which, const T *s, const T *nan, T *y)                             \
    {                                                                                              \
        switch (which) {                                                                           \
        case 0:                                                                                    \
            return cublas##Letter##axpy_v2(handle, N, s, nan, 1, y, 1);                            \
        case 1:                                                                                    \
            return cublas##Letter##outer##_v2(handle, N, N, s, nan, 1, nan, 1, y, N);              \
        case 2:                                                                                    \
            return cublas##Letter##syr_v2(handle, 1, N, s, nan, 1, y, N);                          \
        case 3:                                                                                    \
            return cublas##Letter##syr2_v2(handle, 1, N, s, nan, 1, nan, 1, y, N);                 \
        case 4:                                                                                    \
            return cublas##Letter##gemv_v2(handle, 0, N, N, s, nan, N, nan, -1, s + 1, y, 1);      \
        case 5:                                                                                    \
            return cublas##Letter##gemv_v2(handle, 1, N, N, s, nan, N, nan, 1, s + 1, y, 1);       \
        case 6:                                                                                    \
            return cublas##Letter##gemvStridedBatched(handle, 1, N, N, s, nan, N, 0, nan, 1, 0,    \
                                                      s + 1, y, 1, 0, 1);                          \
        case 7:                                                                                    \
            return cublas##Letter##gemm_v2(handle, 0, 1, N, N, N, s, nan, N, nan, N, s + 1, y, N); \
        default:                                                                                   \
            return cublas##Letter##symm_v2(handle, 0, 1, N, N, s, nan, N, nan, N, s + 1, y, N);    \
        }                                                                                          \
    }                                                                                              \
    static void zero_##Letter(int on_device)                                                       \
    {                                                                                              \
        enum { KEPT = 4, SCALED = 8 };                                                             \
        T *memory = managed((2 * SIZE + 2) * sizeof(T)), host[2] = {0, 2}, *nan = memory,          \
          *y = memory + SIZE, *s = on_device ? y + SIZE : host;                                    \
        s[0] = 0, s[1] = 2;                                                                        \
        EXPECT(cublasSetPointerMode_v2(handle, on_device), 0);                                     \
        for (int which = 0; which <= SCALED; which++) {                                            \
            for (int i = 0; i < SIZE; i++)                                                         \
                nan[i] = NAN, y[i] = i + 1;                                                        \
            EXPECT(run_##Letter(which, s, nan, y), 0);                                             \
            EXPECT(cudaStreamSynchronize(stream), 0);                                              \
            for (int i = 0; i < N && which < SCALED; i++)                                          \
                EXPECT(y[i] == (which < KEPT ? 1 : 2) * (i + 1), 1);                               \
            EXPECT(which == SCALED && y[0] == y[0], 0);                                            \
        }                                                                                          \
        EXPECT(cudaFree(memory), 0);                                                               \
    }
ZERO(S, ger, float)
ZERO(D, ger, double)
ZERO(C, geru, single)
ZERO(Z, geru, twice)

static void zero_halves(void)
{
    enum { F32 = 0, F16 = 2, COMPUTE_F32 = 68, HALF_NAN = 0x7e00, HALF_ONE = 0x3c00 };
    uint16_t *memory = managed(2 * SIZE * sizeof *memory), *nan = memory, *y = memory + SIZE;
    const float zero = 0, one = 1;
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
    for (int i = 0; i < SIZE; i++)
        nan[i] = HALF_NAN, y[i] = HALF_ONE;
    EXPECT(cublasGemmEx(handle, 0, 0, N, N, N, &zero, nan, F16, N, nan, F16, N, &one, y, F16, N,
                        COMPUTE_F32, -1),
           0);
    EXPECT(cublasAxpyEx(handle, N, &zero, F32, nan, F16, 1, y, F16, 1, F32), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(y[i], HALF_ONE);
    EXPECT(cudaFree(memory), 0);
}

/* ---- captured ---- */

struct captured {
    float factor, one, result, x[N], y[N], z[N], scaled[N], vector[N], a[SIZE], c[SIZE];
    double twice, ones, d[SIZE], e[SIZE];
    single turn, turned[N];
    int largest;
};

static void fill(struct captured *of)
{
    for (int i = 0; i < SIZE; i++)
        of->a[i] = (float)i, of->c[i] = 0, of->d[i] = i, of->e[i] = 0;
    for (int i = 0; i < N; i++)
        of->x[i] = (float)i, of->y[i] = 1, of->z[i] = 0, of->scaled[i] = 1, of->vector[i] = 0,
        of->turned[i] = 1;
}

static void submit(struct captured *of)
{
    EXPECT(cublasSaxpy_v2(handle, N, &of->factor, of->x, 1, of->y, 1), 0);
    EXPECT(cublasSscal_v2(handle, N, &of->factor, of->scaled, 1), 0);
    EXPECT(cublasSgemv_v2(handle, 0, N, N, &of->factor, of->a, N, of->x, 1, &of->one, of->z, 1), 0);
    EXPECT(
        cublasSgemm_v2(handle, 0, 0, N, N, N, &of->factor, of->a, N, of->a, N, &of->one, of->c, N),
        0);
    EXPECT(
        cublasDgemm_v2(handle, 0, 0, N, N, N, &of->twice, of->d, N, of->d, N, &of->ones, of->e, N),
        0);
    EXPECT(cublasCscal_v2(handle, N, &of->turn, of->turned, 1), 0);
    EXPECT(cublasSdot_v2(handle, N, of->x, 1, of->x, 1, &of->result), 0);
    EXPECT(cublasIsamax_v2(handle, 0, of->x, 1, &of->largest), 0);
    EXPECT(cublasSetVectorAsync(N, sizeof(float), of->x, 1, of->vector, 1, stream), 0);
}

static void check(const struct captured *of)
{
    EXPECT(of->result, 5);
    EXPECT(of->largest, 0);
    for (int i = 0; i < N; i++) {
        EXPECT(of->y[i], 1 + of->factor * of->x[i]);
        EXPECT(of->scaled[i], of->factor);
        EXPECT(of->z[i], of->factor * (of->a[N + i] + 2 * of->a[2 * N + i]));
        EXPECT(of->vector[i], of->x[i]);
        EXPECT(of->turned[i] == of->turn, 1);
    }
    for (int i = 0; i < SIZE; i++) {
        double sum = 0;
        for (int k = 0; k < N; k++)
            sum += of->d[i % N + k * N] * of->d[k + i / N * N];
        EXPECT(of->e[i], of->twice * sum);
        EXPECT(of->c[i], of->factor * sum);
    }
}

/* A graph takes the factors that are there when it runs. */
static void use_graph(void)
{
    struct captured *of = managed(sizeof *of);
    void *graph = NULL, *executable = NULL;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    fill(of);
    of->factor = 0, of->one = 1, of->twice = 0, of->ones = 1, of->largest = 7;
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    submit(of);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(of->largest, 7);
    EXPECT(of->vector[1], 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    for (int factor = 2; factor < 5; factor++) {
        fill(of);
        of->factor = (float)factor, of->twice = factor + 1, of->turn = factor + 2 * I;
        EXPECT(cudaGraphLaunch(executable, stream), 0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        check(of);
    }
    EXPECT(cudaFree(of), 0);
    EXPECT(cudaGraphLaunch(executable, stream), ILLEGAL_ADDRESS);
    EXPECT(cudaGraphExecDestroy(executable), 0);
}

/* A result on the host, and factors that are taken when a call is made. */
static void use_refused(void)
{
    struct captured *of = managed(sizeof *of);
    void *graph = NULL;
    float result = -1;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    capture_stderr();
    EXPECT(cublasCsscal_v2(handle, N, &of->factor, of->turned, 1), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "stream is captured") != NULL, 1);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cublasSdot_v2(handle, N, of->x, 1, of->x, 1, &result), INTERNAL);
    EXPECT(result, -1);
    EXPECT(cudaStreamEndCapture(stream, &graph), 901);
    EXPECT(cublasSdot_v2(handle, N, of->x, 1, of->x, 1, &result), 0);
    EXPECT(result, 0);
    EXPECT(cudaFree(of), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cublasSetStream_v2(handle, stream), 0);
    for (int on_device = 0; on_device < 2; on_device++) {
        zero_S(on_device);
        zero_D(on_device);
        zero_C(on_device);
        zero_Z(on_device);
    }
    zero_halves();
    use_refused();
    use_graph();
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
