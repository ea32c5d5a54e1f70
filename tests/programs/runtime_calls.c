/* A program of the CUDA runtime API as nvcc and clang make them, built for both major versions. */
#include "runtime.h"

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .global .align 4 .u32 factor = 3;\n"
    ".visible .const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
    ".visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 11;\n"
    /* out[i] = in[i] * factor + table[i % 4] + three.z */
    ".visible .entry scale(.param .u64 out, .param .u64 in, .param .align 4 .b8 three[12])\n{\n"
    ".reg .b32 %r<12>;\n.reg .b64 %rd<10>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\nld.param.u32 %r9, [three+8];\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "ld.global.u32 %r5, [%rd4];\nld.global.u32 %r6, [factor];\nand.b32 %r7, %r4, 3;\n"
    "mul.wide.u32 %rd5, %r7, 4;\nmov.u64 %rd6, table;\nadd.s64 %rd7, %rd6, %rd5;\n"
    "ld.const.u32 %r8, [%rd7];\nmad.lo.s32 %r10, %r5, %r6, %r8;\nadd.s32 %r11, %r10, %r9;\n"
    "add.s64 %rd8, %rd1, %rd3;\nst.global.u32 [%rd8], %r11;\nret;\n}\n"
    ".visible .entry bump()\n{\n.reg .b32 %r<3>;\nld.global.u32 %r1, [shared_with_host];\n"
    "add.s32 %r2, %r1, 1;\nst.global.u32 [shared_with_host], %r2;\nret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nmov.u64 %rd1, 64;\n"
    "mov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";

static char scale_stub, bump_stub, wild_stub, missing_stub, factor_shadow, table_shadow;
static uint32_t *managed;
static uint32_t *in, *out;
static const struct dim3 two = {2, 1, 1}, wide = {64, 1, 1}, one = {1, 1, 1};
enum { COUNT = 128 };

static void expect_scaled(uint32_t factor, uint32_t add)
{
    static uint32_t got[COUNT];
    EXPECT(cudaMemcpy(got, out, sizeof got, DEVICE_TO_HOST), 0);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        wrong += got[i] != i * factor + i % 4 + 1 + add;
    EXPECT(wrong, 0);
    EXPECT(cudaMemset(out, 0, sizeof got), 0);
}

static void launch_in_every_way(void)
{
    struct dim3 three = {7, 8, 9};
    void *args[] = {&out, &in, &three};
    EXPECT(cudaLaunchKernel(&scale_stub, two, wide, args, 0, NULL), 0);
    expect_scaled(3, 9);
    three.z = 1;
    EXPECT(cudaLaunchKernel_ptsz(&scale_stub, two, wide, args, 0, NULL), 0);
    expect_scaled(3, 1);

    void *kernel = NULL, *stream = &kernel;
    struct dim3 grid, block;
    size_t shared = 1;
    EXPECT(__cudaGetKernel(&kernel, &scale_stub), 0);
    EXPECT(__cudaPushCallConfiguration(two, wide, 0, NULL), 0);
    EXPECT(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 0);
    EXPECT(grid.x + block.x + shared + (size_t)stream, 66);
    EXPECT(__cudaLaunchKernel(kernel, grid, block, args, shared, stream), 0);
    expect_scaled(3, 1);
    EXPECT(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 52);

    EXPECT(cudaConfigureCall(two, wide, 0, NULL), 0);
    EXPECT(cudaSetupArgument(&out, 8, 0), 0);
    EXPECT(cudaSetupArgument(&in, 8, 8), 0);
    EXPECT(cudaSetupArgument(&three, 12, 16), 0);
    EXPECT(cudaLaunch(&scale_stub), 0);
    expect_scaled(3, 1);
}

