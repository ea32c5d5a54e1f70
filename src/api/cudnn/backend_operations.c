/* The operations of graphs: those of elements, products of matrices, reductions. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "api/cudnn/backend.h"
#include "api/cudnn/backend_kernels.h"
#include "api/cudnn/walk.h"
#include "base/count.h"

/* ---- operands ---- */

bool wl_cudnn_can_spread(const struct wl_cudnn_tensor *tensor, const struct wl_cudnn_tensor *over)
{
    bool can = tensor->rank == over->rank;
    for (int i = 0; can && i < tensor->rank; i++)
        can = tensor->dims[i] == over->dims[i] || tensor->dims[i] == 1;
    return can;
}

/* As kernels are told it. */
static int type_of(const struct wl_cudnn_place *place)
{
    return place->is_bits ? WL_DNN_GRAPH_BITS : place->shape.type;
}

struct wl_dnn_graph_operand wl_cudnn_operand(const struct wl_cudnn_place *place, double factor)
{
    struct wl_dnn_graph_operand made = {
        .data = place->data, .value = place->value, .factor = factor, .type = type_of(place)};
    for (int i = 0; i < place->shape.rank; i++)
        made.strides[i] = place->shape.dims[i] == 1 ? 0 : place->shape.strides[i];
    return made;
}

/* With 2^(n-1) < size <= 2^n the factor is above 2^(31+n) / size by less than 1, and below 2^32. */
bool wl_cudnn_graph_dims(struct wl_dnn_graph_dims *made, int rank, const int *sizes, int *count)
{
    long long product = 1;
    made->rank = rank;
    for (int i = 0; i < rank; i++) {
        unsigned n = 0;
        while (1ull << n < (unsigned long long)sizes[i])
            n++;
        made->sizes[i] = sizes[i];
        made->shifts[i] = 31 + n;
        made->factors[i] = (unsigned)((1ull << (31 + n)) / (unsigned)sizes[i] + 1);
        product *= sizes[i];
        if (product > INT_MAX)
            return false;
    }
    *count = (int)product;
    return true;
}

static bool is_countable(const struct wl_cudnn_tensor *tensor)
{
    return wl_cudnn_tensor_count(tensor) <= INT_MAX;
}

static int run(const char *name, int type, long long count, void *stream, void *arguments)
{
    return wl_cudnn_run(&wl_cudnn_graph_kernels, name, type, (uint64_t)count, stream, &arguments);
}

/* Sums of products are double-precision ones if any of the tensors is of doubles. */
static int sum_type(const struct wl_cudnn_place *places, int count)
{
    int type = WL_CUDNN_FLOAT;
    for (int i = 0; i < count; i++)
        type = places[i].shape.type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : type;
    return type;
}

/* ---- operations of elements ---- */

enum place { Y, DX, X, B, T, DY };
enum needs { NEEDS_X = 1 << X, NEEDS_B = 1 << B, NEEDS_T = 1 << T, NEEDS_DY = 1 << DY };

/* What an operation of cudnnPointwiseMode_t reads; 0: there is no such, or it is not computed. */
static unsigned needs_of(int64_t mode)
{
    static const struct {
        int first, last;
        unsigned needs;
    } rows[] = {
        {0, 3, NEEDS_X | NEEDS_B},
        {4, 4, NEEDS_X},
        {5, 9, NEEDS_X | NEEDS_B},
        {10, 22, NEEDS_X},
        {23, 23, NEEDS_X | NEEDS_B},
        {100, 107, NEEDS_X},
        {200, 207, NEEDS_X | NEEDS_DY},
        {300, 305, NEEDS_X | NEEDS_B},
        {400, 401, NEEDS_X | NEEDS_B},
        {402, 402, NEEDS_X},
        {501, 501, NEEDS_X},
        {601, 601, NEEDS_X | NEEDS_B | NEEDS_T},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (mode >= rows[i].first && mode <= rows[i].last)
            return rows[i].needs;
    return 0;
}

/* Whether its elements lie one after the other, in the order of the dimensions. */
static bool is_in_order(const struct wl_cudnn_tensor *tensor)
{
    long long stride = 1;
    for (int i = tensor->rank - 1; i >= 0; i--) {
        if (tensor->dims[i] > 1 && tensor->strides[i] != stride)
            return false;
        stride *= tensor->dims[i];
    }
    return true;
}

static int check_pointwise(const struct wl_cudnn_place *places, unsigned needs, int out)
{
    const struct wl_cudnn_tensor *made = &places[out].shape;
    if (!made->rank || places[out].is_value)
        return WL_CUDNN_BAD_PARAM;
    for (int i = X; i <= DY; i++) {
        if (!(needs >> i & 1))
            continue;
        if (!places[i].shape.rank || !wl_cudnn_can_spread(&places[i].shape, made))
            return WL_CUDNN_BAD_PARAM;
    }
    return wl_cudnn_is_writable(made) && is_countable(made) &&
                   (!places[out].is_bits || is_in_order(made))
               ? WL_CUDNN_OK
               : WL_CUDNN_NOT_SUPPORTED;
}

/* The bounds of a ReLU; NaN: there is no upper one. A plain one's gradient goes through at
 * infinity, that of one with other bounds ends at the greatest number, as cuDNN 9 was seen to do.
 */
static int read_bounds(const struct wl_cudnn_node *pointwise, int64_t mode, double *lower,
                       double *upper, double *slope)
{
    enum { RELU = 100, RELU_BACK = 200 };
    *lower = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_LOWER, 0);
    *upper = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_UPPER, FLT_MAX);
    *slope = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_SLOPE, 0);
    if ((mode == RELU || mode == RELU_BACK) && *lower > *upper)
        return WL_CUDNN_BAD_PARAM;
    if (*upper >= FLT_MAX && (mode == RELU || (*lower == 0 && *slope == 0)))
        *upper = NAN;
    return WL_CUDNN_OK;
}

