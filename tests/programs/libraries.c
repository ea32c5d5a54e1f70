/* The stand-ins for the libraries over CUDA: what they compute against sums made here, what they
 * refuse. */
#include <dlfcn.h>
#include <math.h>

#include "runtime.h"

static void *open_library(const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

/* A function of a library, as one of that type. */
#define FIND(type, library, name) ((type)(uintptr_t)find(library, name))

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

typedef int (*call_1)(void *);
typedef int (*call_2)(void *, void *);
typedef int (*call_number)(void *, uint64_t);
typedef int (*create_number)(void **, int);

/* XORWOW's first numbers by the documented seeding of seed 0, and its second sequence's. */
static void test_random(void)
{
    enum { COUNT = 10000, XORWOW = 100, PHILOX = 161, SEQUENCES = 4096 };
    void *library = open_library("libcurand.so.10"), *generator = NULL;
    uint32_t *words;
    float *floats;
    EXPECT(cudaMallocManaged((void **)&words, COUNT * sizeof *words, 1), 0);
    EXPECT(cudaMallocManaged((void **)&floats, COUNT * sizeof *floats, 1), 0);
    EXPECT(FIND(create_number, library, "curandCreateGenerator")(&generator, XORWOW), 0);
    EXPECT(FIND(call_number, library, "curandSetPseudoRandomGeneratorSeed")(generator, 0), 0);
    int (*generate)(void *, uint32_t *, size_t) =
        FIND(int (*)(void *, uint32_t *, size_t), library, "curandGenerate");
    EXPECT(generate(generator, words, COUNT), 0);
    EXPECT(words[0], 3179217846u);
    EXPECT(words[1], 3955638199u);
    uint32_t behind = words[SEQUENCES + 5];
    /* in two parts: the sequences go on where they were */
    EXPECT(FIND(call_number, library, "curandSetGeneratorOffset")(generator, 0), 0);
    EXPECT(generate(generator, words, 77), 0);
    EXPECT(generate(generator, words + 77, COUNT - 77), 0);
    EXPECT(words[0], 3179217846u);
    EXPECT(words[SEQUENCES + 5], behind);
    /* all sequences twice: what tests/programs/xorwow.py computes from the published algorithm */
    EXPECT(FIND(call_number, library, "curandSetPseudoRandomGeneratorSeed")(generator, 1234), 0);
    EXPECT(FIND(call_number, library, "curandSetGeneratorOffset")(generator, 0), 0);
    EXPECT(generate(generator, words, 2 * SEQUENCES), 0);
    uint32_t hash = 2166136261u;
    for (int i = 0; i < 2 * SEQUENCES; i++)
        hash = (hash ^ words[i]) * 16777619u;
    EXPECT(hash, 3017147949u);
    EXPECT(FIND(call_1, library, "curandDestroyGenerator")(generator), 0);
    EXPECT(FIND(call_1, library, "curandDestroyGenerator")(NULL), 101);

    EXPECT(FIND(create_number, library, "curandCreateGenerator")(&generator, PHILOX), 0);
    EXPECT(FIND(int (*)(void *, float *, size_t), library, "curandGenerateUniform")(generator,
                                                                                    floats, COUNT),
           0);
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) {
        EXPECT(floats[i] > 0 && floats[i] <= 1, 1);
        sum += floats[i];
    }
    EXPECT(fabs(sum / COUNT - 0.5) < 0.02, 1);
    int (*normal)(void *, float *, size_t, float, float) =
        FIND(int (*)(void *, float *, size_t, float, float), library, "curandGenerateNormal");
    EXPECT(normal(generator, floats, COUNT, 2, 3), 0);
    EXPECT(normal(generator, floats, 3, 2, 3), 105);
    for (int i = 0; i < COUNT; i++)
        squares += ((double)floats[i] - 2) * ((double)floats[i] - 2);
    EXPECT(fabs(sqrt(squares / COUNT) - 3) < 0.1, 1);
    EXPECT(FIND(call_1, library, "curandDestroyGenerator")(generator), 0);
    capture_stderr();
    EXPECT(FIND(create_number, library, "curandCreateGenerator")(&generator, 141), 103);
    EXPECT_TEXT(
        captured_stderr(),
        "warplens: curandCreateGenerator (cuRAND) of a type other than XORWOW, MRG32k3a, MT19937, "
        "Philox and Sobol's is not supported by the simulated GPU and returned an error\n");
    EXPECT(cudaFree(words), 0);
    EXPECT(cudaFree(floats), 0);
}

