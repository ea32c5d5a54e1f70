/* What programs of CUDA 11 give and take otherwise: its structs are shorter, and some calls have
 * other arguments. */
#include "runtime.h"

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p0)\n"
    "{\n"
    "\t.reg .b64 %a;\n"
    "\t.reg .b32 %v;\n"
    "\tld.param.u64 %a, [p0];\n"
    "\tld.global.u32 %v, [%a];\n"
    "\tadd.u32 %v, %v, %v;\n"
    "\tst.global.u32 [%a], %v;\n"
    "\tret;\n"
    "}\n"
    ".visible .global .texref plain;\n"
    ".global .texref _ZN5space5bytesE;\n"
    ".visible .entry fetch(.param .u64 p0)\n"
    "{\n"
    "\t.reg .b64 %a;\n"
    "\t.reg .b32 %i;\n"
    "\t.reg .f32 %f<8>, %x;\n"
    "\tld.param.u64 %a, [p0];\n"
    "\tmov.u32 %i, 2;\n"
    "\tmov.f32 %x, 0f40000000; // 2\n"
    "\ttex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [plain, {%i}];\n"
    "\ttex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [_ZN5space5bytesE, {%x, %x}];\n"
    "\tst.global.v2.f32 [%a], {%f0, %f4};\n"
    "\tret;\n"
    "}\n";
static const char twice, fetch;

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphInstantiate(void **executable, void *graph, void **node, char *log, size_t log_bytes);
int cudaGraphExecUpdate(void *executable, void *graph, void **node, int *result);
int cudaGraphLaunch(void *executable, void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id);

struct channels {
    int bits[4], kind;
};
struct reference {
    int is_normalized, filter, edges[3];
    struct channels channels;
    int more[24];
};
static struct reference plain, bytes_reference = {.filter = 1, .edges = {1, 1, 1}};

void __cudaRegisterTexture(void **handle, const void *shadow, const void **device_address,
                           const char *name, int dimensions, int reads_float, int is_extern);
int cudaBindTexture(size_t *offset, const void *reference, const void *memory,
                    const struct channels *channels, size_t size);
int cudaBindTexture2D(size_t *offset, const void *reference, const void *memory,
                      const struct channels *channels, size_t width, size_t height, size_t pitch);
int cudaUnbindTexture(const void *reference);
int cudaGetTextureReference(const void **reference, const void *symbol);

enum { INVALID_TEXTURE = 18, UNSIGNED = 1, FLOAT = 2, WIDTH = 4, PITCH = 32 };

/* What lies before a texture's first element is told; filtering is as the program's variable says
 * when it is bound. */
static void textures(void)
{
    static const struct channels floats = {{32, 0, 0, 0}, FLOAT}, bytes = {{8, 0, 0, 0}, UNSIGNED};
    float *numbers, got[2];
    unsigned char *plane;
    size_t offset = 1;
    const void *found;
    void *out;
    void *arguments[] = {&out};
    EXPECT(cudaMalloc((void **)&numbers, 64), 0);
    EXPECT(cudaMalloc((void **)&plane, PITCH * WIDTH), 0);
    EXPECT(cudaMalloc(&out, sizeof got), 0);
    for (int i = 0; i < 16; i++)
        numbers[i] = (float)i;
    for (int y = 0; y < WIDTH; y++)
        for (int x = 0; x < WIDTH; x++)
            plane[y * PITCH + x] = (unsigned char)(16 * y + x);
    EXPECT(cudaBindTexture(&offset, &plain, numbers + 4, &floats, 32), 0);
    EXPECT(offset, 16);
    EXPECT(cudaBindTexture(NULL, &plain, numbers + 4, &floats, 32), 1);
    EXPECT(cudaBindTexture(&offset, &floats, numbers, &floats, 32), INVALID_TEXTURE);
    EXPECT(cudaBindTexture(&offset, &plain, numbers, &floats, ~0u), 0); /* as much as there is */
    EXPECT(offset, 0);
    EXPECT(cudaBindTexture2D(NULL, &bytes_reference, plane, &bytes, WIDTH, WIDTH, PITCH), 0);
    EXPECT(cudaGetTextureReference(&found, &plain), 0);
    EXPECT(found == &plain, 1);
    EXPECT(cudaLaunchKernel(&fetch, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, arguments, 0,
                            NULL),
           0);
    EXPECT(cudaMemcpy(got, out, sizeof got, DEVICE_TO_HOST), 0);
    EXPECT(got[0], 2);
    EXPECT((int)(got[1] * 255 * 2 + 0.5f), 17 + 34); /* between the second and third of both */
    EXPECT(cudaUnbindTexture(&plain), 0);
    EXPECT(cudaUnbindTexture(&floats), INVALID_TEXTURE);
}

