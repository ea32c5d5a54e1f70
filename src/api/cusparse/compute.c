/* The generic calls that compute. */
#include <string.h>

#include "api/cusparse/generic.h"

union wl_sparse_scalar wl_sparse_read_scalar(const void *from, enum wl_sparse_type type)
{
    union wl_sparse_scalar made = {0};
    memcpy(&made, from, type == WL_SPARSE_DOUBLE ? sizeof made.d : sizeof made.s);
    return made;
}

static long long size_of(const struct wl_dense *dense)
{
    return dense->row_count * dense->column_count;
}

/* ---- sparse times dense ---- */

/* c = alpha * a * b + beta * c, of the transposed a where that is asked for. */
static int multiply(const struct wl_sparse *a, bool transpose, struct wl_dense b, struct wl_dense c,
                    enum wl_sparse_type type, union wl_sparse_scalar alpha,
                    union wl_sparse_scalar beta, void *stream)
{
    struct wl_sparse own = *a;
    const long long inner = transpose ? own.row_count : own.column_count;
    int is_transposed = transpose;
    if ((transpose ? own.column_count : own.row_count) != c.row_count || inner != b.row_count ||
        b.column_count != c.column_count)
        return WL_SPARSE_INVALID_VALUE;
    if (!transpose && !own.by_element)
        return wl_sparse_run("multiply", type, size_of(&c), stream,
                             (void *[]){&own, &b, &c, &alpha, &beta});
    int status = wl_sparse_run("scale", type, size_of(&c), stream, (void *[]){&c, &beta});
    const long long count = own.by_element ? own.element_count : own.row_count;
    return status ? status
                  : wl_sparse_run("scatter", type, count * c.column_count, stream,
                                  (void *[]){&own, &b, &c, &alpha, &is_transposed});
}

static int sparse_times_dense(const char *call, void *handle, int op_a, int op_b, const void *alpha,
                              const void *a_given, const void *b_given, const void *beta,
                              const void *c_given, int compute_type)
{
    const struct wl_sparse_matrix *a = wl_sparse_matrix_check(a_given);
    const struct wl_sparse_dense *b = wl_sparse_dense_check(b_given),
                                 *c = wl_sparse_dense_check(c_given);
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (!a || !b || !c || !alpha || !beta || a->type != c->type || b->type != c->type)
        return WL_SPARSE_INVALID_VALUE;
    status = wl_sparse_types(call, (int)c->type, compute_type);
    for (int i = 0; !status && i < c->batch_count; i++) {
        struct wl_sparse own = wl_sparse_member(a, a->batch_count > 1 ? i : 0);
        struct wl_dense from = wl_sparse_dense_member(b, b->batch_count > 1 ? i : 0);
        status = multiply(&own, (op_a != 0) != a->is_transposed,
                          op_b ? wl_sparse_transposed(from) : from, wl_sparse_dense_member(c, i),
                          c->type, wl_sparse_read_scalar(alpha, c->type),
                          wl_sparse_read_scalar(beta, c->type), stream);
    }
    return status;
}

int cusparseSpMV_bufferSize(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *beta, const void *y, int compute_type, int algorithm,
                            size_t *size_bytes)
{
    (void)handle, (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute_type;
    (void)algorithm;
    return wl_sparse_give_size(size_bytes);
}

int cusparseSpMV_preprocess(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *beta, const void *y, int compute_type, int algorithm,
                            void *space)
{
    (void)handle, (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute_type;
    (void)algorithm, (void)space;
    return WL_SPARSE_OK;
}

int cusparseSpMV(void *handle, int op, const void *alpha, const void *a, const void *x,
                 const void *beta, const void *y, int compute_type, int algorithm, void *space)
{
    (void)algorithm, (void)space;
    return sparse_times_dense("cusparseSpMV", handle, op, 0, alpha, a, x, beta, y, compute_type);
}

int cusparseSpMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *beta, const void *c, int compute_type,
                            int algorithm, size_t *size_bytes)
{
    (void)handle, (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c;
    (void)compute_type, (void)algorithm;
    return wl_sparse_give_size(size_bytes);
}

int cusparseSpMM_preprocess(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *beta, const void *c, int compute_type,
                            int algorithm, void *space)
{
    (void)handle, (void)op_a, (void)op_b, (void)alpha, (void)a, (void)b, (void)beta, (void)c;
    (void)compute_type, (void)algorithm, (void)space;
    return WL_SPARSE_OK;
}

int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, const void *a, const void *b,
                 const void *beta, const void *c, int compute_type, int algorithm, void *space)
{
    (void)algorithm, (void)space;
    return sparse_times_dense("cusparseSpMM", handle, op_a, op_b, alpha, a, b, beta, c,
                              compute_type);
}

/* ---- elements of a product of dense matrices ---- */

int cusparseSDDMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                             const void *b, const void *beta, const void *c, int compute_type,
                             int algorithm, size_t *size_bytes)
{
    return cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, a, b, beta, c, compute_type,
                                   algorithm, size_bytes);
}

