/* Products and sums of narrow formats of the stand-in for cuBLAS against plain loops. */
#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);
int cublasHgemm(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
int cublasDotEx(void *handle, int n, const void *x, int type_x, int incx, const void *y, int type_y,
                int incy, void *result, int type_result, int type_execution);

enum { F32 = 0, F64 = 1, F16 = 2, S8 = 3, S32 = 10, BF16 = 14 };
enum { COMPUTE_F16 = 64, COMPUTE_F32 = 68, COMPUTE_F64 = 70, COMPUTE_S32 = 72 };
enum { EDGE = 40 }; /* leading dimension of everything */

static void *handle;
static double a[2 * EDGE * EDGE], b[2 * EDGE * EDGE], c[2 * EDGE * EDGE];
static void *device_a, *device_b, *device_c;

/* Small whole numbers, which all formats hold. */
static uint16_t half_of(double value)
{
    int exponent = 0;
    double magnitude = value < 0 ? -value : value;
    if (value == 0)
        return 0;
    for (; magnitude >= 2; magnitude /= 2)
        exponent++;
    return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 15) << 10 |
                      (int)((magnitude - 1) * 1024));
}

static double value_of_half(uint16_t bits)
{
    double value = (bits & 1023) / 1024.0 + 1;
    for (int exponent = (bits >> 10 & 31) - 15; exponent > 0; exponent--)
        value *= 2;
    return (bits & 0x7fff) == 0 ? 0 : bits & 0x8000 ? -value : value;
}

static size_t write_value(int type, double value, void *to)
{
    union {
        float f32;
        double f64;
        int32_t s32;
        int8_t s8;
        uint16_t half;
        uint8_t bytes[8];
    } place = {0};
    size_t bytes = type == F64 ? 8 : type == S8 ? 1 : type == F16 || type == BF16 ? 2 : 4;
    size_t from = type == BF16 ? 2 : 0; /* the upper half of single precision */
    if (type == F64)
        place.f64 = value;
    else if (type == S8)
        place.s8 = (int8_t)value;
    else if (type == S32)
        place.s32 = (int32_t)value;
    else if (type == F16)
        place.half = half_of(value);
    else
        place.f32 = (float)value;
    memcpy(to, place.bytes + from, bytes);
    return bytes;
}

static double read_value(int type, const void *from)
{
    float f32 = 0;
    double f64;
    int32_t s32;
    uint16_t half;
    memcpy(&half, from, sizeof half);
    switch (type) {
    case F64:
        memcpy(&f64, from, sizeof f64);
        return f64;
    case S32:
        memcpy(&s32, from, sizeof s32);
        return s32;
    case F16:
        return value_of_half(half);
    case BF16:
        memcpy((char *)&f32 + 2, from, 2);
        return (double)f32;
    default:
        memcpy(&f32, from, sizeof f32);
        return (double)f32;
    }
}

static size_t upload(const double *values, int type, void *to)
{
    static uint8_t bytes[2 * EDGE * EDGE * 8];
    size_t used = 0, element = 0;
    for (size_t i = 0; i < 2 * EDGE * EDGE; i++)
        used += element = write_value(type, values[i], bytes + used);
    EXPECT(cudaMemcpy(to, bytes, used, HOST_TO_DEVICE), 0);
    return element;
}

static double reference(int op_a, int op_b, int k, int row, int column)
{
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += (op_a ? a[i + row * EDGE] : a[row + i * EDGE]) *
               (op_b ? b[column + i * EDGE] : b[i + column * EDGE]);
    return sum;
}

/* m x n elements in the first matrix of got. */
static void check(const char *what, int op_a, int op_b, int m, int n, int k, double alpha,
                  double beta, int type)
{
    static uint8_t got[2 * EDGE * EDGE * 8];
    size_t element = type == F64 ? 8 : type == F16 || type == BF16 ? 2 : 4;
    int wrong = 0;
    EXPECT(cudaMemcpy(got, device_c, EDGE * EDGE * element, DEVICE_TO_HOST), 0);
    for (int column = 0; column < EDGE; column++)
        for (int row = 0; row < EDGE; row++) {
            double want = c[row + column * EDGE];
            if (row < m && column < n)
                want = alpha * reference(op_a, op_b, k, row, column) + beta * want;
            wrong += read_value(type, got + (size_t)(row + column * EDGE) * element) != want;
        }
    if (wrong)
        fprintf(stderr, "%s, op %d %d, %d x %d x %d: %d wrong\n", what, op_a, op_b, m, n, k, wrong);
    failures += wrong != 0;
}

