/* Arrays, texture and surface objects of the runtime API: what its calls answer is what they
 * answered on an H200. */
#include "runtime.h"

struct channels { /* cudaChannelFormatDesc */
    int x, y, z, w, kind;
};
struct extent {
    size_t width, height, depth;
};
struct pitched { /* cudaPitchedPtr */
    void *address;
    size_t pitch, width, height;
};
struct copy_3d { /* cudaMemcpy3DParms */
    void *from_array;
    struct extent from_position;
    struct pitched from;
    void *to_array;
    struct extent to_position;
    struct pitched to;
    struct extent extent;
    int direction;
};
struct resource { /* cudaResourceDesc */
    int kind;
    union {
        void *array;
        struct {
            void *address;
            struct channels channels;
            size_t size_bytes;
        } linear;
        struct {
            void *address;
            struct channels channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    };
    unsigned flags;
};
struct reading { /* cudaTextureDesc */
    int edges[3], filter, read_mode, is_srgb;
    float border[4];
    int is_normalized;
    unsigned anisotropy;
    int level_filter;
    float level[3];
    int others[2];
};

struct channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
int cudaMallocArray(void **array, const struct channels *channels, size_t width, size_t height,
                    unsigned flags);
int cudaMalloc3DArray(void **array, const struct channels *channels, struct extent extent,
                      unsigned flags);
int cudaFreeArray(void *array);
int cudaArrayGetInfo(struct channels *channels, struct extent *extent, unsigned *flags,
                     void *array);
int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *from, size_t pitch,
                        size_t width, size_t height, int direction);
int cudaMemcpy2DFromArray(void *to, size_t pitch, void *array, size_t x, size_t y, size_t width,
                          size_t height, int direction);
int cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, void *from, size_t from_x,
                             size_t from_y, size_t width, size_t height, int direction);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from, size_t bytes,
                      int direction);
int cudaMemcpyFromArray(void *to, void *array, size_t x, size_t y, size_t bytes, int direction);
int cudaMemcpy3D(const struct copy_3d *copy);
int cudaCreateTextureObject(unsigned long long *texture, const struct resource *resource,
                            const struct reading *reading, const void *view);
int cudaDestroyTextureObject(unsigned long long texture);
int cudaGetTextureObjectResourceDesc(struct resource *resource, unsigned long long texture);
int cudaGetTextureObjectTextureDesc(struct reading *reading, unsigned long long texture);
int cudaCreateSurfaceObject(unsigned long long *surface, const struct resource *resource);
int cudaDestroySurfaceObject(unsigned long long surface);
int cudaFree(void *address);

enum { SIGNED, UNSIGNED, FLOAT };
enum { ARRAY = 0, LINEAR = 2, PITCHED = 3 };
enum { LAYERED = 1, CUBE = 4 };

static const struct channels word = {32, 0, 0, 0, SIGNED};

static void make_arrays(void)
{
    void *array;
    struct channels found;
    struct extent extent;
    unsigned flags = 9;
    struct channels three = cudaCreateChannelDesc(8, 8, 8, 0, UNSIGNED);
    EXPECT(cudaMallocArray(&array, &three, 8, 4, 0), 20);
    EXPECT(cudaMallocArray(&array, &word, 0, 4, 0), 1);
    EXPECT(cudaMallocArray(&array, &word, 200000, 200000, 0), 1);
    EXPECT(cudaMalloc3DArray(&array, &word, (struct extent){8, 8, 5}, CUBE), 1);
    EXPECT(cudaMalloc3DArray(&array, &word, (struct extent){8, 8, 5}, 0x1000), 1);
    EXPECT(cudaMalloc3DArray(&array, &word, (struct extent){8, 0, 5}, LAYERED), 0);
    EXPECT(cudaFreeArray(array), 0);
    EXPECT(cudaFreeArray(array), 400);
    EXPECT(cudaFreeArray(NULL), 0);
    EXPECT(cudaMallocArray(&array, &word, 8, 4, 0), 0);
    EXPECT(cudaArrayGetInfo(&found, &extent, &flags, array), 0);
    EXPECT(found.x == 32 && found.y == 0 && found.kind == SIGNED, 1);
    EXPECT(extent.width == 8 && extent.height == 4 && extent.depth == 0 && flags == 0, 1);
    EXPECT(cudaFreeArray(array), 0);
}

