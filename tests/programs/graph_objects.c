/* Graphs of both APIs: drawn as text, objects that they keep alive, attributes of kernel nodes. */
#include "runtime.h"

struct kernel_parameters {
    const void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **parameters, **extra;
};
union value { /* of an attribute */
    unsigned numbers[16];
    int number;
};

#define GRAPH_CALLS(api)                                                                          \
    int api##GraphDebugDotPrint(void *graph, const char *path, unsigned flags);                   \
    int api##UserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned count, \
                              unsigned flags);                                                    \
    int api##UserObjectRetain(void *object, unsigned count);                                      \
    int api##UserObjectRelease(void *object, unsigned count);                                     \
    int api##GraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags);    \
    int api##GraphReleaseUserObject(void *graph, void *object, unsigned count);                   \
    int api##GraphKernelNodeGetAttribute(void *node, int attribute, union value *value);          \
    int api##GraphKernelNodeSetAttribute(void *node, int attribute, const union value *value);    \
    int api##GraphKernelNodeCopyAttributes(void *to, void *from);
GRAPH_CALLS(cuda)
GRAPH_CALLS(cu)
int cuStreamWaitValue32_v2(void *stream, uint64_t address, uint32_t value, unsigned flags);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphClone(void **clone, void *graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphDestroyNode(void *node);
int cudaGraphExecUpdate(void *executable, void *graph, void *result);
int cudaGraphExecDestroy(void *executable);
int cudaGraphLaunch(void *executable, void *stream);
int cudaGraphAddKernelNode(void **node, void *graph, void **after, size_t count,
                           const struct kernel_parameters *parameters);
int cudaGraphKernelNodeSetParams(void *node, const struct kernel_parameters *parameters);
int cudaGraphExecKernelNodeSetParams(void *executable, void *node,
                                     const struct kernel_parameters *parameters);
int cudaGraphAddMemcpyNode1D(void **node, void *graph, void **after, size_t count, void *to,
                             const void *from, size_t bytes, int kind);
int cudaGraphAddEmptyNode(void **node, void *graph, void **after, size_t count);
int cudaGraphAddChildGraphNode(void **node, void *graph, void **after, size_t count, void *child);

/* Stores the number of blocks of the cluster it runs in. */
static const char ptx[] =
    ".version 7.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry clusters(.param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %cluster_nctaid.x;\nst.global.u32 [%rd1], %r1;\n"
    "ret;\n}\n";
static char stub;
static uint32_t *word;

static void add_kernel(void **node, void *graph, unsigned blocks)
{
    void *arguments[] = {&word};
    struct kernel_parameters parameters = {
        .function = &stub, .grid = {blocks, 1, 1}, .block = {1, 1, 1}, .parameters = arguments};
    EXPECT(cudaGraphAddKernelNode(node, graph, NULL, 0, &parameters), 0);
}

/* ---- drawn as text ---- */

static const char *read_file(const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

static void draw(void)
{
    static char path[] = "/tmp/warplens-dot-XXXXXX";
    void *graph, *child, *kernel, *copy, *empty, *inner;
    uint32_t host;
    const int file = mkstemp(path);
    EXPECT(file >= 0 && !close(file), 1);
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphCreate(&child, 0), 0);
    EXPECT(cudaGraphAddEmptyNode(&empty, child, NULL, 0), 0);
    add_kernel(&kernel, graph, 6);
    EXPECT(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &host, word, 4, DEVICE_TO_HOST), 0);
    EXPECT(cudaGraphAddChildGraphNode(&inner, graph, &copy, 1, child), 0);
    EXPECT(cudaGraphDebugDotPrint(graph, path, 0), 0);
    const char *text = read_file(path);
    EXPECT(strncmp(text, "digraph ", 8), 0);
    EXPECT(count_of(text, "{"), 3);
    EXPECT(count_of(text, "}"), 3);
    EXPECT(count_of(text, " -> "), 2);
    EXPECT(count_of(text, "shape="), 4);
    EXPECT(count_of(text, "\"") % 2, 0);
    EXPECT(count_of(text, "clusters"), 1);
    EXPECT(count_of(text, "grid 6 1 1"), 0);
    EXPECT(cuGraphDebugDotPrint(graph, path, 1), 0);
    text = read_file(path);
    EXPECT(count_of(text, "grid 6 1 1"), 1);
    EXPECT(count_of(text, "width 4 bytes"), 1);
    EXPECT(cudaGraphDebugDotPrint(graph, path, 1 << 3), 0);
    text = read_file(path);
    EXPECT(count_of(text, "grid 6 1 1"), 0);
    EXPECT(count_of(text, "width 4 bytes"), 1);
    EXPECT(cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0), 304);
    EXPECT(cudaGraphDebugDotPrint(graph, NULL, 0), 1);
    EXPECT(cudaGraphDebugDotPrint(NULL, path, 0), 1);
    EXPECT(unlink(path), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphDestroy(child), 0);
}

