/* cuBLASLt's calls that list, configure and check algorithms: the stand-in lists one, which has no
 * tiles, stages or splits to choose from. Numbers are those of the cuBLASLt documentation. */
#include <stddef.h>
#include <string.h>

#include "api/cublaslt/cublaslt.h"
#include "base/count.h"

#define MAGIC 0x77626C41u
#define ALGORITHM_ID 0
/* Programs keep what they once chose of NVIDIA's list (a number, a tile, a split) and ask for it
 * again. Such a number is taken with any settings, and computed by the one algorithm. NVIDIA's have
 * two digits. */
#define ALGORITHM_IDS 1000

enum { S8 = 3, C32 = 4, F64 = 1, C64 = 5, S32 = 10 };

/* In cublasLtMatmulAlgo_t. */
struct algorithm {
    uint32_t magic;
    int32_t id;
    uint32_t tile;
    int32_t splits;
    uint32_t reduction, swizzling, option, stages;
    uint16_t inner_shape, cluster_shape;
    int32_t types[6]; /* of computation, scale, A, B, C and D */
};
_Static_assert(sizeof(struct algorithm) <= WL_LT_ALGORITHM_BYTES, "fits into the program's");

/* ---- which products there are ---- */

enum class { HALVES, SINGLE, DOUBLE, WHOLE };

static bool class_of(int compute, enum class *found)
{
    static const uint8_t classes[][2] = {{64, HALVES}, {65, HALVES}, {68, SINGLE}, {69, SINGLE},
                                         {70, DOUBLE}, {71, DOUBLE}, {72, WHOLE},  {73, WHOLE},
                                         {74, SINGLE}, {75, SINGLE}, {77, SINGLE}, {78, SINGLE},
                                         {79, DOUBLE}};
    for (size_t i = 0; i < WL_COUNT(classes); i++)
        if (classes[i][0] == compute) {
            *found = (enum class)classes[i][1];
            return true;
        }
    return false;
}

static bool is_narrow(int type)
{
    return type == WL_LT_E4M3 || type == WL_LT_E5M2;
}

static bool is_there(const int32_t types[6])
{
    static const struct {
        uint8_t class, scale, factors, results;
    } rows[] = {
        {SINGLE, WL_LT_F32, WL_LT_F32, WL_LT_F32},
        {SINGLE, WL_LT_F32, WL_LT_F16, WL_LT_F16},
        {SINGLE, WL_LT_F32, WL_LT_F16, WL_LT_F32},
        {SINGLE, WL_LT_F32, WL_LT_BF16, WL_LT_BF16},
        {SINGLE, WL_LT_F32, WL_LT_BF16, WL_LT_F32},
        {SINGLE, WL_LT_F32, S8, WL_LT_F32},
        {SINGLE, C32, C32, C32},
        {DOUBLE, F64, F64, F64},
        {DOUBLE, C64, C64, C64},
        {HALVES, WL_LT_F16, WL_LT_F16, WL_LT_F16},
        {WHOLE, S32, S8, S32},
        {WHOLE, WL_LT_F32, S8, S8},
    };
    const int32_t scale = types[1], a = types[2], b = types[3], c = types[4], d = types[5];
    enum class class;
    if (!class_of(types[0], &class))
        return false;
    if (is_narrow(a) || is_narrow(b))
        return class == SINGLE && scale == WL_LT_F32 && wl_lt_are_narrow_types(a, b, c, d);
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].class == class && rows[i].scale == scale && rows[i].factors == a && a == b &&
            rows[i].results == c && c == d)
            return true;
    return false;
}

int cublasLtMatmulAlgoGetIds(void *handle, int compute, int scale, int a, int b, int c, int d,
                             int wanted, int *ids, int *found)
{
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (wanted <= 0 || !ids || !found)
        return WL_LT_INVALID_VALUE;
    if (!is_there((int32_t[]){compute, scale, a, b, c, d}))
        return WL_LT_NOT_SUPPORTED;
    ids[0] = ALGORITHM_ID;
    *found = 1;
    return WL_LT_OK;
}

