#include "show/library/edit.h"
#include "base/export.h"

extern const struct wl_edit wl_edit_table WL_EXPORT;
const struct wl_edit wl_edit_table = {
#define WL_FUNCTION(name) .name = name,
#include "show/library/edit.def"
#undef WL_FUNCTION
};
