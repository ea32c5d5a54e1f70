// What a kernel may use, each against a value computed on the host or by hand. Compiled by
// `warplens cc` and by nvcc.
#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

static int failures = 0;

#define EXPECT(condition)                                                  \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                    \
        }                                                                  \
    } while (0)
#define CHECK(call) EXPECT((call) == cudaSuccess)

static bool is_near(double found, double wanted, double tolerance = 1e-6)
{
    return std::fabs(found - wanted) <= tolerance * (1 + std::fabs(wanted));
}

template <typename T> class buffer // of managed memory
{
    T *items;

  public:
    explicit buffer(size_t count)
    {
        CHECK(cudaMallocManaged(&items, count * sizeof(T)));
        memset((void *)items, 0, count * sizeof(T));
    }
    buffer(const buffer &) = delete;
    ~buffer()
    {
        cudaFree(items);
    }
    T *get()
    {
        return items;
    }
    T &operator[](size_t i)
    {
        return items[i];
    }
};

static void finish()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// ---- places, vectors ----

__global__ void places(uint3 *thread, dim3 *block, int *rank)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z +
            (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    thread[i] = threadIdx;
    block[i] = blockIdx;
    rank[i] = (int)cg::this_thread_block().thread_rank();
}

static void test_places()
{
    buffer<uint3> thread(96);
    buffer<dim3> block(96);
    buffer<int> rank(96);
    places<<<dim3(2, 2), dim3(4, 3, 2)>>>(thread.get(), block.get(), rank.get());
    finish();
    EXPECT(thread[95].x == 3 && thread[95].y == 2 && thread[95].z == 1);
    EXPECT(block[95].x == 1 && block[95].y == 1 && block[95].z == 0);
    EXPECT(rank[95] == 23 && rank[24] == 0);
}

__global__ void vectors(const float4 *in, float4 *out, const int2 *pairs, int2 *swapped)
{
    __shared__ __align__(16) float tile[32][4];
    int i = threadIdx.x;
    float4 v = in[i];
    v.x += 1;
    *(float4 *)&tile[i][0] = v;
    __syncthreads();
    float4 other = *(const float4 *)&tile[31 - i][0];
    out[i] = make_float4(other.w, other.z, other.y, other.x);
    swapped[i] = make_int2(pairs[i].y, __ldg(&pairs[i]).x);
}

static void test_vectors()
{
    buffer<float4> in(32), out(32);
    buffer<int2> pairs(32), swapped(32);
    for (int i = 0; i < 32; i++) {
        in[i] = make_float4((float)i, 10, 20, 30);
        pairs[i] = make_int2(i, -i);
    }
    vectors<<<1, 32>>>(in.get(), out.get(), pairs.get(), swapped.get());
    finish();
    EXPECT(out[0].x == 30 && out[0].y == 20 && out[0].z == 10 && out[0].w == 32);
    EXPECT(swapped[5].x == -5 && swapped[5].y == 5);
    EXPECT(sizeof(float3) == 12 && alignof(float4) == 16 && alignof(double2) == 16);
}

// ---- warps ----

