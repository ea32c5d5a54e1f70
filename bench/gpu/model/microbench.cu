// Micro-benchmarks of a GPU's pipes and memory path: one kernel launch a reading. Run it under a
// profiler that reports cycles and instructions of each launch; table.py turns both into latencies
// and rates. Each launch prints a line: what is measured, how many operations a warp did, warps and
// blocks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"

enum { ROUNDS = 32, UNROLL = 32 };

static void report(const char *name, long operations, unsigned warps, unsigned blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%u,%u\n", name, operations, warps, blocks);
}

// ---- arithmetic: CHAINS independent chains of the same operation ----

#define ARITHMETIC(name, type, constraint, text, first)                                           \
    template <int CHAINS> __global__ void __launch_bounds__(1024) name(type *out, type a, type b) \
    {                                                                                             \
        type x[CHAINS];                                                                           \
        for (int i = 0; i < CHAINS; i++)                                                          \
            x[i] = (type)(first) + (type)(threadIdx.x + i);                                       \
        for (int round = 0; round < ROUNDS; round++) {                                            \
            _Pragma("unroll") for (int k = 0; k < UNROLL; k++)                                    \
                _Pragma("unroll") for (int i = 0; i < CHAINS; i++) asm volatile(                  \
                    text : "+" constraint(x[i]) : constraint(a), constraint(b));                  \
        }                                                                                         \
        type sum = 0;                                                                             \
        for (int i = 0; i < CHAINS; i++)                                                          \
            sum += x[i];                                                                          \
        out[threadIdx.x] = sum;                                                                   \
    }

#define OPERATIONS(X)                                                                          \
    X(fadd, float, "f", "add.rn.f32 %0, %0, %1;", 1)                                           \
    X(ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;", 1)                                       \
    X(iadd, int, "r", "{.reg .s32 t; sub.s32 t, %1, %0; min.s32 %0, t, %2;}", 1)               \
    X(imad, int, "r", "mad.lo.s32 %0, %0, %1, %2;", 1)                                         \
    X(imad_wide, long long, "l",                                                               \
      "{.reg .s32 s, t; cvt.u32.u64 s, %0; cvt.u32.u64 t, %1; mad.wide.s32 %0, s, t, %0;}", 1) \
    X(iadd64, long long, "l", "{.reg .s64 t; sub.s64 t, %1, %0; xor.b64 %0, t, %2;}", 1)       \
    X(lop, int, "r", "lop3.b32 %0, %0, %1, %2, 0xb8;", 1)                                      \
    X(shift, int, "r", "shf.l.wrap.b32 %0, %0, %1, 7;", 1)                                     \
    X(popc, int, "r", "popc.b32 %0, %0;", 1)                                                   \
    X(prmt, int, "r", "prmt.b32 %0, %0, %1, 0x5410;", 1)                                       \
    X(imin, int, "r", "{.reg .s32 t; min.s32 t, %0, %1; max.s32 %0, t, %2;}", 1)               \
    X(dadd, double, "d", "add.rn.f64 %0, %0, %1;", 1)                                          \
    X(dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;", 1)                                      \
    X(rcp, float, "f", "{.reg .f32 t; rcp.approx.ftz.f32 t, %0; add.rn.f32 %0, t, %1;}", 1)    \
    X(rsqrt, float, "f", "rsqrt.approx.ftz.f32 %0, %0;", 1)                                    \
    X(ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;", 1)                                        \
    X(sin, float, "f", "sin.approx.ftz.f32 %0, %0;", 1)                                        \
    X(int_float, int, "r", "{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}", 1)   \
    X(float_double, float, "f", "{.reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t;}", 1)  \
    X(hfma2, int, "r", "fma.rn.f16x2 %0, %0, %1, %2;", 1)                                      \
    X(shuffle, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;", 1)                   \
    X(vote, int, "r",                                                                          \
      "{.reg .pred p; setp.ne.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}", 1)     \
    X(select, int, "r", "{.reg .pred p; setp.gt.s32 p, %0, %1; selp.s32 %0, %2, %0, p;}", 1)   \
    X(division, float, "f", "div.rn.f32 %0, %0, %1;", 1)                                       \
    X(square_root, float, "f", "sqrt.rn.f32 %0, %0;", 1)                                       \
    X(divide_int, int, "r", "div.s32 %0, %0, %1;", 1)                                          \
    X(divide_double, double, "d", "div.rn.f64 %0, %0, %1;", 1)

OPERATIONS(ARITHMETIC)

