/* Windows in cuDNN's graphs, compared with the same on the host; gradients with differences. */
#include "cudnn_graph.h"

enum { MODE_RESAMPLE = 21, PADDING = 22, FRACTION = 26, BYTES = 3 };
enum { MEAN_PADDED = 2, GREATEST = 3, MEAN = 4 };
enum { ZEROS = 0, INFINITE = 1 };
enum { N = 2, C = 3, H = 6, W = 5, HIGH = 3, WIDE = 2, STRIDE = 2, PAD = 1 };
enum { OUT_H = (H + 2 * PAD - HIGH) / STRIDE + 1, OUT_W = W + PAD - WIDE + 1 };
static const int64_t x_dims[] = {N, C, H, W}, y_dims[] = {N, C, OUT_H, OUT_W};

/* Windows of 3 by 2, two rows apart; padding of a row on both sides and of a column behind. */
static void *resample(int mode, int padding, bool are_fractions)
{
    const int64_t window[] = {HIGH, WIDE}, strides[] = {STRIDE, 1}, before[] = {PAD, 0},
                  after[] = {PAD, PAD};
    const int64_t *const values[] = {after, before, strides, window};
    void *made = make(24);
    set_enum(made, 1700, MODE_RESAMPLE, mode);
    set_enum(made, 1701, DATA, FLOATS);
    set_number(made, 1702, 2);
    for (int i = 0; i < 4; i++) {
        const int64_t fractions[] = {2 * values[i][0], 2, 3 * values[i][1], 3};
        set(made, 1703 + i, are_fractions ? FRACTION : INT64, 2,
            are_fractions ? fractions : values[i]);
    }
    set_enum(made, 1708, PADDING, padding);
    EXPECT(cudnnBackendFinalize(made), 0);
    return made;
}

/* A window's result; tap: the greatest one's number. */
static double pool(int mode, int padding, const double *x, int p, int q, int *tap)
{
    double most = -INFINITY, sum = 0;
    int count = 0;
    *tap = -1;
    for (int i = 0; i < HIGH * WIDE; i++) {
        const int h = p * STRIDE - PAD + i / WIDE, w = q + i % WIDE;
        const bool is_inside = h >= 0 && h < H && w < W;
        const double value = is_inside ? x[h * W + w] : 0;
        if (!is_inside && (mode == MEAN || (mode == GREATEST && padding == INFINITE)))
            continue;
        count++;
        sum += value;
        if (*tap < 0 || value > most || (isnan(value) && !isnan(most)))
            most = value, *tap = i;
    }
    return mode == GREATEST ? most : sum / count;
}

static void test_forward(int mode, int padding, bool has_nan)
{
    void *tensors[] = {tensor(0, DOUBLES, 4, x_dims), tensor(1, DOUBLES, 4, y_dims),
                       tensor(2, BYTES, 4, y_dims), resample(mode, padding, has_nan)};
    void *operation = make(25);
    int8_t taps[N * C * OUT_H * OUT_W];
    const bool has_index = mode == GREATEST;
    if (has_nan)
        host[0][7] = host[0][8] = NAN;
    upload(0);
    set_part(operation, 1710, tensors[0]);
    set_part(operation, 1711, tensors[1]);
    if (has_index)
        set_part(operation, 1712, tensors[2]);
    set_part(operation, 1716, tensors[3]);
    set_real(operation, 1713, 2);
    set_real(operation, 1714, 0.5);
    run(1, &operation, 4, tensors);
    EXPECT(cudaMemcpy(taps, device[2], sizeof taps, 2), 0);
    for (int i = 0; i < counts[1]; i++) {
        int tap;
        const double wanted = pool(mode, padding, host[0] + i / (OUT_H * OUT_W) * H * W,
                                   i / OUT_W % OUT_H, i % OUT_W, &tap);
        expect_near("window", mode * 1000 + i, got(1, i), 2 * wanted + 0.5 * host[1][i], 1e-14);
        if (has_index)
            EXPECT(taps[i], tap);
    }
}

/* is_indexed: greatest elements are told by their taps, else by x. */
static void test_back(int mode, bool is_indexed)
{
    void *tensors[] = {tensor(0, DOUBLES, 4, x_dims), tensor(1, DOUBLES, 4, y_dims),
                       tensor(2, BYTES, 4, y_dims), tensor(3, DOUBLES, 4, x_dims),
                       resample(mode, mode == GREATEST, true)};
    static double wanted[MOST];
    int8_t taps[N * C * OUT_H * OUT_W];
    void *operation = make(26);
    memset(wanted, 0, sizeof wanted);
    for (int i = 0; i < counts[1]; i++) {
        const int p = i / OUT_W % OUT_H, q = i % OUT_W, plane = i / (OUT_H * OUT_W) * H * W;
        int most, count = 0;
        pool(mode, INFINITE, host[3] + plane, p, q, &most);
        taps[i] = (int8_t)most;
        for (int way = 0; way < 2; way++) /* how many there are, then their gradients */
            for (int k = 0; k < HIGH * WIDE; k++) {
                const int h = p * STRIDE - PAD + k / WIDE, w = q + k % WIDE;
                const bool is_inside = h >= 0 && h < H && w < W;
                if (!way)
                    count += is_inside || mode == MEAN_PADDED;
                else if (is_inside && mode == GREATEST)
                    wanted[plane + h * W + w] += k == most ? host[1][i] : 0;
                else if (is_inside)
                    wanted[plane + h * W + w] += host[1][i] / count;
            }
    }
    EXPECT(cudaMemcpy(device[2], taps, sizeof taps, 1), 0);
    set_part(operation, 1720, tensors[0]);
    set_part(operation, 1721, tensors[1]);
    if (mode == GREATEST)
        set_part(operation, is_indexed ? 1722 : 1726, tensors[is_indexed ? 2 : 3]);
    set_part(operation, 1725, tensors[4]);
    run(1, &operation, 5, tensors);
    for (int i = 0; i < counts[0]; i++)
        expect_near("gradient", mode * 1000 + i, got(0, i), wanted[i], 1e-14);
}

static void test_wrong(void)
{
    const int64_t odd[] = {N, C, OUT_H, OUT_W + 1};
    void *x = tensor(0, DOUBLES, 4, x_dims), *y = tensor(1, DOUBLES, 4, odd),
         *right = tensor(2, DOUBLES, 4, y_dims), *windows = resample(GREATEST, INFINITE, false),
         *forward = make(25), *back = make(26);
    set_part(forward, 1710, x);
    set_part(forward, 1711, y);
    set_part(forward, 1716, windows);
    EXPECT(cudnnBackendFinalize(forward), BAD_PARAM); /* of another size */
    set_part(back, 1720, x);
    set_part(back, 1721, right);
    set_part(back, 1725, windows);
    EXPECT(cudnnBackendFinalize(back), BAD_PARAM); /* neither x nor indices */
    void *const all[] = {x, y, right, windows, forward, back};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        EXPECT(cudnnBackendDestroyDescriptor(all[i]), 0);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), 0);
    test_forward(GREATEST, INFINITE, false);
    test_forward(GREATEST, INFINITE, true);
    test_forward(GREATEST, ZEROS, false);
    test_forward(MEAN_PADDED, ZEROS, false);
    test_forward(MEAN, ZEROS, true);
    test_back(GREATEST, true);
    test_back(GREATEST, false);
    test_back(MEAN_PADDED, false);
    test_back(MEAN, false);
    test_wrong();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
