/* Fuzzer of the report reader: clang -fsanitize=fuzzer,address. The fixed parts of the header are
 * made right first, so that the tables are reached; corpus in tests/fuzz/report (small pages). */
#include <stdlib.h>
#include <unistd.h>

#include "report/reader.h"
#include "support/report_read_all.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void put(int descriptor, off_t offset, const void *bytes, size_t length)
{
    if (pwrite(descriptor, bytes, length, offset) != (ssize_t)length)
        abort();
}

static void repair_header(int descriptor, size_t size)
{
    enum { PAGE_BYTES = 512, PAGE_COUNT = 28, USER_VERSION = 60, APPLICATION_ID = 68 };
    size_t pages = size / PAGE_BYTES;
    unsigned char count[4] = {(unsigned char)(pages >> 24), (unsigned char)(pages >> 16),
                              (unsigned char)(pages >> 8), (unsigned char)pages};
    if (pages == 0)
        return;
    put(descriptor, 0, "SQLite format 3\0\x02\0\1\1\0\x40\x20\x20", 24);
    put(descriptor, PAGE_COUNT, count, sizeof count);
    put(descriptor, USER_VERSION, "\0\0\0\1", 4);
    put(descriptor, APPLICATION_ID, "WLRP", 4);
    if (ftruncate(descriptor, (off_t)(pages * PAGE_BYTES)) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    /* SQLite resolves links, so a memfd would not do */
    char path[] = "/tmp/report-fuzz-XXXXXX";
    struct wl_report *report = NULL;
    int descriptor = mkstemp(path);
    if (descriptor < 0 || (size && write(descriptor, data, size) != (ssize_t)size))
        abort();
    repair_header(descriptor, size);
    if (wl_report_open_file(path, &report, NULL) == WL_OK) {
        report_read_all(report);
        wl_report_close(report);
    }
    close(descriptor);
    unlink(path);
    return 0;
}
