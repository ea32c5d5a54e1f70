/* cuDNN's recurrent networks, compared with the same on the host; gradients with differences of
 * what the host computes. */
#include "dnn_values.h"

int cudnnGetTensorNdDescriptor(const void *self, int wanted, int *type, int *rank, int *dims,
                               int *strides);
int cudnnCreateDropoutDescriptor(void **made);
int cudnnDestroyDropoutDescriptor(void *self);
int cudnnDropoutGetStatesSize(void *handle, size_t *bytes);
int cudnnSetDropoutDescriptor(void *self, void *handle, float rate, void *states, size_t bytes,
                              unsigned long long seed);
int cudnnCreateRNNDescriptor(void **made);
int cudnnDestroyRNNDescriptor(void *self);
int cudnnSetRNNDescriptor_v8(void *self, int algorithm, int mode, int bias_mode, int direction,
                             int input_mode, int type, int math_type, int math_mode, int input_size,
                             int hidden_size, int projection_size, int layers, void *dropout,
                             uint32_t flags);
int cudnnGetRNNDescriptor_v8(void *self, int *algorithm, int *mode, int *bias_mode, int *direction,
                             int *input_mode, int *type, int *math_type, int *math_mode,
                             int *input_size, int *hidden_size, int *projection_size, int *layers,
                             void **dropout, uint32_t *flags);
int cudnnRNNSetClip_v8(void *self, int mode, int nans, double least, double most);
int cudnnRNNSetClip_v9(void *self, int mode, double least, double most);
int cudnnRNNGetClip_v8(void *self, int *mode, int *nans, double *least, double *most);
int cudnnRNNGetClip_v9(void *self, int *mode, double *least, double *most);
int cudnnBuildRNNDynamic(void *handle, void *self, int batch);
int cudnnCreateRNNDataDescriptor(void **made);
int cudnnDestroyRNNDataDescriptor(void *self);
int cudnnSetRNNDataDescriptor(void *self, int type, int layout, int steps, int batch, int width,
                              const int *lengths, const void *fill);
int cudnnGetRNNDataDescriptor(void *self, int *type, int *layout, int *steps, int *batch,
                              int *width, int wanted, int *lengths, void *fill);
int cudnnGetRNNWeightSpaceSize(void *handle, void *rnn, size_t *bytes);
int cudnnGetRNNWeightParams(void *handle, void *rnn, int layer, size_t bytes, const void *weights,
                            int number, void *matrix_shape, void **matrix, void *bias_shape,
                            void **bias);
int cudnnGetRNNTempSpaceSizes(void *handle, void *rnn, int mode, void *x, size_t *work,
                              size_t *kept);
int cudnnRNNForward(void *handle, void *rnn, int mode, const int *device_lengths, void *x_data,
                    const void *x, void *y_data, void *y, void *hidden, const void *hx, void *hy,
                    void *cell, const void *cx, void *cy, size_t weight_bytes, const void *weights,
                    size_t work_bytes, void *work, size_t kept_bytes, void *kept);
int cudnnRNNBackwardData_v8(void *handle, void *rnn, const int *device_lengths, void *y_data,
                            const void *y, const void *dy, void *x_data, void *dx, void *hidden,
                            const void *hx, const void *dhy, void *dhx, void *cell, const void *cx,
                            const void *dcy, void *dcx, size_t weight_bytes, const void *weights,
                            size_t work_bytes, void *work, size_t kept_bytes, void *kept);
int cudnnRNNBackwardWeights_v8(void *handle, void *rnn, int gradient_mode,
                               const int *device_lengths, void *x_data, const void *x, void *hidden,
                               const void *hx, void *y_data, const void *y, size_t weight_bytes,
                               void *gradients, size_t work_bytes, void *work, size_t kept_bytes,
                               void *kept);

enum { INT8 = 3 };
enum { RELU = 0, TANH = 1, LSTM = 2, GRU = 3 };
enum { STEPS_PADDED = 0, STEPS_PACKED = 1, SEQUENCES_PADDED = 2 };
enum { STEPS = 4, BATCH = 3, INPUT = 3, HIDDEN = 4, LAYERS = 2, MOST = 4096 };

/* A network, and what goes in and comes out: all as doubles, x and y by step and sequence. */
struct network {
    int mode, bias_mode, directions, width, layout, type; /* width: of the hidden state */
    int lengths[BATCH];
    double weights[MOST];
    size_t weight_count;
    size_t at[LAYERS * 2][2][9]; /* of matrices and biases; none: MOST */
    double x[STEPS][BATCH][INPUT], h[LAYERS * 2][BATCH][HIDDEN], c[LAYERS * 2][BATCH][HIDDEN];
    double y[STEPS][BATCH][2 * HIDDEN], hy[LAYERS * 2][BATCH][HIDDEN],
        cy[LAYERS * 2][BATCH][HIDDEN];
};

