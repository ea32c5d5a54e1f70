/* Recurrent networks: their descriptors, and where their weights and what they compute stand. */
#ifndef WL_API_CUDNN_RNN_H
#define WL_API_CUDNN_RNN_H

#include "api/cudnn/cudnn.h"
#include "api/cudnn/rnn_kernels.h"

struct wl_cudnn_rnn {
    uint32_t magic;
    bool is_set;
    int algorithm, mode, bias_mode, direction, input_mode, type, math_type, math_mode;
    int input_size, hidden_size, projection_size, layers;
    void *dropout;
    uint32_t flags; /* 1: sequences of other layouts than the packed one may have padding */
    bool has_clip;  /* LSTM's cells stay within bounds */
    int clips_nan;  /* only told */
    double least, most;
};

/* cudnnRNNDataLayout_t */
enum wl_cudnn_rnn_layout {
    WL_CUDNN_RNN_STEPS_PADDED = 0,
    WL_CUDNN_RNN_STEPS_PACKED = 1,
    WL_CUDNN_RNN_SEQUENCES_PADDED = 2,
};

struct wl_cudnn_rnn_data {
    uint32_t magic;
    int type, layout, steps, batch, width; /* steps 0: nothing was set yet */
    int *lengths;
    bool has_fill;
    unsigned char fill[8]; /* an element of the type */
};

/* NULL: it is no such descriptor, or was not set. */
const struct wl_cudnn_rnn *wl_cudnn_rnn_check(const void *descriptor);
const struct wl_cudnn_rnn_data *wl_cudnn_rnn_data_check(const void *descriptor);

/* Sizes of a network, in elements. A pseudo-layer is a direction of a layer. */
int wl_cudnn_rnn_gates(const struct wl_cudnn_rnn *self);
int wl_cudnn_rnn_directions(const struct wl_cudnn_rnn *self);
/* The hidden state's, and that of what a layer reads. */
int wl_cudnn_rnn_width(const struct wl_cudnn_rnn *self);
int wl_cudnn_rnn_input(const struct wl_cudnn_rnn *self, int layer);

/* Weights: all matrices, pseudo-layer by pseudo-layer, then all biases. */
enum wl_cudnn_rnn_part {
    WL_CUDNN_RNN_INPUT,     /* [gate, hidden, input]; or each gate has the input itself */
    WL_CUDNN_RNN_RECURRENT, /* [gate, hidden, width] */
    WL_CUDNN_RNN_PROJECTION,
    WL_CUDNN_RNN_INPUT_BIAS, /* [gate, hidden] */
    WL_CUDNN_RNN_RECURRENT_BIAS,
    WL_CUDNN_RNN_PARTS
};
/* How many elements the part has: 0: the network has no such; *at: where they begin. */
size_t wl_cudnn_rnn_part(const struct wl_cudnn_rnn *self, int pseudo_layer,
                         enum wl_cudnn_rnn_part part, size_t *at);
size_t wl_cudnn_rnn_weights(const struct wl_cudnn_rnn *self);

#endif