/* Takes dimensions for one where all operands' elements go on as in the one after it, unless there
 * is an axis to be told apart. */
static void merge(struct wl_dnn_graph_pointwise *of, int rank, const int *dims)
{
    struct wl_dnn_graph_operand *const operands[] = {&of->out, &of->x, &of->b, &of->t};
    int merged[WL_DNN_GRAPH_RANK], made = 0;
    for (int d = 0; d < rank; d++) {
        bool goes_on = made > 0 && of->axis < 0;
        for (size_t i = 0; i < WL_COUNT(operands); i++)
            goes_on &=
                made > 0 && operands[i]->strides[made - 1] == operands[i]->strides[d] * dims[d];
        if (!goes_on)
            merged[made++] = 1;
        merged[made - 1] *= dims[d];
        for (size_t i = 0; i < WL_COUNT(operands); i++)
            operands[i]->strides[made - 1] = operands[i]->strides[d];
    }
    wl_cudnn_graph_dims(&of->dims, made, merged, &of->count);
}

int wl_cudnn_operation_pointwise(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                                 struct wl_cudnn_pass *pass)
{
    enum { INDEX = 501 };
    const struct wl_cudnn_node *pointwise = wl_cudnn_part(self, WL_CUDNN_OF_POINTWISE_POINTWISE);
    const int64_t mode = wl_cudnn_number(pointwise, WL_CUDNN_POINTWISE_MODE, 0);
    const unsigned needs = needs_of(mode);
    const int out = needs & NEEDS_DY ? DX : Y, second = needs & NEEDS_DY ? DY : B,
              axis = (int)wl_cudnn_number(pointwise, WL_CUDNN_POINTWISE_AXIS, -1);
    double lower, upper, slope;
    int status = read_bounds(pointwise, mode, &lower, &upper, &slope);
    if (!needs || status || (mode == INDEX && (axis < 0 || axis >= places[out].shape.rank)))
        return WL_CUDNN_BAD_PARAM;
    status = check_pointwise(places, needs, out);
    if (status || !pass->is_run)
        return status;
    struct wl_dnn_graph_pointwise of = {
        .out = wl_cudnn_operand(&places[out], 1),
        .x = wl_cudnn_operand(&places[X], wl_cudnn_real(self, WL_CUDNN_OF_POINTWISE_ALPHA, 1)),
        .b = wl_cudnn_operand(&places[second],
                              second == B ? wl_cudnn_real(self, WL_CUDNN_OF_POINTWISE_ALPHA_B, 1)
                                          : 1),
        .t = wl_cudnn_operand(&places[T], 1),
        .lower = lower,
        .upper = upper,
        .slope = slope,
        .elu = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_ELU, 1),
        .softplus = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_SOFTPLUS, 1),
        .swish = wl_cudnn_real(pointwise, WL_CUDNN_POINTWISE_SWISH, 1),
        .mode = (int)mode,
        .axis = mode == INDEX ? axis : -1,
    };
    merge(&of, places[out].shape.rank, places[out].shape.dims);
    return run("graph_pointwise", WL_CUDNN_DOUBLE, of.count, pass->stream, &of);
}

/* ---- products of matrices ---- */

