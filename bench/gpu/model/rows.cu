// What rows of a matrix cost that lie in many places at once: one block a row, by where rows begin
// and how many go on together; sectors that are written in part; one lane a row; the last block,
// which goes through what all have written. One kernel launch a reading, each prints a line;
// contention.sh with PROGRAM=rows reads the counters of every launch and joins the two.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"
#include "suites.h"

static char label[128];
#define LABEL(...) snprintf(label, sizeof label, __VA_ARGS__)

static float *from, *to;
static int sms;
static const size_t bytes = (size_t)256 << 20;

static void report(long operations, unsigned warps, unsigned blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%u,%u\n", label, operations, warps, blocks);
}

// ---- a block goes through a row, LOADS values of each thread at a time ----

enum mode { READ, WRITE, COPY, IN_PLACE, MODES };
static const char *const mode_names[] = {"read", "write", "copy", "in_place"};

template <typename T> __device__ T load(const T *at);
template <> __device__ float load(const float *at)
{
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}
template <> __device__ float4 load(const float4 *at)
{
    float4 v;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
    return v;
}
__device__ void store(float *at, float value)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
}
__device__ void store(float4 *at, float4 v)
{
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v.x), "f"(v.y), "f"(v.z),
                 "f"(v.w)
                 : "memory");
}
__device__ bool is_odd(float value)
{
    return value == 1.5f;
}
__device__ bool is_odd(float4 value)
{
    return value.x == 1.5f || value.w == 1.5f;
}

template <typename T, int MODE, int LOADS>
__global__ void rows(const T *from, T *to, int columns, size_t pitch, int turns)
{
    const T *in = (MODE == IN_PLACE ? to : from) + blockIdx.x * pitch;
    T *out = to + blockIdx.x * pitch;
    bool is_any = false;
    for (int turn = 0; turn < turns; turn++)
        for (int i = threadIdx.x; i < columns; i += blockDim.x * LOADS) {
            T value[LOADS];
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                value[k] = MODE == WRITE ? T() : load(in + i + k * blockDim.x);
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                if (MODE == READ)
                    is_any |= is_odd(value[k]);
                else
                    store(out + i + k * blockDim.x, value[k]);
        }
    if (MODE == READ && is_any)
        *out = T();
}

template <typename T, int MODE, int LOADS>
static void run_rows(const char *layout, int count, int columns, size_t pitch, size_t offset,
                     int threads, int shared, int turns)
{
    auto kernel = rows<T, MODE, LOADS>;
    if (shared)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const int width = sizeof(T) / 4;
    kernel<<<count, threads, shared>>>((const T *)(from + offset), (T *)(to + offset),
                                       columns / width, pitch / width, turns);
    LABEL("rows_%s.%zu_bytes.%d_at_once.%s", mode_names[MODE], sizeof(T), LOADS, layout);
    report((long)count * columns * turns, threads / 32, count);
}

template <typename T, int LOADS>
static void run_modes(const char *layout, int count, int columns, size_t pitch, size_t offset,
                      int threads, int shared, int turns)
{
    run_rows<T, READ, LOADS>(layout, count, columns, pitch, offset, threads, shared, turns);
    run_rows<T, WRITE, LOADS>(layout, count, columns, pitch, offset, threads, shared, turns);
    run_rows<T, COPY, LOADS>(layout, count, columns, pitch, offset, threads, shared, turns);
    run_rows<T, IN_PLACE, LOADS>(layout, count, columns, pitch, offset, threads, shared, turns);
}

