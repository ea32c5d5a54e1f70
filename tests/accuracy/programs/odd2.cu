#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <curand_kernel.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <mma.h>
namespace cg = cooperative_groups;
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static int bad;
static void check(const char *name, bool ok) { printf("%s: %s\n", name, ok ? "PASS" : "FAIL"); bad += !ok; }
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

// 1. bulk copies (TMA without a map) in a ring of three stages
__global__ void bulk_ring(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float buf[3][512];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar[3];
    int t = threadIdx.x;
    if (t == 0) { for (int i = 0; i < 3; i++) init(&bar[i], blockDim.x); cde::fence_proxy_async_shared_cta(); }
    __syncthreads();
    const float *base = in + (size_t)blockIdx.x * tiles * 512;
    barrier::arrival_token token[3];
    for (int s = 0; s < 2; s++) {
        if (t == 0) { cde::cp_async_bulk_global_to_shared(buf[s], base + s * 512, 2048, bar[s]); token[s] = cuda::device::barrier_arrive_tx(bar[s], 1, 2048); }
        else token[s] = bar[s].arrive();
    }
    float acc = 0;
    for (int k = 0; k < tiles; k++) {
        int s = k % 3, q = (k + 2) % 3;
        if (k + 2 < tiles) {
            if (t == 0) { cde::cp_async_bulk_global_to_shared(buf[q], base + (k + 2) * 512, 2048, bar[q]); token[q] = cuda::device::barrier_arrive_tx(bar[q], 1, 2048); }
            else token[q] = bar[q].arrive();
        }
        bar[s].wait(std::move(token[s]));
        acc += buf[s][t] * buf[s][(t * 5) & 511];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = acc;
}
// 2. cooperative grid barrier: Jacobi steps
__global__ void jacobi_grid(float *a, float *b, int n, int steps)
{
    auto grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank(); i < n * n; i += grid.size()) {
            int x = i % n, y = i / n;
            float v = a[i];
            if (x && y && x < n - 1 && y < n - 1) v = 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
            b[i] = v;
        }
        grid.sync();
        float *t = a; a = b; b = t;
    }
}
// 3. cuRAND: Philox and XORWOW
__global__ void random_pi(unsigned long long *inside, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t s;
    curand_init(1234, i, 0, &s);
    unsigned c = 0;
    for (int k = 0; k < turns; k++) { float4 r = curand_uniform4(&s); c += (r.x * r.x + r.y * r.y < 1) + (r.z * r.z + r.w * r.w < 1); }
    for (int d = 16; d; d >>= 1) c += __shfl_down_sync(~0u, c, d);
    if (!(threadIdx.x & 31)) atomicAdd(inside, (unsigned long long)c);
}
__global__ void random_walk(float *out, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState s;
    curand_init(99, 0, i * 64, &s);
    float x = 0;
    for (int k = 0; k < turns; k++) x += curand_normal(&s) * 0.1f + (curand_uniform(&s) - 0.5f);
    out[i] = x;
}
// 4. cache hints and streaming stores
__global__ void hints(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 x = __ldcs(a + i), y = __ldcg(b + (i ^ 1)), z = __ldg(b + i);
    x.x += y.x * z.x; x.y += y.y * z.y; x.z -= y.z; x.w -= z.w;
    __stcs(c + i, x);
}
// 5. specialised warps with named barriers and a ring in dynamic shared memory above 48 KiB
extern __shared__ float ring[];
__global__ void specialised(const float *in, float *out, int tiles)
{
    const int W = 4096;
    int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const float *base = in + (size_t)blockIdx.x * tiles * W;
    if (warp < 2) {
        for (int k = 0; k < tiles; k++) {
            if (k >= 4) asm volatile("bar.sync %0, 256;" :: "r"(5 + (k & 3)));
            for (int j = threadIdx.x; j < W / 4; j += 64) ((float4 *)(ring + (k & 3) * W))[j] = ((const float4 *)(base + (size_t)k * W))[j];
            __threadfence_block();
            asm volatile("bar.arrive %0, 256;" :: "r"(1 + (k & 3)));
        }
    } else {
        float s = 0;
        int t = threadIdx.x - 64;
        for (int k = 0; k < tiles; k++) {
            asm volatile("bar.sync %0, 256;" :: "r"(1 + (k & 3)));
            for (int j = t; j < W; j += 192) s += ring[(k & 3) * W + j] * ring[(k & 3) * W + (j ^ 33)];
            if (k + 4 < tiles) asm volatile("bar.arrive %0, 256;" :: "r"(5 + (k & 3)));
        }
        out[blockIdx.x * 192 + t] = s;
    }
    (void)lane;
}
// 6. wmma half and int8
__global__ void wmma_half(const __half *a, const __half *b, float *c, int n)
{
    using namespace nvcuda::wmma;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles = n / 16;
    int r = warp / tiles, q = warp % tiles;
    fragment<accumulator, 16, 16, 16, float> acc; fill_fragment(acc, 0.f);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, __half, row_major> fa; fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
        load_matrix_sync(fa, a + r * 16 * n + k, n); load_matrix_sync(fb, b + q * 16 * n + k, n);
        mma_sync(acc, fa, fb, acc);
    }
    store_matrix_sync(c + r * 16 * n + q * 16, acc, n, mem_row_major);
}
__global__ void wmma_int8(const signed char *a, const signed char *b, int *c, int n)
{
    using namespace nvcuda::wmma;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles = n / 16;
    int r = warp / tiles, q = warp % tiles;
    fragment<accumulator, 16, 16, 16, int> acc; fill_fragment(acc, 0);
    for (int k = 0; k < n; k += 16) {
        fragment<matrix_a, 16, 16, 16, signed char, row_major> fa; fragment<matrix_b, 16, 16, 16, signed char, col_major> fb;
        load_matrix_sync(fa, a + r * 16 * n + k, n); load_matrix_sync(fb, b + q * 16 * n + k, n);
        mma_sync(acc, fa, fb, acc);
    }
    store_matrix_sync(c + r * 16 * n + q * 16, acc, n, mem_row_major);
}
// 7. surfaces: 2D write, read
__global__ void surface_blur(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float4 s = make_float4(0, 0, 0, 0);
    for (int d = -1; d <= 1; d++) { float4 v; surf2Dread(&v, in, (x + d) * 16, y, cudaBoundaryModeClamp); s.x += v.x; s.y += v.y; s.z += v.z; s.w += v.w; }
    surf2Dwrite(s, out, x * 16, y);
}
// 8. vector reductions of sm_90 and half2/bf16x2 atomics
__global__ void vector_atomics(float4 *acc, __half2 *hacc, __nv_bfloat162 *bacc, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&acc[i & 127], in[i]);
    atomicAdd(&hacc[i & 63], __float2half2_rn(0.25f));
    atomicAdd(&bacc[i & 63], __float2bfloat162_rn(1.f));
}
// 9. linked list walk and hash probing with atomicCAS on 64 bits
__global__ void hash_insert(unsigned long long *table, int slots, const unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = keys[i], h = k * 2654435761u;
    unsigned long long want = (unsigned long long)k << 32 | (unsigned)i;
    for (;;) {
        h &= slots - 1;
        unsigned long long old = atomicCAS(&table[h], ~0ull, want);
        if (old == ~0ull || (unsigned)(old >> 32) == k) return;
        h++;
    }
}
__global__ void hash_find(const unsigned long long *table, int slots, const unsigned *keys, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned k = keys[i], h = k * 2654435761u;
    for (;;) {
        h &= slots - 1;
        unsigned long long v = table[h];
        if (v == ~0ull) { out[i] = -1; return; }
        if ((unsigned)(v >> 32) == k) { out[i] = (int)v; return; }
        h++;
    }
}
// 10. single-pass scan with decoupled look-back
__device__ unsigned ticket;
__global__ void lookback_scan(const int *in, int *out, volatile unsigned long long *state, int n)
{
    __shared__ int tile, warps[8], prefix;
    if (threadIdx.x == 0) tile = atomicAdd(&ticket, 1);
    __syncthreads();
    int i = tile * 256 + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0, s = v;
    for (int d = 1; d < 32; d <<= 1) { int u = __shfl_up_sync(~0u, s, d); if (lane >= d) s += u; }
    if (lane == 31) warps[w] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        int run = 0;
        for (int k = 0; k < 8; k++) { int u = warps[k]; warps[k] = run; run += u; }
        int before = 0;
        if (tile == 0) state[0] = 2ull << 32 | (unsigned)run;
        else {
            state[tile] = 1ull << 32 | (unsigned)run;
            for (int p = tile - 1;;) {
                unsigned long long x = state[p];
                if (x >> 32 == 0) continue;
                before += (int)x;
                if (x >> 32 == 2) break;
                p--;
            }
            state[tile] = 2ull << 32 | (unsigned)(before + run);
        }
        prefix = before;
    }
    __syncthreads();
    if (i < n) out[i] = prefix + warps[w] + s;
}
// 11. cluster: ring of neighbours' histograms, atomics on distributed shared memory
__global__ void __cluster_dims__(8, 1, 1) cluster_histogram(const unsigned *in, unsigned *out, int n)
{
    __shared__ unsigned h[64];
    auto c = cg::this_cluster();
    if (threadIdx.x < 64) h[threadIdx.x] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] & 511;
        atomicAdd(c.map_shared_rank(h, b >> 6) + (b & 63), 1u);
    }
    c.sync();
    if (threadIdx.x < 64) atomicAdd(&out[c.block_rank() * 64 + threadIdx.x], h[threadIdx.x]);
}
// 12. special functions in doubles and floats, divergence by switch
__global__ void functions(const float *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = in[i] + 0.001, r;
    switch (i % 7) {
    case 0: r = sin(x); break;
    case 1: r = exp(-x); break;
    case 2: r = log(x); break;
    case 3: r = pow(x, 1.5); break;
    case 4: r = erf(x * 0.1); break;
    case 5: r = tgamma(1 + x * 0.1); break;
    default: r = cbrt(x) + atan2(x, 2.0); break;
    }
    out[i] = r + sinf((float)x) + __expf(-(float)x) + rsqrtf((float)x) + sqrt(x);
}
template <class T> T *dev(const std::vector<T> &v) { T *p; CK(cudaMalloc(&p, v.size() * sizeof(T))); CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> T *zeros(size_t n) { T *p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, 0, n * sizeof(T))); return p; }
template <class T> std::vector<T> back(const T *p, size_t n) { std::vector<T> v(n); CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }
static uint32_t seed = 777;
static uint32_t rnd() { seed = seed * 1664525u + 1013904223u; return seed >> 4; }
int main()
{
    const int n = 1 << 18, g = n / 256;
    std::vector<float> f(4 * n); for (auto &x : f) x = (float)(rnd() % 1000) / 250.f;
    float *df = dev(f), *dout = zeros<float>(4 * n);
    { const int tiles = 8, blocks = 4 * n / 512 / tiles; bulk_ring<<<blocks, 512>>>(df, dout, tiles); CK(cudaDeviceSynchronize()); auto o = back(dout, blocks * 512); bool ok = true;
      for (int b = 0; b < blocks; b++) for (int t = 0; t < 512; t++) { float a = 0; for (int k = 0; k < tiles; k++) { const float *p = &f[(b * tiles + k) * 512]; a += p[t] * p[(t * 5) & 511]; } ok &= fabsf(a - o[b * 512 + t]) < 1e-2f; } check("bulk_ring", ok); }
    { int m = 512, steps = 6; float *a = dev(std::vector<float>(f.begin(), f.begin() + m * m)), *b = zeros<float>(m * m); void *args[] = {&a, &b, &m, &steps}; CK(cudaLaunchCooperativeKernel((void *)jacobi_grid, dim3(132), dim3(256), args, 0, 0)); CK(cudaDeviceSynchronize()); auto o = back(a, m * m);
      std::vector<float> x(f.begin(), f.begin() + m * m), y(x); for (int s = 0; s < steps; s++) { for (int i = 0; i < m * m; i++) { int c = i % m, r = i / m; y[i] = c && r && c < m - 1 && r < m - 1 ? 0.25f * (x[i - 1] + x[i + 1] + x[i - m] + x[i + m]) : x[i]; } std::swap(x, y); } bool ok = true; for (int i = 0; i < m * m; i++) ok &= fabsf(x[i] - o[i]) < 1e-4f; check("jacobi_grid", ok); }
    { unsigned long long *c = zeros<unsigned long long>(1); random_pi<<<128, 256>>>(c, 16); double pi = 4.0 * back(c, 1)[0] / (128.0 * 256 * 32); printf("pi %.6f\n", pi); check("random_pi", fabs(pi - 3.14159) < 0.01); }
    { random_walk<<<64, 128>>>(dout, 8); auto o = back(dout, 64 * 128); double s = 0; for (float v : o) s += v; printf("walk %.4f\n", s); check("random_walk", fabs(s) < 1000); }
    { hints<<<g, 256>>>((float4 *)df, (float4 *)df, (float4 *)dout, n); CK(cudaDeviceSynchronize()); auto o = back(dout, 4 * n); bool ok = true; for (int i = 0; i < n; i++) ok &= fabsf(o[4 * i] - (f[4 * i] + f[4 * (i ^ 1)] * f[4 * i])) < 1e-3f; check("hints", ok); }
    { int tiles = 8, blocks = 4 * n / 4096 / tiles; CK(cudaFuncSetAttribute(specialised, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)); specialised<<<blocks, 256, 65536>>>(df, dout, tiles); CK(cudaDeviceSynchronize()); auto o = back(dout, blocks * 192); double s = 0, e = 0; for (float v : o) s += v; for (int b = 0; b < blocks * tiles; b++) for (int j = 0; j < 4096; j++) e += f[b * 4096 + j] * f[b * 4096 + (j ^ 33)]; check("specialised", fabs(s - e) < 1e-4 * e); }
    { int m = 256; std::vector<__half> a(m * m), b(m * m); std::vector<signed char> ia(m * m), ib(m * m); for (int i = 0; i < m * m; i++) { a[i] = __float2half(f[i] - 2); b[i] = __float2half(f[i + 1000] - 2); ia[i] = rnd(); ib[i] = rnd(); }
      float *c = zeros<float>(m * m); wmma_half<<<m * m / 256 / 4, 128>>>(dev(a), dev(b), c, m); auto o = back(c, m * m); bool ok = true; for (int r = 0; r < m; r += 7) for (int q = 0; q < m; q++) { float e = 0; for (int k = 0; k < m; k++) e += __half2float(a[r * m + k]) * __half2float(b[q * m + k]); ok &= fabsf(e - o[r * m + q]) < 0.05f; } check("wmma_half", ok);
      int *ic = zeros<int>(m * m); wmma_int8<<<m * m / 256 / 4, 128>>>(dev(ia), dev(ib), ic, m); auto io = back(ic, m * m); ok = true; for (int r = 0; r < m; r += 7) for (int q = 0; q < m; q++) { int e = 0; for (int k = 0; k < m; k++) e += ia[r * m + k] * ib[q * m + k]; ok &= e == io[r * m + q]; } check("wmma_int8", ok); }
    { int w = 256, h = 256; cudaArray_t a, b; cudaChannelFormatDesc d = cudaCreateChannelDesc<float4>(); CK(cudaMallocArray(&a, &d, w, h, cudaArraySurfaceLoadStore)); CK(cudaMallocArray(&b, &d, w, h, cudaArraySurfaceLoadStore)); CK(cudaMemcpy2DToArray(a, 0, 0, f.data(), w * 16, w * 16, h, cudaMemcpyHostToDevice)); cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaSurfaceObject_t sa, sb; CK(cudaCreateSurfaceObject(&sa, &r)); r.res.array.array = b; CK(cudaCreateSurfaceObject(&sb, &r));
      surface_blur<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(sa, sb, w, h); CK(cudaDeviceSynchronize()); std::vector<float> o(4 * w * h); CK(cudaMemcpy2DFromArray(o.data(), w * 16, b, 0, 0, w * 16, h, cudaMemcpyDeviceToHost)); bool ok = true; for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { float e = 0; for (int q = -1; q <= 1; q++) { int c = x + q < 0 ? 0 : x + q >= w ? w - 1 : x + q; e += f[(y * w + c) * 4 + 1]; } ok &= fabsf(e - o[(y * w + x) * 4 + 1]) < 1e-3f; } check("surface_blur", ok); }
    { float4 *acc = zeros<float4>(128); __half2 *h = zeros<__half2>(64); __nv_bfloat162 *b = zeros<__nv_bfloat162>(64); int m = 8192; vector_atomics<<<m / 256, 256>>>(acc, h, b, (float4 *)df, m); CK(cudaDeviceSynchronize()); auto o = back(acc, 128); double e = 0; for (int i = 5; i < m; i += 128) e += f[4 * i]; check("vector_atomics", fabs(o[5].x - e) < 1e-2 && __low2float(back(h, 64)[3]) == 32 && __low2float(back(b, 64)[3]) == 128); }
    { int k = 1 << 15, slots = 1 << 16; std::vector<unsigned> keys(k); for (auto &x : keys) x = rnd() % 1000000; std::vector<unsigned long long> t(slots, ~0ull); auto *dt = dev(t); unsigned *dk = dev(keys); int *o = zeros<int>(k); hash_insert<<<k / 256, 256>>>(dt, slots, dk, k); hash_find<<<k / 256, 256>>>(dt, slots, dk, o, k); auto r = back(o, k); bool ok = true; for (int i = 0; i < k; i++) ok &= r[i] >= 0 && keys[r[i]] == keys[i]; check("hash", ok); }
    { std::vector<int> v(n); for (auto &x : v) x = rnd() % 10; int *dv = dev(v), *o = zeros<int>(n); unsigned long long *st = zeros<unsigned long long>(g); lookback_scan<<<g, 256>>>(dv, o, st, n); CK(cudaDeviceSynchronize()); auto r = back(o, n); bool ok = true; int s = 0; for (int i = 0; i < n; i++) ok &= r[i] == (s += v[i]); check("lookback_scan", ok); }
    { std::vector<unsigned> v(n); for (auto &x : v) x = rnd() >> 3; unsigned *dv = dev(v), *o = zeros<unsigned>(512); cluster_histogram<<<64, 256>>>(dv, o, n); CK(cudaDeviceSynchronize()); auto r = back(o, 512); std::vector<unsigned> e(512); for (auto x : v) e[x & 511]++; check("cluster_histogram", r == e); }
    { double *o = zeros<double>(n); functions<<<g, 256>>>(df, o, n); CK(cudaDeviceSynchronize()); auto r = back(o, n); bool ok = true; for (int i = 0; i < n; i += 7) { double x = f[i] + 0.001; ok &= fabs(r[i] - (sin(x) + sin(x) + exp(-x) + 1 / sqrt(x) + sqrt(x))) < 1e-4 * (1 + fabs(r[i])); } check("functions", ok); }
    printf("%s\n", bad ? "FAILED" : "ALL PASS");
    return bad;
}
