/* A program that compiles at run time and asks for machine code. Skipped (77) without the toolkit.
 */
#include "program.h"

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(void **program, const char *source, const char *name, int count,
                       const char *const *headers, const char *const *names);
int nvrtcCompileProgram(void *program, int count, const char *const *options);
int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBIN(void *program, char *code);
int nvrtcDestroyProgram(void **program);
const char *nvrtcGetErrorString(int code);
int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);

enum { NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7 };

static void run(const char *code)
{
    void *context, *module, *function;
    uint64_t pointer;
    int got = 0;
    void *parameters[] = {&pointer};
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuModuleLoadData(&module, code), 0);
    EXPECT(cuModuleGetFunction(&function, module, "answer"), 0);
    EXPECT(cuMemAlloc_v2(&pointer, sizeof got), 0);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), 0);
    EXPECT(cuMemcpyDtoH_v2(&got, pointer, sizeof got), 0);
    EXPECT(got, 42);
}

int main(void)
{
    static const char source[] = "extern \"C\" __global__ void answer(int *to) { *to = 42; }\n";
    const char *options[] = {"--gpu-architecture=sm_90", "-lineinfo"};
    void *program;
    size_t bytes = 0;
    int major, minor;
    capture_stderr();
    int code = nvrtcVersion(&major, &minor);
    const char *said = captured_stderr();
    if (code) {
        EXPECT(!strncmp(said, "warplens: the program compiles at run time", 42), 1);
        EXPECT_TEXT(nvrtcGetErrorString(code), "NVRTC is not found");
        puts("skipped: there is no NVRTC");
        return failures ? 1 : 77;
    }
    EXPECT(nvrtcCreateProgram(&program, source, "answer.cu", 0, NULL, NULL), 0);
    code = nvrtcCompileProgram(program, 2, options);
    if (code == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE) {
        puts("skipped: NVRTC has no libnvrtc-builtins.so beside it");
        return 77;
    }
    EXPECT(code, 0);
    EXPECT(nvrtcGetCUBINSize(program, &bytes), 0);
    char *text = calloc(1, bytes + 1);
    EXPECT(nvrtcGetCUBIN(program, text), 0);
    EXPECT(strstr(text, ".target sm_90") != NULL, 1);
    run(text);
    EXPECT(nvrtcDestroyProgram(&program), 0);
    free(text);
    return failures != 0;
}
