/* Descriptors of recurrent networks and of their sequences; where weights are. */
#include "api/cudnn/rnn.h"

#include <string.h>

#include "api/cudnn/tensor.h"
#include "base/count.h"

enum { MAGIC_RNN = 0x7763726e, MAGIC_DATA = 0x77637264 };
enum { NO_BIAS = 0, INPUT_BIAS = 1, BOTH_BIASES = 2, RECURRENT_BIAS = 3 }; /* cudnnRNNBiasMode_t */

int cudnnSetTensorNdDescriptor(void *self, int type, int rank, const int *dims, const int *strides);

const struct wl_cudnn_rnn *wl_cudnn_rnn_check(const void *descriptor)
{
    const struct wl_cudnn_rnn *found = descriptor;
    return found && found->magic == MAGIC_RNN && found->is_set ? found : NULL;
}

const struct wl_cudnn_rnn_data *wl_cudnn_rnn_data_check(const void *descriptor)
{
    const struct wl_cudnn_rnn_data *found = descriptor;
    return found && found->magic == MAGIC_DATA && found->steps ? found : NULL;
}

int cudnnCreateRNNDescriptor(void **made)
{
    if (!made)
        return WL_CUDNN_BAD_PARAM;
    *made = wl_stand_in_create(MAGIC_RNN, sizeof(struct wl_cudnn_rnn));
    return WL_CUDNN_OK;
}

