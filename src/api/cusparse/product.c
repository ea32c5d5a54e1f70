/* Products of two sparse matrices, of compressed rows. All algorithms are one: the products of each
 * row are written down, sorted by column and added up, in the second of the two buffers that the
 * program gives. */
#include "api/cusparse/generic.h"

/* The calls' algorithms: ALG3 computes in chunks, of which estimates tell. */
enum { DEFAULT = 0, ALG3 = 5 };
/* Of rows and of products, at most: sizes in bytes of as many do not overflow. */
static const long long COUNT_LIMIT = 1LL << 48;

struct work {
    uint32_t magic;
    enum wl_sparse_type type;
    long long row_count, column_count;
    long long product_count; /* -1: not estimated yet */
    long long element_count; /* of the result */
    bool has_values;         /* or only where they are is known */
    bool is_copied;          /* to a matrix, whose values may be computed again */
    struct wl_product is;    /* in the program's second buffer; begins NULL: nothing is there yet */
};

/* What a call is given. */
struct given {
    const char *call;
    void *handle;
    int op_a, op_b;
    const void *alpha, *a, *b, *beta, *c;
    int compute_type, algorithm;
    struct work *work;
    bool is_pattern; /* the call is about where elements are: no factors, no type, no values */
};
#define GIVEN(name)                                                                           \
    &(struct given)                                                                           \
    {                                                                                         \
        name, handle, op_a, op_b, alpha, a, b, beta, c, compute_type, algorithm, description, \
            false                                                                             \
    }

#define PATTERN(name)                                                                       \
    &(struct given)                                                                         \
    {                                                                                       \
        .call = name, .handle = handle, .op_a = op_a, .op_b = op_b, .a = a, .b = b, .c = c, \
        .algorithm = algorithm, .work = description, .is_pattern = true                     \
    }

/* The same, looked at. */
struct taken {
    struct wl_sparse a, b;
    enum wl_sparse_type type;
    union wl_sparse_scalar alpha, beta;
    void *stream;
};

int cusparseSpGEMM_createDescr(struct work **made)
{
    if (!made)
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_PRODUCT, sizeof **made);
    (*made)->product_count = -1;
    return WL_SPARSE_OK;
}

int cusparseSpGEMM_destroyDescr(struct work *self)
{
    return wl_sparse_destroy(self, WL_SPARSE_PRODUCT);
}

/* ---- what is given ---- */

static bool is_compressed(const struct wl_sparse_matrix *self)
{
    return self->format == WL_SPARSE_CSR && self->batch_count == 1;
}

static bool has_pointers(const struct wl_sparse *self, bool is_pattern)
{
    return (!self->row_count || self->offsets) &&
           (!self->element_count || (self->columns && (self->values || is_pattern)));
}

/* 0, or the status that the call answers. */
static int take(const struct given *given, struct taken *taken)
{
    const struct wl_sparse_matrix *a = wl_sparse_matrix_check(given->a),
                                  *b = wl_sparse_matrix_check(given->b),
                                  *c = wl_sparse_matrix_check(given->c);
    const bool is_pattern = given->is_pattern;
    int status = wl_sparse_generic_stream(given->handle, &taken->stream);
    if (status)
        return status;
    if (!a || !b || !c || (!is_pattern && (!given->alpha || !given->beta)) ||
        a->format == WL_SPARSE_VECTOR || b->format == WL_SPARSE_VECTOR ||
        c->format == WL_SPARSE_VECTOR || a->type != c->type || b->type != c->type ||
        given->algorithm < DEFAULT || given->algorithm > ALG3 ||
        !wl_stand_in_check(given->work, WL_SPARSE_PRODUCT))
        return WL_SPARSE_INVALID_VALUE;
    if (given->op_a || given->op_b)
        return wl_sparse_refuse(given->call, "transposed matrices");
    if (!is_compressed(a) || !is_compressed(b) || !is_compressed(c))
        return wl_sparse_refuse(given->call, "other than compressed rows");
    if (c->type == WL_SPARSE_BYTE || c->type == WL_SPARSE_INTEGER ||
        (!is_pattern && given->compute_type != (int)c->type))
        return wl_sparse_refuse_types(given->call);
    if (a->is.row_count != c->is.row_count || b->is.column_count != c->is.column_count ||
        a->is.column_count != b->is.row_count || !has_pointers(&a->is, is_pattern) ||
        !has_pointers(&b->is, is_pattern))
        return WL_SPARSE_INVALID_VALUE;
    if (a->is.row_count >= COUNT_LIMIT)
        return WL_SPARSE_INSUFFICIENT_RESOURCES;
    taken->a = a->is;
    taken->b = b->is;
    taken->type = c->type;
    taken->alpha = taken->beta = (union wl_sparse_scalar){{0}};
    if (!is_pattern) {
        taken->alpha = wl_sparse_read_scalar(given->alpha, c->type);
        taken->beta = wl_sparse_read_scalar(given->beta, c->type);
    }
    return WL_SPARSE_OK;
}

