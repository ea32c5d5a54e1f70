// Fetches from textures of many kinds and compares checksums of the results with those of an H200 in
// textures_h200.inc. With -v prints all results, as bits; with -s the lines of textures_h200.h.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t code = (call);                                               \
        if (code != cudaSuccess) {                                               \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(code)); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)

enum geometry { D1, D2, D3, A1, A2, CUBE, ACUBE, GATHER, FETCH, LEVEL };
static const char *const geometries[] = {"1d",   "2d",    "3d",     "a1d",   "a2d",
                                         "cube", "acube", "gather", "fetch", "level"};
static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};

struct format {
    const char *name;
    int bits, channels;
    cudaChannelFormatKind kind;
};
static const format f32x1 = {"f32x1", 32, 1, cudaChannelFormatKindFloat};
static const format f32x2 = {"f32x2", 32, 2, cudaChannelFormatKindFloat};
static const format f32x4 = {"f32x4", 32, 4, cudaChannelFormatKindFloat};
static const format f16x1 = {"f16x1", 16, 1, cudaChannelFormatKindFloat};
static const format f16x4 = {"f16x4", 16, 4, cudaChannelFormatKindFloat};
static const format u8x1 = {"u8x1", 8, 1, cudaChannelFormatKindUnsigned};
static const format u8x4 = {"u8x4", 8, 4, cudaChannelFormatKindUnsigned};
static const format s8x2 = {"s8x2", 8, 2, cudaChannelFormatKindSigned};
static const format u16x1 = {"u16x1", 16, 1, cudaChannelFormatKindUnsigned};
static const format s16x4 = {"s16x4", 16, 4, cudaChannelFormatKindSigned};
static const format u32x1 = {"u32x1", 32, 1, cudaChannelFormatKindUnsigned};
static const format s32x4 = {"s32x4", 32, 4, cudaChannelFormatKindSigned};

struct config {
    geometry shape;
    format channel;
    int width, height, depth;
    cudaTextureAddressMode mode;
    bool linear, normalized, as_float;
    int variant; // gather: the component; fetch: 1 for pitched memory; else 1: sRGB
};

static uint32_t seed = 1;
static uint32_t draw()
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static __device__ uint4 bits(float4 v)
{
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z),
                      __float_as_uint(v.w));
}
static __device__ uint4 bits(uint4 v)
{
    return v;
}
static __device__ uint4 bits(int4 v)
{
    return make_uint4(v.x, v.y, v.z, v.w);
}

template <typename T>
__global__ void sample(geometry shape, cudaTextureObject_t t, const float4 *at, uint4 *out, int n,
                       int variant)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 c = at[i];
    T v;
    switch (shape) {
    case D1: v = tex1D<T>(t, c.x); break;
    case D2: v = tex2D<T>(t, c.x, c.y); break;
    case D3: v = tex3D<T>(t, c.x, c.y, c.z); break;
    case A1: v = tex1DLayered<T>(t, c.x, (int)c.w); break;
    case A2: v = tex2DLayered<T>(t, c.x, c.y, (int)c.w); break;
    case CUBE: v = texCubemap<T>(t, c.x, c.y, c.z); break;
    case ACUBE: v = texCubemapLayered<T>(t, c.x, c.y, c.z, (int)c.w); break;
    case GATHER:
        v = variant == 0   ? tex2Dgather<T>(t, c.x, c.y, 0)
            : variant == 1 ? tex2Dgather<T>(t, c.x, c.y, 1)
            : variant == 2 ? tex2Dgather<T>(t, c.x, c.y, 2)
                           : tex2Dgather<T>(t, c.x, c.y, 3);
        break;
    case FETCH: v = variant ? tex2D<T>(t, c.x, c.y) : tex1Dfetch<T>(t, (int)c.x); break;
    default: v = tex2DLod<T>(t, c.x, c.y, c.w); break;
    }
    out[i] = bits(v);
}

static uint32_t datum(const format &f)
{
    if (f.kind != cudaChannelFormatKindFloat)
        return draw() << 16 ^ draw();
    if (f.bits == 32) {
        float value = (float)((int)(draw() % 200001) - 100000) / 1024.0f;
        uint32_t word;
        memcpy(&word, &value, 4);
        return word;
    }
    return (draw() & 0x83ff) | (8 + draw() % 16) << 10; // finite halves
}

static std::vector<uint8_t> contents(const config &c)
{
    size_t count = (size_t)c.width * (c.height ? c.height : 1) * (c.depth ? c.depth : 1);
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < count * c.channel.channels; i++) {
        uint32_t word = datum(c.channel);
        for (int b = 0; b < c.channel.bits / 8; b++)
            bytes.push_back((uint8_t)(word >> 8 * b));
    }
    return bytes;
}

static float coordinate(int size, bool normalized, int i)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, 0.5f, -0.5f, 1e9f, -1e9f, 0.001953125f};
    float x = i < 8 ? odd[i]
              : i < 24 ? (float)(i - 12) * 0.25f
                       : (float)((int)(draw() % (size * 3072)) - size * 1024) / 1024.0f;
    return normalized ? x / (float)size : x;
}

