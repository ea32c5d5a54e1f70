/* Products of warpgroups, wgmma.mma_async, of factors in shared memory by descriptors and in
 * registers. A line for each case beside what the host computed. See README.md. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                    \
    do {                                                               \
        cudaError_t code = (call);                                     \
        if (code != cudaSuccess) {                                     \
            printf("failed: %s, %s\n", #call, cudaGetErrorName(code)); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

/* ---- descriptors ---- */

enum swizzle { NONE = 0, B128 = 1, B64 = 2, B32 = 3 };

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}
static __device__ uint64_t describe(const void *start, unsigned leading, unsigned stride, unsigned swizzle)
{
    return (uint64_t)((shared_address(start) & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)swizzle << 62;
}

/* Where 16 bytes of a factor are that has `across` rows of K (or K rows of `across`, if turned): by the PTX ISA's
 * canonical layouts. A tile has 64 rows of A or N of B, and 32 bytes of K: `steps` of them follow each other. */
struct layout {
    unsigned swizzle, leading, stride, bytes;
    bool is_turned;
};
static __host__ __device__ unsigned chunks_of(unsigned swizzle)
{
    return swizzle == B128 ? 8 : swizzle == B64 ? 4 : swizzle == B32 ? 2 : 1;
}
/* rows: M or N; bytes of one element. One step of 32 bytes of K. */
static __host__ __device__ layout lay_out(unsigned rows, unsigned element, unsigned swizzle, bool is_turned)
{
    const unsigned chunks = chunks_of(swizzle), k = 32 / element;
    layout l = {swizzle, 16, 0, 0, is_turned};
    if (!is_turned && swizzle == NONE) {
        l.stride = 128; /* groups of 8 rows follow each other, then the other half of K */
        l.leading = rows / 8 * 128;
        l.bytes = 2 * l.leading;
    } else if (!is_turned) {
        l.stride = chunks * 128;
        l.bytes = rows / 8 * l.stride;
    } else if (swizzle == NONE) {
        l.stride = 128; /* 8 elements of K of 8 rows, then the next 8 rows */
        l.leading = rows / 8 * 128;
        l.bytes = k / 8 * l.leading;
    } else {
        l.stride = chunks * 128; /* 8 elements of K */
        l.leading = k / 8 * l.stride;
        l.bytes = (rows + 8 * chunks - 1) / (8 * chunks) * l.leading;
    }
    return l;
}
static __host__ __device__ unsigned place(const layout &l, unsigned row, unsigned k, unsigned element)
{
    const unsigned chunks = chunks_of(l.swizzle);
    unsigned offset;
    if (!l.is_turned) {
        const unsigned byte = k * element;
        offset = row % 8 * chunks * 16 + row / 8 * l.stride + byte % 16 +
                 byte / 16 * (l.swizzle == NONE ? l.leading : 16);
    } else {
        const unsigned byte = row * element, chunk = byte / 16;
        offset = k % 8 * chunks * 16 + byte % 16;
        if (l.swizzle == NONE)
            offset += k / 8 * l.leading + chunk * l.stride;
        else
            offset += k / 8 * l.stride + chunk % chunks * 16 + chunk / chunks * l.leading;
    }
    return offset ^ (offset >> 7 & (chunks - 1)) << 4;
}

/* ---- one product: 64 x N x 32 bytes of K ---- */

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory")
#define SUMS_4(c, at) c(d[at]), c(d[at + 1]), c(d[at + 2]), c(d[at + 3])

#define PRODUCT_16(types, c, flags)                                                                              \
    asm volatile("{.reg .pred p;\n\tsetp.ne.b32 p, %18, 0;\n\t"                                                  \
                 "wgmma.mma_async.sync.aligned.m64n32k" types                                                    \
                 " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p" flags ";}" \
                 : SUMS_4(c, 0), SUMS_4(c, 4), SUMS_4(c, 8), SUMS_4(c, 12)                                       \
                 : "l"(a), "l"(b), "r"(adds))
#define PRODUCT_8(types, c, flags)                                                                          \
    asm volatile("{.reg .pred p;\n\tsetp.ne.b32 p, %10, 0;\n\t"                                             \
                 "wgmma.mma_async.sync.aligned.m64n32k" types " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p" flags ";}" \
                 : SUMS_4(c, 0), SUMS_4(c, 4)                                                               \
                 : "l"(a), "l"(b), "r"(adds))

enum kind { F16, F16_HALF, BF16, TF32, E4M3, E5M2_E4M3, S8, U8_S8, F16_TURNED, F16_TURNED_B, F16_NEGATED, KINDS };

static __device__ void multiply(int kind, float *sum, uint64_t a, uint64_t b, int adds)
{
    float *d = sum;
    FENCE();
    switch (kind) {
    case F16: PRODUCT_16("16.f32.f16.f16", "+f", ", 1, 1, 0, 0"); break;
    case F16_TURNED: PRODUCT_16("16.f32.f16.f16", "+f", ", 1, 1, 1, 1"); break;
    case F16_TURNED_B: PRODUCT_16("16.f32.f16.f16", "+f", ", 1, 1, 0, 1"); break;
    case F16_NEGATED: PRODUCT_16("16.f32.f16.f16", "+f", ", -1, 1, 0, 0"); break;
    case BF16: PRODUCT_16("16.f32.bf16.bf16", "+f", ", 1, 1, 0, 0"); break;
    case TF32: PRODUCT_16("8.f32.tf32.tf32", "+f", ", 1, 1"); break;
    case E4M3: PRODUCT_16("32.f32.e4m3.e4m3", "+f", ", 1, 1"); break;
    case E5M2_E4M3: PRODUCT_16("32.f32.e5m2.e4m3", "+f", ", 1, 1"); break;
    }
    COMMIT();
}
static __device__ void multiply_words(int kind, unsigned *sum, uint64_t a, uint64_t b, int adds)
{
    unsigned *d = sum;
    FENCE();
    switch (kind) {
    case F16_HALF: PRODUCT_8("16.f16.f16.f16", "+r", ", 1, 1, 0, 0"); break;
    case S8: PRODUCT_16("32.s32.s8.s8", "+r", ""); break;
    case U8_S8: PRODUCT_16("32.s32.u8.s8", "+r", ""); break;
    }
    COMMIT();
}

/* Two products into the same sums, the first of which sets them. */
__global__ void product(int kind, layout la, layout lb, const unsigned char *a, const unsigned char *b, unsigned *out)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    unsigned char *in_a = memory, *in_b = memory + 2 * 8192;
    for (unsigned i = threadIdx.x; i < 2 * 8192; i += blockDim.x) {
        in_a[i] = a[i];
        in_b[i] = b[i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float sums[16];
    unsigned words[16];
    for (int i = 0; i < 16; i++)
        sums[i] = 1000, words[i] = 77;
    const bool is_words = kind == F16_HALF || kind == S8 || kind == U8_S8;
    for (int step = 0; step < 2; step++) {
        const uint64_t da = describe(in_a + step * 8192, la.leading, la.stride, la.swizzle);
        const uint64_t db = describe(in_b + step * 8192, lb.leading, lb.stride, lb.swizzle);
        if (is_words)
            multiply_words(kind, words, da, db, step);
        else
            multiply(kind, sums, da, db, step);
    }
    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = is_words ? words[i] : __float_as_uint(sums[i]);
}

/* ---- A in registers, and the largest shape ---- */

__global__ void from_registers(layout lb, const __half *a, const unsigned char *b, float *out)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    for (unsigned i = threadIdx.x; i < 8192; i += blockDim.x)
        memory[i] = b[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    unsigned r[4];
    for (int i = 0; i < 4; i++)
        r[i] = *(const unsigned *)&a[(row + i % 2 * 8) * 16 + column + i / 2 * 8];
    float d[16] = {};
    const uint64_t db = describe(memory, lb.leading, lb.stride, lb.swizzle);
    FENCE();
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, 1, 1, -1, 0;"
                 : SUMS_4("+f", 0), SUMS_4("+f", 4), SUMS_4("+f", 8), SUMS_4("+f", 12)
                 : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db));
    COMMIT();
    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = d[i];
}