int cusparseSDDMM_preprocess(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                             const void *b, const void *beta, const void *c, int compute_type,
                             int algorithm, void *space)
{
    return cusparseSpMM_preprocess(handle, op_a, op_b, alpha, a, b, beta, c, compute_type,
                                   algorithm, space);
}

int cusparseSDDMM(void *handle, int op_a, int op_b, const void *alpha, const void *a_given,
                  const void *b_given, const void *beta, const void *c_given, int compute_type,
                  int algorithm, void *space)
{
    const struct wl_sparse_dense *a = wl_sparse_dense_check(a_given),
                                 *b = wl_sparse_dense_check(b_given);
    const struct wl_sparse_matrix *c = wl_sparse_matrix_check(c_given);
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    (void)algorithm, (void)space;
    if (status)
        return status;
    if (!a || !b || !c || !alpha || !beta || a->type != c->type || b->type != c->type)
        return WL_SPARSE_INVALID_VALUE;
    if (c->is.by_element || c->is_transposed) {
        wl_device_refuse("cusparseSDDMM (cuSPARSE) of other than compressed rows");
        return WL_SPARSE_NOT_SUPPORTED;
    }
    status = wl_sparse_types("cusparseSDDMM", (int)c->type, compute_type);
    for (int i = 0; !status && i < c->batch_count; i++) {
        struct wl_dense left = wl_sparse_dense_member(a, a->batch_count > 1 ? i : 0);
        struct wl_dense right = wl_sparse_dense_member(b, b->batch_count > 1 ? i : 0);
        struct wl_sparse own = wl_sparse_member(c, i);
        union wl_sparse_scalar factors[2] = {wl_sparse_read_scalar(alpha, c->type),
                                             wl_sparse_read_scalar(beta, c->type)};
        left = op_a ? wl_sparse_transposed(left) : left;
        right = op_b ? wl_sparse_transposed(right) : right;
        if (left.row_count != own.row_count || right.column_count != own.column_count ||
            left.column_count != right.row_count)
            return WL_SPARSE_INVALID_VALUE;
        status = wl_sparse_run("sample", c->type, own.row_count, stream,
                               (void *[]){&left, &right, &own, &factors[0], &factors[1]});
    }
    return status;
}

/* ---- sparse vectors ---- */

/* What a call on a sparse vector x and a dense one y is given: 0, or the status it answers. */
static int take_vectors(const char *call, void *handle, const void *x_given, const void *y_given,
                        const struct wl_sparse_matrix **x, const struct wl_sparse_dense **y,
                        void **stream)
{
    int status = wl_sparse_stream(handle, stream);
    *x = wl_sparse_matrix_check(x_given);
    *y = wl_sparse_dense_check(y_given);
    if (status)
        return status;
    if (!*x || !*y || !(*x)->is_vector || (*x)->type != (*y)->type)
        return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_types(call, (int)(*x)->type, (int)(*y)->type);
}

int cusparseAxpby(void *handle, const void *alpha, const void *x_given, const void *beta,
                  const void *y_given)
{
    const struct wl_sparse_matrix *x;
    const struct wl_sparse_dense *y;
    void *stream;
    int status = take_vectors("cusparseAxpby", handle, x_given, y_given, &x, &y, &stream);
    if (!status && (!alpha || !beta))
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    struct wl_sparse from = x->is;
    struct wl_dense to = y->is;
    union wl_sparse_scalar factors[2] = {wl_sparse_read_scalar(alpha, x->type),
                                         wl_sparse_read_scalar(beta, x->type)};
    status = wl_sparse_run("scale", x->type, size_of(&to), stream, (void *[]){&to, &factors[1]});
    return status ? status
                  : wl_sparse_run("axpy", x->type, from.element_count, stream,
                                  (void *[]){&from, &to.values, &factors[0]});
}

int cusparseGather(void *handle, const void *y_given, const void *x_given)
{
    const struct wl_sparse_matrix *x;
    const struct wl_sparse_dense *y;
    void *stream;
    int status = take_vectors("cusparseGather", handle, x_given, y_given, &x, &y, &stream);
    if (status)
        return status;
    struct wl_sparse to = x->is;
    void *from = y->is.values;
    return wl_sparse_run("gather", x->type, to.element_count, stream, (void *[]){&from, &to});
}

int cusparseScatter(void *handle, const void *x_given, const void *y_given)
{
    const struct wl_sparse_matrix *x;
    const struct wl_sparse_dense *y;
    void *stream;
    int status = take_vectors("cusparseScatter", handle, x_given, y_given, &x, &y, &stream);
    if (status)
        return status;
    struct wl_sparse from = x->is;
    void *to = y->is.values;
    return wl_sparse_run("spread", x->type, from.element_count, stream, (void *[]){&from, &to});
}

