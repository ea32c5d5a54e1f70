/* A program of the CUDA driver API, as one that compiles at run time or an OpenACC runtime is. */
#include "program.h"

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuFuncSetBlockShape(void *function, int x, int y, int z);
int cuFuncSetSharedSize(void *function, unsigned bytes);
int cuParamSetSize(void *function, unsigned bytes);
int cuParamSeti(void *function, int offset, unsigned value);
int cuParamSetv(void *function, int offset, const void *value, unsigned bytes);
int cuLaunch(void *function);
int cuLaunchGrid(void *function, int width, int height);
int cuCtxAttach(void **context, unsigned flags);
int cuCtxDetach(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxSetCurrent(void *context);
int cuLibraryLoadData(void **library, const void *code, int *a, void **b, unsigned c, int *d,
                      void **e, unsigned f);
int cuLibraryGetKernelCount(unsigned *count, void *library);
int cuLibraryEnumerateKernels(void **kernels, unsigned count, void *library);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryUnload(void *library);
int cuCtxGetDevice(int *device);
int cuCtxSynchronize(void);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuModuleLoadData(void **module, const void *image);
int cuModuleLoad(void **module, const char *path);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *pointer, size_t *bytes, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                     size_t (*shared_of)(int), size_t shared, int limit);
int cuLinkCreate_v2(unsigned count, int *options, void **values, void **state);
int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, int *options,
                     void **values);
int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name,
                     unsigned count, int *options, void **values);
int cuLinkComplete(void *state, void **image, size_t *bytes);
int cuLinkDestroy(void *state);
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes);
int cuMemFree_v2(uint64_t pointer);
int cuMemGetAddressRange_v2(uint64_t *start, size_t *bytes, uint64_t pointer);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);
int cuGetExportTable(const void **table, const void *id);
int cuGetErrorName(int code, const char **name);
int cuGetErrorString(int code, const char **text);
int cuIpcCloseMemHandle(uint64_t pointer);

#define HEADER ".version 6.0\n.target sm_60\n.address_size 64\n"

static const char ptx[] =
    HEADER ".visible .global .align 4 .u32 base = 7;\n"
           ".visible .entry number(.param .u64 out, .param .u32 step)\n{\n"
           ".reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n"
           "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [step];\nmov.u32 %r2, %tid.x;\n"
           "ld.global.u32 %r3, [base];\nmad.lo.s32 %r4, %r2, %r1, %r3;\n"
           "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\n"
           "ret;\n}\n";

/* Libraries are of no context. */
static void load_library(void)
{
    void *library, *kernel;
    unsigned count = 0;
    EXPECT(cuModuleLoadData(&library, ptx), 201);
    EXPECT(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT(cuLibraryGetKernelCount(&count, library), 0);
    EXPECT(count > 0, 1);
    EXPECT(cuLibraryEnumerateKernels(&kernel, 1, library), 0);
    EXPECT(cuLibraryGetKernel(&kernel, library, "none"), 500);
    EXPECT(cuLibraryUnload(library), 0);
}

/* Gone when it was detached once for each use. */
static void check_detached(void)
{
    void *context = NULL, *same = NULL;
    int device;
    EXPECT(cuCtxAttach(&same, 0), 201);
    EXPECT(cuCtxDetach(&device), 201);
    EXPECT(cuCtxCreate_v2(&context, 0, 0), 0);
    EXPECT(cuCtxAttach(&same, 1), 1);
    EXPECT(cuCtxAttach(&same, 0), 0);
    EXPECT(same == context, 1);
    EXPECT(cuCtxDetach(context), 0);
    EXPECT(cuCtxGetDevice(&device), 0);
    EXPECT(cuCtxDetach(context), 0);
    EXPECT(cuCtxGetDevice(&device), 201);
}

static void begin(void)
{
    void *library;
    EXPECT(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), 3);
    int value, device;
    char name[64];
    void *context, *same;
    EXPECT(cuDeviceGet(&device, 0), 3);
    EXPECT(cuInit(1), 1);
    EXPECT(cuInit(0), 0);
    EXPECT(cuDeviceGetCount(&value), 0);
    EXPECT(value, 1);
    EXPECT(cuDeviceGet(&device, 1), 101);
    EXPECT(cuDeviceGet(&device, 0), 0);
    EXPECT(cuDeviceGetName(name, sizeof name, device), 0);
    EXPECT_TEXT(name, "NVIDIA H200");
    EXPECT(cuDeviceGetAttribute(&value, 75, device), 0);
    EXPECT(value, 9);
    EXPECT(cuCtxGetDevice(&device), 201);
    EXPECT(cuCtxSynchronize(), 201);
    EXPECT(cuCtxGetCurrent(&context), 0);
    EXPECT(context == NULL, 1);
    load_library();
    EXPECT(cuCtxCreate_v2(&context, 0, 0), 0);
    EXPECT(cuCtxGetDevice(&device), 0);
    EXPECT(cuCtxDestroy_v2(context), 0);
    EXPECT(cuCtxGetDevice(&device), 201);
    check_detached();
    EXPECT(cuDevicePrimaryCtxRelease_v2(0), 201);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuCtxAttach(&same, 0), 0);
    EXPECT(same == context, 1);
    EXPECT(cuCtxDetach(context), 0);
    EXPECT(cuCtxDetach(context), 0);
    EXPECT(cuCtxGetDevice(&device), 0);
}