static std::vector<float4> coordinates(const config &c, int n)
{
    std::vector<float4> at;
    int layers = c.shape == A1 || c.shape == A2 ? c.depth : c.depth / 6;
    for (int i = 0; i < n; i++) {
        float4 p;
        bool is_cube = c.shape == CUBE || c.shape == ACUBE;
        p.x = coordinate(c.width, c.normalized, i);
        p.y = coordinate(c.height ? c.height : 1, c.normalized, (i * 7) % n);
        p.z = coordinate(c.depth ? c.depth : 1, c.normalized, (i * 5) % n);
        if (is_cube) {
            p.x = (float)((int)(draw() % 2001) - 1000) / 700.0f;
            p.y = (float)((int)(draw() % 2001) - 1000) / 700.0f;
            p.z = (float)((int)(draw() % 2001) - 1000) / 700.0f;
        }
        p.w = layers > 0 && c.shape != LEVEL ? (float)((int)(draw() % (layers + 2)) - 1) : 0.0f;
        if (c.shape == FETCH && !c.variant)
            p.x = (float)((int)(draw() % (c.width + 8)) - 4);
        at.push_back(p);
    }
    return at;
}

static cudaResourceDesc resource(const config &c, const std::vector<uint8_t> &bytes)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    int b = c.channel.bits, n = c.channel.channels;
    cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(b, n > 1 ? b : 0, n > 2 ? b : 0, n > 3 ? b : 0, c.channel.kind);
    size_t row = (size_t)c.width * b / 8 * n;
    if (c.shape == FETCH && !c.variant) {
        r.resType = cudaResourceTypeLinear;
        r.res.linear.desc = desc;
        r.res.linear.sizeInBytes = bytes.size();
        CHECK(cudaMalloc(&r.res.linear.devPtr, bytes.size()));
        CHECK(cudaMemcpy(r.res.linear.devPtr, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
        return r;
    }
    if (c.shape == FETCH) {
        r.resType = cudaResourceTypePitch2D;
        r.res.pitch2D.desc = desc;
        r.res.pitch2D.width = c.width;
        r.res.pitch2D.height = c.height;
        CHECK(cudaMallocPitch(&r.res.pitch2D.devPtr, &r.res.pitch2D.pitchInBytes, row, c.height));
        CHECK(cudaMemcpy2D(r.res.pitch2D.devPtr, r.res.pitch2D.pitchInBytes, bytes.data(), row, row,
                           c.height, cudaMemcpyHostToDevice));
        return r;
    }
    r.resType = cudaResourceTypeArray;
    unsigned flags = c.shape == A1 || c.shape == A2 ? cudaArrayLayered
                     : c.shape == CUBE              ? cudaArrayCubemap
                     : c.shape == ACUBE             ? cudaArrayCubemap | cudaArrayLayered
                     : c.shape == GATHER            ? cudaArrayTextureGather
                                                    : cudaArrayDefault;
    if (c.depth) {
        CHECK(cudaMalloc3DArray(&r.res.array.array, &desc,
                                make_cudaExtent(c.width, c.height, c.depth), flags));
        cudaMemcpy3DParms copy;
        memset(&copy, 0, sizeof copy);
        copy.srcPtr = make_cudaPitchedPtr((void *)bytes.data(), row, c.width, c.height ? c.height : 1);
        copy.dstArray = r.res.array.array;
        copy.extent = make_cudaExtent(c.width, c.height ? c.height : 1, c.depth);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    } else {
        CHECK(cudaMallocArray(&r.res.array.array, &desc, c.width, c.height, flags));
        CHECK(cudaMemcpy2DToArray(r.res.array.array, 0, 0, bytes.data(), row, row,
                                  c.height ? c.height : 1, cudaMemcpyHostToDevice));
    }
    return r;
}

static cudaTextureDesc description(const config &c)
{
    cudaTextureDesc t;
    memset(&t, 0, sizeof t);
    for (int i = 0; i < 3; i++)
        t.addressMode[i] = c.mode;
    t.filterMode = c.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    t.readMode = c.as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    t.normalizedCoords = c.normalized;
    if (c.mode == cudaAddressModeBorder)
        for (int i = 0; i < 4; i++)
            t.borderColor[i] = 0.25f * (float)(i + 1);
    return t;
}

static const struct {
    const char *name;
    unsigned long long sum;
} expected[] = {
#include "textures_h200.inc"
};

static char output; // 'v', 's' or nothing
static int failures;
static size_t done;

static void compare(const char *name, unsigned long long sum)
{
    if (output == 's')
        printf("{\"%s\", 0x%016llxull},\n", name, sum);
    else if (output != 'v' && (done >= sizeof expected / sizeof *expected ||
                               strcmp(expected[done].name, name) || expected[done].sum != sum))
        printf("%s: not as an H200 gives it\n", name), failures++;
    done++;
}

static void run(const config &c)
{
    const int n = 256;
    seed = (uint32_t)(c.width * 31 + c.height * 7 + c.depth + c.channel.bits);
    std::vector<uint8_t> bytes = contents(c);
    cudaResourceDesc r = resource(c, bytes);
    cudaTextureDesc d = description(c);
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    std::vector<float4> at = coordinates(c, n);
    float4 *where;
    uint4 *out;
    CHECK(cudaMalloc(&where, n * sizeof *where));
    CHECK(cudaMalloc(&out, n * sizeof *out));
    CHECK(cudaMemcpy(where, at.data(), n * sizeof *where, cudaMemcpyHostToDevice));
    bool is_float = c.as_float || c.channel.kind == cudaChannelFormatKindFloat;
    if (is_float)
        sample<float4><<<n / 64, 64>>>(c.shape, t, where, out, n, c.variant);
    else if (c.channel.kind == cudaChannelFormatKindUnsigned)
        sample<uint4><<<n / 64, 64>>>(c.shape, t, where, out, n, c.variant);
    else
        sample<int4><<<n / 64, 64>>>(c.shape, t, where, out, n, c.variant);
    std::vector<uint4> got(n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost));
    char name[160];
    snprintf(name, sizeof name, "%s %dx%dx%d %s %s %s%s%s %d", geometries[c.shape], c.width,
             c.height, c.depth, c.channel.name, modes[c.mode], c.linear ? "linear" : "point",
             c.normalized ? " normalized" : "", c.as_float ? " float" : "", c.variant);
    uint64_t sum = 0xcbf29ce484222325ull;
    for (int i = 0; i < n; i++) {
        const uint32_t words[] = {got[i].x, got[i].y, got[i].z, got[i].w};
        if (output == 'v')
            printf("%s: %.9g %.9g %.9g %g: %08x %08x %08x %08x\n", name, at[i].x, at[i].y, at[i].z,
                   at[i].w, words[0], words[1], words[2], words[3]);
        for (uint32_t word : words)
            sum = (sum ^ word) * 0x100000001b3ull;
    }
    compare(name, sum);
    CHECK(cudaDestroyTextureObject(t));
    if (r.resType == cudaResourceTypeArray)
        CHECK(cudaFreeArray(r.res.array.array));
    else
        CHECK(cudaFree(r.res.linear.devPtr));
    CHECK(cudaFree(where));
    CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
    output = argc > 1 && argv[1][0] == '-' ? argv[1][1] : 0;
    const cudaTextureAddressMode all[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                          cudaAddressModeMirror, cudaAddressModeBorder};
    for (cudaTextureAddressMode mode : all)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = 0; normalized < 2; normalized++) {
                run({D1, f32x1, 37, 0, 0, mode, linear > 0, normalized > 0, false, 0});
                run({D2, f32x2, 19, 23, 0, mode, linear > 0, normalized > 0, false, 0});
                run({D3, f32x1, 9, 11, 5, mode, linear > 0, normalized > 0, false, 0});
                run({A1, f32x1, 21, 0, 3, mode, linear > 0, normalized > 0, false, 0});
                run({A2, f32x4, 13, 6, 3, mode, linear > 0, normalized > 0, false, 0});
                run({D2, u8x4, 16, 16, 0, mode, linear > 0, normalized > 0, true, 0});
            }
    const cudaTextureAddressMode clamp = cudaAddressModeClamp, border = cudaAddressModeBorder;
    for (int linear = 0; linear < 2; linear++) {
        for (const format &f : {u8x1, u16x1, s16x4})
            run({D2, f, 17, 9, 0, clamp, linear > 0, false, true, 0});
        run({D3, u8x1, 8, 8, 8, clamp, linear > 0, true, true, 0});
        run({CUBE, f32x1, 8, 8, 6, clamp, linear > 0, true, false, 0});
        run({ACUBE, f32x1, 8, 8, 12, clamp, linear > 0, true, false, 0});
        run({FETCH, f32x2, 45, 13, 0, clamp, linear > 0, false, false, 1});
        run({FETCH, u8x4, 45, 13, 0, cudaAddressModeWrap, linear > 0, true, true, 1});
        run({LEVEL, f32x1, 32, 8, 0, clamp, linear > 0, true, false, 0});
    }
    // filtered, a few of these differ in the last place
    run({D2, s8x2, 17, 9, 0, clamp, false, false, true, 0});
    for (const format &f : {f16x1, f16x4})
        run({D2, f, 17, 9, 0, border, false, false, false, 0});
    for (const format &f : {u8x1, u8x4, s8x2, u16x1, s16x4, u32x1, s32x4}) {
        run({D2, f, 17, 9, 0, border, false, false, false, 0});
        run({FETCH, f, 100, 0, 0, clamp, false, false, false, 0});
    }
    run({FETCH, f32x4, 100, 0, 0, clamp, false, false, false, 0});
    run({FETCH, f16x4, 100, 0, 0, clamp, false, false, false, 0});
    run({FETCH, u8x4, 100, 0, 0, clamp, false, false, true, 0});
    for (int component = 0; component < 4; component++) {
        run({GATHER, f32x4, 16, 12, 0, clamp, false, false, false, component});
        run({GATHER, u8x4, 16, 12, 0, cudaAddressModeWrap, false, true, true, component});
    }
    if (!output && !failures)
        printf("ok\n");
    return failures > 0;
}