static void *handle;

/* Of no more digits than bfloats have. */
static double next_number(void)
{
    static uint32_t state = 4711;
    state = state * 1664525u + 1013904223u;
    return (double)((int)(state >> 24) - 128) / 128;
}

static void fill(double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = next_number();
}

/* ---- the host's ---- */

static int gates_of(int mode)
{
    return mode == LSTM ? 4 : mode == GRU ? 3 : 1;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Row `unit` of a gate's matrix times v, and its bias. */
static double linear(const struct network *n, int pseudo, int number, int unit, const double *v,
                     int count)
{
    double sum = n->at[pseudo][1][number] < MOST ? n->weights[n->at[pseudo][1][number] + unit] : 0;
    for (int i = 0; i < count; i++)
        sum += n->weights[n->at[pseudo][0][number] + unit * count + i] * v[i];
    return sum;
}

static void run_step(const struct network *n, int pseudo, const double *in, int count, double *h,
                     double *c)
{
    double fresh[HIDDEN], out[HIDDEN];
    const int gates = gates_of(n->mode);
    for (int u = 0; u < HIDDEN; u++) {
        double a[4], b[4];
        for (int g = 0; g < gates; g++) {
            a[g] = linear(n, pseudo, g, u, in, count);
            b[g] = linear(n, pseudo, gates + g, u, h, n->width);
        }
        if (n->mode == LSTM) {
            c[u] = sigmoid(a[1] + b[1]) * c[u] + sigmoid(a[0] + b[0]) * tanh(a[2] + b[2]);
            fresh[u] = sigmoid(a[3] + b[3]) * tanh(c[u]);
        } else if (n->mode == GRU) {
            const double keep = sigmoid(a[1] + b[1]);
            fresh[u] = (1 - keep) * tanh(a[2] + sigmoid(a[0] + b[0]) * b[2]) + keep * h[u];
        } else {
            fresh[u] = n->mode == TANH ? tanh(a[0] + b[0]) : fmax(a[0] + b[0], 0);
        }
    }
    for (int u = 0; u < n->width; u++)
        out[u] = n->width < HIDDEN ? linear(n, pseudo, 8, u, fresh, HIDDEN) : fresh[u];
    memcpy(h, out, sizeof out);
}

static void run_host(struct network *n)
{
    double in[STEPS][BATCH][2 * HIDDEN] = {0}, out[STEPS][BATCH][2 * HIDDEN];
    int count = INPUT;
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < BATCH; b++)
            memcpy(in[t][b], n->x[t][b], sizeof n->x[t][b]);
    for (int layer = 0; layer < LAYERS; layer++) {
        memset(out, 0, sizeof out);
        for (int d = 0; d < n->directions; d++)
            for (int b = 0; b < BATCH; b++) {
                const int pseudo = layer * n->directions + d;
                double h[HIDDEN], c[HIDDEN];
                memcpy(h, n->h[pseudo][b], sizeof h);
                memcpy(c, n->c[pseudo][b], sizeof c);
                for (int i = 0; i < n->lengths[b]; i++) {
                    const int t = d ? n->lengths[b] - 1 - i : i;
                    run_step(n, pseudo, in[t][b], count, h, c);
                    memcpy(out[t][b] + d * n->width, h, (size_t)n->width * sizeof *h);
                }
                memcpy(n->hy[pseudo][b], h, sizeof h);
                memcpy(n->cy[pseudo][b], c, sizeof c);
            }
        count = n->width * n->directions;
        memcpy(in, out, sizeof out);
    }
    memcpy(n->y, out, sizeof out);
}

/* ---- the device's ---- */

/* Copies elements to new memory of the device. */
static void *to_device(int type, const double *from, size_t count)
{
    static double packed[MOST];
    void *made = NULL;
    for (size_t i = 0; i < count; i++)
        write_number(type, packed, i, from[i]);
    EXPECT(cudaMalloc(&made, MOST * sizeof *packed), 0);
    EXPECT(cudaMemcpy(made, packed, count * type_bytes(type), 1), 0);
    return made;
}

static void from_device(int type, const void *device, size_t count, double *to)
{
    static double packed[MOST];
    EXPECT(cudaMemcpy(packed, device, count * type_bytes(type), 2), 0);
    for (size_t i = 0; i < count; i++)
        to[i] = read_number(type, packed, i);
}

