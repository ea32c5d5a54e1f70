/* cuDNN's spatial transformers, of pictures. */
#include "api/cudnn/descriptors.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/pointwise.h"
#include "api/cudnn/walk.h"

static struct wl_cudnn_kernels kernels = {.name = "transform.ptx"};

/* ---- grids ---- */

/* Whether a call has what it needs; what is told of the output. */
static const struct wl_cudnn_transformer *take_grid(const void *handle, const void *transformer,
                                                    const void *from, const void *to, void **stream)
{
    const struct wl_cudnn_transformer *found = wl_cudnn_transformer_check(transformer);
    return wl_cudnn_stream(handle, stream) && from && to ? found : NULL;
}

int cudnnSpatialTfGridGeneratorForward(const void *handle, const void *transformer,
                                       const void *theta, void *grid)
{
    void *stream;
    const struct wl_cudnn_transformer *of = take_grid(handle, transformer, theta, grid, &stream);
    if (!of)
        return WL_CUDNN_BAD_PARAM;
    int batch = of->dims[0], h = of->dims[2], w = of->dims[3];
    void *parameters[] = {&batch, &h, &w, &theta, &grid};
    return wl_cudnn_run(&kernels, "grid", of->type, (uint64_t)batch * (uint64_t)h * (uint64_t)w,
                        stream, parameters);
}

int cudnnSpatialTfGridGeneratorBackward(const void *handle, const void *transformer,
                                        const void *dgrid, void *dtheta)
{
    void *stream;
    const struct wl_cudnn_transformer *of = take_grid(handle, transformer, dgrid, dtheta, &stream);
    if (!of)
        return WL_CUDNN_BAD_PARAM;
    int batch = of->dims[0], h = of->dims[2], w = of->dims[3], group = wl_cudnn_group(h * w);
    void *parameters[] = {&batch, &h, &w, &group, &dgrid, &dtheta};
    return wl_cudnn_run(&kernels, "grid_back", of->type, 6 * (uint64_t)batch * (uint64_t)group,
                        stream, parameters);
}

/* ---- samples ---- */

/* Whether a tensor is one of pictures as many as the transformer has, of as many channels. */
static bool is_input(const struct wl_cudnn_tensor *tensor, const struct wl_cudnn_transformer *of)
{
    return tensor && tensor->rank == 4 && tensor->type == of->type &&
           tensor->dims[0] == of->dims[0] && tensor->dims[1] == of->dims[1];
}

static bool is_output(const struct wl_cudnn_tensor *tensor, const struct wl_cudnn_transformer *of)
{
    return is_input(tensor, of) && tensor->dims[2] == of->dims[2] && tensor->dims[3] == of->dims[3];
}

static struct wl_dnn_sampling describe(const struct wl_cudnn_tensor *x,
                                       const struct wl_cudnn_tensor *dx,
                                       const struct wl_cudnn_tensor *y)
{
    struct wl_dnn_sampling made = {
        .batch = y->dims[0],
        .channels = y->dims[1],
        .in_h = x->dims[2],
        .in_w = x->dims[3],
        .out_h = y->dims[2],
        .out_w = y->dims[3],
    };
    for (int i = 0; i < 4; i++) {
        made.x[i] = x->strides[i];
        made.dx[i] = dx->strides[i];
        made.y[i] = y->strides[i];
    }
    return made;
}

int cudnnSpatialTfSamplerForward(const void *handle, const void *transformer, const void *alpha,
                                 const void *x_shape, const void *x, const void *grid,
                                 const void *beta, const void *y_shape, void *y)
{
    const struct wl_cudnn_transformer *of = wl_cudnn_transformer_check(transformer);
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *y_is = wl_cudnn_tensor_check(y_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !of || !alpha || !beta || !x || !grid || !y ||
        !is_input(x_is, of) || !is_output(y_is, of) || !wl_cudnn_is_writable(y_is))
        return WL_CUDNN_BAD_PARAM;
    struct wl_dnn_sampling sampling = describe(x_is, x_is, y_is);
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(of->type, alpha),
        wl_cudnn_take_scalar(of->type, beta),
    };
    void *parameters[] = {&sampling, &x, &grid, &y, &factors[0], &factors[1]};
    return wl_cudnn_run(&kernels, "sample", of->type, (uint64_t)wl_cudnn_tensor_count(y_is), stream,
                        parameters);
}

/* Others' gradients of the picture are gathered, which takes longer. */
static bool has_atomics(int type)
{
    return type == WL_CUDNN_FLOAT || type == WL_CUDNN_DOUBLE;
}

int cudnnSpatialTfSamplerBackward(const void *handle, const void *transformer, const void *alpha,
                                  const void *x_shape, const void *x, const void *beta,
                                  const void *dx_shape, void *dx, const void *grid_alpha,
                                  const void *dy_shape, const void *dy, const void *grid,
                                  const void *grid_beta, void *dgrid)
{
    const struct wl_cudnn_transformer *of = wl_cudnn_transformer_check(transformer);
    const struct wl_cudnn_tensor *x_is = wl_cudnn_tensor_check(x_shape),
                                 *dx_is = wl_cudnn_tensor_check(dx_shape),
                                 *dy_is = wl_cudnn_tensor_check(dy_shape);
    void *stream;
    if (!wl_cudnn_stream(handle, &stream) || !of || !alpha || !beta || !grid_alpha || !grid_beta ||
        !x || !dx || !dy || !grid || !dgrid || !is_input(x_is, of) || !is_output(dy_is, of) ||
        !dx_is || dx_is->type != of->type || !wl_cudnn_has_dims_of(dx_is, x_is) ||
        !wl_cudnn_is_writable(dx_is))
        return WL_CUDNN_BAD_PARAM;
    static const double none = 0; /* in each type */
    const double factor = wl_cudnn_read_scalar(of->type, beta);
    struct wl_dnn_sampling sampling = describe(x_is, dx_is, dy_is);
    union wl_cudnn_scalar factors[] = {
        wl_cudnn_take_scalar(of->type, alpha),
        wl_cudnn_scalar(of->type, factor),
        wl_cudnn_take_scalar(of->type, grid_alpha),
        wl_cudnn_take_scalar(of->type, grid_beta),
    };
    void *gather[] = {&sampling, &dx, &dy, &grid, &factors[0], &factors[1]};
    void *scatter[] = {&sampling, &x,          &dx,         &dy,        &grid,
                       &dgrid,    &factors[0], &factors[2], &factors[3]};
    int status = !has_atomics(of->type)
                     ? wl_cudnn_run(&kernels, "sample_gather", of->type,
                                    (uint64_t)wl_cudnn_tensor_count(dx_is), stream, gather)
                 : factor == 0 ? wl_cudnn_fill(stream, dx_is, dx, &none)
                               : wl_cudnn_blend(stream, dx_is, dx, dx_is, dx, factor, 0);
    if (!status)
        status = wl_cudnn_run(&kernels, "sample_back", of->type,
                              (uint64_t)of->dims[0] * (uint64_t)of->dims[2] * (uint64_t)of->dims[3],
                              stream, scatter);
    return status;
}