int cusparseSpVV_bufferSize(void *handle, int op, const void *x, const void *y, const void *result,
                            int compute_type, size_t *size_bytes)
{
    (void)handle, (void)op, (void)x, (void)y, (void)result, (void)compute_type;
    return wl_sparse_give_size(size_bytes);
}

/* The kernel writes device memory; the result may be wanted in memory that only the host has. */
int cusparseSpVV(void *handle, int op, const void *x_given, const void *y_given, void *result,
                 int compute_type, void *space)
{
    const struct wl_sparse_matrix *x;
    const struct wl_sparse_dense *y;
    struct wl_device_allocation found;
    void *stream, *place = result;
    int status = take_vectors("cusparseSpVV", handle, x_given, y_given, &x, &y, &stream);
    (void)op, (void)space; /* of real numbers the conjugate is the number */
    if (!status && !result)
        status = WL_SPARSE_INVALID_VALUE;
    if (!status)
        status = wl_sparse_types("cusparseSpVV", (int)x->type, compute_type);
    if (status)
        return status;
    struct wl_sparse from = x->is;
    void *values = y->is.values;
    const bool is_device = wl_device_memory_find(result, &found);
    if (!is_device && wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, sizeof(double), 0, &place))
        return WL_SPARSE_ALLOC_FAILED;
    status = wl_sparse_run("dot", x->type, 1, stream, (void *[]){&from, &values, &place});
    if (is_device)
        return status;
    if (!status)
        memcpy(result, place, x->type == WL_SPARSE_DOUBLE ? sizeof(double) : sizeof(float));
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, place);
    return status;
}

/* ---- triangles ---- */

static int solve(const char *call, void *handle, int op_a, int op_b, const void *alpha,
                 const void *a_given, const void *x_given, const void *y_given, int compute_type)
{
    const struct wl_sparse_matrix *a = wl_sparse_matrix_check(a_given);
    const struct wl_sparse_dense *x = wl_sparse_dense_check(x_given),
                                 *y = wl_sparse_dense_check(y_given);
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (!a || !x || !y || !alpha || a->type != y->type || x->type != y->type)
        return WL_SPARSE_INVALID_VALUE;
    if (a->is.by_element) {
        char text[96];
        snprintf(text, sizeof text, "%s (cuSPARSE) of single elements", call);
        wl_device_refuse(text);
        return WL_SPARSE_NOT_SUPPORTED;
    }
    status = wl_sparse_types(call, (int)y->type, compute_type);
    struct wl_sparse own = a->is;
    struct wl_dense from = op_b ? wl_sparse_transposed(x->is) : x->is, to = y->is;
    union wl_sparse_scalar factor = wl_sparse_read_scalar(alpha, y->type);
    int is_upper = a->is_upper != a->is_transposed, is_unit = a->is_unit;
    int transpose = (op_a != 0) != a->is_transposed;
    if (own.row_count != own.column_count || from.row_count != own.row_count ||
        to.row_count != own.row_count || to.column_count != from.column_count)
        return WL_SPARSE_INVALID_VALUE;
    return status ? status
                  : wl_sparse_run(
                        "solve", y->type, to.column_count, stream,
                        (void *[]){&own, &from, &to, &factor, &is_upper, &is_unit, &transpose});
}

int cusparseSpSV_bufferSize(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *y, int compute_type, int algorithm, void *work,
                            size_t *size_bytes)
{
    (void)handle, (void)op, (void)alpha, (void)a, (void)x, (void)y, (void)compute_type;
    (void)algorithm, (void)work;
    return wl_sparse_give_size(size_bytes);
}

int cusparseSpSV_analysis(void *handle, int op, const void *alpha, const void *a, const void *x,
                          const void *y, int compute_type, int algorithm, void *work, void *space)
{
    (void)handle, (void)op, (void)alpha, (void)a, (void)x, (void)y, (void)compute_type;
    (void)algorithm, (void)work, (void)space;
    return WL_SPARSE_OK;
}

int cusparseSpSV_solve(void *handle, int op, const void *alpha, const void *a, const void *x,
                       const void *y, int compute_type, int algorithm, void *work)
{
    (void)algorithm, (void)work;
    return solve("cusparseSpSV_solve", handle, op, 0, alpha, a, x, y, compute_type);
}

int cusparseSpSM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *c, int compute_type, int algorithm,
                            void *work, size_t *size_bytes)
{
    (void)op_b;
    return cusparseSpSV_bufferSize(handle, op_a, alpha, a, b, c, compute_type, algorithm, work,
                                   size_bytes);
}

int cusparseSpSM_analysis(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                          const void *b, const void *c, int compute_type, int algorithm, void *work,
                          void *space)
{
    (void)op_b;
    return cusparseSpSV_analysis(handle, op_a, alpha, a, b, c, compute_type, algorithm, work,
                                 space);
}

int cusparseSpSM_solve(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                       const void *b, const void *c, int compute_type, int algorithm, void *work)
{
    (void)algorithm, (void)work;
    return solve("cusparseSpSM_solve", handle, op_a, op_b, alpha, a, b, c, compute_type);
}
