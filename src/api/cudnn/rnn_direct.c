/* Products of matrices within recurrent networks, as the kernel computes them: an element's
 * products in turn, each with one rounding; of 4 rows of 16 columns side by side. */
#include <string.h>

#include "api/cudnn/rnn_run.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTORS __attribute__((target("avx2,fma")))

enum { ROWS = 4, HALF = 8, LANES = 2 * HALF, PIECE_ROWS = 64, PIECE_COLUMNS = 256 };

/* What is no number is the one that arithmetic of the GPU gives. */
VECTORS static __m256 as_of_gpu(__m256 x)
{
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    return _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* So many lanes of 8, beginning with that one. */
VECTORS static __m256i lanes_from(int first, int count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count - first), lanes);
}

VECTORS static void multiply_tile(const struct wl_dnn_rnn_product *of, int row, int rows,
                                  int column, int columns)
{
    const __m256i low_lanes = lanes_from(0, columns), high_lanes = lanes_from(HALF, columns);
    const float *a = (const float *)of->a + row * of->a_row, *b = (const float *)of->b + column;
    float *out = (float *)of->out + row * of->out_row + column;
    const float *bias = of->bias ? (const float *)of->bias + column : NULL;
    __m256 low[ROWS], high[ROWS];
    for (int i = 0; i < ROWS; i++) {
        const float *from = of->is_sum ? out + (i < rows ? i : 0) * of->out_row : bias;
        low[i] = from ? _mm256_maskload_ps(from, low_lanes) : _mm256_setzero_ps();
        high[i] = from ? _mm256_maskload_ps(from + HALF, high_lanes) : _mm256_setzero_ps();
    }
    for (int k = 0; k < of->depth; k++) {
        const float *line = b + k * of->b_depth;
        const __m256 first = _mm256_maskload_ps(line, low_lanes),
                     second = _mm256_maskload_ps(line + HALF, high_lanes);
        for (int i = 0; i < ROWS; i++) {
            const __m256 factor =
                _mm256_broadcast_ss(a + (i < rows ? i : 0) * of->a_row + k * of->a_depth);
            low[i] = _mm256_fmadd_ps(factor, first, low[i]);
            high[i] = _mm256_fmadd_ps(factor, second, high[i]);
        }
    }
    for (int i = 0; i < rows; i++) {
        _mm256_maskstore_ps(out + i * of->out_row, low_lanes, as_of_gpu(low[i]));
        _mm256_maskstore_ps(out + i * of->out_row + HALF, high_lanes, as_of_gpu(high[i]));
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void compute(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t piece)
{
    struct wl_dnn_rnn_product of;
    (void)self, (void)grid;
    memcpy(&of, parameters, sizeof of);
    const int across = (of.columns + PIECE_COLUMNS - 1) / PIECE_COLUMNS,
              first_row = (int)piece / across * PIECE_ROWS,
              first_column = (int)piece % across * PIECE_COLUMNS,
              end_row = least(of.rows, first_row + PIECE_ROWS),
              end_column = least(of.columns, first_column + PIECE_COLUMNS);
    for (int column = first_column; column < end_column; column += LANES)
        for (int row = first_row; row < end_row; row += ROWS)
            multiply_tile(&of, row, least(ROWS, end_row - row), column,
                          least(LANES, end_column - column));
}

static struct wl_device_direct_span span_of(const void *data, long long rows, long long row_step,
                                            long long columns, long long column_step)
{
    return (struct wl_device_direct_span){
        (uint64_t)(uintptr_t)data,
        (uint64_t)((rows - 1) * row_step + (columns - 1) * column_step + 1) * sizeof(float)};
}

static bool are_apart(struct wl_device_direct_span a, struct wl_device_direct_span b)
{
    return a.start + a.size_bytes <= b.start || b.start + b.size_bytes <= a.start;
}

static bool plan(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    struct wl_dnn_rnn_product of;
    (void)self, (void)grid;
    memcpy(&of, parameters, sizeof of);
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || of.depth < 1)
        return false;
    const struct wl_device_direct_span spans[] = {
        span_of(of.out, of.rows, of.out_row, of.columns, 1),
        span_of(of.a, of.rows, of.a_row, of.depth, of.a_depth),
        span_of(of.b, of.depth, of.b_depth, of.columns, 1),
        span_of(of.bias, 1, 0, of.columns, 1),
    };
    for (int i = 0; i < (of.bias ? 4 : 3); i++) {
        if (spans[i].start % sizeof(float) || (i && !are_apart(spans[0], spans[i])))
            return false;
        made->spans[made->span_count++] = spans[i];
    }
    made->piece_count = ((uint32_t)of.rows + PIECE_ROWS - 1) / PIECE_ROWS *
                        (((uint32_t)of.columns + PIECE_COLUMNS - 1) / PIECE_COLUMNS);
    return true;
}

const struct wl_device_direct *wl_cudnn_rnn_direct(void)
{
    static const struct wl_device_direct direct = {.plan = plan, .compute = compute};
    return &direct;
}

#else

const struct wl_device_direct *wl_cudnn_rnn_direct(void)
{
    return NULL;
}

#endif
