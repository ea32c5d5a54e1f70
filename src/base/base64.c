#include "base/base64.h"

#include <stdint.h>

void wl_base64_add(const unsigned char *bytes, size_t count, struct wl_text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t group = 0;
        size_t length = count - i < 3 ? count - i : 3;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (j < length ? bytes[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            wl_text_add_char(out, j <= length ? digits[group >> (18 - 6 * j) & 63] : '=');
    }
}
