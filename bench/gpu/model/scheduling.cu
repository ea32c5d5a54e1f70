// How one SM shares itself out: which warp goes first, how many accesses wait in its queues, what
// two kinds of instructions cost side by side, what filling L1 costs, how soon a block follows
// another. Timed by the SM's own clock; prints name,parameter,value rows.
//
// usage: nvcc -O2 -std=c++17 -arch=sm_90 -o scheduling scheduling.cu && ./scheduling >READINGS.csv
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include <cuda_runtime.h>

#include "check.h"

struct reading {
    unsigned sm, warp;
    long long start, end;
};

static reading *readings; // one for each warp of a launch
static unsigned *data;
constexpr size_t data_bytes = 64 << 20;
constexpr size_t readings_most = 1 << 20;

__device__ unsigned sm_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

__device__ void write_reading(reading *to, long long start, long long end)
{
    unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned warp = blockIdx.x * ((blockDim.x * blockDim.y + 31) / 32) + thread / 32;
    if (thread % 32 == 0)
        to[warp] = {sm_number(), warp, start, end};
}

enum op {
    NONE,
    FFMA,
    SHIFT,
    IADD,
    IMAD,
    IMAD_WIDE,
    ADDRESS,
    HFMA2,
    DFMA,
    EX2,
    LOAD,
    LOAD_4,
    LOAD_32,
    ADDRESSED,
    SHARED,
    SHARED_2,
    SHARED_32
};
static const char *const op_names[] = {
    "none", "ffma", "shift",  "iadd",    "imad",      "imad_wide", "address",  "hfma2",    "dfma",
    "ex2",  "load", "load_4", "load_32", "addressed", "shared",    "shared_2", "shared_32"};

struct state {
    float f[8];
    unsigned i[8], h[8], index[8], x, stride;
    unsigned long long w[8], base;
    double d[8];
    const unsigned *global;
    unsigned shared;
};

__device__ unsigned address_of(const unsigned *words)
{
    return (unsigned)__cvta_generic_to_shared(words);
}

// The operation, k of 8 registers, and the number of the access in a turn.
template <int OP> __device__ __forceinline__ void perform(state &s, int k, int number)
{
    constexpr int lines = OP == LOAD_4 ? 4 : OP == LOAD_32 ? 32 : 1;
    unsigned value;
    if (OP == FFMA)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(s.f[k])
                     : "f"(s.f[(k + 1) % 8]), "f"(s.f[(k + 2) % 8]));
    if (OP == SHIFT)
        asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;"
                     : "+r"(s.i[k])
                     : "r"(s.i[(k + 1) % 8]), "r"(s.x));
    if (OP == IADD)
        asm volatile("add.s32 %0, %0, %1;" : "+r"(s.i[k]) : "r"(s.i[(k + 3) % 8]));
    if (OP == IMAD)
        asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(s.i[k]) : "r"(s.i[(k + 1) % 8]), "r"(s.x));
    if (OP == IMAD_WIDE)
        asm volatile("mad.wide.s32 %0, %1, %2, %0;"
                     : "+l"(s.w[k])
                     : "r"((unsigned)s.w[(k + 1) % 8]), "r"(s.x));
    if (OP == ADDRESS)
        asm volatile("mad.wide.s32 %0, %1, 4, %2;"
                     : "=l"(s.w[k])
                     : "r"((unsigned)(s.w[(k + 1) % 8] >> 32)), "l"(s.base));
    if (OP == HFMA2)
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;"
                     : "+r"(s.h[k])
                     : "r"(s.h[(k + 1) % 8]), "r"(s.h[(k + 2) % 8]));
    if (OP == DFMA)
        asm volatile("fma.rn.f64 %0, %0, %1, %2;"
                     : "+d"(s.d[k])
                     : "d"(s.d[(k + 1) % 8]), "d"(s.d[(k + 2) % 8]));
    if (OP == EX2)
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(s.f[k]));
    if (OP == LOAD || OP == LOAD_4 || OP == LOAD_32) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(s.global + number * lines * 32));
        s.i[k] ^= value;
    }
    if (OP == ADDRESSED) {
        unsigned long long at;
        s.index[k] += s.stride;
        asm volatile("mad.wide.s32 %0, %1, 4, %2;" : "=l"(at) : "r"(s.index[k]), "l"(s.base));
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
        s.i[k] ^= value;
    }
    if (OP == SHARED || OP == SHARED_2 || OP == SHARED_32)
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(s.i[k]) : "r"(s.shared + k * 4096));
}

