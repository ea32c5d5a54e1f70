// Two kernels for each rule: fires_RULE, in which it must find something, and silent_RULE, in which it must not
// ('_' for '-'). Without an argument all are launched; of a name that kernel; of a number an empty one,
// so many times.
// Some rules share kernels; "rule fires silent" of each:
//   near-peak fires_bound silent_bound
//   ceiling fires_bound silent_bound
//   issue-slots fires_bound silent_stalls
//   achieved-occupancy fires_bound silent_achieved_occupancy
//   stall-long-scoreboard fires_bound silent_stalls
//   stall-short-scoreboard fires_stall_short_scoreboard silent_stalls
//   stall-mio-throttle fires_shared_pressure silent_stalls
//   stall-lg-throttle fires_global_reuse silent_stalls
//   stall-tex-throttle fires_stall_tex_throttle silent_stalls
//   stall-math-pipe-throttle fires_stall_math_pipe_throttle silent_stalls
//   stall-barrier fires_stall_barrier silent_stalls
//   stall-membar fires_stall_membar silent_stalls
//   stall-wait fires_stall_wait silent_stalls
//   stall-branch-resolving fires_stall_branch_resolving silent_stalls
//   stall-not-selected fires_stall_not_selected silent_stalls
//   dependent-arithmetic fires_stall_wait silent_stalls
//   thread-per-row fires_few_threads silent_thread_per_row
// What only hardware tells of is in hardware.cu.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

constexpr int wave = 132 * 8; // blocks of 256 threads that fill an H200 once
constexpr int numbers = 1 << 22;

struct arrays {
    float *a, *b;
    double *d;
    int *i;
    const int *zero; // 32 of them, which no compiler can know
    unsigned long long texture; // of a; not with clang, which has no textures here
};

__device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

#define COPY(name)                               \
    __global__ void name(arrays x)               \
    {                                            \
        int i = global_index() & (numbers - 1);  \
        x.b[i] = 2 * x.a[i];                     \
    }
// Few blocks that do much; few that do one thing each, which is no faster on more SMs.
__global__ void fires_small_grid(arrays x)
{
    float sum = 0;
    for (int i = global_index(); i < numbers / 64; i += gridDim.x * blockDim.x)
        sum += x.a[i];
    x.b[global_index()] = sum;
}
COPY(short_small_grid)
COPY(short_few_threads)
// With each block more come its atomics, all on one word.
__global__ void atomic_small_grid(arrays x)
{
    float sum = 0;
    for (int i = global_index(); i < numbers / 64; i += gridDim.x * blockDim.x)
        sum += x.a[i];
    atomicAdd(x.b, sum);
}
// Strides of the grid that have as many elements as the grid has threads, and twice as many.
__device__ void stride_over(arrays x, int count)
{
    float sum = 0;
#pragma unroll 1
    for (int i = global_index(); i < count; i += gridDim.x * blockDim.x)
        sum += x.a[i];
    x.b[global_index()] = sum;
}
__global__ void turnless_small_grid(arrays x)
{
    stride_over(x, 4 * 256);
}
__global__ void large_small_grid(arrays x)
{
    stride_over(x, 4 * 1024);
}
__global__ void twice_small_grid(arrays x)
{
    stride_over(x, 2 * 4 * 256);
}
// One thread that does all turns.
__global__ void lone_small_grid(arrays x)
{
    for (int i = 0; i < 32768; i++)
        x.b[i] = 2 * x.a[i];
}
COPY(silent_small_grid)
COPY(fires_tail_wave)
COPY(silent_tail_wave)
COPY(fires_partial_warp)
COPY(silent_partial_warp)
COPY(lone_partial_warp)
COPY(silent_global_uncoalesced)
// Blocks of one column of 32 rows, of which so many start that they do so longer than they work.
__global__ void narrow_global_uncoalesced(arrays x)
{
    int column = blockIdx.x % 1024, i = (blockIdx.x / 1024 * 32 + threadIdx.y) * 1024 + column;
    x.b[i + 1] = x.a[i] + x.a[i + 1] + x.a[i + 2] + x.a[i + 1024];
}
COPY(silent_global_misaligned)
COPY(silent_global_reuse)
COPY(silent_l2_resident)
COPY(fires_occupancy_blocks)
COPY(silent_occupancy_blocks)
COPY(fires_occupancy_warps)
COPY(silent_occupancy_warps)
COPY(silent_occupancy_registers)
COPY(silent_occupancy_shared)
COPY(silent_local_memory)
COPY(fires_short_threads)
COPY(silent_few_threads)
COPY(silent_long_blocks)
COPY(fires_bound)
COPY(silent_bound)

__global__ void fires_global_uncoalesced(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[(i * 33) & (numbers - 1)];
}

// Its place is in memory, and apart from its neighbours', or beside them.
__global__ void fires_gathered_data(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[(x.zero[i & 31] + i * 33) & (numbers - 1)];
}
__global__ void silent_gathered_data(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[x.zero[i & 31] + i];
}

