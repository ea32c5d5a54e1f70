/* warplens_epilogue of epilogue.cu, computed without its instructions. */
#include <math.h>

#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "warp/approximate.h"

/* as the kernel numbers them */
enum { RELU = 2, BIAS = 4, GELU = 32 };
enum {
    ROWS = 256, /* at a time */
    PIECE_ELEMENTS = 1 << 16
};

/* The kernel's parameters. */
struct parameters {
    int type, bias_type, what;
    void *matrix;
    const void *bias;
    long long rows, columns, leading;
};

static float gelu(float x, float power)
{
    return x * (power > 3e38f ? 1.0f : power / (power + 1));
}

static void apply_gelu(float *values, int count)
{
    float powers[ROWS];
    for (int i = 0; i < count; i++) {
        const float x = values[i], square = x * (0.044715f * x);
        powers[i] = 2.8853900818f * (0.7978845608f * fmaf(x, square, x));
    }
    wl_approximate_powers(powers, powers, (size_t)count);
    for (int i = 0; i < count; i++)
        values[i] = gelu(values[i], powers[i]);
}

void wl_lt_finish(float *values, int count, int what, const float *bias)
{
    for (int i = 0; i < count && what & BIAS; i++)
        values[i] += bias[i];
    for (int i = 0; i < count && what & RELU; i++)
        values[i] = values[i] > 0 ? values[i] : 0;
    for (int first = 0; first < count && what & GELU; first += ROWS)
        apply_gelu(values + first, count - first < ROWS ? count - first : ROWS);
    wl_number_scale(values, count, 1, NULL, 0);
}

void wl_lt_read_bias(enum wl_number type, const void *bias, long long row, int count, float *to)
{
    wl_number_read(type, (const uint8_t *)bias + row * wl_number_bytes(type), count, to);
}

static long long columns_of_piece(const struct parameters *of)
{
    return of->rows < PIECE_ELEMENTS ? PIECE_ELEMENTS / of->rows : 1;
}

static void compute(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t piece)
{
    const struct parameters *of = parameters;
    const enum wl_number type = (enum wl_number)of->type;
    const long long first = piece * columns_of_piece(of), next = first + columns_of_piece(of),
                    end = next < of->columns ? next : of->columns;
    float values[ROWS], bias[ROWS];
    (void)self, (void)grid;
    for (long long row = 0; row < of->rows; row += ROWS) {
        const int count = of->rows - row < ROWS ? (int)(of->rows - row) : ROWS;
        if (of->what & BIAS)
            wl_lt_read_bias((enum wl_number)of->bias_type, of->bias, row, count, bias);
        for (long long column = first; column < end; column++) {
            uint8_t *at =
                (uint8_t *)of->matrix + (column * of->leading + row) * wl_number_bytes(type);
            wl_number_read(type, at, count, values);
            wl_lt_finish(values, count, of->what, bias);
            wl_number_write(type, at, count, values);
        }
    }
}

/* Columns behind each other, of a size that there can be. */
static bool is_matrix(const struct parameters *of)
{
    const uint32_t bytes = wl_number_bytes((enum wl_number)of->type);
    long long elements;
    return of->rows > 0 && of->columns > 0 && of->leading >= of->rows &&
           (uintptr_t)of->matrix % bytes == 0 &&
           !__builtin_mul_overflow(of->columns, of->leading * (long long)bytes, &elements);
}

static bool plan(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    const struct parameters *of = parameters;
    const uint32_t bias_bytes = wl_number_bytes((enum wl_number)of->bias_type);
    (void)self, (void)grid;                                   /* its blocks go round */
    if (!wl_number_is_there() || !is_matrix(of) || !of->what) /* that would keep NaNs */
        return false;
    if (of->what & BIAS) {
        if ((uintptr_t)of->bias % bias_bytes)
            return false;
        wl_product_plan_read(made, of->bias, (uint64_t)of->rows * bias_bytes);
    }
    const uint64_t elements = (uint64_t)((of->columns - 1) * of->leading + of->rows),
                   pieces = (uint64_t)((of->columns - 1) / columns_of_piece(of) + 1);
    made->piece_count = (uint32_t)pieces;
    return pieces < UINT32_MAX &&
           wl_product_plan_write(made, of->matrix,
                                 elements * wl_number_bytes((enum wl_number)of->type));
}

const struct wl_device_direct wl_lt_epilogue_direct = {.plan = plan, .compute = compute};
