// Wrong: races, reads of what nobody wrote, barriers. What racecheck, initcheck and synccheck are to find.
#include "cases.cuh"
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

__global__ void no_barrier(int *out)
{
    __shared__ int tile[128];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[127 - threadIdx.x]; // wrong: read_after_write
}
__global__ void no_second_barrier(int *out)
{
    __shared__ int tile[129];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        tile[128] = 0;
    __syncthreads();
    int next = tile[threadIdx.x + 1];
    tile[threadIdx.x] = next; // wrong: write_after_read
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void all_write(int *out)
{
    __shared__ int one;
    one = threadIdx.x; // wrong: write_after_write
    __syncthreads();
    out[threadIdx.x] = one;
}
__global__ void reduce_without(const int *in, int *out)
{
    __shared__ int sums[256];
    int i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    for (int step = 128; step; step /= 2)
        if (i < step)
            sums[i] += sums[i + step]; // wrong: reduction
    if (i == 0)
        *out = sums[0];
}
__global__ void warp_unsynchronised(const int *in, int *out)
{
    __shared__ volatile int sums[64];
    int i = threadIdx.x;
    sums[i] = in[i] + in[i + 32];
    sums[i] += sums[i + 16]; // wrong: missing_syncwarp
    sums[i] += sums[i + 8];
    if (i == 0)
        *out = sums[0];
}
__global__ void warp_exchange(int *out)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[31 - threadIdx.x]; // wrong: missing_syncwarp_exchange
}
__global__ void atomic_beside_plain(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    if (threadIdx.x == 64)
        count = 5; // wrong: atomic_beside_plain
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void flag_by_spin(int *out)
{
    __shared__ int data;
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        flag = 1; // no fence between
    }
    if (threadIdx.x == 32) {
        while (!flag)
            ;
        *out = data; // wrong: flag_without_fence
    }
}
__global__ void async_copy_early(const int *in, int *out)
{
    __shared__ int tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
    out[threadIdx.x] = tile[threadIdx.x]; // wrong: async_copy_not_awaited
    __pipeline_wait_prior(0);
}
__global__ void double_buffer(const int *in, int *out, int n)
{
    __shared__ int tile[2][128];
    int sum = 0, i = threadIdx.x;
    for (int k = 0; k < n; k++) {
        tile[0][i] = in[k * 128 + i];
        __syncthreads();
        sum += tile[0][127 - i]; // wrong: loop_without_second_barrier
    }
    out[i] = sum;
}
__global__ void sum_of(const int *a, int *out)
{
    atomicAdd(out, a[threadIdx.x]); // wrong: unwritten_global
}
__global__ void write_half(int *a)
{
    if (threadIdx.x % 2 == 0)
        a[threadIdx.x] = 1;
}
__global__ void sum_half(const int *a, int *out)
{
    atomicAdd(out, a[threadIdx.x]); // wrong: half_unwritten
}
__global__ void shared_unwritten(int *out)
{
    __shared__ int tile[64];
    if (threadIdx.x < 32)
        tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x]; // wrong: shared_unwritten
}
__global__ void vector_unwritten(const int4 *a, int *out)
{
    int4 v = a[threadIdx.x]; // wrong: vector_unwritten
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
__global__ void write_first(int *a, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = i;
}
__global__ void diverged(int *out)
{
    if (threadIdx.x % 2)
        __syncthreads(); // wrong: diverged_barrier
    out[threadIdx.x] = 1;
}
__global__ void some_leave(int *out)
{
    if (threadIdx.x == 5)
        return;
    __syncthreads(); // wrong: exited_before_barrier
    out[threadIdx.x] = 1;
}
__global__ void two_barriers(int *out)
{
    if (threadIdx.x < 16)
        __syncthreads(); // wrong: two_barriers_of_one_warp
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void full_mask_of_half(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x, 1); // wrong: shuffle_absent_lanes
}
__global__ void mask_without_caller(int *out)
{
    out[threadIdx.x] = __ballot_sync(0x0000ffff, 1); // wrong: vote_without_caller
}
__global__ void syncwarp_absent(int *out)
{
    if (threadIdx.x >= 8)
        return;
    __syncwarp(0x000000fe); // wrong: syncwarp_without_caller
    out[threadIdx.x] = 1;
}
__global__ void odd_count(int count)
{
    asm volatile("bar.sync 1, %0;" ::"r"(count)); // wrong: barrier_odd_count
}
__global__ void counts_differ()
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;"); // wrong: barrier_counts_differ
    else
        asm volatile("bar.sync 1, 96;");
}
__global__ void crossed()
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1;"); // wrong: crossed_barriers
    else
        asm volatile("bar.sync 2;");
}
__global__ void grid_wide_race(int *a)
{
    if (threadIdx.x == 0)
        a[0] = blockIdx.x; // wrong: global_race
}