__global__ void fires_global_misaligned(arrays x)
{
    int i = global_index();
    x.b[i + 1] = x.a[i + 1];
}

__global__ void fires_global_reuse(arrays x)
{
    int i = global_index();
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < 256; k++)
        sum += x.a[k * 32 + (threadIdx.x & 31)] * x.b[k * 32 + (threadIdx.x & 31)];
    if (sum == 1)
        x.i[i] = 1;
}

__global__ void fires_read_only_cache(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[i] + x.a[i + 32] + x.a[i + 64] + x.a[i + 96];
}

__global__ void silent_read_only_cache(arrays x)
{
    int i = global_index();
    x.b[i] = __ldg(&x.a[i]) + __ldg(&x.a[i + 32]) + __ldg(&x.a[i + 64]) + __ldg(&x.a[i + 96]);
}

// Every block reads all of 1 MB, which no L1 holds together with what the others read.
__global__ void fires_l2_resident(arrays x)
{
    const float4 *a = (const float4 *)x.a;
    float4 sum = {};
    for (int k = 0; k < 1 << 16; k += 256) {
        float4 four = a[(k + blockIdx.x * 7936 + threadIdx.x) & ((1 << 16) - 1)];
        sum.x += four.x + four.y;
    }
    if (sum.x == 1)
        x.i[0] = 1;
}

__global__ void fires_load_width(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[i] + x.a[i + 32] + x.a[i + 64] + x.a[i + 96] + x.a[i + 128] + x.a[i + 160];
}

__global__ void silent_load_width(arrays x)
{
    int i = global_index();
    float4 four = ((const float4 *)x.a)[i & (numbers / 4 - 1)];
    four.x += four.y;
    ((float4 *)x.b)[i & (numbers / 4 - 1)] = four;
}

// A loop that only reads shared memory needs no barriers.
__global__ void fires_needless_barriers(arrays x)
{
    __shared__ float part[256];
    part[threadIdx.x] = x.a[global_index()];
    float sum = 0;
    for (int k = 0; k < 64; k++) {
        __syncthreads();
        sum += part[(threadIdx.x + k) % 256];
        __syncthreads();
    }
    x.b[global_index()] = sum;
}
// One that is written between them does.
__global__ void silent_needless_barriers(arrays x)
{
    __shared__ float part[256];
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        part[threadIdx.x] = x.a[global_index() + k];
        __syncthreads();
        sum += part[255 - threadIdx.x];
        __syncthreads();
    }
    x.b[global_index()] = sum;
}
// Warps that read meet one that writes, each in a loop of its own.
__global__ void shared_needless_barriers(arrays x)
{
    __shared__ float part[32];
    float sum = 0;
    if (threadIdx.x < 32) {
#pragma unroll 1
        for (int k = 0; k < 64; k++) {
            part[threadIdx.x] = x.a[32 * k + threadIdx.x];
            __syncthreads();
            __syncwarp();
        }
    } else {
#pragma unroll 1
        for (int k = 0; k < 64; k++) {
            __syncthreads();
            sum += part[threadIdx.x % 32];
        }
    }
    x.b[global_index()] = sum;
}
// Steps with two barriers each, of which the second one is one too many.
__global__ void twice_needless_barriers(arrays x)
{
    __shared__ float part[256];
    part[threadIdx.x] = x.a[global_index()];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
        __syncthreads();
    }
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = part[0];
}

template <int WIDTH> __device__ void transpose(arrays x)
{
    __shared__ float tile[32][WIDTH];
    int column = threadIdx.x % 32, row = threadIdx.x / 32;
    for (int k = 0; k < 32; k += 8)
        tile[row + k][column] = x.a[global_index() + k];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 32; k += 8)
        sum += tile[column][row + k];
    x.b[global_index()] = sum;
}
__global__ void fires_shared_bank(arrays x)
{
    transpose<32>(x);
}
__global__ void silent_shared_bank(arrays x)
{
    transpose<33>(x);
}

// Neighbouring threads are 8, 16, 32 ... bytes apart, turn by turn.
__global__ void turns_shared_bank(arrays x)
{
    __shared__ float part[256];
    part[threadIdx.x] = x.a[global_index()];
#pragma unroll 1
    for (int k = 1; k < 256; k *= 2) {
        __syncthreads();
        int place = 2 * k * threadIdx.x;
        if (place < 256)
            part[place] += part[place + k];
    }
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = part[0];
}

// A thread's own eight words, which a compiler loads four at a time.
__global__ void words_shared_bank(arrays x)
{
    __shared__ float part[2048];
    for (int k = 0; k < 8; k++)
        part[256 * k + threadIdx.x] = x.a[global_index()] + k;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        __syncthreads();
        const float *own = part + 8 * threadIdx.x;
        sum += own[0] * own[1] * own[2] * own[3];
    }
    x.b[global_index()] = sum;
}

