#include "api/cublas/product.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- whether, and what it touches ---- */

static bool overlap(const struct wl_device_direct_span *one,
                    const struct wl_device_direct_span *other)
{
    return one->start < other->start + other->size_bytes &&
           other->start < one->start + one->size_bytes;
}

void wl_product_plan_read(struct wl_device_direct_plan *plan, const void *start,
                          uint64_t size_bytes)
{
    plan->spans[plan->span_count++] =
        (struct wl_device_direct_span){(uint64_t)(uintptr_t)start, size_bytes};
}

bool wl_product_plan_write(struct wl_device_direct_plan *plan, const void *start,
                           uint64_t size_bytes)
{
    wl_product_plan_read(plan, start, size_bytes);
    const struct wl_device_direct_span *made = &plan->spans[plan->span_count - 1];
    for (uint32_t i = 0; i + 1 < plan->span_count; i++)
        if (overlap(made, &plan->spans[i]))
            return false;
    return true;
}

/* The bytes from its first element to the end of its last; 0: it goes backward, or beyond what
 * there can be. */
static uint64_t span_bytes(const struct wl_product_matrix *matrix, long long rows,
                           long long columns, long long count)
{
    const long long steps[] = {matrix->row_step, matrix->column_step, matrix->stride};
    const long long numbers[] = {rows, columns, count};
    long long last = 0, more, bytes;
    for (int i = 0; i < 3; i++)
        if (numbers[i] > 1 &&
            (steps[i] < 0 || __builtin_mul_overflow(numbers[i] - 1, steps[i], &more) ||
             __builtin_add_overflow(last, more, &last)))
            return 0;
    return __builtin_add_overflow(last, 1, &last) ||
                   __builtin_mul_overflow(last, (long long)wl_number_bytes(matrix->type), &bytes)
               ? 0
               : (uint64_t)bytes;
}

static bool is_aligned(const struct wl_product_matrix *matrix)
{
    return (uintptr_t)matrix->at % wl_number_bytes(matrix->type) == 0;
}

static bool add_read(struct wl_device_direct_plan *plan, const struct wl_product_matrix *matrix,
                     long long rows, long long columns, long long count)
{
    const uint64_t bytes = span_bytes(matrix, rows, columns, count);
    wl_product_plan_read(plan, matrix->at, bytes);
    return bytes > 0 && is_aligned(matrix);
}

/* Whether no two elements of D are in one place: one product's columns stand behind each other, or
 * those of one number side by side. */
static bool is_spread(const struct wl_product *product)
{
    const struct wl_product_matrix *d = &product->d;
    const long long rows = product->rows, others = product->count - 1;
    if ((rows > 1 && d->row_step != 1) || (product->columns > 1 && d->column_step < rows))
        return false;
    return others == 0 || d->stride >= (product->columns - 1) * d->column_step + rows ||
           (d->stride >= rows &&
            (product->columns == 1 || d->column_step >= others * d->stride + rows));
}

/* Whether each element of D is written where the same of C was. */
static bool is_in_place(const struct wl_product *product)
{
    const struct wl_product_matrix *c = &product->c, *d = &product->d;
    return c->at == d->at && wl_number_bytes(c->type) == wl_number_bytes(d->type) &&
           c->row_step == d->row_step && c->column_step == d->column_step && c->stride == d->stride;
}

static uint64_t piece_count(const struct wl_product *product)
{
    return (uint64_t)((product->rows + WL_TILE_ROWS - 1) / WL_TILE_ROWS) *
           (uint64_t)((product->columns + WL_TILE_COLUMNS - 1) / WL_TILE_COLUMNS) *
           (uint64_t)product->count;
}

static bool is_line_of_neighbours(const struct wl_product_matrix *factor)
{
    return factor->row_step == 1 || factor->column_step == 1;
}

