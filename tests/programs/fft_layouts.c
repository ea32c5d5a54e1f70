/* cuFFT's layouts, types and questions: transforms compared with sums by definition. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cufftCreate(int *plan);
int cufftDestroy(int plan);
int cufftPlanMany(int *plan, int rank, int *n, int *in_size, int in_stride, int in_distance,
                  int *out_size, int out_stride, int out_distance, int type, int count);
int cufftPlan3d(int *plan, int nx, int ny, int nz, int type);
int cufftMakePlan1d(int plan, int nx, int type, int count, size_t *bytes);
int cufftMakePlanMany64(int plan, int rank, long long *n, long long *in_size, long long in_stride,
                        long long in_distance, long long *out_size, long long out_stride,
                        long long out_distance, int type, long long count, size_t *bytes);
int cufftXtMakePlanMany(int plan, int rank, long long *n, long long *in_size, long long in_stride,
                        long long in_distance, int in_type, long long *out_size,
                        long long out_stride, long long out_distance, int out_type, long long count,
                        size_t *bytes, int compute);
int cufftXtGetSizeMany(int plan, int rank, long long *n, long long *in_size, long long in_stride,
                       long long in_distance, int in_type, long long *out_size,
                       long long out_stride, long long out_distance, int out_type, long long count,
                       size_t *bytes, int compute);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);
int cufftXtExec(int plan, void *in, void *out, int direction);
int cufftEstimate1d(int nx, int type, int count, size_t *bytes);
int cufftEstimate2d(int nx, int ny, int type, size_t *bytes);
int cufftEstimate3d(int nx, int ny, int nz, int type, size_t *bytes);
int cufftEstimateMany(int rank, int *n, int *in_size, int in_stride, int in_distance, int *out_size,
                      int out_stride, int out_distance, int type, int count, size_t *bytes);
int cufftGetSize(int plan, size_t *bytes);
int cufftGetSize1d(int plan, int nx, int type, int count, size_t *bytes);
int cufftGetSize2d(int plan, int nx, int ny, int type, size_t *bytes);
int cufftGetSize3d(int plan, int nx, int ny, int nz, int type, size_t *bytes);
int cufftGetSizeMany(int plan, int rank, int *n, int *in_size, int in_stride, int in_distance,
                     int *out_size, int out_stride, int out_distance, int type, int count,
                     size_t *bytes);
int cufftGetProperty(int type, int *value);
int cufftSetPlanPropertyInt64(int plan, int property, long long value);
int cufftGetPlanPropertyInt64(int plan, int property, long long *value);
int cufftResetPlanProperty(int plan, int property);
int cufftXtSetWorkArea(int plan, void **areas);
int cufftXtSetWorkAreaPolicy(int plan, int policy, size_t *bytes);

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
enum { NUMBERS = 2048, UNTOUCHED = 77 };

static double next_number(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1;
}

/* A type of number in memory: double, float, half, bfloat16. */
enum stored { DOUBLE, FLOAT, HALF, BRIEF };

static size_t bytes_of(enum stored stored)
{
    return stored == DOUBLE ? 8 : stored == FLOAT ? 4 : 2;
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static double get(enum stored stored, const void *from, size_t i)
{
    const uint32_t wide = stored == BRIEF ? (uint32_t)((const uint16_t *)from)[i] << 16 : 0;
    float brief;
    memcpy(&brief, &wide, sizeof brief);
    return stored == DOUBLE  ? ((const double *)from)[i]
           : stored == FLOAT ? ((const float *)from)[i]
           : stored == HALF  ? half_value(((const uint16_t *)from)[i])
                             : brief;
}

static void put(enum stored stored, void *to, size_t i, double value)
{
    float brief = (float)value;
    uint32_t bits;
    memcpy(&bits, &brief, sizeof bits);
    if (stored == DOUBLE)
        ((double *)to)[i] = value;
    else if (stored == FLOAT)
        ((float *)to)[i] = brief;
    else if (stored == BRIEF)
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
    else /* cut off, of a magnitude from 2^-14 to 2 */
        ((uint16_t *)to)[i] =
            fabs(value) < 0x1p-14
                ? 0
                : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10)));
}

