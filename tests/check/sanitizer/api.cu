// Wrong: calls of the API, and memory that is never freed. What memcheck is to find.
#include "cases.cuh"

__global__ void nothing()
{
}
__global__ void needs_shared(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];
}

static void copy_too_much()
{
    static char host[4096];
    cudaMemcpy(device<char>(1024), host, 4096, cudaMemcpyHostToDevice); // wrong: copy_too_much
}
static void copy_wrong_way()
{
    static char host[64];
    cudaMemcpy(host, device<char>(64), 64, cudaMemcpyHostToDevice); // wrong: copy_wrong_way
}
static void set_too_much()
{
    cudaMemset(device<char>(1024), 0, 5000); // wrong: set_too_much
}
static void free_twice()
{
    char *a = device<char>(64);
    cudaFree(a);
    cudaFree(a); // wrong: free_twice
}
static void free_inside()
{
    cudaFree(device<char>(64) + 4); // wrong: free_inside
}
static void free_of_host()
{
    static char host[64];
    cudaFree(host); // wrong: free_of_host
}
static void bad_stream()
{
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    cudaStreamSynchronize((cudaStream_t)0x1234560); // wrong: bad_stream
}
static void too_many_threads()
{
    nothing<<<1, 2048>>>(); // wrong: too_many_threads
}
static void no_threads()
{
    nothing<<<0, 32>>>(); // wrong: no_threads
}
static void too_much_shared()
{
    needs_shared<<<1, 32, 100 * 1024>>>(device<int>(32)); // wrong: too_much_shared
}
static void bad_device()
{
    cudaSetDevice(99); // wrong: bad_device
}
static void unknown_symbol()
{
    static int host;
    cudaMemcpyToSymbol(&host, &host, 4); // wrong: unknown_symbol
}
static void copy_2d_pitch()
{
    static char host[4096];
    cudaMemcpy2D(device<char>(4096), 16, host, 64, 64, 8, cudaMemcpyHostToDevice); // wrong: copy_2d_pitch
}
static void leak_device()
{
    device<char>(1000); // wrong: leak_device
}
static void leak_managed()
{
    char *a;
    cudaMallocManaged((void **)&a, 2000); // wrong: leak_managed
    a[0] = 1;
}
static void leak_async()
{
    char *a;
    cudaMallocAsync((void **)&a, 3000, 0); // wrong: leak_async
}
static void leak_pitch()
{
    char *a;
    size_t pitch;
    cudaMallocPitch((void **)&a, &pitch, 100, 10); // wrong: leak_pitch
}
static void leak_array()
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 64, 64); // wrong: leak_array
}
static void leak_pinned()
{
    char *a;
    cudaMallocHost((void **)&a, 5000); // wrong: leak_pinned
}

int main(int words, char **arguments)
{
    static const Case cases[] = {
        {"copy_too_much", "memcheck", copy_too_much},
        {"copy_wrong_way", "memcheck", copy_wrong_way},
        {"set_too_much", "memcheck", set_too_much},
        {"free_twice", "memcheck", free_twice},
        {"free_inside", "memcheck", free_inside},
        {"free_of_host", "memcheck", free_of_host},
        {"bad_stream", "memcheck", bad_stream},
        {"too_many_threads", "memcheck", too_many_threads},
        {"no_threads", "memcheck", no_threads},
        {"too_much_shared", "memcheck", too_much_shared},
        {"bad_device", "memcheck", bad_device},
        {"unknown_symbol", "memcheck", unknown_symbol},
        {"copy_2d_pitch", "memcheck", copy_2d_pitch},
        {"leak_device", "leakcheck", leak_device},
        {"leak_managed", "leakcheck", leak_managed},
        {"leak_async", "leakcheck", leak_async},
        {"leak_pitch", "leakcheck", leak_pitch},
        {"leak_array", "leakcheck", leak_array},
        {"leak_pinned", "leakcheck", leak_pinned},
    };
    return run_cases(cases, sizeof cases / sizeof *cases, words, arguments);
}
