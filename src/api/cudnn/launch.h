/* Launching of kernels that are there for each kind of floating-point number. */
#ifndef WL_API_CUDNN_LAUNCH_H
#define WL_API_CUDNN_LAUNCH_H

#include "api/cudnn/cudnn.h"

/* A file of kernels, loaded at first use. */
struct wl_cudnn_kernels {
    const char *name;
    struct wl_stand_in loaded;
};

/* A factor as kernels of that type take it: double for doubles, else single precision. */
union wl_cudnn_scalar {
    float single;
    double wide;
};
union wl_cudnn_scalar wl_cudnn_scalar(int type, double value);

/* A factor that a program passes to a call about tensors of that type. */
double wl_cudnn_read_scalar(int type, const void *factor);

/* The same as kernels take it. */
union wl_cudnn_scalar wl_cudnn_take_scalar(int type, const void *factor);

/* Whether results of a floating-point type may be made of sums of that one: those of halves and
 * bfloats are made in single precision. */
bool wl_cudnn_has_sums(int type, int compute_type);

/* Launches warplens_dnn_NAME_SUFFIX, SUFFIX being that of the type; with as many threads. A
 * status. */
int wl_cudnn_run(struct wl_cudnn_kernels *self, const char *name, int type, uint64_t threads,
                 void *stream, void **parameters);

/* The same with the time of what cuDNN's own kernels do. */
int wl_cudnn_run_for(struct wl_cudnn_kernels *self, const char *name, int type, uint64_t threads,
                     void *stream, void **parameters, const struct wl_library_work *library);

/* Has such a kernel computed without its instructions where that may be. */
void wl_cudnn_set_direct(struct wl_cudnn_kernels *self, const char *name, int type,
                         const struct wl_device_direct *direct);

/* The same of what the library's own kernels would have to do; NULL: not known. */
void wl_cudnn_set_library(struct wl_cudnn_kernels *self, const char *name, int type,
                          const struct wl_device_library *library);

/* As wl_cudnn_run, with a kernel by its whole name. */
int wl_cudnn_run_named(struct wl_cudnn_kernels *self, const char *kernel, uint64_t threads,
                       void *stream, void **parameters);

#endif
