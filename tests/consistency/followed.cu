// Kernels NAME_before, and NAME_after as the advice on them says; NAME_useless is what the advice once said, or what is near
// it, and gains nothing. followed.py compares what was promised with what comes.
#include <cstdio>

#include <cuda_runtime.h>

constexpr int numbers = 1 << 20;

struct arrays {
    float *a, *b;
    int *i; // any numbers
};

__constant__ float table[1024];

__device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ int grid_threads()
{
    return gridDim.x * blockDim.x;
}
__device__ float sum_of_block(float own)
{
    __shared__ float part[32];
    for (int half = 16; half > 0; half /= 2)
        own += __shfl_down_sync(0xffffffff, own, half);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    if (threadIdx.x < 32)
        for (int half = 16; half > 0; half /= 2)
            own += __shfl_down_sync(0xffffffff, own, half);
    return own;
}

// Each thread has an atomic; then a warp has one.
__global__ void each_before(arrays x)
{
    atomicAdd(x.b, x.a[global_index()]);
}
__global__ void each_after(arrays x)
{
    float own = x.a[global_index()];
    for (int half = 16; half > 0; half /= 2)
        own += __shfl_down_sync(0xffffffff, own, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(x.b, own);
}

// A block has an atomic, and does little for it; then there are as many blocks as fit.
__global__ void sum_before(arrays x)
{
    float sum = sum_of_block(x.a[global_index()]);
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}
__device__ void sum_by_strides(arrays x)
{
    float own = 0;
    for (int i = global_index(); i < numbers; i += grid_threads())
        own += x.a[i];
    float sum = sum_of_block(own);
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}
__global__ void sum_after(arrays x)
{
    sum_by_strides(x);
}
// A block adds up 256 elements in shared memory, and stores its sum or adds it to all; then it does so for many.
__device__ float tree_of_block(float own)
{
    __shared__ float part[256];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}
__device__ float strides_of_all(arrays x)
{
    float own = 0;
    for (int i = global_index(); i < 4 * numbers; i += grid_threads())
        own += x.a[i];
    return own;
}
__global__ void tree_before(arrays x)
{
    float sum = tree_of_block(x.a[global_index()]);
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}
__global__ void tree_after(arrays x)
{
    float sum = tree_of_block(strides_of_all(x));
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}
__global__ void added_before(arrays x)
{
    float sum = tree_of_block(x.a[global_index()]);
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}
__global__ void added_after(arrays x)
{
    float sum = tree_of_block(strides_of_all(x));
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}

// One load a turn, of not many turns; then four on their way at once.
__global__ void turns_before(arrays x)
{
    float own = 0;
#pragma unroll 1
    for (int i = global_index(); i < 4 * numbers; i += grid_threads())
        own += x.a[i];
    float sum = sum_of_block(own);
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}
__global__ void turns_after(arrays x)
{
    float own = 0;
    int step = grid_threads();
    for (int i = global_index(); i < 4 * numbers; i += 4 * step)
        own += x.a[i] + (i + step < 4 * numbers ? x.a[i + step] : 0) + (i + 2 * step < 4 * numbers ? x.a[i + 2 * step] : 0) +
               (i + 3 * step < 4 * numbers ? x.a[i + 3 * step] : 0);
    float sum = sum_of_block(own);
    if (threadIdx.x == 0)
        x.b[blockIdx.x] = sum;
}

// A thread for a column, few of them; then its rows are divided among blocks. A warp for a column would be slower.
__global__ void column_before(arrays x, int rows, int columns)
{
    float sum = 0;
    for (int row = 0; row < rows; row++)
        sum += x.a[row * columns + global_index()];
    x.b[global_index()] = sum;
}
__global__ void column_after(arrays x, int rows, int columns)
{
    float sum = 0;
    int each = rows / gridDim.y;
    for (int row = blockIdx.y * each; row < (blockIdx.y + 1) * each; row++)
        sum += x.a[row * columns + global_index()];
    atomicAdd(x.b + global_index(), sum);
}

// A thread for a row, whose elements lead to any places; then a warp, to the same places.
__global__ void sparse_before(arrays x)
{
    float sum = 0;
    for (int k = 64 * global_index(); k < 64 * global_index() + 64; k++)
        sum += x.a[k] * x.b[x.i[k & (numbers - 1)] & (numbers - 1)];
    x.b[numbers + global_index()] = sum;
}
__global__ void sparse_after(arrays x)
{
    float sum = 0;
    int row = global_index() / 32;
    for (int k = 64 * row + threadIdx.x % 32; k < 64 * row + 64; k += 32)
        sum += x.a[k] * x.b[x.i[k & (numbers - 1)] & (numbers - 1)];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        x.b[numbers + row] = sum;
}

// Through a list; then the list is sorted.
__global__ void sorted_before(arrays x)
{
    x.b[global_index()] = x.a[x.i[global_index()] & (numbers - 1)];
}
__global__ void sorted_after(arrays x)
{
    x.b[global_index()] = x.a[x.i[numbers + global_index()] & (numbers - 1)];
}

// A point and its neighbours; then four points a thread, of which two loads each serve two.
__global__ void point_before(arrays x, int size)
{
    int i = (blockIdx.y * 8 + threadIdx.y + 1) * size + blockIdx.x * 32 + threadIdx.x;
    x.b[i] = x.a[i] * -4 + x.a[i - 1] + x.a[i + 1] + x.a[i - size] + x.a[i + size];
}
__global__ void point_after(arrays x, int size)
{
    int i = (blockIdx.y * 8 + threadIdx.y + 1) * size + 4 * (blockIdx.x * 32 + threadIdx.x);
    float4 own = *(const float4 *)(x.a + i), up = *(const float4 *)(x.a + i - size), down = *(const float4 *)(x.a + i + size);
    float left = x.a[i - 1], right = x.a[i + 4];
    *(float4 *)(x.b + i) =
        make_float4(own.x * -4 + left + own.y + up.x + down.x, own.y * -4 + own.x + own.z + up.y + down.y,
                    own.z * -4 + own.y + own.w + up.z + down.z, own.w * -4 + own.z + right + up.w + down.w);
}

// Three floats of a structure; then three arrays.
__global__ void vectors_before(arrays x)
{
    float *own = x.b + 3 * global_index();
    float value = x.a[global_index()];
    own[0] = value;
    own[1] = value * 2;
    own[2] = value * 3;
}
__global__ void vectors_after(arrays x)
{
    int i = global_index();
    float value = x.a[i];
    x.b[i] = value;
    x.b[i + numbers] = value * 2;
    x.b[i + 2 * numbers] = value * 3;
}

// Too few blocks that go through the data in strides of the grid; then as many as fit.
__global__ void few_before(arrays x)
{
    sum_by_strides(x);
}
__global__ void few_after(arrays x)
{
    sum_by_strides(x);
}

// The same, but each block brings 256 atomics of its own: twice as many are faster, four times as many slower.
__device__ void count(arrays x)
{
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = global_index(); i < numbers; i += grid_threads())
        atomicAdd(own + (x.i[i] & 255), 1);
    __syncthreads();
    atomicAdd((int *)x.b + threadIdx.x, own[threadIdx.x]);
}
__global__ void count_before(arrays x)
{
    count(x);
}
__global__ void count_after(arrays x)
{
    count(x);
}

