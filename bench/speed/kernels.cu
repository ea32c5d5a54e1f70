// The two kernels that `make bench` runs: tiled SGEMM and a 5x5 stencil with a guard at the border.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define TILE 16
struct weights {
    float value[25];
};

extern "C" __global__ void sgemm(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void stencil(const float *in, float *out, weights w, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2)
        return;
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += w.value[(j + 2) * 5 + i + 2] * in[(y + j) * width + x + i];
    out[y * width + x] = sum;
}

// Each thread writes its own row, as threads beside each other should not.
extern "C" __global__ void scatter(float *out, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        out[row * n + i] = (float)(row ^ i);
}

// Products without tiles; threads beside each other have rows beside each other.
extern "C" __global__ void gemm_by_rows(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// A warp's 16 x 8 x 16 products of halves between -1 and 1, on registers alone.
extern "C" __global__ void multiply_halves(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned factor[8];
    float sum[4][4] = {{0}};
    for (int i = 0; i < 8; i++)
        factor[i] = (thread * 8 + i) * 2654435761u & 0xb7ffb7ffu;
#pragma unroll 1
    for (int step = 0; step < steps; step++)
        for (int tile = 0; tile < 4; tile++)
            asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(sum[tile][0]), "+f"(sum[tile][1]), "+f"(sum[tile][2]), "+f"(sum[tile][3])
                : "r"(factor[tile]), "r"(factor[tile + 1]), "r"(factor[tile + 2]),
                  "r"(factor[tile + 3]), "r"(factor[tile + 4]), "r"(factor[(tile + 5) % 8]));
    for (int i = 0; i < 16; i++)
        out[16 * thread + i] = sum[i / 4][i % 4];
}

// A softmax's exponentials, and what else the special function unit does, on registers alone.
extern "C" __global__ void functions(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0, value = thread % 64 * 0.125f - 4;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        sum += expf(value) + rsqrtf(value * value + 1) + __logf(fabsf(value) + 0.5f);
        value = sum - floorf(sum) - 0.5f;
    }
    out[thread] = sum;
}

// Numbers made integers and back, as codecs and histograms do.
extern "C" __global__ void conversions(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float value = thread * 0.37f;
    int sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int low = (int)floorf(value), near = __float2int_rn(value * 3);
        const unsigned above = __float2uint_ru(fabsf(value));
        sum += low + near + (int)above;
        value = value * 0.75f + (float)(sum & 1023) - __int2float_rz(near);
        value = fminf(fmaxf(value, -1000), 1000);
    }
    out[thread] = (float)sum;
}

// Halves in pairs, as activations and optimizers have them: fused, products, sums, the greater, and single precision beside.
extern "C" __global__ void pairs_of_halves(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 scale = __floats2half2_rn(0.75f, -0.5f), zero = __floats2half2_rn(0, 0);
    __half2 value = __floats2half2_rn(thread % 64 * 0.125f, 1), sum = zero;
    __nv_bfloat162 wide = __floats2bfloat162_rn(thread % 32 * 0.25f, 1), of = __floats2bfloat162_rn(0.5f, 0.25f);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        value = __hfma2(value, scale, __hmul2(sum, scale));
        sum = __hadd2(__hmax2(value, zero), __hfma2(sum, scale, value));
        wide = __hfma2(wide, of, of);
        const float2 both = __half22float2(sum);
        value = __hsub2(__floats2half2_rn(both.x * 0.5f, both.y + 1), value);
    }
    const float2 found = __half22float2(__hadd2(sum, value)), more = __bfloat1622float2(wide);
    out[thread] = found.x + found.y + more.x + more.y;
}

// Numbers modulo a prime of 64 bits, and of 128 bits with carries, as hashes and proofs have them.
extern "C" __global__ void long_integers(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long value = thread * 0x9e3779b97f4a7c15ull, low = value, high = ~value;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const unsigned long long above = __umul64hi(value, low), below = value * low;
        value = below - (above >> 32) + (above << 32) - above;
        asm("add.cc.u64 %0, %0, %2; addc.u64 %1, %1, %3;"
            : "+l"(low), "+l"(high) : "l"(value), "l"(above));
        asm("mad.lo.cc.u64 %0, %2, %3, %0; madc.hi.u64 %1, %2, %3, %1;"
            : "+l"(low), "+l"(high) : "l"(high), "l"(value));
    }
    out[thread] = (float)(value ^ low ^ high);
}

// Arrays of a thread whose places are known only when it runs, as small systems of equations have them.
extern "C" __global__ void local_arrays(float *out, int steps)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    double matrix[5][5];
    float row[32];
    for (int i = 0; i < 25; i++)
        matrix[i / 5][i % 5] = i % 6 ? 0.125 * (thread % 8) : 4;
    for (int i = 0; i < 32; i++)
        row[i] = (thread + i) % 9;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int pivot = step % 5;
#pragma unroll 1
        for (int i = 0; i < 5; i++)
            matrix[i][(pivot + 1) % 5] -= matrix[i][pivot] * matrix[pivot][i] * 0.001;
        row[step % 32] = row[(step * 7) % 32] * 0.5f + row[(thread + step) % 32];
    }
    out[thread] = (float)(matrix[steps % 5][thread % 5] + row[thread % 32]);
}

// A histogram of numbers that fall anywhere, in shared memory.
extern "C" __global__ void histogram(float *out, int steps)
{
    __shared__ unsigned bins[256];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    unsigned value = thread * 2654435761u;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        value = value * 1664525 + 1013904223;
        atomicAdd(&bins[value >> 24], 1);
    }
    __syncthreads();
    out[thread] = bins[threadIdx.x % 256];
}