/* The same by the call whose types are those of CUDA: x becomes expected. */
static void check_advanced_plan(void *library, int n, int lines, void *x, const void *expected)
{
    enum { C_32F = 4 };
    int plan;
    long long size = n;
    size_t bytes = sizeof(float[2]) * (size_t)(n * lines), space = 1;
    void *y = NULL;
    int (*make)(int, int, long long *, long long *, long long, long long, int, long long *,
                long long, long long, int, long long, size_t *, int) =
        FIND(int (*)(int, int, long long *, long long *, long long, long long, int, long long *,
                     long long, long long, int, long long, size_t *, int),
             library, "cufftXtMakePlanMany");
    EXPECT(cudaMallocManaged(&y, bytes, 1), 0);
    EXPECT(FIND(int (*)(int *), library, "cufftCreate")(&plan), 0);
    EXPECT(make(plan, 1, &size, NULL, 1, n, C_32F, NULL, 1, n, C_32F, lines, &space, C_32F), 0);
    EXPECT(FIND(int (*)(int, void *, void *, int), library, "cufftXtExec")(plan, x, y, -1), 0);
    EXPECT(memcmp(y, expected, bytes), 0);
    EXPECT(make(plan, 1, &size, NULL, 1, n, C_32F, NULL, 1, n, C_32F, lines, &space, C_32F), 1);
    EXPECT(FIND(int (*)(int), library, "cufftDestroy")(plan), 0);
    EXPECT(cudaFree(y), 0);
}

/* Two lines of n complex numbers against the sum that defines the transform, and back. */
static void test_transform(void *library, int n)
{
    enum { C2C = 0x29, LINES = 2 };
    int plan;
    float(*x)[2], (*y)[2];
    EXPECT(cudaMallocManaged((void **)&x, sizeof *x * (size_t)(n * LINES), 1), 0);
    EXPECT(cudaMallocManaged((void **)&y, sizeof *y * (size_t)(n * LINES), 1), 0);
    for (int i = 0; i < n * LINES; i++) {
        x[i][0] = (float)(i * 7 % 11 - 5);
        x[i][1] = (float)(i * 5 % 13 - 6);
    }
    EXPECT(FIND(int (*)(int *, int, int, int), library, "cufftPlan1d")(&plan, n, C2C, LINES), 0);
    int (*execute)(int, void *, void *, int) =
        FIND(int (*)(int, void *, void *, int), library, "cufftExecC2C");
    EXPECT(execute(plan, x, y, -1), 0);
    double worst = 0;
    for (int line = 0; line < LINES; line++) {
        for (int k = 0; k < n; k++) {
            double real = 0, imaginary = 0;
            for (int j = 0; j < n; j++) {
                double angle = -2 * 3.14159265358979 * j * k / n;
                const float *value = x[line * n + j];
                real += value[0] * cos(angle) - value[1] * sin(angle);
                imaginary += value[0] * sin(angle) + value[1] * cos(angle);
            }
            worst = fmax(worst, fabs(real - y[line * n + k][0]));
            worst = fmax(worst, fabs(imaginary - y[line * n + k][1]));
        }
    }
    EXPECT(worst < 1e-3, 1);
    check_advanced_plan(library, n, LINES, x, y);
    EXPECT(execute(plan, y, y, 1), 0);
    for (int i = 0; i < n * LINES; i++)
        EXPECT(fabsf(y[i][0] / (float)n - x[i][0]) < 1e-4f, 1);
    EXPECT(FIND(int (*)(int), library, "cufftDestroy")(plan), 0);
    EXPECT(execute(plan, y, y, 1), 1);
    EXPECT(cudaFree(x), 0);
    EXPECT(cudaFree(y), 0);
}

/* Real numbers in two dimensions, and back: the first coefficient is the sum. */
static void test_real_transform(void *library)
{
    enum { D2Z = 0x6a, Z2D = 0x6c, NX = 6, NY = 10 };
    int to, from;
    double *x, *y, sum = 0;
    EXPECT(cudaMallocManaged((void **)&x, NX * NY * sizeof *x, 1), 0);
    EXPECT(cudaMallocManaged((void **)&y, NX * (NY / 2 + 1) * 2 * sizeof *y, 1), 0);
    for (int i = 0; i < NX * NY; i++)
        sum += x[i] = i * 7 % 11 - 4;
    int (*plan)(int *, int, int, int) = FIND(int (*)(int *, int, int, int), library, "cufftPlan2d");
    EXPECT(plan(&to, NX, NY, D2Z), 0);
    EXPECT(plan(&from, NX, NY, Z2D), 0);
    int (*forth)(int, void *, void *) = FIND(int (*)(int, void *, void *), library, "cufftExecD2Z");
    int (*back)(int, void *, void *) = FIND(int (*)(int, void *, void *), library, "cufftExecZ2D");
    EXPECT(forth(to, x, y), 0);
    EXPECT(fabs(y[0] - sum) < 1e-9, 1);
    EXPECT(fabs(y[1]) < 1e-9, 1);
    memset(x, 0, NX * NY * sizeof *x);
    EXPECT(back(from, y, x), 0);
    for (int i = 0; i < NX * NY; i++)
        EXPECT(fabs(x[i] / (NX * NY) - (i * 7 % 11 - 4)) < 1e-9, 1);
    EXPECT(back(to, y, x), 4);
    EXPECT(cudaFree(x), 0);
    EXPECT(cudaFree(y), 0);
}

