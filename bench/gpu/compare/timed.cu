// Kernels that the program times itself with CUDA events: alone, in four streams at a time, and in a graph, each in an
// NVTX range of its name. Prints "kernel,launches,microseconds each" as its events have it: a profiler must agree.
// usage: timed [LAUNCHES]. With -DWITH_MPI all ranks meet before each part.
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t result = (call);                                                 \
        if (result != cudaSuccess) {                                                 \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result));          \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

enum { STREAMS = 4, THREADS = 256 };

__device__ void work(float *numbers, int times)
{
    float x = numbers[threadIdx.x];
    for (int i = 0; i < times; i++)
        x = x * 1.0001f + 0.5f;
    numbers[threadIdx.x] = x;
}
__global__ void warm_up(float *numbers, int times) { work(numbers, times); }
__global__ void alone(float *numbers, int times) { work(numbers, times); }
__global__ void beside(float *numbers, int times) { work(numbers, times); }
__global__ void first_node(float *numbers, int times) { work(numbers, times); }
__global__ void second_node(float *numbers, int times) { work(numbers, 2 * times); }

static cudaEvent_t starts[STREAMS], ends[STREAMS];
static cudaStream_t streams[STREAMS];
static float *numbers[STREAMS];

static void begin(const char *name)
{
#ifdef WITH_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    nvtxRangePushA(name);
}

static double passed_us(int i)
{
    float ms = 0;
    CHECK(cudaEventSynchronize(ends[i]));
    CHECK(cudaEventElapsedTime(&ms, starts[i], ends[i]));
    return ms * 1000.0;
}

static void time_alone(int launches, int times)
{
    double us = 0;
    for (int i = 0; i < launches; i++) {
        CHECK(cudaEventRecord(starts[0], streams[0]));
        alone<<<1, THREADS, 0, streams[0]>>>(numbers[0], times);
        CHECK(cudaEventRecord(ends[0], streams[0]));
        us += passed_us(0);
    }
    printf("alone,%d,%.3f\n", launches, us / launches);
}

static void time_beside(int launches, int times)
{
    double us = 0;
    for (int i = 0; i < launches / STREAMS; i++) {
        for (int s = 0; s < STREAMS; s++) {
            CHECK(cudaEventRecord(starts[s], streams[s]));
            beside<<<1, THREADS, 0, streams[s]>>>(numbers[s], times);
            CHECK(cudaEventRecord(ends[s], streams[s]));
        }
        for (int s = 0; s < STREAMS; s++)
            us += passed_us(s);
    }
    printf("beside,%d,%.3f\n", launches / STREAMS * STREAMS, us / (launches / STREAMS * STREAMS));
}

/* Two nodes, one behind the other. */
static void time_graph(int launches, int times)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    double us = 0;
    CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    first_node<<<1, THREADS, 0, streams[0]>>>(numbers[0], times);
    second_node<<<1, THREADS, 0, streams[0]>>>(numbers[0], times);
    CHECK(cudaStreamEndCapture(streams[0], &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < launches; i++) {
        CHECK(cudaEventRecord(starts[0], streams[0]));
        CHECK(cudaGraphLaunch(executable, streams[0]));
        CHECK(cudaEventRecord(ends[0], streams[0]));
        us += passed_us(0);
    }
    printf("first_node+second_node,%d,%.3f\n", launches, us / launches);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

int main(int count, char **words)
{
    int launches = count > 1 ? atoi(words[1]) : 40, times = 1000000; /* some 2 ms: events and gaps are microseconds */
#ifdef WITH_MPI
    MPI_Init(&count, &words);
#endif
    for (int i = 0; i < STREAMS; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&starts[i]));
        CHECK(cudaEventCreate(&ends[i]));
        CHECK(cudaMalloc(&numbers[i], THREADS * sizeof(float)));
        CHECK(cudaMemset(numbers[i], 0, THREADS * sizeof(float)));
    }
    for (int i = 0; i < STREAMS; i++) /* wakes the clocks */
        warm_up<<<1, THREADS, 0, streams[i]>>>(numbers[i], 10 * times);
    CHECK(cudaDeviceSynchronize());
    /* the code of a kernel is loaded when it is first wanted: not while it is timed */
    const void *kernels[] = {(const void *)alone, (const void *)beside, (const void *)first_node,
                             (const void *)second_node};
    for (const void *kernel : kernels) {
        cudaFuncAttributes attributes;
        CHECK(cudaFuncGetAttributes(&attributes, kernel));
    }
    begin("alone");
    time_alone(launches, times);
    nvtxRangePop();
    begin("beside");
    time_beside(launches, times);
    nvtxRangePop();
    begin("graph");
    time_graph(launches, times);
    nvtxRangePop();
    CHECK(cudaDeviceSynchronize());
#ifdef WITH_MPI
    MPI_Finalize();
#endif
}
