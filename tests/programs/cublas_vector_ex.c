/* cuBLAS's calls on vectors that name their types, its copies that do not wait and what it says of
 * itself, against what is computed here. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "runtime.h"

typedef double complex number;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasAxpyEx(void *handle, int n, const void *alpha, int type_alpha, const void *x, int type_x,
                 int incx, void *y, int type_y, int incy, int execution);
int cublasScalEx(void *handle, int n, const void *alpha, int type_alpha, void *x, int type_x,
                 int incx, int execution);
int cublasScalEx_64(void *handle, int64_t n, const void *alpha, int type_alpha, void *x, int type_x,
                    int64_t incx, int execution);
typedef int sum_call(void *handle, int n, const void *x, int type_x, int incx, void *result,
                     int type_result, int execution);
typedef int move_call(void *handle, int n, const void *x, int type_x, int incx, void *y, int type_y,
                      int incy);
typedef int search_call(void *handle, int n, const void *x, int type, int incx, int *result);
sum_call cublasNrm2Ex, cublasAsumEx;
move_call cublasCopyEx, cublasSwapEx;
search_call cublasIamaxEx, cublasIaminEx;
int cublasIamaxEx_64(void *handle, int64_t n, const void *x, int type, int64_t incx,
                     int64_t *result);
int cublasRotEx(void *handle, int n, void *x, int type_x, int incx, void *y, int type_y, int incy,
                const void *c, const void *s, int type_scalars, int execution);
int cublasRotmEx(void *handle, int n, void *x, int type_x, int incx, void *y, int type_y, int incy,
                 const void *plane, int type_plane, int execution);
int cublasRotgEx(void *handle, void *a, void *b, int type, void *c, void *s, int type_scalars,
                 int execution);
int cublasRotmgEx(void *handle, void *d1, int type_d1, void *d2, int type_d2, void *x1, int type_x1,
                  const void *y1, int type_y1, void *plane, int type_plane, int execution);
int cublasGetProperty(int property, int *value);
int cublasGetVersion_v2(void *handle, int *version);
int cublasGetVersion(int *version);
size_t cublasGetCudartVersion(void);
int cublasSetSmCountTarget(void *handle, int count);
int cublasGetSmCountTarget(void *handle, int *count);
typedef void log_callback(const char *text);
int cublasSetLoggerCallback(log_callback *callback);
int cublasGetLoggerCallback(log_callback **callback);
int cublasLoggerConfigure(int is_on, int to_output, int to_errors, const char *file);
typedef int copy_vector_call(int n, int bytes, const void *from, int step, void *to, int to_step,
                             void *stream);
typedef int copy_matrix_call(int rows, int columns, int bytes, const void *from, int leading,
                             void *to, int to_leading, void *stream);
copy_vector_call cublasSetVectorAsync, cublasGetVectorAsync;
copy_matrix_call cublasSetMatrixAsync, cublasGetMatrixAsync;

enum { N = 300, INCX = 2, INCY = -1, INVALID = 7, MAPPING_ERROR = 11, NOT_SUPPORTED = 15 };
enum { F32 = 0, F64 = 1, F16 = 2, C32 = 4, C64 = 5, S8 = 3, BF16 = 14 };

static const struct type {
    int type, execution, part, part_execution, bytes;
    double tolerance;
} types[] = {{F32, F32, F32, F32, 4, 1e-6},    {F64, F64, F64, F64, 8, 1e-14},
             {C32, C32, F32, F32, 8, 1e-6},    {C64, C64, F64, F64, 16, 1e-14},
             {F16, F32, F16, F32, 2, 0x1p-11}, {BF16, F32, BF16, F32, 2, 0x1p-8}};
static const struct type *type;
static void *handle, *x, *y;
static number was_x[N], was_y[N];

static int is_complex(int of)
{
    return of == C32 || of == C64;
}

/* A half of no subnormal, from its bits. */
static double of_half(uint16_t bits)
{
    const double size = ldexp(1 + (bits & 1023) / 1024.0, (bits >> 10 & 31) - 15);
    return (bits & 0x7fff) == 0 ? 0 : bits & 0x8000 ? -size : size;
}