/* Where a step of a sequence is in a tensor of the network's layout; -1: nowhere. */
static int row_of(const struct network *n, int t, int b)
{
    if (n->layout == SEQUENCES_PADDED)
        return b * STEPS + t;
    if (n->layout == STEPS_PADDED)
        return t * BATCH + b;
    int row = 0;
    for (int i = 0; i < t * BATCH + b; i++)
        row += i / BATCH < n->lengths[i % BATCH];
    return t < n->lengths[b] ? row : -1;
}

/* Between [step, sequence, width] and the layout. padding: of what is nowhere in what comes back.
 */
static void lay_out(const struct network *n, int width, const double *from, double *to)
{
    for (int i = 0; i < STEPS * BATCH; i++)
        for (int k = 0, row = row_of(n, i / BATCH, i % BATCH); k < width && row >= 0; k++)
            to[row * width + k] = from[i * width + k];
}

static void expect_near(const char *what, const struct network *n, int at, double is, double wanted,
                        double tolerance)
{
    if (!(fabs(is - wanted) <= tolerance * (fabs(wanted) + 1))) {
        fprintf(stderr,
                "%s of mode %d, layout %d, %d directions, width %d: %d is %.12g, not %.12g\n", what,
                n->mode, n->layout, n->directions, n->width, at, is, wanted);
        failures++;
    }
}

/* All that a run on the device needs. */
struct run {
    void *rnn, *x_data, *y_data, *h_shape, *c_shape;
    void *x, *y, *hx, *hy, *cx, *cy, *weights, *work, *kept;
    size_t weight_bytes, work_bytes, kept_bytes;
    int states, widths; /* elements of hidden states, of y */
};

static void *shape_of(const struct network *n, int width)
{
    void *made = NULL;
    const int dims[] = {LAYERS * n->directions, BATCH, width},
              strides[] = {BATCH * width, width, 1};
    EXPECT(cudnnCreateTensorDescriptor(&made), 0);
    EXPECT(cudnnSetTensorNdDescriptor(made, n->type, 3, dims, strides), 0);
    return made;
}

static void *data_of(const struct network *n, int width, const void *padding)
{
    void *made = NULL;
    EXPECT(cudnnCreateRNNDataDescriptor(&made), 0);
    EXPECT(cudnnSetRNNDataDescriptor(made, n->type, n->layout, STEPS, BATCH, width, n->lengths,
                                     padding),
           0);
    return made;
}

static void find_weights(struct network *n, struct run *r)
{
    char base[1];
    void *matrix_shape = shape_of(n, 1), *bias_shape = shape_of(n, 1);
    const int numbers = 2 * gates_of(n->mode) + (n->width < HIDDEN);
    size_t total = 0;
    EXPECT(cudnnGetRNNWeightSpaceSize(handle, r->rnn, &r->weight_bytes), 0);
    for (int pseudo = 0; pseudo < LAYERS * n->directions; pseudo++)
        for (int i = 0; i < numbers; i++) {
            void *matrix = NULL, *bias = NULL;
            int type, rank, dims[3], strides[3];
            EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, pseudo, r->weight_bytes, base, i,
                                           matrix_shape, &matrix, bias_shape, &bias),
                   0);
            n->at[pseudo][0][i] = (size_t)((char *)matrix - base) / type_bytes(n->type);
            n->at[pseudo][1][i] = bias ? (size_t)((char *)bias - base) / type_bytes(n->type) : MOST;
            EXPECT(cudnnGetTensorNdDescriptor(matrix_shape, 3, &type, &rank, dims, strides), 0);
            const bool is_input = i < gates_of(n->mode), is_projection = i == 8;
            EXPECT(dims[1], is_projection ? n->width : HIDDEN);
            EXPECT(dims[2], is_projection            ? HIDDEN
                            : !is_input              ? n->width
                            : pseudo < n->directions ? INPUT
                                                     : n->width * n->directions);
            total += (size_t)dims[1] * (size_t)dims[2];
            if (!bias)
                continue;
            EXPECT(cudnnGetTensorNdDescriptor(bias_shape, 3, &type, &rank, dims, strides), 0);
            EXPECT(dims[1] * dims[2], HIDDEN);
            total += HIDDEN;
        }
    n->weight_count = total;
    EXPECT(r->weight_bytes, total * type_bytes(n->type)); /* nothing is counted twice */
    EXPECT(cudnnDestroyTensorDescriptor(matrix_shape), 0);
    EXPECT(cudnnDestroyTensorDescriptor(bias_shape), 0);
}

