/* Graphs of the CUDA runtime API: captured from streams, built node by node, changed, replayed. */
#include "runtime.h"

struct kernel_parameters {
    const void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **parameters, **extra;
};
struct host_parameters {
    void (*function)(void *);
    void *data;
};
struct fill_parameters {
    void *to;
    size_t pitch;
    unsigned value, value_bytes;
    size_t width, height;
};
struct update_result {
    int result;
    void *node, *from;
};

struct node_parameters { /* of any node, and of kernels and conditional ones */
    int kind, reserved[3];
    union {
        long long padding[29];
        struct kernel_parameters kernel;
        struct {
            unsigned long long handle;
            int type;
            unsigned count;
            void **bodies;
        } condition;
    };
    long long more;
};

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphConditionalHandleCreate(unsigned long long *handle, void *graph, unsigned initial,
                                     unsigned flags);
int cudaGraphAddNode_v2(void **node, void *graph, void **after, const void *data, size_t count,
                        struct node_parameters *parameters);
int cudaGraphNodeSetParams(void *node, const struct node_parameters *parameters);
int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void **after, const void *data,
                                  size_t count, int mode);
int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id, void **graph,
                                void ***after, const void **data, size_t *count);
int cudaStreamUpdateCaptureDependencies_v2(void *stream, void **nodes, const void *data,
                                           size_t count, unsigned flags);
int cudaGraphClone(void **clone, void *graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphExecDestroy(void *executable);
int cudaGraphLaunch(void *executable, void *stream);
int cudaGraphExecUpdate(void *executable, void *graph, struct update_result *result);
int cudaGraphAddKernelNode(void **node, void *graph, void **after, size_t count,
                           const struct kernel_parameters *parameters);
int cudaGraphKernelNodeGetParams(void *node, struct kernel_parameters *parameters);
int cudaGraphExecKernelNodeSetParams(void *executable, void *node,
                                     const struct kernel_parameters *parameters);
int cudaGraphAddMemcpyNode1D(void **node, void *graph, void **after, size_t count, void *to,
                             const void *from, size_t bytes, int kind);
int cudaGraphAddMemsetNode(void **node, void *graph, void **after, size_t count,
                           const struct fill_parameters *parameters);
int cudaGraphAddHostNode(void **node, void *graph, void **after, size_t count,
                         const struct host_parameters *parameters);
int cudaGraphAddChildGraphNode(void **node, void *graph, void **after, size_t count, void *child);
int cudaGraphChildGraphNodeGetGraph(void *node, void **graph);
int cudaGraphAddEmptyNode(void **node, void *graph, void **after, size_t count);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *count);
int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count);
int cudaGraphNodeGetType(void *node, int *type);
int cudaGraphNodeSetEnabled(void *executable, void *node, unsigned is_enabled);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);

/* step: *word = *word * factor + addend; count_down: condition = *word -= step */
static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);\n"
    ".visible .entry count_down(.param .u64 word, .param .u64 handle, .param .u32 step)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [word];\n"
    "ld.param.u64 %rd2, [handle];\nld.param.u32 %r2, [step];\nld.global.u32 %r1, [%rd1];\n"
    "sub.s32 %r1, %r1, %r2;\nst.global.u32 [%rd1], %r1;\n"
    "{\n.param .b64 a;\n.param .b32 b;\nst.param.b64 [a], %rd2;\nst.param.b32 [b], %r1;\n"
    "call cudaGraphSetConditional, (a, b);\n}\nret;\n}\n"
    ".visible .entry step(.param .u64 word, .param .u32 factor, .param .u32 addend)\n{\n"
    ".reg .b32 %r<5>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [word];\n"
    "ld.param.u32 %r1, [factor];\nld.param.u32 %r2, [addend];\nld.global.u32 %r3, [%rd1];\n"
    "mad.lo.s32 %r4, %r3, %r1, %r2;\nst.global.u32 [%rd1], %r4;\nret;\n}\n";

static char step_stub, count_stub;
static const struct dim3 one = {1, 1, 1};
static uint32_t *word;
static void *stream, *other;

static uint32_t read_word(void)
{
    uint32_t got = 0;
    EXPECT(cudaMemcpy(&got, word, 4, DEVICE_TO_HOST), 0);
    return got;
}

static int step(void *on, uint32_t factor, uint32_t addend)
{
    void *args[] = {&word, &factor, &addend};
    return cudaLaunchKernel(&step_stub, one, one, args, 0, on);
}

static void add_100(void *data)
{
    *(uint32_t *)data += 100;
}

