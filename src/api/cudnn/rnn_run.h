/* One run of a recurrent network: what its kernels share. */
#ifndef WL_API_CUDNN_RNN_RUN_H
#define WL_API_CUDNN_RNN_RUN_H

#include "api/cudnn/rnn.h"

/* Arrays in the reserve space, which a forward run keeps for its gradients. Each has a part for
 * each layer or pseudo-layer. */
enum wl_cudnn_rnn_kept {
    WL_CUDNN_RNN_READ,    /* [1] x, by step and sequence */
    WL_CUDNN_RNN_OUTPUTS, /* [layer] */
    WL_CUDNN_RNN_DROPPED, /* [layer] what the next layer reads, where some is dropped */
    WL_CUDNN_RNN_GATES,   /* [pseudo-layer], as are the following */
    WL_CUDNN_RNN_EXTRA,
    WL_CUDNN_RNN_UNPROJECTED,
    WL_CUDNN_RNN_LAST_OF_FORWARD,
    WL_CUDNN_RNN_GATE_GRADIENTS = WL_CUDNN_RNN_LAST_OF_FORWARD,
    WL_CUDNN_RNN_EXTRA_GRADIENTS,
    WL_CUDNN_RNN_PROJECTED_GRADIENTS,
    WL_CUDNN_RNN_KEPT
};

/* Arrays in the workspace. */
enum wl_cudnn_rnn_work {
    WL_CUDNN_RNN_WEIGHTS,
    WL_CUDNN_RNN_TURNED, /* the same, matrices of inputs and recurrent ones with rows as columns */
    WL_CUDNN_RNN_FIRST_HIDDEN, /* [pseudo-layer, sequence, ...] */
    WL_CUDNN_RNN_FIRST_CELL,
    WL_CUDNN_RNN_HIDDEN, /* states, in the end the last ones; or their gradients */
    WL_CUDNN_RNN_CELL,
    WL_CUDNN_RNN_SUMS,  /* [sequence, gate, hidden]: R h + b of a step */
    WL_CUDNN_RNN_ABOVE, /* gradients of a layer's outputs, and of what it reads */
    WL_CUDNN_RNN_BELOW,
    WL_CUDNN_RNN_BEFORE, /* hidden states before all steps */
    WL_CUDNN_RNN_UNPROJECTED_GRADIENT,
    WL_CUDNN_RNN_WEIGHT_GRADIENTS,
    WL_CUDNN_RNN_WORK
};

struct wl_cudnn_rnn_run {
    const struct wl_cudnn_rnn *rnn;
    const struct wl_cudnn_rnn_data *x, *y;
    void *stream;
    int real; /* the type of numbers within the network */
    size_t real_bytes;
    int steps, batch, width, directions, gates, pseudo_layers;
    double dropped; /* between layers, of 1; 0: none */
    void *states;   /* of the dropout descriptor, in device memory */
    size_t kept_size[WL_CUDNN_RNN_KEPT], kept_at[WL_CUDNN_RNN_KEPT]; /* elements of a part; bytes */
    size_t work_at[WL_CUDNN_RNN_WORK];                               /* bytes */
    size_t kept_bytes, forward_bytes, work_bytes, tables_bytes;
    char *kept, *work;
    const int *lengths; /* on the device; NULL: all sequences have all steps */
    struct wl_dnn_rnn_rows x_rows, y_rows;
    /* what the next launch has the time of; the others are part of it. next NULL: each takes its
     * own time */
    struct wl_cudnn_rnn_told {
        struct wl_library_work work;
        bool is_next;
    } told, *next;
};

/* Checks that x and y (which may be NULL) are the network's; finds sizes. A status. */
int wl_cudnn_rnn_start(struct wl_cudnn_rnn_run *self, void *handle, const void *rnn, const void *x,
                       const void *y);
/* Takes the program's spaces, and tells the device how long sequences are; a status. */
int wl_cudnn_rnn_take(struct wl_cudnn_rnn_run *self, void *work, size_t work_bytes, void *kept,
                      size_t kept_bytes, bool is_training);
void *wl_cudnn_rnn_kept(const struct wl_cudnn_rnn_run *self, enum wl_cudnn_rnn_kept what, int part);
void *wl_cudnn_rnn_work(const struct wl_cudnn_rnn_run *self, enum wl_cudnn_rnn_work what,
                        size_t element);
/* What a layer reads. */
void *wl_cudnn_rnn_layer_input(const struct wl_cudnn_rnn_run *self, int layer);

/* The launch that follows takes as long as cuDNN takes for all steps of the pseudo-layer, with the
 * products of its inputs, and for the gradients of its weights. */
void wl_cudnn_rnn_tell(const struct wl_cudnn_rnn_run *self, int pseudo_layer,
                       enum wl_library_steps steps);
/* Launches; each gives a status. */
int wl_cudnn_rnn_launch(const struct wl_cudnn_rnn_run *self, const char *kernel, size_t threads,
                        void **arguments);
int wl_cudnn_rnn_multiply(const struct wl_cudnn_rnn_run *self, struct wl_dnn_rnn_product product);
/* What computes rnn_product of single-precision numbers without its instructions; NULL: nothing. */
const struct wl_device_direct *wl_cudnn_rnn_direct(void);
/* Between a tensor of the program and numbers within the network; rows NULL: count elements in a
 * row. */
int wl_cudnn_rnn_read(const struct wl_cudnn_rnn_run *self, const struct wl_dnn_rnn_rows *rows,
                      size_t count, int width, const void *from, void *to);
int wl_cudnn_rnn_write(const struct wl_cudnn_rnn_run *self, const struct wl_dnn_rnn_rows *rows,
                       size_t count, int width, const void *from, void *to, const void *fill,
                       bool is_sum);
/* What the kernels of a pseudo-layer's steps are given, but for the step. */
struct wl_dnn_rnn_step wl_cudnn_rnn_step(const struct wl_cudnn_rnn_run *self, int pseudo_layer);
/* Draws a run's key, and drops after a layer by it. */
int wl_cudnn_rnn_draw(const struct wl_cudnn_rnn_run *self);
int wl_cudnn_rnn_drop(const struct wl_cudnn_rnn_run *self, int layer, const void *in, void *out);

#endif