/* Whether a call is about the matrices that the work was estimated of. */
static bool is_same(const struct work *self, const struct taken *taken)
{
    return self->type == taken->type && self->row_count == taken->a.row_count &&
           self->column_count == taken->b.column_count;
}

/* ---- how much there is to do ---- */

/* Of offsets of so many rows, with what brings a buffer to an even address. */
static size_t offset_bytes(long long row_count)
{
    return (size_t)(row_count + 1) * sizeof(long long) + WL_SPARSE_SPACE_BYTES;
}

static size_t product_bytes(const struct work *self, long long product_count)
{
    const size_t each =
        2 * (sizeof(long long) + wl_sparse_value_bytes(wl_sparse_sum_type(self->type)));
    return 2 * offset_bytes(self->row_count) + (size_t)product_count * each;
}

static long long *aligned(void *space)
{
    const uintptr_t mask = sizeof(long long) - 1;
    return (long long *)(((uintptr_t)space + mask) & ~mask);
}

/* Turns the counts there into offsets; gives their sum. */
static int sum_up(long long *counts, long long row_count, void *stream, long long *sum)
{
    int is_wide = 1;
    long long base = 0;
    int status = wl_sparse_run("sum_up", WL_SPARSE_NO_VALUES, 1, stream,
                               (void *[]){&counts, &is_wide, &row_count, &base});
    if (!status)
        status = wl_sparse_wait(stream);
    if (!status) /* which the host can read here */
        *sum = counts[row_count];
    return status;
}

/* Where the products of each row begin; how many there are in all. */
static int find_begins(struct taken *taken, long long *begins, long long *product_count)
{
    int status = wl_sparse_run("count_products", WL_SPARSE_NO_VALUES, taken->a.row_count,
                               taken->stream, (void *[]){&taken->a, &taken->b, &begins});
    if (!status)
        status = sum_up(begins, taken->a.row_count, taken->stream, product_count);
    if (!status && (*product_count < 0 || *product_count >= COUNT_LIMIT))
        status = WL_SPARSE_INSUFFICIENT_RESOURCES;
    return status;
}

static int estimate(const struct given *given, size_t *size_bytes, void *space)
{
    struct taken taken;
    long long product_count = -1;
    int status = take(given, &taken);
    if (!status && !size_bytes)
        status = WL_SPARSE_INVALID_VALUE;
    if (status)
        return status;
    const size_t needed_bytes = offset_bytes(taken.a.row_count);
    if (!space) {
        *size_bytes = needed_bytes;
        return WL_SPARSE_OK;
    }
    if (*size_bytes < needed_bytes)
        return WL_SPARSE_INSUFFICIENT_RESOURCES;
    status = find_begins(&taken, aligned(space), &product_count);
    *given->work = (struct work){.magic = WL_SPARSE_PRODUCT,
                                 .type = taken.type,
                                 .row_count = taken.a.row_count,
                                 .column_count = taken.b.column_count,
                                 .product_count = status ? -1 : product_count};
    return status;
}