/* Captured work waits for the launch; a second stream joins through events. */
static void capture(void)
{
    void *graph, *executable, *fork, *joined;
    uint32_t seen = 0;
    int status;
    size_t count = 0;
    EXPECT(cudaEventCreate(&fork), 0);
    EXPECT(cudaEventCreate(&joined), 0);
    EXPECT(cudaMemset(word, 0, 4), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cudaStreamIsCapturing(stream, &status), 0);
    EXPECT(status, 1);
    EXPECT(step(stream, 1, 5), 0);
    EXPECT(cudaEventRecord(fork, stream), 0);
    EXPECT(cudaStreamWaitEvent(other, fork, 0), 0);
    EXPECT(step(other, 3, 0), 0);
    EXPECT(cudaEventRecord(joined, other), 0);
    EXPECT(cudaStreamWaitEvent(stream, joined, 0), 0);
    EXPECT(cudaMemcpyAsync(&seen, word, 4, DEVICE_TO_HOST, stream), 0);
    EXPECT(cudaLaunchHostFunc(stream, add_100, &seen), 0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(read_word() + seen, 0);
    EXPECT(cudaGraphGetNodes(graph, NULL, &count), 0);
    EXPECT(count, 4);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(seen, 115);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(read_word(), 60);
    EXPECT(step(other, 1, 1), 0); /* no longer captured */
    EXPECT(read_word(), 61);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphDestroy(graph), 1);
}

static void capture_wrongly(void)
{
    void *graph;
    EXPECT(cudaStreamBeginCapture(NULL, 0), 900);
    EXPECT(cudaStreamEndCapture(stream, &graph), 401);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 401);
    EXPECT(cudaStreamSynchronize(stream), 900);
    EXPECT(cudaStreamEndCapture(stream, &graph), 901);
    EXPECT(graph == NULL, 1);
    EXPECT(cudaStreamSynchronize(stream), 0);
}

static void build(void)
{
    void *graph, *child, *executable, *nodes[5], *all[8];
    uint32_t factor = 2, addend = 7, seen = 0;
    void *args[] = {&word, &factor, &addend};
    struct kernel_parameters kernel = {&step_stub, one, one, 0, args, NULL}, got;
    struct fill_parameters fill = {word, 0, 0x01010101, 4, 1, 1};
    struct host_parameters host = {add_100, &seen};
    struct update_result result;
    int type;
    size_t count = 8;
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphCreate(&child, 0), 0);
    EXPECT(cudaGraphAddHostNode(&nodes[4], child, NULL, 0, &host), 0);
    EXPECT(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill), 0);
    EXPECT(cudaGraphAddKernelNode(&nodes[1], graph, nodes, 1, &kernel), 0);
    EXPECT(cudaGraphAddMemcpyNode1D(&nodes[2], graph, nodes + 1, 1, &seen, word, 4, DEVICE_TO_HOST),
           0);
    EXPECT(cudaGraphAddChildGraphNode(&nodes[3], graph, nodes + 2, 1, child), 0);
    EXPECT(cudaGraphAddEmptyNode(&nodes[4], graph, &child, 1), 1); /* not a node of it */
    EXPECT(cudaGraphGetRootNodes(graph, all, &count), 0);
    EXPECT(count, 1);
    EXPECT(all[0] == nodes[0], 1);
    EXPECT(cudaGraphNodeGetType(nodes[3], &type), 0);
    EXPECT(type, 4);
    void *inner = NULL;
    size_t inner_count = 0;
    EXPECT(cudaGraphChildGraphNodeGetGraph(nodes[3], &inner), 0);
    EXPECT(inner != child, 1);
    EXPECT(cudaGraphGetRootNodes(inner, NULL, &inner_count), 0);
    EXPECT(inner_count, 1);
    EXPECT(cudaGraphDestroy(inner), 1); /* it is the node's */
    addend = 1000;                      /* copied when the node was added */
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cudaGraphLaunch(executable, NULL), 0);
    EXPECT(seen, 0x02020202 + 7 + 100);
    EXPECT(cudaGraphKernelNodeGetParams(nodes[1], &got), 0);
    EXPECT(*(uint32_t *)got.parameters[2], 7);
    EXPECT(cudaGraphExecKernelNodeSetParams(executable, nodes[1], &kernel), 0);
    EXPECT(cudaGraphNodeSetEnabled(executable, nodes[0], 0), 0);
    EXPECT(cudaMemset(word, 0, 4), 0);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(seen, 1100);
    EXPECT(cudaGraphExecUpdate(executable, graph, &result), 0);
    EXPECT(cudaMemset(word, 0, 4), 0);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(seen, 107);
    EXPECT(cudaGraphExecUpdate(executable, child, &result), 910);
    EXPECT(result.result, 2);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(cudaGraphDestroy(child), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
}

