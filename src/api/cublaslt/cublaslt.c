/* cuBLASLt's multiplication over the stand-in for cuBLAS, whose objects are linked into this
 * library too. Names, numbers and layouts are those of the cuBLASLt documentation. */
#include <limits.h>
#include <string.h>

#include "api/cublas/stand_in.h"
#include "api/cublaslt/cublaslt.h"
#include "base/count.h"
#include "device/graph/graph.h"

#define DESCRIPTION_MAGIC 0x77626C44u
#define LAYOUT_MAGIC 0x77626C4Cu
#define PREFERENCE_MAGIC 0x77626C50u
#define TRANSFORM_MAGIC 0x77626C54u
#define EMULATION_MAGIC 0x77626C45u
#define EMULATION_BITS_KEPT 5 /* where a product tells how many */

extern const struct wl_embedded_file wl_embedded_cublaslt[];
struct wl_stand_in wl_lt_kernels = {.file = &wl_embedded_cublaslt[0]};

/* Of the stand-in for cuBLAS, whose handles are ours. */
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
const char *cublasGetStatusName(int status);
const char *cublasGetStatusString(int status);
int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);

int cublasLtCreate(void **handle)
{
    return cublasCreate_v2(handle);
}

int cublasLtDestroy(void *handle)
{
    return cublasDestroy_v2(handle);
}

size_t cublasLtGetVersion(void)
{
    return WL_LT_VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return WL_LT_VERSION;
}

