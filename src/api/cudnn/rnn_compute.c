/* Runs of recurrent networks, and their gradients. */
#include "api/cudnn/rnn_run.h"
#include "api/cudnn/tensor.h"

#define WORK(what, element) wl_cudnn_rnn_work(&run, WL_CUDNN_RNN_##what, element)
#define KEPT(what, part) wl_cudnn_rnn_kept(run, WL_CUDNN_RNN_##what, part)

/* Elements of the states of all pseudo-layers. */
static size_t states(const struct wl_cudnn_rnn_run *run, int width)
{
    return (size_t)run->pseudo_layers * (size_t)run->batch * (size_t)width;
}

static size_t places(const struct wl_cudnn_rnn_run *run)
{
    return (size_t)run->steps * (size_t)run->batch;
}

/* Whether a tensor of states has the sizes and the type that it must, and is packed; NULL: the call
 * has none.
 */
static bool is_state(const struct wl_cudnn_rnn_run *run, const void *descriptor, int width)
{
    const struct wl_cudnn_tensor *shape = wl_cudnn_tensor_check(descriptor);
    return !descriptor ||
           (shape && shape->type == run->rnn->type && shape->dims[0] == run->pseudo_layers &&
            shape->dims[1] == run->batch && shape->dims[2] == width &&
            wl_cudnn_tensor_bytes(shape) ==
                states(run, width) * wl_cudnn_type_bytes(run->rnn->type) &&
            wl_cudnn_tensor_count(shape) == (long long)states(run, width) &&
            wl_cudnn_is_writable(shape));
}

static bool are_states(const struct wl_cudnn_rnn_run *run, const void *hidden, const void *cell)
{
    return is_state(run, hidden, run->width) &&
           (run->rnn->mode != WL_DNN_LSTM || is_state(run, cell, run->rnn->hidden_size));
}

/* Reads the states of all pseudo-layers; NULL states are 0. */
static int read_states(const struct wl_cudnn_rnn_run *self, const void *hidden, const void *cell,
                       enum wl_cudnn_rnn_work hidden_to, enum wl_cudnn_rnn_work cell_to)
{
    int status = wl_cudnn_rnn_read(self, NULL, states(self, self->width), 1, hidden,
                                   wl_cudnn_rnn_work(self, hidden_to, 0));
    if (!status && self->rnn->mode == WL_DNN_LSTM)
        status = wl_cudnn_rnn_read(self, NULL, states(self, self->rnn->hidden_size), 1, cell,
                                   wl_cudnn_rnn_work(self, cell_to, 0));
    return status;
}

/* Writes them where a program wants them. Those of sequences without steps are filled, as on an
 * H200. */
static int write_states(const struct wl_cudnn_rnn_run *self, void *hidden, void *cell,
                        const void *fill)
{
    const struct wl_cudnn_rnn_run run = *self;
    const struct wl_dnn_rnn_rows rows = {
        .batch = run.batch, .step_rows = run.batch, .sequence_rows = 1, .lengths = run.lengths};
    int status = WL_CUDNN_OK;
    if (hidden)
        status = wl_cudnn_rnn_write(self, &rows, states(self, run.width), run.width,
                                    WORK(HIDDEN, 0), hidden, fill, false);
    if (!status && cell && run.rnn->mode == WL_DNN_LSTM)
        status = wl_cudnn_rnn_write(self, &rows, states(self, run.rnn->hidden_size),
                                    run.rnn->hidden_size, WORK(CELL, 0), cell, fill, false);
    return status;
}

/* Reads weights and the states that sequences begin with. */
static int read_start(const struct wl_cudnn_rnn_run *self, const void *weights, const void *hidden,
                      const void *cell)
{
    const struct wl_cudnn_rnn_run run = *self;
    const int status =
        wl_cudnn_rnn_read(self, NULL, wl_cudnn_rnn_weights(run.rnn), 1, weights, WORK(WEIGHTS, 0));
    return status ? status
                  : read_states(self, hidden, cell, WL_CUDNN_RNN_FIRST_HIDDEN,
                                WL_CUDNN_RNN_FIRST_CELL);
}

