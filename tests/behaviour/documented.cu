// What NVIDIA's documents fix of values at their limits, of lanes that work together and of errors: a line of output a
// case. documented.txt has the lines, README.md says where they are from.
#include <cassert>
#include <climits>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

static const char *check(cudaError_t error)
{
    return cudaGetErrorName(error);
}

// Runs a kernel that writes `count` words and prints them.
template <class... Given>
static void show(const char *name, int count, void (*kernel)(unsigned *, Given...), int threads, Given... given)
{
    unsigned *there, here[16] = {0};
    cudaMalloc(&there, sizeof here);
    cudaMemset(there, 0, sizeof here);
    kernel<<<1, threads>>>(there, given...);
    cudaMemcpy(here, there, sizeof here, cudaMemcpyDeviceToHost);
    printf("%s:", name);
    for (int i = 0; i < count; i++)
        printf(" %08x", here[i]);
    printf("\n");
    cudaFree(there);
}

static __device__ unsigned bits(float value)
{
    return __float_as_uint(value);
}

// ---- values ----

__global__ void nan_min_max(unsigned *out, float nan, float other_nan, float one, float zero)
{
    float result;
    out[0] = bits(fminf(nan, one));
    out[1] = bits(fmaxf(one, nan));
    out[2] = bits(fminf(zero, -zero));
    out[3] = bits(fmaxf(-zero, zero));
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(one), "f"(nan));
    out[4] = bits(result);
    out[5] = bits(fminf(nan, other_nan));
}

__global__ void subnormal(unsigned *out, float tiny, float half)
{
    float kept, flushed, negative;
    asm("mul.f32 %0, %1, %2;" : "=f"(kept) : "f"(tiny), "f"(half));
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(flushed) : "f"(tiny), "f"(half));
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(negative) : "f"(-tiny), "f"(half));
    out[0] = bits(kept);
    out[1] = bits(flushed);
    out[2] = bits(negative);
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(flushed) : "f"(kept), "f"(tiny));
    out[3] = bits(flushed);
}

__global__ void canonical_nan(unsigned *out, float minus_one, float infinity)
{
    out[0] = bits(sqrtf(minus_one));
    out[1] = bits(infinity - infinity);
    out[2] = bits(minus_one / infinity * infinity);
    out[3] = bits(fmaf(infinity, 0.0f * minus_one, minus_one));
}

__global__ void saturate(unsigned *out, float nan, float two)
{
    out[0] = bits(__saturatef(nan));
    out[1] = bits(__saturatef(two));
    out[2] = bits(__saturatef(-two));
    out[3] = bits(__saturatef(two / 8));
}

__global__ void round_halves(unsigned *out, float a, float b)
{
    out[0] = (unsigned)__float2int_rn(a);
    out[1] = (unsigned)__float2int_rn(a + 1);
    out[2] = (unsigned)__float2int_rz(-b);
    out[3] = (unsigned)__float2int_ru(b);
    out[4] = (unsigned)__float2int_rd(-b);
    out[5] = (unsigned)lrintf(-a);
    out[6] = (unsigned)(int)roundf(a);
}

__global__ void one_rounding(unsigned *out, float a, float b, float c)
{
    out[0] = bits(fmaf(a, b, c));
    out[1] = bits(__fadd_rn(__fmul_rn(a, b), c));
}

__global__ void approximate_limits(unsigned *out, float zero, float infinity)
{
    float result;
    asm("ex2.approx.f32 %0, %1;" : "=f"(result) : "f"(-infinity));
    out[0] = bits(result);
    asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(zero));
    out[1] = bits(result);
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(-zero));
    out[2] = bits(result);
    asm("rcp.approx.f32 %0, %1;" : "=f"(result) : "f"(-infinity));
    out[3] = bits(result);
}

__global__ void half_limits(unsigned *out, float a)
{
    out[0] = __half_as_ushort(__float2half_rn(65519.0f + a));
    out[1] = __half_as_ushort(__float2half_rn(65520.0f + a));
    out[2] = __half_as_ushort(__float2half_rn(5.9604645e-8f + a));
    out[3] = __half_as_ushort(__float2half_rn(2.9802322e-8f + a));
    out[4] = __half_as_ushort(__float2half_rz(1e6f + a));
}

__global__ void bits_of_zero(unsigned *out, unsigned zero)
{
    unsigned found;
    asm("bfind.u32 %0, %1;" : "=r"(found) : "r"(zero));
    out[0] = (unsigned)__clz((int)zero);
    out[1] = (unsigned)__ffs((int)zero);
    out[2] = (unsigned)__popc(~zero);
    out[3] = __brev(zero + 6);
    out[4] = found;
}

