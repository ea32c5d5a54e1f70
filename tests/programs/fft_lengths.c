/* cuFFT's transforms of many lengths, dense and in place: those that a block transforms at once,
 * those that take two passes, all radices, along each dimension. Some elements of each are compared
 * with sums by definition. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cufftDestroy(int plan);
int cufftPlanMany(int *plan, int rank, int *n, int *in_size, int in_stride, int in_distance,
                  int *out_size, int out_stride, int out_distance, int type, int count);
int cufftXtExec(int plan, void *in, void *out, int direction);

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
enum { LOOKED_AT = 12 };

static uint32_t next_bits(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* Dense transforms; n: the slowest dimension first. */
struct transforms {
    int type, n[3], count;
};

static bool is_double(int type)
{
    return type >= Z2Z;
}

static bool is_real_in(int type)
{
    return (type & 15) == 10;
}

static bool is_real_out(int type)
{
    return (type & 15) == 12;
}

static size_t elements(const struct transforms *of)
{
    return (size_t)of->n[0] * (size_t)of->n[1] * (size_t)of->n[2];
}

/* Elements of a row and of a transform as they lie; is_padded: rows of real numbers in place. */
static size_t row_of(const struct transforms *of, bool is_real, bool is_padded)
{
    const size_t half = (size_t)of->n[2] / 2 + 1;
    const bool is_whole = of->type == C2C || of->type == Z2Z;
    return is_whole ? (size_t)of->n[2] : !is_real ? half : is_padded ? 2 * half : (size_t)of->n[2];
}

static double get(const struct transforms *of, const void *from, size_t i)
{
    return is_double(of->type) ? ((const double *)from)[i] : ((const float *)from)[i];
}

/* Element x of row `row` as a complex number; rows of real numbers have `length`. */
static void element(const struct transforms *of, const void *in, size_t row, size_t x,
                    size_t length, double value[2])
{
    if (is_real_in(of->type)) {
        value[0] = get(of, in, row * length + x);
        value[1] = 0;
        return;
    }
    const size_t n1 = (size_t)of->n[1], n2 = (size_t)of->n[2], batch = row / n1 / (size_t)of->n[0];
    const bool is_mirrored = is_real_out(of->type) && x > n2 / 2;
    size_t y = row % n1, z = row / n1 % (size_t)of->n[0];
    if (is_mirrored) {
        x = n2 - x;
        y = y ? n1 - y : 0;
        z = z ? (size_t)of->n[0] - z : 0;
    }
    const size_t at = ((batch * (size_t)of->n[0] + z) * n1 + y) * length + x;
    value[0] = get(of, in, 2 * at);
    value[1] = is_mirrored ? -get(of, in, 2 * at + 1) : get(of, in, 2 * at + 1);
}

/* The element of the result at those coordinates. */
static void sum_of(const struct transforms *of, const void *in, size_t batch, const size_t at[3],
                   size_t length, double sign, double sum[2])
{
    const size_t rows = (size_t)of->n[0] * (size_t)of->n[1];
    sum[0] = sum[1] = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t x = 0; x < (size_t)of->n[2]; x++) {
            double value[2];
            const double turns =
                (double)(x * at[2] % (size_t)of->n[2]) / of->n[2] +
                (double)(row % (size_t)of->n[1] * at[1] % (size_t)of->n[1]) / of->n[1] +
                (double)(row / (size_t)of->n[1] * at[0] % (size_t)of->n[0]) / of->n[0];
            const double angle = sign * 2 * 3.14159265358979323846 * turns, c = cos(angle),
                         s = sin(angle);
            element(of, in, batch * rows + row, x, length, value);
            sum[0] += value[0] * c - value[1] * s;
            sum[1] += value[0] * s + value[1] * c;
        }
}