// Much arithmetic on each element: several elements a thread save none of it.
__device__ float much(float own)
{
    for (int k = 0; k < 8; k++)
        own = powf(own + 1.5f, 2.0f) * 0.1f + sinf(own);
    return own;
}
__global__ void much_before(arrays x)
{
    x.b[global_index()] = much(x.a[global_index()]);
}
__global__ void much_useless(arrays x)
{
    float4 own = ((const float4 *)x.a)[global_index()];
    ((float4 *)x.b)[global_index()] = make_float4(much(own.x), much(own.y), much(own.z), much(own.w));
}

// A table that lanes index differently, in constant and in shared memory.
__global__ void table_before(arrays x)
{
    float sum = 0;
    int own = x.i[global_index()];
    for (int k = 0; k < 8; k++)
        sum += table[own >> k & 1023];
    x.b[global_index()] = sum;
}
__global__ void table_after(arrays x)
{
    __shared__ float copy[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        copy[k] = x.a[k];
    __syncthreads();
    float sum = 0;
    int own = x.i[global_index()];
    for (int k = 0; k < 8; k++)
        sum += copy[own >> k & 1023];
    x.b[global_index()] = sum;
}

// Constants without f.
__global__ void double_before(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 16; k++)
        own = own * 0.5 + 1.0;
    x.b[global_index()] = own;
}
__global__ void double_after(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 16; k++)
        own = own * 0.5f + 1.0f;
    x.b[global_index()] = own;
}