static int check_matmul(const struct wl_cudnn_place *places)
{
    const struct wl_cudnn_tensor *a = &places[0].shape, *b = &places[1].shape,
                                 *c = &places[2].shape;
    const int rank = c->rank;
    if (rank < 2 || a->rank != rank || b->rank != rank || a->dims[rank - 2] != c->dims[rank - 2] ||
        b->dims[rank - 1] != c->dims[rank - 1] || a->dims[rank - 1] != b->dims[rank - 2] ||
        places[2].is_value)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 3; i < WL_CUDNN_PLACES; i++) {
        const struct wl_cudnn_tensor *count = &places[i].shape;
        if (count->rank && !wl_cudnn_can_spread(count, c))
            return WL_CUDNN_BAD_PARAM;
        if (count->rank && (places[i].is_value || count->type != WL_CUDNN_INT32))
            return WL_CUDNN_NOT_SUPPORTED;
    }
    for (int i = 0; i < rank - 2; i++)
        if (c->dims[i] % a->dims[i] || c->dims[i] % b->dims[i] ||
            (c->dims[i] != a->dims[i] && c->dims[i] != b->dims[i]))
            return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_is_writable(c) && is_countable(c) ? WL_CUDNN_OK : WL_CUDNN_NOT_SUPPORTED;
}

int wl_cudnn_operation_matmul(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                              struct wl_cudnn_pass *pass)
{
    const struct wl_cudnn_node *matmul = wl_cudnn_part(self, WL_CUDNN_OF_MATMUL_MATMUL);
    if (wl_cudnn_number(self, WL_CUDNN_OF_MATMUL_IRREGULAR, 1) != 1 ||
        wl_cudnn_real(matmul, WL_CUDNN_MATMUL_PADDING, 0) != 0)
        return WL_CUDNN_NOT_SUPPORTED;
    const int status = check_matmul(places);
    if (status || !pass->is_run)
        return status;
    struct wl_dnn_graph_matmul of = {
        .out = wl_cudnn_operand(&places[2], 1),
        .x = wl_cudnn_operand(&places[0], 1),
        .b = wl_cudnn_operand(&places[1], 1),
        .row_count = wl_cudnn_operand(&places[3], 1),
        .column_count = wl_cudnn_operand(&places[4], 1),
        .depth_count = wl_cudnn_operand(&places[5], 1),
        .depth = places[0].shape.dims[places[0].shape.rank - 1],
    };
    const int rank = places[2].shape.rank, *const dims = places[2].shape.dims;
    wl_cudnn_graph_dims(&of.dims, rank, dims, &of.count);
    for (int i = 0; i < rank; i++) { /* of rows and columns 1 */
        const bool is_matrix = i >= rank - 2;
        of.x_shared[i] = is_matrix ? 1 : dims[i] / places[0].shape.dims[i];
        of.b_shared[i] = is_matrix ? 1 : dims[i] / places[1].shape.dims[i];
    }
    return run("graph_matmul", sum_type(places, 3), of.count, pass->stream, &of);
}

/* ---- reductions ---- */

enum { SUM = 0, SUM_OF_SQUARES = 9 };

static int check_reduction(const struct wl_cudnn_place *from, const struct wl_cudnn_place *made)
{
    const struct wl_cudnn_tensor *x = &from->shape, *y = &made->shape;
    if (y->rank != x->rank || made->is_value)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < y->rank; i++)
        if (x->dims[i] % y->dims[i])
            return WL_CUDNN_BAD_PARAM;
    return wl_cudnn_is_writable(y) && is_countable(x) ? WL_CUDNN_OK : WL_CUDNN_NOT_SUPPORTED;
}

static int reduce(int mode, const struct wl_cudnn_place *from, const struct wl_cudnn_place *made,
                  void *stream)
{
    const struct wl_cudnn_tensor *x = &from->shape, *y = &made->shape;
    struct wl_dnn_graph_reduction of = {
        .out = wl_cudnn_operand(made, 1),
        .x = wl_cudnn_operand(from, 1),
        .mode = mode,
    };
    int over[WL_CUDNN_RANK_MAX];
    for (int i = 0; i < y->rank; i++)
        over[i] = x->dims[i] / y->dims[i];
    wl_cudnn_graph_dims(&of.dims, y->rank, y->dims, &of.count);
    wl_cudnn_graph_dims(&of.over, y->rank, over, &of.over_count);
    of.group = wl_cudnn_group(of.over_count);
    return run("graph_reduction", WL_CUDNN_DOUBLE, (long long)of.count * of.group, stream, &of);
}

int wl_cudnn_operation_reduction(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                                 struct wl_cudnn_pass *pass)
{
    const int64_t mode = wl_cudnn_number(wl_cudnn_part(self, WL_CUDNN_OF_REDUCTION_REDUCTION),
                                         WL_CUDNN_REDUCTION_OPERATOR, -1);
    const int status = check_reduction(&places[0], &places[1]);
    return status || !pass->is_run ? status
                                   : reduce((int)mode, &places[0], &places[1], pass->stream);
}