static void fill(void *to, int id, const int32_t types[6])
{
    struct algorithm made = {.magic = MAGIC, .id = id, .splits = 1};
    memcpy(made.types, types, sizeof made.types);
    memset(to, 0, WL_LT_ALGORITHM_BYTES);
    memcpy(to, &made, sizeof made);
}

int cublasLtMatmulAlgoInit(void *handle, int compute, int scale, int a, int b, int c, int d, int id,
                           void *algorithm)
{
    const int32_t types[] = {compute, scale, a, b, c, d};
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (!algorithm || (unsigned)id >= ALGORITHM_IDS)
        return WL_LT_INVALID_VALUE;
    if (!is_there(types))
        return WL_LT_NOT_SUPPORTED;
    fill(algorithm, id, types);
    return WL_LT_OK;
}

static void read_types(const struct wl_lt_product *product, int32_t types[6])
{
    const int64_t numbers[] = {wl_lt_number_of(product->operation, WL_LT_OPERATION_COMPUTE),
                               wl_lt_number_of(product->operation, WL_LT_OPERATION_SCALE),
                               product->a.type,
                               product->b.type,
                               product->c.type,
                               product->d.type};
    for (size_t i = 0; i < WL_COUNT(numbers); i++)
        types[i] = (int32_t)numbers[i];
}

bool wl_lt_are_types(const struct wl_lt_product *product)
{
    int32_t types[6];
    read_types(product, types);
    return is_there(types);
}

void wl_lt_fill_algorithm(const struct wl_lt_product *product, void *algorithm)
{
    int32_t types[6];
    read_types(product, types);
    fill(algorithm, ALGORITHM_ID, types);
}

static const struct algorithm *check(const void *pointer)
{
    const struct algorithm *algorithm = pointer;
    return algorithm && algorithm->magic == MAGIC ? algorithm : NULL;
}

/* Whether the one algorithm is asked for what it has not. */
static bool has_choices(const struct algorithm *of)
{
    return of->id == ALGORITHM_ID &&
           (of->tile || of->splits > 1 || of->reduction || of->swizzling || of->option ||
            of->stages || of->inner_shape || of->cluster_shape);
}

int cublasLtMatmulAlgoCheck(void *handle, void *operation, void *a, void *b, void *c, void *d,
                            const void *algorithm, struct wl_lt_result *result)
{
    const struct algorithm *of = check(algorithm);
    struct wl_lt_product product;
    int32_t types[6];
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (!of || !result || !wl_lt_read_product(&product, operation, a, b, c, d))
        return WL_LT_INVALID_VALUE;
    read_types(&product, types);
    if (memcmp(types, of->types, sizeof types))
        return WL_LT_INVALID_VALUE;
    const int status =
        !is_there(types) || has_choices(of) ? WL_LT_NOT_SUPPORTED : wl_lt_check_product(&product);
    result->workspace_bytes = 0;
    result->status = status;
    result->waves = 1;
    return status;
}

/* ---- attributes ---- */

/* As a call that gets an attribute wants it; a buffer may be longer than a list. */
static int give(const void *value, size_t has_bytes, bool is_list, void *to, size_t size_bytes,
                size_t *written)
{
    if (size_bytes ? !to || size_bytes < has_bytes || (!is_list && size_bytes != has_bytes)
                   : !written)
        return WL_LT_INVALID_VALUE;
    if (size_bytes)
        memcpy(to, value, has_bytes);
    if (written)
        *written = has_bytes;
    return WL_LT_OK;
}

/* How products are computed: in the lowest byte the operations (1: fused multiplications), in the
 * next the sums' format, then the factors'. */
