/* warplens_narrow of epilogue.cu, computed without its instructions: the same sums in the same
 * order, rounded in the same places. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "api/cublaslt/narrow_tile.h"
#include "base/count.h"

/* as the kernel numbers them */
enum { F32, F16, BF16, E4M3, E5M2 };
enum { RELU = 2, BIAS = 4, GELU = 32 };
enum { A, B, C, D, MATRICES };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bytes_of(int type)
{
    return type == F32 ? 4 : type == F16 || type == BF16 ? 2 : 1;
}

/* ---- values ---- */

static float float_of_e4m3(uint8_t code)
{
    const uint32_t magnitude = code & 0x7f;
    const float value = magnitude == 0x7f ? NAN : float_of(magnitude << 20) * 0x1p120f;
    return code & 0x80 ? -value : value;
}

static float float_of_e5m2(uint8_t code)
{
    return wl_lt_float_of_half((uint16_t)(code << 8));
}

static float read(int type, const void *from, long long i)
{
    switch (type) {
    case F32:
        return ((const float *)from)[i];
    case F16:
        return wl_lt_float_of_half(((const uint16_t *)from)[i]);
    case BF16:
        return float_of((uint32_t)((const uint16_t *)from)[i] << 16);
    case E4M3:
        return float_of_e4m3(((const uint8_t *)from)[i]);
    default:
        return float_of_e5m2(((const uint8_t *)from)[i]);
    }
}

static uint8_t narrow(float value, uint32_t fraction_bits, uint32_t bias, uint32_t largest)
{
    const uint32_t all = bits_of(value), sign = all >> 24 & 0x80, dropped = 23 - fraction_bits;
    uint32_t bits = all & 0x7fffffff;
    if (bits > 0x7f800000)
        return (uint8_t)(sign | 0x7f);
    if (bits < (128 - bias) << 23) {
        const float scale = float_of((127 + bias - 1 + fraction_bits) << 23);
        return (uint8_t)(sign | (bits_of(fmaf(float_of(bits), scale, 0x1p23f)) & 0xff));
    }
    bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits = (bits >> dropped) - ((127 - bias) << fraction_bits);
    return (uint8_t)(sign | (bits < largest ? bits : largest));
}

static void write(int type, void *to, long long i, float value)
{
    const uint32_t bits = bits_of(value);
    switch (type) {
    case F32:
        ((float *)to)[i] = value;
        break;
    case F16:
        ((uint16_t *)to)[i] = wl_lt_half_of_float(value);
        break;
    case BF16:
        ((uint16_t *)to)[i] =
            isnan(value) ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        break;
    case E4M3:
        ((uint8_t *)to)[i] = narrow(value, 3, 7, 0x7e);
        break;
    default:
        ((uint8_t *)to)[i] = narrow(value, 2, 15, 0x7b);
    }
}

/* Operations of the GPU give no other NaN. */
static float canonical(float value)
{
    return isnan(value) ? float_of(0x7fffffff) : value;
}

/* ---- a piece ---- */

struct piece {
    long long row, column, batch;
    int rows, columns;
};

static struct piece find_piece(const struct wl_lt_narrow *of, uint32_t number)
{
    const long long down = (of->rows + WL_LT_PIECE_ROWS - 1) / WL_LT_PIECE_ROWS;
    const long long across = (of->columns + WL_LT_PIECE_COLUMNS - 1) / WL_LT_PIECE_COLUMNS;
    struct piece piece = {.row = number % down * WL_LT_PIECE_ROWS,
                          .column = number / down % across * WL_LT_PIECE_COLUMNS,
                          .batch = number / down / across};
    const long long rows = of->rows - piece.row, columns = of->columns - piece.column;
    piece.rows = rows < WL_LT_PIECE_ROWS ? (int)rows : WL_LT_PIECE_ROWS;
    piece.columns = columns < WL_LT_PIECE_COLUMNS ? (int)columns : WL_LT_PIECE_COLUMNS;
    return piece;
}