__global__ void fields(unsigned *out, unsigned a, unsigned length)
{
    unsigned result;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(4u), "r"(length - 8));
    out[0] = result;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(28u), "r"(length));
    out[1] = result;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(28u), "r"(length));
    out[2] = result;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(0u), "r"(28u), "r"(length));
    out[3] = result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(0x01020304u), "r"(0x74b0u));
    out[4] = result;
}

__global__ void funnels(unsigned *out, unsigned low, unsigned high, unsigned far)
{
    out[0] = __funnelshift_l(low, high, far);
    out[1] = __funnelshift_lc(low, high, far);
    out[2] = __funnelshift_r(low, high, far);
    out[3] = __funnelshift_rc(low, high, far);
}

__global__ void narrow_products(unsigned *out, int a, unsigned b)
{
    out[0] = (unsigned)__mul24(a, 3);
    out[1] = __umul24(b, b);
    out[2] = (unsigned)__mulhi(a, a);
    out[3] = __umulhi(b, ~0u);
    out[4] = (unsigned)__dp4a((int)0x80808080, 0x01010101, a);
    out[5] = __sad(a, -a, b);
    out[6] = (unsigned)__hadd(INT_MAX, INT_MAX - 2);
}

// ---- lanes and threads that work together ----

__global__ void vote_in_branch(unsigned *out)
{
    unsigned lane = threadIdx.x, seen;
    if (lane % 2)
        seen = __ballot_sync(0xaaaaaaaau, lane < 16);
    else
        seen = __ballot_sync(0x55555555u, lane >= 16);
    if (lane < 2)
        out[lane] = seen;
    int all = 0;
    seen = __match_any_sync(0xffffffffu, lane / 5);
    if (lane == 7)
        out[2] = seen;
    seen = __match_all_sync(0xffffffffu, lane / 32, &all);
    if (lane == 7)
        out[3] = seen, out[4] = (unsigned)all;
    seen = __reduce_add_sync(0xffffffffu, lane);
    if (lane == 31)
        out[5] = seen, out[6] = (unsigned)__reduce_min_sync(0x80000000u, -3);
}

__global__ void vote_of_the_rest(unsigned *out)
{
    if (threadIdx.x >= 20)
        return;
    unsigned seen = __ballot_sync(0xffffffffu, threadIdx.x != 3);
    if (threadIdx.x == 0)
        out[0] = seen, out[1] = (unsigned)__all_sync(0xffffffffu, 1);
    else
        __all_sync(0xffffffffu, 1);
}

__global__ void lane_masks(unsigned *out)
{
    unsigned mask;
    if (threadIdx.x != 37)
        return;
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
    out[0] = mask;
    asm("mov.u32 %0, %lanemask_ge;" : "=r"(mask));
    out[1] = mask;
    asm("mov.u32 %0, %laneid;" : "=r"(mask));
    out[2] = mask;
}

__global__ void counting_barriers(unsigned *out)
{
    unsigned count = (unsigned)__syncthreads_count(threadIdx.x % 3 == 0);
    unsigned all = (unsigned)__syncthreads_and(threadIdx.x < 100), any = (unsigned)__syncthreads_or(threadIdx.x == 99);
    if (threadIdx.x == 70)
        out[0] = count, out[1] = all != 0, out[2] = any != 0;
}

// Lanes of one branch hand words on through shared memory; the others are elsewhere.
__global__ void warp_barrier(unsigned *out)
{
    __shared__ unsigned words[32];
    unsigned lane = threadIdx.x;
    if (lane >= 8) {
        for (int round = 0; round < 5; round++) {
            words[lane] = lane + (round ? words[lane] : 0);
            __syncwarp(0xffffff00u);
            unsigned next = words[lane == 31 ? 8 : lane + 1];
            __syncwarp(0xffffff00u);
            words[lane] = next;
        }
        __syncwarp(0xffffff00u);
        if (lane == 8)
            out[0] = words[8], out[1] = words[31];
    }
}

__global__ void wrapping_atomics(unsigned *out)
{
    atomicInc(&out[0], 9);
    atomicDec(&out[1], 9);
    atomicMax((int *)&out[2], (int)threadIdx.x - 70);
    atomicMin((int *)&out[3], (int)threadIdx.x - 70);
    atomicXor(&out[4], threadIdx.x);
    atomicSub(&out[5], 2);
}