const char *cublasLtGetStatusName(int status)
{
    return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(int status)
{
    return cublasGetStatusString(status);
}

/* ---- descriptions: attributes by number, as the program sets them, in memory of ours or the
 * program's ---- */

/* What cuBLASLt has in a kind of description. */
struct kind {
    uint32_t magic;
    unsigned count;
    struct {
        uint8_t size_bytes; /* 0: there is none of this number */
        int64_t usual;
    } items[40];
};

static const struct kind description_kind = {
    .magic = DESCRIPTION_MAGIC,
    .count = 39,
    .items = {{4, 0}, {4, 0}, {4, 0},  {4, 0}, {4, 0}, {4, 0}, {4, 2},  {4, 1}, {8, 0}, {0, 0},
              {8, 0}, {8, 0}, {8, 0},  {8, 0}, {8, 0}, {4, 0}, {0, 0},  {8, 0}, {8, 0}, {8, 0},
              {8, 0}, {8, 0}, {4, -1}, {8, 0}, {8, 0}, {1, 0}, {4, -1}, {4, 0}, {4, 0}, {8, 0},
              {8, 0}, {4, 0}, {4, 0},  {4, 0}, {4, 0}, {4, 0}, {8, 0},  {4, 0}, {8, 0}},
};
static const struct kind layout_kind = {
    .magic = LAYOUT_MAGIC,
    .count = 9,
    .items = {{4, 0}, {4, 0}, {8, 0}, {8, 0}, {8, 0}, {4, 1}, {8, 0}, {8, 0}, {4, 0}},
};
static const struct kind preference_kind = {
    .magic = PREFERENCE_MAGIC,
    .count = 13,
    .items = {{4, 0},
              {8, 0},
              {0, 0},
              {4, -1},
              {0, 0},
              {4, 256},
              {4, 256},
              {4, 256},
              {4, 256},
              {4, 0},
              {0, 0},
              {0, 0},
              {8, -1}},
};

static const struct kind transform_kind = {
    .magic = TRANSFORM_MAGIC,
    .count = 4,
    .items = {{4, 0}, {4, 0}, {4, 0}, {4, 0}},
};

/* Products are computed in their own precision whatever it says. */
static const struct kind emulation_kind = {
    .magic = EMULATION_MAGIC,
    .count = 6,
    .items = {{4, 0}, {4, 0xFFFF}, {4, 0}, {4, 0}, {4, 0}, {8, 0}},
};

static const struct kind *kind_of(const struct wl_lt_attributes *attributes)
{
    static const struct kind *const kinds[] = {&description_kind, &layout_kind, &preference_kind,
                                               &transform_kind, &emulation_kind};
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if (attributes->magic == kinds[i]->magic)
            return kinds[i];
    return NULL;
}

/* Where an attribute begins, or, of the number behind the last, how long they are. */
static size_t place_of(const struct kind *kind, unsigned number)
{
    size_t place = 0;
    for (unsigned i = 0; i < number; i++)
        place += kind->items[i].size_bytes;
    return place;
}

static void fill(struct wl_lt_attributes *attributes, const struct kind *kind)
{
    attributes->magic = kind->magic;
    for (unsigned i = 0; i < kind->count; i++)
        memcpy(attributes->bytes + place_of(kind, i), &kind->items[i].usual,
               kind->items[i].size_bytes);
}

static int create(void **made, const struct kind *kind)
{
    if (!made)
        return WL_LT_INVALID_VALUE;
    *made = wl_stand_in_create(kind->magic,
                               sizeof(struct wl_lt_attributes) + place_of(kind, kind->count));
    fill(*made, kind);
    return WL_LT_OK;
}

static int fill_opaque(void *opaque, size_t size_bytes, const struct kind *kind)
{
    if (!opaque)
        return WL_LT_INVALID_VALUE;
    if (size_bytes < sizeof(struct wl_lt_attributes) + place_of(kind, kind->count))
        return WL_LT_ALLOCATION_FAILED;
    fill(opaque, kind);
    return WL_LT_OK;
}

static int set_attribute(void *pointer, uint32_t magic, int number, const void *value,
                         size_t size_bytes)
{
    struct wl_lt_attributes *attributes = wl_stand_in_check(pointer, magic);
    const struct kind *kind = attributes ? kind_of(attributes) : NULL;
    if (!kind || !value || (unsigned)number >= kind->count || size_bytes == 0 ||
        size_bytes != kind->items[number].size_bytes)
        return WL_LT_INVALID_VALUE;
    if (magic == LAYOUT_MAGIC && number == WL_LT_LAYOUT_BATCH_MODE &&
        memcmp(value, &(int){0}, sizeof(int)) && memcmp(value, &(int){1}, sizeof(int)))
        return WL_LT_INVALID_VALUE;
    if (magic == EMULATION_MAGIC && number == EMULATION_BITS_KEPT &&
        memcmp(value, &(void *){NULL}, sizeof(void *))) {
        wl_device_refuse(
            "cublasLtEmulationDescSetAttribute (cuBLASLt) of a place for the number of "
            "bits that were kept");
        return WL_LT_NOT_SUPPORTED;
    }
    memcpy(attributes->bytes + place_of(kind, (unsigned)number), value, size_bytes);
    return WL_LT_OK;
}

static int get_attribute(void *pointer, uint32_t magic, int number, void *value, size_t size_bytes,
                         size_t *written)
{
    struct wl_lt_attributes *attributes = wl_stand_in_check(pointer, magic);
    const struct kind *kind = attributes ? kind_of(attributes) : NULL;
    if (!kind || (unsigned)number >= kind->count || kind->items[number].size_bytes == 0)
        return WL_LT_INVALID_VALUE;
    const size_t has = kind->items[number].size_bytes;
    if (size_bytes ? !value || has != size_bytes : !written)
        return WL_LT_INVALID_VALUE;
    if (written)
        *written = has;
    if (size_bytes)
        memcpy(value, attributes->bytes + place_of(kind, (unsigned)number), has);
    return WL_LT_OK;
}

int64_t wl_lt_number_of(const struct wl_lt_attributes *attributes, unsigned number)
{
    const struct kind *kind = kind_of(attributes);
    const uint8_t *from = attributes->bytes + place_of(kind, number);
    int64_t wide;
    int32_t narrow;
    if (kind->items[number].size_bytes == sizeof wide) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

#define DESCRIPTION(name, magic)                                                                \
    int cublasLt##name##Destroy(void *pointer)                                                  \
    {                                                                                           \
        return wl_stand_in_destroy(pointer, magic) ? WL_LT_OK : WL_LT_INVALID_VALUE;            \
    }                                                                                           \
    int cublasLt##name##SetAttribute(void *pointer, int number, const void *value,              \
                                     size_t size_bytes)                                         \
    {                                                                                           \
        return set_attribute(pointer, magic, number, value, size_bytes);                        \
    }                                                                                           \
    int cublasLt##name##GetAttribute(void *pointer, int number, void *value, size_t size_bytes, \
                                     size_t *written)                                           \
    {                                                                                           \
        return get_attribute(pointer, magic, number, value, size_bytes, written);               \
    }

