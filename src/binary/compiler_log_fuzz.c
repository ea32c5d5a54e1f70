/* Fuzzer of wl_compiler_log_parse: clang -fsanitize=fuzzer,address; corpus in
 * tests/fuzz/compiler_log. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "binary/compiler_log.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct wl_compiler_log log = {0};
    char *text = wl_string_copy_length((const char *)data, size);
    wl_compiler_log_parse(text, &log);
    for (size_t i = 0; i < log.count; i++) {
        const struct wl_compiler_message *message = &log.items[i];
        if (!message->file || !message->function || !message->text || !message->variable ||
            !message->line || strchr(message->text, '\n'))
            abort();
        wl_compiler_message_is_at(message, message->file, message->function, message->line);
    }
    wl_compiler_log_free(&log);
    free(text);
    return 0;
}