__global__ void fires_shared_pressure(arrays x)
{
    __shared__ float tile[1024];
    for (int k = threadIdx.x; k < 1024; k += 256)
        tile[k] = x.a[k];
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++)
#pragma unroll 16
        for (int k = 0; k < 256; k++)
            sum += tile[k] * tile[(threadIdx.x & 31) + 3 * k + turn] + tile[(threadIdx.x & 31) + 2 * k + turn];
    x.b[global_index()] = sum;
}
__global__ void silent_shared_pressure(arrays x)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = x.a[global_index()];
    __syncthreads();
    float own = tile[255 - threadIdx.x], sum = 0;
#pragma unroll 16
    for (int k = 0; k < 256; k++)
        sum = sum * own + 1;
    x.b[global_index()] = sum;
}

__global__ void fires_shared_reduction(arrays x)
{
    __shared__ float part[256];
    part[threadIdx.x] = x.a[global_index()];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = part[0];
}
__global__ void silent_shared_reduction(arrays x)
{
    __shared__ float part[8];
    float sum = x.a[global_index()];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) { // what the warps before have
        float before = part[threadIdx.x];
        for (int step = 1; step < 8; step *= 2) {
            float other = __shfl_up_sync(0xff, before, step);
            before += threadIdx.x >= step ? other : 0;
        }
        part[threadIdx.x] = before;
    }
    __syncthreads();
    x.b[global_index()] = sum + part[threadIdx.x / 32];
    __syncthreads();
    if (threadIdx.x == 0)
        x.a[blockIdx.x] = part[7];
}

