// Wrong: addresses. What memcheck is to find.
#include "cases.cuh"

__global__ void write_at(int *a, long i)
{
    a[i] = 1; // wrong: write_behind write_before write_far_behind freed_write async_freed
}
__global__ void read_at(const int *a, long i, int *out)
{
    *out = a[i]; // wrong: read_behind read_before freed_read freed_and_given_out_again
}
__global__ void each_writes(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i; // wrong: off_by_one_grid
}
__global__ void atomic_at(int *a, long i)
{
    atomicAdd(&a[i], 1); // wrong: atomic_behind
}
__global__ void null_write(int *a)
{
    *a = 1; // wrong: null_write
}
__global__ void null_read(const int *a, int *out)
{
    *out = *a; // wrong: null_read null_plus_eight
}
__global__ void one_lane_negative(int *a)
{
    long i = threadIdx.x == 3 ? -1l : (long)threadIdx.x;
    a[i] = 1; // wrong: one_lane_negative
}
__global__ void misaligned_int(char *a)
{
    *(volatile int *)(a + 2) = 1; // wrong: misaligned_int
}
__global__ void misaligned_vector(float *a)
{
    *(float4 *)(a + 1) = make_float4(1, 2, 3, 4); // wrong: misaligned_vector
}
__global__ void vector_behind(float4 *a, int n, float4 *out)
{
    out[0] = a[n]; // wrong: vector_behind
}
__global__ void shared_static_over(int *out, int i)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    tile[i + threadIdx.x] = 7; // wrong: shared_static_over
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void shared_into_neighbour(int *out, int i)
{
    __shared__ int first[32];
    __shared__ int second[32];
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    if (threadIdx.x == 0)
        first[i] = 9; // wrong: shared_into_neighbour
    __syncthreads();
    out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
__global__ void shared_dynamic_over(int *out, int i)
{
    extern __shared__ int tile[];
    tile[threadIdx.x + i] = 1; // wrong: shared_dynamic_over
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void histogram(const int *data, int *out, int n)
{
    __shared__ int bins[64];
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[data[i]], 1); // wrong: histogram_bad_datum
    __syncthreads();
    if (threadIdx.x < 64)
        out[threadIdx.x] = bins[threadIdx.x];
}
__global__ void shared_negative(int *out, int i)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[(int)threadIdx.x - i] = 1; // wrong: shared_negative
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void local_over(int *out, int i)
{
    int few[8];
    for (int k = 0; k < 8; k++)
        few[k] = out[k];
    few[i] = 3; // wrong: local_over local_far_over
    out[threadIdx.x] = few[(i + 1) & 7];
}
__constant__ int table[16];
__global__ void constant_over(int *out, int i)
{
    out[threadIdx.x] = table[i + threadIdx.x]; // wrong: constant_over
}
__device__ int variable[16];
__device__ int neighbour[16];
__global__ void variable_over(int i)
{
    variable[i + threadIdx.x] = 1; // wrong: variable_over
    neighbour[threadIdx.x & 15] = 2;
}
__global__ void host_pointer(int *host)
{
    *host = 1; // wrong: host_pointer
}
__global__ void copy_elements(const double *in, double *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = in[i]; // wrong: loop_runs_over
}
struct Node {
    int value;
    Node *next;
};
__global__ void follow(Node *list, int *out)
{
    int sum = 0;
    for (Node *node = list; node; node = node->next)
        sum += node->value; // wrong: dangling_list
    *out = sum;
}
__global__ void link_nodes(Node *a, Node *b)
{
    a->value = 1;
    a->next = b;
}
__global__ void heap_over(int n, int *out)
{
    int *mine = (int *)malloc(n * sizeof(int));
    mine[n] = 1; // wrong: heap_over
    *out = mine[n];
    free(mine);
}
__global__ void heap_twice()
{
    int *mine = (int *)malloc(64);
    free(mine);
    free(mine); // wrong: heap_twice
}
__global__ void heap_after(int *out)
{
    volatile int *mine = (int *)malloc(64);
    mine[0] = 1;
    free((void *)mine);
    *out = mine[0]; // wrong: heap_after
}
__global__ void free_foreign(int *a)
{
    free(a); // wrong: free_foreign
}
__device__ __noinline__ int deeper(int n, volatile int *out)
{
    volatile int frame[256];
    frame[n & 255] = n;
    *out = frame[0];
    return n > 100000 ? 0 : deeper(n + 1, out) + frame[n & 255]; // wrong: stack_overflow
}
__global__ void recurse(int *out)
{
    *out = deeper(threadIdx.x, out);
}
__global__ void two_d(float *a, size_t pitch, int x, int y)
{
    ((float *)((char *)a + y * pitch))[x] = 1; // wrong: pitched_over
}
__global__ void from_texture_buffer(const float *__restrict__ a, float *out, int i)
{
    out[threadIdx.x] = __ldg(&a[i + threadIdx.x]); // wrong: readonly_over
}
__global__ void trapped()
{
    __trap(); // wrong: trapped
}

static void write_behind() { write_at<<<1, 1>>>(device<int>(64), 64); }
static void write_before() { int *a = device<int>(64); write_at<<<1, 1>>>(a, -1); }
static void write_far_behind() { write_at<<<1, 1>>>(device<int>(64), 1l << 34); }
static void read_behind() { int *out = device<int>(1); read_at<<<1, 1>>>(device<int>(64), 64, out); }
static void read_before() { int *out = device<int>(1); read_at<<<1, 1>>>(device<int>(64), -3, out); }
static void off_by_one_grid() { each_writes<<<4, 64>>>(device<int>(200), 200); }
static void atomic_behind() { atomic_at<<<1, 1>>>(device<int>(64), 64); }
static void run_null_write() { null_write<<<1, 1>>>(nullptr); }
static void run_null_read() { null_read<<<1, 1>>>(nullptr, device<int>(1)); }
static void null_plus_eight() { null_read<<<1, 1>>>((int *)8, device<int>(1)); }
static void run_one_lane_negative() { one_lane_negative<<<1, 32>>>(device<int>(64)); }
static void run_misaligned_int() { misaligned_int<<<1, 1>>>(device<char>(64)); }
static void run_misaligned_vector() { misaligned_vector<<<1, 1>>>(device<float>(64)); }
static void run_vector_behind() { vector_behind<<<1, 1>>>(device<float4>(10), 10, device<float4>(1)); }
static void freed_write() { int *a = device<int>(64); cudaFree(a); write_at<<<1, 1>>>(a, 0); }
static void freed_read()
{
    int *a = device<int>(64), *out = device<int>(1);
    cudaFree(a);
    read_at<<<1, 1>>>(a, 5, out);
}
static void freed_and_given_out_again()
{
    int *a = device<int>(1 << 20), *out = device<int>(1);
    cudaFree(a);
    device<int>(1 << 20);
    read_at<<<1, 1>>>(a, 5, out);
}
static void run_shared_static_over() { shared_static_over<<<1, 64>>>(device<int>(64), 1); }
static void run_shared_into_neighbour() { shared_into_neighbour<<<1, 32>>>(device<int>(64), 33); }
static void run_shared_dynamic_over() { shared_dynamic_over<<<1, 64, 64 * 4>>>(device<int>(64), 1); }
static void histogram_bad_datum()
{
    int host[256], *data = device<int>(256);
    for (int i = 0; i < 256; i++)
        host[i] = i == 77 ? 200 : i % 64;
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    histogram<<<1, 64>>>(data, device<int>(64), 256);
}
static void run_shared_negative() { shared_negative<<<1, 64>>>(device<int>(64), 1); }
static void run_local_over() { local_over<<<1, 1>>>(device<int>(64), 9); }
static void local_far_over() { local_over<<<1, 1>>>(device<int>(64), 5000); }
static void run_constant_over() { constant_over<<<1, 32>>>(device<int>(64), 1 << 20); }
static void run_variable_over() { variable_over<<<1, 16>>>(8); }
static int host_memory;
static void run_host_pointer() { host_pointer<<<1, 1>>>(&host_memory); }
static void loop_runs_over() { copy_elements<<<1, 32>>>(device<double>(100), device<double>(128), 101); }
static void dangling_list()
{
    Node *a = device<Node>(1), *b = device<Node>(1);
    link_nodes<<<1, 1>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(b);
    follow<<<1, 1>>>(a, device<int>(1));
}
static void run_heap_over() { heap_over<<<1, 1>>>(10, device<int>(1)); }
static void run_heap_twice() { heap_twice<<<1, 1>>>(); }
static void run_heap_after() { heap_after<<<1, 1>>>(device<int>(1)); }
static void run_free_foreign() { free_foreign<<<1, 1>>>(device<int>(1)); }
static void stack_overflow() { recurse<<<1, 1>>>(device<int>(1)); }
static void pitched_over()
{
    float *a;
    size_t pitch;
    cudaMallocPitch(&a, &pitch, 100, 10);
    two_d<<<1, 1>>>(a, pitch, 1, 10);
}
static void readonly_over() { from_texture_buffer<<<1, 32>>>(device<float>(32), device<float>(32), 1); }
static void run_trapped() { trapped<<<1, 1>>>(); }
static void async_freed()
{
    int *a;
    cudaMallocAsync((void **)&a, 4096, 0);
    cudaFreeAsync(a, 0);
    write_at<<<1, 1>>>(a, 0);
}

int main(int words, char **arguments)
{
    static const Case cases[] = {
        {"write_behind", "memcheck", write_behind},
        {"write_before", "memcheck", write_before},
        {"write_far_behind", "memcheck", write_far_behind},
        {"read_behind", "memcheck", read_behind},
        {"read_before", "memcheck", read_before},
        {"off_by_one_grid", "memcheck", off_by_one_grid},
        {"atomic_behind", "memcheck", atomic_behind},
        {"null_write", "memcheck", run_null_write},
        {"null_read", "memcheck", run_null_read},
        {"null_plus_eight", "memcheck", null_plus_eight},
        {"one_lane_negative", "memcheck", run_one_lane_negative},
        {"misaligned_int", "memcheck", run_misaligned_int},
        {"misaligned_vector", "memcheck", run_misaligned_vector},
        {"vector_behind", "memcheck", run_vector_behind},
        {"freed_write", "memcheck", freed_write},
        {"freed_read", "memcheck", freed_read},
        {"freed_and_given_out_again", "memcheck", freed_and_given_out_again},
        {"async_freed", "memcheck", async_freed},
        {"shared_static_over", "memcheck", run_shared_static_over},
        {"shared_into_neighbour", "memcheck", run_shared_into_neighbour},
        {"shared_dynamic_over", "memcheck", run_shared_dynamic_over},
        {"histogram_bad_datum", "memcheck", histogram_bad_datum},
        {"shared_negative", "memcheck", run_shared_negative},
        {"local_over", "memcheck", run_local_over},
        {"local_far_over", "memcheck", local_far_over},
        {"constant_over", "memcheck", run_constant_over},
        {"variable_over", "memcheck", run_variable_over},
        {"host_pointer", "memcheck", run_host_pointer},
        {"loop_runs_over", "memcheck", loop_runs_over},
        {"dangling_list", "memcheck", dangling_list},
        {"heap_over", "memcheck", run_heap_over},
        {"heap_twice", "memcheck", run_heap_twice},
        {"heap_after", "memcheck", run_heap_after},
        {"free_foreign", "memcheck", run_free_foreign},
        {"stack_overflow", "memcheck", stack_overflow},
        {"pitched_over", "memcheck", pitched_over},
        {"readonly_over", "memcheck", readonly_over},
        {"trapped", "memcheck", run_trapped},
    };
    return run_cases(cases, sizeof cases / sizeof *cases, words, arguments);
}
