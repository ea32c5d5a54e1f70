/* cuBLAS's products that are computed without the kernels' instructions, against those: all of C,
 * bit for bit. */
#include "api/cublas/product.h"

#include <math.h>

#include "api/cublas/stand_in.h"
#include "base/count.h"
#include "device/kernel/state.h"
#include "support/direct_support.h"

enum { A, B, C, BUFFERS };
enum { BUFFER_BYTES = 1 << 21, CASES = 24, DRAWN = 20011 /* numbers, which repeat */ };
enum { PLAIN, SPECIAL, TINY, FILLINGS }; /* near 1; infinite and NaN among them; sums come to -0 */

int cublasCreate_v2(void **handle);
int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);

/* What cuBLAS's numbers of types and of sums mean. */
struct kind {
    int factor, result, compute;
    enum wl_number numbers, results;
};

static const struct kind kinds[] = {
    {0, 0, 68, WL_NUMBER_F32, WL_NUMBER_F32},     {2, 2, 68, WL_NUMBER_F16, WL_NUMBER_F16},
    {2, 2, 64, WL_NUMBER_F16, WL_NUMBER_F16},     {2, 0, 68, WL_NUMBER_F16, WL_NUMBER_F32},
    {14, 14, 68, WL_NUMBER_BF16, WL_NUMBER_BF16}, {14, 0, 68, WL_NUMBER_BF16, WL_NUMBER_F32},
    {3, 10, 72, WL_NUMBER_S8, WL_NUMBER_S32},     {3, 0, 68, WL_NUMBER_S8, WL_NUMBER_F32},
    {1, 1, 70, WL_NUMBER_F64, WL_NUMBER_F64},
};

struct product {
    const struct kind *kind;
    int op_a, op_b, m, n, k, count, lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    union wl_product_scale alpha, beta;
    uint8_t *a, *b, *c;
};

static uint8_t *buffers[BUFFERS];
static void *handle;

/* One device for all: the library keeps its kernels. */
static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = take_memory(BUFFER_BYTES);
    assert_int_equal(cublasCreate_v2(&handle), WL_CUBLAS_OK);
    drawn_seed = 11;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

/* Below 2^-80 products are less than any number, which leaves -0 of a negative one. */
static float draw_float(int filling)
{
    const float value = ((float)draw(4096) - 2048) / 64;
    float special;
    const uint32_t bits = draw(2) ? draw(1u << 24) << 8 | draw(256) : 0x7f800000u | draw(2) << 31;
    memcpy(&special, &bits, sizeof special);
    if (filling == SPECIAL && draw(300) == 0)
        return special;
    return filling == TINY ? value * 0x1p-80f : value;
}

