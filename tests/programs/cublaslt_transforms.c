/* Matrices of all orders, against what is computed here: cublasLtMatrixTransform of all types, and
 * products of 8-bit integers. */
#include "runtime.h"

int cublasLtCreate(void **handle);
int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatrixLayoutSetAttribute(void *made, int number, const void *value, size_t bytes);
int cublasLtMatrixLayoutDestroy(void *made);
int cublasLtMatrixTransformDescCreate(void **made, int scale);
int cublasLtMatrixTransformDescInit_internal(void *opaque, size_t bytes, int scale);
int cublasLtMatrixTransformDescSetAttribute(void *made, int number, const void *value,
                                            size_t bytes);
int cublasLtMatrixTransformDescGetAttribute(void *made, int number, void *value, size_t bytes,
                                            size_t *written);
int cublasLtMatrixTransformDescDestroy(void *made);
int cublasLtMatrixTransform(void *handle, void *description, const void *alpha, const void *a,
                            void *a_layout, const void *beta, const void *b, void *b_layout,
                            void *c, void *c_layout, void *stream);
int cublasLtMatmulDescCreate(void **made, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *made, int number, const void *value, size_t bytes);
int cublasLtMatmulDescDestroy(void *made);
int cublasLtMatmulPreferenceCreate(void **made);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c,
                                   void *d, void *preference, int wanted, void *results,
                                   int *found);
int cublasLtMatmulAlgoCheck(void *handle, void *operation, void *a, void *b, void *c, void *d,
                            const void *algorithm, void *result);
int cublasLtMatmul(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                   const void *b, void *b_layout, const void *beta, const void *c, void *c_layout,
                   void *d, void *d_layout, const void *algorithm, void *space, size_t bytes,
                   void *stream);

enum { F32 = 0, F64 = 1, F16 = 2, S8 = 3, C32 = 4, S32 = 10, BF16 = 14 };
enum { INVALID_VALUE = 7, NOT_SUPPORTED = 15, ORDERS = 5, MOST = 1 << 14 };

static void *handle;
static uint8_t *a, *b, *c;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static int bytes_of(int type)
{
    return type == F64 ? 8 : type == F32 || type == S32 ? 4 : type == S8 ? 1 : 2;
}

/* Small numbers only: halves by their bits. */
static void put(int type, uint8_t *to, int at, int value)
{
    const float single = (float)value;
    const double twice = value;
    const int8_t narrow = (int8_t)value;
    uint32_t bits;
    uint16_t half;
    memcpy(&bits, &single, sizeof bits);
    half = (uint16_t)(type == BF16 ? bits >> 16
                      : value ? (bits >> 16 & 0x8000) | (((bits & 0x7fffffff) - (112u << 23)) >> 13)
                              : 0);
    const void *from = type == F32   ? (const void *)&single
                       : type == F64 ? (const void *)&twice
                       : type == S8  ? (const void *)&narrow
                       : type == S32 ? (const void *)&value
                                     : (const void *)&half;
    memcpy(to + at * bytes_of(type), from, (size_t)bytes_of(type));
}

static int is_at(int type, const uint8_t *from, int at, int value)
{
    uint8_t wanted[8];
    put(type, wanted, 0, value);
    return memcmp(from + at * bytes_of(type), wanted, (size_t)bytes_of(type)) == 0;
}

static int round_up(int value, int step)
{
    return (value + step - 1) / step * step;
}

static int leading_of(int order, int rows, int columns)
{
    const int least[ORDERS] = {rows, columns, 32 * rows, 32 * round_up(rows, 8),
                               32 * round_up(rows, 32)};
    return least[order] + (order < 2 ? 3 : 0);
}

/* Tiles by their steps: in the fourth order 4 columns, then every other row, then the columns of
 * the other half of 8, then those of the 32, then odd rows. */
static int place_of(int order, int rows, int columns, int r, int k)
{
    const int leading = leading_of(order, rows, columns), x = k % 32;
    int place = k / 32 * leading;
    switch (order) {
    case 0:
        return k * leading + r;
    case 1:
        return r * leading + k;
    case 2:
        return place + 32 * r + x;
    case 3:
        place += r / 8 * 256 + x % 4 + 4 * (r % 8 / 2) + 16 * (x / 4 % 2) + 32 * (x / 8);
        return place + 128 * (r % 2);
    default:
        return place + r / 32 * 1024 + x + 32 * (r % 2) + 64 * (r % 32 / 8) + 256 * (r % 8 / 2);
    }
}

