/* cuDNN's handles and what it tells of itself, of each major version (MAJOR). */
#include "runtime.h"

int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnSetStream(void *handle, void *stream);
int cudnnGetStream(void *handle, void **stream);
size_t cudnnGetVersion(void);
size_t cudnnGetCudartVersion(void);
size_t cudnnGetMaxDeviceVersion(void);
int cudnnDestroyTensorDescriptor(void *self);
int cudnnGetProperty(int property, int *value);
const char *cudnnGetErrorString(int status);
void cudnnGetLastErrorString(char *message, size_t bytes);
int cudnnGraphVersionCheck(void);
int cudnnOpsVersionCheck(void);
int cudnnCnnVersionCheck(void);
int cudnnAdvVersionCheck(void);
int cudnnOpsInferVersionCheck(void);
int cudnnOpsTrainVersionCheck(void);
int cudnnCnnInferVersionCheck(void);
int cudnnCnnTrainVersionCheck(void);
int cudnnAdvInferVersionCheck(void);
int cudnnAdvTrainVersionCheck(void);
int cudnnRNNForwardTraining(void);
typedef void callback(int severity, void *data, const void *what, const char *text);
int cudnnSetCallback(unsigned mask, void *data, callback *function);
int cudnnGetCallback(unsigned *mask, void **data, callback **function);
int cudnnQueryRuntimeError(void *handle, int *status, int mode, void *tag);
int cudnnFusedOpsExecute(void *handle, void *plan, void *parameters);
int cudnnSetTensorNdDescriptor(void *self, int type, int rank, const int *dims, const int *strides);

enum { OK = 0, BAD_PARAM = MAJOR == 8 ? 3 : 2000, NOT_SUPPORTED = MAJOR == 8 ? 9 : 3000 };

static void test_versions(void)
{
    int parts[3] = {0};
    for (int i = 0; i < 3; i++)
        EXPECT(cudnnGetProperty(i, &parts[i]), OK);
    EXPECT(parts[0], MAJOR);
    EXPECT(parts[0] * (MAJOR == 8 ? 1000 : 10000) + parts[1] * 100 + parts[2], cudnnGetVersion());
    EXPECT(cudnnGetProperty(3, &parts[0]), BAD_PARAM);
    EXPECT(cudnnGetProperty(0, NULL), BAD_PARAM);
    EXPECT(cudnnGetCudartVersion(), 13000);
    EXPECT(cudnnGetMaxDeviceVersion(), MAJOR == 8 ? 900 : 1210);
    EXPECT(cudnnGraphVersionCheck(), OK);
    EXPECT(cudnnOpsVersionCheck(), OK);
    EXPECT(cudnnCnnVersionCheck(), OK);
    EXPECT(cudnnAdvVersionCheck(), OK);
    EXPECT(cudnnOpsInferVersionCheck(), OK);
    EXPECT(cudnnOpsTrainVersionCheck(), OK);
    EXPECT(cudnnCnnInferVersionCheck(), OK);
    EXPECT(cudnnCnnTrainVersionCheck(), OK);
    EXPECT(cudnnAdvInferVersionCheck(), OK);
    EXPECT(cudnnAdvTrainVersionCheck(), OK);
}

static void test_texts(void)
{
    char message[4] = "abc";
    EXPECT_TEXT(cudnnGetErrorString(OK), "CUDNN_STATUS_SUCCESS");
    EXPECT_TEXT(cudnnGetErrorString(BAD_PARAM), "CUDNN_STATUS_BAD_PARAM");
    EXPECT_TEXT(cudnnGetErrorString(NOT_SUPPORTED), "CUDNN_STATUS_NOT_SUPPORTED");
    EXPECT_TEXT(cudnnGetErrorString(MAJOR == 8 ? 7 : 3002),
                MAJOR == 8 ? "CUDNN_STATUS_MAPPING_ERROR" : "CUDNN_STATUS_NOT_SUPPORTED_SHAPE");
    EXPECT_TEXT(cudnnGetErrorString(MAJOR == 8 ? 14 : 4003),
                MAJOR == 8 ? "CUDNN_STATUS_VERSION_MISMATCH"
                           : "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED");
    EXPECT_TEXT(cudnnGetErrorString(-1), "CUDNN_UNKNOWN_STATUS");
    cudnnGetLastErrorString(message, sizeof message);
    EXPECT_TEXT(message, "");
}

static void tell(int severity, void *data, const void *what, const char *text)
{
    (void)severity;
    (void)data;
    (void)what;
    (void)text;
}

static void test_handles(void)
{
    void *handle, *stream, *told = NULL;
    unsigned mask = 0;
    callback *function = NULL;
    int status = 77;
    EXPECT(cudnnCreate(NULL), BAD_PARAM);
    EXPECT(cudnnCreate(&handle), OK);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudnnGetStream(handle, &told), OK);
    EXPECT(told == NULL, 1);
    EXPECT(cudnnSetStream(handle, stream), OK);
    EXPECT(cudnnGetStream(handle, &told), OK);
    EXPECT(told == stream, 1);
    EXPECT(cudnnSetStream(NULL, stream), BAD_PARAM);
    EXPECT(cudnnGetStream(handle, NULL), BAD_PARAM);
    EXPECT(cudnnSetCallback(5, &mask, tell), OK);
    EXPECT(cudnnGetCallback(&mask, &told, &function), OK);
    EXPECT(mask == 5 && told == &mask && function == tell, 1);
    EXPECT(cudnnQueryRuntimeError(handle, &status, 1, NULL), OK);
    EXPECT(status, OK);
    EXPECT(cudnnQueryRuntimeError(handle, &status, 3, NULL), BAD_PARAM);
    capture_stderr();
    EXPECT(cudnnFusedOpsExecute(handle, NULL, NULL), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnFusedOpsExecute (cuDNN)") != NULL, 1);
    capture_stderr();
    EXPECT(cudnnRNNForwardTraining(), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cudnnRNNForwardTraining (cuDNN)") != NULL, 1);
    EXPECT(cudnnSetTensorNdDescriptor(handle, 0, 4, NULL, NULL), BAD_PARAM);
    EXPECT(cudnnDestroy(handle), OK);
    EXPECT(cudnnDestroy(NULL), OK);
    EXPECT(cudnnDestroyTensorDescriptor(NULL), OK);
    EXPECT(cudnnDestroyTensorDescriptor(&mask), BAD_PARAM);
    EXPECT(cudaStreamDestroy(stream), 0);
}

int main(void)
{
    test_versions();
    test_texts();
    test_handles();
    return failures != 0;
}
