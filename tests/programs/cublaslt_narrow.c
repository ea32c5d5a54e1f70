/* cublasLtMatmul of 8-bit floating-point numbers, against what is computed here from the formats'
 * definitions; with an argument, on a GPU that has none. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **made, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *made, int number, const void *value, size_t bytes);
int cublasLtMatmulDescDestroy(void *made);
int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatrixLayoutDestroy(void *made);
int cublasLtMatmulPreferenceCreate(void **made);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted, void *results,
                                   int *found);
int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *space, size_t bytes,
                   void *stream);

enum { F32 = 0, F16 = 2, BF16 = 14, E4M3 = 28, E5M2 = 29, COMPUTE_F32 = 68 };
enum { OP_A = 3, OP_B = 4, EPILOGUE = 7, BIAS = 8, SCALE_A = 17, LARGEST = 21, SCALE_MODE_A = 31 };
enum { M = 32, N = 16, K = 48, RELU_AND_BIAS = 6 };

static void *handle, *operation, *preference, *layouts[4];
static uint8_t *a, *b;
static void *c, *d;
static float *scales, *largest;
static uint16_t *bias;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static bool is_narrow(int type)
{
    return type == E4M3 || type == E5M2;
}

static double value_of(int type, int code)
{
    const int fraction_bits = type == E4M3 ? 3 : 2, bias = type == E4M3 ? 7 : 15;
    const int exponent = (code & 0x7f) >> fraction_bits,
              fraction = code & ((1 << fraction_bits) - 1);
    const double sign = code & 0x80 ? -1 : 1;
    if (type == E4M3 ? (code & 0x7f) == 0x7f : exponent == 31)
        return type == E5M2 && fraction == 0 ? sign * INFINITY : NAN;
    return exponent ? sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)
                    : sign * ldexp(fraction, 1 - bias - fraction_bits);
}

/* The nearest number, of two the one whose code is even; the largest for what is larger. */
static int code_of(int type, double value)
{
    const int last = type == E4M3 ? 0x7e : 0x7b, sign = signbit(value) ? 0x80 : 0;
    int best = 0;
    for (int code = 1; code <= last; code++) {
        const double is = fabs(value_of(type, code) - fabs(value)),
                     was = fabs(value_of(type, best) - fabs(value));
        if (is < was || (is == was && code % 2 == 0))
            best = code;
    }
    return sign | best;
}

static float value_of_bfloat(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static uint16_t bfloat(float value) /* of few bits */
{
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    return (uint16_t)(wide >> 16);
}

static void set(int number, const void *value, size_t bytes)
{
    EXPECT(cublasLtMatmulDescSetAttribute(operation, number, value, bytes), 0);
}

/* The operation, its scales 1, and layouts for D = A' B. */
static void begin(int type_a, int type_b, int type_c, int type_d)
{
    const int transposed = 1;
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F32, F32), 0);
    set(OP_A, &transposed, sizeof transposed);
    for (int i = 0; i < 4; i++) {
        const float *place = scales + 4 * i; /* whose addresses cuBLASLt aligns */
        scales[4 * i] = 1;
        if (i < 2 || (i == 3 && is_narrow(type_d))) /* cuBLASLt takes no other */
            set(SCALE_A + i, &place, sizeof place);
    }
    if (is_narrow(type_d))
        set(LARGEST, &largest, sizeof largest);
    *largest = 7e9f;
    EXPECT(cublasLtMatrixLayoutCreate(&layouts[0], type_a, K, M, K), 0);
    EXPECT(cublasLtMatrixLayoutCreate(&layouts[1], type_b, K, N, K), 0);
    EXPECT(cublasLtMatrixLayoutCreate(&layouts[2], type_c, M, N, M), 0);
    EXPECT(cublasLtMatrixLayoutCreate(&layouts[3], type_d, M, N, M), 0);
}

static void end(void)
{
    for (int i = 0; i < 4; i++)
        EXPECT(cublasLtMatrixLayoutDestroy(layouts[i]), 0);
    EXPECT(cublasLtMatmulDescDestroy(operation), 0);
}