typedef int (*product)(void *, void *, const void *, const void *, void *, const void *, void *,
                       const void *, const void *, void *, void *, void *, const void *, void *,
                       size_t, void *);

/* D = A B of one row and column, with descriptions in the program's own memory. */
static void check_own_descriptions(void *library, void *handle, const float *a, const float *b,
                                   float *d)
{
    enum { K = 6, F32 = 0, COMPUTE = 68, EPILOGUE = 7 };
    uint64_t operation[32], layouts[3][8], preference[8];
    float one = 1, zero = 0, sum = 0;
    int epilogue = 0;
    size_t written = 0;
    int (*layout)(void *, size_t, int, uint64_t, uint64_t, int64_t) =
        FIND(int (*)(void *, size_t, int, uint64_t, uint64_t, int64_t), library,
             "cublasLtMatrixLayoutInit_internal");
    int (*describe)(void *, size_t, int, int) =
        FIND(int (*)(void *, size_t, int, int), library, "cublasLtMatmulDescInit_internal");
    int (*prefer)(void *, size_t) =
        FIND(int (*)(void *, size_t), library, "cublasLtMatmulPreferenceInit_internal");
    EXPECT(describe(operation, 8, COMPUTE, F32), 3);
    EXPECT(describe(NULL, sizeof operation, COMPUTE, F32), 7);
    EXPECT(describe(operation, sizeof operation, COMPUTE, F32), 0);
    EXPECT(FIND(int (*)(void *, int, void *, size_t, size_t *), library,
                "cublasLtMatmulDescGetAttribute")(operation, EPILOGUE, &epilogue, sizeof epilogue,
                                                  &written),
           0);
    EXPECT(epilogue == 1 && written == sizeof epilogue, 1);
    EXPECT(FIND(int (*)(void *, int, const void *, size_t), library,
                "cublasLtMatmulDescSetAttribute")(operation, EPILOGUE, &written, sizeof written),
           7);
    EXPECT(prefer(preference, sizeof preference), 0);
    EXPECT(layout(layouts[0], sizeof layouts[0], F32, 1, K, 1), 0);
    EXPECT(layout(layouts[1], sizeof layouts[1], F32, K, 1, K), 0);
    EXPECT(layout(layouts[2], sizeof layouts[2], F32, 1, 1, 1), 0);
    EXPECT(FIND(product, library, "cublasLtMatmul")(handle, operation, &one, a, layouts[0], b,
                                                    layouts[1], &zero, d, layouts[2], d, layouts[2],
                                                    NULL, NULL, 0, NULL),
           0);
    for (int k = 0; k < K; k++)
        sum += a[k] * b[k];
    EXPECT(d[0], sum);
}

/* D = relu(A' B + bias), small whole numbers. */
static void test_product(void)
{
    enum { M = 7, N = 5, K = 6, F32 = 0, COMPUTE = 68, OP_A = 3, EPILOGUE = 7, BIAS = 8 };
    void *library = open_library("libcublasLt.so.13");
    void *handle, *operation, *layouts[3], *bias_place;
    float *a, *b, *d, *bias, one = 1, zero = 0;
    int transposed = 1, relu_and_bias = 6;
    EXPECT(cudaMallocManaged((void **)&a, 512, 1), 0);
    EXPECT(cudaMallocManaged((void **)&b, 512, 1), 0);
    EXPECT(cudaMallocManaged((void **)&d, 512, 1), 0);
    EXPECT(cudaMallocManaged((void **)&bias, 512, 1), 0);
    for (int i = 0; i < M * K; i++) {
        a[i] = (float)(i * 7 % 11 - 5);
        b[i] = (float)(i * 5 % 7 - 3);
        bias[i] = (float)(i % 9 - 4);
    }
    bias_place = bias;
    int (*layout)(void **, int, uint64_t, uint64_t, int64_t) = FIND(
        int (*)(void **, int, uint64_t, uint64_t, int64_t), library, "cublasLtMatrixLayoutCreate");
    int (*set)(void *, int, const void *, size_t) =
        FIND(int (*)(void *, int, const void *, size_t), library, "cublasLtMatmulDescSetAttribute");
    EXPECT(FIND(call_1, library, "cublasLtCreate")(&handle), 0);
    EXPECT(FIND(int (*)(void **, int, int), library, "cublasLtMatmulDescCreate")(&operation,
                                                                                 COMPUTE, F32),
           0);
    EXPECT(set(operation, OP_A, &transposed, sizeof transposed), 0);
    EXPECT(set(operation, EPILOGUE, &relu_and_bias, sizeof relu_and_bias), 0);
    EXPECT(set(operation, BIAS, &bias_place, sizeof bias_place), 0);
    EXPECT(layout(&layouts[0], F32, K, M, K), 0);
    EXPECT(layout(&layouts[1], F32, K, N, K), 0);
    EXPECT(layout(&layouts[2], F32, M, N, M), 0);
    product multiply = FIND(product, library, "cublasLtMatmul");
    EXPECT(multiply(handle, operation, &one, a, layouts[0], b, layouts[1], &zero, d, layouts[2], d,
                    layouts[2], NULL, NULL, 0, NULL),
           0);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float sum = bias[i];
            for (int k = 0; k < K; k++)
                sum += a[i * K + k] * b[j * K + k];
            EXPECT(d[j * M + i], sum > 0 ? sum : 0);
        }
    }
    check_own_descriptions(library, handle, a, b, d);
    EXPECT(multiply(handle, NULL, &one, a, layouts[0], b, layouts[1], &zero, d, layouts[2], d,
                    layouts[2], NULL, NULL, 0, NULL),
           7);
    for (int i = 0; i < 3; i++)
        EXPECT(FIND(call_1, library, "cublasLtMatrixLayoutDestroy")(layouts[i]), 0);
    EXPECT(FIND(call_1, library, "cublasLtMatmulDescDestroy")(operation), 0);
    EXPECT(FIND(call_1, library, "cublasLtDestroy")(handle), 0);
    capture_stderr();
    EXPECT(FIND(int (*)(void), library, "cublasLtACCMatmul")(), 15);
    EXPECT_TEXT(captured_stderr(), "warplens: cublasLtACCMatmul (cuBLASLt) is not supported by "
                                   "the simulated GPU and returned an error\n");
}