static void *rnn_of(const struct network *n, int type)
{
    void *made = NULL;
    EXPECT(cudnnCreateRNNDescriptor(&made), 0);
    EXPECT(cudnnSetRNNDescriptor_v8(made, 0, n->mode, n->bias_mode, n->directions - 1, 0, type,
                                    type == DOUBLE ? DOUBLE : FLOAT, 0, INPUT, HIDDEN, n->width,
                                    LAYERS, NULL, 1),
           0);
    return made;
}

/* Makes numbers, and all that is needed. Padding of y is filled with 7. */
static void start(struct network *n, struct run *r)
{
    static double laid[MOST];
    double padding;
    *r = (struct run){.rnn = rnn_of(n, n->type)};
    find_weights(n, r);
    fill(n->weights, n->weight_count);
    fill(&n->x[0][0][0], sizeof n->x / sizeof(double));
    fill(&n->h[0][0][0], sizeof n->h / sizeof(double));
    fill(&n->c[0][0][0], sizeof n->c / sizeof(double));
    r->x_data = data_of(n, INPUT, NULL);
    write_number(n->type, &padding, 0, 7);
    r->y_data = data_of(n, n->width * n->directions, &padding);
    r->h_shape = shape_of(n, n->width);
    r->c_shape = shape_of(n, HIDDEN);
    r->states = LAYERS * n->directions * BATCH;
    r->widths = STEPS * BATCH * n->width * n->directions;
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r->rnn, 1, r->x_data, &r->work_bytes, &r->kept_bytes),
           0);
    EXPECT(cudaMalloc(&r->work, r->work_bytes), 0);
    EXPECT(cudaMalloc(&r->kept, r->kept_bytes), 0);
    EXPECT(cudaMemset(r->work, 0xff, r->work_bytes), 0); /* not numbers */
    EXPECT(cudaMemset(r->kept, 0xff, r->kept_bytes), 0);
    lay_out(n, INPUT, &n->x[0][0][0], laid);
    r->x = to_device(n->type, laid, STEPS * BATCH * INPUT);
    r->weights = to_device(n->type, n->weights, n->weight_count);
    double packed[LAYERS * 2 * BATCH * HIDDEN];
    for (int i = 0; i < r->states * n->width; i++)
        packed[i] = (&n->h[0][0][0])[i / n->width * HIDDEN + i % n->width];
    r->hx = to_device(n->type, packed, (size_t)(r->states * n->width));
    r->cx = to_device(n->type, &n->c[0][0][0], (size_t)r->states * HIDDEN);
    r->hy = to_device(n->type, packed, 1);
    r->cy = to_device(n->type, packed, 1);
    r->y = to_device(n->type, packed, 1);
}

static void finish(struct run *r)
{
    void *const memory[] = {r->x, r->y, r->hx, r->hy, r->cx, r->cy, r->weights, r->work, r->kept};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
    EXPECT(cudnnDestroyTensorDescriptor(r->h_shape), 0);
    EXPECT(cudnnDestroyTensorDescriptor(r->c_shape), 0);
    EXPECT(cudnnDestroyRNNDataDescriptor(r->x_data), 0);
    EXPECT(cudnnDestroyRNNDataDescriptor(r->y_data), 0);
    EXPECT(cudnnDestroyRNNDescriptor(r->rnn), 0);
}

static int forward(const struct run *r, int mode)
{
    return cudnnRNNForward(handle, r->rnn, mode, NULL, r->x_data, r->x, r->y_data, r->y, r->h_shape,
                           r->hx, r->hy, r->c_shape, r->cx, r->cy, r->weight_bytes, r->weights,
                           r->work_bytes, r->work, mode ? r->kept_bytes : 0, mode ? r->kept : NULL);
}

static void test_forward(struct network *n, const struct run *r, int mode)
{
    static double got[MOST], wanted[MOST];
    const double tolerance = type_tolerance(n->type);
    EXPECT(forward(r, mode), 0);
    for (int i = 0; i < MOST; i++)
        wanted[i] = 7;
    double flat[STEPS * BATCH * 2 * HIDDEN];
    const int wide = n->width * n->directions;
    for (int i = 0; i < r->widths; i++) {
        const int t = i / wide / BATCH, b = i / wide % BATCH;
        flat[i] = t < n->lengths[b] ? n->y[t][b][i % wide] : 7;
    }
    lay_out(n, wide, flat, wanted);
    int rows = 0;
    for (int i = 0; i < STEPS * BATCH; i++)
        rows += row_of(n, i / BATCH, i % BATCH) >= 0;
    from_device(n->type, r->y, (size_t)(rows * wide), got);
    for (int i = 0; i < rows * wide; i++)
        expect_near("y", n, i, got[i], wanted[i], tolerance);
    from_device(n->type, r->hy, (size_t)(r->states * n->width), got);
    for (int i = 0; i < r->states * n->width; i++)
        expect_near("hy", n, i, got[i], (&n->hy[0][0][0])[i / n->width * HIDDEN + i % n->width],
                    tolerance);
    from_device(n->type, r->cy, (size_t)r->states * HIDDEN, got);
    for (int i = 0; i < r->states * HIDDEN && n->mode == LSTM; i++)
        expect_near("cy", n, i, got[i], (&n->cy[0][0][0])[i], tolerance);
}

