/* Windows in graphs: greatest elements and means, and their gradients. */
#include <limits.h>

#include "api/cudnn/backend.h"

/* cudnnResampleMode_t, cudnnPaddingMode_t */
enum mode { MEAN_PADDED = 2, MOST = 3, MEAN = 4 };
enum { ZEROS = 0, INFINITE = 1 };

/* The places of forward runs, and of gradients. */
enum { X, Y, INDEX };
enum { DX, DY, GIVEN_INDEX, GIVEN_X, GIVEN_Y };

/* Whether kernels take what the descriptor says, for such tensors; a status. */
static int read_resample(const struct wl_cudnn_node *self, const struct wl_cudnn_tensor *x,
                         const struct wl_cudnn_tensor *y, struct wl_dnn_graph_resample *made)
{
    const int64_t spatial = wl_cudnn_number(self, WL_CUDNN_RESAMPLE_SPATIAL, 0),
                  mode = wl_cudnn_number(self, WL_CUDNN_RESAMPLE_MODE, -1),
                  padding = wl_cudnn_number(self, WL_CUDNN_RESAMPLE_PADDING, ZEROS);
    int window[WL_DNN_GRAPH_SPATIAL], after[WL_DNN_GRAPH_SPATIAL];
    if (spatial < 1 || x->rank != spatial + 2 || y->rank != x->rank || x->dims[0] != y->dims[0] ||
        x->dims[1] != y->dims[1])
        return WL_CUDNN_BAD_PARAM;
    if (spatial > WL_DNN_GRAPH_SPATIAL || (mode != MEAN_PADDED && mode != MOST && mode != MEAN) ||
        (padding != ZEROS && padding != INFINITE) ||
        !wl_cudnn_whole_numbers(self, WL_CUDNN_RESAMPLE_WINDOW, spatial, 1, INT_MAX, window) ||
        !wl_cudnn_whole_numbers(self, WL_CUDNN_RESAMPLE_STRIDES, spatial, 1, INT_MAX,
                                made->strides) ||
        !wl_cudnn_whole_numbers(self, WL_CUDNN_RESAMPLE_PADS, spatial, 0, INT_MAX, made->pads) ||
        !wl_cudnn_whole_numbers(self, WL_CUDNN_RESAMPLE_POST_PADS, spatial, 0, INT_MAX, after) ||
        !wl_cudnn_graph_dims(&made->window, (int)spatial, window, &made->taps))
        return WL_CUDNN_NOT_SUPPORTED;
    made->spatial = (int)spatial;
    made->is_most = mode == MOST;
    made->counts_padding = mode == MEAN_PADDED || (mode == MOST && padding == ZEROS);
    for (int i = 0; i < spatial; i++) {
        const long long room = x->dims[2 + i] + (long long)made->pads[i] + after[i] - window[i];
        made->in[i] = x->dims[2 + i];
        made->out[i] = y->dims[2 + i];
        if (room < 0 || room / made->strides[i] + 1 != y->dims[2 + i])
            return WL_CUDNN_BAD_PARAM;
    }
    return WL_CUDNN_OK;
}

/* Of the tensors of a call: each one, if it is there, is like that one, and in memory. */
static int check(const struct wl_cudnn_place *place, const struct wl_cudnn_tensor *like,
                 bool is_written)
{
    if (!place->shape.rank)
        return WL_CUDNN_OK;
    if (place->is_value || !wl_cudnn_has_dims_of(&place->shape, like))
        return WL_CUDNN_BAD_PARAM;
    return !is_written || wl_cudnn_is_writable(&place->shape) ? WL_CUDNN_OK
                                                              : WL_CUDNN_NOT_SUPPORTED;
}

static int run(const char *name, struct wl_dnn_graph_resample *of, void *stream)
{
    void *arguments[] = {of};
    return wl_cudnn_run(&wl_cudnn_graph_kernels, name, WL_CUDNN_DOUBLE, (uint64_t)of->count, stream,
                        arguments);
}

int wl_cudnn_operation_resample(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                                struct wl_cudnn_pass *pass)
{
    const struct wl_cudnn_tensor *x = &places[X].shape, *y = &places[Y].shape;
    struct wl_dnn_graph_resample of = {
        .alpha = wl_cudnn_real(self, WL_CUDNN_OF_RESAMPLE_ALPHA, 1),
        .beta = wl_cudnn_real(self, WL_CUDNN_OF_RESAMPLE_BETA, 0),
    };
    int status = read_resample(wl_cudnn_part(self, WL_CUDNN_OF_RESAMPLE_RESAMPLE), x, y, &of);
    if (!status)
        status = check(&places[X], x, false);
    if (!status)
        status = check(&places[Y], y, true);
    if (!status)
        status = check(&places[INDEX], y, true);
    if (!status && !wl_cudnn_graph_dims(&of.dims, y->rank, y->dims, &of.count))
        return WL_CUDNN_NOT_SUPPORTED;
    if (status || !pass->is_run)
        return status;
    of.x = wl_cudnn_operand(&places[X], 1);
    of.y = wl_cudnn_operand(&places[Y], 1);
    of.index = wl_cudnn_operand(&places[INDEX], 1);
    return run("graph_resample", &of, pass->stream);
}

/* Of greatest elements by their indices, or by x. */
int wl_cudnn_operation_resample_gradient(const struct wl_cudnn_node *self,
                                         struct wl_cudnn_place *places, struct wl_cudnn_pass *pass)
{
    const struct wl_cudnn_tensor *dx = &places[DX].shape, *dy = &places[DY].shape;
    struct wl_dnn_graph_resample of = {
        .alpha = wl_cudnn_real(self, WL_CUDNN_OF_RESAMPLE_GRADIENT_ALPHA, 1),
        .beta = wl_cudnn_real(self, WL_CUDNN_OF_RESAMPLE_GRADIENT_BETA, 0),
    };
    int status =
        read_resample(wl_cudnn_part(self, WL_CUDNN_OF_RESAMPLE_GRADIENT_RESAMPLE), dx, dy, &of);
    if (!status)
        status = check(&places[DX], dx, true);
    for (int i = DY; i <= GIVEN_Y && !status; i++)
        status = check(&places[i], i == GIVEN_X ? dx : dy, false);
    if (!status && of.is_most && !places[GIVEN_INDEX].shape.rank && !places[GIVEN_X].shape.rank)
        return WL_CUDNN_BAD_PARAM;
    if (!status && !wl_cudnn_graph_dims(&of.dims, dx->rank, dx->dims, &of.count))
        return WL_CUDNN_NOT_SUPPORTED;
    if (status || !pass->is_run)
        return status;
    of.dx = wl_cudnn_operand(&places[DX], 1);
    of.dy = wl_cudnn_operand(&places[DY], 1);
    of.index = wl_cudnn_operand(&places[GIVEN_INDEX], 1);
    of.x = wl_cudnn_operand(&places[GIVEN_X], 1);
    return run("graph_resample_back", &of, pass->stream);
}
