// Texts of kernels that go wrong, one for each argument.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);

// what a terminal would obey must not reach it
__global__ void escape()
{
    __assertfail("\033[31mred\a", "\033]0;title.cu", 3, "", 1);
}

__global__ void print(const char *text)
{
    int taken = printf("<%s> %d\n", text, 7);
    printf("%d\n", taken);
}

__global__ void print_all()
{
    printf("%d|%5.2f|%-6s|%c|%llx|%lu|%n|%z\n", -1, 1.5, "ab", 'c', 1ull << 40, 2ul);
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    char *text = NULL;
    cudaMalloc(&text, 256);
    cudaMemset(text, 'x', 256);
    if (!strcmp(what, "escape"))
        escape<<<1, 1>>>();
    else if (!strcmp(what, "endless"))
        print<<<1, 1>>>(text + 200);
    else if (!strcmp(what, "host"))
        print<<<1, 1>>>((const char *)0x7f0000000000); // where libraries of the host lie
    else if (!strcmp(what, "none"))
        print<<<1, 1>>>(NULL);
    else
        print_all<<<1, 1>>>();
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s\n", (int)error, cudaGetErrorName(error));
    cudaFree(text);
    return 0;
}
