// Right programs, of the kinds that checkers find hard: nothing is to be said of any.
#include "cases.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void fill(int *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = i;
}
__global__ void add(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}
__global__ void reverse(int *out)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void reduce(const int *in, int *out)
{
    __shared__ int sums[256];
    int i = threadIdx.x;
    sums[i] = in[i];
    for (int step = 128; step; step /= 2) {
        __syncthreads();
        if (i < step)
            sums[i] += sums[i + step];
    }
    if (i == 0)
        *out = sums[0];
}
__global__ void reduce_warp(const int *in, int *out)
{
    __shared__ int sums[64];
    int i = threadIdx.x;
    sums[i] = in[i] + in[i + 32];
    __syncwarp();
    for (int step = 16; step; step /= 2) {
        int value = i < step ? sums[i + step] : 0;
        __syncwarp();
        if (i < step)
            sums[i] += value;
        __syncwarp();
    }
    if (i == 0)
        *out = sums[0];
}
__global__ void reduce_shuffle(const int *in, int *out)
{
    int value = in[threadIdx.x];
    for (int step = 16; step; step /= 2)
        value += __shfl_down_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, value);
}
__global__ void half_warp_shuffle(int *out)
{
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, threadIdx.x, 1);
    else
        out[threadIdx.x] = __shfl_xor_sync(0xffff0000, threadIdx.x, 2);
}
__global__ void after_exit(int *out, int n)
{
    if (threadIdx.x >= n)
        return;
    unsigned mask = __activemask();
    out[threadIdx.x] = __popc(__ballot_sync(mask, 1));
}
__global__ void histogram(const int *in, int *out, int n)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[in[i] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void double_buffered(const int *in, int *out, int n)
{
    __shared__ int tile[2][128];
    int sum = 0, i = threadIdx.x;
    for (int k = 0; k < n; k++) {
        tile[k & 1][i] = in[k * 128 + i];
        __syncthreads();
        sum += tile[k & 1][127 - i];
    }
    out[i] = sum;
}
__global__ void async_copies(const int *in, int *out)
{
    __shared__ int tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void fence_flag(int *out)
{
    __shared__ volatile int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_block();
        flag = 1;
    }
    if (threadIdx.x == 32) {
        while (!flag)
            ;
        __threadfence_block();
        *out = data;
    }
}
__global__ void release_acquire(int *out)
{
    __shared__ int data;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    if (threadIdx.x == 0)
        flag.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        flag.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x == 32) {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        *out = data;
    }
}
__global__ void ptx_release(int *out)
{
    __shared__ int data, flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    unsigned address = (unsigned)__cvta_generic_to_shared(&flag);
    if (threadIdx.x == 0) {
        data = 7;
        asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(address) : "memory");
    }
    if (threadIdx.x == 64) {
        int seen = 0;
        while (!seen)
            asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(address) : "memory");
        *out = data;
    }
}
__global__ void global_release(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 5;
        ready.store(1, cuda::memory_order_release);
    }
    if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!ready.load(cuda::memory_order_acquire))
            ;
        *out = *data;
    }
}
__global__ void barrier_objects(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int tile[128];
    if (threadIdx.x == 0)
        init(&barrier, 128);
    __syncthreads();
    tile[threadIdx.x] = threadIdx.x;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
__global__ void named_barriers(int *out)
{
    __shared__ int tile[64];
    if (threadIdx.x < 64) {
        tile[threadIdx.x] = threadIdx.x;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = tile[63 - threadIdx.x];
    } else {
        out[threadIdx.x] = 1;
    }
}
__global__ void arrive_and_wait(int *out)
{
    __shared__ int tile[32];
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x;
        asm volatile("bar.arrive 2, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        out[threadIdx.x] = tile[63 - threadIdx.x];
    }
}
__global__ void tiles_of_threads(int *out)
{
    __shared__ int tile[128];
    auto block = cg::this_thread_block();
    auto part = cg::tiled_partition<8>(block);
    tile[threadIdx.x] = threadIdx.x;
    part.sync();
    out[threadIdx.x] = tile[threadIdx.x ^ 7] + cg::reduce(part, 1, cg::plus<int>());
}
__global__ void coalesced(int *out)
{
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        out[threadIdx.x] = active.size() + active.shfl((int)threadIdx.x, 0);
    } else {
        out[threadIdx.x] = 0;
    }
}
__global__ void whole_grid(int *a, int *out)
{
    auto grid = cg::this_grid();
    a[grid.thread_rank()] = grid.thread_rank();
    grid.sync();
    out[grid.thread_rank()] = a[grid.size() - 1 - grid.thread_rank()];
}
__global__ void lock_add(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *(volatile int *)sum = *(volatile int *)sum + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
__global__ void block_lock(int *out)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        sum = sum + 1;
        __threadfence_block();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
__global__ void last_block(int *partial, unsigned *done, int *out)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        __threadfence();
        is_last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += ((volatile int *)partial)[i];
        *out = sum;
    }
}
struct Padded {
    char letter;
    int number;
};
__global__ void make_padded(Padded *a)
{
    a[threadIdx.x].letter = 'a';
    a[threadIdx.x].number = threadIdx.x;
}
__global__ void copy_padded(const Padded *a, Padded *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}
struct alignas(16) Triple {
    float x, y, z; // and four bytes of padding
};
__global__ void make_triples(Triple *a)
{
    a[threadIdx.x].x = a[threadIdx.x].y = a[threadIdx.x].z = threadIdx.x;
}
__global__ void use_triples(const Triple *a, float *out)
{
    Triple t = a[threadIdx.x]; // one load of 16 bytes, of which 12 were written
    out[threadIdx.x] = t.x + t.y + t.z;
}
__global__ void write_same(int *out)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (threadIdx.x % 2)
        found = 1;
    __syncthreads();
    out[threadIdx.x] = found;
}
__global__ void transpose(const int *in, int *out, int n)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
__constant__ int table[32];
__device__ int variable[32];
__global__ void from_variables(int *out)
{
    variable[threadIdx.x] = table[31 - threadIdx.x];
    out[threadIdx.x] = variable[threadIdx.x];
}
__global__ void own_heap(int *out)
{
    int *mine = (int *)malloc((threadIdx.x + 1) * sizeof(int));
    if (mine) {
        mine[threadIdx.x] = threadIdx.x;
        out[threadIdx.x] = mine[threadIdx.x];
        free(mine);
    }
}
__global__ void local_array(int *out, int n)
{
    int few[32];
    for (int i = 0; i < 32; i++)
        few[i] = i * n;
    out[threadIdx.x] = few[(threadIdx.x * n) & 31];
}
__global__ void dynamic_parts(int *out)
{
    extern __shared__ char memory[];
    double *d = (double *)memory;
    int *i = (int *)(memory + 64 * sizeof(double));
    d[threadIdx.x] = threadIdx.x;
    i[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (int)d[63 - threadIdx.x] + i[63 - threadIdx.x];
}
__global__ void texture_reads(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x) + tex1Dfetch<float>(texture, -1);
}
__global__ void block_votes(int *out)
{
    out[threadIdx.x] = __syncthreads_count(threadIdx.x % 2) + __syncthreads_or(threadIdx.x == 3);
}
__global__ void producer_consumer(int *out, int rounds)
{
    __shared__ volatile int slot;
    __shared__ volatile int full;
    if (threadIdx.x == 0)
        full = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < rounds; i++) {
            while (full)
                ;
            slot = i;
            __threadfence_block();
            full = 1;
        }
    } else if (threadIdx.x == 32) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            while (!full)
                ;
            __threadfence_block();
            sum += slot;
            __threadfence_block();
            full = 0;
        }
        *out = sum;
    }
}
__global__ void bytes_of_a_word(int *out)
{
    __shared__ unsigned char bytes[128];
    bytes[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = bytes[127 - threadIdx.x];
}
__global__ void early_leave_uniform(int *out, int n)
{
    __shared__ int tile[64];
    if (blockIdx.x >= n)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void match_any(int *out)
{
    unsigned peers = __match_any_sync(0xffffffff, threadIdx.x / 4);
    out[threadIdx.x] = __popc(peers) + __reduce_add_sync(peers, 1);
}

static int *numbers(int n)
{
    int *a = device<int>(n, UNWRITTEN);
    fill<<<2, 64>>>(a, n);
    return a;
}
#define RELEASED(count, launch)               \
    do {                                      \
        int *out = device<int>(count);        \
        launch;                               \
        cudaDeviceSynchronize();              \
        cudaFree(out);                        \
    } while (0)
static void run_add() { RELEASED(100, (add<<<4, 32>>>(numbers(100), numbers(100), out, 100))); }
static void run_reverse() { RELEASED(128, (reverse<<<2, 128>>>(out))); }
static void run_reduce() { RELEASED(1, (reduce<<<1, 256>>>(numbers(256), out))); }
static void run_reduce_warp() { RELEASED(1, (reduce_warp<<<1, 32>>>(numbers(64), out))); }
static void run_reduce_shuffle() { RELEASED(1, (reduce_shuffle<<<2, 64>>>(numbers(64), out))); }
static void run_half_warp() { RELEASED(64, (half_warp_shuffle<<<1, 64>>>(out))); }
static void run_after_exit() { RELEASED(64, (after_exit<<<1, 64>>>(out, 40))); }
static void run_histogram() { RELEASED(16, (histogram<<<2, 64>>>(numbers(500), out, 500))); }
static void run_double_buffered() { RELEASED(128, (double_buffered<<<1, 128>>>(numbers(1024), out, 8))); }
static void run_async_copies() { RELEASED(128, (async_copies<<<1, 128>>>(numbers(128), out))); }
static void run_fence_flag() { RELEASED(1, (fence_flag<<<1, 64>>>(out))); }
static void run_release_acquire() { RELEASED(1, (release_acquire<<<1, 64>>>(out))); }
static void run_ptx_release() { RELEASED(1, (ptx_release<<<1, 96>>>(out))); }
static void run_global_release() { RELEASED(1, (global_release<<<2, 32>>>(device<int>(1), device<int>(1), out))); }
static void run_barrier_objects() { RELEASED(128, (barrier_objects<<<1, 128>>>(out))); }
static void run_named_barriers() { RELEASED(128, (named_barriers<<<1, 128>>>(out))); }
static void run_arrive() { RELEASED(64, (arrive_and_wait<<<1, 64>>>(out))); }
static void run_tiles() { RELEASED(128, (tiles_of_threads<<<1, 128>>>(out))); }
static void run_coalesced() { RELEASED(64, (coalesced<<<1, 64>>>(out))); }
static void run_grid()
{
    int *a = device<int>(256, UNWRITTEN), *out = device<int>(256);
    void *arguments[] = {&a, &out};
    cudaLaunchCooperativeKernel((const void *)whole_grid, dim3(4), dim3(64), arguments, 0, 0);
}
static void run_lock() { RELEASED(1, (lock_add<<<16, 64>>>(device<int>(1), out))); }
static void run_block_lock() { RELEASED(128, (block_lock<<<1, 128>>>(out))); }
static void run_last_block()
{
    RELEASED(1, (last_block<<<8, 32>>>(device<int>(8, UNWRITTEN), device<unsigned>(1), out)));
}
static void run_padded()
{
    Padded *a = device<Padded>(32, UNWRITTEN), *b = device<Padded>(32, UNWRITTEN), host[32];
    make_padded<<<1, 32>>>(a);
    copy_padded<<<1, 32>>>(a, b);
    cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
}
static void run_triples()
{
    Triple *a = device<Triple>(32, UNWRITTEN);
    make_triples<<<1, 32>>>(a);
    use_triples<<<1, 32>>>(a, device<float>(32));
}
static void run_write_same() { RELEASED(128, (write_same<<<1, 128>>>(out))); }
static void run_transpose()
{
    RELEASED(64 * 64, (transpose<<<dim3(2, 2), dim3(32, 8)>>>(numbers(64 * 64), out, 64)));
}
static void run_variables()
{
    int host[32] = {1, 2, 3};
    cudaMemcpyToSymbol(table, host, sizeof host);
    RELEASED(32, (from_variables<<<1, 32>>>(out)));
}
static void run_heap() { RELEASED(32, (own_heap<<<1, 32>>>(out))); }
static void run_local() { RELEASED(64, (local_array<<<1, 64>>>(out, 3))); }
static void run_dynamic() { RELEASED(64, (dynamic_parts<<<1, 64, 64 * 12>>>(out))); }
static void run_texture()
{
    float *a = device<float>(64);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = a;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    texture_reads<<<1, 64>>>(texture, device<float>(64));
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaFree(a);
}
static void run_votes() { RELEASED(64, (block_votes<<<1, 64>>>(out))); }
static void run_producer() { RELEASED(1, (producer_consumer<<<1, 64>>>(out, 10))); }
static void run_bytes() { RELEASED(128, (bytes_of_a_word<<<1, 128>>>(out))); }
static void run_early() { RELEASED(256, (early_leave_uniform<<<8, 64>>>(out, 4))); }
static void run_match() { RELEASED(64, (match_any<<<1, 64>>>(out))); }
static void managed()
{
    int *a;
    cudaMallocManaged((void **)&a, 256);
    for (int i = 0; i < 64; i++)
        a[i] = i;
    add<<<1, 64>>>(a, a, a, 64);
    cudaDeviceSynchronize();
    printf("%d\n", a[3]);
    cudaFree(a);
}
static void streams_and_events()
{
    cudaStream_t one, two;
    cudaEvent_t event;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&event);
    int *a = device<int>(64, UNWRITTEN), *out = device<int>(64);
    fill<<<1, 64, 0, one>>>(a, 64);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(two, event, 0);
    add<<<1, 64, 0, two>>>(a, a, out, 64);
    cudaStreamSynchronize(two);
    cudaEventDestroy(event);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(a);
    cudaFree(out);
}
static void pool()
{
    int *a;
    for (int i = 0; i < 4; i++) {
        cudaMallocAsync((void **)&a, 4096, 0);
        fill<<<1, 64>>>(a, 1024);
        cudaFreeAsync(a, 0);
    }
}
static void copies_2d()
{
    char *a, host[640];
    size_t pitch;
    memset(host, 1, sizeof host);
    cudaMallocPitch((void **)&a, &pitch, 64, 10);
    cudaMemcpy2D(a, pitch, host, 64, 64, 10, cudaMemcpyHostToDevice);
    cudaMemcpy2D(host, 64, a, pitch, 64, 10, cudaMemcpyDeviceToHost);
    cudaFree(a);
}
static void pinned()
{
    int *a;
    cudaMallocHost((void **)&a, 256);
    fill<<<1, 64>>>(a, 64);
    cudaDeviceSynchronize();
    cudaFreeHost(a);
}
static void graph()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    int *a = device<int>(64);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<1, 64, 0, stream>>>(a, 64);
    add<<<1, 64, 0, stream>>>(a, a, a, 64);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(a);
}

