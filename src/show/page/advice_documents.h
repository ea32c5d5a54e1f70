/* What the rules found as whole documents. Errors: those of wl_view_advise. */
#ifndef WL_SHOW_PAGE_ADVICE_DOCUMENTS_H
#define WL_SHOW_PAGE_ADVICE_DOCUMENTS_H

#include "show/page/context.h"

/* SARIF 2.1.0, for tools that show findings beside the source. */
enum wl_code wl_advice_write_sarif(struct wl_view_context *context, struct wl_text *out,
                                   struct wl_error *error);
/* Markdown, for comments of a review. */
enum wl_code wl_advice_write_markdown(struct wl_view_context *context, struct wl_text *out,
                                      struct wl_error *error);

#endif
