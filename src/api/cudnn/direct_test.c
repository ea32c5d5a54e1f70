/* Convolutions that are computed without the kernels' instructions, against those: all of what is
 * made, bit for bit. */
#include "api/cudnn/direct.h"

#include <math.h>

#include "api/cudnn/cudnn.h"
#include "base/count.h"
#include "device/kernel/state.h"
#include "support/direct_support.h"

const struct wl_cudnn_version wl_cudnn_version = {.bad_param = 1};

enum { X, W, Y, Z, BIAS, BUFFERS };
enum { BUFFER_BYTES = 1 << 18, CASES = 40 };
enum {
    PLAIN,
    SPECIAL,
    TINY,
    FILLINGS
}; /* near 1; infinite and NaN among them; products underflow */

static const int types[] = {WL_CUDNN_FLOAT, WL_CUDNN_HALF, WL_CUDNN_BFLOAT16};

static uint8_t *buffers[BUFFERS];

/* One device for all: the library keeps its kernels. */
static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = take_memory(BUFFER_BYTES);
    drawn_seed = 5;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

/* Bits of a number near 1, or of a special one. */
static uint32_t draw_bits(int type, int filling)
{
    static const struct {
        uint32_t one, sign, infinite, nan, tiny;
        int digits;
    } rows[] = {
        [WL_CUDNN_FLOAT] = {0x3f800000, 0x80000000, 0x7f800000, 0x7fc12345, 0x1f000000, 23},
        [WL_CUDNN_HALF] = {0x3c00, 0x8000, 0x7c00, 0x7e12, 0x0001, 10},
        [WL_CUDNN_BFLOAT16] = {0x3f80, 0x8000, 0x7f80, 0x7fc1, 0x1f00, 7},
    };
    const uint32_t sign = draw(2) ? rows[type].sign : 0;
    if (filling == SPECIAL && !draw(200))
        return sign | (draw(2) ? rows[type].infinite : rows[type].nan);
    if (filling == TINY)
        return sign | (rows[type].tiny + draw(1u << (rows[type].digits - 2)));
    return draw(16) ? sign | (rows[type].one + draw(1u << rows[type].digits)) : sign;
}

static void fill(uint8_t *to, int type, int filling)
{
    const size_t bytes = wl_cudnn_type_bytes(type);
    for (size_t i = 0; i < BUFFER_BYTES / bytes; i++) {
        const uint32_t bits = draw_bits(type, filling);
        memcpy(to + i * bytes, &bits, bytes);
    }
}

struct convolution {
    struct wl_cudnn_convolution c;
    struct wl_cudnn_tensor x, w, y;
    double alpha, beta;
    bool is_fused, is_in_place; /* z is y */
    struct wl_cudnn_tensor z;
    struct wl_dnn_epilogue after;
};

/* Strides that leave places out, or by channels. */
static void draw_strides(struct wl_cudnn_tensor *tensor)
{
    const uint32_t kind = draw(3);
    wl_cudnn_tensor_pack(tensor, kind == 1);
    if (kind == 2)
        for (int i = 0; i < tensor->rank; i++)
            tensor->strides[i] *= 2;
}

static struct convolution draw_convolution(int type)
{
    const int groups = draw(3) ? 1 : 2, spatial = 1 + (int)draw(3);
    struct convolution made = {
        .c = {.spatial = spatial, .groups = groups, .is_flipped = draw(4) == 0, .compute_type = 0},
        .x = {.type = type, .rank = spatial + 2},
        .alpha = draw(2) ? 1 : -0.75,
        .beta = draw(2) ? 0 : 1.25,
    };
    made.w = made.y = made.x;
    made.x.dims[0] = 1 + (int)draw(3);
    made.w.dims[0] = groups * (1 + (int)draw(19));
    made.w.dims[1] = 1 + (int)draw(19);
    made.x.dims[1] = groups * made.w.dims[1];
    for (int i = 0; i < spatial; i++) {
        made.w.dims[2 + i] = 1 + (int)draw(3);
        made.x.dims[2 + i] = 1 + (int)draw(spatial == 1 ? 60 : spatial == 2 ? 20 : 6);
        made.c.pads[i] = (int)draw(4);
        made.c.strides[i] = 1 + (int)draw(3);
        made.c.dilations[i] = 1 + (int)draw(2);
    }
    draw_strides(&made.x);
    draw_strides(&made.w);
    if (wl_cudnn_convolution_shape(&made.c, &made.x, &made.w, made.y.dims))
        return draw_convolution(type);
    draw_strides(&made.y);
    made.z = made.y;
    draw_strides(&made.z);
    made.after = (struct wl_dnn_epilogue){
        .factor = draw(3) ? 0.375 : 0,
        .bias_step = 1 + (int)draw(2),
        .activation = {.mode = draw(2) ? WL_DNN_RELU : WL_DNN_IDENTITY,
                       .propagates_nan = (int)draw(2)},
    };
    made.is_in_place = draw(2);
    return wl_cudnn_tensor_bytes(&made.x) <= BUFFER_BYTES &&
                   wl_cudnn_tensor_bytes(&made.w) <= BUFFER_BYTES &&
                   wl_cudnn_tensor_bytes(&made.y) <= BUFFER_BYTES &&
                   wl_cudnn_tensor_bytes(&made.z) <= BUFFER_BYTES
               ? made
               : draw_convolution(type);
}

