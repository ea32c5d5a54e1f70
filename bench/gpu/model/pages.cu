// What device memory and caches do with rows that threads walk along, each its own: pieces of a
// sector at a stride, of which none is read twice; and lines that are read in small steps, more of
// them at once than caches hold. One kernel launch a reading, each prints a line; contention.sh
// with PROGRAM=pages reads the counters of every launch and joins the two.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "check.h"
#include "suites.h"

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

template <int UNROLL> static void walk_rows(unsigned warps, unsigned shared_kib)
{
    const unsigned count = 256, blocks = 2 * sms;
    const size_t stride = 1024, shared = shared_kib << 10;
    CHECK(cudaFuncSetAttribute(walk<UNROLL>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)shared));
    CHECK(cudaFuncSetAttribute(walk<UNROLL>, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutDefault));
    LABEL("walk.unroll_%d.warps_%u.shared_%u", UNROLL, warps, shared_kib);
    walk<UNROLL><<<blocks, warps * 32, shared>>>(from, to, stride, count);
    report((long)blocks * warps * 32 * count, warps, blocks);
}

static void run_walk()
{
    for (unsigned shared_kib : {0, 32, 64, 100})
        for (unsigned warps : {4, 8, 16, 32}) {
            walk_rows<1>(warps, shared_kib);
            walk_rows<4>(warps, shared_kib);
        }
}

static const suite suites[] = {{"pieces", run_pieces}, {"walk", run_walk}};

int main(int argc, char **argv)
{
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, 4096));
    run_suites(suites, argc, argv);
    return 0;
}
