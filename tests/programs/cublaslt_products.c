/* What cublasLtMatmul answers and leaves alone, as an H200 does: sizes that make no product, a C
 * that is not there or another matrix than D, and a handle of cuBLAS that is given to it. */
#include "runtime.h"

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *executable, void *stream);

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasGetPointerMode_v2(void *handle, int *mode);
int cublasGetStream_v2(void *handle, void **stream);
int cublasLtMatmulDescCreate(void **description, int compute, int scale);
int cublasLtMatmulDescDestroy(void *description);
int cublasLtMatmulDescSetAttribute(void *description, int number, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatrixLayoutDestroy(void *layout);
int cublasLtMatrixLayoutSetAttribute(void *layout, int number, const void *value, size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted, void *results,
                                   int *found);
int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
                   void *a_layout, const void *b, void *b_layout, const void *beta, const void *c,
                   void *c_layout, void *d, void *d_layout, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);

enum { F32 = 0, F16 = 2, COMPUTE_F32 = 68, COMPUTE_F64 = 70, POINTERS = 2 };
enum { INVALID_VALUE = 7, NOT_SUPPORTED = 15, N = 4, SIZE = N * N, HALF = 2 };

static void *handle, *operation, *square;
static float *a, *c, *d;

static void *layout(int type, uint64_t rows, uint64_t columns, int64_t leading, int count)
{
    void *made = NULL;
    const int64_t stride = SIZE;
    EXPECT(cublasLtMatrixLayoutCreate(&made, type, rows, columns, leading), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, 5, &count, sizeof count), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, 6, &stride, sizeof stride), 0);
    return made;
}

static int ask(void *a_is, void *b_is, void *c_is, void *d_is)
{
    uint64_t results[12];
    int found = -1;
    const int status = cublasLtMatmulAlgoGetHeuristic(handle, operation, a_is, b_is, c_is, d_is,
                                                      NULL, 1, results, &found);
    EXPECT(found, status == INVALID_VALUE ? -1 : status == 0);
    return status;
}

static int multiply(const float *factors, const void *from, void *a_is, void *b_is, void *c_is,
                    void *to, void *d_is, void *stream)
{
    return cublasLtMatmul(handle, operation, factors, a, a_is, a, b_is, factors + 1, from, c_is, to,
                          d_is, NULL, NULL, 0, stream);
}

static void use_sizes(void)
{
    const float factors[] = {1, 0};
    void *const wrong[] = {layout(F32, N + 1, N, N + 1, 1), layout(F32, N, N, N, 2),
                           layout(F32, N, N, N - 1, 1), layout(F16, N, N, N, 1)};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        EXPECT(ask(wrong[i], square, square, square), INVALID_VALUE);
        EXPECT(multiply(factors, c, wrong[i], square, square, d, square, NULL), INVALID_VALUE);
        if (i == 3) /* C and D may be of another type */
            break;
        EXPECT(ask(square, wrong[i], square, square), INVALID_VALUE);
        EXPECT(multiply(factors, c, square, wrong[i], square, d, square, NULL), INVALID_VALUE);
        EXPECT(ask(square, square, wrong[i], square), INVALID_VALUE);
        EXPECT(multiply(factors, c, square, square, wrong[i], d, square, NULL), INVALID_VALUE);
        EXPECT(ask(square, square, square, wrong[i]), INVALID_VALUE);
        EXPECT(multiply(factors, c, square, square, square, d, wrong[i], NULL), INVALID_VALUE);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(cublasLtMatrixLayoutDestroy(wrong[i]), 0);
    EXPECT(ask(NULL, square, square, square), INVALID_VALUE);
    EXPECT(ask(square, square, square, NULL), INVALID_VALUE);
}

static void use_nothing(void)
{
    const float none[] = {1, 0}, both[] = {1, 1};
    EXPECT(ask(square, square, NULL, square), 0);
    for (int i = 0; i < SIZE; i++)
        a[i] = 1, d[i] = 9;
    EXPECT(multiply(none, NULL, square, square, square, d, square, NULL), 0);
    EXPECT(multiply(none, NULL, square, square, NULL, d, square, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(d[SIZE - 1], N);
    EXPECT(multiply(both, NULL, square, square, square, d, square, NULL), INVALID_VALUE);
    EXPECT(multiply(none, c, square, square, square, NULL, square, NULL), INVALID_VALUE);
    EXPECT(d[SIZE - 1], N);
}

/* Factors that are vectors, and types that no product has. */
static void use_refused(void)
{
    const float factors[] = {1, 0};
    void *const own = operation;
    capture_stderr();
    for (int mode = 2; mode < 5; mode++) {
        EXPECT(cublasLtMatmulDescSetAttribute(operation, POINTERS, &mode, sizeof mode), 0);
        EXPECT(ask(square, square, square, square), NOT_SUPPORTED);
        EXPECT(multiply(factors, c, square, square, square, d, square, NULL), NOT_SUPPORTED);
    }
    EXPECT(cublasLtMatmulDescSetAttribute(operation, POINTERS, &(int){0}, sizeof(int)), 0);
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F64, F32), 0);
    EXPECT(ask(square, square, square, square), NOT_SUPPORTED);
    EXPECT(multiply(factors, c, square, square, square, d, square, NULL), NOT_SUPPORTED);
    EXPECT(cublasLtMatmulDescDestroy(operation), 0);
    operation = own;
    EXPECT(strstr(captured_stderr(), "place of factors") != NULL, 1);
}

