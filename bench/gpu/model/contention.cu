// What many warps cost each other behind L1, and what short launches cost: constants by address,
// atomics at few addresses, stores and loads of many lines by their stride, copies of a few
// megabytes, blocks that live for a given time. One kernel launch a reading, each prints a line;
// contention.sh reads the counters of every launch and joins the two.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"
#include "suites.h"

static void report(const char *name, long operations, unsigned warps, unsigned blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%u,%u\n", name, operations, warps, blocks);
}

static char label[128];
#define LABEL(...) snprintf(label, sizeof label, __VA_ARGS__)

static unsigned *out;
static char *big;
static int sms;
static const size_t big_bytes = (size_t)512 << 20;

// ---- constants by address: lane l reads word l % distinct * stride of a table of zeros ----

__constant__ unsigned char table_bytes[65536];

template <typename T, int CHAINS, bool IS_WALK>
__global__ void constants(unsigned *to, int distinct, int stride, int rounds, unsigned zero)
{
    const T *table = (const T *)table_bytes;
    unsigned at[CHAINS];
    unsigned lane = threadIdx.x % 32;
    for (int i = 0; i < CHAINS; i++)
        at[i] = lane % distinct * stride + i * (stride ? stride : 1);
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int k = 0; k < 8; k++)
#pragma unroll
            for (int i = 0; i < CHAINS; i++)
                at[i] = (at[i] + (unsigned)table[at[i]] + (IS_WALK ? zero : 0)) % 16384;
    unsigned sum = 0;
    for (int i = 0; i < CHAINS; i++)
        sum += at[i];
    to[threadIdx.x] = sum;
}

static void run_constants()
{
    const int rounds = 8;
    for (int warps : {1, 8, 32})
        for (int distinct : {1, 2, 4, 8, 16, 32})
            for (int stride : {1, 16}) {
                if (distinct == 1 && stride != 1)
                    continue;
                LABEL("constant.words_%d.stride_%d", distinct, stride * 4);
                constants<unsigned, 4, false><<<1, warps * 32>>>(out, distinct, stride, rounds, 0);
                report(label, rounds * 32, warps, 1);
            }
    for (int warps : {1, 32})
        for (int distinct : {1, 8, 32}) {
            LABEL("constant.bytes_%d", distinct);
            constants<unsigned char, 4, false><<<1, warps * 32>>>(out, distinct, 1, rounds, 0);
            report(label, rounds * 32, warps, 1);
            LABEL("constant.longs_%d", distinct);
            constants<uint64_t, 4, false><<<1, warps * 32>>>(out, distinct, 1, rounds, 0);
            report(label, rounds * 32, warps, 1);
        }
    for (int distinct : {1, 2, 8, 32})
        for (int part : {1, 2}) {
            LABEL("constant_chain%d.words_%d", part, distinct);
            constants<unsigned, 1, false><<<1, 32>>>(out, distinct, 1, rounds * 4 * part, 0);
            report(label, rounds * 32 * part, 1, 1);
        }
    // one word of each 64 bytes, of a table of 2 to 64 KiB, over and over
    for (int steps : {16, 32, 128, 512, 1024})
        for (int warps : {1, 8}) {
            LABEL("constant_walk.%d_bytes", steps * 64);
            constants<unsigned, 1, true><<<1, warps * 32>>>(out, 1, 0, steps * 2 / 8, 16);
            report(label, steps * 2, warps, 1);
        }
    LABEL("constant_all.words_32");
    constants<unsigned, 4, false><<<sms, 512>>>(out, 32, 1, rounds, 0);
    report(label, rounds * 32, 16, (unsigned)sms);
}

// ---- atomics: warp w at address w % addresses, spacing bytes apart; one lane, or all of them ----

enum atomic_kind { ATOM_INT, ATOM_FLOAT, ATOM_CAS, RED_INT, RED_FLOAT, ATOM_CHAIN, PLAIN_INT };

