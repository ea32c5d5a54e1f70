// Calls of CUDA that answer errors, and copies of what nobody wrote; one case for each argument.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void fill(int *a, int n)
{
    if (threadIdx.x < n)
        a[threadIdx.x] = threadIdx.x;
}

struct Padded {
    char tag;
    double value; // seven bytes before it are nobody's
};

__global__ void fill_padded(Padded *a)
{
    a[threadIdx.x].tag = 1;
    a[threadIdx.x].value = threadIdx.x;
}

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

static void driver(const char *name)
{
    CUcontext context;
    CUdevice device;
    CUdeviceptr memory;
    CUmodule module;
    CUfunction function;
    char host[64] = "";
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuMemAlloc(&memory, 32);
    cuModuleLoadData(&module, ptx);
    if (strcmp(name, "driver-copy") == 0)
        cuMemcpyHtoD(memory, host, sizeof host);
    if (strcmp(name, "driver-free") == 0)
        cuMemFree(memory + 4);
    if (strcmp(name, "driver-function") == 0)
        cuModuleGetFunction(&function, module, "something");
    if (strcmp(name, "driver-launch") == 0 &&
        cuModuleGetFunction(&function, module, "nothing") == CUDA_SUCCESS)
        cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL);
}

static int copy_cases(const char *name)
{
    int *a, *b, host[64];
    Padded *padded, structures[32];
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&padded, sizeof structures);
    if (strcmp(name, "copy-some") == 0)
        fill<<<1, 64>>>(a, 48);
    if (strcmp(name, "copy-all") == 0)
        fill<<<1, 64>>>(a, 64);
    if (strcmp(name, "copy-of-copy") == 0)
        cudaMemcpy(a, b, sizeof host, cudaMemcpyDeviceToDevice);
    if (strcmp(name, "copy-padded") == 0) {
        fill_padded<<<1, 32>>>(padded);
        return cudaMemcpy(structures, padded, sizeof structures, cudaMemcpyDeviceToHost);
    }
    for (int i = 0; i < 3; i++)
        cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    return 0;
}

static int many()
{
    for (int i = 0; i < 10005; i++)
        cudaSetDevice(77);
    return 0;
}

static void expected()
{
    cudaEvent_t event;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    fill<<<1, 32, 0, stream>>>((int *)(1ull << 40), 32);
    cudaStreamSynchronize(stream);
    cudaGetLastError();
    cudaFree(NULL);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "";
    if (strncmp(name, "driver", 6) == 0)
        driver(name);
    else if (strncmp(name, "copy", 4) == 0)
        copy_cases(name);
    else if (strcmp(name, "many") == 0)
        many();
    else if (strcmp(name, "expected") == 0)
        expected();
    else if (strcmp(name, "once") == 0)
        cudaSetDevice(77);
    return 0;
}