bool wl_product_plan(const struct wl_product *product, struct wl_device_direct_plan *plan)
{
    const long long rows = product->rows, columns = product->columns, depth = product->depth,
                    count = product->count;
    const uint64_t bytes =
        rows > 0 && columns > 0 && count > 0 ? span_bytes(&product->d, rows, columns, count) : 0;
    if (!wl_number_is_there() || bytes == 0 || !is_aligned(&product->d) || !is_spread(product) ||
        !is_line_of_neighbours(&product->a) || !is_line_of_neighbours(&product->b) ||
        piece_count(product) >= UINT32_MAX)
        return false;
    if (depth > 0 && (!add_read(plan, &product->a, rows, depth, count) ||
                      !add_read(plan, &product->b, depth, columns, count)))
        return false;
    if (product->has_addend && !is_in_place(product) &&
        !add_read(plan, &product->c, rows, columns, count))
        return false;
    plan->piece_count = (uint32_t)piece_count(product);
    return wl_product_plan_write(plan, product->d.at, bytes);
}

/* ---- a piece ---- */

struct wl_product_piece wl_product_find_piece(const struct wl_product *product, uint32_t number)
{
    const long long down = (product->rows + WL_TILE_ROWS - 1) / WL_TILE_ROWS,
                    across = (product->columns + WL_TILE_COLUMNS - 1) / WL_TILE_COLUMNS;
    struct wl_product_piece piece = {.row = number % down * WL_TILE_ROWS,
                                     .column = number / down % across * WL_TILE_COLUMNS,
                                     .batch = number / down / across};
    const long long rows = product->rows - piece.row, columns = product->columns - piece.column;
    piece.rows = rows < WL_TILE_ROWS ? (int)rows : WL_TILE_ROWS;
    piece.columns = columns < WL_TILE_COLUMNS ? (int)columns : WL_TILE_COLUMNS;
    return piece;
}

/* A factor may be NULL where the depth is 0. */
static void *element(const struct wl_product_matrix *matrix, long long row, long long column,
                     long long batch)
{
    const long long elements =
        row * matrix->row_step + column * matrix->column_step + batch * matrix->stride;
    return (void *)((uintptr_t)matrix->at +
                    (uintptr_t)(elements * (long long)wl_number_bytes(matrix->type)));
}

void *wl_product_column(const struct wl_product_matrix *matrix,
                        const struct wl_product_piece *piece, int column)
{
    return element(matrix, piece->row, piece->column + column, piece->batch);
}

void wl_product_multiply(const struct wl_product *product, const struct wl_product_piece *piece,
                         struct wl_tile *tile)
{
    const struct wl_product_matrix *a = &product->a, *b = &product->b;
    const struct wl_tile_lines left = {element(a, piece->row, 0, piece->batch), a->type,
                                       a->row_step, a->column_step, piece->rows},
                               right = {element(b, 0, piece->column, piece->batch), b->type,
                                        b->column_step, b->row_step, piece->columns};
    wl_tile_multiply(tile, &left, &right, product->depth);
}

/* ---- kernels ---- */

static void finish_column_f32(const struct wl_product *product,
                              const struct wl_product_piece *piece, int column, float *sums)
{
    float addends[WL_TILE_ROWS];
    if (product->is_padded)
        for (int row = 0; row < piece->rows; row++)
            sums[row] += 0.0f;
    if (product->has_addend)
        wl_number_read(product->c.type, wl_product_column(&product->c, piece, column), piece->rows,
                       addends);
    wl_number_scale(sums, piece->rows, product->alpha.f32, product->has_addend ? addends : NULL,
                    product->beta.f32);
    wl_number_write(product->d.type, wl_product_column(&product->d, piece, column), piece->rows,
                    sums);
}

