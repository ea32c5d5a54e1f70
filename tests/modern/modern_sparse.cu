/* Sparse products of warpgroups, wgmma.mma_async.sp, and of warps, mma.sp: of each chunk of a row of A half the elements
 * are there, and metadata say which. A line for each case beside what the host computed of small whole numbers, whose sums
 * are exact. See README.md. */
#include <cuda_runtime.h>
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

/* A and B lie by fragments: word w of register r of a thread; sums start at 1000. */
struct input {
    uint32_t a[4][128], b[4][32], metadata[128];
};

static __device__ uint64_t describe(const void *start, unsigned leading, unsigned stride, unsigned swizzle)
{
    return (uint64_t)((__cvta_generic_to_shared(start) & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)swizzle << 62;
}

/* Where 16 bytes of a row stand: of rows as long as their swizzle has it, or of core matrices of 8 rows. */
static __device__ unsigned place(unsigned row, unsigned chunk, unsigned chunks, bool is_swizzled)
{
    if (!is_swizzled)
        return (row / 8 * chunks + chunk) * 128 + row % 8 * 16;
    const unsigned offset = row * chunks * 16 + chunk * 16;
    return offset ^ (offset >> 7 & (chunks - 1)) << 4;
}

/* Puts a factor's registers into shared memory, and describes it there. */
static __device__ uint64_t share(unsigned char *memory, const uint32_t *words, unsigned rows, unsigned chunks,
                                 bool is_swizzled)
{
    const unsigned t = threadIdx.x, lane = t % 32;
    for (unsigned i = t / 32; i < rows / 8 * chunks; i += 4) { /* 8 rows of a chunk: a register of a warp */
        const unsigned group = i % (rows / 8), chunk = i / (rows / 8);
        const uint32_t word = rows == 8 ? words[chunk * 32 + lane] : words[(chunk * 2 + group % 2) * 128 + group / 2 * 32 + lane];
        memcpy(memory + place(group * 8 + lane / 4, chunk, chunks, is_swizzled) + lane % 4 * 4, &word, 4);
    }
    return is_swizzled ? describe(memory, 16, chunks * 128, chunks == 4 ? 2 : 3)
                       : describe(memory, 128, chunks * 128, 0);
}

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory")
#define GROUP(c, words, from, sel, flags)                                                                    \
    asm volatile("wgmma.mma_async.sp.sync.aligned." words " {%0, %1, %2, %3}, " from ", %9, %10, " sel ", 1" flags ";" \
                 : c(d[0]), c(d[1]), c(d[2]), c(d[3])                                                        \
                 : "r"(in->a[0][t]), "r"(in->a[1][t]), "r"(in->a[2][t]), "r"(in->a[3][t]), "l"(da), "l"(db), "r"(in->metadata[t]))
#define SHARED "%8"
#define REGISTERS "{%4, %5, %6, %7}"

enum { GROUP_F16, GROUP_F16_SELECTED, GROUP_F16_REGISTERS, GROUP_BF16, GROUP_TF32, GROUP_E4M3, GROUP_E5M2_NEGATED, GROUP_S8, GROUP_U8_REGISTERS };

template <int KIND, bool IS_SWIZZLED> __global__ void __launch_bounds__(128) group(const input *in, float *out)
{
    __shared__ __align__(1024) unsigned char memory[2048 + 512];
    const unsigned t = threadIdx.x;
    const uint64_t da = share(memory, in->a[0], 64, 2, IS_SWIZZLED);
    const uint64_t db = share(memory + 2048, in->b[0], 8, 4, IS_SWIZZLED);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    float sums[4] = {1000, 1000, 1000, 1000};
    int words[4] = {1000, 1000, 1000, 1000};
    FENCE();
    if (KIND == GROUP_S8 || KIND == GROUP_U8_REGISTERS) {
        int *d = words;
        if (KIND == GROUP_S8)
            GROUP("+r", "m64n8k64.s32.s8.s8", SHARED, "0", "");
        else
            GROUP("+r", "m64n8k64.s32.u8.s8", REGISTERS, "0", "");
    } else {
        float *d = sums;
        if (KIND == GROUP_F16)
            GROUP("+f", "m64n8k32.f32.f16.f16", SHARED, "0", ", 1, 1, 0, 0");
        else if (KIND == GROUP_F16_SELECTED)
            GROUP("+f", "m64n8k32.f32.f16.f16", SHARED, "1", ", 1, 1, 0, 0");
        else if (KIND == GROUP_F16_REGISTERS)
            GROUP("+f", "m64n8k32.f32.f16.f16", REGISTERS, "1", ", 1, 1, 0");
        else if (KIND == GROUP_BF16)
            GROUP("+f", "m64n8k32.f32.bf16.bf16", SHARED, "0", ", 1, 1, 0, 0");
        else if (KIND == GROUP_TF32)
            GROUP("+f", "m64n8k16.f32.tf32.tf32", SHARED, "1", ", 1, 1");
        else if (KIND == GROUP_E4M3)
            GROUP("+f", "m64n8k64.f32.e4m3.e4m3", SHARED, "0", ", 1, 1");
        else
            GROUP("+f", "m64n8k64.f32.e5m2.e5m2", SHARED, "0", ", -1, 1");
    }
    COMMIT();
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = KIND == GROUP_S8 || KIND == GROUP_U8_REGISTERS ? words[i] : sums[i];
}

/* A warp's; the others do the same with their own A. */
enum { WARP_F16, WARP_TF32, WARP_S8, WARP_E5M2 };

#define WARP(c, words, sel)                                                                                       \
    asm volatile("mma.sp::ordered_metadata.sync.aligned." words                                                   \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, " sel ";"       \
                 : c(d[0]), c(d[1]), c(d[2]), c(d[3])                                                             \
                 : "r"(in->a[0][t]), "r"(in->a[1][t]), "r"(in->a[2][t]), "r"(in->a[3][t]), "r"(in->b[0][t % 32]), \
                   "r"(in->b[1][t % 32]), "r"(in->b[2][t % 32]), "r"(in->b[3][t % 32]), "r"(in->metadata[t]))

template <int KIND> __global__ void __launch_bounds__(128) warp(const input *in, float *out)
{
    const unsigned t = threadIdx.x;
    float sums[4] = {1000, 1000, 1000, 1000};
    int words[4] = {1000, 1000, 1000, 1000};
    if (KIND == WARP_S8) {
        int *d = words;
        WARP("+r", "m16n8k64.row.col.s32.s8.s8.s32", "0");
    } else {
        float *d = sums;
        if (KIND == WARP_F16)
            WARP("+f", "m16n8k32.row.col.f32.f16.f16.f32", "1");
        else if (KIND == WARP_TF32)
            WARP("+f", "m16n8k16.row.col.f32.tf32.tf32.f32", "0");
        else
            WARP("+f", "m16n8k64.row.col.f32.e5m2.e5m2.f32", "0");
    }
    for (int i = 0; i < 4; i++)
        out[i * 128 + t] = KIND == WARP_S8 ? words[i] : sums[i];
}

/* ---- on the host ---- */

struct type {
    unsigned bits, fraction_bits, bias; /* bias 0: whole numbers */
};
static const type F16 = {16, 10, 15}, BF16 = {16, 7, 127}, TF32 = {32, 23, 127}, E4M3 = {8, 3, 7}, E5M2 = {8, 2, 15},
                  WHOLE = {8, 0, 0};

static uint32_t random_state = 12345;
static int below(int n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)n);
}