static int *numbers(int n)
{
    int *a = device<int>(n, UNWRITTEN);
    write_first<<<1, 64>>>(a, n);
    return a;
}
static void read_after_write() { no_barrier<<<1, 128>>>(device<int>(128)); }
static void write_after_read() { no_second_barrier<<<1, 128>>>(device<int>(128)); }
static void write_after_write() { all_write<<<1, 128>>>(device<int>(128)); }
static void reduction() { reduce_without<<<1, 256>>>(numbers(256), device<int>(1)); }
static void missing_syncwarp() { warp_unsynchronised<<<1, 32>>>(numbers(64), device<int>(1)); }
static void missing_syncwarp_exchange() { warp_exchange<<<1, 32>>>(device<int>(32)); }
static void run_atomic_beside_plain() { atomic_beside_plain<<<1, 128>>>(device<int>(128)); }
static void flag_without_fence() { flag_by_spin<<<1, 64>>>(device<int>(1)); }
static void async_copy_not_awaited() { async_copy_early<<<1, 128>>>(numbers(128), device<int>(128)); }
static void loop_without_second_barrier() { double_buffer<<<1, 128>>>(numbers(512), device<int>(128), 4); }
static void unwritten_global() { sum_of<<<1, 64>>>(device<int>(64, UNWRITTEN), device<int>(1)); }
static void half_unwritten()
{
    int *a = device<int>(64, UNWRITTEN);
    write_half<<<1, 64>>>(a);
    sum_half<<<1, 64>>>(a, device<int>(1));
}
static void run_shared_unwritten() { shared_unwritten<<<1, 64>>>(device<int>(64)); }
static void run_vector_unwritten() { vector_unwritten<<<1, 32>>>(device<int4>(32, UNWRITTEN), device<int>(32)); }
static void copied_unwritten()
{
    static int host[64];
    cudaMemcpy(host, device<int>(64, UNWRITTEN), sizeof host, cudaMemcpyDeviceToHost); // wrong: copied_unwritten
}
static void diverged_barrier() { diverged<<<1, 64>>>(device<int>(64)); }
static void exited_before_barrier() { some_leave<<<1, 64>>>(device<int>(64)); }
static void two_barriers_of_one_warp() { two_barriers<<<1, 32>>>(device<int>(64)); }
static void shuffle_absent_lanes() { full_mask_of_half<<<1, 32>>>(device<int>(64)); }
static void vote_without_caller() { mask_without_caller<<<1, 32>>>(device<int>(64)); }
static void syncwarp_without_caller() { syncwarp_absent<<<1, 32>>>(device<int>(64)); }
static void barrier_odd_count() { odd_count<<<1, 64>>>(33); }
static void barrier_counts_differ() { counts_differ<<<1, 64>>>(); }
static void crossed_barriers() { crossed<<<1, 64>>>(); }
static void global_race() { grid_wide_race<<<64, 32>>>(device<int>(1)); }

int main(int words, char **arguments)
{
    static const Case cases[] = {
        {"read_after_write", "racecheck", read_after_write},
        {"write_after_read", "racecheck", write_after_read},
        {"write_after_write", "racecheck", write_after_write},
        {"reduction", "racecheck", reduction},
        {"missing_syncwarp", "racecheck", missing_syncwarp},
        {"missing_syncwarp_exchange", "racecheck", missing_syncwarp_exchange},
        {"atomic_beside_plain", "racecheck", run_atomic_beside_plain},
        {"flag_without_fence", "racecheck", flag_without_fence},
        {"async_copy_not_awaited", "racecheck", async_copy_not_awaited},
        {"loop_without_second_barrier", "racecheck", loop_without_second_barrier},
        {"global_race", "racecheck", global_race},
        {"unwritten_global", "initcheck", unwritten_global},
        {"half_unwritten", "initcheck", half_unwritten},
        {"shared_unwritten", "initcheck", run_shared_unwritten},
        {"vector_unwritten", "initcheck", run_vector_unwritten},
        {"copied_unwritten", "initcheck", copied_unwritten},
        {"diverged_barrier", "synccheck", diverged_barrier},
        {"exited_before_barrier", "synccheck", exited_before_barrier},
        {"two_barriers_of_one_warp", "synccheck", two_barriers_of_one_warp},
        {"shuffle_absent_lanes", "synccheck", shuffle_absent_lanes},
        {"vote_without_caller", "synccheck", vote_without_caller},
        {"syncwarp_without_caller", "synccheck", syncwarp_without_caller},
        {"barrier_odd_count", "synccheck", barrier_odd_count},
        {"barrier_counts_differ", "synccheck", barrier_counts_differ},
        {"crossed_barriers", "synccheck", crossed_barriers},
    };
    return run_cases(cases, sizeof cases / sizeof *cases, words, arguments);
}