// Quotient and remainder, each by a division; then one multiplication by what the host computed, both from it.
__global__ void divide_before(arrays x, unsigned width)
{
    unsigned sum = 0, i = global_index();
#pragma unroll
    for (unsigned k = 0; k < 8; k++)
        sum += (i + 977 * k) / width * 3 + (i + 977 * k) % width;
    x.i[numbers + i] = sum;
}
__global__ void divide_after(arrays x, unsigned width, unsigned reciprocal)
{
    unsigned sum = 0, i = global_index();
#pragma unroll
    for (unsigned k = 0; k < 8; k++) {
        unsigned quotient = __umulhi(i + 977 * k, reciprocal);
        sum += quotient * 3 + (i + 977 * k - quotient * width);
    }
    x.i[numbers + i] = sum;
}

// Powers by a function, of which two share a logarithm; then by multiplications.
__global__ void power_before(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        own = powf(own, 3.0f) * 0.3f + powf(own, 2.0f);
    x.b[global_index()] = own;
}
__global__ void power_after(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        own = own * own * own * 0.3f + own * own;
    x.b[global_index()] = own;
}

// A divisor that stays the same; then its reciprocal.
__global__ void quotient_before(arrays x, float by)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 32; k++)
        own = own / by + 1;
    x.b[global_index()] = own;
}
__global__ void quotient_after(arrays x, float by)
{
    float own = x.a[global_index()], reciprocal = 1 / by;
    for (int k = 0; k < 32; k++)
        own = own * reciprocal + 1;
    x.b[global_index()] = own;
}

// An element that is changed in memory turn by turn; then in a register.
__global__ void kept_before(arrays x)
{
    int i = global_index();
    for (int k = 0; k < 16; k++)
        x.b[i] = x.b[i] * 0.9f + x.a[i];
}
__global__ void kept_after(arrays x)
{
    int i = global_index();
    float own = x.b[i], other = x.a[i];
    for (int k = 0; k < 16; k++)
        own = own * 0.9f + other;
    x.b[i] = own;
}

// Edges add to both their ends; then each end gathers from its edges.
__global__ void edges_before(arrays x)
{
    int from = x.i[2 * global_index()] & 65535, to = x.i[2 * global_index() + 1] & 65535;
    float each = x.a[from] - x.a[to];
    atomicAdd(x.b + from, each);
    atomicAdd(x.b + to, -each);
}
__global__ void edges_after(arrays x)
{
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += x.a[global_index()] - x.a[x.i[k * 65536 + global_index()] & 65535];
    x.b[global_index()] = sum;
}

// Bits, one by one, then all at once.
__global__ void bits_before(arrays x)
{
    int sum = 0, own = x.i[global_index()];
    for (int k = 0; k < 32; k++)
        sum += own >> k & 1;
    ((int *)x.b)[global_index()] = sum;
}
__global__ void bits_after(arrays x)
{
    ((int *)x.b)[global_index()] = __popc(x.i[global_index()]);
}

// One chain of sums in few warps, then four.
__global__ void chain_before(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 1024; k++)
        own = own * 1.0001f + 0.5f;
    x.b[global_index()] = own;
}
__global__ void chain_after(arrays x)
{
    float own[4] = {x.a[global_index()], 1, 2, 3};
    for (int k = 0; k < 256; k++)
#pragma unroll
        for (float &each : own)
            each = each * 1.0001f + 0.5f;
    x.b[global_index()] = own[0] + own[1] + own[2] + own[3];
}

// A block of 256 for a row of 64, then a warp.
__global__ void row_before(arrays x)
{
    float own = threadIdx.x < 64 ? x.a[64 * blockIdx.x + threadIdx.x] : 0;
    float mean = tree_of_block(own) / 64;
    if (threadIdx.x < 64)
        x.b[64 * blockIdx.x + threadIdx.x] = own - mean;
}
__global__ void row_after(arrays x)
{
    int i = 64 * (global_index() / 32) + threadIdx.x % 32;
    float own = x.a[i], other = x.a[i + 32], sum = own + other;
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, half);
    x.b[i] = own - sum / 64;
    x.b[i + 32] = other - sum / 64;
}