DESCRIPTION(MatmulDesc, DESCRIPTION_MAGIC)
DESCRIPTION(MatrixLayout, LAYOUT_MAGIC)
DESCRIPTION(MatmulPreference, PREFERENCE_MAGIC)
DESCRIPTION(MatrixTransformDesc, TRANSFORM_MAGIC)
DESCRIPTION(EmulationDesc, EMULATION_MAGIC)

static int set_operation(void *made, int compute, int scale)
{
    set_attribute(made, DESCRIPTION_MAGIC, WL_LT_OPERATION_COMPUTE, &compute, sizeof compute);
    return set_attribute(made, DESCRIPTION_MAGIC, WL_LT_OPERATION_SCALE, &scale, sizeof scale);
}

int cublasLtMatmulDescCreate(void **made, int compute, int scale)
{
    int status = create(made, &description_kind);
    return status ? status : set_operation(*made, compute, scale);
}

int cublasLtMatmulDescInit_internal(void *opaque, size_t size_bytes, int compute, int scale)
{
    int status = fill_opaque(opaque, size_bytes, &description_kind);
    return status ? status : set_operation(opaque, compute, scale);
}

static int set_layout(void *made, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    set_attribute(made, LAYOUT_MAGIC, WL_LT_LAYOUT_TYPE, &type, sizeof type);
    set_attribute(made, LAYOUT_MAGIC, WL_LT_LAYOUT_ROWS, &rows, sizeof rows);
    set_attribute(made, LAYOUT_MAGIC, WL_LT_LAYOUT_COLUMNS, &columns, sizeof columns);
    return set_attribute(made, LAYOUT_MAGIC, WL_LT_LAYOUT_LEADING, &leading, sizeof leading);
}

int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading)
{
    int status = create(made, &layout_kind);
    return status ? status : set_layout(*made, type, rows, columns, leading);
}

int cublasLtMatrixLayoutInit_internal(void *opaque, size_t size_bytes, int type, uint64_t rows,
                                      uint64_t columns, int64_t leading)
{
    int status = fill_opaque(opaque, size_bytes, &layout_kind);
    return status ? status : set_layout(opaque, type, rows, columns, leading);
}

int cublasLtMatmulPreferenceCreate(void **made)
{
    return create(made, &preference_kind);
}

int cublasLtMatmulPreferenceInit_internal(void *opaque, size_t size_bytes)
{
    return fill_opaque(opaque, size_bytes, &preference_kind);
}

int cublasLtEmulationDescCreate(void **made)
{
    return create(made, &emulation_kind);
}

int cublasLtEmulationDescInit_internal(void *opaque, size_t size_bytes)
{
    return fill_opaque(opaque, size_bytes, &emulation_kind);
}

static int set_scale(void *made, int scale)
{
    return set_attribute(made, TRANSFORM_MAGIC, 0, &scale, sizeof scale);
}

int cublasLtMatrixTransformDescCreate(void **made, int scale)
{
    int status = create(made, &transform_kind);
    return status ? status : set_scale(*made, scale);
}

int cublasLtMatrixTransformDescInit_internal(void *opaque, size_t size_bytes, int scale)
{
    int status = fill_opaque(opaque, size_bytes, &transform_kind);
    return status ? status : set_scale(opaque, scale);
}

const struct wl_lt_attributes *wl_lt_check_transform(void *pointer)
{
    return wl_stand_in_check(pointer, TRANSFORM_MAGIC);
}

/* ---- the product ---- */

bool wl_lt_read_layout(void *pointer, struct wl_lt_matrix *matrix)
{
    const struct wl_lt_attributes *layout = wl_stand_in_check(pointer, LAYOUT_MAGIC);
    if (!layout)
        return false;
    *matrix = (struct wl_lt_matrix){.type = wl_lt_number_of(layout, WL_LT_LAYOUT_TYPE),
                                    .rows = wl_lt_number_of(layout, WL_LT_LAYOUT_ROWS),
                                    .columns = wl_lt_number_of(layout, WL_LT_LAYOUT_COLUMNS),
                                    .leading = wl_lt_number_of(layout, WL_LT_LAYOUT_LEADING),
                                    .count = wl_lt_number_of(layout, WL_LT_LAYOUT_COUNT),
                                    .stride = wl_lt_number_of(layout, WL_LT_LAYOUT_STRIDE),
                                    .order = wl_lt_number_of(layout, WL_LT_LAYOUT_ORDER)};
    matrix->is_by_rows = matrix->order == 1;
    matrix->is_list = wl_lt_number_of(layout, WL_LT_LAYOUT_BATCH_MODE) != 0;
    return true;
}

