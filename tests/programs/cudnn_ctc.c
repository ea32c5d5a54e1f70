/* cuDNN's connectionist temporal classification loss, compared with the sum over all paths on the
 * host; gradients with differences of it. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnCreateTensorDescriptor(void **made);
int cudnnDestroyTensorDescriptor(void *self);
int cudnnSetTensorNdDescriptor(void *self, int type, int rank, const int *dims, const int *strides);
int cudnnCreateCTCLossDescriptor(void **made);
int cudnnDestroyCTCLossDescriptor(void *self);
int cudnnSetCTCLossDescriptor(void *self, int type);
int cudnnSetCTCLossDescriptorEx(void *self, int type, int normalization, int gradient_mode);
int cudnnSetCTCLossDescriptor_v8(void *self, int type, int normalization, int mode, int labels);
int cudnnSetCTCLossDescriptor_v9(void *self, int type, int normalization, int mode, int labels);
int cudnnGetCTCLossDescriptor(void *self, int *type);
int cudnnGetCTCLossDescriptorEx(void *self, int *type, int *normalization, int *mode);
int cudnnGetCTCLossDescriptor_v8(void *self, int *type, int *normalization, int *mode, int *labels);
int cudnnGetCTCLossDescriptor_v9(void *self, int *type, int *normalization, int *mode, int *labels);
int cudnnGetCTCLossWorkspaceSize(void *handle, void *probs, void *gradients, const int *labels,
                                 const int *label_lengths, const int *input_lengths, int algorithm,
                                 void *loss, size_t *bytes);
int cudnnGetCTCLossWorkspaceSize_v8(void *handle, int algorithm, void *loss, void *probs,
                                    void *gradients, size_t *bytes);
int cudnnCTCLoss(void *handle, void *probs_shape, const void *probs, const int *labels,
                 const int *label_lengths, const int *input_lengths, void *costs,
                 void *gradient_shape, void *gradients, int algorithm, void *loss, void *work,
                 size_t work_bytes);
int cudnnCTCLoss_v8(void *handle, int algorithm, void *loss, void *probs_shape, const void *probs,
                    const int *labels, const int *label_lengths, const int *input_lengths,
                    void *costs, void *gradient_shape, void *gradients, size_t work_bytes,
                    void *work);

enum { BAD_PARAM = 2000, NOT_SUPPORTED = 3000 };
enum { FLOAT = 0, DOUBLE = 1 };
enum { STEPS = 5, BATCH = 5, LETTERS = 4, COUNT = STEPS * BATCH * LETTERS };

/* Sequences that fit, with a repeat, without labels, with fewer steps; the last one does not fit.
 * What becomes of those without and of what does not fit is what an H200 makes of them. */
static const int labels[] = {1, 2, 3, 3, 2, 1, 2, 3, 3, 3}, label_lengths[] = {2, 3, 0, 2, 3},
                 input_lengths[] = {5, 5, 5, 3, 4};
static double numbers[STEPS][BATCH][LETTERS]; /* what softmax is applied to */
static void *handle, *loss, *shape, *narrow_shape;

/* Probability of all paths of letters that become the labels, from a step on, the last letter being
 * given and `done` labels written. */
static double paths(int n, const int *wanted, int length, int step, int last, int done)
{
    double sum = 0, total = 0;
    if (step == input_lengths[n])
        return done == length;
    for (int a = 0; a < LETTERS; a++)
        total += exp(numbers[step][n][a]);
    for (int a = 0; a < LETTERS; a++) {
        const bool writes = a && a != last;
        if (writes && (done == length || wanted[done] != a))
            continue;
        sum +=
            exp(numbers[step][n][a]) / total * paths(n, wanted, length, step + 1, a, done + writes);
    }
    return sum;
}

static double cost(int n)
{
    const int *wanted = labels;
    for (int i = 0; i < n; i++)
        wanted += label_lengths[i];
    return -log(paths(n, wanted, label_lengths[n], 0, 0, 0));
}

static void expect_near(const char *what, int at, double is, double wanted, double tolerance)
{
    if (is != wanted && !(fabs(is - wanted) <= tolerance * (fabs(wanted) + 1))) {
        fprintf(stderr, "%s: %d is %.9g, not %.9g\n", what, at, is, wanted);
        failures++;
    }
}

static void *on_device(const void *from, size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMalloc(&made, bytes), 0);
    EXPECT(cudaMemcpy(made, from, bytes, 1), 0);
    return made;
}