/* A case: sizes and array sizes from the slowest dimension on. */
struct layout_case {
    int type, rank, n[3], in[3], stride_in, distance_in, out[3], stride_out, distance_out, count;
};

static int product(const int *sizes, int rank)
{
    int all = 1;
    for (int i = 0; i < rank; i++)
        all *= sizes[i];
    return all;
}

static bool is_forwards_real(int type)
{
    return (type & 15) == 10;
}

static bool is_backwards_real(int type)
{
    return (type & 15) == 12;
}

/* Where element `at` (of its coordinates in a transform) lies. */
static int place(const int *embedded, int rank, const int *at, int stride)
{
    int index = 0;
    for (int i = 0; i < rank; i++)
        index = (i ? index * embedded[i] : 0) + at[i];
    return index * stride;
}

static void split(int number, const int *n, int rank, int *at)
{
    for (int i = rank - 1; i >= 0; number /= n[i--])
        at[i] = number % n[i];
}

/* The input's element, of half a spectrum also its other half. */
static void element(const struct layout_case *of, enum stored stored, const void *in, int batch,
                    const int *at, double value[2])
{
    int own[3] = {0};
    const int last = of->rank - 1;
    const bool is_mirrored = is_backwards_real(of->type) && at[last] > of->n[last] / 2;
    for (int i = 0; i < of->rank; i++)
        own[i] = is_mirrored ? (of->n[i] - at[i]) % of->n[i] : at[i];
    const size_t index =
        (size_t)(batch * of->distance_in + place(of->in, of->rank, own, of->stride_in));
    const bool is_real = is_forwards_real(of->type);
    value[0] = get(stored, in, is_real ? index : 2 * index);
    value[1] = is_real ? 0 : get(stored, in, 2 * index + 1);
    if (is_mirrored)
        value[1] = -value[1];
}

/* One element of the result, by definition. */
static void sum_of(const struct layout_case *of, enum stored stored, const void *in, int batch,
                   const int *wanted, double sign, double sum[2])
{
    const int all = product(of->n, of->rank);
    sum[0] = sum[1] = 0;
    for (int number = 0; number < all; number++) {
        double value[2], turns = 0;
        int at[3] = {0};
        split(number, of->n, of->rank, at);
        for (int i = 0; i < of->rank; i++)
            turns += (double)(at[i] * wanted[i] % of->n[i]) / of->n[i];
        element(of, stored, in, batch, at, value);
        const double angle = sign * 2 * 3.14159265358979323846 * turns;
        sum[0] += value[0] * cos(angle) - value[1] * sin(angle);
        sum[1] += value[0] * sin(angle) + value[1] * cos(angle);
    }
}

static void compare(const struct layout_case *of, enum stored stored, const void *in,
                    const void *out, double sign, double tolerance)
{
    const int all = product(of->n, of->rank), last = of->rank - 1;
    int bad = 0, touched = 0, untouched = 0;
    for (int batch = 0; batch < of->count; batch++)
        for (int number = 0; number < all; number++) {
            double sum[2];
            int at[3] = {0};
            split(number, of->n, of->rank, at);
            if (is_forwards_real(of->type) && at[last] > of->n[last] / 2)
                continue;
            sum_of(of, stored, in, batch, at, sign, sum);
            const size_t index =
                (size_t)(batch * of->distance_out + place(of->out, of->rank, at, of->stride_out));
            const bool is_real = is_backwards_real(of->type);
            touched += is_real ? 1 : 2;
            bad += !(fabs(get(stored, out, is_real ? index : 2 * index) - sum[0]) < tolerance);
            bad += !is_real && !(fabs(get(stored, out, 2 * index + 1) - sum[1]) < tolerance);
        }
    for (size_t i = 0; i < NUMBERS; i++)
        untouched += get(stored, out, i) == UNTOUCHED;
    EXPECT(bad, 0);
    EXPECT(untouched, NUMBERS - touched);
}