// Shuffles within warps, then of what the warps have: sums go into one register before the store and behind it.
__device__ float sum_of_warp(float sum)
{
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    return sum;
}
__global__ void shuffles_shared_reduction(arrays x)
{
    __shared__ float part[32];
    if (threadIdx.x < 32)
        part[threadIdx.x] = 0;
    __syncthreads();
    float sum = sum_of_warp(x.a[global_index()]);
    if (blockDim.x > 32) {
        part[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x < 32)
            sum = sum_of_warp(part[threadIdx.x]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}

__global__ void fires_shared_atomics(arrays x)
{
    __shared__ int bins[32];
    bins[threadIdx.x % 32] = 0;
    __syncthreads();
    atomicAdd(&bins[(int)x.a[global_index()]], 1);
    __syncthreads();
    x.i[threadIdx.x % 32] = bins[threadIdx.x % 32];
}
__global__ void silent_shared_atomics(arrays x)
{
    __shared__ int bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[(threadIdx.x + 32) % 256], (int)x.a[global_index()]);
    __syncthreads();
    x.i[threadIdx.x] = bins[threadIdx.x];
}

// All lanes at one word: machine code has one atomic of the whole warp.
__global__ void merged_shared_atomics(arrays x)
{
    __shared__ int sum;
    sum = 0;
    __syncthreads();
    int place = atomicAdd(&sum, 1);
    __syncthreads();
    x.i[global_index()] = place + sum;
}

__global__ void fires_global_atomics(arrays x)
{
    atomicAdd(&x.i[(int)x.a[global_index()]], threadIdx.x);
}
__global__ void silent_global_atomics(arrays x)
{
    atomicAdd(&x.i[global_index() & (numbers - 1)], 1); // each thread has a word of its own
}

template <int COUNT> __device__ void many_values(arrays x)
{
    float value[COUNT];
    int i = global_index();
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        value[k] = x.a[i + k * 32];
    __syncthreads(); // all of them are loaded before any is used
#pragma unroll
    for (int k = 0; k < COUNT; k++)
#pragma unroll
        for (int j = 0; j < COUNT; j += 9)
            value[j] = value[j] * value[k] + value[(j + k) % COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        x.b[i + k * 32] = value[k];
}
__global__ void __launch_bounds__(1024, 2) fires_register_spills(arrays x)
{
    many_values<64>(x);
}
__global__ void silent_register_spills(arrays x)
{
    many_values<8>(x);
}
__global__ void fires_occupancy_registers(arrays x)
{
    many_values<96>(x);
}

__global__ void fires_occupancy_shared(arrays x)
{
    __shared__ float tile[10240];
    int i = global_index();
    for (int k = threadIdx.x; k < 10240; k += 256)
        tile[k] = x.a[(i + k) & (numbers - 1)];
    __syncthreads();
    x.b[i] = tile[255 - threadIdx.x];
}

__global__ void fires_local_memory(arrays x)
{
    float value[32];
    int i = global_index();
    for (int k = 0; k < 32; k++)
        value[k] = x.a[(i + k) & (numbers - 1)];
    for (int k = 0; k < 32; k++)
        value[x.zero[k] & 31] += 1;
    x.b[i] = value[x.zero[0] & 31];
}

__device__ float work(float value, int steps)
{
    for (int k = 0; k < steps; k++)
        value = value * 1.5f + 1;
    return value;
}
// An element of 16 bytes a thread, as many threads as the GPU holds.
__global__ void silent_short_threads(arrays x)
{
    int i = global_index() & (numbers / 4 - 1);
    ((float4 *)x.b)[i] = ((const float4 *)x.a)[i];
}
// A row each, one element after the other.
__global__ void fires_few_threads(arrays x)
{
    int i = global_index();
    float sum = 0;
    for (int k = 0; k < 256; k += 1 + x.zero[0])
        sum += x.a[(i * 256 + k) & (numbers - 1)];
    x.b[i] = sum;
}
// The same with a warp for a row.
__global__ void silent_thread_per_row(arrays x)
{
    float sum = 0;
    for (int k = threadIdx.x % 32; k < 1024; k += 32 + x.zero[0])
        sum += x.a[(global_index() / 32 * 1024 + k) & (numbers - 1)];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    x.b[global_index() / 32] = sum;
}
// Sixteen waves of blocks that add up a number a thread.
template <int APART> __device__ void sum_of_block(arrays x)
{
    __shared__ float part[8];
    float sum = x.a[global_index() & (numbers - 1)];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0 && APART >= 0)
        atomicAdd(&x.i[blockIdx.x * (APART < 0 ? 0 : APART)], (int)part[0]);
    if (threadIdx.x == 0 && APART < 0)
        x.b[blockIdx.x] = part[0];
}
__global__ void fires_short_blocks(arrays x)
{
    sum_of_block<-1>(x);
}
__global__ void silent_short_blocks(arrays x)
{
    sum_of_block<-1>(x);
}
__global__ void fires_atomics_one_place(arrays x)
{
    sum_of_block<0>(x);
}
__global__ void silent_atomics_one_place(arrays x)
{
    sum_of_block<32>(x);
}
__global__ void fires_long_blocks(arrays x)
{
    int i = global_index();
    float sum = x.a[i];
    for (int k = blockIdx.x < 8 ? 8192 : 64; k > 0; k -= 1 + x.zero[0])
        sum = sum * 1.5f + 1;
    x.b[i] = sum;
}
__global__ void fires_divergence(arrays x)
{
    int i = global_index();
    float value = x.a[i];
    if (threadIdx.x % 4 == 0)
        value = work(value, 200 + x.zero[0]);
    x.b[i] = value;
}
__global__ void silent_divergence(arrays x)
{
    int i = global_index();
    float value = x.a[i];
    if (threadIdx.x / 32 % 4 == 0)
        value = work(value, 200 + x.zero[0]);
    x.b[i] = value;
}

template <int ROW> __device__ void sum_row(arrays x)
{
    float sum = 0;
    for (int k = threadIdx.x; k < ROW; k += blockDim.x)
        sum += x.a[blockIdx.x * ROW + k];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}
__global__ void fires_short_rows(arrays x)
{
    sum_row<27>(x);
}
__global__ void silent_short_rows(arrays x)
{
    sum_row<200>(x);
}

__global__ void fires_nonfused(arrays x)
{
    int i = global_index();
    float own = x.a[i], sum = own;
#pragma unroll
    for (int k = 0; k < 64; k++)
        asm("{ .reg .f32 %%product; mul.rn.f32 %%product, %0, %1; add.rn.f32 %0, %%product, 0f3FC00000; }" : "+f"(sum) : "f"(own));
    x.b[i] = sum;
}
__global__ void silent_nonfused(arrays x)
{
    int i = global_index();
    float own = x.a[i], sum = own;
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum = fmaf(sum, own, 1.5f);
    x.b[i] = sum;
}

__global__ void fires_double(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[i] * 0.3 + 0.7;
}
// What limits are the conversions.
__global__ void converts_double(arrays x)
{
    int i = global_index();
    float value = x.a[i];
#pragma unroll
    for (int k = 0; k < 32; k++)
        value = value * 1.0001 + 0.5;
    x.b[i] = value;
}
__global__ void silent_double(arrays x)
{
    int i = global_index();
    x.d[i] = x.d[i] * 0.3 + 0.7;
}

__global__ void fires_special_functions(arrays x)
{
    int i = global_index();
    float value = x.a[i];
#pragma unroll
    for (int k = 0; k < 32; k++)
        value = __sinf(value);
    x.b[i] = value;
}
__global__ void silent_special_functions(arrays x)
{
    int i = global_index();
    x.b[i] = __sinf(x.a[i]);
}

// The next place is what was loaded; and a place of its own each turn.
__global__ void fires_chased_loads(arrays x)
{
    int place = global_index();
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        place = x.i[(place + 1024 * k) & (numbers - 1)];
    x.b[global_index()] = place;
}
__global__ void silent_chased_loads(arrays x)
{
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < 64; k++)
        sum += x.i[global_index() + 1024 * k];
    x.b[global_index()] = sum;
}
// A grid of 64 times the blocks that have work, and one that is right.
__device__ void stop_early(arrays x, int count)
{
    int i = global_index();
    if (i < count)
        x.b[i] = 2 * x.a[i];
}
__global__ void fires_idle_blocks(arrays x)
{
    stop_early(x, numbers / 256);
}
// A warp of each block stores what all have computed.
__global__ void leaders_idle_blocks(arrays x)
{
    float value = work(threadIdx.x, 8);
    if (threadIdx.x < 32)
        x.b[blockIdx.x * 32 + threadIdx.x] = value;
}
__global__ void silent_idle_blocks(arrays x)
{
    stop_early(x, numbers);
}
// Of rows and columns threadIdx.x takes the wrong one.
__global__ void swapped_thread_per_row(arrays x)
{
    int row = 16 * (blockIdx.x % 16) + threadIdx.x, column = 16 * (blockIdx.x / 16) + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += x.a[256 * row + k] * x.a[65536 + 256 * k + column];
    x.b[256 * row + column] = sum;
}
// A piece for each thread, stored element by element: nothing is to be summed up.
__global__ void stored_thread_per_row(arrays x)
{
#pragma unroll 1
    for (int i = 64 * global_index(), last = i + 64; i < last; i++)
        x.b[i] = 2 * x.a[i];
}
// Each 132nd block is long: all of them on one SM.
__global__ void apart_long_blocks(arrays x)
{
    int i = global_index();
    x.b[i] = work(x.a[i], blockIdx.x % 132 == 0 ? 4000 : 60);
}

