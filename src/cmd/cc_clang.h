/* The compiler behind `warplens cc`. */
#ifndef WL_CMD_CC_CLANG_H
#define WL_CMD_CC_CLANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cmd/cc_plan.h"

struct wl_cc_clang {
    char *path;
    uint32_t version;      /* 14 */
    uint32_t architecture; /* newest GPU it knows: 86 */
    uint32_t ptx;          /* PTX version to ask for: 75 is 7.5 */
};

/* Finds it: asked (may be NULL), else in PATH. Errors: WL_ERR_INPUT where there is none. */
enum wl_code wl_cc_clang_find(const char *asked, struct wl_cc_clang *clang, struct wl_error *error);
void wl_cc_clang_free(struct wl_cc_clang *clang);

/* Runs it with these words behind its name, its messages going to ours. Errors: WL_ERR_INPUT where
 * it fails. */
enum wl_code wl_cc_clang_run(const struct wl_cc_clang *clang, const struct wl_cc_words *words,
                             bool is_verbose, struct wl_error *error);

/* Whether it finds this header, "cmath" of the C++ library say, of which clang brings none, with
 * these options of the user's. */
bool wl_cc_clang_has_header(const struct wl_cc_clang *clang, const struct wl_cc_words *options,
                            const char *header);

#endif