static void run_all_rows()
{
    const int columns = 49152;
    const struct {
        const char *name;
        size_t pitch, offset;
    } layouts[] = {{"line", 50304, 0},         {"line_2_KiB", 50176, 0},
                   {"half_line", 50320, 0},    {"sector", 50264, 0},
                   {"word", 50257, 0},         {"all_by_a_sector", 50304, 8},
                   {"all_by_a_word", 50304, 1}};
    for (const auto &layout : layouts) {
        run_modes<float, 1>(layout.name, 1024, columns, layout.pitch, layout.offset, 256, 0, 1);
        run_modes<float, 4>(layout.name, 1024, columns, layout.pitch, layout.offset, 256, 0, 1);
    }
    run_modes<float4, 1>("line", 1024, columns, 50304, 0, 256, 0, 1);
    run_modes<float4, 2>("line", 1024, columns, 50304, 0, 256, 0, 1);
    // fewer rows at once: 2 blocks of an SM
    run_modes<float, 1>("line.2_blocks", 1024, columns, 50304, 0, 1024, 0, 1);
    run_modes<float, 1>("word.2_blocks", 1024, columns, 50257, 0, 1024, 0, 1);
    run_modes<float, 1>("line.2_small_blocks", 1024, columns, 50304, 0, 256, 100 << 10, 1);
    run_modes<float, 1>("word.2_small_blocks", 1024, columns, 50257, 0, 256, 100 << 10, 1);
    run_modes<float, 4>("word.2_small_blocks", 1024, columns, 50257, 0, 256, 100 << 10, 1);
    // one place that all blocks go through together
    run_modes<float, 1>("line.together", 49152, 1024, 1024, 0, 256, 0, 1);
    run_modes<float, 1>("word.together", 49152, 1024, 1025, 0, 256, 0, 1);
    // what stays in L2
    run_modes<float, 1>("line.l2", 1024, 2048, 2080, 0, 256, 0, 16);
    run_modes<float, 4>("line.l2", 1024, 2048, 2080, 0, 256, 0, 16);
    run_modes<float, 1>("word.l2", 1024, 2048, 2081, 0, 256, 0, 16);
    run_modes<float, 4>("word.l2", 1024, 2048, 2081, 0, 256, 0, 16);
}

// ---- sectors written in part: the first words of each, later perhaps the others ----

__global__ void parts(float *to, int words, int times, size_t sectors)
{
    size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int time = 0; time < times; time++)
        for (size_t i = thread; i < sectors * words; i += threads)
            to[i / words * 8 + time * words + i % words] = 1;
}

static void run_parts()
{
    for (int words : {1, 2, 4, 8})
        for (int times = 1; times * words <= 8 && times <= 2; times++) {
            size_t sectors = (size_t)128 << 15;
            parts<<<sms * 8, 256>>>(to, words, times, sectors);
            LABEL("part.%d_words.%d_times", words, times);
            report((long)(sectors * words * times), 8, sms * 8);
        }
}

// ---- the same where all stays in L2: lanes STRIDE words apart write one word after another; READS
// words of each lane come from device memory beside each store ----

template <int STRIDE, int TIMES, int READS>
__global__ void strides(const float *from, float *to, int places, size_t words, int turns)
{
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    size_t next = thread;
    bool is_any = false;
    for (int turn = 0; turn < turns; turn++)
        for (int i = thread; i < places; i += threads) {
            float value[TIMES * READS + 1];
#pragma unroll
            for (int k = 0; k < TIMES * READS; k++, next += threads)
                value[k] = load(from + next % words);
#pragma unroll
            for (int k = 0; k < TIMES; k++)
                store(to + (size_t)i * STRIDE + k, 1);
            for (int k = 0; k < TIMES * READS; k++)
                is_any |= is_odd(value[k]);
        }
    if (is_any)
        *to = 0;
}

template <int STRIDE, int TIMES, int READS> static void run_strides()
{
    const int places = (4 << 20) / STRIDE, turns = 8; // 16 MiB
    strides<STRIDE, TIMES, READS><<<sms * 8, 256>>>(from, to, places, bytes / sizeof *from, turns);
    LABEL("strides.%d_bytes.%d_times.%d_reads", STRIDE * 4, TIMES, READS);
    report((long)places * TIMES * turns, 8, sms * 8);
}

static void run_all_strides()
{
    run_strides<1, 1, 0>();
    run_strides<2, 1, 0>();
    run_strides<2, 2, 0>();
    run_strides<4, 1, 0>();
    run_strides<4, 4, 0>();
    run_strides<8, 1, 0>();
    run_strides<8, 4, 0>();
    run_strides<8, 8, 0>();
    run_strides<16, 4, 0>();
    run_strides<32, 1, 0>();
    run_strides<32, 4, 0>();
    run_strides<1, 1, 1>();
    run_strides<2, 2, 1>();
    run_strides<4, 1, 1>();
    run_strides<4, 4, 1>();
    run_strides<8, 8, 1>();
    run_strides<32, 4, 1>();
}

