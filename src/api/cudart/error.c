#include <stdbool.h>

#include "api/cudart/runtime.h"
#include "base/count.h"

static _Thread_local int last_error;

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define E(number, name, text) {number, #name, text},
#include "device/errors.def"
#undef E
};

int wl_cudart_done(int code)
{
    if (code == WL_DEVICE_INVALID_CONFIGURATION)
        code = wl_cudart_version.bad_shape_code;
    if (code && code != WL_DEVICE_NOT_READY)
        last_error = code;
    wl_device_use_runtime();
    return code;
}

void wl_cudart_forget_error(void)
{
    last_error = WL_DEVICE_OK;
}

int cudaPeekAtLastError(void)
{
    return last_error;
}

int cudaGetLastError(void)
{
    int code = cudaPeekAtLastError();
    last_error = WL_DEVICE_OK;
    return code;
}

const char *cudaGetErrorName(int code)
{
    for (size_t i = 0; i < WL_COUNT(errors); i++)
        if (errors[i].code == code)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(int code)
{
    for (size_t i = 0; i < WL_COUNT(errors); i++)
        if (errors[i].code == code)
            return errors[i].text ? errors[i].text : errors[i].name;
    return "unrecognized error code";
}
