/* For this room only: pages of view as text. */
#ifndef WL_SHOW_EXPORT_PRINT_H
#define WL_SHOW_EXPORT_PRINT_H

#include "show/page/context.h"

/* What a page of context prints as text; free() *text. */
enum wl_code wl_export_print(struct wl_view_context *context, wl_view_page_print *print,
                             char **text, struct wl_error *error);

#endif
