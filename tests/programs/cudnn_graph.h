/* What tests of cuDNN's graphs share: descriptors, tensors with elements on the host and on the
 * device, running of graphs. */
#ifndef CUDNN_GRAPH_H
#define CUDNN_GRAPH_H

#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnBackendCreateDescriptor(int type, void **made);
int cudnnBackendDestroyDescriptor(void *descriptor);
int cudnnBackendInitialize(void *descriptor);
int cudnnBackendFinalize(void *descriptor);
int cudnnBackendSetAttribute(void *descriptor, int name, int type, int64_t count,
                             const void *values);
int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                             void *values);
int cudnnBackendExecute(void *handle, void *plan, void *pack);

/* Statuses of cuDNN 9, types of attributes, types of descriptors, types of data. */
enum { NOT_INITIALIZED = 1001, BAD_PARAM = 2000, NOT_SUPPORTED = 3000 };
enum { NULL_POINTER = 2002, NOT_FINAL = 2004, WRONG_TYPE = 2010 };
enum {
    HANDLE = 0,
    DATA = 1,
    BOOLEAN = 2,
    INT64 = 3,
    FLOAT = 4,
    DOUBLE = 5,
    POINTER = 6,
    DESCRIPTOR = 15,
    INT32 = 23
};
enum {
    MODE_CONVOLUTION = 7,
    MODE_HEURISTICS = 8,
    NOTE = 11,
    MODE_POINTWISE = 14,
    MODE_REDUCTION = 18,
    BEHAVIOUR = 19
};
enum { FLOATS = 0, DOUBLES = 1, INTEGERS = 4, FP4 = 16 };
enum { FORWARD = 10, FILTER = 11, BACKWARD = 12 };
enum { MOST = 4096 };

static void *handle;
static double host[16][MOST]; /* a tensor's elements, by its id */
static void *device[16];
static int types[16], counts[16];

static inline double next_number(void)
{
    static uint32_t state = 4711;
    state = state * 1664525u + 1013904223u;
    return (double)((int)(state >> 20) - 2048) / 1024;
}

static inline void *make(int type)
{
    void *made = NULL;
    EXPECT(cudnnBackendCreateDescriptor(type, &made), 0);
    return made;
}

static inline void set(void *descriptor, int name, int type, int64_t count, const void *values)
{
    EXPECT(cudnnBackendSetAttribute(descriptor, name, type, count, values), 0);
}

static inline void set_number(void *descriptor, int name, int64_t value)
{
    set(descriptor, name, INT64, 1, &value);
}

static inline void set_enum(void *descriptor, int name, int type, int value)
{
    set(descriptor, name, type, 1, &value);
}

static inline void set_part(void *descriptor, int name, void *part)
{
    set(descriptor, name, DESCRIPTOR, 1, &part);
}

static inline void set_real(void *descriptor, int name, double value)
{
    set(descriptor, name, DOUBLE, 1, &value);
}

/* A tensor of that id, packed with the last dimension fastest, of numbers that are exact in single
 * precision. A virtual one has no data. */
static inline void *tensor_with(int id, int type, int rank, const int64_t *dims, bool is_virtual)
{
    void *made = make(17);
    int64_t strides[8], count = 1;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = count;
        count *= dims[i];
    }
    set_enum(made, 901, DATA, type);
    set(made, 902, INT64, rank, dims);
    set(made, 903, INT64, rank, strides);
    set_number(made, 906, id);
    set_number(made, 900, 16);
    const char flag = is_virtual;
    set(made, 907, BOOLEAN, 1, &flag);
    EXPECT(cudnnBackendFinalize(made), 0);
    types[id] = type;
    counts[id] = (int)count;
    return made;
}

static inline void upload(int id)
{
    float narrow[MOST];
    if (!device[id])
        EXPECT(cudaMalloc(&device[id], MOST * sizeof(double)), 0);
    for (int i = 0; i < counts[id]; i++)
        narrow[i] = (float)host[id][i];
    EXPECT(cudaMemcpy(device[id], types[id] == DOUBLES ? (void *)host[id] : (void *)narrow,
                      (size_t)counts[id] * (types[id] == DOUBLES ? 8 : 4), 1),
           0);
}

static inline void *tensor(int id, int type, int rank, const int64_t *dims)
{
    void *made = tensor_with(id, type, rank, dims, false);
    for (int i = 0; i < counts[id]; i++)
        host[id][i] = next_number();
    upload(id);
    return made;
}