// As many blocks as fit with so much shared memory, and each with much to do; then smaller tiles in more blocks.
__device__ void tiles(arrays x, int turns)
{
    extern __shared__ float tile[];
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        tile[threadIdx.x] = x.a[(k * grid_threads() + global_index()) & (numbers - 1)];
        __syncthreads();
        sum += tile[blockDim.x - 1 - threadIdx.x];
        __syncthreads();
    }
    x.b[global_index()] = sum;
}
__global__ void tiles_before(arrays x, int turns)
{
    tiles(x, turns);
}
__global__ void tiles_after(arrays x, int turns)
{
    tiles(x, turns);
}

// Three bytes of a pixel each, and one more; then four pixels a thread.
__device__ unsigned grey(unsigned red, unsigned green, unsigned blue)
{
    return (unsigned char)((red & 255) * 0.3f + (green & 255) * 0.6f + (blue & 255) * 0.1f);
}
__global__ void pixel_before(arrays x)
{
    const unsigned char *own = (const unsigned char *)x.a + 3 * global_index();
    ((unsigned char *)x.b)[global_index()] = grey(own[0], own[1], own[2]);
}
__global__ void pixel_after(arrays x)
{
    const unsigned *own = (const unsigned *)x.a + 3 * global_index();
    unsigned a = own[0], b = own[1], c = own[2];
    ((unsigned *)x.b)[global_index()] = grey(a, a >> 8, a >> 16) | grey(a >> 24, b, b >> 8) << 8 |
                                        grey(b >> 16, b >> 24, c) << 16 | grey(c >> 8, c >> 16, c >> 24) << 24;
}