template <int WIDTH> __device__ void divide(arrays x, int width)
{
    int i = global_index(), sum = 0;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += (i + 977 * k) / (WIDTH ? WIDTH : width);
    x.i[i & (numbers - 1)] = sum;
}
__global__ void fires_integer_division(arrays x)
{
    divide<0>(x, x.zero[0] + 1021);
}
__global__ void silent_integer_division(arrays x)
{
    divide<1021>(x, x.zero[0] + 1021);
}
__global__ void fires_power_function(arrays x)
{
    float sum = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        sum = 0.5f * powf(sum, 3.0f) + 0.25f;
    x.b[global_index()] = sum;
}
// Of an exponent that is known to nobody, in double precision: nothing else gives as much.
__global__ void silent_power_function(arrays x)
{
    x.d[global_index()] = pow(x.d[global_index()], x.d[x.zero[0]]);
}
// Divided by what stays the same, and by what is loaded once and divides once.
__global__ void fires_float_division(arrays x)
{
    float own = x.a[global_index()], by = x.a[x.zero[0]] + 3;
#pragma unroll
    for (int k = 0; k < 32; k++)
        own = own / by + 1.5f;
    x.b[global_index()] = own;
}
__global__ void silent_float_division(arrays x)
{
    x.b[global_index()] = work(x.a[global_index()] / (x.b[global_index()] + 3), 64);
}
// What is stored is another element in each turn, though the pointer is one that the loop moves on.
__global__ void walks_global_accumulator(arrays x)
{
    int i = global_index() & 65535;
    for (int k = 0; k < 32; k += 1 + x.zero[0])
        x.b[k * 65536 + i] = x.a[i] * x.a[0] + x.a[k];
}
// Sines to the last place, and fast ones.
__global__ void fires_accurate_functions(arrays x)
{
    float sum = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        sum += sinf(sum + k);
    x.b[global_index()] = sum;
}
__global__ void silent_accurate_functions(arrays x)
{
    float sum = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        sum += __sinf(sum + k);
    x.b[global_index()] = sum;
}
__device__ int bits_of(unsigned word, bool is_by_bit)
{
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 32; k++)
        sum += is_by_bit ? word >> k & 1 : 0;
    return is_by_bit ? sum : __popc(word);
}
__global__ void fires_bit_loop(arrays x)
{
    x.i[global_index()] = bits_of(__float_as_int(x.a[global_index()]), true);
}
// Indices into what is a power of two long are no bits that are counted.
__global__ void silent_bit_loop(arrays x)
{
    int sum = bits_of(__float_as_int(x.a[global_index()]), false), mask = x.zero[0] + 1023;
#pragma unroll
    for (int k = 0; k < 16; k++)
        sum += (sum + 977 * k) & (mask - 1);
    x.i[global_index()] = sum;
}
// An element that is changed in memory turn by turn, and one that is stored at the end.
__global__ void fires_global_accumulator(arrays x)
{
    int i = global_index();
    for (int k = 0; k < 16; k++)
        x.b[i] = x.b[i] * 0.5f + x.a[i];
}
__global__ void silent_global_accumulator(arrays x)
{
    int i = global_index();
    float own = x.b[i];
    for (int k = 0; k < 16; k++)
        own = own * 0.5f + x.a[(i + 32 * k) & (numbers - 1)];
    x.b[i] = own;
}
// Atomics all over memory, and as many loads.
__device__ int any_place(int k)
{
    unsigned place = (global_index() * 8 + k) * 2654435761u;
    place = (place ^ place >> 15) * 2246822519u;
    return (place ^ place >> 13) & (numbers / 32 - 1);
}
__global__ void fires_atomics_scattered(arrays x)
{
    for (int k = 0; k < 8; k++)
        atomicAdd(x.b + any_place(k), 1.0f);
}
__global__ void silent_atomics_scattered(arrays x)
{
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += x.b[any_place(k)];
    x.a[global_index()] = sum;
}
__global__ void fires_index_arithmetic(arrays x)
{
    int i = global_index();
    unsigned hash = i;
#pragma unroll 16
    for (int k = 0; k < 64; k++)
        hash = (hash ^ hash >> 7) + (hash << 3 | hash >> 29);
    x.b[i] = x.a[i] + 1.5f + (hash & 1);
}
__global__ void silent_index_arithmetic(arrays x)
{
    int i = global_index();
    x.b[i] = work(x.a[i], 64);
}

