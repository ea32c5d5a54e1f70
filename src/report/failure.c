#include "report/failure.h"

#include <stdio.h>

enum wl_code wl_report_fail(struct wl_error *error, enum wl_code code, const char *path,
                            const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    wl_error_set(error, code, "%s", message);
    wl_error_set_where(error, "%s", path);
    return code;
}
