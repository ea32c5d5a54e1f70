// What device memory gives when it reads and writes by turns: so many arrays read and written,
// accesses of a warp that lie in one line or in two, in another array or in place, at once or after
// a while. One kernel launch a reading, each prints a line; contention.sh with PROGRAM=mix reads the
// counters of every launch and joins the two.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"

static const size_t bytes = (size_t)192 << 20;
static const int arrays = 8;
static float *data;
static int sms;

static void report(const char *label, long operations, int warps, int blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%d,%d\n", label, operations, warps, blocks);
}

__device__ float load(const float *at)
{
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}
__device__ float4 load(const float4 *at)
{
    float4 v;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(at));
    return v;
}
__device__ void store(float *at, float v)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory");
}
__device__ void store(float4 *at, float4 v)
{
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(v.x), "f"(v.y), "f"(v.z),
                 "f"(v.w)
                 : "memory");
}
__device__ float add(float a, float b)
{
    return a + b;
}
__device__ float4 add(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ bool is_odd(float v)
{
    return v == 1.5f;
}
__device__ bool is_odd(float4 v)
{
    return v.x == 1.5f || v.w == 1.5f;
}

// Reads READS arrays and writes WRITES, which are others, or the first of those read.
template <typename T, int READS, int WRITES, bool IN_PLACE>
__global__ void arrays_of(T *data, size_t each, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    T value[READS ? READS : 1], sum = T();
#pragma unroll
    for (int k = 0; k < READS; k++)
        value[k] = load(data + k * each + i);
#pragma unroll
    for (int k = 0; k < READS; k++)
        sum = add(sum, value[k]);
#pragma unroll
    for (int k = 0; k < WRITES; k++)
        store(data + (IN_PLACE ? k : arrays - 1 - k) * each + i, sum);
    if (!WRITES && is_odd(sum))
        store(data + i, sum);
}

template <typename T, int READS, int WRITES, bool IN_PLACE> static void run_arrays()
{
    const size_t each = bytes / sizeof(T);
    const int blocks = (int)(each / 256);
    char label[80];
    arrays_of<T, READS, WRITES, IN_PLACE><<<blocks, 256>>>((T *)data, each, each);
    snprintf(label, sizeof label, "arrays.%zu_bytes.%d_read.%d_written%s", sizeof(T), READS, WRITES,
             IN_PLACE ? ".in_place" : "");
    report(label, (long)(each * (READS + WRITES)), 8, blocks);
}

template <typename T> static void run_all_arrays()
{
    run_arrays<T, 1, 0, false>();
    run_arrays<T, 4, 0, false>();
    run_arrays<T, 0, 1, false>();
    run_arrays<T, 0, 4, false>();
    run_arrays<T, 1, 1, false>();
    run_arrays<T, 2, 1, false>();
    run_arrays<T, 4, 1, false>();
    run_arrays<T, 2, 2, false>();
    run_arrays<T, 4, 4, false>();
    run_arrays<T, 1, 2, false>();
    run_arrays<T, 1, 4, false>();
    run_arrays<T, 1, 1, true>();
    run_arrays<T, 2, 2, true>();
    run_arrays<T, 4, 3, true>();
}

// ---- a warp's words begin anywhere in a line; LOADS of them at a time, `delay` before the stores ----

enum { READ = 1, WRITE = 2 };

template <int MODE, int LOADS>
__global__ void shifted(const float *from, float *to, size_t count, int delay)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    bool is_any = false;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step * LOADS) {
        float value[LOADS] = {};
        if (MODE & READ)
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                value[k] = load(from + i + k * step);
        if (delay) {
            float all = 0;
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                all += value[k];
            long long begin = clock64();
            if (all != 1.5f)
                while (clock64() - begin < delay)
                    ;
        }
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            if (MODE & WRITE)
                store(to + i + k * step, value[k]);
            else
                is_any |= is_odd(value[k]);
    }
    if (is_any)
        *to = 1;
}

template <int MODE, int LOADS>
static void run_shifted(const char *name, const float *from, float *to, int delay, int blocks_each)
{
    const size_t count = (size_t)48 << 20;
    const int blocks = sms * blocks_each;
    const size_t rounded = count / ((size_t)blocks * 256 * LOADS) * ((size_t)blocks * 256 * LOADS);
    char label[96];
    shifted<MODE, LOADS><<<blocks, 256>>>(from, to, rounded, delay);
    snprintf(label, sizeof label, "%s.%d_at_once.%d_cycles.%d_blocks", name, LOADS, delay,
             blocks_each);
    report(label, (long)rounded, 8, blocks);
}

template <int LOADS> static void run_all_shifted()
{
    float *a = data, *b = data + 2 * (bytes / 4);
    for (int words : {0, 8, 16, 1}) {
        char name[64];
        auto named = [&](const char *what) {
            snprintf(name, sizeof name, "shifted.%s.%d_words", what, words);
            return name;
        };
        run_shifted<READ, LOADS>(named("read"), a + words, b, 0, 8);
        run_shifted<WRITE, LOADS>(named("write"), a, b + words, 0, 8);
        run_shifted<READ | WRITE, LOADS>(named("copy"), a + words, b + words, 0, 8);
        if (words) {
            run_shifted<READ | WRITE, LOADS>(named("copy_read"), a + words, b, 0, 8);
            run_shifted<READ | WRITE, LOADS>(named("copy_write"), a, b + words, 0, 8);
        }
        for (int delay : {0, 1000, 4000})
            run_shifted<READ | WRITE, LOADS>(named("in_place"), a + words, a + words, delay, 8);
        run_shifted<READ | WRITE, LOADS>(named("in_place"), a + words, a + words, 0, 2);
        run_shifted<READ | WRITE, LOADS>(named("copy"), a + words, b + words, 0, 2);
    }
}

int main(int argc, char **argv)
{
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&data, bytes * arrays + 4096));
    CHECK(cudaMemset(data, 0, bytes * arrays + 4096));
    printf("name,operations,warps,blocks\n");
    if (argc == 1 || !strcmp(argv[1], "arrays")) {
        run_all_arrays<float>();
        run_all_arrays<float4>();
    }
    if (argc == 1 || !strcmp(argv[1], "shifted")) {
        run_all_shifted<1>();
        run_all_shifted<4>();
    }
    return 0;
}