int cudnnGetRNNTempSpaceSizes(void *handle, const void *rnn, int forward_mode, const void *x,
                              size_t *work_bytes, size_t *kept_bytes)
{
    struct wl_cudnn_rnn_run run;
    if (forward_mode < 0 || forward_mode > 1)
        return WL_CUDNN_BAD_PARAM;
    const int status = wl_cudnn_rnn_start(&run, handle, rnn, x, NULL);
    if (status)
        return status;
    if (work_bytes)
        *work_bytes = run.work_bytes;
    if (kept_bytes)
        *kept_bytes = forward_mode ? run.kept_bytes : 0;
    return WL_CUDNN_OK;
}

/* ---- forward ---- */

/* A matrix of weights with its rows as columns: [depth, rows]. */
static int turn(const struct wl_cudnn_rnn_run *run, int pseudo_layer, enum wl_cudnn_rnn_part part,
                int rows, const void **made)
{
    size_t at;
    int columns = (int)(wl_cudnn_rnn_part(run->rnn, pseudo_layer, part, &at) / (size_t)rows);
    void *from = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHTS, at),
         *to = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_TURNED, at);
    void *arguments[] = {&from, &to, &rows, &columns};
    *made = to;
    return wl_cudnn_rnn_launch(run, "rnn_turn", (size_t)rows * (size_t)columns, arguments);
}

/* A bias; NULL: there is none. */
static const void *bias_of(const struct wl_cudnn_rnn_run *run, int pseudo_layer,
                           enum wl_cudnn_rnn_part part)
{
    size_t at;
    const size_t size = wl_cudnn_rnn_part(run->rnn, pseudo_layer, part, &at);
    return size ? wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHTS, at) : NULL;
}

static int run_steps(const struct wl_cudnn_rnn_run *run, int pseudo_layer, const void *recurrent)
{
    const int rows = run->gates * run->rnn->hidden_size;
    const size_t hidden = (size_t)run->batch * (size_t)run->rnn->hidden_size;
    struct wl_dnn_rnn_step step = wl_cudnn_rnn_step(run, pseudo_layer);
    const struct wl_dnn_rnn_product product = {
        .rows = run->batch,
        .columns = rows,
        .depth = run->width,
        .a = step.hidden_state,
        .b = recurrent,
        .bias = bias_of(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT_BIAS),
        .out = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_SUMS, 0),
        .a_row = run->width,
        .a_depth = 1,
        .b_depth = rows,
        .out_row = rows,
    };
    void *arguments[] = {&step};
    int status = WL_CUDNN_OK;
    wl_cudnn_rnn_tell(run, pseudo_layer, WL_LIBRARY_RNN);
    for (int i = 0; i < run->steps && !status; i++) {
        step.step = step.is_backward ? run->steps - 1 - i : i;
        status = wl_cudnn_rnn_multiply(run, product);
        if (!status)
            status = wl_cudnn_rnn_launch(run, "rnn_forward", hidden, arguments);
        if (!status && step.projection)
            status = wl_cudnn_rnn_launch(run, "rnn_project",
                                         (size_t)run->batch * (size_t)run->width, arguments);
    }
    return status;
}

/* What a layer's gates are given of x, if it has no matrix for it; *is_spread: so it is. */
static int spread_input(const struct wl_cudnn_rnn_run *run, int pseudo_layer, bool *is_spread)
{
    size_t at;
    *is_spread = !wl_cudnn_rnn_part(run->rnn, pseudo_layer, WL_CUDNN_RNN_INPUT, &at);
    if (!*is_spread)
        return WL_CUDNN_OK;
    const void *x = wl_cudnn_rnn_layer_input(run, 0),
               *bias = bias_of(run, pseudo_layer, WL_CUDNN_RNN_INPUT_BIAS);
    void *out = KEPT(GATES, pseudo_layer);
    int gates = run->gates, hidden = run->rnn->hidden_size;
    long long count = (long long)places(run) * gates * hidden;
    void *arguments[] = {&x, &bias, &out, &gates, &hidden, &count};
    return wl_cudnn_rnn_launch(run, "rnn_spread", (size_t)count, arguments);
}

