#ifdef WL_HAS_LIBEDIT

#include "show/library/edit.h"

#include "show/library/module.h"

struct wl_edit wl_edit;

enum wl_code wl_edit_open(struct wl_error *error)
{
    if (wl_edit.el_init)
        return WL_OK;
    return wl_module_open("libwarplens-edit.so", "wl_edit_table", &wl_edit, sizeof wl_edit, error);
}

#else

typedef int wl_edit_is_not_there;

#endif