static void use_variables(void)
{
    uint32_t factor = 10, got = 0;
    struct dim3 three = {0, 0, 0};
    void *args[] = {&out, &in, &three}, *address;
    size_t bytes;
    EXPECT(cudaMemcpyToSymbol(&factor_shadow, &factor, 4, 0, HOST_TO_DEVICE), 0);
    EXPECT(cudaLaunchKernel(&scale_stub, two, wide, args, 0, NULL), 0);
    expect_scaled(10, 0);
    EXPECT(cudaMemcpyFromSymbol(&got, &table_shadow, 4, 8, DEVICE_TO_HOST), 0);
    EXPECT(got, 3);
    EXPECT(cudaGetSymbolSize(&bytes, &table_shadow), 0);
    EXPECT(bytes, 16);
    EXPECT(cudaGetSymbolAddress(&address, &factor_shadow), 0);
    EXPECT(cudaMemcpy(&got, address, 4, DEVICE_TO_HOST), 0);
    EXPECT(got, 10);
    EXPECT(cudaMemcpyToSymbol(&table_shadow, &factor, 4, 13, HOST_TO_DEVICE), 1);
    EXPECT(cudaMemcpyToSymbol(&got, &factor, 4, 0, HOST_TO_DEVICE), 13);
    EXPECT(cudaMemcpyToSymbol(&factor_shadow, &factor, 4, 0, DEVICE_TO_HOST), 21);

    EXPECT(*managed, 11);
    *managed = 20;
    EXPECT(cudaLaunchKernel(&bump_stub, one, one, NULL, 0, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(*managed, 21);
}

static void read_properties(int version)
{
    static unsigned char properties[2048];
    int value;
    size_t memory;
    memset(properties, 0xee, sizeof properties);
    if (version >= 13000)
        EXPECT(cudaGetDeviceProperties(properties, 0), 0);
    else
        EXPECT(cudaGetDeviceProperties_v2(properties, 0), 0);
    EXPECT_TEXT((const char *)properties, "NVIDIA H200");
    memcpy(&memory, properties + 288, 8);
    EXPECT(memory > (size_t)100 << 30, 1);
    memcpy(&value, properties + 320, 4);
    EXPECT(value, 1024);
    memcpy(&value, properties + 360, 4);
    EXPECT(value, 9);
    memcpy(&value, properties + (version >= 13000 ? 384 : 388), 4);
    EXPECT(value, 132);
    size_t bytes = version >= 13000 ? 1008 : 1032;
    EXPECT(properties[bytes - 1], 0);
    EXPECT(properties[bytes], 0xee); /* not one byte further */
    EXPECT(cudaGetDeviceProperties(properties, 1), 101);
    EXPECT(cudaDeviceGetAttribute(&value, 16, 0), 0);
    EXPECT(value, 132);
}

static void use_memory(void)
{
    void *pinned, *device, *managed_block;
    size_t pitch;
    unsigned char attributes[88];
    int type;
    EXPECT(cudaHostAlloc(&pinned, 4 * COUNT, 2), 0);
    EXPECT(cudaHostGetDevicePointer(&device, pinned, 0), 0);
    uint32_t *kept = in;
    for (uint32_t i = 0; i < COUNT; i++)
        ((uint32_t *)pinned)[i] = i;
    in = device; /* kernels read pinned memory */
    struct dim3 three = {0, 0, 5};
    void *args[] = {&out, &in, &three};
    EXPECT(cudaLaunchKernel(&scale_stub, two, wide, args, 0, NULL), 0);
    expect_scaled(10, 5);
    in = kept;
    EXPECT(cudaFreeHost(pinned), 0);

    EXPECT(cudaMallocManaged(&managed_block, 100, 1), 0);
    EXPECT(cudaPointerGetAttributes(attributes, managed_block), 0);
    memcpy(&type, attributes, 4);
    EXPECT(type, 3);
    EXPECT(cudaFree(managed_block), 0);
    EXPECT(cudaPointerGetAttributes(attributes, &type), 0);
    memcpy(&type, attributes, 4);
    EXPECT(type, 0);

    char host[3][4] = {"abc", "def", "ghi"}, back[3][4] = {{0}};
    EXPECT(cudaMallocPitch(&device, &pitch, 4, 3), 0);
    EXPECT(pitch, 512);
    EXPECT(cudaMemcpy2D(device, pitch, host, 4, 4, 3, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy2D(back, 4, device, pitch, 4, 3, DEVICE_TO_HOST), 0);
    EXPECT(memcmp(host, back, sizeof host), 0);
    EXPECT(cudaMemcpy2D(device, 1, host, 2, 4, 1, HOST_TO_DEVICE), 1);
    EXPECT(cudaMemcpy2D(device, 4, host, 2, 4, 1, HOST_TO_DEVICE), 1);
    EXPECT(cudaMemcpy2D(device, 0, host, 4, 4, 1, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy2D(device, 1, host, 2, 4, 0, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy2D(device, 1, host, 2, 0, 3, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpy2D(device, pitch, host, 2, 4, 2, HOST_TO_DEVICE), 12);
    EXPECT(cudaMemcpy_ptds(device, host, 3 * 512 + 1, HOST_TO_DEVICE), 1);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudaFree(device), 1);
    EXPECT(cudaPeekAtLastError(), 1);
    EXPECT(cudaGetLastError(), 1);
    EXPECT(cudaGetLastError(), 0);
}

static int called;

static void host_function(void *data)
{
    called += *(int *)data;
}

static void stream_callback(void *stream, int status, void *data)
{
    (void)stream;
    called += status + *(int *)data;
}

static void use_streams(void)
{
    void *stream, *start, *end;
    int step = 5;
    float ms = 0;
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaEventCreate(&start), 0);
    EXPECT(cudaEventCreate(&end), 0);
    EXPECT(cudaEventRecord(start, stream), 0);
    EXPECT(cudaLaunchKernel(&bump_stub, one, one, NULL, 0, stream), 0);
    EXPECT(cudaEventRecord(end, stream), 0);
    EXPECT(cudaEventSynchronize(end), 0);
    EXPECT(cudaEventElapsedTime(&ms, start, end), 0);
    EXPECT(ms > 0, 1);
    EXPECT(cudaStreamAddCallback(stream, stream_callback, &step, 0), 0);
    EXPECT(cudaLaunchHostFunc(stream, host_function, &step), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(called, 10);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaStreamDestroy(stream), 400);
    EXPECT(cudaLaunchKernel(&bump_stub, one, one, NULL, 0, stream), 400);
    EXPECT(cudaGetLastError(), 400);
}

/* The driver's functions, as a program that is not linked to it asks for them. */
static void find_the_driver(void)
{
    void *function = NULL;
    int (*count_devices)(int *), count = 0, status = -1;
    EXPECT(cudaGetDriverEntryPoint("cuDeviceGetCount", &function, 0, &status), 0);
    EXPECT(status, 0);
    memcpy(&count_devices, &function, sizeof function);
    EXPECT(count_devices && count_devices(&count) == 0, 1);
    EXPECT(count, 1);
    EXPECT(cudaGetDriverEntryPointByVersion("cuFrobnicate", &function, 12000, 0, &status), 0);
    EXPECT(status, 1);
    EXPECT(function == NULL, 1);
    EXPECT(cudaGetDriverEntryPointByVersion("cuFrobnicate", &function, 12000, 0, NULL), 500);
    EXPECT(cudaGetLastError(), 500);
    EXPECT(cudaGetDriverEntryPoint(NULL, &function, 0, &status), 1);
    EXPECT(cudaGetLastError(), 1);
}

static void make_errors(int version)
{
    struct dim3 none = {0, 1, 1};
    struct {
        size_t shared, constant, local;
        int numbers[30];
    } attributes;
    int blocks, bad_shape = version >= 13000 ? 1 : 9, unknown = version >= 13000 ? 400 : 98;
    EXPECT(cudaLaunchKernel(&bump_stub, none, one, NULL, 0, NULL), bad_shape);
    EXPECT(cudaLaunchKernel(&unknown, one, one, NULL, 0, NULL), unknown);
    EXPECT(cudaLaunchKernel(&missing_stub, one, one, NULL, 0, NULL), 98);
    EXPECT(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), 98);
    EXPECT(cudaLaunchKernel(&bump_stub, one, one, NULL, 49153, NULL), 1);
    EXPECT(cudaFuncSetAttribute(&bump_stub, 8, 60000), 0);
    EXPECT(cudaLaunchKernel(&bump_stub, one, one, NULL, 49153, NULL), 0);
    EXPECT(cudaFuncGetAttributes(&attributes, &bump_stub), 0);
    EXPECT(attributes.numbers[0], 1024);
    EXPECT(attributes.numbers[5], 60000);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &bump_stub, 1024, 0), 0);
    EXPECT(blocks, 2);
    EXPECT(cudaSetDevice(1), 101);
    EXPECT_TEXT(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    EXPECT_TEXT(cudaGetErrorString(700), "an illegal memory access was encountered");
    EXPECT_TEXT(cudaGetErrorString(12345), "unrecognized error code");
    cudaGetLastError();
}

static void call_what_is_not_there(void)
{
    capture_stderr();
    int first = cudaIpcCloseMemHandle(NULL), second = cudaIpcCloseMemHandle(NULL);
    const char *said = captured_stderr();
    EXPECT(first, 801);
    EXPECT(second, 801);
    EXPECT_TEXT(said, "warplens: cudaIpcCloseMemHandle is not supported by the simulated GPU and "
                      "returned an error\n");
    EXPECT(cudaGetLastError(), 801);
}

static void break_the_context(void)
{
    void *address;
    capture_stderr();
    int launched = cudaLaunchKernel(&wild_stub, one, one, NULL, 0, NULL);
    const char *said = captured_stderr();
    EXPECT(launched, 0);
    EXPECT(strncmp(said, "warplens: kernel wild stopped: illegal memory access", 52), 0);
    EXPECT(cudaPeekAtLastError(), 0);
    EXPECT(cudaDeviceSynchronize(), 700);
    EXPECT(cudaGetLastError(), 700);
    EXPECT(cudaMalloc(&address, 4), 700);
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(cudaGetLastError(), 0);
    EXPECT(cudaMalloc(&address, 4), 0);
    EXPECT(*managed, 11); /* as at the start */
}

int main(void)
{
    struct fatbin_wrapper wrapper = make_fatbin(ptx);
    uint32_t numbers[COUNT];
    int version = 0, count = 0;
    void **handle = __cudaRegisterFatBinary(&wrapper);
    register_kernel(handle, &scale_stub, "scale");
    register_kernel(handle, &bump_stub, "bump");
    register_kernel(handle, &wild_stub, "wild");
    register_kernel(handle, &missing_stub, "missing");
    __cudaRegisterVar(handle, &factor_shadow, NULL, "factor", 0, 4, 0, 0);
    __cudaRegisterVar(handle, &table_shadow, NULL, "table", 0, 16, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)&managed, NULL, "shared_with_host", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);

    EXPECT(cudaRuntimeGetVersion(&version), 0);
    EXPECT(cudaGetDeviceCount(&count), 0);
    EXPECT(count, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i;
    EXPECT(cudaMalloc((void **)&in, sizeof numbers), 0);
    EXPECT(cudaMalloc((void **)&out, sizeof numbers), 0);
    EXPECT(cudaMemcpyAsync(in, numbers, sizeof numbers, HOST_TO_DEVICE, NULL), 0);
    launch_in_every_way();
    use_variables();
    read_properties(version);
    use_memory();
    use_streams();
    find_the_driver();
    make_errors(version);
    call_what_is_not_there();
    break_the_context();
    __cudaUnregisterFatBinary(handle);
    free((void *)(uintptr_t)wrapper.data);
    return failures != 0;
}