/* ---- gradients ---- */

struct gradients {
    double y[STEPS][BATCH][2 * HIDDEN], h[LAYERS * 2][BATCH][HIDDEN], c[LAYERS * 2][BATCH][HIDDEN];
};

/* What the gradients are of: a weighted sum of all that comes out. */
static double sum_of(struct network *n, const struct gradients *g)
{
    double sum = 0;
    run_host(n);
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < BATCH; b++)
            for (int k = 0; k < n->width * n->directions && t < n->lengths[b]; k++)
                sum += n->y[t][b][k] * g->y[t][b][k];
    for (int p = 0; p < LAYERS * n->directions; p++)
        for (int b = 0; b < BATCH; b++)
            for (int u = 0; u < HIDDEN; u++) {
                sum += u < n->width ? n->hy[p][b][u] * g->h[p][b][u] : 0;
                sum += n->mode == LSTM ? n->cy[p][b][u] * g->c[p][b][u] : 0;
            }
    return sum;
}

static double difference(struct network *n, const struct gradients *g, double *of)
{
    const double kept = *of, h = 1e-5;
    *of = kept + h;
    const double more = sum_of(n, g);
    *of = kept - h;
    const double less = sum_of(n, g);
    *of = kept;
    return (more - less) / (2 * h);
}

static void test_gradients(struct network *n, struct run *r)
{
    static double flat[MOST], laid[MOST], got[MOST];
    struct gradients g;
    fill(&g.y[0][0][0], sizeof g / sizeof(double));
    const int wide = n->width * n->directions;
    for (int i = 0; i < r->widths; i++)
        flat[i] = (&g.y[0][0][0])[i / wide * 2 * HIDDEN + i % wide];
    lay_out(n, wide, flat, laid);
    void *dy = to_device(DOUBLE, laid, (size_t)r->widths), *dx = to_device(DOUBLE, laid, 1),
         *dhx = to_device(DOUBLE, laid, 1), *dcx = to_device(DOUBLE, laid, 1);
    for (int i = 0; i < r->states * n->width; i++)
        flat[i] = (&g.h[0][0][0])[i / n->width * HIDDEN + i % n->width];
    void *dhy = to_device(DOUBLE, flat, (size_t)(r->states * n->width)),
         *dcy = to_device(DOUBLE, &g.c[0][0][0], (size_t)r->states * HIDDEN);
    for (size_t i = 0; i < n->weight_count; i++)
        flat[i] = 1;
    void *dw = to_device(DOUBLE, flat, n->weight_count);
    for (int again = 0; again < 2; again++) /* the reserve space serves twice */
        EXPECT(cudnnRNNBackwardData_v8(handle, r->rnn, NULL, r->y_data, r->y, dy, r->x_data, dx,
                                       r->h_shape, r->hx, dhy, dhx, r->c_shape, r->cx, dcy, dcx,
                                       r->weight_bytes, r->weights, r->work_bytes, r->work,
                                       r->kept_bytes, r->kept),
               0);
    for (int mode = 1; mode >= 0; mode--) /* set, then add */
        EXPECT(cudnnRNNBackwardWeights_v8(handle, r->rnn, mode, NULL, r->x_data, r->x, r->h_shape,
                                          r->hx, r->y_data, r->y, r->weight_bytes, dw,
                                          r->work_bytes, r->work, r->kept_bytes, r->kept),
               0);
    const double tolerance = 2e-8;
    from_device(DOUBLE, dw, n->weight_count, got);
    for (size_t i = 0; i < n->weight_count; i++)
        expect_near("dw", n, (int)i, got[i], 2 * difference(n, &g, &n->weights[i]), tolerance);
    from_device(DOUBLE, dx, STEPS * BATCH * INPUT, got);
    for (int i = 0; i < STEPS * BATCH; i++)
        for (int k = 0, row = row_of(n, i / BATCH, i % BATCH); k < INPUT && row >= 0; k++)
            expect_near("dx", n, row * INPUT + k, got[row * INPUT + k],
                        difference(n, &g, &n->x[i / BATCH][i % BATCH][k]), tolerance);
    from_device(DOUBLE, dhx, (size_t)(r->states * n->width), got);
    for (int i = 0; i < r->states * n->width; i++)
        expect_near("dhx", n, i, got[i],
                    difference(n, &g, &(&n->h[0][0][0])[i / n->width * HIDDEN + i % n->width]),
                    tolerance);
    from_device(DOUBLE, dcx, (size_t)r->states * HIDDEN, got);
    for (int i = 0; i < r->states * HIDDEN && n->mode == LSTM; i++)
        expect_near("dcx", n, i, got[i], difference(n, &g, &(&n->c[0][0][0])[i]), tolerance);
    void *const memory[] = {dy, dx, dhx, dcx, dhy, dcy, dw};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
}

