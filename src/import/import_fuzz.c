/* Fuzzer of imported files: clang -fsanitize=fuzzer,address; corpus in tests/fuzz/import. */
#include <stdlib.h>
#include <unistd.h>

#include "import/import.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[] = "/tmp/import-fuzz-XXXXXX";
    char report[] = "/tmp/import-fuzz-made-XXXXXX";
    struct wl_error error = {0};
    int descriptor = mkstemp(path), made = mkstemp(report);
    if (descriptor < 0 || made < 0 || (size && write(descriptor, data, size) != (ssize_t)size))
        abort();
    close(descriptor);
    close(made);
    wl_import(path, report, true, NULL, &error);
    unlink(path);
    unlink(report);
    return 0;
}
