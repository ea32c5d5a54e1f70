/* Products of matrices that are computed without the kernel's instructions, against those: all of
 * what is made, bit for bit. */
#include "api/cudnn/rnn_run.h"
#include "base/count.h"
#include "device/kernel/state.h"
#include "support/direct_support.h"

const struct wl_cudnn_version wl_cudnn_version = {.bad_param = 1};

enum { A, B, BIAS, OUT, BUFFERS };
enum { NUMBERS = 1 << 16, CASES = 60 };

static float *buffers[BUFFERS];

static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = take_memory(NUMBERS * sizeof(float));
    drawn_seed = 11;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

/* Near 1, or infinite, no number, or so small that products underflow. */
static void fill(bool is_special)
{
    static const uint32_t odd[] = {0x7f800000, 0xff800000, 0x7fc12345, 0x80000000};
    for (int i = 0; i < BUFFERS; i++)
        for (int k = 0; k < NUMBERS; k++) {
            uint32_t bits = draw(2) << 31 | (0x3f000000 + draw(1u << 24));
            if (is_special && !draw(200))
                bits = odd[draw(WL_COUNT(odd))];
            else if (is_special && !draw(3))
                bits = draw(2) << 31 | (0x1f000000 + draw(1u << 20));
            memcpy(&buffers[i][k], &bits, sizeof bits);
        }
}

/* Rows or columns of a side by side; places left out. */
static struct wl_dnn_rnn_product draw_product(void)
{
    struct wl_dnn_rnn_product made = {.rows = 1 + (int)draw(80),
                                      .columns = 1 + (int)draw(300),
                                      .depth = 1 + (int)draw(80),
                                      .is_sum = (int)draw(2),
                                      .a = buffers[A],
                                      .b = buffers[B],
                                      .bias = draw(2) ? buffers[BIAS] : NULL,
                                      .out = buffers[OUT]};
    const bool is_turned = draw(2);
    made.a_row = is_turned ? 1 : made.depth + (int)draw(3);
    made.a_depth = is_turned ? made.rows + (int)draw(3) : 1;
    made.b_depth = made.columns + (int)draw(3);
    made.out_row = made.columns + (int)draw(3);
    return made;
}

static bool is_host_able(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* The launches that were computed without their instructions. */
static uint64_t multiply(const struct wl_dnn_rnn_product *product)
{
    const struct wl_cudnn_rnn_run run = {.real = WL_CUDNN_FLOAT};
    const uint64_t before = wl_device_kernels.direct;
    assert_int_equal(wl_cudnn_rnn_multiply(&run, *product), WL_CUDNN_OK);
    return wl_device_kernels.direct - before;
}

static void products_are_as_executed(void **state)
{
    const size_t bytes = NUMBERS * sizeof(float);
    float *before = malloc(bytes), *made = malloc(bytes);
    (void)state;
    assert_true(before && made);
    for (int i = 0; i < CASES; i++) {
        const struct wl_dnn_rnn_product product = draw_product();
        fill(i % 2);
        memcpy(before, buffers[OUT], bytes);
        assert_int_equal(multiply(&product), is_host_able());
        memcpy(made, buffers[OUT], bytes);
        memcpy(buffers[OUT], before, bytes);
        wl_device.options.execute_repeats = true;
        assert_int_equal(multiply(&product), 0);
        wl_device.options.execute_repeats = false;
        assert_memory_equal(made, buffers[OUT], bytes);
    }
    free(before);
    free(made);
}

static void what_is_made_of_itself_is_executed(void **state)
{
    struct wl_dnn_rnn_product product = draw_product();
    (void)state;
    product.out = buffers[B];
    assert_int_equal(multiply(&product), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_executed),
        cmocka_unit_test(what_is_made_of_itself_is_executed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