template <typename T, typename K1, typename K4>
static void run_arithmetic(const char *name, T *out, K1 one, K4 four)
{
    char label[64];
    const long per_chain = (long)ROUNDS * UNROLL;
    snprintf(label, sizeof label, "latency.%s", name);
    one<<<1, 32>>>(out, (T)3, (T)5);
    report(label, per_chain, 1, 1);
    snprintf(label, sizeof label, "rate.%s", name);
    four<<<1, 1024>>>(out, (T)3, (T)5);
    report(label, per_chain * 4, 32, 1);
}

// ---- memory: chains of dependent loads ----

template <int SPACE> __global__ void chase(const uint64_t *ring, uint64_t *out, int steps)
{
    __shared__ uint64_t shared[64];
    for (int i = threadIdx.x; i < 64; i += 32)
        shared[i] = (uint64_t)__cvta_generic_to_shared(&shared[(i + 9) % 64]);
    __syncwarp();
    uint64_t at = SPACE == 0 ? (uint64_t)__cvta_generic_to_shared(shared) : (uint64_t)ring;
    for (int i = 0; i < steps; i++) {
        if (SPACE == 0)
            asm volatile("ld.shared.u64 %0, [%0];" : "+l"(at));
        else if (SPACE == 1)
            asm volatile("ld.global.u64 %0, [%0];" : "+l"(at));
        else
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at));
    }
    out[threadIdx.x] = at;
}

static void run_chase(const char *name, int space, uint64_t *ring, size_t bytes, size_t stride,
                      int steps, uint64_t *out)
{
    size_t count = bytes / 8, step = stride / 8;
    uint64_t *host = (uint64_t *)calloc(count, 8);
    for (size_t i = 0; i < count; i += step)
        host[i] = (uint64_t)(ring + (i + step < count ? i + step : 0));
    CHECK(cudaMemcpy(ring, host, bytes, cudaMemcpyHostToDevice));
    free(host);
    for (int part = 1; part <= 2; part++) {
        char label[64];
        snprintf(label, sizeof label, "chase%d.%s", part, name);
        if (space == 0)
            chase<0><<<1, 32>>>(ring, out, steps * part);
        else if (space == 1)
            chase<1><<<1, 32>>>(ring, out, steps * part);
        else
            chase<2><<<1, 32>>>(ring, out, steps * part);
        report(label, (long)steps * part, 1, 1);
    }
}

// ---- throughput of the load/store path ----
// Lane l accesses from + l / group * lane_bytes; each access in a round is 512 bytes further,
// within 8 KiB.

struct pattern {
    int lane_bytes, group, shift, jump; /* jump: of the second half of the lanes */
};

#define ACCESS_KERNEL(name, body)                                                                 \
    __global__ void __launch_bounds__(1024)                                                       \
        name(char *global, unsigned *out, struct pattern pattern, unsigned step)                  \
    {                                                                                             \
        extern __shared__ char shared_memory[];                                                   \
        unsigned shared = (unsigned)__cvta_generic_to_shared(shared_memory);                      \
        unsigned lane = threadIdx.x % 32;                                                         \
        unsigned offset =                                                                         \
            pattern.shift + lane / pattern.group * pattern.lane_bytes + lane / 16 * pattern.jump; \
        [[maybe_unused]] char *at = global + offset;                                              \
        [[maybe_unused]] const char *common = global;                                             \
        unsigned place = shared + offset, a = 0, b = 0, c = 0, d = 0, sum = 0;                    \
        _Pragma("unroll 1") for (int round = 0; round < 64; round++)                              \
        {                                                                                         \
            _Pragma("unroll") for (int k = 0; k < 16; k++)                                        \
            {                                                                                     \
                body;                                                                             \
                sum ^= a ^ b ^ c ^ d;                                                             \
            }                                                                                     \
            at += step; /* 0, which the compiler does not know */                                 \
            common += step;                                                                       \
            place += step;                                                                        \
        }                                                                                         \
        out[threadIdx.x + blockIdx.x * blockDim.x] = sum + place;                                 \
    }

ACCESS_KERNEL(load_1, asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(at + k * 512)))
ACCESS_KERNEL(load_2, asm volatile("ld.global.v2.u32 {%0,%1}, [%2];"
                                   : "=r"(a), "=r"(b)
                                   : "l"(at + k * 512)))
ACCESS_KERNEL(load_4, asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                   : "l"(at + k * 512)))
// one load of the warp's own words and one that all lanes share, in turn, as matrix products have
// them
ACCESS_KERNEL(load_mixed, asm volatile("ld.global.u32 %0, [%2];\n\tld.global.u32 %1, [%3];"
                                       : "=r"(a), "=r"(b)
                                       : "l"(at + k * 512), "l"(common + k * 512)))