template <int KIND>
__global__ void atomics(char *base, unsigned *to, int addresses, int spacing, int lanes,
                        int lane_bytes, int count)
{
    unsigned lane = threadIdx.x % 32;
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *at = base + (size_t)(warp % addresses) * spacing + lane * lane_bytes;
    unsigned sum = 0, got = 0;
    float f = 0;
    if (lane < lanes)
#pragma unroll 4
        for (int i = 0; i < count; i++) {
            if (KIND == ATOM_INT || KIND == ATOM_CHAIN)
                asm volatile("atom.global.add.u32 %0, [%1], %2;"
                             : "=r"(got)
                             : "l"(at), "r"(lane + i));
            else if (KIND == ATOM_FLOAT)
                asm volatile("atom.global.add.f32 %0, [%1], %2;"
                             : "=f"(f)
                             : "l"(at), "f"((float)lane));
            else if (KIND == ATOM_CAS)
                asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                             : "=r"(got)
                             : "l"(at), "r"(lane), "r"(i));
            else if (KIND == RED_INT)
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(lane + i));
            else if (KIND == RED_FLOAT)
                asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"((float)lane));
            else
                got = atomicAdd((unsigned *)at, 1u);
            if (KIND == ATOM_CHAIN)
                at += got >> 31; // 0: the next waits for this one
            sum += got + __float_as_uint(f);
        }
    if (sum == 0x12345678)
        to[threadIdx.x] = sum;
}

static void run_atomic(int kind, const char *name, int addresses, int spacing, int lanes,
                       int lane_bytes, int warps, int blocks)
{
    static void (*const kernels[])(char *, unsigned *, int, int, int, int, int) = {
        atomics<ATOM_INT>,  atomics<ATOM_FLOAT>, atomics<ATOM_CAS>, atomics<RED_INT>,
        atomics<RED_FLOAT>, atomics<ATOM_CHAIN>, atomics<PLAIN_INT>};
    const int count = 32;
    CHECK(cudaMemset(big, 0, 64 << 20));
    LABEL("%s.addresses_%d.spacing_%d.lanes_%d.apart_%d", name, addresses, spacing, lanes,
          lane_bytes);
    kernels[kind]<<<blocks, warps * 32>>>(big, out, addresses, spacing, lanes, lane_bytes, count);
    report(label, count, (unsigned)warps, (unsigned)blocks);
}

static void run_atomics()
{
    static const char *const names[] = {"atom_int",  "atom_float", "atom_cas",    "red_int",
                                        "red_float", "atom_chain", "atom_compiled"};
    run_atomic(ATOM_CHAIN, names[ATOM_CHAIN], 1, 4, 1, 0, 1, 1);
    run_atomic(ATOM_CHAIN, names[ATOM_CHAIN], 1, 4, 32, 0, 1, 1);
    run_atomic(ATOM_CHAIN, names[ATOM_CHAIN], 1, 4, 32, 4, 1, 1);
    for (int kind : {ATOM_INT, ATOM_FLOAT, ATOM_CAS, RED_INT, RED_FLOAT, PLAIN_INT})
        for (int lanes : {1, 32}) {
            run_atomic(kind, names[kind], 1, 4, lanes, 0, 1, 1);
            run_atomic(kind, names[kind], 1, 4, lanes, 0, 8, 1);
            run_atomic(kind, names[kind], 1, 4, lanes, 0, 8, sms);
        }
    for (int kind : {ATOM_INT, RED_FLOAT}) {
        for (int spacing : {4, 32, 128, 4096})
            for (int addresses : {2, 8, 32, 1056})
                run_atomic(kind, names[kind], addresses, spacing, 1, 0, 8, sms);
        run_atomic(kind, names[kind], 32, 4096, 32, 0, 8, sms);
        run_atomic(kind, names[kind], 1056, 4096, 32, 0, 8, sms);
        run_atomic(kind, names[kind], 1, 128, 32, 4, 8, sms);
        run_atomic(kind, names[kind], 32, 128, 32, 4, 8, sms);
        run_atomic(kind, names[kind], 1056, 128, 32, 4, 8, sms);
        run_atomic(kind, names[kind], 1056, 4096, 32, 128, 8, sms);
    }
}

