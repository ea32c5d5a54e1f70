/* Arguments that the stand-in for cuDNN passes to its kernels; same layout on host and device. */
#ifndef WL_API_CUDNN_KERNELS_H
#define WL_API_CUDNN_KERNELS_H

enum { WL_DNN_SPATIAL = 3, WL_DNN_RANK = 5 };

/* A convolution of three spatial dimensions, of which the first ones may have size 1. Strides of
 * elements are those of n, c, and of the spatial dimensions; of the filter's k, c and taps. */
struct wl_dnn_convolution {
    int batch, groups;
    int channels, filters; /* of a group: inputs and outputs */
    int in[WL_DNN_SPATIAL], taps[WL_DNN_SPATIAL], out[WL_DNN_SPATIAL];
    int pads[WL_DNN_SPATIAL], strides[WL_DNN_SPATIAL], dilations[WL_DNN_SPATIAL];
    long long x[WL_DNN_RANK], w[WL_DNN_RANK], y[WL_DNN_RANK];
};

#endif
