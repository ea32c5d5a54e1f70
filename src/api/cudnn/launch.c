#include "api/cudnn/launch.h"

#include <stdio.h>
#include <string.h>

extern const struct wl_embedded_file wl_embedded_cudnn[];

union wl_cudnn_scalar wl_cudnn_scalar(int type, double value)
{
    return type == WL_CUDNN_DOUBLE ? (union wl_cudnn_scalar){.wide = value}
                                   : (union wl_cudnn_scalar){.single = (float)value};
}

double wl_cudnn_read_scalar(int type, const void *factor)
{
    union wl_cudnn_scalar read;
    memcpy(&read, factor, type == WL_CUDNN_DOUBLE ? sizeof read.wide : sizeof read.single);
    return type == WL_CUDNN_DOUBLE ? read.wide : (double)read.single;
}

union wl_cudnn_scalar wl_cudnn_take_scalar(int type, const void *factor)
{
    return wl_cudnn_scalar(type, wl_cudnn_read_scalar(type, factor));
}

static const struct wl_embedded_file *find(const char *name)
{
    const struct wl_embedded_file *file = wl_embedded_cudnn;
    while (file->name && strcmp(file->name, name))
        file++;
    return file->name ? file : NULL;
}

bool wl_cudnn_has_sums(int type, int compute_type)
{
    return compute_type == type || (compute_type == WL_CUDNN_FLOAT && type != WL_CUDNN_DOUBLE);
}

static struct wl_stand_in *load(struct wl_cudnn_kernels *self)
{
    if (!__atomic_load_n(&self->loaded.file, __ATOMIC_ACQUIRE))
        __atomic_store_n(&self->loaded.file, find(self->name), __ATOMIC_RELEASE);
    return &self->loaded;
}

/* The whole name of a kernel. */
struct name {
    char text[96];
};

static struct name name_of(const char *name, int type)
{
    struct name made;
    snprintf(made.text, sizeof made.text, "warplens_dnn_%s_%c", name,
             type == WL_CUDNN_DOUBLE     ? 'd'
             : type == WL_CUDNN_HALF     ? 'h'
             : type == WL_CUDNN_BFLOAT16 ? 'b'
                                         : 'f');
    return made;
}

void wl_cudnn_set_direct(struct wl_cudnn_kernels *self, const char *name, int type,
                         const struct wl_device_direct *direct)
{
    struct wl_device_kernel *kernel = wl_stand_in_kernel(load(self), name_of(name, type).text);
    if (kernel && direct)
        wl_device_kernel_set_direct(kernel, direct);
}

void wl_cudnn_set_library(struct wl_cudnn_kernels *self, const char *name, int type,
                          const struct wl_device_library *library)
{
    struct wl_device_kernel *kernel = wl_stand_in_kernel(load(self), name_of(name, type).text);
    if (kernel && library)
        wl_device_kernel_set_library(kernel, library);
}

int wl_cudnn_run_named(struct wl_cudnn_kernels *self, const char *kernel, uint64_t threads,
                       void *stream, void **parameters)
{
    return wl_cudnn_launched(wl_stand_in_run(load(self), kernel, threads, stream, parameters));
}

int wl_cudnn_run_for(struct wl_cudnn_kernels *self, const char *name, int type, uint64_t threads,
                     void *stream, void **parameters, const struct wl_library_work *library)
{
    return wl_cudnn_launched(wl_stand_in_launch_for(load(self), name_of(name, type).text, threads,
                                                    stream, parameters, false, library));
}

int wl_cudnn_run(struct wl_cudnn_kernels *self, const char *name, int type, uint64_t threads,
                 void *stream, void **parameters)
{
    return wl_cudnn_run_named(self, name_of(name, type).text, threads, stream, parameters);
}