// A table that every thread asks for an element of its own, and one that all ask for the same.
__constant__ int table[1024];
__global__ void fires_constant_scattered(arrays x)
{
    int at = (threadIdx.x * 17 + x.zero[threadIdx.x & 31]) & 1023;
    for (int k = 0; k < 32; k++)
        at = (at + table[at] + 1) & 1023;
    x.i[global_index()] = at;
}
__global__ void silent_constant_scattered(arrays x)
{
    int sum = threadIdx.x;
    for (int k = x.zero[0]; k < 32; k++)
        sum += table[k];
    x.i[global_index()] = sum;
}

// Columns of 64 rows, a value a turn, and eight.
template <int EACH> __device__ void sum_column(arrays x)
{
    int i = global_index(), step = 1 + x.zero[0];
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 64; k += EACH * step) {
        float values[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            values[j] = x.a[(i + (k + j) * 65536) & (numbers - 1)];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            sum += values[j];
    }
    x.b[i] = sum;
}
__global__ void fires_loads_in_turn(arrays x)
{
    sum_column<1>(x);
}
__global__ void silent_loads_in_turn(arrays x)
{
    sum_column<8>(x);
}

// Tiles in turn, the next one loaded after or before this one is worked on.
template <bool IS_AHEAD> __device__ __forceinline__ void tiles(arrays x)
{
    __shared__ float tile[256];
    float sum = 0, next = 0;
    int at = blockIdx.x * 8192 + threadIdx.x;
    if (IS_AHEAD)
        next = x.a[at & (numbers - 1)];
#pragma unroll 1
    for (int k = 0; k < 8192; k += 256 + x.zero[0]) {
        tile[threadIdx.x] = IS_AHEAD ? next : x.a[(at + k) & (numbers - 1)];
        __syncthreads();
        if (IS_AHEAD)
            next = x.a[(at + k + 256) & (numbers - 1)];
#pragma unroll
        for (int j = 0; j < 32; j++)
            sum = sum * tile[(threadIdx.x + j) & 255] + 1;
        __syncthreads();
    }
    x.b[global_index()] = sum + next;
}
__global__ void fires_tile_prefetch(arrays x)
{
    tiles<false>(x);
}
__global__ void silent_tile_prefetch(arrays x)
{
    tiles<true>(x);
}

// The average of a piece, then its product with a matrix that all blocks share.
__global__ void fires_matrix_vector(arrays x)
{
    float own = x.a[global_index()];
    for (int row = 0; row < 64; row += 1 + x.zero[0]) {
        float sum = own * x.a[row * 256 + threadIdx.x];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (threadIdx.x % 32 == 0)
            x.b[(blockIdx.x * 64 + row) * 8 + threadIdx.x / 32] = sum;
    }
}
__global__ void silent_matrix_vector(arrays x)
{
    float own = x.a[global_index()];
    for (int row = 0; row < 8; row += 1 + x.zero[0]) {
        float sum = own * x.a[((blockIdx.x * 8 + row) * 256 + threadIdx.x) & (numbers - 1)];
        for (int half = 16; half > 0; half /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, half);
        if (threadIdx.x % 32 == 0)
            x.b[(blockIdx.x * 8 + row) * 8 + threadIdx.x / 32] = sum;
    }
}

__global__ void fires_phases(arrays x)
{
    float sum = 0;
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 2048; k += x.zero[0] + 256)
        sum += x.a[(first + k) & (numbers - 1)];
    x.b[global_index()] = sum;
    __syncthreads();
    for (int k = 0; k < 8; k += x.zero[0] + 1)
        sum += x.a[k * 256 + threadIdx.x];
    x.b[global_index()] += sum;
}
__global__ void silent_phases(arrays x)
{
    float sum = 0;
    int first = blockIdx.x * 2048 + threadIdx.x;
    for (int k = 0; k < 2048; k += x.zero[0] + 256)
        sum += x.a[(first + k) & (numbers - 1)];
    __syncthreads();
    x.b[global_index()] = sum;
}