/* The gradient of an activation. */
static double slope(int i)
{
    const double h = 1e-5;
    const int n = i / LETTERS % BATCH;
    double *const of = &(&numbers[0][0][0])[i], kept = *of;
    *of = kept + h;
    const double more = cost(n);
    *of = kept - h;
    const double less = cost(n);
    *of = kept;
    return (more - less) / (2 * h);
}

/* That of a probability y is -sum / y where the activation's is y - sum, the sum being that of
 * paths through it, and y where there are none. */
static void expect_gradients(const float *got, const float *probs, bool normalizes, bool skips)
{
    for (int i = 0; i < COUNT; i++) {
        const int t = i / LETTERS / BATCH, n = i / LETTERS % BATCH;
        double total = 0;
        for (int a = 0; a < LETTERS; a++)
            total += exp(numbers[t][n][a]);
        const double y = exp((&numbers[0][0][0])[i]) / total;
        const bool is_there = n < BATCH - 1 && t < input_lengths[n];
        const double sum = !is_there          ? 0
                           : label_lengths[n] ? y - slope(i)
                           : i % LETTERS      ? 0
                                              : exp(-cost(n));
        const double wanted = !is_there                        ? (skips ? 77 : 0)
                              : normalizes || fabs(sum) < 1e-9 ? y - sum
                                                               : -sum / (double)probs[i];
        expect_near("gradient", i, (double)got[i], wanted, 1e-6);
    }
}

/* is_listed: with lists of the host. normalizes: the device is given what softmax is applied to. */
static void test(bool is_listed, bool normalizes, bool skips)
{
    float probs[COUNT], got[COUNT], costs[BATCH];
    for (int i = 0; i < COUNT; i++) {
        const double *row = numbers[i / LETTERS / BATCH][i / LETTERS % BATCH];
        double total = 0;
        for (int a = 0; a < LETTERS; a++)
            total += exp(row[a]);
        probs[i] = (float)(normalizes ? row[i % LETTERS] : exp(row[i % LETTERS]) / total);
        got[i] = 77;
    }
    EXPECT(cudnnSetCTCLossDescriptor_v9(loss, FLOAT, normalizes, skips, 3), 0);
    float *const device_probs = on_device(probs, sizeof probs),
                 *const gradients = on_device(got, sizeof got),
                 *const device_costs = on_device(got, sizeof costs);
    int *const device_labels = on_device(labels, sizeof labels),
               *const device_label_lengths = on_device(label_lengths, sizeof label_lengths),
               *const device_input_lengths = on_device(input_lengths, sizeof input_lengths);
    void *work = NULL;
    size_t bytes = 0;
    if (is_listed)
        EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, shape, labels, label_lengths,
                                            input_lengths, 0, loss, &bytes),
               0);
    else
        EXPECT(cudnnGetCTCLossWorkspaceSize_v8(handle, 1, loss, shape, shape, &bytes), 0);
    EXPECT(cudaMalloc(&work, bytes), 0);
    if (is_listed)
        EXPECT(cudnnCTCLoss(handle, shape, device_probs, labels, label_lengths, input_lengths,
                            device_costs, shape, gradients, 0, loss, work, bytes),
               0);
    else
        EXPECT(cudnnCTCLoss_v8(handle, 1, loss, shape, device_probs, device_labels,
                               device_label_lengths, device_input_lengths, device_costs, shape,
                               gradients, bytes, work),
               0);
    EXPECT(cudaMemcpy(costs, device_costs, sizeof costs, 2), 0);
    EXPECT(cudaMemcpy(got, gradients, sizeof got, 2), 0);
    for (int n = 0; n < BATCH; n++)
        expect_near("cost", n, (double)costs[n], label_lengths[n] && n < BATCH - 1 ? cost(n) : 0,
                    1e-6);
    expect_gradients(got, probs, normalizes, skips);
    void *const memory[] = {
        device_probs,         gradients, device_costs, device_labels, device_label_lengths,
        device_input_lengths, work};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        cudaFree(memory[i]);
}

