/* Integers of a call's host arrays, told to the device by kernels' arguments: they are read when
 * the call is made, whatever the stream waits for, and are in graphs that the stream is captured
 * into. */
#ifndef WL_API_CUDNN_LIST_H
#define WL_API_CUDNN_LIST_H

#include <stddef.h>

enum { WL_DNN_LIST_MAX = 512 };

/* As many as one launch tells. */
struct wl_dnn_list {
    int *to;
    int count;
    int values[WL_DNN_LIST_MAX];
};

/* A status. */
int wl_cudnn_tell_list(void *stream, const int *values, size_t count, int *to);

#endif
