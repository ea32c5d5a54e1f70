#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static int bad;
static void check(const char *name, bool ok) { printf("%s: %s\n", name, ok ? "PASS" : "FAIL"); bad += !ok; }

// 1. vote and ballot loop: each warp handles its distinct keys one after another
__global__ void ballot_groups(const int *keys, int *leaders, int *sizes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int key = keys[i];
    unsigned left = __activemask();
    int lane = threadIdx.x & 31;
    while (left) {
        int leader = __ffs(left) - 1;
        int lead_key = __shfl_sync(left, key, leader);
        bool mine = key == lead_key;
        unsigned same = __ballot_sync(left, mine);
        if (mine) { leaders[i] = (i & ~31) + leader; sizes[i] = __popc(same); break; }
        left &= ~same;
    }
    (void)lane;
}
// 2. shuffle tree in groups of 8 lanes, with partial masks
__global__ void shuffle_partial(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    float v = i < n ? in[i] : 0;
    if (lane < 24) {
        unsigned mask = 0xffu << (lane & ~7);
        for (int d = 4; d; d >>= 1) v += __shfl_xor_sync(mask, v, d, 8);
    } else {
        v = __shfl_down_sync(0xff000000u, v, 3);
    }
    if (i < n) out[i] = v;
}
// 3. cp.async double buffer, windowed sum
__global__ void async_window(const float *in, float *out, int tiles)
{
    __shared__ __align__(16) float buf[2][256 + 4];
    int t = threadIdx.x;
    const float *base = in + (size_t)blockIdx.x * tiles * 256;
    if (t < 64) __pipeline_memcpy_async(&buf[0][t * 4], base + t * 4, 16);
    __pipeline_commit();
    float acc = 0;
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles && t < 64) __pipeline_memcpy_async(&buf[(k + 1) & 1][t * 4], base + (k + 1) * 256 + t * 4, 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        acc = acc * 0.5f + buf[k & 1][t] + buf[k & 1][(t + 7) & 255];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = acc;
}
// 4. shared atomics: histogram with 16-bit packed counters, min/max/or
__global__ void shared_atomics(const uint8_t *in, unsigned *hist, int n, int *extremes)
{
    __shared__ unsigned h[128];
    __shared__ int lo, hi;
    __shared__ unsigned long long seen;
    for (int i = threadIdx.x; i < 128; i += blockDim.x) h[i] = 0;
    if (!threadIdx.x) { lo = 1000; hi = -1; seen = 0; }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        atomicAdd(&h[v >> 1], 1u << ((v & 1) * 16));
        atomicMin(&lo, v);
        atomicMax(&hi, v);
        atomicOr(&seen, 1ull << (v & 63));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 128; i += blockDim.x) {
        unsigned c = h[i];
        if (c & 0xffff) atomicAdd(&hist[2 * i], c & 0xffff);
        if (c >> 16) atomicAdd(&hist[2 * i + 1], c >> 16);
    }
    if (!threadIdx.x) { atomicMin(&extremes[0], lo); atomicMax(&extremes[1], hi); atomicAdd(&extremes[2], __popcll(seen)); }
}
// 5. 8/16-bit vector loads
__global__ void rgba_to_gray(const uchar4 *in, unsigned char *out, const short2 *bias, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        uchar4 p = in[i];
        short2 b = bias[i & 255];
        int g = (p.x * 77 + p.y * 150 + p.z * 29 + 128) >> 8;
        g = g + b.x - b.y;
        out[i] = g < 0 ? 0 : g > 255 ? 255 : g;
    }
}
__global__ void bytes_stride3(const unsigned char *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { const unsigned char *p = in + 3 * i; out[3 * i] = p[2]; out[3 * i + 1] = p[1]; out[3 * i + 2] = p[0]; }
}
// 6. struct of arrays in constant memory, diverging index
struct soa { float a[64]; int b[64]; double c[64]; };
__constant__ soa table;
__global__ void constant_soa(const int *index, float *out, int n, int uniform)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int k = uniform ? (blockIdx.x & 63) : (index[i] & 63);
    float s = 0;
    for (int j = 0; j < 8; j++) { int q = (k + j) & 63; s += table.a[q] * table.b[q] + (float)table.c[q]; }
    out[i] = s;
}
// 7. local array with dynamic index
__global__ void local_sort(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a[24];
    for (int j = 0; j < 24; j++) a[j] = in[j * n + i];
    for (int j = 1; j < 24; j++) {
        int v = a[j], k = j - 1;
        while (k >= 0 && a[k] > v) { a[k + 1] = a[k]; k--; }
        a[k + 1] = v;
    }
    for (int j = 0; j < 24; j += 8) out[(j / 8) * n + i] = a[j];
}
// 8. 64-bit integer mathematics: modular power, mulhi, division
__device__ uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m)
{
    uint64_t r = 0;
    a %= m;
    while (b) { if (b & 1) { r += a; if (r >= m) r -= m; } a <<= 1; if (a >= m) a -= m; b >>= 1; }
    return r;
}
__global__ void int64_math(const uint64_t *in, uint64_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint64_t x = in[i], m = (x >> 3) | 1;
    m &= 0x3fffffffffffffffull;
    uint64_t r = mulmod(x, x ^ 0x5555, m) ^ __umul64hi(x, m);
    r += x / (m >> 20 | 1) + (int64_t)x % 1000003;
    out[i] = r ^ __brevll(x) ^ (uint64_t)__clzll(x) ^ __popcll(x);
}
static uint64_t mulmod_h(uint64_t a, uint64_t b, uint64_t m) { return (unsigned __int128)(a % m) * b % m; }
// 9. half2
__global__ void half2_poly(const __half2 *x, __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 v = x[i], r = __float2half2_rn(0.125f);
    for (int k = 0; k < 16; k++) r = __hfma2(r, v, __float2half2_rn(0.25f));
    r = __hmax2(r, __float2half2_rn(-4.f));
    y[i] = __hadd2(r, h2exp2(v));
}
// 10. texture fetches: 2D linear and 1D buffer
__global__ void texture_rotate(cudaTextureObject_t tex, float *out, int w, int h, float c, float s)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float u = x - w / 2.f, v = y - h / 2.f;
    out[y * w + x] = tex2D<float>(tex, u * c - v * s + w / 2.f + 0.5f, u * s + v * c + h / 2.f + 0.5f);
}
// 11. bit tricks: Morton codes, funnel shifts, byte permutes
__global__ void morton(const uint32_t *x, const uint32_t *y, uint32_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint32_t a = x[i] & 0xffff, b = y[i] & 0xffff;
    a = (a | a << 8) & 0x00ff00ff; a = (a | a << 4) & 0x0f0f0f0f; a = (a | a << 2) & 0x33333333; a = (a | a << 1) & 0x55555555;
    b = (b | b << 8) & 0x00ff00ff; b = (b | b << 4) & 0x0f0f0f0f; b = (b | b << 2) & 0x33333333; b = (b | b << 1) & 0x55555555;
    uint32_t m = a | b << 1;
    m ^= __funnelshift_l(m, x[i], y[i] & 31) ^ __byte_perm(x[i], y[i], 0x1657);
    m += __vabsdiffu4(x[i], y[i]) + __dp4a(x[i], y[i], 7u);
    out[i] = m;
}
// 12. recursion
__device__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursion(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fib(5 + (i & 7)) + ackermann(2, i & 3);
}
// 13. function pointers in a table
typedef float (*op)(float, float);
__device__ float op_add(float a, float b) { return a + b; }
__device__ float op_mul(float a, float b) { return a * b; }
__device__ float op_max(float a, float b) { return fmaxf(a, b); }
__device__ float op_hyp(float a, float b) { return sqrtf(a * a + b * b); }
__device__ op ops[4] = {op_add, op_mul, op_max, op_hyp};
__global__ void pointers(const float *a, const float *b, const unsigned char *which, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ops[which[i] & 3](a[i], b[i]);
}
// 14. warp-aggregated atomics: filter
__global__ void filter_aggregated(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3) return;
    auto g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
    out[g.shfl(base, 0) + g.thread_rank()] = in[i];
}
// 15. cluster with distributed shared memory
__global__ void __cluster_dims__(4, 1, 1) cluster_sum(const float *in, float *out, int n)
{
    __shared__ float part[128];
    auto cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    cluster.sync();
    float s = 0;
    for (int r = 0; r < 4; r++) s += cluster.map_shared_rank(part, (cluster.block_rank() + r) & 3)[threadIdx.x];
    cluster.sync();
    out[i] = s;
}
// 16. double atomics and compare-and-swap loops
__device__ void atomic_max_float(float *p, float v)
{
    int *q = (int *)p, old = *q, seen;
    do { seen = old; if (__int_as_float(seen) >= v) return; old = atomicCAS(q, seen, __float_as_int(v)); } while (old != seen);
}
__global__ void cas_and_double(const float *in, double *sums, float *maxima, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&sums[i & 15], (double)in[i]);
    atomic_max_float(&maxima[(i >> 5) & 63], in[i]);
}
// 17. match, reduce, cg tiled partition scan
__global__ void match_reduce(const int *keys, const int *values, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = keys[i & (n - 1)];
    unsigned peers = __match_any_sync(0xffffffffu, key);
    unsigned s = __reduce_add_sync(peers, (unsigned)values[i & (n - 1)]);
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int total = cg::reduce(tile, (int)s, cg::greater<int>());
    if (i < n) out[i] = s + total * 3 + __popc(peers);
}
// 18. odd strides and double2 and unaligned struct
struct __align__(4) rec { float x, y, z; };
__global__ void aos12(const rec *in, rec *out, const double2 *d, double *e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    rec r = in[(i * 7) % n];
    r.x += r.y * r.z;
    out[i] = r;
    double2 v = d[n - 1 - i];
    e[i] = v.x * v.y + r.x;
}
// 19. shared memory transposes of doubles and bytes with conflicts
__global__ void transpose_double(const double *in, double *out, int n)
{
    __shared__ double t[32][32];
    __shared__ unsigned char b[32][36];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) { t[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x]; b[threadIdx.y + j][threadIdx.x] = (unsigned char)(x + y + j); }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j] + b[threadIdx.x][threadIdx.y + j];
}
// 20. triangle loop: threads have unlike work
__global__ void triangle(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j <= i; j++) s += a[(size_t)j * n + i] * (j & 1 ? 1.f : -1.f);
    out[i] = s;
}
template <class T> T *dev(const std::vector<T> &v) { T *p; CK(cudaMalloc(&p, v.size() * sizeof(T))); CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> T *zeros(size_t n) { T *p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }
template <class T> std::vector<T> back(const T *p, size_t n) { std::vector<T> v(n); CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
static uint32_t seed = 12345;
static uint32_t rnd() { seed = seed * 1664525u + 1013904223u; return seed >> 4; }
static int hfib(int n) { return n < 2 ? n : hfib(n - 1) + hfib(n - 2); }
int main()
{
    const int n = 1 << 18, g = n / 256;
    std::vector<int> keys(n), values(n);
    std::vector<float> f(n), f2(n);
    std::vector<uint64_t> u(n);
    std::vector<uint32_t> xs(n), ys(n);
    std::vector<uint8_t> bytes(3 * n);
    for (int i = 0; i < n; i++) { keys[i] = rnd() % 11; values[i] = rnd() % 100; f[i] = (float)(rnd() % 1000) / 100.f; f2[i] = (float)(rnd() % 777) / 10.f;
        u[i] = ((uint64_t)rnd() << 37) ^ ((uint64_t)rnd() << 13) ^ rnd(); xs[i] = rnd() * 17u; ys[i] = rnd() * 31u; }
    for (auto &b : bytes) b = rnd();
    int *dk = dev(keys), *dv = dev(values), *di1 = zeros<int>(3 * n), *di2 = zeros<int>(n);
    float *df = dev(f), *df2 = dev(f2), *dout = zeros<float>(n);
    ballot_groups<<<g, 256>>>(dk, di1, di2, n);
    { auto l = back(di1, n), s = back(di2, n); bool ok = true;
      for (int i = 0; i < n; i++) { int w = i & ~31, lead = -1, c = 0; for (int j = w; j < w + 32; j++) if (keys[j] == keys[i]) { if (lead < 0) lead = j; c++; } ok &= l[i] == lead && s[i] == c; }
      check("ballot_groups", ok); }
    shuffle_partial<<<g, 256>>>(df, dout, n);
    { auto o = back(dout, n); bool ok = true;
      for (int i = 0; i < n; i++) { int l = i & 31; float e; if (l < 24) { int b = i & ~7; e = 0; for (int j = 0; j < 8; j++) e += f[b + j]; } else e = l < 29 ? f[i + 3] : f[i]; ok &= fabsf(o[i] - e) < 1e-3f; }
      check("shuffle_partial", ok); }
    async_window<<<n / 256 / 8, 256>>>(df, dout, 8);
    { auto o = back(dout, n / 8); bool ok = true;
      for (int b = 0; b < n / 2048; b++) for (int t = 0; t < 256; t++) { float a = 0; for (int k = 0; k < 8; k++) a = a * 0.5f + f[b * 2048 + k * 256 + t] + f[b * 2048 + k * 256 + ((t + 7) & 255)]; ok &= fabsf(a - o[b * 256 + t]) < 1e-3f; }
      check("async_window", ok); }
    uint8_t *db = dev(bytes);
    { unsigned *h = zeros<unsigned>(256); int *ex = zeros<int>(3);
      shared_atomics<<<64, 256>>>(db, h, n, ex);
      auto o = back(h, 256); std::vector<unsigned> e(256); for (int i = 0; i < n; i++) e[bytes[i]]++;
      auto x = back(ex, 3); check("shared_atomics", o == e && x[0] == 0 && x[1] == 255 && x[2] == 64 * 64); }
    { std::vector<short2> bias(256); for (auto &b : bias) { b.x = rnd() % 50; b.y = rnd() % 50; }
      short2 *dbias = dev(bias); unsigned char *o8 = zeros<unsigned char>(3 * n);
      int m = 3 * n / 4; rgba_to_gray<<<(m + 255) / 256, 256>>>((uchar4 *)db, o8, dbias, m);
      auto o = back(o8, m); bool ok = true;
      for (int i = 0; i < m; i++) { int gr = (bytes[4 * i] * 77 + bytes[4 * i + 1] * 150 + bytes[4 * i + 2] * 29 + 128) >> 8; gr += bias[i & 255].x - bias[i & 255].y; gr = gr < 0 ? 0 : gr > 255 ? 255 : gr; ok &= o[i] == gr; }
      check("rgba_to_gray", ok);
      bytes_stride3<<<g, 256>>>(db, o8, n); o = back(o8, 3 * n); ok = true;
      for (int i = 0; i < 3 * n; i++) ok &= o[i] == bytes[i / 3 * 3 + 2 - i % 3];
      check("bytes_stride3", ok); }
    { static soa t; for (int i = 0; i < 64; i++) { t.a[i] = i * 0.5f; t.b[i] = 64 - i; t.c[i] = i * i * 0.25; } CK(cudaMemcpyToSymbol(table, &t, sizeof t));
      for (int uni = 0; uni < 2; uni++) { constant_soa<<<g, 256>>>(dk, dout, n, uni); auto o = back(dout, n); bool ok = true;
        for (int i = 0; i < n; i++) { int k = uni ? (i / 256) & 63 : keys[i] & 63; float s = 0; for (int j = 0; j < 8; j++) { int q = (k + j) & 63; s += t.a[q] * t.b[q] + (float)t.c[q]; } ok &= fabsf(o[i] - s) < 1e-1f; }
        check("constant_soa", ok); } }
    { int m = n / 24; local_sort<<<(m + 127) / 128, 128>>>((int *)db, di1, m / 3); CK(cudaDeviceSynchronize());
      int k = m / 3; auto o = back(di1, 3 * k); const int *in = (const int *)bytes.data(); bool ok = true;
      for (int i = 0; i < k; i++) { std::vector<int> a(24); for (int j = 0; j < 24; j++) a[j] = in[j * k + i]; for (int j = 1; j < 24; j++) for (int q = j; q && a[q - 1] > a[q]; q--) std::swap(a[q], a[q - 1]); for (int j = 0; j < 3; j++) ok &= o[j * k + i] == a[8 * j]; }
      check("local_sort", ok); }
    { uint64_t *du = dev(u), *o64 = zeros<uint64_t>(n); int m = n / 8; int64_math<<<m / 128, 128>>>(du, o64, m); auto o = back(o64, m); bool ok = true;
      for (int i = 0; i < m; i++) { uint64_t x = u[i], q = ((x >> 3) | 1) & 0x3fffffffffffffffull; uint64_t r = mulmod_h(x, x ^ 0x5555, q) ^ (uint64_t)((unsigned __int128)x * q >> 64); r += x / (q >> 20 | 1) + (int64_t)x % 1000003; uint64_t rev = 0; for (int b = 0; b < 64; b++) rev |= (x >> b & 1) << (63 - b); r ^= rev ^ (uint64_t)(x ? __builtin_clzll(x) : 64) ^ __builtin_popcountll(x); ok &= r == o[i]; }
      check("int64_math", ok); }
    { std::vector<__half2> h(n); for (int i = 0; i < n; i++) h[i] = __floats2half2_rn((f[i] - 5) * 0.19f, (f2[i] - 38) * 0.02f); __half2 *dh = dev(h), *o2 = zeros<__half2>(n); half2_poly<<<g, 256>>>(dh, o2, n); auto o = back(o2, n); bool ok = true;
      for (int i = 0; i < n; i++) { float v = __low2float(h[i]), r = 0.125f; for (int k = 0; k < 16; k++) r = r * v + 0.25f; r = fmaxf(r, -4) + exp2f(v); ok &= fabsf(r - __low2float(o[i])) < 0.03f * (1 + fabsf(r)); }
      check("half2_poly", ok); }
    { int w = 512, h = 512; cudaArray_t arr; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>(); CK(cudaMallocArray(&arr, &d, w, h)); CK(cudaMemcpy2DToArray(arr, 0, 0, f.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
      cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = arr; cudaTextureDesc td = {}; td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; td.filterMode = cudaFilterModeLinear; td.readMode = cudaReadModeElementType; cudaTextureObject_t tex; CK(cudaCreateTextureObject(&tex, &r, &td, 0));
      texture_rotate<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(tex, dout, w, h, 1.f, 0.f); auto o = back(dout, w * h); bool ok = true; for (int i = 0; i < w * h; i++) ok &= fabsf(o[i] - f[i]) < 1e-4f; check("texture_rotate 0", ok);
      texture_rotate<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(tex, dout, w, h, 0.8f, 0.6f); CK(cudaDeviceSynchronize()); }
    { uint32_t *dx = dev(xs), *dy = dev(ys), *o32 = zeros<uint32_t>(n); morton<<<g, 256>>>(dx, dy, o32, n); auto o = back(o32, n); uint32_t sum = 0; for (auto v : o) sum = sum * 31 + v; printf("morton sum %08x\n", sum); }
    { recursion<<<8, 128>>>(di1, 1024); CK(cudaDeviceSynchronize()); auto o = back(di1, 1024); bool ok = true; for (int i = 0; i < 1024; i++) ok &= o[i] == hfib(5 + (i & 7)) + 2 * (i & 3) + 3; check("recursion", ok); }
    { pointers<<<g, 256>>>(df, df2, db, dout, n); auto o = back(dout, n); bool ok = true; for (int i = 0; i < n; i++) { float a = f[i], b = f2[i], e; switch (bytes[i] & 3) { case 0: e = a + b; break; case 1: e = a * b; break; case 2: e = fmaxf(a, b); break; default: e = sqrtf(a * a + b * b); } ok &= fabsf(e - o[i]) < 1e-3f; } check("pointers", ok); }
    { int *cnt = zeros<int>(1); filter_aggregated<<<g, 256>>>(dv, di1, cnt, n); int c = back(cnt, 1)[0], e = 0; for (int v : values) e += v % 3 == 0; check("filter_aggregated", c == e); }
    { cluster_sum<<<n / 128, 128>>>(df, dout, n); CK(cudaDeviceSynchronize()); auto o = back(dout, n); bool ok = true; for (int i = 0; i < n; i++) { int b = i / 512 * 512 + i % 128; float e = f[b] + f[b + 128] + f[b + 256] + f[b + 384]; ok &= fabsf(e - o[i]) < 1e-3f; } check("cluster_sum", ok); }
    { double *s = zeros<double>(16); float *m = zeros<float>(64); int k = n / 4; cas_and_double<<<k / 256, 256>>>(df, s, m, k); auto o = back(s, 16); auto mm = back(m, 64); bool ok = true; std::vector<double> e(16); std::vector<float> em(64); for (int i = 0; i < k; i++) { e[i & 15] += f[i]; em[(i >> 5) & 63] = fmaxf(em[(i >> 5) & 63], f[i]); } for (int i = 0; i < 16; i++) ok &= fabs(e[i] - o[i]) < 1e-6 * e[i]; check("cas_and_double", ok && em == mm); }
    { match_reduce<<<g, 256>>>(dk, dv, di1, n); auto o = back(di1, n); bool ok = true; std::vector<int> s(n), c(n); for (int i = 0; i < n; i++) for (int j = i & ~31; j < (i & ~31) + 32; j++) if (keys[j] == keys[i]) { s[i] += values[j]; c[i]++; } for (int i = 0; i < n; i++) { int m = 0; for (int j = i & ~15; j < (i & ~15) + 16; j++) m = s[j] > m ? s[j] : m; ok &= o[i] == s[i] + m * 3 + c[i]; } check("match_reduce", ok); }
    { int m = n / 8; double2 *d2 = (double2 *)dev(u); double *e = zeros<double>(n); rec *o = zeros<rec>(n); aos12<<<(m + 191) / 192, 192>>>((rec *)df, o, d2, e, m); CK(cudaDeviceSynchronize()); check("aos12", true); }
    { int m = 256; std::vector<double> a(m * m); for (int i = 0; i < m * m; i++) a[i] = i; double *da = dev(a), *o = zeros<double>(m * m); transpose_double<<<dim3(8, 8), dim3(32, 8)>>>(da, o, m); auto r = back(o, m * m); bool ok = true; for (int y = 0; y < m; y++) for (int x = 0; x < m; x++) ok &= r[y * m + x] == a[x * m + y] + (unsigned char)(x + y); check("transpose_double", ok); }
    { triangle<<<4, 128>>>(df, dout, 512); CK(cudaDeviceSynchronize()); check("triangle", true); }
    printf("%s\n", bad ? "FAILED" : "ALL PASS");
    return bad;
}
