/* warplens_narrow of epilogue.cu, computed without its instructions: the same sums in the same
 * order, rounded in the same places. */
#include <stdlib.h>
#include <string.h>

#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"

/* as the kernel numbers them */
enum { BIAS = 4 };
enum { A, B, C, D, MATRICES };

static struct wl_product product_of(const struct wl_lt_narrow *of, uint32_t batches)
{
    const long long *leading = of->leading, *strides = of->strides;
    const int *types = of->types;
    return (struct wl_product){
        .rows = of->rows,
        .columns = of->columns,
        .depth = of->depth,
        .count = batches,
        .a = {of->a, (enum wl_number)types[A], leading[A], 1, strides[A]},
        .b = {of->b, (enum wl_number)types[B], 1, leading[B], strides[B]},
        .c = {of->c, (enum wl_number)types[C], 1, leading[C], strides[C]},
        .d = {of->d, (enum wl_number)types[D], 1, leading[D], strides[D]},
        .has_addend = of->beta != 0,
    };
}

/* ---- a piece ---- */

/* What does not depend on the element. */
struct factors {
    float product, addend, last; /* of the sum; of C, if it is read; of what is stored */
    float bias[WL_TILE_ROWS];    /* of the piece's rows */
};

static float scale_of(const struct wl_lt_narrow *of, int matrix)
{
    return of->scales[matrix] ? *of->scales[matrix] : 1;
}

static struct factors find_factors(const struct wl_lt_narrow *of,
                                   const struct wl_product_piece *piece)
{
    struct factors made = {
        .product = of->alpha * scale_of(of, A) * scale_of(of, B),
        .addend = of->beta != 0 ? of->beta * scale_of(of, C) : 0,
        .last = scale_of(of, D),
    };
    if (of->epilogue & BIAS)
        wl_lt_read_bias((enum wl_number)of->bias_type, of->bias, piece->row, piece->rows,
                        made.bias);
    return made;
}

/* The larger of that and the values' magnitudes, as bits. */
static uint32_t largest_of(uint32_t largest, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        bits &= 0x7fffffff;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

/* Stores a column; returns the larger of that and its magnitudes, as bits. */
static uint32_t finish(const struct wl_lt_narrow *of, const struct wl_product *product,
                       const struct factors *factors, const struct wl_product_piece *piece,
                       int column, float *values, uint32_t largest)
{
    float addends[WL_TILE_ROWS];
    if (product->has_addend)
        wl_number_read(product->c.type, wl_product_column(&product->c, piece, column), piece->rows,
                       addends);
    wl_number_scale(values, piece->rows, factors->product, product->has_addend ? addends : NULL,
                    factors->addend);
    wl_lt_finish(values, piece->rows, of->epilogue, factors->bias);
    largest = largest_of(largest, values, piece->rows);
    wl_number_scale(values, piece->rows, factors->last, NULL, 0);
    wl_number_write(product->d.type, wl_product_column(&product->d, piece, column), piece->rows,
                    values);
    return largest;
}

static void raise_largest(float *largest, uint32_t bits)
{
    uint32_t *at = (uint32_t *)(void *)largest, before = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (before < bits && !__atomic_compare_exchange_n(at, &before, bits, true, __ATOMIC_RELAXED,
                                                         __ATOMIC_RELAXED))
        ;
}

static void compute(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t number)
{
    const struct wl_lt_narrow *of = parameters;
    const struct wl_product product = product_of(of, grid[2]);
    const struct wl_product_piece piece = wl_product_find_piece(&product, number);
    const struct factors factors = find_factors(of, &piece);
    struct wl_tile *tile = wl_alloc(sizeof *tile);
    uint32_t largest = 0;
    (void)self;
    wl_product_multiply(&product, &piece, tile);
    for (int column = 0; column < piece.columns; column++)
        largest = finish(of, &product, &factors, &piece, column, tile->sums.f32[column], largest);
    if (of->largest)
        raise_largest(of->largest, largest);
    free(tile);
}

/* ---- whether, and what it touches ---- */

static bool add_spans(struct wl_device_direct_plan *plan, const struct wl_lt_narrow *of,
                      uint32_t batches)
{
    const struct wl_product product = product_of(of, batches);
    if (of->epilogue & BIAS)
        wl_product_plan_read(plan, of->bias,
                             (uint64_t)of->rows * wl_number_bytes((enum wl_number)of->bias_type));
    for (int i = 0; i < MATRICES; i++)
        if (of->scales[i])
            wl_product_plan_read(plan, of->scales[i], sizeof *of->scales[i]);
    return wl_product_plan(&product, plan) &&
           (!of->largest || wl_product_plan_write(plan, of->largest, sizeof *of->largest));
}

static bool is_grid(const struct wl_lt_narrow *of, const uint32_t grid[3])
{
    return grid[0] == (uint64_t)(of->rows + WL_LT_TILE - 1) / WL_LT_TILE &&
           grid[1] == (uint64_t)(of->columns + WL_LT_TILE - 1) / WL_LT_TILE;
}

static bool plan(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    const struct wl_lt_narrow *of = parameters;
    const bool is_aligned =
        (uintptr_t)of->bias % wl_number_bytes((enum wl_number)of->bias_type) == 0 &&
        (uintptr_t)of->largest % sizeof *of->largest == 0;
    (void)self;
    return !of->has_vectors && is_aligned && is_grid(of, grid) && add_spans(made, of, grid[2]);
}

const struct wl_device_direct wl_lt_narrow_direct = {.plan = plan, .compute = compute};

static bool tell(const struct wl_device_library *self, const void *parameters,
                 const uint32_t grid[3], struct wl_library_work *work)
{
    const struct wl_product product = product_of(parameters, grid[2]);
    (void)self;
    return wl_product_tell(&product, work);
}

const struct wl_device_library wl_lt_narrow_library = {tell};