__global__ void warps(int *shuffled, double *sums, unsigned *votes, unsigned long long *wide)
{
    int lane = threadIdx.x;
    shuffled[lane] = __shfl_sync(0xffffffff, lane * 2, 3);
    shuffled[32 + lane] = __shfl_up_sync(0xffffffff, lane, 1);
    shuffled[64 + lane] = __shfl_down_sync(0xffffffff, lane, 2, 16);
    shuffled[96 + lane] = __shfl_xor_sync(0xffffffff, lane, 5);
    double sum = lane * 0.5;
    for (int half = warpSize / 2; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (lane == 0)
        *sums = sum;
    wide[lane] = __shfl_sync(0xffffffff, (unsigned long long)lane << 40, 7);
    unsigned odd = __ballot_sync(0xffffffff, lane & 1);
    if (lane == 0) {
        votes[0] = odd;
        votes[1] = __popc(__activemask());
    }
    __syncwarp();
    if (lane < 8)
        votes[2] = __all_sync(0xff, lane < 8) + 2 * __any_sync(0xff, lane == 20);
    votes[3] = __syncthreads_count(lane < 10);
    votes[4] = (unsigned)__syncthreads_or(lane == 31) + 2 * (unsigned)__syncthreads_and(lane < 31);
    unsigned same = __match_any_sync(0xffffffff, lane / 4);
    if (lane == 9)
        votes[5] = same;
    votes[6] = __reduce_add_sync(0xffffffff, (unsigned)lane);
    votes[7] = (unsigned)__reduce_max_sync(0xffffffff, -lane);
}

static void test_warps()
{
    buffer<int> shuffled(128);
    buffer<double> sums(1);
    buffer<unsigned> votes(8);
    buffer<unsigned long long> wide(32);
    warps<<<1, 32>>>(shuffled.get(), sums.get(), votes.get(), wide.get());
    finish();
    EXPECT(shuffled[9] == 6 && shuffled[32] == 0 && shuffled[32 + 9] == 8);
    EXPECT(shuffled[64 + 13] == 15 && shuffled[64 + 14] == 14 && shuffled[96 + 9] == 12);
    EXPECT(sums[0] == 248);
    EXPECT(wide[30] == 7ull << 40);
    EXPECT(votes[0] == 0xaaaaaaaa && votes[1] == 1 && votes[2] == 1 && votes[3] == 10);
    EXPECT(votes[4] == 1 && votes[5] == 0xf00 && votes[6] == 496 && votes[7] == 0);
}

__global__ void groups(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    out[block.thread_rank()] =
        cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>()) + 1000 * tile.meta_group_rank();
    block.sync();
    if (block.thread_rank() % 3 == 0) {
        cg::coalesced_group together = cg::coalesced_threads();
        if (together.thread_rank() == 0)
            out[64] = (int)together.size();
    }
    if (tile.ballot(tile.thread_rank() == 1) != 2)
        out[65] = 1;
}

static void test_groups()
{
    buffer<int> out(66);
    groups<<<1, 32>>>(out.get());
    finish();
    EXPECT(out[0] == 28 && out[31] == 3028 && out[64] == 11 && out[65] == 0);
}

__global__ void whole_grid(int *out)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < 3; round++) {
        if (cg::this_thread_block().thread_rank() == 0)
            out[blockIdx.x] = out[8 + (blockIdx.x + 1) % gridDim.x] + 1;
        grid.sync();
        if (grid.thread_rank() == 0)
            for (unsigned i = 0; i < gridDim.x; i++)
                out[8 + i] = out[i] + (int)i;
        grid.sync();
    }
    if (threadIdx.x == 0) {
        int *own = (int *)malloc(2 * sizeof(int));
        own[1] = (int)grid.size();
        out[16 + blockIdx.x] = own[1];
        free(own);
    }
}

static void test_grid()
{
    buffer<int> out(24);
    int *address = out.get();
    void *arguments[] = {&address};
    CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(8), dim3(64), arguments));
    finish();
    EXPECT(out[16] == 512 && out[23] == 512);
    int low[8], high[8] = {};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            low[i] = high[(i + 1) % 8] + 1;
        for (int i = 0; i < 8; i++)
            high[i] = low[i] + i;
    }
    for (int i = 0; i < 8; i++)
        EXPECT(out[i] == low[i] && out[8 + i] == high[i]);
}

// What one thread writes before a barrier the others read behind it.
__global__ void broadcast(int *out, const int *in)
{
    __shared__ int value;
    __shared__ bool is_odd;
    if (threadIdx.x == 0)
        value = in[5];
    __syncthreads();
    out[threadIdx.x] = value;
    if (threadIdx.x == 40)
        is_odd = value % 2;
    __syncthreads();
    if (is_odd)
        out[threadIdx.x] += 1;
    __syncthreads();
    if (threadIdx.x % 32 == 1)
        value = in[6];
    __syncwarp();
    out[64 + threadIdx.x] = value;
}