/* What does not depend on the element. */
struct factors {
    float product, addend, last; /* of the sum; of C, if it is read; of what is stored */
};

static float scale_of(const struct wl_lt_narrow *of, int matrix)
{
    return of->scales[matrix] ? *of->scales[matrix] : 1;
}

static struct factors find_factors(const struct wl_lt_narrow *of)
{
    return (struct factors){
        .product = of->alpha * scale_of(of, A) * scale_of(of, B),
        .addend = of->beta != 0 ? of->beta * scale_of(of, C) : 0,
        .last = scale_of(of, D),
    };
}

/* Stores the element; returns its magnitude's bits. */
static uint32_t finish(const struct wl_lt_narrow *of, const struct factors *factors,
                       const struct piece *piece, long long row, long long column, float sum)
{
    float value = sum * factors->product;
    if (of->beta != 0)
        value = fmaf(factors->addend,
                     read(of->types[C], of->c,
                          piece->batch * of->strides[C] + column * of->leading[C] + row),
                     value);
    if (of->epilogue & BIAS)
        value += read(of->bias_type, of->bias, row);
    if (of->epilogue & RELU)
        value = value > 0 ? value : 0;
    value = canonical(value);
    write(of->types[D], of->d, piece->batch * of->strides[D] + column * of->leading[D] + row,
          canonical(value * factors->last));
    return bits_of(value) & 0x7fffffff;
}

static void raise_largest(float *largest, uint32_t bits)
{
    uint32_t *at = (uint32_t *)(void *)largest, before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (before < bits && !__atomic_compare_exchange_n(at, &before, bits, true, __ATOMIC_RELAXED,
                                                         __ATOMIC_RELAXED))
        ;
}

static struct wl_lt_lines lines_of(const struct wl_lt_narrow *of, int matrix, long long batch,
                                   long long first, int count, float value_of[256])
{
    const uint8_t *from = matrix == A ? of->a : of->b;
    for (int code = 0; code < 256; code++)
        value_of[code] = read(of->types[matrix], &(uint8_t){(uint8_t)code}, 0);
    return (struct wl_lt_lines){
        .from = from + batch * of->strides[matrix] + first * of->leading[matrix],
        .leading = of->leading[matrix],
        .count = count,
        .value_of = value_of,
    };
}

static void compute(const void *parameters, const uint32_t grid[3], uint32_t number)
{
    const struct wl_lt_narrow *of = parameters;
    const struct piece piece = find_piece(of, number);
    const struct factors factors = find_factors(of);
    float left_values[256], right_values[256];
    const struct wl_lt_lines left =
                                 lines_of(of, A, piece.batch, piece.row, piece.rows, left_values),
                             right = lines_of(of, B, piece.batch, piece.column, piece.columns,
                                              right_values);
    struct wl_lt_tile *tile = wl_alloc_zero(1, sizeof *tile);
    uint32_t largest = 0;
    (void)grid;
    wl_lt_tile_multiply(tile, &left, &right, of->depth);
    for (int column = 0; column < piece.columns; column++)
        for (int row = 0; row < piece.rows; row++) {
            const uint32_t bits = finish(of, &factors, &piece, piece.row + row,
                                         piece.column + column, tile->sums[column][row]);
            largest = bits > largest ? bits : largest;
        }
    if (of->largest)
        raise_largest(of->largest, largest);
    free(tile);
}

/* ---- whether, and what it touches ---- */

static void add_span(struct wl_device_direct_plan *plan, const void *start, uint64_t size_bytes)
{
    plan->spans[plan->span_count++] =
        (struct wl_device_direct_span){(uint64_t)(uintptr_t)start, size_bytes};
}

