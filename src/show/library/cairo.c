#include "show/library/cairo.h"

#include "show/library/module.h"

struct wl_cairo wl_cairo;

enum wl_code wl_cairo_open(struct wl_error *error)
{
    if (wl_cairo.create)
        return WL_OK;
    return wl_module_open("libwarplens-cairo.so", "wl_cairo_table", &wl_cairo, sizeof wl_cairo,
                          error);
}