static void copy_planes(void)
{
    int host[32], back[32] = {0}, wrong = 0;
    void *array, *other;
    for (int i = 0; i < 32; i++)
        host[i] = i;
    EXPECT(cudaMallocArray(&array, &word, 8, 4, 0), 0);
    EXPECT(cudaMallocArray(&other, &word, 8, 4, 0), 0);
    EXPECT(cudaMemcpy2DToArray(array, 4, 0, host, 32, 32, 4, HOST_TO_DEVICE), 1);
    EXPECT(cudaMemcpy2DToArray(array, 0, 0, host, 16, 32, 4, HOST_TO_DEVICE), 12);
    EXPECT(cudaMemcpyToArray(array, 0, 1, host, 96, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpyToArray(array, 0, 1, host, 100, HOST_TO_DEVICE), 1);
    EXPECT(cudaMemcpyToArray(array, 8, 1, host, 50, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, HOST_TO_DEVICE), 0);
    /* two rows of three, from (5, 1), to (0, 2) of another */
    EXPECT(cudaMemcpy2DArrayToArray(other, 0, 8, array, 0, 0, 4, 1, 3), 1);
    EXPECT(cudaMemcpy2DArrayToArray(other, 0, 2, array, 20, 1, 12, 2, 3), 0);
    EXPECT(cudaMemcpy2DFromArray(back, 12, other, 0, 2, 12, 2, DEVICE_TO_HOST), 0);
    for (int i = 0; i < 6; i++)
        wrong += back[i] != 13 + i % 3 + i / 3 * 8;
    /* bytes in the order of rows, beginning within one */
    EXPECT(cudaMemcpyFromArray(back, array, 28, 1, 72, DEVICE_TO_HOST), 1);
    EXPECT(cudaMemcpyFromArray(back, array, 28, 1, 68, DEVICE_TO_HOST), 0);
    for (int i = 0; i < 17; i++)
        wrong += back[i] != 15 + i;
    EXPECT(wrong, 0);
    EXPECT(cudaFreeArray(array), 0);
    EXPECT(cudaFreeArray(other), 0);
}

static void copy_boxes(void)
{
    short host[2 * 3 * 4], back[8] = {0};
    void *array;
    const struct channels half_words = {16, 0, 0, 0, SIGNED};
    for (short i = 0; i < 24; i++)
        host[i] = i;
    EXPECT(cudaMalloc3DArray(&array, &half_words, (struct extent){2, 3, 4}, 0), 0);
    struct copy_3d in = {.from = {host, 4, 2, 3},
                         .to_array = array,
                         .extent = {2, 3, 4},
                         .direction = HOST_TO_DEVICE};
    EXPECT(cudaMemcpy3D(&in), 0);
    in.to_position.depth = 1;
    EXPECT(cudaMemcpy3D(&in), 1);
    struct copy_3d out = {.from_array = array,
                          .from_position = {1, 1, 2},
                          .to = {back, 2, 1, 2},
                          .extent = {1, 2, 2},
                          .direction = DEVICE_TO_HOST};
    EXPECT(cudaMemcpy3D(&out), 0);
    EXPECT(back[0] == 15 && back[1] == 17 && back[2] == 21 && back[3] == 23, 1);
    EXPECT(cudaFreeArray(array), 0);
    EXPECT(cudaMemcpy3D(&out), 400);
}

static void make_textures(void)
{
    void *array, *memory;
    unsigned long long texture = 0;
    struct reading reading = {.filter = 1}, found = {0};
    EXPECT(cudaMallocArray(&array, &word, 8, 4, 0), 0);
    struct resource resource = {.kind = ARRAY, .array = array}, kept = {0};
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 26);
    reading.read_mode = 1;
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 26);
    reading.filter = 0;
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 27);
    reading = (struct reading){.edges = {1, 2, 3}, .border = {1, 2, 3, 4}, .is_normalized = 1};
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 0);
    EXPECT(cudaGetTextureObjectTextureDesc(&found, texture), 0);
    EXPECT(memcmp(&found, &reading, sizeof found), 0);
    EXPECT(cudaGetTextureObjectResourceDesc(&kept, texture), 0);
    EXPECT(kept.kind == ARRAY && kept.array == array, 1);
    EXPECT(cudaDestroyTextureObject(texture), 0);
    EXPECT(cudaGetTextureObjectTextureDesc(&found, texture), 1);
    EXPECT(cudaDestroyTextureObject(99), 0);
    EXPECT(cudaCreateSurfaceObject(&texture, &resource), 0);
    EXPECT(cudaDestroySurfaceObject(texture), 0);

    EXPECT(cudaMalloc(&memory, 4096), 0);
    resource = (struct resource){.kind = LINEAR, .linear = {(char *)memory + 4, word, 64}};
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 1);
    resource.linear.address = memory;
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 0);
    resource = (struct resource){.kind = PITCHED, .pitched = {memory, word, 8, 4, 36}};
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 1);
    resource.pitched.pitch = 32;
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, NULL), 0);
    EXPECT(cudaCreateSurfaceObject(&texture, &resource), 1);
    capture_stderr();
    EXPECT(cudaCreateTextureObject(&texture, &resource, &reading, &resource), 801);
    EXPECT_TEXT(captured_stderr(),
                "warplens: cudaCreateTextureObject with a resource view is not supported "
                "by the simulated GPU and returned an error\n");
    EXPECT(cudaFree(memory), 0);
    EXPECT(cudaFreeArray(array), 0);
}

int main(void)
{
    make_arrays();
    copy_planes();
    copy_boxes();
    make_textures();
    return failures > 0;
}
