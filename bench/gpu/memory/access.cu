// Replays short scripts of warp accesses, so that the counters of L1 and L2 can be read for each.
// The script lies in constant memory and does not disturb L1. usage: access
#include <cstring>
#include <vector>

#include "common.cuh"

enum kind { LOAD, LOAD16, STORE, STORE16, ATOMIC, REDUCE, DELAY, BURST4, BURST8 };

struct op {
    uint32_t kind, warp; // warp 255: every warp, each with base + warp * warp_step
    uint32_t mask, base, per_group, group_step, lane_step, repeat, step, warp_step;
};

enum { MAX_OPS = 900 };
__constant__ op script[MAX_OPS];
extern __shared__ uint32_t dynamic_shared[];

__global__ void replay(char *buffer, int count)
{
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    for (int i = 0; i < count; i++) {
        op o = script[i];
        if (o.warp != 255 && o.warp != warp)
            continue;
        if (o.kind == DELAY) {
            long long start = clock64();
            while (clock64() - start < o.base)
                ;
            continue;
        }
        char *address = buffer + o.base + lane % o.per_group * o.lane_step +
                        lane / o.per_group * o.group_step + warp * o.warp_step;
        bool on = o.mask >> lane & 1;
        for (uint32_t r = 0; r < o.repeat; r++, address += o.step) {
            uint32_t value = 0, zero = 0;
            if (!on)
                continue;
            char *place = address + sum; // the buffer holds zeros: waits for the load before
            if (o.kind == LOAD)
                asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(place));
            else if (o.kind == LOAD16)
                asm volatile("{ .reg .u32 a, b, c; ld.global.ca.v4.u32 {%0, a, b, c}, [%1]; }"
                             : "=r"(value)
                             : "l"(place));
            else if (o.kind == STORE)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(place), "r"(zero) : "memory");
            else if (o.kind == STORE16)
                asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(place), "r"(zero)
                             : "memory");
            else if (o.kind == ATOMIC)
                asm volatile("atom.global.add.u32 %0, [%1], %2;"
                             : "=r"(value)
                             : "l"(place), "r"(zero)
                             : "memory");
            else if (o.kind == BURST4 || o.kind == BURST8) { // stores back to back, 4 bytes on
                asm volatile("st.global.u32 [%0], %1; st.global.u32 [%0+4], %1;"
                             "st.global.u32 [%0+8], %1; st.global.u32 [%0+12], %1;" ::"l"(place),
                             "r"(zero)
                             : "memory");
                if (o.kind == BURST8)
                    asm volatile(
                        "st.global.u32 [%0+16], %1; st.global.u32 [%0+20], %1;"
                        "st.global.u32 [%0+24], %1; st.global.u32 [%0+28], %1;" ::"l"(place),
                        "r"(zero)
                        : "memory");
            } else
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(place), "r"(zero) : "memory");
            sum += value;
        }
    }
    if (sum == 77)
        dynamic_shared[lane] = sum;
}

static char *buffer;
static std::vector<op> ops;

static op make(kind kind, uint32_t base, uint32_t lane_step)
{
    return op{(uint32_t)kind, 255, ~0u, base, 32, 0, lane_step, 1, 0, 0};
}
static void add(op o)
{
    ops.push_back(o);
}
static void delay(uint32_t cycles)
{
    op o = make(DELAY, cycles, 0);
    add(o);
}
static void run(int warps = 1, int shared_bytes = 0, int blocks = 1)
{
    CHECK(cudaMemcpyToSymbol(script, ops.data(), ops.size() * sizeof(op)));
    replay<<<blocks, warps * 32, shared_bytes>>>(buffer, (int)ops.size());
    finish();
    ops.clear();
}

// A sequence of kinds at byte offsets by one lane, delays between: "S0 L32" and the like.
static void sequence(const char *text, uint32_t cycles)
{
    label("seq %s wait=%u", text, cycles);
    for (const char *p = text; *p; p++) {
        kind kind = *p == 'S' ? STORE : *p == 'L' ? LOAD : *p == 'A' ? ATOMIC : REDUCE;
        char *end;
        uint32_t base = (uint32_t)strtoul(p + 1, &end, 10);
        op o = make(kind, base, 0);
        o.mask = 1;
        add(o);
        if (cycles)
            delay(cycles);
        if (!*end)
            break;
        p = end;
    }
    run();
}