/* Whole numbers that wrap. */
static void finish_column_s32(const struct wl_product *product,
                              const struct wl_product_piece *piece, int column, const int32_t *sums)
{
    const uint32_t alpha = (uint32_t)product->alpha.s32, beta = (uint32_t)product->beta.s32;
    const int32_t *addends = wl_product_column(&product->c, piece, column);
    int32_t *to = wl_product_column(&product->d, piece, column);
    for (int row = 0; row < piece->rows; row++) {
        const uint32_t scaled = alpha * (uint32_t)sums[row];
        to[row] = (int32_t)(product->has_addend ? scaled + beta * (uint32_t)addends[row] : scaled);
    }
}

static void finish_column_f64(const struct wl_product *product,
                              const struct wl_product_piece *piece, int column, double *sums)
{
    const double *addends = wl_product_column(&product->c, piece, column);
    if (product->is_padded)
        for (int row = 0; row < piece->rows; row++)
            sums[row] += 0.0;
    wl_number_scale_f64(sums, piece->rows, product->alpha.f64, product->has_addend ? addends : NULL,
                        product->beta.f64);
    memcpy(wl_product_column(&product->d, piece, column), sums, (size_t)piece->rows * sizeof *sums);
}

static void finish_column(const struct wl_product *product, const struct wl_product_piece *piece,
                          int column, struct wl_tile *tile)
{
    float values[WL_TILE_ROWS];
    if (product->a.type == WL_NUMBER_F64) {
        finish_column_f64(product, piece, column, tile->sums.f64[column]);
    } else if (product->a.type != WL_NUMBER_S8) {
        finish_column_f32(product, piece, column, tile->sums.f32[column]);
    } else if (product->d.type == WL_NUMBER_S32) {
        finish_column_s32(product, piece, column, tile->sums.s32[column]);
    } else {
        for (int row = 0; row < piece->rows; row++)
            values[row] = (float)tile->sums.s32[column][row];
        finish_column_f32(product, piece, column, values);
    }
}

static bool is_zero(union wl_product_scale scale, enum wl_number result)
{
    return result == WL_NUMBER_S32   ? scale.s32 == 0
           : result == WL_NUMBER_F64 ? scale.f64 == 0
                                     : scale.f32 == 0;
}

struct wl_device_kernel *wl_product_kernel_known(struct wl_device_kernel *kernel,
                                                 const struct wl_product_kernel *self)
{
    if (kernel) {
        wl_device_kernel_set_direct(kernel, &self->direct);
        wl_device_kernel_set_library(kernel, &self->library);
    }
    return kernel;
}

static struct wl_product product_with(const struct wl_product_kernel *kernel,
                                      const void *parameters, const uint32_t grid[3])
{
    struct wl_product product = kernel->read(kernel, parameters);
    product.count = grid[2];
    product.has_addend = !is_zero(product.beta, product.d.type);
    product.is_padded = product.depth % kernel->depth_step != 0;
    return product;
}

static struct wl_product product_of(const struct wl_device_direct *self, const void *parameters,
                                    const uint32_t grid[3])
{
    return product_with((const struct wl_product_kernel *)(const void *)self, parameters, grid);
}

bool wl_product_kernel_plan(const struct wl_device_direct *self, const void *parameters,
                            const uint32_t grid[3], struct wl_device_direct_plan *plan)
{
    const struct wl_product_kernel *kernel = (const struct wl_product_kernel *)(const void *)self;
    const struct wl_product product = product_of(self, parameters, grid);
    const long long tile = kernel->tile;
    const bool is_grid = tile == 0 || (grid[0] == (product.rows + tile - 1) / tile &&
                                       grid[1] == (product.columns + tile - 1) / tile);
    return is_grid && wl_product_plan(&product, plan);
}

static bool has_nan(const struct wl_product_matrix *matrix, long long rows, long long columns,
                    long long count)
{
    const bool is_by_columns = matrix->row_step == 1;
    const long long lines = is_by_columns ? columns : rows, length = is_by_columns ? rows : columns;
    for (long long batch = 0; batch < count; batch++)
        for (long long line = 0; line < lines; line++)
            if (wl_number_has_nan_f64(
                    element(matrix, is_by_columns ? 0 : line, is_by_columns ? line : 0, batch),
                    length))
                return true;
    return false;
}