static number get(int of, const void *from, int i)
{
    const uint16_t *narrow = from;
    const float *single = from;
    const double *wide = from;
    const uint32_t bits = of == BF16 ? (uint32_t)narrow[i] << 16 : 0;
    float value;
    memcpy(&value, &bits, sizeof value);
    return of == F16    ? of_half(narrow[i])
           : of == BF16 ? value
           : of == F32  ? single[i]
           : of == F64  ? wide[i]
           : of == C32  ? (double)single[2 * i] + (double)single[2 * i + 1] * I
                        : wide[2 * i] + wide[2 * i + 1] * I;
}

/* What needs no rounding. */
static void put(int of, void *to, int i, number value)
{
    const float narrow = (float)creal(value);
    uint32_t bits;
    int exponent;
    const double fraction = frexp(fabs(creal(value)), &exponent);
    memcpy(&bits, &narrow, sizeof bits);
    if (of == F16)
        ((uint16_t *)to)[i] =
            (uint16_t)((fraction == 0 ? 0
                                      : (exponent + 14) << 10 | ((int)(fraction * 2048) & 1023)) |
                       (creal(value) < 0 ? 0x8000 : 0));
    else if (of == BF16)
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
    else if (of == F32)
        ((float *)to)[i] = narrow;
    else if (of == F64)
        ((double *)to)[i] = creal(value);
    else if (of == C32)
        ((float complex *)to)[i] = (float complex)value;
    else
        ((number *)to)[i] = value;
}

static void fill(void)
{
    for (int i = 0; i < N; i++) {
        const number imaginary = is_complex(type->type) ? I : 0;
        was_x[i] = (i * 7 % 23 - 11) / 4.0 + (i % 5) * imaginary;
        was_y[i] = (i * 5 % 19 - 9) / 4.0 + (i % 3) * imaginary;
        put(type->type, x, i * INCX, was_x[i]);
        put(type->type, x, i * INCX + 1, 31);
        put(type->type, y, N - 1 - i, was_y[i]);
    }
}

static int is_near(number got, number right, double tolerance)
{
    return cabs(got - right) <= tolerance * (1 + cabs(right));
}

/* By columns: what x and y become. */
static int count_wrong(const number by[4])
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        const number a = by[0] * was_x[i] + by[2] * was_y[i],
                     b = by[1] * was_x[i] + by[3] * was_y[i];
        wrong += !is_near(get(type->type, x, i * INCX), a, 4 * type->tolerance) ||
                 !is_near(get(type->type, y, N - 1 - i), b, 4 * type->tolerance) ||
                 get(type->type, x, i * INCX + 1) != 31;
    }
    return wrong;
}

static void change(void)
{
    const int t = type->type, e = type->execution;
    double factor[2], one[2];
    const number alpha = is_complex(t) ? 1.5 - 0.5 * I : 1.5;
    put(e, factor, 0, alpha);
    put(e, one, 0, 1);
    fill();
    EXPECT(cublasAxpyEx(handle, N, factor, e, x, t, INCX, y, t, INCY, e), 0);
    EXPECT(count_wrong((number[]){1, alpha, 0, 1}), 0);
    fill();
    EXPECT(cublasScalEx(handle, N, factor, e, x, t, INCX, e), 0);
    EXPECT(count_wrong((number[]){alpha, 0, 0, 1}), 0);
    EXPECT(cublasScalEx(handle, N, factor, e, x, t, -1, e), 0);
    EXPECT(cublasScalEx_64(handle, N, one, e, x, t, INCX, e), 0);
    EXPECT(count_wrong((number[]){alpha, 0, 0, 1}), 0);
    fill();
    EXPECT(cublasCopyEx(handle, N, x, t, INCX, y, t, INCY), 0);
    EXPECT(count_wrong((number[]){1, 1, 0, 0}), 0);
    fill();
    EXPECT(cublasSwapEx(handle, N, x, t, INCX, y, t, INCY), 0);
    EXPECT(count_wrong((number[]){0, 1, 1, 0}), 0);
}

