/* Fuzzer of wl_stream_replay: clang -fsanitize=fuzzer,address. Checksums are made right first, so
 * that the payloads are reached; corpus in tests/fuzz/replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "record/stream/format.h"
#include "record/stream/stream.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void repair_checksums(struct wl_text *file)
{
    unsigned char *bytes = (unsigned char *)file->data;
    size_t offset = WL_STREAM_FILE_HEADER_BYTES;
    while (offset + WL_STREAM_FRAME_HEADER_BYTES <= file->length) {
        unsigned char *header = bytes + offset;
        size_t length = wl_stream_read_u32(header);
        offset += WL_STREAM_FRAME_HEADER_BYTES;
        if (length > file->length - offset)
            length = file->length - offset;
        wl_stream_write_u32(header + 8, wl_stream_crc32(bytes + offset, length));
        wl_stream_write_u32(header + 12, wl_stream_crc32(header, 12));
        offset += length;
    }
}

static void touch_launch(void *self, const struct wl_record_launch *launch)
{
    size_t *sum = self;
    for (size_t i = 0; i < launch->instruction_value_count; i++)
        *sum += strlen(launch->instruction_value_names[launch->instruction_values[i].name]);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char path[32];
    struct wl_text file = {0};
    size_t sum = 0;
    struct wl_sink sink = {.self = &sum, .put_launch = touch_launch};
    int descriptor = memfd_create("stream", 0);
    wl_text_add_bytes(&file, data, size);
    for (int repaired = 0; repaired < 2; repaired++) {
        if (repaired)
            repair_checksums(&file);
        if (pwrite(descriptor, file.data, file.length, 0) != (ssize_t)file.length)
            abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        wl_stream_replay(path, &sink, NULL, NULL);
    }
    wl_text_free(&file);
    close(descriptor);
    return 0;
}
