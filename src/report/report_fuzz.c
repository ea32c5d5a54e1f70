/* Fuzzer of the report reader: clang -fsanitize=fuzzer,address. The page count in the header is
 * made right first, so that more than the header is reached; corpus in tests/fuzz/report. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report/read_all.h"
#include "report/reader.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void mend_page_count(int descriptor, const unsigned char *data, size_t size)
{
    enum { PAGE_BYTES = 16, PAGE_COUNT = 28, HEADER_BYTES = 100 };
    if (size < HEADER_BYTES)
        return;
    size_t page_bytes = (size_t)data[PAGE_BYTES] << 8 | data[PAGE_BYTES + 1];
    size_t pages = page_bytes ? size / page_bytes : 0;
    unsigned char count[4] = {(unsigned char)(pages >> 24), (unsigned char)(pages >> 16),
                              (unsigned char)(pages >> 8), (unsigned char)pages};
    if (page_bytes && (pwrite(descriptor, count, sizeof count, PAGE_COUNT) != sizeof count ||
                       ftruncate(descriptor, (off_t)(pages * page_bytes)) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[32];
    struct wl_report *report = NULL;
    int descriptor = memfd_create("report", MFD_CLOEXEC);
    if (descriptor < 0 || (size && write(descriptor, data, size) != (ssize_t)size))
        abort();
    mend_page_count(descriptor, data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (wl_report_open_file(path, &report, NULL) == WL_OK) {
        report_read_all(report);
        wl_report_close(report);
    }
    close(descriptor);
    return 0;
}