static int multiply(float alpha, float beta)
{
    uint64_t results[12];
    int found = -1;
    int status =
        cublasLtMatmulAlgoGetHeuristic(handle, operation, layouts[0], layouts[1], layouts[2],
                                       layouts[3], preference, 1, results, &found);
    EXPECT(found, status ? -1 : 1);
    int given = cublasLtMatmul(handle, operation, &alpha, a, layouts[0], b, layouts[1], &beta, c,
                               layouts[2], d, layouts[3], results, NULL, 0, NULL);
    EXPECT(status == given || status == 0, 1);
    EXPECT(cudaDeviceSynchronize(), 0);
    return given;
}

/* A' has the rows of the identity: D is alpha * B, of all numbers of a format, rounded. */
static void test_rounding(int type_b, int type_d)
{
    static const float factors[] = {1, 0.3f, 1.0f / 700, 7.7f, 0x1p-9f, 3e4f};
    begin(E4M3, type_b, BF16, type_d);
    for (int i = 0; i < M * K; i++)
        a[i] = i % K == i / K ? (uint8_t)code_of(E4M3, 1) : 0;
    for (int i = 0; i < N * K; i++)
        b[i] = (uint8_t)(isfinite(value_of(type_b, i % 256)) ? i % 256 : 0);
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        float most = 0;
        EXPECT(multiply(factors[f], 0), 0);
        for (int i = 0; i < M * N; i++) {
            const float value = factors[f] * (float)value_of(type_b, b[i / M * K + i % M]);
            const int code = ((uint8_t *)d)[i];
            most = fmaxf(most, fabsf(value));
            EXPECT(value == 0 ? code & 0x7f : code, value == 0 ? 0 : code_of(type_d, value));
        }
        EXPECT(*largest == most, 1);
    }
    b[5] = 0x7f; /* of a column all */
    EXPECT(multiply(1, 0), 0);
    EXPECT(((uint8_t *)d)[9] & 0x7f, 0x7f);
    end();
}

/* Sums of few bits with all scales, C, bias and ReLU. */
static void test_product(int type_a, int type_b, int type_d)
{
    const int epilogue = RELU_AND_BIAS;
    const void *place = bias;
    float most = 0;
    begin(type_a, type_b, type_d == F32 ? F32 : BF16, type_d);
    set(EPILOGUE, &epilogue, sizeof epilogue);
    set(BIAS, &place, sizeof place);
    scales[0] = 2, scales[4] = 0.5f, scales[12] = 0.25f;
    for (int i = 0; i < M * K; i++)
        a[i] = (uint8_t)code_of(type_a, i * 7 % 11 - 5);
    for (int i = 0; i < N * K; i++)
        b[i] = (uint8_t)code_of(type_b, i * 5 % 7 - 3);
    for (int i = 0; i < M * N; i++) {
        if (type_d == F32)
            ((float *)c)[i] = (float)(i % 9 - 4);
        else
            ((uint16_t *)c)[i] = bfloat((float)(i % 9 - 4));
    }
    for (int i = 0; i < M; i++)
        bias[i] = bfloat((float)(i % 5));
    EXPECT(multiply(3, 2), 0);
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += (float)(value_of(type_a, a[i % M * K + k]) * value_of(type_b, b[i / M * K + k]));
        sum = fmaxf(0, 3 * sum + 2 * (float)(i % 9 - 4) + (float)(i % M % 5));
        most = fmaxf(most, sum);
        if (type_d == F32)
            EXPECT(((float *)d)[i] == sum, 1);
        else if (type_d == BF16)
            EXPECT(fabsf(value_of_bfloat(((uint16_t *)d)[i]) - sum) <= sum / 256, 1);
        else
            EXPECT(((uint8_t *)d)[i], code_of(type_d, sum / 4));
    }
    EXPECT(*largest == (is_narrow(type_d) ? most : 7e9f), 1);
    end();
}