static void test_device(void)
{
    void *library = open_library("libnvidia-ml.so.1"), *device;
    unsigned count = 0, bits = 0;
    int major = 0, minor = 0;
    char name[96] = "";
    unsigned long long memory[3] = {0};
    EXPECT(FIND(call_1, library, "nvmlDeviceGetCount_v2")(&count), 1);
    EXPECT(FIND(int (*)(void), library, "nvmlInit_v2")(), 0);
    EXPECT(FIND(call_1, library, "nvmlDeviceGetCount_v2")(&count), 0);
    EXPECT(count, 2);
    int (*get)(unsigned, void **) =
        FIND(int (*)(unsigned, void **), library, "nvmlDeviceGetHandleByIndex_v2");
    EXPECT(get(7, &device), 2);
    EXPECT(get(1, &device), 0);
    EXPECT(FIND(int (*)(void *, char *, unsigned), library, "nvmlDeviceGetName")(device, name, 96),
           0);
    EXPECT(strstr(name, "H200") != NULL, 1);
    EXPECT(FIND(int (*)(void *, char *, unsigned), library, "nvmlDeviceGetName")(device, name, 2),
           7);
    EXPECT(FIND(call_2, library, "nvmlDeviceGetMemoryInfo")(device, memory), 0);
    EXPECT(memory[0], memory[1] + memory[2]);
    EXPECT(FIND(call_2, library, "nvmlDeviceGetMemoryBusWidth")(device, &bits), 0);
    EXPECT(bits > 0, 1);
    EXPECT(FIND(int (*)(void *, int *, int *), library,
                "nvmlDeviceGetCudaComputeCapability")(device, &major, &minor),
           0);
    EXPECT(major * 10 + minor, 90);
    EXPECT(FIND(int (*)(void), library, "nvmlShutdown")(), 0);
    EXPECT(FIND(int (*)(void), library, "nvmlShutdown")(), 1);
}

/* Two ranks in one process. */
static void test_collectives(void)
{
    enum { COUNT = 4, FLOAT = 7, SUM = 0, FLOAT_8 = 10 };
    void *library = open_library("libnccl.so.2"), *ranks[2];
    float *x[2], *y[2];
    EXPECT(FIND(int (*)(void **, int, const int *), library, "ncclCommInitAll")(ranks, 2, NULL), 0);
    for (int i = 0; i < 2; i++) {
        EXPECT(cudaMallocManaged((void **)&x[i], 64, 1), 0);
        EXPECT(cudaMallocManaged((void **)&y[i], 64, 1), 0);
        for (int k = 0; k < COUNT; k++)
            x[i][k] = (float)(10 * i + k), y[i][k] = -1;
    }
    int (*reduce)(const void *, void *, size_t, int, int, void *, void *) = FIND(
        int (*)(const void *, void *, size_t, int, int, void *, void *), library, "ncclAllReduce");
    int (*gather)(const void *, void *, size_t, int, void *, void *) =
        FIND(int (*)(const void *, void *, size_t, int, void *, void *), library, "ncclAllGather");
    int (*send)(const void *, size_t, int, int, void *, void *) =
        FIND(int (*)(const void *, size_t, int, int, void *, void *), library, "ncclSend");
    int (*receive)(void *, size_t, int, int, void *, void *) =
        FIND(int (*)(void *, size_t, int, int, void *, void *), library, "ncclRecv");
    EXPECT(reduce(x[0], y[0], COUNT, FLOAT, SUM, ranks[0], NULL), 0);
    EXPECT(y[0][0], -1); /* the other rank has not asked yet */
    EXPECT(reduce(x[1], y[1], COUNT, FLOAT, SUM, ranks[1], NULL), 0);
    for (int k = 0; k < COUNT; k++)
        for (int i = 0; i < 2; i++)
            EXPECT(y[i][k], 10 + 2 * k);
    for (int i = 0; i < 2; i++)
        EXPECT(gather(x[i], y[i], COUNT, FLOAT, ranks[i], NULL), 0);
    EXPECT(y[0][COUNT], 10);
    EXPECT(y[1][1], 1);
    EXPECT(receive(y[0], 1, FLOAT, 1, ranks[0], NULL), 0);
    EXPECT(send(x[1] + 3, 1, FLOAT, 0, ranks[1], NULL), 0);
    EXPECT(y[0][0], 13);
    capture_stderr();
    EXPECT(reduce(x[0], y[0], COUNT, FLOAT_8, SUM, ranks[0], NULL), 5);
    EXPECT(*captured_stderr() != 0, 1);
    for (int i = 0; i < 2; i++)
        EXPECT(FIND(call_1, library, "ncclCommDestroy")(ranks[i]), 0);
}