/* Memory of a graph is at one address in every launch, also where it is freed outside. */
static void allocate(void)
{
    void *graph, *executable, *memory;
    uint32_t seen[2] = {0};
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cudaMallocAsync(&memory, 4096, stream), 0);
    EXPECT(cudaMemsetAsync(memory, 1, 4096, stream), 0);
    EXPECT(cudaMemcpyAsync(seen, memory, 4, DEVICE_TO_HOST, stream), 0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    for (int i = 0; i < 3; i++) {
        EXPECT(cudaGraphLaunch(executable, stream), 0);
        EXPECT(cudaMemcpy(seen + 1, memory, 4, DEVICE_TO_HOST), 0);
        EXPECT(seen[0] + seen[1], 0x02020202);
        EXPECT(cudaFreeAsync(memory, stream), 0);
    }
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(cudaFree(memory), 1); /* it went with the graph */
}

enum { IF, WHILE, SWITCH };

/* A conditional node behind another, if any; gives its bodies. */
static void **add_condition(void *graph, void *after, int type, unsigned count,
                            unsigned long long handle, void **node)
{
    struct node_parameters parameters = {.kind = 13, .condition = {handle, type, count, NULL}};
    EXPECT(
        cudaGraphAddNode_v2(node, graph, after ? &after : NULL, NULL, after != NULL, &parameters),
        0);
    EXPECT(parameters.condition.bodies != NULL, 1);
    return parameters.condition.bodies;
}

static void *add_step(void *graph, void *after, uint32_t factor, uint32_t addend)
{
    void *args[] = {&word, &factor, &addend}, *node = NULL;
    struct kernel_parameters kernel = {&step_stub, one, one, 0, args, NULL};
    EXPECT(cudaGraphAddKernelNode(&node, graph, after ? &after : NULL, after != NULL, &kernel), 0);
    return node;
}

/* Subtracts from the word, and makes what is left the condition. */
static void *add_count(void *graph, void *after, unsigned long long handle, uint32_t step)
{
    void *args[] = {&word, &handle, &step}, *node = NULL;
    struct kernel_parameters kernel = {&count_stub, one, one, 0, args, NULL};
    EXPECT(cudaGraphAddKernelNode(&node, graph, after ? &after : NULL, after != NULL, &kernel), 0);
    return node;
}

static uint32_t launch_with(void *executable, int value)
{
    EXPECT(cudaMemset(word, 0, 4), 0);
    EXPECT(cudaMemset(word, value, 1), 0);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    return read_word();
}

/* One node of two graphs and one of three, by what a kernel before them found. */
static void choose(void)
{
    void *graph, *executable, *node, *again, **bodies;
    unsigned long long handle = 0;
    for (int type = IF; type <= SWITCH; type += SWITCH) {
        EXPECT(cudaGraphCreate(&graph, 0), 0);
        EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), 0);
        node = add_count(graph, NULL, handle, 0);
        bodies = add_condition(graph, node, type, type == IF ? 2 : 3, handle, &node);
        for (uint32_t i = 0; i < (type == IF ? 2 : 3); i++)
            add_step(bodies[i], add_step(bodies[i], NULL, 1, 1), 10, i);
        EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
        EXPECT(launch_with(executable, 0), type == IF ? 11 : 10);
        EXPECT(launch_with(executable, 1), type == IF ? 20 : 21);
        EXPECT(launch_with(executable, 2), type == IF ? 30 : 32);
        EXPECT(launch_with(executable, 3), type == IF ? 40 : 3);
        EXPECT(cudaGraphInstantiateWithFlags(&again, graph, 0), 801);
        EXPECT(cudaGraphDestroy(bodies[0]), 1);
        EXPECT(cudaGraphDestroy(graph), 0);
        EXPECT(launch_with(executable, 1), type == IF ? 20 : 21); /* its own */
        EXPECT(cudaGraphExecDestroy(executable), 0);
    }
}