// Elements that begin one behind a multiple of 32 bytes, then four a thread, a grid apart.
__global__ void shifted_before(arrays x)
{
    x.b[global_index()] = x.a[global_index() + 1] * 2;
}
__global__ void shifted_after(arrays x)
{
    float own[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        own[k] = x.a[global_index() + k * grid_threads() + 1];
#pragma unroll
    for (int k = 0; k < 4; k++)
        x.b[global_index() + k * grid_threads()] = own[k] * 2;
}

// The eight smallest of a column in an array that is indexed as it comes, then in registers.
__global__ void smallest_before(arrays x, int columns, int rows)
{
    float least[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    for (int row = 0; row < rows; row++) {
        float own = x.a[row * columns + global_index()];
        int place = 7;
        if (own >= least[7])
            continue;
        for (; place > 0 && least[place - 1] > own; place--)
            least[place] = least[place - 1];
        least[place] = own;
    }
    x.b[global_index()] = least[0] + least[7];
}
__global__ void smallest_after(arrays x, int columns, int rows)
{
    float least[8] = {9, 9, 9, 9, 9, 9, 9, 9};
    for (int row = 0; row < rows; row++) {
        float own = x.a[row * columns + global_index()];
#pragma unroll
        for (float &each : least) {
            float less = fminf(each, own);
            own = fmaxf(each, own);
            each = less;
        }
    }
    x.b[global_index()] = least[0] + least[7];
}

// Through a list of indices: four of them a thread need as many sectors.
__global__ void gather_before(arrays x)
{
    x.b[global_index()] = x.a[x.i[global_index()] & (numbers - 1)];
}
__global__ void gather_useless(arrays x)
{
    int4 own = ((const int4 *)x.i)[global_index()];
    ((float4 *)x.b)[global_index()] = make_float4(x.a[own.x & (numbers - 1)], x.a[own.y & (numbers - 1)],
                                                  x.a[own.z & (numbers - 1)], x.a[own.w & (numbers - 1)]);
}

// From one value to the next: neither more threads nor a warp for each can share that.
__global__ void chase_before(arrays x)
{
    int i = global_index();
    for (int k = 0; k < 64; k++)
        i = x.i[i & (numbers - 1)];
    x.i[numbers + global_index()] = i;
}
__global__ void chase_useless(arrays x)
{
    int i = global_index();
    for (int k = 0; k < 64; k++)
        i = x.i[i & (numbers - 1)];
    x.i[numbers + global_index()] = i;
}

// Structures, then arrays.
struct particle {
    float x, y, z, other[13];
};
__global__ void structures_before(arrays x)
{
    particle *own = (particle *)x.a + global_index();
    own->x += own->z;
    own->y += own->z;
}
__global__ void structures_after(arrays x)
{
    int i = global_index();
    x.a[i] += x.a[i + numbers];
    x.b[i] += x.a[i + numbers];
}

// Bytes, one and sixteen a thread.
__global__ void bytes_before(arrays x)
{
    ((unsigned char *)x.b)[global_index()] = ((const unsigned char *)x.a)[global_index()] ^ 3;
}
__global__ void bytes_after(arrays x)
{
    uint4 own = ((const uint4 *)x.a)[global_index()];
    ((uint4 *)x.b)[global_index()] = make_uint4(own.x ^ 0x03030303, own.y ^ 0x03030303, own.z ^ 0x03030303, own.w ^ 0x03030303);
}

// A matrix as coordinates, sorted by row: an atomic an entry, then the warp adds up what is of one row.
__global__ void entries_before(arrays x)
{
    int i = global_index();
    atomicAdd(&x.b[i / 32], x.a[i] * x.a[numbers + (x.i[i] & 0xffff)]);
}
__global__ void entries_after(arrays x)
{
    int i = global_index();
    float sum = x.a[i] * x.a[numbers + (x.i[i] & 0xffff)];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % 32 == 0)
        x.b[i / 32] = sum;
}

// Each thread counts by key in an array, in local and in shared memory.
__global__ void keys_before(arrays x)
{
    int count[16] = {}, sum = 0;
    for (int k = 0; k < 16; k++)
        count[x.i[k * 65536 + global_index()] & 15]++;
    for (int own : count)
        sum = sum * 31 + own;
    x.b[global_index()] = sum;
}
__global__ void keys_after(arrays x)
{
    __shared__ int count[16][256];
    int sum = 0;
    for (int k = 0; k < 16; k++)
        count[k][threadIdx.x] = 0;
    for (int k = 0; k < 16; k++)
        count[x.i[k * 65536 + global_index()] & 15][threadIdx.x]++;
    for (int k = 0; k < 16; k++)
        sum = sum * 31 + count[k][threadIdx.x];
    x.b[global_index()] = sum;
}

// Sines and cosines to the last place, then fast ones.
template <bool IS_FAST> __device__ void waves(arrays x)
{
    float own = x.a[global_index()];
    for (int k = 0; k < 8; k++)
        own += IS_FAST ? __sinf(own + k) * __cosf(own) : sinf(own + k) * cosf(own);
    x.b[global_index()] = own;
}
__global__ void waves_before(arrays x)
{
    waves<false>(x);
}
__global__ void waves_after(arrays x)
{
    waves<true>(x);
}

// What a loop writes is elsewhere in each turn: a register for what it reads again gains nothing.
__global__ void moves_before(arrays x)
{
    int i = global_index();
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        x.b[k * 65536 + i] = x.a[i] * x.a[0] + x.a[k];
}
__global__ void moves_useless(arrays x)
{
    int i = global_index();
    float own = x.a[i] * x.a[0];
#pragma unroll 1
    for (int k = 0; k < 16; k++)
        x.b[k * 65536 + i] = own + x.a[k];
}

// A thread has one element, and there are few: no more threads can share it.
__global__ void single_before(arrays x)
{
    x.b[global_index()] = 2 * x.a[global_index()];
}
__global__ void single_useless(arrays x)
{
    int i = global_index();
    if (i % 4 == 0)
        x.b[i / 4] = 2 * x.a[i / 4];
}

int main()
{
    arrays x;
    size_t bytes = 4 * numbers * sizeof(float);
    bool is_right = cudaMalloc(&x.a, bytes) == cudaSuccess && cudaMalloc(&x.b, bytes) == cudaSuccess &&
                    cudaMalloc(&x.i, bytes) == cudaSuccess && cudaMemset(x.a, 0, bytes) == cudaSuccess &&
                    cudaMemset(x.b, 0, bytes) == cudaSuccess;
    static int any[numbers];
    unsigned last = 1;
    for (int &own : any) {
        last = last * 1664525 + 1013904223;
        own = last >> 8;
    }
    is_right = is_right && cudaMemcpy(x.i, any, sizeof any, cudaMemcpyHostToDevice) == cudaSuccess;
    for (int i = 0; i < numbers; i++)
        any[i] = i;
    is_right = is_right && cudaMemcpy(x.i + numbers, any, sizeof any, cudaMemcpyHostToDevice) == cudaSuccess;
    each_before<<<1024, 256>>>(x);
    each_after<<<1024, 256>>>(x);
    sum_before<<<4096, 256>>>(x);
    sum_after<<<1056, 256>>>(x);
    tree_before<<<16384, 256>>>(x);
    tree_after<<<1056, 256>>>(x);
    added_before<<<16384, 256>>>(x);
    added_after<<<1056, 256>>>(x);
    turns_before<<<1056, 256>>>(x);
    turns_after<<<1056, 256>>>(x);
    column_before<<<128, 256>>>(x, 128, 32768);
    column_after<<<dim3(128, 8), 256>>>(x, 128, 32768);
    sparse_before<<<256, 256>>>(x);
    sparse_after<<<8192, 256>>>(x);
    sorted_before<<<4096, 256>>>(x);
    sorted_after<<<4096, 256>>>(x);
    point_before<<<dim3(64, 255), dim3(32, 8)>>>(x, 2048);
    point_after<<<dim3(16, 255), dim3(32, 8)>>>(x, 2048);
    vectors_before<<<4096, 256>>>(x);
    vectors_after<<<4096, 256>>>(x);
    few_before<<<264, 256>>>(x);
    few_after<<<1056, 256>>>(x);
    count_before<<<264, 256>>>(x);
    count_after<<<528, 256>>>(x);
    much_before<<<4096, 256>>>(x);
    much_useless<<<1024, 256>>>(x);
    table_before<<<1024, 256>>>(x);
    table_after<<<1024, 256>>>(x);
    double_before<<<4096, 256>>>(x);
    double_after<<<4096, 256>>>(x);
    divide_before<<<4096, 256>>>(x, 1021);
    divide_after<<<4096, 256>>>(x, 1021, 0xffffffffu / 1021 + 1);
    power_before<<<4096, 256>>>(x);
    power_after<<<4096, 256>>>(x);
    quotient_before<<<2048, 256>>>(x, 3);
    quotient_after<<<2048, 256>>>(x, 3);
    kept_before<<<4096, 256>>>(x);
    kept_after<<<4096, 256>>>(x);
    edges_before<<<2048, 256>>>(x);
    edges_after<<<256, 256>>>(x);
    bits_before<<<4096, 256>>>(x);
    bits_after<<<4096, 256>>>(x);
    chain_before<<<132, 128>>>(x);
    chain_after<<<132, 128>>>(x);
    row_before<<<8192, 256>>>(x);
    row_after<<<1024, 256>>>(x);
    is_right = is_right && cudaFuncSetAttribute(tiles_before, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000) == cudaSuccess;
    tiles_before<<<264, 128, 100000>>>(x, 64);
    tiles_after<<<2112, 128, 512>>>(x, 8);
    pixel_before<<<4096, 256>>>(x);
    pixel_after<<<1024, 256>>>(x);
    shifted_before<<<4096, 256>>>(x);
    shifted_after<<<1024, 256>>>(x);
    smallest_before<<<1056, 256>>>(x, numbers / 4, 16);
    smallest_after<<<1056, 256>>>(x, numbers / 4, 16);
    gather_before<<<4096, 256>>>(x);
    gather_useless<<<1024, 256>>>(x);
    chase_before<<<64, 256>>>(x);
    chase_useless<<<128, 128>>>(x);
    entries_before<<<2048, 256>>>(x);
    entries_after<<<2048, 256>>>(x);
    keys_before<<<256, 256>>>(x);
    keys_after<<<256, 256>>>(x);
    waves_before<<<1056, 256>>>(x);
    waves_after<<<1056, 256>>>(x);
    moves_before<<<256, 256>>>(x);
    moves_useless<<<256, 256>>>(x);
    single_before<<<264, 256>>>(x);
    single_useless<<<1056, 256>>>(x);
    structures_before<<<1024, 256>>>(x);
    structures_after<<<1024, 256>>>(x);
    bytes_before<<<16384, 256>>>(x);
    bytes_after<<<1024, 256>>>(x);
    if (!is_right || cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "followed: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    return 0;
}