static int run_pseudo_layer(const struct wl_cudnn_rnn_run *run, int pseudo_layer)
{
    const int layer = pseudo_layer / run->directions, input = wl_cudnn_rnn_input(run->rnn, layer),
              rows = run->gates * run->rnn->hidden_size;
    struct wl_dnn_rnn_product product = {
        .rows = (int)places(run),
        .columns = rows,
        .depth = input,
        .a = wl_cudnn_rnn_layer_input(run, layer),
        .bias = bias_of(run, pseudo_layer, WL_CUDNN_RNN_INPUT_BIAS),
        .out = KEPT(GATES, pseudo_layer),
        .a_row = input,
        .a_depth = 1,
        .b_depth = rows,
        .out_row = rows,
    };
    const void *recurrent;
    bool is_spread;
    int status = spread_input(run, pseudo_layer, &is_spread);
    if (!status)
        status = turn(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT, rows, &recurrent);
    if (!status && !is_spread)
        status = turn(run, pseudo_layer, WL_CUDNN_RNN_INPUT, rows, &product.b);
    if (!status && !is_spread)
        status = wl_cudnn_rnn_multiply(run, product);
    return status ? status : run_steps(run, pseudo_layer, recurrent);
}

static int run_layers(const struct wl_cudnn_rnn_run *run)
{
    int status = run->dropped > 0 ? wl_cudnn_rnn_draw(run) : WL_CUDNN_OK;
    for (int layer = 0; layer < run->rnn->layers && !status; layer++) {
        for (int i = 0; i < run->directions && !status; i++)
            status = run_pseudo_layer(run, layer * run->directions + i);
        if (!status && run->dropped > 0 && layer < run->rnn->layers - 1)
            status = wl_cudnn_rnn_drop(run, layer, KEPT(OUTPUTS, layer), KEPT(DROPPED, layer));
    }
    return status;
}

int cudnnRNNForward(void *handle, const void *rnn, int forward_mode, const int *device_lengths,
                    const void *x_data, const void *x, const void *y_data, void *y,
                    const void *hidden_shape, const void *hx, void *hy, const void *cell_shape,
                    const void *cx, void *cy, size_t weight_bytes, const void *weights,
                    size_t work_bytes, void *work, size_t kept_bytes, void *kept)
{
    (void)device_lengths; /* those of the descriptors count */
    static const double zero = 0;
    struct wl_cudnn_rnn_run run;
    if (!y_data || !x || !y || !weights || forward_mode < 0 || forward_mode > 1)
        return WL_CUDNN_BAD_PARAM;
    int status = wl_cudnn_rnn_start(&run, handle, rnn, x_data, y_data);
    if (status)
        return status;
    if (weight_bytes < wl_cudnn_rnn_weights(run.rnn) * wl_cudnn_type_bytes(run.rnn->type) ||
        !are_states(&run, hidden_shape, cell_shape))
        return WL_CUDNN_BAD_PARAM;
    status = wl_cudnn_rnn_take(&run, work, work_bytes, kept, kept_bytes, forward_mode);
    if (!status)
        status = read_start(&run, weights, hx, cx);
    if (!status)
        status = read_states(&run, hx, cx, WL_CUDNN_RNN_HIDDEN, WL_CUDNN_RNN_CELL);
    if (!status)
        status = wl_cudnn_rnn_read(&run, &run.x_rows, places(&run) * (size_t)run.x->width,
                                   run.x->width, x, wl_cudnn_rnn_layer_input(&run, 0));
    if (!status)
        status = run_layers(&run);
    const void *const fill = run.y->has_fill ? (const void *)run.y->fill : &zero;
    if (!status)
        status = wl_cudnn_rnn_write(
            &run, &run.y_rows, places(&run) * (size_t)run.y->width, run.y->width,
            wl_cudnn_rnn_kept(&run, WL_CUDNN_RNN_OUTPUTS, run.rnn->layers - 1), y, fill, false);
    return status ? status : write_states(&run, hy, cy, fill);
}

/* ---- gradients of data ---- */