// Lanes of a global access touch 1, 4 or 32 lines that all warps share; those of a shared one have
// 1, 2 or 32 ways of conflicts.
template <int A>
__device__ __forceinline__ void prepare(state &s, const unsigned *from, const unsigned *words)
{
    unsigned lane = threadIdx.x % 32;
    if (A == LOAD)
        s.global = from + lane;
    if (A == LOAD_4)
        s.global = from + lane % 8 + lane / 8 * 32;
    if (A == LOAD_32)
        s.global = from + lane * 32;
    if (A == SHARED)
        s.shared = address_of(words) + lane * 4;
    if (A == SHARED_2)
        s.shared = address_of(words) + lane * 8;
    if (A == SHARED_32)
        s.shared = address_of(words) + lane * 128;
}

template <int A, int B, int COUNT_A, int COUNT_B>
__global__ void mix(reading *to, const unsigned *from, unsigned *sink, int steps, unsigned x,
                    int stride)
{
    __shared__ unsigned words[9216];
    state s;
    for (unsigned k = threadIdx.x; k < 9216; k += blockDim.x)
        words[k] = x;
    for (int k = 0; k < 8; k++) {
        s.f[k] = (float)(threadIdx.x * x + k);
        s.i[k] = threadIdx.x + x + k;
        s.h[k] = threadIdx.x * x * k;
        s.w[k] = threadIdx.x + x + k;
        s.d[k] = (double)(threadIdx.x + x + k);
        s.index[k] = threadIdx.x % 32 + k * 32;
    }
    s.x = x + threadIdx.x;
    s.stride = stride + threadIdx.x / 1024;
    s.base = (unsigned long long)from + threadIdx.x / 1024;
    prepare<A>(s, from, words);
    prepare<B>(s, from, words);
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        s.global += stride; // 0: each turn loads again
#pragma unroll
        for (int k = 0; k < 32; k++) {
#pragma unroll
            for (int n = 0; n < COUNT_A; n++)
                perform<A>(s, (k + 3 * n) % 8, k * COUNT_A + n);
#pragma unroll
            for (int n = 0; n < COUNT_B; n++)
                perform<B>(s, (k + 3 * n) % 8, k * COUNT_B + n);
        }
    }
    long long end = clock64();
    unsigned result = 0;
    for (int k = 0; k < 8; k++)
        result ^= s.i[k] ^ s.h[k] ^ (unsigned)s.f[k] ^ (unsigned)(s.w[k] ^ s.w[k] >> 32) ^
                  (unsigned)s.d[k];
    if (result == 0x12345678)
        *sink = result;
    write_reading(to, start, end);
}

// So many accesses at once by one warp: how long until the last of them is issued.
template <int KIND, int COUNT>
__global__ void queue(reading *to, const unsigned *from, unsigned *sink, int active)
{
    __shared__ unsigned words[9216];
    constexpr int lines = KIND == LOAD_4 ? 4 : KIND == LOAD_32 ? 32 : 1;
    unsigned lane = threadIdx.x % 32;
    for (unsigned k = threadIdx.x; k < 9216; k += blockDim.x)
        words[k] = k;
    state s = {};
    prepare<KIND>(s, from, words);
    unsigned value[COUNT], result = 0;
    for (int k = 0; k < 32; k++) // so that L1 has them
        perform<KIND>(s, k % 8, k);
    for (int k = 0; k < 8; k++)
        result ^= s.i[k];
    if (result == 0x12345678)
        *sink = result;
    __syncthreads();
    if ((int)(threadIdx.x / 32) % active != 0)
        return;
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        if (KIND >= SHARED)
            asm volatile("ld.volatile.shared.u32 %0, [%1];"
                         : "=r"(value[k])
                         : "r"(s.shared + k % 8 * 4096)
                         : "memory");
        else
            asm volatile("ld.global.u32 %0, [%1];"
                         : "=r"(value[k])
                         : "l"(s.global + k * lines * 32));
    long long end = clock64();
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        result ^= value[k] * (k + 1);
    if (result == 0x12345678)
        *sink = result + lane;
    write_reading(to, start, end);
}