int cusparseSpGEMM_workEstimation(void *handle, int op_a, int op_b, const void *alpha,
                                  const void *a, const void *b, const void *beta, const void *c,
                                  int compute_type, int algorithm, struct work *description,
                                  size_t *size_bytes, void *space)
{
    return estimate(GIVEN("cusparseSpGEMM_workEstimation"), size_bytes, space);
}

int cusparseSpGEMM_getNumProducts(struct work *description, int64_t *product_count)
{
    if (!wl_stand_in_check(description, WL_SPARSE_PRODUCT) || !product_count ||
        description->product_count < 0)
        return WL_SPARSE_INVALID_VALUE;
    *product_count = description->product_count;
    return WL_SPARSE_OK;
}

/* The products are counted already: an estimate takes no space. */
int cusparseSpGEMM_estimateMemory(void *handle, int op_a, int op_b, const void *alpha,
                                  const void *a, const void *b, const void *beta, const void *c,
                                  int compute_type, int algorithm, struct work *description,
                                  float chunk_fraction, size_t *size_bytes, void *space,
                                  size_t *product_size_bytes)
{
    struct taken taken;
    int status = take(GIVEN("cusparseSpGEMM_estimateMemory"), &taken);
    if (status)
        return status;
    if (description->product_count < 0 || !is_same(description, &taken) || !size_bytes ||
        (space && !product_size_bytes) ||
        (algorithm == ALG3 && !(chunk_fraction > 0 && chunk_fraction <= 1)))
        return WL_SPARSE_INVALID_VALUE;
    if (!space)
        return wl_sparse_give_size(size_bytes);
    *product_size_bytes = product_bytes(description, description->product_count);
    return WL_SPARSE_OK;
}

/* ---- the product ---- */

/* Counts what is to be done again, as the first buffer may be freed and the matrices may have
 * changed since. */
static int find_places(struct taken *taken, struct work *self, size_t size_bytes, void *space)
{
    struct wl_product *is = &self->is;
    long long *begins = aligned(space);
    int status = size_bytes < product_bytes(self, self->product_count)
                     ? WL_SPARSE_INSUFFICIENT_RESOURCES
                     : find_begins(taken, begins, &is->product_count);
    if (!status && size_bytes < product_bytes(self, is->product_count))
        status = WL_SPARSE_INSUFFICIENT_RESOURCES;
    if (status)
        return status;
    self->product_count = is->product_count;
    is->begins = begins;
    is->offsets = begins + self->row_count + 1;
    is->columns = is->offsets + self->row_count + 1;
    is->values = is->columns + 2 * is->product_count;
    return WL_SPARSE_OK;
}

static int compute(struct taken *taken, struct work *self, int with_values, size_t size_bytes,
                   void *space, struct wl_sparse *c)
{
    int status = find_places(taken, self, size_bytes, space);
    if (!status)
        status =
            wl_sparse_run("product", taken->type, self->row_count, taken->stream,
                          (void *[]){&taken->a, &taken->b, &self->is, &taken->alpha, &with_values});
    if (!status)
        status = sum_up(self->is.offsets, self->row_count, taken->stream, &self->element_count);
    if (!status && !c->has_wide_offsets && self->element_count > INT32_MAX - c->base)
        status = WL_SPARSE_INSUFFICIENT_RESOURCES;
    self->has_values = with_values;
    self->is_copied = false;
    if (status)
        self->is.begins = NULL;
    else
        c->element_count = self->element_count;
    return status;
}