/* A plan's transform of random numbers, written where all is UNTOUCHED before. */
static void check_plan(int plan, const struct layout_case *of, enum stored stored, int direction,
                       double tolerance)
{
    const size_t bytes = NUMBERS * bytes_of(stored);
    void *in = malloc(bytes), *out = malloc(bytes), *from = NULL, *to = NULL;
    for (size_t i = 0; i < NUMBERS; i++) {
        put(stored, in, i, next_number());
        put(stored, out, i, 1);
        if (stored == HALF)
            ((uint16_t *)out)[i] = 0x54d0; /* UNTOUCHED */
        else
            put(stored, out, i, UNTOUCHED);
    }
    EXPECT(cudaMalloc(&from, bytes), 0);
    EXPECT(cudaMalloc(&to, bytes), 0);
    EXPECT(cudaMemcpy(from, in, bytes, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy(to, out, bytes, HOST_TO_DEVICE), 0);
    EXPECT(cufftXtExec(plan, from, to, direction), 0);
    EXPECT(cudaMemcpy(out, to, bytes, DEVICE_TO_HOST), 0);
    compare(of, stored, in, out, direction, tolerance);
    EXPECT(cudaFree(from), 0);
    EXPECT(cudaFree(to), 0);
    free(in);
    free(out);
}

static void test_layouts(void)
{
    static const struct layout_case cases[] = {
        {C2C, 1, {12}, {12}, 3, 40, {12}, 2, 30, 3},
        {C2C, 1, {7}, {7}, 3, 1, {7}, 3, 1, 3},
        {Z2Z, 2, {3, 4}, {5, 6}, 2, 65, {4, 5}, 3, 70, 2},
        {R2C, 2, {3, 4}, {3, 6}, 2, 40, {3, 5}, 1, 17, 2},
        {Z2D, 2, {3, 5}, {3, 4}, 1, 17, {3, 6}, 2, 40, 2},
        {D2Z, 3, {2, 3, 4}, {2, 4, 5}, 1, 41, {2, 3, 6}, 2, 73, 2},
        {C2R, 3, {2, 3, 4}, {2, 4, 5}, 1, 41, {2, 5, 6}, 2, 130, 2},
        {C2C, 3, {2, 3, 4}, {9, 4, 5}, 1, 41, {9, 3, 6}, 2, 73, 2},
        {C2C, 1, {131}, {131}, 2, 1, {131}, 1, 150, 2},
        {Z2Z, 2, {2, 262}, {2, 270}, 1, 545, {2, 262}, 1, 0, 1},
        {Z2Z, 3, {2, 137, 3}, {2, 137, 3}, 1, 0, {2, 137, 3}, 1, 0, 1},
        {R2C, 2, {3, 139}, {3, 150}, 1, 451, {3, 70}, 1, 220, 2},
        {Z2D, 2, {149, 3}, {149, 2}, 1, 400, {149, 4}, 1, 600, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct layout_case of = cases[i];
        const bool is_double = of.type >= Z2Z;
        const int first = is_backwards_real(of.type) ? 1 : -1;
        const double tolerance =
            (is_double ? 1e-14 : 1e-6) * (product(of.n, of.rank) > 100 ? 60 : 20);
        int plan = 0;
        EXPECT(cufftPlanMany(&plan, of.rank, of.n, of.in, of.stride_in, of.distance_in, of.out,
                             of.stride_out, of.distance_out, of.type, of.count),
               0);
        check_plan(plan, &of, is_double ? DOUBLE : FLOAT, first, tolerance);
        if (of.type == C2C || of.type == Z2Z)
            check_plan(plan, &of, is_double ? DOUBLE : FLOAT, 1, tolerance);
        EXPECT(cufftDestroy(plan), 0);
    }
}

/* A length that is prime, of which a sum for each element would take minutes: of one element the
 * roots of 1. */
static void test_prime(void)
{
    enum { COUNT = 100003 };
    double *values = NULL, most = 0;
    int plan = 0;
    EXPECT(cudaMallocManaged((void **)&values, COUNT * 2 * sizeof *values, 1), 0);
    memset(values, 0, COUNT * 2 * sizeof *values);
    values[2] = 1;
    EXPECT(cufftCreate(&plan), 0);
    EXPECT(cufftMakePlan1d(plan, COUNT, Z2Z, 1, NULL), 0);
    EXPECT(cufftXtExec(plan, values, values, -1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int k = 0; k < COUNT; k++) {
        const double angle = -2 * 3.14159265358979323846 * k / COUNT;
        most = fmax(most, fabs(values[2 * k] - cos(angle)));
        most = fmax(most, fabs(values[2 * k + 1] - sin(angle)));
    }
    EXPECT(most < 1e-13, 1);
    EXPECT(cufftDestroy(plan), 0);
    EXPECT(cudaFree(values), 0);
}

/* Types as CUDA numbers them. */
static void test_types(void)
{
    static const struct {
        int in, out, compute, type;
        enum stored stored;
        double tolerance;
    } rows[] = {
        {6, 6, 6, C2C, HALF, 0.02},    {2, 6, 6, R2C, HALF, 0.02},    {6, 2, 6, C2R, HALF, 0.02},
        {15, 15, 15, C2C, BRIEF, 0.1}, {14, 15, 15, R2C, BRIEF, 0.1}, {15, 14, 15, C2R, BRIEF, 0.1},
        {4, 4, 4, C2C, FLOAT, 2e-5},   {0, 4, 4, R2C, FLOAT, 2e-5},   {5, 1, 5, C2R, DOUBLE, 1e-13},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_back = is_backwards_real(rows[i].type);
        const int in = is_back ? 9 : 16, out = is_forwards_real(rows[i].type) ? 9 : 16;
        struct layout_case of = {rows[i].type, 1, {16}, {16}, 1, in, {16}, 1, out, 2};
        long long n = 16;
        size_t bytes = 1;
        int plan = 0;
        EXPECT(cufftCreate(&plan), 0);
        EXPECT(cufftXtGetSizeMany(plan, 1, &n, NULL, 1, 0, rows[i].in, NULL, 1, 0, rows[i].out, 2,
                                  &bytes, rows[i].compute),
               0);
        EXPECT(bytes, 0);
        EXPECT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 0, rows[i].in, NULL, 1, 0, rows[i].out, 2,
                                   &bytes, rows[i].compute),
               0);
        check_plan(plan, &of, rows[i].stored, is_back ? 1 : -1, rows[i].tolerance);
        EXPECT(cufftXtExec(plan, &n, &n, is_back ? -1 : 5), 4);
        EXPECT(cufftDestroy(plan), 0);
    }
    int plan = 0;
    long long n = 12;
    EXPECT(cufftCreate(&plan), 0);
    EXPECT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 0, 6, NULL, 1, 0, 6, 1, NULL, 6), 16);
    EXPECT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 0, 4, NULL, 1, 0, 5, 1, NULL, 5), 3);
    EXPECT(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 0, 4, NULL, 1, 0, 4, 1, NULL, 5), 3);
    EXPECT(cufftMakePlanMany64(plan, 1, &n, NULL, 1, 0, NULL, 1, 0, C2C, 1, NULL), 0);
    EXPECT(cufftDestroy(plan), 0);
}