static void rotate(void)
{
    const int t = type->type, e = type->execution, p = type->part;
    double c[2], s[2], plane[5];
    fill();
    put(p, c, 0, 0.75);
    put(p, s, 0, 0.5);
    EXPECT(cublasRotEx(handle, N, x, t, INCX, y, t, INCY, c, s, p, e), 0);
    EXPECT(count_wrong((number[]){0.75, -0.5, 0.5, 0.75}), 0);
    if (is_complex(t)) {
        fill();
        put(t, c, 0, 0.75);
        put(t, s, 0, 0.5 + 0.25 * I);
        EXPECT(cublasRotEx(handle, N, x, t, INCX, y, t, INCY, c, s, t, e), 0);
        EXPECT(count_wrong((number[]){0.75, -0.5 + 0.25 * I, 0.5 + 0.25 * I, 0.75}), 0);
        EXPECT(cublasRotmEx(handle, N, x, t, INCX, y, t, INCY, plane, t, e), NOT_SUPPORTED);
        return;
    }
    for (int flag = -2; flag < 2; flag++) {
        const number by[] = {flag == -2 || flag == 0 ? 1 : 0.5,
                             flag == -2  ? 0
                             : flag == 1 ? -1
                                         : 0.25,
                             flag == -2  ? 0
                             : flag == 1 ? 1
                                         : -0.75,
                             flag == -2 || flag == 0 ? 1 : 1.5};
        fill();
        put(t, plane, 0, flag);
        put(t, plane, 1, 0.5), put(t, plane, 2, 0.25), put(t, plane, 3, -0.75);
        put(t, plane, 4, 1.5);
        EXPECT(cublasRotmEx(handle, N, x, t, INCX, y, t, INCY, plane, t, e), 0);
        EXPECT(count_wrong(by), 0);
    }
}

static void reduce(void)
{
    const int t = type->type, e = type->execution, p = type->part, q = type->part_execution;
    double squares = 0, sizes = 0, most = 0, least = 100, result[2] = {9, 9};
    int largest = 0, smallest = 0, place = 0;
    int64_t wide = -1;
    fill();
    for (int i = 0; i < N; i++) {
        const double size = fabs(creal(was_x[i])) + fabs(cimag(was_x[i]));
        squares += creal(was_x[i]) * creal(was_x[i]) + cimag(was_x[i]) * cimag(was_x[i]);
        sizes += size;
        if (size > most)
            most = size, largest = i + 1;
        if (size < least)
            least = size, smallest = i + 1;
    }
    EXPECT(cublasNrm2Ex(handle, N, x, t, INCX, result, p, q), 0);
    EXPECT(is_near(get(p, result, 0), sqrt(squares), type->tolerance), 1);
    EXPECT(cublasAsumEx(handle, N, x, t, INCX, result, q, e), 0);
    EXPECT(is_near(get(q, result, 0), sizes, 1e-6), 1);
    EXPECT(cublasIamaxEx(handle, N, x, t, INCX, &place), 0);
    EXPECT(place, largest);
    EXPECT(cublasIaminEx(handle, N, x, t, INCX, &place), 0);
    EXPECT(place, smallest);
    EXPECT(cublasIamaxEx_64(handle, N, x, t, INCX, &wide), 0);
    EXPECT(wide, largest);
    EXPECT(cublasIamaxEx(handle, 0, x, t, INCX, &place), 0);
    EXPECT(place, 0);
    EXPECT(cublasNrm2Ex(handle, 2, x, t, -1, result, p, q), 0);
    EXPECT(get(p, result, 0) == 0, 1);
    EXPECT(cublasIaminEx(handle, N, x, t, INCX, NULL), INVALID);
}

