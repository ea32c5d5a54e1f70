/* Convolutions in graphs. Kernels have tensors of one type and the same padding on both sides: of
 * others there are copies in the graph's workspace. */
#include <limits.h>

#include "api/cudnn/backend.h"
#include "api/cudnn/convolve.h"

enum { X, W, Y, TENSORS, ALIGNMENT = 256 };

/* A convolution with what kernels take. */
struct plan {
    struct wl_cudnn_convolution is;
    enum wl_cudnn_way way;
    int out; /* which of the tensors is made */
    double alpha, beta;
    struct wl_cudnn_place taken[TENSORS];
    bool is_copy[TENSORS];
    size_t bytes;       /* of copies */
    size_t at[TENSORS]; /* of copies, in the scratch memory */
    long long inner;    /* elements of x's copy before the first that is no padding */
};

static bool is_whole(int type)
{
    return type == WL_CUDNN_INT8 || type == WL_CUDNN_UINT8 || type == WL_CUDNN_INT32 ||
           type == WL_CUDNN_INT64;
}

static int type_of_sums(const struct wl_cudnn_place *places, int compute_type)
{
    int type = compute_type == WL_CUDNN_DOUBLE ? WL_CUDNN_DOUBLE : WL_CUDNN_FLOAT;
    for (int i = 0; i < TENSORS; i++)
        if (places[i].shape.type == WL_CUDNN_DOUBLE || is_whole(places[i].shape.type))
            type = WL_CUDNN_DOUBLE; /* sums of integers have to be exact */
    return type;
}

/* What the descriptor says. */
static void read_convolution(const struct wl_cudnn_node *self, const struct wl_cudnn_tensor *x,
                             const struct wl_cudnn_tensor *w, struct wl_cudnn_convolution *made)
{
    const int64_t *pads = wl_cudnn_attribute(self, WL_CUDNN_CONVOLUTION_PADS)->values,
                  *strides = wl_cudnn_attribute(self, WL_CUDNN_CONVOLUTION_STRIDES)->values,
                  *dilations = wl_cudnn_attribute(self, WL_CUDNN_CONVOLUTION_DILATIONS)->values;
    *made = (struct wl_cudnn_convolution){
        .spatial = (int)wl_cudnn_number(self, WL_CUDNN_CONVOLUTION_SPATIAL, 0),
        .groups = x->dims[1] / w->dims[1],
        .is_flipped = wl_cudnn_number(self, WL_CUDNN_CONVOLUTION_MODE, 0) == 0,
        .compute_type = (int)wl_cudnn_number(self, WL_CUDNN_CONVOLUTION_COMPUTE, 0),
    };
    for (int i = 0; i < made->spatial; i++) {
        made->pads[i] = (int)pads[i];
        made->strides[i] = (int)strides[i];
        made->dilations[i] = (int)dilations[i];
    }
}

/* Has x copied with its padding where that is not the same on both sides. */
static int pad(struct plan *self, const struct wl_cudnn_node *convolution)
{
    const struct wl_cudnn_attribute *found =
        wl_cudnn_attribute(convolution, WL_CUDNN_CONVOLUTION_POST_PADS);
    const int64_t zeros[WL_CUDNN_SPATIAL_MAX] = {0}, *after = found ? found->values : zeros;
    struct wl_cudnn_tensor *x = &self->taken[X].shape;
    bool is_even = true;
    for (int i = 0; i < self->is.spatial; i++)
        is_even &= self->is.pads[i] == after[i];
    if (is_even)
        return WL_CUDNN_OK;
    self->is_copy[X] = true;
    for (int i = 0; i < self->is.spatial; i++) {
        const long long size = x->dims[2 + i] + (long long)self->is.pads[i] + after[i];
        if (size > INT_MAX)
            return WL_CUDNN_NOT_SUPPORTED;
        x->dims[2 + i] = (int)size;
    }
    wl_cudnn_tensor_pack(x, false);
    for (int i = 0; i < self->is.spatial; i++) {
        self->inner += (long long)self->is.pads[i] * x->strides[2 + i];
        self->is.pads[i] = 0;
    }
    return WL_CUDNN_OK;
}

