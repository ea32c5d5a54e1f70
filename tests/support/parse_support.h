/* What the parser's test programs share. */
#ifndef WL_SUPPORT_PARSE_SUPPORT_H
#define WL_SUPPORT_PARSE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ptx/parse/ptx.h"

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

/* The module of this text, which must be right. */
static inline struct wl_ptx_module *parse(const char *text)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    enum wl_code code = wl_ptx_module_parse(text, strlen(text), "t.ptx", &module, &error);
    if (code != WL_OK)
        fail_msg("%s: %s", error.where, error.message);
    return module;
}

#endif
