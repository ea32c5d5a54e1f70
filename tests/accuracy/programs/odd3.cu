#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__global__ void break_continue(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i], s = 0;
    for (int j = 0; j < m; j++) { if ((j ^ k) % 5 == 0) continue; int v = b[j]; s += v; if (v == k) break; }
    out[i] = s;
}
__global__ void two_breaks(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i], s = 0, j = 0;
    while (true) { int v = b[(j + k) & 255]; if (v == k) break; s += v; if (s > 3000 + k) break; if (++j >= m) break; }
    out[i] = s + b[s & 255];
}
__global__ void return_inside(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i];
    for (int j = 0; j < m; j++) if (b[j] == k) { out[i] = j; return; }
}
__global__ void return_both(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i];
    for (int j = 0; j < m; j++) if (b[j] == k) { out[i] = b[j + 1] + j; return; }
    out[i] = -1;
}
__global__ void nested_goto(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i], s = 0;
    for (int y = 0; y < 16; y++) {
        for (int x = 0; x < 16; x++) { int v = b[y * 16 + x]; if (v % 7 == k % 7) break; if (v == k + 3) goto found; s += v; }
        if (y % 4 == k % 4) continue;
        s ^= b[(s + y) & 255];
    }
found:
    out[i] = s;
}
__global__ void switch_loop(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int pc = a[i] & 7, s = 0;
    for (int t = 0; t < 24; t++) {
        switch (pc) {
        case 0: s += b[t]; pc = 3; break;
        case 1: s ^= b[t + 1]; pc = 4; continue;
        case 2: s -= b[t + 2]; pc = s & 7; break;
        case 3: s *= 3; pc = 2; break;
        case 4: s += t; pc = 1 + (s & 3); break;
        default: pc = b[(s + t) & 255] & 7; continue;
        }
        if (s > 100000) break;
    }
    out[i] = s;
}
__global__ void unrolled_out(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i], s = 0;
#pragma unroll
    for (int j = 0; j < 6; j++) { int v = b[(k * 3 + j) & 255]; if (v == 5 + (k & 3)) { out[i] = s; return; } s += v; if (v == k) break; }
    out[i] = s * 2 + b[s & 255];
}
__global__ void early_return_call(const int *a, const int *b, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
    int k = a[i], s = 0, best = -1;
    for (int j = 0; j < m; j += 2) {
        int v = b[j]; if (v < k) continue;
        int w = b[j + 1]; if (w < k) { s++; continue; }
        best = j; if (v + w > 100 + k) break;
    }
    if (best < 0) { out[i] = -s; return; }
    int t = 0; for (int j = 0; j < 16; j++) t += b[(best + j) & 255];
    out[i] = t;
}
template <int BYTES, int OFFSET> __global__ void copies(const char *in, int *out)
{
    __shared__ __align__(128) char s[32 * 16 + 256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + OFFSET + t * BYTES, in + t * BYTES, BYTES);
    __pipeline_commit(); __pipeline_wait_prior(0); __syncwarp();
    out[t] = *(int *)(s + OFFSET + ((t * 4) & (32 * BYTES - 1)));
}
template <int BYTES, int STRIDE> __global__ void copies_apart(const char *in, int *out)
{
    __shared__ __align__(128) char s[32 * 16 * 2];
    int t = threadIdx.x;
    __pipeline_memcpy_async(s + t * BYTES, in + t * STRIDE, BYTES);
    __pipeline_commit(); __pipeline_wait_prior(0); __syncwarp();
    out[t] = *(int *)(s + ((t * 4) & (32 * BYTES - 1)));
}
int main()
{
    const int n = 1 << 13; std::vector<int> a(n), b(1024); unsigned r = 1;
    for (auto &x : a) { r = r * 1664525 + 1013904223; x = r >> 26; }
    for (auto &x : b) { r = r * 1664525 + 1013904223; x = (r >> 25) & 127; }
    int *da, *db, *o; CK(cudaMalloc(&da, n * 4)); CK(cudaMalloc(&db, 65536)); CK(cudaMalloc(&o, n * 4)); CK(cudaMemset(db, 0, 65536));
    CK(cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice)); CK(cudaMemcpy(db, b.data(), 4096, cudaMemcpyHostToDevice));
    int g = n / 128; unsigned long long sum = 0; std::vector<int> h(n);
#define RUN(k) CK(cudaMemset(o, 0, n * 4)); k<<<g, 128>>>(da, db, o, n, 100); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), o, n * 4, cudaMemcpyDeviceToHost)); for (int v : h) sum = sum * 31 + (unsigned)v; printf(#k " %016llx\n", sum);
    RUN(break_continue) RUN(two_breaks) RUN(return_inside) RUN(return_both) RUN(nested_goto) RUN(switch_loop) RUN(unrolled_out) RUN(early_return_call)
#define C(x, y) copies<x, y><<<1, 32>>>((char *)db, o); CK(cudaDeviceSynchronize());
    C(16, 0) C(16, 16) C(16, 32) C(16, 64) C(16, 112) C(8, 0) C(8, 8) C(8, 32) C(8, 64) C(4, 0) C(4, 4) C(4, 32) C(4, 64)
#define D(x, y) copies_apart<x, y><<<1, 32>>>((char *)db, o); CK(cudaDeviceSynchronize());
    D(16, 32) D(16, 64) D(16, 256) D(8, 16) D(8, 64) D(4, 8) D(4, 32) D(4, 128)
    printf("done\n");
}