static bool read_matrix(void *pointer, struct wl_lt_matrix *matrix)
{
    return wl_lt_read_layout(pointer, matrix) && matrix->order >= 0 && matrix->order <= 4;
}

bool wl_lt_read_product(struct wl_lt_product *product, void *operation, void *a, void *b, void *c,
                        void *d)
{
    product->operation = wl_stand_in_check(operation, DESCRIPTION_MAGIC);
    return product->operation && read_matrix(a, &product->a) && read_matrix(b, &product->b) &&
           read_matrix(c ? c : d, &product->c) && read_matrix(d, &product->d);
}

bool wl_lt_do_sizes_fit(const struct wl_lt_product *product)
{
    const struct wl_lt_matrix *a = &product->a, *b = &product->b, *c = &product->c,
                              *d = &product->d;
    const bool turns_a = wl_lt_number_of(product->operation, WL_LT_OPERATION_A) != 0,
               turns_b = wl_lt_number_of(product->operation, WL_LT_OPERATION_B) != 0;
    return (turns_a ? a->columns : a->rows) == d->rows &&
           (turns_a ? a->rows : a->columns) == (turns_b ? b->columns : b->rows) &&
           (turns_b ? b->rows : b->columns) == d->columns && c->rows == d->rows &&
           c->columns == d->columns && a->count == d->count && b->count == d->count &&
           c->count == d->count;
}

/* Of types that cuBLAS multiplies, by columns or by rows. */
static int check_plain(const struct wl_lt_product *product)
{
    if (!wl_lt_do_sizes_fit(product) || !wl_lt_is_right(&product->a) ||
        !wl_lt_is_right(&product->b) || !wl_lt_is_right(&product->c) ||
        !wl_lt_is_right(&product->d) || product->a.type != product->b.type)
        return WL_LT_INVALID_VALUE;
    if (!wl_lt_are_types(product) || wl_lt_number_of(product->operation, WL_LT_OPERATION_POINTERS) >
                                         WL_CUBLAS_POINTERS_ON_DEVICE)
        return WL_LT_NOT_SUPPORTED;
    return wl_lt_check_epilogue(product);
}

int wl_lt_check_product(const struct wl_lt_product *product)
{
    return wl_lt_is_narrow(product)  ? wl_lt_check_narrow(product)
           : wl_lt_is_whole(product) ? wl_lt_check_whole(product)
                                     : check_plain(product);
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted,
                                   struct wl_lt_result *results, int *found)
{
    (void)preference;
    struct wl_lt_product product;
    if (!handle || wanted < 1 || !results || !found)
        return WL_LT_INVALID_VALUE;
    const int status = wl_lt_read_product(&product, operation, a, b, c, d)
                           ? wl_lt_check_product(&product)
                           : WL_LT_INVALID_VALUE;
    if (status == WL_LT_NOT_SUPPORTED && !wl_lt_is_narrow(&product))
        *found = 0;
    if (status)
        return status; /* and *found stays what it is otherwise */
    results[0] = (struct wl_lt_result){.status = WL_LT_OK, .waves = 1};
    wl_lt_fill_algorithm(&product, results[0].algorithm);
    *found = 1;
    return WL_LT_OK;
}

int wl_lt_kernel_type(int64_t type)
{
    static const int64_t types[] = {WL_LT_F32, WL_LT_F16, WL_LT_BF16, WL_LT_E4M3, WL_LT_E5M2};
    for (size_t i = 0; i < WL_COUNT(types); i++)
        if (types[i] == type)
            return (int)i;
    return -1;
}

int64_t wl_lt_element_bytes(int64_t type)
{
    static const struct {
        uint8_t type, bytes;
    } rows[] = {{0, 4}, {1, 8},  {3, 1},  {4, 8},  {5, 16},
                {8, 1}, {10, 4}, {12, 4}, {28, 1}, {29, 1}};
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].type == type)
            return rows[i].bytes;
    return 2;
}