/* The launches that were computed without their instructions. */
static uint64_t convolve(const struct convolution *of, enum wl_cudnn_way way)
{
    const uint64_t before = wl_device_kernels.direct;
    struct wl_dnn_epilogue after = of->after;
    after.z = buffers[of->is_in_place ? Y : Z];
    after.bias = buffers[BIAS];
    if (of->is_fused)
        assert_int_equal(wl_cudnn_convolve_fused(NULL, &of->c, &of->x, buffers[X], &of->w,
                                                 buffers[W], &of->y, buffers[Y], of->alpha,
                                                 of->is_in_place ? &of->y : &of->z, &after),
                         WL_CUDNN_OK);
    else
        assert_int_equal(wl_cudnn_convolve(NULL, way, &of->c, &of->x, buffers[X], &of->w,
                                           buffers[W], &of->y, buffers[Y], of->alpha, of->beta),
                         WL_CUDNN_OK);
    return wl_device_kernels.direct - before;
}

static void assert_as_executed(const struct convolution *of, enum wl_cudnn_way way, bool is_direct)
{
    static const int made[] = {[WL_CUDNN_FORWARD] = Y, [WL_CUDNN_DATA] = X, [WL_CUDNN_FILTER] = W};
    uint8_t *to = buffers[made[way]], *before = malloc(BUFFER_BYTES), *left = malloc(BUFFER_BYTES);
    assert_non_null(before);
    assert_non_null(left);
    memcpy(before, to, BUFFER_BYTES);
    assert_int_equal(convolve(of, way), is_direct);
    memcpy(left, to, BUFFER_BYTES);
    memcpy(to, before, BUFFER_BYTES);
    wl_device.options.execute_repeats = true;
    assert_int_equal(convolve(of, way), 0);
    wl_device.options.execute_repeats = false;
    assert_memory_equal(left, to, BUFFER_BYTES);
    memcpy(to, before, BUFFER_BYTES);
    free(before);
    free(left);
}

static bool is_host_able(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

static void convolutions_are_as_executed(void **state)
{
    (void)state;
    for (size_t t = 0; t < WL_COUNT(types); t++)
        for (int i = 0; i < CASES; i++) {
            struct convolution of = draw_convolution(types[t]);
            for (int k = 0; k < BUFFERS; k++)
                fill(buffers[k], types[t], i % FILLINGS);
            for (int way = WL_CUDNN_FORWARD; way <= WL_CUDNN_FILTER; way++)
                assert_as_executed(&of, (enum wl_cudnn_way)way, is_host_able());
            of.is_fused = true;
            assert_as_executed(&of, WL_CUDNN_FORWARD, is_host_able());
        }
}

/* Doubles, and what is made of itself. */
static void others_are_executed(void **state)
{
    (void)state;
    struct convolution of = draw_convolution(WL_CUDNN_FLOAT);
    of.x = of.w = of.y =
        (struct wl_cudnn_tensor){.type = WL_CUDNN_DOUBLE, .rank = 3, .dims = {1, 1, 1}};
    of.c = (struct wl_cudnn_convolution){.spatial = 1,
                                         .strides = {1},
                                         .dilations = {1},
                                         .groups = 1,
                                         .compute_type = WL_CUDNN_DOUBLE};
    wl_cudnn_tensor_pack(&of.x, false);
    of.w = of.y = of.x;
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), 0);
    of.x.type = of.w.type = of.y.type = of.c.compute_type = WL_CUDNN_FLOAT;
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), is_host_able());
    uint8_t *const y = buffers[Y];
    buffers[Y] = buffers[X];
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), 0);
    buffers[Y] = y;
    uint8_t *const z = buffers[Z];
    of.is_fused = true;
    of.is_in_place = false;
    of.z = of.y;
    of.after.factor = 1;
    of.after.activation.mode = WL_DNN_IDENTITY;
    buffers[Z] = buffers[Y];
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), is_host_able());
    of.z.strides[0] = 7;
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), 0);
    of.after.factor = 0;
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), is_host_able());
    of.after.activation.mode = WL_DNN_TANH;
    assert_int_equal(convolve(&of, WL_CUDNN_FORWARD), 0);
    buffers[Z] = z;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_are_as_executed),
        cmocka_unit_test(others_are_executed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
