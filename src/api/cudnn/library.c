#include "api/cudnn/library.h"

#include <math.h>
#include <stddef.h>

#include "api/cudnn/cudnn.h"
#include "base/count.h"

/* A kernel by what is not among its parameters. */
struct told {
    struct wl_device_library is;
    int way, type; /* of normalisation: 1 for the gradient */
    bool keeps_single;
};

static const struct told *told_of(const struct wl_device_library *self)
{
    return (const struct told *)(const void *)((const char *)self - offsetof(struct told, is));
}

static enum wl_library_element element_of(const struct told *told)
{
    switch (told->type) {
    case WL_CUDNN_DOUBLE:
        return WL_LIBRARY_F64;
    case WL_CUDNN_FLOAT:
        return told->keeps_single ? WL_LIBRARY_F32 : WL_LIBRARY_TF32;
    default:
        return WL_LIBRARY_F16;
    }
}

static double volume(const int sizes[WL_DNN_SPATIAL])
{
    double all = 1;
    for (int i = 0; i < WL_DNN_SPATIAL; i++)
        all *= sizes[i];
    return all;
}

static double bytes_of(int type)
{
    return type == WL_CUDNN_DOUBLE ? 8 : type == WL_CUDNN_FLOAT ? 4 : 2;
}

/* A convolution as a product: docs/models/library-model.md. */
static bool tell_convolution(const struct wl_device_library *self, const void *parameters,
                             const uint32_t grid[3], struct wl_library_work *work)
{
    const struct told *told = told_of(self);
    const struct wl_dnn_convolution *c = parameters;
    const double in = c->batch * volume(c->in), out = c->batch * volume(c->out),
                 taps = volume(c->taps), channels = c->channels, filters = c->filters;
    (void)grid;
    *work = (struct wl_library_work){
        .call = channels == 1 && filters == 1 ? WL_LIBRARY_STREAM : WL_LIBRARY_CONVOLUTION,
        .element = element_of(told),
        .rows = out,
        .columns = filters,
        .depth = channels * taps,
        .count = c->groups,
        .bytes = bytes_of(told->type) * c->groups *
                 (in * channels + filters * channels * taps + out * filters),
        .way = (enum wl_library_way)told->way,
        .is_channels_last = c->x[1] == 1 && c->groups * c->channels > 1,
        .has_taps = taps > 1,
    };
    if (told->way == WL_CUDNN_DATA) {
        work->rows = in;
        work->columns = channels;
        work->depth = ceil(filters * taps / volume(c->strides));
    } else if (told->way == WL_CUDNN_FILTER) {
        work->rows = channels * taps;
        work->depth = out;
    }
    return true;
}

static bool tell_norm(const struct wl_device_library *self, const void *parameters,
                      const uint32_t grid[3], struct wl_library_work *work)
{
    const struct told *told = told_of(self);
    const struct wl_dnn_normalization *n = parameters;
    (void)grid;
    *work = (struct wl_library_work){
        .call = WL_LIBRARY_NORM,
        .element = element_of(told),
        .rows = n->folded.count,
        .count = n->kept.count,
        .bytes = bytes_of(told->type) * n->folded.count * n->kept.count * (told->way ? 3 : 2),
        .way = told->way ? WL_LIBRARY_DATA : WL_LIBRARY_FORWARD,
    };
    return true;
}

#define TYPES(tell, way)                                                          \
    {{tell}, way, WL_CUDNN_FLOAT, false}, {{tell}, way, WL_CUDNN_FLOAT, true},    \
        {{tell}, way, WL_CUDNN_DOUBLE, true}, {{tell}, way, WL_CUDNN_HALF, true}, \
    {                                                                             \
        {tell}, way, WL_CUDNN_BFLOAT16, true                                      \
    }

static const struct wl_device_library *find(const struct told *rows, size_t count, int way,
                                            int type, bool keeps_single)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].way == way && rows[i].type == type &&
            (rows[i].keeps_single == keeps_single || type != WL_CUDNN_FLOAT))
            return &rows[i].is;
    return NULL;
}

const struct wl_device_library *wl_cudnn_convolution_library(enum wl_cudnn_way way, int type,
                                                             bool keeps_single)
{
    static const struct told rows[] = {TYPES(tell_convolution, WL_CUDNN_FORWARD),
                                       TYPES(tell_convolution, WL_CUDNN_DATA),
                                       TYPES(tell_convolution, WL_CUDNN_FILTER)};
    return find(rows, WL_COUNT(rows), (int)way, type, keeps_single);
}

const struct wl_device_library *wl_cudnn_norm_library(bool is_gradient, int type)
{
    static const struct told rows[] = {TYPES(tell_norm, false), TYPES(tell_norm, true)};
    return find(rows, WL_COUNT(rows), is_gradient, type, true);
}
