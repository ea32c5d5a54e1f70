/* libedit, which edits lines that are typed: wl_edit.el_gets() is el_gets(), and so on. Only
 * --interactive on a terminal does, so it is loaded when it is first wanted (module.h). */
#ifndef WL_SHOW_LIBRARY_EDIT_H
#define WL_SHOW_LIBRARY_EDIT_H

#include <histedit.h>

#include "base/error.h"

struct wl_edit {
#define WL_FUNCTION(name) __typeof__(name) *name;
#include "show/library/edit.def"
#undef WL_FUNCTION
};

/* Empty before wl_edit_open() has returned WL_OK. */
extern struct wl_edit wl_edit;
/* May be called again. Errors: WL_ERR_INPUT where it cannot be loaded. */
enum wl_code wl_edit_open(struct wl_error *error);

#endif
