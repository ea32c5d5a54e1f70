/* Products of 8-bit numbers, and what is done to those of others, that are computed without the
 * kernel's instructions, against those: all of D and the largest magnitude, bit for bit. */
#include "api/cublas/number.h"
#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "base/count.h"
#include "device/kernel/state.h"
#include "support/direct_support.h"

enum { F32, F16, BF16, E4M3, E5M2 };
enum { RELU = 2, BIAS = 4, GELU = 32 };
enum { A, B, C, D, VECTOR, SCALES, BUFFERS };
enum { BUFFER_BYTES = 1 << 21, CASES = 60 };

static uint8_t *buffers[BUFFERS];

static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = take_memory(BUFFER_BYTES);
    drawn_seed = 7;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    wl_lt_kernels.module = NULL; /* which went with the device */
    return 0;
}

static int bytes_of(int type)
{
    return type == F32 ? 4 : type == F16 || type == BF16 ? 2 : 1;
}

/* Any codes, seldom NaNs and infinities, of which a sum would come of too many. */
static void fill_factor(uint8_t *to, bool has_special)
{
    for (uint32_t i = 0; i < BUFFER_BYTES; i++) {
        const uint32_t code = draw(256);
        to[i] = (uint8_t)((code & 0x7f) >= 0x7c && (!has_special || draw(64)) ? code & 0xb3 : code);
    }
}

/* Numbers of the type that are not far from 1, and any bits now and then. */
static void fill(uint8_t *to, int type, bool has_special)
{
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) {
        const float value = ((float)draw(4096) - 2048) / 64;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (has_special && draw(200) == 0)
            bits = draw(1u << 24) << 8 | draw(256);
        if (type == F16)
            ((uint16_t *)to)[i] = (uint16_t)(draw(1 << 16) & 0xbfff);
        else if (type == BF16)
            ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
        else
            ((uint32_t *)to)[i] = bits;
    }
}

static float scale(void)
{
    static const float scales[] = {1, 0.5f, 3, 0.013f, 0x1p-14f, 700};
    return scales[draw(WL_COUNT(scales))];
}

/* Sums of few bits, of which many lie halfway between two numbers of D. */
static void make_short(struct wl_lt_narrow *of)
{
    of->depth = 1 + draw(3);
    of->alpha = 1;
    of->beta = 0;
    of->epilogue = 0;
    memset(of->scales, 0, sizeof of->scales);
}

/* Shapes beyond a piece and in the midst of one, batches of padded matrices, all types that the
 * kernel can have. */
static struct wl_lt_narrow draw_product(uint32_t *batches)
{
    static const int wide[] = {F32, F16, BF16};
    const bool has_special = draw(3) == 0, is_short = draw(4) == 0;
    struct wl_lt_narrow of = {
        .types = {E4M3 + (int)draw(2), E4M3 + (int)draw(2), wide[draw(3)], (int)draw(5)},
        .bias_type = wide[draw(3)],
        .epilogue = (const int[]){0, RELU, BIAS, RELU | BIAS, GELU, GELU | BIAS}[draw(6)],
        .rows = draw(2) ? 1 + draw(70) : 200 + draw(130),
        .columns = draw(2) ? 1 + draw(40) : 230 + draw(40),
        .depth = draw(2) ? 1 + draw(70) : 150 + draw(300),
        .a = buffers[A],
        .b = buffers[B],
        .c = buffers[C],
        .d = buffers[D],
        .bias = buffers[VECTOR],
        .largest = draw(2) ? (float *)(void *)(buffers[VECTOR] + BUFFER_BYTES / 2) : NULL,
        .alpha = scale(),
        .beta = draw(2) ? scale() : 0,
    };
    *batches = 1 + draw(2);
    if (is_short)
        make_short(&of);
    for (int i = 0; i < 4; i++) {
        const long long lines = i == A ? of.rows : of.columns, length = i < C ? of.depth : of.rows;
        of.leading[i] = length + draw(20);
        of.strides[i] = lines * of.leading[i] + draw(50);
        if (!is_short && draw(2))
            of.scales[i] = (float *)(void *)buffers[SCALES] + 4 * i;
        ((float *)(void *)buffers[SCALES])[4 * i] = scale();
    }
    fill_factor(buffers[A], has_special);
    fill_factor(buffers[B], has_special);
    fill(buffers[C], of.types[C], has_special);
    fill(buffers[VECTOR], of.bias_type, has_special);
    return of;
}

