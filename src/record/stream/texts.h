/* Gives instructions of a stream their texts afterwards: machine code is disassembled when the
 * program has ended. */
#ifndef WL_RECORD_STREAM_TEXTS_H
#define WL_RECORD_STREAM_TEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct wl_stream_texts {
    void *self;
    /* The text of an instruction and its opcode, or false. Both are valid until the next call. */
    bool (*find)(void *self, const char *module, const char *kernel, uint32_t index,
                 const char **text, const char **opcode);
};

/* Writes a stream into folder that is the one at path with these texts. Errors: those of reading
 * and writing streams; a file that was begun is left. */
enum wl_code wl_stream_add_texts(const char *path, const struct wl_stream_texts *texts,
                                 const char *folder, struct wl_error *error);

#endif