static void make(void)
{
    const int t = type->type, e = type->execution;
    double a[2], b[2], c[2], s[2], d1[2], d2[2], x1[2], y1[2], plane[5] = {0};
    if (is_complex(t)) {
        EXPECT(cublasRotgEx(handle, a, b, t, c, s, t, e), NOT_SUPPORTED);
        return;
    }
    put(t, a, 0, 3), put(t, b, 0, 4), put(t, c, 0, 0), put(t, s, 0, 0);
    EXPECT(cublasRotgEx(handle, a, b, t, c, s, t, e), 0);
    EXPECT(is_near(get(t, a, 0), 5, 0), 1);
    EXPECT(is_near(get(t, b, 0), 1 / 0.6, type->tolerance), 1);
    EXPECT(is_near(get(t, c, 0), 0.6, type->tolerance), 1);
    EXPECT(is_near(get(t, s, 0), 0.8, type->tolerance), 1);
    EXPECT(cublasRotgEx(handle, a, NULL, t, c, s, t, e), INVALID);
    put(t, d1, 0, 2), put(t, d2, 0, 3), put(t, x1, 0, 1.5), put(t, y1, 0, 0.5);
    EXPECT(cublasRotmgEx(handle, d1, t, d2, t, x1, t, y1, t, plane, t, e), 0);
    EXPECT(is_near(get(t, d1, 0), 12 / 7.0, type->tolerance), 1);
    EXPECT(is_near(get(t, d2, 0), 18 / 7.0, type->tolerance), 1);
    EXPECT(is_near(get(t, x1, 0), 1.75, 0), 1);
    EXPECT(is_near(get(t, plane, 0), 0, 0), 1);
    EXPECT(is_near(get(t, plane, 2), -1 / 3.0, type->tolerance), 1);
    EXPECT(is_near(get(t, plane, 3), 0.5, 0), 1);
}

static void refuse(void)
{
    const int t = type->type, e = type->execution, other = t == F64 ? F32 : F64;
    double one[2] = {1, 0};
    EXPECT(cublasAxpyEx(NULL, N, one, e, x, t, 1, y, t, 1, e), 1);
    EXPECT(cublasAxpyEx(handle, 0, one, e, x, t, 1, y, S8, 1, e), NOT_SUPPORTED);
    EXPECT(cublasAxpyEx(handle, N, one, 99, x, t, 1, y, t, 1, e), INVALID);
    EXPECT(cublasAxpyEx(handle, N, NULL, e, x, t, 1, y, t, 1, e), INVALID);
    EXPECT(cublasScalEx(handle, N, one, other, x, t, 1, e), NOT_SUPPORTED);
    EXPECT(cublasCopyEx(handle, N, x, t, 1, y, other, 1), NOT_SUPPORTED);
    EXPECT(cublasSwapEx(handle, N, x, S8, 1, y, S8, 1), NOT_SUPPORTED);
    EXPECT(cublasNrm2Ex(handle, N, x, t, 1, one, other, e), NOT_SUPPORTED);
    EXPECT(cublasAsumEx(handle, N, x, t, 1, one, type->part_execution, other), NOT_SUPPORTED);
    EXPECT(cublasRotEx(handle, N, x, t, 1, y, t, 1, one, one, S8, e), NOT_SUPPORTED);
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cublasAxpyEx(handle, N, one, e, x, t, 1, y, t, 1, e), INVALID); /* the host's */
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
}