/* ---- on the host ---- */

static float from_bits(int kind, const unsigned char *at, bool is_b)
{
    switch (kind) {
    case BF16: { __nv_bfloat16 v; memcpy(&v, at, 2); return __bfloat162float(v); }
    case TF32: { float v; memcpy(&v, at, 4); return v; }
    case E4M3: { __nv_fp8_e4m3 v; memcpy(&v, at, 1); return (float)v; }
    case E5M2_E4M3:
        if (is_b) { __nv_fp8_e4m3 v; memcpy(&v, at, 1); return (float)v; }
        else { __nv_fp8_e5m2 v; memcpy(&v, at, 1); return (float)v; }
    case S8: return (float)(signed char)*at;
    case U8_S8: return is_b ? (float)(signed char)*at : (float)*at;
    default: { __half v; memcpy(&v, at, 2); return __half2float(v); }
    }
}
static void to_bits(int kind, unsigned char *at, int value, bool is_b)
{
    const float x = (float)value / 4;
    switch (kind) {
    case BF16: { __nv_bfloat16 v = __float2bfloat16(x); memcpy(at, &v, 2); break; }
    case TF32: memcpy(at, &x, 4); break;
    case E4M3: { __nv_fp8_e4m3 v(x); memcpy(at, &v, 1); break; }
    case E5M2_E4M3:
        if (is_b) { __nv_fp8_e4m3 v(x); memcpy(at, &v, 1); }
        else { __nv_fp8_e5m2 v(x); memcpy(at, &v, 1); }
        break;
    case S8:
    case U8_S8: *at = (unsigned char)(value * 9); break;
    default: { __half v = __float2half(x); memcpy(at, &v, 2); }
    }
}
static unsigned element_of(int kind)
{
    return kind == TF32 ? 4 : kind == E4M3 || kind == E5M2_E4M3 || kind == S8 || kind == U8_S8 ? 1 : 2;
}