int cudnnDestroyRNNDescriptor(void *self)
{
    return wl_stand_in_destroy(self, MAGIC_RNN) ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

/* Whether sums of such a precision can be made of that type. */
static bool is_computed(int type, int math_type)
{
    return wl_cudnn_is_floating(type) &&
           (type == math_type || (type != WL_CUDNN_DOUBLE && math_type == WL_CUDNN_FLOAT));
}

int cudnnSetRNNDescriptor_v8(void *descriptor, int algorithm, int mode, int bias_mode,
                             int direction, int input_mode, int type, int math_type, int math_mode,
                             int input_size, int hidden_size, int projection_size, int layers,
                             void *dropout, uint32_t flags)
{
    enum { STANDARD = 0, LAST_ALGORITHM = 3, LAST_MATH_MODE = 3 };
    struct wl_cudnn_rnn *self = wl_stand_in_check(descriptor, MAGIC_RNN);
    if (!self || algorithm < 0 || algorithm > LAST_ALGORITHM || mode < 0 || mode > WL_DNN_GRU ||
        bias_mode < 0 || bias_mode > RECURRENT_BIAS || direction < 0 || direction > 1 ||
        input_mode < 0 || input_mode > 1 || math_mode < 0 || math_mode > LAST_MATH_MODE ||
        input_size < 1 || hidden_size < 1 || projection_size < 1 || layers < 1 || flags > 1)
        return WL_CUDNN_BAD_PARAM;
    if (projection_size > hidden_size ||
        (projection_size < hidden_size && (mode != WL_DNN_LSTM || algorithm != STANDARD)))
        return WL_CUDNN_NOT_SUPPORTED; /* as cuDNN has it */
    if (!is_computed(type, math_type))
        return wl_cudnn_refuse("cudnnSetRNNDescriptor_v8", "such a type of data or of sums");
    *self = (struct wl_cudnn_rnn){
        .magic = MAGIC_RNN,
        .is_set = true,
        .algorithm = algorithm,
        .mode = mode,
        .bias_mode = bias_mode,
        .direction = direction,
        .input_mode = input_mode,
        .type = type,
        .math_type = math_type,
        .math_mode = math_mode,
        .input_size = input_size,
        .hidden_size = hidden_size,
        .projection_size = projection_size == hidden_size ? 0 : projection_size,
        .layers = layers,
        .dropout = dropout,
        .flags = flags,
    };
    return WL_CUDNN_OK;
}

int cudnnGetRNNDescriptor_v8(const void *descriptor, int *algorithm, int *mode, int *bias_mode,
                             int *direction, int *input_mode, int *type, int *math_type,
                             int *math_mode, int *input_size, int *hidden_size,
                             int *projection_size, int *layers, void **dropout, uint32_t *flags)
{
    const struct wl_cudnn_rnn *self = wl_cudnn_rnn_check(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    const struct {
        int *to, value;
    } rows[] = {
        {algorithm, self->algorithm},
        {mode, self->mode},
        {bias_mode, self->bias_mode},
        {direction, self->direction},
        {input_mode, self->input_mode},
        {type, self->type},
        {math_type, self->math_type},
        {math_mode, self->math_mode},
        {input_size, self->input_size},
        {hidden_size, self->hidden_size},
        {projection_size, wl_cudnn_rnn_width(self)},
        {layers, self->layers},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].to)
            *rows[i].to = rows[i].value;
    if (dropout)
        *dropout = self->dropout;
    if (flags)
        *flags = self->flags;
    return WL_CUDNN_OK;
}

int cudnnRNNSetClip_v8(void *descriptor, int mode, int nans, double least, double most)
{
    struct wl_cudnn_rnn *self = wl_stand_in_check(descriptor, MAGIC_RNN);
    if (!self || mode < 0 || mode > 1 || (mode && !(least <= most)))
        return WL_CUDNN_BAD_PARAM;
    self->has_clip = mode;
    self->clips_nan = nans;
    self->least = mode ? least : 0;
    self->most = mode ? most : 0;
    return WL_CUDNN_OK;
}

int cudnnRNNSetClip_v9(void *descriptor, int mode, double least, double most)
{
    return cudnnRNNSetClip_v8(descriptor, mode, 0, least, most);
}

int cudnnRNNGetClip_v8(const void *descriptor, int *mode, int *nans, double *least, double *most)
{
    const struct wl_cudnn_rnn *self = wl_cudnn_rnn_check(descriptor);
    if (!self || !mode)
        return WL_CUDNN_BAD_PARAM;
    *mode = self->has_clip;
    if (nans)
        *nans = self->clips_nan;
    if (least)
        *least = self->least;
    if (most)
        *most = self->most;
    return WL_CUDNN_OK;
}

int cudnnRNNGetClip_v9(const void *descriptor, int *mode, double *least, double *most)
{
    return cudnnRNNGetClip_v8(descriptor, mode, NULL, least, most);
}

/* Nothing is compiled for a network. */
int cudnnBuildRNNDynamic(void *handle, const void *descriptor, int batch)
{
    void *stream;
    return wl_cudnn_stream(handle, &stream) && wl_cudnn_rnn_check(descriptor) && batch > 0
               ? WL_CUDNN_OK
               : WL_CUDNN_BAD_PARAM;
}

/* ---- sequences ---- */

int cudnnCreateRNNDataDescriptor(void **made)
{
    if (!made)
        return WL_CUDNN_BAD_PARAM;
    *made = wl_stand_in_create(MAGIC_DATA, sizeof(struct wl_cudnn_rnn_data));
    return WL_CUDNN_OK;
}

int cudnnDestroyRNNDataDescriptor(void *descriptor)
{
    struct wl_cudnn_rnn_data *self = wl_stand_in_check(descriptor, MAGIC_DATA);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    free(self->lengths);
    wl_stand_in_destroy(self, MAGIC_DATA);
    return WL_CUDNN_OK;
}

int cudnnSetRNNDataDescriptor(void *descriptor, int type, int layout, int steps, int batch,
                              int width, const int *lengths, const void *fill)
{
    struct wl_cudnn_rnn_data *self = wl_stand_in_check(descriptor, MAGIC_DATA);
    const bool is_packed = layout == WL_CUDNN_RNN_STEPS_PACKED;
    if (!self || layout < 0 || layout > WL_CUDNN_RNN_SEQUENCES_PADDED || steps < 1 || batch < 1 ||
        width < 1 || !lengths)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < batch; i++)
        if (lengths[i] < is_packed || lengths[i] > steps ||
            (is_packed && i && lengths[i] > lengths[i - 1]))
            return WL_CUDNN_BAD_PARAM;
    if (!wl_cudnn_is_floating(type))
        return wl_cudnn_refuse("cudnnSetRNNDataDescriptor", "such a type of data");
    free(self->lengths);
    *self = (struct wl_cudnn_rnn_data){
        .magic = MAGIC_DATA,
        .type = type,
        .layout = layout,
        .steps = steps,
        .batch = batch,
        .width = width,
        .lengths = wl_alloc((size_t)batch * sizeof *lengths),
        .has_fill = fill != NULL,
    };
    memcpy(self->lengths, lengths, (size_t)batch * sizeof *lengths);
    if (fill)
        memcpy(self->fill, fill, wl_cudnn_type_bytes(type));
    return WL_CUDNN_OK;
}