/* ---- objects ---- */

static void count(void *data)
{
    ++*(int *)data;
}

#define KEEP_ALIVE(api)                                                     \
    static void keep_alive_##api(void)                                      \
    {                                                                       \
        void *graph, *clone, *executable, *object, *node;                   \
        int destroyed = 0;                                                  \
        EXPECT(api##UserObjectCreate(&object, &destroyed, count, 1, 0), 1); \
        EXPECT(api##UserObjectCreate(&object, &destroyed, count, 0, 1), 1); \
        EXPECT(api##UserObjectCreate(&object, &destroyed, NULL, 1, 1), 1);  \
        EXPECT(api##UserObjectCreate(NULL, &destroyed, count, 1, 1), 1);    \
        EXPECT(api##UserObjectCreate(&object, &destroyed, count, 1, 1), 0); \
        EXPECT(api##UserObjectRetain(object, 2), 0);                        \
        EXPECT(api##UserObjectRelease(object, 2), 0);                       \
        EXPECT(api##UserObjectRetain(object, 0), 1);                        \
        EXPECT(api##UserObjectRetain(NULL, 1), 1);                          \
        EXPECT(api##UserObjectRetain(object, 1u << 31), 1);                 \
        EXPECT(api##UserObjectRelease(object, 2), 1);                       \
        EXPECT(cudaGraphCreate(&graph, 0), 0);                              \
        add_kernel(&node, graph, 1);                                        \
        EXPECT(api##GraphRetainUserObject(graph, object, 1, 2), 1);         \
        EXPECT(api##GraphRetainUserObject(NULL, object, 1, 0), 1);          \
        EXPECT(api##GraphReleaseUserObject(graph, object, 1), 1);           \
        EXPECT(api##GraphRetainUserObject(graph, object, 2, 0), 0);         \
        EXPECT(api##GraphReleaseUserObject(graph, object, 1), 0);           \
        EXPECT(api##UserObjectRelease(object, 2), 1); /* a graph's */       \
        EXPECT(api##GraphRetainUserObject(graph, object, 2, 1), 1);         \
        EXPECT(api##GraphRetainUserObject(graph, object, 1, 1), 0);         \
        EXPECT(cudaGraphClone(&clone, graph), 0);                           \
        EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);    \
        EXPECT(cudaGraphDestroy(graph), 0);                                 \
        EXPECT(cudaGraphLaunch(executable, NULL), 0);                       \
        EXPECT(cudaDeviceSynchronize(), 0);                                 \
        EXPECT(cudaGraphDestroy(clone), 0);                                 \
        EXPECT(destroyed, 0);                                               \
        EXPECT(cudaGraphExecDestroy(executable), 0);                        \
        EXPECT(destroyed, 1);                                               \
        EXPECT(api##UserObjectRetain(object, 1), 1);                        \
    }
KEEP_ALIVE(cuda)
KEEP_ALIVE(cu)

/* An update takes the objects of the new graph, of child graphs too, and leaves the former ones. */
static void update(void)
{
    void *children[2], *graphs[2], *node, *executable, *result[3];
    int destroyed[2][2] = {{0}}; /* of children, of graphs */
    for (int i = 0; i < 2; i++) {
        void *objects[2];
        EXPECT(cudaGraphCreate(&children[i], 0), 0);
        EXPECT(cudaGraphCreate(&graphs[i], 0), 0);
        add_kernel(&node, children[i], 1);
        for (int k = 0; k < 2; k++) {
            EXPECT(cudaUserObjectCreate(&objects[k], &destroyed[i][k], count, 1, 1), 0);
            EXPECT(cudaGraphRetainUserObject(k ? graphs[i] : children[i], objects[k], 1, 1), 0);
        }
        EXPECT(cudaGraphAddChildGraphNode(&node, graphs[i], NULL, 0, children[i]), 0);
        EXPECT(cudaGraphDestroy(children[i]), 0);
    }
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graphs[0], 0), 0);
    EXPECT(cudaGraphDestroy(graphs[0]), 0);
    EXPECT(destroyed[0][0] || destroyed[0][1], 0);
    EXPECT(cudaGraphExecUpdate(executable, graphs[1], result), 0);
    EXPECT(destroyed[0][0], 1);
    EXPECT(destroyed[0][1], 1);
    EXPECT(cudaGraphDestroy(graphs[1]), 0);
    EXPECT(destroyed[1][0] || destroyed[1][1], 0);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(destroyed[1][0], 1);
    EXPECT(destroyed[1][1], 1);
}

/* A graph that waits for its turn holds its objects until it has run. */
static void destroy_while_waiting(void)
{
    void *graph, *node, *executable, *object, *stream;
    volatile uint32_t *flag;
    volatile int destroyed = 0;
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaMallocManaged((void **)&flag, 4, 1), 0);
    *flag = 0;
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    add_kernel(&node, graph, 1);
    EXPECT(cudaUserObjectCreate(&object, (void *)(uintptr_t)&destroyed, count, 1, 1), 0);
    EXPECT(cudaGraphRetainUserObject(graph, object, 1, 1), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(cuStreamWaitValue32_v2(stream, (uint64_t)(uintptr_t)flag, 1, 0), 0);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaGraphExecDestroy(executable), 0);
    EXPECT(destroyed, 0);
    *flag = 1;
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(destroyed, 1);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaFree((void *)(uintptr_t)flag), 0);
}

/* ---- attributes ---- */

enum { WINDOW = 1, COOPERATIVE = 2, SYNC_POLICY = 3, CLUSTER = 4, PRIORITY = 8 };

static unsigned run(void *executable)
{
    uint32_t got = 0;
    EXPECT(cudaGraphLaunch(executable, NULL), 0);
    EXPECT(cudaMemcpy(&got, word, 4, DEVICE_TO_HOST), 0);
    return got;
}

#define SET_ATTRIBUTES(api)                                                                     \
    static void set_attributes_##api(void)                                                      \
    {                                                                                           \
        void *graph, *first, *second, *third, *fourth, *empty, *executable,                     \
            *arguments[] = {&word};                                                             \
        struct kernel_parameters parameters = {                                                 \
            .function = &stub, .grid = {8, 1, 1}, .block = {1, 1, 1}, .parameters = arguments}; \
        union value value, two = {.numbers = {2, 1, 1}}, priority = {.number = -2};             \
        EXPECT(cudaGraphCreate(&graph, 0), 0);                                                  \
        add_kernel(&first, graph, 4);                                                           \
        add_kernel(&second, graph, 4);                                                          \
        add_kernel(&fourth, graph, 4);                                                          \
        EXPECT(cudaGraphAddEmptyNode(&empty, graph, NULL, 0), 0);                               \
        EXPECT(api##GraphKernelNodeGetAttribute(first, CLUSTER, &value), 0);                    \
        EXPECT(value.numbers[0], 0);                                                            \
        EXPECT(api##GraphKernelNodeSetAttribute(first, CLUSTER, &two), 0);                      \
        EXPECT(api##GraphKernelNodeSetAttribute(first, PRIORITY, &priority), 0);                \
        EXPECT(api##GraphKernelNodeSetAttribute(first, SYNC_POLICY, &two), 1);                  \
        EXPECT(api##GraphKernelNodeSetAttribute(first, CLUSTER, NULL), 1);                      \
        EXPECT(api##GraphKernelNodeSetAttribute(empty, PRIORITY, &priority), 1);                \
        EXPECT(api##GraphKernelNodeGetAttribute(empty, PRIORITY, &value), 1);                   \
        EXPECT(api##GraphKernelNodeCopyAttributes(second, empty), 1);                           \
        EXPECT(api##GraphKernelNodeCopyAttributes(second, first), 0);                           \
        EXPECT(cudaGraphKernelNodeSetParams(second, &parameters), 0);                           \
        EXPECT(api##GraphKernelNodeGetAttribute(second, CLUSTER, &value), 0);                   \
        EXPECT(value.numbers[0] == 2 && value.numbers[2] == 1, 1);                              \
        EXPECT(api##GraphKernelNodeGetAttribute(second, PRIORITY, &value), 0);                  \
        EXPECT(value.number, -2);                                                               \
        add_kernel(&third, graph, 4);                                                           \
        EXPECT(api##GraphKernelNodeCopyAttributes(third, first), 0);                            \
        EXPECT(api##GraphKernelNodeCopyAttributes(third, fourth), 0);                           \
        EXPECT(api##GraphKernelNodeGetAttribute(third, PRIORITY, &value), 0);                   \
        EXPECT(value.number, 0);                                                                \
        EXPECT(cudaGraphDestroyNode(third), 0);                                                 \
        EXPECT(cudaGraphDestroyNode(fourth), 0);                                                \
        EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);                        \
        EXPECT(run(executable), 2);                                                             \
        EXPECT(cudaGraphExecKernelNodeSetParams(executable, second, &parameters), 0);           \
        EXPECT(run(executable), 2);                                                             \
        EXPECT(cudaGraphExecDestroy(executable), 0);                                            \
        EXPECT(cudaGraphDestroy(graph), 0);                                                     \
    }
SET_ATTRIBUTES(cuda)
SET_ATTRIBUTES(cu)

int main(void)
{
    struct fatbin_wrapper wrapper = make_fatbin(ptx);
    void **module = __cudaRegisterFatBinary(&wrapper);
    register_kernel(module, &stub, "clusters");
    __cudaRegisterFatBinaryEnd(module);
    EXPECT(cudaMalloc((void **)&word, 4), 0);
    draw();
    keep_alive_cuda();
    keep_alive_cu();
    update();
    destroy_while_waiting();
    set_attributes_cuda();
    set_attributes_cu();
    return failures != 0;
}
