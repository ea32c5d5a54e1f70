#include "base/error.h"

#include <stdio.h>

enum wl_code wl_error_set(struct wl_error *error, enum wl_code code, const char *format, ...)
{
    if (!error)
        return code;
    wl_error_clear(error);
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

enum wl_code wl_error_set_where(struct wl_error *error, const char *format, ...)
{
    if (!error)
        return WL_ERR_INTERNAL;
    if (error->where[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->where, sizeof error->where, format, arguments);
        va_end(arguments);
    }
    return error->code;
}

enum wl_code wl_error_set_hint(struct wl_error *error, const char *format, ...)
{
    if (!error)
        return WL_ERR_INTERNAL;
    if (error->hint[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->hint, sizeof error->hint, format, arguments);
        va_end(arguments);
    }
    return error->code;
}

void wl_error_clear(struct wl_error *error)
{
    if (!error)
        return;
    error->code = WL_OK;
    error->message[0] = error->where[0] = error->hint[0] = '\0';
}