template <int KIND> __global__ void shared_atomics(unsigned *to, int lanes, int lane_words, int count)
{
    __shared__ unsigned words[2048];
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    unsigned lane = threadIdx.x % 32, sum = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(words + lane * lane_words);
    if (lane < lanes)
#pragma unroll 4
        for (int i = 0; i < count; i++) {
            unsigned got = 0;
            if (KIND == ATOM_INT)
                asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                             : "=r"(got)
                             : "r"(at), "r"(lane + i));
            else if (KIND == ATOM_FLOAT)
                got = __float_as_uint(atomicAdd((float *)words + lane * lane_words, 1.0f));
            else if (KIND == ATOM_CAS)
                asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                             : "=r"(got)
                             : "r"(at), "r"(lane), "r"(i));
            else if (KIND == RED_INT)
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(lane + i));
            else
                got = atomicAdd(words + lane * lane_words, 1u);
            sum += got;
        }
    to[threadIdx.x] = sum;
}

static void run_shared_atomics()
{
    const int count = 32;
    static const struct {
        const char *name;
        void (*kernel)(unsigned *, int, int, int);
    } rows[] = {{"shared_int", shared_atomics<ATOM_INT>},
                {"shared_float", shared_atomics<ATOM_FLOAT>},
                {"shared_cas", shared_atomics<ATOM_CAS>},
                {"shared_red", shared_atomics<RED_INT>},
                {"shared_compiled", shared_atomics<PLAIN_INT>}};
    for (const auto &row : rows)
        for (int warps : {1, 8, 32})
            for (int how : {0, 1, 2}) { // one lane; all at one word; each at its own
                LABEL("%s.%s", row.name, how == 0 ? "one_lane" : how == 1 ? "one_word" : "own_words");
                row.kernel<<<1, warps * 32>>>(out, how ? 32 : 1, how == 2, count);
                report(label, count, (unsigned)warps, 1);
            }
}

// ---- columns: lane l of warp w touches row (w % rows_of_warps) * 32 + l of a matrix of rows of
// stride bytes, at byte (w / rows_of_warps) * step ----

enum { READ_L1, READ_L2, WRITE };

template <int WHAT>
__global__ void columns(char *base, unsigned *to, int stride, int step, long warps_most, int lanes)
{
    unsigned lane = threadIdx.x % 32, sum = 0;
    long warps = (long)gridDim.x * blockDim.x / 32;
    const unsigned rows = 2048 / 32;
#pragma unroll 4
    for (long w = ((long)blockIdx.x * blockDim.x + threadIdx.x) / 32; w < warps_most; w += warps) {
        // lanes of a row stand side by side
        char *at = base + ((w % rows * 32 + lane) / lanes) * (long)stride + w / rows * step * lanes +
                   lane % lanes * 4;
        unsigned value;
        if (WHAT == WRITE)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(sum));
        else if (WHAT == READ_L1)
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
        else
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at));
        if (WHAT != WRITE)
            sum ^= value;
    }
    if (sum == 0x12345678)
        to[threadIdx.x] = sum;
}