static void test_network(struct network n)
{
    struct run r;
    start(&n, &r);
    run_host(&n);
    test_forward(&n, &r, 0);
    test_forward(&n, &r, 1);
    if (n.type == DOUBLE)
        test_gradients(&n, &r);
    finish(&r);
}

/* ---- dropout ---- */

/* Of positive weights and numbers, without biases and first states, a network of rectifiers is
 * linear: then the gradients with respect to x, times x, add up as those of y, times y, do. */
static void test_dropout(void)
{
    enum { OUTPUTS = STEPS * BATCH * HIDDEN, INPUTS = STEPS * BATCH * INPUT };
    static double y[3][OUTPUTS], dx[INPUTS], dy[OUTPUTS], x[INPUTS];
    struct network n = {
        .mode = RELU, .directions = 1, .width = HIDDEN, .type = DOUBLE, .lengths = {4, 4, 4}};
    struct run r;
    void *dropout = NULL, *states = NULL;
    size_t bytes;
    start(&n, &r);
    EXPECT(cudnnCreateDropoutDescriptor(&dropout), 0);
    EXPECT(cudnnDropoutGetStatesSize(handle, &bytes), 0);
    EXPECT(cudaMalloc(&states, bytes), 0);
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 0.5f, states, bytes, 17), 0);
    EXPECT(cudnnSetRNNDescriptor_v8(r.rnn, 0, RELU, 0, 0, 0, DOUBLE, DOUBLE, 0, INPUT, HIDDEN,
                                    HIDDEN, LAYERS, dropout, 1),
           0);
    const size_t before = r.kept_bytes;
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 1, r.x_data, &r.work_bytes, &r.kept_bytes), 0);
    EXPECT(r.kept_bytes > before, 1);
    cudaFree(r.kept), cudaFree(r.work);
    EXPECT(cudaMalloc(&r.kept, r.kept_bytes), 0);
    EXPECT(cudaMalloc(&r.work, r.work_bytes), 0);
    for (int i = 0; i < MOST; i++)
        n.weights[i] = fabs(n.weights[i]);
    for (int i = 0; i < INPUTS; i++)
        x[i] = 1 + i % 3;
    fill(dy, OUTPUTS);
    EXPECT(cudaMemcpy(r.weights, n.weights, n.weight_count * sizeof(double), 1), 0);
    EXPECT(cudaMemcpy(r.x, x, sizeof x, 1), 0);
    EXPECT(cudaMemset(r.hx, 0, (size_t)(r.states * HIDDEN) * sizeof(double)), 0);
    for (int i = 0; i < 3; i++) { /* the first one drops nothing */
        EXPECT(forward(&r, i > 0), 0);
        from_device(DOUBLE, r.y, OUTPUTS, y[i]);
    }
    EXPECT(memcmp(y[0], y[1], sizeof y[0]) != 0 && memcmp(y[1], y[2], sizeof y[1]) != 0, 1);
    void *device_dx = to_device(DOUBLE, x, 1), *device_dy = to_device(DOUBLE, dy, OUTPUTS);
    EXPECT(cudnnRNNBackwardData_v8(handle, r.rnn, NULL, r.y_data, r.y, device_dy, r.x_data,
                                   device_dx, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   r.weight_bytes, r.weights, r.work_bytes, r.work, r.kept_bytes,
                                   r.kept),
           0);
    from_device(DOUBLE, device_dx, INPUTS, dx);
    double in = 0, out = 0;
    for (int i = 0; i < INPUTS; i++)
        in += dx[i] * x[i];
    for (int i = 0; i < OUTPUTS; i++)
        out += dy[i] * y[2][i];
    expect_near("dropout", &n, 0, in, out, 1e-12);
    cudaFree(device_dx), cudaFree(device_dy), cudaFree(states);
    EXPECT(cudnnDestroyDropoutDescriptor(dropout), 0);
    finish(&r);
}

