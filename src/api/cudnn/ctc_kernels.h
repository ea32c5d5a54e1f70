/* Arguments of the kernels of the connectionist temporal classification loss; same layout on host
 * and device. */
#ifndef WL_API_CUDNN_CTC_KERNELS_H
#define WL_API_CUDNN_CTC_KERNELS_H

/* Of labels l1, l2, ... a path runs through the states 0 l1 0 l2 0 ..., 0 being the blank. */
struct wl_dnn_ctc {
    int steps, batch, letters;
    int states;     /* at most, of a sequence */
    int normalizes; /* 1: exp(probs) over their sum are the probabilities; 0: probs are */
    int skips;      /* 1: gradients that no path comes to stay as they are; 0: they are 0 */
    const float *probs;
    float *gradients, *costs; /* gradients may be NULL; they are those of probs */
    long long probs_strides[3], gradient_strides[3]; /* of steps, sequences, letters */
    const int *labels, *label_lengths, *input_lengths;
    double *log_sums; /* [step, sequence] */
    double *forward,
        *behind; /* [sequence, step, state]: logarithms; behind: of what follows a step */
};

#endif