// HITS loads of a line that L1 has for each one of a line that only L2 has.
template <int HITS>
__global__ void fill(reading *to, const unsigned *from, unsigned *sink, int steps, int lines,
                     int stride)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, result = 0;
    const unsigned *hit = from + lane;
    unsigned line = warp * 61;
    __syncthreads();
    long long start = clock64();
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        hit += stride; // 0: each turn loads again
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned value;
            line = line + 32 < (unsigned)lines ? line + 32 : warp;
            asm volatile("ld.global.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(from + 8192 + line * 32 + lane));
            result ^= value;
#pragma unroll
            for (int n = 0; n < HITS; n++) {
                asm volatile("ld.global.u32 %0, [%1];"
                             : "=r"(value)
                             : "l"(hit + (n + k * HITS) * 32));
                result ^= value;
            }
        }
    }
    if (result == 0x12345678)
        *sink = result;
    long long end = clock64();
    write_reading(to, start, end);
}

__global__ void spin(reading *to, unsigned *sink, int steps)
{
    long long start = clock64();
    unsigned value = threadIdx.x;
    for (int k = 0; k < steps; k++)
        asm volatile("mad.lo.s32 %0, %0, %0, %0;" : "+r"(value));
    if (value == 0x12345678)
        *sink = value;
    long long end = clock64();
    write_reading(to, start, end);
}

// Warp 0 chases a pointer that L1 holds, while the others load lines that only L2 has, one after
// another.
__global__ void order(reading *to, const unsigned *from, unsigned *sink, int steps, int lines,
                      int others)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, result = 0;
    const unsigned *hit = from; // zeros: each step leads to the same word
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(result) : "l"(hit));
    if (result == 0x12345678)
        *sink = result;
    __syncthreads();
    long long start = clock64();
    if (warp == 0)
        for (int step = 0; step < steps; step++) {
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(result) : "l"(hit));
            hit += result;
        }
    else if ((int)warp <= others)
        for (unsigned step = 0; step < (unsigned)steps; step++) {
            unsigned line = (warp * 7919 + step * 37 + result) % (unsigned)lines;
            asm volatile("ld.global.u32 %0, [%1];"
                         : "=r"(result)
                         : "l"(from + 8192 + line * 32 + lane));
        }
    if (hit != from || result == 0x12345678)
        *sink = result;
    long long end = clock64();
    write_reading(to, start, end);
}

enum chain {
    LOOP,
    PREDICATED,
    SHIFT_IMAD,
    SHIFT_FFMA,
    WIDE_ADDRESS,
    CONSTANT_INDEX,
    SPECIAL,
    UNIFORM_BRANCH,
    DIVERGENT
};
static const char *const chain_names[] = {"loop",       "predicated",     "shift_imad",
                                          "shift_ffma", "wide_load",      "constant_index",
                                          "special",    "uniform_branch", "divergent"};
__constant__ unsigned table[1024]; // zeros

// One warp, each instruction waits for the one before.
template <int KIND>
__global__ void chain(reading *to, const unsigned *from, unsigned *sink, int steps)
{
    int count = steps + (int)(threadIdx.x / 1024);
    unsigned value = threadIdx.x / 1024, other = value;
    float real = (float)value;
    long long start = clock64();
    if (KIND == LOOP) {
#pragma unroll 1
        do {
            for (int k = 0; k < 3; k++)
                asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(value) : "r"(other));
        } while (--count);
    } else {
#pragma unroll 1
        for (; count > 0; count -= 8) {
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (KIND == PREDICATED)
                    asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 1; @p add.u32 %0, %0, %1;}"
                                 : "+r"(value)
                                 : "r"(other));
                if (KIND == SHIFT_IMAD)
                    asm volatile("shf.l.wrap.b32 %0, %0, %0, %1; mad.lo.u32 %0, %0, %0, %1;"
                                 : "+r"(value)
                                 : "r"(other));
                if (KIND == SHIFT_FFMA)
                    asm volatile(
                        "{.reg .b32 t; mov.b32 t, %0; shf.l.wrap.b32 t, t, t, %1; mov.b32 %0, t; "
                        "fma.rn.f32 %0, %0, %0, %0;}"
                        : "+f"(real)
                        : "r"(other));
                if (KIND == WIDE_ADDRESS)
                    asm volatile("{.reg .u64 t; mad.wide.u32 t, %0, 4, %1; ld.global.u32 %0, [t];}"
                                 : "+r"(value)
                                 : "l"(from));
                if (KIND == CONSTANT_INDEX)
                    value = table[value + (unsigned)k * 32];
                if (KIND == SPECIAL)
                    asm volatile("{.reg .b32 t; mov.u32 t, %%laneid; and.b32 %0, t, %0;}"
                                 : "+r"(value));
                if (KIND == UNIFORM_BRANCH && other == value)
                    asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;\n bar.warp.sync 0xffffffff;"
                                 : "+r"(value)
                                 : "r"(other));
                if (KIND == DIVERGENT) {
                    if (threadIdx.x % 2 == value)
                        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(sink), "r"(value));
                    __syncwarp();
                }
            }
        }
    }
    long long end = clock64();
    if (value == 0x12345678 || real == 1.5f)
        *sink = value;
    write_reading(to, start, end);
}

