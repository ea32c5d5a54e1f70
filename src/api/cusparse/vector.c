/* The generic calls on sparse vectors. */
#include "api/cusparse/generic.h"
#include "device/graph/graph.h"

/* What a call on a sparse vector x and a dense one y is given. */
struct taken {
    const struct wl_sparse_matrix *x;
    const struct wl_sparse_dense *y;
    void *stream;
};

/* 0, or the status that the call answers. */
static int take(void *handle, const void *x_given, const void *y_given, struct taken *taken)
{
    int status = wl_sparse_generic_stream(handle, &taken->stream);
    if (status)
        return status;
    taken->x = wl_sparse_matrix_check(x_given);
    taken->y = wl_sparse_dense_check(y_given);
    if (!taken->x || !taken->y || taken->x->format != WL_SPARSE_VECTOR ||
        taken->x->is.column_count != taken->y->is.row_count)
        return WL_SPARSE_INVALID_VALUE;
    return WL_SPARSE_OK;
}

/* Where factors are. */
struct factors {
    void *a, *b;
    union wl_sparse_scalar copies[2];
};

/* The same, of a call that computes with factors. */
static int take_factors(const char *call, void *handle, const void *x, const void *y, const void *a,
                        const void *b, struct taken *taken, struct factors *factors)
{
    int status = take(handle, x, y, taken);
    if (!status && (!a || !b))
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    const enum wl_sparse_type type = taken->x->type;
    if (type != taken->y->type || type == WL_SPARSE_BYTE || type == WL_SPARSE_INTEGER)
        return wl_sparse_refuse_types(call);
    factors->a = wl_sparse_factor(handle, a, wl_sparse_sum_type(type), &factors->copies[0]);
    factors->b = wl_sparse_factor(handle, b, wl_sparse_sum_type(type), &factors->copies[1]);
    return WL_SPARSE_OK;
}

int cusparseAxpby(void *handle, const void *alpha, const void *x, const void *beta, const void *y)
{
    struct taken taken;
    struct factors factors;
    int status = take_factors("cusparseAxpby", handle, x, y, alpha, beta, &taken, &factors);
    if (status)
        return status;
    struct wl_sparse from = taken.x->is;
    struct wl_dense to = taken.y->is;
    status = wl_sparse_run("scale", taken.x->type, to.row_count, taken.stream,
                           (void *[]){&to, factors.b});
    return status ? status
                  : wl_sparse_run("axpy", taken.x->type, from.element_count, taken.stream,
                                  (void *[]){&from, &to.values, factors.a});
}

int cusparseRot(void *handle, const void *c, const void *s, const void *x, const void *y)
{
    struct taken taken;
    struct factors factors;
    int status = take_factors("cusparseRot", handle, x, y, c, s, &taken, &factors);
    if (status)
        return status;
    struct wl_sparse own = taken.x->is;
    void *other = taken.y->is.values;
    return wl_sparse_run("rotate", taken.x->type, own.element_count, taken.stream,
                         (void *[]){&own, &other, factors.a, factors.b});
}

/* Between a sparse vector and the same places of a dense one, of any type. */
static int move(const char *kernel, void *handle, const void *x, const void *y, bool is_gather)
{
    char kind[8];
    struct taken taken;
    int status = take(handle, x, y, &taken);
    if (!status && taken.x->type != taken.y->type)
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    struct wl_sparse own = taken.x->is;
    void *other = taken.y->is.values;
    snprintf(kind, sizeof kind, "%d", (int)wl_sparse_value_bytes(taken.x->type));
    return wl_sparse_run_kind(kernel, kind, own.element_count, taken.stream,
                              is_gather ? (void *[]){&other, &own} : (void *[]){&own, &other});
}

int cusparseGather(void *handle, const void *y, const void *x)
{
    return move("gather", handle, x, y, true);
}

int cusparseScatter(void *handle, const void *x, const void *y)
{
    return move("spread", handle, x, y, false);
}

static int take_product(const char *call, void *handle, int op, const void *x, const void *y,
                        const void *result, int compute_type, struct taken *taken,
                        const char **kind)
{
    int status = take(handle, x, y, taken);
    if (!status &&
        (!result || !wl_sparse_is_operation_of(op, taken->x->type) || op == WL_SPARSE_TRANSPOSE))
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    *kind = wl_sparse_product_kind((int)taken->x->type, (int)taken->y->type, compute_type,
                                   compute_type);
    return *kind && taken->x->type == taken->y->type ? WL_SPARSE_OK : wl_sparse_refuse_types(call);
}

int cusparseSpVV_bufferSize(void *handle, int op, const void *x, const void *y, const void *result,
                            int compute_type, size_t *size_bytes)
{
    struct taken taken;
    const char *kind;
    int status = take_product("cusparseSpVV_bufferSize", handle, op, x, y, result, compute_type,
                              &taken, &kind);
    return status ? status : wl_sparse_give_size(size_bytes);
}

/* The kernel writes device memory. A result in memory that only the host has is copied there from
 * the program's space: by the graph, where the stream is captured, as on hardware. */
static int give_host(void *result, void *space, size_t bytes, void *stream)
{
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = {.to = result,
                 .from = space,
                 .width_bytes = bytes,
                 .height = 1,
                 .depth = 1,
                 .direction = WL_DEVICE_DEVICE_TO_HOST},
    };
    struct wl_device_capture_info info = {0};
    if (wl_device_submit(&operation, stream))
        return WL_SPARSE_EXECUTION_FAILED;
    const bool is_captured =
        !wl_device_capture_query(stream, &info) && info.status != WL_DEVICE_CAPTURE_NONE;
    return is_captured ? WL_SPARSE_OK : wl_sparse_wait(stream);
}

int cusparseSpVV(void *handle, int op, const void *x, const void *y, void *result, int compute_type,
                 void *space)
{
    struct taken taken;
    struct wl_device_allocation found;
    const char *kind;
    int status =
        take_product("cusparseSpVV", handle, op, x, y, result, compute_type, &taken, &kind);
    if (status || !space)
        return status ? status : WL_SPARSE_INVALID_VALUE;
    struct wl_sparse from = taken.x->is;
    void *values = taken.y->is.values;
    int is_conjugate = op == WL_SPARSE_CONJUGATE;
    const bool is_device = wl_device_memory_find(result, &found);
    void *place = is_device ? result : space;
    status = wl_sparse_run_kind("dot", kind, 1, taken.stream,
                                (void *[]){&from, &values, &place, &is_conjugate});
    return status || is_device
               ? status
               : give_host(result, space, wl_sparse_value_bytes((enum wl_sparse_type)compute_type),
                           taken.stream);
}