/* In double precision arithmetic passes on one or the other of two NaNs. Where there is none
 * before, all that come of it are alike. */
bool wl_product_kernel_accepts(const struct wl_device_direct *self, const void *parameters,
                               const uint32_t grid[3])
{
    const struct wl_product product = product_of(self, parameters, grid);
    const long long rows = product.rows, columns = product.columns, depth = product.depth,
                    count = product.count;
    if (product.a.type != WL_NUMBER_F64)
        return true;
    return product.alpha.f64 == product.alpha.f64 && product.beta.f64 == product.beta.f64 &&
           !has_nan(&product.a, rows, depth, count) &&
           !has_nan(&product.b, depth, columns, count) &&
           !(product.has_addend && has_nan(&product.c, rows, columns, count));
}

void wl_product_kernel_compute(const struct wl_device_direct *self, const void *parameters,
                               const uint32_t grid[3], uint32_t number)
{
    const struct wl_product product = product_of(self, parameters, grid);
    const struct wl_product_piece piece = wl_product_find_piece(&product, number);
    struct wl_tile *tile = wl_alloc(sizeof *tile);
    wl_product_multiply(&product, &piece, tile);
    for (int column = 0; column < piece.columns; column++)
        finish_column(&product, &piece, column, tile);
    free(tile);
}

/* ---- as a library's own kernels do it ---- */

enum { ALIGNED_BYTES = 16 };

static bool has_aligned_lines(const struct wl_product_matrix *matrix)
{
    const long long leading = matrix->row_step == 1 ? matrix->column_step : matrix->row_step;
    return leading * (long long)wl_number_bytes(matrix->type) % ALIGNED_BYTES == 0;
}

bool wl_product_tell(const struct wl_product *product, struct wl_library_work *work)
{
    static const enum wl_library_element elements[] = {
        [WL_NUMBER_F32] = WL_LIBRARY_F32,    [WL_NUMBER_F64] = WL_LIBRARY_F64,
        [WL_NUMBER_F16] = WL_LIBRARY_F16,    [WL_NUMBER_BF16] = WL_LIBRARY_F16,
        [WL_NUMBER_S8] = WL_LIBRARY_BYTES,   [WL_NUMBER_E4M3] = WL_LIBRARY_BYTES,
        [WL_NUMBER_E5M2] = WL_LIBRARY_BYTES,
    };
    const double rows = (double)product->rows, columns = (double)product->columns,
                 depth = (double)product->depth, count = (double)product->count;
    *work = (struct wl_library_work){
        .call = rows > 1 && columns > 1 ? WL_LIBRARY_PRODUCT : WL_LIBRARY_STREAM,
        .element = elements[product->a.type],
        .rows = rows,
        .columns = columns,
        .depth = depth,
        .count = count,
        .bytes = count * (rows * depth * (double)wl_number_bytes(product->a.type) +
                          depth * columns * (double)wl_number_bytes(product->b.type) +
                          (product->has_addend ? 2 : 1) * rows * columns *
                              (double)wl_number_bytes(product->d.type)),
        .is_unaligned = !has_aligned_lines(&product->a) || !has_aligned_lines(&product->b) ||
                        !has_aligned_lines(&product->d),
    };
    return true;
}

bool wl_product_kernel_tell(const struct wl_device_library *self, const void *parameters,
                            const uint32_t grid[3], struct wl_library_work *work)
{
    const struct wl_product_kernel *kernel =
        (const struct wl_product_kernel *)((const char *)self -
                                           offsetof(struct wl_product_kernel, library));
    const struct wl_product product = product_with(kernel, parameters, grid);
    const bool is_told = wl_product_tell(&product, work);
    if (kernel->may_round && work->element == WL_LIBRARY_F32)
        work->element = WL_LIBRARY_TF32;
    return is_told;
}