static void multiply(int factor, int result, int compute, int scale)
{
    uint8_t alpha[8], beta[8];
    char what[64];
    snprintf(what, sizeof what, "types %d to %d", factor, result);
    write_value(scale, 2, alpha);
    write_value(scale, -1, beta);
    upload(a, factor, device_a);
    upload(b, factor, device_b);
    for (int op_a = 0; op_a < 2; op_a++)
        for (int op_b = 0; op_b < 2; op_b++) {
            upload(c, result, device_c);
            EXPECT(cublasGemmEx(handle, op_a, op_b, 33, 18, 13, alpha, device_a, factor, EDGE,
                                device_b, factor, EDGE, beta, device_c, result, EDGE, compute, -1),
                   0);
            check(what, op_a, op_b, 33, 18, 13, 2, -1, result);
        }
}

static void use_batches(void)
{
    float one = 1, zero = 0, got = 0;
    const long long stride = EDGE * EDGE;
    size_t bytes = upload(a, BF16, device_a);
    upload(b, BF16, device_b);
    upload(c, F32, device_c);
    EXPECT(bytes, 2);
    EXPECT(cublasGemmStridedBatchedEx(handle, 0, 0, 1, 1, 5, &one, device_a, BF16, EDGE, stride,
                                      device_b, BF16, EDGE, stride, &zero, device_c, F32, EDGE,
                                      stride, 2, COMPUTE_F32, 0),
           0);
    double want = 0;
    for (int i = 0; i < 5; i++)
        want += a[stride + i * EDGE] * b[stride + i];
    EXPECT(cudaMemcpy(&got, (float *)device_c + stride, sizeof got, DEVICE_TO_HOST), 0);
    EXPECT(got == (float)want, 1);
}

static void refuse(void)
{
    float one = 1;
    EXPECT(cublasGemmEx(handle, 0, 0, 4, 4, 4, &one, device_a, F16, EDGE, device_b, BF16, EDGE,
                        &one, device_c, F16, EDGE, COMPUTE_F32, 0),
           15);
    EXPECT(cublasGemmEx(handle, 0, 0, 4, 4, 4, &one, device_a, S8, EDGE, device_b, S8, EDGE, &one,
                        device_c, S8, EDGE, COMPUTE_S32, 0),
           15);
    EXPECT(cublasGemmEx(handle, 0, 0, 4, 4, 4, &one, device_a, F16, 3, device_b, F16, EDGE, &one,
                        device_c, F16, EDGE, COMPUTE_F32, 0),
           7);
    EXPECT(cublasGemmEx(handle, 0, 0, 4, 4, 4, NULL, device_a, F16, EDGE, device_b, F16, EDGE, &one,
                        device_c, F16, EDGE, COMPUTE_F32, 0),
           7);
    EXPECT(cublasGemmEx(NULL, 0, 0, 4, 4, 4, &one, device_a, F16, EDGE, device_b, F16, EDGE, &one,
                        device_c, F16, EDGE, COMPUTE_F32, 0),
           1);
}

int main(void)
{
    uint16_t half_one = 0x3c00, half_zero = 0, sum = 0;
    float single = 0;
    for (unsigned i = 0; i < 2 * EDGE * EDGE; i++) {
        a[i] = (double)(int)(i * 2654435761u >> 13 & 15) - 8;
        b[i] = (double)(int)(i * 2246822519u >> 11 & 15) - 8;
        c[i] = (double)(int)(i * 3266489917u >> 17 & 15) - 8;
    }
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaMalloc(&device_a, sizeof a), 0);
    EXPECT(cudaMalloc(&device_b, sizeof b), 0);
    EXPECT(cudaMalloc(&device_c, sizeof c), 0);
    multiply(F16, F16, COMPUTE_F16, F16);
    multiply(F16, F16, COMPUTE_F32, F32);
    multiply(F16, F32, COMPUTE_F32, F32);
    multiply(BF16, F32, COMPUTE_F32, F32);
    multiply(S8, S32, COMPUTE_S32, S32);
    multiply(S8, F32, COMPUTE_F32, F32);
    multiply(F32, F32, COMPUTE_F32, F32);
    multiply(F64, F64, COMPUTE_F64, F64);
    upload(a, F16, device_a);
    upload(b, F16, device_b);
    upload(c, F16, device_c);
    EXPECT(cublasHgemm(handle, 1, 0, 20, 20, 20, &half_one, device_a, EDGE, device_b, EDGE,
                       &half_zero, device_c, EDGE),
           0);
    check("half", 1, 0, 20, 20, 20, 1, 0, F16);
    /* a . b of every second element of 20; what bfloat does not hold is rounded */
    double want = 0;
    for (int i = 0; i < 20; i++)
        want += a[2 * i] * b[i];
    EXPECT(cublasDotEx(handle, 20, device_a, F16, 2, device_b, F16, 1, &sum, F16, F32), 0);
    EXPECT(value_of_half(sum) == want, 1);
    EXPECT(cublasDotEx(handle, 20, device_a, F16, 1, device_b, F32, 1, &single, F32, F32), 15);
    use_batches();
    refuse();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures > 0;
}