static void test_sizes(void)
{
    int n[4] = {6, 10, 12, 2}, plan = 0;
    size_t bytes = 1;
    EXPECT(cufftEstimate1d(8, C2C, 1, &bytes), 0);
    EXPECT(bytes, 0);
    EXPECT(cufftEstimate1d(8, C2C, 1, NULL), 4);
    EXPECT(cufftEstimate1d(0, C2C, 1, &bytes), 8);
    EXPECT(cufftEstimate1d(8, C2C, 0, &bytes), 8);
    EXPECT(cufftEstimate1d(8, 5, 1, &bytes), 3);
    EXPECT(cufftEstimate2d(8, -1, Z2Z, &bytes), 8);
    EXPECT(cufftEstimate3d(8, 4, 2, D2Z, &bytes), 0);
    EXPECT(cufftEstimateMany(3, n, NULL, 1, 0, NULL, 1, 0, R2C, 2, &bytes), 0);
    EXPECT(cufftEstimateMany(4, n, NULL, 1, 0, NULL, 1, 0, R2C, 2, &bytes), 4);
    EXPECT(cufftEstimateMany(1, NULL, NULL, 1, 0, NULL, 1, 0, R2C, 2, &bytes), 4);
    EXPECT(cufftEstimateMany(1, n, n, 1, 6, NULL, 1, 0, C2C, 2, &bytes), 4);
    EXPECT(cufftEstimateMany(1, n, n, 0, 6, n, 1, 6, C2C, 2, &bytes), 4);
    EXPECT(cufftEstimateMany(1, n, n, 1, 0, n, 1, 6, C2C, 2, &bytes), 4);
    EXPECT(cufftGetSize1d(999, 8, C2C, 1, &bytes), 1);
    EXPECT(cufftCreate(&plan), 0);
    EXPECT(cufftGetSize(plan, &bytes), 1);
    EXPECT(cufftGetSize1d(plan, 8, C2C, 1, &bytes), 0);
    EXPECT(cufftGetSize2d(plan, 8, 8, 5, &bytes), 3);
    EXPECT(cufftGetSize3d(plan, 8, 8, 8, Z2D, &bytes), 0);
    EXPECT(cufftGetSizeMany(plan, 2, n, NULL, 1, 0, NULL, 1, 0, C2R, 1, &bytes), 0);
    EXPECT(cufftMakePlan1d(plan, 0, C2C, 1, &bytes), 8);
    EXPECT(cufftMakePlan1d(plan, 8, C2C, 1, &bytes), 0);
    EXPECT(cufftMakePlan1d(plan, 8, C2C, 1, &bytes), 1);
    EXPECT(cufftGetSize(plan, &bytes), 0);
    EXPECT(cufftDestroy(plan), 0);
}