static uint64_t numerics_of(const struct algorithm *of)
{
    static const uint8_t sums[] = {[HALVES] = 1, [SINGLE] = 2, [DOUBLE] = 4, [WHOLE] = 8};
    static const struct {
        uint8_t type, flag;
    } factors[] = {{WL_LT_F16, 1}, {WL_LT_BF16, 2},    {WL_LT_F32, 8},
                   {C32, 8},       {F64, 16},          {C64, 16},
                   {S8, 32},       {WL_LT_E4M3, 0x40}, {WL_LT_E5M2, 0x80}};
    enum class class = SINGLE;
    uint64_t flags = 1;
    if (class_of(of->types[0], &class))
        flags |= (uint64_t)sums[class] << 8;
    for (size_t i = 0; i < WL_COUNT(factors); i++)
        if (factors[i].type == of->types[2])
            flags |= (uint64_t)factors[i].flag << 16;
    return flags;
}

int cublasLtMatmulAlgoCapGetAttribute(const void *algorithm, int number, void *value,
                                      size_t size_bytes, size_t *written)
{
    enum { NONE = 0, LIST = 1 };
    /* lists: of no choice, which is 0 */
    static const struct {
        uint8_t bytes, is_list;
        uint32_t value;
    } items[] = {
        {4, 0, 0},
        {4, 0, 0},
        {4, 0, 0},
        {4, 0, 1},
        {4, 0, 1},
        {4, 0, 0},
        {4, LIST, 0},
        {4, 0, 0},
        {NONE, 0, 0},
        {NONE, 0, 0},
        {4, 0, 0},
        {4, 0, 1 | 2},
        {4, 0, WL_LT_EPILOGUE_MASK},
        {4, LIST, 0},
        {4, 0, 0},
        {8, 0, 0},
        {4, 0, 0},
        {4, 0, 0},
        {4, 0, 0},
        {4, 0, 0},
        {NONE, 0, 0},
        {4, 0, 1},
        {4, 0, 0},
    };
    enum { NUMERICS = 15, ALIGNMENT_A = 16, ALIGNMENT_D = 19 };
    const struct algorithm *of = check(algorithm);
    if (!of || number < 0 || (size_t)number >= WL_COUNT(items) || !items[number].bytes)
        return WL_LT_INVALID_VALUE;
    uint64_t wide = number == NUMERICS ? numerics_of(of) : items[number].value;
    if (number >= ALIGNMENT_A && number <= ALIGNMENT_D)
        wide = is_narrow(of->types[2]) ? 16 : (uint64_t)wl_lt_element_bytes(of->types[number - 14]);
    return give(&wide, items[number].bytes, items[number].is_list, value, size_bytes, written);
}

static const struct {
    uint8_t place, bytes;
} settings[] = {
    {offsetof(struct algorithm, id), 4},
    {offsetof(struct algorithm, tile), 4},
    {offsetof(struct algorithm, splits), 4},
    {offsetof(struct algorithm, reduction), 4},
    {offsetof(struct algorithm, swizzling), 4},
    {offsetof(struct algorithm, option), 4},
    {offsetof(struct algorithm, stages), 4},
    {offsetof(struct algorithm, inner_shape), 2},
    {offsetof(struct algorithm, cluster_shape), 2},
};

int cublasLtMatmulAlgoConfigSetAttribute(void *algorithm, int number, const void *value,
                                         size_t size_bytes)
{
    if (!check(algorithm) || !value || number <= 0 || (size_t)number >= WL_COUNT(settings) ||
        size_bytes != settings[number].bytes)
        return WL_LT_INVALID_VALUE; /* the number of the algorithm is not to be set */
    memcpy((uint8_t *)algorithm + settings[number].place, value, size_bytes);
    return WL_LT_OK;
}

int cublasLtMatmulAlgoConfigGetAttribute(const void *algorithm, int number, void *value,
                                         size_t size_bytes, size_t *written)
{
    if (!check(algorithm) || number < 0 || (size_t)number >= WL_COUNT(settings))
        return WL_LT_INVALID_VALUE;
    return give((const uint8_t *)algorithm + settings[number].place, settings[number].bytes, false,
                value, size_bytes, written);
}