int cudnnGetRNNDataDescriptor(const void *descriptor, int *type, int *layout, int *steps,
                              int *batch, int *width, int wanted, int *lengths, void *fill)
{
    const struct wl_cudnn_rnn_data *self = wl_cudnn_rnn_data_check(descriptor);
    if (!self || wanted < 0 || (wanted && !lengths))
        return WL_CUDNN_BAD_PARAM;
    int *const to[] = {type, layout, steps, batch, width};
    const int values[] = {self->type, self->layout, self->steps, self->batch, self->width};
    for (size_t i = 0; i < WL_COUNT(to); i++)
        if (to[i])
            *to[i] = values[i];
    for (int i = 0; i < wanted && i < self->batch; i++)
        lengths[i] = self->lengths[i];
    if (fill && self->has_fill)
        memcpy(fill, self->fill, wl_cudnn_type_bytes(self->type));
    return WL_CUDNN_OK;
}

/* ---- sizes ---- */

int wl_cudnn_rnn_gates(const struct wl_cudnn_rnn *self)
{
    return self->mode == WL_DNN_LSTM ? 4 : self->mode == WL_DNN_GRU ? 3 : 1;
}

int wl_cudnn_rnn_directions(const struct wl_cudnn_rnn *self)
{
    return self->direction + 1;
}

int wl_cudnn_rnn_width(const struct wl_cudnn_rnn *self)
{
    return self->projection_size ? self->projection_size : self->hidden_size;
}

int wl_cudnn_rnn_input(const struct wl_cudnn_rnn *self, int layer)
{
    return layer ? wl_cudnn_rnn_width(self) * wl_cudnn_rnn_directions(self) : self->input_size;
}

static size_t part_size(const struct wl_cudnn_rnn *self, int layer, enum wl_cudnn_rnn_part part)
{
    const size_t rows = (size_t)wl_cudnn_rnn_gates(self) * (size_t)self->hidden_size;
    const int mode = self->bias_mode;
    switch (part) {
    case WL_CUDNN_RNN_INPUT:
        return self->input_mode && !layer ? 0 : rows * (size_t)wl_cudnn_rnn_input(self, layer);
    case WL_CUDNN_RNN_RECURRENT:
        return rows * (size_t)wl_cudnn_rnn_width(self);
    case WL_CUDNN_RNN_PROJECTION:
        return (size_t)self->projection_size * (size_t)self->hidden_size;
    case WL_CUDNN_RNN_INPUT_BIAS:
        return mode == INPUT_BIAS || mode == BOTH_BIASES ? rows : 0;
    default:
        return mode == RECURRENT_BIAS || mode == BOTH_BIASES ? rows : 0;
    }
}

size_t wl_cudnn_rnn_part(const struct wl_cudnn_rnn *self, int pseudo_layer,
                         enum wl_cudnn_rnn_part part, size_t *at)
{
    const int directions = wl_cudnn_rnn_directions(self), layers = self->layers * directions;
    const bool is_bias = part >= WL_CUDNN_RNN_INPUT_BIAS;
    *at = 0;
    for (int pass = 0; pass < 2; pass++) /* matrices, biases */
        for (int i = 0; i < layers; i++)
            for (int k = pass ? WL_CUDNN_RNN_INPUT_BIAS : 0;
                 k < (pass ? WL_CUDNN_RNN_PARTS : WL_CUDNN_RNN_INPUT_BIAS); k++) {
                if (pass == is_bias && i == pseudo_layer && k == (int)part)
                    return part_size(self, i / directions, part);
                *at += part_size(self, i / directions, (enum wl_cudnn_rnn_part)k);
            }
    return 0;
}