/* Adds to the gradients of hidden states what comes through the recurrent weights of gates, from
 * one on. gradients: of a step, so many columns. */
static int back_hidden(const struct wl_cudnn_rnn_run *run, int pseudo_layer, int gate, int gates,
                       const void *gradients, int columns)
{
    const int hidden = run->rnn->hidden_size;
    size_t at;
    wl_cudnn_rnn_part(run->rnn, pseudo_layer, WL_CUDNN_RNN_RECURRENT, &at);
    at += (size_t)gate * (size_t)hidden * (size_t)run->width;
    return wl_cudnn_rnn_multiply(run, (struct wl_dnn_rnn_product){
                                          .rows = run->batch,
                                          .columns = run->width,
                                          .depth = gates * hidden,
                                          .is_sum = 1,
                                          .a = gradients,
                                          .b = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHTS, at),
                                          .out = wl_cudnn_rnn_step(run, pseudo_layer).hidden_state,
                                          .a_row = columns,
                                          .a_depth = 1,
                                          .b_depth = run->width,
                                          .out_row = run->width,
                                      });
}

static int back_step(const struct wl_cudnn_rnn_run *run, int pseudo_layer,
                     struct wl_dnn_rnn_step *step)
{
    const int hidden = run->rnn->hidden_size, rows = run->gates * hidden;
    const size_t units = (size_t)run->batch * (size_t)hidden,
                 begin = (size_t)step->step * units * run->real_bytes;
    const bool is_gru = run->rnn->mode == WL_DNN_GRU;
    void *arguments[] = {step};
    int status = WL_CUDNN_OK;
    if (step->projection)
        status = wl_cudnn_rnn_launch(run, "rnn_back_project", units, arguments);
    if (!status)
        status = wl_cudnn_rnn_launch(run, "rnn_back", units, arguments);
    if (!status)
        status = back_hidden(run, pseudo_layer, 0, is_gru ? 2 : run->gates,
                             (char *)step->gate_gradients + begin * (size_t)run->gates, rows);
    if (!status && is_gru) /* R h + b of h' has gradients of its own */
        status =
            back_hidden(run, pseudo_layer, 2, 1, (char *)step->extra_gradients + begin, hidden);
    return status;
}

/* The gradients of what a layer reads, summed over its directions. */
static int back_input(const struct wl_cudnn_rnn_run *run, int pseudo_layer, const void *gradients)
{
    const int input = wl_cudnn_rnn_input(run->rnn, pseudo_layer / run->directions);
    int gates = run->gates, hidden = run->rnn->hidden_size, is_sum = pseudo_layer % run->directions;
    void *below = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_BELOW, 0);
    size_t at;
    if (!wl_cudnn_rnn_part(run->rnn, pseudo_layer, WL_CUDNN_RNN_INPUT, &at)) {
        long long count = (long long)places(run) * hidden;
        void *arguments[] = {&gradients, &below, &gates, &hidden, &is_sum, &count};
        return wl_cudnn_rnn_launch(run, "rnn_gather", (size_t)count, arguments);
    }
    return wl_cudnn_rnn_multiply(run, (struct wl_dnn_rnn_product){
                                          .rows = (int)places(run),
                                          .columns = input,
                                          .depth = gates * hidden,
                                          .is_sum = is_sum,
                                          .a = gradients,
                                          .b = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHTS, at),
                                          .out = below,
                                          .a_row = gates * hidden,
                                          .a_depth = 1,
                                          .b_depth = input,
                                          .out_row = input,
                                      });
}

static int back_pseudo_layer(const struct wl_cudnn_rnn_run *run, int pseudo_layer)
{
    struct wl_dnn_rnn_step step = wl_cudnn_rnn_step(run, pseudo_layer);
    int status = WL_CUDNN_OK;
    wl_cudnn_rnn_tell(run, pseudo_layer, WL_LIBRARY_RNN_GRADIENTS);
    for (int i = 0; i < run->steps && !status; i++) {
        step.step = step.is_backward ? i : run->steps - 1 - i;
        status = back_step(run, pseudo_layer, &step);
    }
    return status ? status : back_input(run, pseudo_layer, step.gate_gradients);
}

