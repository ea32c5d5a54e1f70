// One shared-memory instruction of one warp with a given pattern of addresses, for the counters of
// bank conflicts. Prints each pattern: kind, width, mask, 32 byte addresses. usage: banks
#include <cstring>

#include "common.cuh"

enum kind { LOAD, STORE, ATOMIC, REDUCE, EXCHANGE, CAS };
__constant__ uint32_t addresses[32];

template <int KIND, int WIDTH> __global__ void access(uint32_t mask, uint32_t *out)
{
    __shared__ __align__(16) char space[32768];
    uint32_t place = (uint32_t)__cvta_generic_to_shared(space) + addresses[threadIdx.x];
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (mask >> threadIdx.x & 1) {
        if (KIND == LOAD) {
            if (WIDTH == 1)
                asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(place));
            if (WIDTH == 2) {
                uint16_t h;
                asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(place));
                a = h;
            }
            if (WIDTH == 4)
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(place));
            if (WIDTH == 8)
                asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(place));
            if (WIDTH == 16)
                asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "r"(place));
        } else if (KIND == STORE) {
            if (WIDTH == 1)
                asm volatile("st.shared.u8 [%0], %1;" ::"r"(place), "r"(mask));
            if (WIDTH == 2)
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(place), "h"((uint16_t)mask));
            if (WIDTH == 4)
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(place), "r"(mask));
            if (WIDTH == 8)
                asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(place), "r"(mask));
            if (WIDTH == 16)
                asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(place), "r"(mask));
        } else if (WIDTH == 8) { // 64-bit atomics
            unsigned long long wide = mask;
            if (KIND == ATOMIC)
                asm volatile("atom.shared.add.u64 %0, [%1], %0;" : "+l"(wide) : "r"(place));
            if (KIND == EXCHANGE)
                asm volatile("atom.shared.exch.b64 %0, [%1], %0;" : "+l"(wide) : "r"(place));
            if (KIND == CAS)
                asm volatile("atom.shared.cas.b64 %0, [%1], %0, %0;" : "+l"(wide) : "r"(place));
            a = (uint32_t)wide;
        } else if (KIND == ATOMIC) {
            asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(a) : "r"(place), "r"(mask));
        } else if (KIND == REDUCE) {
            asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(place), "r"(mask));
        } else if (KIND == EXCHANGE) {
            asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(a) : "r"(place), "r"(mask));
        } else {
            asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                         : "=r"(a)
                         : "r"(place), "r"(mask), "r"(mask));
        }
    }
    if (a + b + c + d == 77)
        out[threadIdx.x] = a;
}

static uint32_t *out;

static void test(int kind, int width, uint32_t mask, const uint32_t *pattern)
{
    printf("%d %d %08x", kind, width, mask);
    for (int lane = 0; lane < 32; lane++)
        printf(" %u", pattern[lane]);
    label("");
    CHECK(cudaMemcpyToSymbol(addresses, pattern, 128));
#define CASE(k, w)               \
    if (kind == k && width == w) \
        access<k, w><<<1, 32>>>(mask, out);
    CASE(LOAD, 1)
    CASE(LOAD, 2) CASE(LOAD, 4) CASE(LOAD, 8) CASE(LOAD, 16) CASE(STORE, 1) CASE(STORE, 2)
        CASE(STORE, 4) CASE(STORE, 8) CASE(STORE, 16) CASE(ATOMIC, 4) CASE(REDUCE, 4)
            CASE(EXCHANGE, 4) CASE(CAS, 4) CASE(ATOMIC, 8) CASE(EXCHANGE, 8) CASE(CAS, 8) finish();
}

static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 88172645463325252ull;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 20) % n;
}

// lane -> (lane / divide % modulo) * step, lanes beyond mask idle
static void regular(int kind, int width, uint32_t mask, uint32_t divide, uint32_t modulo,
                    uint32_t step)
{
    uint32_t pattern[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        pattern[lane] = lane / divide % modulo * step;
    test(kind, width, mask, pattern);
}

static void regulars(int kind, int width)
{
    for (uint32_t factor : {1u, 2u, 3u, 4u, 8u, 32u})
        regular(kind, width, ~0u, 1, 32, width * factor);
    for (uint32_t mask : {1u, 0xffu, 0xffffu, 0xff00ffu, 0x55555555u, 0x33333333u, 0xffff0000u})
        regular(kind, width, mask, 1, 32, width);
    for (uint32_t divide : {2u, 4u, 8u, 32u})
        regular(kind, width, ~0u, divide, 32, width);
    for (uint32_t modulo : {2u, 4u, 8u, 16u})
        for (uint32_t factor : {1u, 2u, 4u, 8u})
            regular(kind, width, ~0u, 1, modulo, width * factor);
}

static void randoms(int kind, int width, int count)
{
    uint32_t pattern[32];
    for (int i = 0; i < count; i++) {
        uint32_t pool = 1u << (1 + random_below(8)), share = random_below(4), mask = ~0u;
        uint32_t base = random_below(64);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t from = share == 1   ? lane & ~1u
                            : share == 2 ? lane & ~2u
                            : share == 3 ? lane & ~3u
                                         : lane;
            pattern[lane] = from == lane ? (base + random_below(pool)) * width : pattern[from];
        }
        if (i % 2)
            mask = random_below(1 << 30) | random_below(4) << 30;
        test(kind, width, mask ? mask : 1, pattern);
    }
}

// Arguments: nothing for all, "narrow" for 8- and 16-bit loads and 64-bit atomics alone.
int main(int count, char **arguments)
{
    CHECK(cudaMalloc(&out, 4096));
    for (int kind : {ATOMIC, EXCHANGE, CAS}) {
        for (uint32_t factor : {1u, 2u, 16u})
            regular(kind, 8, ~0u, 1, 32, 8 * factor);
        for (uint32_t modulo : {1u, 2u, 8u, 16u})
            regular(kind, 8, ~0u, 1, modulo, 8);
        regular(kind, 8, 0xffffu, 1, 32, 8);
        regular(kind, 8, 0xffu, 1, 1, 8);
        randoms(kind, 8, 4);
    }
    regulars(LOAD, 1);
    randoms(LOAD, 2, 8);
    if (count > 1 && !strcmp(arguments[1], "narrow"))
        return 0;
    for (int kind : {LOAD, STORE}) {
        for (int width : {1, 4, 8, 16})
            regulars(kind, width);
        for (int width : {2, 4, 8, 16})
            randoms(kind, width, width >= 8 ? 40 : 8);
    }
    for (int kind : {ATOMIC, REDUCE, EXCHANGE, CAS}) {
        regular(kind, 4, ~0u, 1, 32, 4);
        regular(kind, 4, ~0u, 1, 32, 8);
        regular(kind, 4, ~0u, 1, 32, 128);
        for (uint32_t modulo : {1u, 2u, 4u, 16u})
            regular(kind, 4, ~0u, 1, modulo, 4);
        regular(kind, 4, 0xffu, 1, 1, 4);
        regular(kind, 4, ~0u, 2, 32, 4);
        regular(kind, 4, ~0u, 2, 32, 128);
        randoms(kind, 4, 8);
    }
}