// COUNT instructions in a row, once.
template <int COUNT> __global__ void code(reading *to, unsigned *sink, float x)
{
    float value[4] = {x, x + 1, x + 2, x + 3};
    long long start = clock64();
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(value[k % 4])
                     : "f"(value[(k + 1) % 4]), "f"(x));
    long long end = clock64();
    if (value[0] + value[1] + value[2] + value[3] == 1)
        *sink = 1;
    write_reading(to, start, end);
}

static std::vector<reading> read_back(size_t count)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<reading> list(count);
    CHECK(cudaMemcpy(list.data(), readings, count * sizeof(reading), cudaMemcpyDeviceToHost));
    return list;
}

// Cycles from the first start to the last end on one SM.
static double span(const std::vector<reading> &list, unsigned sm)
{
    long long first = -1, last = 0;
    for (const reading &r : list) {
        if (r.sm != sm)
            continue;
        first = first < 0 ? r.start : std::min(first, r.start);
        last = std::max(last, r.end);
    }
    return (double)(last - first);
}

template <int A, int B, int COUNT_A, int COUNT_B> static void run_mix()
{
    const int steps = 32, warps = 32;
    for (int turn = 0; turn < 2; turn++)
        mix<A, B, COUNT_A, COUNT_B><<<1, warps * 32>>>(readings, data, data, steps, 3, 0);
    std::vector<reading> list = read_back(warps);
    printf("mix.%s.%s,%d:%d,%.3f\n", op_names[A], op_names[B], COUNT_A, COUNT_B,
           span(list, list[0].sm) / (steps * 32.0 * warps / 4));
}

template <int A, int B, int COUNT_A, int COUNT_B> static void run_fair(int warps, int blocks)
{
    const int steps = 16;
    for (int turn = 0; turn < 2; turn++)
        mix<A, B, COUNT_A, COUNT_B>
            <<<blocks * 132, warps * 32>>>(readings, data, data, steps, 3, 0);
    std::vector<reading> list = read_back((size_t)blocks * 132 * warps), own;
    for (const reading &r : list)
        if (r.sm == list[0].sm)
            own.push_back(r);
    long long first = own[0].start;
    std::map<unsigned, long long> ends; // of each block
    for (const reading &r : own) {
        first = std::min(first, r.start);
        long long &end = ends[r.warp / warps];
        end = std::max(end, r.end);
    }
    for (auto &end : ends)
        printf("fair.%s.%s.%d_blocks_of_%d,%u,%lld\n", op_names[A], op_names[B], blocks, warps,
               end.first, end.second - first);
}

template <int KIND, int COUNT> static void run_queue()
{
    for (int active : {32, 8, 4, 1}) {
        for (int turn = 0; turn < 2; turn++)
            queue<KIND, COUNT><<<1, 1024>>>(readings, data, data, active);
        std::vector<reading> list = read_back(32);
        long long most = 0;
        for (int w = 0; w < 32; w += active)
            most = std::max(most, list[w].end - list[w].start);
        printf("queue.%s.%d_warps,%d,%lld\n", op_names[KIND], 32 / active, COUNT, most);
    }
}

template <int KIND> static void run_queues()
{
    run_queue<KIND, 1>();
    run_queue<KIND, 2>();
    run_queue<KIND, 3>();
    run_queue<KIND, 4>();
    run_queue<KIND, 5>();
    run_queue<KIND, 6>();
    run_queue<KIND, 7>();
    run_queue<KIND, 8>();
    run_queue<KIND, 9>();
    run_queue<KIND, 10>();
    run_queue<KIND, 12>();
    run_queue<KIND, 14>();
    run_queue<KIND, 16>();
    run_queue<KIND, 20>();
    run_queue<KIND, 24>();
    run_queue<KIND, 28>();
}