/* ---- what is wrong ---- */

static int set_rnn(void *rnn, int mode, int input_mode, int type, int math_type, int projection)
{
    return cudnnSetRNNDescriptor_v8(rnn, 0, mode, 2, 0, input_mode, type, math_type, 0, INPUT,
                                    HIDDEN, projection, LAYERS, NULL, 1);
}

static void test_descriptors(void)
{
    struct network n = {
        .mode = LSTM, .bias_mode = 2, .directions = 2, .width = 2, .lengths = {4, 2, 1}};
    void *rnn = rnn_of(&n, FLOAT), *data = data_of(&n, INPUT, NULL), *dropout = &n;
    int got[12], lengths[BATCH] = {0};
    const int falling[] = {1, 2, 3}, long_ones[] = {5, 1, 1};
    uint32_t flags = 0;
    EXPECT(cudnnGetRNNDescriptor_v8(rnn, &got[0], &got[1], &got[2], &got[3], &got[4], &got[5],
                                    &got[6], &got[7], &got[8], &got[9], &got[10], &got[11],
                                    &dropout, &flags),
           0);
    const int wanted[] = {0, LSTM, 2, 1, 0, FLOAT, FLOAT, 0, INPUT, HIDDEN, 2, LAYERS};
    for (int i = 0; i < 12; i++)
        EXPECT(got[i], wanted[i]);
    EXPECT(dropout == NULL && flags == 1, 1);
    EXPECT(cudnnGetRNNDataDescriptor(data, &got[0], &got[1], &got[2], &got[3], &got[4], 2, lengths,
                                     NULL),
           0);
    EXPECT(got[0] == FLOAT && got[1] == STEPS_PADDED && got[2] == STEPS && got[3] == BATCH, 1);
    EXPECT(got[4] == INPUT && lengths[0] == 4 && lengths[1] == 2 && lengths[2] == 0, 1);
    EXPECT(cudnnSetRNNDataDescriptor(data, FLOAT, STEPS_PACKED, STEPS, BATCH, INPUT, falling, NULL),
           BAD_PARAM);
    EXPECT(
        cudnnSetRNNDataDescriptor(data, FLOAT, STEPS_PADDED, STEPS, BATCH, INPUT, long_ones, NULL),
        BAD_PARAM);
    EXPECT(cudnnSetRNNDataDescriptor(data, FLOAT, 3, STEPS, BATCH, INPUT, falling, NULL),
           BAD_PARAM);
    EXPECT(cudnnSetRNNDataDescriptor(rnn, FLOAT, 0, STEPS, BATCH, INPUT, falling, NULL), BAD_PARAM);
    EXPECT(set_rnn(rnn, 4, 0, FLOAT, FLOAT, 0), BAD_PARAM);
    EXPECT(set_rnn(rnn, GRU, 0, FLOAT, FLOAT, 2), BAD_PARAM);
    EXPECT(set_rnn(rnn, LSTM, 0, FLOAT, FLOAT, HIDDEN + 1), BAD_PARAM);
    EXPECT(set_rnn(data, LSTM, 0, FLOAT, FLOAT, 0), BAD_PARAM);
    capture_stderr();
    EXPECT(set_rnn(rnn, LSTM, 1, FLOAT, FLOAT, 0), NOT_SUPPORTED);
    EXPECT(set_rnn(rnn, LSTM, 0, DOUBLE, FLOAT, 0), NOT_SUPPORTED);
    EXPECT(cudnnSetRNNDataDescriptor(data, INT8, 0, STEPS, BATCH, INPUT, falling, NULL),
           NOT_SUPPORTED);
    EXPECT(cudnnRNNSetClip_v9(rnn, 1, -1, 1), NOT_SUPPORTED);
    EXPECT(cudnnRNNSetClip_v8(rnn, 1, 0, -1, 1), NOT_SUPPORTED);
    const char *text = captured_stderr();
    EXPECT(strstr(text, "cudnnSetRNNDescriptor_v8") != NULL, 1);
    EXPECT(strstr(text, "cudnnRNNSetClip_v9") != NULL, 1);
    EXPECT(cudnnRNNSetClip_v9(rnn, 0, 0, 0), 0);
    EXPECT(cudnnRNNSetClip_v8(rnn, 2, 0, 0, 0), BAD_PARAM);
    EXPECT(cudnnRNNGetClip_v9(rnn, &got[0], NULL, NULL), 0);
    EXPECT(cudnnRNNGetClip_v8(rnn, &got[0], &got[1], NULL, NULL), 0);
    EXPECT(got[0], 0);
    EXPECT(cudnnBuildRNNDynamic(handle, rnn, 4), 0);
    EXPECT(cudnnBuildRNNDynamic(handle, data, 4), BAD_PARAM);
    EXPECT(cudnnDestroyRNNDescriptor(data), BAD_PARAM);
    EXPECT(cudnnDestroyRNNDataDescriptor(data), 0);
    EXPECT(cudnnDestroyRNNDescriptor(rnn), 0);
}

