/* Fuzzer of wl_cubin_read: clang -fsanitize=fuzzer,address; corpus in tests/fuzz/cubin. */
#include <stdlib.h>
#include <string.h>

#include "binary/binary.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct wl_cubin cubin = {0};
    struct wl_error error = {0};
    enum wl_code code = wl_cubin_read(data, size, &cubin, &error);
    if (code != error.code || (code && strncmp(error.message, "machine code: ", 14) != 0))
        abort();
    for (size_t i = 0; i < cubin.count; i++)
        if (!cubin.items[i].name)
            abort();
    wl_cubin_free(&cubin);
    return 0;
}