// Each value is drawn once; a lock-free maximum ends with the largest.
__global__ void drawn_once(unsigned *out)
{
    __shared__ unsigned next, seen[256];
    if (threadIdx.x == 0)
        next = 0;
    seen[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&seen[atomicAdd(&next, 1)], 1);
    unsigned mine = threadIdx.x * 37 % 256, old = out[1];
    while (old < mine) {
        unsigned found = atomicCAS(&out[1], old, mine);
        if (found == old)
            break;
        old = found;
    }
    __syncthreads();
    int once = __syncthreads_count(seen[threadIdx.x] == 1);
    if (threadIdx.x == 0)
        out[0] = (unsigned)once, out[2] = atomicExch(&next, 5), out[3] = next;
}

__global__ void heap(unsigned *out, size_t huge)
{
    char *small = (char *)malloc(100), *large = (char *)malloc(huge);
    out[0] = small != nullptr;
    out[1] = (unsigned)((size_t)small % 16);
    out[2] = large == nullptr;
    free(small);
    free(nullptr);
}

// ---- what the host hears ----

__global__ void say(int *counts, const char *nothing)
{
    counts[0] = printf("print: %d and %s\n", 42, "text");
    counts[1] = printf("print: no argument\n");
    counts[2] = printf(nothing);
}

__global__ void fails(int value)
{
    assert(value == 0);
}

__global__ void traps()
{
    __trap();
}

__global__ void nothing()
{
}

static void host()
{
    int *counts, here[3];
    cudaMalloc(&counts, sizeof here);
    say<<<1, 1>>>(counts, nullptr);
    cudaMemcpy(here, counts, sizeof here, cudaMemcpyDeviceToHost);
    printf("print_results: %d %d %d\n", here[0], here[1], here[2]);
    nothing<<<1, 1025>>>(); // which error it is changed with CUDA 13
    int refused = cudaGetLastError() != cudaSuccess;
    nothing<<<1, 32, 100 * 1024>>>();
    refused += cudaGetLastError() != cudaSuccess;
    nothing<<<1, 0>>>();
    refused += cudaGetLastError() != cudaSuccess;
    printf("launch_limits: %d refused, then %s\n", refused, check(cudaGetLastError()));
    fails<<<1, 32>>>(1);
    const char *first = check(cudaDeviceSynchronize());
    printf("assertion: %s %s\n", first, check(cudaMalloc(&counts, 4)));
    first = check(cudaDeviceReset());
    const char *second = check(cudaMalloc(&counts, 4));
    traps<<<1, 1>>>();
    printf("trap: %s %s %s\n", first, second, check(cudaDeviceSynchronize()));
}

int main()
{
    float nan = __builtin_nanf(""), infinity = __builtin_inff();
    show("nan_min_max", 6, nan_min_max, 1, nan, -nan, 1.0f, 0.0f);
    show("subnormal", 4, subnormal, 1, 1.17549435e-38f, 0.5f);
    show("canonical_nan", 4, canonical_nan, 1, -1.0f, infinity);
    show("saturate", 4, saturate, 1, nan, 2.0f);
    show("round_halves", 7, round_halves, 1, 2.5f, 2.25f);
    show("one_rounding", 2, one_rounding, 1, 1.0f + 1.0f / 4096, 1.0f + 1.0f / 4096, -1.0f - 1.0f / 2048);
    show("approximate_limits", 4, approximate_limits, 1, 0.0f, infinity);
    show("half_limits", 5, half_limits, 1, 0.0f);
    show("bits_of_zero", 5, bits_of_zero, 1, 0u);
    show("fields", 5, fields, 1, 0x8765432fu, 8u);
    show("funnels", 4, funnels, 1, 0x80000001u, 0x12345678u, 36u);
    show("narrow_products", 7, narrow_products, 1, -5, 0x81000003u);
    show("vote_in_branch", 7, vote_in_branch, 32);
    show("vote_of_the_rest", 2, vote_of_the_rest, 32);
    show("lane_masks", 3, lane_masks, 64);
    show("counting_barriers", 3, counting_barriers, 100);
    show("warp_barrier", 2, warp_barrier, 32);
    show("wrapping_atomics", 6, wrapping_atomics, 64);
    show("drawn_once", 4, drawn_once, 256);
    show("heap", 3, heap, 1, (size_t)1 << 40);
    host();
    return 0;
}
