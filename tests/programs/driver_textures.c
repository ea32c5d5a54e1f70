/* Arrays, textures and surfaces of the driver API, and a kernel that reads the one and writes the
 * other. */
#include "program.h"

struct plane { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};
struct solid { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct side_2d { /* half of a CUDA_MEMCPY2D */
    size_t x_bytes, y;
    int type;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
};
struct copy_2d {
    struct side_2d from, to;
    size_t width_bytes, height;
};
struct side_3d { /* half of a CUDA_MEMCPY3D */
    size_t x_bytes, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_3d {
    struct side_3d from, to;
    size_t width_bytes, height, depth;
};
struct resource { /* CUDA_RESOURCE_DESC */
    int kind;
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t size_bytes;
        } linear;
        int reserved[32];
    };
    unsigned flags;
};
struct reading { /* CUDA_TEXTURE_DESC */
    int edges[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level[3], border[4];
    int reserved[12];
};

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuArrayCreate_v2(void **array, const struct plane *plane);
int cuArray3DCreate_v2(void **array, const struct solid *solid);
int cuArrayDestroy(void *array);
int cuArrayGetDescriptor_v2(struct plane *plane, void *array);
int cuArray3DGetDescriptor_v2(struct solid *solid, void *array);
int cuMemcpy2D_v2(const struct copy_2d *copy);
int cuMemcpy3D_v2(const struct copy_3d *copy);
int cuMemcpyHtoA_v2(void *array, size_t offset, const void *from, size_t bytes);
int cuMemcpyAtoH_v2(void *to, void *array, size_t offset, size_t bytes);
int cuTexObjectCreate(uint64_t *texture, const struct resource *resource,
                      const struct reading *reading, const void *view);
int cuTexObjectDestroy(uint64_t texture);
int cuTexObjectGetResourceDesc(struct resource *resource, uint64_t texture);
int cuTexObjectGetTextureDesc(struct reading *reading, uint64_t texture);
int cuSurfObjectCreate(uint64_t *surface, const struct resource *resource);
int cuSurfObjectDestroy(uint64_t surface);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetTexRef(void **reference, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);

enum { U8 = 1, S32 = 0x0a, F32 = 0x20 };
enum { HOST = 1, ARRAY = 3 };
enum { WIDTH = 8, HEIGHT = 4, ALL = WIDTH * HEIGHT };

/* Thread (x, y) writes the texel at (y + 0.5, x + 0.5), turned, as a whole number. */
static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry turn(.param .u64 t, .param .u64 s)\n{\n"
    ".reg .b32 %r<4>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [s];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
    "cvt.rn.f32.u32 %f1, %r1;\ncvt.rn.f32.u32 %f2, %r2;\n"
    "add.f32 %f1, %f1, 0f3F000000;\nadd.f32 %f2, %f2, 0f3F000000;\n"
    "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f1}];\n"
    "mul.f32 %f4, %f4, 0f437F0000;\ncvt.rni.s32.f32 %r3, %f4;\nshl.b32 %r1, %r1, 2;\n"
    "sust.b.2d.b32.trap [%rd2, {%r1, %r2}], {%r3};\nret;\n}\n";

static void copy(void *plane, void *solid, const uint8_t *bytes)
{
    uint8_t back[ALL] = {0};
    int words[2 * 3 * 2], got[4] = {0};
    struct copy_2d in = {.from = {.type = HOST, .host = (void *)(uintptr_t)bytes, .pitch = WIDTH},
                         .to = {.type = ARRAY, .array = plane},
                         .width_bytes = WIDTH,
                         .height = HEIGHT};
    EXPECT(cuMemcpy2D_v2(&in), 0);
    in.to.x_bytes = 1;
    EXPECT(cuMemcpy2D_v2(&in), 1);
    EXPECT(cuMemcpyAtoH_v2(back, plane, 3, ALL - 3), 0);
    EXPECT(memcmp(back, bytes + 3, ALL - 3), 0);
    EXPECT(cuMemcpyAtoH_v2(back, plane, 3, ALL), 1);
    for (int i = 0; i < 12; i++)
        words[i] = i;
    struct copy_3d box = {.from = {.type = HOST, .host = words, .pitch = 8, .height = 3},
                          .to = {.type = ARRAY, .array = solid},
                          .width_bytes = 8,
                          .height = 3,
                          .depth = 2};
    EXPECT(cuMemcpy3D_v2(&box), 0);
    struct copy_3d corner = {.from = {.type = ARRAY, .array = solid, .x_bytes = 4, .y = 1, .z = 1},
                             .to = {.type = HOST, .host = got, .pitch = 4, .height = 2},
                             .width_bytes = 4,
                             .height = 2,
                             .depth = 1};
    EXPECT(cuMemcpy3D_v2(&corner), 0);
    EXPECT(got[0] == 9 && got[1] == 11, 1);
}

static void turn(void *function, void *plane, const uint8_t *bytes)
{
    void *target;
    uint64_t texture, surface;
    int got[ALL] = {0}, wrong = 0;
    struct plane words = {HEIGHT, WIDTH, S32, 1};
    struct resource from = {.kind = 0, .array = plane}, to = {.kind = 0}, kept = {0};
    struct reading reading = {.edges = {1, 1, 1}}, found = {0};
    EXPECT(cuArrayCreate_v2(&target, &words), 0);
    to.array = target;
    EXPECT(cuTexObjectCreate(&texture, &from, &reading, NULL), 0);
    EXPECT(cuSurfObjectCreate(&surface, &to), 0);
    EXPECT(cuTexObjectGetResourceDesc(&kept, texture), 0);
    EXPECT(kept.array == plane, 1);
    EXPECT(cuTexObjectGetTextureDesc(&found, texture), 0);
    EXPECT(memcmp(&found, &reading, sizeof found), 0);
    void *parameters[] = {&texture, &surface};
    EXPECT(cuLaunchKernel(function, 1, 1, 1, HEIGHT, WIDTH, 1, 0, NULL, parameters, NULL), 0);
    EXPECT(cuCtxSynchronize(), 0);
    EXPECT(cuMemcpyAtoH_v2(got, target, 0, sizeof got), 0);
    for (int y = 0; y < WIDTH; y++)
        for (int x = 0; x < HEIGHT; x++)
            wrong += got[y * HEIGHT + x] != bytes[x * WIDTH + y];
    EXPECT(wrong, 0);
    EXPECT(cuTexObjectDestroy(texture), 0);
    EXPECT(cuSurfObjectDestroy(surface), 0);
    EXPECT(cuArrayDestroy(target), 0);
    /* integers that stay integers may be filtered here, not so by the runtime's calls */
    reading = (struct reading){.edges = {1, 1, 1}, .filter = 1, .flags = 1};
    EXPECT(cuTexObjectCreate(&texture, &from, &reading, NULL), 0);
    EXPECT(cuTexObjectDestroy(texture), 0);
}

int main(void)
{
    void *context, *module, *function, *plane, *solid, *none;
    uint8_t bytes[ALL];
    struct plane asked = {WIDTH, HEIGHT, U8, 1}, found = {0};
    struct solid asked_solid = {2, 3, 2, S32, 1, 0}, found_solid = {0};
    for (int i = 0; i < ALL; i++)
        bytes[i] = (uint8_t)(i * 7);
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuModuleLoadData(&module, ptx), 0);
    EXPECT(cuModuleGetFunction(&function, module, "turn"), 0);
    EXPECT(cuArrayCreate_v2(&plane, &asked), 0);
    EXPECT(cuArray3DCreate_v2(&solid, &asked_solid), 0);
    EXPECT(cuArrayGetDescriptor_v2(&found, plane), 0);
    EXPECT(memcmp(&found, &asked, sizeof found), 0);
    EXPECT(cuArray3DGetDescriptor_v2(&found_solid, solid), 0);
    EXPECT(found_solid.width == 2 && found_solid.height == 3 && found_solid.depth == 2, 1);
    EXPECT(found_solid.format == S32 && found_solid.channels == 1 && !found_solid.flags, 1);
    asked.channels = 3;
    EXPECT(cuArrayCreate_v2(&none, &asked), 1);
    asked.channels = 1;
    asked.format = 0x77;
    EXPECT(cuArrayCreate_v2(&none, &asked), 1);
    EXPECT(cuMemcpyHtoA_v2(plane, 0, bytes, sizeof bytes), 0);
    copy(plane, solid, bytes);
    turn(function, plane, bytes);
    capture_stderr();
    EXPECT(cuModuleGetTexRef(&none, module, "image"), 801);
    EXPECT_TEXT(captured_stderr(),
                "warplens: cuModuleGetTexRef is not supported by the simulated GPU and "
                "returned an error\n");
    EXPECT(cuArrayDestroy(plane), 0);
    EXPECT(cuArrayDestroy(plane), 400);
    EXPECT(cuArrayDestroy(solid), 0);
    return failures > 0;
}