static void store_sequences(void)
{
    const char *texts[] = {"S0",
                           "S0 S0",
                           "S0 S4",
                           "S0 S32",
                           "S0 S32 S64",
                           "L0 S0",
                           "L0 S32",
                           "S0 L0",
                           "S0 L4",
                           "S0 L32",
                           "L0 S0 L0",
                           "L0 S4 L8",
                           "L0 L32",
                           "S0 L0 L0",
                           "S0 L0 S0",
                           "A0",
                           "A0 A0",
                           "L0 A0",
                           "L0 A0 L0",
                           "A0 L0",
                           "R0",
                           "R0 R4",
                           "L0 R0 L0",
                           "S0 S128 S0",
                           "S0 L32 S0 S32",
                           "L0 L32 A0 L32",
                           "L0 L32 R0 L32",
                           "L0 L32 S0 L32"};
    for (const char *text : texts)
        for (uint32_t cycles : {0u, 4000u})
            sequence(text, cycles);
}

// `stores` consecutive stores of a warp: `groups` runs of lanes, group_step apart, each lane
// lane_step from the next, each store `step` further.
static void store_burst(int groups, uint32_t group_step, uint32_t lane_step, uint32_t step,
                        int stores, uint32_t cycles, int warps)
{
    label("burst groups=%d group_step=%u lane_step=%u step=%u stores=%d wait=%u warps=%d", groups,
          group_step, lane_step, step, stores, cycles, warps);
    for (int i = 0; i < stores; i++) {
        op o = make(STORE, i * step, lane_step);
        o.per_group = 32 / groups;
        o.group_step = group_step;
        o.warp_step = groups * (group_step ? group_step : 32 * lane_step);
        add(o);
        if (cycles)
            delay(cycles);
    }
    run(warps);
}

// The same without a gap between the stores, `repeat` times over, next_step on.
static void tight_burst(kind kind, int groups, uint32_t group_step, uint32_t lane_step, int repeat,
                        uint32_t next_step, int warps, int blocks)
{
    label("tight stores=%d groups=%d group_step=%u lane_step=%u repeat=%d next_step=%u warps=%d "
          "blocks=%d",
          kind == BURST8 ? 8 : 4, groups, group_step, lane_step, repeat, next_step, warps, blocks);
    op o = make(kind, 0, lane_step);
    o.per_group = 32 / groups;
    o.group_step = group_step;
    o.warp_step = 1 << 20;
    o.repeat = repeat;
    o.step = next_step;
    add(o);
    run(warps, 0, blocks);
}

static void store_bursts(void)
{
    for (int warps : {1, 2, 4, 8, 16})
        for (int repeat : {1, 8, 64}) {
            tight_burst(BURST8, 4, 65536, 32, repeat, 8192, warps, 1); // 32 sectors of 8 lines
            tight_burst(BURST4, 4, 65536, 16, repeat, 8192, warps, 1); // 16 sectors of 4 lines
            tight_burst(BURST4, 1, 0, 16, repeat, 8192, warps, 1);     // 16 sectors of 4 lines
            tight_burst(BURST8, 1, 0, 32, repeat, 8192, warps, 1);     // 32 sectors of 8 lines
            tight_burst(BURST4, 2, 65536, 16, repeat, 8192, warps, 1);
            tight_burst(BURST8, 4, 65536, 32, repeat, 256, warps, 1);
            tight_burst(BURST8, 32, 8192, 0, repeat, 32, warps, 1); // 32 sectors of 32 lines
            tight_burst(BURST4, 32, 8192, 0, repeat, 16, warps, 1);
        }
    for (int warps : {1, 8})
        for (uint32_t cycles : {0u, 300u, 1000u, 4000u}) {
            store_burst(1, 0, 4, 0, 8, cycles, warps);
            store_burst(1, 0, 16, 4, 4, cycles, warps);
            store_burst(4, 8192, 32, 4, 8, cycles, warps);
            store_burst(4, 8192, 16, 4, 4, cycles, warps);
            store_burst(4, 256, 32, 4, 8, cycles, warps);
            store_burst(32, 8192, 0, 4, 8, cycles, warps);
            store_burst(32, 128, 0, 4, 8, cycles, warps);
        }
}

