// Ranges for --replay-mode range and app-range, between cudaProfilerStart and cudaProfilerStop and as NVTX ranges: launches
// on two streams; launches of a graph, and a copy. Behind them a graph that is launched often, and a cooperative kernel.
#include <cstdio>

#include <cooperative_groups.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

enum { count = 1 << 20, threads = 256, blocks = count / threads };

__global__ void scale(float *values, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] = values[i] * factor + 1;
}

__global__ void add(float *values, const float *others)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] += others[i];
}

__global__ void together(float *values)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i] += 1;
    cooperative_groups::this_grid().sync();
    values[i] += values[(i + 128) % 8192];
}

static cudaGraphExec_t make_graph(float *values, cudaStream_t stream)
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 4; i++)
        scale<<<blocks, threads, 0, stream>>>(values, 0.5f);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    return made;
}

static void begin(const char *name)
{
    cudaProfilerStart();
    nvtxRangePushA(name);
}

static void end()
{
    cudaDeviceSynchronize();
    nvtxRangePop();
    cudaProfilerStop();
}

int main()
{
    float *a, *b, number = 3, result[4];
    cudaStream_t first, second;
    cudaMalloc(&a, count * sizeof *a);
    cudaMalloc(&b, count * sizeof *b);
    cudaMemset(a, 0, count * sizeof *a);
    cudaMemset(b, 0, count * sizeof *b);
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    scale<<<blocks, threads>>>(a, 2);
    cudaDeviceSynchronize();
    begin("step");
    for (int i = 0; i < 3; i++) {
        scale<<<blocks, threads, 0, first>>>(a, 2);
        add<<<blocks, threads, 0, second>>>(b, b);
    }
    end();
    cudaGraphExec_t graph = make_graph(a, first);
    begin("graphs");
    for (int i = 0; i < 2; i++)
        cudaGraphLaunch(graph, first);
    cudaMemcpy(b, &number, sizeof number, cudaMemcpyHostToDevice);
    end();
    for (int i = 0; i < 12; i++)
        cudaGraphLaunch(graph, first);
    void *arguments[] = {&a};
    cudaLaunchCooperativeKernel((void *)together, dim3(64), dim3(128), arguments, 0, first);
    cudaDeviceSynchronize();
    cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g %g %s\n", result[0], result[1], cudaGetErrorString(cudaGetLastError()));
}