static int make_plan(struct plan *self, const struct wl_cudnn_node *convolution,
                     const struct wl_cudnn_place *places)
{
    const struct wl_cudnn_tensor *x = &places[X].shape, *w = &places[W].shape;
    for (int i = 0; i < TENSORS; i++) {
        if (places[i].is_value || places[i].shape.type == WL_CUDNN_BOOLEAN)
            return WL_CUDNN_NOT_SUPPORTED;
        self->taken[i] = places[i];
    }
    if (x->rank < 3 || x->rank != w->rank || x->rank != places[Y].shape.rank ||
        wl_cudnn_number(convolution, WL_CUDNN_CONVOLUTION_SPATIAL, 0) != x->rank - 2)
        return WL_CUDNN_BAD_PARAM;
    read_convolution(convolution, x, w, &self->is);
    const int status = pad(self, convolution);
    const bool is_one_type =
        x->type == w->type && x->type == places[Y].shape.type && wl_cudnn_is_floating(x->type);
    const int type = is_one_type ? x->type : type_of_sums(places, self->is.compute_type);
    if (!is_one_type)
        self->is.compute_type = type;
    for (int i = 0; i < TENSORS && !status; i++) {
        struct wl_cudnn_tensor *taken = &self->taken[i].shape;
        self->is_copy[i] |= taken->type != type;
        if (!self->is_copy[i])
            continue;
        taken->type = type;
        wl_cudnn_tensor_pack(taken, false);
        self->at[i] = self->bytes;
        self->bytes += (wl_cudnn_tensor_bytes(taken) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (!status && !wl_cudnn_is_writable(&places[self->out].shape))
        return WL_CUDNN_NOT_SUPPORTED;
    return status ? status
                  : wl_cudnn_can_convolve(self->way, &self->is, &self->taken[X].shape,
                                          &self->taken[W].shape, &self->taken[Y].shape);
}

/* to = from + beta * to. */
static int copy(void *stream, const struct wl_cudnn_place *from, const struct wl_cudnn_place *to,
                double beta)
{
    enum { ADD = 0, IDENTITY = 21 };
    struct wl_dnn_graph_pointwise of = {
        .out = wl_cudnn_operand(to, 1),
        .x = wl_cudnn_operand(from, 1),
        .b = wl_cudnn_operand(to, beta),
        .mode = beta != 0 ? ADD : IDENTITY,
        .axis = -1,
    };
    void *arguments[] = {&of};
    if (!wl_cudnn_graph_dims(&of.dims, to->shape.rank, to->shape.dims, &of.count))
        return WL_CUDNN_NOT_SUPPORTED;
    return wl_cudnn_run(&wl_cudnn_graph_kernels, "graph_pointwise", WL_CUDNN_DOUBLE,
                        (uint64_t)of.count, stream, arguments);
}

/* What of a copy is the tensor itself, without padding. */
static struct wl_cudnn_place inner(const struct plan *self, int tensor,
                                   const struct wl_cudnn_place *of)
{
    struct wl_cudnn_place made = self->taken[tensor];
    for (int i = 0; i < made.shape.rank; i++)
        made.shape.dims[i] = of->shape.dims[i];
    if (tensor == X)
        made.data =
            (char *)made.data + self->inner * (long long)wl_cudnn_type_bytes(made.shape.type);
    return made;
}

static int copy_in(const struct plan *self, int tensor, const struct wl_cudnn_place *from,
                   void *stream)
{
    const struct wl_cudnn_place zero = {.shape = self->taken[tensor].shape, .is_value = true},
                                to = inner(self, tensor, from);
    const bool is_padded = !wl_cudnn_has_dims_of(&zero.shape, &from->shape);
    const int status = is_padded ? copy(stream, &zero, &self->taken[tensor], 0) : WL_CUDNN_OK;
    return status ? status : copy(stream, from, &to, 0);
}

static int compute(struct plan *self, const struct wl_cudnn_place *places,
                   const struct wl_cudnn_pass *pass)
{
    struct wl_cudnn_place *const taken = self->taken;
    int status = WL_CUDNN_OK;
    for (int i = 0; i < TENSORS && !status; i++) {
        if (!self->is_copy[i])
            continue;
        taken[i].data = pass->scratch + self->at[i];
        if (i != self->out)
            status = copy_in(self, i, &places[i], pass->stream);
    }
    if (status)
        return status;
    const bool is_copied = self->is_copy[self->out];
    status = wl_cudnn_convolve(pass->stream, self->way, &self->is, &taken[X].shape, taken[X].data,
                               &taken[W].shape, taken[W].data, &taken[Y].shape, taken[Y].data,
                               self->alpha, is_copied ? 0 : self->beta);
    if (status || !is_copied)
        return status;
    const struct wl_cudnn_place made = inner(self, self->out, &places[self->out]);
    return copy(pass->stream, &made, &places[self->out], self->beta);
}

int wl_cudnn_operation_convolution(const struct wl_cudnn_node *self, struct wl_cudnn_place *places,
                                   struct wl_cudnn_pass *pass)
{
    static const struct {
        int type, convolution, alpha, beta;
        enum wl_cudnn_way way;
        int out;
    } rows[] = {
        {WL_CUDNN_NODE_OF_FORWARD, WL_CUDNN_OF_FORWARD_CONVOLUTION, WL_CUDNN_OF_FORWARD_ALPHA,
         WL_CUDNN_OF_FORWARD_BETA, WL_CUDNN_FORWARD, Y},
        {WL_CUDNN_NODE_OF_DATA, WL_CUDNN_OF_DATA_CONVOLUTION, WL_CUDNN_OF_DATA_ALPHA,
         WL_CUDNN_OF_DATA_BETA, WL_CUDNN_DATA, X},
        {WL_CUDNN_NODE_OF_FILTER, WL_CUDNN_OF_FILTER_CONVOLUTION, WL_CUDNN_OF_FILTER_ALPHA,
         WL_CUDNN_OF_FILTER_BETA, WL_CUDNN_FILTER, W},
    };
    size_t at = 0;
    while (rows[at].type != self->type)
        at++;
    struct plan plan = {
        .way = rows[at].way,
        .out = rows[at].out,
        .alpha = wl_cudnn_real(self, rows[at].alpha, 1),
        .beta = wl_cudnn_real(self, rows[at].beta, 0),
    };
    const int status = make_plan(&plan, wl_cudnn_part(self, rows[at].convolution), places);
    pass->scratch_bytes = plan.bytes;
    return status || !pass->is_run ? status : compute(&plan, places, pass);
}
