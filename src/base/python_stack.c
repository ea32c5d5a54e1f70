#include "base/python_stack.h"

#include <stdbool.h>
#include <string.h>

#include "base/count.h"

/* The part of a frame's text up to its file's end; NULL: it is none of Python. */
static const char *end_of_file(const char *frame, const char *end)
{
    const char *space = memchr(frame, ' ', (size_t)(end - frame));
    const char *at = space;
    while (at && at > frame && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at && at < space && at > frame + 1 && at[-1] == ':' ? at - 1 : NULL;
}

/* Whether it is the user's, not of a library that is installed. */
static bool is_own_file(const char *file, const char *end)
{
    static const char *const parts[] = {"/site-packages/", "/dist-packages/", "/lib/python3",
                                        "/lib/python/"};
    bool is_own = *file != '<';
    for (size_t i = 0; i < WL_COUNT(parts); i++)
        is_own = is_own && !memmem(file, (size_t)(end - file), parts[i], strlen(parts[i]));
    return is_own;
}

const char *wl_python_line_of(const char *stack, const char *folder, size_t *length)
{
    const char *chosen = NULL, *chosen_end = NULL;
    bool is_own = false;
    for (const char *frame = stack; *frame;) {
        const char *end = strchrnul(frame, ';'), *file_end = end_of_file(frame, end);
        bool is_frame_own = file_end && is_own_file(frame, file_end);
        if (file_end && (is_frame_own || !is_own)) {
            chosen = frame;
            chosen_end = end;
            is_own = is_frame_own;
        }
        frame = *end ? end + 1 : end;
    }
    size_t within = folder ? strlen(folder) : 0;
    if (chosen && within && strncmp(chosen, folder, within) == 0 && chosen[within] == '/')
        chosen += within + 1;
    *length = chosen ? (size_t)(chosen_end - chosen) : 0;
    return chosen;
}