/* False: it goes backward, or beyond what there can be. */
static bool add_matrix(struct wl_device_direct_plan *plan, const struct wl_lt_narrow *of,
                       int matrix, const void *start, uint32_t batches)
{
    const long long rows = matrix < C ? of->depth : of->rows,
                    columns = matrix == A ? of->rows : of->columns;
    long long elements, more = 0, bytes;
    if (rows <= 0 || columns <= 0 || of->leading[matrix] < rows ||
        __builtin_mul_overflow(columns - 1, of->leading[matrix], &elements) ||
        __builtin_add_overflow(elements, rows, &elements))
        return false;
    if (batches > 1 && (of->strides[matrix] < (matrix == D ? elements : 0) ||
                        __builtin_mul_overflow(batches - 1ll, of->strides[matrix], &more)))
        return false;
    if (__builtin_add_overflow(elements, more, &elements) ||
        __builtin_mul_overflow(elements, (long long)bytes_of(of->types[matrix]), &bytes))
        return false;
    add_span(plan, start, (uint64_t)bytes);
    return true;
}

static bool overlap(const struct wl_device_direct_span *one,
                    const struct wl_device_direct_span *other)
{
    return one->start < other->start + other->size_bytes &&
           other->start < one->start + one->size_bytes;
}

/* Whether each element of D is written where the same of C was. */
static bool is_in_place(const struct wl_lt_narrow *of)
{
    return of->c == of->d && bytes_of(of->types[C]) == bytes_of(of->types[D]) &&
           of->leading[C] == of->leading[D] && of->strides[C] == of->strides[D];
}

/* All that is read, then C, then all that is written. */
static bool add_spans(struct wl_device_direct_plan *plan, const struct wl_lt_narrow *of,
                      uint32_t batches)
{
    if (!add_matrix(plan, of, A, of->a, batches) || !add_matrix(plan, of, B, of->b, batches))
        return false;
    if (of->epilogue & BIAS)
        add_span(plan, of->bias, (uint64_t)of->rows * bytes_of(of->bias_type));
    for (int i = 0; i < MATRICES; i++)
        if (of->scales[i])
            add_span(plan, of->scales[i], sizeof *of->scales[i]);
    const uint32_t c = plan->span_count;
    if (of->beta != 0 && !add_matrix(plan, of, C, of->c, batches))
        return false;
    const uint32_t read = plan->span_count;
    if (!add_matrix(plan, of, D, of->d, batches))
        return false;
    if (of->largest)
        add_span(plan, of->largest, sizeof *of->largest);
    for (uint32_t i = read; i < plan->span_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (overlap(&plan->spans[i], &plan->spans[k]) &&
                !(k == c && k < read && i == read && is_in_place(of)))
                return false;
    return true;
}

static bool is_grid(const struct wl_lt_narrow *of, const uint32_t grid[3])
{
    return grid[0] == (uint64_t)(of->rows + WL_LT_TILE - 1) / WL_LT_TILE &&
           grid[1] == (uint64_t)(of->columns + WL_LT_TILE - 1) / WL_LT_TILE;
}

static bool plan(const void *parameters, const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    const struct wl_lt_narrow *of = parameters;
    const bool is_aligned = (uintptr_t)of->bias % bytes_of(of->bias_type) == 0 &&
                            (uintptr_t)of->largest % sizeof *of->largest == 0;
    if (!wl_lt_tile_is_there() || of->epilogue & GELU || !is_aligned || !is_grid(of, grid) ||
        !add_spans(made, of, grid[2]))
        return false;
    const uint64_t pieces =
        (uint64_t)((of->rows + WL_LT_PIECE_ROWS - 1) / WL_LT_PIECE_ROWS) *
        (uint64_t)((of->columns + WL_LT_PIECE_COLUMNS - 1) / WL_LT_PIECE_COLUMNS) * grid[2];
    made->piece_count = (uint32_t)pieces;
    return pieces < UINT32_MAX;
}

const struct wl_device_direct wl_lt_narrow_direct = {plan, compute};
