/* libmicrohttpd, which answers a browser: wl_http.start_daemon() is MHD_start_daemon(), and so on.
 * One verb serves, so it is loaded when it is first wanted (module.h). */
#ifndef WL_SHOW_LIBRARY_HTTP_H
#define WL_SHOW_LIBRARY_HTTP_H

#include <microhttpd.h>

#include "base/error.h"

struct wl_http {
#define WL_FUNCTION(name) __typeof__(MHD_##name) *name;
#include "show/library/http.def"
#undef WL_FUNCTION
};

/* Empty before wl_http_open() has returned WL_OK. */
extern struct wl_http wl_http;
/* May be called again. Errors: WL_ERR_INPUT where it cannot be loaded. */
enum wl_code wl_http_open(struct wl_error *error);

#endif
