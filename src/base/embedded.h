/* A data file compiled into the program. Tables of them end with a row whose name is NULL. */
#ifndef WL_BASE_EMBEDDED_H
#define WL_BASE_EMBEDDED_H

#include <stddef.h>

struct wl_embedded_file {
    const char *name;    /* file name without folder */
    const char *content; /* NUL-terminated */
    size_t size_bytes;
    /* of a file of Lua: what the Lua of the build made of it, behind lua_ident's text; else NULL */
    const char *compiled;
    size_t compiled_bytes;
};

/* data/gpus/, data/sections/, data/metrics/, data/rules/, src/api/cublas/ (.ptx), src/report/
 * (.sql), the headers of `warplens cc`, data/html/ */
extern const struct wl_embedded_file wl_embedded_gpus[];
extern const struct wl_embedded_file wl_embedded_sections[];
extern const struct wl_embedded_file wl_embedded_metrics[];
extern const struct wl_embedded_file wl_embedded_rules[];
extern const struct wl_embedded_file wl_embedded_merge[];
extern const struct wl_embedded_file wl_embedded_nsys[];
extern const struct wl_embedded_file wl_embedded_html[];

#endif
