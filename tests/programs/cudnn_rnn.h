/* What tests of cuDNN's recurrent networks share. */
#ifndef CUDNN_RNN_H
#define CUDNN_RNN_H

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

enum { RELU = 0, TANH = 1, LSTM = 2, GRU = 3 };
enum { LAYERS = 2, MOST = 4096 };

static void *handle;

/* Of no more digits than bfloats have. */
static inline double next_number(void)
{
    static uint32_t state = 4711;
    state = state * 1664525u + 1013904223u;
    return (double)((int)(state >> 24) - 128) / 128;
}

static inline void fill(double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = next_number();
}

static inline int gates_of(int mode)
{
    return mode == LSTM ? 4 : mode == GRU ? 3 : 1;
}

/* Copies elements to new memory of the device. */
static inline void *to_device(int type, const double *from, size_t count)
{
    static double packed[MOST];
    void *made = NULL;
    for (size_t i = 0; i < count; i++)
        write_number(type, packed, i, from[i]);
    EXPECT(cudaMalloc(&made, MOST * sizeof *packed), 0);
    EXPECT(cudaMemcpy(made, packed, count * type_bytes(type), 1), 0);
    return made;
}

static inline void from_device(int type, const void *device, size_t count, double *to)
{
    static double packed[MOST];
    EXPECT(cudaMemcpy(packed, device, count * type_bytes(type), 2), 0);
    for (size_t i = 0; i < count; i++)
        to[i] = read_number(type, packed, i);
}

#endif