enum {
    CARVEOUT = 48,
    ATTRIBUTES_BYTES = 56,
    PROPERTIES_BYTES = 728,
    MINOR = 364,
    UNTOUCHED = 0x5a
};

/* Not a byte more is written than the caller's struct has. */
static void structs(void)
{
    unsigned char bytes[1100];
    int minor, version;
    memset(bytes, UNTOUCHED, sizeof bytes);
    EXPECT(cudaFuncGetAttributes(bytes, &twice), 0);
    EXPECT(bytes[CARVEOUT], 0xff); /* -1 */
    EXPECT(bytes[ATTRIBUTES_BYTES], UNTOUCHED);
    memset(bytes, UNTOUCHED, sizeof bytes);
    EXPECT(cudaGetDeviceProperties(bytes, 0), 0);
    memcpy(&minor, bytes + MINOR, sizeof minor);
    EXPECT(minor, 0);
    EXPECT(bytes[PROPERTIES_BYTES - 1] != UNTOUCHED, 1);
    EXPECT(bytes[PROPERTIES_BYTES], UNTOUCHED);
    EXPECT(cudaRuntimeGetVersion(&version), 0);
    EXPECT(version, 11080);
}

static void graphs(void)
{
    int *memory, got = 3, status = 0, result = 7;
    void *stream, *graph, *executable, *node = &got;
    unsigned long long id = 0;
    void *arguments[] = {&memory};
    EXPECT(cudaMalloc((void **)&memory, sizeof got), 0);
    EXPECT(cudaMemcpy(memory, &got, sizeof got, HOST_TO_DEVICE), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
    EXPECT(cudaLaunchKernel(&twice, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, arguments, 0,
                            stream),
           0);
    EXPECT(cudaStreamGetCaptureInfo(stream, &status, &id), 0);
    EXPECT(status == 1 && id != 0, 1);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    char log[8] = "log";
    EXPECT(cudaGraphInstantiate(&executable, graph, &node, log, sizeof log), 0);
    EXPECT(cudaGraphExecUpdate(executable, graph, &node, &result), 0);
    EXPECT(node == NULL && result == 0, 1);
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(cudaMemcpy(&got, memory, sizeof got, DEVICE_TO_HOST), 0);
    EXPECT(got, 6);
}

int main(void)
{
    struct fatbin_wrapper wrapper = make_fatbin(ptx);
    void **handle = __cudaRegisterFatBinary(&wrapper), *function = NULL;
    register_kernel(handle, &twice, "twice");
    register_kernel(handle, &fetch, "fetch");
    __cudaRegisterTexture(handle, &plain, NULL, "::plain", 1, 0, 0);
    __cudaRegisterTexture(handle, &bytes_reference, NULL, "::space::bytes", 2, 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
    structs();
    graphs();
    /* three arguments: what is in place of the fourth is not written to */
    EXPECT(cudaGetDriverEntryPoint("cuInit", &function, 0, (int *)8), 0);
    EXPECT(function != NULL, 1);
    EXPECT(cudaGetDriverEntryPoint("cuNothing", &function, 0, (int *)8), 500);
    textures();
    return failures != 0;
}