/* C where D is to be: the product adds to what it finds there. */
static int bring(const struct wl_lt_matrix *from, const void *c, const struct wl_lt_matrix *to,
                 void *d, void *stream)
{
    const bool is_by_rows = to->is_by_rows;
    const size_t bytes = (size_t)wl_lt_element_bytes(to->type);
    const int64_t length = is_by_rows ? to->columns : to->rows;
    struct wl_device_operation copy = {
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = {.to = d,
                 .from = c,
                 .width_bytes = (size_t)length * bytes,
                 .height = (size_t)(is_by_rows ? to->rows : to->columns),
                 .depth = (size_t)(to->count > 1 ? to->count : 1),
                 .to_pitch_bytes = (size_t)to->leading * bytes,
                 .from_pitch_bytes = (size_t)from->leading * bytes,
                 .to_slice_bytes = (size_t)to->stride * bytes,
                 .from_slice_bytes = (size_t)from->stride * bytes,
                 .direction = WL_DEVICE_DEVICE_TO_DEVICE,
                 .stream = stream,
                 .is_async = true}};
    return c != d && wl_device_submit(&copy, stream) ? WL_LT_EXECUTION_FAILED : WL_LT_OK;
}

/* The handle as the stand-in for cuBLAS, which multiplies, is to see it: programs give handles of
 * cuBLAS too, and of several threads the same. False: it is none. */
static bool borrow(void *handle, const struct wl_lt_product *product, void *stream,
                   struct wl_cublas_handle *own)
{
    const struct wl_cublas_handle *given = wl_cublas_check(handle);
    if (!given)
        return false;
    *own = *given;
    own->stream = stream;
    own->pointer_mode = (int)wl_lt_number_of(product->operation, WL_LT_OPERATION_POINTERS);
    return true;
}

static bool is_small(const struct wl_lt_matrix *matrix)
{
    return matrix->rows <= INT_MAX && matrix->columns <= INT_MAX && matrix->leading <= INT_MAX;
}

/* What cuBLASLt may have and the stand-in has not. */
static const char *find_missing(const struct wl_lt_product *product)
{
    const struct wl_lt_matrix *a = &product->a, *b = &product->b, *c = &product->c,
                              *d = &product->d;
    if (a->is_by_rows != d->is_by_rows || b->is_by_rows != d->is_by_rows ||
        c->is_by_rows != d->is_by_rows)
        return "cublasLtMatmul (cuBLASLt) with orders that differ";
    if (!is_small(a) || !is_small(b) || !is_small(c) || !is_small(d))
        return "cublasLtMatmul (cuBLASLt) of more than 2147483647";
    return NULL;
}

/* Rows are columns of the transposed: D' = B' A'. */
static void turn(struct wl_lt_product *product, int *op_a, int *op_b, struct wl_lt_memory *memory)
{
    const struct wl_lt_matrix matrix = product->a;
    const void *at = memory->a;
    const int op = *op_a;
    product->a = product->b, product->b = matrix;
    memory->a = memory->b, memory->b = at;
    *op_a = *op_b, *op_b = op;
}

/* By the stand-in for cuBLAS, which has such types; then what is done to D. */
static int multiply_plain(void *handle, const struct wl_lt_product *product,
                          const struct wl_lt_memory *memory, void *stream)
{
    struct wl_cublas_handle own;
    struct wl_lt_product turned = *product;
    struct wl_lt_memory from = *memory;
    const struct wl_lt_matrix *d = &product->d;
    int op_a = (int)wl_lt_number_of(product->operation, WL_LT_OPERATION_A),
        op_b = (int)wl_lt_number_of(product->operation, WL_LT_OPERATION_B);
    const int compute = (int)wl_lt_number_of(product->operation, WL_LT_OPERATION_COMPUTE);
    const int k = (int)(op_a ? product->a.rows : product->a.columns);
    if (!borrow(handle, product, stream, &own))
        return WL_LT_NOT_INITIALIZED;
    int status = bring(&product->c, from.c ? from.c : from.d, d, from.d, stream);
    if (status)
        return status;
    if (d->is_by_rows)
        turn(&turned, &op_a, &op_b, &from);
    status = cublasGemmStridedBatchedEx(
        &own, op_a, op_b, (int)(d->is_by_rows ? d->columns : d->rows),
        (int)(d->is_by_rows ? d->rows : d->columns), k, from.alpha, from.a, (int)turned.a.type,
        (int)turned.a.leading, turned.a.stride, from.b, (int)turned.b.type, (int)turned.b.leading,
        turned.b.stride, from.beta, from.d, (int)d->type, (int)d->leading, d->stride, (int)d->count,
        compute, 0);
    return status ? status : wl_lt_finish_product(product, memory->a, memory->b, memory->d, stream);
}