static void run_columns()
{
    static const struct {
        const char *name;
        void (*kernel)(char *, unsigned *, int, int, long, int);
    } rows[] = {{"column_read_l2", columns<READ_L2>}, {"column_write", columns<WRITE>}};
    for (const auto &row : rows)
        for (int blocks : {1, sms * 2})
            for (int stride : {128, 160, 256, 1024, 1056, 4096, 8192, 8224})
                for (int step : {4, 32}) {
                    if ((blocks == 1 && (step == 4 || stride == 160)) || (step * 64 > stride && step == 32))
                        continue;
                    long warps = blocks == 1 ? 256 : step == 4 ? 64 * 256 : 64 * 64;
                    if (warps / 64 * step > stride)
                        warps = stride / step * 64l;
                    LABEL("%s.stride_%d.step_%d", row.name, stride, step);
                    row.kernel<<<blocks, 512>>>(big, out, stride, step, warps, 1);
                    report(label, warps, 16, (unsigned)blocks);
                }
    for (const auto &row : rows)
        for (int stride : {1024, 8192})
            for (int lanes : {2, 4, 8, 16}) {
                LABEL("%s.stride_%d.lanes_%d", row.name, stride, lanes);
                long warps = 64l * (stride / 4 / lanes < 128 ? stride / 4 / lanes : 128);
                row.kernel<<<sms * 2, 512>>>(big, out, stride, 4, warps, lanes);
                report(label, warps, 16, (unsigned)sms * 2);
            }
}

// Blocks of 256 threads that each read a column of words, all at once: neighbours share sectors.
__global__ void shared_columns(const char *base, unsigned *to, int stride, int step, int rows)
{
    unsigned sum = 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < rows; i += blockDim.x) {
        unsigned value;
        asm volatile("ld.global.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(base + (size_t)i * stride + (size_t)blockIdx.x * step));
        sum ^= value;
    }
    if (sum == 0x12345678)
        to[threadIdx.x] = sum;
}

static void run_shared_columns()
{
    for (int blocks : {1, sms, 2 * sms})
        for (int stride : {1024, 1056, 2048, 8192 + 32})
            for (int step : {0, 4, 32}) {
                if (step * blocks > stride)
                    continue;
                LABEL("shared_columns.stride_%d.step_%d", stride, step);
                shared_columns<<<blocks, 256>>>(big, out, stride, step, 8192);
                report(label, 8192 / 256, 8, (unsigned)blocks);
            }
}

// Warps that load LOADS times at once from a megabyte of their SM's, over and over: each load touches
// `lines` lines, a sector of each; the second launch less the first is what L2 gives.
template <int IS_CACHED>
__global__ void flights(const char *base, unsigned *to, int lines, int rounds)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, sum = 0;
    const unsigned most = (1 << 20) - 1;
    const char *own = base + ((size_t)blockIdx.x % 16 << 20);
    unsigned at = (warp * 4 * lines + lane % lines) * 128 + lane / lines * 4 % 32;
    for (int i = 0; i < rounds; i++) {
        unsigned value[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (IS_CACHED)
                asm volatile("ld.global.u32 %0, [%1];"
                             : "=r"(value[k])
                             : "l"(own + ((at + k * lines * 128) & most)));
            else
                asm volatile("ld.global.cg.u32 %0, [%1];"
                             : "=r"(value[k])
                             : "l"(own + ((at + k * lines * 128) & most)));
        sum ^= value[0] ^ value[1] ^ value[2] ^ value[3];
        at += warps * 4 * lines * 128 + sum; // 0: the next round waits for this one
    }
    if (sum == 0x12345678)
        to[threadIdx.x] = sum;
}

static void run_flights()
{
    for (int is_cached : {0, 1})
        for (int blocks : {1, sms})
            for (int lines : {1, 4, 8, 32})
                for (int warps : {1, 4, 8, 16, 32})
                    for (int part : {1, 2}) {
                        // the first launch goes through the megabyte once
                        int rounds = 8192 / (warps * 4 * lines) * part;
                        if (rounds > 512)
                            rounds = 256 + 256 * part;
                        LABEL("flights%d.%s.lines_%d", part, is_cached ? "l1" : "l2", lines);
                        if (is_cached)
                            flights<1><<<blocks, warps * 32>>>(big, out, lines, rounds);
                        else
                            flights<0><<<blocks, warps * 32>>>(big, out, lines, rounds);
                        report(label, rounds * 4l, (unsigned)warps, (unsigned)blocks);
                    }
}

// ---- short launches ----

template <typename T, int WHAT> __global__ void short_copy(const T *from, T *to, long count)
{
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    T value = {};
    if (WHAT != 1)
        value = from[i];
    if (WHAT != 0 || *(unsigned *)&value == 0x12345678)
        to[i] = value;
}