ACCESS_KERNEL(store_1,
              asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k * 512 + blockIdx.x * 8192),
                           "r"(sum)))
ACCESS_KERNEL(shared_load_1, asm volatile("ld.shared.u32 %0, [%1];"
                                          : "=r"(a)
                                          : "r"(place + k * 512)))
ACCESS_KERNEL(shared_load_2, asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];"
                                          : "=r"(a), "=r"(b)
                                          : "r"(place + k * 512)))
ACCESS_KERNEL(shared_load_4, asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                                          : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                                          : "r"(place + k * 512)))
ACCESS_KERNEL(shared_store_1,
              asm volatile("st.shared.u32 [%0], %1;" ::"r"(place + k * 512), "r"(sum)))
ACCESS_KERNEL(shared_atomic, asm volatile("atom.shared.add.u32 %0, [%1], 1;"
                                          : "=r"(a)
                                          : "r"(place + k * 512)))
ACCESS_KERNEL(global_atomic, asm volatile("atom.global.add.u32 %0, [%1], 1;"
                                          : "=r"(a)
                                          : "l"(at + k * 512)))
ACCESS_KERNEL(global_reduction, asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at + k * 512)))
ACCESS_KERNEL(barrier, asm volatile("bar.sync 0;"))
ACCESS_KERNEL(shared_and_fma,
              asm volatile("{.reg .f32 f;\n\tld.shared.u32 %0, [%1];\n\tmov.b32 f, %2;\n\t"
                           "fma.rn.f32 f, f, f, f;\n\tfma.rn.f32 f, f, f, f;\n\tmov.b32 %2, f;}"
                           : "=r"(a)
                           : "r"(place + k * 512), "r"(sum)))

struct access_row {
    const char *name;
    void (*kernel)(char *, unsigned *, struct pattern, unsigned);
    struct pattern pattern;
    int per_body;
};
static const struct access_row access_rows[] = {
    {"load.32bit", load_1, {4, 1, 0, 0}, 1},
    {"load.64bit", load_2, {8, 1, 0, 0}, 1},
    {"load.128bit", load_4, {16, 1, 0, 0}, 1},
    {"load.broadcast", load_1, {0, 1, 0, 0}, 1},
    {"load.mixed", load_mixed, {4, 1, 0, 0}, 2},
    {"load.2_lines", load_1, {8, 1, 0, 0}, 1},
    {"load.4_lines", load_1, {16, 1, 0, 0}, 1},
    {"load.8_lines", load_1, {32, 1, 0, 0}, 1},
    {"load.16_lines", load_1, {64, 1, 0, 0}, 1},
    {"load.32_lines", load_1, {128, 1, 0, 0}, 1},
    {"load.2_lines_in_halves", load_1, {128, 16, 0, 0}, 1},
    {"load.4_lines_in_quarters", load_1, {128, 8, 0, 0}, 1},
    {"load.shifted_4_bytes", load_1, {4, 1, 4, 0}, 1},
    {"load.shifted_64_bytes", load_1, {4, 1, 64, 0}, 1},
    {"load.shifted_124_bytes", load_1, {4, 1, 124, 0}, 1},
    {"load.halves_2_lines", load_1, {4, 1, 0, 192}, 1},
    {"load.halves_shifted", load_1, {4, 1, 4, 192}, 1},
    {"load.halves_shifted_96", load_1, {4, 1, 96, 4096}, 1},
    {"load.64bit_shifted", load_2, {8, 1, 8, 0}, 1},
    {"load.33_lines_apart", load_1, {132, 1, 0, 0}, 1},
    {"load.17_lines_apart", load_1, {68, 1, 0, 0}, 1},
    {"load.9_lines_apart", load_1, {36, 1, 0, 0}, 1},
    {"load.halves_apart_1", load_1, {4, 1, 0, 128}, 1},
    {"load.halves_apart_2", load_1, {4, 1, 0, 256}, 1},
    {"load.halves_apart_3", load_1, {4, 1, 0, 384}, 1},
    {"load.halves_apart_4", load_1, {4, 1, 0, 512}, 1},
    {"load.quarters_apart", load_1, {20, 8, 0, 0}, 1},
    {"load.64bit_33_lines", load_2, {136, 1, 0, 0}, 1},
    {"store.32bit", store_1, {4, 1, 0, 0}, 1},
    {"store.8_lines", store_1, {32, 1, 0, 0}, 1},
    {"store.32_lines", store_1, {128, 1, 0, 0}, 1},
    {"shared_load.32bit", shared_load_1, {4, 1, 0, 0}, 1},
    {"shared_load.64bit", shared_load_2, {8, 1, 0, 0}, 1},
    {"shared_load.128bit", shared_load_4, {16, 1, 0, 0}, 1},
    {"shared_load.broadcast", shared_load_1, {0, 1, 0, 0}, 1},
    {"shared_load.2_way", shared_load_1, {8, 1, 0, 0}, 1},
    {"shared_load.4_way", shared_load_1, {16, 1, 0, 0}, 1},
    {"shared_load.32_way", shared_load_1, {128, 1, 0, 0}, 1},
    {"shared_store.32bit", shared_store_1, {4, 1, 0, 0}, 1},
    {"shared_store.4_way", shared_store_1, {16, 1, 0, 0}, 1},
    {"shared_and_fma", shared_and_fma, {4, 1, 0, 0}, 1},
    {"shared_atomic.32bit", shared_atomic, {4, 1, 0, 0}, 1},
    {"shared_atomic.one_word", shared_atomic, {0, 1, 0, 0}, 1},
    {"global_atomic.32bit", global_atomic, {4, 1, 0, 0}, 1},
    {"global_atomic.one_word", global_atomic, {0, 1, 0, 0}, 1},
    {"global_reduction.32bit", global_reduction, {4, 1, 0, 0}, 1},
    {"barrier", barrier, {4, 1, 0, 0}, 1},
};