/* Some elements of the result. */
static void compare(const struct transforms *of, const void *in, const void *out, bool is_padded,
                    double sign)
{
    const size_t in_row = row_of(of, is_real_in(of->type), is_padded),
                 out_row = row_of(of, is_real_out(of->type), is_padded),
                 results = is_real_out(of->type) ? (size_t)of->n[2] : out_row;
    const double size = (double)elements(of),
                 tolerance = (is_double(of->type) ? 1e-15 : 4e-7) * sqrt(size) * (1 + log2(size));
    int bad = 0;
    for (int i = 0; i < LOOKED_AT; i++) {
        const size_t batch = i == 0 ? (size_t)of->count - 1 : next_bits() % (size_t)of->count;
        const size_t at[] = {next_bits() % (size_t)of->n[0], next_bits() % (size_t)of->n[1],
                             i == 0 ? results - 1 : next_bits() % results};
        const size_t row = (batch * (size_t)of->n[0] + at[0]) * (size_t)of->n[1] + at[1],
                     index = row * out_row + at[2];
        double sum[2];
        sum_of(of, in, batch, at, in_row, sign, sum);
        const bool is_real = is_real_out(of->type);
        bad += !(fabs(get(of, out, is_real ? index : 2 * index) - sum[0]) < tolerance);
        bad += !is_real && !(fabs(get(of, out, 2 * index + 1) - sum[1]) < tolerance);
    }
    if (bad)
        printf("type %x, %d %d %d, %d times%s, sign %g\n", (unsigned)of->type, of->n[0], of->n[1],
               of->n[2], of->count, is_padded ? ", in place" : "", sign);
    EXPECT(bad, 0);
}

/* The same with single and double precision, there and back, into other memory and in place. */
static void check(const struct transforms *of, bool is_in_place, int direction)
{
    const size_t bytes = elements(of) * 4 * (is_double(of->type) ? 8 : 4) * (size_t)of->count,
                 numbers = bytes / (is_double(of->type) ? 8 : 4);
    void *in = malloc(bytes), *out = malloc(bytes), *from = NULL, *to = NULL;
    int n[3], rank = 0, plan = 0;
    for (int i = 0; i < 3; i++)
        if (rank || of->n[i] > 1 || i == 2)
            n[rank++] = of->n[i];
    for (size_t i = 0; i < numbers; i++) {
        const double value = (double)next_bits() / 2147483648.0 - 1;
        if (is_double(of->type))
            ((double *)in)[i] = value;
        else
            ((float *)in)[i] = (float)value;
    }
    EXPECT(cudaMalloc(&from, bytes), 0);
    EXPECT(cudaMalloc(&to, bytes), 0);
    EXPECT(cudaMemcpy(from, in, bytes, HOST_TO_DEVICE), 0);
    EXPECT(cufftPlanMany(&plan, rank, n, NULL, 1, 0, NULL, 1, 0, of->type, of->count), 0);
    EXPECT(cufftXtExec(plan, from, is_in_place ? from : to, direction), 0);
    EXPECT(cudaMemcpy(out, is_in_place ? from : to, bytes, DEVICE_TO_HOST), 0);
    compare(of, in, out, is_in_place, direction);
    EXPECT(cufftDestroy(plan), 0);
    EXPECT(cudaFree(from), 0);
    EXPECT(cudaFree(to), 0);
    free(in);
    free(out);
}

static void check_all(const int n[3], int count)
{
    static const int types[] = {C2C, R2C, C2R};
    for (int precision = 0; precision <= 0x40; precision += 0x40)
        for (int type = 0; type < 3; type++) {
            const struct transforms of = {types[type] + precision, {n[0], n[1], n[2]}, count};
            for (int is_in_place = 0; is_in_place < 2; is_in_place++)
                if (types[type] != C2R)
                    check(&of, is_in_place, -1);
            for (int is_in_place = 0; is_in_place < 2; is_in_place++)
                if (types[type] != R2C)
                    check(&of, is_in_place, 1);
        }
}

int main(void)
{
    static const int lengths[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,
                                  13,   15,   16,   21,   25,   32,   49,   64,   77,   100,  127,
                                  128,  243,  254,  256,  343,  500,  512,  625,  1000, 1024, 1025,
                                  1260, 1536, 2048, 2050, 2187, 3000, 4096, 8192, 9261, 16384};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_all((const int[]){1, 1, lengths[i]}, lengths[i] > 2048 ? 2 : 5);
    check_all((const int[]){1, 1, 16}, 300);
    check_all((const int[]){1, 12, 20}, 3);
    check_all((const int[]){1, 3, 2500}, 2);
    check_all((const int[]){1, 2500, 3}, 2);
    check_all((const int[]){1, 64, 1}, 2);
    check_all((const int[]){4, 6, 10}, 3);
    check_all((const int[]){2, 2100, 3}, 1);
    check_all((const int[]){2100, 3, 2}, 1);
    check_all((const int[]){5, 1, 1}, 2);
    return failures != 0;
}
