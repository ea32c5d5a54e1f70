/* What runs of recurrent networks share: sizes of spaces, tables of sequences, launches. */
#include "api/cudnn/rnn_run.h"

#include <string.h>

#include "api/cudnn/launch.h"
#include "api/cudnn/list.h"
#include "api/cudnn/tensor.h"

/* What the reserve space begins with: the key of what was dropped. */
enum { KEPT_HEAD = 256, ALIGNMENT = 256 };

int cudnnGetDropoutDescriptor(void *self, void *handle, float *dropout, void **states,
                              unsigned long long *seed);

static struct wl_cudnn_kernels kernels = {.name = "rnn.ptx"};

static size_t align(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void find_kept(struct wl_cudnn_rnn_run *self)
{
    const struct wl_cudnn_rnn *rnn = self->rnn;
    const size_t places = (size_t)self->steps * (size_t)self->batch, layers = (size_t)rnn->layers,
                 pseudo = (size_t)self->pseudo_layers, hidden = places * (size_t)rnn->hidden_size,
                 width = places * (size_t)self->width, gates = hidden * (size_t)self->gates;
    const bool is_gru = rnn->mode == WL_DNN_GRU, has_extra = rnn->mode >= WL_DNN_LSTM,
               has_projection = rnn->projection_size > 0;
    const struct {
        size_t parts, size;
    } rows[WL_CUDNN_RNN_KEPT] = {
        [WL_CUDNN_RNN_READ] = {1, places * (size_t)rnn->input_size},
        [WL_CUDNN_RNN_OUTPUTS] = {layers, width * (size_t)self->directions},
        [WL_CUDNN_RNN_DROPPED] = {self->dropped > 0 ? layers : 0, width * (size_t)self->directions},
        [WL_CUDNN_RNN_GATES] = {pseudo, gates},
        [WL_CUDNN_RNN_EXTRA] = {has_extra ? pseudo : 0, hidden},
        [WL_CUDNN_RNN_UNPROJECTED] = {has_projection ? pseudo : 0, hidden},
        [WL_CUDNN_RNN_GATE_GRADIENTS] = {pseudo, gates},
        [WL_CUDNN_RNN_EXTRA_GRADIENTS] = {is_gru ? pseudo : 0, hidden},
        [WL_CUDNN_RNN_PROJECTED_GRADIENTS] = {has_projection ? pseudo : 0, width},
    };
    self->kept_bytes = KEPT_HEAD;
    for (int i = 0; i < WL_CUDNN_RNN_KEPT; i++) {
        if (i == WL_CUDNN_RNN_LAST_OF_FORWARD)
            self->forward_bytes = self->kept_bytes;
        self->kept_size[i] = rows[i].size;
        self->kept_at[i] = self->kept_bytes;
        self->kept_bytes += align(rows[i].parts * rows[i].size * self->real_bytes);
    }
}

static void find_work(struct wl_cudnn_rnn_run *self)
{
    const struct wl_cudnn_rnn *rnn = self->rnn;
    const size_t batch = (size_t)self->batch, places = (size_t)self->steps * batch,
                 pseudo = (size_t)self->pseudo_layers * batch, width = (size_t)self->width,
                 hidden = (size_t)rnn->hidden_size, weights = wl_cudnn_rnn_weights(rnn),
                 outputs = width * (size_t)self->directions, input = (size_t)rnn->input_size,
                 wider = outputs > input ? outputs : input;
    const size_t sizes[WL_CUDNN_RNN_WORK] = {
        [WL_CUDNN_RNN_WEIGHTS] = weights,
        [WL_CUDNN_RNN_TURNED] = weights,
        [WL_CUDNN_RNN_FIRST_HIDDEN] = pseudo * width,
        [WL_CUDNN_RNN_FIRST_CELL] = pseudo * hidden,
        [WL_CUDNN_RNN_HIDDEN] = pseudo * width,
        [WL_CUDNN_RNN_CELL] = pseudo * hidden,
        [WL_CUDNN_RNN_SUMS] = batch * hidden * (size_t)self->gates,
        [WL_CUDNN_RNN_ABOVE] = places * wider,
        [WL_CUDNN_RNN_BELOW] = places * wider,
        [WL_CUDNN_RNN_BEFORE] = places * width,
        [WL_CUDNN_RNN_UNPROJECTED_GRADIENT] = batch * hidden,
        [WL_CUDNN_RNN_WEIGHT_GRADIENTS] = weights,
    };
    self->tables_bytes = align((2 * places + batch) * sizeof(int));
    self->work_bytes = self->tables_bytes;
    for (int i = 0; i < WL_CUDNN_RNN_WORK; i++) {
        self->work_at[i] = self->work_bytes;
        self->work_bytes += align(sizes[i] * self->real_bytes);
    }
    self->work_bytes += self->forward_bytes; /* of a run that keeps nothing */
}

/* Whether the network takes sequences with padding, or these have none. */
static bool is_taken(const struct wl_cudnn_rnn *rnn, const struct wl_cudnn_rnn_data *data)
{
    if (rnn->flags || data->layout == WL_CUDNN_RNN_STEPS_PACKED)
        return true;
    bool are_even = data->layout == WL_CUDNN_RNN_STEPS_PADDED;
    for (int i = 0; i < data->batch; i++)
        are_even &= data->lengths[i] == data->steps;
    return are_even;
}

static bool are_same_sequences(const struct wl_cudnn_rnn_data *a, const struct wl_cudnn_rnn_data *b)
{
    return a->steps == b->steps && a->batch == b->batch && a->layout == b->layout &&
           !memcmp(a->lengths, b->lengths, (size_t)a->batch * sizeof *a->lengths);
}

int wl_cudnn_rnn_start(struct wl_cudnn_rnn_run *self, void *handle, const void *rnn, const void *x,
                       const void *y)
{
    *self = (struct wl_cudnn_rnn_run){.next = &self->told,
                                      .rnn = wl_cudnn_rnn_check(rnn),
                                      .x = wl_cudnn_rnn_data_check(x),
                                      .y = y ? wl_cudnn_rnn_data_check(y) : NULL};
    if (!wl_cudnn_stream(handle, &self->stream) || !self->rnn || !self->x || (y && !self->y) ||
        self->x->type != self->rnn->type || self->x->width != self->rnn->input_size)
        return WL_CUDNN_BAD_PARAM;
    self->width = wl_cudnn_rnn_width(self->rnn);
    self->directions = wl_cudnn_rnn_directions(self->rnn);
    if (self->y && (self->y->type != self->rnn->type || !are_same_sequences(self->x, self->y) ||
                    self->y->width != self->width * self->directions ||
                    !is_taken(self->rnn, self->x) || !is_taken(self->rnn, self->y) ||
                    (self->rnn->input_mode && self->rnn->input_size != self->rnn->hidden_size)))
        return WL_CUDNN_BAD_PARAM;
    self->gates = wl_cudnn_rnn_gates(self->rnn);
    self->pseudo_layers = self->rnn->layers * self->directions;
    self->steps = self->x->steps;
    self->batch = self->x->batch;
    self->real = self->rnn->type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : WL_CUDNN_FLOAT;
    self->real_bytes = wl_cudnn_type_bytes(self->real);
    float dropped = 0;
    if (self->rnn->dropout) {
        const int status =
            cudnnGetDropoutDescriptor(self->rnn->dropout, handle, &dropped, &self->states, NULL);
        if (status)
            return status;
    }
    self->dropped = self->rnn->layers > 1 ? (double)dropped : 0;
    find_kept(self);
    find_work(self);
    return WL_CUDNN_OK;
}

/* ---- sequences ---- */

/* The rows of a tensor whose sequences all have all steps. */
static struct wl_dnn_rnn_rows even_rows(const struct wl_cudnn_rnn_data *data)
{
    const bool is_by_sequence = data->layout == WL_CUDNN_RNN_SEQUENCES_PADDED;
    return (struct wl_dnn_rnn_rows){.batch = data->batch,
                                    .step_rows = is_by_sequence ? 1 : data->batch,
                                    .sequence_rows = is_by_sequence ? data->steps : 1};
}

static void fill_rows(const struct wl_cudnn_rnn_data *data, int *rows)
{
    const struct wl_dnn_rnn_rows even = even_rows(data);
    const bool is_packed = data->layout == WL_CUDNN_RNN_STEPS_PACKED;
    int next = 0;
    for (int step = 0; step < data->steps; step++)
        for (int i = 0; i < data->batch; i++) {
            const bool is_there = step < data->lengths[i];
            const int row = is_packed ? next : step * even.step_rows + i * even.sequence_rows;
            *rows++ = is_there ? row : is_packed ? -1 : -2 - row;
            next += is_there;
        }
}

/* Tables of where each step of each sequence is, and the sequences' lengths. */
static int tell_sequences(struct wl_cudnn_rnn_run *self)
{
    const size_t places = (size_t)self->steps * (size_t)self->batch;
    bool are_even = true;
    for (int i = 0; i < self->batch; i++)
        are_even &= self->x->lengths[i] == self->steps;
    self->x_rows = even_rows(self->x);
    self->y_rows = even_rows(self->y ? self->y : self->x);
    if (are_even)
        return WL_CUDNN_OK;
    int *const table = wl_alloc(self->tables_bytes), *const there = (int *)(void *)self->work;
    fill_rows(self->x, table);
    fill_rows(self->y ? self->y : self->x, table + places);
    memcpy(table + 2 * places, self->x->lengths, (size_t)self->batch * sizeof *table);
    const int status =
        wl_cudnn_tell_list(self->stream, table, 2 * places + (size_t)self->batch, there);
    free(table);
    self->x_rows.rows = there;
    self->y_rows.rows = there + places;
    self->lengths = there + 2 * places;
    return status;
}

int wl_cudnn_rnn_take(struct wl_cudnn_rnn_run *self, void *work, size_t work_bytes, void *kept,
                      size_t kept_bytes, bool is_training)
{
    if (!work || work_bytes < self->work_bytes ||
        (is_training &&
         (!kept || kept_bytes < self->kept_bytes || (self->dropped > 0 && !self->states))))
        return WL_CUDNN_BAD_PARAM;
    self->dropped = is_training ? self->dropped : 0;
    self->work = work;
    self->kept = is_training ? kept : self->work + self->work_bytes - self->forward_bytes;
    return tell_sequences(self);
}

/* ---- places ---- */

void *wl_cudnn_rnn_kept(const struct wl_cudnn_rnn_run *self, enum wl_cudnn_rnn_kept what, int part)
{
    return self->kept + self->kept_at[what] +
           (size_t)part * self->kept_size[what] * self->real_bytes;
}

void *wl_cudnn_rnn_work(const struct wl_cudnn_rnn_run *self, enum wl_cudnn_rnn_work what,
                        size_t element)
{
    return self->work + self->work_at[what] + element * self->real_bytes;
}

void *wl_cudnn_rnn_layer_input(const struct wl_cudnn_rnn_run *self, int layer)
{
    return layer == 0
               ? wl_cudnn_rnn_kept(self, WL_CUDNN_RNN_READ, 0)
               : wl_cudnn_rnn_kept(self,
                                   self->dropped > 0 ? WL_CUDNN_RNN_DROPPED : WL_CUDNN_RNN_OUTPUTS,
                                   layer - 1);
}

struct wl_dnn_rnn_step wl_cudnn_rnn_step(const struct wl_cudnn_rnn_run *self, int pseudo_layer)
{
    const struct wl_cudnn_rnn *rnn = self->rnn;
    const size_t state = (size_t)pseudo_layer * (size_t)self->batch,
                 hidden = state * (size_t)rnn->hidden_size, width = state * (size_t)self->width;
    size_t projection;
    const bool has_projection =
        wl_cudnn_rnn_part(rnn, pseudo_layer, WL_CUDNN_RNN_PROJECTION, &projection);
#define KEPT(what, part) wl_cudnn_rnn_kept(self, WL_CUDNN_RNN_##what, part)
#define WORK(what, element) wl_cudnn_rnn_work(self, WL_CUDNN_RNN_##what, element)
    return (struct wl_dnn_rnn_step){
        .mode = rnn->mode,
        .gate_count = self->gates,
        .steps = self->steps,
        .batch = self->batch,
        .hidden = rnn->hidden_size,
        .is_backward = pseudo_layer % self->directions,
        .width = self->width,
        .stride = self->width * self->directions,
        .column = pseudo_layer % self->directions * self->width,
        .has_clip = rnn->has_clip,
        .least = rnn->least,
        .most = rnn->most,
        .lengths = self->lengths,
        .first_hidden = WORK(FIRST_HIDDEN, width),
        .first_cell = WORK(FIRST_CELL, hidden),
        .hidden_state = WORK(HIDDEN, width),
        .cell_state = WORK(CELL, hidden),
        .recurrent_sums = WORK(SUMS, 0),
        .projection = has_projection ? WORK(WEIGHTS, projection) : NULL,
        .gates = KEPT(GATES, pseudo_layer),
        .extra = KEPT(EXTRA, pseudo_layer),
        .unprojected = KEPT(UNPROJECTED, pseudo_layer),
        .out = KEPT(OUTPUTS, pseudo_layer / self->directions),
        .gradient = WORK(ABOVE, 0),
        .gate_gradients = KEPT(GATE_GRADIENTS, pseudo_layer),
        .extra_gradients = KEPT(EXTRA_GRADIENTS, pseudo_layer),
        .projected_gradients = KEPT(PROJECTED_GRADIENTS, pseudo_layer),
        .unprojected_gradient = WORK(UNPROJECTED_GRADIENT, 0),
    };
#undef KEPT
#undef WORK
}

/* ---- launches ---- */

void wl_cudnn_rnn_tell(const struct wl_cudnn_rnn_run *self, int pseudo_layer,
                       enum wl_library_steps steps)
{
    const int type = self->rnn->type, hidden = self->rnn->hidden_size;
    self->next->is_next = true;
    self->next->work = (struct wl_library_work){
        .call = WL_LIBRARY_STEPS,
        .element = type == WL_CUDNN_DOUBLE  ? WL_LIBRARY_F64
                   : type == WL_CUDNN_FLOAT ? WL_LIBRARY_F32
                                            : WL_LIBRARY_F16,
        .rows = self->batch,
        .columns = self->gates * hidden,
        .depth = hidden,
        .count = self->steps,
        .inputs = wl_cudnn_rnn_input(self->rnn, pseudo_layer / self->directions),
        .steps = steps,
    };
}

static int launch(const struct wl_cudnn_rnn_run *self, const char *kernel, int type, size_t threads,
                  void **arguments)
{
    struct wl_library_work work = {.call = WL_LIBRARY_FUSED};
    if (self->next && self->next->is_next)
        work = self->next->work;
    if (self->next)
        self->next->is_next = false;
    return wl_cudnn_run_for(&kernels, kernel, type, threads, self->stream, arguments,
                            self->next ? &work : NULL);
}

int wl_cudnn_rnn_launch(const struct wl_cudnn_rnn_run *self, const char *kernel, size_t threads,
                        void **arguments)
{
    return launch(self, kernel, self->real, threads, arguments);
}

int wl_cudnn_rnn_multiply(const struct wl_cudnn_rnn_run *self, struct wl_dnn_rnn_product product)
{
    void *arguments[] = {&product};
    if (self->real == WL_CUDNN_FLOAT)
        wl_cudnn_set_direct(&kernels, "rnn_product", WL_CUDNN_FLOAT, wl_cudnn_rnn_direct());
    return wl_cudnn_rnn_launch(self, "rnn_product", (size_t)product.rows * (size_t)product.columns,
                               arguments);
}

static struct wl_dnn_rnn_rows rows_or_all(const struct wl_dnn_rnn_rows *rows)
{
    return rows ? *rows : (struct wl_dnn_rnn_rows){.batch = 1, .step_rows = 1};
}

int wl_cudnn_rnn_read(const struct wl_cudnn_rnn_run *self, const struct wl_dnn_rnn_rows *rows,
                      size_t count, int width, const void *from, void *to)
{
    struct wl_dnn_rnn_rows where = rows_or_all(rows);
    long long all = (long long)count;
    void *arguments[] = {&where, &all, &width, &from, &to};
    return launch(self, "rnn_read", self->rnn->type, count, arguments);
}

int wl_cudnn_rnn_write(const struct wl_cudnn_rnn_run *self, const struct wl_dnn_rnn_rows *rows,
                       size_t count, int width, const void *from, void *to, const void *fill,
                       bool is_sum)
{
    static const double none = 0;
    struct wl_dnn_rnn_rows where = rows_or_all(rows);
    long long all = (long long)count;
    int has_fill = fill != NULL, adds = is_sum;
    const void *element = fill ? fill : &none;
    void *arguments[] = {&where,    &all, &width, &from, &to, (void *)(uintptr_t)element,
                         &has_fill, &adds};
    return launch(self, "rnn_write", self->rnn->type, count, arguments);
}

int wl_cudnn_rnn_draw(const struct wl_cudnn_rnn_run *self)
{
    void *states = self->states, *key = self->kept, *arguments[] = {&states, &key};
    return wl_cudnn_run_named(&kernels, "warplens_dnn_rnn_key", 1, self->stream, arguments);
}

int wl_cudnn_rnn_drop(const struct wl_cudnn_rnn_run *self, int layer, const void *in, void *out)
{
    struct wl_dnn_rnn_dropout dropout = {
        .count = (long long)self->kept_size[WL_CUDNN_RNN_DROPPED],
        .in = in,
        .out = out,
        .key = (unsigned long long *)(void *)self->kept,
        .kept = 1 - self->dropped,
        .layer = (unsigned)layer,
    };
    void *arguments[] = {&dropout};
    return wl_cudnn_rnn_launch(self, "rnn_drop", (size_t)dropout.count, arguments);
}