static int back_layers(struct wl_cudnn_rnn_run *run)
{
    int status = WL_CUDNN_OK;
    for (int layer = run->rnn->layers - 1; layer >= 0 && !status; layer--) {
        for (int i = 0; i < run->directions && !status; i++)
            status = back_pseudo_layer(run, layer * run->directions + i);
        if (!layer || status)
            break;
        void *const below = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_BELOW, 0);
        if (run->dropped > 0)
            status = wl_cudnn_rnn_drop(run, layer - 1, below, below);
        const size_t swapped = run->work_at[WL_CUDNN_RNN_ABOVE];
        run->work_at[WL_CUDNN_RNN_ABOVE] = run->work_at[WL_CUDNN_RNN_BELOW];
        run->work_at[WL_CUDNN_RNN_BELOW] = swapped;
    }
    return status;
}

int cudnnRNNBackwardData_v8(void *handle, const void *rnn, const int *device_lengths,
                            const void *y_data, const void *y, const void *dy, const void *x_data,
                            void *dx, const void *hidden_shape, const void *hx, const void *dhy,
                            void *dhx, const void *cell_shape, const void *cx, const void *dcy,
                            void *dcx, size_t weight_bytes, const void *weights, size_t work_bytes,
                            void *work, size_t kept_bytes, void *kept)
{
    (void)device_lengths, (void)y; /* the reserve space has the outputs */
    static const double zero = 0;
    struct wl_cudnn_rnn_run run;
    if (!y_data || !dy || !dx || !weights)
        return WL_CUDNN_BAD_PARAM;
    int status = wl_cudnn_rnn_start(&run, handle, rnn, x_data, y_data);
    if (status)
        return status;
    if (weight_bytes < wl_cudnn_rnn_weights(run.rnn) * wl_cudnn_type_bytes(run.rnn->type) ||
        !are_states(&run, hidden_shape, cell_shape))
        return WL_CUDNN_BAD_PARAM;
    status = wl_cudnn_rnn_take(&run, work, work_bytes, kept, kept_bytes, true);
    if (!status)
        status = read_start(&run, weights, hx, cx);
    if (!status)
        status = wl_cudnn_rnn_read(&run, &run.y_rows, places(&run) * (size_t)run.y->width,
                                   run.y->width, dy, WORK(ABOVE, 0));
    if (!status)
        status = read_states(&run, dhy, dcy, WL_CUDNN_RNN_HIDDEN, WL_CUDNN_RNN_CELL);
    if (!status)
        status = back_layers(&run);
    if (!status)
        status = wl_cudnn_rnn_write(&run, &run.x_rows, places(&run) * (size_t)run.x->width,
                                    run.x->width, WORK(BELOW, 0), dx, &zero, false);
    return status ? status : write_states(&run, dhx, dcx, &zero);
}

/* ---- gradients of weights ---- */

/* A part's gradients, if there is such: sums over all steps and sequences of products of a's
 * columns (from one on) and b's. */
static int add_products(const struct wl_cudnn_rnn_run *run, int pseudo_layer,
                        enum wl_cudnn_rnn_part part, int from, int rows, const void *a, int a_width,
                        const void *b, int b_width)
{
    size_t at;
    if (!wl_cudnn_rnn_part(run->rnn, pseudo_layer, part, &at))
        return WL_CUDNN_OK;
    at += (size_t)from * (size_t)b_width;
    return wl_cudnn_rnn_multiply(
        run, (struct wl_dnn_rnn_product){
                 .rows = rows,
                 .columns = b_width,
                 .depth = (int)places(run),
                 .a = a,
                 .b = b,
                 .out = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHT_GRADIENTS, at),
                 .a_row = 1,
                 .a_depth = a_width,
                 .b_depth = b_width,
                 .out_row = b_width,
             });
}