/* Sums, and sums of squares. */
int wl_cudnn_operation_statistics(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                                  struct wl_cudnn_pass *pass)
{
    if (wl_cudnn_number(self, WL_CUDNN_OF_STATISTICS_MODE, -1) != 0)
        return WL_CUDNN_BAD_PARAM;
    int status = check_reduction(&places[0], &places[1]);
    if (!status)
        status = check_reduction(&places[0], &places[2]);
    if (status || !pass->is_run)
        return status;
    status = reduce(SUM, &places[0], &places[1], pass->stream);
    return status ? status : reduce(SUM_OF_SQUARES, &places[0], &places[2], pass->stream);
}

/* ---- memory taken for another tensor, random numbers ---- */

/* The same memory with other dimensions and strides, which both fill it. */
int wl_cudnn_operation_reshape(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                               struct wl_cudnn_pass *pass)
{
    enum { IDENTITY = 21 };
    (void)self;
    const struct wl_cudnn_tensor *x = &places[0].shape, *y = &places[1].shape;
    const long long count = wl_cudnn_tensor_count(x);
    if (count != wl_cudnn_tensor_count(y) || places[0].is_value || places[1].is_value)
        return WL_CUDNN_BAD_PARAM;
    if ((size_t)count * wl_cudnn_graph_type_bytes(x->type) != wl_cudnn_graph_tensor_bytes(x) ||
        (size_t)count * wl_cudnn_graph_type_bytes(y->type) != wl_cudnn_graph_tensor_bytes(y) ||
        !is_countable(x))
        return WL_CUDNN_NOT_SUPPORTED;
    if (!pass->is_run)
        return WL_CUDNN_OK;
    struct wl_dnn_graph_pointwise of = {
        .out = {.data = places[1].data, .factor = 1, .type = type_of(&places[1]), .strides = {1}},
        .x = {.data = places[0].data, .factor = 1, .type = type_of(&places[0]), .strides = {1}},
        .mode = IDENTITY,
        .axis = -1,
    };
    const int size = (int)count;
    wl_cudnn_graph_dims(&of.dims, 1, &size, &of.count);
    return run("graph_pointwise", WL_CUDNN_DOUBLE, count, pass->stream, &of);
}

/* Whether a seed or an offset is one whole number in device memory; there may be none. */
static bool is_whole_number(const struct wl_cudnn_place *place)
{
    const int type = place->shape.type;
    return !place->shape.rank || ((type == WL_CUDNN_INT64 || type == WL_CUDNN_INT32) &&
                                  !place->is_value && wl_cudnn_tensor_count(&place->shape) == 1);
}

int wl_cudnn_operation_rng(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                           struct wl_cudnn_pass *pass)
{
    enum { BERNOULLI = 0, UNIFORM = 1 };
    const struct wl_cudnn_node *rng = wl_cudnn_part(self, WL_CUDNN_OF_RNG_RNG);
    const int64_t mode = wl_cudnn_number(rng, WL_CUDNN_RNG_DISTRIBUTION, -1);
    const struct wl_cudnn_tensor *y = &places[0].shape;
    if (places[0].is_value)
        return WL_CUDNN_BAD_PARAM;
    if ((mode != BERNOULLI && mode != UNIFORM) || !is_whole_number(&places[1]) ||
        !is_whole_number(&places[2]) || !wl_cudnn_is_writable(y) || !is_countable(y))
        return WL_CUDNN_NOT_SUPPORTED;
    if (!pass->is_run)
        return WL_CUDNN_OK;
    struct wl_dnn_graph_rng of = {
        .out = wl_cudnn_operand(&places[0], 1),
        .seed = wl_cudnn_operand(&places[1], 1),
        .offset = wl_cudnn_operand(&places[2], 1),
        .seed_value = places[1].shape.rank ? 0 : wl_cudnn_number(self, WL_CUDNN_OF_RNG_SEED, 0),
        .least = wl_cudnn_real(rng, WL_CUDNN_RNG_LEAST, 0),
        .most = wl_cudnn_real(rng, WL_CUDNN_RNG_MOST, 1),
        .probability = wl_cudnn_real(rng, WL_CUDNN_RNG_PROBABILITY, 0.5),
        .mode = (int)mode,
    };
    wl_cudnn_graph_dims(&of.dims, y->rank, y->dims, &of.count);
    return run("graph_rng", WL_CUDNN_DOUBLE, of.count, pass->stream, &of);
}
