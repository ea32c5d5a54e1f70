/* Passes of a transform: launches that each transform lines of one dimension in shared memory, as
 * pass.cu has it. A dimension is one pass or, if that is too long for a block, two. */
#ifndef WL_API_CUFFT_PASSES_H
#define WL_API_CUFFT_PASSES_H

#include <stdbool.h>
#include <stdint.h>

/* An element: two numbers of the program's memory, one, or two of the plan's own memory. */
enum wl_cufft_form { WL_CUFFT_PAIRS, WL_CUFFT_SINGLE, WL_CUFFT_INNER };

enum { WL_CUFFT_LEVELS = 3, WL_CUFFT_STAGES_MOST = 12 };

/* The parameters of warplens_fft_..._pass; pass.cu says what they are. */
struct wl_cufft_side {
    int form, turn, each, is_by_line;
    long long stride, step[WL_CUFFT_LEVELS];
};
struct wl_cufft_pass {
    long long lines;
    int count[WL_CUFFT_LEVELS - 1], turns, is_turn_first, n, whole, kept, is_half, is_turned,
        is_inverse, is_part, root_step, log_lines, stages;
    unsigned char radix[WL_CUFFT_STAGES_MOST];
    struct wl_cufft_side in, out;
};

/* Where the elements of one side lie, in numbers of its form: of the dimension, and from one line
 * to the next. */
struct wl_cufft_place {
    enum wl_cufft_form form;
    long long stride, step[WL_CUFFT_LEVELS];
};

/* All lines of one dimension: of n elements, so many in each level. */
struct wl_cufft_dimension {
    int n, kept; /* kept: results that are written */
    bool is_half /* the elements beyond the middle are not there: they mirror the others */,
        is_double, is_inverse;
    long long count[WL_CUFFT_LEVELS];
    struct wl_cufft_place in, out;
};

/* Passes that transform lines of n elements without a prime factor above 127: 1, 2, or 0 if it
 * takes more. */
int wl_cufft_passes_count(int n, bool is_double);
/* Plans them; gives how many. Between two passes elements lie as `between` says, whose form is
 * INNER. */
int wl_cufft_passes_plan(const struct wl_cufft_dimension *of, const struct wl_cufft_place *between,
                         struct wl_cufft_pass made[2]);

#endif