/* A loop within a loop, whose nodes are captured, in a graph that is captured, too. */
static void repeat(void)
{
    void *graph, *executable, *node, **after, **bodies, **inner;
    unsigned long long outer_handle, handle;
    size_t count;
    int status;
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cudaStreamGetCaptureInfo_v3(stream, &status, NULL, &graph, &after, NULL, &count), 0);
    EXPECT(cudaGraphConditionalHandleCreate(&outer_handle, graph, 1, 1), 0);
    EXPECT(step(stream, 1, 2), 0);
    EXPECT(cudaStreamGetCaptureInfo_v3(stream, &status, NULL, &graph, &after, NULL, &count), 0);
    EXPECT(count, 1);
    bodies = add_condition(graph, after[0], WHILE, 1, outer_handle, &node);
    EXPECT(cudaStreamUpdateCaptureDependencies_v2(stream, &node, NULL, 1, 1), 0);
    EXPECT(step(stream, 1, 1000), 0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);

    EXPECT(cudaStreamBeginCaptureToGraph(other, bodies[0], NULL, NULL, 0, 0), 0);
    uint32_t by = 1;
    void *args[] = {&word, &outer_handle, &by};
    EXPECT(cudaLaunchKernel(&count_stub, one, one, args, 0, other), 0);
    EXPECT(cudaStreamEndCapture(other, NULL), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    for (int i = 0; i < 3; i++)
        EXPECT(launch_with(executable, 5 + i), 1000);
    EXPECT(cudaGraphExecDestroy(executable), 0);

    EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), 0);
    count = 1;
    EXPECT(cudaGraphGetNodes(bodies[0], &node, &count), 0);
    inner = add_condition(bodies[0], node, IF, 1, outer_handle, &node);
    add_step(inner[0], NULL, 1, 0);
    inner = add_condition(bodies[0], node, IF, 1, handle, &node); /* never */
    add_step(inner[0], NULL, 100, 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(launch_with(executable, 9), 1000);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
}

/* A graph of the same shape, which does something else, in place of one that is ready to run. */
static void update_condition(void)
{
    void *graphs[2], *executable, *node;
    unsigned long long handle;
    struct update_result result;
    for (uint32_t i = 0; i < 2; i++) {
        EXPECT(cudaGraphCreate(&graphs[i], 0), 0);
        EXPECT(cudaGraphConditionalHandleCreate(&handle, graphs[i], i, 1), 0);
        void **bodies = add_condition(graphs[i], NULL, IF, 2, handle, &node);
        add_step(bodies[0], NULL, 10, 7);
        add_step(bodies[1], NULL, 100, i);
    }
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graphs[0], 0), 0);
    EXPECT(launch_with(executable, 2), 200);
    EXPECT(cudaGraphExecUpdate(executable, graphs[1], &result), 0);
    EXPECT(cudaGraphDestroy(graphs[0]), 0);
    EXPECT(cudaGraphDestroy(graphs[1]), 0);
    EXPECT(launch_with(executable, 2), 27);
    EXPECT(cudaGraphExecDestroy(executable), 0);
}

static void choose_wrongly(void)
{
    void *graph, *parent, *copy, *node, **bodies;
    unsigned long long handle;
    int type = 0;
    struct host_parameters host = {add_100, NULL};
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphCreate(&parent, 0), 0);
    EXPECT(cudaGraphConditionalHandleCreate(NULL, graph, 0, 0), 1);
    EXPECT(cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0), 1);
    EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2), 1);
    EXPECT(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0), 0);
    struct node_parameters wrong[] = {{.kind = 13, .condition = {handle + 4, IF, 1, NULL}},
                                      {.kind = 13, .condition = {handle, IF, 3, NULL}},
                                      {.kind = 13, .condition = {handle, WHILE, 2, NULL}},
                                      {.kind = 13, .condition = {handle, SWITCH, 0, NULL}},
                                      {.kind = 13, .condition = {handle, 3, 1, NULL}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(cudaGraphAddNode_v2(&node, graph, NULL, NULL, 0, &wrong[i]), 1);
    bodies = add_condition(graph, NULL, IF, 1, handle, &node);
    EXPECT(cudaGraphNodeGetType(node, &type), 0);
    EXPECT(type, 13);
    wrong[1].condition.count = 1;
    EXPECT(cudaGraphNodeSetParams(node, &wrong[1]), 801);
    EXPECT(cudaGraphAddHostNode(&node, bodies[0], NULL, 0, &host), 801);
    EXPECT(cudaGraphClone(&copy, graph), 801);
    EXPECT(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, graph), 801);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphDestroy(parent), 0);
}

int main(void)
{
    struct fatbin_wrapper wrapper = make_fatbin(ptx);
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &step_stub, "step");
    register_kernel(handle, &count_stub, "count_down");
    __cudaRegisterFatBinaryEnd(handle);
    EXPECT(cudaMalloc((void **)&word, 4), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaStreamCreate(&other), 0);
    capture();
    capture_wrongly();
    build();
    allocate();
    choose();
    repeat();
    update_condition();
    choose_wrongly();
    __cudaUnregisterFatBinary(handle);
    free((void *)(uintptr_t)wrapper.data);
    return failures != 0;
}