template <int HITS> static void run_fill()
{
    const int steps = 64, warps = 32, lines = 16384; // 2 MB
    for (int turn = 0; turn < 3; turn++)
        fill<HITS><<<1, warps * 32>>>(readings, data, data, steps, lines, 0);
    std::vector<reading> list = read_back(warps);
    printf("fill,%d,%.3f\n", HITS, span(list, list[0].sm) / (steps * 4.0 * warps));
}

static void run_order()
{
    const int steps = 256;
    for (int others : {0, 1, 3, 4, 7, 8, 15, 31}) {
        for (int turn = 0; turn < 2; turn++)
            order<<<1, 1024>>>(readings, data, data, steps, 16384, others);
        std::vector<reading> list = read_back(32);
        printf("order.hit,%d,%.1f\n", others, (double)(list[0].end - list[0].start) / steps);
        if (others)
            printf("order.miss,%d,%.1f\n", others, (double)(list[1].end - list[1].start) / steps);
    }
}

template <int COUNT> static void run_code()
{
    void *other;
    CHECK(cudaMalloc(&other, 256 << 20));
    for (int turn = 0; turn < 4; turn++) {
        if (turn % 2 == 0) { // out of the caches
            code<16384><<<132, 32>>>(readings, data, 1);
            CHECK(cudaMemset(other, turn, 256 << 20));
        }
        code<COUNT><<<132, 32>>>(readings, data, 1);
        std::vector<reading> list = read_back(132);
        double sum = 0;
        for (const reading &r : list)
            sum += (double)(r.end - r.start);
        printf("code.%s,%d,%.1f\n", turn % 2 ? "again" : "first", COUNT, sum / 132);
    }
    CHECK(cudaFree(other));
}

template <int KIND> static void run_chain()
{
    const int steps = 512;
    for (int turn = 0; turn < 2; turn++)
        chain<KIND><<<1, 32>>>(readings, data, data + 1024, steps);
    std::vector<reading> list = read_back(1);
    printf("chain.%s,%d,%.2f\n", chain_names[KIND], 1,
           (double)(list[0].end - list[0].start) / steps);
}

static void run_blocks(int warps, int steps, bool is_flat)
{
    int resident = std::min(32, 64 / warps), rounds = 12, blocks = 132 * resident * rounds;
    for (int turn = 0; turn < 2; turn++)
        spin<<<blocks, is_flat ? dim3(32, warps) : dim3(warps * 32)>>>(readings, data, steps);
    std::vector<reading> list = read_back((size_t)blocks * warps);
    unsigned sm = list[0].sm;
    std::map<unsigned, std::pair<long long, long long>>
        of_block; // start of the first warp, end of the last
    long long first = -1, last = 0, inside = 0, spread = 0;
    for (const reading &r : list) {
        if (r.sm != sm)
            continue;
        first = first < 0 ? r.start : std::min(first, r.start);
        last = std::max(last, r.end);
        inside += r.end - r.start;
        auto &b = of_block.try_emplace(r.warp / warps, r.start, r.end).first->second;
        b.first = std::min(b.first, r.start);
        b.second = std::max(b.second, r.end);
    }
    for (const reading &r : list)
        if (r.sm == sm)
            spread += r.start - of_block[r.warp / warps].first;
    // the k-th block beyond the resident ones takes the place that the k-th end leaves
    std::vector<long long> starts, ends;
    for (auto &b : of_block) {
        starts.push_back(b.second.first);
        ends.push_back(b.second.second);
    }
    std::sort(starts.begin(), starts.end());
    std::sort(ends.begin(), ends.end());
    double gap = 0;
    size_t gaps = 0;
    for (size_t k = resident; k < starts.size(); k++, gaps++)
        gap += (double)(starts[k] - ends[k - resident]);
    char name[64];
    snprintf(name, sizeof name, "blocks.%d_warps%s", warps, is_flat ? "_flat" : "");
    size_t count = of_block.size();
    printf("%s.cycles_a_block,%d,%.2f\n", name, steps, (double)(last - first) / (double)count);
    printf("%s.gap,%d,%.1f\n", name, steps, gaps ? gap / (double)gaps : 0);
    printf("%s.warp_cycles,%d,%.1f\n", name, steps, (double)inside / (double)(count * warps));
    printf("%s.warp_start_spread,%d,%.1f\n", name, steps, (double)spread / (double)(count * warps));
    printf("%s.first_gap,%d,%lld\n", name, steps, starts[1] - starts[0]);
}