int main(int words, char **arguments)
{
    static const Case cases[] = {
        {"add", "none", run_add},
        {"reverse", "none", run_reverse},
        {"reduce", "none", run_reduce},
        {"reduce_warp", "none", run_reduce_warp},
        {"reduce_shuffle", "none", run_reduce_shuffle},
        {"half_warp_shuffle", "none", run_half_warp},
        {"ballot_after_exit", "none", run_after_exit},
        {"histogram", "none", run_histogram},
        {"double_buffered", "none", run_double_buffered},
        {"async_copies", "none", run_async_copies},
        {"fence_flag", "none", run_fence_flag},
        {"release_acquire", "none", run_release_acquire},
        {"ptx_release", "none", run_ptx_release},
        {"global_release", "none", run_global_release},
        {"barrier_objects", "none", run_barrier_objects},
        {"named_barriers", "none", run_named_barriers},
        {"arrive_and_wait", "none", run_arrive},
        {"tiles_of_threads", "none", run_tiles},
        {"coalesced_threads", "none", run_coalesced},
        {"whole_grid", "none", run_grid},
        {"global_lock", "none", run_lock},
        {"block_lock", "none", run_block_lock},
        {"last_block", "none", run_last_block},
        {"padded", "none", run_padded},
        {"padded_vector", "none", run_triples},
        {"write_same", "none", run_write_same},
        {"transpose", "none", run_transpose},
        {"variables", "none", run_variables},
        {"heap", "none", run_heap},
        {"local_array", "none", run_local},
        {"dynamic_parts", "none", run_dynamic},
        {"texture", "none", run_texture},
        {"block_votes", "none", run_votes},
        {"producer_consumer", "none", run_producer},
        {"bytes_of_a_word", "none", run_bytes},
        {"early_leave_uniform", "none", run_early},
        {"match_any", "none", run_match},
        {"managed", "none", managed},
        {"streams_and_events", "none", streams_and_events},
        {"pool", "none", pool},
        {"copies_2d", "none", copies_2d},
        {"pinned", "none", pinned},
        {"graph", "none", graph},
    };
    return run_cases(cases, sizeof cases / sizeof *cases, words, arguments);
}
