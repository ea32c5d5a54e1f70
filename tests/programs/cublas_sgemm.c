/* cublasSgemm of the stand-in against a plain triple loop. */
#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetMatrix(int rows, int columns, int element, const void *from, int from_ld, void *to,
                    int to_ld);
int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc);
int cublasUint8gemmBias(void *handle);
const char *cublasGetStatusName(int status);

enum { EDGE = 160 }; /* leading dimension of everything */

static float a[EDGE * EDGE], b[EDGE * EDGE], c[EDGE * EDGE], got[EDGE * EDGE];
static float *device_a, *device_b, *device_c;
static void *handle;

/* Small whole numbers: sums are exact, in whatever order. */
static void fill(float *matrix, unsigned seed)
{
    for (unsigned i = 0; i < EDGE * EDGE; i++)
        matrix[i] = (float)(int)((i * 2654435761u ^ seed) >> 13 & 15) - 8;
}

static float reference(int op_a, int op_b, int k, int row, int column)
{
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += (op_a ? a[i + row * EDGE] : a[row + i * EDGE]) *
               (op_b ? b[column + i * EDGE] : b[i + column * EDGE]);
    return sum;
}

static void multiply(int op_a, int op_b, int m, int n, int k, float alpha, float beta)
{
    size_t bytes = sizeof c;
    int wrong = 0;
    EXPECT(cudaMemcpy(device_c, c, bytes, HOST_TO_DEVICE), 0);
    EXPECT(cublasSgemm_v2(handle, op_a, op_b, m, n, k, &alpha, device_a, EDGE, device_b, EDGE,
                          &beta, device_c, EDGE),
           0);
    EXPECT(cudaMemcpy(got, device_c, bytes, DEVICE_TO_HOST), 0);
    for (int column = 0; column < EDGE; column++)
        for (int row = 0; row < EDGE; row++) {
            float want = c[row + column * EDGE];
            if (row < m && column < n)
                want =
                    alpha * reference(op_a, op_b, k, row, column) + (beta != 0 ? beta * want : 0);
            wrong += got[row + column * EDGE] != want;
        }
    if (wrong)
        fprintf(stderr, "op %d %d, %d x %d x %d, alpha %g, beta %g: %d wrong\n", op_a, op_b, m, n,
                k, alpha, beta, wrong);
    failures += wrong != 0;
}

int main(void)
{
    float one = 1, zero = 0;
    fill(a, 1);
    fill(b, 2);
    fill(c, 3);
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaMalloc((void **)&device_a, sizeof a), 0);
    EXPECT(cudaMalloc((void **)&device_b, sizeof b), 0);
    EXPECT(cudaMalloc((void **)&device_c, sizeof c), 0);
    EXPECT(cublasSetMatrix(EDGE, EDGE, 4, a, EDGE, device_a, EDGE), 0);
    EXPECT(cublasSetMatrix(EDGE, EDGE, 4, b, EDGE, device_b, EDGE), 0);
    for (int op_a = 0; op_a < 3; op_a++)
        for (int op_b = 0; op_b < 3; op_b++) {
            multiply(op_a, op_b, 128, 64, 32, 1, 0);
            multiply(op_a, op_b, 67, 130, 21, 2, -1);
            multiply(op_a, op_b, 1, 1, 1, 3, 1);
        }
    multiply(0, 0, 64, 64, 0, 5, 2);
    multiply(0, 0, 64, 64, 16, 0, 3);
    multiply(0, 0, 0, 64, 16, 1, 1);

    c[0] = __builtin_nanf(""); /* beta 0: C is not read */
    multiply(0, 0, 64, 64, 16, 1, 0);

    EXPECT(cublasSgemm_v2(handle, 0, 0, 64, 64, 64, &one, device_a, 63, device_b, EDGE, &zero,
                          device_c, EDGE),
           7);
    EXPECT(cublasSgemm_v2(handle, 0, 0, -1, 64, 64, &one, device_a, EDGE, device_b, EDGE, &zero,
                          device_c, EDGE),
           7);
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    float *scalars;
    EXPECT(cudaMalloc((void **)&scalars, 8), 0);
    EXPECT(cudaMemcpy(scalars, (float[]){2, 0}, 8, HOST_TO_DEVICE), 0);
    EXPECT(cublasSgemm_v2(handle, 0, 0, 4, 4, 4, scalars, device_a, EDGE, device_b, EDGE,
                          scalars + 1, device_c, EDGE),
           0);
    EXPECT(cudaMemcpy(got, device_c, 4, DEVICE_TO_HOST), 0);
    EXPECT(got[0] == 2 * reference(0, 0, 4, 0, 0), 1);

    capture_stderr();
    int status = cublasUint8gemmBias(handle);
    const char *said = captured_stderr();
    EXPECT(status, 15);
    EXPECT_TEXT(said,
                "warplens: cublasUint8gemmBias is not supported by the simulated GPU and returned "
                "an error\n");
    EXPECT_TEXT(cublasGetStatusName(15), "CUBLAS_STATUS_NOT_SUPPORTED");
    EXPECT(cublasDestroy_v2(handle), 0);
    EXPECT(cublasDestroy_v2(NULL), 1);
    return failures != 0;
}