// ---- four words of a lane, one store behind another, with APART instructions between them ----

enum filling { ARITHMETIC, SHARED, FILLINGS };

/* The address is the same register for all four. */
__device__ void store_word(float *at, int k, float value)
{
    if (k == 0)
        asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
    else if (k == 1)
        asm volatile("st.global.f32 [%0+4], %1;" ::"l"(at), "f"(value) : "memory");
    else if (k == 2)
        asm volatile("st.global.f32 [%0+8], %1;" ::"l"(at), "f"(value) : "memory");
    else
        asm volatile("st.global.f32 [%0+12], %1;" ::"l"(at), "f"(value) : "memory");
}

template <int APART, filling FILLING> __global__ void between(float *to, int places, int turns)
{
    __shared__ float word[256];
    float value = 1;
    word[threadIdx.x] = 1;
    for (int turn = 0; turn < turns; turn++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < places;
             i += gridDim.x * blockDim.x) {
            float *at = to + (size_t)i * 4;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                store_word(at, k, value);
#pragma unroll
                for (int j = 0; j < APART; j++)
                    if (FILLING == ARITHMETIC)
                        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(value));
                    else
                        asm volatile("ld.shared.f32 %0, [%1];"
                                     : "=f"(value)
                                     : "r"((unsigned)__cvta_generic_to_shared(word + threadIdx.x)));
            }
        }
}

template <int APART, filling FILLING> static void run_between()
{
    const int places = 1 << 20, turns = 8; // 16 MiB
    between<APART, FILLING><<<sms * 8, 256>>>(to, places, turns);
    LABEL("between.%d_%s", APART, FILLING == SHARED ? "shared" : "fma");
    report((long)places * 4 * turns, 8, sms * 8);
}

static void run_all_between()
{
    run_between<0, ARITHMETIC>();
    run_between<1, ARITHMETIC>();
    run_between<2, ARITHMETIC>();
    run_between<4, ARITHMETIC>();
    run_between<8, ARITHMETIC>();
    run_between<16, ARITHMETIC>();
    run_between<32, ARITHMETIC>();
    run_between<1, SHARED>();
    run_between<4, SHARED>();
}

// ---- a lane goes through a row: each access has a line of every lane ----

template <int MODE> __global__ void lanes(const float *from, float *to, int columns, size_t pitch)
{
    size_t row = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const float *in = (MODE == IN_PLACE ? to : from) + row * pitch;
    float *out = to + row * pitch;
    bool is_any = false;
    for (int i = 0; i < columns; i++) {
        float value = MODE == WRITE ? 0 : load(in + i);
        if (MODE == READ)
            is_any |= is_odd(value);
        else
            asm volatile("st.global.f32 [%0], %1;" ::"l"(out + i), "f"(value) : "memory");
    }
    if (MODE == READ && is_any)
        *out = 0;
}

template <int MODE> static void run_lanes(int blocks, int warps, int pitch)
{
    lanes<MODE><<<blocks, warps * 32>>>(from, to, 256, pitch);
    LABEL("lanes_%s.%d_bytes", mode_names[MODE], pitch * 4);
    report(256, warps, blocks);
}

static void run_all_lanes()
{
    for (int pitch : {260, 512, 545})
        for (int blocks : {1, 48, 132})
            for (int warps : {1, 8, 16}) {
                run_lanes<READ>(blocks, warps, pitch);
                run_lanes<WRITE>(blocks, warps, pitch);
                run_lanes<COPY>(blocks, warps, pitch);
                run_lanes<IN_PLACE>(blocks, warps, pitch);
            }
}

// ---- all blocks write a row of 1,536 words, the last to end reads them all: `turns` times ----

__device__ unsigned flag;

