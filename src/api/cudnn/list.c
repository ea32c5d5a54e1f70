#include "api/cudnn/list.h"

#include <string.h>

#include "api/cudnn/launch.h"

static struct wl_cudnn_kernels kernels = {.name = "list.ptx"};

int wl_cudnn_tell_list(void *stream, const int *values, size_t count, int *to)
{
    int status = WL_CUDNN_OK;
    for (size_t at = 0; at < count && status == WL_CUDNN_OK; at += WL_DNN_LIST_MAX) {
        struct wl_dnn_list list = {.to = to + at};
        const size_t left = count - at;
        list.count = left < WL_DNN_LIST_MAX ? (int)left : WL_DNN_LIST_MAX;
        memcpy(list.values, values + at, (size_t)list.count * sizeof *values);
        void *arguments[] = {&list};
        status =
            wl_cudnn_run(&kernels, "list", WL_CUDNN_FLOAT, (uint64_t)list.count, stream, arguments);
    }
    return status;
}