/* A 3 x 3 matrix of six elements, its products and solutions, in each way it can be stored. */
enum { SIZE = 3, ELEMENTS = 6, INDEX_32 = 2, DOUBLE = 1, PLAIN = 0, TRANSPOSE = 1 };
static const int sparse_rows[ELEMENTS] = {0, 0, 1, 2, 2, 2},
                 sparse_columns[ELEMENTS] = {0, 2, 1, 0, 1, 2},
                 sparse_offsets[SIZE + 1] = {0, 2, 3, 6};
static const double sparse_values[ELEMENTS] = {2, 1, 3, 4, 7, 5};

static void *managed(const void *from, size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    memcpy(made, from, bytes);
    return made;
}

static double sparse_at(int row, int column)
{
    for (int i = 0; i < ELEMENTS; i++)
        if (sparse_rows[i] == row && sparse_columns[i] == column)
            return sparse_values[i];
    return 0;
}

typedef int (*make_compressed)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int,
                               int, int);
typedef int (*sparse_product)(void *, int, const void *, void *, void *, const void *, void *, int,
                              int, void *);

/* y = 2 a x + y, and of the transposed a; then y = 2 a x where nothing was written to y, which
 * check-memory sees. */
static void check_products(void *library, void *handle, void *matrix)
{
    const double alpha = 2, beta = 1, nothing = 0, begin[SIZE] = {1, 2, 3};
    int (*make)(void **, int64_t, void *, int) =
        FIND(int (*)(void **, int64_t, void *, int), library, "cusparseCreateDnVec");
    sparse_product multiply = FIND(sparse_product, library, "cusparseSpMV");
    for (int op = PLAIN; op <= TRANSPOSE; op++) {
        double *x = managed(begin, sizeof begin), *y = managed(begin, sizeof begin);
        void *space = managed(begin, sizeof begin), *in = NULL, *out = NULL;
        EXPECT(make(&in, SIZE, x, DOUBLE), 0);
        EXPECT(make(&out, SIZE, y, DOUBLE), 0);
        EXPECT(multiply(handle, op, &alpha, matrix, in, &beta, out, DOUBLE, 0, space), 0);
        for (int row = 0; row < SIZE; row++) {
            double sum = begin[row];
            for (int k = 0; k < SIZE; k++)
                sum += 2 * (op ? sparse_at(k, row) : sparse_at(row, k)) * begin[k];
            EXPECT(y[row] == sum, 1);
        }
        void *unwritten, *fresh = NULL;
        double result[SIZE];
        EXPECT(cudaMalloc(&unwritten, sizeof result), 0);
        EXPECT(make(&fresh, SIZE, unwritten, DOUBLE), 0);
        EXPECT(multiply(handle, op, &alpha, matrix, in, &nothing, fresh, DOUBLE, 0, space), 0);
        EXPECT(cudaMemcpy(result, unwritten, sizeof result, 2), 0);
        for (int row = 0; row < SIZE; row++)
            EXPECT(result[row] == y[row] - begin[row], 1);
        EXPECT(FIND(call_1, library, "cusparseDestroyDnVec")(in), 0);
        EXPECT(FIND(call_1, library, "cusparseDestroyDnVec")(out), 0);
        EXPECT(FIND(call_1, library, "cusparseDestroyDnVec")(fresh), 0);
        EXPECT(cudaFree(unwritten), 0);
    }
}