static void *layout(int type, int rows, int columns, int order, int64_t stride)
{
    void *made = NULL;
    const int count = stride ? 2 : 1;
    EXPECT(cublasLtMatrixLayoutCreate(&made, type, (uint64_t)rows, (uint64_t)columns,
                                      leading_of(order, rows, columns)),
           0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, 1, &order, sizeof order), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, 5, &count, sizeof count), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, 6, &stride, sizeof stride), 0);
    return made;
}

static int value_at(int batch, int r, int k)
{
    return (batch * 31 + r * 7 + k * 3) % 19 - 9;
}

struct form {
    int type, order, turns;
};

/* C = 2 op(A) - 3 op(B) of two matrices behind each other; no B: 2 op(A). */
static void test(int scale, struct form left, struct form right, struct form to, int has_b,
                 int is_on_device)
{
    const int rows = 35, columns = 37;
    const struct form forms[] = {left, right, to};
    uint8_t *const places[] = {a, b, c};
    void *description = NULL, *layouts[3];
    for (int i = 0; i < 3; i++) {
        const int turns = forms[i].turns, r = turns ? columns : rows, k = turns ? rows : columns;
        layouts[i] = layout(forms[i].type, r, k, forms[i].order, MOST);
        for (int j = 0; i < 2 && j < 2 * r * k; j++) {
            const int batch = j / (r * k), y = j % r, x = j / r % k;
            put(forms[i].type, places[i], batch * MOST + place_of(forms[i].order, r, k, y, x),
                value_at(batch + i, turns ? x : y, turns ? y : x));
        }
    }
    memset(c, 0x55, 2 * MOST * 8);
    EXPECT(cublasLtMatrixTransformDescCreate(&description, scale), 0);
    EXPECT(cublasLtMatrixTransformDescSetAttribute(description, 1, &is_on_device, 4), 0);
    EXPECT(cublasLtMatrixTransformDescSetAttribute(description, 2, &left.turns, 4), 0);
    EXPECT(cublasLtMatrixTransformDescSetAttribute(description, 3, &right.turns, 4), 0);
    uint8_t *factors = is_on_device ? managed(32) : malloc(32);
    put(scale, factors, 0, 2);
    put(scale, factors + 16, 0, -3);
    EXPECT(cublasLtMatrixTransform(handle, description, factors, a, layouts[0], factors + 16,
                                   has_b ? b : NULL, has_b ? layouts[1] : NULL, c, layouts[2],
                                   NULL),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int j = 0; j < 2 * rows * columns; j++) {
        const int batch = j / (rows * columns), y = j % rows, x = j / rows % columns;
        const int wanted = 2 * value_at(batch, y, x) - (has_b ? 3 * value_at(batch + 1, y, x) : 0);
        EXPECT(is_at(to.type, c, batch * MOST + place_of(to.order, rows, columns, y, x), wanted),
               1);
    }
    for (int i = 0; i < 3; i++)
        EXPECT(cublasLtMatrixLayoutDestroy(layouts[i]), 0);
    EXPECT(cublasLtMatrixTransformDescDestroy(description), 0);
    if (is_on_device)
        EXPECT(cudaFree(factors), 0);
    else
        free(factors);
}

static void test_orders(void)
{
    for (int i = 0; i < ORDERS * ORDERS * 2; i++) {
        const int from = i % ORDERS, to = i / ORDERS % ORDERS, turns = i / ORDERS / ORDERS;
        test(F32, (struct form){S8, from, turns}, (struct form){S8, to, !turns},
             (struct form){S8, to, 0}, 1, 0);
    }
}

