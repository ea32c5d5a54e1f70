/* Products of a sparse matrix with vectors and dense matrices, and elements of a product of dense
 * ones. */
#include <math.h>
#include <string.h>

#include "api/cusparse/generic.h"
#include "base/count.h"

static float number_of(const void *from, bool is_half)
{
    uint16_t bits;
    uint32_t wide;
    float made;
    memcpy(&bits, from, sizeof bits);
    const int exponent = bits >> 10 & 31, part = bits & 0x3ff;
    wide = (uint32_t)bits << 16;
    memcpy(&made, &wide, sizeof made);
    if (!is_half)
        return made;
    made = exponent == 31
               ? (part ? NAN : INFINITY)
               : ldexpf((float)(exponent ? part | 0x400 : part), (exponent ? exponent : 1) - 25);
    return bits & 0x8000 ? -made : made;
}

union wl_sparse_scalar wl_sparse_read_scalar(const void *from, enum wl_sparse_type type)
{
    union wl_sparse_scalar made = {{0}};
    const bool is_half = type == WL_SPARSE_HALF || type == WL_SPARSE_COMPLEX_HALF;
    const size_t bytes = wl_sparse_value_bytes(type);
    if (wl_sparse_sum_type(type) == type || type == WL_SPARSE_BYTE) {
        memcpy(&made, from, bytes);
        return made;
    }
    for (size_t i = 0; i < bytes / sizeof(uint16_t); i++)
        made.s[i] = number_of((const char *)from + i * sizeof(uint16_t), is_half);
    return made;
}

void *wl_sparse_factor(void *handle, const void *from, enum wl_sparse_type type,
                       union wl_sparse_scalar *copy)
{
    struct wl_device_allocation found;
    if (wl_sparse_points_to_device(handle) && wl_sparse_sum_type(type) == type &&
        wl_device_memory_find(from, &found))
        return (void *)(uintptr_t)from;
    *copy = wl_sparse_read_scalar(from, type);
    return copy;
}

static long long size_of(const struct wl_dense *dense)
{
    return dense->row_count * dense->column_count;
}

static size_t at_least(size_t bytes)
{
    return bytes + WL_SPARSE_SPACE_BYTES;
}

/* ---- sparse times dense ---- */

/* What a call is given. */
struct given {
    const char *call;
    void *handle;
    int op_a, op_b;
    const void *alpha, *a, *b, *beta, *c;
    int compute_type, algorithm;
    bool is_vector;
};
#define GIVEN(name)                                                                    \
    &(struct given)                                                                    \
    {                                                                                  \
        name, handle, op_a, op_b, alpha, a, b, beta, c, compute_type, algorithm, false \
    }
#define GIVEN_VECTOR(name)                                                       \
    &(struct given)                                                              \
    {                                                                            \
        name, handle, op, 0, alpha, a, x, beta, y, compute_type, algorithm, true \
    }

/* The same, looked at. */
struct taken {
    const struct wl_sparse_matrix *a;
    const struct wl_sparse_dense *b, *c;
    const char *kind, *wide_kind; /* of where sums are added up */
    enum wl_sparse_type wide_type;
    int is_transposed, conjugates;
    int batch_count;
    union wl_sparse_scalar factors[2];
    void *alpha, *beta, *stream; /* where the factors are */
};

/* Kinds whose results are too narrow to add sums up in: the kinds that do so, and that widen and
 * narrow. */
static const struct {
    const char *kind, *wide, *narrowing;
    enum wl_sparse_type wide_type;
} narrow_kinds[] = {
    {"h", "hs", "sh", WL_SPARSE_FLOAT},
    {"b", "bs", "sb", WL_SPARSE_FLOAT},
    {"H", "Hc", "cH", WL_SPARSE_COMPLEX},
    {"B", "Bc", "cB", WL_SPARSE_COMPLEX},
};

static int narrow_kind(const char *kind)
{
    for (int i = 0; i < (int)WL_COUNT(narrow_kinds); i++)
        if (!strcmp(narrow_kinds[i].kind, kind))
            return i;
    return -1;
}

static bool adds_up(const struct taken *taken)
{
    return taken->is_transposed || taken->a->is.by_element;
}

static bool fits(const struct given *given, const struct taken *taken)
{
    const bool is_transposed = taken->is_transposed;
    const struct wl_sparse *a = &taken->a->is;
    const struct wl_dense *b = &taken->b->is, *c = &taken->c->is;
    const long long rows = is_transposed ? a->column_count : a->row_count;
    const long long inner = is_transposed ? a->row_count : a->column_count;
    return rows == c->row_count && inner == (given->op_b ? b->column_count : b->row_count) &&
           (given->op_b ? b->row_count : b->column_count) == c->column_count;
}

