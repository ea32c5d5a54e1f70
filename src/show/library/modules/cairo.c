#include "show/library/cairo.h"
#include "base/export.h"

extern const struct wl_cairo wl_cairo_table WL_EXPORT;
const struct wl_cairo wl_cairo_table = {
#define WL_FUNCTION(name) .name = cairo_##name,
#include "show/library/cairo.def"
#undef WL_FUNCTION
};
