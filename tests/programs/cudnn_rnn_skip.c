/* cuDNN's recurrent networks whose first layer has no matrices of inputs, compared with those of
 * which these change nothing. */
#include "cudnn_rnn.h"

enum { SKIP_WIDTH = 3, SKIP_STATES = LAYERS * 2 * 2 * SKIP_WIDTH, SKIP_PLACES = 2 * 2 };

/* What a network of two steps, two sequences and two directions makes. */
struct made {
    double y[SKIP_PLACES * 2 * SKIP_WIDTH], dx[SKIP_PLACES * SKIP_WIDTH], dhx[SKIP_STATES],
        dw[MOST];
    size_t at[LAYERS * 2][2][8], bytes;
};

static void expect_near(const char *what, int mode, int at, double is, double wanted)
{
    if (!(fabs(is - wanted) <= 1e-14 * (fabs(wanted) + 1))) {
        fprintf(stderr, "%s of mode %d: %d is %.17g, not %.17g\n", what, mode, at, is, wanted);
        failures++;
    }
}

/* Where weights are, and what: those of the first layer's inputs change nothing. */
static void find_weights(void *rnn, int mode, int input_mode, const double *given, void *shape,
                         struct made *made, double *weights)
{
    enum { W = SKIP_WIDTH };
    for (int i = 0, n = 0; i < LAYERS * 2; i++)
        for (int k = 0; k < 2 * gates_of(mode); k++) {
            void *parts[2];
            EXPECT(cudnnGetRNNWeightParams(handle, rnn, i, made->bytes, NULL, k, shape, &parts[0],
                                           shape, &parts[1]),
                   0);
            const bool is_spread = i < 2 && k < gates_of(mode);
            const int width = i >= 2 && k < gates_of(mode) ? 2 * W : W;
            for (int part = 0; part < 2; part++) {
                double *to = weights + (uintptr_t)parts[part] / sizeof(double);
                made->at[i][part][k] = (uintptr_t)parts[part] / sizeof(double);
                EXPECT(!part && is_spread && input_mode ? parts[0] == NULL : true, 1);
                for (int e = 0; e < (part ? W : W * width); e++, n++)
                    if (part || !is_spread)
                        to[e] = given[n % MOST];
                    else if (!input_mode) /* as if there were none */
                        to[e] = e % W == e / W;
            }
        }
}

