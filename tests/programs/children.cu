// Kernels that launch kernels: a sort that divides itself, with streams, a copy and a tail launch.
#include <cstdio>

__global__ void count(const int *numbers, int n, int *inversions)
{
    for (int i = threadIdx.x; i + 1 < n; i += blockDim.x)
        if (numbers[i] > numbers[i + 1])
            atomicAdd(inversions, 1);
}

__global__ void sort(int *numbers, int left, int right, int *launches)
{
    const int pivot = numbers[(left + right) / 2];
    int i = left, j = right;
    atomicAdd(launches, 1);
    while (i <= j) {
        while (numbers[i] < pivot)
            i++;
        while (numbers[j] > pivot)
            j--;
        if (i <= j) {
            const int kept = numbers[i];
            numbers[i++] = numbers[j];
            numbers[j--] = kept;
        }
    }
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return;
    if (left < j)
        sort<<<1, 1, 0, stream>>>(numbers, left, j, launches);
    if (i < right)
        sort<<<1, 1, 0, stream>>>(numbers, i, right, launches);
    cudaStreamDestroy(stream);
}

__global__ void begin(int *numbers, int *copy, int n, int *launches, int *inversions)
{
    sort<<<1, 1, 0, cudaStreamFireAndForget>>>(numbers, 0, n - 1, launches);
    cudaMemsetAsync(inversions, 0, sizeof *inversions, 0);
    count<<<1, 32, 0, cudaStreamTailLaunch>>>(numbers, n, inversions);
    cudaMemcpyAsync(copy, numbers, n * sizeof *numbers, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
    if (cudaGetLastError() != cudaSuccess || cudaPeekAtLastError() != cudaSuccess)
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}

/* The rest of what kernels may ask of the runtime; how many answers are wrong. */
__global__ void ask(int *wrong)
{
    int device = -1, count = -1, *memory = nullptr;
    cudaEvent_t event;
    *wrong += cudaGetDevice(&device) != cudaSuccess || device != 0;
    *wrong += cudaGetDeviceCount(&count) != cudaSuccess || count != 1;
    *wrong += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
    *wrong += cudaEventRecord(event, 0) != cudaSuccess || cudaStreamWaitEvent(0, event, 0) != cudaSuccess;
    *wrong += cudaEventDestroy(event) != cudaSuccess;
    *wrong += cudaMalloc((void **)&memory, 64) != cudaSuccess || !memory;
    memory[15] = 7;
    *wrong += memory[15] != 7 || cudaFree(memory) != cudaSuccess;
    *wrong += cudaMalloc((void **)&memory, size_t(1) << 40) != cudaErrorMemoryAllocation;
    const char *none = cudaGetErrorString(cudaSuccess), *some = cudaGetErrorString(cudaErrorMemoryAllocation);
    *wrong += none[0] != 'n' || some[0] == 'n';
}

int main(void)
{
    enum { N = 200 };
    int *numbers, *copy, *told;
    cudaMallocManaged(&numbers, N * sizeof *numbers);
    cudaMallocManaged(&copy, N * sizeof *copy);
    cudaMallocManaged(&told, 2 * sizeof *told);
    for (int i = 0; i < N; i++)
        numbers[i] = i * 7919 % 1009;
    told[0] = 0;
    told[1] = -1;
    begin<<<1, 1>>>(numbers, copy, N, told, told + 1);
    int wrong = cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < N; i++)
        wrong += copy[i] != numbers[i] || (i && copy[i - 1] > copy[i]);
    wrong += told[0] <= 50;
    told[0] = 0;
    ask<<<1, 1>>>(told);
    wrong += cudaDeviceSynchronize() != cudaSuccess || told[0] != 0;
    printf("%s: %d inversions\n", wrong ? "wrong" : "ok", told[1]);
    return wrong;
}