static void test_wrong_runs(void)
{
    struct network n = {.mode = LSTM,
                        .bias_mode = 2,
                        .directions = 1,
                        .width = HIDDEN,
                        .type = FLOAT,
                        .lengths = {4, 4, 4}};
    struct run r, wrong;
    size_t bytes;
    void *matrix, *bias;
    start(&n, &r);
    EXPECT(cudnnGetRNNWeightSpaceSize(handle, r.x_data, &bytes), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 2, r.x_data, &bytes, NULL), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 1, r.rnn, &bytes, NULL), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 0, r.x_data, NULL, &bytes), 0);
    EXPECT(bytes, 0);
    EXPECT(cudnnGetRNNWeightParams(handle, r.rnn, 0, r.weight_bytes, r.weights, 0, NULL, NULL, NULL,
                                   NULL),
           0);
    EXPECT(cudnnGetRNNWeightParams(handle, r.rnn, 0, r.weight_bytes, r.weights, 0, NULL, &matrix,
                                   NULL, NULL),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r.rnn, 2, r.weight_bytes, r.weights, 0, r.h_shape,
                                   &matrix, r.c_shape, &bias),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r.rnn, 0, r.weight_bytes, r.weights, 9, r.h_shape,
                                   &matrix, r.c_shape, &bias),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r.rnn, 0, r.weight_bytes - 1, r.weights, 0, r.h_shape,
                                   &matrix, r.c_shape, &bias),
           BAD_PARAM);
    EXPECT(forward(&r, 2), BAD_PARAM);
    wrong = r, wrong.work_bytes--;
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    wrong = r, wrong.kept_bytes--;
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    wrong = r, wrong.weight_bytes--;
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    wrong = r, wrong.y_data = r.x_data; /* of another width */
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    wrong = r, wrong.x = NULL;
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    n.width--;
    wrong = r, wrong.h_shape = shape_of(&n, n.width);
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    EXPECT(cudnnDestroyTensorDescriptor(wrong.h_shape), 0);
    EXPECT(cudnnRNNBackwardWeights_v8(handle, r.rnn, 2, NULL, r.x_data, r.x, r.h_shape, r.hx,
                                      r.y_data, r.y, r.weight_bytes, r.weights, r.work_bytes,
                                      r.work, r.kept_bytes, r.kept),
           BAD_PARAM);
    finish(&r);
}

int main(void)
{
    EXPECT(cudnnCreate(&handle), 0);
    for (int mode = RELU; mode <= GRU; mode++)
        for (int layout = STEPS_PADDED; layout <= SEQUENCES_PADDED; layout++) {
            const bool is_even = layout == (mode + 1) % 3;
            struct network n = {.mode = mode,
                                .bias_mode = 2,
                                .directions = 1 + (layout + mode) % 2,
                                .width = HIDDEN,
                                .layout = layout,
                                .type = DOUBLE,
                                .lengths = {4, is_even ? 4 : 3, is_even ? 4 : 1}};
            test_network(n);
            n.directions = 3 - n.directions;
            for (int i = 0; i < 4; i++) {
                n.type = dnn_types[i];
                if (n.type != DOUBLE)
                    test_network(n);
            }
        }
    for (int bias_mode = 0; bias_mode < 4; bias_mode++) { /* and projections, lengths in no order */
        struct network n = {.mode = LSTM,
                            .bias_mode = bias_mode,
                            .directions = 2,
                            .width = 3 - bias_mode % 2,
                            .layout = bias_mode % 2 * 2,
                            .type = DOUBLE,
                            .lengths = {2, 4, bias_mode}};
        test_network(n);
        n.mode = GRU;
        n.width = HIDDEN;
        test_network(n);
    }
    test_dropout();
    test_descriptors();
    test_wrong_runs();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