static void test_broadcast()
{
    buffer<int> in(7), out(128);
    in[5] = 9;
    in[6] = 11;
    broadcast<<<1, 64>>>(out.get(), in.get());
    finish();
    EXPECT(out[0] == 10 && out[33] == 10 && out[63] == 10 && out[64] == 11 && out[127] == 11);
}

// ---- atomics ----

__global__ void atomics(int *i, unsigned *u, float *f, double *d, unsigned long long *l)
{
    __shared__ int shared;
    if (threadIdx.x == 0)
        shared = 0;
    __syncthreads();
    atomicAdd(&shared, 1);
    __syncthreads();
    atomicAdd(&i[0], 1);
    atomicSub(&i[1], 2);
    atomicMax(&i[2], (int)threadIdx.x);
    atomicMin(&i[3], -(int)threadIdx.x);
    atomicOr(&u[0], 1u << threadIdx.x % 32);
    atomicAnd(&u[1], ~(1u << threadIdx.x % 32));
    atomicXor(&u[2], threadIdx.x);
    atomicInc(&u[3], 9);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd(l, 1ull << 33);
    if (threadIdx.x == 0) {
        i[4] = atomicExch(&i[5], 77);
        i[6] = atomicCAS(&i[5], 77, 78);
        i[7] = shared;
    }
    int old = i[8], seen;
    do {
        seen = old;
        old = atomicCAS(&i[8], seen, seen + 3);
    } while (old != seen);
}

static void test_atomics()
{
    buffer<int> i(9);
    buffer<unsigned> u(4);
    buffer<float> f(1);
    buffer<double> d(1);
    buffer<unsigned long long> l(1);
    i[5] = 5;
    u[1] = ~0u;
    atomics<<<1, 64>>>(i.get(), u.get(), f.get(), d.get(), l.get());
    finish();
    EXPECT(i[0] == 64 && i[1] == -128 && i[2] == 63 && i[3] == -63 && i[7] == 64);
    EXPECT(i[4] == 5 && i[5] == 78 && i[6] == 77 && i[8] == 192);
    EXPECT(u[0] == ~0u && u[1] == 0 && u[2] == 0 && u[3] == 4);
    EXPECT(f[0] == 32 && d[0] == 16 && l[0] == 64ull << 33);
}

// ---- numbers ----

__global__ void functions(const float *in, double *out)
{
    float x = in[0], y = in[1];
    double z = in[0];
    int n = 0;
    out[n++] = sinf(x);
    out[n++] = std::cos(x);
    out[n++] = exp(z);
    out[n++] = powf(x, y);
    out[n++] = std::pow(z, 2);
    out[n++] = sqrtf(y);
    out[n++] = std::sqrt(z);
    out[n++] = rsqrtf(y);
    out[n++] = floor(-x);
    out[n++] = std::ceil(x);
    out[n++] = fmaf(x, y, 1.0f);
    out[n++] = fminf(x, y) + fmax(z, 3.0);
    out[n++] = fabs(-z) + std::abs(-x) + abs(-3);
    out[n++] = max(2, 5u) + min(1.5f, x);
    out[n++] = std::max(x, y);
    out[n++] = atan2f(y, x);
    out[n++] = __expf(x);
    out[n++] = __fdividef(y, x);
    out[n++] = __popc(0xf0f0) + __clz(1) + __ffs(8) + __brev(1) / 2147483648.0;
    out[n++] = __umulhi(1u << 31, 6) + __mulhi(-2, 1 << 30);
    out[n++] = __float_as_int(x);
    out[n++] = __float2int_rd(-x) + __float2int_ru(x) + __double2int_rz(2.9);
    out[n++] = (double)__byte_perm(0x33221100, 0x77665544, 0x7410);
    out[n++] = roundf(y) + truncf(-y) + rintf(2.5f);
    out[n++] = isnan(x - x) + isinf(1 / (x - x));
    out[n++] = log1p(z) + cbrtf(8.0f * x) + erf(z) + fmod(7.5, 2.0) + hypotf(3, 4);
}

