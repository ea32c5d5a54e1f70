#include "base/count.h"
#include "device/core/state.h"

const struct wl_device_attribute wl_device_attributes[] = {
#define A(number, name, value) {number, #name},
#include "device/core/attributes.def"
#undef A
};
const size_t wl_device_attribute_count = WL_COUNT(wl_device_attributes);

int wl_device_get_attribute(int number, int *value)
{
    const struct wl_gpu *gpu = wl_device_model();
    if (!value)
        return WL_DEVICE_INVALID_VALUE;
    if (!gpu)
        return WL_DEVICE_NO_DEVICE;
    switch (number) {
#define A(number, name, expression) \
    case number:                    \
        *value = (int)(expression); \
        return WL_DEVICE_OK;
#include "device/core/attributes.def"
#undef A
    default:
        return WL_DEVICE_INVALID_VALUE;
    }
}