static inline double got(int id, int at)
{
    float narrow;
    double wide;
    if (types[id] == DOUBLES)
        EXPECT(cudaMemcpy(&wide, (double *)device[id] + at, 8, 2), 0);
    else
        EXPECT(cudaMemcpy(&narrow, (float *)device[id] + at, 4, 2), 0);
    return types[id] == DOUBLES ? wide : (double)narrow;
}

static inline void expect_near(const char *what, int at, double is, double wanted, double tolerance)
{
    const bool is_same = is == wanted || (isnan(is) && isnan(wanted));
    if (!is_same && !(fabs(is - wanted) <= tolerance * (fabs(wanted) + 1))) {
        fprintf(stderr, "%s: element %d is %.17g, not %.17g\n", what, at, is, wanted);
        failures++;
    }
}

/* ---- graphs ---- */

static inline void *make_graph(int count, void **operations)
{
    void *graph = make(15);
    set(graph, 800, HANDLE, 1, &handle);
    for (int i = 0; i < count; i++)
        EXPECT(cudnnBackendFinalize(operations[i]), 0);
    set(graph, 801, DESCRIPTOR, count, operations);
    return graph;
}

/* A plan of what the heuristics give for a graph, all of whose parts are freed. */
static inline void *make_plan(void *graph)
{
    void *heuristics = make(4), *config = make(3), *plan = make(5);
    int64_t count = -1;
    set_part(heuristics, 201, graph);
    set_enum(heuristics, 200, MODE_HEURISTICS, 0);
    EXPECT(cudnnBackendFinalize(heuristics), 0);
    EXPECT(cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, 0, &count, NULL), 0);
    EXPECT(count, 1);
    EXPECT(cudnnBackendGetAttribute(heuristics, 202, DESCRIPTOR, 1, &count, &config), 0);
    set(plan, 400, HANDLE, 1, &handle);
    set_part(plan, 401, config);
    EXPECT(cudnnBackendFinalize(plan), 0);
    EXPECT(cudnnBackendDestroyDescriptor(graph), 0);
    EXPECT(cudnnBackendDestroyDescriptor(heuristics), 0);
    EXPECT(cudnnBackendDestroyDescriptor(config), 0);
    return plan;
}

static inline void *make_pack(int count, const int64_t *ids, void **pointers, void *workspace)
{
    void *pack = make(16);
    set(pack, 1000, INT64, count, ids);
    set(pack, 1001, POINTER, count, pointers);
    set(pack, 1003, POINTER, 1, &workspace);
    EXPECT(cudnnBackendFinalize(pack), 0);
    return pack;
}

/* Runs operations with the tensors' memory, after their descriptors are gone. */
static inline void run(int count, void **operations, int tensor_count, void **tensors)
{
    void *graph = make_graph(count, operations), *workspace = NULL;
    for (int i = 0; i < tensor_count; i++)
        EXPECT(cudnnBackendDestroyDescriptor(tensors[i]), 0);
    EXPECT(cudnnBackendFinalize(graph), 0);
    for (int i = 0; i < count; i++)
        EXPECT(cudnnBackendDestroyDescriptor(operations[i]), 0);
    void *plan = make_plan(graph);
    int64_t bytes = -1, ids[16];
    EXPECT(cudnnBackendGetAttribute(plan, 402, INT64, 1, NULL, &bytes), 0);
    if (bytes)
        EXPECT(cudaMalloc(&workspace, (size_t)bytes), 0);
    for (int i = 0; i < 16; i++)
        ids[i] = i;
    void *pack = make_pack(16, ids, device, workspace);
    EXPECT(cudnnBackendExecute(handle, plan, pack), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudnnBackendDestroyDescriptor(pack), 0);
    EXPECT(cudnnBackendDestroyDescriptor(plan), 0);
    cudaFree(workspace);
}

static inline void *pointwise(int mode)
{
    void *made = make(0);
    set_enum(made, 0, MODE_POINTWISE, mode);
    set_enum(made, 1, DATA, FLOATS);
    EXPECT(cudnnBackendFinalize(made), 0);
    return made;
}

static inline void *operation_of(void *mode, void *x, void *b, void *y)
{
    void *made = make(13);
    set_part(made, 750, mode);
    set_part(made, 751, x);
    if (b)
        set_part(made, 752, b);
    set_part(made, 753, y);
    return made;
}

#endif