/* Two products whose matrices stand in lists, of which the second adds. */
static void use_lists(void)
{
    enum { BATCH_MODE = 8, LISTS = 2 };
    const float factors[] = {1, 1}, none[] = {1, 0};
    void *const made = layout(F32, N, N, N, LISTS);
    const void **lists;
    float *of;
    EXPECT(cudaMallocManaged((void **)&lists, 3 * LISTS * sizeof *lists, 1), 0);
    EXPECT(cudaMallocManaged((void **)&of, 2 * LISTS * SIZE * sizeof *of, 1), 0);
    for (int i = 0; i < LISTS; i++) { /* factors of their own; results in another order */
        lists[i] = of + i * SIZE, lists[LISTS + i] = of + (LISTS + i) * SIZE;
        lists[2 * LISTS + i] = d + (LISTS - 1 - i) * SIZE;
    }
    for (int i = 0; i < LISTS * SIZE; i++)
        of[i] = (float)(i % 7 + i / SIZE), of[LISTS * SIZE + i] = (float)i / 2, d[i] = 9;
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, BATCH_MODE, &(int){2}, sizeof(int)),
           INVALID_VALUE);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, BATCH_MODE, &(int){1}, sizeof(int)), 0);
    EXPECT(ask(made, made, made, made), 0);
    EXPECT(cublasLtMatmul(handle, operation, factors, lists, made, lists, made, factors + 1,
                          lists + LISTS, made, lists + 2 * LISTS, made, NULL, NULL, 0, NULL),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < LISTS * SIZE; i++) {
        const int product = LISTS - 1 - i / SIZE, row = i % N, column = i % SIZE / N;
        const float *factor = of + product * SIZE;
        float wanted = of[(LISTS + product) * SIZE + i % SIZE];
        for (int k = 0; k < N; k++)
            wanted += factor[k * N + row] * factor[column * N + k];
        EXPECT(d[i] == wanted, 1);
    }
    EXPECT(cublasLtMatmul(handle, operation, none, lists, made, lists, made, none + 1, NULL, made,
                          lists + 2 * LISTS, made, NULL, NULL, 0, NULL),
           0);
    EXPECT(cublasLtMatmul(handle, operation, none, lists, made, NULL, made, none + 1, NULL, made,
                          lists + 2 * LISTS, made, NULL, NULL, 0, NULL),
           INVALID_VALUE);
    void *const other = layout(F32, N, N, N, LISTS);
    capture_stderr();
    EXPECT(cublasLtMatmul(handle, operation, none, lists, made, a, other, none + 1, NULL, made,
                          lists + 2 * LISTS, made, NULL, NULL, 0, NULL),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "lists of matrices") != NULL, 1);
    EXPECT(cublasLtMatrixLayoutDestroy(other), 0);
    EXPECT(cublasLtMatrixLayoutDestroy(made), 0);
}

/* A graph adds the C that is there when it runs, and the handle stays as it was. */
static void use_graph(void)
{
    const float factors[] = {1, HALF};
    void *stream, *graph, *executable, *found = &found;
    int mode = -1;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(multiply(factors, c, square, square, square, d, square, stream), 0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    for (int value = 1; value < 4; value++) {
        for (int i = 0; i < SIZE; i++)
            a[i] = 1, c[i] = (float)value, d[i] = -1;
        EXPECT(cudaGraphLaunch(executable, stream), 0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        EXPECT(d[0], N + HALF * value);
        EXPECT(d[SIZE - 1], N + HALF * value);
    }
    EXPECT(cublasGetPointerMode_v2(handle, &mode), 0);
    EXPECT(mode, 1);
    EXPECT(cublasGetStream_v2(handle, &found), 0);
    EXPECT(found == NULL, 1);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F32, F32), 0);
    square = layout(F32, N, N, N, 1);
    EXPECT(cudaMallocManaged((void **)&a, 3 * 2 * SIZE * sizeof *a, 1), 0);
    c = a + 2 * SIZE, d = c + 2 * SIZE;
    use_sizes();
    use_nothing();
    use_refused();
    use_lists();
    use_graph();
    EXPECT(cublasLtMatrixLayoutDestroy(square), 0);
    EXPECT(cublasLtMatmulDescDestroy(operation), 0);
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