/* Whether so many factors are those of as many products. */
static bool goes_with(int factor_count, int product_count)
{
    return factor_count == 1 || factor_count == product_count;
}

/* The number of products of a batch; 0: the counts do not go together. */
static int common_batch(const struct taken *taken)
{
    const int count = taken->c->batch_count;
    return goes_with(taken->a->batch_count, count) && goes_with(taken->b->batch_count, count)
               ? count
               : 0;
}

enum {
    ANY = -1,
    ROWS = 1 << WL_SPARSE_CSR | 1 << WL_SPARSE_CSC,
    ELEMENTS = 1 << WL_SPARSE_COO,
    BLOCKS = 1 << WL_SPARSE_BSR,
    ELL = 1 << WL_SPARSE_BLOCKED_ELL,
    SLICES = 1 << WL_SPARSE_SLICED_ELL,
};

/* The formats that each algorithm is there for, by its number. All are computed alike. */
static bool is_algorithm(int algorithm, enum wl_sparse_format format, bool is_vector)
{
    static const int of_vectors[] = {ANY, ELEMENTS, ROWS, ROWS, ELEMENTS, SLICES, BLOCKS};
    static const int of_matrices[] = {ANY, ELEMENTS, ELEMENTS, ELEMENTS, ROWS, ELEMENTS, ROWS,  0,
                                      0,   0,        0,        0,        ROWS, ELL,      BLOCKS};
    const int count = is_vector ? WL_COUNT(of_vectors) : WL_COUNT(of_matrices);
    return algorithm >= 0 && algorithm < count &&
           ((is_vector ? of_vectors : of_matrices)[algorithm] & 1 << format);
}

static bool has_format(enum wl_sparse_format format, bool is_vector)
{
    return format != (is_vector ? WL_SPARSE_BLOCKED_ELL : WL_SPARSE_SLICED_ELL);
}

/* 0, or the status that the call answers. */
static int take(const struct given *given, struct taken *taken)
{
    int status = wl_sparse_generic_stream(given->handle, &taken->stream);
    if (status)
        return status;
    taken->a = wl_sparse_matrix_check(given->a);
    taken->b = wl_sparse_dense_check(given->b);
    taken->c = wl_sparse_dense_check(given->c);
    if (!taken->a || !taken->b || !taken->c || !given->alpha || !given->beta ||
        taken->a->format == WL_SPARSE_VECTOR ||
        !wl_sparse_is_operation_of(given->op_a, (enum wl_sparse_type)given->compute_type) ||
        !wl_sparse_is_operation_of(given->op_b, taken->b->type) ||
        !is_algorithm(given->algorithm, taken->a->format, given->is_vector))
        return WL_SPARSE_INVALID_VALUE;
    taken->is_transposed = (given->op_a != WL_SPARSE_PLAIN) != taken->a->is_transposed;
    taken->conjugates = (given->op_a == WL_SPARSE_CONJUGATE) | (given->op_b == WL_SPARSE_CONJUGATE)
                                                                   << 1;
    taken->batch_count = common_batch(taken);
    if (!fits(given, taken) || !taken->batch_count)
        return WL_SPARSE_INVALID_VALUE;
    if (!has_format(taken->a->format, given->is_vector) ||
        (given->op_a &&
         (taken->a->is.form == WL_SPARSE_BLOCKS || taken->a->is.form == WL_SPARSE_ELLPACK)))
        return wl_sparse_refuse(given->call, "this format");
    taken->kind = wl_sparse_product_kind((int)taken->a->type, (int)taken->b->type,
                                         (int)taken->c->type, given->compute_type);
    if (!taken->kind || (!given->is_vector && taken->a->type != taken->b->type))
        return wl_sparse_refuse_types(given->call);
    const enum wl_sparse_type type = (enum wl_sparse_type)given->compute_type;
    taken->alpha = wl_sparse_factor(given->handle, given->alpha, type, &taken->factors[0]);
    taken->beta = wl_sparse_factor(given->handle, given->beta, type, &taken->factors[1]);
    return WL_SPARSE_OK;
}

