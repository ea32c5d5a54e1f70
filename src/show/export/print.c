#include "show/export/print.h"

#include <stdlib.h>

enum wl_code wl_export_print(struct wl_view_context *context, wl_view_page_print *print,
                             char **text, struct wl_error *error)
{
    size_t size = 0;
    *text = NULL;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return wl_error_set(error, WL_ERR_MEMORY, "out of memory");
    context->out = out;
    enum wl_code code = print(context, error);
    wl_view_flush(context);
    context->out = NULL;
    fclose(out);
    return code;
}