/* The lower triangle: a y = 2 x. */
static void check_solution(void *library, void *handle, void *matrix)
{
    const double alpha = 2, begin[SIZE] = {1, 3, 14}, expected[SIZE] = {1, 2, 2};
    double *x = managed(begin, sizeof begin), *y = managed(begin, sizeof begin);
    void *in = NULL, *out = NULL;
    int (*make)(void **, int64_t, void *, int) =
        FIND(int (*)(void **, int64_t, void *, int), library, "cusparseCreateDnVec");
    EXPECT(make(&in, SIZE, x, DOUBLE), 0);
    EXPECT(make(&out, SIZE, y, DOUBLE), 0);
    void *work = NULL;
    EXPECT(FIND(int (*)(void **), library, "cusparseSpSV_createDescr")(&work), 0);
    EXPECT(
        FIND(int (*)(void *, int, const void *, void *, void *, void *, int, int, void *, void *),
             library, "cusparseSpSV_analysis")(handle, PLAIN, &alpha, matrix, in, out, DOUBLE, 0,
                                               work, NULL),
        0);
    EXPECT(FIND(int (*)(void *, int, const void *, void *, void *, void *, int, int, void *),
                library,
                "cusparseSpSV_solve")(handle, PLAIN, &alpha, matrix, in, out, DOUBLE, 0, work),
           0);
    EXPECT(FIND(call_1, library, "cusparseSpSV_destroyDescr")(work), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(y[i] == expected[i], 1);
}

/* To a dense matrix and back into other memory. */
static void check_conversions(void *library, void *handle, void *matrix)
{
    enum { BY_ROW = 2 };
    double nothing[SIZE * SIZE] = {9, 9, 9, 9, 9, 9, 9, 9, 9}, values[ELEMENTS] = {0};
    int offsets[SIZE + 1] = {0}, columns[ELEMENTS] = {0};
    double *dense = managed(nothing, sizeof nothing), *to = managed(values, sizeof values);
    int *starts = managed(offsets, sizeof offsets), *indices = managed(columns, sizeof columns);
    void *full = NULL, *made = NULL, *space = managed(nothing, sizeof nothing);
    int64_t size[3];
    typedef int (*convert)(void *, void *, void *, int, void *);
    EXPECT(FIND(int (*)(void **, int64_t, int64_t, int64_t, void *, int, int), library,
                "cusparseCreateDnMat")(&full, SIZE, SIZE, SIZE, dense, DOUBLE, BY_ROW),
           0);
    EXPECT(FIND(convert, library, "cusparseSparseToDense")(handle, matrix, full, 0, space), 0);
    for (int i = 0; i < SIZE * SIZE; i++)
        EXPECT(dense[i] == sparse_at(i / SIZE, i % SIZE), 1);
    EXPECT(FIND(make_compressed, library, "cusparseCreateCsr")(&made, SIZE, SIZE, 0, starts, NULL,
                                                               NULL, INDEX_32, INDEX_32, 0, DOUBLE),
           0);
    EXPECT(FIND(convert, library, "cusparseDenseToSparse_analysis")(handle, full, made, 0, space),
           0);
    EXPECT(FIND(int (*)(void *, int64_t *, int64_t *, int64_t *), library,
                "cusparseSpMatGetSize")(made, &size[0], &size[1], &size[2]),
           0);
    EXPECT(size[2], ELEMENTS);
    EXPECT(FIND(int (*)(void *, void *, void *, void *), library,
                "cusparseCsrSetPointers")(made, starts, indices, to),
           0);
    EXPECT(FIND(convert, library, "cusparseDenseToSparse_convert")(handle, full, made, 0, NULL), 0);
    EXPECT(memcmp(starts, sparse_offsets, sizeof sparse_offsets), 0);
    EXPECT(memcmp(indices, sparse_columns, sizeof sparse_columns), 0);
    EXPECT(memcmp(to, sparse_values, sizeof sparse_values), 0);
}

static void test_sparse(void)
{
    enum { BASE = 0, NUMERIC = 1, HALF_VALUES = 2 };
    void *library = open_library("libcusparse.so.12"), *handle = NULL, *matrix = NULL;
    int no_offsets[SIZE + 1] = {0}, no_rows[ELEMENTS] = {0};
    double no_values[ELEMENTS] = {0};
    int *offsets = managed(sparse_offsets, sizeof sparse_offsets);
    int *rows = managed(sparse_rows, sizeof sparse_rows);
    int *columns = managed(sparse_columns, sizeof sparse_columns);
    double *values = managed(sparse_values, sizeof sparse_values);
    int *of_columns = managed(no_offsets, sizeof no_offsets);
    int *to_rows = managed(no_rows, sizeof no_rows);
    double *to_values = managed(no_values, sizeof no_values);
    EXPECT(FIND(call_1, library, "cusparseCreate")(&handle), 0);
    EXPECT(FIND(make_compressed, library, "cusparseCreateCsr")(&matrix, SIZE, SIZE, ELEMENTS,
                                                               offsets, columns, values, INDEX_32,
                                                               INDEX_32, BASE, DOUBLE),
           0);
    check_products(library, handle, matrix);
    check_solution(library, handle, matrix);
    check_conversions(library, handle, matrix);
    EXPECT(FIND(call_1, library, "cusparseDestroySpMat")(matrix), 0);
    EXPECT(FIND(int (*)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int),
                library, "cusparseCreateCoo")(&matrix, SIZE, SIZE, ELEMENTS, rows, columns, values,
                                              INDEX_32, BASE, DOUBLE),
           0);
    check_products(library, handle, matrix);
    EXPECT(FIND(int (*)(void *, int, int, int, void *, int *, int *, void *, int *, int *, int, int,
                        int, int, void *),
                library, "cusparseCsr2cscEx2")(handle, SIZE, SIZE, ELEMENTS, values, offsets,
                                               columns, to_values, of_columns, to_rows, DOUBLE,
                                               NUMERIC, BASE, 0, NULL),
           0);
    EXPECT(FIND(make_compressed, library, "cusparseCreateCsc")(&matrix, SIZE, SIZE, ELEMENTS,
                                                               of_columns, to_rows, to_values,
                                                               INDEX_32, INDEX_32, BASE, DOUBLE),
           0);
    check_products(library, handle, matrix);
    capture_stderr();
    EXPECT(FIND(sparse_product, library, "cusparseSpMV")(handle, 0, values, matrix, matrix, values,
                                                         matrix, HALF_VALUES, 0, NULL),
           3);
    (void)captured_stderr();
}