/* Halves at the ends of their range, by their bits. */
static void round_halves(void)
{
    static const struct {
        float factor;
        uint16_t bits;
    } cases[] = {{1024, 0x6400}, {65519, 0x7bff},     {65520, 0x7c00}, {-70000, 0xfc00},
                 {0x1p-24f, 1},  {0x1p-26f, 0},       {2049, 0x6800},  {2051, 0x6802},
                 {0x3p-25f, 2},  {1.0009766F, 0x3c01}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(F16, x, 0, 1);
        EXPECT(cublasScalEx(handle, 1, &cases[i].factor, F32, x, F16, 1, F32), 0);
        EXPECT(*(uint16_t *)x, cases[i].bits);
    }
}

static void copy(void)
{
    const float from[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float back[8] = {0}, *device = y;
    EXPECT(cublasSetVectorAsync(4, 4, from, 2, device, 1, NULL), 0);
    EXPECT(cublasGetVectorAsync(4, 4, device, 1, back, 2, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(device[3] == 7 && back[6] == 7 && back[1] == 0, 1);
    EXPECT(cublasSetMatrixAsync(2, 2, 4, from, 3, device, 2, NULL), 0);
    EXPECT(cublasGetMatrixAsync(2, 2, 4, device, 2, back, 4, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(device[2] == 4 && device[3] == 5 && back[5] == 5, 1);
    EXPECT(cublasSetVectorAsync(4, 4, from, 0, device, 1, NULL), INVALID);
    EXPECT(cublasSetVectorAsync(4, 0, from, 1, device, 1, NULL), INVALID);
    EXPECT(cublasSetVectorAsync(-1, 4, from, 1, device, 1, NULL), MAPPING_ERROR);
    EXPECT(cublasSetMatrixAsync(2, 2, 4, from, 1, device, 2, NULL), MAPPING_ERROR);
    EXPECT(cublasGetMatrixAsync(2, -2, 4, device, 3, back, 2, NULL), INVALID);
    EXPECT(cublasGetMatrixAsync(0, 2, 4, device, 3, back, 2, NULL), 0);
}

static void log_it(const char *text)
{
    (void)text;
}

static void describe(void)
{
    int major = 0, minor = -1, patch = -1, version = 0, old = 0, count = -1;
    log_callback *callback = NULL;
    EXPECT(cublasGetProperty(0, &major), 0);
    EXPECT(cublasGetProperty(1, &minor), 0);
    EXPECT(cublasGetProperty(2, &patch), 0);
    EXPECT(cublasGetVersion_v2(handle, &version), 0);
    EXPECT(cublasGetVersion(&old), 0);
    EXPECT(version, major * 10000 + minor * 100 + patch);
    EXPECT(old, version);
    EXPECT(cublasGetProperty(3, &major), INVALID);
    EXPECT(cublasGetProperty(0, NULL), INVALID);
    EXPECT(cublasGetCudartVersion() / 1000, version / 10000);
    EXPECT(cublasGetSmCountTarget(handle, &count), 0);
    EXPECT(count, 0);
    EXPECT(cublasSetSmCountTarget(handle, 8), 0);
    EXPECT(cublasGetSmCountTarget(handle, &count), 0);
    EXPECT(count, 8);
    EXPECT(cublasSetSmCountTarget(handle, -1), INVALID);
    EXPECT(cublasSetSmCountTarget(handle, 100000), INVALID);
    EXPECT(cublasSetSmCountTarget(NULL, 8), 1);
    EXPECT(cublasGetSmCountTarget(handle, NULL), INVALID);
    EXPECT(cublasSetLoggerCallback(log_it), 0);
    EXPECT(cublasGetLoggerCallback(&callback), 0);
    EXPECT(callback == log_it, 1);
    EXPECT(cublasGetLoggerCallback(NULL), INVALID);
    EXPECT(cublasLoggerConfigure(0, 0, 0, NULL), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaMallocManaged(&x, N * INCX * sizeof(number), 1), 0);
    EXPECT(cudaMallocManaged(&y, N * sizeof(number), 1), 0);
    for (type = types; type < types + sizeof types / sizeof *types; type++) {
        change();
        rotate();
        reduce();
        make();
        refuse();
    }
    round_halves();
    copy();
    describe();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