// Schedulers issue nearly each cycle: chains of multiply-adds, four in each thread.
__global__ void silent_stalls(arrays x)
{
    int i = global_index();
    float own = x.a[i & 31], sums[4] = {1, 2, 3, 4};
#pragma unroll 16
    for (int k = 0; k < 512; k++)
#pragma unroll
        for (float &sum : sums)
            sum = sum * own + 1.5f;
    x.b[i] = sums[0] + sums[1] + sums[2] + sums[3];
}
// Few warps find room, and all wait alike: none is ahead of the others.
__global__ void silent_achieved_occupancy(arrays x)
{
    __shared__ int tile[12000];
    int at = threadIdx.x & 31;
    tile[at] = x.zero[at];
    for (int k = 0; k < 512; k++)
        at = tile[at];
    x.i[global_index()] = at;
}
__global__ void fires_stall_short_scoreboard(arrays x)
{
    __shared__ int next[256];
    next[threadIdx.x] = x.zero[threadIdx.x & 31];
    __syncthreads();
    int at = threadIdx.x;
    for (int k = 0; k < 512; k++)
        at = next[at];
    x.i[global_index()] = at;
}
#ifndef __clang__
__global__ void fires_stall_tex_throttle(arrays x)
{
    int i = global_index();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) {
        float value[4];
        asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
                     : "=f"(value[0]), "=f"(value[1]), "=f"(value[2]), "=f"(value[3])
                     : "l"(x.texture), "r"(i & 1023));
        sum += value[0];
    }
    x.b[i] = sum;
}
#endif
__global__ void fires_stall_barrier(arrays x)
{
    int i = global_index();
    float value = x.a[i];
    for (int k = 0; k < 16; k++) {
        if (threadIdx.x < 32)
            value = work(value, 100 + x.zero[0]);
        __syncthreads();
    }
    x.b[i] = value;
}
__global__ void fires_stall_membar(arrays x)
{
    int i = global_index();
    for (int k = 0; k < 32; k++) {
        x.b[i] = k;
        __threadfence();
    }
}
__global__ void fires_stall_wait(arrays x)
{
    int i = global_index();
    float own = x.a[i], sum = own;
#pragma unroll 64
    for (int k = 0; k < 2048; k++)
        sum = sum * own + 1.5f;
    x.b[i] = sum;
}
// Four chains of double precision: the pipe takes one in two cycles.
__global__ void fires_stall_math_pipe_throttle(arrays x)
{
    int i = global_index();
    double own = x.d[i & 31], sum[4] = {own, own, own, own};
#pragma unroll 4
    for (int k = 0; k < 256; k++)
        for (double &each : sum)
            each = each * own + 1.5;
    x.d[i] = sum[0] + sum[1] + sum[2] + sum[3];
}
__global__ void fires_stall_branch_resolving(arrays x)
{
    int i = global_index();
#pragma unroll 1
    for (int k = x.zero[0]; k < 4096; k++)
        asm volatile("" ::: "memory");
    x.i[i] = i;
}
// Half of the time all warps could issue, half of the time one block has one chain.
__global__ void fires_stall_not_selected(arrays x)
{
    int i = global_index();
    float own = x.a[i & 31], sum = own;
#pragma unroll 16
    for (int k = 0; k < 512; k++)
        sum = sum * own + 1.5f;
    if (threadIdx.x == 0 && blockIdx.x < 132)
        sum = work(sum, 4000 + x.zero[0]);
    x.b[i] = sum;
}

__global__ void empty() {}

