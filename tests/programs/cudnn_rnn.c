/* cuDNN's recurrent networks, compared with the same on the host; gradients with differences of
 * what the host computes. */
#include "cudnn_rnn.h"

enum { INT8 = 3 };
enum { STEPS_PADDED = 0, STEPS_PACKED = 1, SEQUENCES_PADDED = 2 };
enum { PADDING = 7 };
enum { STEPS = 4, BATCH = 3, INPUT = 3, HIDDEN = 4 };

/* A network, and what goes in and comes out: all as doubles, x and y by step and sequence. */
struct network {
    int mode, bias_mode, directions, width, layout, type; /* width: of the hidden state */
    double bound;                                         /* of cells; 0: none */
    int lengths[BATCH];
    double weights[MOST];
    size_t weight_count;
    size_t at[LAYERS * 2][2][9]; /* of matrices and biases; none: MOST */
    double x[STEPS][BATCH][INPUT], h[LAYERS * 2][BATCH][HIDDEN], c[LAYERS * 2][BATCH][HIDDEN];
    double y[STEPS][BATCH][2 * HIDDEN], hy[LAYERS * 2][BATCH][HIDDEN],
        cy[LAYERS * 2][BATCH][HIDDEN];
};

/* ---- the host's ---- */

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

static double bounded(const struct network *n, double cell)
{
    return n->bound > 0 ? fmax(-n->bound, fmin(cell, n->bound)) : cell;
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
            c[u] =
                sigmoid(a[1] + b[1]) * bounded(n, c[u]) + sigmoid(a[0] + b[0]) * tanh(a[2] + b[2]);
            fresh[u] = sigmoid(a[3] + b[3]) * tanh(bounded(n, c[u]));
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

/* The last states of a sequence without steps are padding, as on an H200. */
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
                for (int u = 0; u < HIDDEN; u++) {
                    n->hy[pseudo][b][u] = n->lengths[b] ? h[u] : PADDING;
                    n->cy[pseudo][b][u] = n->lengths[b] ? c[u] : PADDING;
                }
            }
        count = n->width * n->directions;
        memcpy(in, out, sizeof out);
    }
    memcpy(n->y, out, sizeof out);
}

/* ---- the device's ---- */

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
    if (n->bound > 0)
        EXPECT(cudnnRNNSetClip_v9(made, 1, -n->bound, n->bound), 0);
    return made;
}