static void run_accesses(char *global, unsigned *out, int sms)
{
    for (const struct access_row &row : access_rows) {
        char label[96];
        for (int warps : {1, 8, 32}) {
            snprintf(label, sizeof label, "access.%s", row.name);
            row.kernel<<<1, warps * 32, 16384>>>(global, out, row.pattern, 0);
            report(label, 64l * 16 * row.per_body, warps, 1);
        }
    }
    for (const char *name :
         {"global_atomic.32bit", "global_atomic.one_word", "global_reduction.32bit", "store.32bit"})
        for (const struct access_row &row : access_rows)
            if (!strcmp(row.name, name)) {
                char label[96];
                snprintf(label, sizeof label, "access_all.%s", row.name);
                row.kernel<<<sms, 256, 16384>>>(global, out, row.pattern, 0);
                report(label, 64l * 16, 8, sms);
            }
}

// ---- bandwidth: every block reads (or writes) its part of bytes, 16 bytes a lane ----

template <int WHAT> __global__ void stream(const uint4 *from, uint4 *to, long count, int repeats)
{
    uint4 sum = {0, 0, 0, 0};
    for (int r = 0; r < repeats; r++) {
#pragma unroll 1
        for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count;
             i += (long)gridDim.x * blockDim.x) {
            if (WHAT != 1) {
                uint4 v = __ldcg(from + i);
                if (WHAT == 2)
                    to[i] = v;
                sum.x ^= v.x ^ v.y ^ v.z ^ v.w;
            } else {
                to[i] = make_uint4(r, 1, 2, 3);
            }
        }
    }
    if (WHAT == 0)
        to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// ---- the same, a word a lane, stride bytes apart ----

template <int WRITES>
__global__ void touch(unsigned *words, unsigned *out, long count, int stride, int repeats)
{
    unsigned sum = 0;
    for (int r = 0; r < repeats; r++)
#pragma unroll 4
        for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count;
             i += (long)gridDim.x * blockDim.x) {
            unsigned *at = words + i * (stride / 4);
            if (WRITES)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(sum));
            else {
                unsigned v;
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at));
                sum ^= v;
            }
        }
    out[threadIdx.x] = sum;
}

static void run_touches(char *big, unsigned *out, int sms)
{
    const size_t bytes = 8 << 20;
    for (int stride : {4, 16, 32, 64, 128})
        for (int blocks : {1, sms * 2}) {
            char label[64];
            const int repeats = blocks == 1 ? 1 : 16;
            long count = (long)(blocks == 1 ? bytes / 16 : bytes) / stride;
            snprintf(label, sizeof label, "touch_read.%d", stride);
            touch<0><<<blocks, 1024>>>((unsigned *)big, out, count, stride, repeats);
            report(label, count * repeats, 32, blocks);
            snprintf(label, sizeof label, "touch_write.%d", stride);
            touch<1><<<blocks, 1024>>>((unsigned *)big, out, count, stride, repeats);
            report(label, count * repeats, 32, blocks);
        }
}