size_t wl_cudnn_rnn_weights(const struct wl_cudnn_rnn *self)
{
    size_t at;
    wl_cudnn_rnn_part(self, -1, WL_CUDNN_RNN_INPUT, &at);
    return at;
}

int cudnnGetRNNWeightSpaceSize(void *handle, const void *descriptor, size_t *bytes)
{
    const struct wl_cudnn_rnn *self = wl_cudnn_rnn_check(descriptor);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !self || !bytes)
        return WL_CUDNN_BAD_PARAM;
    *bytes = wl_cudnn_rnn_weights(self) * wl_cudnn_type_bytes(self->type);
    return WL_CUDNN_OK;
}

/* One gate of a part: its address in the program's weights and its shape, if the program asks;
 * NULL and no shape where there is none. */
static int tell_part(const struct wl_cudnn_rnn *self, int pseudo_layer, enum wl_cudnn_rnn_part part,
                     int gate, size_t weight_bytes, const void *weights, void *shape,
                     void **address)
{
    size_t at;
    const size_t size = wl_cudnn_rnn_part(self, pseudo_layer, part, &at),
                 bytes = wl_cudnn_type_bytes(self->type);
    const bool is_projection = part == WL_CUDNN_RNN_PROJECTION;
    const int gates = is_projection ? 1 : wl_cudnn_rnn_gates(self),
              rows = is_projection ? self->projection_size : self->hidden_size;
    if (!address)
        return WL_CUDNN_OK;
    *address = NULL;
    if (!size)
        return wl_cudnn_tensor_set(shape, &(struct wl_cudnn_tensor){.rank = 0});
    const size_t each = size / (size_t)gates, begin = at + each * (size_t)gate;
    if ((begin + each) * bytes > weight_bytes)
        return WL_CUDNN_BAD_PARAM;
    const int columns = (int)(each / (size_t)rows);
    const int dims[] = {1, rows, columns}, strides[] = {rows * columns, columns, 1};
    *address = (char *)(uintptr_t)weights + begin * bytes;
    return cudnnSetTensorNdDescriptor(shape, self->type, 3, dims, strides);
}

/* weights: NULL: addresses are distances. */
int cudnnGetRNNWeightParams(void *handle, const void *descriptor, int pseudo_layer,
                            size_t weight_bytes, const void *weights, int number,
                            void *matrix_shape, void **matrix, void *bias_shape, void **bias)
{
    const struct wl_cudnn_rnn *self = wl_cudnn_rnn_check(descriptor);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !self || !matrix_shape != !matrix ||
        !bias_shape != !bias)
        return WL_CUDNN_BAD_PARAM;
    const int gates = wl_cudnn_rnn_gates(self);
    const bool is_projection = self->mode == WL_DNN_LSTM && number == 2 * gates;
    if (pseudo_layer < 0 || pseudo_layer >= self->layers * wl_cudnn_rnn_directions(self) ||
        number < 0 || (number >= 2 * gates && !is_projection))
        return WL_CUDNN_BAD_PARAM;
    if (is_projection && bias) {
        *bias = NULL;
        wl_cudnn_tensor_set(bias_shape, &(struct wl_cudnn_tensor){.rank = 0});
    }
    if (is_projection)
        return tell_part(self, pseudo_layer, WL_CUDNN_RNN_PROJECTION, 0, weight_bytes, weights,
                         matrix_shape, matrix);
    const bool is_recurrent = number >= gates;
    const int status =
        tell_part(self, pseudo_layer, is_recurrent ? WL_CUDNN_RNN_RECURRENT : WL_CUDNN_RNN_INPUT,
                  number % gates, weight_bytes, weights, matrix_shape, matrix);
    return status ? status
                  : tell_part(self, pseudo_layer,
                              is_recurrent ? WL_CUDNN_RNN_RECURRENT_BIAS : WL_CUDNN_RNN_INPUT_BIAS,
                              number % gates, weight_bytes, weights, bias_shape, bias);
}