/* 1, 2 or 4, and the sign. */
static uint32_t bits_of(const type &t, int power, bool is_negative)
{
    if (!t.bias)
        return (uint32_t)((1 << power) * (is_negative ? -1 : 1)) & 0xff;
    return (uint32_t)is_negative << (t.bits - 1) | (t.bias + power) << t.fraction_bits;
}
static void put(uint32_t *word, unsigned at, unsigned bits, uint32_t value)
{
    *word |= value << (at * bits & 31);
}

/* Fills a case whose metadata the lanes of the selector hold; the others' say something else. */
static void fill(const type &t, unsigned selector, bool is_positive, input *in, float dense[64][64], float b[64][8])
{
    static const uint8_t pairs[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    const unsigned per = 32 / t.bits, k = 512 / t.bits, width = t.bits == 32 ? 2 : 4, kept = width / 2;
    memset(in, 0, sizeof *in);
    memset(dense, 0, 64 * 64 * sizeof(float));
    for (unsigned lane = 0; lane < 128; lane++)
        for (unsigned i = 0; i < 8; i++)
            in->metadata[lane] |= (t.bits == 32 ? (below(2) ? 0x4u : 0xeu) : pairs[below(6)]) << 4 * i;
    for (unsigned row = 0; row < 64; row++)
        for (unsigned j = 0; j < k / 2; j++) {
            const unsigned chunk = j / kept, first = row / 16 * 32 + row % 8 * 4, half = row / 8 % 2;
            const unsigned lane = t.bits == 8 ? 2 * (chunk / 8) + half : 2 * selector + chunk / 4;
            const unsigned nibble = in->metadata[first + lane] >> 4 * (t.bits == 8 ? chunk % 8 : chunk % 4 + 4 * half) & 15;
            const unsigned at = chunk * width + (t.bits == 32 ? nibble / 8 : nibble >> 2 * (j % 2) & 3);
            const int power = below(3);
            const bool is_negative = !is_positive && below(2);
            put(&in->a[j / (4 * per) * 2 + half][first + j / per % 4], j % per, t.bits, bits_of(t, power, is_negative));
            dense[row][at] = (float)(1 << power) * (is_negative ? -1 : 1);
        }
    for (unsigned i = 0; i < k; i++)
        for (unsigned column = 0; column < 8; column++) {
            const int power = below(3);
            const bool is_negative = below(2);
            put(&in->b[i / (4 * per)][column * 4 + i / per % 4], i % per, t.bits, bits_of(t, power, is_negative));
            b[i][column] = (float)(1 << power) * (is_negative ? -1 : 1);
        }
}

static void run(const char *name, void (*kernel)(const input *, float *), const type &t, unsigned selector,
                bool is_positive, float sign)
{
    static float dense[64][64], b[64][8], sums[512];
    static input host;
    input *in;
    float *out;
    int wrong = 0;
    fill(t, selector, is_positive, &host, dense, b);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof sums));
    CHECK(cudaMemcpy(in, &host, sizeof host, cudaMemcpyHostToDevice));
    kernel<<<1, 128>>>(in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    for (unsigned row = 0; row < 64; row++)
        for (unsigned column = 0; column < 8; column++) {
            float expected = 1000;
            for (unsigned k = 0; k < 512 / t.bits; k++)
                expected += sign * dense[row][k] * b[k][column];
            wrong += sums[(row / 8 % 2 * 2 + column % 2) * 128 + row / 16 * 32 + row % 8 * 4 + column / 2] != expected;
        }
    printf("%s: %d of 512 differ\n", name, wrong);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

int main()
{
    run("group_f16", group<GROUP_F16, false>, F16, 0, false, 1);
    run("group_f16_swizzled", group<GROUP_F16, true>, F16, 0, false, 1);
    run("group_f16_selected", group<GROUP_F16_SELECTED, true>, F16, 1, false, 1);
    run("group_f16_registers", group<GROUP_F16_REGISTERS, true>, F16, 1, false, 1);
    run("group_bf16", group<GROUP_BF16, true>, BF16, 0, false, 1);
    run("group_tf32", group<GROUP_TF32, false>, TF32, 1, false, 1);
    run("group_e4m3", group<GROUP_E4M3, true>, E4M3, 0, false, 1);
    run("group_e5m2_negated", group<GROUP_E5M2_NEGATED, false>, E5M2, 0, false, -1);
    run("group_s8", group<GROUP_S8, true>, WHOLE, 0, false, 1);
    run("group_u8_registers", group<GROUP_U8_REGISTERS, false>, WHOLE, 0, true, 1);
    run("warp_f16", warp<WARP_F16>, F16, 1, false, 1);
    run("warp_tf32", warp<WARP_TF32>, TF32, 0, false, 1);
    run("warp_s8", warp<WARP_S8>, WHOLE, 0, false, 1);
    run("warp_e5m2", warp<WARP_E5M2>, E5M2, 0, false, 1);
}