static int add_up(const struct taken *taken, struct wl_sparse *a, struct wl_dense *b,
                  struct wl_dense *c, const char *kind, enum wl_sparse_type type)
{
    struct taken copy = *taken;
    int status = wl_sparse_run("scale", type, size_of(c), taken->stream, (void *[]){c, copy.beta});
    return status ? status
                  : wl_sparse_run_kind(
                        "scatter", kind, wl_sparse_line_count(a) * c->column_count, taken->stream,
                        (void *[]){a, b, c, copy.alpha, &copy.is_transposed, &copy.conjugates});
}

/* The same by way of a wider copy of c in the call's space. */
static int add_up_narrow(const struct taken *taken, struct wl_sparse *a, struct wl_dense *b,
                         struct wl_dense *c, int narrow, void *space)
{
    struct wl_dense wide = {space, c->row_count, c->column_count, 1, c->row_count};
    if (!space)
        return WL_SPARSE_INVALID_VALUE;
    int status = wl_sparse_run_kind("convert", narrow_kinds[narrow].wide, size_of(c), taken->stream,
                                    (void *[]){c, &wide});
    if (!status)
        status =
            add_up(taken, a, b, &wide, narrow_kinds[narrow].wide, narrow_kinds[narrow].wide_type);
    return status ? status
                  : wl_sparse_run_kind("convert", narrow_kinds[narrow].narrowing, size_of(c),
                                       taken->stream, (void *[]){&wide, c});
}

static int multiply(const struct given *given, void *space)
{
    struct taken taken;
    int status = take(given, &taken);
    if (!status && given->is_vector && !space)
        status = WL_SPARSE_INVALID_VALUE;
    for (int i = 0; !status && i < taken.batch_count; i++) {
        struct wl_sparse a = wl_sparse_member(taken.a, i);
        struct wl_dense b = wl_sparse_dense_member(taken.b, i),
                        c = wl_sparse_dense_member(taken.c, i);
        const int narrow = narrow_kind(taken.kind);
        b = given->op_b ? wl_sparse_transposed(b) : b;
        if (!adds_up(&taken))
            status = wl_sparse_run_kind(
                "multiply", taken.kind, size_of(&c), taken.stream,
                (void *[]){&a, &b, &c, taken.alpha, taken.beta, &taken.conjugates});
        else if (narrow >= 0)
            status = add_up_narrow(&taken, &a, &b, &c, narrow, space);
        else
            status = add_up(&taken, &a, &b, &c, taken.kind, taken.c->type);
    }
    return status;
}

static int give_size(const struct given *given, size_t *size_bytes)
{
    struct taken taken;
    int status = take(given, &taken);
    if (!status && !size_bytes)
        status = WL_SPARSE_INVALID_VALUE;
    if (!status)
        *size_bytes = at_least(adds_up(&taken) && narrow_kind(taken.kind) >= 0
                                   ? (size_t)size_of(&taken.c->is) * sizeof(float[2])
                                   : 0);
    return status;
}

static int prepare(const struct given *given)
{
    struct taken taken;
    return take(given, &taken);
}

int cusparseSpMV_bufferSize(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *beta, const void *y, int compute_type, int algorithm,
                            size_t *size_bytes)
{
    return give_size(GIVEN_VECTOR("cusparseSpMV_bufferSize"), size_bytes);
}

int cusparseSpMV_preprocess(void *handle, int op, const void *alpha, const void *a, const void *x,
                            const void *beta, const void *y, int compute_type, int algorithm,
                            void *space)
{
    (void)space;
    return prepare(GIVEN_VECTOR("cusparseSpMV_preprocess"));
}

int cusparseSpMV(void *handle, int op, const void *alpha, const void *a, const void *x,
                 const void *beta, const void *y, int compute_type, int algorithm, void *space)
{
    return multiply(GIVEN_VECTOR("cusparseSpMV"), space);
}

int cusparseSpMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *beta, const void *c, int compute_type,
                            int algorithm, size_t *size_bytes)
{
    return give_size(GIVEN("cusparseSpMM_bufferSize"), size_bytes);
}

int cusparseSpMM_preprocess(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                            const void *b, const void *beta, const void *c, int compute_type,
                            int algorithm, void *space)
{
    (void)space;
    return prepare(GIVEN("cusparseSpMM_preprocess"));
}

int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, const void *a, const void *b,
                 const void *beta, const void *c, int compute_type, int algorithm, void *space)
{
    return multiply(GIVEN("cusparseSpMM"), space);
}

/* ---- elements of a product of dense matrices ---- */