static void expect_numbers(uint64_t out, unsigned step, unsigned base)
{
    unsigned got[32], wrong = 0;
    EXPECT(cuMemcpyDtoH_v2(got, out, sizeof got), 0);
    for (unsigned i = 0; i < 32; i++)
        wrong += got[i] != i * step + base;
    EXPECT(wrong, 0);
}

static void launch(void *module)
{
    void *function, *none;
    uint64_t out, start, base;
    size_t bytes;
    unsigned step = 3;
    int value, block;
    EXPECT(cuModuleGetFunction(&none, module, "nothing"), 500);
    EXPECT(cuModuleGetFunction(&function, module, "number"), 0);
    EXPECT(cuModuleGetGlobal_v2(&base, &bytes, module, "nothing"), 500);
    EXPECT(cuModuleGetGlobal_v2(&base, &bytes, module, "base"), 0);
    EXPECT(bytes, 4);
    EXPECT(cuMemAlloc_v2(&out, 0), 1);
    EXPECT(cuMemAlloc_v2(&out, 128), 0);
    EXPECT(cuMemGetAddressRange_v2(&start, &bytes, out + 100), 0);
    EXPECT(start == out && bytes == 128, 1);
    EXPECT(cuMemGetAddressRange_v2(&start, &bytes, 64), 500);

    void *parameters[] = {&out, &step};
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), 0);
    expect_numbers(out, 3, 7);
    EXPECT(cuMemsetD32_v2(base, 100, 1), 0);
    struct {
        uint64_t out;
        unsigned step;
    } packed = {out, 5};
    size_t packed_bytes = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_bytes, NULL};
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), 0);
    expect_numbers(out, 5, 100);

    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, extra), 1);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), 1);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, NULL, parameters, NULL), 1);
    packed_bytes = 64;
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), 701);
    EXPECT(cuFuncGetAttribute(&value, 0, function), 0);
    EXPECT(value, 1024);
    EXPECT(cuOccupancyMaxPotentialBlockSize(&value, &block, function, NULL, 0, 0), 0);
    EXPECT(block, 1024);
    EXPECT(value, 2 * 132);
    EXPECT(cuMemFree_v2(out + 4), 1);
    EXPECT(cuMemFree_v2(out), 0);
}

/* As before CUDA 4.0. */
static void launch_stepwise(void *module)
{
    void *function;
    uint64_t out;
    EXPECT(cuModuleGetFunction(&function, module, "number"), 0);
    EXPECT(cuMemAlloc_v2(&out, 128), 0);
    EXPECT(cuFuncSetBlockShape(NULL, 32, 1, 1), 400);
    EXPECT(cuFuncSetBlockShape(function, 32, 0, 1), 1);
    EXPECT(cuFuncSetBlockShape(function, 32, 33, 1), 1);
    EXPECT(cuFuncSetBlockShape(function, 32, 1, 1), 0);
    EXPECT(cuFuncSetSharedSize(function, 0), 0);
    EXPECT(cuParamSetv(function, 0, &out, sizeof out), 0);
    EXPECT(cuParamSeti(function, 8, 9), 0);
    EXPECT(cuParamSeti(function, 4093, 9), 1);
    EXPECT(cuParamSeti(function, -1, 9), 1);
    EXPECT(cuParamSetSize(function, 5000), 1);
    EXPECT(cuParamSetSize(function, 12), 0);
    EXPECT(cuLaunch(function), 0);
    expect_numbers(out, 9, 100);
    EXPECT(cuParamSeti(function, 8, 2), 0);
    EXPECT(cuLaunchGrid(function, 2, 0), 1);
    EXPECT(cuLaunchGrid(function, 2, 1), 0);
    expect_numbers(out, 2, 100);
    EXPECT(cuMemFree_v2(out), 0);
}

