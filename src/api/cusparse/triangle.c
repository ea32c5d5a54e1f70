/* Sparse triangles: the generic calls that solve. */
#include <string.h>

#include "api/cusparse/generic.h"

/* What solving knows: values that the program has given since the analysis. */
struct work {
    uint32_t magic;
    bool is_analysed;
    enum wl_sparse_type type;
    long long row_count, stored_count;
    void *values, *diagonals; /* copies in device memory; NULL: the matrix's own */
};

static int create(struct work **made)
{
    if (!made)
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_WORK, sizeof **made);
    return WL_SPARSE_OK;
}

static void forget(struct work *self)
{
    if (self->values)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, self->values);
    if (self->diagonals)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, self->diagonals);
    self->values = self->diagonals = NULL;
}

static int destroy(struct work *self)
{
    if (!self)
        return WL_SPARSE_OK;
    if (!wl_stand_in_check(self, WL_SPARSE_WORK))
        return WL_SPARSE_INVALID_VALUE;
    forget(self);
    wl_stand_in_destroy(self, WL_SPARSE_WORK);
    return WL_SPARSE_OK;
}

struct given {
    const char *call;
    void *handle;
    int op_a, op_b;
    const void *alpha, *a, *x, *y;
    int compute_type, algorithm;
    struct work *work;
};
#define GIVEN_VECTOR(name)                                                 \
    &(struct given)                                                        \
    {                                                                      \
        name, handle, op, 0, alpha, a, x, y, compute_type, algorithm, work \
    }
#define GIVEN(name)                                                             \
    &(struct given)                                                             \
    {                                                                           \
        name, handle, op_a, op_b, alpha, a, b, c, compute_type, algorithm, work \
    }

struct taken {
    const struct wl_sparse_matrix *a;
    const struct wl_sparse_dense *x, *y;
    void *stream;
};

/* 0, or the status that the call answers. */
static int take(const struct given *given, struct taken *taken)
{
    int status = wl_sparse_generic_stream(given->handle, &taken->stream);
    if (status)
        return status;
    taken->a = wl_sparse_matrix_check(given->a);
    taken->x = wl_sparse_dense_check(given->x);
    taken->y = wl_sparse_dense_check(given->y);
    if (!taken->a || !taken->x || !taken->y || !given->alpha ||
        !wl_sparse_is_operation_of(given->op_a, taken->a->type) ||
        !wl_sparse_is_operation(given->op_b) || given->algorithm != 0 ||
        !wl_stand_in_check(given->work, WL_SPARSE_WORK) || taken->a->format == WL_SPARSE_VECTOR)
        return WL_SPARSE_INVALID_VALUE;
    const struct wl_sparse *own = &taken->a->is;
    const struct wl_dense x = given->op_b ? wl_sparse_transposed(taken->x->is) : taken->x->is;
    if (own->row_count != own->column_count || x.row_count != own->row_count ||
        taken->y->is.row_count != own->row_count || taken->y->is.column_count != x.column_count)
        return WL_SPARSE_INVALID_VALUE;
    if (!wl_sparse_is_operation_of(given->op_b, taken->x->type))
        return WL_SPARSE_NOT_SUPPORTED;
    if (taken->a->batch_count > 1 || taken->x->batch_count > 1 || taken->y->batch_count > 1)
        return wl_sparse_refuse(given->call, "batches");
    if (taken->a->format == WL_SPARSE_CSC || own->form == WL_SPARSE_BLOCKS ||
        own->form == WL_SPARSE_ELLPACK)
        return wl_sparse_refuse(given->call, "this format");
    const char *kind = wl_sparse_product_kind((int)taken->a->type, (int)taken->x->type,
                                              (int)taken->y->type, given->compute_type);
    return kind && strchr("sdcz", *kind) && !kind[1] ? WL_SPARSE_OK
                                                     : wl_sparse_refuse_types(given->call);
}

static int give_size(const struct given *given, size_t *size_bytes)
{
    struct taken taken;
    int status = take(given, &taken);
    return status ? status : wl_sparse_give_size(size_bytes);
}

static int analyse(const struct given *given)
{
    struct taken taken;
    int status = take(given, &taken);
    if (status)
        return status;
    forget(given->work);
    given->work->is_analysed = true;
    given->work->type = taken.a->type;
    given->work->row_count = taken.a->is.row_count;
    given->work->stored_count =
        taken.a->is.form == WL_SPARSE_SLICES ? taken.a->stored_count : taken.a->is.element_count;
    return WL_SPARSE_OK;
}

