/* What programs of CUDA 11 give and take otherwise: its structs are shorter, and some calls have
 * other arguments. */
#include "runtime.h"

static const char ptx[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 p0)\n"
                          "{\n"
                          "\t.reg .b64 %a;\n"
                          "\t.reg .b32 %v;\n"
                          "\tld.param.u64 %a, [p0];\n"
                          "\tld.global.u32 %v, [%a];\n"
                          "\tadd.u32 %v, %v, %v;\n"
                          "\tst.global.u32 [%a], %v;\n"
                          "\tret;\n"
                          "}\n";
static const char twice;

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphInstantiate(void **executable, void *graph, void **node, char *log, size_t log_bytes);
int cudaGraphExecUpdate(void *executable, void *graph, void **node, int *result);
int cudaGraphLaunch(void *executable, void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id);
int cudaBindTexture(size_t *offset, const void *reference, const void *memory, const void *format,
                    size_t bytes);

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
    __cudaRegisterFatBinaryEnd(handle);
    structs();
    graphs();
    /* three arguments: what is in place of the fourth is not written to */
    EXPECT(cudaGetDriverEntryPoint("cuInit", &function, 0, (int *)8), 0);
    EXPECT(function != NULL, 1);
    EXPECT(cudaGetDriverEntryPoint("cuNothing", &function, 0, (int *)8), 500);
    capture_stderr();
    EXPECT(cudaBindTexture(NULL, &twice, &twice, NULL, 4), 801);
    EXPECT(strstr(captured_stderr(), "cudaBindTexture is not supported") != NULL, 1);
    return failures != 0;
}