template <typename T, int WHAT> static void run_short(const char *name)
{
    for (int threads : {64, 256, 1024})
        for (size_t megabytes : {1, 4, 16, 64}) {
            if (threads != 256 && megabytes != 16)
                continue;
            long count = (long)((megabytes << 20) / sizeof(T));
            unsigned blocks = (unsigned)(count / threads);
            LABEL("short_%s.%zu_bytes.%zu_MiB", name, sizeof(T), megabytes);
            short_copy<T, WHAT><<<blocks, threads>>>((const T *)big, (T *)(big + big_bytes / 2), count);
            report(label, count, (unsigned)threads / 32, blocks);
        }
}

// A matrix of floats copied in tiles: a block of width x (256 / width) threads each.
__global__ void short_tiles(const float *from, float *to, int columns)
{
    long i = (long)(blockIdx.y * blockDim.y + threadIdx.y) * columns + blockIdx.x * blockDim.x +
             threadIdx.x;
    to[i] = from[i];
}

static void run_tiles()
{
    const int columns = 2048;
    for (unsigned width : {8u, 16u, 32u, 64u, 256u}) {
        dim3 block(width, 256 / width), grid(columns / block.x, columns / block.y);
        LABEL("short_tiles.width_%u", width);
        short_tiles<<<grid, block>>>((float *)big, (float *)(big + big_bytes / 2), columns);
        report(label, columns * columns, 8, grid.x * grid.y);
    }
}

__global__ void live(unsigned *to, int cycles, int stores)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
    if (stores)
        to[(long)blockIdx.x * blockDim.x + threadIdx.x] = 1;
    if (to == nullptr)
        printf("never");
}

static void run_lives()
{
    for (int warps : {1, 2, 4, 8, 16, 32})
        for (int cycles : {0, 500, 1000, 2000})
            for (int stores : {0, 1}) {
                unsigned blocks = (unsigned)sms * 512 / (unsigned)warps;
                LABEL("live_%s.%d_cycles", stores ? "and_store" : "only", cycles);
                live<<<blocks, warps * 32>>>((unsigned *)big, cycles, stores);
                report(label, cycles, (unsigned)warps, blocks);
            }
}

// ---- how latencies spread: each warp's load timed by its SM's clock; no profiler ----

__global__ void spread(const char *base, unsigned *cycles, size_t bytes, int loads)
{
    unsigned lane = threadIdx.x % 32;
    size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32;
    size_t warps = (size_t)gridDim.x * blockDim.x / 32;
    size_t at = warp * 128 + lane * 4;
    for (int i = 0; i < loads; i++) {
        unsigned value;
        long long start = clock64();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(base + at));
        if (value) // never: the clock is read once the value is there
            return;
        long long end = clock64();
        at += warps * 128;
        at = at < bytes ? at : at - bytes;
        if (lane == 0)
            cycles[warp * loads + i] = (unsigned)(end - start);
    }
}

// What the first accesses of a launch take: its first load, one in the same page, one 64 MiB on;
// and ADDITIONS one after another, twice, the first time from code that was never fetched.
template <int ADDITIONS> __global__ void cold(const char *base, unsigned *cycles)
{
    long long times[6];
    unsigned value;
    times[0] = clock64();
#pragma unroll
    for (int k = 0; k < 3; k++) {
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(base + blockIdx.x * 4096 + (k == 1 ? 2048 : (size_t)k << 25)));
        if (value)
            return;
        times[k + 1] = clock64();
    }
    float x = threadIdx.x;
#pragma unroll 1
    for (int turn = 0; turn < 2; turn++) {
#pragma unroll
        for (int i = 0; i < ADDITIONS; i++)
            asm volatile("add.rn.f32 %0, %0, 0f3F800000;" : "+f"(x));
        if (x < 0)
            return;
        times[4 + turn] = clock64();
    }
    if (threadIdx.x == 0)
        for (int k = 1; k < 6; k++)
            cycles[blockIdx.x * 5 + k - 1] = (unsigned)(times[k] - times[k - 1]);
}

