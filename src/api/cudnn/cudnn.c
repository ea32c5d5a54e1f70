/* cuDNN's handles, versions and texts, and what is refused by name. Names and numbers are those of
 * the cuDNN documentation. */
#include "api/cudnn/cudnn.h"

#include <stdio.h>

#include "base/count.h"

struct handle {
    uint32_t magic;
    void *stream;
};

int wl_cudnn_create(void **made, enum wl_cudnn_magic magic, size_t bytes)
{
    if (!made)
        return WL_CUDNN_BAD_PARAM;
    *made = wl_stand_in_create(magic, bytes);
    return WL_CUDNN_OK;
}

int wl_cudnn_destroy(void *self, enum wl_cudnn_magic magic)
{
    return !self || wl_stand_in_destroy(self, magic) ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

int wl_cudnn_refuse(const char *call, const char *what)
{
    char text[128];
    snprintf(text, sizeof text, "%s (cuDNN) of %s", call, what);
    wl_device_refuse(text);
    return WL_CUDNN_NOT_SUPPORTED;
}

int wl_cudnn_launched(int device_code)
{
    return device_code == WL_DEVICE_OK              ? WL_CUDNN_OK
           : device_code == WL_DEVICE_OUT_OF_MEMORY ? WL_CUDNN_ALLOC_FAILED
                                                    : WL_CUDNN_EXECUTION_FAILED;
}

/* ---- handles ---- */

int cudnnCreate(void **handle)
{
    if (wl_device_check())
        return WL_CUDNN_NOT_INITIALIZED;
    return wl_cudnn_create(handle, WL_CUDNN_MAGIC_HANDLE, sizeof(struct handle));
}

int cudnnDestroy(void *handle)
{
    return wl_cudnn_destroy(handle, WL_CUDNN_MAGIC_HANDLE);
}

bool wl_cudnn_stream(const void *handle, void **stream)
{
    const struct handle *self = handle;
    if (!self || self->magic != WL_CUDNN_MAGIC_HANDLE)
        return false;
    *stream = self->stream;
    return true;
}

int cudnnSetStream(struct handle *handle, void *stream)
{
    if (!wl_stand_in_check(handle, WL_CUDNN_MAGIC_HANDLE))
        return WL_CUDNN_BAD_PARAM;
    handle->stream = stream;
    return WL_CUDNN_OK;
}

int cudnnGetStream(struct handle *handle, void **stream)
{
    return stream && wl_cudnn_stream(handle, stream) ? WL_CUDNN_OK : WL_CUDNN_BAD_PARAM;
}

/* ---- versions and texts ---- */

size_t cudnnGetVersion(void)
{
    return wl_cudnn_version.number;
}

size_t cudnnGetMaxDeviceVersion(void)
{
    return wl_cudnn_version.max_device;
}

size_t cudnnGetCudartVersion(void)
{
    return 13000;
}

/* What a version number consists of: cuDNN 9 has two digits for the minor version, 8 one. */
int cudnnGetProperty(int property, int *value)
{
    const int number = (int)wl_cudnn_version.number, major = number >= 10000 ? 10000 : 1000;
    const int parts[] = {number / major, number % major / 100, number % 100};
    if (!value || property < 0 || (size_t)property >= WL_COUNT(parts))
        return WL_CUDNN_BAD_PARAM;
    *value = parts[property];
    return WL_CUDNN_OK;
}

/* The parts of the library are one here, of one version. */
#define CHECK(name)         \
    int name(void)          \
    {                       \
        return WL_CUDNN_OK; \
    }
CHECK(cudnnGraphVersionCheck)
CHECK(cudnnOpsVersionCheck)
CHECK(cudnnCnnVersionCheck)
CHECK(cudnnAdvVersionCheck)
CHECK(cudnnOpsInferVersionCheck)
CHECK(cudnnOpsTrainVersionCheck)
CHECK(cudnnCnnInferVersionCheck)
CHECK(cudnnCnnTrainVersionCheck)
CHECK(cudnnAdvInferVersionCheck)
CHECK(cudnnAdvTrainVersionCheck)

const char *cudnnGetErrorString(int status)
{
    for (const struct wl_cudnn_status_name *row = wl_cudnn_version.names; row->name; row++)
        if (row->status == status)
            return row->name;
    return "CUDNN_UNKNOWN_STATUS";
}

/* No call keeps a text of what went wrong. */
void cudnnGetLastErrorString(char *message, size_t bytes)
{
    if (message && bytes)
        message[0] = '\0';
}

/* ---- messages ---- */

/* What a program wants to be told is kept; nothing is ever told. */
typedef void callback(int severity, void *data, const void *what, const char *text);
static struct {
    unsigned mask;
    void *data;
    callback *function;
} messages;

int cudnnSetCallback(unsigned mask, void *data, callback *function)
{
    messages.mask = mask;
    messages.data = data;
    messages.function = function;
    return WL_CUDNN_OK;
}

int cudnnGetCallback(unsigned *mask, void **data, callback **function)
{
    if (!mask || !data || !function)
        return WL_CUDNN_BAD_PARAM;
    *mask = messages.mask;
    *data = messages.data;
    *function = messages.function;
    return WL_CUDNN_OK;
}

/* Errors of kernels are told by the runtime. */
int cudnnQueryRuntimeError(const void *handle, int *status, int mode, void *tag)
{
    enum { BLOCKING = 2 };
    void *stream;
    (void)tag;
    if (!wl_cudnn_stream(handle, &stream) || !status || mode < 0 || mode > BLOCKING)
        return WL_CUDNN_BAD_PARAM;
    *status = WL_CUDNN_OK;
    return WL_CUDNN_OK;
}

/* ---- what is not there ---- */

#define U(name)                             \
    int name(void);                         \
    int name(void)                          \
    {                                       \
        wl_device_refuse(#name " (cuDNN)"); \
        return WL_CUDNN_NOT_SUPPORTED;      \
    }
#include "api/cudnn/unsupported.def"
#include "api/cudnn/unsupported_8.def"
#undef U