static void run_skip(int mode, int input_mode, const double *given, struct made *made)
{
    enum { W = SKIP_WIDTH };
    const int lengths[] = {2, 2}, dims[] = {LAYERS * 2, 2, W}, strides[] = {2 * W, W, 1};
    void *rnn = NULL, *x_data = NULL, *y_data = NULL, *shape = NULL, *work = NULL, *kept = NULL;
    size_t work_bytes, kept_bytes;
    static double weights[MOST];
    EXPECT(cudnnCreateRNNDescriptor(&rnn), 0);
    EXPECT(cudnnSetRNNDescriptor_v8(rnn, 0, mode, 2, 1, input_mode, DOUBLE, DOUBLE, 0, W, W, W,
                                    LAYERS, NULL, 0),
           0);
    EXPECT(cudnnCreateRNNDataDescriptor(&x_data), 0);
    EXPECT(cudnnSetRNNDataDescriptor(x_data, DOUBLE, 0, 2, 2, W, lengths, NULL), 0);
    EXPECT(cudnnCreateRNNDataDescriptor(&y_data), 0);
    EXPECT(cudnnSetRNNDataDescriptor(y_data, DOUBLE, 0, 2, 2, 2 * W, lengths, NULL), 0);
    EXPECT(cudnnCreateTensorDescriptor(&shape), 0);
    EXPECT(cudnnGetRNNWeightSpaceSize(handle, rnn, &made->bytes), 0);
    find_weights(rnn, mode, input_mode, given, shape, made, weights);
    EXPECT(cudnnSetTensorNdDescriptor(shape, DOUBLE, 3, dims, strides), 0);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, rnn, 1, x_data, &work_bytes, &kept_bytes), 0);
    EXPECT(cudaMalloc(&work, work_bytes), 0);
    EXPECT(cudaMalloc(&kept, kept_bytes), 0);
    void *w = to_device(DOUBLE, weights, made->bytes / sizeof(double)),
         *x = to_device(DOUBLE, given + 100, SKIP_PLACES * W),
         *h = to_device(DOUBLE, given + 200, SKIP_STATES),
         *dy = to_device(DOUBLE, given + 300, SKIP_PLACES * 2 * W),
         *y = to_device(DOUBLE, given, 1), *dx = to_device(DOUBLE, given, 1),
         *dhx = to_device(DOUBLE, given, 1), *dw = to_device(DOUBLE, given, 1);
    EXPECT(cudaMemset(dw, 0, MOST * sizeof(double)), 0);
    EXPECT(cudnnRNNForward(handle, rnn, 1, NULL, x_data, x, y_data, y, shape, h, NULL, shape, h,
                           NULL, made->bytes, w, work_bytes, work, kept_bytes, kept),
           0);
    EXPECT(cudnnRNNBackwardData_v8(handle, rnn, NULL, y_data, y, dy, x_data, dx, shape, h, h, dhx,
                                   shape, h, NULL, NULL, made->bytes, w, work_bytes, work,
                                   kept_bytes, kept),
           0);
    EXPECT(cudnnRNNBackwardWeights_v8(handle, rnn, 0, NULL, x_data, x, shape, h, y_data, y,
                                      made->bytes, dw, work_bytes, work, kept_bytes, kept),
           0);
    from_device(DOUBLE, y, SKIP_PLACES * 2 * W, made->y);
    from_device(DOUBLE, dx, SKIP_PLACES * W, made->dx);
    from_device(DOUBLE, dhx, SKIP_STATES, made->dhx);
    from_device(DOUBLE, dw, made->bytes / sizeof(double), made->dw);
    void *const memory[] = {w, x, h, dy, y, dx, dhx, dw, work, kept};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
    EXPECT(cudnnDestroyTensorDescriptor(shape), 0);
    EXPECT(cudnnDestroyRNNDataDescriptor(x_data), 0);
    EXPECT(cudnnDestroyRNNDataDescriptor(y_data), 0);
    EXPECT(cudnnDestroyRNNDescriptor(rnn), 0);
}

/* An input without a matrix is one with a matrix that changes nothing. */
static void test(int mode)
{
    static struct made with, without;
    static double given[MOST];
    fill(given, MOST);
    run_skip(mode, 0, given, &with);
    run_skip(mode, 1, given, &without);
    const size_t spread = 2 * (size_t)gates_of(mode) * SKIP_WIDTH * SKIP_WIDTH;
    EXPECT(with.bytes - without.bytes, spread * sizeof(double));
    for (int i = 0; i < SKIP_PLACES * 2 * SKIP_WIDTH; i++)
        expect_near("y", mode, i, without.y[i], with.y[i]);
    for (int i = 0; i < SKIP_PLACES * SKIP_WIDTH; i++)
        expect_near("dx", mode, i, without.dx[i], with.dx[i]);
    for (int i = 0; i < SKIP_STATES; i++)
        expect_near("dhx", mode, i, without.dhx[i], with.dhx[i]);
    for (int i = 0; i < LAYERS * 2; i++)
        for (int k = 0; k < 2 * gates_of(mode); k++)
            for (int part = i < 2 && k < gates_of(mode); part < 2; part++)
                for (int e = 0; e < SKIP_WIDTH; e++)
                    expect_near("dw", mode, e, without.dw[without.at[i][part][k] + (size_t)e],
                                with.dw[with.at[i][part][k] + (size_t)e]);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), 0);
    for (int mode = RELU; mode <= GRU; mode++)
        test(mode);
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
