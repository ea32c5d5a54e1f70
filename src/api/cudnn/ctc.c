/* The connectionist temporal classification loss and its gradients. The blank is label 0. */
#include <string.h>

#include "api/cudnn/ctc_kernels.h"
#include "api/cudnn/cudnn.h"
#include "api/cudnn/launch.h"
#include "api/cudnn/list.h"
#include "api/cudnn/tensor.h"
#include "base/count.h"

enum { MAGIC_CTC = 0x77636374, LABELS_MAX = 256, ALIGNMENT = 256 };

struct loss {
    uint32_t magic;
    bool is_set;
    int type, normalization, gradient_mode, labels; /* labels: at most, of a sequence */
};

static struct wl_cudnn_kernels kernels = {.name = "ctc.ptx"};

static const struct loss *check(const void *descriptor)
{
    const struct loss *found = descriptor;
    return found && found->magic == MAGIC_CTC && found->is_set ? found : NULL;
}

int cudnnCreateCTCLossDescriptor(void **made)
{
    if (!made)
        return WL_CUDNN_BAD_PARAM;
    *made = wl_stand_in_create(MAGIC_CTC, sizeof(struct loss));
    return WL_CUDNN_OK;
}

int cudnnDestroyCTCLossDescriptor(void *self)
{
    return wl_stand_in_destroy(self, MAGIC_CTC) ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

static int set(const char *call, void *descriptor, struct loss wanted)
{
    struct loss *self = wl_stand_in_check(descriptor, MAGIC_CTC);
    if (!self || wanted.normalization < 0 || wanted.normalization > 1 || wanted.gradient_mode < 0 ||
        wanted.gradient_mode > 1 || wanted.labels < 0 || wanted.labels > LABELS_MAX)
        return WL_CUDNN_BAD_PARAM;
    if (wanted.type != WL_CUDNN_FLOAT)
        return wl_cudnn_refuse(call, "such a type of sums");
    *self = wanted;
    self->magic = MAGIC_CTC;
    self->is_set = true;
    return WL_CUDNN_OK;
}

int cudnnSetCTCLossDescriptor(void *self, int type)
{
    return set("cudnnSetCTCLossDescriptor", self,
               (struct loss){.type = type, .labels = LABELS_MAX});
}

int cudnnSetCTCLossDescriptorEx(void *self, int type, int normalization, int gradient_mode)
{
    return set("cudnnSetCTCLossDescriptorEx", self,
               (struct loss){.type = type,
                             .normalization = normalization,
                             .gradient_mode = gradient_mode,
                             .labels = LABELS_MAX});
}

int cudnnSetCTCLossDescriptor_v8(void *self, int type, int normalization, int gradient_mode,
                                 int labels)
{
    return set("cudnnSetCTCLossDescriptor_v8", self,
               (struct loss){.type = type,
                             .normalization = normalization,
                             .gradient_mode = gradient_mode,
                             .labels = labels});
}

int cudnnSetCTCLossDescriptor_v9(void *self, int type, int normalization, int gradient_mode,
                                 int labels)
{
    return cudnnSetCTCLossDescriptor_v8(self, type, normalization, gradient_mode, labels);
}

int cudnnGetCTCLossDescriptor_v8(const void *descriptor, int *type, int *normalization,
                                 int *gradient_mode, int *labels)
{
    const struct loss *self = check(descriptor);
    if (!self)
        return WL_CUDNN_BAD_PARAM;
    int *const to[] = {type, normalization, gradient_mode, labels};
    const int values[] = {self->type, self->normalization, self->gradient_mode, self->labels};
    for (size_t i = 0; i < WL_COUNT(to); i++)
        if (to[i])
            *to[i] = values[i];
    return WL_CUDNN_OK;
}

int cudnnGetCTCLossDescriptor_v9(const void *self, int *type, int *normalization,
                                 int *gradient_mode, int *labels)
{
    return cudnnGetCTCLossDescriptor_v8(self, type, normalization, gradient_mode, labels);
}

int cudnnGetCTCLossDescriptorEx(const void *self, int *type, int *normalization, int *gradient_mode)
{
    return cudnnGetCTCLossDescriptor_v8(self, type, normalization, gradient_mode, NULL);
}

int cudnnGetCTCLossDescriptor(const void *self, int *type)
{
    return cudnnGetCTCLossDescriptor_v8(self, type, NULL, NULL, NULL);
}

/* ---- sizes ---- */

/* A call's arguments, once they are checked, and where its arrays are in the workspace. */
struct run {
    void *stream;
    struct wl_dnn_ctc of;
    size_t sums_at, forward_at, behind_at, lists_at, bytes;
};

static size_t align(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* lists: integers that the workspace holds at its end. */
static int start(struct run *self, void *handle, int algorithm, const void *descriptor,
                 const void *probs, const void *gradients, int labels, size_t lists)
{
    const struct loss *loss = check(descriptor);
    const struct wl_cudnn_tensor *shape = wl_cudnn_tensor_check(probs),
                                 *gradient_shape = wl_cudnn_tensor_check(gradients);
    *self = (struct run){0};
    if (!wl_cudnn_stream(handle, &self->stream) || !loss || !shape || algorithm < 0 ||
        algorithm > 1 || (gradients && !gradient_shape) || shape->rank < 3 ||
        (gradient_shape && !wl_cudnn_has_dims_of(shape, gradient_shape)))
        return WL_CUDNN_BAD_PARAM;
    for (int i = 3; i < shape->rank; i++)
        if (shape->dims[i] != 1)
            return WL_CUDNN_BAD_PARAM;
    if (shape->type != WL_CUDNN_FLOAT ||
        (gradient_shape &&
         (gradient_shape->type != WL_CUDNN_FLOAT || !wl_cudnn_is_writable(gradient_shape))))
        return wl_cudnn_refuse("cudnnCTCLoss", "such a type or layout");
    struct wl_dnn_ctc *of = &self->of;
    of->steps = shape->dims[0];
    of->batch = shape->dims[1];
    of->letters = shape->dims[2];
    of->states = 2 * labels + 1;
    of->normalizes = loss->normalization;
    of->skips = loss->gradient_mode;
    for (int i = 0; i < 3; i++) {
        of->probs_strides[i] = shape->strides[i];
        of->gradient_strides[i] = gradient_shape ? gradient_shape->strides[i] : 0;
    }
    const size_t places = (size_t)of->steps * (size_t)of->batch,
                 paths = align(places * (size_t)of->states * sizeof(double));
    self->forward_at = align(places * sizeof(double));
    self->behind_at = self->forward_at + paths;
    self->lists_at = self->behind_at + paths;
    self->bytes = self->lists_at + align(lists * sizeof(int));
    return WL_CUDNN_OK;
}

/* The longest sequence of labels, and how many there are in all; BAD_PARAM for lengths that cannot
 * be. */
static int measure(const struct wl_cudnn_tensor *probs, const int *label_lengths,
                   const int *input_lengths, int *longest, size_t *total)
{
    *longest = 0;
    *total = 0;
    if (!probs || probs->rank < 3 || !label_lengths || !input_lengths)
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < probs->dims[1]; i++) {
        if (label_lengths[i] < 0 || label_lengths[i] > LABELS_MAX)
            return WL_CUDNN_BAD_PARAM;
        *longest = label_lengths[i] > *longest ? label_lengths[i] : *longest;
        *total += (size_t)label_lengths[i];
    }
    return WL_CUDNN_OK;
}

/* That of host lists, which are copied into the workspace. */
static int start_listed(struct run *self, void *handle, int algorithm, const void *descriptor,
                        const void *probs, const void *gradients, const int *labels,
                        const int *label_lengths, const int *input_lengths, size_t *total)
{
    const struct wl_cudnn_tensor *shape = wl_cudnn_tensor_check(probs);
    int longest;
    const int status = measure(shape, label_lengths, input_lengths, &longest, total);
    if (status || (!labels && *total))
        return WL_CUDNN_BAD_PARAM;
    for (size_t i = 0; i < *total; i++)
        if (labels[i] <= 0 || labels[i] >= shape->dims[2])
            return WL_CUDNN_BAD_PARAM;
    return start(self, handle, algorithm, descriptor, probs, gradients, longest,
                 *total + 2 * (size_t)shape->dims[1]);
}

int cudnnGetCTCLossWorkspaceSize(void *handle, const void *probs, const void *gradients,
                                 const int *labels, const int *label_lengths,
                                 const int *input_lengths, int algorithm, const void *descriptor,
                                 size_t *bytes)
{
    struct run run;
    size_t total;
    const int status = bytes ? start_listed(&run, handle, algorithm, descriptor, probs, gradients,
                                            labels, label_lengths, input_lengths, &total)
                             : WL_CUDNN_BAD_PARAM;
    if (status == WL_CUDNN_OK)
        *bytes = run.bytes;
    return status;
}

int cudnnGetCTCLossWorkspaceSize_v8(void *handle, int algorithm, const void *descriptor,
                                    const void *probs, const void *gradients, size_t *bytes)
{
    const struct loss *loss = check(descriptor);
    struct run run;
    const int status = bytes && loss ? start(&run, handle, algorithm, descriptor, probs, gradients,
                                             loss->labels, 0)
                                     : WL_CUDNN_BAD_PARAM;
    if (status == WL_CUDNN_OK)
        *bytes = run.bytes;
    return status;
}

/* ---- losses ---- */

static int compute(struct run *self, char *work)
{
    struct wl_dnn_ctc *of = &self->of;
    const size_t places = (size_t)of->steps * (size_t)of->batch;
    const struct {
        const char *name;
        size_t threads;
    } rows[] = {
        {"ctc_sums", of->normalizes ? places : 0},
        {"ctc_paths", 2 * (size_t)of->batch * WL_STAND_IN_THREADS},
        {"ctc_costs", (size_t)of->batch},
        {"ctc_gradients", of->gradients ? places * (size_t)of->letters : 0},
    };
    void *arguments[] = {of};
    int status = WL_CUDNN_OK;
    of->log_sums = (double *)(void *)work;
    of->forward = (double *)(void *)(work + self->forward_at);
    of->behind = (double *)(void *)(work + self->behind_at);
    for (size_t i = 0; i < WL_COUNT(rows) && status == WL_CUDNN_OK; i++)
        status = wl_cudnn_run(&kernels, rows[i].name, WL_CUDNN_FLOAT, rows[i].threads, self->stream,
                              arguments);
    return status;
}

int cudnnCTCLoss_v8(void *handle, int algorithm, const void *descriptor, const void *probs_shape,
                    const void *probs, const int *labels, const int *label_lengths,
                    const int *input_lengths, void *costs, const void *gradient_shape,
                    void *gradients, size_t work_bytes, void *work)
{
    const struct loss *loss = check(descriptor);
    struct run run;
    const int status = loss ? start(&run, handle, algorithm, descriptor, probs_shape,
                                    gradients ? gradient_shape : NULL, loss->labels, 0)
                            : WL_CUDNN_BAD_PARAM;
    if (status)
        return status;
    if (!probs || !labels || !label_lengths || !input_lengths || !costs || !work ||
        work_bytes < run.bytes || (gradients && !gradient_shape))
        return WL_CUDNN_BAD_PARAM;
    run.of.probs = probs;
    run.of.costs = costs;
    run.of.gradients = gradients;
    run.of.labels = labels;
    run.of.label_lengths = label_lengths;
    run.of.input_lengths = input_lengths;
    return compute(&run, work);
}

/* Copies the lists, one after the other, into the workspace. */
static int tell_lists(struct run *self, const int *labels, size_t total, const int *label_lengths,
                      const int *input_lengths, char *work)
{
    const size_t batch = (size_t)self->of.batch, count = total + 2 * batch;
    int *const lists = wl_alloc(count * sizeof *labels), *const there =
                                                             (int *)(void *)(work + self->lists_at);
    if (total)
        memcpy(lists, labels, total * sizeof *labels);
    memcpy(lists + total, label_lengths, batch * sizeof *labels);
    memcpy(lists + total + batch, input_lengths, batch * sizeof *labels);
    const int status = wl_cudnn_tell_list(self->stream, lists, count, there);
    free(lists);
    self->of.labels = there;
    self->of.label_lengths = there + total;
    self->of.input_lengths = there + total + batch;
    return status;
}

int cudnnCTCLoss(void *handle, const void *probs_shape, const void *probs, const int *labels,
                 const int *label_lengths, const int *input_lengths, void *costs,
                 const void *gradient_shape, void *gradients, int algorithm, const void *descriptor,
                 void *work, size_t work_bytes)
{
    struct run run;
    size_t total;
    int status = start_listed(&run, handle, algorithm, descriptor, probs_shape,
                              gradients ? gradient_shape : NULL, labels, label_lengths,
                              input_lengths, &total);
    if (status)
        return status;
    if (!probs || !costs || !work || work_bytes < run.bytes || (gradients && !gradient_shape))
        return WL_CUDNN_BAD_PARAM;
    for (int i = 0; i < run.of.batch; i++)
        if (input_lengths[i] > run.of.steps)
            return WL_CUDNN_BAD_PARAM;
    run.of.probs = probs;
    run.of.costs = costs;
    run.of.gradients = gradients;
    status = tell_lists(&run, labels, total, label_lengths, input_lengths, work);
    return status ? status : compute(&run, work);
}