static void show(const char *name, int kind, unsigned swizzle_a, unsigned swizzle_b)
{
    const unsigned element = element_of(kind), k = 32 / element, columns = 32;
    const layout la = lay_out(64, element, swizzle_a, kind == F16_TURNED);
    const layout lb = lay_out(columns, element, swizzle_b, kind == F16_TURNED || kind == F16_TURNED_B);
    std::vector<unsigned char> a(2 * 8192), b(2 * 8192);
    std::vector<double> wanted(64 * columns);
    for (unsigned step = 0; step < 2; step++) {
        for (unsigned i = 0; i < 64; i++)
            for (unsigned j = 0; j < k; j++)
                to_bits(kind, &a[step * 8192 + place(la, i, j, element)], (int)((i * 7 + j * 3 + step) % 13) - 6, false);
        for (unsigned i = 0; i < columns; i++)
            for (unsigned j = 0; j < k; j++)
                to_bits(kind, &b[step * 8192 + place(lb, i, j, element)], (int)((i * 5 + j * 11 + step * 2) % 9) - 4, true);
        for (unsigned i = 0; i < 64; i++)
            for (unsigned n = 0; n < columns; n++)
                for (unsigned j = 0; j < k; j++)
                    wanted[i * columns + n] +=
                        (kind == F16_NEGATED ? -1.0 : 1.0) * from_bits(kind, &a[step * 8192 + place(la, i, j, element)], false) *
                        from_bits(kind, &b[step * 8192 + place(lb, n, j, element)], true);
    }
    unsigned char *da, *db;
    unsigned *out;
    CHECK(cudaMalloc(&da, a.size()));
    CHECK(cudaMalloc(&db, b.size()));
    CHECK(cudaMalloc(&out, 128 * 16 * 4));
    CHECK(cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size(), cudaMemcpyHostToDevice));
    product<<<1, 128, 4 * 8192>>>(kind, la, lb, da, db, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got(128 * 16);
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned thread = 0; thread < 128; thread++)
        for (unsigned e = 0; e < 16; e++) {
            const unsigned row = thread / 32 * 16 + thread % 32 / 4 + e / 2 % 2 * 8;
            const unsigned column = e / 4 * 8 + thread % 4 * 2 + e % 2;
            double value;
            if (kind == F16_HALF) {
                const unsigned word = got[thread * 16 + e / 2];
                const unsigned short bits = (unsigned short)(e % 2 ? word >> 16 : word);
                __half half;
                memcpy(&half, &bits, 2);
                value = __half2float(half);
            } else if (kind == S8 || kind == U8_S8) {
                value = (int)got[thread * 16 + e];
            } else {
                float single;
                memcpy(&single, &got[thread * 16 + e], 4);
                value = single;
            }
            wrong += value != wanted[row * columns + column];
        }
    printf("%s: %d of 2048 differ\n", name, wrong);
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(out));
}