static void test_functions()
{
    buffer<float> in(2);
    buffer<double> out(26);
    float x = in[0] = 1.25f, y = in[1] = 2.75f;
    functions<<<1, 1>>>(in.get(), out.get());
    finish();
    const double wanted[] = {std::sin(x),
                             std::cos(x),
                             std::exp(x),
                             std::pow(x, y),
                             x * x,
                             std::sqrt(y),
                             std::sqrt(x),
                             1 / std::sqrt(y),
                             -2,
                             2,
                             x * y + 1,
                             x + 3,
                             x + x + 3,
                             5 + x,
                             y,
                             std::atan2(y, x),
                             std::exp(x),
                             y / x,
                             8 + 31 + 4 + 1,
                             3 - 1,
                             0x3fa00000,
                             -2 + 2 + 2,
                             0x77441100,
                             3 - 2 + 2,
                             1,
                             std::log1p(x) + std::cbrt(8 * x) + std::erf(x) + 1.5 + 5};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!is_near(out[i], wanted[i])) {
            printf("function %zu: %.9g, not %.9g\n", i, out[i], wanted[i]);
            failures++;
        }
}

__global__ void halves(const float *in, float *out, __half2 *pair)
{
    __half x = __float2half(in[0]), y = __float2half(in[1]);
    out[0] = __half2float(x + y);
    out[1] = __half2float(x * y);
    out[2] = __half2float(__hfma(x, y, x));
    out[3] = __half2float(x / y);
    out[4] = x < y;
    *pair = __hadd2(__halves2half2(x, y), __float2half2_rn(1));
    out[5] = __half2float(hsqrt(y));
    out[6] = __low2float(*pair);
    out[7] = __half2float(__shfl_down_sync(1, x, 0));
}

static void test_halves()
{
    buffer<float> in(2), out(8);
    buffer<__half2> pair(1);
    in[0] = 1.5f;
    in[1] = 2.25f;
    halves<<<1, 1>>>(in.get(), out.get(), pair.get());
    finish();
    EXPECT(out[0] == 3.75f && out[1] == 3.375f && out[2] == 4.875f && out[4] == 1);
    EXPECT(is_near(out[3], 1.5 / 2.25, 1e-3) && out[5] == 1.5f && out[6] == 2.5f && out[7] == 1.5f);
    EXPECT(__half2float(pair[0].x) == 2.5f && __high2float(pair[0]) == 3.25f);
    const float numbers[] = {0,     -0.0f, 1,     -2.5f,   65504, 65519,
                             65520, 1e-8f, 6e-8f, 6.1e-5f, 0.333f};
    const unsigned short bits[] = {0,      0x8000, 0x3c00, 0xc100, 0x7bff, 0x7bff,
                                   0x7c00, 0,      1,      0x03ff, 0x3554};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        EXPECT(__half_as_ushort(__float2half(numbers[i])) == bits[i]);
    EXPECT(__half2float(__ushort_as_half(0x0001)) == 0x1p-24f);
    EXPECT(__half2float(__ushort_as_half(0xfbff)) == -65504);
}

// ---- memory ----

__constant__ float weights[3];
__device__ int counter = 40;
__device__ float table[2][2] = {{1, 2}, {3, 4}};

template <typename T, typename Function>
__global__ void apply(T *items, int count, Function function)
{
    extern __shared__ unsigned char raw[];
    T *copy = reinterpret_cast<T *>(raw);
    int i = threadIdx.x;
    if (i < count)
        copy[i] = items[i];
    __syncthreads();
    if (i < count)
        items[i] = function(copy[count - 1 - i]);
}

struct scale {
    double by;
    __host__ __device__ double operator()(double x) const
    {
        return x * by;
    }
};

__global__ void symbols(float *out)
{
    out[0] = weights[0] + weights[1] + weights[2];
    out[1] = table[1][0];
    atomicAdd(&counter, 2);
}

__device__ __noinline__ int deeper(int n)
{
    return n * 2;
}