static void test_types(void)
{
    static const int rows[][3] = {{F32, F32, F32},   {F32, F32, F16}, {F32, F32, BF16},
                                  {F32, F16, F32},   {F32, F16, F16}, {F32, BF16, F32},
                                  {F32, BF16, BF16}, {F32, S32, S32}, {F16, F16, F16},
                                  {S32, S8, S8},     {S32, S32, S32}, {F64, F64, F64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int form = 0; form < 4; form++)
            test(rows[i][0], (struct form){rows[i][1], 0, 1}, (struct form){rows[i][1], 1, 0},
                 (struct form){rows[i][2], 0, 0}, form / 2, form % 2);
}

/* To the nearest, ties to even, within what there is. */
static void test_whole(void)
{
    static const int8_t before[] = {-128, -127, -3, -1, 0, 1, 3, 5, 86, 127};
    static const int8_t after[] = {-128, -128, -4, -2, 0, 2, 4, 8, 127, 127};
    const float factor = 1.5f, zero = 0;
    void *description, *matrix = NULL;
    EXPECT(cublasLtMatrixTransformDescCreate(&description, F32), 0);
    EXPECT(cublasLtMatrixLayoutCreate(&matrix, S8, 10, 1, 10), 0);
    memcpy(a, before, sizeof before);
    EXPECT(cublasLtMatrixTransform(handle, description, &factor, a, matrix, &zero, NULL, NULL, c,
                                   matrix, NULL),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (size_t i = 0; i < sizeof after; i++)
        EXPECT((int8_t)c[i], after[i]);
}

static void test_refused(void)
{
    const float one = 1;
    const int vectors = 2;
    uint64_t opaque[8];
    size_t written = 0;
    int32_t value = -1;
    void *description, *whole = layout(F32, 8, 4, 0, 0), *turned = layout(F32, 4, 8, 0, 0),
                       *narrow = layout(S8, 8, 4, 0, 0), *broken = NULL;
    EXPECT(cublasLtMatrixTransformDescCreate(NULL, F32), INVALID_VALUE);
    EXPECT(cublasLtMatrixTransformDescCreate(&description, F32), 0);
    EXPECT(cublasLtMatrixTransformDescInit_internal(opaque, sizeof opaque, F16), 0);
    EXPECT(cublasLtMatrixTransformDescInit_internal(opaque, 8, F16), 3);
    EXPECT(cublasLtMatrixTransformDescGetAttribute(opaque, 0, &value, 4, &written), 0);
    EXPECT(value, F16);
    EXPECT(written, 4);
    EXPECT(cublasLtMatrixTransformDescGetAttribute(opaque, 0, &value, 8, &written), INVALID_VALUE);
    EXPECT(cublasLtMatrixTransformDescGetAttribute(opaque, 1, NULL, 0, &written), 0);
    EXPECT(cublasLtMatrixTransformDescGetAttribute(opaque, 4, &value, 4, &written), INVALID_VALUE);
    EXPECT(cublasLtMatrixLayoutCreate(&broken, F32, 8, 4, 7), 0);
    struct {
        void *handle, *description;
        const void *alpha, *a;
        void *a_layout, *c, *c_layout;
        int status;
    } rows[] = {
        {handle, description, &one, a, whole, c, whole, 0},
        {NULL, description, &one, a, whole, c, whole, 1},
        {handle, NULL, &one, a, whole, c, whole, INVALID_VALUE},
        {handle, description, NULL, a, whole, c, whole, INVALID_VALUE},
        {handle, description, &one, NULL, whole, c, whole, INVALID_VALUE},
        {handle, description, &one, a, NULL, c, whole, INVALID_VALUE},
        {handle, description, &one, a, whole, NULL, whole, INVALID_VALUE},
        {handle, description, &one, a, whole, c, NULL, INVALID_VALUE},
        {handle, description, &one, a, turned, c, whole, INVALID_VALUE},
        {handle, description, &one, a, broken, c, whole, INVALID_VALUE},
        {handle, description, &one, a, whole, c, narrow, NOT_SUPPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        EXPECT(cublasLtMatrixTransform(rows[i].handle, rows[i].description, rows[i].alpha,
                                       rows[i].a, rows[i].a_layout, NULL, NULL, NULL, rows[i].c,
                                       rows[i].c_layout, NULL),
               rows[i].status);
    capture_stderr();
    EXPECT(cublasLtMatrixTransformDescSetAttribute(description, 1, &vectors, 4), 0);
    EXPECT(cublasLtMatrixTransform(handle, description, &one, a, whole, NULL, NULL, NULL, c, whole,
                                   NULL),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cublasLtMatrixTransform") != NULL, 1);
}

static int factor_at(int batch, int r, int k)
{
    return (batch * 5 + r * 3 + k * 7) % 11 - 5;
}

/* Of two products: D = 2 op(A) op(B) - C of 32-bit integers, or half of that to the nearest, ties
 * to even, within 8 bits. */
static int product_at(int batch, int r, int k, int depth, int is_narrow)
{
    int sum = 0;
    for (int i = 0; i < depth; i++)
        sum += factor_at(batch, r, i) * factor_at(batch, i, k);
    sum = is_narrow ? sum : 2 * sum - factor_at(batch, r, k);
    if (!is_narrow)
        return sum;
    const int half = sum >= 0 || sum % 2 == 0 ? sum / 2 : sum / 2 - 1; /* downwards */
    const int rounded = sum % 2 == 0 ? half : half + (half % 2 != 0);
    return rounded < -128 ? -128 : rounded > 127 ? 127 : rounded;
}

static void put_factor(uint8_t *to, int order, int rows, int columns, int turns, int type)
{
    const int y_count = turns ? columns : rows, x_count = turns ? rows : columns;
    for (int j = 0; j < 2 * rows * columns; j++) {
        const int batch = j / (rows * columns), r = j % rows, k = j / rows % columns;
        put(type, to,
            batch * MOST + place_of(order, y_count, x_count, turns ? k : r, turns ? r : k),
            factor_at(batch, r, k));
    }
}

static void test_product(int order_a, int order_b, int order_d, int turns, int type)
{
    enum { M = 35, N = 37, DEPTH = 41 };
    const int whole[] = {2, -1}, is_narrow = type == S8;
    const float single[] = {0.5f, 0};
    const void *alpha = is_narrow ? (const void *)&single[0] : &whole[0];
    const void *beta = is_narrow ? (const void *)&single[1] : &whole[1];
    void *operation, *preference, *layouts[3];
    uint64_t result[12], checked[12];
    int found = 0;
    EXPECT(cublasLtMatmulPreferenceCreate(&preference), 0);
    EXPECT(cublasLtMatmulDescCreate(&operation, 72, is_narrow ? F32 : S32), 0);
    EXPECT(cublasLtMatmulDescSetAttribute(operation, 3, &turns, 4), 0);
    EXPECT(cublasLtMatmulDescSetAttribute(operation, 4, &turns, 4), 0);
    layouts[0] = layout(S8, turns ? DEPTH : M, turns ? M : DEPTH, order_a, MOST);
    layouts[1] = layout(S8, turns ? N : DEPTH, turns ? DEPTH : N, order_b, MOST);
    layouts[2] = layout(type, M, N, order_d, MOST);
    put_factor(a, order_a, M, DEPTH, turns, S8);
    put_factor(b, order_b, DEPTH, N, turns, S8);
    put_factor(c, order_d, M, N, 0, type);
    EXPECT(cublasLtMatmulAlgoGetHeuristic(handle, operation, layouts[0], layouts[1], layouts[2],
                                          layouts[2], preference, 1, result, &found),
           0);
    EXPECT(cublasLtMatmulAlgoCheck(handle, operation, layouts[0], layouts[1], layouts[2],
                                   layouts[2], result, checked),
           0);
    EXPECT(cublasLtMatmul(handle, operation, alpha, a, layouts[0], b, layouts[1], beta, c,
                          layouts[2], c, layouts[2], result, NULL, 0, NULL),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int j = 0; j < 2 * M * N; j++) {
        const int batch = j / (M * N), r = j % M, k = j / M % N;
        EXPECT(is_at(type, c, batch * MOST + place_of(order_d, M, N, r, k),
                     product_at(batch, r, k, DEPTH, is_narrow)),
               1);
    }
    EXPECT(cublasLtMatmul(handle, operation, NULL, a, layouts[0], b, layouts[1], beta, c,
                          layouts[2], c, layouts[2], result, NULL, 0, NULL),
           INVALID_VALUE);
    for (int i = 0; i < 3; i++)
        EXPECT(cublasLtMatrixLayoutDestroy(layouts[i]), 0);
    EXPECT(cublasLtMatmulDescDestroy(operation), 0);
}

static void test_products(void)
{
    static const int orders[][3] = {{2, 3, 2}, {2, 4, 2}, {0, 2, 4}, {3, 0, 1}, {4, 1, 3}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int form = 0; form < 4; form++)
            test_product(orders[i][0], orders[i][1], orders[i][2], form % 2, form / 2 ? S8 : S32);
    test_product(0, 0, 0, 0, S8);
    test_product(0, 0, 0, 1, S8);
}

int main(void)
{
    EXPECT(cublasLtCreate(&handle), 0);
    a = managed(2 * MOST * 8), b = managed(2 * MOST * 8), c = managed(2 * MOST * 8);
    test_orders();
    test_types();
    test_whole();
    test_products();
    test_refused();
    return failures != 0;
}
