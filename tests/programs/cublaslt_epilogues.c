/* What cublasLtMatmul does to products beyond bias, ReLU and GELU of one matrix: what is kept
 * beside D, gradients, sums, batches, against what is computed here. */
#include <math.h>

#include "runtime.h"

int cublasLtCreate(void **handle);
int cublasLtMatmulDescCreate(void **made, int compute, int scale);
int cublasLtMatmulDescDestroy(void *made);
int cublasLtMatmulDescSetAttribute(void *made, int number, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatrixLayoutSetAttribute(void *made, int number, const void *value, size_t bytes);
int cublasLtMatrixLayoutDestroy(void *made);
int cublasLtMatmulPreferenceCreate(void **made);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted, void *results,
                                   int *found);
int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *space, size_t bytes,
                   void *stream);

enum { F32 = 0, COMPUTE_F32 = 68, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
enum { OP_A = 3, OP_B, EPILOGUE = 7, BIAS, BIAS_STRIDE = 10, AUX, AUX_LEADING, AUX_STRIDE };
enum { RELU = 2, ADDS_BIAS = 4, DRELU = 8, GRADIENT = 16, GELU = 32, DGELU = 64, KEEPS = 128 };
enum { SUMS_A = 256, SUMS_B = 512 };
enum { M = 37, N = 11, K = 9, LEADING = 40, COUNT = 2, MASK_LEADING = 128, INPUT_LEADING = 48 };

static void *handle, *preference, *operation, *layouts[3];
static float *a, *b, *d, *bias, *aux;
static float aux_before[COUNT * N * INPUT_LEADING];

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static void set(int number, int64_t value, size_t bytes)
{
    EXPECT(cublasLtMatmulDescSetAttribute(operation, number, &value, bytes), 0);
}

static void set_layout(int i, uint64_t rows, uint64_t columns, int64_t leading, int64_t stride)
{
    const int count = COUNT;
    EXPECT(cublasLtMatrixLayoutCreate(&layouts[i], F32, rows, columns, leading), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(layouts[i], 5, &count, sizeof count), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(layouts[i], 6, &stride, sizeof stride), 0);
}

static void begin(int epilogue, int turns)
{
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F32, F32), 0);
    set(OP_A, turns, 4);
    set(OP_B, turns, 4);
    set(EPILOGUE, epilogue, 4);
    set_layout(0, turns ? K : M, turns ? M : K, turns ? K : M, M * K);
    set_layout(1, turns ? N : K, turns ? K : N, turns ? N : K, K * N);
    set_layout(2, M, N, LEADING, N * LEADING);
    if (epilogue & (ADDS_BIAS | GRADIENT | SUMS_A | SUMS_B)) {
        set(BIAS, (int64_t)(uintptr_t)bias, 8);
        set(BIAS_STRIDE, M, 8);
    }
    if (epilogue & KEEPS) {
        const int leading = epilogue & (RELU | DRELU) ? MASK_LEADING : INPUT_LEADING;
        set(AUX, (int64_t)(uintptr_t)aux, 8);
        set(AUX_LEADING, leading, 8);
        set(AUX_STRIDE, N * leading, 8);
    }
}

static void end(void)
{
    for (int i = 0; i < 3; i++)
        EXPECT(cublasLtMatrixLayoutDestroy(layouts[i]), 0);
    EXPECT(cublasLtMatmulDescDestroy(operation), 0);
}

static int multiply(void)
{
    const float one = 1, zero = 0;
    const int status = cublasLtMatmul(handle, operation, &one, a, layouts[0], b, layouts[1], &zero,
                                      d, layouts[2], d, layouts[2], NULL, NULL, 0, NULL);
    EXPECT(cudaDeviceSynchronize(), 0);
    return status;
}

static int ask(void)
{
    uint64_t results[12];
    int found = -1;
    return cublasLtMatmulAlgoGetHeuristic(handle, operation, layouts[0], layouts[1], layouts[2],
                                          layouts[2], preference, 1, results, &found);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
}

static float a_at(int batch, int m, int k, int turns)
{
    return a[batch * M * K + (turns ? m * K + k : k * M + m)];
}

static float b_at(int batch, int k, int n, int turns)
{
    return b[batch * K * N + (turns ? k * N + n : n * K + k)];
}

static int bit_of(const void *mask, int batch, int m, int n)
{
    const int at = (batch * N + n) * MASK_LEADING + m;
    return ((const uint8_t *)mask)[at / 8] >> at % 8 & 1;
}

static void expect_near(double got, double wanted, int epilogue, int m, int n)
{
    if (fabs(got - wanted) > 2e-5 * (1 + fabs(wanted))) {
        fprintf(stderr, "epilogue %d: %g at %d, %d, not %g\n", epilogue, got, m, n, wanted);
        failures++;
    }
}

