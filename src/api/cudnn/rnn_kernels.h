/* Arguments of the kernels of recurrent networks; same layout on host and device. Numbers within a
 * network are single-precision ones, double ones where the program's are doubles: `real` below. */
#ifndef WL_API_CUDNN_RNN_KERNELS_H
#define WL_API_CUDNN_RNN_KERNELS_H

/* cudnnRNNMode_t */
enum { WL_DNN_RNN_RELU = 0, WL_DNN_RNN_TANH = 1, WL_DNN_LSTM = 2, WL_DNN_GRU = 3 };

/* Where a step of a sequence stands in a program's tensor: rows[step * batch + sequence], -1 for
 * none, -2 - row for padding; NULL: every step is there, so far apart, but for sequences of length
 * 0, where lengths are given: there all is padding. */
struct wl_dnn_rnn_rows {
    const int *rows;
    int batch, step_rows, sequence_rows;
    const int *lengths;
};

/* A product of matrices: out[i, j] = sum over k of a[i, k] b[k, j], begun with bias[j] (which may
 * be NULL) or with what is in out. Distances are between elements; columns lie side by side. */
struct wl_dnn_rnn_product {
    int rows, columns, depth, is_sum; /* is_sum: begun with what is in out */
    const void *a, *b, *bias;
    void *out;
    long long a_row, a_depth, b_depth, out_row;
};

/* A step of one direction of a layer, forward or back. Arrays of all steps are [step, sequence,
 * width]; where a sequence has ended they are 0. */
struct wl_dnn_rnn_step {
    int mode, gate_count, steps, batch, hidden, is_backward; /* is_backward: from the end on */
    int width;          /* of the hidden state: hidden, or what it is projected to */
    int stride, column; /* of the layer's outputs, and where this direction's begin */
    int step;
    int has_clip;
    double least, most;                     /* of cells */
    const int *lengths;                     /* of the sequences; NULL: all have all steps */
    const void *first_hidden, *first_cell;  /* [sequence, width], [sequence, hidden] */
    void *hidden_state, *cell_state;        /* after the step before; going back, their gradients */
    const void *recurrent_sums;             /* [sequence, gate, hidden]: R h + b of this step */
    const void *projection;                 /* [width, hidden]; NULL: there is none */
    void *gates;                            /* [gate, hidden]: W x + b, then gates */
    void *extra;                            /* [hidden]: cells; of GRUs R h + b of h' */
    void *unprojected;                      /* [hidden] */
    void *out;                              /* the layer's outputs */
    const void *gradient;                   /* of the outputs */
    void *gate_gradients, *extra_gradients; /* of W x + b; of GRUs of R h + b of h' */
    void *projected_gradients;              /* [width] */
    void *unprojected_gradient;             /* [sequence, hidden], of this step */
};

/* What is dropped between layers. */
struct wl_dnn_rnn_dropout {
    long long count;
    const void *in;
    void *out;
    const unsigned long long *key; /* of a forward run, kept for the gradients */
    double kept;                   /* the part that is kept */
    unsigned layer;
};

#endif
