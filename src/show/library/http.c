#include "show/library/http.h"

#include "show/library/module.h"

struct wl_http wl_http;

enum wl_code wl_http_open(struct wl_error *error)
{
    if (wl_http.start_daemon)
        return WL_OK;
    return wl_module_open("libwarplens-http.so", "wl_http_table", &wl_http, sizeof wl_http, error);
}
