/* Graphs and captured streams of the driver API. */
#include "program.h"

struct kernel_node { /* CUDA_KERNEL_NODE_PARAMS */
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **parameters, **extra;
    void *kernel, *context;
};
struct fill_node { /* CUDA_MEMSET_NODE_PARAMS */
    uint64_t to;
    size_t pitch;
    unsigned value, value_bytes;
    size_t width, height;
};
struct host_node { /* CUDA_HOST_NODE_PARAMS */
    void (*function)(void *);
    void *data;
};
struct side { /* half of a CUDA_MEMCPY3D */
    size_t x, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_node {
    struct side from, to;
    size_t width, height, depth;
};
struct any_node { /* CUgraphNodeParams, of kernels, copies and conditional nodes */
    int kind, reserved[3];
    union {
        long long padding[29];
        struct kernel_node kernel;
        struct {
            int flags, reserved;
            void *context;
            struct copy_node copy;
        } copy;
        struct {
            unsigned long long handle;
            int type;
            unsigned count;
            void **bodies, *context;
        } condition;
    };
    long long more;
};
struct update_result { /* CUgraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes);
int cuMemAllocAsync(uint64_t *pointer, size_t bytes, void *stream);
int cuMemFreeAsync(uint64_t pointer, void *stream);
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamSynchronize(void *stream);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuStreamIsCapturing(void *stream, int *status);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuCtxSynchronize(void);
int cuEventQuery(void *event);
int cuEventElapsedTime(float *ms, void *start, void *end);
int cuEventCreate(void **event, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuGraphCreate(void **graph, unsigned flags);
int cuGraphDestroy(void *graph);
int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *from, size_t count,
                            const struct kernel_node *parameters);
int cuGraphKernelNodeGetParams_v2(void *node, struct kernel_node *parameters);
int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node,
                                      const struct kernel_node *parameters);
int cuGraphAddNode(void **node, void *graph, void *const *from, size_t count,
                   struct any_node *parameters);
int cuGraphAddNode_v2(void **node, void *graph, void *const *from, const void *data, size_t count,
                      struct any_node *parameters);
int cuGraphNodeSetParams(void *node, struct any_node *parameters);
int cuGraphExecNodeSetParams(void *executable, void *node, struct any_node *parameters);
int cuGraphConditionalHandleCreate(unsigned long long *handle, void *graph, void *context,
                                   unsigned initial, unsigned flags);
int cuGraphAddMemcpyNode(void **node, void *graph, void *const *from, size_t count,
                         const struct copy_node *parameters, void *context);
int cuGraphAddMemsetNode(void **node, void *graph, void *const *from, size_t count,
                         const struct fill_node *parameters, void *context);
int cuGraphAddHostNode(void **node, void *graph, void *const *from, size_t count,
                       const struct host_node *parameters);
int cuGraphAddChildGraphNode(void **node, void *graph, void *const *from, size_t count,
                             void *child);
int cuGraphAddEmptyNode(void **node, void *graph, void *const *from, size_t count);
int cuGraphGetNodes(void *graph, void **nodes, size_t *count);
int cuGraphGetEdges_v2(void *graph, void **from, void **to, void *data, size_t *count);
int cuGraphNodeGetType(void *node, int *type);
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cuGraphExecUpdate_v2(void *executable, void *graph, struct update_result *result);
int cuGraphNodeSetEnabled(void *executable, void *node, unsigned is_enabled);
int cuGraphLaunch(void *executable, void *stream);
int cuGraphExecDestroy(void *executable);

enum { COUNT = 32, BYTES = COUNT * 4 };

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry add(.param .u64 to, .param .u32 value)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [to];\nld.param.u32 %r1, [value];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd1, %rd1, %rd2;\n"
    "ld.global.u32 %r3, [%rd1];\nadd.u32 %r3, %r3, %r1;\nst.global.u32 [%rd1], %r3;\nret;\n}\n";

static void *function, *stream;
static uint64_t numbers;
static unsigned got[COUNT];
static int calls;

static void count_call(void *data)
{
    calls += *(const int *)data;
}

static void expect_all(unsigned value)
{
    unsigned wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += got[i] != value;
    EXPECT(wrong, 0);
    memset(got, 0, sizeof got);
}

static struct kernel_node make_kernel(unsigned *value, void *parameters[2])
{
    parameters[0] = &numbers;
    parameters[1] = value;
    return (struct kernel_node){
        .function = function, .grid = {1, 1, 1}, .block = {COUNT, 1, 1}, .parameters = parameters};
}

/* 10 into all, plus 3, to the host; then twice the call of a child graph. */
static void build(void)
{
    void *graph, *child, *fill, *kernel, *copy, *host, *call, *executable, *from[8], *to[8];
    void *parameters[2];
    unsigned value = 3;
    int two = 2, type = -1;
    size_t count = 8;
    struct fill_node ten = {numbers, 0, 10, 4, COUNT, 1};
    struct kernel_node add = make_kernel(&value, parameters);
    struct copy_node back = {.from = {.type = 2, .device = numbers, .pitch = BYTES, .height = 1},
                             .to = {.type = 1, .host = got, .pitch = BYTES, .height = 1},
                             .width = BYTES,
                             .height = 1,
                             .depth = 1};
    struct host_node tell = {count_call, &two};
    EXPECT(cuGraphCreate(&graph, 1), 1);
    EXPECT(cuGraphCreate(&graph, 0), 0);
    EXPECT(cuGraphCreate(&child, 0), 0);
    EXPECT(cuGraphAddHostNode(&host, child, NULL, 0, &tell), 0);
    EXPECT(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &ten, NULL), 0);
    EXPECT(cuGraphAddKernelNode_v2(&kernel, graph, &fill, 1, &add), 0);
    EXPECT(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &back, NULL), 0);
    EXPECT(cuGraphAddChildGraphNode(&call, graph, &copy, 1, child), 0);
    EXPECT(cuGraphAddEmptyNode(&host, graph, &call, 1), 0);
    EXPECT(cuGraphAddEmptyNode(&host, graph, &host, 1), 0);
    add.function = NULL;
    EXPECT(cuGraphAddKernelNode_v2(&host, graph, NULL, 0, &add), 400);
    ten.value_bytes = 3;
    EXPECT(cuGraphAddMemsetNode(&host, graph, NULL, 0, &ten, NULL), 1);
    EXPECT(cuGraphNodeGetType(call, &type), 0);
    EXPECT(type, 4);
    EXPECT(cuGraphGetEdges_v2(graph, from, to, NULL, &count), 0);
    EXPECT(count, 5);
    EXPECT(cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    EXPECT(cuStreamSynchronize(stream), 0);
    expect_all(13);
    EXPECT(calls, 2);

    unsigned five = 5;
    EXPECT(cuGraphKernelNodeGetParams_v2(kernel, &add), 0);
    EXPECT(add.function == function && add.block[0] == COUNT, 1);
    add = make_kernel(&five, parameters);
    EXPECT(cuGraphExecKernelNodeSetParams_v2(executable, kernel, &add), 0);
    EXPECT(cuGraphNodeSetEnabled(executable, call, 0), 1);
    EXPECT(cuGraphNodeSetEnabled(executable, fill, 0), 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    EXPECT(cuStreamSynchronize(stream), 0);
    expect_all(18);
    EXPECT(calls, 4);
    EXPECT(cuGraphExecDestroy(executable), 0);
    EXPECT(cuGraphDestroy(graph), 0);
}

static void capture_adding(unsigned value, void **graph)
{
    void *parameters[] = {&numbers, &value}, *side, *event, *joined;
    static int one = 1;
    int status = -1;
    EXPECT(cuStreamCreate(&side, 1), 0);
    EXPECT(cuEventCreate(&event, 2), 0);
    EXPECT(cuEventCreate(&joined, 2), 0);
    EXPECT(cuStreamBeginCapture_v2(stream, 0), 0);
    EXPECT(cuStreamIsCapturing(stream, &status), 0);
    EXPECT(status, 1);
    EXPECT(cuMemsetD32Async(numbers, 20, COUNT, stream), 0);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, stream, parameters, NULL), 0);
    EXPECT(cuEventRecord(event, stream), 0);
    EXPECT(cuStreamWaitEvent(side, event, 0), 0);
    EXPECT(cuMemcpyDtoHAsync_v2(got, numbers, BYTES, side), 0);
    EXPECT(cuLaunchHostFunc(side, count_call, &one), 0);
    EXPECT(cuEventRecord(joined, side), 0);
    EXPECT(cuStreamWaitEvent(stream, joined, 0), 0);
    EXPECT(cuStreamEndCapture(stream, graph), 0);
}

