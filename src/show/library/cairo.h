/* Cairo, which paints PNG and PDF: wl_cairo.move_to() is cairo_move_to(), and so on. Few verbs
 * paint, so it is loaded when it is first wanted (module.h). */
#ifndef WL_SHOW_LIBRARY_CAIRO_H
#define WL_SHOW_LIBRARY_CAIRO_H

#include <cairo-pdf.h>
#include <cairo.h>

#include "base/error.h"

struct wl_cairo {
#define WL_FUNCTION(name) __typeof__(cairo_##name) *name;
#include "show/library/cairo.def"
#undef WL_FUNCTION
};

/* Empty before wl_cairo_open() has returned WL_OK. */
extern struct wl_cairo wl_cairo;
/* May be called again. Errors: WL_ERR_INPUT where it cannot be loaded. */
enum wl_code wl_cairo_open(struct wl_error *error);

#endif