template <int A, int B> static void run_mixes()
{
    run_mix<A, B, 1, 1>();
    run_mix<A, B, 2, 1>();
    run_mix<A, B, 1, 2>();
}

template <int A> static void run_alone()
{
    run_mix<A, NONE, 1, 0>();
}

int main()
{
    printf("name,parameter,value\n");
    CHECK(cudaMalloc(&readings, readings_most * sizeof *readings));
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMemset(data, 0, data_bytes));
    run_alone<FFMA>();
    run_alone<SHIFT>();
    run_alone<IADD>();
    run_alone<IMAD>();
    run_alone<IMAD_WIDE>();
    run_alone<ADDRESS>();
    run_alone<HFMA2>();
    run_alone<DFMA>();
    run_alone<EX2>();
    run_alone<LOAD>();
    run_alone<LOAD_4>();
    run_alone<ADDRESSED>();
    run_alone<SHARED>();
    run_alone<SHARED_2>();
    run_mixes<FFMA, SHIFT>();
    run_mixes<FFMA, IADD>();
    run_mixes<FFMA, IMAD>();
    run_mixes<FFMA, IMAD_WIDE>();
    run_mixes<FFMA, ADDRESS>();
    run_mixes<FFMA, HFMA2>();
    run_mixes<FFMA, DFMA>();
    run_mixes<FFMA, EX2>();
    run_mixes<FFMA, LOAD>();
    run_mixes<FFMA, SHARED>();
    run_mixes<SHIFT, IADD>();
    run_mixes<SHIFT, IMAD>();
    run_mixes<SHIFT, IMAD_WIDE>();
    run_mixes<IADD, IMAD>();
    run_mixes<IADD, IMAD_WIDE>();
    run_mixes<IADD, ADDRESS>();
    run_mixes<IADD, LOAD>();
    run_mixes<IMAD, IMAD_WIDE>();
    run_mixes<IMAD, ADDRESS>();
    run_mixes<IMAD, LOAD>();
    run_mixes<ADDRESS, LOAD>();
    run_mixes<IMAD_WIDE, LOAD>();
    run_mixes<FFMA, ADDRESSED>();
    run_mixes<IADD, ADDRESSED>();
    run_mixes<IMAD, ADDRESSED>();
    run_mixes<SHIFT, LOAD>();
    run_mixes<IMAD, SHARED>();
    run_mixes<DFMA, IMAD>();
    run_mixes<HFMA2, IMAD>();
    run_mixes<LOAD, SHARED>();
    run_queues<LOAD>();
    run_queues<LOAD_4>();
    run_queues<LOAD_32>();
    run_queues<SHARED>();
    run_queues<SHARED_32>();
    run_fill<0>();
    run_fill<1>();
    run_fill<2>();
    run_fill<4>();
    run_fill<8>();
    run_fill<16>();
    for (int warps : {1, 2, 4, 8, 16, 32})
        for (int steps : {0, 64, 256, 1024})
            run_blocks(warps, steps, false);
    for (int warps : {2, 4, 8})
        run_blocks(warps, 64, true);
    run_order();
    run_chain<LOOP>();
    run_chain<PREDICATED>();
    run_chain<SHIFT_IMAD>();
    run_chain<SHIFT_FFMA>();
    run_chain<WIDE_ADDRESS>();
    run_chain<CONSTANT_INDEX>();
    run_chain<SPECIAL>();
    run_chain<UNIFORM_BRANCH>();
    run_chain<DIVERGENT>();
    run_code<64>();
    run_code<256>();
    run_code<1024>();
    run_code<4096>();
    for (int blocks : {1, 2, 8, 16}) {
        int warps = blocks <= 2 ? 32 : 64 / blocks;
        run_fair<FFMA, NONE, 1, 0>(warps, blocks);
        run_fair<IMAD, NONE, 1, 0>(warps, blocks);
        run_fair<LOAD, NONE, 1, 0>(warps, blocks);
        run_fair<LOAD_4, NONE, 1, 0>(warps, blocks);
        run_fair<SHARED, NONE, 1, 0>(warps, blocks);
        run_fair<FFMA, LOAD, 2, 1>(warps, blocks);
        run_fair<FFMA, SHARED, 1, 2>(warps, blocks);
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
