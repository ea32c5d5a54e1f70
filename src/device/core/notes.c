/* What the device layer tells its user: on stderr and to the observer. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "base/memory.h"
#include "base/safe.h"
#include "base/text.h"
#include "device/core/state.h"

void wl_device_note(enum wl_note_severity severity, const char *code, const char *hint,
                    const char *format, ...)
{
    int saved = errno;
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    if (!text)
        goto out;
    if (!hint)
        hint = "";
    if (severity > WL_NOTE_INFO) {
        struct wl_text line = {0};
        wl_text_add(&line, "warplens: ");
        wl_safe_add_lines(text, &line);
        wl_text_add(&line, *hint ? "; " : "");
        wl_safe_add_lines(hint, &line);
        wl_text_add_char(&line, '\n');
        if (write(STDERR_FILENO, line.data, line.length) < 0)
            errno = saved; /* nowhere to complain */
        wl_text_free(&line);
    }
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (observer && observer->note)
        observer->note(observer->self, severity, code, text, hint);
out:
    free(text);
    errno = saved;
}

void wl_device_tell(const char *lines)
{
    const int saved = errno;
    struct wl_text safe = {0};
    wl_safe_add_lines(lines, &safe);
    if (write(STDERR_FILENO, safe.data, safe.length) < 0)
        errno = saved;
    wl_text_free(&safe);
    errno = saved;
}

/* Names already refused. */
struct refusal {
    char *name;
    UT_hash_handle hh;
};

int wl_device_refuse(const char *function)
{
    static struct refusal *refusals;
    struct refusal *known;
    wl_device_enter_beside();
    HASH_FIND_STR(refusals, function, known);
    if (!known) {
        known = wl_alloc_zero(1, sizeof *known);
        known->name = wl_string_copy(function);
        HASH_ADD_KEYPTR(hh, refusals, known->name, strlen(known->name), known);
        wl_device_note(WL_NOTE_WARNING, "unsupported-call", NULL,
                       "%s is not supported by the simulated GPU and returned an error", function);
    }
    wl_device_leave();
    return WL_DEVICE_NOT_SUPPORTED;
}
