#include "collect/cupti/core.h"

#include <stdlib.h>

#include "base/memory.h"

void wl_collect_note(const struct wl_collect_core *core, enum wl_note_severity severity,
                     const char *code, const char *text, const char *hint)
{
    const struct wl_sink *sink = core->input.sink;
    struct wl_record_note note = {severity, code, text, hint, -1};
    if (sink->put_note)
        sink->put_note(sink->self, &note);
}

void wl_collect_note_error(const struct wl_collect_core *core, const char *code, const char *what,
                           const struct wl_error *error)
{
    char *text = wl_string_format("%s: %s", what, error->message);
    wl_collect_note(core, WL_NOTE_WARNING, code, text, error->hint);
    free(text);
}