/* A bias's gradients: sums over all steps and sequences, into its elements from one on. */
static int add_rows(const struct wl_cudnn_rnn_run *run, int pseudo_layer,
                    enum wl_cudnn_rnn_part part, int from, const void *in, int columns)
{
    size_t at;
    if (!wl_cudnn_rnn_part(run->rnn, pseudo_layer, part, &at))
        return WL_CUDNN_OK;
    void *out = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_WEIGHT_GRADIENTS, at + (size_t)from);
    int rows = (int)places(run);
    void *arguments[] = {&in, &out, &columns, &rows};
    return wl_cudnn_rnn_launch(run, "rnn_add_up", (size_t)columns, arguments);
}

static int find_weight_gradients(const struct wl_cudnn_rnn_run *run, int pseudo_layer)
{
    struct wl_dnn_rnn_step step = wl_cudnn_rnn_step(run, pseudo_layer);
    const int layer = pseudo_layer / run->directions, hidden = run->rnn->hidden_size,
              rows = run->gates * hidden;
    const bool is_gru = run->rnn->mode == WL_DNN_GRU;
    void *before = wl_cudnn_rnn_work(run, WL_CUDNN_RNN_BEFORE, 0);
    void *arguments[] = {&step, &before};
    int status =
        wl_cudnn_rnn_launch(run, "rnn_before", places(run) * (size_t)run->width, arguments);
    if (!status)
        status =
            add_products(run, pseudo_layer, WL_CUDNN_RNN_INPUT, 0, rows, step.gate_gradients, rows,
                         wl_cudnn_rnn_layer_input(run, layer), wl_cudnn_rnn_input(run->rnn, layer));
    if (!status)
        status = add_products(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT, 0, rows,
                              step.gate_gradients, rows, before, run->width);
    if (!status && is_gru) /* R h + b of h' has gradients of its own */
        status = add_products(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT, 2 * hidden, hidden,
                              step.extra_gradients, hidden, before, run->width);
    if (!status && step.projection)
        status = add_products(run, pseudo_layer, WL_CUDNN_RNN_PROJECTION, 0, run->width,
                              step.projected_gradients, run->width, step.unprojected, hidden);
    if (!status)
        status = add_rows(run, pseudo_layer, WL_CUDNN_RNN_INPUT_BIAS, 0, step.gate_gradients, rows);
    if (!status)
        status =
            add_rows(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT_BIAS, 0, step.gate_gradients, rows);
    if (!status && is_gru)
        status = add_rows(run, pseudo_layer, WL_CUDNN_RNN_RECURRENT_BIAS, 2 * hidden,
                          step.extra_gradients, hidden);
    return status;
}

int cudnnRNNBackwardWeights_v8(void *handle, const void *rnn, int gradient_mode,
                               const int *device_lengths, const void *x_data, const void *x,
                               const void *hidden_shape, const void *hx, const void *y_data,
                               const void *y, size_t weight_bytes, void *gradients,
                               size_t work_bytes, void *work, size_t kept_bytes, void *kept)
{
    enum { ADD = 0 };
    (void)device_lengths, (void)x, (void)y; /* the reserve space has them */
    struct wl_cudnn_rnn_run run;
    if (!y_data || !gradients || gradient_mode < 0 || gradient_mode > 1)
        return WL_CUDNN_BAD_PARAM;
    if (gradient_mode != ADD)
        return WL_CUDNN_NOT_SUPPORTED; /* as cuDNN has it */
    int status = wl_cudnn_rnn_start(&run, handle, rnn, x_data, y_data);
    if (status)
        return status;
    const size_t count = wl_cudnn_rnn_weights(run.rnn);
    if (weight_bytes < count * wl_cudnn_type_bytes(run.rnn->type) ||
        !are_states(&run, hidden_shape, NULL))
        return WL_CUDNN_BAD_PARAM;
    status = wl_cudnn_rnn_take(&run, work, work_bytes, kept, kept_bytes, true);
    if (!status)
        status =
            wl_cudnn_rnn_read(&run, NULL, states(&run, run.width), 1, hx, WORK(FIRST_HIDDEN, 0));
    for (int i = 0; i < run.pseudo_layers && !status; i++)
        status = find_weight_gradients(&run, i);
    return status ? status
                  : wl_cudnn_rnn_write(&run, NULL, count, 1, WORK(WEIGHT_GRADIENTS, 0), gradients,
                                       NULL, true);
}
