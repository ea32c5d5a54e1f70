/* Fuzzer of wl_fatbin_read: clang -fsanitize=fuzzer,address; corpus in tests/fuzz/fatbin. */
#include <stdlib.h>
#include <string.h>

#include "binary/binary.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct wl_fatbin fatbin = {0};
    struct wl_error error = {0};
    enum wl_code code = wl_fatbin_read(data, size, &fatbin, &error);
    if (code != error.code || (code && !error.where[0]))
        abort();
    size_t sum = 0; /* every byte said to be there is read */
    for (size_t i = 0; i < fatbin.count; i++) {
        const struct wl_image *image = &fatbin.items[i];
        sum += strlen((const char *)image->bytes) <= image->size_bytes;
        sum += image->bytes[image->size_bytes];
        sum += image->options ? strlen(image->options) : 0;
        sum += image->source_name ? strlen(image->source_name) : 0;
    }
    wl_fatbin_free(&fatbin);
    return sum == (size_t)-1;
}