static void run_streams(char *big, size_t big_bytes, int sms)
{
    const struct {
        const char *name;
        int what, blocks, threads;
        size_t bytes;
        int repeats;
    } rows[] = {
        {"stream.l2_read", 0, sms * 2, 1024, 8u << 20, 16},
        {"stream.l2_read_one_sm", 0, 1, 1024, 2u << 20, 4},
        {"stream.l2_read_one_sm_8_warps", 0, 1, 256, 2u << 20, 2},
        {"stream.l2_read_one_sm_1_warp", 0, 1, 32, 1u << 20, 1},
        {"stream.l2_read_eight_sms", 0, 8, 1024, 8u << 20, 8},
        {"stream.read", 0, sms * 2, 1024, big_bytes / 2, 1},
        {"stream.read_256_threads", 0, sms, 256, big_bytes / 2, 1},
        {"stream.read_one_sm", 0, 1, 1024, 32u << 20, 1},
        {"stream.read_one_sm_1_warp", 0, 1, 32, 4u << 20, 1},
        {"stream.read_eight_sms", 0, 8, 1024, 128u << 20, 1},
        {"stream.write", 1, sms * 2, 1024, big_bytes / 2, 1},
        {"stream.write_one_sm", 1, 1, 1024, 32u << 20, 1},
        {"stream.l2_write", 1, sms * 2, 1024, 8u << 20, 16},
        {"stream.copy", 2, sms * 2, 1024, big_bytes / 2, 1},
    };
    for (const auto &row : rows) {
        const uint4 *from = (const uint4 *)big;
        uint4 *to = (uint4 *)(big + big_bytes / 2);
        size_t bytes = row.bytes < big_bytes / 2 ? row.bytes : big_bytes / 2;
        long count = (long)(bytes / 16);
        if (row.what == 0)
            stream<0><<<row.blocks, row.threads>>>(from, to, count, row.repeats);
        else if (row.what == 1)
            stream<1><<<row.blocks, row.threads>>>(from, to, count, row.repeats);
        else
            stream<2><<<row.blocks, row.threads>>>(from, to, count, row.repeats);
        report(row.name, (long)(bytes * row.repeats), row.threads / 32, row.blocks);
    }
}

// ---- blocks: how fast they start ----

__global__ void empty(unsigned *out)
{
    if (out == nullptr)
        printf("never");
}

__global__ void spin(unsigned *out, int steps)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < steps; i++)
        asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(x));
    if (x == 12345)
        *out = x;
}

static void run_blocks(unsigned *out, int sms)
{
    char label[64];
    empty<<<1, 32>>>(out);
    report("launch.empty", 1, 1, 1);
    for (int warps : {1, 2, 4, 8, 16, 32})
        for (int steps : {0, 128}) {
            snprintf(label, sizeof label, "blocks.%d_steps", steps);
            unsigned blocks = (unsigned)sms * 1024u / (unsigned)warps;
            spin<<<blocks, warps * 32>>>(out, steps);
            report(label, steps, warps, blocks);
        }
    for (int blocks : {1, 33, 66, 132}) {
        spin<<<blocks * 1, 32>>>(out, 1);
        report("blocks.first", 1, 1, blocks);
    }
}

int main(int argc, char **argv)
{
    const int scale =
        argc > 1 ? atoi(argv[1]) : 16; // MiB of device memory to stream through, over 32
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    size_t big_bytes = (size_t)scale * 64 << 20;
    char *big;
    unsigned *out;
    CHECK(cudaMalloc(&big, big_bytes));
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMemset(big, 0, big_bytes));
    printf("name,operations,warps,blocks\n");
#define RUN(name, type, constraint, text, first) \
    run_arithmetic<type>(#name, (type *)out, name<1>, name<4>);
    OPERATIONS(RUN)
    run_chase("shared", 0, (uint64_t *)big, 4096, 72, 4096, (uint64_t *)out);
    run_chase("l1", 1, (uint64_t *)big, 8192, 128, 4096, (uint64_t *)out);
    run_chase("l2", 2, (uint64_t *)big, 1 << 20, 4096 + 128, 4096, (uint64_t *)out);
    run_chase("device", 2, (uint64_t *)big, big_bytes / 2, (2 << 20) + 4096 + 128, 256,
              (uint64_t *)out);
    run_accesses(big, out, sms);
    run_touches(big, out, sms);
    run_streams(big, big_bytes, sms);
    run_blocks(out, sms);
    return 0;
}