/* Whether it was computed without its instructions. */
static bool multiply(struct wl_lt_narrow *of, uint32_t batches)
{
    const uint64_t before = wl_device_kernels.direct;
    struct wl_device_kernel *kernel = wl_stand_in_kernel(&wl_lt_kernels, "warplens_narrow");
    void *parameters[] = {of};
    struct wl_device_request request = {
        .kernel = kernel,
        .grid = {(uint32_t)(of->rows + WL_LT_TILE - 1) / WL_LT_TILE,
                 (uint32_t)(of->columns + WL_LT_TILE - 1) / WL_LT_TILE, batches},
        .block = {WL_STAND_IN_THREADS, 1, 1},
        .parameters = parameters,
    };
    wl_device_kernel_set_direct(kernel, &wl_lt_narrow_direct);
    if (of->largest)
        *of->largest = 0;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    return wl_device_kernels.direct > before;
}

static uint32_t largest_of(const struct wl_lt_narrow *of)
{
    uint32_t bits = 0;
    if (of->largest)
        memcpy(&bits, of->largest, sizeof bits);
    return bits;
}

static void assert_as_executed(struct wl_lt_narrow *of, uint32_t batches, const uint8_t *before)
{
    uint8_t *left = malloc(BUFFER_BYTES);
    assert_non_null(left);
    memcpy(of->d, before, BUFFER_BYTES);
    assert_int_equal(multiply(of, batches), wl_number_is_there());
    memcpy(left, of->d, BUFFER_BYTES);
    const uint32_t largest = largest_of(of);
    wl_device.options.execute_repeats = true;
    memcpy(of->d, before, BUFFER_BYTES);
    assert_false(multiply(of, batches));
    wl_device.options.execute_repeats = false;
    assert_memory_equal(left, of->d, BUFFER_BYTES);
    assert_int_equal(largest, largest_of(of));
    free(left);
}

static void products_are_as_executed(void **state)
{
    (void)state;
    uint8_t *before = malloc(BUFFER_BYTES);
    assert_non_null(before);
    for (int i = 0; i < CASES; i++) {
        uint32_t batches;
        struct wl_lt_narrow of = draw_product(&batches);
        memset(before, (int)draw(256), BUFFER_BYTES);
        assert_as_executed(&of, batches, before);
    }
    free(before);
}

/* What a launch leaves in D, computed and executed; launches: so many are computed. */
static void assert_alike(int (*launch)(void *self), void *self, uint64_t launches,
                         const uint8_t *before)
{
    uint8_t *left = malloc(BUFFER_BYTES);
    assert_non_null(left);
    for (int executes = 0; executes < 2; executes++) {
        const uint64_t computed = wl_device_kernels.direct;
        wl_device.options.execute_repeats = executes;
        memcpy(buffers[D], before, BUFFER_BYTES);
        assert_int_equal(launch(self), WL_DEVICE_OK);
        assert_int_equal(wl_device_kernels.direct - computed,
                         executes || !wl_number_is_there() ? 0 : launches);
        if (!executes)
            memcpy(left, buffers[D], BUFFER_BYTES);
    }
    wl_device.options.execute_repeats = false;
    assert_memory_equal(left, buffers[D], BUFFER_BYTES);
    free(left);
}

struct epilogue { /* as the kernel's parameters */
    int type, bias_type, what;
    void *matrix;
    const void *bias;
    long long rows, columns, leading;
};

static int run_epilogue(void *self)
{
    struct epilogue *of = self;
    void *parameters[] = {&of->type, &of->bias_type, &of->what,    &of->matrix,
                          &of->bias, &of->rows,      &of->columns, &of->leading};
    wl_device_kernel_set_direct(wl_stand_in_kernel(&wl_lt_kernels, "warplens_epilogue"),
                                &wl_lt_epilogue_direct);
    return wl_stand_in_run(&wl_lt_kernels, "warplens_epilogue", (uint64_t)(of->rows * of->columns),
                           NULL, parameters);
}

static void epilogues_are_as_executed(void **state)
{
    (void)state;
    uint8_t *before = malloc(BUFFER_BYTES);
    assert_non_null(before);
    for (int i = 0; i < CASES; i++) {
        struct epilogue of = {
            .type = (int)draw(5),
            .bias_type = (int)draw(5),
            .what = (const int[]){RELU, BIAS, RELU | BIAS, GELU, GELU | BIAS}[draw(5)],
            .matrix = buffers[D],
            .bias = buffers[VECTOR],
            .rows = draw(2) ? 1 + draw(70) : 250 + draw(300),
            .columns = draw(8) ? 1 + draw(300) : 700,
        };
        of.leading = of.rows + draw(20);
        fill(before, of.type, true);
        fill(buffers[VECTOR], of.bias_type, true);
        if (of.type >= E4M3)
            fill_factor(before, true);
        assert_alike(run_epilogue, &of, 1, before);
    }
    free(before);
}