static void link_two(void)
{
    static char user[] = HEADER ".extern .global .align 4 .u32 elsewhere;\n"
                                ".visible .entry copy(.param .u64 out)\n{\n"
                                ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\n"
                                "ld.global.u32 %r1, [elsewhere];\nst.global.u32 [%rd1], %r1;\n"
                                "ret;\n}\n";
    static char owner[] = HEADER ".visible .global .align 4 .u32 elsewhere = 99;\n";
    void *state, *image, *module, *function;
    size_t bytes;
    uint64_t out;
    unsigned got = 0;
    EXPECT(cuLinkCreate_v2(0, NULL, NULL, &state), 0);
    EXPECT(cuLinkAddData_v2(state, 1, user, sizeof user, "user", 0, NULL, NULL), 0);
    EXPECT(cuLinkAddData_v2(state, 1, owner, sizeof owner, "owner", 0, NULL, NULL), 0);
    FILE *file = fopen("libcudadevrt.a", "w");
    EXPECT(file != NULL && fputs("!<arch>\n", file) >= 0 && fclose(file) == 0, 1);
    EXPECT(cuLinkAddFile_v2(state, 4, "libcudadevrt.a", 0, NULL, NULL), 0);
    EXPECT(cuLinkAddFile_v2(NULL, 4, "libcudadevrt.a", 0, NULL, NULL), 400);
    EXPECT(cuLinkAddFile_v2(state, 4, "./none/libcudadevrt.a", 0, NULL, NULL), 301);
    EXPECT(remove("libcudadevrt.a"), 0);
    EXPECT(cuLinkComplete(state, &image, &bytes), 0);
    EXPECT(cuModuleLoadData(&module, image), 0);
    EXPECT(cuLinkDestroy(state), 0);
    EXPECT(cuModuleGetFunction(&function, module, "copy"), 0);
    EXPECT(cuMemAlloc_v2(&out, 4), 0);
    void *parameters[] = {&out};
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), 0);
    EXPECT(cuMemcpyDtoH_v2(&got, out, 4), 0);
    EXPECT(got, 99);
}

static void load_wrong_images(void)
{
    void *module;
    EXPECT(cuModuleLoadData(&module, "garbage"), 200);
    EXPECT(cuModuleLoad(&module, "/nonexistent"), 301);
    capture_stderr();
    int code = cuModuleLoadData(&module, "\177ELF");
    captured_stderr();
    EXPECT(code, 209);
}

static void look_up_functions(void)
{
    void *function;
    int status;
    const char *text;
    EXPECT(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status), 0);
    EXPECT(status, 0);
    EXPECT(function == (void *)(uintptr_t)cuMemAlloc_v2, 1);
    EXPECT(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 2, &status), 0);
    EXPECT(status == 0 && function, 1);
    EXPECT(cuGetProcAddress_v2("cuNothing", &function, 12000, 0, &status), 0);
    EXPECT(status == 1 && !function, 1);
    EXPECT(cuGetProcAddress_v2("cuIpcCloseMemHandle", &function, 12000, 0, &status), 0);
    EXPECT(function == (void *)(uintptr_t)cuIpcCloseMemHandle, 1);
    EXPECT(cuGetErrorName(209, &text), 0);
    EXPECT_TEXT(text, "CUDA_ERROR_NO_BINARY_FOR_GPU");
    EXPECT(cuGetErrorString(2, &text), 0);
    EXPECT_TEXT(text, "out of memory");
    EXPECT(cuGetErrorName(12345, &text), 1);
}

static void be_a_static_runtime(void)
{
    const void *table = &table;
    char id[16] = {0};
    capture_stderr();
    int first = cuGetExportTable(&table, id), second = cuGetExportTable(&table, id);
    const char *said = captured_stderr();
    EXPECT(first, 801);
    EXPECT(second, 801);
    EXPECT(table == NULL, 1);
    EXPECT_TEXT(said, "warplens: the program holds NVIDIA's own CUDA runtime, which runs on "
                      "NVIDIA's driver only; relink it with NVCC_APPEND_FLAGS=\"-cudart=shared "
                      "-lineinfo\" (CMake: -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, and CUDA::cudart "
                      "in place of CUDA::cudart_static)\n");
}

int main(void)
{
    void *module;
    begin();
    EXPECT(cuModuleLoadData(&module, ptx), 0);
    launch(module);
    launch_stepwise(module);
    EXPECT(cuModuleUnload(module), 0);
    link_two();
    load_wrong_images();
    look_up_functions();
    be_a_static_runtime();
    return failures != 0;
}