__global__ void __launch_bounds__(64, 2) large_local(int *out, int index)
{
    int local[64];
    for (int i = 0; i < 64; i++)
        local[i] = i * i;
    out[threadIdx.x] = deeper(local[(index + threadIdx.x) % 64]);
}

static void test_memory()
{
    const float three[3] = {1, 2, 3};
    buffer<float> out(2);
    int counted = 0;
    void *address = nullptr;
    size_t size = 0;
    CHECK(cudaMemcpyToSymbol(weights, three, sizeof three));
    symbols<<<1, 1>>>(out.get());
    finish();
    CHECK(cudaMemcpyFromSymbol(&counted, counter, sizeof counted));
    EXPECT(out[0] == 6 && out[1] == 3 && counted == 42);
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    EXPECT(address && size == 16);

    buffer<double> items(10);
    for (int i = 0; i < 10; i++)
        items[i] = i;
    apply<<<1, 32, 10 * sizeof(double)>>>(items.get(), 10, scale{3});
    finish();
    EXPECT(items[0] == 27 && items[9] == 0);

    buffer<int> squares(32);
    large_local<<<1, 32>>>(squares.get(), 40);
    finish();
    EXPECT(squares[0] == 3200 && squares[31] == 98);
}

// ---- the runtime ----

__global__ void increment(int *items)
{
    items[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void test_runtime()
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0);
    int count = 0, value = 0, blocks = 0, threads = 0;
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
    EXPECT(blocks > 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, increment));
    EXPECT(blocks > 0 && threads >= 32);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, increment));
    EXPECT(attributes.maxThreadsPerBlock == 1024);

    std::vector<int> host(256, 5);
    int *device, *pinned;
    cudaStream_t stream;
    cudaEvent_t start, end;
    float ms = -1;
    CHECK(cudaMalloc(&device, 1024));
    CHECK(cudaMallocHost(&pinned, 1024));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaMemcpyAsync(device, host.data(), 1024, cudaMemcpyHostToDevice, stream));
    CHECK(cudaEventRecord(start, stream));
    increment<<<2, 128, 0, stream>>>(device);
    void *arguments[] = {&device};
    CHECK(cudaLaunchKernel((const void *)increment, dim3(1), dim3(128), arguments, 0, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    CHECK(cudaMemcpy(pinned, device, 1024, cudaMemcpyDeviceToHost));
    EXPECT(ms >= 0 && pinned[0] == 7 && pinned[255] == 6);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    increment<<<1, 2048>>>(device);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration ||
           cudaGetLastError() == cudaSuccess);
    EXPECT(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
}

__global__ void print()
{
    assert(threadIdx.x < 2);
    printf("thread %d of block %u: %.2f %s\n", (int)threadIdx.x, blockIdx.x, 1.5f, "text");
}

int main()
{
    auto start = std::chrono::steady_clock::now();
    test_places();
    test_vectors();
    test_warps();
    test_groups();
    test_grid();
    test_broadcast();
    test_atomics();
    test_functions();
    test_halves();
    test_memory();
    test_runtime();
    print<<<1, 2>>>();
    finish();
    // the C++ library on the host
    std::shared_ptr<std::map<std::string, int>> map =
        std::make_shared<std::map<std::string, int>>();
    (*map)["a"] = std::max(1, 2);
    std::mt19937 random(1);
    std::function<int(int)> twice = [](int x) { return 2 * x; };
    std::array<int, 3> three = {3, 1, 2};
    std::sort(three.begin(), three.end());
    std::thread thread([&] { (*map)["b"] = std::accumulate(three.begin(), three.end(), 0); });
    thread.join();
    EXPECT((*map)["b"] == 6 && twice((*map)["a"]) == 4 && random() != random());
    EXPECT(std::abs(std::complex<double>(3, 4)) == 5 && max(1, 2) == 2);
    EXPECT(std::chrono::steady_clock::now() >= start);
    std::cout << (failures ? "result: wrong" : "result: right") << std::endl;
    return failures != 0;
}