static void test_settings(void)
{
    void *areas[1] = {NULL};
    size_t bytes = 512;
    long long value = -1;
    int plan = 0, major = 0;
    EXPECT(cufftGetProperty(0, &major), 0);
    EXPECT(major, 12);
    EXPECT(cufftGetProperty(3, &major), 3);
    EXPECT(cufftGetProperty(0, NULL), 4);
    EXPECT(cufftCreate(&plan), 0);
    EXPECT(cufftXtSetWorkAreaPolicy(plan, 0, &bytes), 1);
    EXPECT(cufftSetPlanPropertyInt64(plan, 1, 3), 0);
    EXPECT(cufftGetPlanPropertyInt64(plan, 1, &value), 0);
    EXPECT(value, 1);
    EXPECT(cufftResetPlanProperty(plan, 1), 0);
    EXPECT(cufftGetPlanPropertyInt64(plan, 1, &value), 0);
    EXPECT(value, 0);
    EXPECT(cufftSetPlanPropertyInt64(plan, 2, 1), 16);
    EXPECT(cufftSetPlanPropertyInt64(plan, 3, 1), 4);
    EXPECT(cufftGetPlanPropertyInt64(999, 1, &value), 1);
    EXPECT(cufftMakePlan1d(plan, 8, C2C, 1, NULL), 0);
    EXPECT(cufftSetPlanPropertyInt64(plan, 1, 1), 16);
    EXPECT(cufftXtSetWorkAreaPolicy(plan, 0, &bytes), 0);
    EXPECT(cufftXtSetWorkAreaPolicy(plan, 3, &bytes), 4);
    EXPECT(cufftXtSetWorkArea(plan, areas), 0);
    EXPECT(cufftXtSetWorkArea(plan, NULL), 4);
    EXPECT(cufftXtSetWorkArea(999, areas), 1);
    EXPECT(cufftExecR2C(plan, NULL, areas), 4);
    EXPECT(cufftExecC2C(plan, areas, areas, 0), 4);
    EXPECT(cufftExecC2C(999, areas, areas, 1), 1);
    EXPECT(cufftDestroy(plan), 0);
}

/* As many plans as a program's cache of them may have, and one that is too large for any memory. */
static void test_plans(void)
{
    enum { COUNT = 5000 };
    static int plans[COUNT];
    int large;
    for (int i = 0; i < COUNT; i++)
        EXPECT(cufftCreate(&plans[i]), 0);
    EXPECT(plans[COUNT - 1] != plans[0], 1);
    for (int i = 0; i < COUNT; i++)
        EXPECT(cufftDestroy(plans[i]), 0);
    EXPECT(cufftDestroy(plans[0]), 1);
    EXPECT(cufftPlan3d(&large, 1 << 21, 1 << 21, 1 << 21, C2C), 2);
    EXPECT(cufftPlan3d(&large, 1 << 20, 1 << 20, 1 << 21, C2C), 2);
}

int main(void)
{
    test_plans();
    test_layouts();
    test_prime();
    test_types();
    test_sizes();
    test_settings();
    return failures != 0;
}