static void show_registers()
{
    const layout lb = lay_out(32, 2, B32, false);
    std::vector<__half> a(64 * 16);
    std::vector<unsigned char> b(8192);
    for (int i = 0; i < 64 * 16; i++)
        a[i] = __float2half((float)(i % 11 - 5));
    for (unsigned n = 0; n < 32; n++)
        for (unsigned k = 0; k < 16; k++)
            to_bits(F16, &b[place(lb, n, k, 2)], (int)((n * 3 + k) % 7) - 3, true);
    __half *da;
    unsigned char *db;
    float *out;
    CHECK(cudaMalloc(&da, a.size() * 2));
    CHECK(cudaMalloc(&db, b.size()));
    CHECK(cudaMalloc(&out, 128 * 16 * 4));
    CHECK(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size(), cudaMemcpyHostToDevice));
    from_registers<<<1, 128, 8192>>>(lb, da, db, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got(128 * 16);
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned thread = 0; thread < 128; thread++)
        for (unsigned e = 0; e < 16; e++) {
            const unsigned row = thread / 32 * 16 + thread % 32 / 4 + e / 2 % 2 * 8;
            const unsigned column = e / 4 * 8 + thread % 4 * 2 + e % 2;
            float wanted = 0;
            for (unsigned k = 0; k < 16; k++)
                wanted -= __half2float(a[row * 16 + k]) * from_bits(F16, &b[place(lb, column, k, 2)], true);
            wrong += got[thread * 16 + e] != wanted;
        }
    printf("registers: %d of 2048 differ\n", wrong);
}

int main()
{
    CHECK(cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, 4 * 8192));
    show("f16", F16, NONE, NONE);
    show("f16_32", F16, B32, B32);
    show("f16_64", F16, B64, B64);
    show("f16_128", F16, B128, B128);
    show("f16_mixed", F16, B128, B32);
    show("f16_half", F16_HALF, B64, B64);
    show("f16_negated", F16_NEGATED, B32, B32);
    show("bf16", BF16, B128, B128);
    show("tf32", TF32, NONE, NONE);
    show("tf32_128", TF32, B128, B128);
    show("e4m3", E4M3, B64, B64);
    show("e5m2_e4m3", E5M2_E4M3, B128, B128);
    show("s8", S8, B128, B128);
    show("u8_s8", U8_S8, NONE, NONE);
    show("turned", F16_TURNED, NONE, NONE);
    show("turned_32", F16_TURNED, B32, B32);
    show("turned_64", F16_TURNED, B64, B64);
    show("turned_128", F16_TURNED, B128, B64);
    show("turned_b", F16_TURNED_B, B128, B64);
    show_registers();
    return 0;
}