int cublasLtDestroy(void *handle);
int cublasLtMatmulDescDestroy(void *description);
int cublasLtMatrixLayoutDestroy(void *layout);
int cublasLtCreate(void **handle);
int cublasLtMatmulDescCreate(void **made, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *description, int number, const void *value,
                                   size_t size_bytes);
int cublasLtMatrixLayoutCreate(void **made, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
                   void *a_layout, const void *b, void *b_layout, const void *beta, const void *c,
                   void *c_layout, void *d, void *d_layout, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);

struct matmul {
    void *handle, *description, *layouts[4];
};

static int run_matmul(void *self)
{
    const struct matmul *of = self;
    const float alpha = 0.5f, beta = 2;
    return cublasLtMatmul(of->handle, of->description, &alpha, buffers[A], of->layouts[A],
                          buffers[B], of->layouts[B], &beta, buffers[C], of->layouts[C], buffers[D],
                          of->layouts[D], NULL, NULL, 0, NULL);
}

static void halves_are_multiplied_and_finished(void **state)
{
    enum { COMPUTE_F32 = 68, ROWS = 70, COLUMNS = 50, DEPTH = 90 };
    static const int sizes[][2] = {{ROWS, DEPTH}, {DEPTH, COLUMNS}, {ROWS, COLUMNS}};
    const uint32_t epilogue = GELU | BIAS;
    const void *bias = buffers[VECTOR];
    struct matmul of;
    (void)state;
    assert_int_equal(cublasLtCreate(&of.handle), WL_LT_OK);
    assert_int_equal(cublasLtMatmulDescCreate(&of.description, COMPUTE_F32, WL_LT_F32), WL_LT_OK);
    cublasLtMatmulDescSetAttribute(of.description, WL_LT_OPERATION_EPILOGUE, &epilogue,
                                   sizeof epilogue);
    cublasLtMatmulDescSetAttribute(of.description, WL_LT_OPERATION_BIAS, &bias, sizeof bias);
    for (int i = 0; i <= D; i++) {
        const int *size = sizes[i < C ? i : C];
        assert_int_equal(cublasLtMatrixLayoutCreate(&of.layouts[i], WL_LT_F16, (uint64_t)size[0],
                                                    (uint64_t)size[1], size[0] + i),
                         WL_LT_OK);
    }
    for (int i = 0; i < D; i++)
        fill(buffers[i], F16, false);
    fill(buffers[VECTOR], F16, true);
    assert_alike(run_matmul, &of, 2, buffers[A]);
    for (int i = 0; i <= D; i++)
        cublasLtMatrixLayoutDestroy(of.layouts[i]);
    cublasLtMatmulDescDestroy(of.description);
    cublasLtDestroy(of.handle);
}

static void results_go_where_addends_were(void **state)
{
    (void)state;
    uint8_t *before = malloc(BUFFER_BYTES);
    assert_non_null(before);
    for (int i = 0; i < CASES / 4; i++) {
        uint32_t batches;
        struct wl_lt_narrow of = draw_product(&batches);
        of.types[D] = bytes_of(of.types[C]) == 4 ? F32 : F16 + (int)draw(2);
        of.beta = 0.75f;
        of.c = of.d;
        of.leading[C] = of.leading[D];
        of.strides[C] = of.strides[D];
        fill(before, of.types[C], false);
        assert_as_executed(&of, batches, before);
    }
    free(before);
}

static void products_without_a_plan_are_executed(void **state)
{
    (void)state;
    uint32_t batches;
    struct wl_lt_narrow of = draw_product(&batches);
    assert_int_equal(multiply(&of, 1), wl_number_is_there());
    of.d = buffers[A] + 16; /* what it reads is what it writes */
    assert_false(multiply(&of, 1));
    of.d = buffers[D];
    of.largest = (float *)(void *)(buffers[D] + 64);
    assert_false(multiply(&of, 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(products_are_as_executed),
        TEST(epilogues_are_as_executed),
        TEST(halves_are_multiplied_and_finished),
        TEST(results_go_where_addends_were),
        TEST(products_without_a_plan_are_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