// N lines, `step` bytes apart, read `passes` times over by one warp.
static void capacity(uint32_t lines, uint32_t step, int passes, int shared_kib, kind kind)
{
    label("capacity kind=%d lines=%u step=%u passes=%d shared_kib=%d", kind, lines, step, passes,
          shared_kib);
    for (int pass = 0; pass < passes; pass++) {
        op o = make(kind, 0, step > 128 ? 0 : 4);
        o.repeat = lines;
        o.step = step;
        add(o);
    }
    run(1, shared_kib * 1024);
}

static void capacities(void)
{
    CHECK(cudaFuncSetAttribute(replay, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
    struct {
        int carveout_pct, shared_kib, l1_kib;
    } const settings[] = {{0, 0, 256}, {44, 99, 156}, {100, 200, 28}};
    for (auto setting : settings) {
        CHECK(cudaFuncSetAttribute(replay, cudaFuncAttributePreferredSharedMemoryCarveout,
                                   setting.carveout_pct));
        for (int pct : {50, 70, 80, 85, 90, 95, 100, 105, 110, 125, 150, 200})
            capacity(setting.l1_kib * 8 * pct / 100, 128, 4, setting.shared_kib, LOAD);
    }
    CHECK(cudaFuncSetAttribute(replay, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (uint32_t step : {256u, 384u, 512u, 1024u, 2048u, 4096u, 8192u, 16384u, 65536u, 4224u})
        for (uint32_t lines : {256u, 1024u, 1536u})
            if ((uint64_t)step * lines <= 100u << 20)
                capacity(lines, step, 4, 0, LOAD);
    for (uint32_t lines : {64u, 128u, 256u, 512u, 1024u, 1800u, 2048u, 3000u})
        capacity(lines, 128, 2, 0, STORE);
}

// Lines kept when stores and loads compete: loads of `loads` lines, stores to `stores` others,
// loads again.
static void competition(uint32_t loads, uint32_t stores)
{
    label("competition loads=%u stores=%u", loads, stores);
    op o = make(LOAD, 0, 4);
    o.repeat = loads;
    o.step = 128;
    op s = make(STORE, 64 << 20, 4);
    s.repeat = stores;
    s.step = 128;
    add(o), add(s), add(o);
    run();
}

// A full line stored, then loaded; atomics of a warp whose lanes share words (per_group lanes a
// word).
static void store_then_load(void)
{
    for (kind second : {LOAD, LOAD16}) {
        label("stored line, load kind=%d", second);
        add(make(STORE, 0, 4));
        delay(3000);
        add(make(second, 0, second == LOAD16 ? 0 : 4));
        run();
    }
    for (kind which : {ATOMIC, REDUCE})
        for (uint32_t lanes_per_word : {1u, 2u, 4u, 8u, 32u})
            for (uint32_t word_step : {4u, 8u, 32u, 128u}) {
                label("shared words kind=%d lanes_per_word=%u word_step=%u", which, lanes_per_word,
                      word_step);
                op o = make(which, 0, 0);
                o.per_group = lanes_per_word;
                o.group_step = word_step;
                add(o);
                run();
            }
}

// Words of local memory written and read again by each thread, more than L1 holds or less.
__global__ void local_words(int count, uint32_t *out)
{
    volatile uint32_t words[512];
    uint32_t sum = 0;
    for (int i = 0; i < count; i++)
        words[i] = i + threadIdx.x;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++)
            sum += words[i];
    if (sum == 77)
        out[0] = sum;
}

static void locals(void)
{
    for (int blocks : {1, 132})
        for (int threads : {32, 1024})
            for (int count : {8, 32, 128, 512}) {
                label("local words=%d threads=%d blocks=%d", count, threads, blocks);
                local_words<<<blocks, threads>>>(count, (uint32_t *)buffer);
                finish();
            }
}

int main(int count, char **)
{
    CHECK(cudaMalloc(&buffer, 256u << 20));
    CHECK(cudaMemset(buffer, 0, 256u << 20));
    store_sequences();
    store_then_load();
    locals();
    if (count > 1) // any argument: the short tests alone
        return 0;
    store_bursts();
    capacities();
    for (uint32_t stores : {0u, 500u, 1000u, 2000u, 4000u})
        competition(1200, stores);
}
