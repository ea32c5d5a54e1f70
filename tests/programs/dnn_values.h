/* Tensors for tests of cuDNN: values in device memory, and beside them the same as doubles in the
 * order of their dimensions. */
#ifndef DNN_VALUES_H
#define DNN_VALUES_H

#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnCreateTensorDescriptor(void **made);
int cudnnDestroyTensorDescriptor(void *self);
int cudnnSetTensorNdDescriptor(void *self, int type, int rank, const int *dims, const int *strides);
int cudnnCreateFilterDescriptor(void **made);
int cudnnDestroyFilterDescriptor(void *self);
int cudnnSetFilterNdDescriptor(void *self, int type, int format, int rank, const int *dims);

enum { FLOAT = 0, DOUBLE = 1, HALF = 2, BFLOAT16 = 9 };
enum { OK = 0, BAD_PARAM = 2000, NOT_SUPPORTED = 3000 };
enum { RANK = 5 };

static const int dnn_types[] = {FLOAT, DOUBLE, HALF, BFLOAT16};

struct tensor {
    void *shape; /* a descriptor */
    bool is_filter;
    int type, rank, dims[RANK], strides[RANK];
    size_t count, stored; /* elements, and places from the first to the last */
    void *device;
    double *values;
};

static inline size_t type_bytes(int type)
{
    return type == DOUBLE ? 8 : type == FLOAT ? 4 : 2;
}

/* How far a result may be from that of doubles, per unit of what it is made of. */
static inline double type_tolerance(int type)
{
    return type == DOUBLE ? 1e-13 : type == FLOAT ? 2e-6 : type == HALF ? 1e-3 : 8e-3;
}