/* A scale for each row and each column of D. */
static void test_vectors(int type_d)
{
    const int outer = 3;
    float *rows = managed(M * sizeof *rows), *columns = managed(N * sizeof *columns);
    begin(E4M3, E5M2, type_d, type_d);
    set(SCALE_MODE_A, &outer, sizeof outer);
    set(SCALE_MODE_A + 1, &outer, sizeof outer);
    set(SCALE_A, &rows, sizeof(float *));
    set(SCALE_A + 1, &columns, sizeof(float *));
    for (int i = 0; i < M; i++)
        rows[i] = ldexpf(1, i % 5 - 2);
    for (int i = 0; i < N; i++)
        columns[i] = (float)(i % 3 + 1);
    for (int i = 0; i < M * K; i++)
        a[i] = (uint8_t)code_of(E4M3, i * 7 % 11 - 5);
    for (int i = 0; i < N * K; i++)
        b[i] = (uint8_t)code_of(E5M2, i * 5 % 7 - 3);
    EXPECT(multiply(3, 0), 0);
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++)
            sum += (float)(value_of(E4M3, a[i % M * K + k]) * value_of(E5M2, b[i / M * K + k]));
        sum *= 3 * rows[i % M] * columns[i / M];
        const float got = type_d == F32 ? ((float *)d)[i] : value_of_bfloat(((uint16_t *)d)[i]);
        EXPECT(fabsf(got - sum) <= (type_d == F32 ? 0 : fabsf(sum) / 256), 1);
    }
    const float *none = NULL;
    set(SCALE_A, &none, sizeof none);
    EXPECT(multiply(3, 0), 7);
    end();
    EXPECT(cudaFree(rows), 0);
    EXPECT(cudaFree(columns), 0);
}

static void test_refused(void)
{
    static const int types[][4] = {{E5M2, E5M2, BF16, BF16}, {E4M3, E4M3, BF16, E5M2},
                                   {E4M3, E4M3, BF16, F16},  {E4M3, E4M3, F32, BF16},
                                   {E4M3, F16, F16, F16},    {E4M3, E4M3, E4M3, E4M3}};
    const int plain = 0, transposed = 1, outer = 3;
    const float *scale = scales, *none = NULL;
    capture_stderr();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        begin(types[i][0], types[i][1], types[i][2], types[i][3]);
        EXPECT(multiply(1, 0), 15);
        end();
    }
    begin(E4M3, E4M3, BF16, BF16);
    set(OP_A, &plain, sizeof plain);
    EXPECT(multiply(1, 0), 7);
    set(OP_A, &transposed, sizeof transposed);
    set(OP_B, &transposed, sizeof transposed);
    EXPECT(multiply(1, 0), 7);
    set(OP_B, &plain, sizeof plain);
    set(SCALE_A + 3, &scale, sizeof scale);
    EXPECT(multiply(1, 0), 7);
    set(SCALE_A + 3, &none, sizeof none);
    EXPECT(multiply(1, 0), 0);
    scale++; /* no multiple of 16 bytes any more */
    set(SCALE_A, &scale, sizeof scale);
    EXPECT(multiply(1, 0), 15);
    set(SCALE_A, &none, sizeof none);
    a++;
    EXPECT(multiply(1, 0), 15);
    a--;
    EXPECT_TEXT(captured_stderr(), "");
    capture_stderr();
    set(SCALE_MODE_A, &outer, sizeof outer);
    EXPECT(multiply(1, 0), 15);
    EXPECT_TEXT(captured_stderr(),
                "warplens: cublasLtMatmul (cuBLASLt) of 8-bit floating-point numbers with this "
                "epilogue or scales of blocks is not supported by the simulated GPU and "
                "returned an error\n");
    end();
}

int main(int count, char **arguments)
{
    (void)arguments;
    EXPECT(cublasLtCreate(&handle), 0);
    EXPECT(cublasLtMatmulPreferenceCreate(&preference), 0);
    a = managed(M * K), b = managed(N * K), c = managed(M * N * sizeof(float));
    d = managed(M * N * sizeof(float)), bias = managed(M * sizeof *bias);
    scales = managed(16 * sizeof *scales), largest = managed(sizeof *largest);
    memset(a, 0, M * K);
    memset(b, 0, N * K);
    if (count > 1) {
        begin(E4M3, E4M3, BF16, BF16);
        EXPECT(multiply(1, 0), 15);
        end();
        return failures != 0;
    }
    test_rounding(E4M3, E4M3);
    test_rounding(E5M2, E4M3);
    test_rounding(E5M2, E5M2);
    test_product(E4M3, E4M3, E4M3);
    test_product(E4M3, E5M2, E5M2);
    test_product(E5M2, E4M3, BF16);
    test_product(E4M3, E4M3, F32);
    test_vectors(F32);
    test_vectors(BF16);
    test_refused();
    EXPECT(cublasLtDestroy(handle), 0);
    return failures != 0;
}