static void test_handles(void)
{
    static const struct {
        const char *file, *create, *destroy, *refused;
        int status;
    } rows[] = {
        {"libcusparse.so.12", "cusparseCreate", "cusparseDestroy", "cusparseSpMMOp", 10},
        {"libcusolver.so.12", "cusolverSpCreate", "cusolverSpDestroy", "cusolverSpDgluSetup", 9},
        {"libcudnn.so.9", "cudnnCreate", "cudnnDestroy", "cudnnFusedOpsExecute", 3000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *library = open_library(rows[i].file), *handle = NULL;
        EXPECT(FIND(call_1, library, rows[i].create)(&handle), 0);
        capture_stderr();
        EXPECT(FIND(int (*)(void), library, rows[i].refused)(), rows[i].status);
        EXPECT(strstr(captured_stderr(), rows[i].refused) != NULL, 1);
        EXPECT(FIND(call_1, library, rows[i].destroy)(handle), 0);
        EXPECT(FIND(call_1, library, rows[i].destroy)((uint64_t[8]){0}) != 0, 1);
    }
}

typedef int (*linker_create)(void **linker, unsigned count, const char **options);
static const char *link_options[] = {"-arch=sm_90"};
static const char linked_text[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";

/* Of what is no PTX, and of files. */
static void test_linked_files(void *library)
{
    void *linker = NULL;
    size_t bytes = 0;
    char path[] = "/tmp/warplens-link-XXXXXX", buffer[8];
    const int file = mkstemp(path);
    int (*add_file)(void *, int, const char *) =
        FIND(int (*)(void *, int, const char *), library, "nvJitLinkAddFile");
    int (*add)(void *, int, const void *, size_t, const char *) =
        FIND(int (*)(void *, int, const void *, size_t, const char *), library, "nvJitLinkAddData");
    EXPECT(write(file, linked_text, sizeof linked_text - 1), sizeof linked_text - 1);
    close(file);
    EXPECT(FIND(linker_create, library, "nvJitLinkCreate")(&linker, 1, link_options), 0);
    EXPECT(add_file(linker, 2, "/nowhere/at/all"), 3);
    EXPECT(add_file(linker, 2, NULL), 10);
    EXPECT(add_file(NULL, 2, path), 10);
    EXPECT(add_file(linker, 0, path), 12);
    capture_stderr();
    EXPECT(add_file(linker, 5, "/proc/self/exe"), 6);
    EXPECT(add(linker, 10,
               "\x7f"
               "ELF",
               4, "k"),
           6);
    EXPECT_TEXT(captured_stderr(),
                "warplens: nvJitLinkAddFile (nvJitLink) of anything but PTX is not "
                "supported by the simulated GPU and returned an error\n"
                "warplens: nvJitLinkAddData (nvJitLink) of anything but PTX is not "
                "supported by the simulated GPU and returned an error\n");
    EXPECT(add_file(linker, 10, path), 0);
    EXPECT(FIND(call_1, library, "nvJitLinkComplete")(linker), 0);
    EXPECT(FIND(call_2, library, "nvJitLinkGetLinkedCubinSize")(linker, &bytes), 0);
    EXPECT(bytes > sizeof linked_text / 2, 1);
    EXPECT(FIND(call_2, library, "nvJitLinkGetLinkedPtxSize")(linker, &bytes), 3);
    EXPECT(FIND(call_2, library, "nvJitLinkGetLinkedPtxSize")(NULL, &bytes), 10);
    EXPECT(FIND(call_2, library, "nvJitLinkGetLinkedPtx")(linker, buffer), 3);
    EXPECT(FIND(call_2, library, "nvJitLinkGetLinkedPtx")(linker, NULL), 10);
    EXPECT(FIND(call_1, library, "nvJitLinkDestroy")(&linker), 0);
    unlink(path);
}

/* What nvJitLink of CUDA 13.0 answers to options. */
static void test_link_options(void *library)
{
    const struct {
        const char *options[3];
        int status;
    } rows[] = {
        {{"-O3"}, 2},
        {{"-arch=sm_90", "-O4"}, 1},
        {{"-arch=sm_90", "-nonsense"}, 1},
        {{"--arch=sm_90"}, 1},
        {{"-arch", "sm_90"}, 1},
        {{"-arch=90"}, 1},
        {{"-arch=sm_999"}, 16},
        {{"-arch=compute_90"}, 11},
        {{"-arch=sm_90", "-ptx"}, 11},
        {{"-arch=sm_90", "-ptx", "-lto"}, 0},
        {{"-arch=sm_100f", "-lineinfo", "-Xptxas=-v"}, 0},
        {{"-arch=sm_90a", "-maxrregcount=32", "-ftz=true"}, 0},
    };
    linker_create create = FIND(linker_create, library, "nvJitLinkCreate");
    call_2 error_bytes = FIND(call_2, library, "nvJitLinkGetErrorLogSize");
    void *linker = NULL;
    size_t bytes = 77;
    char log[100];
    EXPECT(create(NULL, 1, link_options), 10);
    EXPECT(create(&linker, 0, NULL), 10);
    EXPECT(create(&linker, 1, NULL), 10);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned count = 0;
        while (count < 3 && rows[i].options[count])
            count++;
        EXPECT(create(&linker, count, (const char **)(uintptr_t)rows[i].options), rows[i].status);
        EXPECT(error_bytes(linker, &bytes), 0);
        EXPECT(bytes > 0, rows[i].status && rows[i].status != 2);
        if (i == 2) {
            EXPECT(bytes, 32);
            EXPECT(FIND(call_2, library, "nvJitLinkGetErrorLog")(linker, log), 0);
            EXPECT_TEXT(log, "unrecognized option: -nonsense\n");
        }
        if (i == 9)
            EXPECT(FIND(call_1, library, "nvJitLinkComplete")(linker), 5);
        EXPECT(FIND(call_1, library, "nvJitLinkDestroy")(&linker), 0);
    }
}

/* Calls with what they do not take, and out of order. */
static void test_link_order(void *library)
{
    void *linker;
    size_t bytes = 77;
    call_1 complete = FIND(call_1, library, "nvJitLinkComplete");
    call_2 image_bytes = FIND(call_2, library, "nvJitLinkGetLinkedCubinSize");
    int (*add)(void *, int, const void *, size_t, const char *) =
        FIND(int (*)(void *, int, const void *, size_t, const char *), library, "nvJitLinkAddData");
    EXPECT(FIND(linker_create, library, "__nvJitLinkCreate_13_0")(&linker, 1, link_options), 0);
    EXPECT(image_bytes(linker, &bytes), 6);
    EXPECT(add(NULL, 2, linked_text, sizeof linked_text, "k"), 10);
    EXPECT(add(linker, 2, linked_text, 0, "k"), 3);
    EXPECT(add(linker, 99, linked_text, sizeof linked_text, "k"), 12);
    EXPECT(add(linker, 1, linked_text, sizeof linked_text, "k"), 12);
    EXPECT(add(linker, 10, "hello", 6, "k"), 8);
    EXPECT(add(linker, 2, "hello", 6, "k"), 12);
    capture_stderr();
    EXPECT(add(linker, 2, linked_text, sizeof linked_text - 4, "k"), 4);
    EXPECT(*captured_stderr() != 0, 1); /* where it is wrong */
    EXPECT(add(linker, 2, linked_text, sizeof linked_text, NULL), 0);
    EXPECT(complete(linker), 0);
    EXPECT(complete(linker), 6);
    EXPECT(add(linker, 2, linked_text, sizeof linked_text, "k"), 6);
    EXPECT(image_bytes(linker, NULL), 10);
    EXPECT(image_bytes(linker, &bytes), 0);
    EXPECT(bytes > sizeof linked_text / 2, 1);
    EXPECT(FIND(call_2, library, "nvJitLinkGetInfoLogSize")(linker, &bytes), 0);
    EXPECT(bytes, 0);
    EXPECT(FIND(call_1, library, "nvJitLinkDestroy")(&linker), 0);
    EXPECT(FIND(call_1, library, "nvJitLinkDestroy")(&linker), 10);
    EXPECT(complete(NULL), 10);
    EXPECT(FIND(linker_create, library, "nvJitLinkCreate")(&linker, 1, link_options), 0);
    EXPECT(complete(linker), 0); /* of nothing */
    EXPECT(FIND(call_1, library, "nvJitLinkDestroy")(&linker), 0);
}

static void test_linker(void)
{
    void *library = open_library("libnvJitLink.so.13");
    test_link_options(library);
    test_link_order(library);
    test_linked_files(library);
}

int main(void)
{
    void *transforms = open_library("libcufft.so.12");
    test_random();
    for (int n = 1; n <= 60; n += n < 16 ? 1 : 11)
        test_transform(transforms, n);
    test_real_transform(transforms);
    test_product();
    test_device();
    test_collectives();
    test_sparse();
    test_handles();
    test_linker();
    return failures != 0;
}