static inline double read_number(int type, const void *from, size_t i)
{
    if (type == DOUBLE)
        return ((const double *)from)[i];
    if (type == FLOAT)
        return ((const float *)from)[i];
    const uint16_t bits = ((const uint16_t *)from)[i];
    if (type == HALF) {
        const int exponent = bits >> 10 & 31, fraction = bits & 1023;
        const double size = exponent == 31 ? fraction ? NAN : INFINITY
                            : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                           : ldexp(fraction, -24);
        return bits & 0x8000 ? -size : size;
    }
    const uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Of a number that the type has. */
static inline void write_number(int type, void *to, size_t i, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (type == DOUBLE)
        ((double *)to)[i] = value;
    else if (type == FLOAT)
        ((float *)to)[i] = single;
    else if (type == BFLOAT16)
        ((uint16_t *)to)[i] = (uint16_t)(bits >> 16);
    else
        ((uint16_t *)to)[i] = (uint16_t)((bits >> 16 & 0x8000) |
                                         (value == 0 ? 0 : (bits >> 13 & 0x3ffff) - (112 << 10)));
}

/* An eighth of a small integer, which each type has: products of two are exact in single precision.
 */
static inline double next_value(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return ((int)(state >> 16) % 33 - 16) / 8.0;
}

/* The place of the i-th element. */
static inline size_t place(const struct tensor *t, size_t i)
{
    size_t at = 0;
    for (int d = t->rank - 1; d >= 0; d--) {
        at += i % (size_t)t->dims[d] * (size_t)t->strides[d];
        i /= (size_t)t->dims[d];
    }
    return at;
}

/* Element (n, c, others...) of a tensor of fewer spatial dimensions than three: those come first.
 */
static inline size_t element(const struct tensor *t, int n, int c, int d, int h, int w)
{
    const int at[] = {n, c, d, h, w};
    size_t i = 0;
    for (int k = 0; k < RANK; k++)
        if (k < 2 || k >= RANK - (t->rank - 2))
            i = i * (size_t)t->dims[k < 2 ? k : k - (RANK - t->rank)] + (size_t)at[k];
    return i;
}

/* The size of a dimension, numbered as of rank 5. */
static inline int dim(const struct tensor *t, int k)
{
    return k < 2 ? t->dims[k] : k >= RANK - (t->rank - 2) ? t->dims[k - (RANK - t->rank)] : 1;
}

static inline void upload(struct tensor *t)
{
    void *bytes = calloc(t->stored, type_bytes(t->type));
    for (size_t i = 0; i < t->count; i++)
        write_number(t->type, bytes, place(t, i), t->values[i]);
    EXPECT(cudaMemcpy(t->device, bytes, t->stored * type_bytes(t->type), HOST_TO_DEVICE), 0);
    free(bytes);
}

/* Elements in the order of their dimensions; the result is freed by the caller. */
static inline double *download(const struct tensor *t)
{
    void *bytes = calloc(t->stored, type_bytes(t->type));
    double *values = calloc(t->count, sizeof *values);
    EXPECT(cudaMemcpy(bytes, t->device, t->stored * type_bytes(t->type), DEVICE_TO_HOST), 0);
    for (size_t i = 0; i < t->count; i++)
        values[i] = read_number(t->type, bytes, place(t, i));
    free(bytes);
    return values;
}

enum layout { PLAIN, CHANNELS_LAST, GAPS };

/* A tensor of random values. GAPS: as PLAIN, with a place left out after each row. */
static inline struct tensor make_tensor_of(int type, enum layout layout, int rank, const int *dims)
{
    struct tensor t = {.type = type, .rank = rank, .count = 1};
    int stride = layout == CHANNELS_LAST ? dims[1] : 1;
    for (int d = rank - 1; d >= 0; d--) {
        t.dims[d] = dims[d];
        t.count *= (size_t)dims[d];
        t.strides[d] = layout == CHANNELS_LAST && d == 1 ? 1 : stride;
        if (layout != CHANNELS_LAST || d != 1)
            stride *= dims[d];
        if (layout == GAPS && d == rank - 1)
            stride++;
    }
    t.stored = (size_t)stride;
    t.values = calloc(t.count, sizeof *t.values);
    for (size_t i = 0; i < t.count; i++)
        t.values[i] = next_value();
    EXPECT(cudaMalloc(&t.device, t.stored * type_bytes(type)), 0);
    upload(&t);
    return t;
}

static inline struct tensor make_tensor(int type, enum layout layout, int rank, const int *dims)
{
    struct tensor t = make_tensor_of(type, layout, rank, dims);
    EXPECT(cudnnCreateTensorDescriptor(&t.shape), OK);
    EXPECT(cudnnSetTensorNdDescriptor(t.shape, type, rank, t.dims, t.strides), OK);
    return t;
}

static inline struct tensor make_filter(int type, bool is_channels_last, int rank, const int *dims)
{
    struct tensor t = make_tensor_of(type, is_channels_last ? CHANNELS_LAST : PLAIN, rank, dims);
    t.is_filter = true;
    EXPECT(cudnnCreateFilterDescriptor(&t.shape), OK);
    EXPECT(cudnnSetFilterNdDescriptor(t.shape, type, is_channels_last, rank, t.dims), OK);
    return t;
}

static inline void free_tensor(struct tensor *t)
{
    if (t->is_filter)
        EXPECT(cudnnDestroyFilterDescriptor(t->shape), OK);
    else
        EXPECT(cudnnDestroyTensorDescriptor(t->shape), OK);
    EXPECT(cudaFree(t->device), 0);
    free(t->values);
}

/* Compares what is in device memory with what it must be. scale: the size of what an element is a
 * sum of. */
static inline void expect_values(const char *what, const struct tensor *t, const double *expected,
                                 double scale)
{
    double *got = download(t);
    for (size_t i = 0; i < t->count; i++) {
        const double bound = type_tolerance(t->type) * (fabs(expected[i]) + scale);
        if (fabs(got[i] - expected[i]) <= bound || (isnan(got[i]) && isnan(expected[i])))
            continue;
        fprintf(stderr, "%s of type %d: element %zu is %.17g, not %.17g\n", what, t->type, i,
                got[i], expected[i]);
        failures++;
        break;
    }
    free(got);
}

/* A factor as calls on tensors of that type take it. */
union factor {
    float single;
    double wide;
};

static inline union factor factor_of(int type, double value)
{
    union factor made;
    if (type == DOUBLE)
        made.wide = value;
    else
        made.single = (float)value;
    return made;
}

#endif