/* No NaN, with which the host does not compute; but infinities, of which NaNs come. */
static uint64_t draw_double(int filling)
{
    const float drawn = draw_float(filling);
    const double value = drawn != drawn ? -HUGE_VAL : filling == TINY ? drawn * 0x1p-500 : drawn;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Half of the halves are less than 1; at times they are less than normal. */
static uint64_t draw_bits(enum wl_number type, int filling)
{
    const float value = draw_float(filling);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    switch (type) {
    case WL_NUMBER_S8:
    case WL_NUMBER_S32:
        return draw(1u << 24) << 8 | draw(256);
    case WL_NUMBER_F16:
        if (filling == SPECIAL && draw(99) == 0)
            return draw(1 << 16);
        return draw(1 << 16) & (filling == TINY ? 0x83ff : 0xbfff);
    case WL_NUMBER_BF16:
        return bits >> 16;
    case WL_NUMBER_F64:
        return draw_double(filling);
    default:
        return bits;
    }
}

static void fill(uint8_t *to, enum wl_number type, int filling)
{
    const uint32_t bytes = wl_number_bytes(type), period = DRAWN * bytes;
    for (uint32_t i = 0; i < period; i += bytes) {
        const uint64_t bits = draw_bits(type, filling);
        memcpy(to + i, &bits, bytes);
    }
    for (uint32_t i = period; i < BUFFER_BYTES; i++)
        to[i] = to[i - period];
}

static float draw_scale(void)
{
    static const float scales[] = {1, 0.5f, -3, 0.013f, 0x1p-14f, 700};
    return scales[draw(WL_COUNT(scales))];
}

static void draw_scales(struct product *product)
{
    static const uint16_t halves[] = {0x3c00, 0x3800, 0xc200, 0x2000};
    const int compute = product->kind->compute;
    if (compute == 64 || compute == 72) { /* sums of halves, and whole numbers: factors are, too */
        product->alpha.s32 = compute == 64 ? halves[draw(4)] : (int32_t)draw(9) - 4;
        product->beta.s32 = draw(2) == 0    ? 0
                            : compute == 64 ? halves[draw(4)]
                                            : (int32_t)draw(1 << 20);
        return;
    }
    const float alpha = draw(6) ? draw_scale() : 0, beta = draw(2) ? draw_scale() : 0;
    if (compute == 70)
        product->alpha.f64 = alpha, product->beta.f64 = beta;
    else
        product->alpha.f32 = alpha, product->beta.f32 = beta;
}

/* Shapes beyond a piece and in the midst of one, and products side by side in a matrix. */
static struct product draw_product(const struct kind *kind)
{
    static const int depths[] = {0, 1, 8, 16, 33, 192, 193, 400};
    struct product product = {
        .kind = kind,
        .op_a = (int)draw(3),
        .op_b = (int)draw(3),
        .m = draw(2) ? 1 + (int)draw(70) : 200 + (int)draw(130),
        .n = draw(2) ? 1 + (int)draw(40) : 230 + (int)draw(40),
        .k = draw(2) ? depths[draw(WL_COUNT(depths))] : 1 + (int)draw(300),
        .count = 1 + (int)draw(2),
        .a = buffers[A],
        .b = buffers[B],
        .c = buffers[C],
    };
    if (kind->numbers == WL_NUMBER_F64 && product.k > 300)
        product.k = 300; /* which a buffer has room for */
    const int rows_a = product.op_a ? product.k : product.m,
              rows_b = product.op_b ? product.n : product.k,
              columns_a = product.op_a ? product.m : product.k,
              columns_b = product.op_b ? product.k : product.n;
    product.lda = 1 + rows_a + (int)draw(20);
    product.ldb = 1 + rows_b + (int)draw(20);
    product.ldc = product.m + (int)draw(20);
    product.stride_a = draw(3) ? (long long)product.lda * columns_a + draw(9) : 0;
    product.stride_b = draw(3) ? (long long)product.ldb * columns_b + draw(9) : 0;
    product.stride_c = (long long)product.ldc * product.n + draw(9);
    if (draw(4) == 0) {
        product.stride_c = product.m + draw(9);
        product.ldc = (int)product.stride_c * product.count + (int)draw(9);
    }
    if (product.k == 0)
        product.a = product.b = NULL;
    const int filling = (int)draw(FILLINGS);
    fill(buffers[A], kind->numbers, filling);
    fill(buffers[B], kind->numbers, filling);
    draw_scales(&product);
    return product;
}

/* The launches that were computed without their instructions. */
static uint64_t multiply(const struct product *of)
{
    const uint64_t before = wl_device_kernels.direct;
    const struct kind *kind = of->kind;
    assert_int_equal(cublasGemmStridedBatchedEx(handle, of->op_a, of->op_b, of->m, of->n, of->k,
                                                &of->alpha, of->a, kind->factor, of->lda,
                                                of->stride_a, of->b, kind->factor, of->ldb,
                                                of->stride_b, &of->beta, of->c, kind->result,
                                                of->ldc, of->stride_c, of->count, kind->compute, 0),
                     WL_CUBLAS_OK);
    return wl_device_kernels.direct - before;
}

/* A launch a product, where its kernel has no batches, or none if there is nothing to do. */
static uint64_t launches_of(const struct product *of)
{
    const bool is_double = of->kind->numbers == WL_NUMBER_F64,
               is_plain = is_double || of->kind->numbers == WL_NUMBER_F32,
               is_nothing = is_double ? of->alpha.f64 == 0 && of->beta.f64 == 1
                                      : of->alpha.f32 == 0 && of->beta.f32 == 1;
    if (!wl_number_is_there() || (is_plain && is_nothing))
        return 0;
    return is_plain ? (uint64_t)of->count : 1;
}

static void assert_as_executed(const struct product *of, const uint8_t *before)
{
    uint8_t *left = malloc(BUFFER_BYTES);
    assert_non_null(left);
    memcpy(buffers[C], before, BUFFER_BYTES);
    assert_int_equal(multiply(of), launches_of(of));
    memcpy(left, buffers[C], BUFFER_BYTES);
    wl_device.options.execute_repeats = true;
    memcpy(buffers[C], before, BUFFER_BYTES);
    assert_int_equal(multiply(of), 0);
    wl_device.options.execute_repeats = false;
    assert_memory_equal(left, buffers[C], BUFFER_BYTES);
    free(left);
}

static void products_are_as_executed(void **state)
{
    (void)state;
    uint8_t *before = malloc(BUFFER_BYTES);
    assert_non_null(before);
    for (size_t kind = 0; kind < WL_COUNT(kinds); kind++)
        for (int i = 0; i < CASES; i++) {
            const struct product product = draw_product(&kinds[kind]);
            fill(before, kinds[kind].results, i % FILLINGS);
            assert_as_executed(&product, before);
        }
    free(before);
}

int cublasSgemv_v2(void *handle, int operation, int m, int n, const float *alpha, const float *a,
                   int lda, const float *x, int incx, const float *beta, float *y, int incy);
int cublasDgemv_v2(void *handle, int operation, int m, int n, const double *alpha, const double *a,
                   int lda, const double *x, int incx, const double *beta, double *y, int incy);

struct vector_product {
    int operation, m, n, lda, incx, incy;
    union wl_product_scale alpha, beta;
};

static uint64_t multiply_vector(const struct vector_product *of, bool is_double)
{
    const uint64_t before = wl_device_kernels.direct;
    const void *a = buffers[A], *x = buffers[B];
    void *y = buffers[C];
    const int status = is_double
                           ? cublasDgemv_v2(handle, of->operation, of->m, of->n, &of->alpha.f64, a,
                                            of->lda, x, of->incx, &of->beta.f64, y, of->incy)
                           : cublasSgemv_v2(handle, of->operation, of->m, of->n, &of->alpha.f32, a,
                                            of->lda, x, of->incx, &of->beta.f32, y, of->incy);
    assert_int_equal(status, WL_CUBLAS_OK);
    return wl_device_kernels.direct - before;
}

static struct vector_product draw_vector_product(bool is_double)
{
    struct vector_product of = {
        .operation = (int)draw(3),
        .m = 1 + (int)draw(500),
        .n = 1 + (int)draw(400),
        .incx = draw(4) ? 1 + (int)draw(3) : -2, /* backward or spread: executed */
        .incy = draw(8) ? 1 : 2,
    };
    of.lda = of.m + (int)draw(9);
    if (is_double)
        of.alpha.f64 = draw_scale(), of.beta.f64 = draw(2) ? draw_scale() : 0;
    else
        of.alpha.f32 = draw_scale(), of.beta.f32 = draw(2) ? draw_scale() : 0;
    return of;
}

static void products_with_vectors_are_as_executed(void **state)
{
    (void)state;
    uint8_t *before = malloc(2 * BUFFER_BYTES), *left = before + BUFFER_BYTES;
    assert_non_null(before);
    for (int i = 0; i < 3 * CASES; i++) {
        const bool is_double = i % 2;
        const enum wl_number type = is_double ? WL_NUMBER_F64 : WL_NUMBER_F32;
        const struct vector_product of = draw_vector_product(is_double);
        const int depth = of.operation ? of.m : of.n, rows = of.operation ? of.n : of.m;
        const bool is_usual = (of.incx > 0 || depth == 1) && (of.incy == 1 || rows == 1);
        for (int matrix = 0; matrix < BUFFERS; matrix++)
            fill(buffers[matrix], type, (int)draw(FILLINGS));
        memcpy(before, buffers[C], BUFFER_BYTES);
        assert_int_equal(multiply_vector(&of, is_double), is_usual && wl_number_is_there());
        memcpy(left, buffers[C], BUFFER_BYTES);
        memcpy(buffers[C], before, BUFFER_BYTES);
        wl_device.options.execute_repeats = true;
        assert_int_equal(multiply_vector(&of, is_double), 0);
        wl_device.options.execute_repeats = false;
        assert_memory_equal(left, buffers[C], BUFFER_BYTES);
    }
    free(before);
}

/* Which of two NaNs is passed on is the executor's matter. */
static void doubles_that_are_nan_are_executed(void **state)
{
    (void)state;
    const struct product product = {.kind = &kinds[WL_COUNT(kinds) - 1],
                                    .m = 40,
                                    .n = 30,
                                    .k = 20,
                                    .count = 1,
                                    .lda = 40,
                                    .ldb = 20,
                                    .ldc = 40,
                                    .alpha.f64 = 1,
                                    .a = buffers[A],
                                    .b = buffers[B],
                                    .c = buffers[C]};
    for (int i = 0; i < BUFFERS; i++)
        fill(buffers[i], WL_NUMBER_F64, PLAIN);
    memset(buffers[C], 0xff, 8); /* is not read */
    assert_int_equal(multiply(&product), launches_of(&product));
    for (int matrix = A; matrix < C; matrix++) {
        const int last = matrix == A ? 40 * 20 - 1 : 20 * 30 - 1;
        memset(buffers[matrix] + 8 * last, 0xff, 8);
        assert_int_equal(multiply(&product), 0);
        memset(buffers[matrix] + 8 * last, 0, 8);
        memset(buffers[matrix] + 8 * (last + 1), 0xff, 8);
    }
    assert_int_equal(multiply(&product), launches_of(&product));
}

/* A NaN of C is not read where beta is 0, and of two zeros the sign is kept. */
static void sums_of_tiny_products_keep_their_sign(void **state)
{
    (void)state;
    const bool is_there = wl_number_is_there();
    for (int depth = 7; depth <= 8; depth++) {
        const struct product product = {.kind = &kinds[0],
                                        .m = 3,
                                        .n = 2,
                                        .k = depth,
                                        .count = 1,
                                        .lda = 3,
                                        .ldb = depth,
                                        .ldc = 3,
                                        .alpha.f32 = 1,
                                        .a = buffers[A],
                                        .b = buffers[B],
                                        .c = buffers[C]};
        for (int i = 0; i < 64; i++) {
            ((float *)(void *)buffers[A])[i] = 0x1p-100f;
            ((float *)(void *)buffers[B])[i] = -0x1p-100f;
        }
        memset(buffers[C], 0xff, BUFFER_BYTES);
        assert_int_equal(multiply(&product), is_there);
        for (int i = 0; i < 6; i++) /* zeros are added behind the seventh: -0 + 0 is 0 */
            assert_int_equal(((uint32_t *)(void *)buffers[C])[i], depth == 7 ? 0 : 0x80000000);
    }
}

static void products_without_a_plan_are_executed(void **state)
{
    (void)state;
    struct product product = {.kind = &kinds[0],
                              .m = 40,
                              .n = 30,
                              .k = 20,
                              .count = 1,
                              .lda = 40,
                              .ldb = 20,
                              .ldc = 40,
                              .alpha.f32 = 1,
                              .a = buffers[A],
                              .b = buffers[B],
                              .c = buffers[C]};
    assert_int_equal(multiply(&product), launches_of(&product));
    product.c = buffers[A] + 16; /* what it reads is what it writes */
    assert_int_equal(multiply(&product), 0);
    product.c = buffers[B] + 4 * (20 * 30 - 1);
    assert_int_equal(multiply(&product), 0);
    product.c = buffers[B] + 4 * 20 * 30;
    assert_int_equal(multiply(&product), launches_of(&product));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_executed),
        cmocka_unit_test(products_with_vectors_are_as_executed),
        cmocka_unit_test(doubles_that_are_nan_are_executed),
        cmocka_unit_test(sums_of_tiny_products_keep_their_sign),
        cmocka_unit_test(products_without_a_plan_are_executed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