template <int ADDITIONS> static void run_cold(unsigned *readings)
{
    unsigned list[5 * 132];
    cold<ADDITIONS><<<132, 32>>>(big, readings);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(list, readings, sizeof list, cudaMemcpyDeviceToHost));
    static const char *const names[] = {"first_load", "same_page", "other_page", "code_cold",
                                        "code_warm"};
    for (int k = 0; k < 5; k++) {
        double mean = 0;
        for (int i = 0; i < 132; i++)
            mean += list[i * 5 + k] / 132.0;
        printf("cold.%d_additions.%s,%.0f\n", ADDITIONS, names[k], mean);
    }
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void print_spread(const char *name, unsigned *list, size_t count)
{
    double mean = 0;
    for (size_t i = 0; i < count; i++)
        mean += (double)list[i] / (double)count;
    qsort(list, count, sizeof *list, compare);
    printf("%s.mean,%.1f\n", name, mean);
    for (int part : {1, 10, 25, 50, 75, 90, 99})
        printf("%s.percent_%d,%u\n", name, part, list[count * part / 100]);
    printf("%s.most,%u\n", name, list[count - 1]);
}

static void run_spread()
{
    const int loads = 64;
    const size_t most = (size_t)sms * 64 * loads;
    unsigned *readings, *list = (unsigned *)malloc(most * sizeof *list);
    CHECK(cudaMalloc(&readings, most * sizeof *readings));
    for (size_t bytes : {(size_t)16 << 20, big_bytes})
        for (int warps : {1, 4, 8, 16, 32, 64})
            for (int blocks : {1, sms}) {
                const unsigned threads = warps > 32 ? 1024 : warps * 32;
                const size_t count = (size_t)blocks * warps * loads;
                // the first fills L2, or what it has of it is gone when the second comes
                for (int turn = 0; turn < 2; turn++) {
                    if (bytes == big_bytes)
                        CHECK(cudaMemset(big, 0, big_bytes));
                    spread<<<blocks * (warps > 32 ? 2 : 1), threads>>>(big, readings, bytes, loads);
                }
                CHECK(cudaDeviceSynchronize());
                CHECK(cudaMemcpy(list, readings, count * sizeof *list, cudaMemcpyDeviceToHost));
                LABEL("spread.%s.%d_warps.%d_sms", bytes < big_bytes ? "l2" : "device", warps, blocks);
                print_spread(label, list, count);
            }
    run_cold<32>(readings);
    run_cold<128>(readings);
    run_cold<512>(readings);
    run_cold<2048>(readings);
    free(list);
    CHECK(cudaFree(readings));
}

static void run_all_short()
{
    run_short<float, 0>("read");
    run_short<float, 1>("write");
    run_short<float, 2>("copy");
    run_short<float4, 0>("read");
    run_short<float4, 1>("write");
    run_short<float4, 2>("copy");
    run_short<double, 2>("copy");
    run_tiles();
}

static void run_all_atomics()
{
    run_atomics();
    run_shared_atomics();
}

static void run_all_columns()
{
    run_columns();
    run_shared_columns();
}

static const suite suites[] = {{"constants", run_constants}, {"atomics", run_all_atomics}, {"columns", run_all_columns},
              {"flights", run_flights},     {"short", run_all_short},     {"lives", run_lives}};

// usage: contention [suite...]: all of them without one; `spread` needs no profiler
int main(int argc, char **argv)
{
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&big, big_bytes));
    CHECK(cudaMalloc(&out, 1 << 20));
    CHECK(cudaMemset(big, 0, big_bytes));
    if (argc > 1 && !strcmp(argv[1], "spread")) {
        printf("name,cycles\n");
        run_spread();
        return 0;
    }
    run_suites(suites, argc, argv);
    return 0;
}
