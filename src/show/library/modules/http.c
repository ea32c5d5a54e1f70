#include "show/library/http.h"
#include "base/export.h"

extern const struct wl_http wl_http_table WL_EXPORT;
const struct wl_http wl_http_table = {
#define WL_FUNCTION(name) .name = MHD_##name,
#include "show/library/http.def"
#undef WL_FUNCTION
};