/* Makes numbers, and all that is needed. */
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
    write_number(n->type, &padding, 0, PADDING);
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
        wanted[i] = PADDING;
    double flat[STEPS * BATCH * 2 * HIDDEN];
    const int wide = n->width * n->directions;
    for (int i = 0; i < r->widths; i++) {
        const int t = i / wide / BATCH, b = i / wide % BATCH;
        flat[i] = t < n->lengths[b] ? n->y[t][b][i % wide] : PADDING;
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
    for (int again = 0; again < 2; again++) /* they are added */
        EXPECT(cudnnRNNBackwardWeights_v8(handle, r->rnn, 0, NULL, r->x_data, r->x, r->h_shape,
                                          r->hx, r->y_data, r->y, r->weight_bytes, dw,
                                          r->work_bytes, r->work, r->kept_bytes, r->kept),
               0);
    const double tolerance = 2e-8;
    from_device(DOUBLE, dw, n->weight_count, got);
    for (size_t i = 0; i < n->weight_count; i++)
        expect_near("dw", n, (int)i, got[i], 1 + 2 * difference(n, &g, &n->weights[i]), tolerance);
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

static void test_network(const struct network *given)
{
    static struct network n;
    struct run r;
    n = *given;
    start(&n, &r);
    run_host(&n);
    test_forward(&n, &r, 0);
    test_forward(&n, &r, 1);
    if (n.type == DOUBLE)
        test_gradients(&n, &r);
    finish(&r);
}

/* Cells within bounds, and a sequence without steps. */
static void test_bounds(void)
{
    static struct network n = {.mode = LSTM,
                               .bias_mode = 2,
                               .directions = 2,
                               .type = DOUBLE,
                               .bound = 0.3,
                               .lengths = {4, 2, 0}};
    for (n.layout = STEPS_PADDED; n.layout <= SEQUENCES_PADDED; n.layout += 2) {
        n.width = HIDDEN - n.layout;
        test_network(&n);
    }
}

/* ---- dropout ---- */

/* With the same seed again the same is dropped as in the two runs, whose results are there. */
static void expect_same_again(const struct run *r, void *dropout, void *states, size_t bytes,
                              const double *wanted)
{
    enum { OUTPUTS = STEPS * BATCH * HIDDEN };
    static double got[OUTPUTS];
    EXPECT(cudnnSetDropoutDescriptor(dropout, handle, 0.5f, states, bytes, 17), 0);
    for (int i = 0; i < 2; i++) {
        EXPECT(forward(r, 1), 0);
        from_device(DOUBLE, r->y, OUTPUTS, got);
        EXPECT(memcmp(got, wanted + i * OUTPUTS, sizeof got), 0);
    }
}

/* A dropout descriptor that never had states. */
static void expect_stateless(const struct run *r)
{
    void *stateless = NULL;
    EXPECT(cudnnCreateDropoutDescriptor(&stateless), 0);
    EXPECT(cudnnSetDropoutDescriptor(stateless, handle, 0.5f, NULL, 0, 17), 0);
    EXPECT(cudnnSetRNNDescriptor_v8(r->rnn, 0, RELU, 0, 0, 0, DOUBLE, DOUBLE, 0, INPUT, HIDDEN,
                                    HIDDEN, LAYERS, stateless, 1),
           0);
    EXPECT(forward(r, 1), BAD_PARAM);
    EXPECT(cudnnDestroyDropoutDescriptor(stateless), 0);
}

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
    expect_same_again(&r, dropout, states, bytes, y[1]);
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
    expect_stateless(&r);
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

static void test_clip_calls(void *rnn)
{
    int mode = 9, nans = 9;
    double least = 9, most = 9;
    EXPECT(cudnnRNNSetClip_v8(rnn, 1, 1, -1, 2), 0);
    EXPECT(cudnnRNNGetClip_v8(rnn, &mode, &nans, &least, &most), 0);
    EXPECT(mode == 1 && nans == 1 && least == -1 && most == 2, 1);
    EXPECT(cudnnRNNSetClip_v9(rnn, 1, 2, -1), BAD_PARAM);
    EXPECT(cudnnRNNSetClip_v9(rnn, 1, NAN, 1), BAD_PARAM);
    EXPECT(cudnnRNNSetClip_v8(rnn, 2, 0, 0, 0), BAD_PARAM);
    EXPECT(cudnnRNNSetClip_v9(handle, 0, 0, 0), BAD_PARAM);
    EXPECT(cudnnRNNGetClip_v9(rnn, &mode, &least, &most), 0);
    EXPECT(mode == 1 && least == -1 && most == 2, 1);
    EXPECT(set_rnn(rnn, LSTM, 0, FLOAT, FLOAT, HIDDEN), 0); /* which begins anew */
    EXPECT(cudnnRNNGetClip_v9(rnn, &mode, NULL, NULL), 0);
    EXPECT(mode, 0);
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
    EXPECT(set_rnn(rnn, 4, 0, FLOAT, FLOAT, HIDDEN), BAD_PARAM);
    EXPECT(set_rnn(rnn, LSTM, 0, FLOAT, FLOAT, 0), BAD_PARAM);
    EXPECT(set_rnn(rnn, GRU, 0, FLOAT, FLOAT, 2), NOT_SUPPORTED);
    EXPECT(set_rnn(rnn, LSTM, 0, FLOAT, FLOAT, HIDDEN + 1), NOT_SUPPORTED);
    EXPECT(set_rnn(data, LSTM, 0, FLOAT, FLOAT, HIDDEN), BAD_PARAM);
    EXPECT(cudnnSetRNNDescriptor_v8(rnn, 1, LSTM, 2, 0, 0, FLOAT, FLOAT, 0, INPUT, HIDDEN, 2,
                                    LAYERS, NULL, 1),
           NOT_SUPPORTED); /* a projection by a persistent algorithm */
    EXPECT(cudnnSetRNNDescriptor_v8(rnn, 0, LSTM, 2, 0, 0, FLOAT, FLOAT, 0, INPUT, HIDDEN, 2,
                                    LAYERS, NULL, 2),
           BAD_PARAM);
    capture_stderr();
    EXPECT(set_rnn(rnn, LSTM, 0, DOUBLE, FLOAT, HIDDEN), NOT_SUPPORTED);
    EXPECT(cudnnSetRNNDataDescriptor(data, INT8, 0, STEPS, BATCH, INPUT, falling, NULL),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnSetRNNDescriptor_v8") != NULL, 1);
    test_clip_calls(rnn);
    EXPECT(cudnnBuildRNNDynamic(handle, rnn, 4), 0);
    EXPECT(cudnnBuildRNNDynamic(handle, data, 4), BAD_PARAM);
    EXPECT(cudnnDestroyRNNDescriptor(data), BAD_PARAM);
    EXPECT(cudnnDestroyRNNDataDescriptor(data), 0);
    EXPECT(cudnnDestroyRNNDescriptor(rnn), 0);
}

/* States in another order, or not side by side; sequences of which the network does not know that
 * they have padding. */
static void test_wrong_states(const struct network *n, const struct run *r)
{
    const int turned[] = {BATCH, LAYERS, HIDDEN}, sizes[] = {LAYERS, BATCH, HIDDEN},
              packed[] = {BATCH * HIDDEN, HIDDEN, 1}, wide[] = {2 * BATCH * HIDDEN, 2 * HIDDEN, 1};
    struct run wrong = *r;
    wrong.h_shape = shape_of(n, HIDDEN);
    EXPECT(forward(&wrong, 1), 0);
    EXPECT(cudnnSetTensorNdDescriptor(wrong.h_shape, FLOAT, 3, turned, packed), 0);
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    EXPECT(cudnnSetTensorNdDescriptor(wrong.h_shape, FLOAT, 3, sizes, wide), 0);
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    EXPECT(cudnnDestroyTensorDescriptor(wrong.h_shape), 0);
    void *rnn = NULL;
    EXPECT(cudnnCreateRNNDescriptor(&rnn), 0);
    EXPECT(cudnnSetRNNDescriptor_v8(rnn, 0, LSTM, 2, 0, 0, FLOAT, FLOAT, 0, INPUT, HIDDEN, HIDDEN,
                                    LAYERS, NULL, 0),
           0);
    for (int layout = 0; layout < 3; layout++)
        for (int is_even = 0; is_even < 2; is_even++) {
            static struct network of;
            of = *n;
            of.layout = layout;
            of.lengths[2] -= !is_even;
            wrong = *r, wrong.rnn = rnn;
            wrong.x_data = data_of(&of, INPUT, NULL), wrong.y_data = data_of(&of, HIDDEN, NULL);
            const bool is_right = layout == STEPS_PACKED || (layout == STEPS_PADDED && is_even);
            EXPECT(forward(&wrong, 1), is_right ? 0 : BAD_PARAM);
            EXPECT(cudnnDestroyRNNDataDescriptor(wrong.x_data), 0);
            wrong.x_data = r->x_data; /* in another layout, or of other lengths */
            EXPECT(forward(&wrong, 1), layout == STEPS_PADDED && is_even ? 0 : BAD_PARAM);
            EXPECT(cudnnDestroyRNNDataDescriptor(wrong.y_data), 0);
        }
    EXPECT(cudnnDestroyRNNDescriptor(rnn), 0);
}

static void test_wrong_weights(const struct network *n, struct run *r)
{
    void *matrix, *bias;
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 0, r->weight_bytes, r->weights, 0, NULL, NULL,
                                   NULL, NULL),
           0);
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 0, r->weight_bytes, r->weights, 0, NULL, &matrix,
                                   NULL, NULL),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 2, r->weight_bytes, r->weights, 0, r->h_shape,
                                   &matrix, r->c_shape, &bias),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 0, r->weight_bytes, r->weights, 9, r->h_shape,
                                   &matrix, r->c_shape, &bias),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 0, r->weight_bytes - 1, r->weights, 0,
                                   r->h_shape, &matrix, r->c_shape, &bias),
           0); /* which is not at the end */
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, LAYERS - 1, r->weight_bytes - 1, r->weights, 7,
                                   r->h_shape, &matrix, r->c_shape, &bias),
           BAD_PARAM);
    EXPECT(cudnnGetRNNWeightParams(handle, r->rnn, 0, r->weight_bytes, NULL, 1, r->h_shape, &matrix,
                                   r->c_shape, &bias),
           0); /* distances */
    EXPECT((uintptr_t)matrix, INPUT * HIDDEN * sizeof(float));
    EXPECT(cudnnDestroyTensorDescriptor(r->h_shape), 0);
    EXPECT(cudnnDestroyTensorDescriptor(r->c_shape), 0);
    r->h_shape = shape_of(n, HIDDEN), r->c_shape = shape_of(n, HIDDEN);
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
    start(&n, &r);
    EXPECT(cudnnGetRNNWeightSpaceSize(handle, r.x_data, &bytes), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 2, r.x_data, &bytes, NULL), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 1, r.rnn, &bytes, NULL), BAD_PARAM);
    EXPECT(cudnnGetRNNTempSpaceSizes(handle, r.rnn, 0, r.x_data, NULL, &bytes), 0);
    EXPECT(bytes, 0);
    test_wrong_weights(&n, &r);
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
    test_wrong_states(&n, &r);
    n.width--;
    wrong = r, wrong.h_shape = shape_of(&n, n.width);
    EXPECT(forward(&wrong, 1), BAD_PARAM);
    EXPECT(cudnnDestroyTensorDescriptor(wrong.h_shape), 0);
    EXPECT(cudnnRNNBackwardWeights_v8(handle, r.rnn, 2, NULL, r.x_data, r.x, r.h_shape, r.hx,
                                      r.y_data, r.y, r.weight_bytes, r.weights, r.work_bytes,
                                      r.work, r.kept_bytes, r.kept),
           BAD_PARAM);
    EXPECT(cudnnRNNBackwardWeights_v8(handle, r.rnn, 1, NULL, r.x_data, r.x, r.h_shape, r.hx,
                                      r.y_data, r.y, r.weight_bytes, r.weights, r.work_bytes,
                                      r.work, r.kept_bytes, r.kept),
           NOT_SUPPORTED); /* only adding is there */
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
            test_network(&n);
            n.directions = 3 - n.directions;
            for (int i = 0; i < 4; i++) {
                n.type = dnn_types[i];
                if (n.type != DOUBLE)
                    test_network(&n);
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
        test_network(&n);
        n.mode = GRU;
        n.width = HIDDEN;
        test_network(&n);
    }
    test_bounds();
    test_dropout();
    test_descriptors();
    test_wrong_runs();
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
