// What device memory and caches do with rows that threads walk along, each its own: pieces of a
// sector at a stride, of which none is read twice; and lines that are read in small steps, more of
// them at once than caches hold. One kernel launch a reading, each prints a line; contention.sh
// with PROGRAM=pages reads the counters of every launch and joins the two.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"

static char label[128];
#define LABEL(...) snprintf(label, sizeof label, __VA_ARGS__)

static float *from, *to;
static int sms;
static const size_t bytes = (size_t)8 << 30; /* more than is read: never written */

static void report(long operations, unsigned warps, unsigned blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%u,%u\n", label, operations, warps, blocks);
}

// ---- pieces that are read once ----

static const unsigned turns = 8;

__global__ void pieces(const float *from, float *to, size_t stride, unsigned words)
{
    size_t threads = (size_t)gridDim.x * blockDim.x,
           thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        size_t lane = thread + turn * threads;
        sum += from[lane / words * stride + lane % words];
    }
    if (sum == 1.5f)
        *to = sum;
}

/* Pieces of 4 to 128 bytes that begin a power of two apart. */
static void run_pieces()
{
    const unsigned block = 256;
    for (unsigned words : {1, 8, 16, 32})
        for (size_t stride = 32; stride <= 16384; stride *= 2) {
            const unsigned grid = words == 1 ? 1024 : 4096;
            const size_t lanes = (size_t)grid * block * turns;
            if (stride < words * 4 || lanes / words * stride > bytes)
                continue;
            LABEL("pieces.%u_bytes.every_%zu", words * 4, stride);
            pieces<<<grid, block>>>(from, to, stride / 4, words);
            report((long)lanes, block / 32, grid);
        }
}

// ---- rows that threads walk along ----

template <int UNROLL>
__global__ void walk(const float *from, float *to, size_t stride, unsigned count)
{
    extern __shared__ float unused[];
    const float *row = from + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride;
    float sum = 0;
#pragma unroll UNROLL
    for (unsigned i = 0; i < count; i++)
        sum += row[i];
    if (sum == 1.5f)
        *to = sum + unused[0];
}

template <int UNROLL> static void walk_rows(unsigned warps, unsigned shared_kib, const char *suffix)
{
    const unsigned count = 256, blocks = 2 * sms;
    const size_t stride = 1024, shared = shared_kib << 10;
    CHECK(cudaFuncSetAttribute(walk<UNROLL>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)shared));
    CHECK(cudaFuncSetAttribute(walk<UNROLL>, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutDefault));
    LABEL("walk%s.unroll_%d.warps_%u.shared_%u", suffix, UNROLL, warps, shared_kib);
    walk<UNROLL><<<blocks, warps * 32, shared>>>(from, to, stride, count);
    report((long)blocks * warps * 32 * count, warps, blocks);
}

static void run_walk_with(const char *suffix)
{
    for (unsigned shared_kib : {0, 32, 64, 100})
        for (unsigned warps : {4, 8, 16, 32}) {
            walk_rows<1>(warps, shared_kib, suffix);
            walk_rows<4>(warps, shared_kib, suffix);
        }
}

static void run_walk()
{
    run_walk_with("");
}

__global__ void keep(const float *from, float *to, size_t count)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        sum += from[i];
    if (sum == 1.5f)
        *to = sum;
}

/* With as much of L2 kept by lines of another array as may be: ncu --cache-control none. */
static void run_kept()
{
    int most, window;
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    CHECK(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most));
    size_t size = most < window ? most : window;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaStreamAttrValue value = {};
    float *kept;
    CHECK(cudaMalloc(&kept, size));
    value.accessPolicyWindow.base_ptr = kept;
    value.accessPolicyWindow.num_bytes = size;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    for (int turn = 0; turn < 2; turn++) {
        LABEL("keep.%zu_bytes.%d", size, turn);
        keep<<<2 * sms, 1024, 0, stream>>>(kept, to, size / 4);
        report((long)(size / 4), 32, 2 * sms);
    }
    run_walk_with("_kept");
    CHECK(cudaCtxResetPersistingL2Cache());
}

static const struct {
    const char *name;
    void (*run)();
} suites[] = {{"pieces", run_pieces}, {"walk", run_walk}, {"kept", run_kept}};

int main(int argc, char **argv)
{
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, 4096));
    printf("name,operations,warps,blocks\n");
    for (const auto &suite : suites) {
        bool is_wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            is_wanted |= !strcmp(argv[i], suite.name);
        if (is_wanted)
            suite.run();
    }
    return 0;
}