/* C may be missing where beta is 0, as far as the host may look at it. */
static bool has_memory(const struct wl_lt_product *product, const struct wl_lt_memory *memory)
{
    static const uint8_t zeros[16];
    const int64_t scale = wl_lt_number_of(product->operation, WL_LT_OPERATION_SCALE);
    if (!memory->alpha || !memory->beta || !memory->a || !memory->b || !memory->d)
        return false;
    return memory->c || wl_lt_number_of(product->operation, WL_LT_OPERATION_POINTERS) ||
           !memcmp(memory->beta, zeros, (size_t)wl_lt_element_bytes(scale));
}

static int multiply(void *handle, const struct wl_lt_product *product,
                    const struct wl_lt_memory *memory, void *stream)
{
    if (wl_lt_is_narrow(product))
        return wl_lt_multiply_narrow(handle, product, memory->alpha, memory->a, memory->b,
                                     memory->beta, memory->c, memory->d, stream);
    if (wl_lt_is_whole(product))
        return wl_lt_multiply_whole(handle, product, memory, stream);
    const int status = check_plain(product);
    if (status == WL_LT_INVALID_VALUE ||
        (!status && !(has_memory(product, memory) && wl_lt_has_epilogue_memory(product))))
        return WL_LT_INVALID_VALUE;
    const char *missing =
        status ? "cublasLtMatmul (cuBLASLt) with this epilogue, order, types or place of factors"
               : find_missing(product);
    if (!missing)
        return multiply_plain(handle, product, memory, stream);
    wl_device_refuse(missing);
    return WL_LT_NOT_SUPPORTED;
}

/* Of lists of matrices, which the host can read: one product after another. */
static int multiply_lists(void *handle, const struct wl_lt_product *product,
                          const struct wl_lt_memory *memory, void *stream)
{
    const void *const *a = memory->a, *const *b = memory->b, *const *c = memory->c;
    void *const *d = memory->d;
    struct wl_lt_product one = *product;
    int status = WL_LT_OK;
    one.a.count = one.b.count = one.c.count = one.d.count = 1;
    if (!product->a.is_list || !product->b.is_list || !product->c.is_list || !product->d.is_list ||
        wl_lt_number_of(product->operation, WL_LT_OPERATION_EPILOGUE) != WL_LT_EPILOGUE_DEFAULT) {
        wl_device_refuse("cublasLtMatmul (cuBLASLt) of lists of matrices with an epilogue, or "
                         "beside matrices that are none,");
        return WL_LT_NOT_SUPPORTED;
    }
    if (!a || !b || !d || product->a.count != product->d.count ||
        product->b.count != product->d.count || product->c.count != product->d.count)
        return WL_LT_INVALID_VALUE;
    for (int64_t i = 0; i < product->d.count && !status; i++)
        status = multiply(
            handle, &one,
            &(struct wl_lt_memory){memory->alpha, a[i], b[i], memory->beta, c ? c[i] : NULL, d[i]},
            stream);
    return status;
}

int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
                   void *a_layout, const void *b, void *b_layout, const void *beta, const void *c,
                   void *c_layout, void *d, void *d_layout, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream)
{
    (void)algorithm, (void)workspace, (void)workspace_bytes;
    const struct wl_lt_memory memory = {alpha, a, b, beta, c, d};
    struct wl_lt_product product;
    if (!wl_lt_read_product(&product, description, a_layout, b_layout, c_layout, d_layout))
        return WL_LT_INVALID_VALUE;
    return product.a.is_list || product.b.is_list || product.c.is_list || product.d.is_list
               ? multiply_lists(handle, &product, &memory, stream)
               : multiply(handle, &product, &memory, stream);
}

/* ---- what is not there ---- */

#define U(name)                                \
    int name(void);                            \
    int name(void)                             \
    {                                          \
        wl_device_refuse(#name " (cuBLASLt)"); \
        return WL_LT_NOT_SUPPORTED;            \
    }
#include "api/cublaslt/unsupported.def"
#undef U