static void capture(void)
{
    void *graph, *other, *executable;
    struct update_result result = {-1, NULL, NULL};
    size_t count = 0;
    calls = 0;
    capture_adding(4, &graph);
    EXPECT(cuGraphGetNodes(graph, NULL, &count), 0);
    EXPECT(count, 4);
    EXPECT(calls, 0);
    EXPECT(cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    EXPECT(cuStreamSynchronize(stream), 0);
    expect_all(24);
    EXPECT(calls, 1);
    capture_adding(7, &other);
    EXPECT(cuGraphExecUpdate_v2(executable, other, &result), 0);
    EXPECT(result.result, 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    EXPECT(cuStreamSynchronize(stream), 0);
    expect_all(27);
    EXPECT(cuGraphDestroy(other), 0);
    EXPECT(cuGraphCreate(&other, 0), 0);
    EXPECT(cuGraphExecUpdate_v2(executable, other, &result), 910);
    EXPECT(result.result, 2);
}

enum { GLOBAL, THREAD_LOCAL, RELAXED };

/* Begins a capture, expects it to be whole or broken after a call, and ends it. */
static void expect_status(int status, int ended)
{
    void *graph = NULL;
    int found = -1;
    EXPECT(cuStreamIsCapturing(stream, &found), 0);
    EXPECT(found, status);
    EXPECT(cuStreamEndCapture(stream, &graph), ended);
    EXPECT((graph != NULL) == (ended == 0), 1);
}

#define IN_CAPTURE(mode, call, code, status, ended)         \
    do {                                                    \
        EXPECT(cuStreamBeginCapture_v2(stream, (mode)), 0); \
        EXPECT(call, code);                                 \
        expect_status(status, ended);                       \
    } while (0)

/* Calls that wait, or might: what an H200 answers. */
static void break_more(void)
{
    void *other, *event, *outer;
    uint64_t memory;
    float ms;
    EXPECT(cuStreamCreate(&other, 1), 0);
    EXPECT(cuEventCreate(&event, 0), 0);
    EXPECT(cuEventCreate(&outer, 0), 0);
    EXPECT(cuEventRecord(outer, other), 0);
    for (int mode = GLOBAL; mode <= RELAXED; mode++) {
        const int is_strict = mode != RELAXED;
        const int code = is_strict ? 900 : 0, status = is_strict ? 2 : 1,
                  ended = is_strict ? 901 : 0;
        IN_CAPTURE(mode, cuCtxSynchronize(), 900, 2, 901);
        IN_CAPTURE(mode, cuStreamSynchronize(stream), 900, 2, 901);
        IN_CAPTURE(mode, cuStreamSynchronize(other), code, status, ended);
        IN_CAPTURE(mode, cuMemAlloc_v2(&memory, 4), code, status, ended);
        IN_CAPTURE(mode, cuEventQuery(outer), code, status, ended);
        IN_CAPTURE(mode, cuEventRecord(event, stream) + cuEventQuery(event), 907, 2, 901);
        IN_CAPTURE(mode, cuEventRecord(event, stream) + cuEventElapsedTime(&ms, outer, event), 907,
                   1, 0);
        IN_CAPTURE(mode, cuStreamWaitEvent(stream, outer, 0), 905, 2, 901);
        /* a stream that is not joined */
        EXPECT(cuStreamBeginCapture_v2(stream, mode), 0);
        EXPECT(cuEventRecord(event, stream), 0);
        EXPECT(cuStreamWaitEvent(other, event, 0), 0);
        EXPECT(cuMemsetD32Async(numbers, 1, COUNT, other), 0);
        expect_status(1, 904);
        EXPECT(cuStreamBeginCapture_v2(stream, mode), 0);
        EXPECT(cuEventRecord(event, stream), 0);
        EXPECT(cuStreamWaitEvent(other, event, 0), 0);
        EXPECT(cuStreamEndCapture(other, &outer), 903);
        expect_status(2, 901);
        EXPECT(cuEventCreate(&outer, 0), 0);
        EXPECT(cuEventRecord(outer, other), 0);
    }
    int mode = RELAXED;
    EXPECT(cuThreadExchangeStreamCaptureMode(&mode), 0);
    EXPECT(mode, GLOBAL);
    IN_CAPTURE(THREAD_LOCAL, cuMemAlloc_v2(&memory, 4), 0, 1, 0);
    EXPECT(cuThreadExchangeStreamCaptureMode(&mode), 0);
    EXPECT(mode, RELAXED);
}

/* What cannot be captured, and what that does to the capture. */
static void break_capture(void)
{
    void *graph = stream;
    uint64_t memory = 0;
    EXPECT(cuStreamBeginCapture_v2(stream, 3), 1);
    EXPECT(cuStreamBeginCapture_v2(NULL, 0), 900);
    EXPECT(cuStreamEndCapture(stream, &graph), 401);
    EXPECT(cuStreamBeginCapture_v2(stream, 0), 0);
    EXPECT(cuStreamBeginCapture_v2(stream, 0), 401);
    EXPECT(cuStreamSynchronize(stream), 900);
    EXPECT(cuMemsetD32Async(numbers, 1, COUNT, stream), 901);
    EXPECT(cuStreamEndCapture(stream, &graph), 901);
    EXPECT(graph == NULL, 1);
    break_more();
    EXPECT(cuStreamBeginCapture_v2(stream, 0), 0);
    EXPECT(cuMemAllocAsync(&memory, BYTES, stream), 0);
    EXPECT(memory != 0, 1);
    EXPECT(cuMemFreeAsync(memory, stream), 0);
    EXPECT(cuStreamEndCapture(stream, &graph), 0);
    EXPECT(graph != NULL, 1);
}

/* Nodes of any kind: a kernel, a copy, and a body that runs as its condition begins true. */
static void add_any(void *context)
{
    void *graph, *executable, *nodes[3], *inner;
    unsigned long long handle = 0;
    unsigned value = 5;
    void *parameters[] = {&numbers, &value};
    struct any_node kernel = {
        .kind = 0, .kernel = {function, {1, 1, 1}, {COUNT, 1, 1}, 0, parameters, NULL, NULL, NULL}};
    struct any_node copy = {.kind = 1,
                            .copy.copy = {.from = {.type = 2, .device = numbers, .pitch = BYTES},
                                          .to = {.type = 1, .host = got, .pitch = BYTES},
                                          .width = BYTES,
                                          .height = 1,
                                          .depth = 1}};
    struct any_node other = {.kind = 8};
    EXPECT(cuMemsetD32Async(numbers, 0, COUNT, stream), 0);
    EXPECT(cuGraphCreate(&graph, 0), 0);
    EXPECT(cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1), 0);
    struct any_node condition = {.kind = 13, .condition = {handle, 0, 1, NULL, context}};
    EXPECT(cuGraphAddNode(&nodes[0], graph, NULL, 0, &kernel), 0);
    EXPECT(cuGraphAddNode_v2(&nodes[1], graph, nodes, NULL, 1, &condition), 0);
    EXPECT(cuGraphAddNode(&nodes[2], graph, nodes + 1, 1, &copy), 0);
    value = 100;
    EXPECT(cuGraphAddNode(&inner, condition.condition.bodies[0], NULL, 0, &kernel), 0);
    EXPECT(cuGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    expect_all(105);
    value = 1;
    EXPECT(cuGraphExecNodeSetParams(executable, inner, &kernel), 0);
    EXPECT(cuGraphLaunch(executable, stream), 0);
    expect_all(111);
    EXPECT(cuGraphNodeSetParams(nodes[0], &kernel), 0);
    EXPECT(cuGraphNodeSetParams(nodes[0], &copy), 1);
    EXPECT(cuGraphNodeSetParams(nodes[1], &condition), 801);
    EXPECT(cuGraphAddNode(&inner, graph, NULL, 0, NULL), 1);
    EXPECT(cuGraphAddNode(&inner, graph, NULL, 0, &other), 801);
    EXPECT(cuGraphExecDestroy(executable), 0);
    EXPECT(cuGraphDestroy(graph), 0);
}

int main(void)
{
    void *context, *module;
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuModuleLoadData(&module, ptx), 0);
    EXPECT(cuModuleGetFunction(&function, module, "add"), 0);
    EXPECT(cuMemAlloc_v2(&numbers, BYTES), 0);
    EXPECT(cuStreamCreate(&stream, 1), 0);
    build();
    capture();
    break_capture();
    add_any(context);
    return failures > 0;
}