/* What D is to be where the product is x; what is beside D is compared. */
static double expected(double x, int epilogue, int batch, int m, int n, const float *bias_before)
{
    const int at = (batch * N + n) * INPUT_LEADING + m;
    if (epilogue & ADDS_BIAS)
        x += bias_before[batch * M + m];
    if (epilogue & KEEPS && epilogue & GELU)
        expect_near(aux[at], x, epilogue, m, n);
    if (epilogue & KEEPS && epilogue & RELU)
        EXPECT(bit_of(aux, batch, m, n), x > 0);
    if (epilogue & RELU)
        return x > 0 ? x : 0;
    if (epilogue & GELU)
        return gelu(x);
    if (epilogue & DRELU)
        return bit_of(aux_before, batch, m, n) ? x : 0;
    if (epilogue & DGELU) {
        const double input = aux_before[at], h = 1e-5;
        return x * (gelu(input + h) - gelu(input - h)) / (2 * h);
    }
    return x;
}

static void check_sums(int epilogue, int turns, int batch)
{
    const int lines = epilogue & SUMS_B ? N : M, depth = epilogue & GRADIENT ? N : K;
    for (int line = 0; line < lines; line++) {
        double sum = 0;
        for (int i = 0; i < depth; i++)
            sum += epilogue & SUMS_A   ? a_at(batch, line, i, turns)
                   : epilogue & SUMS_B ? b_at(batch, i, line, turns)
                                       : d[(batch * N + i) * LEADING + line];
        expect_near(bias[batch * M + line], sum, epilogue, line, -1);
    }
}

static void fill(int epilogue)
{
    for (int i = 0; i < COUNT * M * K; i++)
        a[i] = (float)((i * 7 + i / 5) % 11 - 5) * 0.25f;
    for (int i = 0; i < COUNT * K * N; i++)
        b[i] = (float)((i * 5 + i / 7) % 9 - 4) * 0.5f;
    for (int i = 0; i < COUNT * M; i++)
        bias[i] = (float)(i % 7 - 3) * 0.375f;
    for (int i = 0; i < COUNT * N * INPUT_LEADING; i++)
        aux[i] = (float)(i % 23 - 11) * 0.3f;
    for (int i = 0; epilogue & DRELU && i < COUNT * N * MASK_LEADING / 8; i++)
        ((uint8_t *)aux)[i] = (uint8_t)(i * 37 + 11);
    memcpy(aux_before, aux, sizeof aux_before);
}

static void test(int epilogue, int turns)
{
    float bias_before[COUNT * M];
    fill(epilogue);
    memcpy(bias_before, bias, sizeof bias_before);
    begin(epilogue, turns);
    EXPECT(ask(), 0);
    EXPECT(multiply(), 0);
    for (int batch = 0; batch < COUNT; batch++) {
        for (int n = 0; n < N; n++)
            for (int m = 0; m < M; m++) {
                double sum = 0;
                for (int k = 0; k < K; k++)
                    sum += (double)a_at(batch, m, k, turns) * b_at(batch, k, n, turns);
                expect_near(d[(batch * N + n) * LEADING + m],
                            expected(sum, epilogue, batch, m, n, bias_before), epilogue, m, n);
            }
        if (epilogue & (GRADIENT | SUMS_A | SUMS_B))
            check_sums(epilogue, turns, batch);
    }
    end();
}

static void test_refused(void)
{
    begin(RELU | KEEPS, 0);
    set(AUX_LEADING, 120, 8); /* no multiple of 128 bits */
    EXPECT(ask(), INVALID_VALUE);
    EXPECT(multiply(), INVALID_VALUE);
    set(AUX_LEADING, 0, 8);
    EXPECT(ask(), INVALID_VALUE);
    set(AUX_LEADING, 128, 8);
    set(AUX, 0, 8);
    EXPECT(ask(), 0);
    EXPECT(multiply(), INVALID_VALUE);
    end();
    begin(GELU | KEEPS, 0);
    set(AUX_LEADING, 36, 8); /* fewer than rows */
    EXPECT(ask(), INVALID_VALUE);
    set(AUX_LEADING, 44, 8);
    EXPECT(ask(), INVALID_VALUE);
    end();
    begin(ADDS_BIAS, 0);
    set(BIAS, 0, 8);
    EXPECT(ask(), 0);
    EXPECT(multiply(), INVALID_VALUE);
    end();
    begin(1024, 0);
    capture_stderr();
    EXPECT(ask(), NOT_SUPPORTED);
    EXPECT(multiply(), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "this epilogue") != NULL, 1);
    end();
}

int main(void)
{
    static const int epilogues[] = {1,   2,   4,   6,   32,  36,  130, 134,
                                    136, 152, 160, 164, 192, 208, 256, 512};
    EXPECT(cublasLtCreate(&handle), 0);
    EXPECT(cublasLtMatmulPreferenceCreate(&preference), 0);
    a = managed(COUNT * M * K * sizeof *a), b = managed(COUNT * K * N * sizeof *b);
    d = managed(COUNT * N * LEADING * sizeof *d), bias = managed(COUNT * M * sizeof *bias);
    aux = managed(sizeof aux_before);
    for (size_t i = 0; i < sizeof epilogues / sizeof *epilogues; i++)
        for (int turns = 0; turns < 2; turns++)
            test(epilogues[i], turns);
    test_refused();
    return failures != 0;
}