template <int LOADS> __global__ void last(float *rows, float *sink, int turns, int is_own)
{
    __shared__ unsigned ticket;
    const int words = 1536;
    for (int i = threadIdx.x * 4; i < words; i += blockDim.x * 4)
        *(float4 *)(rows + blockIdx.x * words + i) = make_float4(0, 0, 0, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        ticket = atomicInc(&flag, gridDim.x - 1);
    __syncthreads();
    if (ticket != gridDim.x - 1)
        return;
    bool is_any = false;
    if (is_own) // the last block has written all itself: what is read is where it left it
        for (unsigned row = 0; row < gridDim.x; row++)
            for (int i = threadIdx.x * 4; i < words; i += blockDim.x * 4)
                *(float4 *)(rows + row * words + i) = make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int turn = 0; turn < turns; turn++)
        if (threadIdx.x * 4 < words)
            for (unsigned row = 0; row < gridDim.x; row += LOADS) {
                float4 value[LOADS];
#pragma unroll
                for (int k = 0; k < LOADS; k++)
                    value[k] = load((const float4 *)(rows + (row + k) * words) + threadIdx.x);
#pragma unroll
                for (int k = 0; k < LOADS; k++)
                    is_any |= is_odd(value[k]);
                if (is_any)
                    *sink = 1;
            }
}

template <int LOADS> static void run_last(int threads)
{
    for (int is_own : {0, 1})
        for (int turns : {0, 1, 2}) {
            last<LOADS><<<528, threads>>>(to, from, turns, is_own);
            LABEL("last.%d_at_once.%s.%d_turns", LOADS, is_own ? "own" : "others", turns);
            report((long)turns * 528 / LOADS, threads / 32, 528);
        }
}

static void run_all_last()
{
    for (int threads : {32, 128, 384}) {
        run_last<1>(threads);
        run_last<4>(threads);
        run_last<8>(threads);
    }
}

// ---- when blocks begin that all fit at once: by the GPU's clock (32 ns apart), no profiler ----

__global__ void starts(unsigned long long *at, unsigned *sm, int cycles)
{
    long long begin = clock64();
    if (threadIdx.x == 0) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(at[blockIdx.x]));
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
    }
    while (clock64() - begin < cycles)
        ;
}

static void run_starts(int each, int warps)
{
    const int count = each * sms;
    unsigned long long *at, list[132 * 32 * 2], first = ~0ull;
    unsigned *sm, of[132 * 32 * 2];
    if (count > 132 * 32 * 2)
        return;
    CHECK(cudaMalloc(&at, count * sizeof *at));
    CHECK(cudaMalloc(&sm, count * sizeof *sm));
    for (int turn = 0; turn < 2; turn++)
        starts<<<count, warps * 32>>>(at, sm, 50000);
    CHECK(cudaMemcpy(list, at, count * sizeof *at, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(of, sm, count * sizeof *sm, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        first = list[i] < first ? list[i] : first;
    // by block number: when it began and where
    for (int part = 0; part <= 16; part++) {
        int i = part == 16 ? count - 1 : count * part / 16;
        printf("starts.%d_warps.%d_an_sm.block_%d,%llu,%u\n", warps, each, i, list[i] - first,
               of[i]);
    }
    // of the first blocks' SMs: when their first and last blocks began
    for (int k : {0, 1, 2, 3, 64, 131}) {
        unsigned long long least = ~0ull, most = 0;
        for (int i = 0; i < count; i++)
            if (of[i] == of[k < count ? k : 0]) {
                least = list[i] < least ? list[i] : least;
                most = list[i] > most ? list[i] : most;
            }
        printf("starts.%d_warps.%d_an_sm.sm_of_%d,%llu,%llu\n", warps, each, k, least - first,
               most - first);
    }
    CHECK(cudaFree(at));
    CHECK(cudaFree(sm));
}

static const suite suites[] = {{"rows", run_all_rows},       {"parts", run_parts},     {"strides", run_all_strides},
              {"between", run_all_between}, {"lanes", run_all_lanes}, {"last", run_all_last}};

// usage: rows [suite...]: all of them without one; `starts` needs no profiler
int main(int argc, char **argv)
{
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(from, 0, bytes));
    CHECK(cudaMemset(to, 0, bytes));
    if (argc > 1 && !strcmp(argv[1], "starts")) {
        printf("name,ns,sm\n");
        for (int warps : {1, 4, 8, 32})
            for (int each : {1, 2, 4, 8, 16, 32})
                if (each * warps <= 64)
                    run_starts(each, warps);
        return 0;
    }
    run_suites(suites, argc, argv);
    return 0;
}
