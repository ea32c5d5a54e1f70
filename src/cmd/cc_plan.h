/* What `warplens cc` was asked to do. Options are spelled as nvcc and the C compilers spell them,
 * and nearly all are passed on to clang. */
#ifndef WL_CMD_CC_PLAN_H
#define WL_CMD_CC_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"

/* Words of a command line. They point into another one or into an arena. */
struct wl_cc_words {
    WL_VECTOR_FIELDS(const char *);
};

enum wl_cc_kind {
    WL_CC_CUDA,
    WL_CC_CPLUSPLUS,
    WL_CC_C,
    WL_CC_LINK, /* an object, a library, an option of the linker */
};

struct wl_cc_item {
    enum wl_cc_kind kind;
    const char *word;
};

/* Zero-initialise it; free with wl_cc_plan_free. */
struct wl_cc_plan {
    struct wl_arena arena;
    struct { /* sources and what is linked, in the order of the command line */
        WL_VECTOR_FIELDS(struct wl_cc_item);
    } parts;
    size_t source_count, object_count;
    struct wl_cc_words compile;      /* options for every compilation */
    struct wl_cc_words host, device; /* options for one side */
    struct wl_text ptxas;            /* options for NVIDIA's assembler: recorded, never run */
    const char *output, *standard, *clang;
    uint32_t architecture; /* highest one asked for, 0 if none */
    bool compile_only, ptx_only, has_level, is_verbose, wants_help, all_is_cuda;
};

/* Reads the words behind the verb. Errors: WL_ERR_USAGE, WL_ERR_UNSUPPORTED. */
enum wl_code wl_cc_plan_read(char **words, size_t word_count, struct wl_cc_plan *plan,
                             struct wl_error *error);
void wl_cc_plan_free(struct wl_cc_plan *plan);

/* The options, for help, completions and man: wl_cc_plan_read alone reads them. */
extern const struct wl_option_table wl_cc_tables[];

#endif