int cusparseSpGEMM_compute(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                           const void *b, const void *beta, void *c, int compute_type,
                           int algorithm, struct work *description, size_t *size_bytes, void *space)
{
    struct taken taken;
    int status = take(GIVEN("cusparseSpGEMM_compute"), &taken);
    if (status)
        return status;
    if (description->product_count < 0 || !is_same(description, &taken) || !size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    if (!space) {
        *size_bytes = product_bytes(description, description->product_count);
        return WL_SPARSE_OK;
    }
    struct wl_sparse_matrix *result = c;
    return compute(&taken, description, 1, *size_bytes, space, &result->is);
}

static int copy(struct taken *taken, struct work *self, int with_values, struct wl_sparse *c)
{
    if (!self->is.begins || self->has_values != (with_values != 0) || !is_same(self, taken))
        return WL_SPARSE_INVALID_VALUE;
    c->element_count = self->element_count;
    if (!has_pointers(c, !with_values))
        return WL_SPARSE_INVALID_VALUE;
    if (!c->offsets) /* which a matrix without rows may lack */
        return WL_SPARSE_OK;
    return wl_sparse_run("put_product", taken->type, self->row_count + 1, taken->stream,
                         (void *[]){&self->is, c, &taken->beta, &with_values});
}

int cusparseSpGEMM_copy(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                        const void *b, const void *beta, void *c, int compute_type, int algorithm,
                        struct work *description)
{
    struct taken taken;
    struct wl_sparse_matrix *result = c;
    int status = take(GIVEN("cusparseSpGEMM_copy"), &taken);
    return status ? status : copy(&taken, description, 1, &result->is);
}

/* ---- values computed again, where elements are known ---- */

int cusparseSpGEMMreuse_workEstimation(void *handle, int op_a, int op_b, const void *a,
                                       const void *b, const void *c, int algorithm,
                                       struct work *description, size_t *size_bytes, void *space)
{
    return estimate(PATTERN("cusparseSpGEMMreuse_workEstimation"), size_bytes, space);
}

/* Of the three buffers the last is used, as programs keep it until the copy. */
int cusparseSpGEMMreuse_nnz(void *handle, int op_a, int op_b, const void *a, const void *b, void *c,
                            int algorithm, struct work *description, size_t *size_bytes,
                            void *space, size_t *other_size_bytes, void *other_space,
                            size_t *product_size_bytes, void *product_space)
{
    struct taken taken;
    struct wl_sparse_matrix *result = c;
    int status = take(PATTERN("cusparseSpGEMMreuse_nnz"), &taken);
    if (status)
        return status;
    if (description->product_count < 0 || !is_same(description, &taken) || !size_bytes ||
        !other_size_bytes || !product_size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    if (space && other_space && product_space)
        return compute(&taken, description, 0, *product_size_bytes, product_space, &result->is);
    if (space || other_space || product_space)
        return WL_SPARSE_INVALID_VALUE;
    *product_size_bytes = product_bytes(description, description->product_count);
    wl_sparse_give_size(other_size_bytes);
    return wl_sparse_give_size(size_bytes);
}

int cusparseSpGEMMreuse_copy(void *handle, int op_a, int op_b, const void *a, const void *b,
                             void *c, int algorithm, struct work *description, size_t *size_bytes,
                             void *space)
{
    struct taken taken;
    struct wl_sparse_matrix *result = c;
    int status = take(PATTERN("cusparseSpGEMMreuse_copy"), &taken);
    if (status)
        return status;
    if (!size_bytes || !description->is.begins)
        return WL_SPARSE_INVALID_VALUE;
    if (!space)
        return wl_sparse_give_size(size_bytes);
    status = copy(&taken, description, 0, &result->is);
    description->is_copied = !status;
    return status;
}

int cusparseSpGEMMreuse_compute(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                                const void *b, const void *beta, void *c, int compute_type,
                                int algorithm, struct work *description)
{
    struct taken taken;
    struct wl_sparse_matrix *result = c;
    int status = take(GIVEN("cusparseSpGEMMreuse_compute"), &taken);
    if (status)
        return status;
    if (!description->is_copied || !is_same(description, &taken) ||
        result->is.element_count != description->element_count || !has_pointers(&result->is, false))
        return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_run("fill_product", taken.type, taken.a.row_count, taken.stream,
                         (void *[]){&taken.a, &taken.b, &result->is, &taken.alpha, &taken.beta});
}