static int solve(const struct given *given)
{
    struct taken taken;
    int status = take(given, &taken);
    if (status)
        return status;
    if (!given->work->is_analysed)
        return WL_SPARSE_NOT_INITIALIZED;
    struct wl_sparse own = taken.a->is;
    struct wl_dense to = taken.y->is,
                    from = given->op_b ? wl_sparse_transposed(taken.x->is) : taken.x->is;
    union wl_sparse_scalar copy;
    void *const factor = wl_sparse_factor(given->handle, given->alpha, taken.y->type, &copy);
    struct wl_triangle how = {.is_upper = taken.a->is_upper,
                              .is_unit = taken.a->is_unit,
                              .is_transposed = given->op_a != WL_SPARSE_PLAIN,
                              .is_conjugate = given->op_a == WL_SPARSE_CONJUGATE,
                              .is_right_conjugate = given->op_b == WL_SPARSE_CONJUGATE};
    own.values = given->work->values ? given->work->values : own.values;
    return wl_sparse_run("solve", taken.y->type, to.column_count, taken.stream,
                         (void *[]){&own, &from, &to, factor, &given->work->diagonals, &how});
}

/* Values of all elements (0), or of the diagonal (1), are kept for what is solved from now on. */
static int update(void *handle, struct work *self, void *values, int what)
{
    void *stream, *made, **to = what ? &self->diagonals : &self->values;
    int status = wl_sparse_generic_stream(handle, &stream);
    if (status)
        return status;
    if (!wl_stand_in_check(self, WL_SPARSE_WORK) || !values || what < 0 || what > 1 ||
        !self->is_analysed)
        return WL_SPARSE_INVALID_VALUE;
    const size_t bytes =
        (size_t)(what ? self->row_count : self->stored_count) * wl_sparse_value_bytes(self->type);
    if (!what)
        forget(self);
    if (!bytes)
        return WL_SPARSE_OK;
    if (!*to && wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &made))
        return WL_SPARSE_ALLOC_FAILED;
    *to = *to ? *to : made;
    const struct wl_device_copy copy = {.to = *to,
                                        .from = values,
                                        .width_bytes = bytes,
                                        .height = 1,
                                        .depth = 1,
                                        .direction = WL_DEVICE_BY_ADDRESS,
                                        .stream = stream};
    return wl_device_memory_copy(&copy) ? WL_SPARSE_EXECUTION_FAILED : WL_SPARSE_OK;
}

#define NAMES(Name)                                                                            \
    int cusparse##Name##_createDescr(struct work **made)                                       \
    {                                                                                          \
        return create(made);                                                                   \
    }                                                                                          \
    int cusparse##Name##_destroyDescr(struct work *self)                                       \
    {                                                                                          \
        return destroy(self);                                                                  \
    }                                                                                          \
    int cusparse##Name##_updateMatrix(void *handle, struct work *self, void *values, int what) \
    {                                                                                          \
        return update(handle, self, values, what);                                             \
    }
NAMES(SpSV)
NAMES(SpSM)

int cusparseSpSV_bufferSize(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *y, int compute_type, int algorithm, struct work *work,
                            size_t *size_bytes)
{
    return give_size(GIVEN_VECTOR("cusparseSpSV_bufferSize"), size_bytes);
}

int cusparseSpSV_analysis(void *handle, int op, const void *alpha, const void *a, const void *x,
                          const void *y, int compute_type, int algorithm, struct work *work,
                          void *space)
{
    (void)space;
    return analyse(GIVEN_VECTOR("cusparseSpSV_analysis"));
}

int cusparseSpSV_solve(void *handle, int op, const void *alpha, const void *a, const void *x,
                       const void *y, int compute_type, int algorithm, struct work *work)
{
    return solve(GIVEN_VECTOR("cusparseSpSV_solve"));
}

int cusparseSpSM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *c, int compute_type, int algorithm,
                            struct work *work, size_t *size_bytes)
{
    return give_size(GIVEN("cusparseSpSM_bufferSize"), size_bytes);
}

int cusparseSpSM_analysis(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                          const void *b, const void *c, int compute_type, int algorithm,
                          struct work *work, void *space)
{
    (void)space;
    return analyse(GIVEN("cusparseSpSM_analysis"));
}

int cusparseSpSM_solve(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                       const void *b, const void *c, int compute_type, int algorithm,
                       struct work *work)
{
    return solve(GIVEN("cusparseSpSM_solve"));
}