static void test_descriptors(void)
{
    int type = 9, normalization = 9, mode = 9, most = 9;
    EXPECT(cudnnSetCTCLossDescriptorEx(loss, FLOAT, 1, 1), 0);
    EXPECT(cudnnGetCTCLossDescriptor_v9(loss, &type, &normalization, &mode, &most), 0);
    EXPECT(type == FLOAT && normalization == 1 && mode == 1 && most == 256, 1);
    EXPECT(cudnnSetCTCLossDescriptor(loss, FLOAT), 0);
    EXPECT(cudnnGetCTCLossDescriptorEx(loss, &type, &normalization, &mode), 0);
    EXPECT(normalization == 0 && mode == 0, 1);
    EXPECT(cudnnSetCTCLossDescriptor_v8(loss, FLOAT, 1, 0, 12), 0);
    EXPECT(cudnnGetCTCLossDescriptor_v8(loss, &type, &normalization, &mode, &most), 0);
    EXPECT(most, 12);
    EXPECT(cudnnGetCTCLossDescriptor(loss, &type), 0);
    EXPECT(cudnnSetCTCLossDescriptor_v9(loss, FLOAT, 2, 0, 12), BAD_PARAM);
    EXPECT(cudnnSetCTCLossDescriptor_v9(loss, FLOAT, 1, 0, 257), BAD_PARAM);
    EXPECT(cudnnSetCTCLossDescriptor_v9(shape, FLOAT, 1, 0, 12), BAD_PARAM);
    EXPECT(cudnnGetCTCLossDescriptor(shape, &type), BAD_PARAM);
    capture_stderr();
    EXPECT(cudnnSetCTCLossDescriptorEx(loss, DOUBLE, 1, 1), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnSetCTCLossDescriptorEx") != NULL, 1);
    EXPECT(cudnnDestroyCTCLossDescriptor(shape), BAD_PARAM);
}

static void test_wrong_runs(void)
{
    const int blank[] = {0, 2, 3, 3, 2, 1, 2, 3, 3, 3}, late[] = {5, 5, 5, 6, 5};
    size_t bytes = 0;
    EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, shape, labels, label_lengths, late, 0, loss,
                                        &bytes),
           0);
    EXPECT(cudnnCTCLoss(handle, shape, labels, labels, label_lengths, late, &bytes, NULL, NULL, 0,
                        loss, &bytes, bytes),
           BAD_PARAM);
    EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, shape, blank, label_lengths, input_lengths,
                                        0, loss, &bytes),
           BAD_PARAM);
    EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, narrow_shape, labels, label_lengths,
                                        input_lengths, 0, loss, &bytes),
           BAD_PARAM);
    EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, NULL, labels, label_lengths, input_lengths,
                                        2, loss, &bytes),
           BAD_PARAM);
    EXPECT(cudnnGetCTCLossWorkspaceSize(handle, shape, NULL, labels, label_lengths, input_lengths,
                                        0, loss, &bytes),
           0);
    EXPECT(cudnnCTCLoss(handle, shape, labels, labels, label_lengths, input_lengths, &bytes, NULL,
                        NULL, 0, loss, &bytes, bytes - 1),
           BAD_PARAM);
    EXPECT(cudnnGetCTCLossWorkspaceSize_v8(handle, 0, handle, shape, NULL, &bytes), BAD_PARAM);
    EXPECT(cudnnCTCLoss_v8(handle, 0, loss, shape, NULL, labels, labels, labels, &bytes, NULL, NULL,
                           1 << 20, &bytes),
           BAD_PARAM);
}

int main(void)
{
    const int dims[] = {STEPS, BATCH, LETTERS}, strides[] = {BATCH * LETTERS, LETTERS, 1},
              narrow_dims[] = {STEPS, BATCH, LETTERS - 1};
    for (int i = 0; i < COUNT; i++)
        (&numbers[0][0][0])[i] = (i * 37 % 101 - 50) / 32.0;
    EXPECT(cudnnCreate(&handle), 0);
    EXPECT(cudnnCreateCTCLossDescriptor(&loss), 0);
    EXPECT(cudnnCreateTensorDescriptor(&shape), 0);
    EXPECT(cudnnSetTensorNdDescriptor(shape, FLOAT, 3, dims, strides), 0);
    EXPECT(cudnnCreateTensorDescriptor(&narrow_shape), 0);
    EXPECT(cudnnSetTensorNdDescriptor(narrow_shape, FLOAT, 3, narrow_dims, strides), 0);
    for (int way = 0; way < 8; way++)
        test(way & 1, way & 2, way & 4);
    test_descriptors();
    test_wrong_runs();
    EXPECT(cudnnDestroyTensorDescriptor(shape), 0);
    EXPECT(cudnnDestroyTensorDescriptor(narrow_shape), 0);
    EXPECT(cudnnDestroyCTCLossDescriptor(loss), 0);
    EXPECT(cudnnDestroy(handle), 0);
    return failures != 0;
}