struct sampled {
    const struct wl_sparse_dense *a, *b;
    const struct wl_sparse_matrix *c;
    const char *kind;
    union wl_sparse_scalar factors[2];
    int batch_count, conjugates;
    void *alpha, *beta, *stream;
};

static struct wl_dense turned(const struct wl_sparse_dense *of, int i, int op)
{
    struct wl_dense is = wl_sparse_dense_member(of, i);
    return op ? wl_sparse_transposed(is) : is;
}

static int take_sampled(const struct given *given, struct sampled *taken)
{
    int status = wl_sparse_generic_stream(given->handle, &taken->stream);
    if (status)
        return status;
    taken->a = wl_sparse_dense_check(given->a);
    taken->b = wl_sparse_dense_check(given->b);
    taken->c = wl_sparse_matrix_check(given->c);
    if (!taken->a || !taken->b || !taken->c || !given->alpha || !given->beta ||
        taken->c->format == WL_SPARSE_VECTOR || !wl_sparse_is_operation(given->op_a) ||
        !wl_sparse_is_operation(given->op_b) || given->algorithm != 0)
        return WL_SPARSE_INVALID_VALUE;
    if (taken->c->format != WL_SPARSE_CSR && taken->c->format != WL_SPARSE_BSR)
        return wl_sparse_refuse(given->call, "this format");
    if (!wl_sparse_is_operation_of(given->op_a, (enum wl_sparse_type)given->compute_type) ||
        !wl_sparse_is_operation_of(given->op_b, taken->a->type))
        return WL_SPARSE_INVALID_VALUE;
    const struct wl_dense left = turned(taken->a, 0, given->op_a),
                          right = turned(taken->b, 0, given->op_b);
    const struct wl_sparse *c = &taken->c->is;
    taken->batch_count = taken->c->batch_count;
    if (left.row_count != c->row_count || right.column_count != c->column_count ||
        left.column_count != right.row_count ||
        !goes_with(taken->a->batch_count, taken->batch_count) ||
        !goes_with(taken->b->batch_count, taken->batch_count))
        return WL_SPARSE_INVALID_VALUE;
    taken->conjugates = (given->op_a == WL_SPARSE_CONJUGATE) | (given->op_b == WL_SPARSE_CONJUGATE)
                                                                   << 1;
    taken->kind = wl_sparse_product_kind((int)taken->a->type, (int)taken->b->type,
                                         (int)taken->c->type, given->compute_type);
    if (!taken->kind || taken->a->type != taken->b->type || taken->a->type == WL_SPARSE_BYTE)
        return wl_sparse_refuse_types(given->call);
    const enum wl_sparse_type type = (enum wl_sparse_type)given->compute_type;
    taken->alpha = wl_sparse_factor(given->handle, given->alpha, type, &taken->factors[0]);
    taken->beta = wl_sparse_factor(given->handle, given->beta, type, &taken->factors[1]);
    return WL_SPARSE_OK;
}

int cusparseSDDMM_bufferSize(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                             const void *b, const void *beta, const void *c, int compute_type,
                             int algorithm, size_t *size_bytes)
{
    struct sampled taken;
    int status = take_sampled(GIVEN("cusparseSDDMM_bufferSize"), &taken);
    return status ? status : wl_sparse_give_size(size_bytes);
}

int cusparseSDDMM_preprocess(void *handle, int op_a, int op_b, const void *alpha, const void *a,
                             const void *b, const void *beta, const void *c, int compute_type,
                             int algorithm, void *space)
{
    struct sampled taken;
    (void)space;
    return take_sampled(GIVEN("cusparseSDDMM_preprocess"), &taken);
}

int cusparseSDDMM(void *handle, int op_a, int op_b, const void *alpha, const void *a, const void *b,
                  const void *beta, const void *c, int compute_type, int algorithm, void *space)
{
    struct sampled taken;
    int status = take_sampled(GIVEN("cusparseSDDMM"), &taken);
    if (!status && !space)
        status = WL_SPARSE_INVALID_VALUE;
    for (int i = 0; !status && i < taken.batch_count; i++) {
        struct wl_dense left = turned(taken.a, i, op_a), right = turned(taken.b, i, op_b);
        struct wl_sparse own = wl_sparse_member(taken.c, i);
        status = wl_sparse_run_kind(
            "sample", taken.kind, wl_sparse_line_count(&own), taken.stream,
            (void *[]){&left, &right, &own, taken.alpha, taken.beta, &taken.conjugates});
    }
    return status;
}