struct launch {
    const char *name;
    void (*kernel)(arrays);
    int blocks, threads, rows;
};
#define SHAPE(kernel, blocks, threads, rows) {#kernel, kernel, blocks, threads, rows}
#define ROW(kernel, blocks, threads) SHAPE(kernel, blocks, threads, 1)
#define BOTH(rule) ROW(fires_##rule, wave, 256), ROW(silent_##rule, wave, 256)
static const struct launch launches[] = {
    ROW(fires_small_grid, 4, 256),
    ROW(silent_small_grid, wave, 256),
    ROW(short_small_grid, 4, 256),
    ROW(atomic_small_grid, 4, 256),
    ROW(turnless_small_grid, 4, 256),
    ROW(large_small_grid, 4, 1024),
    ROW(twice_small_grid, 4, 256),
    ROW(lone_small_grid, 1, 1),
    SHAPE(narrow_global_uncoalesced, 1024 * 32, 1, 32),
    ROW(converts_double, wave, 256),
    ROW(fires_tail_wave, wave + 132, 256),
    ROW(silent_tail_wave, wave, 256),
    ROW(fires_partial_warp, 4 * wave, 100),
    ROW(silent_partial_warp, 4 * wave, 96),
    ROW(lone_partial_warp, 64 * wave, 1),
    ROW(fires_occupancy_blocks, 132 * 32, 32),
    ROW(silent_occupancy_blocks, wave, 256),
    ROW(fires_occupancy_warps, 132 * 2, 768),
    ROW(silent_occupancy_warps, 132 * 4, 512),
    ROW(fires_register_spills, 132, 1024),
    ROW(silent_register_spills, 132, 1024),
    ROW(fires_short_rows, wave, 128),
    ROW(silent_short_rows, wave, 128),
    ROW(fires_bound, wave, 256),
    ROW(silent_stalls, wave, 256),
    ROW(silent_achieved_occupancy, 132 * 4, 128),
    ROW(fires_stall_short_scoreboard, 132, 128),
#ifndef __clang__
    ROW(fires_stall_tex_throttle, wave, 256),
#endif
    ROW(fires_stall_barrier, 132, 256),
    ROW(fires_stall_membar, 132, 256),
    ROW(fires_stall_wait, 132, 128),
    ROW(fires_stall_math_pipe_throttle, 132 * 4, 512),
    ROW(fires_stall_branch_resolving, 132, 128),
    ROW(fires_stall_not_selected, wave, 256),
    ROW(fires_short_threads, 16 * wave, 256),
    ROW(silent_short_threads, wave, 256),
    ROW(fires_few_threads, 132, 64),
    ROW(silent_few_threads, wave, 256),
    ROW(short_few_threads, 264, 256),
    ROW(silent_thread_per_row, 132, 64),
    ROW(fires_tile_prefetch, 132, 256),
    ROW(silent_tile_prefetch, 132, 256),
    ROW(fires_short_blocks, 16 * wave, 256),
    ROW(silent_short_blocks, wave, 256),
    ROW(fires_atomics_one_place, 4 * wave, 256),
    ROW(silent_atomics_one_place, wave, 256),
    ROW(fires_long_blocks, wave, 256),
    ROW(silent_long_blocks, wave, 256),
    ROW(silent_bound, 1, 2048), // cannot be launched: nothing is counted
    BOTH(global_uncoalesced),
    BOTH(gathered_data),
    BOTH(global_misaligned),
    BOTH(global_reuse),
    BOTH(read_only_cache),
    BOTH(l2_resident),
    BOTH(load_width),
    BOTH(shared_bank),
    ROW(turns_shared_bank, wave, 256),
    ROW(words_shared_bank, wave, 256),
    BOTH(shared_pressure),
    BOTH(shared_reduction),
    ROW(shuffles_shared_reduction, wave, 256),
    BOTH(shared_atomics),
    BOTH(global_atomics),
    BOTH(occupancy_registers),
    BOTH(occupancy_shared),
    BOTH(local_memory),
    BOTH(divergence),
    BOTH(nonfused),
    BOTH(double),
    BOTH(special_functions),
    BOTH(needless_barriers),
    ROW(fires_idle_blocks, 4096, 256),
    ROW(silent_idle_blocks, 4096, 256),
    ROW(leaders_idle_blocks, 4096, 256),
    ROW(fires_chased_loads, 2, 64),
    ROW(silent_chased_loads, 2, 64),
    ROW(twice_needless_barriers, wave, 256),
    ROW(shared_needless_barriers, wave, 256),
    SHAPE(swapped_thread_per_row, 256, 16, 16),
    ROW(stored_thread_per_row, 64, 256),
    ROW(apart_long_blocks, 1056, 256),
    BOTH(power_function),
    BOTH(float_division),
    BOTH(accurate_functions),
    BOTH(bit_loop),
    BOTH(global_accumulator),
    ROW(walks_global_accumulator, 128, 256),
    BOTH(atomics_scattered),
    BOTH(index_arithmetic),
    BOTH(integer_division),
    BOTH(constant_scattered),
    BOTH(loads_in_turn),
    ROW(merged_shared_atomics, wave, 256),
    BOTH(matrix_vector),
    BOTH(phases),
};

int main(int count, char **words)
{
    const int empties = count > 1 ? atoi(words[1]) : 0;
    if (empties > 0) {
        for (int i = empties; i > 0; i--)
            empty<<<1, 32>>>();
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    arrays x;
    size_t bytes = (numbers + 65536) * sizeof(float);
    bool is_right = cudaMalloc(&x.a, bytes) == cudaSuccess && cudaMalloc(&x.b, bytes) == cudaSuccess &&
                    cudaMalloc(&x.d, 2 * bytes) == cudaSuccess && cudaMalloc(&x.i, bytes) == cudaSuccess &&
                    cudaMemset(x.a, 0, bytes) == cudaSuccess && cudaMemset(x.b, 0, bytes) == cudaSuccess &&
                    cudaMemset(x.d, 0, 2 * bytes) == cudaSuccess && cudaMemset(x.i, 0, bytes) == cudaSuccess;
    int *zero = NULL;
    is_right = is_right && cudaMalloc(&zero, 128) == cudaSuccess && cudaMemset(zero, 0, 128) == cudaSuccess;
    x.zero = zero;
#ifndef __clang__
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = x.a;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 4096 * sizeof(float);
    is_right = is_right && cudaCreateTextureObject(&x.texture, &resource, &how, NULL) == cudaSuccess;
#endif
    for (const launch &launch : launches) {
        if (count > 1 && strcmp(words[1], launch.name) != 0)
            continue;
        launch.kernel<<<launch.blocks, dim3(launch.threads, launch.rows)>>>(x);
        cudaGetLastError();
    }
    if (!is_right || cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "fixtures: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    return 0;
}
